//! Coverability in well-structured transition systems (Petri nets, thread transition systems): can unboundedly many threads (or tokens) get into a given combination of states? BOOM 8 and after.
//!
//! [`system`] holds the data, [`read_tts`] and [`read_mist`] read it; [`karp_miller`], [`backward`], [`inductive`] and
//! [`explicit`] are the engines, on [`marking`]s and their [`step`]s; [`decide`] asks them and has every run replayed
//! by [`simulate`], every proof can be checked by [`proof`]; [`foreknowledge`] spares the backward engines what weights or unmarkable
//! places exclude; [`extract_control`] finds the shared state of nets that hide it in places; [`file`](mod@file) is the way in from a file.

pub mod backward;
pub mod decide;
pub mod explicit;
pub mod extract_control;
pub mod file;
pub mod foreknowledge;
pub mod inductive;
pub mod karp_miller;
pub mod marking;
pub mod marking_set;
pub mod outcome;
pub mod proof;
pub mod read_mist;
pub mod read_tts;
pub mod saturate;
pub mod simulate;
pub mod step;
pub mod system;
pub mod weighing;
pub mod witness;

pub use decide::{CounterSystem, Decided, Decision, Engine, Recheck, Settings, answer, decide};
pub use file::{FileSettings, check_file, is_counter_system, read_file};
pub use system::System;
