//! The run that shows an answer: a path of must-steps in source terms, with inputs that take it.

use super::kripke::StateId;
use super::places::FormulaPlace;
use super::truth::Judge;
use crate::domain::number::Number;
use base::IndexVec;
use concrete::{Captured, Interpreter, ListedInputs, Observer, OnMissingBody, RunOutcome, Settings};
use program::{Action, Callee, EdgeId, HavocSource, Known, ProcedureId, Program};
use rustc_hash::FxHashMap;
use spec::ctl::{CtlFormula, PathQuantifier};
use std::collections::VecDeque;

/// A run that shows an answer: steps in source terms, and the inputs that make it.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The edges taken, in order.
    pub edges: Vec<(ProcedureId, EdgeId)>,
    /// The states passed, each with how many edges lead there and the values of globals.
    pub states: Vec<(usize, Vec<(String, String)>)>,
    /// The inputs taken, in order.
    pub inputs: Vec<i128>,
    /// After the last state the run goes on from this one of `states`, for ever.
    pub repeats_from: Option<usize>,
    /// What the last state shows.
    pub shows: String,
}

/// The run that shows why a formula holds (or does not), if one run can.
pub fn find(judge: &Judge<'_, '_>, formula: &CtlFormula, holds: bool) -> Option<Witness> {
    use CtlFormula::*;
    use PathQuantifier::{All, Some as Exists};
    match (formula, holds) {
        (Not(inner), _) => find(judge, inner, !holds),
        (Always(All, inner), false) => {
            let truth = judge.truth(inner);
            path(judge, &|_| true, &truth.no, format!("here it does not hold that {inner}"))
        }
        (Eventually(Exists, inner), true) => {
            let truth = judge.truth(inner);
            path(judge, &|_| true, &truth.yes, format!("here {inner} holds"))
        }
        (Until(Exists, left, right), true) => {
            let (along, goal) = (judge.truth(left), judge.truth(right));
            path(judge, &|id| along.yes[id], &goal.yes, format!("here {right} holds"))
        }
        (Next(Exists, inner), true) => step(judge, &judge.truth(inner).yes, format!("here {inner} holds")),
        (Next(All, inner), false) => {
            step(judge, &judge.truth(inner).no, format!("here it does not hold that {inner}"))
        }
        (Always(Exists, inner), true) => {
            lasso(judge, &judge.truth(inner).yes, format!("{inner} holds for ever"))
        }
        (Eventually(All, inner), false) => {
            lasso(judge, &judge.truth(inner).no, format!("{inner} never holds"))
        }
        _ => None,
    }
}

fn step(judge: &Judge<'_, '_>, goal: &IndexVec<StateId, bool>, shows: String) -> Option<Witness> {
    let start = judge.kripke.initial;
    let at = judge.must(start).position(|step| goal[step.to])?;
    Some(assemble(judge, &[(start, at)], shows))
}

/// The shortest path of must-steps to a goal.
fn path(
    judge: &Judge<'_, '_>,
    along: &dyn Fn(StateId) -> bool,
    goal: &IndexVec<StateId, bool>,
    shows: String,
) -> Option<Witness> {
    let start = judge.kripke.initial;
    let mut parents: FxHashMap<StateId, (StateId, usize)> = FxHashMap::default();
    let mut waiting = VecDeque::from([start]);
    let mut found = goal[start].then_some(start);
    while found.is_none() {
        let from = waiting.pop_front()?;
        if !along(from) {
            continue;
        }
        for (at, step) in judge.must(from).enumerate() {
            if step.to != start && !parents.contains_key(&step.to) {
                parents.insert(step.to, (from, at));
                if goal[step.to] {
                    found = Some(step.to);
                    break;
                }
                waiting.push_back(step.to);
            }
        }
    }
    let mut steps = Vec::new();
    let mut at = found?;
    while at != start {
        let parent = parents[&at];
        steps.push(parent);
        at = parent.0;
    }
    steps.reverse();
    Some(assemble(judge, &steps, shows))
}

