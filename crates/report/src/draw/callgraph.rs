//! Who calls whom. Library functions are listed in their callers' boxes; missing ones get boxes of their own.

use super::{ArrowStyle, BoxStyle, Drawing, Line, TextBox, place_of};
use program::{Action, Callee, Origin, PointsTo, Procedure, ProcedureId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Draws who calls whom, calls through pointers as far as the analysis resolves them.
pub fn callgraph(program: &Program, points_to: &PointsTo) -> Drawing {
    let title = match program.main {
        Some(main) => format!("calls from {}", program.procedures[main].name),
        None => "calls".to_owned(),
    };
    let mut drawing = Drawing { title, ..Drawing::default() };
    let drawn = drawn_procedures(program, points_to);
    let mut boxes: FxHashMap<ProcedureId, usize> = FxHashMap::default();
    for &id in &drawn {
        boxes.insert(id, drawing.add(box_of(program, points_to, id)));
    }
    let open: Vec<ProcedureId> =
        drawn.iter().copied().filter(|&id| calls_outside(program, points_to, id)).collect();
    let outside = (!open.is_empty()).then(|| {
        let lines = vec![Line::plain("functions outside the program")];
        drawing.add(TextBox { lines, style: BoxStyle::Missing })
    });
    let back = back_calls(program, points_to, &drawn);
    for &id in &drawn {
        for (callee, sites) in sites_of(program, points_to, id) {
            let Some(&to) = boxes.get(&callee) else { continue };
            let style = match (back.contains(&(id, callee)), sites.direct) {
                (true, _) => ArrowStyle::Back,
                (false, 0) => ArrowStyle::Possible,
                _ => ArrowStyle::Plain,
            };
            let count = sites.direct + sites.indirect;
            let label = if count > 1 { format!("{count}×") } else { String::new() };
            drawing.connect(boxes[&id], to, label, style);
        }
    }
    if let Some(outside) = outside {
        for id in open {
            drawing.connect(boxes[&id], outside, "", ArrowStyle::Possible);
        }
    }
    drawing
}

/// How often a procedure is called by another.
#[derive(Default)]
struct Sites {
    direct: usize,
    indirect: usize,
}

fn sites_of(program: &Program, points_to: &PointsTo, id: ProcedureId) -> BTreeMap<ProcedureId, Sites> {
    let mut sites: BTreeMap<ProcedureId, Sites> = BTreeMap::new();
    let Some(body) = &program.procedures[id].body else { return sites };
    for (edge_id, edge) in body.edges.iter_enumerated() {
        if let Action::Call { callee, .. } = &edge.action {
            match callee {
                Callee::Direct(callee) => sites.entry(*callee).or_default().direct += 1,
                Callee::Indirect(_) => {
                    for &callee in points_to.targets(id, edge_id) {
                        sites.entry(callee).or_default().indirect += 1;
                    }
                }
            }
        }
    }
    sites
}

fn calls_outside(program: &Program, points_to: &PointsTo, id: ProcedureId) -> bool {
    let body = program.procedures[id].body.as_ref();
    body.is_some_and(|body| body.edges.ids().any(|edge| points_to.may_call_outside(id, edge)))
}

/// Is it listed in its callers' boxes only?
fn is_library(procedure: &Procedure) -> bool {
    procedure.origin == Origin::Model || (procedure.origin == Origin::Nowhere && procedure.known.is_some())
}

/// What the user wrote, what can be reached from there, and what is missing; callers before callees.
fn drawn_procedures(program: &Program, points_to: &PointsTo) -> Vec<ProcedureId> {
    let is_own = |id: ProcedureId| {
        let procedure = &program.procedures[id];
        let location = program.sources.location(procedure.span);
        let is_in_program = location.is_some_and(|location| !location.in_system_header);
        procedure.origin == Origin::User && procedure.body.is_some() && is_in_program
    };
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let roots = program.main.into_iter().chain(program.constructors.iter().copied());
    for root in roots.chain(program.procedures.ids().filter(|&id| is_own(id))) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if is_library(&program.procedures[id]) || !seen.insert(id) {
                continue;
            }
            order.push(id);
            let mut callees = points_to.callees(program, id);
            callees.reverse();
            stack.extend(callees);
        }
    }
    order
}

fn box_of(program: &Program, points_to: &PointsTo, id: ProcedureId) -> TextBox {
    let procedure = &program.procedures[id];
    let mut lines = vec![Line::heading(&*procedure.name)];
    if let Some(place) = place_of(program, procedure.span) {
        lines.push(Line::faint(place));
    }
    let library: Vec<&str> = points_to
        .callees(program, id)
        .into_iter()
        .map(|callee| &program.procedures[callee])
        .filter(|callee| is_library(callee) && !callee.name.starts_with("__builtin_va_"))
        .map(|callee| &*callee.name)
        .collect();
    for few in library.chunks(4) {
        lines.push(Line::faint(few.join(", ")));
    }
    let style = if procedure.body.is_none() {
        lines.push(Line::plain("no body"));
        BoxStyle::Missing
    } else if program.main == Some(id) {
        BoxStyle::Entry
    } else {
        BoxStyle::Plain
    };
    TextBox { lines, style }
}

/// Calls that close a cycle of the walk: recursion.
fn back_calls(
    program: &Program,
    points_to: &PointsTo,
    drawn: &[ProcedureId],
) -> FxHashSet<(ProcedureId, ProcedureId)> {
    let mut back = FxHashSet::default();
    let mut open = FxHashSet::default();
    let mut done = FxHashSet::default();
    for &root in drawn {
        if done.contains(&root) {
            continue;
        }
        let mut stack = vec![(root, points_to.callees(program, root), 0)];
        open.insert(root);
        while let Some((id, callees, position)) = stack.last_mut() {
            let id = *id;
            let Some(&callee) = callees.get(*position) else {
                open.remove(&id);
                done.insert(id);
                stack.pop();
                continue;
            };
            *position += 1;
            if open.contains(&callee) {
                back.insert((id, callee));
            } else if !done.contains(&callee) {
                open.insert(callee);
                stack.push((callee, points_to.callees(program, callee), 0));
            }
        }
    }
    back
}
