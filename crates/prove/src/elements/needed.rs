//! Which of the invariants does the proof need? Those that unsatisfiable cores name, from the failures
//! backwards, as in [`needed`](crate::needed) for invariants without an index.

use super::{Because, Elements, ForAll, conditions};
use crate::blocks::{ArrivalId, HeadId};
use base::Budget;
use logic::{Answer, TermId};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Longer than this is not worth it.
const MOST_TIME: Duration = Duration::from_secs(4);

/// Invariants by head, without an index and with one.
pub type Needed = (Vec<(HeadId, TermId)>, Vec<(HeadId, ForAll)>);

/// Invariants that are enough. All that are known if that is not found out in time.
pub fn needed(elements: &mut Elements<'_, '_, '_>, budget: &Budget) -> Needed {
    let budget = budget.clone().with_time(MOST_TIME);
    match search(elements, &budget) {
        Some(found) => {
            let mut needed = Needed::default();
            for (head, because) in found {
                match because {
                    Because::Known(condition) => needed.0.push((head, condition)),
                    Because::ForAll(guess) => needed.1.push((head, guess)),
                }
            }
            needed
        }
        None => {
            let guesses = elements.at.iter_enumerated();
            let all = guesses.flat_map(|(head, guesses)| guesses.iter().map(move |guess| (head, *guess)));
            (elements.blocks.all_known(), all.collect())
        }
    }
}

fn search(elements: &mut Elements<'_, '_, '_>, budget: &Budget) -> Option<Vec<(HeadId, Because)>> {
    let mut found: Vec<(HeadId, Because)> = Vec::new();
    let mut seen = FxHashSet::default();
    let heads: Vec<HeadId> = elements.blocks.heads.ids().collect();
    for head in heads {
        let failure = elements.blocks.failure_after(Some(head));
        for because in core(elements, Some(head), &[failure], &[], budget)? {
            if seen.insert((head, because)) {
                found.push((head, because));
            }
        }
    }
    let arrivals: Vec<ArrivalId> = elements.blocks.arrivals.ids().collect();
    let mut at = 0;
    while let Some(&(head, because)) = found.get(at) {
        at += 1;
        for &arrival in &arrivals {
            if elements.blocks.arrivals[arrival].to != head {
                continue;
            }
            let (condition, fresh) = match because {
                Because::Known(condition) => (condition, Vec::new()),
                Because::ForAll(guess) => (guess.body, vec![guess.index]),
            };
            let (from, guard) =
                (elements.blocks.arrivals[arrival].from, elements.blocks.arrivals[arrival].guard);
            let mut after = elements.blocks.after(arrival, condition);
            if let Because::ForAll(guess) = because {
                after = elements.parted(guess, after);
            }
            let broken = elements.blocks.explorer.encoder.terms.not(after);
            let used = core(elements, from, &[guard, broken], &fresh, budget)?;
            let Some(from) = from else { continue };
            for because in used {
                if seen.insert((from, because)) {
                    found.push((from, because));
                }
            }
        }
    }
    Some(found)
}

/// What is supposed of the state at a head so that these cannot hold together after it.
fn core(
    elements: &mut Elements<'_, '_, '_>,
    from: Option<HeadId>,
    what: &[TermId],
    fresh: &[TermId],
    budget: &Budget,
) -> Option<Vec<Because>> {
    let block = elements.block(what);
    let supposed = elements.supposed(from, &block, fresh);
    let terms = &elements.blocks.explorer.encoder.terms;
    if what.iter().any(|&term| terms.truth(term) == Some(false)) {
        return Some(Vec::new());
    }
    // A head that is never reached.
    if let Some(never) = supposed.iter().find(|supposed| terms.truth(supposed.condition) == Some(false)) {
        return Some(vec![never.because]);
    }
    if elements.blocks.ask_supposing(from, what, &conditions(&supposed), budget) != Answer::Unsat {
        return None;
    }
    let core = elements.blocks.checkers.core();
    Some(supposed.iter().filter(|used| core.contains(&used.condition)).map(|used| used.because).collect())
}
