//! Random terms of every operator the embedded solver has, and random values for their symbols.

use crate::bits::Bits;
use crate::model::{ArrayValue, FunctionValue, Model, Value};
use crate::term::{FunctionId, Sort, TermId, TermPool};
use base::random::Random;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Random elements of uninterpreted sorts have numbers below this.
pub const ELEMENTS: usize = 3;

/// What random terms look like.
#[derive(Clone, Copy, Debug)]
pub struct TermShape {
    /// Widths are between 1 and this.
    pub widest: u32,
    /// Operators above each other, at most.
    pub depth: u32,
    /// Arrays, equations between them, and functions too?
    pub theories: Theories,
}

/// Whether terms have arrays and functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theories {
    /// Bit-vectors only.
    BitVectors,
    /// Arrays and functions too.
    ArraysAndFunctions,
}

impl TermShape {
    /// Bit-vectors up to 64 bits.
    pub const BITS: TermShape = TermShape { widest: 64, depth: 4, theories: Theories::BitVectors };
    /// Small widths, where indices collide, with arrays and functions.
    pub const ARRAYS: TermShape = TermShape { widest: 4, depth: 4, theories: Theories::ArraysAndFunctions };
    /// Arrays and functions with words up to 64 bits.
    pub const WIDE_ARRAYS: TermShape =
        TermShape { widest: 64, depth: 3, theories: Theories::ArraysAndFunctions };
}

/// Makes random terms in a pool.
#[derive(Debug)]
pub struct RandomTerms {
    random: Random,
    shape: TermShape,
}

impl RandomTerms {
    /// The stream of a seed.
    pub fn new(seed: u64, shape: TermShape) -> RandomTerms {
        RandomTerms { random: Random::new(seed), shape }
    }

    fn width(&mut self) -> u32 {
        // Small widths find more corner cases; large ones other bugs.
        let widest = if self.random.coin() { self.shape.widest } else { self.shape.widest.min(5) };
        1 + self.random.below(widest as usize) as u32
    }

    /// A random Boolean term.
    pub fn formula(&mut self, pool: &mut TermPool) -> TermId {
        self.bool_term(pool, self.shape.depth)
    }

    /// A random term, Boolean or of a random width.
    pub fn term(&mut self, pool: &mut TermPool) -> TermId {
        if self.random.coin() {
            return self.formula(pool);
        }
        let width = self.width();
        self.bits_term(pool, width, self.shape.depth)
    }

    fn bool_term(&mut self, pool: &mut TermPool, depth: u32) -> TermId {
        if depth == 0 {
            return match self.random.below(6) {
                0 => pool.bool(self.random.coin()),
                number => pool.bool_symbol(["p", "q", "r", "s", "u"][number - 1]),
            };
        }
        let depth = depth - 1;
        let theories = self.shape.theories == Theories::ArraysAndFunctions;
        let choice = self.random.below(if theories { 27 } else { 24 });
        match choice {
            0 => {
                let a = self.bool_term(pool, depth);
                pool.not(a)
            }
            1..=4 => {
                let (a, b) = (self.bool_term(pool, depth), self.bool_term(pool, depth));
                let c = self.bool_term(pool, depth);
                match choice {
                    1 => pool.all_of(&[a, b, c]),
                    2 => pool.any_of(&[a, b, c]),
                    3 => pool.xor(a, b),
                    _ => pool.equal(a, b),
                }
            }
            5 => {
                let (a, b) = (self.bool_term(pool, depth), self.bool_term(pool, depth));
                let c = self.bool_term(pool, depth);
                pool.ite(a, b, c)
            }
            6..=23 => {
                let width = self.width();
                let (a, b) = (self.bits_term(pool, width, depth), self.bits_term(pool, width, depth));
                match choice {
                    6 => pool.ult(a, b),
                    7 => pool.ule(a, b),
                    8 => pool.slt(a, b),
                    9 => pool.sle(a, b),
                    10 => pool.uadd_overflow(a, b),
                    11 => pool.sadd_overflow(a, b),
                    12 => pool.usub_overflow(a, b),
                    13 => pool.ssub_overflow(a, b),
                    14 => pool.umul_overflow(a, b),
                    15 => pool.smul_overflow(a, b),
                    16 => pool.sneg_overflow(a),
                    17 => pool.sdiv_overflow(a, b),
                    18 => pool.distinct(a, b),
                    _ => pool.equal(a, b),
                }
            }
            24 | 25 => {
                let sort = self.array_sort(pool);
                let (a, b) = (self.array_term(pool, sort, depth), self.array_term(pool, sort, depth));
                pool.equal(a, b)
            }
            _ => {
                let sort = pool.uninterpreted_sort("U");
                let (a, b) = (self.element(pool, sort, depth), self.element(pool, sort, depth));
                pool.equal(a, b)
            }
        }
    }

