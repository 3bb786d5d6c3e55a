//! The search for runs with few switches between threads: the bounded search on the program in which threads
//! take turns ([`program::Interleaving::in_turns`]), deepened round by round. In each round every thread
//! makes as many blocks as it likes.
//!
//! Source: Qadeer and Rehof, "Context-bounded model checking of concurrent software" (2005), that most
//! failures need few switches; Lal and Reps (2009) and Inverso et al., "Bounded model checking of
//! multi-threaded C programs via lazy sequentialization" (2014), rounds in which all threads run in turn.
//! Departure: loops of threads are unrolled as often as there are rounds, both grow together, and nothing is
//! concluded where no failure is found.
//!
//! **Obligation.** None for soundness: what is found is told only if the program of all interleavings, in
//! which any thread may be the next, fails in the interpreter by the same choices. Twin: `all-runs`; random
//! programs compare them.
//!
//! Worked example: main creates `f` and `g`; `f` waits in a loop for `x == 1`, which `g` writes before it
//! waits for `y == 1`. In round 0 main creates both and `g` writes `x`; in round 1 `f` goes on. A switch per
//! round of the search would need four.

use crate::bounded::{BoundedSearch, Deepened};
use crate::code::{Code, CodeEngine, CodeRequest, gave_up, not_for_this};
use crate::replay::{PlannedInputs, Replayed, replay, replay_settings};
use base::{Budget, Event};
use concrete::{ConsumedInput, Interpreter};
use program::interleaving::{drawn_by, whose_turn};
use program::{Interleaving, NEXT_THREAD, PointsTo};
use question::Answer;
use std::sync::Arc;
use symbolic::Meaning;
use verdict::{Reason, Undecided};

const NAME: &str = "turns";

/// Few switches between threads first.
pub const TURNS: CodeEngine =
    CodeEngine::new(NAME, "Bounded search for runs with few switches between threads", in_turns);

fn in_turns(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, budget, events, .. } = *asked;
    let all = code.program.interleaving.as_deref();
    let Some((all, program)) = all.and_then(|all| Some((all, all.in_turns.as_deref()?))) else {
        return Answer::by(NAME, not_for_this(NAME, "threads take no turns"));
    };
    let points_to = PointsTo::of(program);
    let meaning = Meaning::new(program, &points_to);
    let Some(mut search) = BoundedSearch::new(program, &meaning, code.property, code.settings, false) else {
        return Answer::by(NAME, not_for_this(NAME, "there is no `main`"));
    };
    let mut rounds = 1;
    let mut answer = loop {
        if code.settings.most_rounds.is_some_and(|most| rounds > most) {
            let limit = Reason::SizeLimit { what: "rounds of a loop", limit: u64::from(rounds - 1) };
            break Answer::by(NAME, gave_up("turns of threads", limit, budget));
        }
        events.emit(Event::Count { what: "rounds of turns", value: u64::from(rounds) });
        match search.deepen(rounds, budget) {
            Deepened::Bounded => rounds += 1,
            Deepened::Complete => {
                let why =
                    "no run fails in which threads take turns; it is left to others to prove it".to_owned();
                break Answer::by(NAME, Undecided::because(Reason::NotConfirmed { why }));
            }
            Deepened::Exhausted(exhausted) => {
                break Answer::by(NAME, gave_up("turns of threads", exhausted.into(), budget));
            }
            Deepened::Violated(violation) => {
                break drawn(code, all, &violation.inputs, budget).unwrap_or_else(|why| {
                    let why =
                        format!("threads that take turns fail, and as they are drawn they do not: {why}");
                    Answer::by(NAME, Undecided::because(Reason::NotConfirmed { why }))
                });
            }
        }
    };
    answer.statistics.count("steps", search.explorer.steps);
    answer.statistics.count("rounds", u64::from(rounds));
    answer
}

/// The run in the program in which any thread may be the next.
fn drawn(
    code: &Code<'_>,
    all: &Interleaving,
    inputs: &[ConsumedInput],
    budget: &Budget,
) -> Result<Answer, String> {
    repeated(NAME, code, as_drawn(inputs, all.threads.len(), all.draws_after_looking.is_some()), budget)
}

/// The run of the program in which any thread may be the next, by its inputs in order, if it fails.
pub fn repeated(
    engine: &'static str,
    code: &Code<'_>,
    inputs: Vec<(Arc<str>, u128)>,
    budget: &Budget,
) -> Result<Answer, String> {
    let interpreter = Interpreter::new(code.program);
    let settings = replay_settings(code.settings.missing, budget);
    let mut planned = PlannedInputs::listed(inputs);
    match replay(&interpreter, code.program, code.property, &settings, &mut planned) {
        Replayed::Confirmed(confirmed) => {
            let confirmed = crate::testing::shortened(
                &interpreter,
                code.program,
                code.property,
                code.settings,
                budget,
                *confirmed,
            );
            Ok(Answer::by(engine, confirmed.found_by(engine)))
        }
        Replayed::Refused(why) => Err(why),
    }
}

/// Whoever makes a block is drawn for it; everything else is as it was. Where it is looked for deadlocks, that is drawn once a round here, and before every block there.
fn as_drawn(inputs: &[ConsumedInput], threads: usize, looks: bool) -> Vec<(Arc<str>, u128)> {
    let next: Arc<str> = Arc::from(NEXT_THREAD);
    let mut drawn: Vec<(Arc<str>, u128)> = Vec::new();
    let mut last: Option<usize> = None;
    for input in inputs {
        let turn = whose_turn(&input.name);
        if looks && turn == Some(0) && last != Some(0) {
            // What was drawn right before the first thread is asked in this round.
            let of_round = drawn.iter().rposition(|(name, _)| *name == next);
            if let Some(at) = of_round {
                drawn.remove(at);
            }
        }
        last = turn.or(last);
        match turn {
            None => drawn.push((input.name.clone(), input.bits)),
            Some(_) if input.bits == 0 => {}
            Some(thread) => drawn.extend(block_of(thread, threads, looks)),
        }
    }
    drawn
}

/// How a thread is drawn for its next block.
pub fn block_of(thread: usize, threads: usize, looks: bool) -> Vec<(Arc<str>, u128)> {
    let bits = looks.then_some(false).into_iter().chain(drawn_by(thread, threads));
    bits.map(|bit| (Arc::from(NEXT_THREAD), u128::from(bit))).collect()
}
