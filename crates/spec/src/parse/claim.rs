//! The temporal logic of FSP's `assert`.
//! LTSA's precedence: `&&` binds tightest, then one of `-> <-> U W`, then `||`.
//! DIVERGENCE: LTSA wants parentheses around a claim with a binary operator at the top; here they may be left out,
//! as may those of a chain of `->`, which associates to the right.

use super::Parser;
use crate::cursor::Parsed;
use crate::lexer::TokenKind;
use crate::syntax::{Claim, ClaimOperator};

impl Parser<'_, '_> {
    pub(super) fn claim(&mut self) -> Parsed<Claim> {
        let mut left = self.claim_binary()?;
        let mut length = 0;
        while (self.cursor.is("||") && !self.starts_composition()) || self.cursor.is("|") {
            self.cursor.advance();
            let right = self.claim_binary()?;
            left = Claim::Binary(ClaimOperator::Or, Box::new(left), Box::new(right));
            length += 1;
            self.cursor.check_chain(length)?;
        }
        Ok(left)
    }

    /// `||S = …` and `||S(N=1) = …` begin the next definition.
    fn starts_composition(&self) -> bool {
        let (name, next) = (self.cursor.peek_at(1), self.cursor.peek_at(2));
        let has_parameters = next.text == "(" && self.cursor.peek_at(4).text == "=";
        name.kind == TokenKind::Upper && (next.text == "=" || has_parameters)
    }

    fn claim_binary(&mut self) -> Parsed<Claim> {
        let left = self.claim_and()?;
        let operators = [
            ("U", ClaimOperator::Until),
            ("W", ClaimOperator::WeakUntil),
            ("R", ClaimOperator::Release),
            ("->", ClaimOperator::Implies),
            ("=>", ClaimOperator::Implies),
            ("<->", ClaimOperator::Iff),
            ("<=>", ClaimOperator::Iff),
        ];
        let Some((_, operator)) = operators.into_iter().find(|(text, _)| self.cursor.is(text)) else {
            return Ok(left);
        };
        self.cursor.advance();
        let right = self.deeper(Self::claim_binary)?;
        Ok(Claim::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn claim_and(&mut self) -> Parsed<Claim> {
        let mut left = self.claim_unary()?;
        let mut length = 0;
        while self.cursor.is_any(&["&&", "&"]) {
            self.cursor.advance();
            let right = self.claim_unary()?;
            left = Claim::Binary(ClaimOperator::And, Box::new(left), Box::new(right));
            length += 1;
            self.cursor.check_chain(length)?;
        }
        Ok(left)
    }

    fn claim_unary(&mut self) -> Parsed<Claim> {
        self.deeper(Self::claim_unary_here)
    }

    fn claim_unary_here(&mut self) -> Parsed<Claim> {
        type Make = fn(Box<Claim>) -> Claim;
        let operators: [(&str, Make); 4] =
            [("!", Claim::Not), ("X", Claim::Next), ("<>", Claim::Eventually), ("[]", Claim::Always)];
        for (text, make) in operators {
            if self.cursor.eat(text) {
                return Ok(make(Box::new(self.claim_unary()?)));
            }
        }
        if self.cursor.eat("(") {
            let inner = self.claim()?;
            self.cursor.expect(")", "this parenthesis is not closed")?;
            return Ok(inner);
        }
        if self.cursor.is_any(&["forall", "exists"]) {
            let is_for_all = self.cursor.advance().text == "forall";
            let indices = self.indices()?;
            return Ok(Claim::Quantified { is_for_all, indices, body: Box::new(self.claim_unary()?) });
        }
        if self.cursor.eat("rigid") {
            return Ok(Claim::Rigid(self.simple_expression()?));
        }
        if self.cursor.is_kind(TokenKind::Upper) && !self.is_set_name() {
            let name = self.cursor.expect_upper("a fluent or an assertion")?;
            match &*name.text {
                "True" | "TRUE" if !self.cursor.is("[") => return Ok(Claim::Constant(true)),
                "False" | "FALSE" if !self.cursor.is("[") => return Ok(Claim::Constant(false)),
                _ => {}
            }
            let indices = if self.cursor.is("[") { self.indices()? } else { Vec::new() };
            let arguments = self.arguments()?;
            return Ok(Claim::Reference { name, indices, arguments });
        }
        if self.is_label_start() {
            return Ok(Claim::Action(self.label()?));
        }
        Err(self.cursor.unexpected("a temporal claim").hint("operators are `! X <> [] && || -> <-> U W`"))
    }
}
