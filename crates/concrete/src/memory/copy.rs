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
    }
}
