//! Where threads are created, and with which procedures they start.

use crate::shared::known_calls;
use base::graph::components;
use program::{Edge, EdgeId, Expr, Graph, Known, PointsTo, ProcedureId, Program};
use rustc_hash::FxHashSet;

/// A call that creates a thread.
#[derive(Clone, Debug)]
pub struct Creation {
    /// The procedure with the call.
    pub within: ProcedureId,
    /// The call.
    pub edge: EdgeId,
    /// What the thread may start with, in order.
    pub starts: Vec<ProcedureId>,
}

/// All calls that create threads.
#[derive(Clone, Debug, Default)]
pub struct Creations {
    all: Vec<Creation>,
}

impl Creations {
    /// Finds them.
    pub fn of(program: &Program, points_to: &PointsTo) -> Creations {
        let mut all = Vec::new();
        for within in program.procedures.ids() {
            for (edge, known, arguments) in known_calls(program, within) {
                if known == Known::ThreadCreate {
                    let starts = arguments.get(2).map(|value| points_to.procedures_in(program, value));
                    all.push(Creation { within, edge, starts: starts.unwrap_or_default() });
                }
            }
        }
        Creations { all }
    }

    /// Are no threads created?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The one of a call.
    pub fn at(&self, within: ProcedureId, edge: EdgeId) -> Option<&Creation> {
        self.all.iter().find(|creation| (creation.within, creation.edge) == (within, edge))
    }

    /// Procedures that threads start with, in order.
    pub fn started(&self) -> Vec<ProcedureId> {
        let found: FxHashSet<ProcedureId> =
            self.all.iter().flat_map(|creation| creation.starts.iter().copied()).collect();
        let mut found: Vec<ProcedureId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// What threads are given to start with.
    pub fn arguments<'p>(&self, program: &'p Program) -> impl Iterator<Item = &'p Expr> {
        let calls: Vec<&'p Edge> = self
            .all
            .iter()
            .filter_map(|creation| {
                program.procedures[creation.within].body.as_ref().map(|body| (body, creation.edge))
            })
            .map(|(body, edge)| &body.edges[edge])
            .collect();
        calls.into_iter().flat_map(|edge| match &edge.action {
            program::Action::Call { arguments, .. } => arguments.get(3..).unwrap_or_default(),
            _ => &[],
        })
    }

    /// What threads start with, the first thread's `main` included, each with whether one thread only does so.
    pub fn roots(&self, program: &Program) -> Vec<(ProcedureId, bool)> {
        let is_one = |start: ProcedureId| {
            let mut of_it = self.all.iter().filter(|creation| creation.starts.contains(&start));
            match (of_it.next(), of_it.next(), program.main) {
                (Some(only), None, Some(main)) => {
                    let body = program.procedures[main].body.as_ref();
                    only.within == main && start != main && body.is_some_and(|body| !repeats(body, only.edge))
                }
                _ => false,
            }
        };
        let main = program.main.filter(|main| !self.started().contains(main)).map(|main| (main, true));
        main.into_iter().chain(self.started().into_iter().map(|start| (start, is_one(start)))).collect()
    }
}

/// May an edge be taken twice in one call?
pub fn repeats(body: &Graph, edge: EdgeId) -> bool {
    let after = |node| body.out(node).map(|(_, edge)| edge.to).collect::<Vec<_>>();
    let numbers = components(body.nodes.len(), [body.entry], after).numbers(body.nodes.len());
    let Edge { from, to, .. } = &body.edges[edge];
    from == to || (numbers[*from].is_some() && numbers[*from] == numbers[*to])
}
