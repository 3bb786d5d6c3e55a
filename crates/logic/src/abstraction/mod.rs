//! Predicate abstraction as a service: which truth values of predicates before a step go with which after it?
//! After Graf, Saïdi 1997, by all-solutions enumeration (Lahiri, Bryant, Cook 2003; Clarke, Kroening, Sharygina,
//! Yorav 2004), with four things that make it cheap on real statements:
//!
//! 1. definitions are used up (`x' = x + 1` replaces x' by x + 1 everywhere), so that a predicate over something
//!    a statement does not change is one and the same term before and after;
//! 2. what shares no symbol is solved apart: the relation is the product of its independent parts;
//! 3. parts are remembered by their term ids, across statements and refinements;
//! 4. a part that gains predicates starts from the states that witnessed its old solutions.
//!
//! A part with too many predicates or solutions falls back to entailment: all clauses of a bounded length over its
//! predicates that the step entails, which is what Cartesian abstraction computes (Ball, Podelski, Rajamani 2001).
//! The result says so: it then contains the exact relation.
//!
//! Worked example: the step `x' = x + 1, y' = y` with the predicates `x > 0`, `y = 0` before and `x' > 1`,
//! `y' = 0` after. With definitions used up, the last two are `x + 1 > 1` and `y = 0`. Two parts share no
//! symbol: {y = 0} before and after is one term, so it stays as it is; {x > 0, x + 1 > 1} has the rows (T,
//! T), (F, F), and, where `x + 1` wraps, (T, F). The relation is their product.

mod component;
mod prepare;
mod relation;
mod service;

pub use relation::{AbstractRelation, Conjunct, Exactness, Method};
pub use service::{AbstractionService, AbstractionSettings, AbstractionStatistics};

#[cfg(test)]
mod tests;
