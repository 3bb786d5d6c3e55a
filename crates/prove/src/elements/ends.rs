//! Can a run end from wherever it is? Who shows that nothing is left behind at the end of any run, and that every run can
//! come to an end, has shown that no block is ever lost: a lost block could not be freed on the way.
//!
//! The run that is looked for takes zero for every input. On it, what leads from head to head has a measure that falls
//! (lexicographic ranking functions, found greedily as by Alias, Darte, Feautrier, Gonnord 2010): of each set of heads that
//! lead to each other, a measure that no step raises takes away the steps that lower it, until no circle is left. Measures
//! are variables, their complements, and when the block was made that a pointer leads to. All are bit-vectors, so
//! nothing falls for ever.

use super::Elements;
use crate::blocks::{ArrivalId, HeadId};
use base::Budget;
use logic::{Answer, Sort, TermId};
use program::{Action, AssumeReason, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::StateVariable;
use verdict::Reason;

/// How a variable measures how far a run is from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// Its value, as an unsigned number.
    Value,
    /// Its value, as a signed number.
    Signed,
    /// How far it is below the greatest unsigned number.
    Room,
    /// The same of a signed number.
    SignedRoom,
    /// How many blocks of any origin were made before the one that it leads to.
    Birth,
    /// How many can be made after it.
    AfterBirth,
}

const NUMBERS: [Measure; 4] = [Measure::Value, Measure::Signed, Measure::Room, Measure::SignedRoom];
const POINTERS: [Measure; 2] = [Measure::Birth, Measure::AfterBirth];

/// May a run be stopped before its end because the program supposes something that is not so?
fn may_be_stopped(program: &Program) -> bool {
    program.edges().any(|edge| matches!(edge.action, Action::Assume { reason: AssumeReason::User, .. }))
        || program.procedures.iter().filter_map(|procedure| procedure.body.as_ref()).any(|body| {
            body.nodes.iter().any(|node| {
                let conditions = node.out.iter().map(|&edge| match &body.edges[edge].action {
                    Action::Assume { condition, expected, .. } => Some((condition, *expected)),
                    _ => None,
                });
                match conditions.collect::<Vec<_>>()[..] {
                    [Some((one, first)), Some((two, second))] => one != two || first == second,
                    ref others => others.iter().any(Option::is_some),
                }
            })
        })
}

