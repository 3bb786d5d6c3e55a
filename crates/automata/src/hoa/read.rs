//! Reads one automaton.

use super::token::{Token, tokens};
use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::guard::{Guard, Guards, Literal, Variable};
use base::{Diagnostic, Id, IndexVec, Span};
use std::collections::BTreeMap;

/// More states or atoms than this is taken for damage.
const MOST: u32 = 1 << 24;
/// Deeper nesting of labels is refused.
const DEEPEST: usize = 1000;

/// Reads an automaton. `base` is the position of the text's first byte, for the places in messages.
pub fn read(text: &str, base: u32) -> Result<Automaton, Diagnostic> {
    let tokens = tokens(text, base)?;
    let mut reader = Reader {
        tokens,
        at: 0,
        guards: Guards::new(),
        atoms: Vec::new(),
        aliases: BTreeMap::new(),
        starts: Vec::new(),
        acceptance: None,
        depth: 0,
        states: BTreeMap::new(),
    };
    reader.header()?;
    reader.body()?;
    reader.finish()
}

/// The acceptance sets a run must see infinitely often, in order; `None` where no run accepts.
type Required = Option<Vec<u32>>;

#[derive(Default)]
struct State {
    edges: Vec<(Guard, u32, Vec<u32>, Span)>,
}

struct Reader {
    tokens: Vec<(Token, Span)>,
    at: usize,
    guards: Guards,
    atoms: Vec<String>,
    aliases: BTreeMap<String, Guard>,
    starts: Vec<(u32, Span)>,
    acceptance: Option<(u32, Required)>,
    depth: usize,
    states: BTreeMap<u32, State>,
}

impl Reader {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn error<T>(&self, code: &'static str, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::error(code, self.span(), message))
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn expect_sign(&mut self, sign: char) -> Result<(), Diagnostic> {
        if self.take_sign(sign) { Ok(()) } else { self.error("hoa-syntax", format!("expected `{sign}`")) }
    }

    fn number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        match self.peek() {
            Token::Number(number) if *number < MOST => {
                let number = *number;
                self.advance();
                Ok(number)
            }
            Token::Number(_) => self.error("hoa-number", format!("{what} is too large")),
            _ => self.error("hoa-syntax", format!("expected {what}")),
        }
    }

    fn header(&mut self) -> Result<(), Diagnostic> {
        match (self.advance(), self.peek()) {
            (Token::Header(item), Token::Word(version)) if item == "HOA" && version == "v1" => {}
            _ => {
                self.at = 0;
                return self.error("hoa-header", "the text does not begin with `HOA: v1`");
            }
        }
        self.advance();
        loop {
            match self.advance() {
                Token::Marker("--BODY--") => break,
                Token::Header(item) => match item.as_str() {
                    "Start" => {
                        let span = self.span();
                        let start = self.number("a state")?;
                        if *self.peek() == Token::Sign('&') {
                            return self.error("hoa-branching", "universal branching is not supported");
                        }
                        self.starts.push((start, span));
                    }
                    "AP" => {
                        let count = self.number("the number of atoms")?;
                        for _ in 0..count {
                            match self.advance() {
                                Token::Text(name) => self.atoms.push(name),
                                _ => {
                                    self.at -= 1;
                                    return self
                                        .error("hoa-syntax", format!("expected {count} quoted names"));
                                }
                            }
                        }
                    }
                    "Alias" => {
                        let Token::Alias(name) = self.advance() else {
                            self.at -= 1;
                            return self.error("hoa-syntax", "expected `@name`");
                        };
                        let guard = self.label()?;
                        self.aliases.insert(name, guard);
                    }
                    "Acceptance" => {
                        let count = self.number("the number of acceptance sets")?;
                        let required = self.acceptance_or()?;
                        self.acceptance = Some((count, required));
                    }
                    // An item that begins with a capital changes the meaning; `States` is recomputed.
                    other if other.starts_with(|c: char| c.is_uppercase()) && other != "States" => {
                        self.at -= 1;
                        return self.error("hoa-item", format!("header item `{other}:` is not supported"));
                    }
                    _ => self.skip_item(),
                },
                Token::End => {
                    return self.error("hoa-header", "the header has no end: `--BODY--` is missing");
                }
                _ => {
                    self.at -= 1;
                    return self.error("hoa-syntax", "expected a header item");
                }
            }
        }
        if self.acceptance.is_none() {
            return self.error("hoa-header", "the header says nothing about acceptance");
        }
        Ok(())
    }

