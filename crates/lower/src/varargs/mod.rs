//! Variadic functions of the program: each direct call goes to a copy of the function that has the further arguments as
//! parameters with names, so that every engine sees ordinary procedures (monomorphisation by the types of the
//! arguments).
//!
//! In the copy a `va_list` is a position among these parameters. Where it can only be one (a set of positions is
//! computed for every place), nothing of it is left; elsewhere (`va_arg` in a loop) a variable holds it, and `va_arg`
//! is a branch. `v…printf` becomes the call of `…printf` with the arguments from the position on, and a function of the
//! program that takes a `va_list` gets a copy of its own. A format that is passed as a literal is put in where the copy
//! hands it on ([`crate::formats`] then reads it).
//!
//! What does not fit (a `va_list` behind a pointer or in a structure, calls through pointers) stays as it is; proofs
//! and the search then end with the reason.

mod copy;
mod uses;

use crate::link::Linker;
use crate::rename::Renaming;
use crate::{formats, library};
use copy::Copy;
use csource::types::{FunctionType, Type};
use program::expr::ExprPart;
use program::rewrite::Rewrite;
use program::{
    Action, Callee, EdgeId, Expr, ExprKind, Graph, Known, Origin, Place, PlaceBase, Procedure, ProcedureId,
    TypeId, Variable, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use uses::{Use, uses, without_casts};

/// More copies than this are not made.
const MOST_COPIES: usize = 500;
/// Calls with more arguments than this behind the named ones stay as they are.
const MOST_ARGUMENTS: usize = 64;

/// Gives direct calls of variadic functions of the program procedures of their own.
pub fn specialise(linker: &mut Linker) {
    if !linker.external_procedures.contains_key("__builtin_va_start") {
        return;
    }
    let mut copies = Copies::default();
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    let mut open: Vec<ProcedureId> = ids
        .into_iter()
        .filter(|&id| linker.procedures[id].origin == Origin::User && linker.procedures[id].body.is_some())
        .collect();
    open.reverse();
    while let Some(id) = open.pop() {
        // What a variadic function calls is looked at in its copies.
        if starts_lists(linker, id) {
            continue;
        }
        // What it calls may give it a list.
        let Some(mut graph) = linker.procedures[id].body.clone() else { continue };
        for edge in graph.edges.ids().collect::<Vec<_>>() {
            copies.call(linker, &mut graph, edge);
        }
        linker.procedures[id].body = Some(graph);
        open.append(&mut copies.made);
    }
    copies.empty_originals(linker);
    linker.copied = copies.copied;
}

/// What a copy is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    function: ProcedureId,
    /// The parameter that is a `va_list` which stands at the first of the arguments; none in variadic functions.
    list: Option<usize>,
    /// The types of the arguments behind the named ones.
    further: Vec<TypeId>,
    /// Named parameters that are formats, and the literals that are passed.
    formats: Vec<(usize, Expr)>,
}

#[derive(Default)]
struct Copies {
    by_key: FxHashMap<Key, ProcedureId>,
    /// Those whose calls are still to be looked at.
    made: Vec<ProcedureId>,
    copied: BTreeSet<ProcedureId>,
    /// Do a function and the functions that it gives its list to fit?
    fits: FxHashMap<(ProcedureId, Option<usize>), bool>,
}

impl Copies {
    /// A direct call of a variadic function goes to its copy.
    fn call(&mut self, linker: &mut Linker, graph: &mut Graph, edge: EdgeId) {
        let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &graph.edges[edge].action else {
            return;
        };
        let (callee, called) = (*callee, &linker.procedures[*callee]);
        let Type::Function(ty) = linker.session.types.get(called.ty) else { return };
        let named = called.parameters.len();
        if called.origin != Origin::User
            || !ty.is_variadic
            || called.known.is_some()
            || arguments.len() < named
            || arguments.len() - named > MOST_ARGUMENTS
            || !starts_lists(linker, callee)
        {
            return;
        }
        let further: Vec<TypeId> = arguments[named..].iter().map(|argument| argument.ty).collect();
        let can_be_passed = |&ty: &TypeId| is_passed(linker, ty);
        if !further.iter().all(can_be_passed) || !self.fits(linker, callee, None) {
            return;
        }
        let formats = passed_formats(linker, callee, &arguments[..named], 0..named);
        let key = Key { function: callee, list: None, further, formats };
        if let Some(copy) = self.copy(linker, key)
            && let Action::Call { callee, .. } = &mut graph.edges[edge].action
        {
            *callee = Callee::Direct(copy);
        }
    }

    /// Can a function be copied, with all that it gives its lists to?
    fn fits(&mut self, linker: &Linker, function: ProcedureId, list: Option<usize>) -> bool {
        if let Some(&known) = self.fits.get(&(function, list)) {
            return known;
        }
        let mut seen = FxHashSet::default();
        let mut open = vec![(function, list)];
        let mut fits = true;
        while let Some((function, list)) = open.pop() {
            if !seen.insert((function, list)) {
                continue;
            }
            match uses(linker, function, list) {
                None => fits = false,
                Some(found) => open.extend(found.values().filter_map(|found| match *found {
                    Use::HandOn(_, helper, at) => Some((helper, Some(at))),
                    _ => None,
                })),
            }
        }
        self.fits.insert((function, list), fits);
        fits
    }

