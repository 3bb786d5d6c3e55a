//! The formula: in which order blocks of different threads come, and whose writes each of them finds.
//!
//! For blocks a, b of different threads a literal says that a comes before b; blocks of one thread come in the order they have. A block finds a part of the state as
//! a write of another thread left it ("reads from"), or as its own thread did. No write comes between the two: each one comes before the write that is found, or after
//! the block that finds it ("from-read"). Only what the question depends on is asked for.
//!
//! That the order has no cycles is added where a solution has one, unless it takes few clauses to say it at once.

use super::shares::Part;
use super::walk::{BlockId, Found, Walk};
use base::{Budget, Exhausted};
use logic::term::{Op, Postorder, symbols_in};
use logic::{Bits, Sort, TermId, TermPool};
use program::points_to::RegionId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// As many clauses as are said at once.
const FEW_CLAUSES: usize = 60_000;

/// So many cycles are excluded before the solver is asked again.
const MOST_CYCLES: usize = 4_000;

/// Which cells of memory are read, by region: where all indices are known, only these are compared, without arrays.
#[derive(Debug, Default)]
struct Read {
    cells: BTreeMap<RegionId, BTreeSet<u128>>,
    /// Regions that are read at other indices too.
    is_open: FxHashSet<RegionId>,
}

impl Read {
    /// Whatever blocks may read of each other.
    fn in_all(walk: &Walk<'_, '_>, budget: &Budget) -> Result<Read, Exhausted> {
        let pool = &walk.explorer.encoder.terms.pool;
        let mut regions: FxHashMap<TermId, RegionId> = FxHashMap::default();
        let mut roots: Vec<TermId> = walk.explorer.encoder.facts.clone();
        roots.extend(walk.goals.iter().map(|(_, goal)| goal.condition));
        for block in &walk.blocks {
            roots.push(block.ends);
            roots.extend(block.left.iter().flat_map(|left| [left.guard, left.value]));
            for found in &block.found {
                roots.push(found.own);
                if let Part::Memory(region) = found.part {
                    regions.insert(found.symbol, region);
                }
            }
        }
        pool.check(budget)?;
        let mut read = Read::default();
        for term in Postorder::new(pool, &roots) {
            match pool.op(term) {
                Op::Select => {
                    let index = pool.constant_value(pool.arguments(term)[1]).and_then(Bits::to_u128);
                    for region in arrays_in(pool, pool.arguments(term)[0], &regions) {
                        match index {
                            Some(index) => {
                                read.cells.entry(region).or_default().insert(index);
                            }
                            None => {
                                read.is_open.insert(region);
                            }
                        }
                    }
                }
                Op::Store | Op::Ite => {}
                // Whole arrays are looked at.
                _ => read.is_open.extend(pool.arguments(term).iter().filter_map(|part| regions.get(part))),
            }
        }
        Ok(read)
    }

    /// What says that a block finds a value.
    fn same(&self, walk: &mut Walk<'_, '_>, part: Part, symbol: TermId, value: TermId) -> Vec<TermId> {
        let width = walk.explorer.encoder.meaning.layout.width;
        let terms = &mut walk.explorer.encoder.terms;
        let region = match part {
            Part::Memory(region) if !self.is_open.contains(&region) => region,
            _ => return vec![terms.equal(symbol, value)],
        };
        let indices = self.cells.get(&region).into_iter().flatten();
        indices
            .map(|&at| {
                let at = terms.number(width, at);
                let (here, there) = (terms.select(symbol, at), terms.select(value, at));
                terms.equal(here, there)
            })
            .collect()
    }
}

/// The regions of the arrays that an array is made of.
fn arrays_in(pool: &TermPool, array: TermId, regions: &FxHashMap<TermId, RegionId>) -> FxHashSet<RegionId> {
    let (mut found, mut seen, mut open) = (FxHashSet::default(), FxHashSet::default(), vec![array]);
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        found.extend(regions.get(&term));
        match pool.op(term) {
            Op::Store => open.push(pool.arguments(term)[0]),
            Op::Ite => open.extend(&pool.arguments(term)[1..]),
            _ => {}
        }
    }
    found
}

/// The order of blocks.
pub struct Order {
    /// By two blocks of different threads, the smaller number first: does the first come before the second?
    before: FxHashMap<(BlockId, BlockId), TermId>,
    /// Blocks by thread.
    threads: Vec<Vec<BlockId>>,
    /// What must hold.
    pub facts: Vec<TermId>,
    /// Are cycles through three threads excluded?
    pub is_closed: bool,
}

impl Order {
    /// The formula for all blocks of the walk.
    pub fn of(walk: &mut Walk<'_, '_>, budget: &Budget) -> Result<Order, Exhausted> {
        let mut threads: Vec<Vec<BlockId>> = Vec::new();
        for (id, block) in walk.blocks.iter_enumerated() {
            if threads.len() <= block.thread {
                threads.resize(block.thread + 1, Vec::new());
            }
            threads[block.thread].push(id);
        }
        let mut order = Order { before: FxHashMap::default(), threads, facts: Vec::new(), is_closed: false };
        order.compare(walk);
        order.keep_program_order(walk);
        order.keep_creations(walk);
        order.is_closed = order.triples() * 2 <= FEW_CLAUSES;
        if order.is_closed {
            let all: Vec<BlockId> = walk.blocks.ids().collect();
            order.exclude_cycles(walk, &all, &|_, _| true, usize::MAX);
        }
        order.find_values(walk, budget)?;
        Ok(order)
    }

