//! The loop: bounded search deepens, and between two depths the other engines try to prove what it cannot finish.

use crate::bounded::{BoundedSearch, Deepened};
use crate::finding::{Finding, Outcome, Proof};
use crate::property::{Property, Settings};
use base::Budget;
use program::{PointsTo, Program};
use symbolic::Meaning;
use verdict::{Reason, Undecided};

/// Can the program do what the property forbids?
pub fn verify(program: &Program, property: &Property, settings: &Settings, budget: &Budget) -> Outcome {
    let points_to = PointsTo::of(program);
    let meaning = Meaning::new(program, &points_to);
    let mut outcome = Outcome {
        finding: Finding::Undecided(Undecided::because(Reason::TimeLimit)),
        assumptions: Vec::new(),
        steps: 0,
        queries: 0,
        rounds: 0,
    };
    if let Some(undecided) = refusal(program) {
        outcome.finding = Finding::Undecided(undecided);
        return outcome;
    }
    let Some(mut search) = BoundedSearch::new(program, &meaning, property, settings) else {
        let construct = "a program without `main`".to_owned();
        let reason = Reason::NotSupported { construct, at: base::Span::default() };
        outcome.finding = Finding::Undecided(Undecided::because(reason));
        return outcome;
    };
    let mut rounds = 1;
    outcome.finding = loop {
        if settings.most_rounds.is_some_and(|most| rounds > most) {
            break stopped(&search, Reason::SizeLimit { what: "rounds of a loop", limit: u64::from(rounds - 1) });
        }
        match search.deepen(rounds, budget) {
            Deepened::Violated(violation) => break Finding::Violated(violation),
            Deepened::Exhausted(exhausted) => break stopped(&search, exhausted.into()),
            Deepened::Complete => {
                outcome.rounds = rounds;
                break match search.undecided() {
                    Some(undecided) => Finding::Undecided(undecided),
                    None => Finding::Holds(Proof {
                        engine: "bmc",
                        how: "every run ends within the unrolling, and none fails".into(),
                        invariants: Vec::new(),
                    }),
                };
            }
            Deepened::Bounded => outcome.rounds = rounds,
        }
        rounds = next_rounds(rounds);
    };
    outcome.steps = search.explorer.steps;
    outcome.queries = search.queries();
    outcome.assumptions.extend(search.explorer.encoder.notes.iter().cloned());
    outcome
}

/// Deeper each time, so that what is walked again past a loop stays a small part of the whole.
fn next_rounds(rounds: u32) -> u32 {
    rounds.saturating_add((rounds / 2).max(1))
}

/// What no engine here can deal with.
fn refusal(program: &Program) -> Option<Undecided> {
    let special = program.constructors.first().or(program.destructors.first())?;
    let construct = "a constructor or destructor function".to_owned();
    let at = program.procedures[*special].span;
    Some(Undecided::because(Reason::NotSupported { construct, at }))
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
