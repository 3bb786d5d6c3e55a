//! Variables that have one value wherever a loop begins a round, such as a length that is set once, or a pointer to the only block of its kind (constant
//! propagation over the steps between heads). At such a head they are constants in place of symbols, so that what comes after is walked, asked and
//! guessed about with the values themselves.
//!
//! After Wegman, Zadeck 1991, in that it is optimistic: what the first state that comes to a head has is supposed to stay. DIVERGENCE: a value
//! that another arrival breaks is no longer supposed, and the walk begins anew; so nothing has to be followed up.
//!
//! **Obligation.** At every arrival at a head the value is that constant, all such values being supposed at the head before: an induction. Each is an
//! invariant of its own in certificates, and is audited as all are.
//!
//! Worked example: `int n = 1500; for (i = 0; i < n; i++) a[n * k + i] = 0;`. At the head `n` is 1500, since no step of the loop changes it, and the product is one
//! with a constant.

use crate::blocks::names_an_allocation;
use crate::explorer::{Level, Pending, PlaceKey};
use base::IndexVec;
use base::graph::components;
use logic::TermId;
use program::expr::{Access, ExprPart};
use program::{Action, Callee, Graph, NodeId, PlaceBase, ProcedureId, Program, VariableId, VariableKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use symbolic::{Encoder, State, StateVariable};

/// More values at one head than this are too many.
const MOST_VALUES: usize = 60;

/// A variable that has one value at a head.
#[derive(Clone, Copy, Debug)]
pub struct Settled {
    /// The variable.
    pub part: StateVariable,
    /// Its symbol in a state of which that is not supposed.
    pub symbol: TermId,
    /// The value.
    pub value: TermId,
}

/// What is supposed, and what was found not to be so.
#[derive(Debug, Default)]
pub struct Settling {
    /// Values that are not supposed any more.
    broken: FxHashSet<(PlaceKey, StateVariable)>,
    /// Were there new ones in this walk?
    has_broken: bool,
    /// Is nothing supposed at all?
    is_off: bool,
    graphs: FxHashMap<ProcedureId, Rc<IndexVec<NodeId, Option<usize>>>>,
}

impl Settling {
    /// Nothing is supposed.
    pub fn off() -> Settling {
        Settling { is_off: true, ..Settling::default() }
    }

    /// Must the walk begin anew? Nothing is supposed any more if that would go on for long.
    pub fn must_begin_anew(&mut self, walks: u32) -> bool {
        self.is_off |= self.has_broken && walks >= 4;
        std::mem::take(&mut self.has_broken)
    }

    /// Sets the variables of any state at a head to the values that they have in a first one.
    pub fn settle(
        &mut self,
        encoder: &mut Encoder<'_>,
        (place, pending): (&PlaceKey, &Pending),
        any: &mut State,
    ) -> Vec<Settled> {
        if self.is_off {
            return Vec::new();
        }
        let program = encoder.meaning.program;
        let changed = self.changed_in_loops(program, &pending.stack);
        let mut found: Vec<(StateVariable, TermId)> = Vec::new();
        for (depth, frame) in pending.state.frames.iter().enumerate() {
            found
                .extend(frame.registers.iter().map(|(&id, &value)| (StateVariable::Local(depth, id), value)));
        }
        found.extend(pending.state.globals.iter().map(|(&id, &value)| (StateVariable::Global(id), value)));
        let mut settled = Vec::new();
        for (part, value) in found {
            let (StateVariable::Local(_, id) | StateVariable::Global(id)) = part else { continue };
            let is_settled = encoder.terms.constant(value).is_some()
                && !changed.contains(&id)
                && program.types.is_scalar(program.variables[id].ty.id)
                && program.variables[id].kind != VariableKind::StringLiteral
                && !self.broken.contains(&(place.clone(), part));
            if !is_settled || settled.len() >= MOST_VALUES {
                continue;
            }
            let own = match part {
                StateVariable::Local(depth, _) => {
                    any.frames.get_mut(depth).and_then(|frame| Rc::make_mut(frame).registers.get_mut(&id))
                }
                _ => Rc::make_mut(&mut any.globals).get_mut(&id),
            };
            let Some(own) = own else { continue };
            let equation = encoder.terms.equal(*own, value);
            if names_an_allocation(encoder, equation) && !encoder.meaning.is_plain_number(id) {
                continue;
            }
            settled.push(Settled { part, symbol: *own, value });
            *own = value;
        }
        settled
    }

    /// Looks whether a state that arrives at a head has the values that are supposed there.
    pub fn look_at(
        &mut self,
        place: &PlaceKey,
        settled: &[Settled],
        arriving: &FxHashMap<StateVariable, TermId>,
    ) {
        for one in settled {
            if arriving.get(&one.part) != Some(&one.value) && self.broken.insert((place.clone(), one.part)) {
                self.has_broken = true;
            }
        }
    }

    /// The variables that are written in loops around a place, or that no step from there on reads: about these nothing is supposed. Only a guess at
    /// what may be worth supposing.
    fn changed_in_loops(&mut self, program: &Program, stack: &[Level]) -> FxHashSet<VariableId> {
        let mut changed = FxHashSet::default();
        let mut called: Vec<ProcedureId> = Vec::new();
        let mut read = FxHashSet::default();
        for level in stack {
            let Some(body) = &program.procedures[level.procedure].body else { continue };
            let component = self.components_of(level.procedure, body);
            for edge in &body.edges {
                let is_inside = component[edge.from] == component[edge.to]
                    && component[edge.from] == component[level.node];
                if is_inside {
                    see(&edge.action, &mut changed, &mut FxHashSet::default());
                    if let Action::Call { callee: Callee::Direct(callee), .. } = edge.action {
                        called.push(callee);
                    }
                }
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(procedure) = called.pop() {
            if !seen.insert(procedure) {
                continue;
            }
            for edge in program.procedures[procedure].body.iter().flat_map(|body| &body.edges) {
                see(&edge.action, &mut changed, &mut FxHashSet::default());
                if let Action::Call { callee: Callee::Direct(callee), .. } = edge.action {
                    called.push(callee);
                }
            }
        }
        for edge in program.edges() {
            see(&edge.action, &mut FxHashSet::default(), &mut read);
        }
        for id in program.variables.ids() {
            if !read.contains(&id) {
                changed.insert(id);
            }
        }
        changed
    }

    fn components_of(&mut self, procedure: ProcedureId, body: &Graph) -> Rc<IndexVec<NodeId, Option<usize>>> {
        let found = self.graphs.entry(procedure).or_insert_with(|| {
            let successors = |node: NodeId| body.out(node).map(|(_, edge)| edge.to).collect::<Vec<_>>();
            Rc::new(components(body.nodes.len(), body.nodes.ids(), successors).numbers(body.nodes.len()))
        });
        found.clone()
    }
}

/// The variables that a step writes, and those it reads.
fn see(action: &Action, written: &mut FxHashSet<VariableId>, read: &mut FxHashSet<VariableId>) {
    action.visit(&mut |part| {
        if let ExprPart::Place(place, access) = part
            && let PlaceBase::Variable(id) = place.base
        {
            match access {
                Access::Write => written.insert(id),
                Access::Read => read.insert(id),
                Access::Address => false,
            };
        }
    });
}
