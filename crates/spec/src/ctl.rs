//! Computation tree logic over values: formulas over C expressions on global variables.
//! After W. Ding's thesis (AMC), chapter 3: `AG AF AX AU EG EF EX EU ! & | ->` over comparisons; several formulas in a
//! file are separated by `;`. There `=` compares; here `==` does too.

use crate::cexpr::{CExpression, parse as cparse};
use crate::cursor::{Cursor, Parsed};
use crate::lexer::{Hash, TokenKind, tokens};
use base::{Diagnostic, Diagnostics, Span};
use std::fmt::{Display, Formatter};

/// All paths or some path?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathQuantifier {
    /// On every path.
    All,
    /// On some path.
    Some,
}

/// A CTL formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CtlFormula {
    /// A condition on the values of a state.
    Condition(CExpression),
    /// `!f`
    Not(Box<CtlFormula>),
    /// `f & g`
    And(Box<CtlFormula>, Box<CtlFormula>),
    /// `f | g`
    Or(Box<CtlFormula>, Box<CtlFormula>),
    /// `f -> g`
    Implies(Box<CtlFormula>, Box<CtlFormula>),
    /// `AX f`, `EX f`
    Next(PathQuantifier, Box<CtlFormula>),
    /// `AF f`, `EF f`
    Eventually(PathQuantifier, Box<CtlFormula>),
    /// `AG f`, `EG f`
    Always(PathQuantifier, Box<CtlFormula>),
    /// `A[f U g]`, `E[f U g]`
    Until(PathQuantifier, Box<CtlFormula>, Box<CtlFormula>),
}

impl CtlFormula {
    /// Reads formulas separated by `;`, each with its place. `base` is the position of the text's first byte.
    pub fn parse_list(text: &str, base: u32) -> Result<Vec<(CtlFormula, Span)>, Diagnostic> {
        let mut diagnostics = Diagnostics::default();
        let tokens = tokens(text, base, Hash::StartsComment, &mut diagnostics);
        if let Some(first) = diagnostics.iter().next() {
            return Err(first.clone());
        }
        let mut cursor = Cursor::new(text, base, tokens);
        let mut formulas = Vec::new();
        while !cursor.is_kind(TokenKind::End) {
            let start = cursor.peek().span;
            let formula = implication(&mut cursor)?;
            formulas.push((formula, start.to(cursor.previous_span())));
            if !cursor.eat(";") && !cursor.is_kind(TokenKind::End) {
                return Err(cursor.unexpected("an operator, `;` or the end of the text"));
            }
        }
        Ok(formulas)
    }
}

fn implication(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    cursor.nested(|cursor| {
        let left = disjunction(cursor)?;
        if cursor.is_any(&["->", "=>"]) {
            cursor.advance();
            return Ok(CtlFormula::Implies(Box::new(left), Box::new(implication(cursor)?)));
        }
        Ok(left)
    })
}

fn disjunction(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    let mut left = conjunction(cursor)?;
    let mut length = 0;
    while cursor.is_any(&["|", "||"]) {
        cursor.advance();
        left = CtlFormula::Or(Box::new(left), Box::new(conjunction(cursor)?));
        length += 1;
        cursor.check_chain(length)?;
    }
    Ok(left)
}

fn conjunction(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    let mut left = prefixed(cursor)?;
    let mut length = 0;
    while cursor.is_any(&["&", "&&"]) {
        cursor.advance();
        left = CtlFormula::And(Box::new(left), Box::new(prefixed(cursor)?));
        length += 1;
        cursor.check_chain(length)?;
    }
    Ok(left)
}

fn prefixed(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    use PathQuantifier::{All, Some};
    cursor.nested(|cursor| {
        type Make = fn(PathQuantifier, Box<CtlFormula>) -> CtlFormula;
        let operators: [(&str, PathQuantifier, Make); 6] = [
            ("AX", All, CtlFormula::Next),
            ("EX", Some, CtlFormula::Next),
            ("AF", All, CtlFormula::Eventually),
            ("EF", Some, CtlFormula::Eventually),
            ("AG", All, CtlFormula::Always),
            ("EG", Some, CtlFormula::Always),
        ];
        for (text, quantifier, make) in operators {
            if cursor.eat(text) {
                return Ok(make(quantifier, Box::new(prefixed(cursor)?)));
            }
        }
        for (text, quantifier) in [("A", All), ("E", Some)] {
            if cursor.is(text) && matches!(cursor.peek_at(1).text, "[" | "(") {
                return until(cursor, quantifier);
            }
        }
        if cursor.eat("!") {
            return Ok(CtlFormula::Not(Box::new(prefixed(cursor)?)));
        }
        condition_or_parentheses(cursor)
    })
}

