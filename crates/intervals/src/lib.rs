//! Abstract interpretation over interval sets: what values can a program have? Abstract tests, three-valued CTL.
//!
//! Reading order: [`domain`] (one value) → [`map`], [`cells`], [`octagon`], [`state`] (a whole state) → [`context`], [`packs`], [`once`], [`bools`] →
//! [`evaluate`], [`refine`], [`memory`], [`relate`], [`lives`], [`strings`] (expressions and conditions in a state) → [`transfer`], [`library`],
//! [`natives`], [`described`], [`promised`], [`formats`] (one step) →
//! [`order`], [`solve`] (fixpoints) → [`initial`], [`analysis`] (a whole program).

pub mod analysis;
pub mod bools;
pub mod cells;
pub mod checks;
pub mod context;
pub mod ctl;
pub mod described;
pub mod domain;
pub mod evaluate;
pub mod formats;
pub mod initial;
pub mod invariants;
pub mod library;
pub mod lives;
pub mod map;
pub mod memory;
pub mod natives;
pub mod octagon;
pub mod once;
pub mod order;
pub mod packs;
pub mod promised;
pub mod refine;
pub mod relate;
pub mod settings;
pub mod solve;
pub mod state;
pub mod strings;
pub mod testcases;
pub mod transfer;

pub use analysis::{Analysis, Point, analyse};
pub use invariants::Invariants;
pub use settings::Settings;
