//! What a condition depends on: the terms below it, seen through the definitions of guards.

use logic::term::Op;
use logic::{Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::Encoder;

/// Definitions of guards, as far as they were read.
#[derive(Debug, Default)]
pub struct Cones {
    definitions: FxHashMap<TermId, TermId>,
    read: usize,
}

impl Cones {
    /// All terms below some roots, each once, guards replaced by what they are defined as.
    pub fn below(&mut self, encoder: &Encoder<'_>, roots: &[TermId]) -> Vec<TermId> {
        let pool = &encoder.terms.pool;
        while let Some(&fact) = encoder.facts.get(self.read) {
            self.read += 1;
            if let Some((symbol, definition)) = definition(pool, fact) {
                self.definitions.entry(symbol).or_insert(definition);
            }
        }
        let mut seen = FxHashSet::default();
        let mut open = roots.to_vec();
        let mut found = Vec::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.definitions.get(&term) {
                Some(&definition) => open.push(definition),
                None => {
                    found.push(term);
                    open.extend(pool.arguments(term));
                }
            }
        }
        found
    }
}

/// A fact that says what a guard is: the guard and its meaning.
pub(crate) fn definition(pool: &TermPool, fact: TermId) -> Option<(TermId, TermId)> {
    if pool.op(fact) != Op::Equal {
        return None;
    }
    let [one, two] = *pool.arguments(fact) else { return None };
    let is_guard = |term: TermId| {
        pool.sort(term) == Sort::Bool
            && pool
                .symbol_name(term)
                .is_some_and(|name| name.starts_with("path!") || name.starts_with("meet!"))
    };
    // A guard is younger than what it is defined by.
    match (is_guard(one), is_guard(two)) {
        (true, false) => Some((one, two)),
        (false, true) => Some((two, one)),
        (true, true) => Some((one.max(two), one.min(two))),
        (false, false) => None,
    }
}
