//! Byte-accurate memory. Every object has an address, bytes, a mask that says which bits were ever written, and for
//! each machine word the object a stored pointer belongs to.
//!
//! Reading order: [`pointer`] → [`object`] → [`space`] (who has which address) → [`store`] (all objects, alive and
//! dead) → [`copy`] (moving bytes with their mask and provenance).

pub mod copy;
pub mod object;
pub mod pointer;
pub mod space;
pub mod store;

pub use copy::Region;
pub use object::{ArgumentSlot, ObjectKind, Stream, WriteGuard};
pub use pointer::{Location, Pointer, Slot, Tag};
pub use store::{Dead, Store};
