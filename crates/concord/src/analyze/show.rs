//! What the analysis found, for people.

use super::AnalyzeArgs;
use super::claims::{Claim, Kind, UP_TO_MISTAKES, is_up_to_mistakes};
use super::going_on::Asked;
use super::groups::{groups, table};
use super::scope::is_in_scope;
use crate::cli::Common;
use base::render::render;
use base::{Diagnostic, Severity};
use intervals::{Analysis, Certainty, Invariants, Value, Written};
use program::{AssumptionKind, NodeId, Origin, ProcedureId, VariableId, VariableKind};
use std::fmt::Write;
use std::path::PathBuf;

/// What no answer here is about.
pub const NOT_LOOKED_FOR: &str = "Not looked for: memory leaks, data races and deadlocks, strict aliasing, misaligned access, \
    unsequenced side effects, left shifts of negative values, pointer arithmetic without access, lengths of arrays below one, stack exhaustion, endless loops.\n";

/// Is the procedure the user's own code?
pub fn is_users(analysis: &Analysis<'_>, procedure: ProcedureId) -> bool {
    analysis.program().procedures[procedure].origin == Origin::User
}

/// The word for how sure something is.
pub fn certainty_word(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Excluded => "excluded",
        Certainty::Possible => "possible",
        Certainty::Definite => "definite",
    }
}

/// A value in words.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Float(range) => range.to_string(),
        Value::Pointer(pointers) => {
            let mut parts = Vec::new();
            if pointers.can_be_null {
                parts.push("null".to_string());
            }
            if pointers.can_be_anything {
                parts.push("any address".to_string());
            }
            if !pointers.targets().is_empty() {
                let objects = pointers.targets().len();
                parts.push(if objects == 1 {
                    "one object".into()
                } else {
                    format!("one of {objects} objects")
                });
            }
            parts.join(" or ")
        }
    }
}

/// What is supposed of something that is called and not shown.
pub fn missing_words(missing: &intervals::MissingBody, analysis: &Analysis<'_>) -> String {
    let may = analysis.settings().missing.words();
    match &missing.function {
        Some(name) => format!("`{name}` has no body: it may {may}"),
        None => format!(
            "which function is called through a pointer is not known: it may be one that is not shown, and {may}"
        ),
    }
}

/// What is supposed of the call that runs start with, where the user named the function (`--function`).
pub fn suppositions(program: &program::Program) -> Vec<&str> {
    let entry = program.assumptions.iter().filter(|assumption| {
        matches!(
            assumption.kind,
            AssumptionKind::Entry | AssumptionKind::UnknownPointer | AssumptionKind::OutsideMemory
        )
    });
    entry.map(|assumption| assumption.message.as_str()).collect()
}

fn suppose(analysis: &Analysis<'_>, text: &mut String) {
    for supposition in suppositions(analysis.program()) {
        let _ = writeln!(text, "assumed: {supposition}");
    }
}

/// The whole report.
pub fn report(
    analysis: &Analysis<'_>,
    claims: &[Claim],
    asked: &[Asked],
    arguments: &AnalyzeArgs,
    common: &Common,
) -> String {
    let mut text = String::new();
    if arguments.invariants {
        invariants(analysis, &mut text);
        suppose(analysis, &mut text);
        return text;
    }
    if arguments.at.is_some() || arguments.variable.is_some() {
        values(analysis, arguments, &mut text);
        suppose(analysis, &mut text);
        return text;
    }
    let told = |text: &mut String, severity, code, span, message: String| {
        let diagnostic = Diagnostic::new(severity, code, span, message);
        line(text, &render(&diagnostic, &analysis.program().sources, common.colour()));
    };
    let shown = claims.iter().filter(|claim| arguments.all || !(claim.is_all_clear() || claim.is_accepted));
    for group in groups(shown) {
        let first = group.first;
        told(&mut text, first.severity(), first.rule, first.span, group.message(analysis));
    }
    for output in analysis.outputs.iter().filter(|one| is_users(analysis, one.procedure)) {
        let place = analysis.program().sources.location(output.span);
        let place = place.map_or(String::new(), |place| format!("{place}: "));
        for (shown, value) in output.values.iter().filter(|(_, value)| !matches!(value, Value::Pointer(_))) {
            let _ = writeln!(text, "{place}prints {shown} = {}", value_text(value));
        }
    }
    for missing in &analysis.missing {
        let message = missing_words(missing, analysis);
        told(&mut text, Severity::Note, "missing-body", missing.span, message);
    }
    for (what, span) in &analysis.unsupported {
        let message = format!("{what}: nothing is known after it");
        told(&mut text, Severity::Warning, "unsupported", *span, message);
    }
    if analysis.has_threads {
        text.push_str(
            "The program starts threads or handles signals: nothing is said about globals and memory.\n",
        );
    }
    if super::has_asm(analysis) {
        text.push_str("Inline assembly is supposed to change nothing but its outputs.\n");
    }
    suppose(analysis, &mut text);
    if is_up_to_mistakes(claims) {
        let _ = writeln!(text, "assumed: {UP_TO_MISTAKES}");
    }
    let count = |kind: Kind| claims.iter().filter(|claim| claim.kind == kind).count();
    let mistakes = |certainty| count(Kind::Mistake(certainty));
    let never =
        claims.iter().filter(|claim| matches!(claim.kind, Kind::ErrorCall(_)) && claim.is_all_clear());
    let _ = writeln!(
        text,
        "{} definite, {} possible, {} excluded; {} of {} error calls are never reached",
        mistakes(Certainty::Definite),
        mistakes(Certainty::Possible),
        mistakes(Certainty::Excluded),
        never.count(),
        analysis.error_calls.len()
    );
    text.push_str(&table(claims));
    for one in asked {
        let _ = writeln!(text, "asked on: {}: {}", one.what, one.came);
    }
    text.push_str(NOT_LOOKED_FOR);
    text
}

