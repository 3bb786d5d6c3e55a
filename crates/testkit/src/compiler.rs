//! The real compiler: whether it is there, and what compiled programs do.

use crate::absent::left_out;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Can a compiler (`cc`, `gcc`) be run here? Says what is left out if not.
pub fn is_there(compiler: &str, what: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        left_out(&format!("no C compiler `{compiler}`"), what);
    }
    found
}

/// Does `cc` with these arguments make programs here? Says what is left out if not.
pub fn has_compiler(arguments: &[&str], what: &str) -> bool {
    let number = std::process::id();
    let probe = std::env::temp_dir().join(format!("concord-probe-{number}-{}", arguments.join("")));
    let source = probe.with_extension("c");
    std::fs::write(&source, "int main(void) { return 0; }").expect("the probe can be written");
    let made = Command::new("cc")
        .args(arguments)
        .args(["-o".as_ref(), probe.as_os_str(), source.as_os_str()])
        .output()
        .is_ok_and(|output| output.status.success());
    let _ = (std::fs::remove_file(&probe), std::fs::remove_file(&source));
    if !made {
        let told = [&["cc"], arguments].concat().join(" ");
        left_out(&format!("`{told}` makes no programs here"), what);
    }
    made
}

/// What a compiled program did.
pub struct Compiled {
    /// What it wrote to standard output.
    pub out: Vec<u8>,
    /// As a shell sees it: 128 plus the signal's number if it was killed.
    pub status: i32,
}

/// Compiles with `cc -O0` into the folder and runs.
pub fn compile_and_run(path: &Path, folder: &Path, input: &[u8]) -> Compiled {
    use std::os::unix::process::ExitStatusExt;
    let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
    let binary = folder.join(format!("{stem}-{}", std::process::id()));
    let compiled = Command::new("cc")
        .args(["-O0", "-w", "-std=gnu11", "-o"])
        .arg(&binary)
        .arg(path)
        .args(["-lm", "-lpthread"])
        .output()
        .expect("cc runs");
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{}: cc failed:\n{messages}", path.display());
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(input).expect("the program reads or ignores its input");
    let output = child.wait_with_output().expect("the program ends");
    std::fs::remove_file(&binary).expect("it was made here");
    let status = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
    Compiled { out: output.stdout, status }
}
