//! Calls that end a block: a procedure that is kept apart is not walked into. Control stops before the call;
//! from there it is put on its way again past the call, with anything that the procedure may have left
//! behind, or into the procedure, along one run.

use super::{Explorer, Level, Pending, place_of};
use logic::TermId;
use program::{Action, Edge, EdgeId, Place, ProcedureId, VariableId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use symbolic::{State, Value};

/// What a call of a procedure may change, with everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Variables with static storage outside memory.
    pub globals: BTreeSet<VariableId>,
    /// Is memory among it?
    pub memory: bool,
}

/// Control before a call of a procedure that is kept apart. The innermost level says which step calls.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// Control there.
    pub pending: Pending,
    /// Who is called.
    pub callee: ProcedureId,
}

/// Control at the end of a procedure that is kept apart.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The step that returns.
    pub edge: EdgeId,
    /// The condition under which it does.
    pub guard: TermId,
    /// The state, with the call still active.
    pub state: State,
    /// What is returned.
    pub value: Value,
}

/// A call that was passed.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The state at the beginning of the call, with no other call active.
    pub entering: State,
    /// The state at its end, likewise.
    pub leaving: State,
    /// What it returned, if that is a scalar.
    pub result: Option<TermId>,
}

/// The procedures that are kept apart, and what was met of them.
#[derive(Debug, Default)]
pub struct Boundary {
    /// The procedures, with what calls of them may change.
    pub kept: FxHashMap<ProcedureId, Changes>,
    /// Calls that were come to.
    pub ahead: Vec<Ahead>,
    /// Ends that were come to.
    pub exits: Vec<Exit>,
    /// The call that was passed.
    pub passed: Option<Passed>,
    passing: Option<(ProcedureId, usize)>,
}

impl Boundary {
    /// These procedures are kept apart.
    pub fn around(kept: FxHashMap<ProcedureId, Changes>) -> Boundary {
        Boundary { kept, ..Boundary::default() }
    }
}

