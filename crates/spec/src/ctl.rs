//! Computation tree logic over values: formulas over C expressions on global variables.
//! After W. Ding's thesis (AMC), chapter 3 and appendix C: `AG AF AX EG EF EX ! & | ->` over comparisons, `AU[f, g]`
//! and `EU[f, g]`; several formulas in a file are separated by `;`. There `=` compares.
//! DIVERGENCE: `A[f U g]` and `E[f U g]` are the usual way to write until, `==` compares as well, `<->` is there, and
//! `p->f` without spaces is a member as in C, and
//! the bare `f UNTIL g` of the appendix is refused: it does not say on which paths.

use crate::cexpr::{CBinary, CExpression, parse as cparse};
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
    /// A condition on the values of a state, and where it stands.
    Condition(CExpression, Span),
    /// `!f`
    Not(Box<CtlFormula>),
    /// `f & g`
    And(Box<CtlFormula>, Box<CtlFormula>),
    /// `f | g`
    Or(Box<CtlFormula>, Box<CtlFormula>),
    /// `f -> g`
    Implies(Box<CtlFormula>, Box<CtlFormula>),
    /// `f <-> g`
    Iff(Box<CtlFormula>, Box<CtlFormula>),
    /// `AX f`, `EX f`
    Next(PathQuantifier, Box<CtlFormula>),
    /// `AF f`, `EF f`
    Eventually(PathQuantifier, Box<CtlFormula>),
    /// `AG f`, `EG f`
    Always(PathQuantifier, Box<CtlFormula>),
    /// `A[f U g]`, `E[f U g]`
    Until(PathQuantifier, Box<CtlFormula>, Box<CtlFormula>),
}

/// One formula of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What is asked.
    pub formula: CtlFormula,
    /// Where it stands.
    pub span: Span,
}

