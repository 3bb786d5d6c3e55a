//! Every rule is tried on a catalogue of terms, and wherever it fits, the solver (with simplification off) is asked
//! whether the two sides can differ.

use super::*;
use crate::answer::Answer;
use crate::smt::{EmbeddedSettings, EmbeddedSolver, Simplification};
use crate::term::{FloatFormat, Postorder, RoundingMode, Sort};
use crate::traits::{Assert, CheckAssuming};
use rustc_hash::FxHashSet;

/// Instances proved per rule and width; the first ones found.
const MOST_PROOFS: usize = 60;

fn bool_terms(pool: &mut TermPool, width: u32) -> Vec<TermId> {
    let (p, q, r) = (pool.bool_symbol("p"), pool.bool_symbol("q"), pool.bool_symbol("r"));
    let (x, y) = (pool.bitvec_symbol("x", width), pool.bitvec_symbol("y", width));
    let one = pool.number(width, 1);
    let not_p = pool.not(p);
    let not_q = pool.not(q);
    vec![
        p,
        q,
        not_p,
        not_q,
        pool.tt(),
        pool.ff(),
        pool.and(p, q),
        pool.or(p, r),
        pool.and(not_p, r),
        pool.ite(p, q, r),
        pool.ite(q, p, not_p),
        pool.ult(x, y),
        pool.ule(x, y),
        pool.slt(y, x),
        pool.sle(x, y),
        pool.equal(x, one),
        pool.xor(p, q),
    ]
}

fn bits_terms(pool: &mut TermPool, width: u32) -> Vec<TermId> {
    let (x, y) = (pool.bitvec_symbol("x", width), pool.bitvec_symbol("y", width));
    let (p, q) = (pool.bool_symbol("p"), pool.bool_symbol("q"));
    let numbers: Vec<TermId> = [0, 1, -1, 2, 3].iter().map(|&k| pool.number(width, k)).collect();
    let minimum = pool.constant(crate::Bits::signed_minimum(width));
    let maximum = pool.constant(crate::Bits::signed_minimum(width).not());
    let nearly = pool.bvsub(maximum, numbers[1]);
    let nearly = Simplifier::new().simplify(pool, nearly);
    let above = pool.bvadd(minimum, numbers[1]);
    let above = Simplifier::new().simplify(pool, above);
    let width_number = pool.number(width, i128::from(width));
    let mut terms = vec![x, y, minimum, maximum, nearly, above, width_number];
    terms.extend(&numbers);
    terms.extend([
        pool.bvnot(x),
        pool.bvneg(x),
        pool.bvnot(y),
        pool.bvneg(y),
        pool.bvadd(x, y),
        pool.bvadd(y, x),
        pool.bvsub(x, y),
        pool.bvand(x, y),
        pool.bvor(x, y),
        pool.bvxor(x, y),
        pool.bvxor(y, x),
        pool.ite(p, x, y),
        pool.ite(p, y, x),
        pool.ite(p, numbers[1], numbers[0]),
        pool.ite(p, numbers[3], numbers[2]),
        pool.ite(q, numbers[1], numbers[2]),
        pool.ite(q, x, y),
    ]);
    // The same of sums of the same parts.
    let sums = [pool.bvadd(x, y), pool.bvadd(y, x)];
    let steps = [pool.bvadd(x, numbers[1]), pool.bvadd(x, numbers[4])];
    terms.push(pool.ite(p, steps[0], steps[1]));
    terms.extend(sums.map(|sum| pool.bvudiv(sum, numbers[4])));
    for &k in &[numbers[1], numbers[4]] {
        terms.extend([
            pool.bvadd(x, k),
            pool.bvxor(x, k),
            pool.bvand(x, k),
            pool.bvor(x, k),
            pool.bvmul(x, k),
        ]);
        terms.extend([pool.bvshl(x, k), pool.bvlshr(x, k), pool.bvashr(x, k)]);
    }
    for inner in 1..width.min(4) {
        let narrow = pool.bitvec_symbol(&format!("n{inner}"), inner);
        let other = pool.bitvec_symbol(&format!("m{inner}"), inner);
        let by = width - inner;
        terms.extend([
            pool.zero_extend(narrow, by),
            pool.sign_extend(narrow, by),
            pool.zero_extend(other, by),
            pool.sign_extend(other, by),
        ]);
        let rest = pool.bitvec_symbol(&format!("n{by}"), by);
        terms.push(pool.concat(narrow, rest));
        let zero = pool.number(inner, 0);
        terms.push(pool.concat(zero, rest));
    }
    let wide = pool.bitvec_symbol("w", width + 3);
    for low in 0..3 {
        terms.push(pool.extract(wide, low + width - 1, low));
    }
    let mut seen = FxHashSet::default();
    terms.retain(|&term| seen.insert(term));
    terms
}

