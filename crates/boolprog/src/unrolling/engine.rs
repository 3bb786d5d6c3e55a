//! The loop of Figure 4.8: ask, look what was abstract on the way, unroll it, ask again.

use super::activation::{Activation, ActivationId, Copy, CopyId};
use super::path::{Found, explain};
use crate::analysis::{Live, ModRef, interprocedural_live, mod_ref};
use crate::concretise::replayed_alone;
use crate::gates::Gates;
use crate::graph::{Action, EdgeId, NodeId, ProcedureId, Program};
use crate::setup::Setup;
use crate::trace::Trace;
use base::{Budget, IndexVec};
use logic::answer::Answer;
use logic::sat::{Literal, SolveUnder};
use question::{Decided, Monitor, Searched};
use verdict::{Reason, Statistics, Undecided};

/// Limits of the unrolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnrollingSettings {
    /// The most copies of nodes in the formula.
    pub most_copies: usize,
}

impl Default for UnrollingSettings {
    fn default() -> Self {
        UnrollingSettings { most_copies: 200_000 }
    }
}

/// Answers for a sequential program by unrolling. Never gives a trace that was not replayed.
pub fn check_by_unrolling(
    program: &Program,
    setup: &Setup,
    settings: UnrollingSettings,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
) -> Searched<Trace> {
    if !setup.is_sequential(program) {
        let why = "it takes sequential programs; this one can have several threads".to_string();
        return Err(Undecided::because(Reason::EngineCannot { engine: "sat", why }));
    }
    let mut unrolling = Unrolling::new(program);
    let found = unrolling.run(setup, settings, monitor);
    let activations = unrolling.activations.len();
    let unseen = unrolling.activations.iter().filter(|activation| activation.layers == 0).count();
    statistics.count("solver_checks", unrolling.checks as u64);
    statistics.count("activations", activations as u64);
    statistics.count("activations_left_abstract", unseen as u64);
    found.map_err(|open| {
        let copies = unrolling.copies.len();
        open.proved(format!("no failure within {activations} activations and {copies} copies of nodes"))
    })
}

pub(super) struct Unrolling<'p> {
    pub program: &'p Program,
    pub gates: Gates,
    pub effects: ModRef,
    pub live: Live,
    pub is_back_edge: IndexVec<EdgeId, bool>,
    pub is_loop_head: IndexVec<NodeId, bool>,
    forward_orders: IndexVec<ProcedureId, Vec<NodeId>>,
    can_fail: IndexVec<ProcedureId, bool>,
    pub activations: IndexVec<ActivationId, Activation>,
    pub copies: IndexVec<CopyId, Copy>,
    /// Edges that fail: the literal, where, which.
    pub errors: Vec<(Literal, CopyId, EdgeId)>,
    checks: usize,
}

impl<'p> Unrolling<'p> {
    fn new(program: &'p Program) -> Unrolling<'p> {
        let effects = mod_ref(program);
        let live = interprocedural_live(program, &effects);
        let mut unrolling = Unrolling {
            program,
            gates: Gates::new(),
            effects,
            live,
            is_back_edge: IndexVec::filled(false, program.edges().len()),
            is_loop_head: IndexVec::filled(false, program.nodes().len()),
            forward_orders: IndexVec::new(),
            can_fail: procedures_that_can_fail(program),
            activations: IndexVec::new(),
            copies: IndexVec::new(),
            errors: Vec::new(),
            checks: 0,
        };
        for procedure in program.procedures() {
            let order = unrolling.order_from(procedure.entry);
            unrolling.forward_orders.push(order);
        }
        unrolling
    }

    /// Marks edges that go back (to a node on the search's stack); the order has all others going forward.
    fn order_from(&mut self, entry: NodeId) -> Vec<NodeId> {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Colour {
            OnStack,
            Done,
        }
        let mut colours = rustc_hash::FxHashMap::default();
        let mut order = Vec::new();
        let mut stack = vec![(entry, 0)];
        colours.insert(entry, Colour::OnStack);
        while let Some((node, position)) = stack.last_mut() {
            let Some(&edge) = self.program.outgoing(*node).get(*position) else {
                colours.insert(*node, Colour::Done);
                order.push(*node);
                stack.pop();
                continue;
            };
            *position += 1;
            let to = self.program.edges()[edge].to;
            match colours.get(&to) {
                Some(Colour::OnStack) => {
                    self.is_back_edge[edge] = true;
                    self.is_loop_head[to] = true;
                }
                Some(Colour::Done) => {}
                None => {
                    colours.insert(to, Colour::OnStack);
                    stack.push((to, 0));
                }
            }
        }
        order.reverse();
        order
    }

    pub(super) fn forward_order(&self, procedure: ProcedureId) -> Vec<NodeId> {
        self.forward_orders[procedure].clone()
    }

    fn run(&mut self, setup: &Setup, settings: UnrollingSettings, monitor: Monitor<'_>) -> Searched<Trace> {
        let root = setup.roots[0];
        let mut globals = Vec::new();
        for initial in self.program.initial() {
            globals.push(match *initial {
                Some(value) => self.gates.constant(value),
                None => self.gates.fresh(),
            });
        }
        let locals = self.gates.fresh_many(self.program.procedures()[root].variables.len());
        let first = self.new_activation(root, None, globals, locals);
        self.unroll(first);
        loop {
            monitor.count("copies of nodes", self.copies.len());
            monitor.check()?;
            if self.copies.len() > settings.most_copies {
                let reason =
                    Reason::SizeLimit { what: "copies of nodes", limit: settings.most_copies as u64 };
                return Err(Undecided::because(reason).try_next("try `--engine bdd`"));
            }
            if !self.can_reach_error(monitor.budget)? {
                return Ok(Decided::Proved(()));
            }
            match explain(self) {
                Found::Run(path) => {
                    let trace = replayed_alone(self.program, setup, path, monitor.budget)?;
                    return Ok(Decided::Violated(trace));
                }
                Found::Abstract(used) => used.into_iter().for_each(|activation| self.unroll(activation)),
            }
        }
    }

    /// Is there a model that reaches an error, or something not unrolled in which one may lie?
    fn can_reach_error(&mut self, budget: &Budget) -> Result<bool, Undecided> {
        let goal = self.gates.fresh();
        let mut reasons: Vec<Literal> = self.errors.iter().map(|(taken, ..)| *taken).collect();
        for activation in &self.activations {
            if self.can_fail[activation.procedure] {
                reasons.push(activation.goes_on);
            }
        }
        reasons.push(!goal);
        self.gates.require(&reasons);
        self.checks += 1;
        match self.gates.solver.solve_under(&[goal], budget) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(_) => {
                budget.check()?;
                let question = "an error can be reached".to_string();
                Err(Undecided::because(Reason::SolverUnknown { question }))
            }
        }
    }

    pub(super) fn may_fail_later(&self, activation: ActivationId) -> bool {
        self.can_fail[self.activations[activation].procedure]
    }
}

/// Procedures with an assertion or error label, their own or in what they call.
fn procedures_that_can_fail(program: &Program) -> IndexVec<ProcedureId, bool> {
    let mut can_fail = IndexVec::filled(false, program.procedures().len());
    for edge in program.edges() {
        if matches!(edge.action, Action::Assert { .. } | Action::Error { .. }) {
            can_fail[program.procedure_of(edge.from)] = true;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in program.edges() {
            let caller = program.procedure_of(edge.from);
            if let Action::Call { callee, .. } = edge.action
                && can_fail[callee]
                && !can_fail[caller]
            {
                can_fail[caller] = true;
                changed = true;
            }
        }
    }
    can_fail
}
