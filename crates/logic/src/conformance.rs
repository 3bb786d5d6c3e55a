//! One suite for every back end: what the traits promise, tested on whatever implements them. The tests run it on
//! the embedded solver and on each SMT-LIB solver found; `doctor` runs it as a self-test.

use crate::answer::{Answer, UnknownReason};
use crate::model::Value;
use crate::random_terms::{RandomTerms, TermShape, Theories};
use crate::term::{FloatFormat, RoundingMode, Sort, TermId, TermPool, symbols_in};
use crate::traits::{
    AllSolutions, Assert, CheckAssuming, Completeness, GetModel, Interrupt, PushPop, SolutionLimit,
    Statistics, UnsatCore, minimise_core,
};
use base::{Budget, Exhausted};
use std::collections::BTreeSet;
use std::time::Duration;

/// Everything the suite asks of a back end.
pub trait BackEnd:
    Assert + PushPop + CheckAssuming + GetModel + UnsatCore + Interrupt + Statistics + AllSolutions
{
}

impl<S: Assert + PushPop + CheckAssuming + GetModel + UnsatCore + Interrupt + Statistics + AllSolutions>
    BackEnd for S
{
}

/// One question of the suite and how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// What was tested.
    pub name: &'static str,
    /// What went wrong, if something did.
    pub outcome: Result<(), String>,
    /// How long it took.
    pub elapsed: Duration,
}

type Case = (&'static str, fn(&mut TermPool, &mut dyn BackEndObject) -> Result<(), String>);

/// The back end behind a pointer, so that the cases are compiled once.
trait BackEndObject: BackEnd {}

impl<S: BackEnd> BackEndObject for S {}

/// Runs every case on a new solver each.
pub fn run_conformance<S: BackEnd>(mut make: impl FnMut() -> S) -> Vec<CaseResult> {
    CASES
        .iter()
        .map(|(name, case)| {
            let (mut pool, mut solver) = (TermPool::new(), make());
            let started = std::time::Instant::now();
            let outcome = case(&mut pool, &mut solver);
            CaseResult { name, outcome, elapsed: started.elapsed() }
        })
        .collect()
}

const CASES: &[Case] = &[
    ("assertions add up and models satisfy them", assertions_add_up),
    ("levels are forgotten", levels_are_forgotten),
    ("assumptions hold for one call, and cores blame them", assumptions_and_cores),
    ("operators mean what the evaluator says", operators_agree_with_the_evaluator),
    ("arrays are extensional", arrays_are_extensional),
    ("functions are congruent", functions_are_congruent),
    ("all solutions are found once", all_solutions_once),
    ("constant arrays are right or refused", constant_arrays_are_right_or_refused),
    ("solutions stop at the limit", solutions_stop_at_the_limit),
    ("an ended budget is Unknown", an_ended_budget_is_unknown),
    ("hard questions end in time and can be interrupted", hard_questions_end),
    ("floats are right or refused", floats_are_right_or_refused),
    ("float operators mean what the evaluator says, or are refused", float_operators_agree),
    ("floats with free operands are right or refused", free_floats_are_right_or_refused),
    ("deep terms are no danger", deep_terms_are_no_danger),
];

fn expect(answer: &Answer, wanted: &Answer, what: &str) -> Result<(), String> {
    if answer == wanted { Ok(()) } else { Err(format!("{what}: {answer:?} instead of {wanted:?}")) }
}

fn require(condition: bool, what: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(what.to_owned()) }
}

fn satisfied(pool: &mut TermPool, solver: &mut dyn BackEndObject, formulas: &[TermId]) -> Result<(), String> {
    let model = solver.model(pool, formulas).ok_or("no model after Sat")?;
    for &formula in formulas {
        require(
            model.satisfies(pool, formula),
            &format!("the model {model:?} does not satisfy {}", pool.display(formula)),
        )?;
    }
    Ok(())
}

fn no_limit() -> Budget {
    Budget::unlimited()
}

