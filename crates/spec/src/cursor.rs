//! A place in a sequence of tokens, and how parsers ask about it.

use crate::lexer::{Token, TokenKind};
use crate::syntax::Name;
use base::{Diagnostic, Span};

/// Nesting deeper than this is taken for damage; it also keeps recursion off the end of the stack.
pub(crate) const MOST_NESTING: usize = 250;

/// A chain of more operators, actions or parts than this is taken for damage: trees of chains are as deep as they are
/// long, and are walked recursively.
pub(crate) const LONGEST_CHAIN: usize = 2000;

/// What a parse function gives: its result, or what is wrong.
pub(crate) type Parsed<T> = Result<T, Diagnostic>;

/// A place in a sequence of tokens.
pub(crate) struct Cursor<'a> {
    source: &'a str,
    base: u32,
    tokens: Vec<Token<'a>>,
    at: usize,
    nesting: usize,
}

impl<'a> Cursor<'a> {
    /// At the first of the tokens of `source`, whose first byte has position `base`. The last token is the end.
    pub fn new(source: &'a str, base: u32, tokens: Vec<Token<'a>>) -> Cursor<'a> {
        debug_assert!(tokens.last().is_some_and(|token| token.kind == TokenKind::End));
        Cursor { source, base, tokens, at: 0, nesting: 0 }
    }

    /// The token here.
    pub fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    /// The token `ahead` places on; the end for ever after the end.
    pub fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// The token before this one.
    pub fn previous_span(&self) -> Span {
        self.at.checked_sub(1).map_or(self.peek().span, |at| self.tokens[at].span)
    }

    /// Steps over the token here; the end is never passed.
    pub fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Where the cursor is, to come back.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Back to an earlier place.
    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    /// Is the mark or word here?
    pub fn is(&self, text: &str) -> bool {
        let token = self.peek();
        token.text == text && !matches!(token.kind, TokenKind::End | TokenKind::Text)
    }

    /// Is one of the marks or words here?
    pub fn is_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }

    /// Is a token of this kind here?
    pub fn is_kind(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    /// Steps over the mark or word if it is here.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    /// Steps over the mark or word, which must be here.
    pub fn expect(&mut self, text: &str, why: &str) -> Parsed<Span> {
        if self.is(text) {
            return Ok(self.advance().span);
        }
        Err(self.unexpected(&format!("`{text}`")).hint(why))
    }

    /// Steps over a name with a capital letter, which must be here.
    pub fn expect_upper(&mut self, what: &str) -> Parsed<Name> {
        if self.is_kind(TokenKind::Upper) {
            let token = self.advance();
            return Ok(Name::new(token.text, token.span));
        }
        let hint = format!("{what} starts with a capital letter");
        Err(self.unexpected(&format!("{what}, a name")).hint(hint))
    }

    /// Steps over a name, which must be here.
    pub fn expect_name(&mut self, what: &str) -> Parsed<Name> {
        if self.is_kind(TokenKind::Upper) || self.is_kind(TokenKind::Lower) {
            let token = self.advance();
            return Ok(Name::new(token.text, token.span));
        }
        Err(self.unexpected(&format!("{what}, a name")))
    }

    /// "Expected …, found …", at the token here.
    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", token.text),
        };
        // At the end of the text the caret goes behind the last token, where something is missing.
        let span = if token.kind == TokenKind::End { self.previous_span() } else { token.span };
        Diagnostic::error("syntax", span, format!("expected {wanted}, found {found}"))
    }

    /// The source text of a span.
    pub fn text_of(&self, span: Span) -> &'a str {
        let position = |at: u32| (at.saturating_sub(self.base) as usize).min(self.source.len());
        self.source.get(position(span.start)..position(span.end)).unwrap_or("")
    }

    /// Runs `parse` one level deeper, unless that is too deep.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.enter()?;
        let result = parse(self);
        self.leave();
        result
    }

    /// One level deeper, unless that is too deep. Each is followed by one [`leave`](Cursor::leave).
    pub fn enter(&mut self) -> Parsed<()> {
        if self.nesting >= MOST_NESTING {
            let message = format!("nested more than {MOST_NESTING} levels deep");
            return Err(Diagnostic::error("too-deep", self.peek().span, message));
        }
        self.nesting += 1;
        Ok(())
    }

    /// Fails when a chain has become too long.
    pub fn check_chain(&self, length: usize) -> Parsed<()> {
        if length <= LONGEST_CHAIN {
            return Ok(());
        }
        let message = format!("more than {LONGEST_CHAIN} in one chain");
        Err(Diagnostic::error("too-deep", self.peek().span, message)
            .hint("put parts of it into definitions of their own"))
    }

    /// One level up.
    pub fn leave(&mut self) {
        self.nesting -= 1;
    }
}
