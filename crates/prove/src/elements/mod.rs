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

mod ends;
mod guess;
mod instance;
mod needed;
mod windows;

use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::code::{CodeEngine, CodeRequest, gave_up, not_for_this};
use base::{Budget, Event, EventSink, IndexVec};
pub(crate) use guess::names_of_guards;
use instance::{Indices, instantiate};
use logic::{Answer, Sort, TermId};

use rustc_hash::FxHashMap;
use symbolic::names::NamedPart;
use verdict::{Gap, NoModel, ProgramProof, Reason};

/// A condition at a head, meant for all values of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ForAll {
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

/// What is asked about an arrival.
struct Step {
    /// The guesses about where it leads, of the state there.
    after: Vec<TermId>,
    /// What is supposed whatever stands.
    always: Vec<TermId>,
    /// What is supposed as long as a guess about where it comes from stands.
    by_guess: Vec<Vec<TermId>>,
    /// Does it keep all that stand?
    is_kept: bool,
}

struct Elements<'b, 'p, 'a> {
    blocks: &'b mut Blocks<'p, 'a>,
    /// What guards that have names stand for.
    names: FxHashMap<TermId, TermId>,
    at: IndexVec<HeadId, Vec<ForAll>>,
}

const NAME: &str = "elements";

/// Invariants about all elements of arrays.
pub const ALL_ELEMENTS: CodeEngine =
    CodeEngine::new(NAME, "Invariants about all elements of arrays", by_elements);

fn by_elements(asked: &CodeRequest<'_, '_>) -> question::Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, budget, |blocks| match prove(blocks, budget, events) {
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
    let names = names_of_guards(&mut blocks.explorer.encoder);
    let at = guess::guesses(blocks, &names);
    if at.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let how = "every loop keeps an invariant about all elements of arrays, under which nothing fails";
    prove_with(blocks, Proof { engine: NAME, how, names, at }, budget, events)
}

/// Guesses, and what is said if they are a proof.
pub(crate) struct Proof {
    /// Who guessed.
    pub engine: &'static str,
    /// What is shown.
    pub how: &'static str,
    /// What guards that have names stand for.
    pub names: FxHashMap<TermId, TermId>,
    /// The guesses.
    pub at: IndexVec<HeadId, Vec<ForAll>>,
}

