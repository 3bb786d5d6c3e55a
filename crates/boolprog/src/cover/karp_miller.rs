//! The Karp-Miller construction with volatile counters and a history of maximal markings (BOOM 8.3, 8.4).
//!
//! A new marking that a known one covers is dropped; unexplored markings that it covers are dropped too, but
//! never whole subtrees (BOOM on Finkel's algorithm: that would lose markings). BOOM Alg. 8.1 lines 11-12
//! insert the state before acceleration; meant, and done here, is the accelerated one.
//! DIVERGENCE: acceleration looks at segments without broadcasts and upper limits only, since "more than
//! before" does not mean "more each time" across them. On other systems than Petri nets the construction is
//! sound but need not end.
//!
//! The witness: ω stands for pumping a segment. The number of rounds is found from behind, from what is
//! needed after it.
//!
//! Worked example: `spawn` takes a token from `p` and puts it back with one more on `q`; start: one on `p`.
//! After one step {p 1, q 1} is above its ancestor {p 1} and grows in `q`: accelerated to {p 1, q ω}. The
//! next step leads to nothing new. The target "five on `q`" is covered; its witness pumps `spawn` five times.
//!
//! Naive twin: `explicit`.

use super::marking::{Marking, UNBOUNDED};
use super::marking_set::{EntryId, MarkingSet};
use super::outcome::{CoverabilityResult, Limits, Meter, Stopped};
use super::proof::{Proof, Shape};
use super::step;
use super::system::{ControlId, PlaceId, System, TargetId, TransitionId};
use super::witness::Chain;
use base::{IndexVec, define_id};
use question::Decided;
use rustc_hash::FxHashMap;

define_id!(
    /// A node of the Karp-Miller tree.
    NodeId,
    "n"
);

/// A segment from an ancestor to a node that can be repeated.
struct Pump {
    ancestor: NodeId,
    /// Places that grow: tokens before, and how many more each round brings.
    grows: Vec<(PlaceId, u32, u32)>,
}

struct Node {
    marking: Marking,
    parent: Option<(NodeId, TransitionId)>,
    pumps: Vec<Pump>,
    /// Nearest ancestor-or-self reached by a transition that acceleration must not cross; `None` if there is
    /// none.
    barrier: Option<NodeId>,
}

/// A witness may take at most so many steps before it is given up.
const LONGEST_WITNESS: usize = 2_000_000;

struct Tree<'a> {
    system: &'a System,
    nodes: IndexVec<NodeId, Node>,
    maximal: MarkingSet,
    node_of: FxHashMap<EntryId, NodeId>,
}

/// Builds the tree until a target is covered or nothing is new.
pub fn check(system: &System, limits: Limits<'_>) -> CoverabilityResult {
    let mut meter = Meter::new(limits);
    let mut tree = Tree {
        system,
        nodes: IndexVec::new(),
        maximal: MarkingSet::default(),
        node_of: FxHashMap::default(),
    };
    let found = tree.run(&mut meter).and_then(|covered| match covered {
        Some((node, target)) => tree.chain_to(node, target, limits).map(Decided::Violated),
        None => Ok(Decided::Proved(Proof {
            shape: Shape::Cover,
            markings: tree.maximal.iter().map(|(_, marking)| marking.clone()).collect(),
            possible: None,
        })),
    });
    CoverabilityResult { found, steps: meter.taken(), markings: tree.maximal.len() as u64, safe_depth: None }
}

