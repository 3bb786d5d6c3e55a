//! The graphs of the program with what is open turned into questions.

use super::Closer;
use crate::component::NodeId;
use crate::component::inline::{RawAction, RawEdge, is_on_a_cycle};
use crate::component::origin::{Origin, Origins, Site, SiteKind};
use base::{Id, Span};
use program::{
    Action, AssumeReason, BinaryOp, EdgeId, Expr, Graph, HavocSource, LifetimeStep, Place, ProcedureId,
    VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Adds steps to a graph, one after the other.
pub(in crate::component) struct Chain<'g> {
    pub graph: &'g mut Graph,
    pub at: program::NodeId,
    pub span: Span,
    pub last: Option<EdgeId>,
}

impl Chain<'_> {
    pub fn add(&mut self, action: Action) {
        let to = self.graph.add_node(self.span);
        self.last = Some(self.graph.add_edge(self.at, to, action, self.span));
        self.at = to;
    }

    /// Leads to a location that is there already.
    pub fn end(&mut self, to: program::NodeId, action: Action) -> EdgeId {
        self.graph.add_edge(self.at, to, action, self.span)
    }
}

fn retarget(graph: &mut Graph, edge: EdgeId, to: program::NodeId) {
    let old = graph.edges[edge].to;
    graph.nodes[old].into.retain(|&known| known != edge);
    graph.nodes[to].into.push(edge);
    graph.edges[edge].to = to;
}

fn ask(target: Place, name: String) -> Action {
    Action::Havoc { target, source: HavocSource::Input(Arc::from(name)) }
}

