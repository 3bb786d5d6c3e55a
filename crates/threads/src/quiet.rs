//! Accesses that no other thread disturbs: of what nobody writes while several threads run, what one thread only touches then, or what a lock
//! protects at every access. They move both ways.
//!
//! Source: lock sets after Savage et al. (Eraser, 1997), here as a proof: every access is looked at, and a lock counts where it is held on all ways to the access.

use crate::mode::ThreadIndex;
use crate::weave::Weaver;
use program::points_to::{CellId, ObjectKind};
use program::{Expr, NodeId, Place, PointsTo, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Bytes that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    Cell(CellId),
    Register(VariableId),
}

struct Accessed {
    node: NodeId,
    thread: ThreadIndex,
    locations: Vec<Location>,
    is_write: bool,
}

/// What happened in a sequential program that matters here.
#[derive(Default)]
pub struct Log {
    accesses: Vec<Accessed>,
    takes: FxHashMap<NodeId, VariableId>,
    gives_back: FxHashMap<NodeId, VariableId>,
    /// A pointer may lead anywhere: no memory is quiet.
    is_open: bool,
}

impl Log {
    /// A thread accesses a place, at a node.
    pub fn access(
        &mut self,
        node: NodeId,
        thread: ThreadIndex,
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
        self.accesses.push(Accessed { node, thread, locations, is_write });
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
        self.accesses.push(Accessed { node, thread, locations, is_write: true });
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
}

impl Quiet {
    /// From a sequential program in which nothing was taken for quiet.
    pub fn of(woven: &Weaver<'_>) -> Quiet {
        let held = held(woven);
        let nothing = BTreeSet::new();
        let mut known: FxHashMap<Location, Sight> = FxHashMap::default();
        for access in &woven.log.accesses {
            let locks = held.get(&access.node).unwrap_or(&nothing);
            for &location in &access.locations {
                let sight = known.entry(location).or_insert_with(|| Sight {
                    thread: Some(access.thread),
                    is_written: false,
                    locks: locks.clone(),
                });
                sight.is_written |= access.is_write;
                sight.thread = sight.thread.filter(|&thread| thread == access.thread);
                sight.locks = sight.locks.intersection(locks).copied().collect();
            }
        }
        let is_quiet = |sight: &Sight| !sight.is_written || sight.thread.is_some() || !sight.locks.is_empty();
        let is_open = woven.log.is_open;
        let locations = known
            .into_iter()
            .filter(|(location, sight)| {
                is_quiet(sight) && !(is_open && matches!(location, Location::Cell(_)))
            })
            .map(|(location, _)| location)
            .collect();
        Quiet { locations }
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
}

/// Locks that are held at a node on all ways to it. A thread that was interrupted goes on with what it held.
fn held(woven: &Weaver<'_>) -> FxHashMap<NodeId, BTreeSet<VariableId>> {
    let mut goes_on: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    let mut open = vec![(woven.start(), BTreeSet::new())];
    for thread in woven.threads.iter() {
        for (position, cut) in thread.cuts.iter().enumerate() {
            let Some(resumes) = cut.resumes else { continue };
            if cut.from == resumes && position == 0 {
                open.push((resumes, BTreeSet::new()));
            } else {
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
    let mut held: FxHashMap<NodeId, BTreeSet<VariableId>> = FxHashMap::default();
    while let Some((node, locks)) = open.pop() {
        let met = match held.get(&node) {
            None => locks,
            Some(known) if known.is_subset(&locks) => continue,
            Some(known) => known.intersection(&locks).copied().collect(),
        };
        held.insert(node, met.clone());
        let mut after = met;
        if let Some(&lock) = woven.log.takes.get(&node) {
            after.insert(lock);
        }
        if let Some(lock) = woven.log.gives_back.get(&node) {
            after.remove(lock);
        }
        let next = woven.graph.nodes[node].out.iter().map(|&edge| woven.graph.edges[edge].to);
        let next = next.filter(|&to| to != woven.chooser);
        open.extend(
            next.chain(goes_on.get(&node).into_iter().flatten().copied()).map(|to| (to, after.clone())),
        );
    }
    held
}
