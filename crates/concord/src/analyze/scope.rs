//! Which variables are in scope at a line, told by the text between their declarations and the line: blocks that were
//! closed in between took what was declared in them along.

use program::{Program, VariableId};

/// Is the variable in scope at the end of that line of its file?
pub fn is_in_scope(program: &Program, variable: VariableId, line: u32) -> bool {
    let variable = &program.variables[variable];
    // What lives as long as the program, and parameters, which no block of their own function ends.
    let Some(procedure) = variable.procedure else { return true };
    if program.procedures[procedure]
        .parameters
        .iter()
        .any(|&own| program.variables[own].span == variable.span)
    {
        return true;
    }
    let sources = &program.sources;
    let (Some(declared), Some(source)) =
        (sources.location(variable.span), sources.source_at(variable.span.start))
    else {
        return true;
    };
    if declared.line > line {
        return false;
    }
    let begin = variable.span.start - source.base();
    let Some(text) = source.text().get(begin as usize..) else { return true };
    let mut depth = Depth::default();
    for (offset, token) in (Scanner { text, at: 0 }) {
        let is_past = || {
            let here = variable.span.start + u32::try_from(offset).unwrap_or(u32::MAX);
            let place = sources.location(base::Span::new(here, here));
            place.is_some_and(|place| place.file == declared.file && place.line > line)
        };
        if depth.ends_at(token) {
            // A block that ends on the line is still there when the line begins.
            return is_past();
        }
        if token == '\n' && is_past() {
            return true;
        }
    }
    true
}

/// How deep in brackets and blocks the text is, from a declaration on.
#[derive(Default)]
struct Depth {
    braces: i32,
    brackets: i32,
    /// Declared in the head of a `for`: the body that follows ends it.
    is_in_head: bool,
}

impl Depth {
    /// Does the declaration's scope end with the token?
    fn ends_at(&mut self, token: char) -> bool {
        match token {
            '(' => self.brackets += 1,
            ')' => {
                self.brackets -= 1;
                if self.brackets < 0 {
                    self.is_in_head = true;
                    self.brackets = 0;
                }
            }
            '{' => self.braces += 1,
            '}' => {
                self.braces -= 1;
                return self.braces < 0 || (self.is_in_head && self.braces == 0);
            }
            ';' => return self.is_in_head && self.braces == 0 && self.brackets == 0,
            _ => {}
        }
        false
    }
}

/// The characters of a C text that stand in no comment or literal, with where they stand.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Scanner<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<(usize, char)> {
        let begin = self.at;
        let rest = self.text.get(begin..)?;
        let found = rest.chars().next()?;
        self.at += found.len_utf8();
        if found == '/' && rest.starts_with("//") {
            self.at = begin + rest.find('\n').unwrap_or(rest.len());
            return Some((begin, ' '));
        }
        if found != '"' && found != '\'' {
            return Some((begin, found));
        }
        let mut is_escaped = false;
        for (inside, other) in rest.char_indices().skip(1) {
            if other == '\n' {
                self.at = begin + inside;
                return Some((begin, ' '));
            }
            if other == found && !is_escaped {
                self.at = begin + inside + 1;
                return Some((begin, ' '));
            }
            is_escaped = other == '\\' && !is_escaped;
        }
        self.at = self.text.len();
        Some((begin, ' '))
    }
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    #[test]
    fn brackets_in_literals_do_not_count() {
        let scanner = Scanner { text: "a = '{'; // }\n\"}\\\"\" }", at: 0 };
        let found: String = scanner.map(|(_, one)| one).filter(|one| "{};\n".contains(*one)).collect();
        assert_eq!(found, ";\n}");
    }
}
