//! Answers as SARIF 2.1.0 (`evidence::sarif`): one result per question, at the declaration that asks it.

use super::answers::SystemAnswer;
use super::json;
use super::plan::{ModelProperty, Plan, Question, Relation};
use base::source::Location;
use evidence::sarif::{Rule, document};
use serde_json::Value;

/// What is asked, by a stable name, and in one sentence.
const RULES: [(&str, &str); 9] = [
    ("safety", "No deadlock is reached and no property is violated."),
    ("deadlock", "No deadlock is reached."),
    ("property", "No property is violated."),
    ("progress", "In every terminal set of states, one of the actions goes on happening."),
    ("assertion", "The assertion holds of every maximal run."),
    ("formula", "The formula holds of every maximal run."),
    ("automaton", "The automaton accepts no run."),
    ("conformance", "The implementation conforms to the specification."),
    ("equivalence", "The two systems are equivalent."),
];

fn rule_of(asked: &ModelProperty) -> &'static str {
    match asked {
        ModelProperty::Safety => "safety",
        ModelProperty::Deadlock => "deadlock",
        ModelProperty::Properties => "property",
        ModelProperty::Progress(_) | ModelProperty::DefaultProgress => "progress",
        ModelProperty::Assert(_) => "assertion",
        ModelProperty::Formula(_) => "formula",
        ModelProperty::Automaton(_) => "automaton",
        ModelProperty::Relation(Relation::Bisimilar, _) => "equivalence",
        ModelProperty::Relation(..) => "conformance",
    }
}

/// One run with one result per question, and a line break at the end.
pub fn write(answers: &[SystemAnswer], plan: &Plan, places: &[Option<Location>]) -> String {
    let rules: Vec<Rule<'_>> = RULES.iter().map(|(id, text)| (*id, (*text).to_owned())).collect();
    let results = answers
        .iter()
        .zip(&plan.questions)
        .zip(places)
        .map(|((told, question), place)| result_of(told, question, place.as_ref()));
    document(&rules, results.collect())
}

/// The result of one question.
pub fn result_of(told: &SystemAnswer, question: &Question, place: Option<&Location>) -> Value {
    let mut result = told.answer.sarif(rule_of(&question.asked), place);
    result["properties"] = json::result(told, place);
    result
}
