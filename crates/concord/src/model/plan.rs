//! What is asked: the command line and the files' declarations as a list of questions.

use super::ModelArgs;
use super::input::Loaded;
use crate::channel::{ONLY_TEXT, Output, Refused};
use crate::exit::Exit;
use question::Asks;
use spec::evaluate::claims::ProgressTest;
use spec::{Formula, Model};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Which relation between two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Simulates,
    Traces,
    Failures,
    Bisimilar,
}

/// One question about one system, or about two.
#[derive(Clone, Debug)]
pub enum ModelProperty {
    /// No deadlock and no property violated.
    Safety,
    /// No deadlock.
    Deadlock,
    /// No property violated.
    Properties,
    Progress(ProgressTest),
    /// Every action goes on happening in every terminal set; LTSA's test where no other is declared.
    DefaultProgress,
    Assert(String),
    Formula(Formula),
    Automaton(PathBuf),
    Relation(Relation, String),
}

impl ModelProperty {
    /// What holds if the answer is yes, in a sentence.
    pub fn promise(&self) -> String {
        match self {
            ModelProperty::Safety => Asks::NoErrorOrDeadlock.promise(),
            ModelProperty::Deadlock => Asks::NoDeadlock.promise(),
            ModelProperty::Properties => Asks::NoError.promise(),
            ModelProperty::Progress(test) => Asks::MakesProgress(test.clone()).promise(),
            ModelProperty::DefaultProgress => "every action always happens again".to_owned(),
            ModelProperty::Assert(_) => "every run satisfies the assertion".to_owned(),
            ModelProperty::Formula(formula) => Asks::Satisfies(formula.clone()).promise(),
            ModelProperty::Automaton(_) => "the automaton accepts no run".to_owned(),
            ModelProperty::Relation(Relation::Simulates, other) => {
                format!("`{other}` can follow whatever it does (simulation)")
            }
            ModelProperty::Relation(Relation::Traces, other) => format!("every trace is one of `{other}`"),
            ModelProperty::Relation(Relation::Failures, other) => {
                format!("every trace and every refusal is one of `{other}`")
            }
            ModelProperty::Relation(Relation::Bisimilar, other) => format!("it is equivalent to `{other}`"),
        }
    }
}

/// A question with its name.
#[derive(Clone, Debug)]
pub struct Question {
    pub system: String,
    pub name: String,
    pub asked: ModelProperty,
}

/// All questions, in order.
pub struct Plan {
    pub targets: Vec<String>,
    pub questions: Vec<Question>,
}

pub fn plan(
    arguments: &ModelArgs,
    loaded: &Loaded,
    model: &Model<'_>,
    output: &mut Output<'_>,
) -> Result<Plan, Refused> {
    let targets =
        if arguments.process.is_empty() { default_targets(loaded, model) } else { arguments.process.clone() };
    let mut questions = relations(arguments);
    let temporal = named_formulas(arguments, loaded)?;
    let tests = model.progress_tests().map_err(|problem| loaded.refuse(problem, output))?;
    let asks_only_others =
        !questions.is_empty() || !arguments.formulas.is_empty() || !arguments.automata.is_empty();
    for target in &targets {
        let mut ask = |name: &str, asked: ModelProperty| {
            questions.push(Question { system: target.clone(), name: name.to_owned(), asked });
        };
        for check in &arguments.checks {
            declared(check, &tests, &temporal, loaded, &mut ask)?;
        }
        if arguments.checks.is_empty() && !asks_only_others {
            if arguments.save.is_none() || temporal.is_empty() {
                ask("safety", ModelProperty::Safety);
            }
            tests.iter().for_each(|test| {
                ask(&format!("progress {}", test.name), ModelProperty::Progress(test.clone()))
            });
            for assert in &loaded.specification.asserts {
                ask(
                    &format!("assert {}", assert.name.text),
                    ModelProperty::Assert(assert.name.text.to_string()),
                );
            }
            for (name, formula) in &temporal {
                ask(&format!("formula {name}"), ModelProperty::Formula(formula.clone()));
            }
        } else if !arguments.formulas.is_empty() {
            for (name, formula) in temporal.iter().filter(|(name, _)| arguments.formulas.contains(name)) {
                ask(name, ModelProperty::Formula(formula.clone()));
            }
        }
        for automaton in &arguments.automata {
            ask(&format!("automaton {}", automaton.display()), ModelProperty::Automaton(automaton.clone()));
        }
    }
    if targets.is_empty() && questions.is_empty() && arguments.save.is_none() {
        if model.names().is_empty() {
            return Err(Refused::bad_input("the files define no process"));
        }
        let message = if !loaded.specification.programs.is_empty()
            || !loaded.specification.procedures.is_empty()
        {
            "the files specify C programs, and their processes are no systems by themselves; name one with --process"
        } else {
            "the files define no system that no other uses; name one with --process"
        };
        return Err(Refused::usage(message));
    }
    Ok(Plan { targets, questions })
}

