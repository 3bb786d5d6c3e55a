//! The project file `concord.toml`: which questions there are, each as the arguments of a verb.
//!
//! ```toml
//! [defaults]                    # options for every question whose verb has them
//! time-limit = "60s"
//!
//! [program.server]              # files and options that several questions share
//! files = ["server.c", "net.c"]
//! D = ["NDEBUG"]
//!
//! [[question]]
//! verb = "verify"
//! program = "server"
//! checks = "default"
//! expect = "holds"
//! ```
//!
//! Every key is one of this page's or the name of an option of the question's verb, without its dashes; anything else
//! is an error with a place. What a question says counts before what its program says, and that before the defaults.
//! Which verbs and options there are is told by the `Grammar`: nothing of the command line is repeated here.

use base::{Diagnostic, Diagnostics, SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The verbs that answer questions, with their options.
pub struct Grammar {
    /// Each verb.
    pub verbs: Vec<VerbGrammar>,
    /// Of some names, the one that was probably meant.
    pub closest: for<'n> fn(&str, &[&'n str]) -> Option<&'n str>,
}

/// A verb that answers questions.
pub struct VerbGrammar {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: Vec<OptionGrammar>,
}

/// An option of a verb.
pub struct OptionGrammar {
    /// Without dashes.
    pub name: String,
    /// How many values it takes each time; none for a switch.
    pub values: usize,
    /// May it be given several times?
    pub repeats: bool,
    /// Why it cannot stand in a project, if so.
    pub objection: Option<&'static str>,
}

/// What a project lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// Its questions, in order.
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What it is called.
    pub name: String,
    /// The verb that answers it.
    pub verb: String,
    /// What the verb is given to read.
    pub files: Vec<String>,
    /// Options, as the command line takes them, each with its name.
    pub options: Vec<(String, Vec<String>)>,
    /// Is it expected to hold? Nothing is said of most.
    pub expect: Option<bool>,
    /// Where it stands.
    pub at: Span,
}

impl Question {
    /// The words behind `concord` on a command line.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = vec![self.verb.clone()];
        words.extend(self.options.iter().flat_map(|(_, words)| words.iter().cloned()));
        // Files may begin with a dash.
        words.push("--".to_owned());
        words.extend(self.files.iter().cloned());
        words
    }

    /// Does it have this option?
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| name == option)
    }
}

/// What is wrong with a file, with its text.
#[derive(Debug)]
pub struct Wrong {
    /// The text.
    pub sources: SourceMap,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
}

/// The keys of a question that are no options.
const OF_QUESTIONS: [&str; 5] = ["name", "verb", "files", "program", "expect"];

impl Project {
    /// Reads a project file.
    pub fn read(file: &str, text: &str, grammar: &Grammar) -> Result<(Project, SourceMap), Wrong> {
        let mut sources = SourceMap::new();
        let base = sources.add(file, text).map_or(0, |id| sources.source(id).base());
        let mut reader = Reader { base, grammar, diagnostics: Diagnostics::default() };
        let mut project = Project::default();
        match DeTable::parse(text) {
            Ok(table) => project = reader.project(table.get_ref()),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                reader.error("toml", span, error.message().to_owned(), None);
            }
        }
        match reader.diagnostics.has_errors() {
            false => Ok((project, sources)),
            true => Err(Wrong { sources, diagnostics: reader.diagnostics }),
        }
    }
}

/// Words of a command line for an option, and where it stands.
#[derive(Clone)]
struct Given {
    name: String,
    words: Vec<String>,
    at: Range<usize>,
}

#[derive(Default)]
struct Program {
    files: Vec<String>,
    options: Vec<Given>,
}

type Entry<'t> = (&'t str, Range<usize>, &'t Spanned<DeValue<'t>>);

/// The entries of a table in the order of the text: flags of a preprocessor undo each other.
fn entries<'t>(table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
    let entry = |(key, value): (&'t Spanned<_>, _)| {
        let name: &'t std::borrow::Cow<'t, str> = key.get_ref();
        (&**name, key.span(), value)
    };
    let mut entries: Vec<Entry<'t>> = table.iter().map(entry).collect();
    entries.sort_by_key(|(_, at, _)| at.start);
    entries
}

