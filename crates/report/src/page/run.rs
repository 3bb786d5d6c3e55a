//! Runs for pages: of C programs by `evidence::trace`, of models by the shapes of `verdict`. Whatever can be watched has
//! one form: a name that has another value after a step. For C that are places in memory, for models the states of
//! components and whether a proposition holds.

use super::{Answer, Change, Run, Sources, Step, Strategy, StrategyNode};
use crate::draw;
use base::Id;
use evidence::trace::{self, Detail, TraceLine};
use program::{Action, Callee, ExprKind, Known, PlaceBase, Program, VariableKind};
use question::{Counterexample, Violation};
use verdict::{Path, StateView, Tree};

/// Longer runs are cut in the middle, so that a page stays small enough to open.
const MOST_STEPS: usize = 30_000;
/// Values that are longer are cut: a state of a large component can be.
const MOST_VALUE: usize = 200;

/// The violating run of a C program. `graph_of` gives the position of a function's drawing, if there is one; the steps
/// name their boxes by the numbers of edges.
pub fn of_violation(program: &Program, violation: &Violation, sources: &Sources) -> Run {
    let at = |span| sources.at(program.sources.location(span));
    let all = trace::lines(program, violation, Detail::Steps);
    let is_cut = all.len() > MOST_STEPS;
    let told = trace::shortened(all, MOST_STEPS);
    let lanes = lanes(program, violation, &told);
    let steps = told.iter().map(|line| step(program, line, sources)).collect();
    let inputs = violation.inputs.iter().filter(|input| *input.name != *program::NEXT_THREAD);
    let inputs = inputs.map(|input| (input.name.to_string(), evidence::inputs::value(input), at(input.span)));
    let steps: Vec<Step> = with_locks(program, &told, steps);
    // Where the state comes back, all steps from there on repeat.
    let loop_from = violation.cycle.as_ref().and_then(|cycle| {
        let before = trace::count_before(program, violation, Detail::Steps, cycle.steps);
        (before < steps.len() && !is_cut).then_some(before)
    });
    Run {
        title: violation.what.clone(),
        lanes,
        steps,
        loop_from,
        end: violation.what.clone(),
        inputs: inputs.collect(),
        has_calls: true,
        ..Run::default()
    }
}

/// Threads that wait for ever, as a drawing: who waits for whom, and for what. `None` of a run that ends otherwise.
pub fn waits_of_violation(program: &Program, violation: &Violation) -> Option<draw::Drawing> {
    let concrete::RunOutcome::Deadlock(waiting) = &violation.run.outcome else { return None };
    let named = evidence::columns::threads(program, violation);
    let name = |thread: usize| {
        let start = named.get(thread).and_then(|one| one.start);
        let start = start.map(|start| format!(" ({})", program.procedures[start].name));
        format!("thread {thread}{}", start.unwrap_or_default())
    };
    let all: Vec<draw::WaitingThread> = waiting
        .iter()
        .filter_map(|one| {
            let place = program.sources.location(one.place.span);
            Some(draw::WaitingThread {
                number: one.place.thread?.index(),
                waits_for: one.waits_for.clone(),
                line: place.map(|place| place.line),
                held_by: one.held_by.iter().map(|thread| thread.index()).collect(),
            })
        })
        .collect();
    Some(draw::waiting_threads(&all, &name))
}

/// Adds to the steps of threads what each takes and gives back, so that columns can show who holds what.
fn with_locks(program: &Program, told: &[TraceLine], steps: Vec<Step>) -> Vec<Step> {
    let mut steps = steps;
    for (step, line) in steps.iter_mut().zip(told) {
        let Some((procedure, edge)) = line.step else { continue };
        let Some(body) = &program.procedures[procedure].body else { continue };
        let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &body.edges[edge].action else {
            continue;
        };
        let is_taken = match program.procedures[*callee].known {
            Some(Known::MutexLock | Known::RwlockReadLock | Known::RwlockWriteLock) => true,
            Some(Known::MutexUnlock | Known::RwlockUnlock) => false,
            _ => continue,
        };
        // Only a variable of its own: through a pointer, one name can stand for several locks.
        if let Some(ExprKind::AddressOf(place)) = arguments.first().map(|argument| &argument.kind)
            && place.as_variable().is_some()
        {
            step.locks.push((program.show().place(place), is_taken));
        }
    }
    steps
}

