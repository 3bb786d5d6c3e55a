//! Does every run of a C program satisfy a temporal formula? Real runs of the program, judged by the formula, beside engines
//! that search and prove on the program times the automaton of what the formula forbids (`temporal`). What a search finds
//! there is a run of the program with choices of the automaton: without these it is run again, and judged by the formula.

use crate::table::Choice;
use crate::verify::verify;
use base::{Budget, EventSink};
use program::Program;
use prove::{Code, FEW_RUNS, MANY_RUNS, Searched, Settings, violating_run, violation_by_few_values};
use question::{Answer, Asks, Property, Question, Temporal, Violation, part_of};
use std::sync::Arc;
use std::time::Duration;
use temporal::{Asked, Observed, Product, Trouble};
use verdict::{Reason, Undecided};

/// An answer about a formula, and the program that it speaks of.
pub struct AboutFormula {
    /// The answer.
    pub answer: Answer,
    /// A proof is about the program times the automaton, a run one of the program that says what holds.
    pub program: Option<Program>,
    /// What a proof is about.
    pub property: Property,
}

/// Settings of runs that a search found are tried with.
const TRIES: u64 = 40;

/// Answers. Formulas that are written wrongly are told apart from those that cannot be answered.
pub fn verify_formula(
    question: &Question<'_, Program>,
    choice: Choice,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<AboutFormula, Box<base::Diagnostic>> {
    let open = |undecided: Undecided| {
        let answer = Answer::new(question.name.clone(), choice.name(), undecided.into());
        AboutFormula { answer, program: None, property: Property::every_run_ends() }
    };
    let Asks::Runs(temporal) = &question.asks else {
        let why = "only a formula about runs can be asked so".to_owned();
        return Ok(open(Undecided::because(Reason::EngineCannot { engine: choice.name(), why })));
    };
    let made = Asked::of(question.about, temporal);
    let asked = match made {
        Ok(asked) => asked,
        Err(Trouble::Wrong(diagnostic)) => return Err(diagnostic),
        Err(Trouble::Beyond(reason)) => return Ok(open(Undecided::because(reason))),
    };
    let both = asked.observed(budget).and_then(|observed| Ok((observed, asked.product(budget)?)));
    let (observed, product) = match both {
        Ok(both) => both,
        Err(reason) => return Ok(open(Undecided::because(reason))),
    };
    let property = Property::satisfies(temporal.clone());
    let looked =
        Looked { name: &question.name, temporal, settings, property: &property, observed: &observed };
    let mut found = looked.answer(&product, choice, budget, events);
    found.answer.property = question.name.clone();
    Ok(found)
}

struct Looked<'l> {
    name: &'l str,
    temporal: &'l Temporal,
    settings: &'l Settings,
    property: &'l Property,
    observed: &'l Observed,
}

impl Looked<'_> {
    fn searched(&self) -> Searched<'_> {
        Searched {
            observed: self.observed,
            code: Code::new(&self.observed.program, self.property, self.settings),
            finite_runs: self.temporal.finite_runs,
        }
    }

    fn violated(&self, violation: Box<Violation>) -> AboutFormula {
        let engine = violation.engine;
        AboutFormula {
            answer: Answer::by(engine, violation),
            program: Some(self.observed.program.clone()),
            property: self.property.clone(),
        }
    }

    fn answer(
        &self,
        product: &Product,
        choice: Choice,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> AboutFormula {
        let makes_runs = choice == Choice::AUTO || Choice::named("recurrence") == Some(choice);
        if makes_runs {
            let first = part_of(budget, 6, Duration::from_millis(700));
            if let Some(violation) = violating_run(&self.searched(), &[], FEW_RUNS, &first, events) {
                return self.violated(violation);
            }
        }
        let common = budget.branch();
        let (by_runs, by_engines) = std::thread::scope(|scope| {
            let runs = makes_runs.then(|| {
                scope.spawn(|| {
                    let searched = self.searched();
                    let some = part_of(&common, 3, Duration::from_secs(60));
                    let found = violation_by_few_values(&searched, &some, events);
                    let rest = part_of(&common, 2, Duration::from_secs(120));
                    let found = found.or_else(|| violating_run(&searched, &[], MANY_RUNS, &rest, events));
                    if found.is_some() {
                        common.cancel();
                    }
                    found
                })
            });
            let question = Question {
                name: self.name.to_owned(),
                about: &product.program,
                asks: Asks::Never(product.property.clone()),
            };
            let answer = verify(&question, choice, self.settings, &common, events);
            common.cancel();
            let found = runs.and_then(|runs| match runs.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            (found, answer)
        });
        if let Some(violation) = by_runs {
            assert!(!by_engines.verdict.holds(), "{} proved what a run refutes", by_engines.engine);
            return self.violated(violation);
        }
        self.about_product(product, by_engines, budget, events)
    }

    /// What the engines say of the product, of the program.
    fn about_product(
        &self,
        product: &Product,
        mut answer: Answer,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> AboutFormula {
        if let Some(run) = answer.verdict.run() {
            let of_program = run.inputs.iter().filter(|input| !Product::is_choice(&input.name));
            let given: Vec<(Arc<str>, u128)> =
                of_program.map(|input| (input.name.clone(), input.bits)).collect();
            let effort = prove::Effort { runs: TRIES, ..MANY_RUNS };
            if let Some(violation) = violating_run(&self.searched(), &given, effort, budget, events) {
                return self.violated(violation);
            }
            let why = "a run begins as no run that satisfies the formula does, but it could not be shown that it goes on".to_owned();
            answer.downgrade(Undecided::because(Reason::NotConfirmed { why }));
        }
        AboutFormula { answer, program: Some(product.program.clone()), property: product.property.clone() }
    }
}
