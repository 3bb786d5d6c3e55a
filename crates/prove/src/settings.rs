//! What may be used to answer.

use question::Missing;

/// What the user chose.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What missing functions are taken for.
    pub missing: Missing,
    /// The greatest number of rounds a loop is unrolled, if there is to be one.
    pub most_rounds: Option<u32>,
}
