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
use super::super::flat::{FlatProgram, SpotId};
use super::{Counters, Origin, Search, State, Stop};
use crate::trace::Trace;
use base::IndexVec;
use logic::bdd::{Bdd, BddVariable};
use question::Decided;
use rustc_hash::{FxHashMap, FxHashSet};

/// Spots with an edge that closes a loop of the flat graph.
pub(super) fn with_back_edge(flat: &FlatProgram<'_>) -> IndexVec<SpotId, bool> {
    let mut back = IndexVec::filled(false, flat.spots.len());
    // 0: new, 1: open, 2: done.
    let mut marks: IndexVec<SpotId, u8> = IndexVec::filled(0, flat.spots.len());
    for root in flat.spots.ids() {
        let mut stack = if marks[root] == 0 { vec![(root, 0)] } else { Vec::new() };
        marks[root] = marks[root].max(1);
        while let Some((spot, next)) = stack.pop() {
            let Some(step) = flat.spots[spot].edges.get(next) else {
                marks[spot] = 2;
                continue;
            };
            stack.push((spot, next + 1));
            if let Some(to) = step.to {
                match marks[to] {
                    0 => {
                        marks[to] = 1;
                        stack.push((to, 0));
                    }
                    1 => back[spot] = true,
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
        movers: &[(usize, SpotId)],
    ) -> Result<Bdd, Stop> {
        for (position, spot) in movers {
            if !self.goes_unnoticed(*position, *spot, movers) {
                continue;
            }
            let mut able = self.encoding.manager.constant(false);
            for relation in self.relations(*spot, *position)?.iter() {
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
    fn goes_unnoticed(&self, position: usize, spot: SpotId, threads: &[(usize, SpotId)]) -> bool {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let mine = &footprints.now[spot];
        let mut others = threads.iter().filter(|(other, _)| *other != position);
        !footprints.enters_atomic[spot]
            && !self.back[spot]
            && others.all(|(_, spot)| !mine.conflicts_with(&footprints.later[*spot], footprints.count))
    }

    /// Parts the threads into groups that never meet. False if there is one group only.
    pub(super) fn part(
        &mut self,
        at: usize,
        counters: &Counters,
        set: &Bdd,
        movers: &[(usize, SpotId)],
    ) -> Result<bool, Stop> {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let meet = |one: &(usize, SpotId), other: &(usize, SpotId)| {
            footprints.later[one.1].conflicts_with(&footprints.later[other.1], footprints.count)
        };
        let mut groups: Vec<Vec<(usize, SpotId)>> = Vec::new();
        for thread in movers {
            let (met, mut apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|other| meet(thread, other)));
            let mut joined: Vec<(usize, SpotId)> = met.into_iter().flatten().collect();
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
        movers: &[(usize, SpotId)],
    ) -> Result<Option<Decided<(), Trace>>, Stop> {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let spots: Vec<SpotId> = movers.iter().map(|(_, spot)| *spot).collect();
        let regions = cartesian::regions(self.states, footprints, &spots);
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
        inside: &FxHashSet<SpotId>,
    ) -> Result<Option<Decided<(), Trace>>, Stop> {
        let place = |counters: &Counters| counters.threads[position].map(|(spot, _)| spot);
        let mut passed: FxHashMap<SpotId, Bdd> = FxHashMap::default();
        passed.extend(place(counters).map(|spot| (spot, set.clone())));
        let mut open = vec![(at, counters.clone(), set.clone())];
        while let Some((at, counters, set)) = open.pop() {
            let spot = place(&counters).expect("a thread that ends does not run on");
            if let Some(outcome) = self.failure_of(at, position, spot, &set)? {
                return Ok(Some(outcome));
            }
            for mut image in self.images(&counters, &set, position)? {
                let Some(to) = place(&image.counters).filter(|_| inside.contains(&spot)) else {
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
