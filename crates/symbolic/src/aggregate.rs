//! Values of records and arrays: one term per scalar in them, in the order of
//! [`Meaning::leaves`](crate::Meaning::leaves).

use crate::state::State;
use crate::step::Encoder;
use logic::TermId;
use program::{Expr, ExprKind};
use std::rc::Rc;

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A scalar.
    Scalar(TermId),
    /// The parts of a record or array, as many bits each as the part has bytes.
    Parts(Rc<[TermId]>),
    /// Nothing is known about it (an unknown was recorded), or there is none (`void`).
    Nothing,
}

impl Encoder<'_> {
    /// The value of an expression of any type.
    pub fn value(&mut self, state: &mut State, expr: &Expr) -> Value {
        let types = &self.meaning.program.types;
        if types.is_scalar(expr.ty) {
            return Value::Scalar(self.scalar(state, expr));
        }
        match &expr.kind {
            ExprKind::Load(place) => self.load(state, place),
            ExprKind::Zero => match self.meaning.leaves(expr.ty) {
                Some(leaves) => {
                    let zero = |leaf: &crate::meaning::Leaf| self.terms.number(leaf.bytes as u32 * 8, 0);
                    Value::Parts(leaves.iter().map(zero).collect())
                }
                None => {
                    self.unknown("a value with too many parts");
                    Value::Nothing
                }
            },
            _ if matches!(types.get(expr.ty), program::Type::Void) => {
                if let ExprKind::Cast(operand) = &expr.kind {
                    self.value(state, operand);
                }
                Value::Nothing
            }
            _ => {
                self.unknown("complex or vector arithmetic");
                Value::Nothing
            }
        }
    }
}
