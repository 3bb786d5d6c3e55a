//! Answers for people: a line per question, and under it why. Runs are drawn in lanes, one per component that
//! moves.

use super::answers::SystemAnswer;
use super::plan::Plan;
use crate::settle::Settled;
use question::{Answer, Counterexample, Verdict};
use std::fmt::Write;
use verdict::{Certificate, Deadlock, Path, StateView, Step, Tree, TreeNodeId, Unit};

/// More letters than this in a line do not fit a screen; then the movers are listed instead of drawn.
const MOST_WIDTH: usize = 120;
/// Longer trees are cut, and said so.
const MOST_TREE_LINES: usize = 80;

pub fn write(answers: &[SystemAnswer], plan: &Plan, is_verbose: bool) -> String {
    let mut text = String::new();
    for told in answers {
        answer(&mut text, told, is_verbose);
    }
    if answers.is_empty() && !plan.targets.is_empty() {
        line(&mut text, "nothing was asked");
    }
    text
}

pub(crate) fn line(text: &mut String, content: impl AsRef<str>) {
    text.push_str(content.as_ref());
    text.push('\n');
}

/// What is shown of an answer's counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figures {
    /// How large what was looked at is.
    Sizes,
    /// All of them.
    All,
}

impl Figures {
    pub(crate) fn wanted(is_verbose: bool) -> Figures {
        if is_verbose { Figures::All } else { Figures::Sizes }
    }

    fn has(self, name: &str) -> bool {
        self == Figures::All || ["iterations", "predicates", "states", "transitions"].contains(&name)
    }
}

/// Counts as `12 states, 3 splits`. Time and memory differ from run to run; they are in the JSON.
pub(crate) fn figures_of(answer: &Answer, which: Figures) -> String {
    let figures = answer.statistics.figures.iter().filter(|figure| figure.unit == Unit::Count);
    let figures = figures.filter(|figure| figure.value > 0 && which.has(figure.name));
    let words = figures.map(|figure| format!("{} {}", figure.value, figure.name.replace('_', " ")));
    words.collect::<Vec<_>>().join(", ")
}

/// What every answer begins with under its first line: who found it, what it rests on; or what to try.
pub(crate) fn heading(text: &mut String, answer: &Settled, figures: Figures) {
    let figures = figures_of(answer, figures);
    let figures = if figures.is_empty() { figures } else { format!("; {figures}") };
    let reason = match answer.engine_reason.as_str() {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    line(text, format!("  engine: {}{reason}{figures}", answer.engine));
    each(text, "assuming", &answer.assumptions);
    each(text, "note", &answer.remarks);
    if let Verdict::Undecided(undecided) = &answer.verdict {
        each(text, "shown", &undecided.proved);
        each(text, "try", &undecided.try_next);
    }
}

/// Sentences of one kind, a line each.
pub(crate) fn each(text: &mut String, word: &str, sentences: &[String]) {
    sentences.iter().for_each(|sentence| line(text, format!("  {word}: {sentence}")));
}

pub(crate) fn answer(text: &mut String, told: &SystemAnswer, is_verbose: bool) {
    let adverb = if told.is_vacuous { " vacuously" } else { "" };
    let headline = told.answer.headline_of_system(adverb, &told.promise);
    line(text, format!("{}: {headline}", told.answer.property));
    heading(text, &told.answer, Figures::wanted(is_verbose));
    match &told.answer.verdict {
        Verdict::Holds(certificate) => learned(text, certificate),
        Verdict::Violated(counterexample) => self::counterexample(text, counterexample),
        Verdict::Undecided(_) => {}
    }
    for (index, more) in told.more.iter().enumerate() {
        line(text, format!("  counterexample {}:", index + 2));
        counterexample(text, more);
    }
}

/// Learned assumptions as FSP.
fn learned(text: &mut String, certificate: &Certificate) {
    let Certificate::AssumeGuarantee { rule, assumptions } = certificate else { return };
    line(text, format!("  proved by assume-guarantee rule {rule}; learned:"));
    for assumption in assumptions {
        line(text, format!("    // what `{}` may assume of the rest", assumption.component));
        for definition in check::learning::as_fsp(assumption).lines() {
            line(text, format!("    {definition}"));
        }
    }
}

fn counterexample(text: &mut String, counterexample: &Counterexample) {
    match counterexample {
        Counterexample::Path(path) => run(text, path),
        Counterexample::MaximalPath(path) => {
            run(text, path);
            line(text, "  and the run cannot go on");
        }
        Counterexample::Lasso(lasso) => {
            let lanes = lanes_of(&lasso.stem, lasso.stem.steps.iter().chain(&lasso.cycle));
            start(text, &lasso.stem, &lanes);
            let last = steps(text, &lasso.stem.steps, 1, &lasso.stem.start, &lanes);
            line(text, "  then for ever:");
            steps(text, &lasso.cycle, lasso.stem.steps.len() + 1, &last, &lanes);
            because(text, &lasso.stem);
        }
        Counterexample::Tree(tree) => draw_tree(text, tree),
        Counterexample::Run(violation) => line(text, format!("  {}", violation.what)),
        Counterexample::Deadlock(deadlock) => stuck(text, deadlock),
    }
}

fn because(text: &mut String, path: &Path) {
    if !path.ends_because.is_empty() {
        line(text, format!("  {}", path.ends_because));
    }
}

fn run(text: &mut String, path: &Path) {
    let lanes = lanes_of(path, path.steps.iter());
    start(text, path, &lanes);
    steps(text, &path.steps, 1, &path.start, &lanes);
    because(text, path);
}

fn stuck(text: &mut String, deadlock: &Deadlock) {
    run(text, &deadlock.path);
    for refusal in &deadlock.refusals {
        let doing = if refusal.terminated {
            "has terminated".to_owned()
        } else if refusal.waits_for.is_empty() {
            "has stopped".to_owned()
        } else {
            format!("waits for {}", refusal.waits_for.join(", "))
        };
        line(text, format!("  {} in {} {doing}", refusal.component, refusal.state));
    }
}

/// The lanes to draw and the widths of their columns.
struct Lanes {
    drawn: Vec<(usize, usize)>,
    action_width: usize,
    names: Vec<String>,
}

fn lanes_of<'p>(path: &'p Path, steps: impl Iterator<Item = &'p Step> + Clone) -> Lanes {
    let action_width = steps.clone().map(|step| shown_action(step).chars().count()).max().unwrap_or(0).max(6);
    let moves =
        |lane: usize| steps.clone().any(|step| step.lanes.iter().any(|mover| mover.0 as usize == lane));
    let moving: Vec<usize> = (0..path.lane_names.len()).filter(|&lane| moves(lane)).collect();
    let width = |lane: usize| {
        let states =
            steps.clone().filter_map(|step| step.to.components.get(lane)).map(|name| name.chars().count());
        states.chain([path.lane_names[lane].chars().count()]).max().unwrap_or(1)
    };
    let total: usize = moving.iter().map(|&lane| width(lane) + 2).sum();
    let fits = path.lane_names.len() > 1 && action_width + total + 8 <= MOST_WIDTH;
    let drawn = if fits { moving.iter().map(|&lane| (lane, width(lane))).collect() } else { Vec::new() };
    Lanes { drawn, action_width, names: path.lane_names.clone() }
}

