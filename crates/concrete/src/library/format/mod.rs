//! `printf` formats: parsed here, numbers laid out in [`integer`] and [`float`], arguments fetched and checked in [`run`].

pub mod float;
pub mod integer;
pub mod run;

/// The flags of a directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// a blank
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
}

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Not given.
    Absent,
    /// Written in the format.
    Written(u32),
    /// `*`: taken from the arguments.
    Argument,
}

/// A length modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Length {
    None,
    Char,
    Short,
    Long,
    LongLong,
    Max,
    Size,
    Difference,
    LongDouble,
}

/// One `%…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Its flags.
    pub flags: Flags,
    /// Least width.
    pub width: Amount,
    /// Precision.
    pub precision: Amount,
    /// Size of the argument.
    pub length: Length,
    /// The letter.
    pub conversion: u8,
}

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'f> {
    /// To be copied.
    Text(&'f [u8]),
    /// A directive.
    Directive(Directive),
    /// Something after `%` that is none.
    Broken(&'f [u8]),
}

/// Splits a format into pieces.
pub fn pieces(format: &[u8]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while !rest.is_empty() {
        let text = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        if text > 0 {
            pieces.push(Piece::Text(&rest[..text]));
            rest = &rest[text..];
            continue;
        }
        let (piece, used) = directive(rest);
        pieces.push(piece);
        rest = &rest[used..];
    }
    pieces
}

/// The directive at the start of `text`, and its length.
fn directive(text: &[u8]) -> (Piece<'_>, usize) {
    let mut at = 1;
    let mut flags = Flags::default();
    while let Some(byte) = text.get(at) {
        match byte {
            b'-' => flags.left = true,
            b'+' => flags.plus = true,
            b' ' => flags.space = true,
            b'#' => flags.alternate = true,
            b'0' => flags.zero = true,
            b'\'' | b'I' => {} // grouping and digits of the locale: the C locale has neither
            _ => break,
        }
        at += 1;
    }
    let width = amount(text, &mut at);
    let precision = if text.get(at) == Some(&b'.') {
        at += 1;
        match amount(text, &mut at) {
            Amount::Absent => Amount::Written(0),
            found => found,
        }
    } else {
        Amount::Absent
    };
    let (length, used) = match &text[at.min(text.len())..] {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', b'l', ..] => (Length::LongLong, 2),
        [b'l', ..] => (Length::Long, 1),
        [b'q', ..] => (Length::LongLong, 1),
        [b'j', ..] => (Length::Max, 1),
        [b'z' | b'Z', ..] => (Length::Size, 1),
        [b't', ..] => (Length::Difference, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        _ => (Length::None, 0),
    };
    at += used;
    match text.get(at) {
        Some(&conversion) if b"diouxXcsCSpfFeEgGaAnm%".contains(&conversion) => {
            (Piece::Directive(Directive { flags, width, precision, length, conversion }), at + 1)
        }
        _ => {
            let end = (at + 1).min(text.len());
            (Piece::Broken(&text[..end]), end)
        }
    }
}

fn amount(text: &[u8], at: &mut usize) -> Amount {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Amount::Argument;
    }
    let digits = text[(*at).min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Amount::Absent;
    }
    let number = text[*at..*at + digits]
        .iter()
        .fold(0u32, |number, byte| number.saturating_mul(10).saturating_add(u32::from(byte - b'0')));
    *at += digits;
    Amount::Written(number)
}

/// A directive with its width and precision known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its flags.
    pub flags: Flags,
    /// Least width.
    pub width: usize,
    /// Precision.
    pub precision: Option<usize>,
    /// The letter.
    pub conversion: u8,
}

impl Layout {
    /// A text padded with blanks to the width.
    pub fn padded(&self, text: &[u8], out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(text.len());
        if !self.flags.left {
            out.resize(out.len() + missing, b' ');
        }
        out.extend_from_slice(text);
        if self.flags.left {
            out.resize(out.len() + missing, b' ');
        }
    }

    /// A number (sign and prefix, then digits) padded with blanks, or with zeros between the two if `zeros` allows.
    pub fn number(&self, prefix: &[u8], digits: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let fill_zeros = zeros && self.flags.zero && !self.flags.left;
        if !fill_zeros && !self.flags.left {
            out.resize(out.len() + missing, b' ');
        }
        out.extend_from_slice(prefix);
        if fill_zeros {
            out.resize(out.len() + missing, b'0');
        }
        out.extend_from_slice(digits);
        if self.flags.left {
            out.resize(out.len() + missing, b' ');
        }
    }

    /// What stands before a number of that sign.
    pub fn sign(&self, negative: bool) -> &'static [u8] {
        if negative {
            b"-"
        } else if self.flags.plus {
            b"+"
        } else if self.flags.space {
            b" "
        } else {
            b""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_split_into_pieces() {
        let found = pieces(b"a%-08.*lld%%");
        let flags = Flags { left: true, zero: true, ..Flags::default() };
        let long = Directive {
            flags,
            width: Amount::Written(8),
            precision: Amount::Argument,
            length: Length::LongLong,
            conversion: b'd',
        };
        assert_eq!(found[0], Piece::Text(b"a"));
        assert_eq!(found[1], Piece::Directive(long));
        assert!(matches!(found[2], Piece::Directive(Directive { conversion: b'%', .. })));
        assert_eq!(pieces(b"%y"), [Piece::Broken(b"%y")]);
        assert_eq!(pieces(b"%"), [Piece::Broken(b"%")]);
    }
}
