//! Holds, violated or undecided; and which of several answers decides for all of them.

use crate::{Audit, Counterexample, Round, Vacuity, Violation};
use verdict::{Certificate, Gap, ProgramProof, Statistics, Undecided};

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

    /// The run of a C program that violates it, if that is what shows it.
    pub fn run(&self) -> Option<&Violation> {
        match self.counterexample() {
            Some(Counterexample::Run(violation)) => Some(violation),
            _ => None,
        }
    }

    /// What a proof about a C program rests on, if it is one.
    pub fn program_proof(&self) -> Option<&ProgramProof> {
        match self {
            Verdict::Holds(Certificate::Program(proof)) => Some(proof),
            _ => None,
        }
    }

    /// The same, of a proof about a C program that does not carry all that it rests on.
    #[must_use]
    pub fn with_gap(mut self, gap: Gap) -> Verdict {
        if let Verdict::Holds(Certificate::Program(proof)) = &mut self {
            proof.gap = Some(gap);
        }
        self
    }

    /// Why it is open, if it is.
    pub fn undecided(&self) -> Option<&Undecided> {
        match self {
            Verdict::Undecided(undecided) => Some(undecided),
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

impl From<ProgramProof> for Verdict {
    fn from(proof: ProgramProof) -> Verdict {
        Verdict::Holds(Certificate::Program(Box::new(proof)))
    }
}

impl From<Box<Violation>> for Verdict {
    fn from(violation: Box<Violation>) -> Verdict {
        Counterexample::Run(violation).into()
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
    /// How a proof argues, in a sentence; empty where the certificate says it all.
    pub how: String,
    /// What had to be assumed; a verdict is under these.
    pub assumptions: Vec<String>,
    /// Worth knowing, such as a formula that holds vacuously.
    pub remarks: Vec<String>,
    /// What it took.
    pub statistics: Statistics,
    /// The last Boolean program of predicate abstraction, as text, if there was one.
    pub boolean: Option<String>,
    /// The rounds of refinement, where there were some and somebody kept them.
    pub rounds: Vec<Round>,
    /// What a second look at the certificate said, if there was one.
    pub audit: Option<Audit>,
    /// Whether a proof says anything, if that was looked at.
    pub vacuity: Option<Vacuity>,
}

impl Answer {
    /// An answer without assumptions, remarks or statistics.
    pub fn new(property: impl Into<String>, engine: &'static str, verdict: Verdict) -> Answer {
        Answer {
            property: property.into(),
            verdict,
            engine,
            engine_reason: String::new(),
            how: String::new(),
            assumptions: Vec::new(),
            remarks: Vec::new(),
            statistics: Statistics::default(),
            boolean: None,
            rounds: Vec::new(),
            audit: None,
            vacuity: None,
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

    /// It holds: how, and what the proof rests on.
    pub fn proved(engine: &'static str, how: impl Into<String>, proof: ProgramProof) -> Answer {
        Answer { how: how.into(), ..Answer::by(engine, proof) }
    }

    /// Adds assumptions, each once.
    pub fn assume(&mut self, sentences: impl IntoIterator<Item = String>) {
        for sentence in sentences {
            if !self.assumptions.contains(&sentence) {
                self.assumptions.push(sentence);
            }
        }
    }

    /// Takes a verdict back: it is open, for this reason. What came with it stays.
    pub fn downgrade(&mut self, undecided: Undecided) {
        self.verdict = undecided.into();
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
