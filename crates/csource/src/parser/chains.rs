//! Statements that nest in the tree but not in the text: `else if` behind `else if`, labels before labels.
//! They are read in a loop, so that long ones need no stack of ours.

use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::{Span, Symbol};

/// `if (condition) then` that waits for its `else`.
struct Arm {
    start: u32,
    condition: Expr,
    then: Box<Statement>,
}

/// A label that waits for its statement.
enum Prefix {
    Name(Symbol, Span),
    Case(Expr, Option<Expr>),
    Default,
}

impl Parser<'_> {
    /// `if … else if … else …`.
    #[inline(never)]
    pub(super) fn if_chain(&mut self) -> Parsed<Statement> {
        let before = std::mem::take(&mut self.chained);
        let mut arms = Vec::new();
        let mut otherwise = None;
        while self.if_arm(&mut arms, &mut otherwise) {}
        let folded = self.fold_arms(arms, otherwise);
        self.chained = self.chained.max(before);
        folded
    }

    /// One `if (c) s` and the `else` behind it. Does another `if` follow that?
    #[inline(never)]
    fn if_arm(&mut self, arms: &mut Vec<Arm>, otherwise: &mut Option<Box<Statement>>) -> bool {
        let started_at = self.at;
        let start = self.start();
        self.bump();
        match self.condition("if") {
            Ok(condition) => {
                let mut then = self.substatement();
                if self.kind() == K::Else {
                    then = self.with_annotations_behind(then);
                }
                arms.push(Arm { start, condition, then });
            }
            // The statement that has the `if` in it skips it.
            Err(Reported) if arms.is_empty() => return false,
            Err(Reported) => {
                *otherwise = Some(Box::new(self.skip_unreadable(started_at)));
                return false;
            }
        }
        if !self.eat(K::Else) {
            return false;
        }
        if self.kind() == K::If && !self.has_untaken_annotation() {
            return true;
        }
        *otherwise = Some(self.substatement());
        false
    }

    #[inline(never)]
    fn fold_arms(&mut self, mut arms: Vec<Arm>, mut otherwise: Option<Box<Statement>>) -> Parsed<Statement> {
        let end = self.previous_end();
        let mut measure = std::mem::take(&mut self.chained);
        loop {
            let Some(Arm { start, condition, then }) = arms.pop() else { return Err(Reported) };
            let span = Span::new(start, end.max(start));
            let statement = Statement { kind: StatementKind::If(condition, then, otherwise), span };
            if arms.is_empty() {
                self.chained = measure;
                return Ok(statement);
            }
            measure = self.link(measure)?;
            otherwise = Some(Box::new(statement));
        }
    }

    /// Labels, `case` and `default`, as many as stand in a row, and the statement behind them.
    #[inline(never)]
    pub(super) fn labelled(&mut self) -> Parsed<Statement> {
        self.measured(|parser| {
            let prefixes = parser.label_prefixes()?;
            let inner = parser.statement_after_label()?;
            parser.fold_prefixes(prefixes, inner)
        })
    }

    #[inline(never)]
    fn label_prefixes(&mut self) -> Parsed<Vec<(u32, Prefix)>> {
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
                _ => return Ok(prefixes),
            };

            self.expect(K::Colon, "`:` after the label")?;
            prefixes.push((start, prefix));
            self.label_attributes()?;
            // `case 1: /*@ assert e; */ case 2:`: the assertion is for those who come from above.
            if self.has_untaken_annotation() {
                return Ok(prefixes);
            }
        }
    }

    #[inline(never)]
    fn fold_prefixes(
        &mut self,
        mut prefixes: Vec<(u32, Prefix)>,
        mut inner: Box<Statement>,
    ) -> Parsed<Statement> {
        let mut measure = std::mem::take(&mut self.chained);
        let end = self.previous_end();
        loop {
            let Some((start, prefix)) = prefixes.pop() else { return Err(Reported) };
            measure = self.link(measure)?;
            let kind = match prefix {
                Prefix::Name(name, span) => StatementKind::Label(name, span, inner),
                Prefix::Case(from, to) => StatementKind::Case(from, to, inner),
                Prefix::Default => StatementKind::Default(inner),
            };
            let statement = Statement { kind, span: Span::new(start, end.max(start)) };
            if prefixes.is_empty() {
                self.chained = measure;
                return Ok(statement);
            }
            inner = Box::new(statement);
        }
    }

    /// Attributes of a label, unless a declaration follows that they would belong to.
    fn label_attributes(&mut self) -> Parsed<()> {
        if self.is_attribute_at(self.at) && !self.starts_declaration(self.at) {
            self.skip_attributes()?;
        }
        Ok(())
    }

    /// What a label labels: an empty statement before a declaration or the end of the block.
    fn statement_after_label(&mut self) -> Parsed<Box<Statement>> {
        let is_static_assert = self.kind() == K::StaticAssert;
        if self.kind() == K::RightBrace || is_static_assert || self.starts_declaration(self.at) {
            // Assertions in comments before it are read by the block.
            return Ok(Box::new(Statement { kind: StatementKind::Empty, span: self.span_here() }));
        }
        let annotations = self.annotations_here();
        let statement = self.nested(Weight::Light, Self::statement)?;
        Ok(Box::new(self.with_annotations(annotations, statement)))
    }

    #[inline(never)]
    fn case_label(&mut self) -> Parsed<Prefix> {
        self.bump();
        let from = self.conditional()?;
        let to = if self.eat(K::Ellipsis) { Some(self.conditional()?) } else { None };
        Ok(Prefix::Case(from, to))
    }
}
