//! Witnesses of the verification competition, format 2.0: YAML with one entry, a `violation_sequence` or an
//! `invariant_set`. After Ayaziová et al. 2024, "Software Verification Witnesses 2.0".
//!
//! A violation is told by what every input function returned, and the place of the failure. A proof is told
//! by the invariants of loops that C can say with names in scope; whoever reads them checks them, so what
//! cannot be said is left out.

use crate::place::{FilePlace, in_given_file};
use crate::task::Task;
use crate::yaml;
use base::{Id, Span};
use concrete::InputShape;
use program::{ProcedureId, Program, VariableKind};
use question::Violation;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use verdict::{LoopInvariant, ProgramProof};

/// The witness of a violation.
pub fn violation(program: &Program, task: &Task, violation: &Violation, now: SystemTime) -> String {
    let mut content: Vec<Value> = Vec::new();
    for input in &violation.inputs {
        let is_function = program.procedure_named(&input.name).is_some();
        let is_number = matches!(input.shape, InputShape::Integer { .. });
        if let (true, true, Some(place)) = (is_function, is_number, closing_parenthesis(program, input.span))
        {
            content.push(segment(json!({
                "type": "function_return",
                "action": "follow",
                "location": location(&place, None),
                "constraint": {
                    "value": format!("\\result == {}", crate::inputs::value(input)),
                    "format": "acsl_expression",
                },
            })));
        }
    }
    if let Some(place) = in_given_file(program, violation.span) {
        content.push(segment(json!({
            "type": "target",
            "action": "follow",
            "location": location(&place, None),
        })));
    }
    document("violation_sequence", task, json!(content), now)
}

/// The witness of a proof.
pub fn correctness(program: &Program, task: &Task, proof: &ProgramProof, now: SystemTime) -> String {
    // A loop that is reached by several calls keeps one of their invariants.
    let mut by_loop: BTreeMap<(FilePlace, u32), Vec<Vec<String>>> = BTreeMap::new();
    for invariant in &proof.loops {
        // A loop in a description of a library function is none of the user's.
        let owner = program.procedures.get(ProcedureId::from_index(invariant.procedure_number as usize));
        if owner.is_some_and(|owner| owner.origin == program::Origin::Model) {
            continue;
        }
        let Some(start) = keyword_of(program, invariant.at) else { continue };
        let Some(place) = in_given_file(program, start) else { continue };
        let conditions = in_scope(program, invariant, start);
        by_loop.entry((place, invariant.procedure_number)).or_default().push(conditions);
    }
    let mut content = Vec::new();
    for ((place, procedure), alternatives) in by_loop {
        let function = program.procedures.get(ProcedureId::from_index(procedure as usize));
        let function = function.map(|procedure| procedure.name.to_string());
        let shared: Vec<String> = match &alternatives[..] {
            [] => Vec::new(),
            [only] => only.clone(),
            several if several.iter().any(Vec::is_empty) => Vec::new(),
            several => {
                let parts: Vec<String> =
                    several.iter().map(|conditions| format!("({})", joined(conditions))).collect();
                vec![parts.join(" || ")]
            }
        };
        if shared.is_empty() {
            continue;
        }
        content.push(json!({ "invariant": {
            "type": "loop_invariant",
            "location": location(&place, function.as_deref()),
            "value": joined(&shared),
            "format": "c_expression",
        }}));
    }
    document("invariant_set", task, json!(content), now)
}

/// The witness of a proof whose invariants the format has no words for.
pub fn without_invariants(task: &Task, now: SystemTime) -> String {
    document("invariant_set", task, json!([]), now)
}

fn joined(conditions: &[String]) -> String {
    let parts: Vec<String> = conditions
        .iter()
        .map(|condition| if conditions.len() > 1 { format!("({condition})") } else { condition.clone() })
        .collect();
    parts.join(" && ")
}

fn segment(waypoint: Value) -> Value {
    json!({ "segment": [{ "waypoint": waypoint }] })
}

fn location(place: &FilePlace, function: Option<&str>) -> Value {
    let mut location = json!({ "file_name": place.file, "line": place.line, "column": place.column });
    if let Some(function) = function {
        location["function"] = json!(function);
    }
    location
}

/// The keyword of the loop whose head (its condition, or the first statement of its body) a span is.
pub(crate) fn keyword_of(program: &Program, head: Span) -> Option<Span> {
    let source = program.sources.source_at(head.start).filter(|_| !head.is_nowhere())?;
    let text = source.text();
    let at = (head.start - source.base()) as usize;
    let keyword = keyword_before(text.get(..at)?, text.get(at..)?)?;
    let start = source.base() + keyword as u32;
    Some(Span::new(start, head.end.max(start)))
}