fn assertions_add_up(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let (x, y) = (pool.bitvec_symbol("x", 32), pool.bitvec_symbol("|y|", 32));
    let (seven, product) = (pool.number(32, 7), pool.bvmul(x, y));
    let (first, second) = (pool.equal(product, seven), pool.ult(x, y));
    solver.assert(pool, first);
    solver.assert(pool, second);
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "x * y = 7 and x < y")?;
    satisfied(pool, solver, &[first, second])?;
    let sum = pool.bvadd(x, y);
    match solver.values_of(pool, &[product, second, x, y, sum]).as_deref() {
        Some([Value::Bits(seven), Value::Bool(true), Value::Bits(x), Value::Bits(y), Value::Bits(sum)]) => {
            require(
                seven.to_u64() == Some(7) && x.mul(y) == *seven && x.add(y) == *sum,
                "values fit together",
            )?;
        }
        other => return Err(format!("values of some terms: {other:?}")),
    }
    let (one, even) = (pool.number(32, 1), pool.bvand(x, seven));
    let zero = pool.number(32, 0);
    let low = pool.bvand(x, one);
    let (even_x, small) = (pool.equal(low, zero), pool.equal(even, one));
    solver.assert(pool, small);
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "… and x mod 8 = 1")?;
    solver.assert(pool, even_x);
    expect(&solver.check(pool, &no_limit()), &Answer::Unsat, "… and x even")?;
    require(solver.model(pool, &[first]).is_none(), "a model after Unsat")?;
    require(solver.values_of(pool, &[x]).is_none(), "values after Unsat")?;
    require(solver.statistics().checks >= 3, "checks are counted")
}

fn levels_are_forgotten(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let p = pool.bool_symbol("p");
    let (not_p, q) = (pool.not(p), pool.bool_symbol("q"));
    solver.assert(pool, p);
    solver.push();
    solver.assert(pool, q);
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "p, q")?;
    solver.push();
    solver.assert(pool, not_p);
    expect(&solver.check(pool, &no_limit()), &Answer::Unsat, "p, q, ¬p")?;
    solver.pop();
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "¬p was popped")?;
    satisfied(pool, solver, &[p, q])?;
    solver.pop();
    let not_q = pool.not(q);
    solver.assert(pool, not_q);
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "q was popped")?;
    satisfied(pool, solver, &[p, not_q])
}

fn assumptions_and_cores(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let x: Vec<TermId> = (0..4).map(|i| pool.bitvec_symbol(&format!("x{i}"), 8)).collect();
    let chain: Vec<TermId> = x.windows(2).map(|pair| pool.ult(pair[0], pair[1])).collect();
    let back = pool.ult(x[2], x[0]);
    let extra = pool.bool_symbol("extra");
    let assumptions = [chain[0], extra, chain[1], chain[2], back];
    expect(&solver.check_assuming(pool, &assumptions[..4], &no_limit()), &Answer::Sat, "a chain")?;
    satisfied(pool, solver, &assumptions[..4])?;
    expect(&solver.check_assuming(pool, &assumptions, &no_limit()), &Answer::Unsat, "a cycle")?;
    let core = solver.core().to_vec();
    require(core.iter().all(|term| assumptions.contains(term)), "the core is a part of the assumptions")?;
    expect(&solver.check_assuming(pool, &core, &no_limit()), &Answer::Unsat, "the core alone")?;
    let minimal = minimise(solver, pool, &core);
    let wanted: BTreeSet<TermId> = [chain[0], chain[1], back].into_iter().collect();
    require(minimal.iter().copied().collect::<BTreeSet<_>>() == wanted, "the minimal core is the cycle")?;
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "assumptions are gone")
}

/// [`minimise_core`] on a trait object.
fn minimise(solver: &mut dyn BackEndObject, pool: &mut TermPool, core: &[TermId]) -> Vec<TermId> {
    struct Both<'a>(&'a mut dyn BackEndObject);
    impl CheckAssuming for Both<'_> {
        fn check_assuming(&mut self, pool: &mut TermPool, assumptions: &[TermId], budget: &Budget) -> Answer {
            self.0.check_assuming(pool, assumptions, budget)
        }
    }
    impl UnsatCore for Both<'_> {
        fn core(&self) -> &[TermId] {
            self.0.core()
        }
    }
    minimise_core(&mut Both(solver), pool, core, &no_limit())
}

