//! Who joins whom. The order decides how large the products in between become; no rule is best for all
//! systems, so several are tried, with components as they are and as their context leaves them, each until a
//! product grows past a limit that rises when all have failed.

use super::context::{InContext, in_context};
use super::node::{Keeps, Largest, Node};
use crate::stopped::Stopped;
use base::{Id, IndexVec};
use lks::composition::ComponentId;
use lks::{Composition, Role};
use question::Monitor;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use verdict::Reason;

/// In which order parts join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strategy {
    /// One part grows, from the process that shares most; properties come last.
    FromProcess,
    /// One part grows, from a property.
    FromProperty,
    /// The two with the smallest product that silence something.
    SmallestPair,
}

const STRATEGIES: [Strategy; 3] = [Strategy::FromProcess, Strategy::FromProperty, Strategy::SmallestPair];
const FIRST_LIMIT: usize = 1 << 13;
const LIMIT_GROWTH: usize = 16;

/// The whole system as one minimised part, and the largest product on the way.
pub(super) fn joined(
    system: &Composition,
    keeps: &Keeps,
    most_states: Option<usize>,
    monitor: Monitor<'_>,
) -> Result<(Node, Largest), Stopped> {
    let mut limit = FIRST_LIMIT;
    let as_they_are: IndexVec<ComponentId, Option<InContext>> =
        system.components().iter().map(|_| None).collect();
    // Found once they are needed.
    let mut restricted = None;
    let mut largest = Largest::default();
    loop {
        limit = most_states.map_or(limit, |most| limit.min(most));
        for strategy in STRATEGIES {
            let plan = Plan::new(system, &as_they_are, keeps, monitor)?;
            if let Some(root) = attempt(plan, keeps, strategy, limit, &mut largest, monitor)? {
                return Ok((root, largest));
            }
        }
        let contexts = match &mut restricted {
            Some(known) => known,
            none => none.insert(in_context(system, monitor)?),
        };
        let is_any = contexts.iter().any(Option::is_some);
        for strategy in STRATEGIES.into_iter().filter(|_| is_any) {
            let plan = Plan::new(system, contexts, keeps, monitor)?;
            if let Some(root) = attempt(plan, keeps, strategy, limit, &mut largest, monitor)? {
                return Ok((root, largest));
            }
        }
        if most_states.is_some_and(|most| limit >= most) {
            let reason = Reason::SizeLimit { what: "states of a product of two parts", limit: limit as u64 };
            return Err(Stopped::because(reason));
        }
        limit = limit.saturating_mul(LIMIT_GROWTH);
    }
}

/// A part that waits to be joined.
struct Waiting {
    node: Node,
    has_process: bool,
}

struct Plan {
    parts: Vec<Option<Waiting>>,
    /// Which parts know each action.
    owners: FxHashMap<Arc<str>, Vec<usize>>,
}

fn attempt(
    mut plan: Plan,
    keeps: &Keeps,
    strategy: Strategy,
    limit: usize,
    largest: &mut Largest,
    monitor: Monitor<'_>,
) -> Result<Option<Node>, Stopped> {
    let mut core: Option<usize> = None;
    loop {
        monitor.count("parts", plan.parts.iter().flatten().count());
        monitor.check()?;
        let Some((first, second)) = plan.next_pair(strategy, core) else {
            let root = plan.parts.into_iter().flatten().next().expect("there is at least one component");
            largest.see(&root.node);
            return Ok(Some(root.node));
        };
        match plan.join(first, second, keeps, limit, monitor)? {
            None => return Ok(None),
            Some(joined) => {
                largest.see(&plan.parts[joined].as_ref().expect("just joined").node);
                core = Some(joined);
            }
        }
    }
}

impl Largest {
    fn see(&mut self, node: &Node) {
        self.states = self.states.max(node.raw.state_count());
        self.transitions = self.transitions.max(node.raw.transition_count());
    }
}

