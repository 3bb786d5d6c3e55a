//! When does nothing point to an allocated block any more? When some set of objects has all that variables point to, has
//! what its members point to, and lacks the block: reachability without a fixpoint, because the solver looks for the set
//! (one free Boolean per block).
//!
//! **Obligation.** What is not lost in a run is pointed to in it. So only what surely is a pointer counts: variables of
//! pointer type, and the parts of objects in which pointers are stored whole and at a place that is known. A pointer
//! elsewhere (in an integer, among bytes, behind the first element of an array) makes a block count as lost that is not; the
//! interpreter, which looks everywhere, does not confirm that. Twin: `concrete::machine::lost`. Of states that are those of
//! any run, it is only asked whether a block lives.

use crate::meaning::CellShape;
use crate::state::{HEAP_MARK, State};
use crate::step::Encoder;
use logic::{Sort, TermId};
use program::points_to::{ByteRange, ObjectKind, RegionId};
use program::{VariableId, VariableKind};
use std::rc::Rc;

/// With more blocks than this, each that lives counts as lost.
const MOST_BLOCKS: usize = 64;

/// A block that may live.
struct Block {
    number: u128,
    lives: TermId,
    /// Its size plus one.
    extent: TermId,
    /// Is it in the set?
    is_pointed_to: TermId,
}

impl Encoder<'_> {
    /// Is there an allocated block that nothing points to? With `main_is_over`, the variables of active calls count for
    /// nothing.
    pub fn has_lost_block(&mut self, state: &mut State, main_is_over: bool) -> TermId {
        if self.fixed_objects.is_some() || !self.meaning.allocates() {
            return self.has_living_block(state);
        }
        let mut blocks = Vec::new();
        for number in self.meaning.first_free()..self.next_object {
            let number = number as u128;
            let extent = Rc::make_mut(&mut state.extents).load_constant(&mut self.terms, number);
            let lives = self.extent_mark(extent, HEAP_MARK);
            if self.terms.truth(lives) != Some(false) {
                let extent = self.extent_size(extent);
                blocks.push(Block { number, lives, extent, is_pointed_to: lives });
            }
        }
        let lives: Vec<TermId> = blocks.iter().map(|block| block.lives).collect();
        if blocks.len() > MOST_BLOCKS {
            return self.terms.any(&lives);
        }
        for block in &mut blocks {
            block.is_pointed_to = self.terms.fresh("pointed to", Sort::Bool);
        }
        let mut is_closed = Vec::new();
        let from_variables = self.pointers_of_variables(state, main_is_over);
        for pointer in from_variables {
            let always = self.terms.yes();
            self.points_into(&blocks, always, pointer, &mut is_closed);
        }
        for block in &blocks {
            let Some(kind) = self.allocations.get(&block.number).map(|allocation| allocation.kind) else {
                continue;
            };
            let address = block.number << self.meaning.layout.offset_bits | self.meaning.layout.start();
            for (range, pointer) in self.pointers_in(state, kind, address) {
                let end = self.terms.number(self.meaning.layout.width, u128::from(range.end));
                let is_part = self.terms.below(end, block.extent);
                let holds = self.terms.pool.all_of(&[block.lives, block.is_pointed_to, is_part]);
                let holds = self.terms.simple(holds);
                self.points_into(&blocks, holds, pointer, &mut is_closed);
            }
        }
        let lost: Vec<TermId> = blocks
            .iter()
            .map(|block| {
                let is_out = self.terms.not(block.is_pointed_to);
                self.terms.and(block.lives, is_out)
            })
            .collect();
        is_closed.push(self.terms.any(&lost));
        let all = self.terms.pool.all_of(&is_closed);
        self.terms.simple(all)
    }

    /// If `holds`, what the pointer points to is in the set.
    fn points_into(&mut self, blocks: &[Block], holds: TermId, pointer: TermId, found: &mut Vec<TermId>) {
        let layout = self.meaning.layout;
        let object = layout.object_term(&mut self.terms, pointer);
        for block in blocks {
            let number = self.terms.number(layout.object_bits(), block.number);
            let is_it = self.terms.equal(object, number);
            let when = self.terms.and(holds, is_it);
            if self.terms.truth(when) != Some(false) {
                let condition = self.terms.pool.implies(when, block.is_pointed_to);
                found.push(self.terms.simple(condition));
            }
        }
    }

    /// What variables of pointer type hold, in memory or not.
    fn pointers_of_variables(&mut self, state: &mut State, main_is_over: bool) -> Vec<TermId> {
        let program = self.meaning.program;
        let is_pointer = |id: &VariableId| program.types.is_pointer(program.variables[*id].ty.id);
        // What a step has left in a temporary is no variable's value.
        let is_declared = |id: &VariableId| program.variables[*id].kind != VariableKind::Temporary;
        let values =
            |(id, value): (&VariableId, &TermId)| (is_pointer(id) && is_declared(id)).then_some(*value);
        let mut found: Vec<TermId> = state.globals.iter().filter_map(values).collect();
        let mut in_memory: Vec<(VariableId, u128)> = Vec::new();
        for (variable, object) in self.meaning.static_objects() {
            in_memory.push((variable, self.meaning.layout.address(object)));
        }
        let frames = if main_is_over { &[][..] } else { &state.frames[..] };
        for frame in frames {
            found.extend(frame.registers.iter().filter_map(values));
            let constant =
                |(&id, &address): (&VariableId, &TermId)| Some((id, self.terms.constant(address)?));
            let declared = frame.addresses.iter().filter(|(id, _)| is_declared(id));
            in_memory.extend(declared.filter_map(constant));
        }
        for (variable, address) in in_memory {
            let pointers = self.pointers_in(state, ObjectKind::Variable(variable), address);
            found.extend(pointers.into_iter().map(|(_, pointer)| pointer));
        }
        found
    }

    /// The pointers that are stored whole in the object at an address, with the bytes they are in.
    fn pointers_in(
        &mut self,
        state: &mut State,
        kind: ObjectKind,
        address: u128,
    ) -> Vec<(ByteRange, TermId)> {
        let layout = self.meaning.layout;
        let bytes = u64::from(layout.width / 8);
        let analysis = self.meaning.points_to;
        let Some(object) = analysis.object_of(kind) else { return Vec::new() };
        let whole: Vec<(ByteRange, RegionId)> = analysis
            .cells_of(object)
            .filter(|&cell| !analysis.content(cell).is_empty())
            .map(|cell| (analysis.cell(cell).range, analysis.cell(cell).region))
            .filter(|(range, region)| {
                let is_one = range.end.checked_sub(range.start) == Some(bytes);
                is_one && self.meaning.shape(*region) == CellShape::Whole(bytes)
            })
            .collect();
        let load = |(range, region): (ByteRange, RegionId)| {
            let at = address + u128::from(range.start);
            let value = Rc::make_mut(&mut state.regions[region]).load_constant(&mut self.terms, at);
            (range, value)
        };
        whole.into_iter().map(load).collect()
    }
}
