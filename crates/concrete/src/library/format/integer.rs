//! `%d %i %u %o %x %X %p`.

use super::Layout;

/// A signed number.
pub fn signed(layout: &Layout, value: i128, out: &mut Vec<u8>) {
    let digits = at_least(layout, value.unsigned_abs().to_string().into_bytes(), value == 0);
    layout.number(layout.sign(value < 0), &digits, layout.precision.is_none(), out);
}

/// An unsigned number in the base its letter says.
pub fn unsigned(layout: &Layout, value: u128, out: &mut Vec<u8>) {
    let digits = match layout.conversion {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let mut digits = at_least(layout, digits.into_bytes(), value == 0);
    let mut prefix: &[u8] = b"";
    if layout.flags.alternate {
        match layout.conversion {
            b'o' if digits.first() != Some(&b'0') => digits.insert(0, b'0'),
            b'x' if value != 0 => prefix = b"0x",
            b'X' if value != 0 => prefix = b"0X",
            _ => {}
        }
    }
    layout.number(prefix, &digits, layout.precision.is_none(), out);
}

/// An address, as glibc writes it.
pub fn pointer(layout: &Layout, address: u64, out: &mut Vec<u8>) {
    if address == 0 {
        layout.padded(b"(nil)", out);
        return;
    }
    let digits = at_least(layout, format!("{address:x}").into_bytes(), false);
    let mut prefix = layout.sign(false).to_vec();
    prefix.extend_from_slice(b"0x");
    layout.number(&prefix, &digits, layout.precision.is_none(), out);
}

/// Digits filled up with zeros to the precision; none for zero with precision zero.
fn at_least(layout: &Layout, digits: Vec<u8>, is_zero: bool) -> Vec<u8> {
    match layout.precision {
        Some(0) if is_zero => Vec::new(),
        Some(precision) if precision > digits.len() => {
            let mut filled = vec![b'0'; precision - digits.len()];
            filled.extend_from_slice(&digits);
            filled
        }
        _ => digits,
    }
}