/// Keeps the guesses that are invariants together. `Ok(None)` if nothing is shown by them.
pub(crate) fn prove_with(
    blocks: &mut Blocks<'_, '_>,
    proof: Proof,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Option<question::Answer>, Reason> {
    let Proof { engine, how, names, at } = proof;
    events.emit(Event::Count { what: "guesses", value: at.iter().map(Vec::len).sum::<usize>() as u64 });
    let mut elements = Elements { blocks, names, at };
    elements.weaken(budget, events)?;
    if !elements.is_safe(budget)? {
        return Ok(None);
    }
    let asks_for_lost = elements.asks_for_lost();
    if asks_for_lost && !elements.can_end(budget)? {
        return Ok(None);
    }
    let (known, quantified) = needed::needed(&mut elements, budget);
    let blocks = elements.blocks;
    let mut certificate = certificate(blocks, known, quantified);
    if asks_for_lost {
        certificate.gap = Some(Gap::RunsCanEnd);
    }
    Ok(Some(question::Answer::proved(engine, how, certificate)))
}

/// Where it is asked whether blocks are lost: what shows that none is left at the end of a run shows no more, unless a run
/// can end from wherever it is. Says whether it can, with what is known at heads.
pub(crate) fn can_runs_end(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Result<bool, Reason> {
    let names = names_of_guards(&mut blocks.explorer.encoder);
    let at = IndexVec::filled(Vec::new(), blocks.heads.len());
    let mut elements = Elements { blocks, names, at };
    elements.can_end(budget)
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
    /// Is it asked whether blocks are lost, and are there any?
    fn asks_for_lost(&self) -> bool {
        let explorer = &self.blocks.explorer;
        explorer.checks().has(question::Check::Lost) && explorer.encoder.watch.births
    }

    /// Drops guesses that some arrival can break, until none can be.
    fn weaken(&mut self, budget: &Budget, events: &dyn EventSink) -> Result<(), Reason> {
        let mut stands: IndexVec<HeadId, Vec<bool>> =
            self.at.iter().map(|guesses| vec![true; guesses.len()]).collect();
        let arrivals: Vec<ArrivalId> = self.blocks.arrivals.ids().collect();
        let mut steps: Vec<Option<Step>> = arrivals.iter().map(|_| None).collect();
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for (&arrival, place) in arrivals.iter().zip(0..) {
                let to = self.blocks.arrivals[arrival].to;
                if !stands[to].contains(&true) || steps[place].as_ref().is_some_and(|step| step.is_kept) {
                    continue;
                }
                let mut step = match steps[place].take() {
                    Some(step) => step,
                    None => self.prepare(arrival),
                };
                budget.check()?;
                if self.weaken_at(arrival, &mut step, &mut stands, budget)? {
                    is_stable = false;
                    // What was supposed at that head may have gone.
                    for (&other, step) in arrivals.iter().zip(&mut steps) {
                        if let Some(step) = step
                            && self.blocks.arrivals[other].from == Some(to)
                        {
                            step.is_kept = false;
                        }
                    }
                    if self.blocks.arrivals[arrival].from == Some(to) {
                        step.is_kept = false;
                    }
                    let left = stands.iter().flatten().filter(|stands| **stands).count();
                    events.emit(Event::Count { what: "guesses", value: left as u64 });
                }
                steps[place] = Some(step);
            }
        }
        for (head, stands) in stands.iter_enumerated() {
            let mut stands = stands.iter();
            self.at[head].retain(|_| stands.next() == Some(&true));
        }
        Ok(())
    }

    /// What is asked about an arrival as long as all guesses stand.
    fn prepare(&mut self, arrival: ArrivalId) -> Step {
        let (from, to) = (self.blocks.arrivals[arrival].from, self.blocks.arrivals[arrival].to);
        let bodies: Vec<TermId> = self.at[to].iter().map(|guess| guess.body).collect();
        let after = self.blocks.after_all(arrival, &bodies);
        let mut happens = after.clone();
        happens.push(self.blocks.arrivals[arrival].guard);
        let block = self.block(&happens);
        let mut fresh: Vec<TermId> = self.at[to].iter().map(|guess| guess.index).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let (mut always, mut by_guess) = (Vec::new(), Vec::new());
        let place: FxHashMap<ForAll, usize> = match from {
            Some(from) => self.at[from].iter().copied().zip(0..).collect(),
            None => FxHashMap::default(),
        };
        by_guess.resize(place.len(), Vec::new());
        for supposed in self.supposed(from, &block, &fresh) {
            match supposed.because {
                Because::Known(_) => always.push(supposed.condition),
                Because::ForAll(guess) => by_guess[place[&guess]].push(supposed.condition),
            }
        }
        Step { after, always, by_guess, is_kept: false }
    }

    /// Drops guesses that an arrival can break. Says whether there were any.
    fn weaken_at(
        &mut self,
        arrival: ArrivalId,
        step: &mut Step,
        stands: &mut IndexVec<HeadId, Vec<bool>>,
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let (from, to) = (self.blocks.arrivals[arrival].from, self.blocks.arrivals[arrival].to);
        let guard = self.blocks.arrivals[arrival].guard;
        let mut has_dropped = false;
        loop {
            let standing: Vec<usize> = (0..stands[to].len()).filter(|&at| stands[to][at]).collect();
            if standing.is_empty() {
                return Ok(has_dropped);
            }
            budget.check()?;
            let own = from.map_or(&[][..], |from| &stands[from][..]);
            let own = step.by_guess.iter().zip(own).filter(|(_, stands)| **stands);
            let all = step.always.iter().chain(own.flat_map(|(conditions, _)| conditions));
            let supposed: Vec<TermId> = all.copied().collect();
            let after: Vec<TermId> = standing.iter().map(|&at| step.after[at]).collect();
            let terms = &mut self.blocks.explorer.encoder.terms;
            let broken: Vec<TermId> = after.iter().map(|&kept| terms.not(kept)).collect();
            let any_broken = terms.any(&broken);
            match self.blocks.ask_supposing(from, &[guard, any_broken], &supposed, budget) {
                Answer::Unsat => {
                    step.is_kept = true;
                    return Ok(has_dropped);
                }
                Answer::Unknown(reason) => return Err(Reason::solver(&reason)),
                Answer::Sat => {
                    let encoder = &mut self.blocks.explorer.encoder;
                    let values = self.blocks.checkers.values(encoder, &after);
                    let values = values.ok_or(NoModel::Missing)?;
                    let mut is_shown = false;
                    for (&at, value) in standing.iter().zip(values) {
                        if value != logic::Value::Bool(true) {
                            (stands[to][at], is_shown) = (false, true);
                        }
                    }
                    if !is_shown {
                        return Err(NoModel::Contradicts.into());
                    }
                    has_dropped = true;
                }
            }
        }
    }

    /// Can nothing fail after any head under the invariants that are left?
    fn is_safe(&mut self, budget: &Budget) -> Result<bool, Reason> {
        let heads: Vec<HeadId> = self.blocks.heads.ids().collect();
        for head in heads {
            let failure = self.blocks.failure_after(Some(head));
            let block = self.block(&[failure]);
            let supposed = conditions(&self.supposed(Some(head), &block, &[]));
            match self.blocks.ask_supposing(Some(head), &[failure], &supposed, budget) {
                Answer::Unsat => {}
                Answer::Sat => return Ok(false),
                Answer::Unknown(reason) => return Err(Reason::solver(&reason)),
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
pub(crate) fn any_index(terms: &mut symbolic::Terms, width: u32) -> TermId {
    terms.pool.symbol(&format!("any index of {width} bits"), Sort::BitVec(width))
}