impl Closer<'_> {
    pub(super) fn procedure(&mut self, id: ProcedureId) {
        let Some(mut graph) = self.closed.program.procedures[id].body.clone() else { return };
        let count = graph.edges.len();
        let mut begun = FxHashSet::default();
        for index in 0..count {
            let edge = EdgeId::from_index(index);
            let Some(site) = self.origins.sites.get(&(id, edge)).cloned() else {
                self.plain_step(&mut graph, id, edge, &mut begun);
                continue;
            };
            self.replaced_step(&mut graph, id, edge, &site);
        }
        if id == self.outermost {
            self.tell_propositions(&mut graph);
        }
        self.enter(&mut graph, id, &begun);
        self.closed.program.procedures[id].body = Some(graph);
    }

    /// A step that means the same here as in the program; variables that begin their life there get their
    /// values.
    fn plain_step(
        &mut self,
        graph: &mut Graph,
        id: ProcedureId,
        edge: EdgeId,
        begun: &mut FxHashSet<VariableId>,
    ) {
        let action = graph.edges[edge].action.clone();
        let variable = match &action {
            Action::Havoc { target, source: HavocSource::Indeterminate } => target.as_variable(),
            Action::Lifetime { variable, step: LifetimeStep::Begin } => Some(*variable),
            _ => None,
        };
        if let Action::Event { .. } = action {
            let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
            let start = graph.add_node(span);
            graph.edges[edge].action = Action::Skip;
            retarget(graph, edge, start);
            let mut chain = Chain { graph, at: start, span, last: None };
            chain.add(ask(self.choice_place(), Origins::way_name((id, edge))));
            let last = chain.end(to, action);
            self.closed.completes.insert((id, last), Origin::Step(id, edge));
            return;
        }
        let Some(variable) = variable else {
            // A call is told when it is over; its first step is that of the procedure called.
            if !matches!(action, Action::Call { .. }) {
                self.closed.completes.insert((id, edge), Origin::Step(id, edge));
            }
            return;
        };
        let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
        if matches!(action, Action::Lifetime { .. }) {
            begun.insert(variable);
        } else {
            graph.edges[edge].action = Action::Skip;
        }
        let original = self.closed.program.procedures[id].body.as_ref();
        let is_repeated = original.is_some_and(|graph| is_on_a_cycle(graph, &graph.edges[edge]));
        let keeps = id == self.outermost && !is_repeated;
        if keeps && !matches!(action, Action::Lifetime { .. }) {
            self.closed.completes.insert((id, edge), Origin::Step(id, edge));
            return;
        }
        let start = graph.add_node(span);
        retarget(graph, edge, start);
        let mut chain = Chain { graph, at: start, span, last: None };
        self.begin(&mut chain, variable, if keeps { None } else { Some(Origin::Step(id, edge)) });
        let last = chain.end(to, Action::Skip);
        self.closed.completes.insert((id, last), Origin::Step(id, edge));
    }

    /// The cells of a variable get values: those of the start, or what is asked for.
    fn begin(&mut self, chain: &mut Chain<'_>, variable: VariableId, asks_at: Option<Origin>) {
        let mut done = FxHashSet::default();
        for index in 0..self.cells.len() {
            let cell = self.cells[index].0;
            let root = self.origins.spots[cell].root;
            let is_own = self.origins.variables.get(&root) == Some(&variable);
            if !is_own || !done.insert(self.origins.spots[cell].path.clone()) {
                continue;
            }
            let place = self.cell_place(cell, variable);
            match asks_at.and_then(|at| self.origins.begin_name(at, cell)) {
                Some(name) => chain.add(ask(place, name)),
                None => {
                    let value = self.start_value(cell, place.ty.id);
                    chain.add(Action::Assign { target: place, value });
                }
            }
        }
    }

    fn replaced_step(&mut self, graph: &mut Graph, id: ProcedureId, edge: EdgeId, site: &Site) {
        let original = std::mem::replace(&mut graph.edges[edge].action, Action::Skip);
        let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
        let start = graph.add_node(span);
        retarget(graph, edge, start);
        let step = Origin::Step(id, edge);
        match site.kind {
            SiteKind::Ends => {
                let never = self.number(0);
                let condition =
                    Action::Assume { condition: never, expected: true, reason: AssumeReason::User };
                Chain { graph, at: start, span, last: None }.add(condition);
                self.closed.completes.insert((id, edge), step);
            }
            SiteKind::Indirect => {
                // Where the pointer leads to a function of the program, that is called.
                let known = site.ways.iter().flat_map(|way| &way.actions).find_map(|action| match action {
                    RawAction::Indirect { pointer, known, .. } => Some((pointer.clone(), known.clone())),
                    _ => None,
                });
                let mut chain = Chain { graph, at: start, span, last: None };
                for (pointer, callee) in
                    known.iter().flat_map(|(pointer, all)| all.iter().map(move |one| (pointer, one)))
                {
                    let fork = chain.at;
                    let pointer = self.expr(pointer);
                    let kind = program::ExprKind::FunctionAddress(*callee);
                    let address = Expr { kind, ty: pointer.ty };
                    let condition = self.compared(BinaryOp::Equal, pointer, address);
                    let reason = AssumeReason::Branch;
                    chain.add(Action::Assume { condition: condition.clone(), expected: true, reason });
                    chain.end(to, original.clone());
                    chain.at = fork;
                    chain.add(Action::Assume { condition, expected: false, reason });
                }
                for way in &site.ways {
                    self.actions(&mut chain, (id, edge), way);
                }
                let last = chain.end(to, Action::Skip);
                self.closed.completes.insert((id, last), step);
            }
            SiteKind::Single => {
                let mut chain = Chain { graph, at: start, span, last: None };
                for way in &site.ways {
                    self.actions(&mut chain, (id, edge), way);
                }
                let last = chain.end(to, Action::Skip);
                self.closed.completes.insert((id, last), step);
            }
            SiteKind::Return => {
                let mut chain = Chain { graph, at: start, span, last: None };
                chain.add(ask(self.choice_place(), Origins::way_name((id, edge))));
                let fork = chain.at;
                for way in &site.ways {
                    let mut chain = Chain { graph: &mut *graph, at: fork, span, last: None };
                    for action in &way.actions {
                        if let RawAction::Assume(condition) = action {
                            let condition = self.condition(condition);
                            let reason = AssumeReason::Branch;
                            chain.add(Action::Assume { condition, expected: true, reason });
                        }
                    }
                    if let Some(name) = &way.event {
                        chain.add(Action::Event { name: name.clone(), arguments: Vec::new() });
                    }
                    if let Some(last) = chain.last {
                        self.closed.completes.insert((id, last), step);
                    }
                    chain.end(to, original.clone());
                }
            }
            SiteKind::Routine { from, to: after } => {
                // In a loop of nothing but the call, it begins where it ends.
                let mut nodes: FxHashMap<NodeId, program::NodeId> = FxHashMap::default();
                nodes.insert(after, to);
                if from != after {
                    nodes.insert(from, start);
                }
                let mut forks: FxHashMap<NodeId, program::NodeId> = FxHashMap::default();
                for way in &site.ways {
                    let Some(Origin::CaseOfCall(_, _, number)) = way.origin else { continue };
                    let own = Origin::CaseOfCall(id, edge, number);
                    let at = if way.from == from {
                        start
                    } else {
                        *nodes.entry(way.from).or_insert_with(|| graph.add_node(span))
                    };
                    let target = *nodes.entry(way.to).or_insert_with(|| graph.add_node(span));
                    let mut chain = Chain { graph: &mut *graph, at, span, last: None };
                    if self.origins.is_asked(own) {
                        let name = Origins::way_name((id, edge));
                        chain.at = *forks.entry(way.from).or_insert_with(|| {
                            chain.add(ask(self.choice_place(), name));
                            chain.at
                        });
                        let condition = self.is_chosen(u128::from(number));
                        let reason = AssumeReason::Branch;
                        chain.add(Action::Assume { condition, expected: true, reason });
                    }
                    self.actions(&mut chain, (id, edge), way);
                    let last = match &way.event {
                        Some(name) => {
                            chain.end(target, Action::Event { name: name.clone(), arguments: Vec::new() })
                        }
                        None => chain.end(target, Action::Skip),
                    };
                    self.closed.completes.insert((id, last), own);
                }
            }
        }
    }

    fn actions(&mut self, chain: &mut Chain<'_>, site: (ProcedureId, EdgeId), way: &RawEdge) {
        for action in &way.actions {
            self.action(chain, site, action);
        }
        if way.trouble.is_some() {
            chain.add(Action::Unsupported(Arc::from("a step without a meaning")));
        }
    }

    fn action(&mut self, chain: &mut Chain<'_>, site: (ProcedureId, EdgeId), action: &RawAction) {
        match action {
            RawAction::Assume(condition) => {
                let condition = self.condition(condition);
                chain.add(Action::Assume { condition, expected: true, reason: AssumeReason::User });
            }
            RawAction::Assign(target, value) => {
                let (target, value) = (self.place(target), self.expr(value));
                chain.add(Action::Assign { target, value });
            }
            RawAction::Unknown { target, fresh, .. } => {
                let target = self.place(target);
                match fresh {
                    Some(root) => self.unknown_pointer(chain, site, target, *root),
                    None => chain.add(ask(target, Origins::value_name(site))),
                }
            }
            RawAction::Begin(_) | RawAction::Clobber { .. } => {}
            RawAction::Free(pointer) => self.free(chain, pointer),
            RawAction::Indirect { pointer, result, .. } => {
                let pointer = self.expr(pointer);
                let null = Expr::integer(0, pointer.ty, &self.closed.program.types);
                let condition = self.compared(BinaryOp::NotEqual, pointer, null);
                chain.add(Action::Assume { condition, expected: true, reason: AssumeReason::User });
                if let Some(result) = result {
                    self.action(chain, site, result);
                }
            }
        }
    }

    /// Null, or the object's address: 0 or anything else is answered.
    fn unknown_pointer(
        &mut self,
        chain: &mut Chain<'_>,
        site: (ProcedureId, EdgeId),
        target: Place,
        root: VariableId,
    ) {
        chain.add(ask(self.choice_place(), Origins::value_name(site)));
        let (fork, joined) = (chain.at, chain.graph.add_node(chain.span));
        let (null, there) =
            (Expr::integer(0, target.ty.id, &self.closed.program.types), self.address(root, 0, target.ty.id));
        let is_null = self.is_chosen(0);
        for (expected, value) in [(true, null), (false, there)] {
            chain.at = fork;
            let condition = is_null.clone();
            chain.add(Action::Assume { condition, expected, reason: AssumeReason::Branch });
            chain.end(joined, Action::Assign { target: target.clone(), value });
        }
        chain.at = joined;
    }

    /// After every step of the component's own procedure the propositions are evaluated.
    fn tell_propositions(&mut self, graph: &mut Graph) {
        if self.truths.is_empty() {
            return;
        }
        for index in 0..graph.edges.len() {
            let edge = EdgeId::from_index(index);
            let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
            // In the middle of a step of the component nothing is claimed.
            let is_step = self.closed.completes.contains_key(&(self.outermost, edge))
                || matches!(graph.edges[edge].action, Action::Call { .. });
            if to == graph.exit || !is_step {
                continue;
            }
            let start = graph.add_node(span);
            retarget(graph, edge, start);
            let mut chain = Chain { graph: &mut *graph, at: start, span, last: None };
            self.evaluate(&mut chain);
            chain.end(to, Action::Skip);
        }
    }

    fn evaluate(&mut self, chain: &mut Chain<'_>) {
        for index in 0..self.truths.len() {
            let condition = self.origins.propositions[index].clone();
            let value = self.condition(&condition);
            let target = Place::variable(self.truths[index], self.int);
            chain.add(Action::Assign { target, value });
            if let Some(edge) = chain.last {
                self.closed.tells.insert((self.outermost, edge), index);
            }
        }
    }

    /// Locals have their values before the first step.
    fn enter(&mut self, graph: &mut Graph, id: ProcedureId, begun: &FxHashSet<VariableId>) {
        let (first, span) = (graph.entry, graph.nodes[graph.entry].span);
        let entry = graph.add_node(span);
        graph.entry = entry;
        let mut chain = Chain { graph, at: entry, span, last: None };
        let asks_at = if id == self.outermost { None } else { Some(Origin::Entry(id)) };
        for local in self.closed.program.procedures[id].locals.clone() {
            let is_temporary = self.closed.program.variables[local].kind == VariableKind::Temporary;
            if !is_temporary && !begun.contains(&local) {
                self.begin(&mut chain, local, asks_at);
            }
        }
        if id == self.outermost {
            self.evaluate(&mut chain);
        }
        chain.end(first, Action::Skip);
    }
}