fn operators_agree_with_the_evaluator(
    pool: &mut TermPool,
    solver: &mut dyn BackEndObject,
) -> Result<(), String> {
    let shape = TermShape { widest: 9, depth: 3, theories: Theories::BitVectors };
    for seed in 0..60 {
        let mut terms = RandomTerms::new(seed, shape);
        let term = terms.term(pool);
        let symbols = symbols_in(pool, &[term]);
        let model = terms.model(pool, &symbols, &[]);
        let value = model.evaluate(pool, term).map_err(|error| error.to_string())?;
        let mut equations = Vec::new();
        for &symbol in &symbols {
            let value = model.get(symbol).cloned().ok_or("a value each")?;
            equations.push(has_value(pool, symbol, &value));
        }
        let same = has_value(pool, term, &value);
        let other = pool.not(same);
        equations.push(same);
        expect(&solver.check_assuming(pool, &equations, &no_limit()), &Answer::Sat, &pool.display(same))?;
        equations.pop();
        equations.push(other);
        expect(&solver.check_assuming(pool, &equations, &no_limit()), &Answer::Unsat, &pool.display(other))?;
    }
    Ok(())
}

fn has_value(pool: &mut TermPool, term: TermId, value: &Value) -> TermId {
    match value {
        Value::Bool(true) => term,
        Value::Bool(false) => pool.not(term),
        Value::Bits(bits) => {
            let constant = pool.constant(bits.clone());
            pool.equal(term, constant)
        }
        other => unreachable!("{other:?} is neither Boolean nor a bit-vector"),
    }
}

/// Arrays that have the same element everywhere: some solvers take only values there, or only one such array.
fn constant_arrays_are_right_or_refused(
    pool: &mut TermPool,
    solver: &mut dyn BackEndObject,
) -> Result<(), String> {
    let sort = pool.array_sort(Sort::BitVec(32), Sort::BitVec(8));
    let (a, i, e) = (pool.symbol("a", sort), pool.bitvec_symbol("i", 32), pool.bitvec_symbol("e", 8));
    let everywhere = pool.const_array(Sort::BitVec(32), e);
    let is_const = pool.equal(a, everywhere);
    let read = pool.select(a, i);
    let (is_e, not_e) = (pool.equal(read, e), pool.distinct(read, e));
    let (zero, one) = (pool.number(8, 0), pool.number(8, 1));
    let (zeros, ones) = (pool.const_array(Sort::BitVec(32), zero), pool.const_array(Sort::BitVec(32), one));
    let bridge = pool.store(zeros, i, one);
    // One write does not make all elements others.
    let impossible = pool.equal(bridge, ones);
    let questions = [
        (vec![is_const, not_e], Answer::Unsat),
        (vec![is_const, is_e], Answer::Sat),
        (vec![impossible], Answer::Unsat),
    ];
    for (question, wanted) in questions {
        match solver.check_assuming(pool, &question, &no_limit()) {
            Answer::Unknown(UnknownReason::Unsupported(_)) => {}
            answer => expect(&answer, &wanted, "constant array")?,
        }
    }
    let p = pool.bool_symbol("p");
    expect(&solver.check_assuming(pool, &[p], &no_limit()), &Answer::Sat, "and on it goes")
}

fn arrays_are_extensional(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let sort = pool.array_sort(Sort::BitVec(32), Sort::BitVec(8));
    let (a, b) = (pool.symbol("a", sort), pool.symbol("b", sort));
    let (i, j) = (pool.bitvec_symbol("i", 32), pool.bitvec_symbol("j", 32));
    let (e, f) = (pool.bitvec_symbol("e", 8), pool.bitvec_symbol("f", 8));
    // Writes to different places commute …
    let differ = pool.distinct(i, j);
    let inner = pool.store(a, i, e);
    let one_order = pool.store(inner, j, f);
    let inner = pool.store(a, j, f);
    let other_order = pool.store(inner, i, e);
    let distinct = pool.distinct(one_order, other_order);
    expect(&solver.check_assuming(pool, &[differ, distinct], &no_limit()), &Answer::Unsat, "writes commute")?;
    // … to one place they do not.
    expect(&solver.check_assuming(pool, &[distinct], &no_limit()), &Answer::Sat, "the last write counts")?;
    satisfied(pool, solver, &[distinct])?;
    // Equal arrays have equal elements; different arrays differ somewhere.
    let same = pool.equal(a, b);
    let (read_a, read_b) = (pool.select(a, i), pool.select(b, i));
    let reads_differ = pool.distinct(read_a, read_b);
    expect(&solver.check_assuming(pool, &[same, reads_differ], &no_limit()), &Answer::Unsat, "equal arrays")?;
    let (written, not_same) = (pool.store(a, i, read_b), pool.not(same));
    let only_there = pool.equal(written, b);
    expect(
        &solver.check_assuming(pool, &[only_there, not_same], &no_limit()),
        &Answer::Sat,
        "differ at i only",
    )?;
    satisfied(pool, solver, &[only_there, not_same])?;
    let agree = pool.equal(read_a, read_b);
    let all = [only_there, not_same, agree];
    expect(&solver.check_assuming(pool, &all, &no_limit()), &Answer::Unsat, "differ nowhere")
}