fn line(text: &mut String, part: &str) {
    text.push_str(part);
    text.push('\n');
}

/// Where code begins that no run gets to: the first statement after what is reached.
pub fn unreached(analysis: &Analysis<'_>) -> Vec<base::Span> {
    let mut spans = Vec::new();
    for (id, procedure) in analysis.program().procedures.iter_enumerated() {
        let (Some(body), true) = (&procedure.body, is_users(analysis, id) && analysis.is_reached(id)) else {
            continue;
        };
        for edge in &body.edges {
            let is_frontier = analysis.at(id, edge.from).is_none()
                && body.nodes[edge.from]
                    .into
                    .iter()
                    .any(|&into| analysis.at(id, body.edges[into].from).is_some());
            if is_frontier && !edge.span.is_nowhere() && !spans.contains(&edge.span) {
                spans.push(edge.span);
            }
        }
    }
    spans
}

/// The variables that are asked about at a place, with their values.
pub fn values_at(
    analysis: &Analysis<'_>,
    procedure: ProcedureId,
    node: NodeId,
    wanted: Option<&str>,
) -> Vec<(VariableId, Value, Written)> {
    let program = analysis.program();
    let Some(point) = analysis.at(procedure, node) else { return Vec::new() };
    let is_seen = |variable: &program::Variable| {
        variable.procedure == Some(procedure)
            || (variable.kind == VariableKind::Global && !variable.span.is_nowhere())
    };
    program
        .variables
        .iter_enumerated()
        .filter(|(_, variable)| is_seen(variable))
        .filter(|(_, variable)| {
            !matches!(variable.kind, VariableKind::Temporary | VariableKind::StringLiteral)
        })
        .filter(|(_, variable)| wanted.is_none_or(|name| &*variable.name == name))
        .filter_map(|(id, variable)| {
            if let Some(datum) = point.variable(id) {
                return Some((id, datum.value, datum.written));
            }
            program.types.is_scalar(variable.ty.id).then_some(())?;
            let place = program::Place::variable(id, variable.ty);
            Some((id, point.value(&program::Expr::load(place))?, Written::Always))
        })
        .collect()
}

/// The places that are asked about: each statement's start, at a line or all.
pub fn places(analysis: &Analysis<'_>, line: Option<u32>) -> Vec<(ProcedureId, NodeId, u32)> {
    let program = analysis.program();
    let mut found: Vec<(ProcedureId, NodeId, u32)> = Vec::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let (Some(body), true) = (&procedure.body, is_users(analysis, id)) else { continue };
        let mut last = 0;
        for edge in &body.edges {
            let Some(at) = program.sources.location(edge.span).map(|place| place.line) else { continue };
            let is_new = at != last && !found.iter().any(|&(other, _, seen)| other == id && seen == at);
            if line.is_none_or(|line| line == at) && is_new {
                found.push((id, edge.from, at));
                last = at;
            }
        }
    }
    found
}

/// What holds at the head of every loop that is reached, as C.
pub fn loop_invariants(analysis: &Analysis<'_>) -> Vec<(ProcedureId, base::Span, Vec<String>)> {
    let invariants = Invariants::of(analysis);
    let mut found = Vec::new();
    for (id, procedure) in analysis.program().procedures.iter_enumerated() {
        let (Some(body), true) = (&procedure.body, is_users(analysis, id)) else { continue };
        for (node, place) in body.nodes.iter_enumerated().filter(|(_, place)| place.is_loop_head) {
            if let Some(conditions) = invariants.c_at(id, node) {
                found.push((id, place.span, conditions));
            }
        }
    }
    found
}

fn invariants(analysis: &Analysis<'_>, text: &mut String) {
    let program = analysis.program();
    for (procedure, span, conditions) in loop_invariants(analysis) {
        let at = program.sources.location(span).map_or("somewhere".into(), |place| place.to_string());
        let _ = writeln!(text, "loop at {at} (`{}`):", program.procedures[procedure].name);
        if conditions.is_empty() {
            line(text, "  nothing is known");
        }
        conditions.iter().for_each(|condition| line(text, &format!("  {condition}")));
    }
}

/// Variables, what they can be, and whether they were written.
type Known = Vec<(VariableId, Value, Written)>;

