//! From a place to the next heads of loops, and to the end: all ways at once. Ways that meet are merged, so a
//! block without loops costs as many steps as it has edges. Loops are either cut at their heads (induction)
//! or unrolled (unwinding); calls are walked into.

use crate::claim::Claim;
use crate::contract::Promises;
use crate::judge::Judge;
use crate::nesting::{Element, order_of};
use base::{Budget, Span};
use logic::{Answer, Sort, TermId};
use program::{Action, Edge, EdgeId, Graph, NodeId, ProcedureId, Program};
use question::Check;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use symbolic::{Effect, Encoder, Failure, FailureKind, State};
use verdict::Reason;

/// Control with what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct GuardedState {
    /// When control comes here.
    pub guard: TermId,
    /// The state then.
    pub state: State,
    /// Heads of loops that were passed.
    pub heads: u32,
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// When it happens.
    pub condition: TermId,
    /// What it is.
    pub what: String,
    /// Its kind, if it is a failure of a step of which nothing more is to be said.
    pub kind: Option<FailureKind>,
    /// Where it would fail.
    pub span: Span,
    /// Heads passed before it.
    pub heads: u32,
    /// Is it something without a meaning here, or a failure that is seen wherever it is possible? That may never be
    /// supposed away.
    pub is_unknown: bool,
    /// Does the encoding not say what happens there? Then it speaks neither for nor against the proof.
    pub is_open: bool,
}

/// A place with the calls that are active.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ControlPoint {
    /// The callers, outermost first, with the steps that called.
    pub calls: Vec<(ProcedureId, EdgeId)>,
    /// The procedure that is active.
    pub procedure: ProcedureId,
    /// Where control is in it.
    pub node: NodeId,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By the return of `main`, whose variables are gone then.
    MainReturns,
    /// By `exit`.
    Exit,
    /// By `abort`, a failed assertion or an error function.
    Abort,
    /// Not at all: a loop does nothing more.
    Never,
}

/// Control has come to the head of a loop, where the walk ends.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// Which head.
    pub point: ControlPoint,
    /// How.
    pub way: GuardedState,
}

/// What happens at heads of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtHeads {
    /// The walk ends after so many.
    Stop(u32),
    /// Another round, up to so many; more must be impossible.
    Unroll(u32),
}

/// A condition at a point, told by whoever knows the certificate.
pub(crate) trait Invariants {
    /// What holds of a state at a point.
    fn at(
        &self,
        encoder: &mut Encoder<'_>,
        point: &ControlPoint,
        state: &State,
    ) -> Result<Vec<TermId>, Reason>;
}

/// Walks a program.
pub(crate) struct Walker<'p, 'a> {
    pub encoder: Encoder<'p>,
    pub program: &'p Program,
    pub claim: Claim<'a>,
    pub at_heads: AtHeads,
    /// The invariants, for heads that are passed.
    pub invariants: Option<&'a dyn Invariants>,
    /// Contracts, for calls that are not walked into.
    pub promises: Option<&'a dyn Promises>,
    /// The states at the beginning of procedures with contracts, in which they are walked.
    pub entries: FxHashMap<ProcedureId, State>,
    /// Heads the certificate names.
    pub preferred: FxHashMap<ProcedureId, FxHashSet<NodeId>>,
    pub judge: Judge,
    pub budget: Budget,
    pub goals: Vec<Goal>,
    pub arrivals: Vec<Arrival>,
    /// Calls by contract: when they are made, of whom, and the state where the procedure begins, with no other call active.
    pub entered: Vec<(TermId, ProcedureId, State)>,
    /// Active calls.
    pub(crate) calls: Vec<(ProcedureId, EdgeId)>,
    orders: FxHashMap<ProcedureId, Rc<Vec<Element>>>,
    /// Both sides of a branch: the guard before, and the condition of this side.
    sides: FxHashMap<TermId, (TermId, TermId)>,
}

/// Ways that wait at the nodes of one procedure.
type Waiting = BTreeMap<NodeId, Vec<GuardedState>>;

