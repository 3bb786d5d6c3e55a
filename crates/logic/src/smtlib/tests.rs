//! What is written can be read, and says the same.

use super::*;
use crate::random_terms::{RandomTerms, TermShape};
use crate::term::{Definitions, FloatFormat, RoundingMode, Sort, TermCopier, TermPool};

/// The text of definitions, read back, is the same term (copied to one pool, equal terms have equal ids).
#[test]
fn written_terms_are_read_back() {
    for seed in 0..200 {
        let shape = if seed % 2 == 0 { TermShape::BITS } else { TermShape::ARRAYS };
        let mut pool = TermPool::new();
        let formula = RandomTerms::new(seed, shape).formula(&mut pool);
        let mut text = String::new();
        let name = Definitions::new().define(&pool, formula, &mut text);
        text.push_str(&format!("(assert {name})\n(assert {})\n(check-sat)\n", pool.display(formula)));
        let mut other = TermPool::new();
        let script = read_script(&mut other, &text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        assert_eq!(script.commands, ["check-sat"]);
        let copy = TermCopier::new().copy(&pool, &mut other, formula);
        assert_eq!(script.assertions, [copy, copy]);
    }
}

#[test]
fn floats_are_written_and_read() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::Float(FloatFormat::SINGLE));
    let half = pool.float_constant(0.5);
    let sum = pool.fp_add(RoundingMode::NearestEven, x, half);
    let wide = pool.fp_from_float(RoundingMode::NearestEven, sum, FloatFormat::DOUBLE);
    let whole = pool.fp_to_signed(RoundingMode::TowardZero, wide, 32);
    let back = pool.fp_from_signed(RoundingMode::TowardPositive, whole, FloatFormat::DOUBLE);
    let less = pool.fp_less(back, wide);
    let text = format!("(declare-const x Float32)(assert {})", pool.display(less));
    let mut other = TermPool::new();
    let script = read_script(&mut other, &text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(other.display(script.assertions[0]), pool.display(less));
}

#[test]
fn bad_scripts_are_refused_with_their_place() {
    let mut pool = TermPool::new();
    for (text, at, what) in [
        ("(assert p)", 8, "not declared"),
        ("(assert (and", 0, "not closed"),
        (")", 0, "none opened"),
        ("(declare-const x (_ BitVec 0))", 17, "positive"),
        ("(declare-const y Int)", 17, "not supported"),
        ("(declare-const z (_ BitVec 8))(assert (bvult z #b1))", 38, "not supported"),
        ("(declare-const v (_ BitVec 8))(assert v)", 38, "Boolean"),
        ("(assert ((_ extract 9 0) #x00))", 8, "not supported"),
        ("(push 1)", 0, "one question"),
        ("foo", 0, "a list"),
        ("(assert |p", 8, "does not end"),
    ] {
        let error = read_script(&mut pool, text).expect_err(text);
        assert!(error.at == at && error.what.contains(what), "{text}: {error}");
    }
}

#[test]
fn nests_a_hundred_thousand_deep_are_read() {
    let depth = 100_000;
    let text = format!("(declare-const p Bool)(assert {}p{})", "(not ".repeat(depth), ")".repeat(depth));
    let mut pool = TermPool::new();
    assert_eq!(read_script(&mut pool, &text).unwrap().assertions.len(), 1);
}
