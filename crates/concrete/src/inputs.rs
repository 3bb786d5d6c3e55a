//! Where unknown values come from: a list, a seed, or a stream. Each value that was used is recorded.

use base::Span;
use base::random::Random;
use program::FloatKind;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;

/// What kind of scalar is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputShape {
    /// `_Bool`: 0 or 1.
    Bool,
    /// An integer or enum.
    Integer {
        /// How many bits it has.
        width: u32,
        /// Is it signed?
        signed: bool,
    },
    /// A floating value, as the bits of its format.
    Float(FloatKind),
    /// A pointer of so many bits, as an address.
    Pointer {
        /// How many bits it has.
        width: u32,
    },
}

/// An input that a run used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumedInput {
    /// The function that was called for it, or what else asked.
    pub name: Arc<str>,
    /// The kind of value.
    pub shape: InputShape,
    /// The value's bits, cut to its width.
    pub bits: u128,
    /// Where it was asked for.
    pub span: Span,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputTrouble {
    /// There are no more.
    Exhausted,
    /// The next one does not fit; in words.
    Unfit(String),
}

/// A source of unknown values.
pub trait Inputs {
    /// The next value for a call of `name`, as bits cut to the shape's width.
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble>;

    /// Is it to be told in which state the run is before each value?
    fn wants_state(&self) -> bool {
        false
    }

    /// The state before the next value; none where it cannot be told.
    fn state(&mut self, _digest: Option<u128>) {}

    /// May a later run go on from before the next value?
    fn comes_back(&self) -> bool {
        false
    }
}

impl InputShape {
    /// Bits of the value.
    pub fn width(self) -> u32 {
        match self {
            InputShape::Bool => 1,
            InputShape::Integer { width, .. } | InputShape::Pointer { width } => width,
            InputShape::Float(FloatKind::Float) => 32,
            InputShape::Float(FloatKind::Double) => 64,
            InputShape::Float(FloatKind::LongDouble) => 80,
            InputShape::Float(FloatKind::Float128) => 128,
        }
    }

    fn cut(self, bits: u128) -> u128 {
        let width = self.width();
        if width >= 128 { bits } else { bits & ((1 << width) - 1) }
    }
}

/// A value as a person writes it in a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer {
        /// Its magnitude.
        magnitude: u128,
        /// Is there a minus sign?
        negative: bool,
    },
    /// Anything with a point or an exponent, and `inf` and `nan`; kept as text so that each format rounds it once.
    Float(String),
}

impl Literal {
    /// Decimal, hexadecimal (`0x`), octal (`0…`), binary (`0b`), floating, or a character in single quotes.
    pub fn parse(text: &str) -> Option<Literal> {
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            let value = character(inner)?;
            return Some(Literal::Integer { magnitude: u128::from(value), negative: false });
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let lower = digits.to_ascii_lowercase();
        let is_hexadecimal = lower.starts_with("0x");
        let whole = lower.trim_end_matches(['u', 'l']);
        let magnitude = if let Some(hexadecimal) = whole.strip_prefix("0x") {
            u128::from_str_radix(hexadecimal, 16).ok()
        } else if let Some(binary) = whole.strip_prefix("0b") {
            u128::from_str_radix(binary, 2).ok()
        } else if whole.len() > 1 && whole.starts_with('0') {
            u128::from_str_radix(whole, 8).ok()
        } else if whole.bytes().all(|byte| byte.is_ascii_digit()) {
            whole.parse().ok()
        } else {
            None
        };
        if let Some(magnitude) = magnitude {
            return Some(Literal::Integer { magnitude, negative });
        }
        let body = if is_hexadecimal { lower.as_str() } else { lower.trim_end_matches(['f', 'l']) };
        let body = if matches!(lower.as_str(), "inf" | "infinity" | "nan") { lower.as_str() } else { body };
        let signed = if negative { format!("-{body}") } else { body.to_owned() };
        crate::number::parse_float(&signed, FloatKind::Double).map(|_| Literal::Float(signed))
    }

