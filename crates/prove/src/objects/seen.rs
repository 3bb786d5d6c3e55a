//! The heaps of real runs at heads. What they refute is not asked about: of hundreds of guesses, all but a few dozen. What they have in common is
//! guessed: which of its constants a number has in the block that a pointer leads to, and in the block after one that has some other.
//!
//! Nothing rests on it: what stands is shown by a solver.

use super::guess::{Guess, Guesser};
use super::sites::{Field, Scene, Site};
use crate::blocks::Blocks;
use crate::elements::ForAll;
use base::Id;
use logic::evaluate::Evaluator;
use logic::{Bits, Model, TermId, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use symbolic::layout::{ObjectNumber, PointerLayout};

/// Heaps at one head, and blocks of one heap, that are looked at: those of short runs and of long ones.
const MOST_HEAPS: usize = 80;
const MOST_BLOCKS: usize = 12;
/// Heaps from which it shows that a pointer leads nowhere.
const ENOUGH: usize = 10;
/// A number with more values in blocks says nothing.
const MOST_VALUES: usize = 6;

/// Which of the guesses that no heap refutes are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those that say most.
    Strongest,
    /// All: what says more may be true of the heaps that were seen only.
    All,
}

/// A heap, and where its blocks start; null is among them.
struct Heap<'s> {
    model: &'s Model,
    addresses: Vec<Bits>,
}

/// The heaps that runs have at a head.
pub(super) struct Heaps<'s> {
    all: Vec<Heap<'s>>,
}

impl<'s> Heaps<'s> {
    /// Those of the samples at a head.
    pub fn at(samples: &'s [Model], extents: TermId, layout: PointerLayout) -> Heaps<'s> {
        let some = samples.iter().step_by(samples.len().div_ceil(MOST_HEAPS).max(1));
        Heaps {
            all: some.map(|model| Heap { model, addresses: addresses(model, extents, layout) }).collect(),
        }
    }

    /// Marks pointers that lead to no block.
    pub fn mark_idle(&self, blocks: &mut Blocks<'_, '_>, scene: &mut Scene) {
        if self.all.len() < ENOUGH {
            return;
        }
        let terms = &mut blocks.explorer.encoder.terms;
        for at in 0..scene.pointers.len() {
            let leads = scene.is_any_block(terms, scene.pointers[at].term);
            let is_busy = self.all.iter().any(|heap| heap.model.satisfies(&terms.pool, leads));
            scene.pointers[at].is_idle = !is_busy;
        }
    }

    /// The guesses that none refutes. With [`Which::Strongest`], those are left out that another one implies.
    pub fn not_refuted(&self, pool: &TermPool, guesses: Vec<Guess>, which: Which) -> Vec<ForAll> {
        let implied_by: FxHashMap<TermId, TermId> =
            guesses.iter().filter_map(|guess| Some((guess.condition.body, guess.implied_by?))).collect();
        let mut standing: Vec<ForAll> = guesses.into_iter().map(|guess| guess.condition).collect();
        for heap in &self.all {
            for address in &heap.addresses {
                let mut model = heap.model.clone();
                if let Some(guess) = standing.first() {
                    model.set(guess.index, Value::Bits(address.clone()));
                }
                let mut evaluator = Evaluator::new(&model);
                standing.retain(|guess| evaluator.evaluate(pool, guess.body) != Ok(Value::Bool(false)));
            }
        }
        if which == Which::Strongest && self.all.len() >= ENOUGH {
            let bodies: FxHashSet<TermId> = standing.iter().map(|guess| guess.body).collect();
            standing.retain(|guess| {
                implied_by.get(&guess.body).is_none_or(|stronger| !bodies.contains(stronger))
            });
        }
        standing
    }

    /// The values of a term in all heaps, for every block as the one at any address, where a condition holds; `None` if there are many.
    fn values(
        &self,
        pool: &TermPool,
        any: TermId,
        when: TermId,
        terms: [TermId; 2],
    ) -> Option<BTreeSet<[u128; 2]>> {
        let mut found = BTreeSet::new();
        for heap in &self.all {
            for address in &heap.addresses {
                let mut model = heap.model.clone();
                model.set(any, Value::Bits(address.clone()));
                let mut evaluator = Evaluator::new(&model);
                if evaluator.evaluate(pool, when) != Ok(Value::Bool(true)) {
                    continue;
                }
                let mut number = |term| evaluator.evaluate(pool, term).ok()?.as_bits()?.to_u128();
                if let (Some(one), Some(two)) = (number(terms[0]), number(terms[1])) {
                    found.insert([one, two]);
                }
                if found.len() > MOST_VALUES * MOST_VALUES {
                    return None;
                }
            }
        }
        Some(found)
    }
}

/// Where the blocks of a heap start, and null.
fn addresses(heap: &Model, extents: TermId, layout: PointerLayout) -> Vec<Bits> {
    let at = |number: usize| {
        let address = if number == 0 { 0 } else { layout.address(ObjectNumber::from_index(number)) };
        Bits::from_i128(layout.width, address as i128)
    };
    let mut found = vec![at(0)];
    if let Some(Value::Array(living)) = heap.get(extents) {
        let numbers: Vec<usize> = living
            .exceptions()
            .filter_map(|(number, _)| usize::try_from(number.as_bits()?.to_u64()?).ok())
            .collect();
        found.extend(numbers.iter().rev().take(MOST_BLOCKS).map(|&number| at(number)));
    }
    found
}

/// Do all blocks that a link may lead to have the number?
fn leads_to_number(sites: &[Site], link: &Field, number: &Field) -> bool {
    let has = |site: &Site| {
        site.fields.iter().any(|field| (field.region, field.offset) == (number.region, number.offset))
    };
    let targets = |site: &&Site| link.targets.contains(&site.object);
    sites.iter().any(|site| targets(&site)) && sites.iter().filter(targets).all(has)
}

impl Guesser<'_> {
    /// What numbers that are given few constants are in the blocks that pointers lead to, and in blocks after others.
    pub fn about_values(&mut self, heaps: &Heaps<'_>) {
        for site in self.sites {
            for number in site.fields.iter().filter(|field| field.targets.is_empty() && field.bits <= 64) {
                let constants = self.scene.constants_of(number);
                if (2..=MOST_VALUES).contains(&constants.len()) {
                    self.about_values_of(heaps, site, number);
                }
            }
        }
    }

