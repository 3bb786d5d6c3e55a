//! The walk over a term: every node becomes a literal or a word, once. Reads are pushed through writes, so that in
//! the end only reads of array symbols are left; those, applications of functions and equations between arrays go
//! to the theory, which adds what is missing only when a model shows that it is.

use super::float::{ALL_STEPS, FIRST_STEPS};
use super::gates::Gates;
use super::theory::Theory;
use super::words::{Circuit, Word};
use crate::bits::Bits;
use crate::model::Value;
use crate::sat::{Assignment, Literal, TakeClauses};
use crate::term::{FloatFormat, Op, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;

/// Why a term cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);

/// Elements of an uninterpreted sort are told apart by this many bits: more elements than terms can ever name, and
/// an uninterpreted sort never needs more elements than there are terms of it.
const ELEMENT_BITS: usize = 32;

/// Where the literals of an encoded term are.
#[derive(Clone, Copy)]
struct Place {
    start: u32,
    length: u32,
}

pub(crate) struct Encoder {
    pub(super) gates: Gates,
    places: FxHashMap<TermId, Place>,
    literals: Vec<Literal>,
    symbols: Vec<TermId>,
    pub(super) theory: Theory,
}

impl Encoder {
    pub(crate) fn new(solver: &mut impl TakeClauses) -> Encoder {
        Encoder {
            gates: Gates::new(solver),
            places: FxHashMap::default(),
            literals: Vec::new(),
            symbols: Vec::new(),
            theory: Theory::default(),
        }
    }

    pub(crate) fn encoded_terms(&self) -> usize {
        self.places.len()
    }

    pub(super) fn circuit<'a, S: TakeClauses>(&'a mut self, solver: &'a mut S) -> Circuit<'a, S> {
        Circuit { gates: &mut self.gates, solver }
    }

    /// The literals of a term that is already encoded, least bit first.
    pub(super) fn word(&self, term: TermId) -> &[Literal] {
        let place = self.places[&term];
        &self.literals[place.start as usize..(place.start + place.length) as usize]
    }

    pub(crate) fn is_encoded(&self, term: TermId) -> bool {
        self.places.contains_key(&term)
    }

    fn keep(&mut self, term: TermId, word: &[Literal]) {
        let start = u32::try_from(self.literals.len()).expect("fewer than 2^32 literals");
        self.literals.extend_from_slice(word);
        self.places.insert(term, Place { start, length: word.len() as u32 });
    }

    /// The literal of a Boolean term.
    pub(crate) fn literal(
        &mut self,
        pool: &mut TermPool,
        solver: &mut impl TakeClauses,
        term: TermId,
    ) -> Result<Literal, Unsupported> {
        if let Some(&place) = self.places.get(&term)
            && !self.theory.has_unfinished()
        {
            return Ok(self.literals[place.start as usize]);
        }
        self.encode(pool, solver, term)?;
        Ok(self.word(term)[0])
    }

    /// Encodes a term that is not an array, and all it needs.
    pub(super) fn encode(
        &mut self,
        pool: &mut TermPool,
        solver: &mut impl TakeClauses,
        root: TermId,
    ) -> Result<(), Unsupported> {
        let walked = self.walk(pool, solver, root);
        // Also when the walk failed: an equation that it met may be asked for by itself later on.
        self.finish_equations(pool, solver)?;
        walked
    }

    /// Encodes a term, leaving equations between arrays that it meets unfinished.
    pub(super) fn walk(
        &mut self,
        pool: &mut TermPool,
        solver: &mut impl TakeClauses,
        root: TermId,
    ) -> Result<(), Unsupported> {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.places.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            let step = self.needs(pool, term)?;
            match &step {
                Step::Arguments => {
                    open.extend(
                        pool.arguments(term).iter().filter(|argument| !self.places.contains_key(argument)),
                    );
                }
                Step::SameAs(other) | Step::ReadOf(other) => {
                    open.extend(Some(*other).filter(|other| !self.places.contains_key(other)));
                }
                Step::ArrayEquation => {}
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            match step {
                Step::Arguments => {
                    let word = self.circuit_of(pool, solver, term);
                    self.keep(term, &word);
                }
                Step::SameAs(other) => {
                    let place = self.places[&other];
                    self.places.insert(term, place);
                }
                Step::ReadOf(index) => {
                    bit_count(pool.sort(term))?;
                    let word = any_value(&mut self.circuit(solver), pool.sort(term));
                    self.keep(term, &word);
                    let array = pool.arguments(term)[0];
                    self.theory.add_read(array, index, term);
                }
                Step::ArrayEquation => {
                    let literal = solver.new_literal();
                    self.keep(term, &[literal]);
                    // ¬(a = b) → a[k] ≠ b[k] for some k of its own; encoded after this walk.
                    self.theory.add_equation(pool, term);
                }
            }
        }
        Ok(())
    }

    /// What has to be encoded before the term, or instead of it.
    fn needs(&mut self, pool: &mut TermPool, term: TermId) -> Result<Step, Unsupported> {
        match pool.op(term) {
            Op::Select => {
                if matches!(pool.sort(term), Sort::Array(_)) {
                    return Err(Unsupported(
                        "arrays of arrays are not supported by the embedded solver".into(),
                    ));
                }
                let (array, index) = (pool.arguments(term)[0], pool.arguments(term)[1]);
                Ok(match read_one_step(pool, array, index)? {
                    Some(instead) => Step::SameAs(instead),
                    None => Step::ReadOf(index),
                })
            }
            Op::Equal if matches!(pool.sort(pool.arguments(term)[0]), Sort::Array(_)) => {
                check_array(pool, pool.arguments(term)[0])?;
                check_array(pool, pool.arguments(term)[1])?;
                Ok(Step::ArrayEquation)
            }
            Op::Apply(_) => {
                let arrays = pool.arguments(term).iter().any(|&a| matches!(pool.sort(a), Sort::Array(_)));
                if arrays || matches!(pool.sort(term), Sort::Array(_)) {
                    return Err(Unsupported(
                        "functions on arrays are not supported by the embedded solver".into(),
                    ));
                }
                Ok(Step::Arguments)
            }
            _ => Ok(Step::Arguments),
        }
    }

    /// The circuit of a term whose arguments are encoded.
    fn circuit_of(&mut self, pool: &TermPool, solver: &mut impl TakeClauses, term: TermId) -> Word {
        let op = pool.op(term);
        let arguments: Vec<Word> =
            pool.arguments(term).iter().map(|&argument| self.word(argument).to_vec()).collect();
        let mut circuit = Circuit { gates: &mut self.gates, solver };
        let a = arguments.first().map_or(&[][..], |word| word);
        let b = arguments.get(1).map_or(&[][..], |word| word);
        let flat = || -> Word { arguments.iter().map(|word| word[0]).collect() };
        match op {
            Op::True => vec![circuit.gates.truth()],
            Op::False => vec![!circuit.gates.truth()],
            Op::Constant(_) => circuit.constant(pool.constant_value(term).expect("a constant")),
            Op::Symbol(_) => {
                let word = any_value(&mut circuit, pool.sort(term));
                self.symbols.push(term);
                word
            }
            Op::Apply(function) => {
                let word = any_value(&mut circuit, pool.sort(term));
                self.theory.add_application(function, term);
                word
            }
            Op::Not | Op::BvNot => a.iter().map(|&literal| !literal).collect(),
            Op::And => vec![circuit.and_many(&flat())],
            Op::Or => vec![circuit.or_many(&flat())],
            Op::Xor => vec![circuit.xor(a[0], b[0])],
            Op::Ite => circuit.mux_word(a[0], b, &arguments[2]),
            Op::Equal => vec![circuit.equal(a, b)],
            Op::BvNeg => circuit.neg(a),
            Op::BvAnd => circuit.bitwise(a, b, Circuit::and),
            Op::BvOr => circuit.bitwise(a, b, Circuit::or),
            Op::BvXor => circuit.bitwise(a, b, Circuit::xor),
            Op::BvAdd => circuit.add(a, b),
            Op::BvSub => circuit.sub(a, b),
            Op::BvMul => circuit.mul(a, b),
            Op::BvUdiv => circuit.divide(a, b).0,
            Op::BvUrem => circuit.divide(a, b).1,
            Op::BvSdiv => circuit.signed_divide(a, b).0,
            Op::BvSrem => circuit.signed_divide(a, b).1,
            Op::BvShl => circuit.shift_left(a, b),
            Op::BvLshr => {
                let fill = circuit.gates.constant(false);
                circuit.shift_right(a, b, fill)
            }
            Op::BvAshr => circuit.shift_right(a, b, a[a.len() - 1]),
            Op::Concat => b.iter().chain(a).copied().collect(),
            Op::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
            Op::ZeroExtend { by } => {
                let fill = circuit.gates.constant(false);
                a.iter().copied().chain(std::iter::repeat_n(fill, by as usize)).collect()
            }
            Op::SignExtend { by } => {
                a.iter().copied().chain(std::iter::repeat_n(a[a.len() - 1], by as usize)).collect()
            }
            Op::Ult => vec![circuit.ult(a, b)],
            Op::Ule => vec![circuit.ule(a, b)],
            Op::Slt => vec![circuit.slt(a, b)],
            Op::Sle => vec![circuit.sle(a, b)],
            Op::UaddOverflow => vec![circuit.uadd_overflow(a, b)],
            Op::SaddOverflow => vec![circuit.sadd_overflow(a, b)],
            Op::UsubOverflow => vec![circuit.ult(a, b)],
            Op::SsubOverflow => vec![circuit.ssub_overflow(a, b)],
            Op::UmulOverflow => vec![circuit.umul_overflow(a, b)],
            Op::SmulOverflow => vec![circuit.smul_overflow(a, b)],
            Op::SnegOverflow => vec![circuit.is_value(a, &Bits::signed_minimum(a.len() as u32))],
            Op::SdivOverflow => {
                let minimum = circuit.is_value(a, &Bits::signed_minimum(a.len() as u32));
                let minus_one = circuit.is_value(b, &Bits::ones(b.len() as u32));
                vec![circuit.and(minimum, minus_one)]
            }
            Op::Select | Op::Store | Op::ConstArray => unreachable!("{op:?} is handled before"),
            Op::FpRem | Op::FpFmod => {
                let format = float_format(pool, term);
                let (first, whole) = first_remainder(&mut circuit, op, a, b, format);
                if !whole {
                    self.theory.add_remainder(term);
                }
                first
            }
            float => float_circuit(&mut circuit, pool, term, float, &arguments),
        }
    }

    /// The symbols encoded so far.
    pub(crate) fn symbols(&self) -> &[TermId] {
        &self.symbols
    }

    /// The value of an encoded term under the solver's assignment.
    pub(crate) fn value(&self, pool: &TermPool, solver: &impl Assignment, term: TermId) -> Value {
        let bools: Vec<bool> =
            self.word(term).iter().map(|&literal| solver.value(literal).unwrap_or(false)).collect();
        match pool.sort(term) {
            Sort::Bool => Value::Bool(bools[0]),
            Sort::Uninterpreted(_) => {
                Value::Element(Bits::from_bools(&bools).to_u64().expect("elements have 32 bits"))
            }
            Sort::Float(_) => Value::Float(Bits::from_bools(&bools)),
            _ => Value::Bits(Bits::from_bools(&bools)),
        }
    }
}

/// New literals for any value of a sort; of floats there is one NaN.
fn any_value<S: TakeClauses>(circuit: &mut Circuit<'_, S>, sort: Sort) -> Word {
    let word = circuit.fresh(bit_count(sort).expect("checked before"));
    match sort {
        Sort::Float(format) => circuit.float_from_bits(&word, format),
        _ => word,
    }
}

fn float_format(pool: &TermPool, term: TermId) -> FloatFormat {
    pool.float_format(pool.arguments(term)[0])
}

/// The circuit of a float operator.
fn float_circuit<S: TakeClauses>(
    circuit: &mut Circuit<'_, S>,
    pool: &TermPool,
    term: TermId,
    op: Op,
    arguments: &[Word],
) -> Word {
    let a = &arguments[0];
    let b = arguments.get(1).map_or(&[][..], |word| word);
    let format = match op {
        Op::FpFromBits(to) | Op::FpFromSigned(_, to) | Op::FpFromUnsigned(_, to) => to,
        _ => float_format(pool, term),
    };
    match op {
        Op::FpAdd(mode) => circuit.float_add(mode, a, b, format),
        Op::FpSub(mode) => circuit.float_sub(mode, a, b, format),
        Op::FpMul(mode) => circuit.float_mul(mode, a, b, format),
        Op::FpDiv(mode) => circuit.float_div(mode, a, b, format),
        Op::FpSqrt(mode) => circuit.float_sqrt(mode, a, format),
        Op::FpFma(mode) => circuit.float_fma(mode, a, b, &arguments[2], format),
        Op::FpRoundToIntegral(mode) => circuit.float_to_integral(mode, a, format),
        Op::FpNeg => circuit.float_neg(a, format),
        Op::FpAbs => circuit.float_abs(a),
        Op::FpMin => circuit.float_extremum(a, b, false, format),
        Op::FpMax => circuit.float_extremum(a, b, true, format),
        Op::FpEqual => vec![circuit.float_equal(a, b, format)],
        Op::FpLess => vec![circuit.float_less(a, b, false, format)],
        Op::FpLessOrEqual => vec![circuit.float_less(a, b, true, format)],
        Op::FpIsNan => vec![circuit.classify(a, format).is_nan],
        Op::FpIsInfinite => vec![circuit.classify(a, format).is_infinite],
        Op::FpIsZero => vec![circuit.classify(a, format).is_zero],
        Op::FpIsNormal => vec![circuit.float_is_normal(a, format)],
        Op::FpIsSubnormal => {
            let class = circuit.classify(a, format);
            vec![circuit.and(class.has_no_exponent, !class.has_no_fraction)]
        }
        Op::FpIsNegative | Op::FpIsPositive => {
            let is_nan = circuit.classify(a, format).is_nan;
            let negative = a[a.len() - 1].negated_if(op == Op::FpIsPositive);
            vec![circuit.and(negative, !is_nan)]
        }
        Op::FpFromBits(_) => circuit.float_from_bits(a, format),
        Op::FpToBits => {
            let is_nan = circuit.classify(a, format).is_nan;
            let nan = circuit.some_nan(b, format);
            circuit.mux_word(is_nan, &nan, a)
        }
        Op::FpFromFloat(mode, to) => circuit.float_to_float(mode, a, format, to),
        Op::FpFromSigned(mode, _) => circuit.integer_to_float(mode, a, true, format),
        Op::FpFromUnsigned(mode, _) => circuit.integer_to_float(mode, a, false, format),
        Op::FpToSigned(mode, width) => circuit.float_to_integer(mode, a, width as usize, true, format),
        Op::FpToUnsigned(mode, width) => circuit.float_to_integer(mode, a, width as usize, false, format),
        other => unreachable!("{other:?} is no float operator"),
    }
}

/// A remainder as it is encoded at first: exact where the exponents are near each other. `true`: exact everywhere.
fn first_remainder<S: TakeClauses>(
    circuit: &mut Circuit<'_, S>,
    op: Op,
    x: &[Literal],
    y: &[Literal],
    format: FloatFormat,
) -> (Word, bool) {
    let to_nearest = op == Op::FpRem;
    // Up to binary32 the whole circuit is small.
    let steps = if format.exponent <= 8 { ALL_STEPS } else { FIRST_STEPS };
    let remainder = circuit.float_remainder(x, y, to_nearest, steps, format);
    if circuit.gates.value(remainder.is_exact) == Some(true) {
        return (remainder.word, true);
    }
    let open = circuit.fresh(format.width() as usize);
    let possible = circuit.remainder_is_possible(x, y, &open, to_nearest, format);
    circuit.solver.add_clause(&[remainder.is_exact, possible]);
    (circuit.mux_word(remainder.is_exact, &remainder.word, &open), false)
}

enum Step {
    /// Encode the arguments, then the operator.
    Arguments,
    /// Encode the other term, which has the same value.
    SameAs(TermId),
    /// A read of an array symbol at this index.
    ReadOf(TermId),
    /// An equation between arrays.
    ArrayEquation,
}

/// How many literals a value of the sort takes.
pub(super) fn bit_count(sort: Sort) -> Result<usize, Unsupported> {
    match sort {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(width as usize),
        Sort::Uninterpreted(_) => Ok(ELEMENT_BITS),
        Sort::Array(_) => {
            Err(Unsupported("arrays of arrays are not supported by the embedded solver".into()))
        }
        Sort::Float(format) => Ok(format.width() as usize),
    }
}

/// Read-over-write, one step: the term that equals `array[index]`, or `None` when the array is a symbol.
/// Constant indices are told apart here, which keeps reads that cannot matter out of the encoding.
pub(super) fn read_one_step(
    pool: &mut TermPool,
    array: TermId,
    index: TermId,
) -> Result<Option<TermId>, Unsupported> {
    let arguments: smallvec::SmallVec<[TermId; 3]> = pool.arguments(array).into();
    match pool.op(array) {
        Op::Symbol(_) => Ok(None),
        Op::ConstArray => Ok(Some(arguments[0])),
        Op::Store => {
            let (inner, at, element) = (arguments[0], arguments[1], arguments[2]);
            if at == index {
                return Ok(Some(element));
            }
            let below = pool.select(inner, index);
            if pool.constant_value(at).is_some() && pool.constant_value(index).is_some() {
                // Different ids of one sort: different values.
                return Ok(Some(below));
            }
            let here = pool.equal(at, index);
            Ok(Some(pool.ite(here, element, below)))
        }
        Op::Ite => {
            let (then, otherwise) = (pool.select(arguments[1], index), pool.select(arguments[2], index));
            Ok(Some(pool.ite(arguments[0], then, otherwise)))
        }
        Op::Apply(_) => {
            Err(Unsupported("functions on arrays are not supported by the embedded solver".into()))
        }
        other => {
            Err(Unsupported(format!("arrays made by {other:?} are not supported by the embedded solver")))
        }
    }
}

/// Can every read of the array be encoded?
fn check_array(pool: &TermPool, array: TermId) -> Result<(), Unsupported> {
    let (index, element) = pool.array_parts(pool.sort(array)).expect("an array");
    bit_count(index)?;
    bit_count(element)?;
    let mut open = vec![array];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(array) = open.pop() {
        if !seen.insert(array) {
            continue;
        }
        match pool.op(array) {
            Op::Symbol(_) | Op::ConstArray => {}
            Op::Store => open.push(pool.arguments(array)[0]),
            Op::Ite => open.extend(&pool.arguments(array)[1..]),
            other => {
                return Err(Unsupported(format!(
                    "arrays made by {other:?} are not supported by the embedded solver"
                )));
            }
        }
    }
    Ok(())
}
