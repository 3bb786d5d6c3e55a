//! Does a proof say anything? Where no run reaches what must not fail, or no run gets past an assumption,
//! HOLDS is true and means nothing.
//!
//! For each place one question is asked of the same engines, "is this place never reached?", within a small
//! share of the time. Three answers: a run was seen that reaches it, it is proved that none does, not known.
//! The verdict stays what it is.

use base::{Budget, EventSink, Span};
use cegar::{Choice, Property, Settings};
use program::{Action, AssumeReason, Callee, NodeId, ProcedureId, Program};
use question::{ProvedPlace, Question, Reached, Vacuity, Verdict};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Places that are asked about at most.
const MOST_PLACES: usize = 16;
/// Time that is spent at most, and at least if there is so much left.
const MOST_TIME: Duration = Duration::from_secs(5);
const LEAST_TIME: Duration = Duration::from_millis(400);

/// Looks at a proof of the property that took so long.
pub fn look(
    program: &Program,
    property: &Property,
    settings: &Settings,
    took: Duration,
    budget: &Budget,
    events: &dyn EventSink,
) -> Vacuity {
    let (asserted, has_any) = asserted_places(program, property);
    let nothing_to_violate = !property.endless_runs && !has_any && property.checks.is_empty();
    let share = (took / 4).clamp(LEAST_TIME, MOST_TIME);
    let left = budget.deadline().map_or(share * 4, |end| end.saturating_duration_since(Instant::now()));
    let budget = budget.clone().with_time(share.min(left / 4));
    let mut vacuity = Vacuity { places: Vec::new(), nothing_to_violate };
    let assumed = assumed_places(program).into_iter().map(|place| (place, true));
    for ((procedure, node, at), is_assumption) in
        { assumed }.chain(asserted.into_iter().map(|place| (place, false))).take(MOST_PLACES)
    {
        let reached = match node {
            None => Reached::No,
            Some(_) if budget.check().is_err() => Reached::NotKnown,
            Some(node) => reached(program, procedure, node, settings, &budget, events),
        };
        let asked =
            vacuity.places.iter_mut().find(|place| place.is_assumption == is_assumption && place.at == at);
        match asked {
            // One branch of a condition is assumed not to be taken; a variadic function has several copies.
            Some(other) => other.reached = other.reached.or(reached),
            None => vacuity.places.push(ProvedPlace { at, is_assumption, reached }),
        }
    }
    vacuity
}

type Candidate = (ProcedureId, Option<NodeId>, Span);

/// Where it is decided whether something happens that must not. `None` for a node: in a procedure that is
/// never called.
fn asserted_places(program: &Program, property: &Property) -> (Vec<Candidate>, bool) {
    let mut seen = FxHashSet::default();
    let mut places = Vec::new();
    let mut has_any = false;
    let called = called(program);
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        let mut nodes: Vec<(NodeId, Span)> = Vec::new();
        for edge in &body.edges {
            let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action else { continue };
            if property.forbids(&program.procedures[*callee]) {
                nodes.push((edge.from, edge.span));
            }
        }
        for (node_id, node) in body.nodes.iter_enumerated() {
            let is_asked = |label: &Arc<str>| property.labels.iter().any(|wanted| **wanted == **label);
            if node.labels.iter().any(is_asked) {
                nodes.push((node_id, node.span));
            }
        }
        has_any |= !nodes.is_empty();
        for (node, span) in nodes {
            let Some(decided) = decision_before(program, body, node, span) else { continue };
            if seen.insert((id, decided)) {
                let at = if body.nodes[decided].span.is_nowhere() { span } else { body.nodes[decided].span };
                places.push((id, called.contains(&id).then_some(decided), at));
            }
        }
    }
    // A label behind a `return` has no node at all.
    let has_pruned = property.labels.iter().any(|label| program.labels.contains(label.as_str()));
    (places, has_any || has_pruned)
}

/// Procedures that are called or whose address is taken, from the entry on.
fn called(program: &Program) -> FxHashSet<ProcedureId> {
    super::resting::reached(program)
}

