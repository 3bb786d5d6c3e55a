//! Numbers: integer and floating literals with the suffixes gcc takes.

use crate::syntax::{FloatSuffix, IntegerSuffix};

/// A decoded number.
#[derive(Debug, PartialEq)]
pub(crate) enum Number {
    Integer { value: u128, is_decimal: bool, suffix: IntegerSuffix },
    Float { text: String, suffix: FloatSuffix, is_imaginary: bool },
}

/// Decodes a preprocessing number, or says what is wrong with it (a sentence without a full stop).
pub(crate) fn decode_number(text: &str) -> Result<Number, String> {
    let bytes = text.as_bytes();
    // The common case: a short decimal number without anything else.
    if bytes.len() < 19 && bytes.iter().all(u8::is_ascii_digit) && (bytes[0] != b'0' || bytes.len() == 1) {
        let value = bytes.iter().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        let (value, suffix) = (u128::from(value), IntegerSuffix::default());
        return Ok(Number::Integer { value, is_decimal: true, suffix });
    }
    let joined;
    let text = if text.contains('\'') {
        joined = text.replace('\'', "");
        joined.as_str()
    } else {
        text
    };
    match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => decode_hexadecimal(text),
        [b'0', b'b' | b'B', ..] => {
            let digits = run(&text[2..], |byte| byte.is_ascii_digit());
            if let Some(bad) = digits.chars().find(|&digit| digit > '1') {
                return Err(format!("`{bad}` is not a binary digit"));
            }
            if digits.is_empty() {
                return Err("a binary number needs digits after `0b`".to_owned());
            }
            integer(digits, 2, &text[2 + digits.len()..])
        }
        _ => decode_decimal_or_octal(text),
    }
}

fn run(text: &str, accepts: impl Fn(u8) -> bool) -> &str {
    &text[..text.bytes().take_while(|&byte| accepts(byte)).count()]
}

fn decode_hexadecimal(text: &str) -> Result<Number, String> {
    let whole = run(&text[2..], |byte| byte.is_ascii_hexdigit());
    let mut at = 2 + whole.len();
    let mut has_digits = !whole.is_empty();
    let mut is_float = false;
    if text[at..].starts_with('.') {
        is_float = true;
        let fraction = run(&text[at + 1..], |byte| byte.is_ascii_hexdigit());
        has_digits |= !fraction.is_empty();
        at += 1 + fraction.len();
    }
    if !has_digits {
        return Err("a hexadecimal number needs digits after `0x`".to_owned());
    }
    match exponent(&text[at..], b'p')? {
        Some(length) => at += length,
        None if is_float => return Err("a hexadecimal floating number needs an exponent `p`".to_owned()),
        None => return integer(whole, 16, &text[at..]),
    }
    floating(&text[..at], &text[at..])
}

fn decode_decimal_or_octal(text: &str) -> Result<Number, String> {
    let whole = run(text, |byte| byte.is_ascii_digit());
    let mut at = whole.len();
    let mut is_float = false;
    if text[at..].starts_with('.') {
        is_float = true;
        at += 1 + run(&text[at + 1..], |byte| byte.is_ascii_digit()).len();
    }
    if let Some(length) = exponent(&text[at..], b'e')? {
        is_float = true;
        at += length;
    }
    if is_float {
        return floating(&text[..at], &text[at..]);
    }
    // `10f` would be an integer with a bad suffix in C; say so below.
    if whole.len() > 1 && whole.starts_with('0') {
        if let Some(bad) = whole.chars().find(|&digit| digit > '7') {
            return Err(format!("`{bad}` is not an octal digit"));
        }
        return integer(whole, 8, &text[at..]);
    }
    match integer(whole, 10, &text[at..])? {
        Number::Integer { value, suffix, .. } => {
            // A lone `0` is octal by the letter of the standard; no type depends on it.
            Ok(Number::Integer { value, is_decimal: true, suffix })
        }
        other => Ok(other),
    }
}

