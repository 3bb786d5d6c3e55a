//! Sets of action names as hiding, priority and relabelling use them: a name also stands for all that it is a prefix
//! of, `a` for `a.1` and `a.b`. After LTSA.

use super::value::Environment;
use crate::syntax::Relabel;
use base::Diagnostic;
use indexmap::IndexSet;
use lks::{Alphabet, Lks, Relabelling};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// Names that a composition keeps to itself end with this and a number: no specification can write it.
pub(crate) const PRIVATE_MARK: char = '%';

/// Is it the name of an action that was hidden inside a part of a composition?
pub(crate) fn is_private(name: &str) -> bool {
    name.contains(PRIVATE_MARK)
}

/// The prefixes of a name at its dots, the longest (the name itself) first.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rfind('.').map(|dot| &name[..dot]))
}

/// A set of names and all that they are prefixes of.
#[derive(Clone, Debug, Default)]
pub struct NameSet {
    names: FxHashSet<Arc<str>>,
}

impl NameSet {
    /// The set of these.
    pub fn new(names: impl IntoIterator<Item = Arc<str>>) -> NameSet {
        NameSet { names: names.into_iter().collect() }
    }

    /// Is the name, or a prefix of it, in the set?
    pub fn contains(&self, name: &str) -> bool {
        !self.names.is_empty() && prefixes(name).any(|prefix| self.names.contains(prefix))
    }

    /// The names of the set that stand for none of these actions.
    pub(crate) fn idle(&self, actions: &[Arc<str>]) -> Vec<Arc<str>> {
        standing_for_nothing(self.names.iter(), actions)
    }
}

/// The visible actions of a structure.
pub(crate) fn names_of(lks: &Lks) -> Vec<Arc<str>> {
    lks.alphabet().visible().map(|action| lks.alphabet().shared_name(action)).collect()
}

/// Those of the names that neither are one of the actions nor a prefix of one; sorted.
fn standing_for_nothing<'n>(
    names: impl Iterator<Item = &'n Arc<str>>,
    actions: &[Arc<str>],
) -> Vec<Arc<str>> {
    let known: FxHashSet<&str> = actions.iter().flat_map(|action| prefixes(action)).collect();
    let mut idle: Vec<Arc<str>> = names.filter(|name| !known.contains(&***name)).cloned().collect();
    idle.sort_unstable();
    idle
}

/// Old names (or prefixes) with their new ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renaming {
    new_names: FxHashMap<Arc<str>, IndexSet<Arc<str>, FxBuildHasher>>,
}

impl Renaming {
    pub fn evaluate(relabels: &[Relabel], environment: &mut Environment<'_>) -> Result<Renaming, Diagnostic> {
        let mut renaming = Renaming::default();
        renaming.collect(relabels, environment)?;
        Ok(renaming)
    }

    fn collect(&mut self, relabels: &[Relabel], environment: &mut Environment<'_>) -> Result<(), Diagnostic> {
        for relabel in relabels {
            match relabel {
                Relabel::ForAll(indices, inner) => {
                    environment
                        .for_each_index(indices, &mut |environment, _| self.collect(inner, environment))?;
                }
                // Variables of the new name are known in the old one.
                Relabel::Rename { new, old } => {
                    environment.for_each_label(new, &mut |environment, new| {
                        let new: Arc<str> = Arc::from(new);
                        environment.for_each_label(old, &mut |_, old| {
                            self.new_names.entry(Arc::from(old)).or_default().insert(new.clone());
                            Ok(())
                        })
                    })?
                }
            }
        }
        Ok(())
    }

    /// The new names of one action: those of the longest prefix that has some.
    fn of(&self, name: &str) -> Option<Vec<Arc<str>>> {
        if is_private(name) {
            return None;
        }
        let (prefix, names) =
            prefixes(name).find_map(|prefix| Some((prefix, self.new_names.get(prefix)?)))?;
        let rest = &name[prefix.len()..];
        Some(names.iter().map(|new| Arc::from(format!("{new}{rest}"))).collect())
    }

    /// The old names that stand for none of these actions.
    pub fn idle(&self, actions: &[Arc<str>]) -> Vec<Arc<str>> {
        standing_for_nothing(self.new_names.keys(), actions)
    }

    /// What it does to the actions of an alphabet.
    pub fn on(&self, alphabet: &Alphabet) -> Relabelling {
        let mut relabelling = Relabelling::new();
        for action in alphabet.visible() {
            let name = alphabet.name(action);
            for new in self.of(name).into_iter().flatten() {
                relabelling.add(name, new);
            }
        }
        relabelling
    }

    /// Do two of these actions get the same name? Then components that did not synchronise would.
    pub fn joins_any<'n>(&self, names: impl Iterator<Item = &'n str>) -> bool {
        let mut taken = FxHashSet::default();
        let mut known = FxHashSet::default();
        names.filter(|name| known.insert(*name)).any(|name| {
            let new = self.of(name).unwrap_or_else(|| vec![Arc::from(name)]);
            new.into_iter().any(|new| !taken.insert(new))
        })
    }
}

/// Every action gets the prefix.
pub(crate) fn prefixing(alphabet: &Alphabet, prefix: &str) -> Relabelling {
    sharing(alphabet, &[Arc::from(prefix)])
}

/// Every action exists once per prefix.
pub(crate) fn sharing(alphabet: &Alphabet, prefixes: &[Arc<str>]) -> Relabelling {
    let mut relabelling = Relabelling::new();
    for name in alphabet.visible().map(|action| alphabet.name(action)).filter(|name| !is_private(name)) {
        for prefix in prefixes {
            relabelling.add(name, format!("{prefix}.{name}"));
        }
    }
    relabelling
}
