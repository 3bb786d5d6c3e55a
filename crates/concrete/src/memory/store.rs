//! All objects of a run, those that live and what is remembered of the dead.

use super::object::{Object, ObjectKind, WriteGuard};
use super::pointer::{Location, Pointer, Slot, Tag};
use super::space::AddressSpace;
use base::Span;
use program::{DataModel, VariableId};
use std::rc::Rc;

/// What is remembered of an object whose life has ended.
#[derive(Clone, Debug)]
pub struct Dead {
    /// Pointers to it have this tag.
    pub tag: Tag,
    /// What it was.
    pub kind: ObjectKind,
    /// How many bytes it had.
    pub size: u64,
    /// Address of its first byte.
    pub base: u64,
    /// Where it was made.
    pub made_at: Span,
    /// Where its life ended.
    pub ended_at: Span,
}

/// How many of the dead are remembered for reports; older ones are reported without their name.
const REMEMBERED: usize = 1 << 14;

/// Freed slots keep their buffers up to this size.
const KEPT_CAPACITY: usize = 1 << 16;

/// What the objects take, roughly, that change between two moments of a run.
const CHANGED_BYTES: usize = 1 << 10;

/// The object table.
#[derive(Clone, Debug)]
pub struct Store {
    /// Shared with the moments to which runs go back, until one writes.
    objects: Vec<Rc<Object>>,
    free: Vec<Slot>,
    dead: Vec<Dead>,
    next_dead: usize,
    /// Who has which address.
    pub space: AddressSpace,
    word: usize,
    live_bytes: u64,
    peak_bytes: u64,
}

/// How an object starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// All bytes zero and written.
    Zero,
    /// Nothing was written to it yet.
    Unwritten,
}

impl Store {
    /// A memory without objects.
    pub fn new(model: DataModel) -> Store {
        Store {
            objects: Vec::new(),
            free: Vec::new(),
            dead: Vec::new(),
            next_dead: 0,
            space: AddressSpace::new(model),
            word: match model {
                DataModel::Ilp32 => 4,
                DataModel::Lp64 => 8,
            },
            live_bytes: 0,
            peak_bytes: 0,
        }
    }

    /// All that later steps may depend on.
    pub fn hash_into(&self, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        let mut is_free = vec![false; self.objects.len()];
        for slot in &self.free {
            is_free[slot.index()] = true;
        }
        // What is never written is the same in all states.
        let changes = |index: usize, object: &Object| {
            let is_constant = object.guard == WriteGuard::ReadOnly;
            !is_free[index] && !is_constant && !matches!(object.kind, ObjectKind::Function(_))
        };
        for (index, object) in
            self.objects.iter().enumerate().filter(|(index, object)| changes(*index, object))
        {
            let known = (&object.bytes, &object.written, &object.tags, &object.pieces);
            (index, object.base, object.generation, known).hash(hasher);
        }
    }

    /// A copy, without what is remembered of the dead.
    pub fn without_dead(&self) -> Store {
        Store {
            objects: self.objects.clone(),
            free: self.free.clone(),
            dead: Vec::new(),
            next_dead: 0,
            space: self.space.clone(),
            word: self.word,
            live_bytes: self.live_bytes,
            peak_bytes: self.peak_bytes,
        }
    }

    /// Bytes that the store itself takes, roughly.
    pub fn kept_bytes(&self) -> usize {
        // Most objects are shared with the moment before.
        self.objects.len() * std::mem::size_of::<Rc<Object>>() + CHANGED_BYTES
    }

    /// Bytes of a pointer.
    #[inline]
    pub fn word(&self) -> usize {
        self.word
    }

