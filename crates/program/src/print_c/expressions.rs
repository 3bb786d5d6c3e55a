//! Values and places, with every conversion written out and every operator in parentheses: the text has exactly the
//! type the expression has, whatever C would do by itself.

use super::{Printer, constants};
use crate::types::{IntegerKind, RecordId, Type, TypeId};
use crate::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, UnaryOp};
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write_expr(expr, &mut out);
        out
    }

    pub(super) fn place(&self, place: &Place) -> String {
        let mut out = String::new();
        self.write_place(place, &mut out);
        out
    }

    pub(super) fn write_expr(&self, expr: &Expr, out: &mut String) {
        let types = &self.program.types;
        match &expr.kind {
            ExprKind::Integer(bits) if types.is_pointer(expr.ty) => {
                write!(out, "(({}){bits:#x}ul)", self.types.show(expr.ty)).expect("writing to a string");
            }
            ExprKind::Integer(bits) if types.is_integer(expr.ty) => {
                out.push_str(&constants::integer(*bits, expr.ty, types));
            }
            // Of a type that nothing computes with (complex numbers, vectors): it stands behind something unsupported.
            ExprKind::Integer(bits) => {
                let ty = self.types.show(expr.ty);
                match types.get(expr.ty) {
                    Type::Vector(..) => write!(out, "(({ty}){{{bits}}})"),
                    _ => write!(out, "(({ty}){bits})"),
                }
                .expect("writing to a string");
            }
            ExprKind::Float(bits) => {
                let kind = types.float_kind(expr.ty).expect("a floating constant has a floating type");
                out.push_str(&constants::float(*bits, kind));
            }
            ExprKind::Zero if types.is_scalar(expr.ty) => {
                write!(out, "(({})0)", self.types.show(expr.ty)).expect("writing to a string");
            }
            ExprKind::Zero => {
                write!(out, "(({}){{}})", self.types.show(expr.ty)).expect("writing to a string");
            }
            // A bit-field promotes by its width, so its declared type is said.
            ExprKind::Load(place) if place.bit_field(types).is_some() => {
                write!(out, "(({})", self.types.show(expr.ty)).expect("writing to a string");
                self.write_place(place, out);
                out.push(')');
            }
            ExprKind::Load(place) => self.write_place(place, out),
            ExprKind::AddressOf(place) => {
                write!(out, "(({})", self.types.show(expr.ty)).expect("writing to a string");
                match &place.base {
                    PlaceBase::Pointer(pointer) if place.path.is_empty() => self.write_expr(pointer, out),
                    _ => {
                        out.push('&');
                        self.write_place(place, out);
                    }
                }
                out.push(')');
            }
            ExprKind::FunctionAddress(id) => {
                let name = self.names.procedure(*id);
                write!(out, "(({}){name})", self.types.show(expr.ty)).expect("writing to a string");
            }
            ExprKind::Unary(op, operand) => self.narrowed(expr.ty, out, |out| {
                out.push_str(match op {
                    UnaryOp::Negate => "(-",
                    UnaryOp::BitNot => "(~",
                    UnaryOp::Not => "(!",
                });
                self.write_expr(operand, out);
                out.push(')');
            }),
            ExprKind::Binary(op, left, right) => self.narrowed(expr.ty, out, |out| {
                self.write_binary(*op, left, right, out);
            }),
            ExprKind::Cast(operand) => {
                write!(out, "(({})", self.types.show(expr.ty)).expect("writing to a string");
                self.write_expr(operand, out);
                out.push(')');
            }
            ExprKind::PointerOffset { pointer, index } => {
                out.push('(');
                self.write_expr(pointer, out);
                out.push_str(" + ");
                self.write_expr(index, out);
                out.push(')');
            }
            ExprKind::PointerDifference(left, right) => {
                out.push('(');
                self.write_expr(left, out);
                out.push_str(" - ");
                self.write_converted(right, left.ty, out);
                out.push(')');
            }
        }
    }

    fn write_binary(&self, op: BinaryOp, left: &Expr, right: &Expr, out: &mut String) {
        out.push('(');
        self.write_expr(left, out);
        write!(out, " {} ", op.symbol()).expect("writing to a string");
        let are_pointers = self.program.types.is_pointer(left.ty);
        if op.is_comparison() && are_pointers {
            self.write_converted(right, left.ty, out);
        } else {
            self.write_expr(right, out);
        }
        out.push(')');
    }

    fn write_converted(&self, expr: &Expr, to: TypeId, out: &mut String) {
        if expr.ty == to {
            return self.write_expr(expr, out);
        }
        write!(out, "(({})", self.types.show(to)).expect("writing to a string");
        self.write_expr(expr, out);
        out.push(')');
    }

    /// C computes in `int` at least; a narrower result is converted back.
    fn narrowed(&self, ty: TypeId, out: &mut String, write: impl FnOnce(&mut String)) {
        let is_narrow = match self.program.types.get(ty) {
            Type::Bool => true,
            Type::Integer(kind) => kind.rank() < IntegerKind::Int.rank(),
            Type::Enum(id) => {
                let underlying = self.program.types.enums[*id].underlying;
                self.program.types.size_of(underlying).is_some_and(|size| size < 4)
            }
            _ => false,
        };
        if is_narrow {
            write!(out, "(({})", self.types.show(ty)).expect("writing to a string");
        }
        write(out);
        if is_narrow {
            out.push(')');
        }
    }

    pub(super) fn write_place(&self, place: &Place, out: &mut String) {
        let types = &self.program.types;
        match &place.base {
            PlaceBase::Variable(id) => out.push_str(self.names.variable(*id)),
            PlaceBase::Pointer(pointer) => {
                let pointee = types.pointee(pointer.ty).map(|to| to.id);
                let start = match place.path.first() {
                    None => Some(place.ty.id),
                    Some(Projection::Field(record, _)) => self.record_type(*record),
                    Some(Projection::Index(_)) => pointee,
                };
                match start {
                    Some(start) if pointee != Some(start) => {
                        let target = crate::TypeRef { id: start, qualifiers: place.ty.qualifiers };
                        let through = self.types.declare(
                            target,
                            self.pointer_declarator(start),
                            super::Constness::Dropped,
                        );
                        write!(out, "(*({through})").expect("writing to a string");
                    }
                    _ => out.push_str("(*"),
                }
                self.write_expr(pointer, out);
                out.push(')');
            }
        }
        for step in &place.path {
            match step {
                Projection::Field(record, index) => {
                    out.push('.');
                    out.push_str(&self.types.field_name(*record, *index));
                }
                Projection::Index(index) => {
                    out.push('[');
                    self.write_expr(index, out);
                    out.push(']');
                }
            }
        }
    }

    fn record_type(&self, record: RecordId) -> Option<TypeId> {
        self.program.types.find(&Type::Record(record))
    }

    fn pointer_declarator(&self, to: TypeId) -> &'static str {
        match self.program.types.get(to) {
            Type::Array(..) | Type::Function(_) => "(*)",
            _ => "*",
        }
    }
}
