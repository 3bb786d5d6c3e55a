//! Cells that hold what another cell holds: whoever reads them reads the other cell (available copies, as in
//! any compiler: Kildall 1973). A component then needs no predicates about the copies: a `switch` looks at
//! `s->state`, not at the temporary that the normalised program puts between.
//! DIVERGENCE: only reads are rewritten and writes stay, so that runs are shown as the program makes them.
//! The one exception: where a value was saved and is put back later, a write in between that nobody reads is
//! left out, because it alone hides that the saved value is still there.

use super::{CellId, Component, Edge, EdgeId, NodeId};
use crate::predicates::conjuncts;
use base::IndexVec;
use logic::TermId;
use logic::term::symbols_in;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which other cell's symbol a cell is equal to.
type Copies = FxHashMap<CellId, TermId>;

/// Rounds of rewriting: each may uncover new copies.
const MOST_ROUNDS: usize = 4;

impl Component {
    /// Lets every step read the originals of copies.
    pub(super) fn read_originals(&mut self) {
        let cell_of: FxHashMap<TermId, CellId> =
            self.cells.iter_enumerated().map(|(id, cell)| (cell.symbol, id)).collect();
        for edge in self.edges.ids().collect::<Vec<_>>() {
            for at in 0..self.edges[edge].updates.len() {
                let value = self.edges[edge].updates[at].1;
                self.edges[edge].updates[at].1 = self.simplifier.simplify(&mut self.pool, value);
            }
        }
        for _ in 0..MOST_ROUNDS {
            let copies = self.copies(&cell_of);
            let is_rewritten = self.rewrite(&copies);
            let is_shorter = self.leave_out_hidden_writes(&copies, &cell_of);
            if !is_rewritten && !is_shorter {
                break;
            }
        }
    }

    /// The copies at each location; none where control does not get to.
    fn copies(&self, cell_of: &FxHashMap<TermId, CellId>) -> IndexVec<NodeId, Option<Copies>> {
        let mut at: IndexVec<NodeId, Option<Copies>> = IndexVec::filled(None, self.nodes.len());
        at[self.entry] = Some(Copies::default());
        let mut open = vec![self.entry];
        while let Some(node) = open.pop() {
            let Some(before) = at[node].clone() else { continue };
            for &edge in &self.nodes[node].out {
                let after = self.copies_after(edge, &before, cell_of);
                let to = self.edges[edge].to;
                let changed = match &mut at[to] {
                    unknown @ None => {
                        *unknown = Some(after);
                        true
                    }
                    Some(known) => {
                        let count = known.len();
                        known.retain(|cell, value| after.get(cell) == Some(value));
                        known.len() != count
                    }
                };
                if changed {
                    open.push(to);
                }
            }
        }
        at
    }

    /// What a step writes is taken as it stands: if copies of copies were followed here, what is known at a
    /// location could change from one original to another instead of only shrinking.
    fn copies_after(&self, edge: EdgeId, before: &Copies, cell_of: &FxHashMap<TermId, CellId>) -> Copies {
        let updates = &self.edges[edge].updates;
        if updates.is_empty() {
            return before.clone();
        }
        let written: FxHashSet<CellId> = updates.iter().map(|(cell, _)| *cell).collect();
        let is_written = |term: TermId| cell_of.get(&term).is_some_and(|cell| written.contains(cell));
        let mut after: Copies = before
            .iter()
            .filter(|&(cell, &value)| !written.contains(cell) && !is_written(value))
            .map(|(&cell, &value)| (cell, value))
            .collect();
        for &(cell, value) in updates {
            if cell_of.contains_key(&value) && !is_written(value) {
                after.insert(cell, value);
            }
        }
        after
    }

    fn replacements(&self, copies: &Copies) -> FxHashMap<TermId, TermId> {
        copies.iter().map(|(&cell, &value)| (self.cells[cell].symbol, value)).collect()
    }

    fn replaced(&mut self, term: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        if !symbols_in(&self.pool, &[term]).iter().any(|symbol| map.contains_key(symbol)) {
            return term;
        }
        let term = self.pool.substitute(term, map);
        self.simplifier.simplify(&mut self.pool, term)
    }

