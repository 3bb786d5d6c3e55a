//! Annotations in comments (ACSL and the like): `//@ assert x > 0;`, `/*@ loop invariant …; */`, `//@ ltl …`.
//!
//! They are not read, and the preprocessor drops them with the comments; so that no answer passes them over in silence,
//! each file that has some is named with its lines.

use super::{Options, resolve};
use crate::Session;
use base::{Diagnostic, Span};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The words an annotation starts with. Other comments that start with `@` are for other tools (splint's `/*@null@*/`)
/// and say nothing about whether the program is right.
const WORDS: &[&str] = &[
    "admit",
    "allocates",
    "assert",
    "assigns",
    "assume",
    "assumes",
    "axiom",
    "axiomatic",
    "behavior",
    "breaks",
    "check",
    "complete",
    "continues",
    "decreases",
    "disjoint",
    "ensures",
    "exits",
    "for",
    "frees",
    "ghost",
    "global",
    "inductive",
    "invariant",
    "lemma",
    "logic",
    "loop",
    "ltl",
    "model",
    "predicate",
    "requires",
    "returns",
    "strong",
    "terminates",
    "type",
    "variant",
    "weak",
];

/// An annotation: the line it starts in and its first word.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Annotation<'t> {
    line: usize,
    word: &'t str,
}

/// Warns of the annotations in a file and in the user's headers that it includes.
pub(super) fn warn(path: &Path, preprocessed: &[u8], options: &Options, session: &mut Session) {
    let mut files = BTreeSet::from([path.to_owned()]);
    files.extend(included_by_user(preprocessed));
    for file in files {
        // What cannot be read here was told already, or is no file (`<built-in>`).
        let Ok(text) = std::fs::read(resolve(&file, options)) else { continue };
        warn_of_text(&file, &String::from_utf8_lossy(&text), session);
    }
}

/// Warns of the annotations in a text.
pub(super) fn warn_of_text(path: &Path, text: &str, session: &mut Session) {
    let found = annotations(text);
    if found.is_empty() {
        return;
    }
    let name = path.display().to_string();
    if session.unread_annotations.iter().any(|(file, _)| *file == name) {
        return;
    }
    const SHOWN: usize = 8;
    let mut places: Vec<String> =
        found.iter().take(SHOWN).map(|one| format!("line {} ({})", one.line, one.word)).collect();
    if found.len() > SHOWN {
        places.push(format!("{} more", found.len() - SHOWN));
    }
    let places = places.join(", ");
    let message = format!("annotations in comments are not read: {name}, {places}");
    let warning = Diagnostic::warning("annotations", Span::NOWHERE, message)
        .hint("write what must hold as `assert(…)`; answers say nothing about the annotations");
    session.diagnostics.push(warning);
    session.unread_annotations.push((name, places));
}

/// Files that the line markers of a preprocessed text name and that are no system headers (flag 3).
fn included_by_user(preprocessed: &[u8]) -> BTreeSet<PathBuf> {
    let text = String::from_utf8_lossy(preprocessed);
    let marker = |line: &str| {
        let rest = line.strip_prefix("# ")?.split_once('"')?.1;
        let (file, flags) = rest.rsplit_once('"')?;
        let is_system = flags.split_whitespace().any(|flag| flag == "3");
        (!is_system && !file.starts_with('<') && !file.contains('\\')).then(|| PathBuf::from(file))
    };
    text.lines().filter_map(marker).collect()
}

/// The annotations in C text; strings and characters hold none.
fn annotations(text: &str) -> Vec<Annotation<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => {
                line += 1;
                at += 1;
            }
            (b'/', Some(b'/' | b'*')) => {
                let is_block = bytes[at + 1] == b'*';
                let ending = if is_block { "*/" } else { "\n" };
                let rest = &text[at + 2..];
                let length = rest.find(ending).unwrap_or(rest.len());
                let comment = &rest[..length];
                if let Some(word) = annotation_word(comment) {
                    found.push(Annotation { line, word });
                }
                line += comment.matches('\n').count();
                at += 2 + length + if is_block { 2 } else { 0 };
            }
            (quote @ (b'"' | b'\''), _) => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    // A line that goes on after a backslash is still a line.
                    line += usize::from(bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'\n'));
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += usize::from(bytes.get(at) == Some(&quote));
            }
            _ => at += 1,
        }
    }
    found
}

fn annotation_word(comment: &str) -> Option<&str> {
    let content = comment.strip_prefix('@')?.trim_start_matches(|c: char| c.is_whitespace() || c == '@');
    let length = content.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(content.len());
    let word = &content[..length];
    WORDS.contains(&word).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, &str)> {
        annotations(text).into_iter().map(|one| (one.line, one.word)).collect()
    }

    #[test]
    fn annotations_are_found_in_both_kinds_of_comments() {
        let text = "int x; //@ assert x == 2;\n/*@ loop invariant x > 0;\n @*/\n/*@\n  requires x; */\n//@ltl invariant p: 1;";
        assert_eq!(words(text), [(1, "assert"), (2, "loop"), (4, "requires"), (6, "ltl")]);
    }

    #[test]
    fn other_comments_and_strings_are_none() {
        let text = "/*@null@*/ char *p = \"//@ assert 1;\"; // @ assert\nint y = '\"'; /* //@ assert 0; */ //@author me\n//@ assert y;";
        assert_eq!(words(text), [(3, "assert")]);
    }

    #[test]
    fn headers_of_the_system_are_left_out() {
        let text =
            b"# 1 \"a.c\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint x;\n# 1 \"own.h\" 1\n# 0 \"<built-in>\"\n";
        let files: Vec<PathBuf> = included_by_user(text).into_iter().collect();
        assert_eq!(files, [PathBuf::from("a.c"), PathBuf::from("own.h")]);
    }
}
