//! Rule 2 of AG section 4.1, for n components: if `Mi ∥ Ai ⊨ P` for each i and `co-A1 ∥ … ∥ co-An ⊨ P`, then
//! `M1 ∥ … ∥ Mn ⊨ P`. All assumptions are learned, over one alphabet: what several components share, and αP.
//! The last premise is about the complements (SEEDS correction 16); its product of complements is what makes the rule
//! dear for many components (AG 4.2).

use super::assumption::of_automaton;
use super::guarded::Guarded;
use super::property::{Found, Task, add_cost};
use crate::outcome::{Outcome, Stopped};
use automata::learn::{Dfa, DfaState, Learner, LearningCost, Symbol, Teacher};
use base::{Budget, Exhausted, Id};
use lks::{Composition, Lks, StateId, StateMark};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// Is no property of the system violated?
pub fn by_rule_2(system: &Composition, budget: &Budget) -> Outcome {
    let decide = || {
        let task = Task::of(system, "learn2", budget)?;
        let mut cost = LearningCost::default();
        let found = prove(&task, &mut cost, budget)?;
        Task::conclude(system, 2, found, cost, budget)
    };
    Outcome::settle(decide())
}

struct Part<'a> {
    guarded: Guarded,
    learner: Learner,
    budget: &'a Budget,
}

/// Answers for one component: a word is allowed if the component is safe in surroundings that do just it.
struct Membership<'a>(&'a Guarded, &'a Budget);

impl Teacher for Membership<'_> {
    type Stop = Exhausted;

    fn is_member(&mut self, word: &[Symbol]) -> Result<bool, Exhausted> {
        self.1.check()?;
        Ok(!self.0.violates_under_word(word))
    }

    fn counterexample(&mut self, candidate: &Dfa) -> Result<Option<Vec<Symbol>>, Exhausted> {
        // Premise i: Mi ∥ Ai ⊨ P.
        Ok(self.0.violation_under(candidate))
    }
}

impl Part<'_> {
    fn refine(&mut self, candidate: &Dfa, word: &[Symbol]) -> Result<(), Exhausted> {
        self.learner.refine(&mut Membership(&self.guarded, self.budget), candidate, word)
    }

    /// Learns until the premise about this component holds.
    fn settle(&mut self) -> Result<Dfa, Exhausted> {
        let mut teacher = Membership(&self.guarded, self.budget);
        loop {
            let candidate = self.learner.conjecture(&mut teacher)?;
            match teacher.counterexample(&candidate)? {
                None => return Ok(candidate),
                Some(word) => self.learner.refine(&mut teacher, &candidate, &word)?,
            }
        }
    }
}

fn prove(task: &Task, cost: &mut LearningCost, budget: &Budget) -> Result<Found, Stopped> {
    let symbols = alphabet(task);
    let mut parts = Vec::new();
    for component in &task.components {
        let guarded = Guarded::new(component, Some(&task.property), &symbols, budget)?;
        parts.push(Part { guarded, learner: Learner::new(symbols.len()), budget });
    }
    let mut candidates = Vec::new();
    for part in &mut parts {
        candidates.push(part.settle()?);
    }
    loop {
        budget.check()?;
        // The last premise: a word that no assumption allows must satisfy the property.
        let Some(word) = allowed_by_none(&candidates, &task.property, &symbols, budget)? else {
            let assumptions = task
                .components
                .iter()
                .zip(&candidates)
                .map(|(component, dfa)| of_automaton(component.name(), &symbols, dfa))
                .collect();
            parts.iter().for_each(|part| add_cost(cost, part.learner.cost));
            return Ok(Found::Holds(assumptions));
        };
        // AG 4.1, steps 1 and 2: a component that is safe under the word has too strong an assumption.
        let mut wronged = None;
        for (index, part) in parts.iter().enumerate() {
            if !part.guarded.violates_under_word(&word) {
                wronged = Some(index);
                break;
            }
        }
        match wronged {
            Some(index) => {
                parts[index].refine(&candidates[index], &word)?;
                candidates[index] = parts[index].settle()?;
            }
            // Step 3: all can do it.
            None => {
                parts.iter().for_each(|part| add_cost(cost, part.learner.cost));
                let runs: Vec<Vec<String>> = parts
                    .iter()
                    .map(|part| part.guarded.violating_run(&word).expect("it violates under the word"))
                    .collect();
                return Ok(Found::Violated(joined(&word, &runs, &symbols)));
            }
        }
    }
}

