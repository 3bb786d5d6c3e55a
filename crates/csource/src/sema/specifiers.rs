//! Declaration specifiers to a base type.

use super::analyser::Analyser;
use super::attributes::Attributes;
use super::scope::Binding;
use crate::syntax::{Alignment, BasicType, Specifiers, TypeName, TypeSpecifier};
use crate::tree::FlagKind;
use crate::types::{Type, TypeId, TypeRef};
use base::Span;

/// What a tag without members does in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagUse {
    /// `struct s x;`: the visible one, or a new incomplete one.
    Refer,
    /// `struct s;`: this scope's own.
    Declare,
}

/// The base type of a declaration with what its specifiers ask for.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub ty: TypeRef,
    /// The alignment that the typedef or `_Atomic` gives in place of the type's own.
    pub type_alignment: Option<u64>,
    /// `__auto_type`: the initialiser gives the type.
    pub is_auto: bool,
    /// Attributes among the specifiers, `_Alignas` included.
    pub attributes: Attributes,
}

impl Analyser<'_> {
    /// The base type of a declaration.
    pub fn base(&mut self, specifiers: &Specifiers, tags: TagUse) -> Base {
        let mut attributes = if specifiers.attributes.is_empty() {
            Attributes::default()
        } else {
            self.attributes(&specifiers.attributes)
        };
        for alignment in &specifiers.alignments {
            let asked = self.alignas(alignment);
            attributes.alignment = attributes.alignment.max(asked);
        }
        attributes.is_noreturn |= specifiers.is_noreturn;
        let mut type_alignment = None;
        let mut ty =
            self.specified_type(&specifiers.type_specifier, tags, specifiers.span, &mut type_alignment);
        if attributes.mode.is_some() || attributes.vector_size.is_some() {
            ty.id = self.reshape(ty.id, &attributes);
        }
        ty.qualifiers = ty.qualifiers.and(specifiers.qualifiers);
        if ty.qualifiers.is_atomic {
            type_alignment = type_alignment.max(self.atomic_alignment(ty.id));
        }
        let is_auto = matches!(specifiers.type_specifier, TypeSpecifier::AutoType);
        Base { ty, type_alignment, is_auto, attributes }
    }

    /// An atomic object is aligned to its size, when that is a size the machine can access at once.
    fn atomic_alignment(&self, ty: TypeId) -> Option<u64> {
        self.types().size_of(ty).filter(|size| size.is_power_of_two() && *size <= 16)
    }

    fn alignas(&mut self, alignment: &Alignment) -> Option<u64> {
        match alignment {
            Alignment::Type(name) => {
                let (ty, asked) = self.aligned_type_name(name);
                asked.or_else(|| self.types().member_align_of(ty.id))
            }
            Alignment::Expr(e) => {
                let typed = self.value(e);
                let value = self.constant_value(&typed);
                match value.map(u64::try_from) {
                    Some(Ok(0)) => None,
                    Some(Ok(bytes)) if bytes.is_power_of_two() && bytes <= 1 << 28 => Some(bytes),
                    _ => {
                        if !self.is_error(typed.ty.id) {
                            self.error(
                                "bad-alignment",
                                e.span,
                                "an alignment must be a constant power of two",
                            );
                        }
                        None
                    }
                }
            }
        }
    }

    fn specified_type(
        &mut self,
        specifier: &TypeSpecifier,
        tags: TagUse,
        span: Span,
        type_alignment: &mut Option<u64>,
    ) -> TypeRef {
        match specifier {
            TypeSpecifier::Basic(basic) => self.basic_type(*basic).into(),
            TypeSpecifier::ImplicitInt => self.common.int.into(),
            TypeSpecifier::AutoType => self.common.error.into(),
            TypeSpecifier::VaList => self.types_mut().va_list().into(),
            TypeSpecifier::Record(record) => self.record(record, tags).into(),
            TypeSpecifier::Enum(specifier) => self.enumeration(specifier, tags).into(),
            TypeSpecifier::Typedef(name) => match self.scopes.name(*name).map(|entry| entry.what) {
                Some(Binding::Typedef { ty, alignment }) => {
                    *type_alignment = alignment;
                    ty
                }
                Some(Binding::Broken) => self.common.error.into(),
                _ => {
                    let message = format!("`{}` is not a type", self.text(*name));
                    self.error("unknown-type", span, message);
                    self.common.error.into()
                }
            },
            TypeSpecifier::TypeofExpr(e) => self.typeof_expr(e),
            TypeSpecifier::TypeofType(name) => self.typeof_type(name, type_alignment),
            TypeSpecifier::Atomic(name) => {
                let mut ty = self.type_name(name);
                ty.qualifiers.is_atomic = true;
                ty
            }
            TypeSpecifier::BitInt { .. } => {
                self.flag(FlagKind::BitInt, span, "`_BitInt` is not modelled");
                self.common.error.into()
            }
        }
    }

    fn typeof_type(&mut self, name: &TypeName, type_alignment: &mut Option<u64>) -> TypeRef {
        let (ty, alignment) = self.aligned_type_name(name);
        *type_alignment = alignment;
        ty
    }

    fn typeof_expr(&mut self, e: &crate::syntax::Expr) -> TypeRef {
        let typed = self.without_evaluation(|this| this.expr(e), |_, _| false);
        if self.is_variably_modified(typed.ty.id) && super::effects::has_effects(&typed) {
            let message = "side effects in a `typeof` of run-time size are not supported";
            self.error_with_hint("unsupported", e.span, message, "move the side effect out of the `typeof`");
        }
        if matches!(typed.kind, crate::tree::ExprKind::Member { .. })
            && let Some(width) = self.bit_field_width(&typed)
        {
            self.error(
                "bit-field",
                e.span,
                format!("`typeof` of a bit-field of {width} bits is not allowed"),
            );
        }
        typed.ty
    }

    /// A built-in type.
    pub fn basic_type(&mut self, basic: BasicType) -> TypeId {
        let ty = match basic {
            BasicType::Void => Type::Void,
            BasicType::Bool => Type::Bool,
            BasicType::Integer(kind) => Type::Integer(kind),
            BasicType::Float(kind) => Type::Float(kind),
            BasicType::Complex(kind) => Type::Complex(kind),
        };
        self.types_mut().intern(ty)
    }
}
