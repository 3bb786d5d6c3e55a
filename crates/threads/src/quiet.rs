//! Accesses that no other thread disturbs: of what nobody writes while several threads run, what one thread only touches then, or what a lock
//! protects at every access. They move both ways.
//!
//! Where all writes of a variable are made under one lock, reads under that lock move both ways too, whoever
//! reads it without. Atomic sections move as their accesses do together.
//!
//! Source: lock sets after Savage et al. (Eraser, 1997), here as a proof: every access is looked at, and a
//! lock counts where it is held on all ways to the access. Locks are those of the library and those that the
//! program makes of its variables (`own_locks`).

use crate::all_ways::on_all_ways;
use crate::mode::{Mover, ThreadIndex};
use crate::own_locks::{OwnLocks, sections};
use crate::weave::Weaver;
use program::points_to::{CellId, ObjectId, ObjectKind};
use program::{Expr, NodeId, Place, PointsTo, ProcedureId, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Bytes that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    Cell(CellId),
    Register(VariableId),
}

/// An access that others may see.
pub struct Accessed {
    /// Where it is made.
    pub node: NodeId,
    thread: ThreadIndex,
    /// The place of the program whose steps are copied.
    origin: Option<(ProcedureId, NodeId)>,
    /// The variable, if it is one by its name.
    pub variable: Option<VariableId>,
    locations: Vec<Location>,
    /// Or does it only read?
    pub is_write: bool,
}

/// What happened in a sequential program that matters here.
#[derive(Default)]
pub struct Log {
    /// Accesses made while several threads run.
    pub accesses: Vec<Accessed>,
    /// Nodes whose step is made while there is one thread only.
    pub alone: FxHashSet<NodeId>,
    /// Nodes whose step is made in an atomic section.
    pub in_section: FxHashSet<NodeId>,
    /// Where sections begin while several threads run, with the place of the program; where they end.
    pub section_starts: Vec<(NodeId, (ProcedureId, NodeId))>,
    pub section_ends: FxHashSet<NodeId>,
    /// Objects that pointers lead to where nobody knows which object it is.
    pub unresolved: FxHashSet<ObjectId>,
    /// Is a mutex set up, or destroyed where that must not be done while it is locked, while several threads run? Then others see whether it is locked.
    pub sets_up_mutexes: bool,
    takes: FxHashMap<NodeId, VariableId>,
    gives_back: FxHashMap<NodeId, VariableId>,
    /// A pointer may lead anywhere: no memory is quiet.
    is_open: bool,
}

impl Log {
    /// A thread accesses a place, at a node.
    #[allow(clippy::too_many_arguments)]
    pub fn access(
        &mut self,
        node: NodeId,
        thread: ThreadIndex,
        origin: Option<(ProcedureId, NodeId)>,
        place: &Place,
        is_write: bool,
        program: &Program,
        points_to: &PointsTo,
    ) {
        self.is_open |= points_to
            .locations(program, place)
            .iter()
            .any(|target| points_to.object(target.object) == ObjectKind::Unknown);
        let locations = locations(program, points_to, place);
        let variable = place.as_variable();
        self.accesses.push(Accessed { node, thread, origin, variable, locations, is_write });
    }

    /// A function writes to anything that a value points to.
    pub fn all_behind(
        &mut self,
        node: NodeId,
        thread: ThreadIndex,
        value: &Expr,
        program: &Program,
        points_to: &PointsTo,
    ) {
        let locations = all_behind(program, points_to, value);
        self.is_open |= locations.is_none();
        let locations = locations.unwrap_or_default();
        let (origin, variable) = (None, None);
        self.accesses.push(Accessed { node, thread, origin, variable, locations, is_write: true });
    }

    /// A named lock is taken by the steps that leave a node.
    pub fn takes(&mut self, node: NodeId, owner: &Place) {
        if let Some(lock) = owner.as_variable() {
            self.takes.insert(node, lock);
        }
    }

    /// A named lock is given back.
    pub fn gives_back(&mut self, node: NodeId, owner: &Place) {
        if let Some(lock) = owner.as_variable() {
            self.gives_back.insert(node, lock);
        }
    }
}

fn locations(program: &Program, points_to: &PointsTo, place: &Place) -> Vec<Location> {
    match place.as_variable().filter(|&id| !program.variables[id].in_memory) {
        Some(id) => vec![Location::Register(id)],
        None => points_to.cells(program, place).into_iter().map(Location::Cell).collect(),
    }
}

fn all_behind(program: &Program, points_to: &PointsTo, value: &Expr) -> Option<Vec<Location>> {
    let targets = points_to.points_to(program, value);
    if targets.iter().any(|target| points_to.object(target.object) == ObjectKind::Unknown) {
        return None;
    }
    let cells = targets.iter().flat_map(|target| points_to.cells_of(target.object));
    Some(cells.map(Location::Cell).collect())
}

