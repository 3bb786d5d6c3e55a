//! Predicates that exclude a path which cannot be taken: at each of its cut points conditions that hold on
//! the way there and that, block by block, lead to the contradiction at its end. A sequence of interpolants,
//! found backwards from the contradiction: what must not hold after a block, taken before it (weakest
//! precondition), is excluded by conditions that the way there implies; an unsatisfiable core says which are
//! needed.
//!
//! Calls (nested interpolants, after Heizmann, Hoenicke, Podelski 2010): what the caller needs of a call is a
//! condition on its end and on the values at its entry; the activation is then treated as a path of its own
//! that must lead to that condition.
//!
//! Worked example: the path `x = 0`, a cut point, `x++`, a cut point, then the guard `x < 0`. On the way to
//! the last cut point `x == 1` and `x >= 0` hold; either excludes `x < 0`, and the more general `x >= 0` is
//! kept. Before `x++` its weakest precondition is `x + 1 >= 0`, which `x >= 0` (overflow apart) implies, and
//! `x == 0` does too; again `x >= 0` is kept. One predicate at both cut points, which also holds on other
//! rounds.

use super::divide::Divided;
use super::follow::{Segment, Stop};
use super::guess::{self, Subject};
use base::Budget;
use logic::term::{Op, symbols_in};
use logic::traits::{CheckAssuming, GetModel};
use logic::{Answer, EmbeddedSolver, TermId, Value};
use predicate::procedure::system::Values;
use predicate::procedure::{CutId, RoutineId, Scopes, Target};
use rustc_hash::FxHashSet;
use verdict::{NoModel, Reason};

/// Learns from one path.
pub struct Learner<'l, 'p, 'a> {
    /// The program.
    pub divided: &'l mut Divided<'p, 'a>,
    /// The predicates so far.
    pub scopes: &'l mut Scopes,
    /// A solver that knows what the path supposes.
    pub path: &'l mut EmbeddedSolver,
    /// A solver for questions about blocks.
    pub blocks: &'l mut EmbeddedSolver,
    /// Questions asked.
    pub queries: u64,
    /// Predicates that are new.
    pub added: usize,
    /// What the last question supposed.
    pub asked: Vec<TermId>,
}

/// A place that conditions are about, on the path: what its symbols are, and when control is there.
struct PlaceOnPath<'s> {
    values: &'s Values,
    entry: &'s Values,
    guard: TermId,
}

fn too_few(why: &str) -> Reason {
    Reason::NoPredicates { why: why.to_owned() }
}

