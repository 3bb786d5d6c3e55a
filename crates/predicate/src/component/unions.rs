//! Unions: members are views of the same bytes. The bytes of a union are cut where one of its scalars begins
//! or ends, and each piece is one cell; a scalar is the pieces that it covers, low bytes first, as all
//! supported targets store them. A piece is always one of the scalars, so that it has a place in C. Floating
//! members are not tracked: writing one makes what it covers unknown. Not understood, and told where it is
//! reached: unions with bit-fields, `_Bool`, or pieces that are no scalar.

use super::memory::{MOST_ELEMENTS, MOST_LEAVES, Memory, ObjectPart, Selector};
use program::types::ArrayLength;
use program::{RecordKind, Type, TypeId};
use std::sync::Arc;

/// The pieces of a type of union.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    path: Vec<Selector>,
    offset: u64,
    size: u64,
    /// Does every scalar with a byte of it hold a pointer?
    holds_pointers: bool,
}

/// A scalar somewhere in a union.
struct Scalar {
    path: Vec<Selector>,
    offset: u64,
    size: u64,
    ty: TypeId,
}

impl Scalar {
    fn overlaps(&self, offset: u64, size: u64) -> bool {
        self.offset < offset + size && offset < self.offset + self.size
    }
}

/// Who knows what a pointer in a union points to.
pub(super) enum PointerHolder {
    /// This spot, for all views of it.
    ObjectPart(ObjectPart),
    /// Nobody: something else than a pointer may have been written there.
    Nobody,
}

impl Memory {
    /// How much of the path leads to the outermost union that a spot lies in.
    fn union_around(&self, spot: &ObjectPart) -> Option<usize> {
        spot.path.iter().position(|step| match step {
            Selector::Field(record, _) => self.types.records[*record].kind == RecordKind::Union,
            Selector::Index(_) => false,
        })
    }

    /// Does it lie in a union?
    pub fn is_in_union(&self, spot: &ObjectPart) -> bool {
        self.union_around(spot).is_some()
    }

    /// The spots whose cells hold the bytes of a scalar, low bytes first: itself, unless it lies in a union.
    /// A floating scalar of a union has all that it overlaps with. `None` if the union is not understood.
    pub fn pieces(&self, spot: &ObjectPart) -> Option<Vec<ObjectPart>> {
        let Some(around) = self.union_around(spot) else { return Some(vec![spot.clone()]) };
        let (union, pieces) = self.pieces_around(spot, around)?;
        let size = self.types.size_of(self.type_at(spot)?)?;
        let own = Scalar {
            path: Vec::new(),
            offset: self.byte_offset(spot) - self.byte_offset(&union),
            size,
            ty: self.type_at(spot)?,
        };
        let within = |piece: &Piece| {
            let mut spot = union.clone();
            spot.path.extend(piece.path.iter().copied());
            spot
        };
        Some(
            pieces.pieces.iter().filter(|piece| own.overlaps(piece.offset, piece.size)).map(within).collect(),
        )
    }

    /// Where is it known what the pointer at a spot of a union points to?
    pub fn pointer_holder(&self, spot: &ObjectPart) -> PointerHolder {
        let Some(around) = self.union_around(spot) else { return PointerHolder::ObjectPart(spot.clone()) };
        let Some((union, pieces)) = self.pieces_around(spot, around) else { return PointerHolder::Nobody };
        let offset = self.byte_offset(spot) - self.byte_offset(&union);
        let size = self.type_at(spot).and_then(|ty| self.types.size_of(ty));
        let own = pieces.pieces.iter().find(|piece| piece.offset == offset && Some(piece.size) == size);
        match own {
            Some(piece) if piece.holds_pointers => {
                let mut spot = union;
                spot.path.extend(piece.path.iter().copied());
                PointerHolder::ObjectPart(spot)
            }
            _ => PointerHolder::Nobody,
        }
    }

    fn pieces_around(&self, spot: &ObjectPart, around: usize) -> Option<(ObjectPart, Arc<Pieces>)> {
        let union = ObjectPart { root: spot.root, path: spot.path[..around].to_vec() };
        let pieces = self.pieces_of(self.type_at(&union)?)?;
        Some((union, pieces))
    }

