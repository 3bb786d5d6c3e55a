//! Constants, exactly.

use crate::FloatKind;
use crate::types::{IntegerKind, Type, TypeId, TypeTable};

/// An integer constant whose C type is exactly `ty` (or promotes as `ty` does). Pointers are the caller's.
pub(super) fn integer(bits: u128, ty: TypeId, types: &TypeTable) -> String {
    match types.get(ty) {
        Type::Bool => format!("((_Bool){bits})"),
        Type::Enum(id) => integer(bits, types.enums[*id].underlying, types),
        Type::Integer(kind) => integer_of_kind(bits, *kind, types),
        other => unreachable!("an integer constant of type {other:?}"),
    }
}

fn integer_of_kind(bits: u128, kind: IntegerKind, types: &TypeTable) -> String {
    use IntegerKind::*;
    let width = types.integer_width(kind);
    let shape = crate::types::IntegerShape { width, signed: kind.is_signed() };
    let suffix = match kind {
        Int | Char | SignedChar | UnsignedChar | Short | UnsignedShort => "",
        UnsignedInt => "u",
        Long => "l",
        UnsignedLong => "ul",
        LongLong => "ll",
        UnsignedLongLong => "ull",
        Int128 | UnsignedInt128 => {
            let (high, low) = ((bits >> 64) as u64, bits as u64);
            let value = format!("((unsigned __int128){high:#x}ull << 64 | {low:#x}ull)");
            return if kind == Int128 { format!("((__int128){value})") } else { value };
        }
    };
    let value = shape.value(bits);
    let text = if !shape.signed {
        format!("{}{suffix}", shape.truncate(bits))
    } else if value == i128::MIN >> (128 - width) && width >= 32 {
        // The literal without its sign would not fit.
        format!("(-{}{suffix} - 1{suffix})", -(value + 1))
    } else if value < 0 {
        format!("(-{}{suffix})", -value)
    } else {
        format!("{value}{suffix}")
    };
    match kind {
        Char | SignedChar | UnsignedChar | Short | UnsignedShort => format!("(({}){text})", kind.name()),
        _ => text,
    }
}

/// How a format splits its bits: exponent width, fraction width, is the leading one written down?
fn format_of(kind: FloatKind) -> (u32, u32, bool) {
    match kind {
        FloatKind::Float => (8, 23, false),
        FloatKind::Double => (11, 52, false),
        FloatKind::LongDouble => (15, 64, true),
        FloatKind::Float128 => (15, 112, false),
    }
}

/// A floating constant as a hexadecimal literal; infinities and NaNs through builtins.
pub(crate) fn float(bits: u128, kind: FloatKind) -> String {
    let (exponent_width, fraction_width, explicit_one) = format_of(kind);
    let fraction = bits & ((1 << fraction_width) - 1);
    let exponent = bits >> fraction_width & ((1 << exponent_width) - 1);
    let is_negative = bits >> (fraction_width + exponent_width) & 1 == 1;
    let greatest = (1 << exponent_width) - 1;
    let (literal_suffix, builtin_suffix) = match kind {
        FloatKind::Float => ("f", "f"),
        FloatKind::Double => ("", ""),
        FloatKind::LongDouble => ("L", "l"),
        FloatKind::Float128 => ("Q", "f128"),
    };
    let integer_bit: u128 = if explicit_one { fraction >> 63 } else { u128::from(exponent != 0) };
    let payload = if explicit_one { fraction & !(1 << 63) } else { fraction };
    let is_canonical = !explicit_one || (exponent == 0) == (integer_bit == 0);
    if !is_canonical {
        return from_bytes(bits, kind);
    }
    let magnitude = if exponent == greatest && payload == 0 {
        format!("__builtin_inf{builtin_suffix}()")
    } else if exponent == greatest {
        let quiet = 1u128 << (if explicit_one { 62 } else { fraction_width - 1 });
        let name = if payload & quiet != 0 { "nan" } else { "nans" };
        format!("__builtin_{name}{builtin_suffix}(\"{:#x}\")", payload & !quiet)
    } else {
        let fraction_bits = i64::from(if explicit_one { 63 } else { fraction_width });
        let bias = (1i64 << (exponent_width - 1)) - 1;
        let significand = if explicit_one { fraction } else { fraction | integer_bit << fraction_width };
        let power = (exponent as i64).max(1) - bias - fraction_bits;
        let shift = significand.trailing_zeros().min(127);
        match significand {
            0 => format!("0x0p+0{literal_suffix}"),
            _ => format!("{:#x}p{:+}{literal_suffix}", significand >> shift, power + i64::from(shift)),
        }
    };
    if is_negative { format!("(-{magnitude})") } else { magnitude }
}

/// x87 patterns that no operation gives: byte for byte.
fn from_bytes(bits: u128, kind: FloatKind) -> String {
    let bytes: Vec<String> = bits.to_le_bytes().iter().take(10).map(u8::to_string).collect();
    let name = kind.name();
    format!(
        "((union {{ unsigned char bytes[sizeof({name})]; {name} value; }}){{{{{}}}}}).value",
        bytes.join(", ")
    )
}

/// Bytes as a string literal. Octal escapes have three digits, so that what follows cannot join them.
pub(crate) fn string(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(byte as char);
            }
            b'\n' => text.push_str("\\n"),
            b'?' => text.push_str("\\?"), // no trigraphs
            0x20..0x7f => text.push(byte as char),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataModel;

    #[test]
    fn integers_have_the_type_they_claim() {
        let mut types = TypeTable::new(DataModel::Lp64);
        let int = types.int();
        assert_eq!(integer(0x8000_0000, int, &types), "(-2147483647 - 1)");
        assert_eq!(integer(0xffff_ffff, int, &types), "(-1)");
        let char = types.char();
        assert_eq!(integer(0x80, char, &types), "((char)(-128))");
        let long = types.integer(IntegerKind::Long);
        assert_eq!(integer(1 << 63, long, &types), "(-9223372036854775807l - 1l)");
        let wide = types.integer(IntegerKind::UnsignedInt128);
        assert_eq!(
            integer(u128::MAX, wide, &types),
            "((unsigned __int128)0xffffffffffffffffull << 64 | 0xffffffffffffffffull)"
        );
    }

    #[test]
    fn floats_are_exact() {
        assert_eq!(float(u128::from(1.5f64.to_bits()), FloatKind::Double), "0x3p-1");
        assert_eq!(float(u128::from((-0.0f32).to_bits()), FloatKind::Float), "(-0x0p+0f)");
        assert_eq!(float(1, FloatKind::Double), "0x1p-1074");
        assert_eq!(float(u128::from(f64::INFINITY.to_bits()), FloatKind::Double), "__builtin_inf()");
        // 1.0L: exponent 0x3fff, explicit leading one.
        assert_eq!(float(0x3fff << 64 | 1 << 63, FloatKind::LongDouble), "0x1p+0L");
        assert_eq!(float(0x7fff << 64 | 3 << 62, FloatKind::LongDouble), "__builtin_nanl(\"0x0\")");
    }
}
