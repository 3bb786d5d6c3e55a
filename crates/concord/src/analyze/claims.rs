//! What the analysis claims of a program: that a mistake is excluded, that an error function is never called,
//! that a condition always has the same outcome, that code is never reached. Each claim, and what they come
//! to together, leaves through the gate.

use super::show::{is_users, suppositions, unreached};
use crate::settle::{Settled, settle};
use base::{Severity, Span};
use intervals::{Analysis, Certainty, CheckKind, Finding, Why};
use program::ProcedureId;
use question::{Answer, Verdict};
use verdict::{Certificate, Reason, Undecided};

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mistake that an operation could make.
    Mistake(Certainty),
    /// A branch whose condition always has this outcome.
    ConstantCondition(bool),
    /// Code that no run gets to.
    Unreachable,
    /// A call that means an error, which is reached or not.
    ErrorCall(Reach),
}

/// Does the analysis exclude that control gets to a place?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It does: no run gets there.
    Never,
    /// It does not: a run may get there.
    Perhaps,
}

/// One claim, settled.
pub struct Claim {
    /// What it is about.
    pub kind: Kind,
    /// The stable name of what is asked.
    pub rule: &'static str,
    /// Holds if the claim is made; open if the analysis cannot make it.
    pub answer: Settled,
    /// The expression, place or function.
    pub about: String,
    /// The claim, or what cannot be excluded, in a sentence.
    pub message: String,
    /// Where the operation, condition or call stands.
    pub span: Span,
    /// Does it hold of runs up to the undefined behaviour that is told, and says nothing of them past it?
    pub is_up_to_mistakes: bool,
    /// In which function it stands.
    pub procedure: Option<ProcedureId>,
    /// What kind of mistake it is about.
    pub mistake: Option<CheckKind>,
    /// Why it cannot be made.
    pub why: Option<Why>,
    /// Is it a warning that the user has accepted before (`--baseline`)?
    pub is_accepted: bool,
}

/// What claims rest on where a mistake is told: a run counts until its behaviour is undefined.
pub const UP_TO_MISTAKES: &str = "runs are followed up to the undefined behaviour that is reported here; nothing is claimed about what comes after it";

impl Claim {
    fn new(kind: Kind, rule: &'static str, about: &str, message: String, span: Span) -> Claim {
        let verdict = match kind {
            Kind::Mistake(Certainty::Possible | Certainty::Definite) | Kind::ErrorCall(Reach::Perhaps) => {
                Undecided::because(Reason::NotExcluded { what: message.clone() }).into()
            }
            _ => Verdict::Holds(Certificate::Unrecorded),
        };
        let answer = settle(Answer::new(rule, "intervals", verdict), [], &[]);
        Claim {
            kind,
            rule,
            answer,
            about: about.to_owned(),
            message,
            span,
            is_up_to_mistakes: false,
            procedure: None,
            mistake: None,
            why: None,
            is_accepted: false,
        }
    }

    /// Is it still open, or shown to be wrong?
    pub fn is_told(&self) -> bool {
        !self.answer.verdict.holds() && !self.is_accepted
    }

    /// The same claim after another engine has answered what was left open: with its verdict, and its words behind
    /// the message.
    pub fn answered_by(&mut self, engine: &'static str, verdict: Verdict, how: &str) {
        let holds = verdict.holds();
        self.answer = settle(Answer::new(self.rule, engine, verdict), [], &[]);
        match (&mut self.kind, holds) {
            (Kind::Mistake(certainty), true) => {
                *certainty = Certainty::Excluded;
                let what = self.mistake.map_or("it", CheckKind::words);
                self.message = format!("{what} is excluded: `{}` ({how})", self.about);
            }
            (Kind::ErrorCall(reach), true) => {
                *reach = Reach::Never;
                self.message = format!("`{}` is never called here ({how})", self.about);
            }
            (Kind::Mistake(_), false) => {
                let what = self.mistake.map_or("it", CheckKind::words);
                self.message = format!("{what} happens: `{}` ({how})", self.about);
            }
            (_, false) => self.message = format!("`{}` is called here ({how})", self.about),
            (_, true) => {}
        }
        if holds {
            self.why = None;
        }
    }

    /// The same, where it is about runs up to undefined behaviour that is told.
    fn up_to_mistakes(mut self) -> Claim {
        if self.answer.verdict.holds() {
            self.answer = settle((*self.answer).clone(), [UP_TO_MISTAKES.to_owned()], &[]);
            self.is_up_to_mistakes = true;
        }
        self
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        match self.kind {
            _ if self.answer.verdict.holds() => Severity::Note,
            _ if self.answer.verdict.is_violated() => Severity::Error,
            Kind::Mistake(Certainty::Definite) => Severity::Error,
            _ => Severity::Warning,
        }
    }

