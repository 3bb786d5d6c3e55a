//! Expressions and places in an abstract state.
//!
//! Must over-approximate: what a run computes from a state in `state` without undefined behaviour lies in the
//! result. `None` is "no run gets past this": every one meets undefined behaviour. Tested by the soundness
//! tests on whole programs.

use crate::checks::{Check, CheckKind};
use crate::context::Context;
use crate::domain::floats::FloatRange;
use crate::domain::integers::IntegerSet;
use crate::domain::number::{Number, limits};
use crate::domain::operators::{Certainty, UndefinedArithmetic, truth_of};
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::memory;
use crate::state::State;
use base::Id;
use program::expr::Access;
use program::types::{ArrayLength, IntegerShape};
use program::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, Type, TypeId, UnaryOp, VariableId};

/// Whole numbers as wide as can be, for offsets.
pub const WIDE: IntegerShape = IntegerShape { width: 128, signed: true };

/// Where a place lies.
#[derive(Clone, Debug)]
pub enum Location {
    /// A plain variable.
    Plain(VariableId),
    /// Somewhere in memory, behind one of these pointers.
    Memory(Pointers),
}

/// What a place is located for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// To read or write it.
    Access,
    /// For its address only.
    Address,
}

/// What is read or written, for messages.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'s> {
    /// A place of the program.
    Place(&'s Place),
    /// What a library function is passed.
    Argument {
        /// The function's name.
        function: &'s str,
        /// The argument as the program writes it.
        argument: &'s Expr,
    },
}

/// Evaluates in one state; notes what can go wrong if there is a log.
pub struct Evaluator<'a, 'p> {
    /// What is known of the program as a whole.
    pub context: &'a Context<'p>,
    /// What is known where the expression is evaluated.
    pub state: &'a State,
    /// What can go wrong, if anyone wants to know.
    pub log: Option<&'a mut Vec<Check>>,
}

impl<'a, 'p> Evaluator<'a, 'p> {
    /// An evaluator that notes nothing.
    pub fn new(context: &'a Context<'p>, state: &'a State) -> Evaluator<'a, 'p> {
        Evaluator { context, state, log: None }
    }

    /// Notes that something was looked for, if there is a log.
    pub fn note(
        &mut self,
        kind: CheckKind,
        certainty: Certainty,
        about: impl FnOnce(&Context<'p>) -> String,
    ) {
        if let Some(log) = &mut self.log {
            let about = about(self.context);
            log.push(Check { kind, certainty, about, detail: String::new() });
        }
    }

    /// The same, with a sentence about what a library function does.
    pub fn note_in_detail(
        &mut self,
        kind: CheckKind,
        certainty: Certainty,
        subject: Subject<'_>,
        detail: impl FnOnce(&str, &str) -> String,
    ) {
        let Some(log) = &mut self.log else { return };
        let (about, detail) = match subject {
            Subject::Place(place) => (self.context.program.show().place(place), String::new()),
            Subject::Argument { function, argument } => {
                let shown = self.context.program.show().expr(crate::library::uncast(argument));
                let detail = detail(function, &shown);
                (shown, detail)
            }
        };
        log.push(Check { kind, certainty, about, detail });
    }

    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        Scalar::of(ty, &self.context.program.types)
    }

