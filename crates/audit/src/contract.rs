//! Procedures by contract: a call is not walked into. What the contract requires must hold at the call; after
//! it, what the contract ensures is all that is known of what the call may change. The body is walked once,
//! from any state that the contract allows, and must end as it ensures; by induction on the depth of calls,
//! every call does.
//!
//! Who may have a contract, and what a call may change, is found out here: the certificate does not say it.

use crate::walk::{GuardedState, Walker};
use logic::TermId;
use program::{Action, Edge, Known, Place, PointsTo, ProcedureId, Program, VariableId, VariableKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use symbolic::meaning::is_in_memory;
use symbolic::{Encoder, State, Value};
use verdict::Reason;

/// What calls of a procedure may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Static variables outside memory.
    pub globals: BTreeSet<VariableId>,
    /// May it write to memory?
    pub memory: bool,
}

/// The contracts, told by whoever knows the certificate.
pub(crate) trait Promises {
    /// What calls of the procedure may change; `None` if it has no contract.
    fn effects(&self, procedure: ProcedureId) -> Option<&Effects>;

    /// What must hold of a state at the beginning of a call, with no other call active. With its text.
    fn required(
        &self,
        encoder: &mut Encoder<'_>,
        procedure: ProcedureId,
        entering: &State,
    ) -> Result<Vec<(TermId, String)>, Reason>;

    /// What holds at its end.
    fn ensured(
        &self,
        encoder: &mut Encoder<'_>,
        procedure: ProcedureId,
        entering: &State,
        end: (&State, Option<TermId>),
    ) -> Result<Vec<(TermId, String)>, Reason>;
}

/// What calls of a procedure may change, with all that is called below it; fails where a contract cannot say
/// it.
pub(crate) fn effects(
    program: &Program,
    points_to: &PointsTo,
    procedure: ProcedureId,
) -> Result<Effects, Reason> {
    let declared = &program.procedures[procedure];
    let name = &declared.name;
    if declared.body.is_none() || declared.is_native() || program.main == Some(procedure) {
        return Err(refused(format!("`{name}` cannot have a contract")));
    }
    if declared.parameters.iter().chain(&declared.locals).any(|&variable| is_in_memory(program, variable)) {
        return Err(refused(format!("`{name}` has a contract and variables in memory")));
    }
    let result = program.result_type(procedure).id;
    let is_void = matches!(program.types.get(result), program::Type::Void);
    if !is_void && !program.types.is_scalar(result) {
        return Err(refused(format!("`{name}` has a contract and returns a record")));
    }
    let mut effects = Effects::default();
    let mut seen: FxHashSet<ProcedureId> = FxHashSet::default();
    let mut open = vec![procedure];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        open.extend(points_to.callees(program, id));
        let callee = &program.procedures[id];
        if callee.body.is_none() && !callee.is_native() && program.missing_writes {
            return Err(refused(format!(
                "`{}`, which may write to memory, is called below `{name}`",
                callee.name
            )));
        }
        if callee.is_native() && callee.known.is_some_and(|known| !changes_nothing(known)) {
            return Err(refused(format!("`{}` is called below `{name}`, which has a contract", callee.name)));
        }
        for edge in callee.body.iter().flat_map(|body| &body.edges) {
            let target = match &edge.action {
                Action::Assign { target, .. } | Action::Havoc { target, .. } => Some(target),
                Action::Call { result, .. } => result.as_ref(),
                _ => None,
            };
            match target.map(|target| target.as_variable().filter(|&id| !is_in_memory(program, id))) {
                Some(Some(id)) if program.variables[id].kind == VariableKind::Global => {
                    effects.globals.insert(id);
                }
                Some(None) => effects.memory = true,
                _ => {}
            }
        }
    }
    Ok(effects)
}

fn refused(what: String) -> Reason {
    Reason::BadCertificate { what }
}

/// Ends of a run, and output of single characters and lines.
fn changes_nothing(known: Known) -> bool {
    known.changes_nothing() || known.is_marker() || matches!(known, Known::Putchar | Known::Puts)
}

/// A state with the innermost call alone.
fn alone(state: &State) -> State {
    let mut state = state.clone();
    state.frames = state.frames.split_off(state.frames.len() - 1);
    state
}

