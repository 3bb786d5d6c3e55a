//! The symbolic walk: the program is unrolled in order, paths that meet are merged, so that a block without loops costs as
//! many steps as it has edges. What must not happen, and what can go wrong, is collected as goals for a solver.
//!
//! A guard is a Boolean symbol that is defined by a fact. Guards of two sides of a branch remember it, so that the guard
//! where they meet again is the one before the branch.

use crate::checks::Check;
use crate::order::Order;
use crate::property::{Missing, Property};
use base::Span;
use logic::{Sort, TermId};
use program::{Action, Callee, Edge, EdgeId, Graph, Known, NodeId, Origin, Place, ProcedureId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use symbolic::{Effect, Encoder, FailureKind, Input, LibraryCall, State, Value};

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
    /// Where.
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
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub struct Goal {
    /// When it happens.
    pub condition: TermId,
    /// What it is.
    pub kind: GoalKind,
    /// Where.
    pub span: Span,
    /// Heads of loops passed before it.
    pub depth: u32,
}

/// An input on some path.
#[derive(Clone, Debug)]
pub struct TakenInput {
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
    pub inputs: Vec<TakenInput>,
    /// States that start another round of a loop under a condition: the engine decides whether that is possible, and
    /// [`resume`](Self::resume)s them.
    pub new_rounds: Vec<Pending>,
    /// What is known at heads of loops, for [`StopRule::Heads`].
    pub invariants: FxHashMap<PlaceKey, Invariant>,
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
            siblings: FxHashMap::default(),
            last_at_head: FxHashMap::default(),
            steps: 0,
        }
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

    /// One state for all that meet at a place.
    fn merge(&mut self, mut group: Vec<Pending>) -> Pending {
        while group.len() > 1 {
            let pair = self.find_siblings(&group);
            let (one, two) = pair.unwrap_or((0, 1));
            let second = group.remove(two.max(one));
            let first = group.remove(two.min(one));
            group.push(self.merge_two(first, second));
        }
        group.pop().expect("a place on the way has a state")
    }

    fn find_siblings(&mut self, group: &[Pending]) -> Option<(usize, usize)> {
        for (at, one) in group.iter().enumerate() {
            let Some(&(parent, condition)) = self.siblings.get(&one.guard) else { continue };
            let opposite = self.encoder.terms.not(condition);
            for (other_at, other) in group.iter().enumerate().skip(at + 1) {
                if self.siblings.get(&other.guard) == Some(&(parent, opposite)) {
                    return Some((at, other_at));
                }
            }
        }
        None
    }

    fn merge_two(&mut self, one: Pending, two: Pending) -> Pending {
        let terms = &mut self.encoder.terms;
        if one.guard == two.guard {
            // Both are possible under the same condition: which it is, is open.
            let choice = terms.fresh("choice", Sort::Bool);
            let state = one.state.merged(terms, choice, &two.state);
            return Pending { guard: one.guard, state, stack: one.stack, depth: one.depth.max(two.depth) };
        }
        let depth = one.depth.max(two.depth);
        if let (Some(&(parent, condition)), Some(&(other, opposite))) =
            (self.siblings.get(&one.guard), self.siblings.get(&two.guard))
            && parent == other
            && terms.not(condition) == opposite
        {
            let state = one.state.merged(terms, condition, &two.state);
            return Pending { guard: parent, state, stack: one.stack, depth };
        }
        let state = one.state.merged(terms, one.guard, &two.state);
        let either = terms.or(one.guard, two.guard);
        let guard = self.define("meet", either);
        Pending { guard, state, stack: one.stack, depth }
    }

    /// A symbol that equals the condition; constants stay.
    fn define(&mut self, hint: &str, condition: TermId) -> TermId {
        let terms = &mut self.encoder.terms;
        if terms.truth(condition).is_some() || terms.pool.symbol_name(condition).is_some() {
            return condition;
        }
        let symbol = terms.fresh(hint, Sort::Bool);
        let definition = terms.pool.equal(symbol, condition);
        self.encoder.facts.push(definition);
        symbol
    }

    /// The guard of a side of a branch.
    fn narrowed(&mut self, guard: TermId, condition: TermId) -> Option<TermId> {
        let terms = &mut self.encoder.terms;
        match terms.truth(condition) {
            Some(true) => return Some(guard),
            Some(false) => return None,
            None => {}
        }
        let both = terms.and(guard, condition);
        if terms.truth(both) == Some(false) {
            return None;
        }
        let narrowed = self.define("path", both);
        self.siblings.insert(narrowed, (guard, condition));
        Some(narrowed)
    }

    /// Collects what a step tells. Says whether control can go on.
    fn record(&mut self, pending: &mut Pending, effect: &Effect, is_modelled: bool) -> bool {
        for input in &effect.inputs {
            self.inputs.push(TakenInput { guard: pending.guard, input: input.clone(), is_modelled });
        }
        let mut goes_on = true;
        for failure in effect.failures.iter().filter(|failure| !self.property.checks.ignores(failure.kind)) {
            let condition = self.encoder.terms.and(pending.guard, failure.condition);
            if self.encoder.terms.truth(condition) == Some(false) {
                continue;
            }
            let kind = GoalKind::Failure(failure.kind, failure.detail.clone());
            self.goals.push(Goal { condition, kind, span: failure.span, depth: pending.depth });
            let is_certain = self.encoder.terms.truth(failure.condition) == Some(true);
            goes_on &= !is_certain || failure.kind.goes_on();
        }
        goes_on
    }

    fn error(&mut self, pending: &Pending, what: &str, span: Span) {
        let kind = GoalKind::Error(what.into());
        self.goals.push(Goal { condition: pending.guard, kind, span, depth: pending.depth });
    }

    fn is_in_model(&self, stack: &[Level]) -> bool {
        stack.iter().any(|level| self.program.procedures[level.procedure].is_native())
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
        if let Some(fixed) = &mut self.encoder.fixed_objects {
            fixed.context = stack.iter().filter_map(|level| level.call).collect();
        }
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
            Action::Return { value } => self.return_from(pending, value.as_ref(), edge),
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

    /// The procedures a call may reach, and when.
    fn call_targets(
        &mut self,
        pending: &mut Pending,
        level: &Level,
        edge: EdgeId,
        callee: &Callee,
        span: Span,
    ) -> Vec<(TermId, ProcedureId)> {
        let pointer = match callee {
            Callee::Direct(procedure) => return vec![(self.encoder.terms.yes(), *procedure)],
            Callee::Indirect(pointer) => pointer,
        };
        self.encoder.begin(span);
        let address = self.encoder.scalar(&mut pending.state, pointer);
        let effect = self.encoder.take_effect();
        self.record(pending, &effect, false);
        let meaning = self.encoder.meaning;
        let mut targets = Vec::new();
        let mut none = self.encoder.terms.yes();
        for &procedure in meaning.points_to.targets(level.procedure, edge) {
            let known = meaning.layout.address(meaning.procedure_object(procedure));
            let known = self.encoder.terms.number(meaning.layout.width, known);
            let is_it = self.encoder.terms.equal(address, known);
            if self.encoder.terms.truth(is_it) == Some(false) {
                continue;
            }
            let is_not = self.encoder.terms.not(is_it);
            none = self.encoder.terms.and(none, is_not);
            targets.push((is_it, procedure));
        }
        let condition = self.encoder.terms.and(pending.guard, none);
        if self.encoder.terms.truth(condition) != Some(false) {
            let kind = GoalKind::Failure(FailureKind::BadCall, None);
            self.goals.push(Goal { condition, kind, span, depth: pending.depth });
        }
        targets
    }

    fn call(
        &mut self,
        mut pending: Pending,
        procedure: ProcedureId,
        (values, arguments): (&[Value], &'p [program::Expr]),
        result: Option<&'p Place>,
        edge_id: EdgeId,
        edge: &'p Edge,
    ) {
        let callee = &self.program.procedures[procedure];
        if self.property.forbids(callee) {
            let what = format!("`{}` is called", callee.name);
            self.error(&pending, &what, edge.span);
            return;
        }
        let site = (pending.stack.last().expect("control is in a procedure").procedure, edge_id);
        // A marker's body runs; without one the name is all there is.
        let is_library = callee.known.is_some_and(|known| !known.is_marker() || callee.body.is_none())
            && callee.origin != Origin::User;
        if let (true, Some(known)) = (is_library, callee.known) {
            let called = self.encoder.library_call(
                &mut pending.state,
                known,
                values,
                arguments,
                result,
                site,
                edge.span,
            );
            match called {
                LibraryCall::Returned(effect) => {
                    if self.record(&mut pending, &effect, false) {
                        self.arrive(pending, edge.to);
                    }
                    return;
                }
                LibraryCall::Ended(effect) => {
                    self.record(&mut pending, &effect, false);
                    if matches!(known, Known::Exit | Known::ExitNow) {
                        self.end_of_run(pending, edge.span);
                    }
                    return;
                }
                // An error that the property does not ask about ends the run.
                LibraryCall::Error(_) => return,
                LibraryCall::NotHere => {}
            }
        }
        let Some(body) = &callee.body else {
            self.call_missing(pending, procedure, result, edge);
            return;
        };
        let recursion = pending.stack.iter().filter(|level| level.procedure == procedure).count() as u32;
        let mut stack = (*pending.stack).clone();
        stack.last_mut().expect("control is in a procedure").call = Some(edge_id);
        stack.push(Level { procedure, node: body.entry, rounds: Vec::new(), call: None });
        self.set_context(&stack);
        let effect = self.encoder.enter(&mut pending.state, procedure, values, edge.span);
        if !self.record(&mut pending, &effect, false) {
            return;
        }
        pending.stack = Rc::new(stack);
        match self.stop {
            StopRule::Rounds(most) if recursion > most.max(1) => {
                self.set_node(&mut pending, body.entry);
                self.postponed.push(pending);
            }
            StopRule::Heads(_) if recursion > 0 => {
                self.set_node(&mut pending, body.entry);
                self.postponed.push(pending);
            }
            _ => self.arrive(pending, body.entry),
        }
    }

    /// The program ends by itself: all that was allocated is to be freed, if that is asked.
    fn end_of_run(&mut self, mut pending: Pending, span: Span) {
        if !self.property.checks.has(Check::Leak) {
            return;
        }
        let leaks = self.encoder.has_living_block(&mut pending.state);
        let condition = self.encoder.terms.and(pending.guard, leaks);
        if self.encoder.terms.truth(condition) != Some(false) {
            let kind = GoalKind::Error(Check::Leak.words().into());
            self.goals.push(Goal { condition, kind, span, depth: pending.depth });
        }
    }

    fn call_missing(
        &mut self,
        mut pending: Pending,
        procedure: ProcedureId,
        result: Option<&'p Place>,
        edge: &'p Edge,
    ) {
        let callee = &self.program.procedures[procedure];
        if self.missing == Missing::Stop || callee.known.is_some() {
            let detail = Some(Arc::from(format!("`{}`, which has no body", callee.name)));
            let kind = GoalKind::Failure(FailureKind::Unknown, detail);
            self.goals.push(Goal { condition: pending.guard, kind, span: edge.span, depth: pending.depth });
            return;
        }
        self.encoder.notes.insert(format!("`{}` has no body: its result may be anything", callee.name));
        if let Some(result) = result {
            let source = program::HavocSource::Input(callee.name.clone());
            let action = Action::Havoc { target: result.clone(), source };
            let effect = self.encoder.step(&mut pending.state, &action, edge.span);
            if !self.record(&mut pending, &effect, false) {
                return;
            }
        }
        self.arrive(pending, edge.to);
    }

    fn return_from(&mut self, mut pending: Pending, value: Option<&'p program::Expr>, edge: &'p Edge) {
        let (value, effect) = self.encoder.returned(&mut pending.state, value, edge.span);
        if !self.record(&mut pending, &effect, false) {
            return;
        }
        if pending.stack.len() == 1 {
            self.end_of_run(pending, edge.span); // `main` returned
            return;
        }
        let mut stack = (*pending.stack).clone();
        stack.pop();
        let caller = stack.last_mut().expect("there is a caller");
        let call = caller.call.take().expect("an outer call has called");
        let call_edge = &self.body(caller.procedure).edges[call];
        let Action::Call { result, .. } = &call_edge.action else {
            unreachable!("a call was made by a call")
        };
        pending.stack = Rc::new(stack);
        let effect = self.encoder.leave(&mut pending.state, value, result.as_ref(), call_edge.span);
        if self.record(&mut pending, &effect, false) {
            self.arrive(pending, call_edge.to);
        }
    }

    /// Control comes to a node of the innermost procedure.
    fn arrive(&mut self, mut pending: Pending, to: NodeId) {
        let is_back = self.set_node(&mut pending, to);
        let level = pending.stack.last().expect("control is in a procedure");
        let order = self.orders[&level.procedure].clone();
        if !order.is_head(to) {
            self.resume(pending);
            return;
        }
        match self.stop {
            StopRule::Rounds(most) => {
                if is_back && self.is_standing_still(&pending) {
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
