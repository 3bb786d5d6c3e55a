//! At which indices are invariants about all elements supposed? At those a question is about, at the loops'
//! own counters, and where the block reads or writes: an address there that looks like an invariant's address
//! says which index is meant.

use super::ForAll;
use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::Terms;

/// More indices of one width than this are too many.
const MOST_INDICES: usize = 40;

/// Indices by width.
#[derive(Debug, Default)]
pub struct Indices {
    by_width: FxHashMap<u32, Vec<TermId>>,
}

impl Indices {
    /// One more.
    pub fn add(&mut self, pool: &TermPool, index: TermId) {
        let Sort::BitVec(width) = pool.sort(index) else { return };
        let known = self.by_width.entry(width).or_default();
        if known.len() < MOST_INDICES && !known.contains(&index) {
            known.push(index);
        }
    }

    /// Those at which something is read or written where an invariant reads.
    pub fn add_read_or_written(&mut self, pool: &TermPool, invariants: &[ForAll], happens: &[TermId]) {
        let addresses: FxHashSet<TermId> = Postorder::new(pool, happens)
            .filter(|&term| matches!(pool.op(term), Op::Select | Op::Store))
            .map(|term| pool.arguments(term)[1])
            .collect();
        let mut addresses: Vec<TermId> = addresses.into_iter().collect();
        addresses.sort_unstable();
        let mut patterns: Vec<(TermId, TermId)> = Vec::new();
        for invariant in invariants {
            for address in addresses_in(pool, invariant.body) {
                if !patterns.contains(&(invariant.index, address)) {
                    patterns.push((invariant.index, address));
                }
            }
        }
        for (index, pattern) in patterns {
            for &address in &addresses {
                let mut meant = None;
                if matches(pool, index, pattern, address, &mut meant)
                    && let Some(meant) = meant
                {
                    self.add(pool, meant);
                }
            }
        }
    }
}

/// Addresses that a condition reads from.
pub fn addresses_in(pool: &TermPool, condition: TermId) -> Vec<TermId> {
    Postorder::new(pool, &[condition])
        .filter(|&term| pool.op(term) == Op::Select)
        .map(|term| pool.arguments(term)[1])
        .collect()
}

/// Is the term the pattern with something in place of the index?
fn matches(
    pool: &TermPool,
    index: TermId,
    pattern: TermId,
    term: TermId,
    meant: &mut Option<TermId>,
) -> bool {
    if pattern == index {
        return pool.sort(term) == pool.sort(index) && *meant.get_or_insert(term) == term;
    }
    if pattern == term {
        return true;
    }
    let (wanted, given) = (pool.arguments(pattern), pool.arguments(term));
    if pool.op(pattern) != pool.op(term) || wanted.is_empty() || wanted.len() != given.len() {
        return false;
    }
    let before = *meant;
    if wanted.iter().zip(given).all(|(&wanted, &given)| matches(pool, index, wanted, given, meant)) {
        return true;
    }
    *meant = before;
    // The order of two arguments depends on when they were made.
    if pool.op(pattern).is_commutative() && wanted.len() == 2 {
        return matches(pool, index, wanted[0], given[1], meant)
            && matches(pool, index, wanted[1], given[0], meant);
    }
    false
}

/// An invariant at all indices of its width.
pub fn instantiate(terms: &mut Terms, invariant: ForAll, indices: &Indices) -> Vec<TermId> {
    let width = terms.pool.width(invariant.index);
    let chosen = indices.by_width.get(&width).cloned().unwrap_or_default();
    if !symbols_in(&terms.pool, &[invariant.body]).contains(&invariant.index) {
        return vec![invariant.body];
    }
    let mut instances = Vec::new();
    for index in chosen {
        let at: FxHashMap<TermId, TermId> = [(invariant.index, index)].into_iter().collect();
        let instance = terms.pool.substitute(invariant.body, &at);
        instances.push(terms.simple(instance));
    }
    instances.retain(|&instance| terms.truth(instance) != Some(true));
    instances
}
