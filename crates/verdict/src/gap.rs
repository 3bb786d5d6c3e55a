//! What a proof rests on and its certificate does not say.

use std::fmt::{self, Display, Formatter};

/// Why a certificate does not say all that the proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// An invariant names an allocated block by a number that blocks of other runs may get.
    NamesBlocks,
    /// That every run can end is supposed of what is lost, and not shown by invariants.
    RunsCanEnd,
    /// What the interval analysis knows is not among the invariants.
    IntervalFacts,
    /// A part of a condition has no text.
    Unwritten {
        /// Whose condition it is.
        of: String,
    },
    /// What a certificate that was read says of itself.
    Read {
        /// In its words.
        why: String,
    },
}

impl Display for Gap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Gap::NamesBlocks => {
                f.write_str("an invariant names an allocated block by a number that other blocks may get")
            }
            Gap::RunsCanEnd => f.write_str(
                "that a run can end from wherever it is, so that a lost block would be left behind, is not shown again",
            ),
            Gap::IntervalFacts => f.write_str("what the interval analysis knows is not written down"),
            Gap::Unwritten { of } => write!(f, "a part of {of} cannot be written down"),
            Gap::Read { why } => f.write_str(why),
        }
    }
}
