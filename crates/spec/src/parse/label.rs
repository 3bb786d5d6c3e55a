//! Labels, sets of labels, indices, relabellings.

use super::Parser;
use crate::cursor::Parsed;
use crate::lexer::TokenKind;
use crate::syntax::{Index, IndexValues, Label, LabelPart, LabelSet, Name, Relabel, Visibility};
use base::Diagnostic;

/// Words that are no actions, as they start or join processes.
const RESERVED: [&str; 5] = ["if", "then", "else", "forall", "when"];

impl Parser<'_, '_> {
    /// Can a label start here?
    pub(super) fn is_label_start(&self) -> bool {
        let is_word = self.cursor.is_kind(TokenKind::Lower) && !self.cursor.is_any(&RESERVED);
        is_word || self.cursor.is_any(&["[", "{"]) || self.is_set_name()
    }

    pub(super) fn label(&mut self) -> Parsed<Label> {
        let start = self.cursor.peek().span;
        let mut parts = vec![self.first_label_part()?];
        loop {
            // Each part is a level of the expansion, and costs more than an operator.
            self.cursor.check_chain(4 * parts.len())?;
            if self.cursor.is("[") {
                parts.push(LabelPart::Index(self.index()?));
            } else if self.cursor.is(".") && self.goes_on_after_dot() {
                self.cursor.advance();
                parts.push(if self.cursor.is_kind(TokenKind::Number) {
                    let token = self.cursor.advance();
                    LabelPart::Name(Name::new(token.text, token.span))
                } else {
                    self.first_label_part()?
                });
            } else {
                return Ok(Label { parts, span: start.to(self.cursor.previous_span()) });
            }
        }
    }

    /// A dot joins parts of a label, or ends a definition; a process or the end of the text follows the latter.
    fn goes_on_after_dot(&self) -> bool {
        let next = self.cursor.peek_at(1);
        match next.kind {
            TokenKind::Number => true,
            TokenKind::Lower => {
                // `{a}.` before `const N = 3` on the next line ends a definition.
                let is_adjacent = self.cursor.peek().span.end == next.span.start;
                is_adjacent || !super::KEYWORDS.contains(&next.text)
            }
            TokenKind::Upper => self.sets.contains(next.text),
            _ => matches!(next.text, "{" | "["),
        }
    }

