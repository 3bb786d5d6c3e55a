//! The smallest set of seeds that rules out every spurious counterexample seen (THESIS ch. 7).
//! DIVERGENCE: the thesis tries all subsets of branches; here each counterexample comes with some minimal sets of
//! conditions that cannot hold together, and a set of seeds rules it out if it contains one of them (SEEDS
//! correction 6). The minimum is found by the logic layer's optimiser.

use crate::follow::Seed;
use base::Budget;
use logic::optimise::{Minimiser, Mode, Optimum};
use logic::sat::{Literal, TakeClauses};
use rustc_hash::FxHashMap;

/// How many predicates are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Minimisation {
    /// The fewest seeds that rule out all spurious counterexamples seen.
    #[default]
    Minimal,
    /// The first reason found for each counterexample.
    Greedy,
    /// Every condition of every spurious counterexample.
    All,
}

/// Chooses seeds. Each counterexample has at least one set of seeds that rules it out.
pub fn choose(counterexamples: &[Vec<Vec<Seed>>], how: Minimisation, budget: &Budget) -> Vec<Seed> {
    let mut chosen: Vec<Seed> = match how {
        Minimisation::All => counterexamples.iter().flatten().flatten().copied().collect(),
        Minimisation::Greedy => first_of_each(counterexamples),
        Minimisation::Minimal => {
            fewest(counterexamples, budget).unwrap_or_else(|| first_of_each(counterexamples))
        }
    };
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn first_of_each(counterexamples: &[Vec<Vec<Seed>>]) -> Vec<Seed> {
    counterexamples.iter().filter_map(|sets| sets.first()).flatten().copied().collect()
}

fn fewest(counterexamples: &[Vec<Vec<Seed>>], budget: &Budget) -> Option<Vec<Seed>> {
    let mut minimiser = Minimiser::new();
    let mut literals: FxHashMap<Seed, Literal> = FxHashMap::default();
    let mut order: Vec<Seed> = Vec::new();
    for sets in counterexamples {
        let mut one_of = Vec::new();
        for set in sets {
            let whole = minimiser.new_literal();
            for &seed in set {
                let literal = *literals.entry(seed).or_insert_with(|| {
                    order.push(seed);
                    minimiser.new_literal()
                });
                minimiser.add_clause(&[whole.negated_if(true), literal]);
            }
            one_of.push(whole);
        }
        minimiser.add_clause(&one_of);
    }
    let sum: Vec<(Literal, i64)> = order.iter().map(|seed| (literals[seed], 1)).collect();
    match minimiser.minimise(&sum, Mode::CoreGuided, budget) {
        Optimum::Minimum { assignment, .. } => {
            let is_chosen = |seed: &&Seed| assignment[base::Id::index(literals[*seed].variable())];
            Some(order.iter().filter(is_chosen).copied().collect())
        }
        _ => None,
    }
}
