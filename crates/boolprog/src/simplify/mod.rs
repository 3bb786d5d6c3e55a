//! Smaller programs with the same reachable errors: choices normalised, steps that do nothing removed.
//! What was removed is remembered, so that a run of the small program becomes a run of the program itself.

mod choices;
mod compress;

pub use choices::normalise_choices;
pub use compress::{Compressed, compress};