    /// The ways to the pieces of a union; `None` if it is not understood.
    pub fn paths_to_pieces(&self, union: TypeId) -> Option<Vec<Vec<Selector>>> {
        Some(self.pieces_of(union)?.pieces.iter().map(|piece| piece.path.clone()).collect())
    }

    fn pieces_of(&self, union: TypeId) -> Option<Arc<Pieces>> {
        if let Some(known) = self.unions.borrow().get(&union) {
            return known.clone();
        }
        let found = self.cut(union).map(Arc::new);
        self.unions.borrow_mut().insert(union, found.clone());
        found
    }

    fn cut(&self, union: TypeId) -> Option<Pieces> {
        let all = self.scalars(union)?;
        let is_tracked = |scalar: &&Scalar| self.types.float_kind(scalar.ty).is_none();
        let mut cuts: Vec<u64> =
            all.iter().filter(is_tracked).flat_map(|one| [one.offset, one.offset + one.size]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut pieces = Vec::new();
        for ends in cuts.windows(2) {
            let (offset, size) = (ends[0], ends[1] - ends[0]);
            let over = || all.iter().filter(|one| one.overlaps(offset, size));
            if !over().any(|one| is_tracked(&one)) {
                continue;
            }
            let own = over().filter(is_tracked).find(|one| one.offset == offset && one.size == size)?;
            let holds_pointers =
                over().all(|one| self.types.is_pointer(one.ty) && (one.offset, one.size) == (offset, size));
            pieces.push(Piece { path: own.path.clone(), offset, size, holds_pointers });
        }
        Some(Pieces { pieces })
    }

    /// All scalars of a type, in unions too, in the order of the members.
    fn scalars(&self, ty: TypeId) -> Option<Vec<Scalar>> {
        let mut found = Vec::new();
        let mut open = vec![Scalar { path: Vec::new(), offset: 0, size: 0, ty }];
        while let Some(Scalar { path, offset, ty, .. }) = open.pop() {
            let with = |step: Selector, offset: u64, ty: TypeId| {
                let path = path.iter().copied().chain([step]).collect();
                Scalar { path, offset, size: 0, ty }
            };
            match self.types.get(ty) {
                Type::Record(record) => {
                    let definition = &self.types.records[*record];
                    let (fields, layout) = (definition.fields.as_ref()?, definition.layout.as_ref()?);
                    for (index, (field, place)) in fields.iter().zip(&layout.fields).enumerate().rev() {
                        if place.bit_width.is_some() {
                            return None;
                        }
                        let step = Selector::Field(*record, index as u32);
                        open.push(with(step, offset + place.byte_offset(), field.ty.id));
                    }
                }
                Type::Array(element, ArrayLength::Known(length)) if *length <= MOST_ELEMENTS => {
                    let stride = self.types.size_of(element.id)?;
                    let at = |index: u64| with(Selector::Index(index), offset + index * stride, element.id);
                    open.extend((0..*length).rev().map(at));
                }
                Type::Bool => return None,
                _ if self.types.is_scalar(ty) => {
                    let size = self.types.size_of(ty)?;
                    found.push(Scalar { path, offset, size, ty });
                }
                _ => return None,
            }
            if found.len() + open.len() > MOST_LEAVES {
                return None;
            }
        }
        Some(found)
    }

    /// The first member of a union that a spot is that can be seen as the wanted type.
    pub fn fitting_member(&self, spot: &ObjectPart, wanted: TypeId) -> Option<ObjectPart> {
        let Type::Record(record) = *self.types.get(self.type_at(spot)?) else { return None };
        let count = self.types.records[record].fields.as_ref()?.len();
        let mut members = (0..count).map(|index| {
            let mut member = spot.clone();
            member.path.push(Selector::Field(record, index as u32));
            member
        });
        members.find_map(|mut member| self.fit(&mut member, wanted).then_some(member))
    }
}
