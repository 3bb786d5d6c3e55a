//! Which plain variables of a procedure are still read after a node before they are written (live variables, backwards
//! data flow). States that differ in others only are not worth keeping apart.

use crate::context::Context;
use base::{Id, IndexVec};
use program::expr::{Access, ExprPart};
use program::{Action, Edge, Graph, NodeId, PlaceBase, ProcedureId, VariableId, VariableKind};
use rustc_hash::FxHashMap;

/// For each node the plain variables of the procedure that are not read any more.
#[derive(Debug)]
pub struct Dead {
    at: IndexVec<NodeId, Vec<u32>>,
    temporaries: IndexVec<NodeId, Vec<u32>>,
}

impl Dead {
    /// The variables of a procedure.
    pub fn of(context: &Context<'_>, procedure: ProcedureId, graph: &Graph) -> Dead {
        let own = &context.program.procedures[procedure];
        let variables: Vec<VariableId> = { own.parameters.iter().chain(&own.locals).copied() }
            .filter(|&id| context.is_plain(id) && !context.is_global(id))
            .collect();
        let place: FxHashMap<VariableId, usize> =
            variables.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let words = variables.len().div_ceil(64);
        let mut live: IndexVec<NodeId, Vec<u64>> = graph.nodes.iter().map(|_| vec![0; words]).collect();
        let effects: Vec<(Vec<usize>, Option<usize>)> =
            graph.edges.iter().map(|edge| effect(edge, &place)).collect();
        let mut waiting: Vec<NodeId> = graph.nodes.ids().collect();
        while let Some(node) = waiting.pop() {
            let mut all = vec![0u64; words];
            for &edge in &graph.nodes[node].out {
                let (reads, writes) = &effects[edge.index()];
                let mut before = live[graph.edges[edge].to].clone();
                if let Some(written) = writes {
                    before[written / 64] &= !(1 << (written % 64));
                }
                reads.iter().for_each(|read| before[read / 64] |= 1 << (read % 64));
                all.iter_mut().zip(&before).for_each(|(all, more)| *all |= more);
            }
            if all != live[node] {
                live[node] = all;
                waiting.extend(graph.nodes[node].into.iter().map(|&edge| graph.edges[edge].from));
            }
        }
        let dead = |node: NodeId, is_meant: &dyn Fn(VariableId) -> bool| -> Vec<u32> {
            let is_dead = |at: &usize| live[node][at / 64] >> (at % 64) & 1 == 0;
            let dead = (0..variables.len()).filter(is_dead).map(|at| variables[at]);
            dead.filter(|&id| is_meant(id)).map(|id| id.index() as u32).collect()
        };
        let is_temporary = |id: VariableId| context.program.variables[id].kind == VariableKind::Temporary;
        Dead {
            at: graph.nodes.ids().map(|node| dead(node, &|_| true)).collect(),
            temporaries: graph.nodes.ids().map(|node| dead(node, &is_temporary)).collect(),
        }
    }

    /// The variables that are not read any more from a node on, by their keys in a state.
    pub fn at(&self, node: NodeId) -> &[u32] {
        &self.at[node]
    }

    /// Those of them that the program does not name.
    pub fn temporaries(&self, node: NodeId) -> &[u32] {
        &self.temporaries[node]
    }
}

/// What an edge reads, and the variable that it writes as a whole.
fn effect(edge: &Edge, place: &FxHashMap<VariableId, usize>) -> (Vec<usize>, Option<usize>) {
    let mut reads = Vec::new();
    edge.action.visit(&mut |part| {
        if let ExprPart::Place(read, access) = part
            && let PlaceBase::Variable(id) = read.base
            && let Some(&at) = place.get(&id)
            && !(access == Access::Write && read.path.is_empty())
        {
            reads.push(at);
        }
    });
    let written = match &edge.action {
        Action::Assign { target, .. } | Action::Havoc { target, .. } => target.as_variable(),
        Action::Call { result, .. } => result.as_ref().and_then(program::Place::as_variable),
        Action::Lifetime { variable, .. } => Some(*variable),
        _ => None,
    };
    (reads, written.and_then(|id| place.get(&id).copied()))
}
