//! What is not on this machine, said plainly: a test that leaves something out tells so on standard error.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Says what is left out and why: "`cc -m32` makes no programs here: sizes of ILP32 are not compared".
pub fn left_out(why: &str, what: &str) {
    // A closed standard error is no reason to fail.
    let _ = std::io::stderr().write_all(format!("{why}: {what}\n").as_bytes());
}

/// The workspace's root.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder of the shared data beside the workspace; if it is absent, says what is left out.
pub fn shared(part: &str, what: &str) -> Option<PathBuf> {
    let path = workspace().join("../shared").join(part);
    if path.exists() {
        return Some(path);
    }
    left_out(&format!("absent: ../shared/{part}"), what);
    None
}
