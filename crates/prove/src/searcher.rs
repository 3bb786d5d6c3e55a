//! Bounded model checking by iterative deepening, until it has seen everything or a limit is reached. Tells
//! the provers how deep it came.

use crate::bounded::{BoundedSearch, Deepened};
use crate::code::{Code, CodeEngine, CodeRequest, not_for_this};
use base::{Budget, Event, EventSink, Exhausted};
use program::Program;
use question::{Answer, Knowledge, Verdict};
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};

const NAME: &str = "bmc";

/// Rounds that are searched while long runs go on: a base for induction.
const ROUNDS_BESIDE_RUNS: u32 = 8;

/// Bounded model checking: all runs, with loops and recursion unrolled further each time.
pub const BMC: CodeEngine = CodeEngine::new(NAME, "Bounded search by unrolling", by_unrolling);

fn by_unrolling(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    let Some(meaning) = code.meaning else {
        return Answer::by(NAME, not_for_this(NAME, "the meaning of steps is not known"));
    };
    let begun = BoundedSearch::new(code.program, meaning, code.property, code.settings, code.watch_unwritten);
    let Some(mut search) = begun else {
        knowledge.exhaust();
        let construct = "a program without `main`".to_owned();
        let reason = Reason::NotSupported { construct, at: base::Span::default() };
        return Answer::by(NAME, Undecided::because(reason));
    };
    let mut finished = 0;
    let mut answer = deepen(code, &mut search, &mut finished, knowledge, budget, events);
    knowledge.asked(search.queries());
    answer.statistics.count("steps", search.explorer.steps);
    answer.statistics.count("rounds", u64::from(finished));
    answer.assume(search.explorer.encoder.notes.iter().cloned());
    answer
}

/// Unrolls further and further; `finished` is the last unrolling that was seen to its end.
fn deepen(
    code: &Code<'_>,
    search: &mut BoundedSearch<'_, '_>,
    finished: &mut u32,
    knowledge: &Knowledge,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let stopped = |search: &BoundedSearch<'_, '_>, reason| Answer::by(NAME, stopped(search, reason));
    let mut rounds = 1;
    loop {
        if code.settings.most_rounds.is_some_and(|most| rounds > most) {
            let limit = u64::from(rounds - 1);
            return stopped(search, Reason::SizeLimit { what: "rounds of a loop", limit });
        }
        if rounds > ROUNDS_BESIDE_RUNS
            && let Err(exhausted) = wait_for_runs(knowledge, budget)
        {
            return stopped(search, exhausted.into());
        }
        events.emit(Event::Count { what: "rounds", value: u64::from(rounds) });
        match search.deepen(rounds, budget) {
            Deepened::Violated(violation) => return Answer::by(NAME, violation),
            Deepened::Exhausted(exhausted) => return stopped(search, exhausted.into()),
            Deepened::Complete => {
                *finished = rounds;
                // Nobody sees more than this.
                knowledge.exhaust();
                let proof = ProgramProof::by(ProofArgument::Unwinding { rounds });
                return match search.undecided() {
                    Some(undecided) => Answer::by(NAME, undecided),
                    None => Answer::proved(NAME, how_complete(code.program), proof),
                };
            }
            Deepened::Bounded => *finished = rounds,
        }
        events.emit(Event::Count { what: "steps", value: search.explorer.steps });
        // A proof needs a base without anything that stands against it, as deep as the step.
        knowledge.searched_to(if search.obstacles.is_empty() { rounds } else { 0 });
        rounds = next_rounds(rounds);
    }
}

/// Until long runs have ended, or the time is over.
fn wait_for_runs(knowledge: &Knowledge, budget: &Budget) -> Result<(), Exhausted> {
    while !knowledge.runs_are_over() {
        budget.check()?;
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Ok(())
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

fn stopped(search: &BoundedSearch<'_, '_>, reason: Reason) -> Verdict {
    let mut undecided = Undecided::because(reason);
    if let Some((span, what)) = search.held_back() {
        let program = search.explorer.encoder.meaning.program;
        let at = program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"));
        undecided = undecided
            .proved(format!("no run fails while {what}{at} is unrolled up to the last finished bound"))
            .try_next("give more time with --time-limit");
    }
    undecided.into()
}
