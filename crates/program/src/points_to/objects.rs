//! Abstract objects and the cells they are told apart into.

use super::sets::SetId;
use super::shape::{ByteRange, Shape};
use crate::{EdgeId, ProcedureId, VariableId};

base::define_id!(
    /// An abstract object: everything the program keeps in one variable or allocates at one place.
    ObjectId,
    "o"
);

/// What an abstract object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// Memory the program does not show: what missing functions keep, the world outside, what an integer of unknown
    /// origin may address. It also stands for every object that has escaped.
    Unknown,
    /// A variable in memory, all its instances.
    Variable(VariableId),
    /// All that one call allocates.
    Allocation(ProcedureId, EdgeId),
    /// A procedure.
    Procedure(ProcedureId),
    /// The record a procedure returns, on its way to the caller.
    Result(ProcedureId),
    /// Arguments beyond the parameters, of all variadic calls.
    ExtraArguments,
}

/// Bytes of an object that are told apart from its other bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub range: ByteRange,
    /// What pointers stored there may point to.
    pub content: SetId,
}

#[derive(Debug)]
pub(super) struct Object {
    pub kind: ObjectKind,
    pub shape: Shape,
    /// Disjoint, in order.
    pub slots: Vec<Slot>,
    /// All bytes are one slot.
    pub is_collapsed: bool,
    pub is_escaped: bool,
    /// Copied to other objects, slot by slot.
    pub links: Vec<Link>,
    /// Contents that may lie anywhere in it.
    pub fills: Vec<SetId>,
    /// Different exact offsets that pointers have had so far.
    pub offsets: usize,
    /// Slots changed since the links were last followed.
    pub is_changed: bool,
}

/// Bytes from `from` on are copied to another object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Link {
    pub from: u64,
    pub to: u64,
    pub object: ObjectId,
    pub size: Option<u64>,
}

impl Object {
    pub fn new(kind: ObjectKind, shape: Shape) -> Object {
        Object {
            kind,
            shape,
            slots: Vec::new(),
            is_collapsed: false,
            is_escaped: false,
            links: Vec::new(),
            fills: Vec::new(),
            offsets: 0,
            is_changed: false,
        }
    }

    /// Positions of the slots that share a byte with the range.
    pub fn overlapping(&self, range: ByteRange) -> std::ops::Range<usize> {
        let first = self.slots.partition_point(|slot| slot.range.end <= range.start);
        let count = self.slots[first..].iter().take_while(|slot| slot.range.start < range.end).count();
        first..first + count
    }
}
