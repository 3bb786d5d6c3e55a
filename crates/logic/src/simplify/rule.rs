//! What a rule is, what rules share, and constant folding, which is the evaluator applied to values.

use crate::bits::Bits;
use crate::evaluate::apply;
use crate::model::Value;
use crate::term::{Op, Sort, TermId, TermPool};

/// One rewriting rule: a name, and when and how it applies.
pub struct Rule {
    /// What it says, in a few words or as an equation.
    pub name: &'static str,
    /// Operators it may fit (what they carry does not matter).
    pub heads: &'static [Op],
    /// An equal term, or `None` when the rule does not fit. The arguments are simple already.
    /// Must keep sort and meaning; tested by `rules_keep_the_meaning`.
    pub apply: fn(&mut TermPool, TermId) -> Option<TermId>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", self.name)
    }
}

/// The two arguments.
pub(super) fn two(pool: &TermPool, term: TermId) -> (TermId, TermId) {
    let arguments = pool.arguments(term);
    (arguments[0], arguments[1])
}

/// The value, of a constant.
pub(super) fn value(pool: &TermPool, term: TermId) -> Option<Bits> {
    pool.constant_value(term).cloned()
}

/// The arguments, if the term has this operator.
pub(super) fn under(pool: &TermPool, term: TermId, op: Op) -> Option<(TermId, TermId)> {
    (pool.op(term) == op).then(|| two(pool, term))
}

/// The argument, if the term has this operator.
pub(super) fn under_one(pool: &TermPool, term: TermId, op: Op) -> Option<TermId> {
    (pool.op(term) == op).then(|| pool.arguments(term)[0])
}

/// Are the terms the negations of each other?
pub(super) fn are_opposite(pool: &TermPool, a: TermId, b: TermId) -> bool {
    under_one(pool, a, Op::Not) == Some(b) || under_one(pool, b, Op::Not) == Some(a)
}

/// The term for a value of a sort.
fn constant_term(pool: &mut TermPool, sort: Sort, value: Value) -> Option<TermId> {
    match (sort, value) {
        (_, Value::Bool(value)) => Some(pool.bool(value)),
        (_, Value::Bits(bits)) => Some(pool.constant(bits)),
        (Sort::Float(format), Value::Float(bits)) => {
            let bits = pool.constant(bits);
            Some(pool.fp_from_bits(bits, format))
        }
        _ => None,
    }
}

fn constant_of(pool: &TermPool, term: TermId) -> Option<Value> {
    match pool.op(term) {
        Op::True => Some(Value::Bool(true)),
        Op::False => Some(Value::Bool(false)),
        Op::Constant(_) => pool.constant_value(term).cloned().map(Value::Bits),
        Op::FpFromBits(_) => {
            let bits = pool.constant_value(pool.arguments(term)[0])?.clone();
            apply(pool, term, &[&Value::Bits(bits)]).ok()
        }
        _ => None,
    }
}

/// The value of an operator whose arguments are all constants.
pub(super) fn fold(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let arguments: Option<Vec<Value>> =
        pool.arguments(term).iter().map(|&argument| constant_of(pool, argument)).collect();
    let arguments = arguments?;
    let values: Vec<&Value> = arguments.iter().collect();
    let folded = apply(pool, term, &values).ok()?;
    constant_term(pool, pool.sort(term), folded)
}

/// Is it a choice between constants?
fn constant_choice(pool: &TermPool, term: TermId) -> Option<(TermId, TermId, TermId)> {
    if pool.op(term) != Op::Ite {
        return None;
    }
    let arguments = pool.arguments(term);
    let constant = |term| constant_of(pool, term).is_some();
    (constant(arguments[1]) && constant(arguments[2])).then(|| (arguments[0], arguments[1], arguments[2]))
}

/// Ite-lifting: an operator on a choice between constants, all else constant, is a choice between results.
fn lift_choice(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let arguments = pool.arguments(term).to_vec();
    let position = arguments.iter().position(|&argument| constant_choice(pool, argument).is_some())?;
    let others = arguments.iter().enumerate().all(|(i, &a)| i == position || constant_of(pool, a).is_some());
    if !others {
        return None;
    }
    let (condition, then, otherwise) = constant_choice(pool, arguments[position])?;
    let mut branch = |chosen: TermId| {
        let mut replaced = arguments.clone();
        replaced[position] = chosen;
        let term = pool.with_arguments(term, &replaced);
        fold(pool, term)
    };
    let (then, otherwise) = (branch(then)?, branch(otherwise)?);
    Some(pool.ite(condition, then, otherwise))
}

/// Two choices by the same condition between constants are one choice.
fn lift_same_choice(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let (a, b) = two(pool, term);
    let (condition, a_then, a_else) = constant_choice(pool, a)?;
    let (other, b_then, b_else) = constant_choice(pool, b)?;
    if condition != other {
        return None;
    }
    let then = pool.with_arguments(term, &[a_then, b_then]);
    let otherwise = pool.with_arguments(term, &[a_else, b_else]);
    let (then, otherwise) = (fold(pool, then)?, fold(pool, otherwise)?);
    Some(pool.ite(condition, then, otherwise))
}

/// Constants to the right, the rest by age: equal sums meet in one term.
pub(super) fn order(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let (a, b) = two(pool, term);
    if pool.arguments(term).len() != 2 || !pool.op(term).is_commutative() {
        return None;
    }
    let (constant_a, constant_b) = (constant_of(pool, a).is_some(), constant_of(pool, b).is_some());
    let exchange = if constant_a == constant_b { b < a } else { constant_a };
    exchange.then(|| pool.with_arguments(term, &[b, a]))
}

const EXTRACT: Op = Op::Extract { high: 0, low: 0 };
const ZERO_EXTEND: Op = Op::ZeroExtend { by: 0 };
const SIGN_EXTEND: Op = Op::SignExtend { by: 0 };

/// Operators on bit-vectors that give a bit-vector or a truth value.
const ON_BITS: &[Op] = &[
    Op::Equal,
    Op::BvNot,
    Op::BvNeg,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvSdiv,
    Op::BvUrem,
    Op::BvSrem,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
    Op::Concat,
    EXTRACT,
    ZERO_EXTEND,
    SIGN_EXTEND,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
];

pub(super) const FOLDING: &[Rule] = &[
    Rule { name: "an operator on constants is its value", heads: ON_BITS, apply: fold },
    Rule {
        name: "a connective or an overflow test on constants is its value",
        heads: &[
            Op::Not,
            Op::Xor,
            Op::UaddOverflow,
            Op::SaddOverflow,
            Op::UsubOverflow,
            Op::SsubOverflow,
            Op::UmulOverflow,
            Op::SmulOverflow,
            Op::SnegOverflow,
            Op::SdivOverflow,
        ],
        apply: fold,
    },
    Rule {
        name: "constants to the right, the rest by age",
        heads: &[
            Op::Xor,
            Op::Equal,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvMul,
            Op::UaddOverflow,
            Op::SaddOverflow,
            Op::UmulOverflow,
            Op::SmulOverflow,
        ],
        apply: order,
    },
    Rule { name: "f(ite(c, k, m)) = ite(c, f(k), f(m))", heads: ON_BITS, apply: lift_choice },
    Rule {
        name: "f(ite(c, k, m), ite(c, n, o)) = ite(c, f(k, n), f(m, o))",
        heads: &[Op::Equal, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvAdd, Op::Ult, Op::Ule, Op::Slt, Op::Sle],
        apply: lift_same_choice,
    },
];
