//! Circuits on words: vectors of literals, least bit first. Textbook circuits: ripple-carry adders, shift-and-add
//! multipliers (constants in non-adjacent form), restoring dividers, barrel shifters. The overflow test of
//! multiplication is after Schulte, Gok, Balzola, Brocato 2000, which saves half the multiplier.

use super::gates::Gates;
use crate::bits::Bits;
use crate::sat::{Literal, TakeClauses};

pub(crate) type Word = Vec<Literal>;

/// Gates together with the solver that takes their clauses.
pub(crate) struct Circuit<'a, S> {
    pub(crate) gates: &'a mut Gates,
    pub(crate) solver: &'a mut S,
}

impl<S: TakeClauses> Circuit<'_, S> {
    pub(crate) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        self.gates.and(self.solver, a, b)
    }

    pub(crate) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.gates.or(self.solver, a, b)
    }

    pub(crate) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        self.gates.xor(self.solver, a, b)
    }

    pub(crate) fn mux(&mut self, condition: Literal, a: Literal, b: Literal) -> Literal {
        self.gates.mux(self.solver, condition, a, b)
    }

    pub(crate) fn and_many(&mut self, inputs: &[Literal]) -> Literal {
        self.gates.and_many(self.solver, inputs)
    }

    pub(crate) fn or_many(&mut self, inputs: &[Literal]) -> Literal {
        self.gates.or_many(self.solver, inputs)
    }

    pub(crate) fn constant(&self, bits: &Bits) -> Word {
        (0..bits.width()).map(|position| self.gates.constant(bits.bit(position))).collect()
    }

    fn repeat(&self, value: bool, width: usize) -> Word {
        vec![self.gates.constant(value); width]
    }

    /// The value of the word, if all its literals are constants.
    fn constant_bits(&self, word: &[Literal]) -> Option<Vec<bool>> {
        word.iter().map(|&literal| self.gates.value(literal)).collect()
    }

    pub(crate) fn fresh(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.solver.new_literal()).collect()
    }

    pub(crate) fn bitwise(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        gate: fn(&mut Self, Literal, Literal) -> Literal,
    ) -> Word {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    pub(crate) fn not(a: &[Literal]) -> Word {
        a.iter().map(|&literal| !literal).collect()
    }

    pub(crate) fn mux_word(&mut self, condition: Literal, a: &[Literal], b: &[Literal]) -> Word {
        a.iter().zip(b).map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    pub(crate) fn equal(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let same: Word = a.iter().zip(b).map(|(&a, &b)| self.gates.equal(self.solver, a, b)).collect();
        self.and_many(&same)
    }

    pub(crate) fn is_value(&mut self, a: &[Literal], bits: &Bits) -> Literal {
        let constant = self.constant(bits);
        self.equal(a, &constant)
    }

    /// Sum and all carries; the carry into position i is `carries[i]`, the last one goes out.
    pub(super) fn add_with_carries(&mut self, a: &[Literal], b: &[Literal], carry: Literal) -> (Word, Word) {
        let mut carries = vec![carry];
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let carry = *carries.last().expect("there is a carry in");
            sum.push(self.gates.xor3(self.solver, a, b, carry));
            carries.push(self.gates.majority(self.solver, a, b, carry));
        }
        (sum, carries)
    }

    /// a + b + carry, without the carry that goes out (nor the gate that would make it).
    pub(super) fn add_carry_in(&mut self, a: &[Literal], b: &[Literal], mut carry: Literal) -> Word {
        let mut sum = Vec::with_capacity(a.len());
        for (position, (&x, &y)) in a.iter().zip(b).enumerate() {
            sum.push(self.gates.xor3(self.solver, x, y, carry));
            if position + 1 < a.len() {
                carry = self.gates.majority(self.solver, x, y, carry);
            }
        }
        sum
    }

    pub(crate) fn add(&mut self, a: &[Literal], b: &[Literal]) -> Word {
        self.add_carry_in(a, b, self.gates.constant(false))
    }

    pub(crate) fn sub(&mut self, a: &[Literal], b: &[Literal]) -> Word {
        self.add_carry_in(a, &Self::not(b), self.gates.constant(true))
    }

    pub(crate) fn neg(&mut self, a: &[Literal]) -> Word {
        let zero = self.repeat(false, a.len());
        self.sub(&zero, a)
    }

    pub(crate) fn uadd_overflow(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let (_, carries) = self.add_with_carries(a, b, self.gates.constant(false));
        carries[a.len()]
    }

    pub(crate) fn sadd_overflow(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let (_, carries) = self.add_with_carries(a, b, self.gates.constant(false));
        self.xor(carries[a.len()], carries[a.len() - 1])
    }

    pub(crate) fn ssub_overflow(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let (_, carries) = self.add_with_carries(a, &Self::not(b), self.gates.constant(true));
        self.xor(carries[a.len()], carries[a.len() - 1])
    }

    /// a < b, or a ≤ b, as unsigned numbers: decided by the highest bit that differs.
    fn below(&mut self, a: &[Literal], b: &[Literal], or_equal: bool) -> Literal {
        let mut result = self.gates.constant(or_equal);
        for (&a, &b) in a.iter().zip(b) {
            result = self.gates.majority(self.solver, !a, b, result);
        }
        result
    }

    pub(crate) fn ult(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        self.below(a, b, false)
    }

    pub(crate) fn ule(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        self.below(a, b, true)
    }

    /// Two's complement order is unsigned order with the sign bits flipped.
    fn flip_sign(a: &[Literal]) -> Word {
        let mut flipped = a.to_vec();
        let last = flipped.len() - 1;
        flipped[last] = !flipped[last];
        flipped
    }

    pub(crate) fn slt(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        self.below(&Self::flip_sign(a), &Self::flip_sign(b), false)
    }

    pub(crate) fn sle(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        self.below(&Self::flip_sign(a), &Self::flip_sign(b), true)
    }

    /// Multiplies by a constant: its non-adjacent form has a nonzero digit at most at every second position.
    fn mul_constant(&mut self, a: &[Literal], constant: &[bool]) -> Word {
        let width = a.len();
        let mut sum = self.repeat(false, width);
        let mut carry = false;
        for position in 0..width {
            let here = constant[position];
            let next = constant.get(position + 1).copied().unwrap_or(false);
            // Digit of (constant + carry) here: 0, 1, or -1 when a run of ones begins.
            if here == carry {
                continue;
            }
            let mut shifted = self.repeat(false, position);
            shifted.extend_from_slice(&a[..width - position]);
            if next {
                sum = self.sub(&sum, &shifted);
                carry = true;
            } else {
                sum = self.add(&sum, &shifted);
                carry = false;
            }
        }
        sum
    }

    pub(crate) fn mul(&mut self, a: &[Literal], b: &[Literal]) -> Word {
        if let Some(constant) = self.constant_bits(b) {
            return self.mul_constant(a, &constant);
        }
        if let Some(constant) = self.constant_bits(a) {
            return self.mul_constant(b, &constant);
        }
        let width = a.len();
        let mut product: Word = a.iter().map(|&bit| self.gates.and(self.solver, bit, b[0])).collect();
        for position in 1..width {
            let partial: Word = a[..width - position]
                .iter()
                .map(|&bit| self.gates.and(self.solver, bit, b[position]))
                .collect();
            let high = self.add(&product[position..], &partial);
            product.truncate(position);
            product.extend(high);
        }
        product
    }

    pub(crate) fn umul_overflow(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let width = a.len();
        // Two bits whose places add up to the width or more already overflow …
        let mut any_high_of_a = self.gates.constant(false);
        let mut reasons = Vec::new();
        for place in 1..width {
            any_high_of_a = self.or(any_high_of_a, a[width - place]);
            reasons.push(self.and(any_high_of_a, b[place]));
        }
        // … and otherwise one more bit of the product tells.
        let (mut wide_a, mut wide_b) = (a.to_vec(), b.to_vec());
        wide_a.push(self.gates.constant(false));
        wide_b.push(self.gates.constant(false));
        let product = self.mul(&wide_a, &wide_b);
        reasons.push(product[width]);
        self.or_many(&reasons)
    }

    pub(crate) fn smul_overflow(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let width = a.len();
        let (sign_a, sign_b) = (a[width - 1], b[width - 1]);
        let mut any_high_of_a = self.gates.constant(false);
        let mut reasons = Vec::new();
        // As above on what differs from the sign, which for negative numbers is the magnitude minus one.
        for place in 1..width.saturating_sub(1) {
            let differs = self.xor(a[width - 1 - place], sign_a);
            any_high_of_a = self.or(any_high_of_a, differs);
            let digit = self.xor(b[place], sign_b);
            reasons.push(self.and(any_high_of_a, digit));
        }
        let (mut wide_a, mut wide_b) = (a.to_vec(), b.to_vec());
        wide_a.push(sign_a);
        wide_b.push(sign_b);
        let product = self.mul(&wide_a, &wide_b);
        reasons.push(self.xor(product[width], product[width - 1]));
        self.or_many(&reasons)
    }

    /// Quotient and remainder, unsigned. Division by zero comes out as SMT-LIB has it: every partial remainder is
    /// at least 0, so all quotient bits are one and nothing is subtracted.
    pub(crate) fn divide(&mut self, a: &[Literal], b: &[Literal]) -> (Word, Word) {
        let width = a.len();
        let mut wide_divisor = b.to_vec();
        wide_divisor.push(self.gates.constant(false));
        let mut remainder = self.repeat(false, width + 1);
        let mut quotient = self.repeat(false, width);
        for position in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[position]);
            let fits = self.ule(&wide_divisor, &remainder);
            let reduced = self.sub(&remainder, &wide_divisor);
            remainder = self.mux_word(fits, &reduced, &remainder);
            quotient[position] = fits;
        }
        remainder.pop();
        (quotient, remainder)
    }

    pub(super) fn negate_if(&mut self, condition: Literal, a: &[Literal]) -> Word {
        if self.gates.value(condition) == Some(false) {
            return a.to_vec();
        }
        let flipped: Word = a.iter().map(|&bit| self.gates.xor(self.solver, bit, condition)).collect();
        let zero = self.repeat(false, a.len());
        self.add_carry_in(&flipped, &zero, condition)
    }

    pub(crate) fn signed_divide(&mut self, a: &[Literal], b: &[Literal]) -> (Word, Word) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (magnitude_a, magnitude_b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (quotient, remainder) = self.divide(&magnitude_a, &magnitude_b);
        let signs_differ = self.xor(sign_a, sign_b);
        (self.negate_if(signs_differ, &quotient), self.negate_if(sign_a, &remainder))
    }

    /// Shifts towards the least bit, filling with `fill`; by the width or more leaves only `fill`.
    pub(crate) fn shift_right(&mut self, a: &[Literal], by: &[Literal], fill: Literal) -> Word {
        let width = a.len();
        let mut result = a.to_vec();
        let mut too_far = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            let distance = 1usize.checked_shl(stage as u32).filter(|&distance| distance < width);
            let Some(distance) = distance else {
                too_far.push(bit);
                continue;
            };
            result = (0..width)
                .map(|position| {
                    let moved = result.get(position + distance).copied().unwrap_or(fill);
                    self.gates.mux(self.solver, bit, moved, result[position])
                })
                .collect();
        }
        let too_far = self.or_many(&too_far);
        result.iter().map(|&bit| self.gates.mux(self.solver, too_far, fill, bit)).collect()
    }

    pub(crate) fn shift_left(&mut self, a: &[Literal], by: &[Literal]) -> Word {
        let mirrored: Word = a.iter().rev().copied().collect();
        let mut result = self.shift_right(&mirrored, by, self.gates.constant(false));
        result.reverse();
        result
    }
}
