//! What the tests share: C texts to programs.

use program::Program;
use std::path::Path;

/// Loads a text.
pub fn load_text(name: &str, text: &str) -> Program {
    testkit::c::load_written(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("intervals"), name, text)
}
