//! What a project keeps: its file, which lists questions, and its memory of the answers.
//!
//! Reading order: [`project`] (the file) → [`content`] (what an answer rests on) → [`memory`] (bytes that survive a
//! kill, each with its hash) → [`answers`] (what is remembered) → [`history`] (times and memory).

pub mod answers;
pub mod content;
pub mod history;
pub mod memory;
pub mod project;

pub use answers::{Answers, Record, Remembered};
pub use content::Content;
pub use memory::{Memory, Opened};
pub use project::{Grammar, OptionGrammar, Project, Question, VerbGrammar, Wrong};

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
