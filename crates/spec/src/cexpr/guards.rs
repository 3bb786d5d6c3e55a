//! Do the guards of a procedure's abstractions exclude each other, and do they cover every call (thesis 6.4.2)?
//! Decided where each comparison in the guards sets one place against constants: then only finitely many points matter,
//! the constants and their neighbours. Anything else is left open; the answer is then "not decided", never a guess.
//! Places are taken to be independent integers.

use super::{CBinary, CExpression, CUnary};
use std::collections::{BTreeMap, BTreeSet};

/// What is known about a list of guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardReport {
    /// Exactly one guard holds, always.
    Exact,
    /// What is wrong, with an example each.
    Faulty {
        /// Two guards (by position) that can hold together, and when.
        overlap: Option<(usize, usize, String)>,
        /// When none holds.
        gap: Option<String>,
    },
    /// The guards are too rich to decide here.
    NotDecided,
}

/// More points than this are not tried.
const MOST_POINTS: usize = 50_000;

/// Compares the guards with each other.
pub fn compare_guards(guards: &[CExpression]) -> GuardReport {
    let mut constants: BTreeMap<&CExpression, BTreeSet<i128>> = BTreeMap::new();
    if !guards.iter().all(|guard| collect(guard, &mut constants)) {
        return GuardReport::NotDecided;
    }
    let places: Vec<(&CExpression, Vec<i128>)> =
        constants.into_iter().map(|(place, values)| (place, interesting(&values))).collect();
    let points: usize = places.iter().map(|(_, values)| values.len()).fold(1, usize::saturating_mul);
    if points > MOST_POINTS {
        return GuardReport::NotDecided;
    }
    let (mut overlap, mut gap) = (None, None);
    for point in 0..points {
        let mut rest = point;
        let assignment: Vec<i128> = places
            .iter()
            .map(|(_, values)| {
                let value = values[rest % values.len()];
                rest /= values.len();
                value
            })
            .collect();
        let of_place = |wanted: &CExpression| {
            places.iter().position(|(place, _)| *place == wanted).map(|index| assignment[index])
        };
        let mut holding = Vec::new();
        for (index, guard) in guards.iter().enumerate() {
            match guard.value(&of_place) {
                Some(0) => {}
                Some(_) => holding.push(index),
                None => return GuardReport::NotDecided,
            }
        }
        let when = || {
            let parts =
                places.iter().zip(&assignment).map(|((place, _), value)| format!("{place} is {value}"));
            let text = parts.collect::<Vec<_>>().join(" and ");
            if text.is_empty() { "always".to_owned() } else { format!("when {text}") }
        };
        match holding[..] {
            [] if gap.is_none() => gap = Some(when()),
            [first, second, ..] if overlap.is_none() => overlap = Some((first, second, when())),
            _ => {}
        }
    }
    if overlap.is_none() && gap.is_none() { GuardReport::Exact } else { GuardReport::Faulty { overlap, gap } }
}

/// Each constant and its neighbours: between two of them no comparison changes.
fn interesting(constants: &BTreeSet<i128>) -> Vec<i128> {
    let around = constants.iter().flat_map(|&value| [value - 1, value, value + 1]);
    around.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Collects which place is compared with which constants; false if the guard is of another shape.
fn collect<'a>(guard: &'a CExpression, constants: &mut BTreeMap<&'a CExpression, BTreeSet<i128>>) -> bool {
    use CBinary::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, LogicalAnd, LogicalOr, NotEqual};
    match guard {
        _ if guard.constant().is_some() => true,
        CExpression::Unary(CUnary::Not, inner) => collect(inner, constants),
        CExpression::Binary(LogicalAnd | LogicalOr, left, right) => {
            collect(left, constants) && collect(right, constants)
        }
        CExpression::Binary(
            Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual,
            left,
            right,
        ) => match (left.constant(), right.constant()) {
            (None, Some(value)) if is_place(left) => note(left, value, constants),
            (Some(value), None) if is_place(right) => note(right, value, constants),
            _ => false,
        },
        // A place alone is compared with zero.
        place if is_place(place) => note(place, 0, constants),
        _ => false,
    }
}

fn note<'a>(
    place: &'a CExpression,
    value: i128,
    constants: &mut BTreeMap<&'a CExpression, BTreeSet<i128>>,
) -> bool {
    constants.entry(place).or_default().insert(value);
    true
}

fn is_place(expression: &CExpression) -> bool {
    match expression {
        CExpression::Name(_) | CExpression::Argument(_) => true,
        CExpression::Member(object, _) | CExpression::Arrow(object, _) => is_place(object),
        CExpression::Unary(CUnary::Dereference, pointer) => is_place(pointer),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(guards: &[&str]) -> GuardReport {
        let guards: Vec<CExpression> =
            guards.iter().map(|text| CExpression::parse(text).expect("an expression")).collect();
        compare_guards(&guards)
    }

    #[test]
    fn exact_guards() {
        assert_eq!(compared(&["$1 == 0", "$1 != 0"]), GuardReport::Exact);
        assert_eq!(compared(&["1"]), GuardReport::Exact);
        assert_eq!(compared(&["$1 < 3", "$1 >= 3 && $2", "$1 > 2 && !$2"]), GuardReport::Exact);
    }

    #[test]
    fn overlaps_and_gaps_come_with_an_example() {
        let overlap = GuardReport::Faulty { overlap: Some((0, 1, "when $1 is 3".into())), gap: None };
        assert_eq!(compared(&["$1 <= 3", "$1 >= 3"]), overlap);
        let gap = GuardReport::Faulty { overlap: None, gap: Some("when $1 is 4".into()) };
        assert_eq!(compared(&["$1 < 4", "$1 > 4"]), gap);
        let twice = GuardReport::Faulty { overlap: Some((0, 1, "always".into())), gap: None };
        assert_eq!(compared(&["1", "1"]), twice);
    }

    #[test]
    fn rich_guards_are_left_open() {
        assert_eq!(compared(&["$1 == $2"]), GuardReport::NotDecided);
        assert_eq!(compared(&["$1 % 2 == 0", "$1 % 2 != 0"]), GuardReport::NotDecided);
    }
}
