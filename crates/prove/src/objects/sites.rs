//! What is known of allocated blocks before anything is guessed: which steps allocate, how large, which scalars the blocks
//! have and what these may point to; and which pointers there are at a head.

use crate::blocks::{Blocks, HeadId};
use logic::TermId;
use program::points_to::{ByteRange, ObjectId, ObjectKind, RegionId};
use program::{Expr, Place};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use symbolic::layout::PointerLayout;
use symbolic::meaning::CellShape;
use symbolic::state::{CONSTANT_MARK, HEAP_MARK};
use symbolic::{Encoder, StateVariable, Terms};

/// A scalar in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Bytes from the start.
    pub offset: u64,
    /// Bits of the scalar.
    pub bits: u32,
    /// Where it is kept.
    pub region: RegionId,
    /// What it may point to; nothing, if it is no pointer.
    pub targets: Vec<ObjectId>,
}

/// Blocks that come from one step, called from one place.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// What they are to the points-to analysis.
    pub object: ObjectId,
    /// The number in their extents.
    pub origin: u128,
    /// Their bytes.
    pub size: u128,
    /// Their scalars, in order.
    pub fields: Vec<Field>,
}

/// Blocks of more origins are not told apart.
const MOST_SITES: usize = 12;

/// The sites that were met on the way from head to head.
pub(super) fn sites(encoder: &Encoder<'_>) -> Vec<Site> {
    let mut found: Vec<Site> = Vec::new();
    let mut numbers: Vec<u128> = encoder.allocations.keys().copied().collect();
    numbers.sort_unstable();
    for number in numbers {
        let allocation = encoder.allocations[&number];
        let Some(object) = encoder.meaning.points_to.object_of(allocation.kind) else { continue };
        let Some(size) = allocation.size else { continue };
        let is_known =
            |site: &Site| (site.object, site.origin, site.size) == (object, allocation.origin, size);
        if !found.iter().any(is_known) && found.len() < MOST_SITES {
            let fields = fields_of(encoder, object, Some(size));
            found.push(Site { object, origin: allocation.origin, size, fields });
        }
    }
    found
}

/// The scalars of an object that are always accessed whole.
fn fields_of(encoder: &Encoder<'_>, object: ObjectId, size: Option<u128>) -> Vec<Field> {
    let (analysis, meaning) = (encoder.meaning.points_to, encoder.meaning);
    let mut fields = Vec::new();
    for id in analysis.cells_of(object) {
        let cell = analysis.cell(id);
        let CellShape::Whole(bytes) = meaning.shape(cell.region) else { continue };
        let offset = match cell.range {
            ByteRange::ALL if size == Some(u128::from(bytes)) => 0,
            range if range.end.checked_sub(range.start) == Some(bytes) => range.start,
            _ => continue,
        };
        let mut targets: Vec<ObjectId> =
            analysis.content(id).into_iter().map(|target| target.object).collect();
        targets.dedup();
        fields.push(Field { offset, bits: bytes as u32 * 8, region: cell.region, targets });
    }
    fields
}

/// A pointer at a head.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    /// Its value.
    pub term: TermId,
    /// What it may point to.
    pub targets: Vec<ObjectId>,
    /// Does it lead to no block in any run that was made?
    pub is_idle: bool,
}

/// A head of a loop, as conditions about blocks speak of it.
pub(super) struct Scene {
    /// The memory by region.
    pub memory: FxHashMap<RegionId, TermId>,
    /// Which objects are alive.
    pub extents: TermId,
    /// When blocks were made; which was made when; how many.
    pub births: Option<[TermId; 3]>,
    /// Pointers outside memory, and in variables with fixed objects.
    pub pointers: Vec<Pointer>,
    /// The addresses of variables with fixed objects, by what they are to the analysis.
    pub addresses: Vec<(ObjectId, u128)>,
    /// The constants that scalars of blocks are given, by region and offset.
    pub constants: FxHashMap<(RegionId, u64), BTreeSet<u128>>,
    variables: FxHashMap<StateVariable, TermId>,
    /// The last number of an object with static storage; and those of variables of active calls.
    last_static: u128,
    of_calls: Vec<u128>,
    layout: PointerLayout,
}

/// With more pointers, those that are left out are not guessed about.
const MOST_POINTERS: usize = 14;

