//! A temporal formula that is asked of every run of a C program.

/// What runs that end mean to a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FiniteRuns {
    /// They count as they are: there is no next position after the last one (SELTL 3).
    #[default]
    Count,
    /// The last position lasts for ever, and is its own next one.
    Repeat,
    /// They satisfy every formula.
    Ignore,
}

impl FiniteRuns {
    /// All of them.
    pub const ALL: [FiniteRuns; 3] = [FiniteRuns::Count, FiniteRuns::Repeat, FiniteRuns::Ignore];

    /// As users and files write it.
    pub fn name(self) -> &'static str {
        match self {
            FiniteRuns::Count => "count",
            FiniteRuns::Repeat => "repeat",
            FiniteRuns::Ignore => "ignore",
        }
    }
}

/// A formula, and what it means of runs that end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporal {
    /// As it is written.
    pub formula: String,
    /// What runs that end mean.
    pub finite_runs: FiniteRuns,
}

impl Temporal {
    /// In words.
    pub fn words(&self) -> String {
        let formula = self.formula.trim();
        match self.finite_runs {
            FiniteRuns::Ignore => format!("every run that does not end satisfies {formula}"),
            FiniteRuns::Count | FiniteRuns::Repeat => format!("every run satisfies {formula}"),
        }
    }
}
