//! Bit-vector values of any width, with the meaning SMT-LIB gives the operations.
//! Width 64 and less, the common case, stays in one machine word and off the heap.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;

/// A value of `width` bits, stored in words of 64, least first; bits above the width are zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bits {
    width: u32,
    words: SmallVec<[u64; 1]>,
}

impl Bits {
    /// All bits zero.
    ///
    /// # Panics
    /// When `width` is 0: there is no such bit-vector.
    pub fn zero(width: u32) -> Bits {
        assert!(width > 0, "a bit-vector has at least one bit");
        Bits { width, words: SmallVec::from_elem(0, width.div_ceil(64) as usize) }
    }

    /// All bits one.
    pub fn ones(width: u32) -> Bits {
        Bits::zero(width).not()
    }

    /// The low bits of a number.
    pub fn from_u64(width: u32, value: u64) -> Bits {
        let mut bits = Bits::zero(width);
        bits.words[0] = value;
        bits.masked()
    }

    /// The low bits of a number, sign-extended when the width is above 128.
    pub fn from_i128(width: u32, value: i128) -> Bits {
        let mut bits = if value < 0 { Bits::ones(width) } else { Bits::zero(width) };
        bits.words[0] = value as u64;
        if bits.words.len() > 1 {
            bits.words[1] = (value >> 64) as u64;
        }
        bits.masked()
    }

    /// The bits, least first.
    pub fn from_bools(values: &[bool]) -> Bits {
        let mut bits = Bits::zero(u32::try_from(values.len()).expect("a width below 2^32"));
        for (position, &value) in values.iter().enumerate() {
            bits.words[position / 64] |= u64::from(value) << (position % 64);
        }
        bits
    }

    /// One bit: 1 for true.
    pub fn from_bool(value: bool) -> Bits {
        Bits::from_u64(1, u64::from(value))
    }

    /// The smallest signed value: only the sign bit is one.
    pub fn signed_minimum(width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        bits.set(width - 1);
        bits
    }

    /// A number written in decimal digits, taken modulo 2^width; `None` if it is not one.
    pub fn from_decimal(width: u32, digits: &str) -> Option<Bits> {
        let ten = Bits::from_u64(width.max(4), 10);
        let mut value = Bits::zero(width.max(4));
        if digits.is_empty() {
            return None;
        }
        for digit in digits.chars() {
            value = value.mul(&ten).add(&Bits::from_u64(width.max(4), u64::from(digit.to_digit(10)?)));
        }
        Some(value.extract(width - 1, 0))
    }

    /// A number written in digits of base 2 or 16, which also give the width; `None` if it is not one.
    pub fn from_digits(bits_per_digit: u32, digits: &str) -> Option<Bits> {
        let mut bools = Vec::with_capacity(digits.len() * bits_per_digit as usize);
        for digit in digits.chars().rev() {
            let value = digit.to_digit(1 << bits_per_digit)?;
            bools.extend((0..bits_per_digit).map(|bit| value >> bit & 1 == 1));
        }
        if bools.is_empty() { None } else { Some(Bits::from_bools(&bools)) }
    }

    fn masked(mut self) -> Bits {
        let used = self.width % 64;
        if used != 0 {
            let last = self.words.len() - 1;
            self.words[last] &= u64::MAX >> (64 - used);
        }
        self
    }

    fn set(&mut self, position: u32) {
        self.words[position as usize / 64] |= 1 << (position % 64);
    }

    /// How many bits there are.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bit at a position, 0 being the least.
    pub fn bit(&self, position: u32) -> bool {
        self.words[position as usize / 64] >> (position % 64) & 1 == 1
    }

    /// The sign bit.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Are all bits zero?
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Are all bits one?
    pub fn is_ones(&self) -> bool {
        self.not().is_zero()
    }

