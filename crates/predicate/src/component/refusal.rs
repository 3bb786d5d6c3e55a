//! Why something has no meaning here, and why a component cannot be made.

/// Something that has no meaning here, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood(String);

impl From<String> for NotUnderstood {
    fn from(why: String) -> NotUnderstood {
        NotUnderstood(why)
    }
}

impl From<&str> for NotUnderstood {
    fn from(why: &str) -> NotUnderstood {
        NotUnderstood(why.to_owned())
    }
}

impl std::fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a component cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotBuild {
    /// A procedure has no body.
    NoBody {
        /// Its name.
        procedure: String,
    },
    /// The questions tell more kinds of returns apart than can be told.
    TooManyReturns {
        /// How many can.
        most: usize,
    },
    /// The condition of a return has no meaning.
    Return(NotUnderstood),
    /// The guard has no meaning.
    Guard {
        /// Its text.
        text: String,
        /// Why it was not understood.
        why: NotUnderstood,
    },
    /// A proposition has no meaning.
    Proposition {
        /// Its text.
        text: String,
        /// Why it was not understood.
        why: NotUnderstood,
    },
}

impl From<NotUnderstood> for CannotBuild {
    fn from(why: NotUnderstood) -> CannotBuild {
        CannotBuild::Return(why)
    }
}

impl std::fmt::Display for CannotBuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CannotBuild::NoBody { procedure } => write!(f, "`{procedure}` has no body"),
            CannotBuild::TooManyReturns { most } => write!(f, "more than {most} return conditions"),
            CannotBuild::Return(why) => write!(f, "{why}"),
            CannotBuild::Guard { text, why } => write!(f, "the guard `{text}`: {why}"),
            CannotBuild::Proposition { text, why } => write!(f, "the proposition `{text}`: {why}"),
        }
    }
}
