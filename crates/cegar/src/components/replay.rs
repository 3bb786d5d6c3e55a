//! A counterexample on real values: each component's share is run by the interpreter on the component's own
//! C. What the specification answers for calls is scripted along the counterexample; initial values and
//! inputs are those of the solver's model. Only what these runs confirm is a violation.
//!
//! A run confirms its share if it makes exactly the events of the share, takes its steps in order (unless
//! only events are claimed), and the propositions have the truth that was claimed wherever control is in the
//! component's own procedure. A tree is confirmed branch by branch. A cycle is gone round twice more with the
//! inputs of its last round, whose ends do not differ in anything that decides about it (`judge`). Waiting is
//! confirmed where the run asks for the next event at the same place, and every way that is claimed to be
//! refused is tried and refused.

use super::judge::{Followed, Share, truths};
use super::parts::Code;
use super::witness::Ending;
use base::Budget;
use concrete::{Captured, InputShape, InputTrouble, Inputs, Interpreter, Observer, RunOutcome, Settings};
use predicate::component::Component;
use predicate::component::closed::{Closed, close};
use predicate::component::origin::{Origin, Origins};
use predicate::component::script::Script;
use predicate::{AbstractStep, EdgeId};
use program::{Action, Program};
use std::cell::RefCell;
use std::sync::Arc;
use verdict::Reason;

/// Rounds that a cycle is gone round beyond those that were followed.
const MORE_ROUNDS: usize = 2;
/// Steps of a run for each step of its share, and at least: beyond that it is given up.
const STEPS_PER_STEP: u64 = 1000;
const FEW_STEPS: u64 = 200_000;
/// Branches of a tree that are run.
const MOST_BRANCHES: usize = 2000;

/// Runs a share. If it is not confirmed, why.
pub(super) fn replay(
    code: &mut Code,
    program: &Program,
    share: &Share,
    followed: &Followed,
    ending: Ending,
    budget: &Budget,
) -> Result<Vec<ReplayedStep>, Reason> {
    let values = &followed.values;
    let component = &code.component;
    let start: Vec<u128> =
        component.cells.iter().map(|cell| values.bits(component, cell.symbol).unwrap_or(0)).collect();
    let closed = close(&mut code.component, program, &|cell| start[base::Id::index(cell)]);
    let interpreter = Interpreter::new(&closed.program);
    let stage = Stage { closed: &closed, interpreter: &interpreter, component: &code.component, budget };
    let leaves: Vec<usize> = (0..followed.steps.len())
        .filter(|&step| !followed.steps.iter().any(|other| other.parent == Some(step)))
        .collect();
    if leaves.len() > MOST_BRANCHES {
        return Err(departs(format!("it has {} branches", leaves.len())));
    }
    if leaves.is_empty() {
        let path = Path { positions: Vec::new(), truths: vec![truths(code, share.start)] };
        return stage.run(code, followed, &path, share, ending);
    }
    let shown = share.after.last().and_then(|(last, _)| *last);
    let mut taken = Vec::new();
    for leaf in leaves {
        let mut positions = vec![leaf];
        while let Some(before) = followed.steps[positions[positions.len() - 1]].parent {
            positions.push(before);
        }
        positions.reverse();
        if let Some(round) = followed.round {
            let last: Vec<usize> = positions[positions.len() - round..].to_vec();
            (0..MORE_ROUNDS).for_each(|_| positions.extend(&last));
        }
        let mut claimed = vec![truths(code, share.start)];
        claimed.extend(positions.iter().map(|&at| truths(code, followed.states[at])));
        let is_shown = shown.is_some_and(|shown| positions.contains(&shown));
        let path = Path { positions, truths: claimed };
        let run = stage.run(code, followed, &path, share, ending)?;
        if is_shown {
            taken = run;
        }
    }
    Ok(taken)
}

/// A step that a run took: which, and what others see of it.
pub(super) type ReplayedStep = (Origin, Option<Arc<str>>);

fn departs(how: impl Into<String>) -> Reason {
    Reason::RunDeparts { how: how.into() }
}

/// A way from the root of the tree to a leaf.
struct Path {
    /// Steps of what was followed.
    positions: Vec<usize>,
    /// The truth of the propositions at the start and after each step.
    truths: Vec<Vec<bool>>,
}

struct Stage<'a> {
    closed: &'a Closed,
    interpreter: &'a Interpreter<'a>,
    component: &'a Component,
    budget: &'a Budget,
}

