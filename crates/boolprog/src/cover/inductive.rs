//! Backward search with widened targets: frames of markings proved unreachable within so many steps.
//!
//! The idea of BFC (Kaiser, Kroening, Wahl 2012), to work on small widenings of the markings that matter, in
//! the form of Kloos, Majumdar, Niksic, Piskac 2013 ("Incremental, inductive coverability", IIC below), which
//! keeps the forward knowledge in frames: frame i holds markings such that nothing above them is reachable in
//! i steps or fewer. A marking that must be excluded is first widened, token by token, as long as its
//! exclusion stays inductive relative to the frame before.
//! DIVERGENCE: predecessors are computed, not asked of a solver, so broadcasts need nothing special.
//!
//! Worked example, a lock (take: one token each from `idle` and `lock`, one to `busy`; release: the other
//! way; start: any number on `idle`, one on `lock`; target: two on `busy`). The target {busy 2} must be
//! excluded; a step leads to it from {busy 1, idle 1, lock 1}, which becomes an obligation. Its exclusion
//! stays inductive without the token on `idle`: {busy 1, lock 1} comes about only from {idle 1, lock 2}, or
//! from {busy 2}. So "never a token on `busy` and one on `lock`" is learned, and with it that two on `lock`
//! are never there.
//!
//! Naive twins: `backward`, `explicit`.

use super::foreknowledge::Foreknowledge;
use super::marking::Marking;
use super::marking_set::{EntryId, MarkingSet};
use super::outcome::{CoverabilityResult, Limits, Meter, Stopped};
use super::proof::{Proof, Shape};
use super::step::{self, Producers};
use super::system::{System, TargetId, TransitionId};
use super::witness::Chain;
use base::{IndexVec, define_id};
use question::Decided;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

define_id!(
    /// A marking that has to be excluded from a frame.
    ObligationId,
    "o"
);

enum Leads {
    To(TargetId),
    By { transition: TransitionId, after: ObligationId },
}

struct Obligation {
    marking: Marking,
    leads: Leads,
}

struct Frames<'a> {
    system: &'a System,
    initial: Marking,
    known: &'a mut Foreknowledge,
    producers: Producers,
    /// A marking of level i is excluded from frames 1 to i.
    blocked: MarkingSet,
    obligations: IndexVec<ObligationId, Obligation>,
    last: u32,
    /// The frame that equals the next one, once there is one.
    closed: Option<u32>,
}

/// Decides coverability by frames, with what is known already; what is learned stays there.
pub fn check_knowing(system: &System, limits: Limits<'_>, known: &mut Foreknowledge) -> CoverabilityResult {
    let mut meter = Meter::new(limits);
    let mut frames = Frames {
        system,
        initial: Marking::initial(system),
        known,
        producers: Producers::new(system),
        blocked: MarkingSet::default(),
        obligations: IndexVec::new(),
        last: 1,
        closed: None,
    };
    let found = frames.run(&mut meter).map(|chain| match chain {
        Some(chain) => Decided::Violated(chain),
        None => Decided::Proved(Proof {
            shape: Shape::Excluded,
            markings: frames.invariant(),
            possible: Some(frames.known.possible()),
        }),
    });
    let safe_depth = Some(u64::from(frames.last - 1));
    CoverabilityResult { found, steps: meter.taken(), markings: frames.blocked.len() as u64, safe_depth }
}

