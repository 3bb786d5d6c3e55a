//! Exact decimal expansion of binary floating values, and rounding of it: halves to even, on the exact value.
//! A value `m × 2^-k` is `m × 5^k` with the point moved k digits, so whole-number arithmetic is enough.

/// `0.d1 d2 d3 … × 10^point`, exactly. No leading zero digit; no digits at all for zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Digits 0 to 9, most significant first.
    pub digits: Vec<u8>,
    /// Where the point stands.
    pub point: i32,
}

const LIMB: u64 = 1_000_000_000;

impl Decimal {
    /// `mantissa × 2^exponent`.
    pub fn new(mantissa: u128, exponent: i32) -> Decimal {
        let mut limbs: Vec<u32> = Vec::new(); // least significant first, base 10^9
        let mut rest = mantissa;
        while rest != 0 {
            limbs.push((rest % u128::from(LIMB)) as u32);
            rest /= u128::from(LIMB);
        }
        let (factor, per_step, mut steps) = if exponent >= 0 {
            (2u64, 29, exponent.unsigned_abs())
        } else {
            (5u64, 12, exponent.unsigned_abs())
        };
        while steps > 0 {
            let now = steps.min(per_step);
            multiply(&mut limbs, factor.pow(now));
            steps -= now;
        }
        let mut text = String::new();
        for (index, limb) in limbs.iter().rev().enumerate() {
            let piece = if index == 0 { limb.to_string() } else { format!("{limb:09}") };
            text.push_str(&piece);
        }
        let digits: Vec<u8> = text.bytes().map(|byte| byte - b'0').collect();
        let fraction = if exponent < 0 { exponent.unsigned_abs() as i32 } else { 0 };
        let point = digits.len() as i32 - fraction;
        let mut decimal = Decimal { digits, point };
        decimal.drop_trailing_zeros();
        decimal
    }

    fn drop_trailing_zeros(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// The value rounded to at most `count` digits from its first one on (none or fewer: rounded to zero or up to one).
    #[must_use]
    pub fn rounded(&self, count: i64) -> Decimal {
        if count >= self.digits.len() as i64 {
            return self.clone();
        }
        if count < 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        let count = count as usize;
        let mut digits = self.digits[..count].to_vec();
        let rest = &self.digits[count..];
        let is_above = rest[0] > 5 || (rest[0] == 5 && rest.len() > 1);
        let is_tie = rest[0] == 5 && rest.len() == 1;
        let is_odd = digits.last().is_some_and(|last| last % 2 == 1);
        let mut point = self.point;
        if is_above || (is_tie && is_odd) {
            let mut at = digits.len();
            loop {
                if at == 0 {
                    digits.insert(0, 1);
                    point += 1;
                    break;
                }
                at -= 1;
                if digits[at] == 9 {
                    digits[at] = 0;
                } else {
                    digits[at] += 1;
                    break;
                }
            }
        }
        let mut decimal = Decimal { digits, point };
        decimal.drop_trailing_zeros();
        decimal
    }

    /// The digit with weight `10^power`.
    pub fn digit(&self, power: i64) -> u8 {
        let index = i64::from(self.point) - 1 - power;
        usize::try_from(index).ok().and_then(|index| self.digits.get(index)).copied().unwrap_or(0)
    }
}

fn multiply(limbs: &mut Vec<u32>, factor: u64) {
    let mut carry = 0u64;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * factor + carry;
        *limb = (product % LIMB) as u32;
        carry = product / LIMB;
    }
    while carry != 0 {
        limbs.push((carry % LIMB) as u32);
        carry /= LIMB;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion_is_exact() {
        assert_eq!(Decimal::new(1, -1), Decimal { digits: vec![5], point: 0 });
        assert_eq!(Decimal::new(1, -4), Decimal { digits: vec![6, 2, 5], point: -1 });
        assert_eq!(Decimal::new(3, 10), Decimal { digits: vec![3, 0, 7, 2], point: 4 });
        assert_eq!(Decimal::new(0, -1074), Decimal { digits: vec![], point: 0 });
        assert_eq!(Decimal::new(1, -1074).digits.len(), 751);
    }

    #[test]
    fn ties_go_to_even() {
        let half = Decimal::new(1, -1);
        assert_eq!(half.rounded(0), Decimal { digits: vec![], point: 0 });
        let one_and_half = Decimal::new(3, -1);
        assert_eq!(one_and_half.rounded(1), Decimal { digits: vec![2], point: 1 });
        let two_and_half = Decimal::new(5, -1);
        assert_eq!(two_and_half.rounded(1), Decimal { digits: vec![2], point: 1 });
        let almost = Decimal::new(1023, -10);
        assert_eq!(almost.rounded(1), Decimal { digits: vec![1], point: 1 });
    }
}
