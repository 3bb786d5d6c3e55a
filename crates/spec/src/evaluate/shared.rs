//! What MAGIC's blocks and our additions to them say about names of the language: shared variables with their ranges,
//! and the events of fairness.

use super::Model;
use super::value::Environment;
use crate::syntax::{Label, Name, SharedDefinition};
use base::Diagnostic;
use std::sync::Arc;

/// More values than this make too large a process.
const MOST_VALUES: i64 = 4096;

/// A variable that components share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name in the program.
    pub name: Name,
    /// Its least value.
    pub low: i64,
    /// Its greatest value.
    pub high: i64,
    /// What it begins with, if that is said.
    pub initially: Option<i64>,
}

impl Model<'_> {
    /// The shared variables, in order.
    pub fn shared_variables(&self) -> Result<Vec<SharedVariable>, Diagnostic> {
        self.specification.shared.iter().map(|one| self.shared_variable(one)).collect()
    }

    fn shared_variable(&self, definition: &SharedDefinition) -> Result<SharedVariable, Diagnostic> {
        let span = definition.name.span;
        let mut environment = Environment::new(&self.globals, Vec::new());
        let numbers = environment.numbers(&definition.values, span)?;
        let (Some(&low), Some(&high)) = (numbers.iter().min(), numbers.iter().max()) else {
            unreachable!("an empty range is an error already")
        };
        if high - low >= MOST_VALUES {
            let message = format!("`{}` has more than {MOST_VALUES} values", definition.name.text);
            return Err(Diagnostic::error("too-many-values", span, message).hint("declare a smaller range"));
        }
        let initially = match &definition.initially {
            Some(value) => Some(environment.integer(value)?),
            None => None,
        };
        if let Some(value) = initially.filter(|value| !(low..=high).contains(value)) {
            let message =
                format!("`{}` begins with {value}, which is not within {low}..{high}", definition.name.text);
            return Err(Diagnostic::error("outside-range", span, message));
        }
        Ok(SharedVariable { name: definition.name.clone(), low, high, initially })
    }

    /// All names that a label stands for.
    pub fn names_of(&self, label: &Label) -> Result<Vec<Arc<str>>, Diagnostic> {
        Environment::new(&self.globals, Vec::new()).labels(label)
    }
}
