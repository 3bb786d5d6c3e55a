//! Two structures compared, or one made as small as an equivalence allows.

use super::{Divergence, branching_partition, strong_partition, weak_partition};
use crate::refinement::{RefinementSettings, Refines, refines};
use crate::stopped::Stopped;
use crate::view::state_name;
use crate::weak_moves::UnknownActions;
use base::{Budget, Exhausted, Id};
use lks::quotient::{InnerSilence, Partition};
use lks::{Lks, LksBuilder, StateId};
use question::{Answer, Counterexample, Monitor, Verdict};
use verdict::{Certificate, Path};

/// When two states count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// Every step counts.
    Strong,
    /// Silent steps that change nothing do not count.
    Branching(Divergence),
    /// Only what is visible counts.
    Weak,
}

/// The coarsest partition of the states by an equivalence.
pub fn partition_by(lks: &Lks, equivalence: Equivalence, budget: &Budget) -> Result<Partition, Exhausted> {
    match equivalence {
        Equivalence::Strong => strong_partition(lks, budget),
        Equivalence::Branching(divergence) => branching_partition(lks, divergence, budget),
        Equivalence::Weak => weak_partition(lks, budget),
    }
}

/// The smallest structure that is equivalent: its reachable part, one state per class.
pub fn smallest(lks: &Lks, equivalence: Equivalence, budget: &Budget) -> Result<Lks, Exhausted> {
    let reachable = lks.reachable();
    let partition = partition_by(&reachable, equivalence, budget)?;
    quotient_by(&reachable, &partition, equivalence, budget)
}

/// One state per class of a partition that was made by the equivalence.
pub(crate) fn quotient_by(
    lks: &Lks,
    partition: &Partition,
    equivalence: Equivalence,
    budget: &Budget,
) -> Result<Lks, Exhausted> {
    Ok(match equivalence {
        Equivalence::Strong => lks.quotient(partition, InnerSilence::Kept),
        Equivalence::Branching(Divergence::Ignored) | Equivalence::Weak => {
            lks.quotient(partition, InnerSilence::Dropped)
        }
        Equivalence::Branching(Divergence::Kept) => divergence_kept(lks, partition, budget)?,
    })
}

/// Inner silent steps are dropped except where a class diverges: there they become a silent loop.
fn divergence_kept(lks: &Lks, partition: &Partition, budget: &Budget) -> Result<Lks, Exhausted> {
    let dropped = lks.quotient(partition, InnerSilence::Dropped);
    let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    builder.ensure_states(dropped.state_count());
    dropped.initial().iter().for_each(|state| builder.initial(*state));
    for state in dropped.states() {
        builder.mark(state, dropped.mark(state));
        dropped.label(state).iter().for_each(|proposition| builder.label(state, proposition));
        for (action, target) in dropped.transitions(state) {
            builder.transition(state, action, target);
        }
    }
    for state in diverging_blocks(lks, partition, budget)? {
        builder.transition(state, lks::ActionId::TAU, state);
    }
    Ok(builder.build())
}

/// Blocks inside which some cycle of silent steps runs.
fn diverging_blocks(lks: &Lks, partition: &Partition, budget: &Budget) -> Result<Vec<StateId>, Exhausted> {
    // Remove, again and again, states without a silent step inside their block; what stays lies on or before
    // a cycle.
    let inner = |state: StateId| {
        lks.successors_by(state, lks::ActionId::TAU)
            .iter()
            .copied()
            .filter(move |target| partition.block_of(*target) == partition.block_of(state))
    };
    let mut remaining: Vec<usize> = lks.states().map(|state| inner(state).count()).collect();
    let mut sources: Vec<Vec<StateId>> = vec![Vec::new(); lks.state_count()];
    for state in lks.states() {
        inner(state).for_each(|target| sources[target.index()].push(state));
    }
    let mut open: Vec<StateId> = lks.states().filter(|state| remaining[state.index()] == 0).collect();
    let mut removed = 0usize;
    while let Some(state) = open.pop() {
        removed += 1;
        if removed.is_multiple_of(65536) {
            budget.check()?;
        }
        for source in &sources[state.index()] {
            remaining[source.index()] -= 1;
            if remaining[source.index()] == 0 {
                open.push(*source);
            }
        }
    }
    let mut blocks: Vec<StateId> = lks
        .states()
        .filter(|state| remaining[state.index()] > 0)
        .map(|state| StateId::from_index(partition.block_of(state).index()))
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    Ok(blocks)
}

