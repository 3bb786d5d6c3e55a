//! Holds, violated or undecided; and which of several answers decides for all of them.

use crate::Counterexample;
use verdict::{Certificate, Statistics, Undecided};

/// The answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The property holds of everything it was asked about.
    Holds(Certificate),
    /// The property does not hold; the counterexample shows it.
    Violated(Box<Counterexample>),
    /// Neither was established.
    Undecided(Box<Undecided>),
}

impl Verdict {
    /// Does it hold?
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Holds(_))
    }

    /// Is it violated?
    pub fn is_violated(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }

    /// Is it open?
    pub fn is_undecided(&self) -> bool {
        matches!(self, Verdict::Undecided(_))
    }

    /// The counterexample, if it is violated.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Verdict::Violated(counterexample) => Some(counterexample),
            _ => None,
        }
    }

    /// The word users and files see: `holds`, `violated` or `undecided`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Undecided(_) => "undecided",
        }
    }

    /// Place in the order "violated, then undecided, then holds": the higher decides.
    fn weight(&self) -> u8 {
        match self {
            Verdict::Holds(_) => 0,
            Verdict::Undecided(_) => 1,
            Verdict::Violated(_) => 2,
        }
    }
}

impl From<Undecided> for Verdict {
    fn from(undecided: Undecided) -> Verdict {
        Verdict::Undecided(Box::new(undecided))
    }
}

impl From<Counterexample> for Verdict {
    fn from(counterexample: Counterexample) -> Verdict {
        Verdict::Violated(Box::new(counterexample))
    }
}

/// One property with its verdict, who found it and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The property, as the user named it.
    pub property: String,
    /// The answer.
    pub verdict: Verdict,
    /// The engine that answered, such as `explicit`.
    pub engine: &'static str,
    /// Why this engine was taken; empty if the user forced it.
    pub engine_reason: String,
    /// What had to be assumed; a verdict is under these.
    pub assumptions: Vec<String>,
    /// Worth knowing, such as a formula that holds vacuously.
    pub remarks: Vec<String>,
    /// What it took.
    pub statistics: Statistics,
}

impl Answer {
    /// An answer without assumptions, remarks or statistics.
    pub fn new(property: impl Into<String>, engine: &'static str, verdict: Verdict) -> Answer {
        Answer {
            property: property.into(),
            verdict,
            engine,
            engine_reason: String::new(),
            assumptions: Vec::new(),
            remarks: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// An answer of an engine to a question that its caller will name.
    pub fn by(engine: &'static str, verdict: impl Into<Verdict>) -> Answer {
        Answer::new(String::new(), engine, verdict.into())
    }

    /// Adds a count.
    #[must_use]
    pub fn count(mut self, name: &'static str, value: usize) -> Answer {
        self.statistics.count(name, value as u64);
        self
    }

    /// Adds what is worth knowing.
    #[must_use]
    pub fn remark(mut self, remark: impl Into<String>) -> Answer {
        self.remarks.push(remark.into());
        self
    }
}

/// The answer that decides for all of them: violated before undecided before holds; the first among equals.
pub fn worst<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> Option<&'a Answer> {
    let mut decisive: Option<&Answer> = None;
    for answer in answers {
        if decisive.is_none_or(|known| answer.verdict.weight() > known.verdict.weight()) {
            decisive = Some(answer);
        }
    }
    decisive
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict::{Path, Reason};

    #[test]
    fn violated_decides_before_undecided_before_holds() {
        let holds = Answer::new("a", "explicit", Verdict::Holds(Certificate::Unrecorded));
        let open = Answer::new("b", "explicit", Undecided::because(Reason::TimeLimit).into());
        let broken = Answer::new("c", "explicit", Counterexample::Path(Path::default()).into());
        assert!(worst([]).is_none());
        assert_eq!(worst(&[holds.clone(), holds.clone()]).unwrap().property, "a");
        assert_eq!(worst(&[holds.clone(), open.clone()]).unwrap().property, "b");
        assert_eq!(worst(&[holds, broken, open]).unwrap().property, "c");
    }
}
