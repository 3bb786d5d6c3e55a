//! From an error back to the start, through calls and returns. Every set of path edges knows when it came; a
//! state's predecessors came before it, so the walk ends. Only edges are kept: values are found again,
//! exactly, afterwards.

use super::engine::{Engine, Origin, Stop};
use super::places::Moments;
use crate::graph::{Action, EdgeId, NodeId, ProcedureId};
use base::{Id, IndexVec};
use logic::bdd::{Bdd, BddVariable};

/// A state of an activation to explain: its values, and that it came before a time.
struct Goal {
    node: NodeId,
    /// The entry values, as a cube.
    entry: Bdd,
    /// Values of the variables that matter at the node, as a cube.
    current: Bdd,
    before: usize,
    /// Is it the activation that fails, or one that waits for it? Otherwise it returns, and its call is
    /// known.
    is_open: bool,
}

enum Task {
    Explain(Goal),
    Emit(EdgeId),
}

/// One satisfying assignment by variable.
struct Pick(Vec<Option<bool>>);

impl Pick {
    fn of(states: &Bdd) -> Option<Pick> {
        states.pick_cube().map(Pick)
    }

    fn value(&self, variable: BddVariable) -> bool {
        self.0.get(variable.index()).copied().flatten().unwrap_or(false)
    }
}

/// The edges from the failing one back to the first; `None` if there are more than `longest`.
pub(super) fn way_back(
    engine: &mut Engine<'_, '_>,
    failing: EdgeId,
    states: &Bdd,
    longest: usize,
) -> Result<Option<Vec<EdgeId>>, Stop> {
    let program = engine.context.program;
    let mut incoming: IndexVec<NodeId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), program.nodes().len());
    for (id, edge) in program.edges().iter_enumerated() {
        incoming[edge.to].push(id);
    }
    let node = program.edges()[failing].from;
    let pick = Pick::of(states).expect("states in which the edge fails");
    let procedure = program.procedure_of(node);
    let mut walker = Walker { engine, incoming, edges: vec![failing], tasks: Vec::new() };
    let (entry, current) = (walker.entry_cube(procedure, &pick)?, walker.current_cube(node, &pick)?);
    walker.tasks.push(Task::Explain(Goal { node, entry, current, before: usize::MAX, is_open: true }));
    while let Some(task) = walker.tasks.pop() {
        walker.engine.check_budget()?;
        match task {
            Task::Emit(edge) => walker.edges.push(edge),
            Task::Explain(goal) => walker.explain(goal)?,
        }
        if walker.edges.len() > longest {
            return Ok(None);
        }
    }
    Ok(Some(walker.edges))
}

struct Walker<'w, 'c, 'p> {
    engine: &'w mut Engine<'c, 'p>,
    incoming: IndexVec<NodeId, Vec<EdgeId>>,
    edges: Vec<EdgeId>,
    tasks: Vec<Task>,
}

