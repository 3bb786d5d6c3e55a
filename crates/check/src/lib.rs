//! Algorithms on finite models, one file each.
//!
//! `engine` has the engines, the tables by which `auto` takes them, and [`ask`]. `stopped` and `view` are
//! what all share. Conformance: `simulation`, `refinement`, `bisimulation`. Formulas: `temporal`.

pub mod bisimulation;
pub mod compositional;
pub mod conformance;
pub mod engine;
pub mod learning;
mod positions;
pub mod refinement;
pub mod safety;
pub mod simulation;
mod stopped;
pub mod symbolic;
pub mod temporal;
pub mod two_level;
pub mod view;
mod weak_moves;

pub use engine::{FiniteEngine, FiniteSystem, ask};
pub use weak_moves::{UnknownActions, WeakMoves};
