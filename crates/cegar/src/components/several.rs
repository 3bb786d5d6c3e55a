//! Several counterexamples of one abstract system (THESIS 6.5): the engines give one run; here others are
//! looked for that go wrong in another way (by another event, or from another joint state), nearest first.

use super::witness::{Ending, Witness, joint_step};
use base::Budget;
use indexmap::IndexMap;
use lks::{ActionId, Composition, StateMark, Successors, SystemState};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// Joint states that are looked at.
const MOST_STATES: usize = 100_000;

/// What a run is to end in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// A state that must not be.
    Error,
    /// A state without a way on that is not the end of all.
    Deadlock,
}

/// Up to `most` runs of the parts that end as sought, different from these.
pub(super) fn other_runs(
    system: &Composition,
    parts: usize,
    sought: Sought,
    known: &[Witness],
    most: usize,
    budget: &Budget,
) -> Vec<Witness> {
    let mut search = Search { system, found: IndexMap::default() };
    for state in system.initial_states() {
        search.found.entry(state).or_insert(None);
    }
    let mut ways: FxHashSet<(Option<ActionId>, Option<usize>)> = FxHashSet::default();
    let mut events: FxHashSet<ActionId> = FxHashSet::default();
    let (mut first, mut later): (Vec<usize>, Vec<usize>) = Default::default();
    let mut next = 0;
    let mut out = Vec::new();
    // Those known already will be found again.
    let enough = most + known.len();
    while next < search.found.len() && search.found.len() < MOST_STATES && first.len() < enough {
        if next.is_multiple_of(256) && budget.check().is_err() {
            break;
        }
        let at = next;
        next += 1;
        let (state, reached) = search.found.get_index(at).expect("it was found");
        let (state, reached) = (state.clone(), *reached);
        out.clear();
        system.successors(&state, &mut out);
        let is_sought = match sought {
            Sought::Error => system.mark(&state) == StateMark::Error,
            Sought::Deadlock => out.is_empty() && system.mark(&state) == StateMark::Plain,
        };
        if is_sought {
            let (action, before) = (reached.map(|(_, action)| action), reached.map(|(before, _)| before));
            if ways.insert((action, before)) {
                let is_new_event = action.is_none_or(|action| events.insert(action));
                if is_new_event { first.push(at) } else { later.push(at) }
            }
            continue;
        }
        for (action, to) in out.drain(..) {
            search.found.entry(to).or_insert(Some((at, action)));
        }
    }
    let mut runs: Vec<Witness> = Vec::new();
    for end in first.into_iter().chain(later) {
        if runs.len() == most {
            break;
        }
        if let Some(run) = search.run(end, parts, sought)
            && !known
                .iter()
                .chain(&runs)
                .any(|other| other.start == run.start && other.moves() == run.moves())
        {
            runs.push(run);
        }
    }
    runs
}

struct Search<'a> {
    system: &'a Composition,
    /// How each state was first reached.
    found: IndexMap<SystemState, Option<(usize, ActionId)>, FxBuildHasher>,
}

impl Search<'_> {
    fn run(&self, end: usize, parts: usize, sought: Sought) -> Option<Witness> {
        let mut way = vec![end];
        while let Some((before, _)) = self.found[way[way.len() - 1]] {
            way.push(before);
        }
        way.reverse();
        let state = |at: usize| self.found.get_index(at).map(|(state, _)| state);
        let mut start = self.system.component_states(state(way[0])?).to_vec();
        start.truncate(parts);
        let mut steps = Vec::new();
        for pair in way.windows(2) {
            let (_, action) = self.found[pair[1]]?;
            let name = self.system.alphabet().name(action);
            let parent = steps.len().checked_sub(1);
            let mut step = joint_step(self.system, state(pair[0])?, state(pair[1])?, name, parent)?;
            step.moves.retain(|own| own.part < parts);
            steps.push(step);
        }
        let ending = match sought {
            Sought::Error => Ending::Steps,
            Sought::Deadlock => Ending::Stuck,
        };
        Some(Witness { start, steps, ending, is_partial: false, is_fair: false, why: String::new() })
    }
}
