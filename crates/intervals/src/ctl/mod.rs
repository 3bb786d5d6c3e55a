//! Three-valued CTL: Yes and No are proved, Maybe says why. After AMC 3, sound by SEEDS correction 9.
//!
//! Worked example: `b = input(); if (b > 3) b = 5; else b = 0;` and `EF (b == 5)`. The interval analysis does
//! not exclude it. Explored without splitting, the input is any number, the condition stays open, and both
//! sides are may-steps: Maybe, and the condition is blamed. Split at 3, the step with `b` in {4..} is a
//! must-step into a state where `b` is 5: Yes, with an input that takes it.
//!
//! Levels, cheap first: the interval analysis decides invariants; then configurations are explored without
//! joining, in rounds: inputs are split where open conditions were blamed, and more states are allowed.
//!
//! The rounds are the loop of `question`: a partition of the inputs is the abstraction, and Maybe refines it.
//!
//! Reading order: `places` → `atoms` → `explore`, `calls`, `writes` (one step) → `kripke` (states) → `truth` (formulas)
//! → [`check`] → `witness`.

mod atoms;
mod calls;
mod classes;
mod explore;
mod kripke;
mod places;
mod truth;
mod witness;
mod writes;

pub use atoms::Names;
pub use explore::{Doubt, Granularity};
pub use places::Objection;
pub use witness::{Replayed, Witness, replay};

use crate::analysis::Analysis;
use crate::context::Context;
use crate::domain::operators::Certainty;
use crate::initial::{enter_main, initial_state};
use crate::settings::MissingEffect;
use base::{Budget, EventSink, Exhausted, Span};
use classes::Classes;
use explore::{Configuration, Explorer};
use kripke::Kripke;
use program::VariableId;
use question::{Checked, Decided, MostRounds, Progress, Refinement, Validated, refine_until_decided};
use rustc_hash::{FxHashMap, FxHashSet};
use spec::ctl::{CtlFormula, PathQuantifier};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use truth::Judge;
use verdict::{Reason, Undecided};

/// The answer to a formula in three-valued logic (Kleene).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreeValued {
    /// It holds of every run that the formula is about.
    Yes,
    /// It does not hold.
    No,
    /// Neither was proved.
    Maybe,
}

/// What one level did.
#[derive(Clone, Debug)]
pub struct Level {
    /// What it is called with `--levels`.
    pub name: String,
    /// What it answered.
    pub answer: ThreeValued,
    /// States it looked at.
    pub states: usize,
    /// How long it took.
    pub time: Duration,
}

/// An answer with its reasons. It is no `question::Answer` and no `question::Decided`: Yes, No and Maybe are values of
/// the formula itself, of which either may be shown by a run, and what is told of levels, doubts and open conditions
/// has no place there.
#[derive(Debug)]
pub struct Decision {
    /// What was proved of the formula.
    pub answer: ThreeValued,
    /// Every level that was asked, in order; the last one decided.
    pub levels: Vec<Level>,
    /// Why runs could not be followed.
    pub doubts: Vec<Doubt>,
    /// Conditions that stayed open.
    pub open: Vec<Span>,
    /// Was the limit of states reached?
    pub is_cut: bool,
    /// The run that shows a universal No or an existential Yes.
    pub witness: Option<Witness>,
}

/// How formulas are checked.
#[derive(Clone, Copy, Debug)]
pub struct CtlSettings {
    /// Which steps are changes of state.
    pub granularity: Granularity,
    /// What functions without a body do.
    pub missing: MissingEffect,
    /// Most states in the last round.
    pub most_states: usize,
    /// Rounds of splitting.
    pub rounds: u32,
}

impl Default for CtlSettings {
    fn default() -> CtlSettings {
        CtlSettings {
            granularity: Granularity::default(),
            missing: MissingEffect::Stop,
            most_states: 40_000,
            rounds: 8,
        }
    }
}

/// What is wrong with a formula for this program, if anything.
pub fn objection(
    formula: &CtlFormula,
    names: &Names,
    program: &program::Program,
) -> Option<(Objection, Span)> {
    let mut found = None;
    conditions(formula, &mut |condition, span| {
        if found.is_none() {
            found = names.objection(condition, program).map(|why| (why, span));
        }
    });
    found
}

/// Calls `visit` with all conditions of a formula.
pub fn conditions<'f>(formula: &'f CtlFormula, visit: &mut dyn FnMut(&'f spec::cexpr::CExpression, Span)) {
    use CtlFormula::*;
    match formula {
        Condition(condition, span) => visit(condition, *span),
        Not(inner) | Next(_, inner) | Eventually(_, inner) | Always(_, inner) => conditions(inner, visit),
        And(one, two) | Or(one, two) | Implies(one, two) | Iff(one, two) | Until(_, one, two) => {
            conditions(one, visit);
            conditions(two, visit);
        }
    }
}

