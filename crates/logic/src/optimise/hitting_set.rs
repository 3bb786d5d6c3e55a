//! Minimum hitting sets: the cheapest elements of which every given set has at least one.

use super::minimise::{Minimiser, Mode, Optimum};
use crate::answer::UnknownReason;
use crate::sat::{Literal, TakeClauses};
use base::Budget;

/// What was found.
#[must_use = "the minimum may be Unknown, and Unknown must be handled"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HittingSet {
    /// The cheapest elements, in order, and what they cost.
    Minimum {
        /// Elements by number.
        elements: Vec<usize>,
        /// The sum of their weights.
        cost: u64,
    },
    /// A given set is empty: nothing hits it.
    Impossible,
    /// The search ended early; the best found so far, if anything.
    Unknown {
        /// Why the search ended.
        reason: UnknownReason,
        /// Elements that hit every set, perhaps not the cheapest.
        best: Option<Vec<usize>>,
    },
}

/// The cheapest elements that hit every set. `weights` gives the price of each element.
///
/// # Panics
/// When a set names an element without a weight: that is a bug of the caller.
pub fn minimum_hitting_set(weights: &[u32], sets: &[Vec<usize>], mode: Mode, budget: &Budget) -> HittingSet {
    let mut minimiser = Minimiser::new();
    let literals: Vec<Literal> = weights.iter().map(|_| minimiser.new_literal()).collect();
    for set in sets {
        let clause: Vec<Literal> = set.iter().map(|&element| literals[element]).collect();
        minimiser.add_clause(&clause);
    }
    let sum: Vec<(Literal, i64)> =
        literals.iter().copied().zip(weights.iter().map(|&w| i64::from(w))).collect();
    let chosen = |assignment: &[bool]| -> Vec<usize> {
        let is_chosen = |element: &usize| assignment[base::Id::index(literals[*element].variable())];
        (0..weights.len()).filter(is_chosen).collect()
    };
    match minimiser.minimise(&sum, mode, budget) {
        Optimum::Minimum { cost, assignment } => HittingSet::Minimum {
            // Elements that cost nothing may be chosen without need; they hurt nobody, but fewer is nicer.
            elements: drop_needless(chosen(&assignment), weights, sets),
            cost: cost.unsigned_abs(),
        },
        Optimum::Unsatisfiable => HittingSet::Impossible,
        Optimum::Unknown { reason, best, .. } => {
            HittingSet::Unknown { reason, best: best.map(|(_, assignment)| chosen(&assignment)) }
        }
    }
}

fn drop_needless(mut elements: Vec<usize>, weights: &[u32], sets: &[Vec<usize>]) -> Vec<usize> {
    for element in elements.clone() {
        let others = |set: &Vec<usize>| set.iter().any(|other| *other != element && elements.contains(other));
        if weights[element] == 0 && sets.iter().all(|set| !set.contains(&element) || others(set)) {
            elements.retain(|&other| other != element);
        }
    }
    elements
}
