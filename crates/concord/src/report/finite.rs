//! The pages of `model`, `check` and `bool`: runs in lanes, strategies, the structures of components in step with them.

use super::{answer, texts};
use crate::channel::{Refused, write_file};
use crate::model::answers::SystemAnswer;
use crate::settle::Settled;
use lks::Lks;
use question::{Counterexample, Verdict};
use report::draw;
use report::page::{self, Answer, Page, Propositions, Reading, Section, Sources, of_counterexample};
use std::collections::BTreeSet;
use std::path::Path;
use verdict::Certificate;

/// Larger structures are not drawn: the components of a large system are.
pub const MOST_STATES_DRAWN: usize = 250;

/// A structure with the name that runs give it.
pub struct Structure {
    /// The system or question it belongs to.
    pub system: String,
    /// The component's name, as lanes have it.
    pub name: String,
    /// The structure.
    pub lks: std::sync::Arc<Lks>,
}

/// Writes the page and the drawing of the first run, where they are asked for.
pub fn write(
    page: &Page,
    file: Option<&Path>,
    drawing: Option<&Path>,
    is_quiet: bool,
) -> Result<(), Refused> {
    if let Some(file) = file {
        write_file(file, &page::to_html(page))?;
    }
    let Some(drawing) = drawing else { return Ok(()) };
    let run = page.answers.iter().find_map(|answer| Some((answer, answer.runs.first()?)));
    let Some((answer, run)) = run else {
        if !is_quiet {
            crate::load::tell(&format!(
                "note: no run violates anything: {} was not written\n",
                drawing.display()
            ));
        }
        return Ok(());
    };
    write_file(drawing, &draw::sequence(run, &answer.name))
}

/// A page about files that were named, and their texts.
pub fn begin(verb: &str, files: &[&Path], text: &str) -> (Page, Sources) {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut page = super::page(verb, names.join(", "), text);
    let sources = texts::named(files.iter().copied(), &mut page.left_out);
    (page, sources)
}

/// Adds the answer about a system, with the structures of its components.
pub fn add(
    page: &mut Page,
    sources: &Sources,
    told: &SystemAnswer,
    structures: &[Structure],
    further: Vec<Section>,
) {
    let reading = Reading { sources, propositions: Propositions::AllThatHold };
    let mut shown = of_settled(&told.answer, reading, page);
    if told.is_vacuous {
        shown.sections.insert(
            0,
            Section::of("Vacuous", ["it holds of nothing: there is no run to look at".to_owned()]),
        );
    }
    for more in &told.more {
        of_counterexample(&mut shown, more, reading);
    }
    shown.sections.splice(0..0, further);
    let own = structures.iter().filter(|one| one.system == told.system || one.system == told.answer.property);
    for one in own {
        let count = one.lks.state_count();
        if count == 0 {
            continue;
        }
        let at = match count <= MOST_STATES_DRAWN {
            true => graph_of(page, one),
            false => part_of(page, one, &shown.runs),
        };
        if !shown.graphs.contains(&at) {
            shown.graphs.push(at);
        }
        shown.runs.iter_mut().for_each(|run| run.set_graph(&one.name, at));
    }
    page.answers.push(shown);
}

/// The position of the drawing of a structure, which is made if it is not there.
pub fn graph_of(page: &mut Page, one: &Structure) -> usize {
    let graph = draw::structure(&one.lks);
    let is_it = |known: &draw::LaidOut| {
        known.of == one.name && known.keys == graph.keys && known.title == graph.title
    };
    if let Some(at) = page.graphs.iter().position(is_it) {
        return at;
    }
    let mut laid = graph.laid_out();
    laid.of.clone_from(&one.name);
    page.graphs.push(laid);
    page.graphs.len() - 1
}

