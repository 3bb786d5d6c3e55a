//! The whole analysis: from a program to what is known at every place of it.

use crate::checks::{Check, CheckKind};
use crate::context::Context;
use crate::domain::operators::Certainty;
use crate::domain::value::{Datum, Value};
use crate::evaluate::Evaluator;
use crate::initial::{enter_main, initial_state};
use crate::library::Escapes;
use crate::settings::Settings;
use crate::solve::{InstanceId, MissingBody, NodeStates, Solver, Stop, Visited};
use crate::state::{State, join_into};
use base::graph::{Step, weak_topological_order};
use base::{Budget, Exhausted, IndexVec, Span};
use program::{Action, AssumeReason, Callee, EdgeId, Expr, Known, NodeId, ProcedureId, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What can go wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// At which step.
    pub edge: EdgeId,
    /// In which text.
    pub span: Span,
    /// What kind of mistake it would be.
    pub kind: CheckKind,
    /// How sure it is, over all ways to get there.
    pub certainty: Certainty,
    /// The expression or place.
    pub about: String,
    /// What a library function would do with it, if one is called there.
    pub detail: String,
}

/// A branch whose condition always has the same outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantCondition {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// The edge that is never taken.
    pub edge: EdgeId,
    /// Where the condition stands.
    pub span: Span,
    /// The outcome it always has.
    pub outcome: bool,
}

/// A call that means an error: a failed assertion, `reach_error` and their like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCall {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// At which step.
    pub edge: EdgeId,
    /// Where the error function is called.
    pub span: Span,
    /// The function that is called.
    pub function: String,
    /// Can a run get there, as far as this analysis can tell?
    pub can_be_reached: bool,
}

/// The values that a print statement prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// At which step.
    pub edge: EdgeId,
    /// Where something is printed.
    pub span: Span,
    /// The arguments as the program writes them, with their values.
    pub values: Vec<(String, Value)>,
}

/// Everything that was found out.
pub struct Analysis<'p> {
    context: Context<'p>,
    nodes: IndexVec<ProcedureId, Option<NodeStates>>,
    /// What can go wrong, in order of procedures and edges; also what was excluded.
    pub findings: Vec<Finding>,
    /// Conditions with one outcome.
    pub constant_conditions: Vec<ConstantCondition>,
    /// Calls that mean an error.
    pub error_calls: Vec<ErrorCall>,
    /// Print statements that can be reached.
    pub outputs: Vec<Output>,
    /// Functions without a body that can be reached.
    pub missing: Vec<MissingBody>,
    /// Places that can be reached and have no meaning here.
    pub unsupported: Vec<(String, Span)>,
    /// Does the program start threads, so that nothing is said about globals and memory?
    pub has_threads: bool,
    /// Edges carried out.
    pub steps: u64,
}

/// What is known at a place of the program.
pub struct Point<'a, 'p> {
    analysis: &'a Analysis<'p>,
    /// The abstract state.
    pub state: &'a State,
}

impl Point<'_, '_> {
    /// What a plain variable can be here. `None` for variables in memory.
    pub fn variable(&self, id: VariableId) -> Option<Datum> {
        if !self.analysis.context.is_plain(id) {
            return None;
        }
        Evaluator::new(&self.analysis.context, self.state).variable(id)
    }

    /// What an expression can be here. `None` if it cannot be evaluated without undefined behaviour.
    pub fn value(&self, expr: &Expr) -> Option<Value> {
        Evaluator::new(&self.analysis.context, self.state).value(expr)
    }
}

impl<'p> Analysis<'p> {
    /// What is known at a node; `None` if no run gets there.
    pub fn at(&self, procedure: ProcedureId, node: NodeId) -> Option<Point<'_, 'p>> {
        let state = self.nodes[procedure].as_ref()?[node].as_ref()?;
        Some(Point { analysis: self, state })
    }

    /// Can the procedure be reached at all?
    pub fn is_reached(&self, procedure: ProcedureId) -> bool {
        self.nodes[procedure].is_some()
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.context.program
    }

    /// What the user chose.
    pub fn settings(&self) -> &Settings {
        self.context.settings
    }

    /// The program with its tables.
    pub fn context(&self) -> &Context<'p> {
        &self.context
    }
}

/// Analyses a program from its start. Fails only when a limit of the budget is reached.
pub fn analyse<'p>(
    program: &'p Program,
    settings: &'p Settings,
    budget: &Budget,
) -> Result<Analysis<'p>, Exhausted> {
    let mut components = call_circles(program);
    let mut escapes = Escapes::default();
    loop {
        let recursive: FxHashSet<ProcedureId> = components.iter().flatten().copied().collect();
        let context = Context::new(program, settings, recursive);
        let mut solver = Solver::new(&context, budget, components.clone(), escapes.clone());
        match run(&mut solver) {
            Ok(record) => {
                // What missing functions get hold of is not part of states: with more of it, all is done anew.
                if solver.escapes != escapes {
                    escapes = solver.escapes;
                    continue;
                }
                let steps = solver.steps;
                drop(solver);
                return Ok(record.finish(context, steps));
            }
            Err(Stop::Exhausted(exhausted)) => return Err(exhausted),
            Err(Stop::Recursion(circle)) => merge_circle(&mut components, circle),
        }
    }
}

