//! Formats of `printf` and `scanf`: one parser, and the description of a call whose format is known, as C text with
//! contract words.
//!
//! C11 7.21.6.1 and 7.21.6.2, with what glibc adds (`%m`, `%C`, `%S`, `q`, `Z`). `tests/suite/formats.rs` compares what
//! a directive needs with gcc's `-Wformat`, and the texts that the descriptions produce with those of glibc.

pub mod print;
pub mod scan;

use std::fmt::Write as _;

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
    /// It is not given.
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

impl Length {
    /// The modifier at the start of `text`, and how many bytes it has.
    fn at_start_of(text: &[u8]) -> (Length, usize) {
        match text {
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
        }
    }

    /// Bytes of the integer it means, where pointers have `word` bytes.
    pub fn integer_bytes(self, word: usize) -> usize {
        match self {
            Length::Char => 1,
            Length::Short => 2,
            Length::None => 4,
            Length::Long | Length::Size | Length::Difference => word,
            Length::LongLong | Length::Max | Length::LongDouble => 8,
        }
    }

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Length::None => "",
            Length::Char => "hh",
            Length::Short => "h",
            Length::Long => "l",
            Length::LongLong => "ll",
            Length::Max => "j",
            Length::Size => "z",
            Length::Difference => "t",
            Length::LongDouble => "L",
        }
    }
}

/// One `%…` of an output format.
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
    /// The letter of the conversion, such as `d`.
    pub conversion: u8,
}

/// What a directive (or a `*`) takes from the arguments, after the default promotions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing: `%%`, `%m`.
    Nothing,
    /// An integer of so many bytes.
    Integer(usize),
    /// A `double`.
    Double,
    /// A `long double`.
    LongDouble,
    /// A pointer.
    Pointer,
}

impl Directive {
    /// What the conversion itself takes, where pointers have `word` bytes.
    pub fn wanted(&self, word: usize) -> Wanted {
        match self.conversion {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                Wanted::Integer(self.length.integer_bytes(word).max(4))
            }
            b'c' | b'C' => Wanted::Integer(4),
            b's' | b'S' | b'p' | b'n' => Wanted::Pointer,
            b'%' | b'm' => Wanted::Nothing,
            // glibc takes `ll` for `L` here.
            _ if matches!(self.length, Length::LongDouble | Length::LongLong) => Wanted::LongDouble,
            _ => Wanted::Double,
        }
    }

    /// Does it show wide characters?
    pub fn is_wide(&self) -> bool {
        matches!(self.conversion, b'C' | b'S')
            || (matches!(self.conversion, b'c' | b's') && self.length == Length::Long)
    }

    /// Its letter with the length modifier, as a person names it: `%ld`.
    pub fn name(&self) -> String {
        format!("%{}{}", self.length.text(), self.conversion as char)
    }
}

/// A piece of an output format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'f> {
    /// To be copied.
    Text(&'f [u8]),
    /// A directive.
    Directive(Directive),
    /// Something after `%` that is none.
    Broken(&'f [u8]),
}

/// Splits an output format into pieces.
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

/// Is the broken piece one that names its argument by position (`%1$d`), which POSIX knows?
pub fn is_positional(broken: &[u8]) -> bool {
    broken.contains(&b'$') || broken.last().is_some_and(u8::is_ascii_digit)
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
    let (length, used) = Length::at_start_of(&text[at.min(text.len())..]);
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
    match number(text, at) {
        Some(number) => Amount::Written(number),
        None => Amount::Absent,
    }
}

/// A decimal number, cut to the largest there is.
fn number(text: &[u8], at: &mut usize) -> Option<u32> {
    let digits = text[(*at).min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let number = text[*at..*at + digits]
        .iter()
        .fold(0u32, |number, byte| number.saturating_mul(10).saturating_add(u32::from(byte - b'0')));
    *at += digits;
    Some(number)
}

/// One `%…` of an input format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanDirective {
    /// `*`: read and not stored.
    pub is_dropped: bool,
    /// Most characters to read.
    pub width: Option<usize>,
    /// `m`: the text is put into memory that `malloc` gives (POSIX).
    pub allocates: bool,
    /// Size of what is stored.
    pub length: Length,
    /// The letter of the conversion, such as `d`.
    pub conversion: u8,
    /// For `%[…]`: which bytes belong to it.
    pub set: Option<Box<[bool; 256]>>,
}

/// A piece of an input format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanPiece {
    /// White space: any amount of it, none included.
    Space,
    /// This character must come; `%%` skips white space first.
    Character {
        /// The character.
        byte: u8,
        /// Is white space before it skipped?
        skips_space: bool,
    },
    /// A directive.
    Directive(ScanDirective),
    /// Something after `%` that is none.
    Broken,
}

