//! Results and files that are written: what cannot be written is an error with a message, never passed over.

use crate::exit::Exit;
use crate::load::tell;
use std::io::Write;
use std::path::Path;

/// Writes results to standard output.
pub fn write_results(text: &str) -> Result<(), Exit> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        tell(&format!("error: the results cannot be written: {error}\n"));
        Exit::Internal
    })
}

/// Writes results and gives the exit status of the verb, or that of the failure.
pub fn finish(text: &str, exit: Exit) -> Exit {
    write_results(text).map_or_else(|failed| failed, |()| exit)
}

/// Writes a file that the user asked for.
pub fn write_file(file: &Path, text: &str) -> Result<(), Exit> {
    std::fs::write(file, text).map_err(|error| {
        tell(&format!("error: {}: cannot be written: {error}\n", file.display()));
        Exit::Internal
    })
}

/// Complains before the work if files that were asked for can never be written: a wrong directory should not
/// show only after an hour, or not at all because the answer was one that has no such file.
pub fn expect_writable<'f>(files: impl IntoIterator<Item = &'f Path>) -> Result<(), Exit> {
    for file in files {
        if let Err(error) = try_to_open(file) {
            tell(&format!("error: {}: cannot be written: {error}\n", file.display()));
            return Err(Exit::Usage);
        }
    }
    Ok(())
}

/// Leaves everything as it was.
fn try_to_open(file: &Path) -> std::io::Result<()> {
    match std::fs::OpenOptions::new().append(true).open(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::fs::OpenOptions::new().write(true).create_new(true).open(file)?;
            std::fs::remove_file(file)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_written_passes_and_nothing_is_left_behind() {
        let folder = std::env::temp_dir().join(format!("concord-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        let (new, old) = (folder.join("new"), folder.join("old"));
        std::fs::write(&old, "text").expect("it can be written");
        assert_eq!(expect_writable([&*new, &*old]), Ok(()));
        assert!(!new.exists());
        assert_eq!(std::fs::read_to_string(&old).expect("it is there"), "text");
        for wrong in [folder.clone(), folder.join("none/x"), old.join("x")] {
            assert_eq!(expect_writable([&*wrong]), Err(Exit::Usage), "{}", wrong.display());
        }
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