/// Any run of a C program, of which these steps were seen.
pub fn of_run(program: &Program, run: &concrete::Run, steps: &[concrete::Step], sources: &Sources) -> Run {
    let told = trace::shortened(trace::lines_of_run(program, run, steps, Detail::Steps), MOST_STEPS);
    let last = told.iter().filter_map(|line| line.thread).max();
    let lanes = last.map_or(0, |last| last + 1);
    let lane = |lane: usize| {
        let own = |step: &&concrete::Step| step.thread.index() == lane && step.depth == 1;
        match (lane, steps.iter().find(own)) {
            (0, _) => "main".to_owned(),
            (_, Some(first)) => format!("{lane} {}", program.procedures[first.procedure].name),
            _ => format!("thread {lane}"),
        }
    };
    let at = |span| sources.at(program.sources.location(span));
    let inputs = run
        .inputs
        .iter()
        .map(|input| (input.name.to_string(), evidence::inputs::value(input), at(input.span)));
    Run {
        lanes: (0..lanes).map(lane).collect(),
        steps: with_locks(program, &told, told.iter().map(|line| step(program, line, sources)).collect()),
        inputs: inputs.collect(),
        has_calls: true,
        ..Run::default()
    }
}

/// The threads that have a column, by what they run.
fn lanes(program: &Program, violation: &Violation, told: &[TraceLine]) -> Vec<String> {
    let Some(last) = told.iter().filter_map(|line| line.thread).max() else { return Vec::new() };
    let threads = evidence::columns::threads(program, violation);
    let interleaved = program.interleaving.as_ref().map(|all| &all.threads);
    let start = |lane: usize| {
        let of_run = threads.get(lane).and_then(|thread| thread.start);
        of_run.map(|start| program.procedures[start].name.to_string())
    };
    (0..=last)
        .map(|lane| match (start(lane), interleaved) {
            (Some(name), _) if lane == 0 => name,
            (Some(name), _) => format!("{lane} {name}"),
            (None, _) if lane == 0 => "main".to_owned(),
            _ => format!("thread {lane}"),
        })
        .collect()
}

fn step(program: &Program, line: &TraceLine, sources: &Sources) -> Step {
    let function = line.step.map(|(procedure, _)| program.procedures[procedure].name.to_string());
    let scope = |name: &str| {
        let is_static = line.step.is_some_and(|step| writes_static(program, step));
        match (is_static, line.thread) {
            (true, _) => name.to_owned(),
            // Locals belong to their frame; who shows them cuts this off.
            (false, thread) => format!("{}:{}|{name}", thread.unwrap_or(0), line.depth),
        }
    };
    let changes = line.change.iter().map(|(name, value)| (scope(name), Some(cut(value))));
    Step {
        text: line.text.clone(),
        at: sources.at(program.sources.location(line.span)),
        depth: line.depth,
        lanes: line.thread.into_iter().collect(),
        key: line.step.map(|(_, edge)| edge.index().to_string()),
        function,
        changes: changes.collect(),
        ..Step::default()
    }
}

/// Does a step write something that is the same whoever calls?
fn writes_static(program: &Program, (procedure, edge): (program::ProcedureId, program::EdgeId)) -> bool {
    let Some(body) = &program.procedures[procedure].body else { return false };
    let target = match &body.edges[edge].action {
        Action::Assign { target, .. } | Action::Havoc { target, .. } => Some(target),
        Action::Call { result, .. } => result.as_ref(),
        _ => None,
    };
    target.is_some_and(|place| match place.base {
        PlaceBase::Variable(id) => program.variables[id].kind == VariableKind::Global,
        // What a pointer leads to is named through it; the name says which.
        PlaceBase::Pointer(_) => false,
    })
}

fn cut(value: &str) -> String {
    if value.chars().count() <= MOST_VALUE {
        return value.to_owned();
    }
    let kept: String = value.chars().take(MOST_VALUE).collect();
    format!("{kept}…")
}

/// What the propositions of a state say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propositions {
    /// All that hold there.
    AllThatHold,
    /// What the step changed, as `name=value`: runs of Boolean programs.
    OnlyChanges,
}

