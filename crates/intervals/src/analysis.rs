//! The whole analysis: from a program to what is known at every place of it.

use crate::checks::CheckKind;
use crate::context::Context;
use crate::domain::operators::Certainty;
use crate::domain::value::{Datum, Value};
use crate::evaluate::Evaluator;
use crate::initial::{enter_main, initial_state};
use crate::library::Escapes;
use crate::record::Record;
use crate::settings::Settings;
use crate::solve::{MissingBody, NodeStates, Solver, Stop};
use crate::state::State;
use base::graph::{Step, weak_topological_order};
use base::{Budget, Exhausted, IndexVec, Span};
use program::{Action, Callee, EdgeId, Expr, NodeId, ProcedureId, Program, VariableId};
use rustc_hash::FxHashSet;

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
    pub(crate) context: Context<'p>,
    pub(crate) nodes: IndexVec<ProcedureId, Option<NodeStates>>,
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

    /// The program that is analysed.
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
                // What missing functions get hold of is not part of states: with more of it, all is done
                // anew.
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
        state = solver.joined(solver.instances[id].exit.clone());
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
