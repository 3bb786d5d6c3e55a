//! The simplifier, term rewriting by a table of rules, applied from the arguments upwards until none fits.
//! Each rule is proved by a test that asks the solver, with simplification off, whether the two sides can differ
//! (`rules_keep_the_meaning`). Without recursion; each shared term once, and never again while the simplifier
//! lives.

mod bits;
mod bools;
mod compare;
mod floats;
mod rule;
mod shape;
mod sums;

pub use rule::Rule;

use crate::term::{Op, TermId, TermPool};
use base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::mem::{Discriminant, discriminant};

/// Rewrites of one node before it is left as it is. Every rule makes a term smaller or more ordered, so that this
/// is not reached; it guards against two rules undoing each other, at the price of a less simple term.
const MOST_STEPS: u32 = 200;

/// All rules, in the order they are tried.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    [rule::FOLDING, bools::RULES, bits::RULES, compare::RULES, shape::RULES, sums::RULES, floats::RULES]
        .into_iter()
        .flatten()
}

/// Simplifies terms of one pool and remembers the results.
pub struct Simplifier {
    by_operator: FxHashMap<Discriminant<Op>, Vec<&'static Rule>>,
    simple: FxHashMap<TermId, TermId>,
}

impl std::fmt::Debug for Simplifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simplifier").field("remembered", &self.simple.len()).finish_non_exhaustive()
    }
}

impl Default for Simplifier {
    fn default() -> Self {
        Self::new()
    }
}

enum Work {
    /// Simplify this term.
    Term(TermId),
    /// The arguments of this term are simple now.
    Arguments(TermId),
    /// The term equals this other one, which is simplified now.
    Same(TermId, TermId),
}

impl Simplifier {
    /// A simplifier that has seen no term yet.
    pub fn new() -> Simplifier {
        let mut by_operator: FxHashMap<Discriminant<Op>, Vec<&'static Rule>> = FxHashMap::default();
        for rule in all_rules() {
            for head in rule.heads {
                by_operator.entry(discriminant(head)).or_default().push(rule);
            }
        }
        Simplifier { by_operator, simple: FxHashMap::default() }
    }

    /// An equal term, simpler where a rule fits.
    pub fn simplify(&mut self, pool: &mut TermPool, term: TermId) -> TermId {
        match self.simplify_within(pool, term, &Budget::unlimited()) {
            Ok(simple) => simple,
            // Only the pool's own limit is left to reach; the term itself is equal to the term.
            Err(_) => term,
        }
    }

    /// [`simplify`](Self::simplify), giving up when the budget ends or the pool outgrows its limit.
    pub fn simplify_within(
        &mut self,
        pool: &mut TermPool,
        root: TermId,
        budget: &Budget,
    ) -> Result<TermId, Exhausted> {
        if let Some(&simple) = self.simple.get(&root) {
            return Ok(simple);
        }
        let mut steps: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut rounds = 0u32;
        let mut open = vec![Work::Term(root)];
        while let Some(work) = open.pop() {
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(1024) {
                pool.check(budget)?;
            }
            match work {
                Work::Term(term) => {
                    if !self.simple.contains_key(&term) {
                        open.push(Work::Arguments(term));
                        let arguments = pool.arguments(term).iter();
                        open.extend(
                            arguments
                                .filter(|argument| !self.simple.contains_key(argument))
                                .map(|&a| Work::Term(a)),
                        );
                    }
                }
                Work::Arguments(term) => {
                    if self.simple.contains_key(&term) {
                        continue;
                    }
                    let arguments: SmallVec<[TermId; 4]> =
                        pool.arguments(term).iter().map(|argument| self.simple[argument]).collect();
                    let rebuilt = if arguments[..] == *pool.arguments(term) {
                        term
                    } else {
                        pool.with_arguments(term, &arguments)
                    };
                    if rebuilt != term
                        && let Some(&simple) = self.simple.get(&rebuilt)
                    {
                        self.simple.insert(term, simple);
                        continue;
                    }
                    let made = steps.get(&term).copied().unwrap_or(0);
                    let next = if made < MOST_STEPS { self.first_rewrite(pool, rebuilt) } else { None };
                    match next {
                        None => {
                            self.simple.insert(rebuilt, rebuilt);
                            self.simple.insert(term, rebuilt);
                        }
                        Some(next) => {
                            steps.insert(next, made + 1);
                            open.push(Work::Same(term, next));
                            if rebuilt != term {
                                open.push(Work::Same(rebuilt, next));
                            }
                            open.push(Work::Term(next));
                        }
                    }
                }
                Work::Same(term, next) => {
                    // A chain of rewrites that came back to where it began has no simplest member.
                    let simple = self.simple.get(&next).copied().unwrap_or(next);
                    self.simple.insert(term, simple);
                }
            }
        }
        Ok(self.simple[&root])
    }

    fn first_rewrite(&self, pool: &mut TermPool, term: TermId) -> Option<TermId> {
        let rules = self.by_operator.get(&discriminant(&pool.op(term)))?;
        rules.iter().find_map(|rule| (rule.apply)(pool, term).filter(|&result| result != term))
    }
}

#[cfg(test)]
mod tests;
