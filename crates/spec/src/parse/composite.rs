//! Compositions.

use super::Parser;
use crate::cursor::Parsed;
use crate::syntax::{CompositeBody, CompositeDefinition, CompositePart, Flags, ProcessCall};
use lks::PriorityKind;

impl Parser<'_, '_> {
    /// `||S(N=1) = … .`
    pub(super) fn composite_definition(&mut self, flags: Flags) -> Parsed<()> {
        self.cursor.expect("||", "a composition is defined by `||NAME = …`")?;
        let name = self.cursor.expect_upper("a composition")?;
        let parameters = self.parameters()?;
        self.cursor.expect("=", "a composition is defined by `||NAME = …`")?;
        let body = self.composite_body()?;
        let kinds = [("<<", PriorityKind::High), (">>", PriorityKind::Low)];
        let kind = kinds.into_iter().find(|(text, _)| self.cursor.is(text));
        let priority = match kind {
            Some((_, kind)) => {
                self.cursor.advance();
                Some((kind, self.label_set()?))
            }
            None => None,
        };
        let visibility = self.visibility()?;
        self.cursor.expect(".", "a composition ends with a dot")?;
        let definition = CompositeDefinition { flags, name, parameters, body, priority, visibility };
        self.specification.composites.push(definition);
        Ok(())
    }

    fn composite_body(&mut self) -> Parsed<CompositeBody> {
        self.deeper(Self::composite_body_here)
    }

    fn composite_body_here(&mut self) -> Parsed<CompositeBody> {
        if self.cursor.eat("if") {
            let condition = self.expression()?;
            self.cursor.expect("then", "a conditional composition is `if c then P else Q`")?;
            let then = Box::new(self.composite_body()?);
            let otherwise =
                if self.cursor.eat("else") { Some(Box::new(self.composite_body()?)) } else { None };
            return Ok(CompositeBody::If(condition, then, otherwise));
        }
        if self.cursor.eat("forall") {
            let indices = self.indices()?;
            return Ok(CompositeBody::ForAll(indices, Box::new(self.composite_body()?)));
        }
        let (mut sharing, mut prefix) = (None, None);
        if self.is_label_start() {
            let label = self.label()?;
            if self.cursor.eat("::") {
                sharing = Some(label);
                if self.is_label_start() {
                    prefix = Some(self.label()?);
                    self.cursor.expect(":", "a process is labelled by `a:P`")?;
                }
            } else {
                self.cursor.expect(":", "a process is labelled by `a:P` or shared by `{a,b}::P`")?;
                prefix = Some(label);
            }
        }
        let inner = if self.cursor.eat("(") {
            let mut parts = Vec::new();
            if !self.cursor.is(")") {
                loop {
                    parts.push(self.composite_body()?);
                    if !self.cursor.eat("||") {
                        break;
                    }
                }
            }
            self.cursor.expect(")", "processes run in parallel as `(P || Q)`")?;
            CompositePart::Parallel(parts)
        } else {
            let name = self.cursor.expect_upper("a process")?;
            CompositePart::Call(ProcessCall { name, arguments: self.arguments()? })
        };
        let relabels = self.relabels()?;
        Ok(CompositeBody::Part { sharing, prefix, inner, relabels })
    }
}
