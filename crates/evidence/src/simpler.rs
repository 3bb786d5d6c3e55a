//! The conjuncts of an invariant without what says nothing: for people. What is left means the same as all together.
//!
//! - A bound that the variable's type has anyway (`x <= 4294967295` of an `unsigned`).
//! - `a <= b && b <= a` is `a == b`; a conjunct that stands there twice stands there once.
//! - A disjunction of which one part is a conjunct: `(a < b || c)` beside `a < b`; `(a < b || a == b)` beside `a <= b`.
//!
//! Certificates, witnesses and JSON have all conjuncts as they were proved.

use program::Program;

/// The conjuncts that say something, in order.
pub fn simpler(program: &Program, conjuncts: &[&str]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let keep = |text: String, kept: &mut Vec<String>| {
        if !kept.contains(&text) {
            kept.push(text);
        }
    };
    for text in conjuncts {
        let relation = relation(text);
        if relation.as_ref().is_some_and(|one| is_of_the_type(program, one)) {
            continue;
        }
        let turned = relation.as_ref().map(|one| one.turned());
        let is_other_half =
            |other: &&str| turned.is_some() && self::relation(other).as_ref() == turned.as_ref();
        match relation.filter(|one| one.symbol == "<=") {
            Some(one) if conjuncts.iter().any(is_other_half) => {
                // The first of the two halves tells for both.
                let (this, other) =
                    (format!("{} == {}", one.left, one.right), format!("{} == {}", one.right, one.left));
                if !kept.contains(&other) {
                    keep(this, &mut kept);
                }
            }
            _ => keep((*text).to_owned(), &mut kept),
        }
    }
    let all = kept.clone();
    kept.retain(|text| !is_implied(text, &all));
    kept
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Relation<'t> {
    left: &'t str,
    symbol: &'t str,
    right: &'t str,
}

impl<'t> Relation<'t> {
    /// `b <= a` for `a <= b`; nothing else is turned.
    fn turned(&self) -> Relation<'t> {
        Relation { left: self.right, symbol: self.symbol, right: self.left }
    }
}

/// The comparison that a condition is, if it is one.
fn relation(text: &str) -> Option<Relation<'_>> {
    let mut depth = 0usize;
    let mut found = None;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            ' ' if depth == 0 => {
                let symbol = ["<=", ">=", "==", "!=", "<", ">"].into_iter().find(|symbol| {
                    text[at + 1..].strip_prefix(symbol).is_some_and(|rest| rest.starts_with(' '))
                });
                let joins = text[at + 1..].starts_with("&&") || text[at + 1..].starts_with("||");
                match (symbol, joins, &found) {
                    (_, true, _) | (Some(_), _, Some(_)) => return None,
                    (Some(symbol), ..) => {
                        let end = at + 1 + symbol.len();
                        found = Some(Relation {
                            left: &text[..at],
                            symbol: &text[at + 1..end],
                            right: &text[end + 1..],
                        });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// The alternatives of a condition in parentheses, if that is what it is.
fn alternatives(text: &str) -> Vec<&str> {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return Vec::new();
    };
    let (mut depth, mut from, mut parts) = (0isize, 0, Vec::new());
    for (at, character) in inner.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 && inner[at..].starts_with("|| ") && at > from => {
                parts.push(inner[from..at].trim_end());
                from = at + 3;
            }
            '&' if depth == 0 && inner[at..].starts_with("&& ") => return Vec::new(),
            _ => {}
        }
        // The parentheses were not one pair.
        if depth < 0 {
            return Vec::new();
        }
    }
    parts.push(&inner[from..]);
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// Does it follow from one of the others?
fn is_implied(text: &str, all: &[String]) -> bool {
    let parts = alternatives(text);
    let stands = |wanted: &str| all.iter().any(|other| other != text && other == wanted);
    if parts.iter().any(|part| stands(part)) {
        return true;
    }
    // `a < b || a == b` is `a <= b`.
    let [first, second] = parts[..] else { return false };
    let (Some(first), Some(second)) = (relation(first), relation(second)) else { return false };
    let both = |less: &Relation<'_>, equal: &Relation<'_>| {
        let is_same = (less.left, less.right) == (equal.left, equal.right)
            || (less.left, less.right) == (equal.right, equal.left);
        less.symbol == "<"
            && equal.symbol == "=="
            && is_same
            && (stands(&format!("{} <= {}", less.left, less.right))
                || stands(&format!("{} == {}", less.left, less.right)))
    };
    both(&first, &second) || both(&second, &first)
}

/// Is it a bound that every value of the variable's type keeps?
fn is_of_the_type(program: &Program, relation: &Relation<'_>) -> bool {
    let (name, number, is_upper) = match (relation.symbol, value(relation.left), value(relation.right)) {
        ("<=", None, Some(number)) => (relation.left, number, true),
        (">=", None, Some(number)) | ("<=", Some(number), None) => {
            (if relation.symbol == "<=" { relation.right } else { relation.left }, number, false)
        }
        _ => return false,
    };
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut variables = program.variables.iter().filter(|variable| *variable.name == *name).peekable();
    let keeps = |variable: &program::Variable| {
        let shape = program.types.integer_shape(variable.ty.id).filter(|shape| shape.width <= 64);
        shape.is_some_and(|shape| {
            let (low, high) = match shape.signed {
                true => (-(1i128 << (shape.width - 1)), (1i128 << (shape.width - 1)) - 1),
                false => (0, (1i128 << shape.width) - 1),
            };
            if is_upper { high <= number } else { number <= low }
        })
    };
    is_name(name) && variables.peek().is_some() && { variables }.all(keeps)
}

/// The number that a constant is.
fn value(text: &str) -> Option<i128> {
    text.trim_end_matches(['U', 'L']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_and_alternatives_are_seen() {
        let parts = |text| relation(text).map(|one| (one.left, one.symbol, one.right));
        assert_eq!(parts("a[i < 3] <= (b == c)"), Some(("a[i < 3]", "<=", "(b == c)")));
        assert_eq!(parts("s <= (unsigned)(i << 1U)"), Some(("s", "<=", "(unsigned)(i << 1U)")));
        assert_eq!(parts("a < b && b < c"), None);
        assert_eq!(parts("(a < b || c)"), None);
        assert_eq!(alternatives("(a < b || (c || d) || e)"), ["a < b", "(c || d)", "e"]);
        assert!(alternatives("(a) || (b)").is_empty() && alternatives("(a && b || c)").is_empty());
    }

    #[test]
    fn what_follows_is_left_out() {
        let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let known =
            all(&["x <= y", "(x < y || x == y)", "(x < y || y == x)", "(x < y || z == y)", "(a || x <= y)"]);
        let left: Vec<&String> = known.iter().filter(|text| !is_implied(text, &known)).collect();
        assert_eq!(left, ["x <= y", "(x < y || z == y)"]);
    }
}
