//! Engines for C that prove or search, one idea per file. None knows of the others but through what they share on purpose.
//!
//! Reading order: [`settings`], [`finding`] → [`order`], [`explorer`] (symbolic execution with state merging) → [`checker`] → [`bounded`] (bounded
//! model checking) → [`replay`], [`shorten`], [`testing`] → [`facts`], [`lives`], [`blocks`] (the program as steps between loops) → [`contracts`], [`finite`],
//! [`candidates`], [`samples`], [`polynomial`], [`relations`], [`houdini`], [`needed`], [`certificate`], [`elements`], [`induction`], [`control`], [`pdr`].

pub mod atoms;
pub mod blocks;
pub mod bounded;
pub mod candidates;
pub mod certificate;
pub mod checker;
pub mod code;
pub mod contracts;
pub mod control;
pub mod covered;
pub mod depth;
pub mod elements;
pub mod explorer;
pub mod facts;
pub mod finite;
pub mod guesses;
pub mod houdini;
pub mod induction;
pub mod lives;
pub mod needed;
pub mod order;
pub mod pdr;
pub mod polynomial;
pub mod relations;
pub mod replay;
pub mod samples;
pub mod searcher;
pub mod settings;
pub mod shorten;
pub mod testing;
pub mod unwritten;

pub use depth::inputs_into_depth;
pub use settings::Settings;
