//! GNU attributes that change types, layout or linkage. The others are hints to an optimiser and are accepted unread.

use super::analyser::Analyser;
use crate::syntax::{self, Attribute};
use crate::tree::{ExprKind, FunctionId, SymbolAttributes};
use crate::types::{DataModel, FloatKind, IntegerKind, Type, TypeId};
use base::Span;
use std::sync::Arc;

/// What a list of attributes says.
#[derive(Debug, Default, Clone)]
pub(super) struct Attributes {
    pub is_packed: bool,
    /// The greatest `aligned`, in bytes.
    pub alignment: Option<u64>,
    /// The argument of `mode` without underscores.
    pub mode: Option<(Arc<str>, Span)>,
    /// Bytes of a vector.
    pub vector_size: Option<(u64, Span)>,
    pub is_transparent_union: bool,
    pub is_noreturn: bool,
    pub is_gnu_inline: bool,
    pub is_always_inline: bool,
    /// What is said of the symbol: kept for later stages.
    pub symbol: SymbolAttributes,
    /// An attribute that changes the meaning in a way we do not model.
    pub unmodelled: Option<(&'static str, Span)>,
}

impl Attributes {
    /// Both together.
    pub fn and(mut self, other: Attributes) -> Attributes {
        self.is_packed |= other.is_packed;
        self.alignment = self.alignment.max(other.alignment);
        self.mode = other.mode.or(self.mode);
        self.vector_size = other.vector_size.or(self.vector_size);
        self.is_transparent_union |= other.is_transparent_union;
        self.is_noreturn |= other.is_noreturn;
        self.is_gnu_inline |= other.is_gnu_inline;
        self.is_always_inline |= other.is_always_inline;
        self.symbol.merge(&other.symbol);
        self.unmodelled = self.unmodelled.or(other.unmodelled);
        self
    }
}

/// What `aligned` without an argument means on x86.
const GREATEST_ALIGNMENT: u64 = 16;

impl Analyser<'_> {
    /// Reads a list of attributes.
    pub fn attributes(&mut self, list: &[Attribute]) -> Attributes {
        let mut known = Attributes::default();
        for attribute in list {
            // C23 scopes (`gnu::packed`) may come with the name.
            let name = self.shared_text(attribute.name);
            let name = name.strip_prefix("gnu::").unwrap_or(&name);
            match name.trim_matches('_') {
                "packed" => known.is_packed = true,
                "aligned" => {
                    let asked = self.alignment_argument(attribute);
                    known.alignment = known.alignment.max(asked);
                }
                "mode" => known.mode = self.mode_argument(attribute),
                "vector_size" => {
                    known.vector_size = self.size_argument(attribute).map(|n| (n, attribute.span))
                }
                "transparent_union" => known.is_transparent_union = true,
                "noreturn" | "Noreturn" => known.is_noreturn = true,
                "gnu_inline" => known.is_gnu_inline = true,
                "always_inline" => known.is_always_inline = true,
                spelled @ ("alias" | "weakref") => {
                    known.symbol.is_weakref |= spelled == "weakref";
                    if let Some(target) = self.string_argument(attribute) {
                        known.symbol.alias = Some(target);
                    }
                }
                "constructor" => known.symbol.constructor = Some(self.priority_argument(attribute)),
                "destructor" => known.symbol.destructor = Some(self.priority_argument(attribute)),
                "weak" => known.symbol.is_weak = true,
                "common" => known.symbol.is_common = true,
                "nocommon" => known.symbol.is_common = false,
                "section" => known.symbol.section = self.string_argument(attribute),
                "pure" | "const" => known.symbol.promises.changes_nothing = true,
                "returns_nonnull" => known.symbol.promises.never_null = true,
                "nonnull" if attribute.arguments.is_empty() => known.symbol.promises.none_is_null = true,
                "nonnull" => {
                    for argument in &attribute.arguments {
                        let position = self.constant_argument(argument);
                        known
                            .symbol
                            .promises
                            .not_null
                            .extend(position.and_then(|at| usize::try_from(at).ok()));
                    }
                }
                "noinit" => known.unmodelled = Some(("noinit", attribute.span)),
                "persistent" => known.unmodelled = Some(("persistent", attribute.span)),
                "naked" => known.unmodelled = Some(("naked", attribute.span)),
                "cleanup" => match self.function_argument(attribute) {
                    Some(function) => known.symbol.cleanup = Some(function),
                    None => known.unmodelled = Some(("cleanup", attribute.span)),
                },
                "scalar_storage_order" => known.unmodelled = Some(("scalar_storage_order", attribute.span)),
                "ms_struct" => known.unmodelled = Some(("ms_struct", attribute.span)),
                "optimize" => {
                    let option = self.string_argument(attribute);
                    if option.is_some_and(|option| crate::lexer::changes_meaning(&option)) {
                        known.unmodelled = Some(("optimize", attribute.span));
                    }
                }
                "ifunc" => known.unmodelled = Some(("ifunc", attribute.span)),
                _ => {}
            }
        }
        known
    }

