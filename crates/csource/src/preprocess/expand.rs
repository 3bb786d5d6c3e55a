//! Texts whose comments are kept because some of them assert something: the preprocessor's output with comments and
//! definitions (`-C -dD`), without the definitions, and with the macros in those comments expanded, as Frama-C does it.
//!
//! The preprocessor expands nothing in comments. So the definitions and the text of each assertion are given to it once
//! more, in their order.

use super::annotations::{Comment, comments};
use super::{Options, compiler};
use crate::Session;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Stands before the text of an assertion that is given to the preprocessor again.
const MARK: &str = "__concord_annotation_";

/// The text without its definitions and with macros in assertions expanded; nothing where it is another program than
/// `plain`, the same without comments.
pub(super) fn readable(kept: Vec<u8>, plain: &[u8], options: &Options, session: &Session) -> Option<Vec<u8>> {
    let kept = String::from_utf8(kept).ok()?;
    let defined = definitions(&kept);
    let text = without(&kept, &defined);
    // A comment among what a macro makes a string of would be a part of it.
    if code_only(text.as_bytes()) != code_only(plain) {
        return None;
    }
    let names: FxHashSet<&str> =
        defined.iter().filter_map(|line| defined_name(&kept[line.clone()])).collect();
    let asserted: Vec<Asserted> =
        comments(&kept).filter_map(|comment| Asserted::in_comment(&kept, comment)).collect();
    let uses_macro = |one: &Asserted| words(&kept[one.content.clone()]).any(|word| names.contains(word));
    if !asserted.iter().any(uses_macro) {
        return Some(text.into_bytes());
    }
    let expanded = expand(&kept, &defined, &asserted, options, session)?;
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    // The definitions were replaced by blanks of the same length, so places are the same in both texts.
    for (one, said) in asserted.iter().zip(expanded) {
        let content = &text[one.content.clone()];
        result.push_str(&text[from..one.content.start]);
        match said {
            Some(said) if !is_same(&said, content) => {
                result.push_str(&said);
                result.extend(std::iter::repeat_n('\n', content.matches('\n').count()));
            }
            _ => result.push_str(content),
        }
        from = one.content.end;
    }
    result.push_str(&text[from..]);
    Some(result.into_bytes())
}

/// What a comment asserts, without the word.
struct Asserted {
    content: Range<usize>,
}

impl Asserted {
    fn in_comment(text: &str, comment: Comment) -> Option<Asserted> {
        if comment.word(text) != Some("assert") {
            return None;
        }
        let inside = &text[comment.content.clone()];
        let at = comment.content.start + inside.find("assert")? + "assert".len();
        let end =
            comment.content.start + inside.trim_end_matches(|c: char| c.is_whitespace() || c == '@').len();
        Some(Asserted { content: at..end.max(at) })
    }
}

/// Lines with `#define` or `#undef` outside comments.
fn definitions(text: &str) -> Vec<Range<usize>> {
    let in_comments: Vec<Range<usize>> = comments(text).map(|comment| comment.content).collect();
    let is_commented = |at: usize| {
        let next = in_comments.partition_point(|comment| comment.end <= at);
        in_comments.get(next).is_some_and(|comment| comment.start <= at)
    };
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if (line.starts_with("#define ") || line.starts_with("#undef ")) && !is_commented(start) {
            found.push(start..start + line.trim_end_matches(['\r', '\n']).len());
        }
        start += line.len();
    }
    found
}

fn defined_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("#define ")?;
    words(rest).next()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}

/// The text with blanks in place of some parts.
fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for part in parts {
        result.push_str(&text[from..part.start]);
        result.extend(std::iter::repeat_n(' ', part.len()));
        from = part.end;
    }
    result.push_str(&text[from..]);
    result
}

/// Without comments, blanks and line markers.
fn code_only(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut code = String::new();
    let mut from = 0;
    for comment in comments(&text) {
        code.push_str(&text[from..comment.whole.start]);
        from = comment.whole.end;
    }
    code.push_str(&text[from..]);
    let lines = code.lines().filter(|line| !line.starts_with("# "));
    lines.flat_map(str::bytes).filter(|byte| !byte.is_ascii_whitespace()).collect()
}

fn is_same(one: &str, two: &str) -> bool {
    one.split_whitespace().eq(two.split_whitespace())
}

/// The texts of the assertions with their macros expanded; nothing for those whose expansion depends on the place.
fn expand(
    text: &str,
    defined: &[Range<usize>],
    asserted: &[Asserted],
    options: &Options,
    session: &Session,
) -> Option<Vec<Option<String>>> {
    let mut input = String::new();
    let mut next = 0;
    let mut lines = defined.iter().peekable();
    for (number, one) in asserted.iter().enumerate() {
        while let Some(line) = lines.next_if(|line| line.start < one.content.start) {
            let line = &text[line.clone()];
            // The word of the annotation is none of the program's.
            if words(line).nth(1) != Some("assert") {
                input.push_str(line);
                input.push('\n');
            }
        }
        let content = text[one.content.clone()].replace(['\n', '\r'], " ");
        input.push_str(&format!("{MARK}{number} {content}\n"));
        next = number + 1;
    }
    input.push_str(&format!("{MARK}{next} \n"));
    let output = compiler::expand(&input, options, session)?;
    let mut parts = output.split(MARK).skip(1);
    let mut expanded = Vec::new();
    for (number, one) in asserted.iter().enumerate() {
        let part = parts.next()?.strip_prefix(&number.to_string())?;
        let depends = words(&text[one.content.clone()])
            .any(|word| matches!(word, "__LINE__" | "__FILE__" | "__COUNTER__" | "__INCLUDE_LEVEL__"));
        let said: Vec<&str> = part.split_whitespace().collect();
        expanded.push((!depends).then(|| format!(" {}", said.join(" "))));
    }
    Some(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_those_outside_comments() {
        let text = "#define A 1\n/*\n#define B 2\n*/\n#undef A\nint x; // #define C\n#define D 4";
        let found: Vec<&str> = definitions(text).into_iter().map(|line| &text[line]).collect();
        assert_eq!(found, ["#define A 1", "#undef A", "#define D 4"]);
        assert_eq!(without(text, &definitions(text)).len(), text.len());
    }

    #[test]
    fn comments_are_no_code() {
        let text = b"# 1 \"a.c\"\nint x; // y\n/* z */ char *p = \"/* s */\";\n";
        assert_eq!(code_only(text), b"intx;char*p=\"/*s*/\";");
    }
}