impl<'p> Walker<'p, '_> {
    /// The way past a call by contract.
    pub(crate) fn call_by_contract(
        &mut self,
        mut way: GuardedState,
        procedure: ProcedureId,
        values: &[Value],
        (edge, result): (&'p Edge, Option<&'p Place>),
    ) -> Result<Vec<GuardedState>, Reason> {
        let Some(promises) = self.promises else { return Err(refused("there are no contracts".to_owned())) };
        let Some(effects) = promises.effects(procedure).cloned() else {
            return Err(refused("there is no such contract".to_owned()));
        };
        let effect = self.encoder.enter(&mut way.state, procedure, values, edge.span);
        if !self.record(&mut way, &effect) {
            return Ok(Vec::new());
        }
        let entering = alone(&way.state);
        self.entered.push((way.guard, procedure, entering.clone()));
        let name = self.program.procedures[procedure].name.clone();
        for (condition, text) in promises.required(&mut self.encoder, procedure, &entering)? {
            let fails = self.encoder.terms.not(condition);
            let fails = self.encoder.terms.and(way.guard, fails);
            let what = format!("`{name}` is called where `{text}` does not hold");
            self.add_goal(fails, what, edge.span, way.heads, false);
        }
        let result_type = self.program.result_type(procedure).id;
        let returned = self.program.types.is_scalar(result_type).then(|| {
            let width = self.encoder.width(result_type);
            self.encoder.terms.fresh_bits("returned", width)
        });
        self.encoder.forget_globals(&mut way.state, &effects.globals);
        if effects.memory {
            self.encoder.forget_memory(&mut way.state);
        }
        let end = alone(&way.state);
        let ensured = promises.ensured(&mut self.encoder, procedure, &entering, (&end, returned))?;
        let ensured: Vec<TermId> = ensured.into_iter().map(|(condition, _)| condition).collect();
        let ensured = self.encoder.terms.pool.all_of(&ensured);
        let ensured = self.encoder.terms.simple(ensured);
        let value = returned.map_or(Value::Nothing, Value::Scalar);
        let effect = self.encoder.leave(&mut way.state, value, result, edge.span);
        if !self.record(&mut way, &effect) {
            return Ok(Vec::new());
        }
        let Some(guard) = self.narrowed(way.guard, ensured) else { return Ok(Vec::new()) };
        way.guard = guard;
        Ok(vec![way])
    }

    /// From any state that a contract allows to the end of its procedure, and to the heads of loops.
    pub(crate) fn walk_by_contract(
        &mut self,
        procedure: ProcedureId,
        entering: &State,
    ) -> Result<(), Reason> {
        self.calls.clear();
        self.set_context();
        let guard = self.encoder.terms.yes();
        let way = GuardedState { guard, state: entering.clone(), heads: 0 };
        let entry = self.body(procedure).entry;
        let ends = self.within(procedure, entry, way, false)?;
        self.ends_of(procedure, entering, ends)
    }

    /// A procedure with a contract ends: what the contract ensures is to be shown.
    pub(crate) fn ends_of(
        &mut self,
        procedure: ProcedureId,
        entering: &State,
        ends: Vec<(GuardedState, Value)>,
    ) -> Result<(), Reason> {
        let Some(promises) = self.promises else { return Err(refused("there are no contracts".to_owned())) };
        let declared = &self.program.procedures[procedure];
        let (name, span) = (declared.name.clone(), declared.span);
        for (way, value) in ends {
            let result_type = self.program.result_type(procedure).id;
            let result = self.program.types.is_scalar(result_type).then(|| match value {
                Value::Scalar(term) => term,
                _ => {
                    let width = self.encoder.width(result_type);
                    self.encoder.terms.fresh_bits("result", width)
                }
            });
            for (condition, text) in
                promises.ensured(&mut self.encoder, procedure, entering, (&way.state, result))?
            {
                let fails = self.encoder.terms.not(condition);
                let fails = self.encoder.terms.and(way.guard, fails);
                let what = format!("`{name}` may end where `{text}` does not hold");
                self.add_goal(fails, what, span, way.heads, false);
            }
        }
        Ok(())
    }
}
