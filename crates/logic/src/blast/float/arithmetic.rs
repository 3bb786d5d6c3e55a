//! Addition, multiplication, division, square root, and multiplication with addition: exact with a few bits more, of
//! which the last says whether anything is left below (the sticky bit), then rounded once (`round`). After Muller et
//! al. 2018, chapter 8.
//! Twin: `evaluate_float`, which computes on numbers; `tests` compares the circuits with it and with the machine.

use super::round::Unrounded;
use super::{bias, fraction_bits, least_normalised, magnitude, parts, sign, signed_bits};
use crate::blast::words::{Circuit, Word};
use crate::sat::{Literal, TakeClauses};
use crate::term::{FloatFormat, RoundingMode};

impl<S: TakeClauses> Circuit<'_, S> {
    /// Significand and exponent as they stand in the packed word: subnormals have no leading one, and the exponent of
    /// the least normal.
    fn raw(&mut self, magnitude: &[Literal], format: FloatFormat) -> (Word, Word) {
        let fraction = fraction_bits(format);
        let has_one = self.or_many(&magnitude[fraction..]);
        let mut significand = magnitude[..fraction].to_vec();
        significand.push(has_one);
        let mut exponent = magnitude[fraction..].to_vec();
        exponent[0] = self.or(exponent[0], !has_one);
        (significand, exponent)
    }

    /// a + b
    pub(crate) fn float_add(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        b: &[Literal],
        format: FloatFormat,
    ) -> Word {
        let precision = format.significand as usize;
        let no = self.constant_literal(false);
        let swaps = self.ult(magnitude(a), magnitude(b));
        let big = self.mux_word(swaps, b, a);
        let small = self.mux_word(swaps, a, b);
        let subtracts = self.xor(sign(a), sign(b));
        let (big_significand, big_exponent) = self.raw(magnitude(&big), format);
        let (small_significand, small_exponent) = self.raw(magnitude(&small), format);
        let distance = self.sub(&big_exponent, &small_exponent);
        // Two bits below for rounding after a shift by one, and one for whatever is further below.
        let widened = |significand: &[Literal]| -> Word {
            let mut word = vec![no; 2];
            word.extend_from_slice(significand);
            word
        };
        let (mut aligned, lost) = self.shift_right_sticky(&widened(&small_significand), &distance);
        aligned.insert(0, lost);
        aligned.push(no);
        let mut base = widened(&big_significand);
        base.insert(0, no);
        base.push(no);
        let aligned: Word = aligned.iter().map(|&bit| self.xor(bit, subtracts)).collect();
        let sum = self.add_carry_in(&base, &aligned, subtracts);
        // What falls below the least bit of `aligned` makes a difference smaller than its last bit says: the sticky bit
        // stands for it.
        let is_zero = self.none(&sum);

        // Shifted to the top, but not below the least exponent: there numbers are subnormal (and exact).
        let (shifted, exponent) = self.normalised_above(&sum, &big_exponent);
        let has_one = shifted[shifted.len() - 1];
        // The top bit of the sum is worth one exponent more than that of the larger.
        let none = vec![no; exponent.len()];
        let field = self.add_carry_in(&exponent, &none, self.constant_literal(true));
        let field: Word = field.iter().map(|&bit| self.and(bit, has_one)).collect();
        let rest = shifted.len() - precision;
        let mut word = shifted[rest..shifted.len() - 1].to_vec();
        word.extend_from_slice(&field);
        let guard = shifted[rest - 1];
        let sticky = self.or_many(&shifted[..rest - 1]);
        let overflows = self.and_many(&field);
        // x + -x: positive, but where rounding goes down; equal signs keep theirs.
        let of_zero = self.constant_literal(mode == RoundingMode::TowardNegative);
        let cancels = self.and(is_zero, subtracts);
        let sign_of_sum = self.mux(cancels, of_zero, sign(&big));
        let finite = self.rounded_word(mode, sign_of_sum, &word, (guard, sticky), overflows, format);

        let (class_a, class_b) = (self.classify(a, format), self.classify(b, format));
        let infinite = self.or(class_a.is_infinite, class_b.is_infinite);
        let opposite = self.and_many(&[class_a.is_infinite, class_b.is_infinite, subtracts]);
        let is_nan = self.or_many(&[class_a.is_nan, class_b.is_nan, opposite]);
        let result = self.mux_word(infinite, &big, &finite);
        let nan = self.nan(format);
        self.mux_word(is_nan, &nan, &result)
    }

    /// Shifts the leading one towards the top, by no more than the number `limit`; gives what of the limit is left.
    fn normalised_above(&mut self, word: &[Literal], limit: &[Literal]) -> (Word, Word) {
        let (mut shifted, mut left) = (word.to_vec(), limit.to_vec());
        let width = shifted.len();
        let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
        for stage in (0..stages).rev() {
            let by = 1usize << stage;
            let is_far = self.none(&shifted[width - by..]);
            let enough =
                if stage < left.len() { self.or_many(&left[stage..]) } else { self.constant_literal(false) };
            let moves = self.and(is_far, enough);
            shifted = (0..width)
                .map(|place| {
                    let moved = match place.checked_sub(by) {
                        Some(from) => shifted[from],
                        None => self.constant_literal(false),
                    };
                    self.mux(moves, moved, shifted[place])
                })
                .collect();
            let mut borrow = moves;
            for bit in left.iter_mut().skip(stage) {
                let next = self.and(borrow, !*bit);
                *bit = self.xor(*bit, borrow);
                borrow = next;
            }
        }
        (shifted, left)
    }

    /// a - b
    pub(crate) fn float_sub(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        b: &[Literal],
        format: FloatFormat,
    ) -> Word {
        // The sign of NaN does not matter: the sum is NaN.
        let mut negated = b.to_vec();
        *negated.last_mut().expect("floats have bits") = !sign(b);
        self.float_add(mode, a, &negated, format)
    }

    /// The exact product of two unpacked numbers: exponent of the top bit, which is set, and 2p bits.
    fn product(&mut self, a: &[Literal], b: &[Literal], format: FloatFormat) -> (Word, Word, (i64, i64)) {
        let (one, two) = (self.unpack(a, format), self.unpack(b, format));
        let precision = format.significand as usize;
        let product = if a == b {
            let wide = self.zero_extended(&one.significand, 2 * precision);
            self.mul(&wide, &wide)
        } else {
            let left = self.zero_extended(&one.significand, 2 * precision);
            let right = self.zero_extended(&two.significand, 2 * precision);
            self.mul(&left, &right)
        };
        // Between 1 and 4: at most one place from the top.
        let has_top = product[2 * precision - 1];
        let mut moved = vec![self.constant_literal(false)];
        moved.extend_from_slice(&product[..2 * precision - 1]);
        let significand = self.mux_word(has_top, &product, &moved);
        let width = one.exponent.len() + 1;
        let left = Self::sign_extended(&one.exponent, width);
        let right = Self::sign_extended(&two.exponent, width);
        let exponent = self.add_carry_in(&left, &right, has_top);
        let between = (2 * least_normalised(format), 2 * bias(format) + 1);
        (exponent, significand, between)
    }

    /// a · b
    pub(crate) fn float_mul(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        b: &[Literal],
        format: FloatFormat,
    ) -> Word {
        let negative = self.xor(sign(a), sign(b));
        let (exponent, significand, between) = self.product(a, b, format);
        let sticky = self.constant_literal(false);
        let number = Unrounded { sign: negative, exponent, between, significand, sticky };
        let finite = self.round(mode, number, format);
        let (class_a, class_b) = (self.classify(a, format), self.classify(b, format));
        let is_zero = self.or(class_a.is_zero, class_b.is_zero);
        let is_infinite = self.or(class_a.is_infinite, class_b.is_infinite);
        // 0 · ∞
        let undefined = self.and(is_zero, is_infinite);
        let is_nan = self.or_many(&[class_a.is_nan, class_b.is_nan, undefined]);
        self.with_specials(finite, negative, is_zero, is_infinite, is_nan, format)
    }

    /// a / b
    pub(crate) fn float_div(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        b: &[Literal],
        format: FloatFormat,
    ) -> Word {
        let negative = self.xor(sign(a), sign(b));
        let (one, two) = (self.unpack(a, format), self.unpack(b, format));
        let precision = format.significand as usize;
        let no = self.constant_literal(false);
        // Restoring division, most significant digit first. The remainder stays below twice the divisor.
        let mut remainder = self.zero_extended(&one.significand, precision + 1);
        let divisor = self.zero_extended(&two.significand, precision + 1);
        let mut digits = vec![no; precision + 2];
        for place in (0..precision + 2).rev() {
            let (difference, fits) = self.sub_and_fits(&remainder, &divisor);
            digits[place] = fits;
            remainder = self.mux_word(fits, &difference, &remainder);
            if place > 0 {
                // Below the divisor now, so that the top bit is free.
                remainder.pop();
                remainder.insert(0, no);
            }
        }
        let sticky = self.or_many(&remainder);
        // Between 1/2 and 2.
        let has_top = digits[precision + 1];
        let mut moved = vec![no];
        moved.extend_from_slice(&digits[..precision + 1]);
        let significand = self.mux_word(has_top, &digits, &moved);
        let width = one.exponent.len() + 2;
        let left = Self::sign_extended(&one.exponent, width);
        let right = Self::sign_extended(&two.exponent, width);
        let exponent = self.sub(&left, &right);
        // Without the top digit, one less.
        let minus_one = vec![!has_top; width];
        let exponent = self.add(&exponent, &minus_one);
        let (least, most) = (least_normalised(format), bias(format));
        let between = (least - most - 1, most - least);
        let number = Unrounded { sign: negative, exponent, between, significand, sticky };
        let finite = self.round(mode, number, format);
        let (class_a, class_b) = (self.classify(a, format), self.classify(b, format));
        // 0/0 and ∞/∞
        let zeros = self.and(class_a.is_zero, class_b.is_zero);
        let infinities = self.and(class_a.is_infinite, class_b.is_infinite);
        let is_nan = self.or_many(&[class_a.is_nan, class_b.is_nan, zeros, infinities]);
        let is_zero = self.or(class_a.is_zero, class_b.is_infinite);
        let is_infinite = self.or(class_a.is_infinite, class_b.is_zero);
        self.with_specials(finite, negative, is_zero, is_infinite, is_nan, format)
    }

    fn with_specials(
        &mut self,
        finite: Word,
        negative: Literal,
        is_zero: Literal,
        is_infinite: Literal,
        is_nan: Literal,
        format: FloatFormat,
    ) -> Word {
        let (zero, infinity, nan) =
            (self.zero(negative, format), self.infinity(negative, format), self.nan(format));
        let result = self.mux_word(is_zero, &zero, &finite);
        let result = self.mux_word(is_infinite, &infinity, &result);
        self.mux_word(is_nan, &nan, &result)
    }

    /// √a, digit by digit (the pencil-and-paper method in base two).
    pub(crate) fn float_sqrt(&mut self, mode: RoundingMode, a: &[Literal], format: FloatFormat) -> Word {
        let number = self.unpack(a, format);
        let precision = format.significand as usize;
        let no = self.constant_literal(false);
        // An odd exponent is made even: the significand is then between 1 and 4.
        let is_odd = number.exponent[0];
        let mut doubled = vec![no];
        doubled.extend_from_slice(&number.significand);
        let mut single = number.significand.clone();
        single.push(no);
        let radicand = self.mux_word(is_odd, &doubled, &single);
        let mut pairs = vec![no; precision + 1];
        pairs.extend(radicand);
        // With k digits of the root, the remainder has at most k + 1 bits.
        let mut remainder: Word = Vec::new();
        let mut root: Word = Vec::new();
        for step in (0..precision + 1).rev() {
            // The next two bits come down.
            remainder.insert(0, pairs[2 * step + 1]);
            remainder.insert(0, pairs[2 * step]);
            let mut trial = vec![self.constant_literal(true), no];
            trial.extend_from_slice(&root);
            let width = remainder.len().max(trial.len());
            let (wide, trial) = (self.zero_extended(&remainder, width), self.zero_extended(&trial, width));
            let (difference, fits) = self.sub_and_fits(&wide, &trial);
            remainder = self.mux_word(fits, &difference, &wide);
            root.insert(0, fits);
            remainder.truncate(root.len() + 1);
        }
        let sticky = self.or_many(&remainder);
        let exponent = number.exponent[1..].to_vec();
        let between = (least_normalised(format).div_euclid(2), bias(format) / 2);
        let result = Unrounded { sign: no, exponent, between, significand: root, sticky };
        let finite = self.round(mode, result, format);
        let class = self.classify(a, format);
        // √-0 = -0; of other negative numbers there is none.
        let undefined = self.and(sign(a), !class.is_zero);
        let is_nan = self.or(class.is_nan, undefined);
        let stays = self.or(class.is_zero, class.is_infinite);
        let result = self.mux_word(stays, a, &finite);
        let nan = self.nan(format);
        self.mux_word(is_nan, &nan, &result)
    }

    /// a · b + c, rounded once: the exact product is added in twice the precision.
    pub(crate) fn float_fma(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        b: &[Literal],
        c: &[Literal],
        format: FloatFormat,
    ) -> Word {
        let precision = format.significand as usize;
        let no = self.constant_literal(false);
        let (exponent, product, (least, most)) = self.product(a, b, format);
        let addend = self.unpack(c, format);
        let product_sign = self.xor(sign(a), sign(b));
        let subtracts = self.xor(product_sign, addend.sign);
        let (class_a, class_b, class_c) =
            (self.classify(a, format), self.classify(b, format), self.classify(c, format));
        let product_is_zero = self.or(class_a.is_zero, class_b.is_zero);

        // Ordered by exponent, then by bits. A zero addend is the smaller whatever its exponent says.
        let width = exponent.len().max(addend.exponent.len()) + 1;
        let product_exponent = Self::sign_extended(&exponent, width);
        let addend_exponent = Self::sign_extended(&addend.exponent, width);
        let mut wide_addend = vec![no; precision];
        wide_addend.extend_from_slice(&addend.significand);
        let is_above = self.slt(&product_exponent, &addend_exponent);
        let is_level = self.equal(&product_exponent, &addend_exponent);
        let has_more = self.ult(&product, &wide_addend);
        let is_greater = self.and(is_level, has_more);
        let is_greater = self.or(is_above, is_greater);
        let swaps = self.and(is_greater, !class_c.is_zero);
        let big = self.mux_word(swaps, &wide_addend, &product);
        let small = self.mux_word(swaps, &product, &wide_addend);
        let big_exponent = self.mux_word(swaps, &addend_exponent, &product_exponent);
        let small_exponent = self.mux_word(swaps, &product_exponent, &addend_exponent);
        let distance = self.sub(&big_exponent, &small_exponent);
        let widened = |word: &[Literal]| -> Word {
            let mut wide = vec![no; 2];
            wide.extend_from_slice(word);
            wide
        };
        let (mut aligned, lost) = self.shift_right_sticky(&widened(&small), &distance);
        aligned.insert(0, lost);
        aligned.push(no);
        let mut base = widened(&big);
        base.insert(0, no);
        base.push(no);
        let aligned: Word = aligned.iter().map(|&bit| self.xor(bit, subtracts)).collect();
        let sum = self.add_carry_in(&base, &aligned, subtracts);
        let is_zero = self.none(&sum);
        let (significand, zeros) = self.normalised(&sum);
        let width = width.max(zeros.len() + 1) + 1;
        let big_exponent = Self::sign_extended(&big_exponent, width);
        let zeros = self.zero_extended(&zeros, width);
        let exponent = self.sub(&big_exponent, &zeros);
        let one = self.number(width, 1);
        let exponent = self.add(&exponent, &one);
        let result_sign = self.mux(swaps, addend.sign, product_sign);
        // Cancelling leaves at least the last bit of the smaller.
        let least = least.min(least_normalised(format)) - 2 * precision as i64 - 4;
        let number = Unrounded {
            sign: result_sign,
            exponent,
            between: (least, most.max(bias(format)) + 1),
            significand,
            sticky: no,
        };
        debug_assert!(signed_bits(least) <= width + 1, "the exponent of a difference fits");
        let finite = self.round(mode, number, format);
        // Exact zero: as for sums.
        let of_zero = self.constant_literal(mode == RoundingMode::TowardNegative);
        let sign_of_zero = self.mux(subtracts, of_zero, product_sign);
        let zero = self.zero(sign_of_zero, format);
        let both_zero = self.and(product_is_zero, class_c.is_zero);
        let vanishes = self.or(is_zero, both_zero);
        let result = self.mux_word(product_is_zero, c, &finite);
        // Of a zero product the sum of significands says nothing.
        let cancels = self.and(vanishes, !product_is_zero);
        let to_zero = self.or(cancels, both_zero);
        let result = self.mux_word(to_zero, &zero, &result);
        let product_infinite = self.or(class_a.is_infinite, class_b.is_infinite);
        let infinity = self.infinity(product_sign, format);
        let result = self.mux_word(class_c.is_infinite, c, &result);
        let result = self.mux_word(product_infinite, &infinity, &result);
        let undefined = self.and(product_is_zero, product_infinite);
        let opposite = self.and_many(&[product_infinite, class_c.is_infinite, subtracts]);
        let is_nan = self.or_many(&[class_a.is_nan, class_b.is_nan, class_c.is_nan, undefined, opposite]);
        let nan = self.nan(format);
        self.mux_word(is_nan, &nan, &result)
    }

    /// a - b and whether b ≤ a, from one chain of borrows.
    pub(super) fn sub_and_fits(&mut self, a: &[Literal], b: &[Literal]) -> (Word, Literal) {
        let yes = self.constant_literal(true);
        let (difference, carries) = self.add_with_carries(a, &Self::not(b), yes);
        (difference, carries[a.len()])
    }

    /// Rounds to a whole number within the format, in the packed word: the rounding bit is added at the place of the
    /// units, where its carry goes into the exponent, and the places behind are cleared.
    pub(crate) fn float_to_integral(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        format: FloatFormat,
    ) -> Word {
        let (fraction, exponent, negative) = parts(a, format);
        let places = fraction.len();
        // `behind[i]`: place i is worth less than one. `behind[places]` says so of the hidden one, that is |a| < 1.
        let behind: Vec<Literal> = (0..=places)
            .map(|place| {
                // Place i is worth 2^(E - places + i).
                let limit = bias(format) + places as i64 - place as i64;
                if limit >= 1 << format.exponent {
                    // Of all numbers, but infinity and NaN stay as they are.
                    let special = self.and_many(exponent);
                    return !special;
                }
                let limit = self.number(format.exponent as usize, limit);
                self.ult(exponent, &limit)
            })
            .collect();
        let is_small = behind[places];
        let mut guards = Vec::new();
        let mut rest = Vec::new();
        let mut units = Vec::new();
        let mut lasts = Vec::new();
        for (place, &bit) in fraction.iter().enumerate() {
            let is_guard = self.and(behind[place], !behind[place + 1]);
            guards.push(self.and(is_guard, bit));
            rest.push(self.and(behind[place + 1], bit));
            // The next place is the units; of the hidden bit it is the exponent's last, which is one there.
            units.push(is_guard);
            lasts.push(self.and(is_guard, a[place + 1]));
        }
        let (guard, sticky, last) = (self.or_many(&guards), self.or_many(&rest), self.or_many(&lasts));
        let away = self.rounds_away(mode, negative, last, guard, sticky);
        let mut unit = vec![self.constant_literal(false)];
        for is_unit in units {
            unit.push(self.and(is_unit, away));
        }
        let unit = self.zero_extended(&unit, magnitude(a).len());
        let sum = self.add(magnitude(a), &unit);
        let mut large: Word = sum
            .iter()
            .enumerate()
            .map(|(place, &bit)| if place < places { self.and(bit, !behind[place]) } else { bit })
            .collect();
        large.push(negative);
        // Below one: zero or one.
        let half = self.number(format.exponent as usize, bias(format) - 1);
        let is_half = self.equal(exponent, &half);
        let has_fraction = self.or_many(fraction);
        let has_exponent = self.or_many(exponent);
        let nonzero = self.or(has_exponent, has_fraction);
        // In a format with so few exponents that one half is subnormal, halves show in the fraction.
        let (is_half, above_half) = if bias(format) == 1 {
            let top = fraction[places - 1];
            let is_half = self.and(top, !has_exponent);
            let rest = self.or_many(&fraction[..places - 1]);
            (is_half, rest)
        } else {
            (is_half, has_fraction)
        };
        let beyond = self.mux(is_half, above_half, nonzero);
        let no = self.constant_literal(false);
        let to_one = self.rounds_away(mode, negative, no, is_half, beyond);
        let mut small = vec![no; places];
        for place in 0..format.exponent as usize {
            let bit = self.constant_literal(bias(format) >> place & 1 == 1);
            small.push(self.and(bit, to_one));
        }
        small.push(negative);
        self.mux_word(is_small, &small, &large)
    }
}
