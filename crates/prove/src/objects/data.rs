//! What blocks may say of their numbers: conditions on one block and those it points to, taken from what the program
//! compares and stores, with the address of the block as a hole.

use super::sites::{Field, Scene, Site};
use crate::blocks::{Blocks, HeadId};
use crate::elements::any_index;
use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId, TermPool};
use program::points_to::RegionId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use symbolic::{StateVariable, Terms};

/// More templates than this are too many.
const MOST_TEMPLATES: usize = 120;
/// Conditions with more parts are not about one block.
const LARGEST: usize = 60;
/// A scalar that gets more constants is not guessed about by constant.
const MOST_CONSTANTS: usize = 8;

/// A condition on the block at any address, over the symbols of some head.
#[derive(Clone, Debug)]
pub(super) struct Template {
    body: TermId,
    /// The symbols of the head that it speaks of.
    parts: Vec<(StateVariable, TermId)>,
    /// The scalars that it reads in the block itself.
    reads: Vec<(RegionId, u64)>,
}

impl Template {
    /// Have blocks of the site what it reads?
    pub fn fits(&self, site: &Site) -> bool {
        let has = |&(region, offset): &(RegionId, u64)| {
            site.fields.iter().any(|field| (field.region, field.offset) == (region, offset))
        };
        !self.reads.is_empty() && self.reads.iter().all(has)
    }

    /// The condition at another head, of the block at any address; nothing, if the head has not all it speaks of.
    pub fn at(&self, terms: &mut Terms, scene: &Scene) -> Option<TermId> {
        let mut moved: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &(part, symbol) in &self.parts {
            let own = match part {
                StateVariable::Memory(region) => scene.memory.get(&region).copied()?,
                StateVariable::Extents => scene.extents,
                part => scene.variable(part)?,
            };
            moved.insert(symbol, own);
        }
        let body = terms.pool.substitute(self.body, &moved);
        Some(terms.simple(body))
    }
}

/// What the program's numbers in blocks are given and compared with.
#[derive(Debug, Default)]
pub(super) struct Data {
    /// Conditions.
    pub templates: Vec<Template>,
    /// The constants that a scalar is given, by region and offset, if there are few.
    pub constants: FxHashMap<(RegionId, u64), BTreeSet<u128>>,
}

/// Looks at all comparisons and stores on the way from head to head.
pub(super) fn data(blocks: &mut Blocks<'_, '_>, names: &FxHashMap<TermId, TermId>, sites: &[Site]) -> Data {
    let mut data = Data::default();
    let width = blocks.explorer.encoder.meaning.layout.width;
    let any = any_index(&mut blocks.explorer.encoder.terms, width);
    stores(blocks, names, sites, any, &mut data);
    orders(blocks, sites, any, &mut data);
    comparisons(blocks, names, any, &mut data);
    data
}

impl Data {
    fn add(&mut self, terms: &mut Terms, body: TermId, any: TermId, symbols: &[(StateVariable, TermId)]) {
        let body = terms.simple(body);
        if terms.truth(body).is_some()
            || self.templates.len() >= MOST_TEMPLATES
            || self.templates.iter().any(|known| known.body == body)
        {
            return;
        }
        let mut parts = Vec::new();
        for symbol in symbols_in(&terms.pool, &[body]) {
            if symbol == any {
                continue;
            }
            match symbols.iter().find(|(_, own)| *own == symbol) {
                Some(&part) => parts.push(part),
                None => return,
            }
        }
        let reads = reads_in(terms, body, any, &parts);
        if !reads.is_empty() {
            self.templates.push(Template { body, parts, reads });
        }
    }
}

/// The scalars that a condition reads in the block at `any` itself.
fn reads_in(
    terms: &Terms,
    body: TermId,
    any: TermId,
    parts: &[(StateVariable, TermId)],
) -> Vec<(RegionId, u64)> {
    let mut reads = Vec::new();
    for term in Postorder::new(&terms.pool, &[body]) {
        if terms.pool.op(term) != Op::Select {
            continue;
        }
        let (array, at) = (terms.pool.arguments(term)[0], terms.pool.arguments(term)[1]);
        let Some((StateVariable::Memory(region), _)) = parts.iter().find(|(_, own)| *own == array) else {
            continue;
        };
        if let Some((base, offset)) = based(terms, at)
            && base == any
            && !reads.contains(&(*region, offset))
        {
            reads.push((*region, offset));
        }
    }
    reads
}

/// An address as a base and a distance, if it is no constant.
fn based(terms: &Terms, address: TermId) -> Option<(TermId, u64)> {
    if terms.constant(address).is_some() {
        return None;
    }
    if terms.pool.op(address) == Op::BvAdd
        && let [one, two] = *terms.pool.arguments(address)
    {
        for (base, distance) in [(one, two), (two, one)] {
            if let Some(distance) = terms.constant(distance).and_then(|distance| u64::try_from(distance).ok())
            {
                return Some((base, distance));
            }
        }
    }
    Some((address, 0))
}

