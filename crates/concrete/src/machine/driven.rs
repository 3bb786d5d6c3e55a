//! Runs whose order somebody outside decides ([`Driver`](crate::schedule::Driver)): every thread stands before its next
//! visible step, one is chosen and makes it, together with its own steps up to the next one.
//!
//! A step that would block is never begun: what a thread waits for is known while it stands before the call. An atomic
//! section is one step. A thread that waits for a signal can be chosen too: it wakes up for no reason, or because its
//! time is over.
//!
//! Waking up for no reason could go on for ever. It does so in vain if the thread comes back to the same wait in the
//! same state and has written nothing: the run without that excursion does the same, so such a wait is not woken again
//! without a reason.

use super::frames::{NO_OBJECT, ReturnTo, ThreadState};
use super::sync::{TIMED_OUT, Wait};
use super::{Machine, Step};
use crate::code::{
    Base, CallCode, CalleeCode, NodeCode, PlaceCode, PointerCode, StepCode, ValueKind, Word, WordForm,
};
use crate::memory::{Location, Pointer, Tag};
use crate::outcome::Limit;
use crate::schedule::{ChoiceKind, Grain, Moment, SharedResource, Touched, VisibleEdges, VisibleStep};
use crate::settings::ThreadId;
use base::Id;
use program::{Action, Callee, Known, NodeId, ProcedureId, Program};

/// How a thread stands: its calls and registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    calls: Vec<(ProcedureId, u32)>,
    registers: Vec<(u64, Tag)>,
}

/// A thread that makes so many steps that nobody sees stands as before one that is seen.
const MOST_OWN: u32 = 100_000;
/// The budget is asked after so many visible steps.
const CHOICES_PER_CHECK: u64 = 256;

impl Machine<'_, '_> {
    /// Which of several things happens; the usual one where nobody decides.
    pub fn decide(&mut self, kind: ChoiceKind, ways: u32) -> u32 {
        let current = self.current;
        match &mut self.world.driver {
            Some(driver) => driver.decide(current, kind, ways).min(ways - 1),
            None => kind.usual(ways),
        }
    }

    /// Runs threads as the driver says, until the run ends.
    pub fn run_driven(&mut self) -> Step<()> {
        let mut grain = Grain::Whole;
        let mut choices = 0u64;
        let mut stood = self.stands();
        loop {
            let settled = self.settle_all();
            self.tell_made(grain, stood);
            settled?;
            let moment = self.moment();
            if self.settings.deadlocks {
                self.look_for_deadlock()?;
            }
            choices += 1;
            if choices.is_multiple_of(CHOICES_PER_CHECK)
                && let Err(why) = self.settings.limits.budget.check()
            {
                return Err(self.limit(Limit::Budget(why)));
            }
            let Some(driver) = &mut self.world.driver else { unreachable!("a driver drives") };
            let chosen = driver.choose(&moment);
            let Some(chosen) = chosen.filter(|id| moment.able.contains(id) || moment.idle.contains(id))
            else {
                // Who may wake up for no reason, or because its time is over, is left alone by the driver, not stuck.
                return Err(match moment.able.is_empty() && moment.idle.is_empty() {
                    true => self.nobody_can_run(),
                    false => self.limit(Limit::Driver),
                });
            };
            grain = Grain::Whole;
            self.take_up(chosen);
            stood = self.stands();
            let made = self.make_step(&mut grain);
            if made.is_err() {
                self.tell_made(grain, stood);
            }
            made?;
        }
    }

    /// Lets the running thread, and those that were just created, come to their next visible step; puts all of them
    /// aside.
    fn settle_all(&mut self) -> Step<()> {
        self.settle()?;
        self.park();
        while let Some(id) = self.threads.ids().find(|&id| self.threads[id].is_new) {
            let made = self.watch.as_mut().map(|watch| std::mem::take(&mut watch.touched));
            let maker = self.current;
            self.take_up(id);
            let settled = self.settle();
            // What it touched so far goes with its own first step.
            if let (Some(watch), Some(made)) = (&mut self.watch, made) {
                self.thread.first_touched = std::mem::replace(&mut watch.touched, made);
            }
            settled?;
            self.park();
            self.current = maker;
        }
        Ok(())
    }

    fn settle(&mut self) -> Step<()> {
        if let Some(watch) = &mut self.watch {
            watch.is_own = false;
        }
        self.thread.is_new = false;
        let mut alone = 0;
        while self.thread.state == ThreadState::Ready && !self.stands_before_visible() {
            // Steps of its own may go on for ever; others must get their turn.
            if alone == MOST_OWN {
                break;
            }
            alone += 1;
            self.one_edge()?;
        }
        self.thread.pending = match self.thread.state {
            ThreadState::Ready => self.blocking_step(),
            _ => None,
        };
        Ok(())
    }

