//! Threads of C programs: what they share, steps of one shared access, and all interleavings as one sequential program, which every engine for
//! sequential programs then answers about.
//!
//! Reading order: [`creations`] (who starts what) → [`shared`] (what two threads may touch) → [`split`](mod@split) (one shared access per step) → `weave` (every
//! thread's code in one graph, with a place where threads are chosen), with `mode` (when a thread may be interrupted), `heads` (where in loops), `calls` and `call_facts`, `by_name` (parameters that point to one variable), `lifecycle`, `synchronisation`,
//! `cells` (where locks keep their state), `mutexes`, `signals`, `read_write`, `meetings`, `joins`, `keys`, `general` (any number of threads: `environment`, `vocabulary`, `conditions`, `tallies`), `deadlock` (who waits for ever), `quiet` (accesses that locks protect), `own_locks` (locks that programs make of variables; both by `all_ways`), `races`, `choose` → [`sequential`] (the whole).

mod all_ways;
mod by_name;
mod call_facts;
mod calls;
mod cells;
mod choose;
mod conditions;
mod creations;
mod deadlock;
mod environment;
mod forget;
mod general;
mod handles;
mod heads;
mod joins;
mod keys;
mod lifecycle;
mod meetings;
mod mode;
mod mutexes;
mod orders;
mod own_locks;
mod pieces;
mod quiet;
mod races;
mod read_write;
mod sequential;
mod shared;
mod signals;
mod split;
mod synchronisation;
mod tallies;
mod terms;
mod vocabulary;
mod weave;

pub use cells::Meaning;
pub use conditions::{Condition, Fact, Operand};
pub use creations::Creations;
pub use general::{General, Purpose};
pub use orders::{leaves_stack_blocks, main_may_leave, misuse_not_looked_for, weaker_order};
pub use sequential::{
    Generalised, Options, Refusal, Sequential, generalise, in_turns, is_threaded, may_wait, sequentialise,
};
pub use shared::Shared;
pub use split::{divided, split};
pub use tallies::{GuessedTally, Tally};
pub use vocabulary::{At, Kind, Local, SharedPlace, Vocabulary};
