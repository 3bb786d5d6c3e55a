//! Reads C expressions, from a cursor or from a text of their own.

use super::{CBinary, CExpression, CUnary};
use crate::cursor::{Cursor, Parsed};
use crate::lexer::{Hash, TokenKind, tokens};
use base::{Diagnostic, Diagnostics};
use std::sync::Arc;

impl CExpression {
    /// Reads a text that is one expression and nothing else.
    pub fn parse(text: &str) -> Result<CExpression, Diagnostic> {
        let mut diagnostics = Diagnostics::default();
        let mut cursor = Cursor::new(text, 0, tokens(text, 0, Hash::IsOperator, &mut diagnostics));
        let expression = expression(&mut cursor)?;
        if !cursor.is_kind(TokenKind::End) {
            return Err(cursor.unexpected("the end of the expression"));
        }
        Ok(expression)
    }

    /// The name under which a state proposition is known, so that `[m==2]`, `[(m) == 2]` and `m=2` are the same one:
    /// a lone `=` compares, as propositions have no side effects. A text that is no expression stands for itself.
    pub fn proposition_name(text: &str) -> String {
        let compares = text.replace("==", "=").replace('=', "==");
        let compares = compares.replace("!==", "!=").replace("<==", "<=").replace(">==", ">=");
        match CExpression::parse(&compares) {
            Ok(expression) => expression.to_string(),
            Err(_) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// An expression at the cursor, as far as it goes.
pub(crate) fn expression(cursor: &mut Cursor<'_>) -> Parsed<CExpression> {
    cursor.nested(|cursor| {
        let condition = binary(cursor, 1)?;
        if !cursor.eat("?") {
            return Ok(condition);
        }
        let then = expression(cursor)?;
        cursor.expect(":", "a conditional expression is `c ? a : b`")?;
        let otherwise = expression(cursor)?;
        Ok(CExpression::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)))
    })
}

/// Sums, products and tighter only: in other languages, comparisons and connectives are not C's.
pub(crate) fn arithmetic(cursor: &mut Cursor<'_>) -> Parsed<CExpression> {
    cursor.nested(|cursor| binary_with(cursor, CBinary::Add.strength(), Inner::Arithmetic))
}

/// The operator at the cursor.
pub(crate) fn operator_here(cursor: &Cursor<'_>) -> Option<CBinary> {
    if !cursor.is_kind(TokenKind::Punctuation) {
        return None;
    }
    CBinary::ALL.into_iter().find(|operator| operator.text() == cursor.peek().text)
}

/// What parentheses may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    /// Any expression.
    Anything,
    /// Only arithmetic. The language around it has an arrow of its own: `p->f` is a member, `p -> f` is not.
    Arithmetic,
}

impl Inner {
    fn read(self, cursor: &mut Cursor<'_>) -> Parsed<CExpression> {
        match self {
            Inner::Anything => expression(cursor),
            Inner::Arithmetic => arithmetic(cursor),
        }
    }

    fn takes_arrow(self, cursor: &Cursor<'_>) -> bool {
        let arrow = cursor.peek().span;
        cursor.is("->")
            && (self == Inner::Anything
                || (cursor.previous_span().end == arrow.start && cursor.peek_at(1).span.start == arrow.end))
    }
}

/// Operators that bind at least as tightly as `weakest`; all associate to the left.
fn binary(cursor: &mut Cursor<'_>, weakest: u8) -> Parsed<CExpression> {
    binary_with(cursor, weakest, Inner::Anything)
}

fn binary_with(cursor: &mut Cursor<'_>, weakest: u8, inner: Inner) -> Parsed<CExpression> {
    let mut left = unary(cursor, inner)?;
    let mut length = 0;
    while let Some(operator) = operator_here(cursor).filter(|operator| operator.strength() >= weakest) {
        cursor.advance();
        let right = cursor.nested(|cursor| binary_with(cursor, operator.strength() + 1, inner))?;
        left = CExpression::Binary(operator, Box::new(left), Box::new(right));
        length += 1;
        cursor.check_chain(length)?;
    }
    Ok(left)
}

fn unary(cursor: &mut Cursor<'_>, inner: Inner) -> Parsed<CExpression> {
    let operators = [
        ("!", CUnary::Not),
        ("-", CUnary::Minus),
        ("+", CUnary::Plus),
        ("~", CUnary::Complement),
        ("*", CUnary::Dereference),
        ("&", CUnary::Address),
    ];
    for (text, operator) in operators {
        if cursor.eat(text) {
            let operand = cursor.nested(|cursor| unary(cursor, inner))?;
            return Ok(match (operator, operand) {
                // `-1` is a number, so that it prints and compares as one.
                (CUnary::Minus, CExpression::Integer(value)) if value >= 0 => CExpression::Integer(-value),
                (operator, operand) => CExpression::Unary(operator, Box::new(operand)),
            });
        }
    }
    if let Some(to) = cast_type(cursor) {
        let operand = cursor.nested(|cursor| unary(cursor, inner))?;
        return Ok(CExpression::Cast(Arc::from(to), Box::new(operand)));
    }
    postfix(cursor, inner)
}