fn functions_are_congruent(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let sort = pool.uninterpreted_sort("Thing");
    let f = pool.function("f", &[sort], sort);
    let x = pool.symbol("x", sort);
    let mut powers = vec![x];
    for _ in 0..5 {
        let last = *powers.last().expect("one at least");
        powers.push(pool.apply(f, &[last]));
    }
    // f³(x) = x and f⁵(x) = x imply f(x) = x.
    let (third, fifth) = (pool.equal(powers[3], x), pool.equal(powers[5], x));
    let moved = pool.distinct(powers[1], x);
    expect(&solver.check_assuming(pool, &[third, fifth, moved], &no_limit()), &Answer::Unsat, "f³ and f⁵")?;
    expect(&solver.check_assuming(pool, &[third, moved], &no_limit()), &Answer::Sat, "f³ alone")?;
    satisfied(pool, solver, &[third, moved])?;
    let g = pool.function("g", &[Sort::BitVec(16), Sort::Bool], Sort::BitVec(16));
    let (a, b, p) = (pool.bitvec_symbol("a", 16), pool.bitvec_symbol("b", 16), pool.bool_symbol("p"));
    let (one, not_p) = (pool.apply(g, &[a, p]), pool.not(p));
    let (two, three) = (pool.apply(g, &[b, p]), pool.apply(g, &[a, not_p]));
    let (same, one_two) = (pool.equal(a, b), pool.distinct(one, two));
    let one_three = pool.distinct(one, three);
    expect(&solver.check_assuming(pool, &[same, one_two], &no_limit()), &Answer::Unsat, "equal arguments")?;
    let free = [same, one_three];
    expect(&solver.check_assuming(pool, &free, &no_limit()), &Answer::Sat, "different arguments")?;
    satisfied(pool, solver, &free)
}

fn all_solutions_once(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let x = pool.bitvec_symbol("x", 5);
    let (three, ten, one) = (pool.number(5, 3), pool.number(5, 10), pool.number(5, 1));
    let (sum, low) = (pool.bvadd(x, three), pool.bvand(x, one));
    let indicators = [pool.ult(x, ten), pool.slt(sum, x), pool.equal(low, one), pool.ule(three, x)];
    let odd_or_small = pool.or(indicators[0], indicators[2]);
    solver.assert(pool, odd_or_small);
    let assumed = pool.distinct(x, three);
    let mut expected: BTreeSet<Vec<bool>> = BTreeSet::new();
    for value in 0..32 {
        let mut model = crate::model::Model::new();
        model.set(x, Value::Bits(crate::bits::Bits::from_u64(5, value)));
        if model.satisfies(pool, odd_or_small) && model.satisfies(pool, assumed) {
            expected.insert(indicators.iter().map(|&indicator| model.satisfies(pool, indicator)).collect());
        }
    }
    let solutions = solver.all_solutions(pool, &indicators, &[assumed], SolutionLimit::All, &no_limit());
    require(solutions.completeness == Completeness::Complete, "all are found")?;
    let mut found: BTreeSet<Vec<bool>> = BTreeSet::new();
    for cube in &solutions.cubes {
        for row in expand(cube) {
            require(found.insert(row), "no solution is found twice")?;
        }
    }
    require(found == expected, &format!("{found:?} instead of {expected:?}"))?;
    expect(&solver.check_assuming(pool, &[assumed], &no_limit()), &Answer::Sat, "nothing stays blocked")
}

/// The assignments a cube stands for.
fn expand(cube: &[Option<bool>]) -> Vec<Vec<bool>> {
    cube.iter().fold(vec![Vec::new()], |rows, value| {
        let choices: &[bool] = match value {
            Some(true) => &[true],
            Some(false) => &[false],
            None => &[false, true],
        };
        rows.iter().flat_map(|row| choices.iter().map(|&choice| [&row[..], &[choice]].concat())).collect()
    })
}

