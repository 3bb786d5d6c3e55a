//! What a drawing is, and how to make one: [`cfg()`], [`callgraph`], [`points_to`] of programs,
//! [`structure`], [`automaton`] and [`counterexample`] of finite models, [`sequence`] of runs.
//!
//! Reading order: this file → `cfg`, `callgraph`, `pointers`, `structure`, `automaton`, `counterexample` →
//! `layout` → `dot`, `svg`, `laid_out` (as plain data); `sequence` has a layout of its own.

mod automaton;
mod callgraph;
mod cfg;
mod compact;
mod counterexample;
mod dot;
mod fold;
mod laid_out;
mod layout;
mod pointers;
mod sequence;
mod structure;
mod svg;

pub use automaton::automaton;
pub use callgraph::callgraph;
pub use cfg::cfg;
pub use counterexample::{WaitingThread, counterexample, waiting_threads, waits};
pub use fold::{Part, fold};
pub use laid_out::{LaidArrow, LaidBox, LaidOut, Row};
pub use pointers::points_to;
pub use sequence::sequence;
pub use structure::{part_of_structure, structure};

use base::Span;
use program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Boxes with text and arrows between them.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Stands above it.
    pub title: String,
    /// Which way arrows go.
    pub direction: Direction,
    /// The boxes; arrows name them by position.
    pub boxes: Vec<TextBox>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
    /// The boxes by what a run calls them: the numbers of steps, the names of states.
    pub keys: BTreeMap<String, usize>,
}

/// Which way arrows go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From top to bottom.
    #[default]
    Down,
    /// To the right.
    Right,
}

/// A box with lines of text.
#[derive(Clone, Debug, Default)]
pub struct TextBox {
    /// Its lines, in order.
    pub lines: Vec<Line>,
    /// What it is, for its colours.
    pub style: BoxStyle,
}

/// A line of a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Shown small before the text: a source line.
    pub number: Option<u32>,
    /// The text.
    pub text: String,
    /// What it is, for its colours.
    pub style: LineStyle,
}

/// Kinds of line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineStyle {
    /// Plain text.
    #[default]
    Plain,
    /// A name above the rest.
    Heading,
    /// Of less interest.
    Faint,
    /// Reports an error, or has no meaning.
    Alarm,
}

/// Kinds of box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoxStyle {
    /// A plain box.
    #[default]
    Plain,
    /// Where it starts.
    Entry,
    /// Where it ends.
    Exit,
    /// Where a loop starts its rounds.
    LoopHead,
    /// Reports an error.
    Error,
    /// Not part of the program.
    Missing,
    /// Of less interest.
    Faint,
    /// Runs come here.
    Reached,
    /// No run comes here.
    Unreached,
}

/// An arrow between two boxes.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// From this box.
    pub from: usize,
    /// To this box.
    pub to: usize,
    /// Stands beside it; may be empty.
    pub label: String,
    /// What it is, for its colours.
    pub style: ArrowStyle,
}

/// Kinds of arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArrowStyle {
    /// A plain arrow.
    #[default]
    Plain,
    /// The condition holds.
    Then,
    /// The condition does not hold.
    Otherwise,
    /// Back to the head of a loop.
    Back,
    /// Only possible, as through a pointer.
    Possible,
}

impl Drawing {
    /// As text for graphviz.
    pub fn to_dot(&self) -> String {
        dot::to_dot(self)
    }

    /// Laid out, as plain data for who draws it: a page that zooms and highlights.
    pub fn laid_out(&self) -> LaidOut {
        laid_out::of(self)
    }

    /// As a picture, laid out.
    pub fn to_svg(&self) -> String {
        svg::to_svg(self)
    }

    /// Colours the boxes by what is known of their lines: those that runs reach, and those that none does. That a run
    /// reaches a line which several boxes share says nothing of one of them.
    pub fn colour_lines(&mut self, is_reached: impl Fn(u32) -> Option<bool>) {
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for text_box in &self.boxes {
            let lines: BTreeSet<u32> = text_box.lines.iter().filter_map(|line| line.number).collect();
            lines.into_iter().for_each(|line| *shared.entry(line).or_default() += 1);
        }
        for text_box in &mut self.boxes {
            let numbers = text_box.lines.iter().filter_map(|line| line.number);
            let known: Vec<bool> = numbers
                .filter_map(|line| is_reached(line).filter(|reached| !reached || shared[&line] == 1))
                .collect();
            if known.contains(&true) {
                text_box.style = BoxStyle::Reached;
            } else if !known.is_empty() {
                text_box.style = BoxStyle::Unreached;
            }
        }
    }

