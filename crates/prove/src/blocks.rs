//! A program as a transition system between the heads of its loops: what happens from one head to the next,
//! calls unfolded, is one step (a "large block" or summary of loop-free code, after Beyer, Cimatti, Griggio,
//! Keremoglu, Sebastiani 2009).
//!
//! A state at a head is given by symbols; an arrival at a head says, over the symbols of the head it comes
//! from, when it happens and what the state is then. So a condition after a step is a substitution into it.
//!
//! Objects: variables in memory have fixed objects here, and an allocation made during a step gets a number
//! that the state before does not use; since numbers are only names, every concrete state is such a state up
//! to renaming. A variable whose address may outlive it would break that; then the program is refused.
//!
//! Worked example: `x = 0; while (x < n) x += 2; assert(x != 1);` has one head with symbols `x`, `n`.
//! Arrivals: from the start, always, with `x` becoming `0`; from the head, if `x < n`, with `x` becoming `x +
//! 2`. What must not happen after the head: `!(x < n) && x == 1`. "Is `x % 2 == 0` kept?" is then one
//! question: `x % 2 == 0 && x < n && (x + 2) % 2 != 0`, the weakest precondition by substitution.

use crate::checker::{Checker, Checkers};
use crate::contracts::{Contracts, Passage};
use crate::explorer::{Explorer, Goal, GoalKind, Pending, PlaceKey, Stack, StopRule, place_of};
use crate::facts::Facts;
use crate::samples::Samples;
use crate::settings::Settings;
use crate::settled::{Settled, Settling};
use base::{Budget, IndexVec, Span};
use logic::term::{Op, Postorder, symbols_in};
use logic::{Answer, Sort, TermId};
use program::{ProcedureId, Program};
use question::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;
use symbolic::names::NamedPart;
use symbolic::{Encoder, FixedObjects, Meaning, SetOut, State, StateVariable};
use verdict::{Reason, Shape};

base::define_id!(
    /// A head of a loop, with the calls that are active there.
    HeadId,
    "h"
);
base::define_id!(
    /// A way from a head, or from the start, to a head.
    ArrivalId,
    "a"
);

/// A head of a loop.
pub struct Head {
    /// Where it is, with the calls that lead there.
    pub place: PlaceKey,
    /// Any state there.
    pub any: State,
    /// The same with a symbol for every variable, to name them by.
    pub named: State,
    /// Variables that always have one value there, which they have in `any`.
    pub settled: Vec<Settled>,
    /// The calls that are active there.
    pub stack: Stack,
    /// The symbols of that state.
    pub symbols: Rc<Vec<(StateVariable, TermId)>>,
    /// Where in the source.
    pub span: Span,
    /// The procedures that are active, each once.
    pub procedures: Vec<ProcedureId>,
    /// A state with which it was reached.
    pub first: State,
    /// What was shown to hold of every state there, each by induction with the rest.
    pub known: Vec<TermId>,
    /// What the interval analysis says of every state there.
    pub guesses: Vec<TermId>,
    /// Supposed where a question is about a state there: solvers know that it implies what is known. (To
    /// assert what is known outright would say of the whole program what may be true of no state at this
    /// head.)
    pub active: TermId,
}

/// An arrival at a head.
pub struct Arrival {
    /// From a head, or (`None`) from the start.
    pub from: Option<HeadId>,
    /// Where to.
    pub to: HeadId,
    /// The condition under which it is taken.
    pub guard: TermId,
    /// What the symbols of `to` are then, over those of `from`.
    pub values: FxHashMap<TermId, TermId>,
}

