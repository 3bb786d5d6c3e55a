//! The steps of a run in the words of the source.

use crate::graph::{self, EdgeId, Program};
use crate::syntax;
use base::SourceMap;

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
    let shown: String = text.chars().take(60).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!("line {}: {shown}{dots}", location.line)
}
