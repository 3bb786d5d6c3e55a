//! Integers with one remainder modulo a number: `x ≡ remainder (mod modulus)`. After Granger 1989.

/// A congruence class. Modulus 1 says nothing; modulus 0 is the one integer `remainder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Congruence {
    modulus: i128,
    remainder: i128,
}

/// Moduli beyond this are dropped, so that products stay in `i128`.
const MOST: i128 = 1 << 62;

fn gcd(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one.unsigned_abs(), other.unsigned_abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    i128::try_from(one).unwrap_or(1)
}

impl Congruence {
    /// Any integer.
    pub const ANY: Congruence = Congruence { modulus: 1, remainder: 0 };

    /// One integer.
    pub fn only(value: i128) -> Congruence {
        if value.unsigned_abs() > MOST as u128 {
            Congruence::ANY
        } else {
            Congruence { modulus: 0, remainder: value }
        }
    }

    /// `x ≡ remainder (mod modulus)`, for a modulus above zero.
    pub fn modulo(modulus: i128, remainder: i128) -> Congruence {
        if modulus <= 1 || modulus > MOST {
            return Congruence::ANY;
        }
        Congruence { modulus, remainder: remainder.rem_euclid(modulus) }
    }

    fn of(modulus: i128, remainder: i128) -> Congruence {
        if modulus == 0 { Congruence::only(remainder) } else { Congruence::modulo(modulus.abs(), remainder) }
    }

    /// The modulus: 1 for any integer, 0 for a single one.
    pub fn modulus(self) -> i128 {
        self.modulus
    }

    /// The remainder, or the single integer.
    pub fn remainder(self) -> i128 {
        self.remainder
    }

    /// Is the integer in the class?
    pub fn contains(self, value: i128) -> bool {
        match self.modulus {
            0 => value == self.remainder,
            modulus => value.rem_euclid(modulus) == self.remainder,
        }
    }

    /// The least class with both in it.
    pub fn join(self, other: Congruence) -> Congruence {
        if self == other {
            return self;
        }
        let modulus = gcd(gcd(self.modulus, other.modulus), self.remainder - other.remainder);
        Congruence::of(modulus, self.remainder)
    }

    /// What is in both; `None` if nothing is. May keep more than that where the exact class is too large to
    /// hold.
    pub fn meet(self, other: Congruence) -> Option<Congruence> {
        match (self.modulus, other.modulus) {
            (0, _) => other.contains(self.remainder).then_some(self),
            (_, 0) => self.contains(other.remainder).then_some(other),
            (1, _) => Some(other),
            (_, 1) => Some(self),
            (one, two) => {
                let common = gcd(one, two);
                if (self.remainder - other.remainder) % common != 0 {
                    return None;
                }
                let (large, small) = if one >= two { (self, other) } else { (other, self) };
                if large.modulus % small.modulus == 0 {
                    return Some(large);
                }
                // The Chinese remainder, by steps; small moduli only, so that this stays quick.
                let steps = small.modulus / common;
                if steps > 4096 || large.modulus > MOST / steps {
                    return Some(large);
                }
                let found = (0..steps).map(|step| large.remainder + step * large.modulus);
                let remainder = { found }.find(|&value| small.contains(value))?;
                Some(Congruence::modulo(large.modulus * steps, remainder))
            }
        }
    }

    /// Is every integer of the class in the other?
    pub fn is_within(self, other: Congruence) -> bool {
        match other.modulus {
            1 => true,
            0 => self == other,
            modulus => self.modulus % modulus == 0 && other.contains(self.remainder),
        }
    }

    /// `x + y` without wrap-around.
    pub fn plus(self, other: Congruence) -> Congruence {
        Congruence::of(gcd(self.modulus, other.modulus), self.remainder + other.remainder)
    }

    /// `-x` without wrap-around.
    pub fn negate(self) -> Congruence {
        Congruence::of(self.modulus, -self.remainder)
    }

    /// `x * y` without wrap-around.
    pub fn multiply(self, other: Congruence) -> Congruence {
        let product = |one: i128, two: i128| one.checked_mul(two);
        let parts = (
            product(self.modulus, other.modulus),
            product(self.modulus, other.remainder),
            product(other.modulus, self.remainder),
            product(self.remainder, other.remainder),
        );
        match parts {
            (Some(both), Some(left), Some(right), Some(rest)) => {
                Congruence::of(gcd(gcd(both, left), right), rest)
            }
            _ => Congruence::ANY,
        }
    }

    /// The class after a possible wrap-around modulo two to the `width`.
    pub fn wrapped(self, width: u32) -> Congruence {
        if self.modulus == 0 {
            return if width > 61 { Congruence::ANY } else { Congruence::modulo(1 << width, self.remainder) };
        }
        let power = self.modulus.trailing_zeros().min(width).min(61);
        Congruence::modulo(1 << power, self.remainder)
    }

    /// The least integer of the class that is not below `value`, if it fits.
    pub fn at_least(self, value: i128) -> Option<i128> {
        match self.modulus {
            0 => (self.remainder >= value).then_some(self.remainder),
            modulus => value.checked_add((self.remainder - value.rem_euclid(modulus)).rem_euclid(modulus)),
        }
    }

    /// The greatest integer of the class that is not above `value`, if it fits.
    pub fn at_most(self, value: i128) -> Option<i128> {
        match self.modulus {
            0 => (self.remainder <= value).then_some(self.remainder),
            modulus => value.checked_sub((value.rem_euclid(modulus) - self.remainder).rem_euclid(modulus)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn class() -> impl Strategy<Value = Congruence> {
        (0i128..13, -20i128..20).prop_map(|(modulus, remainder)| Congruence::of(modulus, remainder))
    }

    proptest! {
        #[test]
        fn members_stay_members(one in class(), two in class(), x in -40i128..40, y in -40i128..40) {
            let met = one.meet(two);
            prop_assert_eq!(met.is_some_and(|met| met.contains(x)), one.contains(x) && two.contains(x));
            if one.contains(x) {
                prop_assert!(one.join(two).contains(x) && two.join(one).contains(x));
                prop_assert!(one.negate().contains(-x));
                prop_assert!(!one.is_within(two) || two.contains(x));
                prop_assert!(one.wrapped(5).contains(x.rem_euclid(32)) && one.wrapped(5).contains(x));
                if two.contains(y) {
                    prop_assert!(one.plus(two).contains(x + y));
                    prop_assert!(one.multiply(two).contains(x * y));
                }
                if let Some(least) = one.at_least(y) {
                    prop_assert!(least >= y && one.contains(least) && (x < y || x >= least));
                }
                if let Some(most) = one.at_most(y) {
                    prop_assert!(most <= y && one.contains(most) && (x > y || x <= most));
                }
            }
        }
    }
}