fn solutions_stop_at_the_limit(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let indicators: Vec<TermId> = (0..6).map(|i| pool.bool_symbol(&format!("p{i}"))).collect();
    let limit = SolutionLimit::AtMost(5);
    let solutions = solver.all_solutions(pool, &indicators, &[], limit, &no_limit());
    require(solutions.cubes.len() <= 5, "no more than asked for")?;
    require(solutions.completeness == Completeness::LimitReached, "and it says so")
}

fn an_ended_budget_is_unknown(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let p = pool.bool_symbol("p");
    solver.assert(pool, p);
    let ended = Budget::unlimited().with_time(Duration::ZERO);
    let unknown = Answer::Unknown(UnknownReason::Exhausted(Exhausted::Time));
    expect(&solver.check(pool, &ended), &unknown, "no time")?;
    let cancelled = Budget::unlimited();
    cancelled.cancel();
    let unknown = Answer::Unknown(UnknownReason::Exhausted(Exhausted::Cancelled));
    expect(&solver.check(pool, &cancelled), &unknown, "cancelled")?;
    let solutions = solver.all_solutions(pool, &[p], &[], SolutionLimit::All, &ended);
    require(matches!(solutions.completeness, Completeness::Unknown(_)), "solutions without time")?;
    expect(&solver.check(pool, &no_limit()), &Answer::Sat, "and on it goes")
}

/// Factoring a product of two primes of 31 bits is out of reach for seconds.
fn hard_questions_end(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let (x, y) = (pool.bitvec_symbol("x", 64), pool.bitvec_symbol("y", 64));
    let product = pool.bvmul(x, y);
    let target = pool.number(64, 2_038_074_743 * 1_500_450_271);
    let (one, limit) = (pool.number(64, 1), pool.number(64, 1 << 32));
    let claims = [
        pool.equal(product, target),
        pool.ult(one, x),
        pool.ult(x, limit),
        pool.ult(one, y),
        pool.ult(y, limit),
    ];
    let short = Budget::unlimited().with_time(Duration::from_millis(150));
    let unknown = Answer::Unknown(UnknownReason::Exhausted(Exhausted::Time));
    expect(&solver.check_assuming(pool, &claims, &short), &unknown, "a hard question in 150 ms")?;
    let interrupter = solver.interrupter();
    let handle = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        interrupter.interrupt();
    });
    let answer = solver.check_assuming(pool, &claims, &no_limit());
    let joined = handle.join();
    require(joined.is_ok(), "the interrupting thread ends")?;
    expect(&answer, &Answer::Unknown(UnknownReason::Interrupted), "an interrupted question")?;
    expect(&solver.check_assuming(pool, &claims[1..3], &no_limit()), &Answer::Sat, "an easy one afterwards")
}

fn floats_are_right_or_refused(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let x = pool.symbol("x", Sort::Float(FloatFormat::SINGLE));
    let (tenth, sum_wanted) = (pool.float_constant(0.1), pool.float_constant(0.3));
    let two = pool.float_constant(0.2);
    let sum = pool.fp_add(RoundingMode::NearestEven, tenth, two);
    let same = pool.fp_equal(sum, sum_wanted);
    let itself = pool.fp_equal(x, x);
    let not_itself = pool.not(itself);
    let is_nan = pool.fp_is_nan(x);
    let not_nan = pool.not(is_nan);
    // In single precision 0.1 + 0.2 rounds to the number nearest to 0.3, unlike in double; only NaN differs from
    // itself.
    for (question, wanted) in
        [(vec![same], true), (vec![not_itself], true), (vec![not_itself, not_nan], false)]
    {
        match solver.check_assuming(pool, &question, &no_limit()) {
            Answer::Unknown(UnknownReason::Unsupported(_)) => {}
            answer => {
                expect(&answer, if wanted { &Answer::Sat } else { &Answer::Unsat }, "a float question")?
            }
        }
    }
    let p = pool.bool_symbol("p");
    expect(&solver.check_assuming(pool, &[p], &no_limit()), &Answer::Sat, "and on it goes")
}

