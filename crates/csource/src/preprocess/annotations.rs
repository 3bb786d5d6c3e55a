//! Annotations in comments (ACSL and the like): `//@ assert x > 0;`, `/*@ loop invariant …; */`, `//@ ltl …`.
//!
//! `assert` is read by the lexer (`lexer::annotation`); the others are not, and the preprocessor drops them with the
//! comments. So that no answer passes them over in silence, each file that has some is named with its lines. So are
//! assertions in definitions of macros, which are dropped with the definition.

use super::{Options, resolve};
use crate::Session;
use base::{Diagnostic, Span};
use std::collections::BTreeSet;
use std::ops::Range;
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

/// An annotation that is not read: the line it starts in and its first word.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Annotation<'t> {
    line: usize,
    word: &'t str,
}

/// The file and the user's headers that it includes, as far as they can be read.
pub(super) fn texts(path: &Path, preprocessed: &[u8], options: &Options) -> Vec<(PathBuf, String)> {
    let mut files = BTreeSet::from([path.to_owned()]);
    files.extend(included_by_user(preprocessed));
    // What cannot be read here was told already, or is no file (`<built-in>`).
    let read = |file: PathBuf| {
        let text = std::fs::read(resolve(&file, options)).ok()?;
        Some((file, String::from_utf8_lossy(&text).into_owned()))
    };
    files.into_iter().filter_map(read).collect()
}

/// Does a comment of the text assert something?
pub(super) fn asserts(text: &str) -> bool {
    comments(text).any(|comment| comment.word(text) == Some("assert"))
}

/// Which annotations of a text are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// None: the comments are lost.
    Nothing,
    /// Those that assert.
    Assertions,
}

/// Warns of the annotations in a text that are not read.
pub(super) fn warn_of_text(path: &Path, text: &str, read: Read, session: &mut Session) {
    let found = unread(text, read);
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
    let warning = Diagnostic::warning("annotations", Span::NOWHERE, message).hint(
        "write what must hold as `assert(…)` or `//@ assert …;`; answers say nothing about other annotations",
    );
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

/// The annotations in C text that are not read.
fn unread(text: &str, read: Read) -> Vec<Annotation<'_>> {
    let mut found = Vec::new();
    let (mut line, mut at) = (1, 0);
    for comment in comments(text) {
        line += text[at..comment.whole.start].matches('\n').count();
        at = comment.whole.start;
        let is_lost = |word: &str| word != "assert" || read == Read::Nothing || is_in_definition(text, at);
        if let Some(word) = comment.word(text).filter(|word| is_lost(word)) {
            found.push(Annotation { line, word });
        }
    }
    found
}

/// Does a place lie in a directive that defines a macro?
fn is_in_definition(text: &str, at: usize) -> bool {
    let mut start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    // The line may go on from those before.
    while start > 0 && text[..start - 1].trim_end_matches('\r').ends_with('\\') {
        start = text[..start - 1].rfind('\n').map_or(0, |end| end + 1);
    }
    let directive = text[start..at].trim_start().strip_prefix('#');
    directive.is_some_and(|rest| rest.trim_start().starts_with("define"))
}

/// A comment in a text.
pub(super) struct Comment {
    /// With its marks.
    pub(super) whole: Range<usize>,
    /// Without them.
    pub(super) content: Range<usize>,
}

impl Comment {
    /// The word that an annotation starts with; nothing for other comments.
    pub(super) fn word<'t>(&self, text: &'t str) -> Option<&'t str> {
        let comment = &text[self.content.clone()];
        let content = comment.strip_prefix('@')?.trim_start_matches(|c: char| c.is_whitespace() || c == '@');
        let length = content.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(content.len());
        let word = &content[..length];
        WORDS.contains(&word).then_some(word)
    }
}

/// The comments of C text; strings and characters hold none.
pub(super) fn comments(text: &str) -> impl Iterator<Item = Comment> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            match (bytes[at], bytes.get(at + 1)) {
                (b'/', Some(b'*')) => {
                    let rest = &text[at + 2..];
                    let (length, mark) = rest.find("*/").map_or((rest.len(), 0), |length| (length, 2));
                    let content = at + 2..at + 2 + length;
                    let whole = at..content.end + mark;
                    at = whole.end;
                    return Some(Comment { whole, content });
                }
                (b'/', Some(b'/')) => {
                    let content = at + 2..end_of_line(text, at);
                    let whole = at..content.end;
                    at = whole.end;
                    return Some(Comment { whole, content });
                }
                (quote @ (b'"' | b'\''), _) => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at = (at + usize::from(bytes.get(at) == Some(&quote))).min(bytes.len());
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Where the line ends that a place lies in; one that ends with a backslash goes on.
fn end_of_line(text: &str, at: usize) -> usize {
    let mut from = at;
    loop {
        let Some(length) = text[from..].find('\n') else { return text.len() };
        let end = from + length;
        if !text[from..end].trim_end_matches('\r').ends_with('\\') {
            return end;
        }
        from = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, &str)> {
        unread(text, Read::Nothing).into_iter().map(|one| (one.line, one.word)).collect()
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
    fn assertions_are_read_but_for_those_in_definitions() {
        let text = "//@ assert 1;\n#define A /*@ assert 2; */ \\\n 3 /*@ assert 4; */\n//@ ensures 5;\n/*@ assert 6; */";
        let found: Vec<(usize, &str)> =
            unread(text, Read::Assertions).into_iter().map(|one| (one.line, one.word)).collect();
        assert_eq!(found, [(2, "assert"), (3, "assert"), (4, "ensures")]);
        assert!(asserts(text) && !asserts("//@ ensures 1;\n// assert"));
    }

    #[test]
    fn headers_of_the_system_are_left_out() {
        let text =
            b"# 1 \"a.c\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint x;\n# 1 \"own.h\" 1\n# 0 \"<built-in>\"\n";
        let files: Vec<PathBuf> = included_by_user(text).into_iter().collect();
        assert_eq!(files, [PathBuf::from("a.c"), PathBuf::from("own.h")]);
    }
}
