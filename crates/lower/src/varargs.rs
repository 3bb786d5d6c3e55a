//! Variadic functions of the program: each direct call goes to a copy of the function that has the further arguments as
//! parameters with names, so that every engine sees ordinary procedures (monomorphisation by the types of the arguments).
//!
//! In the copy a `va_list` is a position among these parameters. Where it can only be one (a set of positions is
//! computed for every place), nothing of it is left; elsewhere (`va_arg` in a loop) a variable holds it, and
//! `va_arg` is a branch. `v…printf` becomes the call of `…printf` with the arguments from the position on, and a
//! function of the program that takes a `va_list` gets a copy of its own. A format that is passed as a literal is put in
//! where the copy hands it on ([`crate::formats`] then reads it).
//!
//! What does not fit (a `va_list` behind a pointer or in a structure, calls through pointers) stays as it is; proofs
//! and the search then end with the reason.

use crate::function::FunctionLowering;
use crate::link::Linker;
use crate::rename::Renaming;
use crate::{ends, fold, formats, lengths, library};
use base::{IndexVec, Span};
use csource::types::{FunctionType, Type};
use program::expr::Part;
use program::{
    Action, AssumeReason, BinaryOp, Callee, EdgeId, Expr, ExprKind, Graph, InitialData, InitialValue, Known,
    NodeId, Origin, Place, PlaceBase, Procedure, ProcedureId, Projection, TypeId, Variable, VariableId,
    VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// More copies than this are not made.
const MOST_COPIES: usize = 500;
/// Calls with more arguments than this behind the named ones stay as they are.
const MOST_ARGUMENTS: usize = 64;

const NOT_STARTED: &str = "a `va_list` is used before `va_start` or after `va_end`";
const TOO_FEW: &str = "more variable arguments are asked for than were passed";
const HANDED_ON: &str =
    "a `va_list` that is used again after a function was given it, without `va_end` and `va_start`,";

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

/// Where a `va_list` stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// Not started, or ended.
    Unset,
    /// A function that was given it may have moved it.
    HandedOn,
    /// The number of the next argument.
    At(usize),
}

impl Position {
    fn number(self) -> i32 {
        match self {
            Position::Unset => -2,
            Position::HandedOn => -1,
            Position::At(index) => index as i32,
        }
    }
}

/// What a step does with a `va_list`.
#[derive(Clone, Debug)]
enum Use {
    Start(VariableId),
    End(VariableId),
    /// To, from.
    Copy(VariableId, VariableId),
    Take(VariableId),
    /// A function like `vprintf`, by the name of its relative.
    Print(VariableId, &'static str),
    /// A function of the program, and which argument the list is.
    HandOn(VariableId, ProcedureId, usize),
}

impl Use {
    /// The list whose position matters.
    fn read(&self) -> Option<VariableId> {
        match *self {
            Use::Start(_) | Use::End(_) => None,
            Use::Copy(_, list) | Use::Take(list) | Use::Print(list, _) | Use::HandOn(list, ..) => Some(list),
        }
    }
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