impl Frames<'_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Option<Chain>, Stopped> {
        loop {
            for (id, target) in self.system.targets.iter_enumerated() {
                let marking = Marking::of_target(target);
                if self.known.excludes(&marking) || self.is_blocked(&marking, self.last) {
                    continue;
                }
                if let Some(chain) = self.block(marking, id, meter)? {
                    return Ok(Some(chain));
                }
            }
            if self.propagate(meter)? {
                return Ok(None);
            }
            self.last += 1;
        }
    }

    fn is_blocked(&self, marking: &Marking, level: u32) -> bool {
        if level == 0 {
            return !marking.is_covered_by(&self.initial);
        }
        self.known.excludes(marking) || self.blocked.some_below(marking, level).is_some()
    }

    /// Excludes a target from the last frame, or finds the way to it.
    fn block(
        &mut self,
        marking: Marking,
        target: TargetId,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Chain>, Stopped> {
        self.obligations = IndexVec::new();
        let mut waiting: BinaryHeap<(Reverse<u32>, Reverse<u64>, ObligationId)> = BinaryHeap::new();
        let size = marking.size();
        let first = self.obligations.push(Obligation { marking, leads: Leads::To(target) });
        waiting.push((Reverse(self.last), Reverse(size), first));
        while let Some((Reverse(level), size, id)) = waiting.pop() {
            meter.step()?;
            let marking = self.obligations[id].marking.clone();
            if marking.is_covered_by(&self.initial) {
                return Ok(Some(self.chain_from(id)));
            }
            if self.is_blocked(&marking, level)
                || self.known.excludes_after_thought(self.system, &marking, meter)?
            {
                continue;
            }
            // IIC: a predecessor in the frame before that is not above the marking itself.
            if let Some((transition, before)) = self.reason_against(&marking, level) {
                let size = before.size();
                let leads = Leads::By { transition, after: id };
                let earlier = self.obligations.push(Obligation { marking: before, leads });
                waiting.push((Reverse(level), Reverse(size.max(1)), id));
                waiting.push((Reverse(level - 1), Reverse(size), earlier));
                continue;
            }
            let widened = self.widen(&marking, level, meter)?;
            let mut level_reached = level;
            while level_reached < self.last && self.reason_against(&widened, level_reached + 1).is_none() {
                level_reached += 1;
            }
            for larger in self.blocked.all_above(&widened, level_reached) {
                self.blocked.remove(larger);
            }
            self.blocked.insert(widened, level_reached);
            if level_reached < self.last {
                waiting.push((Reverse(level_reached + 1), size, id));
            }
        }
        Ok(None)
    }

    /// A step from frame `level - 1` (outside the marking's own upward closure) to above the marking.
    fn reason_against(&self, marking: &Marking, level: u32) -> Option<(TransitionId, Marking)> {
        for transition in self.producers.leading_to(marking) {
            for before in step::predecessors(&self.system.transitions[transition], marking) {
                if !marking.is_covered_by(&before.marking) && !self.is_blocked(&before.marking, level - 1) {
                    return Some((transition, before.marking));
                }
            }
        }
        None
    }

    /// A smaller marking that is excluded just as well: fewer tokens, still not initial, still inductive.
    fn widen(&self, marking: &Marking, level: u32, meter: &mut Meter<'_>) -> Result<Marking, Stopped> {
        let mut widened = marking.clone();
        let places: Vec<_> = marking.tokens().iter().map(|(place, _)| *place).collect();
        for place in places {
            let mut keep = widened.count(place);
            // All tokens of the place first, then one by one.
            let mut tries = vec![0];
            tries.extend((1..keep).rev());
            for count in tries {
                if count >= keep {
                    continue;
                }
                meter.step()?;
                let candidate = widened.with_count(place, count);
                if candidate.is_covered_by(&self.initial) || self.reason_against(&candidate, level).is_some()
                {
                    if count == 0 {
                        continue;
                    }
                    break;
                }
                widened = candidate;
                keep = count;
            }
        }
        Ok(widened)
    }

    /// Moves exclusions forward; true if two frames are equal, which is the proof.
    fn propagate(&mut self, meter: &mut Meter<'_>) -> Result<bool, Stopped> {
        for level in 1..=self.last {
            let here: Vec<EntryId> =
                self.blocked.iter().map(|(id, _)| id).filter(|id| self.blocked.level(*id) == level).collect();
            let mut left = false;
            for id in here {
                if !self.blocked.contains(id) {
                    continue;
                }
                meter.step()?;
                let marking = self.blocked.marking(id).clone();
                if self.reason_against(&marking, level + 1).is_some() {
                    left = true;
                } else {
                    self.blocked.raise(id, level + 1);
                }
            }
            if !left {
                self.closed = Some(level + 1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the frame excludes that equals the next one.
    fn invariant(&self) -> Vec<Marking> {
        let Some(level) = self.closed else { return Vec::new() };
        let kept = self.blocked.iter().filter(|(id, _)| self.blocked.level(*id) >= level);
        kept.map(|(_, marking)| marking.clone()).collect()
    }

    fn chain_from(&self, first: ObligationId) -> Chain {
        let mut steps = Vec::new();
        let mut at = first;
        loop {
            match &self.obligations[at].leads {
                Leads::To(target) => {
                    return Chain { start: self.obligations[first].marking.clone(), steps, target: *target };
                }
                Leads::By { transition, after } => {
                    steps.push((*transition, self.obligations[*after].marking.clone()));
                    at = *after;
                }
            }
        }
    }
}
