//! Conversions of floating constants to integers that do not fit. C leaves them undefined; compilers compute them, and
//! take the nearest number of the type, where the instruction for values that are not known gives another. So a run
//! that gets to one has no known meaning; `run` reports the conversion itself.

use crate::function::FunctionLowering;
use base::Span;
use csource::sema::is_constant;
use csource::tree::{self, ExprKind as Tree};
use program::{BinaryOp, Expr, ExprKind, FloatKind, Origin, TypeId, TypeTable};

const WHY: &str =
    "a floating constant converted to an integer type that it does not fit in, which C leaves undefined,";

/// Is a floating value converted to an integer somewhere in it?
pub(crate) fn converts_float(expr: &tree::Expr, types: &TypeTable) -> bool {
    match &expr.kind {
        Tree::Cast { operand, .. } => {
            types.float_kind(operand.ty.id).is_some() && types.is_integer(expr.ty.id)
                || converts_float(operand, types)
        }
        Tree::Unary(_, operand) => converts_float(operand, types),
        Tree::Binary(_, one, two) | Tree::LogicalAnd(one, two) | Tree::LogicalOr(one, two) => {
            converts_float(one, types) || converts_float(two, types)
        }
        Tree::Conditional(test, one, two) => {
            [test, one, two].into_iter().any(|part| converts_float(part, types))
        }
        _ => false,
    }
}

impl FunctionLowering<'_> {
    /// The conversion of a scalar, which is that of `operand`. Past a constant that does not fit nothing is known.
    pub(crate) fn convert_operand(
        &mut self,
        value: Expr,
        operand: &tree::Expr,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        let types = &self.linker.session.types;
        let shape = types.integer_shape(ty).filter(|_| types.is_integer(ty) && !is_truth_type(ty, types));
        let (Some(shape), Some(kind)) = (shape, types.float_kind(operand.ty.id)) else {
            return self.convert(value, ty);
        };
        let is_users = self.linker.procedures[self.procedure].origin == Origin::User;
        // Beyond the type, as numbers that each format represents: the least above it, and below it either the greatest
        // or, where the format has no such number, none.
        let above = 2_f64.powi(shape.width as i32 - i32::from(shape.signed));
        let digits = if kind == FloatKind::Float { 24 } else { 53 };
        let (below, at_least) = match shape.signed {
            false => (-1.0, BinaryOp::Greater),
            true if shape.width <= digits => (-above - 1.0, BinaryOp::Greater),
            true => (-above, BinaryOp::GreaterEqual),
        };
        let fits = |literal: f64| below < literal && literal < above;
        if !is_users
            || kind == FloatKind::Float128
            || shape.width > 64
            || self.literal(operand).is_some_and(fits)
            || !self.may_be_constant(operand)
        {
            return self.convert(value, ty);
        }
        let value = self.frozen(value, span);
        let fitting = self.graph.add_node(span);
        let other = self.graph.add_node(span);
        let middle = self.graph.add_node(span);
        let low = self.compared(at_least, &value, below);
        self.branch_on(low, middle, other, span);
        self.current = middle;
        let high = self.compared(BinaryOp::Less, &value, above);
        self.branch_on(high, fitting, other, span);
        self.current = other;
        let converted = self.convert(value.clone(), ty);
        self.save(converted, span);
        self.unsupported(WHY, span);
        self.emit_to(fitting, program::Action::Skip, span);
        self.current = fitting;
        self.convert(value, ty)
    }

    fn compared(&mut self, op: BinaryOp, value: &Expr, with: f64) -> Expr {
        let double = self.linker.session.types.float(FloatKind::Double);
        let number = Expr { kind: ExprKind::Float(u128::from(with.to_bits())), ty: double };
        let number = self.convert(number, value.ty);
        let kind = ExprKind::Binary(op, Box::new(value.clone()), Box::new(number));
        Expr { kind, ty: self.int() }
    }

    /// The number that is written there.
    fn literal(&self, expr: &tree::Expr) -> Option<f64> {
        match (&expr.kind, self.linker.session.types.float_kind(expr.ty.id)?) {
            (Tree::Float(bits), FloatKind::Float) => Some(f64::from(f32::from_bits(*bits as u32))),
            (Tree::Float(bits), FloatKind::Double) => Some(f64::from_bits(*bits as u64)),
            (Tree::Unary(tree::UnaryOp::Negate, operand), _) => self.literal(operand).map(|number| -number),
            _ => None,
        }
    }

    /// May GCC know the value, or that of a part that is chosen?
    fn may_be_constant(&self, expr: &tree::Expr) -> bool {
        let types = &self.linker.session.types;
        is_constant(types, &self.linker.units[self.unit].unit, expr)
            || match &expr.kind {
                Tree::Conditional(_, one, two) => self.may_be_constant(one) || self.may_be_constant(two),
                Tree::ConditionalOrElse(one, two) => self.may_be_constant(one) || self.may_be_constant(two),
                Tree::Comma(_, last) => self.may_be_constant(last),
                Tree::Unary(_, operand) | Tree::Cast { operand, .. } => self.may_be_constant(operand),
                Tree::Binary(_, one, two) => self.may_be_constant(one) && self.may_be_constant(two),
                Tree::Call { callee, arguments } => {
                    let unit = &self.linker.units[self.unit].unit;
                    let is_known = crate::call::direct_callee(callee)
                        .is_some_and(|function| unit.functions[function].body.is_none());
                    is_known && arguments.iter().all(|argument| is_constant(types, unit, argument))
                }
                Tree::Builtin { arguments, .. } => {
                    let unit = &self.linker.units[self.unit].unit;
                    arguments.iter().all(|argument| is_constant(types, unit, argument))
                }
                _ => false,
            }
    }
}

fn is_truth_type(ty: TypeId, types: &TypeTable) -> bool {
    types.get(ty) == &program::Type::Bool
}