fn array_terms(pool: &mut TermPool, width: u32) -> Vec<TermId> {
    let (index, element) = (Sort::BitVec(width), Sort::BitVec(2));
    let sort = pool.array_sort(index, element);
    let a = pool.symbol("a", sort);
    let (i, j) = (pool.bitvec_symbol("x", width), pool.bitvec_symbol("y", width));
    let (e, f) = (pool.bitvec_symbol("e", 2), pool.bitvec_symbol("f", 2));
    let (zero, one) = (pool.number(width, 0), pool.number(width, 1));
    let (i1, i2) = (pool.bvadd(i, one), pool.number(width, 2));
    let i2 = pool.bvadd(i, i2);
    let mut arrays = vec![a, pool.const_array(index, e)];
    for at in [i, j, zero, one, i1, i2] {
        let first = pool.store(a, at, e);
        arrays.push(first);
        arrays.push(pool.store(first, at, f));
        arrays.push(pool.store(first, i, f));
        let read = pool.select(a, at);
        arrays.push(pool.store(a, at, read));
    }
    let reads: Vec<TermId> = arrays
        .iter()
        .flat_map(|&array| [i, j, zero, one, i1, i2].map(|at| (array, at)))
        .map(|(array, at)| pool.select(array, at))
        .collect();
    arrays.extend(reads);
    arrays
}

/// Float terms: of a tiny format over symbols, where proofs that multiply are still easy, and of the smallest format
/// that is evaluated over a symbol and constants.
fn float_terms(pool: &mut TermPool) -> Vec<TermId> {
    let half = FloatFormat { exponent: 5, significand: 11 };
    let mut all = float_terms_of(pool, FloatFormat { exponent: 3, significand: 4 }, half, &[]);
    // 0, -0, 1, -1, 2, 1/2, 2^15, a subnormal, infinity, NaN of two kinds, 3.
    let constants = [0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0x7800, 1, 0x7c00, 0x7e00, 0xfd01, 0x4200];
    all.extend(float_terms_of(pool, half, FloatFormat::SINGLE, &constants));
    all
}

fn float_terms_of(
    pool: &mut TermPool,
    format: FloatFormat,
    wider: FloatFormat,
    constants: &[i128],
) -> Vec<TermId> {
    let width = format.width();
    let name = |name: &str| format!("{name}{width}");
    let (x, y) =
        (pool.symbol(&name("fx"), Sort::Float(format)), pool.symbol(&name("fy"), Sort::Float(format)));
    let (bits, other) = (pool.bitvec_symbol(&name("fb"), width), pool.bitvec_symbol(&name("fc"), width));
    let p = pool.bool_symbol("p");
    let mode = RoundingMode::NearestEven;
    let numbers: Vec<TermId> = constants.iter().map(|&value| pool.number(width, value)).collect();
    let constants: Vec<TermId> = numbers.iter().map(|&bits| pool.fp_from_bits(bits, format)).collect();
    // Second operands: constants only, or symbols only.
    let seconds = if constants.is_empty() { vec![x, y] } else { constants.clone() };
    let mut floats = vec![y, x];
    floats.extend(&constants);
    let bits_of: Vec<TermId> = floats.iter().map(|&float| pool.fp_to_bits(float, bits)).collect();
    let zero = pool.number(width, 0);
    let choices = [pool.ite(p, bits_of[0], other), pool.ite(p, other, zero), bits_of[1], bits, zero];
    floats.extend(choices.map(|choice| pool.fp_from_bits(choice, format)));
    let number = pool.bitvec_symbol("fn", 3);
    floats.extend([pool.fp_from_signed(mode, number, format), pool.fp_from_unsigned(mode, number, format)]);
    for a in floats.clone() {
        floats.extend([pool.fp_neg(a), pool.fp_abs(a)]);
    }
    let mut all = Vec::new();
    for &a in &floats {
        all.extend([pool.fp_neg(a), pool.fp_abs(a), pool.fp_is_nan(a), pool.fp_is_zero(a)]);
        all.extend([pool.fp_to_signed(mode, a, 3), pool.fp_to_bits(a, bits)]);
        let whole = pool.fp_round_to_integral(mode, a);
        all.extend([whole, pool.fp_is_nan(whole)]);
        let wide = pool.fp_from_float(mode, a, wider);
        all.extend([wide, pool.fp_from_float(mode, wide, format), pool.fp_is_nan(wide)]);
        for &b in &seconds {
            for mode in [mode, RoundingMode::TowardNegative] {
                all.extend([pool.fp_add(mode, a, b), pool.fp_sub(mode, a, b)]);
                all.extend([pool.fp_mul(mode, a, b), pool.fp_div(mode, a, b)]);
            }
            all.extend([pool.fp_equal(a, b), pool.fp_less(a, b), pool.fp_less_or_equal(a, b)]);
            let also_wide = pool.fp_from_float(mode, b, wider);
            all.extend([pool.fp_equal(wide, also_wide), pool.fp_less(wide, also_wide)]);
        }
        for value in [0.5f32, 0.1, f32::INFINITY, -0.0, f32::NAN] {
            let value = pool.float_constant(value);
            if wider == FloatFormat::SINGLE {
                all.extend([pool.fp_less(wide, value), pool.fp_less_or_equal(value, wide)]);
            }
        }
    }
    for (&constant, &float) in numbers.iter().zip(&constants) {
        all.extend([pool.fp_add(mode, float, x), pool.fp_mul(mode, float, x), pool.fp_equal(float, x)]);
        all.push(pool.fp_from_bits(constant, format));
    }
    all.extend(floats);
    all.extend(bits_of);
    all
}