    fn one_edge(&mut self) -> Step<()> {
        if self.settings.limits.steps.is_some_and(|most| self.steps >= most) {
            return Err(self.limit(Limit::Steps));
        }
        if self.steps.is_multiple_of(8192)
            && let Err(why) = self.settings.limits.budget.check()
        {
            return Err(self.limit(Limit::Budget(why)));
        }
        self.run_slice(1)?;
        self.must_switch = false;
        Ok(())
    }

    fn take_up(&mut self, id: ThreadId) {
        self.current = id;
        self.thread = std::mem::take(&mut self.threads[id]);
        self.frame = self.thread.frames.pop().expect("a parked thread has its frame with it");
    }

    /// Where the running thread stands, and whether it waits there.
    fn stands(&self) -> ((ProcedureId, NodeId), bool) {
        let at = (self.frame.procedure, NodeId::from_index(self.frame.node as usize));
        (at, matches!(self.thread.state, ThreadState::Waiting(_)))
    }

    /// The chosen thread makes its visible step.
    fn make_step(&mut self, grain: &mut Grain) -> Step<()> {
        self.thread.pending = None;
        if let Some(watch) = &mut self.watch {
            watch.is_own = true;
            watch.touched = std::mem::take(&mut self.thread.first_touched);
        }
        match std::mem::take(&mut self.thread.state) {
            ThreadState::Waiting(Wait::Signal { condition, mutex, is_timed }) => {
                self.note_object(SharedResource::Object(condition), true);
                let gives_up = is_timed && self.decide(ChoiceKind::TimeOut, 2) == 1;
                let told = if gives_up { TIMED_OUT } else { 0 };
                self.thread.woke_idly = true;
                self.thread.state = ThreadState::Waiting(Wait::Relock { mutex, condition, told });
                return Ok(());
            }
            ThreadState::Waiting(wait) => {
                let value = self.finish_wait(wait)?;
                self.complete_call(value)?;
            }
            ThreadState::Ready => {
                match self.called_here() {
                    Some((_, Some(Known::CondWait | Known::CondTimedWait))) => {}
                    Some((callee, known)) => {
                        self.thread.woke_idly = false;
                        *grain = match known {
                            Some(known) if goes_through_memory(known) => Grain::Bytes,
                            Some(known) if synchronises(known) => Grain::Whole,
                            _ if self.program.procedures[callee].is_atomic => Grain::Whole,
                            _ => Grain::Edge,
                        };
                    }
                    None => *grain = Grain::Edge,
                }
                self.one_edge()?;
            }
            other => unreachable!("{other:?} makes no step"),
        }
        // A section that nobody interrupts is one step.
        while self.thread.atomic_depth > 0 {
            match &self.thread.state {
                ThreadState::Ready => {
                    *grain = Grain::Whole;
                    self.one_edge()?;
                }
                ThreadState::Waiting(wait) => {
                    let what = self.wait_in_words(&wait.clone());
                    return Err(
                        self.unsupported(format!("a thread waits for {what} inside an atomic section"))
                    );
                }
                ThreadState::Ended(_) => break,
                ThreadState::Stopped(place) => {
                    // The section has not happened: others must not see its beginning.
                    let place = (**place).clone();
                    return Err(self.end_with(crate::outcome::RunOutcome::AssumptionUnmet(place)));
                }
            }
        }
        Ok(())
    }

    fn tell_made(&mut self, grain: Grain, (at, resumes): ((ProcedureId, NodeId), bool)) {
        let thread = self.current;
        let Some(watch) = &mut self.watch else { return };
        let touched = std::mem::take(&mut watch.touched);
        if let Some(driver) = &mut self.world.driver {
            driver.made(VisibleStep { thread, at, resumes, touched, grain });
        }
    }

    /// Who can go on, while all are put aside.
    fn moment(&self) -> Moment {
        let mut moment = Moment::default();
        for (id, thread) in self.threads.iter_enumerated() {
            let wait = match &thread.state {
                ThreadState::Ready => thread.pending.as_ref(),
                ThreadState::Waiting(Wait::Signal { .. }) => {
                    moment.waiting.push(id);
                    if !thread.wakes_in_vain {
                        moment.idle.push(id);
                    }
                    continue;
                }
                ThreadState::Waiting(wait) => {
                    moment.waiting.push(id);
                    Some(wait)
                }
                ThreadState::Ended(_) => {
                    moment.ended.push(id);
                    continue;
                }
                ThreadState::Stopped(_) => continue,
            };
            match wait.filter(|wait| !self.is_over(id, wait)) {
                None => moment.able.push(id),
                Some(wait) => {
                    let what = self.part_of(wait);
                    moment.blocked.push((id, Touched { what, is_write: true, is_own: true }));
                }
            }
        }
        moment
    }