    fn bits_term(&mut self, pool: &mut TermPool, width: u32, depth: u32) -> TermId {
        if depth == 0 {
            return match self.random.below(5) {
                0 => {
                    let bits = self.bits(width);
                    pool.constant(bits)
                }
                1 => pool.number(width, *self.random.pick(&[0, 1, -1, 2])),
                number => pool.bitvec_symbol(&format!("{}{width}", ["x", "y", "z"][number - 2]), width),
            };
        }
        let depth = depth - 1;
        let theories = self.shape.theories == Theories::ArraysAndFunctions;
        let choice = self.random.below(if theories { 26 } else { 22 });
        match choice {
            0..=14 => {
                let (a, b) = (self.bits_term(pool, width, depth), self.bits_term(pool, width, depth));
                match choice {
                    0 => pool.bvnot(a),
                    1 => pool.bvneg(a),
                    2 => pool.bvand(a, b),
                    3 => pool.bvor(a, b),
                    4 => pool.bvxor(a, b),
                    5 => pool.bvadd(a, b),
                    6 => pool.bvsub(a, b),
                    7 => pool.bvmul(a, b),
                    8 => pool.bvudiv(a, b),
                    9 => pool.bvsdiv(a, b),
                    10 => pool.bvurem(a, b),
                    11 => pool.bvsrem(a, b),
                    12 => pool.bvshl(a, b),
                    13 => pool.bvlshr(a, b),
                    _ => pool.bvashr(a, b),
                }
            }
            15 if width > 1 => {
                let upper = 1 + self.random.below(width as usize - 1) as u32;
                let (a, b) = (self.bits_term(pool, upper, depth), self.bits_term(pool, width - upper, depth));
                pool.concat(a, b)
            }
            16 | 17 => {
                let low = self.random.below(4) as u32;
                let wide = width + low + self.random.below(4) as u32;
                let a = self.bits_term(pool, wide, depth);
                pool.extract(a, low + width - 1, low)
            }
            18 | 19 if width > 1 => {
                let inner = 1 + self.random.below(width as usize - 1) as u32;
                let a = self.bits_term(pool, inner, depth);
                if choice == 18 {
                    pool.zero_extend(a, width - inner)
                } else {
                    pool.sign_extend(a, width - inner)
                }
            }
            22 | 23 => {
                let index = Sort::BitVec(1 + self.random.below(3) as u32);
                let sort = pool.array_sort(index, Sort::BitVec(width));
                let array = self.array_term(pool, sort, depth);
                let at = self.bits_term(pool, index.width().expect("a bit-vector"), depth);
                pool.select(array, at)
            }
            24 | 25 => {
                let inner = 1 + self.random.below(3) as u32;
                let function = pool.function(
                    &format!("f{inner}to{width}"),
                    &[Sort::BitVec(inner), Sort::Bool],
                    Sort::BitVec(width),
                );
                let (a, b) = (self.bits_term(pool, inner, depth), self.bool_term(pool, depth));
                pool.apply(function, &[a, b])
            }
            _ => {
                let condition = self.bool_term(pool, depth);
                let (a, b) = (self.bits_term(pool, width, depth), self.bits_term(pool, width, depth));
                pool.ite(condition, a, b)
            }
        }
    }

