//! What library functions ask of the bytes behind a pointer: that there are so many, and that two ranges have none in
//! common. What is not clear counts as not given.

use super::encode::Encoder;
use super::memory::Target;
use logic::TermId;
use program::Expr;

impl Encoder<'_> {
    /// So many bytes lie where the pointer leads. No bytes lie anywhere.
    pub(super) fn room(&mut self, at: &Expr, bytes: &Expr, is_written: bool) -> TermId {
        let pointer = self.value(at);
        let count = self.count(bytes);
        let width = self.pool.width(pointer);
        let zero = self.pool.number(width, 0);
        let mut ways = vec![self.pool.equal(count, zero)];
        for target in self.memory.targets(at) {
            let Target::At(part) = target else { continue };
            if is_written && self.memory.is_fixed(part.root) {
                continue;
            }
            let room = self.memory.room_behind(&part);
            if room == 0 {
                continue;
            }
            let base = self.root_address(part.root);
            let offset = self.pool.number(width, i128::from(self.memory.byte_offset(&part)));
            let address = self.pool.bvadd(base, offset);
            let is_there = self.pool.equal(pointer, address);
            let room = self.pool.number(width, i128::from(room));
            let fits = self.pool.ule(count, room);
            ways.push(self.pool.and(is_there, fits));
        }
        let any = self.pool.any_of(&ways);
        self.simplify(any)
    }

    /// Two ranges of bytes have none in common. Addresses are far from the largest, so that no sum wraps around for
    /// bytes that are there.
    pub(super) fn apart(&mut self, one: &(Expr, Expr), other: &(Expr, Expr)) -> TermId {
        let (first, others) = (self.value(&one.0), self.value(&other.0));
        let (bytes, more) = (self.count(&one.1), self.count(&other.1));
        let zero = self.pool.number(self.pool.width(first), 0);
        let (end, other_end) = (self.pool.bvadd(first, bytes), self.pool.bvadd(others, more));
        let ways = [
            self.pool.equal(bytes, zero),
            self.pool.equal(more, zero),
            self.pool.ule(end, others),
            self.pool.ule(other_end, first),
        ];
        let any = self.pool.any_of(&ways);
        self.simplify(any)
    }

    /// A number of bytes, as wide as an address.
    fn count(&mut self, bytes: &Expr) -> TermId {
        let width = self.memory.types.pointer_width();
        let is_signed = self.memory.types.integer_shape(bytes.ty).is_some_and(|shape| shape.signed);
        let count = self.value(bytes);
        self.resized(count, width, is_signed)
    }
}
