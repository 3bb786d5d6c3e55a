//! `fmod` and IEEE remainder: one conditional subtraction for each binary place that the dividend's exponent is above
//! the divisor's, as in division by hand. That can be thousands of places; the circuit is built for some, and the
//! encoder asks for more when a model needs them.

use super::{bias, fraction_bits, least_normalised, sign};
use crate::blast::words::{Circuit, Word};
use crate::sat::{Literal, TakeClauses};
use crate::term::FloatFormat;

/// Places that are encoded at first.
pub(in crate::blast) const FIRST_STEPS: usize = 64;

/// As many as any two numbers need.
pub(in crate::blast) const ALL_STEPS: usize = usize::MAX;

/// A remainder, right where the exponents are not too far apart.
pub(in crate::blast) struct Remainder {
    pub(in crate::blast) word: Word,
    /// Are they not?
    pub(in crate::blast) is_exact: Literal,
}

impl<S: TakeClauses> Circuit<'_, S> {
    /// x - n·y, where n is x/y cut towards zero (C's `fmod`), or rounded to the nearest, ties to even (`remainder`).
    pub(in crate::blast) fn float_remainder(
        &mut self,
        x: &[Literal],
        y: &[Literal],
        to_nearest: bool,
        steps: usize,
        format: FloatFormat,
    ) -> Remainder {
        let precision = format.significand as usize;
        let no = self.constant_literal(false);
        let (dividend, divisor) = (self.unpack(x, format), self.unpack(y, format));
        let width = dividend.exponent.len() + 1;
        let high = Self::sign_extended(&dividend.exponent, width);
        let low = Self::sign_extended(&divisor.exponent, width);
        let distance = self.sub(&high, &low);
        let greatest = (bias(format) - least_normalised(format)) as usize;
        let steps = steps.min(greatest);
        // The dividend comes in when as many steps are left as the exponents are apart.
        let wide_divisor = self.zero_extended(&divisor.significand, precision + 1);
        let mut rest = vec![no; precision + 1];
        let mut quotient_is_odd = no;
        for left in (0..=steps).rev() {
            let begins = self.number(width, left as i64);
            let begins = self.equal(&distance, &begins);
            // Below the divisor, so that the top bit is free.
            rest.pop();
            rest.insert(0, no);
            for (place, &bit) in dividend.significand.iter().enumerate() {
                let comes = self.and(bit, begins);
                rest[place] = self.or(rest[place], comes);
            }
            let (difference, fits) = self.sub_and_fits(&rest, &wide_divisor);
            rest = self.mux_word(fits, &difference, &rest);
            quotient_is_odd = fits;
        }
        let is_negative_distance = distance[width - 1];
        // At the exponent one below the divisor's, for the sake of halves.
        let mut doubled = vec![no];
        doubled.extend_from_slice(&rest);
        let mut flips = no;
        if to_nearest {
            let minus_one = self.number(width, -1);
            let is_one_below = self.equal(&distance, &minus_one);
            let whole = self.zero_extended(&dividend.significand, precision + 2);
            doubled = self.mux_word(is_one_below, &whole, &doubled);
            // 2·rest against the divisor, both at that exponent.
            let same = self.zero_extended(&divisor.significand, precision + 2);
            let is_above = self.ult(&same, &doubled);
            let is_half = self.equal(&same, &doubled);
            let is_odd = self.and(quotient_is_odd, !is_negative_distance);
            let goes_up = self.and(is_half, is_odd);
            flips = self.or(is_above, goes_up);
            let mut whole = vec![no];
            whole.extend_from_slice(&wide_divisor);
            let other = self.sub(&whole, &doubled);
            doubled = self.mux_word(flips, &other, &doubled);
        }
        // Packed without rounding: normal, or shifted to where the least exponent has its bits.
        let (shifted, zeros) = self.normalised(&doubled);
        let zeros = self.zero_extended(&zeros, width);
        let exponent = self.sub(&low, &zeros);
        // The top of `doubled` is worth one more than the exponent of the divisor.
        let one = self.number(width, 1);
        let exponent = self.add(&exponent, &one);
        let negative = self.xor(sign(x), flips);
        let least = least_normalised(format);
        let number = super::round::Unrounded {
            sign: negative,
            exponent,
            between: (least, bias(format)),
            significand: shifted,
            sticky: no,
        };
        let packed = self.round(crate::term::RoundingMode::TowardZero, number, format);
        let is_zero = self.none(&doubled);
        // Nothing is left: zero with the sign of the dividend.
        let zero = self.zero(sign(x), format);
        let result = self.mux_word(is_zero, &zero, &packed);
        // Smaller than the divisor, or than its half: the dividend itself.
        let stays = if to_nearest {
            let minus_one = self.number(width, -1);
            self.slt(&distance, &minus_one)
        } else {
            is_negative_distance
        };
        let (class_x, class_y) = (self.classify(x, format), self.classify(y, format));
        let stays = self.or_many(&[stays, class_y.is_infinite, class_x.is_zero]);
        let result = self.mux_word(stays, x, &result);
        let is_nan = self.or_many(&[class_x.is_nan, class_y.is_nan, class_x.is_infinite, class_y.is_zero]);
        let nan = self.nan(format);
        let word = self.mux_word(is_nan, &nan, &result);
        let is_exact = if steps == greatest {
            self.constant_literal(true)
        } else {
            let limit = self.number(width, steps as i64);
            let is_near = self.sle(&distance, &limit);
            self.or_many(&[is_near, stays, is_nan])
        };
        Remainder { word, is_exact }
    }

    /// What is known of a remainder that is not computed: smaller than the divisor, with the sign of the dividend
    /// (`fmod`).
    pub(in crate::blast) fn remainder_is_possible(
        &mut self,
        x: &[Literal],
        y: &[Literal],
        result: &[Literal],
        to_nearest: bool,
        format: FloatFormat,
    ) -> Literal {
        let magnitude = |word: &[Literal]| word[..word.len() - 1].to_vec();
        let is_less = self.ult(&magnitude(result), &magnitude(y));
        let fraction = fraction_bits(format);
        let special = self.and_many(&result[fraction..result.len() - 1]);
        let differs = self.xor(sign(result), sign(x));
        let has_sign = if to_nearest { self.constant_literal(true) } else { !differs };
        self.and_many(&[is_less, !special, has_sign])
    }
}
