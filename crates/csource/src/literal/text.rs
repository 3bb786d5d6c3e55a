//! Character constants and strings: prefixes, escapes, joining of adjacent strings.
//!
//! The execution character sets are gcc's defaults: UTF-8, UTF-16, UTF-32.

use super::{escaped_byte, universal_character};
use crate::syntax::Encoding;

/// Something wrong in a literal, at a byte offset from the literal's start.
#[derive(Debug, PartialEq)]
pub(crate) struct Problem {
    /// Index of the piece among the adjacent strings.
    pub(crate) piece: usize,
    /// First byte within the piece.
    pub(crate) start: usize,
    /// One past the last.
    pub(crate) end: usize,
    /// A sentence without a full stop.
    pub(crate) message: String,
    /// Can the literal be used nonetheless?
    pub(crate) is_warning: bool,
}

/// Joins adjacent strings, each given with its prefix and quotes.
pub(crate) fn decode_strings(pieces: &[&str], problems: &mut Vec<Problem>) -> (Vec<u32>, Encoding) {
    let mut encoding = Encoding::Plain;
    let mut has_utf8 = false;
    for (piece, text) in pieces.iter().enumerate() {
        let own = match prefix_of(text) {
            "L" | "LR" => Encoding::Wide,
            "u" | "uR" => Encoding::Utf16,
            "U" | "UR" => Encoding::Utf32,
            other => {
                has_utf8 |= other.starts_with("u8");
                continue;
            }
        };
        if encoding != Encoding::Plain && encoding != own {
            let message = "strings with different prefixes cannot be joined".to_owned();
            problems.push(Problem { piece, start: 0, end: text.len(), message, is_warning: false });
        } else {
            encoding = own;
        }
    }
    if has_utf8 && encoding != Encoding::Plain {
        let message = "a `u8` string cannot be joined with one of another prefix".to_owned();
        problems.push(Problem { piece: 0, start: 0, end: pieces[0].len(), message, is_warning: false });
    }
    let mut units = Vec::with_capacity(pieces.iter().map(|piece| piece.len().saturating_sub(2)).sum());
    for (piece, text) in pieces.iter().enumerate() {
        Decoder { text, piece, encoding, units: &mut units, problems }.run();
    }
    (units, encoding)
}

/// The value of a character constant, given with its prefix and quotes.
pub(crate) fn decode_character(text: &str, problems: &mut Vec<Problem>) -> (i64, Encoding) {
    let encoding = match prefix_of(text) {
        "L" => Encoding::Wide,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        _ => Encoding::Plain,
    };
    let mut units = Vec::new();
    Decoder { text, piece: 0, encoding, units: &mut units, problems }.run();
    let whole = |message: &str, is_warning| Problem {
        piece: 0,
        start: 0,
        end: text.len(),
        message: message.to_owned(),
        is_warning,
    };
    let value = match (encoding, units.as_slice()) {
        // Already reported: an unclosed constant has no text.
        (_, []) if text.is_empty() => 0,
        (_, []) => {
            problems.push(whole("a character constant needs a character", false));
            0
        }
        (Encoding::Plain, [byte]) => i64::from(*byte as u8 as i8),
        (Encoding::Plain, bytes) => {
            if bytes.len() > 4 {
                problems.push(whole("only the last four characters of this constant count", true));
            }
            i64::from(bytes.iter().fold(0_u32, |value, byte| value << 8 | (byte & 0xFF)) as i32)
        }
        (Encoding::Wide, [.., last]) => i64::from(*last as i32),
        (_, [.., last]) => i64::from(*last),
    };
    if encoding != Encoding::Plain && units.len() > 1 {
        problems.push(whole("only the last character of this wide constant counts", true));
    }
    (value, encoding)
}

fn prefix_of(text: &str) -> &str {
    &text[..text.find(['"', '\'']).unwrap_or(0)]
}

struct Decoder<'a> {
    text: &'a str,
    piece: usize,
    encoding: Encoding,
    units: &'a mut Vec<u32>,
    problems: &'a mut Vec<Problem>,
}

