//! Beginning and end of a run: constructors, `main` with its arguments, exit handlers, destructors.

use super::frames::{Frame, ReturnTo, Thread};
use super::{Machine, Step, Value};
use crate::code::{Class, Home};
use crate::memory::{Location, Pointer};
use crate::outcome::{RunOutcome, UnknownReason};
use program::ProcedureId;

impl Machine<'_, '_> {
    /// Sets up memory and enters the first procedure.
    pub fn start(&mut self) -> Step<()> {
        let mut thread = Thread { name: "0".to_owned(), ..Thread::default() };
        let (low, high) = self.memory.space.stack(0).expect("there is room for one stack");
        (thread.stack_low, thread.stack_high) = (low, high);
        self.set_up_memory()?;
        self.set_up_thread_variables(&mut thread)?;
        self.thread = thread;
        self.current = self.threads.push(Thread::default());
        // Destructors run in order after all handlers of `atexit`; handlers are taken from the end.
        self.exit_handlers = self.program.destructors.iter().rev().copied().collect();
        self.start_next(0)
    }

    /// Enters the constructor with this number, or `main` after the last.
    pub fn start_next(&mut self, number: usize) -> Step<()> {
        if let Some(&constructor) = self.program.constructors.get(number) {
            return self.enter_plain(constructor, ReturnTo::Startup(number + 1));
        }
        let main = self.program.main.filter(|&main| self.code.procedures[main].is_some());
        let Some(main) = main else {
            return Err(self.unknown(UnknownReason::NoMain, "the program has no `main`".to_owned()));
        };
        let frame = self.open_frame(main, ReturnTo::Main)?;
        let mut arguments = self.settings.arguments.clone();
        if arguments.is_empty() {
            arguments.push(b"a.out".to_vec());
        }
        let count = arguments.len() as u64;
        let table = self.make_string_table(&arguments)?;
        let environment = self.make_string_table(&self.settings.environment)?;
        let values = [Value::Word(count), Value::Pointer(table), Value::Pointer(environment)];
        self.fill_parameters(&frame, &values)?;
        self.enter(frame);
        Ok(())
    }

    /// Enters a procedure without arguments.
    pub fn enter_plain(&mut self, procedure: ProcedureId, returns: ReturnTo) -> Step<()> {
        self.enter_with(procedure, returns, &[])
    }

    /// Enters a procedure the run-time system calls.
    pub fn enter_with(&mut self, procedure: ProcedureId, returns: ReturnTo, values: &[Value]) -> Step<()> {
        if self.code.procedures[procedure].is_none() {
            let name = self.program.procedures[procedure].name.clone();
            let message = format!("`{name}` is called by the system, but it has no body");
            return Err(self.unknown(UnknownReason::MissingBody(name), message));
        }
        let frame = self.open_frame(procedure, returns)?;
        self.fill_parameters(&frame, values)?;
        self.enter(frame);
        Ok(())
    }

    /// Gives the parameters these values, as many as there are.
    fn fill_parameters(&mut self, frame: &Frame, values: &[Value]) -> Step<()> {
        let code = self.code.procedures[frame.procedure].as_ref().expect("it is being called");
        for (parameter, value) in code.parameters.iter().zip(values) {
            // The values are words and pointers; a parameter of another kind is the program's own mistake.
            let value = match (parameter.class, value) {
                (Class::Pointer, Value::Word(bits)) => Value::Pointer(Pointer::of_address(*bits)),
                (Class::Integer { shape, .. }, Value::Pointer(pointer)) => {
                    Value::Word(shape.extend(pointer.address))
                }
                (Class::Integer { shape, .. }, Value::Word(bits)) => Value::Word(shape.extend(*bits)),
                (_, value) => value.clone(),
            };
            match (parameter.home, &value) {
                (Home::Register(number), Value::Word(bits)) => {
                    let register = super::frames::Register::word(*bits);
                    self.thread.registers[frame.registers + number as usize] = register;
                }
                (Home::Register(number), Value::Pointer(pointer)) => {
                    let register = super::frames::Register { bits: pointer.address, tag: pointer.tag };
                    self.thread.registers[frame.registers + number as usize] = register;
                }
                (Home::FrameObject(number), _) => {
                    let object = &code.objects[number as usize];
                    let index = frame.objects + number as usize;
                    let slot = self.begin_frame_object(object, index, frame.stack_base)?;
                    self.put_value(Location { slot, offset: 0 }, parameter.class, value)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `exit`: handlers first, then the end.
    pub fn begin_exit(&mut self, status: i32) -> Step<()> {
        self.exit_status = status;
        self.next_exit_handler()
    }

    /// Enters the next exit handler, or ends the run.
    pub fn next_exit_handler(&mut self) -> Step<()> {
        match self.exit_handlers.pop() {
            Some(handler) => self.enter_plain(handler, ReturnTo::ExitHandler),
            None => Err(self.end_with(RunOutcome::Exited(self.exit_status))),
        }
    }
}
