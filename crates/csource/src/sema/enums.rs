//! `enum`: constants and the integer type behind them, as GCC chooses them.
//!
//! The underlying type is `unsigned int` unless a constant is negative (`int`) or does not fit (the next type that
//! does); with `packed` the smallest one. A constant that fits in `int` has that type, another one the enum's
//! underlying type.

use super::analyser::Analyser;
use super::scope::{Binding, Tag};
use super::specifiers::TagUse;
use crate::syntax::{EnumConstant, EnumSpecifier};
use crate::types::{DataModel, Enum, EnumId, IntegerKind, Type, TypeId};
use base::Symbol;

impl Analyser<'_> {
    /// The type an `enum` specifier names or defines.
    pub fn enumeration(&mut self, specifier: &EnumSpecifier, tags: TagUse) -> TypeId {
        let defines = specifier.constants.is_some();
        let known = specifier.tag.and_then(|tag| {
            if defines || tags == TagUse::Declare { self.scopes.tag_here(tag) } else { self.scopes.tag(tag) }
        });
        let mut id = None;
        if let (Some(tag), Some(entry)) = (specifier.tag, known) {
            match entry.what {
                Tag::Enum(known) if !defines || self.types().enums[known].constants.is_none() => {
                    id = Some(known);
                }
                Tag::Enum(known) => {
                    let message = format!("`enum {}` is defined twice", self.text(tag));
                    let place = self.types().enums[known].span;
                    self.error_with_place("redefinition", specifier.span, message, place, "first here");
                }
                Tag::Record(_) => {
                    let message = format!("the tag `{}` is already another kind of type", self.text(tag));
                    self.error_with_place("wrong-tag", specifier.span, message, entry.span, "declared here");
                    if !defines {
                        return self.common.error;
                    }
                }
            }
        }
        let id = id.unwrap_or_else(|| self.new_enum(specifier));
        if let Some(constants) = &specifier.constants {
            self.define_enum(id, specifier, constants);
        }
        self.types_mut().intern(Type::Enum(id))
    }

    fn new_enum(&mut self, specifier: &EnumSpecifier) -> EnumId {
        let tag = specifier.tag.map(|tag| self.shared_text(tag));
        let underlying = self.common.unsigned;
        let id = self.types_mut().enums.push(Enum { tag, span: specifier.span, underlying, constants: None });
        if let Some(tag) = specifier.tag {
            self.scopes.bind_tag(tag, Tag::Enum(id), specifier.span);
        }
        id
    }

    fn define_enum(&mut self, id: EnumId, specifier: &EnumSpecifier, constants: &[EnumConstant]) {
        let attributes = self.attributes(&specifier.attributes);
        let mut known: Vec<(Symbol, i128)> = Vec::with_capacity(constants.len());
        let mut next: i128 = 0;
        for constant in constants {
            let value = match &constant.value {
                Some(e) => self.enumerator_value(e).unwrap_or(next),
                None => {
                    if next == i128::from(i32::MAX) + 1 && !known.is_empty() {
                        let message = format!(
                            "`{}` would be one more than the greatest `int`",
                            self.text(constant.name)
                        );
                        let hint = "give it a value of its own";
                        self.error_with_hint("enum-overflow", constant.span, message, hint);
                    }
                    next
                }
            };
            let ty = self.enumerator_type(value);
            self.bind_constant(constant, ty, value);
            known.push((constant.name, value));
            next = value.wrapping_add(1);
        }
        let least = known.iter().map(|(_, value)| *value).min().unwrap_or(0).min(0);
        let greatest = known.iter().map(|(_, value)| *value).max().unwrap_or(0).max(0);
        let mut underlying = self.underlying_type(least, greatest, attributes.is_packed);
        if attributes.mode.is_some() {
            underlying = self.reshape(underlying, &attributes);
        }
        let named = known.iter().map(|(name, value)| (self.shared_text(*name), *value)).collect();
        let entry = &mut self.types_mut().enums[id];
        entry.underlying = underlying;
        entry.constants = Some(named);
        entry.span = specifier.span;
        // Constants that do not fit in an `int` take the type of the whole enum once it is known.
        for (constant, (_, value)) in constants.iter().zip(&known) {
            if i32::try_from(*value).is_err() {
                self.rebind_constant(constant, underlying, *value);
            }
        }
    }

    fn enumerator_value(&mut self, e: &crate::syntax::Expr) -> Option<i128> {
        let typed = self.value(e);
        if self.is_error(typed.ty.id) {
            return None;
        }
        if !self.types().is_integer(typed.ty.id) {
            let message = format!("an enumerator needs an integer, not `{}`", self.show(typed.ty));
            self.error("not-integer", e.span, message);
            return None;
        }
        let value = self.constant_value(&typed);
        if value.is_none() {
            self.error("not-constant", e.span, "the value of an enumerator must be a constant");
        }
        value
    }

    fn enumerator_type(&mut self, value: i128) -> TypeId {
        if i32::try_from(value).is_ok() {
            return self.common.int;
        }
        self.underlying_type(value.min(0), value.max(0), false)
    }

    fn underlying_type(&mut self, least: i128, greatest: i128, is_packed: bool) -> TypeId {
        let is_signed = least < 0;
        let fits = |bits: u32| {
            if is_signed {
                let half = 1i128 << (bits - 1);
                least >= -half && greatest < half
            } else {
                greatest < 1i128 << bits
            }
        };
        let wide =
            if self.types().model() == DataModel::Lp64 { IntegerKind::Long } else { IntegerKind::LongLong };
        let kind = match () {
            () if is_packed && fits(8) => IntegerKind::SignedChar,
            () if is_packed && fits(16) => IntegerKind::Short,
            () if fits(32) => IntegerKind::Int,
            () => wide,
        };
        let kind = if is_signed { kind } else { kind.to_unsigned() };
        self.types_mut().integer(kind)
    }

    fn bind_constant(&mut self, constant: &EnumConstant, ty: TypeId, value: i128) {
        if let Some(before) = self.scopes.name_here(constant.name) {
            let message = format!("`{}` is declared twice", self.text(constant.name));
            self.error_with_place("redefinition", constant.span, message, before.span, "first here");
        }
        self.rebind_constant(constant, ty, value);
    }

    fn rebind_constant(&mut self, constant: &EnumConstant, ty: TypeId, value: i128) {
        let bits = self.shape(ty).map_or(0, |shape| shape.truncate(value as u128));
        self.scopes.bind(constant.name, Binding::Constant { ty, bits }, constant.span);
    }
}
