//! Backward coverability: the least markings from which a target can be covered.
//! After Abdulla, Čerāns, Jonsson, Tsay 1996 (well-structured systems). The basis is kept free of comparable
//! markings; smaller markings are worked on first. Markings that [`Foreknowledge`] excludes are dropped. Ends
//! on every system of this crate, broadcasts included.
//!
//! Worked example, a lock (take: one token each from `idle` and `lock`, one to `busy`; release: the other
//! way; start: any number on `idle`, one on `lock`; target: two on `busy`). Least markings before the target:
//! by take {busy 1, idle 1, lock 1}, before that {idle 2, lock 2}; by release nothing that is not above one
//! of these. The start has one token on `lock` and none on `busy`, so it is above none of the three: the
//! target cannot be covered.
//!
//! Naive twin: `explicit`.

use super::foreknowledge::Foreknowledge;
use super::marking::Marking;
use super::marking_set::{EntryId, MarkingSet};
use super::outcome::{CoverabilityResult, Limits, Meter, Stopped};
use super::proof::{Proof, Shape};
use super::step::{self, Producers};
use super::system::{System, TargetId, TransitionId};
use super::witness::Chain;
use base::IndexVec;
use question::Decided;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How an entry of the basis came about.
enum Origin {
    Target(TargetId),
    Before { transition: TransitionId, after: EntryId },
}

struct Search<'a> {
    system: &'a System,
    initial: Marking,
    known: &'a mut Foreknowledge,
    basis: MarkingSet,
    origins: IndexVec<EntryId, Origin>,
    waiting: BinaryHeap<(Reverse<u64>, Reverse<EntryId>)>,
}

/// Decides coverability from behind.
pub fn check(system: &System, limits: Limits<'_>) -> CoverabilityResult {
    check_knowing(system, limits, &mut Foreknowledge::new(system))
}

/// The same with what is known already; what is learned stays there.
pub fn check_knowing(system: &System, limits: Limits<'_>, known: &mut Foreknowledge) -> CoverabilityResult {
    let mut meter = Meter::new(limits);
    let mut search = Search {
        system,
        initial: Marking::initial(system),
        known,
        basis: MarkingSet::default(),
        origins: IndexVec::new(),
        waiting: BinaryHeap::new(),
    };
    let found = search.run(&mut meter).map(|chain| match chain {
        Some(chain) => Decided::Violated(chain),
        None => Decided::Proved(Proof {
            shape: Shape::Excluded,
            markings: search.basis.iter().map(|(_, marking)| marking.clone()).collect(),
            possible: Some(search.known.possible()),
        }),
    });
    CoverabilityResult { found, steps: meter.taken(), markings: search.basis.len() as u64, safe_depth: None }
}

impl Search<'_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Option<Chain>, Stopped> {
        for (id, target) in self.system.targets.iter_enumerated() {
            if let Some(found) = self.add(Marking::of_target(target), Origin::Target(id), meter)? {
                return Ok(Some(found));
            }
        }
        let producers = Producers::new(self.system);
        while let Some((_, Reverse(entry))) = self.waiting.pop() {
            if !self.basis.contains(entry) {
                continue;
            }
            meter.step()?;
            let after = self.basis.marking(entry).clone();
            for transition in producers.leading_to(&after) {
                for before in step::predecessors(&self.system.transitions[transition], &after) {
                    let origin = Origin::Before { transition, after: entry };
                    if let Some(found) = self.add(before.marking, origin, meter)? {
                        return Ok(Some(found));
                    }
                }
                if !self.basis.contains(entry) {
                    break; // a smaller marking took its place and waits
                }
            }
        }
        Ok(None)
    }

    /// Adds a marking unless it is of no use; tells if the system can start above it.
    fn add(
        &mut self,
        marking: Marking,
        origin: Origin,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Chain>, Stopped> {
        if self.basis.some_below(&marking, 0).is_some()
            || self.known.excludes_after_thought(self.system, &marking, meter)?
        {
            return Ok(None);
        }
        for larger in self.basis.all_above(&marking, 0) {
            self.basis.remove(larger);
        }
        let size = marking.size();
        let starts = marking.is_covered_by(&self.initial);
        let entry = self.basis.insert(marking, 0);
        self.origins.push(origin);
        if starts {
            return Ok(Some(self.chain_from(entry)));
        }
        self.waiting.push((Reverse(size), Reverse(entry)));
        Ok(None)
    }

    fn chain_from(&self, first: EntryId) -> Chain {
        let mut steps = Vec::new();
        let mut at = first;
        loop {
            match &self.origins[at] {
                Origin::Target(target) => {
                    return Chain { start: self.basis.marking(first).clone(), steps, target: *target };
                }
                Origin::Before { transition, after } => {
                    steps.push((*transition, self.basis.marking(*after).clone()));
                    at = *after;
                }
            }
        }
    }
}