impl Scene {
    /// The scene at a head; nothing, if extents have no symbol there.
    pub fn at(blocks: &mut Blocks<'_, '_>, head: HeadId) -> Option<Scene> {
        let symbols = blocks.heads[head].symbols.clone();
        let frames = blocks.heads[head].any.frames.clone();
        let settled = blocks.heads[head].settled.clone();
        let program = blocks.program;
        let encoder = &mut blocks.explorer.encoder;
        let (meaning, analysis) = (encoder.meaning, encoder.meaning.points_to);
        let find = |wanted: StateVariable| {
            symbols.iter().find(|(part, _)| *part == wanted).map(|(_, symbol)| *symbol)
        };
        let births = match [StateVariable::Births, StateVariable::Born, StateVariable::NextBirth].map(find) {
            [Some(of), Some(who), Some(next)] => Some([of, who, next]),
            _ => None,
        };
        let mut scene = Scene {
            memory: FxHashMap::default(),
            extents: find(StateVariable::Extents)?,
            births,
            pointers: Vec::new(),
            addresses: Vec::new(),
            constants: FxHashMap::default(),
            variables: symbols.iter().copied().collect(),
            last_static: meaning.first_free() as u128 - 1,
            of_calls: Vec::new(),
            layout: meaning.layout,
        };
        // A pointer that always points to one object is that address.
        let settled = settled.iter().map(|one| (one.part, one.value));
        for (part, term) in symbols.iter().copied().chain(settled) {
            match part {
                StateVariable::Memory(region) => drop(scene.memory.insert(region, term)),
                StateVariable::Global(id) | StateVariable::Local(_, id) => {
                    let ty = program.variables[id].ty;
                    if program.types.is_pointer(ty.id) && encoder.terms.constant(term) != Some(0) {
                        let value = Expr::load(Place::variable(id, ty));
                        let targets = analysis.points_to(program, &value);
                        let mut targets: Vec<ObjectId> =
                            targets.into_iter().map(|target| target.object).collect();
                        targets.dedup();
                        scene.pointers.push(Pointer { term, targets, is_idle: false });
                    }
                }
                _ => {}
            }
        }
        let of_calls = frames.iter().flat_map(|frame| frame.addresses.values());
        let of_calls = of_calls.filter_map(|&address| encoder.terms.constant(address));
        scene.of_calls = of_calls.map(|address| meaning.layout.object_of(address)).collect();
        let of_frames = frames.iter().flat_map(|frame| frame.addresses.iter());
        let mut variables: Vec<(program::VariableId, u128)> =
            of_frames.filter_map(|(&id, &at)| Some((id, encoder.terms.constant(at)?))).collect();
        let statics = meaning.static_objects().into_iter();
        variables.extend(statics.map(|(id, object)| (id, meaning.layout.address(object))));
        for (id, address) in variables {
            let Some(object) = analysis.object_of(ObjectKind::Variable(id)) else { continue };
            scene.addresses.push((object, address));
            let size = meaning.size_of_variable(id).map(u128::from);
            for field in fields_of(encoder, object, size) {
                if field.bits != meaning.layout.width || field.targets.is_empty() {
                    continue;
                }
                let Some(&memory) = scene.memory.get(&field.region) else { continue };
                let at = encoder.terms.number(meaning.layout.width, address + u128::from(field.offset));
                let term = encoder.terms.select(memory, at);
                scene.pointers.push(Pointer { term, targets: field.targets, is_idle: false });
            }
        }
        scene.pointers.retain(|pointer| !pointer.targets.is_empty());
        scene.pointers.truncate(MOST_POINTERS);
        Some(scene)
    }

    /// The symbol of a part of the state.
    pub fn variable(&self, part: StateVariable) -> Option<TermId> {
        self.variables.get(&part).copied()
    }

    /// The constants that a scalar is given.
    pub fn constants_of(&self, field: &Field) -> Vec<u128> {
        let found = self.constants.get(&(field.region, field.offset));
        found.into_iter().flatten().copied().collect()
    }

    fn object(&self, terms: &mut Terms, address: TermId) -> TermId {
        self.layout.object_term(terms, address)
    }

    /// What is alive is spoken of by an array beneath what is known of variables: there they may be anything.
    fn is_no_variable(&self, terms: &mut Terms, object: TermId) -> TermId {
        let bits = self.layout.object_bits();
        let last = terms.number(bits, self.last_static);
        let mut all = vec![terms.below(last, object)];
        for &number in &self.of_calls {
            let number = terms.number(bits, number);
            let is_it = terms.equal(object, number);
            all.push(terms.not(is_it));
        }
        let all = terms.pool.all_of(&all);
        terms.simple(all)
    }