/// The transition system.
pub struct Blocks<'p, 'a> {
    /// The walk it was made by.
    pub explorer: Explorer<'p, 'a>,
    /// Solvers that know the facts of each block, by the head it comes after, or the start.
    pub checkers: Checkers<Option<HeadId>>,
    /// The program.
    pub program: &'p Program,
    /// Heads, in the order they were found.
    pub heads: IndexVec<HeadId, Head>,
    /// Ways between them.
    pub arrivals: IndexVec<ArrivalId, Arrival>,
    /// What must not happen, by the head it happens after, or after the start.
    pub goals: Vec<(Option<HeadId>, Goal)>,
    /// Calls by contract, by the head they happen after, or after the start.
    pub calls: Vec<(Option<HeadId>, Passage)>,
    /// Returns from procedures that are taken by contract, likewise.
    pub exits: Vec<(Option<HeadId>, Passage)>,
    /// What procedures that are taken by contract were shown to ensure, with the names of what it is about.
    pub posts: Vec<(ProcedureId, Vec<NamedPart>, Vec<TermId>)>,
    /// What is known of calls by contract, by the block they are in.
    pub known_of_calls: Vec<(Option<HeadId>, TermId)>,
    /// Guesses that hold of what runs showed and were not kept: with what others find out they may be invariants yet.
    pub not_kept: Vec<(HeadId, TermId)>,
    /// As [`Head::active`], for questions about what happens after the start.
    pub active_at_start: TermId,
    /// States that runs have at heads, once some were made.
    pub samples: Option<Rc<Samples>>,
    by_place: FxHashMap<PlaceKey, HeadId>,
    inputs: FxHashMap<Option<HeadId>, Range<usize>>,
    facts: FxHashMap<Option<HeadId>, Range<usize>>,
    /// Symbols of integers at heads that never hold an address.
    plain_numbers: FxHashSet<TermId>,
}

/// What is known before the program is divided, and how that is done.
#[derive(Clone, Copy)]
pub struct Division<'f, 'p> {
    /// What the interval analysis knows.
    pub facts: &'f Facts<'p>,
    /// Are reads of what was never written looked for?
    pub watch_unwritten: bool,
    /// Are variables that always have one value at a head taken for that value?
    pub settles: bool,
}

/// More heads than this are too many.
const MOST_HEADS: usize = 60;

/// Fixed objects are sound only if no pointer to a variable can be there when the variable begins to live
/// again.
pub fn no_pointer_outlives(encoder: &Encoder<'_>) -> Result<(), Reason> {
    let begun = encoder.fixed_objects.iter().flat_map(|fixed| fixed.begun.iter().copied());
    match symbolic::lifetimes::outlived(encoder.meaning, begun) {
        None => Ok(()),
        Some(variable) => {
            let variable = encoder.meaning.program.variables[variable].name.to_string();
            Err(Shape::OutlivedPointer { variable }.into())
        }
    }
}

/// May a condition name an allocated object by a number that is not fixed, whatever its symbols stand for?
pub fn names_an_allocation(encoder: &Encoder<'_>, condition: TermId) -> bool {
    let layout = encoder.meaning.layout;
    let fixed = encoder.fixed_objects.as_ref();
    let allocated = encoder.meaning.first_free() as u128..u128::from(layout.most_objects()) - 1;
    Postorder::new(&encoder.terms.pool, &[condition]).any(|term| {
        let Some(value) = encoder.terms.constant(term) else { return false };
        let width = encoder.terms.pool.width(term);
        let object = match width {
            _ if width == layout.width => layout.object_of(value),
            _ if width == layout.object_bits() => value,
            _ => return false,
        };
        allocated.contains(&object) && !fixed.is_some_and(|fixed| fixed.is_fixed(object))
    })
}

impl<'p, 'a> Blocks<'p, 'a> {
    /// Finds the heads and what is reached from each. Fails with the reason where the program has no such
    /// system here.
    pub fn of(
        program: &'p Program,
        meaning: &'p Meaning<'p>,
        property: &'a Property,
        settings: &'a Settings,
        division: Division<'_, '_>,
        budget: &Budget,
    ) -> Result<Blocks<'p, 'a>, Reason> {
        let mut settling = if division.settles { Settling::default() } else { Settling::off() };
        for walks in 1.. {
            let made = Blocks::made(program, meaning, property, settings, &division, &mut settling, budget)?;
            if !settling.must_begin_anew(walks) {
                return Ok(made);
            }
        }
        unreachable!("once nothing is supposed, nothing is broken")
    }