    /// Bytes of all living objects.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// The most bytes that lived at once.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// A new object; its address is the caller's to set.
    pub fn make(&mut self, kind: ObjectKind, size: usize, contents: Contents, made_at: Span) -> Slot {
        self.live_bytes += size as u64;
        self.peak_bytes = self.peak_bytes.max(self.live_bytes);
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.objects.push(Rc::new(Object {
                    base: 0,
                    generation: 1,
                    guard: WriteGuard::Open,
                    is_external: false,
                    kind: ObjectKind::Alloca,
                    made_at,
                    bytes: Vec::new(),
                    written: Vec::new(),
                    tags: Vec::new(),
                    pieces: Vec::new(),
                }));
                Slot(u32::try_from(self.objects.len() - 1).expect("fewer than 2^32 objects"))
            }
        };
        let object = Rc::make_mut(&mut self.objects[slot.index()]);
        object.kind = kind;
        object.made_at = made_at;
        object.guard = WriteGuard::Open;
        object.is_external = false;
        object.bytes.resize(size, 0);
        if contents == Contents::Unwritten {
            object.written.resize(size, 0);
        }
        slot
    }

    /// Ends an object's life; pointers to it are known to dangle from here on.
    pub fn end(&mut self, slot: Slot, ended_at: Span) {
        let object = Rc::make_mut(&mut self.objects[slot.index()]);
        let size = object.bytes.len() as u64;
        let dead = Dead {
            tag: Tag::new(slot, object.generation),
            kind: std::mem::replace(&mut object.kind, ObjectKind::Alloca),
            size,
            base: object.base,
            made_at: object.made_at,
            ended_at,
        };
        // A generation that would come round to a mark retires the slot for good.
        let is_worn_out = object.generation == u32::MAX - 1;
        object.generation += 1;
        if object.bytes.capacity() > KEPT_CAPACITY {
            object.bytes = Vec::new();
            object.written = Vec::new();
            object.tags = Vec::new();
            object.pieces = Vec::new();
        } else {
            object.bytes.clear();
            object.written.clear();
            object.tags.clear();
            object.pieces.clear();
        }
        if !is_worn_out {
            self.free.push(slot);
        }
        self.live_bytes -= size;
        if self.dead.len() < REMEMBERED {
            self.dead.push(dead);
        } else {
            self.dead[self.next_dead] = dead;
            self.next_dead = (self.next_dead + 1) % REMEMBERED;
        }
    }

    /// The allocated blocks that live, in the order of their slots.
    pub fn living_blocks(&self) -> impl Iterator<Item = Slot> + '_ {
        let is_block = |object: &Object| matches!(object.kind, ObjectKind::Heap(_));
        let blocks = self.objects.iter().enumerate().filter(move |(_, object)| is_block(object));
        blocks.map(|(at, _)| Slot(at as u32))
    }

    /// All slots; those without a living object have no bytes.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.objects.len()).map(|at| Slot(at as u32))
    }

    /// How many objects of a variable live.
    pub fn living_of(&self, variable: VariableId) -> usize {
        let is_one = |object: &&Rc<Object>| object.kind == ObjectKind::Variable(variable);
        self.objects.iter().filter(is_one).count()
    }

    /// What is remembered of a dead object.
    pub fn remembered(&self, tag: Tag) -> Option<&Dead> {
        self.dead.iter().find(|dead| dead.tag == tag)
    }

    /// What is remembered of a dead object by an address in it: the one that died last.
    pub fn remembered_at(&self, address: u64) -> Option<&Dead> {
        let (newest, rest) = self.dead.split_at(self.next_dead.min(self.dead.len()));
        let contains = |dead: &&Dead| address >= dead.base && address < dead.base + dead.size.max(1);
        newest.iter().rev().find(contains).or_else(|| rest.iter().rev().find(contains))
    }

    /// The object in a slot, whichever life it is in.
    #[inline]
    pub fn object(&self, slot: Slot) -> &Object {
        &self.objects[slot.index()]
    }

    /// The object in a slot, to change it.
    #[inline]
    pub fn object_mut(&mut self, slot: Slot) -> &mut Object {
        Rc::make_mut(&mut self.objects[slot.index()])
    }

    /// A pointer to the start of a living object.
    #[inline]
    pub fn pointer_to(&self, slot: Slot) -> Pointer {
        let object = self.object(slot);
        Pointer { address: object.base, tag: object.tag(slot) }
    }

    /// The living object of a tag.
    #[inline]
    pub fn living(&self, tag: Tag) -> Option<Slot> {
        let (slot, generation) = tag.object()?;
        (self.objects[slot.index()].generation == generation).then_some(slot)
    }

    /// The place of `size` bytes a tagged pointer points to, if they lie in its living object.
    #[inline]
    pub fn locate(&self, pointer: Pointer, size: usize) -> Option<Location> {
        let (slot, generation) = pointer.tag.object()?;
        let object = &self.objects[slot.index()];
        if object.generation != generation {
            return None;
        }
        let offset = pointer.address.wrapping_sub(object.base);
        let available = object.bytes.len() as u64;
        (offset <= available && size as u64 <= available - offset)
            .then_some(Location { slot, offset: offset as usize })
    }

    /// Loads a pointer with its provenance.
    #[inline]
    pub fn load_pointer(&self, at: Location) -> Pointer {
        let object = self.object(at.slot);
        Pointer { address: object.load(at.offset, self.word), tag: object.tag_at(at.offset, self.word) }
    }

    /// Stores a pointer with its provenance.
    #[inline]
    pub fn store_pointer(&mut self, at: Location, pointer: Pointer) {
        let word = self.word;
        let object = self.object_mut(at.slot);
        object.store(at.offset, word, pointer.address, word);
        object.set_tag(at.offset, pointer.tag, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store_with_one(size: usize) -> (Store, Slot) {
        let mut store = Store::new(DataModel::Lp64);
        let slot = store.make(ObjectKind::Heap("malloc"), size, Contents::Unwritten, Span::NOWHERE);
        let base = store.space.place_on_heap(slot, size as u64, 16).expect("room");
        store.object_mut(slot).base = base;
        (store, slot)
    }

    #[test]
    fn tags_die_with_their_object() {
        let (mut store, slot) = store_with_one(8);
        let pointer = store.pointer_to(slot);
        assert!(store.locate(pointer, 8).is_some() && store.locate(pointer, 9).is_none());
        store.end(slot, Span::NOWHERE);
        assert_eq!(store.locate(pointer, 1), None);
        assert_eq!(store.remembered(pointer.tag).map(|dead| dead.size), Some(8));
        let again = store.make(ObjectKind::Alloca, 8, Contents::Zero, Span::NOWHERE);
        assert_eq!((again, store.locate(pointer, 1)), (slot, None));
    }

    #[test]
    fn overwritten_pointers_lose_their_provenance() {
        let (mut store, slot) = store_with_one(16);
        let pointer = store.pointer_to(slot);
        let at = Location { slot, offset: 8 };
        store.store_pointer(at, pointer);
        assert_eq!(store.load_pointer(at), pointer);
        store.object_mut(slot).store(15, 1, 0, 8);
        assert_eq!(store.load_pointer(at).tag, Tag::NONE);
        assert!(store.object(slot).is_written(8, 8) && !store.object(slot).is_written(7, 2));
    }
}
