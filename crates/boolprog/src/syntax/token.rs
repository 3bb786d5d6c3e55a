//! Text to tokens. Never fails: what is no token becomes a diagnostic and is left out.

use base::{Diagnostic, Diagnostics, Span};

/// A token's kind. Keywords are names here; the parser tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword.
    Name,
    /// Digits: a label or a constant.
    Number,
    /// An operator or separator.
    Sign,
    /// The end of the text.
    End,
}

/// A token: a slice of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub span: Span,
}

/// The longest first.
const SIGNS: [&str; 28] = [
    "<=>", ":=", "=>", "==", "!=", "&&", "||", "!", "~", "&", "|", "^", "=", "*", "?", ":", ";", ",", "(",
    ")", "[", "]", "<", ">", "'", "+", "-", "/",
];

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$'
}

fn is_in_name(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit()
}

/// The length of the name at the start: C identifiers, also with `$`, and with `.` between letters.
fn name_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while length < bytes.len() {
        let inner_dot = bytes[length] == b'.' && bytes.get(length + 1).is_some_and(|&next| is_in_name(next));
        if !is_in_name(bytes[length]) && (!inner_dot || length == 0) {
            break;
        }
        length += 1;
    }
    length
}

/// The length of white space or of a comment at the start; an open comment ends with the text.
fn blank_length(rest: &str, at: u32, diagnostics: &mut Diagnostics) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if let Some(inside) = rest.strip_prefix("/*") {
        return match inside.find("*/") {
            Some(end) => end + 4,
            None => {
                let open = Span::new(at, at + 2);
                diagnostics.push(
                    Diagnostic::error("open-comment", open, "this comment is never closed")
                        .hint("close it with `*/`"),
                );
                rest.len()
            }
        };
    }
    rest.len() - rest.trim_start().len()
}

/// All tokens, the last of them [`Kind::End`]. `base` is the position of the text's first byte.
pub(super) fn tokens<'t>(text: &'t str, base: u32, diagnostics: &mut Diagnostics) -> Vec<Token<'t>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let position = base + at as u32;
        let blank = blank_length(rest, position, diagnostics);
        if blank > 0 {
            at += blank;
            continue;
        }
        let bytes = rest.as_bytes();
        let (kind, length) = if begins_name(bytes[0]) {
            (Kind::Name, name_length(bytes))
        } else if bytes[0].is_ascii_digit() {
            (Kind::Number, bytes.iter().take_while(|byte| byte.is_ascii_digit()).count())
        } else if bytes[0] == b'{'
            && let Some(length) = rest.find('}')
        {
            (Kind::Name, length + 1) // SLAM names a variable by its predicate, in braces
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign, sign.len())
        } else {
            at += report_unknown(rest, position, diagnostics);
            continue;
        };
        let span = Span::new(position, position + length as u32);
        found.push(Token { kind, text: &rest[..length], span });
        at += length;
    }
    let end = base + text.len() as u32;
    found.push(Token { kind: Kind::End, text: "", span: Span::new(end, end) });
    found
}

/// Reports a run of characters that begin no token; its length.
fn report_unknown(rest: &str, position: u32, diagnostics: &mut Diagnostics) -> usize {
    let first = rest.chars().next().expect("the rest is not empty");
    let length: usize = rest.chars().take_while(|&next| next == first).map(char::len_utf8).sum();
    let span = Span::new(position, position + length as u32);
    let shown = &rest[..length.min(first.len_utf8() * 8)];
    let mut report =
        Diagnostic::error("unknown-character", span, format!("`{shown}` means nothing in a Boolean program"));
    if first == '.' {
        report = report.hint("dots that stand for omitted code must be replaced by that code, or by `skip;`");
    }
    diagnostics.push(report);
    length
}
