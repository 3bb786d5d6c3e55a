//! `struct`, `union` and `enum`.

use super::scope::Meaning;
use super::specifiers::Place;
use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Symbol};

impl Parser<'_> {
    /// `struct tag { … }`; the current token is `struct` or `union`.
    pub(super) fn record(&mut self) -> Parsed<RecordSpecifier> {
        let start = self.start();
        let kind = if self.bump().kind == K::Struct { RecordKind::Struct } else { RecordKind::Union };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(&mut attributes)?;
        let mut members = None;
        let mut pragma_pack = None;
        if self.kind() == K::LeftBrace {
            members = Some(self.members()?);
            pragma_pack = self.pack_at(self.at - 1);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            let message = format!("expected a tag or `{{`, found {}", self.describe_current());
            return Err(self.error_here("expected-tag", message));
        }
        Ok(RecordSpecifier { kind, tag, members, attributes, pragma_pack, span: self.span_from(start) })
    }

    /// The tag, if there is one. Attributes behind it belong to the type only if its body follows.
    fn tag(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Option<Symbol>> {
        if self.kind() != K::Name {
            return Ok(None);
        }
        let tag = self.bump().symbol;
        if self.is_attribute_at(self.at) && self.kind_at(self.after_attributes(self.at)) == K::LeftBrace {
            self.attributes(attributes)?;
        }
        Ok(Some(tag))
    }

    /// `{ … }` of a record.
    fn members(&mut self) -> Parsed<Vec<Member>> {
        let open = self.bump();
        let mut members = Vec::new();
        loop {
            match self.kind() {
                K::RightBrace => {
                    self.bump();
                    return Ok(members);
                }
                K::End => {
                    let diagnostic = Diagnostic::error(
                        "unclosed-brace",
                        self.span(),
                        "the members of this type never end",
                    )
                    .label(self.span_of(open), "opened here");
                    return Err(self.error(diagnostic));
                }
                K::Semicolon => {
                    self.bump();
                }
                _ => {
                    let started_at = self.at;
                    match self.member() {
                        Ok(member) => members.push(member),
                        Err(Reported) => {
                            self.skip_to(K::Semicolon);
                            if !self.eat(K::Semicolon)
                                && self.at == started_at
                                && self.kind() != K::RightBrace
                            {
                                self.bump();
                            }
                        }
                    }
                }
            }
        }
    }

    fn member(&mut self) -> Parsed<Member> {
        if let Some(assertion) = self.static_assert()? {
            return Ok(Member::StaticAssert(assertion));
        }
        let start = self.start();
        let specifiers = self.specifiers(Place::Member)?;
        let mut declarators = Vec::new();
        if !matches!(self.kind(), K::Semicolon | K::RightBrace) {
            loop {
                declarators.push(self.field()?);
                if !self.eat(K::Comma) {
                    break;
                }
            }
        }
        if self.kind() == K::RightBrace {
            // gcc takes this with a warning.
            let here = self.span_here();
            self.warn("missing-semicolon", here, "no `;` after the last member");
        } else {
            self.expect_semicolon("the member")?;
        }
        Ok(Member::Fields { specifiers, declarators, span: self.span_from(start) })
    }

    fn field(&mut self) -> Parsed<FieldDeclarator> {
        let start = self.start();
        let mut attributes = Vec::new();
        if self.is_attribute_at(self.at) {
            self.attributes(&mut attributes)?;
        }
        let declarator = if self.kind() == K::Colon { None } else { Some(self.declarator()?) };
        let width = if self.eat(K::Colon) { Some(self.conditional()?) } else { None };
        self.attributes(&mut attributes)?;
        Ok(FieldDeclarator { declarator, width, attributes, span: self.span_from(start) })
    }

    /// `enum tag { … }`; the current token is `enum`.
    pub(super) fn enum_specifier(&mut self) -> Parsed<EnumSpecifier> {
        let start = self.start();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(&mut attributes)?;
        let mut constants = None;
        if self.kind() == K::LeftBrace {
            constants = Some(self.enum_constants()?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            let message = format!("expected a tag or `{{`, found {}", self.describe_current());
            return Err(self.error_here("expected-tag", message));
        }
        Ok(EnumSpecifier { tag, constants, attributes, span: self.span_from(start) })
    }

    fn enum_constants(&mut self) -> Parsed<Vec<EnumConstant>> {
        let open = self.bump();
        let mut constants = Vec::new();
        loop {
            if self.eat(K::RightBrace) {
                return Ok(constants);
            }
            if self.kind() == K::End {
                let diagnostic =
                    Diagnostic::error("unclosed-brace", self.span(), "the constants of this enum never end")
                        .label(self.span_of(open), "opened here");
                return Err(self.error(diagnostic));
            }
            match self.enum_constant() {
                Ok(constant) => constants.push(constant),
                Err(Reported) => self.skip_to(K::Comma),
            }
            if self.kind() != K::RightBrace && !self.eat(K::Comma) {
                let message = format!(
                    "expected `,` or `}}` after the enum constant, found {}",
                    self.describe_current()
                );
                self.error_here("unexpected-token", message);
                self.skip_to(K::Comma);
                self.eat(K::Comma);
            }
        }
    }

    fn enum_constant(&mut self) -> Parsed<EnumConstant> {
        let start = self.start();
        let (name, _) = self.expect_name("the name of an enum constant")?;
        self.skip_attributes()?;
        let value = if self.eat(K::Equal) { Some(self.conditional()?) } else { None };
        self.scopes.declare(name, Meaning::Value);
        Ok(EnumConstant { name, value, span: self.span_from(start) })
    }
}
