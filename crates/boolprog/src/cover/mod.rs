//! Coverability in well-structured transition systems (Petri nets, thread transition systems): can
//! unboundedly many threads (or tokens) get into a given combination of states? BOOM 8 and after.
//!
//! [`system`] holds the data, `read_tts` and `read_mist` read it; `karp_miller`, [`backward`], `inductive`
//! and `explicit` are the engines, on [`marking`]s and their `step`s; [`decide()`] asks them and has every
//! run replayed by `simulate`, every proof can be checked by `proof`; `foreknowledge` spares the backward
//! engines what weights or unmarkable places exclude; `extract_control` finds the shared state of nets that
//! hide it in places; `file` is the way in from a file.

pub mod backward;
pub mod decide;
mod explicit;
mod extract_control;
mod file;
mod foreknowledge;
mod inductive;
mod karp_miller;
pub mod marking;
mod marking_set;
pub mod outcome;
mod proof;
mod read_mist;
mod read_tts;
mod saturate;
pub(crate) mod simulate;
mod step;
pub mod system;
mod weighing;
pub(crate) mod witness;

pub use decide::{CounterSystem, Coverage, Engine, Recheck, Settings, decide};
pub use file::{FileSettings, check_file, is_counter_system, read_file};
pub use system::System;