    fn about_values_of(&mut self, heaps: &Heaps<'_>, site: &Site, number: &Field) {
        let (any, sites) = (self.any, self.sites);
        let lives = self.scene.is_block(self.terms, site, any);
        let Some(here) = self.scene.field(self.terms, number, any) else { return };
        let pointers: Vec<TermId> = self
            .scene
            .pointers
            .iter()
            .filter(|pointer| !pointer.is_idle && pointer.targets.contains(&site.object))
            .map(|pointer| pointer.term)
            .collect();
        for &pointer in &pointers {
            let (leads, Some(there)) = (
                self.scene.is_block(self.terms, site, pointer),
                self.scene.field(self.terms, number, pointer),
            ) else {
                continue;
            };
            let Some(seen) = heaps.values(&self.terms.pool, any, leads, [there, there]) else { continue };
            let elsewhere = self.terms.not(leads);
            self.is_one_of(&[elsewhere], there, number.bits, seen.iter().map(|[value, _]| *value));
        }
        let mut excepted: Vec<Option<TermId>> = vec![None];
        excepted.extend(pointers.into_iter().map(Some));
        for exception in excepted {
            // A block that is being made has not all its numbers yet, and so has the one before it.
            let mut when = lives;
            let mut unless = vec![self.terms.not(lives)];
            if let Some(pointer) = exception {
                let is_it = self.terms.equal(any, pointer);
                let other = self.terms.not(is_it);
                when = self.terms.and(when, other);
                unless.push(is_it);
            }
            if let Some(seen) = heaps.values(&self.terms.pool, any, when, [here, here]) {
                self.is_one_of(&unless, here, number.bits, seen.iter().map(|[value, _]| *value));
            }
            for link in site.fields.iter().filter(|link| leads_to_number(sites, link, number)) {
                let Some(next) = self.scene.field(self.terms, link, any) else { continue };
                let leads = self.scene.leads_to(self.terms, self.sites, &link.targets, next);
                let Some(leads) = leads else { continue };
                let Some(there) = self.scene.field(self.terms, number, next) else { continue };
                let mut unless = unless.clone();
                let mut when = self.terms.and(when, leads);
                if let Some(pointer) = exception {
                    let is_next = self.terms.equal(next, pointer);
                    let is_other = self.terms.not(is_next);
                    when = self.terms.and(when, is_other);
                    unless.push(is_next);
                }
                let Some(seen) = heaps.values(&self.terms.pool, any, when, [here, there]) else { continue };
                let firsts: BTreeSet<u128> = seen.iter().map(|[first, _]| *first).collect();
                for first in firsts {
                    let constant = self.terms.number(number.bits, first);
                    let is_first = self.terms.equal(here, constant);
                    let mut unless = unless.clone();
                    unless.push(self.terms.not(is_first));
                    unless.push(self.terms.not(leads));
                    let after = seen.iter().filter(|[own, _]| *own == first).map(|[_, then]| *then);
                    self.is_one_of(&unless, there, number.bits, after);
                }
            }
        }
    }

    fn is_one_of(&mut self, unless: &[TermId], term: TermId, bits: u32, values: impl Iterator<Item = u128>) {
        let mut parts = unless.to_vec();
        let values: BTreeSet<u128> = values.collect();
        if values.is_empty() || values.len() > MOST_VALUES {
            return;
        }
        for value in values {
            let value = self.terms.number(bits, value);
            parts.push(self.terms.equal(term, value));
        }
        self.or_guess(&parts);
    }
}
