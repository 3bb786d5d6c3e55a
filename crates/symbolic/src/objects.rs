//! Objects: how large they are and whether they live (their extents), and how they come to be and end.

use crate::layout::ObjectNumber;
use crate::meaning::at_leaf;
use crate::state::{CONSTANT_MARK, HEAP_MARK, State};
use crate::step::{Encoder, SetOut};
use base::Id;
use logic::TermId;
use program::{Place, VariableId};
use std::rc::Rc;

impl Encoder<'_> {
    /// The size of an address's object plus one with its marks; 0 if it is dead or none.
    pub(crate) fn extent(&mut self, state: &mut State, address: TermId) -> TermId {
        let object = self.meaning.layout.object_term(&mut self.terms, address);
        Rc::make_mut(&mut state.extents).load(&mut self.terms, object)
    }

    /// The size plus one of an extent, without its marks.
    pub(crate) fn extent_size(&mut self, extent: TermId) -> TermId {
        let layout = self.meaning.layout;
        let size = self.terms.cut(extent, layout.size_bits() - 1, 0);
        self.terms.resize(size, layout.width, false)
    }

    /// The extents of all objects at an unknown place, with the object's number as a name that no object of the state
    /// had before: numbers are names, so one that is not in use can be taken.
    fn is_new_name(&mut self, state: &mut State, number: u128) {
        let layout = self.meaning.layout;
        let before = Rc::make_mut(&mut state.extents).load_constant(&mut self.terms, number);
        let is_used = self.terms.is_nonzero(before);
        let mut is_free = vec![self.terms.not(is_used)];
        let program = self.meaning.program;
        let frames = state.frames.iter().flat_map(|frame| frame.registers.iter());
        for (&id, &value) in state.globals.iter().chain(frames) {
            if program.types.is_pointer(program.variables[id].ty.id) {
                let object = layout.object_term(&mut self.terms, value);
                let number = self.terms.number(layout.object_bits(), number);
                let is_it = self.terms.equal(object, number);
                is_free.push(self.terms.not(is_it));
            }
        }
        is_free.retain(|&condition| self.terms.truth(condition) != Some(true));
        self.facts.extend(is_free);
    }

    pub(crate) fn extent_mark(&mut self, extent: TermId, mark: u32) -> TermId {
        let at = self.meaning.layout.width - mark;
        let bit = self.terms.cut(extent, at, at);
        self.terms.is_nonzero(bit)
    }

    /// A new object: its number and address, alive from now on.
    pub(crate) fn new_object(&mut self, state: &mut State, size: TermId, marks: u128) -> TermId {
        let number = self.next_object;
        self.next_object += 1;
        self.new_object_numbered(state, number, size, marks)
    }

    /// The same with a number that no other object has.
    pub(crate) fn new_object_numbered(
        &mut self,
        state: &mut State,
        number: usize,
        size: TermId,
        marks: u128,
    ) -> TermId {
        if self.fixed_objects.is_some() {
            let name = number as u128 % (u128::from(self.meaning.layout.most_objects()) - 1);
            self.is_new_name(state, name);
            self.unwrite_new(state, name);
        }
        self.object_numbered(state, number, size, marks)
    }

    fn object_numbered(&mut self, state: &mut State, number: usize, size: TermId, marks: u128) -> TermId {
        let layout = self.meaning.layout;
        if number as u64 >= layout.most_objects() - 1 {
            self.unknown("more objects than can be told apart");
        }
        let number = ObjectNumber::from_index(number % (layout.most_objects() as usize - 1));
        let size_plus_one = self.terms.add_number(size, 1);
        let marks = self.terms.number(layout.width, marks);
        let extent = self.terms.pool.bvor(size_plus_one, marks);
        let extent = self.terms.simple(extent);
        let index = self.terms.number(layout.object_bits(), number.index() as u128);
        Rc::make_mut(&mut state.extents).store(&mut self.terms, index, extent);
        self.terms.number(layout.width, layout.address(number))
    }

    /// The bits that mark an extent.
    pub(crate) fn mark_bits(&self, is_heap: bool, is_constant: bool) -> u128 {
        let width = self.meaning.layout.width;
        u128::from(is_heap) << (width - HEAP_MARK) | u128::from(is_constant) << (width - CONSTANT_MARK)
    }

    pub(crate) fn end_object(&mut self, state: &mut State, address: TermId) {
        let object = self.meaning.layout.object_term(&mut self.terms, address);
        let dead = self.terms.number(self.meaning.layout.width, 0);
        Rc::make_mut(&mut state.extents).store(&mut self.terms, object, dead);
    }

    /// A variable of the innermost call gets an object of its own, with unknown contents.
    pub(crate) fn begin_variable(&mut self, state: &mut State, variable: VariableId) {
        let size = match self.meaning.size_of_variable(variable) {
            Some(size) => u128::from(size),
            None => {
                let name = &self.meaning.program.variables[variable].name;
                let what = format!("`{name}`, whose size is not known");
                self.unknown(&what);
                0
            }
        };
        let size = self.terms.number(self.meaning.layout.width, size);
        // Its own initialisation writes to the variable by name, and only what is written through pointers is looked
        // at.
        let declared = &self.meaning.program.variables[variable];
        let is_constant = declared.kind != program::VariableKind::Temporary
            && self.meaning.program.types.is_constant(declared.ty);
        let marks = self.mark_bits(false, is_constant);
        state.frame_mut().unwritten.insert(variable);
        let mut is_new = true;
        let meaning = self.meaning;
        let fixed = self.fixed_objects.as_mut().map(|fixed| {
            if !fixed.is_once || meaning.may_begin_again(variable) {
                fixed.begun.insert(variable);
            }
            is_new = fixed.instances.insert((fixed.context.clone(), variable));
            let number = *fixed.numbers.entry((fixed.context.clone(), variable)).or_insert_with(|| {
                self.next_object += 1;
                self.next_object - 1
            });
            match fixed.set_out {
                SetOut::Start => {}
                SetOut::Anywhere if is_new => drop(fixed.kept.insert(number)),
                SetOut::Anywhere => {}
                SetOut::Conditions => is_new = false,
            }
            number
        });
        let Some(number) = fixed else {
            let address = self.new_object(state, size, marks);
            state.frame_mut().addresses.insert(variable, address);
            return;
        };
        let address = self.object_numbered(state, number, size, marks);
        state.frame_mut().addresses.insert(variable, address);
        if is_new {
            self.unwrite_again(state, variable);
        } else {
            self.forget_contents(state, variable);
        }
    }

    /// Whatever an earlier instance of the variable left behind is not its contents.
    fn forget_contents(&mut self, state: &mut State, variable: VariableId) {
        let ty = self.meaning.program.variables[variable].ty;
        let place = Place::variable(variable, ty);
        let Some(leaves) = self.meaning.leaves(ty.id) else {
            self.unknown("an object too large to be given unknown contents");
            return;
        };
        let start = self.variable_address(state, variable);
        for leaf in leaves.iter() {
            // What no run accesses needs no contents.
            let Some(region) = self.meaning.region_of(&at_leaf(&place, leaf)) else { continue };
            let address = self.terms.add_number(start, u128::from(leaf.offset));
            let value = self.terms.fresh_bits("unwritten", leaf.bytes as u32 * 8);
            self.store_plain(state, region, address, value);
        }
        self.lose_gaps(state, &place, start);
        self.unwrite(state, &place);
    }
}
