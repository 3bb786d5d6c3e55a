//! Proofs for any number of threads (`threads::generalise` says why they hold): conditions are guessed, those that are kept if all are supposed of the other threads are found, and the
//! question is asked of the program that supposes them of the others and checks them of the threads that are followed. Only HOLDS is taken from it: it has runs that no
//! threads have. Nothing rests on how the conditions were found, since the same program checks them.

use crate::conditions::{Wealth, guessed};
use crate::table::Choice;
use base::{Budget, Event, EventSink};
use program::{BROKEN_CONDITION, BinaryOp, DATA_RACE, DEADLOCK, Program, THREAD_MISUSE};
use prove::Settings;
use question::{Answer, Asks, Check, Property, Question, part_of};
use std::time::{Duration, Instant};
use threads::{
    Condition, Fact, General, Generalised, Operand, Options, Purpose, Sequential, Tally, Vocabulary,
    generalise,
};
use verdict::Reason;

/// The part of the time for runs, which refute most guesses.
const FOR_RUNS: u32 = 8;

/// How much longer than the search for conditions the proof with them may take, and the least that it gets.
const TIMES_AS_LONG: u32 = 3;
const SHORTEST_PROOF: Duration = Duration::from_secs(4);

/// How a proof is attempted.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// Threads of each class that are followed.
    pub followed: u32,
    /// Which conditions are guessed.
    pub wealth: Wealth,
}

/// A proof for any number of threads.
pub struct Proof {
    /// The program that it is about.
    pub sequential: Sequential,
    /// What it shows: the question, and that no condition is broken.
    pub property: Property,
    /// The answer.
    pub answer: Answer,
    /// What is supposed of threads that are not followed.
    pub supposed: Supposed,
}

/// What a proof for any number of threads supposes of those that are not followed, and how many are.
#[derive(Clone, Debug)]
pub struct Supposed {
    /// Threads of each class that are followed.
    pub followed: u32,
    /// The conditions, each in the program's words.
    pub conditions: Vec<(Condition, String)>,
    /// Counts that they speak of.
    pub tallies: Vec<Tally>,
}

/// What such a proof does not cover: who waits for whom, what is misused, left behind or never written is not looked for among any number, and two threads of one class
/// race only where two are followed.
pub fn not_for_any(property: &Property, followed: u32) -> bool {
    let asks_for = |name: &str| property.functions.iter().any(|asked| asked == name);
    let checks = [Check::Library, Check::Leak, Check::Lost, Check::Uninitialised, Check::Deadlock];
    checks.iter().any(|&check| property.checks.has(check))
        || asks_for(DEADLOCK)
        || asks_for(THREAD_MISUSE)
        || (asks_for(DATA_RACE) && followed < 2)
}

/// The program about any number of threads that a proof is about, made again from what it supposes. Refuses what means nothing, or not the same whichever threads are followed.
pub fn program_for_any(
    program: &Program,
    property: &Property,
    supposed: &Supposed,
) -> Result<Program, Reason> {
    let wrong = |what: &str| Err(Reason::BadCertificate { what: what.to_owned() });
    if supposed.followed == 0 || not_for_any(property, supposed.followed) {
        return wrong("this is not proved for any number of threads");
    }
    let Some(errors) = without_conditions(property) else {
        return wrong("it does not claim that its conditions hold");
    };
    let races = errors.iter().any(|name| name == DATA_RACE);
    let options =
        Options { most_at_once: supposed.followed, races, deadlocks: false, misuse: false, leaks: false };
    let mut general = General {
        followed: supposed.followed,
        conditions: Vec::new(),
        tallies: Vec::new(),
        purpose: Purpose::Proof,
        errors,
    };
    let vocabulary = made(program, &options, &general)?.vocabulary;
    let is_count = |tally: &Tally| tally.is_about(&vocabulary);
    let is_about = |condition: &Condition| condition.is_about(&vocabulary, &supposed.tallies, program);
    if !supposed.tallies.iter().all(is_count) || !supposed.conditions.iter().all(|(one, _)| is_about(one)) {
        return wrong("it has a condition about what the program does not have");
    }
    general.tallies.clone_from(&supposed.tallies);
    general.conditions = supposed.conditions.iter().map(|(condition, _)| condition.clone()).collect();
    Ok(made(program, &options, &general)?.sequential.program)
}

