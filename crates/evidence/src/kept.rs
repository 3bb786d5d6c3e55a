//! Does gcc evaluate what the program says? Without optimisation it still leaves out values that nothing
//! depends on: `*p;`, `0 * a[i]`, `*p == *p`, `*p && 0`, `(*p & 1) == 2`. A harness must not rest on them.
//!
//! The answer errs to one side: where it is "surely", gcc reads and computes (measured by
//! `crates/concord/tests/suite/harness.rs`).

use program::expr::{Access, ExprPart};
use program::{
    Action, BinaryOp, EdgeId, Expr, ExprKind, Graph, NodeId, Place, PlaceBase, ProcedureId, Program,
};
use program::{Projection, UnaryOp, VariableId, VariableKind};

/// What must be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MustEvaluate {
    /// Every read of memory.
    Memory,
    /// All signed arithmetic.
    Arithmetic,
}

/// Temporaries of lowering are followed from one to the next so often.
const DEEPEST: usize = 8;

/// Does gcc evaluate all that is wanted of a step?
pub(crate) fn is_surely_evaluated(
    program: &Program,
    procedure: ProcedureId,
    edge: EdgeId,
    wanted: MustEvaluate,
) -> bool {
    let look = Look { program, procedure, wanted: What::Any(wanted) };
    look.at_step(edge, DEEPEST)
}

/// Does gcc need what is stored in a place?
pub(crate) fn is_surely_used(program: &Program, procedure: ProcedureId, target: &Place) -> bool {
    let look = Look { program, procedure, wanted: What::Any(MustEvaluate::Memory) };
    look.is_needed(target, DEEPEST)
}

/// What is looked for in expressions.
#[derive(Clone, Copy)]
enum What {
    Any(MustEvaluate),
    /// The value of a temporary.
    Temporary(VariableId),
}

struct Look<'p> {
    program: &'p Program,
    procedure: ProcedureId,
    wanted: What,
}

