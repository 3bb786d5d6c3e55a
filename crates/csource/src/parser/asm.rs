//! Inline assembly: read in full, flagged later.

use super::*;
use crate::syntax::{Asm, Expr};
use TokenKind as K;

impl Parser<'_> {
    /// `asm [volatile] [goto] [inline] ( … )` without the `;`.
    pub(super) fn asm(&mut self) -> Parsed<Asm> {
        let start = self.start();
        self.bump();
        let mut is_volatile = false;
        while matches!(self.kind(), K::Volatile | K::Goto | K::Inline | K::Const) {
            is_volatile |= self.bump().kind == K::Volatile;
        }
        self.expect(K::LeftParen, "`(` after `asm`")?;
        let mut asm = Asm {
            is_volatile,
            template: self.string_text("the text of the assembly")?,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            span: self.span(),
        };
        self.asm_sections(&mut asm)?;
        self.expect(K::RightParen, "`)` after the assembly")?;
        asm.span = self.span_from(start);
        Ok(asm)
    }

    fn asm_sections(&mut self, asm: &mut Asm) -> Parsed<()> {
        if self.eat(K::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(K::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(K::Colon) {
            while self.kind() == K::String {
                asm.clobbers.push(self.string_text("a clobbered register")?);
                if !self.eat(K::Comma) {
                    break;
                }
            }
        }
        if self.eat(K::Colon) {
            while self.kind() == K::Name {
                asm.labels.push(self.expect_name("a label")?);
                if !self.eat(K::Comma) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn asm_operands(&mut self) -> Parsed<Vec<(String, Expr)>> {
        let mut operands = Vec::new();
        while matches!(self.kind(), K::String | K::LeftBracket) {
            if self.eat(K::LeftBracket) {
                // The symbolic name matters to the template only, which nobody interprets.
                if !self.kind().is_word() {
                    let message =
                        format!("expected the name of an operand, found {}", self.describe_current());
                    return Err(self.error_here("expected-name", message));
                }
                self.bump();
                self.expect(K::RightBracket, "`]` after the operand's name")?;
            }
            let constraint = self.string_text("the constraint of the operand")?;
            self.expect(K::LeftParen, "`(` after the constraint")?;
            let value = self.nested(Weight::Light, Self::expression)?;
            self.expect(K::RightParen, "`)` after the operand")?;
            operands.push((constraint, value));
            if !self.eat(K::Comma) {
                break;
            }
        }
        Ok(operands)
    }

    /// `asm("symbol")` behind a declarator.
    pub(super) fn asm_label(&mut self) -> Parsed<String> {
        self.bump();
        while matches!(self.kind(), K::Volatile) {
            self.bump();
        }
        self.expect(K::LeftParen, "`(` after `asm`")?;
        let label = self.string_text("the name of the symbol")?;
        self.expect(K::RightParen, "`)` after the symbol")?;
        Ok(label)
    }
}
