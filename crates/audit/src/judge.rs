//! The solvers: an obligation is shown when the embedded one says so and no other one objects.

use crate::walk::Goal;
use base::{Budget, Exhausted, Span};
use logic::on_demand::OnDemand;
use logic::traits::{Assert, CheckAssuming};
use logic::{Answer, EmbeddedSolver, ProcessSolver, SolverCommand, TermId, UnknownReason};
use question::SecondOpinion;
use std::time::{Duration, Instant};
use symbolic::Encoder;
use symbolic::FailureKind;
use verdict::{NoModel, Reason};

/// Why an obligation was not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Objection {
    /// What can happen.
    pub what: String,
    /// Its kind, if it is a failure of a step.
    pub kind: Option<FailureKind>,
    /// Where the obligation arises.
    pub at: Span,
}

/// Puts proof obligations (verification conditions) to the solvers.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    solver: EmbeddedSolver,
    asserted: usize,
    on_demand: OnDemand,
    second: Option<(ProcessSolver, usize)>,
    /// How long the second solver has been asked in all.
    second_took: Duration,
    /// What the second solver said.
    pub opinion: Option<SecondOpinion>,
    /// Obligations shown.
    pub obligations: u64,
    /// The obligation that does not hold, if one was found.
    pub objection: Option<Objection>,
}

/// The second solver gets this long for a question, less each time it could not say.
const SECOND_PATIENCE: Duration = Duration::from_secs(4);

/// And this long in all, or a third of the time there is; then it is not asked any more.
const SECOND_PATIENCE_IN_ALL: Duration = Duration::from_secs(30);

/// What a solver said about an obligation.
enum Discharge {
    Yes,
    No,
    Unknown(String),
}

impl Judge {
    /// With another solver beside the embedded one.
    pub(crate) fn with_second(command: Option<&SolverCommand>) -> Judge {
        let second = command.map(|command| (ProcessSolver::new(command.clone()), 0));
        let opinion = command.map(|command| SecondOpinion {
            command: [&[command.program.clone()][..], &command.arguments].concat().join(" "),
            agreed: 0,
            unknown: 0,
        });
        Judge { second, opinion, ..Judge::default() }
    }

    /// Only the embedded solver: nothing rests on the answer but how much work there is.
    pub(crate) fn quick(
        &mut self,
        encoder: &mut Encoder<'_>,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Answer {
        self.supposing(encoder, assumptions, &[], budget)
    }

    /// The same with much that is supposed, of which the solver is told what its models break.
    fn supposing(
        &mut self,
        encoder: &mut Encoder<'_>,
        question: &[TermId],
        supposed: &[TermId],
        budget: &Budget,
    ) -> Answer {
        while let Some(&fact) = encoder.facts.get(self.asserted) {
            self.solver.assert(&mut encoder.terms.pool, fact);
            self.asserted += 1;
        }
        self.on_demand.check(&mut self.solver, &mut encoder.terms.pool, question, supposed, budget)
    }

    /// Is it excluded by what is supposed?
    fn is_impossible(
        &mut self,
        encoder: &mut Encoder<'_>,
        supposed: &[TermId],
        what: TermId,
        budget: &Budget,
    ) -> Discharge {
        let is_false = |term: &TermId| encoder.terms.truth(*term) == Some(false);
        if is_false(&what) || supposed.iter().any(is_false) {
            return Discharge::Yes;
        }
        let first = match self.supposing(encoder, &[what], supposed, budget) {
            Answer::Sat => return Discharge::No,
            Answer::Unsat => None,
            Answer::Unknown(reason) => Some(reason.to_string()),
        };
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let in_all = left
            .map_or(SECOND_PATIENCE_IN_ALL, |left| SECOND_PATIENCE_IN_ALL.min((left + self.second_took) / 3));
        let second = match &mut self.second {
            None => None,
            Some(_) if self.second_took > in_all => {
                Some(Answer::Unknown(UnknownReason::Exhausted(Exhausted::Time)))
            }
            Some((solver, asserted)) => {
                let started = Instant::now();
                while let Some(&fact) = encoder.facts.get(*asserted) {
                    solver.assert(&mut encoder.terms.pool, fact);
                    *asserted += 1;
                }
                // What it cannot say soon must not use up the time that the other questions need.
                let unknown = self.opinion.as_ref().map_or(0, |opinion| opinion.unknown);
                let patience = SECOND_PATIENCE / (1 + unknown.min(9) as u32);
                let budget = budget.clone().with_time(patience);
                // What the first one said without, the second one has to say without.
                let told = match first {
                    None => self.on_demand.told().to_vec(),
                    Some(_) => [supposed, &[what]].concat(),
                };
                let answer = solver.check_assuming(&mut encoder.terms.pool, &told, &budget);
                self.second_took += started.elapsed();
                Some(answer)
            }
        };
        if let (Some(answer), Some(opinion)) = (&second, &mut self.opinion) {
            match answer {
                Answer::Sat => return Discharge::No,
                Answer::Unsat => opinion.agreed += 1,
                Answer::Unknown(_) => opinion.unknown += 1,
            }
        }
        match (first, second) {
            (None, _) | (Some(_), Some(Answer::Unsat)) => Discharge::Yes,
            (Some(reason), _) => Discharge::Unknown(reason),
        }
    }

    /// Is it excluded by what is supposed? `None` if that is not known.
    pub(crate) fn excludes(
        &mut self,
        encoder: &mut Encoder<'_>,
        supposed: &[TermId],
        what: TermId,
        budget: &Budget,
    ) -> Option<bool> {
        match self.is_impossible(encoder, supposed, what, budget) {
            Discharge::Yes => {
                self.obligations += 1;
                Some(true)
            }
            Discharge::No => Some(false),
            Discharge::Unknown(_) => None,
        }
    }

    /// Shows that none of the goals can happen under the assumptions, or says why not.
    pub(crate) fn exclude(
        &mut self,
        encoder: &mut Encoder<'_>,
        assumptions: &[TermId],
        goals: &[Goal],
        budget: &Budget,
    ) -> Result<(), Reason> {
        if goals.is_empty() {
            return Ok(());
        }
        let conditions: Vec<TermId> = goals.iter().map(|goal| goal.condition).collect();
        let any = encoder.terms.any(&conditions);
        match self.is_impossible(encoder, assumptions, any, budget) {
            Discharge::Yes => {
                self.obligations += goals.len() as u64;
                return Ok(());
            }
            Discharge::Unknown(reason) => return Err(Reason::SolverGaveUp { why: reason }),
            Discharge::No => {}
        }
        // Which one? What is not known is no objection, and speaks last.
        let (unknown, known): (Vec<&Goal>, Vec<&Goal>) = goals.iter().partition(|goal| goal.is_open);
        for goal in known.into_iter().chain(unknown) {
            match self.is_impossible(encoder, assumptions, goal.condition, budget) {
                Discharge::Yes => {}
                Discharge::Unknown(reason) => return Err(Reason::SolverGaveUp { why: reason }),
                Discharge::No => {
                    if !goal.is_open {
                        self.objection =
                            Some(Objection { what: goal.what.clone(), kind: goal.kind, at: goal.span });
                    }
                    return Err(Reason::ObligationOpen { what: goal.what.clone() });
                }
            }
        }
        Err(NoModel::Contradicts.into())
    }
}
