//! All interleavings of a program whose every run ends: stateless search by running it again and again.
//!
//! After Abdulla, Aronis, Jonsson, Sagonas 2014 (source sets with sleep sets). DIVERGENCE: all pairs of dependent steps
//! are looked at, not only those with nothing ordered between, which covers steps that can be blocked; data that is
//! open (inputs of few values, which waiter is woken) is tried way by way inside a step.
//! Naive twin: [`Reduction::None`]; the tests require agreement on random programs.
//!
//! **Obligation.** With [`Explored::Everything`] every Mazurkiewicz trace of the program was run to its end, and no limit was met.
//!
//! Reading order: [`visible`] (steps that others may see) → `order` (which steps of a run depend on which) → `trail`
//! (the runs that were made and those still to be made) → this file.

mod order;
mod trail;
mod visible;

pub use crate::machine::is_visible_from;
pub use trail::Reduction;
pub use visible::accesses;

use crate::Interpreter;
use crate::host::Captured;
use crate::inputs::ListedInputs;
use crate::observe::Observer;
use crate::outcome::{Run, RunOutcome};
use crate::schedule::{Plan, Planned, VisibleEdges};
use crate::settings::Settings;
use trail::Trail;

/// Says of each run whether it is one that is looked for.
pub trait Judge {
    /// Who watches the next run.
    fn observer(&mut self) -> Option<&mut dyn Observer>;

    /// What the run that was just made shows.
    fn judge(&mut self, run: &Run) -> Judged;
}

/// What a run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It is one that is looked for.
    Found,
    /// It was seen to its end, and is not.
    Fine,
    /// It was not, or does what nobody can say the consequences of; why.
    Open(String),
}

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explored {
    /// Every run was seen, and none is looked for.
    Everything {
        /// Runs that were made.
        runs: u64,
    },
    /// The run of this schedule is.
    Found(Box<Plan>),
    /// Some runs were not seen to their end, for this reason; none that was seen is looked for.
    Partly(Unseen),
}

/// Why some runs were not seen to their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// There are more of them than were to be tried.
    TooManyRuns,
    /// A limit came.
    Exhausted(base::Exhausted),
    /// A step accesses shared memory more than once, so that others may come between.
    CoarseSteps,
    /// A run, or what may happen at an input of it, is cut off.
    LeftOut(&'static str),
    /// Who judges them could not say.
    Unjudged(String),
}

impl std::fmt::Display for Unseen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unseen::TooManyRuns => f.write_str("there are more interleavings than were tried"),
            Unseen::Exhausted(exhausted) => exhausted.fmt(f),
            Unseen::CoarseSteps => f.write_str("a step accesses shared memory more than once"),
            Unseen::LeftOut(what) => f.write_str(what),
            Unseen::Unjudged(why) => f.write_str(why),
        }
    }
}

/// How runs are made.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// What is left out.
    pub reduction: Reduction,
    /// Runs at most.
    pub most_runs: u64,
}

impl Search {
    /// As far as time goes.
    pub const ALL: Search = Search { reduction: Reduction::Commuting, most_runs: u64::MAX };
}

/// Visible steps of a run at most.
const MOST_VISIBLE: usize = 3_000;

impl Interpreter<'_> {
    /// Makes all runs that differ in the order of dependent steps, until one is found that is looked for. The program
    /// must have been made ready by [`Interpreter::for_threads`].
    pub fn explore(
        &self,
        settings: &Settings,
        visible: &VisibleEdges,
        search: Search,
        judge: &mut dyn Judge,
    ) -> Explored {
        let mut trail = Trail::new(search.reduction, MOST_VISIBLE);
        let mut partly: Option<Unseen> = None;
        let mut runs = 0;
        loop {
            runs += 1;
            let (mut host, mut inputs) = (Captured::default(), ListedInputs::default());
            let driver = (&mut trail as &mut dyn crate::schedule::Driver, visible);
            let run = self.drive(settings, &mut host, &mut inputs, driver, judge.observer());
            match judge.judge(&run) {
                Judged::Found => {
                    let mut plan = trail.plan();
                    plan.threads = run.threads;
                    return Explored::Found(Box::new(plan));
                }
                // It goes on as another run that was seen.
                _ if trail.is_known => trail.ended(false),
                Judged::Fine => trail.ended(!matches!(run.outcome, RunOutcome::Deadlock(_))),
                Judged::Open(why) => {
                    partly.get_or_insert(Unseen::Unjudged(why));
                    trail.ended(true);
                }
            }
            // Up to its first race a run does not depend on the size of steps.
            if !settings.races && partly.is_none() && trail.is_too_coarse() {
                partly = Some(Unseen::CoarseSteps);
            }
            if let Some(why) = trail.left_out {
                partly.get_or_insert(Unseen::LeftOut(why));
            }
            if let Err(limit) = settings.limits.budget.check() {
                return Explored::Partly(Unseen::Exhausted(limit));
            }
            if runs >= search.most_runs {
                return Explored::Partly(Unseen::TooManyRuns);
            }
            if !trail.next_run() {
                return partly.map_or(Explored::Everything { runs }, Explored::Partly);
            }
        }
    }

    /// Makes the run of a plan; `None` if it goes another way.
    pub fn repeat<'w>(
        &self,
        settings: &Settings,
        visible: &'w VisibleEdges,
        plan: &Plan,
        observer: Option<&'w mut dyn Observer>,
    ) -> Option<Run> {
        let (mut host, mut inputs) = (Captured::default(), ListedInputs::default());
        let mut planned = Planned::new(plan);
        let run = match observer {
            Some(observer) => {
                let world = (&mut planned as &mut dyn crate::schedule::Driver, visible);
                self.drive(settings, &mut host, &mut inputs, world, Some(observer))
            }
            None => self.drive(settings, &mut host, &mut inputs, (&mut planned, visible), None),
        };
        planned.departed.is_none().then_some(run)
    }
}
