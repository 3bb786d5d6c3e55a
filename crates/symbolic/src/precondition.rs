//! Weakest preconditions and transition relations (strongest postconditions read backwards): a step from a state of symbols tells what every variable becomes,
//! and substituting that into a formula gives the formula before the step. So the precondition and the postcondition
//! share one encoding.
//!
//! Worked example: the step `x = x + 1` from a state with the symbol `x0` leads to a state in which `x` is
//! `x0 + 1`. The formula `x > 5` after it is `x0 + 1 > 5` before it; the transition relation is `x' = x0 +
//! 1`. For `*p = 3`, the memory after the step is the memory before with 3 stored at `p`, so that aliases of
//! `p` are covered by the array.

use crate::memory::Cells;
use crate::state::State;
use crate::step::{Effect, Encoder};
use base::Span;
use logic::TermId;
use program::points_to::RegionId;
use program::{Action, VariableId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A part of a state that has a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateVariable {
    /// A variable with static storage outside memory.
    Global(VariableId),
    /// A variable of an active call outside memory; the outermost call has depth 0.
    Local(usize, VariableId),
    /// The memory of a region.
    Memory(RegionId),
    /// Which objects are alive, and how long they are.
    Extents,
    /// Which cells of a region were written.
    Written(RegionId),
    /// When each allocated block was made, counted by origin.
    Births,
    /// Which block was made when.
    Born,
    /// How many blocks were made, by origin.
    NextBirth,
}

/// A step as substitution: what variables are after it, over the variables before it.
#[derive(Clone, Debug)]
pub struct Transition {
    /// When it is taken, its failures, its inputs.
    pub effect: Effect,
    /// What every changed symbol becomes.
    pub changes: FxHashMap<TermId, TermId>,
}

impl Encoder<'_> {
    /// The terms of a state's parts, in order.
    pub fn parts(&mut self, state: &mut State) -> Vec<(StateVariable, TermId)> {
        let mut parts: Vec<(StateVariable, TermId)> =
            state.globals.iter().map(|(&id, &term)| (StateVariable::Global(id), term)).collect();
        for (depth, frame) in state.frames.iter().enumerate() {
            parts.extend(frame.registers.iter().map(|(&id, &term)| (StateVariable::Local(depth, id), term)));
        }
        for region in state.regions.ids() {
            let array = array_of(&mut self.terms, &mut state.regions[region]);
            parts.push((StateVariable::Memory(region), array));
        }
        let extents = array_of(&mut self.terms, &mut state.extents);
        parts.push((StateVariable::Extents, extents));
        for region in state.unwritten.ids() {
            let array = array_of(&mut self.terms, &mut state.unwritten[region]);
            parts.push((StateVariable::Written(region), array));
        }
        if let Some(births) = &mut state.births {
            parts.push((StateVariable::Births, array_of(&mut self.terms, &mut births.of)));
            parts.push((StateVariable::Born, array_of(&mut self.terms, &mut births.who)));
            parts.push((StateVariable::NextBirth, array_of(&mut self.terms, &mut births.next)));
        }
        parts
    }

    /// What a step (no call, no return) changes, from a state whose parts are symbols (see
    /// [`any_state`](Self::any_state)).
    pub fn transition(&mut self, before: &State, action: &Action, span: Span) -> Transition {
        let mut symbols = before.clone();
        let mut after = before.clone();
        let effect = self.step(&mut after, action, span);
        let old = self.parts(&mut symbols);
        let new: FxHashMap<StateVariable, TermId> = self.parts(&mut after).into_iter().collect();
        let changes = old
            .into_iter()
            .filter_map(|(part, symbol)| {
                let value = *new.get(&part)?;
                (value != symbol).then_some((symbol, value))
            })
            .collect();
        Transition { effect, changes }
    }

    /// The weakest condition before the step under which `formula` holds after it, if it is taken and does not fail;
    /// the formula is over the symbols of the state the transition was made from.
    pub fn weakest_precondition(&mut self, transition: &Transition, formula: TermId) -> TermId {
        let substituted = self.terms.pool.substitute(formula, &transition.changes);
        let substituted = self.terms.simple(substituted);
        match transition.effect.condition {
            None => substituted,
            Some(condition) => {
                let not_taken = self.terms.not(condition);
                self.terms.or(not_taken, substituted)
            }
        }
    }
}

fn array_of(terms: &mut crate::Terms, cells: &mut Rc<Cells>) -> TermId {
    Rc::make_mut(cells).bring_up_to_date(terms)
}
