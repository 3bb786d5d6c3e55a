//! Blocks and statements.

use super::declarations::Declared;
use super::specifiers::Place;
use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::Diagnostic;

/// What a block is the body of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockOf {
    Statement,
    /// `({ … })`
    Expression,
}

impl Parser<'_> {
    /// `{ … }`; the current token should be the brace.
    pub(super) fn block(&mut self, of: BlockOf) -> Parsed<Block> {
        let start = self.start();
        let open = self.expect(K::LeftBrace, "`{`")?;
        self.scopes.open();
        let mut items = Vec::new();
        while !matches!(self.kind(), K::RightBrace | K::End) {
            let started_at = self.at;
            items.extend(self.annotations_here().into_iter().map(BlockItem::Statement));
            if self.block_item(&mut items).is_err() {
                let unreadable = self.skip_unreadable(started_at);
                items.push(BlockItem::Statement(unreadable));
            }
        }
        // Behind the last expression of `({ … })`, which is its value, nothing can stand.
        if of != BlockOf::Expression {
            items.extend(self.annotations_here().into_iter().map(BlockItem::Statement));
        }
        self.scopes.close();
        if !self.eat(K::RightBrace) {
            self.unclosed_block(open);
        }
        Ok(Block { items, span: self.span_from(start) })
    }

    #[cold]
    fn unclosed_block(&mut self, open: Token) {
        if self.gave_up || self.reported_at == Some(self.at) {
            return;
        }
        let message = "the file ends before this block does";
        let mut diagnostic = Diagnostic::error("unclosed-brace", self.span(), message)
            .label(self.span_of(open), "opened here")
            .hint("add the missing `}`");
        if let Some(brace) = self.suspicious_brace().filter(|brace| brace.start != open.start) {
            let text =
                "perhaps it is this one that is not closed: the `}` taken for it is indented differently";
            diagnostic = diagnostic.label(self.span_of(brace), text);
        }
        self.error(diagnostic);
    }

    /// Skips a broken statement and makes what stands for it.
    #[cold]
    pub(super) fn skip_unreadable(&mut self, started_at: usize) -> Statement {
        let start = self.base + self.tokens[started_at].start;
        self.skip_statement(started_at);
        self.unreadable(start)
    }

    /// What stands for a statement that could not be read.
    fn unreadable(&self, start: u32) -> Statement {
        let span = self.span_from(start);
        Statement { kind: StatementKind::Expr(Expr { kind: ExprKind::Error, span }), span }
    }

    fn block_item(&mut self, items: &mut Vec<BlockItem>) -> Parsed<()> {
        let kind = self.kind();
        let is_label = kind == K::Name && self.kind_ahead(1) == K::Colon;
        if !is_label && self.special_item(kind, items)? {
            return Ok(());
        }
        if !is_label && self.starts_declaration(self.at) {
            return self.declaration_item(items);
        }
        self.statement_item(items)
    }

    /// Local labels and assertions.
    #[inline(never)]
    fn special_item(&mut self, kind: K, items: &mut Vec<BlockItem>) -> Parsed<bool> {
        if kind == K::LocalLabel || (kind == K::Extension && self.kind_ahead(1) == K::LocalLabel) {
            items.push(self.local_labels()?);
            return Ok(true);
        }
        if matches!(kind, K::StaticAssert | K::Name | K::Extension)
            && let Some(assertion) = self.static_assert()?
        {
            items.push(BlockItem::StaticAssert(assertion));
            return Ok(true);
        }
        Ok(false)
    }

    #[inline(never)]
    fn declaration_item(&mut self, items: &mut Vec<BlockItem>) -> Parsed<()> {
        items.push(match self.declaration(Place::Block)? {
            Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
            Declared::Function(function) => BlockItem::NestedFunction(function),
        });
        Ok(())
    }

    #[inline(never)]
    fn statement_item(&mut self, items: &mut Vec<BlockItem>) -> Parsed<()> {
        let statement = self.nested(Weight::Light, Self::statement)?;
        items.push(BlockItem::Statement(statement));
        Ok(())
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
    #[inline(never)]
    pub(super) fn substatement(&mut self) -> Box<Statement> {
        let started_at = self.at;
        if self.kind() != K::LeftBrace {
            self.check_substatement();
        }
        let annotations = self.annotations_here();
        let statement = match self.nested(Weight::Light, Self::statement) {
            Ok(statement) => statement,
            Err(Reported) => self.skip_unreadable(started_at),
        };
        Box::new(self.with_annotations(annotations, statement))
    }

    /// Reports what cannot stand alone under `if` and the like: nothing, or a declaration.
    #[inline(never)]
    fn check_substatement(&mut self) {
        let is_label = self.kind() == K::Name && self.kind_ahead(1) == K::Colon;
        if matches!(self.kind(), K::RightBrace | K::End) {
            let message = format!("expected a statement, found {}", self.describe_current());
            self.error_here("expected-statement", message);
        } else if !is_label && self.starts_declaration(self.at) {
            let diagnostic = Diagnostic::error(
                "misplaced-declaration",
                self.span(),
                "a declaration cannot stand here alone",
            )
            .hint("put it in a block `{ … }`");
            self.error(diagnostic);
        }
    }

    /// Small on purpose, like all that nests in itself: what it calls does not stay on the stack below it.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        match self.kind() {
            K::LeftBrace => self.block_statement(),
            K::If => self.if_chain(),
            K::Case | K::Default => self.labelled(),
            K::Name if self.kind_ahead(1) == K::Colon => self.labelled(),
            K::While | K::Switch | K::Do | K::For => self.loop_or_switch(),
            _ => self.simple_statement(),
        }
    }

    #[inline(never)]
    fn block_statement(&mut self) -> Parsed<Statement> {
        let block = self.block(BlockOf::Statement)?;
        let span = block.span;
        Ok(Statement { kind: StatementKind::Block(block), span })
    }

    #[inline(never)]
    fn loop_or_switch(&mut self) -> Parsed<Statement> {
        let start = self.start();
        let kind = match self.kind() {
            K::Do => self.do_while()?,
            K::For => self.for_loop()?,
            _ => self.while_or_switch()?,
        };
        Ok(Statement { kind, span: self.span_from(start) })
    }

    #[inline(never)]
    fn while_or_switch(&mut self) -> Parsed<StatementKind> {
        if self.bump().kind == K::While {
            let condition = self.condition("while")?;
            Ok(StatementKind::While(condition, self.substatement()))
        } else {
            let value = self.condition("switch")?;
            Ok(StatementKind::Switch(value, self.substatement()))
        }
    }

    /// Statements without statements in them, and those that start with an attribute.
    #[inline(never)]
    fn simple_statement(&mut self) -> Parsed<Statement> {
        let start = self.start();
        let kind = match self.kind() {
            K::Semicolon => {
                self.bump();
                StatementKind::Empty
            }
            K::Goto | K::Break | K::Continue | K::Return => self.jump()?,
            K::Asm => {
                let asm = self.asm()?;
                self.expect_semicolon("`asm`")?;
                StatementKind::Asm(asm)
            }
            K::Extension if self.kind_ahead(1) == K::Asm => {
                self.bump();
                return self.simple_statement();
            }
            K::Else => return self.lone_else(),
            _ if self.is_attribute_at(self.at) => {
                self.skip_attributes()?;
                return self.statement();
            }
            _ => {
                let value = self.expression()?;
                self.expect_semicolon("the expression")?;
                StatementKind::Expr(value)
            }
        };
        Ok(Statement { kind, span: self.span_from(start) })
    }

    #[cold]
    fn lone_else(&mut self) -> Parsed<Statement> {
        let diagnostic = Diagnostic::error("else-without-if", self.span(), "this `else` belongs to no `if`")
            .hint("is there a `;` too many before it, or a brace missing?");
        self.error(diagnostic);
        self.bump();
        Ok(*self.substatement())
    }

    /// `(c)` behind a keyword. A broken condition is skipped so that the statement under it is still read.
    pub(super) fn condition(&mut self, keyword: &str) -> Parsed<Expr> {
        if self.kind() != K::LeftParen {
            let message = format!("expected `(` after `{keyword}`, found {}", self.describe_current());
            return Err(self.error_here("unexpected-token", message));
        }
        let open = self.at;
        self.bump();
        let read = self.expression();
        if read.is_ok() && self.eat(K::RightParen) {
            return read;
        }
        let is_only_unclosed = read.is_ok() && self.kind() == K::LeftBrace;
        let skipped = self.skip_parenthesized(open, read.is_ok());
        if is_only_unclosed { read } else { skipped }
    }

    /// An expression and the `)` that closes the parenthesis at `open`, skipping to it after an error.
    pub(super) fn parenthesized_rest(&mut self, open: usize) -> Parsed<Expr> {
        let read = self.expression();
        if read.is_ok() && self.eat(K::RightParen) {
            return read;
        }
        self.skip_parenthesized(open, read.is_ok())
    }

    #[cold]
    fn skip_parenthesized(&mut self, open: usize, was_read: bool) -> Parsed<Expr> {
        if was_read {
            let message = format!("expected `)`, found {}", self.describe_current());
            let opened = self.span_of(self.tokens[open]);
            let diagnostic =
                Diagnostic::error("unexpected-token", self.span(), message).label(opened, "opened here");
            self.error(diagnostic);
        }
        if !self.skip_to_closing(open) {
            return Err(Reported);
        }
        let span = self.span_from(self.base + self.tokens[open].end);
        self.bump();
        Ok(Expr { kind: ExprKind::Error, span })
    }

    #[inline(never)]
    fn do_while(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let body = self.substatement();
        let body = self.with_annotations_behind(body);
        if !self.eat(K::While) {
            let message =
                format!("expected `while` after the body of `do`, found {}", self.describe_current());
            return Err(self.error_here("unexpected-token", message));
        }
        let condition = self.condition("while")?;
        self.expect_semicolon("`do … while`")?;
        Ok(StatementKind::DoWhile(body, condition))
    }

    #[inline(never)]
    fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.scopes.open();
        let result = self.for_parts();
        self.scopes.close();
        result
    }

    #[inline(never)]
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
        Ok(StatementKind::For(first, condition, step, self.substatement()))
    }

    #[allow(clippy::type_complexity)] // The three clauses, as the tree has them.
    #[inline(never)]
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

    #[inline(never)]
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
