//! Process definitions.

use super::Parser;
use crate::cexpr::CExpression;
use crate::cursor::Parsed;
use crate::lexer::TokenKind;
use crate::syntax::{
    Body, Branch, Flags, Label, LabelPart, Parameter, ProcessCall, ProcessDefinition, Proposition,
    StateDefinition,
};
use std::sync::Arc;

impl Parser<'_, '_> {
    /// `property minimal P = …` or `||S = …`
    pub(super) fn process_or_composite(&mut self) -> Parsed<()> {
        let mut flags = Flags::default();
        loop {
            match self.cursor.peek().text {
                "property" => flags.is_property = true,
                "minimal" => flags.is_minimal = true,
                "deterministic" => flags.is_deterministic = true,
                "compose" => flags.is_composed = true,
                _ => break,
            }
            self.cursor.advance();
        }
        if self.cursor.is("||") {
            return self.composite_definition(flags);
        }
        let name = self.cursor.expect_upper("a process")?;
        let parameters = self.parameters()?;
        let mut states = vec![self.state_after(name.clone())?];
        while self.cursor.eat(",") {
            let state = self.cursor.expect_upper("a local process")?;
            states.push(self.state_after(state)?);
        }
        let extension = if self.cursor.eat("+") { Some(self.label_set()?) } else { None };
        let relabels = self.relabels()?;
        let visibility = self.visibility()?;
        self.cursor.expect(".", "a process definition ends with a dot, its parts are separated by commas")?;
        let definition =
            ProcessDefinition { flags, name, parameters, states, extension, relabels, visibility };
        self.specification.processes.push(definition);
        Ok(())
    }

