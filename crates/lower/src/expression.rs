//! Values: side effects become actions in left-to-right order, what is left is an expression without any.
//!
//! C leaves the order of most operands open. Left to right is one of the orders it allows; where another may give
//! another result, the module `order` sees to it that nothing is claimed. An operand that reads what a later operand
//! may change is saved in a temporary first.

use crate::fold;
use crate::function::FunctionLowering;
use base::Span;
use csource::tree::{self, ExprKind as Tree};
use csource::types::{ArrayLength, Type};
use program::{Action, AssumptionKind, BinaryOp, Expr, ExprKind, HavocSource, TypeId, UnaryOp, VariableKind};

impl FunctionLowering<'_> {
    /// The value of an expression.
    pub fn rvalue(&mut self, expr: &tree::Expr) -> Expr {
        let (ty, span) = (expr.ty.id, expr.span);
        match &expr.kind {
            Tree::Integer(bits) => Expr { kind: ExprKind::Integer(*bits), ty },
            Tree::Float(bits) => Expr { kind: ExprKind::Float(*bits), ty },
            Tree::Variable(_)
            | Tree::String(_)
            | Tree::CompoundLiteral(..)
            | Tree::Deref(_)
            | Tree::Member { .. } => {
                let place = self.place(expr);
                self.read(place, span)
            }
            Tree::Function(id) => self.function_address(*id, expr.ty.id),
            Tree::AddressOf(operand) => self.address_or_function(operand, ty),
            Tree::Decay(operand) => match function_of(operand) {
                Some(id) => self.function_address(id, ty),
                None if self.is_function_type(operand.ty.id) => self.function_pointer(operand),
                None => {
                    let place = self.place(operand);
                    self.decay(place, ty)
                }
            },
            Tree::Unary(op, operand) => self.unary(*op, operand, ty),
            Tree::Binary(op, left, right) => {
                let (left, right) = self.operands(left, right);
                let is_null = |side: &Expr| side.as_integer() == Some(0);
                if self.may_be_label(&left) && !is_null(&left) && !is_null(&right) {
                    self.unsupported("a comparison of what may be the address of a label", span);
                }
                fold::binary(*op, left, right, ty, &self.linker.session.types)
            }
            Tree::PointerAdd { pointer, index, backwards } => {
                self.in_any_order(&[&**pointer, &**index], pointer.span);
                let start = match has_side_effects(index) {
                    true => self.frozen_pointer(pointer),
                    false => self.rvalue(pointer),
                };
                let index = self.rvalue(index);
                let pointer = self.convert(start, ty);
                let index = if *backwards { self.negated_index(index) } else { index };
                self.pointer_offset(pointer, index)
            }
            Tree::PointerDifference(left, right) => self.pointer_difference(left, right, ty),
            Tree::LogicalAnd(..) | Tree::LogicalOr(..) => self.truth_value(expr),
            Tree::Conditional(test, left, right) => self.conditional(test, left, right, expr),
            Tree::ConditionalOrElse(test, otherwise) => self.conditional_or_else(test, otherwise, expr),
            Tree::Assign(target, value) => self.assignment(target, value, span),
            Tree::CompoundAssign { op, target, value, compute } => {
                self.compound_assignment(*op, target, value, *compute, span)
            }
            Tree::Increment { target, is_decrement, is_postfix: true } => {
                self.postfix_increment(target, *is_decrement, span)
            }
            Tree::Increment { target, is_decrement, is_postfix: false } => {
                self.increment(target, *is_decrement, span, |this, place, new| {
                    this.write_and_keep(place, new, span)
                })
            }
            Tree::Comma(first, second) => {
                self.effect(first);
                self.rvalue(second)
            }
            Tree::Call { callee, arguments } => self.call_value(callee, arguments, expr),
            Tree::Builtin { name, arguments } => self.builtin(name, arguments, expr),
            Tree::Cast { operand, .. } => {
                if self.linker.has_label_addresses
                    && self.linker.session.types.is_integer(ty)
                    && self.is_void_pointer(operand.ty.id)
                {
                    let is_label = matches!(operand.kind, Tree::LabelAddress(_));
                    if is_label {
                        return self.unknown_value(ty, HavocSource::Asm, span);
                    }
                    self.unsupported("what may be the address of a label as a number", span);
                }
                self.cast_expr(operand, ty, span)
            }
            Tree::Statement(block) => self.statement_expression(block, expr),
            Tree::VaArg(list) => self.va_arg(list, expr),
            Tree::SizeofVariable(of) => self.runtime_size(*of),
            Tree::LabelAddress(label) => {
                Expr::integer(self.label_number(*label), ty, &self.linker.session.types)
            }
            Tree::Unsupported(what) => {
                self.unsupported(what, span);
                self.placeholder(ty, span)
            }
        }
    }

    /// May a value be the address of a label? Labels are numbered here, which says nothing of where they lie.
    fn may_be_label(&self, value: &Expr) -> bool {
        self.linker.has_label_addresses && self.is_void_pointer(value.ty)
    }

    fn is_void_pointer(&self, ty: TypeId) -> bool {
        let types = &self.linker.session.types;
        types.pointee(ty).is_some_and(|to| types.get(to.id) == &Type::Void)
    }

    /// Evaluates for its side effects only.
    pub fn effect(&mut self, expr: &tree::Expr) {
        let span = expr.span;
        match &expr.kind {
            Tree::Assign(target, value) => self.assign_expr(target, value, span),
            Tree::CompoundAssign { op, target, value, compute } => {
                self.compound_assign(*op, target, value, *compute, span)
            }
            Tree::Increment { target, is_decrement, .. } => {
                self.increment(target, *is_decrement, span, |this, place, new| this.assign(place, new, span))
            }
            Tree::Call { callee, arguments } => self.call(callee, arguments, None, expr),
            Tree::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            Tree::LogicalAnd(left, right) | Tree::LogicalOr(left, right) => {
                let (evaluates, after) =
                    (self.graph.add_node(right.span), self.graph.add_node(Span::NOWHERE));
                if matches!(expr.kind, Tree::LogicalAnd(..)) {
                    self.branch(left, evaluates, after);
                } else {
                    self.branch(left, after, evaluates);
                }
                self.current = evaluates;
                self.effect(right);
                self.emit_to(after, Action::Skip, Span::NOWHERE);
                self.current = after;
            }
            Tree::Conditional(test, left, right) => {
                let (first, second) = (self.graph.add_node(left.span), self.graph.add_node(right.span));
                let after = self.graph.add_node(Span::NOWHERE);
                self.branch(test, first, second);
                for (node, side) in [(first, left), (second, right)] {
                    self.current = node;
                    self.effect(side);
                    self.emit_to(after, Action::Skip, Span::NOWHERE);
                }
                self.current = after;
            }
            Tree::Cast { operand, .. } if !self.may_overflow_to(operand, expr.ty.id) => self.effect(operand),
            Tree::Unary(op, operand) if *op != tree::UnaryOp::Negate => self.effect(operand),
            Tree::Statement(block) => self.block(block),
            Tree::Integer(_) | Tree::Float(_) | Tree::Function(_) | Tree::String(_) => {}
            _ => {
                let value = self.rvalue(expr);
                self.evaluate_unused(value, span);
            }
        }
    }

    /// A value nobody uses may still be undefined to compute; reads of memory and divisions stay visible, and so do reads of what other threads may write.
    fn evaluate_unused(&mut self, value: Expr, span: Span) {
        let mut matters = false;
        value.visit(&mut |part| match part {
            program::expr::ExprPart::Expr(inner) => {
                matters |= matches!(
                    inner.kind,
                    ExprKind::Binary(..) | ExprKind::Unary(UnaryOp::Negate, _) | ExprKind::Cast(_)
                );
            }
            program::expr::ExprPart::Place(place, program::expr::Access::Read) => {
                let variable = place.as_variable();
                matters |= variable.is_none_or(|id| self.linker.variables[id].kind == VariableKind::Global);
            }
            program::expr::ExprPart::Place(..) => {}
        });
        // A structure is read as a whole (C11 6.3.2.1p2).
        let types = &self.linker.session.types;
        let is_read = types.is_scalar(value.ty) || types.record_id(value.ty).is_some();
        if matters && is_read {
            self.save(value, span);
        }
    }

    /// Is it a floating value that becomes an integer? That is undefined where the value does not fit.
    fn may_overflow_to(&self, operand: &tree::Expr, ty: TypeId) -> bool {
        let types = &self.linker.session.types;
        types.float_kind(operand.ty.id).is_some() && types.is_integer(ty)
    }

    /// Two operands, the left one safe from the right one's side effects.
    pub fn operands(&mut self, left: &tree::Expr, right: &tree::Expr) -> (Expr, Expr) {
        self.in_any_order(&[left, right], left.span);
        let mut first = self.rvalue(left);
        if has_side_effects(right) {
            first = self.frozen(first, left.span);
        }
        let second = self.rvalue(right);
        (first, second)
    }

    /// The conversion to a scalar type; anything else must have the type already.
    pub fn convert(&mut self, value: Expr, ty: TypeId) -> Expr {
        let types = &self.linker.session.types;
        if types.is_scalar(value.ty) && types.is_scalar(ty) {
            fold::cast(value, ty, types)
        } else {
            Expr { ty, ..value }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &tree::Expr, ty: TypeId) -> Expr {
        let value = self.rvalue(operand);
        fold::unary(op, value, ty, &self.linker.session.types)
    }

    /// The index, counting backwards.
    pub fn negated_index(&mut self, index: Expr) -> Expr {
        // In the signed type of pointer differences, so that `p - 1u` moves back by one.
        let difference = self.linker.session.types.difference_type();
        let index = self.convert(index, difference);
        fold::unary(UnaryOp::Negate, index, difference, &self.linker.session.types)
    }

    fn pointer_difference(&mut self, left: &tree::Expr, right: &tree::Expr, ty: TypeId) -> Expr {
        let size = self.runtime_pointee_size(left.ty.id);
        let (left, right) = self.operands(left, right);
        let Some(size) = size else {
            return Expr { kind: ExprKind::PointerDifference(Box::new(left), Box::new(right)), ty };
        };
        let types = &mut self.linker.session.types;
        let char = types.char();
        let bytes = types.pointer(char);
        let distance = Expr {
            kind: ExprKind::PointerDifference(Box::new(left.cast(bytes)), Box::new(right.cast(bytes))),
            ty,
        };
        Expr { kind: ExprKind::Binary(BinaryOp::Divide, Box::new(distance), Box::new(size.cast(ty))), ty }
    }

    /// `a && b` as 0 or 1.
    fn truth_value(&mut self, expr: &tree::Expr) -> Expr {
        let int = self.int();
        let result = self.temporary(int, expr.span);
        let (yes, no) = (self.graph.add_node(expr.span), self.graph.add_node(expr.span));
        let after = self.graph.add_node(Span::NOWHERE);
        self.branch(expr, yes, no);
        for (node, truth) in [(yes, 1), (no, 0)] {
            self.current = node;
            let value = self.int_constant(truth);
            let target = self.place_of(result);
            self.emit_to(after, Action::Assign { target, value }, expr.span);
        }
        self.current = after;
        self.value_of(result)
    }

    fn conditional(
        &mut self,
        test: &tree::Expr,
        left: &tree::Expr,
        right: &tree::Expr,
        whole: &tree::Expr,
    ) -> Expr {
        if let Some(constant) = constant_truth(test) {
            let chosen = if constant { left } else { right };
            let value = self.rvalue(chosen);
            return self.convert(value, whole.ty.id);
        }
        if self.linker.session.types.get(whole.ty.id) == &Type::Void {
            self.effect(whole);
            return self.placeholder(whole.ty.id, whole.span);
        }
        let result = self.temporary(whole.ty.id, whole.span);
        let (first, second) = (self.graph.add_node(left.span), self.graph.add_node(right.span));
        let after = self.graph.add_node(Span::NOWHERE);
        self.branch(test, first, second);
        for (node, side) in [(first, left), (second, right)] {
            self.current = node;
            let value = self.rvalue(side);
            let target = self.place_of(result);
            let value = self.convert(value, target.ty.id);
            self.emit_to(after, Action::Assign { target, value }, side.span);
        }
        self.current = after;
        self.value_of(result)
    }

    /// `c ?: b`
    fn conditional_or_else(&mut self, test: &tree::Expr, otherwise: &tree::Expr, whole: &tree::Expr) -> Expr {
        let value = self.rvalue(test);
        let value = self.frozen(value, test.span);
        let result = self.temporary(whole.ty.id, whole.span);
        let (keep, replace) = (self.graph.add_node(test.span), self.graph.add_node(otherwise.span));
        let after = self.graph.add_node(Span::NOWHERE);
        self.branch_on(value.clone(), keep, replace, test.span);
        self.current = keep;
        let target = self.place_of(result);
        let kept = self.convert(value, whole.ty.id);
        self.emit_to(after, Action::Assign { target: target.clone(), value: kept }, test.span);
        self.current = replace;
        let other = self.rvalue(otherwise);
        let value = self.convert(other, whole.ty.id);
        self.emit_to(after, Action::Assign { target, value }, otherwise.span);
        self.current = after;
        self.value_of(result)
    }

    fn cast_expr(&mut self, operand: &tree::Expr, ty: TypeId, span: Span) -> Expr {
        match self.linker.session.types.get(ty).clone() {
            Type::Void => {
                self.effect(operand);
                self.placeholder(ty, span)
            }
            Type::Record(record) if operand.ty.id != ty => {
                // A cast to a union: the value goes into the member of its type.
                let temporary = self.temporary(ty, span);
                let fields = self.linker.session.types.records[record].fields.clone().unwrap_or_default();
                let value = self.rvalue(operand);
                let Some(field) = fields.iter().position(|field| field.ty.id == value.ty) else {
                    self.unsupported("a cast to a union without a member of that type", span);
                    return self.value_of(temporary);
                };
                let mut target = self.place_of(temporary);
                target.path.push(program::Projection::Field(record, field as u32));
                target.ty = fields[field].ty;
                self.emit(Action::Assign { target, value }, span);
                self.value_of(temporary)
            }
            _ => {
                let value = self.rvalue(operand);
                self.convert_operand(value, operand, ty, span)
            }
        }
    }

    /// `({ … e; })`: the value is saved before the block's variables end.
    fn statement_expression(&mut self, block: &tree::Block, whole: &tree::Expr) -> Expr {
        let is_void = self.linker.session.types.get(whole.ty.id) == &Type::Void;
        let (last, before) = match block.statements.split_last() {
            Some((tree::Statement { kind: tree::StatementKind::Expr(last), .. }, before)) if !is_void => {
                (last, before)
            }
            _ => {
                self.block(block);
                return self.placeholder(whole.ty.id, whole.span);
            }
        };
        self.enter_scope(&block.variables, block.span);
        self.statements(before);
        let value = self.rvalue(last);
        let value = self.convert(value, whole.ty.id);
        let saved = self.save(value, whole.span);
        self.leave_scope(crate::statement::closing_brace(block.span));
        self.value_of(saved)
    }

    /// Some value where the type has to be served but the value is never used.
    pub fn placeholder(&mut self, ty: TypeId, span: Span) -> Expr {
        let types = &self.linker.session.types;
        if types.integer_shape(ty).is_some() {
            Expr::integer(0, ty, types)
        } else if types.is_scalar(ty) || types.record_id(ty).is_some() {
            self.unknown_value(ty, HavocSource::Indeterminate, span)
        } else {
            self.int_constant(0)
        }
    }

    fn address_or_function(&mut self, operand: &tree::Expr, ty: TypeId) -> Expr {
        if let Some(id) = function_of(operand) {
            return self.function_address(id, ty);
        }
        if self.is_function_type(operand.ty.id) {
            return self.function_pointer(operand);
        }
        let place = self.place(operand);
        let address = self.address_of(place);
        self.convert(address, ty)
    }

    /// `*p` of function type is `p` again.
    pub fn function_pointer(&mut self, designator: &tree::Expr) -> Expr {
        match &designator.kind {
            Tree::Deref(pointer) => self.rvalue(pointer),
            Tree::Comma(first, second) => {
                self.effect(first);
                self.function_pointer(second)
            }
            _ => self.rvalue(designator),
        }
    }

    pub fn is_function_type(&self, ty: TypeId) -> bool {
        matches!(self.linker.session.types.get(ty), Type::Function(_))
    }

    fn function_address(&mut self, id: tree::FunctionId, ty: TypeId) -> Expr {
        let procedure = self.linker.units[self.unit].procedures[id];
        let types = &mut self.linker.session.types;
        let ty = if types.is_pointer(ty) { ty } else { types.pointer(ty) };
        Expr { kind: ExprKind::FunctionAddress(procedure), ty }
    }

    /// Does the size of this type depend on a run-time length?
    pub fn is_runtime_sized(&self, ty: TypeId) -> bool {
        match self.linker.session.types.get(ty) {
            Type::Array(_, ArrayLength::Variable(_)) => true,
            Type::Array(element, _) => self.is_runtime_sized(element.id),
            _ => false,
        }
    }

    /// The size of what a pointer points to, if it is known at run time only.
    pub fn runtime_pointee_size(&mut self, pointer: TypeId) -> Option<Expr> {
        let pointee = self.linker.session.types.pointee(pointer)?.id;
        self.is_runtime_sized(pointee).then(|| self.runtime_size(pointee))
    }

    /// `sizeof` as an expression.
    pub fn runtime_size(&mut self, ty: TypeId) -> Expr {
        let size_type = self.linker.session.types.size_type();
        match *self.linker.session.types.get(ty) {
            Type::Array(element, length) if self.is_runtime_sized(ty) => {
                let count = match length {
                    ArrayLength::Known(count) => self.size_constant(count),
                    ArrayLength::Variable(id) => match self.lengths.get(&id) {
                        Some(&variable) => self.value_of(variable),
                        None => self.size_constant(0),
                    },
                    ArrayLength::Unknown => self.size_constant(0),
                };
                let each = self.runtime_size(element.id);
                fold::binary(BinaryOp::Multiply, count, each, size_type, &self.linker.session.types)
            }
            _ => {
                let size = self.linker.session.types.size_of(ty).unwrap_or(1);
                self.size_constant(size)
            }
        }
    }

    /// Evaluates run-time lengths in order.
    pub fn evaluate_lengths(&mut self, lengths: &[csource::types::LengthId]) {
        for id in lengths {
            let Some(expr) = self.linker.units[self.unit].unit.lengths.remove(id) else { continue };
            let size_type = self.linker.session.types.size_type();
            let value = self.rvalue(&expr);
            let value = self.convert(value, size_type);
            let saved = self.save(value, expr.span);
            self.linker.assume(
                AssumptionKind::VariableLengthArray,
                &format!("{saved}"),
                expr.span,
                "the length of an array is computed at run time; the stack is supposed to be large enough",
            );
            self.lengths.insert(*id, saved);
        }
    }
}

