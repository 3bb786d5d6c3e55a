//! What all rules share: the components, one deterministic property, and the way back to a run of the system.

use crate::safety::SafetyQuestion;
use crate::safety::replay::{confirmed, run_of_word};
use crate::stopped::Stopped;
use automata::learn::LearningCost;
use lks::{Component, Composition, Lks, LksBuilder, Role, StateId, StateMark, explore_telling};
use question::{Answer, Decided, Monitor, Verdict};
use std::sync::Arc;
use verdict::{Certificate, LearnedAssumption};

/// A safety question in the shape the rules need.
pub(super) struct Task {
    pub components: Vec<Arc<Lks>>,
    /// Deterministic, without silent steps; reaches ERROR on exactly the forbidden traces over its alphabet.
    pub property: Arc<Lks>,
}

/// What a rule found: the assumptions by which it holds, or the visible actions of a run that violates the
/// property.
pub(super) type Found = Decided<Vec<LearnedAssumption>, Vec<String>>;

impl Task {
    pub fn of(system: &Composition, engine: &'static str, monitor: Monitor<'_>) -> Result<Task, Stopped> {
        let cannot = |why: &str| Err(Stopped::cannot(engine, why));
        if system.has_priority() {
            return cannot("a priority is not a matter of components alone");
        }
        let parts = |role: Role| system.components().iter().filter(move |part| part.role == role);
        if parts(Role::Process).any(|part| !part.lks.error_states().is_empty()) {
            return cannot("a component has an ERROR state of its own; only properties may");
        }
        let watchers: Vec<Component> = parts(Role::Watcher).cloned().collect();
        if watchers.is_empty() {
            return cannot("there is no property to prove");
        }
        let components: Vec<Arc<Lks>> = parts(Role::Process).map(|part| part.lks.clone()).collect();
        if components.is_empty() {
            return cannot("there are no components");
        }
        let all = explore_telling(&Composition::new(watchers), "PROPERTY", monitor.budget, monitor.events)
            .map_err(|unfinished| Stopped::from(unfinished.limit))?;
        Ok(Task { components, property: Arc::new(all.lks.determinise(monitor.budget)?) })
    }

    /// The answer of a rule, with the violation shown on the system itself.
    pub fn conclude(
        system: &Composition,
        engine: &'static str,
        rule: u8,
        found: Found,
        cost: LearningCost,
        monitor: Monitor<'_>,
    ) -> Result<Answer, Stopped> {
        let verdict = match found {
            Decided::Proved(assumptions) => {
                let count = assumptions.iter().map(|assumption| assumption.transitions.len()).sum();
                let answer =
                    Answer::by(engine, Verdict::Holds(Certificate::AssumeGuarantee { rule, assumptions }))
                        .count("assumption transitions", count);
                return Ok(with_cost(answer, cost));
            }
            Decided::Violated(word) => {
                let run = run_of_word(system, SafetyQuestion::Error, &word, monitor.budget)?;
                let (start, steps) =
                    run.expect("components that agree on a word can do it together (AG Prop. 2)");
                confirmed(system, SafetyQuestion::Error, &start, &steps).expect("the word ends in ERROR")
            }
        };
        Ok(with_cost(Answer::by(engine, verdict), cost))
    }
}

fn with_cost(answer: Answer, cost: LearningCost) -> Answer {
    answer
        .count("membership queries", cost.membership_queries as usize)
        .count("candidate assumptions", cost.candidates as usize)
}

/// Adds what one learner took to what others did.
pub(super) fn add_cost(total: &mut LearningCost, more: LearningCost) {
    total.membership_queries += more.membership_queries;
    total.candidates += more.candidates;
}

/// The property "only these words", from the states of a deterministic automaton: forbidden ones become
/// ERROR.
pub(super) fn forbidding(name: &str, symbols: &[String], dfa: &automata::learn::Dfa) -> Lks {
    use base::Id;
    let mut builder = LksBuilder::new(name);
    let actions: Vec<_> = symbols.iter().map(|symbol| builder.action(symbol)).collect();
    builder.ensure_states(dfa.next.len());
    let state = |of: automata::learn::DfaState| StateId::from_index(of.index());
    builder.initial(state(dfa.initial()));
    for (from, targets) in dfa.next.iter_enumerated() {
        if !dfa.accepting[from] {
            builder.mark(state(from), StateMark::Error);
        }
        for (symbol, to) in targets.iter().enumerate() {
            builder.transition(state(from), actions[symbol], state(*to));
        }
    }
    builder.build().reachable()
}
