//! `*` inside expressions, normalised (BOOM 10.8, SEEDS 11): what remains is at most one choice per assigned
//! value, in the form `schoose[must be true, must be false]`, and none in guards.

use crate::graph::{Action, Expr, Program};

/// "Can be true" and "can be false", as expressions without choices.
fn can(expr: &Expr) -> (Expr, Expr) {
    match expr {
        Expr::Any => (Expr::TRUE, Expr::TRUE),
        Expr::Constant(_) | Expr::Current(_) | Expr::Next(_) => (expr.clone(), expr.clone().negated()),
        Expr::Not(inner) => {
            let (yes, no) = can(inner);
            (no, yes)
        }
        Expr::And(parts) => parts
            .iter()
            .map(can)
            .fold((Expr::TRUE, Expr::FALSE), |all, part| (all.0.and(part.0), all.1.or(part.1))),
        Expr::Or(parts) => parts
            .iter()
            .map(can)
            .fold((Expr::FALSE, Expr::TRUE), |any, part| (any.0.or(part.0), any.1.and(part.1))),
        Expr::Xor(left, right) => {
            let (left, right) = (can(left), can(right));
            let differ = left.0.clone().and(right.1.clone()).or(left.1.clone().and(right.0.clone()));
            (differ, left.0.and(right.0).or(left.1.and(right.1)))
        }
        Expr::Ite(condition, then, otherwise) => {
            let (condition, then, otherwise) = (can(condition), can(then), can(otherwise));
            let yes = condition.0.clone().and(then.0).or(condition.1.clone().and(otherwise.0));
            (yes, condition.0.and(then.1).or(condition.1.and(otherwise.1)))
        }
    }
}

/// The same possible values with at most one choice; expressions without choices stay as they are.
fn normalised(expr: &Expr) -> Expr {
    if !expr.has_choice() || matches!(expr, Expr::Any) {
        return expr.clone();
    }
    let (yes, no) = can(expr);
    // schoose[¬no, ¬yes] = (⋆ ∧ yes) ∨ ¬no
    Expr::Any.and(yes).or(no.negated())
}

/// The same condition without choices: it holds where it can hold.
fn possible(expr: &Expr) -> Expr {
    if expr.has_choice() { can(expr).0 } else { expr.clone() }
}

/// Normalises every expression of a program, in place.
pub fn normalise_choices(program: &mut Program) {
    for id in program.edges().ids() {
        let (guard, action) = program.edge_mut(id);
        *guard = possible(guard);
        match action {
            Action::Assign { assignments, constraint, passive } => {
                assignments.iter_mut().for_each(|(_, value)| *value = normalised(value));
                *constraint = possible(constraint);
                for rule in passive {
                    rule.assignments.iter_mut().for_each(|(_, value)| *value = normalised(value));
                    rule.constraint = possible(&rule.constraint);
                }
            }
            Action::Assert { condition } => *condition = normalised(condition),
            Action::Call { arguments: values, .. }
            | Action::Async { arguments: values, .. }
            | Action::Return { values } => values.iter_mut().for_each(|value| *value = normalised(value)),
            Action::Error { .. }
            | Action::StartThread { .. }
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    /// BOOM example 10.6: `(b ∧ ⋆ ∨ (c ∨ ⋆)) ∨ ⋆` can always be true, and false unless c.
    #[test]
    fn the_example_of_the_thesis() {
        let variable = |index| Expr::Current(Id::from_index(index));
        let (b, c) = (variable(0), variable(1));
        let left = Expr::Or(vec![Expr::And(vec![b, Expr::Any]), Expr::Or(vec![c.clone(), Expr::Any])]);
        let (yes, no) = can(&Expr::Or(vec![left, Expr::Any]));
        assert_eq!(yes, Expr::TRUE);
        assert_eq!(no, c.negated());
    }

    #[test]
    fn normalised_expressions_can_be_the_same() {
        let a = Expr::Current(Id::from_index(0));
        let expressions = [
            Expr::Any.xor(a.clone()),
            Expr::And(vec![a.clone(), Expr::Any]),
            Expr::Or(vec![a.clone().negated(), Expr::Any]),
            Expr::Ite(Expr::Any.into(), a.clone().into(), Expr::FALSE.into()),
        ];
        for expr in expressions {
            for value in [false, true] {
                let values = |_, _| value;
                assert_eq!(expr.possible(&values), normalised(&expr).possible(&values), "{expr:?}");
                assert_eq!(expr.possible(&values).yes, possible(&expr).possible(&values).yes, "{expr:?}");
            }
        }
    }
}
