//! What tests and measurements share: numbers from a seed, generators of programs and systems, loaders, the C
//! compiler, clocks. Never part of what is shipped; see the README for which feature gives what.

pub mod absent;
#[cfg(feature = "boolean")]
pub mod boolean;
#[cfg(feature = "c")]
pub mod c;
pub mod clock;
pub mod compiler;
pub mod crowds;
pub mod endings;
pub mod events;
#[cfg(feature = "formulas")]
pub mod formulas;
#[cfg(feature = "c")]
pub mod loops;
#[cfg(feature = "formulas")]
pub mod meaning;
pub mod races;
pub mod random;
#[cfg(feature = "formulas")]
pub mod suite_text;
#[cfg(feature = "systems")]
pub mod systems;
#[cfg(feature = "formulas")]
pub mod temporal;
#[cfg(feature = "terms")]
pub mod terms;
#[cfg(feature = "boolean")]
pub mod threaded;
pub mod values;

pub use random::Random;
