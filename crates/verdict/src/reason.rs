//! Why there is no answer: one kind for each cause, with its data. People read its one sentence, programs its
//! stable name.

use crate::shape::Shape;
use base::{Exhausted, Span};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was reached.
    TimeLimit,
    /// The memory limit was reached.
    MemoryLimit,
    /// The user interrupted the run.
    Interrupted,
    /// A limit on a size was reached, such as states or subsets.
    SizeLimit {
        /// What was counted.
        what: &'static str,
        /// How many are allowed.
        limit: u64,
    },
    /// A reached function has neither body nor specification.
    MissingBody {
        /// The function that is called.
        function: String,
        /// Where it is called.
        called_at: Span,
    },
    /// A solver could not say.
    SolverUnknown {
        /// What it was asked.
        question: String,
    },
    /// The input uses something that is not supported.
    NotSupported {
        /// What it is.
        construct: String,
        /// Where it stands.
        at: Span,
    },
    /// The engine that was asked for cannot answer this kind of question.
    EngineCannot {
        /// The engine, as `--engine` names it.
        engine: &'static str,
        /// Why it cannot.
        why: String,
    },
    /// A proof was found whose certificate does not stand up to an audit: a mistake of ours.
    NotAudited {
        /// What does not hold.
        why: String,
    },
    /// A counterexample was found in an abstraction, and could neither be confirmed nor refuted.
    NotConfirmed {
        /// What stood in the way.
        why: String,
    },
    /// A run may come to undefined behaviour that nobody asked about, past which nothing is known.
    UnknownPast {
        /// What it is, where, and what stood in the way of a run that shows it.
        why: String,
    },
    /// An analysis of all runs at once cannot exclude it; whether a run does it was not asked.
    NotExcluded {
        /// What it cannot exclude, in a sentence without a full stop.
        what: String,
    },
    /// A solver gave up on a query of an engine.
    SolverGaveUp {
        /// In its own words.
        why: String,
    },
    /// A solver says that a query can be met, and gives no values that meet it.
    NoModel(NoModel),
    /// The method does not take programs of this shape.
    ProgramShape(Shape),
    /// No invariants were found under which nothing fails (inductive strengthening).
    NoInvariant {
        /// What is missing, in a sentence without a full stop.
        why: String,
    },
    /// No predicates were found that exclude a path that cannot be taken (refinement).
    NoPredicates {
        /// What is missing, in a sentence without a full stop.
        why: String,
    },
    /// No measure was found that falls on every way round a loop (ranking function).
    NoMeasure {
        /// What is missing, in a sentence without a full stop.
        why: String,
    },
    /// The abstraction has failures that it cannot tell from those of the program.
    TooCoarse {
        /// What cannot be told, in a sentence without a full stop.
        what: String,
    },
    /// A run does not go as it was foretold.
    RunDeparts {
        /// How it departs, in a sentence without a full stop.
        how: String,
    },
    /// A condition or formula has no meaning here.
    NotUnderstood {
        /// What it is and why, in a sentence without a full stop.
        what: String,
    },
    /// The engine had its share of the time or of the steps; there was more for others.
    ShareUsedUp {
        /// Which share, in a sentence without a full stop.
        which: String,
    },
    /// Something that a proof needs was not shown again.
    ObligationOpen {
        /// What it is.
        what: String,
    },
    /// A certificate is not of the form that it must have.
    BadCertificate {
        /// What is wrong with it.
        what: String,
    },
}

/// What is the matter with the values that a solver gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoModel {
    /// There are none.
    Missing,
    /// They do not meet the query.
    Contradicts,
}

impl Reason {
    /// Is it a limit that the user set for the whole run, or the end that the user made of it?
    pub fn is_limit_of_the_run(&self) -> bool {
        matches!(self, Reason::TimeLimit | Reason::MemoryLimit | Reason::Interrupted)
    }
}

impl Reason {
    /// A solver gave up, in its own words.
    pub fn solver(said: &impl std::fmt::Display) -> Reason {
        Reason::SolverGaveUp { why: said.to_string() }
    }

    /// The names of all kinds, as [`Reason::kind`] gives them.
    pub const KINDS: [&str; 24] = [
        "time-limit",
        "memory-limit",
        "interrupted",
        "size-limit",
        "missing-body",
        "solver-unknown",
        "not-supported",
        "engine-cannot",
        "not-audited",
        "not-confirmed",
        "unknown-past",
        "not-excluded",
        "solver-gave-up",
        "no-model",
        "program-shape",
        "no-invariant",
        "no-predicates",
        "no-measure",
        "too-coarse",
        "run-departs",
        "not-understood",
        "share-used-up",
        "obligation-open",
        "bad-certificate",
    ];

