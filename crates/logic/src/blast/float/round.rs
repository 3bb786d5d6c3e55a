//! The rounder: from an exact number, given by its leading bits and whether anything follows, to the packed word of a
//! format.

use super::{bias, fraction_bits, signed_bits};
use crate::blast::words::{Circuit, Word};
use crate::sat::{Literal, TakeClauses};
use crate::term::{FloatFormat, RoundingMode};

/// A number before it is rounded: (-1)^sign · significand · 2^exponent, where the significand's top bit is worth one
/// and is set, and something less than its last bit is added if `sticky`.
pub(super) struct Unrounded {
    pub(super) sign: Literal,
    /// Two's complement.
    pub(super) exponent: Word,
    /// The least and the greatest value the exponent can have: spares what cannot happen.
    pub(super) between: (i64, i64),
    pub(super) significand: Word,
    pub(super) sticky: Literal,
}

impl<S: TakeClauses> Circuit<'_, S> {
    /// Does rounding go away from zero, given the last bit that is kept, the first that is not, and whether anything
    /// follows?
    pub(super) fn rounds_away(
        &mut self,
        mode: RoundingMode,
        sign: Literal,
        last: Literal,
        guard: Literal,
        sticky: Literal,
    ) -> Literal {
        match mode {
            RoundingMode::NearestEven => {
                let above = self.or(sticky, last);
                self.and(guard, above)
            }
            RoundingMode::NearestAway => guard,
            RoundingMode::TowardZero => self.constant_literal(false),
            RoundingMode::TowardPositive | RoundingMode::TowardNegative => {
                let inexact = self.or(guard, sticky);
                let is_away = if mode == RoundingMode::TowardPositive { !sign } else { sign };
                self.and(inexact, is_away)
            }
        }
    }

    /// The last step: adds the rounding bit to exponent and fraction as one word. `overflows` says that the exponent is
    /// too large before that.
    pub(super) fn rounded_word(
        &mut self,
        mode: RoundingMode,
        sign: Literal,
        exponent_and_fraction: &[Literal],
        (guard, sticky): (Literal, Literal),
        overflows: Literal,
        format: FloatFormat,
    ) -> Word {
        let away = self.rounds_away(mode, sign, exponent_and_fraction[0], guard, sticky);
        let zero = vec![self.constant_literal(false); exponent_and_fraction.len()];
        let mut word = self.add_carry_in(exponent_and_fraction, &zero, away);
        word.push(sign);
        // Too large: infinity, or the largest number where rounding goes towards zero.
        let to_infinity = match mode {
            RoundingMode::NearestEven | RoundingMode::NearestAway => self.constant_literal(true),
            RoundingMode::TowardZero => self.constant_literal(false),
            RoundingMode::TowardPositive => !sign,
            RoundingMode::TowardNegative => sign,
        };
        let fraction = fraction_bits(format);
        let mut huge = vec![!to_infinity; fraction];
        huge.push(to_infinity);
        huge.resize(magnitude_bits(format), self.constant_literal(true));
        huge.push(sign);
        self.mux_word(overflows, &huge, &word)
    }

    /// Rounds a number that is not zero.
    pub(super) fn round(&mut self, mode: RoundingMode, number: Unrounded, format: FloatFormat) -> Word {
        let Unrounded { sign, exponent, between: (least, most), significand, sticky } = number;
        let precision = format.significand as usize;
        let no = self.constant_literal(false);
        // The bits that are kept, the guard, and whether anything follows.
        let (mut kept, mut sticky) = if significand.len() > precision + 1 {
            let cut = significand.len() - precision - 1;
            let rest = self.or_many(&significand[..cut]);
            (significand[cut..].to_vec(), self.or(rest, sticky))
        } else {
            let mut padded = vec![no; precision + 1 - significand.len()];
            padded.extend(significand);
            (padded, sticky)
        };
        let (least, most) = (least + bias(format), most + bias(format));
        let width =
            signed_bits(least).max(signed_bits(most)).max(format.exponent as usize + 1).max(exponent.len())
                + 1;
        let exponent = Self::sign_extended(&exponent, width);
        let shift = self.number(width, bias(format));
        let biased = self.add(&exponent, &shift);
        let mut field = biased[..format.exponent as usize].to_vec();
        if least <= 0 {
            // Subnormal: moved to where the least exponent has its bits.
            let zero = self.number(width, 0);
            let is_small = self.sle(&biased, &zero);
            let one = self.number(width, 1);
            let distance = self.sub(&one, &biased);
            let distance: Word = distance.iter().map(|&bit| self.and(bit, is_small)).collect();
            // Never negative, and never more than what the least exponent asks for.
            let bits = signed_bits(1 - least).saturating_sub(1).max(1);
            let (shifted, lost) = self.shift_right_sticky(&kept, &distance[..bits]);
            kept = shifted;
            sticky = self.or(sticky, lost);
            field = field.iter().map(|&bit| self.and(bit, !is_small)).collect();
        }
        let overflows = if most > 2 * bias(format) {
            let largest = self.number(width, 2 * bias(format));
            self.slt(&largest, &biased)
        } else {
            no
        };
        let guard = kept[0];
        let mut word = kept[1..precision].to_vec();
        word.extend(field);
        self.rounded_word(mode, sign, &word, (guard, sticky), overflows, format)
    }
}

fn magnitude_bits(format: FloatFormat) -> usize {
    format.width() as usize - 1
}