    /// Says something below each line of which something is known.
    pub fn note_lines(&mut self, note_of: impl Fn(u32) -> Option<String>) {
        for text_box in &mut self.boxes {
            let lines = std::mem::take(&mut text_box.lines);
            for line in lines {
                let note = line.number.and_then(&note_of);
                text_box.lines.push(line);
                text_box.lines.extend(note.map(Line::faint));
            }
        }
    }

    fn add(&mut self, text_box: TextBox) -> usize {
        self.boxes.push(text_box);
        self.boxes.len() - 1
    }

    fn connect(&mut self, from: usize, to: usize, label: impl Into<String>, style: ArrowStyle) {
        self.arrows.push(Arrow { from, to, label: label.into(), style });
    }
}

impl Line {
    fn plain(text: impl Into<String>) -> Line {
        Line { number: None, text: text.into(), style: LineStyle::Plain }
    }

    fn heading(text: impl Into<String>) -> Line {
        Line { number: None, text: text.into(), style: LineStyle::Heading }
    }

    fn faint(text: impl Into<String>) -> Line {
        Line { number: None, text: text.into(), style: LineStyle::Faint }
    }
}

/// Where a span starts, without the folders.
fn place_of(program: &Program, span: Span) -> Option<String> {
    let location = program.sources.location(span)?;
    let name = location.file.rsplit('/').next().unwrap_or(&location.file);
    Some(format!("{name}:{}", location.line))
}

/// Characters in one row of a box; longer text goes on in the next row.
const ROW: usize = 48;
/// Rows shown of one line; the rest is in the tooltip.
const MOST_ROWS: usize = 3;
/// Characters shown of a longer label.
const LONGEST_LABEL: usize = 40;

/// The text, or its beginning.
fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let kept: String = text.chars().take(longest - 1).collect();
    format!("{}…", kept.trim_end())
}

/// The text in rows that fit into a box, broken at spaces where it can be.
fn rows(text: &str) -> Vec<String> {
    const INDENT: &str = "    ";
    let mut rows = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while !rest.is_empty() {
        let indent = if rows.is_empty() { "" } else { INDENT };
        let room = ROW - indent.len();
        let is_last = rows.len() + 1 == MOST_ROWS;
        if rest.len() <= room || is_last {
            let all: String = rest.iter().collect();
            rows.push(format!("{indent}{}", shortened(&all, room)));
            break;
        }
        let behind = |breaks: &[char]| (room / 2..room).rev().find(|&at| breaks.contains(&rest[at]));
        let end = behind(&[' ']).or_else(|| behind(&[',', '(', '.', '>'])).map_or(room, |at| at + 1);
        let row: String = rest.drain(..end).collect();
        rows.push(format!("{indent}{}", row.trim_end()));
    }
    if rows.is_empty() {
        rows.push(String::new());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_boxes_say_nothing_of_one() {
        let mut drawing = Drawing::default();
        for numbers in [&[1, 2][..], &[2], &[3], &[4]] {
            let lines = numbers.iter().map(|&line| Line { number: Some(line), ..Line::plain("x") }).collect();
            drawing.add(TextBox { lines, style: BoxStyle::Plain });
        }
        drawing.colour_lines(|line| [None, Some(true), Some(true), Some(false), None][line as usize]);
        let styles: Vec<BoxStyle> = drawing.boxes.iter().map(|one| one.style).collect();
        assert_eq!(styles, [BoxStyle::Reached, BoxStyle::Plain, BoxStyle::Unreached, BoxStyle::Plain]);
    }

    #[test]
    fn long_text_is_broken_at_spaces_and_cut_at_last() {
        let text = "result = compute(first_argument, second_argument, third_argument);";
        assert_eq!(rows(text), ["result = compute(first_argument,", "    second_argument, third_argument);"]);
        let endless = "x".repeat(500);
        let shown = rows(&endless);
        assert_eq!(shown.len(), MOST_ROWS);
        assert!(shown.iter().all(|row| row.chars().count() <= ROW) && shown[2].ends_with('…'));
        assert_eq!(rows(""), [""]);
    }
}