/// Where it begins to be decided whether control comes to a node: the first of the branches on the same line
/// that lead there. An assertion about `a && b` is decided where `a` is.
fn decision_before(program: &Program, body: &program::Graph, node: NodeId, span: Span) -> Option<NodeId> {
    let line = |span: Span| program.sources.location(span).map(|at| (at.file, at.line));
    let is_branch = |edge: &program::Edge| {
        matches!(edge.action, Action::Assume { reason: AssumeReason::Branch, .. } | Action::Skip)
    };
    // The condition may stand on the lines above.
    let mut lines = vec![line(span)];
    let last = body.nodes[node].into.iter().map(|&edge| &body.edges[edge]);
    lines.extend(last.filter(|edge| is_branch(edge)).map(|edge| line(edge.span)));
    let is_part = |edge: &program::Edge| {
        is_branch(edge) && (edge.span.is_nowhere() || lines.contains(&line(edge.span)))
    };
    // What leads there without anything else happening.
    let mut inside = FxHashSet::default();
    let mut open = vec![node];
    while let Some(at) = open.pop() {
        if inside.insert(at) {
            let into = body.nodes[at].into.iter().map(|&edge| &body.edges[edge]);
            open.extend(into.filter(|edge| is_part(edge)).map(|edge| edge.from));
        }
    }
    let is_first = |at: &&NodeId| {
        **at == body.entry
            || body.nodes[**at].into.iter().any(|&edge| !inside.contains(&body.edges[edge].from))
    };
    let mut first: Vec<NodeId> = inside.iter().filter(is_first).copied().collect();
    first.sort_unstable();
    // Calls in the condition divide it: the part that all others come after counts.
    let leads_to_others = |at: &&NodeId| {
        let after = nodes_after(body, **at);
        first.iter().all(|other| other == *at || after.contains(other))
    };
    let before_all: Vec<NodeId> = first.iter().filter(leads_to_others).copied().collect();
    match before_all[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn nodes_after(body: &program::Graph, node: NodeId) -> FxHashSet<NodeId> {
    let mut seen = FxHashSet::default();
    let mut open = vec![node];
    while let Some(at) = open.pop() {
        for &edge in &body.nodes[at].out {
            let to = body.edges[edge].to;
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

/// Behind each assumption of the program's.
fn assumed_places(program: &Program) -> Vec<Candidate> {
    let mut places = Vec::new();
    let called = called(program);
    for (id, procedure) in program.procedures.iter_enumerated() {
        if !called.contains(&id) || procedure.origin != program::Origin::User {
            continue;
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if let Action::Assume { reason: AssumeReason::User, .. } = edge.action {
                places.push((id, Some(edge.to), edge.span));
            }
        }
    }
    places
}

/// A label that no program has.
const MARK: &str = "<asked>";

/// Does control never come to any of these nodes? The steps of a run that does have the numbers of this program's.
pub fn comes_to(
    program: &Program,
    places: &[(ProcedureId, NodeId)],
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Verdict {
    let mut marked = program.clone();
    for &(procedure, node) in places {
        let Some(body) = &mut marked.procedures[procedure].body else { continue };
        // The node is left by a step that does nothing, to one with the mark.
        let span = body.nodes[node].span;
        let behind = body.add_node(span);
        let out = std::mem::take(&mut body.nodes[node].out);
        for &edge in &out {
            body.edges[edge].from = behind;
        }
        body.nodes[behind].out = out;
        body.nodes[behind].labels.push(Arc::from(MARK));
        body.add_edge(node, behind, Action::Skip, span);
    }
    let property = Property { labels: vec![MARK.to_owned()], ..Property::default() };
    let question = Question::never(&marked, property);
    cegar::verify(&question, Choice::AUTO, settings, budget, events).verdict
}

fn reached(
    program: &Program,
    procedure: ProcedureId,
    node: NodeId,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Reached {
    match comes_to(program, &[(procedure, node)], settings, budget, events) {
        Verdict::Holds(_) => Reached::No,
        Verdict::Violated(_) => Reached::Yes,
        Verdict::Undecided(_) => Reached::NotKnown,
    }
}
