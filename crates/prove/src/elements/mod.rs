//! Invariants about all elements of arrays: "every element below `i` is 7", "no element below `i` is above
//! `max`".
//!
//! An invariant here is a condition on an index: it is meant for all indices. Guesses ([`guess`]) come from
//! what loops write and from what must not happen; those that are invariants together are kept as in
//! [`houdini`](crate::houdini) (after Flanagan, Qadeer 2002, "Predicate abstraction for software
//! verification", where indices are Skolem constants).
//!
//! **Sound.** That an arrival keeps an invariant is asked for one index that nothing else is known of, so it
//! is shown for all; what is supposed of the state before is its invariants at some indices ([`instance`]),
//! which is less than for all. Which indices these are matters for what is found, not for what is true.
//!
//! Worked example: `for (i = 0; i < n; i++) a[i] = 7; assert(a[k] == 7);` for `0 <= k < n`. The loop writes 7
//! at `i`, so the guess is: for any index `j` below `i`, `a[j] == 7`. At the first arrival there is no index
//! below `i`. After a round, `j` (a Skolem constant) is the index just written, or was below `i` before,
//! where the invariant is supposed at `j`. The failure asks for `i >= n` and `a[k] != 7`: the invariant,
//! supposed at `k`, excludes it.

mod guess;
mod instance;
mod needed;

use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::checker::Checker;
use crate::code::{Asked, CodeEngine, gave_up, not_for_this};
use base::{Budget, Event, EventSink, IndexVec};
use instance::{Indices, instantiate};
use logic::{Answer, Sort, TermId};

use rustc_hash::FxHashMap;
use symbolic::names::NamedPart;
use verdict::{ProgramProof, Reason};

/// A condition at a head, meant for all values of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForAll {
    /// The symbol that stands for any index.
    pub index: TermId,
    /// The condition, over it and the head's symbols.
    pub body: TermId,
}

/// What an arrival, or a failure, is asked about.
struct Block {
    /// What happens in it, with names for guards replaced by what they stand for.
    happens: Vec<TermId>,
}

struct Elements<'b, 'p, 'a> {
    blocks: &'b mut Blocks<'p, 'a>,
    checker: Checker,
    /// What guards that have names stand for.
    names: FxHashMap<TermId, TermId>,
    at: IndexVec<HeadId, Vec<ForAll>>,
}

const NAME: &str = "elements";

/// Invariants about all elements of arrays.
pub const ALL_ELEMENTS: CodeEngine =
    CodeEngine::new(NAME, "Invariants about all elements of arrays", by_elements);

fn by_elements(asked: &Asked<'_, '_>) -> question::Answer {
    let Asked { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, |blocks| match prove(blocks, budget, events) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(not_for_this(NAME, "invariants about all elements are not enough")),
        Err(why) => Err(gave_up("invariants about all elements of arrays", why, budget)),
    })
}

