//! The fixpoint of one procedure: nodes in weak topological order, loops with delayed widening and narrowing (see
//! [`solve`](crate::solve)). Here one state stands for a node; [`apart`](crate::apart) keeps several, and comes here
//! for loops that it has followed for long enough.

use crate::described;
use crate::lives;
use crate::memory;
use crate::order::Element;
use crate::solve::{Solver, States, Stop, Visited};
use crate::state::{Joining, State, join_into};
use crate::transfer::RESULT;
use base::IndexVec;
use program::{Graph, NodeId, ProcedureId};
use rustc_hash::FxHashMap;

/// A procedure that is being solved.
pub struct Body<'b> {
    /// The procedure.
    pub procedure: ProcedureId,
    /// Its graph.
    pub graph: &'b Graph,
    /// Where it begins.
    pub entry: &'b State,
    /// States that are kept apart: those of the present round of the loops around a node, or of all rounds behind a
    /// loop.
    pub apart: States,
    /// One state per node, where they are taken together.
    pub together: IndexVec<NodeId, Option<State>>,
    /// The nodes whose states are taken together.
    pub is_together: IndexVec<NodeId, bool>,
    /// Where what is taken together begins, and with what.
    pub start: Option<(NodeId, State)>,
    rounds: FxHashMap<NodeId, u32>,
}

impl<'b> Body<'b> {
    fn new(procedure: ProcedureId, graph: &'b Graph, entry: &'b State) -> Body<'b> {
        Body {
            procedure,
            graph,
            entry,
            apart: graph.nodes.iter().map(|_| Vec::new()).collect(),
            together: graph.nodes.iter().map(|_| None).collect(),
            is_together: graph.nodes.iter().map(|_| false).collect(),
            start: None,
            rounds: FxHashMap::default(),
        }
    }
}

impl Solver<'_, '_> {
    /// The fixpoint of one procedure from an entry state: what is known at its nodes and at its exit.
    pub fn solve(&mut self, procedure: ProcedureId, entry: &State) -> Result<(States, Vec<State>), Stop> {
        self.stack.push(procedure);
        let result = self.solve_body(procedure, entry);
        self.stack.pop();
        result
    }

    fn solve_body(&mut self, procedure: ProcedureId, entry: &State) -> Result<(States, Vec<State>), Stop> {
        let graph = self.graph(procedure);
        let order = self.order(procedure);
        let mut body = Body::new(procedure, graph, entry);
        if self.keeps_apart() {
            self.pass(&mut body, &order)?;
        } else {
            body.is_together.iter_mut().for_each(|is| *is = true);
            body.start = Some((graph.entry, entry.clone()));
            self.solve_together(&mut body, &order)?;
            body.apart = body.together.iter_mut().map(|state| state.take().into_iter().collect()).collect();
        }
        let exit = body.apart[graph.exit].clone().into_iter().map(|exit| self.leave(procedure, exit));
        let exit = exit.collect();
        let exit = self.condensed(exit, &[]);
        Ok((body.apart, exit))
    }

    /// What the caller gets to see: the result, globals and memory, without what ended with the procedure.
    fn leave(&self, procedure: ProcedureId, exit: State) -> State {
        let mut left =
            State { globals: exit.globals.clone(), memory: exit.memory.clone(), ..State::default() };
        described::leave(&exit, &mut left, &self.context.program.procedures[procedure]);
        if let Some(result) = exit.locals.get(RESULT) {
            left.locals.insert(RESULT, result.clone());
        }
        let own = &self.context.program.procedures[procedure];
        for &id in own.parameters.iter().chain(&own.locals) {
            if self.context.program.variables[id].in_memory && !self.context.is_global(id) {
                memory::forget_object(self.context, &mut left, self.context.object_of(id));
            }
        }
        lives::leave(self.context, &mut left, procedure);
        left
    }

    /// The elements with one state per node, from the body's start.
    pub fn solve_together(&mut self, body: &mut Body<'_>, order: &[Element]) -> Result<(), Stop> {
        body.rounds.clear();
        self.ascend(body, order)?;
        for _ in 0..self.context.settings.narrowing_rounds {
            if body.rounds.is_empty() {
                break;
            }
            self.descend(body, order)?;
        }
        Ok(())
    }

    /// All that comes into a node.
    fn incoming(&mut self, body: &Body<'_>, node: NodeId) -> Result<Option<State>, Stop> {
        let start = body.start.as_ref().filter(|(first, _)| *first == node);
        let mut state = start.map(|(_, state)| state.clone());
        let joining = self.context.joining();
        for &edge in &body.graph.nodes[node].into {
            let from = body.graph.edges[edge].from;
            // What comes to the start from outside is part of it.
            let apart = if body.is_together[from] || start.is_some() { &[][..] } else { &body.apart[from] };
            let together = body.together[from].as_ref().filter(|_| body.is_together[from]);
            for before in together.into_iter().chain(apart) {
                for after in self.step(body.procedure, edge, before, None, &mut Visited::default())? {
                    join_into(&mut state, after, joining);
                }
            }
        }
        Ok(state)
    }

    fn ascend(&mut self, body: &mut Body<'_>, order: &[Element]) -> Result<(), Stop> {
        for element in order {
            match element {
                Element::Node(node) => body.together[*node] = self.incoming(body, *node)?,
                Element::Loop(head, inner) => self.stabilise(body, *head, inner)?,
            }
        }
        Ok(())
    }

    fn stabilise(&mut self, body: &mut Body<'_>, head: NodeId, inner: &[Element]) -> Result<(), Stop> {
        let joining = self.context.joining();
        let delay = self.context.settings.widening_delay;
        let mut round = 0;
        loop {
            let Some(new) = self.incoming(body, head)? else {
                if round > 0 {
                    return Ok(());
                }
                // The loop may be entered elsewhere (a jump into it) and come to its head only from inside.
                round += 1;
                self.ascend(body, inner)?;
                continue;
            };
            let state = match &body.together[head] {
                None => new,
                Some(old) if new.is_within(old) => {
                    if round > 0 && body.rounds.contains_key(&head) {
                        return Ok(());
                    }
                    old.clone()
                }
                Some(old) => {
                    let total = body.rounds.get(&head).copied().unwrap_or(0);
                    let joined = old.join(&new, joining);
                    // Octagons may grow without end under joining too, so widening must come in the end.
                    if round < delay && total < 4 * delay {
                        joined
                    } else if total < 5 * delay + 16 {
                        old.widen(&joined, joining)
                    } else if total < 12 * delay + 60 {
                        // Many thresholds make many rounds: from here on only the ends of types stop.
                        old.widen(&joined, Joining { thresholds: &[], ..joining })
                    } else {
                        old.forget_changes(&joined)
                    }
                }
            };
            body.together[head] = Some(state);
            *body.rounds.entry(head).or_default() += 1;
            round += 1;
            self.ascend(body, inner)?;
        }
    }

    fn descend(&mut self, body: &mut Body<'_>, order: &[Element]) -> Result<(), Stop> {
        for element in order {
            match element {
                Element::Node(node) => body.together[*node] = self.incoming(body, *node)?,
                Element::Loop(head, inner) => {
                    let new = self.incoming(body, *head)?;
                    body.together[*head] = match (&body.together[*head], new) {
                        (Some(old), Some(new)) => Some(old.narrow(&new)),
                        _ => None,
                    };
                    self.descend(body, inner)?;
                }
            }
        }
        Ok(())
    }
}
