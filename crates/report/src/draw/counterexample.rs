//! Counterexamples as drawings: runs as chains with what moved, lassos with their way back, strategies as
//! trees.

use super::{ArrowStyle, BoxStyle, Drawing, Line, LineStyle, TextBox};
use base::Id;
use question::Counterexample;
use verdict::{Deadlock, Path, Refusal, StateView, Step, Tree};

/// Draws a counterexample; `title` stands above it, often the property.
pub fn counterexample(shown: &Counterexample, title: &str) -> Drawing {
    let mut drawing = Drawing { title: title.to_owned(), ..Drawing::default() };
    match shown {
        Counterexample::Path(path) => {
            run(&mut drawing, path);
            mark_last(&mut drawing, &path.ends_because);
        }
        Counterexample::MaximalPath(path) => {
            run(&mut drawing, path);
            mark_last(&mut drawing, &path.ends_because);
            alarm(&mut drawing, "the run cannot go on");
        }
        Counterexample::Lasso(lasso) => {
            let entry = run(&mut drawing, &lasso.stem);
            let mut before = last_state(&lasso.stem);
            let mut at = entry;
            for (index, step) in lasso.cycle.iter().enumerate() {
                let is_last = index + 1 == lasso.cycle.len();
                let next = if is_last {
                    entry
                } else {
                    add_state(&mut drawing, &lasso.stem.lane_names, before, step)
                };
                let style = if is_last { ArrowStyle::Back } else { ArrowStyle::Plain };
                drawing.connect(at, next, action(&step.action, step.silent), style);
                (at, before) = (next, &step.to);
            }
            drawing.boxes[entry].style = BoxStyle::LoopHead;
            if !lasso.stem.ends_because.is_empty() {
                drawing.boxes[entry].lines.push(Line::faint(lasso.stem.ends_because.clone()));
            }
        }
        Counterexample::Deadlock(deadlock) => stuck(&mut drawing, deadlock),
        Counterexample::Tree(tree) => strategy(&mut drawing, tree),
        Counterexample::Run(violation) => {
            // Runs of C programs are drawn in the control-flow graph; here only their end is told.
            alarm(&mut drawing, &violation.what);
        }
    }
    drawing
}

fn action(name: &str, is_silent: bool) -> String {
    if is_silent && name != "tau" { format!("({name})") } else { name.to_owned() }
}

fn last_state(path: &Path) -> &StateView {
    path.steps.last().map_or(&path.start, |step| &step.to)
}

/// A chain of states; gives the last.
fn run(drawing: &mut Drawing, path: &Path) -> usize {
    let mut lines: Vec<Line> = path
        .lane_names
        .iter()
        .zip(&path.start.components)
        .map(|(name, state)| Line::plain(format!("{name}: {state}")))
        .collect();
    lines.extend(path.start.propositions.iter().map(|name| Line::plain(format!("+[{name}]"))));
    if lines.is_empty() {
        lines.push(Line::heading("start"));
    }
    let mut at = drawing.add(TextBox { lines, style: BoxStyle::Entry });
    let mut before = &path.start;
    for step in &path.steps {
        let next = add_state(drawing, &path.lane_names, before, step);
        drawing.connect(at, next, action(&step.action, step.silent), ArrowStyle::Plain);
        (at, before) = (next, &step.to);
    }
    at
}

/// The state after a step: the components that moved, and the propositions that changed.
fn add_state(drawing: &mut Drawing, lanes: &[String], before: &StateView, step: &Step) -> usize {
    let mut lines = Vec::new();
    for lane in &step.lanes {
        let place = lane.0 as usize;
        if let (Some(name), Some(state)) = (lanes.get(place), step.to.components.get(place)) {
            lines.push(Line::plain(format!("{name}: {state}")));
        }
    }
    let began = step.to.propositions.iter().filter(|name| !before.propositions.contains(name));
    let ceased = before.propositions.iter().filter(|name| !step.to.propositions.contains(name));
    lines.extend(began.map(|name| Line::plain(format!("+[{name}]"))));
    lines.extend(ceased.map(|name| Line::faint(format!("-[{name}]"))));
    if lines.is_empty() {
        lines.push(Line::faint("nothing else changes"));
    }
    drawing.add(TextBox { lines, style: BoxStyle::Plain })
}