/// Terms of every operator over the catalogue.
fn catalogue(pool: &mut TermPool, width: u32) -> Vec<TermId> {
    let bools = bool_terms(pool, width);
    let bits = bits_terms(pool, width);
    let mut all = array_terms(pool, width);
    all.extend(&bools);
    all.extend(&bits);
    for &a in &bools {
        all.push(pool.not(a));
        for &b in &bools {
            all.extend([pool.xor(a, b), pool.equal(a, b), pool.and(a, b), pool.or(a, b)]);
            let inner = pool.and(a, b);
            all.push(pool.all_of(&[b, inner, a]));
            for &c in &bools[..6] {
                all.push(pool.ite(c, a, b));
            }
        }
    }
    for &a in &bits {
        all.extend([pool.bvnot(a), pool.bvneg(a), pool.sneg_overflow(a)]);
        for by in [1, 2] {
            let (zero, sign) = (pool.zero_extend(a, by), pool.sign_extend(a, by));
            all.extend([zero, sign]);
            all.extend([pool.zero_extend(zero, 1), pool.sign_extend(zero, 1), pool.sign_extend(sign, 1)]);
            for wide in [zero, sign] {
                for low in 0..width + by {
                    for high in low..width + by {
                        all.push(pool.extract(wide, high, low));
                    }
                }
            }
        }
        for low in 0..width {
            for high in low..width {
                all.push(pool.extract(a, high, low));
            }
            if low > 0 {
                let (upper, lower) = (pool.extract(a, width - 1, low), pool.extract(a, low - 1, 0));
                all.push(pool.concat(upper, lower));
            }
        }
        for &b in &bits {
            all.extend([
                pool.bvand(a, b),
                pool.bvor(a, b),
                pool.bvxor(a, b),
                pool.bvadd(a, b),
                pool.bvsub(a, b),
                pool.bvmul(a, b),
                pool.bvudiv(a, b),
                pool.bvsdiv(a, b),
                pool.bvurem(a, b),
                pool.bvsrem(a, b),
                pool.bvshl(a, b),
                pool.bvlshr(a, b),
                pool.bvashr(a, b),
            ]);
            let joined = pool.concat(a, b);
            all.push(joined);
            all.push(pool.extract(joined, width, width - 1));
            all.extend([
                pool.ult(a, b),
                pool.ule(a, b),
                pool.slt(a, b),
                pool.sle(a, b),
                pool.equal(a, b),
                pool.uadd_overflow(a, b),
                pool.sadd_overflow(a, b),
                pool.usub_overflow(a, b),
                pool.ssub_overflow(a, b),
                pool.umul_overflow(a, b),
                pool.smul_overflow(a, b),
                pool.sdiv_overflow(a, b),
            ]);
            for &c in &bools[..6] {
                all.push(pool.ite(c, a, b));
            }
            let (same, inner) = (pool.equal(a, b), pool.ite(bools[1], a, b));
            all.extend([pool.ite(same, a, b), pool.ite(same, b, a), pool.ite(bools[0], a, inner)]);
        }
    }
    let mut seen = FxHashSet::default();
    all.retain(|&term| seen.insert(term));
    all
}

