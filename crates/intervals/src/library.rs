//! Calls: what they are given and give back, what functions that are missing may do.
//!
//! A missing function returns anything and may change every global variable that others can see, what was
//! passed to it and all that can be reached from there; functions whose address it can reach may be called at
//! any time from then on. It frees nothing, and calls nothing by name.

use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::context::Context;
use crate::described;
use crate::domain::number::{Number, limits};
use crate::domain::operators::Certainty;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::{Evaluator, Location};
use crate::lives;
use crate::memory;
use crate::settings::MissingEffect;
use crate::state::State;
use crate::transfer::Transfer;
use base::Id;
use program::{Edge, EdgeId, Expr, ExprKind, Place, ProcedureId, VariableId};
use rustc_hash::FxHashSet;

/// A call as it stands in the program.
#[derive(Clone, Copy)]
pub struct CallSite<'a> {
    /// The calling procedure.
    pub procedure: ProcedureId,
    /// The edge's name.
    pub edge_id: EdgeId,
    /// The step that calls.
    pub edge: &'a Edge,
    /// Gets the result.
    pub result: Option<&'a Place>,
    /// The arguments as the program writes them.
    pub arguments: &'a [Expr],
    /// The function that is called, if it has a name.
    pub name: &'a str,
}

impl CallSite<'_> {
    /// An argument as the program writes it.
    pub fn shown(&self, context: &Context<'_>, at: usize) -> String {
        self.arguments
            .get(at)
            .map_or_else(String::new, |argument| context.program.show().expr(uncast(argument)))
    }
}

