//! Where verbs about models and Boolean programs write: results, messages, and who hears of answers as they
//! are found. Tests give them texts in place of the terminal.

use crate::cli::Common;
pub use crate::cli::Format;
use crate::exit::Exit;
use crate::output::{self, Look};
use crate::progress::StatusLine;
use base::render::{Colour, render};
use base::{Diagnostic, Diagnostics, EventSink, Severity, Silent, SourceMap};
use std::io::Write;
use std::path::Path;

/// Hears of questions and of their answers as they are found: who ends the run at a limit can tell what is
/// known by then.
pub trait Listener {
    /// What the questions are, in order.
    fn questions(&self, names: Vec<String>);
    /// A question is answered: for people, for machines, and the exit status it would give.
    fn answered(&self, index: usize, text: String, result: serde_json::Value, status: Exit);
    /// The answers are going to be written.
    fn all_is_answered(&self);
}

/// Nobody listens.
impl Listener for () {
    fn questions(&self, _: Vec<String>) {}
    fn answered(&self, _: usize, _: String, _: serde_json::Value, _: Exit) {}
    fn all_is_answered(&self) {}
}

/// How and where results are written.
pub struct Output<'w> {
    /// How results are written.
    pub format: Format,
    /// Colours in messages.
    pub colour: Colour,
    /// Are warnings and notes left out?
    pub is_quiet: bool,
    /// Is more shown than most people need?
    pub is_verbose: bool,
    /// Hears of answers as they are found.
    pub listener: &'w dyn Listener,
    /// Hears what engines say while they work.
    pub events: &'w dyn EventSink,
    /// Knows who worked when, for reports.
    pub status: Option<&'w StatusLine>,
    /// Where results go: standard output, for a process.
    pub results: &'w mut dyn Write,
    /// Where messages go: standard error, for a process.
    pub messages: &'w mut dyn Write,
}

/// Works with the process's own standard streams.
pub(crate) fn at_terminal<T>(
    common: &Common,
    listener: &dyn Listener,
    status: Option<&StatusLine>,
    work: impl FnOnce(&mut Output<'_>) -> T,
) -> T {
    work(&mut Output {
        format: common.format,
        colour: common.colour(),
        is_quiet: common.quiet,
        is_verbose: common.verbose,
        listener,
        events: status.map_or(&Silent as &dyn EventSink, |status| status),
        status,
        results: &mut std::io::stdout(),
        messages: &mut std::io::stderr(),
    })
}

impl Output<'_> {
    /// Writes answers: in colour at a terminal, and only the verdicts if it is to be quiet.
    pub(crate) fn write_answers(&mut self, text: &str) -> Result<(), Refused> {
        self.status.into_iter().for_each(StatusLine::clear);
        let is_human = self.format == Format::Human;
        let is_painted = is_human && self.status.is_some() && output::is_painted(self.colour);
        self.write(&Look { is_quiet: is_human && self.is_quiet, is_painted }.of(text))
    }

    /// Writes results.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Refused> {
        let written = self.results.write_all(text.as_bytes()).and_then(|()| self.results.flush());
        written.map_err(|error| Refused::unwritten(format!("the results cannot be written: {error}")))
    }

    /// Writes a line of messages. Without a standard error there is nobody to tell.
    pub(crate) fn tell(&mut self, text: &str) {
        let _ = writeln!(self.messages, "{text}");
    }

    /// Shows messages about the input.
    pub(crate) fn show(&mut self, diagnostics: &Diagnostics, sources: &SourceMap) {
        for diagnostic in diagnostics.iter() {
            if !self.is_quiet || diagnostic.severity == Severity::Error {
                self.tell(&format!("{}\n", render(diagnostic, sources, self.colour)));
            }
        }
    }
}

/// Why the verb ends early: the status, and the words if they were not said yet.
pub struct Refused {
    /// The exit status.
    pub status: Exit,
    words: Option<String>,
}

/// Where the only text of a source map begins.
pub const ONLY_TEXT: u32 = 1;

impl Refused {
    /// What is wrong in a text that is not one of the files and was read from [`ONLY_TEXT`].
    pub fn inside(status: Exit, name: &str, text: &str, problem: &Diagnostic) -> Refused {
        let mut sources = SourceMap::new();
        let Some(id) = sources.add(name, text) else {
            return Refused::because(status, format!("{name}: {}", problem.message));
        };
        debug_assert_eq!(sources.source(id).base(), ONLY_TEXT, "the only text of a source map");
        Refused { status, words: Some(render(problem, &sources, Colour::Never)) }
    }

    fn because(status: Exit, message: impl std::fmt::Display) -> Refused {
        Refused { status, words: Some(format!("error: {message}")) }
    }

    /// The words were said already.
    pub(crate) fn silent(status: Exit) -> Refused {
        Refused { status, words: None }
    }

    pub(crate) fn undecided(message: impl std::fmt::Display) -> Refused {
        Refused::because(Exit::Undecided, message)
    }

    pub(crate) fn usage(message: impl std::fmt::Display) -> Refused {
        Refused::because(Exit::Usage, message)
    }

    /// Results cannot be written, or contradict each other.
    pub(crate) fn unwritten(message: impl std::fmt::Display) -> Refused {
        Refused::because(Exit::Internal, message)
    }

    pub(crate) fn bad_input(message: impl std::fmt::Display) -> Refused {
        Refused::because(Exit::BadInput, message)
    }

    /// Says why, if that was not said yet, and gives the exit status.
    pub fn told(self, output: &mut Output<'_>) -> Exit {
        if let Some(words) = &self.words {
            output.tell(words);
        }
        self.status
    }
}

/// Writes a file that the user asked for.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Refused> {
    std::fs::write(file, text)
        .map_err(|error| Refused::unwritten(format!("{} cannot be written: {error}", file.display())))
}
