//! The states a run starts in.

use crate::Value;
use crate::addresses::AddressBytes;
use crate::memory::{Cells, ZeroObjects};
use crate::state::{Frame, State};
use crate::step::Encoder;
use base::{Id, IndexVec};
use logic::{Sort, TermId};
use program::points_to::{ObjectKind, RegionId};
use program::{InitialData, ProcedureId, VariableId, VariableKind};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Encoder<'_> {
    /// The sort of a region's array.
    pub fn region_sort(&mut self, region: RegionId) -> Sort {
        let element = Sort::BitVec(self.meaning.shape(region).bits());
        self.terms.pool.array_sort(Sort::BitVec(self.meaning.layout.width), element)
    }

    /// The state in which a run starts: static storage initialised, no call active. What cannot be said is among the
    /// failures of the effect that is returned.
    pub fn initial_state(&mut self) -> (State, crate::Effect) {
        self.begin(base::Span::default());
        let program = self.meaning.program;
        let layout = self.meaning.layout;
        let mut zeroed: BTreeMap<RegionId, BTreeSet<u128>> = BTreeMap::new();
        let mut is_mixed: BTreeSet<RegionId> = BTreeSet::new();
        for object in self.meaning.points_to.objects() {
            let zero_number = match self.meaning.points_to.object(object) {
                ObjectKind::Variable(id) if !program.variables[id].is_external => {
                    self.meaning.static_object(id).map(|number| number.index() as u128)
                }
                _ => None,
            };
            for cell in self.meaning.points_to.cells_of(object) {
                let region = self.meaning.points_to.cell(cell).region;
                match zero_number {
                    Some(number) => {
                        zeroed.entry(region).or_default().insert(number);
                    }
                    None => {
                        is_mixed.insert(region);
                    }
                }
            }
        }
        let mut regions: IndexVec<RegionId, Rc<Cells>> = IndexVec::new();
        for region in self.meaning.regions().collect::<Vec<_>>() {
            let objects = zeroed.remove(&region).unwrap_or_default();
            let bits = self.meaning.shape(region).bits();
            let cells = if is_mixed.contains(&region) || objects.is_empty() {
                let sort = self.region_sort(region);
                let array = self.terms.fresh(&format!("memory {region}"), sort);
                let offset_bits = layout.offset_bits;
                Cells::with_zeros(Rc::new(ZeroObjects { array, objects, offset_bits }), layout.width)
            } else {
                let zero = self.terms.number(bits, 0);
                let array = self.terms.pool.const_array(Sort::BitVec(layout.width), zero);
                Cells::new(array, layout.width)
            };
            regions.push(Rc::new(cells));
        }
        let dead = self.terms.number(layout.width, 0);
        let extents = self.terms.pool.const_array(Sort::BitVec(layout.object_bits()), dead);
        let extents = Rc::new(Cells::new(extents, layout.object_bits()));
        let unwritten = if self.watch.uninitialised { self.nothing_written() } else { IndexVec::new() };
        let births = self.no_births();
        let addresses = Rc::default();
        let globals = Rc::default();
        let mut state = State { globals, frames: Vec::new(), regions, unwritten, addresses, extents, births };
        self.enliven_statics(&mut state);
        self.initialise_statics(&mut state);
        (state, self.take_effect())
    }

    /// Static objects are alive.
    pub(crate) fn enliven_statics(&mut self, state: &mut State) {
        let layout = self.meaning.layout;
        for (variable, object) in self.meaning.static_objects() {
            let size = u128::from(self.meaning.size_of_variable(variable).unwrap_or(0));
            if size > layout.largest_object() {
                self.unknown("a variable too large to be told apart from others");
            }
            let declared = &self.meaning.program.variables[variable];
            let is_constant = declared.kind == VariableKind::StringLiteral
                || self.meaning.program.types.is_constant(declared.ty);
            let extent = if self.meaning.size_of_variable(variable).is_some() {
                (size + 1) | self.mark_bits(false, is_constant)
            } else {
                0
            };
            let index = self.terms.number(layout.object_bits(), object.index() as u128);
            let extent = self.terms.number(layout.width, extent);
            Rc::make_mut(&mut state.extents).store(&mut self.terms, index, extent);
        }
    }

    fn initialise_statics(&mut self, state: &mut State) {
        let program = self.meaning.program;
        // Initial values are constants: they are evaluated in a frame that has nothing.
        let nowhere = Frame {
            procedure: ProcedureId::from_index(0),
            registers: BTreeMap::new(),
            addresses_in: BTreeMap::new(),
            addresses: BTreeMap::new(),
            own_blocks: Vec::new(),
            unwritten: Default::default(),
        };
        state.frames.push(Rc::new(nowhere));
        for (id, variable) in program.variables.iter_enumerated() {
            let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            if !is_static {
                continue;
            }
            self.span = variable.span;
            if !crate::meaning::is_in_memory(program, id) {
                let width = self.width(variable.ty.id);
                let start = if variable.is_external {
                    self.terms.fresh_bits(&variable.name, width)
                } else {
                    self.terms.number(width, 0)
                };
                Rc::make_mut(&mut state.globals).insert(id, start);
            }
            for initial in &variable.initial {
                match &initial.value {
                    InitialData::Value(value) => {
                        let value = self.value(state, value);
                        self.store_initial(state, id, &initial.place, value);
                    }
                    InitialData::Bytes(bytes) => self.store_bytes(state, &initial.place, bytes),
                }
            }
        }
        state.frames.pop();
    }

    fn store_initial(
        &mut self,
        state: &mut State,
        variable: VariableId,
        place: &program::Place,
        value: Value,
    ) {
        if !crate::meaning::is_in_memory(self.meaning.program, variable) {
            self.store(state, place, value);
            return;
        }
        // What no run accesses needs no value.
        let is_accessed = !self.meaning.points_to.cells(self.meaning.program, place).is_empty();
        if is_accessed {
            self.store(state, place, value);
        }
    }

    fn store_bytes(&mut self, state: &mut State, place: &program::Place, bytes: &[u8]) {
        let Some(region) = self.meaning.region_of(place).or_else(|| self.element_region(place)) else {
            if !self.meaning.points_to.cells(self.meaning.program, place).is_empty() {
                self.unknown("the initial value of an array that is accessed in parts");
            }
            return;
        };
        let start = self.address_of(state, place);
        for (at, &byte) in bytes.iter().enumerate() {
            let address = self.terms.add_number(start, at as u128);
            match self.meaning.shape(region) {
                crate::meaning::CellShape::Bytes | crate::meaning::CellShape::Whole(1) => {
                    let byte = self.terms.number(8, u128::from(byte));
                    Rc::make_mut(&mut state.regions[region]).store(&mut self.terms, address, byte);
                }
                crate::meaning::CellShape::Whole(size) => {
                    // Wide characters: whole elements.
                    let size = size as usize;
                    if at.is_multiple_of(size) && bytes.len() >= at + size {
                        let mut value = 0u128;
                        for (position, &byte) in bytes[at..at + size].iter().enumerate() {
                            value |= u128::from(byte) << (8 * position);
                        }
                        let value = self.terms.number(size as u32 * 8, value);
                        Rc::make_mut(&mut state.regions[region]).store(&mut self.terms, address, value);
                    } else if !bytes.len().is_multiple_of(size) {
                        self.unknown("the initial value of an array that is accessed in other parts");
                        return;
                    }
                }
            }
        }
    }

    /// The region of an array's elements, which all share one.
    fn element_region(&self, place: &program::Place) -> Option<RegionId> {
        let leaves = self.meaning.leaves(place.ty.id)?;
        let leaf = leaves.first()?;
        self.meaning.region_of(&crate::meaning::at_leaf(place, leaf))
    }

    /// A state about which nothing is known but that static objects are alive, with these calls active. Symbols are
    /// named after what they stand for, with `prefix` before it. The frames' variables in memory keep their addresses.
    pub fn any_state(&mut self, prefix: &str, frames: &[Rc<Frame>]) -> State {
        let layout = self.meaning.layout;
        let program = self.meaning.program;
        let mut globals = BTreeMap::new();
        for (id, variable) in program.variables.iter_enumerated() {
            if variable.kind == VariableKind::Global && !crate::meaning::is_in_memory(program, id) {
                globals.insert(id, self.named(prefix, &variable.name, id, 0));
            }
        }
        let frames = frames
            .iter()
            .enumerate()
            .map(|(depth, frame)| {
                let registers = frame
                    .registers
                    .keys()
                    .map(|&id| (id, self.named(prefix, &program.variables[id].name, id, depth + 1)))
                    .collect();
                let addresses_in = self.any_address_parts(&registers);
                Rc::new(Frame { registers, addresses_in, ..(**frame).clone() })
            })
            .collect();
        let mut regions: IndexVec<RegionId, Rc<Cells>> = IndexVec::new();
        for region in self.meaning.regions().collect::<Vec<_>>() {
            let sort = self.region_sort(region);
            let array = self.terms.pool.symbol(&format!("{prefix}memory {region}"), sort);
            let nobody = ZeroObjects { array, objects: BTreeSet::new(), offset_bits: layout.offset_bits };
            regions.push(Rc::new(Cells::with_zeros(Rc::new(nobody), layout.width)));
        }
        let sort = self.terms.pool.array_sort(Sort::BitVec(layout.object_bits()), Sort::BitVec(layout.width));
        let extents = self.terms.pool.symbol(&format!("{prefix}extents"), sort);
        let extents = Rc::new(Cells::new(extents, layout.object_bits()));
        let unwritten = if self.watch.uninitialised { self.any_written(prefix) } else { IndexVec::new() };
        let births = self.any_births(prefix);
        let globals = Rc::new(globals);
        let addresses = Rc::new(AddressBytes::anywhere());
        let mut state = State { globals, frames, regions, unwritten, addresses, extents, births };
        self.enliven_statics(&mut state);
        // Nobody lives at null, and procedures are no data.
        let nobody = self.terms.number(layout.object_bits(), 0);
        let dead = self.terms.number(layout.width, 0);
        Rc::make_mut(&mut state.extents).store(&mut self.terms, nobody, dead);
        for procedure in program.procedures.ids() {
            let object = self.meaning.procedure_object(procedure).index() as u128;
            let object = self.terms.number(layout.object_bits(), object);
            Rc::make_mut(&mut state.extents).store(&mut self.terms, object, dead);
        }
        state
    }

    /// Forgets the values of some variables with static storage outside memory.
    pub fn forget_globals(&mut self, state: &mut State, forgotten: &BTreeSet<VariableId>) {
        for (id, value) in Rc::make_mut(&mut state.globals) {
            if forgotten.contains(id) {
                let variable = &self.meaning.program.variables[*id];
                let width = self.width(variable.ty.id);
                *value = self.terms.fresh_bits(&variable.name, width);
            }
        }
    }

    /// Forgets what is in memory; which objects are alive stays known.
    pub fn forget_memory(&mut self, state: &mut State) {
        let layout = self.meaning.layout;
        for region in self.meaning.regions().collect::<Vec<_>>() {
            let sort = self.region_sort(region);
            let array = self.terms.fresh("memory", sort);
            let nobody = ZeroObjects { array, objects: BTreeSet::new(), offset_bits: layout.offset_bits };
            state.regions[region] = Rc::new(Cells::with_zeros(Rc::new(nobody), layout.width));
        }
        let all: Vec<RegionId> = self.meaning.regions().collect();
        self.forget_address_parts(state, &all);
        if !state.unwritten.is_empty() {
            // Nothing that was written becomes unwritten, but what it was is forgotten: nothing is known to be written.
            state.unwritten = self.nothing_written();
        }
    }

    /// Forgets what code outside the program may have written: variables it can see, and objects it has got hold of.
    pub fn forget_visible(&mut self, state: &mut State) {
        let visible: BTreeSet<VariableId> = self.meaning.program.visible.iter().copied().collect();
        self.forget_globals(state, &visible);
        let layout = self.meaning.layout;
        let escaped = |region: &RegionId| self.meaning.points_to.regions()[*region].is_escaped;
        let escaped: Vec<RegionId> = self.meaning.regions().filter(escaped).collect();
        self.forget_address_parts(state, &escaped);
        for region in escaped {
            let sort = self.region_sort(region);
            let array = self.terms.fresh("memory", sort);
            let nobody = ZeroObjects { array, objects: BTreeSet::new(), offset_bits: layout.offset_bits };
            state.regions[region] = Rc::new(Cells::with_zeros(Rc::new(nobody), layout.width));
        }
    }

    /// May code outside the program call back a procedure of the program? Which, if so.
    pub fn called_back(&self) -> Option<ProcedureId> {
        let program = self.meaning.program;
        let mut ids = program.procedures.ids();
        ids.find(|&id| {
            program.procedures[id].body.is_some() && self.meaning.points_to.is_escaped_procedure(id)
        })
    }

    /// The variables in memory of all active calls are alive.
    pub fn enliven_frames(&mut self, state: &mut State) {
        let layout = self.meaning.layout;
        for frame in state.frames.clone() {
            for (&variable, &address) in &frame.addresses {
                let Some(size) = self.meaning.size_of_variable(variable) else { continue };
                let object = layout.object_term(&mut self.terms, address);
                let extent = self.terms.number(layout.width, u128::from(size) + 1);
                Rc::make_mut(&mut state.extents).store(&mut self.terms, object, extent);
            }
        }
    }

    /// The symbol for a variable outside memory. Names say which frame, so that recursion keeps its variables apart.
    pub(crate) fn named(&mut self, prefix: &str, name: &str, id: VariableId, depth: usize) -> TermId {
        let width = self.width(self.meaning.program.variables[id].ty.id);
        let symbol = match depth {
            0 => format!("{prefix}{name} {id}"),
            _ => format!("{prefix}{name} {id}@{depth}"),
        };
        self.terms.pool.bitvec_symbol(&symbol, width)
    }
}