/// Conditions in goals and guards, each with the bases of the addresses it reads as the hole.
fn comparisons(blocks: &mut Blocks<'_, '_>, names: &FxHashMap<TermId, TermId>, any: TermId, data: &mut Data) {
    let mut sources: Vec<(HeadId, TermId)> =
        blocks.goals.iter().filter_map(|(from, goal)| Some(((*from)?, goal.condition))).collect();
    sources.extend(blocks.arrivals.iter().filter_map(|arrival| Some((arrival.from?, arrival.guard))));
    for (head, source) in sources {
        let symbols = blocks.heads[head].symbols.clone();
        let terms = &mut blocks.explorer.encoder.terms;
        let source = terms.pool.substitute(source, names);
        let conditions: Vec<TermId> = Postorder::new(&terms.pool, &[source])
            .filter(|&term| terms.pool.sort(term) == Sort::Bool && is_small(&terms.pool, term))
            .collect();
        for condition in conditions {
            let bases: FxHashSet<TermId> = Postorder::new(&terms.pool, &[condition])
                .filter(|&term| terms.pool.op(term) == Op::Select)
                .filter_map(|term| based(terms, terms.pool.arguments(term)[1]))
                .map(|(base, _)| base)
                .filter(|&base| terms.pool.sort(base) == terms.pool.sort(any))
                .collect();
            let mut bases: Vec<TermId> = bases.into_iter().collect();
            bases.sort_unstable();
            for base in bases {
                let hole = [(base, any)].into_iter().collect();
                let body = terms.pool.substitute(condition, &hole);
                data.add(terms, body, any, &symbols);
                let not = terms.not(body);
                data.add(terms, not, any, &symbols);
            }
        }
    }
}

fn is_small(pool: &TermPool, term: TermId) -> bool {
    Postorder::new(pool, &[term]).take(LARGEST + 1).count() <= LARGEST
}

/// What is stored in new blocks, and what is known of it there.
fn stores(
    blocks: &mut Blocks<'_, '_>,
    names: &FxHashMap<TermId, TermId>,
    sites: &[Site],
    any: TermId,
    data: &mut Data,
) {
    let mut others: FxHashSet<(RegionId, u64)> = FxHashSet::default();
    for at in blocks.arrivals.ids().collect::<Vec<_>>() {
        let arrival = &blocks.arrivals[at];
        let (to, guard, values) = (arrival.to, arrival.guard, arrival.values.clone());
        let symbols = blocks.heads[to].symbols.clone();
        let before = arrival.from.map(|from| blocks.heads[from].symbols.clone());
        let encoder = &mut blocks.explorer.encoder;
        let layout = encoder.meaning.layout;
        let allocations = encoder.allocations.clone();
        let terms = &mut encoder.terms;
        let guard = terms.pool.substitute(guard, names);
        // By the number of the new block: what is stored, and the same as it is read from any block.
        let mut stored: FxHashMap<u128, Vec<(TermId, TermId)>> = FxHashMap::default();
        for &(part, symbol) in symbols.iter() {
            let StateVariable::Memory(region) = part else { continue };
            let Some(&value) = values.get(&symbol) else { continue };
            let value = terms.pool.substitute(value, names);
            let all: Vec<TermId> = Postorder::new(&terms.pool, &[value])
                .filter(|&term| {
                    terms.pool.op(term) == Op::Store && terms.pool.sort(term) == terms.pool.sort(symbol)
                })
                .collect();
            for store in all {
                let (index, element) = (terms.pool.arguments(store)[1], terms.pool.arguments(store)[2]);
                let (number, offset) = match (terms.constant(index), based(terms, index)) {
                    (Some(address), _) => {
                        let number = layout.object_of(address);
                        let is_block = allocations.contains_key(&number);
                        let Ok(offset) = u64::try_from(layout.offset_of(address)) else { continue };
                        if !is_block {
                            continue;
                        }
                        (Some(number), offset)
                    }
                    (None, Some((_, offset))) => (None, offset),
                    (None, None) => continue,
                };
                let bits = terms.pool.width(element);
                let is_field =
                    |field: &Field| (field.region, field.offset, field.bits) == (region, offset, bits);
                if !sites.iter().flat_map(|site| &site.fields).any(is_field) {
                    continue;
                }
                let address = terms.add_number(any, u128::from(offset));
                let read = terms.select(symbol, address);
                for leaf in leaves(&terms.pool, element) {
                    match terms.constant(leaf) {
                        Some(constant) => {
                            data.constants.entry((region, offset)).or_default().insert(constant);
                        }
                        // What the scalar had already is nothing new.
                        None if terms.pool.op(leaf) != Op::Select => {
                            others.insert((region, offset));
                            let moved = before.iter().flat_map(|before| before.iter());
                            let here: FxHashMap<TermId, TermId> = moved
                                .filter_map(|(part, own)| {
                                    let (_, symbol) = symbols.iter().find(|(other, _)| other == part)?;
                                    Some((*own, *symbol))
                                })
                                .collect();
                            let value = terms.pool.substitute(leaf, &here);
                            let same = terms.equal(read, value);
                            data.add(terms, same, any, &symbols);
                        }
                        None => {}
                    }
                }
                if let Some(number) = number {
                    stored.entry(number).or_default().push((element, read));
                }
            }
        }
        let mut numbers: Vec<u128> = stored.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let own = &stored[&number];
            let known: FxHashSet<TermId> =
                own.iter().flat_map(|(element, _)| symbols_in(&terms.pool, &[*element])).collect();
            let as_read: FxHashMap<TermId, TermId> = own.iter().copied().collect();
            let conditions: Vec<TermId> = Postorder::new(&terms.pool, &[guard])
                .filter(|&term| terms.pool.sort(term) == Sort::Bool && is_small(&terms.pool, term))
                .filter(|&term| {
                    let speaks_of = symbols_in(&terms.pool, &[term]);
                    !speaks_of.is_empty() && speaks_of.iter().all(|symbol| known.contains(symbol))
                })
                .collect();
            for condition in conditions {
                let body = terms.pool.substitute(condition, &as_read);
                data.add(terms, body, any, &symbols);
                let not = terms.not(body);
                data.add(terms, not, any, &symbols);
            }
        }
    }
    data.constants.retain(|_, constants| constants.len() <= MOST_CONSTANTS);
    about_constants(blocks, sites, any, data, &others);
}