/// Proves instances of rules on the terms that they fit, and returns the names of those that fitted.
fn prove<'r>(
    pool: &mut TermPool,
    rules: impl Iterator<Item = &'r Rule>,
    terms: &[TermId],
    most: usize,
) -> FxHashSet<&'static str> {
    let mut fitted = FxHashSet::default();
    for rule in rules {
        let mut solver = EmbeddedSolver::new(EmbeddedSettings {
            simplification: Simplification::Off,
            ..Default::default()
        });
        let mut proofs = 0;
        for &term in terms {
            if !rule.heads.iter().any(|head| discriminant(head) == discriminant(&pool.op(term))) {
                continue;
            }
            let Some(result) = (rule.apply)(pool, term).filter(|&result| result != term) else {
                continue;
            };
            assert_eq!(pool.sort(result), pool.sort(term), "{rule:?} keeps the sort");
            fitted.insert(rule.name);
            let differ = pool.distinct(term, result);
            let answer = solver.check_assuming(pool, &[differ], &Budget::unlimited());
            assert_eq!(
                answer,
                Answer::Unsat,
                "{rule:?}: {} against {}",
                pool.display(term),
                pool.display(result)
            );
            proofs += 1;
            if proofs == most {
                break;
            }
        }
    }
    fitted
}

fn expect_all<'r>(rules: impl Iterator<Item = &'r Rule>, fitted: &FxHashSet<&'static str>) {
    let unproved: Vec<&str> = rules.map(|rule| rule.name).filter(|name| !fitted.contains(name)).collect();
    assert!(unproved.is_empty(), "the catalogue has no term for {unproved:?}");
}

#[test]
fn rules_keep_the_meaning() {
    let rules = || all_rules().filter(|rule| floats::RULES.iter().all(|other| other.name != rule.name));
    let mut fitted: FxHashSet<&str> = FxHashSet::default();
    for width in [1, 2, 3, 5] {
        let mut pool = TermPool::new();
        let terms = catalogue(&mut pool, width);
        fitted.extend(prove(&mut pool, rules(), &terms, MOST_PROOFS));
    }
    expect_all(rules(), &fitted);
}

/// The circuits are larger, so fewer instances of each rule are proved.
#[test]
fn rules_of_floats_keep_the_meaning() {
    let mut pool = TermPool::new();
    let terms = float_terms(&mut pool);
    let fitted = prove(&mut pool, floats::RULES.iter(), &terms, 12);
    expect_all(floats::RULES.iter(), &fitted);
}

#[test]
fn simplifying_twice_changes_nothing_more() {
    for width in [1, 4] {
        let mut pool = TermPool::new();
        let mut simplifier = Simplifier::new();
        for term in catalogue(&mut pool, width) {
            let once = simplifier.simplify(&mut pool, term);
            assert_eq!(Simplifier::new().simplify(&mut pool, once), once, "{}", pool.display(term));
        }
    }
}

/// A shared chain of choices with 2^60 paths and more.
fn chain_with_many_paths(pool: &mut TermPool, length: usize) -> TermId {
    let mut term = pool.bitvec_symbol("x", 32);
    for step in 0..length {
        let condition = pool.bool_symbol(&format!("c{step}"));
        let (flipped, number) = (pool.bvnot(term), pool.number(32, step as i128 + 1));
        let sum = pool.bvadd(term, number);
        term = pool.ite(condition, sum, flipped);
    }
    term
}

#[test]
fn many_paths_are_few_nodes() {
    let mut pool = TermPool::new();
    let term = chain_with_many_paths(&mut pool, 60);
    let simple = Simplifier::new().simplify(&mut pool, term);
    let nodes = Postorder::new(&pool, &[simple]).count();
    assert!(nodes <= 60 * 5 + 1, "{nodes} nodes");
    let mut solver = EmbeddedSolver::default();
    let target = pool.number(32, 12345);
    let reached = pool.equal(simple, target);
    solver.assert(&mut pool, reached);
    assert_eq!(solver.check(&mut pool, &Budget::unlimited()), Answer::Sat);
    assert!(pool.size().terms < 2000, "{:?}", pool.size());
}

#[test]
fn a_million_deep_is_simplified_and_solved() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.bitvec_symbol("x", 1), pool.bitvec_symbol("y", 1));
    let mut term = x;
    for step in 0..500_000 {
        term = if step % 2 == 0 { pool.bvand(term, y) } else { pool.bvor(term, x) };
        term = pool.bvnot(term);
    }
    // Ends in ¬(… ∨ x) with … = x or 1: always 0.
    let (zero, one) = (pool.number(1, 0), pool.number(1, 1));
    let (is_zero, is_one) = (pool.equal(term, zero), pool.equal(term, one));
    for simplification in [Simplification::On, Simplification::Off] {
        let mut solver = EmbeddedSolver::new(EmbeddedSettings { simplification, ..Default::default() });
        assert_eq!(solver.check_assuming(&mut pool, &[is_zero], &Budget::unlimited()), Answer::Sat);
        assert_eq!(solver.check_assuming(&mut pool, &[is_one], &Budget::unlimited()), Answer::Unsat);
    }
}
