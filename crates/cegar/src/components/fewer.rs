//! After a proof, predicate minimisation: which of its conditions were not needed? Counterexamples are ruled
//! out one after another, and what ruled out an early one may be idle once later ones are. Conditions are
//! left out in groups, then one by one, as long as the question holds: first with states merged that only
//! they tell apart, which is quick, and necessary; then on the abstraction made anew with what is left, so
//! nothing is taken on trust. (THESIS ch. 7 minimises over the counterexamples seen; that is
//! `predicate::refine::choose`. This looks at the proof itself.)

use super::Settings;
use super::ask::{AbstractAnswer, Effort, ask};
use super::parts::{Code, SystemPart};
use base::Budget;
use indexmap::IndexMap;
use logic::TermId;
use predicate::refine::{Families, Seed};
use question::{Asks, Monitor, Verdict};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::sync::Arc;

/// States that may be looked at in trials for each one that the proof made, and beyond.
const STATES_PER_STATE: usize = 2;
const FEW_STATES: usize = 20_000;
/// With more components the proof is left as it is.
const MOST_PARTS: usize = 3;

/// What was left out.
pub(super) struct Fewer {
    /// How many conditions.
    pub dropped: usize,
    /// The last check that still held; none if nothing was left out.
    pub asked: Option<AbstractAnswer>,
}

/// Leaves out what the proof does not need; the parts stay abstracted under what is left.
pub(super) fn drop_what_is_not_needed(
    parts: &mut [SystemPart],
    actions: &[Vec<Arc<str>>],
    question: &Asks,
    settings: &Settings,
    states_made: usize,
    budget: &Budget,
) -> Fewer {
    let states_left = states_made.saturating_mul(STATES_PER_STATE).saturating_add(FEW_STATES);
    let fewer = Fewer { dropped: 0, asked: None };
    let mut trials = Trials { parts, actions, question, settings, budget, states_left, fewer };
    if trials.parts.len() <= MOST_PARTS {
        for index in 0..trials.parts.len() {
            trials.of_part(index);
        }
    }
    trials.fewer
}

struct Trials<'a> {
    parts: &'a mut [SystemPart],
    actions: &'a [Vec<Arc<str>>],
    question: &'a Asks,
    settings: &'a Settings,
    budget: &'a Budget,
    states_left: usize,
    fewer: Fewer,
}

/// The seeds of one kind, by what they say.
type Kind = IndexMap<TermId, Vec<Seed>, FxBuildHasher>;

