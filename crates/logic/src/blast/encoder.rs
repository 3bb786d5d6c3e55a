//! The walk over a term: every node becomes a literal or a word, once. Reads are pushed through writes, so that in
//! the end only reads of array symbols are left; those, applications of functions and equations between arrays go
//! to the theory, which adds what is missing only when a model shows that it is.

use super::gates::Gates;
use super::theory::Theory;
use super::words::{Circuit, Word};
use crate::bits::Bits;
use crate::model::Value;
use crate::sat::{Assignment, Literal, TakeClauses};
use crate::term::{Op, Sort, TermId, TermPool};
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
                    let width = bit_count(pool.sort(term))?;
                    let word = self.circuit(solver).fresh(width);
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
            op if op.is_float() || matches!(pool.sort(term), Sort::Float(_)) => {
                Err(Unsupported("floats are not supported by the embedded solver".into()))
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
                let width = bit_count(pool.sort(term)).expect("checked before");
                let word = circuit.fresh(width);
                self.symbols.push(term);
                word
            }
            Op::Apply(function) => {
                let width = bit_count(pool.sort(term)).expect("checked before");
                let word = circuit.fresh(width);
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
            float => unreachable!("{float:?} was refused before"),
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
            _ => Value::Bits(Bits::from_bools(&bools)),
        }
    }
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
        Sort::Float(_) => Err(Unsupported("floats are not supported by the embedded solver".into())),
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
