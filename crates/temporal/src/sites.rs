//! Where positions of a run begin and end: the observed steps of a program, the places where a run can end, and places
//! that every endless run passes again and again.
//!
//! What may write an observed variable counts as writing it where the formula cannot tell (it is blind to positions that
//! repeat); where it can, because of `X` or of events, a program is refused in which that is not plain.

use crate::atoms::{Atoms, Meaning};
use base::{Id, Span};
use check::temporal::is_blind_to_silence;
use program::points_to::ObjectKind;
use program::{
    Action, Callee, Edge, EdgeId, Expr, Graph, Known, LTL_STEP, NodeId, Origin, Place, PlaceBase, PointsTo,
    ProcedureId, Program, TypeId, Variable, VariableKind,
};
use spec::Formula;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use verdict::Reason;

/// What happens at an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// Before a step that may write an observed variable: the position is left.
    BeforeWrite,
    /// After it: the next one begins.
    AfterWrite,
    /// Before a step that is an event: the position is left by it.
    Event(Arc<str>),
    /// The run may end with this step.
    MayEnd,
    /// A position begins here: the program says so (`__VERIFIER_ltl_step`).
    Step,
}

/// All sites of a procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// In the order in which they happen.
    pub before: BTreeMap<EdgeId, Vec<Site>>,
    pub after: BTreeMap<EdgeId, Vec<Site>>,
    /// Control passes one of these again and again in every endless run that does not leave the procedure for ever.
    pub cuts: BTreeSet<NodeId>,
    /// Coming to these makes a position.
    pub labels: BTreeMap<NodeId, Arc<str>>,
}

/// The sites of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    pub of: BTreeMap<ProcedureId, Own>,
    /// Positions may be repeated without the formula noticing.
    pub is_blind: bool,
    /// Does the program itself say where positions begin?
    pub has_steps: bool,
}

/// Finds them. Calls whose results are observed are divided into the call and the write.
pub(crate) fn find(program: &mut Program, formula: &Formula, atoms: &Atoms) -> Result<Sites, Reason> {
    let steps = own_steps(program);
    let has_steps = !steps.is_empty();
    if has_steps && atoms.by_name.values().any(|meaning| !matches!(meaning, Meaning::Condition(_))) {
        let what = format!("what a call, a return or a label is between calls of `{LTL_STEP}`");
        return Err(Reason::NotUnderstood { what });
    }
    if let Some(edge) = program.edges().find(|edge| registers_handler(program, edge)) {
        let construct = "a function that runs when the program ends".to_owned();
        return Err(Reason::NotSupported { construct, at: edge.span });
    }
    divide_calls(program, atoms);
    let points_to = PointsTo::of(program);
    let is_blind = is_blind_to_silence(formula);
    let has_labels = atoms.by_name.values().any(|meaning| matches!(meaning, Meaning::Label(_)));
    // Where a label made a position, a write ends it, and what may be none must not.
    let may_repeat = is_blind && !has_labels;
    let finder = Finder { program, points_to: &points_to, atoms, may_repeat, has_steps };
    let mut sites = Sites { of: BTreeMap::new(), is_blind, has_steps };
    let recursive = finder.recursive();
    if let Some(main) = program.main.filter(|main| recursive.contains(main) && !is_blind) {
        let construct = "a formula that counts positions, of a program whose `main` calls itself,".to_owned();
        return Err(Reason::NotSupported { construct, at: program.procedures[main].span });
    }
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = procedure.body.as_ref().filter(|_| !procedure.is_native()) else { continue };
        let mut own = Own { cuts: cuts(body), ..Own::default() };
        if recursive.contains(&id) {
            own.cuts.insert(body.entry);
        }
        for (edge_id, edge) in body.edges.iter_enumerated() {
            finder.look_at(id, edge_id, edge, &mut own)?;
            if steps.contains(&(id, edge_id)) {
                own.after.entry(edge_id).or_default().push(Site::Step);
            }
        }
        for (node_id, node) in body.nodes.iter_enumerated() {
            for meaning in atoms.by_name.iter().filter(|(_, one)| matches!(one, Meaning::Label(_))) {
                let (name, Meaning::Label(label)) = meaning else { continue };
                if node.labels.contains(label) {
                    own.labels.insert(node_id, name.clone());
                }
            }
        }
        sites.of.insert(id, own);
    }
    Ok(sites)
}