    fn made(
        program: &'p Program,
        meaning: &'p Meaning<'p>,
        property: &'a Property,
        settings: &'a Settings,
        division: &Division<'_, '_>,
        settling: &mut Settling,
        budget: &Budget,
    ) -> Result<Blocks<'p, 'a>, Reason> {
        let Division { facts, watch_unwritten, .. } = *division;
        let mut encoder = Encoder::new(meaning);
        let allocates = meaning.allocates();
        encoder.watch.arithmetic = property.watches_arithmetic();
        encoder.watch.unknown_overflow = property.endless_runs;
        encoder.watch.uninitialised = watch_unwritten;
        encoder.watch.births = allocates;
        let active_at_start = encoder.terms.fresh("at start", logic::Sort::Bool);
        let mut blocks = Blocks {
            explorer: Explorer::new(encoder, property, settings.missing, StopRule::Heads(0)),
            checkers: Checkers::default(),
            program,
            heads: IndexVec::new(),
            arrivals: IndexVec::new(),
            goals: Vec::new(),
            calls: Vec::new(),
            exits: Vec::new(),
            posts: Vec::new(),
            known_of_calls: Vec::new(),
            not_kept: Vec::new(),
            active_at_start,
            samples: None,
            by_place: FxHashMap::default(),
            inputs: FxHashMap::default(),
            facts: FxHashMap::default(),
            plain_numbers: FxHashSet::default(),
        };
        let main = program.main.ok_or(Shape::NoMain)?;
        blocks.explorer.contracts = Contracts::of(program, meaning.points_to)?;
        // By contract a procedure is walked for all its calls at once.
        let from_main = blocks.explorer.contracts.is_none();
        if !from_main {
            *settling = Settling::off();
        }
        blocks.explorer.encoder.fixed_objects = Some(FixedObjects::default().walked_from_main(from_main));
        if blocks.explorer.contracts.is_some()
            && (watch_unwritten || allocates && property.checks.follow_blocks())
        {
            let because = "its contract does not tell what it writes or allocates";
            return Err(Shape::RecursionHasEffects { because }.into());
        }
        if program.missing_writes && blocks.explorer.contracts.is_some() {
            let because = "functions without a body may write to memory";
            return Err(Shape::RecursionHasEffects { because }.into());
        }
        let (state, effect) = blocks.explorer.encoder.initial_state();
        if let Some(failure) = effect.failures.first() {
            let detail = failure.detail.as_deref().unwrap_or(failure.kind.words()).to_owned();
            return Err(Shape::InitialValues { detail }.into());
        }
        if !from_main {
            blocks.explorer.encoder.set_out_from(SetOut::Anywhere);
        }
        blocks.explorer.begin_at(main, state);
        blocks.walk(None, facts, settling, budget)?;
        blocks.inputs.insert(None, 0..blocks.explorer.inputs.len());
        blocks.facts.insert(None, 0..blocks.explorer.encoder.facts.len());
        let mut next = 0;
        while next < blocks.heads.len() {
            let id = <HeadId as base::Id>::from_index(next);
            blocks.explorer.stop = StopRule::Heads(1);
            let first = blocks.explorer.inputs.len();
            let first_fact = blocks.explorer.encoder.facts.len();
            blocks.set_out_from(id);
            blocks.walk(Some(id), facts, settling, budget)?;
            blocks.inputs.insert(Some(id), first..blocks.explorer.inputs.len());
            blocks.facts.insert(Some(id), first_fact..blocks.explorer.encoder.facts.len());
            next += 1;
        }
        no_pointer_outlives(&blocks.explorer.encoder)?;
        blocks.find_plain_numbers();
        Ok(blocks)
    }

    /// Which inputs of the walk are taken after a head, or after the start.
    pub fn inputs_after(&self, from: Option<HeadId>) -> Range<usize> {
        self.inputs.get(&from).cloned().unwrap_or(0..0)
    }

    /// The block after a head, or after the start, with its facts.
    pub fn part(&self, from: Option<HeadId>) -> (Option<HeadId>, Range<usize>) {
        (from, self.facts.get(&from).cloned().unwrap_or(0..0))
    }

    /// Can all assumptions hold together, of what happens after a head or after the start?
    pub fn ask(&mut self, from: Option<HeadId>, assumptions: &[TermId], budget: &Budget) -> Answer {
        let part = self.part(from);
        self.checkers.ask(&mut self.explorer.encoder, part, assumptions, budget)
    }

