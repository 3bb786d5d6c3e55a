//! Invariants by abstract interpretation, for the other engines: conditions at heads of loops that hold of
//! every run that gets there. They are used as guesses, which induction confirms, so that a proof can be
//! checked without this analysis.
//!
//! Runs are taken as unoptimised code has them (signed wrap-around), as `symbolic` does. Where the two could
//! differ, because a shift count or a conversion may be out of range, nothing is used.

use crate::code::{CodeEngine, CodeRequest, gave_up, not_for_this, told};
use crate::explorer::Level;
use crate::induction::{Attempt, attempt};
use base::{Budget, Event};
use intervals::CheckKind;
use intervals::{Analysis, Invariants};
use intervals::{Certainty, Overflow};
use logic::TermId;
use program::expr::ExprPart;
use program::{Action, Callee, Known, PlaceBase, Program, VariableKind};
use question::{Answer, Property};
use symbolic::{State, Terms};
use verdict::{ProgramProof, ProofArgument, Reason};

/// How the analysis is set for this use.
pub fn interval_settings() -> intervals::Settings {
    intervals::Settings { overflow: Overflow::Wraps, ..intervals::Settings::default() }
}

/// Why the analysis tells nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFacts {
    /// It was not made.
    NotMade,
    /// It came to a limit.
    Exhausted(base::Exhausted),
    /// The program starts threads, which it does not follow.
    Threads,
    /// A shift may have a meaning of its own in the compiled program.
    BadShift {
        /// The expression.
        about: String,
    },
}

impl std::fmt::Display for NoFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoFacts::NotMade => f.write_str("it was not made"),
            NoFacts::Exhausted(exhausted) => exhausted.fmt(f),
            NoFacts::Threads => f.write_str("the program starts threads"),
            NoFacts::BadShift { about } => {
                write!(f, "there may be {} in `{about}`", CheckKind::BadShift.words())
            }
        }
    }
}

impl From<NoFacts> for Reason {
    fn from(none: NoFacts) -> Reason {
        match none {
            NoFacts::Exhausted(exhausted) => exhausted.into(),
            other => Reason::TooCoarse { what: other.to_string() },
        }
    }
}

/// The analysis, if it ended and says something here.
pub struct Facts<'p> {
    analysis: Option<Analysis<'p>>,
    /// Why there is nothing, if so.
    pub why_not: Option<NoFacts>,
}

impl<'p> Facts<'p> {
    /// Nothing is known.
    pub fn none(why: NoFacts) -> Facts<'p> {
        Facts { analysis: None, why_not: Some(why) }
    }

    /// Analyses a program within the budget.
    pub fn of(program: &'p Program, settings: &'p intervals::Settings, budget: &Budget) -> Facts<'p> {
        let analysis = match intervals::analyse(program, settings, budget) {
            Ok(analysis) => analysis,
            Err(exhausted) => return Facts::none(NoFacts::Exhausted(exhausted)),
        };
        if analysis.has_threads {
            return Facts::none(NoFacts::Threads);
        }
        let differing = analysis
            .findings
            .iter()
            .find(|finding| finding.kind == CheckKind::BadShift && finding.certainty != Certainty::Excluded);
        if let Some(finding) = differing {
            return Facts::none(NoFacts::BadShift { about: finding.about.clone() });
        }
        Facts { analysis: Some(analysis), why_not: None }
    }

    /// What is known where control is, over the symbols of a state there.
    pub fn at(&self, stack: &[Level], state: &State, terms: &mut Terms) -> Vec<TermId> {
        let Some(analysis) = &self.analysis else { return Vec::new() };
        let invariants = Invariants::of(analysis);
        let program = analysis.program();
        let mut known = Vec::new();
        for (depth, level) in stack.iter().enumerate() {
            let is_innermost = depth + 1 == stack.len();
            let Some(frame) = state.frames.get(depth) else { continue };
            let mut term_of = |id: program::VariableId, _: &mut logic::TermPool| {
                // A global may have changed since an outer call was made.
                if program.variables[id].kind == VariableKind::Global {
                    state.globals.get(&id).filter(|_| is_innermost).copied()
                } else {
                    frame.registers.get(&id).copied()
                }
            };
            let term = invariants.term_at(level.procedure, level.node, &mut terms.pool, &mut term_of);
            let term = terms.simple(term);
            let mut open = vec![term];
            while let Some(part) = open.pop() {
                if terms.pool.op(part) == logic::term::Op::And {
                    open.extend_from_slice(terms.pool.arguments(part));
                } else if terms.truth(part) != Some(true) {
                    known.push(part);
                }
            }
        }
        known
    }

    /// Is nothing read that was never written, and no result used of a function that returned none?
    pub fn exclude_uninitialised(&self) -> bool {
        let is_asked = |kind| matches!(kind, CheckKind::Uninitialised | CheckKind::MissingReturnValue);
        self.analysis.as_ref().is_some_and(|analysis| {
            analysis.missing.is_empty()
                && analysis.unsupported.is_empty()
                && analysis
                    .findings
                    .iter()
                    .all(|finding| !is_asked(finding.kind) || finding.certainty == Certainty::Excluded)
        })
    }

    /// Does the analysis alone show that the property holds? Only of programs without pointers, whose other
    /// ways to go wrong it knows nothing of.
    pub fn prove(&self, property: &Property) -> bool {
        let Some(analysis) = &self.analysis else { return false };
        // Nothing here says that loops end.
        if property.endless_runs {
            return false;
        }
        // Undefined behaviour that is asked about is for the engines that know all of it.
        if !property.checks.is_empty() || !analysis.missing.is_empty() || !analysis.unsupported.is_empty() {
            return false;
        }
        let may_go_wrong = analysis.findings.iter().any(|finding| {
            finding.certainty != Certainty::Excluded
                && !matches!(finding.kind, CheckKind::Overflow | CheckKind::Uninitialised)
        });
        if may_go_wrong {
            return false;
        }
        let program = analysis.program();
        for (id, procedure) in program.procedures.iter_enumerated() {
            let Some(body) = procedure.body.as_ref().filter(|_| analysis.is_reached(id)) else { continue };
            for (node_id, node) in body.nodes.iter_enumerated() {
                let is_asked =
                    node.labels.iter().any(|label| property.labels.iter().any(|wanted| **wanted == **label));
                if is_asked && analysis.at(id, node_id).is_some() {
                    return false;
                }
            }
            for edge in &body.edges {
                if analysis.at(id, edge.from).is_none() {
                    continue;
                }
                let mut is_plain = true;
                edge.action.visit(&mut |part| {
                    if let ExprPart::Place(place, _) = part {
                        is_plain &= matches!(place.base, PlaceBase::Variable(_));
                    }
                });
                is_plain &= match &edge.action {
                    Action::Call { callee: Callee::Direct(callee), .. } => {
                        let callee = &program.procedures[*callee];
                        if property.forbids(callee) {
                            return false;
                        }
                        match callee.known.filter(|_| callee.is_native()) {
                            Some(known) => has_plain_meaning(known),
                            None => callee.body.is_some(),
                        }
                    }
                    Action::Call { callee: Callee::Indirect(_), .. } | Action::Unsupported(_) => false,
                    _ => true,
                };
                if !is_plain {
                    return false;
                }
            }
        }
        true
    }
}