    /// The bits of this value in a shape.
    pub fn bits(&self, shape: InputShape) -> Result<u128, InputTrouble> {
        let unfit = |what: &str| InputTrouble::Unfit(what.to_owned());
        match (self, shape) {
            (Literal::Integer { magnitude, negative }, InputShape::Float(kind)) => {
                let text = format!("{}{magnitude}", if *negative { "-" } else { "" });
                crate::number::parse_float(&text, kind).ok_or_else(|| unfit("not a floating value"))
            }
            (Literal::Float(text), InputShape::Float(kind)) => {
                crate::number::parse_float(text, kind).ok_or_else(|| unfit("not a floating value"))
            }
            (Literal::Float(text), _) => {
                Err(InputTrouble::Unfit(format!("`{text}` is given where a whole number is needed")))
            }
            (Literal::Integer { magnitude, negative }, _) => {
                let width = shape.width();
                let most = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
                let least = 1u128 << (width - 1);
                let fits = if *negative { *magnitude <= least } else { *magnitude <= most };
                if !fits {
                    let sign = if *negative { "-" } else { "" };
                    return Err(InputTrouble::Unfit(format!(
                        "{sign}{magnitude} does not fit in {width} bits"
                    )));
                }
                Ok(shape.cut(if *negative { magnitude.wrapping_neg() } else { *magnitude }))
            }
        }
    }
}

fn character(inner: &str) -> Option<u8> {
    let bytes = inner.as_bytes();
    match bytes {
        [plain] if *plain != b'\\' => Some(*plain),
        [b'\\', escaped] => Some(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'0' => 0,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => *escaped,
            _ => return None,
        }),
        [b'\\', b'x', ..] => u8::from_str_radix(&inner[2..], 16).ok(),
        _ => None,
    }
}

/// Values from a list, such as a file: separated by white space, `#` starts a comment, `name = value` is for calls of
/// that function only. A call takes the next value under its own name, and else the next one without a name.
#[derive(Clone, Debug, Default)]
pub struct ListedInputs {
    values: VecDeque<(Option<Arc<str>>, Literal)>,
}

/// A word in a list that is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadList {
    /// Its line, counted from 1.
    pub line: usize,
    /// The word.
    pub word: String,
}

impl std::fmt::Display for BadList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: `{}` is not a value", self.line, self.word)
    }
}

impl ListedInputs {
    /// Reads a list.
    pub fn parse(text: &str) -> Result<ListedInputs, BadList> {
        let mut values = VecDeque::new();
        for (line, text) in text.lines().enumerate() {
            let bad = |word: &str| BadList { line: line + 1, word: word.to_owned() };
            let spaced = without_comment(text).replace('=', " = ");
            let words = split_words(&spaced);
            let mut at = 0;
            while at < words.len() {
                let (name, value, used) = match words.get(at + 1) {
                    Some(&"=") => {
                        let value = words.get(at + 2).ok_or_else(|| bad(words[at]))?;
                        (Some(Arc::from(words[at].trim_end_matches("()"))), *value, 3)
                    }
                    _ => (None, words[at], 1),
                };
                values.push_back((name, Literal::parse(value).ok_or_else(|| bad(value))?));
                at += used;
            }
        }
        Ok(ListedInputs { values })
    }
}

/// The comment starts at a `#` that is not inside a character literal.
fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let at = bytes.iter().enumerate().position(|(at, &byte)| {
        byte == b'#' && !(at > 0 && bytes[at - 1] == b'\'' && bytes.get(at + 1) == Some(&b'\''))
    });
    at.map_or(line, |at| &line[..at])
}

/// White space separates, except in `' '`.
fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end =
            if rest.starts_with("' '") { 3 } else { rest.find(char::is_whitespace).unwrap_or(rest.len()) };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

impl Inputs for ListedInputs {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let named = self.values.iter().position(|(own, _)| own.as_deref() == Some(name));
        let at = named.or_else(|| self.values.iter().position(|(own, _)| own.is_none()));
        let (_, literal) = at.and_then(|at| self.values.remove(at)).ok_or(InputTrouble::Exhausted)?;
        literal.bits(shape)
    }
}

/// Pseudo-random values: the same seed gives the same values on every machine. Small and extreme values come often.
#[derive(Clone, Debug)]
pub struct SeededInputs(Random);

