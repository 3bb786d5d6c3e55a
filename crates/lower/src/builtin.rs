//! Compiler builtins that are not ordinary functions. What can be said in expressions is; the rest are calls of known
//! procedures; what has no meaning here is told.

use crate::fold;
use crate::function::FunctionLowering;
use base::Span;
use csource::tree;
use program::{
    Action, AssumptionKind, BinaryOp, Expr, ExprKind, FloatKind, Place, Type, TypeId, TypeRef, UnaryOp,
};

impl FunctionLowering<'_> {
    /// The value of a builtin.
    pub fn builtin(&mut self, name: &str, arguments: &[tree::Expr], whole: &tree::Expr) -> Expr {
        let (ty, span) = (whole.ty.id, whole.span);
        let short = name.strip_prefix("__builtin_").unwrap_or(name);
        match (short, arguments) {
            ("unreachable" | "trap", _) => {
                self.call_known(name, Vec::new(), None, span);
                self.placeholder(ty, span)
            }
            ("expect" | "expect_with_probability" | "assume_aligned", [value, ..]) => {
                let value = self.rvalue(value);
                self.convert(value, ty)
            }
            ("prefetch" | "__clear_cache" | "clear_cache", _) => {
                arguments.iter().for_each(|argument| self.effect(argument));
                self.placeholder(ty, span)
            }
            ("va_start" | "va_end" | "va_copy", [list, rest @ ..]) => {
                let mut values = vec![self.rvalue(list)];
                if short == "va_copy" {
                    values.extend(rest.iter().map(|argument| self.rvalue(argument)));
                }
                self.call_known(name, values, None, span);
                self.placeholder(ty, span)
            }
            ("alloca" | "alloca_with_align" | "alloca_with_align_and_max", [size, ..]) => {
                let size = self.rvalue(size);
                self.known_value("__builtin_alloca", vec![size], ty, span)
            }
            _ => {
                if let Some(value) = self.overflow_builtin(short, arguments, ty, span) {
                    return value;
                }
                if let Some(value) = self.float_builtin(short, arguments, ty, span) {
                    return value;
                }
                if let Some(value) = self.atomic_builtin(name, arguments, ty, span) {
                    return value;
                }
                self.modelled_builtin(name, arguments, ty, span)
            }
        }
    }

    /// Builtins with a body among the library models, such as `__builtin_popcount`.
    fn modelled_builtin(&mut self, name: &str, arguments: &[tree::Expr], ty: TypeId, span: Span) -> Expr {
        if !crate::library::has_model(name) {
            self.linker.assume(
                AssumptionKind::UnmodelledBuiltin,
                name,
                span,
                format!("`{name}` has no model: a run that gets here has no known meaning"),
            );
            arguments.iter().for_each(|argument| self.effect(argument));
            self.emit(Action::Unsupported(name.into()), span);
            return self.placeholder(ty, span);
        }
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.rvalue(argument);
            values.push(self.frozen(value, argument.span));
        }
        if self.linker.session.types.get(ty) == &Type::Void {
            self.call_known(name, values, None, span);
            return self.int_constant(0);
        }
        self.known_value(name, values, ty, span)
    }

    /// `__builtin_add_overflow(a, b, &r)` and its typed relatives: computed exactly in a wider type.
    fn overflow_builtin(
        &mut self,
        short: &str,
        arguments: &[tree::Expr],
        ty: TypeId,
        span: Span,
    ) -> Option<Expr> {
        let stem = short.strip_suffix("_overflow").or_else(|| short.strip_suffix("_overflow_p"))?;
        let stem = stem.trim_start_matches(['s', 'u']).trim_end_matches('l');
        // `sub` and `smul` lose letters to the prefixes above; what is left is still telling.
        let op = match stem {
            "add" => BinaryOp::Add,
            "b" => BinaryOp::Subtract,
            "mul" | "mu" => BinaryOp::Multiply,
            _ => return None,
        };
        let [left, right, result] = arguments else { return None };
        let is_test_only = short.ends_with("_p");
        let stored = match is_test_only {
            true => result.ty.id,
            false => self.linker.session.types.pointee(result.ty.id)?.id,
        };
        let width = |ty: TypeId| self.linker.session.types.integer_shape(ty).map_or(128, |shape| shape.width);
        if [left.ty.id, right.ty.id, stored].into_iter().any(|ty| width(ty) > 64) {
            return None;
        }
        let (left, right) = self.operands(left, right);
        let (left, right) = (self.frozen(left, span), self.frozen(right, span));
        let wide = fold::exact_type(op, [left.ty, right.ty], stored, &mut self.linker.session.types);
        let (left, right) = (self.convert(left, wide), self.convert(right, wide));
        let exact = fold::binary(op, left, right, wide, &self.linker.session.types);
        let exact = self.frozen(exact, span);
        let kept = self.convert(exact.clone(), stored);
        if is_test_only {
            self.effect(result);
        } else {
            let pointer = self.rvalue(result);
            self.assign(crate::place::dereference(pointer, stored.into()), kept.clone(), span);
        }
        let kept = self.convert(kept, wide);
        let int = self.int();
        let differs = fold::binary(BinaryOp::NotEqual, exact, kept, int, &self.linker.session.types);
        Some(self.convert(differs, ty))
    }

    /// Tests of floating values, as comparisons.
    fn float_builtin(
        &mut self,
        short: &str,
        arguments: &[tree::Expr],
        ty: TypeId,
        span: Span,
    ) -> Option<Expr> {
        let int = self.int();
        let compare = |op: BinaryOp, left: &Expr, right: &Expr| Expr {
            kind: ExprKind::Binary(op, Box::new(left.clone()), Box::new(right.clone())),
            ty: int,
        };
        let join = |op: BinaryOp, left: Expr, right: Expr| Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty: int,
        };
        if let [left, right] = arguments {
            use BinaryOp::*;
            let simple = match short {
                "isgreater" => Greater,
                "isgreaterequal" => GreaterEqual,
                "isless" => Less,
                "islessequal" => LessEqual,
                "islessgreater" | "isunordered" => Equal,
                _ => return None,
            };
            let (left, right) = self.operands(left, right);
            let (left, right) = (self.frozen(left, span), self.frozen(right, span));
            let (left, right) = self.common_float(left, right)?;
            let value = match short {
                "islessgreater" => join(BitOr, compare(Less, &left, &right), compare(Greater, &left, &right)),
                "isunordered" => {
                    join(BitOr, compare(NotEqual, &left, &left), compare(NotEqual, &right, &right))
                }
                _ => compare(simple, &left, &right),
            };
            return Some(self.convert(value, ty));
        }
        let operand = match short {
            "fpclassify" => arguments.last()?,
            _ => match arguments {
                [operand] => operand,
                _ => return None,
            },
        };
        let kind = self.linker.session.types.float_kind(operand.ty.id)?;
        let base = match short.strip_suffix(['f', 'l']) {
            Some(base) if matches!(base, "isnan" | "isinf" | "signbit" | "isfinite" | "isnormal") => base,
            _ => short,
        };
        if base == "signbit" {
            let value = self.rvalue(operand);
            let suffix = match kind {
                FloatKind::Float => "f",
                FloatKind::Double => "",
                FloatKind::LongDouble => "l",
                FloatKind::Float128 => return None,
            };
            return Some(self.known_value(&format!("__signbit{suffix}"), vec![value], ty, span));
        }
        if !matches!(
            base,
            "isnan" | "isinf" | "isinf_sign" | "isfinite" | "finite" | "isnormal" | "fpclassify"
        ) {
            return None;
        }
        let value = self.rvalue(operand);
        let value = self.frozen(value, operand.span);
        let constant = |bits: u128| Expr { kind: ExprKind::Float(bits), ty: value.ty };
        let (infinity, minus_infinity, least_normal, sign) = float_limits(kind);
        let is_nan = compare(BinaryOp::NotEqual, &value, &value);
        let above = compare(BinaryOp::Equal, &value, &constant(infinity));
        let below = compare(BinaryOp::Equal, &value, &constant(minus_infinity));
        let is_finite = join(
            BinaryOp::BitAnd,
            compare(BinaryOp::Less, &value, &constant(infinity)),
            compare(BinaryOp::Greater, &value, &constant(minus_infinity)),
        );
        let is_large = join(
            BinaryOp::BitOr,
            compare(BinaryOp::GreaterEqual, &value, &constant(least_normal)),
            compare(BinaryOp::LessEqual, &value, &constant(least_normal | sign)),
        );
        let result = match base {
            "isnan" => is_nan,
            "isinf" => join(BinaryOp::BitOr, above, below),
            "isinf_sign" => join(BinaryOp::Subtract, above, below),
            "isfinite" | "finite" => is_finite,
            "isnormal" => join(BinaryOp::BitAnd, is_finite, is_large),
            _ => {
                let [nan, infinite, normal, subnormal, zero, _] = arguments else { return None };
                let is_zero = compare(BinaryOp::Equal, &value, &constant(0));
                let is_infinite = join(BinaryOp::BitOr, above, below);
                let tests = [(is_nan, nan), (is_infinite, infinite), (is_zero, zero), (is_large, normal)];
                return Some(self.first_that_holds(&tests, subnormal, ty, span));
            }
        };
        Some(self.convert(result, ty))
    }

    fn first_that_holds(
        &mut self,
        tests: &[(Expr, &tree::Expr)],
        otherwise: &tree::Expr,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        let result = self.temporary(ty, span);
        let target = self.place_of(result);
        let after = self.graph.add_node(Span::NOWHERE);
        for (test, value) in tests {
            let (hit, next) = (self.graph.add_node(span), self.graph.add_node(span));
            self.branch_on(test.clone(), hit, next, span);
            self.current = hit;
            let value = self.rvalue(value);
            let value = self.convert(value, ty);
            self.emit_to(after, Action::Assign { target: target.clone(), value }, span);
            self.current = next;
        }
        let value = self.rvalue(otherwise);
        let value = self.convert(value, ty);
        self.emit_to(after, Action::Assign { target, value }, span);
        self.current = after;
        self.value_of(result)
    }

    fn common_float(&mut self, left: Expr, right: Expr) -> Option<(Expr, Expr)> {
        let types = &self.linker.session.types;
        let wider = match (types.float_kind(left.ty), types.float_kind(right.ty)) {
            (Some(l), Some(r)) => {
                if l >= r {
                    left.ty
                } else {
                    right.ty
                }
            }
            (Some(_), None) => left.ty,
            (None, Some(_)) => right.ty,
            (None, None) => return None,
        };
        Some((self.convert(left, wider), self.convert(right, wider)))
    }

    /// `__sync_…` and `__atomic_…`: one atomic section each. Memory orders are all taken as sequentially consistent.
    fn atomic_builtin(
        &mut self,
        name: &str,
        arguments: &[tree::Expr],
        ty: TypeId,
        span: Span,
    ) -> Option<Expr> {
        let (operation, is_sync) = match name.strip_prefix("__atomic_") {
            Some(operation) => (operation, false),
            None => (name.strip_prefix("__sync_")?, true),
        };
        if matches!(operation, "synchronize" | "thread_fence" | "signal_fence") {
            arguments.iter().for_each(|argument| self.effect(argument));
            return Some(self.placeholder(ty, span));
        }
        if matches!(operation, "always_lock_free" | "is_lock_free") {
            // Up to 8 bytes the machine does it; past that the library decides, if at all.
            let size = self.rvalue(arguments.first()?);
            let ExprKind::Integer(size @ (1 | 2 | 4 | 8)) = size.kind else { return None };
            let pointer = arguments.get(1)?;
            if size > 4 && self.linker.session.types.pointer_width() < 64 {
                return None;
            }
            self.effect(pointer);
            let one = self.int_constant(1);
            return Some(self.convert(one, ty));
        }
        let operation = operation.strip_suffix("_n").unwrap_or(operation);
        let (pointer, rest) = arguments.split_first()?;
        let object = match operation {
            "test_and_set" | "clear" => {
                let byte = self.linker.session.types.integer(program::IntegerKind::UnsignedChar);
                TypeRef::from(byte)
            }
            _ => self.linker.session.types.pointee(pointer.ty.id)?,
        };
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.rvalue(argument);
            values.push(self.frozen(value, argument.span));
        }
        let plain = TypeRef::from(object.id);
        let place = crate::place::dereference(values[0].clone(), plain);
        self.atomic_marker("__VERIFIER_atomic_begin", span);
        let result = self.atomic_operation(operation, is_sync, place, &values, rest, name, span);
        self.atomic_marker("__VERIFIER_atomic_end", span);
        let result = result?;
        Some(match result {
            Some(value) => self.convert(value, ty),
            None => self.placeholder(ty, span),
        })
    }

    #[allow(clippy::too_many_arguments)] // the parts of one builtin call, used nowhere else
    fn atomic_operation(
        &mut self,
        operation: &str,
        is_sync: bool,
        place: Place,
        values: &[Expr],
        rest: &[tree::Expr],
        name: &str,
        span: Span,
    ) -> Option<Option<Expr>> {
        let is_generic = !is_sync && !name.ends_with("_n");
        let old = Expr::load(place.clone());
        let through = |value: &Expr| crate::place::dereference(value.clone(), place.ty);
        Some(match operation {
            "load" if is_generic => {
                self.assign(through(values.get(1)?), old, span);
                None
            }
            "load" => Some(self.frozen(old, span)),
            "store" => {
                let value =
                    if is_generic { Expr::load(through(values.get(1)?)) } else { values.get(1)?.clone() };
                self.assign(place, value, span);
                None
            }
            "exchange" if is_generic => {
                let saved = self.frozen(old, span);
                self.assign(place.clone(), Expr::load(through(values.get(1)?)), span);
                self.assign(through(values.get(2)?), saved, span);
                None
            }
            "exchange" | "lock_test_and_set" => {
                let saved = self.frozen(old, span);
                self.assign(place, values.get(1)?.clone(), span);
                Some(saved)
            }
            "lock_release" | "clear" => {
                let zero = self.int_constant(0);
                self.assign(place, zero, span);
                None
            }
            "test_and_set" => {
                let saved = self.frozen(old, span);
                let one = self.int_constant(1);
                self.assign(place, one, span);
                let int = self.int();
                let zero = self.int_constant(0);
                let zero = self.convert(zero, saved.ty);
                Some(fold::binary(BinaryOp::NotEqual, saved, zero, int, &self.linker.session.types))
            }
            "compare_exchange" => {
                let expected = through(values.get(1)?);
                let desired =
                    if is_generic { Expr::load(through(values.get(2)?)) } else { values.get(2)?.clone() };
                let saved = self.frozen(old, span);
                Some(self.compare_and_swap(
                    place,
                    saved,
                    Expr::load(expected.clone()),
                    desired,
                    Some(expected),
                    span,
                ))
            }
            "bool_compare_and_swap" => {
                let saved = self.frozen(old, span);
                Some(self.compare_and_swap(
                    place,
                    saved,
                    values.get(1)?.clone(),
                    values.get(2)?.clone(),
                    None,
                    span,
                ))
            }
            "val_compare_and_swap" => {
                let saved = self.frozen(old, span);
                let (expected, desired) = (values.get(1)?.clone(), values.get(2)?.clone());
                self.compare_and_swap(place, saved.clone(), expected, desired, None, span);
                Some(saved)
            }
            _ => {
                let _ = rest;
                return self.fetch_and_operate(operation, place, old, values.get(1)?.clone(), span).map(Some);
            }
        })
    }

    fn compare_and_swap(
        &mut self,
        place: Place,
        old: Expr,
        expected: Expr,
        desired: Expr,
        failed_value_to: Option<Place>,
        span: Span,
    ) -> Expr {
        let int = self.int();
        let expected = self.convert(expected, old.ty);
        let equal = fold::binary(BinaryOp::Equal, old.clone(), expected, int, &self.linker.session.types);
        let equal = self.frozen(equal, span);
        let (swap, keep) = (self.graph.add_node(span), self.graph.add_node(span));
        let after = self.graph.add_node(Span::NOWHERE);
        self.branch_on(equal.clone(), swap, keep, span);
        self.current = swap;
        self.assign(place, desired, span);
        self.emit_to(after, Action::Skip, span);
        self.current = keep;
        if let Some(target) = failed_value_to {
            self.assign(target, old, span);
        }
        self.emit_to(after, Action::Skip, span);
        self.current = after;
        equal
    }

    /// `fetch_and_add`, `add_and_fetch`, `fetch_add`, `add_fetch` and so on. Atomic arithmetic wraps.
    fn fetch_and_operate(
        &mut self,
        operation: &str,
        place: Place,
        old: Expr,
        operand: Expr,
        span: Span,
    ) -> Option<Expr> {
        let returns_old = operation.starts_with("fetch_");
        let word = operation.strip_prefix("fetch_").map(|rest| rest.strip_prefix("and_").unwrap_or(rest));
        let word = word
            .or_else(|| operation.strip_suffix("_and_fetch"))
            .or_else(|| operation.strip_suffix("_fetch"))?;
        let op = match word {
            "add" => tree::BinaryOp::Add,
            "sub" => tree::BinaryOp::Subtract,
            "and" | "nand" => tree::BinaryOp::BitAnd,
            "or" => tree::BinaryOp::BitOr,
            "xor" => tree::BinaryOp::BitXor,
            _ => return None,
        };
        let saved = self.frozen(old, span);
        let types = &mut self.linker.session.types;
        let shape = types.integer_shape(saved.ty)?;
        let compute = match (shape.width, types.pointer_width()) {
            (width, _) if width <= 32 => program::IntegerKind::UnsignedInt,
            (64, _) => program::IntegerKind::UnsignedLongLong,
            _ => program::IntegerKind::UnsignedInt128,
        };
        let compute = types.integer(compute);
        // On pointers the builtins count in bytes.
        let (left, right) = (self.convert(saved.clone(), compute), self.convert(operand, compute));
        let mut new = fold::binary(op, left, right, compute, &self.linker.session.types);
        if word == "nand" {
            new = fold::unary(UnaryOp::BitNot, new, compute, &self.linker.session.types);
        }
        let new = self.convert(new, saved.ty);
        let new = self.frozen(new, span);
        self.assign(place, new.clone(), span);
        Some(if returns_old { saved } else { new })
    }
}

/// Bits of infinity, its negative, the least normal number, and the sign.
fn float_limits(kind: FloatKind) -> (u128, u128, u128, u128) {
    let (exponent_bits, fraction_bits, has_integer_bit) = match kind {
        FloatKind::Float => (8, 23, false),
        FloatKind::Double => (11, 52, false),
        FloatKind::LongDouble => (15, 63, true),
        FloatKind::Float128 => (15, 112, false),
    };
    let integer_bit = if has_integer_bit { 1u128 << fraction_bits } else { 0 };
    let exponent_at = fraction_bits + u32::from(has_integer_bit);
    let sign = 1u128 << (exponent_at + exponent_bits);
    let infinity = (((1u128 << exponent_bits) - 1) << exponent_at) | integer_bit;
    let least_normal = (1u128 << exponent_at) | integer_bit;
    (infinity, infinity | sign, least_normal, sign)
}
