//! The thread states that any number of threads may reach, by a closure that ignores numbers: whatever can be
//! in a shared state may still be there after anybody's step from it, or what a broadcast makes of it. That
//! contains every reachable thread state.

use super::broadcast::BroadcastId;
use super::thread_state::{LocalId, Possibilities, SharedId, ThreadStates, TooManyChoices};
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

/// To this shared state, with this broadcast.
type Flow = (SharedId, Option<BroadcastId>);

#[derive(Default)]
struct Closing {
    present: BTreeMap<SharedId, Vec<LocalId>>,
    known: FxHashSet<(SharedId, LocalId)>,
    /// Shared states that a step leads to, by the one it starts from, with what it does to the others.
    flows: FxHashMap<SharedId, FxHashSet<Flow>>,
    waiting: Vec<(SharedId, LocalId)>,
}

impl Closing {
    fn add(&mut self, shared: SharedId, local: LocalId) {
        if self.known.insert((shared, local)) {
            self.present.entry(shared).or_default().push(local);
            self.waiting.push((shared, local));
        }
    }

    fn flow(
        &mut self,
        states: &mut ThreadStates<'_>,
        from: SharedId,
        (to, broadcast): Flow,
    ) -> Result<(), TooManyChoices> {
        let stays = from == to && broadcast.is_none();
        if !stays && self.flows.entry(from).or_default().insert((to, broadcast)) {
            for local in self.present.get(&from).cloned().unwrap_or_default() {
                self.pass_on(states, local, (to, broadcast))?;
            }
        }
        Ok(())
    }

    /// A passive thread goes along.
    fn pass_on(
        &mut self,
        states: &mut ThreadStates<'_>,
        local: LocalId,
        (to, broadcast): Flow,
    ) -> Result<(), TooManyChoices> {
        match broadcast {
            None => self.add(to, local),
            Some(broadcast) => states.told(broadcast, local)?.iter().for_each(|local| self.add(to, *local)),
        }
        Ok(())
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
        for flow in closing.flows.get(&shared).cloned().unwrap_or_default() {
            closing.pass_on(states, local, flow)?;
        }
        let possibilities = states.possibilities(shared, local)?;
        for step in &possibilities.steps {
            let (first, last) = (&step[0], &step[step.len() - 1]);
            let broadcast = step.iter().find_map(|micro| micro.broadcast);
            closing.flow(states, shared, (last.shared, broadcast))?;
            last.local.into_iter().chain(first.started).for_each(|local| closing.add(last.shared, local));
        }
        steps.insert((shared, local), possibilities);
        closing.waiting.extend(states.take_outdated());
    }
    Ok(Closure { present: closing.present, steps })
}
