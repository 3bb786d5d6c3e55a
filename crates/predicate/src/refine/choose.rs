//! The smallest set of seeds that rules out every spurious counterexample seen (THESIS ch. 7).
//! DIVERGENCE: the thesis tries all subsets of branches; here each counterexample comes with some minimal
//! sets of conditions that cannot hold together, and a set of seeds rules it out if it contains one of them
//! (SEEDS correction 6). The minimum is found by the logic layer's optimiser. Conditions that compare one
//! value with constants exclude each other and are one non-binary predicate, as in the thesis (7.5.2): a
//! *family* counts once.
//!
//! Worked example: one counterexample is ruled out by {p} or by {q}, another by {q} or by {r, s}. The clauses
//! are `p ∨ q` and `q ∨ (r ∧ s)`; the minimum is {q}, where taking the first reason of each would give {p,
//! q}.

use crate::component::Component;
use crate::predicates::{conjuncts, positive};
use crate::refine::follow::Seed;
use base::Budget;
use logic::TermId;
use logic::optimise::{Minimiser, Mode, Optimum};
use logic::sat::{Literal, TakeClauses};
use logic::term::Op;
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

/// Families with more members are taken member by member.
const MOST_MEMBERS: usize = 400;

/// Which conditions of a component compare the same value with constants.
#[derive(Clone, Debug, Default)]
pub struct Families {
    of: FxHashMap<Seed, TermId>,
    members: FxHashMap<TermId, Vec<Seed>>,
}

impl Families {
    /// Those of the branches of a component.
    pub fn of(component: &Component) -> Families {
        let mut families = Families::default();
        for (edge, step) in component.edges.iter_enumerated().filter(|(_, step)| step.is_branch) {
            for condition in conjuncts(component, step.guard) {
                if let Some(value) = compared_value(component, condition) {
                    let seed = Seed { edge, condition };
                    families.of.insert(seed, value);
                    families.members.entry(value).or_default().push(seed);
                }
            }
        }
        families.members.retain(|_, members| members.len() <= MOST_MEMBERS);
        let members = &families.members;
        families.of.retain(|_, value| members.contains_key(value));
        families
    }

    /// How many predicates there are when each family counts once.
    pub fn count(component: &Component, predicates: impl Iterator<Item = TermId>) -> usize {
        let mut seen = rustc_hash::FxHashSet::default();
        predicates.filter(|&term| seen.insert(Families::kind_of(component, term))).count()
    }

    /// What all conditions of one family have in common: the value compared. Of any other condition, itself.
    pub fn kind_of(component: &Component, condition: TermId) -> TermId {
        compared_value(component, condition).unwrap_or_else(|| positive(component, condition))
    }

    /// The seeds with all members of their families.
    fn whole(&self, seeds: &[Seed]) -> Vec<Seed> {
        let mut all = Vec::new();
        for seed in seeds {
            match self.of.get(seed) {
                Some(value) => all.extend(&self.members[value]),
                None => all.push(*seed),
            }
        }
        all
    }
}

/// What `v == c`, or its opposite, compares with a constant.
fn compared_value(component: &Component, condition: TermId) -> Option<TermId> {
    let pool = &component.pool;
    let positive = positive(component, condition);
    if pool.op(positive) != Op::Equal {
        return None;
    }
    let sides = pool.arguments(positive);
    let is_constant = |term: TermId| pool.constant_value(term).is_some();
    match (is_constant(sides[0]), is_constant(sides[1])) {
        (true, false) => Some(sides[1]),
        (false, true) => Some(sides[0]),
        _ => None,
    }
}

/// Chooses seeds. Each counterexample has at least one set of seeds that rules it out.
pub fn choose(
    counterexamples: &[Vec<Vec<Seed>>],
    how: Minimisation,
    families: &Families,
    budget: &Budget,
) -> Vec<Seed> {
    let mut chosen: Vec<Seed> = match how {
        Minimisation::All => counterexamples.iter().flatten().flatten().copied().collect(),
        Minimisation::Greedy => first_of_each(counterexamples),
        Minimisation::Minimal => {
            let fewest = fewest(counterexamples, families, budget);
            families.whole(&fewest.unwrap_or_else(|| first_of_each(counterexamples)))
        }
    };
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The fewest seeds that rule out all counterexamples seen, each family counted once but not taken as a
/// whole.
pub fn narrowest(counterexamples: &[Vec<Vec<Seed>>], families: &Families, budget: &Budget) -> Vec<Seed> {
    let mut chosen =
        fewest(counterexamples, families, budget).unwrap_or_else(|| first_of_each(counterexamples));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn first_of_each(counterexamples: &[Vec<Vec<Seed>>]) -> Vec<Seed> {
    counterexamples.iter().filter_map(|sets| sets.first()).flatten().copied().collect()
}

fn fewest(counterexamples: &[Vec<Vec<Seed>>], families: &Families, budget: &Budget) -> Option<Vec<Seed>> {
    let mut minimiser = Minimiser::new();
    let mut whole_family: FxHashMap<TermId, Literal> = FxHashMap::default();
    let mut literals: FxHashMap<Seed, Literal> = FxHashMap::default();
    let mut order: Vec<Seed> = Vec::new();
    for sets in counterexamples {
        let mut one_of = Vec::new();
        for set in sets {
            let whole = minimiser.new_literal();
            for &seed in set {
                let literal = *literals.entry(seed).or_insert_with(|| {
                    order.push(seed);
                    match families.of.get(&seed) {
                        Some(value) => *whole_family.entry(*value).or_insert_with(|| minimiser.new_literal()),
                        None => minimiser.new_literal(),
                    }
                });
                minimiser.add_clause(&[whole.negated_if(true), literal]);
            }
            one_of.push(whole);
        }
        minimiser.add_clause(&one_of);
    }
    let mut counted: Vec<Literal> = order.iter().map(|seed| literals[seed]).collect();
    counted.sort_unstable();
    counted.dedup();
    let sum: Vec<(Literal, i64)> = counted.into_iter().map(|literal| (literal, 1)).collect();
    match minimiser.minimise(&sum, Mode::CoreGuided, budget) {
        Optimum::Minimum { assignment, .. } => {
            let is_chosen = |seed: &&Seed| assignment[base::Id::index(literals[*seed].variable())];
            Some(order.iter().filter(is_chosen).copied().collect())
        }
        _ => None,
    }
}
