//! States that runs really have at heads of loops (as in dynamic invariant detection): the steps between
//! heads, evaluated on drawn inputs. What a sample refutes is no invariant, and what all samples have in
//! common may be one.
//!
//! A step gives what it allocates one number, whichever round of a loop it is in: numbers are only names. Here the blocks of a run are told
//! apart, so each step of a run takes numbers that were not used yet in their place.
//!
//! Nothing rests on them: they decide only what is worth asking a solver.

use crate::blocks::{Blocks, HeadId};
use crate::pdr::definition;
use base::{Budget, IndexVec};
use logic::evaluate::Evaluator;
use logic::term::{Op, Postorder};
use logic::{Bits, Model, Sort, TermId, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::time::Duration;

/// Samples of a head, of a head in one run, steps of a run, runs, time.
const MOST_AT_HEAD: usize = 500;
const MOST_AT_HEAD_IN_RUN: usize = 40;
const MOST_STEPS: usize = 600;
const MOST_RUNS: usize = 300;
const MOST_TIME: Duration = Duration::from_secs(5);
/// Steps, and runs, after which nothing new is expected.
const MOST_WITHOUT_NEW: usize = 40;
/// Programs with larger blocks are not run so.
const MOST_FACTS: usize = 30_000;

/// Values of the symbols of every head, as runs had them.
pub struct Samples {
    /// By head.
    pub at: IndexVec<HeadId, Vec<Model>>,
}

/// A path from a place, with guards replaced by what they are defined as.
struct PathToHead {
    to: HeadId,
    guard: TermId,
    symbols: Vec<TermId>,
    values: Vec<TermId>,
}

/// What happens after a head or after the start.
#[derive(Default)]
struct Block {
    inputs: Vec<(TermId, u32)>,
    /// The numbers of what it allocates, with their bits.
    allocated: Vec<(TermId, u32)>,
    conditions: Vec<TermId>,
    paths: Vec<PathToHead>,
}

impl Block {
    /// The path that is taken with these values, and what is so after it.
    fn step(&self, pool: &TermPool, state: &Model) -> Option<(&PathToHead, Vec<Value>)> {
        let mut evaluator = Evaluator::new(state);
        let holds = |evaluator: &mut Evaluator<'_>, condition: TermId| {
            evaluator.evaluate(pool, condition) == Ok(Value::Bool(true))
        };
        if !self.conditions.iter().all(|&condition| holds(&mut evaluator, condition)) {
            return None;
        }
        let path = self.paths.iter().find(|path| holds(&mut evaluator, path.guard))?;
        let values: Result<Vec<Value>, _> =
            path.values.iter().map(|&value| evaluator.evaluate(pool, value)).collect();
        Some((path, values.ok()?))
    }
}

/// Draws numbers (xorshift, after Marsaglia 2003).
pub struct Draw(u64);

impl Draw {
    /// The numbers of a seed.
    pub fn seeded(seed: u64) -> Draw {
        let mut draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number less than the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound.max(1)
    }
}

