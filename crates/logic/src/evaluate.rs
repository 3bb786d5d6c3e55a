//! The meaning of terms: their value under a model, computed directly. This is the oracle that the simplifier and
//! the encoders are tested against, and what folds constants. Without recursion; each shared term once.

use crate::bits::Bits;
use crate::evaluate_float::apply_float;
use crate::model::{ArrayValue, Model, Value, is_same_value};
use crate::term::{Op, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A term whose value is not computed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEvaluated {
    /// What stands in the way.
    pub why: String,
}

impl fmt::Display for NotEvaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for NotEvaluated {}

/// Evaluates terms under one model, remembering what it has computed.
#[derive(Debug)]
pub struct Evaluator<'m> {
    model: &'m Model,
    known: FxHashMap<TermId, Value>,
}

impl Model {
    /// The value of a term under this model.
    pub fn evaluate(&self, pool: &TermPool, term: TermId) -> Result<Value, NotEvaluated> {
        Evaluator::new(self).evaluate(pool, term)
    }

    /// Does a Boolean term certainly hold under this model? An unevaluated term does not.
    pub fn satisfies(&self, pool: &TermPool, formula: TermId) -> bool {
        self.evaluate(pool, formula) == Ok(Value::Bool(true))
    }
}

impl<'m> Evaluator<'m> {
    /// Nothing computed yet.
    pub fn new(model: &'m Model) -> Evaluator<'m> {
        Evaluator { model, known: FxHashMap::default() }
    }

    /// The value of a term. Of an `ite` only the branch taken is looked at.
    pub fn evaluate(&mut self, pool: &TermPool, term: TermId) -> Result<Value, NotEvaluated> {
        let mut open = vec![term];
        while let Some(&node) = open.last() {
            if self.known.contains_key(&node) {
                open.pop();
                continue;
            }
            let arguments = pool.arguments(node);
            let needed = if pool.op(node) == Op::Ite {
                match self.known.get(&arguments[0]) {
                    None => &arguments[..1],
                    Some(Value::Bool(true)) => &arguments[1..2],
                    Some(_) => &arguments[2..],
                }
            } else {
                arguments
            };
            let before = open.len();
            open.extend(needed.iter().filter(|argument| !self.known.contains_key(argument)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let value = match pool.op(node) {
                Op::Ite => {
                    let [taken] = needed else { unreachable!("one branch is taken") };
                    self.known[taken].clone()
                }
                Op::Symbol(_) => match self.model.get(node) {
                    Some(value) => value.clone(),
                    None => Value::default_of(pool, pool.sort(node)),
                },
                Op::Apply(function) => {
                    let values: Vec<Value> =
                        arguments.iter().map(|argument| self.known[argument].clone()).collect();
                    match self.model.function(function) {
                        Some(known) => known.table.get(&values).unwrap_or(&known.default).clone(),
                        None => Value::default_of(pool, pool.sort(node)),
                    }
                }
                _ => {
                    let values: Vec<&Value> =
                        arguments.iter().map(|argument| &self.known[argument]).collect();
                    apply(pool, node, &values)?
                }
            };
            self.known.insert(node, value);
        }
        Ok(self.known[&term].clone())
    }
}

fn bools<'v>(values: &'v [&Value]) -> impl Iterator<Item = bool> + 'v {
    values.iter().map(|value| value.as_bool().expect("the sort is Bool"))
}

/// The value of an operator applied to values. Not for symbols, functions and `ite`.
pub(crate) fn apply(pool: &TermPool, term: TermId, values: &[&Value]) -> Result<Value, NotEvaluated> {
    let op = pool.op(term);
    if op.is_float() {
        let sorts: Vec<Sort> = pool.arguments(term).iter().map(|&argument| pool.sort(argument)).collect();
        return apply_float(op, &sorts, values);
    }
    let bits = |position: usize| values[position].as_bits().expect("the sort is a bit-vector");
    Ok(match op {
        Op::True => Value::Bool(true),
        Op::False => Value::Bool(false),
        Op::Constant(_) => Value::Bits(pool.constant_value(term).expect("a constant").clone()),
        Op::Not => Value::Bool(!bools(values).next().expect("one argument")),
        Op::And => Value::Bool(bools(values).all(|value| value)),
        Op::Or => Value::Bool(bools(values).any(|value| value)),
        Op::Xor => Value::Bool(bools(values).fold(false, |sum, value| sum ^ value)),
        Op::Equal => {
            let sort = pool.sort(pool.arguments(term)[0]);
            Value::Bool(is_same_value(pool, sort, values[0], values[1]))
        }
        Op::Select => match values[0] {
            Value::Array(array) => array.get(values[1]).clone(),
            other => unreachable!("select reads an array, not {other:?}"),
        },
        Op::Store => match values[0] {
            Value::Array(array) => {
                let mut changed = (**array).clone();
                changed.set(values[1].clone(), values[2].clone());
                Value::Array(Arc::new(changed))
            }
            other => unreachable!("store writes an array, not {other:?}"),
        },
        Op::ConstArray => Value::Array(Arc::new(ArrayValue::everywhere(values[0].clone()))),
        Op::BvNot => Value::Bits(bits(0).not()),
        Op::BvNeg => Value::Bits(bits(0).neg()),
        Op::Extract { high, low } => Value::Bits(bits(0).extract(high, low)),
        Op::ZeroExtend { by } => Value::Bits(bits(0).zero_extend(by)),
        Op::SignExtend { by } => Value::Bits(bits(0).sign_extend(by)),
        Op::SnegOverflow => Value::Bool(*bits(0) == Bits::signed_minimum(bits(0).width())),
        Op::Concat => Value::Bits(bits(0).concat(bits(1))),
        Op::Symbol(_) | Op::Apply(_) | Op::Ite => unreachable!("{op:?} is the evaluator's own"),
        _ => binary(op, bits(0), bits(1)),
    })
}

/// Does a number computed in twice the width not fit the width?
fn leaves_unsigned_range(wide: &Bits, width: u32) -> bool {
    wide.extract(width - 1, 0).zero_extend(wide.width() - width) != *wide
}

fn leaves_signed_range(wide: &Bits, width: u32) -> bool {
    wide.extract(width - 1, 0).sign_extend(wide.width() - width) != *wide
}

fn binary(op: Op, a: &Bits, b: &Bits) -> Value {
    let width = a.width();
    // Exact results need at most twice the bits, and one more for the sign of a difference.
    let unsigned = |f: fn(&Bits, &Bits) -> Bits| f(&a.zero_extend(width + 1), &b.zero_extend(width + 1));
    let signed = |f: fn(&Bits, &Bits) -> Bits| f(&a.sign_extend(width + 1), &b.sign_extend(width + 1));
    match op {
        Op::BvAnd => Value::Bits(a.and(b)),
        Op::BvOr => Value::Bits(a.or(b)),
        Op::BvXor => Value::Bits(a.xor(b)),
        Op::BvAdd => Value::Bits(a.add(b)),
        Op::BvSub => Value::Bits(a.sub(b)),
        Op::BvMul => Value::Bits(a.mul(b)),
        Op::BvUdiv => Value::Bits(a.udiv(b)),
        Op::BvSdiv => Value::Bits(a.sdiv(b)),
        Op::BvUrem => Value::Bits(a.urem(b)),
        Op::BvSrem => Value::Bits(a.srem(b)),
        Op::BvShl => Value::Bits(a.shl(b)),
        Op::BvLshr => Value::Bits(a.lshr(b)),
        Op::BvAshr => Value::Bits(a.ashr(b)),
        Op::Ult => Value::Bool(a.unsigned_cmp(b) == Ordering::Less),
        Op::Ule => Value::Bool(a.unsigned_cmp(b) != Ordering::Greater),
        Op::Slt => Value::Bool(a.signed_cmp(b) == Ordering::Less),
        Op::Sle => Value::Bool(a.signed_cmp(b) != Ordering::Greater),
        Op::UaddOverflow => Value::Bool(leaves_unsigned_range(&unsigned(Bits::add), width)),
        Op::SaddOverflow => Value::Bool(leaves_signed_range(&signed(Bits::add), width)),
        Op::UsubOverflow => Value::Bool(a.unsigned_cmp(b) == Ordering::Less),
        Op::SsubOverflow => Value::Bool(leaves_signed_range(&signed(Bits::sub), width)),
        Op::UmulOverflow => Value::Bool(leaves_unsigned_range(&unsigned(Bits::mul), width)),
        Op::SmulOverflow => Value::Bool(leaves_signed_range(&signed(Bits::mul), width)),
        Op::SdivOverflow => Value::Bool(*a == Bits::signed_minimum(width) && b.is_ones()),
        other => unreachable!("{other:?} is not a binary operator on bit-vectors"),
    }
}
