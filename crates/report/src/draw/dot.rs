//! A drawing as DOT text.

use super::{ArrowStyle, BoxStyle, Direction, Drawing, LONGEST_LABEL, rows, shortened};
use std::fmt::Write;

pub(super) fn to_dot(drawing: &Drawing) -> String {
    let mut out = String::new();
    let direction = match drawing.direction {
        Direction::Down => "TB",
        Direction::Right => "LR",
    };
    let _ = writeln!(
        out,
        "digraph {{\n  label=\"{}\"; labelloc=t; labeljust=l; rankdir={direction};\n  \
         node [shape=box, style=filled, fillcolor=white, fontname=monospace, fontsize=11];\n  \
         edge [fontname=monospace, fontsize=10];",
        escape(&drawing.title)
    );
    for (index, text_box) in drawing.boxes.iter().enumerate() {
        let mut label = String::new();
        for line in &text_box.lines {
            if let Some(number) = line.number {
                let _ = write!(label, "{number}: ");
            }
            for row in rows(&line.text) {
                label.push_str(&escape(&row));
                label.push_str("\\l");
            }
        }
        let look = match text_box.style {
            BoxStyle::Plain => "",
            BoxStyle::Entry => ", fillcolor=\"#e6f4ea\", color=\"#1a7f37\"",
            BoxStyle::Exit => ", fillcolor=\"#f0f1f3\"",
            BoxStyle::LoopHead => ", fillcolor=\"#e3eefb\", color=\"#0969da\"",
            BoxStyle::Error => ", fillcolor=\"#fde7e5\", color=\"#b3261e\", penwidth=2",
            BoxStyle::Missing => ", fillcolor=\"#fff4e5\", color=\"#b35900\", style=\"filled,dashed\"",
            BoxStyle::Reached => ", fillcolor=\"#dff3e4\", color=\"#1a7f37\"",
            BoxStyle::Unreached => ", fillcolor=\"#fbe3e1\", color=\"#b3261e\", style=\"filled,dashed\"",
            BoxStyle::Faint => ", fillcolor=\"#fafbfc\", color=\"#afb8c1\"",
        };
        let _ = writeln!(out, "  b{index} [label=\"{label}\"{look}];");
    }
    for arrow in &drawing.arrows {
        let look = match arrow.style {
            ArrowStyle::Plain => "",
            ArrowStyle::Then => ", color=\"#1a7f37\"",
            ArrowStyle::Otherwise => ", color=\"#b3261e\"",
            ArrowStyle::Back => ", color=\"#0969da\", penwidth=1.6",
            ArrowStyle::Possible => ", style=dashed",
        };
        let label = escape(&shortened(&arrow.label, LONGEST_LABEL));
        let _ = writeln!(out, "  b{} -> b{} [label=\"{label}\"{look}];", arrow.from, arrow.to);
    }
    out.push_str("}\n");
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            _ if character.is_control() => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}
