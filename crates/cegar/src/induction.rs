//! Induction on loops. After Sheeran, Singh, Stålmarck 2000 (k-induction), with invariants by "Houdini" (Flanagan, Leino 2001). BOOM eq. 2.6 has the
//! property and its negation exchanged; here the step assumes that the first k places are safe and asks for a failure after them.
//!
//! Places are the heads of loops, with the calls that are active there. From any state at a head, with what is known
//! there, the program is walked past `k - 1` further heads; if nothing can fail after the last of them, and the bounded search
//! found nothing within `k` rounds of every loop, nothing fails at all.
//!
//! Objects: variables in memory have fixed objects here, and an allocation made during a step gets a number that the state before
//! does not use; since numbers are only names, every concrete state is such a state up to renaming. A variable whose
//! address may outlive it would break that; then the engine refuses.

use crate::candidates::candidates;
use crate::certificate::{AtHead, add_loop, add_objects};
use crate::checker::Checker;
use crate::explorer::{
    Explorer, Goal, GoalKind, Invariant, Pending, PlaceKey, StopRule, instantiated, place_of,
};
use crate::finding::Proof;
use crate::property::{Property, Settings};
use base::{Budget, Span};
use logic::{Answer, TermId};
use program::points_to::{ObjectId, ObjectKind};
use program::{Action, Expr, Place, PointsTo, ProcedureId, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use symbolic::{Encoder, FailureKind, FixedObjects, Meaning, State, StateVariable};
use verdict::{ProgramProof, ProofArgument};

/// What an attempt showed.
pub enum Attempt {
    /// The step holds: with a base of as many rounds, the property does.
    Proved(Proof),
    /// It does not hold for this depth.
    NotInductive,
    /// This engine cannot deal with the program, for this reason.
    Refused(String),
}

/// A head of a loop.
struct Head {
    place: PlaceKey,
    any: State,
    stack: crate::explorer::Stack,
    symbols: Rc<Vec<(StateVariable, TermId)>>,
    candidates: Vec<TermId>,
    span: Span,
}

/// An arrival at a head, from a head or (`None`) from the start.
struct Arrival {
    from: Option<usize>,
    to: usize,
    guard: TermId,
    /// The candidates of `to`, of the state that arrives.
    instantiated: Vec<TermId>,
}

/// The engine.
pub struct Induction<'p, 'a> {
    explorer: Explorer<'p, 'a>,
    checker: Checker,
    program: &'p Program,
    heads: Vec<Head>,
    by_place: FxHashMap<PlaceKey, usize>,
    arrivals: Vec<Arrival>,
    goals: Vec<(usize, Goal)>,
    finite: FxHashMap<VariableId, std::collections::BTreeSet<u128>>,
    is_prepared: bool,
}

/// Larger cores are taken as they are.
const MOST_MINIMISED: usize = 40;
/// More heads than this are too many to guess about.
const MOST_HEADS: usize = 40;

impl<'p, 'a> Induction<'p, 'a> {
    /// Nothing is known yet.
    pub fn new(
        program: &'p Program,
        meaning: &'p Meaning<'p>,
        property: &'a Property,
        settings: &'a Settings,
    ) -> Induction<'p, 'a> {
        let mut encoder = Encoder::new(meaning);
        encoder.watch.arithmetic = property.checks.watch_arithmetic();
        encoder.fixed_objects = Some(FixedObjects::default());
        Induction {
            explorer: Explorer::new(encoder, property, settings.missing, StopRule::Heads(0)),
            checker: Checker::default(),
            program,
            heads: Vec::new(),
            by_place: FxHashMap::default(),
            arrivals: Vec::new(),
            goals: Vec::new(),
            finite: crate::finite::finite_values(program),
            is_prepared: false,
        }
    }

    /// Questions asked of the solver.
    pub fn queries(&self) -> u64 {
        self.checker.queries
    }

    /// Tries a depth. The base must have been searched as deep.
    pub fn attempt(&mut self, depth: u32, budget: &Budget) -> Attempt {
        if !self.is_prepared {
            if let Err(why) = self.prepare(budget) {
                return Attempt::Refused(why);
            }
            self.is_prepared = true;
        }
        let holds =
            if depth <= 1 { self.is_safe_after_one(budget) } else { self.is_safe_after(depth, budget) };
        match holds {
            Some(true) => Attempt::Proved(self.proof(depth, budget)),
            Some(false) => Attempt::NotInductive,
            None => Attempt::Refused("its limit was reached".into()),
        }
    }

    /// Finds the heads, what is reached from each, and which guesses are invariants.
    fn prepare(&mut self, budget: &Budget) -> Result<(), String> {
        let main = self.program.main.ok_or("there is no `main`")?;
        let (state, _) = self.explorer.encoder.initial_state();
        self.explorer.begin_at(main, state);
        self.walk(None, budget)?;
        let mut next = 0;
        while next < self.heads.len() {
            self.explorer.stop = StopRule::Heads(1);
            let head = &self.heads[next];
            let guard = self.explorer.encoder.terms.yes();
            let pending = Pending { guard, state: head.any.clone(), stack: head.stack.clone(), depth: 1 };
            self.explorer.resume(pending);
            self.walk(Some(next), budget)?;
            next += 1;
        }
        self.check_lives()?;
        self.keep_invariants(budget)
    }

    /// Walks to the next heads and notes arrivals and goals.
    fn walk(&mut self, from: Option<usize>, budget: &Budget) -> Result<(), String> {
        while self.explorer.advance() {
            self.explorer.encoder.terms.pool.check(budget).map_err(|limit| limit.to_string())?;
        }
        let goals = std::mem::take(&mut self.explorer.goals);
        match from {
            Some(from) => self.goals.extend(goals.into_iter().map(|goal| (from, goal))),
            // The base has its own encoding of the start: what goes wrong only in this one would cut runs off unseen.
            None => {
                for goal in goals {
                    if self.checker.ask(&mut self.explorer.encoder, &[goal.condition], budget)
                        != Answer::Unsat
                    {
                        return Err(format!("the start may fail ({:?})", goal.kind));
                    }
                }
            }
        }
        for mut pending in std::mem::take(&mut self.explorer.postponed) {
            let level = pending.stack.last().expect("control is in a procedure");
            let (procedure, node) = (level.procedure, level.node);
            if !self.explorer.order(procedure).is_head(node) {
                return Err(format!("`{}` calls itself", self.program.procedures[procedure].name));
            }
            let to = self.head_for(&pending)?;
            let head = &self.heads[to];
            let invariant = |condition: TermId| Invariant { symbols: head.symbols.clone(), condition };
            let all: Vec<Invariant> = head.candidates.iter().map(|&candidate| invariant(candidate)).collect();
            let instantiated = all
                .iter()
                .map(|candidate| instantiated(&mut self.explorer.encoder, candidate, &mut pending.state))
                .collect();
            self.arrivals.push(Arrival { from, to, guard: pending.guard, instantiated });
        }
        Ok(())
    }

    /// The head a state has arrived at, with guesses made from it if it is new.
    fn head_for(&mut self, pending: &Pending) -> Result<usize, String> {
        let place = place_of(&pending.stack);
        if let Some(&known) = self.by_place.get(&place) {
            return Ok(known);
        }
        if self.heads.len() >= MOST_HEADS {
            return Err(format!("there are more than {MOST_HEADS} loops, calls unfolded"));
        }
        if pending.state.frames.iter().any(|frame| !frame.own_blocks.is_empty()) {
            return Err("a loop runs while a block of `alloca` or an array of run-time length lives".into());
        }
        let number = self.heads.len();
        let encoder = &mut self.explorer.encoder;
        let mut any = encoder.any_state(&format!("h{number}:"), &pending.state.frames);
        encoder.enliven_frames(&mut any);
        let procedures: Vec<ProcedureId> = {
            let mut all: Vec<ProcedureId> = Vec::new();
            for level in pending.stack.iter() {
                if !all.contains(&level.procedure) {
                    all.push(level.procedure);
                }
            }
            all
        };
        let candidates = candidates(encoder, &procedures, &any, &pending.state, &self.finite);
        let mut copy = any.clone();
        let symbols = Rc::new(encoder.parts(&mut copy));
        let level = pending.stack.last().expect("control is in a procedure");
        let span = self.program.procedures[level.procedure]
            .body
            .as_ref()
            .map_or_else(Span::default, |body| body.nodes[level.node].span);
        let mut stack = (*pending.stack).clone();
        stack.iter_mut().for_each(|level| level.rounds.iter_mut().for_each(|round| *round = 0));
        self.heads.push(Head { place: place.clone(), any, stack: Rc::new(stack), symbols, candidates, span });
        self.by_place.insert(place, number);
        Ok(number)
    }

    /// Drops guesses until the rest holds at every arrival.
    fn keep_invariants(&mut self, budget: &Budget) -> Result<(), String> {
        let mut alive: Vec<Vec<bool>> =
            self.heads.iter().map(|head| vec![true; head.candidates.len()]).collect();
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for at in 0..self.arrivals.len() {
                is_stable &= !self.weaken_at(at, &mut alive, budget)?;
            }
        }
        for (head, alive) in self.heads.iter_mut().zip(&alive) {
            let mut at = 0;
            head.candidates.retain(|_| {
                at += 1;
                alive[at - 1]
            });
        }
        Ok(())
    }

    /// Drops the guesses that one arrival can break. Says whether there were any.
    fn weaken_at(&mut self, at: usize, alive: &mut [Vec<bool>], budget: &Budget) -> Result<bool, String> {
        let mut has_dropped = false;
        loop {
            let arrival = &self.arrivals[at];
            let encoder = &mut self.explorer.encoder;
            let mut assumptions: Vec<TermId> = vec![arrival.guard];
            if let Some(from) = arrival.from {
                let known = self.heads[from].candidates.iter().zip(&alive[from]);
                assumptions.extend(known.filter(|(_, alive)| **alive).map(|(&candidate, _)| candidate));
            }
            let mut broken = Vec::new();
            for (&candidate, _) in
                arrival.instantiated.iter().zip(&alive[arrival.to]).filter(|(_, alive)| **alive)
            {
                broken.push(encoder.terms.not(candidate));
            }
            if broken.is_empty() {
                return Ok(has_dropped);
            }
            let any = encoder.terms.any(&broken);
            assumptions.push(any);
            match self.checker.ask(encoder, &assumptions, budget) {
                Answer::Unsat => return Ok(has_dropped),
                Answer::Sat => {
                    let model = self.checker.model(encoder).ok_or("the solver gives no model")?;
                    let mut evaluator = logic::evaluate::Evaluator::new(&model);
                    let mut count = 0;
                    for (position, &candidate) in arrival.instantiated.iter().enumerate() {
                        let holds = evaluator.evaluate(&encoder.terms.pool, candidate);
                        if alive[arrival.to][position] && holds != Ok(logic::model::Value::Bool(true)) {
                            alive[arrival.to][position] = false;
                            count += 1;
                        }
                    }
                    if count == 0 {
                        return Err("a model does not show what it should".into());
                    }
                    has_dropped = true;
                }
                Answer::Unknown(reason) => return Err(format!("the solver stopped: {reason:?}")),
            }
        }
    }

    /// After one step from any state with the invariant, can nothing fail?
    fn is_safe_after_one(&mut self, budget: &Budget) -> Option<bool> {
        for head in 0..self.heads.len() {
            let conditions: Vec<TermId> =
                self.goals.iter().filter(|(from, _)| *from == head).map(|(_, goal)| goal.condition).collect();
            if conditions.is_empty() {
                continue;
            }
            let mut assumptions = self.heads[head].candidates.clone();
            assumptions.push(self.explorer.encoder.terms.any(&conditions));
            match self.checker.ask(&mut self.explorer.encoder, &assumptions, budget) {
                Answer::Unsat => {}
                Answer::Sat => return Some(false),
                Answer::Unknown(_) => return None,
            }
        }
        Some(true)
    }

    /// After so many heads, of which only the last may be followed by a failure, can nothing fail?
    fn is_safe_after(&mut self, depth: u32, budget: &Budget) -> Option<bool> {
        for head in &self.heads {
            let condition = self.explorer.encoder.terms.pool.all_of(&head.candidates);
            let condition = self.explorer.encoder.terms.simple(condition);
            let invariant = Invariant { symbols: head.symbols.clone(), condition };
            self.explorer.invariants.insert(head.place.clone(), invariant);
        }
        self.explorer.stop = StopRule::Heads(depth);
        for at in 0..self.heads.len() {
            let head = &self.heads[at];
            let guard = self.explorer.encoder.terms.yes();
            let pending = Pending { guard, state: head.any.clone(), stack: head.stack.clone(), depth: 1 };
            self.explorer.resume(pending);
            while self.explorer.advance() {
                self.explorer.encoder.terms.pool.check(budget).ok()?;
            }
            self.explorer.postponed.clear();
            let goals = std::mem::take(&mut self.explorer.goals);
            let (last, before): (Vec<Goal>, Vec<Goal>) =
                goals.into_iter().partition(|goal| goal.depth >= depth || is_unknown(goal));
            if last.is_empty() {
                continue;
            }
            let mut assumptions = self.heads[at].candidates.clone();
            for goal in before {
                assumptions.push(self.explorer.encoder.terms.not(goal.condition));
            }
            let conditions: Vec<TermId> = last.iter().map(|goal| goal.condition).collect();
            assumptions.push(self.explorer.encoder.terms.any(&conditions));
            match self.checker.ask(&mut self.explorer.encoder, &assumptions, budget) {
                Answer::Unsat => {}
                Answer::Sat => return Some(false),
                Answer::Unknown(_) => return None,
            }
        }
        Some(true)
    }

    fn proof(&mut self, depth: u32, budget: &Budget) -> Proof {
        let how = if depth <= 1 {
            "every loop keeps an invariant under which nothing fails".to_owned()
        } else {
            format!("no loop fails after {depth} rounds that did not, from any state its invariant allows")
        };
        let all = |head: &Head| vec![true; head.candidates.len()];
        let needed = match depth {
            0 | 1 => self.needed_for_one(budget),
            // Heads on the way assume all of their invariant at once.
            _ => None,
        };
        let needed = needed.unwrap_or_else(|| self.heads.iter().map(all).collect());
        let mut certificate = ProgramProof::by(ProofArgument::Induction { depth: depth.max(1) });
        for (head, needed) in self.heads.iter().zip(&needed) {
            let kept = head.candidates.iter().zip(needed).filter(|(_, needed)| **needed);
            let conditions: Vec<TermId> = kept.map(|(&condition, _)| condition).collect();
            let head =
                AtHead { stack: &head.stack, any: &head.any, conditions: &conditions, span: head.span };
            add_loop(&mut certificate, &mut self.explorer.encoder, self.program, head);
        }
        add_objects(&mut certificate, &self.explorer.encoder);
        Proof { engine: "k-induction", how, certificate }
    }

    /// The part of the invariants that the proof needs: what excludes failures, and what keeps that true, by unsatisfiable cores.
    /// `None` if the solver cannot say.
    fn needed_for_one(&mut self, budget: &Budget) -> Option<Vec<Vec<bool>>> {
        let mut needed: Vec<Vec<bool>> =
            self.heads.iter().map(|head| vec![false; head.candidates.len()]).collect();
        for head in 0..self.heads.len() {
            let conditions: Vec<TermId> =
                self.goals.iter().filter(|(from, _)| *from == head).map(|(_, goal)| goal.condition).collect();
            let fails = self.explorer.encoder.terms.any(&conditions);
            self.need_core(head, &[fails], &mut needed, budget)?;
        }
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for at in 0..self.arrivals.len() {
                let arrival = &self.arrivals[at];
                let (Some(from), guard) = (arrival.from, arrival.guard) else { continue };
                let wanted =
                    arrival.instantiated.iter().zip(&needed[arrival.to]).filter(|(_, needed)| **needed);
                let wanted: Vec<TermId> = wanted.map(|(&condition, _)| condition).collect();
                let broken: Vec<TermId> =
                    wanted.iter().map(|&condition| self.explorer.encoder.terms.not(condition)).collect();
                let any = self.explorer.encoder.terms.any(&broken);
                is_stable &= !self.need_core(from, &[guard, any], &mut needed, budget)?;
            }
        }
        Some(needed)
    }

    /// Marks what of a head's invariant makes the conditions impossible. Says whether that is new.
    fn need_core(
        &mut self,
        head: usize,
        conditions: &[TermId],
        needed: &mut [Vec<bool>],
        budget: &Budget,
    ) -> Option<bool> {
        if conditions.iter().any(|&condition| self.explorer.encoder.terms.truth(condition) == Some(false)) {
            return Some(false);
        }
        let mut assumptions = conditions.to_vec();
        // What is needed already comes first: cores are made of what helps early.
        let known = self.heads[head].candidates.iter().zip(&needed[head]);
        let known: Vec<TermId> =
            known.filter(|(_, needed)| **needed).map(|(&condition, _)| condition).collect();
        assumptions.extend(known);
        if self.checker.ask(&mut self.explorer.encoder, &assumptions, budget) == Answer::Unsat {
            return Some(false);
        }
        let mut assumptions = conditions.to_vec();
        assumptions.extend(&self.heads[head].candidates);
        if self.checker.ask(&mut self.explorer.encoder, &assumptions, budget) != Answer::Unsat {
            return None;
        }
        let mut core: Vec<TermId> =
            self.checker.core().iter().copied().filter(|term| !conditions.contains(term)).collect();
        // People read what is left: what the rest implies goes.
        let mut at = 0;
        while core.len() <= MOST_MINIMISED && at < core.len() {
            let mut fewer = core.clone();
            fewer.remove(at);
            let mut assumptions = conditions.to_vec();
            assumptions.extend(&fewer);
            match self.checker.ask(&mut self.explorer.encoder, &assumptions, budget) {
                Answer::Unsat => core = fewer,
                _ => at += 1,
            }
        }
        let mut is_new = false;
        for (candidate, needed) in self.heads[head].candidates.iter().zip(&mut needed[head]) {
            if core.contains(candidate) && !*needed {
                *needed = true;
                is_new = true;
            }
        }
        Some(is_new)
    }

    /// Fixed objects are sound only if no pointer to a variable can be there when the variable begins to live again.
    fn check_lives(&self) -> Result<(), String> {
        let Some(fixed) = &self.explorer.encoder.fixed_objects else { return Ok(()) };
        let meaning = self.explorer.encoder.meaning;
        let lives = Lives::of(self.program, meaning.points_to);
        for &variable in &fixed.begun {
            if meaning.is_address_taken(variable) && lives.may_be_outlived(variable) {
                let name = &self.program.variables[variable].name;
                return Err(format!("a pointer to `{name}` may outlive it"));
            }
        }
        Ok(())
    }
}

