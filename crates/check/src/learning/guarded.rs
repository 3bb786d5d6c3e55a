//! One component together with a property, in surroundings that are constrained to a word or to an
//! assumption. AG: `M ∥ [t, αA] ⊨ P` and `M ∥ A ⊨ P`. The product of component and property is explored once.

use automata::learn::{Dfa, DfaState, Symbol};
use base::{Exhausted, IndexVec};
use indexmap::IndexSet;
use lks::{ActionId, Component, Composition, Lks, Role, StateId, StateMark, explore_telling};
use question::Monitor;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) struct Guarded {
    lks: Lks,
    /// The letter of each action that the surroundings take part in.
    symbol_of: IndexVec<ActionId, Option<Symbol>>,
    /// The action of each letter; letters neither the component nor the property knows have none.
    action_of: IndexVec<Symbol, Option<ActionId>>,
    /// Where the component may be after words asked about so far.
    subsets: RefCell<Subsets>,
}

/// So many pairs are looked at for a word that an assumption forbids without need.
const MOST_PAIRS: usize = 50_000;

/// The subset construction, as far as it was needed.
#[derive(Default)]
struct Subsets {
    found: IndexSet<Vec<StateId>, FxBuildHasher>,
    has_error: Vec<bool>,
    /// For each subset its successor under each letter, where it was asked for.
    next: Vec<IndexVec<Symbol, Option<u32>>>,
}

impl Guarded {
    /// The component, with the property unless only the component's own traces are asked about.
    pub fn new(
        component: &Arc<Lks>,
        property: Option<&Arc<Lks>>,
        symbols: &[String],
        monitor: Monitor<'_>,
    ) -> Result<Guarded, Exhausted> {
        let mut parts = vec![Component::process(component.clone())];
        if let Some(property) = property {
            let name = Arc::from(property.name());
            parts.push(Component { name, lks: property.clone(), role: Role::Watcher });
        }
        let lks = explore_telling(&Composition::new(parts), component.name(), monitor.budget, monitor.events)
            .map_err(|unfinished| unfinished.limit)?
            .lks;
        let action_of: IndexVec<Symbol, Option<ActionId>> =
            symbols.iter().map(|symbol| lks.alphabet().find(symbol)).collect();
        let mut symbol_of = IndexVec::filled(None, lks.alphabet().len());
        for (symbol, action) in action_of.iter_enumerated() {
            if let Some(action) = action {
                symbol_of[*action] = Some(symbol);
            }
        }
        Ok(Guarded { lks, symbol_of, action_of, subsets: RefCell::default() })
    }

    /// States reached by actions the surroundings do not see, these included.
    fn closure(&self, states: Vec<StateId>) -> Vec<StateId> {
        let mut known: FxHashSet<StateId> = states.iter().copied().collect();
        let mut reached: Vec<StateId> = known.iter().copied().collect();
        let mut next = 0;
        while next < reached.len() {
            for (action, target) in self.lks.transitions(reached[next]) {
                if self.symbol_of[action].is_none() && known.insert(target) {
                    reached.push(target);
                }
            }
            next += 1;
        }
        reached
    }

    /// The number of a subset in the construction.
    fn numbered(&self, subsets: &mut Subsets, mut states: Vec<StateId>) -> u32 {
        states.sort_unstable();
        let (index, is_new) = subsets.found.insert_full(states);
        if is_new {
            let has_error =
                subsets.found[index].iter().any(|state| self.lks.mark(*state) == StateMark::Error);
            subsets.has_error.push(has_error);
            subsets.next.push(IndexVec::filled(None, self.action_of.len()));
        }
        index as u32
    }

    /// The subset at the beginning.
    fn first(&self, subsets: &mut Subsets) -> u32 {
        if subsets.found.is_empty() {
            self.numbered(subsets, self.closure(self.lks.initial().to_vec()));
        }
        0
    }

    /// The subset after one more letter.
    fn after(&self, subsets: &mut Subsets, at: u32, symbol: Symbol) -> u32 {
        // A letter that neither side knows is done by the surroundings alone.
        let Some(action) = self.action_of[symbol] else { return at };
        if let Some(next) = subsets.next[at as usize][symbol] {
            return next;
        }
        let members = &subsets.found[at as usize];
        let targets = members.iter().flat_map(|state| self.lks.successors_by(*state, action));
        let closed = self.closure(targets.copied().collect());
        let next = self.numbered(subsets, closed);
        subsets.next[at as usize][symbol] = Some(next);
        next
    }

    /// Can the component violate the property while the surroundings do (a part of) the word?
    pub fn violates_under_word(&self, word: &[Symbol]) -> bool {
        let subsets = &mut *self.subsets.borrow_mut();
        let mut at = self.first(subsets);
        for symbol in word {
            if subsets.has_error[at as usize] {
                return true;
            }
            at = self.after(subsets, at, *symbol);
        }
        subsets.has_error[at as usize]
    }

