//! Ends of a run: `abort`, `exit`, failed assertions, error functions.

use super::{Arguments, Native};
use crate::machine::{Machine, Step};
use crate::outcome::{RunOutcome, UndefinedKind};
use program::{Known, ProcedureId};

pub fn call(
    machine: &mut Machine<'_, '_>,
    known: Known,
    procedure: ProcedureId,
    arguments: &Arguments,
) -> Step<Native> {
    match known {
        Known::Abort | Known::Trap => {
            let place = machine.place();
            Err(machine.end_with(RunOutcome::Aborted(place)))
        }
        Known::Exit => {
            let status = arguments.integer(machine, 0)? as i32;
            machine.begin_exit(status)?;
            Ok(Native::Entered)
        }
        Known::ExitNow => {
            let status = arguments.integer(machine, 0)? as i32;
            Err(machine.end_with(RunOutcome::Exited(status)))
        }
        Known::AtExit => {
            let handler = arguments.pointer(machine, 0)?;
            let handler = machine.called_through_any(handler)?;
            machine.exit_handlers.push(handler);
            Ok(Native::int(0))
        }
        Known::AssertFail => Err(assertion_failed(machine, procedure, arguments)?),
        Known::VerifierError | Known::ReachError => {
            let function = machine.program.procedures[procedure].name.clone();
            let place = machine.place();
            Err(machine.end_with(RunOutcome::ErrorReached { function, place }))
        }
        // `lower` puts one with an argument where an attribute is not kept.
        Known::Unreachable if !arguments.items.is_empty() && arguments.integer(machine, 0)? != 1 => {
            let name = &machine.program.procedures[machine.frame.procedure].name;
            let message = match arguments.integer(machine, 0)? {
                2 => format!("`{name}` is given a null pointer, though its attribute says that it never is"),
                _ => format!("`{name}` returns a null pointer, though its attribute says that it never does"),
            };
            Err(machine.undefined_always(UndefinedKind::Unreachable, message, None))
        }
        Known::Unreachable if !arguments.items.is_empty() => {
            let message = "a function returns, though it is declared never to".to_owned();
            Err(machine.undefined_always(UndefinedKind::ReturnedFromNoreturn, message, None))
        }
        Known::Unreachable => {
            let message = "control reaches `__builtin_unreachable()`".to_owned();
            Err(machine.undefined_always(UndefinedKind::Unreachable, message, None))
        }
        other => unreachable!("{other:?} does not end a run"),
    }
}

/// The call that the run is in, as the program writes it: an assertion of a tool that passes no text
/// (`__CPROVER_assert(x != 7, "seven")`).
fn call_in_words(machine: &Machine<'_, '_>) -> String {
    machine.program.show().source_text(machine.span())
}

/// Which argument of an assertion function says what.
fn assertion_failed(
    machine: &mut Machine<'_, '_>,
    procedure: ProcedureId,
    arguments: &Arguments,
) -> Step<crate::machine::Halt> {
    let (expression, file, line, function) = match &*machine.program.procedures[procedure].name {
        "__assert_rtn" => (3, 1, 2, Some(0)),
        "__assert" => (0, 1, 2, None),
        _ => (0, 1, 2, Some(3)),
    };
    let is_error_number = &*machine.program.procedures[procedure].name == "__assert_perror_fail";
    let text = |machine: &mut Machine<'_, '_>, number: usize| -> Step<Option<String>> {
        if number >= arguments.items.len() {
            return Ok(None);
        }
        let pointer = arguments.pointer(machine, number)?;
        if pointer.address == 0 {
            return Ok(None);
        }
        let bytes = machine.read_string(pointer, None)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    };
    let asserted = if is_error_number {
        format!("error {}", arguments.integer(machine, expression)?)
    } else {
        text(machine, expression)?.unwrap_or_else(|| call_in_words(machine))
    };
    let file = text(machine, file)?.unwrap_or_default();
    let line = if line < arguments.items.len() { arguments.integer(machine, line)? } else { 0 };
    let function = match function {
        Some(number) => text(machine, number)?,
        None => None,
    };
    let function = function.map(|name| format!("{name}: ")).unwrap_or_default();
    let told = if is_error_number {
        format!("{file}:{line}: {function}Unexpected {asserted}.")
    } else {
        format!("{file}:{line}: {function}Assertion `{asserted}' failed.")
    };
    let place = machine.place();
    Ok(machine.end_with(RunOutcome::AssertionFailed { expression: asserted, told, place }))
}
