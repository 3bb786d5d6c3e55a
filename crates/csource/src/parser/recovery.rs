//! Where to go on after an error.
//!
//! Skipping is by brackets: what stands inside a skipped pair is skipped with it, so that one error inside a block does
//! not make the block's end look like the end of something else.

use super::*;
use TokenKind as K;

impl Parser<'_> {
    /// Skips the rest of a broken statement or declaration in a block: past its `;`, or up to the block's end, or up to
    /// a line that starts with a statement keyword.
    pub(super) fn skip_statement(&mut self, started_at: usize) {
        if self.at == started_at && self.kind() != K::RightBrace {
            self.step_over();
        }
        loop {
            match self.kind() {
                K::End | K::RightBrace => return,
                K::Semicolon => {
                    self.bump();
                    return;
                }
                K::LeftBrace => {
                    self.step_over();
                    if !matches!(self.kind(), K::Semicolon | K::Comma | K::RightParen | K::Equal) {
                        return;
                    }
                }
                kind if kind.starts_statement_only() && self.is_first_on_line(self.at) => return,
                _ => self.step_over(),
            }
        }
    }

    /// Skips the rest of a broken external declaration: past its `;` or its body, or up to a line that starts one.
    pub(super) fn skip_external(&mut self, started_at: usize) {
        if self.at == started_at {
            self.step_over();
        }
        loop {
            match self.kind() {
                K::End => return,
                K::Semicolon => {
                    self.bump();
                    return;
                }
                K::LeftBrace => {
                    self.step_over();
                    if !matches!(
                        self.kind(),
                        K::Semicolon | K::Comma | K::RightParen | K::Equal | K::Name | K::Star
                    ) {
                        return;
                    }
                }
                kind if self.is_in_first_column(self.at) && (kind.is_specifier() || kind == K::Extension) => {
                    return;
                }
                _ => self.step_over(),
            }
        }
    }

    /// Skips a broken member or enum constant: up to a `stop` or the closing brace.
    pub(super) fn skip_to(&mut self, stop: K) {
        while !matches!(self.kind(), K::End | K::RightBrace) && self.kind() != stop {
            self.step_over();
        }
    }

    /// After an error inside the bracket at `open`: finds its closing one without leaving the statement.
    /// On success the closing bracket is the current token.
    pub(super) fn skip_to_closing(&mut self, open: usize) -> bool {
        let closing = match self.kind_at(open) {
            K::LeftParen => K::RightParen,
            K::LeftBracket => K::RightBracket,
            _ => K::RightBrace,
        };
        let mut index = self.at;
        loop {
            match self.kind_at(index) {
                kind if kind == closing => {
                    self.at = index;
                    return true;
                }
                K::End | K::Semicolon | K::RightBrace | K::RightParen | K::RightBracket => return false,
                K::LeftBrace if closing != K::RightBrace && self.is_first_on_line(index) => return false,
                K::LeftParen | K::LeftBracket | K::LeftBrace => index = self.closing_of(index) + 1,
                kind if kind.starts_statement_only() && self.is_first_on_line(index) => return false,
                _ => index += 1,
            }
        }
    }

    /// One token, or a pair of brackets with what is in it.
    fn step_over(&mut self) {
        match self.kind() {
            K::LeftParen | K::LeftBracket | K::LeftBrace => {
                self.at = (self.closing_of(self.at) + 1).min(self.tokens.len() - 1);
            }
            _ => {
                self.bump();
            }
        }
    }

    /// When braces do not match: the first one whose partner is indented differently from the line it stands on.
    #[cold]
    pub(super) fn suspicious_brace(&self) -> Option<Token> {
        // Each open brace with the first token of its line.
        let mut open = Vec::new();
        let mut line = 0;
        let mut suspicious: Option<usize> = None;
        for (index, token) in self.tokens.iter().enumerate() {
            let starts_line = self.is_first_on_line(index);
            if starts_line {
                line = index;
            }
            match token.kind {
                K::LeftBrace => open.push((index, line)),
                K::RightBrace => {
                    let Some((partner, its_line)) = open.pop() else { break };
                    let is_odd = starts_line && self.column(index) != self.column(its_line);
                    if is_odd && suspicious.is_none_or(|known| partner < known) {
                        suspicious = Some(partner);
                    }
                }
                _ => {}
            }
        }
        suspicious.map(|index| self.tokens[index])
    }

    fn column(&self, index: usize) -> usize {
        let start = self.tokens[index].start as usize;
        start - memchr::memrchr(b'\n', &self.text.as_bytes()[..start]).map_or(0, |at| at + 1)
    }
}
