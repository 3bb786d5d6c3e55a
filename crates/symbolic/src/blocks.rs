//! `memcpy`, `memmove`, `memset` and `realloc`: blocks of memory, piece by piece as the regions keep them. Where the length is a
//! term, each piece is written under the condition that it lies in the block.

use crate::meaning::{CellShape, at_leaf};
use crate::state::State;
use crate::step::{Encoder, FailureKind};
use logic::TermId;
use program::points_to::{ObjectKind, RegionId};
use program::{EdgeId, Expr, ExprKind, Known, Place, ProcedureId, Type};

/// A part of a block that is one access of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    offset: u64,
    bytes: u64,
    region: RegionId,
}

impl From<crate::padding::Gap> for Piece {
    fn from(gap: crate::padding::Gap) -> Piece {
        Piece { offset: gap.offset, bytes: gap.bytes, region: gap.region }
    }
}

/// Longer blocks are not taken apart.
const MOST_BYTES: u128 = 8192;
/// Blocks of open length are taken apart up to here.
const MOST_OPEN_BYTES: u64 = 256;
/// Elements that are longer are not looked for in blocks of open length.
const LARGEST_ELEMENT: u64 = 64;

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
            let from = (known != Known::MemorySet).then_some((with, with_expr));
            self.block_of_open_length(state, known, (to, to_expr), from, with, length);
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
        self.check_confines(state, without_casts(to_expr), to, Some(size));
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
        self.check_confines(state, without_casts(with_expr), with, Some(size));
        if known == Known::MemoryCopy {
            self.check_overlap(to, with, size);
        }
        let Some(source) = self.pieces(with_expr, length as u64) else {
            let Some(text) = self.literal_bytes(with_expr) else {
                self.unknown("a block of memory whose parts are not known");
                return true;
            };
            for piece in target {
                let value = self.bytes_of_literal(&text, &piece);
                let address = self.terms.add_number(to, u128::from(piece.offset));
                self.store_plain(state, piece.region, address, value);
            }
            return true;
        };
        let values: Vec<(TermId, TermId)> = source
            .iter()
            .map(|piece| {
                let address = self.terms.add_number(with, u128::from(piece.offset));
                let value = self.load_raw(state, piece.region, address, piece.bytes);
                (value, self.address_part_at(state, piece.region, address, value))
            })
            .collect();
        let is_alike = source.len() == target.len()
            && source
                .iter()
                .zip(&target)
                .all(|(one, two)| one.offset == two.offset && one.bytes == two.bytes);
        if is_alike {
            // A copy of what was never written is as unwritten: a later read of it is the mistake.
            let unwritten = self.unwritten_pieces(state, with, &source);
            for ((piece, (value, part)), unwritten) in target.iter().zip(values).zip(unwritten) {
                let address = self.terms.add_number(to, u128::from(piece.offset));
                self.store_raw(state, piece.region, address, value, Some(part));
                self.set_unwritten_cells(state, piece.region, address, &unwritten);
            }
            return true;
        }
        let unwritten = self.unwritten_pieces(state, with, &source);
        let unwritten: Vec<TermId> = unwritten.into_iter().flatten().collect();
        let any_unwritten = self.terms.any(&unwritten);
        // Padding between the pieces has no value.
        let mut bytes: Vec<Option<TermId>> = vec![None; length as usize];
        let mut parts: Vec<TermId> = vec![self.terms.no(); length as usize];
        for (piece, (value, part)) in source.iter().zip(values) {
            for at in 0..piece.bytes as u32 {
                bytes[piece.offset as usize + at as usize] = Some(self.terms.cut(value, at * 8 + 7, at * 8));
                parts[piece.offset as usize + at as usize] = part;
            }
        }
        for piece in target {
            let part: Vec<TermId> = (piece.offset..piece.offset + piece.bytes)
                .map(|at| bytes[at as usize].unwrap_or_else(|| self.terms.fresh_bits("padding", 8)))
                .collect();
            let value = self.join_bytes(&part);
            let address = self.terms.add_number(to, u128::from(piece.offset));
            let part = self.terms.any(&parts[piece.offset as usize..(piece.offset + piece.bytes) as usize]);
            self.store_raw(state, piece.region, address, value, Some(part));
            let cells = self.unwritten_cells(state, piece.region, address, piece.bytes).len();
            self.set_unwritten_cells(state, piece.region, address, &vec![any_unwritten; cells]);
        }
        true
    }

    /// A block whose length is a term: every piece that may be in it is written if it is. Lengths that end inside a
    /// piece, and those beyond what is taken apart, are not known.
    fn block_of_open_length(
        &mut self,
        state: &mut State,
        known: Known,
        (to, to_expr): (TermId, &Expr),
        from: Option<(TermId, &Expr)>,
        filler: TermId,
        length: TermId,
    ) {
        let width = self.meaning.layout.width;
        let length = self.terms.resize(length, width, false);
        let is_something = self.terms.is_nonzero(length);
        self.check_access_if(state, is_something, to, length, true);
        self.check_confines_if(state, is_something, to_expr, to, length);
        if let Some((from, from_expr)) = from {
            self.check_access_if(state, is_something, from, length, false);
            self.check_confines_if(state, is_something, from_expr, from, length);
            if known == Known::MemoryCopy {
                self.check_overlap(to, from, length);
            }
        }
        let largest = |encoder: &Self, expr: &Expr| encoder.largest_target(expr).unwrap_or(MOST_OPEN_BYTES);
        let most = largest(self, to_expr).min(from.map_or(u64::MAX, |(_, expr)| largest(self, expr)));
        let most = most.min(MOST_OPEN_BYTES);
        let target = self.pieces_up_to(to_expr, most);
        // A literal that is only copied has no cells of its own, but known bytes.
        let text = from.and_then(|(_, expr)| self.literal_bytes(expr));
        let source = match (from, &text) {
            (Some(_), Some(text)) => Some((text.len() as u64, Vec::new())),
            (Some((_, expr)), None) => self.pieces_up_to(expr, most),
            (None, _) => Some((most, Vec::new())),
        };
        let (Some((end, target)), Some((source_end, source))) = (target, source) else {
            self.unknown_if(is_something, "a block of memory of open length whose parts are not known");
            return;
        };
        let limit = self.terms.number(width, u128::from(end.min(source_end)));
        let is_longer = self.terms.below(limit, length);
        self.unknown_if(is_longer, "a block of memory whose length is not constant and may be long");
        let alike = |(one, two): (&Piece, &Piece)| one.offset == two.offset && one.bytes == two.bytes;
        if from.is_some()
            && text.is_none()
            && !(source.len() == target.len() && source.iter().zip(&target).all(alike))
        {
            self.unknown_if(is_something, "a copy of open length between objects with different parts");
            return;
        }
        // All is read before anything is written: the blocks of `memmove` may overlap.
        let mut read = Vec::new();
        for piece in &source {
            let (from, _) = from.expect("only copies have a source");
            let address = self.terms.add_number(from, u128::from(piece.offset));
            let unwritten = self.unwritten_cells(state, piece.region, address, piece.bytes);
            let value = self.load_raw(state, piece.region, address, piece.bytes);
            let part = self.address_part_at(state, piece.region, address, value);
            read.push((value, unwritten, part));
        }
        let byte = self.terms.cut(filler, 7, 0);
        for (at, piece) in target.iter().enumerate() {
            let start = self.terms.number(width, u128::from(piece.offset));
            let end = self.terms.number(width, u128::from(piece.offset + piece.bytes));
            let begins = self.terms.below(start, length);
            let before_end = self.terms.below(length, end);
            let is_cut = self.terms.and(begins, before_end);
            self.unknown_if(is_cut, "a block of memory that ends inside a scalar");
            let is_inside = self.terms.not(before_end);
            let address = self.terms.add_number(to, u128::from(piece.offset));
            let cells = self.unwritten_cells(state, piece.region, address, piece.bytes);
            let old = self.load_raw(state, piece.region, address, piece.bytes);
            let old_part = self.address_part_at(state, piece.region, address, old);
            let no = self.terms.no();
            let (value, unwritten, part) = match (read.get(at), &text) {
                (Some((value, unwritten, part)), _) => (*value, unwritten.clone(), *part),
                (None, Some(text)) => (self.bytes_of_literal(text, piece), vec![no; cells.len()], no),
                (None, None) => {
                    let value = self.join_bytes(&vec![byte; piece.bytes as usize]);
                    (value, vec![no; cells.len()], no)
                }
            };
            let value = self.terms.ite(is_inside, value, old);
            let part = self.terms.ite(is_inside, part, old_part);
            self.store_raw(state, piece.region, address, value, Some(part));
            let cells: Vec<TermId> = cells
                .into_iter()
                .zip(unwritten)
                .map(|(old, new)| self.terms.ite(is_inside, new, old))
                .collect();
            self.set_unwritten_cells(state, piece.region, address, &cells);
        }
    }

    /// `realloc`: a new block with the contents of the old one as far as both reach; the old one ends. What happens to a block that is
    /// to have no bytes is left to the library.
    pub(crate) fn reallocate(
        &mut self,
        state: &mut State,
        block: TermId,
        size: TermId,
        expr: &Expr,
        site: (ProcedureId, EdgeId),
    ) -> TermId {
        let width = self.meaning.layout.width;
        let size = self.terms.resize(size, width, false);
        let zero = self.terms.number(width, 0);
        let was_there = self.terms.is_nonzero(block);
        let is_empty = self.terms.equal(size, zero);
        let is_open = self.terms.and(was_there, is_empty);
        self.unknown_if(is_open, "`realloc` of a block to no bytes");
        let made = self.allocate(state, size, site, crate::library::Keeps::Heap);
        if self.terms.constant(block) == Some(0) {
            return made;
        }
        let extent = self.extent(state, block);
        let size_plus_one = self.extent_size(extent);
        let one = self.terms.number(width, 1);
        let old_size = self.terms.sub(size_plus_one, one);
        let shrinks = self.terms.below(size, old_size);
        let kept = self.terms.ite(shrinks, size, old_size);
        let kept = self.terms.ite(was_there, kept, zero);
        self.keep_contents(state, made, (block, expr), kept, site);
        self.free(state, block);
        made
    }

    /// Copies the first bytes of a block to a new one.
    fn keep_contents(
        &mut self,
        state: &mut State,
        made: TermId,
        (block, expr): (TermId, &Expr),
        length: TermId,
        (procedure, edge): (ProcedureId, EdgeId),
    ) {
        let width = self.meaning.layout.width;
        let is_something = self.terms.is_nonzero(length);
        let known = self.terms.constant(length).map(|bytes| bytes.min(MOST_BYTES) as u64);
        let pieces = match known {
            Some(0) => return,
            Some(bytes) => self.pieces(expr, bytes).map(|pieces| (bytes, pieces)),
            None => self.pieces_up_to(expr, MOST_OPEN_BYTES),
        };
        let Some((end, pieces)) = pieces else {
            self.unknown_if(is_something, "`realloc` of a block whose parts are not known");
            return;
        };
        // What the new block is looked at by: every part has to be one that is copied.
        let analysis = self.meaning.points_to;
        let made_object = analysis.object_of(ObjectKind::Allocation(procedure, edge));
        let is_copied = made_object.into_iter().flat_map(|object| analysis.cells_of(object)).all(|cell| {
            let region = analysis.cell(cell).region;
            pieces.iter().any(|piece| piece.region == region)
        });
        if !is_copied {
            self.unknown_if(is_something, "`realloc` of a block that is used as something else afterwards");
            return;
        }
        let limit = self.terms.number(width, u128::from(end));
        let is_longer = self.terms.below(limit, length);
        self.unknown_if(is_longer, "`realloc` of a block that may be long");
        for piece in &pieces {
            let start = self.terms.number(width, u128::from(piece.offset));
            let end = self.terms.number(width, u128::from(piece.offset + piece.bytes));
            let begins = self.terms.below(start, length);
            let before_end = self.terms.below(length, end);
            let is_cut = self.terms.and(begins, before_end);
            self.unknown_if(is_cut, "`realloc` to a size that ends inside a scalar");
            let is_inside = self.terms.not(before_end);
            let from = self.terms.add_number(block, u128::from(piece.offset));
            let to = self.terms.add_number(made, u128::from(piece.offset));
            let (value, old) = (
                self.load_raw(state, piece.region, from, piece.bytes),
                self.load_raw(state, piece.region, to, piece.bytes),
            );
            let unwritten = self.unwritten_cells(state, piece.region, from, piece.bytes);
            let before = self.unwritten_cells(state, piece.region, to, piece.bytes);
            let part = self.address_part_at(state, piece.region, from, value);
            let old_part = self.address_part_at(state, piece.region, to, old);
            let value = self.terms.ite(is_inside, value, old);
            let part = self.terms.ite(is_inside, part, old_part);
            self.store_raw(state, piece.region, to, value, Some(part));
            let cells: Vec<TermId> = before
                .into_iter()
                .zip(unwritten)
                .map(|(old, new)| self.terms.ite(is_inside, new, old))
                .collect();
            self.set_unwritten_cells(state, piece.region, to, &cells);
        }
    }

    /// The bytes of a string literal, with its terminator, that a pointer points to the beginning of.
    fn literal_bytes(&self, pointer: &Expr) -> Option<Vec<u8>> {
        let program = self.meaning.program;
        let mut pointer = pointer;
        while let ExprKind::Cast(inner) = &pointer.kind {
            pointer = inner;
        }
        let ExprKind::AddressOf(place) = &pointer.kind else { return None };
        let program::PlaceBase::Variable(id) = place.base else { return None };
        let variable = &program.variables[id];
        let is_start = match &place.path[..] {
            [] => true,
            [program::expr::Projection::Index(index)] => matches!(index.kind, ExprKind::Integer(0)),
            _ => false,
        };
        let (true, program::VariableKind::StringLiteral, [initial]) =
            (is_start, variable.kind, &variable.initial[..])
        else {
            return None;
        };
        let program::InitialData::Bytes(bytes) = &initial.value else { return None };
        let mut bytes = bytes.clone();
        bytes.resize(program.types.size_of(variable.ty.id)? as usize, 0);
        Some(bytes)
    }

    /// What a piece gets from a literal; behind its end, where no run gets, anything.
    fn bytes_of_literal(&mut self, text: &[u8], piece: &Piece) -> TermId {
        let bytes: Vec<TermId> = (piece.offset..piece.offset + piece.bytes)
            .map(|at| match text.get(at as usize) {
                Some(&byte) => self.terms.number(8, u128::from(byte)),
                None => self.terms.fresh_bits("behind", 8),
            })
            .collect();
        self.join_bytes(&bytes)
    }

    /// The size of the largest object that a pointer may point to, if all have a known one.
    fn largest_target(&self, pointer: &Expr) -> Option<u64> {
        let analysis = self.meaning.points_to;
        let targets = analysis.points_to(self.meaning.program, pointer);
        let sizes = targets.into_iter().map(|target| match analysis.object(target.object) {
            ObjectKind::Variable(id) => self.meaning.size_of_variable(id),
            _ => None,
        });
        sizes.collect::<Option<Vec<u64>>>()?.into_iter().max()
    }

    /// The longest block of at most `most` bytes that has whole pieces, with these.
    fn pieces_up_to(&self, pointer: &Expr, most: u64) -> Option<(u64, Vec<Piece>)> {
        let lengths = (most.saturating_sub(LARGEST_ELEMENT)..=most).rev();
        lengths.into_iter().find_map(|length| Some((length, self.pieces(pointer, length)?)))
    }

    fn check_access_if(
        &mut self,
        state: &mut State,
        condition: TermId,
        address: TermId,
        bytes: TermId,
        writes: bool,
    ) {
        let before = self.effect.failures.len();
        self.check_access(state, address, bytes, writes);
        for at in before..self.effect.failures.len() {
            let failing = self.effect.failures[at].condition;
            self.effect.failures[at].condition = self.terms.and(condition, failing);
        }
    }

    fn check_confines_if(
        &mut self,
        state: &mut State,
        condition: TermId,
        pointer: &Expr,
        address: TermId,
        bytes: TermId,
    ) {
        let before = self.effect.failures.len();
        self.check_confines(state, without_casts(pointer), address, Some(bytes));
        for at in before..self.effect.failures.len() {
            let failing = self.effect.failures[at].condition;
            self.effect.failures[at].condition = self.terms.and(condition, failing);
        }
    }

    pub(crate) fn unknown_if(&mut self, condition: TermId, what: &str) {
        if self.terms.truth(condition) != Some(false) {
            let detail = Some(std::sync::Arc::from(what));
            let kind = FailureKind::Unknown;
            self.effect.failures.push(crate::Failure { condition, kind, detail, span: self.span });
        }
    }

    fn unwritten_pieces(&mut self, state: &mut State, from: TermId, pieces: &[Piece]) -> Vec<Vec<TermId>> {
        let cells = pieces.iter().map(|piece| {
            let address = self.terms.add_number(from, u128::from(piece.offset));
            self.unwritten_cells(state, piece.region, address, piece.bytes)
        });
        cells.collect()
    }

    fn join_bytes(&mut self, bytes: &[TermId]) -> TermId {
        let mut value = bytes[0];
        for &byte in &bytes[1..] {
            value = self.terms.join(byte, value);
        }
        value
    }

    /// A record is copied from one place to another: they may be one place, but must not share only some of their bytes (C11 6.5.16.1p3).
    /// Compilers copy piece by piece.
    pub(crate) fn check_copied_apart(&mut self, state: &mut State, target: &Place, value: &Expr) {
        let program = self.meaning.program;
        let ExprKind::Load(from) = &value.kind else { return };
        if program.types.is_scalar(target.ty.id)
            || !self.meaning.points_to.may_overlap_in_part(program, target, from)
        {
            return;
        }
        let Some(size) = program.types.size_of(target.ty.id) else { return };
        // What is wrong with the places themselves is told where they are read and written.
        let before = self.effect.failures.len();
        let (to, from) = (self.address_of(state, target), self.address_of(state, from));
        self.effect.failures.truncate(before);
        let size = self.terms.number(self.meaning.layout.width, u128::from(size));
        self.check_overlap(to, from, size);
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
        // Behind a single object there may be other members of what it is in.
        if length > size && !self.meaning.points_to.points_to_elements(self.meaning.program, pointer, size) {
            return None;
        }
        let gaps = self.meaning.gaps(&place)?;
        let mut pieces = Vec::new();
        for at in 0..length / size {
            let between =
                gaps.iter().map(|gap| Piece { offset: at * size + gap.offset, ..Piece::from(*gap) });
            pieces.extend(between);
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

fn without_casts(pointer: &Expr) -> &Expr {
    let mut pointer = pointer;
    while let ExprKind::Cast(inner) = &pointer.kind {
        pointer = inner;
    }
    pointer
}
