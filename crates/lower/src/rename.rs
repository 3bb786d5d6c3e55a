//! A copy of a body whose variables are others.

use program::VariableId;
use program::rewrite::Rewrite;
use rustc_hash::FxHashMap;

/// Which variable stands for which in the copy; those that are not here stay.
#[derive(Debug, Default)]
pub(crate) struct Renaming(pub FxHashMap<VariableId, VariableId>);

impl Rewrite for Renaming {
    fn variable(&mut self, variable: &mut VariableId) {
        if let Some(&other) = self.0.get(variable) {
            *variable = other;
        }
    }
}
