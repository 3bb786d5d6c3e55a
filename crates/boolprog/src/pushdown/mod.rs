//! Threads with stacks: concurrent pushdown systems (`.pds`), as CUBA writes them (Liu, Wahl 2018).
//!
//! [`read`] reads the file and its question; [`decide`] looks for a run with stacks of bounded height
//! ([`explore`]) and for a proof that forgets the stacks below their tops ([`tops`]). Reachability is
//! undecidable here, so both may fail.

pub mod decide;
pub mod explore;
pub mod read;
pub mod tops;

pub use decide::{PushdownFile, check_file, is_pushdown_file};
pub use read::{PushdownSystem, PushdownThread, Rule, VisibleState};
