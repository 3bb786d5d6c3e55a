//! Property-directed reachability (IC3) on the steps between heads of loops.
//! After Bradley 2011, "SAT-based model checking without unrolling"; Een, Mishchenko, Brayton 2011
//! (obligations, pushing); Birgmeier, Bradley, Weissenbacher 2014, "Counterexample to induction-guided
//! abstraction-refinement (CTIGAR)".
//!
//! A frame says, by clauses, what holds of the states at every head after at most so many steps. States that
//! can fail are traced back as proof obligations; one that cannot be reached in so many steps is excluded,
//! together with as many others as the step allows.
//! DIVERGENCE: a state is an assignment of words, not of bits; what is excluded is said with conditions of
//! the program, relations and bounds of the state's variables (`generalise`), so that no interpolation is
//! needed.
//!
//! Nothing rests on the search: the clauses it ends with are checked by themselves (`is_inductive`).
//!
//! Worked example: `x = 0; y = 0; while (1) { assert(y <= 10); if (x < 10) { x++; y++; } }`. A state that
//! fails is `x = 3, y = 200`. The first arrival has `x = y = 0`, so it is excluded after no steps; not `y >
//! 10` (true of it, but one step may lead there from `x = 0, y = 10`) but the relation `y > x` is what no
//! step leads to from states without it, and the clause `!(y > x)` is pushed to every frame. The next failing
//! state, `x = y = 50`, is excluded by `!(x > 10)` in the same way. A frame equals the next one: `y <= x && x
//! <= 10` is an inductive invariant under which nothing fails.

mod cone;
mod generalise;
mod queries;
mod run;
mod states;

pub(crate) use cone::{Cones, definition};
pub(crate) use queries::Queries;

use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::checker::Checkers;
use crate::code::{Code, CodeEngine, CodeRequest, gave_up};
use crate::explorer::{Goal, GoalKind};
use crate::needed::needed_invariants;
use crate::replay::{PlannedInputs, Replayed, replay};
use crate::testing::shortened;
use base::{Budget, Event, EventSink, IndexVec};
use concrete::Interpreter;
use logic::{Answer, TermId, UnknownReason};
use question::Violation;
use run::Link;
use states::Cube;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use verdict::{Gap, Reason};

const NAME: &str = "pdr";

/// Property-directed reachability (IC3), with the invariants that others left.
pub const PDR: CodeEngine = CodeEngine::new(NAME, "Property-directed search for invariants", by_frames);

fn by_frames(asked: &CodeRequest<'_, '_>) -> question::Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, budget, |blocks| match prove(blocks, budget, events) {
        Ok(answer) => Ok(answer),
        Err(Stop::Because(why)) => Err(gave_up(NAME, why, budget)),
        Err(Stop::Reached(steps, inputs)) => match inputs.and_then(|inputs| replayed(code, inputs, budget)) {
            Some(violation) => Ok(question::Answer::by(NAME, violation)),
            None => {
                let why = format!("a failure after {steps} rounds of loops is not excluded");
                Err(gave_up(NAME, Reason::NoInvariant { why }, budget))
            }
        },
    })
}

