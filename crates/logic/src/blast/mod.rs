//! Bit-blasting, from terms to clauses: gates, circuits on words of literals and on floats, the walk over a term, and
//! what arrays and functions add on demand.
//!
//! Worked example: `x + y == 1` for words of two bits. A ripple-carry adder has the sum bits `s0 = x0 ⊕ y0`
//! and `s1 = x1 ⊕ y1 ⊕ (x0 ∧ y0)`, each gate with a variable and its clauses; the equation is `s0 ∧ ¬s1`,
//! where constants fold away. A model's bits are read back as words.
//!
//! Naive twin: `evaluate`; the tests compare both on random terms of every operator and width.

mod encoder;
mod float;
mod gates;
mod theory;
mod words;

pub(crate) use encoder::{Encoder, Unsupported};
pub(crate) use gates::Gates;
pub(crate) use words::Circuit;
