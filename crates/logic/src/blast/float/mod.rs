//! Circuits for IEEE 754 numbers, after the textbook (Muller et al. 2018, chapters 7 and 8) and, for how little is
//! needed around the arithmetic, Brain, Schanda, Sun 2019.
//!
//! A float is a word of its packed bits: fraction, exponent, sign; all NaNs are one word. There is one rounder
//! (`round`), which every operation but addition feeds with a sign, an exponent and a significand that has its leading
//! one on top; rounding adds a bit to exponent and fraction *as one word*, whose carry makes subnormals normal and the
//! largest number infinite.
//! DIVERGENCE from the encodings of z3 and symfpu: division is p+2 restoring steps on p+1 bits instead of a division in
//! twice the width, addition orders by the packed words and needs one normalising shift, and rounding to whole numbers
//! stays in the packed word.
//!
//! Oracles: `evaluate` on models; the tests run the gates on drawn values, 64 at a time, against the machine and an
//! exact rational.

mod arithmetic;
mod convert;
mod remainder;
mod round;
#[cfg(test)]
mod simulate;
#[cfg(test)]
mod tests;

pub(super) use remainder::{ALL_STEPS, FIRST_STEPS};

use super::words::{Circuit, Word};
use crate::sat::{Literal, TakeClauses};
use crate::term::FloatFormat;

/// Bits of a fraction, the hidden one left out.
fn fraction_bits(format: FloatFormat) -> usize {
    format.significand as usize - 1
}

/// What is added to exponents in packed words.
fn bias(format: FloatFormat) -> i64 {
    (1 << (format.exponent - 1)) - 1
}

/// The exponent of the least normal number.
fn least_exponent(format: FloatFormat) -> i64 {
    1 - bias(format)
}

/// The exponent of the least subnormal number, which is the least that a normalised significand has.
fn least_normalised(format: FloatFormat) -> i64 {
    least_exponent(format) - fraction_bits(format) as i64
}

/// Bits that two's complement needs for a number.
fn signed_bits(number: i64) -> usize {
    let magnitude = if number < 0 { !number } else { number };
    65 - magnitude.leading_zeros() as usize
}

/// A number taken apart: (-1)^sign · 1.fraction · 2^exponent, unless it is special.
pub(super) struct Unpacked {
    sign: Literal,
    /// Two's complement, of the leading one.
    exponent: Word,
    /// As many bits as the format's significand; the top one is set unless the number is zero.
    significand: Word,
}

/// What kind of number a packed word is. Zeros and subnormals have the exponent zero.
#[derive(Clone, Copy)]
pub(super) struct Class {
    pub(super) is_nan: Literal,
    pub(super) is_infinite: Literal,
    pub(super) is_zero: Literal,
    pub(super) has_no_exponent: Literal,
    pub(super) has_no_fraction: Literal,
}

/// The parts of a packed word.
fn parts(word: &[Literal], format: FloatFormat) -> (&[Literal], &[Literal], Literal) {
    let fraction = fraction_bits(format);
    (&word[..fraction], &word[fraction..word.len() - 1], word[word.len() - 1])
}

/// The packed word without its sign.
fn magnitude(word: &[Literal]) -> &[Literal] {
    &word[..word.len() - 1]
}

fn sign(word: &[Literal]) -> Literal {
    word[word.len() - 1]
}