    /// The same with much that is supposed, of which the solver is told what its models break.
    pub fn ask_supposing(
        &mut self,
        from: Option<HeadId>,
        question: &[TermId],
        supposed: &[TermId],
        budget: &Budget,
    ) -> Answer {
        let part = self.part(from);
        self.checkers.ask_supposing(&mut self.explorer.encoder, part, question, supposed, budget)
    }

    /// Puts any state of a head on its way.
    pub fn set_out_from(&mut self, id: HeadId) {
        self.explorer.encoder.set_out_from(SetOut::Anywhere);
        let guard = self.explorer.encoder.terms.yes();
        let head = &self.heads[id];
        let pending = Pending { guard, state: head.any.clone(), stack: head.stack.clone(), depth: 1 };
        self.explorer.resume(pending);
    }

    /// Walks to the next heads and notes arrivals and goals.
    fn walk(
        &mut self,
        from: Option<HeadId>,
        facts: &Facts<'_>,
        settling: &mut Settling,
        budget: &Budget,
    ) -> Result<(), Reason> {
        while self.explorer.advance() {
            self.explorer.encoder.terms.pool.check(budget)?;
        }
        let goals = std::mem::take(&mut self.explorer.goals);
        if from.is_some() || self.explorer.contracts.is_some() {
            self.goals.extend(goals.into_iter().map(|goal| (from, goal)));
        } else {
            let mut checker = Checker::default();
            for goal in goals {
                let answer = checker.ask(&mut self.explorer.encoder, &[goal.condition], budget);
                if answer != Answer::Unsat {
                    let what = match goal.kind {
                        GoalKind::MissingBody(id) => {
                            format!("`{}`, which has no body", self.program.procedures[id].name)
                        }
                        kind => format!("{kind:?}"),
                    };
                    return Err(Shape::StartMayFail { what }.into());
                }
            }
        }
        if let Some(contracts) = &mut self.explorer.contracts {
            self.calls.extend(std::mem::take(&mut contracts.calls).into_iter().map(|call| (from, call)));
            self.exits.extend(std::mem::take(&mut contracts.exits).into_iter().map(|exit| (from, exit)));
        }
        for mut pending in std::mem::take(&mut self.explorer.postponed) {
            let level = pending.stack.last().expect("control is in a procedure");
            let (procedure, node) = (level.procedure, level.node);
            let is_entered =
                self.explorer.contracts.as_ref().is_some_and(|contracts| contracts.has(procedure));
            if !self.explorer.order(procedure).is_head(node) && !is_entered {
                let function = self.program.procedures[procedure].name.to_string();
                return Err(Shape::Recursion { function }.into());
            }
            let to = self.head_for(&pending, facts, settling)?;
            let arriving: FxHashMap<StateVariable, TermId> =
                self.explorer.encoder.parts(&mut pending.state).into_iter().collect();
            settling.look_at(&self.heads[to].place, &self.heads[to].settled, &arriving);
            let symbols = self.heads[to].symbols.clone();
            let values = symbols
                .iter()
                .filter_map(|(part, symbol)| arriving.get(part).map(|&value| (*symbol, value)))
                .collect();
            self.arrivals.push(Arrival { from, to, guard: pending.guard, values });
        }
        Ok(())
    }