    /// `(N=1, M='a)`, if it is here.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if !self.cursor.eat("(") {
            return Ok(parameters);
        }
        loop {
            let name = self.cursor.expect_upper("a parameter")?;
            self.cursor.expect("=", "a parameter needs a default value: `P(N=1)`")?;
            let default = self.expression()?;
            parameters.push(Parameter { name, default });
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect(")", "this parenthesis is not closed")?;
        Ok(parameters)
    }

    /// What follows the name of a state.
    fn state_after(&mut self, name: crate::syntax::Name) -> Parsed<StateDefinition> {
        let mut propositions = Vec::new();
        let mut indices = Vec::new();
        loop {
            self.cursor.check_chain(4 * indices.len())?;
            if self.cursor.is("[") {
                indices.push(self.index()?);
            } else if self.cursor.is("{") {
                propositions.extend(self.propositions()?);
            } else {
                break;
            }
        }
        if self.cursor.is("@") {
            let span = self.cursor.peek().span;
            return Err(base::Diagnostic::error("not-supported", span, "accepting states are not supported")
                .hint("state the property as an `assert` or a `formula`"));
        }
        self.cursor.expect("=", "a process is defined by `NAME = …`")?;
        let body = self.body()?;
        Ok(StateDefinition { name, propositions, indices, body })
    }

    /// `{p, q[i], m == 2}`
    fn propositions(&mut self) -> Parsed<Vec<Proposition>> {
        self.cursor.expect("{", "propositions are written in braces")?;
        let mut propositions = Vec::new();
        while !self.cursor.is("}") {
            let start = self.cursor.position();
            let named = self.proposition_label();
            let stops_well = self.cursor.is_any(&[",", "}"]);
            propositions.push(match named {
                Ok(label) if stops_well => Proposition::Label(label),
                _ => {
                    self.cursor.rewind(start);
                    let from = self.cursor.peek().span;
                    crate::cexpr::parse::expression(&mut self.cursor)?;
                    let text = self.cursor.text_of(from.to(self.cursor.previous_span()));
                    Proposition::Text(Arc::from(CExpression::proposition_name(text)))
                }
            });
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect("}", "this brace is not closed")?;
        Ok(propositions)
    }

    fn proposition_label(&mut self) -> Parsed<Label> {
        let name = self.cursor.expect_name("a proposition")?;
        let mut parts = vec![LabelPart::Name(name.clone())];
        loop {
            if self.cursor.is("[") {
                parts.push(LabelPart::Index(self.index()?));
            } else if self.cursor.eat(".") {
                parts.push(LabelPart::Name(self.cursor.expect_name("a part of a proposition")?));
            } else {
                return Ok(Label { parts, span: name.span.to(self.cursor.previous_span()) });
            }
        }
    }

    fn body(&mut self) -> Parsed<Body> {
        self.deeper(Self::body_here)
    }

    fn body_here(&mut self) -> Parsed<Body> {
        if self.cursor.eat("if") {
            let condition = self.expression()?;
            self.cursor.expect("then", "a conditional process is `if c then P else Q`")?;
            let then = Box::new(self.body()?);
            let otherwise = if self.cursor.eat("else") { Some(Box::new(self.body()?)) } else { None };
            return Ok(Body::If(condition, then, otherwise));
        }
        let start = self.cursor.peek().span;
        if self.cursor.eat("(") {
            let mut branches = vec![self.branch()?];
            while self.cursor.eat("|") {
                branches.push(self.branch()?);
            }
            if self.cursor.is("||") {
                let diagnostic = self.cursor.unexpected("`|` or `)`");
                return Err(diagnostic
                    .hint("`|` chooses; processes run in parallel only in a composition `||S = (P || Q)`"));
            }
            self.cursor.expect(")", "a choice is `(a -> P | b -> Q)`")?;
            return Ok(Body::Choice(branches, start.to(self.cursor.previous_span())));
        }
        if !self.cursor.is_kind(TokenKind::Upper) {
            return Err(self
                .cursor
                .unexpected("a process")
                .hint("a process is `(a -> P | b -> Q)`, a name, or `if c then P else Q`"));
        }
        self.goto()
    }

    /// `P(1);Q;STATE[i]`
    fn goto(&mut self) -> Parsed<Body> {
        let mut first = Vec::new();
        loop {
            let name = self.cursor.expect_upper("a process")?;
            let arguments = self.arguments()?;
            if self.cursor.eat(";") {
                first.push(ProcessCall { name, arguments });
                continue;
            }
            if !arguments.is_empty() {
                let diagnostic = self.cursor.unexpected("`;`");
                return Err(diagnostic.hint("a process with parameters is followed by another: `P(1);END`"));
            }
            let mut indices = Vec::new();
            while self.cursor.eat("[") {
                indices.push(self.expression()?);
                self.cursor.expect("]", "this bracket is not closed")?;
            }
            return Ok(Body::Goto { first, then: name, indices });
        }
    }

    /// `(1, 2)`, if it is here.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<crate::syntax::Expression>> {
        let mut arguments = Vec::new();
        if self.cursor.eat("(") {
            loop {
                arguments.push(self.expression()?);
                if !self.cursor.eat(",") {
                    break;
                }
            }
            self.cursor.expect(")", "this parenthesis is not closed")?;
        }
        Ok(arguments)
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let mut guard = None;
        let mut actions = Vec::new();
        if self.cursor.eat("when") {
            if self.cursor.is("{") {
                actions.push(self.guarded_data_action()?);
            } else {
                guard = Some(self.expression()?);
            }
        }
        if actions.is_empty() {
            actions.push(self.label()?);
        }
        self.cursor.expect("->", "an action is followed by what comes next: `a -> P`")?;
        while self.is_label_start() || (self.cursor.is("when") && self.cursor.peek_at(1).text == "{") {
            actions.push(if self.cursor.eat("when") { self.guarded_data_action()? } else { self.label()? });
            self.cursor.expect("->", "an action is followed by what comes next: `a -> P`")?;
            self.cursor.check_chain(actions.len())?;
        }
        let next = Box::new(self.body()?);
        Ok(Branch { guard, actions, next })
    }
}
