//! A counterexample of the abstract system in terms of its parts: a tree of joint steps (a path is a tree
//! without branches), and what is special about its end.

use super::fair::is_silence;
use base::Id;
use lks::{ActionId, Composition, Explored, StateId, Successors, SystemState};
use question::Counterexample;
use rustc_hash::FxHashMap;
use verdict::{Path, Step, Tree, TreeNodeId};

/// One part's share of a joint step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub part: usize,
    pub action: ActionId,
    pub to: StateId,
}

#[derive(Clone, Debug)]
pub(super) struct JointStep {
    pub parent: Option<usize>,
    pub name: String,
    pub is_silent: bool,
    pub moves: Vec<Move>,
}

/// What is special about the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The steps themselves are the violation.
    Steps,
    /// The run cannot go on.
    Stuck,
    /// The steps from this one on repeat for ever.
    Cycle(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Witness {
    pub start: Vec<StateId>,
    pub steps: Vec<JointStep>,
    pub ending: Ending,
    /// Was part of a large tree left out?
    pub is_partial: bool,
    /// Does it count what is not possible in its cycle, because only fair runs do?
    pub is_fair: bool,
    pub why: String,
}

impl Witness {
    /// What the parts do, step by step.
    pub fn moves(&self) -> Vec<&[Move]> {
        self.steps.iter().map(|step| step.moves.as_slice()).collect()
    }
}

/// Trees are followed up to this many steps.
const MOST_STEPS: usize = 4000;

/// From a path, lasso or deadlock of a composition whose states have no names.
pub(super) fn of_run(system: &Composition, parts: usize, counterexample: &Counterexample) -> Option<Witness> {
    let (path, cycle, ending): (&Path, &[Step], bool) = match counterexample {
        Counterexample::Path(path) => (path, &[], false),
        Counterexample::MaximalPath(path) => (path, &[], true),
        Counterexample::Deadlock(deadlock) => (&deadlock.path, &[], true),
        Counterexample::Lasso(lasso) => (&lasso.stem, &lasso.cycle, false),
        Counterexample::Tree(_) | Counterexample::Run(_) => return None,
    };
    let number = |name: &String| name.parse().ok().map(StateId::from_index);
    let start: Option<Vec<StateId>> = path.start.components.iter().take(parts).map(number).collect();
    let mut steps: Vec<JointStep> = Vec::new();
    for step in path.steps.iter().chain(cycle) {
        let mut moves = Vec::new();
        for lane in step.lanes.iter().map(|lane| lane.0 as usize).filter(|&lane| lane < parts) {
            let component = &system.components()[base::Id::from_index(lane)];
            let action = component.lks.alphabet().find(&step.action).filter(|_| !is_silence(&step.action));
            let action = action.unwrap_or(ActionId::TAU);
            moves.push(Move { part: lane, action, to: number(&step.to.components[lane])? });
        }
        let parent = steps.len().checked_sub(1);
        let is_silent = step.silent || is_silence(&step.action);
        let name = if is_silent { lks::Alphabet::TAU_NAME.to_owned() } else { step.action.clone() };
        steps.push(JointStep { parent, name, is_silent, moves });
    }
    let ending = match (cycle.is_empty(), ending) {
        (false, _) => Ending::Cycle(path.steps.len()),
        (true, true) => Ending::Stuck,
        (true, false) => Ending::Steps,
    };
    Some(Witness {
        start: start?,
        steps,
        ending,
        is_partial: false,
        is_fair: false,
        why: path.ends_because.clone(),
    })
}

/// From a tree over an explored composition whose states have no names. Nodes in one state of the
/// implementation with one history are one node: what is to be followed is the same.
pub(super) fn of_tree(
    system: &Composition,
    explored: &Explored<SystemState>,
    tree: &Tree,
) -> Option<Witness> {
    let number = |view: &verdict::StateView| view.components.first()?.parse::<usize>().ok();
    let first = number(&tree.nodes[*tree.roots.first()?].implementation)?;
    let mut witness = Witness {
        start: system.component_states(&explored.states[first]).to_vec(),
        steps: Vec::new(),
        ending: Ending::Steps,
        is_partial: false,
        is_fair: false,
        why: String::new(),
    };
    let mut open: Vec<(Vec<TreeNodeId>, usize, Option<usize>)> = vec![(tree.roots.clone(), first, None)];
    while let Some((nodes, at, parent)) = open.pop() {
        let mut order: Vec<(String, usize)> = Vec::new();
        let mut groups: FxHashMap<(String, usize), Vec<TreeNodeId>> = FxHashMap::default();
        for node in nodes {
            let node = &tree.nodes[node];
            let Some(challenge) = &node.challenge else { continue };
            let key = (challenge.action.clone(), number(&challenge.to)?);
            let children = groups.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                Vec::new()
            });
            children.extend(&node.children);
        }
        for key in order {
            if witness.steps.len() >= MOST_STEPS {
                witness.is_partial = true;
                return Some(witness);
            }
            let mut children = groups.remove(&key).unwrap_or_default();
            children.sort_unstable();
            children.dedup();
            let (action, to) = key;
            let step = joint_step(system, &explored.states[at], &explored.states[to], &action, parent)?;
            witness.steps.push(step);
            open.push((children, to, Some(witness.steps.len() - 1)));
        }
    }
    Some(witness)
}

/// The step between two states of a system, as moves of its parts.
pub(super) fn joint_step(
    system: &Composition,
    from: &SystemState,
    to: &SystemState,
    action: &str,
    parent: Option<usize>,
) -> Option<JointStep> {
    let action = system.alphabet().find(action)?;
    let mut steps = Vec::new();
    system.steps(from, &mut steps);
    let step = steps.into_iter().find(|step| step.action == action && step.target == *to)?;
    let own_action = |part: lks::composition::ComponentId| {
        let own = system.participants(step.sync).iter().find(|(component, _)| *component == part);
        own.map_or(ActionId::TAU, |(_, action)| *action)
    };
    let moves = system.movers(&step).into_iter().map(|part| Move {
        part: part.index(),
        action: own_action(part),
        to: system.component_state(to, part),
    });
    let name = system.sync_name(step.sync).to_owned();
    Some(JointStep { parent, name, is_silent: action.is_silent(), moves: moves.collect() })
}
