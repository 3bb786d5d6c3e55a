//! Any number of threads, with summarised stacks, and only callers that are met: sharper than [`super::unbounded::check`],
//! whose closure also finds callers that never call.
//!
//! Callers are met by exploring with few threads. Then they are frozen, and a call by anyone else counts as a failure: if
//! the coverability engine finds no failure, all callers were met, and it is a proof. If it finds such a call, its caller is
//! one more. There are finitely many.

use super::thread_state::ThreadStates;
use super::unbounded::{
    Unbounded, UnboundedSettings, UnboundedSetup, explore_with, failing, holds, translate, unanswered,
    violated,
};
use crate::cover::decide::{self, Decision, Settings};
use crate::setup::SearchResult;
use verdict::{Reason, Undecided};

/// Callers are met with up to so many threads first.
const FEW_THREADS: usize = 3;

/// Decides with a coverability engine.
pub fn check(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: &UnboundedSettings,
) -> Unbounded {
    if let Some(answer) = meet_callers(states, setup, settings) {
        return answer;
    }
    states.freeze_callers();
    loop {
        match check_frozen(states, setup, settings) {
            Ok(Some(answer)) => return answer,
            Ok(None) => {} // one more caller
            Err(open) => return unanswered(*open, settings.engine.name()),
        }
    }
}

/// Explores with few threads for a part of the time; a failure, real or not, is an answer.
fn meet_callers(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: &UnboundedSettings,
) -> Option<Unbounded> {
    let part = UnboundedSettings { budget: settings.budget.share(3), ..settings.clone() };
    let least = setup.roots.len().max(1);
    for threads in least..=FEW_THREADS.max(least) {
        loop {
            let (bounded, found) = explore_with(states, setup, &part, threads);
            let has_new = !states.take_outdated().is_empty();
            match found.outcome {
                SearchResult::Holds if has_new => {}
                SearchResult::Holds => break,
                SearchResult::Undecided(open) if !matches!(open.reason, Reason::NotConfirmed { .. }) => {
                    return None;
                }
                outcome => {
                    let open = unanswered(Undecided::because(Reason::Interrupted), settings.engine.name());
                    return Some(Unbounded { outcome, setup: Some(bounded), ..open });
                }
            }
        }
    }
    None
}

/// Is there a failure if only the known callers call? `None` if another caller was met, which is known now.
fn check_frozen(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: &UnboundedSettings,
) -> Result<Option<Unbounded>, Box<Undecided>> {
    let translation = translate(states, setup, settings)?;
    let (engine, recheck, budget) = (settings.engine, settings.recheck, settings.budget.clone());
    let decided = decide::decide(&translation.system, &Settings { engine, budget, recheck });
    let mut answer = holds(&translation, decided.engine.name(), decided.certificate);
    match decided.decision {
        Decision::Safe => {}
        Decision::Open(reason) => answer.outcome = SearchResult::Undecided(Undecided::because(reason)),
        Decision::Coverable(witness) => {
            if let Some((shared, local)) = failing(states, &translation, &witness)
                && states.admit_callers(shared, local)?
            {
                return Ok(None);
            }
            let (setup, outcome) = violated(states, setup, &translation, &witness);
            (answer.setup, answer.outcome) = (Some(setup), outcome);
        }
    }
    Ok(Some(answer))
}