    fn compare(&mut self, walk: &mut Walk<'_, '_>) {
        let all: Vec<BlockId> = walk.blocks.ids().collect();
        for (at, &one) in all.iter().enumerate() {
            for &two in &all[at + 1..] {
                if walk.blocks[one].thread != walk.blocks[two].thread {
                    let literal = walk.explorer.encoder.terms.fresh("before", Sort::Bool);
                    self.before.insert((one, two), literal);
                }
            }
        }
    }

    /// Does the one come before the other?
    pub fn comes_before(&self, walk: &mut Walk<'_, '_>, one: BlockId, two: BlockId) -> TermId {
        let terms = &mut walk.explorer.encoder.terms;
        if let Some(&literal) = self.before.get(&(one, two)) {
            return literal;
        }
        if let Some(&literal) = self.before.get(&(two, one)) {
            return terms.not(literal);
        }
        if one < two { terms.yes() } else { terms.no() }
    }

    fn imply(&mut self, walk: &mut Walk<'_, '_>, conditions: &[TermId], any: &[TermId]) {
        let terms = &mut walk.explorer.encoder.terms;
        let mut literals: Vec<TermId> = conditions.iter().map(|&condition| terms.not(condition)).collect();
        literals.extend(any);
        let clause = terms.any(&literals);
        if terms.truth(clause) != Some(true) {
            self.facts.push(clause);
        }
    }

    /// Whoever comes before a block comes before the thread's next one, and after it whoever comes after the next.
    fn keep_program_order(&mut self, walk: &mut Walk<'_, '_>) {
        let all: Vec<BlockId> = walk.blocks.ids().collect();
        for thread in self.threads.clone() {
            for pair in thread.windows(2) {
                for &other in &all {
                    if walk.blocks[other].thread == walk.blocks[pair[0]].thread {
                        continue;
                    }
                    let second = self.comes_before(walk, pair[1], other);
                    let first = self.comes_before(walk, pair[0], other);
                    self.imply(walk, &[second], &[first]);
                }
            }
        }
    }

    /// Whoever creates a thread comes before the thread.
    fn keep_creations(&mut self, walk: &mut Walk<'_, '_>) {
        let all: Vec<BlockId> = walk.blocks.ids().collect();
        for id in all {
            let guard = walk.blocks[id].guard;
            for (creator, created) in walk.blocks[id].after.clone() {
                let is_before = self.comes_before(walk, creator, id);
                self.imply(walk, &[guard, created], &[is_before]);
            }
        }
    }

    fn triples(&self) -> usize {
        let sizes: Vec<usize> = self.threads.iter().map(Vec::len).collect();
        let mut count = 0usize;
        for (at, one) in sizes.iter().enumerate() {
            for (between, two) in sizes.iter().enumerate().skip(at + 1) {
                let rest: usize = sizes[between + 1..].iter().sum();
                count = count.saturating_add(one * two * rest);
            }
        }
        count
    }

    /// Excludes cycles among three blocks of different threads that a solution has. In a total order of each thread's blocks that agrees with the literals of two threads
    /// there are no others. Says how many there were.
    pub fn exclude_cycles(
        &mut self,
        walk: &mut Walk<'_, '_>,
        among: &[BlockId],
        holds: &dyn Fn(BlockId, BlockId) -> bool,
        most: usize,
    ) -> usize {
        let mut count = 0;
        for (at, &one) in among.iter().enumerate() {
            for (between, &two) in among.iter().enumerate().skip(at + 1) {
                if walk.blocks[one].thread == walk.blocks[two].thread {
                    continue;
                }
                for &three in &among[between + 1..] {
                    let thread = walk.blocks[three].thread;
                    if thread == walk.blocks[one].thread || thread == walk.blocks[two].thread {
                        continue;
                    }
                    for [a, b, c] in [[one, two, three], [one, three, two]] {
                        if holds(a, b) && holds(b, c) && holds(c, a) {
                            let first = self.comes_before(walk, a, b);
                            let second = self.comes_before(walk, b, c);
                            let third = self.comes_before(walk, a, c);
                            self.imply(walk, &[first, second], &[third]);
                            count += 1;
                        }
                    }
                    if count >= most {
                        return count;
                    }
                }
            }
        }
        count
    }

    /// The same in rounds: as many as are worth a question.
    pub fn exclude_found_cycles(
        &mut self,
        walk: &mut Walk<'_, '_>,
        among: &[BlockId],
        holds: &dyn Fn(BlockId, BlockId) -> bool,
    ) -> usize {
        self.exclude_cycles(walk, among, holds, MOST_CYCLES)
    }

