//! Partial-order reductions on sets of states (BOOM 6).
//!
//! Ample sets (6.2): BOOM counts a condition as a write, because taking it narrows the set for the others
//! (Example 6.1).
//! DIVERGENCE: the set is parted instead; a thread goes alone only from the states in which it can go at all,
//! the others are expanded fully. The cycle condition is BOOM's: no reduction where the thread takes a back
//! edge. Persistent sets (6.3, Alg. 6.2 and 6.3): a copy of the state per group of threads that never meet,
//! the others left out. Cartesian reduction (6.4): every thread runs ahead through its region and takes one
//! step more ([`cartesian`]).

use super::super::cartesian;
use super::super::flat::{FlatLocationId, FlatProgram};
use super::{Counters, Origin, Search, State, Stop};
use crate::trace::Trace;
use base::IndexVec;
use logic::bdd::{Bdd, BddVariable};
use question::Decided;
use rustc_hash::{FxHashMap, FxHashSet};

/// Locations with an edge that closes a loop of the flat graph.
pub(super) fn with_back_edge(flat: &FlatProgram<'_>) -> IndexVec<FlatLocationId, bool> {
    let mut back = IndexVec::filled(false, flat.locations.len());
    // 0: new, 1: open, 2: done.
    let mut marks: IndexVec<FlatLocationId, u8> = IndexVec::filled(0, flat.locations.len());
    for root in flat.locations.ids() {
        let mut stack = if marks[root] == 0 { vec![(root, 0)] } else { Vec::new() };
        marks[root] = marks[root].max(1);
        while let Some((location, next)) = stack.pop() {
            let Some(step) = flat.locations[location].edges.get(next) else {
                marks[location] = 2;
                continue;
            };
            stack.push((location, next + 1));
            if let Some(to) = step.to {
                match marks[to] {
                    0 => {
                        marks[to] = 1;
                        stack.push((to, 0));
                    }
                    1 => back[location] = true,
                    _ => {}
                }
            }
        }
    }
    back
}

impl Search<'_, '_> {
    /// Threads whose next step nobody notices go alone where they can go; the states in which none of them
    /// can are left.
    pub(super) fn go_unnoticed(
        &mut self,
        at: usize,
        counters: &Counters,
        mut rest: Bdd,
        movers: &[(usize, FlatLocationId)],
    ) -> Result<Bdd, Stop> {
        for (position, location) in movers {
            if !self.goes_unnoticed(*position, *location, movers) {
                continue;
            }
            let mut able = self.encoding.manager.constant(false);
            for relation in self.relations(*location, *position)?.iter() {
                let next: Vec<BddVariable> = relation.generic.pairs.iter().map(|(_, next)| *next).collect();
                able = able.or(&relation.relation.exists(&self.encoding.manager.variable_set(&next)?)?)?;
            }
            let part = rest.and(&able)?;
            if !part.is_false() {
                rest = rest.minus(&part)?;
                self.step(at, counters, &part, *position)?;
            }
        }
        Ok(rest)
    }

    /// BOOM Alg. 6.1 for the thread at a position.
    fn goes_unnoticed(
        &self,
        position: usize,
        location: FlatLocationId,
        threads: &[(usize, FlatLocationId)],
    ) -> bool {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let mine = &footprints.now[location];
        let mut others = threads.iter().filter(|(other, _)| *other != position);
        !footprints.enters_atomic[location]
            && !self.back[location]
            && others
                .all(|(_, location)| !mine.conflicts_with(&footprints.later[*location], footprints.count))
    }

    /// Parts the threads into groups that never meet. False if there is one group only.
    pub(super) fn part(
        &mut self,
        at: usize,
        counters: &Counters,
        set: &Bdd,
        movers: &[(usize, FlatLocationId)],
    ) -> Result<bool, Stop> {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let meet = |one: &(usize, FlatLocationId), other: &(usize, FlatLocationId)| {
            footprints.later[one.1].conflicts_with(&footprints.later[other.1], footprints.count)
        };
        let mut groups: Vec<Vec<(usize, FlatLocationId)>> = Vec::new();
        for thread in movers {
            let (met, mut apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|other| meet(thread, other)));
            let mut joined: Vec<(usize, FlatLocationId)> = met.into_iter().flatten().collect();
            joined.push(*thread);
            apart.push(joined);
            groups = apart;
        }
        if groups.len() < 2 {
            return Ok(false);
        }
        for group in groups {
            let mut counters = counters.clone();
            let mut dropped: Vec<BddVariable> = Vec::new();
            for position in 0..counters.threads.len() {
                if counters.threads[position].is_some() && group.iter().all(|(member, _)| *member != position)
                {
                    counters.threads[position] = None;
                    counters.left_out += 1;
                    dropped.extend(&self.rows[position]);
                }
            }
            let set = set.exists(&self.encoding.manager.variable_set(&dropped)?)?;
            self.add(State { counters, set, origin: Some(Origin::Parted { before: at }) })?;
        }
        Ok(true)
    }

    /// Every thread runs ahead and takes one step more; a failure on the way is the answer.
    pub(super) fn run_ahead(
        &mut self,
        at: usize,
        counters: &Counters,
        set: &Bdd,
        movers: &[(usize, FlatLocationId)],
    ) -> Result<Option<Decided<(), Trace>>, Stop> {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let locations: Vec<FlatLocationId> = movers.iter().map(|(_, location)| *location).collect();
        let regions = cartesian::regions(self.states, footprints, &locations);
        for ((position, _), inside) in movers.iter().zip(&regions) {
            if let Some(outcome) = self.run_one_ahead(at, counters, set, *position, inside)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn run_one_ahead(
        &mut self,
        at: usize,
        counters: &Counters,
        set: &Bdd,
        position: usize,
        inside: &FxHashSet<FlatLocationId>,
    ) -> Result<Option<Decided<(), Trace>>, Stop> {
        let place = |counters: &Counters| counters.threads[position].map(|(location, _)| location);
        let mut passed: FxHashMap<FlatLocationId, Bdd> = FxHashMap::default();
        passed.extend(place(counters).map(|location| (location, set.clone())));
        let mut open = vec![(at, counters.clone(), set.clone())];
        while let Some((at, counters, set)) = open.pop() {
            let location = place(&counters).expect("a thread that ends does not run on");
            if let Some(outcome) = self.failure_of(at, position, location, &set)? {
                return Ok(Some(outcome));
            }
            for mut image in self.images(&counters, &set, position)? {
                let Some(to) = place(&image.counters).filter(|_| inside.contains(&location)) else {
                    self.add(image.from(at, position))?;
                    continue;
                };
                if let Some(known) = passed.get(&to) {
                    image.set = image.set.minus(known)?;
                    if image.set.is_false() {
                        continue;
                    }
                    let all = known.or(&image.set)?;
                    passed.insert(to, all);
                } else {
                    passed.insert(to, image.set.clone());
                }
                open.push((self.list.len(), image.counters.clone(), image.set.clone()));
                self.list.push(image.from(at, position));
            }
        }
        Ok(None)
    }
}
