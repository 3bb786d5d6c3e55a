//! What the embedded solver does with questions it cannot answer.

use super::*;
use crate::answer::{Answer, UnknownReason};
use crate::term::{FloatFormat, RoundingMode, Sort, TermPool};
use crate::traits::{Assert, CheckAssuming, PushPop};
use base::{Budget, Exhausted};

/// An equation between arrays with a float inside must stay Unknown, even when it is asked for again by itself.
#[test]
fn a_half_encoded_equation_is_never_answered() {
    let mut pool = TermPool::new();
    let sort = pool.array_sort(Sort::BitVec(32), Sort::BitVec(8));
    let (a, b) = (pool.symbol("a", sort), pool.symbol("b", sort));
    let x = pool.symbol("x", Sort::Float(FloatFormat::SINGLE));
    let index = pool.fp_to_signed(RoundingMode::TowardZero, x, 32);
    let element = pool.bitvec_symbol("e", 8);
    let written = pool.store(a, index, element);
    let same = pool.equal(written, b);
    let p = pool.bool_symbol("p");
    let formula = pool.and(same, p);
    let mut solver = EmbeddedSolver::default();
    for question in [formula, same, formula] {
        let answer = solver.check_assuming(&mut pool, &[question], &Budget::unlimited());
        assert!(matches!(answer, Answer::Unknown(UnknownReason::Unsupported(_))), "{answer:?}");
    }
}

#[test]
fn an_unsupported_assertion_is_unknown_until_it_is_popped() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::Float(FloatFormat::DOUBLE));
    let nan = pool.fp_is_nan(x);
    let mut solver = EmbeddedSolver::default();
    solver.push();
    solver.assert(&mut pool, nan);
    let answer = solver.check(&mut pool, &Budget::unlimited());
    assert_eq!(
        answer,
        Answer::Unknown(UnknownReason::Unsupported(
            "floats are not supported by the embedded solver".to_owned()
        ))
    );
    solver.pop();
    assert_eq!(solver.check(&mut pool, &Budget::unlimited()), Answer::Sat);
}

#[test]
fn a_pool_at_its_limit_is_unknown() {
    let mut pool = TermPool::new();
    let sort = pool.array_sort(Sort::BitVec(8), Sort::BitVec(8));
    let a = pool.symbol("a", sort);
    let (i, j) = (pool.bitvec_symbol("i", 8), pool.bitvec_symbol("j", 8));
    let (x, y) = (pool.select(a, i), pool.select(a, j));
    let (same, differ) = (pool.equal(i, j), pool.distinct(x, y));
    pool.limit_bytes(1);
    let mut solver = EmbeddedSolver::default();
    let answer = solver.check_assuming(&mut pool, &[same, differ], &Budget::unlimited());
    assert_eq!(answer, Answer::Unknown(UnknownReason::Exhausted(Exhausted::Memory)));
}

#[test]
#[should_panic(expected = "the same pool")]
fn a_foreign_pool_is_a_bug() {
    let (mut pool, mut other) = (TermPool::new(), TermPool::new());
    let mut solver = EmbeddedSolver::default();
    let p = pool.bool_symbol("p");
    solver.assert(&mut pool, p);
    let q = other.bool_symbol("q");
    solver.assert(&mut other, q);
}
