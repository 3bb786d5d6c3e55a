//! Compiler builtins that are not ordinary functions. What can be said in expressions is; the rest are calls of known
//! procedures; what has no meaning here is told.

use crate::fold;
use crate::function::FunctionLowering;
use base::Span;
use csource::tree;
use program::{Action, AssumptionKind, BinaryOp, Expr, ExprKind, FloatKind, Type, TypeId};

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
