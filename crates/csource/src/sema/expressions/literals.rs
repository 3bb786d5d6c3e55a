//! Literals: the type of an integer, rounding of a float, strings.

use super::super::analyser::{Analyser, expr};
use super::super::floats;
use super::super::fold::float_kind_of_suffix;
use crate::syntax::{Encoding, FloatSuffix, IntegerSuffix};
use crate::tree::{Expr, ExprKind, FlagKind, Initializer, Storage, StringId, StringLiteral, Variable};
use crate::types::{ArrayLength, DataModel, IntegerKind, Type, TypeId, TypeRef};
use base::Span;

impl Analyser<'_> {
    /// C11 6.4.4.1p5: the first type of the list that can hold the value.
    pub fn integer(&mut self, value: u128, is_decimal: bool, suffix: IntegerSuffix, span: Span) -> Expr {
        use IntegerKind::{Int, Long, LongLong};
        let written = value;
        let value = written & u128::from(u64::MAX);
        if written != value {
            let message =
                format!("this integer is too large for any type; its low 64 bits, {value}, are used");
            self.warn("large-literal", span, message);
        }
        let start = if suffix.long_long {
            2
        } else if suffix.long {
            1
        } else {
            0
        };
        for signed in &[Int, Long, LongLong][start..] {
            let width = self.types().integer_width(*signed);
            if !suffix.unsigned && value < 1 << (width - 1) {
                return self.integer_of(*signed, value, span);
            }
            if (suffix.unsigned || !is_decimal) && value < 1 << width {
                return self.integer_of(signed.to_unsigned(), value, span);
            }
        }
        // GCC: a decimal literal past `long long` is an `__int128` where there is one, else unsigned.
        self.warn("large-literal", span, "this integer is too large for `long long`");
        let kind = match self.types().model() {
            DataModel::Lp64 => IntegerKind::Int128,
            DataModel::Ilp32 => IntegerKind::UnsignedLongLong,
        };
        self.integer_of(kind, value, span)
    }

    fn integer_of(&mut self, kind: IntegerKind, value: u128, span: Span) -> Expr {
        let ty = self.types_mut().integer(kind);
        expr(ExprKind::Integer(value), ty, span)
    }

    /// A floating literal, rounded to its type.
    pub fn float(&mut self, text: &str, suffix: FloatSuffix, is_imaginary: bool, span: Span) -> Expr {
        let kind = float_kind_of_suffix(suffix);
        if is_imaginary {
            let ty = self.types_mut().intern(Type::Complex(kind));
            return self.unsupported(FlagKind::Complex, ty, span, "complex values are not modelled");
        }
        let ty = self.types_mut().float(kind);
        match floats::parse(text, kind) {
            Some(bits) => expr(ExprKind::Float(bits), ty, span),
            None => {
                self.error("bad-literal", span, format!("`{text}` is not a number"));
                self.error_expr(span)
            }
        }
    }

    /// A character constant.
    pub fn character(&mut self, value: i64, encoding: Encoding, span: Span) -> Expr {
        let ty = match encoding {
            Encoding::Plain => self.common.int,
            _ => self.character_type(encoding),
        };
        let bits = self.shape(ty).map_or(0, |shape| shape.truncate(i128::from(value) as u128));
        expr(ExprKind::Integer(bits), ty, span)
    }

    /// The type of a string's elements.
    pub fn character_type(&mut self, encoding: Encoding) -> TypeId {
        match encoding {
            Encoding::Plain => self.common.char,
            Encoding::Wide => self.types_mut().wide_char(),
            Encoding::Utf16 => self.types_mut().integer(IntegerKind::UnsignedShort),
            Encoding::Utf32 => self.common.unsigned,
        }
    }

    /// A string literal as an lvalue.
    pub fn string(&mut self, units: &[u32], encoding: Encoding, span: Span) -> Expr {
        let id = self.string_literal(units, encoding, span);
        let ty = self.unit.strings[id].ty;
        expr(ExprKind::String(id), ty, span)
    }

    /// Records a string literal with its terminating zero.
    pub fn string_literal(&mut self, units: &[u32], encoding: Encoding, span: Span) -> StringId {
        let element = self.character_type(encoding);
        let mut with_zero = Vec::with_capacity(units.len() + 1);
        with_zero.extend_from_slice(units);
        with_zero.push(0);
        let ty = self.types_mut().array(element, ArrayLength::Known(with_zero.len() as u64));
        self.unit.strings.push(StringLiteral { units: with_zero, encoding, ty, span })
    }

    /// `__func__`: one static array per function.
    pub fn function_name(&mut self, span: Span) -> Expr {
        let Some(function) = &self.function else {
            return self.string(&[], Encoding::Plain, span);
        };
        if let Some(variable) = function.name_array {
            let ty = self.unit.variables[variable].ty;
            return expr(ExprKind::Variable(variable), ty, span);
        }
        let (owner, name) = (function.id, function.name.clone());
        let units: Vec<u32> = name.bytes().map(u32::from).collect();
        let literal = self.string_literal(&units, Encoding::Plain, span);
        let mut element = TypeRef::from(self.common.char);
        element.qualifiers.is_const = true;
        let ty = self.types_mut().array(element, ArrayLength::Known(units.len() as u64 + 1));
        let variable = self.unit.variables.push(Variable {
            name: "__func__".into(),
            ty: ty.into(),
            storage: Storage::LocalStatic,
            is_thread_local: false,
            alignment: None,
            initializer: Some(Initializer::String(literal)),
            flexible_elements: 0,
            parameter_elements: None,
            has_least_length: false,
            function: Some(owner),
            address_taken: false,
            symbol: Default::default(),
            span,
        });
        if let Some(function) = &mut self.function {
            function.name_array = Some(variable);
        }
        expr(ExprKind::Variable(variable), ty, span)
    }
}
