//! Decoding of literals: numbers, character constants, strings.
//!
//! Bytes of a source file that are not UTF-8 reach us as private code points (see [`escape_byte`]) and become bytes
//! again here, so that a Latin-1 string literal keeps its bytes.

mod number;
mod text;

pub(crate) use number::{Number, decode_number};
pub(crate) use text::{Problem, decode_character, decode_strings};

/// The first of 128 code points that stand for the bytes 0x80 to 0xFF where a file is not UTF-8.
const FIRST_ESCAPED: u32 = 0x10_FF80;

/// The code point that stands for a byte (0x80 or above) which is not part of valid UTF-8.
/// They are the last ones of the last private plane, which no standard gives a meaning.
pub(crate) fn escape_byte(byte: u8) -> char {
    char::from_u32(FIRST_ESCAPED + u32::from(byte & 0x7F)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte behind a code point made by [`escape_byte`].
pub(crate) fn escaped_byte(character: char) -> Option<u8> {
    (character as u32 >= FIRST_ESCAPED).then(|| (character as u32 - FIRST_ESCAPED) as u8 | 0x80)
}

/// `\u00e9` or `\U000000e9` at the start of `text`: the character (if it is one) and the length of the spelling.
pub(crate) fn universal_character(text: &str) -> Option<(Option<char>, usize)> {
    let digits = match text.as_bytes() {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let hex = text.get(2..2 + digits).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let value = u32::from_str_radix(hex, 16).ok()?;
    Some((char::from_u32(value), 2 + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_bytes_come_back() {
        for byte in 0x80..=0xFF_u8 {
            assert_eq!(escaped_byte(escape_byte(byte)), Some(byte));
        }
        assert_eq!(escaped_byte('é'), None);
    }

    #[test]
    fn universal_characters_are_measured() {
        assert_eq!(universal_character("\\u00e9x"), Some((Some('é'), 6)));
        assert_eq!(universal_character("\\U0001F600"), Some((Some('😀'), 10)));
        assert_eq!(universal_character("\\ud800"), Some((None, 6)));
        assert_eq!(universal_character("\\u12"), None);
        assert_eq!(universal_character("\\u12é4"), None);
    }
}
