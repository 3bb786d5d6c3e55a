//! Calls of functions whose meaning is known, and of functions that are missing.
//!
//! A missing function returns anything and may change what was passed to it and all that can be reached from there (the
//! rule of `program::points_to`); functions passed to it may be called at any time from then on.

use crate::cells::ObjectKind;
use crate::context::Context;
use crate::domain::floats::FloatRange;
use crate::domain::number::{Number, limits};
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::{Evaluator, Location, WIDE};
use crate::memory;
use crate::settings::Reads;
use crate::state::State;
use crate::transfer::Transfer;
use base::Id;
use program::known::MathFunction;
use program::{Edge, EdgeId, Expr, ExprKind, Known, Place, PlaceBase, ProcedureId, VariableId};
use rustc_hash::FxHashSet;

/// A call as it stands in the program.
#[derive(Clone, Copy)]
pub struct CallSite<'a> {
    /// The calling procedure.
    pub procedure: ProcedureId,
    /// The edge's name.
    pub edge_id: EdgeId,
    /// The edge.
    pub edge: &'a Edge,
    /// Gets the result.
    pub result: Option<&'a Place>,
    /// The arguments.
    pub arguments: &'a [Expr],
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

    /// Writes a call's result.
    pub fn give(&mut self, state: &State, site: CallSite<'_>, value: Option<Value>) -> Option<State> {
        let Some(result) = site.result else { return Some(state.clone()) };
        let location = self.target(state, result)?;
        let mut after = state.clone();
        match Scalar::of(result.ty.id, &self.context.program.types) {
            Some(scalar) => {
                let value = value.unwrap_or_else(|| Value::any(scalar));
                let fits = matches!(
                    (&value, scalar),
                    (Value::Integer(_), Scalar::Integer(_))
                        | (Value::Float(_), Scalar::Float(_))
                        | (Value::Pointer(_), Scalar::Pointer)
                );
                let value = if fits { value } else { Value::any(scalar) };
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

    /// A call of a function with a built-in meaning. `None` if no run gets past it.
    pub fn known(&mut self, state: &State, site: CallSite<'_>, known: Known) -> Option<Effect> {
        use Known::*;
        let context = self.context;
        let values = self.arguments(state, site.arguments)?;
        if known.never_returns() {
            return Some(Effect::Ends);
        }
        let mut after = state.clone();
        let pointer = |at: usize| match values.get(at) {
            Some(Value::Pointer(pointers)) => pointers.clone(),
            _ => Pointers::anything(),
        };
        let number = |at: usize| match values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::any(WIDE),
        };
        let mut result = None;
        match known {
            Malloc | Calloc | Realloc | Alloca | AlignedAlloc | NewStream => {
                let bytes = match known {
                    Malloc | Alloca | NewStream => number(0),
                    Calloc => {
                        context
                            .arithmetic
                            .binary(program::BinaryOp::Multiply, &number(0), &number(1), WIDE)
                            .value
                    }
                    _ => number(1),
                };
                let object = context.object_of_allocation(site.procedure, site.edge_id);
                let least = bytes.hull().map_or(0, |hull| hull.low.max(0));
                let mut cells = context.cells.borrow_mut();
                let is_first = cells.get(object).size.is_none();
                cells.allocated(object, u64::try_from(least).unwrap_or(0), is_first);
                drop(cells);
                memory::forget_object(context, &mut after, object);
                let mut pointers = Pointers::to(object, Number::only(0));
                // A null pointer is what asking for nothing may give, and what failure gives.
                pointers.can_be_null =
                    known != NewStream && (context.settings.allocation_may_fail || least == 0);
                result = Some(Value::Pointer(pointers));
            }
            PosixMemalign => memory::kill_objects(context, &mut after, &pointer(0)),
            Free | VaStart | VaEnd => {
                if known != Free {
                    memory::kill_objects(context, &mut after, &pointer(0));
                }
            }
            VaCopy => memory::kill_objects(context, &mut after, &pointer(0)),
            VaArg => memory::kill_objects(context, &mut after, &pointer(0)),
            MemoryCopy | MemoryMove => {
                memory::copy(context, &mut after, &pointer(1), &pointer(0), &number(2));
                result = values.first().cloned();
            }
            MemorySet => {
                memory::kill(context, &mut after, &pointer(0), number(2));
                self.clear_object(&mut after, &pointer(0), &number(1), &number(2));
                result = values.first().cloned();
            }
            Sprintf | Snprintf | Vsprintf | Vsnprintf | Fgets => {
                memory::kill_objects(context, &mut after, &pointer(0));
                if known == Fgets {
                    result = Some(Value::Pointer(pointer(0).with_null(true)));
                }
            }
            Getchar | Fgetc => result = Some(Value::Integer(Number::range(-1, 255))),
            Putchar | Fputc | Puts | Fputs | Fwrite | Fflush | Perror => {}
            Printf | Fprintf => {
                // `%n` writes to what an argument points to; that is no text.
                for (argument, value) in
                    site.arguments.iter().zip(&values).skip(usize::from(known == Fprintf))
                {
                    let types = &context.program.types;
                    let size = types.pointee(argument.ty).and_then(|to| types.size_of(to.id));
                    if let (Value::Pointer(pointers), true) = (value, size != Some(1)) {
                        memory::kill_objects(context, &mut after, pointers);
                    }
                }
            }
            Vprintf | Vfprintf => after.memory = Default::default(),
            Scanf => return self.scan(after, site, 1),
            Fscanf | Sscanf => return self.scan(after, site, 2),
            Math(function, kind) => result = Some(math(function, kind, &values)),
            Word(program::Word::Unknown) => after = State::default(),
            // What must hold at the call changes nothing.
            Word(_) => {}
            Setjmp => {
                // A jump may come back here with whatever happened in between.
                after = State::default();
            }
            AtExit | ThreadCreate | OnceCall => {
                let started = if known == ThreadCreate { 2 } else { usize::from(known == OnceCall) };
                let procedures = self.procedures_in(&pointer(started));
                if known != AtExit {
                    memory::kill_objects(context, &mut after, &pointer(0));
                    after.globals = Default::default();
                    after.memory = Default::default();
                }
                let after = self.give(&after, site, None)?;
                return Some(Effect::Starts(after, procedures));
            }
            ThreadJoin => memory::kill_objects(context, &mut after, &pointer(1)),
            _ => {
                // Mutexes and their like: what they are passed may change.
                for value in &values {
                    if let Value::Pointer(pointers) = value {
                        memory::kill_objects(context, &mut after, pointers);
                    }
                }
            }
        }
        Some(Effect::Returns(self.give(&after, site, result)?))
    }

    /// `memset(p, 0, n)` of a whole object.
    fn clear_object(&mut self, after: &mut State, target: &Pointers, byte: &Number, count: &Number) {
        if byte.single() != Some(0) || target.can_be_anything || target.can_be_null {
            return;
        }
        let [(object, offset)] = target.targets() else { return };
        let kind = self.context.kind_of(*object);
        let size = self.context.cells.borrow().get(*object).size;
        if let (ObjectKind::Variable(id), Some(0), Some(size)) = (kind, offset.single(), size)
            && count.single() == Some(i128::from(size))
        {
            memory::zero(self.context, after, *object, self.context.program.variables[id].ty.id);
        }
    }

    /// The procedures among the targets; all that have their address taken if anything is possible.
    pub fn procedures_in(&self, pointers: &Pointers) -> Vec<ProcedureId> {
        if pointers.can_be_anything {
            return address_taken(self.context);
        }
        let kinds = pointers.targets().iter().map(|(object, _)| self.context.kind_of(*object));
        kinds.filter_map(|kind| if let ObjectKind::Procedure(id) = kind { Some(id) } else { None }).collect()
    }

    fn scan(&mut self, mut after: State, site: CallSite<'_>, first: usize) -> Option<Effect> {
        let context = self.context;
        let conversions = site.arguments.len().saturating_sub(first);
        for argument in site.arguments.iter().skip(first) {
            let pointee = scan_target(argument, context);
            let before = after.clone();
            let pointers = self.evaluator(&before).pointers(argument)?;
            let Some((name, scalar, size)) = pointee else {
                memory::kill_objects(context, &mut after, &pointers);
                continue;
            };
            let value = self.input(&mut after, site.edge, name.as_deref(), scalar)?;
            let datum = Datum::of(value);
            match context.settings.reads {
                Reads::Deliver => memory::write(context, &mut after, &pointers, size, scalar, &datum),
                Reads::MayFail => {
                    let old = Evaluator::new(context, &before).read(&pointers, size, scalar);
                    let joined = old.and_then(|old| old.join(&datum, context.arithmetic.cap));
                    let datum =
                        joined.unwrap_or(Datum { value: Value::any(scalar), written: Written::Perhaps });
                    memory::write(context, &mut after, &pointers, size, scalar, &datum);
                }
            }
        }
        let count = conversions as i128;
        let result = match context.settings.reads {
            Reads::Deliver => Number::only(count),
            Reads::MayFail => Number::range(-1, count),
        };
        Some(Effect::Returns(self.give(&after, site, Some(Value::Integer(result)))?))
    }

    /// A call of something that is not shown.
    pub fn missing(&mut self, state: &State, site: CallSite<'_>, escapes: &mut Escapes) -> Option<State> {
        let context = self.context;
        let values = self.arguments(state, site.arguments)?;
        let mut after = state.clone();
        let mut reached: Vec<Pointers> = values
            .iter()
            .filter_map(
                |value| if let Value::Pointer(pointers) = value { Some(pointers.clone()) } else { None },
            )
            .collect();
        for &kind in &escapes.objects {
            let known = context.cells.borrow().known_object(kind);
            reached.extend(known.map(|object| Pointers::to(object, Number::only(0))));
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

/// What an argument of `scanf` points to: the variable's name, the scalar, its bytes.
fn scan_target(argument: &Expr, context: &Context<'_>) -> Option<(Option<String>, Scalar, u64)> {
    let types = &context.program.types;
    let mut inner = argument;
    while let ExprKind::Cast(operand) = &inner.kind {
        inner = operand;
    }
    let to = types.pointee(inner.ty)?;
    let scalar = Scalar::of(to.id, types)?;
    let size = types.size_of(to.id)?;
    // A pointer to characters may be a whole string.
    if size == 1 {
        return None;
    }
    let name = match &inner.kind {
        ExprKind::AddressOf(place) => match place.base {
            PlaceBase::Variable(id) => Some(context.program.variables[id].name.to_string()),
            PlaceBase::Pointer(_) => None,
        },
        _ => None,
    };
    Some((name, scalar, size))
}

/// The procedures with a body whose address is taken anywhere.
pub fn address_taken(context: &Context<'_>) -> Vec<ProcedureId> {
    let program = context.program;
    let mut found: FxHashSet<ProcedureId> = FxHashSet::default();
    let mut see = |expr: &Expr| {
        expr.visit(&mut |part| {
            if let program::expr::Part::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
                found.insert(*id);
            }
        });
    };
    for procedure in &program.procedures {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            edge.action.visit(&mut |part| {
                if let program::expr::Part::Expr(expr) = part {
                    see(expr);
                }
            });
        }
    }
    for variable in &program.variables {
        for initial in &variable.initial {
            if let program::InitialData::Value(expr) = &initial.value {
                see(expr);
            }
        }
    }
    let mut found: Vec<ProcedureId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

fn math(function: MathFunction, _kind: program::FloatKind, values: &[Value]) -> Value {
    use MathFunction::*;
    let operand = match values.first() {
        Some(Value::Float(range)) => *range,
        _ => FloatRange::ANY,
    };
    match function {
        IsNan | IsFinite => Value::Integer(Number::truth()),
        IsInf => Value::Integer(Number::range(-1, 1)),
        SignBit | Classify => {
            Value::Integer(Number::any(program::types::IntegerShape { width: 32, signed: true }))
        }
        Fabs => {
            let reach = operand.low.abs().max(operand.high.abs());
            let low = if operand.low <= 0.0 && operand.high >= 0.0 {
                0.0
            } else {
                operand.low.abs().min(operand.high.abs())
            };
            Value::Float(FloatRange { low, high: reach, can_be_nan: operand.can_be_nan })
        }
        Sin | Cos => Value::Float(FloatRange { low: -1.0, high: 1.0, can_be_nan: true }),
        _ => Value::Float(FloatRange::ANY),
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
    let mut entry = State {
        locals: Default::default(),
        globals: state.globals.clone(),
        memory: state.memory.clone(),
        relations: Default::default(),
    };
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
        let is_fitting = |value: &Value| {
            matches!(
                (value, scalar),
                (Value::Integer(_), Scalar::Integer(_))
                    | (Value::Float(_), Scalar::Float(_))
                    | (Value::Pointer(_), Scalar::Pointer)
            )
        };
        let value = value.filter(|value| is_fitting(value)).cloned().unwrap_or_else(|| Value::any(scalar));
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
