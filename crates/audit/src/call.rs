//! Calls: whom they reach, what a known function does, and coming back.

use crate::walk::{AtHeads, Ending, GuardedState, Walker};
use logic::TermId;
use program::{Action, Callee, Edge, EdgeId, Expr, Known, Origin, Place, ProcedureId};
use question::Missing;
use symbolic::{LibraryCall, Value};
use verdict::{Reason, Shape};

impl<'p> Walker<'p, '_> {
    /// Unknown values for the parameters of `main`.
    pub(crate) fn unknown_arguments(&mut self, procedure: ProcedureId) -> Vec<Value> {
        let program = self.program;
        let parameters = &program.procedures[procedure].parameters;
        parameters
            .iter()
            .map(|&parameter| {
                let variable = &program.variables[parameter];
                if program.types.is_scalar(variable.ty.id) {
                    let width = self.encoder.width(variable.ty.id);
                    Value::Scalar(self.encoder.terms.fresh_bits(&variable.name, width))
                } else {
                    Value::Nothing
                }
            })
            .collect()
    }

    /// The ways that come back from a call, in the caller after it.
    pub(crate) fn call(
        &mut self,
        caller: ProcedureId,
        edge_id: EdgeId,
        edge: &'p Edge,
        mut way: GuardedState,
        (callee, arguments, result): (&'p Callee, &'p [Expr], Option<&'p Place>),
    ) -> Result<Vec<GuardedState>, Reason> {
        let targets = self.targets(caller, edge_id, edge, &mut way, callee);
        let (values, effect) = self.encoder.arguments(&mut way.state, arguments, edge.span);
        if !self.record(&mut way, &effect) {
            return Ok(Vec::new());
        }
        let mut back = Vec::new();
        for (condition, procedure) in targets {
            let Some(guard) = self.narrowed(way.guard, condition) else { continue };
            let way = GuardedState { guard, ..way.clone() };
            back.extend(self.call_one(
                (caller, edge_id),
                edge,
                way,
                procedure,
                (&values, arguments, result),
            )?);
        }
        Ok(back)
    }

    /// The procedures a call may reach, with the condition of each. That it reaches none of them is a goal.
    fn targets(
        &mut self,
        caller: ProcedureId,
        edge_id: EdgeId,
        edge: &Edge,
        way: &mut GuardedState,
        callee: &Callee,
    ) -> Vec<(TermId, ProcedureId)> {
        let pointer = match callee {
            Callee::Direct(procedure) => return vec![(self.encoder.terms.yes(), *procedure)],
            Callee::Indirect(pointer) => pointer,
        };
        self.encoder.begin(edge.span);
        let address = self.encoder.scalar(&mut way.state, pointer);
        let effect = self.encoder.take_effect();
        self.record(way, &effect);
        let meaning = self.encoder.meaning;
        let mut targets = Vec::new();
        for &procedure in meaning.points_to.targets(caller, edge_id) {
            let entry = meaning.layout.address(meaning.procedure_object(procedure));
            let entry = self.encoder.terms.number(meaning.layout.width, entry);
            targets.push((self.encoder.terms.equal(address, entry), procedure));
        }
        let conditions: Vec<TermId> = targets.iter().map(|(condition, _)| *condition).collect();
        let any = self.encoder.terms.any(&conditions);
        let none = self.encoder.terms.not(any);
        let condition = self.encoder.terms.and(way.guard, none);
        if self.encoder.terms.truth(condition) != Some(false) {
            let what = "a call through an invalid function pointer".to_owned();
            self.add_goal(condition, what, edge.span, way.heads, false);
        }
        targets
    }

    fn call_one(
        &mut self,
        site: (ProcedureId, EdgeId),
        edge: &'p Edge,
        mut way: GuardedState,
        procedure: ProcedureId,
        (values, arguments, result): (&[Value], &'p [Expr], Option<&'p Place>),
    ) -> Result<Vec<GuardedState>, Reason> {
        let callee = &self.program.procedures[procedure];
        if self.claim.property.forbids(callee) {
            let what = format!("`{}` is called", callee.name);
            self.add_goal(way.guard, what, edge.span, way.heads, false);
            return Ok(Vec::new());
        }
        // A marker's body runs; without one the name is all there is.
        let known = callee
            .known
            .filter(|known| callee.origin != Origin::User && (!known.is_marker() || callee.body.is_none()));
        if let Some(known) = known {
            let state = &mut way.state;
            match self.encoder.library_call(state, known, values, arguments, result, site, edge.span) {
                LibraryCall::Returned(effect) => {
                    if !self.record(&mut way, &effect) {
                        return Ok(Vec::new());
                    }
                    if let Some(condition) = effect.condition {
                        let Some(guard) = self.narrowed(way.guard, condition) else { return Ok(Vec::new()) };
                        way.guard = guard;
                    }
                    return Ok(vec![way]);
                }
                LibraryCall::Ended(effect) => {
                    self.record(&mut way, &effect);
                    if !matches!(known, Known::Unreachable) {
                        let is_exit = matches!(known, Known::Exit | Known::ExitNow);
                        let ending = if is_exit { Ending::Exit } else { Ending::Abort };
                        self.end_of_run(way, edge.span, ending);
                    }
                    return Ok(Vec::new());
                }
                LibraryCall::Error(_) => {
                    self.end_of_run(way, edge.span, Ending::Abort);
                    return Ok(Vec::new());
                }
                LibraryCall::NotHere => {}
            }
        }
        let Some(body) = &callee.body else { return Ok(self.call_missing(procedure, edge, way, result)) };
        if self.promises.is_some_and(|promises| promises.effects(procedure).is_some()) {
            return self.call_by_contract(way, procedure, values, (edge, result));
        }
        let active = self.calls.iter().map(|(caller, _)| *caller).chain([site.0]);
        let depth = active.filter(|&active| active == procedure).count() as u32;
        match self.at_heads {
            AtHeads::Unroll(most) if depth > 0 => {
                if !self.is_possible(&way)? {
                    return Ok(Vec::new());
                }
                if depth > most.max(1) {
                    let what = format!("`{}` calls itself more than {most} times", callee.name);
                    self.add_goal(way.guard, what, edge.span, way.heads, true);
                    return Ok(Vec::new());
                }
            }
            AtHeads::Stop(_) if depth > 0 => {
                return Err(Shape::Recursion { function: callee.name.to_string() }.into());
            }
            _ => {}
        }
        self.calls.push(site);
        self.set_context();
        let effect = self.encoder.enter(&mut way.state, procedure, values, edge.span);
        let ends = if self.record(&mut way, &effect) {
            self.within(procedure, body.entry, way, false)?
        } else {
            Vec::new()
        };
        self.calls.pop();
        self.set_context();
        let mut back = Vec::new();
        for (mut way, value) in ends {
            if self.come_back(&mut way, value, edge) {
                back.push(way);
            }
        }
        Ok(back)
    }

    /// Back in the caller. Says whether control can go on.
    pub(crate) fn come_back(&mut self, way: &mut GuardedState, value: Value, edge: &'p Edge) -> bool {
        let Action::Call { result, .. } = &edge.action else { unreachable!("a call was made by a call") };
        let effect = self.encoder.leave(&mut way.state, value, result.as_ref(), edge.span);
        self.record(way, &effect)
    }

    fn call_missing(
        &mut self,
        procedure: ProcedureId,
        edge: &'p Edge,
        mut way: GuardedState,
        result: Option<&'p Place>,
    ) -> Vec<GuardedState> {
        let callee = &self.program.procedures[procedure];
        if self.claim.missing == Missing::Stop || callee.known.is_some() {
            let what = format!("`{}` has no body", callee.name);
            self.add_goal(way.guard, what, edge.span, way.heads, true);
            return Vec::new();
        }
        if self.claim.missing == Missing::AnyEffect {
            if let Some(called) = self.encoder.called_back() {
                let what = format!("`{}` may call `{}`", callee.name, self.program.procedures[called].name);
                self.add_goal(way.guard, what, edge.span, way.heads, true);
                return Vec::new();
            }
            self.encoder.forget_visible(&mut way.state);
        }
        if let Some(result) = result {
            let source = program::HavocSource::Input(callee.name.clone());
            let action = Action::Havoc { target: result.clone(), source };
            let effect = self.encoder.step(&mut way.state, &action, edge.span);
            if !self.record(&mut way, &effect) {
                return Vec::new();
            }
        }
        vec![way]
    }
}
