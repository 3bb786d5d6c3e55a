//! Which lines do runs reach (`--coverage`)? For each line one question is asked of the engines of `verify`, "is it never
//! reached?", the last lines first: a run that reaches one reaches the lines before it, which need not be asked about.
//! A line is reached (a run was seen that comes to it), unreachable (that no run does is proved), or not known.

use super::resting;
use super::vacuity::comes_to;
use base::source::Location;
use base::{Budget, EventSink};
use cegar::{Property, Settings};
use program::{Action, NodeId, Origin, ProcedureId, Program};
use question::{Answer, Reached, Verdict};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// A line of a file.
type Line = (Arc<str>, u32);

/// What was found out about each line with code.
pub struct Coverage {
    lines: BTreeMap<Line, Reached>,
}

/// How long is asked if the user sets no limit.
const UNLESS_LIMITED: Duration = Duration::from_secs(30);
/// One of so many parts of what is left goes to a line, and no more than this.
const PARTS: u32 = 4;
const MOST_OF_ONE: Duration = Duration::from_secs(5);

/// Looks at every line, with the runs that were found already. Lines of functions that the property forbids to be called
/// are no code: a run ends at the call.
pub fn look<'a>(
    (program, property): (&Program, &Property),
    found: impl IntoIterator<Item = (&'a Program, &'a Answer)>,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Coverage {
    let budget = match budget.deadline() {
        Some(_) => budget.clone(),
        None => budget.clone().with_time(UNLESS_LIMITED),
    };
    let reached = resting::reached(program);
    let places = places(program, property);
    let mut lines: BTreeMap<Line, Reached> =
        places.keys().map(|line| (line.clone(), Reached::NotKnown)).collect();
    for (program, answer) in found {
        see(&mut lines, program, &answer.verdict);
    }
    for (line, nodes) in places.iter().rev() {
        let nodes: Vec<(ProcedureId, NodeId)> =
            nodes.iter().copied().filter(|(procedure, _)| reached.contains(procedure)).collect();
        if nodes.is_empty() {
            lines.insert(line.clone(), Reached::No);
        }
        if lines[line] != Reached::NotKnown || budget.check().is_err() {
            continue;
        }
        let share = question::part_of(&budget, PARTS, MOST_OF_ONE);
        let verdict = comes_to(program, &nodes, settings, &share, events);
        match &verdict {
            Verdict::Holds(_) => drop(lines.insert(line.clone(), Reached::No)),
            Verdict::Violated(_) => {
                see(&mut lines, program, &verdict);
                lines.insert(line.clone(), Reached::Yes);
            }
            Verdict::Undecided(_) => {}
        }
    }
    Coverage { lines }
}

/// Which lines runs of a program reach, asked for itself; lines of which that is not known are left out.
pub fn of_program(
    program: &Program,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> BTreeMap<(std::sync::Arc<str>, u32), bool> {
    let property = Property::standard();
    let coverage = look((program, &property), std::iter::empty(), settings, budget, events);
    let known = coverage.lines.into_iter().filter(|(_, reached)| *reached != Reached::NotKnown);
    known.map(|(line, reached)| (line, reached == Reached::Yes)).collect()
}

/// The lines with code of the user's, and the nodes where their steps begin.
fn places(program: &Program, property: &Property) -> BTreeMap<Line, BTreeSet<(ProcedureId, NodeId)>> {
    let mut places: BTreeMap<Line, BTreeSet<(ProcedureId, NodeId)>> = BTreeMap::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        if procedure.origin != Origin::User || property.forbids(procedure) {
            continue;
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            let does_nothing = matches!(edge.action, Action::Skip | Action::Lifetime { .. });
            if let Some(at) = program.sources.location(edge.span).filter(|_| !does_nothing) {
                places.entry((at.file.clone(), at.line)).or_default().insert((id, edge.from));
            }
        }
    }
    places
}

/// Notes the lines that a run comes to.
fn see(lines: &mut BTreeMap<Line, Reached>, program: &Program, verdict: &Verdict) {
    let Some(run) = verdict.run() else { return };
    for step in &run.steps {
        let Some(body) = program.procedures.get(step.procedure).and_then(|one| one.body.as_ref()) else {
            continue;
        };
        if let Some(at) = body.edges.get(step.edge).and_then(|edge| program.sources.location(edge.span))
            && let Some(line) = lines.get_mut(&(at.file.clone(), at.line))
        {
            *line = Reached::Yes;
        }
    }
}

impl Coverage {
    /// For people: how many lines are reached, and which are not.
    pub fn words(&self) -> String {
        let count = |what| self.lines.values().filter(|reached| **reached == what).count();
        let mut text = format!(
            "coverage: of {} lines with code, runs reach {}, no run reaches {}, {} not known\n",
            self.lines.len(),
            count(Reached::Yes),
            count(Reached::No),
            count(Reached::NotKnown)
        );
        for (what, sentence) in [(Reached::No, "no run reaches"), (Reached::NotKnown, "not known:")] {
            for (file, from, to) in self.ranges(what) {
                let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
                let _ = writeln!(text, "  {sentence} {file}:{range}");
            }
        }
        text
    }

    /// Lines of one kind that follow each other, with nothing of another kind between them.
    fn ranges(&self, wanted: Reached) -> Vec<(Arc<str>, u32, u32)> {
        let mut ranges: Vec<(Arc<str>, u32, u32)> = Vec::new();
        let mut goes_on = false;
        for ((file, line), reached) in &self.lines {
            match ranges.last_mut().filter(|last| goes_on && last.0 == *file) {
                Some(last) if *reached == wanted => last.2 = *line,
                None if *reached == wanted => ranges.push((file.clone(), *line, *line)),
                _ => {}
            }
            goes_on = *reached == wanted;
        }
        ranges
    }

    /// Each line with code, with what is known of it.
    pub fn lines(&self) -> impl Iterator<Item = (Location, &'static str)> {
        self.lines.iter().map(|((file, line), reached)| {
            let at = Location { file: file.clone(), line: *line, column: 1, in_system_header: false };
            (at, reached.name())
        })
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let line = |((file, line), reached): (&Line, &Reached)| json!({ "file": &**file, "line": line, "reached": reached.name() });
        self.lines.iter().map(line).collect()
    }
}
