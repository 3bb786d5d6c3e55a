//! `%f %e %g %a` in all formats, exactly as glibc writes them: the value is expanded completely and rounded once,
//! halves to even.

use super::{Flags, Layout};
use crate::number::decimal::Decimal;
use crate::number::{Class, parts};
use program::FloatKind;

/// A floating value laid out.
pub fn float(layout: &Layout, bits: u128, kind: FloatKind, out: &mut Vec<u8>) {
    let parts = parts(bits, kind);
    let is_upper = layout.conversion.is_ascii_uppercase();
    let sign = layout.sign(parts.negative);
    let (mantissa, exponent) = match parts.class {
        Class::Number { mantissa, exponent } => (mantissa, exponent),
        other => {
            let word: &[u8] = match (other, is_upper) {
                (Class::Infinite, false) => b"inf",
                (Class::Infinite, true) => b"INF",
                (_, false) => b"nan",
                (_, true) => b"NAN",
            };
            layout.number(sign, word, false, out);
            return;
        }
    };
    let mut digits = Vec::new();
    let mut prefix = sign.to_vec();
    match layout.conversion.to_ascii_lowercase() {
        b'a' => {
            prefix.extend_from_slice(if is_upper { b"0X" } else { b"0x" });
            hexadecimal(layout, mantissa, exponent, kind, &mut digits);
            if is_upper {
                digits.make_ascii_uppercase();
            }
        }
        letter => {
            let decimal = Decimal::new(mantissa, exponent);
            let precision = layout.precision.unwrap_or(6);
            let marker = if is_upper { b'E' } else { b'e' };
            let keeps_point = layout.flags.alternate;
            match letter {
                b'f' => fixed(&decimal, precision, keeps_point, &mut digits),
                b'e' => scientific(&decimal, precision, keeps_point, marker, &mut digits),
                _ => general(&decimal, precision, keeps_point, marker, &mut digits),
            }
        }
    }
    layout.number(&prefix, &digits, true, out);
}

/// A value for messages: short, but enough to recognise it.
pub fn shortest(bits: u128, kind: FloatKind) -> String {
    let layout = Layout { flags: Flags::default(), width: 0, precision: Some(10), conversion: b'g' };
    let mut out = Vec::new();
    float(&layout, bits, kind, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn fixed(decimal: &Decimal, precision: usize, keeps_point: bool, out: &mut Vec<u8>) {
    let rounded = decimal.rounded(i64::from(decimal.point) + precision as i64);
    let whole = i64::from(rounded.point).max(1);
    for power in (0..whole).rev() {
        out.push(b'0' + rounded.digit(power));
    }
    if precision > 0 || keeps_point {
        out.push(b'.');
    }
    for place in 1..=precision as i64 {
        out.push(b'0' + rounded.digit(-place));
    }
}

fn scientific(decimal: &Decimal, precision: usize, keeps_point: bool, marker: u8, out: &mut Vec<u8>) {
    let rounded = decimal.rounded(precision as i64 + 1);
    let exponent = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
    let digit = |index: usize| b'0' + rounded.digits.get(index).copied().unwrap_or(0);
    out.push(digit(0));
    if precision > 0 || keeps_point {
        out.push(b'.');
    }
    out.extend((1..=precision).map(digit));
    out.push(marker);
    out.push(if exponent < 0 { b'-' } else { b'+' });
    out.extend_from_slice(format!("{:02}", exponent.unsigned_abs()).as_bytes());
}

fn general(decimal: &Decimal, precision: usize, keeps_zeros: bool, marker: u8, out: &mut Vec<u8>) {
    let precision = precision.max(1);
    let rounded = decimal.rounded(precision as i64);
    let exponent = if rounded.digits.is_empty() { 0 } else { i64::from(rounded.point) - 1 };
    // Without `#` trailing zeros go, so only the digits that are there count.
    let significant = if keeps_zeros { precision } else { rounded.digits.len().max(1) };
    if exponent >= -4 && exponent < precision as i64 {
        let places = (significant as i64 - 1 - exponent).max(0) as usize;
        fixed(&rounded, places, keeps_zeros, out);
    } else {
        scientific(&rounded, significant - 1, keeps_zeros, marker, out);
    }
}

fn hexadecimal(layout: &Layout, mantissa: u128, exponent: i32, kind: FloatKind, out: &mut Vec<u8>) {
    // glibc writes the x87's explicit leading bit as part of a full hexadecimal digit, other formats' implicit one
    // alone.
    let places: usize = match kind {
        FloatKind::Float | FloatKind::Double => 13,
        FloatKind::LongDouble => 15,
        FloatKind::Float128 => 28,
    };
    // `float` arguments arrive as `double`; a single is shown in the double's digits all the same.
    let (mantissa, exponent) = match kind {
        FloatKind::Float => (mantissa << 29, exponent - 29),
        _ => (mantissa, exponent),
    };
    let mut power = if mantissa == 0 { 0 } else { exponent + 4 * places as i32 };
    let mut digits: Vec<u8> = (0..=places).rev().map(|place| (mantissa >> (4 * place)) as u8 & 15).collect();
    match layout.precision {
        None => {
            while digits.len() > 1 && digits.last() == Some(&0) {
                digits.pop();
            }
        }
        Some(precision) if precision < places => {
            let rest = digits.split_off(precision + 1);
            let is_tie = rest[0] == 8 && rest[1..].iter().all(|&digit| digit == 0);
            let is_odd = digits[precision] % 2 == 1;
            if rest[0] > 8 || (rest[0] == 8 && !is_tie) || (is_tie && is_odd) {
                let mut at = digits.len();
                loop {
                    if at == 0 {
                        digits[0] = 1;
                        power += 4;
                        break;
                    }
                    at -= 1;
                    if digits[at] == 15 {
                        digits[at] = 0;
                    } else {
                        digits[at] += 1;
                        break;
                    }
                }
            }
        }
        Some(precision) => digits.resize(precision + 1, 0),
    }
    let shown = |digit: u8| b"0123456789abcdef"[digit as usize];
    out.push(shown(digits[0]));
    if digits.len() > 1 || layout.flags.alternate {
        out.push(b'.');
    }
    out.extend(digits[1..].iter().map(|&digit| shown(digit)));
    out.extend_from_slice(format!("p{power:+}").as_bytes());
}
