//! Proofs for any number of threads (`threads::generalise` says why they hold): conditions are guessed, those that are kept if all are supposed of the other threads are found, and the
//! question is asked of the program that supposes them of the others and checks them of the threads that are followed. Only HOLDS is taken from it: it has runs that no
//! threads have. Nothing rests on how the conditions were found, since the same program checks them.

use crate::conditions::{Wealth, guessed};
use crate::table::Choice;
use base::{Budget, Event, EventSink};
use program::{BROKEN_CONDITION, BinaryOp, Program};
use prove::Settings;
use question::{Answer, Asks, Property, Question, part_of};
use std::time::Duration;
use threads::{Condition, Fact, General, Operand, Options, Purpose, Sequential, Vocabulary, generalise};

/// There is no need to speak of any number.
pub const NONE_REPEATS: &str = "no call creates threads again and again";

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
}

/// The property of the program that checks its conditions.
fn with_conditions(property: &Property) -> Property {
    let mut property = property.clone();
    property.functions.push(BROKEN_CONDITION.to_owned());
    property
}

/// Tries to prove a property for any number of threads; or says why not.
pub fn prove_for_any(
    program: &Program,
    property: &Property,
    attempt: Attempt,
    choice: Choice,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Proof, String> {
    let races = property.functions.iter().any(|name| name == program::DATA_RACE);
    let options = Options { most_at_once: attempt.followed, races, deadlocks: false, misuse: false };
    let mut general = General {
        followed: attempt.followed,
        conditions: Vec::new(),
        purpose: Purpose::Proof,
        errors: property.functions.clone(),
    };
    let made = |general: &General| {
        generalise(program, &options, general).map_err(|refusal| {
            let at = program.sources.location(refusal.at).map_or_else(String::new, |at| format!(" ({at})"));
            format!("{}{at} is not supported", refusal.construct)
        })
    };
    let first = made(&general)?;
    if !first.sequential.is_limited {
        return Err(NONE_REPEATS.into());
    }
    let vocabulary = first.vocabulary;
    let guesses = guessed(program, &vocabulary, attempt.followed, attempt.wealth);
    events.emit(Event::Count { what: "conditions", value: guesses.len() as u64 });
    let (kept, search) = if guesses.is_empty() {
        (Vec::new(), Ok(()))
    } else {
        general.conditions = guesses;
        general.purpose = Purpose::Search;
        let searched = made(&general)?;
        let share = part_of(budget, 2, Duration::MAX);
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
            Err(why) => (Vec::new(), Err(format!("no conditions were found: {why}"))),
        }
    };
    if search.is_err() && budget.check().is_err() {
        return Err(search.err().unwrap_or_default());
    }
    let kept: Vec<Condition> = without_said(kept);
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
    let mut answer = crate::verify::verify(&asked, choice, settings, budget, events);
    if !answer.verdict.holds() {
        let count = general.conditions.len();
        return Err(search
            .err()
            .unwrap_or_else(|| format!("{count} conditions about them are kept, and are not enough")));
    }
    answer.how = format!("for any number of threads: {}", answer.how);
    answer.remarks.extend(general.conditions.iter().map(|one| words(program, &vocabulary, one)));
    Ok(Proof { sequential: made.sequential, property, answer })
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
            places.len() <= one.at.len()
                && places.iter().all(|place| one.at.contains(place))
                && !(one.fact == Fact::Never && *places == one.at)
        };
        !never.iter().any(is_said) && (one.at.is_empty() || !always.contains(&one.fact))
    };
    kept.into_iter().filter(is_needed).collect()
}

/// A condition in the program's words.
fn words(program: &Program, all: &Vocabulary, condition: &Condition) -> String {
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
        Fact::Compare(op, Operand::Shared(lock), Operand::Itself(_)) if all.shared[*lock].is_owner => {
            let has = if *op == BinaryOp::Equal { "has" } else { "does not have" };
            Some(format!("the thread {has} {}", all.shared[*lock].name))
        }
        Fact::Compare(op, left, right) => Some(format!("{} {} {}", operand(left), sign(*op), operand(right))),
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
