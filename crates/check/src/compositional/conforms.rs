//! Weak simulation of the system by a specification, on the minimised system: branching bisimilar systems are
//! weakly simulated by the same specifications. Actions the specification does not speak about become silent
//! before anything is joined.
//! Naive twin: `simulation` on the explored system.

use super::CompositionalSettings;
use super::node::{Keeps, visible_actions};
use super::plan::joined;
use crate::bisimulation::{Divergence, Equivalence};
use crate::simulation::{SimulationSettings, simulates};
use crate::stopped::Stopped;
use crate::weak_moves::UnknownActions;
use lks::{Composition, Lks};
use question::{Answer, Monitor, Verdict};
use std::sync::Arc;

/// Does the specification weakly simulate the system?
pub fn conforms(
    system: &Composition,
    specification: &Lks,
    settings: &SimulationSettings,
    limits: &CompositionalSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("compositional", || {
        let why = match (system.has_priority(), system.components().is_empty()) {
            (true, _) => Some("a priority is not a matter of parts"),
            (_, true) => Some("there is no process"),
            _ => None,
        };
        if let Some(why) = why {
            return Err(Stopped::cannot("compositional", why));
        }
        let is_told = |name: &str| {
            settings.unknown_actions == UnknownActions::Forbidden
                || specification.alphabet().find(name).is_some()
        };
        let names = specification.propositions();
        let keeps = Keeps {
            equivalence: Equivalence::Branching(Divergence::Ignored),
            actions: visible_actions(system, is_told),
            propositions: names.ids().map(|id| Arc::from(names.name(id))).collect(),
            termination: false,
        };
        let (root, largest) = joined(system, &keeps, limits.most_states, monitor)?;
        let mut answer = simulates(&root.reduced, specification, settings, monitor).answer;
        answer.engine = "compositional";
        if matches!(answer.verdict, Verdict::Violated(_)) {
            answer = answer.remark("states of the implementation in the tree are classes of states");
        }
        Ok(answer
            .count("states of the largest product", largest.states)
            .count("transitions of the largest product", largest.transitions))
    })
}
