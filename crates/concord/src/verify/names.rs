//! Names that a question speaks of must be there: about a label that does not exist everything would hold.

use cegar::Property;
use lower::entry::closest;
use program::Program;

/// Error functions by convention; a program that has none simply calls none.
const CONVENTIONAL: [&str; 6] = [
    "reach_error",
    "__VERIFIER_error",
    program::BROKEN_CONDITION,
    program::DATA_RACE,
    program::DEADLOCK,
    program::THREAD_MISUSE,
];

/// What is wrong with the names of a property, if anything.
pub fn objection(program: &Program, property: &Property) -> Option<String> {
    let asks_nothing = !property.endless_runs
        && !property.assertions
        && property.functions.is_empty()
        && property.labels.is_empty()
        && property.checks.is_empty();
    if asks_nothing {
        return Some("the property is empty: nothing is asked".to_owned());
    }
    for label in &property.labels {
        if !program.labels.contains(label.as_str()) {
            let known: Vec<&str> = program.labels.iter().map(|label| &**label).collect();
            return Some(format!("no function has a label `{label}`{}", suggestion(label, &known)));
        }
    }
    for function in &property.functions {
        let is_there = program.procedures.iter().any(|procedure| *procedure.name == **function);
        if !is_there && !CONVENTIONAL.contains(&function.as_str()) {
            let known: Vec<&str> = program
                .procedures
                .iter()
                .filter(|procedure| procedure.origin == program::Origin::User)
                .map(|procedure| &*procedure.name)
                .collect();
            return Some(format!("there is no function `{function}`{}", suggestion(function, &known)));
        }
    }
    None
}

fn suggestion(name: &str, known: &[&str]) -> String {
    closest(name, known).map_or_else(String::new, |close| format!("; did you mean `{close}`?"))
}
