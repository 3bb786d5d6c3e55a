//! Splits HOA text into tokens with their places.

use base::{Diagnostic, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `name:`, a header item or `State:`.
    Header(String),
    /// A bare word, such as `Inf`, `t` or `explicit-labels`.
    Word(String),
    /// `@name`.
    Alias(String),
    Number(u32),
    Text(String),
    /// One of `! & | ( ) [ ] { }`.
    Sign(char),
    /// `--BODY--`, `--END--` or `--ABORT--`.
    Marker(&'static str),
    End,
}

pub(super) fn tokens(text: &str, base: u32) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut tokens = Vec::new();
    let span = |from: usize, to: usize| Span::new(base + from as u32, base + to as u32);
    while at < bytes.len() {
        let from = at;
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let Some(length) = text[at + 2..].find("*/") else {
                    return Err(Diagnostic::error(
                        "hoa-comment",
                        span(from, from + 2),
                        "this comment has no end",
                    ));
                };
                at += length + 4;
                continue;
            }
            b'"' => {
                let mut content = String::new();
                let mut characters = text[at + 1..].char_indices();
                let length = loop {
                    match characters.next() {
                        Some((index, '"')) => break index,
                        Some((_, '\\')) => content.extend(characters.next().map(|(_, c)| c)),
                        Some((_, other)) => content.push(other),
                        None => {
                            let message = "this text has no closing quote";
                            return Err(Diagnostic::error("hoa-text", span(from, from + 1), message));
                        }
                    }
                };
                at += length + 2;
                tokens.push((Token::Text(content), span(from, at)));
            }
            b'-' => {
                let marker =
                    ["--BODY--", "--END--", "--ABORT--"].into_iter().find(|m| text[at..].starts_with(m));
                let Some(marker) = marker else {
                    let message = "expected `--BODY--`, `--END--` or `--ABORT--`";
                    return Err(Diagnostic::error("hoa-marker", span(from, from + 1), message));
                };
                at += marker.len();
                tokens.push((Token::Marker(marker), span(from, at)));
            }
            b'0'..=b'9' => {
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                let Ok(number) = text[from..at].parse() else {
                    return Err(Diagnostic::error("hoa-number", span(from, at), "this number is too large"));
                };
                tokens.push((Token::Number(number), span(from, at)));
            }
            b'@' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += 1;
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'-') {
                    at += 1;
                }
                let word = text[from..at].to_owned();
                if let Some(alias) = word.strip_prefix('@') {
                    tokens.push((Token::Alias(alias.to_owned()), span(from, at)));
                } else if bytes.get(at) == Some(&b':') {
                    at += 1;
                    tokens.push((Token::Header(word), span(from, at)));
                } else {
                    tokens.push((Token::Word(word), span(from, at)));
                }
            }
            sign @ (b'!' | b'&' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}') => {
                at += 1;
                tokens.push((Token::Sign(char::from(sign)), span(from, at)));
            }
            _ => {
                let other = text[at..].chars().next().expect("inside the text");
                let message = format!("`{}` has no meaning in HOA", other.escape_default());
                return Err(Diagnostic::error("hoa-character", span(from, from + other.len_utf8()), message));
            }
        }
    }
    tokens.push((Token::End, span(text.len(), text.len())));
    Ok(tokens)
}
