//! The page of `verify`: the program's text with what was shown of each line, the runs that fail, the control-flow
//! graphs in step with them, and how it was decided.

use super::{answer, page, texts};
use crate::cli::Common;
use crate::verify::{PartResult, PropertyResult};
use base::{Id, Span};
use program::{Origin, ProcedureId, Program, influence};
use question::{Verdict, Violation};
use report::draw;
use report::page::{At, Page, Part, Section, Sources, of_violation, waits_of_violation};
use std::collections::BTreeSet;
use std::path::PathBuf;
use threads::is_threaded;
use verdict::Condition;

/// Larger graphs are drawn in parts.
const MOST_BOXES: usize = 120;
/// Steps of a procedure that is drawn.
const MOST_STEPS_DRAWN: usize = 4000;
/// Steps of all graphs of a page together: laying them out takes about a millisecond per box.
const MOST_STEPS_IN_ALL: usize = 5000;

/// The page about a program.
pub fn of_verify(shown: &PropertyResult<'_>, files: &[PathBuf], common: &Common, text: &str) -> Page {
    let (program, settled) = (shown.program, shown.settled);
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut page = page("verify", names.join(", "), text);
    let mut sources = texts::of_program(program, files, common, &mut page.left_out);
    let mut told = answer(settled, evidence::words::headline(program, settled));
    // Who waits for what is told at the run; the first line of a page is short.
    if let Some(violation) = settled.verdict.run().filter(|run| run.broken == question::Broken::Deadlock)
        && let Some(at) = program.sources.location(violation.span)
    {
        let what = violation.what.split(": ").next().unwrap_or(&violation.what);
        told.headline = format!("{what}, at {}:{}", at.file, at.line);
    }
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
    without_influence(&mut told.sections, &mut sources, shown);
    if let Some(coverage) = &shown.coverage {
        for (location, reached) in coverage.lines() {
            if let Some(at) = sources.at(Some(location)) {
                sources.reached(at, reached);
            }
        }
    }
    let runs = failing.iter().map(|(_, _, violation)| *violation);
    page.graphs = graphs(program, &sources, runs);
    for (run, (of, _, violation)) in told.runs.iter_mut().zip(&failing) {
        if let Some(drawing) = waits_of_violation(of, violation) {
            let mut graph = drawing.laid_out();
            "who waits for whom".clone_into(&mut graph.of);
            graph.file = sources.at(of.sources.location(violation.span)).map(|at| at.file);
            run.waits = Some(page.graphs.len());
            page.graphs.push(graph);
        }
    }
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
    let mut graphs = Vec::new();
    for procedure in worth_drawing(program, runs) {
        add_graph(&mut graphs, program, procedure, sources);
    }
    graphs
}

/// Adds the control-flow graph of a procedure; a large one in parts that open each other.
pub fn add_graph(
    graphs: &mut Vec<draw::LaidOut>,
    program: &Program,
    procedure: ProcedureId,
    sources: &Sources,
) {
    let drawn = &program.procedures[procedure];
    let file = sources.at(program.sources.location(drawn.span)).map(|at| at.file);
    let first = graphs.len();
    for part in draw::fold(draw::cfg(program, procedure), MOST_BOXES) {
        let mut graph = part.drawing.laid_out();
        graph.of = drawn.name.to_string();
        graph.opens = part.opens.into_iter().map(|(place, inner)| (place, first + inner)).collect();
        graph.up = part.up.map(|up| first + up);
        graph.part = part.name;
        graph.file = file;
        graphs.push(graph);
    }
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
        let (mut invariants, mut terms): (Vec<(String, Option<At>)>, Vec<_>) = Default::default();
        for one in &proof.loops {
            let at = sources.at(program.sources.location(one.at));
            let plain: Vec<&str> = one.conditions.iter().filter_map(Condition::plain_c).collect();
            if let Some(at) = at.filter(|_| !plain.is_empty()) {
                sources.note(at, "invariant", evidence::simpler::simpler(program, &plain).join(" && "));
            }
            for condition in &one.conditions {
                let of_its_kind = if condition.plain_c().is_some() { &mut invariants } else { &mut terms };
                of_its_kind.push((condition.text().to_owned(), at));
            }
        }
        if !terms.is_empty() {
            let title = "What also holds there, as terms of the solver (SMT-LIB)".to_owned();
            sections.insert(0, Section { title, lines: terms, is_code: true });
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

/// Of a proof about assertions, calls and labels: the lines that what is asked does not depend on.
fn without_influence(sections: &mut Vec<Section>, sources: &mut Sources, shown: &PropertyResult<'_>) {
    const MOST_EDGES: usize = 20_000;
    let program = shown.program;
    let edges =
        || program.procedures.iter().flat_map(|one| one.body.iter().flat_map(|body| body.edges.iter()));
    let are_places = shown.parts.iter().all(|part| part.part.check().is_none());
    let is_small = edges().count() <= MOST_EDGES;
    if !shown.settled.verdict.holds()
        || shown.parts.is_empty()
        || !are_places
        || !is_small
        || is_threaded(program)
    {
        return;
    }
    let asked: BTreeSet<Option<At>> = { shown.parts.iter() }
        .flat_map(|part| part.part.labelled.iter().chain([&part.part.at]))
        .map(|&span| sources.at(program.sources.location(span)))
        .collect();
    if asked.contains(&None) {
        return;
    }
    let is_asked = |edge: &program::Edge| {
        let at = sources.at(program.sources.location(edge.span));
        at.is_some() && asked.contains(&at)
    };
    let needed = influence::needed(program, is_asked);
    let (mut idle, mut busy) = (BTreeSet::new(), asked.clone());
    for (id, procedure) in program.procedures.iter_enumerated().filter(|(_, one)| one.origin == Origin::User)
    {
        let Some(body) = &procedure.body else { continue };
        for (edge, known) in body.edges.iter_enumerated().filter(|(_, edge)| influence::does_something(edge))
        {
            let at = sources.at(program.sources.location(known.span));
            if needed[id][edge] {
                busy.insert(at)
            } else {
                idle.insert(at)
            };
        }
    }
    let idle: Vec<At> = idle.difference(&busy).copied().flatten().collect();
    for &at in &idle {
        sources.note(
            at,
            "idle",
            "the proof does not need this line: nothing that is asked depends on it".to_owned(),
        );
    }
    if let Some(first) = idle.first() {
        let text = match idle.len() {
            1 => "1 line: nothing that is asked depends on it. It is dimmed in the source".to_owned(),
            count => {
                format!("{count} lines: nothing that is asked depends on them. They are dimmed in the source")
            }
        };
        let title = "Lines that the proof does not need".to_owned();
        sections.push(Section { title, lines: vec![(text, Some(*first))], is_code: false });
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
pub fn without_strange_keys(run: &mut report::page::Run, drawn: &Program, of: &Program) {
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
