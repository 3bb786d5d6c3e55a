//! The machine: threads with frames, one memory, and the loop that takes one edge after the other.
//!
//! Reading order: [`frames`] (what a thread is) → [`evaluate`] and [`arithmetic`] (values) → [`access`] (memory) →
//! [`steps`] (the loop), [`rounds`] (many rounds at once) → [`calls`] → [`threads`] and [`sync`] → [`start`] and [`report`]; [`moments`] (going back).

pub mod access;
pub mod arithmetic;
pub mod calls;
pub mod deadlock;
pub mod digest;
pub mod driven;
pub mod evaluate;
pub mod frames;
pub mod initial;
mod lost;
pub mod moments;
pub mod races;
pub mod report;
mod rounds;
pub mod start;
pub mod steps;
pub mod sync;
pub mod threads;
pub mod values;
pub mod watch;

use crate::code::Code;
use crate::host::Host;
use crate::inputs::{ConsumedInput, InputShape, InputTrouble, Inputs};
use crate::library::stream::InputBuffer;
use crate::memory::{Slot, Store};
use crate::observe::{Observer, Written};
use crate::outcome::{Run, RunOutcome, Statistics, UndefinedReport, UnknownReason};
use crate::schedule::{Driver, VisibleEdges};
use crate::settings::{Settings, ThreadId};
use base::{Id, IndexVec, Span};
pub use driven::is_visible_from;
use frames::{Frame, Register, Thread};
use moments::Moments;
use program::{Assumption, Origin, ProcedureId, Program, TypeId};
use races::Races;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use sync::SyncObjects;
pub use values::Value;
use watch::Watch;

/// How many blocks that live at the end are described.
const MOST_LEFT: usize = 100;

/// The run cannot go on; [`Machine::outcome`] says why.
#[derive(Clone, Copy, Debug)]
pub struct Halt;

/// A result, unless the run has ended.
pub type Step<T> = Result<T, Halt>;

/// Where the outside is.
pub struct World<'w> {
    /// Standard streams.
    pub host: &'w mut dyn Host,
    /// Unknown values.
    pub inputs: &'w mut dyn Inputs,
    /// Is told about each step.
    pub observer: Option<&'w mut dyn Observer>,
    /// Decides who runs next, in place of the schedule of the settings.
    pub driver: Option<&'w mut dyn Driver>,
    /// The steps that a driver decides about, besides synchronising calls.
    pub visible: Option<&'w VisibleEdges>,
    /// Keeps moments before inputs, to which later runs go back.
    pub moments: Option<&'w mut Moments>,
}

/// A running program.
pub struct Machine<'p, 'w> {
    pub program: &'p Program,
    pub code: &'p Code,
    pub settings: &'p Settings,
    pub world: World<'w>,

    pub memory: Store,
    /// Objects of static variables, as [`Code::statics`] numbers them.
    pub statics: Vec<Slot>,
    /// The objects behind `stdin`, `stdout` and `stderr`, where their descriptions define them.
    pub standard_streams: [Option<Slot>; 3],
    /// The pseudo-objects of functions.
    pub functions: IndexVec<ProcedureId, Slot>,
    /// Registers of static variables outside memory.
    pub globals: Vec<Register>,

    /// The running thread, taken out of `threads`.
    pub thread: Thread,
    /// The innermost call of the running thread.
    pub frame: Frame,
    pub current: ThreadId,
    pub threads: IndexVec<ThreadId, Thread>,
    /// The running thread cannot go on now, or gives way.
    pub must_switch: bool,
    pub sync: SyncObjects,
    /// What is kept about accesses, if somebody asks.
    pub watch: Option<Box<Watch>>,

    pub steps: u64,
    /// What is known of its loops.
    pub rounds: rounds::Rounds,
    pub peak_depth: u32,
    /// How the run ended, once it has.
    pub outcome: Option<RunOutcome>,
    pub tolerated: Vec<UndefinedReport>,
    pub consumed: Vec<ConsumedInput>,
    /// Inputs used before the moment that the run goes on from.
    pub inputs_before: usize,
    pub assumptions: Vec<Assumption>,
    /// What the current step wrote, if somebody watches.
    pub written: Option<Written>,

    /// The status the program is about to exit with.
    pub exit_status: i32,
    pub exit_handlers: Vec<ProcedureId>,
    pub input: InputBuffer,
    /// May a call through a pointer to this function type call that procedure?
    pub compatible_calls: FxHashMap<(TypeId, ProcedureId), bool>,
}

