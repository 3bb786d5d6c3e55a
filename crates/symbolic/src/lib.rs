//! The exact meaning of C steps as terms: one encoding for bounded search, induction, predicate abstraction and audit.
//!
//! Reading order: [`terms`] → [`layout`] → [`meaning`] → [`memory`] → [`state`] → [`arithmetic`], `value`, `objects`, `place`, `access`,
//! `aggregate` → [`step`] → `call`, `library`, `words` → `start` → [`precondition`], [`show`], [`names`], `once`, [`lifetimes`].
//!
//! **Obligation.** For every concrete step without a failure, the symbolic step from a state that describes the
//! concrete one leads to a state that describes its successor. Where a step is wider than that (floating arithmetic), a
//! note says so. Tested against the interpreter by `runs_agree`.

mod access;
mod addresses;
mod aggregate;
pub mod arithmetic;
mod births;
mod blocks;
mod call;
mod confines;
mod float;
pub mod layout;
mod library;
pub mod lifetimes;
mod lost;
pub mod meaning;
pub mod memory;
pub mod names;
mod objects;
mod once;
mod padding;
mod place;
pub mod precondition;
pub mod show;
mod start;
pub mod state;
pub mod step;
pub mod terms;
mod unwritten;
pub mod unwritten_locals;
mod value;
mod words;

pub use aggregate::Value;
pub use births::{Births, allocates};
pub use library::LibraryCall;
pub use meaning::Meaning;
pub use memory::Cells;
pub use names::{Names, Written};
pub use once::has_own_blocks_of;
pub use precondition::StateVariable;
pub use state::{Frame, State};
pub use step::{Allocation, Effect, Encoder, Failure, FailureKind, FixedObjects, Input, SetOut};
pub use terms::Terms;
