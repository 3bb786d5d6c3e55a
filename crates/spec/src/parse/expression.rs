//! Integer expressions, with the precedence of C.

use super::Parser;
use crate::cexpr::parse::operator_here;
use crate::cursor::Parsed;
use crate::lexer::TokenKind;
use crate::syntax::{Expression, ExpressionKind, UnaryOperator};
use std::sync::Arc;

impl Parser<'_, '_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.binary_expression(1)
    }

    /// Sums and tighter only: after `const N = 3` a `||` starts a composition.
    pub(super) fn simple_expression(&mut self) -> Parsed<Expression> {
        self.binary_expression(9)
    }

    fn binary_expression(&mut self, weakest: u8) -> Parsed<Expression> {
        let mut left = self.unary_expression()?;
        for length in 0.. {
            self.cursor.check_chain(length)?;
            let known = operator_here(&self.cursor).filter(|known| known.strength() >= weakest);
            let Some(operator) = known else { break };
            self.cursor.advance();
            let right = self.deeper(|parser| parser.binary_expression(operator.strength() + 1))?;
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
        Ok(left)
    }

    /// One level deeper, unless that is too deep.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        // The cursor counts; it cannot lend itself and its parser at once.
        self.cursor.enter()?;
        let result = parse(self);
        self.cursor.leave();
        result
    }

    fn unary_expression(&mut self) -> Parsed<Expression> {
        let start = self.cursor.peek().span;
        let operators = [("+", UnaryOperator::Plus), ("-", UnaryOperator::Minus), ("!", UnaryOperator::Not)];
        for (text, operator) in operators {
            if self.cursor.eat(text) {
                let operand = self.deeper(Self::unary_expression)?;
                let span = start.to(operand.span);
                return Ok(Expression { kind: ExpressionKind::Unary(operator, Box::new(operand)), span });
            }
        }
        if self.cursor.eat("(") {
            let inner = self.deeper(Self::expression)?;
            self.cursor.expect(")", "this parenthesis is not closed")?;
            return Ok(inner);
        }
        let kind = self.primary_expression()?;
        Ok(Expression { kind, span: start.to(self.cursor.previous_span()) })
    }

    fn primary_expression(&mut self) -> Parsed<ExpressionKind> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Number => {
                let value =
                    crate::cexpr::parse::integer(token.text).and_then(|value| i64::try_from(value).ok());
                let value = value.ok_or_else(|| self.cursor.unexpected("an integer that fits"))?;
                self.cursor.advance();
                Ok(ExpressionKind::Number(value))
            }
            TokenKind::Lower | TokenKind::Upper => {
                Ok(ExpressionKind::Name(Arc::from(self.cursor.advance().text)))
            }
            _ if self.cursor.eat("'") => Ok(ExpressionKind::Label(Box::new(self.label()?))),
            _ if self.cursor.eat("#") => Ok(ExpressionKind::Count(Box::new(self.label()?))),
            _ if self.cursor.eat("@") => {
                self.cursor.expect("(", "an element of a set is chosen by `@(set, index)`")?;
                let label = self.label()?;
                self.cursor.expect(",", "an element of a set is chosen by `@(set, index)`")?;
                let index = self.deeper(Self::expression)?;
                self.cursor.expect(")", "an element of a set is chosen by `@(set, index)`")?;
                Ok(ExpressionKind::Select(Box::new(label), Box::new(index)))
            }
            _ => Err(self.cursor.unexpected("an expression")),
        }
    }
}
