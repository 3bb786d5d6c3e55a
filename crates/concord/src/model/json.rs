//! Answers for tools: what `evidence::json` writes of every answer, and what only models have.

use super::answers::SystemAnswer;
use base::source::Location;
use evidence::json::{self, counterexample};
use question::Verdict;
use serde_json::{Value, json};

/// All answers as one document.
pub fn write(answers: &[SystemAnswer], places: &[Option<Location>]) -> String {
    let results = answers.iter().zip(places).map(|(told, place)| result(told, place.as_ref()));
    json::document("model", results.collect())
}

/// One result; `place` is where its question comes from.
pub fn result(told: &SystemAnswer, place: Option<&Location>) -> Value {
    let mut fields = told.answer.json();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("system", json!(told.system));
    set("at", json!(place.map(evidence::place::location)));
    if !told.more.is_empty() {
        set("more_counterexamples", told.more.iter().map(counterexample).collect());
    }
    if let Verdict::Holds(certificate) = &told.answer.verdict {
        set("certificate", json::certificate(certificate, check::learning::as_fsp));
    }
    Value::Object(fields)
}
