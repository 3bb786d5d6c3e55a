//! Memory orders. All interleavings are those of sequentially consistent memory: a run of them is possible under every order, but a proof about them says nothing of the runs that
//! weaker orders add.

use crate::shared::known_calls;
use base::Span;
use program::{Known, Program};

/// `seq_cst` for success and failure, as `lower` numbers orders; a fence; a mere step.
const STRONG: [u128; 3] = [5 + 8 * 5, 64, Known::STEP];

/// Where an atomic operation has an order weaker than `seq_cst`, if one has.
pub fn weaker_order(program: &Program) -> Option<Span> {
    program.procedures.iter_enumerated().find_map(|(id, procedure)| {
        let body = procedure.body.as_ref()?;
        known_calls(program, id)
            .filter(|(_, known, _)| *known == Known::AtomicBegin)
            .find(|(.., arguments)| {
                let order = arguments.first().and_then(|order| order.as_integer());
                order.is_some_and(|order| !STRONG.contains(&order))
            })
            .map(|(edge, ..)| body.edges[edge].span)
    })
}