/// What both the inputs and the observer of a run see.
struct Progress {
    script: Script,
    /// Steps that have happened.
    done: usize,
    /// All steps of the component, those that the script does not ask for too.
    taken: Vec<ReplayedStep>,
    /// What went wrong.
    trouble: Option<String>,
    /// What was asked for when all steps had happened.
    waits_for: Option<String>,
    /// Events beyond the script.
    more_events: Vec<Arc<str>>,
    /// Has a step beyond the script been taken?
    is_past: bool,
}

impl Progress {
    fn is_complete(&self) -> bool {
        self.done == self.script.expected.len()
    }
}

struct Answers<'r>(&'r RefCell<Progress>);

impl Inputs for Answers<'_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let mut progress = self.0.borrow_mut();
        let found = progress.script.answers.get_mut(name).and_then(std::collections::VecDeque::pop_front);
        let is_way = name.starts_with("way ");
        let bits = match found {
            Some(bits) => bits,
            None if is_way => {
                if progress.is_complete() {
                    progress.waits_for = Some(name.to_owned());
                } else {
                    let trouble = format!("the run goes another way after {} steps", progress.done);
                    progress.trouble.get_or_insert(trouble);
                }
                return Err(InputTrouble::Exhausted);
            }
            // Not part of what was solved: any value will do, and the steps are compared anyway.
            None => 0,
        };
        let width = shape.width();
        Ok(if width >= 128 { bits } else { bits & ((1 << width) - 1) })
    }
}

struct Watcher<'r> {
    progress: &'r RefCell<Progress>,
    closed: &'r Closed,
    truths: &'r [Vec<bool>],
    /// Ends the run.
    stop: Budget,
    stop_when_complete: bool,
}

impl Observer for Watcher<'_> {
    fn step(&mut self, step: concrete::Step) {
        let mut progress = self.progress.borrow_mut();
        if progress.trouble.is_some() {
            return;
        }
        let key = (step.procedure, step.edge);
        if let Some(&proposition) = self.closed.tells.get(&key) {
            let is_told = step.written.is_some_and(|written| written.bits != 0);
            // Past the last step only what is true right then counts.
            let position = match progress.done.checked_sub(1) {
                Some(last) => progress.script.expected[last].position + 1,
                None => 0,
            };
            if !progress.is_past
                && self.truths[position].get(proposition).is_some_and(|claimed| *claimed != is_told)
            {
                let word = if is_told { "holds" } else { "does not hold" };
                progress.trouble = Some(format!("a proposition {word} after {} steps", progress.done));
                self.stop.cancel();
            }
            return;
        }
        let body = self.closed.program.procedures[step.procedure].body.as_ref();
        let event = body.and_then(|graph| match &graph.edges[step.edge].action {
            Action::Event { name, .. } => Some(name.clone()),
            _ => None,
        });
        let done = progress.done;
        if progress.is_complete() {
            progress.is_past |= !progress.script.expected.is_empty();
            if self.stop_when_complete {
                self.stop.cancel();
            }
            progress.more_events.extend(event);
            return;
        }
        if let Some(&origin) = self.closed.completes.get(&key) {
            progress.taken.push((origin, event.clone()));
        }
        let expected = &progress.script.expected[done];
        let is_expected =
            self.closed.completes.get(&key) == Some(&expected.origin) && event == expected.event;
        if is_expected {
            progress.done += 1;
        } else if let Some(event) = event {
            progress.trouble = Some(format!("the run makes `{event}` instead"));
            self.stop.cancel();
        }
    }
}

