//! Declarators and record definitions.

use super::names::UsedNames;
use super::used::Used;
use crate::types::{ArrayLength, Field, RecordId, Type, TypeId, TypeRef, TypeTable};
use crate::{DataModel, Program, Qualifiers, RecordKind};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Is `const` printed? Only where a declaration must agree with the compiler's own idea of a library function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Constness {
    Kept,
    Dropped,
}

/// Names for record and vector types.
pub(super) struct TypeNames<'a> {
    types: &'a TypeTable,
    used: &'a Used,
    records: FxHashMap<RecordId, String>,
    vectors: FxHashMap<TypeId, String>,
}

impl<'a> TypeNames<'a> {
    pub fn new(program: &'a Program, used: &'a Used) -> TypeNames<'a> {
        let types = &program.types;
        let mut tags = UsedNames::default();
        let mut records = FxHashMap::default();
        for &id in &used.records {
            let record = &types.records[id];
            let name = if record.is_va_list {
                "__concord_va_tag".to_owned()
            } else {
                let keyword = keyword(record.kind);
                format!("{keyword} {}", tags.claim(record.tag.as_deref().unwrap_or("anonymous")))
            };
            records.insert(id, name);
        }
        let name_vector = |(index, &id): (usize, &TypeId)| (id, format!("__concord_vector_{index}"));
        let vectors = used.vectors.iter().enumerate().map(name_vector).collect();
        TypeNames { types, used, records, vectors }
    }

    pub fn show(&self, ty: impl Into<TypeRef>) -> String {
        self.declare(ty.into(), "", Constness::Dropped)
    }

    pub fn size_type_name(&self) -> &'static str {
        match self.types.model() {
            DataModel::Ilp32 => "unsigned int",
            DataModel::Lp64 => "unsigned long",
        }
    }

    /// A declaration of `declarator` with this type.
    pub fn declare(&self, ty: TypeRef, declarator: &str, constness: Constness) -> String {
        let mut ty = ty;
        let mut declarator = declarator.to_owned();
        let mut is_element = false;
        loop {
            match self.types.get(ty.id) {
                Type::Pointer(to) => {
                    let qualifiers = qualifier_words(ty.qualifiers, constness);
                    declarator = format!("*{qualifiers}{declarator}");
                    if matches!(self.types.get(to.id), Type::Array(..) | Type::Function(_)) {
                        declarator = format!("({declarator})");
                    }
                    is_element = false;
                    ty = *to;
                }
                Type::Array(element, length) => {
                    match length {
                        ArrayLength::Known(count) => write!(declarator, "[{count}]"),
                        // Only behind pointers, where the length plays no part: steps are in bytes there.
                        ArrayLength::Variable(_) if is_element => write!(declarator, "[1]"),
                        ArrayLength::Unknown | ArrayLength::Variable(_) => write!(declarator, "[]"),
                    }
                    .expect("writing to a string");
                    is_element = true;
                    let qualifiers = Qualifiers {
                        is_const: element.qualifiers.is_const || ty.qualifiers.is_const,
                        is_volatile: element.qualifiers.is_volatile || ty.qualifiers.is_volatile,
                        is_restrict: false,
                        is_atomic: element.qualifiers.is_atomic || ty.qualifiers.is_atomic,
                    };
                    ty = TypeRef { id: element.id, qualifiers };
                }
                Type::Function(function) => {
                    let show = |&parameter: &TypeId| self.declare(parameter.into(), "", constness);
                    let mut parameters: Vec<String> = function.parameters.iter().map(show).collect();
                    if function.is_variadic && !parameters.is_empty() {
                        parameters.push("...".into());
                    } else if parameters.is_empty() && function.has_prototype && !function.is_variadic {
                        parameters.push("void".into());
                    }
                    write!(declarator, "({})", parameters.join(", ")).expect("writing to a string");
                    // Qualifiers of a result mean nothing.
                    ty = TypeRef::from(function.result.id);
                }
                base => {
                    let words = format!(
                        "{}{}",
                        qualifier_words(ty.qualifiers, constness),
                        self.base_name(ty.id, base)
                    );
                    return if declarator.is_empty() { words } else { format!("{words} {declarator}") };
                }
            }
        }
    }

    fn base_name(&self, id: TypeId, ty: &Type) -> String {
        match ty {
            Type::Record(record) => self.records[record].clone(),
            Type::Vector(..) => self.vectors[&id].clone(),
            Type::Enum(id) => self.show(self.types.enums[*id].underlying),
            // A type that could not be determined has been reported; nothing computes with it.
            Type::Error => "int".into(),
            other => self.types.base_name(other),
        }
    }

    /// The name of a member. Anonymous ones get one that no other member has.
    pub fn field_name(&self, record: RecordId, index: u32) -> String {
        let fields = self.types.records[record].fields.as_deref().unwrap_or(&[]);
        match &fields[index as usize].name {
            Some(name) => name.to_string(),
            None => {
                let mut name = format!("anonymous_{index}");
                while fields.iter().any(|field| field.name.as_deref() == Some(name.as_str())) {
                    name.push('_');
                }
                name
            }
        }
    }

    pub fn print_definitions(&self, out: &mut String) {
        for &id in &self.used.vectors {
            let Type::Vector(element, _) = self.types.get(id) else { unreachable!("collected as a vector") };
            let size = self.types.size_of(id).unwrap_or(0);
            let element = self.show(*element);
            let name = &self.vectors[&id];
            writeln!(out, "typedef {element} {name} __attribute__((vector_size({size})));")
                .expect("writing to a string");
        }
        if self.used.records.iter().any(|&id| self.types.records[id].is_va_list) {
            // The tag of the compiler's own record cannot be named otherwise.
            out.push_str("typedef __typeof__((*(__builtin_va_list *)0)[0]) __concord_va_tag;\n");
        }
        let own = || self.used.records.iter().copied().filter(|&id| !self.types.records[id].is_va_list);
        for id in own() {
            writeln!(out, "{};", self.records[&id]).expect("writing to a string");
        }
        for id in own() {
            self.print_record(id, out);
        }
        out.push('\n');
    }

    fn print_record(&self, id: RecordId, out: &mut String) {
        let record = &self.types.records[id];
        let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return };
        self.print_aligned_types(id, fields, out);
        if let Some(limit) = record.pack_limit {
            writeln!(out, "#pragma pack(push, {limit})").expect("writing to a string");
        }
        let name = &self.records[&id];
        writeln!(out, "{name} {{").expect("writing to a string");
        for (index, field) in fields.iter().enumerate() {
            let line = self.field_line(id, index as u32, field, fields.len());
            writeln!(out, "    {line};").expect("writing to a string");
        }
        out.push('}');
        out.push_str(&attributes(record.is_packed, record.alignment));
        out.push_str(";\n");
        if record.pack_limit.is_some() {
            out.push_str("#pragma pack(pop)\n");
        }
        if fields.iter().any(|field| self.has_run_time_length(field.ty.id)) {
            return; // its layout is not known before it runs
        }
        let mut assert = |left: String, right: u64| {
            writeln!(out, "_Static_assert({left} == {right}, \"layout of {name}\");")
                .expect("writing to a string");
        };
        assert(format!("sizeof({name})"), layout.size);
        assert(format!("_Alignof({name})"), layout.alignment);
        for (index, field) in fields.iter().enumerate().filter(|(_, field)| field.bit_width.is_none()) {
            let member = self.field_name(id, index as u32);
            let offset = layout.fields[index].byte_offset();
            debug_assert!(field.bit_width.is_none());
            assert(format!("__builtin_offsetof({name}, {member})"), offset);
        }
    }

    fn has_run_time_length(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Array(_, ArrayLength::Variable(_)) => true,
            Type::Array(element, _) => self.has_run_time_length(element.id),
            Type::Record(id) => self.types.records[*id]
                .fields
                .iter()
                .flatten()
                .any(|field| self.has_run_time_length(field.ty.id)),
            _ => false,
        }
    }

    /// Types of members that have another alignment than usual: only a typedef can say so (and lower it).
    fn print_aligned_types(&self, id: RecordId, fields: &[Field], out: &mut String) {
        for (index, field) in fields.iter().enumerate() {
            if let Some(alignment) = field.type_alignment {
                let name = aligned_type_name(id, index as u32);
                let declaration = self.declare(field.ty, &name, Constness::Dropped);
                writeln!(out, "typedef {declaration} __attribute__((aligned({alignment})));")
                    .expect("writing to a string");
            }
        }
    }

    fn field_line(&self, record: RecordId, index: u32, field: &Field, count: usize) -> String {
        let is_unnamed_bits = field.bit_width.is_some() && field.name.is_none();
        let name = if is_unnamed_bits { String::new() } else { self.field_name(record, index) };
        let is_plain_flexible =
            self.types.records[record].kind == RecordKind::Struct && index > 0 && index as usize + 1 == count;
        let mut line = match self.types.get(field.ty.id) {
            _ if field.type_alignment.is_some() => format!("{} {name}", aligned_type_name(record, index)),
            // Where GCC wants no flexible array, one of length zero lies the same.
            Type::Array(element, ArrayLength::Unknown | ArrayLength::Variable(_)) if !is_plain_flexible => {
                self.declare(*element, &format!("{name}[0]"), Constness::Dropped)
            }
            _ => self.declare(field.ty, &name, Constness::Dropped),
        };
        if let Some(width) = field.bit_width {
            write!(line, " : {width}").expect("writing to a string");
        }
        line.push_str(&attributes(field.is_packed, field.alignment));
        line
    }
}

fn aligned_type_name(record: RecordId, index: u32) -> String {
    format!("__concord_aligned_{record}_{index}")
}

fn keyword(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

fn attributes(is_packed: bool, alignment: Option<u64>) -> String {
    let mut text = String::new();
    if is_packed {
        text.push_str(" __attribute__((packed))");
    }
    if let Some(alignment) = alignment {
        write!(text, " __attribute__((aligned({alignment})))").expect("writing to a string");
    }
    text
}

/// With a space behind, unless there are none.
fn qualifier_words(qualifiers: Qualifiers, constness: Constness) -> String {
    let mut words = String::new();
    if qualifiers.is_const && constness == Constness::Kept {
        words.push_str("const ");
    }
    if qualifiers.is_volatile || qualifiers.is_atomic {
        words.push_str("volatile ");
    }
    words
}