impl Tree<'_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Option<(NodeId, TargetId)>, Stopped> {
        let mut leaving: IndexVec<ControlId, Vec<TransitionId>> =
            IndexVec::filled(Vec::new(), self.system.controls.len());
        for (id, transition) in self.system.transitions.iter_enumerated() {
            leaving[transition.from].push(id);
        }
        let targets: Vec<(TargetId, Marking)> = self
            .system
            .targets
            .iter_enumerated()
            .map(|(id, target)| (id, Marking::of_target(target)))
            .collect();
        let covers = |marking: &Marking| {
            targets.iter().find(|(_, target)| target.is_covered_by(marking)).map(|(id, _)| *id)
        };
        let initial = Marking::initial(self.system);
        let mut unexplored = vec![self.add(initial.clone(), None, Vec::new(), None)];
        if let Some(target) = covers(&initial) {
            return Ok(Some((self.node_of[&unexplored[0]], target)));
        }
        while let Some(entry) = unexplored.pop() {
            if !self.maximal.contains(entry) {
                continue;
            }
            let node = self.node_of[&entry];
            let marking = self.maximal.marking(entry).clone();
            for transition in &leaving[marking.control] {
                meter.step()?;
                for next in step::successors(&self.system.transitions[*transition], &marking) {
                    let plain = self.system.transitions[*transition].is_plain();
                    // A marking that is covered as it is needs no acceleration: the one above it had its own.
                    if self.maximal.some_above(&next).is_some() {
                        continue;
                    }
                    let (next, pumps) = if plain { self.accelerate(node, next) } else { (next, Vec::new()) };
                    for smaller in self.maximal.all_below(&next) {
                        self.maximal.remove(smaller);
                    }
                    let target = covers(&next);
                    let entry = self.add(next, Some((node, *transition)), pumps, (!plain).then_some(node));
                    if let Some(target) = target {
                        return Ok(Some((self.node_of[&entry], target)));
                    }
                    unexplored.push(entry);
                }
            }
        }
        Ok(None)
    }

    fn add(
        &mut self,
        marking: Marking,
        parent: Option<(NodeId, TransitionId)>,
        pumps: Vec<Pump>,
        crossed: Option<NodeId>,
    ) -> EntryId {
        let entry = self.maximal.insert(marking.clone(), 0);
        let id = self.nodes.next_id();
        let inherited = parent.and_then(|(parent, _)| self.nodes[parent].barrier);
        let barrier = if crossed.is_some() { Some(id) } else { inherited };
        self.nodes.push(Node { marking, parent, pumps, barrier });
        self.node_of.insert(entry, id);
        entry
    }

    /// BOOM Alg. 8.3: sets to ω what has grown since an ancestor that is covered.
    fn accelerate(&self, parent: NodeId, mut marking: Marking) -> (Marking, Vec<Pump>) {
        let mut pumps = Vec::new();
        let barrier = self.nodes[parent].barrier;
        let mut at = Some(parent);
        while let Some(ancestor) = at {
            let before = &self.nodes[ancestor].marking;
            if before != &marking && before.is_covered_by(&marking) {
                let grows: Vec<(PlaceId, u32, u32)> = marking
                    .tokens()
                    .iter()
                    .filter(|(place, count)| *count != UNBOUNDED && *count > before.count(*place))
                    .map(|(place, count)| (*place, *count, *count - before.count(*place)))
                    .collect();
                if !grows.is_empty() {
                    for (place, ..) in &grows {
                        marking = marking.with_count(*place, UNBOUNDED);
                    }
                    pumps.push(Pump { ancestor, grows });
                }
            }
            at = if barrier == Some(ancestor) {
                None
            } else {
                self.nodes[ancestor].parent.map(|(node, _)| node)
            };
        }
        (marking, pumps)
    }

    fn chain_to(&self, node: NodeId, target: TargetId, limits: Limits<'_>) -> Result<Chain, Stopped> {
        let mut unwinding = Unwinding {
            tree: self,
            needed: Marking::of_target(&self.system.targets[target]),
            steps: Vec::new(),
            limits,
        };
        unwinding.unwind(node, usize::MAX, None)?;
        unwinding.steps.reverse();
        Ok(Chain { start: unwinding.needed, steps: unwinding.steps, target })
    }
}

/// Walks from a node back to the root and notes what is needed on the way.
struct Unwinding<'a> {
    tree: &'a Tree<'a>,
    needed: Marking,
    /// Last step first.
    steps: Vec<(TransitionId, Marking)>,
    limits: Limits<'a>,
}

impl Unwinding<'_> {
    /// Goes from `node` (after its first `pumps` pumps) to just after the pumps of `stop`, or to the root.
    fn unwind(&mut self, node: NodeId, pumps: usize, stop: Option<NodeId>) -> Result<(), Stopped> {
        let (mut node, mut pumps) = (node, pumps);
        while stop != Some(node) {
            let here = &self.tree.nodes[node];
            for index in (0..pumps.min(here.pumps.len())).rev() {
                let pump = &here.pumps[index];
                let rounds = pump.grows.iter().map(|(place, before, more)| {
                    self.needed.count(*place).saturating_sub(*before).div_ceil(*more)
                });
                for _ in 0..rounds.max().unwrap_or(0) {
                    self.unwind(node, index, Some(pump.ancestor))?;
                }
            }
            let Some((parent, transition)) = here.parent else { return Ok(()) };
            self.before(transition, &self.tree.nodes[parent].marking)?;
            (node, pumps) = (parent, usize::MAX);
        }
        Ok(())
    }

    fn before(&mut self, transition: TransitionId, available: &Marking) -> Result<(), Stopped> {
        if self.steps.len() >= LONGEST_WITNESS {
            return Err(Stopped::Steps);
        }
        if self.steps.len().is_multiple_of(1024) {
            self.limits.monitor.budget.check().map_err(Stopped::Budget)?;
        }
        let before = step::predecessors(&self.tree.system.transitions[transition], &self.needed);
        // The first one that the tree has enough for; a plain step has just one.
        let chosen = before.iter().position(|found| found.marking.is_covered_by(available)).unwrap_or(0);
        let Some(found) = before.into_iter().nth(chosen) else { return Err(Stopped::Steps) };
        let after = std::mem::replace(&mut self.needed, found.marking);
        self.steps.push((transition, after));
        Ok(())
    }
}
