//! Cartesian partial-order reduction (BOOM 6.4, after Gueta, Flanagan, Yahav, Sagiv 2007): a thread runs
//! ahead as long as nothing it does touches what the others do in the stretch they run ahead themselves, and
//! then takes one step more.
//!
//! For each thread a region of places is grown, all threads by turns. A place is *inside* if its steps are
//! independent of every step in the regions of the others; from inside places the region goes on. Context
//! switches happen only after a step from a place that is not inside. Places that start or end threads, tell
//! others or enter atomic sections are never inside.
//!
//! Why nothing is lost: take a run into a failure, and the thread that is the first to finish its stretch.
//! All steps of the others before that are inside theirs, so they are independent of all it does, its last
//! step included, and it can do it all first; what is left of the run is shorter. If nobody finishes, all
//! steps are independent of each other, and the failing thread fails while it runs ahead alone. Who enters an
//! atomic section last counts with the whole section, so what the others did before can as well come after
//! it. Steps must be single edges: joined local steps would jump over places of a region.
//!
//! Worked example: two threads `l := T; l := !l; s := l;` with a local `l` and a shared `s`. The first two
//! steps of each are inside; both run ahead to `s := l`, and only there the order matters: two orders instead
//! of twenty.

use super::flat::FlatLocationId;
use super::footprint::Footprints;
use super::thread_state::{Failure, LocalId, SharedId, ThreadStates, ThreadStep, TooManyChoices};
use crate::graph::Action;
use rustc_hash::FxHashSet;

/// A region is not grown beyond so many places.
const MOST_INSIDE: usize = 24;

/// A thread's places ahead.
struct Region {
    all: Vec<FlatLocationId>,
    inside: FxHashSet<FlatLocationId>,
}

/// What a thread can do without a context switch.
#[derive(Default)]
pub(super) struct Ahead {
    pub(super) runs: Vec<ThreadStep>,
    pub(super) failure: Option<Failure>,
}

fn may_be_inside(states: &ThreadStates<'_>, location: FlatLocationId) -> bool {
    let edges = &states.flat.locations[location].edges;
    let ordinary = |action: &Action| {
        !matches!(
            action,
            Action::Async { .. }
                | Action::StartThread { .. }
                | Action::EndThread
                | Action::AtomicBegin
                | Action::AtomicEnd
        )
    };
    let stays =
        |to: Option<FlatLocationId>, action: &Action| to.is_some() || matches!(action, Action::Error { .. });
    !edges.is_empty()
        && edges.iter().all(|step| {
            let action = &states.flat.edge(step).action;
            ordinary(action) && action.passive().is_empty() && stays(step.to, action)
        })
}

fn independent(footprints: &Footprints, a: FlatLocationId, b: FlatLocationId) -> bool {
    !footprints.now[a].conflicts_with(&footprints.now[b], footprints.count)
}

/// For each thread the places from which it goes on without a context switch.
pub(super) fn regions(
    states: &ThreadStates<'_>,
    footprints: &Footprints,
    threads: &[FlatLocationId],
) -> Vec<FxHashSet<FlatLocationId>> {
    let mut regions: Vec<Region> = threads
        .iter()
        .map(|location| Region { all: vec![*location], inside: FxHashSet::default() })
        .collect();
    let mut grown = true;
    while grown {
        grown = false;
        for thread in 0..regions.len() {
            let Some((location, fresh)) = next_inside(states, footprints, &regions, thread) else { continue };
            regions[thread].inside.insert(location);
            regions[thread].all.extend(fresh);
            grown = true;
        }
    }
    regions.into_iter().map(|region| region.inside).collect()
}

/// A place that can be taken inside a thread's region, with the places that come with it.
fn next_inside(
    states: &ThreadStates<'_>,
    footprints: &Footprints,
    regions: &[Region],
    thread: usize,
) -> Option<(FlatLocationId, Vec<FlatLocationId>)> {
    let region = &regions[thread];
    if region.inside.len() >= MOST_INSIDE {
        return None;
    }
    let others =
        || regions.iter().enumerate().filter(|(other, _)| *other != thread).map(|(_, region)| region);
    for location in region.all.iter().copied() {
        if region.inside.contains(&location) || !may_be_inside(states, location) {
            continue;
        }
        if others().any(|other| other.all.iter().any(|theirs| !independent(footprints, location, *theirs))) {
            continue;
        }
        let fresh: Vec<FlatLocationId> = states.flat.locations[location]
            .edges
            .iter()
            .filter_map(|step| step.to)
            .filter(|to| !region.all.contains(to))
            .collect();
        // What comes in now must leave the others' inside places inside.
        let disturbs = |to: &FlatLocationId| {
            others().any(|other| other.inside.iter().any(|theirs| !independent(footprints, *to, *theirs)))
        };
        if !fresh.iter().any(disturbs) {
            let mut fresh = fresh;
            fresh.sort();
            fresh.dedup();
            return Some((location, fresh));
        }
    }
    None
}

/// All ways of a thread through its region and one step out of it.
pub(super) fn run_ahead(
    states: &mut ThreadStates<'_>,
    shared: SharedId,
    local: LocalId,
    inside: &FxHashSet<FlatLocationId>,
) -> Result<Ahead, TooManyChoices> {
    let mut ahead = Ahead::default();
    let mut seen: FxHashSet<(SharedId, LocalId)> = FxHashSet::default();
    let mut open: Vec<(SharedId, LocalId, ThreadStep)> = vec![(shared, local, Vec::new())];
    seen.insert((shared, local));
    while let Some((shared, local, way)) = open.pop() {
        let goes_on = inside.contains(&states.local(local).location);
        let possibilities = states.possibilities(shared, local)?;
        if let (Some(failure), None) = (&possibilities.failure, &ahead.failure) {
            let whole = [&way[..], &failure.way[..]].concat();
            ahead.failure = Some(Failure { way: whole, ..failure.clone() });
        }
        for step in &possibilities.steps {
            let longer: ThreadStep = [&way[..], &step[..]].concat();
            let last = &step[step.len() - 1];
            match last.local {
                Some(next) if goes_on => {
                    if seen.insert((last.shared, next)) {
                        open.push((last.shared, next, longer));
                    }
                }
                _ => ahead.runs.push(longer),
            }
        }
        // A thread that is stuck inside has still done what it did.
        if goes_on && possibilities.steps.is_empty() && !way.is_empty() {
            ahead.runs.push(way);
        }
    }
    Ok(ahead)
}
