//! SARIF 2.1.0, for editors and services that show findings: the one writer of all verbs. A violation of a C
//! program comes with its run as a code flow; what was decided otherwise is there too, with the kind that
//! SARIF has for it.

use crate::trace::{self, TraceLine};
use crate::words;
use base::Id;
use base::source::Location;
use program::Program;
use question::{Answer, Broken, Check, Counterexample, Part, Target, Verdict, Violation};
use serde_json::{Value, json};

/// A kind of finding: its stable name, and one sentence.
pub type Rule<'r> = (&'r str, String);

/// A document with one run of the tool, and a line break at the end.
pub fn document(rules: &[Rule<'_>], results: Vec<Value>) -> String {
    let rules: Vec<Value> =
        rules.iter().map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })).collect();
    crate::json::text(&json!({
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
    }))
}

/// What is found at a place: by which rule, how bad it is (`error`, `warning`, `note` or `none`), in a
/// sentence.
pub fn finding(rule: &str, level: &str, text: &str, place: Option<&Location>) -> Value {
    let mut result = json!({ "ruleId": rule, "level": level, "message": { "text": text } });
    if let Some(place) = place {
        result["locations"] = json!([location(place)]);
    }
    result
}

/// A verdict as a finding, with the kind that SARIF has for it.
fn verdict(verdict: &Verdict, rule: &str, text: &str, place: Option<&Location>) -> Value {
    let (kind, level) = match verdict {
        Verdict::Holds(_) => ("pass", "none"),
        Verdict::Violated(_) => ("fail", "error"),
        Verdict::Undecided(_) => ("open", "warning"),
    };
    let mut result = finding(rule, level, text, place);
    result["kind"] = json!(kind);
    result
}

/// A place of any text as SARIF has it.
fn location(place: &Location) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.file) },
        "region": { "startLine": place.line, "startColumn": place.column },
    }})
}

/// Characters that mean something in a URI are escaped; separators stay.
fn uri(path: &str) -> String {
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
pub fn rules_of_verify() -> Vec<Rule<'static>> {
    let mut rules: Vec<Rule<'_>> = vec![
        ("assertion", "No assertion fails.".into()),
        ("error-call", "No function that means an error is called.".into()),
        ("label", "No label that means an error is reached.".into()),
        ("endless", "Every run ends.".into()),
        ("property", "What was asked for holds.".into()),
    ];
    rules.extend(Check::ALL.iter().map(|check| (check.name(), format!("There is no {}.", check.words()))));
    rules
}

fn rule_of(violation: &Violation) -> &'static str {
    match violation.broken {
        Broken::Assertion => "assertion",
        Broken::Call => "error-call",
        Broken::Label => "label",
        Broken::Deadlock => "deadlock",
        Broken::Endless => "endless",
        Broken::Formula => "formula",
        Broken::Check(check) => check.name(),
    }
}