const NAME: &str = "intervals";
const HOW: &str = "no value that a variable can have leads to a failure";

/// Intervals of values alone.
pub const INTERVALS: CodeEngine = CodeEngine::new(NAME, "Intervals of values alone", by_values);

fn by_values(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, budget, events, .. } = *asked;
    events.emit(Event::Count { what: "procedures", value: code.program.procedures.len() as u64 });
    let Some(analysis) = code.analysis else {
        return Answer::by(NAME, not_for_this(NAME, "it is not set"));
    };
    let facts = Facts::of(code.program, analysis, budget);
    let (holds, why_not) = (facts.prove(code.property), facts.why_not.clone());
    code.keep_facts(facts, holds);
    if holds {
        let mut certificate = ProgramProof::by(ProofArgument::Induction { depth: 1 });
        certificate.gap = Some(verdict::Gap::IntervalFacts);
        return Answer::proved(NAME, HOW, certificate);
    }
    Answer::by(
        NAME,
        match why_not {
            None => {
                let what = "some failure is not excluded by values alone".to_owned();
                gave_up(NAME, Reason::TooCoarse { what }, budget)
            }
            Some(why) => told(format!("intervals were not used: {why}"), why.into(), budget),
        },
    )
}

/// The proof by intervals again, as invariants of loops that keep themselves: such a proof can be checked
/// without the analysis.
pub const WRITTEN_INTERVALS: CodeEngine = CodeEngine::new(
    NAME,
    "Intervals of values, as invariants that can be checked without the analysis",
    by_written_values,
);

fn by_written_values(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, budget, |blocks| {
        events.emit(Event::Count { what: "heads of loops", value: blocks.heads.len() as u64 });
        let guesses = blocks.heads.iter().map(|head| head.guesses.clone()).collect();
        let posts = crate::houdini::posts_of(blocks);
        let not_kept = |why: Reason| gave_up("intervals as invariants", why, budget);
        crate::houdini::keep_invariants(blocks, guesses, posts, budget).map_err(not_kept)?;
        match attempt(blocks, 1, budget) {
            Attempt::Proved(proof) => Ok(Answer { engine: NAME, how: HOW.into(), ..*proof }),
            _ => Err(not_for_this(NAME, "they are not inductive")),
        }
    })
}

/// Functions that end a run or only print.
fn has_plain_meaning(known: Known) -> bool {
    use Known::*;
    matches!(known, Abort | Exit | ExitNow | AssertFail | VerifierError | ReachError | Trap)
}
