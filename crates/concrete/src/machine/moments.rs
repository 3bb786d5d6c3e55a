//! Moments of a run to which later runs go back, so that two runs that begin alike are made only from where they
//! differ.
//!
//! Source: stateful search as in SPIN (Holzmann 1997) keeps states on its stack; re-execution (Godefroid's VeriSoft,
//! 1997) is what remains where no moment was kept.
//!
//! **Obligation.** A run that goes on from a moment takes the same steps as one from the start that has the same inputs: a moment
//! is kept only before a step that asks for one scalar input and has changed nothing yet, and holds all that steps
//! depend on. What is remembered of dead objects, for reports only, is not part of it. Test:
//! `runs_from_moments_are_runs_from_the_start`.

use super::Machine;
use super::frames::{Frame, Register, Thread};
use super::sync::SyncObjects;
use crate::code::{Class, NodeCode, StepCode};
use crate::library::stream::InputBuffer;
use crate::memory::{Slot, Store};
use base::IndexVec;
use program::{HavocSource, ProcedureId};

/// Bytes that moments may take together; beyond that none is kept, and runs go back further.
const MOST_BYTES: usize = 512 << 20;

/// A machine before an input.
#[derive(Clone)]
struct Moment {
    /// So many inputs were used before.
    inputs: usize,
    memory: Store,
    statics: Vec<Slot>,
    standard_streams: [Option<Slot>; 3],
    functions: IndexVec<ProcedureId, Slot>,
    globals: Vec<Register>,
    thread: Thread,
    frame: Frame,
    sync: SyncObjects,
    steps: u64,
    peak_depth: u32,
    exit_status: i32,
    exit_handlers: Vec<ProcedureId>,
    input: InputBuffer,
    bytes: usize,
}

/// Moments of the last run, in the order in which it came to them.
#[derive(Default)]
pub struct Moments {
    kept: Vec<Moment>,
    bytes: usize,
    /// The input that the next run is to give otherwise.
    wanted: usize,
}

impl Moments {
    /// Forgets all moments with more inputs before them. The next run goes on where so many inputs, or fewer, were
    /// used: the number is told.
    pub fn back_to(&mut self, inputs: usize) -> usize {
        while self.kept.last().is_some_and(|moment| moment.inputs > inputs) {
            self.take();
        }
        self.wanted = inputs;
        self.kept.last().map_or(0, |moment| moment.inputs)
    }

    fn take(&mut self) -> Option<Moment> {
        let moment = self.kept.pop()?;
        self.bytes -= moment.bytes;
        Some(moment)
    }
}

impl Machine<'_, '_> {
    /// Keeps this moment, if somebody wants moments and the step has changed nothing yet.
    pub fn keep_moment(&mut self) {
        let has_room = self.world.moments.as_ref().is_some_and(|moments| moments.bytes < MOST_BYTES);
        if !has_room
            || !self.world.inputs.comes_back()
            || self.threads.len() != 1
            || !self.is_before_scalar_input()
        {
            return;
        }
        let memory = self.memory.without_dead();
        let bytes = memory.kept_bytes()
            + std::mem::size_of::<Moment>()
            + (self.globals.len() + self.thread.registers.len()) * std::mem::size_of::<Register>();
        let moment = Moment {
            inputs: self.inputs_before + self.consumed.len(),
            memory,
            statics: self.statics.clone(),
            standard_streams: self.standard_streams,
            functions: self.functions.clone(),
            globals: self.globals.clone(),
            thread: self.thread.clone(),
            frame: self.frame.clone(),
            sync: self.sync.clone(),
            steps: self.steps,
            peak_depth: self.peak_depth,
            exit_status: self.exit_status,
            exit_handlers: self.exit_handlers.clone(),
            input: self.input.clone(),
            bytes,
        };
        if let Some(moments) = &mut self.world.moments {
            moments.bytes += bytes;
            moments.kept.push(moment);
        }
    }

    fn is_before_scalar_input(&self) -> bool {
        match &self.procedure_code().nodes[self.frame.node as usize] {
            NodeCode::Step { step: StepCode::Havoc(havoc), .. } => {
                matches!(havoc.source, HavocSource::Input(_))
                    && matches!(havoc.into.class, Class::Integer { .. })
            }
            _ => false,
        }
    }

    /// Takes the last moment, if there is one, and stands where it was.
    pub fn go_on_from_moment(&mut self) -> bool {
        let Some(moments) = &mut self.world.moments else { return false };
        let Some(last) = moments.kept.last() else { return false };
        // A moment whose own input has another value yet to come is needed again.
        let moment = if last.inputs < moments.wanted { Some(last.clone()) } else { moments.take() };
        let Some(moment) = moment else { return false };
        self.inputs_before = moment.inputs;
        self.memory = moment.memory;
        self.statics = moment.statics;
        self.standard_streams = moment.standard_streams;
        self.functions = moment.functions;
        self.globals = moment.globals;
        self.thread = moment.thread;
        self.frame = moment.frame;
        self.sync = moment.sync;
        // The step is counted when it is made again.
        self.steps = moment.steps.saturating_sub(1);
        self.peak_depth = moment.peak_depth;
        self.exit_status = moment.exit_status;
        self.exit_handlers = moment.exit_handlers;
        self.input = moment.input;
        self.current = self.threads.push(Thread::default());
        true
    }
}
