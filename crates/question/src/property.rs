//! What must never happen in a C program, and what functions without a body are taken for.

use crate::checks::{Check, Checks};
use crate::temporal::Temporal;
use program::{BROKEN_CONDITION, DATA_RACE, DEADLOCK, Known, Procedure, THREAD_MISUSE};

/// What must never happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// A failing `assert`.
    pub assertions: bool,
    /// A call of one of these functions.
    pub functions: Vec<String>,
    /// Control at a place with one of these labels.
    pub labels: Vec<String>,
    /// Undefined behaviour of these kinds.
    pub checks: Checks,
    /// Undefined behaviour of these kinds ends a run and breaks nothing: it was asked about before, and what comes
    /// after it is not asked about (see `parts`).
    pub passed: Checks,
    /// A run that goes on for ever. Then a signed overflow gives a value that is nobody's choice, and all other
    /// undefined behaviour ends a run.
    pub endless_runs: bool,
    /// Which of them must not be, then.
    pub cycles: Cycles,
    /// The formula that this is about, of a program times its automaton.
    pub temporal: Option<Temporal>,
}

/// Which runs that go on for ever must not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cycles {
    /// None may be.
    #[default]
    Forbidden,
    /// Those on which a variable that counts marks is raised for ever.
    Marked {
        /// The variable.
        marks: String,
        /// The variable that is the state of the automaton that sets marks.
        state: String,
        /// How many values that has, from 0 on.
        states: u32,
    },
    /// All may be.
    Allowed,
}

impl Property {
    /// Every run ends: by the return of `main`, `exit`, `abort`, a failed assertion or an error function. A run that
    /// meets undefined behaviour other than a signed overflow is over there.
    pub fn every_run_ends() -> Property {
        use Check::{Bounds, Division, DoubleFree, Pointer, Shift, Unreachable, UseAfterFree};
        let ends_a_run = [Division, Shift, Bounds, Pointer, UseAfterFree, DoubleFree, Unreachable];
        let passed = ends_a_run.into_iter().fold(Checks::none(), Checks::with);
        Property { passed, endless_runs: true, ..Property::default() }
    }

    /// Every run satisfies a formula, as it is asked of the program itself.
    pub fn satisfies(temporal: Temporal) -> Property {
        Property { temporal: Some(temporal), ..Property::every_run_ends() }
    }

    /// No assertion fails and no error function is called: what is asked unless something else is.
    pub fn standard() -> Property {
        let functions = vec!["reach_error".to_owned(), "__VERIFIER_error".to_owned()];
        Property { assertions: true, functions, ..Property::default() }
    }

    /// One function is never called.
    pub fn never_called(function: &str) -> Property {
        Property { functions: vec![function.to_owned()], ..Property::default() }
    }

    /// Must signed overflow and shift counts be watched?
    pub fn watches_arithmetic(&self) -> bool {
        self.checks.watch_arithmetic() || self.passed.watch_arithmetic()
    }

    /// Is a call of the procedure what must not happen?
    pub fn forbids(&self, procedure: &Procedure) -> bool {
        self.functions.iter().any(|name| **name == *procedure.name)
            || (self.assertions && procedure.known == Some(Known::AssertFail) && procedure.is_native())
    }

    /// In words.
    pub fn words(&self) -> String {
        if let Some(temporal) = &self.temporal {
            return temporal.words();
        }
        let mut parts = Vec::new();
        if self.endless_runs {
            parts.push("every run ends".to_owned());
        }
        if self.assertions {
            parts.push("no assertion fails".to_owned());
        }
        // What stands for a check is told as that; the misuse of threads is a part of `library`, which is told below.
        let stand_ins = [(DATA_RACE, Check::Race), (DEADLOCK, Check::Deadlock)];
        for (name, check) in stand_ins {
            if self.functions.iter().any(|own| own == name) {
                parts.push(format!("there is no {}", check.words()));
            }
        }
        let is_plain =
            |name: &&String| ![BROKEN_CONDITION, DATA_RACE, DEADLOCK, THREAD_MISUSE].contains(&name.as_str());
        let functions: Vec<&String> = self.functions.iter().filter(is_plain).collect();
        let standard = Property::standard().functions;
        if functions.iter().copied().eq(&standard) {
            parts.push("no error function is called".to_owned());
        } else if !functions.is_empty() {
            let names: Vec<String> = functions.iter().map(|name| format!("`{name}`")).collect();
            parts.push(format!("{} is never called", names.join(" or ")));
        }
        if !self.labels.is_empty() {
            let names: Vec<String> = self.labels.iter().map(|name| format!("`{name}`")).collect();
            parts.push(format!("label {} is never reached", names.join(" or ")));
        }
        parts.extend(self.checks.words());
        parts.join(", ")
    }
}

/// What a function with neither body nor known meaning is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    /// Nothing is known past a call of it.
    #[default]
    Stop,
    /// Its result may be anything, and it changes nothing else.
    AnyResult,
    /// Its result may be anything, and it may write to all it can get at; the program was lowered so
    /// (`missing_may_write`).
    AnyEffect,
}
