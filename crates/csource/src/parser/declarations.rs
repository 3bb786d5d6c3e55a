//! Declarations and function definitions, at file scope and in blocks.

use super::scope::Meaning;
use super::specifiers::Place;
use super::statements::BlockOf;
use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Symbol};

/// What a declaration turned out to be.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(Box<FunctionDefinition>),
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> TranslationUnit {
        let mut items = Vec::new();
        while self.kind() != K::End {
            let started_at = self.at;
            match self.external() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {}
                Err(Reported) => self.skip_external(started_at),
            }
        }
        TranslationUnit { items, pragmas: std::mem::take(&mut self.pragmas) }
    }

    /// One external declaration; nothing for a lone `;`.
    fn external(&mut self) -> Parsed<Option<Item>> {
        match self.kind() {
            K::Semicolon => {
                self.bump();
                return Ok(None);
            }
            K::RightBrace => {
                let hint = "there are more closing braces than opening ones before this";
                let diagnostic =
                    Diagnostic::error("unmatched-brace", self.span(), "this `}` closes nothing").hint(hint);
                return Err(self.error(diagnostic));
            }
            K::Asm => {
                let asm = self.asm()?;
                self.expect_semicolon("`asm`")?;
                return Ok(Some(Item::Asm(asm)));
            }
            K::Extension if self.kind_at(self.after_attributes(self.at)) == K::Asm => {
                self.bump();
                return self.external();
            }
            kind if kind.starts_statement_only() => {
                let message = format!("{} cannot stand outside a function", self.describe_current());
                return Err(self.error_here("statement-outside-function", message));
            }
            _ => {}
        }
        if let Some(assertion) = self.static_assert()? {
            return Ok(Some(Item::StaticAssert(assertion)));
        }
        Ok(Some(match self.declaration(Place::File)? {
            Declared::Declaration(declaration) => Item::Declaration(declaration),
            Declared::Function(function) => Item::Function(function),
        }))
    }

    /// `_Static_assert(…);`, or `static_assert` where nothing of that name is declared.
    pub(super) fn static_assert(&mut self) -> Parsed<Option<StaticAssert>> {
        let at = if self.kind() == K::Extension { self.at + 1 } else { self.at };
        let is_future = |token: Token| {
            token.kind == K::Name
                && token.symbol == self.well_known.static_assert
                && self.scopes.meaning(token.symbol) == Meaning::Undeclared
        };
        if self.kind_at(at) != K::StaticAssert
            && !(is_future(self.tokens[at]) && self.kind_at(at + 1) == K::LeftParen)
        {
            return Ok(None);
        }
        let start = self.start();
        self.at = at + 1;
        self.expect(K::LeftParen, "`(` after `_Static_assert`")?;
        let condition = self.conditional()?;
        let mut message = None;
        if self.eat(K::Comma) {
            message = Some(self.string_text("the message of the assertion")?);
        }
        self.expect(K::RightParen, "`)` after the assertion")?;
        let span = self.span_from(start);
        self.expect_semicolon("the assertion")?;
        Ok(Some(StaticAssert { condition, message, span }))
    }

    /// A declaration up to its `;`, or a function with its body.
    pub(super) fn declaration(&mut self, place: Place) -> Parsed<Declared> {
        let start = self.start();
        let specifiers = self.specifiers(place)?;
        let mut declarators = Vec::new();
        if self.kind() != K::Semicolon {
            let Some(first) = self.first_declarator(&specifiers)? else {
                return Ok(Declared::Declaration(Declaration {
                    specifiers,
                    declarators,
                    span: self.span_from(start),
                }));
            };
            if self.body_follows(&first) {
                let function =
                    self.nested(Weight::Heaviest, |parser| parser.function(start, specifiers, first))?;
                return Ok(Declared::Function(function));
            }
            declarators.push(self.initialized(&specifiers, first)?);
            while self.eat(K::Comma) {
                let mut attributes = Vec::new();
                self.attributes(&mut attributes)?;
                let mut declarator = self.declarator()?;
                declarator.attributes.append(&mut attributes);
                self.declarator_suffix(&mut declarator)?;
                declarators.push(self.initialized(&specifiers, declarator)?);
            }
        }
        self.expect_semicolon("the declaration")?;
        Ok(Declared::Declaration(Declaration { specifiers, declarators, span: self.span_from(start) }))
    }

    /// The first declarator; nothing when only the `;` behind a type is missing, which is reported.
    fn first_declarator(&mut self, specifiers: &Specifiers) -> Parsed<Option<Declarator>> {
        let is_type_only =
            matches!(specifiers.type_specifier, TypeSpecifier::Record(_) | TypeSpecifier::Enum(_));
        if is_type_only && !matches!(self.kind(), K::Name | K::Star | K::LeftParen | K::Attribute | K::Asm) {
            // `struct s { … }` without `;` is far more common than a bad declarator behind it.
            self.expect_semicolon("the type")?;
            return Ok(None);
        }
        let mut declarator = self.declarator()?;
        self.declarator_suffix(&mut declarator)?;
        Ok(Some(declarator))
    }

    /// Declares the name and reads its initialiser, in which the name is already known.
    fn initialized(&mut self, specifiers: &Specifiers, declarator: Declarator) -> Parsed<InitDeclarator> {
        self.declare(specifiers, &declarator);
        let start = declarator.span.start;
        let initializer = if self.eat(K::Equal) { Some(self.initializer()?) } else { None };
        if initializer.is_none() && specifiers.storage != Some(StorageClass::Typedef) {
            self.warn_about_bare_names(&declarator);
        }
        Ok(InitDeclarator { declarator, initializer, span: self.span_from(start) })
    }

    fn declare(&mut self, specifiers: &Specifiers, declarator: &Declarator) {
        let is_typedef = specifiers.storage == Some(StorageClass::Typedef);
        if let Some(name) = declarator.name {
            self.scopes.declare(name, if is_typedef { Meaning::Type } else { Meaning::Value });
        }
    }

    /// `int f(a, b);` names parameters without types, outside a definition.
    fn warn_about_bare_names(&mut self, declarator: &Declarator) {
        if let Some(Derivation::Function(function)) = declarator.derivations.first()
            && let Parameters::Names(names) = &function.parameters
            && let Some((_, span)) = names.first()
        {
            self.warn("bare-parameter-names", *span, "the parameters of this declaration have no types");
        }
    }

    /// Is the declarator that of a function whose body (or old-style parameter declarations) follows?
    fn body_follows(&self, declarator: &Declarator) -> bool {
        let Some(Derivation::Function(function)) = declarator.derivations.first() else { return false };
        self.kind() == K::LeftBrace
            || (matches!(&function.parameters, Parameters::Names(names) if !names.is_empty())
                && self.starts_declaration(self.at))
    }

    /// Old-style parameter declarations and the body.
    fn function(
        &mut self,
        start: u32,
        specifiers: Specifiers,
        declarator: Declarator,
    ) -> Parsed<Box<FunctionDefinition>> {
        self.declare(&specifiers, &declarator);
        self.scopes.open();
        self.declare_parameters(&declarator);
        let rest = self.function_rest();
        self.scopes.close();
        let (parameter_declarations, body) = rest?;
        let span = self.span_from(start);
        Ok(Box::new(FunctionDefinition { specifiers, declarator, parameter_declarations, body, span }))
    }

    fn function_rest(&mut self) -> Parsed<(Vec<Declaration>, Block)> {
        let mut declarations = Vec::new();
        while self.kind() != K::LeftBrace {
            match self.declaration(Place::Block)? {
                Declared::Declaration(declaration) => declarations.push(declaration),
                Declared::Function(_) => {
                    return Err(self.error_here("unexpected-token", "expected the body of the function"));
                }
            }
            if self.kind() != K::LeftBrace && !self.starts_declaration(self.at) {
                let message = format!("expected the body of the function, found {}", self.describe_current());
                return Err(self.error_here("unexpected-token", message));
            }
        }
        Ok((declarations, self.block(BlockOf::Statement)?))
    }

    /// Makes the parameters, and enum constants declared among them, known to the body.
    fn declare_parameters(&mut self, declarator: &Declarator) {
        let Some(Derivation::Function(function)) = declarator.derivations.first() else { return };
        let mut names: Vec<Symbol> = Vec::new();
        match &function.parameters {
            Parameters::Names(list) => names.extend(list.iter().map(|&(name, _)| name)),
            Parameters::Prototype(parameters) => {
                for parameter in parameters {
                    names.extend(parameter.declarator.name);
                    if let TypeSpecifier::Enum(specifier) = &parameter.specifiers.type_specifier {
                        let constants = specifier.constants.iter().flatten();
                        names.extend(constants.map(|constant| constant.name));
                    }
                }
            }
        }
        for name in names {
            self.scopes.declare(name, Meaning::Value);
        }
    }
}
