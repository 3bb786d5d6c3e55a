//! Writes one automaton.

use crate::automaton::{Automaton, Marks};
use crate::guard::Guard;
use base::Id;
use std::fmt::Write;

/// The automaton as text. `name` is free, often the formula.
pub fn write(automaton: &Automaton, name: &str) -> String {
    let mut guards = automaton.guards.clone();
    let mut text = String::from("HOA: v1\n");
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let state_based = automaton.is_state_based();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!("name: {}", quoted(name)));
    line("tool: \"concord\"".to_owned());
    line(format!("States: {}", automaton.state_count()));
    line(format!("Start: {}", automaton.initial.index()));
    let atoms: String = automaton.atoms.iter().map(|atom| format!(" {}", quoted(atom))).collect();
    line(format!("AP: {}{atoms}", automaton.atoms.len()));
    match automaton.marks {
        0 => line("acc-name: all".to_owned()),
        1 => line("acc-name: Buchi".to_owned()),
        marks => line(format!("acc-name: generalized-Buchi {marks}")),
    }
    let condition: Vec<String> = (0..automaton.marks).map(|mark| format!("Inf({mark})")).collect();
    let condition = if condition.is_empty() { "t".to_owned() } else { condition.join("&") };
    line(format!("Acceptance: {} {condition}", automaton.marks));
    let kind = if state_based { "state-acc" } else { "trans-acc" };
    line(format!("properties: trans-labels explicit-labels {kind}"));
    line("--BODY--".to_owned());
    for (state, edges) in automaton.edges.iter_enumerated() {
        let own = edges.first().map_or(Marks::NONE, |edge| edge.marks);
        line(format!("State: {}{}", state.index(), sets(if state_based { own } else { Marks::NONE })));
        for edge in edges {
            let label = label(&mut guards, edge.guard);
            let marks = if state_based { Marks::NONE } else { edge.marks };
            line(format!("[{label}] {}{}", edge.to.index(), sets(marks)));
        }
    }
    line("--END--".to_owned());
    text
}

fn sets(marks: Marks) -> String {
    if marks == Marks::NONE {
        return String::new();
    }
    let list: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    format!(" {{{}}}", list.join(" "))
}

fn label(guards: &mut crate::guard::Guards, guard: Guard) -> String {
    if guard.is_constant() {
        return if guard == Guard::TRUE { "t" } else { "f" }.to_owned();
    }
    let mut text = String::new();
    for (index, cube) in guards.cubes(guard).iter().enumerate() {
        let literals: Vec<String> = cube
            .iter()
            .map(|literal| format!("{}{}", if literal.value { "" } else { "!" }, literal.variable.index()))
            .collect();
        let separator = if index == 0 { "" } else { " | " };
        write!(text, "{separator}{}", literals.join("&")).expect("writing to a string");
    }
    text
}
