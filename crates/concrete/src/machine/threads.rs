//! Who runs when.

use super::frames::{Frame, ReturnTo, Thread, ThreadState};
use super::sync::{TIMED_OUT, Wait};
use super::{Machine, Step, Value};
use crate::memory::Pointer;
use crate::outcome::{Limit, Place, RunOutcome};
use crate::schedule::SharedResource;
use crate::settings::{Schedule, ThreadId};
use base::Id;
use base::random::Random;
use program::ProcedureId;

/// The budget is asked after so many steps.
const STEPS_PER_CHECK: u64 = 8192;

/// `PTHREAD_DESTRUCTOR_ITERATIONS`
const MOST_DESTRUCTOR_ROUNDS: u32 = 4;

/// The scheduler's own state.
struct Scheduler {
    drawn: Random,
    /// Position in an explicit schedule.
    next: usize,
}

impl Machine<'_, '_> {
    /// Runs threads until the run ends.
    pub fn run_threads(&mut self) -> Step<()> {
        let seed = match self.settings.schedule {
            Schedule::Seeded(seed) => seed,
            _ => 0,
        };
        let mut scheduler = Scheduler { drawn: Random::new(seed), next: 0 };
        let mut next_check = STEPS_PER_CHECK;
        loop {
            let fuel = self.slice(&mut scheduler).min(next_check.saturating_sub(self.steps).max(1));
            let fuel = match self.settings.limits.steps {
                Some(most) if self.steps >= most => return Err(self.limit(Limit::Steps)),
                Some(most) => fuel.min(most - self.steps),
                None => fuel,
            };
            self.run_slice(fuel)?;
            if self.steps >= next_check {
                next_check = self.steps + STEPS_PER_CHECK;
                if let Err(why) = self.settings.limits.budget.check() {
                    return Err(self.limit(Limit::Budget(why)));
                }
            }
            if self.must_switch || self.threads.len() > 1 {
                self.switch(&mut scheduler)?;
            }
        }
    }

    /// How many steps the running thread may make now.
    fn slice(&mut self, scheduler: &mut Scheduler) -> u64 {
        if self.threads.len() == 1 {
            return STEPS_PER_CHECK;
        }
        match &self.settings.schedule {
            Schedule::RoundRobin { quantum } => u64::from(*quantum).max(1),
            Schedule::Seeded(_) => 1 + scheduler.drawn.bits() % 24,
            Schedule::Explicit(list) if scheduler.next <= list.len() => 1,
            Schedule::Explicit(_) => 200,
        }
    }

    /// Lets another thread run, if one can and the running one may be interrupted.
    fn switch(&mut self, scheduler: &mut Scheduler) -> Step<()> {
        self.must_switch = false;
        if self.thread.atomic_depth > 0 {
            match &self.thread.state {
                ThreadState::Ready => return Ok(()),
                ThreadState::Waiting(wait) if !self.is_over(self.current, wait) => {
                    let what = self.wait_in_words(&wait.clone());
                    let message = format!("a thread waits for {what} inside an atomic section");
                    return Err(self.unsupported(message));
                }
                _ => {}
            }
        }
        self.park();
        let able: Vec<ThreadId> = self.threads.ids().filter(|&id| self.can_run(id)).collect();
        if self.settings.deadlocks {
            self.look_for_deadlock()?;
        }
        if able.is_empty() {
            return self.let_time_pass();
        }
        let chosen = match &self.settings.schedule {
            Schedule::Seeded(_) => *scheduler.drawn.pick(&able),
            Schedule::Explicit(list) => {
                let listed = list.get(scheduler.next).copied().filter(|thread| able.contains(thread));
                scheduler.next += 1;
                listed.unwrap_or_else(|| self.after_current(&able))
            }
            Schedule::RoundRobin { .. } => self.after_current(&able),
        };
        self.resume(chosen)
    }

    fn after_current(&self, able: &[ThreadId]) -> ThreadId {
        let later = able.iter().find(|&&id| id > self.current);
        *later.or(able.first()).expect("somebody can run")
    }

    /// Puts the running thread back among the others.
    pub fn park(&mut self) {
        let frame = std::mem::replace(&mut self.frame, Frame::outermost());
        self.thread.frames.push(frame);
        self.threads[self.current] = std::mem::take(&mut self.thread);
    }

    fn can_run(&self, id: ThreadId) -> bool {
        match &self.threads[id].state {
            ThreadState::Ready => true,
            ThreadState::Waiting(wait) => self.is_over(id, wait),
            ThreadState::Ended(_) | ThreadState::Stopped(_) => false,
        }
    }

    /// Takes a thread up where it was.
    fn resume(&mut self, id: ThreadId) -> Step<()> {
        self.current = id;
        self.thread = std::mem::take(&mut self.threads[id]);
        self.frame = self.thread.frames.pop().expect("a parked thread has its frame with it");
        if let ThreadState::Waiting(wait) = std::mem::take(&mut self.thread.state) {
            let value = self.finish_wait(wait)?;
            self.complete_call(value)?;
        }
        Ok(())
    }

