//! The graph of ways between heads of loops, with what may still happen on each when all measures so far stay as they are.

use super::features::{Feature, sum_of};
use super::search::Measure;
use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::code::gave_up;
use base::{Budget, Id, IndexVec};
use logic::{Answer, TermId};
use verdict::{Reason, Undecided};

/// What may still happen.
pub(super) struct Ways {
    /// Is the way possible?
    pub open: IndexVec<ArrivalId, bool>,
    /// Conditions over the state before: no measure so far changes.
    pub held: IndexVec<ArrivalId, Vec<TermId>>,
}

impl Ways {
    /// All ways that are possible at all.
    pub(super) fn of(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Result<Ways, Undecided> {
        let count = blocks.arrivals.len();
        let mut ways =
            Ways { open: IndexVec::filled(true, count), held: IndexVec::filled(Vec::new(), count) };
        for way in blocks.arrivals.ids().collect::<Vec<_>>() {
            // From the start there is no way back.
            if blocks.arrivals[way].from.is_none() {
                ways.open[way] = false;
                continue;
            }
            ways.look_at(blocks, way, budget).map_err(|why| gave_up("ways between loops", why, budget))?;
        }
        Ok(ways)
    }

    fn look_at(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        way: ArrivalId,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let question = self.taken(blocks, way);
        let from = blocks.arrivals[way].from;
        match blocks.ask(from, &question, budget) {
            Answer::Unsat => self.open[way] = false,
            Answer::Sat => {}
            // It counts as possible.
            Answer::Unknown(_) => budget.check()?,
        }
        Ok(())
    }

    /// What holds when the way is taken.
    pub(super) fn taken(&self, blocks: &Blocks<'_, '_>, way: ArrivalId) -> Vec<TermId> {
        let arrival = &blocks.arrivals[way];
        let mut all = vec![arrival.guard, blocks.active(arrival.from)];
        all.extend(&self.held[way]);
        all
    }

    /// The open ways between some heads.
    pub(super) fn inside(&self, blocks: &Blocks<'_, '_>, part: &[HeadId]) -> Vec<ArrivalId> {
        let is_inside = |head: &HeadId| part.contains(head);
        blocks
            .arrivals
            .iter_enumerated()
            .filter(|(id, way)| {
                self.open[*id] && way.from.as_ref().is_some_and(is_inside) && is_inside(&way.to)
            })
            .map(|(id, _)| id)
            .collect()
    }

    /// Heads that lead to each other: the smallest such part, or none.
    pub(super) fn next_cyclic_part(&self, blocks: &Blocks<'_, '_>) -> Option<Vec<HeadId>> {
        let heads: Vec<HeadId> = blocks.heads.ids().collect();
        let mut next: IndexVec<HeadId, Vec<HeadId>> = IndexVec::filled(Vec::new(), heads.len());
        for (id, way) in blocks.arrivals.iter_enumerated() {
            if let (true, Some(from)) = (self.open[id], way.from) {
                next[from].push(way.to);
            }
        }
        let mut search = base::graph::Search::new(heads.len());
        let parts = search.run(heads, |head| next[head].iter().copied());
        let is_cyclic = |part: &[HeadId]| part.len() > 1 || next[part[0]].contains(&part[0]);
        let mut cyclic: Vec<Vec<HeadId>> =
            parts.iter().filter(|part| is_cyclic(part)).map(|part| part.to_vec()).collect();
        cyclic.iter_mut().for_each(|part| part.sort_unstable());
        cyclic.into_iter().min_by_key(|part| (part.len(), part[0].index()))
    }

    /// A measure does not rise on the ways inside: from now on it stays as it is on them.
    pub(super) fn hold(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        part: &[HeadId],
        measure: &Measure,
        budget: &Budget,
    ) -> Result<(), Undecided> {
        for way in self.inside(blocks, part) {
            let change = change_of(blocks, way, measure);
            let terms = &mut blocks.explorer.encoder.terms;
            let width = terms.pool.width(change);
            let zero = terms.number(width, 0);
            let stays = terms.equal(change, zero);
            self.held[way].push(stays);
            self.look_at(blocks, way, budget).map_err(|why| gave_up("ranking", why, budget))?;
        }
        Ok(())
    }

    /// A way round that is not excluded, in words.
    pub(super) fn example(&self, blocks: &mut Blocks<'_, '_>, part: &[HeadId]) -> Option<String> {
        let way = *self.inside(blocks, part).first()?;
        let question = self.taken(blocks, way);
        let (from, to) = (blocks.arrivals[way].from?, blocks.arrivals[way].to);
        let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(1));
        if blocks.ask(Some(from), &question, &budget) != Answer::Sat {
            return None;
        }
        let subjects = super::features::numbers_at(blocks, from);
        let names: Vec<(String, bool)> =
            subjects.iter().map(|subject| (subject.name.clone(), subject.signed)).collect();
        let mut terms: Vec<TermId> = subjects.iter().map(|subject| subject.term).collect();
        let values = blocks.checkers.values(&mut blocks.explorer.encoder, &terms)?;
        terms.clear();
        let shown: Vec<String> = names
            .iter()
            .zip(&values)
            .take(8)
            .filter_map(|((name, signed), value)| {
                Some(format!("{name} = {}", super::features::number_of(value, *signed)?))
            })
            .collect();
        let program = blocks.program;
        let at = |head: HeadId| program.sources.location(blocks.heads[head].span).map(|at| at.to_string());
        Some(format!(
            "a way that no measure excludes: from {} to {}, with {}",
            at(from)?,
            at(to)?,
            if shown.is_empty() { "any values".to_owned() } else { shown.join(", ") }
        ))
    }
}

/// The value of a measure before a way, less that after it, in a width in which nothing wraps.
pub(super) fn change_of(blocks: &mut Blocks<'_, '_>, way: ArrivalId, measure: &Measure) -> TermId {
    let (from, to) = (blocks.arrivals[way].from, blocks.arrivals[way].to);
    let from = from.expect("ways that count come from a head");
    let parts: Vec<(i64, &Feature)> =
        measure.parts.iter().map(|(factor, feature)| (*factor, feature)).collect();
    let before: Vec<Option<(TermId, bool)>> =
        parts.iter().map(|(_, feature)| feature.value_at(from)).collect();
    let after: Vec<Option<(TermId, bool)>> = parts.iter().map(|(_, feature)| feature.value_at(to)).collect();
    let after: Vec<Option<(TermId, bool)>> = after
        .into_iter()
        .map(|value| value.map(|(term, signed)| (blocks.after(way, term), signed)))
        .collect();
    let factors: Vec<i64> = parts.iter().map(|(factor, _)| *factor).collect();
    sum_of(&mut blocks.explorer.encoder.terms, measure.width, &factors, &before, &after)
}