/// What is quiet.
#[derive(Debug, Default)]
pub struct Quiet {
    locations: FxHashSet<Location>,
    /// Places of the program where what is read cannot change meanwhile.
    reads: FxHashSet<(ProcedureId, NodeId)>,
    /// How atomic sections move, by the place where they begin.
    sections: FxHashMap<(ProcedureId, NodeId), Mover>,
    /// Does somebody look whether mutexes are locked by setting them up?
    pub sets_up_mutexes: bool,
}

impl Quiet {
    /// From a sequential program in which nothing was taken for quiet.
    pub fn of(woven: &Weaver<'_>) -> Quiet {
        let mut held = held(woven);
        let own = OwnLocks::of(woven);
        for (&node, locks) in &own.held {
            held.entry(node).or_default().extend(locks);
        }
        let nothing = BTreeSet::new();
        let mut known: FxHashMap<Location, Sight> = FxHashMap::default();
        for access in &woven.log.accesses {
            let locks = held.get(&access.node).unwrap_or(&nothing);
            for &location in &access.locations {
                let sight = known.entry(location).or_insert_with(|| Sight {
                    thread: Some(access.thread),
                    is_written: false,
                    locks: locks.clone(),
                    of_writes: None,
                });
                if access.is_write {
                    sight.of_writes = Some(match sight.of_writes.take() {
                        None => locks.clone(),
                        Some(before) => before.intersection(locks).copied().collect(),
                    });
                }
                sight.is_written |= access.is_write;
                sight.thread = sight.thread.filter(|&thread| thread == access.thread);
                sight.locks = sight.locks.intersection(locks).copied().collect();
            }
        }
        let is_quiet = |sight: &Sight| !sight.is_written || sight.thread.is_some() || !sight.locks.is_empty();
        let is_open = woven.log.is_open;
        let is_known = |location: &Location| !(is_open && matches!(location, Location::Cell(_)));
        let locations: FxHashSet<Location> = known
            .iter()
            .filter(|(location, sight)| is_quiet(sight) && is_known(location))
            .map(|(&location, _)| location)
            .collect();
        let does_not_change = |access: &Accessed, location: &Location| {
            let locks = held.get(&access.node).unwrap_or(&nothing);
            let writes = known.get(location).and_then(|sight| sight.of_writes.as_ref());
            let is_kept = writes.is_some_and(|writes| !writes.is_disjoint(locks));
            // Nobody else writes a lock that the thread has.
            let is_own = access.variable.is_some_and(|lock| own.has(access.node, lock));
            locations.contains(location) || is_own || (is_kept && is_known(location))
        };
        let moves = |access: &Accessed| {
            !access.locations.is_empty()
                && access.locations.iter().all(|location| {
                    locations.contains(location) || (!access.is_write && does_not_change(access, location))
                })
        };
        let mut reads: FxHashMap<(ProcedureId, NodeId), bool> = FxHashMap::default();
        for access in &woven.log.accesses {
            if let Some(origin) = access.origin {
                *reads.entry(origin).or_insert(true) &= !access.is_write && moves(access);
            }
        }
        let sections = sections(woven, &own, &moves);
        let reads = reads.into_iter().filter(|(_, moves)| *moves).map(|(origin, _)| origin).collect();
        Quiet { locations, reads, sections, sets_up_mutexes: woven.log.sets_up_mutexes }
    }

    /// Is what is read at the place kept from changing meanwhile?
    pub fn reads_undisturbed(&self, at: (ProcedureId, NodeId)) -> bool {
        self.reads.contains(&at)
    }

    /// How an atomic section moves that begins at the place.
    pub fn section(&self, at: (ProcedureId, NodeId)) -> Mover {
        self.sections.get(&at).copied().unwrap_or(Mover::No)
    }

    /// Is every access of the place quiet?
    pub fn has(&self, program: &Program, points_to: &PointsTo, place: &Place) -> bool {
        let found = locations(program, points_to, place);
        !found.is_empty() && found.iter().all(|location| self.locations.contains(location))
    }

    /// Is everything quiet that a value points to?
    pub fn has_all_behind(&self, program: &Program, points_to: &PointsTo, value: &Expr) -> bool {
        all_behind(program, points_to, value)
            .is_some_and(|found| found.iter().all(|location| self.locations.contains(location)))
    }
}

struct Sight {
    thread: Option<ThreadIndex>,
    is_written: bool,
    locks: BTreeSet<VariableId>,
    /// Those under which all writes are made.
    of_writes: Option<BTreeSet<VariableId>>,
}

/// Locks that are held at a node on all ways to it. A thread that was interrupted goes on with what it held.
fn held(woven: &Weaver<'_>) -> FxHashMap<NodeId, BTreeSet<VariableId>> {
    let meet =
        |one: &BTreeSet<VariableId>, other: &BTreeSet<VariableId>| one.intersection(other).copied().collect();
    on_all_ways(woven, meet, |node, locks, _| {
        let mut after = locks.clone();
        after.extend(woven.log.takes.get(&node));
        if let Some(lock) = woven.log.gives_back.get(&node) {
            after.remove(lock);
        }
        after
    })
}
