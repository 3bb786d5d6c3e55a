//! Text to tokens, for all that this crate reads. Never fails: what is no token becomes [`TokenKind::Unknown`].
//! C and C++ comments are skipped; formula files may also use `#` comments.

use base::{Diagnostic, Diagnostics, Span};

/// What kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Starts with a small letter or `_`.
    Lower,
    /// Starts with a capital letter.
    Upper,
    /// Starts with a digit; C's hexadecimal numbers and suffixes included.
    Number,
    /// `"…"`.
    Text,
    /// `$0`, `$1`, …
    Argument,
    /// One of `PUNCTUATION`.
    Punctuation,
    /// Nothing that the language knows.
    Unknown,
    /// The end of the text.
    End,
}

/// Is `#` a comment to the end of the line, or the cardinality of a set?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// As in formula files.
    StartsComment,
    /// As in FSP.
    IsOperator,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: TokenKind,
    /// Its text.
    pub text: &'a str,
    /// Its place.
    pub span: Span,
}

/// Longest first, so that the first that fits is the right one.
const PUNCTUATION: [&str; 46] = [
    "<=>", "<->", "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "::", "..", "[]", "<>", ":=",
    "(", ")", "[", "]", "{", "}", ",", ".", ";", ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
    "!", "~", "?", "@", "\\", "'", "#", "$",
];

/// All tokens of a text, the last of kind [`TokenKind::End`]. `base` is the position of the text's first byte.
pub fn tokens<'a>(text: &'a str, base: u32, hash: Hash, diagnostics: &mut Diagnostics) -> Vec<Token<'a>> {
    let bytes = text.as_bytes();
    let span = |from: usize, to: usize| Span::new(base + from as u32, base + to as u32);
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with("//") || (hash == Hash::StartsComment && bytes[at] == b'#') {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                let message = "this comment does not end";
                diagnostics.push(
                    Diagnostic::error("unterminated-comment", span(at, at + 2), message)
                        .hint("close it with `*/`"),
                );
                break;
            };
            at += length + 4;
            continue;
        }
        let (kind, length) = scan(rest);
        if kind == TokenKind::Unknown {
            let shown = &rest[..length];
            diagnostics.push(Diagnostic::error(
                "unknown-character",
                span(at, at + length),
                format!("`{shown}` does not belong to the language"),
            ));
        }
        tokens.push(Token { kind, text: &rest[..length], span: span(at, at + length) });
        at += length;
    }
    tokens.push(Token { kind: TokenKind::End, text: "", span: span(text.len(), text.len()) });
    tokens
}

fn scan(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let word = |from: usize| {
        from + bytes[from..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
    };
    match bytes[0] {
        b'a'..=b'z' | b'_' => (TokenKind::Lower, word(1)),
        b'A'..=b'Z' => (TokenKind::Upper, word(1)),
        b'0'..=b'9' => (TokenKind::Number, word(1)),
        b'$' if bytes.get(1).is_some_and(u8::is_ascii_digit) => (TokenKind::Argument, word(1)),
        b'"' => match rest[1..].find(['"', '\n']) {
            Some(end) if bytes[end + 1] == b'"' => (TokenKind::Text, end + 2),
            _ => (TokenKind::Unknown, 1),
        },
        _ => match PUNCTUATION.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => (TokenKind::Punctuation, mark.len()),
            None => (TokenKind::Unknown, rest.chars().next().map_or(1, char::len_utf8)),
        },
    }
}
