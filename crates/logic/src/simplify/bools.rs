//! Rules about truth values and choices.

use super::rule::{Rule, are_opposite, two, under, under_one};
use crate::term::{Op, Sort, TermId, TermPool};
use rustc_hash::FxHashSet;

/// Nested conjunctions are joined only up to this many arguments, which keeps shared ones shared.
const WIDEST: usize = 64;

/// Conjunctions and disjunctions: `neutral` is true for `and`, false for `or`.
fn absorb(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let op = pool.op(term);
    let neutral = op == Op::And;
    let arguments = pool.arguments(term).to_vec();
    let joined: usize =
        arguments.iter().map(|&a| if pool.op(a) == op { pool.arguments(a).len() } else { 1 }).sum();
    let mut kept: Vec<TermId> = Vec::with_capacity(arguments.len());
    for &argument in &arguments {
        if pool.op(argument) == op && joined <= WIDEST {
            kept.extend(pool.arguments(argument));
        } else {
            kept.push(argument);
        }
    }
    kept.sort_unstable();
    kept.dedup();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut result = Vec::with_capacity(kept.len());
    for &argument in &kept {
        match pool.bool_value(argument) {
            Some(value) if value == neutral => continue,
            Some(_) => return Some(pool.bool(!neutral)),
            None => {}
        }
        // a ∧ ¬a
        let opposite = under_one(pool, argument, Op::Not);
        if opposite.is_some_and(|inner| kept.binary_search(&inner).is_ok()) {
            return Some(pool.bool(!neutral));
        }
        if seen.insert(argument) {
            result.push(argument);
        }
    }
    if result == arguments {
        return None;
    }
    Some(if neutral { pool.all_of(&result) } else { pool.any_of(&result) })
}

