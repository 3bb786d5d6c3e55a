//! State in memory: cells at fixed addresses that are compared with constants, such as the state of a handshake in a
//! record that was allocated once. They are followed as variables are.
//!
//! Worked example: `s = malloc(sizeof *s); s->state = 1; while (1) if (s->state == 1) s->state = 2; else ...`. At the head
//! `s` has one value (`settled`), so `s->state` is a cell with a fixed address of the array that is the memory there.
//! It is compared with 1, and 1 and 2 are stored: these two are told apart.

use super::dimensions::{Dimension, MOST_VALUES};
use crate::blocks::{Blocks, HeadId};
use crate::pdr::Cones;
use logic::term::Op;
use logic::{Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use symbolic::StateVariable;

/// More cells than this are not followed; those that are asked about most come first.
const MOST_CELLS: usize = 40;
/// Cells that are looked at.
const MOST_LOOKED_AT: usize = 200;
/// Parts of a stored value that are looked at.
const MOST_PARTS: usize = 200;

/// A cell: of which memory, and at which address.
type Cell = (StateVariable, u128);

/// What is known of a cell.
#[derive(Default)]
struct Seen {
    constants: BTreeSet<u128>,
    /// Comparisons with constants.
    asked: usize,
}

/// The cells that can be followed.
pub fn of(blocks: &mut Blocks<'_, '_>) -> Vec<Dimension> {
    let mut memories: FxHashMap<TermId, StateVariable> = FxHashMap::default();
    for head in &blocks.heads {
        let arrays = head.symbols.iter().filter(|(part, _)| matches!(part, StateVariable::Memory(_)));
        memories.extend(arrays.map(|&(part, symbol)| (symbol, part)));
    }
    if memories.is_empty() {
        return Vec::new();
    }
    let mut cells: BTreeMap<Cell, Seen> = BTreeMap::new();
    let mut cones = Cones::default();
    let froms: Vec<Option<HeadId>> = std::iter::once(None).chain(blocks.heads.ids().map(Some)).collect();
    for from in froms {
        let arrivals = || blocks.arrivals.iter().filter(move |arrival| arrival.from == from);
        let goals = blocks.goals.iter().filter(|(own, _)| *own == from);
        let mut roots: Vec<TermId> = goals.map(|(_, goal)| goal.condition).collect();
        roots.extend(arrivals().map(|arrival| arrival.guard));
        roots.extend(arrivals().flat_map(|arrival| arrival.values.values().copied()));
        let below = cones.below(&blocks.explorer.encoder, &roots);
        let pool = &blocks.explorer.encoder.terms.pool;
        for term in below {
            if let Some((cell, constant)) = comparison(pool, &memories, term) {
                let seen = cells.entry(cell).or_default();
                seen.asked += 1;
                seen.constants.insert(constant);
            }
        }
        for arrival in arrivals() {
            for (symbol, &value) in &arrival.values {
                let Some(&part) = memories.get(symbol) else { continue };
                for (address, constant) in stored(pool, value) {
                    cells.entry((part, address)).or_default().constants.insert(constant);
                }
            }
        }
    }
    let mut chosen = Vec::new();
    for (cell, mut seen) in cells.into_iter().take(MOST_LOOKED_AT) {
        let at = at_heads(blocks, cell.0, cell.1);
        let values = values_of(blocks, &at);
        let pool = &blocks.explorer.encoder.terms.pool;
        seen.constants.extend(values.iter().flatten().filter_map(|&value| constant(pool, value)));
        chosen.push(Chosen { seen, at, values });
    }
    spread(blocks, &mut chosen);
    let is_state = |one: &Chosen| one.seen.asked > 0 && (2..=MOST_VALUES).contains(&one.seen.constants.len());
    chosen.retain(is_state);
    chosen.sort_by_key(|one| std::cmp::Reverse(one.seen.asked));
    chosen.truncate(MOST_CELLS);
    chosen.into_iter().map(|one| Dimension::told_apart(one.at, Rc::new(one.seen.constants))).collect()
}

/// A cell that may be followed.
struct Chosen {
    seen: Seen,
    /// It, over the symbols of each head.
    at: FxHashMap<HeadId, TermId>,
    /// What it gets by some step, choices taken apart; nothing where that is too much.
    values: Option<Vec<TermId>>,
}

/// What a cell gets by all steps, if some step changes it. How it begins does not count, as with variables.
fn values_of(blocks: &mut Blocks<'_, '_>, at: &FxHashMap<HeadId, TermId>) -> Option<Vec<TermId>> {
    let mut all = Vec::new();
    let mut changes = false;
    for arrival in blocks.arrivals.ids() {
        let (from, to) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].to);
        let Some(&there) = at.get(&to) else { continue };
        let value = blocks.after(arrival, there);
        let pool = &blocks.explorer.encoder.terms.pool;
        let values = choices(pool, value)?;
        match from {
            Some(from) => {
                changes |= values.iter().any(|value| at.get(&from) != Some(value));
                all.extend(values);
            }
            None => all.extend(values.into_iter().filter(|&value| constant(pool, value).is_some())),
        }
    }
    changes.then_some(all)
}