/// The drawing of what runs go through of a structure that is too large, and of what is around it.
fn part_of(page: &mut Page, one: &Structure, runs: &[page::Run]) -> usize {
    let states = |run: &page::Run| -> Vec<String> {
        let changes = run.start.iter().chain(run.steps.iter().flat_map(|step| &step.changes));
        changes.filter(|(name, _)| *name == one.name).filter_map(|(_, value)| value.clone()).collect()
    };
    let of_runs: BTreeSet<String> = runs.iter().flat_map(states).collect();
    let mut laid = draw::part_of_structure(&one.lks, &of_runs, MOST_STATES_DRAWN / 2).laid_out();
    laid.of.clone_from(&one.name);
    let why = format!(
        "{} has {} states: its drawing shows those that the run goes through, and what is near its start.",
        one.name,
        one.lks.state_count()
    );
    if !page.left_out.contains(&why) {
        page.left_out.push(why);
    }
    page.graphs.push(laid);
    page.graphs.len() - 1
}

/// Adds an answer about a Boolean program.
pub fn add_boolean(page: &mut Page, sources: &Sources, settled: &Settled) {
    let reading = Reading { sources, propositions: Propositions::OnlyChanges };
    let shown = of_settled(settled, reading, page);
    page.answers.push(shown);
}

fn of_settled(settled: &Settled, reading: Reading<'_>, page: &mut Page) -> Answer {
    let mut shown = answer(settled, settled.property.clone());
    if let Some(counterexample) = settled.verdict.counterexample() {
        of_counterexample(&mut shown, counterexample, reading);
        if let Counterexample::Deadlock(deadlock) = counterexample
            && deadlock.refusals.len() > 1
            && let Some(run) = shown.runs.last_mut()
        {
            let mut graph = draw::waits(&deadlock.refusals).laid_out();
            "who waits for whom".clone_into(&mut graph.of);
            run.waits = Some(page.graphs.len());
            shown.graphs.push(page.graphs.len());
            page.graphs.push(graph);
        }
    }
    // The first line of a page says what happened; what was asked stands below it.
    let happened = shown.runs.first().and_then(|run| run.end.lines().find(|line| !line.is_empty()));
    if settled.verdict.is_violated() {
        if let Some(happened) = happened {
            shown.headline = happened.to_owned();
        } else if shown.tree.is_some() {
            shown.headline = "the implementation does what the specification cannot follow".to_owned();
        }
    }
    if let Verdict::Holds(certificate) = &settled.verdict {
        shown.sections.splice(0..0, proof(certificate));
    }
    shown
}

/// What a proof rests on.
fn proof(certificate: &Certificate) -> Vec<Section> {
    const MOST: usize = 500;
    let code = |title: String, lines: Vec<String>| {
        let left = lines.len().saturating_sub(MOST);
        let mut section = Section::of(&title, lines.into_iter().take(MOST));
        section.is_code = true;
        if left > 0 {
            section.lines.push((format!("… and {left} more"), None));
        }
        section
    };
    match certificate {
        Certificate::Unrecorded | Certificate::Program(_) => Vec::new(),
        Certificate::Exhaustive { states } => {
            vec![Section::of("Proof", [format!("every reachable state was looked at: {states}")])]
        }
        Certificate::Simulation { pairs } => {
            let lines = pairs.iter().map(|(one, other)| format!("{one}  ≤  {other}")).collect();
            vec![code("Proof: a simulation, pair by pair".to_owned(), lines)]
        }
        Certificate::AssumeGuarantee { rule, assumptions } => {
            let each = assumptions.iter().map(|one| {
                let lines = check::learning::as_fsp(one).lines().map(str::to_owned).collect();
                code(
                    format!("What `{}` may assume of the rest (assume-guarantee rule {rule})", one.component),
                    lines,
                )
            });
            each.collect()
        }
        Certificate::Abstraction { partitions } => {
            let lines = partitions.iter().flat_map(|(name, classes)| {
                classes.iter().map(move |class| format!("{name}: {}", class.join(", ")))
            });
            vec![code("Proof: classes of states that need not be told apart".to_owned(), lines.collect())]
        }
        Certificate::Facts(facts) => {
            let lines = facts.facts.iter().map(|fact| format!("{}: {}", fact.place, fact.states)).collect();
            let legend = facts.legend.iter().map(|fact| format!("{}: {}", fact.place, fact.states)).collect();
            let mut all = vec![
                Section::of("How to read the proof", [facts.meaning.to_owned()]),
                code(format!("Proof: {} ({} conditions checked)", facts.shape, facts.conditions), lines),
            ];
            if !facts.legend.is_empty() {
                all.push(code("Names in the proof".to_owned(), legend));
            }
            all
        }
    }
}
