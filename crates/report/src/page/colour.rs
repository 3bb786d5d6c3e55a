//! The colours of a text: what is a comment, a literal, a keyword, a name. Reads text as it was written (with comments
//! and directives, which the parser of C never sees) and never fails: what it does not know is plain. Keywords of C are
//! those of `csource`.

use super::{Language, Piece};

/// Kinds of piece, as the styles number them.
const PLAIN: u8 = 0;
const KEYWORD: u8 = 1;
const TYPE: u8 = 2;
const LITERAL: u8 = 3;
const COMMENT: u8 = 4;
const DIRECTIVE: u8 = 5;
const CALL: u8 = 6;
const PROCESS: u8 = 7;

/// Words of models, specifications and Boolean programs that are not names.
const MODEL_WORDS: &[&str] = &[
    "END",
    "ERROR",
    "STOP",
    "abstract",
    "assert",
    "const",
    "cprog",
    "deterministic",
    "else",
    "fluent",
    "forall",
    "foreach",
    "if",
    "import",
    "include",
    "initially",
    "lts",
    "minimal",
    "pred",
    "process",
    "progress",
    "property",
    "range",
    "set",
    "specification",
    "then",
    "when",
    "abstractions",
    "menu",
    "compose",
];
const BOOLEAN_WORDS: &[&str] = &[
    "abortif",
    "assert",
    "assume",
    "async",
    "atomic_begin",
    "atomic_end",
    "begin",
    "bool",
    "constrain",
    "decl",
    "dead",
    "dfs",
    "do",
    "else",
    "elsif",
    "end",
    "end_thread",
    "enforce",
    "fi",
    "goto",
    "if",
    "init",
    "od",
    "print",
    "return",
    "schoose",
    "skip",
    "start_thread",
    "sync",
    "then",
    "thread",
    "void",
    "while",
    "rules",
    "target",
    "invariants",
    "vars",
];

/// The lines of a text in pieces.
pub(super) fn coloured(text: &str, language: Language) -> Vec<Vec<Piece>> {
    let mut reader = Reader { rest: text, lines: vec![Vec::new()], language, is_line_start: true };
    while !reader.rest.is_empty() {
        reader.piece();
    }
    // A line break at the end begins no line.
    if text.ends_with('\n') {
        reader.lines.pop();
    }
    reader.lines
}

struct Reader<'t> {
    rest: &'t str,
    lines: Vec<Vec<Piece>>,
    language: Language,
    /// Was nothing but space read of this line?
    is_line_start: bool,
}

impl Reader<'_> {
    /// Takes so many bytes as a piece of that kind; line breaks in it begin new lines.
    fn take(&mut self, bytes: usize, kind: u8) {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for (at, part) in taken.split('\n').enumerate() {
            if at > 0 {
                self.lines.push(Vec::new());
                self.is_line_start = true;
            }
            let part = part.strip_suffix('\r').unwrap_or(part);
            let line = self.lines.last_mut().expect("there is always a line");
            match line.last_mut() {
                _ if part.is_empty() => {}
                Some(last) if last.1 == kind => last.0.push_str(part),
                _ => line.push(Piece(part.to_owned(), kind)),
            }
            self.is_line_start &= part.trim().is_empty();
        }
    }

    fn piece(&mut self) {
        let rest = self.rest;
        let first = rest.chars().next().expect("it is asked only where something is left");
        let to_line_end = rest.find('\n').unwrap_or(rest.len());
        let is_c = self.language == Language::C;
        if rest.starts_with("//") {
            self.take(to_line_end, COMMENT);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").map_or(rest.len(), |at| at + 4);
            self.take(end, COMMENT);
        } else if first == '#' && self.is_line_start && is_c {
            // A comment in the line is one; lines that go on are directives as well.
            let mut end = to_line_end;
            while rest[..end].ends_with('\\') && end < rest.len() {
                end += 1 + rest[end + 1..].find('\n').unwrap_or(rest.len() - end - 1);
            }
            let comment = [rest[..end].find("//"), rest[..end].find("/*")].into_iter().flatten().min();
            self.take(comment.unwrap_or(end), DIRECTIVE);
        } else if first == '"' || (first == '\'' && is_c) {
            self.take(literal_end(rest, first), LITERAL);
        } else if first.is_ascii_digit() {
            let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
            // `1..5` is a range of models, not a number.
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let end = rest[..end].find("..").unwrap_or(end).max(1);
            self.take(end, LITERAL);
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
            let kind = self.word(&rest[..end], &rest[end..]);
            self.take(end, kind);
        } else {
            self.take(first.len_utf8(), PLAIN);
        }
    }

    fn word(&self, word: &str, behind: &str) -> u8 {
        let is_called = behind.starts_with('(') || behind.starts_with(" (");
        match self.language {
            Language::C => match csource::word_kind(word) {
                csource::WordKind::Type => TYPE,
                csource::WordKind::Keyword => KEYWORD,
                csource::WordKind::Name if word.ends_with("_t") => TYPE,
                csource::WordKind::Name if is_called => CALL,
                csource::WordKind::Name => PLAIN,
            },
            Language::Model if MODEL_WORDS.contains(&word) => KEYWORD,
            Language::Model if word.starts_with(|c: char| c.is_uppercase()) => PROCESS,
            Language::Boolean if BOOLEAN_WORDS.contains(&word) => KEYWORD,
            Language::Boolean if is_called => CALL,
            _ => PLAIN,
        }
    }
}

