//! Algorithms on finite models, one file each.
//!
//! `outcome` and `view` are what all share. Conformance: `simulation`, `refinement`, `bisimulation`. Formulas: `temporal`.

pub mod bisimulation;
pub mod compositional;
pub mod conformance;
pub mod engine;
pub mod learning;
pub mod outcome;
mod positions;
pub mod refinement;
pub mod safety;
pub mod simulation;
pub mod symbolic;
pub mod temporal;
pub mod two_level;
pub mod view;
mod weak_moves;

pub use engine::Engine;
pub use outcome::{Outcome, Stopped};
pub use weak_moves::{UnknownActions, WeakMoves};