impl SeededInputs {
    /// Values of that seed.
    pub fn new(seed: u64) -> SeededInputs {
        SeededInputs(Random::new(seed))
    }
}

impl Inputs for SeededInputs {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let choice = self.0.bits() % 8;
        let raw = u128::from(self.0.bits()) << 64 | u128::from(self.0.bits());
        let small = i128::from((raw % 65) as u8) - 32;
        let bits = match shape {
            InputShape::Bool => raw & 1,
            InputShape::Float(kind) if choice < 5 => {
                let hundredths = (raw % 200_001) as i64 - 100_000;
                crate::number::float_from_f64(hundredths as f64 / 100.0, kind)
            }
            InputShape::Float(kind) => crate::number::float_from_f64(f64::from_bits(raw as u64), kind),
            // An address nobody gave out is of no use to a program: null, mostly.
            InputShape::Pointer { .. } if choice < 6 => 0,
            InputShape::Pointer { .. } => raw,
            InputShape::Integer { width, .. } => match choice {
                0..4 => small as u128,
                4 => 1u128 << (raw % u128::from(width)),
                5 => (1u128 << (width - 1)).wrapping_sub(1 + (raw & 1)),
                _ => raw,
            },
        };
        Ok(shape.cut(bits))
    }
}

/// Values read one word at a time from a stream, such as `stdin`. `#` comments reach to the end of the line.
#[derive(Debug)]
pub struct StreamedInputs<R> {
    reader: R,
    words: VecDeque<String>,
}

impl<R: BufRead> StreamedInputs<R> {
    /// Reads from there, line by line as needed.
    pub fn new(reader: R) -> StreamedInputs<R> {
        StreamedInputs { reader, words: VecDeque::new() }
    }
}

impl<R: BufRead> Inputs for StreamedInputs<R> {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        while self.words.is_empty() {
            let mut line = String::new();
            match self.reader.read_line(&mut line) {
                Ok(0) | Err(_) => return Err(InputTrouble::Exhausted),
                Ok(_) => self.words.extend(split_words(without_comment(&line)).iter().map(|&w| w.to_owned())),
            }
        }
        let word = self.words.pop_front().ok_or(InputTrouble::Exhausted)?;
        let literal =
            Literal::parse(&word).ok_or_else(|| InputTrouble::Unfit(format!("`{word}` is not a value")))?;
        literal.bits(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const INT: InputShape = InputShape::Integer { width: 32, signed: true };

    #[test]
    fn lists_hold_named_and_plain_values() {
        let text = "1 0x10 # two\n'a' f = -3\n' ' 1.5";
        let mut list = ListedInputs::parse(text).expect("a good list");
        assert_eq!(list.next("f", INT), Ok(u128::from(-3i32 as u32)));
        assert_eq!(list.next("f", INT), Ok(1));
        assert_eq!(list.next("g", INT), Ok(16));
        assert_eq!(list.next("g", INT), Ok(97));
        assert_eq!(list.next("g", INT), Ok(32));
        assert_eq!(list.next("g", InputShape::Float(FloatKind::Double)), Ok(u128::from(1.5f64.to_bits())));
        assert_eq!(list.next("g", INT), Err(InputTrouble::Exhausted));
        assert_eq!(ListedInputs::parse("1\nx").unwrap_err(), BadList { line: 2, word: "x".into() });
    }

    #[test]
    fn values_must_fit() {
        let byte = InputShape::Integer { width: 8, signed: true };
        let parse = |text: &str| Literal::parse(text).expect("a value").bits(byte);
        assert_eq!(parse("255"), Ok(255));
        assert_eq!(parse("-128"), Ok(128));
        assert!(parse("256").is_err() && parse("-129").is_err() && parse("1.0").is_err());
    }

    #[test]
    fn seeds_are_stable() {
        let mut inputs = SeededInputs::new(7);
        let drawn: Vec<u128> = (0..4).map(|_| inputs.next("f", INT).expect("endless")).collect();
        let mut again = SeededInputs::new(7);
        assert_eq!(drawn, (0..4).map(|_| again.next("f", INT).expect("endless")).collect::<Vec<_>>());
    }
}
