//! What the analysis tells of a program, collected in one more walk over all that was solved: checks, outputs, what is
//! missing.
//!
//! What goes wrong inside a library function is told where the program calls it: bodies of such functions are ours, not
//! the user's.

use crate::analysis::{Analysis, ConstantCondition, ErrorCall, Finding, Output};
use crate::checks::{Check, CheckKind};
use crate::context::Context;
use crate::domain::operators::Certainty;
use crate::domain::value::Value;
use crate::evaluate::Evaluator;
use crate::solve::{InstanceId, MissingBody, NodeStates, Solver, Stop, Visited};
use crate::state::join_into;
use base::{IndexVec, Span};
use program::{Action, AssumeReason, Callee, EdgeId, Known, ProcedureId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What is collected while walking over all instances once more.
#[derive(Default)]
pub struct Record {
    nodes: IndexVec<ProcedureId, Option<NodeStates>>,
    recorded: FxHashMap<InstanceId, u32>,
    checks: BTreeMap<(ProcedureId, EdgeId, CheckKind, String), (Certainty, String)>,
    /// What was found in bodies of library functions. It is told where the program calls them.
    in_models: FxHashMap<InstanceId, Vec<Check>>,
    /// Who calls instances of library functions.
    calls_of_models: FxHashMap<InstanceId, FxHashSet<(InstanceId, EdgeId)>>,
    /// What bodies of library functions call that is not shown. It is told where the program calls them.
    missing_in_models: FxHashMap<InstanceId, Vec<MissingBody>>,
    passed: FxHashSet<(ProcedureId, EdgeId)>,
    outputs: BTreeMap<(ProcedureId, EdgeId), Vec<Option<Value>>>,
    missing: Vec<MissingBody>,
    unsupported: Vec<(String, Span)>,
}

impl Record {
    /// Nothing is collected yet.
    pub fn new(program: &Program) -> Record {
        Record { nodes: program.procedures.iter().map(|_| None).collect(), ..Record::default() }
    }

    /// Walks over instances, and over all that they call.
    pub fn record(&mut self, solver: &mut Solver<'_, '_>, roots: &[InstanceId]) -> Result<(), Stop> {
        let mut waiting = roots.to_vec();
        while let Some(id) = waiting.pop() {
            let version = solver.instances[id].version;
            if self.recorded.insert(id, version) == Some(version) {
                continue;
            }
            self.record_instance(solver, id, &mut waiting)?;
        }
        Ok(())
    }

    fn note(&mut self, procedure: ProcedureId, edge: EdgeId, check: Check) {
        let key = (procedure, edge, check.kind, check.about);
        match self.checks.entry(key) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert((check.certainty, check.detail));
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => {
                let (certainty, detail) = slot.get_mut();
                if *certainty == Certainty::Excluded {
                    *detail = check.detail;
                }
                if *certainty != check.certainty {
                    *certainty = Certainty::Possible;
                }
            }
        }
    }

    /// What was found in bodies of library functions is told where the program calls them: once per call and
    /// kind.
    pub fn blame_callers(&mut self, solver: &Solver<'_, '_>) {
        let program = solver.context.program;
        let mut found: BTreeMap<(ProcedureId, EdgeId, CheckKind), Vec<(Certainty, String)>> = BTreeMap::new();
        for (&instance, checks) in &self.in_models {
            // A call that never comes back and surely goes wrong inside goes wrong whenever it is made.
            let never_returns = solver.instances[instance].exit.is_empty();
            let trouble: FxHashSet<CheckKind> = checks
                .iter()
                .filter(|check| check.certainty != Certainty::Excluded)
                .map(|check| check.kind)
                .collect();
            let mut seen: FxHashSet<InstanceId> = FxHashSet::default();
            let mut waiting = vec![(instance, never_returns)];
            while let Some((at, never_returns)) = waiting.pop() {
                if !seen.insert(at) {
                    continue;
                }
                for &(caller, edge) in self.calls_of_models.get(&at).into_iter().flatten() {
                    let procedure = solver.instances[caller].procedure;
                    if is_model(program, procedure) {
                        waiting.push((caller, never_returns && solver.instances[caller].exit.is_empty()));
                        continue;
                    }
                    for check in checks {
                        let certainty = match check.certainty {
                            Certainty::Definite if never_returns && trouble.len() == 1 => Certainty::Definite,
                            Certainty::Definite => Certainty::Possible,
                            other => other,
                        };
                        let all = found.entry((procedure, edge, check.kind)).or_default();
                        let is_own = at == instance;
                        all.push((
                            certainty,
                            if is_own {
                                self.in_words_of(solver, instance, procedure, edge, check)
                            } else {
                                String::new()
                            },
                        ));
                    }
                }
            }
        }
        for ((procedure, edge, kind), all) in found {
            let worst = all.iter().map(|(certainty, _)| *certainty).max().unwrap_or(Certainty::Excluded);
            let body = program.procedures[procedure].body.as_ref().expect("it calls");
            let about = call_text(program, &body.edges[edge].action);
            let detail = all.into_iter().find(|(certainty, _)| *certainty == worst).map(|(_, detail)| detail);
            let detail = detail.filter(|_| worst != Certainty::Excluded).unwrap_or_default();
            self.note(procedure, edge, Check { kind, certainty: worst, about, detail });
        }
    }

    /// What bodies of library functions call that is not shown is told where the program calls them.
    pub fn tell_callers_of_missing(&mut self, solver: &Solver<'_, '_>) {
        let program = solver.context.program;
        for (instance, all) in std::mem::take(&mut self.missing_in_models) {
            let mut seen: FxHashSet<InstanceId> = FxHashSet::default();
            let mut waiting = vec![instance];
            while let Some(at) = waiting.pop() {
                if !seen.insert(at) {
                    continue;
                }
                for &(caller, edge) in self.calls_of_models.get(&at).into_iter().flatten() {
                    let procedure = solver.instances[caller].procedure;
                    if is_model(program, procedure) {
                        waiting.push(caller);
                        continue;
                    }
                    let body = program.procedures[procedure].body.as_ref().expect("it calls");
                    let span = body.edges[edge].span;
                    for missing in &all {
                        let told = MissingBody { span, ..missing.clone() };
                        if !self.missing.contains(&told) {
                            self.missing.push(told);
                        }
                    }
                }
            }
        }
        self.missing.sort_by_key(|missing| (missing.span.start, missing.span.end));
    }

    /// What a description says of its parameters, said of the arguments of the call.
    fn in_words_of(
        &self,
        solver: &Solver<'_, '_>,
        instance: InstanceId,
        caller: ProcedureId,
        edge: EdgeId,
        check: &Check,
    ) -> String {
        let program = solver.context.program;
        let body = program.procedures[caller].body.as_ref().expect("it calls");
        let Action::Call { arguments, .. } = &body.edges[edge].action else { return String::new() };
        let parameters = &program.procedures[solver.instances[instance].procedure].parameters;
        let mut detail = check.detail.clone();
        for (&parameter, argument) in parameters.iter().zip(arguments) {
            let name = format!("`{}`", program.variables[parameter].name);
            let shown = program.show().expr(crate::library::uncast(argument));
            detail = detail.replace(&name, &format!("`{shown}`"));
        }
        detail
    }

    fn record_instance(
        &mut self,
        solver: &mut Solver<'_, '_>,
        id: InstanceId,
        waiting: &mut Vec<InstanceId>,
    ) -> Result<(), Stop> {
        let context = solver.context;
        let program = context.program;
        let procedure = solver.instances[id].procedure;
        let graph = program.procedures[procedure].body.as_ref().expect("instances have a body");
        let states = solver.instances[id].nodes.clone();
        let slots = self.nodes[procedure].get_or_insert_with(|| graph.nodes.iter().map(|_| None).collect());
        for (node, states) in states.iter_enumerated() {
            for state in states {
                join_into(&mut slots[node], state.clone(), context.joining());
            }
        }
        let all = graph.edges.iter_enumerated();
        let all =
            all.flat_map(|(edge_id, edge)| states[edge.from].iter().map(move |state| (edge_id, edge, state)));
        for (edge_id, edge, state) in all {
            let mut log: Vec<Check> = Vec::new();
            let mut visited = Visited::default();
            let after = solver.step(procedure, edge_id, state, Some(&mut log), &mut visited)?;
            if !after.is_empty() {
                self.passed.insert((procedure, edge_id));
            }
            // Of what one step looks at several times the worst counts.
            let mut worst: Vec<Check> = Vec::new();
            for check in log {
                match worst.iter_mut().find(|other| other.kind == check.kind && other.about == check.about) {
                    Some(other) if other.certainty < check.certainty => *other = check,
                    Some(_) => {}
                    None => worst.push(check),
                }
            }
            let log = worst;
            if is_model(program, procedure) {
                self.in_models.entry(id).or_default().extend(log);
            } else {
                log.into_iter().for_each(|check| self.note(procedure, edge_id, check));
            }
            for &called in &visited.called {
                if is_model(program, solver.instances[called].procedure) {
                    self.calls_of_models.entry(called).or_default().insert((id, edge_id));
                }
            }
            waiting.extend(visited.called);
            match visited.missing {
                Some(missing) if is_model(program, procedure) => {
                    self.missing_in_models.entry(id).or_default().push(missing);
                }
                Some(missing) if !self.missing.contains(&missing) => self.missing.push(missing),
                _ => {}
            }
            match &edge.action {
                Action::Unsupported(what) => {
                    let found = (what.to_string(), edge.span);
                    if !self.unsupported.contains(&found) {
                        self.unsupported.push(found);
                    }
                }
                Action::Call { callee: Callee::Direct(callee), arguments, .. }
                    if prints(program.procedures[*callee].known) =>
                {
                    let mut evaluator = Evaluator::new(context, state);
                    let values: Vec<Option<Value>> =
                        arguments.iter().map(|argument| evaluator.value(argument)).collect();
                    let known = self.outputs.entry((procedure, edge_id)).or_insert_with(|| values.clone());
                    for (slot, value) in known.iter_mut().zip(values) {
                        *slot = match (slot.take(), value) {
                            (Some(one), Some(two)) => one.join(&two, context.arithmetic.cap),
                            (one, two) => one.or(two),
                        };
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What was found out, at the places of the program.
    pub fn finish<'p>(self, context: Context<'p>, steps: u64) -> Analysis<'p> {
        let program = context.program;
        let mut constant_conditions = Vec::new();
        let mut error_calls = Vec::new();
        for (id, procedure) in program.procedures.iter_enumerated() {
            let Some(body) = &procedure.body else { continue };
            let reached = self.nodes[id].as_ref();
            for (edge_id, edge) in body.edges.iter_enumerated() {
                let is_reached = reached.is_some_and(|nodes| nodes[edge.from].is_some());
                let has_passed = self.passed.contains(&(id, edge_id));
                match &edge.action {
                    Action::Assume { expected, reason: AssumeReason::Branch, .. }
                        if is_reached && !has_passed =>
                    {
                        // A branch of which neither side passes is left by undefined behaviour, not by an
                        // outcome.
                        let siblings = body.out(edge.from);
                        if { siblings }.any(|(other, _)| self.passed.contains(&(id, other))) {
                            constant_conditions.push(ConstantCondition {
                                procedure: id,
                                edge: edge_id,
                                span: edge.span,
                                outcome: !expected,
                            });
                        }
                    }
                    Action::Call { callee: Callee::Direct(callee), .. } => {
                        let callee = &program.procedures[*callee];
                        let is_error = matches!(
                            callee.known,
                            Some(Known::AssertFail | Known::ReachError | Known::VerifierError)
                        );
                        if is_error && procedure.origin == program::Origin::User {
                            error_calls.push(ErrorCall {
                                procedure: id,
                                edge: edge_id,
                                span: edge.span,
                                function: callee.name.to_string(),
                                can_be_reached: is_reached,
                            });
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut unsupported = self.unsupported;
        let span_of = |procedure: ProcedureId, edge: EdgeId| {
            program.procedures[procedure].body.as_ref().expect("it has steps").edges[edge].span
        };
        for (procedure, edge, kind, about) in self.checks.keys() {
            if *kind == CheckKind::NotFollowed {
                unsupported.push((about.clone(), span_of(*procedure, *edge)));
            }
        }
        let findings = self
            .checks
            .into_iter()
            .filter(|((_, _, kind, _), _)| *kind != CheckKind::NotFollowed)
            .map(|((procedure, edge, kind, about), (certainty, detail))| {
                let span = span_of(procedure, edge);
                // What stands for a value without a meaning here is never written, and says nothing of the program.
                let is_sure = unsupported.is_empty() || kind != CheckKind::Uninitialised;
                let certainty = if certainty == Certainty::Definite && !is_sure {
                    Certainty::Possible
                } else {
                    certainty
                };
                Finding { procedure, edge, span, kind, certainty, about, detail }
            })
            .collect();
        let outputs = self
            .outputs
            .into_iter()
            .map(|((procedure, edge), values)| {
                let edge_data = &program.procedures[procedure].body.as_ref().expect("it prints").edges[edge];
                let shown = match &edge_data.action {
                    Action::Call { arguments, .. } => {
                        arguments.iter().map(|argument| program.show().expr(argument)).collect()
                    }
                    _ => Vec::new(),
                };
                let values =
                    Vec::into_iter(shown).zip(values).filter_map(|(text, value)| Some((text, value?)));
                Output { procedure, edge, span: edge_data.span, values: values.collect() }
            })
            .collect();
        let has_threads = context.has_threads;
        Analysis {
            context,
            nodes: self.nodes,
            findings,
            constant_conditions,
            error_calls,
            outputs,
            missing: self.missing,
            unsupported,
            has_threads,
            steps,
        }
    }
}

fn is_model(program: &Program, procedure: ProcedureId) -> bool {
    program.procedures[procedure].origin == program::Origin::Model
}

/// A call as the program writes it.
fn call_text(program: &Program, action: &Action) -> String {
    let Action::Call { callee, arguments, .. } = action else { return String::new() };
    let name = match callee {
        Callee::Direct(id) => crate::library::as_written(&program.procedures[*id].name).to_owned(),
        Callee::Indirect(pointer) => program.show().expr(pointer),
    };
    let arguments: Vec<String> =
        arguments.iter().map(|argument| program.show().expr(crate::library::uncast(argument))).collect();
    format!("{name}({})", arguments.join(", "))
}

fn prints(known: Option<Known>) -> bool {
    matches!(
        known,
        Some(Known::Printf | Known::Fprintf | Known::Putchar | Known::Puts | Known::Fputc | Known::Fputs)
    )
}
