//! What holds on all ways of a thread to a node of the woven program (a must-analysis: greatest fixpoint, facts meet
//! where ways do). A thread that was interrupted goes on where it was, after others have run.

use crate::weave::Weaver;
use program::{EdgeId, NodeId};
use rustc_hash::FxHashMap;

/// How control goes on from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onward {
    /// By a step of the thread.
    Step(EdgeId),
    /// Others may run, or it waits; then it goes on.
    Others,
}

/// The facts at the nodes that threads reach. Nothing is known where one begins.
pub fn on_all_ways<F: Clone + PartialEq + Default>(
    woven: &Weaver<'_>,
    meet: impl Fn(&F, &F) -> F,
    after: impl Fn(NodeId, &F, Onward) -> F,
) -> FxHashMap<NodeId, F> {
    let goes_on = goes_on(woven);
    let mut open: Vec<(NodeId, F)> = starts(woven).into_iter().map(|node| (node, F::default())).collect();
    let mut known: FxHashMap<NodeId, F> = FxHashMap::default();
    while let Some((node, arrives)) = open.pop() {
        let met = match known.get(&node) {
            None => arrives,
            Some(before) => {
                let met = meet(before, &arrives);
                if met == *before {
                    continue;
                }
                met
            }
        };
        for &edge in &woven.graph.nodes[node].out {
            let to = woven.graph.edges[edge].to;
            if to != woven.chooser {
                open.push((to, after(node, &met, Onward::Step(edge))));
            }
        }
        let others = goes_on.get(&node).into_iter().flatten();
        open.extend(others.map(|&to| (to, after(node, &met, Onward::Others))));
        known.insert(node, met);
    }
    known
}

/// Where threads begin.
fn starts(woven: &Weaver<'_>) -> Vec<NodeId> {
    let first = woven.threads.iter().filter_map(|thread| {
        let cut = thread.cuts.first()?;
        cut.resumes.filter(|&resumes| cut.from == resumes)
    });
    [woven.start()].into_iter().chain(first).collect()
}

/// Where a thread goes on that comes to a node at which others may run, or that waits.
fn goes_on(woven: &Weaver<'_>) -> FxHashMap<NodeId, Vec<NodeId>> {
    let mut goes_on: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    for thread in woven.threads.iter() {
        for (position, cut) in thread.cuts.iter().enumerate() {
            let Some(resumes) = cut.resumes else { continue };
            if cut.from != resumes || position != 0 {
                goes_on.entry(cut.from).or_default().push(resumes);
            }
        }
    }
    for join in &woven.made.joins {
        goes_on.entry(join.from).or_default().push(join.to);
    }
    for signal in &woven.signals {
        goes_on.entry(signal.from).or_default().push(signal.to);
    }
    for race in &woven.races {
        goes_on.entry(race.from).or_default().push(race.to);
    }
    for site in &woven.alone {
        goes_on.entry(site.from).or_default().extend([site.alone, site.not]);
    }
    goes_on
}
