//! Declaration specifiers: storage, qualifiers, base type, alignment, attributes, in any order.

use super::scope::Meaning;
use super::soup::Soup;
use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Span, Symbol};

/// Where specifiers stand; decides what a name that is no typedef can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At file scope.
    File,
    /// In a block or the first clause of a `for`.
    Block,
    /// In a struct or union.
    Member,
    /// In a parameter list.
    Parameter,
    /// In a cast, `sizeof` and the like.
    TypeName,
}

/// What has been read of the specifiers.
struct Reading {
    place: Place,
    start: u32,
    storage: Option<StorageClass>,
    is_thread_local: bool,
    is_inline: bool,
    is_noreturn: bool,
    qualifiers: Qualifiers,
    soup: Soup,
    /// Where the last word of the soup stands.
    soup_span: Span,
    specifier: Option<TypeSpecifier>,
    alignments: Vec<Alignment>,
    attributes: Vec<Attribute>,
}

impl Reading {
    /// Is the type a record or enum with its body?
    fn ends_with_body(&self) -> bool {
        match &self.specifier {
            Some(TypeSpecifier::Record(record)) => record.members.is_some(),
            Some(TypeSpecifier::Enum(specifier)) => specifier.constants.is_some(),
            _ => false,
        }
    }

    fn has_type(&self) -> bool {
        self.specifier.is_some() || !self.soup.is_empty()
    }
}