/// Cells get the constants of those that are copied to them. One that may get anything else is dropped: it would have to be
/// told apart from the start. One that is copied to another counts as asked about if that is.
fn spread(blocks: &Blocks<'_, '_>, chosen: &mut Vec<Chosen>) {
    let pool = &blocks.explorer.encoder.terms.pool;
    loop {
        let numbers: FxHashMap<TermId, usize> = chosen
            .iter()
            .enumerate()
            .flat_map(|(number, one)| one.at.values().map(move |&term| (term, number)))
            .collect();
        let is_known = |term: &TermId| constant(pool, *term).is_some() || numbers.contains_key(term);
        let count = chosen.len();
        let stays: Vec<bool> = chosen
            .iter()
            .map(|one| one.values.as_ref().is_some_and(|values| values.iter().all(is_known)))
            .collect();
        if stays.iter().any(|stays| !stays) {
            let mut stays = stays.into_iter();
            chosen.retain(|_| stays.next().unwrap_or(false));
            debug_assert!(chosen.len() < count, "each round drops some");
            continue;
        }
        let mut has_changed = false;
        for number in 0..chosen.len() {
            let from: Vec<usize> = chosen[number]
                .values
                .iter()
                .flatten()
                .filter_map(|value| numbers.get(value).copied())
                .filter(|other| *other != number)
                .collect();
            for other in from {
                let constants = chosen[other].seen.constants.clone();
                let before = chosen[number].seen.constants.len();
                chosen[number].seen.constants.extend(constants);
                has_changed |= chosen[number].seen.constants.len() > before;
                if chosen[number].seen.asked > 0 && chosen[other].seen.asked == 0 {
                    chosen[other].seen.asked = 1;
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// A cell that no step from a head to a head changes.
pub struct Kept {
    /// Stands for it.
    pub symbol: TermId,
    /// It, over the symbols of each head.
    pub at: FxHashMap<HeadId, TermId>,
}

/// The cells at fixed addresses that are read and that no step from a head to a head changes.
pub fn kept(blocks: &mut Blocks<'_, '_>) -> Vec<Kept> {
    let mut memories: FxHashMap<TermId, StateVariable> = FxHashMap::default();
    for head in &blocks.heads {
        let arrays = head.symbols.iter().filter(|(part, _)| matches!(part, StateVariable::Memory(_)));
        memories.extend(arrays.map(|&(part, symbol)| (symbol, part)));
    }
    if memories.is_empty() {
        return Vec::new();
    }
    let mut cones = Cones::default();
    let mut read: BTreeSet<Cell> = BTreeSet::new();
    for id in blocks.heads.ids() {
        let goals = blocks.goals.iter().filter(|(own, _)| *own == Some(id));
        let mut roots: Vec<TermId> = goals.map(|(_, goal)| goal.condition).collect();
        let arrivals = blocks.arrivals.iter().filter(|arrival| arrival.from == Some(id));
        roots.extend(arrivals.map(|arrival| arrival.guard));
        let below = cones.below(&blocks.explorer.encoder, &roots);
        let pool = &blocks.explorer.encoder.terms.pool;
        read.extend(below.into_iter().filter_map(|term| {
            if pool.op(term) != Op::Select {
                return None;
            }
            let (array, index) = (pool.arguments(term)[0], pool.arguments(term)[1]);
            Some((*memories.get(&array)?, constant(pool, index)?))
        }));
    }
    let mut found = Vec::new();
    for (part, address) in read {
        let at = at_heads(blocks, part, address);
        let is_kept = blocks.arrivals.ids().all(|arrival| {
            let (from, to) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].to);
            let (Some(from), Some(&there)) = (from, at.get(&to)) else { return true };
            at.get(&from).is_some_and(|&here| blocks.after(arrival, there) == here)
        });
        let width = at.values().next().map(|&term| blocks.explorer.encoder.terms.pool.width(term));
        if is_kept && let Some(width) = width {
            let symbol = blocks.explorer.encoder.terms.fresh_bits("kept cell", width);
            found.push(Kept { symbol, at });
        }
        if found.len() >= MOST_CELLS {
            break;
        }
    }
    found
}

/// A cell over the symbols of each head.
fn at_heads(blocks: &mut Blocks<'_, '_>, part: StateVariable, address: u128) -> FxHashMap<HeadId, TermId> {
    let mut at = FxHashMap::default();
    for head in blocks.heads.ids() {
        let symbol = blocks.heads[head].symbols.iter().find(|(own, _)| *own == part);
        let Some(&(_, symbol)) = symbol else { continue };
        let terms = &mut blocks.explorer.encoder.terms;
        let Some(width) = index_width(&terms.pool, symbol) else { continue };
        let index = terms.number(width, address);
        at.insert(head, terms.select(symbol, index));
    }
    at
}

/// The values that a value is one of.
fn choices(pool: &TermPool, value: TermId) -> Option<Vec<TermId>> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.op(term) {
            _ if seen.len() > MOST_PARTS => return None,
            Op::Ite => open.extend_from_slice(&pool.arguments(term)[1..]),
            _ => found.push(term),
        }
    }
    Some(found)
}

fn index_width(pool: &TermPool, array: TermId) -> Option<u32> {
    match pool.array_parts(pool.sort(array)) {
        Some((Sort::BitVec(index), Sort::BitVec(1..=64))) => Some(index),
        _ => None,
    }
}

/// A cell of the state that is compared with a constant.
fn comparison(
    pool: &TermPool,
    memories: &FxHashMap<TermId, StateVariable>,
    term: TermId,
) -> Option<(Cell, u128)> {
    if pool.op(term) != Op::Equal {
        return None;
    }
    let [one, two] = *pool.arguments(term) else { return None };
    let (select, constant) = match (constant(pool, one), constant(pool, two)) {
        (None, Some(constant)) => (one, constant),
        (Some(constant), None) => (two, constant),
        _ => return None,
    };
    if pool.op(select) != Op::Select {
        return None;
    }
    let (array, index) = (pool.arguments(select)[0], pool.arguments(select)[1]);
    Some(((*memories.get(&array)?, self::constant(pool, index)?), constant))
}

/// Constants that are stored at constant addresses.
fn stored(pool: &TermPool, value: TermId) -> Vec<(u128, u128)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(array) = open.pop() {
        if !seen.insert(array) || seen.len() > MOST_PARTS {
            continue;
        }
        match pool.op(array) {
            Op::Store => {
                let [before, index, value] = *pool.arguments(array) else { continue };
                open.push(before);
                if let Some(address) = constant(pool, index) {
                    found.extend(leaves(pool, value).into_iter().map(|constant| (address, constant)));
                }
            }
            Op::Ite => open.extend_from_slice(&pool.arguments(array)[1..]),
            _ => {}
        }
    }
    found
}

/// The constants among the choices that a value is made of.
fn leaves(pool: &TermPool, value: TermId) -> Vec<u128> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(term) = open.pop() {
        if !seen.insert(term) || seen.len() > MOST_PARTS {
            continue;
        }
        match (constant(pool, term), pool.op(term)) {
            (Some(constant), _) => found.push(constant),
            (None, Op::Ite) => open.extend_from_slice(&pool.arguments(term)[1..]),
            _ => {}
        }
    }
    found
}

fn constant(pool: &TermPool, term: TermId) -> Option<u128> {
    pool.constant_value(term).and_then(logic::Bits::to_u128)
}