/// The values after a line: of each function with code there, the variables in scope with all that they can be where
/// control leaves the line; none where it never does.
pub fn after_line(
    analysis: &Analysis<'_>,
    line: u32,
    wanted: Option<&str>,
) -> Vec<(ProcedureId, Option<Known>)> {
    let program = analysis.program();
    let mut found = Vec::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let (Some(body), true) = (&procedure.body, is_users(analysis, id)) else { continue };
        let is_here = |edge: &program::Edge| {
            program.sources.location(edge.span).is_some_and(|place| place.line == line)
        };
        let leaves = |edge: &&program::Edge| {
            let mut next = body.out(edge.to).map(|(_, next)| next).peekable();
            is_here(edge) && (next.peek().is_none() || next.any(|next| !is_here(next)))
        };
        // Behind a `return` there is no line any more: what it was made with is told.
        let end = |edge: &program::Edge| if edge.to == body.exit { edge.from } else { edge.to };
        let mut ends: Vec<NodeId> = body.edges.iter().filter(leaves).map(end).collect();
        ends.sort_unstable();
        ends.dedup();
        if !body.edges.iter().any(is_here) {
            continue;
        }
        let mut all: Option<Known> = None;
        for node in ends.into_iter().filter(|&node| analysis.at(id, node).is_some()) {
            let values = values_at(analysis, id, node, wanted);
            all = Some(match all {
                None => values,
                Some(known) => { known.into_iter() }
                    .filter_map(|(variable, value, written)| {
                        let (_, other, also) = values.iter().find(|(other, ..)| *other == variable)?;
                        let both = value.join(other, usize::MAX)?;
                        Some((variable, both, if written == *also { written } else { Written::Perhaps }))
                    })
                    .collect(),
            });
        }
        if let Some(values) = &mut all {
            values.retain(|(variable, ..)| wanted.is_some() || is_in_scope(program, *variable, line));
        }
        found.push((id, all));
    }
    found
}

fn values_after(analysis: &Analysis<'_>, line: u32, wanted: Option<&str>, text: &mut String) {
    let program = analysis.program();
    for (procedure, values) in after_line(analysis, line, wanted) {
        let name = &program.procedures[procedure].name;
        let Some(values) = values else {
            let _ = writeln!(text, "after line {line} ({name}): no run gets past it");
            continue;
        };
        for (id, value, written) in values {
            let (shown, note) = (&program.variables[id].name, written_words(written));
            let _ = writeln!(text, "after line {line} ({name}): {shown} = {}{note}", value_text(&value));
        }
    }
}

fn written_words(written: Written) -> &'static str {
    match written {
        Written::Always => "",
        Written::Perhaps => " (perhaps never written)",
        Written::Never => " (never written)",
    }
}

/// The source with the values per line: each line of a function's code with what the variables in scope that it names
/// can be after it.
pub fn annotated(analysis: &Analysis<'_>, files: &[PathBuf]) -> String {
    const WIDTH: usize = 60;
    let program = analysis.program();
    let mut text = String::new();
    for file in files {
        let Ok(source) = std::fs::read_to_string(file) else { continue };
        let of_file = file.display().to_string();
        let _ = writeln!(text, "// {of_file}");
        for (line, content) in (1u32..).zip(source.lines()) {
            let mut notes = Vec::new();
            for (procedure, values) in after_line(analysis, line, None) {
                let place = program.sources.location(program.procedures[procedure].span);
                if place.is_none_or(|place| *place.file != *of_file) {
                    continue;
                }
                let Some(values) = values else {
                    notes.push("no run gets past this line".to_owned());
                    continue;
                };
                let named = values.iter().filter(|(id, value, _)| {
                    mentions(content, &program.variables[*id].name) && !matches!(value, Value::Pointer(_))
                });
                notes.extend(named.map(|(id, value, written)| {
                    format!(
                        "{} = {}{}",
                        program.variables[*id].name,
                        value_text(value),
                        written_words(*written)
                    )
                }));
            }
            match notes.is_empty() {
                true => line_of(&mut text, content),
                false => line_of(&mut text, &format!("{content:WIDTH$} // {}", notes.join(", "))),
            }
        }
    }
    text
}

/// Does a line of C have this name in it, as a word?
pub fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn line_of(text: &mut String, part: &str) {
    text.push_str(part.trim_end());
    text.push('\n');
}

fn values(analysis: &Analysis<'_>, arguments: &AnalyzeArgs, text: &mut String) {
    if let Some(at) = arguments.at {
        return values_after(analysis, at, arguments.variable.as_deref(), text);
    }
    let program = analysis.program();
    let found = places(analysis, arguments.at);
    for (procedure, node, line) in found {
        let name = &program.procedures[procedure].name;
        if analysis.at(procedure, node).is_none() {
            let _ = writeln!(text, "line {line} ({name}): no run gets here");
            continue;
        }
        for (id, value, written) in values_at(analysis, procedure, node, arguments.variable.as_deref()) {
            let note = written_words(written);
            let _ = writeln!(
                text,
                "line {line} ({name}): {} = {}{note}",
                program.variables[id].name,
                value_text(&value)
            );
        }
    }
}