fn alarm(drawing: &mut Drawing, text: &str) {
    let last = drawing.boxes.last_mut().expect("a run has a first state");
    last.lines.push(Line { number: None, text: text.to_owned(), style: LineStyle::Alarm });
    last.style = BoxStyle::Error;
}

fn mark_last(drawing: &mut Drawing, because: &str) {
    if because.is_empty() {
        drawing.boxes.last_mut().expect("a run has a first state").style = BoxStyle::Error;
    } else {
        alarm(drawing, because);
    }
}

fn stuck(drawing: &mut Drawing, deadlock: &Deadlock) {
    let last = run(drawing, &deadlock.path);
    let lines = deadlock.refusals.iter().map(|refusal| Line {
        number: None,
        text: waiting(refusal),
        style: if refusal.terminated { LineStyle::Faint } else { LineStyle::Alarm },
    });
    let end = TextBox { lines: lines.collect(), style: BoxStyle::Error };
    if !end.lines.is_empty() {
        let end = drawing.add(end);
        drawing.connect(last, end, "nothing is possible", ArrowStyle::Otherwise);
    }
}

/// Who waits for whom: a box per component, an arrow to each that refuses what it waits for.
pub fn waits(refusals: &[Refusal]) -> Drawing {
    let mut drawing = Drawing { title: "who waits for whom".to_owned(), ..Drawing::default() };
    for refusal in refusals {
        let mut lines =
            vec![Line::heading(&*refusal.component), Line::plain(format!("in {}", refusal.state))];
        let style = if refusal.terminated {
            lines.push(Line::faint("has terminated"));
            BoxStyle::Exit
        } else if refusal.waits_for.is_empty() {
            lines.push(Line::faint("has stopped"));
            BoxStyle::Faint
        } else {
            BoxStyle::Error
        };
        let at = drawing.add(TextBox { lines, style });
        drawing.keys.insert(refusal.component.clone(), at);
    }
    for (from, waiter) in refusals.iter().enumerate() {
        for (to, other) in refusals.iter().enumerate().filter(|&(to, _)| to != from) {
            let refused: Vec<&str> = { waiter.waits_for.iter() }
                .filter(|action| other.refuses.contains(action))
                .map(String::as_str)
                .collect();
            if !refused.is_empty() {
                drawing.connect(from, to, refused.join(", "), ArrowStyle::Otherwise);
            }
        }
    }
    drawing
}

/// A thread that waits, for [`waiting_threads`].
#[derive(Clone, Debug)]
pub struct WaitingThread {
    /// Its number.
    pub number: usize,
    /// For what, in words.
    pub waits_for: String,
    /// In which line.
    pub line: Option<u32>,
    /// The threads that would have to do something first, by number.
    pub held_by: Vec<usize>,
}

/// Who waits for whom among threads: a box per thread, an arrow to each that would have to do something first.
pub fn waiting_threads(all: &[WaitingThread], name: &dyn Fn(usize) -> String) -> Drawing {
    let mut drawing = Drawing { title: "who waits for whom".to_owned(), ..Drawing::default() };
    let mut boxes = std::collections::BTreeMap::new();
    for one in all {
        let text = format!("waits for {}", one.waits_for.replace('`', ""));
        let line = Line { number: one.line, ..Line::plain(text) };
        let lines = vec![Line::heading(name(one.number)), line];
        boxes.insert(one.number, drawing.add(TextBox { lines, style: BoxStyle::Error }));
    }
    for other in all.iter().flat_map(|one| &one.held_by) {
        if !boxes.contains_key(other) {
            let lines = vec![Line::heading(name(*other)), Line::faint("does not wait")];
            boxes.insert(*other, drawing.add(TextBox { lines, style: BoxStyle::Plain }));
        }
    }
    for one in all {
        for other in &one.held_by {
            drawing.connect(boxes[&one.number], boxes[other], "", ArrowStyle::Otherwise);
        }
    }
    drawing
}

fn waiting(refusal: &Refusal) -> String {
    let doing = if refusal.terminated {
        "has terminated".to_owned()
    } else if refusal.waits_for.is_empty() {
        "has stopped".to_owned()
    } else {
        format!("waits for {}", refusal.waits_for.join(", "))
    };
    format!("{} in {} {doing}", refusal.component, refusal.state)
}

