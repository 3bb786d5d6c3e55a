//! Conditions about all elements of arrays: they name an index, `any$32`, which stands for every number of so
//! many bits.
//!
//! As an obligation such a condition is shown for an index that nothing else is known of, so for all. As a
//! supposition it may be used at any index: at that same one, and at those where the question reads or writes
//! memory where the condition does, or which the condition compares with. Every choice is sound; a bad one
//! shows less.

use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::{Encoder, Terms};

/// The widths an index may have.
pub(crate) const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// More indices than this are not tried for one condition.
const MOST: usize = 40;

/// The index of a width, as a symbol.
pub(crate) fn any_index(terms: &mut Terms, width: u32) -> TermId {
    terms.pool.symbol(&format!("audit:any${width}"), Sort::BitVec(width))
}

/// The name of it in conditions.
pub(crate) fn name(width: u32) -> String {
    format!("any${width}")
}

/// What else may be supposed, beside the conditions as they stand, in a question about these terms.
pub(crate) fn instances(encoder: &mut Encoder<'_>, supposed: &[TermId], question: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut asked: Option<Vec<TermId>> = None;
    for width in WIDTHS {
        let index = any_index(&mut encoder.terms, width);
        for &condition in supposed {
            if !symbols_in(&encoder.terms.pool, &[condition]).contains(&index) {
                continue;
            }
            let asked = asked.get_or_insert_with(|| addresses(encoder, question));
            let mut chosen = compared_with(&encoder.terms.pool, condition, index);
            for pattern in read_at(&encoder.terms.pool, &[condition]) {
                for &address in asked.iter() {
                    let mut binding = None;
                    if fits(&encoder.terms.pool, (pattern, index), address, &mut binding) {
                        chosen.extend(binding);
                    }
                }
            }
            let mut seen = FxHashSet::default();
            chosen.retain(|&term| term != index && seen.insert(term));
            for term in chosen.into_iter().take(MOST) {
                let at: FxHashMap<TermId, TermId> = [(index, term)].into_iter().collect();
                let instance = encoder.terms.pool.substitute(condition, &at);
                let instance = encoder.terms.simple(instance);
                if encoder.terms.truth(instance) != Some(true) {
                    found.push(instance);
                }
            }
        }
    }
    found
}

/// Addresses that the terms read or write at, and what the names of guards in them stand for.
fn addresses(encoder: &Encoder<'_>, question: &[TermId]) -> Vec<TermId> {
    let pool = &encoder.terms.pool;
    let mut meanings: FxHashMap<TermId, TermId> = FxHashMap::default();
    for &fact in &encoder.facts {
        if pool.op(fact) == Op::Equal {
            let (one, two) = (pool.arguments(fact)[0], pool.arguments(fact)[1]);
            for (name, meaning) in [(one, two), (two, one)] {
                if pool.sort(name) == Sort::Bool && matches!(pool.op(name), Op::Symbol(_)) {
                    meanings.entry(name).or_insert(meaning);
                }
            }
        }
    }
    let mut roots = question.to_vec();
    let mut known: FxHashSet<TermId> = FxHashSet::default();
    let mut next = 0;
    while next < roots.len() {
        let root = roots[next];
        next += 1;
        for symbol in symbols_in(pool, &[root]) {
            if let Some(&meaning) = meanings.get(&symbol)
                && known.insert(symbol)
            {
                roots.push(meaning);
            }
        }
    }
    read_at(pool, &roots)
}

/// Addresses that are read or written.
fn read_at(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    Postorder::new(pool, roots)
        .filter(|&term| matches!(pool.op(term), Op::Select | Op::Store))
        .map(|term| pool.arguments(term)[1])
        .filter(|&address| seen.insert(address))
        .collect()
}

/// What a condition compares its index with.
fn compared_with(pool: &TermPool, condition: TermId, index: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    for term in Postorder::new(pool, &[condition]) {
        if matches!(pool.op(term), Op::Equal | Op::Ult | Op::Ule | Op::Slt | Op::Sle)
            && let [one, two] = *pool.arguments(term)
        {
            found.extend((one == index).then_some(two));
            found.extend((two == index).then_some(one));
        }
    }
    found
}

/// Is the term the pattern with something in place of the index? What, is noted.
fn fits(
    pool: &TermPool,
    (pattern, index): (TermId, TermId),
    term: TermId,
    binding: &mut Option<TermId>,
) -> bool {
    if pattern == index {
        return pool.sort(term) == pool.sort(index) && *binding.get_or_insert(term) == term;
    }
    if pattern == term {
        return true;
    }
    let (wanted, given) = (pool.arguments(pattern), pool.arguments(term));
    if pool.op(pattern) != pool.op(term) || wanted.len() != given.len() || wanted.is_empty() {
        return false;
    }
    let before = *binding;
    let in_order =
        wanted.iter().zip(given).all(|(&wanted, &given)| fits(pool, (wanted, index), given, binding));
    if in_order {
        return true;
    }
    *binding = before;
    pool.op(pattern).is_commutative()
        && wanted.len() == 2
        && fits(pool, (wanted[0], index), given[1], binding)
        && fits(pool, (wanted[1], index), given[0], binding)
}
