//! Types as C writes them.

use super::{ArrayLength, FloatKind, IntegerKind, RecordId, Type, TypeId, TypeRef, TypeTable};
use crate::syntax::{Qualifiers, RecordKind};
use std::fmt::Write;

impl TypeTable {
    /// The type as C writes it, such as `const char *` or `int (*)(void)`.
    pub fn show(&self, ty: impl Into<TypeRef>) -> String {
        self.declare(ty, "")
    }

    /// A declaration of `name` with this type, such as `int (*name)(void)`.
    pub fn declare(&self, ty: impl Into<TypeRef>, name: &str) -> String {
        self.declare_with(ty, name, &|id| self.record_name(id))
    }

    /// Like [`declare`](Self::declare), with the caller's names for records (`struct s`, keyword included).
    pub fn declare_with(
        &self,
        ty: impl Into<TypeRef>,
        name: &str,
        record_name: &dyn Fn(RecordId) -> String,
    ) -> String {
        let mut ty = ty.into();
        let mut declarator = name.to_owned();
        loop {
            match self.get(ty.id) {
                Type::Pointer(to) => {
                    let qualifiers = qualifier_words(ty.qualifiers);
                    let gap = if !qualifiers.is_empty() && !declarator.is_empty() { " " } else { "" };
                    declarator = format!("*{qualifiers}{gap}{declarator}");
                    if matches!(self.get(to.id), Type::Array(..) | Type::Function(_)) {
                        declarator = format!("({declarator})");
                    }
                    ty = *to;
                }
                Type::Array(element, length) => {
                    match length {
                        ArrayLength::Known(count) => write!(declarator, "[{count}]"),
                        ArrayLength::Unknown => write!(declarator, "[]"),
                        ArrayLength::Variable(_) => write!(declarator, "[*]"),
                    }
                    .expect("writing to a string");
                    let qualifiers = element.qualifiers.and(ty.qualifiers);
                    ty = TypeRef { id: element.id, qualifiers };
                }
                Type::Function(function) => {
                    let mut parameters: Vec<String> = function
                        .parameters
                        .iter()
                        .map(|&parameter| self.declare_with(parameter, "", record_name))
                        .collect();
                    if function.is_variadic {
                        parameters.push("...".into());
                    } else if parameters.is_empty() && function.has_prototype {
                        parameters.push("void".into());
                    }
                    write!(declarator, "({})", parameters.join(", ")).expect("writing to a string");
                    ty = function.result;
                }
                base => {
                    let base = match base {
                        Type::Record(id) => record_name(*id),
                        other => self.base_name(other),
                    };
                    let mut words = qualifier_words(ty.qualifiers);
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(&base);
                    if !declarator.is_empty() {
                        words.push(' ');
                        words.push_str(&declarator);
                    }
                    return words;
                }
            }
        }
    }

    /// `struct tag`, or `struct <anonymous>` for people.
    pub fn record_name(&self, id: RecordId) -> String {
        let record = &self.records[id];
        let keyword = match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        format!("{keyword} {}", record.tag.as_deref().unwrap_or("<anonymous>"))
    }

    /// Name of a type that is neither derived nor a record.
    pub fn base_name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Integer(kind) => kind.name().into(),
            Type::Float(kind) => kind.name().into(),
            Type::Complex(kind) => format!("{} _Complex", kind.name()),
            Type::Enum(id) => match &self.enums[*id].tag {
                Some(tag) => format!("enum {tag}"),
                None => "enum <anonymous>".into(),
            },
            Type::Record(id) => self.record_name(*id),
            Type::Vector(element, count) => format!("{} __vector({count})", self.show(*element)),
            Type::Error => "<unknown type>".into(),
            Type::Pointer(_) | Type::Array(..) | Type::Function(_) => self.show_derived(ty),
        }
    }

    fn show_derived(&self, ty: &Type) -> String {
        self.find(ty).map_or_else(String::new, |id: TypeId| self.show(id))
    }
}

impl IntegerKind {
    /// Its C name.
    pub fn name(self) -> &'static str {
        match self {
            IntegerKind::Char => "char",
            IntegerKind::SignedChar => "signed char",
            IntegerKind::UnsignedChar => "unsigned char",
            IntegerKind::Short => "short",
            IntegerKind::UnsignedShort => "unsigned short",
            IntegerKind::Int => "int",
            IntegerKind::UnsignedInt => "unsigned int",
            IntegerKind::Long => "long",
            IntegerKind::UnsignedLong => "unsigned long",
            IntegerKind::LongLong => "long long",
            IntegerKind::UnsignedLongLong => "unsigned long long",
            IntegerKind::Int128 => "__int128",
            IntegerKind::UnsignedInt128 => "unsigned __int128",
        }
    }
}

impl FloatKind {
    /// Its C name.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
            FloatKind::Float128 => "__float128",
        }
    }
}

fn qualifier_words(qualifiers: Qualifiers) -> String {
    let words = [
        (qualifiers.is_const, "const"),
        (qualifiers.is_volatile, "volatile"),
        (qualifiers.is_restrict, "restrict"),
        (qualifiers.is_atomic, "_Atomic"),
    ];
    let present: Vec<&str> = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    present.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{DataModel, FunctionType};

    #[test]
    fn declarators_nest_as_c_wants() {
        let mut types = TypeTable::new(DataModel::Lp64);
        let int = types.int();
        let function = types.intern(Type::Function(FunctionType {
            result: int.into(),
            parameters: vec![int],
            is_variadic: false,
            has_prototype: true,
        }));
        let pointer = types.pointer(function);
        let table = types.array(pointer, ArrayLength::Known(4));
        assert_eq!(types.declare(table, "handlers"), "int (*handlers[4])(int)");
        let array = types.array(int, ArrayLength::Known(3));
        let to_array = types.pointer(array);
        assert_eq!(types.show(to_array), "int (*)[3]");
    }
}