    fn alignment_argument(&mut self, attribute: &Attribute) -> Option<u64> {
        let Some(argument) = attribute.arguments.first() else { return Some(GREATEST_ALIGNMENT) };
        let value = self.constant_argument(argument)?;
        match u64::try_from(value) {
            Ok(bytes) if bytes.is_power_of_two() && bytes <= 1 << 28 => Some(bytes),
            _ => {
                let message = format!("an alignment must be a power of two, not {value}");
                self.error("bad-alignment", argument.span, message);
                None
            }
        }
    }

    /// The priority of a constructor or destructor.
    fn priority_argument(&mut self, attribute: &Attribute) -> u32 {
        let asked = attribute.arguments.first().and_then(|argument| self.constant_argument(argument));
        asked.and_then(|value| u32::try_from(value).ok()).unwrap_or(SymbolAttributes::NO_PRIORITY)
    }

    /// A function that the attribute names.
    fn function_argument(&mut self, attribute: &Attribute) -> Option<FunctionId> {
        let mut typed = self.value(attribute.arguments.first()?);
        loop {
            typed = match typed.kind {
                ExprKind::Function(id) => return Some(id),
                ExprKind::Decay(inner) | ExprKind::AddressOf(inner) => *inner,
                _ => return None,
            };
        }
    }

    fn size_argument(&mut self, attribute: &Attribute) -> Option<u64> {
        let argument = attribute.arguments.first()?;
        u64::try_from(self.constant_argument(argument)?).ok()
    }

    fn constant_argument(&mut self, argument: &syntax::Expr) -> Option<i128> {
        let typed = self.value(argument);
        let value = self.constant_value(&typed);
        if value.is_none() && !self.is_error(typed.ty.id) {
            self.error("not-constant", argument.span, "an attribute's argument must be a constant");
        }
        value
    }

    fn mode_argument(&mut self, attribute: &Attribute) -> Option<(Arc<str>, Span)> {
        match attribute.arguments.first().map(|argument| &argument.kind) {
            Some(syntax::ExprKind::Name(mode)) => {
                Some((Arc::from(self.text(*mode).trim_matches('_')), attribute.span))
            }
            _ => None,
        }
    }

    fn string_argument(&mut self, attribute: &Attribute) -> Option<Arc<str>> {
        match attribute.arguments.first().map(|argument| &argument.kind) {
            Some(syntax::ExprKind::String { units, .. }) => {
                let text: String = units.iter().filter_map(|&unit| char::from_u32(unit)).collect();
                Some(Arc::from(text))
            }
            _ => None,
        }
    }

    /// The type that `mode` and `vector_size` make of a base type.
    pub fn reshape(&mut self, ty: TypeId, attributes: &Attributes) -> TypeId {
        let mut ty = ty;
        if let Some((mode, span)) = &attributes.mode {
            ty = self.type_of_mode(ty, mode, *span);
        }
        if let Some((bytes, span)) = attributes.vector_size {
            ty = self.vector_type(ty, bytes, span);
        }
        ty
    }

    fn type_of_mode(&mut self, ty: TypeId, mode: &str, span: Span) -> TypeId {
        let is_signed = self.shape(ty).is_some_and(|shape| shape.signed);
        let is_lp64 = self.types().model() == DataModel::Lp64;
        let signed = match mode {
            "QI" | "byte" => IntegerKind::SignedChar,
            "HI" => IntegerKind::Short,
            "SI" => IntegerKind::Int,
            "DI" if is_lp64 => IntegerKind::Long,
            "DI" => IntegerKind::LongLong,
            "TI" => IntegerKind::Int128,
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" if is_lp64 => {
                IntegerKind::Long
            }
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => {
                IntegerKind::Int
            }
            "SF" => return self.types_mut().float(FloatKind::Float),
            "DF" => return self.types_mut().float(FloatKind::Double),
            "XF" => return self.types_mut().float(FloatKind::LongDouble),
            "TF" => return self.types_mut().float(FloatKind::Float128),
            "SC" => return self.types_mut().intern(Type::Complex(FloatKind::Float)),
            "DC" => return self.types_mut().intern(Type::Complex(FloatKind::Double)),
            "XC" => return self.types_mut().intern(Type::Complex(FloatKind::LongDouble)),
            _ => {
                let message = format!("the machine mode `{mode}` is not supported");
                self.error("unsupported-mode", span, message);
                return self.common.error;
            }
        };
        let kind = if is_signed || self.shape(ty).is_none() { signed } else { signed.to_unsigned() };
        self.types_mut().integer(kind)
    }

    /// `vector_size` reaches through pointers, arrays and functions to the base type.
    fn vector_type(&mut self, ty: TypeId, bytes: u64, span: Span) -> TypeId {
        let size = match self.types().get(ty) {
            Type::Integer(_) | Type::Float(_) => self.types().size_of(ty),
            _ => None,
        };
        match size.and_then(|size| u32::try_from(bytes / size).ok()) {
            Some(count) if count.is_power_of_two() => self.types_mut().intern(Type::Vector(ty, count)),
            _ => {
                let message =
                    format!("`{}` cannot be the element of a vector of {bytes} bytes", self.show(ty));
                self.error("bad-vector", span, message);
                self.common.error
            }
        }
    }
}