    /// Functions that nothing mentions any more are still defined, but no run gets there: what they call is not asked about.
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

impl Use {
    fn renamed(self, renamed: &impl Fn(VariableId) -> VariableId) -> Use {
        match self {
            Use::Start(list) => Use::Start(renamed(list)),
            Use::End(list) => Use::End(renamed(list)),
            Use::Copy(to, from) => Use::Copy(renamed(to), renamed(from)),
            Use::Take(list) => Use::Take(renamed(list)),
            Use::Print(list, name) => Use::Print(renamed(list), name),
            Use::HandOn(list, helper, at) => Use::HandOn(renamed(list), helper, at),
        }
    }
}

/// One copy whose steps are rewritten.
struct Copy<'c> {
    copies: &'c mut Copies,
    id: ProcedureId,
    further: Vec<VariableId>,
    /// The `va_list` that the function is given.
    given: Option<VariableId>,
    uses: FxHashMap<EdgeId, Use>,
    /// Literals that parameters hold.
    formats: FxHashMap<VariableId, Expr>,
}

/// Where the lists may stand, by list.
type Positions = FxHashMap<VariableId, BTreeSet<Position>>;

impl Copy<'_> {
    fn rewrite(mut self, linker: &mut Linker) {
        let mut lowering = FunctionLowering::again(linker, self.id);
        let lists: BTreeSet<VariableId> = self.uses.values().flat_map(Use::lists).chain(self.given).collect();
        let before = self.positions(lowering.linker, &lowering.graph, &lists);
        // Only where a list may stand at several places is there a variable that knows.
        let several = self.uses.iter().filter_map(|(&edge, found)| {
            let (list, from) = (found.read()?, lowering.graph.edges[edge].from);
            (before[from].as_ref()?[&list].len() > 1).then_some(list)
        });
        let several: BTreeSet<VariableId> = several.collect();
        let int = lowering.int();
        let mut kept: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        let mut starts = Vec::new();
        for list in several {
            let span = lowering.linker.variables[list].span;
            let position = lowering.temporary(int, span);
            kept.insert(list, position);
            let start = if self.given == Some(list) { Position::At(0) } else { Position::Unset };
            starts.push((position, start, span));
        }
        let edges: Vec<EdgeId> = lowering.graph.edges.ids().collect();
        for edge in edges {
            let step = &lowering.graph.edges[edge];
            let (from, to, span) = (step.from, step.to, step.span);
            let Some(before) = &before[from] else { continue };
            match self.uses.get(&edge).cloned() {
                Some(found) => {
                    let action = lowering.graph.edges[edge].action.clone();
                    let start = ends::detached(&mut lowering.graph, edge, span);
                    lowering.current = start;
                    let site = Site { before, kept: &kept, action: &action, to, span };
                    self.step(&mut lowering, &site, &found);
                }
                None => {
                    let list = begun(&lowering.graph.edges[edge].action).filter(|list| lists.contains(list));
                    if list.is_some() {
                        lowering.graph.edges[edge].action = Action::Skip;
                    }
                    self.put_formats(lowering.linker, &mut lowering.graph.edges[edge].action);
                }
            }
        }
        let (entry, first) = (lowering.graph.entry, lowering.graph.add_node(Span::NOWHERE));
        lowering.current = first;
        for (position, start, span) in starts {
            set(&mut lowering, position, start, span);
        }
        if lowering.current != first {
            lowering.emit_to(entry, Action::Skip, Span::NOWHERE);
            lowering.graph.entry = first;
        }
        lowering.finish_body();
    }

    /// Where the lists may stand at each place that is reached (data flow over sets of positions).
    fn positions(
        &self,
        linker: &Linker,
        graph: &Graph,
        lists: &BTreeSet<VariableId>,
    ) -> IndexVec<NodeId, Option<Positions>> {
        let mut before: IndexVec<NodeId, Option<Positions>> = IndexVec::filled(None, graph.nodes.len());
        let start = |list: &VariableId| {
            let at = if self.given == Some(*list) { Position::At(0) } else { Position::Unset };
            (*list, BTreeSet::from([at]))
        };
        before[graph.entry] = Some(lists.iter().map(start).collect());
        let mut open = vec![graph.entry];
        while let Some(node) = open.pop() {
            for (edge, step) in graph.out(node) {
                let mut after = before[node].clone().expect("it is open");
                match self.uses.get(&edge) {
                    Some(Use::Start(list)) => {
                        after.insert(*list, BTreeSet::from([Position::At(0)]));
                    }
                    Some(Use::End(list)) => {
                        after.insert(*list, BTreeSet::from([Position::Unset]));
                    }
                    Some(Use::Copy(to, from)) => {
                        let from = after[from].clone();
                        after.insert(*to, from);
                    }
                    Some(Use::Take(list)) => {
                        let wanted = taken(&step.action);
                        let next = after[list].iter().filter_map(|&at| match at {
                            Position::At(at) if self.value(linker, at, wanted).is_ok() => {
                                Some(Position::At(at + 1))
                            }
                            _ => None,
                        });
                        let next: BTreeSet<Position> = next.collect();
                        if next.is_empty() {
                            continue;
                        }
                        after.insert(*list, next);
                    }
                    Some(Use::Print(list, _) | Use::HandOn(list, ..)) => {
                        after.insert(*list, BTreeSet::from([Position::HandedOn]));
                    }
                    None => {
                        if let Some(list) = begun(&step.action).filter(|list| lists.contains(list)) {
                            after.insert(list, BTreeSet::from([Position::Unset]));
                        }
                    }
                }
                let mut has_grown = before[step.to].is_none();
                let known = before[step.to].get_or_insert_with(Positions::default);
                for (list, positions) in after {
                    let known = known.entry(list).or_default();
                    let size = known.len();
                    known.extend(positions);
                    has_grown |= known.len() > size;
                }
                if has_grown {
                    open.push(step.to);
                }
            }
        }
        before
    }

