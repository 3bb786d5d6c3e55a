//! Threaded programs: all interleavings become one sequential program, which the table of engines answers about. Calls
//! that create threads again and again get room for two, then for more; an answer that needs more than there is room
//! for stays open.

use crate::any_number::{Attempt, Supposed, not_for_any, prove_for_any};
use crate::conditions::Wealth;
use crate::table::{Choice, Lane, Placed, table};
use base::{Budget, Event, EventSink};
use program::{DATA_RACE, DEADLOCK, Program, THREAD_MISUSE};
use prove::{Settings, TESTING};
use question::{Answer, Asks, Check, Checks, Counterexample, Engine, Property, Question, Verdict, part_of};
use std::sync::Arc;
use std::time::{Duration, Instant};
use threads::{Options, Refusal, Sequential};
use verdict::{Reason, Undecided};

/// The first attempt at a proof for any number of threads, with its part of the time, and those that come after the first search.
const FIRST_ATTEMPT: (Attempt, u32) = (Attempt { followed: 1, wealth: Wealth::Few }, 4);
const LATER_ATTEMPTS: [(Attempt, u32); 3] = [
    (Attempt { followed: 1, wealth: Wealth::Many }, 4),
    (Attempt { followed: 2, wealth: Wealth::Few }, 3),
    (Attempt { followed: 2, wealth: Wealth::Many }, 2),
];

/// The part of the time for runs with drawn schedules, and how long they take at most.
const FOR_DRAWN: u32 = 12;
const LONGEST_DRAWN: Duration = Duration::from_secs(5);

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
    /// What is proved of the sequential program, if that is more than what was asked.
    pub shows: Option<Property>,
    /// What a proof for any number of threads supposes.
    pub supposed: Option<Supposed>,
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
        let (sequential, divided) = (None, None);
        return Threaded {
            sequential,
            most_at_once: 0,
            divided,
            answer: crate::verify::verify(question, choice, settings, budget, events),
            shows: None,
            supposed: None,
        };
    };
    let mut tried = Vec::new();
    let asked = ThreadedRequest { question, property, choice, settings, budget, events };
    if let Some(proved) = for_any(&asked, FIRST_ATTEMPT, &mut tried) {
        return proved;
    }
    let asks_for = |name: &str| property.functions.iter().any(|asked| asked == name);
    let (races, deadlocks, misuse) = (asks_for(DATA_RACE), asks_for(DEADLOCK), asks_for(THREAD_MISUSE));
    let mut last: Option<Threaded> = None;
    for (round, most_at_once) in AT_ONCE.into_iter().enumerate() {
        let leaks = asks_for_leaks(property);
        let options = Options { most_at_once, races, deadlocks, misuse, leaks };
        let sequential = match with_turns(question.about, &options, choice) {
            Ok(sequential) => sequential,
            Err(refusal) => {
                if round == 0
                    && let Some(answered) = drawn(&asked).or_else(|| attempts(&asked, &mut tried))
                {
                    return answered;
                }
                last = Some(last.unwrap_or_else(|| refused(question, refusal)));
                break;
            }
        };
        events.emit(Event::Count {
            what: "threads",
            value: sequential.program.interleaving.as_ref().map_or(0, |all| all.threads.len() as u64),
        });
        let share = match sequential.is_limited {
            true => budget.share(AT_ONCE.len() - round),
            false => before_drawn(budget),
        };
        let woven =
            Question { name: question.name.clone(), about: &sequential.program, asks: question.asks.clone() };
        let mut answer = crate::verify::verify(&woven, choice, settings, &share, events);
        let divided = repeat(question.about, &sequential.program, property, settings, &mut answer, budget);
        rest_on(&mut answer, question.about, property);
        let is_last = !sequential.is_limited || !answer.verdict.is_undecided();
        let is_limited = sequential.is_limited;
        last = Some(Threaded {
            sequential: Some(sequential),
            most_at_once,
            divided,
            answer,
            shows: None,
            supposed: None,
        });
        let is_open = last.as_ref().is_some_and(|last| last.answer.verdict.is_undecided());
        if (round == 0 || !is_limited)
            && is_open
            && let Some(answered) = drawn(&asked)
        {
            return answered;
        }
        if is_last || budget.check().is_err() {
            break;
        }
        if round == 0
            && let Some(proved) = attempts(&asked, &mut tried)
        {
            return proved;
        }
    }
    let mut last = last.unwrap_or_else(|| {
        refused(question, Refusal { construct: "this program".into(), at: base::Span::NOWHERE })
    });
    if let Verdict::Undecided(undecided) = &mut last.answer.verdict {
        tried.dedup();
        undecided.tried.extend(tried.into_iter().map(|why| format!("any number of threads: {why}")));
    }
    last
}

/// All of the time that is left but what runs with drawn schedules take.
fn before_drawn(budget: &Budget) -> Budget {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    let before = |left: Duration| budget.clone().with_time(left - (left / FOR_DRAWN).min(LONGEST_DRAWN));
    left.map_or_else(|| budget.clone(), before)
}

