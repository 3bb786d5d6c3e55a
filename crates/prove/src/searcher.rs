//! Bounded model checking by iterative deepening, until it has seen everything or a limit is reached. Tells the provers how deep it came.

use crate::bounded::{BoundedSearch, Deepened};
use crate::finding::{Finding, Proof};
use crate::settings::Settings;
use base::Budget;
use program::{PointsTo, Program};
use question::Property;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use symbolic::Meaning;
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};

/// The rounds of loops within which nothing fails and nothing is unknown.
#[derive(Debug, Default)]
pub struct Base(AtomicU32);

impl Base {
    /// How many rounds.
    pub fn rounds(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
}

/// What is searched.
pub struct Searcher<'p> {
    /// The program.
    pub program: &'p Program,
    /// What its pointers point to.
    pub points_to: &'p PointsTo,
    /// The question.
    pub property: &'p Property,
    /// What the user chose.
    pub settings: &'p Settings,
    /// Where to tell the depth.
    pub base: &'p Base,
    /// Is memory that is read before it is written looked for? No other engine does.
    pub watch_unwritten: bool,
    /// Have long runs ended without an answer? While there may be but one, the interpreter follows it faster than any search.
    pub runs_are_over: &'p AtomicBool,
}

/// Rounds that are searched nevertheless: a base for induction.
const ROUNDS_BESIDE_RUNS: u32 = 8;

/// What the search found.
pub struct Searched {
    /// The answer; `None` if there was no search.
    pub finding: Option<Finding>,
    /// Can no other engine do better?
    pub is_final: bool,
    /// Steps encoded.
    pub steps: u64,
    /// Questions asked.
    pub queries: u64,
    /// The deepest unrolling that was finished.
    pub rounds: u32,
    /// What the answer rests on.
    pub assumptions: Vec<String>,
}

impl Searched {
    /// Nothing was searched.
    pub fn not_made() -> Searched {
        Searched { finding: None, is_final: false, steps: 0, queries: 0, rounds: 0, assumptions: Vec::new() }
    }
}

impl Searcher<'_> {
    /// Searches until everything was seen, something fails, or a limit is reached.
    pub fn search(&self, budget: &Budget) -> Searched {
        let meaning = Meaning::new(self.program, self.points_to);
        let mut searched = Searched::not_made();
        let begun =
            BoundedSearch::new(self.program, &meaning, self.property, self.settings, self.watch_unwritten);
        let Some(mut search) = begun else {
            let construct = "a program without `main`".to_owned();
            let reason = Reason::NotSupported { construct, at: base::Span::default() };
            searched.finding = Some(Finding::Undecided(Undecided::because(reason)));
            searched.is_final = true;
            return searched;
        };
        let mut rounds = 1;
        let finding = loop {
            if self.settings.most_rounds.is_some_and(|most| rounds > most) {
                let limit = u64::from(rounds - 1);
                break stopped(&search, Reason::SizeLimit { what: "rounds of a loop", limit });
            }
            if rounds > ROUNDS_BESIDE_RUNS
                && let Err(exhausted) = self.wait_for_runs(budget)
            {
                break stopped(&search, exhausted.into());
            }
            match search.deepen(rounds, budget) {
                Deepened::Violated(violation) => {
                    searched.is_final = true;
                    break Finding::Violated(violation);
                }
                Deepened::Exhausted(exhausted) => break stopped(&search, exhausted.into()),
                Deepened::Complete => {
                    searched.rounds = rounds;
                    searched.is_final = true;
                    break match search.undecided() {
                        Some(undecided) => Finding::Undecided(undecided),
                        None => Finding::Holds(Proof {
                            engine: "bmc",
                            how: how_complete(self.program).into(),
                            certificate: ProgramProof::by(ProofArgument::Unwinding { rounds }),
                        }),
                    };
                }
                Deepened::Bounded => searched.rounds = rounds,
            }
            // A proof needs a base without anything that stands against it, as deep as the step.
            let safe = if search.obstacles.is_empty() { rounds } else { 0 };
            self.base.0.store(safe, Ordering::Release);
            rounds = next_rounds(rounds);
        };
        searched.finding = Some(finding);
        searched.steps = search.explorer.steps;
        searched.queries = search.queries();
        searched.assumptions.extend(search.explorer.encoder.notes.iter().cloned());
        searched
    }

    /// Until long runs have ended, or the time is over.
    fn wait_for_runs(&self, budget: &Budget) -> Result<(), base::Exhausted> {
        while !self.runs_are_over.load(Ordering::Acquire) {
            budget.check()?;
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Ok(())
    }
}

/// Why a finished unrolling is a proof. A loop that does nothing is no run's end, but nothing happens in it.
fn how_complete(program: &Program) -> &'static str {
    let waits = program.procedures.iter().filter_map(|procedure| procedure.body.as_ref()).any(|body| {
        body.nodes.ids().any(|node| match body.nodes[node].out[..] {
            [edge] => body.edges[edge].to == node && body.edges[edge].action == program::Action::Skip,
            _ => false,
        })
    });
    if waits {
        "within the unrolling every run ends or stays in a loop that does nothing, and none fails"
    } else {
        "every run ends within the unrolling, and none fails"
    }
}

/// Deeper each time, so that what is walked again past a loop stays a small part of the whole.
fn next_rounds(rounds: u32) -> u32 {
    rounds.saturating_add((rounds / 2).max(1))
}

fn stopped(search: &BoundedSearch<'_, '_>, reason: Reason) -> Finding {
    let mut undecided = Undecided::because(reason);
    if let Some((span, what)) = search.held_back() {
        let program = search.explorer.encoder.meaning.program;
        let at = program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"));
        undecided = undecided
            .proved(format!("no run fails while {what}{at} is unrolled up to the last finished bound"))
            .try_next("give more time with --time-limit");
    }
    Finding::Undecided(undecided)
}