    /// The name of the kind, for programs: it stays when sentences get better.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::TimeLimit => "time-limit",
            Reason::MemoryLimit => "memory-limit",
            Reason::Interrupted => "interrupted",
            Reason::SizeLimit { .. } => "size-limit",
            Reason::MissingBody { .. } => "missing-body",
            Reason::SolverUnknown { .. } => "solver-unknown",
            Reason::NotSupported { .. } => "not-supported",
            Reason::EngineCannot { .. } => "engine-cannot",
            Reason::NotAudited { .. } => "not-audited",
            Reason::NotConfirmed { .. } => "not-confirmed",
            Reason::UnknownPast { .. } => "unknown-past",
            Reason::NotExcluded { .. } => "not-excluded",
            Reason::SolverGaveUp { .. } => "solver-gave-up",
            Reason::NoModel(_) => "no-model",
            Reason::ProgramShape(_) => "program-shape",
            Reason::NoInvariant { .. } => "no-invariant",
            Reason::NoPredicates { .. } => "no-predicates",
            Reason::NoMeasure { .. } => "no-measure",
            Reason::TooCoarse { .. } => "too-coarse",
            Reason::RunDeparts { .. } => "run-departs",
            Reason::NotUnderstood { .. } => "not-understood",
            Reason::ShareUsedUp { .. } => "share-used-up",
            Reason::ObligationOpen { .. } => "obligation-open",
            Reason::BadCertificate { .. } => "bad-certificate",
        }
    }
}

/// That something is not supported; some constructs are told as sentences that say so.
fn not_supported(construct: &str) -> String {
    if construct.contains(", whose ") {
        return format!("{construct}, is not supported");
    }
    match [" is not ", " are not "].iter().any(|words| construct.contains(words)) {
        true => construct.to_owned(),
        false => format!("{construct} is not supported"),
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::TimeLimit => write!(f, "{}", Exhausted::Time),
            Reason::MemoryLimit => write!(f, "{}", Exhausted::Memory),
            Reason::Interrupted => write!(f, "{}", Exhausted::Cancelled),
            Reason::SizeLimit { what, limit } => write!(f, "more than {limit} {what}"),
            Reason::MissingBody { function, .. } => {
                write!(f, "`{function}` has neither a body nor a specification")
            }
            Reason::SolverUnknown { question } => write!(f, "the solver could not say whether {question}"),
            Reason::NotSupported { construct, .. } => f.write_str(&not_supported(construct)),
            Reason::EngineCannot { engine, why } => {
                write!(f, "the engine `{engine}` cannot answer this: {why}")
            }
            Reason::NotAudited { why } => {
                write!(f, "internal error: a proof was found, and its certificate does not audit: {why}")
            }
            Reason::NotConfirmed { why } => {
                write!(f, "a possible counterexample could not be confirmed: {why}")
            }
            Reason::UnknownPast { why } => f.write_str(why),
            Reason::NotExcluded { what: sentence }
            | Reason::SolverGaveUp { why: sentence }
            | Reason::NoInvariant { why: sentence }
            | Reason::NoPredicates { why: sentence }
            | Reason::NoMeasure { why: sentence }
            | Reason::TooCoarse { what: sentence }
            | Reason::RunDeparts { how: sentence }
            | Reason::NotUnderstood { what: sentence }
            | Reason::ShareUsedUp { which: sentence }
            | Reason::ObligationOpen { what: sentence }
            | Reason::BadCertificate { what: sentence } => f.write_str(sentence),
            Reason::NoModel(NoModel::Missing) => f.write_str("the solver gives no values"),
            Reason::NoModel(NoModel::Contradicts) => f.write_str("a model does not show what it should"),
            Reason::ProgramShape(shape) => shape.fmt(f),
        }
    }
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Reason {
        match exhausted {
            Exhausted::Time => Reason::TimeLimit,
            Exhausted::Memory => Reason::MemoryLimit,
            Exhausted::Cancelled => Reason::Interrupted,
        }
    }
}

impl From<Shape> for Reason {
    fn from(shape: Shape) -> Reason {
        Reason::ProgramShape(shape)
    }
}

impl From<NoModel> for Reason {
    fn from(flaw: NoModel) -> Reason {
        Reason::NoModel(flaw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_and_sentences_differ_from_them() {
        let why = || "stuck".to_owned();
        let at = Span::NOWHERE;
        let one_of_each = [
            Reason::TimeLimit,
            Reason::MemoryLimit,
            Reason::Interrupted,
            Reason::SizeLimit { what: "states", limit: 7 },
            Reason::MissingBody { function: why(), called_at: at },
            Reason::SolverUnknown { question: why() },
            Reason::NotSupported { construct: why(), at },
            Reason::EngineCannot { engine: "bmc", why: why() },
            Reason::NotAudited { why: why() },
            Reason::NotConfirmed { why: why() },
            Reason::UnknownPast { why: why() },
            Reason::NotExcluded { what: why() },
            Reason::SolverGaveUp { why: why() },
            Reason::NoModel(NoModel::Missing),
            Reason::ProgramShape(Shape::NoMain),
            Reason::NoInvariant { why: why() },
            Reason::NoPredicates { why: why() },
            Reason::NoMeasure { why: why() },
            Reason::TooCoarse { what: why() },
            Reason::RunDeparts { how: why() },
            Reason::NotUnderstood { what: why() },
            Reason::ShareUsedUp { which: why() },
            Reason::ObligationOpen { what: why() },
            Reason::BadCertificate { what: why() },
        ];
        let kinds: Vec<&str> = one_of_each.iter().map(Reason::kind).collect();
        assert_eq!(kinds, Reason::KINDS);
        for reason in &one_of_each {
            assert_ne!(reason.to_string(), reason.kind());
        }
    }
}
