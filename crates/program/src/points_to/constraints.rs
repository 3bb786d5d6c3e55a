//! From expressions and actions to constraints.
//!
//! Integers are followed like pointers: a pointer may travel through `uintptr_t`, or byte by byte through `char`.
//! A pointer that is made an integer counts as escaped, an integer made a pointer may address all that has escaped; so
//! is covered what arithmetic and control flow may do to it in between.

use super::objects::ObjectKind;
use super::offsets::{OffsetInObject, Step};
use super::sets::{Rule, SetId};
use super::solve::{ByteCopy, Solver};
use crate::expr::{Access, ExprPart};
use crate::types::{Type, TypeId};
use crate::{
    Action, BinaryOp, Expr, ExprKind, HavocSource, InitialData, Origin, Place, PlaceBase, ProcedureId,
    Program, Projection, UnaryOp, VariableId, VariableKind,
};

/// Is a variable an object (or a register no pointer reaches)?
pub(super) fn is_object(program: &Program, id: VariableId) -> bool {
    let variable = &program.variables[id];
    variable.in_memory || !program.types.is_scalar(variable.ty.id)
}

/// Steps of a path, and how many bytes an access of the place touches. Indices that are constant are kept.
pub(super) fn steps_of(place: &Place, program: &Program) -> (Vec<Step>, u64) {
    let types = &program.types;
    let mut steps = Vec::with_capacity(place.path.len());
    let mut ty = Some(place.base_type(|id| program.variables[id].ty.id, types));
    for step in &place.path {
        match step {
            Projection::Field(record, index) => {
                let record = &types.records[*record];
                let offset =
                    record.layout.as_ref().map_or(0, |layout| layout.fields[*index as usize].byte_offset());
                steps.push(Step::Member(offset));
                ty = record.fields.as_ref().map(|fields| fields[*index as usize].ty.id);
            }
            Projection::Index(index) => {
                let element = ty.and_then(|ty| match types.get(ty) {
                    Type::Array(element, _) => Some(element.id),
                    _ => None,
                });
                let stride = element.and_then(|element| types.size_of(element)).filter(|&size| size > 0);
                // Elements of unknown length: steps of single bytes are the worst case.
                let index = if stride.is_some() { constant(index, program) } else { None };
                steps.push(Step::Element { stride: stride.unwrap_or(1), index });
                ty = element;
            }
        }
    }
    let size = match place.bit_field(types) {
        Some(layout) => (layout.bit_offset % 8 + u64::from(layout.bit_width.unwrap_or(0))).div_ceil(8),
        // Objects of unknown length: all of it.
        None => types.size_of(place.ty.id).unwrap_or(u64::MAX),
    };
    (steps, size)
}

/// The value of an integer constant.
pub(super) fn constant(expr: &Expr, program: &Program) -> Option<i64> {
    match &expr.kind {
        ExprKind::Integer(bits) => i64::try_from(program.types.integer_shape(expr.ty)?.value(*bits)).ok(),
        ExprKind::Cast(inner) if program.types.is_integer(inner.ty) && program.types.is_integer(expr.ty) => {
            let value = constant(inner, program)?;
            let shape = program.types.integer_shape(expr.ty)?;
            i64::try_from(shape.value(value as i128 as u128)).ok()
        }
        _ => None,
    }
}

impl<'a> Solver<'a> {
    /// Constraints of the whole program.
    pub fn generate(&mut self) {
        let program = self.program;
        for (id, variable) in program.variables.iter_enumerated() {
            if variable.is_external {
                // Others define it and keep in it what they like.
                let object = self.object(ObjectKind::Variable(id));
                self.put(object, OffsetInObject::Anywhere, self.outside);
            }
            if program.missing_writes && program.visible.contains(&id) && is_object(program, id) {
                let object = self.object(ObjectKind::Variable(id));
                self.escape(object);
            }
            for initial in &variable.initial {
                if let InitialData::Value(value) = &initial.value {
                    self.assign(&initial.place, value);
                }
            }
        }
        for (id, procedure) in program.procedures.iter_enumerated() {
            let Some(body) = &procedure.body else { continue };
            for (edge_id, edge) in body.edges.iter_enumerated() {
                self.action(id, edge_id, &edge.action);
                edge.action.visit(&mut |part| self.access(part));
            }
            // Without `main`, whatever other units can see may be called with anything.
            let is_entry = match program.main {
                Some(main) => main == id && !program.draws_arguments,
                None => procedure.origin == Origin::User && !procedure.is_static,
            };
            if is_entry {
                self.call_from_outside(id);
            }
        }
    }

