//! Which steps a run takes at most once, the active calls given? Those on no cycle of their procedure, where no active call was made
//! by a step on a cycle either: by induction from `main` inwards, each of these calls is made at most once.
//!
//! What such a step allocates, or begins, is one object of a run. So it may have a fixed number, which invariants can name, and which nothing
//! else ever gets: no pointer to an earlier object of that number can be left, since there is none.
//!
//! Why its number is new wherever control may come to the step: if the step was taken before, control would have come back to it, which
//! takes a cycle through it, or through one of the calls above it.
//!
//! Trusted: engines that prove and the auditor both rest on this one argument (docs/SOUNDNESS.md).

use crate::Meaning;
use crate::state::Frame;
use crate::step::Encoder;
use base::IndexVec;
use logic::TermId;
use program::{Action, Callee, EdgeId, Graph, LifetimeStep, NodeId, ProcedureId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// What was found out about procedures so far.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    components: RefCell<FxHashMap<ProcedureId, Rc<OfProcedure>>>,
}

/// The cycles of a procedure.
#[derive(Debug)]
struct OfProcedure {
    /// The strongly connected component of each place.
    components: IndexVec<NodeId, Option<usize>>,
    /// Variables of inner blocks that begin to live at a step on a cycle.
    begin_again: FxHashSet<VariableId>,
}

impl OfProcedure {
    fn of(body: &Graph) -> OfProcedure {
        let successors = |node: NodeId| body.out(node).map(|(_, edge)| edge.to).collect::<Vec<_>>();
        let found = base::graph::components(body.nodes.len(), body.nodes.ids(), successors);
        let components = found.numbers(body.nodes.len());
        let mut cycles = OfProcedure { components, begin_again: FxHashSet::default() };
        for (id, edge) in body.edges.iter_enumerated() {
            if let Action::Lifetime { variable, step: LifetimeStep::Begin } = edge.action
                && cycles.contain(body, id)
            {
                cycles.begin_again.insert(variable);
            }
        }
        cycles
    }

    /// Is the step on a cycle? Both its ends are in one component then, and never otherwise.
    fn contain(&self, body: &Graph, edge: EdgeId) -> bool {
        let edge = &body.edges[edge];
        self.components[edge.from] == self.components[edge.to]
    }
}

impl Meaning<'_> {
    fn cycles_of(&self, procedure: ProcedureId) -> Option<Rc<OfProcedure>> {
        let body = self.program.procedures[procedure].body.as_ref()?;
        let mut known = self.cycles.components.borrow_mut();
        Some(known.entry(procedure).or_insert_with(|| Rc::new(OfProcedure::of(body))).clone())
    }

    /// May a call of the procedure take the step more than once?
    pub fn may_repeat(&self, procedure: ProcedureId, edge: EdgeId) -> bool {
        match (&self.program.procedures[procedure].body, self.cycles_of(procedure)) {
            (Some(body), Some(cycles)) => cycles.contain(body, edge),
            _ => true,
        }
    }

    /// May the variable of a call begin to live more than once?
    pub(crate) fn may_begin_again(&self, variable: VariableId) -> bool {
        let owner = self.program.variables[variable].procedure;
        owner
            .and_then(|owner| self.cycles_of(owner))
            .is_none_or(|cycles| cycles.begin_again.contains(&variable))
    }
}

impl Encoder<'_> {
    /// Tells which calls are active: the callers with the steps that called, outermost first.
    pub fn set_context(&mut self, calls: impl Iterator<Item = (ProcedureId, EdgeId)>) {
        let Some(fixed) = &mut self.fixed_objects else { return };
        let meaning = self.meaning;
        fixed.is_once = fixed.from_main;
        fixed.context.clear();
        for (caller, edge) in calls {
            fixed.is_once &= !meaning.may_repeat(caller, edge);
            fixed.context.push(edge);
        }
    }

    /// The number of the block that the step allocates, if a run takes it at most once with the calls that are active.
    pub(crate) fn number_of_only_block(&mut self, (procedure, edge): (ProcedureId, EdgeId)) -> Option<usize> {
        let meaning = self.meaning;
        let fixed = self.fixed_objects.as_mut()?;
        // Through a pointer one step may allocate in several ways, which differ in what the block holds.
        let is_direct = meaning.program.procedures[procedure].body.as_ref().is_some_and(|body| {
            matches!(body.edges[edge].action, Action::Call { callee: Callee::Direct(_), .. })
        });
        if !fixed.is_once || !is_direct || meaning.may_repeat(procedure, edge) {
            return None;
        }
        let next_object = &mut self.next_object;
        Some(*fixed.blocks.entry((fixed.context.clone(), procedure, edge)).or_insert_with(|| {
            *next_object += 1;
            *next_object - 1
        }))
    }

    /// May a loop run while these calls are active? Blocks that end with a call must have fixed numbers: any state at the head of the loop
    /// has the same then.
    pub fn own_blocks_are_fixed(&self, frames: &[Rc<Frame>]) -> bool {
        let mut blocks = frames.iter().flat_map(|frame| &frame.own_blocks);
        let is_fixed = |&block: &TermId| {
            let (Some(address), Some(fixed)) = (self.terms.constant(block), &self.fixed_objects) else {
                return false;
            };
            fixed.is_fixed(self.meaning.layout.object_of(address))
        };
        blocks.all(is_fixed)
    }
}

/// Do calls have, among the blocks that end with them, those of calls that come to the same place? To end one that was not allocated changes nothing.
pub fn has_own_blocks_of(known: &[Rc<Frame>], arriving: &[Rc<Frame>]) -> bool {
    let mut pairs = known.iter().zip(arriving);
    pairs.all(|(known, arriving)| arriving.own_blocks.iter().all(|block| known.own_blocks.contains(block)))
}
