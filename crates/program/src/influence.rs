//! Which steps can make a difference to some steps that are asked about: the backward slice.
//! After Weiser 1984, with the control dependence of Ferrante, Ottenstein, Warren 1987.
//!
//! DIVERGENCE: without an order. A variable is needed everywhere or nowhere, and all memory that pointers may reach is
//! one; so a step may be said to matter that does not, never the other way round. Whether a loop ends does not count
//! (runs that hang reach nothing). For people who read a proof: no answer rests on this.
//!
//! Worked example: `n = f(); log = log + n; if (n > 3) sum = 0; assert(n >= 0);` — the assertion needs `n`; the steps
//! that write `log` and `sum`, and the branch between, make no difference.

use crate::expr::{Access, ExprPart};
use crate::{
    Action, AssumeReason, Callee, Edge, EdgeId, Expr, Graph, NodeId, Place, PlaceBase, ProcedureId, Program,
    VariableId,
};
use base::IndexVec;
use std::collections::BTreeSet;

/// Of each step of each procedure: can it make a difference?
pub type Needed = IndexVec<ProcedureId, IndexVec<EdgeId, bool>>;

/// The steps that can make a difference to whether and with which values the steps that are asked about are made.
pub fn needed(program: &Program, is_asked: impl Fn(&Edge) -> bool) -> Needed {
    let edges = |graph: &Graph| graph.edges.iter().map(&is_asked).collect();
    let asked: Needed = { program.procedures.iter() }
        .map(|one| one.body.as_ref().map_or_else(IndexVec::new, edges))
        .collect();
    let regions =
        { program.procedures.iter() }.map(|one| one.body.as_ref().map_or_else(Vec::new, regions)).collect();
    let mut slice = Slice {
        program,
        needed: asked,
        variables: BTreeSet::new(),
        has_memory: false,
        results: BTreeSet::new(),
        has_grown: true,
        regions,
    };
    for (id, procedure) in program.procedures.iter_enumerated() {
        for edge in procedure.body.iter().flat_map(|body| body.edges.ids()) {
            if slice.needed[id][edge] {
                slice.read(id, edge);
            }
        }
    }
    while std::mem::take(&mut slice.has_grown) {
        slice.round();
    }
    slice.needed
}

/// A branch, and the steps on its ways before they meet again.
type Region = (NodeId, Vec<EdgeId>);

struct Slice<'p> {
    program: &'p Program,
    needed: Needed,
    variables: BTreeSet<VariableId>,
    /// Is anything needed that pointers may reach?
    has_memory: bool,
    /// Procedures whose results are needed.
    results: BTreeSet<ProcedureId>,
    has_grown: bool,
    regions: IndexVec<ProcedureId, Vec<Region>>,
}