/// How runs of models are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'s> {
    /// The texts that steps may name.
    pub sources: &'s Sources,
    /// What states say.
    pub propositions: Propositions,
}

/// A counterexample of a finite model or of a Boolean program goes into the answer: as a run, or as a strategy to unfold.
pub fn of_counterexample(answer: &mut Answer, shown: &Counterexample, reading: Reading<'_>) {
    let of_path = |path| of_path(path, reading);
    match shown {
        Counterexample::Path(path) => answer.runs.push(of_path(path)),
        Counterexample::MaximalPath(path) => {
            let mut run = of_path(path);
            run.end = format!("{}\nand the run cannot go on", run.end).trim().to_owned();
            answer.runs.push(run);
        }
        Counterexample::Lasso(lasso) => {
            let mut run = of_path(&lasso.stem);
            run.loop_from = Some(run.steps.len());
            let before = lasso.stem.steps.last().map_or(&lasso.stem.start, |step| &step.to);
            append(&mut run, &lasso.stem.lane_names, before, &lasso.cycle, reading);
            answer.runs.push(run);
        }
        Counterexample::Deadlock(deadlock) => {
            let mut run = of_path(&deadlock.path);
            let waits = deadlock.refusals.iter().map(|refusal| {
                let doing = match (refusal.terminated, &refusal.waits_for[..]) {
                    (true, _) => "has terminated".to_owned(),
                    (_, []) => "has stopped".to_owned(),
                    (_, actions) => format!("waits for {}", actions.join(", ")),
                };
                format!("{} in {} {doing}", refusal.component, refusal.state)
            });
            let told: Vec<String> =
                std::iter::once(run.end.clone()).filter(|end| !end.is_empty()).chain(waits).collect();
            run.end = told.join("\n");
            answer.runs.push(run);
        }
        Counterexample::Tree(tree) => answer.tree = Some(strategy(tree)),
        // Who has the program shows it by `of_violation`.
        Counterexample::Run(violation) => {
            answer.runs.push(Run { end: violation.what.clone(), ..Run::default() });
        }
    }
}

/// A finite run.
fn of_path(path: &Path, reading: Reading<'_>) -> Run {
    let mut run = Run { lanes: path.lane_names.clone(), end: path.ends_because.clone(), ..Run::default() };
    let states = path.lane_names.iter().zip(&path.start.components);
    run.start = states.map(|(name, state)| (name.clone(), Some(cut(state)))).collect();
    run.start.extend(path.start.propositions.iter().map(|name| proposition(name, true)));
    append(&mut run, &path.lane_names, &path.start, &path.steps, reading);
    run
}

/// The words of a step without the place before them, which is told apart.
fn without_place(words: &str) -> &str {
    let Some((place, rest)) = words.split_once(": ") else { return words };
    let of_file = place.rsplit_once(".c:").filter(|(name, _)| !name.contains([' ', '[']));
    let number = place.strip_prefix("line ").or_else(|| of_file.map(|(_, number)| number));
    match number {
        Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => words,
    }
}

/// A proposition that holds, or does not. Boolean programs say `x=1`: that is a name and its value.
fn proposition(text: &str, holds: bool) -> Change {
    match text.rsplit_once('=') {
        Some((name, value))
            if !name.is_empty() && !name.ends_with(['=', '!', '<', '>', ' ']) && !value.contains(' ') =>
        {
            (name.to_owned(), holds.then(|| value.to_owned()))
        }
        _ => (text.to_owned(), Some(if holds { "holds" } else { "does not hold" }.to_owned())),
    }
}

