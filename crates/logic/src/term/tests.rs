//! Sharing, depth, size and text of terms.

use super::*;
use crate::bits::Bits;
use crate::model::{Model, Value};
use base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

#[test]
fn equal_terms_are_one() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.bitvec_symbol("x", 8), pool.bitvec_symbol("y", 8));
    let (a, b) = (pool.bvadd(x, y), pool.bvadd(x, y));
    assert_eq!(a, b);
    assert_ne!(a, pool.bvadd(y, x), "nothing is simplified behind the caller's back");
    assert_eq!(pool.number(8, -1), pool.number(8, 255));
    assert_ne!(pool.number(8, 1), pool.number(9, 1));
}

/// A chain a million deep: built, walked, evaluated, substituted, copied, printed, dropped.
#[test]
fn a_million_deep_is_as_good_as_ten() {
    const DEPTH: usize = 500_000; // pairs of operators
    let mut pool = TermPool::new();
    let (x, one) = (pool.bitvec_symbol("x", 32), pool.number(32, 1));
    let mut term = x;
    for _ in 0..DEPTH {
        term = pool.bvadd(term, one);
        term = pool.bvnot(term);
    }
    assert_eq!(Postorder::new(&pool, &[term]).count(), 2 * DEPTH + 2);
    let mut model = Model::new();
    model.set(x, Value::Bits(Bits::from_u64(32, 7)));
    // ~(x + 1) twice is x: an even number of pairs.
    assert_eq!(model.evaluate(&pool, term), Ok(Value::Bits(Bits::from_u64(32, 7))));
    let y = pool.bitvec_symbol("y", 32);
    let renamed = pool.substitute(term, &FxHashMap::from_iter([(x, y)]));
    assert_eq!(symbols_in(&pool, &[renamed]), [y]);
    let mut other = TermPool::new();
    let copy = TermCopier::new().copy(&pool, &mut other, renamed);
    assert_eq!(Postorder::new(&other, &[copy]).count(), 2 * DEPTH + 2);
    let text = pool.display(term);
    assert!(text.starts_with("(bvnot (bvadd (bvnot") && text.ends_with(" #x00000001)) #x00000001))"));
    let mut definitions = String::new();
    Definitions::new().define(&pool, term, &mut definitions);
    assert_eq!(definitions.lines().count(), 2 * DEPTH + 1);
}

#[test]
fn text_names_shared_parts_once() {
    let mut pool = TermPool::new();
    let x = pool.bitvec_symbol("x y", 4);
    let sum = pool.bvadd(x, x);
    let product = pool.bvmul(sum, sum);
    let seven = pool.number(4, 7);
    let claim = pool.equal(product, seven);
    assert_eq!(pool.display(claim), "(let ((?0 (bvadd |x y| |x y|))) (= (bvmul ?0 ?0) #x7))");
    assert_eq!(quote_name("a|b"), "|a%7Cb|");
    assert_ne!(quote_name("a|b"), quote_name("a%7Cb"), "different names stay different");
}

#[test]
fn size_is_told_and_limited() {
    let mut pool = TermPool::new();
    let empty = pool.size().bytes;
    let mut term = pool.bitvec_symbol("x", 32);
    for i in 0..10_000 {
        let number = pool.number(32, i);
        term = pool.bvxor(term, number);
    }
    let size = pool.size();
    assert_eq!(size.terms, 20_001);
    assert!(size.bytes > empty + 20_000 * 20 && size.bytes < 20_000 * 400, "{size:?}");
    assert_eq!(pool.check(&Budget::unlimited()), Ok(()));
    pool.limit_bytes(size.bytes / 2);
    assert_eq!(pool.check(&Budget::unlimited()), Err(Exhausted::Memory));
}

/// A budget ends in the middle of the work; the run goes on with one term, and the rest of the memory is back.
/// (`tests/memory.rs` asks the system whether it is.)
#[test]
fn memory_is_returned_when_a_budget_ends() {
    let mut pool = TermPool::new();
    let x = pool.bitvec_symbol("x", 32);
    let (one, small) = (pool.number(32, 1), pool.number(32, 9));
    let kept = pool.ult(x, small);
    pool.limit_bytes(20_000_000);
    let budget = Budget::unlimited();
    let mut term = x;
    let mut made = 0u64;
    let ended = loop {
        if let Err(limit) = pool.check(&budget) {
            break limit;
        }
        for _ in 0..1000 {
            made += 1;
            let number = pool.number(32, i128::from(made));
            term = pool.bvmul(term, number);
            term = pool.bvadd(term, one);
        }
    };
    assert_eq!(ended, Exhausted::Memory);
    assert!(made > 50_000 && pool.size().bytes > 20_000_000, "{made} {:?}", pool.size());
    let (identity, fresh) = (pool.identity(), pool.fresh_symbol("f", Sort::Bool));
    let copies = pool.keep_only(&[kept, fresh]);
    assert!(pool.size().bytes < 10_000 && pool.size().terms == 4, "{:?}", pool.size());
    assert_eq!(pool.check(&budget), Ok(()));
    assert_eq!(pool.display(copies[0]), "(bvult x #x00000009)");
    assert_ne!(pool.identity(), identity, "solvers that knew the old ids refuse the pool");
    assert_ne!(pool.fresh_symbol("f", Sort::Bool), copies[1], "fresh names stay fresh");
    let text = pool.display(copies[1]);
    assert_eq!(pool.find_symbol(&text), Some(copies[1]));
}

#[test]
#[should_panic(expected = "both arguments have the same sort")]
fn mixed_widths_are_a_bug() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.bitvec_symbol("x", 8), pool.bitvec_symbol("y", 9));
    pool.bvadd(x, y);
}
