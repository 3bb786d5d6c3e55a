//! Runs a normalised program on real values: the replay engine and the test oracle of the whole tool.
//!
//! Reading order: [`settings`] → [`outcome`] → [`inputs`], [`host`], [`observe`], [`schedule`] (the outside) → `code`
//! (the program made ready) → `memory` → `machine` (the interpreter) → `library` (built-in functions) → `number` (wide
//! floats, exact decimals) → [`interleavings`] (all runs of threads).

mod code;
pub mod host;
pub mod inputs;
pub mod interleavings;
mod library;
mod machine;
mod memory;
mod number;
pub mod observe;
pub mod outcome;
pub mod schedule;
pub mod settings;

pub use host::{Captured, Discarded, Host, OutputStream};
pub use inputs::{
    ConsumedInput, InputShape, InputTrouble, Inputs, ListedInputs, SeededInputs, StreamedInputs,
};
pub use machine::moments::Moments;
pub use observe::{Observer, StateSeen, Step, Written};
pub use outcome::{
    Limit, ObjectDescription, Owner, Place, Run, RunOutcome, StackEntry, Stands, Statistics, Touched,
    UndefinedKind, UndefinedReport, Unknown, UnknownReason, Waiting,
};
pub use schedule::{
    BadPlan, ChoiceKind, Driver, Grain, Moment, Plan, Planned, SharedResource, VisibleEdges, VisibleStep,
};
pub use settings::{
    Limits, OnError, OnMissingBody, OnUndefined, Outside, Schedule, Settings, Strictness, ThreadId,
    Uninitialised,
};

use program::Program;

/// A program made ready to run; many runs can share it.
pub struct Interpreter<'p> {
    program: &'p Program,
    code: code::Code,
}

impl<'p> Interpreter<'p> {
    /// Makes a program ready.
    pub fn new(program: &'p Program) -> Interpreter<'p> {
        Interpreter { program, code: code::build(program, code::Statics::InRegisters) }
    }

    /// Makes a program ready whose threads are watched: every access that they can share goes through memory.
    pub fn for_threads(program: &'p Program) -> Interpreter<'p> {
        Interpreter { program, code: code::build(program, code::Statics::InMemory) }
    }

    /// Runs it to its end with a driver that says, before each visible step, who makes it. Visible are these edges, and
    /// all calls that synchronise. The program must have been made ready by [`Interpreter::for_threads`], and no edge
    /// may access shared memory more than once.
    pub fn drive<'w>(
        &self,
        settings: &Settings,
        host: &'w mut dyn Host,
        inputs: &'w mut dyn Inputs,
        (driver, visible): (&'w mut dyn Driver, &'w VisibleEdges),
        observer: Option<&'w mut dyn Observer>,
    ) -> Run {
        let world = machine::World {
            host,
            inputs,
            observer,
            driver: Some(driver),
            visible: Some(visible),
            moments: None,
        };
        machine::Machine::new(self.program, &self.code, settings, world).run()
    }

    /// Runs it to its end.
    pub fn run(&self, settings: &Settings, host: &mut dyn Host, inputs: &mut dyn Inputs) -> Run {
        let world =
            machine::World { host, inputs, observer: None, driver: None, visible: None, moments: None };
        machine::Machine::new(self.program, &self.code, settings, world).run()
    }

    /// Runs it to its end, telling an observer about every step.
    pub fn watch(
        &self,
        settings: &Settings,
        host: &mut dyn Host,
        inputs: &mut dyn Inputs,
        observer: &mut dyn Observer,
    ) -> Run {
        let world = machine::World {
            host,
            inputs,
            observer: Some(observer),
            driver: None,
            visible: None,
            moments: None,
        };
        machine::Machine::new(self.program, &self.code, settings, world).run()
    }

    /// The same from the last of the moments on, or from the start where there is none. Moments before inputs are
    /// added where the source of inputs comes back to them.
    pub fn watch_on(
        &self,
        settings: &Settings,
        host: &mut dyn Host,
        inputs: &mut dyn Inputs,
        observer: &mut dyn Observer,
        moments: &mut Moments,
    ) -> Run {
        let observer = Some(observer as &mut dyn Observer);
        let world =
            machine::World { host, inputs, observer, driver: None, visible: None, moments: Some(moments) };
        machine::Machine::new(self.program, &self.code, settings, world).run()
    }
}

/// Runs a program once.
pub fn run(program: &Program, settings: &Settings, host: &mut dyn Host, inputs: &mut dyn Inputs) -> Run {
    Interpreter::new(program).run(settings, host, inputs)
}
