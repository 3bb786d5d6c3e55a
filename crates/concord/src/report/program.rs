//! The page of `verify`: the program's text with what was shown of each line, the runs that fail, the control-flow
//! graphs in step with them, and how it was decided.

use super::{answer, page, texts};
use crate::cli::Common;
use crate::verify::{PartResult, PropertyResult};
use base::{Id, Span};
use program::{Origin, ProcedureId, Program};
use question::{Verdict, Violation};
use report::draw;
use report::page::{At, Page, Part, Section, Sources, of_violation};
use std::collections::BTreeSet;
use std::path::PathBuf;
use verdict::Condition;

/// Larger graphs take long to lay out, and nobody finds the way in them.
const MOST_STEPS_DRAWN: usize = 700;
/// Steps of all graphs of a page together: laying them out takes about a millisecond per box.
const MOST_STEPS_IN_ALL: usize = 2500;

/// The page about a program.
pub fn of_verify(shown: &PropertyResult<'_>, files: &[PathBuf], common: &Common, text: &str) -> Page {
    let (program, settled) = (shown.program, shown.settled);
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut page = page("verify", names.join(", "), text);
    let mut sources = texts::of_program(program, files, common, &mut page.left_out);
    let mut told = answer(settled, evidence::words::headline(program, settled));
    if let Some(open) = settled.verdict.undecided()
        && let Some(section) = told.sections.first_mut()
    {
        *section = Section::of("Why it is open", [evidence::words::reason(program, &open.reason)]);
    }
    // The run of the answer about all parts first, then those of others.
    let failing = std::iter::once((program, settled)).chain(shown.other_failures.iter().copied());
    let failing: Vec<_> =
        failing.filter_map(|(program, one)| Some((program, one, one.verdict.run()?))).collect();
    for (of, _, violation) in &failing {
        let mut run = of_violation(of, violation, &sources);
        if !std::ptr::eq(*of, program) {
            without_strange_keys(&mut run, program, of);
        }
        told.runs.push(run);
        note_run(&mut sources, of, violation);
    }
    let run_of = |part: &PartResult<'_>| {
        let is_it = |(_, one, violation): &(&Program, &crate::settle::Settled, &Violation)| {
            std::ptr::eq(*one, part.settled) && part.part.is_broken_by(violation)
        };
        failing.iter().position(is_it)
    };
    for part in &shown.parts {
        let at = sources.at(program.sources.location(part.part.at));
        let words = evidence::words::part(part.program, part.part, part.settled);
        let kind = match &part.settled.verdict {
            Verdict::Holds(_) => "ok",
            _ => "warning",
        };
        let text = match &part.settled.verdict {
            Verdict::Undecided(_) => format!("{}: {words}", part.part.words()),
            _ => words,
        };
        // Where a run fails is noted already.
        if let Some(at) = at.filter(|_| !part.settled.verdict.is_violated()) {
            sources.note(at, kind, text.clone());
        }
        told.parts.push(Part { word: part.settled.word(), text, at, run: run_of(part) });
    }
    proof(&mut told.sections, &mut sources, shown);
    if let Some(coverage) = &shown.coverage {
        for (location, reached) in coverage.lines() {
            if let Some(at) = sources.at(Some(location)) {
                sources.reached(at, reached);
            }
        }
    }
    let runs = failing.iter().map(|(_, _, violation)| *violation);
    page.graphs = graphs(program, &sources, runs);
    told.graphs = (0..page.graphs.len()).collect();
    page.answers.push(told);
    page.sources = sources.into_list();
    page
}

/// The control-flow graphs that are worth drawing: see [`worth_drawing`].
pub fn graphs<'v>(
    program: &Program,
    sources: &Sources,
    runs: impl Iterator<Item = &'v Violation>,
) -> Vec<draw::LaidOut> {
    let drawn = worth_drawing(program, runs).into_iter().map(|procedure| {
        let drawn = &program.procedures[procedure];
        let mut graph = draw::cfg(program, procedure).laid_out();
        graph.of = drawn.name.to_string();
        graph.file = sources.at(program.sources.location(drawn.span)).map(|at| at.file);
        graph
    });
    drawn.collect()
}

/// Where a run fails, and what it reads.
fn note_run(sources: &mut Sources, program: &Program, violation: &Violation) {
    let at = |sources: &Sources, span: Span| sources.at(program.sources.location(span));
    if let Some(at) = at(sources, violation.span) {
        sources.note(at, "error", violation.what.clone());
    }
    const MOST_NOTED: usize = 200;
    for input in violation.inputs.iter().filter(|one| *one.name != *program::NEXT_THREAD).take(MOST_NOTED) {
        if let Some(at) = at(sources, input.span) {
            sources.note(at, "input", format!("{} = {}", input.name, evidence::inputs::value(input)));
        }
    }
}

