//! Files that the verb writes beside its answers: the system itself, a counterexample as a drawing, what was
//! learned.

use super::answers::{SystemAnswer, named};
use super::input::Loaded;
use super::plan::Plan;
use super::{ModelArgs, input, plan};
use crate::channel::{Output, Refused, write_file};
use crate::report::finite::{MOST_STATES_DRAWN as MOST_STATES_IN_PAGE, Structure};
use base::Budget;
use lks::{Lks, explore};
use question::Verdict;
use spec::{Model, System};
use std::path::Path;
use verdict::Certificate;

/// Larger structures take minutes to lay out, and nobody can read them.
const MOST_STATES_DRAWN: usize = 1000;

/// Builds the one system that the arguments name.
pub fn structure(arguments: &ModelArgs, output: &mut Output<'_>, budget: &Budget) -> Result<Lks, Refused> {
    let loaded = input::load(&arguments.files, output)?;
    super::with_model(&loaded, output, budget, |model, output| {
        let plan = plan::plan(arguments, &loaded, model, output)?;
        built(&plan, model, &loaded, output, budget)
    })
}

fn built(
    plan: &Plan,
    model: &mut Model<'_>,
    loaded: &Loaded,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<Lks, Refused> {
    let [target] = &plan.targets[..] else {
        let there = plan.targets.join(", ");
        return Err(Refused::usage(format!(
            "only one system can be written; name it with --process: {there}"
        )));
    };
    let system: System = model.system(target).map_err(|problem| loaded.refuse(problem, output))?;
    let explored = explore(&system.composition(), target, budget).map_err(|unfinished| {
        Refused::undecided(format!(
            "{target} was not written: {} after {} states",
            unfinished.limit, unfinished.states
        ))
    })?;
    Ok(named(explored, &system))
}

/// The structures of the components of all systems that are asked about, and those of small systems as a whole, for a
/// page. What cannot be built was told already.
pub fn structures(plan: &Plan, model: &mut Model<'_>, budget: &Budget) -> Vec<Structure> {
    let mut found: Vec<Structure> = Vec::new();
    for target in plan.questions.iter().map(|question| &question.system) {
        if found.iter().any(|known| known.system == *target) {
            continue;
        }
        if let Ok(system) = model.system(target) {
            found.extend(structures_of(&system, target, budget));
        }
    }
    found
}

/// The structures of the components of a system, and its own if it is small.
pub fn structures_of(system: &System, target: &str, budget: &Budget) -> Vec<Structure> {
    let mut found = Vec::new();
    let composition = system.composition();
    for component in composition.components() {
        let (system, name) = (target.to_owned(), component.name.to_string());
        found.push(Structure { system, name, lks: component.lks.clone() });
    }
    let is_several = composition.components().len() > 1;
    if is_several
        && check::engine::has_at_most(&composition, MOST_STATES_IN_PAGE, budget)
        && let Ok(explored) = explore(&composition, target, budget)
    {
        let lks = named(explored, system).into();
        found.push(Structure { system: target.to_owned(), name: target.to_owned(), lks });
    }
    found
}

/// The structure as a picture, unless it is too large for one.
pub fn picture(lks: &Lks) -> Result<String, Refused> {
    if lks.state_count() > MOST_STATES_DRAWN {
        return Err(Refused::usage(format!(
            "{} has {} states, too many for a picture ({MOST_STATES_DRAWN} are the most); write .dot or .aut",
            lks.name(),
            lks.state_count()
        )));
    }
    Ok(report::draw::structure(lks).to_svg())
}

/// Writes the system to a file.
pub fn save(
    file: &Path,
    plan: &Plan,
    model: &mut Model<'_>,
    loaded: &Loaded,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<(), Refused> {
    let lks = built(plan, model, loaded, output, budget)?;
    let text = match ending(file) {
        "aut" => lks::aut::write(&lks),
        "dot" | "gv" => lks::dot::write(&lks),
        "svg" => picture(&lks)?,
        _ => return Err(unknown_ending("--save", file, ".aut, .dot or .svg")),
    };
    write_file(file, &text)
}

/// Writes the first counterexample as a drawing; without one there is nothing to draw, and that is said.
pub fn save_counterexample(
    file: &Path,
    answers: &[SystemAnswer],
    output: &mut Output<'_>,
) -> Result<(), Refused> {
    let found = answers.iter().find_map(|told| Some((told, told.answer.verdict.counterexample()?)));
    let Some((told, counterexample)) = found else {
        return note(output, &format!("nothing is violated: {} was not written", file.display()));
    };
    let drawing = report::draw::counterexample(counterexample, &told.answer.property);
    let text = match ending(file) {
        "svg" => drawing.to_svg(),
        "dot" | "gv" => drawing.to_dot(),
        _ => return Err(unknown_ending("--save-counterexample", file, ".svg or .dot")),
    };
    write_file(file, &text)
}

/// Writes what was learned as FSP, which `concord model` reads, or draws it.
pub fn save_assumptions(
    file: &Path,
    answers: &[SystemAnswer],
    output: &mut Output<'_>,
) -> Result<(), Refused> {
    let mut learned = Vec::new();
    for told in answers {
        if let Verdict::Holds(Certificate::AssumeGuarantee { assumptions, .. }) = &told.answer.verdict {
            learned.extend(assumptions.iter().map(|assumption| (told.answer.property.as_str(), assumption)));
        }
    }
    if learned.is_empty() {
        let message =
            format!("no assumption was learned: {} was not written; try --engine learn1", file.display());
        return note(output, &message);
    }
    let text = match ending(file) {
        "lts" | "spec" => {
            let mut text = String::from("/* Assumptions that Concord learned. */\n");
            let mut taken: Vec<String> = Vec::new();
            for (property, assumption) in &learned {
                let comment =
                    format!("// {property}: what `{}` may assume of the rest", assumption.component);
                let fsp = with_own_name(&check::learning::as_fsp(assumption), &mut taken);
                text.push_str(&format!("\n{comment}\n{}\n", fsp.trim_end()));
            }
            text
        }
        "svg" | "dot" | "gv" | "aut" => {
            let [(_, assumption)] = learned[..] else {
                let message = format!(
                    "--save-assumption {}: {} assumptions were learned; only .lts holds several",
                    file.display(),
                    learned.len()
                );
                return Err(Refused::usage(message));
            };
            let lks = check::learning::as_lks(assumption);
            match ending(file) {
                "svg" => picture(&lks)?,
                "aut" => lks::aut::write(&lks),
                _ => lks::dot::write(&lks),
            }
        }
        _ => return Err(unknown_ending("--save-assumption", file, ".lts, .aut, .dot or .svg")),
    };
    write_file(file, &text)
}

/// Components of one name have assumptions of one name; in one file each needs its own.
fn with_own_name(fsp: &str, taken: &mut Vec<String>) -> String {
    let Some((name, rest)) = fsp.split_once(' ') else { return fsp.to_owned() };
    let mut own = name.to_owned();
    for number in 2.. {
        if !taken.contains(&own) {
            break;
        }
        own = format!("{name}_{number}");
    }
    let text = format!("{own} {rest}");
    taken.push(own);
    text
}

fn ending(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

fn unknown_ending(option: &str, file: &Path, endings: &str) -> Refused {
    Refused::usage(format!("{option} {}: the ending says the format: {endings}", file.display()))
}

fn note(output: &mut Output<'_>, message: &str) -> Result<(), Refused> {
    if !output.is_quiet {
        output.tell(&format!("note: {message}"));
    }
    Ok(())
}
