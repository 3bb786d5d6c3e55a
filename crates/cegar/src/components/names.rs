//! Events that no component has, and the names that were probably meant.

use super::parts::SystemPart;
use super::returns::is_return;
use lks::Lks;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Events of a process that no component has, in words: it waits for them in vain.
pub(super) fn unknown_events(process: &Lks, parts: &[SystemPart]) -> Vec<String> {
    let events: BTreeSet<Arc<str>> = parts.iter().flat_map(SystemPart::events).collect();
    // As a specification writes them: `return`, and `return {c}`.
    let is_return = |name: &str| is_return(name) || name.starts_with("return ");
    let alphabet = process.alphabet();
    let names = alphabet.visible().map(|action| alphabet.name(action));
    names
        .filter(|name| !is_return(name) && !events.contains(*name))
        .map(|name| {
            let hint = nearest(name, events.iter().map(|event| &**event))
                .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            format!("no component has the event `{name}` of the process `{}`{hint}", process.name())
        })
        .collect()
}

/// Events of a formula that no component has, with the names that were probably meant.
pub(super) fn unknown_formula_events(formula: &spec::Formula, parts: &[SystemPart]) -> Vec<String> {
    let events: BTreeSet<Arc<str>> = parts.iter().flat_map(SystemPart::events).collect();
    let mut told = Vec::new();
    for atom in formula.atoms() {
        let spec::Atom::Event(name) = atom else { continue };
        let is_known = events.contains(&name) || &*name == lks::Alphabet::TAU_NAME;
        if let Some(meant) = nearest(&name, events.iter().map(|event| &**event)).filter(|_| !is_known) {
            told.push(format!("no component has the event `{name}` of the formula; did you mean `{meant}`?"));
        }
    }
    told
}

/// The name that differs in the fewest letters, if they are few.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = 1 + wanted.chars().count() / 4;
    names
        .map(|name| (distance(wanted, name), name))
        .filter(|(differs, _)| (1..=most).contains(differs))
        .min()
        .map(|(_, name)| name)
}

/// How many letters must be changed, added or removed (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, own) in other.iter().enumerate() {
            let changed = diagonal + usize::from(*own != letter);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}
