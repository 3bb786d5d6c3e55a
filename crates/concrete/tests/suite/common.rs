//! Where the tests write, and what they compare with.

use program::Program;
use std::path::{Path, PathBuf};
use testkit::compiler::{self, Compiled};

/// Loads a text.
pub fn load_text(name: &str, text: &str) -> Program {
    testkit::c::load_written(&folder(), name, text)
}

/// A file of the test's own in the build directory.
pub fn scratch(name: &str) -> PathBuf {
    std::fs::create_dir_all(folder()).expect("the scratch directory can be made");
    folder().join(name)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("concrete")
}

/// Is there a C compiler that makes programs? Says so plainly if not.
pub fn has_compiler() -> bool {
    compiler::has_compiler(&[], "the comparison with compiled programs is left out")
}

/// Compiles with `cc -O0` and runs.
pub fn compile_and_run(path: &Path, input: &[u8]) -> Compiled {
    compiler::compile_and_run(path, &folder(), input)
}