fn branches(pool: &TermPool, term: TermId) -> (TermId, TermId, TermId) {
    let arguments = pool.arguments(term);
    (arguments[0], arguments[1], arguments[2])
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "¬¬a = a",
        heads: &[Op::Not],
        apply: |pool, term| under_one(pool, pool.arguments(term)[0], Op::Not),
    },
    Rule {
        name: "¬(a < b) = b ≤ a, and so on",
        heads: &[Op::Not],
        apply: |pool, term| {
            let inner = pool.arguments(term)[0];
            let op = pool.op(inner);
            if !matches!(op, Op::Ult | Op::Ule | Op::Slt | Op::Sle) {
                return None;
            }
            let (a, b) = two(pool, inner);
            Some(match op {
                Op::Ult => pool.ule(b, a),
                Op::Ule => pool.ult(b, a),
                Op::Slt => pool.sle(b, a),
                _ => pool.slt(b, a),
            })
        },
    },
    Rule { name: "join, sort, absorb in ∧ and ∨", heads: &[Op::And, Op::Or], apply: absorb },
    Rule {
        name: "a ⊕ a = false, a ⊕ ¬a = true",
        heads: &[Op::Xor],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if a == b {
                return Some(pool.ff());
            }
            are_opposite(pool, a, b).then(|| pool.tt())
        },
    },
    Rule {
        name: "a ⊕ constant",
        heads: &[Op::Xor],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let flip = pool.bool_value(b)?;
            Some(if flip { pool.not(a) } else { a })
        },
    },
    Rule {
        name: "¬a ⊕ b = ¬(a ⊕ b)",
        heads: &[Op::Xor],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let inner = match (under_one(pool, a, Op::Not), under_one(pool, b, Op::Not)) {
                (Some(a), Some(b)) => return Some(pool.xor(a, b)),
                (Some(a), None) => pool.xor(a, b),
                (None, Some(b)) => pool.xor(a, b),
                (None, None) => return None,
            };
            Some(pool.not(inner))
        },
    },
    Rule {
        name: "a = a",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            // Of floats too: `=` is identity, not C's `==`.
            (a == b).then(|| pool.tt())
        },
    },
    Rule {
        name: "Boolean a = constant",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let keep = pool.bool_value(b)?;
            Some(if keep { a } else { pool.not(a) })
        },
    },
    Rule {
        name: "Boolean a = ¬a is false, ¬a = ¬b is a = b",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if pool.sort(a) != Sort::Bool {
                return None;
            }
            if are_opposite(pool, a, b) {
                return Some(pool.ff());
            }
            match (under_one(pool, a, Op::Not), under_one(pool, b, Op::Not)) {
                (Some(a), Some(b)) => Some(pool.equal(a, b)),
                _ => None,
            }
        },
    },
    Rule {
        name: "ite with a known condition or equal branches",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            match pool.bool_value(condition) {
                Some(true) => Some(then),
                Some(false) => Some(otherwise),
                None => (then == otherwise).then_some(then),
            }
        },
    },
    Rule {
        name: "ite(¬c, a, b) = ite(c, b, a)",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            let inner = under_one(pool, condition, Op::Not)?;
            Some(pool.ite(inner, otherwise, then))
        },
    },
    Rule {
        name: "Boolean ite with a constant branch",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            if pool.sort(term) != Sort::Bool {
                return None;
            }
            match (pool.bool_value(then), pool.bool_value(otherwise)) {
                (Some(true), _) => Some(pool.or(condition, otherwise)),
                (_, Some(false)) => Some(pool.and(condition, then)),
                (Some(false), _) => {
                    let not = pool.not(condition);
                    Some(pool.and(not, otherwise))
                }
                (_, Some(true)) => {
                    let not = pool.not(condition);
                    Some(pool.or(not, then))
                }
                _ => None,
            }
        },
    },
    Rule {
        name: "Boolean ite(c, a, ¬a) = (c = a)",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            (pool.sort(term) == Sort::Bool && are_opposite(pool, then, otherwise))
                .then(|| pool.equal(condition, then))
        },
    },
    Rule {
        name: "ite(c, ite(c, a, _), b) = ite(c, a, b)",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            let known = |branch: TermId, value: bool| {
                if pool.op(branch) != Op::Ite {
                    return None;
                }
                let (inner, a, b) = branches(pool, branch);
                (inner == condition).then_some(if value { a } else { b })
            };
            let (new_then, new_otherwise) = (known(then, true), known(otherwise, false));
            if new_then.is_none() && new_otherwise.is_none() {
                return None;
            }
            Some(pool.ite(condition, new_then.unwrap_or(then), new_otherwise.unwrap_or(otherwise)))
        },
    },
    Rule {
        name: "ite(c, a, ite(d, a, b)) = ite(c ∨ d, a, b)",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            if pool.op(otherwise) != Op::Ite {
                return None;
            }
            let (inner, a, b) = branches(pool, otherwise);
            if a != then {
                return None;
            }
            let either = pool.or(condition, inner);
            Some(pool.ite(either, a, b))
        },
    },
    Rule {
        name: "(ite(c, a, b) = a) = c ∨ a = b",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (x, y) = two(pool, term);
            for (choice, other) in [(x, y), (y, x)] {
                if pool.op(choice) != Op::Ite {
                    continue;
                }
                let (condition, a, b) = branches(pool, choice);
                if a == other {
                    let same = pool.equal(b, other);
                    return Some(pool.or(condition, same));
                }
                if b == other {
                    let (same, not) = (pool.equal(a, other), pool.not(condition));
                    return Some(pool.or(not, same));
                }
            }
            None
        },
    },
    Rule {
        name: "ite(a = k, k, b) = ite(a = k, a, b) is b where b is a",
        heads: &[Op::Ite],
        apply: |pool, term| {
            let (condition, then, otherwise) = branches(pool, term);
            let (a, k) = under(pool, condition, Op::Equal)?;
            ((then == k && otherwise == a) || (then == a && otherwise == k)).then_some(otherwise)
        },
    },
];
