//! Labelled Kripke structures: finite systems that are looked at both by their states and by their events.
//!
//! After S. Chaki's thesis, chapter 2, with the process-algebra operators of FSP (Magee and Kramer).
//! Reading order: [`ids`], [`alphabet`], [`propositions`], [`lks`] and [`builder`]; [`successors`] is how algorithms
//! see any system; [`composition`] is a parallel composition that is never built; [`transform`], [`quotient`] and
//! [`determinise`] make new structures; [`aut`] and [`dot`] are file formats.

pub mod alphabet;
pub mod aut;
pub mod builder;
pub mod composition;
pub mod determinise;
pub mod dot;
pub mod ids;
pub mod lks;
pub mod propositions;
pub mod quotient;
pub mod successors;
pub mod transform;

pub use alphabet::Alphabet;
pub use builder::LksBuilder;
pub use composition::{Component, Composition, Priority, PriorityKind, Role, Step, SyncId, SystemState};
pub use ids::{ActionId, PropositionId, StateId};
pub use lks::{Lks, StateMark};
pub use propositions::{PropositionNames, PropositionSet};
pub use quotient::Partition;
pub use successors::{Explored, Successors, Unfinished, explore, explore_telling};
pub use transform::Relabelling;
