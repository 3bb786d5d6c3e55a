//! One object: its bytes, which bits of them were written, and the provenance of the pointers stored in it.

use super::pointer::{Slot, Tag};
use base::Span;
use program::{ProcedureId, TypeId, VariableId};

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A variable, or the array of a string literal.
    Variable(VariableId),
    /// Allocated by the named function; lives until freed.
    Heap(&'static str),
    /// Allocated on the stack by `alloca` (or for an array of run-time length); lives until its function returns.
    Alloca,
    /// A function: has an address and no bytes.
    Function(ProcedureId),
    /// What a stream's pointer points to: nothing that a program may touch.
    Stream(Stream),
    /// The unnamed arguments of a call, one after the other.
    Arguments(Box<[ArgumentSlot]>),
    /// The strings and the table behind `argv` and `envp`.
    ProgramArguments,
}

/// A stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// `stdin`
    In,
    /// `stdout`
    Out,
    /// `stderr`
    Err,
    /// One that was opened.
    File,
}

/// Where an unnamed argument lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentSlot {
    /// Bytes from the start of the area.
    pub offset: u64,
    /// The promoted type it was passed with.
    pub ty: TypeId,
}

/// May a pointer be used to write?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteGuard {
    /// The object may be written.
    Open,
    /// The object is `const` and on the stack: undefined, though the machine would let it pass.
    ConstLocal,
    /// The object is `const` with static storage, or a string literal: the machine would not let it pass.
    ReadOnly,
}

/// An object, alive or waiting for its slot's next life.
#[derive(Clone, Debug)]
pub struct Object {
    /// Address of its first byte.
    pub base: u64,
    /// Counts the lives of the slot; tags with another count point to the dead.
    pub generation: u32,
    /// May pointers write to it?
    pub guard: WriteGuard,
    /// Is the value of never written bits unknown because another unit would define the object?
    pub is_external: bool,
    /// What it is.
    pub kind: ObjectKind,
    /// Where it was made.
    pub made_at: Span,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// One bit per bit of `bytes`: was it ever written? Empty when all were.
    pub written: Vec<u8>,
    /// Per machine word at its natural place: the tag of the pointer stored there. Empty when there is none.
    pub tags: Vec<Tag>,
    /// Bytes of an address that no tag stands for: of one at an odd place, and what is left of one that was overwritten
    /// or copied in part. Empty when there is none.
    pub pieces: Vec<bool>,
}

impl Object {
    /// The size of the object in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Were all bits of the range written?
    #[inline]
    pub fn is_written(&self, offset: usize, size: usize) -> bool {
        self.written.is_empty() || self.written[offset..offset + size].iter().all(|&mask| mask == 0xff)
    }

    /// The byte, with those bits of the object's own that were written.
    pub fn with_written_bits(&self, offset: usize, byte: u8) -> u8 {
        let written = self.written.get(offset).copied().unwrap_or(0xff);
        (self.bytes[offset] & written) | (byte & !written)
    }

