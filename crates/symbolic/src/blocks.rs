//! `memcpy`, `memmove` and `memset`: blocks of a constant length, piece by piece as the regions keep them.

use crate::meaning::{CellShape, at_leaf};
use crate::state::State;
use crate::step::{Encoder, FailureKind};
use logic::TermId;
use program::points_to::RegionId;
use program::{Expr, ExprKind, Known, Place, Type};

/// A part of a block that is one access of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    offset: u64,
    bytes: u64,
    region: RegionId,
}

/// Longer blocks are not taken apart.
const MOST_BYTES: u128 = 8192;

impl Encoder<'_> {
    /// Copies or fills a block. Says whether it could; what went wrong is recorded.
    pub(crate) fn block_call(
        &mut self,
        state: &mut State,
        known: Known,
        values: &[TermId],
        expressions: &[Expr],
    ) -> bool {
        let (&[to, with, length], [to_expr, with_expr, _]) = (values, expressions) else { return false };
        let Some(length) = self.terms.constant(length) else {
            self.unknown("a block of memory whose length is not constant");
            return true;
        };
        if length == 0 {
            return true;
        }
        if length > MOST_BYTES {
            self.unknown("a long block of memory");
            return true;
        }
        let size = self.terms.number(self.meaning.layout.width, length);
        self.check_access(state, to, size, true);
        let Some(target) = self.pieces(to_expr, length as u64) else {
            self.unknown("a block of memory whose parts are not known");
            return true;
        };
        if known == Known::MemorySet {
            let byte = self.terms.cut(with, 7, 0);
            for piece in target {
                let value = self.join_bytes(&vec![byte; piece.bytes as usize]);
                let address = self.terms.add_number(to, u128::from(piece.offset));
                self.store_plain(state, piece.region, address, value);
            }
            return true;
        }
        self.check_access(state, with, size, false);
        if known == Known::MemoryCopy {
            self.check_overlap(to, with, size);
        }
        let Some(source) = self.pieces(with_expr, length as u64) else {
            self.unknown("a block of memory whose parts are not known");
            return true;
        };
        let values: Vec<TermId> = source
            .iter()
            .map(|piece| {
                let address = self.terms.add_number(with, u128::from(piece.offset));
                self.load_raw(state, piece.region, address, piece.bytes)
            })
            .collect();
        let is_alike = source.len() == target.len()
            && source
                .iter()
                .zip(&target)
                .all(|(one, two)| one.offset == two.offset && one.bytes == two.bytes);
        if is_alike {
            for (piece, value) in target.iter().zip(values) {
                let address = self.terms.add_number(to, u128::from(piece.offset));
                let from = self.terms.add_number(with, u128::from(piece.offset));
                if self.may_be_pointer_bytes(from, piece.bytes) {
                    self.store_raw(state, piece.region, address, value);
                } else {
                    self.store_plain(state, piece.region, address, value);
                }
            }
            return true;
        }
        // Padding between the pieces has no value.
        let mut bytes: Vec<Option<TermId>> = vec![None; length as usize];
        for (piece, value) in source.iter().zip(values) {
            for at in 0..piece.bytes as u32 {
                bytes[piece.offset as usize + at as usize] = Some(self.terms.cut(value, at * 8 + 7, at * 8));
            }
        }
        for piece in target {
            let part: Vec<TermId> = (piece.offset..piece.offset + piece.bytes)
                .map(|at| bytes[at as usize].unwrap_or_else(|| self.terms.fresh_bits("padding", 8)))
                .collect();
            let value = self.join_bytes(&part);
            let address = self.terms.add_number(to, u128::from(piece.offset));
            self.store_raw(state, piece.region, address, value);
        }
        true
    }

    fn join_bytes(&mut self, bytes: &[TermId]) -> TermId {
        let mut value = bytes[0];
        for &byte in &bytes[1..] {
            value = self.terms.join(byte, value);
        }
        value
    }

    fn check_overlap(&mut self, to: TermId, from: TermId, size: TermId) {
        let (up, down) = (self.terms.sub(to, from), self.terms.sub(from, to));
        let (near, also_near) = (self.terms.below(up, size), self.terms.below(down, size));
        let near = self.terms.or(near, also_near);
        let same = self.terms.equal(to, from);
        let differ = self.terms.not(same);
        let overlap = self.terms.and(near, differ);
        self.fail(overlap, FailureKind::Overlap);
    }

    /// How the regions keep `length` bytes behind a pointer.
    fn pieces(&self, pointer: &Expr, length: u64) -> Option<Vec<Piece>> {
        self.pieces_by_type(pointer, length).or_else(|| self.pieces_by_region(pointer, length))
    }

    /// The block is elements of what the pointer points to, before it was made a `void *`.
    fn pieces_by_type(&self, pointer: &Expr, length: u64) -> Option<Vec<Piece>> {
        let types = &self.meaning.program.types;
        let mut pointer = pointer;
        while let ExprKind::Cast(inner) = &pointer.kind
            && types.is_pointer(inner.ty)
        {
            pointer = inner;
        }
        let to = types.pointee(pointer.ty)?;
        if matches!(types.get(to.id), Type::Void | Type::Function(_)) {
            return None;
        }
        let size = types.size_of(to.id).filter(|&size| size > 0 && length.is_multiple_of(size))?;
        let leaves = self.meaning.leaves(to.id)?;
        let place = Place::pointed_to_by(pointer.clone(), to);
        let mut pieces = Vec::new();
        for at in 0..length / size {
            for leaf in leaves.iter() {
                let region = self.meaning.region_of(&at_leaf(&place, leaf))?;
                match self.meaning.shape(region) {
                    CellShape::Whole(bytes) if bytes != leaf.bytes => return None,
                    _ => pieces.push(Piece { offset: at * size + leaf.offset, bytes: leaf.bytes, region }),
                }
            }
        }
        Some(pieces)
    }

    /// All objects it may point to are in one region.
    fn pieces_by_region(&self, pointer: &Expr, length: u64) -> Option<Vec<Piece>> {
        let analysis = self.meaning.points_to;
        let mut regions: Vec<RegionId> = analysis
            .points_to(self.meaning.program, pointer)
            .into_iter()
            .flat_map(|target| analysis.cells_of(target.object).collect::<Vec<_>>())
            .map(|cell| analysis.cell(cell).region)
            .collect();
        regions.sort_unstable();
        regions.dedup();
        let [region] = regions[..] else { return None };
        let bytes = match self.meaning.shape(region) {
            CellShape::Bytes => 1,
            CellShape::Whole(bytes) => bytes,
        };
        let pieces = (0..length / bytes).map(|at| Piece { offset: at * bytes, bytes, region });
        length.is_multiple_of(bytes).then(|| pieces.collect())
    }
}
