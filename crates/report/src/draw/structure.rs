//! Labelled Kripke structures as drawings: a box per state, an arrow per pair of states.

use super::{ArrowStyle, BoxStyle, Drawing, LONGEST_LABEL, Line, LineStyle, TextBox};
use lks::{Lks, StateId, StateMark, Successors};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Between two states there are at most so many arrows; what does not fit on them is counted on the last.
const MOST_ARROWS: usize = 4;

/// Draws a structure.
pub fn structure(lks: &Lks) -> Drawing {
    let mut drawing = Drawing {
        title: format!(
            "{}: {} states, {} transitions",
            lks.name(),
            lks.state_count(),
            lks.transition_count()
        ),
        ..Drawing::default()
    };
    let boxes: BTreeMap<StateId, usize> =
        lks.states().map(|state| (state, add(&mut drawing, lks, state))).collect();
    lks.states().for_each(|state| connect(&mut drawing, lks, state, &boxes));
    drawing
}

/// Draws so many states of a structure that is too large: those of a run, by what they are called, and what is around
/// its beginning. What is left out is counted beside the state that leads there.
pub fn part_of_structure(lks: &Lks, of_run: &BTreeSet<String>, most: usize) -> Drawing {
    let mut kept: BTreeSet<StateId> = BTreeSet::new();
    let is_met = |state: &StateId| of_run.contains(&lks.describe(state));
    kept.extend(lks.states().filter(is_met).take(most * 3 / 4));
    kept.extend(lks.initial());
    let mut waiting: VecDeque<StateId> = lks.initial().iter().chain(&kept).copied().collect();
    while let Some(state) = waiting.pop_front() {
        for (_, to) in lks.transitions(state) {
            if kept.len() < most && kept.insert(to) {
                waiting.push_back(to);
            }
        }
    }
    let mut drawing = Drawing {
        title: format!("{}: {} of {} states", lks.name(), kept.len(), lks.state_count()),
        ..Drawing::default()
    };
    let boxes: BTreeMap<StateId, usize> =
        kept.iter().map(|&state| (state, add(&mut drawing, lks, state))).collect();
    for &state in &kept {
        connect(&mut drawing, lks, state, &boxes);
        let others: BTreeSet<StateId> =
            lks.transitions(state).map(|(_, to)| to).filter(|to| !kept.contains(to)).collect();
        if !others.is_empty() {
            let text = if others.len() == 1 {
                "… 1 more state".to_owned()
            } else {
                format!("… {} more states", others.len())
            };
            let at = drawing.add(TextBox { lines: vec![Line::faint(text)], style: BoxStyle::Faint });
            drawing.connect(boxes[&state], at, "", ArrowStyle::Possible);
        }
    }
    drawing
}

/// The box of a state.
fn add(drawing: &mut Drawing, lks: &Lks, state: StateId) -> usize {
    let (style, line_style) = match lks.mark(state) {
        StateMark::Error => (BoxStyle::Error, LineStyle::Alarm),
        StateMark::End => (BoxStyle::Exit, LineStyle::Heading),
        StateMark::Plain if lks.initial().contains(&state) => (BoxStyle::Entry, LineStyle::Heading),
        StateMark::Plain => (BoxStyle::Plain, LineStyle::Heading),
    };
    let mut lines = vec![Line { number: None, text: lks.describe(&state), style: line_style }];
    if lks.mark(state) == StateMark::End {
        lines.push(Line::faint("has terminated"));
    }
    let holding: Vec<&str> = lks.label(state).iter().map(|id| lks.propositions().name(id)).collect();
    if !holding.is_empty() {
        lines.push(Line::plain(format!("{{{}}}", holding.join(", "))));
    }
    let at = drawing.add(TextBox { lines, style });
    drawing.keys.insert(lks.describe(&state), at);
    at
}

/// The arrows from a state to others that are drawn.
fn connect(drawing: &mut Drawing, lks: &Lks, state: StateId, boxes: &BTreeMap<StateId, usize>) {
    let mut between: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (action, to) in lks.transitions(state) {
        let names = between.entry((to, action.is_silent())).or_default();
        names.push(lks.alphabet().name(action));
    }
    for ((to, is_silent), names) in between {
        let Some(&to) = boxes.get(&to) else { continue };
        let style = if is_silent { ArrowStyle::Possible } else { ArrowStyle::Plain };
        for label in labels(&names) {
            drawing.connect(boxes[&state], to, label, style);
        }
    }
}

/// The names on as few arrows as show them in full; too many are counted.
fn labels(names: &[&str]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for name in names {
        let is_full = labels.len() == MOST_ARROWS;
        match labels.last_mut() {
            Some(last) if last.chars().count() + 2 + name.chars().count() <= LONGEST_LABEL => {
                last.push_str(", ");
                last.push_str(name);
            }
            _ if is_full => {
                let full = &labels[..MOST_ARROWS - 1];
                let shown: usize = full.iter().map(|label| label.split(", ").count()).sum();
                labels[MOST_ARROWS - 1] = format!("… and {} more actions", names.len() - shown);
                break;
            }
            _ => labels.push((*name).to_owned()),
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use lks::LksBuilder;

    fn lamp() -> Lks {
        let mut builder = LksBuilder::new("LAMP");
        let [off, on, broken, gone] = [(); 4].map(|()| builder.state());
        builder.initial(off);
        builder.name_state(off, "OFF");
        builder.name_state(on, "ON");
        builder.mark(broken, StateMark::Error);
        builder.mark(gone, StateMark::End);
        let lit = builder.proposition("lit");
        builder.label(on, lit);
        for name in ["press", "pull", "turn"] {
            let action = builder.action(name);
            builder.transition(off, action, on);
        }
        let (kick, tau) = (builder.action("kick"), builder.action("tau"));
        builder.transition(on, kick, broken);
        builder.transition(on, tau, gone);
        builder.build()
    }

    #[test]
    fn states_say_what_holds_and_how_they_end() {
        let drawing = structure(&lamp());
        assert_eq!(drawing.title, "LAMP: 4 states, 5 transitions");
        let styles: Vec<BoxStyle> = drawing.boxes.iter().map(|text_box| text_box.style).collect();
        assert_eq!(styles, [BoxStyle::Entry, BoxStyle::Plain, BoxStyle::Error, BoxStyle::Exit]);
        assert_eq!(drawing.boxes[1].lines[1].text, "{lit}");
        let arrows: Vec<(usize, usize, &str)> =
            drawing.arrows.iter().map(|arrow| (arrow.from, arrow.to, arrow.label.as_str())).collect();
        assert_eq!(arrows, [(0, 1, "press, pull, turn"), (1, 2, "kick"), (1, 3, "tau")]);
        assert_eq!(drawing.arrows[2].style, ArrowStyle::Possible);
        let svg = drawing.to_svg();
        assert!(svg.starts_with("<svg") && svg.contains("press, pull, turn") && svg.contains("{lit}"));
    }

    #[test]
    fn many_actions_share_few_arrows() {
        let names: Vec<String> = (0..100).map(|index| format!("action.{index:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let labels = labels(&names);
        assert_eq!(labels.len(), MOST_ARROWS);
        assert_eq!(labels[0], "action.000, action.001, action.002");
        assert_eq!(labels[MOST_ARROWS - 1], "… and 91 more actions");
    }
}
