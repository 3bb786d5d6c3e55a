//! Threads that wait for ever, though others may still run.
//!
//! A deadlock is a non-empty set of waiting threads such that whoever could release a member is in the set or has
//! ended: the owner of a mutex, one holder of a read-write lock, the thread that is joined. A signal, a post or an
//! arrival may come from any thread that lives and in whose remaining code there is one ([`program::Remaining`]). Not a
//! deadlock: spinning, a timed wait, an assumption that does not hold, the end of the process.

use super::frames::{ReturnTo, ThreadState};
use super::sync::Wait;
use super::{Machine, Step};
use crate::outcome::{RunOutcome, Stands, Waiting};
use crate::settings::ThreadId;
use base::Id;
use program::{Action, NodeId, PointsTo, Release, Remaining};
use std::collections::BTreeSet;

impl Machine<'_, '_> {
    /// Ends the run if some threads wait for ever. All threads are put aside.
    pub fn look_for_deadlock(&mut self) -> Step<()> {
        let stuck = self.stuck();
        if stuck.is_empty() {
            return Ok(());
        }
        let waiting = self.waiting(stuck.into_iter());
        Err(self.end_with(RunOutcome::Deadlock(waiting)))
    }

    /// Who waits for what, in words.
    pub fn waiting(&self, threads: impl Iterator<Item = ThreadId>) -> Vec<Waiting> {
        threads
            .filter_map(|id| {
                let wait = self.wait_of(id)?;
                let innermost = self.threads[id].frames.last();
                let at = innermost.map(|frame| (frame.procedure, NodeId::from_index(frame.node as usize)));
                let how = match &self.threads[id].state {
                    ThreadState::Waiting(Wait::Signal { .. }) => Stands::WithoutSignal,
                    ThreadState::Waiting(Wait::Relock { .. }) => Stands::WithoutMutex,
                    ThreadState::Waiting(Wait::Barrier { .. }) => Stands::AtBarrier,
                    _ => Stands::Before,
                };
                let (waits_for, held_by) = (self.wait_in_words(wait), self.holders(wait));
                Some(Waiting { waits_for, held_by, place: self.place_of(id), at, how })
            })
            .collect()
    }

    /// The threads that would have to do something before the wait is over, where that is known.
    fn holders(&self, wait: &Wait) -> Vec<ThreadId> {
        match wait {
            Wait::Join(thread, _) => vec![*thread],
            Wait::Mutex(address) | Wait::Relock { mutex: address, .. } => {
                self.sync.owner(*address).into_iter().collect()
            }
            Wait::ReadLock(address) | Wait::WriteLock(address) => self
                .sync
                .locks
                .get(address)
                .map_or_else(Vec::new, |lock| lock.writer.iter().chain(&lock.readers).copied().collect()),
            Wait::Once(address) => self.sync.once.get(address).copied().flatten().into_iter().collect(),
            Wait::Timed(_) | Wait::Signal { .. } | Wait::Barrier { .. } | Wait::Semaphore(_) => Vec::new(),
        }
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
            Some(Wait::Signal { .. }) => self.somebody_may(Release::Signal, id, can_act),
            Some(Wait::Barrier { .. }) => self.somebody_may(Release::Arrive, id, can_act),
            Some(Wait::Semaphore(_)) => self.somebody_may(Release::Post, id, can_act),
        }
    }

    /// Is there a thread among those that can act whose remaining code may do what a thread waits for?
    fn somebody_may(&self, release: Release, waiting: ThreadId, can_act: impl Fn(ThreadId) -> bool) -> bool {
        let (points_to, remaining) = self.code.remaining.get_or_init(|| {
            let points_to = PointsTo::of(self.program);
            let remaining = Remaining::of(self.program, &points_to);
            (points_to, remaining)
        });
        let pointer = self.threads[waiting].frames.last().and_then(|frame| {
            let body = self.program.procedures[frame.procedure].body.as_ref()?;
            let (_, edge) = body.out(NodeId::from_index(frame.node as usize)).next()?;
            match &edge.action {
                Action::Call { arguments, .. } => arguments.first(),
                _ => None,
            }
        });
        let objects = pointer.map(|pointer| Remaining::objects(self.program, points_to, pointer));
        let objects = objects.unwrap_or_default();
        let may = |other: ThreadId| {
            let thread = &self.threads[other];
            if matches!(thread.state, ThreadState::Stopped(_)) {
                return true;
            }
            let has_begun = matches!(thread.state, ThreadState::Waiting(_));
            thread.frames.iter().enumerate().any(|(depth, frame)| {
                let Some(body) = &self.program.procedures[frame.procedure].body else { return false };
                let node = NodeId::from_index(frame.node as usize);
                // A call that was begun is behind the thread.
                let is_behind = has_begun || depth + 1 < thread.frames.len();
                let after = body.out(node).next().filter(|_| is_behind).map_or(node, |(_, edge)| edge.to);
                frame.returns != ReturnTo::Nowhere && remaining.may(frame.procedure, after, release, &objects)
            })
        };
        self.threads.ids().any(|other| can_act(other) && may(other))
    }
}