/// `A[f U g]` and `A(f U g)`
fn until(cursor: &mut Cursor<'_>, quantifier: PathQuantifier) -> Parsed<CtlFormula> {
    cursor.advance();
    let close = if cursor.advance().text == "[" { "]" } else { ")" };
    let left = implication(cursor)?;
    cursor.expect("U", "this is `A[f U g]` or `E[f U g]`")?;
    let right = implication(cursor)?;
    cursor.expect(close, "this is `A[f U g]` or `E[f U g]`")?;
    Ok(CtlFormula::Until(quantifier, Box::new(left), Box::new(right)))
}

/// `(x + 1) <= y` and `(x <= y & AX z)` both start with a parenthesis: it is a value when an arithmetic expression ends
/// where a comparison, or nothing more of the condition, follows.
fn condition_or_parentheses(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    let start = cursor.position();
    if let Ok(condition) = comparison(cursor) {
        return Ok(condition);
    }
    cursor.rewind(start);
    if !cursor.is("(") {
        return comparison(cursor);
    }
    cursor.advance();
    let inner = implication(cursor)?;
    cursor.expect(")", "this parenthesis is not closed")?;
    Ok(inner)
}

/// One comparison of two sums, or a value that is true or false.
fn comparison(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    use crate::cexpr::CBinary;
    if is_operator(cursor.peek().text) {
        return Err(cursor.unexpected("a condition"));
    }
    let left = cparse::arithmetic(cursor)?;
    let operators = [
        ("=", CBinary::Equal),
        ("==", CBinary::Equal),
        ("!=", CBinary::NotEqual),
        ("<", CBinary::Less),
        ("<=", CBinary::LessOrEqual),
        (">", CBinary::Greater),
        (">=", CBinary::GreaterOrEqual),
    ];
    let Some((_, operator)) = operators.into_iter().find(|(text, _)| cursor.is(text)) else {
        return Ok(CtlFormula::Condition(left));
    };
    cursor.advance();
    let right = cparse::arithmetic(cursor)?;
    Ok(CtlFormula::Condition(CExpression::Binary(operator, Box::new(left), Box::new(right))))
}

fn is_operator(text: &str) -> bool {
    matches!(text, "AX" | "EX" | "AF" | "EF" | "AG" | "EG" | "U")
}

impl Display for CtlFormula {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let quantifier = |quantifier: &PathQuantifier| match quantifier {
            PathQuantifier::All => "A",
            PathQuantifier::Some => "E",
        };
        match self {
            CtlFormula::Condition(condition) => write!(f, "({condition})"),
            CtlFormula::Not(inner) => write!(f, "!{inner}"),
            CtlFormula::And(left, right) => write!(f, "({left} & {right})"),
            CtlFormula::Or(left, right) => write!(f, "({left} | {right})"),
            CtlFormula::Implies(left, right) => write!(f, "({left} -> {right})"),
            CtlFormula::Next(paths, inner) => write!(f, "{}X {inner}", quantifier(paths)),
            CtlFormula::Eventually(paths, inner) => write!(f, "{}F {inner}", quantifier(paths)),
            CtlFormula::Always(paths, inner) => write!(f, "{}G {inner}", quantifier(paths)),
            CtlFormula::Until(paths, left, right) => write!(f, "{}[{left} U {right}]", quantifier(paths)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let formulas =
            CtlFormula::parse_list(text, 0).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        formulas.iter().map(|(formula, _)| formula.to_string()).collect()
    }

    #[test]
    fn the_formulas_of_the_thesis() {
        assert_eq!(shown("AG((xy + b) <= 0);\nEF(b = 5);"), ["AG (xy + b <= 0)", "EF (b == 5)"]);
        assert_eq!(
            shown("AG((Reset & (Pressure != 2)) -> !Overriden)"),
            ["AG (((Reset) & (Pressure != 2)) -> !(Overriden))"]
        );
        assert_eq!(
            shown("AG(((Pressure = 0) & (WaterPres <= 15)) -> AX((WaterPres >= 15) -> AF(Pressure = 2)))"),
            ["AG (((Pressure == 0) & (WaterPres <= 15)) -> AX ((WaterPres >= 15) -> AF (Pressure == 2)))"]
        );
        assert_eq!(shown("E[x < 3 U !(y = 1 | EX z)]"), ["E[(x < 3) U !((y == 1) | EX (z))]"]);
        assert_eq!(shown("(a) & ((b + 1) * 2 > c)"), ["((a) & ((b + 1) * 2 > c))"]);
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for text in ["AG EF x", "A[x U A[y U z]]", "!(a -> b) | c = 2 & -d < 3"] {
            let once = shown(text);
            assert_eq!(shown(&once[0]), once);
        }
    }

    #[test]
    fn what_is_no_formula_is_told() {
        for text in ["AG", "x <", "(x", "E[x U]", "x y", "AG(x;", "A[x]"] {
            assert!(CtlFormula::parse_list(text, 0).is_err(), "{text}");
        }
    }
}