    /// Whose writes blocks find, for what the question depends on.
    fn find_values(&mut self, walk: &mut Walk<'_, '_>, budget: &Budget) -> Result<(), Exhausted> {
        let mut readers: FxHashMap<TermId, (BlockId, Found)> = FxHashMap::default();
        let mut writers: FxHashMap<Part, Vec<BlockId>> = FxHashMap::default();
        for (id, block) in walk.blocks.iter_enumerated() {
            readers.extend(block.found.iter().map(|&found| (found.symbol, (id, found))));
            for left in &block.left {
                writers.entry(left.part).or_default().push(id);
            }
        }
        let read = Read::in_all(walk, budget)?;
        self.begin_with_zeros(walk, &read);
        let mut roots: Vec<TermId> = walk.explorer.encoder.facts.clone();
        roots.extend(walk.goals.iter().map(|(_, goal)| goal.condition));
        roots.extend(walk.blocks.iter().map(|block| block.ends));
        let mut done: FxHashSet<TermId> = FxHashSet::default();
        while !roots.is_empty() {
            walk.explorer.encoder.terms.pool.check(budget)?;
            let symbols = symbols_in(&walk.explorer.encoder.terms.pool, &roots);
            roots.clear();
            for symbol in symbols {
                if let Some(&(block, found)) = readers.get(&symbol)
                    && done.insert(symbol)
                {
                    let nobody = Vec::new();
                    let by = writers.get(&found.part).unwrap_or(&nobody);
                    self.find_value(walk, block, found, by, &read, &mut roots);
                }
            }
        }
        Ok(())
    }

    /// What objects hold that begin as zeros.
    fn begin_with_zeros(&mut self, walk: &mut Walk<'_, '_>, read: &Read) {
        let Some(first) = walk.first.clone() else { return };
        for (region, indices) in &read.cells {
            let Some(zero) = first.state.regions[*region].zero_objects().cloned() else { continue };
            for &index in indices.iter().filter(|&&index| zero.objects.contains(&(index >> zero.offset_bits)))
            {
                let terms = &mut walk.explorer.encoder.terms;
                let at = terms.number(first.state.regions[*region].index_bits(), index);
                let cell = terms.select(zero.array, at);
                let width = terms.pool.width(cell);
                let nothing = terms.number(width, 0);
                let is_zero = terms.equal(cell, nothing);
                self.imply(walk, &[], &[is_zero]);
            }
        }
    }

    /// Whose write of a part a block finds.
    fn find_value(
        &mut self,
        walk: &mut Walk<'_, '_>,
        id: BlockId,
        found: Found,
        writers: &[BlockId],
        read: &Read,
        needed: &mut Vec<TermId>,
    ) {
        let Found { part, symbol, own } = found;
        let thread = walk.blocks[id].thread;
        let writes: Vec<(BlockId, TermId, TermId)> = writers
            .iter()
            .filter(|&&writer| walk.blocks[writer].thread != thread || writer < id)
            .filter_map(|&writer| {
                let left = walk.blocks[writer].left.iter().find(|left| left.part == part)?;
                Some((writer, left.guard, left.value))
            })
            .collect();
        let (mine, others): (Vec<_>, Vec<_>) =
            writes.into_iter().partition(|(writer, ..)| walk.blocks[*writer].thread == thread);
        let guard = walk.blocks[id].guard;
        if others.is_empty() {
            for same in read.same(walk, part, symbol, own) {
                needed.push(same);
                self.imply(walk, &[guard], &[same]);
            }
            return;
        }
        let from_own = walk.explorer.encoder.terms.fresh("finds its own", Sort::Bool);
        let mut ways = vec![from_own];
        for same in read.same(walk, part, symbol, own) {
            needed.push(same);
            self.imply(walk, &[from_own], &[same]);
        }
        for &(other, written, _) in &others {
            // It was overwritten, or comes later.
            let mut literals = vec![self.comes_before(walk, id, other)];
            for &(own_write, own_written, _) in &mine {
                let is_before = self.comes_before(walk, other, own_write);
                literals.push(walk.explorer.encoder.terms.and(own_written, is_before));
            }
            self.imply(walk, &[from_own, written], &literals);
        }
        for &(writer, written, value) in &others {
            let from = walk.explorer.encoder.terms.fresh("finds", Sort::Bool);
            ways.push(from);
            let mut all = read.same(walk, part, symbol, value);
            needed.extend(&all);
            all.extend([written, self.comes_before(walk, writer, id)]);
            for must in all {
                self.imply(walk, &[from], &[must]);
            }
            for &(between, also_written, _) in others.iter().filter(|(other, ..)| *other != writer) {
                let earlier = self.comes_before(walk, between, writer);
                let later = self.comes_before(walk, id, between);
                self.imply(walk, &[from, also_written], &[earlier, later]);
            }
            for &(own_write, own_written, _) in &mine {
                let earlier = self.comes_before(walk, own_write, writer);
                self.imply(walk, &[from, own_written], &[earlier]);
            }
        }
        self.imply(walk, &[guard], &ways);
    }
}