    /// Nobody can run, but whose wait is timed goes on without what it waits for.
    fn let_time_pass(&mut self) -> Step<()> {
        let timed = self.threads.iter_enumerated().find_map(|(id, thread)| match &thread.state {
            ThreadState::Waiting(wait @ (Wait::Timed(_) | Wait::Signal { is_timed: true, .. })) => {
                Some((id, wait.clone()))
            }
            _ => None,
        });
        let Some((id, wait)) = timed else { return Err(self.nobody_can_run()) };
        if let Wait::Signal { mutex, condition, .. } = wait {
            let again = Wait::Relock { mutex, condition, told: TIMED_OUT };
            self.threads[id].state = ThreadState::Waiting(again);
            // The mutex may be held: then somebody else's time passes, or nobody can run.
            return match self.can_run(id) {
                true => self.resume(id),
                false => self.let_time_pass(),
            };
        }
        self.threads[id].state = ThreadState::Ready;
        self.resume(id)?;
        let told = self.time_out(&wait)?;
        self.complete_call(Value::int(told))
    }

    /// Every thread has ended, stopped or waits.
    pub fn nobody_can_run(&mut self) -> super::Halt {
        let stopped = self.threads.iter().find_map(|thread| match &thread.state {
            ThreadState::Stopped(place) => Some((**place).clone()),
            _ => None,
        });
        if let Some(place) = stopped {
            return self.end_with(RunOutcome::AssumptionUnmet(place));
        }
        let waiting = self.waiting(self.threads.ids());
        if waiting.is_empty() {
            // The first thread left by `pthread_exit` and the others have ended.
            return self.end_with(RunOutcome::Exited(self.exit_status));
        }
        self.end_with(RunOutcome::Deadlock(waiting))
    }

    /// Where a thread is that is put aside.
    pub fn place_of(&self, id: ThreadId) -> Place {
        let frames = &self.threads[id].frames;
        let span = frames.last().map(|frame| self.span_in(frame)).unwrap_or_default();
        Place { thread: Some(id), span, calls: self.call_stack(frames.iter().rev()) }
    }

    /// The running thread waits.
    pub fn wait(&mut self, wait: Wait) {
        self.thread.state = ThreadState::Waiting(wait);
        self.must_switch = true;
    }

    /// Starts a thread.
    pub fn start_thread(&mut self, procedure: ProcedureId, arguments: &[Value]) -> Step<ThreadId> {
        let number = self.threads.len();
        if number as u32 >= self.settings.limits.threads {
            return Err(self.limit(Limit::Threads));
        }
        let Some((low, high)) = self.memory.space.stack(number) else {
            return Err(self.limit(Limit::Threads));
        };
        self.thread.created += 1;
        let name = format!("{}.{}", self.thread.name, self.thread.created);
        let mut thread = Thread { stack_low: low, stack_high: high, name, is_new: true, ..Thread::default() };
        self.set_up_thread_variables(&mut thread)?;
        // The new thread's first frame is made with the new thread in place of the running one.
        let own_frame = std::mem::replace(&mut self.frame, Frame::outermost());
        std::mem::swap(&mut self.thread, &mut thread);
        let entered = self.enter_with(procedure, ReturnTo::ThreadEnd, arguments);
        let first = std::mem::replace(&mut self.frame, own_frame);
        self.thread.frames.push(first);
        std::mem::swap(&mut self.thread, &mut thread);
        entered?;
        Ok(self.threads.push(thread))
    }

    /// The running thread has nothing more to do but its destructors.
    pub fn end_thread(&mut self, result: Pointer) -> Step<()> {
        self.thread.result = Some(result);
        self.next_key_destructor()
    }

    /// Enters the next destructor of thread-specific data, or ends the thread.
    pub fn next_key_destructor(&mut self) -> Step<()> {
        let next = self.thread.specifics.iter().enumerate().find_map(|(key, &value)| {
            let destructor = self.sync.key_destructor(key)?;
            (value.address != 0).then_some((key, value, destructor))
        });
        if let Some((key, value, destructor)) = next
            && self.thread.destructor_rounds < MOST_DESTRUCTOR_ROUNDS
        {
            self.thread.specifics[key] = Pointer::NULL;
            // A round is over when no value is left; destructors may have set new ones by then.
            if self.thread.specifics.iter().all(|value| value.address == 0) {
                self.thread.destructor_rounds += 1;
            }
            let procedure = self.called_through_any(destructor)?;
            return self.enter_with(procedure, ReturnTo::KeyDestructor, &[Value::Pointer(value)]);
        }
        let span = self.span();
        for own in std::mem::take(&mut self.thread.own_objects) {
            self.end_heap_object(own, span);
        }
        self.note_object(SharedResource::Thread(self.current), true);
        let result = self.thread.result.unwrap_or(Pointer::NULL);
        self.thread.state = ThreadState::Ended(result);
        self.must_switch = true;
        Ok(())
    }

    /// `pthread_exit`: all calls of the thread end.
    pub fn exit_thread(&mut self, result: Pointer) -> Step<()> {
        while self.frame.returns != ReturnTo::Nowhere {
            self.leave();
        }
        self.end_thread(result)
    }

    /// A thread by the number programs know it by.
    pub fn thread_of(&self, handle: u64) -> Option<ThreadId> {
        let index = (handle.checked_sub(Self::FIRST_HANDLE)? / 256) as usize;
        (index < self.threads.len()).then(|| ThreadId::from_index(index))
    }

    /// The number programs know a thread by (`pthread_t`).
    pub fn handle_of(id: ThreadId) -> u64 {
        Self::FIRST_HANDLE + id.index() as u64 * 256
    }

    const FIRST_HANDLE: u64 = 0x7000_0000;
}
