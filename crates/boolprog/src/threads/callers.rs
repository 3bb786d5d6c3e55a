//! Any number of threads, with summarised stacks, and only callers that are met: sharper than
//! [`super::unbounded::check`], whose closure also finds callers that never call.
//!
//! Callers are met by exploring with few threads. Then they are frozen, and a call by anyone else counts as a
//! failure: if the coverability engine finds no failure, all callers were met, and it is a proof. If it finds
//! such a call, its caller is one more. There are finitely many.

use super::thread_state::ThreadStates;
use super::unbounded::{
    Unbounded, UnboundedSettings, UnboundedSetup, covered, explore_with, failing, translate, violated,
};
use question::{Decided, Monitor};
use verdict::{Reason, Undecided};

/// Callers are met with up to so many threads first.
const FEW_THREADS: usize = 3;

/// Decides with a coverability engine.
pub fn check(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: UnboundedSettings,
    monitor: Monitor<'_>,
) -> Unbounded {
    let part = monitor.budget.share(3);
    if let Some(answer) = meet_callers(states, setup, settings, monitor.within(&part)) {
        return answer;
    }
    states.freeze_callers();
    loop {
        match check_frozen(states, setup, settings, monitor) {
            Ok(Some(answer)) => return answer,
            Ok(None) => {} // one more caller
            Err(open) => return Unbounded::unanswered(open, settings.engine.name()),
        }
    }
}

/// Explores with few threads for a part of the time; a failure, real or not, is an answer.
fn meet_callers(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: UnboundedSettings,
    monitor: Monitor<'_>,
) -> Option<Unbounded> {
    let least = setup.roots.len().max(1);
    for threads in least..=FEW_THREADS.max(least) {
        loop {
            let (bounded, found) = explore_with(states, setup, threads, monitor);
            let has_new = !states.take_outdated().is_empty();
            match found.outcome {
                Ok(Decided::Proved(())) if has_new => {}
                Ok(Decided::Proved(())) => break,
                Err(open) if !matches!(open.reason, Reason::NotConfirmed { .. }) => return None,
                outcome => {
                    let open = Undecided::because(Reason::Interrupted);
                    let mut answer = Unbounded::unanswered(open, settings.engine.name());
                    (answer.findings.outcome, answer.setup) = (outcome, Some(bounded));
                    return Some(answer);
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
    settings: UnboundedSettings,
    monitor: Monitor<'_>,
) -> Result<Option<Unbounded>, Undecided> {
    let translation = translate(states, setup, settings, monitor)?;
    let (mut answer, witness) = covered(states, &translation, settings, monitor);
    if let Some(witness) = witness {
        if let Some((shared, local)) = failing(states, &translation, &witness)
            && states.admit_callers(shared, local)?
        {
            return Ok(None);
        }
        let (setup, outcome) = violated(states, setup, &translation, &witness);
        (answer.setup, answer.findings.outcome) = (Some(setup), outcome);
    }
    Ok(Some(answer))
}