    /// The running thread begins to wait for a signal.
    pub fn begin_waiting(&mut self) {
        if self.world.driver.is_none() {
            return;
        }
        let frames = std::iter::once(&self.frame).chain(&self.thread.frames);
        let standing = Standing {
            calls: frames.map(|frame| (frame.procedure, frame.node)).collect(),
            registers: self.thread.registers.iter().map(|register| (register.bits, register.tag)).collect(),
        };
        let is_back = self.thread.woke_idly && self.thread.waited.as_ref() == Some(&standing);
        self.thread.wakes_in_vain = is_back;
        self.thread.woke_idly = false;
        self.thread.waited = Some(standing);
    }

    /// Is the next step of the running thread one that others can see?
    fn stands_before_visible(&self) -> bool {
        let Some(visible) = self.world.visible else { return false };
        let procedure = self.frame.procedure;
        match &self.procedure_code().nodes[self.frame.node as usize] {
            NodeCode::Step { step, edge, .. } => {
                visible.contains(&(procedure, *edge))
                    || match step {
                        StepCode::Call(_) => self.called_here().is_some_and(|(callee, known)| {
                            self.program.procedures[callee].is_atomic
                                || known
                                    .is_some_and(|known| synchronises(known) || goes_through_memory(known))
                        }),
                        StepCode::Return(_) => {
                            matches!(
                                self.frame.returns,
                                ReturnTo::ThreadEnd | ReturnTo::Main | ReturnTo::Once(_)
                            )
                        }
                        _ => false,
                    }
            }
            NodeCode::Branch { when_true, when_false, .. } => {
                [when_true, when_false].iter().any(|(edge, _)| visible.contains(&(procedure, *edge)))
            }
            NodeCode::Choice(ways) => ways.iter().any(|way| visible.contains(&(procedure, way.edge))),
            NodeCode::End(_) => false,
        }
    }

    /// The procedure that the next step calls by its name, and what engines know about it.
    fn called_here(&self) -> Option<(ProcedureId, Option<Known>)> {
        let callee = match &self.next_call()?.callee {
            CalleeCode::Direct(callee) => *callee,
            CalleeCode::Indirect(..) => return None,
        };
        Some((callee, self.program.procedures[callee].known))
    }

    fn next_call(&self) -> Option<&CallCode> {
        match &self.procedure_code().nodes[self.frame.node as usize] {
            NodeCode::Step { step: StepCode::Call(call), .. } => Some(call),
            _ => None,
        }
    }

    /// What the next step would wait for, if it is a call that may block. Its arguments are the thread's own, so they
    /// do not change while it stands there; where they cannot be told without an error, the step itself will report it.
    fn blocking_step(&self) -> Option<Wait> {
        let (_, known) = self.called_here()?;
        let first = &self.next_call()?.arguments.first()?.kind;
        let address = match first {
            ValueKind::Pointer(pointer) => self.quiet_pointer(pointer)?,
            ValueKind::Word(word) => self.quiet_word(word)?,
            _ => return None,
        };
        Some(match known? {
            Known::MutexLock => Wait::Mutex(address),
            Known::RwlockReadLock => Wait::ReadLock(address),
            Known::RwlockWriteLock => Wait::WriteLock(address),
            Known::SemaphoreWait => Wait::Semaphore(address),
            Known::OnceCall => Wait::Once(address),
            Known::ThreadJoin => {
                let thread = self.thread_of(address).filter(|&thread| thread != self.current)?;
                let state = &self.threads[thread];
                (!state.is_joined && !state.is_detached).then_some(Wait::Join(thread, Pointer::NULL))?
            }
            _ => return None,
        })
    }

    fn quiet_pointer(&self, pointer: &PointerCode) -> Option<u64> {
        match pointer {
            PointerCode::Constant(address) => Some(*address),
            PointerCode::Register(number) => self.quiet_register(*number),
            PointerCode::AddressOf(place) => self.quiet_place(place),
            PointerCode::Offset(parts, size) => {
                let moved = self.quiet_word(&parts.1)?.wrapping_mul(*size);
                Some(self.cut_address(self.quiet_pointer(&parts.0)?.wrapping_add(moved)))
            }
            PointerCode::FromWord(word) => Some(self.cut_address(self.quiet_word(word)?)),
            PointerCode::Load(place) => self.quiet_load(place, self.memory.word()),
            _ => None,
        }
    }

