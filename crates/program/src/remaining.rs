//! What a thread may still do for others that wait: signal, post, arrive at a barrier, in the code that lies before it.
//!
//! The code that remains is found by control flow and the call graph: what a place of a procedure leads to, what is
//! called from there, and what threads that are created there do. Branches are not decided, so a thread may be said to
//! signal that never will; never the other way round.

use crate::points_to::{ObjectId, ObjectKind};
use crate::{
    Action, Callee, Edge, EdgeId, Expr, ExprKind, Known, NodeId, PlaceBase, PointsTo, ProcedureId, Program,
    VariableId,
};
use base::IndexVec;
use std::collections::BTreeSet;

/// What lets those go on that wait for it, whoever does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// A signal or broadcast on a condition variable.
    Signal,
    /// A post of a semaphore.
    Post,
    /// An arrival at a barrier.
    Arrive,
}

/// An object, as far as it is known before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// A variable, or a part of it.
    Variable(VariableId),
    /// Something else.
    Other(ObjectId),
}

/// Such a step, with the object that it is done to; `None` is any object.
type Act = (Release, Option<Thing>);

/// For each place of each procedure, what may still be done from there on.
#[derive(Debug)]
pub struct Remaining {
    after: IndexVec<ProcedureId, IndexVec<NodeId, BTreeSet<Act>>>,
    /// What the end of a thread or of the process may do, wherever it comes.
    at_the_end: BTreeSet<Act>,
}

impl Remaining {
    /// Looks at the whole program.
    pub fn of(program: &Program, points_to: &PointsTo) -> Remaining {
        let mut whole: IndexVec<ProcedureId, BTreeSet<Act>> =
            program.procedures.iter().map(|_| BTreeSet::new()).collect();
        let own: IndexVec<ProcedureId, Vec<Does>> =
            program.procedures.ids().map(|id| edges(program, points_to, id)).collect();
        loop {
            let mut has_grown = false;
            for id in program.procedures.ids() {
                let before = whole[id].len();
                let mut found = std::mem::take(&mut whole[id]);
                for does in &own[id] {
                    does.add_to(&mut found, &whole);
                }
                has_grown |= found.len() > before;
                whole[id] = found;
            }
            if !has_grown {
                break;
            }
        }
        let mut at_the_end = BTreeSet::new();
        let called_then = program.procedures.ids().flat_map(|id| called_at_the_end(program, points_to, id));
        for id in called_then.chain(program.destructors.iter().copied()) {
            at_the_end.extend(whole[id].iter().copied());
        }
        let after = program.procedures.ids().map(|id| by_place(program, id, &own[id], &whole)).collect();
        Remaining { after, at_the_end }
    }

    /// May the code from a place of a procedure on do this to one of the objects? None of them known means any.
    pub fn may(
        &self,
        procedure: ProcedureId,
        node: NodeId,
        release: Release,
        objects: &BTreeSet<Thing>,
    ) -> bool {
        let fits = |&(done, object): &Act| {
            done == release && (objects.is_empty() || object.is_none_or(|object| objects.contains(&object)))
        };
        let here = self.after[procedure].get(node);
        here.into_iter().flatten().any(fits) || self.at_the_end.iter().any(fits)
    }

    /// The objects that a pointer may point to; none where nobody knows.
    pub fn objects(program: &Program, points_to: &PointsTo, pointer: &Expr) -> BTreeSet<Thing> {
        let mut plain = pointer;
        while let ExprKind::Cast(inner) = &plain.kind {
            plain = inner;
        }
        if let ExprKind::AddressOf(place) = &plain.kind
            && let PlaceBase::Variable(id) = place.base
        {
            return BTreeSet::from([Thing::Variable(id)]);
        }
        let mut found = BTreeSet::new();
        for target in points_to.points_to(program, pointer) {
            found.insert(match points_to.object(target.object) {
                ObjectKind::Variable(id) => Thing::Variable(id),
                ObjectKind::Unknown => return BTreeSet::new(),
                _ => Thing::Other(target.object),
            });
        }
        found
    }
}

