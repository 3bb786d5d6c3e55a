//! Text to a tree. Recovers at the next statement or procedure, so that one run reports several mistakes.

use super::expression::{DEEPEST, Refused};
use super::token::{Kind, Token, tokens};
use super::tree::{
    Declared, Expression, Name, ProcedureTree, ProgramTree, Statement, StatementKind, ThreadStart,
};
use base::{Diagnostic, Diagnostics, Span};
use std::sync::Arc;

/// Words that cannot be names.
const KEYWORDS: [&str; 32] = [
    "decl",
    "begin",
    "end",
    "void",
    "bool",
    "skip",
    "goto",
    "return",
    "assert",
    "assume",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "start_thread",
    "end_thread",
    "thread_end",
    "atomic_begin",
    "atomic_end",
    "constrain",
    "dead",
    "enforce",
    "schoose",
    "choose",
    "T",
    "F",
    "true",
    "false",
];

/// The tree of a program. `base` is the position of the text's first byte in its source map.
/// There is always a tree; it is worth using only if no error was reported.
pub fn parse(text: &str, base: u32, diagnostics: &mut Diagnostics) -> ProgramTree {
    let tokens = tokens(text, base, diagnostics);
    Parser { tokens: &tokens, at: 0, depth: 0, height: 0, diagnostics }.program()
}

pub(super) struct Parser<'t, 'd> {
    tokens: &'d [Token<'t>],
    at: usize,
    depth: usize,
    /// Height of the expression parsed last.
    pub(super) height: usize,
    diagnostics: &'d mut Diagnostics,
}

