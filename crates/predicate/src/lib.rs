//! C procedures to labelled Kripke structures and to Boolean programs, by predicate abstraction (thesis
//! chapters 3 and 4; BOOM 2.6).
//!
//! Reading order: [`component`] (what a component is, and how a procedure becomes one), [`predicates`] (which
//! predicates stand where), [`abstraction`] (the abstract states and steps), [`cubes`] (states that leave
//! things open); beside them [`procedure`]: procedures that call each other, to a Boolean program with the
//! same calls; [`refine`]: counterexamples to feasible values or new predicates.

pub mod abstraction;
pub mod component;
pub mod cubes;
pub mod predicates;
pub mod procedure;
pub mod refine;

pub use abstraction::{AbstractStep, Abstraction, Abstractor, Detail};
pub use component::{
    Build, Component, Edge, EdgeId, GlobalsRule, MissingRule, NoMeaning, Node, NodeId, Routine,
};
pub use predicates::{PredicateMap, PredicateOrigin};
