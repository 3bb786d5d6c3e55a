//! Three-valued CTL: Yes and No are proved, Maybe says why. After AMC 3, sound by SEEDS correction 9.
//!
//! Worked example: `b = input(); if (b > 3) b = 5; else b = 0;` and `EF (b == 5)`. The interval analysis does
//! not exclude it. Explored without splitting, the input is any number, the condition stays open, and both
//! sides are may-steps: Maybe, and the condition is blamed. Split at 3, the step with `b` in {4..} is a
//! must-step into a state where `b` is 5: Yes, with an input that takes it.
//!
//! Levels, cheap first: the interval analysis decides invariants; then configurations are explored without joining, in
//! rounds: inputs are split where open conditions were blamed, and more states are allowed.
//!
//! Reading order: [`places`] → [`atoms`] → [`explore`] (one step) → [`kripke`] (states) → [`truth`] (formulas) → [`check`] → [`witness`].

pub mod atoms;
pub mod classes;
pub mod explore;
pub mod kripke;
pub mod places;
pub mod truth;
pub mod witness;

use crate::analysis::Analysis;
use crate::context::Context;
use crate::domain::operators::Certainty;
use crate::initial::{enter_main, initial_state};
use crate::settings::Missing;
use atoms::Names;
use base::{Budget, Exhausted, Span};
use classes::Classes;
use explore::{Configuration, Doubt, Explorer, Granularity};
use rustc_hash::{FxHashMap, FxHashSet};
use spec::ctl::{CtlFormula, PathQuantifier};
use std::time::{Duration, Instant};
use truth::Judge;
use witness::Witness;

/// The answer to a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds.
    Yes,
    /// It does not hold.
    No,
    /// Neither was proved.
    Maybe,
}

/// What one level did.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// What it answered.
    pub answer: Answer,
    /// States it looked at.
    pub states: usize,
    /// How long it took.
    pub time: Duration,
}

/// An answer with its reasons.
#[derive(Debug)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
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
    pub missing: Missing,
    /// Most states in the last round.
    pub most_states: usize,
    /// Rounds of splitting.
    pub rounds: u32,
}

impl Default for CtlSettings {
    fn default() -> CtlSettings {
        CtlSettings {
            granularity: Granularity::default(),
            missing: Missing::Stop,
            most_states: 40_000,
            rounds: 8,
        }
    }
}

/// What is wrong with a formula for this program, if anything.
pub fn objection(formula: &CtlFormula, names: &Names, program: &program::Program) -> Option<(String, Span)> {
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

/// Decides a formula as far as possible. `context` should know no relations: they only make configurations differ.
pub fn check(
    formula: &CtlFormula,
    analysis: Option<&Analysis<'_>>,
    context: &Context<'_>,
    settings: CtlSettings,
    budget: &Budget,
) -> Result<Decision, Exhausted> {
    let program = context.program;
    let names = Names::of(program);
    let mut decision = Decision {
        answer: Answer::Maybe,
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
        if answer != Answer::Maybe {
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
    let mut cuts: FxHashSet<(u32, i128)> = FxHashSet::default();
    let classes = Classes::of(program);
    let mut from_formula = Vec::new();
    conditions(formula, &mut |condition, _| names.cuts(condition, &mut from_formula));
    // An unsigned variable is compared with what a negative constant is in its type.
    for (id, cut) in &mut from_formula {
        let shape = program.types.integer_shape(program.variables[*id].ty.id);
        if let Some(shape) = shape.filter(|shape| !shape.signed && *cut < 0 && shape.width < 128) {
            *cut = cut.rem_euclid(1i128 << shape.width.min(126));
        }
    }
    let mut limit = 1_500.min(settings.most_states);
    let mut explorer = Explorer {
        context,
        granularity: settings.granularity,
        missing: settings.missing,
        named: explore::named_by_the_program(program),
        cuts: FxHashMap::default(),
        classes,
    };
    for round in 0..settings.rounds {
        let began = Instant::now();
        let kripke = kripke::build(&explorer, start(), limit, budget)?;
        let judge = Judge::new(&kripke, &names, context).showing(formula);
        let truth = judge.truth(formula);
        let answer = match (truth.yes[kripke.initial], truth.no[kripke.initial]) {
            (true, _) => Answer::Yes,
            (_, true) => Answer::No,
            _ => Answer::Maybe,
        };
        let name = if round == 0 { "exploration".to_string() } else { format!("partition {round}") };
        decision.levels.push(Level { name, answer, states: kripke.nodes.len(), time: began.elapsed() });
        decision.doubts = kripke.doubts.clone();
        decision.open = kripke.open.clone();
        decision.is_cut = kripke.is_cut;
        if answer != Answer::Maybe {
            decision.answer = answer;
            decision.witness = witness::find(&judge, formula, answer == Answer::Yes);
            return Ok(decision);
        }
        let blamed = kripke.blamed.iter().chain(if round == 0 { &from_formula[..] } else { &[] });
        let before = cuts.len();
        cuts.extend(blamed.map(|&(id, cut)| (explorer.classes.class(id), cut)));
        explorer.cuts.clear();
        for &(class, cut) in &cuts {
            explorer.cuts.entry(class).or_default().push(cut);
        }
        explorer.cuts.values_mut().for_each(|cuts| cuts.sort_unstable());
        if cuts.len() == before {
            if !kripke.is_cut || limit >= settings.most_states {
                return Ok(decision);
            }
            limit = (limit * 6).min(settings.most_states);
        }
    }
    Ok(decision)
}

/// `AG p` and `!EF p` for a condition p on globals: does it hold at every place the analysis reaches?
fn by_invariant(
    formula: &CtlFormula,
    names: &Names,
    analysis: &Analysis<'_>,
    settings: CtlSettings,
) -> Answer {
    let (inner, wanted) = match formula {
        CtlFormula::Always(PathQuantifier::All, inner) => (inner, true),
        CtlFormula::Eventually(PathQuantifier::Some, inner) => (inner, false),
        _ => return Answer::Maybe,
    };
    // What may happen after undefined behaviour, or in a function that is not shown, is not covered.
    let is_open = analysis.findings.iter().any(|finding| finding.certainty != Certainty::Excluded)
        || (!analysis.missing.is_empty() && settings.missing != Missing::Pure)
        || !analysis.unsupported.is_empty()
        || analysis.has_threads;
    if is_open {
        return Answer::Maybe;
    }
    let program = analysis.program();
    let mut is_local = false;
    conditions(inner, &mut |condition, _| {
        is_local |= mentions_local(condition, names, analysis);
    });
    if is_local {
        return Answer::Maybe;
    }
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        for node in body.nodes.ids() {
            let Some(point) = analysis.at(id, node) else { continue };
            if state_truth(inner, names, analysis.context(), point.state) != Some(wanted) {
                return Answer::Maybe;
            }
        }
    }
    if wanted { Answer::Yes } else { Answer::No }
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