/// The length of an exponent that starts with `letter`, in either case.
fn exponent(text: &str, letter: u8) -> Result<Option<usize>, String> {
    let bytes = text.as_bytes();
    if bytes.first().map(u8::to_ascii_lowercase) != Some(letter) {
        return Ok(None);
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    let digits = run(&text[1 + sign..], |byte| byte.is_ascii_digit()).len();
    if digits == 0 {
        return Err("the exponent has no digits".to_owned());
    }
    Ok(Some(1 + sign + digits))
}

fn integer(digits: &str, radix: u32, suffix: &str) -> Result<Number, String> {
    let mut value: u128 = 0;
    for digit in digits.chars() {
        let digit = digit.to_digit(radix).unwrap_or(0);
        value = value
            .checked_mul(u128::from(radix))
            .and_then(|value| value.checked_add(u128::from(digit)))
            .ok_or("the integer is too large for any type")?;
    }
    let (core, is_imaginary) = without_imaginary(suffix);
    let lower = core.to_ascii_lowercase();
    let parsed = match lower.as_str() {
        "" => IntegerSuffix::default(),
        "u" => IntegerSuffix { unsigned: true, ..Default::default() },
        "l" => IntegerSuffix { long: true, ..Default::default() },
        "ul" | "lu" => IntegerSuffix { unsigned: true, long: true, long_long: false },
        "ll" => IntegerSuffix { unsigned: false, long: false, long_long: true },
        "ull" | "llu" => IntegerSuffix { unsigned: true, long: false, long_long: true },
        _ => return Err(format!("`{suffix}` is not a suffix of an integer")),
    };
    // `lL` and `Ll` are no suffixes.
    if parsed.long_long && (core.contains("lL") || core.contains("Ll")) {
        return Err(format!("`{suffix}` is not a suffix of an integer"));
    }
    if is_imaginary {
        // Complex numbers are flagged later anyway; their value is kept as a floating one.
        return Ok(Number::Float { text: value.to_string(), suffix: FloatSuffix::Double, is_imaginary });
    }
    Ok(Number::Integer { value, is_decimal: radix == 10, suffix: parsed })
}

fn floating(text: &str, suffix: &str) -> Result<Number, String> {
    let (core, is_imaginary) = without_imaginary(suffix);
    let kind = match core.to_ascii_lowercase().as_str() {
        "" | "d" | "f64" | "f32x" => FloatSuffix::Double,
        "f" | "f32" => FloatSuffix::Float,
        "l" | "w" | "f64x" => FloatSuffix::LongDouble,
        "q" | "f128" => FloatSuffix::Float128,
        "df" | "dd" | "dl" => return Err("decimal floating numbers are not supported".to_owned()),
        "f16" | "bf16" => return Err("16-bit floating numbers are not supported".to_owned()),
        _ => return Err(format!("`{suffix}` is not a suffix of a floating number")),
    };
    Ok(Number::Float { text: text.to_owned(), suffix: kind, is_imaginary })
}

/// GNU C marks imaginary numbers by one `i` or `j` before or after the rest of the suffix.
fn without_imaginary(suffix: &str) -> (&str, bool) {
    let mark = ['i', 'j', 'I', 'J'];
    if let Some(rest) = suffix.strip_prefix(mark) {
        (rest, true)
    } else if let Some(rest) = suffix.strip_suffix(mark) {
        (rest, true)
    } else {
        (suffix, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer_of(text: &str) -> (u128, bool, IntegerSuffix) {
        match decode_number(text) {
            Ok(Number::Integer { value, is_decimal, suffix }) => (value, is_decimal, suffix),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn float_of(text: &str) -> (String, FloatSuffix, bool) {
        match decode_number(text) {
            Ok(Number::Float { text, suffix, is_imaginary }) => (text, suffix, is_imaginary),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers_in_all_bases() {
        let none = IntegerSuffix::default();
        assert_eq!(integer_of("0"), (0, true, none));
        assert_eq!(integer_of("12345678901234567890123"), (12345678901234567890123, true, none));
        assert_eq!(integer_of("0x1F"), (31, false, none));
        assert_eq!(integer_of("0b101"), (5, false, none));
        assert_eq!(integer_of("0755"), (0o755, false, none));
        assert_eq!(integer_of("1'000'000"), (1_000_000, true, none));
        assert_eq!(integer_of("340282366920938463463374607431768211455").0, u128::MAX);
    }

    #[test]
    fn integer_suffixes() {
        let full = IntegerSuffix { unsigned: true, long: false, long_long: true };
        for text in ["7ull", "7ULL", "7LLU", "7uLL", "7llU"] {
            assert_eq!(integer_of(text), (7, true, full), "{text}");
        }
        assert_eq!(integer_of("0xFFul").2, IntegerSuffix { unsigned: true, long: true, long_long: false });
        for text in ["7lL", "7lul", "7uu", "7f", "7x", "08", "0b12", "0x", "0b", "1_000"] {
            assert!(decode_number(text).is_err(), "{text}");
        }
        assert!(decode_number("340282366920938463463374607431768211456").is_err());
    }

    #[test]
    fn floats_keep_their_text() {
        assert_eq!(float_of("1.5e3f"), ("1.5e3".into(), FloatSuffix::Float, false));
        assert_eq!(float_of(".5"), (".5".into(), FloatSuffix::Double, false));
        assert_eq!(float_of("1."), ("1.".into(), FloatSuffix::Double, false));
        assert_eq!(float_of("0x1.8p-3L"), ("0x1.8p-3".into(), FloatSuffix::LongDouble, false));
        assert_eq!(float_of("09.5"), ("09.5".into(), FloatSuffix::Double, false));
        assert_eq!(float_of("1e10F128"), ("1e10".into(), FloatSuffix::Float128, false));
        assert_eq!(float_of("1.0i"), ("1.0".into(), FloatSuffix::Double, true));
        assert_eq!(float_of("2.0if"), ("2.0".into(), FloatSuffix::Float, true));
        assert_eq!(float_of("3i"), ("3".into(), FloatSuffix::Double, true));
        for text in ["1e", "1.5x", "0x1.8", "0x.p1", "1.0dd", "1.2.3", "0xe+1"] {
            assert!(decode_number(text).is_err(), "{text}");
        }
    }
}
