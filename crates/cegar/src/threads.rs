//! Threaded programs: all interleavings become one sequential program, which the table of engines answers about. Calls
//! that create threads again and again get room for two, then for more; an answer that needs more than there is room
//! for stays open.

use crate::table::Choice;
use base::{Budget, Event, EventSink};
use program::{DATA_RACE, DEADLOCK, Program, THREAD_MISUSE};
use prove::Settings;
use question::{Answer, Asks, Broken, Check, Checks, Counterexample, Property, Question, Verdict};
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
    /// The answer.
    pub answer: Answer,
}

/// What must never happen, with races, deadlocks and the misuse of functions of threads as calls of functions that
/// stand for them. Where there is one thread and something else is asked, they need not be asked about.
#[must_use]
pub fn with_races_as_calls(property: &Property, is_threaded: bool) -> Property {
    let mut asked = property.clone();
    asked.checks = property
        .checks
        .iter()
        .filter(|&check| !matches!(check, Check::Race | Check::Deadlock))
        .fold(Checks::none(), Checks::with);
    let asks_nothing_else = asked == Property::default();
    let stand_ins = [(Check::Race, DATA_RACE), (Check::Deadlock, DEADLOCK)];
    for (check, name) in stand_ins {
        if property.checks.has(check) && (is_threaded || asks_nothing_else) {
            asked.functions.push(name.to_owned());
        }
    }
    if is_threaded && property.checks.has(Check::Library) {
        asked.functions.push(THREAD_MISUSE.to_owned());
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
        let sequential = None;
        return Threaded {
            sequential,
            answer: crate::verify::verify(question, choice, settings, budget, events),
        };
    };
    let asks_for = |name: &str| property.functions.iter().any(|asked| asked == name);
    let (races, deadlocks, misuse) = (asks_for(DATA_RACE), asks_for(DEADLOCK), asks_for(THREAD_MISUSE));
    let mut last: Option<Threaded> = None;
    for (round, most_at_once) in AT_ONCE.into_iter().enumerate() {
        let options = Options { most_at_once, races, deadlocks, misuse };
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
        let assumed = if threads::is_threaded(question.about) { &ASSUMED[..] } else { &[] };
        answer.assume(assumed.iter().map(|&what| what.to_owned()));
        name_violation(&mut answer, &sequential.program);
        if answer.verdict.holds()
            && let Some(what) = not_looked_for(question.about, property)
        {
            let at = base::Span::NOWHERE;
            answer.downgrade(Undecided::because(Reason::NotSupported { construct: what.to_owned(), at }));
        }
        if answer.verdict.holds()
            && let Some(at) = threads::weaker_order(question.about)
        {
            let construct = "a proof about atomic operations of an order weaker than `seq_cst`".to_owned();
            answer.downgrade(Undecided::because(Reason::NotSupported { construct, at }));
        }
        let is_last = !sequential.is_limited || !answer.verdict.is_undecided();
        last = Some(Threaded { sequential: Some(sequential), answer });
        if is_last || budget.check().is_err() {
            break;
        }
    }
    last.unwrap_or_else(|| {
        refused(question, Refusal { construct: "this program".into(), at: base::Span::NOWHERE })
    })
}

/// What is asked and the sequential program has no words for, so that no proof about it counts.
fn not_looked_for(program: &Program, property: &Property) -> Option<&'static str> {
    let checks = property.checks;
    if checks.has(Check::Library)
        && let Some(what) = threads::misuse_not_looked_for(program)
    {
        return Some(what);
    }
    if checks.has(Check::Uninitialised) {
        return Some("a proof, in a program with threads, that everything was written before it is read");
    }
    if checks.has(Check::Leak) && threads::main_may_leave(program) {
        return Some("a proof that nothing is left behind where `main` leaves and other threads go on");
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
    Threaded { sequential: None, answer }
}

/// A call of a function that stands for something is that, and the run tells more of it.
fn name_violation(answer: &mut Answer, program: &Program) {
    let Verdict::Violated(counterexample) = &mut answer.verdict else { return };
    let Counterexample::Run(violation) = &mut **counterexample else { return };
    let concrete::Outcome::ErrorReached { function, .. } = &violation.run.outcome else { return };
    let (check, what) = match &**function {
        DATA_RACE => (
            Check::Race,
            "two threads access the same memory at the same time, and one of them writes: a data race",
        ),
        DEADLOCK => (Check::Deadlock, "threads wait for ever"),
        THREAD_MISUSE => (Check::Library, "a function of threads is misused"),
        _ => return,
    };
    what.clone_into(&mut violation.what);
    violation.broken = Broken::Check(check);
    let Some(interleaving) = &program.interleaving else { return };
    let Some(body) = program.main.and_then(|main| program.procedures[main].body.as_ref()) else { return };
    let steps = violation.steps.iter().filter(|step| Some(step.procedure) == program.main);
    let told: Vec<(&str, base::Span)> = steps
        .filter_map(|step| {
            let from = body.edges[step.edge].from;
            let told = interleaving.told.get(&from)?;
            Some((&**told, body.nodes[from].span))
        })
        .collect();
    if let Some(&(_, span)) = told.first() {
        let told: Vec<&str> = told.iter().map(|&(told, _)| told).collect();
        violation.what = format!("{what}: {}", told.join("; "));
        violation.span = span;
    }
}