/// The values that a term of `ite`s can have.
fn leaves(pool: &TermPool, term: TermId) -> Vec<TermId> {
    let (mut open, mut found) = (vec![term], Vec::new());
    while let Some(next) = open.pop() {
        if pool.op(next) == Op::Ite && found.len() + open.len() < 16 {
            open.extend_from_slice(&pool.arguments(next)[1..]);
        } else if !found.contains(&next) {
            found.push(next);
        }
    }
    found
}

/// A scalar that is given only constants has one of them.
fn about_constants(
    blocks: &mut Blocks<'_, '_>,
    sites: &[Site],
    any: TermId,
    data: &mut Data,
    others: &FxHashSet<(RegionId, u64)>,
) {
    let Some(first) = blocks.heads.iter().next() else { return };
    let symbols = first.symbols.clone();
    let terms = &mut blocks.explorer.encoder.terms;
    let fields: Vec<Field> = sites.iter().flat_map(|site| site.fields.iter().cloned()).collect();
    for field in fields.iter().filter(|field| field.targets.is_empty()) {
        let Some(constants) = data.constants.get(&(field.region, field.offset)).cloned() else { continue };
        let memory = symbols.iter().find(|(part, _)| *part == StateVariable::Memory(field.region));
        let Some(&(_, memory)) = memory else { continue };
        let address = terms.add_number(any, u128::from(field.offset));
        let read = terms.select(memory, address);
        let mut all = Vec::new();
        for constant in constants {
            let constant = terms.number(field.bits, constant);
            let is_it = terms.equal(read, constant);
            all.push(is_it);
            data.add(terms, is_it, any, &symbols);
            let other = terms.not(is_it);
            data.add(terms, other, any, &symbols);
        }
        if !others.contains(&(field.region, field.offset)) && all.len() > 1 {
            let one_of = terms.any(&all);
            data.add(terms, one_of, any, &symbols);
        }
    }
}

/// A number is not above that of the block that is pointed to, or not below.
fn orders(blocks: &mut Blocks<'_, '_>, sites: &[Site], any: TermId, data: &mut Data) {
    let Some(first) = blocks.heads.iter().next() else { return };
    let symbols = first.symbols.clone();
    let terms = &mut blocks.explorer.encoder.terms;
    let memory = |region: RegionId| {
        symbols.iter().find(|(part, _)| *part == StateVariable::Memory(region)).map(|(_, symbol)| *symbol)
    };
    for site in sites {
        for link in site.fields.iter().filter(|field| field.targets.contains(&site.object)) {
            for number in site.fields.iter().filter(|field| field.targets.is_empty()) {
                let (Some(links), Some(numbers)) = (memory(link.region), memory(number.region)) else {
                    continue;
                };
                let at = terms.add_number(any, u128::from(link.offset));
                let next = terms.select(links, at);
                let (here, there) = (
                    terms.add_number(any, u128::from(number.offset)),
                    terms.add_number(next, u128::from(number.offset)),
                );
                let (here, there) = (terms.select(numbers, here), terms.select(numbers, there));
                let something = terms.is_nonzero(next);
                let null = terms.not(something);
                for (low, high) in [(here, there), (there, here)] {
                    let above = terms.pool.slt(high, low);
                    let sorted = terms.not(above);
                    let either = terms.or(null, sorted);
                    data.add(terms, either, any, &symbols);
                }
            }
        }
    }
}