/// Is it something without a meaning here? The base may know more, so that it must not be supposed away.
fn is_unknown(goal: &Goal) -> bool {
    matches!(goal.kind, GoalKind::Failure(FailureKind::Unknown, _))
}

/// Where pointers to variables may be kept.
struct Lives<'p> {
    program: &'p Program,
    stored: FxHashSet<ObjectId>,
    held_by: FxHashMap<ObjectId, Vec<VariableId>>,
    in_blocks: FxHashSet<VariableId>,
    callees: FxHashMap<ProcedureId, FxHashSet<ProcedureId>>,
    points_to: &'p PointsTo,
}

impl<'p> Lives<'p> {
    fn of(program: &'p Program, points_to: &'p PointsTo) -> Lives<'p> {
        let mut stored = FxHashSet::default();
        for object in points_to.objects() {
            for cell in points_to.cells_of(object) {
                stored.extend(points_to.content(cell).into_iter().map(|target| target.object));
            }
        }
        let mut held_by: FxHashMap<ObjectId, Vec<VariableId>> = FxHashMap::default();
        for (id, variable) in program.variables.iter_enumerated() {
            if symbolic::meaning::is_in_memory(program, id) {
                continue;
            }
            let value = Expr::load(Place::variable(id, variable.ty));
            for target in points_to.points_to(program, &value) {
                held_by.entry(target.object).or_default().push(id);
            }
        }
        let mut in_blocks = FxHashSet::default();
        for procedure in &program.procedures {
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                if let Action::Lifetime { variable, .. } = edge.action {
                    in_blocks.insert(variable);
                }
            }
        }
        let direct: FxHashMap<ProcedureId, Vec<ProcedureId>> =
            program.procedures.ids().map(|id| (id, points_to.callees(program, id))).collect();
        let mut callees = FxHashMap::default();
        for id in program.procedures.ids() {
            let mut seen = FxHashSet::default();
            let mut open = direct[&id].clone();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(&direct[&next]);
                }
            }
            callees.insert(id, seen);
        }
        Lives { program, stored, held_by, in_blocks, callees, points_to }
    }

    fn may_be_outlived(&self, variable: VariableId) -> bool {
        let Some(object) = self.points_to.object_of(ObjectKind::Variable(variable)) else { return false };
        let Some(owner) = self.program.variables[variable].procedure else { return true };
        let is_in_block = self.in_blocks.contains(&variable);
        // The variables of `main` itself begin once.
        if Some(owner) == self.program.main && !is_in_block && !self.callees[&owner].contains(&owner) {
            return false;
        }
        if self.stored.contains(&object) || self.points_to.is_escaped(object) {
            return true;
        }
        self.held_by.get(&object).is_some_and(|holders| {
            holders.iter().any(|&holder| match self.program.variables[holder].procedure {
                None => true,
                Some(procedure) if procedure == owner => is_in_block,
                // A caller's variable lives on when the owner has returned.
                Some(procedure) => self.callees[&procedure].contains(&owner),
            })
        })
    }
}
