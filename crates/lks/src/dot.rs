//! A structure as Graphviz text.

use crate::{Lks, StateMark, Successors};
use base::Id;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The structure as a `digraph`; transitions between the same two states share one arrow.
pub fn write(lks: &Lks) -> String {
    let mut text = format!("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=circle];\n", escape(lks.name()));
    for state in lks.states() {
        let mut label = lks.describe(&state);
        let holding: Vec<&str> = lks.label(state).iter().map(|id| lks.propositions().name(id)).collect();
        if !holding.is_empty() {
            write!(label, "\n{{{}}}", holding.join(", ")).expect("writing to a string");
        }
        let style = match lks.mark(state) {
            StateMark::Plain => "",
            StateMark::End => ", shape=doublecircle",
            StateMark::Error => ", shape=octagon, color=red",
        };
        writeln!(text, "  s{} [label=\"{}\"{style}];", state.index(), escape(&label))
            .expect("writing to a string");
    }
    for (index, state) in lks.initial().iter().enumerate() {
        writeln!(text, "  start{index} [shape=point];\n  start{index} -> s{};", state.index())
            .expect("writing to a string");
    }
    for state in lks.states() {
        let mut arrows: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for (action, target) in lks.transitions(state) {
            arrows.entry(target).or_default().push(lks.alphabet().name(action));
        }
        for (target, names) in arrows {
            let label = escape(&names.join("\n"));
            writeln!(text, "  s{} -> s{} [label=\"{label}\"];", state.index(), target.index())
                .expect("writing to a string");
        }
    }
    text.push_str("}\n");
    text
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
