//! The steps of a run in the words of the source.

use crate::findings::Meaning;
use crate::graph::{self, Action, EdgeId, NodeId, Program};
use crate::syntax;
use base::SourceMap;
use rustc_hash::FxHashSet;
use verdict::{Fact, InductiveFacts};

/// A statement as it stands in the file, with its line.
pub(crate) fn words_of(program: &Program, sources: &SourceMap, id: EdgeId) -> String {
    let edge = &program.edges()[id];
    let Some(location) = sources.location(edge.span) else { return "(start)".into() };
    let mut text = sources.text(edge.span).split_whitespace().collect::<Vec<_>>().join(" ");
    // Of `if` and `while` only the word is the statement's own: the condition says more.
    if text == "if" || text == "while" {
        let mut ways = program.outgoing(edge.from).iter();
        let first = ways.find(|&&other| program.edges()[other].span == edge.span);
        let is_yes = first == Some(&id);
        let condition = if is_yes { edge.guard.clone() } else { edge.guard.clone().negated() };
        let condition = syntax::print_expression(&graph::to_expression(program, &condition));
        text = format!("{text} {condition}: {}", if is_yes { "yes" } else { "no" });
    }
    // The end of the text of a procedure stands for its name, which is where it is declared.
    if matches!(edge.action, Action::Return { .. }) && !text.starts_with("return") {
        text = format!("end of {}", program.procedures()[program.procedure_of(edge.from)].name);
    }
    let shown: String = text.chars().take(60).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!("line {}: {shown}{dots}", location.line)
}

/// The certificate with what the names mean that occur in it.
pub(crate) fn with_legend(
    mut facts: InductiveFacts,
    legend: &[Meaning],
    program: &Program,
    sources: &SourceMap,
) -> InductiveFacts {
    let words = facts.facts.iter().flat_map(|fact| [&fact.place, &fact.states]);
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let used: FxHashSet<&str> = words.flat_map(|text| text.split(|letter| !is_name(letter))).collect();
    let meaning = |meaning: &Meaning| Fact {
        place: meaning.name.clone(),
        states: match meaning.at {
            None => meaning.values.clone(),
            Some(node) => format!("{} {}", place(program, sources, node), meaning.values).trim().to_owned(),
        },
    };
    let all: Vec<Fact> =
        legend.iter().filter(|meaning| used.contains(meaning.name.as_str())).map(meaning).collect();
    facts.legend = all;
    facts
}

/// Where a thread is: before which statement of which procedure.
fn place(program: &Program, sources: &SourceMap, node: NodeId) -> String {
    let procedure = &program.procedures()[program.procedure_of(node)];
    let name = &procedure.name;
    match program.outgoing(node).first() {
        Some(edge) => format!("{name}, {}", words_of(program, sources, *edge)),
        None if node == procedure.exit => format!("the exit of {name}"),
        None => format!("the end of {name}"),
    }
}
