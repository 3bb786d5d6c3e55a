//! Binary decision diagrams behind a thin type. After Bryant 1986; the diagrams themselves are OxiDD's, run with
//! one thread (a second did not help, see `docs/decisions/solver.md`).
//!
//! Every operation that can make nodes returns [`NodeLimitReached`] instead of dying when the manager is full.
//!
//! Threads: [`BddManager`] and [`Bdd`] are `Send` and `Sync`. Operations on diagrams of one manager may run on
//! several threads at once; each holds the manager's lock shared. Adding variables and changing the order take it
//! alone and wait for running operations. Diagrams of different managers must not be mixed: that panics.
//! Garbage is collected by OxiDD when the store runs full, and on request by [`BddManager::collect_garbage`].

// A diagram is hashed and compared by its node, which never changes while a handle exists; what changes inside is
// OxiDD's reference count.
#![allow(clippy::mutable_key_type)]

mod cubes;
mod manager;

pub use cubes::CubeIterator;
pub use manager::{Bdd, BddManager, BddSettings, BddStatistics, BddVariable, NodeLimitReached, Renaming};

#[cfg(test)]
mod tests;
