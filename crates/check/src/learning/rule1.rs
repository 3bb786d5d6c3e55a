//! Rule 1 of AG section 4.1: if `M1 ∥ A ⊨ P` and `M2 ⊨ A`, then `M1 ∥ M2 ⊨ P`. A is learned; its alphabet is
//! (αM1 ∪ αP) ∩ αM2 (SEEDS correction 16). For n components M2 is the composition of all but the first, and
//! the second premise is proved by the same rule (AG 4.2).
//! DIVERGENCE: the second premise is first put to engines that may do little work (`oracle::soon`). Otherwise
//! every candidate of every level would start a proof of its own below it, and their number would grow
//! exponentially with the components; most candidates are refuted there, and what is proved there needs no
//! further assumption.
//!
//! Worked example: `M1 = (a -> M1 | b -> M1)`, `M2 = (a -> b -> M2)`, property `P = (a -> b -> P)`. Is the
//! word `b` allowed? `M1` would do it and violate `P`: no. `a`: yes; `a a`: no; `a b`: yes. The learned `A`
//! alternates `a` and `b`; `M1 ∥ A` satisfies `P`, and `M2` does nothing that `A` forbids.
//!
//! Naive twin: `safety::explicit`; `bench-model agreement` compares all engines.

use super::assumption::of_automaton;
use super::guarded::Guarded;
use super::oracle::soon;
use super::property::{Found, Task, add_cost, forbidding};
use crate::stopped::Stopped;
use automata::learn::{Dfa, LearningCost, Symbol, Teacher, learn};
use base::Id;
use lks::{Component, Composition, Lks, Role};
use question::{Answer, Decided, Monitor};
use std::sync::Arc;
use verdict::LearnedAssumption;

/// Is no property of the system violated?
pub fn by_rule_1(system: &Composition, monitor: Monitor<'_>) -> Answer {
    Stopped::settle("learn1", || {
        let task = Task::of(system, "learn1", monitor)?;
        let mut cost = LearningCost::default();
        // The assumption is about the first component. It is learned over what that one shares and has states
        // like its own, so a small one comes first.
        let mut components = task.components;
        components.sort_by_key(|lks| lks.state_count() * lks.alphabet().len());
        let found = prove(&components, &task.property, &mut cost, monitor)?;
        Task::conclude(system, "learn1", 1, found, cost, monitor)
    })
}

fn prove(
    components: &[Arc<Lks>],
    property: &Arc<Lks>,
    cost: &mut LearningCost,
    monitor: Monitor<'_>,
) -> Result<Found, Stopped> {
    let (first, rest) = components.split_first().expect("there is a component");
    if rest.is_empty() {
        let alone = Guarded::new(first, Some(property), &[], monitor)?;
        return Ok(alone.violating_run(&[]).map_or(Decided::Proved(Vec::new()), Decided::Violated));
    }
    let knows = |lks: &Arc<Lks>, name: &str| lks.alphabet().find(name).is_some();
    let mut symbols: Vec<String> = first
        .alphabet()
        .visible()
        .map(|action| first.alphabet().name(action).to_owned())
        .chain(property.alphabet().visible().map(|action| property.alphabet().name(action).to_owned()))
        .filter(|name| rest.iter().any(|other| knows(other, name)))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    let guarded = Guarded::new(first, Some(property), &symbols, monitor)?;
    let mut teacher =
        Rule1 { first, rest, symbols: &symbols, guarded, inner: Vec::new(), cost: &mut *cost, monitor };
    match learn(symbols.len(), &mut teacher) {
        Ok((dfa, own)) => {
            let mut assumptions = vec![of_automaton(first.name(), &symbols, &dfa)];
            assumptions.append(&mut teacher.inner);
            add_cost(cost, own);
            Ok(Decided::Proved(assumptions))
        }
        Err(Stop::Violated(word)) => Ok(Decided::Violated(word)),
        Err(Stop::Stopped(stopped)) => Err(stopped),
    }
}

struct Rule1<'a> {
    first: &'a Arc<Lks>,
    rest: &'a [Arc<Lks>],
    symbols: &'a [String],
    guarded: Guarded,
    /// The assumptions by which the second premise was proved.
    inner: Vec<LearnedAssumption>,
    cost: &'a mut LearningCost,
    monitor: Monitor<'a>,
}

enum Stop {
    /// The property is violated by a run with these visible actions.
    Violated(Vec<String>),
    Stopped(Stopped),
}

impl From<base::Exhausted> for Stop {
    fn from(exhausted: base::Exhausted) -> Stop {
        Stop::Stopped(exhausted.into())
    }
}

impl Teacher for Rule1<'_> {
    type Stop = Stop;

    /// A word belongs to the weakest assumption iff the first component is safe in surroundings that do just
    /// it.
    fn is_member(&mut self, word: &[Symbol]) -> Result<bool, Stop> {
        self.monitor.check()?;
        Ok(!self.guarded.violates_under_word(word))
    }

    fn counterexample(&mut self, candidate: &Dfa) -> Result<Option<Vec<Symbol>>, Stop> {
        self.monitor.count("states of the assumption", candidate.accepting.len());
        self.monitor.check()?;
        if !candidate.accepting[candidate.initial()] {
            // The first component violates the property whatever the others do.
            let word = self.guarded.violating_run(&[]).expect("the empty word is not a member");
            return Err(Stop::Violated(word));
        }
        // Premise 1: M1 ∥ A ⊨ P.
        if let Some(word) = self.guarded.violation_under(candidate) {
            return Ok(Some(word));
        }
        if candidate.accepting.iter().all(|accepts| *accepts) {
            return Ok(None); // Nothing is assumed.
        }
        // Premise 2: M2 ∥ … ∥ Mn ⊨ A, by the same rule.
        let name = format!("ASSUMPTION_{}", self.first.name());
        let assumption = Arc::new(forbidding(&name, self.symbols, candidate));
        let mut parts: Vec<Component> = self.rest.iter().cloned().map(Component::process).collect();
        parts.push(Component { name: name.as_str().into(), lks: assumption.clone(), role: Role::Watcher });
        let found: Found = match soon(parts, self.monitor) {
            Some(Decided::Violated(word)) => Decided::Violated(word),
            Some(Decided::Proved(())) => Decided::Proved(Vec::new()),
            None => prove(self.rest, &assumption, self.cost, self.monitor).map_err(Stop::Stopped)?,
        };
        match found {
            Decided::Proved(inner) => {
                self.inner = inner;
                Ok(None)
            }
            Decided::Violated(others) => {
                let word: Vec<Symbol> = others
                    .iter()
                    .filter_map(|action| self.symbols.binary_search(action).ok())
                    .map(Symbol::from_index)
                    .collect();
                match self.guarded.violating_run(&word) {
                    // The others can do it and it is harmless: the assumption was too strong.
                    None => Ok(Some(word)),
                    Some(own) => Err(Stop::Violated(merged(&own, &others, self.symbols))),
                }
            }
        }
    }
}

/// One word from two that agree on the shared letters; the first may end earlier.
fn merged(own: &[String], others: &[String], shared: &[String]) -> Vec<String> {
    let is_shared = |action: &String| shared.binary_search(action).is_ok();
    let mut word = Vec::new();
    let mut rest = others.iter();
    for action in own {
        if is_shared(action) {
            // What the others do up to their part in it; they do nothing else that is shared before.
            for other in rest.by_ref() {
                if other == action {
                    break;
                }
                debug_assert!(!is_shared(other), "the words agree on shared actions");
                word.push(other.clone());
            }
        }
        word.push(action.clone());
    }
    word
}