/// A path of must-steps inside a set that comes back to itself.
fn lasso(judge: &Judge<'_, '_>, set: &IndexVec<StateId, bool>, shows: String) -> Option<Witness> {
    // States of the set from which the set need not be left.
    let mut stays: IndexVec<StateId, bool> = set.clone();
    loop {
        let mut has_changed = false;
        for id in judge.kripke.nodes.ids() {
            if stays[id] && !judge.must(id).any(|step| stays[step.to]) {
                stays[id] = false;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    let mut at = judge.kripke.initial;
    let mut order: Vec<StateId> = Vec::new();
    let mut steps = Vec::new();
    loop {
        if !stays[at] {
            return None;
        }
        if let Some(first) = order.iter().position(|&seen| seen == at) {
            let mut witness = assemble(judge, &steps, shows);
            witness.repeats_from = Some(first);
            return Some(witness);
        }
        order.push(at);
        let next = judge.must(at).position(|step| stays[step.to])?;
        steps.push((at, next));
        at = judge.must(at).nth(next).expect("just found").to;
    }
}

fn assemble(judge: &Judge<'_, '_>, steps: &[(StateId, usize)], shows: String) -> Witness {
    let mut witness =
        Witness { edges: Vec::new(), states: Vec::new(), inputs: Vec::new(), repeats_from: None, shows };
    witness.states.push((0, values(judge, judge.kripke.initial)));
    for &(from, at) in steps {
        let step = judge.must(from).nth(at).expect("the step was found before");
        witness.edges.extend(step.edges.iter().copied());
        witness.inputs.extend(step.inputs.iter().map(choose));
        witness.states.push((witness.edges.len(), values(judge, step.to)));
    }
    witness
}

/// One value of a set, close to zero.
fn choose(number: &Number) -> i128 {
    let candidates = number.set().ranges().iter().map(|range| 0.clamp(range.low, range.high));
    let fitting = candidates.clone().filter(|&value| number.contains(value));
    fitting
        .min_by_key(|value| value.unsigned_abs())
        .or_else(|| {
            let bounds = number.set().ranges().iter().flat_map(|range| [range.low, range.high]);
            bounds.min_by_key(|value| value.unsigned_abs())
        })
        .unwrap_or(0)
}

fn values(judge: &Judge<'_, '_>, state: StateId) -> Vec<(String, String)> {
    let Some(configuration) = &judge.kripke.nodes[state].configuration else { return Vec::new() };
    let program = judge.context.program;
    program
        .variables
        .iter_enumerated()
        .filter(|(_, variable)| {
            variable.kind == program::VariableKind::Global && variable.procedure.is_none()
        })
        .filter(|(_, variable)| {
            variable.span != base::Span::NOWHERE && program.types.is_integer(variable.ty.id)
        })
        .filter_map(|(id, variable)| {
            let number = FormulaPlace::variable(id, judge.context.program)
                .number(judge.context, &configuration.state)?;
            Some((variable.name.to_string(), number.to_string()))
        })
        .chain(judge.shown.iter().filter_map(|(name, place)| {
            let number = place.number(judge.context, &configuration.state)?;
            Some((name.clone(), number.to_string()))
        }))
        .collect()
}

/// How a replay went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The interpreter took exactly these edges with these inputs.
    Confirmed,
    /// The interpreter cannot run it, for this reason.
    NotPossible(String),
    /// The interpreter went another way: our mistake.
    Contradicted(String),
}

struct Watch<'p> {
    program: &'p Program,
    edges: Vec<(ProcedureId, EdgeId)>,
    most: usize,
}

fn is_call(program: &Program, (procedure, edge): (ProcedureId, EdgeId)) -> bool {
    let body = program.procedures[procedure].body.as_ref();
    body.is_some_and(|body| matches!(body.edges[edge].action, Action::Call { .. }))
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: concrete::Step) {
        // Calls are told when they return: their order differs, and their bodies are told anyway.
        let edge = (step.procedure, step.edge);
        if self.edges.len() < self.most && !is_call(self.program, edge) {
            self.edges.push(edge);
        }
    }
}

/// Runs the program on the witness's inputs and compares the ways.
pub fn replay(program: &Program, witness: &Witness, settings: &Settings) -> Replayed {
    let (mut listed, mut typed) = (String::new(), String::new());
    let mut inputs = witness.inputs.iter();
    for &(procedure, edge) in &witness.edges {
        let edge = &program.procedures[procedure].body.as_ref().expect("it was taken").edges[edge];
        match &edge.action {
            Action::Havoc { source: HavocSource::Input(_), target }
                if program.types.is_integer(target.ty.id) =>
            {
                listed.extend(inputs.next().map(|value| format!("{value}\n")));
            }
            Action::Call { callee: Callee::Direct(id), arguments, result, .. } => {
                let callee = &program.procedures[*id];
                match callee.known {
                    Some(Known::Scanf) => {
                        for _ in arguments.iter().skip(1) {
                            typed.extend(inputs.next().map(|value| format!("{value}\n")));
                        }
                    }
                    Some(Known::Fscanf | Known::Sscanf) => {
                        return Replayed::NotPossible(format!(
                            "`{}` reads from a stream that is not standard input",
                            callee.name
                        ));
                    }
                    None if callee.body.is_none() => {
                        let is_integer =
                            result.as_ref().is_some_and(|place| program.types.is_integer(place.ty.id));
                        if is_integer {
                            listed.extend(inputs.next().map(|value| format!("{value}\n")));
                        } else if result.is_some() {
                            return Replayed::NotPossible(format!(
                                "`{}` is missing and returns no integer",
                                callee.name
                            ));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let expected: Vec<(ProcedureId, EdgeId)> =
        witness.edges.iter().copied().filter(|&edge| !is_call(program, edge)).collect();
    let mut settings = settings.clone();
    settings.missing = OnMissingBody::Nondet;
    settings.limits.steps = Some(witness.edges.len() as u64 * 4 + 10_000);
    let Ok(mut listed) = ListedInputs::parse(&listed) else {
        return Replayed::NotPossible("the inputs cannot be written down".into());
    };
    let mut watch = Watch { program, edges: Vec::new(), most: expected.len() };
    let run =
        Interpreter::new(program).watch(&settings, &mut Captured::with_input(typed), &mut listed, &mut watch);
    if watch.edges == expected {
        return Replayed::Confirmed;
    }
    match run.outcome {
        RunOutcome::Unknown(unknown) => Replayed::NotPossible(unknown.message),
        other => {
            Replayed::Contradicted(format!("the interpreter left the path after {} steps: {other:?}", {
                watch.edges.iter().zip(&expected).take_while(|(one, two)| one == two).count()
            }))
        }
    }
}
