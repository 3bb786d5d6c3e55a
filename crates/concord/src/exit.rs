//! What the exit status means, the same for every verb.

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

    /// From the status of the verb for finite models.
    pub fn of_model(status: u8) -> Exit {
        use crate::model::status;
        match status {
            status::HOLDS => Exit::Holds,
            status::VIOLATED => Exit::Violated,
            status::USAGE => Exit::Usage,
            status::UNDECIDED => Exit::Undecided,
            status::BAD_INPUT => Exit::BadInput,
            _ => Exit::Internal,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.status())
    }
}