/// A failing run among those with drawn schedules: they have as many threads as the program creates.
fn drawn(asked: &ThreadedRequest<'_>) -> Option<Threaded> {
    let ThreadedRequest { question, property, choice, settings, budget, events } = *asked;
    let makes_runs = |row: &Placed<'_>| row.row.engine.name() == TESTING.name() && row.is_chosen_by(choice);
    if !table().iter().any(makes_runs) || !threads::is_threaded(question.about) {
        return None;
    }
    let share = part_of(budget, FOR_DRAWN, LONGEST_DRAWN);
    let found = prove::drawn_schedules(question.about, property, settings.missing, (&share, budget), events)?;
    let run = Verdict::Violated(Box::new(Counterexample::Run(found.violation)));
    let mut answer = Answer::new(question.name.clone(), TESTING.name(), run);
    rest_on(&mut answer, question.about, property);
    let divided = Some(found.program);
    Some(Threaded { sequential: None, most_at_once: 0, divided, answer, shows: None, supposed: None })
}

/// All interleavings as one program, and beside it, for whoever asks for it, the one in which threads take turns.
fn with_turns(program: &Program, options: &Options, choice: Choice) -> Result<Sequential, Refusal> {
    let mut sequential = threads::sequentialise(program, options)?;
    let is_asked = |row: &Placed<'_>| row.lane == Lane::Turns && row.is_chosen_by(choice);
    if table().iter().any(is_asked)
        && let Some(all) = &mut sequential.program.interleaving
        && let Ok(in_turns) = threads::in_turns(program, options)
    {
        Arc::make_mut(all).in_turns = Some(Arc::new(in_turns));
    }
    Ok(sequential)
}

/// What is asked, and how.
struct ThreadedRequest<'a> {
    question: &'a Question<'a, Program>,
    property: &'a Property,
    choice: Choice,
    settings: &'a Settings,
    budget: &'a Budget,
    events: &'a dyn EventSink,
}

/// The later attempts at a proof for any number of threads.
fn attempts(asked: &ThreadedRequest<'_>, tried: &mut Vec<String>) -> Option<Threaded> {
    LATER_ATTEMPTS.into_iter().find_map(|attempt| for_any(asked, attempt, tried))
}

/// What an answer rests on; and what no proof about the sequential program covers.
fn rest_on(answer: &mut Answer, program: &Program, property: &Property) {
    let assumed = if threads::is_threaded(program) { &ASSUMED[..] } else { &[] };
    answer.assume(assumed.iter().map(|&what| what.to_owned()));
    if answer.verdict.holds()
        && let Some(what) = not_looked_for(program, property)
    {
        let at = base::Span::NOWHERE;
        answer.downgrade(Undecided::because(Reason::NotSupported { construct: what.to_owned(), at }));
    }
    if answer.verdict.holds()
        && let Some(at) = threads::weaker_order(program)
    {
        let construct = "a proof about atomic operations of an order weaker than `seq_cst`".to_owned();
        answer.downgrade(Undecided::because(Reason::NotSupported { construct, at }));
    }
}

/// A proof for any number of threads, where calls create threads again and again.
fn for_any(
    asked: &ThreadedRequest<'_>,
    (attempt, part): (Attempt, u32),
    tried: &mut Vec<String>,
) -> Option<Threaded> {
    let ThreadedRequest { question, property, choice, settings, budget, events } = *asked;
    if not_looked_for(question.about, property).is_some() || not_for_any(property, attempt.followed) {
        return None;
    }
    let share = part_of(budget, part, Duration::from_secs(600));
    let proof = match prove_for_any(question.about, property, attempt, choice, settings, &share, events) {
        Ok(proof) => proof?,
        Err(why) => {
            tried.push(why.to_string());
            return None;
        }
    };
    let mut answer = proof.answer;
    answer.property.clone_from(&question.name);
    rest_on(&mut answer, question.about, property);
    answer.verdict.holds().then(|| Threaded {
        sequential: Some(proof.sequential),
        most_at_once: 0,
        divided: None,
        answer,
        shows: Some(proof.property),
        supposed: Some(proof.supposed),
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

/// Is it asked which blocks live when the program ends?
pub fn asks_for_leaks(property: &Property) -> bool {
    property.checks.has(Check::Leak) || property.checks.has(Check::Cleanup)
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
    if checks.has(Check::Lost) {
        return Some("a proof, in a program with threads, that something points to every block");
    }
    if checks.has(Check::Leak) && threads::main_may_leave(program) {
        return Some("a proof that nothing is left behind where `main` leaves and other threads go on");
    }
    let has_own_memory =
        program.variables.iter().any(|variable| variable.is_thread_local && variable.in_memory);
    if checks.has(Check::UseAfterFree) && has_own_memory {
        return Some("a proof that nobody uses the thread storage of a thread that has ended");
    }
    if checks.has(Check::UseAfterFree) && threads::leaves_stack_blocks(program) {
        return Some(
            "a proof that nobody uses what `alloca`, or an array of run-time length, left with its call",
        );
    }
    None
}

fn refused(question: &Question<'_, Program>, refusal: Refusal) -> Threaded {
    let reason = Reason::NotSupported { construct: refusal.construct, at: refusal.at };
    let answer = Answer::new(question.name.clone(), "auto", Undecided::because(reason).into());
    Threaded { sequential: None, most_at_once: 0, divided: None, answer, shows: None, supposed: None }
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