fn keyword_before(before: &str, from: &str) -> Option<usize> {
    let word_at_end = |text: &str, word: &str| {
        let rest = text.trim_end().strip_suffix(word)?;
        let is_whole = !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        is_whole.then_some(rest.len())
    };
    let starts_with = |word: &str| {
        from.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    if ["while", "for", "do"].into_iter().any(starts_with) {
        return Some(before.len());
    }
    // `do` and the first statement of its body, with or without braces.
    let body = before.trim_end().strip_suffix('{').unwrap_or(before);
    if let Some(found) = word_at_end(body, "do") {
        return Some(found);
    }
    // Inside the parentheses of `while (` or `for (`.
    let mut depth = 0;
    for (at, character) in before.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' if depth == 0 => {
                let outside = &before[..at];
                return word_at_end(outside, "while").or_else(|| word_at_end(outside, "for"));
            }
            '(' => depth -= 1,
            '{' | '}' => return None,
            _ => {}
        }
    }
    None
}

/// Where a call ends, if the span is one.
pub(crate) fn closing_parenthesis(program: &Program, span: Span) -> Option<FilePlace> {
    let text = program.sources.text(span);
    let at = text.rfind(')')?;
    in_given_file(program, Span::new(span.start + at as u32, span.end))
}

fn document(entry_type: &str, task: &Task, content: Value, now: SystemTime) -> String {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let names: Vec<&str> = task.files.iter().map(|file| file.name.as_str()).collect();
    let hashes: serde_json::Map<String, Value> =
        task.files.iter().map(|file| (file.name.clone(), json!(file.sha256))).collect();
    let specification = task.specification();
    let identity =
        crate::sha256(format!("{entry_type}{hashes:?}{specification}{content}{since:?}").as_bytes());
    yaml::write(&json!([{
        "entry_type": entry_type,
        "metadata": {
            "format_version": "2.0",
            "uuid": uuid(&identity),
            "creation_time": time_text(since),
            "producer": { "name": "concord", "version": env!("CARGO_PKG_VERSION") },
            "task": {
                "input_files": names,
                "input_file_hashes": hashes,
                "specification": specification,
                "data_model": task.data_model_name(),
                "language": "C",
            },
        },
        "content": content,
    }]))
}

/// A UUID (version 8: made of a hash) from hexadecimal digits.
fn uuid(digits: &str) -> String {
    format!(
        "{}-{}-8{}-a{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}

/// A time as ISO 8601 has it, in UTC.
fn time_text(since: Duration) -> String {
    let seconds = since.as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Hinnant 2013, "chrono-compatible low-level date algorithms": years that begin in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The conditions of a loop that a compiler would take at its head.
fn in_scope(program: &Program, invariant: &LoopInvariant, start: Span) -> Vec<String> {
    let plain = invariant.conditions.iter().filter_map(|condition| condition.plain_c());
    plain
        .filter(|text| names(text).all(|name| is_visible(program, invariant, start, name)))
        .map(str::to_owned)
        .collect()
}

/// The names of variables in an expression.
fn names(text: &str) -> impl Iterator<Item = &str> {
    const WORDS: [&str; 7] = ["int", "long", "short", "char", "signed", "unsigned", "_Bool"];
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !WORDS.contains(word))
}

/// Is a name one that the program sees at the head of the loop? Of a local, the block it is declared in must
/// still be open there.
fn is_visible(program: &Program, invariant: &LoopInvariant, head: Span, name: &str) -> bool {
    let owner = ProcedureId::from_index(invariant.procedure_number as usize);
    let mut found = program.variables.iter().filter(|variable| {
        let is_here = variable.procedure == Some(owner) || (variable.procedure.is_none());
        *variable.name == *name && is_here && variable.kind != VariableKind::Temporary
    });
    let Some(variable) = found.next() else { return false };
    if variable.procedure.is_none() || variable.kind == VariableKind::Parameter {
        return true;
    }
    is_open_at(program, variable.span, head)
}

/// Is the block of a local, which is declared there, still open at the head of a loop?
pub(crate) fn is_open_at(program: &Program, declared: Span, head: Span) -> bool {
    if declared.start <= head.start {
        let between = program.sources.text(Span::new(declared.start, head.start));
        let mut depth = 0i32;
        return between.chars().all(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth >= 0
        });
    }
    // `for (int i = …;`: the variable is the loop's own.
    let within = program.sources.text(Span::new(head.start, declared.start));
    within.starts_with("for") && !within.contains([';', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_iso_8601() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_763_261_999, "2025-11-16T02:59:59Z"),
        ] {
            assert_eq!(time_text(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn loops_are_told_by_their_keyword() {
        for (before, from, keyword) in [
            ("x; while (", "n > 0) ;", Some("while (")),
            ("for (int i = f(1); ", "i < n; i++)", Some("for (int i = f(1); ")),
            ("a; do { ", "x++; } while (x);", Some("do { ")),
            ("a; do\n", "x++; while (x);", Some("do\n")),
            ("a; ", "while (1)", Some("")),
            ("if (", "x)", None),
            ("awhile (", "x)", None),
            ("a; undo { ", "x", None),
        ] {
            let expected = keyword.map(|text| before.len() - text.len());
            assert_eq!(keyword_before(before, from), expected, "{before}|{from}");
        }
    }

    #[test]
    fn names_are_words_that_are_no_types() {
        let found: Vec<&str> = names("(unsigned)x1 + 3U <= (long long)_y && n != 0x1fU").collect();
        assert_eq!(found, ["x1", "_y", "n"]);
    }
}
