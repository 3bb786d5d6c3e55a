//! Asks the questions and shows the answers.

use super::CheckArgs;
use super::input::{Loaded, Models};
use super::names;
use super::questions::{Asked, Question};
use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::model::answers::Told;
use crate::model::{json as model_json, show as model_show};
use crate::output;
use crate::shares::in_shares;
use base::{Budget, Silent};
use cegar::components::{self, Part, SystemReport};
use predicate::component::{self, Build, Returns};
use program::VariableKind;
use question::{Asks, Verdict};
use serde_json::{Value, json};
use spec::cexpr::CExpression;
use spec::formula::Atom;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

/// A proposition of a formula: its name there, and what it says.
type Proposition = (Arc<str>, CExpression);

/// Answers everything and says so.
pub fn answer_all(
    arguments: &CheckArgs,
    loaded: &Loaded,
    questions: &[Question<'_>],
    common: &Common,
    budget: &Budget,
) -> Result<Exit, Exit> {
    let last_word = &common.last_word;
    last_word.questions(questions.iter().map(|question| question.name.clone()));
    let is_open = |report: &SystemReport| report.answer.verdict.is_undecided();
    let found = in_shares(questions, budget, is_open, |index, question, share| {
        let report = answer(arguments, loaded, question, share)
            .map_err(|why| names::refuse(question, &why, common))?;
        let result = result_of(question, &report);
        last_word.answered(index, text_of(question, &report, common), result, exit_of(&report));
        Ok(report)
    })?;
    last_word.withdraw();
    let reports: Vec<(&Question<'_>, SystemReport)> = questions.iter().zip(found).collect();
    let saved = match &arguments.save {
        Some(directory) => {
            reports.iter().try_for_each(|(question, report)| save(directory, &question.name, report))
        }
        None => Ok(()),
    };
    let text = if common.format == Format::Json { as_json(&reports) } else { as_text(&reports, common) };
    output::write_results(&text)?;
    saved?;
    let exits = || reports.iter().map(|(_, report)| exit_of(report));
    let worst = [Exit::Violated, Exit::Undecided].into_iter().find(|&exit| exits().any(|one| one == exit));
    Ok(worst.unwrap_or(Exit::Holds))
}

fn exit_of(report: &SystemReport) -> Exit {
    match report.answer.verdict {
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Undecided(_) => Exit::Undecided,
        Verdict::Holds(_) => Exit::Holds,
    }
}

fn answer(
    arguments: &CheckArgs,
    loaded: &Loaded,
    question: &Question<'_>,
    budget: &Budget,
) -> Result<SystemReport, String> {
    let settings = spec::Settings { budget: budget.clone(), ..spec::Settings::default() };
    let models = RefCell::new(Models::new(loaded, &settings));
    let process = match &question.asked {
        Asked::Conforms(name) => {
            let book = question.book.ok_or("no specification holds the process")?;
            Some(models.borrow_mut().process(loaded, book, name)?)
        }
        _ => None,
    };
    if let Some(process) = process.as_ref().filter(|process| !process.propositions().is_empty()) {
        let name = process.propositions().name(base::Id::from_index(0));
        return Err(format!("the process has the state proposition `{name}`; ask for it with a formula"));
    }
    let returns = returns(loaded, question, &models)?;
    let propositions = match &question.asked {
        Asked::Satisfies(formula) => propositions(loaded, question, formula)?,
        _ => vec![Vec::new(); question.components.len()],
    };
    let mut parts: Vec<Part> = Vec::new();
    for (index, name) in question.components.iter().enumerate() {
        parts.push(part(arguments, loaded, question, index, name, &returns, &propositions[index], &models)?);
    }
    let mut unknown =
        process.as_ref().map_or_else(Vec::new, |process| names::unknown_events(process, &parts));
    if let Asked::Satisfies(formula) = &question.asked {
        unknown.extend(names::unknown_formula_events(formula, &parts));
    }
    let mut together = Vec::new();
    for asked in &question.beside {
        if let (Asked::Conforms(name), Some(book)) = (asked, question.book) {
            let process = models.borrow_mut().process(loaded, book, name)?;
            let process = components::with_returns_told_apart(&process, &returns, &parts);
            together.extend(components::returns_together(&process));
        }
    }
    parts.iter_mut().for_each(|part| part.may_return_apart(&together));
    let asks = match (&question.asked, process) {
        (Asked::Satisfies(formula), _) => Asks::Satisfies(components::formula_with_returns(formula, &parts)),
        (Asked::DeadlockFree, _) => Asks::NoDeadlock,
        (Asked::Conforms(_), Some(process)) => {
            let process = components::with_returns_told_apart(&process, &returns, &parts);
            Asks::Conforms(process, arguments.conformance())
        }
        (Asked::Conforms(_), None) => unreachable!("the process was made above"),
    };
    let settings = arguments.settings();
    let asked = question::Question { name: question.name.clone(), about: &loaded.program, asks };
    let mut report = components::check(&asked, &mut parts, &settings, budget, &Silent);
    report.answer.remarks.splice(0..0, unknown);
    let place = question.span.zip(question.book).and_then(|(span, book)| book.loaded.sources.location(span));
    if let (false, Some(place)) = (report.vacuous.is_empty(), place) {
        let guards: Vec<String> = question.guards.iter().map(|guard| format!("`{guard}`")).collect();
        for text in report.answer.remarks.iter_mut().filter(|text| text.starts_with("vacuous: ")) {
            *text = format!("{text} at {place}: {}", guards.join(", "));
        }
        report.vacuous.iter_mut().for_each(|text| *text = format!("{place}: {text}"));
    }
    Ok(report)
}

/// The returns that the questions about the system tell apart: all of them mean the same by a return.
fn returns(
    loaded: &Loaded,
    question: &Question<'_>,
    models: &RefCell<Models<'_>>,
) -> Result<Returns, String> {
    let mut names: Vec<Arc<str>> = Vec::new();
    // A component alone returns as it likes: only what is asked counts.
    let beside = if question.components.len() > 1 { question.beside.as_slice() } else { &[] };
    for asked in std::iter::once(&question.asked).chain(beside) {
        match asked {
            Asked::Conforms(name) => {
                let book = question.book.ok_or("no specification holds the process")?;
                let process = models.borrow_mut().process(loaded, book, name)?;
                let alphabet = process.alphabet();
                names.extend(alphabet.visible().map(|action| alphabet.shared_name(action)));
            }
            Asked::Satisfies(formula) => {
                names.extend(formula.atoms().into_iter().filter_map(|atom| match atom {
                    Atom::Event(name) => Some(name),
                    Atom::Proposition(_) => None,
                }));
            }
            Asked::DeadlockFree => {}
        }
    }
    Ok(Returns::among(names.iter().map(|name| &**name)))
}

#[allow(clippy::too_many_arguments, reason = "one call, one place; a struct would only repeat the names")]
fn part(
    arguments: &CheckArgs,
    loaded: &Loaded,
    question: &Question<'_>,
    index: usize,
    name: &Arc<str>,
    returns: &Returns,
    propositions: &[Proposition],
    models: &RefCell<Models<'_>>,
) -> Result<Part, String> {
    let program = &loaded.program;
    let procedure = program.procedure_named(name).filter(|&id| program.procedures[id].body.is_some());
    let Some(procedure) = procedure else {
        let book = question.book.ok_or_else(|| format!("there is no procedure `{name}` with a body"))?;
        let wanted = spec::syntax::Name::new(name, base::Span::NOWHERE);
        let process = models.borrow_mut().process(loaded, book, &wanted);
        return process
            .map(Part::Process)
            .map_err(|_| format!("`{name}` is neither a procedure with a body nor a process"));
    };
    let copies = question.components.iter().filter(|other| *other == name).count();
    let own_name = if copies > 1 {
        let number = question.components[..=index].iter().filter(|other| *other == name).count();
        Arc::from(format!("{name}#{number}"))
    } else {
        name.clone()
    };
    let trouble = RefCell::new(None);
    let routines = |function: &str, at| {
        loaded.routines(function, at, &mut models.borrow_mut()).unwrap_or_else(|why| {
            trouble.borrow_mut().get_or_insert(format!("`cproc {function}`: {why}"));
            Vec::new()
        })
    };
    let texts: Vec<CExpression> = propositions.iter().map(|(_, text)| text.clone()).collect();
    let component = component::build(&Build {
        program,
        procedure,
        name: own_name,
        guard: question.guards.get(index),
        routines: &routines,
        is_inlined: &|caller, function| loaded.is_inlined(caller, function),
        missing: arguments.missing(),
        returns,
        predicates: &loaded.predicates(name),
        propositions: &texts,
    })
    .map_err(|why| format!("{name}: {why}"))?;
    if let Some(why) = trouble.into_inner() {
        return Err(why);
    }
    Ok(Part::code(component, propositions.iter().map(|(name, _)| name.clone()).collect()))
}

/// Which component each proposition of a formula speaks about.
fn propositions(
    loaded: &Loaded,
    question: &Question<'_>,
    formula: &spec::Formula,
) -> Result<Vec<Vec<Proposition>>, String> {
    let program = &loaded.program;
    let mut found = vec![Vec::new(); question.components.len()];
    for atom in formula.atoms() {
        let Atom::Proposition(name) = atom else { continue };
        let text = CExpression::parse(&name).map_err(|trouble| format!("[{name}]: {}", trouble.message))?;
        let mut names = Vec::new();
        variables(&text, &mut names);
        let knows = |component: &Arc<str>, wants_own: bool| {
            let Some(procedure) = program.procedure_named(component) else { return false };
            names.iter().all(|wanted| {
                program.variables.iter().any(|variable| {
                    let is_own = variable.procedure == Some(procedure);
                    let is_global = variable.kind == VariableKind::Global && variable.procedure.is_none();
                    variable.name == *wanted && (is_own || !wants_own && is_global)
                })
            })
        };
        let speaking = |wants_own: bool| -> Vec<usize> {
            let all = question.components.iter().enumerate();
            all.filter(|(_, component)| knows(component, wants_own)).map(|(index, _)| index).collect()
        };
        let mut candidates = speaking(true);
        if candidates.is_empty() {
            candidates = speaking(false);
        }
        match candidates[..] {
            [only] => found[only].push((name, text)),
            [] => return Err(format!("[{name}]: {}", unknown_variable(loaded, question, &names))),
            _ => return Err(format!("[{name}]: several components have these variables")),
        }
    }
    Ok(found)
}

/// Which of the variables no component has, and what was probably meant.
fn unknown_variable(loaded: &Loaded, question: &Question<'_>, wanted: &[Arc<str>]) -> String {
    let program = &loaded.program;
    let owners: Vec<_> =
        question.components.iter().filter_map(|component| program.procedure_named(component)).collect();
    let known: Vec<&str> = program
        .variables
        .iter()
        .filter(|variable| match variable.procedure {
            Some(procedure) => owners.contains(&procedure) && variable.kind != VariableKind::Temporary,
            None => variable.kind == VariableKind::Global,
        })
        .map(|variable| &*variable.name)
        .collect();
    let Some(missing) = wanted.iter().find(|name| !known.contains(&&***name)) else {
        return "no component has all of these variables".to_owned();
    };
    let hint = names::nearest(missing, known.iter().copied())
        .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    format!("no component has a variable `{missing}`{hint}")
}

fn variables(expression: &CExpression, names: &mut Vec<Arc<str>>) {
    match expression {
        CExpression::Name(name) => names.push(name.clone()),
        CExpression::Integer(_) | CExpression::Argument(_) => {}
        CExpression::Unary(_, a)
        | CExpression::Member(a, _)
        | CExpression::Arrow(a, _)
        | CExpression::Cast(_, a) => variables(a, names),
        CExpression::Binary(_, a, b) | CExpression::Element(a, b) => {
            variables(a, names);
            variables(b, names);
        }
        CExpression::Conditional(a, b, c) => {
            variables(a, names);
            variables(b, names);
            variables(c, names);
        }
    }
}

fn as_text(reports: &[(&Question<'_>, SystemReport)], common: &Common) -> String {
    reports.iter().map(|(question, report)| text_of(question, report, common)).collect()
}

fn text_of(question: &Question<'_>, report: &SystemReport, common: &Common) -> String {
    let mut text = String::new();
    model_show::answer(&mut text, &told(question, report));
    if !report.vacuous.is_empty() {
        text = text.replacen(": HOLDS (", ": HOLDS vacuously (", 1);
    }
    if let Verdict::Holds(_) = report.answer.verdict {
        for part in &report.parts {
            let few = if common.verbose { usize::MAX } else { 12 };
            let shown: Vec<&str> = part.predicates.iter().take(few).map(|(text, _)| text.as_str()).collect();
            let mut shown = if shown.is_empty() { "no predicates".to_owned() } else { shown.join(", ") };
            if part.predicates.len() > few {
                let _ = write!(shown, " and {} more (-v)", part.predicates.len() - few);
            }
            let _ = writeln!(text, "  {}: {} states under {shown}", part.name, part.states);
        }
    }
    if common.verbose {
        for refinement in &report.refinements {
            let _ = writeln!(text, "  refined: {refinement}");
        }
    }
    text
}

fn told(question: &Question<'_>, report: &SystemReport) -> Told {
    Told {
        answer: report.answer.clone(),
        system: question.components.join(" || "),
        more: Vec::new(),
        is_internal: false,
    }
}

fn as_json(reports: &[(&Question<'_>, SystemReport)]) -> String {
    let results: Vec<Value> = reports.iter().map(|(question, report)| result_of(question, report)).collect();
    let document = json!({ "concord": 1, "verb": "check", "results": results });
    format!("{document:#}\n")
}

fn result_of(question: &Question<'_>, report: &SystemReport) -> Value {
    let mut result = model_json::answer(&told(question, report), None);
    let parts: Vec<Value> = report
        .parts
        .iter()
        .map(|part| {
            let predicates: Vec<Value> = part
                .predicates
                .iter()
                .map(|(text, reason)| json!({ "predicate": text, "reason": reason }))
                .collect();
            json!({
                "component": part.name,
                "locations": part.locations,
                "states": part.states,
                "seen_states": part.seen_states,
                "seeds": part.seeds,
                "predicates": predicates,
            })
        })
        .collect();
    if let Some(object) = result.as_object_mut() {
        object.insert("components".to_owned(), parts.into());
        object.insert("vacuous".to_owned(), report.vacuous.clone().into());
        object.insert("refinements".to_owned(), report.refinements.clone().into());
    }
    result
}

fn save(directory: &std::path::Path, question: &str, report: &SystemReport) -> Result<(), Exit> {
    for part in &report.parts {
        let name = format!("{question}.{}.dot", part.name).replace(['/', '#'], "_");
        output::write_file(&directory.join(name), &lks::dot::write(&part.lks))?;
    }
    Ok(())
}
