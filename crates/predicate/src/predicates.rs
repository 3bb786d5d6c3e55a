//! Which predicates stand at which location (THESIS ch. 4, location-specific).

use crate::component::{Component, NodeId};
use base::IndexVec;
use logic::TermId;
use logic::term::Op;
use rustc_hash::FxHashMap;

/// Why a predicate is there, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredicateOrigin {
    /// The user supplied it.
    Supplied,
    /// The question speaks about it.
    Question,
    /// A refinement needed it; in words, where it comes from.
    Refinement(String),
}

/// The predicates of each location, in the order they were added.
#[derive(Clone, Debug)]
pub struct PredicateMap {
    at: IndexVec<NodeId, Vec<TermId>>,
    origins: FxHashMap<TermId, PredicateOrigin>,
}

impl PredicateMap {
    /// None yet.
    pub fn new(component: &Component) -> PredicateMap {
        PredicateMap {
            at: IndexVec::filled(Vec::new(), component.nodes.len()),
            origins: FxHashMap::default(),
        }
    }

    /// The predicates of a location.
    pub fn at(&self, node: NodeId) -> &[TermId] {
        &self.at[node]
    }

    /// Adds a predicate at a location, without its negation; true if it is new there. Constants are left out.
    pub fn add(
        &mut self,
        component: &Component,
        node: NodeId,
        term: TermId,
        origin: &PredicateOrigin,
    ) -> bool {
        let term = positive(component, term);
        if component.pool.bool_value(term).is_some() || self.at[node].contains(&term) {
            return false;
        }
        self.at[node].push(term);
        self.origins.entry(term).or_insert_with(|| origin.clone());
        true
    }

    /// How many different predicates there are.
    pub fn distinct(&self) -> usize {
        self.origins.len()
    }

    /// All different predicates, each with its reason, in the order of their terms.
    pub fn all(&self) -> Vec<(TermId, &PredicateOrigin)> {
        let mut all: Vec<(TermId, &PredicateOrigin)> =
            self.origins.iter().map(|(term, origin)| (*term, origin)).collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        all
    }
}

/// The term without a leading negation.
pub fn positive(component: &Component, term: TermId) -> TermId {
    match component.pool.op(term) {
        Op::Not => component.pool.arguments(term)[0],
        _ => term,
    }
}

/// The parts of a Boolean term that are not made of others by connectives.
pub fn atoms(component: &Component, term: TermId) -> Vec<TermId> {
    let pool = &component.pool;
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let arguments = pool.arguments(term);
        let is_connective = match pool.op(term) {
            Op::True | Op::False => continue,
            Op::Not | Op::And | Op::Or | Op::Xor => true,
            Op::Ite => pool.sort(term) == logic::Sort::Bool,
            Op::Equal => pool.sort(arguments[0]) == logic::Sort::Bool,
            _ => false,
        };
        if is_connective {
            open.extend(arguments.iter().rev());
        } else {
            found.push(term);
        }
    }
    found
}

/// The conjuncts of a term.
pub fn conjuncts(component: &Component, term: TermId) -> Vec<TermId> {
    let pool = &component.pool;
    let (mut found, mut open) = (Vec::new(), vec![term]);
    while let Some(term) = open.pop() {
        match pool.op(term) {
            Op::True => {}
            Op::And => open.extend(pool.arguments(term).iter().rev()),
            // ¬(a ∨ b) is ¬a ∧ ¬b, but negations are not made here: the pool is only read.
            _ => found.push(term),
        }
    }
    found.dedup();
    found
}