impl Slice<'_> {
    fn round(&mut self) {
        for id in self.program.procedures.ids() {
            let Some(body) = &self.program.procedures[id].body else { continue };
            for edge in body.edges.ids() {
                if !self.needed[id][edge] && self.matters(id, &body.edges[edge]) {
                    self.add(id, edge);
                }
                // What is passed to parameters may become needed later than the call.
                if let Action::Call { callee, arguments, .. } = &body.edges[edge].action {
                    self.pass(callee, arguments);
                }
            }
            // FOW87: a branch matters if a step between it and where its ways meet again does.
            for (node, steps) in std::mem::take(&mut self.regions[id]) {
                match steps.iter().any(|&step| self.needed[id][step]) {
                    true => body.nodes[node].out.iter().for_each(|&edge| self.add(id, edge)),
                    false => self.regions[id].push((node, steps)),
                }
            }
        }
    }

    fn add(&mut self, procedure: ProcedureId, edge: EdgeId) {
        if !std::mem::replace(&mut self.needed[procedure][edge], true) {
            self.has_grown = true;
            self.read(procedure, edge);
        }
    }

    /// Can the step change what is needed, or what comes next?
    fn matters(&self, procedure: ProcedureId, edge: &Edge) -> bool {
        match &edge.action {
            Action::Skip | Action::Lifetime { .. } | Action::Event { .. } => false,
            Action::Assume { reason, .. } => *reason == AssumeReason::User,
            Action::Assign { target, .. } | Action::Havoc { target, .. } => self.is_needed(target),
            Action::Return { .. } => self.results.contains(&procedure),
            Action::Unsupported(_) => true,
            Action::Call { result, callee, .. } => {
                let Callee::Direct(callee) = callee else { return true };
                if result.as_ref().is_some_and(|place| self.is_needed(place)) {
                    return true;
                }
                let known = &self.program.procedures[*callee];
                match &known.body {
                    Some(_) => known.is_noreturn || self.needed[*callee].iter().any(|&is| is),
                    // A library function may write to whatever it is given a pointer to, or end the run.
                    None => self.has_memory || known.is_noreturn,
                }
            }
        }
    }

    fn is_needed(&self, place: &Place) -> bool {
        match place.base {
            PlaceBase::Variable(id) => {
                self.variables.contains(&id) || (self.has_memory && self.program.variables[id].in_memory)
            }
            PlaceBase::Pointer(_) => self.has_memory,
        }
    }

    /// Everything that a needed step reads is needed.
    fn read(&mut self, procedure: ProcedureId, edge: EdgeId) {
        let Some(body) = &self.program.procedures[procedure].body else { return };
        match &body.edges[edge].action {
            Action::Call { result, callee, arguments } => {
                match callee {
                    Callee::Direct(id) if self.program.procedures[*id].body.is_some() => {
                        if result.as_ref().is_some_and(|place| self.is_needed(place)) {
                            self.has_grown |= self.results.insert(*id);
                        }
                    }
                    // What nobody sees the body of may use all that it is given.
                    _ => arguments.iter().for_each(|argument| self.need(argument)),
                }
                if let Callee::Indirect(pointer) = callee {
                    self.need(pointer);
                    self.need_memory();
                    for id in self.program.procedures.ids() {
                        self.has_grown |= self.results.insert(id);
                    }
                }
                if let Some(place) = result {
                    self.need_inside(place);
                }
            }
            Action::Assign { target, value } => {
                self.need(value);
                self.need_inside(target);
            }
            Action::Havoc { target, .. } => self.need_inside(target),
            action => {
                let mut found = Vec::new();
                action.visit(&mut |part| found.push(part));
                found.into_iter().for_each(|part| self.part(part));
            }
        }
    }

    /// Arguments for parameters that are needed.
    fn pass(&mut self, callee: &Callee, arguments: &[Expr]) {
        let Callee::Direct(id) = callee else { return };
        let program = self.program;
        for (&parameter, argument) in program.procedures[*id].parameters.iter().zip(arguments) {
            let is_in_memory = self.has_memory && program.variables[parameter].in_memory;
            if self.variables.contains(&parameter) || is_in_memory {
                self.need(argument);
            }
        }
    }

    fn need(&mut self, expr: &Expr) {
        let mut found = Vec::new();
        expr.visit(&mut |part| found.push(part));
        found.into_iter().for_each(|part| self.part(part));
    }

    /// What decides which place is written.
    fn need_inside(&mut self, place: &Place) {
        let mut found = Vec::new();
        place.visit(Access::Address, &mut |part| found.push(part));
        found.into_iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, part: ExprPart<'_>) {
        let ExprPart::Place(place, Access::Read) = part else { return };
        match place.base {
            PlaceBase::Variable(id) => {
                self.has_grown |= self.variables.insert(id);
                if self.program.variables[id].in_memory {
                    self.need_memory();
                }
            }
            PlaceBase::Pointer(_) => self.need_memory(),
        }
    }

    fn need_memory(&mut self) {
        self.has_grown |= !std::mem::replace(&mut self.has_memory, true);
    }
}