/// The answer to a question about a model, which asks by this rule and stands at this place.
pub fn answer(answer: &Answer, rule: &str, place: Option<&Location>) -> Value {
    let property = &answer.property;
    let text = match &answer.verdict {
        Verdict::Holds(_) => format!("{property} holds"),
        Verdict::Violated(counterexample) => format!("{property} is violated{}", in_short(counterexample)),
        Verdict::Undecided(undecided) => format!("{property} is undecided: {undecided}"),
    };
    verdict(&answer.verdict, rule, &text, place)
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

/// The answer of `verify`, a violation with its run.
pub fn answer_about_program(program: &Program, answer: &Answer) -> Value {
    let property = &answer.property;
    let run = answer.verdict.run();
    let text = message(answer, words::headline(program, answer));
    let place = run.and_then(|violation| program.sources.location(violation.span));
    let mut result = verdict(&answer.verdict, run.map_or("property", rule_of), &text, place.as_ref());
    result["properties"] = json!({ "property": property, "assumptions": answer.assumptions });
    if let Some(violation) = run {
        result["codeFlows"] = json!([{ "threadFlows": flows(program, violation) }]);
    }
    result
}

/// One part of a property, which has its verdict from the answer.
pub fn part(program: &Program, part: &Part, answer: &Answer) -> Value {
    let rule = match part.target {
        Target::Call(_) => "error-call",
        _ => part.kind(),
    };
    let run = answer.verdict.run();
    let text = message(answer, words::part(program, part, answer));
    let place = run.map_or(part.at, |violation| violation.span);
    let place = program.sources.location(place);
    let mut result = verdict(&answer.verdict, rule, &text, place.as_ref());
    result["properties"] = json!({ "property": part.words(), "assumptions": answer.assumptions });
    if let Some(violation) = run {
        result["codeFlows"] = json!([{ "threadFlows": flows(program, violation) }]);
    }
    result
}

/// The headline with what belongs to it: the inputs of a run, how a proof argues, what was asked.
fn message(answer: &Answer, headline: String) -> String {
    match (&answer.verdict, answer.verdict.run()) {
        (_, Some(violation)) => format!("{headline}{}", with_inputs(violation)),
        (Verdict::Holds(_), _) => format!("{headline} ({})", answer.how),
        (Verdict::Violated(_), None) => format!("violated: {headline}"),
        (Verdict::Undecided(_), _) => format!("undecided: {headline} (asked: {})", answer.property),
    }
}

fn with_inputs(violation: &Violation) -> String {
    let inputs: Vec<String> = violation
        .inputs
        .iter()
        .take(MOST_INPUTS)
        .map(|input| format!("{} = {}", input.name, crate::inputs::value(input)))
        .collect();
    match (inputs.is_empty(), violation.inputs.len() > MOST_INPUTS) {
        (true, _) => String::new(),
        (false, false) => format!(", with {}", inputs.join(", ")),
        (false, true) => format!(", with {}, …", inputs.join(", ")),
    }
}

/// Inputs that are named in the message; all are in the code flow.
const MOST_INPUTS: usize = 8;

/// The run: one flow, or one for each thread that has something to tell, where `executionOrder` says what comes before what.
fn flows(program: &Program, violation: &Violation) -> Vec<Value> {
    let all = flow(program, violation);
    let threads = crate::columns::threads(program, violation);
    if threads.is_empty() {
        let locations: Vec<Value> = all.into_iter().map(|(_, location)| location).collect();
        return vec![json!({ "locations": locations })];
    }
    let mut flows = Vec::new();
    for thread in threads {
        let of_thread = all.iter().filter(|(own, _)| own.unwrap_or(0) == thread.number);
        let locations: Vec<&Value> = of_thread.map(|(_, location)| location).collect();
        if locations.is_empty() {
            continue;
        }
        let name = thread.start.map_or("?", |start| &*program.procedures[start].name);
        let text = format!("thread {}, which runs {name}", thread.number);
        flows.push(
            json!({ "id": thread.number.to_string(), "message": { "text": text }, "locations": locations }),
        );
    }
    flows
}

/// The steps in their order, with the thread that makes them.
fn flow(program: &Program, violation: &Violation) -> Vec<(Option<usize>, Value)> {
    let lines = trace::lines(program, violation, trace::Detail::Changes);
    let lines = trace::shortened(lines, MOST_STEPS);
    let located = |line: &TraceLine| Some((line.thread, flow_location(program, line)?));
    let mut locations: Vec<(Option<usize>, Value)> = lines.iter().filter_map(located).collect();
    let last = violation.visible.last().map(|step| step.thread.index());
    if let Some(mut location) = program.sources.location(violation.span).as_ref().map(location) {
        location["message"] = json!({ "text": violation.what });
        let end = json!({ "location": location, "nestingLevel": 0, "importance": "essential" });
        locations.push((last, end));
    }
    for (at, (_, location)) in locations.iter_mut().enumerate() {
        location["executionOrder"] = json!(at + 1);
    }
    locations
}

/// Longer runs are cut in the middle.
const MOST_STEPS: usize = 1000;

fn flow_location(program: &Program, line: &TraceLine) -> Option<Value> {
    let mut location = location(&program.sources.location(line.span)?);
    location["message"] = json!({ "text": line.text });
    Some(json!({ "location": location, "nestingLevel": line.depth, "importance": "important" }))
}
