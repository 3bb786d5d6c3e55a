//! From a formula to the smallest automaton the parts of this crate find together.

use crate::automaton::Automaton;
use crate::degeneralise::with_accepting_states;
use crate::formula::Formulas;
use crate::obligation::smallest_weak_deterministic;
use crate::simulation::reduce;
use crate::syntax::Ltl;
use crate::tableau::{CannotTranslate, unfold};
use base::Budget;

/// What kind of automaton is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Marks on edges, as many as the formula needs.
    Generalised,
    /// Accepting states: an ordinary Büchi automaton.
    States,
}

/// An automaton that accepts exactly the words of which the formula holds. Atom `i` of the formula is `atoms[i]`.
pub fn translate(
    formula: &Ltl,
    atoms: &[String],
    acceptance: Acceptance,
    budget: &Budget,
) -> Result<Automaton, CannotTranslate> {
    let generalised = unfolded(formula, atoms, true, budget)?;
    let small = reduce(&generalised, budget)?;
    let mut candidates = match acceptance {
        Acceptance::Generalised => vec![small.clone()],
        Acceptance::States => vec![with_accepting_states(&small, budget)?],
    };
    // An automaton with one state cannot be beaten.
    if candidates[0].state_count() > 1 {
        let negated = unfolded(formula, atoms, false, budget)?;
        candidates.extend(smallest_weak_deterministic(&small, &negated, budget)?);
    }
    let size = |automaton: &Automaton| (automaton.state_count(), automaton.edge_count());
    Ok(candidates.into_iter().min_by_key(size).expect("there is at least one candidate"))
}

/// The formula's automaton before reduction, or its negation's.
fn unfolded(
    formula: &Ltl,
    atoms: &[String],
    positive: bool,
    budget: &Budget,
) -> Result<Automaton, CannotTranslate> {
    let mut formulas = Formulas::new();
    let formula = formulas.from_ltl(formula, positive);
    Ok(unfold(&mut formulas, formula, atoms, budget)?.pruned())
}
