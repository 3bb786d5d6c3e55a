//! What can be known of a program without running it: who changes which globals, and which values still
//! matter.

mod live;
mod mod_ref;
mod shape;

pub use live::{Live, everything_live, interprocedural_live};
pub use mod_ref::{ModRef, all_globals, mod_ref};
pub use shape::{CallShape, call_shape};