/// The functions of a property that are not there for the conditions; nothing where the conditions are not asked about.
fn without_conditions(property: &Property) -> Option<Vec<String>> {
    let mut rest = property.functions.clone();
    rest.retain(|name| name != BROKEN_CONDITION);
    (rest.len() < property.functions.len()).then_some(rest)
}

fn made(program: &Program, options: &Options, general: &General) -> Result<Generalised, Reason> {
    generalise(program, options, general).map_err(|refusal| {
        let place = program.sources.location(refusal.at).map_or_else(String::new, |at| format!(" ({at})"));
        Reason::NotSupported { construct: format!("{}{place}", refusal.construct), at: refusal.at }
    })
}

/// The property of the program that checks its conditions.
fn with_conditions(property: &Property) -> Property {
    let mut property = property.clone();
    property.functions.push(BROKEN_CONDITION.to_owned());
    property
}

/// Tries to prove a property for any number of threads; or says why not. Nothing if no call creates threads again and
/// again, so that there is no need to speak of any number.
pub fn prove_for_any(
    program: &Program,
    property: &Property,
    attempt: Attempt,
    choice: Choice,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Option<Proof>, Reason> {
    let races = property.functions.iter().any(|name| name == DATA_RACE);
    let options =
        Options { most_at_once: attempt.followed, races, deadlocks: false, misuse: false, leaks: false };
    let mut general = General {
        followed: attempt.followed,
        conditions: Vec::new(),
        tallies: Vec::new(),
        purpose: Purpose::Proof,
        errors: property.functions.clone(),
    };
    let made = |general: &General| made(program, &options, general);
    let first = made(&general)?;
    if !first.sequential.is_limited {
        return Ok(None);
    }
    let vocabulary = first.vocabulary;
    general.tallies = vocabulary.tallies.iter().map(|one| one.tally.clone()).collect();
    let began = Instant::now();
    let guesses = guessed(program, &vocabulary, attempt.followed, attempt.wealth);
    events.emit(Event::Count { what: "conditions", value: guesses.len() as u64 });
    let (kept, search) = if guesses.is_empty() {
        (Vec::new(), Ok(()))
    } else {
        general.conditions = guesses;
        general.purpose = Purpose::Runs;
        let runs = made(&general)?;
        let numbers = prove::constants(program, &vocabulary.procedures);
        let share = part_of(budget, FOR_RUNS, Duration::from_secs(3));
        if runs.vocabulary.is_like(&vocabulary)
            && let Some(stand) =
                prove::not_refuted(&runs.sequential.program, settings, &runs.searched, &numbers, &share)
        {
            let mut stand = stand.into_iter();
            general.conditions.retain(|_| stand.next().unwrap_or(true));
        }
        general.purpose = Purpose::Search;
        let searched = made(&general)?;
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let share = left.map_or(budget.clone(), |left| budget.clone().with_time(left / 3 * 2));
        let found = prove::kept_conditions(
            &searched.sequential.program,
            settings,
            &searched.searched,
            &searched.parts,
            &share,
        );
        let guesses = std::mem::take(&mut general.conditions);
        match found {
            Ok(holds) => (
                guesses.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|(one, _)| one).collect(),
                Ok(()),
            ),
            Err(why) => (Vec::new(), Err(no_invariant(format!("no conditions were found: {why}")))),
        }
    };
    // What needs no conditions is proved by the first attempt.
    let is_later = attempt.followed > 1 || attempt.wealth == Wealth::Many;
    if let Err(why) = &search
        && (is_later || budget.check().is_err())
    {
        return Err(why.clone());
    }
    let mut kept: Vec<Condition> = without_said(kept);
    kept.retain(|one| one.is_about(&vocabulary, &general.tallies, program));
    leave_out_unused(&mut kept, &mut general.tallies);
    events.emit(Event::Count { what: "conditions that are kept", value: kept.len() as u64 });
    general.conditions = kept;
    general.purpose = Purpose::Proof;
    let made = made(&general)?;
    let property = with_conditions(property);
    let asked = Question {
        name: property.words(),
        about: &made.sequential.program,
        asks: Asks::Never(property.clone()),
    };
    // Conditions that suffice do so soon; others need the time for what is tried next.
    let share = match attempt.wealth {
        Wealth::Few => budget.clone().with_time((began.elapsed() * TIMES_AS_LONG).max(SHORTEST_PROOF)),
        Wealth::Many => budget.clone(),
    };
    let mut answer = crate::verify::verify(&asked, choice, settings, &share, events);
    if !answer.verdict.holds() {
        let count = general.conditions.len();
        return Err(search.err().unwrap_or_else(|| {
            no_invariant(format!("{count} conditions about them are kept, and are not enough"))
        }));
    }
    answer.how = format!("for any number of threads: {}", answer.how);
    let tallies = std::mem::take(&mut general.tallies);
    let conditions: Vec<(Condition, String)> = general
        .conditions
        .into_iter()
        .map(|one| {
            let words = words(program, &vocabulary, &tallies, &one);
            (one, words)
        })
        .collect();
    answer.remarks.extend(conditions.iter().map(|(_, words)| words.clone()));
    if !tallies.is_empty() {
        answer.assume(["there are fewer than 2^62 threads at a time".to_owned()]);
    }
    let supposed = Supposed { followed: attempt.followed, conditions, tallies };
    Ok(Some(Proof { sequential: made.sequential, property, answer, supposed }))
}

