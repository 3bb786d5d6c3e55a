//! Constructors of terms. They check sorts (a wrong one is a bug of the caller and panics) and simplify nothing:
//! what is built is what was meant, and `simplify` is a separate, separately tested step.

use super::op::Op;
use super::pool::{FunctionId, TermId, TermPool};
use super::sort::Sort;
use crate::bits::Bits;

impl TermPool {
    pub(super) fn expect_sort(&self, term: TermId, sort: Sort) {
        assert_eq!(self.sort(term), sort, "the argument has the sort the operator asks for");
    }

    fn expect_same(&self, a: TermId, b: TermId) {
        assert_eq!(self.sort(a), self.sort(b), "both arguments have the same sort");
    }

    /// true or false
    pub fn bool(&mut self, value: bool) -> TermId {
        self.intern(if value { Op::True } else { Op::False }, Sort::Bool, &[])
    }

    /// true
    pub fn tt(&mut self) -> TermId {
        self.bool(true)
    }

    /// false
    pub fn ff(&mut self) -> TermId {
        self.bool(false)
    }

    /// The value of a Boolean constant, if the term is one.
    pub fn bool_value(&self, term: TermId) -> Option<bool> {
        match self.op(term) {
            Op::True => Some(true),
            Op::False => Some(false),
            _ => None,
        }
    }

    /// A bit-vector value from the low bits of a number.
    pub fn number(&mut self, width: u32, value: i128) -> TermId {
        self.constant(Bits::from_i128(width, value))
    }

    /// A Boolean symbol.
    pub fn bool_symbol(&mut self, name: &str) -> TermId {
        self.symbol(name, Sort::Bool)
    }

    /// A bit-vector symbol.
    pub fn bitvec_symbol(&mut self, name: &str, width: u32) -> TermId {
        assert!(width > 0, "a bit-vector has at least one bit");
        self.symbol(name, Sort::BitVec(width))
    }

    /// A function applied to arguments.
    pub fn apply(&mut self, function: FunctionId, arguments: &[TermId]) -> TermId {
        let (parameters, result) = self.function_sorts(function);
        assert_eq!(parameters.len(), arguments.len(), "as many arguments as the function has parameters");
        for (&argument, &sort) in arguments.iter().zip(parameters) {
            assert_eq!(self.sort(argument), sort, "the argument has the sort of its parameter");
        }
        self.intern(Op::Apply(function), result, arguments)
    }

    /// ¬a
    pub fn not(&mut self, a: TermId) -> TermId {
        self.expect_sort(a, Sort::Bool);
        self.intern(Op::Not, Sort::Bool, &[a])
    }

    fn many(&mut self, op: Op, of_none: bool, arguments: &[TermId]) -> TermId {
        for &argument in arguments {
            self.expect_sort(argument, Sort::Bool);
        }
        match arguments {
            [] => self.bool(of_none),
            [one] => *one,
            _ => self.intern(op, Sort::Bool, arguments),
        }
    }

    /// The conjunction; of none, true.
    pub fn all_of(&mut self, arguments: &[TermId]) -> TermId {
        self.many(Op::And, true, arguments)
    }

    /// The disjunction; of none, false.
    pub fn any_of(&mut self, arguments: &[TermId]) -> TermId {
        self.many(Op::Or, false, arguments)
    }