    /// Is it the address of a living block of the site?
    pub fn is_block(&self, terms: &mut Terms, site: &Site, address: TermId) -> TermId {
        let layout = self.layout;
        let object = self.object(terms, address);
        let extent = terms.select(self.extents, object);
        let heap = terms.cut(extent, layout.width - HEAP_MARK, layout.width - HEAP_MARK);
        // Its bytes may be written.
        let constant = terms.cut(extent, layout.width - CONSTANT_MARK, layout.width - CONSTANT_MARK);
        let is_constant = terms.is_nonzero(constant);
        let size = terms.cut(extent, layout.size_bits() - 1, 0);
        let origin = terms.cut(extent, layout.size_bits() + layout.site_bits() - 1, layout.size_bits());
        let within = terms.cut(address, layout.offset_bits - 1, 0);
        let start = terms.number(layout.offset_bits, layout.start());
        let own_size = terms.number(layout.size_bits(), site.size + 1);
        let own_origin = terms.number(layout.site_bits(), site.origin);
        let all = [
            self.is_no_variable(terms, object),
            terms.is_nonzero(heap),
            terms.not(is_constant),
            terms.equal(size, own_size),
            terms.equal(origin, own_origin),
            terms.equal(within, start),
        ];
        let all = terms.pool.all_of(&all);
        terms.simple(all)
    }

    /// Is it the address of the start of a living block of the heap?
    pub fn is_any_block(&self, terms: &mut Terms, address: TermId) -> TermId {
        let object = self.object(terms, address);
        let extent = terms.select(self.extents, object);
        let heap = terms.cut(extent, self.layout.width - 1, self.layout.width - 1);
        let within = terms.cut(address, self.layout.offset_bits - 1, 0);
        let start = terms.number(self.layout.offset_bits, self.layout.start());
        let is_block = terms.is_nonzero(heap);
        let is_no_variable = self.is_no_variable(terms, object);
        let is_start = terms.equal(within, start);
        let all = terms.pool.all_of(&[is_block, is_no_variable, is_start]);
        terms.simple(all)
    }

    /// The scalar of the block at an address.
    pub fn field(&self, terms: &mut Terms, field: &Field, block: TermId) -> Option<TermId> {
        let memory = *self.memory.get(&field.region)?;
        let at = terms.add_number(block, u128::from(field.offset));
        Some(terms.select(memory, at))
    }

    /// Does a pointer that is not null lead to one of these: the start of a block, or a variable? Nothing, if that cannot be
    /// said of all of them.
    pub fn leads_to(
        &self,
        terms: &mut Terms,
        sites: &[Site],
        targets: &[ObjectId],
        pointer: TermId,
    ) -> Option<TermId> {
        let mut any = Vec::new();
        for &target in targets {
            let before = any.len();
            for site in sites.iter().filter(|site| site.object == target) {
                any.push(self.is_block(terms, site, pointer));
            }
            for &(object, address) in &self.addresses {
                if object == target {
                    let address = terms.number(self.layout.width, address);
                    any.push(terms.equal(pointer, address));
                }
            }
            if any.len() == before {
                return None;
            }
        }
        Some(terms.any(&any))
    }

    /// When the block at an address was made.
    pub fn birth(&self, terms: &mut Terms, address: TermId) -> Option<TermId> {
        let [of, ..] = self.births?;
        let object = self.object(terms, address);
        Some(terms.select(of, object))
    }

    /// Is the block at an address the one that was made when it was, and were more made than before it?
    pub fn has_birth(&self, terms: &mut Terms, site: &Site, address: TermId) -> Option<TermId> {
        let [_, who, _] = self.births?;
        let birth = self.birth(terms, address)?;
        let origin = terms.number(32, site.origin);
        let key = terms.join(origin, birth);
        let born = terms.select(who, key);
        let object = self.object(terms, address);
        let is_own = terms.equal(born, object);
        let next = self.made(terms, site)?;
        let is_before = terms.below(birth, next);
        Some(terms.and(is_own, is_before))
    }

    /// How many blocks of the site were made.
    pub fn made(&self, terms: &mut Terms, site: &Site) -> Option<TermId> {
        let [.., next] = self.births?;
        let origin = terms.number(32, site.origin);
        Some(terms.select(next, origin))
    }
}
