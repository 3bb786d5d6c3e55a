//! What the tests share: C files to programs, and the real compiler.

#![allow(dead_code)] // each test file uses its own part

use program::{DataModel, Program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads, types and lowers a C file. Panics with the messages if it has errors.
pub fn load(path: &Path, model: DataModel) -> Program {
    let mut session = csource::Session::new(model);
    let options = csource::preprocess::Options::default();
    let source = csource::preprocess::read(path, &options, &mut session).unwrap_or_else(|e| panic!("{e}"));
    let syntax = csource::parser::parse(source, &mut session);
    let unit = csource::sema::analyse(&syntax, &mut session);
    let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
    let errors: Vec<String> = lowered
        .diagnostics
        .iter()
        .filter(|message| message.severity == base::Severity::Error)
        .map(|message| base::render::render(message, &lowered.program.sources, base::render::Colour::Never))
        .collect();
    assert!(errors.is_empty(), "{}:\n{}", path.display(), errors.join("\n"));
    lowered.program
}

/// Loads a text.
pub fn load_text(name: &str, text: &str) -> Program {
    let path = scratch(&format!("{name}.c"));
    std::fs::write(&path, text).expect("the scratch directory can be written");
    load(&path, DataModel::Lp64)
}

/// A file of the test's own in the build directory.
pub fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("concrete");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(name)
}

/// Is there a C compiler that makes programs? Says so plainly if not.
pub fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    if !is_there {
        use std::io::Write;
        let told = "no C compiler `cc`: the comparison with compiled programs is left out\n";
        std::io::stderr().write_all(told.as_bytes()).expect("standard error is open");
    }
    is_there
}

/// What a compiled program did.
pub struct Compiled {
    pub out: Vec<u8>,
    /// As a shell sees it: 128 plus the signal's number if it was killed.
    pub status: i32,
}

/// Compiles with `cc -O0` and runs.
pub fn compile_and_run(path: &Path, input: &[u8]) -> Compiled {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
    let binary = scratch(&format!("{stem}-{}", std::process::id()));
    let compiled = Command::new("cc")
        .args(["-O0", "-w", "-std=gnu11", "-o"])
        .arg(&binary)
        .arg(path)
        .args(["-lm", "-lpthread"])
        .output()
        .expect("cc runs");
    assert!(
        compiled.status.success(),
        "{}: cc failed:\n{}",
        path.display(),
        String::from_utf8_lossy(&compiled.stderr)
    );
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
