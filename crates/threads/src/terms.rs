//! Small expressions over the variables that the sequential program adds.

use program::{BinaryOp, Expr, Place, Program, TypeId, VariableId};

/// Makes expressions of `int`.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The type `int`.
    pub int: TypeId,
}

impl Terms {
    /// A number.
    pub fn number(self, value: i64, program: &Program) -> Expr {
        Expr::integer(value as u128, self.int, &program.types)
    }

    /// What a variable of type `int` holds.
    pub fn value(self, id: VariableId) -> Expr {
        Expr::load(self.place(id))
    }

    /// A variable of type `int`.
    pub fn place(self, id: VariableId) -> Place {
        Place::variable(id, self.int)
    }

    /// A comparison or sum; comparisons are of type `int` whatever they compare.
    pub fn binary(self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let ty = if op.is_comparison() { self.int } else { left.ty };
        Expr { kind: program::ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
    }

    /// Does a place of an integer type hold that number?
    pub fn holds(self, place: &Place, number: i64, program: &Program) -> Expr {
        let right = Expr::integer(number as u128, place.ty.id, &program.types);
        self.binary(BinaryOp::Equal, Expr::load(place.clone()), right)
    }
}
