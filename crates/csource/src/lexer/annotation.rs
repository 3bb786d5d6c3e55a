//! Assertions in comments, `//@ assert e;` and `/*@ assert e; */`, in the words of ACSL.
//!
//! After Baudin et al., "ACSL: ANSI/ISO C Specification Language" (1.21). They are no tokens of the program: each is
//! kept beside them, with the number of the token that it stands before. DIVERGENCE: its expression is C with C's own
//! numbers, not the mathematical ones of ACSL. What is not understood is kept with the reason, so that nobody passes it
//! over.

use super::{Lexer, Token, TokenKind};
use base::Span;

/// A comment that asserts something.
#[derive(Debug)]
pub(crate) struct Annotation {
    /// The token that it stands before.
    pub(crate) before: usize,
    /// The whole comment.
    pub(crate) span: Span,
    /// The tokens of each expression, without the `;`; or why they are not understood.
    pub(crate) asserted: Result<Vec<Vec<Token>>, String>,
}

impl Lexer<'_> {
    /// Looks at a comment that was just skipped.
    pub(super) fn look_at_comment(&mut self, start: usize) {
        let end = self.at;
        if self.in_annotation || self.bytes.get(start + 2) != Some(&b'@') {
            return;
        }
        let is_block = self.bytes[start + 1] == b'*';
        let inside = match is_block {
            true if self.bytes[..end].ends_with(b"*/") && end >= start + 4 => start + 2..end - 2,
            true => return, // it never ends, which was told
            false => start + 2..end,
        };
        let content = &self.text[inside.clone()];
        let is_filling = |c: char| c.is_whitespace() || c == '@';
        let rest = content.trim_start_matches(is_filling);
        let begins = inside.start + content.len() - rest.len();
        let Some(rest) = rest.strip_prefix("assert") else { return };
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return;
        }
        let rest = rest.trim_end_matches(is_filling);
        let from = begins + "assert".len();
        let before = self.tokens.len();
        let asserted = self.asserted_in(from, from + rest.len());
        let span = self.span(start, end);
        self.annotations.push(Annotation { before, span, asserted });
        self.at = end;
    }

    /// Reads `e; assert e; …` between two places of the text.
    fn asserted_in(&mut self, from: usize, to: usize) -> Result<Vec<Vec<Token>>, String> {
        let text = &self.text[from..to];
        if text.contains("//@") || text.contains("/*@") {
            return Err("another annotation stands inside it".to_owned());
        }
        if let Some(odd) = text.chars().find(|c| matches!(c, '#' | '"' | '`' | '$')) {
            return Err(format!("`{odd}` is not understood in an annotation"));
        }
        let (whole_text, whole_bytes) = (self.text, self.bytes);
        let outside = std::mem::take(&mut self.tokens);
        (self.text, self.bytes, self.at) = (&whole_text[..to], &whole_bytes[..to], from);
        self.in_annotation = true;
        self.run();
        self.in_annotation = false;
        (self.text, self.bytes) = (whole_text, whole_bytes);
        let tokens = std::mem::replace(&mut self.tokens, outside);
        if let Some(why) = self.not_understood.take() {
            return Err(why);
        }
        let mut all = Vec::new();
        let mut rest = &tokens[..tokens.len() - 1]; // without the end
        loop {
            let length = rest.iter().position(|token| token.kind == TokenKind::Semicolon);
            let Some(length) = length else { return Err("it does not end with `;`".to_owned()) };
            if length == 0 {
                return Err("it asserts nothing".to_owned());
            }
            all.push(rest[..length].to_vec());
            rest = match &rest[length + 1..] {
                [] => return Ok(all),
                [first, rest @ ..] if self.is_word(first, "assert") => rest,
                _ => return Err("something follows the `;`".to_owned()),
            };
        }
    }

    fn is_word(&self, token: &Token, word: &str) -> bool {
        token.kind == TokenKind::Name && &self.text[token.start as usize..token.end as usize] == word
    }

    /// `\true` and `\false`, as C says them; nothing else that begins so is understood.
    pub(super) fn logic_word(&mut self) {
        use TokenKind::{Char, Exclamation, LeftParen, RightParen, Sizeof};
        let start = self.at;
        let length = self.text[start + 1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let end = start + 1 + length;
        let kinds: &[TokenKind] = match &self.text[start + 1..end] {
            "true" => &[LeftParen, Exclamation, Exclamation, Sizeof, LeftParen, Char, RightParen, RightParen],
            "false" => &[LeftParen, Exclamation, Sizeof, LeftParen, Char, RightParen, RightParen],
            _ => {
                let word = self.text[start..end].to_owned();
                self.not_understood.get_or_insert_with(|| format!("`{word}` is not understood"));
                &[]
            }
        };
        for &kind in kinds {
            self.push(kind, start, end);
        }
        self.at = end.max(start + 1);
    }
}
