//! Büchi automata as drawings: a box per state, an arrow per edge with its letters and marks.

use super::{ArrowStyle, BoxStyle, Drawing, Line, TextBox};
use automata::{Automaton, Guard, Guards, Marks};
use base::Id;

/// Draws an automaton; `title` stands above it, often the formula.
pub fn automaton(automaton: &Automaton, title: &str) -> Drawing {
    let mut drawing = Drawing { title: title.to_owned(), ..Drawing::default() };
    let mut guards = automaton.guards.clone();
    let is_state_based = automaton.is_state_based();
    for (location, edges) in automaton.edges.iter_enumerated() {
        let mut lines = vec![Line::heading(location.index().to_string())];
        let own = edges.first().map_or(Marks::NONE, |edge| edge.marks);
        if is_state_based && own != Marks::NONE {
            lines.push(Line::plain(marks(own)));
        }
        let style = if location == automaton.initial { BoxStyle::Entry } else { BoxStyle::Plain };
        drawing.add(TextBox { lines, style });
    }
    for (from, edge) in automaton.all_edges() {
        let mut label = letters(&mut guards, edge.guard, &automaton.atoms);
        let is_marked = edge.marks != Marks::NONE && !is_state_based;
        if is_marked {
            label = format!("{} {label}", marks(edge.marks));
        }
        let style = if edge.marks == Marks::NONE { ArrowStyle::Plain } else { ArrowStyle::Then };
        drawing.connect(from.index(), edge.to.index(), label, style);
    }
    drawing
}

/// What must come again and again.
fn marks(marks: Marks) -> String {
    let list: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    format!("accepting {{{}}}", list.join(", "))
}

fn letters(guards: &mut Guards, guard: Guard, atoms: &[String]) -> String {
    if guard.is_constant() {
        return if guard == Guard::TRUE { "always" } else { "never" }.to_owned();
    }
    let cubes: Vec<String> = guards
        .cubes(guard)
        .iter()
        .map(|cube| {
            let literals = cube.iter().map(|literal| {
                format!("{}{}", if literal.value { "" } else { "!" }, atoms[literal.variable.index()])
            });
            literals.collect::<Vec<_>>().join(" & ")
        })
        .collect();
    cubes.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use automata::{Acceptance, translate};
    use base::Budget;

    #[test]
    fn what_must_come_again_and_again_is_marked() {
        let read = testkit::suite_text::read("G F a").expect("a formula");
        let made = translate(&read.formula, &read.atoms, Acceptance::Generalised, &Budget::unlimited());
        let drawing = automaton(&made.expect("small"), "G F a");
        assert_eq!(drawing.boxes.len(), 1);
        let mut labels: Vec<&str> = drawing.arrows.iter().map(|arrow| arrow.label.as_str()).collect();
        labels.sort_unstable();
        assert_eq!(labels, ["!a", "accepting {0} a"]);
        assert!(drawing.to_dot().contains("accepting {0} a"));
    }
}
