//! Where the steps and cells of a component come from in the program: what a run on real values needs to
//! know.

use super::conditions::Condition;
use super::inline::RawEdge;
use super::memory::{ObjectPart, Root, Selector};
use super::{CellId, NodeId};
use base::{Id, IndexVec};
use program::{EdgeId, ProcedureId, Projection, TypeTable, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The step of the program that a step of the component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A call of this procedure begins.
    Entry(ProcedureId),
    /// An edge of a procedure.
    Step(ProcedureId, EdgeId),
    /// One way to go on inside a call that the specification answers: the call's edge, and which way.
    CaseOfCall(ProcedureId, EdgeId, u32),
}

/// What became of a step of the program.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub kind: SiteKind,
    /// Its steps, over the objects of the component.
    pub ways: Vec<RawEdge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteKind {
    /// One step with another meaning: a call of a missing function, an unknown value.
    Single,
    /// A call through a pointer, where the pointer leads to no function of the program.
    Indirect,
    /// Nothing comes after it.
    Ends,
    /// The component returns.
    Return,
    /// What the specification says about a call, between these locations.
    Routine { from: NodeId, to: NodeId },
}

/// Where a component comes from.
#[derive(Debug)]
pub struct Origins {
    pub(super) types: TypeTable,
    pub(super) roots: IndexVec<VariableId, Root>,
    /// The variable of the program that an object is, if it is one.
    pub(super) variables: FxHashMap<VariableId, VariableId>,
    /// What the terms take for the addresses of objects.
    pub(super) addresses: FxHashMap<VariableId, u64>,
    pub(super) spots: IndexVec<CellId, ObjectPart>,
    /// Objects that are allocated again and again.
    pub(super) pools: super::pool::Pools,
    /// The names of the program's functions.
    pub(super) functions: IndexVec<ProcedureId, std::sync::Arc<str>>,
    pub(super) entered: BTreeSet<ProcedureId>,
    pub(super) sites: FxHashMap<(ProcedureId, EdgeId), Site>,
    pub(super) propositions: Vec<Condition>,
    /// Steps that nothing competes with and that do nothing: the component does not have them.
    pub(super) settled: FxHashSet<Origin>,
    /// The pointer from outside that leads to an object.
    pub(super) pointers: FxHashMap<VariableId, ObjectPart>,
}

/// A place that all components of a program mean by the same words: an object with static storage, what a
/// pointer from outside in such an object leads to, or a part of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StaticPlace {
    /// The variable that it begins with.
    pub variable: VariableId,
    hops: Vec<Hop>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hop {
    Part(Selector),
    /// To where the pointer leads.
    Behind,
}

impl Origins {
    /// The way from an object to a cell.
    pub(super) fn projections(&mut self, cell: CellId) -> Vec<Projection> {
        let int = self.types.int();
        let step = |selector: &Selector| match *selector {
            Selector::Field(record, index) => Projection::Field(record, index),
            Selector::Index(at) => {
                Projection::Index(Box::new(program::Expr::integer(u128::from(at), int, &self.types)))
            }
        };
        self.spots[cell].path.iter().map(step).collect()
    }

    /// The place of the program that a cell of this type is, if it is one.
    pub(super) fn program_place(&mut self, cell: CellId, ty: program::TypeId) -> Option<program::Place> {
        let is_union = |selector: &Selector| match *selector {
            Selector::Field(record, _) => self.types.records[record].kind == program::RecordKind::Union,
            Selector::Index(_) => false,
        };
        let spot = &self.spots[cell];
        if spot.path.iter().any(is_union) {
            return None;
        }
        let mut place = program::Place::variable(*self.variables.get(&spot.root)?, ty);
        place.path = self.projections(cell);
        Some(place)
    }

    /// The object that begins at an address.
    pub(super) fn object_at(&self, address: i128) -> Option<String> {
        let found = self.addresses.iter().find(|(_, own)| i128::from(**own) == address);
        let name = found.map(|(&root, _)| &self.roots[root].name)?;
        Some(name.strip_prefix('*').map_or_else(|| name.to_string(), |pointer| format!("(*{pointer})")))
    }

    /// The object that a cell is part of, as all components call it; how people call it here comes with it.
    pub(super) fn static_object(&self, cell: CellId) -> Option<(StaticPlace, &str)> {
        let root = self.spots[cell].root;
        Some((self.object(root)?, &self.roots[root].name))
    }

    /// The place that a cell is, as all components call it.
    pub(super) fn static_place(&self, cell: CellId) -> Option<StaticPlace> {
        self.place(&self.spots[cell])
    }

    fn place(&self, spot: &ObjectPart) -> Option<StaticPlace> {
        let mut place = self.object(spot.root)?;
        place.hops.extend(spot.path.iter().map(|&part| Hop::Part(part)));
        Some(place)
    }

    fn object(&self, root: VariableId) -> Option<StaticPlace> {
        if let Some(&variable) = self.variables.get(&root) {
            return Some(StaticPlace { variable, hops: Vec::new() });
        }
        let mut place = self.place(self.pointers.get(&root)?)?;
        place.hops.push(Hop::Behind);
        Some(place)
    }

    /// Does a run ask before it goes this way? Not where a condition decides, and not where there is no other
    /// way and nobody sees it.
    pub fn is_asked(&self, origin: Origin) -> bool {
        let Origin::CaseOfCall(procedure, edge, number) = origin else { return true };
        let Some(site) = self.sites.get(&(procedure, edge)) else { return true };
        let Some(way) = site.ways.get(number as usize) else { return true };
        let mut beside = site.ways.iter().filter(|other| other.from == way.from);
        let is_only = beside.clone().count() == 1 && way.event.is_none();
        let is_settled = beside.any(|other| other.origin.is_some_and(|one| self.settled.contains(&one)));
        !is_only && !is_settled && !way.is_branch
    }

    /// The name under which a run asks which way to go on at this step.
    pub fn way_name((procedure, edge): (ProcedureId, EdgeId)) -> String {
        format!("way {procedure} {edge}")
    }

    /// The name under which a run asks for the value that this step writes.
    pub(super) fn value_name((procedure, edge): (ProcedureId, EdgeId)) -> String {
        format!("value {procedure} {edge}")
    }

    /// The name under which a run asks for the value that a cell begins its life with.
    pub(super) fn begin_name(&self, at: Origin, cell: CellId) -> Option<String> {
        let spot = &self.spots[cell];
        let variable = self.variables.get(&spot.root)?;
        Some(format!("begin {at:?} {} {:?}", variable.index(), spot.path))
    }
}