impl Stage<'_> {
    fn run(
        &self,
        code: &Code,
        followed: &Followed,
        path: &Path,
        share: &Share,
        ending: Ending,
    ) -> Result<Vec<ReplayedStep>, Reason> {
        let edges: Vec<EdgeId> = path.positions.iter().map(|&at| followed.steps[at].edge).collect();
        let value = |position: usize, input: usize| {
            let term = followed.unfolded.inputs[path.positions[position]][input];
            followed.values.bits(self.component, term).unwrap_or(0)
        };
        let mut script = self.component.script(&edges, &value);
        if followed.is_loose {
            script.expected.retain(|step| step.event.is_some());
        }
        let (progress, outcome) = self.play(script.clone(), path, ending != Ending::Stuck);
        self.confirm(&progress, &outcome)?;
        if ending == Ending::Stuck {
            self.confirm_waiting(code, path, share, &script, &progress, &outcome)?;
        }
        Ok(progress.taken)
    }

    fn play(&self, script: Script, path: &Path, stop_when_complete: bool) -> (Progress, RunOutcome) {
        let is_empty = script.expected.is_empty();
        let most_steps = FEW_STEPS + STEPS_PER_STEP * script.expected.len() as u64;
        let progress = RefCell::new(Progress {
            script,
            done: 0,
            taken: Vec::new(),
            trouble: None,
            waits_for: None,
            more_events: Vec::new(),
            is_past: false,
        });
        let stop = Budget::unlimited();
        let mut settings = Settings::default();
        settings.limits.steps = Some(most_steps);
        settings.limits.budget = stop.clone();
        let mut host = Captured::default();
        let closed = self.closed;
        let mut watcher =
            Watcher { progress: &progress, closed, truths: &path.truths, stop, stop_when_complete };
        let outcome = if is_empty && stop_when_complete {
            RunOutcome::Exited(0) // nothing was claimed
        } else {
            self.interpreter.watch(&settings, &mut host, &mut Answers(&progress), &mut watcher).outcome
        };
        (progress.into_inner(), outcome)
    }

    fn confirm(&self, progress: &Progress, outcome: &RunOutcome) -> Result<(), Reason> {
        self.budget.check()?;
        if let Some(trouble) = &progress.trouble {
            return Err(departs(trouble.clone()));
        }
        if progress.is_complete() {
            return Ok(());
        }
        let why = match outcome {
            RunOutcome::Undefined(report) => {
                let at = self.closed.program.sources.location(report.place.span);
                let at = at.map_or_else(String::new, |at| format!(" at {at}"));
                format!("the run has undefined behaviour{at}: {}", report.message)
            }
            RunOutcome::Unknown(unknown) => unknown.message.clone(),
            RunOutcome::AssumptionUnmet(_) => {
                "the run does not meet a condition of the specification".to_owned()
            }
            RunOutcome::LimitReached(limit, _) => limit.to_string(),
            other => format!(
                "the run ends after {} of {} steps ({other:?})",
                progress.done,
                progress.script.expected.len()
            ),
        };
        Err(departs(why))
    }

    /// The run has come to the end of its share: does it wait there, and refuse what it is said to refuse?
    fn confirm_waiting(
        &self,
        code: &Code,
        path: &Path,
        share: &Share,
        script: &Script,
        progress: &Progress,
        outcome: &RunOutcome,
    ) -> Result<(), Reason> {
        let Some(view) = &code.view else { return Err(departs("it is not abstracted")) };
        let state = share.after.last().map_or(share.start, |(_, state)| *state);
        let abstraction = &view.abstraction;
        let node = abstraction.states[base::Id::index(state)].node;
        if self.component.nodes[node].is_end {
            let ends = matches!(outcome, RunOutcome::Exited(_) | RunOutcome::AssumptionUnmet(_));
            return if ends { Ok(()) } else { Err(departs("the run does not end there")) };
        }
        let offers = |edge: EdgeId| {
            let mut own = abstraction.lks.transitions(state);
            own.any(|(action, to)| {
                abstraction.edges(AbstractStep { from: state, action, to }).contains(&edge)
            })
        };
        let offered: Vec<&Arc<str>> = self
            .component
            .out(node)
            .filter(|(id, _)| offers(*id))
            .filter_map(|(_, edge)| edge.event.as_ref())
            .collect();
        for (id, edge) in self.component.out(node) {
            let site = match edge.origin {
                Some(way) if !self.component.origins.is_asked(way) => {
                    if matches!(outcome, RunOutcome::AssumptionUnmet(_)) {
                        continue;
                    }
                    return Err(departs("the run does not wait there"));
                }
                Some(Origin::CaseOfCall(procedure, edge, _) | Origin::Step(procedure, edge)) => {
                    (procedure, edge)
                }
                _ => return Err(departs("the run does not wait there")),
            };
            if progress.waits_for.as_deref() != Some(&Origins::way_name(site)) {
                return Err(departs("the run does not wait there"));
            }
            // One step further: what is offered may happen, what is refused may not.
            let mut further = script.clone();
            self.component.script_step(&mut further, path.positions.len(), id, &|_, _| 0);
            further.expected.truncate(script.expected.len());
            let (after, outcome) = self.play(further, path, false);
            if !after.is_complete() || after.trouble.is_some() {
                return Err(departs("the run is not the same again"));
            }
            let is_way = matches!(edge.origin, Some(Origin::CaseOfCall(..)));
            let refuses = match after.more_events.first() {
                // At a return the value decides which event it is.
                Some(event) if !is_way => offered.contains(&event),
                Some(event) => offers(id) && Some(event) == edge.event.as_ref(),
                None => offers(id) || matches!(outcome, RunOutcome::AssumptionUnmet(_)),
            };
            if !refuses {
                return Err(departs(format!("the run does not refuse `{}`", edge.text)));
            }
        }
        Ok(())
    }
}
