//! Engines for C that prove or search, one idea per file. None knows of the others but through what they
//! share on purpose.
//!
//! Reading order: `settings`, `code` (what engines are asked about, and the room they share) → `order`,
//! `explorer` (symbolic execution with state merging) → `checker` → `bounded`, `searcher` (bounded model
//! checking) → `replay`, `shorten`, `testing`, `all_runs` → `facts`, `settled`, `blocks` (the program as steps between loops) →
//! `contracts`, `finite`, `candidates`, `pinned`, `samples`, `in_memory`, `polynomial`, `relations`, `houdini`, `guesses`, `needed`,
//! `certificate`, `elements`, `objects`, `induction`, `control`, `pdr`, `ranking`, `recurrence`, `lassos`, `input_tree` → `told` (what others say), `turns`, `events`, `threads` (interleavings).

mod all_runs;
mod atoms;
mod blocks;
mod bounded;
mod candidates;
mod certificate;
mod checker;
mod code;
mod contracts;
mod control;
mod covered;
mod depth;
mod elements;
mod events;
mod explorer;
mod facts;
mod finite;
mod guesses;
mod houdini;
mod in_memory;
mod induction;
mod input_tree;
mod lassos;
mod needed;
mod objects;
mod offered;
mod order;
mod pdr;
mod pinned;
mod polynomial;
mod ranking;
mod recurrence;
mod relations;
mod replay;
mod samples;
mod searcher;
mod settings;
mod settled;
mod shorten;
mod testing;
mod threads;
mod turns;
mod unwritten;

// What is asked, and who answers.
pub use all_runs::ALL_RUNS;
pub use code::{Code, CodeEngine, CodeRequest, DIVISION, gave_up};
pub use contracts::no_contract;
pub use control::CONTROL_STATES;
pub use elements::ALL_ELEMENTS;
pub use events::EVENTS;
pub use facts::{Facts, INTERVALS, WRITTEN_INTERVALS, interval_settings};
pub use guesses::{GUESSES, KEPT_GUESSES};
pub use induction::{DEEP_INDUCTION, SHALLOW_INDUCTION};
pub use input_tree::violation_by_few_values;
pub use lassos::{Effort, FEW_RUNS, MANY_RUNS, Searched, violating_run};
pub use objects::ALL_BLOCKS;
pub use offered::{kept_conditions, not_refuted};
pub use pdr::PDR;
pub use ranking::RANKING;
pub use recurrence::{LONG_RECURRENCE, RECURRENCE};
pub use searcher::BMC;
pub use settings::Settings;
pub use testing::{LONG_RUNS, ONLY_RUN, TESTING};
pub use threads::{Interleavings, Repeated, confirm, drawn_schedules};

pub use turns::TURNS;

// What proofs do not cover, and better runs to show.
pub use covered::{Reads, error_numbers, uninitialised_reads};
pub use depth::inputs_into_depth;
pub use unwritten::begun_alike;

// For other engines that walk programs: the walk, conditions worth guessing, certificates, replay.
pub use atoms::atoms_of;
pub use blocks::no_pointer_outlives;
pub use candidates::constants;
pub use certificate::{AtHead, add_loop, add_objects};
pub use explorer::boundary::{Ahead, Boundary, Changes, Exit, Passed};
pub use explorer::{Explorer, Goal, GoalKind, Pending, PlaceKey, StopRule, place_of, users_place};
pub use order::Order;
pub use replay::{PlannedInputs, Replayed, replay, replay_settings};
