//! Rules that see that two sums are one: the same parts, added in whatever order and whatever width. Programs that add
//! up an array in two orders ask for this, and bit by bit it is among the hardest questions there are.
//!
//! Both sides are read as sums of parts with coefficients modulo 2^width (a sum's low bits are those of its parts' low
//! bits), and only what is decided by that is rewritten: equal parts cancel, and what is left is a constant. The same
//! for exclusive or. Without recursion over long chains: a sum is a list of work.
//!
//! Worked example: `(int)((long)x + (long)y) = y + x`. On the left the low 32 bits of both extensions, which are `x`
//! and `y`; all cancels, so it is true.

use super::rule::{Rule, two};
use crate::bits::Bits;
use crate::term::{Op, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Sums with more parts than this, counted with repetition, are left as they are.
const MOST_PARTS: usize = 2000;
/// Terms that are compared part by part have no more parts than this.
const MOST_COMPARED: u32 = 60;
/// So deep are choices looked into that are not cancelled.
const MOST_DEPTH: u32 = 2;
/// Wider words are left as they are.
const WIDEST: u32 = 128;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "equations between sums of the same parts",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if !is_sum(pool, a) && !is_sum(pool, b) {
                return None;
            }
            let rest = difference(pool, a, b, MOST_DEPTH)?;
            Some(pool.bool(rest == 0))
        },
    },
    Rule {
        name: "equations between exclusive ors of the same parts",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if !is_parity(pool, a) && !is_parity(pool, b) {
                return None;
            }
            let rest = parity(pool, a, b)?;
            Some(pool.bool(rest == 0))
        },
    },
    Rule {
        name: "equations between the same of equal sums",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let arguments = pool.arguments(a).len();
            if pool.op(a) != pool.op(b) || arguments == 0 || !matches!(pool.sort(a), Sort::BitVec(_)) {
                return None;
            }
            let mut left = MOST_COMPARED;
            is_same(pool, a, b, &mut left).then(|| pool.tt())
        },
    },
];

/// What the low bits of a term are made of by adding, or by exclusive or.
fn inside(pool: &TermPool, mut term: TermId, width: u32) -> TermId {
    loop {
        let argument = pool.arguments(term).first().copied();
        term = match (pool.op(term), argument) {
            (Op::Extract { low: 0, .. }, Some(argument)) if pool.width(argument) <= WIDEST => argument,
            (Op::ZeroExtend { .. } | Op::SignExtend { .. }, Some(argument))
                if pool.width(argument) >= width =>
            {
                argument
            }
            _ => return term,
        };
    }
}

fn width_of(pool: &TermPool, term: TermId) -> Option<u32> {
    match pool.sort(term) {
        Sort::BitVec(width) if width <= WIDEST => Some(width),
        _ => None,
    }
}

fn is_sum(pool: &TermPool, term: TermId) -> bool {
    let Some(width) = width_of(pool, term) else { return false };
    let term = inside(pool, term, width);
    match (pool.op(term), pool.arguments(term)) {
        (Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvNot, _) => true,
        (Op::Ite, &[_, one, two]) => {
            [one, two].into_iter().all(|side| matches!(pool.op(side), Op::BvAdd | Op::BvSub))
        }
        _ => false,
    }
}

fn is_parity(pool: &TermPool, term: TermId) -> bool {
    width_of(pool, term).is_some_and(|width| matches!(pool.op(inside(pool, term, width)), Op::BvXor))
}

