//! The symbolic walk: symbolic execution with state merging. The program is unrolled in order, paths that
//! meet are merged, so that a block without loops costs as many steps as it has edges. What must not happen,
//! and what can go wrong, is collected as goals for a solver.
//!
//! A guard (the path condition: what must hold to get here) is a Boolean symbol that is defined by a fact.
//! Guards of two sides of a branch remember it, so that the guard where they meet again is the one before the
//! branch.
//!
//! After King 1976 (symbolic execution) and Clarke, Kroening, Lerda 2004 (guards and merged values instead of
//! single paths).
//!
//! Worked example: `if (c) x = 1; else x = 2; if (d) y = x; else y = 0;` under a guard `g`. Two states leave
//! the first branch, under `g && c` and `g && !c`; where they meet, one goes on under `g` with `x = ite(c, 1,
//! 2)`. The same again for `d`: four paths, but two states at a time, and `y = ite(d, ite(c, 1, 2), 0)` at
//! the end.

pub mod boundary;
mod calls;
mod merge;

use self::boundary::Boundary;
use crate::contracts::Contracts;
use crate::order::Order;
use base::Span;
use logic::TermId;
use program::{Action, Edge, EdgeId, Graph, NodeId, Origin, ProcedureId, Program};
use question::{Check, Checks, Missing, Property};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use symbolic::{Effect, Encoder, Failure, FailureKind, Input, State, Value};

/// An active call, on the way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Of which procedure.
    pub procedure: ProcedureId,
    /// Where control is in it; for outer calls, before the call.
    pub node: NodeId,
    /// The rounds of the loops around the node, outermost first.
    pub rounds: Vec<u32>,
    /// The call that is active from here, in outer calls.
    pub call: Option<EdgeId>,
}

/// Where control is: active calls, outermost first.
pub type Stack = Rc<Vec<Level>>;

/// Places in the order they are visited.
type Key = Vec<u32>;

/// A state on its way.
#[derive(Clone, Debug)]
pub struct Pending {
    /// When control is here.
    pub guard: TermId,
    /// The state then.
    pub state: State,
    /// Where control is, in each of the activations.
    pub stack: Stack,
    /// Heads of loops that were passed, for induction.
    pub depth: u32,
}

/// What a goal is about.
#[derive(Clone, Debug, PartialEq)]
pub enum GoalKind {
    /// What the property forbids, in words.
    Error(Arc<str>),
    /// Undefined behaviour, or something unknown; its detail.
    Failure(FailureKind, Option<Arc<str>>),
    /// A call of a procedure that has neither a body nor a meaning.
    MissingBody(ProcedureId),
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub struct Goal {
    /// When it happens.
    pub condition: TermId,
    /// What it is.
    pub kind: GoalKind,
    /// The place in the source.
    pub span: Span,
    /// Heads of loops passed before it.
    pub depth: u32,
}

/// An input on some path.
#[derive(Clone, Debug)]
pub struct PathInput {
    /// When it is taken.
    pub guard: TermId,
    /// The input.
    pub input: Input,
    /// Is it taken by a model of a function that real runs have natively?
    pub is_modelled: bool,
}

/// Where the walk stops of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// Loops go on for so many rounds, recursion for so many calls; the rest is postponed.
    Rounds(u32),
    /// After so many heads of loops.
    Heads(u32),
}

/// A place whatever the rounds of its loops: procedures, nodes and calls, outermost first.
pub type PlaceKey = Vec<(ProcedureId, NodeId, Option<EdgeId>)>;

/// The place of a stack.
pub fn place_of(stack: &[Level]) -> PlaceKey {
    stack.iter().map(|level| (level.procedure, level.node, level.call)).collect()
}

/// A condition over the parts of a state, given over the symbols that stand for them.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The symbols.
    pub symbols: Rc<Vec<(symbolic::StateVariable, TermId)>>,
    /// The condition over them.
    pub condition: TermId,
}

/// The condition of a state.
pub fn instantiated(encoder: &mut Encoder<'_>, invariant: &Invariant, state: &mut State) -> TermId {
    let parts: FxHashMap<_, _> = encoder.parts(state).into_iter().collect();
    let replacements = invariant
        .symbols
        .iter()
        .filter_map(|(part, symbol)| parts.get(part).map(|&value| (*symbol, value)))
        .collect();
    let condition = encoder.terms.pool.substitute(invariant.condition, &replacements);
    encoder.terms.simple(condition)
}