    /// What stands in place of a step that uses a list. The current node is where it begins.
    fn step(&mut self, lowering: &mut FunctionLowering<'_>, site: &Site<'_>, found: &Use) {
        let (action, span) = (site.action, site.span);
        match *found {
            Use::Start(list) => site.becomes(lowering, list, Position::At(0)),
            Use::End(list) => site.becomes(lowering, list, Position::Unset),
            _ => {}
        }
        let Some(list) = found.read() else {
            lowering.emit_to(site.to, Action::Skip, span);
            return;
        };
        let positions = &site.before[&list];
        for (rest, &position) in (0..positions.len()).rev().zip(positions) {
            // The last of them needs no test.
            let next = (rest > 0).then(|| {
                let variable = site.kept[&list];
                let (value, int) = (lowering.value_of(variable), lowering.int());
                let number = lowering.int_constant(position.number());
                let types = &lowering.linker.session.types;
                let is_here = fold::binary(BinaryOp::Equal, value, number, int, types);
                let (yes, no) = (lowering.graph.add_node(span), lowering.graph.add_node(span));
                for (to, expected) in [(yes, true), (no, false)] {
                    let (condition, reason) = (is_here.clone(), AssumeReason::Branch);
                    lowering.emit_to(to, Action::Assume { condition, expected, reason }, span);
                }
                lowering.current = yes;
                no
            });
            let is_done = match (found, position) {
                (Use::Copy(copy, _), _) => {
                    site.becomes(lowering, *copy, position);
                    true
                }
                (_, Position::Unset) => {
                    broken(lowering, NOT_STARTED, span);
                    false
                }
                (_, Position::HandedOn) => {
                    lowering.emit(Action::Unsupported(Arc::from(HANDED_ON)), span);
                    false
                }
                (Use::Take(_), Position::At(at)) => match self.value(lowering.linker, at, taken(action)) {
                    Ok(value) => {
                        if let Action::Call { result: Some(target), .. } = action {
                            let target = target.clone();
                            lowering.emit(Action::Assign { target, value }, span);
                        }
                        site.becomes(lowering, list, Position::At(at + 1));
                        true
                    }
                    Err(Refused::Broken(why)) => {
                        broken(lowering, &why, span);
                        false
                    }
                    Err(Refused::Open(why)) => {
                        lowering.emit(Action::Unsupported(Arc::from(why)), span);
                        false
                    }
                },
                (_, Position::At(at)) => {
                    self.hand_on(lowering, found, action, at, span);
                    site.becomes(lowering, list, Position::HandedOn);
                    true
                }
            };
            if is_done {
                lowering.emit_to(site.to, Action::Skip, span);
            }
            if let Some(next) = next {
                lowering.current = next;
            }
        }
    }

    /// The argument at a position as the type that is asked for, or why there is none.
    fn value(&self, linker: &Linker, at: usize, wanted: Option<TypeId>) -> Result<Expr, Refused> {
        let Some(&argument) = self.further.get(at) else {
            return Err(Refused::Broken(TOO_FEW.to_owned()));
        };
        let (types, given) = (&linker.session.types, linker.variables[argument].ty.id);
        let value = Expr::load(Place::variable(argument, given));
        let wanted = wanted.unwrap_or(given);
        if given == wanted {
            return Ok(value);
        }
        // Of integers and pointers the size counts, as where they are passed.
        if let (Some(own), Some(asked)) = (types.integer_shape(given), types.integer_shape(wanted))
            && own.width == asked.width
            && own.width >= 32
        {
            return Ok(fold::cast(value, wanted, types));
        }
        if types.float_kind(given).is_some() && types.float_kind(given) == types.float_kind(wanted) {
            return Ok(fold::cast(value, wanted, types));
        }
        // Files may have types of their own for one record.
        let is_record = |ty: TypeId| types.record_id(ty).is_some();
        if is_record(given) && is_record(wanted) && types.size_of(given) == types.size_of(wanted) {
            return Err(Refused::Open(
                "a record taken by `va_arg` as a type that is not the one it was passed as",
            ));
        }
        let (wanted, given) = (types.show(wanted), types.show(given));
        Err(Refused::Broken(format!(
            "`va_arg` asks for `{wanted}` where an argument of type `{given}` was passed"
        )))
    }

