//! The page of `analyze`: at each line what variables can hold there, and what can go wrong.
use super::program::graphs;
use super::{answer, page, texts};
use crate::analyze::claims::{Claim, together};
use crate::analyze::show::{loop_invariants, mentions, places, value_text, values_at};
use crate::cli::Common;
use base::Severity;
use intervals::Analysis;
use report::page::{Page, Part};
use std::path::PathBuf;

/// Values told at a line; more would hide the line.
const MOST_VALUES: usize = 40;

/// The page about the values of a program.
pub fn of_analyze(
    analysis: &Analysis<'_>,
    claims: &[Claim],
    files: &[PathBuf],
    common: &Common,
    text: &str,
) -> Page {
    let program = analysis.program();
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut page = page("analyze", names.join(", "), text);
    let mut sources = texts::of_program(program, files, common, &mut page.left_out);
    let settled = together(analysis, claims);
    let open = claims.iter().filter(|claim| !claim.answer.verdict.holds()).count();
    let headline = match (open, claims.len()) {
        (0, all) => format!("nothing that is looked for can happen ({all} places were looked at)"),
        (1, all) => format!("1 of {all} things that are looked for may happen"),
        (open, all) => format!("{open} of {all} things that are looked for may happen"),
    };
    let mut told = answer(&settled, headline);
    for claim in claims {
        let at = sources.at(program.sources.location(claim.span));
        let kind = match claim.severity() {
            _ if claim.is_all_clear() => "ok",
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        if let Some(at) = at {
            sources.note(at, kind, claim.message.clone());
        }
        told.parts.push(Part { word: claim.answer.word(), text: claim.message.clone(), at, run: None });
    }
    // What needs a look comes first.
    told.parts.sort_by_key(|part| part.word == settled_word(claims));
    for (_, span, conditions) in loop_invariants(analysis) {
        if let Some(at) = sources.at(program.sources.location(span)).filter(|_| !conditions.is_empty()) {
            sources.note(at, "invariant", conditions.join(" && "));
        }
    }
    for (procedure, node, line) in places(analysis, None) {
        let Some(body) = &program.procedures[procedure].body else { continue };
        let spans = body.nodes[node].out.iter().map(|&edge| body.edges[edge].span);
        let at =
            spans.filter_map(|span| sources.at(program.sources.location(span))).find(|at| at.line == line);
        let Some(at) = at else { continue };
        if analysis.at(procedure, node).is_none() {
            sources.note(at, "note", "no run gets here".to_owned());
            sources.reached(at, "unreachable");
            continue;
        }
        let mut values = values_at(analysis, procedure, node, None);
        // Variables of the library's own bodies are nobody's business, and those of the line come first.
        values.retain(|(id, ..)| sources.at(program.sources.location(program.variables[*id].span)).is_some());
        let text = sources.text(at);
        values.sort_by_key(|(id, ..)| !mentions(&text, &program.variables[*id].name));
        let shown = values.iter().take(MOST_VALUES).map(|(id, value, written)| {
            let never = if *written == intervals::Written::Never { " (never written)" } else { "" };
            format!("{} = {}{never}", program.variables[*id].name, value_text(value))
        });
        let shown: Vec<String> = shown.collect();
        if !shown.is_empty() {
            sources.note(at, "value", shown.join(", "));
        }
    }
    page.graphs = graphs(program, &sources, std::iter::empty());
    told.graphs = (0..page.graphs.len()).collect();
    page.answers.push(told);
    page.sources = sources.into_list();
    page
}

/// The word of claims that are made.
fn settled_word(claims: &[Claim]) -> String {
    let made = claims.iter().find(|claim| claim.answer.verdict.holds());
    made.map_or_else(String::new, |claim| claim.answer.word())
}