    /// Sees to it that what is accessed has cells.
    fn access(&mut self, part: ExprPart<'a>) {
        let ExprPart::Place(place, Access::Read | Access::Write) = part else { return };
        if place.as_variable().is_some_and(|id| !is_object(self.program, id)) {
            return;
        }
        let leaves = self.leaves.of_place(place, &self.program.types);
        let address = self.address(place);
        self.sets.add_rule(address, Rule::Touch(leaves));
    }

    fn action(&mut self, procedure: ProcedureId, edge: crate::EdgeId, action: &'a Action) {
        match action {
            Action::Assign { target, value } => self.assign(target, value),
            Action::Havoc { target, source } => match source {
                HavocSource::Indeterminate => {}
                HavocSource::Input(_) | HavocSource::Asm => self.fill_with_unknown(target),
            },
            Action::Call { result, callee, arguments } => {
                self.call(procedure, edge, result.as_ref(), callee, arguments);
            }
            Action::Return { value: Some(value) } => self.return_value(procedure, value),
            Action::Return { value: None }
            | Action::Skip
            | Action::Assume { .. }
            | Action::Event { .. }
            | Action::Lifetime { .. }
            | Action::Unsupported(_) => {}
        }
    }

    /// `target = value`.
    pub fn assign(&mut self, target: &Place, value: &Expr) {
        let types = &self.program.types;
        if types.is_scalar(target.ty.id) {
            if let Some(value) = self.value(value) {
                self.store(target, value);
            }
        } else if let ExprKind::Load(source) = &value.kind {
            let size = types.size_of(target.ty.id);
            self.copy_bytes(source, target, size);
        }
    }

    /// Copies a record or array.
    pub fn copy_bytes(&mut self, source: &Place, target: &Place, size: Option<u64>) {
        let (from, to) = (self.address(source), self.address(target));
        self.copy_between(from, to, size);
    }

    /// Copies bytes from where one set points to where another does.
    pub fn copy_between(&mut self, from: SetId, to: SetId, size: Option<u64>) {
        let copy = self.copies.push(ByteCopy { size, ..ByteCopy::default() });
        self.sets.add_rule(from, Rule::CopyFrom(copy));
        self.sets.add_rule(to, Rule::CopyTo(copy));
    }

    /// Stores what a set holds in a scalar place.
    pub fn store(&mut self, target: &Place, value: SetId) {
        if let Some(register) = self.register_of(target) {
            return self.sets.copy(value, register);
        }
        let (_, size) = steps_of(target, self.program);
        let address = self.address(target);
        self.sets.add_rule(address, Rule::Store { size, from: value });
    }

    /// The content of the variable, if the place is one that no pointer reaches.
    fn register_of(&mut self, place: &Place) -> Option<SetId> {
        let id = place.as_variable()?;
        (!is_object(self.program, id)).then(|| self.register(id))
    }

    pub fn register(&mut self, id: VariableId) -> SetId {
        match self.registers.get(&id) {
            Some(&set) => set,
            None => {
                let set = self.sets.add();
                self.registers.insert(id, set);
                set
            }
        }
    }

