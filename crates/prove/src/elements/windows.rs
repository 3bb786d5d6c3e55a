//! Windows of ring buffers: of `a[k % N]`, what is true of every `k` from the place that is read next up to the one that is written next, both of
//! which only grow and may wrap around. An index is in the window if `k - low < high - low`, as unsigned numbers.
//!
//! Worked example: `put` stores at `a[h % 8]` and raises `h`, `get` reads at `a[t % 8]` and raises `t`, if `h - t` is not 8, not 0. Every `k` with
//! `k - t < h - t` is one whose element was written: the new one is, and those that were in the window before.

use super::ForAll;
use super::guess::counters;
use crate::blocks::{Blocks, HeadId};
use crate::in_memory::subjects_in_memory;
use logic::term::{Op, Postorder, symbols_in};
use logic::{TermId, TermPool};
use symbolic::Terms;

/// More ends than this make too many windows.
const MOST_ENDS: usize = 4;

/// Terms that an address may take its index from, beside symbols: numbers in memory whose address is fixed.
pub fn numbers_in_memory(pool: &TermPool, addresses: &[TermId]) -> Vec<TermId> {
    let is_number = |term: TermId| {
        pool.op(term) == Op::Select
            && matches!(pool.op(pool.arguments(term)[0]), Op::Symbol(_))
            && matches!(pool.op(pool.arguments(term)[1]), Op::Constant(_))
    };
    Postorder::new(pool, addresses).filter(|&term| is_number(term)).collect()
}

/// Is the condition about elements at an index that is reduced before it is used?
pub fn is_about_ring(pool: &TermPool, source: &ForAll) -> bool {
    let addresses = super::instance::addresses_in(pool, source.body);
    Postorder::new(pool, &addresses).any(|term| {
        let is_reduced = match pool.op(term) {
            Op::Extract { low, .. } => low == 0,
            Op::BvUrem | Op::BvAnd => true,
            _ => false,
        };
        is_reduced && pool.arguments(term).contains(&source.index)
    })
}

/// That an index of a width lies in the window between two numbers that the loop changes, for all pairs of them.
pub fn windows(blocks: &mut Blocks<'_, '_>, head: HeadId, index: TermId) -> Vec<TermId> {
    let width = blocks.explorer.encoder.terms.pool.width(index);
    let mut ends: Vec<TermId> = counters(blocks, head).into_iter().map(|(_, symbol)| symbol).collect();
    ends.extend(subjects_in_memory(blocks, head).into_iter().map(|subject| subject.term));
    ends.retain(|&end| blocks.explorer.encoder.terms.pool.width(end) == width);
    ends.truncate(MOST_ENDS);
    let terms = &mut blocks.explorer.encoder.terms;
    let mut found = Vec::new();
    for &low in &ends {
        for &high in ends.iter().filter(|&&high| high != low) {
            found.push(is_within(terms, index, low, high));
        }
    }
    found
}

fn is_within(terms: &mut Terms, index: TermId, low: TermId, high: TermId) -> TermId {
    let (passed, length) = (terms.sub(index, low), terms.sub(high, low));
    terms.below(passed, length)
}

/// Does a condition speak of nothing but the index and these symbols?
pub fn speaks_only_of(
    pool: &TermPool,
    body: TermId,
    index: TermId,
    is_known: impl Fn(TermId) -> bool,
) -> bool {
    let symbols = symbols_in(pool, &[body]);
    symbols.contains(&index) && symbols.iter().all(|&own| own == index || is_known(own))
}
