//! Nodes with states that were not looked at yet, in the order the settings want.

use super::settings::WorkListOrder;
use crate::analysis::CallShape;
use crate::graph::{Action, NodeId, Program};
use base::IndexVec;
use base::graph::reverse_postorder;
use std::collections::{BTreeSet, VecDeque};

pub(super) struct WorkList {
    order: WorkListOrder,
    rank: IndexVec<NodeId, usize>,
    queue: VecDeque<NodeId>,
    sorted: BTreeSet<(usize, NodeId)>,
    waits: IndexVec<NodeId, bool>,
}

impl WorkList {
    pub(super) fn new(program: &Program, shape: &CallShape, order: WorkListOrder) -> WorkList {
        WorkList {
            order,
            rank: ranks(program, shape),
            queue: VecDeque::new(),
            sorted: BTreeSet::new(),
            waits: IndexVec::filled(false, program.nodes().len()),
        }
    }

    pub(super) fn push(&mut self, node: NodeId) {
        if std::mem::replace(&mut self.waits[node], true) {
            return;
        }
        match self.order {
            WorkListOrder::Merging => {
                self.sorted.insert((self.rank[node], node));
            }
            WorkListOrder::DepthFirst | WorkListOrder::BreadthFirst => self.queue.push_back(node),
        }
    }

    pub(super) fn pop(&mut self) -> Option<NodeId> {
        let node = match self.order {
            WorkListOrder::Merging => self.sorted.pop_first().map(|(_, node)| node),
            WorkListOrder::DepthFirst => self.queue.pop_back(),
            WorkListOrder::BreadthFirst => self.queue.pop_front(),
        }?;
        self.waits[node] = false;
        Some(node)
    }
}

/// Callees before callers; inside a procedure predecessors first (reverse postorder), calls after other nodes
/// of equal standing (BOOM Alg. 10.1 sorts by the size of what follows, to the same end).
fn ranks(program: &Program, shape: &CallShape) -> IndexVec<NodeId, usize> {
    let mut rank = IndexVec::filled(usize::MAX, program.nodes().len());
    let mut next = 0;
    for &procedure in &shape.callees_first {
        let entry = program.procedures()[procedure].entry;
        for node in reverse_postorder(entry, |node| successors(program, node)) {
            rank[node] = next;
            next += 1;
        }
    }
    rank
}

/// Where control can go on from a node; of a new thread first.
fn successors(program: &Program, node: NodeId) -> impl Iterator<Item = NodeId> {
    program.outgoing(node).iter().map(|&edge| &program.edges()[edge]).flat_map(|edge| {
        let started = match edge.action {
            Action::StartThread { at } => Some(at),
            _ => None,
        };
        started.into_iter().chain([edge.to])
    })
}
