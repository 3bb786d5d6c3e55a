//! SARIF 2.1.0: findings for editors and services, a violation with its run as a code flow.

use crate::trace::{self, TraceLine};
use base::Span;
use base::source::Location;
use program::Program;
use question::{Answer, Check, Verdict, Violation};
use serde_json::{Value, json};

/// A kind of finding: its stable name, and one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name.
    pub id: String,
    /// The sentence.
    pub text: String,
}

/// A document with one run of the tool.
pub fn document(rules: &[Rule], results: Vec<Value>) -> Value {
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| json!({ "id": rule.id, "shortDescription": { "text": rule.text } }))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "concord",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// A place as SARIF has it.
pub fn physical_location(program: &Program, span: Span) -> Option<Value> {
    program.sources.location(span).map(|place| location(&place))
}

/// A place of any text as SARIF has it.
pub fn location(place: &Location) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.file) },
        "region": { "startLine": place.line, "startColumn": place.column },
    }})
}

/// Characters that mean something in a URI are escaped; separators stay.
pub fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char)
            }
            b'\\' => uri.push('/'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The rules of `verify`.
pub fn rules_of_verify() -> Vec<Rule> {
    let mut rules = vec![
        Rule { id: "assertion".into(), text: "No assertion fails.".into() },
        Rule { id: "error-call".into(), text: "No function that means an error is called.".into() },
        Rule { id: "label".into(), text: "No label that means an error is reached.".into() },
        Rule { id: "property".into(), text: "What was asked for holds.".into() },
    ];
    rules.extend(
        Check::ALL
            .iter()
            .map(|check| Rule { id: check.name().into(), text: format!("There is no {}.", check.words()) }),
    );
    rules
}

fn rule_of(violation: &Violation) -> String {
    if let Some(check) = violation.check {
        return check.name().to_owned();
    }
    let what = &violation.what;
    let rule = if what.starts_with("the assertion") || what.contains("assert") {
        "assertion"
    } else if what.starts_with("label") {
        "label"
    } else {
        "error-call"
    };
    rule.to_owned()
}

/// The answer of `verify` as a result.
pub fn result_of_verify(program: &Program, answer: &Answer) -> Value {
    let property = &answer.property;
    let (rule, kind, level, text) = match &answer.verdict {
        Verdict::Holds(_) => {
            ("property".to_owned(), "pass", "none", format!("it holds: {property} ({})", answer.how))
        }
        Verdict::Violated(_) => {
            let Some(violation) = answer.verdict.run() else { return Value::Null };
            let inputs: Vec<String> = violation
                .inputs
                .iter()
                .take(MOST_INPUTS)
                .map(|input| format!("{} = {}", input.name, crate::inputs::value(input)))
                .collect();
            let with = match (inputs.is_empty(), violation.inputs.len() > MOST_INPUTS) {
                (true, _) => String::new(),
                (false, false) => format!(", with {}", inputs.join(", ")),
                (false, true) => format!(", with {}, …", inputs.join(", ")),
            };
            (rule_of(violation), "fail", "error", format!("{}{with}", violation.what))
        }
        Verdict::Undecided(undecided) => {
            ("property".to_owned(), "open", "warning", format!("undecided: {property}: {}", undecided.reason))
        }
    };
    let mut result = json!({
        "ruleId": rule,
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "properties": { "property": property, "assumptions": answer.assumptions },
    });
    if let Some(violation) = answer.verdict.run() {
        if let Some(location) = physical_location(program, violation.span) {
            result["locations"] = json!([location]);
        }
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow(program, violation) }] }]);
    }
    result
}

/// Inputs that are named in the message; all are in the code flow.
const MOST_INPUTS: usize = 8;

fn flow(program: &Program, violation: &Violation) -> Vec<Value> {
    let lines = trace::lines(program, violation, trace::Detail::Changes);
    let lines = trace::shortened(lines, MOST_STEPS);
    let mut locations: Vec<Value> = lines.iter().filter_map(|line| flow_location(program, line)).collect();
    if let Some(mut location) = physical_location(program, violation.span) {
        location["message"] = json!({ "text": violation.what });
        locations.push(json!({ "location": location, "nestingLevel": 0, "importance": "essential" }));
    }
    for (at, location) in locations.iter_mut().enumerate() {
        location["executionOrder"] = json!(at + 1);
    }
    locations
}

/// Longer runs are cut in the middle.
const MOST_STEPS: usize = 1000;

fn flow_location(program: &Program, line: &TraceLine) -> Option<Value> {
    let mut location = physical_location(program, line.span)?;
    location["message"] = json!({ "text": line.text });
    Some(json!({ "location": location, "nestingLevel": line.depth, "importance": "important" }))
}
