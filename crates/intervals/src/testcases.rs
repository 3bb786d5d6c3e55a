//! Abstract tests: what inputs can be, per line and variable, in the order they are read. After AMC 2.8 and
//! appendix D.
//!
//! Rows of a test-case file for one line and variable form a sequence: the first read at that line takes the
//! first row, and so on; the last one is repeated. Without a row, an assumption (line 0) bounds the value;
//! without that it is any.

use crate::domain::integers::{IntegerSet, Range};
use crate::domain::number::{Number, limits};
use program::types::IntegerShape;
use spec::testcase::{self, Bound, Interval};
use std::sync::Arc;

/// What is read at one line into one variable, step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The line, from 1.
    pub line: u32,
    /// The variable that gets the values.
    pub variable: Arc<str>,
    steps: Vec<Vec<Interval>>,
}

/// The rows of a test-case file, ready to be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestCases {
    assumptions: Vec<(Arc<str>, Vec<Interval>)>,
    sequences: Vec<Sequence>,
}

impl Sequence {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Is there none? (There is always one.)
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The values of one row, in the range of a shape.
    pub fn values(&self, step: usize, shape: IntegerShape) -> Number {
        number(&self.steps[step.min(self.steps.len() - 1)], shape)
    }
}

impl From<&testcase::TestCases> for TestCases {
    fn from(file: &testcase::TestCases) -> TestCases {
        let mut cases = TestCases::default();
        for values in &file.assumptions {
            cases.assumptions.push((values.variable.clone(), values.intervals.clone()));
        }
        for row in &file.rows {
            for values in &row.values {
                let known = cases
                    .sequences
                    .iter_mut()
                    .find(|sequence| sequence.line == row.line && sequence.variable == values.variable);
                match known {
                    Some(sequence) => sequence.steps.push(values.intervals.clone()),
                    None => cases.sequences.push(Sequence {
                        line: row.line,
                        variable: values.variable.clone(),
                        steps: vec![values.intervals.clone()],
                    }),
                }
            }
        }
        cases
    }
}

impl TestCases {
    /// Is nothing said?
    pub fn is_empty(&self) -> bool {
        self.assumptions.is_empty() && self.sequences.is_empty()
    }

    /// All sequences.
    pub fn sequences(&self) -> &[Sequence] {
        &self.sequences
    }

    /// The sequence for a read, with its place among all.
    pub fn sequence(&self, line: u32, variable: &str) -> Option<(usize, &Sequence)> {
        let is_meant = |sequence: &&Sequence| sequence.line == line && &*sequence.variable == variable;
        self.sequences.iter().position(|sequence| is_meant(&sequence)).map(|at| (at, &self.sequences[at]))
    }

    /// What the environment is assumed to give for a variable.
    pub fn assumed(&self, variable: &str, shape: IntegerShape) -> Option<Number> {
        let mut values: Option<Number> = None;
        for (_, intervals) in self.assumptions.iter().filter(|(name, _)| &**name == variable) {
            let more = number(intervals, shape);
            values = Some(values.map_or(more.clone(), |known| known.meet(&more)));
        }
        values
    }

    /// The variables that the file names.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let assumed = self.assumptions.iter().map(|(name, _)| &**name);
        assumed.chain(self.sequences.iter().map(|sequence| &*sequence.variable))
    }
}

/// The integers in the intervals that the shape has; bounds with a fraction are moved inwards to whole
/// numbers.
fn number(intervals: &[Interval], shape: IntegerShape) -> Number {
    let around = limits(shape);
    let bound = |bound: &Bound, is_low: bool| match bound {
        Bound::Least => around.low,
        Bound::Greatest => around.high,
        Bound::Integer(value) => *value,
        Bound::Decimal(text) => {
            let value: f64 = text.parse().unwrap_or(0.0);
            (if is_low { value.ceil() } else { value.floor() }) as i128
        }
    };
    let ranges = intervals.iter().filter_map(|interval| {
        let (low, high) =
            (bound(&interval.low, true).max(around.low), bound(&interval.high, false).min(around.high));
        (low <= high).then_some(Range { low, high })
    });
    Number::of(IntegerSet::of(ranges, usize::MAX), crate::domain::congruence::Congruence::ANY)
}
