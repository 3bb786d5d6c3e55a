//! C procedures to labelled Kripke structures, by predicate abstraction (thesis chapters 3 and 4).
//!
//! Reading order: [`component`] (what a component is, and how a procedure becomes one), [`predicates`] (which predicates
//! stand where), [`abstraction`] (the abstract states and steps).

pub mod abstraction;
pub mod component;
pub mod predicates;

pub use abstraction::{AbstractStep, Abstraction, Abstractor};
pub use component::{Build, Component, Edge, EdgeId, MissingRule, Node, NodeId, Routine, Trouble};
pub use predicates::{PredicateMap, PredicateOrigin};