/// What one edge does.
struct Does {
    edge: EdgeId,
    acts: Vec<Act>,
    calls: Vec<ProcedureId>,
}

impl Does {
    fn add_to(&self, found: &mut BTreeSet<Act>, whole: &IndexVec<ProcedureId, BTreeSet<Act>>) {
        found.extend(self.acts.iter().copied());
        for &callee in &self.calls {
            found.extend(whole[callee].iter().copied());
        }
    }
}

/// The function with a built-in meaning that an edge calls, and the arguments.
fn known_call<'e>(program: &Program, edge: &'e Edge) -> Option<(Known, &'e [Expr])> {
    let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &edge.action else { return None };
    let callee = &program.procedures[*callee];
    callee.known.filter(|_| callee.has_direct_meaning()).map(|known| (known, &arguments[..]))
}

fn edges(program: &Program, points_to: &PointsTo, id: ProcedureId) -> Vec<Does> {
    let edges = program.procedures[id].body.iter().flat_map(|body| body.edges.iter_enumerated());
    let mut found = Vec::new();
    for (edge_id, edge) in edges {
        let mut calls = match &edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } => vec![*callee],
            Action::Call { callee: Callee::Indirect(_), .. } => points_to.targets(id, edge_id).to_vec(),
            _ => continue,
        };
        let mut acts = Vec::new();
        if let Some((known, arguments)) = known_call(program, edge) {
            let started = match known {
                Known::ThreadCreate => arguments.get(2),
                Known::OnceCall => arguments.get(1),
                _ => None,
            };
            calls.extend(started.into_iter().flat_map(|value| points_to.procedures_in(program, value)));
            let release = match known {
                Known::CondSignal | Known::CondBroadcast => Some(Release::Signal),
                Known::SemaphorePost => Some(Release::Post),
                Known::BarrierWait => Some(Release::Arrive),
                _ => None,
            };
            if let (Some(release), Some(pointer)) = (release, arguments.first()) {
                let objects = Remaining::objects(program, points_to, pointer);
                if objects.is_empty() {
                    acts.push((release, None));
                }
                acts.extend(objects.into_iter().map(|object| (release, Some(object))));
            }
        }
        found.push(Does { edge: edge_id, acts, calls });
    }
    found
}

/// Destructors of thread-specific data, and what `atexit` was given.
fn called_at_the_end(program: &Program, points_to: &PointsTo, id: ProcedureId) -> Vec<ProcedureId> {
    let edges = program.procedures[id].body.iter().flat_map(|body| &body.edges);
    let called = edges.filter_map(|edge| match known_call(program, edge)? {
        (Known::KeyCreate, arguments) => arguments.get(1),
        (Known::AtExit, arguments) => arguments.first(),
        _ => None,
    });
    called.flat_map(|value| points_to.procedures_in(program, value)).collect()
}

fn by_place(
    program: &Program,
    id: ProcedureId,
    own: &[Does],
    whole: &IndexVec<ProcedureId, BTreeSet<Act>>,
) -> IndexVec<NodeId, BTreeSet<Act>> {
    let Some(body) = &program.procedures[id].body else { return IndexVec::new() };
    let mut after: IndexVec<NodeId, BTreeSet<Act>> = body.nodes.iter().map(|_| BTreeSet::new()).collect();
    for does in own {
        does.add_to(&mut after[body.edges[does.edge].from], whole);
    }
    let mut open: Vec<NodeId> = body.nodes.ids().filter(|&node| !after[node].is_empty()).collect();
    while let Some(node) = open.pop() {
        for &edge in &body.nodes[node].into {
            let from = body.edges[edge].from;
            let before = after[from].len();
            let found = after[node].clone();
            after[from].extend(found);
            if after[from].len() > before {
                open.push(from);
            }
        }
    }
    after
}
