//! A chain of obligations from the start to a failure, followed forward on values: every step asks for inputs
//! that lead from the state that was reached to the next obligation. What comes out are the inputs of a run,
//! for the interpreter to judge.

use super::{Search, Stop};
use crate::blocks::{ArrivalId, HeadId};
use crate::explorer::PathInput;
use crate::replay::PlannedInputs;
use base::Budget;
use logic::{Answer, Sort, TermId, Value};
use std::sync::Arc;

/// A step of a chain: by this arrival to these states.
#[derive(Clone, Debug)]
pub struct Link {
    /// The way.
    pub arrival: ArrivalId,
    /// Conditions on the state that arrives.
    pub literals: Vec<TermId>,
    /// Parts of that state that later steps depend on.
    pub subjects: Vec<TermId>,
}

impl Search<'_, '_, '_> {
    /// The inputs of a run along a chain that ends with a failure, if there is one.
    pub(super) fn inputs_along(
        &mut self,
        chain: &[Link],
        budget: &Budget,
    ) -> Result<Option<PlannedInputs>, Stop> {
        let mut planned: Vec<(Arc<str>, u128)> = Vec::new();
        let mut state: Vec<TermId> = Vec::new();
        let mut at: Option<HeadId> = None;
        for link in chain {
            let to = self.blocks.arrivals[link.arrival].to;
            let mut assumptions = state.clone();
            assumptions.push(self.blocks.arrivals[link.arrival].guard);
            assumptions.extend(self.blocks.after_all(link.arrival, &link.literals));
            if self.queries.ask(self.blocks, at, &assumptions, budget) != Answer::Sat {
                return Ok(None);
            }
            self.take_inputs(at, &mut planned)?;
            let mut subjects: Vec<TermId> =
                self.blocks.heads[to].symbols.iter().map(|(_, symbol)| *symbol).collect();
            let pool = &self.blocks.explorer.encoder.terms.pool;
            subjects.retain(|&symbol| matches!(pool.sort(symbol), Sort::BitVec(_)));
            subjects.extend(link.subjects.iter().filter(|&&subject| pool.symbol_name(subject).is_none()));
            let after = self.blocks.after_all(link.arrival, &subjects);
            let values = self.values(&after)?;
            state = Vec::new();
            for (subject, value) in subjects.into_iter().zip(values) {
                if let Value::Bits(bits) = value {
                    let pool = &mut self.blocks.explorer.encoder.terms.pool;
                    let constant = pool.constant(bits);
                    state.push(pool.equal(subject, constant));
                }
            }
            at = Some(to);
        }
        let Some(head) = at else { return Ok(None) };
        state.push(self.blocks.failure_after(Some(head)));
        if self.queries.ask(self.blocks, at, &state, budget) != Answer::Sat {
            return Ok(None);
        }
        self.take_inputs(at, &mut planned)?;
        Ok(Some(PlannedInputs::listed(planned)))
    }

    /// Adds the inputs that the last model takes in the block after a head.
    fn take_inputs(&mut self, from: Option<HeadId>, planned: &mut Vec<(Arc<str>, u128)>) -> Result<(), Stop> {
        let range = self.blocks.inputs_after(from);
        let taken: Vec<PathInput> =
            self.blocks.explorer.inputs[range].iter().filter(|taken| !taken.is_modelled).cloned().collect();
        let mut wanted: Vec<TermId> = taken.iter().map(|taken| taken.guard).collect();
        wanted.extend(taken.iter().map(|taken| taken.input.symbol));
        let values = self.values(&wanted)?;
        for (at, input) in taken.iter().enumerate() {
            if values[at] == Value::Bool(true)
                && let Value::Bits(bits) = &values[taken.len() + at]
            {
                planned.push((input.input.name.clone(), bits.to_u128().unwrap_or(0)));
            }
        }
        Ok(())
    }
}