/// Runs the blocks; inputs with which there is no way on are drawn again so often. Empty where calls are taken by contract, or blocks are too
/// large.
pub fn samples(blocks: &mut Blocks<'_, '_>, constants: &[i128], draws: u32, budget: &Budget) -> Samples {
    let mut samples = Samples { at: IndexVec::filled(Vec::new(), blocks.heads.len()) };
    if blocks.explorer.contracts.is_some() || blocks.explorer.encoder.facts.len() > MOST_FACTS {
        return samples;
    }
    let budget = budget.clone().with_time(MOST_TIME);
    let Some(parts) = parts_of(blocks, &budget) else { return samples };
    let first_object = blocks.explorer.encoder.allocations.keys().max().map_or(0, |&last| last + 1);
    let most_objects = u128::from(blocks.explorer.encoder.meaning.layout.most_objects()) - 1;
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    let mut seen: IndexVec<HeadId, FxHashSet<Vec<Value>>> =
        IndexVec::filled(FxHashSet::default(), blocks.heads.len());
    let mut runs_without_new = 0;
    for run in 0..MOST_RUNS {
        let style = Style::of_run(run);
        let before: usize = samples.at.iter().map(Vec::len).sum();
        let mut since_new = 0;
        let mut in_run: IndexVec<HeadId, usize> = IndexVec::filled(0, blocks.heads.len());
        let mut state = Model::new();
        let mut at: Option<HeadId> = None;
        let mut next_object = first_object;
        for _ in 0..MOST_STEPS {
            if budget.check().is_err() {
                return samples;
            }
            let block = &parts[&at];
            if next_object + block.allocated.len() as u128 >= most_objects {
                break;
            }
            for &(symbol, width) in &block.allocated {
                state.set(symbol, Value::Bits(Bits::from_i128(width, next_object as i128)));
                next_object += 1;
            }
            let pool = &blocks.explorer.encoder.terms.pool;
            let found = (0..draws).find_map(|_| {
                for &(symbol, width) in &block.inputs {
                    state.set(symbol, Value::Bits(style.value(&mut draw, width, constants)));
                }
                block.step(pool, &state)
            });
            let Some((path, values)) = found else { break };
            let mut next = Model::new();
            for (&symbol, value) in path.symbols.iter().zip(&values) {
                next.set(symbol, value.clone());
            }
            state = next;
            at = Some(path.to);
            if in_run[path.to] < MOST_AT_HEAD_IN_RUN
                && samples.at[path.to].len() < MOST_AT_HEAD
                && seen[path.to].insert(values)
            {
                in_run[path.to] += 1;
                since_new = 0;
                samples.at[path.to].push(state.clone());
            }
            since_new += 1;
            if since_new > MOST_WITHOUT_NEW {
                break;
            }
        }
        let after: usize = samples.at.iter().map(Vec::len).sum();
        runs_without_new = if after == before { runs_without_new + 1 } else { 0 };
        if after > 0 && runs_without_new > MOST_WITHOUT_NEW {
            break;
        }
    }
    samples
}

/// How the inputs of a run are drawn.
pub struct Style {
    magnitude: u64,
    zero: u64,
}

impl Style {
    /// That of a run by its number: few and many zeros, small and large numbers.
    pub fn of_run(run: usize) -> Style {
        Style { magnitude: [2, 4, 8, 20, 100, 3, 6, 1000][run % 8], zero: [2, 3, 12, 30][run / 8 % 4] }
    }

    /// A value of so many bits.
    pub fn value(&self, draw: &mut Draw, width: u32, constants: &[i128]) -> Bits {
        if draw.below(self.zero) == 0 {
            return Bits::zero(width);
        }
        // Inputs of different sizes get past conditions that relate them.
        let magnitude = match draw.below(6) {
            0 => self.magnitude * 8,
            1 => self.magnitude.div_ceil(4),
            _ => self.magnitude,
        };
        let number = match draw.below(12) {
            0 => -(draw.below(magnitude) as i128),
            1 if !constants.is_empty() => {
                constants[draw.below(constants.len() as u64) as usize] + draw.below(3) as i128 - 1
            }
            _ => i128::from(draw.below(magnitude)) + 1,
        };
        Bits::from_i128(width, number)
    }
}

