//! Replacing symbols, and moving terms from one pool to another.

use super::op::Op;
use super::pool::{TermId, TermPool};
use super::sort::Sort;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

impl TermPool {
    /// The term with every occurrence of a replaced term exchanged, all at once; replacements keep the sort.
    pub fn substitute(&mut self, term: TermId, replacements: &FxHashMap<TermId, TermId>) -> TermId {
        self.substitute_all(&[term], replacements)[0]
    }

    /// [`substitute`](Self::substitute) on several terms, sharing the work.
    pub fn substitute_all(
        &mut self,
        terms: &[TermId],
        replacements: &FxHashMap<TermId, TermId>,
    ) -> Vec<TermId> {
        let mut done = replacements.clone();
        let mut open: Vec<TermId> = terms.to_vec();
        while let Some(&term) = open.last() {
            if done.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(self.arguments(term).iter().filter(|argument| !done.contains_key(argument)));
            if open.len() == before {
                open.pop();
                let arguments: SmallVec<[TermId; 4]> =
                    self.arguments(term).iter().map(|argument| done[argument]).collect();
                let copy = if arguments[..] == *self.arguments(term) {
                    term
                } else {
                    self.with_arguments(term, &arguments)
                };
                done.insert(term, copy);
            }
        }
        terms.iter().map(|term| done[term]).collect()
    }
}

impl TermPool {
    /// Gives back the memory of every term but these and what they are made of. Their new ids come in the same
    /// order; all older ids are void, and so is what solvers and simplifiers remember by them: those refuse the pool
    /// from now on, for it has another identity. Declared names that are no longer used are free again.
    ///
    /// This is what to call when a budget has ended and the run goes on with something else.
    pub fn keep_only(&mut self, terms: &[TermId]) -> Vec<TermId> {
        let mut kept = TermPool::new();
        kept.take_over_limits(self);
        let mut copier = TermCopier::new();
        let copies = terms.iter().map(|&term| copier.copy(self, &mut kept, term)).collect();
        *self = kept;
        copies
    }
}

/// Copies terms from one pool to another, keeping what they share. Symbols keep their names.
#[derive(Debug, Default)]
pub struct TermCopier {
    copies: FxHashMap<TermId, TermId>,
}

impl TermCopier {
    /// Nothing copied yet.
    pub fn new() -> TermCopier {
        TermCopier::default()
    }

    /// The copy in `to` of a term in `from`. Use one copier with one pair of pools.
    pub fn copy(&mut self, from: &TermPool, to: &mut TermPool, term: TermId) -> TermId {
        let mut open = vec![term];
        while let Some(&term) = open.last() {
            if self.copies.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(from.arguments(term).iter().filter(|argument| !self.copies.contains_key(argument)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let sort = copy_sort(from, to, from.sort(term));
            let copy = match from.op(term) {
                Op::Constant(_) => to.constant(from.constant_value(term).expect("a constant").clone()),
                Op::Symbol(_) => to.symbol(from.symbol_name(term).expect("a symbol"), sort),
                op => {
                    let arguments: SmallVec<[TermId; 4]> =
                        from.arguments(term).iter().map(|argument| self.copies[argument]).collect();
                    let op = match op {
                        Op::Apply(function) => {
                            let (parameters, _) = from.function_sorts(function);
                            let parameters: Vec<Sort> =
                                parameters.iter().map(|&sort| copy_sort(from, to, sort)).collect();
                            Op::Apply(to.function(from.function_name(function), &parameters, sort))
                        }
                        other => other,
                    };
                    to.intern(op, sort, &arguments)
                }
            };
            self.copies.insert(term, copy);
        }
        self.copies[&term]
    }
}

/// Sorts nest only as deep as the program's array types, so recursion is bounded by its source text.
fn copy_sort(from: &TermPool, to: &mut TermPool, sort: Sort) -> Sort {
    match sort {
        Sort::Array(_) => {
            let (index, element) = from.array_parts(sort).expect("an array sort has parts");
            let (index, element) = (copy_sort(from, to, index), copy_sort(from, to, element));
            to.array_sort(index, element)
        }
        Sort::Uninterpreted(name) => to.uninterpreted_sort(from.sort_name(name)),
        plain => plain,
    }
}