/// What handlers do at the end of a run is no part of the walk.
fn registers_handler(program: &Program, edge: &Edge) -> bool {
    let Action::Call { callee: Callee::Direct(called), .. } = &edge.action else { return false };
    program.procedures[*called].known == Some(Known::AtExit)
}

/// The calls by which the program says where positions begin.
fn own_steps(program: &Program) -> BTreeSet<(ProcedureId, EdgeId)> {
    let is_step = |edge: &Edge| matches!(&edge.action, Action::Event { name, .. } if **name == *LTL_STEP);
    let mut found = BTreeSet::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let edges = procedure.body.iter().flat_map(|body| body.edges.iter_enumerated());
        found.extend(edges.filter(|(_, edge)| is_step(edge)).map(|(edge, _)| (id, edge)));
    }
    found
}

/// `x = f();` with an observed `x` becomes a call and a write.
fn divide_calls(program: &mut Program, atoms: &Atoms) {
    let by_pointers = atoms.observed.iter().any(|&id| program.variables[id].in_memory);
    for id in program.procedures.ids().collect::<Vec<_>>() {
        let Program { types, variables, procedures, .. } = program;
        let procedure = &mut procedures[id];
        let Some(body) = &mut procedure.body else { continue };
        for edge in body.edges.ids().collect::<Vec<_>>() {
            let Action::Call { result: Some(target), .. } = &body.edges[edge].action else { continue };
            let is_observed = match &target.base {
                PlaceBase::Variable(variable) => atoms.observed.contains(variable),
                PlaceBase::Pointer(_) => by_pointers,
            };
            if !is_observed || !types.is_scalar(target.ty.id) {
                continue;
            }
            let (target, span, to) = (target.clone(), body.edges[edge].span, body.edges[edge].to);
            let temporary = variables.push(temporary(id, target.ty.id, span));
            procedure.locals.push(temporary);
            let held = Place::variable(temporary, target.ty.id);
            if let Action::Call { result, .. } = &mut body.edges[edge].action {
                *result = Some(held.clone());
            }
            let between = body.add_node(span);
            body.edges[edge].to = between;
            body.nodes[to].into.retain(|&into| into != edge);
            body.nodes[between].into.push(edge);
            body.add_edge(between, to, Action::Assign { target, value: Expr::load(held) }, span);
        }
    }
}

fn temporary(procedure: ProcedureId, ty: TypeId, span: Span) -> Variable {
    Variable {
        name: Arc::from("tmp"),
        ty: ty.into(),
        kind: VariableKind::Temporary,
        procedure: Some(procedure),
        in_memory: false,
        is_file_local: false,
        is_thread_local: false,
        alignment: None,
        extra_bytes: 0,
        is_external: false,
        initial: Vec::new(),
        span,
    }
}

/// How surely a step writes what is observed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    Not,
    /// Perhaps, or more than once.
    Perhaps,
    Surely,
}

struct Finder<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    atoms: &'p Atoms,
    /// May the automaton read a position twice?
    may_repeat: bool,
    /// Does the program say itself where positions begin?
    has_steps: bool,
}