impl<'t> Parser<'t, '_> {
    pub(super) fn current(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    fn next_text(&self) -> &'t str {
        self.tokens.get(self.at + 1).map_or("", |token| token.text)
    }

    pub(super) fn advance(&mut self) -> Token<'t> {
        let token = self.current();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn sees(&self, text: &str) -> bool {
        self.current().kind != Kind::End && self.current().text == text
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.sees(text);
        if found {
            self.at += 1;
        }
        found
    }

    fn refuse(&mut self, expected: &str, hint: Option<String>) -> Refused {
        let token = self.current();
        let found =
            if token.kind == Kind::End { "the text ends".into() } else { format!("found `{}`", token.text) };
        let mut report =
            Diagnostic::error("unexpected-token", token.span, format!("{expected} is missing here, {found}"));
        if let Some(hint) = hint {
            report = report.hint(hint);
        }
        self.diagnostics.push(report);
        Refused
    }

    pub(super) fn expect(&mut self, text: &str, what: &str) -> Result<(), Refused> {
        if self.take(text) {
            return Ok(());
        }
        Err(self.refuse(&format!("`{text}`"), Some(format!("`{text}` begins or ends {what}"))))
    }

    pub(super) fn name(&mut self, what: &str) -> Result<Name, Refused> {
        let token = self.current();
        if token.kind != Kind::Name || KEYWORDS.contains(&token.text) {
            let keyword = (token.kind == Kind::Name).then(|| format!("`{}` is a keyword", token.text));
            return Err(self.refuse(what, keyword));
        }
        self.advance();
        Ok(Name { text: Arc::from(token.text), span: token.span })
    }

    /// A label: a name, or a number.
    fn label(&mut self) -> Result<Name, Refused> {
        if self.current().kind == Kind::Number {
            let token = self.advance();
            return Ok(Name { text: Arc::from(token.text), span: token.span });
        }
        self.name("a label")
    }

    /// Runs one level deeper; refuses nesting that would exhaust the stack.
    pub(super) fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn set_height(&mut self, height: usize) -> Result<(), Refused> {
        self.height = height;
        if height > DEEPEST { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&mut self) -> Refused {
        let message = format!("this is nested more than {DEEPEST} deep");
        self.diagnostics.push(
            Diagnostic::error("too-deep", self.current().span, message)
                .hint("name a part of it with a variable of its own"),
        );
        Refused
    }

    fn program(&mut self) -> ProgramTree {
        let mut program = ProgramTree::default();
        while self.current().kind != Kind::End {
            if self.sees("decl") {
                match self.declarations() {
                    Ok(declared) => program.globals.extend(declared),
                    Err(Refused) => self.skip_to_declaration_end(),
                }
            } else if self.take(";") {
                // A stray separator between procedures is harmless.
            } else {
                match self.procedure() {
                    Ok(procedure) => program.procedures.push(procedure),
                    Err(Refused) => self.skip_procedure(),
                }
            }
        }
        program
    }

    fn skip_to_declaration_end(&mut self) {
        while self.current().kind != Kind::End && !self.take(";") {
            if matches!(self.current().text, "void" | "bool" | "begin") {
                return;
            }
            self.advance();
        }
    }

    /// After a broken procedure: past its `end`, or to what looks like the next one.
    fn skip_procedure(&mut self) {
        while self.current().kind != Kind::End {
            let text = self.advance().text;
            if text == "end" || matches!(self.current().text, "void" | "bool") {
                return;
            }
        }
    }

    /// All declarations that stand here.
    fn declarations(&mut self) -> Result<Vec<Declared>, Refused> {
        let mut found = Vec::new();
        while self.take("decl") {
            // No keyword elsewhere: a variable may have that name.
            let is_thread_local = self.sees("thread_local")
                && self.tokens.get(self.at + 1).is_some_and(|next| next.kind == Kind::Name);
            if is_thread_local {
                self.advance();
            }
            loop {
                let name = self.name("the name of a variable")?;
                let initial = if self.take(":=") || self.take("=") { Some(self.expression()?) } else { None };
                found.push(Declared { name, initial, is_thread_local });
                if !self.take(",") {
                    break;
                }
            }
            self.expect(";", "a declaration")?;
        }
        Ok(found)
    }

    fn procedure(&mut self) -> Result<ProcedureTree, Refused> {
        let returns = self.return_type()?;
        let name = self.name("a procedure, or a declaration,")?;
        self.expect("(", "the parameters")?;
        let mut parameters = Vec::new();
        while !self.sees(")") && self.current().kind != Kind::End {
            parameters.push(self.name("a parameter")?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "the parameters")?;
        let mut locals = self.declarations()?;
        self.expect("begin", "the body of a procedure")?;
        locals.extend(self.declarations()?);
        let mut enforced = Vec::new();
        while self.take("enforce") {
            enforced.push(self.expression()?);
            self.end_of_statement()?;
        }
        let body = self.statements(&["end"]);
        if !self.take("end") {
            let hint = format!("the body of `{}` has no `end`", name.text);
            return Err(self.refuse("`end`", Some(hint)));
        }
        self.take(";");
        // Without a type, what is returned says how many values there are.
        let returns = returns.unwrap_or_else(|| returned_values(&body).unwrap_or(0));
        Ok(ProcedureTree { name, returns, parameters, locals, enforced, body })
    }

    /// `void`, `bool`, `bool<n>`, `bool<a,b>`, or nothing.
    fn return_type(&mut self) -> Result<Option<usize>, Refused> {
        if self.take("void") {
            return Ok(Some(0));
        }
        if !self.take("bool") {
            return Ok(None);
        }
        if !self.take("<") {
            return Ok(Some(1));
        }
        if self.current().kind == Kind::Number {
            let token = self.current();
            let Some(count) = token.text.parse().ok().filter(|count| *count <= 1000) else {
                return Err(self.refuse("a number of values up to 1000", None));
            };
            self.advance();
            self.expect(">", "the number of values")?;
            return Ok(Some(count));
        }
        let mut count = 0;
        while !self.sees(">") {
            self.name("the name of a returned value")?;
            count += 1;
            self.take(",");
        }
        self.expect(">", "the returned values")?;
        Ok(Some(count))
    }

    /// Statements up to one of the words, which stays.
    fn statements(&mut self, ends: &[&str]) -> Vec<Statement> {
        let mut found: Vec<Statement> = Vec::new();
        loop {
            if self.take(";") {
                continue;
            }
            let token = self.current();
            if token.kind == Kind::End || ends.contains(&token.text) {
                return found;
            }
            // Words that close something else: the caller reports what is missing.
            if matches!(token.text, "end" | "fi" | "od" | "else" | "elsif") && token.kind == Kind::Name {
                return found;
            }
            let before = self.at;
            match self.statement(ends) {
                Ok(statement) => found.push(statement),
                Err(Refused) => self.skip_statement(before),
            }
        }
    }

    /// After a broken statement: past its `;`, or to a word that ends a block.
    fn skip_statement(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        while self.current().kind != Kind::End && !self.take(";") {
            if matches!(self.current().text, "end" | "fi" | "od" | "else" | "elsif" | "void" | "bool") {
                return;
            }
            self.advance();
        }
    }

    fn statement(&mut self, ends: &[&str]) -> Result<Statement, Refused> {
        let mut labels = Vec::new();
        while self.next_text() == ":" && matches!(self.current().kind, Kind::Name | Kind::Number) {
            labels.push(self.label()?);
            self.advance();
        }
        let span = self.current().span;
        if !labels.is_empty() && (ends.contains(&self.current().text) || self.sees(";")) {
            return Ok(Statement { labels, kind: StatementKind::Skip, span }); // a label before the end
        }
        let kind = self.deeper(|parser| parser.statement_kind())?;
        let last = self.tokens[self.at.saturating_sub(1)].span;
        let span = match kind {
            StatementKind::If(..) | StatementKind::While(..) => span,
            _ => span.to(last),
        };
        Ok(Statement { labels, kind, span })
    }

    fn end_of_statement(&mut self) -> Result<(), Refused> {
        // BOPPO's own examples leave out the last `;` of a block.
        if self.take(";") || matches!(self.current().text, "end" | "fi" | "od" | "else" | "elsif") {
            return Ok(());
        }
        Err(self.refuse("`;`", Some("a statement ends with `;`".into())))
    }

    fn simple(&mut self, kind: StatementKind) -> Result<StatementKind, Refused> {
        self.advance();
        self.end_of_statement()?;
        Ok(kind)
    }

    fn statement_kind(&mut self) -> Result<StatementKind, Refused> {
        match self.current().text {
            "skip" => self.simple(StatementKind::Skip),
            "end_thread" | "thread_end" => self.simple(StatementKind::EndThread),
            "atomic_begin" => self.simple(StatementKind::AtomicBegin),
            "atomic_end" => self.simple(StatementKind::AtomicEnd),
            "goto" => self.goto(),
            "return" => {
                self.advance();
                let ends_here = matches!(self.current().text, ";" | "end" | "fi" | "od" | "else" | "elsif");
                let values = if ends_here { Vec::new() } else { self.expressions()? };
                self.end_of_statement()?;
                Ok(StatementKind::Return(values))
            }
            "assert" => {
                self.advance();
                let condition = self.expression()?;
                self.end_of_statement()?;
                Ok(StatementKind::Assert(condition))
            }
            "enforce" => {
                let message = "`enforce` inside a procedure is read as `assume`";
                self.diagnostics.push(
                    Diagnostic::warning("late-enforce", self.current().span, message)
                        .hint("at the beginning of the procedure it holds throughout"),
                );
                self.assume()
            }
            "assume" => self.assume(),
            "dead" => {
                self.advance();
                let mut names = vec![self.name("the name of a variable")?];
                while self.take(",") {
                    names.push(self.name("the name of a variable")?);
                }
                self.end_of_statement()?;
                Ok(StatementKind::Dead(names))
            }
            // BEBOP's `print`; with parentheses it looks like a call, and is one if there is such a procedure.
            "print" if !matches!(self.next_text(), "(" | ":=" | "=" | ",") => {
                self.advance();
                let values = self.expressions()?;
                self.end_of_statement()?;
                Ok(StatementKind::Print(values))
            }
            "if" => self.conditional(),
            "while" => self.repetition(),
            "start_thread" => self.start_thread(),
            _ => self.assignment_or_call(),
        }
    }

    fn assume(&mut self) -> Result<StatementKind, Refused> {
        self.advance();
        let condition = self.expression()?;
        self.end_of_statement()?;
        Ok(StatementKind::Assume(condition))
    }

    fn goto(&mut self) -> Result<StatementKind, Refused> {
        self.advance();
        let mut labels = vec![self.label()?];
        while self.take(",") {
            labels.push(self.label()?);
        }
        self.end_of_statement()?;
        Ok(StatementKind::Goto(labels))
    }

    fn conditional(&mut self) -> Result<StatementKind, Refused> {
        let opened = self.current().span;
        let mut arms = Vec::new();
        while (arms.is_empty() && self.take("if")) || self.take("elsif") {
            let condition = self.expression()?;
            self.expect("then", "what happens if the condition holds")?;
            arms.push((condition, self.statements(&["elsif", "else", "fi"])));
        }
        let otherwise = if self.take("else") { self.statements(&["fi"]) } else { Vec::new() };
        self.close("fi", opened)?;
        Ok(StatementKind::If(arms, otherwise))
    }

    fn repetition(&mut self) -> Result<StatementKind, Refused> {
        let opened = self.current().span;
        self.advance();
        let condition = self.expression()?;
        self.expect("do", "what is repeated")?;
        let body = self.statements(&["od"]);
        self.close("od", opened)?;
        Ok(StatementKind::While(condition, body))
    }

    fn close(&mut self, word: &str, opened: Span) -> Result<(), Refused> {
        if self.take(word) {
            self.take(";");
            return Ok(());
        }
        let token = self.current();
        let message = format!("`{word}` is missing here, found `{}`", token.text);
        self.diagnostics.push(
            Diagnostic::error("unexpected-token", token.span, message)
                .label(opened, "what begins here is not closed")
                .hint(format!("close it with `{word}`")),
        );
        Err(Refused)
    }

    fn start_thread(&mut self) -> Result<StatementKind, Refused> {
        self.advance();
        let says_goto = self.take("goto");
        let start = if !says_goto && self.next_text() == "(" {
            let name = self.name("the name of a procedure")?;
            ThreadStart::Procedure(name, self.arguments()?)
        } else {
            ThreadStart::Label(self.label()?)
        };
        self.end_of_statement()?;
        Ok(StatementKind::StartThread(start))
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, Refused> {
        self.expect("(", "the arguments")?;
        let arguments = if self.sees(")") { Vec::new() } else { self.expressions()? };
        self.expect(")", "the arguments")?;
        Ok(arguments)
    }

    fn assignment_or_call(&mut self) -> Result<StatementKind, Refused> {
        if self.next_text() == "(" {
            let name = self.name("a statement")?;
            let arguments = self.arguments()?;
            self.end_of_statement()?;
            return Ok(StatementKind::Call(Vec::new(), name, arguments));
        }
        let first = self.name("a statement")?;
        let target = |name: Name| if &*name.text == "_" { None } else { Some(name) };
        let mut targets = vec![target(first)];
        while self.take(",") {
            targets.push(target(self.name("the name of a variable")?));
        }
        if !self.take("=") {
            self.expect(":=", "the assigned values")?;
        }
        let is_call = self.current().kind == Kind::Name
            && !KEYWORDS.contains(&self.current().text)
            && self.next_text() == "(";
        if is_call {
            let name = self.name("the name of a procedure")?;
            let arguments = self.arguments()?;
            self.end_of_statement()?;
            return Ok(StatementKind::Call(targets, name, arguments));
        }
        let values = self.expressions()?;
        let constraint = if self.take("constrain") { Some(self.expression()?) } else { None };
        self.end_of_statement()?;
        Ok(StatementKind::Assign(targets, values, constraint))
    }
}

/// How many values the first `return` gives back, if there is one.
fn returned_values(body: &[Statement]) -> Option<usize> {
    body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Return(values) => Some(values.len()),
        StatementKind::If(arms, otherwise) => {
            arms.iter().find_map(|(_, body)| returned_values(body)).or_else(|| returned_values(otherwise))
        }
        StatementKind::While(_, body) => returned_values(body),
        _ => None,
    })
}