impl<'p, 'w> Machine<'p, 'w> {
    /// A machine with nothing in its memory.
    pub fn new(program: &'p Program, code: &'p Code, settings: &'p Settings, world: World<'w>) -> Self {
        let model = program.types.model();
        let races = settings.races.then(Races::default);
        let is_watched = races.is_some() || world.driver.is_some();
        let watch = is_watched.then(|| Watch { races, ..Watch::default() });
        Machine {
            program,
            code,
            settings,
            world,
            memory: Store::new(model),
            statics: Vec::new(),
            standard_streams: [None; 3],
            functions: IndexVec::new(),
            globals: vec![Register::UNWRITTEN; code.global_register_count as usize],
            thread: Thread::default(),
            frame: Frame::outermost(),
            current: ThreadId::from_index(0),
            threads: IndexVec::new(),
            must_switch: false,
            sync: SyncObjects::default(),
            watch: watch.map(Box::new),
            steps: 0,
            rounds: rounds::Rounds::default(),
            peak_depth: 0,
            outcome: None,
            tolerated: Vec::new(),
            consumed: Vec::new(),
            inputs_before: 0,
            assumptions: Vec::new(),
            written: None,
            exit_status: 0,
            exit_handlers: Vec::new(),
            input: InputBuffer::default(),
            compatible_calls: FxHashMap::default(),
        }
    }

    /// Runs the program to its end.
    pub fn run(mut self) -> Run {
        let is_driven = self.world.driver.is_some();
        let begun = if self.go_on_from_moment() { Ok(()) } else { self.start() };
        let ended = begun.and_then(|()| match is_driven {
            true => self.run_driven(),
            false => self.run_threads(),
        });
        self.world.host.flush();
        let outcome = match (ended, self.outcome.take()) {
            (Err(Halt), Some(outcome)) => outcome,
            (..) => unreachable!("a run ends by saying how"),
        };
        // The running thread is one of them, with its name.
        if self.current.index() < self.threads.len() && self.threads[self.current].name.is_empty() {
            self.threads[self.current].name = std::mem::take(&mut self.thread.name);
        }
        let (left, lost) = match outcome {
            _ if !outcome.is_end() => (Vec::new(), 0),
            _ if self.settings.lost_blocks => self.blocks_left(),
            _ => (self.memory.living_blocks().take(MOST_LEFT).collect(), 0),
        };
        let left = left.into_iter().take(MOST_LEFT).map(|slot| self.describe_slot(slot)).collect();
        let (leaked, left_by_abort) = match outcome {
            RunOutcome::Exited(_) => (left, Vec::new()),
            _ => (Vec::new(), left),
        };
        Run {
            outcome,
            leaked,
            left_by_abort,
            lost,
            inputs: self.consumed,
            tolerated: self.tolerated,
            threads: self.threads.iter().map(|thread| thread.name.clone()).collect(),
            assumptions: self.assumptions,
            statistics: Statistics {
                steps: self.steps,
                peak_bytes: self.memory.peak_bytes(),
                threads: self.threads.len() as u32,
                peak_call_depth: self.peak_depth,
            },
        }
    }

    /// The next input. What a model of a library function asks for is an input of that function.
    pub fn input(&mut self, name: &Arc<str>, shape: InputShape) -> Step<u128> {
        let called = self.called_model();
        let name = called.map_or(name, |(procedure, _)| &self.program.procedures[procedure].name);
        let current = self.current;
        if let Some(driver) = &mut self.world.driver
            && let Some(bits) = driver.input(current, name, shape)
        {
            let span = self.span();
            self.consumed.push(ConsumedInput { name: name.clone(), shape, bits, span });
            return Ok(bits);
        }
        if self.world.inputs.wants_state() {
            self.world.inputs.state(self.digest());
            self.keep_moment();
        }
        match self.world.inputs.next(name, shape) {
            Ok(bits) => {
                let span = self.span();
                self.consumed.push(ConsumedInput { name: name.clone(), shape, bits, span });
                Ok(bits)
            }
            Err(InputTrouble::Exhausted) => {
                let message = format!("`{name}` asks for a value and there are no more inputs");
                Err(self.unknown(UnknownReason::InputsExhausted, message))
            }
            Err(InputTrouble::Unfit(why)) => {
                let message = format!("the input for `{name}` cannot be used: {why}");
                Err(self.unknown(UnknownReason::BadInput, message))
            }
        }
    }

    /// The library function in whose model control is, as the user's code calls it, and where it does.
    pub fn called_model(&self) -> Option<(ProcedureId, Span)> {
        let is_model = |frame: &Frame| self.program.procedures[frame.procedure].origin == Origin::Model;
        if !is_model(&self.frame) {
            return None;
        }
        let mut called = self.frame.procedure;
        for frame in self.thread.frames.iter().rev() {
            if !is_model(frame) {
                return Some((called, self.span_in(frame)));
            }
            called = frame.procedure;
        }
        Some((called, Span::NOWHERE))
    }

    /// The source of the current step; inside a library function, of the call in the user's code.
    pub fn span(&self) -> Span {
        self.called_model().map_or_else(|| self.span_in(&self.frame), |(_, span)| span)
    }
}