impl Walker<'_, '_, '_> {
    fn cube(&self, literals: &[(BddVariable, bool)]) -> Result<Bdd, Stop> {
        Ok(self.engine.context.places.manager.cube(literals)?)
    }

    fn entry_cube(&self, procedure: ProcedureId, pick: &Pick) -> Result<Bdd, Stop> {
        let remembered = self.engine.context.remembered(procedure);
        let literals: Vec<_> =
            remembered.iter().map(|moments| (moments.entry, pick.value(moments.entry))).collect();
        self.cube(&literals)
    }

    /// The values that matter at the node.
    fn current_cube(&self, node: NodeId, pick: &Pick) -> Result<Bdd, Stop> {
        let domain = self.engine.context.domain(node);
        let literals: Vec<_> = domain
            .iter()
            .filter(|(_, _, matters)| *matters)
            .map(|(_, moments, _)| (moments.current, pick.value(moments.current)))
            .collect();
        self.cube(&literals)
    }

    /// The first time before `before` at which a state of `wanted` came to the node.
    fn first(
        &self,
        node: NodeId,
        before: usize,
        wanted: &Bdd,
    ) -> Result<Option<(usize, Origin, Pick)>, Stop> {
        for ring in &self.engine.nodes[node].rings {
            if ring.time >= before {
                break;
            }
            if let Some(pick) = Pick::of(&ring.states.and(wanted)?) {
                return Ok(Some((ring.time, ring.origin, pick)));
            }
        }
        Ok(None)
    }

    fn explain(&mut self, goal: Goal) -> Result<(), Stop> {
        let wanted = goal.entry.and(&goal.current)?;
        let found = self.first(goal.node, goal.before, &wanted)?;
        let (time, origin, state) = found.expect("a state to explain was reached before");
        match origin {
            Origin::Initial => Ok(()),
            Origin::Entered if !goal.is_open => Ok(()),
            Origin::Entered => self.explain_entry(goal.node, &goal.entry, time),
            Origin::Stepped => self.explain_step(goal, time, &state),
        }
    }

    /// Who called, with these entry values?
    fn explain_entry(&mut self, node: NodeId, entry: &Bdd, time: usize) -> Result<(), Stop> {
        let context = self.engine.context;
        let procedure = context.program.procedure_of(node);
        let pick = Pick::of(entry).expect("a cube has a state");
        let places = &context.places;
        let mut literals = Vec::new();
        for slot in context.entry_globals(procedure) {
            let Moments { entry, current, .. } = places.globals[slot];
            literals.push((current, pick.value(entry)));
        }
        for slot in context.entry_parameters(procedure) {
            literals.push((places.arguments[slot], pick.value(places.locals[slot].entry)));
        }
        let arriving = self.cube(&literals)?;
        for call in self.engine.procedures[procedure].called_by.clone() {
            let from = context.program.edges()[call].from;
            let wanted = self.engine.call_site(call)?.calling.and(&arriving)?;
            if let Some((_, _, pick)) = self.first(from, time, &wanted)? {
                self.edges.push(call);
                return self.go_on(from, &pick, time, true);
            }
        }
        panic!("a procedure was entered by a call");
    }

    /// Explains the picked state of a node next.
    fn go_on(&mut self, node: NodeId, pick: &Pick, before: usize, is_open: bool) -> Result<(), Stop> {
        let procedure = self.engine.context.program.procedure_of(node);
        let (entry, current) = (self.entry_cube(procedure, pick)?, self.current_cube(node, pick)?);
        self.tasks.push(Task::Explain(Goal { node, entry, current, before, is_open }));
        Ok(())
    }

    fn explain_step(&mut self, goal: Goal, time: usize, state: &Pick) -> Result<(), Stop> {
        for id in self.incoming[goal.node].clone() {
            let edge = &self.engine.context.program.edges()[id];
            let is_explained = match &edge.action {
                Action::Return { .. } | Action::EndThread | Action::Error { .. } => false,
                Action::Call { callee, results, .. } => {
                    self.explain_return(&goal, time, state, id, *callee, results)?
                }
                Action::Assign { assignments, .. } => {
                    let assigned: Vec<_> = assignments.iter().map(|(target, _)| *target).collect();
                    self.explain_plain(&goal, time, state, id, &assigned)?
                }
                _ => self.explain_plain(&goal, time, state, id, &[])?,
            };
            if is_explained {
                return Ok(());
            }
        }
        panic!("a state that came by a step has a predecessor");
    }

    fn explain_plain(
        &mut self,
        goal: &Goal,
        time: usize,
        state: &Pick,
        id: EdgeId,
        assigned: &[crate::graph::VariableId],
    ) -> Result<bool, Stop> {
        let context = self.engine.context;
        let after: Vec<_> = context
            .domain(goal.node)
            .into_iter()
            .filter(|(_, _, matters)| *matters)
            .map(|(variable, moments, _)| {
                let holder = if assigned.contains(&variable) { moments.next } else { moments.current };
                (holder, state.value(moments.current))
            })
            .collect();
        let wanted = self.cube(&after)?.and(&goal.entry)?;
        let wanted = self.engine.step(id)?.relation.and(&wanted)?;
        let from = context.program.edges()[id].from;
        let Some((_, _, pick)) = self.first(from, time, &wanted)? else { return Ok(false) };
        self.edges.push(id);
        self.go_on(from, &pick, time, goal.is_open)?;
        Ok(true)
    }

    /// The state came by a return: a state before the call, and a summary that fits.
    fn explain_return(
        &mut self,
        goal: &Goal,
        time: usize,
        state: &Pick,
        id: EdgeId,
        callee: ProcedureId,
        results: &[Option<crate::graph::VariableId>],
    ) -> Result<bool, Stop> {
        let context = self.engine.context;
        let places = &context.places;
        let modified = context.modified(callee);
        let is_modified = |variable| modified.iter().any(|&slot| context.program.globals()[slot] == variable);
        let mut after = Vec::new();
        for (variable, moments, matters) in context.domain(goal.node) {
            if matters {
                let value = state.value(moments.current);
                let holder = match results.iter().position(|result| *result == Some(variable)) {
                    Some(position) => places.results[position],
                    None if is_modified(variable) => moments.next,
                    None => moments.current,
                };
                after.push((holder, value));
            }
        }
        let site = self.engine.call_site(id)?;
        let ready = self.cube(&after)?.and(&goal.entry)?.and(&site.calling)?;
        let from = context.program.edges()[id].from;
        // Summaries in the order of their coming: the first that fits is explained by still earlier states.
        let rings = self.engine.procedures[callee].summary_rings.clone();
        for (_, summary) in rings.iter().take_while(|(came, _)| *came < time) {
            let wanted = summary.and(&ready)?;
            if wanted.is_false() {
                continue;
            }
            if let Some((_, _, pick)) = self.first(from, time, &wanted)? {
                self.enter_backwards(callee, &pick, time, id)?;
                // What is explained first stands last in the list of tasks.
                let inner = self.tasks.pop().expect("the callee's state was pushed");
                self.go_on(from, &pick, time, goal.is_open)?;
                self.tasks.push(Task::Emit(id));
                self.tasks.push(inner);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The return edge and state that gave the picked summary; pushes that state as a task.
    fn enter_backwards(
        &mut self,
        callee: ProcedureId,
        pick: &Pick,
        time: usize,
        call: EdgeId,
    ) -> Result<(), Stop> {
        let context = self.engine.context;
        let places = &context.places;
        let mut literals = Vec::new();
        for slot in context.entry_globals(callee) {
            literals.push((places.globals[slot].entry, pick.value(places.globals[slot].current)));
        }
        for slot in context.entry_parameters(callee) {
            literals.push((places.locals[slot].entry, pick.value(places.arguments[slot])));
        }
        for slot in context.exit_globals(callee) {
            literals.push((places.globals[slot].current, pick.value(places.globals[slot].next)));
        }
        let returns = context.program.procedures()[callee].returns;
        for &result in &places.results[..returns] {
            literals.push((result, pick.value(result)));
        }
        let exit = context.program.procedures()[callee].exit;
        let wanted = self.cube(&literals)?;
        for id in self.incoming[exit].clone() {
            let edge = &context.program.edges()[id];
            if !matches!(edge.action, Action::Return { .. }) {
                continue;
            }
            let wanted = self.engine.step(id)?.relation.and(&wanted)?;
            if let Some((_, _, pick)) = self.first(edge.from, time, &wanted)? {
                self.edges.push(id);
                return self.go_on(edge.from, &pick, time, false);
            }
        }
        panic!("the summary that call {call} used came from a return");
    }
}
