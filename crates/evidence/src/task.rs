//! What was asked: files, property, data model. Evidence means nothing without it.

use crate::any_number::AnyNumber;
use program::DataModel;
use question::{Missing, Property};
use sha2::{Digest, Sha256};

/// A file of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFile {
    /// Its name, as the user gave it.
    pub name: String,
    /// The SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The C files.
    pub files: Vec<TaskFile>,
    /// What must not happen.
    pub property: Property,
    /// What functions without a body are taken for.
    pub missing: Missing,
    /// Sizes of `long` and pointers.
    pub data_model: DataModel,
    /// Where runs start, and what allocation may do.
    pub lowering: lower::Settings,
    /// For a proof about all interleavings of threads as one program: how that is made.
    pub threads: Option<ThreadsAsOne>,
}

/// How all interleavings of a program's threads become one sequential program. Whether races are looked for is told by the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadsAsOne {
    /// Threads that one call can create when it is made again and again.
    pub most_at_once: u32,
    /// What is supposed of the others, where the proof is one for any number of threads.
    pub any: Option<AnyNumber>,
}

impl Task {
    /// The property in the notation of the verification competition, one line per part.
    pub fn specification(&self) -> String {
        let mut lines = Vec::new();
        let mut add = |formula: String| lines.push(format!("CHECK( init(main()), LTL({formula}) )"));
        for function in &self.property.functions {
            add(format!("G ! call({function}())"));
        }
        if self.property.assertions {
            add("G assert".to_owned());
        }
        for label in &self.property.labels {
            add(format!("G ! label({label})"));
        }
        for check in self.property.checks.iter() {
            add(format!("G ! {}", check.name()));
        }
        lines.join("\n")
    }

    /// `ILP32` or `LP64`.
    pub fn data_model_name(&self) -> &'static str {
        match self.data_model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn hashes_are_those_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::sha256(b"abc"), expected);
    }
}