    /// What pointers in the value may point to; `None` if it has none.
    pub fn value(&mut self, expr: &Expr) -> Option<SetId> {
        if let ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Zero = expr.kind
            && expr.as_integer().is_none_or(|bits| bits == 0 || !self.program.types.is_pointer(expr.ty))
        {
            return None;
        }
        // Arithmetic is not remembered: looking up each level of a deep tree would take time quadratic in its size.
        if let ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) = expr.kind {
            return self.new_value(expr);
        }
        if let Some(&known) = self.value_cache.get(expr) {
            return known;
        }
        let set = self.new_value(expr);
        self.value_cache.insert(expr.clone(), set);
        set
    }

    fn new_value(&mut self, expr: &Expr) -> Option<SetId> {
        let types = &self.program.types;
        if types.float_kind(expr.ty).is_some() || matches!(types.get(expr.ty), Type::Bool) {
            return None;
        }
        match &expr.kind {
            // A pointer constant: only the outside knows what is there.
            ExprKind::Integer(_) => Some(self.unknown()),
            ExprKind::Float(_) | ExprKind::Zero => None,
            ExprKind::Load(place) => match self.register_of(place) {
                Some(register) => Some(register),
                None => {
                    let (_, size) = steps_of(place, self.program);
                    let address = self.address(place);
                    let into = self.sets.add();
                    self.sets.add_rule(address, Rule::Load { size, into });
                    Some(into)
                }
            },
            ExprKind::AddressOf(place) => Some(self.address(place)),
            ExprKind::FunctionAddress(id) => {
                let object = self.object(ObjectKind::Procedure(*id));
                let set = self.sets.add();
                self.put(object, OffsetInObject::At(0), set);
                Some(set)
            }
            ExprKind::Unary(UnaryOp::Not, _) => None,
            ExprKind::Unary(_, operand) => {
                let operand = self.value(operand)?;
                Some(self.blurred(&[operand]))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Cast(operand) => self.cast(operand, expr.ty),
            ExprKind::PointerOffset { pointer, index } => self.moved(pointer, index),
            ExprKind::PointerDifference(..) => None,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<SetId> {
        if op.is_comparison() {
            return None;
        }
        // An address plus or minus a number.
        let (pointer, bytes) = match op {
            BinaryOp::Add => match (constant(left, self.program), constant(right, self.program)) {
                (_, Some(bytes)) => (left, Some(bytes)),
                (Some(bytes), _) => (right, Some(bytes)),
                _ => (left, None),
            },
            BinaryOp::Subtract => (left, constant(right, self.program).and_then(i64::checked_neg)),
            _ => (left, None),
        };
        if let Some(bytes) = bytes {
            let pointer = self.value(pointer)?;
            let into = self.sets.add();
            self.sets.add_rule(pointer, Rule::Offset { stride: 1, index: Some(bytes), into });
            return Some(into);
        }
        let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let left = self.value(left);
        let right = if is_shift { None } else { self.value(right) };
        let parts: Vec<SetId> = left.into_iter().chain(right).collect();
        (!parts.is_empty()).then(|| self.blurred(&parts))
    }

    fn blurred(&mut self, parts: &[SetId]) -> SetId {
        let into = self.sets.add();
        for &part in parts {
            self.sets.add_rule(part, Rule::Blur(into));
        }
        into
    }

    fn cast(&mut self, operand: &Expr, to: TypeId) -> Option<SetId> {
        let types = &self.program.types;
        let (from_pointer, to_pointer) = (types.is_pointer(operand.ty), types.is_pointer(to));
        let value = self.value(operand);
        if from_pointer && !to_pointer {
            if let Some(value) = value {
                self.sets.copy(value, self.outside);
            }
        } else if to_pointer && !from_pointer && operand.as_integer() != Some(0) {
            let set = self.unknown();
            if let Some(value) = value {
                self.sets.copy(value, set);
            }
            return Some(set);
        }
        value
    }

    fn moved(&mut self, pointer: &Expr, index: &Expr) -> Option<SetId> {
        if pointer.as_integer().is_some() {
            // `(char *)0 + address`
            let set = self.unknown();
            if let Some(index) = self.value(index) {
                self.sets.add_rule(index, Rule::Blur(set));
            }
            return Some(set);
        }
        let pointer_set = self.value(pointer)?;
        let into = self.sets.add();
        let rule = match stride_of(pointer.ty, self.program) {
            Some(stride) => Rule::Offset { stride, index: constant(index, self.program), into },
            None => Rule::Offset { stride: 1, index: None, into },
        };
        self.sets.add_rule(pointer_set, rule);
        Some(into)
    }

    /// A new set that holds what only the outside knows.
    pub fn unknown(&mut self) -> SetId {
        let set = self.sets.add();
        let object = self.object(ObjectKind::Unknown);
        self.put(object, OffsetInObject::Anywhere, set);
        set
    }

    /// Where a place lies.
    pub fn address(&mut self, place: &Place) -> SetId {
        if let Some(&known) = self.address_cache.get(place) {
            return known;
        }
        let (steps, _) = steps_of(place, self.program);
        let set = match &place.base {
            PlaceBase::Variable(id) => {
                let object = self.object(ObjectKind::Variable(*id));
                let shape = &self.objects[object].shape;
                let offset =
                    steps.iter().fold(OffsetInObject::At(0), |offset, &step| shape.step(offset, step));
                let set = self.sets.add();
                self.put(object, offset, set);
                set
            }
            PlaceBase::Pointer(pointer) => {
                let pointer = self.value(pointer);
                match pointer {
                    None => self.sets.add(), // null: no object
                    Some(pointer) if steps.is_empty() => pointer,
                    Some(pointer) => {
                        let path = self.sets.path(steps);
                        let into = self.sets.add();
                        self.sets.add_rule(pointer, Rule::Path(path, into));
                        into
                    }
                }
            }
        };
        self.address_cache.insert(place.clone(), set);
        set
    }

    /// Any value: in pointers, what only the outside knows.
    pub fn fill_with_unknown(&mut self, target: &Place) {
        let types = &self.program.types;
        if types.is_scalar(target.ty.id) {
            if types.is_pointer(target.ty.id) {
                let unknown = self.unknown();
                self.store(target, unknown);
            }
            return;
        }
        let address = self.address(target);
        let outside = self.object(ObjectKind::Unknown);
        let from = self.sets.add();
        self.put(outside, OffsetInObject::Anywhere, from);
        self.copy_between(from, address, types.size_of(target.ty.id));
    }

    fn return_value(&mut self, procedure: ProcedureId, value: &Expr) {
        let types = &self.program.types;
        if types.is_scalar(value.ty) {
            if let Some(value) = self.value(value) {
                let result = self.result(procedure);
                self.sets.copy(value, result);
            }
        } else if let ExprKind::Load(source) = &value.kind {
            let size = types.size_of(value.ty);
            let from = self.address(source);
            let to = self.result_record(procedure);
            self.copy_between(from, to, size);
        }
    }

    /// What a procedure returns.
    pub fn result(&mut self, procedure: ProcedureId) -> SetId {
        match self.results.get(&procedure) {
            Some(&set) => set,
            None => {
                let set = self.sets.add();
                self.results.insert(procedure, set);
                set
            }
        }
    }

    /// A set that points to the record a procedure returns.
    pub fn result_record(&mut self, procedure: ProcedureId) -> SetId {
        let object = self.object(ObjectKind::Result(procedure));
        let set = self.sets.add();
        self.put(object, OffsetInObject::At(0), set);
        set
    }

    /// A call with arguments nobody shows.
    pub fn call_from_outside(&mut self, id: ProcedureId) {
        let program = self.program;
        for &parameter in &program.procedures[id].parameters {
            let place = Place::variable(parameter, program.variables[parameter].ty);
            debug_assert_eq!(program.variables[parameter].kind, VariableKind::Parameter);
            self.fill_with_unknown(&place);
        }
        let result = self.result(id);
        self.sets.copy(result, self.outside);
        if !program.types.is_scalar(program.result_type(id).id) && program.procedures[id].body.is_some() {
            let object = self.object(ObjectKind::Result(id));
            self.put(object, OffsetInObject::Anywhere, self.outside);
        }
    }
}

/// Bytes that a pointer of this type moves by; `None` if only known at run time.
pub(super) fn stride_of(pointer: TypeId, program: &Program) -> Option<u64> {
    let pointee = program.types.pointee(pointer)?;
    match program.types.get(pointee.id) {
        Type::Void | Type::Function(_) => Some(1),
        _ => program.types.size_of(pointee.id),
    }
}