/// Decides a formula as far as possible. `context` should know no relations: they only make configurations
/// differ.
pub fn check(
    formula: &CtlFormula,
    analysis: Option<&Analysis<'_>>,
    context: &Context<'_>,
    settings: CtlSettings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Decision, Exhausted> {
    let program = context.program;
    let names = Names::of(program);
    let mut decision = Decision {
        answer: ThreeValued::Maybe,
        levels: Vec::new(),
        doubts: Vec::new(),
        open: Vec::new(),
        is_cut: false,
        witness: None,
    };
    if let Some(analysis) = analysis {
        let began = Instant::now();
        let answer = by_invariant(formula, &names, analysis, settings);
        decision.levels.push(Level { name: "intervals".into(), answer, states: 0, time: began.elapsed() });
        decision.answer = answer;
        if answer != ThreeValued::Maybe {
            return Ok(decision);
        }
    }
    let Some(main) = program.main.filter(|&main| program.procedures[main].body.is_some()) else {
        return Ok(decision);
    };
    if !program.constructors.is_empty() || !program.destructors.is_empty() || context.has_threads {
        let why = "constructors, destructors and threads are not followed".into();
        decision.doubts.push(Doubt { why, span: Span::NOWHERE });
        return Ok(decision);
    }
    let entry = program.procedures[main].body.as_ref().expect("just asked").entry;
    let start = || Configuration {
        procedure: main,
        node: entry,
        state: enter_main(context, &initial_state(context), main),
        callers: Vec::new(),
        has_written: false,
    };
    let mut from_formula = Vec::new();
    conditions(formula, &mut |condition, _| names.cuts(condition, &mut from_formula));
    // An unsigned variable is compared with what a negative constant is in its type.
    for (id, cut) in &mut from_formula {
        let shape = program.types.integer_shape(program.variables[*id].ty.id);
        if let Some(shape) = shape.filter(|shape| !shape.signed && *cut < 0 && shape.width < 128) {
            *cut = cut.rem_euclid(1i128 << shape.width.min(126));
        }
    }
    let explorer = Explorer {
        context,
        granularity: settings.granularity,
        missing: settings.missing,
        named: writes::named_by_the_program(program),
        cuts: FxHashMap::default(),
        classes: Classes::of(program),
    };
    let limit = 1_500.min(settings.most_states);
    let cuts = FxHashSet::default();
    let mut partition = Partition {
        formula,
        names,
        explorer,
        start,
        settings,
        from_formula,
        cuts,
        limit,
        round: 0,
        decision,
    };
    let rounds = MostRounds(settings.rounds as usize);
    match refine_until_decided(&mut partition, rounds, budget, events) {
        Ok(Decided::Proved(answer)) => partition.decision.answer = answer,
        Ok(Decided::Violated(never)) => match never {},
        // A limit of the whole run is one of the caller; otherwise nothing more can be told apart.
        Err(_) => budget.check()?,
    }
    Ok(partition.decision)
}

/// Configurations told apart by the values at which inputs are split (AMC 3.4): a three-valued abstraction,
/// where Yes and No are proofs and Maybe names the conditions that stayed open. There is nothing to validate:
/// an open condition is always a reason to split.
struct Partition<'a, 'p, Start> {
    formula: &'a CtlFormula,
    names: Names,
    explorer: Explorer<'a, 'p>,
    /// Where runs start.
    start: Start,
    settings: CtlSettings,
    /// Where the conditions of the formula change.
    from_formula: Vec<(VariableId, i128)>,
    cuts: FxHashSet<(u32, i128)>,
    /// Most states now.
    limit: usize,
    /// Rounds before this one.
    round: u32,
    decision: Decision,
}

impl<Start: Fn() -> Configuration> Refinement for Partition<'_, '_, Start> {
    type Model = Kripke;
    type Proof = ThreeValued;
    /// Conditions that stayed open: where variables in them change.
    type Witness = Vec<(VariableId, i128)>;
    type Violation = Infallible;
    type Cause = ();

    fn abstraction(&mut self, budget: &Budget) -> Result<Kripke, Undecided> {
        let began = Instant::now();
        let kripke = kripke::build(&self.explorer, (self.start)(), self.limit, budget)?;
        let name =
            if self.round == 0 { "exploration".to_string() } else { format!("partition {}", self.round) };
        let (answer, states) = (ThreeValued::Maybe, kripke.nodes.len());
        self.decision.levels.push(Level { name, answer, states, time: began.elapsed() });
        self.decision.doubts = kripke.doubts.clone();
        self.decision.open = kripke.open.clone();
        self.decision.is_cut = kripke.is_cut;
        Ok(kripke)
    }

    fn check(
        &mut self,
        kripke: &mut Kripke,
        _: &Budget,
    ) -> Result<Checked<ThreeValued, Vec<(VariableId, i128)>>, Undecided> {
        let began = Instant::now();
        let judge = Judge::new(kripke, &self.names, self.explorer.context).showing(self.formula);
        let truth = judge.truth(self.formula);
        let answer = match (truth.yes[kripke.initial], truth.no[kripke.initial]) {
            (true, _) => ThreeValued::Yes,
            (_, true) => ThreeValued::No,
            _ => ThreeValued::Maybe,
        };
        if let Some(level) = self.decision.levels.last_mut() {
            level.answer = answer;
            level.time += began.elapsed();
        }
        if answer == ThreeValued::Maybe {
            let blamed =
                kripke.blamed.iter().chain(if self.round == 0 { &self.from_formula[..] } else { &[] });
            return Ok(Checked::Witness(blamed.copied().collect()));
        }
        self.decision.witness = witness::find(&judge, self.formula, answer == ThreeValued::Yes);
        Ok(Checked::Proved(answer))
    }

    fn validate(
        &mut self,
        _: &mut Kripke,
        _: &mut Vec<(VariableId, i128)>,
        _: &Budget,
    ) -> Result<Validated<Infallible, ()>, Undecided> {
        Ok(Validated::Spurious(()))
    }

    /// Splits the inputs where open conditions were blamed; if they are split already, more states are
    /// allowed.
    fn refine(
        &mut self,
        kripke: Kripke,
        blamed: Vec<(VariableId, i128)>,
        (): (),
        _: &Budget,
    ) -> Result<(), Undecided> {
        self.round += 1;
        let before = self.cuts.len();
        self.cuts.extend(blamed.into_iter().map(|(id, cut)| (self.explorer.classes.class(id), cut)));
        self.explorer.cuts.clear();
        for &(class, cut) in &self.cuts {
            self.explorer.cuts.entry(class).or_default().push(cut);
        }
        self.explorer.cuts.values_mut().for_each(|cuts| cuts.sort_unstable());
        if self.cuts.len() == before {
            if !kripke.is_cut || self.limit >= self.settings.most_states {
                let question = "the formula, with all inputs split where conditions change".to_owned();
                return Err(Undecided::because(Reason::SolverUnknown { question }));
            }
            self.limit = (self.limit * 6).min(self.settings.most_states);
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        let states = self.decision.levels.last().map_or(0, |level| level.states);
        Progress { distinctions: self.cuts.len(), states }
    }
}

/// `AG p` and `!EF p` for a condition p on globals: does it hold at every place the analysis reaches?
fn by_invariant(
    formula: &CtlFormula,
    names: &Names,
    analysis: &Analysis<'_>,
    settings: CtlSettings,
) -> ThreeValued {
    let (inner, wanted) = match formula {
        CtlFormula::Always(PathQuantifier::All, inner) => (inner, true),
        CtlFormula::Eventually(PathQuantifier::Some, inner) => (inner, false),
        _ => return ThreeValued::Maybe,
    };
    // What may happen after undefined behaviour, or in a function that is not shown, is not covered.
    let is_open = analysis.findings.iter().any(|finding| finding.certainty != Certainty::Excluded)
        || (!analysis.missing.is_empty() && settings.missing != MissingEffect::Pure)
        || !analysis.unsupported.is_empty()
        || analysis.has_threads;
    if is_open {
        return ThreeValued::Maybe;
    }
    let program = analysis.program();
    let mut is_local = false;
    conditions(inner, &mut |condition, _| {
        is_local |= mentions_local(condition, names, analysis);
    });
    if is_local {
        return ThreeValued::Maybe;
    }
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        for node in body.nodes.ids() {
            let Some(point) = analysis.at(id, node) else { continue };
            if state_truth(inner, names, analysis.context(), point.state) != Some(wanted) {
                return ThreeValued::Maybe;
            }
        }
    }
    if wanted { ThreeValued::Yes } else { ThreeValued::No }
}

fn mentions_local(condition: &spec::cexpr::CExpression, names: &Names, analysis: &Analysis<'_>) -> bool {
    use spec::cexpr::CExpression::*;
    match condition {
        Name(name) => names.variable(name).is_some_and(|id| !analysis.context().is_global(id)),
        Unary(_, inner) | Member(inner, _) | Arrow(inner, _) | Element(inner, _) => {
            mentions_local(inner, names, analysis)
        }
        Binary(_, one, two) => mentions_local(one, names, analysis) || mentions_local(two, names, analysis),
        Conditional(one, two, three) => {
            [one, two, three].into_iter().any(|part| mentions_local(part, names, analysis))
        }
        _ => false,
    }
}

/// The truth of a formula without temporal operators.
fn state_truth(
    formula: &CtlFormula,
    names: &Names,
    context: &Context<'_>,
    state: &crate::state::State,
) -> Option<bool> {
    let of = |inner: &CtlFormula| state_truth(inner, names, context, state);
    match formula {
        CtlFormula::Condition(condition, _) => names.truth(condition, context, state),
        CtlFormula::Not(inner) => of(inner).map(|holds| !holds),
        CtlFormula::And(one, two) => match (of(one), of(two)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        CtlFormula::Or(one, two) => match (of(one), of(two)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        CtlFormula::Implies(one, two) => match (of(one), of(two)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        },
        CtlFormula::Iff(one, two) => Some(of(one)? == of(two)?),
        _ => None,
    }
}