fn append(
    run: &mut Run,
    lanes: &[String],
    before: &StateView,
    steps: &[verdict::Step],
    reading: Reading<'_>,
) {
    let is_all = reading.propositions == Propositions::AllThatHold;
    let mut before = before;
    for step in steps {
        let after = &step.to;
        let mut changes: Vec<Change> = Vec::new();
        for (lane, name) in lanes.iter().enumerate() {
            let (was, is) = (before.components.get(lane), after.components.get(lane));
            if was != is {
                changes.push((name.clone(), is.map(|state| cut(state))));
            }
        }
        let ceased = before.propositions.iter().filter(|name| is_all && !after.propositions.contains(name));
        let began = after.propositions.iter().filter(|name| !is_all || !before.propositions.contains(name));
        let (ceased, began): (Vec<Change>, Vec<Change>) = (
            ceased.map(|name| proposition(name, false)).collect(),
            began.map(|name| proposition(name, true)).collect(),
        );
        // `x=0` that becomes `x=1` is one change.
        changes.extend(ceased.into_iter().filter(|(name, _)| !began.iter().any(|(other, _)| other == name)));
        changes.extend(began);
        run.steps.push(Step {
            text: without_place(&step.action).to_owned(),
            lanes: step.lanes.iter().map(|lane| lane.0 as usize).collect(),
            at: reading.sources.mentioned(&step.action),
            silent: step.silent,
            changes,
            ..Step::default()
        });
        before = after;
    }
}

fn strategy(tree: &Tree) -> Strategy {
    let place = |view: &StateView| {
        let place = view.components.join(", ");
        if view.propositions.is_empty() {
            place
        } else {
            format!("{place} {{{}}}", view.propositions.join(", "))
        }
    };
    let nodes = tree.nodes.iter().map(|node| StrategyNode {
        implementation: place(&node.implementation),
        specification: place(&node.specification),
        text: match &node.challenge {
            None => "different propositions hold".to_owned(),
            Some(challenge) => {
                let does = if challenge.silent {
                    "silently moves".to_owned()
                } else {
                    format!("does {}", challenge.action)
                };
                let end = if node.children.is_empty() { ", and the specification has no answer" } else { "" };
                format!("the implementation {does}{end}")
            }
        },
        children: node.children.iter().map(|child| child.index()).collect(),
    });
    Strategy { roots: tree.roots.iter().map(|root| root.index()).collect(), nodes: nodes.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict::{Lane, Lasso};

    fn view(component: &str, propositions: &[&str]) -> StateView {
        let propositions = propositions.iter().map(ToString::to_string).collect();
        StateView { components: vec![component.to_owned()], propositions }
    }

    fn step(action: &str, to: StateView) -> verdict::Step {
        verdict::Step { action: action.to_owned(), silent: false, lanes: vec![Lane(0)], to }
    }

    #[test]
    fn a_lasso_repeats_from_its_cycle_on_and_tells_what_changes() {
        let stem = Path {
            lane_names: vec!["P".into()],
            start: view("A", &["x=0", "low"]),
            steps: vec![step("up", view("B", &["x=1", "low"]))],
            ends_because: "never again".into(),
        };
        let cycle = vec![step("on", view("B", &["x=1"])), step("off", view("B", &["x=1", "low"]))];
        let mut answer = Answer::default();
        let sources = Sources::default();
        let reading = Reading { sources: &sources, propositions: Propositions::AllThatHold };
        of_counterexample(&mut answer, &Counterexample::Lasso(Lasso { stem, cycle }), reading);
        let run = &answer.runs[0];
        assert_eq!((run.steps.len(), run.loop_from), (3, Some(1)));
        let changes = |at: usize| -> Vec<(&str, Option<&str>)> {
            run.steps[at].changes.iter().map(|(name, value)| (&**name, value.as_deref())).collect()
        };
        assert_eq!(changes(0), [("P", Some("B")), ("x", Some("1"))]);
        assert_eq!(changes(1), [("low", Some("does not hold"))]);
        assert_eq!(changes(2), [("low", Some("holds"))]);
    }

    #[test]
    fn comparisons_are_not_taken_for_values() {
        assert_eq!(proposition("m == 1", true), ("m == 1".into(), Some("holds".into())));
        assert_eq!(proposition("a<=1", true), ("a<=1".into(), Some("holds".into())));
        assert_eq!(proposition("x=1", false), ("x".into(), None));
        assert_eq!(without_place("server_bug.c:18: s->state = 0"), "s->state = 0");
        assert_eq!(without_place("line 6: if *: no"), "if *: no");
        for whole in ["ask: b.c: 3", "ask  [server.c:21: receive(): ask; client.c:10: send(): ask]"] {
            assert_eq!(without_place(whole), whole);
        }
    }
}