/// Boxes are positions of the game, arrows the implementation's challenges; a shared strategy is drawn once.
fn strategy(drawing: &mut Drawing, tree: &Tree) {
    for (id, node) in tree.nodes.iter_enumerated() {
        let mut lines = vec![
            Line::heading(format!("implementation {}", place(&node.implementation))),
            Line::plain(format!("specification {}", place(&node.specification))),
        ];
        let mut style = if tree.roots.contains(&id) { BoxStyle::Entry } else { BoxStyle::Plain };
        let end = match &node.challenge {
            None => Some("different propositions hold".to_owned()),
            Some(challenge) if node.children.is_empty() => {
                let does = action(&challenge.action, challenge.silent);
                Some(format!("the implementation does {does}: no answer"))
            }
            Some(_) => None,
        };
        if let Some(text) = end {
            lines.push(Line { number: None, text, style: LineStyle::Alarm });
            style = BoxStyle::Error;
        }
        drawing.add(TextBox { lines, style });
    }
    for (id, node) in tree.nodes.iter_enumerated() {
        let Some(challenge) = &node.challenge else { continue };
        for child in &node.children {
            let label = action(&challenge.action, challenge.silent);
            drawing.connect(id.index(), child.index(), label, ArrowStyle::Plain);
        }
    }
}

fn place(view: &StateView) -> String {
    let place = view.components.join(", ");
    if view.propositions.is_empty() { place } else { format!("{place} {{{}}}", view.propositions.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict::{Challenge, Lane, Lasso, TreeNode};

    fn state(component: &str, propositions: &[&str]) -> StateView {
        StateView {
            components: vec![component.to_owned()],
            propositions: propositions.iter().map(ToString::to_string).collect(),
        }
    }

    fn step(action: &str, to: StateView) -> Step {
        Step { action: action.to_owned(), silent: false, lanes: vec![Lane(0)], to }
    }

    fn path(steps: Vec<Step>) -> Path {
        Path {
            lane_names: vec!["P".to_owned()],
            start: state("A", &["low"]),
            steps,
            ends_because: "it is broken".to_owned(),
        }
    }

    fn all_text(drawing: &Drawing) -> Vec<String> {
        let lines = drawing.boxes.iter().flat_map(|text_box| &text_box.lines);
        lines.map(|line| line.text.clone()).collect()
    }

    #[test]
    fn a_run_shows_what_changed() {
        let run = Counterexample::Path(path(vec![step("up", state("B", &["high"]))]));
        let drawing = counterexample(&run, "P: safety");
        assert_eq!(all_text(&drawing), ["P: A", "+[low]", "P: B", "+[high]", "-[low]", "it is broken"]);
        assert_eq!(drawing.boxes[1].style, BoxStyle::Error);
        assert_eq!(drawing.arrows[0].label, "up");
    }

    #[test]
    fn a_lasso_comes_back() {
        let stem = path(vec![step("in", state("B", &[]))]);
        let cycle = vec![step("on", state("C", &[])), step("back", state("B", &[]))];
        let drawing = counterexample(&Counterexample::Lasso(Lasso { stem, cycle }), "f");
        let arrows: Vec<(usize, usize)> = drawing.arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
        assert_eq!(arrows, [(0, 1), (1, 2), (2, 1)]);
        assert_eq!(drawing.arrows[2].style, ArrowStyle::Back);
    }

    #[test]
    fn a_strategy_ends_where_there_is_no_answer() {
        let mut tree = Tree::default();
        let challenge =
            |action: &str| Challenge { action: action.to_owned(), silent: false, to: state("X", &[]) };
        let leaf = tree.nodes.push(TreeNode {
            implementation: state("I1", &[]),
            specification: state("S1", &[]),
            challenge: Some(challenge("b")),
            children: Vec::new(),
        });
        let root = tree.nodes.push(TreeNode {
            implementation: state("I0", &[]),
            specification: state("S0", &["p"]),
            challenge: Some(challenge("a")),
            children: vec![leaf],
        });
        tree.roots.push(root);
        let drawing = counterexample(&Counterexample::Tree(tree), "simulated by S");
        assert!(all_text(&drawing).contains(&"the implementation does b: no answer".to_owned()));
        assert!(all_text(&drawing).contains(&"specification S0 {p}".to_owned()));
        assert_eq!(drawing.arrows.len(), 1);
        assert!(drawing.to_svg().contains("no answer"));
    }
}