    /// Is it what nobody needs to look at?
    pub fn is_all_clear(&self) -> bool {
        matches!(self.kind, Kind::Mistake(_) | Kind::ErrorCall(_)) && self.answer.verdict.holds()
    }
}

/// All claims, in the order in which they are shown.
pub fn of(analysis: &Analysis<'_>) -> Vec<Claim> {
    let findings = analysis.findings.iter().filter(|finding| is_users(analysis, finding.procedure));
    let mistakes = findings.map(|finding| {
        let kind = Kind::Mistake(finding.certainty);
        let claim = Claim::new(kind, finding.kind.name(), &finding.about, sentence(finding), finding.span);
        let is_open = finding.certainty != Certainty::Excluded;
        Claim {
            procedure: Some(finding.procedure),
            mistake: Some(finding.kind),
            why: if is_open { analysis.why(finding) } else { None },
            ..claim
        }
    });
    let conditions = analysis.constant_conditions.iter().filter(|one| is_users(analysis, one.procedure));
    let constant = conditions.map(|condition| {
        let message = format!("the condition is always {}", condition.outcome);
        let kind = Kind::ConstantCondition(condition.outcome);
        Claim::new(kind, "constant-condition", "", message, condition.span)
    });
    let unreachable = unreached(analysis)
        .into_iter()
        .map(|span| Claim::new(Kind::Unreachable, "unreachable", "", "no run gets here".into(), span));
    let error_calls = analysis.error_calls.iter().map(|call| {
        let (reach, message) = if call.can_be_reached {
            (Reach::Perhaps, format!("it is not excluded that `{}` is called here", call.function))
        } else {
            (Reach::Never, format!("`{}` is never called here", call.function))
        };
        let claim = Claim::new(Kind::ErrorCall(reach), "error-call", &call.function, message, call.span);
        Claim { procedure: Some(call.procedure), ..claim }
    });
    let mistakes: Vec<Claim> = mistakes.collect();
    let is_told = mistakes.iter().any(|claim| !claim.is_all_clear());
    let paths = constant.chain(unreachable).chain(error_calls);
    let paths = paths.map(|claim| if is_told { claim.up_to_mistakes() } else { claim });
    let paths: Vec<Claim> = paths.collect();
    mistakes.into_iter().chain(paths).collect()
}

/// Does a claim about where runs get rest on their being without the undefined behaviour that is told?
pub fn is_up_to_mistakes(claims: &[Claim]) -> bool {
    claims.iter().any(|claim| claim.is_up_to_mistakes)
}

/// What all claims come to: nothing that was looked for happens, unless one could not be made or part of the
/// program was not seen.
pub fn together(analysis: &Analysis<'_>, claims: &[Claim]) -> Settled {
    let told = || claims.iter().filter(|claim| claim.is_told());
    let shown = told().find_map(|claim| claim.answer.verdict.counterexample());
    let verdict = match (shown, told().next()) {
        (Some(run), _) => Verdict::Violated(Box::new(run.clone())),
        (None, Some(claim)) => Undecided::because(Reason::NotExcluded { what: claim.message.clone() }).into(),
        (None, None) => Verdict::Holds(Certificate::Unrecorded),
    };
    let is_partial = !analysis.missing.is_empty()
        || !analysis.unsupported.is_empty()
        || analysis.has_threads
        || super::has_asm(analysis);
    let doubt = |answer: &mut Answer| {
        if is_partial && answer.verdict.holds() {
            let what = "what the analysis does not see (missing bodies, threads, assembly)".to_owned();
            answer.downgrade(Undecided::because(Reason::NotExcluded { what }));
        }
    };
    let assumed = suppositions(analysis.program()).into_iter().map(str::to_owned);
    settle(Answer::new("nothing that is looked for happens", "intervals", verdict), assumed, &[&doubt])
}

/// The sentence about a finding.
fn sentence(finding: &Finding) -> String {
    let what = finding.kind.words();
    let how = match finding.certainty {
        Certainty::Definite => "whenever this is reached",
        Certainty::Possible => "is possible",
        Certainty::Excluded => return format!("{what} is excluded: `{}`", finding.about),
    };
    match finding.detail.is_empty() {
        true => format!("{what} {how}: `{}`", finding.about),
        false => format!("{what} {how}: {}", finding.detail),
    }
}
