//! State/event formulas on the minimised system. What a formula cannot tell apart may be put together: if it
//! is blind to silent steps (`temporal::silence`), branching bisimulation that keeps divergence preserves it,
//! otherwise strong bisimulation does. Actions the formula does not name count as silent either way, unless
//! it names silence itself. A violating run of the small system is lifted to the components; the cycle is
//! repeated until the components repeat as well.
//! Naive twin: `temporal::holds` on the system itself.

use super::node::{Keeps, visible_actions};
use super::plan::joined;
use super::{CompositionalSettings, Node, on_system};
use crate::bisimulation::{Divergence, Equivalence};
use crate::stopped::Stopped;
use crate::temporal::{self, TemporalSettings, ViolatingRun, is_blind_to_silence};
use lks::{ActionId, Composition, Lks, StateId, StateMark, SystemState};
use question::{Answer, Monitor, Verdict};
use rustc_hash::FxHashMap;
use spec::{Atom, Formula};

/// Past this many rounds of a cycle the components are not expected to repeat soon.
const MOST_ROUNDS: usize = 256;

/// Does every maximal path of the system satisfy the formula?
pub fn holds(
    system: &Composition,
    formula: &Formula,
    settings: &TemporalSettings,
    limits: &CompositionalSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("compositional", || {
        let cannot = |why: &str| Stopped::cannot("compositional", why);
        if system.has_priority() {
            return Err(cannot("a priority is not a matter of parts"));
        }
        if system.components().is_empty() {
            return Err(cannot("there is no process"));
        }
        if !settings.fairness.is_none() {
            return Err(cannot("fairness asks what is possible in states that are put together"));
        }
        let (root, largest) = joined(system, &kept_for(system, formula), limits.most_states, monitor)?;
        let (found, mut answer) = temporal::violating_run(&root.reduced, formula, settings, monitor)?;
        if let Some(found) = found {
            answer.verdict = match lifted(system, &root, &found) {
                Some(run) => temporal::counterexample(system, formula, &run).into(),
                // The components take too long to repeat: the run is found on the system itself.
                None => match temporal::holds(system, formula, settings, monitor).verdict {
                    Verdict::Holds(_) => unreachable!("a system equivalent to this one violates the formula"),
                    verdict => verdict,
                },
            };
        }
        Ok(answer
            .count("states of the largest product", largest.states)
            .count("transitions of the largest product", largest.transitions))
    })
}

fn kept_for(system: &Composition, formula: &Formula) -> Keeps {
    let atoms = formula.atoms();
    let names_silence =
        atoms.iter().any(|atom| matches!(atom, Atom::Event(name) if **name == *lks::Alphabet::TAU_NAME));
    let is_named =
        |name: &str| atoms.iter().any(|atom| matches!(atom, Atom::Event(event) if **event == *name));
    let actions = visible_actions(system, |name| names_silence || is_named(name));
    let propositions = atoms
        .iter()
        .filter_map(|atom| match atom {
            Atom::Proposition(name) => Some(name.clone()),
            Atom::Event(_) => None,
        })
        .collect();
    let equivalence = match is_blind_to_silence(formula) {
        true => Equivalence::Branching(Divergence::Kept),
        false => Equivalence::Strong,
    };
    Keeps { equivalence, actions, propositions, termination: false }
}

/// The run of the components behind a run of the small system; `None` if they do not repeat soon.
fn lifted(system: &Composition, root: &Node, found: &ViolatingRun<Lks>) -> Option<ViolatingRun<Composition>> {
    if found.cycle.is_empty() {
        let last = found.stem.last().map_or(found.start, |(_, state)| *state);
        // After ERROR nobody moves; otherwise the run goes on until nobody can.
        let events = root.lift(found.start, &found.stem, root.reduced.mark(last) != StateMark::Error);
        let (start, stem) = on_system(system, root, found.start, &events);
        return Some(ViolatingRun { start, stem, cycle: Vec::new() });
    }
    let mut rounds = 1;
    while rounds <= MOST_ROUNDS {
        let mut steps: Vec<(ActionId, StateId)> = found.stem.clone();
        (0..rounds).for_each(|_| steps.extend(&found.cycle));
        let (segments, _) = root.segments(found.start, &steps, false);
        // How many steps of the system there are when each round begins.
        let mut begins = Vec::new();
        let mut events = Vec::new();
        for (index, segment) in segments.into_iter().enumerate() {
            if index >= found.stem.len() && (index - found.stem.len()).is_multiple_of(found.cycle.len()) {
                begins.push(events.len());
            }
            events.extend(segment);
        }
        begins.push(events.len());
        let (start, run) = on_system(system, root, found.start, &events);
        let mut seen: FxHashMap<&SystemState, usize> = FxHashMap::default();
        for begin in begins {
            let state = if begin == 0 { &start } else { &run[begin - 1].1 };
            if let Some(first) = seen.insert(state, begin) {
                let (stem, cycle) = (run[..first].to_vec(), run[first..begin].to_vec());
                return Some(ViolatingRun { start, stem, cycle });
            }
        }
        rounds *= 4;
    }
    None
}
