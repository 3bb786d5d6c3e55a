//! Walking through a program step by step, for people who choose: where it can start, what is possible, the run so far.
//! The steps are those of the exploration, so nobody can walk where the engines do not look.

use super::explore::{ExplicitSettings, Explorer, Run, runnable};
use super::state::State;
use super::step::{After, Stepper};
use crate::graph::{EdgeId, Program};
use crate::setup::Setup;
use crate::trace::{ThreadId, Trace};
use crate::words::words_of;
use base::SourceMap;
use verdict::{Path, Undecided};

/// Knows what is possible.
pub struct Walker<'p> {
    explorer: Explorer<'p>,
}

/// A run that was chosen step by step.
#[derive(Clone)]
pub struct Walk {
    run: Run,
    has_failed: bool,
}

/// A step that can come next.
pub struct Possible {
    /// Who makes it.
    pub thread: ThreadId,
    /// What it does.
    pub edge: EdgeId,
    position: usize,
    after: After,
}

impl Possible {
    /// Does an assertion fail by it, or is it an error label?
    pub fn fails(&self) -> bool {
        matches!(self.after, After::Failure)
    }
}

impl<'p> Walker<'p> {
    /// For a program and its threads.
    pub fn new(program: &'p Program, setup: &'p Setup) -> Walker<'p> {
        let (stepper, settings) = (Stepper::new(program, setup), ExplicitSettings::default());
        Walker { explorer: Explorer { stepper, settings } }
    }

    /// The states in which it can start.
    pub fn starts(&self) -> Result<Vec<State>, Undecided> {
        self.explorer.initial_states()
    }

    /// A walk of no step.
    pub fn begin(&self, start: State) -> Walk {
        Walk { run: Run::new(start, &self.explorer), has_failed: false }
    }

    /// What can come next, in a fixed order; nothing after a failure.
    pub fn possible(&self, walk: &Walk) -> Result<Vec<Possible>, Undecided> {
        let mut found = Vec::new();
        if walk.has_failed {
            return Ok(found);
        }
        for position in runnable(&walk.run.state) {
            let thread = walk.run.numbers[position];
            let steps = self.explorer.stepper.steps(&walk.run.state, position)?;
            found.extend(steps.into_iter().map(|(edge, after)| Possible { thread, edge, position, after }));
        }
        Ok(found)
    }
}

impl Walk {
    /// Goes on with a step that is possible.
    pub fn take(&mut self, step: Possible) {
        match step.after {
            After::State(next) => self.run.take(step.position, step.edge, next),
            After::Failure => {
                self.run.fail_at(step.position, step.edge);
                self.has_failed = true;
            }
        }
    }

    /// The run so far. It is a violation only if it [has failed](Walk::has_failed).
    pub fn trace(&self) -> &Trace {
        &self.run.trace
    }

    /// The run so far in words, as counterexamples have it.
    pub fn path(&self, program: &Program, sources: &SourceMap) -> Path {
        let mut path = self.run.trace.to_path(program, &|edge| words_of(program, sources, edge));
        if !self.has_failed {
            path.ends_because.clear();
        }
        path
    }

    /// Did its last step fail?
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// How many threads run.
    pub fn running(&self) -> usize {
        self.run.state.threads.len()
    }
}