/// Every float operator the evaluator has, on values where they go wrong: zeros, subnormals, the largest, ∞, NaN.
fn float_operators_agree(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let values = [0.0, -0.0, 1.5, -2.5, 0.1, f32::MIN_POSITIVE / 4.0, f32::MAX, f32::INFINITY, f32::NAN];
    let mode = RoundingMode::NearestEven;
    let mut terms = Vec::new();
    for single in [true, false] {
        let numbers: Vec<TermId> = values
            .iter()
            .map(|&value| match single {
                true => pool.float_constant(value),
                // Not what conversion gives: a few more digits.
                false => pool.double_constant(f64::from(value) * 1.000_000_000_1),
            })
            .collect();
        let other = if single { FloatFormat::DOUBLE } else { FloatFormat::SINGLE };
        for &a in &numbers {
            for &b in &numbers {
                terms.extend([pool.fp_add(mode, a, b), pool.fp_sub(mode, a, b), pool.fp_mul(mode, a, b)]);
                terms.extend([pool.fp_div(mode, a, b), pool.fp_equal(a, b), pool.fp_less(a, b)]);
                terms.push(pool.fp_less_or_equal(a, b));
            }
            terms.extend([pool.fp_sqrt(mode, a), pool.fp_neg(a), pool.fp_abs(a), pool.fp_is_nan(a)]);
            terms.extend([pool.fp_is_infinite(a), pool.fp_is_zero(a), pool.fp_is_normal(a)]);
            terms.extend([pool.fp_is_subnormal(a), pool.fp_is_negative(a), pool.fp_is_positive(a)]);
            terms.push(pool.fp_from_float(mode, a, other));
            terms.push(pool.fp_to_signed(RoundingMode::TowardZero, a, 16));
            terms.push(pool.fp_to_unsigned(RoundingMode::TowardZero, a, 16));
            for direction in [
                mode,
                RoundingMode::NearestAway,
                RoundingMode::TowardPositive,
                RoundingMode::TowardNegative,
                RoundingMode::TowardZero,
            ] {
                terms.push(pool.fp_round_to_integral(direction, a));
            }
        }
        for number in [0, 1, -1, 0x7fff_ffff_ffff_fdff, 16_777_217] {
            let number = pool.number(64, number);
            terms.push(pool.fp_from_signed(mode, number, other));
            terms.push(pool.fp_from_unsigned(mode, number, other));
        }
    }
    let no_values = crate::model::Model::new();
    let mut equations = Vec::new();
    for term in terms {
        // What IEEE leaves open has no value here either.
        let Ok(value) = no_values.evaluate(pool, term) else { continue };
        equations.push(match value {
            Value::Float(bits) => {
                let format = pool.float_format(term);
                let bits = pool.constant(bits);
                let constant = pool.fp_from_bits(bits, format);
                pool.equal(term, constant)
            }
            other => has_value(pool, term, &other),
        });
    }
    require(equations.len() > 1300, "most operators are evaluated")?;
    let all = pool.all_of(&equations);
    let not_all = pool.not(all);
    match solver.check_assuming(pool, &[all], &no_limit()) {
        Answer::Unknown(UnknownReason::Unsupported(_)) => return Ok(()),
        answer => expect(&answer, &Answer::Sat, "float operators on constants")?,
    }
    expect(&solver.check_assuming(pool, &[not_all], &no_limit()), &Answer::Unsat, "other results of floats")
}