    /// A call that is given the list goes to a function that is given the arguments from the position on.
    fn hand_on(
        &mut self,
        lowering: &mut FunctionLowering<'_>,
        found: &Use,
        action: &Action,
        at: usize,
        span: Span,
    ) {
        let Action::Call { result, callee: Callee::Direct(called), arguments } = action else { return };
        let rest = self.further[at..].iter().map(|&argument| lowering.value_of(argument));
        let rest: Vec<Expr> = rest.collect();
        let mut arguments = arguments.clone();
        arguments.iter_mut().for_each(|argument| self.put_format(lowering.linker, argument));
        let callee = match *found {
            Use::Print(_, name) => {
                arguments.pop();
                printing(lowering.linker, *called, name)
            }
            Use::HandOn(_, helper, list) => {
                let named = (0..arguments.len()).filter(|&at| at != list);
                let formats = passed_formats(lowering.linker, helper, &arguments, named);
                arguments.remove(list);
                let further = rest.iter().map(|argument| argument.ty).collect();
                let key = Key { function: helper, list: Some(list), further, formats };
                self.copies.copy(lowering.linker, key)
            }
            _ => None,
        };
        let Some(callee) = callee else {
            let why = "a call that is given a `va_list`, of which there are too many,";
            lowering.emit(Action::Unsupported(Arc::from(why)), span);
            return;
        };
        arguments.extend(rest);
        let (result, callee) = (result.clone(), Callee::Direct(callee));
        lowering.emit(Action::Call { result, callee, arguments }, span);
    }

    /// Calls get the literal in place of the parameter that holds it.
    fn put_formats(&self, linker: &Linker, action: &mut Action) {
        if let Action::Call { arguments, .. } = action {
            arguments.iter_mut().for_each(|argument| self.put_format(linker, argument));
        }
    }

    fn put_format(&self, linker: &Linker, argument: &mut Expr) {
        if let ExprKind::Load(place) = &without_casts(argument).kind
            && let Some(text) = place.as_variable().and_then(|variable| self.formats.get(&variable))
        {
            *argument = fold::cast(text.clone(), argument.ty, &linker.session.types);
        }
    }
}

impl Use {
    fn lists(&self) -> Vec<VariableId> {
        match *self {
            Use::Copy(to, from) => vec![to, from],
            Use::Start(list)
            | Use::End(list)
            | Use::Take(list)
            | Use::Print(list, _)
            | Use::HandOn(list, ..) => vec![list],
        }
    }
}

/// A step that uses a list.
struct Site<'s> {
    /// Where the lists may stand there.
    before: &'s Positions,
    /// The variables that know where a list stands.
    kept: &'s FxHashMap<VariableId, VariableId>,
    action: &'s Action,
    /// Where control is after it.
    to: NodeId,
    span: Span,
}

impl Site<'_> {
    fn becomes(&self, lowering: &mut FunctionLowering<'_>, list: VariableId, position: Position) {
        if let Some(&variable) = self.kept.get(&list) {
            set(lowering, variable, position, self.span);
        }
    }
}

