//! The source text that temporaries, literals and compound literals stand for.

use super::{Level, Show, Text};
use crate::print_c::string_literal;
use crate::{InitialData, VariableId, VariableKind};

impl Show<'_> {
    pub(super) fn variable_text(&self, id: VariableId) -> Text {
        let variable = &self.program.variables[id];
        let plain = || Text::new(&*variable.name, Level::Postfix);
        match variable.kind {
            VariableKind::StringLiteral => match self.source_text(variable.span) {
                text if text.ends_with('"') => Text::new(text, Level::Postfix),
                _ => Text::new(self.literal_from_bytes(id), Level::Postfix),
            },
            VariableKind::Temporary => self.spelled(id).unwrap_or_else(plain),
            // Compound literals have invented names.
            _ if variable.name.starts_with('.') => self.spelled(id).unwrap_or_else(plain),
            _ => plain(),
        }
    }

    fn spelled(&self, id: VariableId) -> Option<Text> {
        let text = self.source_text(self.program.variables[id].span);
        let level = if is_postfix(&text) { Level::Postfix } else { Level::Weakest };
        (!text.is_empty()).then_some(Text { text, level })
    }

    /// The text of a span on one line, without line markers of a preprocessor and comments, to be shown to people.
    pub fn source_text(&self, span: base::Span) -> String {
        fold(self.program.sources.text(span))
    }

    fn literal_from_bytes(&self, id: VariableId) -> String {
        let bytes = self.program.variables[id].initial.iter().find_map(|initial| match &initial.value {
            InitialData::Bytes(bytes) => Some(bytes.as_slice()),
            InitialData::Value(_) => None,
        });
        let bytes = bytes.unwrap_or(&[]);
        string_literal(bytes.strip_suffix(&[0]).unwrap_or(bytes))
    }
}

/// White space folded into single spaces (not in literals), line markers and comments dropped.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut at_line_start = false;
    while let Some(first) = rest.chars().next() {
        let after = |end: &str| rest.find(end).map_or("", |at| &rest[at + end.len()..]);
        let is_gap = match first {
            '#' if at_line_start => {
                rest = after("\n");
                true
            }
            '\n' => {
                rest = &rest[1..];
                at_line_start = true;
                true
            }
            _ if first.is_whitespace() => {
                rest = &rest[first.len_utf8()..];
                true
            }
            _ if rest.starts_with("/*") => {
                rest = after("*/");
                true
            }
            _ if rest.starts_with("//") => {
                rest = after("\n");
                at_line_start = true;
                true
            }
            _ => false,
        };
        if is_gap {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            continue;
        }
        at_line_start = false;
        let is_quote = first == '"' || first == '\'';
        let end = if is_quote { literal_end(rest.as_bytes(), 0) } else { None };
        let (token, remainder) = rest.split_at(end.unwrap_or(first.len_utf8()));
        out.push_str(token);
        rest = remainder;
    }
    out.truncate(out.trim_end().len());
    out
}

/// Is the text a name, number, literal or group with calls, indices and members behind it?
fn is_postfix(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    let word_end = |from: usize| (from..bytes.len()).find(|&at| !is_word(bytes[at])).unwrap_or(bytes.len());
    let mut at = match bytes.first() {
        Some(b'(') => match group_end(bytes, 0) {
            Some(end) => end,
            None => return false,
        },
        Some(b'"' | b'\'') => match literal_end(bytes, 0) {
            Some(end) => end,
            None => return false,
        },
        Some(&first) if is_word(first) => word_end(0),
        _ => return false,
    };
    while at < bytes.len() {
        at = match bytes[at] {
            b' ' if matches!(bytes.get(at + 1), Some(b'(' | b'[' | b'.' | b'-' | b'+')) => at + 1,
            b'(' | b'[' => match group_end(bytes, at) {
                Some(end) => end,
                None => return false,
            },
            b'.' => word_end(at + 1),
            b'-' if bytes.get(at + 1) == Some(&b'>') => word_end(at + 2),
            b'-' | b'+' if bytes.get(at + 1) == Some(&bytes[at]) => at + 2,
            _ => return false,
        };
    }
    true
}

/// One past the bracket that closes the one at `from`.
fn group_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' | b'\'' => {
                at = literal_end(bytes, at)?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// One past the quote that ends the literal at `from`.
fn literal_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == bytes[from] => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{fold, is_postfix};

    #[test]
    fn white_space_and_markers_are_folded_but_literals_kept() {
        assert_eq!(fold("f(a,\n# 3 \"x.h\"\n   b)"), "f(a, b)");
        assert_eq!(fold("\"a  b\"  +\t1"), "\"a  b\" + 1");
        assert_eq!(fold("a /* why */ + b"), "a + b");
    }

    #[test]
    fn only_texts_that_need_no_parentheses_are_postfix() {
        for text in ["x", "f(a, b)", "p->q[3].r", "(a + b)", "x++", "\"a)b\"", "f (x)", "3.5e1"] {
            assert!(is_postfix(text), "{text}");
        }
        for text in ["a + b", "(int) x", "*p", "-1", "a && b", "a ? b : c", "sizeof x", "(a) + (b)"] {
            assert!(!is_postfix(text), "{text}");
        }
    }
}