/// Where the user's code is when control is at `step` of the innermost level: that place, or the innermost
/// call of the user's.
pub fn users_place(program: &Program, stack: &[Level], step: Span) -> Span {
    let callers = stack.iter().rev().skip(1).filter_map(|level| {
        let body = program.procedures[level.procedure].body.as_ref()?;
        Some(body.edges[level.call?].span)
    });
    program.users_place(step, callers)
}

/// Walks the program.
pub struct Explorer<'p, 'a> {
    /// The encoding.
    pub encoder: Encoder<'p>,
    program: &'p Program,
    property: &'a Property,
    missing: Missing,
    /// When to stop.
    pub stop: StopRule,
    orders: FxHashMap<ProcedureId, Rc<Order>>,
    frontier: BTreeMap<Key, Vec<Pending>>,
    /// What the stop rule held back: with [`StopRule::Heads`], the arrivals at heads.
    pub postponed: Vec<Pending>,
    /// What must not happen, in the order it was met; the engine takes them.
    pub goals: Vec<Goal>,
    /// All inputs, in the order of runs.
    pub inputs: Vec<PathInput>,
    /// States that start another round of a loop under a condition: the engine decides whether that is
    /// possible, and [`resume`](Self::resume)s them.
    pub new_rounds: Vec<Pending>,
    /// What is known at heads of loops, for [`StopRule::Heads`].
    pub invariants: FxHashMap<PlaceKey, Invariant>,
    /// Procedures whose calls are not followed, for [`StopRule::Heads`]; with what was noted about them.
    pub contracts: Option<Contracts>,
    /// Procedures whose calls end the walk; with what was noted about them.
    pub boundary: Option<Boundary>,
    /// A node of `main` at which the walk ends, if there is one.
    pub ends_at: Option<NodeId>,
    /// Those that have arrived there.
    pub arrived: Vec<Pending>,
    siblings: FxHashMap<TermId, (TermId, TermId)>,
    last_at_head: FxHashMap<Key, (TermId, State)>,
    /// Steps taken.
    pub steps: u64,
}

impl<'p, 'a> Explorer<'p, 'a> {
    /// A walk that has not begun.
    pub fn new(
        encoder: Encoder<'p>,
        property: &'a Property,
        missing: Missing,
        stop: StopRule,
    ) -> Explorer<'p, 'a> {
        let program = encoder.meaning.program;
        Explorer {
            encoder,
            program,
            property,
            missing,
            stop,
            orders: FxHashMap::default(),
            frontier: BTreeMap::new(),
            postponed: Vec::new(),
            goals: Vec::new(),
            inputs: Vec::new(),
            new_rounds: Vec::new(),
            invariants: FxHashMap::default(),
            contracts: None,
            boundary: None,
            ends_at: None,
            arrived: Vec::new(),
            siblings: FxHashMap::default(),
            last_at_head: FxHashMap::default(),
            steps: 0,
        }
    }

    /// The undefined behaviour that is asked about.
    pub fn checks(&self) -> Checks {
        self.property.checks
    }

    /// Begins at the start of a procedure, with unknown arguments.
    pub fn begin_at(&mut self, procedure: ProcedureId, state: State) {
        let guard = self.encoder.terms.yes();
        let Some(body) = &self.program.procedures[procedure].body else { return };
        let mut pending = Pending { guard, state, stack: Rc::default(), depth: 0 };
        let mut arguments = Vec::new();
        for &parameter in &self.program.procedures[procedure].parameters {
            let variable = &self.program.variables[parameter];
            arguments.push(if self.program.types.is_scalar(variable.ty.id) {
                let width = self.encoder.width(variable.ty.id);
                Value::Scalar(self.encoder.terms.fresh_bits(&variable.name, width))
            } else {
                Value::Nothing
            });
        }
        let span = self.program.procedures[procedure].span;
        self.set_context(&[]);
        let effect = self.encoder.enter(&mut pending.state, procedure, &arguments, span);
        self.record(&mut pending, &effect, false);
        let level = Level { procedure, node: body.entry, rounds: Vec::new(), call: None };
        pending.stack = Rc::new(vec![level]);
        self.arrive(pending, body.entry);
    }