/// Splits an input format into pieces. Nothing follows a broken one.
pub fn scan_pieces(format: &[u8]) -> Vec<ScanPiece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if is_space(byte) {
            if pieces.last() != Some(&ScanPiece::Space) {
                pieces.push(ScanPiece::Space);
            }
        } else if byte != b'%' {
            pieces.push(ScanPiece::Character { byte, skips_space: false });
        } else if format.get(at) == Some(&b'%') {
            at += 1;
            pieces.push(ScanPiece::Character { byte, skips_space: true });
        } else {
            match scan_directive(format, &mut at) {
                Some(directive) => pieces.push(ScanPiece::Directive(directive)),
                None => {
                    pieces.push(ScanPiece::Broken);
                    return pieces;
                }
            }
        }
    }
    pieces
}

/// White space in the C locale.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

fn scan_directive(format: &[u8], at: &mut usize) -> Option<ScanDirective> {
    let is_dropped = format.get(*at) == Some(&b'*');
    if is_dropped {
        *at += 1;
    }
    let width = number(format, at).map(|width| width as usize);
    let allocates = format.get(*at) == Some(&b'm');
    if allocates {
        *at += 1;
    }
    let (length, used) = Length::at_start_of(format.get(*at..)?);
    *at += used;
    let conversion = *format.get(*at)?;
    if !b"diouxXpaAeEfFgGcCsSn[".contains(&conversion) {
        return None;
    }
    *at += 1;
    let set = if conversion == b'[' { Some(scan_set(format, at)?) } else { None };
    let width = width.filter(|&width| width > 0);
    Some(ScanDirective { is_dropped, width, allocates, length, conversion, set })
}

fn scan_set(format: &[u8], at: &mut usize) -> Option<Box<[bool; 256]>> {
    let is_negated = format.get(*at) == Some(&b'^');
    if is_negated {
        *at += 1;
    }
    let mut set = Box::new([false; 256]);
    let start = *at;
    loop {
        let byte = *format.get(*at)?;
        if byte == b']' && *at > start {
            *at += 1;
            break;
        }
        match (format.get(*at + 1), format.get(*at + 2)) {
            (Some(b'-'), Some(&high)) if high != b']' && high >= byte => {
                (byte..=high).for_each(|member| set[member as usize] = true);
                *at += 3;
            }
            _ => {
                set[byte as usize] = true;
                *at += 1;
            }
        }
    }
    if is_negated {
        set.iter_mut().for_each(|member| *member = !*member);
    }
    Some(set)
}

/// An argument as it is passed, after the default promotions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Passed {
    /// An integer of so many bytes.
    Integer(usize),
    /// A `double`.
    Double,
    /// A `long double`.
    LongDouble,
    /// A pointer to `void`, to a function, or to what has no size here.
    Pointer,
    /// A pointer to an object: the bytes of the integer it is, or `None` for what is no integer.
    PointerTo(Option<usize>),
    /// A pointer to a string literal with this text.
    Literal(Vec<u8>),
    /// A record, or what else no directive takes.
    Other,
}

impl Passed {
    /// Can it be taken as what is wanted, as compiled code does it? Integers of a pointer's size and pointers pass for
    /// each other.
    pub fn fits(&self, wanted: Wanted, word: usize) -> bool {
        let is_pointer = self.is_pointer();
        match wanted {
            Wanted::Nothing => true,
            Wanted::Integer(bytes) => *self == Passed::Integer(bytes) || (is_pointer && bytes == word),
            Wanted::Pointer => is_pointer || *self == Passed::Integer(word),
            Wanted::Double => *self == Passed::Double,
            Wanted::LongDouble => *self == Passed::LongDouble,
        }
    }

    fn is_pointer(&self) -> bool {
        matches!(self, Passed::Pointer | Passed::PointerTo(_) | Passed::Literal(_))
    }

    /// May `%n` store an integer of so many bytes there? (C11 7.21.6.1p9: an argument of another type is undefined
    /// behaviour. A pointer to `void` or to an integer of the other signedness works wherever the right one does.)
    pub fn takes_count(&self, bytes: usize) -> bool {
        match self {
            Passed::PointerTo(own) => *own == Some(bytes),
            _ => true,
        }
    }

