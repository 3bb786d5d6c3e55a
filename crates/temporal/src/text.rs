//! Reads formulas over the runs of a C program: `G("x > 0" -> F call(unlock))`. Atoms are C conditions over global
//! variables in double quotes (in annotations, `AP(x > 0)`), `call(f)`, `return(f)` and `at(L)`; the operators are those
//! of `spec::Formula`, and the spellings `==>` and `WU` of public tasks.
//!
//! Each atom is replaced by a short text of the same length, the rest is read by `spec`; so places in messages are
//! places in what was written.

use base::{Diagnostic, Span};
use spec::Formula;
use spec::cexpr::CExpression;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an atom asks of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The condition holds.
    Condition(CExpression),
    /// The position is left by a call of the function.
    Call(Arc<str>),
    /// The position is left by a return from the function.
    Return(Arc<str>),
    /// The position was made by coming to the label.
    Label(Arc<str>),
}

/// An atom as it was written.
#[derive(Clone, Debug)]
pub struct WrittenAtom {
    /// What it asks.
    pub asked: Asked,
    /// Where it stands in the text, for messages.
    pub span: Span,
}

/// A formula as it was written: atoms have the names under which `atoms` has them.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The formula.
    pub formula: Formula,
    /// Its atoms.
    pub atoms: BTreeMap<Arc<str>, WrittenAtom>,
}

impl Asked {
    /// The name of the atom: conditions that are written differently and mean the same by their shape have one.
    pub fn name(&self) -> Arc<str> {
        Arc::from(match self {
            Asked::Condition(condition) => condition.to_string(),
            Asked::Call(function) => format!("call({function})"),
            Asked::Return(function) => format!("return({function})"),
            Asked::Label(label) => format!("at({label})"),
        })
    }
}

/// Stands for an atom in what `spec` reads; no name a user can write begins so.
const STANDS_FOR: char = '@';

/// Reads a formula.
pub fn read(text: &str) -> Result<Written, Diagnostic> {
    let mut reader = Reader { text, at: 0, plain: String::with_capacity(text.len()), atoms: Vec::new() };
    reader.take_atoms()?;
    let Reader { plain, atoms: found, .. } = reader;
    let formula = Formula::parse(&plain, 0)?;
    let mut trouble = None;
    let mut atoms = BTreeMap::new();
    let formula = formula.map_atoms(&mut |atom| {
        let spec::Atom::Event(name) = atom else {
            trouble = trouble.take().or_else(|| Some(not_an_atom(text, &atom.to_string())));
            return Formula::True;
        };
        let number = name.trim().strip_prefix(STANDS_FOR).and_then(|number| number.parse::<usize>().ok());
        let Some(atom) = number.and_then(|number| found.get(number)) else {
            trouble = trouble.take().or_else(|| Some(not_an_atom(text, name)));
            return Formula::True;
        };
        let name = atom.asked.name();
        atoms.entry(name.clone()).or_insert_with(|| atom.clone());
        match atom.asked {
            Asked::Condition(_) | Asked::Label(_) => Formula::proposition(&name),
            Asked::Call(_) | Asked::Return(_) => Formula::event(&name),
        }
    });
    match trouble {
        Some(trouble) => Err(trouble),
        None => Ok(Written { text: text.to_owned(), formula, atoms }),
    }
}

fn not_an_atom(text: &str, name: &str) -> Diagnostic {
    let start = text.find(name.trim_matches(['[', ']'])).unwrap_or(0);
    let span = span(start, (start + name.len()).min(text.len()));
    Diagnostic::error("not-an-atom", span, format!("`{name}` is no atom")).hint(
        "atoms are conditions in double quotes such as \"x > 0\", `call(f)`, `return(f)` and `at(LABEL)`",
    )
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    plain: String,
    atoms: Vec<WrittenAtom>,
}