    /// Is it the number one?
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// The unsigned number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.words[1..].iter().all(|&word| word == 0).then(|| self.words[0])
    }

    /// The unsigned number, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        let high = self.words.get(1).copied().unwrap_or(0);
        let fits = self.words.iter().skip(2).all(|&word| word == 0);
        fits.then(|| u128::from(high) << 64 | u128::from(self.words[0]))
    }

    /// The signed number, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        if self.width >= 128 {
            let wide = self.extract(127, 0);
            let same = (128..self.width).all(|position| self.bit(position) == wide.is_negative());
            return same.then(|| wide.to_u128().expect("128 bits fit") as i128);
        }
        let unused = 128 - self.width;
        Some((self.to_u128()? << unused) as i128 >> unused)
    }

    /// The position of the only bit that is one, if there is exactly one.
    pub fn power_of_two(&self) -> Option<u32> {
        let ones: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        (ones == 1).then(|| (0..self.width).find(|&position| self.bit(position)).expect("one bit is one"))
    }

    fn zip(&self, other: &Bits, combine: impl Fn(u64, u64) -> u64) -> Bits {
        assert_eq!(self.width, other.width, "operands have the same width");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| combine(a, b)).collect();
        Bits { width: self.width, words }.masked()
    }

    /// bvnot
    #[must_use]
    pub fn not(&self) -> Bits {
        Bits { width: self.width, words: self.words.iter().map(|word| !word).collect() }.masked()
    }

    /// bvand
    #[must_use]
    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    /// bvor
    #[must_use]
    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    /// bvxor
    #[must_use]
    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b)
    }

    /// bvneg
    #[must_use]
    pub fn neg(&self) -> Bits {
        self.not().add(&Bits::from_u64(self.width, 1))
    }

    /// bvadd
    #[must_use]
    pub fn add(&self, other: &Bits) -> Bits {
        assert_eq!(self.width, other.width, "operands have the same width");
        let mut carry = false;
        let mut words = SmallVec::with_capacity(self.words.len());
        for (&a, &b) in self.words.iter().zip(&other.words) {
            let (partial, first) = a.overflowing_add(b);
            let (sum, second) = partial.overflowing_add(u64::from(carry));
            carry = first || second;
            words.push(sum);
        }
        Bits { width: self.width, words }.masked()
    }

    /// bvsub
    #[must_use]
    pub fn sub(&self, other: &Bits) -> Bits {
        self.add(&other.neg())
    }

    /// bvmul
    #[must_use]
    pub fn mul(&self, other: &Bits) -> Bits {
        assert_eq!(self.width, other.width, "operands have the same width");
        let mut result = Bits::zero(self.width);
        let count = result.words.len();
        for i in 0..count {
            let mut carry = 0u128;
            for j in 0..count - i {
                let sum = u128::from(self.words[i]) * u128::from(other.words[j])
                    + u128::from(result.words[i + j])
                    + carry;
                result.words[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
        result.masked()
    }

    /// Quotient and remainder; by zero: all ones and the dividend, as SMT-LIB has it.
    fn divide(&self, divisor: &Bits) -> (Bits, Bits) {
        assert_eq!(self.width, divisor.width, "operands have the same width");
        if divisor.is_zero() {
            return (Bits::ones(self.width), self.clone());
        }
        if let (Some(a), Some(b)) = (self.to_u128(), divisor.to_u128()) {
            let make = |value: u128| {
                let mut bits = Bits::zero(self.width);
                bits.words[0] = value as u64;
                if let Some(second) = bits.words.get_mut(1) {
                    *second = (value >> 64) as u64;
                }
                bits
            };
            return (make(a / b), make(a % b));
        }
        // Long division, bit by bit; one more bit so that the partial remainder never overflows.
        let wide_divisor = divisor.zero_extend(1);
        let mut quotient = Bits::zero(self.width);
        let mut remainder = Bits::zero(self.width + 1);
        for position in (0..self.width).rev() {
            remainder = remainder.shift_left(1);
            if self.bit(position) {
                remainder.set(0);
            }
            if remainder.unsigned_cmp(&wide_divisor) != Ordering::Less {
                remainder = remainder.sub(&wide_divisor);
                quotient.set(position);
            }
        }
        (quotient, remainder.extract(self.width - 1, 0))
    }

    /// bvudiv
    #[must_use]
    pub fn udiv(&self, divisor: &Bits) -> Bits {
        self.divide(divisor).0
    }

    /// bvurem
    #[must_use]
    pub fn urem(&self, divisor: &Bits) -> Bits {
        self.divide(divisor).1
    }

    fn magnitude(&self) -> Bits {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// bvsdiv: rounds toward zero.
    #[must_use]
    pub fn sdiv(&self, divisor: &Bits) -> Bits {
        let quotient = self.magnitude().udiv(&divisor.magnitude());
        if self.is_negative() == divisor.is_negative() { quotient } else { quotient.neg() }
    }

    /// bvsrem: the sign of the dividend.
    #[must_use]
    pub fn srem(&self, divisor: &Bits) -> Bits {
        let remainder = self.magnitude().urem(&divisor.magnitude());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    /// The distance of a shift, or `None` when everything is shifted out.
    fn distance(&self, by: &Bits) -> Option<u32> {
        let distance = by.to_u64()?;
        (distance < u64::from(self.width)).then_some(distance as u32)
    }

    fn shift_left(&self, by: u32) -> Bits {
        let mut result = Bits::zero(self.width);
        let (words, bits) = (by as usize / 64, by % 64);
        for i in (words..self.words.len()).rev() {
            result.words[i] = self.words[i - words] << bits;
            if bits > 0 && i > words {
                result.words[i] |= self.words[i - words - 1] >> (64 - bits);
            }
        }
        result.masked()
    }

    fn shift_right(&self, by: u32) -> Bits {
        let mut result = Bits::zero(self.width);
        let (words, bits) = (by as usize / 64, by % 64);
        for i in 0..self.words.len() - words {
            result.words[i] = self.words[i + words] >> bits;
            if bits > 0 && i + words + 1 < self.words.len() {
                result.words[i] |= self.words[i + words + 1] << (64 - bits);
            }
        }
        result
    }

    /// bvshl
    #[must_use]
    pub fn shl(&self, by: &Bits) -> Bits {
        self.distance(by).map_or_else(|| Bits::zero(self.width), |distance| self.shift_left(distance))
    }

    /// bvlshr
    #[must_use]
    pub fn lshr(&self, by: &Bits) -> Bits {
        self.distance(by).map_or_else(|| Bits::zero(self.width), |distance| self.shift_right(distance))
    }

    /// bvashr
    #[must_use]
    pub fn ashr(&self, by: &Bits) -> Bits {
        // ¬(¬x >> n) fills with ones.
        if self.is_negative() { self.not().lshr(by).not() } else { self.lshr(by) }
    }

    /// The bits from `low` to `high`, both included.
    #[must_use]
    pub fn extract(&self, high: u32, low: u32) -> Bits {
        assert!(low <= high && high < self.width, "an extract stays inside its operand");
        let shifted = self.shift_right(low);
        let width = high - low + 1;
        let words = shifted.words[..width.div_ceil(64) as usize].iter().copied().collect();
        Bits { width, words }.masked()
    }

    /// `self` above `low`.
    #[must_use]
    pub fn concat(&self, low: &Bits) -> Bits {
        let high = self.zero_extend(low.width).shift_left(low.width);
        high.or(&low.zero_extend(self.width))
    }

    /// `by` zero bits put above.
    #[must_use]
    pub fn zero_extend(&self, by: u32) -> Bits {
        let mut result = Bits::zero(self.width + by);
        result.words[..self.words.len()].copy_from_slice(&self.words);
        result
    }

    /// `by` copies of the sign bit put above.
    #[must_use]
    pub fn sign_extend(&self, by: u32) -> Bits {
        if self.is_negative() { self.not().zero_extend(by).not() } else { self.zero_extend(by) }
    }

    /// Comparison as unsigned numbers.
    pub fn unsigned_cmp(&self, other: &Bits) -> Ordering {
        assert_eq!(self.width, other.width, "operands have the same width");
        self.words.iter().rev().cmp(other.words.iter().rev())
    }

    /// Comparison as two's complement numbers.
    pub fn signed_cmp(&self, other: &Bits) -> Ordering {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => self.unsigned_cmp(other),
        }
    }
}

/// SMT-LIB's binary notation.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            f.write_str("#x")?;
            for digit in (0..self.width / 4).rev() {
                let value = self.extract(digit * 4 + 3, digit * 4).words[0];
                write!(f, "{value:x}")?;
            }
        } else {
            f.write_str("#b")?;
            for position in (0..self.width).rev() {
                f.write_str(if self.bit(position) { "1" } else { "0" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mask(width: u32, value: u128) -> u128 {
        value & (u128::MAX >> (128 - width))
    }

    fn bits(width: u32, value: u128) -> Bits {
        Bits::from_i128(width, value as i128)
    }

    fn signed(width: u32, value: u128) -> i128 {
        ((value << (128 - width)) as i128) >> (128 - width)
    }

    proptest! {
        /// Against the machine's own numbers, across the word boundary.
        #[test]
        fn arithmetic_agrees_with_machine_numbers(width in 1u32..=127, a: u128, b: u128, shift in 0u128..140) {
            let (a, b) = (mask(width, a), mask(width, b));
            let (x, y) = (bits(width, a), bits(width, b));
            prop_assert_eq!(x.to_u128(), Some(a));
            prop_assert_eq!(x.to_i128(), Some(signed(width, a)));
            prop_assert_eq!(x.add(&y), bits(width, a.wrapping_add(b)));
            prop_assert_eq!(x.sub(&y), bits(width, a.wrapping_sub(b)));
            prop_assert_eq!(x.mul(&y), bits(width, a.wrapping_mul(b)));
            prop_assert_eq!(x.unsigned_cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.signed_cmp(&y), signed(width, a).cmp(&signed(width, b)));
            if let (Some(quotient), Some(remainder)) = (a.checked_div(b), a.checked_rem(b)) {
                prop_assert_eq!(x.udiv(&y), bits(width, quotient));
                prop_assert_eq!(x.urem(&y), bits(width, remainder));
                let (sa, sb) = (signed(width, a), signed(width, b));
                prop_assert_eq!(x.sdiv(&y), bits(width, sa.wrapping_div(sb) as u128));
                prop_assert_eq!(x.srem(&y), bits(width, sa.wrapping_rem(sb) as u128));
            } else {
                prop_assert_eq!(x.udiv(&y), Bits::ones(width));
                prop_assert_eq!(x.urem(&y), x.clone());
            }
            let by = bits(width, mask(width, shift));
            let distance = mask(width, shift);
            let inside = distance < u128::from(width);
            prop_assert_eq!(x.shl(&by), bits(width, if inside { a << distance } else { 0 }));
            prop_assert_eq!(x.lshr(&by), bits(width, if inside { a >> distance } else { 0 }));
            let arithmetic = signed(width, a) >> distance.min(127);
            prop_assert_eq!(x.ashr(&by), bits(width, arithmetic as u128));
        }

        /// Wide long division: q·d + r = n and r < d, which fixes both.
        #[test]
        fn wide_division_inverts_multiplication(a in proptest::collection::vec(any::<bool>(), 200), b in 1u64.., shift in 0u32..130) {
            let n = Bits::from_bools(&a);
            let d = Bits::from_u64(200, b).shl(&Bits::from_u64(200, u64::from(shift)));
            prop_assume!(!d.is_zero());
            let (q, r) = (n.udiv(&d), n.urem(&d));
            prop_assert_eq!(r.unsigned_cmp(&d), Ordering::Less);
            let product = q.zero_extend(200).mul(&d.zero_extend(200)).add(&r.zero_extend(200));
            prop_assert_eq!(product, n.zero_extend(200));
        }

        #[test]
        fn parts_come_back(high in proptest::collection::vec(any::<bool>(), 1..90), low in proptest::collection::vec(any::<bool>(), 1..90)) {
            let (h, l) = (Bits::from_bools(&high), Bits::from_bools(&low));
            let both = h.concat(&l);
            prop_assert_eq!(both.width(), h.width() + l.width());
            prop_assert_eq!(both.extract(both.width() - 1, l.width()), h.clone());
            prop_assert_eq!(both.extract(l.width() - 1, 0), l.clone());
            let text = both.to_string();
            let back = match text.strip_prefix("#x") {
                Some(digits) => Bits::from_digits(4, digits),
                None => Bits::from_digits(1, &text[2..]),
            };
            prop_assert_eq!(back, Some(both));
            prop_assert_eq!(h.sign_extend(3).to_i128(), h.to_i128());
        }
    }

    #[test]
    fn decimal_digits_are_read() {
        assert_eq!(Bits::from_decimal(8, "255"), Some(Bits::ones(8)));
        assert_eq!(Bits::from_decimal(1, "1"), Some(Bits::ones(1)));
        assert_eq!(Bits::from_decimal(80, "1208925819614629174706175"), Some(Bits::ones(80)));
        assert_eq!(Bits::from_decimal(8, "2x"), None);
    }
}
