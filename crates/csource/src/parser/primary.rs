//! Primary expressions and what stands behind them: calls, members, indices.

use super::scope::Meaning;
use super::statements::BlockOf;
use super::*;
use crate::literal::{self, Number, Problem};
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Span, Symbol};

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let expr = self.primary()?;
        match self.kind() {
            K::LeftParen | K::LeftBracket | K::Dot | K::Arrow | K::PlusPlus | K::MinusMinus => {
                self.postfix_of(expr)
            }
            _ => Ok(expr),
        }
    }

    /// Calls, members, indices and increments behind an expression.
    pub(super) fn postfix_of(&mut self, mut expr: Expr) -> Parsed<Expr> {
        let start = expr.span.start;
        let mut measure = self.chained;
        loop {
            let inner =
                |expr| Box::new(std::mem::replace(expr, Expr { kind: ExprKind::Error, span: Span::NOWHERE }));
            let kind = match self.kind() {
                K::LeftParen => {
                    let arguments = self.nested(Weight::Heavy, Self::call_arguments)?;
                    ExprKind::Call(inner(&mut expr), arguments)
                }
                K::LeftBracket => {
                    let index = self.nested(Weight::Heavy, Self::index)?;
                    ExprKind::Index(inner(&mut expr), Box::new(index))
                }
                K::Dot => {
                    self.bump();
                    let (name, span) = self.expect_name("the name of a member after `.`")?;
                    ExprKind::Member(inner(&mut expr), name, span)
                }
                K::Arrow => {
                    self.bump();
                    let (name, span) = self.expect_name("the name of a member after `->`")?;
                    ExprKind::Arrow(inner(&mut expr), name, span)
                }
                K::PlusPlus => {
                    self.bump();
                    ExprKind::Unary(UnaryOperator::PostIncrement, inner(&mut expr))
                }
                K::MinusMinus => {
                    self.bump();
                    ExprKind::Unary(UnaryOperator::PostDecrement, inner(&mut expr))
                }
                _ => break,
            };
            measure = self.link(measure)?;
            expr = Expr { kind, span: self.span_from(start) };
        }
        self.chained = measure;
        Ok(expr)
    }

    /// `(a, b)` of a call. A broken argument is skipped with those behind it.
    #[inline(never)]
    fn call_arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.at;
        self.bump();
        let mut arguments = Vec::new();
        if self.eat(K::RightParen) {
            return Ok(arguments);
        }
        loop {
            let start = self.start();
            let Ok(argument) = self.assignment() else {
                if !self.skip_to_closing(open) {
                    return Err(Reported);
                }
                arguments.push(Expr { kind: ExprKind::Error, span: self.span_from(start) });
                break;
            };
            arguments.push(argument);
            if !self.eat(K::Comma) {
                break;
            }
        }
        if !self.eat(K::RightParen) {
            let message = format!("expected `,` or `)` in the call, found {}", self.describe_current());
            let opened = self.span_of(self.tokens[open]);
            let diagnostic =
                Diagnostic::error("unexpected-token", self.span(), message).label(opened, "opened here");
            let reported = self.error(diagnostic);
            if !self.skip_to_closing(open) {
                return Err(reported);
            }
            self.bump();
        }
        Ok(arguments)
    }

    #[inline(never)]
    fn index(&mut self) -> Parsed<Expr> {
        self.bump();
        let index = self.expression()?;
        self.expect(K::RightBracket, "`]` after the index")?;
        Ok(index)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let span = self.span_of(token);
        let kind = match token.kind {
            K::Name => {
                self.bump();
                self.name_or_future_keyword(token.symbol, span)
            }
            K::Number => {
                self.bump();
                self.number(token)
            }
            K::Character => {
                self.bump();
                self.character(token)
            }
            K::String => self.string(),
            K::FunctionName => {
                self.bump();
                ExprKind::FunctionName
            }
            K::LeftParen => return self.nested(Weight::Heavy, Self::parenthesized),
            K::Generic => return self.nested(Weight::Heavy, Self::generic),
            K::VaArg | K::Offsetof | K::TypesCompatible | K::ChooseExpr => {
                return self.nested(Weight::Heavy, Self::builtin);
            }
            K::UnsupportedBuiltin => {
                let message = format!("{} is not supported", self.describe_current());
                return Err(self.error_here("unsupported-builtin", message));
            }
            _ => return Err(self.expected_expression()),
        };
        Ok(Expr { kind, span: self.span_from(span.start) })
    }

    #[cold]
    fn expected_expression(&mut self) -> Reported {
        let message = format!("expected an expression, found {}", self.describe_current());
        let mut diagnostic = Diagnostic::error("expected-expression", self.span(), message);
        if self.kind() == K::Question {
            diagnostic = diagnostic.hint("the condition of `?:` is missing");
        } else if self.kind().is_type_word() {
            diagnostic = diagnostic.hint("a type can stand here only in parentheses");
        }
        self.error(diagnostic)
    }

    /// A name; `true`, `false` and `nullptr` have their C23 meaning where nothing of that name is declared.
    #[inline(never)]
    fn name_or_future_keyword(&mut self, name: Symbol, span: Span) -> ExprKind {
        let known = &self.well_known;
        let is_keyword = name == known.true_ || name == known.false_ || name == known.nullptr;
        if !is_keyword || self.scopes.meaning(name) != Meaning::Undeclared {
            return ExprKind::Name(name);
        }
        let value = u128::from(name == known.true_);
        let (basic, derivations) = if name == known.nullptr {
            (BasicType::Void, vec![Derivation::Pointer(Qualifiers::default())])
        } else {
            (BasicType::Bool, Vec::new())
        };
        let literal = ExprKind::Integer { value, is_decimal: true, suffix: IntegerSuffix::default() };
        let type_name = TypeName::of_basic(basic, derivations, span);
        ExprKind::Cast(Box::new(type_name), Box::new(Expr { kind: literal, span }))
    }

    #[inline(never)]
    fn number(&mut self, token: Token) -> ExprKind {
        match literal::decode_number(self.text_of(token)) {
            Ok(Number::Integer { value, is_decimal, suffix }) => {
                ExprKind::Integer { value, is_decimal, suffix }
            }
            Ok(Number::Float { text, suffix, is_imaginary }) => {
                ExprKind::Float { text, suffix, is_imaginary }
            }
            Err(message) => {
                let span = self.span_of(token);
                self.diagnostics.push(Diagnostic::error("bad-number", span, message));
                ExprKind::Error
            }
        }
    }

    #[inline(never)]
    fn character(&mut self, token: Token) -> ExprKind {
        let mut problems = Vec::new();
        let (value, encoding) = literal::decode_character(self.text_of(token), &mut problems);
        self.report(&[token], problems);
        ExprKind::Character { value, encoding }
    }

    /// Adjacent strings, joined.
    #[inline(never)]
    fn string(&mut self) -> ExprKind {
        let first = self.at;
        while self.kind() == K::String {
            self.bump();
        }
        let mut problems = Vec::new();
        let tokens = &self.tokens[first..self.at];
        let (units, encoding) = match tokens {
            [token] => literal::decode_strings(&[self.text_of(*token)], &mut problems),
            _ => {
                let pieces: Vec<&str> = tokens.iter().map(|&token| self.text_of(token)).collect();
                literal::decode_strings(&pieces, &mut problems)
            }
        };
        if !problems.is_empty() {
            let tokens = tokens.to_vec();
            self.report(&tokens, problems);
        }
        ExprKind::String { units, encoding }
    }

    fn report(&mut self, pieces: &[Token], problems: Vec<Problem>) {
        for problem in problems {
            let start = self.base + pieces[problem.piece].start;
            let span = Span::new(start + problem.start as u32, start + problem.end as u32);
            self.diagnostics.push(if problem.is_warning {
                Diagnostic::warning("doubtful-literal", span, problem.message)
            } else {
                Diagnostic::error("bad-literal", span, problem.message)
            });
        }
    }

    /// A string where the grammar wants one, as text.
    pub(super) fn string_text(&mut self, what: &str) -> Parsed<String> {
        // gcc takes the strings of `asm` in parentheses nowhere, so neither do we.
        if self.kind() != K::String {
            let message = format!("expected a string, {what}, found {}", self.describe_current());
            return Err(self.error_here("expected-string", message));
        }
        let ExprKind::String { units, encoding } = self.string() else { return Ok(String::new()) };
        Ok(match encoding {
            Encoding::Plain => {
                let bytes: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => units
                .iter()
                .map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        })
    }

    /// `(e)` or `({ … })`; a cast was ruled out before.
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let open = self.at;
        self.bump();
        if self.kind() == K::LeftBrace {
            let block = self.block(BlockOf::Expression)?;
            self.expect(K::RightParen, "`)` after the statement expression")?;
            return Ok(Expr { kind: ExprKind::Statement(block), span: self.span_from(start) });
        }
        if self.is_cast_to_missing_type() {
            let name = self.token().symbol;
            self.missing_type(name);
            if self.scopes.meaning(name) == Meaning::MissingType {
                self.at = open;
                return self.cast();
            }
        }
        let inner = self.parenthesized_rest(open)?;
        Ok(Expr { kind: ExprKind::Paren(Box::new(inner)), span: self.span_from(start) })
    }

    /// `(foo *)` and `(foo)x` with an undeclared `foo`.
    fn is_cast_to_missing_type(&self) -> bool {
        if self.kind() != K::Name || self.scopes.meaning(self.token().symbol) != Meaning::Undeclared {
            return false;
        }
        let mut index = self.at + 1;
        while self.kind_at(index) == K::Star {
            index += 1;
        }
        if self.kind_at(index) != K::RightParen {
            return false;
        }
        index > self.at + 1
            || matches!(self.kind_at(index + 1), K::Name | K::Number | K::String | K::Character)
    }

    #[inline(never)]
    fn generic(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.bump();
        self.expect(K::LeftParen, "`(` after `_Generic`")?;
        let value = self.assignment()?;
        let mut choices = Vec::new();
        while self.eat(K::Comma) {
            let name = if self.eat(K::Default) { None } else { Some(self.type_name()?) };
            self.expect(K::Colon, "`:` after the type")?;
            choices.push((name, self.assignment()?));
        }
        self.expect(K::RightParen, "`)` after the choices")?;
        Ok(Expr { kind: ExprKind::Generic(Box::new(value), choices), span: self.span_from(start) })
    }

    /// The builtins that take types or choose between expressions.
    #[inline(never)]
    fn builtin(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let which = self.bump().kind;
        self.expect(K::LeftParen, "`(` after the builtin")?;
        let kind = match which {
            K::VaArg => {
                let list = Box::new(self.assignment()?);
                self.expect(K::Comma, "`,` after the argument list")?;
                ExprKind::VaArg(list, Box::new(self.type_name()?))
            }
            K::Offsetof => {
                let name = Box::new(self.type_name()?);
                self.expect(K::Comma, "`,` after the type")?;
                let (field, span) = self.expect_name("the name of a member")?;
                let mut designators = vec![Designator::Field(field, span)];
                self.designators(&mut designators)?;
                ExprKind::Offsetof(name, designators)
            }
            K::TypesCompatible => {
                let first = Box::new(self.type_name()?);
                self.expect(K::Comma, "`,` after the type")?;
                ExprKind::TypesCompatible(first, Box::new(self.type_name()?))
            }
            _ => {
                let condition = Box::new(self.assignment()?);
                self.expect(K::Comma, "`,` after the condition")?;
                let then = Box::new(self.assignment()?);
                self.expect(K::Comma, "`,` after the first choice")?;
                ExprKind::Choose(condition, then, Box::new(self.assignment()?))
            }
        };
        self.expect(K::RightParen, "`)` after the arguments of the builtin")?;
        Ok(Expr { kind, span: self.span_from(start) })
    }
}

impl TypeName {
    /// The name of a basic type with pointers to it, as if written at `span`.
    fn of_basic(basic: BasicType, derivations: Vec<Derivation>, span: Span) -> TypeName {
        let specifiers = Specifiers {
            storage: None,
            is_thread_local: false,
            is_inline: false,
            is_noreturn: false,
            qualifiers: Qualifiers::default(),
            type_specifier: TypeSpecifier::Basic(basic),
            alignments: Vec::new(),
            attributes: Vec::new(),
            span,
        };
        let declarator = Declarator {
            name: None,
            name_span: span,
            derivations,
            attributes: Vec::new(),
            asm_label: None,
            span,
        };
        TypeName { specifiers, declarator, span }
    }
}
