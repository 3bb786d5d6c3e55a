//! Text to syntax. After LTSA's grammar of FSP (Magee and Kramer), with MAGIC's extensions (thesis 6.4, appendix A).
//! DIVERGENCE: LTSA needs a set to be defined before its use, since a capitalised name may be a set or a process;
//! here the names of all sets are looked up first, so the order does not matter. After an error the parser goes on
//! with the next definition, so one run tells several errors.

mod claim;
mod composite;
mod declaration;
mod expression;
mod label;
mod magic;
mod process;

use crate::cursor::{Cursor, Parsed};
use crate::lexer::{Hash, Token, TokenKind, tokens};
use crate::syntax::{Name, Specification};
use base::{Diagnostic, Diagnostics, SourceId, SourceMap};
use rustc_hash::FxHashSet;

/// Words that start a definition.
const KEYWORDS: [&str; 19] = [
    "const",
    "range",
    "set",
    "progress",
    "menu",
    "fluent",
    "assert",
    "property",
    "minimal",
    "deterministic",
    "compose",
    "import",
    "include",
    "formula",
    "cproc",
    "cprog",
    "shared",
    "animation",
    "constraint",
];

/// Reads the files as one specification; what is wrong is told in `diagnostics`, and the rest is still read.
pub fn parse(sources: &SourceMap, files: &[SourceId], diagnostics: &mut Diagnostics) -> Specification {
    let mut specification = Specification::default();
    let mut texts = Vec::new();
    let mut sets = FxHashSet::default();
    for &file in files {
        let source = sources.source(file);
        if crate::table::is_table(source.text()) {
            match crate::table::read(source.text(), source.base()) {
                Ok(structure) => specification.structures.push(structure),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
            continue;
        }
        let tokens = tokens(source.text(), source.base(), Hash::IsOperator, diagnostics);
        for pair in tokens.windows(2) {
            if pair[0].text == "set" && pair[1].kind == TokenKind::Upper {
                sets.insert(pair[1].text);
            }
        }
        texts.push((source, tokens));
    }
    for (source, tokens) in texts {
        let cursor = Cursor::new(source.text(), source.base(), tokens);
        let mut parser = Parser { cursor, sets: &sets, specification: &mut specification };
        while !parser.cursor.is_kind(TokenKind::End) {
            let start = parser.cursor.position();
            if let Err(diagnostic) = parser.definition() {
                diagnostics.push(diagnostic);
                parser.remember_name(start);
                parser.skip_to_next_definition(start);
            }
        }
    }
    specification
}

struct Parser<'a, 'b> {
    cursor: Cursor<'a>,
    /// Names of sets: they start labels, other capitalised names start processes.
    sets: &'b FxHashSet<&'a str>,
    specification: &'b mut Specification,
}

impl<'a> Parser<'a, '_> {
    fn definition(&mut self) -> Parsed<()> {
        let token = self.cursor.peek();
        match token.text {
            "const" => self.constant_definition(),
            "range" => self.range_definition(),
            "set" => self.set_definition(),
            "progress" => self.progress_definition(),
            "menu" => self.menu_definition(),
            "fluent" => self.fluent_definition(),
            "assert" => self.assert_definition(),
            "import" => self.import_definition(),
            "include" => self.include_definition(),
            "formula" => self.formula_definition(),
            "cproc" => self.procedure_block(),
            "cprog" => self.program_block(),
            "shared" if self.cursor.peek_at(2).text == ":" => self.shared_definition(),
            "animation" | "constraint" => {
                let message = format!("`{}` definitions are not supported", token.text);
                let hint = if token.text == "constraint" {
                    "write the constraint as a process, or check it with `assert`"
                } else {
                    "animations have no meaning here; remove the definition"
                };
                Err(Diagnostic::error("not-supported", token.span, message).hint(hint))
            }
            _ => self.process_or_composite(),
        }
    }

    /// Keeps the name that a definition which could not be read was to define.
    fn remember_name(&mut self, start: usize) {
        let here = self.cursor.position();
        self.cursor.rewind(start);
        while self.cursor.is("||") || KEYWORDS.contains(&self.cursor.peek().text) {
            self.cursor.advance();
        }
        let token = self.cursor.peek();
        if token.kind == TokenKind::Upper {
            self.specification.broken.push(Name::new(token.text, token.span));
        }
        self.cursor.rewind(here);
    }

    /// Passes what is left of a definition that could not be read.
    fn skip_to_next_definition(&mut self, start: usize) {
        if self.cursor.position() == start {
            self.cursor.advance();
        }
        loop {
            let (here, next) = (self.cursor.peek(), self.cursor.peek_at(1));
            let ends_here = here.kind == TokenKind::End || self.starts_definition_on_new_line(here);
            if ends_here {
                return;
            }
            self.cursor.advance();
            let may_start = matches!(next.kind, TokenKind::Upper | TokenKind::End)
                || next.text == "||"
                || KEYWORDS.contains(&next.text);
            if here.text == "." && may_start && here.span.end <= next.span.start {
                return;
            }
        }
    }

    fn starts_definition_on_new_line(&self, token: Token<'a>) -> bool {
        if !KEYWORDS.contains(&token.text) {
            return false;
        }
        let gap = base::Span::new(self.cursor.previous_span().end, token.span.start);
        self.cursor.text_of(gap).contains('\n')
    }

    /// Is the name here that of a set?
    fn is_set_name(&self) -> bool {
        self.cursor.is_kind(TokenKind::Upper) && self.sets.contains(self.cursor.peek().text)
    }
}
