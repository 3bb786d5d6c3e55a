//! Lvalues: what an assignment writes and `&` points to.

use crate::function::FunctionLowering;
use base::Span;
use csource::tree;
use csource::types::Type;
use program::{
    Action, Expr, ExprKind, InitialData, InitialValue, Place, PlaceBase, Projection, TypeId, TypeRef,
    Variable, VariableId, VariableKind,
};
use std::sync::Arc;

impl FunctionLowering<'_> {
    /// The place an lvalue designates. A record value that is no lvalue is put into a temporary first.
    pub fn place(&mut self, expr: &tree::Expr) -> Place {
        match &expr.kind {
            tree::ExprKind::Variable(id) => {
                let variable = self.variable(*id);
                let own = &self.linker.units[self.unit].unit.variables[*id].symbol.unmodelled;
                if let Some(why) = self.linker.unmodelled_variables.get(&variable).or(own.as_ref()).cloned() {
                    self.unsupported(&why, expr.span);
                }
                if self.length_arrays.contains_key(id) {
                    let pointer = self.value_of(variable);
                    return Place::pointed_to_by(pointer, expr.ty);
                }
                // An array completed by another declaration or unit has that type.
                let ty =
                    TypeRef { id: self.linker.variables[variable].ty.id, qualifiers: expr.ty.qualifiers };
                Place::variable(variable, ty)
            }
            tree::ExprKind::String(id) => {
                let variable = self.string_variable(*id);
                self.place_of(variable)
            }
            tree::ExprKind::CompoundLiteral(id, initializer) => {
                self.compound_literal(*id, initializer, expr.span)
            }
            tree::ExprKind::Deref(pointer) => {
                let pointer = self.rvalue(pointer);
                dereference(pointer, expr.ty)
            }
            tree::ExprKind::Member { base, record, field } => {
                let mut place = if base.is_lvalue() { self.place(base) } else { self.materialize(base) };
                place.path.push(Projection::Field(*record, *field));
                place.ty = expr.ty;
                place
            }
            // `sema` gives lvalues only; a record-valued expression can still be asked for its members.
            _ => self.materialize(expr),
        }
    }

    /// The place an lvalue designates, safe from side effects of what is evaluated before it is used: pointers and
    /// indices on the way are saved.
    pub fn frozen_place(&mut self, expr: &tree::Expr) -> Place {
        match &expr.kind {
            tree::ExprKind::Member { base, record, field } if base.is_lvalue() => {
                let mut place = self.frozen_place(base);
                place.path.push(Projection::Field(*record, *field));
                place.ty = expr.ty;
                place
            }
            tree::ExprKind::Deref(pointer) => {
                let pointer = self.frozen_pointer(pointer);
                dereference(pointer, expr.ty)
            }
            _ => self.place(expr),
        }
    }

    /// A pointer's value, safe in the same way. A pointer into an array stays one into that array, whose bounds it
    /// keeps.
    pub fn frozen_pointer(&mut self, pointer: &tree::Expr) -> Expr {
        match &pointer.kind {
            tree::ExprKind::PointerAdd { pointer: array, index, backwards: false } => {
                self.in_any_order(&[&**array, &**index], array.span);
                let start = self.frozen_pointer(array);
                let moved = self.rvalue(index);
                let moved = self.frozen(moved, index.span);
                self.pointer_offset(start, moved)
            }
            tree::ExprKind::Decay(array) if array.is_lvalue() && !self.is_function_type(array.ty.id) => {
                let place = self.frozen_place(array);
                self.decay(place, pointer.ty.id)
            }
            _ => {
                let value = self.rvalue(pointer);
                self.frozen(value, pointer.span)
            }
        }
    }

    /// The value of an expression in a temporary of its own.
    pub fn materialize(&mut self, expr: &tree::Expr) -> Place {
        let value = self.rvalue(expr);
        if let ExprKind::Load(place) = &value.kind
            && place.as_variable().is_some_and(|id| self.linker.variables[id].kind == VariableKind::Temporary)
        {
            return (**place).clone();
        }
        let temporary = self.save(value, expr.span);
        self.place_of(temporary)
    }

    /// What the place holds. Volatile reads happen exactly once, in an action of their own.
    pub fn read(&mut self, place: Place, span: Span) -> Expr {
        if !place.ty.qualifiers.is_volatile {
            return Expr::load(place);
        }
        self.note_volatile(&place, span);
        let saved = self.save(Expr::load(place), span);
        self.value_of(saved)
    }

    /// A variable that a file defines is changed by nothing but the program: no handler is installed without the run
    /// becoming undecided. What a pointer points to may be more than memory.
    fn note_volatile(&mut self, place: &Place, span: Span) {
        if let PlaceBase::Variable(_) = &place.base {
            return;
        }
        self.linker.assume(
            program::AssumptionKind::Volatile,
            "*",
            span,
            "a `volatile` object is supposed to change only by the program's own writes",
        );
    }

    /// The address of a place.
    pub fn address_of(&mut self, place: Place) -> Expr {
        match place.base {
            PlaceBase::Pointer(pointer) if place.path.is_empty() => {
                let ty = self.linker.session.types.pointer(place.ty);
                // `&*p` is `p`, apart from qualifiers.
                if pointer.ty == ty { *pointer } else { pointer.cast(ty) }
            }
            _ => {
                let ty = self.linker.session.types.pointer(place.ty);
                Expr { kind: ExprKind::AddressOf(Box::new(place)), ty }
            }
        }
    }

    /// An array lvalue as a pointer to its first element.
    pub fn decay(&mut self, mut place: Place, pointer: TypeId) -> Expr {
        let Type::Array(element, _) = *self.linker.session.types.get(place.ty.id) else {
            let address = self.address_of(place);
            return crate::fold::cast(address, pointer, &self.linker.session.types);
        };
        if place.path.is_empty()
            && let PlaceBase::Pointer(base) = &place.base
            && self.is_runtime_sized(place.ty.id)
        {
            // An array of run-time length is reached through a pointer to its elements already.
            return crate::fold::cast((**base).clone(), pointer, &self.linker.session.types);
        }
        let index = self.size_constant(0);
        let mut qualifiers = element.qualifiers;
        qualifiers.is_volatile |= place.ty.qualifiers.is_volatile;
        qualifiers.is_const |= place.ty.qualifiers.is_const;
        place.path.push(Projection::Index(Box::new(index)));
        place.ty = TypeRef { id: element.id, qualifiers };
        Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: pointer }
    }

    /// A pointer moved by `index` elements. `&a[0] + i` becomes `&a[i]`, so that array accesses stay recognisable.
    pub fn pointer_offset(&mut self, pointer: Expr, index: Expr) -> Expr {
        let ty = pointer.ty;
        if let Some(size) = self.runtime_pointee_size(ty) {
            return self.byte_offset(pointer, index, size);
        }
        if let ExprKind::AddressOf(place) = &pointer.kind
            && let Some(Projection::Index(first)) = place.path.last()
            && first.as_integer() == Some(0)
            && self.points_to_same_size(ty, place.ty.id)
        {
            let mut moved = (**place).clone();
            let last = moved.path.len() - 1;
            moved.path[last] = Projection::Index(Box::new(index));
            return Expr { kind: ExprKind::AddressOf(Box::new(moved)), ty };
        }
        if index.as_integer() == Some(0) {
            return pointer;
        }
        Expr { kind: ExprKind::PointerOffset { pointer: Box::new(pointer), index: Box::new(index) }, ty }
    }

    fn points_to_same_size(&self, pointer: TypeId, element: TypeId) -> bool {
        let types = &self.linker.session.types;
        types.pointee(pointer).is_some_and(|pointee| pointee.id == element)
    }

    /// Moves a pointer whose pointee has a size known at run time only.
    fn byte_offset(&mut self, pointer: Expr, index: Expr, size: Expr) -> Expr {
        let types = &mut self.linker.session.types;
        let (char, difference) = (types.char(), types.difference_type());
        let bytes = types.pointer(char);
        let ty = pointer.ty;
        let distance = Expr {
            kind: ExprKind::Binary(
                program::BinaryOp::Multiply,
                Box::new(index.cast(difference)),
                Box::new(size.cast(difference)),
            ),
            ty: difference,
        };
        let moved = Expr {
            kind: ExprKind::PointerOffset {
                pointer: Box::new(pointer.cast(bytes)),
                index: Box::new(distance),
            },
            ty: bytes,
        };
        moved.cast(ty)
    }

    /// The array of a string literal, one variable per literal.
    pub fn string_variable(&mut self, id: tree::StringId) -> VariableId {
        if let Some(&known) = self.linker.units[self.unit].strings.get(&id) {
            return known;
        }
        let literal = &self.linker.units[self.unit].unit.strings[id];
        let (ty, span) = (literal.ty, literal.span);
        let bytes = string_bytes(literal, &self.linker.session.types);
        let variable = self.constant_array(ty, bytes, span);
        self.linker.units[self.unit].strings.insert(id, variable);
        variable
    }

    /// A constant array with these bytes.
    pub fn constant_array(&mut self, ty: TypeId, bytes: Vec<u8>, span: Span) -> VariableId {
        let next = self.linker.variables.next_id();
        self.linker.variables.push(Variable {
            name: Arc::from("string"),
            ty: ty.into(),
            kind: VariableKind::StringLiteral,
            procedure: None,
            in_memory: true,
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: vec![InitialValue {
                place: Place::variable(next, ty),
                value: InitialData::Bytes(bytes),
            }],
            span,
        })
    }

    fn compound_literal(
        &mut self,
        id: tree::VariableId,
        initializer: &tree::Initializer,
        span: Span,
    ) -> Place {
        let variable = self.variable(id);
        let target = self.place_of(variable);
        if self.linker.variables[variable].kind == VariableKind::Global {
            if self.linker.variables[variable].initial.is_empty() {
                let initial = self.static_initial(target.clone(), initializer);
                self.linker.variables[variable].initial = initial;
            }
        } else {
            self.initialize(target.clone(), initializer, span);
        }
        target
    }

    /// A `size_t` constant.
    pub fn size_constant(&mut self, value: u64) -> Expr {
        let ty = self.linker.session.types.size_type();
        Expr::integer(u128::from(value), ty, &self.linker.session.types)
    }

    /// Writes a value to a place.
    pub fn assign(&mut self, target: Place, value: Expr, span: Span) {
        let value = self.convert(value, target.ty.id);
        self.emit(Action::Assign { target, value }, span);
    }
}

/// What a pointer value points to; `*&x` is `x`.
pub fn dereference(pointer: Expr, ty: TypeRef) -> Place {
    match pointer.kind {
        ExprKind::AddressOf(place) if place.ty.id == ty.id => {
            let mut place = *place;
            place.ty = ty;
            place
        }
        kind => Place::pointed_to_by(Expr { kind, ty: pointer.ty }, ty),
    }
}

/// The bytes of a string literal, little endian.
pub fn string_bytes(literal: &tree::StringLiteral, types: &program::TypeTable) -> Vec<u8> {
    let element = match types.get(literal.ty) {
        Type::Array(element, _) => types.size_of(element.id).unwrap_or(1),
        _ => 1,
    };
    let bytes_of = |unit: &u32| unit.to_le_bytes().into_iter().take(element as usize).collect::<Vec<u8>>();
    literal.units.iter().flat_map(bytes_of).collect()
}
