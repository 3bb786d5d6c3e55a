//! The scalars that an access touches: itself, or for a record each scalar inside it.

use super::offsets::{OffsetInObject, Step};
use super::sets::LeavesId;
use super::shape::Shape;
use crate::RecordKind;
use crate::types::{Type, TypeId, TypeTable};
use crate::{Place, Projection};
use base::IndexVec;
use rustc_hash::FxHashMap;

/// Records with more scalars than this are accessed as one piece.
const MOST_LEAVES: usize = 256;

/// Lists of scalars by type.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    lists: IndexVec<LeavesId, Vec<Leaf>>,
    known: FxHashMap<Key, LeavesId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Type(TypeId),
    Bytes(u64),
}

#[derive(Clone, Debug)]
struct Leaf {
    steps: Vec<Step>,
    size: u64,
}

impl Leaves {
    pub fn of_place(&mut self, place: &Place, types: &TypeTable) -> LeavesId {
        let key = match (place.bit_field(types), place.path.last()) {
            (Some(layout), Some(Projection::Field(..))) => {
                Key::Bytes((layout.bit_offset % 8 + u64::from(layout.bit_width.unwrap_or(0))).div_ceil(8))
            }
            _ => Key::Type(place.ty.id),
        };
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let leaves = match key {
            Key::Bytes(size) => vec![Leaf { steps: Vec::new(), size }],
            Key::Type(ty) => {
                let mut leaves = Vec::new();
                collect(ty, &mut Vec::new(), &mut leaves, types);
                if leaves.len() > MOST_LEAVES {
                    leaves = vec![Leaf { steps: Vec::new(), size: types.size_of(ty).unwrap_or(u64::MAX) }];
                }
                leaves
            }
        };
        let id = self.lists.push(leaves);
        self.known.insert(key, id);
        id
    }

    /// Like [`of_place`](Self::of_place), for a place that was seen before.
    pub fn find(&self, place: &Place, types: &TypeTable) -> Option<LeavesId> {
        let key = match place.bit_field(types) {
            Some(layout) => {
                Key::Bytes((layout.bit_offset % 8 + u64::from(layout.bit_width.unwrap_or(0))).div_ceil(8))
            }
            None => Key::Type(place.ty.id),
        };
        self.known.get(&key).copied()
    }

    pub fn count(&self, id: LeavesId) -> usize {
        self.lists[id].len()
    }

    /// Where one scalar of what is accessed at `offset` lies, and its size.
    pub fn part(
        &self,
        id: LeavesId,
        index: usize,
        shape: &Shape,
        offset: OffsetInObject,
    ) -> (OffsetInObject, u64) {
        let leaf = &self.lists[id][index];
        (leaf.steps.iter().fold(offset, |offset, &step| shape.step(offset, step)), leaf.size)
    }
}

fn collect(ty: TypeId, steps: &mut Vec<Step>, leaves: &mut Vec<Leaf>, types: &TypeTable) {
    if leaves.len() > MOST_LEAVES {
        return;
    }
    match types.get(ty) {
        Type::Array(element, _) => {
            let Some(stride) = types.size_of(element.id).filter(|&size| size > 0) else {
                leaves.push(Leaf { steps: steps.clone(), size: u64::MAX });
                return;
            };
            steps.push(Step::Element { stride, index: None });
            collect(element.id, steps, leaves, types);
            steps.pop();
        }
        Type::Record(id) if types.records[*id].kind == RecordKind::Struct => {
            let record = &types.records[*id];
            let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return };
            for (field, place) in fields.iter().zip(&layout.fields) {
                steps.push(Step::Member(place.byte_offset()));
                match place.bit_width {
                    None => collect(field.ty.id, steps, leaves, types),
                    Some(0) => {}
                    Some(width) => {
                        let size = (place.bit_offset % 8 + u64::from(width)).div_ceil(8);
                        leaves.push(Leaf { steps: steps.clone(), size });
                    }
                }
                steps.pop();
            }
        }
        // Scalars; and unions, whose members lie over each other.
        _ => leaves.push(Leaf { steps: steps.clone(), size: types.size_of(ty).unwrap_or(u64::MAX) }),
    }
}
