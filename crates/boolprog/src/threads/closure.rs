//! The thread states that any number of threads may reach, by a closure that ignores numbers: whatever can be
//! in a shared state may still be there after anybody's step from it. That contains every reachable thread
//! state.

use super::thread_state::{LocalId, Possibilities, SharedId, ThreadStates};
use question::Monitor;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict::{Reason, Undecided};

/// Thread states that any number of threads may reach, by shared state.
pub struct Closure {
    /// Which local states may be there in which shared state.
    pub present: BTreeMap<SharedId, Vec<LocalId>>,
    /// What a thread can do from each of them.
    pub steps: BTreeMap<(SharedId, LocalId), Arc<Possibilities>>,
}

#[derive(Default)]
struct Closing {
    present: BTreeMap<SharedId, Vec<LocalId>>,
    known: FxHashSet<(SharedId, LocalId)>,
    /// Shared states that a step leads to, by the one it starts from.
    flows: FxHashMap<SharedId, FxHashSet<SharedId>>,
    waiting: Vec<(SharedId, LocalId)>,
}

impl Closing {
    fn add(&mut self, shared: SharedId, local: LocalId) {
        if self.known.insert((shared, local)) {
            self.present.entry(shared).or_default().push(local);
            self.waiting.push((shared, local));
        }
    }

    fn flow(&mut self, from: SharedId, to: SharedId) {
        if from != to && self.flows.entry(from).or_default().insert(to) {
            for local in self.present.get(&from).cloned().unwrap_or_default() {
                self.add(to, local);
            }
        }
    }
}

fn too_large(limit: usize) -> Undecided {
    let reason = Reason::SizeLimit { what: "thread states", limit: limit as u64 };
    Undecided::because(reason).try_next("bound the number of threads with --threads N")
}

/// The closure of the first thread states. Afterwards no step of any of them is outdated.
pub fn closure(
    states: &mut ThreadStates<'_>,
    first: &[(SharedId, LocalId)],
    most_thread_states: usize,
    monitor: Monitor<'_>,
) -> Result<Closure, Undecided> {
    let mut closing = Closing::default();
    first.iter().for_each(|(shared, local)| closing.add(*shared, *local));
    let mut steps: BTreeMap<(SharedId, LocalId), Arc<Possibilities>> = BTreeMap::new();
    let mut asked = 0_usize;
    while let Some((shared, local)) = closing.waiting.pop() {
        if asked.is_multiple_of(64) {
            monitor.count("thread states", closing.known.len());
            monitor.check()?;
        }
        asked += 1;
        if closing.known.len() > most_thread_states {
            return Err(too_large(most_thread_states));
        }
        for to in closing.flows.get(&shared).cloned().unwrap_or_default() {
            closing.add(to, local);
        }
        let possibilities = states.possibilities(shared, local)?;
        for step in &possibilities.steps {
            let (first, last) = (&step[0], &step[step.len() - 1]);
            closing.flow(shared, last.shared);
            last.local.into_iter().chain(first.started).for_each(|local| closing.add(last.shared, local));
        }
        steps.insert((shared, local), possibilities);
        closing.waiting.extend(states.take_outdated());
    }
    Ok(Closure { present: closing.present, steps })
}
