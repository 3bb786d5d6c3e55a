//! A question: what is asked, and of what.

use crate::{Property, Temporal};
use lks::Lks;
use spec::Formula;
use spec::ctl::CtlFormula;
use spec::evaluate::claims::ProgressTest;
use std::sync::Arc;

/// Something that is asked of a subject: a C program, a system of components, a finite model, a Boolean
/// program.
#[derive(Debug)]
pub struct Question<'a, Subject: ?Sized> {
    /// The property, as the user named it.
    pub name: String,
    /// What it is asked of.
    pub about: &'a Subject,
    /// What is asked.
    pub asks: Asks,
}

impl<'a, Subject: ?Sized> Question<'a, Subject> {
    /// Does nothing of this ever happen?
    pub fn never(about: &'a Subject, property: Property) -> Question<'a, Subject> {
        Question { name: property.words(), about, asks: Asks::Never(property) }
    }
}

/// What conformance means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conformance {
    /// Weak simulation (SEEDS correction 5).
    #[default]
    Simulation,
    /// Every trace of the system is one of the specification.
    Trace,
    /// Every stable failure too.
    Failures,
}

impl Conformance {
    /// What holds if the answer is yes, in a sentence.
    pub fn promise(self) -> &'static str {
        match self {
            Conformance::Simulation => "the specification can follow whatever the system does (simulation)",
            Conformance::Trace => "every trace is one of the specification",
            Conformance::Failures => "every trace and every refusal is one of the specification",
        }
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Asks {
    /// Nothing of this ever happens: failing assertions, calls, labels, undefined behaviour.
    Never(Property),
    /// No ERROR is reached.
    NoError,
    /// No deadlock is reached.
    NoDeadlock,
    /// Neither is.
    NoErrorOrDeadlock,
    /// Every maximal run satisfies the state/event formula.
    Satisfies(Formula),
    /// Under fair choice, every run does one of these actions again and again (FSP's progress). Names that
    /// the subject does not have are never done.
    MakesProgress(ProgressTest),
    /// It conforms to the process.
    Conforms(Arc<Lks>, Conformance),
    /// The formula of branching time holds.
    Branching(CtlFormula),
    /// Every run of a C program satisfies the formula, whose atoms are about the program's steps and variables.
    Runs(Temporal),
}

impl Asks {
    /// What holds if the answer is yes, in a sentence.
    pub fn promise(&self) -> String {
        match self {
            Asks::Never(property) => property.words(),
            Asks::NoError => "no property is violated".to_owned(),
            Asks::NoDeadlock => "there is no deadlock".to_owned(),
            Asks::NoErrorOrDeadlock => "no property is violated, and there is no deadlock".to_owned(),
            Asks::Satisfies(_) => "every run satisfies the formula".to_owned(),
            Asks::MakesProgress(_) => "one of these actions always happens again".to_owned(),
            Asks::Conforms(_, how) => how.promise().to_owned(),
            Asks::Branching(_) => "the formula holds".to_owned(),
            Asks::Runs(temporal) => temporal.words(),
        }
    }
}