    /// Puts a state on its way.
    pub fn resume(&mut self, pending: Pending) {
        let key = self.key(&pending);
        self.frontier.entry(key).or_default().push(pending);
    }

    /// Forgets everything that is on its way.
    pub fn abandon(&mut self) {
        self.frontier.clear();
        self.postponed.clear();
        self.goals.clear();
    }

    /// Is there nothing left to walk before the stop rule?
    pub fn is_done(&self) -> bool {
        self.frontier.is_empty()
    }

    fn body(&self, procedure: ProcedureId) -> &'p Graph {
        let program: &'p Program = self.program;
        program.procedures[procedure].body.as_ref().expect("only procedures with a body are entered")
    }

    /// The order of a procedure.
    pub fn order(&mut self, procedure: ProcedureId) -> Rc<Order> {
        if let Some(order) = self.orders.get(&procedure) {
            return order.clone();
        }
        let order = Rc::new(Order::of(self.body(procedure)));
        self.orders.insert(procedure, order.clone());
        order
    }

    fn key(&mut self, pending: &Pending) -> Key {
        let mut key = Vec::new();
        for level in pending.stack.iter() {
            // A call through a pointer may be in one of several procedures: their places are different
            // places.
            key.push(base::Id::index(level.procedure) as u32);
            let order = self.order(level.procedure);
            for (head, round) in order.loops(level.node).iter().zip(&level.rounds) {
                key.extend([order.position(*head), *round]);
            }
            key.push(order.position(level.node));
            if let Some(call) = level.call {
                key.push(base::Id::index(call) as u32);
            }
        }
        if matches!(self.stop, StopRule::Heads(_)) {
            key.push(pending.depth);
        }
        key
    }

    /// Takes all edges from the first place on the way. Says whether there was one.
    pub fn advance(&mut self) -> bool {
        let Some((_, group)) = self.frontier.pop_first() else { return false };
        let pending = self.merge(group);
        self.take_edges(pending);
        true
    }

    /// Collects what a step tells. Says whether control can go on.
    fn record(&mut self, pending: &mut Pending, effect: &Effect, is_modelled: bool) -> bool {
        for input in &effect.inputs {
            let mut input = input.clone();
            if let Some(called) = self.called_model(&pending.stack) {
                // Descriptions write their variables before they read them: no run asks for this.
                if input.is_indeterminate {
                    continue;
                }
                input.name = self.program.procedures[called].name.clone();
            }
            self.inputs.push(PathInput { guard: pending.guard, input, is_modelled });
        }
        let mut goes_on = true;
        let (passed, others): (Vec<&Failure>, Vec<&Failure>) =
            effect.failures.iter().partition(|failure| is_passed(self.property, failure.kind));
        for failure in others.into_iter().filter(|failure| !is_ignored(self.property.checks, failure.kind)) {
            let condition = self.encoder.terms.and(pending.guard, failure.condition);
            if self.encoder.terms.truth(condition) == Some(false) {
                continue;
            }
            let kind = GoalKind::Failure(failure.kind, failure.detail.clone());
            self.add_goal(pending, condition, kind, failure.span);
            let is_certain = self.encoder.terms.truth(failure.condition) == Some(true);
            goes_on &= !is_certain || failure.kind.goes_on();
        }
        // What else the step does wrong counts: it may be the first of the two.
        for failure in passed {
            let not = self.encoder.terms.not(failure.condition);
            match self.narrowed(pending.guard, not) {
                Some(guard) => pending.guard = guard,
                None => goes_on = false,
            }
        }
        goes_on
    }

    fn error(&mut self, pending: &Pending, what: &str, span: Span) {
        let kind = GoalKind::Error(what.into());
        self.add_goal(pending, pending.guard, kind, span);
    }

    /// What happens inside a library function is told where the user's code calls it.
    fn add_goal(&mut self, pending: &Pending, condition: TermId, kind: GoalKind, span: Span) {
        let span = users_place(self.program, &pending.stack, span);
        self.goals.push(Goal { condition, kind, span, depth: pending.depth });
    }

    fn is_in_model(&self, stack: &[Level]) -> bool {
        stack.iter().any(|level| {
            let procedure = &self.program.procedures[level.procedure];
            procedure.has_direct_meaning() && !procedure.known.is_some_and(program::Known::reads_outside)
        })
    }

    /// The library function in whose model control is, as the user's code calls it: runs take inputs under
    /// its name.
    fn called_model(&self, stack: &[Level]) -> Option<ProcedureId> {
        let is_model = |level: &&Level| self.program.procedures[level.procedure].origin == Origin::Model;
        stack.iter().rev().take_while(is_model).last().map(|level| level.procedure)
    }

    fn take_edges(&mut self, pending: Pending) {
        let level = pending.stack.last().expect("control is in a procedure").clone();
        let body = self.body(level.procedure);
        let labels = &body.nodes[level.node].labels;
        if let Some(label) =
            labels.iter().find(|label| self.property.labels.iter().any(|wanted| **wanted == ***label))
        {
            let span = body.nodes[level.node].span;
            self.error(&pending, &format!("label `{label}`"), span);
            return;
        }
        let out = body.nodes[level.node].out.clone();
        let count = out.len();
        let mut pending = Some(pending);
        for (at, edge_id) in out.into_iter().enumerate() {
            self.steps += 1;
            let own = if at + 1 == count { pending.take() } else { pending.clone() };
            let own = own.expect("one state per edge");
            self.take_edge(own, &level, edge_id, &body.edges[edge_id]);
        }
    }

    /// Tells the encoder which calls are active, where it cares.
    fn set_context(&mut self, stack: &[Level]) {
        self.encoder.set_context(stack.iter().filter_map(|level| Some((level.procedure, level.call?))));
    }

    fn take_edge(&mut self, mut pending: Pending, level: &Level, edge_id: EdgeId, edge: &'p Edge) {
        self.set_context(&pending.stack);
        match &edge.action {
            Action::Call { result, callee, arguments } => {
                let targets = self.call_targets(&mut pending, level, edge_id, callee, edge.span);
                let (values, effect) = self.encoder.arguments(&mut pending.state, arguments, edge.span);
                let is_modelled = self.is_in_model(&pending.stack);
                if !self.record(&mut pending, &effect, is_modelled) {
                    return;
                }
                for (condition, procedure) in targets {
                    let Some(guard) = self.narrowed(pending.guard, condition) else { continue };
                    let own = Pending { guard, ..pending.clone() };
                    self.call(own, procedure, (&values, arguments), result.as_ref(), edge_id, edge);
                }
            }
            Action::Return { value } => self.return_from(pending, value.as_ref(), edge_id, edge),
            action => {
                let effect = self.encoder.step(&mut pending.state, action, edge.span);
                let is_modelled = self.is_in_model(&pending.stack);
                if !self.record(&mut pending, &effect, is_modelled) {
                    return;
                }
                if let Some(condition) = effect.condition {
                    let Some(guard) = self.narrowed(pending.guard, condition) else { return };
                    pending.guard = guard;
                }
                self.arrive(pending, edge.to);
            }
        }
    }

    /// Control comes to a node of the innermost procedure.
    fn arrive(&mut self, mut pending: Pending, to: NodeId) {
        if self.ends_at == Some(to) && pending.stack.len() == 1 {
            self.arrived.push(pending);
            return;
        }
        let is_back = self.set_node(&mut pending, to);
        let level = pending.stack.last().expect("control is in a procedure");
        let procedure = level.procedure;
        let order = self.orders[&procedure].clone();
        if !order.is_head(to) {
            self.resume(pending);
            return;
        }
        match self.stop {
            StopRule::Rounds(most) => {
                if is_back && self.is_standing_still(&pending) {
                    // No end, but who asks whether blocks are lost cannot wait for one.
                    let span = self.body(procedure).nodes[to].span;
                    self.end_of_run(pending, calls::End::Never, span);
                    return;
                }
                if level.rounds.last().copied().unwrap_or(0) > most {
                    self.postponed.push(pending);
                } else if is_back && self.encoder.terms.truth(pending.guard).is_none() {
                    self.new_rounds.push(pending);
                } else {
                    self.resume(pending);
                }
            }
            StopRule::Heads(most) => {
                pending.depth += 1;
                if pending.depth > most {
                    self.postponed.push(pending);
                } else if self.assume_invariant(&mut pending) {
                    self.resume(pending);
                }
            }
        }
    }

    /// Narrows to the states that satisfy what is known at this head. Says whether there are any.
    fn assume_invariant(&mut self, pending: &mut Pending) -> bool {
        let Some(invariant) = self.invariants.get(&place_of(&pending.stack)).cloned() else { return true };
        let condition = instantiated(&mut self.encoder, &invariant, &mut pending.state);
        match self.narrowed(pending.guard, condition) {
            Some(guard) => {
                pending.guard = guard;
                true
            }
            None => false,
        }
    }

    /// Did a round of a loop change nothing at all? Then no later round will.
    fn is_standing_still(&mut self, pending: &Pending) -> bool {
        let mut key = self.key(pending);
        // Without the round of the innermost loop.
        let round_at = key.len() - 2;
        key[round_at] = 0;
        let same = self.last_at_head.get(&key).is_some_and(|(guard, state)| {
            *guard == pending.guard
                && state.globals == pending.state.globals
                && state.frames == pending.state.frames
                && state.regions.iter().eq(pending.state.regions.iter())
                && state.unwritten.iter().eq(pending.state.unwritten.iter())
                && state.addresses == pending.state.addresses
                && state.extents == pending.state.extents
        });
        if !same {
            self.last_at_head.insert(key, (pending.guard, pending.state.clone()));
        }
        same
    }

    /// Moves the innermost level to a node. Says whether that starts a new round of a loop.
    fn set_node(&mut self, pending: &mut Pending, to: NodeId) -> bool {
        let stack = Rc::make_mut(&mut pending.stack);
        let level = stack.last_mut().expect("control is in a procedure");
        let procedure = level.procedure;
        let (from, mut rounds) = (level.node, std::mem::take(&mut level.rounds));
        let order = match self.orders.get(&procedure) {
            Some(order) => order.clone(),
            None => self.order(procedure),
        };
        let (before, after) = (order.loops(from), order.loops(to));
        let shared = before.iter().zip(after).take_while(|(one, two)| one == two).count();
        let is_back = order.is_head(to) && before.contains(&to) && !rounds.is_empty();
        rounds.truncate(shared);
        rounds.resize(after.len(), 0);
        if is_back && let Some(last) = rounds.last_mut() {
            *last += 1;
        }
        let stack = Rc::make_mut(&mut pending.stack);
        let level = stack.last_mut().expect("control is in a procedure");
        level.node = to;
        level.rounds = rounds;
        is_back
    }
}