fn no_invariant(why: String) -> Reason {
    Reason::NoInvariant { why }
}

/// Leaves out counts that no condition speaks of.
fn leave_out_unused(conditions: &mut [Condition], tallies: &mut Vec<Tally>) {
    let mut used: Vec<usize> = Vec::new();
    for condition in conditions {
        if let Fact::Counts { tally, .. } = &mut condition.fact {
            let known = used.iter().position(|known| known == tally);
            let number = known.unwrap_or(used.len());
            if known.is_none() {
                used.push(*tally);
            }
            *tally = number;
        }
    }
    *tallies = used.into_iter().map(|number| tallies[number].clone()).collect();
}

/// Leaves out what others say already: of a place where no thread ever stands, nothing else need be said.
fn without_said(kept: Vec<Condition>) -> Vec<Condition> {
    let never: Vec<Vec<(usize, usize)>> =
        kept.iter().filter(|one| one.fact == Fact::Never).map(|one| one.at.clone()).collect();
    let always: Vec<Fact> = kept.iter().filter(|one| one.at.is_empty()).map(|one| one.fact.clone()).collect();
    let equal: Vec<(Vec<(usize, usize)>, Operand)> = kept
        .iter()
        .filter_map(|one| match &one.fact {
            Fact::Compare(BinaryOp::Equal, left, Operand::Number(_)) => Some((one.at.clone(), left.clone())),
            _ => None,
        })
        .collect();
    let is_needed = |one: &Condition| {
        if let Fact::Compare(op, left, Operand::Number(_)) = &one.fact
            && *op != BinaryOp::Equal
            && equal.iter().any(|(at, same)| same == left && (*at == one.at || at.is_empty()))
        {
            return false;
        }
        let is_said = |places: &Vec<(usize, usize)>| {
            let count = |among: &[(usize, usize)], place| among.iter().filter(|&one| one == place).count();
            places.iter().all(|place| count(places, place) <= count(&one.at, place))
                && !(one.fact == Fact::Never && *places == one.at)
        };
        !never.iter().any(is_said) && (one.at.is_empty() || !always.contains(&one.fact))
    };
    let mut needed: Vec<Condition> = kept.into_iter().filter(is_needed).collect();
    let bounds: Vec<Condition> = needed.clone();
    needed.retain(|one| !bounds.iter().any(|other| other != one && bounds_say(other, one)));
    needed
}

