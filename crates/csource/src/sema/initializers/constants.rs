//! What a static object may be initialised with: numbers and addresses known before the program runs.

use super::super::analyser::Analyser;
use super::super::fold::Constant;
use crate::tree::{Expr, ExprKind, Initializer, PartValue, Storage};
use crate::types::TypeId;

impl Analyser<'_> {
    /// Every value of a static initialiser must be known before the program runs.
    pub fn check_static_initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Value(value) => self.check_static_value(value),
            Initializer::String(_) => {}
            Initializer::Parts(parts) => {
                for part in parts {
                    if let PartValue::Expr(value) = &part.value {
                        self.check_static_value(value);
                    }
                }
            }
        }
    }

    fn check_static_value(&mut self, value: &Expr) {
        if !self.is_static_constant(value) {
            let message = "the initial value of a static object must be a constant";
            let hint = "assign the value in a function that runs first";
            self.error_with_hint("not-constant", value.span, message, hint);
        } else if matches!(value.kind, ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast { .. }) {
            self.constant_value(value); // for its warning
        }
    }

    /// A number, or an address plus a number.
    fn is_static_constant(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_) | ExprKind::LabelAddress(_) => {
                true
            }
            ExprKind::Unsupported(_) => true, // flagged or told already
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => self.has_static_address(lvalue),
            ExprKind::Cast { operand, .. } => {
                // An address cannot be cut when the program is loaded.
                let width = |ty: TypeId| self.shape(ty).map_or(0, |shape| shape.width);
                let is_cut = self.types().is_pointer(operand.ty.id) && width(e.ty.id) < width(operand.ty.id);
                if is_cut { self.fold_initializer(e).is_some() } else { self.is_static_constant(operand) }
            }
            ExprKind::PointerAdd { pointer, index, .. } => {
                self.is_static_constant(pointer) && self.is_static_constant(index)
            }
            ExprKind::Binary(_, a, b) | ExprKind::PointerDifference(a, b) => {
                self.is_static_constant(a) && self.is_static_constant(b)
            }
            ExprKind::Unary(_, operand) => self.is_static_constant(operand),
            ExprKind::Conditional(c, a, b) => match self.fold_initializer(c) {
                Some(_) => self.chosen_is_static(c, a, b),
                None => {
                    self.is_static_constant(c) && self.is_static_constant(a) && self.is_static_constant(b)
                }
            },
            _ => self.fold_initializer(e).is_some(),
        }
    }

    fn chosen_is_static(&self, c: &Expr, a: &Expr, b: &Expr) -> bool {
        match self.fold_initializer(c) {
            Some(Constant::Integer(bits)) => self.is_static_constant(if bits != 0 { a } else { b }),
            _ => false,
        }
    }

    fn has_static_address(&self, lvalue: &Expr) -> bool {
        match &lvalue.kind {
            ExprKind::Variable(id) => {
                let variable = &self.unit.variables[*id];
                !matches!(variable.storage, Storage::Local | Storage::Parameter) && !variable.is_thread_local
            }
            ExprKind::String(_) | ExprKind::Function(_) => true,
            ExprKind::Member { base, .. } => self.has_static_address(base),
            ExprKind::Deref(pointer) => self.is_static_constant(pointer),
            _ => false,
        }
    }
}
