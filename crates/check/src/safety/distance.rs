//! How far a state seems from what is looked for: a guess that leads a search, never an argument.

use super::SafetyQuestion;
use base::IndexVec;
use lks::composition::ComponentId;
use lks::{Composition, StateId, SystemState};
use std::collections::VecDeque;

/// For each component and state the fewest steps of that component alone into ERROR, if there are any.
pub(super) struct Distances {
    question: SafetyQuestion,
    to_error: IndexVec<ComponentId, IndexVec<StateId, Option<u32>>>,
}

impl Distances {
    pub fn new(system: &Composition, question: SafetyQuestion) -> Distances {
        let to_error = system
            .components()
            .iter()
            .map(|component| {
                let lks = &component.lks;
                let mut sources: IndexVec<StateId, Vec<StateId>> =
                    IndexVec::filled(Vec::new(), lks.state_count());
                for state in lks.states() {
                    lks.targets(state).iter().for_each(|target| sources[*target].push(state));
                }
                let mut distance: IndexVec<StateId, Option<u32>> = IndexVec::filled(None, lks.state_count());
                let mut queue: VecDeque<StateId> = lks.error_states().iter().copied().collect();
                queue.iter().for_each(|state| distance[*state] = Some(0));
                while let Some(state) = queue.pop_front() {
                    let further = distance[state].map(|known| known + 1);
                    for source in &sources[state] {
                        if distance[*source].is_none() {
                            distance[*source] = further;
                            queue.push_back(*source);
                        }
                    }
                }
                distance
            })
            .collect();
        Distances { question, to_error }
    }

    /// Smaller is more promising: few steps of some property to ERROR, then few possible steps.
    pub fn of(&self, system: &Composition, state: &SystemState, possible_steps: usize) -> (u32, u32) {
        let nearest = self
            .to_error
            .iter_enumerated()
            .filter_map(|(id, distances)| distances[system.component_state(state, id)])
            .min()
            .unwrap_or(u32::MAX);
        let steps = u32::try_from(possible_steps).unwrap_or(u32::MAX);
        if self.question.asks_for_error() { (nearest, steps) } else { (steps, nearest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lks::{Component, LksBuilder, StateMark};

    #[test]
    fn distance_counts_a_components_own_steps_to_error() {
        let mut builder = LksBuilder::new("P");
        let action = builder.action("a");
        let states: Vec<StateId> = (0..4).map(|_| builder.state()).collect();
        builder.initial(states[0]);
        states.windows(2).for_each(|pair| builder.transition(pair[0], action, pair[1]));
        builder.mark(states[3], StateMark::Error);
        let system = Composition::new(vec![Component::process(builder.build())]);
        let distances = Distances::new(&system, SafetyQuestion::Error);
        let found: Vec<u32> =
            states.iter().map(|s| distances.of(&system, &system.state_of(&[*s]), 1).0).collect();
        assert_eq!(found, [3, 2, 1, 0]);
    }
}
