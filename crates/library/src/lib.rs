//! One description per function of the C library, used by every engine.
//!
//! A description is C text with *contract words* ([`program::Word`]): what must hold at the call first, then what the
//! function does. What the standard leaves open is an input (`__VERIFIER_nondet_…`, `__VERIFIER_assume`), recorded
//! under the function's name so that a run can be repeated.
//! `headers/` has one file per header; a line `//! name, name: summary` stands above each description, and `//! name
//! (built in): summary` where C cannot say what the function does (allocation, ends of a run, threads) and every engine
//! knows it ([`program::Known`]).

pub mod format;
mod index;
mod shared;

pub use index::{Entry, Header, entries, header_of, headers};
pub use shared::{Shared, Use, shared};

/// The declarations that every description begins with: the contract words and the sources of open values.
pub const WORDS: &str = include_str!("../headers/words.h");

/// What `stdio.h` supposes of the program: it may end the life of a stream.
pub const MAY_CLOSE: &str = "enum { may_close = 1 };";

/// What stands in place of [`MAY_CLOSE`] where the program mentions none of [`CLOSING`].
pub const NEVER_CLOSES: &str = "enum { may_close = 0 };";

/// What the descriptions suppose of the program: it looks at `errno`.
pub const LOOKS_AT_ERRNO: &str = "enum { looks_at_errno = 1 };";

/// What stands in place of [`LOOKS_AT_ERRNO`] where the program mentions no `errno`.
pub const NEVER_LOOKS: &str = "enum { looks_at_errno = 0 };";

/// What the object behind a stream begins with while the stream is open (`OPEN` in `stdio.c`).
pub const OPEN_STREAM: u32 = 0x4649_4c45;

/// The functions that end the life of a stream.
pub const CLOSING: &[&str] = &["fclose", "freopen", "pclose"];