impl Trials<'_> {
    fn of_part(&mut self, index: usize) {
        let SystemPart::Code(code) = &mut self.parts[index] else { return };
        let seen = seen_true(code);
        // Often the very conditions that counterexamples named are enough.
        let (named, all) = (code.named_seeds(self.budget), code.seeds.len());
        if named.len() < all && self.holds_merged(index, &named) {
            let dropped = all - named.len();
            self.holds_anew(index, named, dropped);
        }
        let SystemPart::Code(code) = &self.parts[index] else { return };
        let mut needed: Vec<Kind> = Vec::new();
        for kind in kinds(code) {
            let all: Vec<Seed> = kind.values().flatten().copied().collect();
            if !self.holds_without(index, &all) {
                needed.push(kind);
            }
        }
        for kind in needed.into_iter().filter(|kind| kind.len() > 1) {
            let (seen, never): (Vec<TermId>, Vec<TermId>) =
                kind.keys().copied().partition(|says| seen.contains(says));
            for group in [never, seen] {
                self.thin(index, &kind, &group);
            }
        }
    }

    /// Leaves out the group, or else what can be left out of each half.
    fn thin(&mut self, index: usize, kind: &Kind, group: &[TermId]) {
        let seeds: Vec<Seed> = group.iter().flat_map(|says| &kind[says]).copied().collect();
        if seeds.is_empty() || self.holds_without(index, &seeds) || group.len() == 1 {
            return;
        }
        let (one, other) = group.split_at(group.len() / 2);
        self.thin(index, kind, one);
        self.thin(index, kind, other);
    }

    /// Does the question hold without these? Then they are gone.
    fn holds_without(&mut self, index: usize, without: &[Seed]) -> bool {
        let SystemPart::Code(code) = &self.parts[index] else { return false };
        let left: Vec<Seed> = code.seeds.iter().copied().filter(|seed| !without.contains(seed)).collect();
        self.holds_merged(index, &left) && self.holds_anew(index, left, without.len())
    }

    /// Does the question hold with states merged that only the seeds left out tell apart?
    fn holds_merged(&mut self, index: usize, left: &[Seed]) -> bool {
        if self.states_left == 0 {
            return false;
        }
        let (question, budget) = (self.question, self.budget);
        let reduce = matches!(question, Asks::Conforms(..));
        let SystemPart::Code(code) = &mut self.parts[index] else { return false };
        let Ok(Some(coarser)) = code.seen_with(left, question, reduce, budget) else { return false };
        let Some(view) = &mut code.view else { return false };
        // Merging is cheaper than making states.
        let merged = view.abstraction.states.len() / 8;
        let finer = std::mem::replace(&mut view.lks, coarser);
        let seen: usize = self.parts.iter().map(SystemPart::seen_states).sum();
        let asked = self.easily();
        self.states_left = self.states_left.saturating_sub(merged + seen + asked.product_states);
        if let SystemPart::Code(code) = &mut self.parts[index]
            && let Some(view) = &mut code.view
        {
            view.lks = finer;
        }
        matches!(asked.answer.verdict, Verdict::Holds(_))
    }

    /// Asks the question, if that is easy.
    fn easily(&self) -> AbstractAnswer {
        ask(self.parts, self.question, self.settings, Effort::Little, Monitor::silent(self.budget))
    }

    /// Does the question hold with the abstraction made anew under the seeds left? Then the others are gone.
    fn holds_anew(&mut self, index: usize, left: Vec<Seed>, dropped: usize) -> bool {
        let reduce = matches!(self.question, Asks::Conforms(..));
        let (actions, question, budget) = (&self.actions[index], self.question, self.budget);
        let SystemPart::Code(code) = &mut self.parts[index] else { return false };
        let old_seeds = std::mem::replace(&mut code.seeds, left);
        let old_predicates = code.predicates.clone();
        let old_view = code.view.take();
        code.place_predicates(question);
        let is_made = code.abstract_now(actions, reduce, budget).is_ok_and(|made| made);
        let view = code.view.as_ref().filter(|_| is_made);
        let looked_at = view.map_or(FEW_STATES, |view| view.abstraction.states.len());
        self.states_left = self.states_left.saturating_sub(looked_at);
        if view.is_some_and(|view| view.abstraction.troubled.is_empty()) {
            let asked = self.easily();
            self.states_left = self.states_left.saturating_sub(asked.product_states);
            if matches!(asked.answer.verdict, Verdict::Holds(_)) {
                self.fewer.dropped += dropped;
                self.fewer.asked = Some(asked);
                return true;
            }
        }
        let SystemPart::Code(code) = &mut self.parts[index] else { return false };
        code.seeds = old_seeds;
        code.predicates = old_predicates;
        code.view = old_view;
        false
    }
}

/// The seeds of a component by kind. Small kinds first: they are quickly tried, and often follow from the
/// large ones.
fn kinds(code: &Code) -> Vec<Kind> {
    let mut kinds: IndexMap<TermId, Kind, FxBuildHasher> = IndexMap::default();
    for &seed in &code.seeds {
        let kind = Families::kind_of(&code.component, seed.condition);
        let says = predicate::predicates::positive(&code.component, seed.condition);
        kinds.entry(kind).or_default().entry(says).or_default().push(seed);
    }
    let mut kinds: Vec<Kind> = kinds.into_values().collect();
    kinds.sort_by_key(IndexMap::len);
    kinds
}

/// The predicates that are true in some abstract state.
fn seen_true(code: &Code) -> FxHashSet<TermId> {
    let Some(view) = &code.view else { return FxHashSet::default() };
    let mut seen = FxHashSet::default();
    for state in &view.abstraction.states {
        let predicates = code.predicates.at(state.node).iter().zip(&state.values);
        seen.extend(predicates.filter(|(_, value)| **value != Some(false)).map(|(term, _)| *term));
    }
    seen
}
