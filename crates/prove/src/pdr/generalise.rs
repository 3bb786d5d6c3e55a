//! From one excluded state to many: the state is described by conditions that hold in it, general ones first,
//! and only those are kept without which it would not be excluded.

use super::cone::Cones;
use super::states::{Cube, Literal};
use super::{Search, Stop};
use crate::blocks::{Blocks, HeadId};
use logic::evaluate::Evaluator;
use logic::term::Op;
use logic::{Model, Sort, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::StateVariable;

/// Conditions of the program per head, at most.
const MOST_ATOMS: usize = 250;
/// Larger conditions describe nothing.
const LARGEST_ATOM: usize = 40;
/// Variables whose relations are tried.
const MOST_RELATED: usize = 6;
/// Attempts to drop a literal, per clause.
const MOST_DROPS: usize = 14;

/// The comparisons on which steps and failures after a head depend, as far as they are about variables
/// outside memory; and the values with which the head is first reached. Smaller ones first.
pub fn atoms_of(blocks: &mut Blocks<'_, '_>, cones: &mut Cones, head: HeadId) -> Vec<TermId> {
    let mut roots: Vec<TermId> =
        blocks.goals.iter().filter(|(from, _)| *from == Some(head)).map(|(_, goal)| goal.condition).collect();
    roots.extend(
        blocks.arrivals.iter().filter(|arrival| arrival.from == Some(head)).map(|arrival| arrival.guard),
    );
    let below = cones.below(&blocks.explorer.encoder, &roots);
    let own: FxHashSet<TermId> = blocks.heads[head].symbols.iter().map(|(_, symbol)| *symbol).collect();
    let mut sized: Vec<(usize, TermId)> = Vec::new();
    let mut sizes: FxHashMap<TermId, Option<usize>> = FxHashMap::default();
    let pool = &blocks.explorer.encoder.terms.pool;
    for term in below {
        let is_comparison = match pool.op(term) {
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => true,
            Op::Equal => matches!(pool.sort(pool.arguments(term)[0]), Sort::BitVec(_)),
            _ => false,
        };
        if is_comparison
            && let Some(size) = size_over(pool, term, &own, &mut sizes)
            && size <= LARGEST_ATOM
        {
            sized.push((size, term));
        }
    }
    sized.sort_unstable();
    let mut atoms: Vec<TermId> = sized.into_iter().map(|(_, term)| term).collect();
    let starts: Vec<(TermId, TermId)> = blocks
        .arrivals
        .iter()
        .filter(|arrival| arrival.to == head)
        .flat_map(|arrival| arrival.values.iter().map(|(&symbol, &value)| (symbol, value)))
        .collect();
    let mut same: Vec<TermId> = Vec::new();
    let terms = &mut blocks.explorer.encoder.terms;
    for (symbol, value) in starts {
        if terms.constant(value).is_some() {
            same.push(terms.equal(symbol, value));
        }
    }
    same.sort_unstable();
    atoms.extend(same);
    let mut seen = FxHashSet::default();
    atoms.retain(|&atom| terms.truth(atom).is_none() && seen.insert(atom));
    atoms.truncate(MOST_ATOMS);
    atoms
}

/// How many terms stand below a term, if all its symbols are own ones and it is about words only.
fn size_over(
    pool: &logic::TermPool,
    term: TermId,
    own: &FxHashSet<TermId>,
    sizes: &mut FxHashMap<TermId, Option<usize>>,
) -> Option<usize> {
    for below in logic::term::Postorder::new(pool, &[term]) {
        if sizes.contains_key(&below) {
            continue;
        }
        let is_word = matches!(pool.sort(below), Sort::BitVec(_) | Sort::Bool);
        let size = match pool.op(below) {
            _ if !is_word => None,
            Op::Symbol(_) => (own.contains(&below) && pool.sort(below) != Sort::Bool).then_some(1),
            Op::Apply(_) | Op::Select => None,
            _ => pool
                .arguments(below)
                .iter()
                .try_fold(1usize, |sum, argument| Some(sum.saturating_add((*sizes.get(argument)?)?))),
        };
        sizes.insert(below, size);
    }
    sizes[&term]
}

impl Search<'_, '_, '_> {
    /// A cube around the needed literals of a cube that is not reached at the level either; smaller is wider.
    pub(super) fn generalise(
        &mut self,
        head: HeadId,
        cube: &Cube,
        needed: &[usize],
        level: u32,
    ) -> Result<Vec<TermId>, Stop> {
        // What is needed for a narrow cube is enough for a wider one: fewer states are supposed there before.
        let literals: Vec<Literal> = needed.iter().map(|&at| cube.literals[at].clone()).collect();
        let exact: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let general = self.conditions_in(head, &literals);
        let related = self.relations_in(head, &literals);
        let bounds = self.bounds_in(head, &literals);
        // The most special ones stand first: they are the first to be dropped.
        for described in [
            general.clone(),
            [related.clone(), general.clone()].concat(),
            [bounds, related, general].concat(),
        ] {
            let mut described = described;
            let mut seen = FxHashSet::default();
            described.retain(|literal| seen.insert(*literal));
            if described.is_empty() {
                continue;
            }
            if let Ok(needed) = self.first_arrival(head, &described, level)? {
                let described = needed.iter().map(|&at| described[at]).collect();
                return self.without_needless(head, described, level);
            }
        }
        self.without_needless(head, exact, level)
    }

    /// Drops literals that are not needed, first ones first.
    fn without_needless(
        &mut self,
        head: HeadId,
        mut literals: Vec<TermId>,
        level: u32,
    ) -> Result<Vec<TermId>, Stop> {
        let mut at = 0;
        let mut tried = 0;
        while at < literals.len() && tried < MOST_DROPS {
            tried += 1;
            let mut fewer = literals.clone();
            fewer.remove(at);
            match self.first_arrival(head, &fewer, level)? {
                Ok(needed) => {
                    let before = at;
                    at = needed.iter().take_while(|&&position| position < before).count();
                    literals = needed.iter().map(|&at| fewer[at]).collect();
                }
                Err(_) => at += 1,
            }
        }
        Ok(literals)
    }

    /// The program's own conditions about these variables only, as they are in the state.
    fn conditions_in(&mut self, head: HeadId, literals: &[Literal]) -> Vec<TermId> {
        let mut model = Model::new();
        for literal in literals {
            model.set(literal.subject, Value::Bits(literal.value.clone()));
        }
        let subjects: FxHashSet<TermId> = literals.iter().map(|literal| literal.subject).collect();
        let mut evaluator = Evaluator::new(&model);
        let mut found = Vec::new();
        for &atom in &self.atoms[head] {
            let terms = &mut self.blocks.explorer.encoder.terms;
            let symbols = logic::term::symbols_in(&terms.pool, &[atom]);
            if symbols.iter().any(|symbol| !subjects.contains(symbol)) {
                continue;
            }
            match evaluator.evaluate(&terms.pool, atom) {
                Ok(Value::Bool(true)) => found.push(atom),
                Ok(Value::Bool(false)) => found.push(terms.not(atom)),
                _ => {}
            }
        }
        found
    }

    /// Which of two variables is the larger, by how much, and the low bits.
    fn relations_in(&mut self, head: HeadId, literals: &[Literal]) -> Vec<TermId> {
        let mut found = Vec::new();
        for (at, one) in literals.iter().enumerate().take(MOST_RELATED) {
            let signed = self.is_signed(head, one.subject);
            for two in literals.iter().take(MOST_RELATED).skip(at + 1) {
                if one.value.width() != two.value.width() || one.value.width() == 1 {
                    continue;
                }
                let signed = signed && self.is_signed(head, two.subject);
                let terms = &mut self.blocks.explorer.encoder.terms;
                let difference = terms.sub(one.subject, two.subject);
                let by = terms.pool.constant(one.value.sub(&two.value));
                found.push(terms.equal(difference, by));
                let sum = terms.add(one.subject, two.subject);
                let all = terms.pool.constant(one.value.add(&two.value));
                found.push(terms.equal(sum, all));
                let order = if signed {
                    one.value.signed_cmp(&two.value)
                } else {
                    one.value.unsigned_cmp(&two.value)
                };
                let mut below = |a: TermId, b: TermId| {
                    let below = if signed { terms.pool.slt(a, b) } else { terms.pool.ult(a, b) };
                    terms.simple(below)
                };
                let (less, more) = (below(one.subject, two.subject), below(two.subject, one.subject));
                match order {
                    std::cmp::Ordering::Less => found.push(less),
                    std::cmp::Ordering::Greater => found.push(more),
                    std::cmp::Ordering::Equal => {}
                }
                if order != std::cmp::Ordering::Less {
                    found.push(terms.not(less));
                }
                if order != std::cmp::Ordering::Greater {
                    found.push(terms.not(more));
                }
                if order != std::cmp::Ordering::Equal {
                    let same = terms.equal(one.subject, two.subject);
                    found.push(terms.not(same));
                }
            }
        }
        for literal in literals {
            for bits in [2, 1] {
                if literal.value.width() > bits {
                    let terms = &mut self.blocks.explorer.encoder.terms;
                    let low = terms.cut(literal.subject, bits - 1, 0);
                    let value = terms.pool.constant(literal.value.extract(bits - 1, 0));
                    found.push(terms.equal(low, value));
                }
            }
        }
        found
    }

    /// The variables' own values as bounds; a single bit is what it is.
    fn bounds_in(&mut self, head: HeadId, literals: &[Literal]) -> Vec<TermId> {
        let mut found = Vec::new();
        for literal in literals {
            let signed = self.is_signed(head, literal.subject);
            let terms = &mut self.blocks.explorer.encoder.terms;
            if literal.value.width() == 1 {
                found.push(literal.term);
                continue;
            }
            let value = terms.pool.constant(literal.value.clone());
            let mut at_most = |a: TermId, b: TermId| {
                let term = if signed { terms.pool.sle(a, b) } else { terms.pool.ule(a, b) };
                terms.simple(term)
            };
            found.extend([at_most(literal.subject, value), at_most(value, literal.subject)]);
        }
        found.retain(|&literal| self.blocks.explorer.encoder.terms.truth(literal).is_none());
        found
    }

    fn is_signed(&self, head: HeadId, subject: TermId) -> bool {
        let part = self.blocks.heads[head].symbols.iter().find(|(_, symbol)| *symbol == subject);
        let Some((StateVariable::Global(id) | StateVariable::Local(_, id), _)) = part else { return true };
        let program = self.blocks.program;
        program.types.integer_shape(program.variables[*id].ty.id).is_none_or(|shape| shape.signed)
    }
}