impl<S: TakeClauses> Circuit<'_, S> {
    fn constant_literal(&self, value: bool) -> Literal {
        self.gates.constant(value)
    }

    /// A number in two's complement.
    fn number(&self, width: usize, value: i64) -> Word {
        (0..width).map(|place| self.constant_literal(value >> place.min(63) & 1 == 1)).collect()
    }

    fn sign_extended(word: &[Literal], width: usize) -> Word {
        let top = word[word.len() - 1];
        (0..width).map(|place| word.get(place).copied().unwrap_or(top)).collect()
    }

    fn zero_extended(&self, word: &[Literal], width: usize) -> Word {
        let zero = self.constant_literal(false);
        (0..width).map(|place| word.get(place).copied().unwrap_or(zero)).collect()
    }

    fn none(&mut self, word: &[Literal]) -> Literal {
        !self.or_many(word)
    }

    /// The one NaN: positive, quiet, without a payload.
    fn nan(&self, format: FloatFormat) -> Word {
        let fraction = fraction_bits(format);
        let width = format.width() as usize;
        (0..width).map(|place| self.constant_literal(place + 1 >= fraction && place + 1 < width)).collect()
    }

    /// A quiet NaN with sign and payload of a word.
    pub(super) fn some_nan(&self, word: &[Literal], format: FloatFormat) -> Word {
        let nan = self.nan(format);
        let yes = self.constant_literal(true);
        nan.iter().zip(word).map(|(&bit, &own)| if bit == yes { yes } else { own }).collect()
    }

    fn infinity(&self, sign: Literal, format: FloatFormat) -> Word {
        let fraction = fraction_bits(format);
        let width = format.width() as usize;
        (0..width)
            .map(|place| if place + 1 == width { sign } else { self.constant_literal(place >= fraction) })
            .collect()
    }

    fn zero(&self, sign: Literal, format: FloatFormat) -> Word {
        let mut word = vec![self.constant_literal(false); format.width() as usize];
        *word.last_mut().expect("floats have bits") = sign;
        word
    }

    pub(super) fn classify(&mut self, word: &[Literal], format: FloatFormat) -> Class {
        let (fraction, exponent, _) = parts(word, format);
        let has_no_fraction = self.none(fraction);
        let has_no_exponent = self.none(exponent);
        let is_special = self.and_many(exponent);
        Class {
            is_nan: self.and(is_special, !has_no_fraction),
            is_infinite: self.and(is_special, has_no_fraction),
            is_zero: self.and(has_no_exponent, has_no_fraction),
            has_no_exponent,
            has_no_fraction,
        }
    }

    /// The float of any bits: every NaN becomes the one.
    pub(super) fn float_from_bits(&mut self, word: &[Literal], format: FloatFormat) -> Word {
        let is_nan = self.classify(word, format).is_nan;
        let nan = self.nan(format);
        self.mux_word(is_nan, &nan, word)
    }

    /// Shifts the leading one to the top. The second word is the distance; for zero it is of no meaning.
    fn normalised(&mut self, word: &[Literal]) -> (Word, Word) {
        let mut shifted = word.to_vec();
        let width = shifted.len();
        let stages = usize::BITS - (width - 1).leading_zeros();
        let mut distance = vec![self.constant_literal(false); stages as usize];
        for stage in (0..stages as usize).rev() {
            let by = 1usize << stage;
            let is_far = self.none(&shifted[width - by..]);
            distance[stage] = is_far;
            shifted = (0..width)
                .map(|place| {
                    let moved = match place.checked_sub(by) {
                        Some(from) => shifted[from],
                        None => self.constant_literal(false),
                    };
                    self.mux(is_far, moved, shifted[place])
                })
                .collect();
        }
        (shifted, distance)
    }

    /// Takes a finite number apart, with the leading one on top also where it was subnormal.
    pub(super) fn unpack(&mut self, word: &[Literal], format: FloatFormat) -> Unpacked {
        let (fraction, exponent, sign) = parts(word, format);
        let is_small = self.none(exponent);
        let width = signed_bits(least_normalised(format)).max(signed_bits(bias(format) + 1)) + 1;
        let raw = self.zero_extended(exponent, width);
        let minus_bias = self.number(width, -bias(format));
        let normal = self.add(&raw, &minus_bias);
        let (shifted, distance) = self.normalised(fraction);
        // Behind the leading one that was on top, a place becomes free.
        let mut small = vec![self.constant_literal(false)];
        small.extend(shifted);
        let mut full = fraction.to_vec();
        full.push(self.constant_literal(true));
        let significand = self.mux_word(is_small, &small, &full);
        let distance = self.zero_extended(&distance, width);
        // The top bit of a fraction is worth one below the least normal exponent.
        let top = self.number(width, least_exponent(format) - 1);
        let below = self.sub(&top, &distance);
        let exponent = self.mux_word(is_small, &below, &normal);
        Unpacked { sign, exponent, significand }
    }

    /// Shifts right by an unsigned distance; what falls off is gathered in the second result.
    fn shift_right_sticky(&mut self, word: &[Literal], by: &[Literal]) -> (Word, Literal) {
        let width = word.len();
        let mut shifted = word.to_vec();
        let mut lost = Vec::new();
        let mut too_far = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            let Some(distance) = 1usize.checked_shl(stage as u32).filter(|&distance| distance < width) else {
                too_far.push(bit);
                continue;
            };
            let falls = self.or_many(&shifted[..distance]);
            lost.push(self.and(bit, falls));
            shifted = (0..width)
                .map(|place| {
                    let moved = shifted
                        .get(place + distance)
                        .copied()
                        .unwrap_or_else(|| self.constant_literal(false));
                    self.mux(bit, moved, shifted[place])
                })
                .collect();
        }
        let too_far = self.or_many(&too_far);
        let any = self.or_many(&shifted);
        lost.push(self.and(too_far, any));
        let kept = shifted.iter().map(|&bit| self.and(bit, !too_far)).collect();
        (kept, self.or_many(&lost))
    }

    /// C's `<` on words without NaN among them; zeros are equal.
    fn less_numbers(&mut self, a: &[Literal], b: &[Literal], or_equal: bool) -> Literal {
        let (sign_a, sign_b) = (sign(a), sign(b));
        let both: Vec<Literal> = magnitude(a).iter().chain(magnitude(b)).copied().collect();
        let zeros = self.none(&both);
        // Positive: by magnitude; negative: the other way round.
        let up = self.below_or(magnitude(a), magnitude(b), or_equal);
        let down = self.below_or(magnitude(b), magnitude(a), or_equal);
        let same_sign = self.mux(sign_a, down, up);
        let signs_differ = self.xor(sign_a, sign_b);
        let ordered = self.mux(signs_differ, sign_a, same_sign);
        let equal_zeros = self.constant_literal(or_equal);
        self.mux(zeros, equal_zeros, ordered)
    }

    fn below_or(&mut self, a: &[Literal], b: &[Literal], or_equal: bool) -> Literal {
        if or_equal { self.ule(a, b) } else { self.ult(a, b) }
    }

    fn no_nan(&mut self, a: &[Literal], b: &[Literal], format: FloatFormat) -> Literal {
        let (nan_a, nan_b) = (self.classify(a, format).is_nan, self.classify(b, format).is_nan);
        self.and(!nan_a, !nan_b)
    }

    /// C's `<` or `<=`.
    pub(super) fn float_less(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        or_equal: bool,
        format: FloatFormat,
    ) -> Literal {
        let less = self.less_numbers(a, b, or_equal);
        let ordered = self.no_nan(a, b, format);
        self.and(less, ordered)
    }

    /// C's `==`.
    pub(super) fn float_equal(&mut self, a: &[Literal], b: &[Literal], format: FloatFormat) -> Literal {
        let same = self.equal(a, b);
        let (class_a, class_b) = (self.classify(a, format), self.classify(b, format));
        let zeros = self.and(class_a.is_zero, class_b.is_zero);
        let equal = self.or(same, zeros);
        self.and_many(&[equal, !class_a.is_nan, !class_b.is_nan])
    }

    /// The lesser or the greater; a number rather than NaN; of two zeros the second, as x86 has it.
    pub(super) fn float_extremum(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        greater: bool,
        format: FloatFormat,
    ) -> Word {
        let first =
            if greater { self.float_less(b, a, false, format) } else { self.float_less(a, b, false, format) };
        let nan_b = self.classify(b, format).is_nan;
        let takes_first = self.or(first, nan_b);
        self.mux_word(takes_first, a, b)
    }

    /// |a|
    pub(super) fn float_abs(&mut self, a: &[Literal]) -> Word {
        let mut word = a.to_vec();
        *word.last_mut().expect("floats have bits") = self.constant_literal(false);
        word
    }

    /// -a; NaN stays as it is.
    pub(super) fn float_neg(&mut self, a: &[Literal], format: FloatFormat) -> Word {
        let is_nan = self.classify(a, format).is_nan;
        let mut word = a.to_vec();
        *word.last_mut().expect("floats have bits") = self.xor(sign(a), !is_nan);
        // NaN is positive, so that it must not be flipped.
        word
    }
}
