//! Compiler builtins: ordinary functions under another name, constants, and the rest with their types.
//!
//! What is left as `ExprKind::Builtin` has the argument and result types that GCC documents; an unknown one is flagged.

mod atomics;
mod library;
mod object_size;

use super::analyser::{Analyser, expr};
use super::expressions::Purpose;
use super::floats;
use crate::syntax::{self, Encoding, ExprKind as Written};
use crate::tree::{BinaryOp, Expr, ExprKind, FlagKind};
use crate::types::{DataModel, FloatKind, Type, TypeId};
use base::{Span, Symbol};
use std::sync::Arc;

/// A call of a builtin being read.
pub(super) struct BuiltinCall<'a> {
    /// With its prefix.
    pub name: Arc<str>,
    pub arguments: &'a [syntax::Expr],
    pub name_span: Span,
    pub span: Span,
}

/// Builtins with a fixed prototype, in the letters of `library` (`.`: any further arguments).
fn fixed_letters(name: &str, model: DataModel) -> Option<&'static str> {
    Some(match name {
        "unreachable" | "trap" => "v",
        "alloca" => "pz",
        "alloca_with_align" => "pzz",
        "alloca_with_align_and_max" => "pzzz",
        "prefetch" => "vP.",
        "return_address" | "frame_address" => "pu",
        "extract_return_addr" | "frob_return_addr" => "pp",
        "assume_aligned" => "pPz.",
        "clz" | "ctz" | "popcount" | "parity" => "iu",
        "clzl" | "ctzl" | "popcountl" | "parityl" => "im",
        "clzll" | "ctzll" | "popcountll" | "parityll" => "iM",
        "ffs" | "clrsb" => "ii",
        "ffsl" | "clrsbl" => "il",
        "ffsll" | "clrsbll" => "iL",
        "bswap16" => "hh",
        "bswap32" => "uu",
        "bswap64" if model == DataModel::Lp64 => "mm",
        "bswap64" => "MM",
        "bswap128" => "xx",
        "isnanf" | "isinff" | "finitef" | "signbitf" => "if",
        "isnanl" | "isinfl" | "finitel" | "signbitl" => "ie",
        "finite" => "id",
        _ => return None,
    })
}