/// What a proof rests on, as sections and at the lines where it holds.
fn proof(sections: &mut Vec<Section>, sources: &mut Sources, shown: &PropertyResult<'_>) {
    let (program, settled) = (shown.program, shown.settled);
    if let Some(proof) = settled.verdict.program_proof() {
        let mut invariants: Vec<(String, Option<At>)> = Vec::new();
        for one in &proof.loops {
            let texts: Vec<&str> = one.conditions.iter().map(Condition::text).collect();
            let at = sources.at(program.sources.location(one.at));
            let plain: Vec<&str> = one.conditions.iter().filter_map(Condition::plain_c).collect();
            if let Some(at) = at.filter(|_| !plain.is_empty()) {
                sources.note(at, "invariant", evidence::simpler::simpler(program, &plain).join(" && "));
            }
            invariants.extend(texts.into_iter().map(|text| (text.to_owned(), at)));
        }
        if !invariants.is_empty() {
            let title = "What holds in every round of the loops".to_owned();
            sections.insert(0, Section { title, lines: invariants, is_code: true });
        }
        let mut contracts: Vec<(String, Option<At>)> = Vec::new();
        for one in &proof.contracts {
            for (word, conditions) in [("requires", &one.requires), ("ensures", &one.ensures)] {
                for condition in conditions {
                    contracts.push((format!("{} {word} {}", one.procedure, condition.text()), None));
                }
            }
        }
        if !contracts.is_empty() {
            let title = "What functions need and give".to_owned();
            sections.insert(0, Section { title, lines: contracts, is_code: true });
        }
    }
    if settled.verdict.holds() {
        let audited = settled.audit.as_ref().map_or_else(|| "not audited".into(), evidence::words::audit);
        sections.insert(0, Section::of("A second look at the proof", [audited]));
    }
    if let Some(vacuity) = &settled.vacuity {
        let words = evidence::words::vacuity(vacuity, program);
        if !words.is_empty() {
            sections.push(Section::of("Does it say anything?", words));
        }
        for place in vacuity.places.iter().filter(|place| place.reached == question::Reached::No) {
            if let Some(at) = sources.at(program.sources.location(place.at)) {
                sources.note(at, "warning", "no run of the proved program gets here".to_owned());
            }
        }
    }
}

/// Functions that runs go through, then `main`, then the others, as long as their graphs are small enough. Of all
/// interleavings as one program the graph is none of the source.
fn worth_drawing<'v>(program: &Program, runs: impl Iterator<Item = &'v Violation>) -> Vec<ProcedureId> {
    if program.interleaving.is_some() {
        return Vec::new();
    }
    let users = program.procedures.iter_enumerated().filter(|(_, one)| one.origin == Origin::User);
    let users: Vec<ProcedureId> = users.map(|(id, _)| id).collect();
    let met: BTreeSet<ProcedureId> =
        runs.flat_map(|run| run.steps.iter().map(|step| step.procedure)).collect();
    let mut order: Vec<ProcedureId> = program.main.into_iter().filter(|main| users.contains(main)).collect();
    order.extend(met.into_iter().filter(|id| users.contains(id)));
    order.extend(&users);
    let mut drawn: Vec<ProcedureId> = Vec::new();
    let mut steps = 0;
    for id in order {
        let Some(body) = &program.procedures[id].body else { continue };
        let count = body.edges.len();
        if !drawn.contains(&id) && count <= MOST_STEPS_DRAWN && steps + count <= MOST_STEPS_IN_ALL {
            steps += count;
            drawn.push(id);
        }
    }
    drawn
}

/// A run of another program than the one that is drawn: a step keeps its box where both programs have the same step.
fn without_strange_keys(run: &mut report::page::Run, drawn: &Program, of: &Program) {
    for step in &mut run.steps {
        let Some((name, key)) = step.function.clone().zip(step.key.clone()) else { continue };
        let edge_of = |program: &Program| {
            let procedure = program.procedures.iter().find(|one| *one.name == *name)?;
            let edge = program::EdgeId::from_index(key.parse().ok()?);
            Some(procedure.body.as_ref()?.edges.get(edge)?.span)
        };
        if edge_of(drawn) != edge_of(of) {
            step.key = None;
        }
    }
}