impl Plan {
    fn new(
        system: &Composition,
        contexts: &IndexVec<ComponentId, Option<InContext>>,
        keeps: &Keeps,
        monitor: Monitor<'_>,
    ) -> Result<Plan, Stopped> {
        let mut owners: FxHashMap<Arc<str>, Vec<usize>> = FxHashMap::default();
        for sync in system.syncs().skip(1) {
            let parts = system.participants(sync).iter().map(|(id, _)| id.index()).collect();
            owners.insert(Arc::from(system.sync_name(sync)), parts);
        }
        let mut parts = Vec::new();
        for (id, component) in system.components().iter_enumerated() {
            let is_shared = |name: &str| owners.get(name).is_some_and(|owners| owners.len() > 1);
            let node = Node::leaf(id, component, contexts[id].as_ref(), is_shared, keeps, monitor)?;
            parts.push(Some(Waiting { node, has_process: component.role == Role::Process }));
        }
        Ok(Plan { parts, owners })
    }

    fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(|index| self.parts[*index].is_some())
    }

    fn states(&self, index: usize) -> usize {
        self.parts[index].as_ref().map_or(0, |part| part.node.reduced.state_count())
    }

    fn has_process(&self, index: usize) -> bool {
        self.parts[index].as_ref().is_some_and(|part| part.has_process)
    }

    /// For each part how many actions it shares with the given one, and how many of them nobody else has.
    fn shared_with(&self, core: usize) -> FxHashMap<usize, (usize, usize)> {
        let mut shared: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
        for owners in self.owners.values().filter(|owners| owners.contains(&core)) {
            for other in owners.iter().filter(|other| **other != core) {
                let count = shared.entry(*other).or_default();
                count.0 += 1;
                count.1 += usize::from(owners.len() == 2);
            }
        }
        shared
    }

    fn next_pair(&self, strategy: Strategy, core: Option<usize>) -> Option<(usize, usize)> {
        self.alive().nth(1)?;
        match strategy {
            Strategy::FromProcess | Strategy::FromProperty => {
                let core = core.unwrap_or_else(|| self.first_core(strategy));
                let shared = self.shared_with(core);
                let others = self.alive().filter(|index| *index != core);
                let best = others.max_by_key(|index| {
                    let (all, silenced) = shared.get(index).copied().unwrap_or_default();
                    // Properties wait until the processes are together.
                    let in_turn = self.has_process(*index);
                    (in_turn, silenced, all, std::cmp::Reverse((self.states(*index), *index)))
                });
                best.map(|other| (core, other))
            }
            Strategy::SmallestPair => {
                let all: Vec<usize> = self.alive().collect();
                let mut pairs = Vec::new();
                for (position, &first) in all.iter().enumerate() {
                    let shared = self.shared_with(first);
                    for &second in &all[position + 1..] {
                        let silenced = shared.get(&second).map_or(0, |count| count.1);
                        let size = self.states(first).saturating_mul(self.states(second));
                        pairs.push(((silenced == 0, size, std::cmp::Reverse(silenced)), (first, second)));
                    }
                }
                pairs.into_iter().min().map(|(_, pair)| pair)
            }
        }
    }

    fn first_core(&self, strategy: Strategy) -> usize {
        let total = |index: usize| -> usize { self.shared_with(index).values().map(|count| count.0).sum() };
        let wants_process = strategy == Strategy::FromProcess;
        self.alive()
            .max_by_key(|index| {
                (self.has_process(*index) == wants_process, total(*index), std::cmp::Reverse(*index))
            })
            .expect("there are at least two parts")
    }

    /// Joins two parts; `None` if their product is too large.
    fn join(
        &mut self,
        first: usize,
        second: usize,
        keeps: &Keeps,
        limit: usize,
        monitor: Monitor<'_>,
    ) -> Result<Option<usize>, Stopped> {
        let joined = self.parts.len();
        for owners in self.owners.values_mut() {
            if owners.contains(&first) || owners.contains(&second) {
                owners.retain(|owner| *owner != first && *owner != second);
                owners.push(joined);
            }
        }
        let (left, right) = (
            self.parts[first].take().expect("chosen among those alive"),
            self.parts[second].take().expect("chosen among those alive"),
        );
        let has_process = left.has_process || right.has_process;
        let is_shared = |name: &str| self.owners.get(name).is_some_and(|owners| owners.len() > 1);
        match Node::join(left.node, right.node, is_shared, keeps, limit, monitor)? {
            None => Ok(None),
            Some(node) => {
                self.parts.push(Some(Waiting { node, has_process }));
                Ok(Some(joined))
            }
        }
    }
}