impl Analyser<'_> {
    /// A call of an undeclared name with a builtin's prefix.
    pub fn builtin_call(
        &mut self,
        name: Symbol,
        arguments: &[syntax::Expr],
        name_span: Span,
        span: Span,
    ) -> Expr {
        let name = self.shared_text(name);
        let call = BuiltinCall { name: name.clone(), arguments, name_span, span };
        let Some(plain) = name.strip_prefix("__builtin_") else { return self.atomic_builtin(&call) };
        if let Some(letters) = fixed_letters(plain, self.types().model()) {
            return self.fixed_builtin(&call, letters);
        }
        match plain {
            "expect" | "expect_with_probability" => self.expect(&call),
            "constant_p" => self.constant_p(&call),
            "object_size" | "dynamic_object_size" => self.object_size(&call),
            "speculation_safe_value" => self.safe_value(&call),
            "va_start" | "va_end" | "va_copy" => self.va_builtin(&call, plain),
            "classify_type" => self.classify_type(&call),
            "LINE" | "FILE" | "FUNCTION" => self.place_builtin(&call, plain),
            "isnan" | "isinf" | "isfinite" | "isnormal" | "signbit" | "isinf_sign" => {
                self.float_question(&call, 1)
            }
            "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered" => {
                self.float_question(&call, 2)
            }
            "fpclassify" => self.fpclassify(&call),
            "add_overflow" | "sub_overflow" | "mul_overflow" | "add_overflow_p" | "sub_overflow_p"
            | "mul_overflow_p" => self.overflow(&call),
            _ => self.other_builtin(&call, plain),
        }
    }

    fn other_builtin(&mut self, call: &BuiltinCall<'_>, plain: &str) -> Expr {
        if let Some(folded) = self.float_constant(call, plain) {
            return folded;
        }
        if let Some(typed) = self.typed_overflow(call, plain) {
            return typed;
        }
        if let Some(checked) = self.checked_variant(call, plain) {
            return checked;
        }
        if let Some(id) = self.library_function(plain) {
            let arguments = self.values(call);
            let callee = self.function_designator(id, call.name_span);
            let function = callee.ty.id;
            return self.call_typed(callee, function, arguments, call.span);
        }
        self.unknown_builtin(call)
    }

    /// The arguments, decayed.
    pub fn values(&mut self, call: &BuiltinCall<'_>) -> Vec<Expr> {
        call.arguments.iter().map(|argument| self.value(argument)).collect()
    }

    /// Says how many arguments are wanted, if it is not so many.
    pub fn has_arguments(&mut self, call: &BuiltinCall<'_>, least: usize, most: usize) -> bool {
        let given = call.arguments.len();
        if given >= least && given <= most {
            return true;
        }
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let message = format!("`{}` takes {wanted} arguments, not {given}", call.name);
        self.error("argument-count", call.span, message);
        false
    }

    /// The node of a builtin; an argument in error makes it one.
    pub fn builtin_node(&mut self, call: &BuiltinCall<'_>, arguments: Vec<Expr>, ty: TypeId) -> Expr {
        if arguments.iter().any(|argument| self.is_error(argument.ty.id)) || self.is_error(ty) {
            return self.error_expr(call.span);
        }
        expr(ExprKind::Builtin { name: call.name.clone(), arguments }, ty, call.span)
    }

    fn fixed_builtin(&mut self, call: &BuiltinCall<'_>, letters: &str) -> Expr {
        let is_variadic = letters.ends_with('.');
        let mut letters = letters.trim_end_matches('.').chars();
        let result = letters.next().map_or(self.common.void, |letter| self.type_of_letter(letter));
        let parameters: Vec<TypeId> = letters.map(|letter| self.type_of_letter(letter)).collect();
        let most = if is_variadic { usize::MAX } else { parameters.len() };
        if !self.has_arguments(call, parameters.len(), most) {
            return self.error_expr(call.span);
        }
        let arguments = self.values(call);
        let converted = arguments.into_iter().enumerate().map(|(at, argument)| match parameters.get(at) {
            Some(&parameter) => self.assign_convert(argument, parameter, Purpose::Pass),
            None => self.pass_promoted(argument),
        });
        let converted = converted.collect();
        self.builtin_node(call, converted, result)
    }

    /// `__builtin_expect(a, b)` is `(long)a`.
    fn expect(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 2, 3) {
            return self.error_expr(call.span);
        }
        let mut arguments = self.values(call).into_iter();
        let long = self.common.long;
        let Some(first) = arguments.next() else { return self.error_expr(call.span) };
        let mut result = self.assign_convert(first, long, Purpose::Pass);
        result.span = call.span;
        let result = self.as_rvalue(result);
        for other in arguments {
            if super::effects::has_effects(&other) {
                let dropped = self.drop_value(other);
                return expr(ExprKind::Comma(Box::new(dropped), Box::new(result)), long, call.span);
            }
        }
        result
    }

    /// 1 for what folds to a number and for string literals, else 0; nothing is evaluated.
    fn constant_p(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 1, 1) {
            return self.error_expr(call.span);
        }
        let argument = self.without_evaluation(|this| this.value(&call.arguments[0]), |_, _| false);
        let is_string =
            matches!(&argument.kind, ExprKind::Decay(inner) if matches!(inner.kind, ExprKind::String(_)));
        let is_constant = is_string || self.fold(&argument).is_some();
        if !is_constant && may_fold(&argument) {
            let message = "`__builtin_constant_p` of what gcc may simplify to a constant".to_owned();
            let int = self.common.int;
            return self.unsupported(FlagKind::UnknownBuiltin, int, call.span, message);
        }
        self.int_constant(u128::from(is_constant), call.span)
    }

    /// The lists are passed as pointers to their storage; see `va_list_pointer`.
    fn va_builtin(&mut self, call: &BuiltinCall<'_>, plain: &str) -> Expr {
        let (least, most) = match plain {
            "va_start" => (1, 2),
            "va_copy" => (2, 2),
            _ => (1, 1),
        };
        if !self.has_arguments(call, least, most) {
            return self.error_expr(call.span);
        }
        let Some(list) = self.va_list_pointer(&call.arguments[0]) else { return self.error_expr(call.span) };
        let mut arguments = vec![list];
        match (plain, call.arguments.get(1)) {
            ("va_copy", Some(from)) => {
                let Some(from) = self.va_list_source(from) else { return self.error_expr(call.span) };
                arguments.push(from);
            }
            // The last parameter before the dots says nothing that the function's type does not.
            (_, Some(last)) => {
                self.without_evaluation(|this| this.value(last), |_, _| false);
            }
            _ => {}
        }
        let void = self.common.void;
        self.builtin_node(call, arguments, void)
    }

    /// The second list of `va_copy`: on ILP32 it may be a plain value, which then gets storage.
    fn va_list_source(&mut self, list: &syntax::Expr) -> Option<Expr> {
        self.va_list_pointer(list)
    }

    /// GCC's `enum type_class`.
    fn classify_type(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 1, 1) {
            return self.error_expr(call.span);
        }
        let argument = self.without_evaluation(|this| this.value(&call.arguments[0]), |_, _| false);
        let class = match self.types().get(argument.ty.id) {
            Type::Void => 0,
            Type::Bool | Type::Integer(_) | Type::Enum(_) => 1,
            Type::Pointer(_) | Type::Array(..) | Type::Function(_) => 5,
            Type::Float(_) => 8,
            Type::Complex(_) => 9,
            Type::Record(record) => match self.types().records[*record].kind {
                syntax::RecordKind::Struct => 12,
                syntax::RecordKind::Union => 13,
            },
            Type::Vector(..) => 19,
            Type::Error => return self.error_expr(call.span),
        };
        self.int_constant(class, call.span)
    }

    fn place_builtin(&mut self, call: &BuiltinCall<'_>, plain: &str) -> Expr {
        let location = self.session.sources.location(call.span);
        let text = match (plain, location) {
            ("LINE", location) => {
                return self.int_constant(location.map_or(0, |at| u128::from(at.line)), call.span);
            }
            ("FILE", Some(location)) => location.file.to_string(),
            _ => self.function.as_ref().map_or_else(String::new, |function| function.name.to_string()),
        };
        let units: Vec<u32> = text.bytes().map(u32::from).collect();
        let literal = self.string(&units, Encoding::Plain, call.span);
        self.decay(literal)
    }

    /// `isnan`, `isless` …: the arguments keep their floating type, brought to a common one.
    fn float_question(&mut self, call: &BuiltinCall<'_>, count: usize) -> Expr {
        if !self.has_arguments(call, count, count) {
            return self.error_expr(call.span);
        }
        let mut arguments = self.values(call);
        let kinds = arguments.iter().filter_map(|argument| self.types().float_kind(argument.ty.id));
        let kind = kinds.max();
        let special = arguments.iter().position(|argument| !self.types().is_arithmetic(argument.ty.id));
        if let Some(at) = special {
            let argument = arguments.swap_remove(at);
            if !self.is_error(argument.ty.id) {
                let message =
                    format!("`{}` needs floating numbers, not `{}`", call.name, self.show(argument.ty));
                self.error("not-arithmetic", argument.span, message);
            }
            return self.error_expr(call.span);
        }
        let ty = self.types_mut().float(kind.unwrap_or(FloatKind::Double));
        let converted = arguments.into_iter().map(|argument| self.cast_implicitly(argument, ty)).collect();
        let int = self.common.int;
        self.builtin_node(call, converted, int)
    }

    fn fpclassify(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 6, 6) {
            return self.error_expr(call.span);
        }
        let arguments = self.values(call);
        let int = self.common.int;
        let converted = arguments.into_iter().enumerate().map(|(at, argument)| {
            if at < 5 { self.assign_convert(argument, int, Purpose::Pass) } else { argument }
        });
        let converted = converted.collect();
        self.builtin_node(call, converted, int)
    }

    /// The generic ones: two integers of any type, and a pointer to (or a value of) the type of the result.
    fn overflow(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 3, 3) {
            return self.error_expr(call.span);
        }
        let arguments = self.values(call);
        if call.name.ends_with("_p")
            && arguments.last().is_some_and(|last| self.bit_field_width(last).is_some())
        {
            // The width of the bit-field counts, not that of its type.
            let message = format!("`{}` of a bit-field is not modelled", call.name);
            return self.unsupported(FlagKind::UnknownBuiltin, self.common.bool, call.span, message);
        }
        for (at, argument) in arguments.iter().enumerate() {
            let ty = argument.ty.id;
            let is_result = at == 2 && !call.name.ends_with("_p");
            let wanted = if is_result { self.types().pointee(ty).map(|to| to.id) } else { Some(ty) };
            let fits = wanted.is_some_and(|ty| self.types().is_integer(ty));
            if !fits && !self.is_error(ty) {
                let message = format!("`{}` cannot take `{}` here", call.name, self.show(ty));
                self.error("not-integer", argument.span, message);
                return self.error_expr(call.span);
            }
        }
        let bool = self.common.bool;
        self.builtin_node(call, arguments, bool)
    }

    /// `__builtin_saddl_overflow` and its kin.
    fn typed_overflow(&mut self, call: &BuiltinCall<'_>, plain: &str) -> Option<Expr> {
        let stem = plain.strip_suffix("_overflow")?;
        let (is_unsigned, stem) = match stem.split_at_checked(1)? {
            ("s", rest) => (false, rest),
            ("u", rest) => (true, rest),
            _ => return None,
        };
        let width = ["add", "sub", "mul"].iter().find_map(|operation| stem.strip_prefix(operation))?;
        let letter = match (width, is_unsigned) {
            ("", false) => 'i',
            ("", true) => 'u',
            ("l", false) => 'l',
            ("l", true) => 'm',
            ("ll", false) => 'L',
            ("ll", true) => 'M',
            _ => return None,
        };
        if !self.has_arguments(call, 3, 3) {
            return Some(self.error_expr(call.span));
        }
        let operand = self.type_of_letter(letter);
        let result = self.pointer_to_letter(letter);
        let arguments = self.values(call);
        let wanted = [operand, operand, result];
        let converted = arguments
            .into_iter()
            .zip(wanted)
            .map(|(argument, ty)| self.assign_convert(argument, ty, Purpose::Pass));
        let converted = converted.collect();
        let bool = self.common.bool;
        Some(self.builtin_node(call, converted, bool))
    }

    /// `inf`, `huge_val`, `nan("")` in all types.
    fn float_constant(&mut self, call: &BuiltinCall<'_>, plain: &str) -> Option<Expr> {
        let stems = ["huge_val", "inf", "nans", "nan"];
        let (stem, suffix) = stems.iter().find_map(|stem| Some((*stem, plain.strip_prefix(stem)?)))?;
        let kind = match suffix {
            "" | "f64" | "f32x" => FloatKind::Double,
            "f" | "f32" => FloatKind::Float,
            "l" | "f64x" => FloatKind::LongDouble,
            "f128" | "q" => FloatKind::Float128,
            _ => return None,
        };
        let bits = match stem {
            "nan" | "nans" => {
                let payload = self.payload(call.arguments.first()?)?;
                floats::not_a_number(kind, payload, stem == "nans")
            }
            _ if call.arguments.is_empty() => floats::infinity(kind),
            _ => return None,
        };
        let ty = self.types_mut().float(kind);
        Some(expr(ExprKind::Float(bits), ty, call.span))
    }

    /// The number in the string of `nan("0x12")`; empty is zero.
    fn payload(&self, argument: &syntax::Expr) -> Option<u128> {
        let mut argument = argument;
        while let Written::Paren(inner) = &argument.kind {
            argument = inner;
        }
        let Written::String { units, .. } = &argument.kind else { return None };
        let text: String = units.iter().filter_map(|&unit| char::from_u32(unit)).collect();
        if text.is_empty() {
            return Some(0);
        }
        match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None if text.starts_with('0') => u128::from_str_radix(&text, 8).ok(),
            None => text.parse().ok(),
        }
    }

    /// The checked variants: `__builtin___memcpy_chk` is the function `__memcpy_chk`, which ends the run rather than
    /// write past the size it is given. Those that print are the unchecked ones where the check cannot strike.
    fn checked_variant(&mut self, call: &BuiltinCall<'_>, plain: &str) -> Option<Expr> {
        let stem = plain.strip_prefix("__")?.strip_suffix("_chk")?;
        let (flag, size, format) = match stem {
            "printf" | "vprintf" => (0, None, 1),
            "fprintf" | "vfprintf" => (1, None, 2),
            "sprintf" | "vsprintf" => (1, Some(2), 3),
            "snprintf" | "vsnprintf" => (2, Some(3), 4),
            _ => return None,
        };
        let id = self.library_function(stem)?;
        let arguments = self.values(call);
        // With a flag, `%n` is only allowed in formats that cannot be written to.
        let has_flag = self.fold_integer(arguments.get(flag)?) != Some(0);
        let is_literal = matches!(&arguments.get(format)?.kind, ExprKind::Decay(text) if matches!(text.kind, ExprKind::String(_)));
        let is_flag_constant = self.fold_integer(&arguments[flag]).is_some();
        let is_unlimited = size.is_none_or(|at: usize| {
            let as_size = |argument: &Expr| {
                let (shape, size) = (self.shape(argument.ty.id)?, self.shape(self.common.size)?);
                self.fold_integer(argument).map(|bits| size.truncate(shape.value(bits) as u128))
            };
            let greatest = self.shape(self.common.size).map(|size| size.truncate(u128::MAX));
            let given = arguments.get(at).and_then(as_size);
            let bound = arguments.get(1).filter(|_| stem.ends_with("snprintf")).and_then(as_size);
            given.is_some() && (given == greatest || bound.is_some_and(|bound| Some(bound) <= given))
        });
        if !is_flag_constant || (has_flag && !is_literal) || !is_unlimited {
            return None;
        }
        let is_check = |at: usize| at == flag || Some(at) == size;
        let kept = arguments.into_iter().enumerate().filter(|(at, _)| !is_check(*at));
        let kept: Vec<Expr> = kept.map(|(_, argument)| argument).collect();
        let callee = self.function_designator(id, call.name_span);
        let function = callee.ty.id;
        Some(self.call_typed(callee, function, kept, call.span))
    }

    /// `__builtin_speculation_safe_value(v, instead)` is `v`.
    fn safe_value(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 1, 2) {
            return self.error_expr(call.span);
        }
        let mut arguments = self.values(call).into_iter();
        let Some(value) = arguments.next() else { return self.error_expr(call.span) };
        let value = self.as_rvalue(value);
        match arguments.next() {
            Some(instead) if super::effects::has_effects(&instead) => {
                let (ty, dropped) = (value.ty.id, self.drop_value(instead));
                expr(ExprKind::Comma(Box::new(dropped), Box::new(value)), ty, call.span)
            }
            _ => value,
        }
    }

    /// A builtin without a model: its name and arguments stay, and it is flagged.
    pub fn unknown_builtin(&mut self, call: &BuiltinCall<'_>) -> Expr {
        let arguments = self.values(call);
        let message = format!("`{}` is not modelled", call.name);
        // Vector builtins mostly give what they take.
        if let Some(vector) = arguments.iter().find(|argument| self.is_special(argument.ty.id)) {
            let (ty, span) = (vector.ty.id, call.span);
            return self.unsupported(FlagKind::UnknownBuiltin, ty, span, message);
        }
        self.flag(FlagKind::UnknownBuiltin, call.span, message);
        let int = self.common.int;
        self.builtin_node(call, arguments, int)
    }
}

/// May gcc find a constant where we do not, as for `x * 0` or `x >= x`? It may where an operator has a constant operand
/// or two that have something in common. (Sums of a constant and what is none, and members, elements, results of calls
/// are none.)
fn may_fold(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast { operand, .. } | ExprKind::Unary(_, operand) => may_fold(operand),
        ExprKind::Binary(op, left, right) => {
            let is_number = |side: &Expr| matches!(without_casts(side).kind, ExprKind::Integer(_));
            match (&without_casts(left).kind, &without_casts(right).kind) {
                (ExprKind::Variable(one), ExprKind::Variable(two)) => one == two,
                _ if is_number(left) || is_number(right) => {
                    !matches!(op, BinaryOp::Add | BinaryOp::Subtract) || may_fold(left) || may_fold(right)
                }
                _ => true,
            }
        }
        ExprKind::LogicalAnd(..)
        | ExprKind::LogicalOr(..)
        | ExprKind::Conditional(..)
        | ExprKind::ConditionalOrElse(..)
        | ExprKind::Comma(..)
        | ExprKind::PointerDifference(..) => true,
        _ => false,
    }
}

fn without_casts(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let ExprKind::Cast { operand, .. } = &expr.kind {
        expr = operand;
    }
    expr
}
