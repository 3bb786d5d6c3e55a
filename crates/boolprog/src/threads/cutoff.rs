//! Cutoffs (BOOM 9) with a proof: from how many threads on nothing new is reached.
//!
//! Worked example: two threads reach the thread states R and none fails. If one more thread, in any local
//! state that R has for the same shared state, would see nothing but R after every step of another, R is
//! closed and two threads are the cutoff. Where it would see something new, two local states had to be there
//! together; that this never happens is asked of the backward engine.

use super::thread_state::{LocalId, SharedId, ThreadStates};
use super::unbounded::{
    Translation, Unbounded, UnboundedSettings, UnboundedSetup, explore_with, shown, translate,
};
use crate::cover::system::{PlaceId, System, Target};
use crate::cover::{Engine, Recheck, Settings, decide};
use crate::trace::Trace;
use base::IndexVec;
use question::{Decided, Monitor, Searched};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use verdict::{Reason, Undecided};

/// Decides by cutoff (BOOM 9; the dynamic criterion is Kaiser, Kroening, Wahl 2010): explores with 1, 2, …
/// threads until the reached thread states are closed under one more passive thread. Where the closure would
/// add a thread state, the backward engine is asked whether the two local states it needs can ever be there
/// together; if never, it is no obstacle.
pub fn check_by_cutoff(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    most_threads: usize,
    monitor: Monitor<'_>,
) -> Unbounded {
    const NAME: &str = "cutoff";
    let translation = match translate(states, setup, UnboundedSettings::new(Engine::Widening), monitor) {
        Ok(translation) => translation,
        Err(open) => return Unbounded::unanswered(open, NAME),
    };
    let mut refuted: FxHashSet<(SharedId, LocalId, LocalId)> = FxHashSet::default();
    let least = setup.roots.len().max(1);
    let mut safe_up_to = 0;
    for threads in least..=most_threads {
        monitor.count("threads", threads);
        let (bounded, found) = explore_with(states, setup, threads, monitor);
        let reached = &found.thread_states;
        let answer = |outcome: Searched<Trace>| {
            Unbounded::new(outcome, NAME, reached.len(), translation.system.transitions.len())
        };
        match found.outcome {
            Ok(Decided::Proved(())) => safe_up_to = threads,
            Ok(violated) => return Unbounded { setup: Some(bounded), ..answer(Ok(violated)) },
            Err(open) => return answer(Err(shown(open, safe_up_to))),
        }
        match closed(states, reached, &translation, &mut refuted, monitor) {
            Ok(true) => return Unbounded { cutoff: Some(threads), ..answer(Ok(Decided::Proved(()))) },
            Ok(false) => {}
            Err(open) => return answer(Err(shown(open, safe_up_to))),
        }
    }
    let reason = Reason::SizeLimit { what: "threads tried for a cutoff", limit: most_threads as u64 };
    Unbounded::unanswered(shown(Undecided::because(reason), safe_up_to), NAME)
}

/// Is the set closed under all steps, with any number of threads?
fn closed(
    states: &mut ThreadStates<'_>,
    reached: &FxHashSet<(SharedId, LocalId)>,
    translation: &Translation,
    refuted: &mut FxHashSet<(SharedId, LocalId, LocalId)>,
    monitor: Monitor<'_>,
) -> Result<bool, Undecided> {
    let mut by_shared: BTreeMap<SharedId, Vec<LocalId>> = BTreeMap::new();
    for (shared, local) in reached {
        by_shared.entry(*shared).or_default().push(*local);
    }
    for (shared, locals) in &mut by_shared {
        locals.sort();
        for local in locals.iter() {
            let possibilities = states.possibilities(*shared, *local)?;
            for step in &possibilities.steps {
                let (first, last) = (&step[0], &step[step.len() - 1]);
                let own = last.local.into_iter().chain(first.started);
                // A start that found no room is not closed yet.
                if own.into_iter().any(|next| !reached.contains(&(last.shared, next))) {
                    return Ok(false);
                }
                let broadcast = step.iter().find_map(|micro| micro.broadcast);
                for passive in locals.iter() {
                    let is_reached = match broadcast {
                        None => reached.contains(&(last.shared, *passive)),
                        Some(broadcast) => {
                            let told = states.told(broadcast, *passive)?;
                            told.iter().all(|local| reached.contains(&(last.shared, *local)))
                        }
                    };
                    if is_reached || refuted.contains(&(*shared, *local, *passive)) {
                        continue;
                    }
                    if can_be_together(translation, *shared, *local, *passive, monitor)? {
                        return Ok(false);
                    }
                    refuted.insert((*shared, *local, *passive));
                }
            }
        }
    }
    Ok(true)
}

fn can_be_together(
    translation: &Translation,
    shared: SharedId,
    first: LocalId,
    second: LocalId,
    monitor: Monitor<'_>,
) -> Result<bool, Undecided> {
    let places = (translation.places.get(&first), translation.places.get(&second));
    let (Some(control), (Some(a), Some(b))) = (translation.controls.get(&shared), places) else {
        return Ok(false);
    };
    let mut wanted: BTreeMap<PlaceId, u32> = BTreeMap::new();
    [a, b].into_iter().for_each(|place| *wanted.entry(*place).or_insert(0) += 1);
    let mut targets = IndexVec::new();
    targets.push(Target { control: *control, at_least: wanted.into_iter().collect(), at_most: Vec::new() });
    let system = System { targets, ..translation.system.clone() };
    let asked = Settings { engine: Engine::Widening, recheck: Recheck::Small };
    match decide(&system, asked, monitor).found {
        Ok(decided) => Ok(matches!(decided, Decided::Violated(_))),
        Err(open) => Err(Undecided::because(open.reason)),
    }
}