/// The blocks with guards replaced; `None` when that takes too long.
fn parts_of(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Option<FxHashMap<Option<HeadId>, Block>> {
    let mut parts: FxHashMap<Option<HeadId>, Block> = FxHashMap::default();
    let places: Vec<Option<HeadId>> = std::iter::once(None).chain(blocks.heads.ids().map(Some)).collect();
    for at in places {
        let mut block = Block::default();
        let (_, range) = blocks.part(at);
        let (mut done, allocated) = named_apart(blocks, at, range.clone());
        block.allocated = allocated;
        for position in range {
            budget.check().ok()?;
            let pool = &mut blocks.explorer.encoder.terms.pool;
            let fact = blocks.explorer.encoder.facts[position];
            match definition(pool, fact) {
                Some((symbol, meaning)) => {
                    let meaning = expanded(pool, meaning, &mut done);
                    done.insert(symbol, meaning);
                }
                None => block.conditions.push(expanded(pool, fact, &mut done)),
            }
        }
        for taken in &blocks.explorer.inputs[blocks.inputs_after(at)] {
            let symbol = taken.input.symbol;
            if let Sort::BitVec(width) = blocks.explorer.encoder.terms.pool.sort(symbol) {
                block.inputs.push((symbol, width));
            }
        }
        for arrival in blocks.arrivals.iter().filter(|arrival| arrival.from == at) {
            let (symbols, values): (Vec<TermId>, Vec<TermId>) =
                arrival.values.iter().map(|(&symbol, &value)| (symbol, value)).unzip();
            let pool = &mut blocks.explorer.encoder.terms.pool;
            let guard = expanded(pool, arrival.guard, &mut done);
            let values = values.into_iter().map(|value| expanded(pool, value, &mut done)).collect();
            block.paths.push(PathToHead { to: arrival.to, guard, symbols, values });
        }
        parts.insert(at, block);
    }
    Some(parts)
}

/// Symbols in place of the numbers that a block gives to what it allocates, wherever they occur.
fn named_apart(
    blocks: &mut Blocks<'_, '_>,
    at: Option<HeadId>,
    facts: Range<usize>,
) -> (FxHashMap<TermId, TermId>, Vec<(TermId, u32)>) {
    let mut roots: Vec<TermId> = blocks.explorer.encoder.facts[facts].to_vec();
    for arrival in blocks.arrivals.iter().filter(|arrival| arrival.from == at) {
        roots.push(arrival.guard);
        roots.extend(arrival.values.values());
    }
    let encoder = &mut blocks.explorer.encoder;
    let layout = encoder.meaning.layout;
    let constants: Vec<TermId> = Postorder::new(&encoder.terms.pool, &roots)
        .filter(|&term| matches!(encoder.terms.pool.op(term), Op::Constant(_)))
        .collect();
    let mut symbols: FxHashMap<u128, TermId> = FxHashMap::default();
    let mut named = FxHashMap::default();
    for constant in constants {
        let Some(value) = encoder.terms.constant(constant) else { continue };
        let width = encoder.terms.pool.width(constant);
        let number = match width {
            _ if width == layout.width => layout.object_of(value),
            _ if width == layout.object_bits() => value,
            _ => continue,
        };
        let is_fixed = encoder.fixed_objects.as_ref().is_some_and(|fixed| fixed.is_fixed(number));
        if is_fixed || !encoder.allocations.contains_key(&number) {
            continue;
        }
        let symbol = *symbols
            .entry(number)
            .or_insert_with(|| encoder.terms.fresh_bits("allocated", layout.object_bits()));
        let name = if width == layout.width {
            let offset = encoder.terms.number(layout.offset_bits, value & ((1 << layout.offset_bits) - 1));
            encoder.terms.join(symbol, offset)
        } else {
            symbol
        };
        named.insert(constant, name);
    }
    let mut allocated: Vec<(u128, TermId)> = symbols.into_iter().collect();
    allocated.sort_unstable();
    (named, allocated.into_iter().map(|(_, symbol)| (symbol, layout.object_bits())).collect())
}

/// A term with what is done already put in place; what is found on the path is remembered there.
fn expanded(pool: &mut TermPool, term: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
    let mut open = vec![term];
    while let Some(&next) = open.last() {
        if done.contains_key(&next) {
            open.pop();
            continue;
        }
        let before = open.len();
        open.extend(pool.arguments(next).iter().filter(|argument| !done.contains_key(argument)));
        if open.len() == before {
            open.pop();
            let arguments: Vec<TermId> = pool.arguments(next).iter().map(|argument| done[argument]).collect();
            let copy = if arguments[..] == *pool.arguments(next) {
                next
            } else {
                pool.with_arguments(next, &arguments)
            };
            done.insert(next, copy);
        }
    }
    done[&term]
}

impl Samples {
    /// The guesses that no sample at the head refutes.
    pub fn not_refuted(&self, blocks: &Blocks<'_, '_>, head: HeadId, guesses: Vec<TermId>) -> Vec<TermId> {
        let pool = &blocks.explorer.encoder.terms.pool;
        let mut standing = guesses;
        for model in &self.at[head] {
            let mut evaluator = Evaluator::new(model);
            standing.retain(|&guess| evaluator.evaluate(pool, guess) != Ok(Value::Bool(false)));
        }
        standing
    }
}