impl Elements<'_, '_, '_> {
    /// Can every run that does not fail come to an end, if the next inputs are right?
    pub(super) fn can_end(&mut self, budget: &Budget) -> Result<bool, Reason> {
        if may_be_stopped(self.blocks.program) || self.blocks.explorer.contracts.is_some() {
            return Ok(false);
        }
        let mut open: Vec<ArrivalId> = Vec::new();
        for id in self.blocks.arrivals.ids().collect::<Vec<_>>() {
            let Some(from) = self.blocks.arrivals[id].from else { continue };
            let zero = self.zero_inputs(from);
            let guard = self.blocks.arrivals[id].guard;
            let guard = self.under_zero(guard, &zero);
            if self.is_possible(from, &[guard], budget)? {
                open.push(id);
            }
        }
        loop {
            let circles = self.circles(&open);
            if circles.is_empty() {
                return Ok(true);
            }
            for circle in circles {
                budget.check()?;
                let inside: Vec<ArrivalId> =
                    open.iter().copied().filter(|id| self.is_inside(*id, &circle)).collect();
                let Some(falling) = self.falling(&circle, &inside, budget)? else { return Ok(false) };
                open.retain(|id| !falling.contains(id));
            }
        }
    }

    fn is_inside(&self, id: ArrivalId, circle: &FxHashSet<HeadId>) -> bool {
        let arrival = &self.blocks.arrivals[id];
        circle.contains(&arrival.to) && arrival.from.is_some_and(|from| circle.contains(&from))
    }

    /// The sets of heads that lead to each other.
    fn circles(&self, open: &[ArrivalId]) -> Vec<FxHashSet<HeadId>> {
        let leads = |from: HeadId| {
            let arrivals = open.iter().map(|&id| &self.blocks.arrivals[id]);
            arrivals
                .filter(move |arrival| arrival.from == Some(from))
                .map(|arrival| arrival.to)
                .collect::<Vec<_>>()
        };
        let after = |from: HeadId| -> FxHashSet<HeadId> {
            base::graph::reachable(leads(from), leads).into_iter().collect()
        };
        let reached: FxHashMap<HeadId, FxHashSet<HeadId>> =
            self.blocks.heads.ids().map(|id| (id, after(id))).collect();
        let mut circles: Vec<FxHashSet<HeadId>> = Vec::new();
        for head in self.blocks.heads.ids() {
            if reached[&head].contains(&head) && !circles.iter().any(|circle| circle.contains(&head)) {
                let others = reached[&head].iter().copied();
                circles.push(others.filter(|other| reached[other].contains(&head)).collect());
            }
        }
        circles
    }

    /// Zero for each input that is taken after a head.
    fn zero_inputs(&mut self, from: HeadId) -> FxHashMap<TermId, TermId> {
        let range = self.blocks.inputs_after(Some(from));
        let explorer = &mut self.blocks.explorer;
        let mut zero = FxHashMap::default();
        for taken in &explorer.inputs[range] {
            if let Sort::BitVec(width) = explorer.encoder.terms.pool.sort(taken.input.symbol)
                && !taken.input.is_indeterminate
            {
                zero.insert(taken.input.symbol, explorer.encoder.terms.number(width, 0));
            }
        }
        zero
    }

    /// A condition of a block whose inputs are zero. Guards that have names are replaced by what they stand for.
    fn under_zero(&mut self, term: TermId, zero: &FxHashMap<TermId, TermId>) -> TermId {
        let terms = &mut self.blocks.explorer.encoder.terms;
        let term = terms.pool.substitute(term, &self.names);
        let term = terms.pool.substitute(term, zero);
        terms.simple(term)
    }

    fn is_possible(&mut self, from: HeadId, what: &[TermId], budget: &Budget) -> Result<bool, Reason> {
        let block = self.block(what);
        let supposed = super::conditions(&self.supposed(Some(from), &block, &[]));
        match self.blocks.ask_supposing(Some(from), what, &supposed, budget) {
            Answer::Unsat => Ok(false),
            Answer::Sat => Ok(true),
            Answer::Unknown(reason) => Err(Reason::solver(&reason)),
        }
    }

    /// The steps of a circle that some measure takes away; `None` if none does.
    fn falling(
        &mut self,
        circle: &FxHashSet<HeadId>,
        inside: &[ArrivalId],
        budget: &Budget,
    ) -> Result<Option<Vec<ArrivalId>>, Reason> {
        let mut parts: Vec<StateVariable> = Vec::new();
        for head in circle {
            for (part, _) in self.blocks.heads[*head].symbols.iter() {
                let is_variable = matches!(part, StateVariable::Global(_) | StateVariable::Local(..));
                if is_variable && !parts.contains(part) {
                    parts.push(*part);
                }
            }
        }
        parts.retain(|part| {
            let changes = |id: &ArrivalId| {
                let arrival = &self.blocks.arrivals[*id];
                let symbol = self.symbol(arrival.to, *part);
                let before = arrival.from.and_then(|from| self.symbol(from, *part));
                symbol.is_some_and(|symbol| arrival.values.get(&symbol).copied() != before)
            };
            inside.iter().any(changes)
        });
        for part in parts {
            let program = self.blocks.program;
            let (StateVariable::Global(id) | StateVariable::Local(_, id)) = part else { continue };
            let is_pointer = program.types.is_pointer(program.variables[id].ty.id);
            let measures = if is_pointer { &POINTERS[..] } else { &NUMBERS[..] };
            for &measure in measures {
                budget.check()?;
                if let Some(falling) = self.fall(part, measure, inside, budget)? {
                    return Ok(Some(falling));
                }
            }
        }
        Ok(None)
    }

    fn symbol(&self, head: HeadId, part: StateVariable) -> Option<TermId> {
        let symbols = &self.blocks.heads[head].symbols;
        symbols.iter().find(|(own, _)| *own == part).map(|(_, symbol)| *symbol)
    }

    /// The steps that lower the measure, if no step raises it.
    fn fall(
        &mut self,
        part: StateVariable,
        measure: Measure,
        inside: &[ArrivalId],
        budget: &Budget,
    ) -> Result<Option<Vec<ArrivalId>>, Reason> {
        let mut falling = Vec::new();
        for &id in inside {
            let (from, to) = (self.blocks.arrivals[id].from, self.blocks.arrivals[id].to);
            let Some(from) = from else { continue };
            let (Some(before), Some(after)) =
                (self.measure(from, part, measure), self.measure(to, part, measure))
            else {
                return Ok(None);
            };
            let after = self.blocks.after(id, after);
            let zero = self.zero_inputs(from);
            let guard = self.blocks.arrivals[id].guard;
            let (guard, after) = (self.under_zero(guard, &zero), self.under_zero(after, &zero));
            let terms = &mut self.blocks.explorer.encoder.terms;
            let (falls, rises) = (terms.below(after, before), terms.below(before, after));
            let stays = terms.not(falls);
            if !self.is_possible(from, &[guard, stays], budget)? {
                falling.push(id);
            } else if self.is_possible(from, &[guard, rises], budget)? {
                return Ok(None);
            }
        }
        Ok((!falling.is_empty()).then_some(falling))
    }

    fn measure(&mut self, head: HeadId, part: StateVariable, measure: Measure) -> Option<TermId> {
        let symbol = self.symbol(head, part)?;
        let births = self.symbol(head, StateVariable::Births);
        let extents = self.symbol(head, StateVariable::Extents);
        let encoder = &mut self.blocks.explorer.encoder;
        let layout = encoder.meaning.layout;
        let terms = &mut encoder.terms;
        let Sort::BitVec(width) = terms.pool.sort(symbol) else { return None };
        let is_signed = matches!(measure, Measure::Signed | Measure::SignedRoom);
        let value = if is_signed {
            let least = terms.number(width, 1 << (width - 1));
            terms.pool.bvxor(symbol, least)
        } else {
            symbol
        };
        let term = match measure {
            Measure::Value | Measure::Signed => value,
            Measure::Room | Measure::SignedRoom => terms.pool.bvnot(value),
            Measure::Birth | Measure::AfterBirth => {
                let object = layout.object_term(terms, symbol);
                let (birth, extent) = (terms.select(births?, object), terms.select(extents?, object));
                let heap = terms.cut(extent, layout.width - 1, layout.width - 1);
                let lives = terms.is_nonzero(heap);
                let count = match measure {
                    Measure::Birth => terms.add_number(birth, 1),
                    _ => terms.pool.bvnot(birth),
                };
                let nobody = terms.number(64, 0);
                terms.ite(lives, count, nobody)
            }
        };
        Some(terms.simple(term))
    }
}
