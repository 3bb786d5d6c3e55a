//! Threaded programs: all interleavings become one sequential program, which the table of engines answers about. Calls that create threads again and again
//! get room for two, then for more; an answer that needs more than there is room for stays open.

use crate::table::Choice;
use base::{Budget, Event, EventSink};
use program::{DATA_RACE, Program};
use prove::Settings;
use question::{Answer, Asks, Check, Checks, Counterexample, Property, Question, Verdict};
use threads::{Options, Refusal, Sequential};
use verdict::{Reason, Undecided};

/// Threads that one call may create, in the order in which they are tried.
const AT_ONCE: [u32; 4] = [2, 3, 4, 6];

/// What the answer rests on besides.
const ASSUMED: [&str; 2] = [
    "memory is sequentially consistent: all threads see its changes in one order",
    "threads can always be created",
];

/// An answer, and the sequential program that it is about.
#[derive(Debug)]
pub struct Threaded {
    /// The program; nothing where none could be made.
    pub sequential: Option<Sequential>,
    /// Threads that one call can create in it when it is made again and again.
    pub most_at_once: u32,
    /// The threaded program with one shared access per step, if the answer is a run of it.
    pub divided: Option<Program>,
    /// The answer.
    pub answer: Answer,
}

/// What must never happen, with races as calls of a function that stands for them. Where there is one thread and something else is asked, they need not be asked about.
#[must_use]
pub fn with_races_as_calls(property: &Property, is_threaded: bool) -> Property {
    let mut asked = property.clone();
    if property.checks.has(Check::Race) {
        asked.checks =
            property.checks.iter().filter(|&check| check != Check::Race).fold(Checks::none(), Checks::with);
        if is_threaded || asked == Property::default() {
            asked.functions.push(DATA_RACE.to_owned());
        }
    }
    asked
}

/// Answers about a program that creates threads. Races are asked about as [`with_races_as_calls`] has them.
pub fn verify_threads(
    question: &Question<'_, Program>,
    choice: Choice,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Threaded {
    let Asks::Never(property) = &question.asks else {
        let (sequential, divided) = (None, None);
        return Threaded {
            sequential,
            most_at_once: 0,
            divided,
            answer: crate::verify::verify(question, choice, settings, budget, events),
        };
    };
    let races = property.functions.iter().any(|name| name == DATA_RACE);
    let mut last: Option<Threaded> = None;
    for (round, most_at_once) in AT_ONCE.into_iter().enumerate() {
        let options = Options { most_at_once, races };
        let sequential = match threads::sequentialise(question.about, &options) {
            Ok(sequential) => sequential,
            Err(refusal) => return last.unwrap_or_else(|| refused(question, refusal)),
        };
        events.emit(Event::Count {
            what: "threads",
            value: sequential.program.interleaving.as_ref().map_or(0, |all| all.threads.len() as u64),
        });
        let share = if sequential.is_limited { budget.share(AT_ONCE.len() - round) } else { budget.clone() };
        let asked =
            Question { name: question.name.clone(), about: &sequential.program, asks: question.asks.clone() };
        let mut answer = crate::verify::verify(&asked, choice, settings, &share, events);
        answer.assume(ASSUMED.map(str::to_owned));
        let divided = repeat(question.about, &sequential.program, property, settings, &mut answer, budget);
        if answer.verdict.holds()
            && let Some((construct, at)) = beyond_one_program(question.about, property)
        {
            answer.downgrade(Undecided::because(Reason::NotSupported { construct, at }));
        }
        let is_last = !sequential.is_limited || !answer.verdict.is_undecided();
        last = Some(Threaded { sequential: Some(sequential), most_at_once, divided, answer });
        if is_last || budget.check().is_err() {
            break;
        }
    }
    last.unwrap_or_else(|| {
        refused(question, Refusal { construct: "this program".into(), at: base::Span::NOWHERE })
    })
}

/// What a proof about the sequential program does not cover, and where: then there is none.
pub fn beyond_one_program(program: &Program, property: &Property) -> Option<(String, base::Span)> {
    if let Some(what) = not_looked_for(program, property) {
        return Some((what.to_owned(), base::Span::NOWHERE));
    }
    let at = threads::weaker_order(program)?;
    Some(("a proof about atomic operations of an order weaker than `seq_cst`".to_owned(), at))
}

/// What is asked and the sequential program has no words for, so that no proof about it counts.
fn not_looked_for(program: &Program, property: &Property) -> Option<&'static str> {
    let checks = property.checks;
    if checks.has(Check::Library) {
        return Some(
            "a proof, in a program with threads, that functions of threads are called as they should be (`library`)",
        );
    }
    if checks.has(Check::Uninitialised) {
        return Some("a proof, in a program with threads, that everything was written before it is read");
    }
    if checks.has(Check::Leak) {
        return Some("a proof, in a program with threads, that nothing is left behind");
    }
    let has_own_memory =
        program.variables.iter().any(|variable| variable.is_thread_local && variable.in_memory);
    if checks.has(Check::UseAfterFree) && has_own_memory {
        return Some("a proof that nobody uses the thread storage of a thread that has ended");
    }
    None
}

fn refused(question: &Question<'_, Program>, refusal: Refusal) -> Threaded {
    let reason = Reason::NotSupported { construct: refusal.construct, at: refusal.at };
    let answer = Answer::new(question.name.clone(), "auto", Undecided::because(reason).into());
    Threaded { sequential: None, most_at_once: 0, divided: None, answer }
}

/// A violation must be one of the program's own threads, which the interpreter describes for itself; then it is told as they show it. The program that it is about.
fn repeat(
    threaded: &Program,
    sequential: &Program,
    property: &Property,
    settings: &Settings,
    answer: &mut Answer,
    budget: &Budget,
) -> Option<Program> {
    let violation = answer.verdict.run()?;
    match prove::confirm(threaded, sequential, property, settings.missing, violation, budget) {
        Ok(repeated) => {
            answer.verdict = Verdict::Violated(Box::new(Counterexample::Run(repeated.violation)));
            Some(repeated.program)
        }
        Err(why) => {
            let why =
                format!("all interleavings as one program fail, and its threads do not repeat it: {why}");
            answer.downgrade(Undecided::because(Reason::NotConfirmed { why }));
            None
        }
    }
}
