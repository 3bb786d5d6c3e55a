//! A finite over-approximation: only the tops of stacks are kept, and what a pop lays bare is any symbol that
//! a rule of the thread ever puts below another, or nothing. If the target is not reachable so, it is not
//! reachable at all. (The abstraction Z of Liu, Wahl 2018.)
//!
//! Worked example: a thread whose rules are `s a -> s b c` (call: `b` on top of `c`) and `s b -> s -`
//! (return). Under a popped `b` may be `c`, the only symbol that a rule puts below another, or nothing. The
//! run that really has `c` there is among what is followed; so may be others, which is why only a proof
//! counts.

use super::read::{PushdownSystem, VisibleState};
use base::Exhausted;
use indexmap::IndexSet;
use question::Monitor;
use rustc_hash::FxBuildHasher;

/// Can the target be reached if stacks are forgotten below their tops? Also tells how many states were seen.
pub fn may_reach(
    system: &PushdownSystem,
    start: &VisibleState,
    target: &VisibleState,
    monitor: Monitor<'_>,
) -> Result<(bool, usize), Exhausted> {
    let laid_bare: Vec<Vec<Option<u32>>> = system
        .threads
        .iter()
        .map(|thread| {
            let mut below: Vec<Option<u32>> = thread
                .rules
                .iter()
                .filter(|rule| rule.push.len() == 2)
                .map(|rule| Some(rule.push[1]))
                .collect();
            below.push(None);
            below.sort_unstable();
            below.dedup();
            below
        })
        .collect();
    let mut seen: IndexSet<VisibleState, FxBuildHasher> = IndexSet::default();
    seen.insert(start.clone());
    let mut at = 0;
    while at < seen.len() {
        monitor.check_each(64, at, "states of tops", seen.len())?;
        let here = seen[at].clone();
        if here == *target {
            return Ok((true, seen.len()));
        }
        for (thread, known) in system.threads.iter().enumerate() {
            let possible =
                known.rules.iter().filter(|rule| rule.from == here.shared && rule.top == here.tops[thread]);
            for rule in possible {
                let pushed = [rule.push.first().copied()];
                let tops = if rule.push.is_empty() { &laid_bare[thread][..] } else { &pushed[..] };
                for top in tops {
                    let mut next = here.clone();
                    next.shared = rule.to;
                    next.tops[thread] = *top;
                    seen.insert(next);
                }
            }
        }
        at += 1;
    }
    Ok((false, seen.len()))
}
