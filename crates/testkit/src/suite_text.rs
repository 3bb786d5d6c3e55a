//! Reads formulas in the notations of LTL tools and their benchmark suites (Spot, SPIN, LTL2BA, Wring):
//! `GFp0 & (a U !b)`, `[]<>p /\ (q V r)`. Operators need no space around them; names begin with a lower-case letter
//! or stand in quotes.
//! The product's own notation, with states and events told apart, is in `spec`.

use automata::{Atom, Ltl};
use base::Id;

/// A formula read from text, with the names of its atoms in order of appearance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFormula {
    /// The formula.
    pub formula: Ltl,
    /// The names of its atoms.
    pub atoms: Vec<String>,
}

/// What was expected, and at which byte of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAFormula {
    /// What was expected.
    pub expected: &'static str,
    /// The byte at which reading stopped.
    pub at: usize,
}

impl std::fmt::Display for NotAFormula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for NotAFormula {}

/// Deeper nesting is refused rather than risk the stack.
const DEEPEST: usize = 500;

/// Reads one formula.
pub fn read(text: &str) -> Result<SuiteFormula, NotAFormula> {
    let mut reader = Reader { text, at: 0, atoms: Vec::new(), depth: 0 };
    let formula = reader.equivalence()?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.expected("an operator or the end"));
    }
    Ok(SuiteFormula { formula, atoms: reader.atoms })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    atoms: Vec<String>,
    depth: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> NotAFormula {
        NotAFormula { expected, at: self.at }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes the first of the tokens that comes next.
    fn take(&mut self, tokens: &[&str]) -> bool {
        self.skip_space();
        for token in tokens {
            if self.text[self.at..].starts_with(token) {
                self.at += token.len();
                return true;
            }
        }
        false
    }

    fn equivalence(&mut self) -> Result<Ltl, NotAFormula> {
        let left = self.implication()?;
        if self.take(&["<->", "<=>"]) {
            let right = self.equivalence()?;
            return Ok(left.iff(right));
        }
        if self.take(&["xor", "^"]) {
            let right = self.equivalence()?;
            return Ok(left.iff(right).negated());
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<Ltl, NotAFormula> {
        let left = self.disjunction()?;
        if self.take(&["->", "=>"]) {
            let right = self.implication()?;
            return Ok(left.implies(right));
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Result<Ltl, NotAFormula> {
        let mut left = self.conjunction()?;
        while self.take(&["||", "|", "\\/"]) {
            let right = self.conjunction()?;
            left = left.or(right);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Ltl, NotAFormula> {
        let mut left = self.binary_temporal()?;
        while self.take(&["&&", "&", "/\\"]) {
            let right = self.binary_temporal()?;
            left = left.and(right);
        }
        Ok(left)
    }

    /// U, W, R (or V) and M bind tighter than conjunction and group to the right.
    fn binary_temporal(&mut self) -> Result<Ltl, NotAFormula> {
        let left = self.unary()?;
        for (tokens, build) in [
            (&["U"][..], Ltl::until as fn(Ltl, Ltl) -> Ltl),
            (&["W"][..], Ltl::weak_until),
            (&["R", "V"][..], Ltl::release),
            (&["M"][..], Ltl::strong_release),
        ] {
            if self.take(tokens) {
                let right = self.binary_temporal()?;
                return Ok(build(left, right));
            }
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Ltl, NotAFormula> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.expected("less nesting"));
        }
        let result = self.unary_within_depth();
        self.depth -= 1;
        result
    }

    fn unary_within_depth(&mut self) -> Result<Ltl, NotAFormula> {
        for (tokens, build) in [
            (&["!", "~"][..], Ltl::negated as fn(Ltl) -> Ltl),
            (&["X"][..], Ltl::next),
            (&["F", "<>"][..], Ltl::finally),
            (&["G", "[]"][..], Ltl::globally),
        ] {
            if self.take(tokens) {
                return Ok(build(self.unary()?));
            }
        }
        if self.take(&["("]) {
            let inner = self.equivalence()?;
            return if self.take(&[")"]) { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        for quote in ["'", "\""] {
            if self.take(&[quote]) {
                let rest = &self.text[self.at..];
                let end = rest.find(quote).ok_or(self.expected("the closing quote"))?;
                self.at += end + quote.len();
                return Ok(self.atom(&rest[..end]));
            }
        }
        self.skip_space();
        let rest = &self.text[self.at..];
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let name = &rest[..end];
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        let formula = match name {
            "true" | "1" | "tt" => Ltl::True,
            "false" | "0" | "ff" => Ltl::False,
            _ if is_name => self.atom(name),
            _ => return Err(self.expected("a formula")),
        };
        self.at += end;
        // Wring writes `p=1` and `p=0`.
        if is_name && self.take(&["=0"]) {
            return Ok(formula.negated());
        }
        if is_name {
            self.take(&["=1"]);
        }
        Ok(formula)
    }

    fn atom(&mut self, name: &str) -> Ltl {
        let position = self.atoms.iter().position(|known| known == name).unwrap_or_else(|| {
            self.atoms.push(name.to_owned());
            self.atoms.len() - 1
        });
        Ltl::Atom(Atom::from_index(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_notations_read_alike() {
        let spot = read("G(F p0 & (!a U b)) -> (x R y)").unwrap();
        let spin = read("[](<>p0 /\\ (!a U b)) -> (x V y)").unwrap();
        assert_eq!(spot, spin);
        assert_eq!(read("GFp0").unwrap().formula, read("G F p0").unwrap().formula);
        assert_eq!(read("F(p=1Uq=0)").unwrap(), read("F(p U !q)").unwrap());
        assert_eq!(read("p=>q").unwrap(), read("p -> q").unwrap());
        assert_eq!(read("G'HREADY' & \"a b\"").unwrap().atoms, ["HREADY", "a b"]);
        assert_eq!(read("G 'a").unwrap_err().expected, "the closing quote");
        assert_eq!(read("a & ").unwrap_err().expected, "a formula");
        assert_eq!(read("(a").unwrap_err().expected, "`)`");
        assert!(read(&"(".repeat(100_000)).is_err());
    }
}