/// Reads formulas separated by `;`. `base` is the position of the text's first byte. A formula that cannot be read is
/// told and left out; the others are still there.
pub fn parse(text: &str, base: u32) -> (Vec<Property>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let tokens = tokens(text, base, Hash::StartsComment, &mut diagnostics);
    let mut reader = Reader { cursor: Cursor::new(text, base, tokens), diagnostics };
    let mut properties = Vec::new();
    loop {
        while reader.cursor.eat(";") {}
        if reader.cursor.is_kind(TokenKind::End) {
            return (properties, reader.diagnostics);
        }
        let start = reader.cursor.peek().span;
        match reader.property() {
            Ok(formula) => {
                let span = start.to(reader.cursor.previous_span());
                properties.push(Property { formula, span });
            }
            Err(problem) => {
                reader.diagnostics.push(problem);
                while !reader.cursor.is(";") && !reader.cursor.is_kind(TokenKind::End) {
                    reader.cursor.advance();
                }
            }
        }
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    diagnostics: Diagnostics,
}

impl Reader<'_> {
    /// One formula, up to the `;` or the end.
    fn property(&mut self) -> Parsed<CtlFormula> {
        let formula = self.equivalence()?;
        let cursor = &self.cursor;
        if cursor.is(";") || cursor.is_kind(TokenKind::End) {
            return Ok(formula);
        }
        let problem = cursor.unexpected("an operator, `;` or the end of the text");
        Err(match cursor.peek().text {
            "U" | "UNTIL" => problem.hint("write `A[f U g]` for all paths or `E[f U g]` for some path"),
            "W" | "R" => problem.hint("`A[f U g]` and `E[f U g]` are the binary operators of this logic"),
            _ => problem,
        })
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Parsed<CtlFormula>) -> Parsed<CtlFormula> {
        self.cursor.enter()?;
        let result = read(self);
        self.cursor.leave();
        result
    }

    fn equivalence(&mut self) -> Parsed<CtlFormula> {
        self.nested(|reader| {
            let mut left = reader.implication()?;
            let mut length = 0;
            while reader.cursor.is_any(&["<->", "<=>"]) {
                reader.cursor.advance();
                left = CtlFormula::Iff(Box::new(left), Box::new(reader.implication()?));
                length += 1;
                reader.cursor.check_chain(length)?;
            }
            Ok(left)
        })
    }

    fn implication(&mut self) -> Parsed<CtlFormula> {
        self.nested(|reader| {
            let left = reader.disjunction()?;
            if reader.cursor.is_any(&["->", "=>"]) {
                reader.cursor.advance();
                return Ok(CtlFormula::Implies(Box::new(left), Box::new(reader.implication()?)));
            }
            Ok(left)
        })
    }

    fn disjunction(&mut self) -> Parsed<CtlFormula> {
        let mut left = self.conjunction()?;
        let mut length = 0;
        while self.cursor.is_any(&["|", "||"]) {
            self.cursor.advance();
            left = CtlFormula::Or(Box::new(left), Box::new(self.conjunction()?));
            length += 1;
            self.cursor.check_chain(length)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<CtlFormula> {
        let mut left = self.prefixed()?;
        let mut length = 0;
        while self.cursor.is_any(&["&", "&&"]) {
            self.cursor.advance();
            left = CtlFormula::And(Box::new(left), Box::new(self.prefixed()?));
            length += 1;
            self.cursor.check_chain(length)?;
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Parsed<CtlFormula> {
        use PathQuantifier::{All, Some};
        type Make = fn(PathQuantifier, Box<CtlFormula>) -> CtlFormula;
        const OPERATORS: [(&str, PathQuantifier, Make); 6] = [
            ("AX", All, CtlFormula::Next),
            ("EX", Some, CtlFormula::Next),
            ("AF", All, CtlFormula::Eventually),
            ("EF", Some, CtlFormula::Eventually),
            ("AG", All, CtlFormula::Always),
            ("EG", Some, CtlFormula::Always),
        ];
        self.nested(|reader| {
            for (text, quantifier, make) in OPERATORS {
                if reader.cursor.eat(text) {
                    return Ok(make(quantifier, Box::new(reader.prefixed()?)));
                }
            }
            for (text, quantifier) in [("A", All), ("E", Some), ("AU", All), ("EU", Some)] {
                if reader.cursor.is(text) && matches!(reader.cursor.peek_at(1).text, "[" | "(") {
                    return reader.until(quantifier);
                }
            }
            if reader.cursor.is("!") {
                return reader.negation();
            }
            reader.condition_or_parentheses()
        })
    }

    /// `!f`. C reads `!x == 1` as `(!x) == 1`, this logic as `!(x == 1)`: whoever writes it is told.
    fn negation(&mut self) -> Parsed<CtlFormula> {
        let mark = self.cursor.advance().span;
        let bare = !self.cursor.is_any(&["(", "!"]);
        let inner = self.prefixed()?;
        if let CtlFormula::Condition(CExpression::Binary(..), span) = &inner
            && bare
        {
            let text = self.cursor.text_of(*span);
            let message = format!("`!` is taken to negate all of `{text}`");
            self.diagnostics.push(
                Diagnostic::warning("negated-comparison", mark.to(*span), message)
                    .hint(format!("C would negate less; write `!({text})` to say that this is meant")),
            );
        }
        Ok(CtlFormula::Not(Box::new(inner)))
    }

    /// `A[f U g]`, `A(f U g)` and `AU[f, g]`
    fn until(&mut self, quantifier: PathQuantifier) -> Parsed<CtlFormula> {
        const FORM: &str = "until is written `A[f U g]` or `E[f U g]`";
        let between = if self.cursor.advance().text.ends_with('U') { "," } else { "U" };
        let close = if self.cursor.advance().text == "[" { "]" } else { ")" };
        let left = self.equivalence()?;
        self.cursor.expect(between, FORM)?;
        let right = self.equivalence()?;
        self.cursor.expect(close, FORM)?;
        Ok(CtlFormula::Until(quantifier, Box::new(left), Box::new(right)))
    }

    /// `(x + 1) <= y` and `(x <= y & AX z)` both start with a parenthesis: it is a value when an arithmetic expression
    /// ends where a comparison, or nothing more of the condition, follows.
    fn condition_or_parentheses(&mut self) -> Parsed<CtlFormula> {
        let start = self.cursor.position();
        if !self.cursor.is("(") {
            return comparison(&mut self.cursor);
        }
        if let Ok(condition) = comparison(&mut self.cursor) {
            return Ok(condition);
        }
        self.cursor.rewind(start);
        self.cursor.advance();
        let inner = self.equivalence()?;
        self.cursor.expect(")", "this parenthesis is not closed")?;
        Ok(inner)
    }
}

/// One comparison of two sums, or a value that is true or false.
fn comparison(cursor: &mut Cursor<'_>) -> Parsed<CtlFormula> {
    if is_operator(cursor.peek().text) {
        return Err(cursor.unexpected("a condition"));
    }
    let start = cursor.peek().span;
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
        return Ok(CtlFormula::Condition(left, start.to(cursor.previous_span())));
    };
    cursor.advance();
    let right = cparse::arithmetic(cursor)?;
    let compared = CExpression::Binary(operator, Box::new(left), Box::new(right));
    Ok(CtlFormula::Condition(compared, start.to(cursor.previous_span())))
}

fn is_operator(text: &str) -> bool {
    matches!(text, "AX" | "EX" | "AF" | "EF" | "AG" | "EG" | "AU" | "EU" | "U" | "UNTIL")
}

impl Display for CtlFormula {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let quantifier = |quantifier: &PathQuantifier| match quantifier {
            PathQuantifier::All => "A",
            PathQuantifier::Some => "E",
        };
        match self {
            CtlFormula::Condition(condition, _) => write!(f, "({condition})"),
            CtlFormula::Not(inner) => write!(f, "!{inner}"),
            CtlFormula::And(left, right) => write!(f, "({left} & {right})"),
            CtlFormula::Or(left, right) => write!(f, "({left} | {right})"),
            CtlFormula::Implies(left, right) => write!(f, "({left} -> {right})"),
            CtlFormula::Iff(left, right) => write!(f, "({left} <-> {right})"),
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
        let (properties, diagnostics) = parse(text, 0);
        assert!(!diagnostics.has_errors(), "{text}: {diagnostics:?}");
        properties.iter().map(|property| property.formula.to_string()).collect()
    }

    #[test]
    fn negations_on_the_left_are_read_back() {
        for text in ["AG((!a) - b > !c)", "EF((!a) == b)", "AG !(a - b)"] {
            let once = shown(text);
            assert_eq!(shown(&once[0]), once, "{text}");
        }
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
        assert_eq!(shown("AU[x < 3, y] & EU(a, b)"), ["(A[(x < 3) U (y)] & E[(a) U (b)])"]);
        assert_eq!(shown("(a) & ((b + 1) * 2 > c)"), ["((a) & ((b + 1) * 2 > c))"]);
        assert_eq!(shown("a <-> b -> c; c = 'x'"), ["((a) <-> ((b) -> (c)))", "(c == 120)"]);
        assert_eq!(shown("p->next[i + 1] = 3 -> x"), ["((p->next[i + 1] == 3) -> (x))"]);
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for text in ["AG EF x", "A[x U A[y U z]]", "!(a -> b) | c = 2 & -d < 3", "(a <-> b) <-> !(x = 1)"] {
            let once = shown(text);
            assert_eq!(shown(&once[0]), once);
        }
    }

    #[test]
    fn what_is_no_formula_is_told() {
        for text in ["AG", "x <", "(x", "E[x U]", "x y", "AG(x;", "A[x]", "x U y", "AU[x U y]", "x < 1.5"] {
            let (properties, diagnostics) = parse(text, 0);
            assert!(diagnostics.has_errors() && properties.is_empty(), "{text}");
        }
    }

    #[test]
    fn one_bad_formula_does_not_hide_the_others() {
        let (properties, diagnostics) = parse("AG x; EF(; AF y = ; EG z", 100);
        let shown: Vec<String> = properties.iter().map(|property| property.formula.to_string()).collect();
        assert_eq!(shown, ["AG (x)", "EG (z)"]);
        assert_eq!(diagnostics.error_count(), 2);
        assert_eq!(properties[0].span, Span::new(100, 104));
    }

    #[test]
    fn a_negated_comparison_without_parentheses_is_told() {
        for (text, told) in [("!x = 1", 1), ("!(x = 1)", 0), ("!x", 0), ("(!x) = 1", 0), ("AG !x + 1 < y", 1)]
        {
            let (properties, diagnostics) = parse(text, 0);
            assert_eq!((properties.len(), diagnostics.iter().count()), (1, told), "{text}");
        }
    }
}
