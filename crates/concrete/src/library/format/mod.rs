//! `printf` formats: parsed by `library::format`, numbers laid out in [`integer`] and [`float`], arguments fetched and
//! checked in [`run`].

pub mod float;
pub mod integer;
pub mod run;

pub use library::format::Flags;

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