/// A function's name as programs write it: headers give some of them another one.
pub fn as_written(name: &str) -> &str {
    ["__isoc99_", "__isoc23_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// The value before conversions.
pub fn uncast(argument: &Expr) -> &Expr {
    let mut inner = argument;
    while let ExprKind::Cast(operand) = &inner.kind {
        inner = operand;
    }
    inner
}

/// Can a function be called with these arguments?
pub fn accepts(context: &Context<'_>, callee: ProcedureId, arguments: &[Expr]) -> bool {
    let program = context.program;
    let types = &program.types;
    let program::Type::Function(ty) = types.get(program.procedures[callee].ty) else { return true };
    let parameters: Vec<program::TypeId> = match program.procedures[callee].parameters.as_slice() {
        [] if ty.has_prototype => ty.parameters.clone(),
        [] => return true,
        declared => declared.iter().map(|&id| program.variables[id].ty.id).collect(),
    };
    let fits_in_number =
        arguments.len() == parameters.len() || (ty.is_variadic && arguments.len() >= parameters.len());
    fits_in_number
        && arguments.iter().zip(&parameters).all(|(argument, &parameter)| {
            use Scalar::{Float, Integer, Pointer};
            match (Scalar::of(argument.ty, types), Scalar::of(parameter, types)) {
                (Some(Integer(one)), Some(Integer(two))) => {
                    one.width == two.width || one.width < 32 || two.width < 32
                }
                (Some(Float(one)), Some(Float(two))) => one == two,
                (Some(Pointer), Some(Pointer)) => true,
                (None, None) => types.size_of(argument.ty) == types.size_of(parameter),
                _ => false,
            }
        })
}

/// What missing functions have got hold of, during the whole analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Escapes {
    /// Objects that they may change at any later call.
    pub objects: FxHashSet<ObjectKind>,
    /// Procedures that they may call.
    pub procedures: FxHashSet<ProcedureId>,
}

/// What becomes of a call.
pub enum Effect {
    /// It comes back in that state, the result written.
    Returns(State),
    /// It never comes back.
    Ends,
    /// It starts these procedures with unknown arguments, at an unknown time; and comes back.
    Starts(State, Vec<ProcedureId>),
}

impl Transfer<'_, '_> {
    /// The values of the arguments; `None` if no run gets past them.
    pub fn arguments(&mut self, state: &State, arguments: &[Expr]) -> Option<Vec<Value>> {
        let mut evaluator = self.evaluator(state);
        arguments.iter().map(|argument| evaluator.value(argument)).collect()
    }

    /// The value that a call returned; that there is none is noted if it is used.
    pub fn returned(&mut self, state: &State, site: CallSite<'_>, returned: Option<&Datum>) -> Option<Value> {
        let result = site.result?;
        let written = returned.map_or(Written::Perhaps, |datum| datum.written);
        let certainty = match written {
            Written::Always => Certainty::Excluded,
            Written::Perhaps => Certainty::Possible,
            Written::Never => Certainty::Definite,
        };
        if certainty != Certainty::Excluded {
            let about = site.name.to_owned();
            self.evaluator(state).note(CheckKind::MissingReturnValue, certainty, |_| about);
        }
        Scalar::of(result.ty.id, &self.context.program.types)?;
        returned.map(|datum| datum.value.clone())
    }

    /// Writes a call's result.
    pub fn give(&mut self, state: &State, site: CallSite<'_>, value: Option<Value>) -> Option<State> {
        let Some(result) = site.result else { return Some(state.clone()) };
        let location = self.target(state, result)?;
        let mut after = state.clone();
        match Scalar::of(result.ty.id, &self.context.program.types) {
            Some(scalar) => {
                let value = fitting(value, scalar);
                // A result is converted to the target's type by the program; here it only must not leave it.
                let value = match (value, scalar) {
                    (Value::Integer(number), Scalar::Integer(shape)) => {
                        let around = limits(shape);
                        let is_in = number.is_within(&Number::range(around.low, around.high));
                        Value::Integer(if is_in { number } else { Number::any(shape) })
                    }
                    (value, _) => value,
                };
                memory::assign(self.context, &mut after, result, &location, Datum::of(value));
            }
            None => {
                if let Location::Memory(pointers) = &location {
                    let size = self.context.program.types.size_of(result.ty.id).unwrap_or(0);
                    memory::kill(self.context, &mut after, pointers, Number::only(i128::from(size)));
                }
            }
        }
        Some(after)
    }

    /// What is called must be a function of the type it is called by. `None` if no run gets past it.
    pub fn note_call(
        &mut self,
        state: &State,
        pointers: &Pointers,
        pointer: Option<&Expr>,
        arguments: Option<&[Expr]>,
    ) -> Option<()> {
        let context = self.context;
        let about = pointer.map_or_else(String::new, |pointer| context.program.show().expr(pointer));
        let null = Certainty::of(pointers.can_be_null, pointers.can_be_not_null());
        let (mut can_be_bad, mut can_be_good) = (pointers.can_be_anything, pointers.can_be_anything);
        for (object, _) in pointers.targets() {
            let is_good = match context.kind_of(*object) {
                ObjectKind::Procedure(id) => {
                    arguments.is_none_or(|arguments| accepts(context, id, arguments))
                }
                _ => false,
            };
            can_be_bad |= !is_good;
            can_be_good |= is_good;
        }
        let mut evaluator = self.evaluator(state);
        evaluator.note(CheckKind::NullDereference, null, |_| about.clone());
        let bad = Certainty::of(can_be_bad, can_be_good || pointers.can_be_null);
        evaluator.note(CheckKind::BadCall, bad, |_| about);
        (can_be_good || !pointers.targets().is_empty()).then_some(())
    }

    /// The procedures among the targets; all that have their address taken if anything is possible.
    pub fn procedures_in(&self, pointers: &Pointers) -> Vec<ProcedureId> {
        if pointers.can_be_anything {
            return self.context.program.addressed().into_iter().collect();
        }
        let kinds = pointers.targets().iter().map(|(object, _)| self.context.kind_of(*object));
        kinds.filter_map(|kind| if let ObjectKind::Procedure(id) = kind { Some(id) } else { None }).collect()
    }

    /// A call of something that is not shown: it returns anything, and changes what it can get hold of (see
    /// `Settings::missing`).
    pub fn missing(&mut self, state: &State, site: CallSite<'_>, escapes: &mut Escapes) -> Option<State> {
        let context = self.context;
        let values = self.arguments(state, site.arguments)?;
        let mut after = state.clone();
        if context.settings.missing == MissingEffect::Pure {
            return self.give(&after, site, None);
        }
        let pointers_in = |value: &Value| match value {
            Value::Pointer(pointers) => Some(pointers.clone()),
            _ => None,
        };
        let mut reached: Vec<Pointers> = values.iter().filter_map(pointers_in).collect();
        for &kind in &escapes.objects {
            let known = context.cells.borrow().known_object(kind);
            reached.extend(known.map(|object| Pointers::to(object, Number::only(0))));
        }
        // Other files can name what has external linkage; the rest they reach through pointers only.
        for &id in &context.program.visible {
            if context.is_plain(id) {
                let known = Evaluator::new(context, state).variable(id);
                reached.extend(known.and_then(|datum| pointers_in(&datum.value)));
                after.globals.remove(id.index() as u32);
                crate::relate::forget(context, &mut after, id);
            } else {
                reached.push(Pointers::to(context.object_of(id), Number::only(0)));
            }
        }
        let mut is_done: FxHashSet<ObjectKind> = FxHashSet::default();
        while let Some(pointers) = reached.pop() {
            if pointers.can_be_anything {
                after.memory = Default::default();
            }
            for (object, _) in pointers.targets() {
                let kind = context.kind_of(*object);
                if !is_done.insert(kind) {
                    continue;
                }
                if let ObjectKind::Procedure(id) = kind {
                    escapes.procedures.insert(id);
                    continue;
                }
                escapes.objects.insert(kind);
                let cells = context.cells.borrow().all_of(*object);
                for cell in cells {
                    if let Some(Datum { value: Value::Pointer(next), .. }) =
                        state.memory.get(cell.index() as u32)
                    {
                        reached.push(next.clone());
                    }
                }
                // What is not followed may hold pointers to anything that ever had its address taken.
                if !context.cells.borrow().get(*object).is_tracked {
                    after.memory = Default::default();
                }
                memory::forget_object(context, &mut after, *object);
            }
        }
        if !escapes.procedures.is_empty() {
            after.memory = Default::default();
            after.globals = Default::default();
            crate::relate::forget_globals(context, &mut after);
        }
        self.give(&after, site, None)
    }
}

/// The value, if it is one of the scalar's kind; else any.
fn fitting(value: Option<Value>, scalar: Scalar) -> Value {
    match (value, scalar) {
        (Some(value @ Value::Integer(_)), Scalar::Integer(_))
        | (Some(value @ Value::Float(_)), Scalar::Float(_))
        | (Some(value @ Value::Pointer(_)), Scalar::Pointer) => value,
        _ => Value::any(scalar),
    }
}

/// The parameters and what they get, for a call into a body.
pub fn bind(
    transfer: &mut Transfer<'_, '_>,
    state: &State,
    callee: ProcedureId,
    arguments: &[Expr],
) -> Option<State> {
    let context = transfer.context;
    let program = context.program;
    let values = transfer.arguments(state, arguments)?;
    if transfer.log.is_some() && !accepts(context, callee, arguments) {
        let about = program.procedures[callee].name.to_string();
        transfer.evaluator(state).note(CheckKind::BadCall, Certainty::Definite, |_| about);
    }
    let mut entry = State {
        locals: Default::default(),
        globals: state.globals.clone(),
        memory: state.memory.clone(),
        relations: Default::default(),
    };
    lives::enter(context, &mut entry, callee);
    described::enter(&mut entry, &program.procedures[callee]);
    for (at, &parameter) in program.procedures[callee].parameters.iter().enumerate() {
        bind_one(transfer, state, &mut entry, parameter, arguments.get(at), values.get(at));
    }
    Some(entry)
}

fn bind_one(
    transfer: &mut Transfer<'_, '_>,
    state: &State,
    entry: &mut State,
    parameter: VariableId,
    argument: Option<&Expr>,
    value: Option<&Value>,
) {
    let context = transfer.context;
    let variable = &context.program.variables[parameter];
    if let Some(scalar) = context.scalars[parameter] {
        let value = fitting(value.cloned(), scalar);
        // Old-style definitions may promise another width than the call passes.
        let value = match (value, scalar) {
            (Value::Integer(number), Scalar::Integer(shape)) => {
                Value::Integer(context.arithmetic.convert(&number, shape))
            }
            (value, _) => value,
        };
        if context.is_plain(parameter) {
            memory::set_variable(context, entry, parameter, Datum::of(value));
        } else {
            let object = context.object_of(parameter);
            let size = context.program.types.size_of(variable.ty.id).unwrap_or(0);
            memory::forget_object(context, entry, object);
            memory::write(
                context,
                entry,
                &Pointers::to(object, Number::only(0)),
                size,
                scalar,
                &Datum::of(value),
            );
        }
        return;
    }
    let object = context.object_of(parameter);
    memory::forget_object(context, entry, object);
    if let Some(Expr { kind: ExprKind::Load(place), .. }) = argument
        && let Some(Location::Memory(source)) = Evaluator::new(context, state).locate(place)
    {
        let size = context.program.types.size_of(variable.ty.id).unwrap_or(0);
        let target = Pointers::to(object, Number::only(0));
        memory::copy(context, entry, &source, &target, &Number::only(i128::from(size)));
    }
}