/// Does the failure end a run without breaking anything? Only if all that the interpreter may report it as does.
fn is_passed(property: &Property, kind: FailureKind) -> bool {
    use Check::{Bounds, Division, DoubleFree, Pointer, Shift, SignedOverflow, Uninitialised, UseAfterFree};
    let reported_as: &[Check] = match kind {
        FailureKind::InvalidAccess => &[Bounds, Pointer, UseAfterFree],
        FailureKind::IndexOutOfBounds => &[Bounds],
        FailureKind::ReadOnlyWrite | FailureKind::BadCall | FailureKind::Overlap => &[Pointer],
        FailureKind::DivisionByZero | FailureKind::DivisionOverflow => &[Division],
        FailureKind::InvalidFree => &[DoubleFree],
        FailureKind::Unreachable => &[Check::Unreachable],
        FailureKind::SignedOverflow => &[SignedOverflow],
        FailureKind::BadShift => &[Shift],
        FailureKind::Uninitialised => &[Uninitialised],
        // Undefined as well, and no check of its own.
        FailureKind::BadArgument
        | FailureKind::PointerLeft
        | FailureKind::Misaligned
        | FailureKind::InvalidBool => return property.endless_runs,
        _ => return false,
    };
    property.passed.have_all(reported_as)
}

/// Is the failure of no interest: one that does not end a run, and that nobody asked about?
fn is_ignored(checks: Checks, kind: FailureKind) -> bool {
    match kind {
        FailureKind::SignedOverflow => !checks.has(Check::SignedOverflow),
        FailureKind::BadShift => !checks.has(Check::Shift),
        FailureKind::Uninitialised => !checks.has(Check::Uninitialised),
        _ => false,
    }
}
