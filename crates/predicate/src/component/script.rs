//! What a run of a closed component is told, and what must then happen: the steps of a counterexample with
//! the values that a solver gave it.

use super::origin::{Origin, Origins};
use super::{Component, EdgeId, InputRole};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// A step that must happen.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Where it comes from.
    pub origin: Origin,
    /// What others see of it.
    pub event: Option<Arc<str>>,
    /// Its position on the path.
    pub position: usize,
}

/// The answers to what a run asks, and the steps that must happen, in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Answers by name, each name's in order.
    pub answers: FxHashMap<String, VecDeque<u128>>,
    /// The steps.
    pub expected: Vec<Expected>,
}

impl Component {
    /// The steps of a run, told by where they come from and what others see of them.
    pub fn way_of(&self, taken: &[(Origin, Option<Arc<str>>)]) -> Option<Vec<EdgeId>> {
        let own: FxHashSet<Origin> = self.edges.iter().filter_map(|edge| edge.origin).collect();
        let taken: Vec<&(Origin, Option<Arc<str>>)> =
            taken.iter().filter(|(origin, _)| own.contains(origin)).collect();
        let mut seen: FxHashSet<(super::NodeId, usize)> = FxHashSet::default();
        let mut way: Vec<EdgeId> = Vec::new();
        // Depth first; each entry is a step to try and how long the way is before it.
        let mut open: Vec<(super::NodeId, usize, usize, Option<EdgeId>)> = vec![(self.entry, 0, 0, None)];
        while let Some((node, done, length, step)) = open.pop() {
            way.truncate(length);
            way.extend(step);
            if done == taken.len() {
                return Some(way);
            }
            if !seen.insert((node, done)) {
                continue;
            }
            for &id in self.nodes[node].out.iter().rev() {
                let edge = &self.edges[id];
                let next = match edge.origin {
                    None | Some(Origin::Entry(_)) => done,
                    Some(origin) if origin == taken[done].0 && edge.event == taken[done].1 => done + 1,
                    Some(_) => continue,
                };
                open.push((edge.to, next, way.len(), Some(id)));
            }
        }
        None
    }

    /// The script of a path; `value` gives the inputs of its steps: position on the path, number of the
    /// input.
    pub fn script(&self, path: &[EdgeId], value: &dyn Fn(usize, usize) -> u128) -> Script {
        let mut script = Script::default();
        for (position, &edge) in path.iter().enumerate() {
            self.script_step(&mut script, position, edge, value);
        }
        script
    }

    /// Adds a step.
    pub fn script_step(
        &self,
        script: &mut Script,
        position: usize,
        edge: EdgeId,
        value: &dyn Fn(usize, usize) -> u128,
    ) {
        let step = &self.edges[edge];
        let Some(origin) = step.origin else { return };
        let mut answer = |name: String, value: u128| {
            script.answers.entry(name).or_default().push_back(value);
        };
        let site = match origin {
            Origin::Entry(_) => None,
            Origin::Step(procedure, edge) => Some((procedure, edge)),
            Origin::CaseOfCall(procedure, edge, number) => {
                if self.origins.is_asked(origin) {
                    answer(Origins::way_name((procedure, edge)), u128::from(number));
                }
                Some((procedure, edge))
            }
        };
        if let (Some(site), Some(_), Origin::Step(..)) = (site, &step.event, origin) {
            answer(Origins::way_name(site), 0);
        }
        for (number, input) in step.inputs.iter().enumerate() {
            let value = value(position, number);
            match (input.role, site) {
                (InputRole::Begins(cell), _) => {
                    // Addresses are ours; a pointer without a value is taken to be null.
                    let is_pointer = self.origins.types.is_pointer(self.cells[cell].ty);
                    if let Some(name) = self.origins.begin_name(origin, cell) {
                        answer(name, if is_pointer { 0 } else { value });
                    }
                }
                (InputRole::Written(Some(_)), Some(site)) => {
                    answer(Origins::value_name(site), u128::from(value != 0));
                }
                (InputRole::Written(None), Some(site)) => answer(Origins::value_name(site), value),
                _ => {}
            }
        }
        if !matches!(origin, Origin::Entry(_)) {
            script.expected.push(Expected { origin, event: step.event.clone(), position });
        }
    }
}
