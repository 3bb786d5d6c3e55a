//! `struct`, `union`: tags, members, completion.

use super::analyser::Analyser;
use super::attributes::Attributes;
use super::scope::Tag;
use super::specifiers::{Base, TagUse};
use crate::syntax::{FieldDeclarator, Member, RecordKind, RecordSpecifier, TypeSpecifier};
use crate::tree::FlagKind;
use crate::types::{ArrayLength, Field, Record, RecordId, Type, TypeId};
use base::{Span, Symbol};
use rustc_hash::FxHashSet;

impl Analyser<'_> {
    /// The type a `struct` or `union` specifier names or defines.
    pub fn record(&mut self, specifier: &RecordSpecifier, tags: TagUse) -> TypeId {
        let defines = specifier.members.is_some();
        let known = specifier.tag.and_then(|tag| {
            if defines || tags == TagUse::Declare { self.scopes.tag_here(tag) } else { self.scopes.tag(tag) }
        });
        let mut id = None;
        if let (Some(tag), Some(entry)) = (specifier.tag, known) {
            match entry.what {
                Tag::Record(record) if self.types().records[record].kind == specifier.kind => {
                    if defines && self.types().records[record].fields.is_some() {
                        let message = format!("`{}` is defined twice", self.types().record_name(record));
                        let place = self.types().records[record].span;
                        self.error_with_place("redefinition", specifier.span, message, place, "first here");
                    } else {
                        id = Some(record);
                    }
                }
                _ => {
                    let message = format!("the tag `{}` is already another kind of type", self.text(tag));
                    self.error_with_place("wrong-tag", specifier.span, message, entry.span, "declared here");
                    if !defines {
                        return self.common.error;
                    }
                }
            }
        }
        let id = id.unwrap_or_else(|| self.new_record(specifier));
        if let Some(members) = &specifier.members {
            self.define_record(id, specifier, members);
        }
        if self.run_time_records.contains(&id) {
            return self.common.error;
        }
        self.types_mut().intern(Type::Record(id))
    }

    fn new_record(&mut self, specifier: &RecordSpecifier) -> RecordId {
        let tag = specifier.tag.map(|tag| self.shared_text(tag));
        let id = self.types_mut().records.push(Record {
            kind: specifier.kind,
            tag,
            span: specifier.span,
            fields: None,
            is_packed: false,
            alignment: None,
            pack_limit: None,
            layout: None,
            is_va_list: false,
        });
        if let Some(tag) = specifier.tag {
            self.scopes.bind_tag(tag, Tag::Record(id), specifier.span);
        }
        id
    }

    fn define_record(&mut self, id: RecordId, specifier: &RecordSpecifier, members: &[Member]) {
        let attributes = self.attributes(&specifier.attributes);
        if let Some((name, span)) = attributes.unmodelled {
            let message = format!("the attribute `{name}` changes the layout in a way that is not modelled");
            self.error_with_hint("unsupported", span, message, "remove the attribute");
        }
        let mut fields = Vec::with_capacity(members.len());
        let mut names = FxHashSet::default();
        for (at, member) in members.iter().enumerate() {
            match member {
                Member::StaticAssert(assertion) => self.static_assert(assertion),
                Member::Fields { specifiers, declarators, span } => {
                    let tag_use = if declarators.is_empty() { TagUse::Declare } else { TagUse::Refer };
                    let base = self.base(specifiers, tag_use);
                    if declarators.is_empty() {
                        self.anonymous_member(
                            &base,
                            &specifiers.type_specifier,
                            *span,
                            &mut fields,
                            &mut names,
                        );
                        continue;
                    }
                    for (nth, declarator) in declarators.iter().enumerate() {
                        let is_last = at + 1 == members.len() && nth + 1 == declarators.len();
                        let field = self.field(&base, declarator, is_last, specifier.kind);
                        if let Some(name) = declarator.declarator.as_ref().and_then(|d| d.name) {
                            self.note_member(name, declarator.span, &mut names);
                        }
                        fields.push(field);
                    }
                }
            }
        }
        let record = &mut self.types_mut().records[id];
        record.span = specifier.span;
        record.is_packed = attributes.is_packed;
        record.alignment = attributes.alignment;
        record.pack_limit = specifier.pragma_pack.filter(|&limit| limit > 0).map(u64::from);
        if record.fields.is_some() {
            let message = format!("`{}` is defined inside its own definition", self.types().record_name(id));
            self.error("redefinition", specifier.span, message);
            return;
        }
        // GNU C: a record whose size is known only at run time. Whatever uses it is unsupported, and so is a record
        // that has one.
        let is_unknown = |ty: TypeId| self.is_variably_modified(ty) || self.is_error(ty);
        if fields.iter().any(|field| is_unknown(field.ty.id)) {
            self.pending_lengths.clear();
            self.run_time_records.insert(id);
            return;
        }
        if attributes.is_transparent_union {
            self.transparent_unions.insert(id);
        }
        self.types_mut().complete_record(id, fields);
    }

    fn note_member(&mut self, name: Symbol, span: Span, names: &mut FxHashSet<Symbol>) {
        if !names.insert(name) {
            let message = format!("there are two members named `{}`", self.text(name));
            self.error("duplicate-member", span, message);
        }
    }

    /// `struct { … };` among the members: its members count as the outer record's.
    fn anonymous_member(
        &mut self,
        base: &Base,
        specifier: &TypeSpecifier,
        span: Span,
        fields: &mut Vec<Field>,
        names: &mut FxHashSet<Symbol>,
    ) {
        let TypeSpecifier::Record(written) = specifier else {
            if !matches!(specifier, TypeSpecifier::Enum(_)) {
                self.warn("empty-declaration", span, "this declares no member");
            }
            return;
        };
        if written.tag.is_some() {
            if written.members.is_none() {
                self.warn("empty-declaration", span, "this declares no member");
            }
            return;
        }
        if let Some(record) = self.types().record_id(base.ty.id) {
            for name in self.member_names(record) {
                let symbol = self.session.names.intern(&name);
                self.note_member(symbol, span, names);
            }
        }
        fields.push(Field {
            name: None,
            ty: base.ty,
            bit_width: None,
            alignment: base.attributes.alignment,
            type_alignment: base.type_alignment,
            is_packed: base.attributes.is_packed,
            span,
        });
    }

    /// Names that a record gives to its members, anonymous ones looked through.
    pub fn member_names(&self, record: RecordId) -> Vec<std::sync::Arc<str>> {
        let mut names = Vec::new();
        for field in self.types().records[record].fields.iter().flatten() {
            match (&field.name, self.types().record_id(field.ty.id)) {
                (Some(name), _) => names.push(name.clone()),
                (None, Some(inner)) => names.extend(self.member_names(inner)),
                (None, None) => {}
            }
        }
        names
    }

    fn field(&mut self, base: &Base, declarator: &FieldDeclarator, is_last: bool, kind: RecordKind) -> Field {
        let span = declarator.span;
        let behind = self.attributes(&declarator.attributes);
        let mut ty = base.ty;
        ty.id = self.reshape(ty.id, &behind);
        let mut attributes = base.attributes.clone().and(behind);
        let mut type_alignment = base.type_alignment;
        let mut name = None;
        if let Some(written) = &declarator.declarator {
            let own = self.attributes(&written.attributes);
            if own.mode.is_some() || own.vector_size.is_some() {
                ty.id = self.reshape(ty.id, &own);
            }
            attributes = attributes.and(own);
            ty = self.derive(ty, &written.derivations, span);
            if !self.keeps_alignment(&written.derivations) {
                type_alignment = None;
            }
            name = written.name.map(|name| self.shared_text(name));
        }
        self.refuse_unmodelled(&attributes);
        let bit_width = match &declarator.width {
            Some(width) => self.bit_width(width, ty.id, name.as_deref(), span),
            None => {
                ty.id = self.check_member_type(ty.id, name.as_deref(), is_last, kind, span);
                None
            }
        };
        let (alignment, is_packed) = (attributes.alignment, attributes.is_packed);
        Field { name, ty, bit_width, alignment, type_alignment, is_packed, span }
    }

    /// Reports an attribute that would change the meaning without our modelling it.
    pub fn refuse_unmodelled(&mut self, attributes: &Attributes) {
        if let Some((name, span)) = attributes.unmodelled {
            let message = format!("the attribute `{name}` is not modelled");
            self.flag(FlagKind::Attribute, span, message);
        }
    }

    fn bit_width(
        &mut self,
        width: &crate::syntax::Expr,
        ty: TypeId,
        name: Option<&str>,
        span: Span,
    ) -> Option<u32> {
        let typed = self.value(width);
        let value = self.constant_value(&typed);
        if self.is_error(ty) || self.is_error(typed.ty.id) {
            return Some(1);
        }
        let who = name.map_or_else(|| "a bit-field".to_owned(), |name| format!("bit-field `{name}`"));
        let Some(shape) = self.shape(ty).filter(|_| self.types().is_integer(ty)) else {
            let message = format!("{who} has type `{}`, which is no integer", self.show(ty));
            self.error("bit-field", span, message);
            return None;
        };
        let Some(value) = value else {
            self.error("not-constant", width.span, format!("the width of {who} is not a constant"));
            return Some(1);
        };
        if value < 0 || value > i128::from(shape.width) {
            let message = format!("the width of {who} must be from 0 to {}, not {value}", shape.width);
            self.error("bit-field", width.span, message);
            return Some(1);
        }
        if value == 0 && name.is_some() {
            self.error("bit-field", width.span, format!("{who} has no width"));
            return Some(1);
        }
        Some(value as u32)
    }

    fn check_member_type(
        &mut self,
        ty: TypeId,
        name: Option<&str>,
        is_last: bool,
        kind: RecordKind,
        span: Span,
    ) -> TypeId {
        let who = name.unwrap_or("this member").to_owned();
        if self.is_function(ty) {
            let message = format!("member `{who}` cannot be a function");
            self.error_with_hint("bad-member", span, message, "a pointer to a function can be a member");
            return self.common.error;
        }
        if self.is_variably_modified(ty) {
            let message = format!("member `{who}` has a size known only at run time, which is not modelled");
            self.flag(FlagKind::VariableLengthArray, span, message);
            return ty;
        }
        if let Type::Array(element, ArrayLength::Unknown) = *self.types().get(ty) {
            // GCC takes flexible arrays in unions only when they are not written so; ours counts as empty there too.
            if is_last && kind == RecordKind::Struct {
                return ty;
            }
            self.error("bad-member", span, format!("array member `{who}` without a length must stand last"));
            return self.types_mut().array(element, ArrayLength::Known(0));
        }
        if !self.is_error(ty) && !self.is_complete(ty) {
            let message = format!("member `{who}` has the incomplete type `{}`", self.show(ty));
            self.error("incomplete-type", span, message);
            return self.common.error;
        }
        ty
    }
}