impl Reader<'_> {
    fn take_atoms(&mut self) -> Result<(), Diagnostic> {
        while let Some(next) = self.text[self.at..].chars().next() {
            let rest = &self.text[self.at..];
            let is_inside_word = self.plain.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if next == '"' {
                let Some(length) = rest[1..].find('"') else {
                    let here = span(self.at, self.text.len());
                    return Err(Diagnostic::error(
                        "unclosed-text",
                        here,
                        "this condition is not closed by `\"`",
                    ));
                };
                self.condition(self.at + 1, self.at + 1 + length, self.at + length + 2)?;
            } else if let Some(open) = opens(rest, "AP").filter(|_| !is_inside_word) {
                let close = self.closing(self.at + open)?;
                self.condition(self.at + open, close, close + 1)?;
            } else if let Some((make, open)) = named(rest).filter(|_| !is_inside_word) {
                let close = self.closing(self.at + open)?;
                let inner = self.text[self.at + open..close].trim();
                let name = inner.strip_suffix("()").map_or(inner, str::trim);
                if !is_name(name) {
                    let here = span(self.at + open, close.max(self.at + open + 1));
                    return Err(Diagnostic::error("no-name", here, format!("`{inner}` is no name")));
                }
                let asked = make(Arc::from(name));
                self.put(asked, self.at, close + 1);
            } else if rest.starts_with("==>") {
                self.plain.push_str(" =>");
                self.at += 3;
            } else if rest.starts_with("WU") && !is_inside_word && !rest[2..].starts_with(is_word) {
                self.plain.push_str("W ");
                self.at += 2;
            } else {
                self.plain.push(next);
                self.at += next.len_utf8();
            }
        }
        Ok(())
    }

    /// Where the parenthesis before `from` is closed.
    fn closing(&self, from: usize) -> Result<usize, Diagnostic> {
        let mut depth = 1;
        for (at, one) in self.text[from..].char_indices() {
            match one {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(from + at);
            }
        }
        Err(Diagnostic::error("unclosed", span(from - 1, from), "this parenthesis is not closed"))
    }

    fn condition(&mut self, start: usize, end: usize, after: usize) -> Result<(), Diagnostic> {
        let condition = CExpression::parse(&self.text[start..end]).map_err(|mut trouble| {
            trouble.span = span(start + trouble.span.start as usize, start + trouble.span.end as usize);
            trouble
        })?;
        if let Some(why) = constant_of_another_type(&self.text[start..end]) {
            return Err(Diagnostic::error("constant-type", span(start, end), why));
        }
        self.put(Asked::Condition(condition), self.at, after);
        Ok(())
    }

    fn put(&mut self, asked: Asked, start: usize, after: usize) {
        let number = self.atoms.len();
        self.atoms.push(WrittenAtom { asked, span: span(start, after) });
        let stands_for = format!("\"{STANDS_FOR}{number}");
        let width = (after - start).saturating_sub(1);
        self.plain.push_str(&format!("{stands_for:width$}\""));
        self.at = after;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// The length of `word (`, if the text begins so.
fn opens(text: &str, word: &str) -> Option<usize> {
    let rest = text.strip_prefix(word)?;
    let inner = rest.trim_start();
    inner.starts_with('(').then(|| word.len() + (rest.len() - inner.len()) + 1)
}

/// Makes an atom of the name that stands in its parentheses.
type Make = fn(Arc<str>) -> Asked;

fn named(text: &str) -> Option<(Make, usize)> {
    let kinds: [(&str, Make); 4] =
        [("call", Asked::Call), ("return", Asked::Return), ("at", Asked::Label), ("label", Asked::Label)];
    kinds.into_iter().find_map(|(word, make)| opens(text, word).map(|open| (make, open)))
}

/// Numbers whose type is not that of a plain decimal: what `spec` reads has lost that.
fn constant_of_another_type(condition: &str) -> Option<String> {
    let words = condition.split(|c: char| !is_word(c));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).find_map(|word| {
        let lower = word.to_ascii_lowercase();
        let is_other = match lower.strip_prefix("0x") {
            Some(digits) => {
                digits.ends_with(['u', 'l'])
                    || u64::from_str_radix(digits, 16).is_ok_and(|value| value > 0x7fff_ffff)
            }
            None => {
                lower.ends_with(['u', 'l']) || lower.len() > 1 && lower.starts_with('0') && lower.len() > 10
            }
        };
        is_other.then(|| format!("`{word}` is not of type `int` or `long`: cast it, as in `(unsigned)1`"))
    })
}

/// The formulas of a C text's annotations: `//@ ltl invariant NAME: FORMULA;`, each with its name.
pub fn annotations(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim_start().strip_prefix("//@") else { continue };
        let Some(rest) = rest.trim_start().strip_prefix("ltl") else { continue };
        let Some(rest) = rest.trim_start().strip_prefix("invariant") else { continue };
        let Some((name, formula)) = rest.split_once(':') else { continue };
        let formula = formula.trim().trim_end_matches(';').trim();
        found.push((name.trim().to_owned(), formula.to_owned()));
    }
    found
}

