//! A run of a C program that violates a property: found by whoever, made again by the interpreter.

use crate::checks::Check;
use base::Span;
use concrete::{ConsumedInput, Run};

/// A run that violates the property.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// What happened, in words.
    pub what: String,
    /// The built-in check that it violates, if it is one.
    pub check: Option<Check>,
    /// The place in the source.
    pub span: Span,
    /// The inputs of the run, in order.
    pub inputs: Vec<ConsumedInput>,
    /// The run, as the interpreter ended it.
    pub run: Run,
    /// The steps of the run, as far as they were kept.
    pub steps: Vec<concrete::Step>,
    /// The engine that found it.
    pub engine: &'static str,
}
