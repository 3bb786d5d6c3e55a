//! The words of a base type in any order: `long unsigned int long` is `unsigned long long`.

use crate::lexer::TokenKind;
use crate::syntax::BasicType;
use crate::types::{FloatKind, IntegerKind};

/// Counts the words met so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Soup {
    /// The word that can stand only once and decides most: `char`, `int`, `double`, `_Float128`, …
    core: Option<TokenKind>,
    shorts: u8,
    longs: u8,
    is_signed: bool,
    is_unsigned: bool,
    is_complex: bool,
}

impl Soup {
    /// Adds a word; `false` if it cannot be added to what is there.
    pub(super) fn add(&mut self, word: TokenKind) -> bool {
        use TokenKind::*;
        match word {
            Short => {
                self.shorts += 1;
                self.shorts == 1 && self.longs == 0
            }
            Long => {
                self.longs += 1;
                self.longs <= 2 && self.shorts == 0
            }
            Signed => !std::mem::replace(&mut self.is_signed, true) && !self.is_unsigned,
            Unsigned => !std::mem::replace(&mut self.is_unsigned, true) && !self.is_signed,
            Complex => !std::mem::replace(&mut self.is_complex, true),
            core => self.core.replace(core).is_none(),
        }
    }

    /// Has no word been met?
    pub(super) fn is_empty(&self) -> bool {
        let Soup { core, shorts, longs, is_signed, is_unsigned, is_complex } = *self;
        core.is_none() && shorts + longs == 0 && !is_signed && !is_unsigned && !is_complex
    }

    /// Only `unsigned` (or `signed`), as before `_BitInt`?
    pub(super) fn only_sign(&self) -> Option<bool> {
        let sizes = self.core.is_none() && self.shorts + self.longs == 0 && !self.is_complex;
        sizes.then_some(self.is_unsigned)
    }

    /// The type that the words name, if they name one.
    pub(super) fn basic(&self) -> Option<BasicType> {
        use FloatKind as F;
        use IntegerKind as I;
        use TokenKind as K;
        let unsigned = self.is_unsigned;
        let has_sign = self.is_signed || unsigned;
        let choose = |signed, other| Some(BasicType::Integer(if unsigned { other } else { signed }));
        let made = if self.is_complex { BasicType::Complex } else { BasicType::Float };
        let floating = |kind| (!has_sign).then(|| made(kind));
        match (self.core, self.shorts, self.longs) {
            (Some(K::Double), 0, 0) => floating(F::Double),
            (Some(K::Double), 0, 1) => floating(F::LongDouble),
            (Some(K::Float | K::Float32), 0, 0) => floating(F::Float),
            (Some(K::Float64 | K::Float32x), 0, 0) => floating(F::Double),
            (Some(K::Float64x), 0, 0) => floating(F::LongDouble),
            (Some(K::Float128), 0, 0) => floating(F::Float128),
            // gcc: `_Complex` alone is `_Complex double`.
            (None, 0, 0) if self.is_complex && !has_sign => floating(F::Double),
            _ if self.is_complex => None,
            (Some(K::Void), 0, 0) if !has_sign => Some(BasicType::Void),
            (Some(K::Bool), 0, 0) if !has_sign => Some(BasicType::Bool),
            (Some(K::Char), 0, 0) if self.is_signed => Some(BasicType::Integer(I::SignedChar)),
            (Some(K::Char), 0, 0) => choose(I::Char, I::UnsignedChar),
            (None | Some(K::Int), 1, 0) => choose(I::Short, I::UnsignedShort),
            (None | Some(K::Int), 0, 0) => choose(I::Int, I::UnsignedInt),
            (None | Some(K::Int), 0, 1) => choose(I::Long, I::UnsignedLong),
            (None | Some(K::Int), 0, 2) => choose(I::LongLong, I::UnsignedLongLong),
            (Some(K::Int128), 0, 0) => choose(I::Int128, I::UnsignedInt128),
            (Some(K::UnsignedInt128), 0, 0) if !has_sign => Some(BasicType::Integer(I::UnsignedInt128)),
            _ => None,
        }
    }

    /// Is it a complex type of integers, which GNU C has and we do not?
    pub(super) fn is_complex_integer(&self) -> bool {
        self.is_complex && !matches!(self.core, Some(TokenKind::Void | TokenKind::Bool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenKind::*;

    fn basic(words: &[TokenKind]) -> Option<BasicType> {
        let mut soup = Soup::default();
        let all_added = words.iter().all(|&word| soup.add(word));
        soup.basic().filter(|_| all_added)
    }

    #[test]
    fn words_in_any_order() {
        assert_eq!(
            basic(&[Long, Unsigned, Int, Long]),
            Some(BasicType::Integer(IntegerKind::UnsignedLongLong))
        );
        assert_eq!(basic(&[Unsigned]), Some(BasicType::Integer(IntegerKind::UnsignedInt)));
        assert_eq!(basic(&[Int, Short]), Some(BasicType::Integer(IntegerKind::Short)));
        assert_eq!(basic(&[Char, Signed]), Some(BasicType::Integer(IntegerKind::SignedChar)));
        assert_eq!(basic(&[Double, Long]), Some(BasicType::Float(FloatKind::LongDouble)));
        assert_eq!(basic(&[Complex, Long, Double]), Some(BasicType::Complex(FloatKind::LongDouble)));
        assert_eq!(basic(&[Unsigned, Int128]), Some(BasicType::Integer(IntegerKind::UnsignedInt128)));
        assert_eq!(basic(&[Complex]), Some(BasicType::Complex(FloatKind::Double)));
    }

    #[test]
    fn impossible_mixtures() {
        let impossible: &[&[TokenKind]] = &[
            &[Long, Long, Long],
            &[Short, Long],
            &[Signed, Unsigned],
            &[Unsigned, Double],
            &[Int, Char],
            &[Long, Long, Double],
            &[Short, Char],
            &[Unsigned, Void],
            &[Long, Float],
            &[Complex, Int],
        ];
        for words in impossible {
            assert_eq!(basic(words), None, "{words:?}");
        }
    }
}
