//! One program, three ways: compiled by gcc, run by `concrete`, and printed from its normalised form and compiled
//! again. All three must agree on output and exit status.

use crate::generate::Model;
use crate::native::{self, Ending, Observed, Scratch};
use crate::ours::{self, Ran, Read, Reading};
use std::path::Path;
use std::time::Duration;

/// What to compare, and for how long.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How the program is read.
    pub reading: Reading,
    /// Arguments for gcc, such as `-I…`.
    pub gcc_arguments: Vec<String>,
    /// Time for the compiled program.
    pub native_limit: Duration,
    /// Time for the concrete run.
    pub concrete_limit: Duration,
    /// Is the program printed as C compared too?
    pub round_trip: bool,
}

impl Settings {
    /// For small programs without headers.
    pub fn small(model: Model) -> Settings {
        Settings {
            reading: Reading::new(model),
            gcc_arguments: Vec::new(),
            native_limit: Duration::from_secs(5),
            concrete_limit: Duration::from_secs(60),
            round_trip: true,
        }
    }
}

/// The result of comparing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All agree.
    Same,
    /// Nothing could be compared, and that is no fault of ours.
    Skipped(&'static str),
    /// Concord needs longer than allowed.
    TooSlow,
    /// A difference.
    Differs(Difference),
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its kind: differences of one kind are often one mistake.
    pub kind: String,
    /// In words.
    pub detail: String,
}

fn differs(kind: impl Into<String>, detail: impl Into<String>) -> Verdict {
    Verdict::Differs(Difference { kind: kind.into(), detail: detail.into() })
}

/// Compares the three ways for the program in a file.
pub fn compare(path: &Path, settings: &Settings) -> std::io::Result<Verdict> {
    let scratch = Scratch::new()?;
    let model = settings.reading.model;
    let arguments: Vec<&str> = settings.gcc_arguments.iter().map(String::as_str).collect();
    let binary = scratch.file("native");
    if native::compile(path, &binary, model, &arguments).is_err() {
        return Ok(Verdict::Skipped("gcc does not compile it"));
    }
    let expected = match native::run(&binary, settings.native_limit)? {
        Ending::Ended(observed) => observed,
        Ending::TimedOut => return Ok(Verdict::Skipped("the compiled program takes too long")),
    };
    let ours = ours::guarded(|| {
        let program = match ours::read(path, &settings.reading) {
            Read::Lowered(program) => program,
            Read::Rejected(message) => return Err(differs("rejected", message)),
        };
        let ran = ours::run(&program, settings.concrete_limit);
        let printed = settings.round_trip.then(|| program::print_c::print_c(&program));
        Ok((ran, printed))
    });
    let (ran, printed) = match ours {
        Ok(Ok(parts)) => parts,
        Ok(Err(verdict)) => return Ok(verdict),
        Err(panic) => return Ok(differs("panic", panic)),
    };
    match ran {
        Ran::Ended(observed) if observed == expected => {}
        Ran::Ended(observed) => return Ok(differs("run", told(&expected, &observed))),
        Ran::Stopped(kind, message) => return Ok(differs(format!("stopped-{kind}"), message)),
        Ran::TimedOut => return Ok(Verdict::TooSlow),
    }
    match printed {
        Some(printed) => round_trip(&printed, &expected, &scratch, settings),
        None => Ok(Verdict::Same),
    }
}

/// Could the difference be of this kind? Asks our side only, which is much quicker than gcc: for shrinking programs.
pub fn may_differ(path: &Path, settings: &Settings, kind: &str) -> bool {
    let ours = ours::guarded(|| match ours::read(path, &settings.reading) {
        Read::Rejected(_) => "rejected".to_string(),
        Read::Lowered(program) => match ours::run(&program, settings.concrete_limit) {
            Ran::Stopped(kind, _) => format!("stopped-{kind}"),
            Ran::Ended(_) | Ran::TimedOut => String::new(),
        },
    });
    let found = ours.unwrap_or_else(|_| "panic".to_string());
    // Printing may panic as well, and is not tried here.
    found == kind || (found.is_empty() && !kind.starts_with("stopped-") && kind != "rejected")
}

fn round_trip(
    printed: &str,
    expected: &Observed,
    scratch: &Scratch,
    settings: &Settings,
) -> std::io::Result<Verdict> {
    let (source, binary) = (scratch.file("printed.c"), scratch.file("printed"));
    std::fs::write(&source, printed)?;
    if let Err(message) = native::compile(&source, &binary, settings.reading.model, &[]) {
        return Ok(differs("printed-rejected", message));
    }
    Ok(match native::run(&binary, settings.native_limit * 4)? {
        Ending::Ended(observed) if observed == *expected => Verdict::Same,
        Ending::Ended(observed) => differs("printed-run", told(expected, &observed)),
        Ending::TimedOut => differs("printed-hangs", "the printed program does not end"),
    })
}

/// The first line in which two runs differ.
fn told(expected: &Observed, observed: &Observed) -> String {
    let (expected_text, observed_text) =
        (String::from_utf8_lossy(&expected.output), String::from_utf8_lossy(&observed.output));
    let (mut left, mut right) = (expected_text.lines(), observed_text.lines());
    for line in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => {
                let show =
                    |text: Option<&str>| text.map_or("nothing".to_string(), |text| format!("`{text}`"));
                return format!("line {line}: gcc prints {}, ours {}", show(one), show(other));
            }
        }
    }
    format!("exit status: gcc {}, ours {}", expected.status, observed.status)
}

/// Does gcc with its sanitizers find nothing undefined in the program?
pub fn is_defined(path: &Path, settings: &Settings) -> bool {
    let Ok(scratch) = Scratch::new() else { return false };
    let binary = scratch.file("sanitized");
    let mut arguments: Vec<&str> = settings.gcc_arguments.iter().map(String::as_str).collect();
    arguments.extend(["-fsanitize=undefined,address", "-fno-sanitize-recover=undefined"]);
    let plain = scratch.file("plain");
    let model = settings.reading.model;
    if native::compile(path, &binary, model, &arguments).is_err()
        || native::compile(path, &plain, model, &arguments[..settings.gcc_arguments.len()]).is_err()
    {
        return false;
    }
    let ending = native::run(&binary, settings.native_limit * 6);
    // A finding ends the program with a status and output of its own.
    matches!((ending, native::run(&plain, settings.native_limit)), (Ok(one), Ok(other)) if one == other)
}
