//! C files to programs, and compiled programs.

use csource::types::DataModel;
use program::Program;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's root.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The C files of a folder of the workspace, in order.
pub fn c_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![workspace().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "c") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Is there a C compiler? Says so plainly if not.
pub fn has_compiler(arguments: &[&str]) -> bool {
    let probe = std::env::temp_dir().join(format!("concord-probe-{}{}", std::process::id(), arguments.len()));
    let source = probe.with_extension("c");
    std::fs::write(&source, "int main(void) { return 0; }").expect("the probe can be written");
    let found = Command::new("cc")
        .args(arguments)
        .args(["-o".as_ref(), probe.as_os_str(), source.as_os_str()])
        .output()
        .is_ok_and(|output| output.status.success());
    let _ = (std::fs::remove_file(&probe), std::fs::remove_file(&source));
    if !found {
        let arguments = arguments.join(" ");
        eprintln!("`cc {arguments}` does not make programs here: what needs it is not tested");
    }
    found
}

/// The program of a file; `None` if it has errors (other tests are about those).
pub fn read(path: &Path, model: DataModel) -> Option<Program> {
    let mut session = csource::Session::new(model);
    let id = csource::preprocess::read(path, &csource::preprocess::Options::default(), &mut session).ok()?;
    let unit = csource::parser::parse(id, &mut session);
    let unit = csource::sema::analyse(&unit, &mut session);
    let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
    (!lowered.diagnostics.has_errors()).then_some(lowered.program)
}