/// The formula of a property file's text: `CHECK( init(main()), LTL( … ) )`.
pub fn of_property_file(text: &str) -> Option<&str> {
    let inner = |text: &'_ str, open: &str| -> Option<usize> {
        let rest = text.trim_start();
        let skipped = text.len() - rest.len();
        let after = rest.strip_prefix(open)?;
        let parenthesis = after.trim_start().strip_prefix('(')?;
        Some(skipped + rest.len() - parenthesis.len())
    };
    let text = text.trim();
    let rest = &text[inner(text, "CHECK")?..];
    let rest = rest.trim_start().strip_prefix("init")?.trim_start().strip_prefix('(')?;
    let rest = rest.trim_start().strip_prefix("main")?.trim_start().strip_prefix('(')?;
    let rest = rest.trim_start().strip_prefix(')')?.trim_start().strip_prefix(')')?;
    let rest = rest.trim_start().strip_prefix(',')?;
    let rest = &rest[inner(rest, "LTL")?..];
    let rest = rest.trim_end().strip_suffix(')')?.trim_end().strip_suffix(')')?;
    Some(rest.trim())
}

/// `p -> q`: whenever the first holds, the second comes: `G(p -> F q)`.
pub fn responds(text: &str) -> Option<String> {
    let (first, second) = text.split_once(" -> ")?;
    Some(format!("G({} -> F {})", atom(first), atom(second)))
}

/// `a, b`: the second does not come before the first: `!b W a`.
pub fn precedes(text: &str) -> Option<String> {
    let (first, second) = text.split_once(',')?;
    Some(format!("!{} W {}", atom(second), atom(first)))
}

/// Again and again: `G F p`.
pub fn recurs(text: &str) -> String {
    format!("G F {}", atom(text))
}

/// A condition gets the quotes that it lacks.
fn atom(text: &str) -> String {
    let text = text.trim();
    let is_whole = text.contains('"') || named(text).is_some() || opens(text, "AP").is_some();
    if is_whole { format!("({text})") } else { format!("\"{text}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        read(text).map_or_else(
            |trouble| format!("{}: {}", trouble.span.start, trouble.message),
            |it| it.formula.to_string(),
        )
    }

    #[test]
    fn formulas_of_public_tasks_are_read() {
        let same = [
            ("[](\"x > 0\" ==> <>(\"y == 0\"))", "G(\"x>0\" -> F \"y == 0\")"),
            ("[](AP(x > 0) ==> <>AP((y) == 0))", "G(\"x>0\" -> F \"y == 0\")"),
            ("(! \"o == 24\" WU \"i == 4\")", "!\"o==24\" W \"i==4\""),
            ("FG\"polling==1\"", "F G \"polling == 1\""),
            ("G(!\"a!= 0\" || F\"r != 0\")", "G(!\"a != 0\" | F \"r != 0\")"),
            ("G !call(f())", "G !call(f)"),
        ];
        for (one, two) in same {
            assert_eq!(shown(one), shown(two));
        }
    }

    #[test]
    fn what_cannot_be_read_is_pointed_at() {
        for (text, at) in [
            // Where something is missing, at the end of what is there.
            ("G \"x > \"", 5),
            ("G x", 2),
            ("F \"x", 2),
            ("F (\"x\"", 3),
            ("G \"x > 1u\"", 3),
            ("F call(1)", 7),
            ("\"x\" -> ", 5),
        ] {
            let trouble = read(text).expect_err(text);
            assert_eq!(trouble.span.start, at, "{text}: {}", trouble.message);
        }
    }

    #[test]
    fn property_files_and_annotations_are_found() {
        assert_eq!(of_property_file("CHECK( init(main()), LTL( <>(\"a\") ) )\n"), Some("<>(\"a\")"));
        assert_eq!(of_property_file("CHECK( init(main()), LTL(G ! call(f())) )"), Some("G ! call(f())"));
        let text = "int x;\n//@ ltl invariant positive: <>[]AP(x==1);\n";
        assert_eq!(annotations(text), [("positive".to_owned(), "<>[]AP(x==1)".to_owned())]);
        assert_eq!(responds("x -> call(f)").as_deref(), Some("G(\"x\" -> F (call(f)))"));
    }
}