/// Tries to prove the property with invariants about all elements. `Ok(None)` if they are not enough.
fn prove(
    blocks: &mut Blocks<'_, '_>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Option<question::Answer>, Reason> {
    if blocks.explorer.contracts.is_some() {
        return Ok(None);
    }
    let names = guess::names_of_guards(&mut blocks.explorer.encoder);
    let at = guess::guesses(blocks, &names);
    let count = |at: &IndexVec<HeadId, Vec<ForAll>>| {
        events.emit(Event::Count { what: "guesses", value: at.iter().map(Vec::len).sum::<usize>() as u64 });
    };
    count(&at);
    if at.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let mut elements = Elements { blocks, checker: Checker::default(), names, at };
    while elements.weaken(budget)? {
        count(&elements.at);
    }
    if !elements.is_safe(budget)? {
        return Ok(None);
    }
    let (known, quantified) = needed::needed(&mut elements, budget);
    let blocks = elements.blocks;
    let certificate = certificate(blocks, known, quantified);
    let how = "every loop keeps an invariant about all elements of arrays, under which nothing fails";
    Ok(Some(question::Answer::proved(NAME, how, certificate)))
}

/// The proof written down: an index is named by its width, `any$32`.
fn certificate(
    blocks: &mut Blocks<'_, '_>,
    mut known: Vec<(HeadId, TermId)>,
    quantified: Vec<(HeadId, ForAll)>,
) -> ProgramProof {
    let mut indices: Vec<NamedPart> = Vec::new();
    for (head, invariant) in quantified {
        let width = blocks.explorer.encoder.terms.pool.width(invariant.index);
        if !indices.iter().any(|part| part.term == invariant.index) {
            indices.push(NamedPart { name: format!("any${width}"), ty: None, term: invariant.index });
        }
        known.push((head, invariant.body));
    }
    blocks.certificate_naming(1, &known, &indices)
}

impl Elements<'_, '_, '_> {
    /// Drops guesses that some arrival can break. Says whether there were any.
    fn weaken(&mut self, budget: &Budget) -> Result<bool, Reason> {
        let mut has_dropped = false;
        let arrivals: Vec<ArrivalId> = self.blocks.arrivals.ids().collect();
        for arrival in arrivals {
            let to = self.blocks.arrivals[arrival].to;
            loop {
                budget.check()?;
                if self.at[to].is_empty() {
                    break;
                }
                let bodies: Vec<TermId> = self.at[to].iter().map(|guess| guess.body).collect();
                let after = self.blocks.after_all(arrival, &bodies);
                let (from, guard) = (self.blocks.arrivals[arrival].from, self.blocks.arrivals[arrival].guard);
                let mut happens = after.clone();
                happens.push(guard);
                let block = self.block(&happens);
                let fresh: Vec<TermId> = self.at[to].iter().map(|guess| guess.index).collect();
                let mut assumptions = conditions(&self.supposed(from, &block, &fresh));
                assumptions.push(guard);
                let encoder = &mut self.blocks.explorer.encoder;
                let broken: Vec<TermId> = after.iter().map(|&kept| encoder.terms.not(kept)).collect();
                assumptions.push(encoder.terms.any(&broken));
                match self.checker.ask(encoder, &assumptions, budget) {
                    Answer::Unsat => break,
                    Answer::Unknown(reason) => return Err(reason.to_string().into()),
                    Answer::Sat => {
                        let values =
                            self.checker.values(encoder, &after).ok_or("the solver gives no values")?;
                        let before = self.at[to].len();
                        let mut values = values.into_iter();
                        self.at[to].retain(|_| values.next() == Some(logic::Value::Bool(true)));
                        if self.at[to].len() == before {
                            return Err("a model does not show what it should".into());
                        }
                        has_dropped = true;
                    }
                }
            }
        }
        Ok(has_dropped)
    }

    /// Can nothing fail after any head under the invariants that are left?
    fn is_safe(&mut self, budget: &Budget) -> Result<bool, Reason> {
        let heads: Vec<HeadId> = self.blocks.heads.ids().collect();
        for head in heads {
            let failure = self.blocks.failure_after(Some(head));
            let block = self.block(&[failure]);
            let mut assumptions = conditions(&self.supposed(Some(head), &block, &[]));
            assumptions.push(failure);
            match self.checker.ask(&mut self.blocks.explorer.encoder, &assumptions, budget) {
                Answer::Unsat => {}
                Answer::Sat => return Ok(false),
                Answer::Unknown(reason) => return Err(reason.to_string().into()),
            }
        }
        Ok(true)
    }

    fn block(&mut self, happens: &[TermId]) -> Block {
        let pool = &mut self.blocks.explorer.encoder.terms.pool;
        Block { happens: pool.substitute_all(happens, &self.names) }
    }

    /// What is known of a state at a head: other invariants, and these at indices that matter in the block.
    fn supposed(&mut self, from: Option<HeadId>, block: &Block, fresh: &[TermId]) -> Vec<Supposed> {
        let Some(from) = from else { return Vec::new() };
        let plain = self.blocks.heads[from].known.iter();
        let mut supposed: Vec<Supposed> =
            plain.map(|&condition| Supposed { condition, because: Because::Known(condition) }).collect();
        let mut indices = Indices::default();
        fresh.iter().for_each(|&index| indices.add(&self.blocks.explorer.encoder.terms.pool, index));
        for (_, symbol) in guess::counters(self.blocks, from) {
            indices.add(&self.blocks.explorer.encoder.terms.pool, symbol);
        }
        let terms = &mut self.blocks.explorer.encoder.terms;
        indices.add_read_or_written(&terms.pool, &self.at[from], &block.happens);
        for &guess in &self.at[from] {
            let instances = instantiate(terms, guess, &indices);
            supposed.extend(
                instances
                    .into_iter()
                    .map(|condition| Supposed { condition, because: Because::ForAll(guess) }),
            );
        }
        supposed
    }
}

/// A condition that a question may suppose.
#[derive(Clone, Copy, Debug)]
struct Supposed {
    condition: TermId,
    because: Because,
}

/// Where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Because {
    /// An invariant without an index.
    Known(TermId),
    /// An invariant about all elements.
    ForAll(ForAll),
}

fn conditions(supposed: &[Supposed]) -> Vec<TermId> {
    supposed.iter().map(|supposed| supposed.condition).collect()
}

/// The symbol that stands for any index of this width.
fn any_index(terms: &mut symbolic::Terms, width: u32) -> TermId {
    terms.pool.symbol(&format!("any index of {width} bits"), Sort::BitVec(width))
}