impl Learner<'_, '_, '_> {
    /// Adds predicates that exclude the path.
    pub fn exclude(&mut self, path: &Segment, budget: &Budget) -> Result<(), Reason> {
        let needed = self.segment(path, &[], budget)?;
        if needed.is_empty() { Ok(()) } else { Err(too_few("the start of the program needs predicates")) }
    }

    /// Adds predicates along an activation that make its end imply `promised` (over the values at entry and
    /// at its end), or, if it has no end, that make its last block impossible. Gives what must hold at its
    /// entry.
    fn segment(
        &mut self,
        segment: &Segment,
        promised: &[TermId],
        budget: &Budget,
    ) -> Result<Vec<TermId>, Reason> {
        let entry = segment.stops.first().expect("an activation begins").values.clone();
        // Conditions after the block that is looked at.
        let mut after: Option<(Vec<TermId>, bool)> = segment.end.is_some().then(|| (promised.to_vec(), true));
        let mut needed = Vec::new();
        for (position, stop) in segment.stops.iter().enumerate().rev() {
            if let Err(limit) = budget.check() {
                return Err(limit.into());
            }
            needed = self.stop(segment.routine, stop, &entry, after.take(), budget)?;
            let is_entry = position == 0;
            for &condition in &needed {
                let terms = &self.divided.explorer.encoder.terms;
                self.added += usize::from(self.scopes.add(&terms.pool, stop.cut, condition));
            }
            if !is_entry {
                after = Some((needed.clone(), false));
            }
        }
        Ok(needed)
    }

    /// What must hold at a cut point so that `after` holds after the block from it (at the next cut point,
    /// or, if so, at the end).
    fn stop(
        &mut self,
        routine: RoutineId,
        stop: &Stop,
        entry: &Values,
        after: Option<(Vec<TermId>, bool)>,
        budget: &Budget,
    ) -> Result<Vec<TermId>, Reason> {
        let seen = PlaceOnPath { values: &stop.values, entry, guard: stop.guard };
        let Some(block) = stop.block else {
            // The path ends inside the call.
            let inner = stop.call.as_ref().ok_or_else(|| too_few("a path ends nowhere"))?;
            let needed = self.segment(inner, &[], budget)?;
            return Ok(self.at_call(stop.cut, &needed));
        };
        let block = self.divided.system.blocks[block].clone();
        let bad = match (after, &block.to) {
            (None, _) | (_, Target::Failure) => block.guard,
            (Some((conditions, _)), Target::Cut(_, values) | Target::End(values)) => {
                let terms = &mut self.divided.explorer.encoder.terms;
                let all = terms.pool.all_of(&conditions);
                let all = terms.pool.substitute(all, values);
                let broken = terms.not(all);
                terms.and(block.guard, broken)
            }
        };
        if self.divided.explorer.encoder.terms.truth(bad) == Some(false) {
            return match &stop.call {
                // The call may end as it likes, but it must be gone through.
                Some(inner) => {
                    let needed = self.segment(inner, &[], budget)?;
                    Ok(self.at_call(stop.cut, &needed))
                }
                None => Ok(Vec::new()),
            };
        }
        match &stop.call {
            None => self.plain(routine, stop.cut, &seen, bad, budget),
            Some(inner) => self.past_call(routine, stop.cut, &seen, inner, bad, budget),
        }
    }

    /// Conditions on the callee's entry, as conditions before the call.
    fn at_call(&mut self, cut: CutId, needed: &[TermId]) -> Vec<TermId> {
        let Some(call) = &self.divided.system.cuts[cut].call else { return Vec::new() };
        let entering = call.entering.clone();
        let terms = &mut self.divided.explorer.encoder.terms;
        let all = terms.pool.substitute_all(needed, &entering);
        let all: Vec<TermId> = all.into_iter().map(|condition| terms.simple(condition)).collect();
        all.into_iter().filter(|&condition| terms.truth(condition) != Some(true)).collect()
    }

    /// The symbols that conditions at a cut point may speak of.
    fn allowed(&self, cut: CutId) -> FxHashSet<TermId> {
        let system = &self.divided.system;
        let entry = system.entry_of(cut);
        system.cuts[cut].symbols.iter().chain(&system.cuts[entry].symbols).copied().collect()
    }

    /// Is it about nothing but these symbols?
    fn is_about(&self, term: TermId, allowed: &FxHashSet<TermId>) -> bool {
        let pool = &self.divided.explorer.encoder.terms.pool;
        symbols_in(pool, &[term]).iter().all(|symbol| allowed.contains(symbol))
    }

    fn plain(
        &mut self,
        routine: RoutineId,
        cut: CutId,
        seen: &PlaceOnPath<'_>,
        bad: TermId,
        budget: &Budget,
    ) -> Result<Vec<TermId>, Reason> {
        // Nothing need be known?
        if self.is_excluded(&[], bad, budget)? {
            return Ok(Vec::new());
        }
        let allowed = self.allowed(cut);
        let guesses = self.guesses_at(routine, cut, seen, bad, &allowed);
        let held = self.held(guesses, seen, budget)?;
        if let Some(needed) = self.sufficient(&held, bad, budget)? {
            return Ok(needed);
        }
        if self.is_about(bad, &allowed) {
            // ¬bad is the weakest precondition itself.
            let whole = self.divided.explorer.encoder.terms.not(bad);
            return Ok(vec![whole]);
        }
        Err(too_few("no condition excludes a path that cannot be taken"))
    }

    fn past_call(
        &mut self,
        routine: RoutineId,
        cut: CutId,
        seen: &PlaceOnPath<'_>,
        inner: &Segment,
        bad: TermId,
        budget: &Budget,
    ) -> Result<Vec<TermId>, Reason> {
        let call = self.divided.system.cuts[cut].call.clone().ok_or_else(|| too_few("a call is missing"))?;
        let mut values = call.entering.clone();
        values.extend(call.leaving.iter().map(|(&symbol, &term)| (symbol, term)));
        let (end_values, end_guard) =
            inner.end.as_ref().ok_or_else(|| too_few("a call that goes on has an end"))?;
        let callee_entry = &inner.stops.first().expect("an activation begins").values;
        // Conditions on the call, told about the callee: over the values at its entry and at its end.
        let told = self.guesses_about_call(&call, bad);
        let at_end = PlaceOnPath { values: end_values, entry: callee_entry, guard: *end_guard };
        let mut told = self.held(told, &at_end, budget)?;
        let allowed = self.allowed(cut);
        let mut own = self.guesses_at(routine, cut, seen, bad, &allowed);
        // What would be bad if the call changed nothing.
        let unchanged = self.unchanged(&call);
        let (frame, back): (Vec<TermId>, Values) = unchanged;
        let terms = &mut self.divided.explorer.encoder.terms;
        let framed = terms.pool.substitute(bad, &back);
        let framed = terms.simple(framed);
        if framed != bad {
            own.extend(self.guesses_at(routine, cut, seen, framed, &allowed));
            own = guess::without_repetition(&self.divided.explorer.encoder.terms, own);
        }
        let frame = self.held(frame, &at_end, budget)?;
        told.retain(|condition| !frame.contains(condition));
        told.extend(frame);
        // What links the caller's variables to the arguments.
        own.extend(self.links(&call, &allowed, bad));
        let own = self.held(own, seen, budget)?;
        let mut seen_by_caller = self.instances(&told, &values);
        let mut core = self.sufficient(&interleaved(&seen_by_caller, &own), bad, budget)?;
        if core.is_none() {
            // What the call does on this very path.
            told = self.with_effect(inner, told);
            seen_by_caller = self.instances(&told, &values);
            core = self.sufficient(&interleaved(&seen_by_caller, &own), bad, budget)?;
        }
        let core =
            core.ok_or_else(|| too_few("no condition on a call excludes a path that cannot be taken"))?;
        let mut promised = Vec::new();
        for (&condition, instance) in told.iter().zip(&seen_by_caller) {
            if core.contains(instance) && !own.contains(instance) {
                promised.push(condition);
            }
        }
        let mut needed: Vec<TermId> = core.into_iter().filter(|condition| own.contains(condition)).collect();
        for &condition in &promised {
            let pool = &self.divided.explorer.encoder.terms.pool;
            self.added += usize::from(self.scopes.add_at_end(pool, call.callee, condition));
        }
        let at_entry = self.segment(inner, &promised, budget)?;
        needed.extend(self.at_call(cut, &at_entry));
        Ok(needed)
    }

    fn instances(&mut self, conditions: &[TermId], values: &Values) -> Vec<TermId> {
        let terms = &mut self.divided.explorer.encoder.terms;
        let instances = terms.pool.substitute_all(conditions, values);
        instances.into_iter().map(|term| terms.simple(term)).collect()
    }

    /// Few of the conditions that exclude what is bad, from the end of the list if these do; `None` if not
    /// even all do.
    fn sufficient(
        &mut self,
        conditions: &[TermId],
        bad: TermId,
        budget: &Budget,
    ) -> Result<Option<Vec<TermId>>, Reason> {
        let mut size = 4;
        loop {
            let from = conditions.len().saturating_sub(size);
            if self.is_excluded(&conditions[from..], bad, budget)? {
                return Ok(Some(self.core(bad, budget)));
            }
            if from == 0 {
                return Ok(None);
            }
            size *= 3;
        }
    }

    /// Do the conditions exclude what is bad?
    fn is_excluded(&mut self, conditions: &[TermId], bad: TermId, budget: &Budget) -> Result<bool, Reason> {
        self.queries += 1;
        let mut assumptions = conditions.to_vec();
        assumptions.push(bad);
        self.asked.clone_from(&assumptions);
        let pool = &mut self.divided.explorer.encoder.terms.pool;
        match self.blocks.check_assuming(pool, &assumptions, budget) {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown(reason) => Err(Reason::solver(&reason)),
        }
    }

    /// The conditions of the last question that are needed, after one that was answered with yes: those that
    /// stand first are dropped first, as long as the rest will do. (The solver's own core would take
    /// whichever it met.)
    fn core(&mut self, bad: TermId, budget: &Budget) -> Vec<TermId> {
        let mut kept = std::mem::take(&mut self.asked);
        kept.pop();
        let mut seen = FxHashSet::default();
        kept.retain(|&term| seen.insert(term));
        let mut size = kept.len().div_ceil(2).max(1);
        loop {
            let mut position = 0;
            while position < kept.len() {
                let end = (position + size).min(kept.len());
                let without: Vec<TermId> = kept[..position].iter().chain(&kept[end..]).copied().collect();
                match self.is_excluded(&without, bad, budget) {
                    Ok(true) => kept = without,
                    Ok(false) => position = end,
                    Err(_) => return kept,
                }
            }
            if size == 1 {
                return kept;
            }
            size = size.div_ceil(2);
        }
    }

    /// The guesses that hold whenever the path gets to the place.
    fn held(
        &mut self,
        guesses: Vec<TermId>,
        seen: &PlaceOnPath<'_>,
        budget: &Budget,
    ) -> Result<Vec<TermId>, Reason> {
        let mut values = seen.entry.clone();
        values.extend(seen.values.iter().map(|(&symbol, &term)| (symbol, term)));
        let terms = &mut self.divided.explorer.encoder.terms;
        let instances = terms.pool.substitute_all(&guesses, &values);
        let mut standing: Vec<(TermId, TermId)> = Vec::new();
        for (guess, instance) in guesses.into_iter().zip(instances) {
            let instance = terms.simple(instance);
            if terms.truth(instance) != Some(false) {
                standing.push((guess, instance));
            }
        }
        loop {
            self.queries += 1;
            let terms = &mut self.divided.explorer.encoder.terms;
            let open: Vec<TermId> = standing.iter().map(|(_, instance)| *instance).collect();
            let all = terms.pool.all_of(&open);
            let broken = terms.not(all);
            if terms.truth(broken) == Some(false) {
                break;
            }
            match self.path.check_assuming(&mut terms.pool, &[seen.guard, broken], budget) {
                Answer::Unsat => break,
                Answer::Unknown(reason) => return Err(Reason::solver(&reason)),
                Answer::Sat => {
                    let found = self.path.values_of(&mut terms.pool, &open);
                    let found = found.ok_or(NoModel::Missing)?;
                    let before = standing.len();
                    let mut value = found.into_iter();
                    standing.retain(|_| value.next() == Some(Value::Bool(true)));
                    if standing.len() == before {
                        return Err(NoModel::Contradicts.into());
                    }
                }
            }
        }
        Ok(standing.into_iter().map(|(guess, _)| guess).collect())
    }

    /// Guesses at a cut point, those that are better dropped first.
    fn guesses_at(
        &mut self,
        routine: RoutineId,
        cut: CutId,
        seen: &PlaceOnPath<'_>,
        bad: TermId,
        allowed: &FxHashSet<TermId>,
    ) -> Vec<TermId> {
        let entry = self.divided.system.routines[routine].entry;
        let mut parts = self.divided.points[cut].parts.clone();
        if entry != cut {
            parts.extend(self.divided.points[entry].parts.iter().copied());
        }
        let program = self.divided.program;
        let subjects = guess::subjects(&self.divided.explorer.encoder, &parts, bad, allowed);
        let numbers = prove::constants(program, &[self.divided.procedures[routine]]);
        let starts: Vec<Option<u128>> = subjects
            .iter()
            .map(|subject| {
                let terms = &mut self.divided.explorer.encoder.terms;
                let value = terms.pool.substitute(subject.term, seen.values);
                let value = terms.pool.substitute(value, seen.entry);
                let value = terms.simple(value);
                terms.constant(value)
            })
            .collect();
        let terms = &mut self.divided.explorer.encoder.terms;
        let mut guesses = guess::about(terms, &subjects, &starts, &numbers, bad);
        guesses.extend(prove::atoms_of(terms, bad, allowed));
        // Memory and links to other parts that the question itself does not mention.
        guess::without_repetition(terms, guesses)
    }

    /// Guesses about what a call leaves behind.
    fn guesses_about_call(&mut self, call: &predicate::procedure::Call, bad: TermId) -> Vec<TermId> {
        let callee = call.callee;
        let entry = self.divided.system.routines[callee].entry;
        let encoder = &mut self.divided.explorer.encoder;
        let mentioned: FxHashSet<TermId> = symbols_in(&encoder.terms.pool, &[bad]).into_iter().collect();
        let end = &self.divided.ends[callee];
        let mut targets: Vec<Subject> = Vec::new();
        let is_new = |encoder: &symbolic::Encoder<'_>, symbol: TermId| {
            let Some(&value) = call.leaving.get(&symbol) else { return false };
            matches!(encoder.terms.pool.op(value), Op::Symbol(_))
                && mentioned.contains(&value)
                && !call.entering.values().any(|&known| known == value)
        };
        if let Some(result) = end.result.filter(|&result| is_new(encoder, result)) {
            let ty = encoder.meaning.program.result_type(self.divided.procedures[callee]).id;
            let signed = encoder.meaning.program.types.integer_shape(ty).is_some_and(|shape| shape.signed);
            targets.push(Subject { term: result, signed, is_named: true });
        }
        for &(part, symbol) in &end.parts {
            if is_new(encoder, symbol)
                && let Some(subject) = guess::subject_of(encoder, part, symbol)
            {
                targets.push(subject);
            }
        }
        let parts = self.divided.points[entry].parts.clone();
        let program = self.divided.program;
        let declared = &program.procedures[self.divided.procedures[callee]];
        let sources: Vec<Subject> = parts
            .iter()
            .filter(|(part, _)| match part {
                symbolic::StateVariable::Local(_, id) => declared.parameters.contains(id),
                symbolic::StateVariable::Global(_) => true,
                _ => false,
            })
            .filter_map(|&(part, symbol)| guess::subject_of(encoder, part, symbol))
            .collect();
        let numbers = prove::constants(program, &[self.divided.procedures[callee]]);
        let terms = &mut encoder.terms;
        let (mut guesses, given) = guess::about_results(terms, &targets, &sources, &numbers, bad);
        // What the caller asks, told about the callee.
        let mut back = Values::default();
        for (&symbol, &term) in &call.entering {
            if terms.constant(term).is_none() {
                back.insert(term, symbol);
            }
        }
        for (&symbol, &term) in &call.leaving {
            if matches!(terms.pool.op(term), Op::Symbol(_))
                && !call.entering.values().any(|&known| known == term)
            {
                back.insert(term, symbol);
            }
        }
        let told = terms.pool.substitute(bad, &back);
        let told = terms.simple(told);
        let system = &self.divided.system;
        let allowed: FxHashSet<TermId> =
            system.cuts[entry].symbols.iter().chain(&system.routines[callee].ends).copied().collect();
        guesses.extend(prove::atoms_of(terms, told, &allowed));
        guesses.extend(given);
        guess::without_repetition(terms, guesses)
    }

    /// That a call leaves static variables as they were, one by one; and what it leaves behind, if so, by
    /// what it found.
    fn unchanged(&mut self, call: &predicate::procedure::Call) -> (Vec<TermId>, Values) {
        let entry = self.divided.system.routines[call.callee].entry;
        let at_entry: rustc_hash::FxHashMap<_, _> =
            self.divided.points[entry].parts.iter().copied().collect();
        let (mut frame, mut back) = (Vec::new(), Values::default());
        let ends = self.divided.ends[call.callee].parts.clone();
        let terms = &mut self.divided.explorer.encoder.terms;
        for (part, symbol) in ends {
            let (Some(&before), Some(&left)) = (at_entry.get(&part), call.leaving.get(&symbol)) else {
                continue;
            };
            let Some(&found) = call.entering.get(&before) else { continue };
            if left != found && matches!(terms.pool.op(left), Op::Symbol(_)) {
                back.insert(left, found);
                if guess::is_number(terms, symbol) {
                    frame.push(terms.equal(symbol, before));
                }
            }
        }
        (frame, back)
    }

    /// Equalities between what arguments are and what the caller has.
    fn links(
        &mut self,
        call: &predicate::procedure::Call,
        allowed: &FxHashSet<TermId>,
        bad: TermId,
    ) -> Vec<TermId> {
        let mut found = Vec::new();
        let terms = &mut self.divided.explorer.encoder.terms;
        let others: Vec<TermId> = symbols_in(&terms.pool, &[bad])
            .into_iter()
            .filter(|symbol| allowed.contains(symbol) && guess::is_number(terms, *symbol))
            .collect();
        let arguments: Vec<TermId> =
            call.entering.values().copied().filter(|&term| guess::is_number(terms, term)).collect();
        for &argument in arguments.iter().take(24) {
            if !matches!(terms.pool.op(argument), Op::Symbol(_)) && terms.constant(argument).is_some() {
                continue;
            }
            for &other in others.iter().take(12) {
                if other != argument && terms.pool.width(other) == terms.pool.width(argument) {
                    found.push(terms.equal(other, argument));
                }
            }
        }
        found.retain(|&link| symbols_in(&terms.pool, &[link]).iter().all(|symbol| allowed.contains(symbol)));
        found
    }

    /// Adds what the activation does, in full: its end over the values at its entry, if it takes no input and
    /// calls nobody on the way.
    fn with_effect(&mut self, inner: &Segment, mut told: Vec<TermId>) -> Vec<TermId> {
        let Some((guard, values)) = self.effect(inner) else { return told };
        let terms = &mut self.divided.explorer.encoder.terms;
        let mut first = guess::conjuncts(&terms.pool, guard);
        for (&symbol, &value) in &values {
            if guess::is_number(terms, symbol) {
                first.push(terms.equal(symbol, value));
            }
        }
        first.retain(|condition| !told.contains(condition) && terms.truth(*condition).is_none());
        first.append(&mut told);
        first
    }

    /// When an activation takes its path, and what its end is then, over the values at its entry.
    fn effect(&mut self, segment: &Segment) -> Option<(TermId, Values)> {
        segment.end.as_ref()?;
        let entry = self.divided.system.routines[segment.routine].entry;
        let allowed: FxHashSet<TermId> = self.divided.system.cuts[entry].symbols.iter().copied().collect();
        let mut guard = self.divided.explorer.encoder.terms.yes();
        let mut values: Option<Values> = None;
        for stop in &segment.stops {
            let block = self.divided.system.blocks[stop.block?].clone();
            let mut before = values.take().unwrap_or_default();
            if let Some(inner) = &stop.call {
                let (inner_guard, inner_values) = self.effect(inner)?;
                let call = self.divided.system.cuts[stop.cut].call.clone()?;
                let terms = &mut self.divided.explorer.encoder.terms;
                let at_call = |terms: &mut symbolic::Terms, term: TermId| {
                    let term = terms.pool.substitute(term, &call.entering);
                    let term = terms.pool.substitute(term, &before);
                    terms.simple(term)
                };
                let inner_guard = at_call(terms, inner_guard);
                guard = terms.and(guard, inner_guard);
                let mut left = Values::default();
                for (symbol, value) in inner_values {
                    let place = *call.leaving.get(&symbol)?;
                    if matches!(terms.pool.op(place), Op::Symbol(_))
                        && !call.entering.values().any(|&known| known == place)
                    {
                        left.insert(place, at_call(terms, value));
                    }
                }
                before.extend(left);
            }
            let terms = &mut self.divided.explorer.encoder.terms;
            let own = terms.pool.substitute(block.guard, &before);
            let own = terms.simple(own);
            guard = terms.and(guard, own);
            let (Target::Cut(_, after) | Target::End(after)) = block.to else { return None };
            let (symbols, wanted): (Vec<TermId>, Vec<TermId>) = after.into_iter().unzip();
            let wanted = terms.pool.substitute_all(&wanted, &before);
            let wanted = wanted.into_iter().map(|term| terms.simple(term));
            values = Some(symbols.into_iter().zip(wanted).collect());
        }
        let values = values?;
        let pool = &self.divided.explorer.encoder.terms.pool;
        let is_about = |term: TermId| symbols_in(pool, &[term]).iter().all(|symbol| allowed.contains(symbol));
        if !is_about(guard) {
            return None;
        }
        let values: Values = values.into_iter().filter(|(_, value)| is_about(*value)).collect();
        Some((guard, values))
    }
}

/// Two lists as one, so that what stands at the end of one stands near the end of both.
fn interleaved(one: &[TermId], two: &[TermId]) -> Vec<TermId> {
    let mut all: Vec<(usize, TermId)> = Vec::new();
    for list in [one, two] {
        all.extend(list.iter().rev().enumerate().map(|(place, &term)| (place, term)));
    }
    all.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    all.into_iter().map(|(_, term)| term).collect()
}