impl Parser<'_> {
    /// Does a declaration start at the token? (Labels are told apart before.)
    pub(super) fn starts_declaration(&self, index: usize) -> bool {
        let kind = self.kind_at(index);
        if kind == K::Name {
            return self.name_starts_declaration(index);
        }
        kind.is_specifier()
            || ((kind == K::Extension || self.is_attribute_at(index)) && {
                let after = self.after_attributes(index);
                after > index && self.kind_at(after) != K::Semicolon && self.starts_declaration_word(after)
            })
    }

    fn starts_declaration_word(&self, index: usize) -> bool {
        let kind = self.kind_at(index);
        kind.is_specifier() || (kind == K::Name && self.name_starts_declaration(index))
    }

    /// Does a name start a declaration in a block? Typedefs do; so do names that can be nothing but a type that is
    /// missing: `foo x;`, and `foo *x = …` when `foo` is not declared at all.
    fn name_starts_declaration(&self, index: usize) -> bool {
        let name = self.tokens[index].symbol;
        let meaning = self.scopes.meaning(name);
        if meaning.is_type() {
            return true;
        }
        match self.kind_at(index + 1) {
            K::Name => true,
            K::Star if meaning == Meaning::Undeclared => {
                let mut after = index + 1;
                while self.kind_at(after) == K::Star {
                    after += 1;
                }
                self.kind_at(after) == K::Name && matches!(self.kind_at(after + 1), K::Equal | K::Semicolon)
            }
            kind if meaning == Meaning::Undeclared && self.is_future_specifier(name) => kind.is_specifier(),
            _ => false,
        }
    }

    /// Is it `constexpr` or `thread_local`, keywords in C23 only?
    fn is_future_specifier(&self, name: Symbol) -> bool {
        name == self.well_known.constexpr
            || name == self.well_known.thread_local
            || name == self.well_known.bool_
    }

    /// Does a type name start at the token?
    pub(super) fn starts_type_name(&self, index: usize) -> bool {
        let is_type = |index: usize| match self.kind_at(index) {
            K::Name => {
                let name = self.tokens[index].symbol;
                let meaning = self.scopes.meaning(name);
                meaning.is_type()
                    || (meaning == Meaning::Undeclared
                        && name == self.well_known.bool_
                        && matches!(self.kind_at(index + 1), K::RightParen | K::Star | K::Comma))
            }
            kind => kind.is_type_word(),
        };
        match self.kind_at(index) {
            K::Extension | K::Attribute | K::Declspec => is_type(self.after_attributes(index)),
            _ => is_type(index),
        }
    }

    pub(super) fn specifiers(&mut self, place: Place) -> Parsed<Specifiers> {
        let mut reading = Reading {
            place,
            start: self.start(),
            storage: None,
            is_thread_local: false,
            is_inline: false,
            is_noreturn: false,
            qualifiers: Qualifiers::default(),
            soup: Soup::default(),
            soup_span: Span::NOWHERE,
            specifier: None,
            alignments: Vec::new(),
            attributes: Vec::new(),
        };
        while self.specifier(&mut reading)? {}
        self.finish_specifiers(reading)
    }

    /// Reads one specifier; `false` when the next token is none.
    fn specifier(&mut self, reading: &mut Reading) -> Parsed<bool> {
        let kind = self.kind();
        if kind.is_specifier() && reading.ends_with_body() && self.another_type_follows() {
            // The `;` behind a type is missing; who reads the declarators says so.
            return Ok(false);
        }
        match kind {
            K::Name => return self.name_among_specifiers(reading),
            K::Typedef => self.storage_class(reading, StorageClass::Typedef)?,
            K::Extern => self.storage_class(reading, StorageClass::Extern)?,
            K::Static => self.storage_class(reading, StorageClass::Static)?,
            K::Auto => self.storage_class(reading, StorageClass::Auto)?,
            K::Register => self.storage_class(reading, StorageClass::Register)?,
            K::ThreadLocal => {
                self.bump();
                reading.is_thread_local = true;
            }
            K::Inline => {
                self.bump();
                reading.is_inline = true;
            }
            K::Noreturn => {
                self.bump();
                reading.is_noreturn = true;
            }
            K::Atomic if self.kind_ahead(1) == K::LeftParen => {
                self.bump();
                self.bump();
                let name = self.nested(Weight::Heavy, Self::type_name)?;
                self.expect(K::RightParen, "`)` after the type")?;
                self.set_type(reading, TypeSpecifier::Atomic(Box::new(name)))?;
            }
            K::Const | K::Volatile | K::Restrict | K::Atomic => {
                self.bump();
                add_qualifier(&mut reading.qualifiers, kind);
            }
            K::Struct | K::Union => {
                let record = self.nested(Weight::Heaviest, Self::record)?;
                self.set_type(reading, TypeSpecifier::Record(Box::new(record)))?;
            }
            K::Enum => {
                let specifier = self.nested(Weight::Heavy, Self::enum_specifier)?;
                self.set_type(reading, TypeSpecifier::Enum(Box::new(specifier)))?;
            }
            K::Typeof => {
                let specifier = self.nested(Weight::Heavy, Self::typeof_specifier)?;
                self.set_type(reading, specifier)?;
            }
            K::AutoType => {
                self.bump();
                self.set_type(reading, TypeSpecifier::AutoType)?;
            }
            K::VaList => {
                self.bump();
                self.set_type(reading, TypeSpecifier::VaList)?;
            }
            K::BitInt => self.bit_int(reading)?,
            K::UnsupportedType => {
                let message = format!("the type {} is not supported", self.describe_current());
                return Err(self.error_here("unsupported-type", message));
            }
            K::Alignas => {
                self.bump();
                let alignment = self.alignment()?;
                reading.alignments.push(alignment);
            }
            K::Attribute | K::Declspec => self.attributes(&mut reading.attributes)?,
            K::LeftBracket if self.kind_ahead(1) == K::LeftBracket => {
                self.attributes(&mut reading.attributes)?
            }
            K::Extension => {
                self.bump();
            }
            // What is left of the specifiers are the words of the basic types.
            kind if kind.is_specifier() => {
                let word = self.bump();
                reading.soup_span = self.span_of(word);
                if !reading.soup.add(kind) || reading.specifier.is_some() {
                    return Err(
                        self.impossible_type(reading.soup_span.to(Span::new(reading.start, reading.start)))
                    );
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Do specifiers with a type of their own start on this line?
    fn another_type_follows(&self) -> bool {
        // Nobody writes more than a few words before the type.
        let words = (self.at..self.at + 8).map(|index| self.kind_at(index));
        let mut words = words.skip_while(|kind| kind.is_specifier() && !kind.is_type());
        words.next().is_some_and(TokenKind::is_type) && self.is_first_on_line(self.at)
    }

    fn impossible_type(&mut self, span: Span) -> Reported {
        let diagnostic =
            Diagnostic::error("conflicting-types", span, "these words do not make up a type together")
                .hint("is a `;` missing before this?");
        self.error(diagnostic)
    }

    fn storage_class(&mut self, reading: &mut Reading, class: StorageClass) -> Parsed<()> {
        let allowed = match reading.place {
            Place::File | Place::Block => true,
            Place::Parameter => class == StorageClass::Register,
            Place::Member | Place::TypeName => false,
        };
        if !allowed {
            let message = format!("a storage class cannot stand here, found {}", self.describe_current());
            return Err(self.error_here("misplaced-storage-class", message));
        }
        if reading.storage.is_some_and(|known| known != class) {
            return Err(
                self.error_here("two-storage-classes", "a declaration can have only one storage class")
            );
        }
        self.bump();
        reading.storage = Some(class);
        Ok(())
    }

    fn set_type(&mut self, reading: &mut Reading, specifier: TypeSpecifier) -> Parsed<()> {
        if reading.has_type() {
            let span = self.span_from(reading.start);
            return Err(self.impossible_type(span));
        }
        reading.specifier = Some(specifier);
        Ok(())
    }

    /// A name where a specifier may stand: a typedef, a C23 keyword, a missing type, or the declarator.
    fn name_among_specifiers(&mut self, reading: &mut Reading) -> Parsed<bool> {
        let name = self.token().symbol;
        if reading.has_type() {
            return Ok(false);
        }
        match self.scopes.meaning(name) {
            Meaning::Type => {
                self.bump();
                reading.specifier = Some(TypeSpecifier::Typedef(name));
                return Ok(true);
            }
            Meaning::MissingType => {
                self.bump();
                // With a type behind it, it was a macro that is not defined.
                if !self.kind().starts_another_type() {
                    reading.specifier = Some(TypeSpecifier::ImplicitInt);
                }
                return Ok(true);
            }
            Meaning::Undeclared => {
                if self.future_specifier(name, reading)? {
                    return Ok(true);
                }
            }
            Meaning::Value => {}
        }
        let next = self.kind_ahead(1);
        if next.starts_another_type() {
            // `EXPORT int f(void);` where the macro EXPORT is not defined. Old-style parameters look like this too,
            // but then a declarator, not a specifier, was expected.
            self.missing_type(name);
            self.bump();
            return Ok(true);
        }
        let is_type = match next {
            K::Name => true,
            K::Star => {
                matches!(reading.place, Place::File | Place::Member | Place::Parameter)
                    || self.star_declares()
            }
            _ => {
                let is_bare = reading.storage.is_none() && reading.qualifiers == Qualifiers::default();
                reading.place == Place::Parameter && is_bare
            }
        };
        if is_type {
            self.missing_type(name);
            self.bump();
            reading.specifier = Some(TypeSpecifier::ImplicitInt);
        }
        Ok(is_type)
    }

    /// `foo *x` in a block was already found to be a declaration.
    fn star_declares(&self) -> bool {
        self.name_starts_declaration(self.at)
    }

    /// Reports a name that is used as a type without being one, once.
    pub(super) fn missing_type(&mut self, name: Symbol) {
        let message = format!("unknown type name `{}`", self.name(name));
        let diagnostic =
            Diagnostic::error("unknown-type", self.span(), message).hint("is a header or a typedef missing?");
        self.error(diagnostic);
        if self.scopes.meaning(name) == Meaning::Undeclared {
            self.scopes.declare_missing(name);
        }
    }

    /// `bool`, `constexpr`, `thread_local`, `alignas` of C23, where nothing of that name is declared.
    fn future_specifier(&mut self, name: Symbol, reading: &mut Reading) -> Parsed<bool> {
        let next = self.kind_ahead(1);
        if name == self.well_known.bool_ {
            let is_type = match next {
                K::Name | K::Star => true,
                K::RightParen | K::Comma => matches!(reading.place, Place::TypeName | Place::Parameter),
                _ => false,
            };
            if is_type {
                self.bump();
                reading.soup.add(K::Bool);
            }
            return Ok(is_type);
        }
        let starts_type = next.is_specifier() || next == K::Name;
        if name == self.well_known.constexpr && starts_type {
            self.bump();
            reading.qualifiers.is_const = true;
            return Ok(true);
        }
        if name == self.well_known.thread_local && starts_type {
            self.bump();
            reading.is_thread_local = true;
            return Ok(true);
        }
        if name == self.well_known.alignas && next == K::LeftParen && reading.place != Place::Parameter {
            let closing = self.closing_of(self.at + 1);
            let after = self.kind_at(closing + 1);
            if after.is_specifier() || after == K::Name {
                self.bump();
                let alignment = self.alignment()?;
                reading.alignments.push(alignment);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn alignment(&mut self) -> Parsed<Alignment> {
        self.expect(K::LeftParen, "`(` after `_Alignas`")?;
        let alignment = if self.starts_type_name(self.at) {
            Alignment::Type(self.nested(Weight::Heavy, Self::type_name)?)
        } else {
            Alignment::Expr(self.conditional()?)
        };
        self.expect(K::RightParen, "`)` after the alignment")?;
        Ok(alignment)
    }

    fn typeof_specifier(&mut self) -> Parsed<TypeSpecifier> {
        self.bump();
        self.expect(K::LeftParen, "`(` after `typeof`")?;
        let specifier = if self.starts_type_name(self.at) {
            TypeSpecifier::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpecifier::TypeofExpr(Box::new(self.expression()?))
        };
        self.expect(K::RightParen, "`)` after the operand of `typeof`")?;
        Ok(specifier)
    }

    fn bit_int(&mut self, reading: &mut Reading) -> Parsed<()> {
        self.bump();
        self.expect(K::LeftParen, "`(` after `_BitInt`")?;
        let width = Box::new(self.conditional()?);
        self.expect(K::RightParen, "`)` after the width")?;
        // The sign may stand on either side.
        while matches!(self.kind(), K::Signed | K::Unsigned) {
            let kind = self.bump().kind;
            if !reading.soup.add(kind) {
                let span = self.span_from(reading.start);
                return Err(self.impossible_type(span));
            }
        }
        let Some(unsigned) = reading.soup.only_sign().filter(|_| reading.specifier.is_none()) else {
            let span = self.span_from(reading.start);
            return Err(self.impossible_type(span));
        };
        reading.soup = Soup::default();
        reading.specifier = Some(TypeSpecifier::BitInt { unsigned, width });
        Ok(())
    }

    fn finish_specifiers(&mut self, reading: Reading) -> Parsed<Specifiers> {
        let span = self.span_from(reading.start);
        let type_specifier = match reading.specifier {
            Some(specifier) => specifier,
            None if reading.soup.is_empty() => {
                self.implicit_int(reading.place)?;
                TypeSpecifier::ImplicitInt
            }
            None => match reading.soup.basic() {
                Some(basic) => TypeSpecifier::Basic(basic),
                None if reading.soup.is_complex_integer() => {
                    let diagnostic =
                        Diagnostic::error("unsupported-type", span, "complex integers are not supported");
                    return Err(self.error(diagnostic));
                }
                None => return Err(self.impossible_type(span)),
            },
        };
        Ok(Specifiers {
            storage: reading.storage,
            is_thread_local: reading.is_thread_local,
            is_inline: reading.is_inline,
            is_noreturn: reading.is_noreturn,
            qualifiers: reading.qualifiers,
            type_specifier,
            alignments: reading.alignments,
            attributes: reading.attributes,
            span,
        })
    }

    /// No type was written: `int` by the old rule where a declarator follows, an error elsewhere.
    fn implicit_int(&mut self, place: Place) -> Parsed<()> {
        let is_declared = matches!(self.kind(), K::Name | K::Star | K::LeftParen);
        match place {
            Place::File | Place::Block | Place::Parameter if is_declared || place == Place::Parameter => {
                self.warn("implicit-int", self.span(), "no type is given, so `int` is assumed");
                Ok(())
            }
            _ => {
                let message = format!("expected a type, found {}", self.describe_current());
                Err(self.error_here("expected-type", message))
            }
        }
    }
}

pub(super) fn add_qualifier(qualifiers: &mut Qualifiers, kind: K) {
    match kind {
        K::Const => qualifiers.is_const = true,
        K::Volatile => qualifiers.is_volatile = true,
        K::Restrict => qualifiers.is_restrict = true,
        _ => qualifiers.is_atomic = true,
    }
}