impl Finder<'_> {
    fn look_at(&self, procedure: ProcedureId, id: EdgeId, edge: &Edge, own: &mut Own) -> Result<(), Reason> {
        let writes = if self.has_steps { Writes::Not } else { self.writes(procedure, id, edge) };
        if writes == Writes::Perhaps && !self.may_repeat {
            return Err(cannot_tell(edge.span, self.program));
        }
        let library = self.program.procedures[procedure].origin == Origin::Model;
        if writes != Writes::Not && library {
            let construct = "a library function that writes a variable of the formula".to_owned();
            return Err(Reason::NotSupported { construct, at: edge.span });
        }
        if writes != Writes::Not {
            own.after.entry(id).or_default().push(Site::AfterWrite);
        }
        let is_main = self.program.main == Some(procedure);
        match &edge.action {
            Action::Call { callee, .. } => {
                for (name, meaning) in &self.atoms.by_name {
                    let (Meaning::Call(wanted) | Meaning::Return(wanted)) = meaning else { continue };
                    match callee {
                        Callee::Direct(called) if called == wanted => {
                            let has_body = self.program.procedures[*wanted].body.is_some()
                                && !self.program.procedures[*wanted].is_native();
                            match meaning {
                                Meaning::Call(_) => {
                                    own.before.entry(id).or_default().push(Site::Event(name.clone()));
                                }
                                // A return of what has no body is the end of its call.
                                _ if !has_body => {
                                    own.after.entry(id).or_default().push(Site::Event(name.clone()));
                                }
                                _ => {}
                            }
                        }
                        Callee::Direct(_) => {}
                        Callee::Indirect(_) => {
                            let targets = self.points_to.targets(procedure, id);
                            if targets.contains(wanted) || self.points_to.may_call_outside(procedure, id) {
                                let construct = format!(
                                    "a call through a pointer that may be of `{}`",
                                    self.name(*wanted)
                                );
                                return Err(Reason::NotSupported { construct, at: edge.span });
                            }
                        }
                    }
                }
                if self.may_not_return(procedure, id, callee) {
                    own.before.entry(id).or_default().push(Site::MayEnd);
                }
            }
            Action::Return { .. } => {
                for (name, meaning) in &self.atoms.by_name {
                    if matches!(meaning, Meaning::Return(wanted) if *wanted == procedure) {
                        own.before.entry(id).or_default().push(Site::Event(name.clone()));
                    }
                }
                if is_main {
                    own.before.entry(id).or_default().push(Site::MayEnd);
                }
            }
            _ => {}
        }
        if writes != Writes::Not {
            own.before.entry(id).or_default().push(Site::BeforeWrite);
        }
        Ok(())
    }

    fn name(&self, procedure: ProcedureId) -> &str {
        &self.program.procedures[procedure].name
    }

    /// May a run end with this call? Functions without a body return, or nothing is known past a call of them.
    fn may_not_return(&self, procedure: ProcedureId, edge: EdgeId, callee: &Callee) -> bool {
        let ends = |id: &ProcedureId| {
            let called = &self.program.procedures[*id];
            match (&called.body, called.known) {
                (Some(_), _) if !called.is_native() => false,
                // Public tasks declare inputs and assumptions `noreturn`, so that says nothing.
                (_, Some(known)) => known.never_returns() || known == Known::ReachError,
                (_, None) => called.is_noreturn,
            }
        };
        match callee {
            Callee::Direct(called) => ends(called),
            Callee::Indirect(_) => {
                self.points_to.may_call_outside(procedure, edge)
                    || self.points_to.targets(procedure, edge).iter().any(ends)
            }
        }
    }

    fn writes(&self, procedure: ProcedureId, id: EdgeId, edge: &Edge) -> Writes {
        match &edge.action {
            Action::Assign { target, .. } | Action::Havoc { target, .. } => self.writes_place(target),
            Action::Call { result, callee, .. } => {
                let by_result = result.as_ref().map_or(Writes::Not, |place| self.writes_place(place));
                if by_result != Writes::Not {
                    // Only what is no scalar is left undivided.
                    return Writes::Perhaps;
                }
                let is_unseen = match callee {
                    Callee::Direct(called) => self.may_write_unseen(*called),
                    Callee::Indirect(_) => {
                        self.points_to.may_call_outside(procedure, id)
                            || self
                                .points_to
                                .targets(procedure, id)
                                .iter()
                                .any(|&one| self.may_write_unseen(one))
                    }
                };
                let can_be_got_at = |variable: &program::VariableId| {
                    self.program.variables[*variable].in_memory || self.program.missing_writes
                };
                match is_unseen && self.atoms.observed.iter().any(can_be_got_at) {
                    true => Writes::Perhaps,
                    false => Writes::Not,
                }
            }
            _ => Writes::Not,
        }
    }

    /// May a call of it write to memory without a step of the program?
    fn may_write_unseen(&self, called: ProcedureId) -> bool {
        let called = &self.program.procedures[called];
        let is_walked = called.body.is_some() && !called.is_native();
        !is_walked && called.known.is_none_or(|known| !known.changes_nothing() && !known.never_returns())
    }

    fn writes_place(&self, target: &Place) -> Writes {
        match &target.base {
            PlaceBase::Variable(id) if !self.atoms.observed.contains(id) => Writes::Not,
            PlaceBase::Variable(id) => {
                let is_whole =
                    target.path.is_empty() && self.program.types.is_scalar(self.program.variables[*id].ty.id);
                if is_whole { Writes::Surely } else { Writes::Perhaps }
            }
            PlaceBase::Pointer(_) => {
                let observed = |id: program::VariableId| self.atoms.observed.contains(&id);
                if !self.atoms.observed.iter().any(|&id| self.program.variables[id].in_memory) {
                    return Writes::Not;
                }
                let may_be = self.points_to.locations(self.program, target).iter().any(|one| {
                    match self.points_to.object(one.object) {
                        ObjectKind::Variable(id) => observed(id),
                        ObjectKind::Unknown => true,
                        _ => false,
                    }
                });
                if may_be { Writes::Perhaps } else { Writes::Not }
            }
        }
    }

    /// Procedures that may be entered again before they return.
    fn recursive(&self) -> BTreeSet<ProcedureId> {
        let count = self.program.procedures.len();
        let all: Vec<ProcedureId> = self.program.procedures.ids().collect();
        let next: Vec<Vec<ProcedureId>> =
            all.iter().map(|&id| self.points_to.callees(self.program, id)).collect();
        let mut search = base::graph::Search::new(count);
        let parts = search.run(all, |id: ProcedureId| next[id.index()].iter().copied());
        let is_cyclic = |part: &&[ProcedureId]| part.len() > 1 || next[part[0].index()].contains(&part[0]);
        parts.iter().filter(is_cyclic).flat_map(|part| part.iter().copied()).collect()
    }
}