/// `(unsigned long *)`, stepped over, if it stands here.
fn cast_type(cursor: &mut Cursor<'_>) -> Option<String> {
    const WORDS: [&str; 12] = [
        "unsigned", "signed", "int", "long", "short", "char", "void", "const", "struct", "union", "enum",
        "_Bool",
    ];
    if !cursor.is("(") || !WORDS.contains(&cursor.peek_at(1).text) {
        return None;
    }
    let start = cursor.position();
    cursor.advance();
    let mut words = Vec::new();
    while cursor.is_kind(TokenKind::Lower) || cursor.is_kind(TokenKind::Upper) || cursor.is("*") {
        words.push(cursor.advance().text);
    }
    if cursor.eat(")") {
        return Some(words.join(" "));
    }
    cursor.rewind(start);
    None
}

fn postfix(cursor: &mut Cursor<'_>, inner: Inner) -> Parsed<CExpression> {
    let mut value = primary(cursor, inner)?;
    for length in 0.. {
        cursor.check_chain(length)?;
        if cursor.eat(".") {
            let field = cursor.expect_name("a member")?;
            value = CExpression::Member(Box::new(value), field.text);
        } else if inner.takes_arrow(cursor) {
            cursor.advance();
            let field = cursor.expect_name("a member")?;
            value = CExpression::Arrow(Box::new(value), field.text);
        } else if cursor.eat("[") {
            let index = expression(cursor)?;
            cursor.expect("]", "the index of an array is closed by `]`")?;
            value = CExpression::Element(Box::new(value), Box::new(index));
        } else {
            break;
        }
    }
    Ok(value)
}

fn primary(cursor: &mut Cursor<'_>, inner: Inner) -> Parsed<CExpression> {
    let token = cursor.peek();
    match token.kind {
        TokenKind::Number if is_fraction(cursor) => Err(cursor
            .unexpected("an integer")
            .hint("constants with a fraction are not supported here; compare with integers")),
        TokenKind::Number => {
            let value = integer(token.text).ok_or_else(|| cursor.unexpected("an integer that fits"))?;
            cursor.advance();
            Ok(CExpression::Integer(value))
        }
        TokenKind::Argument => {
            let index = token.text[1..]
                .parse()
                .map_err(|_| cursor.unexpected("`$` and the number of an argument"))?;
            cursor.advance();
            Ok(CExpression::Argument(index))
        }
        TokenKind::Lower | TokenKind::Upper => Ok(CExpression::Name(Arc::from(cursor.advance().text))),
        _ if cursor.eat("(") => {
            let value = inner.read(cursor)?;
            cursor.expect(")", "this parenthesis is not closed")?;
            Ok(value)
        }
        _ if cursor.is("'") => character(cursor),
        _ => Err(cursor.unexpected("a C expression")),
    }
}

/// Does the number here go on behind a point?
fn is_fraction(cursor: &Cursor<'_>) -> bool {
    let (number, point) = (cursor.peek(), cursor.peek_at(1));
    point.text == "." && point.span.start == number.span.end
}

/// `'a'`, for a letter or a digit.
fn character(cursor: &mut Cursor<'_>) -> Parsed<CExpression> {
    let (open, inside, close) = (cursor.peek(), cursor.peek_at(1), cursor.peek_at(2));
    let touching = open.span.end == inside.span.start && inside.span.end == close.span.start;
    match inside.text.as_bytes() {
        [byte] if touching && close.text == "'" => {
            cursor.advance();
            cursor.advance();
            cursor.advance();
            Ok(CExpression::Integer(i128::from(*byte)))
        }
        _ => {
            Err(cursor.unexpected("a character such as `'a'`").hint("write other characters as their number"))
        }
    }
}

/// A C integer constant; at most 64 bits wide.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        u64::from_str_radix(hexadecimal, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits[1..], 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(i128::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        CExpression::parse(text).expect("an expression").to_string()
    }

    #[test]
    fn one_text_per_tree() {
        assert_eq!(shown("($1->state) == (0x110|0x2000)"), "$1->state == (272 | 8192)");
        assert_eq!(shown("a-(b-c)-d*2"), "a - (b - c) - d * 2");
        assert_eq!(shown("!(a && -1)"), "!(a && -1)");
        assert_eq!(shown("- -x"), "-(-x)");
        assert_eq!(shown("0 .field"), "(0).field");
        assert_eq!(shown("(unsigned long)x[i+1].f"), "(unsigned long)x[i + 1].f");
        for text in
            ["a ? b : c ? d : e", "(a ? b : c) ? d : e", "*p->q", "(*p).q", "-(-1)", "~-1 & 3", "a & &b"]
        {
            let once = shown(text);
            assert_eq!(shown(&once), once, "of {text}");
            assert_eq!(CExpression::parse(&once), CExpression::parse(text));
        }
    }

    #[test]
    fn propositions_have_one_name() {
        for text in ["m==2", "m = 2", "(m)==(2)", "m == 0x2"] {
            assert_eq!(CExpression::proposition_name(text), "m == 2");
        }
        assert_eq!(CExpression::proposition_name("m != 2"), "m != 2");
        assert_eq!(CExpression::proposition_name("m<=2"), "m <= 2");
        assert_eq!(CExpression::proposition_name("p"), "p");
        assert_eq!(CExpression::proposition_name("far  away"), "far away");
    }

    #[test]
    fn what_is_no_expression_is_told() {
        for text in ["", "a +", "(a", "a b", "$x", "a[1", "1 ? 2"] {
            assert!(CExpression::parse(text).is_err(), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(CExpression::parse(&deep).unwrap_err().code, "too-deep");
    }
}