fn function_of(expr: &tree::Expr) -> Option<tree::FunctionId> {
    match expr.kind {
        Tree::Function(id) => Some(id),
        _ => None,
    }
}

/// The truth of a condition that is a constant as it stands.
pub fn constant_truth(test: &tree::Expr) -> Option<bool> {
    match &test.kind {
        Tree::Integer(bits) => Some(*bits != 0),
        Tree::Cast { operand, .. } if matches!(operand.kind, Tree::Integer(0)) => Some(false),
        Tree::Unary(tree::UnaryOp::Not, operand) => constant_truth(operand).map(|truth| !truth),
        _ => None,
    }
}

/// Could evaluating it change what another operand reads?
pub fn has_side_effects(expr: &tree::Expr) -> bool {
    let any = |parts: &[&tree::Expr]| parts.iter().any(|part| has_side_effects(part));
    match &expr.kind {
        Tree::Assign(..)
        | Tree::CompoundAssign { .. }
        | Tree::Increment { .. }
        | Tree::Call { .. }
        | Tree::Builtin { .. }
        | Tree::Statement(_)
        | Tree::VaArg(_)
        | Tree::CompoundLiteral(..)
        | Tree::Unsupported(_) => true,
        Tree::Integer(_)
        | Tree::Float(_)
        | Tree::Variable(_)
        | Tree::Function(_)
        | Tree::String(_)
        | Tree::SizeofVariable(_)
        | Tree::LabelAddress(_) => false,
        Tree::Deref(inner)
        | Tree::Member { base: inner, .. }
        | Tree::AddressOf(inner)
        | Tree::Decay(inner)
        | Tree::Unary(_, inner)
        | Tree::Cast { operand: inner, .. } => has_side_effects(inner),
        Tree::Binary(_, left, right)
        | Tree::PointerAdd { pointer: left, index: right, .. }
        | Tree::PointerDifference(left, right)
        | Tree::LogicalAnd(left, right)
        | Tree::LogicalOr(left, right)
        | Tree::ConditionalOrElse(left, right)
        | Tree::Comma(left, right) => any(&[left, right]),
        Tree::Conditional(test, left, right) => any(&[test, left, right]),
    }
}
