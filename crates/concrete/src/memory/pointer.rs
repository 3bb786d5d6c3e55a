//! Pointers: an address and the object it may be used for.

/// Which object a pointer belongs to: a slot of the object table and the life of the slot, or one of three marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(u64);

impl Tag {
    /// No object is known: the address decides.
    pub const NONE: Tag = Tag(0);
    /// A variable outside memory that was never written.
    pub const UNWRITTEN: Tag = Tag(u64::MAX);
    /// A variable outside memory that was to get the result of a call, which returned none.
    pub const NO_RESULT: Tag = Tag(u64::MAX - 1);
    /// An `extern` variable outside memory that nobody defines.
    pub const EXTERNAL: Tag = Tag(u64::MAX - 2);

    /// The tag of an object.
    pub fn new(slot: Slot, generation: u32) -> Tag {
        Tag(u64::from(generation) << 32 | u64::from(slot.0 + 1))
    }

    /// Slot and generation, unless it is [`Tag::NONE`]. Marks never are on pointers.
    #[inline]
    pub fn object(self) -> Option<(Slot, u32)> {
        let low = self.0 as u32;
        if low == 0 { None } else { Some((Slot(low - 1), (self.0 >> 32) as u32)) }
    }

    /// Is it one of the three marks of variables without a value?
    #[inline]
    pub fn is_mark(self) -> bool {
        self.0 >= u64::MAX - 2
    }
}

impl std::fmt::Debug for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.object() {
            _ if self.is_mark() => write!(f, "mark{}", u64::MAX - self.0),
            None => f.write_str("none"),
            Some((slot, generation)) => write!(f, "{}.{generation}", slot.0),
        }
    }
}

/// A place in the object table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

impl Slot {
    /// As an index of the table.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A pointer value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// Cut to the machine's pointer width.
    pub address: u64,
    /// The provenance: the object that the pointer was made for.
    pub tag: Tag,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer { address: 0, tag: Tag::NONE };

    /// An address of unknown origin.
    pub fn of_address(address: u64) -> Pointer {
        Pointer { address, tag: Tag::NONE }
    }
}

/// Bytes inside a living object, already checked to lie within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The object that is accessed.
    pub slot: Slot,
    /// Bytes from its start.
    pub offset: usize,
}
