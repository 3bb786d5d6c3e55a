//! Which branches can make a difference to what others see (Weiser's slices, by control dependence after
//! Ferrante, Ottenstein, Warren 1987). The others lose their conditions: both sides are taken to be possible,
//! which only adds silent steps, and no predicate is ever needed for them.
//! DIVERGENCE: nothing is removed, so that counterexamples stay paths of the program; a branch after which
//! the end may be out of reach keeps its condition. Only for questions that do not see silent steps.

use super::{CellId, Component, EdgeId, NodeId};
use base::{Id, IndexVec};
use logic::TermId;
use logic::term::symbols_in;
use rustc_hash::FxHashMap;

/// Components with more locations are left as they are.
const MOST_LOCATIONS: usize = 4000;

impl Component {
    /// Takes the conditions away from branches that do not matter to events.
    pub fn forget_irrelevant_branches(&mut self) {
        if self.nodes.len() > MOST_LOCATIONS {
            return;
        }
        let relevant = Relevance::of(self);
        for edge in self.edges.ids() {
            let step = &mut self.edges[edge];
            if step.is_branch && !relevant.edges[edge] {
                step.guard = step.defined;
            }
        }
    }

    /// Gives all branches their conditions back; true if some had none.
    pub fn remember_all_branches(&mut self) -> bool {
        let mut changed = false;
        for step in self.edges.iter_mut() {
            changed |= step.guard != step.full_guard;
            step.guard = step.full_guard;
        }
        changed
    }
}

struct Relevance {
    edges: IndexVec<EdgeId, bool>,
}

impl Relevance {
    fn of(component: &Component) -> Relevance {
        let depends = control_dependence(component);
        let cell_of: FxHashMap<TermId, CellId> =
            component.cells.iter_enumerated().map(|(id, cell)| (cell.symbol, id)).collect();
        let cells_in = |term: TermId| -> Vec<CellId> {
            let symbols = symbols_in(&component.pool, &[term]);
            symbols.iter().filter_map(|symbol| cell_of.get(symbol).copied()).collect()
        };
        let mut writers: IndexVec<CellId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), component.cells.len());
        for (id, edge) in component.edges.iter_enumerated() {
            edge.updates.iter().for_each(|&(cell, _)| writers[cell].push(id));
        }
        let mut edges: IndexVec<EdgeId, bool> = IndexVec::filled(false, component.edges.len());
        let mut cells: IndexVec<CellId, bool> = IndexVec::filled(false, component.cells.len());
        let mut open: Vec<EdgeId> = Vec::new();
        for (id, edge) in component.edges.iter_enumerated() {
            let restricts = !edge.is_branch && edge.guard != edge.defined;
            if edge.event.is_some() || edge.trouble.is_some() || restricts || component.nodes[edge.to].is_end
            {
                open.push(id);
            }
        }
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut edges[id], true) {
                continue;
            }
            let edge = &component.edges[id];
            let mut read = cells_in(edge.guard);
            // Of a step with updates only those that matter are looked at; the cells it writes say which.
            for &(cell, value) in &edge.updates {
                if cells[cell] || edge.event.is_some() {
                    read.extend(cells_in(value));
                }
            }
            for cell in read {
                if !std::mem::replace(&mut cells[cell], true) {
                    for &writer in &writers[cell] {
                        // Looked at again: another of its updates matters now.
                        edges[writer] = false;
                        open.push(writer);
                    }
                }
            }
            for &branch in &depends[edge.from] {
                open.extend(component.nodes[branch].out.iter().copied().filter(|&own| !edges[own]));
            }
            // The sides of one branch matter together.
            if edge.is_branch {
                open.extend(component.nodes[edge.from].out.iter().copied().filter(|&own| !edges[own]));
            }
        }
        Relevance { edges }
    }
}

/// For each location the branches that decide whether it is reached.
fn control_dependence(component: &Component) -> IndexVec<NodeId, Vec<NodeId>> {
    let count = component.nodes.len();
    let words = count.div_ceil(64);
    // Locations that can end, backwards.
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in &component.edges {
        into[edge.to.index()].push(edge.from.index());
    }
    let mut can_end = vec![false; count];
    let mut open: Vec<usize> =
        (0..count).filter(|&node| component.nodes[NodeId::from_index(node)].out.is_empty()).collect();
    let ends = open.clone();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut can_end[node], true) {
            open.extend(&into[node]);
        }
    }
    // Postdominators as bit sets, largest solution.
    let mut after: Vec<Vec<u64>> = vec![vec![u64::MAX; words]; count];
    for &node in &ends {
        after[node] = vec![0; words];
        after[node][node / 64] |= 1 << (node % 64);
    }
    let mut order: Vec<usize> = (0..count).rev().collect();
    order.retain(|node| can_end[*node] && !ends.contains(node));
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &order {
            let mut own = vec![u64::MAX; words];
            for (_, edge) in component.out(NodeId::from_index(node)) {
                let to = edge.to.index();
                if can_end[to] {
                    own.iter_mut().zip(&after[to]).for_each(|(word, other)| *word &= other);
                }
            }
            own[node / 64] |= 1 << (node % 64);
            if own != after[node] {
                after[node] = own;
                changed = true;
            }
        }
    }
    let mut depends: IndexVec<NodeId, Vec<NodeId>> = IndexVec::filled(Vec::new(), count);
    for branch in (0..count).map(NodeId::from_index) {
        let out: Vec<usize> = component.out(branch).map(|(_, edge)| edge.to.index()).collect();
        if out.len() < 2 {
            continue;
        }
        let loses_end = out.iter().any(|&to| !can_end[to]);
        for node in 0..count {
            let comes_after = |from: usize| after[from][node / 64] >> (node % 64) & 1 == 1;
            let always = comes_after(branch.index()) && node != branch.index();
            if loses_end || (!always && out.iter().any(|&to| comes_after(to))) {
                depends[NodeId::from_index(node)].push(branch);
            }
        }
    }
    depends
}
