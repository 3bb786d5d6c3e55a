//! Expressions and conditions as terms. What an expression needs to be defined is collected on the way.

use super::conditions::Condition;
use super::encode::Encoder;
use logic::TermId;
use program::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, Type, TypeId, UnaryOp};
use symbolic::arithmetic;

/// Where the addresses of functions begin.
const FUNCTIONS: i128 = 0x7000_0000;

/// The function at an address, if one of so many is.
pub(super) fn function_at(address: u128, count: usize) -> Option<program::ProcedureId> {
    let offset = i128::try_from(address).ok()?.checked_sub(FUNCTIONS).filter(|offset| *offset >= 0)?;
    let index = usize::try_from(offset / 16).ok()?;
    (offset % 16 == 0 && index < count).then(|| base::Id::from_index(index))
}

impl Encoder<'_> {
    pub(super) fn condition(&mut self, condition: &Condition) -> TermId {
        match condition {
            Condition::Constant(value) => self.pool.bool(*value),
            Condition::Test(expr) => self.truth(expr),
            Condition::Not(inner) => {
                let inner = self.condition(inner);
                self.pool.not(inner)
            }
            Condition::All(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.condition(part)).collect();
                self.pool.all_of(&parts)
            }
            Condition::Any(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.condition(part)).collect();
                self.pool.any_of(&parts)
            }
            Condition::Room { at, bytes, is_written } => self.room(at, bytes, *is_written),
            Condition::Apart { one, other } => self.apart(one, other),
        }
    }

    /// Is the scalar unequal to zero?
    fn truth(&mut self, expr: &Expr) -> TermId {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.truth(operand);
                self.pool.not(operand)
            }
            ExprKind::Binary(operator, left, right) if operator.is_comparison() => {
                self.comparison(*operator, left, right)
            }
            ExprKind::Cast(operand) if self.is_widening(operand.ty, expr.ty) => self.truth(operand),
            _ if self.memory.types.integer_shape(expr.ty).is_some() => {
                let value = self.value(expr);
                self.pool.is_nonzero(value)
            }
            _ => {
                let bit = self.untracked(1);
                self.pool.is_nonzero(bit)
            }
        }
    }

    fn is_widening(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.memory.types;
        match (types.integer_shape(from), types.integer_shape(to)) {
            (Some(from), Some(to)) => from.width <= to.width || to.width == 1,
            _ => false,
        }
    }

    fn comparison(&mut self, operator: BinaryOp, left: &Expr, right: &Expr) -> TermId {
        let Some(shape) = self.memory.types.integer_shape(left.ty) else {
            let bit = self.untracked(1);
            return self.pool.is_nonzero(bit);
        };
        let (left, right) = (self.value(left), self.value(right));
        arithmetic::comparison(&mut self.pool, operator, left, right, shape.signed)
    }

    /// The bits of a scalar that is no float.
    pub(super) fn value(&mut self, expr: &Expr) -> TermId {
        let Some(shape) = self.memory.types.integer_shape(expr.ty) else { return self.untracked(64) };
        match &expr.kind {
            ExprKind::Integer(bits) => self.pool.number(shape.width, *bits as i128),
            ExprKind::Load(place) => self.load(place, shape.width),
            ExprKind::AddressOf(place) => self.address(place),
            ExprKind::FunctionAddress(procedure) => {
                let index = base::Id::index(*procedure) as i128;
                self.pool.number(shape.width, FUNCTIONS + 16 * index)
            }
            ExprKind::Unary(UnaryOp::Not, _) => {
                let truth = self.truth(expr);
                self.pool.bool_to_bits(truth, shape.width)
            }
            ExprKind::Unary(operator, operand) => {
                let operand = self.value(operand);
                if *operator == UnaryOp::BitNot {
                    return self.pool.bvnot(operand);
                }
                if shape.signed {
                    let leaves = self.pool.sneg_overflow(operand);
                    let stays = self.pool.not(leaves);
                    self.defined.push(stays);
                }
                self.pool.bvneg(operand)
            }
            ExprKind::Binary(operator, left, right) if operator.is_comparison() => {
                let truth = self.comparison(*operator, left, right);
                self.pool.bool_to_bits(truth, shape.width)
            }
            ExprKind::Binary(operator, left, right) => self.arithmetic(*operator, left, right, shape.signed),
            ExprKind::Cast(operand) => self.cast(operand, expr.ty, shape.width),
            ExprKind::PointerOffset { pointer, index } => {
                let stride =
                    self.memory.types.pointee(pointer.ty).and_then(|to| self.memory.types.size_of(to.id));
                let pointer = self.value(pointer);
                let by = self.scaled(index, stride.unwrap_or(1));
                self.pool.bvadd(pointer, by)
            }
            ExprKind::PointerDifference(left, right) => {
                let size = self.memory.types.pointee(left.ty).and_then(|to| self.memory.types.size_of(to.id));
                let (left, right) = (self.value(left), self.value(right));
                let bytes = self.pool.bvsub(left, right);
                let size = self.pool.number(shape.width, i128::from(size.unwrap_or(1).max(1)));
                self.pool.bvsdiv(bytes, size)
            }
            ExprKind::Float(_) | ExprKind::Zero => self.untracked(shape.width),
        }
    }

    fn load(&mut self, place: &Place, width: u32) -> TermId {
        let resolved = self.memory.resolve(place);
        let spots = self.accessed(&resolved);
        if place.ty.qualifiers.is_volatile {
            return self.input(width, "a volatile variable", super::InputRole::Untracked);
        }
        let mut value =
            if resolved.is_unknown || spots.is_empty() { Some(self.untracked(width)) } else { None };
        for (spot, chosen) in spots.into_iter().rev() {
            let Some(own) = self.read_spot(&spot) else { continue };
            value = Some(match value {
                Some(other) => self.pool.ite(chosen, own, other),
                None => own,
            });
        }
        value.unwrap_or_else(|| self.untracked(width))
    }

    fn address(&mut self, place: &Place) -> TermId {
        let (mut address, mut ty) = match &place.base {
            PlaceBase::Variable(root) => (self.root_address(*root), self.memory.roots[*root].ty),
            PlaceBase::Pointer(pointer) => {
                let to = self.memory.types.pointee(pointer.ty).map_or(place.ty.id, |to| to.id);
                (self.value(pointer), to)
            }
        };
        let width = self.pool.width(address);
        for step in &place.path {
            let by = match step {
                Projection::Field(record, index) => {
                    let definition = &self.memory.types.records[*record];
                    let layout = definition.layout.as_ref().map(|layout| layout.fields[*index as usize]);
                    let offset = layout.map_or(0, |layout| layout.byte_offset());
                    if let Some(fields) = &definition.fields {
                        ty = fields[*index as usize].ty.id;
                    }
                    self.pool.number(width, i128::from(offset))
                }
                Projection::Index(index) => {
                    if let Type::Array(element, _) = self.memory.types.get(ty) {
                        ty = element.id;
                    }
                    let stride = self.memory.types.size_of(ty).unwrap_or(1);
                    self.scaled(index, stride)
                }
            };
            address = self.pool.bvadd(address, by);
        }
        address
    }

    fn scaled(&mut self, index: &Expr, stride: u64) -> TermId {
        let width = self.memory.types.pointer_width();
        let is_signed = self.memory.types.integer_shape(index.ty).is_some_and(|shape| shape.signed);
        let index = self.value(index);
        let index = self.resized(index, width, is_signed);
        let stride = self.pool.number(width, i128::from(stride));
        self.pool.bvmul(index, stride)
    }

    pub(super) fn resized(&mut self, value: TermId, width: u32, is_signed: bool) -> TermId {
        arithmetic::converted(&mut self.pool, value, width, is_signed)
    }

    fn cast(&mut self, operand: &Expr, to: TypeId, width: u32) -> TermId {
        if matches!(self.memory.types.get(to), Type::Bool) {
            let truth = self.truth(operand);
            return self.pool.bool_to_bits(truth, 1);
        }
        let Some(from) = self.memory.types.integer_shape(operand.ty) else { return self.untracked(width) };
        let value = self.value(operand);
        self.resized(value, width, from.signed)
    }

    fn arithmetic(&mut self, operator: BinaryOp, left: &Expr, right: &Expr, is_signed: bool) -> TermId {
        let right_signed = self.memory.types.integer_shape(right.ty).is_some_and(|shape| shape.signed);
        let (a, b) = (self.value(left), self.value(right));
        let b = match operator {
            BinaryOp::Divide | BinaryOp::Remainder => {
                let divides = self.pool.is_nonzero(b);
                self.defined.push(divides);
                b
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let (width, own) = (self.pool.width(a), self.pool.width(b));
                let most = self.pool.number(own, i128::from(width));
                let fits = self.pool.ult(b, most);
                self.defined.push(fits);
                self.resized(b, width, right_signed)
            }
            _ => b,
        };
        let overflow = is_signed.then(|| arithmetic::signed_overflow(&mut self.pool, operator, a, b));
        let value = arithmetic::operation(&mut self.pool, operator, a, b, is_signed);
        if let Some(overflow) = overflow.flatten() {
            let stays = self.pool.not(overflow);
            self.defined.push(stays);
        }
        value
    }
}