    /// The value of a scalar expression. For what is no scalar: `None` only if it cannot be evaluated.
    pub fn value(&mut self, expr: &Expr) -> Option<Value> {
        let scalar = self.scalar(expr.ty);
        match &expr.kind {
            ExprKind::Integer(bits) => Some(match scalar? {
                Scalar::Pointer if *bits == 0 => Value::Pointer(Pointers::null()),
                Scalar::Pointer => Value::Pointer(Pointers::not_null()),
                Scalar::Integer(shape) => Value::Integer(Number::only(shape.value(*bits))),
                Scalar::Float(_) => Value::Float(FloatRange::ANY),
            }),
            ExprKind::Float(bits) => match scalar? {
                Scalar::Float(kind) => Some(Value::Float(FloatRange::of_bits(*bits, kind))),
                other => Some(Value::any(other)),
            },
            ExprKind::Zero => scalar.map(Value::zero),
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => match self.locate_any(place, Use::Address)? {
                Location::Memory(pointers) => Some(Value::Pointer(pointers)),
                Location::Plain(_) => Some(Value::Pointer(Pointers::not_null())),
            },
            ExprKind::FunctionAddress(id) => {
                let object = self.context.object_of_procedure(*id);
                Some(Value::Pointer(Pointers::to(object, Number::only(0))))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::Cast(operand) => self.cast(operand, expr),
            ExprKind::PointerOffset { pointer, index } => {
                let pointers = self.pointers(pointer)?;
                let index_value = self.number(index)?;
                let stride = self.stride(pointer.ty);
                Some(Value::Pointer(self.moved(&pointers, &index_value, stride)))
            }
            ExprKind::PointerDifference(left, right) => {
                let (one, two) = (self.pointers(left)?, self.pointers(right)?);
                let stride = self.stride(left.ty);
                let any = Value::any(scalar?);
                let known = (one.targets(), two.targets());
                let is_plain = |p: &Pointers| !p.can_be_anything && !p.can_be_null;
                if let ([(a, x)], [(b, y)]) = known
                    && a == b
                    && is_plain(&one)
                    && is_plain(&two)
                {
                    let arithmetic = &self.context.arithmetic;
                    let bytes = arithmetic.binary(BinaryOp::Subtract, x, y, WIDE).value;
                    let count =
                        arithmetic.binary(BinaryOp::Divide, &bytes, &Number::only(stride), WIDE).value;
                    return Some(Value::Integer(count).meet(&any));
                }
                Some(any)
            }
        }
    }

    /// The value of an integer expression.
    pub fn number(&mut self, expr: &Expr) -> Option<Number> {
        match self.value(expr)? {
            Value::Integer(number) => (!number.is_empty()).then_some(number),
            _ => match self.scalar(expr.ty) {
                Some(Scalar::Integer(shape)) => Some(Number::any(shape)),
                _ => Some(Number::any(WIDE)),
            },
        }
    }

    /// The value of a pointer expression.
    pub fn pointers(&mut self, expr: &Expr) -> Option<Pointers> {
        match self.value(expr)? {
            Value::Pointer(pointers) => (!pointers.is_empty()).then_some(pointers),
            _ => Some(Pointers::anything()),
        }
    }

    fn stride(&self, pointer: TypeId) -> i128 {
        let types = &self.context.program.types;
        let size = types.pointee(pointer).and_then(|to| match types.get(to.id) {
            Type::Void | Type::Function(_) => Some(1),
            _ => types.size_of(to.id),
        });
        size.map_or(0, i128::from)
    }

    fn moved(&self, pointers: &Pointers, index: &Number, stride: i128) -> Pointers {
        let arithmetic = &self.context.arithmetic;
        if index.single() == Some(0) {
            return pointers.clone();
        }
        if stride == 0 {
            // The size is not known (an array of run-time length): anywhere.
            return pointers.moved(|_| Number::any(WIDE), false);
        }
        let bytes = arithmetic.binary(BinaryOp::Multiply, index, &Number::only(stride), WIDE).value;
        // Addresses wrap: a huge unsigned index is a negative one.
        let width = self.context.program.types.pointer_width();
        let bytes = arithmetic.convert(&bytes, IntegerShape { width, signed: true });
        pointers.moved(|offset| arithmetic.binary(BinaryOp::Add, offset, &bytes, WIDE).value, false)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, whole: &Expr) -> Option<Value> {
        let value = self.value(operand)?;
        let result = match (&value, op) {
            (Value::Pointer(pointers), UnaryOp::Not) => {
                Value::Integer(truth_of(pointers.can_be_not_null(), pointers.can_be_null))
            }
            (Value::Float(range), UnaryOp::Not) => {
                let (can_not, can) = range.compare(BinaryOp::Equal, &FloatRange::only(0.0));
                Value::Integer(truth_of(can_not, can))
            }
            (Value::Float(range), UnaryOp::Negate) => Value::Float(range.negate()),
            (Value::Integer(number), _) => {
                let shape = match self.scalar(operand.ty) {
                    Some(Scalar::Integer(shape)) => shape,
                    _ => return self.scalar(whole.ty).map(Value::any),
                };
                let computed = self.context.arithmetic.unary(op, number, shape);
                if op == UnaryOp::Negate && shape.signed {
                    self.note_trouble(computed.trouble, Some(UndefinedArithmetic::Overflow), whole);
                }
                Value::Integer(computed.value)
            }
            _ => return self.scalar(whole.ty).map(Value::any),
        };
        (!result.is_empty()).then_some(result)
    }

    fn note_trouble(
        &mut self,
        found: Option<(UndefinedArithmetic, Certainty)>,
        looked_for: Option<UndefinedArithmetic>,
        whole: &Expr,
    ) {
        if self.log.is_none() {
            return;
        }
        let kind = |trouble: UndefinedArithmetic| match trouble {
            UndefinedArithmetic::Overflow => CheckKind::Overflow,
            UndefinedArithmetic::DivisionByZero => CheckKind::DivisionByZero,
            UndefinedArithmetic::DivisionOverflow => CheckKind::DivisionOverflow,
            UndefinedArithmetic::BadShift => CheckKind::BadShift,
        };
        if let Some((trouble, certainty)) = found {
            self.note(kind(trouble), certainty, |context| context.program.show().expr(whole));
        }
        if let Some(trouble) = looked_for.filter(|&trouble| found.is_none_or(|(other, _)| other != trouble)) {
            self.note(kind(trouble), Certainty::Excluded, |context| context.program.show().expr(whole));
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Option<Value> {
        let (one, two) = (self.value(left)?, self.value(right)?);
        let arithmetic = self.context.arithmetic;
        let result = match (&one, &two) {
            (Value::Integer(x), Value::Integer(y)) => {
                let Some(Scalar::Integer(shape)) = self.scalar(left.ty) else {
                    return self.scalar(whole.ty).map(Value::any);
                };
                if op.is_comparison() {
                    Value::Integer(arithmetic.compare(op, x, y, shape))
                } else {
                    let computed = arithmetic.binary(op, x, y, shape);
                    let looked_for = match op {
                        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply if shape.signed => {
                            Some(UndefinedArithmetic::Overflow)
                        }
                        BinaryOp::Divide | BinaryOp::Remainder => Some(UndefinedArithmetic::DivisionByZero),
                        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Some(UndefinedArithmetic::BadShift),
                        _ => None,
                    };
                    self.note_trouble(computed.trouble, looked_for, whole);
                    Value::Integer(computed.value)
                }
            }
            (Value::Float(x), Value::Float(y)) => {
                if op.is_comparison() {
                    let (can_not, can) = x.compare(op, y);
                    Value::Integer(truth_of(can_not, can))
                } else {
                    match self.scalar(whole.ty) {
                        Some(Scalar::Float(kind)) => Value::Float(x.binary(op, y, kind)),
                        other => return other.map(Value::any),
                    }
                }
            }
            (Value::Pointer(x), Value::Pointer(y)) if op.is_comparison() => {
                Value::Integer(self.compare_pointers(op, x, y))
            }
            _ => return self.scalar(whole.ty).map(Value::any),
        };
        (!result.is_empty()).then_some(result)
    }

    fn cast(&mut self, operand: &Expr, whole: &Expr) -> Option<Value> {
        let value = self.value(operand);
        let Some(to) = self.scalar(whole.ty) else { return value };
        let value = value?;
        let is_bool = matches!(self.context.program.types.get(whole.ty), Type::Bool);
        let result = match (&value, to) {
            (Value::Integer(number), Scalar::Integer(_)) if is_bool => {
                let can_be_other =
                    number.set().ranges().iter().any(|range| range.low != 0 || range.high != 0);
                Value::Integer(truth_of(number.contains(0), can_be_other))
            }
            (Value::Float(range), Scalar::Integer(_)) if is_bool => {
                let (can_not, can) = range.compare(BinaryOp::NotEqual, &FloatRange::only(0.0));
                Value::Integer(truth_of(can_not, can))
            }
            (Value::Pointer(pointers), Scalar::Integer(_)) if is_bool => {
                Value::Integer(truth_of(pointers.can_be_null, pointers.can_be_not_null()))
            }
            (Value::Integer(number), Scalar::Integer(shape)) => {
                Value::Integer(self.context.arithmetic.convert(number, shape))
            }
            (Value::Integer(number), Scalar::Float(kind)) => {
                let hull = number.hull()?;
                let is_unsigned_wide = hull.low == i128::MIN;
                Value::Float(if is_unsigned_wide {
                    FloatRange::ANY
                } else {
                    FloatRange::of_integers(hull.low, hull.high, kind)
                })
            }
            (Value::Integer(number), Scalar::Pointer) => {
                let all = if number.single() == Some(0) { Pointers::null() } else { Pointers::anything() };
                Value::Pointer(all.with_null(number.contains(0)))
            }
            (Value::Float(range), Scalar::Float(kind)) => Value::Float(range.convert(kind)),
            (Value::Float(range), Scalar::Integer(shape)) => self.truncate(range, shape, whole),
            (Value::Pointer(pointers), Scalar::Pointer) => Value::Pointer(pointers.clone()),
            (Value::Pointer(pointers), Scalar::Integer(shape)) => {
                let number = Number::any(shape);
                let is_null = !pointers.can_be_not_null();
                Value::Integer(if is_null { Number::only(0) } else { number })
            }
            (_, to) => Value::any(to),
        };
        (!result.is_empty()).then_some(result)
    }

    fn truncate(&mut self, range: &FloatRange, shape: IntegerShape, whole: &Expr) -> Value {
        let around = limits(shape);
        let (value, certainty) = match range.truncated() {
            Some((low, high)) => {
                let kept = IntegerSet::range(low, high).meet(&IntegerSet::range(around.low, around.high));
                let is_in = around.low <= low && high <= around.high;
                // Out of range, the machine gives some number, and the run goes on.
                let number = match is_in {
                    true => Number::of(kept.clone(), crate::domain::congruence::Congruence::ANY),
                    false => Number::any(shape),
                };
                (number, Certainty::of(!is_in, !kept.is_empty()))
            }
            None => (Number::any(shape), Certainty::Possible),
        };
        self.note(CheckKind::FloatToInteger, certainty, |context| context.program.show().expr(whole));
        Value::Integer(value)
    }

    /// Where a place lies that is read or written. Indices of arrays of known length are checked and cut to
    /// them.
    pub fn locate(&mut self, place: &Place) -> Option<Location> {
        self.locate_any(place, Use::Access)
    }

    fn locate_any(&mut self, place: &Place, used_for: Use) -> Option<Location> {
        let program = self.context.program;
        let mut pointers = match &place.base {
            PlaceBase::Variable(id) if place.path.is_empty() && self.context.is_plain(*id) => {
                return Some(Location::Plain(*id));
            }
            PlaceBase::Variable(id) => Pointers::to(self.context.object_of(*id), Number::only(0)),
            PlaceBase::Pointer(pointer) => {
                let pointers = self.pointers(pointer)?;
                if used_for == Use::Access && !place.path.is_empty() && pointers.can_be_null {
                    self.member_of_null(&pointers, place)?
                } else {
                    pointers
                }
            }
        };
        let mut ty = place.base_type(|id| program.variables[id].ty.id, &program.types);
        let mut is_last_member = false;
        for step in &place.path {
            match step {
                Projection::Field(record, index) => {
                    let record = &program.types.records[*record];
                    is_last_member =
                        record.fields.as_ref().is_none_or(|fields| *index as usize + 1 == fields.len());
                    let offset =
                        record.layout.as_ref().map(|layout| layout.fields[*index as usize].byte_offset());
                    ty = record.fields.as_ref().map_or(ty, |fields| fields[*index as usize].ty.id);
                    pointers = match offset {
                        Some(0) => pointers,
                        Some(offset) => self.moved(&pointers, &Number::only(i128::from(offset)), 1),
                        None => pointers.moved(|_| Number::any(WIDE), false),
                    };
                }
                Projection::Index(index) => {
                    let mut number = self.number(index)?;
                    let (element, length) = match program.types.get(ty) {
                        Type::Array(element, length) => (element.id, *length),
                        _ => (ty, ArrayLength::Unknown),
                    };
                    // A last member of length 0 or 1 is how old programs write a flexible array.
                    // An address may lie outside (one past the end, say) as long as it is not used.
                    let fewest = if is_last_member { 2 } else { 1 };
                    if let (ArrayLength::Known(length), Use::Access) = (length, used_for)
                        && length >= fewest
                    {
                        let inside = number.meet_set(&IntegerSet::range(0, i128::from(length) - 1));
                        let certainty = Certainty::of(!number.is_within(&inside), !inside.is_empty());
                        self.note(CheckKind::OutOfBounds, certainty, |context| {
                            context.program.show().place(place)
                        });
                        if inside.is_empty() {
                            return None;
                        }
                        number = inside;
                    }
                    let stride = program.types.size_of(element).map_or(0, i128::from);
                    pointers = self.moved(&pointers, &number, stride);
                    ty = element;
                    is_last_member = false;
                }
            }
        }
        Some(Location::Memory(pointers))
    }

    /// A part of what a pointer leads to that may be null is read or written: that is noted, and the run goes on with
    /// the other addresses.
    fn member_of_null(&mut self, pointers: &Pointers, place: &Place) -> Option<Pointers> {
        let certainty = Certainty::of(true, pointers.can_be_not_null());
        self.note(CheckKind::NullDereference, certainty, |context| context.program.show().place(place));
        let others = pointers.clone().without_null();
        (!others.is_empty()).then_some(others)
    }

    fn load(&mut self, place: &Place) -> Option<Value> {
        let program = self.context.program;
        let location = self.locate(place)?;
        let Some(scalar) = self.scalar(place.ty.id) else {
            // A record or array: its parts are copied elsewhere.
            if let Location::Memory(pointers) = &location {
                let size = program.types.size_of(place.ty.id).unwrap_or(0);
                self.accessed(pointers, size, place, Access::Read)?;
            }
            return Some(Value::Integer(Number::only(0)));
        };
        match location {
            Location::Plain(id) => {
                let datum = self.variable(id)?;
                self.note_written(datum.written, place);
                (!datum.value.is_empty()).then_some(datum.value)
            }
            Location::Memory(pointers) => {
                let size = program.types.size_of(place.ty.id).unwrap_or(0);
                if let Some(field) = place.bit_field(&program.types) {
                    let targets = self.accessed(&pointers, 1, place, Access::Read)?;
                    let width = field.bit_width.unwrap_or(0);
                    let bytes = (field.bit_offset % 8 + u64::from(width)).div_ceil(8);
                    // Which bits of a byte were written is not followed.
                    let is_written = memory::is_written(self.context, self.state, &targets, bytes);
                    self.note_written(if is_written { Written::Always } else { Written::Perhaps }, place);
                    return Some(bit_field_value(scalar, field.bit_width.unwrap_or(0)));
                }
                let targets = self.accessed(&pointers, size, place, Access::Read)?;
                if matches!(program.types.get(place.ty.id), Type::Bool) {
                    self.check_bool(&targets, place)?;
                }
                let datum = self.read(&targets, size, scalar);
                let datum = datum?;
                self.note_written(datum.written, place);
                (!datum.value.is_empty()).then_some(datum.value)
            }
        }
    }

    /// A byte that is read as a `_Bool` must be 0 or 1. `None` if no run gets past it.
    fn check_bool(&mut self, targets: &Pointers, place: &Place) -> Option<()> {
        if !self.context.has_odd_bools {
            return Some(());
        }
        let byte = Scalar::Integer(IntegerShape { width: 8, signed: false });
        let Value::Integer(number) = self.read(targets, 1, byte)?.value else { return Some(()) };
        let fine = number.meet_set(&IntegerSet::range(0, 1));
        let certainty = Certainty::of(!number.is_within(&fine), !fine.is_empty());
        self.note(CheckKind::InvalidBool, certainty, |context| context.program.show().place(place));
        (certainty != Certainty::Definite).then_some(())
    }

    fn note_written(&mut self, written: Written, place: &Place) {
        let certainty = match written {
            Written::Always => Certainty::Excluded,
            Written::Perhaps => Certainty::Possible,
            Written::Never => Certainty::Definite,
        };
        self.note(CheckKind::Uninitialised, certainty, |context| context.program.show().place(place));
    }

    /// What is known about a plain variable.
    pub fn variable(&self, id: VariableId) -> Option<Datum> {
        let map = if self.context.is_global(id) { &self.state.globals } else { &self.state.locals };
        let scalar = self.context.scalars[id]?;
        Some(map.get(id.index() as u32).cloned().unwrap_or_else(|| Datum {
            value: Value::any(scalar),
            written: if self.context.is_global(id) { Written::Always } else { Written::Perhaps },
        }))
    }

    /// What can be read at some places of memory.
    pub fn read(&mut self, targets: &Pointers, size: u64, scalar: Scalar) -> Option<Datum> {
        let any = Datum { value: Value::any(scalar), written: Written::Perhaps };
        let always = Datum::of(Value::any(scalar));
        if targets.can_be_anything {
            return Some(any);
        }
        let most_offsets = u128::from(self.context.settings.precision.fold_from).max(256);
        let cells = self.context.cells.borrow();
        let mut found: Option<Datum> = None;
        for (object, offset) in targets.targets() {
            let unknown = if cells.is_static(*object, self.context.program) { &always } else { &any };
            let Some(offsets) = offset.few_values(most_offsets).filter(|_| cells.get(*object).is_tracked)
            else {
                found = Some(
                    found
                        .map_or(Some(unknown.clone()), |known| known.join(unknown, 1))
                        .unwrap_or(any.clone()),
                );
                continue;
            };
            let mut last = None;
            for offset in offsets {
                let place = u64::try_from(offset).ok().and_then(|offset| cells.fold(*object, offset, size));
                if place == last && place.is_some() {
                    continue;
                }
                last = place;
                let cell = place.and_then(|(offset, _)| cells.known(*object, offset, size));
                let datum = cell.and_then(|cell| self.state.memory.get(cell.index() as u32));
                // What is known already adds nothing.
                if let (Some(known), Some(datum)) = (&found, datum)
                    && fits(&datum.value, scalar)
                    && datum.is_within(known)
                {
                    continue;
                }
                let datum = match datum {
                    Some(datum) => {
                        Datum { value: self.reinterpret(&datum.value, scalar), written: datum.written }
                    }
                    None if place.is_some_and(|(at, is_summary)| {
                        !is_summary && memory::is_zero(self.context, self.state, *object, at, size)
                    }) =>
                    {
                        Datum::of(Value::zero(scalar))
                    }
                    // Written in other parts, as members of a union are.
                    None if place.is_some_and(|(at, is_summary)| {
                        let place = Pointers::to(*object, Number::only(i128::from(at)));
                        !is_summary && memory::is_written(self.context, self.state, &place, size)
                    }) =>
                    {
                        always.clone()
                    }
                    None => unknown.clone(),
                };
                found = Some(match found {
                    None => datum,
                    Some(known) => {
                        known.join(&datum, self.context.arithmetic.cap).unwrap_or_else(|| any.clone())
                    }
                });
                if found.as_ref() == Some(&any) {
                    return found;
                }
            }
        }
        found
    }

    /// The same bytes at another type of the same size.
    fn reinterpret(&self, value: &Value, scalar: Scalar) -> Value {
        match (value, scalar) {
            (Value::Integer(number), Scalar::Integer(shape)) => {
                let around = limits(shape);
                let whole = Number::range(around.low, around.high);
                if number.is_within(&whole) {
                    value.clone()
                } else if shape.width == 1 {
                    Value::any(scalar)
                } else {
                    Value::Integer(self.context.arithmetic.convert(number, shape))
                }
            }
            (Value::Float(_), Scalar::Float(_)) | (Value::Pointer(_), Scalar::Pointer) => value.clone(),
            (_, scalar) => Value::any(scalar),
        }
    }
}

/// Is it a value that is the same when it is read as that scalar?
fn fits(value: &Value, scalar: Scalar) -> bool {
    match (value, scalar) {
        (Value::Integer(number), Scalar::Integer(shape)) => {
            let around = limits(shape);
            number.hull().is_some_and(|hull| around.low <= hull.low && hull.high <= around.high)
        }
        (Value::Float(_), Scalar::Float(_)) | (Value::Pointer(_), Scalar::Pointer) => true,
        _ => false,
    }
}

/// The values of a bit-field.
pub fn bit_field_value(scalar: Scalar, width: u32) -> Value {
    match scalar {
        Scalar::Integer(shape) if width > 0 && width <= shape.width => {
            Value::Integer(Number::any(IntegerShape { width, signed: shape.signed && shape.width > 1 }))
        }
        other => Value::any(other),
    }
}
