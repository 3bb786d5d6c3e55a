//! Which cells of memory were never written: one bit beside each cell (1: it was), which stores set and copies carry along.
//!
//! States have these shadows where `Watch::uninitialised` asks for them. A read of a scalar
//! whose bytes were not all written is the failure. A record that is assigned takes along what was never written; one
//! that is passed or returned counts as read with all its members, which is stricter than the interpreter's rule (there
//! an unwritten value may be copied about, and its use is the mistake). So a proof without such failures covers the
//! rule, and a violation is confirmed by the interpreter as always.

use crate::Value;
use crate::meaning::{CellShape, at_leaf};
use crate::memory::{Cells, ZeroObjects};
use crate::state::State;
use crate::step::{Encoder, FailureKind};
use base::IndexVec;
use logic::{Sort, TermId};
use program::points_to::RegionId;
use program::{Expr, ExprKind, Place, VariableId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// For each part of a record, for each of its cells: was it never written?
pub(crate) type UnwrittenParts = Vec<Vec<TermId>>;

/// Of cleared blocks that are longer, or whose size is open, only the beginning is known to be written.
const MOST_CLEARED: u128 = 8192;
const CLEARED_OF_OPEN_SIZE: u128 = 64;

impl Encoder<'_> {
    /// Shadows in which no cell is written.
    pub(crate) fn nothing_written(&mut self) -> IndexVec<RegionId, Rc<Cells>> {
        let width = self.meaning.layout.width;
        let zero = self.terms.number(1, 0);
        let array = self.terms.pool.const_array(Sort::BitVec(width), zero);
        self.meaning.regions().map(|_| Rc::new(Cells::new(array, width))).collect()
    }

    /// Shadows of which nothing is known, named after what they stand for.
    pub(crate) fn any_written(&mut self, prefix: &str) -> IndexVec<RegionId, Rc<Cells>> {
        let (width, offset_bits) = (self.meaning.layout.width, self.meaning.layout.offset_bits);
        let sort = self.terms.pool.array_sort(Sort::BitVec(width), Sort::BitVec(1));
        let named = |region| {
            let array = self.terms.pool.symbol(&format!("{prefix}written {region}"), sort);
            let nobody = ZeroObjects { array, objects: BTreeSet::new(), offset_bits };
            Rc::new(Cells::with_zeros(Rc::new(nobody), width))
        };
        self.meaning.regions().map(named).collect()
    }

    /// An object with a name that no object had before: no cell of it was written.
    pub(crate) fn unwrite_new(&mut self, state: &mut State, number: u128) {
        for cells in state.unwritten.iter_mut() {
            Rc::make_mut(cells).add_zero_object(number);
        }
    }

    /// A variable begins to live in an object that it may have had before: no cell of it was written since.
    pub(crate) fn unwrite_again(&mut self, state: &mut State, variable: VariableId) {
        let knows_old = state.unwritten.iter().any(|cells| cells.zero_objects().is_some());
        if !knows_old {
            return;
        }
        let ty = self.meaning.program.variables[variable].ty;
        if self.meaning.leaves(ty.id).is_none() {
            self.unknown("what was written of a variable with many parts that begins to live in a loop");
        }
        self.unwrite(state, &Place::variable(variable, ty));
    }

    /// The bytes of the cells that an access touches, one after the other: a region of whole scalars has one.
    pub(crate) fn cell_offsets(&self, region: RegionId, bytes: u64) -> std::ops::Range<u64> {
        match self.meaning.shape(region) {
            CellShape::Whole(_) => 0..1,
            CellShape::Bytes => 0..bytes,
        }
    }

    /// For each cell of an access: was it never written? Static objects have their initial values.
    pub(crate) fn unwritten_cells(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        bytes: u64,
    ) -> Vec<TermId> {
        if state.unwritten.is_empty() {
            return Vec::new();
        }
        let is_static = self.is_static(address);
        let offsets = self.cell_offsets(region, bytes);
        let cells = offsets.map(|at| {
            let at = self.terms.add_number(address, u128::from(at));
            let cells = Rc::make_mut(&mut state.unwritten[region]);
            crate::access::zero_fact(&mut self.terms, &mut self.facts, cells, at);
            let bit = cells.load(&mut self.terms, at);
            let written = self.terms.is_nonzero(bit);
            let unwritten = self.terms.not(written);
            let not_static = self.terms.not(is_static);
            self.terms.and(unwritten, not_static)
        });
        cells.collect()
    }

    /// Sets for each cell of an access whether it was never written.
    pub(crate) fn set_unwritten_cells(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        cells: &[TermId],
    ) {
        if state.unwritten.is_empty() {
            return;
        }
        for (at, &unwritten) in cells.iter().enumerate() {
            let at = self.terms.add_number(address, at as u128);
            let (one, zero) = (self.terms.number(1, 1), self.terms.number(1, 0));
            let bit = self.terms.ite(unwritten, zero, one);
            Rc::make_mut(&mut state.unwritten[region]).store(&mut self.terms, at, bit);
        }
    }

    pub(crate) fn mark_written(&mut self, state: &mut State, region: RegionId, address: TermId, bytes: u64) {
        if !state.unwritten.is_empty() {
            let cells = vec![self.terms.no(); self.cell_offsets(region, bytes).count()];
            self.set_unwritten_cells(state, region, address, &cells);
        }
    }

    /// A place has lost its value, or never had one.
    pub(crate) fn unwrite(&mut self, state: &mut State, place: &Place) {
        if state.unwritten.is_empty() || self.meaning.is_register(place) {
            return;
        }
        let Some(leaves) = self.meaning.leaves(place.ty.id) else { return };
        let start = self.address_of(state, place);
        for leaf in leaves.iter() {
            let Some(region) = self.meaning.region_of(&at_leaf(place, leaf)) else { continue };
            let address = self.terms.add_number(start, u128::from(leaf.offset));
            let cells = vec![self.terms.yes(); self.cell_offsets(region, leaf.bytes).count()];
            self.set_unwritten_cells(state, region, address, &cells);
        }
    }

    /// The value of an expression. Of a record that is read from memory it is told for each part what of it was never written:
    /// copying that is no mistake, so no failure either.
    pub(crate) fn value_and_unwritten(
        &mut self,
        state: &mut State,
        value: &Expr,
    ) -> (Value, Option<UnwrittenParts>) {
        let unwritten = self.unwritten_parts(state, value);
        let before = self.effect.failures.len();
        let loaded = self.value(state, value);
        if unwritten.is_some() {
            let mut at = 0;
            self.effect.failures.retain(|failure| {
                at += 1;
                at <= before || failure.kind != FailureKind::Uninitialised
            });
        }
        (loaded, unwritten)
    }

    fn unwritten_parts(&mut self, state: &mut State, value: &Expr) -> Option<UnwrittenParts> {
        let ExprKind::Load(from) = &value.kind else { return None };
        if state.unwritten.is_empty() || self.meaning.program.types.is_scalar(from.ty.id) {
            return None;
        }
        let leaves = self.meaning.leaves(from.ty.id)?;
        let start = self.address_of(state, from);
        let mut unwritten = Vec::new();
        for leaf in leaves.iter() {
            let region = self.meaning.region_of(&at_leaf(from, leaf))?;
            let address = self.terms.add_number(start, u128::from(leaf.offset));
            unwritten.push(self.unwritten_cells(state, region, address, leaf.bytes));
        }
        Some(unwritten)
    }

    /// A record was stored that has parts which were never written.
    pub(crate) fn set_unwritten_parts(&mut self, state: &mut State, target: &Place, parts: &UnwrittenParts) {
        let Some(leaves) = self.meaning.leaves(target.ty.id) else { return };
        let start = self.address_of(state, target);
        for (leaf, cells) in leaves.iter().zip(parts) {
            let Some(region) = self.meaning.region_of(&at_leaf(target, leaf)) else { continue };
            let address = self.terms.add_number(start, u128::from(leaf.offset));
            let count = self.cell_offsets(region, leaf.bytes).count();
            let cells = match cells.len() == count {
                true => cells.clone(),
                false => vec![self.terms.any(cells); count],
            };
            self.set_unwritten_cells(state, region, address, &cells);
        }
    }

    /// A new block begins as zeros.
    pub(crate) fn mark_block_written(
        &mut self,
        state: &mut State,
        block: TermId,
        bytes: TermId,
        regions: &BTreeSet<RegionId>,
    ) {
        let bytes = match self.terms.constant(bytes) {
            Some(bytes) if bytes <= MOST_CLEARED => bytes,
            // What is behind the end of a shorter block is not accessed.
            _ => {
                self.cleared_in_part = true;
                CLEARED_OF_OPEN_SIZE
            }
        };
        for &region in regions {
            // A scalar of the region may begin anywhere in the block.
            for at in 0..bytes {
                let address = self.terms.add_number(block, at);
                self.mark_written(state, region, address, 1);
            }
        }
    }

    /// Records when what is read was never written.
    pub(crate) fn check_written(&mut self, state: &mut State, region: RegionId, address: TermId, bytes: u64) {
        let cells = self.unwritten_cells(state, region, address, bytes);
        if !cells.is_empty() {
            let any = self.terms.any(&cells);
            match self.cleared_in_part {
                true => self.unknown_if(any, "whether something was written in a cleared block of open size"),
                false => self.fail(any, FailureKind::Uninitialised),
            }
        }
    }

    /// The same for bytes that bit-fields share: which bits of them were written is not followed.
    pub(crate) fn check_bits_written(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        bytes: u64,
    ) {
        let cells = self.unwritten_cells(state, region, address, bytes);
        if !cells.is_empty() {
            let any = self.terms.any(&cells);
            self.unknown_if(
                any,
                "whether all bits of a byte were written that bit-fields or members of a union share",
            );
        }
    }

    /// Is the address in an object with static storage, or none at all?
    fn is_static(&mut self, address: TermId) -> TermId {
        let layout = self.meaning.layout;
        let object = layout.object_term(&mut self.terms, address);
        let first = self.terms.number(layout.object_bits(), self.meaning.first_free() as u128);
        self.terms.below(object, first)
    }
}