    fn first_label_part(&mut self) -> Parsed<LabelPart> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Lower if token.text == "tau" => {
                Err(Diagnostic::error("reserved-action", token.span, "`tau` cannot be written as an action")
                    .hint("hide an action with `\\{…}`, or write `epsilon` for a silent step"))
            }
            TokenKind::Lower if RESERVED.contains(&token.text) => Err(self.cursor.unexpected("an action")),
            TokenKind::Lower => {
                if token.text == "return" && self.cursor.peek_at(1).text == "{" {
                    return Ok(LabelPart::Data(self.data_action(None)?));
                }
                self.cursor.advance();
                Ok(LabelPart::Name(Name::new(token.text, token.span)))
            }
            TokenKind::Upper if !self.is_set_name() => {
                let message = format!("`{}` is not a set of actions", token.text);
                Err(Diagnostic::error("undefined-set", token.span, message)
                    .hint("an action starts with a small letter; a set is defined by `set NAME = {…}`"))
            }
            _ if self.cursor.is("[") => Ok(LabelPart::Index(self.index()?)),
            _ if self.cursor.is("{") && self.is_assignment() => Ok(LabelPart::Data(self.data_action(None)?)),
            _ if self.cursor.is("{") || self.is_set_name() => {
                let left = self.label_set()?;
                if self.cursor.eat("\\") {
                    let right = self.label_set()?;
                    return Ok(LabelPart::Set(LabelSet::Without(Box::new(left), Box::new(right))));
                }
                Ok(LabelPart::Set(left))
            }
            _ => Err(self.cursor.unexpected("an action")),
        }
    }

    /// `{a, b}` or the name of a set.
    pub(super) fn label_set(&mut self) -> Parsed<LabelSet> {
        if self.is_set_name() {
            let token = self.cursor.advance();
            return Ok(LabelSet::Named(Name::new(token.text, token.span)));
        }
        let start = self.cursor.peek().span;
        if self.cursor.is_kind(TokenKind::Upper) {
            let message = format!("`{}` is not a set of actions", self.cursor.peek().text);
            return Err(Diagnostic::error("undefined-set", start, message)
                .hint("define it by `set NAME = {…}`, or write the actions in braces"));
        }
        self.cursor.expect("{", "a set of actions is written `{a, b}`")?;
        let mut labels = Vec::new();
        if !self.cursor.is("}") {
            loop {
                labels.push(self.deeper(Self::label)?);
                if !self.cursor.eat(",") {
                    break;
                }
            }
        }
        self.cursor.expect("}", "this brace is not closed")?;
        Ok(LabelSet::Listed(labels, start.to(self.cursor.previous_span())))
    }

    /// `[…]`
    pub(super) fn index(&mut self) -> Parsed<Index> {
        let start = self.cursor.expect("[", "an index is written in brackets")?;
        let has_variable = self.cursor.is_kind(TokenKind::Lower) && self.cursor.peek_at(1).text == ":";
        let variable = if has_variable {
            let token = self.cursor.advance();
            self.cursor.advance();
            Some(Name::new(token.text, token.span))
        } else {
            None
        };
        // Numbers of the language start with none of these.
        let is_data = self.cursor.is_kind(TokenKind::Argument) || self.cursor.is("*");
        let values = if variable.is_none() && is_data {
            let value = crate::cexpr::parse::expression(&mut self.cursor)?;
            let form = "a value of C is sent as one of a range: `[$2:0..3]`";
            self.cursor.expect(":", form)?;
            IndexValues::Data(value, Box::new(self.index_values()?))
        } else {
            self.index_values()?
        };
        self.cursor.expect("]", "this bracket is not closed")?;
        Ok(Index { variable, values, span: start.to(self.cursor.previous_span()) })
    }

    fn index_values(&mut self) -> Parsed<IndexValues> {
        if self.cursor.is("{") || self.is_set_name() {
            return Ok(IndexValues::Set(self.deeper(Self::label_set)?));
        }
        let low = self.deeper(Self::expression)?;
        if self.cursor.eat("..") {
            return Ok(IndexValues::Range(low, self.deeper(Self::expression)?));
        }
        Ok(IndexValues::Expression(low))
    }

    /// `[i:R][j:S]`, at least one.
    pub(super) fn indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = vec![self.index()?];
        while self.cursor.is("[") {
            indices.push(self.index()?);
            self.cursor.check_chain(4 * indices.len())?;
        }
        Ok(indices)
    }

    /// `/{new/old, …}`, if it is here.
    pub(super) fn relabels(&mut self) -> Parsed<Vec<Relabel>> {
        if self.cursor.eat("/") { self.relabel_set() } else { Ok(Vec::new()) }
    }

    fn relabel_set(&mut self) -> Parsed<Vec<Relabel>> {
        self.cursor.expect("{", "a relabelling is written `/{new/old, …}`")?;
        let mut relabels = Vec::new();
        loop {
            relabels.push(if self.cursor.eat("forall") {
                let indices = self.indices()?;
                Relabel::ForAll(indices, self.deeper(Self::relabel_set)?)
            } else {
                let new = self.label()?;
                self.cursor.expect("/", "a relabelling is written `/{new/old, …}`")?;
                Relabel::Rename { new, old: self.label()? }
            });
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect("}", "this brace is not closed")?;
        Ok(relabels)
    }

    /// `\{…}` or `@{…}`, if it is here.
    pub(super) fn visibility(&mut self) -> Parsed<Option<Visibility>> {
        if self.cursor.eat("\\") {
            Ok(Some(Visibility::Hide(self.label_set()?)))
        } else if self.cursor.eat("@") {
            Ok(Some(Visibility::Show(self.label_set()?)))
        } else {
            Ok(None)
        }
    }
}
