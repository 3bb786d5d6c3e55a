//! Functions with a built-in meaning, one file per family. Called with their arguments evaluated.

pub mod allocation;
pub mod ends;
pub mod format;
mod locks;
pub mod math;
pub mod output;
pub mod scan;
pub mod stream;
pub mod strings;
pub mod threads;
pub mod varargs;
mod words;

use crate::code::{Class, WideKind, class_of};
use crate::machine::sync::Wait;
use crate::machine::{Machine, Step, Value};
use crate::memory::Pointer;
use crate::outcome::UndefinedKind;
use program::{Known, ProcedureId, TypeId};

/// An evaluated argument with the type it was passed with.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its type.
    pub ty: TypeId,
    /// Its value.
    pub value: Value,
}

/// What a built-in function did.
pub enum Native {
    /// It is done.
    Value(Value),
    /// The thread has to wait; the call is done when the wait is over.
    Wait(Wait),
    /// Control is elsewhere: a function was entered, or the thread has ended.
    Entered,
}

impl Native {
    /// Done, with an `int`.
    pub fn int(value: i64) -> Native {
        Native::Value(Value::int(value))
    }

    /// Done, with a pointer.
    pub fn pointer(pointer: Pointer) -> Native {
        Native::Value(Value::Pointer(pointer))
    }

    /// Done, with no result.
    pub const NOTHING: Native = Native::Value(Value::Nothing);
}

/// The arguments of one call.
pub struct Arguments {
    /// The arguments, in order.
    pub items: Vec<Argument>,
    name: std::sync::Arc<str>,
}

impl Arguments {
    /// The argument with that number, counted from 0.
    fn item(&self, machine: &mut Machine<'_, '_>, number: usize) -> Step<&Argument> {
        match self.items.get(number) {
            Some(item) => Ok(item),
            None => {
                let given = self.items.len();
                let message = format!("`{}` is called with only {given} arguments", self.name);
                Err(machine.undefined_always(UndefinedKind::BadCall, message, None))
            }
        }
    }

    /// A pointer.
    pub fn pointer(&self, machine: &mut Machine<'_, '_>, number: usize) -> Step<Pointer> {
        match self.item(machine, number)?.value {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Word(bits) => Ok(Pointer::of_address(machine.cut_address(bits))),
            _ => Err(self.wrong(machine, number, "a pointer")),
        }
    }

    /// A whole number by its type.
    pub fn integer(&self, machine: &mut Machine<'_, '_>, number: usize) -> Step<i128> {
        let item = self.item(machine, number)?.clone();
        match whole_number(machine, &item) {
            Some(value) => Ok(value),
            None => Err(self.wrong(machine, number, "an integer")),
        }
    }

    /// A size: the low bits of a pointer's width.
    pub fn size(&self, machine: &mut Machine<'_, '_>, number: usize) -> Step<u64> {
        let value = self.integer(machine, number)? as u64;
        Ok(machine.cut_address(value))
    }

    /// A floating value's bits in its format.
    pub fn float(&self, machine: &mut Machine<'_, '_>, number: usize) -> Step<u128> {
        match self.item(machine, number)?.value {
            Value::Word(bits) => Ok(u128::from(bits)),
            Value::Wide(bits) => Ok(bits),
            _ => Err(self.wrong(machine, number, "a floating value")),
        }
    }

    fn wrong(&self, machine: &mut Machine<'_, '_>, number: usize, wanted: &str) -> crate::machine::Halt {
        let shown = machine.program.types.show(self.items[number].ty);
        let message = format!("argument {} of `{}` has type `{shown}`, not {wanted}", number + 1, self.name);
        machine.undefined_always(UndefinedKind::BadCall, message, None)
    }
}

/// An integer argument as a number.
pub fn whole_number(machine: &Machine<'_, '_>, argument: &Argument) -> Option<i128> {
    let class = class_of(&machine.program.types, argument.ty);
    match (class, &argument.value) {
        (Class::Integer { shape, .. }, Value::Word(bits)) => {
            Some(if shape.signed { i128::from(*bits as i64) } else { i128::from(*bits) })
        }
        (Class::Wide(WideKind::Integer { .. }, _), Value::Wide(bits)) => Some(*bits as i128),
        (Class::Pointer, Value::Pointer(pointer)) => Some(i128::from(pointer.address)),
        _ => None,
    }
}

/// Does what a built-in function does. `wanted` is the type its result is used with.
pub fn call(
    machine: &mut Machine<'_, '_>,
    known: Known,
    procedure: ProcedureId,
    arguments: Vec<Argument>,
    wanted: Option<TypeId>,
) -> Step<Native> {
    use Known::*;
    let arguments = Arguments { items: arguments, name: machine.program.procedures[procedure].name.clone() };
    match known {
        Abort | Exit | ExitNow | AtExit | AssertFail | VerifierError | ReachError | Unreachable | Trap => {
            ends::call(machine, known, procedure, &arguments)
        }
        AtomicBegin => {
            let order = match arguments.items.first() {
                Some(_) => Some(arguments.integer(machine, 0)? as u8),
                None => None,
            };
            match order {
                Some(order) if u128::from(order) == Known::STEP => machine.begin_step(),
                order => machine.begin_atomic(order)?,
            }
            Ok(Native::NOTHING)
        }
        AtomicEnd => {
            match arguments.items.is_empty() {
                true => machine.end_atomic(),
                false => machine.end_step(),
            }
            Ok(Native::NOTHING)
        }
        Malloc | Calloc | Realloc | Free | Alloca | AlignedAlloc | NewStream => {
            allocation::call(machine, known, &arguments)
        }
        MemoryCopy | MemoryMove | MemorySet => strings::call(machine, known, &arguments),
        VaStart | VaArg | VaEnd | VaCopy => varargs::call(machine, known, &arguments, wanted),
        Printf | Fprintf | Sprintf | Snprintf | Vprintf | Vfprintf | Vsprintf | Vsnprintf => {
            output::print_formatted(machine, known, &arguments)
        }
        Putchar | Puts | Fputc | Fputs | Fwrite | Fflush | Perror => output::call(machine, known, &arguments),
        Getchar | Fgetc | Fgets | Fread | Ungetc | Feof => stream::call(machine, known, &arguments),
        Scanf | Fscanf | Sscanf => scan::call(machine, known, &arguments),
        ThreadCreate | ThreadJoin | ThreadExit | ThreadSelf | ThreadDetach | ThreadYield | OnceCall
        | KeyCreate | KeyDelete | KeyGet | KeySet => threads::call(machine, known, &arguments),
        MutexInit
        | MutexDestroy
        | MutexLock
        | MutexTryLock
        | MutexTimedLock
        | MutexUnlock
        | MutexAttributesInit
        | MutexAttributesSetType
        | MutexAttributesDestroy
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
        | BarrierInit
        | BarrierDestroy
        | BarrierWait
        | SemaphoreInit
        | SemaphoreDestroy
        | SemaphoreWait
        | SemaphoreTryWait
        | SemaphoreTimedWait
        | SemaphoreGetValue
        | SemaphorePost => locks::call(machine, known, &arguments),
        Setjmp | Longjmp => {
            let name = arguments.name.clone();
            Err(machine.unsupported(format!("`{name}` is called: non-local jumps are not carried out")))
        }
        Word(word) => words::call(machine, word, &arguments),
        Math(function, kind) => math::call(machine, function, kind, &arguments),
    }
}