fn cannot_tell(at: Span, program: &Program) -> Reason {
    let place = program.sources.location(at).map_or_else(String::new, |at| format!(" at {at}"));
    Reason::NotUnderstood {
        what: format!(
            "whether a variable of the formula is written{place} (the formula counts positions: it has `X`, or events)"
        ),
    }
}

/// Nodes that every cycle passes: where an edge leads back to a node on the path of a depth-first search.
fn cuts(body: &Graph) -> BTreeSet<NodeId> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Seen {
        Not,
        OnPath,
        Done,
    }
    let mut seen = vec![Seen::Not; body.nodes.len()];
    let mut cuts = BTreeSet::new();
    let mut path: Vec<(NodeId, usize)> = vec![(body.entry, 0)];
    seen[body.entry.index()] = Seen::OnPath;
    while let Some((node, next)) = path.last_mut() {
        let Some(&edge) = body.nodes[*node].out.get(*next) else {
            seen[node.index()] = Seen::Done;
            path.pop();
            continue;
        };
        *next += 1;
        let to = body.edges[edge].to;
        match seen[to.index()] {
            Seen::OnPath => drop(cuts.insert(to)),
            Seen::Done => {}
            Seen::Not => {
                seen[to.index()] = Seen::OnPath;
                path.push((to, 0));
            }
        }
    }
    cuts
}