    /// The head a state has arrived at.
    fn head_for(
        &mut self,
        pending: &Pending,
        facts: &Facts<'_>,
        settling: &mut Settling,
    ) -> Result<HeadId, Reason> {
        let place = place_of(&pending.stack);
        if let Some(&known) = self.by_place.get(&place) {
            if !symbolic::has_own_blocks_of(&self.heads[known].any.frames, &pending.state.frames) {
                return Err(Shape::StackBlocksInLoops.into());
            }
            return Ok(known);
        }
        if self.heads.len() >= MOST_HEADS {
            let limit = MOST_HEADS as u64;
            return Err(Shape::TooManyCuts { limit, what: "loops, calls unfolded" }.into());
        }
        if !self.explorer.encoder.own_blocks_are_fixed(&pending.state.frames) {
            return Err(Shape::StackBlocksInLoops.into());
        }
        let prefix = format!("h{}:", self.heads.len());
        let encoder = &mut self.explorer.encoder;
        let mut any = encoder.any_state(&prefix, &pending.state.frames);
        encoder.enliven_frames(&mut any);
        if encoder.watch.uninitialised {
            // In a later round, a variable that was not declared yet in the first has what that round left.
            any.frames.iter_mut().for_each(|frame| Rc::make_mut(frame).unwritten.clear());
        }
        let mut procedures: Vec<ProcedureId> = Vec::new();
        for level in pending.stack.iter() {
            if !procedures.contains(&level.procedure) {
                procedures.push(level.procedure);
            }
        }
        let named = any.clone();
        let settled = settling.settle(encoder, (&place, pending), &mut any);
        let active = encoder.terms.fresh("at head", logic::Sort::Bool);
        let guesses = facts.at(&pending.stack, &any, &mut encoder.terms);
        let mut copy = any.clone();
        let mut symbols = encoder.parts(&mut copy);
        symbols.retain(|(part, _)| settled.iter().all(|one| one.part != *part));
        // What is alive stands beneath what is known to be: an arriving array has the same there already.
        if let Some(raw) = encoder.terms.pool.find_symbol(&format!("{prefix}extents")) {
            for (part, symbol) in &mut symbols {
                if *part == StateVariable::Extents {
                    *symbol = raw;
                }
            }
        }
        let level = pending.stack.last().expect("control is in a procedure");
        let span = self.program.procedures[level.procedure]
            .body
            .as_ref()
            .map_or_else(Span::default, |body| body.nodes[level.node].span);
        let span = crate::explorer::users_place(self.program, &pending.stack, span);
        let mut stack = (*pending.stack).clone();
        stack.iter_mut().for_each(|level| level.rounds.iter_mut().for_each(|round| *round = 0));
        let id = self.heads.push(Head {
            place: place.clone(),
            any,
            named,
            settled,
            stack: Rc::new(stack),
            symbols: Rc::new(symbols),
            span,
            procedures,
            first: pending.state.clone(),
            known: Vec::new(),
            guesses,
            active,
        });
        self.by_place.insert(place, id);
        Ok(id)
    }

    /// A condition over the symbols of the head that is arrived at, of the state that arrives.
    pub fn after(&mut self, arrival: ArrivalId, condition: TermId) -> TermId {
        let terms = &mut self.explorer.encoder.terms;
        let after = terms.pool.substitute(condition, &self.arrivals[arrival].values);
        terms.simple(after)
    }

    /// [`after`](Self::after) on several conditions.
    pub fn after_all(&mut self, arrival: ArrivalId, conditions: &[TermId]) -> Vec<TermId> {
        let terms = &mut self.explorer.encoder.terms;
        let all = terms.pool.substitute_all(conditions, &self.arrivals[arrival].values);
        all.into_iter().map(|condition| terms.simple(condition)).collect()
    }

    /// [`after_all`](Self::after_all) with equations in normal form: those that a step keeps by rearranging
    /// become what they were.
    pub fn settled_after(&mut self, arrival: ArrivalId, conditions: &[TermId]) -> Vec<TermId> {
        let after = self.after_all(arrival, conditions);
        let terms = &mut self.explorer.encoder.terms;
        after.into_iter().map(|condition| crate::polynomial::settled(terms, condition)).collect()
    }

    /// Something that was shown to hold of every state at a head.
    pub fn learn(&mut self, head: HeadId, fact: TermId) {
        self.heads[head].known.push(fact);
        let implied = self.under(head, fact);
        let part = self.part(Some(head));
        self.checkers.learn(&mut self.explorer.encoder, part, implied);
    }

    /// Everything that is known, by head.
    pub fn all_known(&self) -> Vec<(HeadId, TermId)> {
        self.heads
            .iter_enumerated()
            .flat_map(|(id, head)| head.known.iter().map(move |&condition| (id, condition)))
            .collect()
    }

    /// A condition, if the question is about a state at the head.
    pub fn under(&mut self, head: HeadId, condition: TermId) -> TermId {
        let pool = &mut self.explorer.encoder.terms.pool;
        pool.implies(self.heads[head].active, condition)
    }