fn merge_circle(components: &mut Vec<Vec<ProcedureId>>, circle: Vec<ProcedureId>) {
    let mut all = circle;
    components.retain(|component| {
        let meets = component.iter().any(|member| all.contains(member));
        if meets {
            all.extend(component);
        }
        !meets
    });
    all.sort_unstable();
    all.dedup();
    components.push(all);
}

/// Procedures that call each other in a circle by name. (Circles through pointers are found on the way.)
fn call_circles(program: &Program) -> Vec<Vec<ProcedureId>> {
    let callees = |id: ProcedureId| {
        let edges = program.procedures[id].body.iter().flat_map(|body| &body.edges);
        edges.filter_map(|edge| match &edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
            _ => None,
        })
    };
    let count = program.procedures.len();
    let mut found: Vec<Vec<ProcedureId>> = Vec::new();
    let mut depth = 0;
    for step in weak_topological_order(count, program.procedures.ids(), callees, |members| members[0]) {
        match step {
            Step::Enter(id) => {
                if depth == 0 {
                    found.push(Vec::new());
                }
                depth += 1;
                found.last_mut().expect("a circle is open").push(id);
            }
            Step::Node(id) if depth > 0 => found.last_mut().expect("a circle is open").push(id),
            Step::Node(_) => {}
            Step::Leave => depth -= 1,
        }
    }
    found
}

/// Solves from all starts, then records what is known everywhere.
fn run(solver: &mut Solver<'_, '_>) -> Result<Record, Stop> {
    let context = solver.context;
    let program = context.program;
    let mut state = Some(initial_state(context));
    let mut roots = Vec::new();
    let starts = program.constructors.iter().chain(&program.main).chain(&program.destructors);
    for &start in starts {
        if program.procedures[start].body.is_none() {
            continue;
        }
        let Some(before) = state else { break };
        let id = solver.call(start, enter_main(context, &before, start))?;
        roots.push(id);
        state = solver.instances[id].exit.clone();
    }
    // `exit` may be called from anywhere.
    for &destructor in &program.destructors {
        if context.can_exit && program.procedures[destructor].body.is_some() {
            roots.push(solver.call(destructor, solver.unknown_entry())?);
        }
    }
    let mut record = Record::new(program);
    let mut known_callbacks: FxHashSet<ProcedureId> = FxHashSet::default();
    loop {
        record.record(solver, &roots)?;
        let callbacks: Vec<ProcedureId> =
            solver.callbacks().into_iter().filter(|id| known_callbacks.insert(*id)).collect();
        if callbacks.is_empty() {
            record.blame_callers(solver);
            record.tell_callers_of_missing(solver);
            return Ok(record);
        }
        roots.clear();
        for callback in callbacks {
            roots.push(solver.call(callback, solver.unknown_entry())?);
        }
    }
}

/// What is collected while walking over all instances once more.
struct Record {
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
    fn new(program: &Program) -> Record {
        Record {
            nodes: program.procedures.iter().map(|_| None).collect(),
            recorded: FxHashMap::default(),
            checks: BTreeMap::new(),
            in_models: FxHashMap::default(),
            calls_of_models: FxHashMap::default(),
            missing_in_models: FxHashMap::default(),
            passed: FxHashSet::default(),
            outputs: BTreeMap::new(),
            missing: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    fn record(&mut self, solver: &mut Solver<'_, '_>, roots: &[InstanceId]) -> Result<(), Stop> {
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

    /// What was found in bodies of library functions is told where the program calls them: once per call and kind.
    fn blame_callers(&mut self, solver: &Solver<'_, '_>) {
        let program = solver.context.program;
        let mut found: BTreeMap<(ProcedureId, EdgeId, CheckKind), Vec<(Certainty, String)>> = BTreeMap::new();
        for (&instance, checks) in &self.in_models {
            // A call that never comes back and surely goes wrong inside goes wrong whenever it is made.
            let never_returns = solver.instances[instance].exit.is_none();
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
                        waiting.push((caller, never_returns && solver.instances[caller].exit.is_none()));
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
    fn tell_callers_of_missing(&mut self, solver: &Solver<'_, '_>) {
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
        for (node, state) in states.iter_enumerated() {
            if let Some(state) = state {
                join_into(&mut slots[node], state.clone(), context.joining());
            }
        }
        for (edge_id, edge) in graph.edges.iter_enumerated() {
            let Some(state) = &states[edge.from] else { continue };
            let mut log: Vec<Check> = Vec::new();
            let mut visited = Visited::default();
            let after = solver.step(procedure, edge_id, state, Some(&mut log), &mut visited)?;
            if after.is_some() {
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

    fn finish<'p>(self, context: Context<'p>, steps: u64) -> Analysis<'p> {
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
                        // A branch of which neither side passes is left by undefined behaviour, not by an outcome.
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
