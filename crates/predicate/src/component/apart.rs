//! Locations told apart by constants: where a loop counter, an index or what a library function keeps for itself is a
//! constant on the way, each of its values gets locations of its own, and everything is simplified by it
//! (polyvariant partial evaluation: Jones, Gomard, Sestoft 1993; the explicit values of Beyer and Löwe 2013, for a
//! few variables). A loop over a constant table or a short string then has no conditions left that would need
//! predicates.
//! DIVERGENCE: values are told apart only for variables that choose elements of arrays, counters, pointers and
//! bytes of strings, and only as long as there are few of them; the others stay with predicates.
//!
//! Worked example: `for (i = 0; i < 2; i++) if (t[i] == x) …` with `t` constant. The location of the test `i < 2` becomes
//! three, for `i` 0, 1 and 2: two where the loop goes on and compares `x` with a constant, one where it is left.

use super::inline::{RawAction, RawEdge};
use super::{CellId, Component, Condition, Edge, EdgeId, Node, NodeId};
use base::IndexVec;
use indexmap::IndexMap;
use logic::TermId;
use logic::term::{Op, symbols_in};
use program::rewrite::{self, Rewrite};
use program::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, VariableId};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Values of one variable at one location: with more, it is not told apart.
const MOST_VALUES: usize = 72;
/// Locations of the component afterwards.
const MOST_NODES: usize = 4000;

/// Variables that choose an element of an array, or walk through one as pointers do.
#[derive(Default)]
pub(super) struct Choosing {
    found: BTreeSet<VariableId>,
    is_inside: bool,
}

/// Variables that count: some step adds a constant to them.
pub(super) fn counters(steps: &[RawEdge]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for action in steps.iter().flat_map(|step| &step.actions) {
        let RawAction::Assign(target, value) = action else { continue };
        let mut value = value;
        while let ExprKind::Cast(inner) = &value.kind {
            value = inner;
        }
        if let (Some(target), ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right)) =
            (target.as_variable(), &value.kind)
            && right.as_integer().is_some()
        {
            let mut left = &**left;
            while let ExprKind::Cast(inner) = &left.kind {
                left = inner;
            }
            if matches!(&left.kind, ExprKind::Load(place) if place.as_variable() == Some(target)) {
                found.insert(target);
            }
        }
    }
    found
}

impl Choosing {
    /// Those of these steps, and those whose values they get.
    pub fn in_steps(steps: &[RawEdge]) -> BTreeSet<VariableId> {
        let mut choosing = Choosing::direct(steps);
        loop {
            let before = choosing.found.len();
            for action in steps.iter().flat_map(|step| &step.actions) {
                if let RawAction::Assign(target, value) = action
                    && target.as_variable().is_some_and(|variable| choosing.found.contains(&variable))
                {
                    choosing.inside(|own| own.expr(&mut value.clone()));
                }
            }
            if choosing.found.len() == before {
                return choosing.found;
            }
        }
    }

    fn direct(steps: &[RawEdge]) -> Choosing {
        let mut choosing = Choosing::default();
        for action in steps.iter().flat_map(|step| &step.actions) {
            match action {
                RawAction::Assume(condition) => choosing.condition(condition),
                RawAction::Assign(target, value) => {
                    choosing.place(&mut target.clone());
                    choosing.expr(&mut value.clone());
                }
                RawAction::Unknown { target, .. } => choosing.place(&mut target.clone()),
                RawAction::Begin(_)
                | RawAction::Free(_)
                | RawAction::Indirect { .. }
                | RawAction::Clobber { .. } => {}
            }
        }
        choosing
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Constant(_) => {}
            Condition::Test(expr) => self.expr(&mut expr.clone()),
            Condition::Not(inner) => self.condition(inner),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| self.condition(part))
            }
            Condition::Room { at, bytes, .. } => self.inside(|own| {
                own.expr(&mut at.clone());
                own.expr(&mut bytes.clone());
            }),
            Condition::Apart { one, other } => {
                for (at, bytes) in [one, other] {
                    self.inside(|own| {
                        own.expr(&mut at.clone());
                        own.expr(&mut bytes.clone());
                    });
                }
            }
        }
    }

    fn inside(&mut self, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_inside, true);
        look(self);
        self.is_inside = before;
    }
}

