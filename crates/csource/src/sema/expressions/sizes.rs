//! `sizeof`, `_Alignof`, `offsetof`, compatibility of types, compound literals, `va_arg`.

use super::super::analyser::{Analyser, expr};
use crate::syntax::{self, Designator, InitializerList, TypeName};
use crate::tree::{BinaryOp, Expr, ExprKind, FlagKind};
use crate::types::{DataModel, Type, TypeId, TypeRef};
use base::Span;

impl Analyser<'_> {
    /// `sizeof e`: `e` is only evaluated when its size is computed at run time.
    pub fn sizeof_expr(&mut self, operand: &syntax::Expr, span: Span) -> Expr {
        let typed =
            self.without_evaluation(|this| this.expr(operand), |this, e| this.has_variable_size(e.ty.id));
        if matches!(typed.kind, ExprKind::Member { .. }) && self.bit_field_width(&typed).is_some() {
            self.error("bit-field", span, "a bit-field has no `sizeof`");
            return self.error_expr(span);
        }
        let ty = typed.ty.id;
        if self.has_variable_size(ty) && super::super::effects::has_effects(&typed) {
            let size = self.size_of_type(ty, span);
            let dropped = self.drop_value(typed);
            return expr(ExprKind::Comma(Box::new(dropped), Box::new(size)), self.common.size, span);
        }
        self.size_of_type(ty, span)
    }

    /// `sizeof(type)`
    pub fn sizeof_type(&mut self, name: &TypeName, span: Span) -> Expr {
        let lengths = self.pending_lengths.len();
        let ty = self.type_name(name).id;
        let size = self.size_of_type(ty, span);
        self.with_lengths(lengths, size)
    }

    fn size_of_type(&mut self, ty: TypeId, span: Span) -> Expr {
        match self.types().get(ty) {
            Type::Error => return self.error_expr(span),
            Type::Void | Type::Function(_) => return self.size_constant(1, span), // GNU C
            _ => {}
        }
        if self.has_variable_size(ty) {
            return expr(ExprKind::SizeofVariable(ty), self.common.size, span);
        }
        match self.types().size_of(ty).filter(|_| self.is_complete(ty)) {
            Some(size) => self.size_constant(size, span),
            None => {
                let message = format!("the size of `{}` is not known here", self.show(ty));
                self.error_with_hint("incomplete-type", span, message, "define the type before this line");
                self.error_expr(span)
            }
        }
    }

    /// `_Alignof e`: of a variable or member, what its declaration asked for counts.
    pub fn alignof_expr(&mut self, operand: &syntax::Expr, span: Span) -> Expr {
        let typed = self.without_evaluation(|this| this.expr(operand), |_, _| false);
        let asked = match &typed.kind {
            ExprKind::Variable(id) => self.unit.variables[*id].alignment,
            ExprKind::Member { record, field, .. } => {
                let fields = self.types().records[*record].fields.as_ref();
                let field = fields.and_then(|fields| fields.get(*field as usize));
                field.and_then(|field| field.alignment.max(field.type_alignment))
            }
            _ => None,
        };
        let of_type = self.alignment_constant(typed.ty.id, None, span);
        match (&of_type.kind, asked) {
            (ExprKind::Integer(natural), Some(asked)) if u128::from(asked) > *natural => {
                self.size_constant(asked, span)
            }
            _ => of_type,
        }
    }

    /// `_Alignof(type)`
    pub fn alignof_type(&mut self, name: &TypeName, span: Span) -> Expr {
        let lengths = self.pending_lengths.len();
        let (ty, asked) = self.aligned_type_name(name);
        self.pending_lengths.truncate(lengths);
        self.alignment_constant(ty.id, asked, span)
    }

    fn alignment_constant(&mut self, ty: TypeId, asked: Option<u64>, span: Span) -> Expr {
        if self.is_error(ty) {
            return self.error_expr(span);
        }
        // On i386 `_Alignof` is the least alignment, `__alignof__` the preferred one; only the text tells them apart.
        let is_standard = self.session.sources.text(span).starts_with("_A");
        let of_type = match self.types().get(ty) {
            Type::Void | Type::Function(_) => Some(1),
            _ if is_standard => self.types().member_align_of(ty),
            _ => self.types().align_of(ty),
        };
        match asked.or(of_type) {
            Some(bytes) => self.size_constant(bytes, span),
            None => {
                let message = format!("the alignment of `{}` is not known here", self.show(ty));
                self.error("incomplete-type", span, message);
                self.error_expr(span)
            }
        }
    }

    /// `__builtin_types_compatible_p(a, b)`: qualifiers of the types themselves do not count.
    pub fn types_compatible(&mut self, a: &TypeName, b: &TypeName, span: Span) -> Expr {
        let lengths = self.pending_lengths.len();
        let (a, b) = (self.type_name(a).id, self.type_name(b).id);
        self.pending_lengths.truncate(lengths);
        let compatible = self.are_compatible(a, b);
        self.int_constant(u128::from(compatible), span)
    }

    /// `__builtin_offsetof(type, a.b[2])`
    pub fn offsetof(&mut self, name: &TypeName, path: &[Designator], span: Span) -> Expr {
        let mut ty = self.type_name(name).id;
        let mut offset: u64 = 0;
        let mut at_run_time: Option<Expr> = None;
        for step in path {
            match step {
                Designator::Field(name, name_span) => {
                    let Some((inner, bytes)) = self.offset_of_member(ty, *name, *name_span) else {
                        return self.error_expr(span);
                    };
                    ty = inner;
                    offset = offset.wrapping_add(bytes);
                }
                Designator::Index(index) => {
                    let typed = self.value(index);
                    let Type::Array(element, _) = *self.types().get(ty) else {
                        if !self.is_error(ty) {
                            let message = format!("`{}` is not an array", self.show(ty));
                            self.error("bad-index", index.span, message);
                        }
                        return self.error_expr(span);
                    };
                    let Some(size) = self.types().size_of(element.id) else { return self.error_expr(span) };
                    ty = element.id;
                    match self.fold_integer(&typed) {
                        Some(bits) => {
                            let count = self.shape(typed.ty.id).map_or(0, |shape| shape.value(bits));
                            offset = offset.wrapping_add((count as u64).wrapping_mul(size));
                        }
                        None if self.types().is_integer(typed.ty.id) => {
                            let term = self.scaled(typed, size, span);
                            at_run_time = Some(match at_run_time {
                                Some(sum) => self.size_sum(sum, term, span),
                                None => term,
                            });
                        }
                        None => return self.error_expr(span),
                    }
                }
                Designator::Range(..) => {
                    self.error("bad-index", span, "a range cannot stand in `offsetof`");
                    return self.error_expr(span);
                }
            }
        }
        let constant = self.size_constant(offset, span);
        match at_run_time {
            Some(sum) => self.size_sum(constant, sum, span),
            None => constant,
        }
    }

    fn scaled(&mut self, index: Expr, size: u64, span: Span) -> Expr {
        let index = self.cast_implicitly(index, self.common.size);
        let size = self.size_constant(size, span);
        expr(ExprKind::Binary(BinaryOp::Multiply, Box::new(index), Box::new(size)), self.common.size, span)
    }

    fn size_sum(&self, a: Expr, b: Expr, span: Span) -> Expr {
        expr(ExprKind::Binary(BinaryOp::Add, Box::new(a), Box::new(b)), self.common.size, span)
    }

    fn offset_of_member(&mut self, ty: TypeId, name: base::Symbol, span: Span) -> Option<(TypeId, u64)> {
        if self.is_error(ty) {
            return None;
        }
        let path = match self.types().record_id(ty) {
            Some(record) => self.find_member(record, name),
            None => None,
        };
        let Some(path) = path else {
            let message = format!("`{}` has no member named `{}`", self.show(ty), self.text(name));
            self.error("no-member", span, message);
            return None;
        };
        let mut at = ty;
        let mut offset = 0;
        for &step in path.iter() {
            let record = &self.types().records[self.types().record_id(at)?];
            let field = record.fields.as_ref()?.get(step as usize)?;
            if field.bit_width.is_some() {
                self.error("bit-field", span, "a bit-field has no `offsetof`");
                return None;
            }
            offset += record.layout.as_ref()?.fields.get(step as usize)?.byte_offset();
            at = field.ty.id;
        }
        Some((at, offset))
    }

    /// `(type){ … }`
    pub fn compound_literal(&mut self, name: &TypeName, list: &InitializerList, span: Span) -> Expr {
        let ty = self.type_name(name);
        if self.is_error(ty.id) {
            return self.error_expr(span);
        }
        if self.is_function(ty.id) || self.has_variable_size(ty.id) {
            let message = format!("a literal of type `{}` is not possible", self.show(ty));
            self.error("bad-literal", span, message);
            return self.error_expr(span);
        }
        let (completed, initializer) = self.initializer_list(ty, list);
        let ty = TypeRef { id: completed, qualifiers: ty.qualifiers };
        if !self.is_complete(completed) {
            let message = format!("a literal needs a complete type, not `{}`", self.show(ty));
            self.error("incomplete-type", span, message);
            return self.error_expr(span);
        }
        let variable = self.invent_variable("literal", ty, span);
        if self.blocks.is_empty() {
            self.check_static_initializer(&initializer);
            self.unit.variables[variable].initializer = Some(initializer);
            return expr(ExprKind::Variable(variable), ty, span);
        }
        expr(ExprKind::CompoundLiteral(variable, Box::new(initializer)), ty, span)
    }

    /// `va_arg(list, type)`
    pub fn va_arg(&mut self, list: &syntax::Expr, name: &TypeName, span: Span) -> Expr {
        let lengths = self.pending_lengths.len();
        let ty = self.type_name(name).id;
        let Some(list) = self.va_list_pointer(list) else { return self.error_expr(span) };
        if self.is_error(ty) {
            return self.error_expr(span);
        }
        if !self.is_complete(ty) {
            let message = format!("an argument cannot have the incomplete type `{}`", self.show(ty));
            self.error("incomplete-type", span, message);
            return self.error_expr(span);
        }
        let is_promoted = match self.types().get(ty) {
            Type::Float(crate::types::FloatKind::Float) => true,
            _ => self.types().is_integer(ty) && self.promoted_type(ty) != ty && !self.is_enum(ty),
        };
        if is_promoted {
            let message = format!("no argument arrives as `{}`: it is promoted when passed", self.show(ty));
            self.warn("va-arg", span, message.clone());
            return self.unsupported(FlagKind::UnknownBuiltin, ty, span, message);
        }
        if self.is_special(ty) || self.is_array(ty) {
            let message = format!("`va_arg` of type `{}` is not modelled", self.show(ty));
            return self.unsupported(FlagKind::UnknownBuiltin, ty, span, message);
        }
        let fetched = expr(ExprKind::VaArg(Box::new(list)), ty, span);
        self.with_lengths(lengths, fetched)
    }

    fn is_enum(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Enum(_))
    }

    /// A pointer to the storage of a `va_list`: the decayed array on LP64, `&list` on ILP32.
    pub fn va_list_pointer(&mut self, list: &syntax::Expr) -> Option<Expr> {
        let typed = self.expr(list);
        if self.is_error(typed.ty.id) {
            return None;
        }
        let list_type = self.types_mut().va_list();
        let span = typed.span;
        let (pointer, wanted) = match self.types().model() {
            DataModel::Lp64 => {
                let decayed = self.decay(typed);
                let wanted = match *self.types().get(list_type) {
                    Type::Array(element, _) => self.types_mut().pointer(element),
                    _ => list_type,
                };
                (decayed, wanted)
            }
            DataModel::Ilp32 => {
                if !typed.is_lvalue() {
                    self.error("not-lvalue", span, "a `va_list` must be a variable");
                    return None;
                }
                let wanted = self.types_mut().pointer(list_type);
                (self.address_of(typed, span), wanted)
            }
        };
        let target = |this: &Self, ty: TypeId| this.types().pointee(ty).map(|to| to.id);
        let matches = match (target(self, pointer.ty.id), target(self, wanted)) {
            (Some(a), Some(b)) => self.are_compatible(a, b),
            _ => false,
        };
        if !matches {
            let message = format!("this is a `{}`, not a `va_list`", self.show(pointer.ty));
            self.error("not-a-va-list", span, message);
            return None;
        }
        Some(pointer)
    }
}
