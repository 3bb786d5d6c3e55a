//! Constants as people write them.

use super::{Level, Show, Text};
use crate::types::{FloatKind, IntegerKind, Type, TypeId};

impl Show<'_> {
    pub(super) fn constant_text(&self, bits: u128, ty: TypeId) -> Text {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Float(kind) => signed_text(float(bits, *kind)),
            Type::Pointer(_) if bits == 0 => Text::new("NULL", Level::Postfix),
            Type::Pointer(_) => Text::new(format!("({}){bits:#x}", types.show(ty)), Level::Unary),
            _ => self.named_constant(bits, ty).unwrap_or_else(|| self.number(bits, ty)),
        }
    }

    /// An enum constant by name or a character in quotes.
    pub(super) fn named_constant(&self, bits: u128, ty: TypeId) -> Option<Text> {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Enum(id) => {
                let value = types.integer_shape(ty)?.value(bits);
                let constants = types.enums[*id].constants.as_ref()?;
                let (name, _) = constants.iter().find(|(_, constant)| *constant == value)?;
                Some(Text::new(&**name, Level::Postfix))
            }
            Type::Integer(IntegerKind::Char) => Some(Text::new(character(bits as u8)?, Level::Postfix)),
            _ => None,
        }
    }

    /// The digits only; large unsigned values in hexadecimal.
    pub(super) fn number(&self, bits: u128, ty: TypeId) -> Text {
        let types = &self.program.types;
        let Some(shape) = types.integer_shape(ty) else {
            return Text::new(format!("{bits}"), Level::Postfix);
        };
        if shape.signed {
            return signed_text(shape.value(bits).to_string());
        }
        let is_large = shape.width >= 32 && bits >> (shape.width - 1) & 1 == 1;
        let digits = if is_large { format!("{bits:#x}") } else { bits.to_string() };
        Text::new(digits, Level::Postfix)
    }

    /// What tells a literal's type, where its surroundings do not.
    pub(super) fn literal_suffix(&self, ty: TypeId) -> &'static str {
        match self.program.types.get(ty) {
            Type::Integer(IntegerKind::UnsignedInt) => "u",
            Type::Integer(IntegerKind::Long) => "l",
            Type::Integer(IntegerKind::UnsignedLong) => "ul",
            Type::Integer(IntegerKind::LongLong) => "ll",
            Type::Integer(IntegerKind::UnsignedLongLong) => "ull",
            _ => "",
        }
    }
}

fn signed_text(text: String) -> Text {
    let level = if text.starts_with('-') { Level::Unary } else { Level::Postfix };
    Text { text, level }
}

/// A character constant, unless the code has no plain form.
fn character(code: u8) -> Option<String> {
    Some(match code {
        0 => "'\\0'".into(),
        b'\n' => "'\\n'".into(),
        b'\t' => "'\\t'".into(),
        b'\r' => "'\\r'".into(),
        b'\'' => "'\\''".into(),
        b'\\' => "'\\\\'".into(),
        0x20..0x7f => format!("'{}'", code as char),
        _ => return None,
    })
}

fn float(bits: u128, kind: FloatKind) -> String {
    match kind {
        FloatKind::Float => {
            let value = f32::from_bits(bits as u32);
            if value.is_finite() { format!("{value:?}f") } else { not_finite(f64::from(value)) }
        }
        FloatKind::Double => {
            let value = f64::from_bits(bits as u64);
            if value.is_finite() { format!("{value:?}") } else { not_finite(value) }
        }
        // Wider than any float of ours: short where it is a double, exact otherwise.
        FloatKind::LongDouble | FloatKind::Float128 => match as_double(bits, kind) {
            Some(value) if value.is_finite() => format!("{value:?}L"),
            Some(value) => not_finite(value),
            None => crate::print_c::float_literal(bits, kind),
        },
    }
}

fn not_finite(value: f64) -> String {
    let name = if value.is_nan() { "NAN" } else { "INFINITY" };
    let sign = if value.is_sign_negative() && !value.is_nan() { "-" } else { "" };
    format!("{sign}{name}")
}

/// The value as a double, if it is exactly one in the normal range.
fn as_double(bits: u128, kind: FloatKind) -> Option<f64> {
    let (fraction_width, has_leading_one) = match kind {
        FloatKind::LongDouble => (64, true),
        FloatKind::Float128 => (112, false),
        FloatKind::Float | FloatKind::Double => return None,
    };
    let exponent = (bits >> fraction_width & 0x7fff) as i32;
    let sign = if bits >> (fraction_width + 15) & 1 == 1 { -1.0 } else { 1.0 };
    let mut fraction = bits & ((1 << fraction_width) - 1);
    let fraction_bits = if has_leading_one {
        let leading = fraction >> 63;
        fraction &= (1 << 63) - 1;
        if (leading == 1) != (exponent != 0) {
            return None;
        }
        63
    } else {
        112
    };
    match (exponent, fraction) {
        (0, 0) => Some(sign * 0.0),
        (0x7fff, 0) => Some(sign * f64::INFINITY),
        (0x7fff, _) => Some(f64::NAN),
        _ => {
            let power = exponent - 16383;
            let dropped = fraction_bits - 52;
            let is_exact = (-1022..=1023).contains(&power) && fraction & ((1 << dropped) - 1) == 0;
            let bits = ((power + 1023) as u64) << 52 | (fraction >> dropped) as u64;
            is_exact.then(|| sign * f64::from_bits(bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_doubles_are_short_where_they_can_be() {
        assert_eq!(float(0x4000 << 64 | 3 << 62, FloatKind::LongDouble), "3.0L");
        assert_eq!(float(0x3fff << 64 | 1 << 63 | 1, FloatKind::LongDouble), "0x8000000000000001p-63L");
        assert_eq!(float(0xc000 << 112, FloatKind::Float128), "-2.0L");
    }
}
