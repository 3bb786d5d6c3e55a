//! Initialisers: expressions, braced lists, designators old and new.

use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::Diagnostic;

impl Parser<'_> {
    /// What stands behind `=`, or an entry of a list.
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.kind() == K::LeftBrace {
            Ok(Initializer::List(self.initializer_list()?))
        } else {
            Ok(Initializer::Expr(self.assignment()?))
        }
    }

    /// `{ … }`; the current token is the brace.
    pub(super) fn initializer_list(&mut self) -> Parsed<InitializerList> {
        self.nested(Weight::Light, Self::initializer_list_inside)
    }

    fn initializer_list_inside(&mut self) -> Parsed<InitializerList> {
        let start = self.start();
        let open = self.at;
        let brace = self.bump();
        let mut entries = Vec::new();
        while !matches!(self.kind(), K::RightBrace | K::End) {
            let entry = self.initializer_entry();
            match entry {
                Ok(entry) => entries.push(entry),
                Err(Reported) if self.skip_to_closing(open) => break,
                Err(Reported) => return Err(Reported),
            }
            if !self.eat(K::Comma) {
                break;
            }
        }
        if self.kind() != K::RightBrace {
            let message =
                format!("expected `,` or `}}` in the initialiser, found {}", self.describe_current());
            let diagnostic = Diagnostic::error("unexpected-token", self.span(), message)
                .label(self.span_of(brace), "the initialiser starts here");
            let reported = self.error(diagnostic);
            if !self.skip_to_closing(open) {
                return Err(reported);
            }
        }
        self.bump();
        Ok(InitializerList { entries, span: self.span_from(start) })
    }

    fn initializer_entry(&mut self) -> Parsed<InitializerEntry> {
        let start = self.start();
        let mut designators = Vec::new();
        if self.kind() == K::Name && self.kind_ahead(1) == K::Colon {
            // GNU's old form.
            let token = self.bump();
            designators.push(Designator::Field(token.symbol, self.span_of(token)));
            self.bump();
        } else if matches!(self.kind(), K::Dot | K::LeftBracket) {
            self.designators(&mut designators)?;
            // `[3] 4` without `=` is an old form too, for a lone index.
            let may_omit = matches!(designators.as_slice(), [Designator::Index(_) | Designator::Range(..)]);
            if !self.eat(K::Equal) && !may_omit {
                let message = format!("expected `=` after the designator, found {}", self.describe_current());
                return Err(self.error_here("unexpected-token", message));
            }
        }
        let value = self.initializer()?;
        Ok(InitializerEntry { designators, value, span: self.span_from(start) })
    }

    /// `.x`, `[3]`, `[1 ... 4]`, any number of them.
    pub(super) fn designators(&mut self, designators: &mut Vec<Designator>) -> Parsed<()> {
        loop {
            match self.kind() {
                K::Dot => {
                    self.bump();
                    let (name, span) = self.expect_name("the name of a member")?;
                    designators.push(Designator::Field(name, span));
                }
                K::LeftBracket => {
                    self.bump();
                    let first = self.nested(Weight::Light, Self::expression)?;
                    let designator = if self.eat(K::Ellipsis) {
                        Designator::Range(first, self.nested(Weight::Light, Self::expression)?)
                    } else {
                        Designator::Index(first)
                    };
                    self.expect(K::RightBracket, "`]` after the index")?;
                    designators.push(designator);
                }
                _ => return Ok(()),
            }
        }
    }
}