/// Actions of several components, and those of the property; sorted.
fn alphabet(task: &Task) -> Vec<String> {
    let mut users: BTreeMap<&str, usize> = BTreeMap::new();
    for component in &task.components {
        for action in component.alphabet().visible() {
            *users.entry(component.alphabet().name(action)).or_default() += 1;
        }
    }
    for action in task.property.alphabet().visible() {
        users.insert(task.property.alphabet().name(action), 2);
    }
    users.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name.to_owned()).collect()
}

/// A word that every candidate rejects and the property forbids.
fn allowed_by_none(
    candidates: &[Dfa],
    property: &Lks,
    symbols: &[String],
    budget: &Budget,
) -> Result<Option<Vec<Symbol>>, Exhausted> {
    type Key = (Vec<DfaState>, StateId);
    let actions: Vec<_> = symbols.iter().map(|symbol| property.alphabet().find(symbol)).collect();
    let Some(&begin) = property.initial().first() else { return Ok(None) };
    let start: Key = (candidates.iter().map(Dfa::initial).collect(), begin);
    let mut before: FxHashMap<Key, Option<(Key, Symbol)>> = FxHashMap::default();
    before.insert(start.clone(), None);
    let mut queue = VecDeque::from([start]);
    let mut steps = 0usize;
    while let Some(key) = queue.pop_front() {
        let is_forbidden = property.mark(key.1) == StateMark::Error;
        if is_forbidden && key.0.iter().zip(candidates).all(|(state, dfa)| !dfa.accepting[*state]) {
            let mut word = Vec::new();
            let mut at = key;
            while let Some((previous, symbol)) = before[&at].clone() {
                word.push(symbol);
                at = previous;
            }
            word.reverse();
            return Ok(Some(word));
        }
        for (index, action) in actions.iter().enumerate() {
            steps += 1;
            if steps.is_multiple_of(1024) {
                budget.check()?;
            }
            let symbol = Symbol::from_index(index);
            // Once forbidden, a word stays so. A property that knows the action but refuses it blocks it.
            let next = match action {
                Some(action) if !is_forbidden => match property.successors_by(key.1, *action).first() {
                    Some(next) => *next,
                    None => continue,
                },
                _ => key.1,
            };
            let states = key.0.iter().zip(candidates).map(|(state, dfa)| dfa.step(*state, symbol)).collect();
            let target: Key = (states, next);
            if !before.contains_key(&target) {
                before.insert(target.clone(), Some((key.clone(), symbol)));
                queue.push_back(target);
            }
        }
    }
    Ok(None)
}

/// One word from the shared one and each component's own run under it. A run may end before the shared word does: the
/// property is violated by then.
fn joined(shared_word: &[Symbol], runs: &[Vec<String>], symbols: &[String]) -> Vec<String> {
    let is_shared = |action: &String| symbols.binary_search(action).is_ok();
    let mut rests: Vec<VecDeque<String>> = runs.iter().map(|run| run.iter().cloned().collect()).collect();
    let mut word = Vec::new();
    let take_own = |rests: &mut Vec<VecDeque<String>>| {
        let mut own = Vec::new();
        for rest in rests {
            while rest.front().is_some_and(|action| !is_shared(action)) {
                own.extend(rest.pop_front());
            }
        }
        own
    };
    for symbol in shared_word {
        word.extend(take_own(&mut rests));
        if rests.iter().all(VecDeque::is_empty) {
            return word;
        }
        let name = &symbols[symbol.index()];
        for rest in &mut rests {
            if rest.front() == Some(name) {
                rest.pop_front();
            }
        }
        word.push(name.clone());
    }
    word.extend(take_own(&mut rests));
    word
}