    fn skip_item(&mut self) {
        while !matches!(self.peek(), Token::Header(_) | Token::Marker(_) | Token::End) {
            self.advance();
        }
    }

    fn acceptance_or(&mut self) -> Result<Required, Diagnostic> {
        let mut left = self.acceptance_and()?;
        while self.take_sign('|') {
            let right = self.acceptance_and()?;
            left = match (left, right) {
                (None, other) | (other, None) => other,
                (Some(all), _) | (_, Some(all)) if all.is_empty() => Some(all),
                _ => return self.error("hoa-acceptance", "only conjunctions of `Inf` are supported"),
            };
        }
        Ok(left)
    }

    fn acceptance_and(&mut self) -> Result<Required, Diagnostic> {
        let mut left = self.acceptance_atom()?;
        while self.take_sign('&') {
            let right = self.acceptance_atom()?;
            left = match (left, right) {
                (Some(mut left), Some(right)) => {
                    left.extend(right);
                    Some(left)
                }
                _ => None,
            };
        }
        Ok(left)
    }

    fn acceptance_atom(&mut self) -> Result<Required, Diagnostic> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("hoa-nesting", "this is nested too deeply");
        }
        let result = match self.peek().clone() {
            Token::Word(word) if word == "t" => {
                self.advance();
                Some(Vec::new())
            }
            Token::Word(word) if word == "f" => {
                self.advance();
                None
            }
            Token::Word(word) if word == "Inf" => {
                self.advance();
                self.expect_sign('(')?;
                if *self.peek() == Token::Sign('!') {
                    return self.error("hoa-acceptance", "complemented acceptance sets are not supported");
                }
                let set = self.number("an acceptance set")?;
                self.expect_sign(')')?;
                Some(vec![set])
            }
            Token::Word(word) if word == "Fin" => {
                return self
                    .error("hoa-acceptance", "`Fin` is not supported: only conjunctions of `Inf` are");
            }
            Token::Sign('(') => {
                self.advance();
                let inner = self.acceptance_or()?;
                self.expect_sign(')')?;
                inner
            }
            _ => return self.error("hoa-syntax", "expected an acceptance condition"),
        };
        self.depth -= 1;
        Ok(result)
    }

    fn label(&mut self) -> Result<Guard, Diagnostic> {
        let mut left = self.label_and()?;
        while self.take_sign('|') {
            let right = self.label_and()?;
            left = self.guards.or(left, right);
        }
        Ok(left)
    }

    fn label_and(&mut self) -> Result<Guard, Diagnostic> {
        let mut left = self.label_atom()?;
        while self.take_sign('&') {
            let right = self.label_atom()?;
            left = self.guards.and(left, right);
        }
        Ok(left)
    }

    fn label_atom(&mut self) -> Result<Guard, Diagnostic> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("hoa-nesting", "this is nested too deeply");
        }
        let guard = match self.peek().clone() {
            Token::Sign('!') => {
                self.advance();
                let inner = self.label_atom()?;
                self.guards.not(inner)
            }
            Token::Sign('(') => {
                self.advance();
                let inner = self.label()?;
                self.expect_sign(')')?;
                inner
            }
            Token::Word(word) if word == "t" || word == "f" => {
                self.advance();
                if word == "t" { Guard::TRUE } else { Guard::FALSE }
            }
            Token::Number(atom) => {
                if atom as usize >= self.atoms.len() {
                    return self.error("hoa-atom", format!("there is no atom {atom}"));
                }
                self.advance();
                self.guards.variable(Variable::from_index(atom as usize))
            }
            Token::Alias(name) => match self.aliases.get(&name) {
                Some(guard) => {
                    let guard = *guard;
                    self.advance();
                    guard
                }
                None => return self.error("hoa-alias", format!("`@{name}` is not defined before its use")),
            },
            _ => return self.error("hoa-syntax", "expected a label"),
        };
        self.depth -= 1;
        Ok(guard)
    }

    fn bracketed_label(&mut self) -> Result<Option<Guard>, Diagnostic> {
        if !self.take_sign('[') {
            return Ok(None);
        }
        let guard = self.label()?;
        self.expect_sign(']')?;
        Ok(Some(guard))
    }

    fn acceptance_sets(&mut self) -> Result<Vec<u32>, Diagnostic> {
        let mut sets = Vec::new();
        if self.take_sign('{') {
            while !self.take_sign('}') {
                let count = self.acceptance.as_ref().map_or(0, |(count, _)| *count);
                if matches!(self.peek(), Token::Number(set) if *set >= count) {
                    return self.error("hoa-set", format!("there are only {count} acceptance sets"));
                }
                sets.push(self.number("an acceptance set")?);
            }
        }
        Ok(sets)
    }

    fn body(&mut self) -> Result<(), Diagnostic> {
        loop {
            match self.advance() {
                Token::Marker("--END--") => return Ok(()),
                Token::Header(item) if item == "State" => self.state()?,
                Token::End => return self.error("hoa-body", "the body has no end: `--END--` is missing"),
                _ => {
                    self.at -= 1;
                    return self.error("hoa-syntax", "expected `State:` or `--END--`");
                }
            }
        }
    }

    fn state(&mut self) -> Result<(), Diagnostic> {
        let state_label = self.bracketed_label()?;
        let id_span = self.span();
        let id = self.number("a state")?;
        if matches!(self.peek(), Token::Text(_)) {
            self.advance();
        }
        let state_sets = self.acceptance_sets()?;
        let mut state = State::default();
        let mut implicit = 0usize;
        while matches!(self.peek(), Token::Number(_) | Token::Sign('[')) {
            let label = match (self.bracketed_label()?, state_label) {
                (Some(_), Some(_)) => {
                    return self.error("hoa-label", "both the state and its edge have a label");
                }
                (Some(label), None) | (None, Some(label)) => label,
                // Without labels, edge `i` is for the letter whose bits are those of `i`.
                (None, None) => {
                    if self.atoms.len() > 20 || implicit >> self.atoms.len() != 0 {
                        return self.error("hoa-label", "more edges than letters");
                    }
                    let cube: Vec<Literal> = (0..self.atoms.len())
                        .map(|v| Literal { variable: Variable::from_index(v), value: implicit >> v & 1 == 1 })
                        .collect();
                    implicit += 1;
                    self.guards.cube(&cube)
                }
            };
            let span = self.span();
            let to = self.number("a state")?;
            if *self.peek() == Token::Sign('&') {
                return self.error("hoa-branching", "universal branching is not supported");
            }
            let mut sets = self.acceptance_sets()?;
            sets.extend(&state_sets);
            state.edges.push((label, to, sets, span));
        }
        if self.states.insert(id, state).is_some() {
            return Err(Diagnostic::error("hoa-state", id_span, format!("state {id} is defined twice")));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Automaton, Diagnostic> {
        let (_, required) = self.acceptance.take().expect("checked at the end of the header");
        let mut automaton = Automaton::empty(self.atoms);
        let Some(mut required) = required else { return Ok(automaton) };
        required.sort_unstable();
        required.dedup();
        if required.len() > Marks::MOST as usize {
            let message = format!("more than {} acceptance sets", Marks::MOST);
            return Err(Diagnostic::error("hoa-acceptance", self.tokens[0].1, message));
        }
        automaton.marks = u32::try_from(required.len()).expect("at most 64");
        automaton.guards = self.guards;
        let numbers: BTreeMap<u32, Location> = self
            .states
            .keys()
            .enumerate()
            .map(|(index, id)| (*id, Location::from_index(index + 1)))
            .collect();
        // Location 0 is a start of our own, so that several starts are one.
        automaton.edges = IndexVec::filled(Vec::new(), numbers.len() + 1);
        let undefined =
            |id: u32, span: Span| Diagnostic::error("hoa-state", span, format!("state {id} is not defined"));
        for (id, state) in &self.states {
            for (guard, to, sets, span) in &state.edges {
                let to = *numbers.get(to).ok_or_else(|| undefined(*to, *span))?;
                let marks = required
                    .iter()
                    .enumerate()
                    .filter(|(_, set)| sets.contains(set))
                    .fold(Marks::NONE, |marks, (mark, _)| marks.union(Marks::only(mark as u32)));
                if *guard != Guard::FALSE {
                    automaton.edges[numbers[id]].push(Edge { to, marks, guard: *guard });
                }
            }
        }
        let mut starts = Vec::new();
        for (id, span) in &self.starts {
            starts.push(*numbers.get(id).ok_or_else(|| undefined(*id, *span))?);
        }
        automaton.initial = match starts[..] {
            [only] => only,
            _ => {
                let own = Location::from_index(0);
                let edges = starts.iter().flat_map(|start| automaton.edges[*start].clone()).collect();
                automaton.edges[own] = edges;
                own
            }
        };
        automaton.merge_parallel_edges();
        Ok(automaton.reachable())
    }
}
