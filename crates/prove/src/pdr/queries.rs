//! Questions about one step under the clauses of a frame. Clauses of a level hang on a literal of their own,
//! so that one solver serves all frames; a solver that has been asked too much is replaced.

use super::{Lemma, Search, Stop, stopped};
use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::checker::Checkers;
use base::Budget;
use logic::{Answer, Sort, TermId};
use rustc_hash::FxHashMap;

/// After so many questions a solver is replaced.
const WORN: u64 = 6000;

/// The solver and the literals of the levels.
pub struct Queries {
    checkers: Checkers<Option<HeadId>>,
    levels: FxHashMap<(HeadId, u32), TermId>,
    highest: u32,
    asked_before: u64,
}

impl Queries {
    /// Knows what is known at the heads.
    pub fn new(blocks: &mut Blocks<'_, '_>) -> Queries {
        let mut queries = Queries {
            checkers: Checkers::default(),
            levels: FxHashMap::default(),
            highest: 0,
            asked_before: 0,
        };
        queries.assert_known(blocks);
        queries
    }

    fn assert_known(&mut self, blocks: &mut Blocks<'_, '_>) {
        for head in blocks.heads.ids() {
            for condition in blocks.heads[head].known.clone() {
                let implied = blocks.under(head, condition);
                let part = blocks.part(Some(head));
                self.checkers.learn(&mut blocks.explorer.encoder, part, implied);
            }
        }
        for (from, fact) in blocks.known_of_calls.clone() {
            let part = blocks.part(from);
            self.checkers.learn(&mut blocks.explorer.encoder, part, fact);
        }
    }

    /// Questions asked.
    pub fn asked(&self) -> u64 {
        self.asked_before + self.checkers.queries()
    }

    /// What to assume for a state at a head in a frame.
    pub fn frame(&self, blocks: &Blocks<'_, '_>, head: HeadId, level: u32) -> Vec<TermId> {
        let mut assumptions = vec![blocks.heads[head].active];
        let levels = level..=self.highest;
        assumptions.extend(levels.filter_map(|level| self.levels.get(&(head, level))));
        assumptions
    }

    /// Can all of these hold, of what happens after a head or after the start?
    pub fn ask(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        from: Option<HeadId>,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Answer {
        let part = blocks.part(from);
        self.checkers.ask(&mut blocks.explorer.encoder, part, assumptions, budget)
    }

    /// The assumptions to blame that the last question could not hold.
    pub fn core(&self) -> &[TermId] {
        self.checkers.core()
    }

    /// Values in the model of the last question.
    pub fn values(&mut self, blocks: &mut Blocks<'_, '_>, terms: &[TermId]) -> Option<Vec<logic::Value>> {
        self.checkers.values(&mut blocks.explorer.encoder, terms)
    }

    /// No state of the cube is at the head up to the level.
    pub fn assert_lemma(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        head: HeadId,
        literals: &[TermId],
        level: u32,
    ) {
        let terms = &mut blocks.explorer.encoder.terms;
        self.highest = self.highest.max(level);
        let active = *self.levels.entry((head, level)).or_insert_with(|| terms.fresh("level", Sort::Bool));
        let mut clause = vec![terms.pool.not(active)];
        clause.extend(literals.iter().map(|&literal| terms.pool.not(literal)));
        let clause = terms.pool.any_of(&clause);
        let part = blocks.part(Some(head));
        self.checkers.learn(&mut blocks.explorer.encoder, part, clause);
    }

    /// Takes a new solver when this one has been asked too much.
    pub fn renew_if_worn(&mut self, blocks: &mut Blocks<'_, '_>, lemmas: &[Lemma]) {
        if self.checkers.queries() < WORN {
            return;
        }
        self.asked_before += self.checkers.queries();
        self.checkers = Checkers::default();
        self.assert_known(blocks);
        for lemma in lemmas {
            self.assert_lemma(blocks, lemma.head, &lemma.literals, lemma.level);
        }
    }
}

/// The literals needed so that a cube is not reached; or how it is reached.
pub type FirstArrival = Result<Vec<usize>, ArrivalId>;

impl Search<'_, '_, '_> {
    /// Can a state of the cube be at the head after at most so many steps, if none was there before?
    pub(super) fn first_arrival(
        &mut self,
        head: HeadId,
        literals: &[TermId],
        level: u32,
    ) -> Result<FirstArrival, Stop> {
        let mut is_needed = vec![false; literals.len()];
        let mut outside: Option<TermId> = None;
        for arrival in self.blocks.arrivals.ids() {
            let (from, to, guard) = {
                let arrival = &self.blocks.arrivals[arrival];
                (arrival.from, arrival.to, arrival.guard)
            };
            if to != head || (from.is_some() && level == 0) {
                continue;
            }
            let mut assumptions = vec![guard, self.blocks.active(from)];
            if let Some(from) = from {
                assumptions.extend(self.queries.frame(self.blocks, from, level - 1));
                if from == head {
                    let terms = &mut self.blocks.explorer.encoder.terms;
                    assumptions.push(*outside.get_or_insert_with(|| {
                        let all = terms.pool.all_of(literals);
                        terms.not(all)
                    }));
                }
            }
            let after = self.blocks.after_all(arrival, literals);
            let terms = &self.blocks.explorer.encoder.terms;
            if let Some(never) = after.iter().position(|&literal| terms.truth(literal) == Some(false)) {
                // One that is needed already would do as well.
                let known = after
                    .iter()
                    .enumerate()
                    .any(|(at, &literal)| is_needed[at] && terms.truth(literal) == Some(false));
                is_needed[never] |= !known;
                continue;
            }
            if assumptions.iter().any(|&assumption| terms.truth(assumption) == Some(false)) {
                continue;
            }
            assumptions.extend(&after);
            match self.queries.ask(self.blocks, from, &assumptions, &self.budget) {
                Answer::Unsat => {
                    let core = self.queries.core();
                    for (at, literal) in after.iter().enumerate() {
                        let first = after.iter().position(|other| other == literal) == Some(at);
                        is_needed[at] |= first && core.contains(literal);
                    }
                }
                Answer::Sat => return Ok(Err(arrival)),
                Answer::Unknown(reason) => {
                    return Err(stopped(reason));
                }
            }
        }
        Ok(Ok((0..literals.len()).filter(|&at| is_needed[at]).collect()))
    }
}