/// Are two ways the same, term by term? The inputs of a round are new symbols each time, so this says that
/// they do not matter.
fn is_same(one: &GuardedState, two: &GuardedState) -> bool {
    one.guard == two.guard
        && one.state.globals == two.state.globals
        && one.state.frames == two.state.frames
        && one.state.regions.iter().eq(two.state.regions.iter())
        && one.state.unwritten.iter().eq(two.state.unwritten.iter())
        && one.state.addresses == two.state.addresses
        && one.state.extents == two.state.extents
}

/// Goals are asked about together when there are so many.
const GOALS_AT_ONCE: usize = 48;

impl<'p, 'a> Walker<'p, 'a> {
    pub(crate) fn new(encoder: Encoder<'p>, claim: Claim<'a>, judge: Judge, budget: &Budget) -> Self {
        Walker {
            program: encoder.meaning.program,
            encoder,
            claim,
            at_heads: AtHeads::Stop(0),
            invariants: None,
            promises: None,
            entries: FxHashMap::default(),
            preferred: FxHashMap::default(),
            judge,
            budget: budget.clone(),
            goals: Vec::new(),
            arrivals: Vec::new(),
            entered: Vec::new(),
            calls: Vec::new(),
            orders: FxHashMap::default(),
            sides: FxHashMap::default(),
        }
    }

