//! Calls: entering a procedure's body and coming back.

use crate::Value;
use crate::addresses::AddressCondition;
use crate::state::{Frame, State};
use crate::step::{Effect, Encoder, FailureKind};
use base::Span;
use logic::TermId;
use program::{Expr, Place, ProcedureId, VariableId, VariableKind};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Encoder<'_> {
    /// The values of arguments, in the caller's state.
    pub fn arguments(&mut self, state: &mut State, arguments: &[Expr], span: Span) -> (Vec<Value>, Effect) {
        self.begin(span);
        let mut passed = Vec::new();
        let values = arguments.iter().map(|argument| {
            let value = self.value(state, argument);
            passed.push(self.address_parts_of(argument));
            value
        });
        let values = values.collect();
        self.pass_addresses(state, passed);
        (values, self.take_effect())
    }

    /// Enters a procedure: a new innermost call with its parameters set.
    pub fn enter(
        &mut self,
        state: &mut State,
        procedure: ProcedureId,
        arguments: &[Value],
        span: Span,
    ) -> Effect {
        self.begin(span);
        let program = self.meaning.program;
        let callee = &program.procedures[procedure];
        state.frames.push(Rc::new(Frame {
            procedure,
            registers: BTreeMap::new(),
            addresses_in: BTreeMap::new(),
            addresses: BTreeMap::new(),
            own_blocks: Vec::new(),
            unwritten: Default::default(),
        }));
        for (position, &parameter) in callee.parameters.iter().enumerate() {
            let variable = &program.variables[parameter];
            if crate::meaning::is_in_memory(program, parameter) {
                self.begin_variable(state, parameter);
            }
            let parts = self.passed_parts(state, position);
            let place = Place::variable(parameter, variable.ty);
            match arguments.get(position) {
                Some(Value::Scalar(value)) if program.types.is_scalar(variable.ty.id) => {
                    let width = self.width(variable.ty.id);
                    if self.terms.pool.width(*value) == width {
                        self.store_from(state, &place, Value::Scalar(*value), &parts);
                    } else {
                        self.unknown("a call with an argument of another type than the parameter has");
                    }
                }
                Some(Value::Parts(values)) => {
                    self.store_from(state, &place, Value::Parts(values.clone()), &parts);
                }
                Some(_) => self.unknown("a call with an argument of another type than the parameter has"),
                None => self.unknown("a call with fewer arguments than there are parameters"),
            }
        }
        for &local in &callee.locals {
            self.begin_local(state, local);
        }
        self.take_effect()
    }

    fn begin_local(&mut self, state: &mut State, local: VariableId) {
        let variable = &self.meaning.program.variables[local];
        if !matches!(variable.kind, VariableKind::Local | VariableKind::Temporary) {
            return;
        }
        if crate::meaning::is_in_memory(self.meaning.program, local) {
            // A variable without a size (an array of run-time length) lives in a block of its own.
            if self.meaning.size_of_variable(local).is_some() {
                self.begin_variable(state, local);
            }
        } else if variable.kind == VariableKind::Local {
            // A jump past its declaration leaves it without a value: any.
            let width = self.width(variable.ty.id);
            let value = self.terms.fresh_bits(&variable.name, width);
            self.write_register(state, local, value);
        }
    }

    /// The value of a `return`, in the callee's state.
    pub fn returned(&mut self, state: &mut State, value: Option<&Expr>, span: Span) -> (Value, Effect) {
        self.begin(span);
        let value = match value {
            Some(from) => {
                let value = self.value(state, from);
                let parts = self.address_parts_of(from);
                self.return_addresses(state, parts);
                value
            }
            None => Value::Nothing,
        };
        (value, self.take_effect())
    }

    /// Comes back from the innermost call; the caller's `result` gets the value.
    pub fn leave(&mut self, state: &mut State, value: Value, result: Option<&Place>, span: Span) -> Effect {
        self.begin(span);
        let frame = state.frames.pop().expect("a call that ends was active");
        let parts = self.returned_parts(state);
        let ended: Vec<TermId> = frame.addresses.values().chain(&frame.own_blocks).copied().collect();
        for address in ended {
            self.end_object(state, address);
        }
        if let Some(result) = result {
            if matches!(value, Value::Nothing) && !state.unwritten.is_empty() {
                // Using what was not returned is the mistake, whatever becomes of it.
                let always = self.terms.yes();
                self.fail(always, FailureKind::Uninitialised);
            }
            self.deliver_from(state, result, value, &parts);
        }
        self.take_effect()
    }

    /// Writes a call's result.
    pub(crate) fn deliver(&mut self, state: &mut State, result: &Place, value: Value) {
        let types = &self.meaning.program.types;
        let is_number = types.is_scalar(result.ty.id) && !types.is_pointer(result.ty.id);
        let part = is_number.then(|| self.terms.no());
        self.deliver_from(state, result, value, &[part]);
    }

    /// Writes a call's result, of which `parts` may be parts of addresses.
    fn deliver_from(&mut self, state: &mut State, result: &Place, value: Value, parts: &[AddressCondition]) {
        let types = &self.meaning.program.types;
        let value = match value {
            Value::Scalar(term)
                if types.is_scalar(result.ty.id)
                    && self.terms.pool.width(term) != self.width(result.ty.id) =>
            {
                self.unknown("a result of another type than it is used with");
                Value::Nothing
            }
            // Nothing was returned: whatever is in the register.
            Value::Nothing if types.is_scalar(result.ty.id) => {
                let width = self.width(result.ty.id);
                Value::Scalar(self.terms.fresh_bits("result", width))
            }
            other => other,
        };
        self.store_from(state, result, value, parts);
    }
}