    /// A type that takes it as a parameter; `None` for what is not looked at.
    fn parameter(&self) -> Option<&'static str> {
        Some(match self {
            Passed::Integer(4) => "int",
            Passed::Integer(8) => "long long",
            Passed::Double => "double",
            Passed::LongDouble => "long double",
            Passed::Pointer | Passed::PointerTo(_) | Passed::Literal(_) => "void *",
            Passed::Integer(_) | Passed::Other => return None,
        })
    }
}

/// The parameters for arguments, named `a0`, `a1`, …, as far as they can be named: extra arguments are not looked at.
fn parameters(passed: &[Passed]) -> String {
    let mut text = String::new();
    for (number, parameter) in passed.iter().map_while(Passed::parameter).enumerate() {
        let _ = write!(text, ", {parameter} a{number}");
    }
    text
}

/// Which calls are described by their format: where the text goes or comes from, and the number of arguments before the
/// format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `printf(format, …)`
    Printf,
    /// `fprintf(stream, format, …)`
    Fprintf,
    /// `sprintf(buffer, format, …)`
    Sprintf,
    /// `snprintf(buffer, size, format, …)`
    Snprintf,
    /// `scanf(format, …)`
    Scanf,
    /// `fscanf(stream, format, …)`
    Fscanf,
    /// `sscanf(text, format, …)`
    Sscanf,
}

impl Family {
    /// The family of a function with a built-in meaning.
    pub fn of(known: program::Known) -> Option<Family> {
        use program::Known;
        Some(match known {
            Known::Printf => Family::Printf,
            Known::Fprintf => Family::Fprintf,
            Known::Sprintf => Family::Sprintf,
            Known::Snprintf => Family::Snprintf,
            Known::Scanf => Family::Scanf,
            Known::Fscanf => Family::Fscanf,
            Known::Sscanf => Family::Sscanf,
            _ => return None,
        })
    }

    /// The position of the format among the arguments.
    pub fn format_position(self) -> usize {
        match self {
            Family::Printf | Family::Scanf => 0,
            Family::Fprintf | Family::Sprintf | Family::Fscanf | Family::Sscanf => 1,
            Family::Snprintf => 2,
        }
    }
}

/// A call whose format is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The function as the program names it.
    pub name: String,
    /// Its family.
    pub family: Family,
    /// The format.
    pub format: Vec<u8>,
    /// The arguments behind the format.
    pub passed: Vec<Passed>,
    /// Is its result used?
    pub is_used: bool,
    /// Bytes of a pointer.
    pub word: usize,
}

/// The description of a call: a `static` function of the same name whose parameters are the call's arguments. It begins
/// with [`crate::WORDS`].
pub fn describe(call: &Call) -> String {
    match call.family {
        Family::Scanf | Family::Fscanf | Family::Sscanf => scan::describe(call),
        _ => print::describe(call),
    }
}

/// A need that does not hold, as a statement that ends the description.
fn broken(what: &str) -> String {
    format!("    __concord_need(0, {});\n    return -1;\n", quoted(what.as_bytes()))
}

/// A C string literal.
fn quoted(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(byte as char);
            }
            32..=126 => quoted.push(byte as char),
            // Three digits, so that a digit that follows is not taken in.
            _ => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted.push('"');
    quoted
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
        assert!(matches!(pieces(b"%1$d")[0], Piece::Broken(text) if is_positional(text)));
    }

    #[test]
    fn input_formats_split_into_pieces() {
        let found = scan_pieces(b" \tx%*4[^]a-c]%%%ls");
        assert_eq!(found[0], ScanPiece::Space);
        assert_eq!(found[1], ScanPiece::Character { byte: b'x', skips_space: false });
        let ScanPiece::Directive(set) = &found[2] else { panic!("{found:?}") };
        let members = set.set.as_ref().expect("a set");
        assert!(set.is_dropped && set.width == Some(4));
        assert!(!members[b']' as usize] && !members[b'b' as usize] && members[b'd' as usize]);
        assert_eq!(found[3], ScanPiece::Character { byte: b'%', skips_space: true });
        assert!(matches!(&found[4], ScanPiece::Directive(text) if text.length == Length::Long));
        assert_eq!(scan_pieces(b"%d%y"), [scan_pieces(b"%d")[0].clone(), ScanPiece::Broken]);
        assert_eq!(scan_pieces(b"%[a"), [ScanPiece::Broken]);
    }

    #[test]
    fn literals_are_quoted() {
        assert_eq!(quoted(b"a\"\\\n1%"), "\"a\\\"\\\\\\0121%\"");
    }
}