struct Reader<'g> {
    base: u32,
    grammar: &'g Grammar,
    diagnostics: Diagnostics,
}

impl Reader<'_> {
    fn span(&self, at: &Range<usize>) -> Span {
        let position = |offset: usize| self.base + u32::try_from(offset).unwrap_or(u32::MAX - self.base);
        Span::new(position(at.start), position(at.end))
    }

    fn error(&mut self, code: &'static str, at: Range<usize>, message: String, hint: Option<String>) {
        let mut diagnostic = Diagnostic::error(code, self.span(&at), message);
        if let Some(hint) = hint {
            diagnostic = diagnostic.hint(hint);
        }
        self.diagnostics.push(diagnostic);
    }

    fn unknown(&mut self, what: &str, name: &str, at: Range<usize>, known: &[&str]) {
        let hint = match (self.grammar.closest)(name, known) {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("there is {}", known.join(", ")),
        };
        self.error("unknown-key", at, format!("there is no {what} `{name}`"), Some(hint));
    }

    fn project(&mut self, table: &DeTable<'_>) -> Project {
        let (mut defaults, mut programs) = (Vec::new(), BTreeMap::new());
        let mut questions = Vec::new();
        for (name, at, value) in entries(table) {
            match (name, value.get_ref()) {
                ("defaults", DeValue::Table(table)) => defaults = self.options(entries(table), None),
                ("program", DeValue::Table(table)) => {
                    for (name, _, value) in entries(table) {
                        if let DeValue::Table(table) = value.get_ref() {
                            programs.insert(name.to_owned(), self.program(table));
                        } else {
                            self.error(
                                "wrong-value",
                                value.span(),
                                format!("the program `{name}` is a table"),
                                None,
                            );
                        }
                    }
                }
                ("question", DeValue::Array(array)) => {
                    for value in array.iter() {
                        match value.get_ref() {
                            DeValue::Table(table) => questions.push((table, value.span())),
                            _ => {
                                self.error("wrong-value", value.span(), "a question is a table".into(), None)
                            }
                        }
                    }
                }
                ("defaults" | "program", _) => {
                    let hint = format!("write [{name}{}]", if name == "program" { ".NAME" } else { "" });
                    self.error("wrong-value", at, format!("`{name}` is a table"), Some(hint));
                }
                ("question", _) => {
                    let hint = "write [[question]], once for each";
                    self.error("wrong-value", at, "`question` is a list of tables".into(), Some(hint.into()));
                }
                _ => self.unknown("key", name, at, &["defaults", "program", "question"]),
            }
        }
        let mut project = Project::default();
        let mut names: BTreeMap<String, Span> = BTreeMap::new();
        for (table, at) in questions {
            let Some(question) = self.question(table, at, &defaults, &programs) else { continue };
            if let Some(first) = names.insert(question.name.clone(), question.at) {
                let message = format!("there are two questions called `{}`", question.name);
                let diagnostic = Diagnostic::error("same-name", question.at, message);
                self.diagnostics.push(diagnostic.label(first, "the first").hint("give one of them a `name`"));
            }
            project.questions.push(question);
        }
        project
    }

    fn program(&mut self, table: &DeTable<'_>) -> Program {
        let mut program = Program::default();
        let mut others = Vec::new();
        for entry in entries(table) {
            match entry.0 {
                "files" => program.files = self.texts(entry.2),
                _ => others.push(entry),
            }
        }
        program.options = self.options(others, None);
        program
    }

    fn question(
        &mut self,
        table: &DeTable<'_>,
        at: Range<usize>,
        defaults: &[Given],
        programs: &BTreeMap<String, Program>,
    ) -> Option<Question> {
        let errors = self.diagnostics.error_count();
        let (mut name, mut verb, mut files, mut expect) = (None, None, Vec::new(), None);
        let mut used: Vec<&Program> = Vec::new();
        let mut others = Vec::new();
        for entry in entries(table) {
            let (key, _, value) = &entry;
            match *key {
                "name" => name = self.text(value),
                "verb" => verb = self.text(value).map(|verb| (verb, value.span())),
                "files" => files = self.texts(value),
                "program" => {
                    for one in self.texts(value) {
                        match programs.get(&one) {
                            Some(program) => used.push(program),
                            None => {
                                let known: Vec<&str> = programs.keys().map(String::as_str).collect();
                                self.unknown("program", &one, value.span(), &known);
                            }
                        }
                    }
                }
                "expect" => expect = self.expected(value),
                _ => others.push(entry),
            }
        }
        let grammar = self.grammar;
        let names: Vec<&str> = grammar.verbs.iter().map(|verb| verb.name.as_str()).collect();
        let Some((verb, verb_at)) = verb else {
            if self.diagnostics.error_count() == errors {
                let hint = format!("write verb = \"verify\", or one of {}", names.join(", "));
                self.error("missing-key", at, "the question has no `verb`".into(), Some(hint));
            }
            return None;
        };
        let Some(known) = grammar.verbs.iter().find(|known| known.name == verb) else {
            self.unknown("verb with questions", &verb, verb_at, &names);
            return None;
        };
        let own = self.options(others, Some(known));
        let mut options: Vec<Given> = Vec::new();
        let mut is_said: BTreeSet<String> = own.iter().map(|given| given.name.clone()).collect();
        for program in &used {
            files.extend(program.files.iter().cloned());
        }
        let has = |given: &Given| known.options.iter().any(|option| option.name == given.name);
        let of_programs = used.iter().flat_map(|program| program.options.iter());
        // An option of two programs is said twice; that of the question replaces both.
        let of_programs: Vec<Given> =
            of_programs.filter(|given| has(given) && !is_said.contains(&given.name)).cloned().collect();
        is_said.extend(of_programs.iter().map(|given| given.name.clone()));
        options.extend(defaults.iter().filter(|given| has(given) && !is_said.contains(&given.name)).cloned());
        options.extend(of_programs);
        options.extend(own);
        let from_database = options.iter().any(|given| given.name == "compile-commands");
        if files.is_empty() && !from_database {
            let hint = "write files = [\"prog.c\"], or program = \"NAME\"";
            self.error("missing-key", at.clone(), "the question names no files".into(), Some(hint.into()));
        }
        let name = name.or_else(|| files.first().cloned());
        if name.is_none() && from_database {
            self.error("missing-key", at.clone(), "the question has no `name`".into(), None);
        }
        Some(Question {
            name: name?,
            verb,
            files,
            options: options.into_iter().map(|given| (given.name, given.words)).collect(),
            expect,
            at: self.span(&at),
        })
    }

    fn expected(&mut self, value: &Spanned<DeValue<'_>>) -> Option<bool> {
        match value.get_ref().as_str() {
            Some("holds") => return Some(true),
            Some("violated") => return Some(false),
            _ => {}
        }
        self.error("wrong-value", value.span(), "`expect` is \"holds\" or \"violated\"".into(), None);
        None
    }

    /// The options among some entries: of a verb, or, without one, of any.
    fn options(&mut self, entries: Vec<Entry<'_>>, verb: Option<&VerbGrammar>) -> Vec<Given> {
        let grammar = self.grammar;
        let verbs = grammar.verbs.iter().filter(|known| verb.is_none_or(|verb| verb.name == known.name));
        let known: Vec<&OptionGrammar> = verbs.flat_map(|verb| verb.options.iter()).collect();
        let mut given = Vec::new();
        for (name, at, value) in entries {
            // An option of two verbs is taken as the first has it: both have it from the same place or name it alike.
            let Some(option) = known.iter().find(|option| option.name == name) else {
                let reserved: &[&str] = if verb.is_some() { &OF_QUESTIONS } else { &[] };
                let mut names: Vec<&str> = known.iter().map(|option| option.name.as_str()).collect();
                names.extend(reserved);
                names.sort_unstable();
                names.dedup();
                let what = verb.map_or("option".to_owned(), |verb| format!("option of `{}`", verb.name));
                self.unknown(&what, name, at, &names);
                continue;
            };
            if let Some(objection) = option.objection {
                self.error(
                    "unknown-key",
                    at,
                    format!("`{name}` cannot stand in a project: {objection}"),
                    None,
                );
                continue;
            }
            if let Some(words) = self.words(option, value) {
                given.push(Given { name: name.to_owned(), words, at });
            }
        }
        given.sort_by_key(|given| given.at.start);
        given
    }

    /// An option as the command line takes it.
    fn words(&mut self, option: &OptionGrammar, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let is_long = option.name.chars().count() > 1;
        let dashed = if is_long { format!("--{}", option.name) } else { format!("-{}", option.name) };
        let wrong = |reader: &mut Self, wanted: &str| {
            reader.error("wrong-value", value.span(), format!("`{}` takes {wanted}", option.name), None);
            None
        };
        if option.values == 0 {
            return match value.get_ref() {
                DeValue::Boolean(true) => Some(vec![dashed]),
                DeValue::Boolean(false) => Some(Vec::new()),
                _ => wrong(self, "true or false"),
            };
        }
        let one = |value: &DeValue<'_>| match value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => Some(number.to_string()),
            DeValue::Float(number) => Some(number.to_string()),
            _ => None,
        };
        let list = |value: &DeValue<'_>| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|value| one(value.get_ref())).collect()
        };
        // Behind a dash and a letter stands the value itself; a long name is joined to it, so that a value may begin
        // with a dash.
        let joined =
            |value: String| if is_long { format!("{dashed}={value}") } else { format!("{dashed}{value}") };
        if option.values == 1 {
            if let Some(value) = one(value.get_ref()) {
                return Some(vec![joined(value)]);
            }
            return match list(value.get_ref()) {
                Some(values) if option.repeats => Some(values.into_iter().map(joined).collect()),
                _ if option.repeats => wrong(self, "a text or a list of texts"),
                _ => wrong(self, "one text or number"),
            };
        }
        let groups: Option<Vec<Vec<String>>> = match list(value.get_ref()) {
            Some(values) => Some(vec![values]),
            None => {
                value.get_ref().as_array().and_then(|all| all.iter().map(|one| list(one.get_ref())).collect())
            }
        };
        let is_right = |groups: &Vec<Vec<String>>| groups.iter().all(|group| group.len() == option.values);
        match groups.filter(is_right) {
            Some(groups) => {
                let words = |group: Vec<String>| [dashed.clone()].into_iter().chain(group);
                Some(groups.into_iter().flat_map(words).collect())
            }
            None => wrong(self, &format!("a list of {} texts, or several such lists", option.values)),
        }
    }

    fn text(&mut self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = value.get_ref().as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        if text.is_none() {
            self.error("wrong-value", value.span(), "a text belongs here".into(), None);
        }
        text
    }

    fn texts(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        match value.get_ref() {
            DeValue::Array(array) => array.iter().filter_map(|value| self.text(value)).collect(),
            _ => self.text(value).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
        known.iter().copied().find(|known| known.starts_with(&name[..2.min(name.len())]))
    }

    fn grammar() -> Grammar {
        let option = |name: &str, values, repeats| OptionGrammar {
            name: name.to_owned(),
            values,
            repeats,
            objection: (name == "format").then_some("each question is asked for JSON"),
        };
        let common = || {
            vec![
                option("time-limit", 1, false),
                option("D", 1, true),
                option("U", 1, true),
                option("format", 1, false),
            ]
        };
        let verb = |name: &str, own: Vec<OptionGrammar>| {
            let options = common().into_iter().chain(own).collect();
            VerbGrammar { name: name.to_owned(), options }
        };
        let verify = vec![
            option("checks", 1, false),
            option("coverage", 0, false),
            option("compile-commands", 1, false),
        ];
        let verbs = vec![verb("verify", verify), verb("model", vec![option("simulates", 2, true)])];
        Grammar { verbs, closest }
    }

    fn read(text: &str) -> Vec<Question> {
        let read = Project::read("concord.toml", text, &grammar());
        read.unwrap_or_else(|wrong| panic!("{:?}", wrong.diagnostics)).0.questions
    }

    fn objections(text: &str) -> Vec<(String, String)> {
        let Err(wrong) = Project::read("concord.toml", text, &grammar()) else { panic!("taken: {text}") };
        let one = |one: &Diagnostic| {
            (wrong.sources.text(one.span).to_owned(), format!("{} {}", one.message, one.hints.join(" ")))
        };
        wrong.diagnostics.iter().map(one).collect()
    }

    #[test]
    fn what_a_question_says_counts_before_its_program_and_that_before_the_defaults() {
        let text = r#"
            [defaults]
            time-limit = "9s"
            checks = "default"
            [program.server]
            files = ["s.c", "n.c"]
            U = "A"
            D = ["A=-1", "B"]
            checks = "all"
            [[question]]
            verb = "verify"
            program = "server"
            coverage = true
            [[question]]
            name = "other"
            verb = "verify"
            files = "-x.c"
            program = "server"
            checks = "none"
            time-limit = 5
            coverage = false
            expect = "violated"
            [[question]]
            verb = "model"
            files = ["m.lts"]
            simulates = [["A", "B"], ["C", "D"]]
        "#;
        let questions = read(text);
        let words: Vec<String> = questions.iter().map(|question| question.arguments().join(" ")).collect();
        assert_eq!(words[0], "verify --time-limit=9s -UA -DA=-1 -DB --checks=all --coverage -- s.c n.c");
        assert_eq!(words[1], "verify -UA -DA=-1 -DB --checks=none --time-limit=5 -- -x.c s.c n.c");
        assert_eq!(words[2], "model --time-limit=9s --simulates A B --simulates C D -- m.lts");
        assert_eq!((&*questions[0].name, &*questions[1].name), ("s.c", "other"));
        assert_eq!((questions[0].expect, questions[1].expect), (None, Some(false)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let question = |line: &str| format!("[[question]]\nverb = \"verify\"\nfiles = \"a.c\"\n{line}\n");
        for (text, place, words) in [
            ("[default]\n".to_owned(), "default", "there is no key `default` did you mean `defaults`?"),
            (
                question("cheks = \"all\""),
                "cheks",
                "there is no option of `verify` `cheks` did you mean `checks`?",
            ),
            (
                question("xyz = 1"),
                "xyz",
                "there is no option of `verify` `xyz` there is D, U, checks, compile-commands",
            ),
            (
                question("simulates = [\"A\", \"B\"]"),
                "simulates",
                "there is no option of `verify` `simulates`",
            ),
            (question("format = \"json\""), "format", "`format` cannot stand in a project: each question"),
            (question("checks = [\"a\", \"b\"]"), "[\"a\", \"b\"]", "`checks` takes one text or number"),
            (question("coverage = \"yes\""), "\"yes\"", "`coverage` takes true or false"),
            (question("expect = true"), "true", "`expect` is \"holds\" or \"violated\""),
            (question("program = \"x\""), "\"x\"", "there is no program `x`"),
            ("[[question]]\nverb = \"very\"\nfiles = \"a\"".to_owned(), "\"very\"", "did you mean `verify`?"),
            ("[[question]]\nfiles = \"a\"".to_owned(), "[[question]]", "the question has no `verb`"),
            ("[[question]]\nverb = \"verify\"".to_owned(), "[[question]]", "the question names no files"),
            ("[question]\nverb = \"verify\"".to_owned(), "question", "write [[question]]"),
            ("[defaults]\nchecks = \"a\"\nchecks = \"b\"".to_owned(), "checks", "duplicate key"),
            ("[defaults\n".to_owned(), "", ""),
        ] {
            let all = objections(&text);
            assert!(all[0].1.contains(words), "{text}: {all:?}");
            assert!(all[0].0.starts_with(place), "{text}: {all:?}");
        }
        let twice = format!("{}{}", question(""), question(""));
        assert!(objections(&twice)[0].1.contains("two questions called `a.c`"));
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let text = "x = 1\n[[question]]\nverb = \"verify\"\nfiles = \"a.c\"\ny = 1\nz = 2\n";
        assert_eq!(objections(text).len(), 3);
    }
}
