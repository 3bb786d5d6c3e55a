//! Answers as SARIF 2.1.0, for editors and services that show findings: one result per question, at the declaration
//! that asks it. What was decided otherwise than "violated" is there too, with the kind that SARIF has for it.

use super::answers::Told;
use super::json;
use super::plan::{Asked, Plan, Question, Relation};
use base::source::Location;
use evidence::sarif::{Rule, document, location};
use question::{Counterexample, Verdict};
use serde_json::{Value, json};

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

fn rule_of(asked: &Asked) -> &'static str {
    match asked {
        Asked::Safety => "safety",
        Asked::Deadlock => "deadlock",
        Asked::Properties => "property",
        Asked::Progress(_) | Asked::DefaultProgress => "progress",
        Asked::Assert(_) => "assertion",
        Asked::Formula(_) => "formula",
        Asked::Automaton(_) => "automaton",
        Asked::Relation(Relation::Bisimilar, _) => "equivalence",
        Asked::Relation(..) => "conformance",
    }
}

/// One run with one result per question, and a line break at the end.
pub fn write(answers: &[Told], plan: &Plan, places: &[Option<Location>]) -> String {
    let rules: Vec<Rule> =
        RULES.iter().map(|(id, text)| Rule { id: (*id).to_owned(), text: (*text).to_owned() }).collect();
    let results = answers
        .iter()
        .zip(&plan.questions)
        .zip(places)
        .map(|((told, question), place)| result_of(told, question, place.as_ref()));
    evidence::json::text(&document(&rules, results.collect()))
}

/// The result of one question.
pub fn result_of(told: &Told, question: &Question, place: Option<&Location>) -> Value {
    let rule = rule_of(&question.asked);
    let answer = &told.answer;
    let (kind, level, text) = match &answer.verdict {
        Verdict::Holds(_) => ("pass", "none", format!("{} holds", answer.property)),
        Verdict::Violated(counterexample) => {
            ("fail", "error", format!("{} is violated{}", answer.property, in_short(counterexample)))
        }
        Verdict::Undecided(undecided) => {
            ("open", "warning", format!("{} is undecided: {undecided}", answer.property))
        }
    };
    let mut result = json!({
        "ruleId": rule,
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "properties": json::answer(told, place),
    });
    if let Some(place) = place {
        result["locations"] = json!([location(place)]);
    }
    result
}

/// The visible actions of a run; all else is in the properties.
fn in_short(counterexample: &Counterexample) -> String {
    const MOST: usize = 30;
    let (path, cycle) = match counterexample {
        Counterexample::Path(path) | Counterexample::MaximalPath(path) => (path, None),
        Counterexample::Deadlock(deadlock) => (&deadlock.path, None),
        Counterexample::Lasso(lasso) => (&lasso.stem, Some(&lasso.cycle)),
        Counterexample::Tree(_) | Counterexample::Run(_) => return String::new(),
    };
    let mut actions: Vec<&str> = path.visible_actions().collect();
    let cut = actions.len().saturating_sub(MOST);
    actions.truncate(MOST);
    let mut text =
        if actions.is_empty() { " at once".to_owned() } else { format!(" by {}", actions.join(", ")) };
    if cut > 0 {
        text.push_str(&format!(" and {cut} more"));
    }
    if let Some(cycle) = cycle {
        let again: Vec<&str> = cycle.iter().take(MOST).map(|step| step.action.as_str()).collect();
        text.push_str(&format!(", then for ever {}", again.join(", ")));
    }
    text
}