impl<'p> Explorer<'p, '_> {
    /// Is the procedure kept apart?
    pub(super) fn is_kept(&self, procedure: ProcedureId) -> bool {
        self.boundary.as_ref().is_some_and(|boundary| boundary.kept.contains_key(&procedure))
    }

    /// Is another target of the same call being passed?
    pub(super) fn is_passing_other(&self, procedure: ProcedureId) -> bool {
        let passing = self.boundary.as_ref().and_then(|boundary| boundary.passing);
        passing.is_some_and(|(other, _)| other != procedure)
    }

    /// A call of a procedure that is kept apart: the walk ends before it, unless it is the call to be passed.
    pub(super) fn call_at_boundary(
        &mut self,
        mut pending: Pending,
        procedure: ProcedureId,
        values: &[Value],
        result: Option<&'p Place>,
        (edge_id, edge): (EdgeId, &'p Edge),
    ) {
        let boundary = self.boundary.as_mut().expect("a procedure is kept apart");
        let Some((_, goals)) = boundary.passing.take() else {
            let stack = Rc::make_mut(&mut pending.stack);
            stack.last_mut().expect("control is in a procedure").call = Some(edge_id);
            boundary.ahead.push(Ahead { pending, callee: procedure });
            return;
        };
        let changes = boundary.kept[&procedure].clone();
        // Whether the arguments can be evaluated was asked on the way to the call.
        self.goals.truncate(goals);
        let effect = self.encoder.enter(&mut pending.state, procedure, values, edge.span);
        if !self.record(&mut pending, &effect, false) {
            return;
        }
        let alone = |state: &State| {
            let mut state = state.clone();
            state.frames = state.frames.split_off(state.frames.len() - 1);
            state
        };
        let entering = alone(&pending.state);
        let result_type = self.program.result_type(procedure).id;
        let returned = self.program.types.is_scalar(result_type).then(|| {
            let width = self.encoder.width(result_type);
            self.encoder.terms.fresh_bits("returned", width)
        });
        self.encoder.forget_globals(&mut pending.state, &changes.globals);
        if changes.memory {
            self.encoder.forget_memory(&mut pending.state);
        }
        let leaving = alone(&pending.state);
        let boundary = self.boundary.as_mut().expect("a procedure is kept apart");
        boundary.passed = Some(Passed { entering, leaving, result: returned });
        let value = returned.map_or(Value::Nothing, Value::Scalar);
        let effect = self.encoder.leave(&mut pending.state, value, result, edge.span);
        if self.record(&mut pending, &effect, false) {
            self.arrive(pending, edge.to);
        }
    }

    /// Puts a state before a call on its way past it.
    ///
    /// # Panics
    /// When control is not before a call of a procedure that is kept apart.
    pub fn pass(&mut self, ahead: &Ahead) {
        let mut pending = ahead.pending.clone();
        let stack = Rc::make_mut(&mut pending.stack);
        let level = stack.last_mut().expect("control is in a procedure");
        let edge_id = level.call.take().expect("control is before a call");
        let level = level.clone();
        let edge = &self.body(level.procedure).edges[edge_id];
        let goals = self.goals.len();
        let boundary = self.boundary.as_mut().expect("a procedure is kept apart");
        boundary.passing = Some((ahead.callee, goals));
        boundary.passed = None;
        self.take_edge(pending, &level, edge_id, edge);
        self.boundary.as_mut().expect("a procedure is kept apart").passing = None;
    }

    /// The state at the beginning of the call that is ahead, with no other call active; `None` if the call
    /// cannot be made.
    ///
    /// # Panics
    /// When control is not before a call.
    pub fn entered(&mut self, ahead: &Ahead) -> Option<Pending> {
        let mut pending = ahead.pending.clone();
        let level = pending.stack.last().expect("control is in a procedure").clone();
        let edge_id = level.call.expect("control is before a call");
        let edge = &self.body(level.procedure).edges[edge_id];
        let Action::Call { arguments, .. } = &edge.action else { unreachable!("a call was made by a call") };
        let goals = self.goals.len();
        self.set_context(&pending.stack[..pending.stack.len() - 1]);
        let (values, _) = self.encoder.arguments(&mut pending.state, arguments, edge.span);
        // Its own frame has the objects that it has wherever it is called from.
        self.set_context(&[]);
        let effect = self.encoder.enter(&mut pending.state, ahead.callee, &values, edge.span);
        let is_possible = self.record(&mut pending, &effect, false);
        self.goals.truncate(goals);
        let entry = self.body(ahead.callee).entry;
        let own = pending.state.frames.pop().expect("a call was entered");
        pending.state.frames = vec![own];
        let level = Level { procedure: ahead.callee, node: entry, rounds: Vec::new(), call: None };
        pending.stack = Rc::new(vec![level]);
        self.set_node(&mut pending, entry);
        is_possible.then_some(pending)
    }

    /// Goes on after the call that was ahead, from the end of the procedure.
    ///
    /// # Panics
    /// When control was not before a call.
    pub fn come_back(&mut self, ahead: &Ahead, exit: Exit) {
        let mut pending = ahead.pending.clone();
        let stack = Rc::make_mut(&mut pending.stack);
        let level = stack.last_mut().expect("control is in a procedure");
        let edge_id = level.call.take().expect("control is before a call");
        let edge = &self.body(level.procedure).edges[edge_id];
        let Action::Call { result, .. } = &edge.action else { unreachable!("a call was made by a call") };
        let mut state = exit.state;
        let own = state.frames.pop().expect("the call is active");
        state.frames = pending.state.frames.clone();
        state.frames.push(own);
        pending.state = state;
        pending.guard = exit.guard;
        self.set_context(&pending.stack);
        let effect = self.encoder.leave(&mut pending.state, exit.value, result.as_ref(), edge.span);
        if self.record(&mut pending, &effect, false) {
            self.arrive(pending, edge.to);
        }
    }

    /// One state for all that came to the same place.
    pub fn merged_arrivals(&mut self) -> (Vec<Pending>, Vec<Ahead>) {
        let mut heads: Vec<Vec<Pending>> = Vec::new();
        for pending in std::mem::take(&mut self.postponed) {
            let place = place_of(&pending.stack);
            match heads.iter_mut().find(|group| place_of(&group[0].stack) == place) {
                Some(group) => group.push(pending),
                None => heads.push(vec![pending]),
            }
        }
        let heads = heads.into_iter().map(|group| self.merge(group)).collect();
        let mut calls: Vec<(ProcedureId, Vec<Pending>)> = Vec::new();
        let boundary = self.boundary.as_mut().expect("a procedure is kept apart");
        for ahead in std::mem::take(&mut boundary.ahead) {
            let place = place_of(&ahead.pending.stack);
            let same = |(callee, group): &&mut (ProcedureId, Vec<Pending>)| {
                *callee == ahead.callee && place_of(&group[0].stack) == place
            };
            match calls.iter_mut().find(same) {
                Some((_, group)) => group.push(ahead.pending),
                None => calls.push((ahead.callee, vec![ahead.pending])),
            }
        }
        let calls =
            calls.into_iter().map(|(callee, group)| Ahead { pending: self.merge(group), callee }).collect();
        (heads, calls)
    }

    /// Notes the end of a procedure that is kept apart.
    pub(super) fn exit_at_boundary(&mut self, pending: Pending, value: Value, edge_id: EdgeId) {
        let boundary = self.boundary.as_mut().expect("a procedure is kept apart");
        boundary.exits.push(Exit { edge: edge_id, guard: pending.guard, state: pending.state, value });
    }
}