    fn array_sort(&mut self, pool: &mut TermPool) -> Sort {
        let index = match self.random.below(4) {
            0 => Sort::Bool,
            1 => Sort::BitVec(12),
            _ => Sort::BitVec(1 + self.random.below(2) as u32),
        };
        let element = if self.random.below(4) == 0 { Sort::Bool } else { Sort::BitVec(2) };
        pool.array_sort(index, element)
    }

    fn of_sort(&mut self, pool: &mut TermPool, sort: Sort, depth: u32) -> TermId {
        match sort {
            Sort::Bool => self.bool_term(pool, depth),
            Sort::BitVec(width) => self.bits_term(pool, width, depth),
            Sort::Array(_) => self.array_term(pool, sort, depth),
            other => self.element(pool, other, depth),
        }
    }

    fn array_term(&mut self, pool: &mut TermPool, sort: Sort, depth: u32) -> TermId {
        let (index, element) = pool.array_parts(sort).expect("an array sort");
        if depth == 0 {
            let name = format!("{}{}", self.random.pick(&["a", "b"]), pool.sort_text(sort));
            return pool.symbol(&name, sort);
        }
        let depth = depth - 1;
        match self.random.below(5) {
            0 | 1 => {
                let array = self.array_term(pool, sort, depth);
                let (at, value) = (self.of_sort(pool, index, depth), self.of_sort(pool, element, depth));
                pool.store(array, at, value)
            }
            2 => {
                let value = self.of_sort(pool, element, depth);
                pool.const_array(index, value)
            }
            3 => {
                let condition = self.bool_term(pool, depth);
                let (a, b) = (self.array_term(pool, sort, depth), self.array_term(pool, sort, depth));
                pool.ite(condition, a, b)
            }
            _ => self.array_term(pool, sort, 0),
        }
    }

    fn element(&mut self, pool: &mut TermPool, sort: Sort, depth: u32) -> TermId {
        if depth == 0 || self.random.coin() {
            let name = *self.random.pick(&["e0", "e1", "e2"]);
            return pool.symbol(name, sort);
        }
        let function = pool.function("g", &[sort], sort);
        let argument = self.element(pool, sort, depth - 1);
        pool.apply(function, &[argument])
    }

    fn bits(&mut self, width: u32) -> Bits {
        let bools: Vec<bool> = (0..width).map(|_| self.random.coin()).collect();
        Bits::from_bools(&bools)
    }

    /// A random value of a sort.
    pub fn value(&mut self, pool: &TermPool, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.random.coin()),
            Sort::BitVec(width) => Value::Bits(self.bits(width)),
            Sort::Float(format) => Value::Float(self.bits(format.width())),
            Sort::Uninterpreted(_) => Value::Element(self.random.below(ELEMENTS) as u64),
            Sort::Array(_) => {
                let (index, element) = pool.array_parts(sort).expect("an array sort");
                let mut array = ArrayValue::everywhere(self.value(pool, element));
                for _ in 0..self.random.below(4) {
                    let (at, value) = (self.value(pool, index), self.value(pool, element));
                    array.set(at, value);
                }
                Value::Array(Arc::new(array))
            }
        }
    }

    /// Random values for symbols and functions.
    pub fn model(&mut self, pool: &TermPool, symbols: &[TermId], functions: &[FunctionId]) -> Model {
        let mut model = Model::new();
        for &symbol in symbols {
            let value = self.value(pool, pool.sort(symbol));
            model.set(symbol, value);
        }
        for &function in functions {
            let (parameters, result) = pool.function_sorts(function);
            let default = self.value(pool, result);
            let mut table = FxHashMap::default();
            for _ in 0..4 {
                let key = parameters.iter().map(|&sort| self.value(pool, sort)).collect();
                let value = self.value(pool, result);
                table.insert(key, value);
            }
            model.set_function(function, FunctionValue { default, table });
        }
        model
    }
}
