//! Bytes of a file to text, without losing any.
//!
//! C sources may hold Latin-1 in comments and strings. Bytes that are not UTF-8 become private code points, one each,
//! which the decoding of string literals turns back; everywhere else they are reported as stray. A file that really
//! contains these private code points has their bytes escaped too, so that nothing is mistaken for something else.

use crate::literal::{escape_byte, escaped_byte};

/// The text of a file's bytes.
pub(super) fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) if !may_have_escapes(&text) => text,
        Ok(text) => escape_invalid(text.as_bytes()),
        Err(error) => escape_invalid(error.as_bytes()),
    }
}

/// Can the text contain a code point that stands for a byte? All of them start with the byte 0xF4.
fn may_have_escapes(text: &str) -> bool {
    memchr::memchr(0xF4, text.as_bytes()).is_some() && text.chars().any(|c| escaped_byte(c).is_some())
}

fn escape_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if escaped_byte(character).is_some() {
                let mut buffer = [0; 4];
                text.extend(character.encode_utf8(&mut buffer).bytes().map(escape_byte));
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().map(|&byte| escape_byte(byte)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inverse: what a plain string literal makes of the text.
    fn encode(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for character in text.chars() {
            match escaped_byte(character) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        bytes
    }

    #[test]
    fn every_byte_survives() {
        let mut all: Vec<u8> = (0..=255).collect();
        all.extend("é😀\u{10FF80}\u{10FFFF}".bytes());
        all.extend([0xC3, 0x28, 0xF4, 0x8F]);
        assert_eq!(encode(&decode(all.clone())), all);
        assert_eq!(decode(b"int x;".to_vec()), "int x;");
    }
}