fn shown_action(step: &Step) -> String {
    if step.silent && step.action != "tau" { format!("({})", step.action) } else { step.action.clone() }
}

fn start(text: &mut String, path: &Path, lanes: &Lanes) {
    if !lanes.drawn.is_empty() {
        let mut header = format!("  {:>4}  {:width$}", "step", "action", width = lanes.action_width);
        for &(lane, width) in &lanes.drawn {
            let _ = write!(header, "  {:width$}", lanes.names[lane]);
        }
        line(text, header.trim_end());
    }
    if !path.start.propositions.is_empty() {
        line(text, format!("        at first {}", path.start.propositions.join(", ")));
    }
}

/// Draws steps; a lane shows the new state of a component that moved. Gives the last state.
fn steps(text: &mut String, steps: &[Step], first: usize, before: &StateView, lanes: &Lanes) -> StateView {
    let mut before = before.clone();
    for (index, step) in steps.iter().enumerate() {
        let mut row =
            format!("  {:>4}  {:width$}", first + index, shown_action(step), width = lanes.action_width);
        for &(lane, width) in &lanes.drawn {
            let moved = step.lanes.iter().any(|mover| mover.0 as usize == lane);
            let cell = if moved { step.to.components.get(lane).map_or("", String::as_str) } else { "." };
            let _ = write!(row, "  {cell:width$}");
        }
        if lanes.drawn.is_empty() && lanes.names.len() > 1 {
            let movers: Vec<&str> =
                step.lanes.iter().map(|mover| lanes.names[mover.0 as usize].as_str()).collect();
            let _ = write!(row, "  {}", movers.join(", "));
        }
        let changed = changes(&before, &step.to);
        if !changed.is_empty() {
            let _ = write!(row, "  {changed}");
        }
        line(text, row.trim_end());
        before = step.to.clone();
    }
    before
}

/// `+p -q`: the propositions that began and ceased to hold.
fn changes(before: &StateView, after: &StateView) -> String {
    let began = after.propositions.iter().filter(|name| !before.propositions.contains(name));
    let ceased = before.propositions.iter().filter(|name| !after.propositions.contains(name));
    let parts: Vec<String> =
        began.map(|name| format!("+[{name}]")).chain(ceased.map(|name| format!("-[{name}]"))).collect();
    parts.join(" ")
}

fn draw_tree(text: &mut String, tree: &Tree) {
    line(text, "  whatever the specification answers, it cannot follow:");
    let mut lines = Vec::new();
    for &root in &tree.roots {
        branch(tree, root, 0, &mut lines);
    }
    let cut = lines.len().saturating_sub(MOST_TREE_LINES);
    lines.truncate(MOST_TREE_LINES);
    lines.iter().for_each(|drawn| line(text, format!("    {drawn}")));
    if cut > 0 {
        line(text, format!("    … {cut} more lines; all of it is in the JSON"));
    }
}

fn branch(tree: &Tree, node: TreeNodeId, depth: usize, lines: &mut Vec<String>) {
    // One line past the limit is enough to know that something is cut.
    if lines.len() > 50 * MOST_TREE_LINES {
        return;
    }
    let node = &tree.nodes[node];
    let place = format!("{} against {}", state(&node.implementation), state(&node.specification));
    let indent = "  ".repeat(depth);
    let Some(challenge) = &node.challenge else {
        lines.push(format!("{indent}{place}: different propositions hold"));
        return;
    };
    let action =
        if challenge.silent { "silently moves".to_owned() } else { format!("does {}", challenge.action) };
    let end = if node.children.is_empty() { ": no answer" } else { "" };
    lines.push(format!("{indent}{place}: the implementation {action}{end}"));
    node.children.iter().for_each(|&child| branch(tree, child, depth + 1, lines));
}

fn state(view: &StateView) -> String {
    let place = view.components.join(", ");
    if view.propositions.is_empty() { place } else { format!("{place} {{{}}}", view.propositions.join(", ")) }
}