    /// Up to eight bytes as a little-endian number.
    #[inline]
    pub fn load(&self, offset: usize, size: usize) -> u64 {
        let bytes = &self.bytes[offset..];
        match size {
            1 => u64::from(bytes[0]),
            2 => u64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            4 => u64::from(u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))),
            8 => u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")),
            _ => {
                let mut number = [0; 8];
                number[..size].copy_from_slice(&bytes[..size]);
                u64::from_le_bytes(number)
            }
        }
    }

    /// Stores the low `size` (up to eight) bytes. The stored bytes belong to no pointer afterwards.
    #[inline]
    pub fn store(&mut self, offset: usize, size: usize, value: u64, word: usize) {
        self.bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
        if !self.written.is_empty() {
            self.written[offset..offset + size].fill(0xff);
        }
        if !self.tags.is_empty() || !self.pieces.is_empty() {
            self.forget_tags(offset, size, word);
        }
    }

    /// Up to sixteen bytes as a little-endian number.
    pub fn load_wide(&self, offset: usize, size: usize) -> u128 {
        let mut number = [0; 16];
        number[..size].copy_from_slice(&self.bytes[offset..offset + size]);
        u128::from_le_bytes(number)
    }

    /// Stores the low `size` (up to sixteen) bytes.
    pub fn store_wide(&mut self, offset: usize, size: usize, value: u128, word: usize) {
        self.store_bytes(offset, &value.to_le_bytes()[..size], word);
    }

    /// Stores bytes that belong to no pointer.
    pub fn store_bytes(&mut self, offset: usize, bytes: &[u8], word: usize) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        if !self.written.is_empty() {
            self.written[offset..offset + bytes.len()].fill(0xff);
        }
        self.forget_tags(offset, bytes.len(), word);
    }

    /// Fills a range with one byte.
    pub fn fill(&mut self, offset: usize, size: usize, byte: u8, word: usize) {
        self.bytes[offset..offset + size].fill(byte);
        if !self.written.is_empty() {
            self.written[offset..offset + size].fill(0xff);
        }
        self.forget_tags(offset, size, word);
    }

    /// The range was never written, as far as anyone can tell.
    pub fn make_unwritten(&mut self, offset: usize, size: usize, word: usize) {
        if size == 0 {
            return;
        }
        if self.written.is_empty() {
            self.written.resize(self.bytes.len(), 0xff);
        }
        self.written[offset..offset + size].fill(0);
        self.bytes[offset..offset + size].fill(0);
        self.forget_tags(offset, size, word);
    }

    /// The provenance of the pointer stored at an offset.
    #[inline]
    pub fn tag_at(&self, offset: usize, word: usize) -> Tag {
        if self.tags.is_empty() || !offset.is_multiple_of(word) {
            return Tag::NONE;
        }
        self.tags.get(offset / word).copied().unwrap_or(Tag::NONE)
    }

    /// Records the provenance of the pointer stored at an offset; not at odd places, where the address has to do.
    #[inline]
    pub fn set_tag(&mut self, offset: usize, tag: Tag, word: usize) {
        if tag == Tag::NONE && self.tags.is_empty() {
            return;
        }
        if !offset.is_multiple_of(word) {
            if tag != Tag::NONE {
                self.mark_pieces(offset..offset + word);
            }
            return;
        }
        if self.tags.is_empty() {
            self.tags.resize(self.bytes.len().div_ceil(word), Tag::NONE);
        }
        self.tags[offset / word] = tag;
    }

    /// Bytes of the range no longer belong to a pointer.
    pub fn forget_tags(&mut self, offset: usize, size: usize, word: usize) {
        if size == 0 {
            return;
        }
        if !self.tags.is_empty() {
            let (first, last) = (offset / word, (offset + size - 1) / word);
            for at in [first, last] {
                let whole = at * word..(at * word + word).min(self.bytes.len());
                let is_covered = offset <= whole.start && whole.end <= offset + size;
                if self.tags[at] != Tag::NONE && !is_covered {
                    self.mark_pieces(whole);
                }
            }
            self.tags[first..=last].fill(Tag::NONE);
        }
        if !self.pieces.is_empty() {
            self.pieces[offset..offset + size].fill(false);
        }
    }

    /// Bytes that are those of an address, which no tag tells.
    pub fn mark_pieces(&mut self, range: std::ops::Range<usize>) {
        if self.pieces.is_empty() {
            self.pieces.resize(self.bytes.len(), false);
        }
        self.pieces[range].fill(true);
    }

    /// Is any byte of the range one of an address?
    #[inline]
    pub fn has_address_bytes(&self, offset: usize, size: usize, word: usize) -> bool {
        if size == 0 || (self.tags.is_empty() && self.pieces.is_empty()) {
            return false;
        }
        let (first, last) = (offset / word, (offset + size - 1) / word);
        (!self.tags.is_empty() && self.tags[first..=last].iter().any(|&tag| tag != Tag::NONE))
            || (!self.pieces.is_empty() && self.pieces[offset..offset + size].contains(&true))
    }

    /// The tag of pointers to it, given its slot.
    #[inline]
    pub fn tag(&self, slot: Slot) -> Tag {
        Tag::new(slot, self.generation)
    }
}
