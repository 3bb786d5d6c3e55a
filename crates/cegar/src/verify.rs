//! The loop: bounded search deepens, and between two depths the other engines try to prove what it cannot finish.

use crate::bounded::{BoundedSearch, Deepened};
use crate::finding::{Finding, Outcome, Proof};
use crate::induction::{Attempt, Induction};
use crate::property::{Check, Engine, Property, Settings};
use base::Budget;
use program::{PointsTo, Program};
use symbolic::Meaning;
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};

/// Can the program do what the property forbids?
pub fn verify(program: &Program, property: &Property, settings: &Settings, budget: &Budget) -> Outcome {
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
    if settings.engine == Engine::Auto
        && let Some(violation) = crate::testing::test(program, property, settings, budget)
    {
        outcome.finding = Finding::Violated(Box::new(violation));
        return outcome;
    }
    if settings.engine == Engine::Auto && crate::testing::only_run(program, property, settings, budget) {
        outcome.finding = Finding::Holds(Proof {
            engine: "testing",
            how: "the program takes no input: its only run was seen to its end".into(),
            certificate: ProgramProof::by(ProofArgument::OnlyRun),
        });
        return outcome;
    }
    let points_to = PointsTo::of(program);
    let not_covered = crate::covered::uninitialised_reads(program, &points_to, property);
    let has_leaks_to_exclude =
        property.checks.has(Check::Leak) && crate::covered::allocates(program, &points_to);
    let meaning = Meaning::new(program, &points_to);
    let Some(mut search) = BoundedSearch::new(program, &meaning, property, settings) else {
        let construct = "a program without `main`".to_owned();
        let reason = Reason::NotSupported { construct, at: base::Span::default() };
        outcome.finding = Finding::Undecided(Undecided::because(reason));
        return outcome;
    };
    let mut induction = match settings.engine {
        Engine::Bounded => None,
        // From the middle of a run, nobody knows which blocks there are.
        _ if has_leaks_to_exclude => None,
        Engine::Auto | Engine::Induction => Some(Induction::new(program, &meaning, property, settings)),
    };
    let mut depth = 1;
    let mut rounds = 1;
    let mut refused = None;
    outcome.finding = loop {
        if settings.most_rounds.is_some_and(|most| rounds > most) {
            break stopped(
                &search,
                Reason::SizeLimit { what: "rounds of a loop", limit: u64::from(rounds - 1) },
            );
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
                        certificate: ProgramProof::by(ProofArgument::Unwinding { rounds }),
                    }),
                };
            }
            Deepened::Bounded => outcome.rounds = rounds,
        }
        // A proof needs a base without anything that stands against it, as deep as the step.
        if depth <= rounds.min(MOST_DEPTH)
            && search.obstacles.is_empty()
            && let Some(engine) = &mut induction
        {
            let share = budget.clone().with_time(share_of(budget));
            match engine.attempt(depth, &share) {
                Attempt::Proved(proof) => break Finding::Holds(proof),
                Attempt::NotInductive => depth += 1,
                Attempt::Refused(why) => {
                    refused = Some(why);
                    outcome.queries += engine.queries();
                    induction = None;
                }
            }
        }
        rounds = next_rounds(rounds);
    };
    if let (Finding::Holds(_), Some(undecided)) = (&outcome.finding, not_covered) {
        outcome.finding = Finding::Undecided(undecided);
    }
    if let (Finding::Undecided(undecided), Some(why)) = (&mut outcome.finding, refused) {
        undecided.proved.push(format!("induction could not be used: {why}"));
    }
    outcome.steps = search.explorer.steps;
    outcome.queries = search.queries();
    outcome.assumptions.extend(search.explorer.encoder.notes.iter().cloned());
    outcome
}

/// Steps of induction deeper than this cost more than they find.
const MOST_DEPTH: u32 = 6;

/// The time for one attempt: a third of what is left, so that the search goes on when it fails.
fn share_of(budget: &Budget) -> std::time::Duration {
    let left = budget.deadline().map(|end| end.saturating_duration_since(std::time::Instant::now()));
    left.map_or(std::time::Duration::from_secs(60), |left| left / 3)
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