/// Laws of floats and what only looks like one, in the smallest format that is evaluated; models are evaluated.
fn free_floats_are_right_or_refused(
    pool: &mut TermPool,
    solver: &mut dyn BackEndObject,
) -> Result<(), String> {
    let half = FloatFormat { exponent: 5, significand: 11 };
    let mode = RoundingMode::NearestEven;
    let x = pool.symbol("fx", Sort::Float(half));
    let y = pool.symbol("fy", Sort::Float(half));
    let (bits, others) = (pool.bitvec_symbol("fb", 16), pool.bitvec_symbol("fc", 16));
    let (zero, one) = (pool.number(16, 0), pool.number(16, 0x3c00));
    let (zero, one) = (pool.fp_from_bits(zero, half), pool.fp_from_bits(one, half));
    let mut questions: Vec<(&str, Vec<TermId>, Answer)> = Vec::new();

    // x < y implies 0 < y - x, because underflow is gradual; but not 0 < y / 2.
    let less = pool.fp_less(x, y);
    let difference = pool.fp_sub(mode, y, x);
    let positive = pool.fp_less(zero, difference);
    let not_positive = pool.not(positive);
    questions.push(("gradual underflow", vec![less, not_positive], Answer::Unsat));
    let two = pool.fp_add(mode, one, one);
    let above_zero = pool.fp_less(zero, y);
    let halved = pool.fp_div(mode, y, two);
    let vanishes = pool.fp_is_zero(halved);
    questions.push(("the least number is halved", vec![above_zero, vanishes], Answer::Sat));
    // Multiplying and adding rounds once or twice.
    let product = pool.fp_mul(mode, x, x);
    let (sum, fused) = (pool.fp_add(mode, product, y), pool.fp_fma(mode, x, x, y));
    let same = pool.fp_equal(sum, fused);
    let (nan, infinite) = (pool.fp_is_nan(fused), pool.fp_is_infinite(product));
    let differ = pool.not(same);
    let (number, finite) = (pool.not(nan), pool.not(infinite));
    questions.push(("one rounding or two", vec![differ, number, finite], Answer::Sat));
    // Roots.
    let not_negative = pool.fp_less_or_equal(zero, x);
    let root = pool.fp_sqrt(mode, x);
    let no_root = pool.fp_is_nan(root);
    questions.push(("roots of what is not negative", vec![not_negative, no_root], Answer::Unsat));
    // Rounding to whole numbers, each way.
    for (way, wanted) in [
        (RoundingMode::TowardNegative, Answer::Unsat),
        (RoundingMode::TowardPositive, Answer::Sat),
        (RoundingMode::NearestAway, Answer::Sat),
    ] {
        let whole = pool.fp_round_to_integral(way, x);
        questions.push(("rounded up", vec![pool.fp_less(x, whole)], wanted));
    }
    // The bits of NaN are open, those of a number are not.
    let (some, other) = (pool.fp_to_bits(x, bits), pool.fp_to_bits(x, others));
    let (back, apart) = (pool.fp_from_bits(some, half), pool.distinct(some, other));
    let moved = pool.distinct(back, x);
    let is_nan = pool.fp_is_nan(x);
    let is_number = pool.not(is_nan);
    questions.push(("bits come back", vec![moved], Answer::Unsat));
    questions.push(("many NaNs", vec![apart], Answer::Sat));
    questions.push(("one number each", vec![apart, is_number], Answer::Unsat));
    // Whole numbers that fit come back; of 16 bits not all fit in 11.
    let whole = pool.bitvec_symbol("n", 16);
    for (format, wanted) in [(half, Answer::Sat), (FloatFormat::SINGLE, Answer::Unsat)] {
        let float = pool.fp_from_signed(mode, whole, format);
        let back = pool.fp_to_signed(RoundingMode::TowardZero, float, 16);
        questions.push(("whole numbers come back", vec![pool.distinct(back, whole)], wanted));
    }
    // Nothing is below the lesser of two.
    let lesser = pool.fp_min(x, y);
    let (below_x, below_y) = (pool.fp_less(x, lesser), pool.fp_less(y, lesser));
    let below = pool.or(below_x, below_y);
    questions.push(("below the lesser", vec![below], Answer::Unsat));
    for (what, question, wanted) in questions {
        match solver.check_assuming(pool, &question, &no_limit()) {
            Answer::Unknown(UnknownReason::Unsupported(_)) => {}
            answer => {
                expect(&answer, &wanted, what)?;
                if wanted == Answer::Sat {
                    satisfied(pool, solver, &question)?;
                }
            }
        }
    }
    Ok(())
}

fn deep_terms_are_no_danger(pool: &mut TermPool, solver: &mut dyn BackEndObject) -> Result<(), String> {
    let (x, y) = (pool.bitvec_symbol("x", 4), pool.bitvec_symbol("y", 4));
    let mut term = x;
    for step in 0..800 {
        term = if step % 2 == 0 { pool.bvxor(term, y) } else { pool.bvnot(term) };
    }
    // 400 times xor y and as often not: both cancel. (The embedded solver has a test of its own a million deep;
    // to some solvers even a few thousand definitions on top of each other are a lot.)
    let moved = pool.distinct(term, x);
    expect(&solver.check_assuming(pool, &[moved], &no_limit()), &Answer::Unsat, "a chain that cancels")
}
