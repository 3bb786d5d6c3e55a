//! Expressions: names resolved, types given, conversions made explicit.
//!
//! Each kind has its own function, so that the frame of the recursion itself stays small.

mod assign;
mod binary;
mod calls;
mod conditional;
mod literals;
mod members;
mod names;
mod sizes;
mod unary;

pub(super) use assign::Purpose;

use super::analyser::{Analyser, expr};
use crate::syntax::{self, BinaryOperator, ExprKind as Written};
use crate::tree::{Block, Expr, ExprKind, FlagKind, Statement, StatementKind};
use base::Span;

impl Analyser<'_> {
    /// The expression with its type; arrays and functions are not decayed.
    pub fn expr(&mut self, e: &syntax::Expr) -> Expr {
        let span = e.span;
        match &e.kind {
            Written::Name(name) => self.name(*name, span),
            Written::Integer { value, is_decimal, suffix } => {
                self.integer(*value, *is_decimal, *suffix, span)
            }
            Written::Float { text, suffix, is_imaginary } => self.float(text, *suffix, *is_imaginary, span),
            Written::Character { value, encoding } => self.character(*value, *encoding, span),
            Written::String { units, encoding } => self.string(units, *encoding, span),
            Written::FunctionName => self.function_name(span),
            Written::Paren(inner) => self.expr(inner),
            Written::Index(base, index) => self.index(base, index, span),
            Written::Call(callee, arguments) => self.call(callee, arguments, span),
            Written::Member(base, name, name_span) => self.member(base, *name, *name_span, span),
            Written::Arrow(base, name, name_span) => self.arrow(base, *name, *name_span, span),
            Written::Unary(op, operand) => self.unary(*op, operand, span),
            Written::Binary(..) => self.binary_chain(e),
            Written::Assign(None, target, value) => self.assignment(target, value, span),
            Written::Assign(Some(op), target, value) => self.compound_assignment(*op, target, value, span),
            Written::Conditional(c, Some(a), b) => self.conditional(c, a, b, span),
            Written::Conditional(c, None, b) => self.conditional_or_else(c, b, span),
            Written::Comma(..) => self.comma_chain(e),
            Written::Cast(name, operand) => self.written_cast(name, operand, span),
            Written::CompoundLiteral(name, list) => self.compound_literal(name, list, span),
            Written::SizeofExpr(operand) => self.sizeof_expr(operand, span),
            Written::SizeofType(name) => self.sizeof_type(name, span),
            Written::AlignofExpr(operand) => self.alignof_expr(operand, span),
            Written::AlignofType(name) => self.alignof_type(name, span),
            Written::Generic(control, choices) => self.generic(control, choices, span),
            Written::Statement(block) => self.statement_expr(block, span),
            Written::LabelAddress(name, name_span) => self.label_address(*name, *name_span, span),
            Written::VaArg(list, name) => self.va_arg(list, name, span),
            Written::Offsetof(name, path) => self.offsetof(name, path, span),
            Written::TypesCompatible(a, b) => self.types_compatible(a, b, span),
            Written::Choose(c, a, b) => self.choose(c, a, b),
            Written::Error => self.error_expr(span),
        }
    }

    /// The expression as a value: arrays and functions decayed.
    pub fn value(&mut self, e: &syntax::Expr) -> Expr {
        let typed = self.expr(e);
        self.decay(typed)
    }

    /// Long sums are deep to the left: walked without recursion.
    fn binary_chain(&mut self, e: &syntax::Expr) -> Expr {
        let mut pending: Vec<(BinaryOperator, &syntax::Expr, Span)> = Vec::new();
        let mut at = e;
        while let Written::Binary(op, left, right) = &at.kind {
            pending.push((*op, right, at.span));
            at = left;
        }
        let mut left = self.expr(at);
        while let Some((op, right, span)) = pending.pop() {
            left = self.binary(op, left, right, span);
        }
        left
    }

    fn comma_chain(&mut self, e: &syntax::Expr) -> Expr {
        let mut pending: Vec<(&syntax::Expr, Span)> = Vec::new();
        let mut at = e;
        while let Written::Comma(left, right) = &at.kind {
            pending.push((right, at.span));
            at = left;
        }
        let mut left = self.expr(at);
        while let Some((right, span)) = pending.pop() {
            let first = self.decay(left);
            let right = self.value(right);
            let first = if self.is_special(first.ty.id) { self.refuse_special(first) } else { first };
            let ty = right.ty.id;
            left = expr(ExprKind::Comma(Box::new(first), Box::new(right)), ty, span);
        }
        left
    }

    /// `({ … })`: its value is the last expression statement's, a label before it looked through.
    fn statement_expr(&mut self, written: &syntax::Block, span: Span) -> Expr {
        if self.function.is_none() {
            let message = "a statement expression can only stand in a function";
            self.error("stray-statement", span, message);
            return self.error_expr(span);
        }
        let outer_lengths = std::mem::take(&mut self.pending_lengths);
        let mut block = self.block(written);
        self.pending_lengths = outer_lengths;
        while let Some(Statement { kind: StatementKind::Label(..), .. }) = block.statements.last() {
            let Some(Statement { kind: StatementKind::Label(id, body), span }) = block.statements.pop()
            else {
                break;
            };
            let empty =
                Statement { kind: StatementKind::Empty, span: Span::new(span.start, body.span.start) };
            block.statements.push(Statement { kind: StatementKind::Label(id, Box::new(empty)), span });
            block.statements.push(*body);
        }
        let ty = match block.statements.last() {
            Some(Statement { kind: StatementKind::Expr(last), .. }) => last.ty.id,
            _ => self.common.void,
        };
        expr(ExprKind::Statement(Box::new(block)), ty, span)
    }

    /// Evaluates the lengths that a type name in this expression asked for, before the expression itself.
    pub fn with_lengths(&mut self, known: usize, e: Expr) -> Expr {
        if self.pending_lengths.len() <= known {
            return e;
        }
        let lengths = self.pending_lengths.split_off(known);
        let (ty, span) = (e.ty.id, e.span);
        let statements = vec![
            Statement { kind: StatementKind::EvaluateLengths(lengths), span },
            Statement { kind: StatementKind::Expr(e), span },
        ];
        let block = Block { variables: Vec::new(), statements, span };
        expr(ExprKind::Statement(Box::new(block)), ty, span)
    }

    fn label_address(&mut self, name: base::Symbol, name_span: Span, span: Span) -> Expr {
        if self.function.is_none() {
            self.error("stray-label", span, "the address of a label can only be taken in its function");
            return self.error_expr(span);
        }
        self.flag(FlagKind::ComputedGoto, span, "the address of a label is not modelled");
        let id = self.use_label(name, name_span);
        if let Some(function) = &mut self.function {
            function.labels[id].address_taken = true;
        }
        expr(ExprKind::LabelAddress(id), self.common.void_pointer, span)
    }
}
