//! Abstract interpretation over interval sets: what values can a program have? Abstract tests, three-valued
//! CTL.
//!
//! Reading order: `domain` (one value) → `map`, `cells`, `octagon`, `state` (a whole state) → `context`,
//! `packs`, `once`, `bools` → `evaluate`, `access`, `refine`, `defined`, `memory`, `relate`, `lives`, `blocks`, `strings` (expressions
//! and conditions in a state) → `transfer`, `library`, `call`, `known`, `natives`, `described`, `promised`,
//! `formats` (one step) → `order`, `live`, `precision`, `solve`, `fixpoint`, `apart` (fixpoints) → `initial`, `analysis`, `record` (a whole program) → `closer` (level
//! after level), `why` (reasons).

mod access;
mod analysis;
mod apart;
mod blocks;
mod bools;
mod call;
mod cells;
mod checks;
mod closer;
mod context;
pub mod ctl;
mod defined;
mod described;
mod domain;
mod evaluate;
mod fixpoint;
mod formats;
mod initial;
mod invariants;
mod known;
mod library;
mod live;
mod lives;
mod map;
mod memory;
mod natives;
mod octagon;
mod once;
mod order;
mod packs;
mod precision;
mod promised;
mod record;
mod refine;
mod relate;
mod settings;
mod solve;
mod state;
mod strings;
mod testcases;
mod transfer;
mod why;

pub use analysis::{Analysis, Finding, Point, analyse};
pub use checks::CheckKind;
pub use closer::{analyse_closely, usual_levels};
pub use context::Context;
pub use domain::operators::{Certainty, Overflow};
pub use domain::value::{Scalar, Value, Written};
pub use invariants::Invariants;
pub use precision::{CLOSEST_LEVEL, FIRST_LEVEL, Precision};
pub use settings::{Domain, MissingEffect, Reads, Settings};
pub use solve::MissingBody;
pub use testcases::TestCases;
pub use why::Why;
