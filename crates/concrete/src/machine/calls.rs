//! Calls and returns.

use super::frames::{Frame, Register, ReturnTo};
use super::{Machine, Step, Value};
use crate::code::{
    CallCode, CalleeCode, Class, Home, NodeCode, ParameterCode, StepCode, ValueCode, WideKind,
};
use crate::library::{self, Argument, Native};
use crate::memory::store::Contents;
use crate::memory::{ArgumentSlot, Location, ObjectKind, Pointer};
use crate::number::soft;
use crate::outcome::{Owner, RunOutcome, Touched, UndefinedKind, UnknownReason};
use crate::settings::{OnError, OnMissingBody, Outside};
use base::Id;
use program::{Assumption, AssumptionKind, FloatKind, Known, ProcedureId, Type, TypeId};

impl Machine<'_, '_> {
    /// Takes a call edge: enters the procedure, or does what a built-in function does.
    pub fn call(&mut self, call: &CallCode) -> Step<()> {
        let procedure = match &call.callee {
            CalleeCode::Direct(procedure) => *procedure,
            CalleeCode::Indirect(pointer, ty) => {
                let pointer = self.pointer(pointer)?;
                self.called_through(pointer, *ty)?
            }
        };
        let declared = &self.program.procedures[procedure];
        if let Some(known) = declared.known {
            let is_input = self.settings.outside == Outside::Inputs
                && known.reads_outside()
                && self.code.procedures[procedure].is_some();
            if declared.has_direct_meaning() && !is_input {
                return self.call_native(known, procedure, call);
            }
            if known.is_marker() {
                self.mark_call(known, procedure)?;
            }
        }
        if self.code.procedures[procedure].is_some() {
            return self.call_body(procedure, call);
        }
        for argument in &call.arguments {
            self.value(argument)?;
        }
        self.call_missing(procedure, call)
    }

