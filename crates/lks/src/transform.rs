//! New structures from old: hiding, relabelling, projection, the reachable part.

use crate::{ActionId, Alphabet, Lks, LksBuilder, StateId, StateMark};
use base::{Id, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What the names of actions become. One action may become several (FSP's `/{ {a,b}/c }`): each of its transitions
/// then exists once per new name.
#[derive(Clone, Debug, Default)]
pub struct Relabelling {
    renames: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    /// All pairs, so that adding one is quick however many there are.
    known: FxHashSet<(Arc<str>, Arc<str>)>,
}

impl Relabelling {
    /// A relabelling that leaves every name as it is.
    pub fn new() -> Relabelling {
        Relabelling::default()
    }

    /// Adds one new name for `from`.
    pub fn add(&mut self, from: impl Into<Arc<str>>, to: impl Into<Arc<str>>) {
        let (from, to) = (from.into(), to.into());
        if self.known.insert((from.clone(), to.clone())) {
            self.renames.entry(from).or_default().push(to);
        }
    }

    /// How many transitions the structure has after it.
    pub fn transitions_after(&self, lks: &Lks) -> usize {
        let new_names: IndexVec<ActionId, usize> =
            lks.alphabet().ids().map(|id| self.of(lks.alphabet().name(id)).map_or(1, <[_]>::len)).collect();
        lks.states().flat_map(|state| lks.actions(state)).map(|action| new_names[*action]).sum()
    }

    /// The new names of an action, if it changes.
    pub fn of(&self, name: &str) -> Option<&[Arc<str>]> {
        self.renames.get(name).map(Vec::as_slice)
    }

    /// Does it change nothing?
    pub fn is_empty(&self) -> bool {
        self.renames.is_empty()
    }
}

impl Lks {
    /// The actions of these names become silent and leave the alphabet.
    #[must_use]
    pub fn hide(&self, is_hidden: impl Fn(&str) -> bool) -> Lks {
        self.rename_with(|name| if is_hidden(name) { NewNames::Silent } else { NewNames::Same })
    }

    /// Only the actions of these names stay visible (FSP's `@`).
    #[must_use]
    pub fn keep_visible(&self, is_kept: impl Fn(&str) -> bool) -> Lks {
        self.hide(|name| !is_kept(name))
    }

    /// The actions get their new names. `tau` as a new name makes an action silent.
    #[must_use]
    pub fn relabel(&self, relabelling: &Relabelling) -> Lks {
        self.rename_with(|name| match relabelling.of(name) {
            Some(names) => NewNames::These(names),
            None => NewNames::Same,
        })
    }

    /// What a component sees of a run of a system it is part of: its own actions stay, all others become silent,
    /// and only its own propositions are kept. // thesis Def. 19 as SEEDS correction 4 reads it
    #[must_use]
    pub fn project(&self, own_alphabet: &Alphabet, is_own_proposition: impl Fn(&str) -> bool) -> Lks {
        let hidden = self.keep_visible(|name| own_alphabet.find(name).is_some());
        let mut builder = LksBuilder::new(self.name());
        own_alphabet.visible().for_each(|action| {
            builder.action(own_alphabet.name(action));
        });
        let names = hidden.propositions();
        let kept: Vec<_> = names.ids().filter(|&id| is_own_proposition(names.name(id))).collect();
        for &id in &kept {
            builder.proposition(names.name(id));
        }
        copy_states(&hidden, &mut builder);
        for state in hidden.states() {
            for (action, target) in hidden.transitions(state) {
                let action = builder.action(hidden.alphabet().name(action));
                builder.transition(state, action, target);
            }
            for &id in kept.iter().filter(|&&id| hidden.holds(state, id)) {
                let own = builder.proposition(names.name(id));
                builder.label(state, own);
            }
        }
        builder.build()
    }

    /// The alphabet grows by these actions, which no state offers: they are refused for ever.
    #[must_use]
    pub fn extend_alphabet<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Lks {
        let mut alphabet = Alphabet::clone(&self.alphabet);
        names.into_iter().for_each(|name| {
            alphabet.intern(name);
        });
        Lks { alphabet: Arc::new(alphabet), ..self.clone() }
    }

    /// Without the states that no run reaches, in breadth-first order.
    #[must_use]
    pub fn reachable(&self) -> Lks {
        let mut new_ids: IndexVec<StateId, Option<StateId>> = IndexVec::filled(None, self.state_count());
        let mut order = Vec::new();
        let mut reach = |state: StateId, order: &mut Vec<StateId>| {
            *new_ids[state].get_or_insert_with(|| {
                order.push(state);
                StateId::from_index(order.len() - 1)
            })
        };
        let mut builder = LksBuilder::with_names(self.name(), self.alphabet(), self.propositions());
        let mut transitions = Vec::new();
        let initial: Vec<StateId> = self.initial().iter().map(|&state| reach(state, &mut order)).collect();
        let mut next = 0;
        while next < order.len() {
            let from = StateId::from_index(next);
            for (action, target) in self.transitions(order[next]) {
                transitions.push((from, action, reach(target, &mut order)));
            }
            next += 1;
        }
        builder.ensure_states(order.len());
        initial.into_iter().for_each(|state| builder.initial(state));
        transitions.into_iter().for_each(|(from, action, to)| builder.transition(from, action, to));
        for (new, &old) in order.iter().enumerate() {
            let new = StateId::from_index(new);
            self.copy_decoration(old, &mut builder, new);
        }
        builder.build()
    }

    /// Gives `new` the mark, label and name of `old`; the builder has this structure's propositions.
    pub(crate) fn copy_decoration(&self, old: StateId, builder: &mut LksBuilder, new: StateId) {
        if self.mark(old) != StateMark::Plain {
            builder.mark(new, self.mark(old));
        }
        self.label(old).iter().for_each(|proposition| builder.label(new, proposition));
        if let Some(name) = self.state_names.get(old) {
            builder.name_state(new, name.clone());
        }
    }

    fn rename_with<'a>(&self, new_names: impl Fn(&str) -> NewNames<'a>) -> Lks {
        let mut alphabet = Alphabet::new();
        let renamed: IndexVec<ActionId, Vec<ActionId>> = self
            .alphabet
            .ids()
            .map(|action| match (action.is_silent(), new_names(self.alphabet.name(action))) {
                (true, _) | (_, NewNames::Silent) => vec![ActionId::TAU],
                (_, NewNames::Same) => vec![alphabet.intern_shared(&self.alphabet.shared_name(action))],
                (_, NewNames::These(names)) => {
                    names.iter().map(|name| alphabet.intern_shared(name)).collect()
                }
            })
            .collect();
        let mut builder = LksBuilder::with_names(self.name(), &alphabet, &self.propositions);
        copy_states(self, &mut builder);
        for state in self.states() {
            for (action, target) in self.transitions(state) {
                renamed[action].iter().for_each(|&new| builder.transition(state, new, target));
            }
            self.label(state).iter().for_each(|proposition| builder.label(state, proposition));
        }
        builder.build()
    }
}

enum NewNames<'a> {
    Same,
    Silent,
    These(&'a [Arc<str>]),
}

/// States, initial states, marks and names; neither labels nor transitions.
fn copy_states(from: &Lks, builder: &mut LksBuilder) {
    builder.ensure_states(from.state_count());
    from.initial().iter().for_each(|&state| builder.initial(state));
    from.end_states().iter().for_each(|&state| builder.mark(state, StateMark::End));
    from.error_states().iter().for_each(|&state| builder.mark(state, StateMark::Error));
    from.state_names.iter_enumerated().for_each(|(state, name)| builder.name_state(state, name.clone()));
}