/// Tries to exclude everything that must not happen; the blocks know the invariants that this takes then.
pub(crate) fn exclude_failures(
    blocks: &mut Blocks<'_, '_>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<(), Reason> {
    match prove(blocks, budget, events) {
        Ok(_) => Ok(()),
        Err(Stop::Because(why)) => Err(why),
        Err(Stop::Reached(steps, _)) => {
            let why = format!("a failure after {steps} rounds of loops is not excluded");
            Err(Reason::NoInvariant { why })
        }
    }
}

/// Tries to show that no run comes to states of a head of which a condition holds; the blocks know the invariants that this
/// takes then.
pub(crate) fn exclude_states(
    blocks: &mut Blocks<'_, '_>,
    head: HeadId,
    condition: TermId,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<(), Reason> {
    let span = blocks.heads[head].span;
    let goal = Goal { condition, kind: GoalKind::Error("states of a cycle".into()), span, depth: 0 };
    let own = std::mem::replace(&mut blocks.goals, vec![(Some(head), goal)]);
    let shown = exclude_failures(blocks, budget, events);
    blocks.goals = own;
    shown
}

/// A violation, if the interpreter confirms it.
fn replayed(code: &Code<'_>, mut inputs: PlannedInputs, budget: &Budget) -> Option<Box<Violation>> {
    let Code { program, property, settings, .. } = *code;
    let run_settings = crate::replay::replay_settings(settings.missing, budget);
    let interpreter = Interpreter::new(program);
    match replay(&interpreter, program, property, &run_settings, &mut inputs) {
        Replayed::Refused(_) => None,
        Replayed::Confirmed(confirmed) => {
            let confirmed = shortened(&interpreter, program, property, settings, budget, *confirmed);
            Some(confirmed.found_by(NAME))
        }
    }
}

/// A clause that holds at a head up to a level: no state of the cube is there.
pub(crate) struct Lemma {
    head: HeadId,
    literals: Vec<TermId>,
    level: u32,
}

/// States to exclude at a level.
struct Obligation {
    head: HeadId,
    cube: Cube,
    level: u32,
    /// Steps from here to the failure.
    distance: u32,
    /// How it leads to another obligation of the list, nearer to the failure.
    next: Option<(ArrivalId, usize)>,
}

/// Why the search ends without a proof.
enum Stop {
    /// A failure seems to be reached in so many steps between heads; with the inputs of a run to it, if they
    /// could be told.
    Reached(u32, Option<PlannedInputs>),
    /// It could not go on.
    Because(Reason),
}

fn stopped(reason: UnknownReason) -> Stop {
    Stop::Because(Reason::SolverGaveUp { why: format!("the solver stopped: {reason}") })
}

/// More steps than this are no longer tried.
const MOST_LEVELS: u32 = 400;

struct Search<'b, 'p, 'a> {
    blocks: &'b mut Blocks<'p, 'a>,
    queries: Queries,
    lemmas: Vec<Lemma>,
    /// Conditions of the program at every head, with which excluded states are described.
    atoms: IndexVec<HeadId, Vec<TermId>>,
    cones: cone::Cones,
    top: u32,
    budget: Budget,
}

/// Tries to prove that nothing fails after any head.
fn prove(
    blocks: &mut Blocks<'_, '_>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<question::Answer, Stop> {
    let mut cones = cone::Cones::default();
    let mut atoms = IndexVec::new();
    for head in blocks.heads.ids() {
        atoms.push(generalise::atoms_of(blocks, &mut cones, head));
    }
    let queries = Queries::new(blocks);
    let mut search =
        Search { blocks, queries, lemmas: Vec::new(), atoms, cones, top: 0, budget: budget.clone() };
    if search.fails_at_once()? {
        return Err(Stop::Reached(0, None));
    }
    while search.top < MOST_LEVELS {
        match search.deepen() {
            Ok(None) => {}
            Ok(Some(level)) => return search.conclude(level).map_err(Stop::Because),
            Err(Stop::Because(why)) => {
                let why = format!("{why} {}", search.so_far());
                return Err(Stop::Because(Reason::NoInvariant { why }));
            }
            Err(reached) => return Err(reached),
        }
        events.emit(Event::Count { what: "frames", value: u64::from(search.top) });
        events.emit(Event::Count { what: "clauses", value: search.lemmas.len() as u64 });
    }
    let why = format!("no proof within {MOST_LEVELS} steps");
    Err(Stop::Because(Reason::NoInvariant { why }))
}

impl Search<'_, '_, '_> {
    /// Excludes all states that fail from the last frame, opens the next one, pushes clauses forward. Tells
    /// the level from which on nothing changes, if there is one.
    fn deepen(&mut self) -> Result<Option<u32>, Stop> {
        for head in self.blocks.heads.ids() {
            let failure = self.blocks.failure_after(Some(head));
            while let Some(cube) = self.failing_state(head, failure)? {
                self.exclude(Obligation { head, cube, level: self.top, distance: 1, next: None })?;
            }
        }
        self.top += 1;
        self.push_forward()?;
        let is_bare = |level: &u32| self.lemmas.iter().all(|lemma| lemma.level != *level);
        Ok((0..self.top).find(is_bare))
    }

    /// How far it came, for people.
    fn so_far(&self) -> String {
        format!(
            "({} steps deep, with {} clauses and {} questions about {} heads)",
            self.top,
            self.lemmas.len(),
            self.queries.asked(),
            self.blocks.heads.len()
        )
    }

    /// Can something fail before any head?
    fn fails_at_once(&mut self) -> Result<bool, Stop> {
        let failure = self.blocks.failure_after(None);
        let assumptions = [self.blocks.active_at_start, failure];
        match self.queries.ask(self.blocks, None, &assumptions, &self.budget) {
            Answer::Unsat => Ok(false),
            Answer::Sat => Ok(true),
            Answer::Unknown(reason) => Err(stopped(reason)),
        }
    }

    /// A state of the last frame from which something fails.
    fn failing_state(&mut self, head: HeadId, failure: TermId) -> Result<Option<Cube>, Stop> {
        let mut assumptions = self.queries.frame(self.blocks, head, self.top);
        assumptions.push(failure);
        match self.queries.ask(self.blocks, Some(head), &assumptions, &self.budget) {
            Answer::Unsat => Ok(None),
            Answer::Sat => self.state_before(head, &[failure]).map(Some),
            Answer::Unknown(reason) => Err(stopped(reason)),
        }
    }

    /// Excludes the states of an obligation, and before them those that lead to it.
    fn exclude(&mut self, first: Obligation) -> Result<(), Stop> {
        let mut open: BinaryHeap<(Reverse<u32>, Reverse<u32>, usize)> = BinaryHeap::new();
        let mut all = Vec::new();
        let add = |open: &mut BinaryHeap<_>, all: &mut Vec<Obligation>, obligation: Obligation| {
            open.push((Reverse(obligation.level), Reverse(obligation.distance), all.len()));
            all.push(obligation);
        };
        add(&mut open, &mut all, first);
        while let Some((_, _, at)) = open.pop() {
            self.budget.check().map_err(|limit| Stop::Because(limit.into()))?;
            let (head, level, distance) = (all[at].head, all[at].level, all[at].distance);
            let (cube, next) = (all[at].cube.clone(), all[at].next);
            if self.is_excluded(head, &cube, level)? {
                if level < self.top {
                    add(&mut open, &mut all, Obligation { head, cube, level: level + 1, distance, next });
                }
                continue;
            }
            match self.first_arrival(head, &cube.terms(), level)? {
                Ok(needed) => {
                    let literals = self.generalise(head, &cube, &needed, level)?;
                    let reached = self.add_lemma(head, literals, level)?;
                    if reached < self.top {
                        add(
                            &mut open,
                            &mut all,
                            Obligation { head, cube, level: reached + 1, distance, next },
                        );
                    }
                }
                Err(arrival) => {
                    let Some(from) = self.blocks.arrivals[arrival].from else {
                        let chain = chain_from(&all, arrival, at);
                        let budget = self.budget.clone();
                        let inputs = self.inputs_along(&chain, &budget)?;
                        return Err(Stop::Reached(distance, inputs));
                    };
                    let mut roots = vec![self.blocks.arrivals[arrival].guard];
                    for literal in cube.terms() {
                        roots.push(self.blocks.after(arrival, literal));
                    }
                    let before = self.state_before(from, &roots)?;
                    let before = Obligation {
                        head: from,
                        cube: before,
                        level: level - 1,
                        distance: distance + 1,
                        next: Some((arrival, at)),
                    };
                    add(&mut open, &mut all, before);
                    open.push((Reverse(level), Reverse(distance), at));
                }
            }
        }
        Ok(())
    }

    /// Do the clauses of a frame exclude the cube already?
    fn is_excluded(&mut self, head: HeadId, cube: &Cube, level: u32) -> Result<bool, Stop> {
        let mut assumptions = self.queries.frame(self.blocks, head, level);
        assumptions.extend(cube.terms());
        match self.queries.ask(self.blocks, Some(head), &assumptions, &self.budget) {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown(reason) => Err(stopped(reason)),
        }
    }

    /// Adds a clause at the highest level at which it holds; tells which.
    fn add_lemma(&mut self, head: HeadId, literals: Vec<TermId>, level: u32) -> Result<u32, Stop> {
        let mut level = level;
        while level < self.top && self.first_arrival(head, &literals, level + 1)?.is_ok() {
            level += 1;
        }
        self.queries.assert_lemma(self.blocks, head, &literals, level);
        self.lemmas.push(Lemma { head, literals, level });
        Ok(level)
    }

    /// Moves clauses that hold one step later to the next level.
    fn push_forward(&mut self) -> Result<(), Stop> {
        for level in 0..self.top {
            for at in 0..self.lemmas.len() {
                if self.lemmas[at].level != level {
                    continue;
                }
                let (head, literals) = (self.lemmas[at].head, self.lemmas[at].literals.clone());
                if self.first_arrival(head, &literals, level + 1)?.is_ok() {
                    self.lemmas[at].level = level + 1;
                    self.queries.assert_lemma(self.blocks, head, &literals, level + 1);
                }
            }
        }
        self.queries.renew_if_worn(self.blocks, &self.lemmas);
        Ok(())
    }

    /// The clauses above a level are an invariant: says so, after they were checked once more.
    fn conclude(self, level: u32) -> Result<question::Answer, Reason> {
        let mut invariants: Vec<(HeadId, TermId)> = Vec::new();
        for lemma in self.lemmas.iter().filter(|lemma| lemma.level > level) {
            let terms = &mut self.blocks.explorer.encoder.terms;
            let all = terms.pool.all_of(&lemma.literals);
            let clause = terms.not(all);
            if !invariants.contains(&(lemma.head, clause)) {
                invariants.push((lemma.head, clause));
            }
        }
        if invariants.iter().any(|&(_, clause)| self.blocks.names_an_allocation(clause)) {
            return Err(Reason::NoInvariant { why: Gap::NamesBlocks.to_string() });
        }
        is_inductive(self.blocks, &invariants, &self.budget)?;
        for &(head, clause) in &invariants {
            self.blocks.learn(head, clause);
        }
        let known = needed_invariants(self.blocks, &self.budget);
        let certificate = self.blocks.certificate(1, &known);
        let how = "every loop keeps an invariant under which nothing fails";
        Ok(question::Answer::proved(NAME, how, certificate))
    }
}

/// The links from the start, by an arrival at an obligation, to the failure.
fn chain_from(all: &[Obligation], arrival: ArrivalId, at: usize) -> Vec<Link> {
    let mut chain = Vec::new();
    let mut open = Some((arrival, at));
    while let Some((arrival, at)) = open {
        let cube = &all[at].cube;
        let subjects = cube.literals.iter().map(|literal| literal.subject).collect();
        chain.push(Link { arrival, literals: cube.terms(), subjects });
        open = all[at].next;
    }
    chain
}

/// Do the conditions hold at every arrival if they held before, and does nothing fail under them? Asked of a
/// new solver.
fn is_inductive(
    blocks: &mut Blocks<'_, '_>,
    invariants: &[(HeadId, TermId)],
    budget: &Budget,
) -> Result<(), Reason> {
    let mut checkers: Checkers<Option<HeadId>> = Checkers::default();
    let known = blocks.all_known();
    for (head, condition) in known {
        let implied = blocks.under(head, condition);
        let part = blocks.part(Some(head));
        checkers.learn(&mut blocks.explorer.encoder, part, implied);
    }
    for (from, fact) in blocks.known_of_calls.clone() {
        let part = blocks.part(from);
        checkers.learn(&mut blocks.explorer.encoder, part, fact);
    }
    let at = |head: HeadId| -> Vec<TermId> {
        invariants.iter().filter(|(own, _)| *own == head).map(|(_, condition)| *condition).collect()
    };
    let mut must_not_be = |blocks: &mut Blocks<'_, '_>, from: Option<HeadId>, what: &[TermId]| {
        let mut assumptions = what.to_vec();
        assumptions.push(blocks.active(from));
        assumptions.extend(from.iter().flat_map(|&from| at(from)));
        let part = blocks.part(from);
        match checkers.ask(&mut blocks.explorer.encoder, part, &assumptions, budget) {
            Answer::Unsat => Ok(()),
            answer => {
                let why = format!("the invariant that was found could not be confirmed ({answer:?})");
                Err(Reason::NoInvariant { why })
            }
        }
    };
    for arrival in blocks.arrivals.ids() {
        let (from, to) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].to);
        let guard = blocks.arrivals[arrival].guard;
        let mut broken = Vec::new();
        for condition in at(to) {
            let after = blocks.after(arrival, condition);
            broken.push(blocks.explorer.encoder.terms.not(after));
        }
        let broken = blocks.explorer.encoder.terms.any(&broken);
        must_not_be(blocks, from, &[guard, broken])?;
    }
    let failure = blocks.failure_after(None);
    must_not_be(blocks, None, &[failure])?;
    for head in blocks.heads.ids() {
        let failure = blocks.failure_after(Some(head));
        must_not_be(blocks, Some(head), &[failure])?;
    }
    Ok(())
}
