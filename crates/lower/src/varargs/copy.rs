//! One copy of a variadic function: its arguments have names, and each step that uses a list becomes what it does with
//! them.
//!
//! Data flow over sets of positions says where each list may stand before each step (a may-analysis, least fixpoint
//! from the entry). With one position nothing is left of the list; with several a variable of the copy knows which, and
//! the step is a branch on it.

use super::uses::{Use, begun, without_casts};
use super::{Copies, Key, passed_formats};
use crate::function::FunctionLowering;
use crate::link::Linker;
use crate::{ends, fold};
use base::{IndexVec, Span};
use csource::types::Type;
use program::{
    Action, AssumeReason, BinaryOp, Callee, EdgeId, Expr, ExprKind, Graph, InitialData, InitialValue, NodeId,
    Place, PlaceBase, ProcedureId, Projection, TypeId, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

const NOT_STARTED: &str = "a `va_list` is used before `va_start` or after `va_end`";

const TOO_FEW: &str = "more variable arguments are asked for than were passed";

const HANDED_ON: &str =
    "a `va_list` that is used again after a function was given it, without `va_end` and `va_start`,";

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

/// One copy whose steps are rewritten.
pub(super) struct Copy<'c> {
    pub(super) copies: &'c mut Copies,
    pub(super) id: ProcedureId,
    pub(super) further: Vec<VariableId>,
    /// The `va_list` that the function is given.
    pub(super) given: Option<VariableId>,
    pub(super) uses: FxHashMap<EdgeId, Use>,
    /// Literals that parameters hold.
    pub(super) formats: FxHashMap<VariableId, Expr>,
}

/// Where the lists may stand, by list.
type Positions = FxHashMap<VariableId, BTreeSet<Position>>;

impl Copy<'_> {
    pub(super) fn rewrite(mut self, linker: &mut Linker) {
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

/// The type that `va_arg` asks for.
fn taken(action: &Action) -> Option<TypeId> {
    match action {
        Action::Call { result: Some(target), .. } => Some(target.ty.id),
        _ => None,
    }
}
