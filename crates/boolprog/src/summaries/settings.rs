//! What can be switched on and off, so that what each of it brings can be measured.

use logic::bdd::BddSettings;

/// The order of BDD variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableOrder {
    /// In the order in which they are declared.
    Declaration,
    /// Variables that occur together stand together.
    Dependencies,
}

/// Which pending node is looked at next (BOOM 10.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkListOrder {
    /// The newest first.
    DepthFirst,
    /// The oldest first.
    BreadthFirst,
    /// Callees before callers, and inside a procedure predecessors first, so that states merge.
    Merging,
}

/// Values nobody will read (BOOM 10.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadVariables {
    /// They are kept in the diagrams.
    Kept,
    /// Are quantified away.
    Forgotten,
}

/// Globals a procedure does not touch (BOOM app. C).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingGlobals {
    /// Go through it as all others.
    Through,
    /// Pass by its calls.
    By,
}

/// `*` in expressions (BOOM 10.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// Is a BDD variable, quantified away in every step.
    Variables,
    /// Is normalised away before: "can be true" and "can be false" instead of the value.
    Normalised,
}

/// Settings of the summary engine; the default is the fast way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummarySettings {
    /// The order of BDD variables.
    pub variable_order: VariableOrder,
    /// Which node next.
    pub work_list: WorkListOrder,
    /// Values nobody will read.
    pub dead_variables: DeadVariables,
    /// Globals a procedure does not touch.
    pub passing_globals: PassingGlobals,
    /// `*` in expressions.
    pub choices: Choices,
    /// Sizes of the BDD manager.
    pub bdd: BddSettings,
    /// A counterexample longer than this is not written out.
    pub longest_trace: usize,
}

impl Default for SummarySettings {
    fn default() -> Self {
        SummarySettings {
            variable_order: VariableOrder::Dependencies,
            work_list: WorkListOrder::Merging,
            dead_variables: DeadVariables::Forgotten,
            passing_globals: PassingGlobals::By,
            choices: Choices::Normalised,
            bdd: BddSettings::default(),
            longest_trace: 100_000,
        }
    }
}

impl SummarySettings {
    /// Everything switched off: the naive engine that the measurements compare with.
    pub fn naive() -> SummarySettings {
        SummarySettings {
            variable_order: VariableOrder::Declaration,
            work_list: WorkListOrder::BreadthFirst,
            dead_variables: DeadVariables::Kept,
            passing_globals: PassingGlobals::Through,
            choices: Choices::Variables,
            ..SummarySettings::default()
        }
    }
}