    /// The copy for these arguments; made, if it is the first.
    fn copy(&mut self, linker: &mut Linker, key: Key) -> Option<ProcedureId> {
        if let Some(&known) = self.by_key.get(&key) {
            return Some(known);
        }
        if self.by_key.len() >= MOST_COPIES {
            return None;
        }
        let original = linker.procedures[key.function].clone();
        let id = linker.procedures.push(Procedure {
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            is_static: true,
            ..original.clone()
        });
        self.by_key.insert(key.clone(), id);
        self.copied.insert(key.function);
        let mut renaming = Renaming::default();
        let mut copied = |linker: &mut Linker, of: &[VariableId]| -> Vec<VariableId> {
            let new = of.iter().map(|&of| {
                let variable = Variable { procedure: Some(id), ..linker.variables[of].clone() };
                let new = linker.variables.push(variable);
                renaming.0.insert(of, new);
                new
            });
            new.collect()
        };
        let mut parameters = copied(linker, &original.parameters);
        let locals = copied(linker, &original.locals);
        let given = key.list.map(|at| parameters.remove(at));
        let further: Vec<VariableId> = key
            .further
            .iter()
            .enumerate()
            .map(|(at, &ty)| {
                linker.variables.push(Variable {
                    name: Arc::from(format!("argument_{}", original.parameters.len() + at + 1)),
                    ty: ty.into(),
                    kind: VariableKind::Parameter,
                    procedure: Some(id),
                    in_memory: !linker.session.types.is_scalar(ty),
                    is_file_local: false,
                    is_thread_local: false,
                    alignment: None,
                    extra_bytes: 0,
                    is_external: false,
                    initial: Vec::new(),
                    span: original.span,
                })
            })
            .collect();
        parameters.extend(&further);
        let mut graph = original.body.expect("it is looked at only with a body");
        graph.edges.iter_mut().for_each(|edge| renaming.action(&mut edge.action));
        let found = uses(linker, key.function, key.list).expect("it fits");
        let renamed = |list: VariableId| renaming.0.get(&list).copied().unwrap_or(list);
        let uses = found.into_iter().map(|(edge, found)| (edge, found.renamed(&renamed))).collect();
        let formats = key.formats.iter();
        let formats = formats.map(|(at, text)| (renamed(original.parameters[*at]), text.clone())).collect();
        let ty = Type::Function(FunctionType {
            result: linker.result_type(key.function).into(),
            parameters: parameters.iter().map(|&parameter| linker.variables[parameter].ty.id).collect(),
            is_variadic: false,
            has_prototype: true,
        });
        let ty = linker.session.types.intern(ty);
        let slot = &mut linker.procedures[id];
        (slot.ty, slot.parameters, slot.locals, slot.body) = (ty, parameters, locals, Some(graph));
        Copy { copies: self, id, further, given, uses, formats }.rewrite(linker);
        self.made.push(id);
        Some(id)
    }

    /// Functions that nothing mentions any more are still defined, but no run gets there: what they call is not asked
    /// about.
    fn empty_originals(&self, linker: &mut Linker) {
        let mut full = self.copied.clone();
        loop {
            let mentioned = library::mentioned_procedures(linker);
            let unused: Vec<ProcedureId> =
                full.iter().copied().filter(|id| !mentioned.contains(id)).collect();
            if unused.is_empty() {
                return;
            }
            for id in unused {
                full.remove(&id);
                let (mut graph, span) = (Graph::new(), linker.procedures[id].span);
                let end = graph.add_node(span);
                let why = Arc::from("a variadic function of which a copy stands for each call");
                graph.add_edge(graph.entry, end, Action::Unsupported(why), span);
                linker.procedures[id].body = Some(graph);
            }
        }
    }
}

/// Is an argument of this type one that parameters with names can stand for?
fn is_passed(linker: &Linker, ty: TypeId) -> bool {
    let types = &linker.session.types;
    let is_record =
        matches!(types.get(ty), Type::Record(_)) && types.size_of(ty).is_some_and(|size| size > 0);
    is_record || types.integer_shape(ty).is_some() || types.float_kind(ty).is_some()
}

fn known_of(linker: &Linker, id: ProcedureId) -> Option<Known> {
    let procedure = &linker.procedures[id];
    procedure.known.filter(|_| procedure.origin != Origin::User)
}

fn starts_lists(linker: &Linker, function: ProcedureId) -> bool {
    linker.callees(function).into_iter().any(|callee| known_of(linker, callee) == Some(Known::VaStart))
}

/// Literals passed for parameters that stay what they are.
fn passed_formats(
    linker: &Linker,
    function: ProcedureId,
    arguments: &[Expr],
    named: impl IntoIterator<Item = usize>,
) -> Vec<(usize, Expr)> {
    let procedure = &linker.procedures[function];
    let edges = || procedure.body.iter().flat_map(|body| &body.edges);
    let stays = |parameter: VariableId| {
        let mut is_written = linker.variables[parameter].in_memory;
        for edge in edges() {
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, access) = part {
                    is_written |= *id == parameter && access != program::expr::Access::Read;
                }
            });
        }
        !is_written
    };
    let is_passed_on = |parameter: VariableId| {
        edges().any(|edge| match &edge.action {
            Action::Call { arguments, .. } => arguments.iter().any(|argument| {
                matches!(&without_casts(argument).kind, ExprKind::Load(place) if place.as_variable() == Some(parameter))
            }),
            _ => false,
        })
    };
    let found = named.into_iter().filter(|&at| {
        let parameter = procedure.parameters.get(at).copied();
        formats::literal(linker, &arguments[at]).is_some()
            && parameter.is_some_and(|parameter| stays(parameter) && is_passed_on(parameter))
    });
    found.map(|at| (at, arguments[at].clone())).collect()
}