impl Look<'_> {
    fn body(&self) -> Option<&Graph> {
        self.program.procedures[self.procedure].body.as_ref()
    }

    fn at_step(&self, edge: EdgeId, depth: usize) -> bool {
        let Some(body) = self.body() else { return false };
        let step = &body.edges[edge];
        match &step.action {
            Action::Assign { target, value } => {
                let is_needed = !self.contains(value) || self.is_needed(target, depth);
                is_needed && self.is_sure(value) && self.is_sure_place(target)
            }
            Action::Assume { condition, .. } => {
                !self.contains(condition) || (self.is_sure(condition) && branches_differ(body, step.from))
            }
            Action::Call { arguments, .. } => arguments.iter().all(|argument| self.is_sure(argument)),
            Action::Return { value } => value.iter().all(|value| self.is_sure(value)),
            _ => false,
        }
    }

    /// Is the value of a target used? That of a temporary only if all that reads it needs it.
    fn is_needed(&self, target: &Place, depth: usize) -> bool {
        let Some(variable) = target.as_variable() else { return true };
        if self.program.variables[variable].kind != VariableKind::Temporary {
            return true;
        }
        let (Some(body), Some(depth)) = (self.body(), depth.checked_sub(1)) else { return false };
        let inner = Look { wanted: What::Temporary(variable), ..*self };
        let mut readers =
            body.edges.iter_enumerated().filter(|(_, edge)| inner.is_in(&edge.action)).peekable();
        readers.peek().is_some() && readers.all(|(id, _)| inner.at_step(id, depth))
    }

    fn is_in(&self, action: &Action) -> bool {
        let mut found = false;
        action.visit(&mut |part| found |= self.is_wanted(part));
        found
    }

    fn contains(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.visit(&mut |part| found |= self.is_wanted(part));
        found
    }

    fn is_wanted(&self, part: ExprPart<'_>) -> bool {
        match (self.wanted, part) {
            // What is `volatile` is always read.
            (What::Any(MustEvaluate::Memory), ExprPart::Place(place, Access::Read)) => {
                place.as_variable().is_none() && !place.ty.qualifiers.is_volatile
            }
            (What::Any(MustEvaluate::Arithmetic), ExprPart::Expr(expr)) => self.is_arithmetic(expr),
            (What::Temporary(variable), ExprPart::Place(place, Access::Read)) => {
                place.as_variable() == Some(variable)
            }
            _ => false,
        }
    }

    fn is_arithmetic(&self, expr: &Expr) -> bool {
        let is_signed = self.program.types.integer_shape(expr.ty).is_some_and(|shape| shape.signed);
        let is_op = matches!(
            expr.kind,
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, ..)
                | ExprKind::Unary(UnaryOp::Negate, _)
        );
        is_signed && is_op
    }

    fn is_sure_place(&self, place: &Place) -> bool {
        let base = match &place.base {
            PlaceBase::Variable(_) => true,
            PlaceBase::Pointer(pointer) => self.is_sure(pointer),
        };
        base && place.path.iter().all(|step| match step {
            Projection::Field(..) => true,
            Projection::Index(index) => self.is_sure(index),
        })
    }

    /// If the value of the expression is needed, is then all evaluated that is wanted in it?
    fn is_sure(&self, expr: &Expr) -> bool {
        if !self.contains(expr) {
            return true;
        }
        // What has only constants is computed when it is compiled.
        if matches!(self.wanted, What::Any(MustEvaluate::Arithmetic))
            && self.is_arithmetic(expr)
            && is_constant(expr)
        {
            return false;
        }
        match &expr.kind {
            ExprKind::Load(place) | ExprKind::AddressOf(place) => self.is_sure_place(place),
            ExprKind::Unary(_, operand) => self.is_sure(operand),
            ExprKind::Cast(operand) => {
                // `(unsigned char)(x * 2)` is computed in the narrow type.
                let shape = |expr: &Expr| self.program.types.integer_shape(expr.ty);
                let is_cut = match (shape(expr), shape(operand)) {
                    (Some(to), Some(from)) => !to.signed && to.width < from.width && to.width > 1,
                    _ => false,
                };
                let computes =
                    matches!(self.wanted, What::Any(MustEvaluate::Arithmetic)) || !is_plain(operand);
                !(is_cut && computes) && self.is_sure(operand)
            }
            ExprKind::Binary(op, left, right) => {
                // `x + x` is computed, and `x - x` is not.
                let is_doubled = matches!(op, BinaryOp::Add | BinaryOp::Multiply)
                    && is_plain(stripped(left))
                    && is_plain(stripped(right));
                let is_apart = is_doubled || !share_reads(left, right);
                is_apart
                    && self.is_sure(left)
                    && self.is_sure(right)
                    && self.matters_beside(*op, left, right)
                    && self.matters_beside(*op, right, left)
            }
            ExprKind::PointerOffset { pointer, index } => {
                !share_reads(pointer, index) && self.is_sure(pointer) && self.is_sure(index)
            }
            ExprKind::PointerDifference(left, right) => {
                !share_reads(left, right) && self.is_sure(left) && self.is_sure(right)
            }
            _ => true,
        }
    }

    /// Without casts that keep every value.
    fn unwidened<'e>(&self, expr: &'e Expr) -> &'e Expr {
        let shape = |expr: &Expr| self.program.types.integer_shape(expr.ty);
        match &expr.kind {
            ExprKind::Cast(operand) => match (shape(expr), shape(operand)) {
                (Some(to), Some(from))
                    if (to.width > from.width && (to.signed || !from.signed)) || to == from =>
                {
                    self.unwidened(operand)
                }
                _ => expr,
            },
            _ => expr,
        }
    }

    /// A sum or product of values of its own width, of which every result is possible.
    fn is_plain_sum(&self, expr: &Expr) -> bool {
        let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) =
            &expr.kind
        else {
            return false;
        };
        let is_part = |part: &Expr| {
            is_plain(part) || matches!(part.kind, ExprKind::Integer(_)) || self.is_plain_sum(part)
        };
        is_part(left) && is_part(right)
    }

    /// Does the result depend on `operand` (if it has something that is wanted), whatever the other operand
    /// is?
    fn matters_beside(&self, op: BinaryOp, operand: &Expr, other: &Expr) -> bool {
        let ExprKind::Integer(bits) = stripped(other).kind else { return true };
        if !self.contains(operand) {
            return true;
        }
        use BinaryOp::*;
        match op {
            Multiply | BitAnd => bits != 0,
            BitOr => false,
            Add | Subtract => {
                // `x + 1 - 1` becomes `x`.
                let is_sum = matches!(stripped(operand).kind, ExprKind::Binary(Add | Subtract, ..));
                !is_sum
            }
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
                // Comparisons that have one answer for all values of the type are left out; only plain reads
                // and sums of `int` and wider are surely none, with constants well inside.
                let inner = self.unwidened(operand);
                let Some(shape) = self.program.types.integer_shape(inner.ty) else {
                    return is_plain(inner); // pointers
                };
                let is_sum = shape.width >= 32 && self.is_plain_sum(inner);
                let width =
                    self.program.types.integer_shape(stripped(other).ty).map_or(128, |shape| shape.width);
                let value = signed(bits, width);
                let (least, most) = match shape.signed {
                    true => {
                        (-(1i128 << (shape.width.min(120) - 1)), (1i128 << (shape.width.min(120) - 1)) - 1)
                    }
                    false => (0, (1i128 << shape.width.min(120)) - 1),
                };
                let is_equality = matches!(op, Equal | NotEqual);
                let is_inside = match is_equality {
                    true => least <= value && value <= most,
                    false => least < value && value < most,
                };
                // `0 <= x` of an unsigned is always so; `0 < x` is not, but this is not told apart.
                (is_plain(inner) || is_sum) && is_inside
            }
            _ => true,
        }
    }
}

