//! Rule 2 of AG section 4.1, for n components: if `Mi ∥ Ai ⊨ P` for each i and `co-A1 ∥ … ∥ co-An ⊨ P`, then
//! `M1 ∥ … ∥ Mn ⊨ P`. All assumptions are learned, each over what its component shares with others, and αP.
//! The last premise is about the complements (SEEDS correction 16); their product is what makes the rule dear
//! for many components (AG 4.2).
//! DIVERGENCE: AG gives all assumptions one alphabet. Smaller ones are sound too: a trace of the system that
//! violates P is, projected on αAi, in co-Ai for each i by premise i, so it is a trace of the product of the
//! complements. The product is not built but put to the other engines (`oracle`); what it allows wrongly
//! teaches every component that is wrong.
//! DIVERGENCE: many such lessons can be given by the component alone: words its assumption forbids without
//! need. Some are given at the beginning, and after each round twice as many as before. So the last premise
//! is asked few times, instead of once per state learned, and mostly of assumptions that forbid little: the
//! others' complements have far larger products.
//!
//! Worked example: as in `rule1`, A1 alternates `a` and `b`. `M2` satisfies `P` whatever the others do, so A2
//! allows every word and its complement none. What is in both complements is nothing, which satisfies `P`.
//!
//! Naive twin: `safety::explicit`; `bench-model agreement` compares all engines.

use super::assumption::of_automaton;
use super::guarded::Guarded;
use super::oracle::decided;
use super::property::{Found, Task, add_cost};
use crate::stopped::Stopped;
use automata::learn::{Dfa, DfaState, Learner, LearningCost, Symbol, Teacher};
use base::{Exhausted, Id, IndexVec};
use lks::{ActionId, Component, Composition, Lks, LksBuilder, Role, StateId, StateMark};
use question::{Answer, Decided, Monitor};
use std::collections::{BTreeSet, VecDeque};

/// So many needless demands are taken back before the assumptions are put together.
const FIRST_LESSONS: usize = 100;

/// Is no property of the system violated?
pub fn by_rule_2(system: &Composition, monitor: Monitor<'_>) -> Answer {
    Stopped::settle("learn2", || {
        let task = Task::of(system, "learn2", monitor)?;
        let mut cost = LearningCost::default();
        let found = prove(&task, &mut cost, monitor)?;
        Task::conclude(system, "learn2", 2, found, cost, monitor)
    })
}

struct ComponentLearner<'a> {
    /// The letters of its assumption; sorted.
    symbols: Vec<String>,
    guarded: Guarded,
    learner: Learner,
    /// How many lessons are given at a time.
    lessons: usize,
    monitor: Monitor<'a>,
}

/// Answers for one component: a word is allowed if the component is safe in surroundings that do just it.
struct Membership<'a>(&'a Guarded, Monitor<'a>);

impl Teacher for Membership<'_> {
    type Stop = Exhausted;

    fn is_member(&mut self, word: &[Symbol]) -> Result<bool, Exhausted> {
        self.1.check()?;
        Ok(!self.0.violates_under_word(word))
    }

    fn counterexample(&mut self, candidate: &Dfa) -> Result<Option<Vec<Symbol>>, Exhausted> {
        self.1.count("states of the assumption", candidate.accepting.len());
        // Premise i: Mi ∥ Ai ⊨ P.
        Ok(self.0.violation_under(candidate))
    }
}

impl ComponentLearner<'_> {
    /// What the component sees of a word.
    fn projected(&self, word: &[String]) -> Vec<Symbol> {
        word.iter().filter_map(|name| self.symbols.binary_search(name).ok()).map(Symbol::from_index).collect()
    }

    fn refine(&mut self, candidate: &Dfa, word: &[Symbol]) -> Result<(), Exhausted> {
        self.learner.refine(&mut Membership(&self.guarded, self.monitor), candidate, word)
    }

    /// Learns what the assumption forbids without need, as far as the lessons go.
    fn relax(&mut self, candidate: &mut Dfa) -> Result<(), Exhausted> {
        for _ in 0..self.lessons {
            let Some(word) = self.guarded.needlessly_forbidden(candidate) else { break };
            self.refine(candidate, &word)?;
            *candidate = self.settle()?;
        }
        self.lessons *= 2;
        Ok(())
    }

    /// Learns until the premise about this component holds.
    fn settle(&mut self) -> Result<Dfa, Exhausted> {
        let mut teacher = Membership(&self.guarded, self.monitor);
        loop {
            let candidate = self.learner.conjecture(&mut teacher)?;
            match teacher.counterexample(&candidate)? {
                None => return Ok(candidate),
                Some(word) => self.learner.refine(&mut teacher, &candidate, &word)?,
            }
        }
    }
}

