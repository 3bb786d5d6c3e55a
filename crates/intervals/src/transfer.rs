//! Transfer functions: what one edge does to an abstract state, calls apart.
//!
//! Must over-approximate: every concrete successor of a state in `state` that is reached without undefined
//! behaviour lies in the result. Tested by `values_seen_by_runs_lie_in_the_ranges`.

use crate::checks::{Check, CheckKind};
use crate::context::Context;
use crate::defined;
use crate::described;
use crate::domain::congruence::Congruence;
use crate::domain::integers::{IntegerSet, Range};
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::{Evaluator, Location};
use crate::lives;
use crate::memory;
use crate::promised;
use crate::refine;
use crate::relate;
use crate::state::State;
use program::expr::Access;
use program::{Action, AssumeReason, Edge, Expr, ExprKind, HavocSource, LifetimeStep, Place, ProcedureId};
use std::cell::RefCell;
use std::collections::VecDeque;

/// The result of a procedure on its way to the caller stands among the locals under this key.
pub const RESULT: u32 = u32::MAX;
/// How far the sequence with that number is consumed stands among the globals from this key on.
const CONSUMED: u32 = 1 << 31;

/// Inputs as one edge asks for them: what they can be, and what they are narrowed to.
#[derive(Debug, Default)]
pub struct InputLog {
    /// The values that each request could take, in order.
    pub asked: RefCell<Vec<Number>>,
    /// What the next requests are narrowed to.
    pub forced: RefCell<VecDeque<Number>>,
}

/// What an edge is carried out with.
pub struct Transfer<'a, 'p> {
    /// The program, with the tables that the analysis has of it.
    pub context: &'a Context<'p>,
    /// The procedure the edge is in.
    pub procedure: ProcedureId,
    /// What can go wrong is noted here.
    pub log: Option<&'a mut Vec<Check>>,
    /// Inputs are noted, and narrowed, here.
    pub inputs: Option<&'a InputLog>,
}

