//! Structures written as tables, one transition per line:
//!
//! ```text
//! lts NAME            # a comment
//! alphabet a b tau
//! props p q
//! init s0
//! label s0 p q        # `?`: not known; read as none, and told
//! s0 a s1
//! ```

use crate::cexpr::CExpression;
use crate::syntax::Name;
use base::{Diagnostic, Span};
use lks::{Lks, LksBuilder, StateId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Is the text a table? Its first line that is not a comment says `lts NAME`.
pub fn is_table(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    lines.find(|line| !line.is_empty()).is_some_and(|line| {
        let mut words = line.split_whitespace();
        words.next() == Some("lts") && words.clone().count() == 1
    })
}

struct Table<'a> {
    builder: LksBuilder,
    states: FxHashMap<&'a str, StateId>,
}

impl<'a> Table<'a> {
    fn state(&mut self, name: &'a str) -> StateId {
        *self.states.entry(name).or_insert_with(|| {
            let state = self.builder.state();
            self.builder.name_state(state, name);
            state
        })
    }
}

/// Reads a table. `base` is the position of the text's first byte, for the places in messages.
pub fn read(text: &str, base: u32) -> Result<(Name, Arc<Lks>), Diagnostic> {
    let mut table = Table { builder: LksBuilder::new(""), states: FxHashMap::default() };
    let mut name = Name::new("", Span::new(base, base));
    let mut has_initial = false;
    let mut offset = base;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len() as u32;
        let content = line.split('#').next().unwrap_or("").trim_end();
        let span = Span::new(start, start + content.len() as u32);
        let words: Vec<&str> = content.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["lts", given] => name = Name::new(given, span),
            ["alphabet", ref actions @ ..] => actions.iter().for_each(|action| {
                table.builder.action(action);
            }),
            ["props", ref propositions @ ..] => propositions.iter().for_each(|proposition| {
                table.builder.proposition(&CExpression::proposition_name(proposition));
            }),
            ["init", ref states @ ..] => {
                for state in states {
                    let state = table.state(state);
                    table.builder.initial(state);
                    has_initial = true;
                }
            }
            ["label", state, ref propositions @ ..] => {
                let state = table.state(state);
                for proposition in propositions.iter().filter(|text| **text != "?") {
                    let proposition = table.builder.proposition(&CExpression::proposition_name(proposition));
                    table.builder.label(state, proposition);
                }
            }
            [from, action, to] => {
                let (from, to) = (table.state(from), table.state(to));
                let action = table.builder.action(action);
                table.builder.transition(from, action, to);
            }
            _ => {
                let message = "this is not a line of a table";
                return Err(Diagnostic::error("table", span, message).hint(
                    "write `SOURCE ACTION TARGET`, or `alphabet`, `props`, `init` or `label` and names",
                ));
            }
        }
    }
    if !has_initial {
        return Err(
            Diagnostic::error("table", name.span, "the table says no initial state").hint("add `init STATE`")
        );
    }
    let lks = table.builder.build().named(&name.text);
    Ok((name, Arc::new(lks)))
}
