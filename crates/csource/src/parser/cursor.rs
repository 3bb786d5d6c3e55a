//! Looking at tokens, consuming them, and telling what was expected.

use super::*;
use base::{Diagnostic, Span, Symbol};

impl Parser<'_> {
    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `ahead` of the current one.
    pub(super) fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.kind_at(self.at + ahead)
    }

    pub(super) fn kind_at(&self, index: usize) -> TokenKind {
        self.tokens.get(index).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    /// The place of the current token.
    pub(super) fn span(&self) -> Span {
        self.span_of(self.token())
    }

    pub(super) fn span_of(&self, token: Token) -> Span {
        Span::new(self.base + token.start, self.base + token.end)
    }

    /// The position of the current token.
    pub(super) fn start(&self) -> u32 {
        self.base + self.token().start
    }

    /// The position just after the last consumed token.
    pub(super) fn previous_end(&self) -> u32 {
        self.base + self.at.checked_sub(1).map_or(0, |index| self.tokens[index].end)
    }

    /// From `start` to the last consumed token.
    pub(super) fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end().max(start))
    }

    /// An empty place just after the last consumed token.
    pub(super) fn span_here(&self) -> Span {
        Span::new(self.previous_end(), self.previous_end())
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.at += 1;
        }
        found
    }

    /// The text of a token.
    pub(super) fn text_of(&self, token: Token) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// How a message names the current token.
    pub(super) fn describe_current(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::String => "a string".to_owned(),
            _ => format!("`{}`", self.text_of(self.token())),
        }
    }

    /// Reports, unless an error at the same token already was, or a literal that is not closed stands before it.
    pub(super) fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        let previous = self.at.checked_sub(1).map(|index| self.tokens[index]);
        let follows_unclosed = previous.is_some_and(|token| token.start == token.end);
        if self.reported_at != Some(self.at) && !self.gave_up && !follows_unclosed {
            self.diagnostics.push(diagnostic);
        }
        self.reported_at = Some(self.at);
        Reported
    }

    pub(super) fn error_here(&mut self, code: &'static str, message: impl Into<String>) -> Reported {
        let diagnostic = Diagnostic::error(code, self.span(), message);
        self.error(diagnostic)
    }

    pub(super) fn warn(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        if !self.gave_up {
            self.diagnostics.push(Diagnostic::warning(code, span, message));
        }
    }

    /// Consumes `kind` or reports that `what` was expected.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Token> {
        if self.kind() == kind {
            return Ok(self.bump());
        }
        let message = format!("expected {what}, found {}", self.describe_current());
        Err(self.error_here("unexpected-token", message))
    }

    pub(super) fn expect_name(&mut self, what: &str) -> Parsed<(Symbol, Span)> {
        if self.kind() == TokenKind::Name {
            let token = self.bump();
            return Ok((token.symbol, self.span_of(token)));
        }
        let message = format!("expected {what}, found {}", self.describe_current());
        Err(self.error_here("expected-name", message))
    }

    /// Consumes the `;` after `what`. A missing one at the end of a line or before a brace is reported and taken as
    /// read, since nothing else is wrong there.
    pub(super) fn expect_semicolon(&mut self, what: &str) -> Parsed<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let message = format!("expected `;` after {what}, found {}", self.describe_current());
        let span = self.span_here();
        let reported = self.error(Diagnostic::error("missing-semicolon", span, message).hint("add `;` here"));
        let goes_on = self.is_first_on_line(self.at)
            || self.kind() == TokenKind::RightBrace
            || self.kind().starts_statement_only();
        if goes_on && self.kind() != TokenKind::End { Ok(()) } else { Err(reported) }
    }

    /// Does a line break stand before the token?
    pub(super) fn is_first_on_line(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1).and_then(|index| self.tokens.get(index)) else { return true };
        let token = self.tokens[index.min(self.tokens.len() - 1)];
        self.text.as_bytes()[before.end as usize..token.start as usize].contains(&b'\n')
    }

    /// Does the token stand in the first column?
    pub(super) fn is_in_first_column(&self, index: usize) -> bool {
        let start = self.tokens[index.min(self.tokens.len() - 1)].start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// Runs a production one level deeper, unless that is too deep.
    pub(super) fn nested<T>(
        &mut self,
        weight: Weight,
        production: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.nesting += weight as u32;
        let result = if self.nesting > MOST_NESTING { Err(self.too_deep()) } else { production(self) };
        self.nesting -= weight as u32;
        result
    }

    /// Runs a production that sets [`chained`](Parser::chained) to its own measure; keeps the larger of that and the
    /// measure of what was read before.
    pub(super) fn measured<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::take(&mut self.chained);
        let result = production(self);
        self.chained = self.chained.max(before);
        result
    }

    /// The measure of a chain link over parts with the given measure and over what was read since.
    pub(super) fn link(&mut self, measure: u32) -> Parsed<u32> {
        let measure = measure.max(self.chained) + 1;
        self.chained = 0;
        if measure > MOST_CHAINED { Err(self.too_deep()) } else { Ok(measure) }
    }

    /// Stops reading: everything else would be a consequence.
    #[cold]
    pub(super) fn too_deep(&mut self) -> Reported {
        let reported = self.error(
            Diagnostic::error("nested-too-deeply", self.span(), "the program is nested too deeply here")
                .hint(format!("about {} levels of nesting and chains of {MOST_CHAINED} operators are read; the rest of the file was skipped", MOST_NESTING / 2)),
        );
        self.gave_up = true;
        self.at = self.tokens.len() - 1;
        reported
    }

    /// What `#pragma pack` says at a token.
    pub(super) fn pack_at(&self, token: usize) -> Option<u32> {
        let after = self.packs.partition_point(|change| change.from <= token);
        after.checked_sub(1).and_then(|index| self.packs[index].limit)
    }

    /// The index of the bracket that closes the one at `open`, or of `End`.
    pub(super) fn closing_of(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        let mut index = open;
        loop {
            match self.kind_at(index) {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return index;
                    }
                }
                TokenKind::End => return self.tokens.len() - 1,
                _ => {}
            }
            index += 1;
        }
    }

    /// The text of a symbol.
    pub(super) fn name(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }
}
