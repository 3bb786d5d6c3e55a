//! The texts of a page, with their lines coloured, and places in them.

use super::colour::coloured;
use super::{At, Note, Source};
use base::source::Location;
use std::collections::HashMap;

/// What a text is written in, for its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Models and specifications.
    Model,
    /// Boolean programs and the like.
    Boolean,
}

/// The texts of a page, by their names.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
    by_name: HashMap<String, usize>,
}

impl Sources {
    /// Adds a text, unless it is there. Gives its position.
    pub fn add(&mut self, name: &str, text: &str, language: Language) -> usize {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let at = self.list.len();
        let lines = coloured(text, language);
        self.list.push(Source { name: name.to_owned(), lines, ..Source::default() });
        self.by_name.insert(name.to_owned(), at);
        at
    }

    /// Is there a text of that name?
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// A line as it is written.
    pub fn text(&self, at: At) -> String {
        let line = (at.line as usize).checked_sub(1).and_then(|line| self.list.get(at.file)?.lines.get(line));
        line.map_or_else(String::new, |pieces| pieces.iter().map(|piece| piece.0.as_str()).collect())
    }

    /// A place as the page names it, if its text is in the page and long enough.
    pub fn at(&self, location: Option<Location>) -> Option<At> {
        let location = location?;
        let file = *self.by_name.get(&*location.file)?;
        let is_there = location.line >= 1 && location.line as usize <= self.list[file].lines.len();
        is_there.then_some(At { file, line: location.line })
    }

    /// The place that a step names in its words: `line 7: …` of the first text, or `name.c:7` of the one of that name.
    pub fn mentioned(&self, words: &str) -> Option<At> {
        let number = |text: &str| -> Option<u32> {
            text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
        };
        let at = match words.strip_prefix("line ") {
            Some(rest) => At { file: 0, line: number(rest)? },
            None => {
                let found = self.list.iter().enumerate().filter_map(|(file, source)| {
                    let name = format!("{}:", source.name.rsplit('/').next().unwrap_or(&source.name));
                    let at = words.find(&name)?;
                    Some((at, At { file, line: number(&words[at + name.len()..])? }))
                });
                found.min_by_key(|(at, _)| *at)?.1
            }
        };
        (at.line >= 1 && at.line as usize <= self.list.get(at.file)?.lines.len()).then_some(at)
    }

    /// Says something about a line; once.
    pub fn note(&mut self, at: At, kind: &'static str, text: String) {
        let notes = self.list[at.file].notes.entry(at.line).or_default();
        let note = Note { kind, text };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Notes whether runs reach a line.
    pub fn reached(&mut self, at: At, how: &'static str) {
        self.list[at.file].reached.insert(at.line, how);
    }

    /// All texts, in the order in which they were added.
    pub fn into_list(self) -> Vec<Source> {
        self.list
    }
}