    pub(crate) fn body(&self, procedure: ProcedureId) -> &'p Graph {
        let program: &'p Program = self.program;
        program.procedures[procedure].body.as_ref().expect("only procedures with a body are entered")
    }

    fn order(&mut self, procedure: ProcedureId) -> Rc<Vec<Element>> {
        let body = self.body(procedure);
        let preferred = self.preferred.get(&procedure).cloned().unwrap_or_default();
        self.orders.entry(procedure).or_insert_with(|| Rc::new(order_of(body, &preferred))).clone()
    }

    /// From the start of `main`.
    pub(crate) fn walk_from_start(&mut self, main: ProcedureId, state: State) -> Result<(), Reason> {
        let guard = self.encoder.terms.yes();
        let mut way = GuardedState { guard, state, heads: 0 };
        self.calls.clear();
        self.set_context();
        let arguments = self.unknown_arguments(main);
        let effect = self.encoder.enter(&mut way.state, main, &arguments, self.program.procedures[main].span);
        if self.record(&mut way, &effect) {
            let entry = self.body(main).entry;
            for (way, _) in self.within(main, entry, way, false)? {
                self.end_of_run(way, self.program.procedures[main].span, Ending::MainReturns);
            }
        }
        Ok(())
    }

    /// From the head of a loop, and on through the callers.
    pub(crate) fn walk_from_head(&mut self, point: &ControlPoint, way: GuardedState) -> Result<(), Reason> {
        self.calls = point.calls.clone();
        self.set_context();
        let mut ends = self.within(point.procedure, point.node, way, true)?;
        let mut outermost = point.procedure;
        while let Some((caller, call)) = self.calls.pop() {
            outermost = caller;
            self.set_context();
            let edge = &self.body(caller).edges[call];
            let mut waiting = Waiting::new();
            for (mut way, value) in ends {
                if self.come_back(&mut way, value, edge) {
                    waiting.entry(edge.to).or_default().push(way);
                }
            }
            ends = self.through(caller, waiting, None)?;
        }
        match self.entries.get(&outermost).cloned() {
            Some(entering) => self.ends_of(outermost, &entering, ends),
            None => Ok(()),
        }
    }

    /// Through a procedure from one of its nodes; gives the ways to its end with the value of each.
    pub(crate) fn within(
        &mut self,
        procedure: ProcedureId,
        node: NodeId,
        way: GuardedState,
        starts_at_head: bool,
    ) -> Result<Vec<(GuardedState, symbolic::Value)>, Reason> {
        let waiting = Waiting::from([(node, vec![way])]);
        self.through(procedure, waiting, starts_at_head.then_some(node))
    }

    fn through(
        &mut self,
        procedure: ProcedureId,
        mut waiting: Waiting,
        mut start: Option<NodeId>,
    ) -> Result<Vec<(GuardedState, symbolic::Value)>, Reason> {
        let order = self.order(procedure);
        let mut ends = Vec::new();
        self.elements(procedure, &order, &mut waiting, &mut start, &mut ends)?;
        debug_assert!(waiting.values().all(Vec::is_empty), "every way was followed");
        Ok(ends)
    }

    fn elements(
        &mut self,
        procedure: ProcedureId,
        elements: &[Element],
        waiting: &mut Waiting,
        start: &mut Option<NodeId>,
        ends: &mut Vec<(GuardedState, symbolic::Value)>,
    ) -> Result<(), Reason> {
        for element in elements {
            match element {
                Element::Place(node) => {
                    let ways = waiting.remove(node).unwrap_or_default();
                    self.leave_node(procedure, *node, ways, waiting, ends)?;
                }
                Element::Loop(head, inside) => {
                    let mut round = 0;
                    let mut before: Option<GuardedState> = None;
                    loop {
                        let ways = waiting.remove(head).unwrap_or_default();
                        let is_start = start.take_if(|node| node == head).is_some();
                        let ways = if is_start {
                            ways
                        } else {
                            self.at_head(procedure, *head, (round, &mut before), ways)?
                        };
                        self.leave_node(procedure, *head, ways, waiting, ends)?;
                        self.elements(procedure, inside, waiting, start, ends)?;
                        if waiting.get(head).is_none_or(Vec::is_empty) {
                            break;
                        }
                        round += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ways that have come to a head: those that go on from it.
    fn at_head(
        &mut self,
        procedure: ProcedureId,
        head: NodeId,
        (round, before): (u32, &mut Option<GuardedState>),
        ways: Vec<GuardedState>,
    ) -> Result<Vec<GuardedState>, Reason> {
        let point = ControlPoint { calls: self.calls.clone(), procedure, node: head };
        let span = self.body(procedure).nodes[head].span;
        let mut go_on = Vec::new();
        for mut way in self.merged(ways) {
            match self.at_heads {
                AtHeads::Unroll(most) => {
                    // A round that leads to the very same state under the very same condition: further ones
                    // do nothing else.
                    if before.as_ref().is_some_and(|before| is_same(before, &way)) {
                        self.end_of_run(way, span, Ending::Never);
                        continue;
                    }
                    *before = Some(way.clone());
                    if round > 0 && !self.is_possible(&way)? {
                        continue;
                    }
                    if round > most {
                        let what = format!("the loop goes on for more than {most} rounds");
                        self.add_goal(way.guard, what, span, way.heads, true);
                        continue;
                    }
                    go_on.push(way);
                }
                AtHeads::Stop(most) => {
                    way.heads += 1;
                    if way.heads > most {
                        self.arrivals.push(Arrival { point: point.clone(), way });
                        continue;
                    }
                    if let Some(invariants) = self.invariants {
                        let known = invariants.at(&mut self.encoder, &point, &way.state)?;
                        let known = self.encoder.terms.pool.all_of(&known);
                        let known = self.encoder.terms.simple(known);
                        let Some(guard) = self.narrowed(way.guard, known) else { continue };
                        way.guard = guard;
                    }
                    go_on.push(way);
                }
            }
        }
        Ok(go_on)
    }

    /// Can control be here at all?
    pub(crate) fn is_possible(&mut self, way: &GuardedState) -> Result<bool, Reason> {
        if let Some(truth) = self.encoder.terms.truth(way.guard) {
            return Ok(truth);
        }
        let answer = self.judge.quick(&mut self.encoder, &[way.guard], &self.budget);
        Ok(answer != Answer::Unsat)
    }

    /// One way for all that have passed the same number of heads.
    pub(crate) fn merged(&mut self, ways: Vec<GuardedState>) -> Vec<GuardedState> {
        let mut by_heads: BTreeMap<u32, Vec<GuardedState>> = BTreeMap::new();
        for way in ways {
            by_heads.entry(way.heads).or_default().push(way);
        }
        by_heads.into_values().map(|group| self.merged_group(group)).collect()
    }

    fn merged_group(&mut self, mut group: Vec<GuardedState>) -> GuardedState {
        while group.len() > 1 {
            let (one, two) = self.two_sides(&group).unwrap_or((0, 1));
            let second = group.remove(two);
            let first = group.remove(one);
            let both = self.merged_pair(first, second);
            group.push(both);
        }
        group.pop().expect("a group has a member")
    }

    /// Two ways that are the two sides of one branch.
    fn two_sides(&mut self, group: &[GuardedState]) -> Option<(usize, usize)> {
        for (one, first) in group.iter().enumerate() {
            let Some(&(before, condition)) = self.sides.get(&first.guard) else { continue };
            let opposite = self.encoder.terms.not(condition);
            let is_other = |way: &GuardedState| self.sides.get(&way.guard) == Some(&(before, opposite));
            if let Some(after) = group[one + 1..].iter().position(is_other) {
                return Some((one, one + 1 + after));
            }
        }
        None
    }

    fn merged_pair(&mut self, one: GuardedState, two: GuardedState) -> GuardedState {
        let heads = one.heads;
        let sides = (self.sides.get(&one.guard).copied(), self.sides.get(&two.guard).copied());
        if let (Some((before, condition)), Some((also, opposite))) = sides
            && before == also
            && self.encoder.terms.not(condition) == opposite
        {
            let state = one.state.merged(&mut self.encoder.terms, condition, &two.state);
            return GuardedState { guard: before, state, heads };
        }
        if one.guard == two.guard {
            let choice = self.encoder.terms.fresh("either", Sort::Bool);
            let state = one.state.merged(&mut self.encoder.terms, choice, &two.state);
            return GuardedState { guard: one.guard, state, heads };
        }
        let state = one.state.merged(&mut self.encoder.terms, one.guard, &two.state);
        let either = self.encoder.terms.or(one.guard, two.guard);
        GuardedState { guard: self.defined(either), state, heads }
    }

    /// A symbol for a guard, so that terms stay small.
    fn defined(&mut self, condition: TermId) -> TermId {
        let terms = &mut self.encoder.terms;
        if terms.truth(condition).is_some() || terms.pool.symbol_name(condition).is_some() {
            return condition;
        }
        let symbol = terms.fresh("here", Sort::Bool);
        let definition = terms.pool.equal(symbol, condition);
        self.encoder.facts.push(definition);
        symbol
    }

    pub(crate) fn narrowed(&mut self, guard: TermId, condition: TermId) -> Option<TermId> {
        match self.encoder.terms.truth(condition) {
            Some(true) => return Some(guard),
            Some(false) => return None,
            None => {}
        }
        let both = self.encoder.terms.and(guard, condition);
        if self.encoder.terms.truth(both) == Some(false) {
            return None;
        }
        let narrowed = self.defined(both);
        self.sides.insert(narrowed, (guard, condition));
        Some(narrowed)
    }

    /// Takes all steps from a node.
    fn leave_node(
        &mut self,
        procedure: ProcedureId,
        node: NodeId,
        ways: Vec<GuardedState>,
        waiting: &mut Waiting,
        ends: &mut Vec<(GuardedState, symbolic::Value)>,
    ) -> Result<(), Reason> {
        if ways.is_empty() {
            return Ok(());
        }
        self.encoder.terms.pool.check(&self.budget).map_err(|limit| Reason::solver(&limit))?;
        let body = self.body(procedure);
        for way in self.merged(ways) {
            let label = body.nodes[node]
                .labels
                .iter()
                .find(|label| self.claim.property.labels.iter().any(|wanted| **wanted == ***label));
            if let Some(label) = label {
                let what = format!("label `{label}` is reached");
                self.add_goal(way.guard, what, body.nodes[node].span, way.heads, false);
                continue;
            }
            for (edge_id, edge) in body.out(node) {
                self.take(procedure, edge_id, edge, way.clone(), waiting, ends)?;
            }
        }
        if self.goals.len() >= GOALS_AT_ONCE && matches!(self.at_heads, AtHeads::Unroll(_)) {
            self.settle_goals()?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        procedure: ProcedureId,
        edge_id: EdgeId,
        edge: &'p Edge,
        mut way: GuardedState,
        waiting: &mut Waiting,
        ends: &mut Vec<(GuardedState, symbolic::Value)>,
    ) -> Result<(), Reason> {
        self.set_context();
        match &edge.action {
            Action::Call { result, callee, arguments } => {
                let back = self.call(procedure, edge_id, edge, way, (callee, arguments, result.as_ref()))?;
                waiting.entry(edge.to).or_default().extend(back);
            }
            Action::Return { value } => {
                let (value, effect) = self.encoder.returned(&mut way.state, value.as_ref(), edge.span);
                if self.record(&mut way, &effect) {
                    ends.push((way, value));
                }
            }
            action => {
                let effect = self.encoder.step(&mut way.state, action, edge.span);
                if !self.record(&mut way, &effect) {
                    return Ok(());
                }
                if let Some(condition) = effect.condition {
                    let Some(guard) = self.narrowed(way.guard, condition) else { return Ok(()) };
                    way.guard = guard;
                }
                waiting.entry(edge.to).or_default().push(way);
            }
        }
        Ok(())
    }

    /// Collects how a step can go wrong. Says whether control can go on.
    pub(crate) fn record(&mut self, way: &mut GuardedState, effect: &Effect) -> bool {
        let mut goes_on = true;
        let claim = self.claim;
        let counts = |failure: &&Failure| !claim.ignores(failure.kind) && !claim.passes(failure.kind);
        for failure in effect.failures.iter().filter(counts) {
            let condition = self.encoder.terms.and(way.guard, failure.condition);
            if self.encoder.terms.truth(condition) == Some(false) {
                continue;
            }
            let what = failure.detail.as_deref().unwrap_or(failure.kind.words()).to_owned();
            self.add_goal(condition, what, failure.span, way.heads, failure.kind.is_of_the_encoding());
            if let Some(goal) = self.goals.last_mut() {
                goal.is_open = failure.kind == FailureKind::Unknown;
                goal.kind = failure.detail.is_none().then_some(failure.kind);
            }
            let is_certain = self.encoder.terms.truth(failure.condition) == Some(true);
            goes_on &= !is_certain || failure.kind.goes_on();
        }
        // Runs end there, but for what else the step does wrong.
        for failure in effect.failures.iter().filter(|failure| claim.passes(failure.kind)) {
            let not = self.encoder.terms.not(failure.condition);
            match self.narrowed(way.guard, not) {
                Some(guard) => way.guard = guard,
                None => goes_on = false,
            }
        }
        goes_on
    }

    pub(crate) fn add_goal(
        &mut self,
        condition: TermId,
        what: String,
        span: Span,
        heads: u32,
        is_unknown: bool,
    ) {
        // What happens inside a library function is told where the user's code calls it.
        let callers = self.calls.iter().rev().map(|&(caller, call)| self.body(caller).edges[call].span);
        let span = self.program.users_place(span, callers);
        self.goals.push(Goal { condition, what, span, heads, is_unknown, is_open: false, kind: None });
    }

    /// The program ends: all that was allocated is to be freed, or pointed to, if that is asked.
    pub(crate) fn end_of_run(&mut self, mut way: GuardedState, span: Span, ending: Ending) {
        let is_asked = |check| self.claim.property.checks.has(check);
        let must_be_freed = match ending {
            Ending::MainReturns | Ending::Exit => is_asked(Check::Leak),
            Ending::Abort => is_asked(Check::Cleanup),
            Ending::Never => false,
        };
        if must_be_freed {
            let leaks = self.encoder.has_living_block(&mut way.state);
            let condition = self.encoder.terms.and(way.guard, leaks);
            self.add_goal(condition, "an allocated block is never freed".to_owned(), span, way.heads, false);
        } else if is_asked(Check::Lost) {
            let lost = self.encoder.has_lost_block(&mut way.state, ending == Ending::MainReturns);
            let condition = self.encoder.terms.and(way.guard, lost);
            self.add_goal(
                condition,
                "nothing points to an allocated block".to_owned(),
                span,
                way.heads,
                false,
            );
        }
    }

    /// Tells the encoder which calls are active.
    pub(crate) fn set_context(&mut self) {
        self.encoder.set_context(self.calls.iter().copied());
    }

    /// None of the goals so far can happen.
    pub(crate) fn settle_goals(&mut self) -> Result<(), Reason> {
        let goals = std::mem::take(&mut self.goals);
        self.judge.exclude(&mut self.encoder, &[], &goals, &self.budget)
    }
}
