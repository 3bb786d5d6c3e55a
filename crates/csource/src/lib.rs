//! C text to a typed tree with diagnostics. Never aborts on bad input.
//!
//! Reading order: `preprocess` (`cc -E`, compile_commands.json) → `lexer` → `parser` (text to [`syntax`]) →
//! `sema` ([`syntax`] to [`tree`], over [`types`]).

mod lexer;
mod literal;
pub mod parser;
pub mod preprocess;
pub mod sema;
mod session;
pub mod syntax;
pub mod tree;
pub mod types;

pub use lexer::{WordKind, word_kind};
pub use session::Session;
