//! Blocks and statements.
//!
//! Chains that nest in the tree but not in the text (`else if`, labels before labels) are read in a loop.

use super::declarations::Declared;
use super::specifiers::Place;
use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Span, Symbol};

/// A label that waits for its statement.
enum Prefix {
    Name(Symbol, Span),
    Case(Expr, Option<Expr>),
    Default,
}

impl Parser<'_> {
    /// `{ … }`; the current token should be the brace.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.start();
        let open = self.expect(K::LeftBrace, "`{`")?;
        self.scopes.open();
        let mut items = Vec::new();
        while !matches!(self.kind(), K::RightBrace | K::End) {
            let started_at = self.at;
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(Reported) => {
                    let begin = self.base + self.tokens[started_at].start;
                    self.skip_statement(started_at);
                    items.push(BlockItem::Statement(self.unreadable(begin)));
                }
            }
        }
        self.scopes.close();
        if self.kind() == K::End {
            let diagnostic =
                Diagnostic::error("unclosed-brace", self.span(), "the file ends before this block does")
                    .label(self.span_of(open), "opened here")
                    .hint("add the missing `}`");
            self.error(diagnostic);
        }
        self.eat(K::RightBrace);
        Ok(Block { items, span: self.span_from(start) })
    }

    /// What stands for a statement that could not be read.
    fn unreadable(&self, start: u32) -> Statement {
        let span = self.span_from(start);
        Statement { kind: StatementKind::Expr(Expr { kind: ExprKind::Error, span }), span }
    }

    fn block_item(&mut self) -> Parsed<BlockItem> {
        let kind = self.kind();
        if kind == K::Name && self.kind_ahead(1) == K::Colon {
            return Ok(BlockItem::Statement(self.nested(Self::statement)?));
        }
        if kind == K::LocalLabel || (kind == K::Extension && self.kind_ahead(1) == K::LocalLabel) {
            return self.local_labels();
        }
        if matches!(kind, K::StaticAssert | K::Name | K::Extension)
            && let Some(assertion) = self.static_assert()?
        {
            return Ok(BlockItem::StaticAssert(assertion));
        }
        if self.starts_declaration(self.at) {
            return Ok(match self.declaration(Place::Block)? {
                Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
                Declared::Function(function) => BlockItem::NestedFunction(function),
            });
        }
        Ok(BlockItem::Statement(self.nested(Self::statement)?))
    }

    fn local_labels(&mut self) -> Parsed<BlockItem> {
        self.eat(K::Extension);
        self.bump();
        let mut labels = Vec::new();
        loop {
            labels.push(self.expect_name("a label")?);
            if !self.eat(K::Comma) {
                break;
            }
        }
        self.expect_semicolon("the labels")?;
        Ok(BlockItem::LocalLabels(labels))
    }

    /// A statement under `if`, `while` and the like; a broken one is skipped and stands as an error expression.
    fn substatement(&mut self) -> Statement {
        let started_at = self.at;
        let start = self.start();
        if self.kind() == K::RightBrace || self.kind() == K::End {
            let message = format!("expected a statement, found {}", self.describe_current());
            self.error_here("expected-statement", message);
            return self.unreadable(self.previous_end());
        }
        if self.kind() != K::Name || self.kind_ahead(1) != K::Colon {
            self.refuse_declaration();
        }
        match self.nested(Self::statement) {
            Ok(statement) => statement,
            Err(Reported) => {
                self.skip_statement(started_at);
                self.unreadable(start)
            }
        }
    }

    /// `if (c) int x;` is no C: say so, and read the declaration away.
    fn refuse_declaration(&mut self) {
        if self.starts_declaration(self.at) {
            let diagnostic = Diagnostic::error(
                "misplaced-declaration",
                self.span(),
                "a declaration cannot stand here alone",
            )
            .hint("put it in a block `{ … }`");
            self.error(diagnostic);
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.start();
        if self.is_attribute_at(self.at) {
            self.skip_attributes()?;
            if self.kind() == K::Semicolon {
                self.bump();
                return Ok(Statement { kind: StatementKind::Empty, span: self.span_from(start) });
            }
        }
        let kind = match self.kind() {
            K::LeftBrace => StatementKind::Block(self.block()?),
            K::Semicolon => {
                self.bump();
                StatementKind::Empty
            }
            K::If => return self.measured(Self::if_chain),
            K::Case | K::Default => return self.measured(Self::labelled),
            K::Name if self.kind_ahead(1) == K::Colon => return self.measured(Self::labelled),
            K::While => {
                self.bump();
                let condition = self.condition("while")?;
                StatementKind::While(condition, Box::new(self.substatement()))
            }
            K::Do => self.do_while()?,
            K::For => self.for_loop()?,
            K::Switch => {
                self.bump();
                let value = self.condition("switch")?;
                StatementKind::Switch(value, Box::new(self.substatement()))
            }
            K::Goto | K::Break | K::Continue | K::Return => self.jump()?,
            K::Asm => {
                let asm = self.asm()?;
                self.expect_semicolon("`asm`")?;
                StatementKind::Asm(asm)
            }
            K::Extension if self.kind_ahead(1) == K::Asm => {
                self.bump();
                return self.statement();
            }
            K::Else => {
                let diagnostic =
                    Diagnostic::error("else-without-if", self.span(), "this `else` belongs to no `if`")
                        .hint("is there a `;` too many before it, or a brace missing?");
                self.error(diagnostic);
                self.bump();
                return Ok(self.substatement());
            }
            _ => {
                let value = self.expression()?;
                self.expect_semicolon("the expression")?;
                StatementKind::Expr(value)
            }
        };
        Ok(Statement { kind, span: self.span_from(start) })
    }

    /// `(c)` behind a keyword. A broken condition is skipped so that the statement under it is still read.
    fn condition(&mut self, keyword: &str) -> Parsed<Expr> {
        if self.kind() != K::LeftParen {
            let message = format!("expected `(` after `{keyword}`, found {}", self.describe_current());
            return Err(self.error_here("unexpected-token", message));
        }
        let open = self.at;
        self.bump();
        self.parenthesized_rest(open)
    }

    /// An expression and the `)` that closes the parenthesis at `open`, skipping to it after an error.
    pub(super) fn parenthesized_rest(&mut self, open: usize) -> Parsed<Expr> {
        let start = self.start();
        let read = self.expression();
        if read.is_ok() && self.eat(K::RightParen) {
            return read;
        }
        if read.is_ok() {
            let message = format!("expected `)`, found {}", self.describe_current());
            let opened = self.span_of(self.tokens[open]);
            let diagnostic =
                Diagnostic::error("unexpected-token", self.span(), message).label(opened, "opened here");
            self.error(diagnostic);
        }
        if !self.skip_to_closing(open) {
            return Err(Reported);
        }
        let span = self.span_from(start);
        self.bump();
        Ok(Expr { kind: ExprKind::Error, span })
    }

    /// `if … else if … else …`.
    fn if_chain(&mut self) -> Parsed<Statement> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let started_at = self.at;
            let start = self.start();
            self.bump();
            match self.condition("if") {
                Ok(condition) => {
                    let then = self.substatement();
                    arms.push((start, condition, then));
                }
                Err(Reported) if arms.is_empty() => return Err(Reported),
                Err(Reported) => {
                    self.skip_statement(started_at);
                    otherwise = Some(Box::new(self.unreadable(start)));
                    break;
                }
            }
            if !self.eat(K::Else) {
                break;
            }
            if self.kind() != K::If {
                otherwise = Some(Box::new(self.substatement()));
                break;
            }
        }
        let end = self.previous_end();
        let mut measure = self.chained;
        loop {
            let Some((start, condition, then)) = arms.pop() else { return Err(Reported) };
            let span = Span::new(start, end.max(start));
            let statement = Statement { kind: StatementKind::If(condition, Box::new(then), otherwise), span };
            if arms.is_empty() {
                self.chained = measure;
                return Ok(statement);
            }
            measure = self.link(measure)?;
            otherwise = Some(Box::new(statement));
        }
    }

    /// Labels, `case` and `default`, as many as stand in a row, and the statement behind them.
    fn labelled(&mut self) -> Parsed<Statement> {
        let mut prefixes = Vec::new();
        loop {
            let start = self.start();
            let prefix = match self.kind() {
                K::Case => self.case_label()?,
                K::Default => {
                    self.bump();
                    Prefix::Default
                }
                K::Name if self.kind_ahead(1) == K::Colon => {
                    let token = self.bump();
                    Prefix::Name(token.symbol, self.span_of(token))
                }
                _ => break,
            };
            self.expect(K::Colon, "`:` after the label")?;
            prefixes.push((start, prefix));
            self.label_attributes()?;
        }
        let mut statement = self.statement_after_label()?;
        let mut measure = self.chained;
        let end = self.previous_end();
        while let Some((start, prefix)) = prefixes.pop() {
            measure = self.link(measure)?;
            let inner = Box::new(statement);
            let kind = match prefix {
                Prefix::Name(name, span) => StatementKind::Label(name, span, inner),
                Prefix::Case(from, to) => StatementKind::Case(from, to, inner),
                Prefix::Default => StatementKind::Default(inner),
            };
            statement = Statement { kind, span: Span::new(start, end.max(start)) };
        }
        self.chained = measure;
        Ok(statement)
    }

    /// Attributes of a label, unless a declaration follows that they would belong to.
    fn label_attributes(&mut self) -> Parsed<()> {
        if self.is_attribute_at(self.at) && !self.starts_declaration(self.at) {
            self.skip_attributes()?;
        }
        Ok(())
    }

    /// What a label labels: an empty statement before a declaration or the end of the block.
    fn statement_after_label(&mut self) -> Parsed<Statement> {
        let is_static_assert = self.kind() == K::StaticAssert;
        if self.kind() == K::RightBrace || is_static_assert || self.starts_declaration(self.at) {
            return Ok(Statement { kind: StatementKind::Empty, span: self.span_here() });
        }
        self.nested(Self::statement)
    }

    fn case_label(&mut self) -> Parsed<Prefix> {
        self.bump();
        let from = self.conditional()?;
        let to = if self.eat(K::Ellipsis) { Some(self.conditional()?) } else { None };
        Ok(Prefix::Case(from, to))
    }

    fn do_while(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let body = Box::new(self.substatement());
        if !self.eat(K::While) {
            let message =
                format!("expected `while` after the body of `do`, found {}", self.describe_current());
            return Err(self.error_here("unexpected-token", message));
        }
        let condition = self.condition("while")?;
        self.expect_semicolon("`do … while`")?;
        Ok(StatementKind::DoWhile(body, condition))
    }

    fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.scopes.open();
        let result = self.for_parts();
        self.scopes.close();
        result
    }

    fn for_parts(&mut self) -> Parsed<StatementKind> {
        if self.kind() != K::LeftParen {
            let message = format!("expected `(` after `for`, found {}", self.describe_current());
            return Err(self.error_here("unexpected-token", message));
        }
        let open = self.at;
        self.bump();
        let (first, condition, step) = match self.for_clauses() {
            Ok(clauses) => clauses,
            Err(Reported) => {
                // The clauses have semicolons, so look for the parenthesis itself.
                let closing = self.closing_of(open);
                if self.kind_at(closing) != K::RightParen || closing < self.at {
                    return Err(Reported);
                }
                self.at = closing;
                (None, None, None)
            }
        };
        self.expect(K::RightParen, "`)` after the clauses of `for`")?;
        Ok(StatementKind::For(first, condition, step, Box::new(self.substatement())))
    }

    #[allow(clippy::type_complexity)] // The three clauses, as the tree has them.
    fn for_clauses(&mut self) -> Parsed<(Option<Box<ForInit>>, Option<Expr>, Option<Expr>)> {
        let first = if self.eat(K::Semicolon) {
            None
        } else if self.starts_declaration(self.at) {
            match self.declaration(Place::Block)? {
                Declared::Declaration(declaration) => Some(Box::new(ForInit::Declaration(declaration))),
                Declared::Function(_) => {
                    return Err(
                        self.error_here("unexpected-token", "a function cannot be defined in a `for`")
                    );
                }
            }
        } else {
            let value = self.expression()?;
            self.expect(K::Semicolon, "`;` after the first clause of `for`")?;
            Some(Box::new(ForInit::Expr(value)))
        };
        let condition = if self.kind() == K::Semicolon { None } else { Some(self.expression()?) };
        self.expect(K::Semicolon, "`;` after the condition of `for`")?;
        let step = if self.kind() == K::RightParen { None } else { Some(self.expression()?) };
        Ok((first, condition, step))
    }

    fn jump(&mut self) -> Parsed<StatementKind> {
        let kind = match self.bump().kind {
            K::Goto if self.eat(K::Star) => StatementKind::ComputedGoto(self.expression()?),
            K::Goto => {
                let (name, span) = self.expect_name("a label after `goto`")?;
                StatementKind::Goto(name, span)
            }
            K::Break => StatementKind::Break,
            K::Continue => StatementKind::Continue,
            _ if self.kind() == K::Semicolon => StatementKind::Return(None),
            _ => StatementKind::Return(Some(self.expression()?)),
        };
        self.expect_semicolon("the statement")?;
        Ok(kind)
    }
}