    /// Conjunct by conjunct, so that what two conditions have in common stays common.
    fn replaced_condition(&mut self, condition: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        let parts = conjuncts(self, condition);
        let mut is_changed = false;
        let parts: Vec<TermId> = parts
            .into_iter()
            .map(|part| {
                let replaced = self.replaced(part, map);
                is_changed |= replaced != part;
                replaced
            })
            .collect();
        if is_changed { self.pool.all_of(&parts) } else { condition }
    }

    fn rewrite(&mut self, copies: &IndexVec<NodeId, Option<Copies>>) -> bool {
        let mut is_changed = false;
        for edge in self.edges.ids().collect::<Vec<_>>() {
            let Some(known) = copies[self.edges[edge].from].as_ref().filter(|known| !known.is_empty()) else {
                continue;
            };
            let map = self.replacements(known);
            let Edge { guard, defined, full_guard, .. } = self.edges[edge];
            let updates = self.edges[edge].updates.clone();
            let new = [guard, defined, full_guard].map(|condition| self.replaced_condition(condition, &map));
            let new_updates: Vec<_> =
                updates.iter().map(|&(cell, value)| (cell, self.replaced(value, &map))).collect();
            is_changed |= new != [guard, defined, full_guard] || new_updates != updates;
            let step = &mut self.edges[edge];
            [step.guard, step.defined, step.full_guard] = new;
            step.updates = new_updates;
        }
        is_changed
    }

    /// Leaves out writes to cells whose value is saved elsewhere, where nobody reads what is written, and
    /// writes that change nothing to cells that were saved.
    fn leave_out_hidden_writes(
        &mut self,
        copies: &IndexVec<NodeId, Option<Copies>>,
        cell_of: &FxHashMap<TermId, CellId>,
    ) -> bool {
        let live = self.live_cells(cell_of);
        let mut is_changed = false;
        for edge in self.edges.ids().collect::<Vec<_>>() {
            let (from, to) = (self.edges[edge].from, self.edges[edge].to);
            let Some(known) = &copies[from] else { continue };
            let saved: FxHashSet<CellId> =
                known.values().filter_map(|value| cell_of.get(value).copied()).collect();
            if saved.is_empty() {
                continue;
            }
            let cells = &self.cells;
            let step = &mut self.edges[edge];
            let count = step.updates.len();
            step.updates.retain(|(cell, value)| {
                let is_hidden = saved.contains(cell) && !live[to].contains(cell);
                let changes_nothing = cells[*cell].symbol == *value;
                !is_hidden && !changes_nothing
            });
            is_changed |= step.updates.len() != count;
        }
        is_changed
    }

    /// The cells whose values may be read from each location on. What the question and the user speak about
    /// always is.
    fn live_cells(&self, cell_of: &FxHashMap<TermId, CellId>) -> IndexVec<NodeId, FxHashSet<CellId>> {
        let cells_in = |terms: &[TermId]| -> Vec<CellId> {
            let symbols = symbols_in(&self.pool, terms);
            symbols.iter().filter_map(|symbol| cell_of.get(symbol).copied()).collect()
        };
        let mut always: FxHashSet<CellId> = cells_in(&self.propositions).into_iter().collect();
        always.extend(cells_in(&self.supplied));
        let mut live: IndexVec<NodeId, FxHashSet<CellId>> = IndexVec::filled(always, self.nodes.len());
        let mut into: IndexVec<NodeId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), self.nodes.len());
        for (id, edge) in self.edges.iter_enumerated() {
            into[edge.to].push(id);
            live[edge.from].extend(cells_in(&[edge.guard, edge.defined, edge.full_guard]));
        }
        let mut open: Vec<NodeId> = self.nodes.ids().collect();
        while let Some(node) = open.pop() {
            for &id in &into[node] {
                let edge = &self.edges[id];
                let mut before: Vec<CellId> = live[node].iter().copied().collect();
                before.retain(|cell| !edge.updates.iter().any(|(written, _)| written == cell));
                // A value is read if it is written to where it is read.
                for (cell, value) in &edge.updates {
                    if live[node].contains(cell) {
                        before.extend(cells_in(&[*value]));
                    }
                }
                let count = live[edge.from].len();
                live[edge.from].extend(before);
                if live[edge.from].len() != count {
                    open.push(edge.from);
                }
            }
        }
        live
    }
}