/// The branches of a graph, each with the steps before its ways meet again.
fn regions(body: &Graph) -> Vec<Region> {
    let after = meeting_points(body);
    let branches = body.nodes.iter_enumerated().filter(|(_, node)| node.out.len() > 1);
    branches
        .map(|(node, known)| {
            let (mut steps, mut seen, mut stack) = (Vec::new(), BTreeSet::new(), Vec::new());
            stack.extend(known.out.iter().map(|&edge| body.edges[edge].to));
            while let Some(at) = stack.pop() {
                if after[node] == Some(at) || !seen.insert(at) {
                    continue;
                }
                steps.extend(&body.nodes[at].out);
                stack.extend(body.nodes[at].out.iter().map(|&edge| body.edges[edge].to));
            }
            (node, steps)
        })
        .collect()
}

/// Of each node the next one that all its ways to the end go through (its immediate postdominator), if there is one
/// before the end. Loops that nothing leaves are taken to end at their heads.
/// After Cooper, Harvey, Kennedy 2001, on the reversed graph.
fn meeting_points(body: &Graph) -> IndexVec<NodeId, Option<NodeId>> {
    let mut ends: IndexVec<NodeId, bool> = IndexVec::filled(false, body.nodes.len());
    // Backwards from the ends, in depth-first postorder; loops that lead to none come last.
    let is_end = |node: &NodeId| body.nodes[*node].out.is_empty() || *node == body.exit;
    let is_head = |node: &NodeId| body.nodes[*node].is_loop_head;
    let roots = body.nodes.ids().filter(is_end).chain(body.nodes.ids().filter(is_head));
    let mut number: IndexVec<NodeId, Option<usize>> = IndexVec::filled(None, body.nodes.len());
    let mut order: Vec<NodeId> = Vec::new();
    let mut seen: IndexVec<NodeId, bool> = IndexVec::filled(false, body.nodes.len());
    for root in roots {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        ends[root] = true;
        while let Some((node, position)) = stack.last_mut() {
            let (node, at) = (*node, *position);
            *position += 1;
            match body.nodes[node].into.get(at) {
                Some(&edge) => {
                    let from = body.edges[edge].from;
                    if !std::mem::replace(&mut seen[from], true) {
                        stack.push((from, 0));
                    }
                }
                None => {
                    number[node] = Some(order.len());
                    order.push(node);
                    stack.pop();
                }
            }
        }
    }
    // The end of all is number `order.len()`.
    let end = order.len();
    let mut above: Vec<Option<usize>> = vec![None; end + 1];
    above[end] = Some(end);
    let meet = |above: &[Option<usize>], mut one: usize, mut other: usize| {
        while one != other {
            while one < other {
                one = above[one].unwrap_or(end);
            }
            while other < one {
                other = above[other].unwrap_or(end);
            }
        }
        one
    };
    let mut has_changed = true;
    while std::mem::take(&mut has_changed) {
        for at in (0..end).rev() {
            let node = order[at];
            let mut found = ends[node].then_some(end);
            for &edge in &body.nodes[node].out {
                let Some(to) = number[body.edges[edge].to].filter(|&to| above[to].is_some()) else {
                    continue;
                };
                found = Some(found.map_or(to, |known| meet(&above, known, to)));
            }
            if found != above[at] {
                above[at] = found;
                has_changed = true;
            }
        }
    }
    let met = |node: NodeId| above[number[node]?].filter(|&to| to != end).map(|to| order[to]);
    body.nodes.ids().map(met).collect()
}

/// Is this step one that a person wrote to do something? Those that a line consists of besides braces and declarations.
pub fn does_something(edge: &Edge) -> bool {
    !edge.span.is_nowhere()
        && matches!(edge.action, Action::Assign { .. } | Action::Call { .. } | Action::Assume { .. })
}
