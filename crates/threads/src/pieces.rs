//! Accesses that are several steps: copies of records member by member, bit-fields by the unit that holds them,
//! `memcpy` and its relatives where the size is a known small number, `strcpy` of a short literal.
//!
//! A store to a bit-field loads and stores the smallest aligned unit that covers it, as gcc does without optimisation:
//! what another thread writes to its neighbours in between is lost. What is not divided here (unions, members wider
//! than a word, large or unknown sizes) stays whole, and is told by [`crate::split::is_whole`].

use crate::split::Splitter;
use base::Span;
use program::types::ArrayLength;
use program::{
    Action, BinaryOp, Callee, Edge, Expr, ExprKind, IntegerKind, Known, NodeId, Origin, Place, PlaceBase,
    Projection, RecordKind, Type, TypeId, VariableKind,
};

/// Members of a record, or bytes, that are copied one by one.
const MOST_PIECES: usize = 16;

/// The unit that holds a bit-field.
struct Unit {
    place: Place,
    /// Bits below the field.
    shift: u64,
    width: u64,
    /// The type that is computed in, and its bits.
    wide: TypeId,
    bits: u64,
}

impl Splitter<'_> {
    /// A step of its own.
    pub fn emit(&mut self, action: Action, at: &mut NodeId, span: Span) {
        let next = self.graph.add_node(span);
        self.graph.add_edge(*at, next, action, span);
        *at = next;
    }

    /// Copies a record member by member; the last step, if that can be done.
    pub fn copy_in_pieces(
        &mut self,
        target: &Place,
        value: &Expr,
        at: &mut NodeId,
        span: Span,
    ) -> Option<Action> {
        if self.divided.types.is_scalar(target.ty.id) {
            return None;
        }
        let ExprKind::Load(source) = &value.kind else { return None };
        let (reads, writes) = ((self.is_shared)(source), (self.is_shared)(target));
        if !reads && !writes {
            return None;
        }
        // An atomic record is loaded or stored as a whole, whatever its size.
        if (reads && source.ty.qualifiers.is_atomic) || (writes && target.ty.qualifiers.is_atomic) {
            return None;
        }
        let leaves = self.leaves(target.ty.id)?;
        let source = self.local_place(source, at, span);
        let target = self.local_place(target, at, span);
        for (path, ty) in leaves {
            let part = |place: &Place| {
                let path = place.path.iter().chain(&path).cloned().collect();
                Place { base: place.base.clone(), path, ty: ty.into() }
            };
            let mut value = Expr::load(part(&source));
            if reads && writes {
                value = self.keep(value, at, span);
            }
            self.emit(Action::Assign { target: part(&target), value }, at, span);
        }
        Some(Action::Skip)
    }

    /// The scalars of a type that a word can hold, in order; nothing where they are not all there is.
    fn leaves(&self, ty: TypeId) -> Option<Vec<(Vec<Projection>, TypeId)>> {
        let mut found = Vec::new();
        self.add_leaves(ty, &mut Vec::new(), &mut found)?;
        Some(found)
    }

    fn add_leaves(
        &self,
        ty: TypeId,
        path: &mut Vec<Projection>,
        found: &mut Vec<(Vec<Projection>, TypeId)>,
    ) -> Option<()> {
        let types = &self.divided.types;
        if found.len() >= MOST_PIECES {
            return None;
        }
        if let Some(record) = types.record_id(ty) {
            let definition = &types.records[record];
            if definition.kind == RecordKind::Union {
                return None;
            }
            let layout = definition.layout.as_ref()?;
            for (index, (field, at)) in definition.fields.as_ref()?.iter().zip(&layout.fields).enumerate() {
                if at.bit_width.is_some() {
                    return None;
                }
                path.push(Projection::Field(record, index as u32));
                self.add_leaves(field.ty.id, path, found)?;
                path.pop();
            }
            return Some(());
        }
        match types.get(ty) {
            Type::Array(of, ArrayLength::Known(length)) => {
                let int = types.find(&Type::Integer(IntegerKind::Int))?;
                for index in 0..*length {
                    let at = Expr::integer(u128::from(index), int, types);
                    path.push(Projection::Index(Box::new(at)));
                    self.add_leaves(of.id, path, found)?;
                    path.pop();
                }
                Some(())
            }
            _ => {
                let word = u64::from(types.pointer_width() / 8);
                let is_whole = types.is_scalar(ty) && types.size_of(ty).is_some_and(|size| size <= word);
                is_whole.then(|| found.push((path.clone(), ty)))
            }
        }
    }

    /// The unit of a bit-field of a static variable.
    fn unit(&mut self, place: &Place) -> Option<Unit> {
        let layout = place.bit_field(&self.divided.types)?;
        let PlaceBase::Variable(variable) = place.base else { return None };
        if self.divided.variables[variable].kind != VariableKind::Global {
            return None;
        }
        let (width, offset) = (u64::from(layout.bit_width?), layout.bit_offset);
        let Some(Projection::Field(record, _)) = place.path.last() else { return None };
        let whole = self.divided.types.records[*record].layout.as_ref()?.size;
        let fits = |size: &u64| {
            let start = offset / (8 * size) * size;
            offset + width <= 8 * (start + size) && start + size <= whole
        };
        let size = [1, 2, 4, 8].into_iter().find(fits)?;
        let kind = match size {
            1 => IntegerKind::UnsignedChar,
            2 => IntegerKind::UnsignedShort,
            4 => IntegerKind::UnsignedInt,
            _ => IntegerKind::UnsignedLongLong,
        };
        if size > u64::from(self.divided.types.pointer_width() / 8) {
            return None;
        }
        let types = &mut self.divided.types;
        let unit = types.intern(Type::Integer(kind));
        let wide = types.intern(Type::Integer(IntegerKind::UnsignedLongLong));
        let to_unit = types.pointer(unit);
        let (int, record) = (types.int(), types.intern(Type::Record(*record)));
        let to_record = types.pointer(record);
        let mut path = place.path.clone();
        path.pop();
        let holder = Place { base: place.base.clone(), path, ty: record.into() };
        let address = Expr { kind: ExprKind::AddressOf(Box::new(holder)), ty: to_record }.cast(to_unit);
        let index = Expr::integer(u128::from(offset / (8 * size)), int, &self.divided.types);
        let kind = ExprKind::PointerOffset { pointer: Box::new(address), index: Box::new(index) };
        let place = Place::pointed_to_by(Expr { kind, ty: to_unit }, unit);
        Some(Unit { place, shift: offset % (8 * size), width, wide, bits: 64 })
    }

    fn wide(&self, unit: &Unit, value: u128) -> Expr {
        Expr::integer(value, unit.wide, &self.divided.types)
    }

    /// Stores a bit-field by its unit; the last step, if that can be done.
    pub fn store_bits(
        &mut self,
        target: &Place,
        value: &Expr,
        at: &mut NodeId,
        span: Span,
    ) -> Option<Action> {
        self.unit(target)?;
        let target = self.local_place(target, at, span);
        let unit = self.unit(&target)?;
        let value = self.local(value, at, span);
        let old = self.keep(Expr::load(unit.place.clone()), at, span);
        let binary = |op, left: Expr, right: Expr| {
            let ty = left.ty;
            Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
        };
        let low = (1u128 << unit.width) - 1;
        let others = self.wide(&unit, !(low << unit.shift) & u128::from(u64::MAX));
        let kept = binary(BinaryOp::BitAnd, old.cast(unit.wide), others);
        let own = binary(BinaryOp::BitAnd, value.cast(unit.wide), self.wide(&unit, low));
        let placed = binary(BinaryOp::ShiftLeft, own, self.wide(&unit, u128::from(unit.shift)));
        let value = binary(BinaryOp::BitOr, kept, placed).cast(unit.place.ty.id);
        Some(Action::Assign { target: unit.place, value })
    }

    /// Loads a bit-field from its unit.
    pub fn load_bits(&mut self, place: &Place, at: &mut NodeId, span: Span) -> Option<Expr> {
        let unit = self.unit(place)?;
        let types = &mut self.divided.types;
        let is_signed = types.integer_shape(place.ty.id).is_some_and(|shape| shape.signed);
        let signed = types.intern(Type::Integer(IntegerKind::LongLong));
        let loaded = self.keep(Expr::load(unit.place.clone()), at, span).cast(unit.wide);
        let binary = |op, left: Expr, right: Expr| {
            let ty = left.ty;
            Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
        };
        let up = self.wide(&unit, u128::from(unit.bits - unit.shift - unit.width));
        let mut value = binary(BinaryOp::ShiftLeft, loaded, up);
        if is_signed {
            value = value.cast(signed);
        }
        let down = Expr::integer(u128::from(unit.bits - unit.width), value.ty, &self.divided.types);
        Some(binary(BinaryOp::ShiftRight, value, down).cast(place.ty.id))
    }

    /// `strcpy` of a short string literal, which nobody else writes; the last step, if that can be done.
    pub fn copy_literal(&mut self, edge: &Edge, at: &mut NodeId) -> Option<Action> {
        let Action::Call { result, callee: Callee::Direct(callee), arguments } = &edge.action else {
            return None;
        };
        let procedure = &self.divided.procedures[*callee];
        let [to, from] = &arguments[..] else { return None };
        if procedure.origin != Origin::Model || &*procedure.name != "strcpy" || !is_whole_object(from) {
            return None;
        }
        let mut text = self.divided.literal_text(from)?.into_bytes();
        text.push(0);
        let types = &mut self.divided.types;
        let byte = types.intern(Type::Integer(IntegerKind::UnsignedChar));
        let (int, to_byte) = (types.int(), types.pointer(byte));
        let whole = Place::pointed_to_by(to.clone().cast(to_byte), byte);
        if text.len() > MOST_PIECES || !(self.is_shared)(&whole) {
            return None;
        }
        let span = edge.span;
        let to = self.local(to, at, span);
        let kept = self.keep(to.cast(to_byte), at, span);
        for (index, character) in text.into_iter().enumerate() {
            let index = Expr::integer(index as u128, int, &self.divided.types);
            let kind = ExprKind::PointerOffset { pointer: Box::new(kept.clone()), index: Box::new(index) };
            let target = Place::pointed_to_by(Expr { kind, ty: to_byte }, byte);
            let value = Expr::integer(u128::from(character), byte, &self.divided.types);
            self.emit(Action::Assign { target, value }, at, span);
        }
        Some(match result {
            Some(result) => {
                let target = self.local_place(result, at, span);
                Action::Assign { value: kept.cast(target.ty.id), target }
            }
            None => Action::Skip,
        })
    }

    /// `memcpy`, `memmove`, `memset` of few bytes; the last step, if that can be done.
    pub fn move_bytes(&mut self, edge: &Edge, at: &mut NodeId) -> Option<Action> {
        let Action::Call { result, callee: Callee::Direct(callee), arguments } = &edge.action else {
            return None;
        };
        let procedure = &self.divided.procedures[*callee];
        let known = procedure.known.filter(|_| procedure.has_direct_meaning())?;
        if !matches!(known, Known::MemoryCopy | Known::MemoryMove | Known::MemorySet) {
            return None;
        }
        let [to, from, size] = &arguments[..] else { return None };
        let size = crate::cells::uncast(size).as_integer().filter(|&size| size <= MOST_PIECES as u128)?;
        let types = &mut self.divided.types;
        let byte = types.intern(Type::Integer(IntegerKind::UnsignedChar));
        let (int, to_byte) = (types.int(), types.pointer(byte));
        let whole = |pointer: &Expr| Place::pointed_to_by(pointer.clone().cast(to_byte), byte);
        let is_set = known == Known::MemorySet;
        let (writes, reads) = ((self.is_shared)(&whole(to)), !is_set && (self.is_shared)(&whole(from)));
        if !reads && !writes || (known == Known::MemoryCopy && (self.may_alias)(&whole(to), &whole(from))) {
            return None;
        }
        let span = edge.span;
        let to = self.local(to, at, span);
        let from = self.local(from, at, span);
        let to_kept = self.keep(to.cast(to_byte), at, span);
        let from_kept = match is_set {
            true => self.keep(from.cast(byte), at, span),
            false => self.keep(from.cast(to_byte), at, span),
        };
        let piece = |splitter: &Self, pointer: &Expr, index: u128| {
            let index = Expr::integer(index, int, &splitter.divided.types);
            let kind = ExprKind::PointerOffset { pointer: Box::new(pointer.clone()), index: Box::new(index) };
            Place::pointed_to_by(Expr { kind, ty: to_byte }, byte)
        };
        let load = |splitter: &mut Self, index: u128, at: &mut NodeId| match is_set {
            true => from_kept.clone(),
            false => {
                let value = Expr::load(piece(splitter, &from_kept, index));
                splitter.keep(value, at, span)
            }
        };
        let mut loaded = Vec::new();
        for index in (0..size).filter(|_| known == Known::MemoryMove) {
            loaded.push(load(self, index, at));
        }
        for index in 0..size {
            let value = match loaded.get(index as usize) {
                Some(value) => value.clone(),
                None => load(self, index, at),
            };
            let target = piece(self, &to_kept, index);
            self.emit(Action::Assign { target, value }, at, span);
        }
        Some(match result {
            Some(result) => {
                let target = self.local_place(result, at, span);
                Action::Assign { value: to_kept.cast(target.ty.id), target }
            }
            None => Action::Skip,
        })
    }
}

/// Is it the address where an object begins?
fn is_whole_object(pointer: &Expr) -> bool {
    let ExprKind::AddressOf(place) = &crate::cells::uncast(pointer).kind else { return false };
    match &place.path[..] {
        [] => true,
        [Projection::Index(index)] => index.as_integer() == Some(0),
        _ => false,
    }
}
