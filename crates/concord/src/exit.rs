//! What the exit status means, the same for every verb.

use question::{Answer, Verdict, worst};
use std::process::ExitCode;

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: it holds, or the work was done.
    Holds,
    /// 1: it is violated, or the program misbehaved.
    Violated,
    /// 2: the command line is wrong.
    Usage,
    /// 3: nothing could be decided.
    Undecided,
    /// 4: the input cannot be read.
    BadInput,
    /// 5: a mistake in Concord itself, or results that cannot be written.
    Internal,
    /// The status of the program that `run` ran.
    OfProgram(u8),
}

impl Exit {
    /// The status of the process.
    pub fn status(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Usage => 2,
            Exit::Undecided => 3,
            Exit::BadInput => 4,
            Exit::Internal => 5,
            Exit::OfProgram(status) => status,
        }
    }

    /// What several answers come to: violated before undecided before holds.
    pub fn of_answers<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> Exit {
        match worst(answers).map(|answer| &answer.verdict) {
            None | Some(Verdict::Holds(_)) => Exit::Holds,
            Some(Verdict::Violated(_)) => Exit::Violated,
            Some(Verdict::Undecided(_)) => Exit::Undecided,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.status())
    }
}
