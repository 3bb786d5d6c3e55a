//! Many files: time against lines, and the share of error calls that are excluded by this level alone.

use base::Budget;
use intervals::Certainty;
use intervals::{Settings, analyse};
use program::DataModel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One file.
#[derive(Debug)]
pub struct Row {
    /// Which.
    pub file: PathBuf,
    /// Its lines.
    pub lines: usize,
    /// Time to read it.
    pub reading: Duration,
    /// Time to analyse it.
    pub analysing: Duration,
    /// How it went.
    pub outcome: Outcome,
}

/// How the analysis of a file went.
#[derive(Debug)]
pub enum Outcome {
    /// Finished: error calls that are excluded, all of them, possible findings.
    Done {
        /// Error calls that no run gets to.
        proved: usize,
        /// All error calls.
        errors: usize,
        /// Operations that may go wrong.
        possible: usize,
    },
    /// It could not be read.
    Unread(String),
    /// The time was not enough.
    TooLong,
    /// Our mistake.
    Panicked,
}

/// Analyses one file.
pub fn measure(file: &Path, model: DataModel, limit: Duration, settings: &Settings) -> Row {
    let lines = std::fs::read_to_string(file).map_or(0, |text| text.lines().count());
    let began = Instant::now();
    let program = catch_unwind(AssertUnwindSafe(|| crate::read::file(file, model)));
    let reading = began.elapsed();
    let mut row =
        Row { file: file.to_owned(), lines, reading, analysing: Duration::ZERO, outcome: Outcome::Panicked };
    let program = match program {
        Ok(Ok(program)) => program,
        Ok(Err(message)) => {
            row.outcome = Outcome::Unread(message);
            return row;
        }
        Err(_) => return row,
    };
    let began = Instant::now();
    let budget = Budget::unlimited().with_time(limit);
    let analysed = catch_unwind(AssertUnwindSafe(|| {
        analyse(&program, settings, &budget).map(|analysis| {
            let proved = analysis.error_calls.iter().filter(|call| !call.can_be_reached).count();
            let possible =
                analysis.findings.iter().filter(|one| one.certainty != Certainty::Excluded).count();
            (proved, analysis.error_calls.len(), possible)
        })
    }));
    row.analysing = began.elapsed();
    row.outcome = match analysed {
        Ok(Ok((proved, errors, possible))) => Outcome::Done { proved, errors, possible },
        Ok(Err(_)) => Outcome::TooLong,
        Err(_) => Outcome::Panicked,
    };
    row
}