    /// A user's function whose name also means something.
    fn mark_call(&mut self, known: Known, procedure: ProcedureId) -> Step<()> {
        match known {
            Known::ReachError | Known::VerifierError if self.settings.on_error == OnError::Stop => {
                let function = self.program.procedures[procedure].name.clone();
                let place = self.place();
                Err(self.end_with(RunOutcome::ErrorReached { function, place }))
            }
            Known::AtomicBegin => self.begin_atomic(None),
            Known::AtomicEnd => {
                self.end_atomic();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn call_native(&mut self, known: Known, procedure: ProcedureId, call: &CallCode) -> Step<()> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(Argument { ty: argument.ty, value: self.value(argument)? });
        }
        let wanted = call.result.as_ref().map(|result| result.ty);
        match library::call(self, known, procedure, arguments, wanted)? {
            Native::Value(value) => self.complete_call(value),
            Native::Wait(wait) => {
                self.wait(wait);
                Ok(())
            }
            Native::Entered => Ok(()),
        }
    }

    fn call_body(&mut self, procedure: ProcedureId, call: &CallCode) -> Step<()> {
        let code = self.code.procedures[procedure].as_ref().expect("the caller looked");
        let frame = self.open_frame(procedure, ReturnTo::Caller)?;
        if call.arguments.len() != code.parameters.len() {
            self.check_arity(procedure, call.arguments.len(), code.parameters.len())?;
        }
        let mut parameters = code.parameters.iter();
        let mut unnamed = Vec::new();
        for argument in &call.arguments {
            let value = self.value(argument)?;
            match parameters.next() {
                Some(parameter) => self.pass(procedure, &frame, parameter, argument, value)?,
                None => unnamed.push((argument.ty, value)),
            }
        }
        let mut frame = frame;
        if self.is_variadic(procedure) {
            self.pass_unnamed(&mut frame, unnamed)?;
        }
        self.enter(frame);
        Ok(())
    }

    fn is_variadic(&self, procedure: ProcedureId) -> bool {
        match self.program.types.get(self.program.procedures[procedure].ty) {
            Type::Function(function) => function.is_variadic,
            _ => false,
        }
    }

    fn has_prototype(&self, procedure: ProcedureId) -> bool {
        match self.program.types.get(self.program.procedures[procedure].ty) {
            Type::Function(function) => function.has_prototype,
            _ => false,
        }
    }

    #[cold]
    fn check_arity(&mut self, procedure: ProcedureId, given: usize, wanted: usize) -> Step<()> {
        let may_have_more = self.is_variadic(procedure) || !self.has_prototype(procedure);
        if given < wanted || (given > wanted && !may_have_more) {
            let name = &self.program.procedures[procedure].name;
            let message = format!("`{name}` takes {wanted} arguments and is called with {given}");
            self.undefined(UndefinedKind::BadCall, message, None)?;
        }
        Ok(())
    }

    /// Puts an argument where the parameter lives.
    fn pass(
        &mut self,
        procedure: ProcedureId,
        frame: &Frame,
        parameter: &ParameterCode,
        argument: &ValueCode,
        value: Value,
    ) -> Step<()> {
        let value = if argument.ty == parameter.ty {
            value
        } else {
            self.fitted(procedure, parameter, argument.ty, value)?
        };
        match parameter.home {
            Home::Register(number) => {
                let index = frame.registers + number as usize;
                let registers = &mut self.thread.registers;
                match value {
                    Value::Word(bits) => registers[index] = Register::word(bits),
                    Value::Pointer(pointer) => {
                        registers[index] = Register { bits: pointer.address, tag: pointer.tag };
                    }
                    Value::Wide(bits) => {
                        registers[index] = Register::word(bits as u64);
                        registers[index + 1] = Register::word((bits >> 64) as u64);
                    }
                    _ => return Err(self.unsupported("a record is passed outside memory")),
                }
                Ok(())
            }
            Home::FrameObject(number) => {
                let code = self.code.procedures[frame.procedure].as_ref().expect("it is being called");
                let object = &code.objects[number as usize];
                let index = frame.objects + number as usize;
                let slot = self.begin_frame_object(object, index, frame.stack_base)?;
                self.put_value(Location { slot, offset: 0 }, parameter.class, value)
            }
            _ => Err(self.unsupported("a parameter that is not automatic")),
        }
    }

    /// Stores a value of a class.
    pub fn put_value(&mut self, at: Location, class: Class, value: Value) -> Step<()> {
        let word = self.memory.word();
        match value {
            Value::Word(bits) => {
                let size = self.class_size(class);
                self.memory.object_mut(at.slot).store(at.offset, size, bits, word);
            }
            Value::Pointer(pointer) => self.memory.store_pointer(at, pointer),
            Value::Wide(bits) => {
                let size = self.class_size(class);
                self.memory.object_mut(at.slot).store_wide(at.offset, size, bits, word);
            }
            Value::Aggregate(region) => self.memory.put(at, &region),
            Value::Nothing | Value::Missing => {}
        }
        Ok(())
    }

    /// An argument of another type than the parameter's: what the calling convention makes of it, if anything.
    #[cold]
    fn fitted(
        &mut self,
        procedure: ProcedureId,
        parameter: &ParameterCode,
        ty: TypeId,
        value: Value,
    ) -> Step<Value> {
        let given = crate::code::class_of(&self.program.types, ty);
        let is_promoted = !self.has_prototype(procedure);
        let word = self.memory.word();
        let fitted = match (given, parameter.class, value) {
            (Class::Integer { size: a, .. }, Class::Integer { size: b, shape, .. }, Value::Word(bits))
                if a == b || (is_promoted && a == 4 && b < 4) =>
            {
                Some(Value::Word(shape.extend(bits)))
            }
            (Class::Integer { size, .. }, Class::Pointer, Value::Word(bits)) if size as usize == word => {
                Some(Value::Pointer(Pointer::of_address(self.cut_address(bits))))
            }
            (Class::Pointer, Class::Integer { size, shape, .. }, Value::Pointer(pointer))
                if size as usize == word =>
            {
                Some(Value::Word(shape.extend(pointer.address)))
            }
            (Class::Float(FloatKind::Double), Class::Float(FloatKind::Float), Value::Word(bits))
                if is_promoted =>
            {
                let single = soft::convert(u128::from(bits), FloatKind::Double, FloatKind::Float);
                Some(Value::Word(single as u64))
            }
            (a, b, value) if a == b => Some(value),
            (Class::Wide(WideKind::Integer { .. }, _), Class::Wide(WideKind::Integer { .. }, _), value) => {
                Some(value)
            }
            _ => None,
        };
        if let Some(value) = fitted {
            return Ok(value);
        }
        let name = &self.program.procedures[procedure].name;
        let types = &self.program.types;
        let message = format!(
            "`{name}` is called with an argument of type `{}` where it takes `{}`",
            types.show(ty),
            types.show(parameter.ty)
        );
        Err(self.undefined_always(UndefinedKind::BadCall, message, None))
    }

    /// Lays out the unnamed arguments one after the other, as in the overflow area of the System V ABI.
    fn pass_unnamed(&mut self, frame: &mut Frame, mut unnamed: Vec<(TypeId, Value)>) -> Step<()> {
        unnamed.retain(|(ty, _)| self.program.types.size_of(*ty) != Some(0));
        let word = self.memory.word() as u64;
        let mut slots = Vec::with_capacity(unnamed.len());
        let mut next = 0u64;
        for (ty, _) in &unnamed {
            let alignment = self.program.types.align_of(*ty).unwrap_or(1).max(word);
            let alignment = if word == 4 { 4 } else { alignment };
            let offset = next.next_multiple_of(alignment);
            slots.push(ArgumentSlot { offset, ty: *ty });
            next = offset + self.program.types.size_of(*ty).unwrap_or(0).next_multiple_of(word);
        }
        let kind = ObjectKind::Arguments(slots.clone().into_boxed_slice());
        let made = self.make_on_heap(kind, next, 16, Contents::Unwritten)?;
        let Some(slot) = made else { return Err(self.limit(crate::outcome::Limit::ProgramMemory)) };
        frame.arguments = Some(slot);
        for (place, (ty, value)) in slots.iter().zip(unnamed) {
            let class = crate::code::class_of(&self.program.types, ty);
            self.put_value(Location { slot, offset: place.offset as usize }, class, value)?;
        }
        Ok(())
    }

    /// The procedure a pointer calls.
    pub fn called_through(&mut self, pointer: Pointer, ty: TypeId) -> Step<ProcedureId> {
        let kind = self.object_of(pointer).map(|slot| {
            let object = self.memory.object(slot);
            (object.kind.clone(), object.base)
        });
        let procedure = match kind {
            Some((ObjectKind::Function(procedure), base)) if base == pointer.address => procedure,
            _ => {
                let message = match self.describe_pointer(pointer) {
                    _ if pointer.address == 0 => "a null pointer is called".to_owned(),
                    Some(object) => format!("{} is called, which is no function", object.name),
                    None => format!("the address {:#x} is called, where no function is", pointer.address),
                };
                let kind = if pointer.address == 0 {
                    UndefinedKind::NullDereference
                } else {
                    UndefinedKind::BadCall
                };
                let object = self.describe_pointer(pointer);
                let owner = match self.object_of(pointer) {
                    Some(slot) => Some(self.owner(&self.memory.object(slot).kind).0),
                    None => object.as_ref().map(|_| Owner::NoData),
                };
                let (offset, size) =
                    (pointer.address as i64, object.as_ref().map_or(0, |object| object.size));
                let touched = Touched { owner, offset, bytes: 1, size, is_write: true, has_others: true };
                return Err(self.touched(kind, message, object, touched));
            }
        };
        if self.program.procedures[procedure].ty != ty {
            let key = (ty, procedure);
            let is_fine = match self.compatible_calls.get(&key) {
                Some(known) => *known,
                None => {
                    let found = self.can_call_as(ty, self.program.procedures[procedure].ty);
                    self.compatible_calls.insert(key, found);
                    found
                }
            };
            if !is_fine {
                let types = &self.program.types;
                let declared = &self.program.procedures[procedure];
                let message = format!(
                    "`{}`, which is `{}`, is called through a pointer to `{}`",
                    declared.name,
                    types.show(declared.ty),
                    types.show(ty)
                );
                return Err(self.undefined_always(UndefinedKind::BadCall, message, None));
            }
        }
        Ok(procedure)
    }

    /// The procedure a pointer calls, whatever its type.
    pub fn called_through_any(&mut self, pointer: Pointer) -> Step<ProcedureId> {
        let ty = match self.object_of(pointer).map(|slot| &self.memory.object(slot).kind) {
            Some(ObjectKind::Function(procedure)) => self.program.procedures[*procedure].ty,
            // Of no consequence: the call is reported before its type is looked at.
            _ => TypeId::from_index(0),
        };
        self.called_through(pointer, ty)
    }

    /// Do calls as one function type reach a procedure of another intact?
    fn can_call_as(&self, called: TypeId, defined: TypeId) -> bool {
        let types = &self.program.types;
        let (Type::Function(called), Type::Function(defined)) = (types.get(called), types.get(defined))
        else {
            return false;
        };
        let same = |a: TypeId, b: TypeId| {
            use crate::code::class_of;
            match (class_of(types, a), class_of(types, b)) {
                (Class::Integer { size: x, .. }, Class::Integer { size: y, .. }) => x == y,
                (Class::Integer { size, .. }, Class::Pointer)
                | (Class::Pointer, Class::Integer { size, .. }) => size as usize == self.memory.word(),
                (x, y) => x == y,
            }
        };
        let result = matches!(types.get(called.result.id), Type::Void)
            || matches!(types.get(defined.result.id), Type::Void)
            || same(called.result.id, defined.result.id);
        if !called.has_prototype || !defined.has_prototype {
            return result; // each argument is looked at when it is passed
        }
        result
            && called.is_variadic == defined.is_variadic
            && called.parameters.len() == defined.parameters.len()
            && called.parameters.iter().zip(&defined.parameters).all(|(&a, &b)| same(a, b))
    }

    /// A function nobody gives a meaning to.
    fn call_missing(&mut self, procedure: ProcedureId, call: &CallCode) -> Step<()> {
        let name = self.program.procedures[procedure].name.clone();
        if self.settings.missing == OnMissingBody::Stop {
            let message = format!("`{name}` is called, which has neither a body nor a built-in meaning");
            return Err(self.unknown(UnknownReason::MissingBody(name), message));
        }
        if !self.assumptions.iter().any(|assumption| assumption.subject == name) {
            let message = format!("`{name}` returns any value and changes nothing else");
            let span = self.span();
            let kind = AssumptionKind::MissingBody;
            self.assumptions.push(Assumption { kind, subject: name.clone(), message, span });
        }
        if self.program.procedures[procedure].is_noreturn {
            let message = format!("`{name}` is called, which never returns and has no body");
            return Err(self.unknown(UnknownReason::MissingBody(name), message));
        }
        let ty = self.program.result_type(procedure).id;
        let class = match &call.result {
            Some(result) => Some(result.class),
            None => self.program.types.is_scalar(ty).then(|| crate::code::class_of(&self.program.types, ty)),
        };
        let value = match class {
            Some(class) => self.input_value(&name, class)?,
            None => Value::Nothing,
        };
        let value = if call.result.is_some() { value } else { Value::Nothing };
        self.complete_call(value)
    }

    /// The call edge the innermost frame stands at is done.
    pub fn complete_call(&mut self, value: Value) -> Step<()> {
        let code = self.procedure_code();
        let NodeCode::Step { step: StepCode::Call(call), edge, to } = &code.nodes[self.frame.node as usize]
        else {
            unreachable!("only calls are completed")
        };
        if let Some(result) = &call.result {
            self.deliver(result, value)?;
        }
        if self.world.observer.is_some() {
            self.tell(*edge);
        }
        self.frame.node = *to;
        if self.world.observer.is_some() {
            self.tell_state();
        }
        Ok(())
    }

    /// Takes a return edge.
    pub fn return_from_call(&mut self, value: Option<&ValueCode>) -> Step<()> {
        let procedure = self.frame.procedure;
        let value = match value {
            Some(value) => self.value(value)?,
            None if matches!(self.program.types.get(self.program.result_type(procedure).id), Type::Void) => {
                Value::Nothing
            }
            None => Value::Missing,
        };
        if self.program.procedures[procedure].is_noreturn {
            let name = &self.program.procedures[procedure].name;
            let message = format!("`{name}` returns, though it is declared never to");
            self.undefined(UndefinedKind::ReturnedFromNoreturn, message, None)?;
        }
        if self.world.observer.is_some()
            && let NodeCode::Step { edge, .. } = &self.procedure_code().nodes[self.frame.node as usize]
        {
            self.tell(*edge);
        }
        let frame = self.leave();
        match frame.returns {
            ReturnTo::Caller => self.complete_call(value),
            ReturnTo::Startup(next) => self.start_next(next),
            ReturnTo::Main => {
                let status = match value {
                    Value::Word(bits) => bits as i32,
                    // C99: falling off the end of `main` returns 0.
                    _ => 0,
                };
                self.begin_exit(status)
            }
            ReturnTo::ThreadEnd => {
                let result = match value {
                    Value::Pointer(pointer) => pointer,
                    Value::Word(bits) => Pointer::of_address(bits),
                    _ => Pointer::NULL,
                };
                self.end_thread(result)
            }
            ReturnTo::ExitHandler => self.next_exit_handler(),
            ReturnTo::Once(address) => {
                self.finish_once(address);
                self.complete_call(Value::int(0))
            }
            ReturnTo::KeyDestructor => self.next_key_destructor(),
            ReturnTo::Nowhere => unreachable!("no call is active"),
        }
    }
}
