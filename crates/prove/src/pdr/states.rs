//! States out of models: what a state must be so that a step leads where it led, and no more (lifting, after
//! Chockler, Ivrii, Matsliah, Moran, Nevo 2011).

use super::{Search, Stop, stopped};
use crate::blocks::HeadId;
use logic::term::Op;
use logic::{Answer, Bits, Sort, TermId, Value};
use rustc_hash::FxHashSet;
use verdict::NoModel;

/// A part of a state with its value.
#[derive(Clone, Debug)]
pub struct Literal {
    /// A symbol of the head, or a cell of its memory at a constant address.
    pub subject: TermId,
    /// Its value.
    pub value: Bits,
    /// That it has it.
    pub term: TermId,
}

/// The states in which some parts have some values.
#[derive(Clone, Debug)]
pub struct Cube {
    /// The parts.
    pub literals: Vec<Literal>,
}

impl Cube {
    /// Its conditions.
    pub fn terms(&self) -> Vec<TermId> {
        self.literals.iter().map(|literal| literal.term).collect()
    }
}

impl Search<'_, '_, '_> {
    /// The states at a head from which, with the inputs of the last model, all roots hold as they did in it.
    pub(super) fn state_before(&mut self, head: HeadId, roots: &[TermId]) -> Result<Cube, Stop> {
        let below = self.cones.below(&self.blocks.explorer.encoder, roots);
        let own: FxHashSet<TermId> =
            self.blocks.heads[head].symbols.iter().map(|(_, symbol)| *symbol).collect();
        let pool = &self.blocks.explorer.encoder.terms.pool;
        let mut subjects: Vec<TermId> = Vec::new();
        let mut inputs: Vec<TermId> = Vec::new();
        let mut reads: Vec<(TermId, TermId)> = Vec::new();
        for &term in &below {
            match pool.op(term) {
                Op::Symbol(_) => match pool.sort(term) {
                    Sort::BitVec(_) if own.contains(&term) => subjects.push(term),
                    Sort::BitVec(_) | Sort::Bool => inputs.push(term),
                    _ => {}
                },
                Op::Select => {
                    let (array, index) = (pool.arguments(term)[0], pool.arguments(term)[1]);
                    reads.extend(self.bases_of(array, &own).into_iter().map(|base| (base, index)));
                }
                _ => {}
            }
        }
        self.add_cells(&mut subjects, &reads)?;
        subjects.sort_unstable();
        subjects.dedup();
        inputs.sort_unstable();
        let mut wanted = subjects.clone();
        wanted.extend(&inputs);
        let values = self.values(&wanted)?;
        let mut literals = Vec::new();
        let mut fixed = Vec::new();
        for (&term, value) in wanted.iter().zip(values) {
            let terms = &mut self.blocks.explorer.encoder.terms;
            let condition = match &value {
                Value::Bits(bits) => {
                    let constant = terms.pool.constant(bits.clone());
                    terms.pool.equal(term, constant)
                }
                Value::Bool(true) => term,
                Value::Bool(false) => terms.pool.not(term),
                _ => continue,
            };
            match value {
                Value::Bits(value) if literals.len() < subjects.len() => {
                    literals.push(Literal { subject: term, value, term: condition });
                }
                _ => fixed.push(condition),
            }
        }
        self.lift(head, literals, fixed, roots)
    }

    /// Drops the parts of a state that do not matter.
    fn lift(
        &mut self,
        head: HeadId,
        mut literals: Vec<Literal>,
        fixed: Vec<TermId>,
        roots: &[TermId],
    ) -> Result<Cube, Stop> {
        let terms = &mut self.blocks.explorer.encoder.terms;
        let all = terms.pool.all_of(roots);
        let other = terms.not(all);
        if terms.truth(other) == Some(false) {
            return Ok(Cube { literals: Vec::new() });
        }
        let mut assumptions: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        assumptions.extend(fixed);
        assumptions.push(other);
        match self.queries.ask(self.blocks, Some(head), &assumptions, &self.budget) {
            Answer::Unsat => {
                let core: FxHashSet<TermId> = self.queries.core().iter().copied().collect();
                literals.retain(|literal| core.contains(&literal.term));
            }
            // Something that has no value here matters (contents of memory, say): the state is taken as it
            // is.
            Answer::Sat => {}
            Answer::Unknown(reason) => return Err(stopped(reason)),
        }
        Ok(Cube { literals })
    }

    pub(super) fn values(&mut self, terms: &[TermId]) -> Result<Vec<Value>, Stop> {
        let values = self.queries.values(self.blocks, terms);
        values.ok_or(Stop::Because(NoModel::Missing.into()))
    }

    /// Arrays of the state that an array is made from.
    fn bases_of(&self, array: TermId, own: &FxHashSet<TermId>) -> Vec<TermId> {
        let pool = &self.blocks.explorer.encoder.terms.pool;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![array];
        while let Some(array) = open.pop() {
            if !seen.insert(array) {
                continue;
            }
            match pool.op(array) {
                Op::Symbol(_) if own.contains(&array) => found.push(array),
                Op::Store => open.push(pool.arguments(array)[0]),
                Op::Ite => open.extend_from_slice(&pool.arguments(array)[1..]),
                _ => {}
            }
        }
        found
    }

    /// The cells that were read, at the addresses they had.
    fn add_cells(&mut self, subjects: &mut Vec<TermId>, reads: &[(TermId, TermId)]) -> Result<(), Stop> {
        if reads.is_empty() {
            return Ok(());
        }
        let indices: Vec<TermId> = reads.iter().map(|(_, index)| *index).collect();
        let at = self.values(&indices)?;
        let mut known: FxHashSet<(TermId, Bits)> = FxHashSet::default();
        for ((base, _), at) in reads.iter().zip(at) {
            let Value::Bits(at) = at else { continue };
            if known.insert((*base, at.clone())) {
                let pool = &mut self.blocks.explorer.encoder.terms.pool;
                let index = pool.constant(at);
                let cell = pool.select(*base, index);
                if matches!(pool.sort(cell), Sort::BitVec(_)) {
                    subjects.push(cell);
                }
            }
        }
        Ok(())
    }
}