/// Why there is no argument.
enum Refused {
    /// The program asks for what is not there.
    Broken(String),
    /// It is not known whether it is what is asked for.
    Open(&'static str),
}

fn set(lowering: &mut FunctionLowering<'_>, variable: VariableId, position: Position, span: Span) {
    let (target, value) = (lowering.place_of(variable), lowering.int_constant(position.number()));
    lowering.emit(Action::Assign { target, value }, span);
}

/// Says that what is asked for is not there; nothing comes after it.
fn broken(lowering: &mut FunctionLowering<'_>, what: &str, span: Span) {
    let (never, text) = (lowering.int_constant(0), literal(lowering.linker, what));
    lowering.call_known("__concord_need_argument", vec![never, text], None, span);
    lowering.emit(Action::Unsupported(Arc::from(what)), span);
}

/// The address of a new string literal.
fn literal(linker: &mut Linker, text: &str) -> Expr {
    let types = &mut linker.session.types;
    let character = types.char();
    let ty = types.array(character, csource::types::ArrayLength::Known(text.len() as u64 + 1));
    let pointer = types.pointer(character);
    let index = types.int();
    let index = Expr::integer(0, index, &linker.session.types);
    let id = linker.variables.push(Variable {
        name: Arc::from(".what"),
        ty: ty.into(),
        kind: VariableKind::StringLiteral,
        procedure: None,
        in_memory: true,
        is_file_local: true,
        is_thread_local: false,
        alignment: None,
        extra_bytes: 0,
        is_external: false,
        initial: Vec::new(),
        span: Span::NOWHERE,
    });
    let bytes = [text.as_bytes(), &[0]].concat();
    let value = InitialData::Bytes(bytes);
    linker.variables[id].initial = vec![InitialValue { place: Place::variable(id, ty), value }];
    let path = vec![Projection::Index(Box::new(index))];
    let first = Place { base: PlaceBase::Variable(id), path, ty: character.into() };
    Expr { kind: ExprKind::AddressOf(Box::new(first)), ty: pointer }
}

/// The function with the arguments themselves, for one that takes a `va_list`.
fn printing(linker: &mut Linker, listed: ProcedureId, name: &str) -> Option<ProcedureId> {
    let Type::Function(ty) = linker.session.types.get(linker.procedures[listed].ty) else { return None };
    let mut ty = ty.clone();
    ty.parameters.pop();
    ty.is_variadic = true;
    let ty = linker.session.types.intern(Type::Function(ty));
    Some(linker.intrinsic(name, ty))
}

fn without_casts(value: &Expr) -> &Expr {
    let mut value = value;
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    value
}

/// Is an argument of this type one that parameters with names can stand for?
fn is_passed(linker: &Linker, ty: TypeId) -> bool {
    let types = &linker.session.types;
    let is_record =
        matches!(types.get(ty), Type::Record(_)) && types.size_of(ty).is_some_and(|size| size > 0);
    is_record || types.integer_shape(ty).is_some() || types.float_kind(ty).is_some()
}

/// The type that `va_arg` asks for.
fn taken(action: &Action) -> Option<TypeId> {
    match action {
        Action::Call { result: Some(target), .. } => Some(target.ty.id),
        _ => None,
    }
}

/// The variable whose life begins or ends in a step.
fn begun(action: &Action) -> Option<VariableId> {
    match action {
        Action::Lifetime { variable, .. } => Some(*variable),
        Action::Havoc { target, source: program::HavocSource::Indeterminate } => target.as_variable(),
        _ => None,
    }
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
                if let Part::Place(Place { base: PlaceBase::Variable(id), .. }, access) = part {
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

/// What each step of a function does with its lists, if they are used as lists only.
fn uses(linker: &Linker, function: ProcedureId, list: Option<usize>) -> Option<FxHashMap<EdgeId, Use>> {
    let procedure = &linker.procedures[function];
    let body = procedure.body.as_ref().filter(|_| procedure.origin == Origin::User)?;
    let given = match list {
        Some(at) => Some(procedure.parameters.get(at).copied()?),
        None => None,
    };
    if list.is_some() && (procedure.known.is_some() || is_variadic(linker, function)) {
        return None;
    }
    let look = Lists { linker, word: linker.session.types.pointer_width() };
    let mut found = FxHashMap::default();
    for (edge, step) in body.edges.iter_enumerated() {
        let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &step.action else { continue };
        let one = match (known_of(linker, *callee), &arguments[..]) {
            (Some(Known::VaStart), [list, ..]) => Use::Start(look.storage(list)?),
            (Some(Known::VaEnd), [list, ..]) => Use::End(look.storage(list)?),
            (Some(Known::VaArg), [list, ..]) => Use::Take(look.storage(list)?),
            (Some(Known::VaCopy), [to, from]) => Use::Copy(look.storage(to)?, look.storage(from)?),
            (Some(known), [.., list]) if printed(known).is_some() => {
                let name = printed(known)?;
                // A function of the program's of that name is another one.
                let other = linker.external_procedures.get(name).map(|&id| &linker.procedures[id]);
                if other.is_some_and(|other| other.origin == Origin::User) {
                    return None;
                }
                let list = look.passed(list)?;
                let others = &arguments[..arguments.len() - 1];
                if others.iter().any(|other| mentioned(other, &BTreeSet::from([list]))) {
                    return None;
                }
                Use::Print(list, name)
            }
            _ => continue,
        };
        found.insert(edge, one);
    }
    let mut lists: BTreeSet<VariableId> = found.values().flat_map(Use::lists).collect();
    lists.extend(given);
    let is_own = |list: &VariableId| procedure.locals.contains(list) || given == Some(*list);
    if !lists.iter().all(is_own) {
        return None;
    }
    for (edge, step) in body.edges.iter_enumerated() {
        if let Action::Unsupported(text) = &step.action
            && lengths::is_mark(text)
        {
            return None;
        }
        if found.contains_key(&edge) || begun(&step.action).is_some_and(|list| lists.contains(&list)) {
            continue;
        }
        let mentions = |value: &Expr| mentioned(value, &lists);
        let Action::Call { callee: Callee::Direct(callee), arguments, result } = &step.action else {
            let mut is_elsewhere = false;
            step.action.visit(&mut |part| is_elsewhere |= is_of(part, &lists));
            if is_elsewhere {
                return None;
            }
            continue;
        };
        if result.as_ref().is_some_and(|place| mentions(&Expr::load(place.clone()))) {
            return None;
        }
        let given: Vec<usize> = (0..arguments.len()).filter(|&at| mentions(&arguments[at])).collect();
        match given[..] {
            [] => {}
            [at] => {
                let list = look.passed(&arguments[at])?;
                let helper = &linker.procedures[*callee];
                if helper.origin != Origin::User || helper.parameters.len() != arguments.len() {
                    return None;
                }
                found.insert(edge, Use::HandOn(list, *callee, at));
            }
            _ => return None,
        }
    }
    Some(found)
}

fn is_variadic(linker: &Linker, function: ProcedureId) -> bool {
    matches!(linker.session.types.get(linker.procedures[function].ty), Type::Function(ty) if ty.is_variadic)
}

/// The relative of a function that takes a `va_list`.
fn printed(known: Known) -> Option<&'static str> {
    Some(match known {
        Known::Vprintf => "printf",
        Known::Vfprintf => "fprintf",
        Known::Vsprintf => "sprintf",
        Known::Vsnprintf => "snprintf",
        _ => return None,
    })
}

fn is_of(part: Part<'_>, lists: &BTreeSet<VariableId>) -> bool {
    matches!(part, Part::Place(Place { base: PlaceBase::Variable(id), .. }, _) if lists.contains(id))
}

fn mentioned(value: &Expr, lists: &BTreeSet<VariableId>) -> bool {
    let mut found = false;
    value.visit(&mut |part| found |= is_of(part, lists));
    found
}

/// Which values are lists: an array of one record on LP64, which decays when it is passed; a pointer on ILP32.
struct Lists<'l> {
    linker: &'l Linker,
    word: u32,
}

impl Lists<'_> {
    /// The list whose storage a value points to.
    fn storage(&self, value: &Expr) -> Option<VariableId> {
        match &without_casts(value).kind {
            ExprKind::AddressOf(place) if self.word == 32 => place.as_variable(),
            _ if self.word == 32 => None,
            _ => self.passed(value),
        }
    }

    /// The list that an argument is.
    fn passed(&self, value: &Expr) -> Option<VariableId> {
        let types = &self.linker.session.types;
        let is_tag = |ty: TypeId| types.record_id(ty).is_some_and(|id| types.records[id].is_va_list);
        match &without_casts(value).kind {
            ExprKind::Load(place) => {
                let variable = place.as_variable()?;
                let is_list = self.word == 32 || types.pointee(place.ty.id).is_some_and(|to| is_tag(to.id));
                is_list.then_some(variable)
            }
            ExprKind::AddressOf(place) if self.word == 64 => {
                let PlaceBase::Variable(variable) = place.base else { return None };
                let is_first =
                    matches!(&place.path[..], [Projection::Index(at)] if at.as_integer() == Some(0));
                (is_first && is_tag(place.ty.id)).then_some(variable)
            }
            _ => None,
        }
    }
}
