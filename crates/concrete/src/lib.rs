//! Runs a normalised program on real values: the replay engine and the test oracle of the whole tool.
//!
//! Reading order: [`settings`] → [`outcome`] → [`inputs`], [`host`], [`observe`] (the outside) → `code` (the program
//! made ready) → `memory` → `machine` (the interpreter) → `library` (built-in functions) → `number` (wide floats, exact
//! decimals).

mod code;
pub mod host;
pub mod inputs;
mod library;
mod machine;
mod memory;
mod number;
pub mod observe;
pub mod outcome;
pub mod settings;

pub use host::{Captured, Host, OutputStream};
pub use inputs::{
    ConsumedInput, InputShape, InputTrouble, Inputs, ListedInputs, SeededInputs, StreamedInputs,
};
pub use observe::{Observer, Step, Written};
pub use outcome::{
    Limit, ObjectDescription, Outcome, Owner, Place, Report, Run, StackEntry, Statistics, Touched,
    UndefinedKind, Unknown, UnknownReason, Waiting,
};
pub use settings::{
    Limits, Missing, OnError, OnUndefined, Outside, Schedule, Settings, Strictness, ThreadId, Uninitialised,
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
        Interpreter { program, code: code::build(program) }
    }

    /// Runs it to its end.
    pub fn run(&self, settings: &Settings, host: &mut dyn Host, inputs: &mut dyn Inputs) -> Run {
        let world = machine::World { host, inputs, observer: None };
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
        let world = machine::World { host, inputs, observer: Some(observer) };
        machine::Machine::new(self.program, &self.code, settings, world).run()
    }
}

/// Runs a program once.
pub fn run(program: &Program, settings: &Settings, host: &mut dyn Host, inputs: &mut dyn Inputs) -> Run {
    Interpreter::new(program).run(settings, host, inputs)
}
