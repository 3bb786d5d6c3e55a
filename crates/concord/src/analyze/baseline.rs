//! Warnings that were accepted before: a file has them without line numbers, so that edits elsewhere do not bring them
//! back. As many of one kind, function and expression are accepted as the file has.

use super::claims::Claim;
use program::Program;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What makes two warnings the same: their kind, file, function and expression.
type Key = (String, String, String, String);

fn key(program: &Program, claim: &Claim) -> Key {
    let file = program.sources.location(claim.span).map_or_else(String::new, |place| place.file.to_string());
    let function = claim.procedure.map_or_else(String::new, |id| program.procedures[id].name.to_string());
    (claim.rule.to_owned(), file, function, claim.about.clone())
}

fn counted<'c>(program: &Program, claims: impl Iterator<Item = &'c Claim>) -> BTreeMap<Key, u64> {
    let mut counts = BTreeMap::new();
    for claim in claims {
        *counts.entry(key(program, claim)).or_default() += 1;
    }
    counts
}

/// The text of a file that accepts all that is told now.
pub fn written(program: &Program, claims: &[Claim]) -> String {
    let told = claims.iter().filter(|claim| !claim.answer.verdict.holds());
    let all: Vec<Value> = counted(program, told)
        .into_iter()
        .map(|((kind, file, function, about), count)| {
            json!({ "kind": kind, "file": file, "function": function, "about": about, "count": count })
        })
        .collect();
    let mut text = format!("{:#}", json!({ "concord_baseline": 1, "accepted": all }));
    text.push('\n');
    text
}

/// Marks the claims that the file accepts. What runs show is not accepted by being a warning once.
pub fn accept(file: &Path, program: &Program, claims: &mut [Claim]) -> Result<(), String> {
    let named = |what: &str| format!("{}: {what}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| named(&error.to_string()))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| named(&error.to_string()))?;
    let entries = document["accepted"].as_array().filter(|_| document["concord_baseline"] == 1);
    let entries = entries.ok_or_else(|| named("this is no baseline that --write-baseline wrote"))?;
    let mut left: BTreeMap<Key, u64> = BTreeMap::new();
    for entry in entries {
        let part = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let key = (part("kind"), part("file"), part("function"), part("about"));
        *left.entry(key).or_default() += entry["count"].as_u64().unwrap_or(1);
    }
    for claim in claims.iter_mut().filter(|claim| claim.answer.verdict.is_undecided()) {
        if let Some(count) = left.get_mut(&key(program, claim)).filter(|count| **count > 0) {
            *count -= 1;
            claim.is_accepted = true;
        }
    }
    Ok(())
}
