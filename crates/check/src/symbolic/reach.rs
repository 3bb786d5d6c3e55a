//! Symbolic reachability: the reachable states as a least fixpoint of image computation, and a run to a bad
//! one.
//!
//! Worked example: `P = (a -> b -> c -> P)`, actions taken in turn (chaining): `a` adds state 1 to {0}; `b`,
//! from {0, 1}, adds state 2; `c` adds nothing new. One round, where breadth-first images of all actions at
//! once would take two. To show a run to state 2, the rings are gone through backwards: `b` added it, from a
//! state that `a` had added.

use super::SymbolicSettings;
use super::encoding::{Encoding, Event};
use crate::safety::SafetyQuestion;
use crate::safety::replay::{Run, confirmed};
use crate::stopped::Stopped;
use lks::{Composition, Role};
use logic::bdd::Bdd;
use question::{Answer, Monitor, Verdict};
use verdict::Certificate;

/// Is no bad state reachable?
pub fn safe(
    system: &Composition,
    question: SafetyQuestion,
    limits: &SymbolicSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("symbolic", || {
        refuse_priority(system)?;
        if !system.components().iter().any(|component| component.role == Role::Process) {
            return Err(cannot("there is no process"));
        }
        let encoding = Encoding::new(system, limits)?;
        let bad = bad_states(&encoding, question)?;
        let mut rings: Vec<Ring> = Vec::new();
        let mut reached = encoding.initial.clone();
        let mut found = reached.and(&bad)?;
        let mut rounds = 0usize;
        while found.is_false() {
            rounds += 1;
            monitor.count("rounds", rounds);
            let before = reached.clone();
            for (event, step) in encoding.events.iter().enumerate() {
                monitor.check().map_err(|limit| {
                    Stopped::from(limit).having_shown(format!("no violation within {} rounds", rounds - 1))
                })?;
                // From ERROR nothing goes on. From the end of all processes something may: an END state can
                // have steps.
                let added = step.image(&reached.minus(&encoding.error)?)?.minus(&reached)?;
                if added.is_false() {
                    continue;
                }
                reached = reached.or(&added)?;
                found = added.and(&bad)?;
                rings.push(Ring { event, added });
                if !found.is_false() {
                    break;
                }
            }
            if reached == before {
                break;
            }
        }
        let verdict = if found.is_false() {
            Verdict::Holds(Certificate::Exhaustive { states: encoding.states_in(&reached) })
        } else {
            let (start, steps) = trace_back(&encoding, &rings, &found)?;
            let evidence = confirmed(system, question, &start, &steps);
            evidence.expect("a state of a ring was reached from the rings before").into()
        };
        Ok(Answer::by("symbolic", verdict)
            .count("rounds", rounds)
            .count("BDD nodes of the reached set", reached.node_count())
            .count("BDD nodes", encoding.manager.statistics().nodes))
    })
}

/// What one event added.
struct Ring {
    event: usize,
    added: Bdd,
}

pub(super) fn cannot(why: &str) -> Stopped {
    Stopped::cannot("symbolic", why)
}

pub(super) fn refuse_priority(system: &Composition) -> Result<(), Stopped> {
    if system.has_priority() { Err(cannot("priorities are not encoded")) } else { Ok(()) }
}

/// The states that can be reached by these events from the given ones.
pub(super) fn reachable(
    encoding: &Encoding<'_>,
    events: &[Event],
    from: &Bdd,
    monitor: Monitor<'_>,
) -> Result<Bdd, Stopped> {
    let mut reached = from.clone();
    loop {
        monitor.count("BDD nodes", encoding.manager.statistics().nodes);
        let before = reached.clone();
        for event in events {
            monitor.check()?;
            reached = reached.or(&event.image(&reached.minus(&encoding.error)?)?)?;
        }
        if reached == before {
            return Ok(reached);
        }
    }
}

fn bad_states(encoding: &Encoding<'_>, question: SafetyQuestion) -> Result<Bdd, Stopped> {
    let mut bad = encoding.manager.constant(false);
    if question.asks_for_error() {
        bad = encoding.error.clone();
    }
    if question.asks_for_deadlock() {
        let mut stuck = encoding.error.or(&encoding.ended)?.not()?;
        for event in &encoding.events {
            stuck = stuck.minus(&event.enabled)?;
        }
        bad = bad.or(&stuck)?;
    }
    Ok(bad)
}

/// Goes back from a bad state: the ring it was added by says by which event, from states known before.
fn trace_back(encoding: &Encoding<'_>, rings: &[Ring], found: &Bdd) -> Result<Run, Stopped> {
    let mut steps = Vec::new();
    let mut state = encoding.pick(found);
    let mut at = rings.len();
    loop {
        let only = encoding.only(&state)?;
        // The first ring with the state; rings are disjoint, and initial states are in none.
        let mut ring = None;
        for index in (0..at).rev() {
            if !rings[index].added.and(&only)?.is_false() {
                ring = Some(index);
                break;
            }
        }
        let Some(index) = ring else {
            steps.reverse();
            return Ok((state, steps));
        };
        let event = &encoding.events[rings[index].event];
        let mut known = encoding.initial.clone();
        for earlier in &rings[..index] {
            known = known.or(&earlier.added)?;
        }
        let before = event.preimage(&only)?.and(&known)?.minus(&encoding.error)?;
        let previous = encoding.pick(&before);
        steps.push((event.shown, state));
        state = previous;
        at = index;
    }
}
