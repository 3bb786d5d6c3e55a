//! Bytes with all that belongs to them, lifted out of an object and put into another: record values.

use super::pointer::{Location, Tag};
use super::store::Store;

/// The bytes of a record or array value with their written-mask and provenance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// As in an object; empty when all is written.
    pub written: Vec<u8>,
    /// Offsets and tags of the pointers in it.
    pub tags: Vec<(usize, Tag)>,
    /// Offsets of bytes of an address that no tag stands for.
    pub pieces: Vec<usize>,
}

impl Region {
    /// All zero.
    pub fn zero(size: usize) -> Region {
        Region { bytes: vec![0; size], ..Region::default() }
    }
}

impl Store {
    /// Lifts `size` bytes out, into a region that is overwritten.
    pub fn lift_into(&self, from: Location, size: usize, region: &mut Region) {
        let word = self.word();
        let object = self.object(from.slot);
        let range = from.offset..from.offset + size;
        region.bytes.clear();
        region.bytes.extend_from_slice(&object.bytes[range.clone()]);
        region.written.clear();
        if !object.written.is_empty() {
            region.written.extend_from_slice(&object.written[range]);
        }
        region.pieces.clear();
        if object.has_address_bytes(from.offset, size, word) {
            let tagged = |at: usize| object.tag_at(at / word * word, word) != Tag::NONE;
            let is_whole = |at: usize| {
                let start = at / word * word;
                from.offset <= start && start + word <= from.offset + size
            };
            let is_piece = |at: &usize| {
                object.pieces.get(*at).is_some_and(|&piece| piece) || (tagged(*at) && !is_whole(*at))
            };
            let bytes = (from.offset..from.offset + size).filter(is_piece);
            region.pieces.extend(bytes.map(|at| at - from.offset));
        }
        region.tags.clear();
        if !object.tags.is_empty() {
            let first = from.offset.next_multiple_of(word);
            let mut at = first;
            while at + word <= from.offset + size {
                let tag = object.tag_at(at, word);
                if tag != Tag::NONE {
                    region.tags.push((at - from.offset, tag));
                }
                at += word;
            }
        }
    }

    /// Lifts `size` bytes out.
    pub fn lift(&self, from: Location, size: usize) -> Region {
        let mut region = Region::default();
        self.lift_into(from, size, &mut region);
        region
    }

    /// Puts a region down.
    pub fn put(&mut self, to: Location, region: &Region) {
        let word = self.word();
        let object = self.object_mut(to.slot);
        object.store_bytes(to.offset, &region.bytes, word);
        if !region.written.is_empty() {
            let size = region.bytes.len();
            if object.written.is_empty() && region.written.iter().any(|&mask| mask != 0xff) {
                object.written.resize(object.bytes.len(), 0xff);
            }
            if !object.written.is_empty() {
                object.written[to.offset..to.offset + size].copy_from_slice(&region.written);
            }
        }
        for &(offset, tag) in &region.tags {
            object.set_tag(to.offset + offset, tag, word);
        }
        for &offset in &region.pieces {
            object.mark_pieces(to.offset + offset..to.offset + offset + 1);
        }
    }
}
