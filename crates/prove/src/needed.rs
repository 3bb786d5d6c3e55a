//! Which of the invariants does a proof need? Those that unsatisfiable cores name, from the failures
//! backwards. What people and auditors see should not be longer than that.

use crate::blocks::{Blocks, HeadId};
use crate::checker::Checkers;
use base::Budget;
use logic::{Answer, TermId};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Longer than this is not worth it.
const MOST_TIME: Duration = Duration::from_secs(3);

/// Invariants that are enough: each holds after every step from the rest, and nothing fails under them. All
/// that are known if that is not found out in time, or if contracts rest on them.
pub fn needed_invariants(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Vec<(HeadId, TermId)> {
    let all = blocks.all_known();
    if blocks.explorer.contracts.is_some() {
        return all;
    }
    let mut needed = Needed {
        checkers: Checkers::default(),
        found: Vec::new(),
        seen: FxHashSet::default(),
        budget: budget.clone().with_time(MOST_TIME),
    };
    match needed.find(blocks) {
        Some(()) => needed.found,
        None => all,
    }
}

struct Needed {
    checkers: Checkers<Option<HeadId>>,
    found: Vec<(HeadId, TermId)>,
    seen: FxHashSet<(HeadId, TermId)>,
    budget: Budget,
}

impl Needed {
    fn find(&mut self, blocks: &mut Blocks<'_, '_>) -> Option<()> {
        for head in blocks.heads.ids() {
            let failure = blocks.failure_after(Some(head));
            self.add(blocks, Some(head), &[failure])?;
        }
        let mut at = 0;
        while let Some(&(head, condition)) = self.found.get(at) {
            at += 1;
            for arrival in blocks.arrivals.ids() {
                if blocks.arrivals[arrival].to == head {
                    let (from, guard) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].guard);
                    let after = blocks.settled_after(arrival, &[condition])[0];
                    let broken = blocks.explorer.encoder.terms.not(after);
                    self.add(blocks, from, &[guard, broken])?;
                }
            }
        }
        Some(())
    }

    /// Adds what is needed so that these cannot hold together after a head, or after the start.
    fn add(&mut self, blocks: &mut Blocks<'_, '_>, from: Option<HeadId>, what: &[TermId]) -> Option<()> {
        let terms = &blocks.explorer.encoder.terms;
        if what.iter().any(|&term| terms.truth(term) == Some(false)) {
            return Some(());
        }
        let known: Vec<TermId> = from.map_or_else(Vec::new, |from| blocks.heads[from].known.clone());
        let core: Vec<TermId> = match known.iter().find(|&&condition| terms.truth(condition) == Some(false)) {
            // A head that is never reached.
            Some(&never) => vec![never],
            None => {
                let mut assumptions = what.to_vec();
                assumptions.extend(&known);
                let part = blocks.part(from);
                let encoder = &mut blocks.explorer.encoder;
                if self.checkers.ask(encoder, part, &assumptions, &self.budget) != Answer::Unsat {
                    return None;
                }
                self.checkers.core().iter().filter(|term| known.contains(term)).copied().collect()
            }
        };
        if let Some(from) = from {
            for condition in core {
                if self.seen.insert((from, condition)) {
                    self.found.push((from, condition));
                }
            }
        }
        Some(())
    }
}