fn signed(bits: u128, width: u32) -> i128 {
    if width >= 128 { bits as i128 } else { ((bits << (128 - width)) as i128) >> (128 - width) }
}

/// The value before conversions, which gcc leaves out where they change nothing.
fn stripped(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(operand) => stripped(operand),
        _ => expr,
    }
}

fn is_plain(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Load(_))
}

fn is_constant(expr: &Expr) -> bool {
    let mut reads = false;
    expr.visit(&mut |part| reads |= matches!(part, ExprPart::Place(..)));
    !reads
}

/// Do two operands compute with the value of the same place? Then one may cancel the other.
fn share_reads(left: &Expr, right: &Expr) -> bool {
    let (mut places, mut others) = (Vec::new(), Vec::new());
    values_of(left, &mut places);
    values_of(right, &mut others);
    places.iter().any(|place| others.contains(place))
}

/// The places whose values an expression computes with; not those that only tell where to read.
fn values_of<'e>(expr: &'e Expr, places: &mut Vec<&'e Place>) {
    match &expr.kind {
        ExprKind::Load(place) => places.push(place),
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => values_of(operand, places),
        ExprKind::Binary(_, left, right) | ExprKind::PointerDifference(left, right) => {
            values_of(left, places);
            values_of(right, places);
        }
        ExprKind::PointerOffset { pointer, index } => {
            values_of(pointer, places);
            values_of(index, places);
        }
        _ => {}
    }
}

/// Does it matter which way a branch goes? `*p && 0` and `*p ? 1 : 1` are not asked.
fn branches_differ(body: &Graph, node: NodeId) -> bool {
    let ways: Vec<&program::Edge> = body.edges.iter().filter(|edge| edge.from == node).collect();
    let [one, two] = ways[..] else { return true };
    let (left, right) = (behind(body, one.to), behind(body, two.to));
    if left == right {
        return false;
    }
    let next = |node: NodeId| {
        let mut out = body.edges.iter().filter(|edge| edge.from == node);
        let first = out.next()?;
        out.next().is_none().then_some(first)
    };
    match (next(left), next(right)) {
        (Some(one), Some(two)) => one.action != two.action || behind(body, one.to) != behind(body, two.to),
        _ => true,
    }
}

/// The node after steps that do nothing.
fn behind(body: &Graph, mut node: NodeId) -> NodeId {
    for _ in 0..16 {
        let mut out = body.edges.iter().filter(|edge| edge.from == node);
        match (out.next(), out.next()) {
            (Some(edge), None) if edge.action == Action::Skip => node = edge.to,
            _ => break,
        }
    }
    node
}
