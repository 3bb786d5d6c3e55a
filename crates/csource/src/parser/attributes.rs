//! `__attribute__((…))`, `[[…]]`, `__declspec(…)`.

use super::*;
use crate::syntax::{Attribute, Expr, ExprKind};
use TokenKind as K;

impl Parser<'_> {
    /// Does an attribute start at the token?
    pub(super) fn is_attribute_at(&self, index: usize) -> bool {
        match self.kind_at(index) {
            K::Attribute | K::Declspec => true,
            K::LeftBracket => self.kind_at(index + 1) == K::LeftBracket,
            _ => false,
        }
    }

    /// The first token that is no part of attributes or `__extension__` starting at `index`.
    pub(super) fn after_attributes(&self, mut index: usize) -> usize {
        loop {
            match self.kind_at(index) {
                K::Extension => index += 1,
                K::Attribute | K::Declspec if self.kind_at(index + 1) == K::LeftParen => {
                    index = self.closing_of(index + 1) + 1;
                }
                K::LeftBracket if self.kind_at(index + 1) == K::LeftBracket => {
                    index = self.closing_of(index) + 1
                }
                _ => return index,
            }
        }
    }

    /// Any number of attributes, possibly none, added to `into`.
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            match self.kind() {
                K::Attribute => self.nested(Weight::Heavy, |parser| parser.gnu_attribute(into))?,
                K::LeftBracket if self.kind_ahead(1) == K::LeftBracket => {
                    self.nested(Weight::Heavy, |parser| parser.standard_attribute(into))?;
                }
                K::Declspec => {
                    // Microsoft's; gcc ignores what it does not know, and so do we.
                    self.bump();
                    if self.kind() != K::LeftParen {
                        return Err(self.error_here("unexpected-token", "expected `(` after `__declspec`"));
                    }
                    self.at = (self.closing_of(self.at) + 1).min(self.tokens.len() - 1);
                }
                _ => return Ok(()),
            }
        }
    }

    /// Attributes of something the tree has no place for them at (statements, labels, enum constants).
    pub(super) fn skip_attributes(&mut self) -> Parsed<()> {
        if self.is_attribute_at(self.at) {
            self.attributes(&mut Vec::new())?;
        }
        Ok(())
    }

    fn gnu_attribute(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        self.bump();
        let open = self.at;
        self.expect(K::LeftParen, "`((` after `__attribute__`")?;
        self.expect(K::LeftParen, "`((` after `__attribute__`")?;
        let result = self.attribute_list(into, K::RightParen);
        if result.is_err() && !self.skip_to_closing(open + 1) {
            return result;
        }
        self.expect(K::RightParen, "`))` after the attributes")?;
        self.expect(K::RightParen, "`))` after the attributes")?;
        Ok(())
    }

    fn standard_attribute(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        self.bump();
        self.bump();
        self.attribute_list(into, K::RightBracket)?;
        self.expect(K::RightBracket, "`]]` after the attributes")?;
        self.expect(K::RightBracket, "`]]` after the attributes")?;
        Ok(())
    }

    fn attribute_list(&mut self, into: &mut Vec<Attribute>, closing: K) -> Parsed<()> {
        loop {
            while self.eat(K::Comma) {}
            if self.kind() == closing {
                return Ok(());
            }
            into.push(self.attribute()?);
            if self.kind() != closing && self.kind() != K::Comma {
                let message =
                    format!("expected `,` or the end of the attributes, found {}", self.describe_current());
                return Err(self.error_here("unexpected-token", message));
            }
        }
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.start();
        let mut name = self.attribute_word()?;
        // `gnu::packed`: the vendor does not matter to us.
        while self.kind() == K::Colon && self.kind_ahead(1) == K::Colon {
            self.bump();
            self.bump();
            name = self.attribute_word()?;
        }
        let mut arguments = Vec::new();
        if self.eat(K::LeftParen) {
            while self.kind() != K::RightParen {
                self.attribute_argument(&mut arguments)?;
                if !self.eat(K::Comma) {
                    break;
                }
            }
            self.expect(K::RightParen, "`)` after the attribute's arguments")?;
        }
        Ok(Attribute { name, arguments, span: self.span_from(start) })
    }

    /// An attribute's name without the underscores around it.
    fn attribute_word(&mut self) -> Parsed<base::Symbol> {
        if !self.kind().is_word() {
            let message = format!("expected the name of an attribute, found {}", self.describe_current());
            return Err(self.error_here("expected-name", message));
        }
        let token = self.bump();
        let text = self.text_of(token);
        match text.strip_prefix("__").and_then(|text| text.strip_suffix("__")).filter(|text| !text.is_empty())
        {
            Some(stripped) => {
                let stripped = stripped.to_owned();
                Ok(self.names.intern(&stripped))
            }
            None => Ok(token.symbol),
        }
    }

    fn attribute_argument(&mut self, arguments: &mut Vec<Expr>) -> Parsed<()> {
        if self.kind().is_word() && matches!(self.kind_ahead(1), K::Comma | K::RightParen) {
            // A lone word, even a keyword or typedef name: `mode(DI)`, `format(printf, 1, 2)`.
            let token = self.bump();
            arguments.push(Expr { kind: ExprKind::Name(token.symbol), span: self.span_of(token) });
            return Ok(());
        }
        if self.starts_type_name(self.at) {
            // A type: no attribute that we read takes one.
            self.type_name()?;
            return Ok(());
        }
        arguments.push(self.assignment()?);
        Ok(())
    }
}
