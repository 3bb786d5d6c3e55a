//! Results and files that are written: what cannot be written is an error with a message, never passed over.

use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::tell;
use base::render::Colour;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// How answers for people look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Are the details left out, which are indented below the verdicts?
    pub is_quiet: bool,
    /// Are verdicts in colour?
    pub is_painted: bool,
}

/// Does standard output show colours, if they are wanted at all?
pub fn is_painted(wanted: Colour) -> bool {
    wanted == Colour::Always && std::io::stdout().is_terminal()
}

impl Look {
    /// How the user wants it; only answers for people are changed.
    pub fn wanted(common: &Common) -> Look {
        let is_human = common.format == Format::Human;
        Look { is_quiet: is_human && common.quiet, is_painted: is_human && is_painted(common.colour()) }
    }

    /// With colours, but with all details: for tables.
    pub fn with_details(self) -> Look {
        Look { is_quiet: false, ..self }
    }

    /// The text as it is shown.
    pub fn of(self, text: &str) -> String {
        let kept = |line: &&str| !self.is_quiet || !line.starts_with([' ', '\t']);
        let shown = text.split_inclusive('\n').filter(kept);
        if self.is_painted { shown.map(painted).collect() } else { shown.collect() }
    }
}

/// A line with its verdict in colour: a word in capitals at its beginning, or behind the name of what was asked.
fn painted(line: &str) -> String {
    const COLOURS: [(&str, &str); 5] = [
        ("HOLDS", "\u{1b}[1;32m"),
        ("ACCEPTED", "\u{1b}[1;32m"),
        ("VIOLATED", "\u{1b}[1;31m"),
        ("REFUTED", "\u{1b}[1;31m"),
        ("UNDECIDED", "\u{1b}[1;33m"),
    ];
    let found = COLOURS.iter().filter_map(|(word, colour)| {
        let at = line.find(word)?;
        let (before, behind) = (&line[..at], &line[at + word.len()..]);
        let is_first = before.trim().is_empty() || before.ends_with(": ");
        let is_whole = behind.is_empty() || behind.starts_with([':', ' ', '\n', ',']);
        (is_first && is_whole).then_some((at, *word, *colour))
    });
    match found.min() {
        Some((at, word, colour)) => {
            format!("{}{colour}{word}\u{1b}[0m{}", &line[..at], &line[at + word.len()..])
        }
        None => line.to_owned(),
    }
}

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
    fn verdicts_are_painted_and_details_can_be_left_out() {
        let text = "a: HOLDS (explicit)\n  note: VIOLATED otherwise\nVIOLATED: it fails\n    HOLDS     a.c:3\n  say HOLDS\n";
        let painted = Look { is_painted: true, is_quiet: false }.of(text);
        assert_eq!(painted.matches("\u{1b}[1;32mHOLDS\u{1b}[0m").count(), 2, "{painted:?}");
        assert_eq!(painted.matches("\u{1b}[1;31mVIOLATED\u{1b}[0m").count(), 2, "{painted:?}");
        assert_eq!(
            Look { is_quiet: true, is_painted: false }.of(text),
            "a: HOLDS (explicit)\nVIOLATED: it fails\n"
        );
        assert_eq!(Look::default().of(text), text);
    }

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
