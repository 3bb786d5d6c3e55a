//! Weak bisimulation (observational equivalence, what LTSA's `minimal` means): strong bisimulation of the
//! saturated structure, Milner 1989. Saturation may square the transitions; for large structures take
//! branching instead.

use super::strong::strong_partition;
use crate::weak_moves::WeakMoves;
use base::{Budget, Exhausted};
use lks::quotient::Partition;
use lks::{Lks, LksBuilder, StateMark};

/// The coarsest weak bisimulation whose blocks agree on marks and propositions.
pub fn weak_partition(lks: &Lks, budget: &Budget) -> Result<Partition, Exhausted> {
    let moves = WeakMoves::of(lks, budget)?;
    let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    builder.ensure_states(lks.state_count());
    for state in lks.states() {
        lks.label(state).iter().for_each(|proposition| builder.label(state, proposition));
        if lks.mark(state) != StateMark::Plain {
            // A marked state keeps its mark and loses its moves, of which it has only the empty one.
            builder.mark(state, lks.mark(state));
        }
        for action in lks.alphabet().ids() {
            for &(_, target) in moves.after(state, action) {
                builder.transition(state, action, target);
            }
        }
    }
    strong_partition(&builder.build(), budget)
}