impl Rewrite for Choosing {
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::PointerOffset { pointer, index } => self.inside(|own| {
                own.expr(pointer);
                own.expr(index);
            }),
            _ => rewrite::inside_expr(self, expr),
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let (true, PlaceBase::Variable(variable), []) =
            (self.is_inside, &place.base, place.path.as_slice())
        {
            self.found.insert(*variable);
        }
        if let PlaceBase::Pointer(pointer) = &mut place.base {
            self.expr(pointer);
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step {
                self.inside(|own| own.expr(index));
            }
        }
    }
}

/// The constants that are known at a location.
type Constants = BTreeMap<CellId, TermId>;

/// Locations, steps, and where it starts.
type ToldApart = (IndexVec<NodeId, Node>, IndexVec<EdgeId, Edge>, NodeId);

/// What did not work out: this cell has too many values.
struct TooMany(CellId);

impl Component {
    /// Tells locations apart by the constants that these cells are there, as far as they are few: a cell with too many
    /// is left to predicates.
    pub(super) fn tell_constants_apart(&mut self, wanted: &[CellId]) {
        let mut wanted: Vec<CellId> = wanted.to_vec();
        let always = self.never_written();
        while !wanted.is_empty() {
            let live = self.live(&wanted);
            match self.told_apart(&live, &always) {
                Ok((nodes, edges, entry)) => {
                    (self.nodes, self.edges, self.entry) = (nodes, edges, entry);
                    return;
                }
                Err(TooMany(cell)) => wanted.retain(|&one| one != cell),
            }
        }
    }

    /// Cells that no step writes and whose value at the start is a constant.
    fn never_written(&self) -> FxHashMap<TermId, TermId> {
        let written: FxHashSet<CellId> =
            self.edges.iter().flat_map(|edge| edge.updates.iter().map(|(cell, _)| *cell)).collect();
        let own: FxHashSet<TermId> = self
            .cells
            .iter_enumerated()
            .filter(|(id, _)| !written.contains(id))
            .map(|(_, cell)| cell.symbol)
            .collect();
        let mut found = self.constants_at_start();
        found.retain(|symbol, _| own.contains(symbol));
        found
    }

    /// Which of these cells start with a constant.
    fn known_at_start(&self, wanted: &FxHashSet<CellId>) -> Constants {
        let constants = self.constants_at_start();
        let known = |&cell: &CellId| Some((cell, *constants.get(&self.cells[cell].symbol)?));
        wanted.iter().filter_map(known).collect()
    }

    /// What starts with a constant.
    fn constants_at_start(&self) -> FxHashMap<TermId, TermId> {
        let mut found = FxHashMap::default();
        for fact in crate::predicates::conjuncts(self, self.initial) {
            if self.pool.op(fact) != Op::Equal {
                continue;
            }
            let sides = self.pool.arguments(fact);
            let is_constant = |term: TermId| self.pool.constant_value(term).is_some();
            let pair = match (is_constant(sides[0]), is_constant(sides[1])) {
                (true, false) => (sides[1], sides[0]),
                (false, true) => (sides[0], sides[1]),
                _ => continue,
            };
            found.insert(pair.0, pair.1);
        }
        found
    }