/// Compositions that no other uses; without any, processes that no other uses; C programs' processes are not
/// systems.
fn default_targets(loaded: &Loaded, model: &Model<'_>) -> Vec<String> {
    let specification = &loaded.specification;
    let used: BTreeSet<String> =
        spec::used_processes(specification).iter().map(|name| name.to_string()).collect();
    let composites = specification.composites.iter().map(|composite| composite.name.text.to_string());
    let top: Vec<String> = composites.filter(|name| !used.contains(name)).collect();
    if !specification.composites.is_empty() {
        return top;
    }
    if !specification.procedures.is_empty() || !specification.programs.is_empty() {
        return Vec::new();
    }
    model.names().iter().map(ToString::to_string).filter(|name| !used.contains(name)).collect()
}

fn relations(arguments: &ModelArgs) -> Vec<Question> {
    let kinds = [
        (&arguments.simulates, Relation::Simulates, "simulated by"),
        (&arguments.traces, Relation::Traces, "traces in"),
        (&arguments.failures, Relation::Failures, "failures in"),
        (&arguments.bisimilar, Relation::Bisimilar, "bisimilar to"),
    ];
    let mut questions = Vec::new();
    for (names, relation, words) in kinds {
        for pair in names.chunks_exact(2) {
            questions.push(Question {
                system: pair[0].clone(),
                name: format!("{words} {}", pair[1]),
                asked: ModelProperty::Relation(relation, pair[1].clone()),
            });
        }
    }
    questions
}

/// Formulas of the command line (named by their text), of the files, and of files of their own.
fn named_formulas(arguments: &ModelArgs, loaded: &Loaded) -> Result<Vec<(String, Formula)>, Refused> {
    let mut formulas = Vec::new();
    for text in &arguments.formulas {
        let formula = Formula::parse(text, ONLY_TEXT)
            .map_err(|problem| Refused::inside(Exit::Usage, "--formula", text, &problem))?;
        formulas.push((text.clone(), formula));
    }
    let declared =
        loaded.specification.formulas.iter().map(|(name, formula)| (name.text.to_string(), formula.clone()));
    formulas.extend(declared);
    formulas.extend(loaded.formulas.iter().cloned());
    Ok(formulas)
}

/// Says what there is to check.
fn unknown_check(
    name: &str,
    tests: &[ProgressTest],
    formulas: &[(String, Formula)],
    loaded: &Loaded,
) -> String {
    let mut known: Vec<&str> = vec!["safety", "deadlock", "property", "progress"];
    known.extend(tests.iter().map(|test| test.name.as_str()));
    known.extend(loaded.specification.asserts.iter().map(|assert| &*assert.name.text));
    known.extend(formulas.iter().map(|(name, _)| name.as_str()));
    format!("--check {name}: nothing of that name can be checked; there are: {}", known.join(", "))
}

/// One `--check`.
fn declared(
    check: &str,
    tests: &[ProgressTest],
    formulas: &[(String, Formula)],
    loaded: &Loaded,
    ask: &mut impl FnMut(&str, ModelProperty),
) -> Result<(), Refused> {
    match check {
        "safety" => ask("safety", ModelProperty::Safety),
        "deadlock" => ask("deadlock", ModelProperty::Deadlock),
        "property" => ask("property", ModelProperty::Properties),
        "progress" if tests.is_empty() => ask("progress", ModelProperty::DefaultProgress),
        "progress" => {
            tests.iter().for_each(|test| {
                ask(&format!("progress {}", test.name), ModelProperty::Progress(test.clone()))
            });
        }
        name => {
            let mut found = false;
            let is_test = |test: &&ProgressTest| {
                test.name == name || test.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
            };
            for test in tests.iter().filter(is_test) {
                ask(&format!("progress {}", test.name), ModelProperty::Progress(test.clone()));
                found = true;
            }
            if loaded.specification.asserts.iter().any(|assert| &*assert.name.text == name) {
                ask(&format!("assert {name}"), ModelProperty::Assert(name.to_owned()));
                found = true;
            }
            for (_, formula) in formulas.iter().filter(|(known, _)| known == name) {
                ask(&format!("formula {name}"), ModelProperty::Formula(formula.clone()));
                found = true;
            }
            if !found {
                return Err(Refused::usage(unknown_check(name, tests, formulas, loaded)));
            }
        }
    }
    Ok(())
}