/// Are the two structures equivalent: does each initial state of one have an equivalent initial state in the
/// other? They are compared over the same alphabet and the same propositions, or are not equivalent.
pub fn bisimilar(left: &Lks, right: &Lks, equivalence: Equivalence, budget: &Budget) -> Answer {
    Stopped::settle("explicit", || compare(left, right, equivalence, budget))
}

fn compare(left: &Lks, right: &Lks, equivalence: Equivalence, budget: &Budget) -> Result<Answer, Stopped> {
    let differ = |why: String| {
        let path = Path { ends_because: why, ..Path::default() };
        Answer::by("explicit", Counterexample::Path(path))
    };
    if left.alphabet() != right.alphabet() {
        return Ok(differ(format!("`{}` and `{}` have different alphabets", left.name(), right.name())));
    }
    let union = disjoint_union(left, right);
    let partition = partition_by(&union, equivalence, budget)?;
    let in_union = |state: &StateId| StateId::from_index(state.index() + left.state_count());
    let left_blocks: Vec<_> = left.initial().iter().map(|state| partition.block_of(*state)).collect();
    let right_blocks: Vec<_> =
        right.initial().iter().map(|state| partition.block_of(in_union(state))).collect();
    let is_covered = left_blocks.iter().all(|block| right_blocks.contains(block))
        && right_blocks.iter().all(|block| left_blocks.contains(block));
    let answer = if is_covered {
        Answer::by("explicit", Verdict::Holds(classes(left, right, &partition)))
    } else if let Some(path) = distinguishing_trace(left, right, budget) {
        Answer::by("explicit", Counterexample::Path(path))
    } else {
        differ(format!("the initial states of `{}` and `{}` are not equivalent", left.name(), right.name()))
    };
    Ok(answer
        .count("states", union.state_count())
        .count("transitions", union.transition_count())
        .count("classes", partition.block_count()))
}

/// A trace of one that the other does not have, if there is one.
fn distinguishing_trace(left: &Lks, right: &Lks, budget: &Budget) -> Option<Path> {
    let settings =
        RefinementSettings { refines: Refines::Traces, unknown_actions: UnknownActions::Forbidden };
    [(left, right), (right, left)].into_iter().find_map(|(one, other)| {
        match refines(one, other, &settings, Monitor::silent(budget)).verdict {
            Verdict::Violated(counterexample) => match *counterexample {
                Counterexample::Path(path) => {
                    let why = format!("`{}` does this, `{}` does not", one.name(), other.name());
                    Some(Path { ends_because: why, ..path })
                }
                _ => None,
            },
            _ => None,
        }
    })
}

/// Past this many states the classes are not written out.
const MOST_STATES_SHOWN: usize = 2000;

fn classes(left: &Lks, right: &Lks, partition: &Partition) -> Certificate {
    if partition.state_count() > MOST_STATES_SHOWN {
        return Certificate::Unrecorded;
    }
    let mut classes = vec![Vec::new(); partition.block_count()];
    for (lks, offset) in [(left, 0), (right, left.state_count())] {
        for state in lks.states() {
            let block = partition.block_of(StateId::from_index(state.index() + offset));
            classes[block.index()].push(format!("{}.{}", lks.name(), state_name(lks, state)));
        }
    }
    let name = format!("{} and {}", left.name(), right.name());
    Certificate::Abstraction { partitions: vec![(name, classes)] }
}

/// Both structures side by side; the states of the second come after those of the first.
pub(crate) fn disjoint_union(left: &Lks, right: &Lks) -> Lks {
    let mut builder = LksBuilder::with_names(left.name(), left.alphabet(), left.propositions());
    builder.ensure_states(left.state_count() + right.state_count());
    for (lks, offset) in [(left, 0), (right, left.state_count())] {
        let moved = |state: StateId| StateId::from_index(state.index() + offset);
        let actions: Vec<_> =
            lks.alphabet().ids().map(|action| builder.action(lks.alphabet().name(action))).collect();
        let names = lks.propositions();
        let propositions: Vec<_> = names.ids().map(|id| builder.proposition(names.name(id))).collect();
        for state in lks.states() {
            builder.mark(moved(state), lks.mark(state));
            lks.label(state).iter().for_each(|id| builder.label(moved(state), propositions[id.index()]));
            for (action, target) in lks.transitions(state) {
                builder.transition(moved(state), actions[action.index()], moved(target));
            }
        }
    }
    builder.build()
}
