//! Threads that wait for ever, though others may still run.
//!
//! A deadlock is a non-empty set of waiting threads such that whoever could release a member is in the set or has ended: the owner of
//! a mutex, one holder of a read-write lock, the thread that is joined. A signal, a post or an arrival may come from any thread that
//! lives: what its remaining code does is not looked at, so such a wait counts only once all living threads wait.
//! Not a deadlock: spinning, a timed wait, an assumption that does not hold, the end of the process.

use super::frames::ThreadState;
use super::sync::Wait;
use super::{Machine, Step};
use crate::outcome::{Outcome, Waiting};
use crate::settings::ThreadId;
use std::collections::BTreeSet;

impl Machine<'_, '_> {
    /// Ends the run if some threads wait for ever. All threads are put aside.
    pub fn look_for_deadlock(&mut self) -> Step<()> {
        let stuck = self.stuck();
        if stuck.is_empty() {
            return Ok(());
        }
        let waiting = self.waiting(stuck.into_iter());
        Err(self.end_with(Outcome::Deadlock(waiting)))
    }

    /// Who waits for what, in words.
    pub fn waiting(&self, threads: impl Iterator<Item = ThreadId>) -> Vec<Waiting> {
        threads
            .filter_map(|id| {
                let wait = self.wait_of(id)?;
                Some(Waiting { waits_for: self.wait_in_words(wait), place: self.place_of(id) })
            })
            .collect()
    }

    /// What a thread that is put aside waits for, or would on its next step.
    pub fn wait_of(&self, id: ThreadId) -> Option<&Wait> {
        match &self.threads[id].state {
            ThreadState::Waiting(wait) => Some(wait),
            ThreadState::Ready => self.threads[id].pending.as_ref(),
            ThreadState::Ended(_) | ThreadState::Stopped(_) => None,
        }
    }

    fn stuck(&self) -> BTreeSet<ThreadId> {
        let blocks = |id: ThreadId| match self.wait_of(id) {
            None | Some(Wait::Timed(_) | Wait::Signal { is_timed: true, .. }) => false,
            Some(wait) => !self.is_over(id, wait),
        };
        let mut stuck: BTreeSet<ThreadId> = self.threads.ids().filter(|&id| blocks(id)).collect();
        loop {
            let free: Vec<ThreadId> =
                stuck.iter().copied().filter(|&id| self.can_be_released(id, &stuck)).collect();
            if free.is_empty() {
                return stuck;
            }
            free.iter().for_each(|id| {
                stuck.remove(id);
            });
        }
    }

    /// Could somebody outside the set release the member?
    fn can_be_released(&self, id: ThreadId, stuck: &BTreeSet<ThreadId>) -> bool {
        let can_act = |other: ThreadId| {
            !stuck.contains(&other) && !matches!(self.threads[other].state, ThreadState::Ended(_))
        };
        match self.wait_of(id) {
            None | Some(Wait::Timed(_)) => true,
            Some(Wait::Join(thread, _)) => can_act(*thread),
            Some(Wait::Mutex(address) | Wait::Relock { mutex: address, .. }) => {
                self.sync.owner(*address).is_none_or(can_act)
            }
            Some(Wait::ReadLock(address) | Wait::WriteLock(address)) => match self.sync.locks.get(address) {
                Some(lock) => lock.writer.iter().chain(&lock.readers).all(|&holder| can_act(holder)),
                None => true,
            },
            Some(Wait::Once(address)) => self.sync.once.get(address).copied().flatten().is_none_or(can_act),
            Some(Wait::Signal { .. } | Wait::Barrier { .. } | Wait::Semaphore(_)) => {
                self.threads.ids().any(can_act)
            }
        }
    }
}