    /// Something that was shown of a call in the block after a head, or after the start.
    pub fn learn_of_call(&mut self, from: Option<HeadId>, fact: TermId) {
        let active = self.active(from);
        let implied = self.explorer.encoder.terms.pool.implies(active, fact);
        self.known_of_calls.push((from, implied));
        let part = self.part(from);
        self.checkers.learn(&mut self.explorer.encoder, part, implied);
    }

    /// What a question about the block after a head, or after the start, supposes.
    pub fn active(&self, from: Option<HeadId>) -> TermId {
        from.map_or(self.active_at_start, |from| self.heads[from].active)
    }

    /// May a condition name an allocated object by its number? The same number may be given again in another
    /// round, to another object, so such a condition says nothing. One about numbers that never are addresses
    /// names nothing. Nor may it name a variable that does not live at its head: what it held there is not what it holds when it begins to live.
    pub fn names_an_allocation(&self, condition: TermId) -> bool {
        let is_plain = |symbol: &TermId| self.plain_numbers.contains(symbol);
        names_an_allocation(&self.explorer.encoder, condition)
            && !symbols_in(&self.explorer.encoder.terms.pool, &[condition]).iter().all(is_plain)
            || self.names_what_begins_later(condition)
    }

    /// Does a condition speak of the contents of a variable that begins to live, or is declared, behind its head?
    fn names_what_begins_later(&self, condition: TermId) -> bool {
        let encoder = &self.explorer.encoder;
        let (pool, layout) = (&encoder.terms.pool, encoder.meaning.layout);
        let read = Postorder::new(pool, &[condition]).filter(|&term| pool.op(term) == Op::Select);
        let at: Vec<TermId> = read.map(|term| pool.arguments(term)[1]).collect();
        let constants = Postorder::new(pool, &at).filter_map(|term| match pool.sort(term) {
            Sort::BitVec(width) if width == layout.width => {
                Some(layout.object_of(encoder.terms.constant(term)?))
            }
            _ => None,
        });
        let mut named: Vec<u128> =
            constants.filter(|&object| object >= encoder.meaning.first_free() as u128).collect();
        if named.is_empty() {
            return false;
        }
        let speaks_of = symbols_in(pool, &[condition]);
        let is_about = |head: &&Head| head.symbols.iter().any(|(_, symbol)| speaks_of.contains(symbol));
        let Some(head) = self.heads.iter().find(is_about) else { return false };
        for (&variable, &address) in head.any.frames.iter().flat_map(|frame| &frame.addresses) {
            let is_declared = head.any.frames.iter().all(|frame| !frame.unwritten.contains(&variable));
            if let Some(address) = encoder.terms.constant(address).filter(|_| is_declared) {
                named.retain(|&object| object != layout.object_of(address));
            }
        }
        let is_later = |object: &u128| {
            let lives = head.any.frames.iter().flat_map(|frame| frame.addresses.values());
            let mut living = lives.filter_map(|&address| encoder.terms.constant(address));
            let is_kept =
                encoder.fixed_objects.as_ref().is_some_and(|fixed| fixed.kept.contains(&(*object as usize)));
            is_kept || living.any(|address| layout.object_of(address) == *object)
        };
        named.iter().any(is_later)
    }

    fn find_plain_numbers(&mut self) {
        let meaning = self.explorer.encoder.meaning;
        let is_plain = |part: &StateVariable| match *part {
            StateVariable::Global(id) | StateVariable::Local(_, id) => meaning.is_plain_number(id),
            _ => false,
        };
        let symbols = self.heads.iter().flat_map(|head| head.symbols.iter());
        self.plain_numbers = symbols.filter(|(part, _)| is_plain(part)).map(|&(_, symbol)| symbol).collect();
    }

    /// When something that must not happen happens after a head, or after the start.
    pub fn failure_after(&mut self, head: Option<HeadId>) -> TermId {
        let conditions: Vec<TermId> =
            self.goals.iter().filter(|(from, _)| *from == head).map(|(_, goal)| goal.condition).collect();
        self.explorer.encoder.terms.any(&conditions)
    }
}
