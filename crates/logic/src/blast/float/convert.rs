//! Conversions: between formats, to and from integers.

use super::round::Unrounded;
use super::{bias, fraction_bits, least_normalised, parts, sign, signed_bits};
use crate::blast::words::{Circuit, Word};
use crate::sat::{Literal, TakeClauses};
use crate::term::{FloatFormat, RoundingMode};

impl<S: TakeClauses> Circuit<'_, S> {
    /// A float in another format.
    pub(crate) fn float_to_float(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        from: FloatFormat,
        to: FloatFormat,
    ) -> Word {
        if from == to {
            return a.to_vec();
        }
        let number = self.unpack(a, from);
        let unrounded = Unrounded {
            sign: number.sign,
            exponent: number.exponent,
            between: (least_normalised(from), bias(from)),
            significand: number.significand,
            sticky: self.constant_literal(false),
        };
        let finite = self.round(mode, unrounded, to);
        let class = self.classify(a, from);
        let (zero, infinity, nan) = (self.zero(sign(a), to), self.infinity(sign(a), to), self.nan(to));
        let result = self.mux_word(class.is_zero, &zero, &finite);
        let result = self.mux_word(class.is_infinite, &infinity, &result);
        self.mux_word(class.is_nan, &nan, &result)
    }

    /// A whole number as a float.
    pub(crate) fn integer_to_float(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        is_signed: bool,
        to: FloatFormat,
    ) -> Word {
        let negative = if is_signed { sign(a) } else { self.constant_literal(false) };
        let magnitude = self.negate_if(negative, a);
        let (significand, distance) = self.normalised(&magnitude);
        let top = a.len() as i64 - 1;
        let width = signed_bits(top).max(distance.len() + 1) + 1;
        let distance = self.zero_extended(&distance, width);
        let highest = self.number(width, top);
        let exponent = self.sub(&highest, &distance);
        let is_zero = self.none(a);
        let sticky = self.constant_literal(false);
        let number = Unrounded { sign: negative, exponent, between: (0, top), significand, sticky };
        let rounded = self.round(mode, number, to);
        let positive = self.constant_literal(false);
        let zero = self.zero(positive, to);
        self.mux_word(is_zero, &zero, &rounded)
    }

    /// A float as a whole number. Outside the range: the least signed number, or all ones (the "integer indefinite" of
    /// x86 and of AVX-512).
    pub(crate) fn float_to_integer(
        &mut self,
        mode: RoundingMode,
        a: &[Literal],
        width: usize,
        is_signed: bool,
        from: FloatFormat,
    ) -> Word {
        let (fraction, exponent, negative) = parts(a, from);
        let no = self.constant_literal(false);
        let precision = from.significand as usize;
        // Places: one for the guard, then the integer; what lies below the guard is sticky from the beginning.
        let has_exponent = self.or_many(exponent);
        let mut significand = fraction.to_vec();
        significand.push(has_exponent);
        let (mut placed, beginning) = if precision > width + 1 {
            let cut = precision - width - 1;
            (significand[cut..].to_vec(), self.or_many(&significand[..cut]))
        } else {
            let mut padded = vec![no; width + 1 - precision];
            padded.extend_from_slice(&significand);
            (padded, no)
        };
        // Moved so that the bit worth 2^E lies at place E + 1: from place `width`, by width - 1 - E.
        let bits = signed_bits(bias(from) + 1).max(signed_bits(width as i64)) + 2;
        let raw = self.zero_extended(exponent, bits);
        let minus_bias = self.number(bits, -bias(from));
        let unbiased = self.add(&raw, &minus_bias);
        // Subnormals have the exponent of the least normal; in any format but tiny ones both are too small to matter.
        let least = self.number(bits, super::least_exponent(from));
        let unbiased = self.mux_word(has_exponent, &unbiased, &least);
        let highest = self.number(bits, width as i64 - 1);
        let distance = self.sub(&highest, &unbiased);
        let is_beyond = distance[bits - 1];
        let (shifted, lost) = self.shift_right_sticky(&placed, &distance[..bits - 1]);
        placed = shifted;
        let sticky = self.or(lost, beginning);
        let guard = placed[0];
        let integer = placed[1..].to_vec();
        let away = self.rounds_away(mode, negative, integer[0], guard, sticky);
        let mut wide = integer;
        wide.push(no);
        let zero = vec![no; wide.len()];
        let magnitude = self.add_carry_in(&wide, &zero, away);
        let carry = magnitude[width];
        let magnitude = &magnitude[..width];
        let special = self.and_many(exponent);
        let fits = if is_signed {
            let top = magnitude[width - 1];
            let rest = self.none(&magnitude[..width - 1]);
            let is_least = self.and(negative, rest);
            self.or(!top, is_least)
        } else {
            let is_zero = self.none(magnitude);
            self.or(!negative, is_zero)
        };
        let fits = self.and_many(&[fits, !carry, !is_beyond, !special]);
        let value = if is_signed { self.negate_if(negative, magnitude) } else { magnitude.to_vec() };
        let outside: Word =
            (0..width).map(|place| self.constant_literal(!is_signed || place + 1 == width)).collect();
        self.mux_word(fits, &value, &outside)
    }

    /// Is it a number with a hidden bit?
    pub(crate) fn float_is_normal(&mut self, a: &[Literal], format: FloatFormat) -> Literal {
        let exponent = &a[fraction_bits(format)..a.len() - 1];
        let special = self.and_many(exponent);
        let has_exponent = self.or_many(exponent);
        self.and(has_exponent, !special)
    }
}