/// Where a literal ends: behind its closing quote, or at the end of the line where there is none.
fn literal_end(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '\n' if !is_escaped => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::random::Random;

    fn kinds(text: &str, language: Language) -> Vec<(String, u8)> {
        coloured(text, language).into_iter().flatten().map(|Piece(text, kind)| (text, kind)).collect()
    }

    #[test]
    fn c_has_its_colours() {
        let found = kinds("int f(void) { return g (\"a\\\"//\", 0x1fu, 'x'); } // end\n", Language::C);
        let of = |wanted: u8| -> Vec<&str> {
            found.iter().filter(|(_, kind)| *kind == wanted).map(|(text, _)| &**text).collect()
        };
        assert_eq!(of(TYPE), ["int", "void"]);
        assert_eq!(of(KEYWORD), ["return"]);
        assert_eq!(of(CALL), ["f", "g"]);
        assert_eq!(of(LITERAL), ["\"a\\\"//\"", "0x1fu", "'x'"]);
        assert_eq!(of(COMMENT), ["// end"]);
        let found = kinds("#define A \\\n  1 /* x\ny */ int\n", Language::C);
        assert_eq!(found[0], ("#define A \\".into(), DIRECTIVE));
        assert_eq!(found[1], ("  1 ".into(), DIRECTIVE));
        assert_eq!(found[2..4], [("/* x".into(), COMMENT), ("y */".into(), COMMENT)]);
    }

    #[test]
    fn models_have_theirs() {
        let found = kinds("P = (a[i:0..3] -> STOP). // x", Language::Model);
        let is = |text: &str, kind: u8| assert!(found.contains(&(text.into(), kind)), "{text}: {found:?}");
        is("P", PROCESS);
        is("STOP", KEYWORD);
        is("0", LITERAL);
        is("3", LITERAL);
    }

    /// Whatever the text: its pieces are the text.
    #[test]
    fn nothing_is_lost() {
        let mut random = Random::new(7);
        let parts =
            ["int ", "\"", "'", "/*", "*/", "//", "\n", "\\", "#", "é", "x1", "0.5e", "\t", "\r\n", "…", "("];
        for _ in 0..400 {
            let text: String = (0..random.below(30)).map(|_| *random.pick(&parts)).collect();
            for language in [Language::C, Language::Model, Language::Boolean] {
                let lines: Vec<String> = { coloured(&text, language).into_iter() }
                    .map(|line| line.into_iter().map(|piece| piece.0).collect())
                    .collect();
                let expected: Vec<&str> = text.lines().collect();
                assert_eq!(lines.len(), expected.len().max(usize::from(text.is_empty())), "{text:?}");
                for (line, expected) in lines.iter().zip(expected) {
                    assert_eq!(line.replace('\r', ""), expected.replace('\r', ""), "{text:?}");
                }
            }
        }
    }
}