fn prove(task: &Task, cost: &mut LearningCost, monitor: Monitor<'_>) -> Result<Found, Stopped> {
    let mut parts = Vec::new();
    for (index, component) in task.components.iter().enumerate() {
        let symbols = alphabet(task, index);
        let guarded = Guarded::new(component, Some(&task.property), &symbols, monitor)?;
        let learner = Learner::new(symbols.len());
        parts.push(ComponentLearner { symbols, guarded, learner, lessons: FIRST_LESSONS, monitor });
    }
    let mut candidates = Vec::new();
    for part in &mut parts {
        let mut candidate = part.settle()?;
        part.relax(&mut candidate)?;
        candidates.push(candidate);
    }
    let found = loop {
        monitor.check()?;
        // The last premise: a word that no assumption allows must satisfy the property.
        let word = match decided(complements(&parts, &candidates, &task.property), monitor)? {
            Decided::Proved(()) => {
                let all = task.components.iter().zip(&parts).zip(&candidates);
                let assumptions =
                    all.map(|((component, part), dfa)| of_automaton(component.name(), &part.symbols, dfa));
                break Decided::Proved(assumptions.collect());
            }
            Decided::Violated(mut word) => {
                let last = word.pop();
                debug_assert_eq!(last.as_deref(), Some(ALL_ARE_THERE));
                word
            }
        };
        // AG 4.1, steps 1 and 2: a component that is safe under the word has too strong an assumption.
        let mut is_wrong = false;
        for (part, candidate) in parts.iter_mut().zip(&mut candidates) {
            let own = part.projected(&word);
            if !part.guarded.violates_under_word(&own) {
                is_wrong = true;
                part.refine(candidate, &own)?;
                *candidate = part.settle()?;
                part.relax(candidate)?;
            }
        }
        if !is_wrong {
            // Step 3: all can do it.
            let run = |part: &ComponentLearner<'_>| {
                part.guarded.violating_run(&part.projected(&word)).expect("it violates")
            };
            let runs: Vec<Vec<String>> = parts.iter().map(run).collect();
            let shared: BTreeSet<&String> = parts.iter().flat_map(|part| &part.symbols).collect();
            break Decided::Violated(joined(&word, &runs, &shared));
        }
    };
    parts.iter().for_each(|part| add_cost(cost, part.learner.cost));
    Ok(found)
}

/// What the component shares with others, and the actions of the property; sorted.
fn alphabet(task: &Task, own: usize) -> Vec<String> {
    let names = |lks: &Lks| -> Vec<String> {
        lks.alphabet().visible().map(|action| lks.alphabet().name(action).to_owned()).collect()
    };
    let is_shared = |name: &String| {
        let others = task.components.iter().enumerate().filter(|(index, _)| *index != own);
        others.into_iter().any(|(_, other)| other.alphabet().find(name).is_some())
    };
    let mut symbols: Vec<String> =
        names(&task.components[own]).into_iter().filter(is_shared).chain(names(&task.property)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// Possible once every assumption has rejected the word so far and the property forbids it. No specification
/// can write it.
const ALL_ARE_THERE: &str = "(no assumption allows this)";

/// A system in which `ALL_ARE_THERE` happens iff some word is rejected by all candidates and forbidden by the
/// property, and is an ERROR.
fn complements(parts: &[ComponentLearner<'_>], candidates: &[Dfa], property: &Lks) -> Vec<Component> {
    let mut system: Vec<Component> = parts
        .iter()
        .zip(candidates)
        .map(|(part, candidate)| Component::process(complement(&part.symbols, candidate)))
        .collect();
    system.push(Component::process(forbidden(property)));
    let mut builder = LksBuilder::new("LAST_PREMISE");
    let (begin, error) = (builder.state(), builder.state());
    builder.initial(begin);
    let there = builder.action(ALL_ARE_THERE);
    builder.transition(begin, there, error);
    builder.mark(error, StateMark::Error);
    system.push(Component { role: Role::Watcher, ..Component::process(builder.build()) });
    system
}

/// The words that a candidate rejects, and their beginnings. Once rejected, a word stays so: so the teacher
/// answers, and the table asks for every letter after every state.
fn complement(symbols: &[String], candidate: &Dfa) -> Lks {
    // States from which nothing is rejected any more are left out.
    let mut can_reject: IndexVec<DfaState, bool> =
        candidate.accepting.iter().map(|accepts| !accepts).collect();
    loop {
        let more: Vec<DfaState> = can_reject
            .ids()
            .filter(|state| !can_reject[*state] && candidate.next[*state].iter().any(|to| can_reject[*to]))
            .collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|state| can_reject[state] = true);
    }
    let mut builder = LksBuilder::new("COMPLEMENT");
    let actions: Vec<ActionId> = symbols.iter().map(|symbol| builder.action(symbol)).collect();
    let there = builder.action(ALL_ARE_THERE);
    builder.ensure_states(candidate.next.len());
    let state = |of: DfaState| StateId::from_index(of.index());
    builder.initial(state(candidate.initial()));
    for (from, targets) in candidate.next.iter_enumerated() {
        let accepts = candidate.accepting[from];
        if !accepts {
            builder.transition(state(from), there, state(from));
        }
        for (action, to) in actions.iter().zip(targets) {
            debug_assert!(accepts || !candidate.accepting[*to], "rejected words stay rejected");
            if can_reject[*to] {
                builder.transition(state(from), *action, state(*to));
            }
        }
    }
    builder.build().reachable()
}

/// The property as a process that goes on after a violation, and says so.
fn forbidden(property: &Lks) -> Lks {
    let mut builder = LksBuilder::with_names("FORBIDDEN", property.alphabet(), property.propositions());
    let there = builder.action(ALL_ARE_THERE);
    builder.ensure_states(property.state_count());
    property.initial().iter().for_each(|state| builder.initial(*state));
    for state in property.states() {
        // A property that knows an action but refuses it blocks it. Once forbidden, a word stays so.
        if property.mark(state) == StateMark::Error {
            builder.transition(state, there, state);
            property.alphabet().visible().for_each(|action| builder.transition(state, action, state));
        } else {
            property.transitions(state).for_each(|(action, to)| builder.transition(state, action, to));
        }
    }
    builder.build()
}

/// One word from the shared one and each component's own run under it. A run may end before the shared word
/// does: the property is violated by then.
fn joined(shared_word: &[String], runs: &[Vec<String>], shared: &BTreeSet<&String>) -> Vec<String> {
    let is_shared = |action: &String| shared.contains(action);
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
    for name in shared_word {
        word.extend(take_own(&mut rests));
        if rests.iter().all(VecDeque::is_empty) {
            return word;
        }
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
