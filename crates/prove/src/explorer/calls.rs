//! Calls and returns on the walk: whom a call reaches, what stands in for functions without a body, where
//! recursion is held back.

use super::{Explorer, GoalKind, Level, Pending, StopRule};
use crate::contracts::Passage;
use base::Span;
use logic::TermId;
use program::{Action, Callee, Edge, EdgeId, Known, Origin, Place, ProcedureId};
use question::Check;
use question::Missing;
use std::rc::Rc;
use std::sync::Arc;
use symbolic::{FailureKind, LibraryCall, Value};

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// `main` returns: its variables are gone.
    OfMain,
    /// `exit`: all calls are active.
    ByExit,
    /// `abort`, a failed assertion, an error function: likewise.
    ByAbort,
    /// It goes on without a change.
    Never,
}

impl<'p> Explorer<'p, '_> {
    /// The procedures a call may reach, and when.
    pub(super) fn call_targets(
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
            self.add_goal(pending, condition, kind, span);
        }
        targets
    }

    pub(super) fn call(
        &mut self,
        mut pending: Pending,
        procedure: ProcedureId,
        (values, arguments): (&[Value], &'p [program::Expr]),
        result: Option<&'p Place>,
        edge_id: EdgeId,
        edge: &'p Edge,
    ) {
        if self.is_passing_other(procedure) {
            return;
        }
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
                    if !self.record(&mut pending, &effect, false) {
                        return;
                    }
                    if let Some(condition) = effect.condition {
                        let Some(guard) = self.narrowed(pending.guard, condition) else { return };
                        pending.guard = guard;
                    }
                    self.arrive(pending, edge.to);
                    return;
                }
                LibraryCall::Ended(effect) => {
                    self.record(&mut pending, &effect, false);
                    let end = match known {
                        Known::Exit | Known::ExitNow => Some(End::ByExit),
                        Known::Abort | Known::Trap => Some(End::ByAbort),
                        _ => None,
                    };
                    if let Some(end) = end {
                        self.end_of_run(pending, end, edge.span);
                    }
                    return;
                }
                // An error that the property does not ask about ends the run.
                LibraryCall::Error(_) => {
                    self.end_of_run(pending, End::ByAbort, edge.span);
                    return;
                }
                LibraryCall::NotHere => {}
            }
        }
        let Some(body) = &callee.body else {
            self.call_missing(pending, procedure, result, edge);
            return;
        };
        if self.is_kept(procedure) {
            self.call_at_boundary(pending, procedure, values, result, (edge_id, edge));
            return;
        }
        if matches!(self.stop, StopRule::Heads(_))
            && self.contracts.as_ref().is_some_and(|contracts| contracts.has(procedure))
        {
            self.call_by_contract(pending, procedure, values, result, edge);
            return;
        }
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

    /// Notes that the procedure is entered, and goes on after the call with whatever it may have left behind.
    fn call_by_contract(
        &mut self,
        mut pending: Pending,
        procedure: ProcedureId,
        values: &[Value],
        result: Option<&'p Place>,
        edge: &'p Edge,
    ) {
        let callee = &self.program.procedures[procedure];
        let body = self.body(procedure);
        let effect = self.encoder.enter(&mut pending.state, procedure, values, edge.span);
        if !self.record(&mut pending, &effect, false) {
            return;
        }
        let mut entering = pending.clone();
        let own = entering.state.frames.pop().expect("a call was entered");
        entering.state.frames = vec![own];
        let level = Level { procedure, node: body.entry, rounds: Vec::new(), call: None };
        entering.stack = Rc::new(vec![level]);
        self.set_node(&mut entering, body.entry);
        self.postponed.push(entering);

        let parameters = callee.parameters.iter().map(|&id| pending.state.register(id)).collect();
        let result_type = self.program.result_type(procedure).id;
        let value = self.program.types.is_scalar(result_type).then(|| {
            let width = self.encoder.width(result_type);
            self.encoder.terms.fresh_bits("returned", width)
        });
        let contracts = self.contracts.as_ref().expect("this is a call by contract");
        let (written, writes_memory) = (contracts.written.clone(), contracts.writes_memory);
        self.encoder.forget_globals(&mut pending.state, &written);
        if writes_memory {
            self.encoder.forget_memory(&mut pending.state);
        }
        let globals = pending.state.globals.clone();
        let returned = value.map_or(Value::Nothing, Value::Scalar);
        let effect = self.encoder.leave(&mut pending.state, returned, result, edge.span);
        let goes_on = self.record(&mut pending, &effect, false);
        // Whether the call returns is open: what is supposed of its return must say nothing about what
        // happens before.
        let returns = self.encoder.terms.fresh("returns", logic::Sort::Bool);
        let Some(guard) = self.narrowed(pending.guard, returns) else { return };
        pending.guard = guard;
        let noted = Passage { procedure, guard: pending.guard, parameters, result: value, globals };
        self.contracts.as_mut().expect("this is a call by contract").calls.push(noted);
        if goes_on {
            self.arrive(pending, edge.to);
        }
    }

    /// The program ends, or does nothing more for ever: all that was allocated is to be freed, or to be pointed to, if that
    /// is asked.
    pub(super) fn end_of_run(&mut self, mut pending: Pending, end: End, span: Span) {
        let checks = self.property.checks;
        let is_to_be_freed = match end {
            End::OfMain | End::ByExit => checks.has(Check::Leak),
            End::ByAbort => checks.has(Check::Cleanup),
            End::Never => false,
        };
        let (check, is_left) = if is_to_be_freed {
            (Check::Leak, self.encoder.has_living_block(&mut pending.state))
        } else if checks.has(Check::Lost) {
            (Check::Lost, self.encoder.has_lost_block(&mut pending.state, end == End::OfMain))
        } else {
            return;
        };
        let condition = self.encoder.terms.and(pending.guard, is_left);
        if self.encoder.terms.truth(condition) != Some(false) {
            let kind = GoalKind::Error(check.words().into());
            self.add_goal(&pending, condition, kind, span);
        }
    }

    pub(super) fn call_missing(
        &mut self,
        mut pending: Pending,
        procedure: ProcedureId,
        result: Option<&'p Place>,
        edge: &'p Edge,
    ) {
        let callee = &self.program.procedures[procedure];
        if self.missing == Missing::Stop || callee.known.is_some() {
            self.add_goal(&pending, pending.guard, GoalKind::MissingBody(procedure), edge.span);
            return;
        }
        let has_effects = self.missing == Missing::AnyEffect;
        if has_effects && let Some(called) = self.encoder.called_back() {
            let called = &self.program.procedures[called].name;
            let detail = format!("`{}`, which has no body and may call `{called}`", callee.name);
            let kind = GoalKind::Failure(FailureKind::Unknown, Some(Arc::from(detail)));
            self.add_goal(&pending, pending.guard, kind, edge.span);
            return;
        }
        // What is supposed of functions without a body is told of the program as a whole.
        if has_effects {
            self.encoder.forget_visible(&mut pending.state);
        }
        // A compiled function returns its next value whether its caller looks or not.
        let ty = self.program.result_type(procedure).id;
        let effect = match result {
            Some(result) => {
                let source = program::HavocSource::Input(callee.name.clone());
                let action = Action::Havoc { target: result.clone(), source };
                Some(self.encoder.step(&mut pending.state, &action, edge.span))
            }
            None if self.program.types.is_scalar(ty) => {
                Some(self.encoder.unused_input(&callee.name, ty, edge.span))
            }
            None => None,
        };
        if let Some(effect) = effect
            && !self.record(&mut pending, &effect, false)
        {
            return;
        }
        self.arrive(pending, edge.to);
    }

    pub(super) fn return_from(
        &mut self,
        mut pending: Pending,
        value: Option<&'p program::Expr>,
        edge_id: EdgeId,
        edge: &'p Edge,
    ) {
        let (value, effect) = self.encoder.returned(&mut pending.state, value, edge.span);
        if !self.record(&mut pending, &effect, false) {
            return;
        }
        if let [level] = &pending.stack[..] {
            let procedure = level.procedure;
            if self.is_kept(procedure) {
                self.exit_at_boundary(pending, value, edge_id);
            } else if let Some(contracts) =
                self.contracts.as_mut().filter(|contracts| contracts.has(procedure))
            {
                let parameters = &self.program.procedures[procedure].parameters;
                let parameters = parameters.iter().map(|&id| pending.state.register(id)).collect();
                let result = match value {
                    Value::Scalar(result) => Some(result),
                    _ => None,
                };
                let globals = pending.state.globals.clone();
                contracts.exits.push(Passage {
                    procedure,
                    guard: pending.guard,
                    parameters,
                    result,
                    globals,
                });
            } else if Some(procedure) == self.program.main {
                self.end_of_run(pending, End::OfMain, edge.span);
            }
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
}
