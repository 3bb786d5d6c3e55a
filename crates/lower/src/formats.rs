//! Calls of the printf and scanf families: each call whose format is known goes to a procedure of its own, described by
//! the format and the arguments (`library::format`). Formats that a variable holds are known where every value it is
//! ever given is a literal; the call is then split.
//! Any other call goes to the function itself, whose description knows only formats without directives.

use crate::link::Linker;
use base::Span;
use library::format::{Call, Family, Passed, describe};
use program::{
    Action, AssumeReason, AssumptionKind, BinaryOp, Callee, EdgeId, Expr, ExprKind, FloatKind, Graph,
    InitialData, Origin, Place, PlaceBase, ProcedureId, Projection, Type, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// More literals than this are not told apart.
const MOST_FORMATS: usize = 8;

/// Gives calls with known formats their own procedures.
pub fn specialise(linker: &mut Linker) {
    let mut formats = Formats { writes: writes(linker), described: FxHashMap::default() };
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    for id in ids {
        if linker.procedures[id].origin != Origin::User {
            continue;
        }
        let Some(mut graph) = linker.procedures[id].body.take() else { continue };
        let edges: Vec<EdgeId> = graph.edges.ids().collect();
        for edge in edges {
            formats.call(linker, &mut graph, edge);
        }
        linker.procedures[id].body = Some(graph);
    }
}

/// What is written to variables outside memory: the values assigned, or `None` where something else writes.
type Writes = FxHashMap<VariableId, Vec<Option<Expr>>>;

struct Formats {
    writes: Writes,
    /// The procedure of each description.
    described: FxHashMap<Call, ProcedureId>,
}

impl Formats {
    fn call(&mut self, linker: &mut Linker, graph: &mut Graph, edge: EdgeId) {
        let Action::Call { callee: Callee::Direct(callee), arguments, result } = &graph.edges[edge].action
        else {
            return;
        };
        let called = &linker.procedures[*callee];
        let family = called.known.filter(|_| called.origin != Origin::User).and_then(Family::of);
        let Some(family) = family else { return };
        let Some(format) = arguments.get(family.format_position()).cloned() else { return };
        let word = (linker.session.types.pointer_width() / 8) as usize;
        let rest = &arguments[family.format_position() + 1..];
        let passed: Vec<Passed> = rest.iter().map(|argument| passed(linker, argument)).collect();
        let (name, is_used) = (called.name.to_string(), result.is_some());
        let make = |format: Vec<u8>| Call {
            name: name.clone(),
            family,
            format,
            passed: passed.clone(),
            is_used,
            word,
        };
        if let Some(text) = literal(linker, &format) {
            let described = self.described(linker, make(text));
            if let Action::Call { callee, .. } = &mut graph.edges[edge].action {
                *callee = Callee::Direct(described);
            }
            return;
        }
        let mut found = Vec::new();
        if !self.literals(linker, &format, &mut found, &mut FxHashSet::default())
            || found.len() > MOST_FORMATS
        {
            return;
        }
        let choices: Vec<(Expr, ProcedureId)> = found
            .into_iter()
            .map(|(at, text)| {
                let described = self.described(linker, make(text));
                (at, described)
            })
            .collect();
        split(linker, graph, edge, &format, choices);
    }

    /// The procedure of a description.
    fn described(&mut self, linker: &mut Linker, call: Call) -> ProcedureId {
        if let Some(&known) = self.described.get(&call) {
            return known;
        }
        let text = format!("{}{}", library::WORDS, describe(&call));
        let source = format!("{}{}.c", program::LIBRARY_FOLDER, call.name);
        let source = linker.session.sources.add(&source, text).expect("descriptions are small");
        let syntax = csource::parser::parse(source, &mut linker.session);
        let unit = csource::sema::analyse(&syntax, &mut linker.session);
        // What the words define comes first.
        let mut defined =
            { unit.functions.iter_enumerated() }.filter(|(_, function)| function.body.is_some());
        let function = defined.next_back().map(|(id, _)| id).expect("a description defines its function");
        drop(defined);
        linker.add(unit, Origin::Model);
        let unit = linker.units.last().expect("one was added");
        let procedure = unit.procedures[function];
        linker.lower_body(procedure);
        linker.assume(
            AssumptionKind::LibraryModel,
            &call.name,
            Span::NOWHERE,
            format!("`{}` does what the C standard says (built-in model)", call.name),
        );
        self.described.insert(call, procedure);
        procedure
    }

    /// The literals that a value may point to, each with its address. False if it may be anything else but what was
    /// never given a value.
    fn literals(
        &self,
        linker: &Linker,
        value: &Expr,
        found: &mut Vec<(Expr, Vec<u8>)>,
        seen: &mut FxHashSet<VariableId>,
    ) -> bool {
        if let Some(text) = literal(linker, value) {
            let at = without_casts(value);
            if !found.iter().any(|(known, _)| without_casts(known) == at) {
                found.push((value.clone(), text));
            }
            return true;
        }
        let ExprKind::Load(place) = &without_casts(value).kind else { return false };
        let Some(id) = place.as_variable() else { return false };
        let variable = &linker.variables[id];
        if variable.in_memory || variable.is_external || variable.kind == VariableKind::Parameter {
            return false;
        }
        if !seen.insert(id) {
            return true;
        }
        let initial = variable.initial.iter().map(|initial| match &initial.value {
            InitialData::Value(value) => Some(value),
            InitialData::Bytes(_) => None,
        });
        let written = self.writes.get(&id).into_iter().flatten().map(Option::as_ref);
        initial.chain(written).all(|value| match value {
            Some(value) => {
                // Null is no format: the function itself says so.
                without_casts(value).as_integer() == Some(0) || self.literals(linker, value, found, seen)
            }
            None => false,
        })
    }
}

/// What user code writes to variables.
fn writes(linker: &Linker) -> Writes {
    let mut writes = Writes::default();
    let bodies = linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    for edge in bodies.flat_map(|graph| &graph.edges) {
        match &edge.action {
            Action::Assign { target, value } => {
                if let PlaceBase::Variable(id) = target.base {
                    let value = target.path.is_empty().then(|| value.clone());
                    writes.entry(id).or_default().push(value);
                }
            }
            // A declaration without a value: using the variable before another write is undefined.
            Action::Havoc { source: program::HavocSource::Indeterminate, .. } => {}
            Action::Havoc { target, .. } | Action::Call { result: Some(target), .. } => {
                if let PlaceBase::Variable(id) = target.base {
                    writes.entry(id).or_default().push(None);
                }
            }
            _ => {}
        }
    }
    writes
}

/// The call becomes one call for each literal, chosen by where the format is, and the call itself for what is left.
fn split(
    linker: &mut Linker,
    graph: &mut Graph,
    edge: EdgeId,
    format: &Expr,
    choices: Vec<(Expr, ProcedureId)>,
) {
    let int = linker.session.types.int();
    let (from, to, span) = (graph.edges[edge].from, graph.edges[edge].to, graph.edges[edge].span);
    let Action::Call { result, arguments, callee } = graph.edges[edge].action.clone() else { return };
    let mut at = from;
    // The edge that was there is the first test's; so the node's order of edges stays.
    let mut reused = Some(edge);
    for (literal, procedure) in choices {
        let literal = crate::fold::cast(literal, format.ty, &linker.session.types);
        let condition = Expr {
            kind: ExprKind::Binary(BinaryOp::Equal, Box::new(format.clone()), Box::new(literal)),
            ty: int,
        };
        let (yes, no) = (graph.add_node(span), graph.add_node(span));
        let test = |expected| Action::Assume {
            condition: condition.clone(),
            expected,
            reason: AssumeReason::Branch,
        };
        match reused.take() {
            Some(edge) => {
                graph.edges[edge].action = test(true);
                graph.edges[edge].to = yes;
                graph.nodes[to].into.retain(|&known| known != edge);
                graph.nodes[yes].into.push(edge);
            }
            None => {
                graph.add_edge(at, yes, test(true), span);
            }
        }
        graph.add_edge(at, no, test(false), span);
        let call = Action::Call {
            result: result.clone(),
            callee: Callee::Direct(procedure),
            arguments: arguments.clone(),
        };
        graph.add_edge(yes, to, call, span);
        at = no;
    }
    if reused.is_none() {
        graph.add_edge(at, to, Action::Call { result, callee, arguments }, span);
    }
}

/// How an argument is passed.
fn passed(linker: &Linker, argument: &Expr) -> Passed {
    if let Some(text) = literal(linker, argument) {
        return Passed::Literal(text);
    }
    let types = &linker.session.types;
    match types.get(argument.ty) {
        Type::Pointer(to) => match (types.get(to.id), types.size_of(to.id)) {
            (Type::Void | Type::Function(_), _) | (_, None) => Passed::Pointer,
            (_, Some(bytes)) => {
                Passed::PointerTo(types.integer_shape(to.id).and(usize::try_from(bytes).ok()))
            }
        },
        Type::Float(FloatKind::Double) => Passed::Double,
        Type::Float(FloatKind::LongDouble) => Passed::LongDouble,
        _ => match types.integer_shape(argument.ty) {
            Some(shape) => Passed::Integer((shape.width / 8) as usize),
            None => Passed::Other,
        },
    }
}

fn without_casts(value: &Expr) -> &Expr {
    let mut value = value;
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    value
}

/// The text that a value points to, if it is the start of a literal or of an array that never changes.
pub(crate) fn literal(linker: &Linker, value: &Expr) -> Option<Vec<u8>> {
    let ExprKind::AddressOf(place) = &without_casts(value).kind else { return None };
    let is_start =
        |step: &Projection| matches!(step, Projection::Index(index) if index.as_integer() == Some(0));
    if !place.path.iter().all(is_start) {
        return None;
    }
    let PlaceBase::Variable(id) = place.base else { return None };
    let variable = &linker.variables[id];
    let types = &linker.session.types;
    let Type::Array(element, _) = types.get(variable.ty.id) else { return None };
    let is_constant = variable.kind == VariableKind::StringLiteral
        || (variable.kind == VariableKind::Global
            && !variable.is_external
            && (element.qualifiers.is_const || variable.ty.qualifiers.is_const)
            && !element.qualifiers.is_volatile);
    let [initial] = &variable.initial[..] else { return None };
    if !is_constant
        || types.size_of(element.id) != Some(1)
        || initial.place != Place::variable(id, variable.ty)
    {
        return None;
    }
    let InitialData::Bytes(bytes) = &initial.value else { return None };
    let end = bytes.iter().position(|&byte| byte == 0);
    // An array that the literal fills has no zero of its own; a longer one has.
    let has_end =
        end.is_some() || types.size_of(variable.ty.id).is_some_and(|size| size > bytes.len() as u64);
    has_end.then(|| bytes[..end.unwrap_or(bytes.len())].to_vec())
}
