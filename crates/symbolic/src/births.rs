//! When allocated blocks were made: ghost state, which no step of the program reads. Of each origin (the step that allocates
//! and the calls that lead to it) the blocks are counted; a block knows its number, and a number its block. So an invariant
//! can say of a list that it is linked in the order in which its nodes were made, hence that it has no cycle, that different
//! nodes have different numbers, and which of them still live.
//!
//! A count has 64 bits: no run allocates so often.

use crate::memory::Cells;
use crate::state::State;
use crate::step::Encoder;
use crate::terms::Terms;
use logic::{Sort, TermId};
use program::{Known, PointsTo, Program};
use std::rc::Rc;

/// Bits of a count.
const COUNT: u32 = 64;
/// Bits of an origin.
const ORIGIN: u32 = 32;

/// Can a run allocate blocks that it should free?
pub fn allocates(program: &Program, points_to: &PointsTo) -> bool {
    base::graph::reachable(program.main, |id| points_to.callees(program, id)).into_iter().any(|id| {
        let known = program.procedures[id].known;
        matches!(known, Some(Known::Malloc | Known::Calloc | Known::Realloc | Known::AlignedAlloc))
    })
}

/// When blocks were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Births {
    /// By object number: how many blocks of its origin had been made before it.
    pub of: Rc<Cells>,
    /// By origin (above) and count: the object number.
    pub who: Rc<Cells>,
    /// By origin: how many blocks were made.
    pub next: Rc<Cells>,
}

impl Births {
    /// What is `self` if the condition holds, and else `other`.
    pub(crate) fn merged(&self, terms: &mut Terms, condition: TermId, other: &Births) -> Births {
        let mut merge = |one: &Rc<Cells>, two: &Rc<Cells>| {
            if one == two { one.clone() } else { Rc::new(one.merged(terms, condition, two)) }
        };
        let (of, who) = (merge(&self.of, &other.of), merge(&self.who, &other.who));
        Births { of, who, next: merge(&self.next, &other.next) }
    }
}

impl Encoder<'_> {
    /// The sorts of [`Births`], in the order of its parts, with the bits of the indices.
    fn sorts_of_births(&mut self) -> [(u32, Sort); 3] {
        let object = self.meaning.layout.object_bits();
        let mut sort =
            |index, element| (index, self.terms.pool.array_sort(Sort::BitVec(index), Sort::BitVec(element)));
        [sort(object, COUNT), sort(ORIGIN + COUNT, object), sort(ORIGIN, COUNT)]
    }

    /// Before anything was allocated.
    pub(crate) fn no_births(&mut self) -> Option<Births> {
        let mut births = self.any_births("start:")?;
        let zero = self.terms.number(COUNT, 0);
        let none = self.terms.pool.const_array(Sort::BitVec(ORIGIN), zero);
        births.next = Rc::new(Cells::new(none, ORIGIN));
        Some(births)
    }

    /// Births of which nothing is known.
    pub(crate) fn any_births(&mut self, prefix: &str) -> Option<Births> {
        if !self.watch.births {
            return None;
        }
        let [of, who, next] = self.sorts_of_births();
        let mut named = |name: &str, (bits, sort): (u32, Sort)| {
            let array = self.terms.pool.symbol(&format!("{prefix}{name}"), sort);
            Rc::new(Cells::new(array, bits))
        };
        Some(Births { of: named("births", of), who: named("born", who), next: named("next birth", next) })
    }

    /// A block is allocated.
    pub(crate) fn note_birth(&mut self, state: &mut State, number: u128, origin: u128) {
        let Some(births) = &mut state.births else { return };
        let count = Rc::make_mut(&mut births.next).load_constant(&mut self.terms, origin);
        let last = self.terms.number(COUNT, u128::from(u64::MAX));
        let is_before_last = self.terms.below(count, last);
        if self.terms.truth(is_before_last) != Some(true) {
            self.facts.push(is_before_last);
        }
        let object = self.terms.number(self.meaning.layout.object_bits(), number);
        let origin_term = self.terms.number(ORIGIN, origin);
        let key = self.terms.join(origin_term, count);
        Rc::make_mut(&mut births.of).store(&mut self.terms, object, count);
        Rc::make_mut(&mut births.who).store(&mut self.terms, key, object);
        let origin = origin_term;
        let after = self.terms.add_number(count, 1);
        Rc::make_mut(&mut births.next).store(&mut self.terms, origin, after);
    }
}