    /// Which of these cells may be read later, by location.
    fn live(&self, wanted: &[CellId]) -> IndexVec<NodeId, FxHashSet<CellId>> {
        let cell_of: FxHashMap<TermId, CellId> =
            wanted.iter().map(|&id| (self.cells[id].symbol, id)).collect();
        let mut reads: IndexVec<EdgeId, FxHashSet<CellId>> = IndexVec::new();
        let mut writes: IndexVec<EdgeId, FxHashSet<CellId>> = IndexVec::new();
        let mut into: IndexVec<NodeId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), self.nodes.len());
        for (id, edge) in self.edges.iter_enumerated() {
            let mut terms = vec![edge.guard, edge.defined, edge.full_guard];
            terms.extend(edge.updates.iter().map(|(_, value)| *value));
            let symbols = symbols_in(&self.pool, &terms);
            reads.push(symbols.iter().filter_map(|symbol| cell_of.get(symbol).copied()).collect());
            writes.push(edge.updates.iter().map(|(cell, _)| *cell).collect());
            into[edge.to].push(id);
        }
        let mut live: IndexVec<NodeId, FxHashSet<CellId>> =
            IndexVec::filled(FxHashSet::default(), self.nodes.len());
        let mut open: Vec<NodeId> = self.nodes.ids().collect();
        while let Some(node) = open.pop() {
            for &edge in &into[node] {
                let from = self.edges[edge].from;
                let before = live[from].len();
                let kept: Vec<CellId> =
                    live[node].iter().copied().filter(|cell| !writes[edge].contains(cell)).collect();
                live[from].extend(kept);
                live[from].extend(reads[edge].iter().copied());
                if live[from].len() > before {
                    open.push(from);
                }
            }
        }
        live
    }

    fn told_apart(
        &mut self,
        live: &IndexVec<NodeId, FxHashSet<CellId>>,
        always: &FxHashMap<TermId, TermId>,
    ) -> Result<ToldApart, TooMany> {
        let mut places: IndexMap<(NodeId, Constants), NodeId, FxBuildHasher> = IndexMap::default();
        let mut values: FxHashMap<(NodeId, CellId), FxHashSet<TermId>> = FxHashMap::default();
        let mut nodes: IndexVec<NodeId, Node> = IndexVec::new();
        let mut edges: IndexVec<EdgeId, Edge> = IndexVec::new();
        let mut place =
            |component: &Component, nodes: &mut IndexVec<NodeId, Node>, node: NodeId, known: Constants| {
                if let Some(&there) = places.get(&(node, known.clone())) {
                    return Ok((there, None));
                }
                for (&cell, &value) in &known {
                    let own = values.entry((node, cell)).or_default();
                    own.insert(value);
                    if own.len() > MOST_VALUES {
                        return Err(TooMany(cell));
                    }
                }
                if nodes.len() >= MOST_NODES {
                    // The one that takes most locations is given up.
                    let mut counts: FxHashMap<CellId, usize> = FxHashMap::default();
                    for ((_, cell), own) in &values {
                        *counts.entry(*cell).or_default() += own.len() - 1;
                    }
                    let most = counts.into_iter().max_by_key(|&(cell, count)| (count, cell));
                    return Err(TooMany(most.map_or(base::Id::from_index(0), |(cell, _)| cell)));
                }
                let plain = &component.nodes[node];
                let made = nodes.push(Node { out: Vec::new(), span: plain.span, is_end: plain.is_end });
                places.insert((node, known.clone()), made);
                Ok((made, Some((node, known))))
            };
        let at_start = self.known_at_start(&live[self.entry]);
        let (entry, first) = place(self, &mut nodes, self.entry, at_start)?;
        let mut open: Vec<(NodeId, (NodeId, Constants))> =
            first.into_iter().map(|one| (entry, one)).collect();
        while let Some((made, (node, known))) = open.pop() {
            let mut map: FxHashMap<TermId, TermId> = always.clone();
            map.extend(known.iter().map(|(&cell, &value)| (self.cells[cell].symbol, value)));
            for id in self.nodes[node].out.clone() {
                let plain = self.edges[id].clone();
                let guard = self.known_to_be(plain.guard, &map);
                let defined = self.known_to_be(plain.defined, &map);
                if self.pool.bool_value(guard) == Some(false) && self.pool.bool_value(defined) != Some(false)
                {
                    continue;
                }
                let full_guard = self.known_to_be(plain.full_guard, &map);
                let mut updates = Vec::with_capacity(plain.updates.len());
                let mut after = known.clone();
                for &(cell, value) in &plain.updates {
                    let value = self.known_to_be(value, &map);
                    if value != self.cells[cell].symbol {
                        updates.push((cell, value));
                    }
                    match self.pool.constant_value(value) {
                        Some(_) => after.insert(cell, value),
                        None => after.remove(&cell),
                    };
                }
                after.retain(|cell, _| live[plain.to].contains(cell));
                let (to, is_new) = place(self, &mut nodes, plain.to, after)?;
                open.extend(is_new.map(|one| (to, one)));
                let edge = edges.push(Edge { from: made, to, guard, defined, full_guard, updates, ..plain });
                nodes[made].out.push(edge);
            }
        }
        Ok((nodes, edges, entry))
    }

    fn known_to_be(&mut self, term: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        if !symbols_in(&self.pool, &[term]).iter().any(|symbol| map.contains_key(symbol)) {
            return term;
        }
        let term = self.pool.substitute(term, map);
        self.simplifier.simplify(&mut self.pool, term)
    }
}
