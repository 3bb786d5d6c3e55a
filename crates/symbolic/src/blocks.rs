//! `memcpy`, `memmove` and `memset`: blocks piece by piece as the regions keep them. Where the length is not constant and the objects are short, every piece
//! is written under the condition that the block reaches it.

use crate::meaning::{CellShape, at_leaf};
use crate::state::State;
use crate::step::{Encoder, FailureKind};
use logic::TermId;
use program::points_to::RegionId;
use program::{Expr, ExprKind, InitialData, Known, Place, PlaceBase, Projection, Type, VariableKind};

/// A part of a block that is one access of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    offset: u64,
    bytes: u64,
    region: RegionId,
}

/// Longer blocks are not taken apart.
const MOST_BYTES: u128 = 8192;
/// Longer objects are not written piece by piece under conditions.
const MOST_GUARDED_BYTES: u64 = 256;

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
            self.block_of_unknown_length(state, known, (to, with, length), (to_expr, with_expr));
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
                self.store_raw(state, piece.region, address, value);
            }
            return true;
        }
        self.check_access(state, with, size, false);
        if known == Known::MemoryCopy {
            self.check_overlap(to, with, size);
        }
        if let Some(values) = self.literal_values(with_expr, &target) {
            for (piece, value) in target.iter().zip(values) {
                let address = self.terms.add_number(to, u128::from(piece.offset));
                self.store_raw(state, piece.region, address, value);
            }
            return true;
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
                self.store_raw(state, piece.region, address, value);
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

    /// A block whose length is not constant: what the call needs, then every piece that may be in the block, written if it is.
    fn block_of_unknown_length(
        &mut self,
        state: &mut State,
        known: Known,
        (to, with, length): (TermId, TermId, TermId),
        (to_expr, with_expr): (&Expr, &Expr),
    ) {
        let copies = known != Known::MemorySet;
        let length = self.terms.resize(length, self.meaning.layout.width, false);
        if copies {
            self.check_range(state, with, length, false);
        }
        self.check_range(state, to, length, true);
        if known == Known::MemoryCopy {
            self.check_overlap(to, with, length);
        }
        let most = self.bytes_from(state, to);
        let most = if copies { most.into_iter().chain(self.bytes_from(state, with)).min() } else { most };
        let Some(most) = most.filter(|&most| most <= MOST_GUARDED_BYTES) else {
            self.unknown("a block of memory whose length is not constant");
            return;
        };
        if most == 0 {
            return;
        }
        let Some(target) = self.pieces(to_expr, most) else {
            self.unknown("a block of memory whose length is not constant");
            return;
        };
        let literal = if copies { self.literal_values(with_expr, &target) } else { None };
        let source =
            if copies && literal.is_none() { self.pieces(with_expr, most) } else { Some(target.clone()) };
        let Some(source) = source else {
            self.unknown("a block of memory whose length is not constant");
            return;
        };
        let is_alike = source.len() == target.len()
            && source
                .iter()
                .zip(&target)
                .all(|(one, two)| (one.offset, one.bytes) == (two.offset, two.bytes));
        if !is_alike {
            self.unknown("a block of memory whose length is not constant, between different types");
            return;
        }
        let width = self.terms.pool.width(length);
        let byte = self.terms.cut(with, 7, 0);
        let values: Vec<TermId> = literal.unwrap_or_else(|| {
            let read = source.iter().map(|piece| match copies {
                true => {
                    let address = self.terms.add_number(with, u128::from(piece.offset));
                    self.load_raw(state, piece.region, address, piece.bytes)
                }
                false => self.join_bytes(&vec![byte; piece.bytes as usize]),
            });
            read.collect()
        });
        for (piece, value) in target.into_iter().zip(values) {
            let address = self.terms.add_number(to, u128::from(piece.offset));
            let start = self.terms.number(width, u128::from(piece.offset));
            let last = self.terms.number(width, u128::from(piece.offset + piece.bytes - 1));
            let (begins, is_whole) = (self.terms.below(start, length), self.terms.below(last, length));
            if piece.bytes > 1 {
                let is_cut = self.terms.not(is_whole);
                let is_part = self.terms.and(begins, is_cut);
                self.fail(is_part, FailureKind::Unknown);
            }
            let old = self.load_raw(state, piece.region, address, piece.bytes);
            let value = self.terms.ite(is_whole, value, old);
            self.store_raw(state, piece.region, address, value);
        }
    }

    /// The pieces of a string literal that is copied: nothing need have read it before for memory to have it.
    fn literal_values(&mut self, from: &Expr, pieces: &[Piece]) -> Option<Vec<TermId>> {
        let mut from = from;
        while let ExprKind::Cast(inner) = &from.kind {
            from = inner;
        }
        let ExprKind::AddressOf(place) = &from.kind else { return None };
        let PlaceBase::Variable(id) = place.base else { return None };
        let variable = &self.meaning.program.variables[id];
        let is_start = place.path.iter().all(
            |step| matches!(step, Projection::Index(index) if matches!(index.kind, ExprKind::Integer(0))),
        );
        if variable.kind != VariableKind::StringLiteral || !is_start {
            return None;
        }
        let InitialData::Bytes(bytes) = &variable.initial.first()?.value else { return None };
        let size = self.meaning.program.types.size_of(variable.ty.id)? as usize;
        let mut all = bytes.clone();
        all.resize(size, 0);
        let values = pieces.iter().map(|piece| {
            let part = all.get(piece.offset as usize..(piece.offset + piece.bytes) as usize)?;
            let bytes: Vec<TermId> =
                part.iter().map(|&byte| self.terms.number(8, u128::from(byte))).collect();
            Some(self.join_bytes(&bytes))
        });
        values.collect()
    }

    /// How many bytes there are from an address to the end of its object, if that is constant.
    fn bytes_from(&mut self, state: &mut State, address: TermId) -> Option<u64> {
        let extent = self.extent(state, address);
        let size = self.extent_size(extent);
        let offset = self.meaning.layout.offset_term(&mut self.terms, address);
        let (size, offset) = (self.terms.constant(size)?, self.terms.constant(offset)?);
        // An extent is one more than the size; that of what is dead is none.
        u64::try_from(size.checked_sub(1)?.checked_sub(offset)?).ok()
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
