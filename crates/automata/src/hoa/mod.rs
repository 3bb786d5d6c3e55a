//! The Hanoi omega-automata format (HOA v1), in and out, for Büchi and generalised Büchi acceptance.
//! After Babiak et al. 2015. DIVERGENCE: acceptance other than a conjunction of `Inf` is refused with its place, and
//! so is universal branching; header items that carry no meaning here are skipped as the format allows.

mod read;
mod token;
mod write;

pub use read::read;
pub use write::write;