    /// a ∧ b
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.all_of(&[a, b])
    }

    /// a ∨ b
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.any_of(&[a, b])
    }

    /// a → b
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// a ⊕ b
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.expect_sort(a, Sort::Bool);
        self.expect_sort(b, Sort::Bool);
        self.intern(Op::Xor, Sort::Bool, &[a, b])
    }

    /// if condition then a else b
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        self.expect_sort(condition, Sort::Bool);
        self.expect_same(a, b);
        self.intern(Op::Ite, self.sort(a), &[condition, a, b])
    }

    /// a = b, of any sort; on Bool: if and only if.
    pub fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        self.expect_same(a, b);
        self.intern(Op::Equal, Sort::Bool, &[a, b])
    }

    /// a ≠ b
    pub fn distinct(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.equal(a, b);
        self.not(same)
    }

    /// All of the terms differ from each other.
    pub fn all_distinct(&mut self, terms: &[TermId]) -> TermId {
        let mut pairs = Vec::new();
        for (position, &a) in terms.iter().enumerate() {
            for &b in &terms[position + 1..] {
                pairs.push(self.distinct(a, b));
            }
        }
        self.all_of(&pairs)
    }

    /// `a[index]`
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let (index_sort, element) = self.array_parts(self.sort(array)).expect("select reads an array");
        self.expect_sort(index, index_sort);
        self.intern(Op::Select, element, &[array, index])
    }

    /// The array that differs from `array` by having `element` at `index`.
    pub fn store(&mut self, array: TermId, index: TermId, element: TermId) -> TermId {
        let (index_sort, element_sort) = self.array_parts(self.sort(array)).expect("store writes an array");
        self.expect_sort(index, index_sort);
        self.expect_sort(element, element_sort);
        self.intern(Op::Store, self.sort(array), &[array, index, element])
    }

    /// The array that has `element` at every index.
    pub fn const_array(&mut self, index_sort: Sort, element: TermId) -> TermId {
        let sort = self.array_sort(index_sort, self.sort(element));
        self.intern(Op::ConstArray, sort, &[element])
    }

    fn unary_bits(&mut self, op: Op, a: TermId) -> TermId {
        let width = self.width(a);
        self.intern(op, Sort::BitVec(width), &[a])
    }

    fn binary_bits(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        self.expect_same(a, b);
        self.intern(op, Sort::BitVec(width), &[a, b])
    }

    fn relation(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        self.width(a);
        self.expect_same(a, b);
        self.intern(op, Sort::Bool, &[a, b])
    }

    /// a above b.
    pub fn concat(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a) + self.width(b);
        self.intern(Op::Concat, Sort::BitVec(width), &[a, b])
    }

    /// The bits from `low` to `high`, both included.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        assert!(low <= high && high < self.width(a), "an extract stays inside its operand");
        self.intern(Op::Extract { high, low }, Sort::BitVec(high - low + 1), &[a])
    }

    /// `by` zero bits above; none gives the term itself.
    pub fn zero_extend(&mut self, a: TermId, by: u32) -> TermId {
        let width = self.width(a) + by;
        if by == 0 { a } else { self.intern(Op::ZeroExtend { by }, Sort::BitVec(width), &[a]) }
    }

    /// `by` copies of the sign bit above; none gives the term itself.
    pub fn sign_extend(&mut self, a: TermId, by: u32) -> TermId {
        let width = self.width(a) + by;
        if by == 0 { a } else { self.intern(Op::SignExtend { by }, Sort::BitVec(width), &[a]) }
    }

    /// b < a as unsigned numbers
    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    /// b ≤ a as unsigned numbers
    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    /// b < a as two's complement numbers
    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    /// b ≤ a as two's complement numbers
    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    /// 1 for true, 0 for false, in `width` bits: what C makes of a comparison.
    pub fn bool_to_bits(&mut self, a: TermId, width: u32) -> TermId {
        let (one, zero) = (self.number(width, 1), self.number(width, 0));
        self.ite(a, one, zero)
    }

    /// Is any bit one: what C makes of a number used as a condition.
    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.number(self.width(a), 0);
        self.distinct(a, zero)
    }

    /// Would -a leave the range of signed numbers?
    pub fn sneg_overflow(&mut self, a: TermId) -> TermId {
        self.width(a);
        self.intern(Op::SnegOverflow, Sort::Bool, &[a])
    }

    /// The term with the operator of `like` and other arguments of the same sorts.
    pub fn with_arguments(&mut self, like: TermId, arguments: &[TermId]) -> TermId {
        debug_assert!(
            self.arguments(like).len() == arguments.len()
                && self.arguments(like).iter().zip(arguments).all(|(&a, &b)| self.sort(a) == self.sort(b)),
            "new arguments have the sorts of the old"
        );
        let (op, sort) = (self.op(like), self.sort(like));
        self.intern(op, sort, arguments)
    }
}

macro_rules! bit_operators {
    ($($(#[$doc:meta])* $name:ident => $make:ident $op:ident ( $($argument:ident),* );)*) => {
        impl TermPool {
            $($(#[$doc])* pub fn $name(&mut self, $($argument: TermId),*) -> TermId {
                self.$make(Op::$op, $($argument),*)
            })*
        }
    };
}

bit_operators! {
    /// ~a
    bvnot => unary_bits BvNot(a);
    /// -a
    bvneg => unary_bits BvNeg(a);
    /// a & b
    bvand => binary_bits BvAnd(a, b);
    /// a | b
    bvor => binary_bits BvOr(a, b);
    /// a ^ b
    bvxor => binary_bits BvXor(a, b);
    /// a + b
    bvadd => binary_bits BvAdd(a, b);
    /// a - b
    bvsub => binary_bits BvSub(a, b);
    /// a * b
    bvmul => binary_bits BvMul(a, b);
    /// a / b, unsigned; all ones when b is 0
    bvudiv => binary_bits BvUdiv(a, b);
    /// a / b, signed, toward zero; 1 or -1 when b is 0
    bvsdiv => binary_bits BvSdiv(a, b);
    /// a % b, unsigned; a when b is 0
    bvurem => binary_bits BvUrem(a, b);
    /// a % b, signed, with the sign of a; a when b is 0
    bvsrem => binary_bits BvSrem(a, b);
    /// a << b; 0 when b is the width or more
    bvshl => binary_bits BvShl(a, b);
    /// a >> b, filling with zeros
    bvlshr => binary_bits BvLshr(a, b);
    /// a >> b, filling with the sign
    bvashr => binary_bits BvAshr(a, b);
    /// a < b as unsigned numbers
    ult => relation Ult(a, b);
    /// a ≤ b as unsigned numbers
    ule => relation Ule(a, b);
    /// a < b as two's complement numbers
    slt => relation Slt(a, b);
    /// a ≤ b as two's complement numbers
    sle => relation Sle(a, b);
    /// Would a + b leave the range of unsigned numbers?
    uadd_overflow => relation UaddOverflow(a, b);
    /// Would a + b leave the range of signed numbers?
    sadd_overflow => relation SaddOverflow(a, b);
    /// Would a - b leave the range of unsigned numbers?
    usub_overflow => relation UsubOverflow(a, b);
    /// Would a - b leave the range of signed numbers?
    ssub_overflow => relation SsubOverflow(a, b);
    /// Would a * b leave the range of unsigned numbers?
    umul_overflow => relation UmulOverflow(a, b);
    /// Would a * b leave the range of signed numbers?
    smul_overflow => relation SmulOverflow(a, b);
    /// Would a / b leave the range of signed numbers (the minimum by -1)?
    sdiv_overflow => relation SdivOverflow(a, b);
}