impl Decoder<'_> {
    fn run(&mut self) {
        let prefix = prefix_of(self.text);
        let (start, end) = (prefix.len() + 1, self.text.len().saturating_sub(1));
        if start > end {
            return;
        }
        if prefix.ends_with('R') {
            return self.raw(start, end);
        }
        let mut at = start;
        while at < end {
            let Some(character) = self.text[at..end].chars().next() else { break };
            if character == '\\' {
                at = self.escape(at, end).max(at + 1);
            } else {
                let length = character.len_utf8();
                self.character(character, at, at + length);
                at += length;
            }
        }
    }

    /// Between `R"delimiter(` and `)delimiter"` nothing is an escape.
    fn raw(&mut self, start: usize, end: usize) {
        let Some(delimiter) = self.text[start..end].find('(') else { return };
        let (from, to) = (start + delimiter + 1, end.saturating_sub(delimiter + 1));
        let Some(body) = self.text.get(from..to) else { return };
        for (offset, character) in body.char_indices() {
            self.character(character, from + offset, from + offset + character.len_utf8());
        }
    }

    fn problem(&mut self, start: usize, end: usize, message: &str, is_warning: bool) {
        self.problems.push(Problem {
            piece: self.piece,
            start,
            end,
            message: message.to_owned(),
            is_warning,
        });
    }

    fn character(&mut self, character: char, start: usize, end: usize) {
        match (self.encoding, escaped_byte(character)) {
            (Encoding::Plain, Some(byte)) => self.units.push(u32::from(byte)),
            (_, Some(_)) => {
                self.problem(
                    start,
                    end,
                    "this byte is not UTF-8, so it has no value in a wide literal",
                    false,
                );
            }
            (Encoding::Plain, None) => {
                let mut buffer = [0; 4];
                self.units.extend(character.encode_utf8(&mut buffer).bytes().map(u32::from));
            }
            (Encoding::Utf16, None) => {
                let mut buffer = [0; 2];
                self.units.extend(character.encode_utf16(&mut buffer).iter().map(|&unit| u32::from(unit)));
            }
            (Encoding::Wide | Encoding::Utf32, None) => self.units.push(character as u32),
        }
    }

    /// Decodes the escape at `at` and says where it ends.
    fn escape(&mut self, at: usize, end: usize) -> usize {
        let bytes = &self.text.as_bytes()[at..end];
        let simple = match bytes.get(1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 0x07,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'v') => 0x0b,
            Some(b'e' | b'E') => 0x1b,
            Some(&quote @ (b'\\' | b'\'' | b'"' | b'?')) => quote,
            // A line splice.
            Some(b'\n') => return at + 2,
            Some(b'\r') if bytes.get(2) == Some(&b'\n') => return at + 3,
            Some(b'0'..=b'7') => {
                let digits =
                    bytes[1..].iter().take(3).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
                let value =
                    bytes[1..1 + digits].iter().fold(0, |value, digit| value * 8 + u64::from(digit - b'0'));
                self.number(value, at, at + 1 + digits);
                return at + 1 + digits;
            }
            Some(b'x') => {
                let digits = bytes[2..].iter().take_while(|digit| digit.is_ascii_hexdigit()).count();
                if digits == 0 {
                    self.problem(at, at + 2, "`\\x` needs hexadecimal digits after it", false);
                }
                let value = bytes[2..2 + digits].iter().fold(0_u64, |value, &digit| {
                    let digit = (digit as char).to_digit(16).unwrap_or(0);
                    value.saturating_mul(16).saturating_add(u64::from(digit))
                });
                self.number(value, at, at + 2 + digits);
                return at + 2 + digits;
            }
            Some(b'u' | b'U') => {
                return match universal_character(&self.text[at..end]) {
                    Some((Some(character), length)) => {
                        self.character(character, at, at + length);
                        at + length
                    }
                    Some((None, length)) => {
                        self.problem(at, at + length, "this is not a Unicode character", false);
                        at + length
                    }
                    None => {
                        self.problem(at, at + 2, "`\\u` needs four hexadecimal digits, `\\U` eight", false);
                        at + 2
                    }
                };
            }
            _ => {
                // gcc warns and takes the character itself.
                let length = self.text[at + 1..end].chars().next().map_or(0, char::len_utf8);
                self.problem(at, at + 1 + length, "unknown escape sequence", true);
                return at + 1;
            }
        };
        self.units.push(u32::from(simple));
        at + 2
    }

    fn number(&mut self, value: u64, start: usize, end: usize) {
        let largest = match self.encoding {
            Encoding::Plain => 0xFF,
            Encoding::Utf16 => 0xFFFF,
            Encoding::Wide | Encoding::Utf32 => 0xFFFF_FFFF,
        };
        if value > largest {
            self.problem(start, end, "this escape is out of range for the literal's characters", true);
        }
        self.units.push((value & largest) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::escape_byte;

    fn strings(pieces: &[&str]) -> (Vec<u32>, Encoding) {
        let mut problems = Vec::new();
        let result = decode_strings(pieces, &mut problems);
        assert_eq!(problems, [], "{pieces:?}");
        result
    }

    fn character(text: &str) -> i64 {
        let mut problems = Vec::new();
        let (value, _) = decode_character(text, &mut problems);
        assert!(problems.iter().all(|problem| problem.is_warning), "{text}: {problems:?}");
        value
    }

    fn plain(text: &str) -> (Vec<u32>, Encoding) {
        (text.bytes().map(u32::from).collect(), Encoding::Plain)
    }

    #[test]
    fn escapes_and_joining() {
        assert_eq!(strings(&[r#""a\n\t\\\"\0""#]), plain("a\n\t\\\"\0"));
        assert_eq!(strings(&[r#""ab""#, r#"u8"cd""#]), plain("abcd"));
        assert_eq!(strings(&[r#""\x41\1012""#]), plain("AA2"));
        assert_eq!(strings(&[r#""\e[0m""#]), plain("\u{1b}[0m"));
        assert_eq!(strings(&["\"a\\\nb\""]), plain("ab"));
        // Escapes do not run over the seam.
        assert_eq!(strings(&[r#""\x4""#, r#""1""#]), plain("\u{4}1"));
        assert_eq!(strings(&["R\"x(a\\n\")x\""]), plain("a\\n\""));
    }

    #[test]
    fn encodings() {
        assert_eq!(strings(&["\"é\""]), plain("é"));
        assert_eq!(strings(&["\"\\u00e9\""]), plain("é"));
        assert_eq!(strings(&["\"é\"", "L\"x\""]), (vec![0xe9, 0x78], Encoding::Wide));
        assert_eq!(strings(&["u\"😀\""]), (vec![0xd83d, 0xde00], Encoding::Utf16));
        assert_eq!(strings(&["U\"😀\""]), (vec![0x1f600], Encoding::Utf32));
        assert_eq!(strings(&["L\"\\xFFFFFFFF\""]), (vec![0xFFFF_FFFF], Encoding::Wide));
        let latin = format!("\"{}\"", escape_byte(0xe9));
        assert_eq!(strings(&[&latin]), (vec![0xe9], Encoding::Plain));
    }

    #[test]
    fn mixed_prefixes_are_refused() {
        for pieces in [["L\"a\"", "u\"b\""], ["u8\"a\"", "L\"b\""]] {
            let mut problems = Vec::new();
            decode_strings(&pieces, &mut problems);
            assert!(problems.iter().any(|problem| !problem.is_warning), "{pieces:?}");
        }
    }

    #[test]
    fn characters_have_the_value_gcc_gives_them() {
        assert_eq!(character("'a'"), 97);
        assert_eq!(character(r"'\xff'"), -1);
        assert_eq!(character(r"'\377'"), -1);
        assert_eq!(character("'ab'"), 24930);
        assert_eq!(character(r"'\377\377'"), 0xFFFF);
        assert_eq!(character(r"'\377\377\377\377'"), -1);
        assert_eq!(character("'abcde'"), 0x62636465);
        assert_eq!(character(r"'\''"), 39);
        assert_eq!(character(r"L'\xffffffff'"), -1);
        assert_eq!(character(r"u'\xffff'"), 0xFFFF);
        assert_eq!(character("L'é'"), 0xe9);
        let mut problems = Vec::new();
        decode_character("''", &mut problems);
        assert_eq!(problems.len(), 1);
    }
}