fn mask_of(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The difference of two words, if it is a constant. Choices are looked into as deep as that.
fn difference(pool: &TermPool, a: TermId, b: TermId, depth: u32) -> Option<u128> {
    let width = width_of(pool, a)?;
    let mask = mask_of(width);
    let constant = |term: TermId| pool.constant_value(term).and_then(Bits::to_u128);
    // Terms come after their arguments: when the youngest is taken apart, all that it is part of is.
    let mut open = Work { factors: BTreeMap::new(), width, mask };
    open.add(pool, a, 1);
    open.add(pool, b, mask);
    let mut rest = 0u128;
    let mut seen = 0;
    while let Some((term, factor)) = open.factors.pop_last() {
        seen += 1;
        if seen > MOST_PARTS {
            return None;
        }
        if factor == 0 {
            continue;
        }
        if let Some(value) = constant(term) {
            rest = rest.wrapping_add(value.wrapping_mul(factor));
            continue;
        }
        // Whatever else it is, nothing that comes later cancels it.
        width_of(pool, term)?;
        let negative = factor.wrapping_neg() & mask;
        match (pool.op(term), pool.arguments(term)) {
            (Op::BvAdd, &[one, two]) => {
                open.add(pool, one, factor);
                open.add(pool, two, factor);
            }
            (Op::BvSub, &[one, two]) => {
                open.add(pool, one, factor);
                open.add(pool, two, negative);
            }
            (Op::BvNeg, &[one]) => open.add(pool, one, negative),
            (Op::BvNot, &[one]) => {
                rest = rest.wrapping_sub(factor);
                open.add(pool, one, negative);
            }
            (Op::BvMul, &[one, two]) if constant(two).is_some() => {
                open.add(pool, one, factor.wrapping_mul(constant(two).unwrap_or(0)) & mask);
            }
            (Op::BvShl, &[one, by]) if constant(by).is_some_and(|by| by < u128::from(pool.width(term))) => {
                // What is moved out of these bits is nothing here.
                let by = constant(by).unwrap_or(0);
                open.add(pool, one, if by < 128 { (factor << by) & mask } else { 0 });
            }
            // A choice between two words that differ by a constant is one of them, and the constant where the other is
            // chosen.
            (Op::Ite, &[condition, one, two]) if depth > 0 && pool.width(term) == width => {
                let step = difference(pool, one, two, depth - 1)?;
                open.add(pool, two, factor);
                open.add(pool, condition, factor.wrapping_mul(step) & mask);
            }
            _ => return None,
        }
    }
    Some(rest & mask)
}

/// Terms with their factors. A condition stands for one where it holds, and for zero where it does not.
struct Work {
    factors: BTreeMap<TermId, u128>,
    width: u32,
    mask: u128,
}

impl Work {
    fn add(&mut self, pool: &TermPool, term: TermId, factor: u128) {
        let term = match pool.sort(term) {
            Sort::BitVec(_) => inside(pool, term, self.width),
            _ => term,
        };
        let own = self.factors.entry(term).or_insert(0);
        *own = own.wrapping_add(factor) & self.mask;
    }
}

/// The exclusive or of two words, if it is a constant.
fn parity(pool: &TermPool, a: TermId, b: TermId) -> Option<u128> {
    let width = width_of(pool, a)?;
    let mask = mask_of(width);
    let mut parts: FxHashMap<TermId, bool> = FxHashMap::default();
    let mut rest = 0u128;
    let mut open = vec![a, b];
    let mut seen = 0;
    while let Some(term) = open.pop() {
        seen += 1;
        if seen > MOST_PARTS {
            return None;
        }
        let term = inside(pool, term, width);
        if let Some(value) = pool.constant_value(term).and_then(Bits::to_u128) {
            rest ^= value;
            continue;
        }
        match (pool.op(term), pool.arguments(term)) {
            (Op::BvXor, &[one, two]) => open.extend([one, two]),
            (Op::BvNot, &[one]) => {
                rest ^= mask;
                open.push(one);
            }
            _ => *parts.entry(term).or_insert(false) ^= true,
        }
    }
    parts.values().all(|&is_odd| !is_odd).then_some(rest & mask)
}

/// Are they the same but for the order of what is added in them?
fn is_same(pool: &TermPool, a: TermId, b: TermId, left: &mut u32) -> bool {
    if a == b {
        return true;
    }
    *left = left.saturating_sub(1);
    if *left == 0 || pool.sort(a) != pool.sort(b) {
        return false;
    }
    if is_sum(pool, a) || is_sum(pool, b) {
        return difference(pool, a, b, MOST_DEPTH) == Some(0);
    }
    if is_parity(pool, a) || is_parity(pool, b) {
        return parity(pool, a, b) == Some(0);
    }
    let (ours, theirs) = (pool.arguments(a), pool.arguments(b));
    let is_alike = pool.op(a) == pool.op(b) && !ours.is_empty() && ours.len() == theirs.len();
    is_alike && ours.iter().zip(theirs).all(|(&one, &two)| is_same(pool, one, two, left))
}

#[cfg(test)]
mod tests {
    use super::super::Simplifier;
    use crate::term::{TermId, TermPool};

    fn simple(pool: &mut TermPool, term: TermId) -> TermId {
        Simplifier::new().simplify(pool, term)
    }

    /// A sum of many parts is the same in any order, cut before or after it is added up; one part more, less or in
    /// another width is another sum.
    #[test]
    fn long_sums_are_the_same_in_any_order() {
        let mut pool = TermPool::new();
        let parts: Vec<TermId> = (0..50).map(|at| pool.bitvec_symbol(&format!("x{at}"), 32)).collect();
        let (mut wide, mut narrow) = (pool.number(64, 0), pool.number(32, 0));
        for &part in &parts {
            let long = pool.sign_extend(part, 32);
            wide = pool.bvadd(wide, long);
        }
        for &part in parts.iter().rev() {
            narrow = pool.bvadd(part, narrow);
        }
        let low = pool.extract(wide, 31, 0);
        let same = pool.equal(low, narrow);
        assert_eq!(simple(&mut pool, same), pool.tt());
        let one = pool.number(32, 1);
        let more = pool.bvadd(narrow, one);
        let other = pool.equal(low, more);
        assert_eq!(simple(&mut pool, other), pool.ff());
        let less = pool.bvsub(narrow, parts[3]);
        let open = pool.equal(low, less);
        let open = simple(&mut pool, open);
        assert!(open != pool.tt() && open != pool.ff());
        // Choices that add one or the other are parts like any: the order of what is added does not matter.
        let (mut up, mut down) = (pool.number(32, 0), pool.number(32, 0));
        let minus_one = pool.number(32, -1);
        let chosen: Vec<TermId> = (0..20).map(|at| pool.bool_symbol(&format!("c{at}"))).collect();
        for (sum, in_order) in [(&mut up, true), (&mut down, false)] {
            for at in 0..chosen.len() {
                let condition = chosen[if in_order { at } else { chosen.len() - 1 - at }];
                let (more, less) = (pool.bvadd(*sum, one), pool.bvadd(*sum, minus_one));
                *sum = pool.ite(condition, more, less);
            }
        }
        let same = pool.equal(up, down);
        assert_eq!(simple(&mut pool, same), pool.tt());
        let more = pool.bvadd(up, one);
        let other = pool.equal(more, down);
        assert_eq!(simple(&mut pool, other), pool.ff());
        // In 64 bits the two differ: the narrow sum wraps around.
        let extended = pool.sign_extend(narrow, 32);
        let open = pool.equal(wide, extended);
        let open = simple(&mut pool, open);
        assert!(open != pool.tt() && open != pool.ff());
    }
}
