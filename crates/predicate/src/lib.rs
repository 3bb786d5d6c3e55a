//! C procedures to labelled Kripke structures, by predicate abstraction (thesis chapters 3 and 4).
//!
//! Reading order: [`component`] (what a component is, and how a procedure becomes one), [`predicates`] (which predicates
//! stand where), [`abstraction`] (the abstract states and steps), [`cubes`] (states that leave things open).

pub mod abstraction;
pub mod component;
pub mod cubes;
pub mod predicates;

pub use abstraction::{AbstractStep, Abstraction, Abstractor, Detail};
pub use component::{Build, Component, Edge, EdgeId, MissingRule, Node, NodeId, Routine, Trouble};
pub use predicates::{PredicateMap, PredicateOrigin};