    /// A shortest word that the assumption forbids although the component is safe under it. `None` if there
    /// is none, or none was found soon.
    pub fn needlessly_forbidden(&self, assumption: &Dfa) -> Option<Vec<Symbol>> {
        let subsets = &mut *self.subsets.borrow_mut();
        let begin = (assumption.initial(), self.first(subsets));
        type Pair = (DfaState, u32);
        let mut before: FxHashMap<Pair, Option<(Pair, Symbol)>> = FxHashMap::default();
        before.insert(begin, None);
        let mut queue = VecDeque::from([begin]);
        while let Some(pair) = queue.pop_front() {
            let (at, subset) = pair;
            // Under a word that goes on, the component stays unsafe.
            if subsets.has_error[subset as usize] {
                continue;
            }
            if !assumption.accepting[at] {
                let mut word = Vec::new();
                let mut reached = pair;
                while let Some((previous, symbol)) = before[&reached] {
                    word.push(symbol);
                    reached = previous;
                }
                word.reverse();
                return Some(word);
            }
            if before.len() > MOST_PAIRS {
                return None;
            }
            for symbol in self.action_of.ids() {
                let next = (assumption.step(at, symbol), self.after(subsets, subset, symbol));
                before.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    Some((pair, symbol))
                });
            }
        }
        None
    }

    /// The visible actions of a run that violates the property while the surroundings do (a part of) the
    /// word.
    pub fn violating_run(&self, word: &[Symbol]) -> Option<Vec<String>> {
        let is_error = |state: StateId, _: usize| self.lks.mark(state) == StateMark::Error;
        let step = |position: usize, action: ActionId| match self.symbol_of[action] {
            None => Some(position),
            Some(symbol) => {
                // Skip letters that are not ours.
                let own = word[position..].iter().position(|other| self.action_of[*other].is_some())?;
                (word[position + own] == symbol).then_some(position + own + 1)
            }
        };
        self.search(0, step, is_error).map(|actions| self.names(&actions))
    }

    /// A word over the letters that the assumption allows and under which the property is violated.
    pub fn violation_under(&self, assumption: &Dfa) -> Option<Vec<Symbol>> {
        if !assumption.accepting[assumption.initial()] {
            return None;
        }
        let is_error = |state: StateId, _: DfaState| self.lks.mark(state) == StateMark::Error;
        let step = |at: DfaState, action: ActionId| match self.symbol_of[action] {
            None => Some(at),
            Some(symbol) => {
                let next = assumption.step(at, symbol);
                assumption.accepting[next].then_some(next)
            }
        };
        // Letters the component does not know change the assumption's state only; they are added as steps
        // aside.
        self.search_with_foreign(assumption, step, is_error)
    }

    fn names(&self, actions: &[ActionId]) -> Vec<String> {
        let visible = actions.iter().filter(|action| !action.is_silent());
        visible.map(|action| self.lks.alphabet().name(*action).to_owned()).collect()
    }

    /// Breadth-first search over states paired with what the surroundings remember.
    fn search<M: Copy + Eq + std::hash::Hash>(
        &self,
        memory: M,
        step: impl Fn(M, ActionId) -> Option<M>,
        wanted: impl Fn(StateId, M) -> bool,
    ) -> Option<Vec<ActionId>> {
        type Before<M> = FxHashMap<(StateId, M), Option<((StateId, M), ActionId)>>;
        let mut before: Before<M> = FxHashMap::default();
        let mut queue = VecDeque::new();
        for &state in self.lks.initial() {
            before.insert((state, memory), None);
            queue.push_back((state, memory));
        }
        while let Some((state, memory)) = queue.pop_front() {
            if wanted(state, memory) {
                let mut actions = Vec::new();
                let mut at = (state, memory);
                while let Some((previous, action)) = before[&at] {
                    actions.push(action);
                    at = previous;
                }
                actions.reverse();
                return Some(actions);
            }
            for (action, target) in self.lks.transitions(state) {
                if let Some(next) = step(memory, action) {
                    before.entry((target, next)).or_insert_with(|| {
                        queue.push_back((target, next));
                        Some(((state, memory), action))
                    });
                }
            }
        }
        None
    }

    /// As `search` over an automaton, where letters that have no action here move the automaton alone. Gives
    /// the word.
    fn search_with_foreign(
        &self,
        assumption: &Dfa,
        step: impl Fn(DfaState, ActionId) -> Option<DfaState>,
        wanted: impl Fn(StateId, DfaState) -> bool,
    ) -> Option<Vec<Symbol>> {
        type Key = (StateId, DfaState);
        let foreign: Vec<Symbol> =
            self.action_of.iter_enumerated().filter(|(_, action)| action.is_none()).map(|(s, _)| s).collect();
        let mut before: FxHashMap<Key, Option<(Key, Option<Symbol>)>> = FxHashMap::default();
        let mut queue = VecDeque::new();
        for &state in self.lks.initial() {
            before.insert((state, assumption.initial()), None);
            queue.push_back((state, assumption.initial()));
        }
        while let Some((state, at)) = queue.pop_front() {
            if wanted(state, at) {
                let mut word = Vec::new();
                let mut key = (state, at);
                while let Some((previous, symbol)) = before[&key] {
                    word.extend(symbol);
                    key = previous;
                }
                word.reverse();
                return Some(word);
            }
            let own = self.lks.transitions(state).filter_map(|(action, target)| {
                step(at, action).map(|next| ((target, next), self.symbol_of[action]))
            });
            let alone = foreign.iter().filter_map(|symbol| {
                let next = assumption.step(at, *symbol);
                assumption.accepting[next].then_some(((state, next), Some(*symbol)))
            });
            for (key, symbol) in own.chain(alone).collect::<Vec<_>>() {
                before.entry(key).or_insert_with(|| {
                    queue.push_back(key);
                    Some(((state, at), symbol))
                });
            }
        }
        None
    }
}
