//! Which function is meant as the entry, and what it is told if there is none of that name.

use super::FunctionEntry;
use crate::link::Linker;
use base::{Diagnostic, Span};
use csource::types::Type;
use program::{Origin, ProcedureId, VariableId};
use std::sync::Arc;

/// Whoever gives a size for a name that nothing has means something else.
pub(super) fn refuse_unknown_sizes(
    linker: &mut Linker,
    entry: &FunctionEntry,
    function: ProcedureId,
    variables: &[VariableId],
) {
    let sized = linker.procedures[function].parameters.iter().chain(variables);
    let names: Vec<Arc<str>> = sized.map(|&id| linker.variables[id].name.clone()).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).filter(|name| !name.starts_with('.')).collect();
    for (name, _) in entry.sizes.named.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        let message = format!(
            "`{}` has no parameter `{name}`, and touches no static variable of that name",
            entry.name
        );
        let hint = match closest(name, &names) {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("there is {}", listed(&names)),
        };
        let error = Diagnostic::error("no-such-object", linker.procedures[function].span, message).hint(hint);
        linker.session.diagnostics.push(error);
    }
}

/// The function of that name, or an error.
pub(super) fn chosen(linker: &mut Linker, name: &str) -> Option<ProcedureId> {
    let defined: Vec<ProcedureId> = linker
        .procedures
        .iter_enumerated()
        .filter(|(_, procedure)| procedure.origin == Origin::User && procedure.body.is_some())
        .map(|(id, _)| id)
        .collect();
    let named: Vec<ProcedureId> =
        defined.iter().copied().filter(|&id| &*linker.procedures[id].name == name).collect();
    let error = match named[..] {
        [] => {
            let names: Vec<&str> = defined.iter().map(|&id| &*linker.procedures[id].name).collect();
            let is_declared = linker.procedures.iter().any(|procedure| &*procedure.name == name);
            let message = if is_declared {
                format!("`{name}` is declared, but no file given defines it")
            } else {
                format!("there is no function `{name}`")
            };
            let hint = match closest(name, &names) {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("there is {}", listed(&names)),
            };
            Diagnostic::error("no-such-function", Span::NOWHERE, message).hint(hint)
        }
        [id] => {
            let Type::Function(ty) = linker.session.types.get(linker.procedures[id].ty) else { return None };
            if !ty.is_variadic {
                return Some(id);
            }
            let message = format!("`{name}` takes a variable number of arguments, which nothing says here");
            Diagnostic::error("variadic-entry", linker.procedures[id].span, message)
                .hint("write a function that calls it, and make that the entry")
        }
        [first, second, ..] => {
            let message = format!("there are several `static` functions `{name}`");
            Diagnostic::error("ambiguous-function", linker.procedures[first].span, message)
                .label(linker.procedures[second].span, "another")
                .hint("give only the files that belong to one of them")
        }
    };
    linker.session.diagnostics.push(error);
    None
}

/// The name that is meant most likely, if one is close.
pub fn closest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let most = match name.chars().count() {
        0..=3 => 1,
        length => 2 + length / 8,
    };
    let best = names.iter().map(|known| (distance(name, known), *known)).min()?;
    (best.0 <= most).then_some(best.1)
}

/// Letters to change, add or leave out (Levenshtein).
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, c) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, d) in two.iter().enumerate() {
            let above = row[column + 1];
            row[column + 1] = (diagonal + usize::from(c != *d)).min(above + 1).min(row[column] + 1);
            diagonal = above;
        }
    }
    row[two.len()]
}

/// A few names in words.
pub fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        shown.push(format!("{} more", names.len() - SHOWN));
    }
    match shown.split_last() {
        None => "no function with a body".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_name_is_suggested_and_no_other() {
        assert_eq!(closest("parse_lin", &["main", "parse_line", "print"]), Some("parse_line"));
        assert_eq!(closest("sort", &["main", "parse_line"]), None);
        assert_eq!(closest("f", &["g"]), Some("g"));
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(&["a", "b"]), "`a` and `b`");
        assert_eq!(listed(&["a", "b", "c", "d", "e", "f", "g"]), "`a`, `b`, `c`, `d`, `e` and 2 more");
        assert_eq!(listed(&[]), "no function with a body");
    }
}
