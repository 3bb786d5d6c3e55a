//! Records of one tag that several files declare alike are one type (C11 6.2.7): a header that two files
//! include gives each of them its own declaration.

use program::types::ArrayLength;
use program::{RecordId, Type, TypeId, TypeTable};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each record the first one that is the same, where that is another.
pub(super) fn same_records(types: &TypeTable) -> FxHashMap<RecordId, RecordId> {
    let mut own: FxHashMap<RecordId, RecordId> = FxHashMap::default();
    let mut by_tag: FxHashMap<(&str, bool), Vec<RecordId>> = FxHashMap::default();
    for (id, record) in types.records.iter_enumerated() {
        let (Some(tag), Some(_)) = (&record.tag, &record.fields) else { continue };
        let alike = by_tag.entry((tag, record.kind == program::RecordKind::Union)).or_default();
        let first = alike.iter().copied().find(|&first| {
            Comparison { types, own: &FxHashMap::default(), supposed: FxHashSet::default() }
                .records(first, id)
        });
        match first {
            Some(first) => {
                own.insert(id, first);
            }
            None => alike.push(id),
        }
    }
    // Records without a tag belong to whoever has them as members.
    let pairs: Vec<(RecordId, RecordId)> = own.iter().map(|(&id, &first)| (id, first)).collect();
    for (id, first) in pairs {
        nested(types, id, first, &mut own);
    }
    own
}

fn nested(types: &TypeTable, id: RecordId, first: RecordId, own: &mut FxHashMap<RecordId, RecordId>) {
    let (Some(fields), Some(others)) = (&types.records[id].fields, &types.records[first].fields) else {
        return;
    };
    for (field, other) in fields.iter().zip(others) {
        let (mut ty, mut same) = (field.ty.id, other.ty.id);
        while let (Type::Array(element, _), Type::Array(alike, _)) = (types.get(ty), types.get(same)) {
            (ty, same) = (element.id, alike.id);
        }
        if let (Some(inner), Some(alike)) = (types.record_id(ty), types.record_id(same))
            && inner != alike
            && types.records[inner].tag.is_none()
            && own.insert(inner, alike).is_none()
        {
            nested(types, inner, alike, own);
        }
    }
}

/// Are these the same type?
pub(super) fn is_alike(
    types: &TypeTable,
    own: &FxHashMap<RecordId, RecordId>,
    one: TypeId,
    other: TypeId,
) -> bool {
    Comparison { types, own, supposed: FxHashSet::default() }.types(one, other)
}

struct Comparison<'t> {
    types: &'t TypeTable,
    own: &'t FxHashMap<RecordId, RecordId>,
    /// Pairs that are being compared: a record may contain pointers to itself.
    supposed: FxHashSet<(RecordId, RecordId)>,
}

impl Comparison<'_> {
    fn records(&mut self, one: RecordId, other: RecordId) -> bool {
        let own = |id: RecordId| self.own.get(&id).copied().unwrap_or(id);
        if own(one) == own(other) || !self.supposed.insert((one, other)) {
            return true;
        }
        let (one, other) = (&self.types.records[one], &self.types.records[other]);
        if one.kind != other.kind || one.tag != other.tag {
            return false;
        }
        let (Some(fields), Some(others)) = (&one.fields, &other.fields) else {
            // One of them is only declared; its tag is all that is known.
            return one.tag.is_some();
        };
        one.layout.as_ref().map(|layout| layout.size) == other.layout.as_ref().map(|layout| layout.size)
            && one.is_packed == other.is_packed
            && fields.len() == others.len()
            && fields.iter().zip(others).all(|(field, other)| {
                field.name == other.name
                    && field.bit_width == other.bit_width
                    && self.types(field.ty.id, other.ty.id)
            })
    }

    fn types(&mut self, one: TypeId, other: TypeId) -> bool {
        if one == other {
            return true;
        }
        match (self.types.get(one), self.types.get(other)) {
            (Type::Record(one), Type::Record(other)) => self.records(*one, *other),
            (Type::Pointer(one), Type::Pointer(other)) => self.types(one.id, other.id),
            (Type::Array(one, length), Type::Array(other, size)) => {
                let is_same = match (length, size) {
                    (ArrayLength::Known(one), ArrayLength::Known(other)) => one == other,
                    (one, other) => one == other,
                };
                is_same && self.types(one.id, other.id)
            }
            (Type::Enum(_), Type::Enum(_)) => {
                self.types.integer_shape(one) == self.types.integer_shape(other)
            }
            (Type::Function(one), Type::Function(other)) => {
                one.is_variadic == other.is_variadic
                    && one.parameters.len() == other.parameters.len()
                    && self.types(one.result.id, other.result.id)
                    && one.parameters.iter().zip(&other.parameters).all(|(a, b)| self.types(*a, *b))
            }
            _ => false,
        }
    }
}
