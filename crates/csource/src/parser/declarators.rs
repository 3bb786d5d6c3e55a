//! Declarators: the name and what is derived around it. Also type names and parameter lists.

use super::scope::Meaning;
use super::specifiers::{Place, add_qualifier};
use super::*;
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Span, Symbol};

/// Must a declarator have a name?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Named,
    Abstract,
    Either,
}

/// A declarator while it is read.
struct Draft {
    name: Option<Symbol>,
    name_span: Span,
    derivations: Vec<Derivation>,
    attributes: Vec<Attribute>,
}

impl Parser<'_> {
    /// A declarator with a name, without the asm label and attributes behind it.
    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        self.declarator_of(Naming::Named)
    }

    /// `asm("symbol")` and attributes behind a declarator, in any order gcc takes.
    pub(super) fn declarator_suffix(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        let start = declarator.span.start;
        loop {
            if self.kind() == K::Asm {
                declarator.asm_label = Some(self.asm_label()?);
            } else if self.is_attribute_at(self.at) {
                self.attributes(&mut declarator.attributes)?;
            } else {
                break;
            }
            declarator.span = self.span_from(start);
        }
        Ok(())
    }

    /// A type without a name, as in casts.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let start = self.start();
        let specifiers = self.specifiers(Place::TypeName)?;
        let mut declarator = self.declarator_of(Naming::Abstract)?;
        if self.is_attribute_at(self.at) {
            self.attributes(&mut declarator.attributes)?;
        }
        Ok(TypeName { specifiers, declarator, span: self.span_from(start) })
    }

    fn declarator_of(&mut self, naming: Naming) -> Parsed<Declarator> {
        let start = if self.is_declarator_empty() { self.previous_end() } else { self.start() };
        let draft = self.draft(naming)?;
        Ok(Declarator {
            name: draft.name,
            name_span: draft.name_span,
            derivations: draft.derivations,
            attributes: draft.attributes,
            asm_label: None,
            span: self.span_from(start),
        })
    }

    /// Does an abstract declarator of nothing stand here?
    fn is_declarator_empty(&self) -> bool {
        !matches!(self.kind(), K::Name | K::Star | K::LeftParen | K::LeftBracket | K::Attribute)
    }

    fn draft(&mut self, naming: Naming) -> Parsed<Draft> {
        // Pointers are derived last: they are nearest to the base type.
        let mut pointers = Vec::new();
        let mut attributes = Vec::new();
        loop {
            match self.kind() {
                K::Star => {
                    self.bump();
                    pointers.push(Qualifiers::default());
                }
                kind @ (K::Const | K::Volatile | K::Restrict | K::Atomic) => {
                    let Some(pointer) = pointers.last_mut() else { break };
                    add_qualifier(pointer, kind);
                    self.bump();
                }
                K::Attribute | K::Declspec => self.attributes(&mut attributes)?,
                K::LeftBracket if self.kind_ahead(1) == K::LeftBracket => self.attributes(&mut attributes)?,
                K::Extension => {
                    self.bump();
                }
                _ => break,
            }
        }
        let mut draft = self.direct_declarator(naming)?;
        while self.derivation_suffix(&mut draft)? {}
        draft.derivations.extend(pointers.into_iter().rev().map(Derivation::Pointer));
        draft.attributes.append(&mut attributes);
        Ok(draft)
    }

    fn direct_declarator(&mut self, naming: Naming) -> Parsed<Draft> {
        let mut draft = Draft {
            name: None,
            name_span: self.span_here(),
            derivations: Vec::new(),
            attributes: Vec::new(),
        };
        match self.kind() {
            K::Name if naming != Naming::Abstract => {
                let token = self.bump();
                draft.name = Some(token.symbol);
                draft.name_span = self.span_of(token);
                Ok(draft)
            }
            K::LeftParen if !(naming != Naming::Named && self.parameters_follow()) => {
                let open = self.bump();
                let draft = self.nested(Weight::Light, |parser| parser.draft(naming))?;
                if self.kind() != K::RightParen {
                    let message =
                        format!("expected `)` in the declarator, found {}", self.describe_current());
                    let diagnostic = Diagnostic::error("unexpected-token", self.span(), message)
                        .label(self.span_of(open), "opened here");
                    return Err(self.error(diagnostic));
                }
                self.bump();
                Ok(draft)
            }
            _ if naming != Naming::Named => Ok(draft),
            kind => {
                let message = match kind {
                    kind if kind.is_word() => {
                        format!("expected a name to declare, found the keyword {}", self.describe_current())
                    }
                    _ => format!("expected a name to declare, found {}", self.describe_current()),
                };
                Err(self.error_here("expected-declarator", message))
            }
        }
    }

    /// In a declarator that needs no name: does `(` start a parameter list rather than an inner declarator?
    /// C11 6.7.6.3p11: a typedef name there is a parameter's type.
    fn parameters_follow(&self) -> bool {
        let inside = self.after_attributes(self.at + 1);
        matches!(self.kind_at(inside), K::RightParen | K::Ellipsis) || {
            let kind = self.kind_at(inside);
            kind.is_specifier()
                || (kind == K::Name && self.scopes.meaning(self.tokens[inside].symbol).is_type())
        }
    }

    /// `[…]` or `(…)` behind a declarator; `false` if neither follows.
    fn derivation_suffix(&mut self, draft: &mut Draft) -> Parsed<bool> {
        match self.kind() {
            K::LeftBracket if self.kind_ahead(1) == K::LeftBracket => {
                self.attributes(&mut draft.attributes)?
            }
            K::LeftBracket => {
                let array = self.nested(Weight::Heavy, Self::array_suffix)?;
                draft.derivations.push(Derivation::Array(array));
            }
            K::LeftParen => {
                let function = self.nested(Weight::Heavy, Self::function_suffix)?;
                draft.derivations.push(Derivation::Function(function));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn array_suffix(&mut self) -> Parsed<ArrayDeclarator> {
        let start = self.start();
        self.bump();
        let mut qualifiers = Qualifiers::default();
        let mut is_static = false;
        loop {
            match self.kind() {
                K::Static => is_static = true,
                kind @ (K::Const | K::Volatile | K::Restrict | K::Atomic) => {
                    add_qualifier(&mut qualifiers, kind)
                }
                _ => break,
            }
            self.bump();
        }
        let length = match self.kind() {
            K::RightBracket => ArraySize::Unspecified,
            K::Star if self.kind_ahead(1) == K::RightBracket => {
                self.bump();
                ArraySize::Star
            }
            _ => ArraySize::Expr(Box::new(self.assignment()?)),
        };
        self.expect(K::RightBracket, "`]` after the length of the array")?;
        Ok(ArrayDeclarator { qualifiers, is_static, length, span: self.span_from(start) })
    }

    fn function_suffix(&mut self) -> Parsed<FunctionDeclarator> {
        let start = self.start();
        let open = self.at;
        self.bump();
        if self.names_follow() {
            let names = self.parameter_names()?;
            let span = self.span_from(start);
            return Ok(FunctionDeclarator { parameters: Parameters::Names(names), is_variadic: false, span });
        }
        self.scopes.open();
        let result = self.parameters();
        self.scopes.close();
        let (parameters, is_variadic) = match result {
            Ok(read) => read,
            Err(Reported) if self.skip_to_closing(open) => (Vec::new(), true),
            Err(Reported) => return Err(Reported),
        };
        self.expect(K::RightParen, "`)` after the parameters")?;
        let parameters = Parameters::Prototype(parameters);
        Ok(FunctionDeclarator { parameters, is_variadic, span: self.span_from(start) })
    }

    /// Do the names of an old-style list follow? `()` is an empty one.
    fn names_follow(&self) -> bool {
        match self.kind() {
            K::RightParen => true,
            K::Name => {
                let meaning = self.scopes.meaning(self.token().symbol);
                !meaning.is_type()
                    && matches!(self.kind_ahead(1), K::Comma | K::RightParen)
                    && !(meaning == Meaning::Undeclared && self.token().symbol == self.well_known.bool_)
            }
            _ => false,
        }
    }

    fn parameter_names(&mut self) -> Parsed<Vec<(Symbol, Span)>> {
        let mut names = Vec::new();
        while self.kind() != K::RightParen {
            names.push(self.expect_name("the name of a parameter")?);
            if !self.eat(K::Comma) {
                break;
            }
        }
        self.expect(K::RightParen, "`)` after the names of the parameters")?;
        Ok(names)
    }

    fn parameters(&mut self) -> Parsed<(Vec<Parameter>, bool)> {
        let mut parameters = Vec::new();
        loop {
            if self.eat(K::Ellipsis) {
                return Ok((parameters, true));
            }
            let parameter = self.parameter()?;
            // `(void)` is the empty list.
            if parameters.is_empty() && self.kind() == K::RightParen && is_plain_void(&parameter) {
                return Ok((parameters, false));
            }
            if let Some(name) = parameter.declarator.name {
                self.scopes.declare(name, Meaning::Value);
            }
            parameters.push(parameter);
            if !self.eat(K::Comma) {
                if self.kind() != K::RightParen {
                    let message =
                        format!("expected `,` or `)` after the parameter, found {}", self.describe_current());
                    return Err(self.error_here("unexpected-token", message));
                }
                return Ok((parameters, false));
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.start();
        let specifiers = self.specifiers(Place::Parameter)?;
        let mut declarator = self.declarator_of(Naming::Either)?;
        self.declarator_suffix(&mut declarator)?;
        Ok(Parameter { specifiers, declarator, span: self.span_from(start) })
    }
}

fn is_plain_void(parameter: &Parameter) -> bool {
    matches!(parameter.specifiers.type_specifier, TypeSpecifier::Basic(BasicType::Void))
        && parameter.declarator.name.is_none()
        && parameter.declarator.derivations.is_empty()
        && parameter.specifiers.storage.is_none()
        && parameter.specifiers.qualifiers == Qualifiers::default()
}