impl<'p> Transfer<'_, 'p> {
    /// An evaluator in a state, with this log.
    pub fn evaluator<'b>(&'b mut self, state: &'b State) -> Evaluator<'b, 'p> {
        Evaluator { context: self.context, state, log: self.log.as_deref_mut() }
    }

    /// The state after an edge that is no call; `None` if no run gets past it.
    pub fn step(&mut self, state: &State, edge: &Edge) -> Option<State> {
        let defined = defined::during(self.context, state, &edge.action);
        // What can go wrong is noted before it is taken for granted that it did not.
        if self.log.is_some() && defined.as_ref() != Some(state) {
            self.step_alone(state, edge)?;
        }
        let defined = defined?;
        let mut after = self.step_alone(&defined, edge)?;
        promised::after_step(self.context, state, &mut after, &edge.action);
        Some(after)
    }

    fn step_alone(&mut self, state: &State, edge: &Edge) -> Option<State> {
        let context = self.context;
        match &edge.action {
            Action::Skip => Some(state.clone()),
            Action::Event { arguments, .. } => {
                for argument in arguments {
                    self.evaluator(state).value(argument)?;
                }
                Some(state.clone())
            }
            Action::Assume { condition, expected, reason } => {
                // Both sides of a branch evaluate the condition; what can go wrong is noted once.
                if *expected || *reason == AssumeReason::User {
                    self.evaluator(state).value(condition)?;
                }
                refine::assume(context, state, condition, *expected)
            }
            Action::Assign { target, value } => self.assign(state, target, value),
            Action::Havoc { target, source } => {
                let location = self.target(state, target)?;
                let mut after = state.clone();
                let datum = match (Scalar::of(target.ty.id, &context.program.types), source) {
                    (None, _) => {
                        if let Location::Memory(pointers) = &location {
                            memory::kill_objects(context, &mut after, pointers);
                        }
                        return Some(after);
                    }
                    (Some(scalar), HavocSource::Input(_)) => {
                        let name = self.input_name(target, edge);
                        Datum::of(self.input(&mut after, edge, name.as_deref(), scalar)?)
                    }
                    (Some(scalar), HavocSource::Indeterminate) => Datum::unwritten(scalar),
                    (Some(scalar), HavocSource::Asm) => Datum::of(Value::any(scalar)),
                };
                memory::assign(context, &mut after, target, &location, datum);
                Some(after)
            }
            Action::Return { value } => {
                let mut after = state.clone();
                match value {
                    Some(value) if Scalar::of(value.ty, &context.program.types).is_some() => {
                        let known = self.evaluator(state).value(value)?;
                        // What a description returns after it has said that it knows nothing more is not what
                        // the function returns.
                        let is_lost = described::is_lost(state, &context.program.procedures[self.procedure]);
                        let any = Scalar::of(value.ty, &context.program.types).filter(|_| is_lost);
                        after.locals.insert(RESULT, Datum::of(any.map_or(known, Value::any)));
                    }
                    // Of a record only this is kept: that there is one.
                    Some(value) => {
                        self.evaluator(state).value(value)?;
                        after.locals.insert(RESULT, Datum::of(Value::Integer(Number::only(0))));
                    }
                    None => {
                        let result = context.program.result_type(self.procedure).id;
                        let value = Scalar::of(result, &context.program.types)
                            .map_or(Value::Integer(Number::only(0)), Value::any);
                        after.locals.insert(RESULT, Datum { value, written: Written::Never });
                    }
                }
                if context.program.procedures[self.procedure].is_noreturn {
                    let name = context.program.procedures[self.procedure].name.to_string();
                    self.evaluator(state)
                        .note(CheckKind::ReturnedFromNoreturn, Certainty::Definite, |_| name);
                    return None;
                }
                Some(after)
            }
            Action::Lifetime { variable, step } => {
                let mut after = state.clone();
                let object = context.object_of(*variable);
                memory::forget_object(context, &mut after, object);
                match step {
                    LifetimeStep::Begin => lives::begin(context, &mut after, object),
                    LifetimeStep::End => lives::end(context, &mut after, object),
                }
                let scalar = context.scalars[*variable];
                if let (LifetimeStep::Begin, Some(scalar)) = (step, scalar) {
                    let place = Place::variable(*variable, context.program.variables[*variable].ty);
                    let location = self.evaluator(&after.clone()).locate(&place)?;
                    memory::assign(context, &mut after, &place, &location, Datum::unwritten(scalar));
                }
                Some(after)
            }
            // Nothing is known after it; the analysis says so.
            Action::Unsupported(_) => Some(State::default()),
            Action::Call { .. } => unreachable!("calls are carried out by the solver"),
        }
    }

    /// Where a write goes; what can go wrong is noted.
    pub fn target(&mut self, state: &State, target: &Place) -> Option<Location> {
        self.place(state, target, Access::Write)
    }

    fn place(&mut self, state: &State, target: &Place, access: Access) -> Option<Location> {
        let size = self.context.program.types.size_of(target.ty.id).unwrap_or(0);
        let is_bit_field = target.bit_field(&self.context.program.types).is_some();
        let mut evaluator = self.evaluator(state);
        match evaluator.locate(target)? {
            Location::Memory(pointers) => {
                let size = if is_bit_field { 1 } else { size };
                Some(Location::Memory(evaluator.accessed(&pointers, size, target, access)?))
            }
            plain => Some(plain),
        }
    }

    fn assign(&mut self, state: &State, target: &Place, value: &Expr) -> Option<State> {
        let context = self.context;
        let types = &context.program.types;
        let Some(scalar) = Scalar::of(target.ty.id, types) else {
            return self.assign_whole(state, target, value);
        };
        let mut result = self.evaluator(state).value(value)?;
        if result.is_empty() {
            return None;
        }
        // A copy of what was never written is as unwritten as the original; reading it was noted already.
        let written = self.copied_written(state, value);
        let location = self.target(state, target)?;
        if let (Value::Integer(_), Scalar::Float(_) | Scalar::Pointer)
        | (Value::Pointer(_), Scalar::Integer(_)) = (&result, scalar)
        {
            result = Value::any(scalar);
        }
        let mut after = state.clone();
        match location {
            Location::Plain(id) => {
                let relation = relate::assigned(context, state, id, value);
                memory::set_variable(context, &mut after, id, Datum { value: result, written });
                relate::apply(context, &mut after, id, &relation);
            }
            location => {
                memory::assign(context, &mut after, target, &location, Datum { value: result, written })
            }
        }
        Some(after)
    }

    fn copied_written(&self, state: &State, value: &Expr) -> Written {
        if let ExprKind::Load(place) = &value.kind
            && let Some(id) = place.as_variable().filter(|&id| self.context.is_plain(id))
        {
            return Evaluator::new(self.context, state)
                .variable(id)
                .map_or(Written::Perhaps, |datum| datum.written);
        }
        Written::Always
    }

    fn assign_whole(&mut self, state: &State, target: &Place, value: &Expr) -> Option<State> {
        let context = self.context;
        let mut after = state.clone();
        let size = context.program.types.size_of(target.ty.id).unwrap_or(0);
        let source = match &value.kind {
            ExprKind::Load(place) => match self.place(state, place, Access::Read)? {
                Location::Memory(pointers) => Some(pointers),
                Location::Plain(_) => None,
            },
            _ => None,
        };
        let Location::Memory(pointers) = self.target(state, target)? else { return Some(after) };
        match (&value.kind, source) {
            (ExprKind::Zero, _) => memory::zero_at(context, &mut after, &pointers, target.ty.id),
            (_, Some(source)) => {
                let certainty = self.evaluator(state).overlap_in_part(&source, &pointers, size);
                self.evaluator(state).note(CheckKind::Overlap, certainty, |context| {
                    let show = context.program.show();
                    format!("{} = {}", show.place(target), show.expr(value))
                });
                memory::copy(context, &mut after, &source, &pointers, &Number::only(i128::from(size)));
            }
            _ => memory::kill(context, &mut after, &pointers, Number::only(i128::from(size))),
        }
        Some(after)
    }

    /// The variable that an input is for, as the program names it: the target, or what a temporary is
    /// assigned to next.
    fn input_name(&self, target: &Place, edge: &Edge) -> Option<String> {
        let program = self.context.program;
        let name = |place: &Place| match place.base {
            program::PlaceBase::Variable(id) => {
                let variable = &program.variables[id];
                (variable.kind != program::VariableKind::Temporary).then(|| variable.name.to_string())
            }
            program::PlaceBase::Pointer(_) => None,
        };
        if let Some(found) = name(target) {
            return Some(found);
        }
        let temporary = target.as_variable()?;
        let body = program.procedures[self.procedure].body.as_ref()?;
        let (_, next) = body.out(edge.to).next()?;
        let Action::Assign { target, value } = &next.action else { return None };
        let mut is_copy = false;
        value.visit(&mut |part| {
            if let program::expr::ExprPart::Place(place, _) = part {
                is_copy |= place.as_variable() == Some(temporary);
            }
        });
        if is_copy { name(target) } else { None }
    }

    /// An input for a variable at a place: any value, or what a test case or an assumption says.
    pub fn input(
        &mut self,
        state: &mut State,
        edge: &Edge,
        name: Option<&str>,
        scalar: Scalar,
    ) -> Option<Value> {
        let context = self.context;
        let mut value = Value::any(scalar);
        if let (Some(name), Scalar::Integer(shape), false) = (name, scalar, context.settings.tests.is_empty())
        {
            let tests = &context.settings.tests;
            let sequence = context.line_of(edge.span).and_then(|line| tests.sequence(line, name));
            let mut number = Number::any(shape);
            if let Some((at, sequence)) = sequence {
                let key = CONSUMED + at as u32;
                let last = sequence.len() as i128 - 1;
                let consumed = match state.globals.get(key) {
                    Some(Datum { value: Value::Integer(number), .. }) => {
                        number.meet_set(&IntegerSet::range(0, last))
                    }
                    _ => Number::range(0, last),
                };
                let steps = consumed.few_values(10_000).unwrap_or_else(|| (0..=last).collect());
                number = Number::empty();
                for &step in &steps {
                    number = number.join(&sequence.values(step as usize, shape), usize::MAX);
                }
                let next =
                    steps.iter().map(|step| Range::between((step + 1).min(last), (step + 1).min(last)));
                let next = Number::of(IntegerSet::of(next, usize::MAX), Congruence::ANY);
                state.globals.insert(key, Datum::of(Value::Integer(next)));
            }
            if let Some(assumed) = tests.assumed(name, shape) {
                number = number.meet(&assumed);
            }
            value = Value::Integer(number);
        }
        if let (Some(inputs), Value::Integer(number)) = (self.inputs, &value) {
            inputs.asked.borrow_mut().push(number.clone());
            if let Some(forced) = inputs.forced.borrow_mut().pop_front() {
                value = Value::Integer(number.meet(&forced));
            }
        }
        (!value.is_empty()).then_some(value)
    }

    /// Before the first read nothing is consumed.
    pub fn nothing_consumed(context: &Context<'_>, state: &mut State) {
        for at in 0..context.settings.tests.sequences().len() {
            state.globals.insert(CONSUMED + at as u32, Datum::of(Value::Integer(Number::only(0))));
        }
    }
}