/// Does a bound of something say that another, which is further off, holds as well?
fn bounds_say(one: &Condition, other: &Condition) -> bool {
    let (
        Fact::Compare(op, left, Operand::Number(bound)),
        Fact::Compare(weaker, same, Operand::Number(number)),
    ) = (&one.fact, &other.fact)
    else {
        return false;
    };
    if left != same || (one.at != other.at && !one.at.is_empty()) {
        return false;
    }
    match (op, weaker) {
        (BinaryOp::LessEqual, BinaryOp::LessEqual) => {
            bound < number || (bound == number && one.at != other.at)
        }
        (BinaryOp::GreaterEqual, BinaryOp::GreaterEqual) => {
            bound > number || (bound == number && one.at != other.at)
        }
        (BinaryOp::LessEqual, BinaryOp::NotEqual) => bound < number,
        (BinaryOp::GreaterEqual, BinaryOp::NotEqual) => bound > number,
        (BinaryOp::NotEqual, BinaryOp::NotEqual) => bound == number && one.at != other.at,
        _ => false,
    }
}

/// A condition in the program's words.
fn words(program: &Program, all: &Vocabulary, tallies: &[Tally], condition: &Condition) -> String {
    let place = |&(kind, place): &(usize, usize)| {
        let kind = &all.kinds[kind];
        let name = &program.procedures[kind.start].name;
        let at = program.sources.location(kind.places[place].span);
        at.map_or_else(|| format!("`{name}`"), |at| format!("`{name}` at {at}"))
    };
    let operand = |operand: &Operand| match operand {
        Operand::Shared(number) => all.shared[*number].name.clone(),
        Operand::Own(thread, local) => {
            let name = &all.kinds[condition.at[*thread].0].locals[*local].name;
            if condition.at.len() > 1 { format!("{name} of thread {}", thread + 1) } else { name.clone() }
        }
        Operand::Number(number) => number.to_string(),
        Operand::Itself(_) => "itself".to_owned(),
    };
    let sign = |op: BinaryOp| match op {
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        _ => ">=",
    };
    let fact = match &condition.fact {
        Fact::Never => None,
        Fact::Compare(op, Operand::Shared(lock), Operand::Itself(_)) if all.shared[*lock].is_owner() => {
            let has = if *op == BinaryOp::Equal { "has" } else { "does not have" };
            Some(format!("the thread {has} {}", all.shared[*lock].name))
        }
        Fact::Compare(op, left, right) => Some(format!("{} {} {}", operand(left), sign(*op), operand(right))),
        Fact::Reads { lock, times: 0 } => {
            Some(format!("the thread does not read under {}", all.shared[*lock].name))
        }
        Fact::Reads { lock, .. } => Some(format!("the thread reads under {}", all.shared[*lock].name)),
        Fact::While { free, is, op, left, right } => {
            let free = &all.shared[*free];
            let is_free = if free.is_owner() {
                format!("nobody has {}", free.name)
            } else {
                format!("{} is {is}", free.name)
            };
            Some(format!("while {is_free}: {} {} {}", operand(left), sign(*op), operand(right)))
        }
        Fact::Counts { shared, tally, more } => {
            let of = |&(kind, at, weight): &(usize, usize, i64)| match weight {
                1 => place(&(kind, at)),
                _ => format!("{weight} times {}", place(&(kind, at))),
            };
            let mut places: Vec<String> = tallies[*tally].weights.iter().map(of).collect();
            places.dedup();
            let more = if *more == 0 { String::new() } else { format!(", and {more} more") };
            let name = &all.shared[*shared].name;
            Some(format!("{name} is the number of threads before a step of {}{more}", places.join(", ")))
        }
        Fact::Parity { of, is_odd } => {
            Some(format!("{} is {}", operand(of), if *is_odd { "odd" } else { "even" }))
        }
        Fact::Before { one, from, other } => {
            let from = operand(from);
            Some(format!("{} - {from} < {} - {from}", operand(one), operand(other)))
        }
    };
    let places: Vec<String> = condition.at.iter().map(place).collect();
    match (&places[..], fact) {
        ([], fact) => format!("always: {}", fact.unwrap_or_default()),
        ([one], Some(fact)) => format!("before a step of {one}: {fact}"),
        ([one], None) => format!("no thread is before a step of {one}"),
        ([one, two, ..], Some(fact)) => format!("thread 1 before {one}, thread 2 before {two}: {fact}"),
        ([one, two, ..], None) => format!("never two threads before {one} and {two}"),
    }
}
