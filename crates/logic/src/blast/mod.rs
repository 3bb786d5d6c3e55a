//! From terms to clauses: gates, circuits on words of literals, the walk over a term, and what arrays and
//! functions add on demand.

mod encoder;
mod gates;
mod theory;
mod words;

pub(crate) use encoder::{Encoder, Unsupported};
pub(crate) use gates::Gates;
pub(crate) use words::Circuit;
