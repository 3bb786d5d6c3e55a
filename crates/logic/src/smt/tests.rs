//! What the embedded solver does with questions it cannot answer.

use super::*;
use crate::answer::{Answer, UnknownReason};
use crate::term::{Sort, TermPool};
use crate::traits::{Assert, CheckAssuming, PushPop};
use base::{Budget, Exhausted};

/// An element of an array of arrays: the embedded solver refuses those.
fn refused(pool: &mut TermPool, width: u32) -> crate::TermId {
    let row = pool.array_sort(Sort::BitVec(8), Sort::BitVec(width));
    let table = pool.array_sort(Sort::BitVec(8), row);
    let (table, index) = (pool.symbol("table", table), pool.bitvec_symbol("place", 8));
    let row = pool.select(table, index);
    pool.select(row, index)
}

/// An equation between arrays with an array of arrays inside must stay Unknown, even when it is asked for again by
/// itself.
#[test]
fn a_half_encoded_equation_is_never_answered() {
    let mut pool = TermPool::new();
    let sort = pool.array_sort(Sort::BitVec(32), Sort::BitVec(8));
    let (a, b) = (pool.symbol("a", sort), pool.symbol("b", sort));
    let index = refused(&mut pool, 32);
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

/// An array with other elements may stand inside an index of a compared array, and be compared itself.
#[test]
fn compared_arrays_may_read_arrays_of_another_sort() {
    let mut pool = TermPool::new();
    let words = pool.array_sort(Sort::BitVec(12), Sort::BitVec(2));
    let flags = pool.array_sort(Sort::BitVec(12), Sort::Bool);
    let (a, b) = (pool.symbol("a", words), pool.symbol("b", words));
    let (f, g) = (pool.symbol("f", flags), pool.symbol("g", flags));
    let (i, j) = (pool.bitvec_symbol("i", 12), pool.bitvec_symbol("j", 12));
    let flag = pool.select(f, i);
    let at = pool.ite(flag, i, j);
    let element = pool.bitvec_symbol("e", 2);
    let written = pool.store(a, at, element);
    let same_words = pool.equal(written, b);
    let tt = pool.tt();
    let everywhere = pool.const_array(Sort::BitVec(12), tt);
    let one_false = {
        let ff = pool.ff();
        pool.store(everywhere, j, ff)
    };
    let (same_flags, g_is) = (pool.equal(f, g), pool.equal(g, one_false));
    let (read_b, not_flag) = (pool.select(b, i), pool.not(flag));
    let (differs, apart) = (pool.distinct(read_b, element), pool.distinct(i, j));
    let mut solver = EmbeddedSolver::default();
    let all = [same_words, same_flags, g_is];
    let mut ask = |pool: &mut TermPool, more: &[crate::TermId]| {
        solver.check_assuming(pool, &[&all, more].concat(), &Budget::unlimited())
    };
    assert_eq!(ask(&mut pool, &[]), Answer::Sat);
    // Away from j the flag is set, so b has the element at i.
    assert_eq!(ask(&mut pool, &[apart, not_flag]), Answer::Unsat);
    assert_eq!(ask(&mut pool, &[apart, differs]), Answer::Unsat);
}

/// Other solvers may refuse arrays that have one element everywhere; this one must not.
#[test]
fn constant_arrays_are_answered() {
    let mut pool = TermPool::new();
    let (i, e) = (pool.bitvec_symbol("i", 12), pool.bitvec_symbol("e", 8));
    let sort = pool.array_sort(Sort::BitVec(12), Sort::BitVec(8));
    let a = pool.symbol("a", sort);
    let everywhere = pool.const_array(Sort::BitVec(12), e);
    let is_const = pool.equal(a, everywhere);
    let read = pool.select(a, i);
    let (is_e, not_e) = (pool.equal(read, e), pool.distinct(read, e));
    let (zero, one) = (pool.number(8, 0), pool.number(8, 1));
    let (zeros, ones) = (pool.const_array(Sort::BitVec(12), zero), pool.const_array(Sort::BitVec(12), one));
    let bridge = pool.store(zeros, i, one);
    let impossible = pool.equal(bridge, ones);
    let mut solver = EmbeddedSolver::default();
    let mut ask =
        |question: &[crate::TermId]| solver.check_assuming(&mut pool, question, &Budget::unlimited());
    assert_eq!(ask(&[is_const, not_e]), Answer::Unsat);
    assert_eq!(ask(&[is_const, is_e]), Answer::Sat);
    assert_eq!(ask(&[impossible]), Answer::Unsat);
}

#[test]
fn an_unsupported_assertion_is_unknown_until_it_is_popped() {
    let mut pool = TermPool::new();
    let element = refused(&mut pool, 1);
    let zero = pool.number(1, 0);
    let is_zero = pool.equal(element, zero);
    let mut solver = EmbeddedSolver::default();
    solver.push();
    solver.assert(&mut pool, is_zero);
    let answer = solver.check(&mut pool, &Budget::unlimited());
    assert_eq!(
        answer,
        Answer::Unknown(UnknownReason::Unsupported(
            "arrays made by Select are not supported by the embedded solver".to_owned()
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