    fn quiet_word(&self, word: &Word) -> Option<u64> {
        match word {
            Word::Constant(bits) => Some(*bits),
            Word::Register(number) => self.quiet_register(*number),
            Word::Convert(operand, shape) => Some(shape.extend(self.quiet_word(operand)?)),
            Word::FromPointer(pointer, shape) => Some(shape.extend(self.quiet_pointer(pointer)?)),
            Word::Load(place, WordForm::Whole { size, shape, .. }) => {
                Some(shape.extend(self.quiet_load(place, *size as usize)?))
            }
            _ => None,
        }
    }

    fn quiet_register(&self, number: u32) -> Option<u64> {
        let register = self.thread.registers.get(self.frame.registers + number as usize)?;
        (!register.tag.is_mark()).then_some(register.bits)
    }

    fn quiet_place(&self, place: &PlaceCode) -> Option<u64> {
        let base = match &place.base {
            Base::Frame(number) => {
                self.frame.stack_base + self.procedure_code().objects[*number as usize].stack_offset
            }
            Base::Static(number) => self.memory.object(self.statics[*number as usize]).base,
            Base::Thread(number) => self.memory.object(self.thread.own_objects[*number as usize]).base,
            Base::Pointer(pointer) => self.quiet_pointer(pointer)?,
            Base::Unsupported(_) => return None,
        };
        let mut address = base.wrapping_add(place.offset);
        for step in &place.steps {
            address = address.wrapping_add(self.quiet_word(&step.index)?.wrapping_mul(step.stride));
        }
        Some(self.cut_address(address))
    }

    fn quiet_load(&self, place: &PlaceCode, size: usize) -> Option<u64> {
        let address = self.quiet_place(place)?;
        let slot = self.object_at(address).filter(|&slot| slot != NO_OBJECT)?;
        let object = self.memory.object(slot);
        let at = Location { slot, offset: usize::try_from(address.checked_sub(object.base)?).ok()? };
        let fits = at.offset + size <= object.size() && object.is_written(at.offset, size);
        fits.then(|| object.load(at.offset, size))
    }
}

/// Is the next step from a node one that a schedule counts, whoever comes there? The end of a thread is counted too,
/// and depends on who comes.
pub fn is_visible_from(program: &Program, visible: &VisibleEdges, at: (ProcedureId, NodeId)) -> bool {
    let Some(body) = &program.procedures[at.0].body else { return false };
    body.out(at.1).any(|(id, edge)| {
        visible.contains(&(at.0, id))
            || matches!(&edge.action, Action::Call { callee: Callee::Direct(callee), .. }
                if program.procedures[*callee].is_atomic
                    || program.procedures[*callee].known.is_some_and(|known| synchronises(known) || goes_through_memory(known)))
    })
}

/// Do other threads see a call of it, or does it end the process?
fn synchronises(known: Known) -> bool {
    use Known::*;
    matches!(
        known,
        Abort
            | Exit
            | ExitNow
            | AssertFail
            | VerifierError
            | ReachError
            | Unreachable
            | Trap
            | AtomicBegin
            | Free
            | Realloc
            | ThreadCreate
            | ThreadJoin
            | ThreadExit
            | ThreadDetach
            | MutexInit
            | MutexDestroy
            | MutexLock
            | MutexTryLock
            | MutexTimedLock
            | MutexUnlock
            | SpinInit
            | RwlockInit
            | RwlockDestroy
            | RwlockReadLock
            | RwlockWriteLock
            | RwlockTryReadLock
            | RwlockTryWriteLock
            | RwlockTimedReadLock
            | RwlockTimedWriteLock
            | RwlockUnlock
            | CondInit
            | CondDestroy
            | CondWait
            | CondTimedWait
            | CondSignal
            | CondBroadcast
            | OnceCall
            | KeyCreate
            | KeyDelete
            | BarrierInit
            | BarrierDestroy
            | BarrierWait
            | SemaphoreInit
            | SemaphoreDestroy
            | SemaphoreWait
            | SemaphoreTryWait
            | SemaphoreTimedWait
            | SemaphoreGetValue
            | SemaphorePost
    )
}

/// Does it read or write memory that it is passed, without a body that does?
fn goes_through_memory(known: Known) -> bool {
    matches!(known, Known::MemoryCopy | Known::MemoryMove | Known::MemorySet)
}
