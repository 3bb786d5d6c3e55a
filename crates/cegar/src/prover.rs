//! The engines that prove, in order: intervals, guessed invariants, induction, property-directed reachability, predicate abstraction (before it, where
//! procedures call themselves). Each passes on what it knows.

use base::{Budget, IndexVec};
use concrete::Interpreter;
use logic::TermId;
use program::{PointsTo, Program};
use prove::blocks::{Blocks, HeadId};
use prove::candidates::{Subject, all_subjects, candidates, plain_conditions};
use prove::facts::{self, Facts};
use prove::finding::Proof;
use prove::induction::{Attempt, attempt};
use prove::pdr;
use prove::relations::{Conditions, range, relations};
use prove::replay::{PlannedInputs, Replayed, replay};
use prove::samples::samples;
use prove::searcher::Base;
use prove::settings::{Engine, Settings};
use question::Property;
use question::Violation;
use std::time::{Duration, Instant};
use symbolic::Meaning;
use verdict::{ProgramProof, ProofArgument};

/// What is to be proved.
pub struct Prover<'p> {
    /// The program.
    pub program: &'p Program,
    /// What its pointers point to.
    pub points_to: &'p PointsTo,
    /// The question.
    pub property: &'p Property,
    /// What the user chose.
    pub settings: &'p Settings,
    /// How deep the search came.
    pub base: &'p Base,
}

/// What the provers found.
#[derive(Default)]
pub struct Proved {
    /// The proof, if there is one.
    pub finding: Option<Proof>,
    /// A run that violates the property, if one was met.
    pub violation: Option<Box<Violation>>,
    /// Why an engine found none, each a sentence.
    pub refused: Vec<String>,
    /// Questions asked.
    pub queries: u64,
    /// What the proof rests on.
    pub assumptions: Vec<String>,
    /// The last Boolean program, as text.
    pub boolean: Option<String>,
}

/// Steps of induction deeper than this cost more than they find.
const MOST_DEPTH: u32 = 6;
/// The depth that is tried before property-directed search.
const FIRST_DEPTH: u32 = 3;

/// A variable that gets more constants than this is not guessed about by state.
const MOST_STATES: usize = 8;

impl Prover<'_> {
    /// Tries the engines that are asked for.
    pub fn prove(&self, budget: &Budget) -> Proved {
        let mut proved = Proved::default();
        let interval_settings = facts::settings();
        let share = part_of(budget, 5, Duration::from_secs(60));
        let facts = Facts::of(self.program, &interval_settings, &share);
        let by_values = facts.prove(self.property).then(|| {
            let mut certificate = ProgramProof::by(ProofArgument::Induction { depth: 1 });
            certificate.gap = Some("what the interval analysis knows is not written down".into());
            let how = "no value that a variable can have leads to a failure".into();
            Proof { engine: "intervals", how, certificate }
        });
        if by_values.is_none() {
            proved.refused.push(match &facts.why_not {
                None => "intervals: some failure is not excluded by values alone".to_owned(),
                Some(why) => format!("intervals were not used: {why}"),
            });
        }
        if self.settings.engine == Engine::Intervals {
            proved.finding = by_values;
            return proved;
        }
        // A proof that can be checked without this analysis is the better one, if it takes little time.
        let patience =
            by_values.as_ref().map_or(budget.clone(), |_| part_of(budget, 10, Duration::from_secs(3)));
        let whole_budget = budget;
        let budget = &patience;
        let meaning = Meaning::new(self.program, self.points_to);
        // What is proved by values alone still needs its blocks, to be written down.
        let dividing =
            by_values.as_ref().map_or(budget.clone(), |_| part_of(whole_budget, 3, Duration::from_secs(60)));
        let blocks = Blocks::of(self.program, &meaning, self.property, self.settings, &facts, &dividing);
        drop(facts);
        match blocks {
            Err(why) => proved.refused.push(format!("induction could not be used: {why}")),
            Ok(mut blocks) => {
                self.prove_blocks(&mut blocks, budget, &mut proved);
                if proved.finding.is_none() && proved.violation.is_none() && by_values.is_some() {
                    proved.finding =
                        confirmed_values(&mut blocks, &part_of(whole_budget, 2, Duration::from_secs(60)));
                }
                proved.queries += blocks.checkers.queries();
                proved.assumptions.extend(blocks.explorer.encoder.notes.iter().cloned());
            }
        }
        let is_open = proved.finding.is_none() && proved.violation.is_none() && by_values.is_none();
        if is_open && self.settings.engine == Engine::Auto && proved.boolean.is_none() {
            self.abstract_predicates(&meaning, whole_budget, &mut proved);
        }
        if proved.finding.is_none() && proved.violation.is_none() {
            proved.finding = by_values;
        }
        proved
    }

    /// Tries predicate abstraction alone.
    pub fn prove_by_predicates(&self, budget: &Budget) -> Proved {
        let mut proved = Proved::default();
        let meaning = Meaning::new(self.program, self.points_to);
        self.abstract_predicates(&meaning, budget, &mut proved);
        proved
    }

    fn abstract_predicates(&self, meaning: &Meaning<'_>, budget: &Budget, proved: &mut Proved) {
        let report = crate::predicates::prove(self.program, meaning, self.property, self.settings, budget);
        proved.queries += report.queries;
        proved.boolean = report.boolean;
        match report.ended {
            crate::predicates::Ended::Proved(proof) => {
                proved.assumptions.extend(report.assumptions);
                proved.finding = Some(proof);
            }
            crate::predicates::Ended::Violated(violation) => proved.violation = Some(violation),
            crate::predicates::Ended::Stopped(why) => proved.refused.push(format!("predicates: {why}")),
        }
    }

    fn prove_blocks(&self, blocks: &mut Blocks<'_, '_>, budget: &Budget, proved: &mut Proved) {
        let guesses = self.guesses(blocks, budget);
        let mut posts = prove::houdini::posts_of(blocks);
        for (at, group) in guesses.into_iter().enumerate() {
            if group.iter().all(Vec::is_empty) && at > 0 {
                continue;
            }
            let share = part_of(budget, 5, Duration::from_secs(60));
            if let Err(why) =
                prove::houdini::keep_invariants(blocks, group, std::mem::take(&mut posts), &share)
            {
                proved.refused.push(format!("no invariants were guessed: {why}"));
            }
            if !matches!(self.settings.engine, Engine::Elements | Engine::Control | Engine::Pdr)
                && let Attempt::Proved(proof) = attempt(blocks, 1, &share)
            {
                proved.finding = Some(proof);
                return;
            }
        }
        if !matches!(self.settings.engine, Engine::Control | Engine::Pdr) {
            match prove::elements::prove(blocks, &part_of(budget, 6, Duration::from_secs(30))) {
                Ok(Some(proof)) => {
                    proved.finding = Some(proof);
                    return;
                }
                Ok(None) => {}
                Err(why) => proved.refused.push(format!("invariants about all elements of arrays: {why}")),
            }
        }
        if self.settings.engine == Engine::Elements {
            return;
        }
        let mut depth = 2;
        if !matches!(self.settings.engine, Engine::Control | Engine::Pdr)
            && self.induct(blocks, &mut depth, FIRST_DEPTH, budget, proved)
        {
            return;
        }
        if !matches!(self.settings.engine, Engine::Pdr | Engine::Induction) {
            match prove::control::prove(blocks, &part_of(budget, 3, Duration::from_secs(60))) {
                Ok(Some(proof)) => {
                    proved.finding = Some(proof);
                    return;
                }
                Ok(None) => {}
                Err(why) => proved.refused.push(format!("control states: {why}")),
            }
        }
        if self.settings.engine == Engine::Control {
            return;
        }
        // Where procedures call themselves, predicates say what contracts of fixed shapes do not.
        if self.settings.engine == Engine::Auto && blocks.explorer.contracts.is_some() {
            let meaning = blocks.explorer.encoder.meaning;
            self.abstract_predicates(meaning, &part_of(budget, 2, Duration::from_secs(300)), proved);
            if proved.finding.is_some() || proved.violation.is_some() {
                return;
            }
        }
        if self.settings.engine != Engine::Induction {
            match pdr::prove(blocks, budget) {
                pdr::Ended::Proved(proof) => {
                    proved.finding = Some(proof);
                    return;
                }
                pdr::Ended::Reached(steps, inputs) => {
                    proved.violation = inputs.and_then(|inputs| self.replayed(inputs, budget));
                    if proved.violation.is_some() {
                        return;
                    }
                    let text = format!("pdr: a failure after {steps} rounds of loops is not excluded");
                    proved.refused.push(text);
                }
                pdr::Ended::Stopped(why) => proved.refused.push(format!("pdr: {why}")),
            }
        }
        if self.settings.engine != Engine::Pdr {
            self.induct(blocks, &mut depth, MOST_DEPTH, budget, proved);
        }
    }

    /// Guesses at invariants, by group: what is cheap to ask and most often needed first.
    fn guesses(&self, blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Vec<IndexVec<HeadId, Vec<TermId>>> {
        let finite = prove::finite::finite_values(self.program, MOST_STATES);
        let mut active: Vec<program::ProcedureId> = Vec::new();
        for head in &blocks.heads {
            active.extend(
                head.procedures
                    .iter()
                    .filter(|procedure| !active.contains(procedure))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        let numbers = prove::candidates::constants(self.program, &active);
        let samples = samples(blocks, &numbers, &part_of(budget, 12, Duration::from_secs(5)));
        let mut groups: [IndexVec<HeadId, Vec<TermId>>; 6] = Default::default();
        let has_contracts = blocks.explorer.contracts.is_some();
        for id in blocks.heads.ids() {
            let head = &blocks.heads[id];
            let encoder = &mut blocks.explorer.encoder;
            let seen = |subject: &Subject| range(&samples.at[id], subject);
            let guesses = candidates(encoder, &head.procedures, &head.any, &head.first, &finite, &seen);
            let own = all_subjects(encoder, &head.procedures, &head.any);
            let single = head
                .procedures
                .last()
                .map_or_else(Vec::new, |&innermost| plain_conditions(encoder, innermost, &head.any));
            let mut states = Vec::new();
            for subject in &own {
                for &value in finite.get(&subject.variable).into_iter().flatten() {
                    let value = encoder.terms.number(subject.width, value);
                    states.push(encoder.terms.equal(subject.term, value));
                }
            }
            let is_state = |subject: &Subject| finite.contains_key(&subject.variable);
            let conditions = Conditions { single: &single, states: &states };
            let found = relations(encoder, &own, &is_state, conditions, &samples.at[id]);
            let first = [found.linear, head.guesses.clone()].concat();
            // Contracts are kept with the first group, and rest on what holds where a procedure is entered.
            let (first, simple) = if has_contracts {
                ([first, guesses.simple].concat(), Vec::new())
            } else {
                (first, guesses.simple)
            };
            let orders = [guesses.paired, found.orders].concat();
            for (at, group) in [first, simple, orders, found.in_states, found.conditional, found.higher]
                .into_iter()
                .enumerate()
            {
                let mut seen = rustc_hash::FxHashSet::default();
                let mut kept = samples.not_refuted(blocks, id, group);
                kept.retain(|&guess| {
                    blocks.explorer.encoder.terms.truth(guess).is_none() && seen.insert(guess)
                });
                groups[at].push(kept);
            }
        }
        groups.into()
    }

    /// Tries depths, each once the search has come as deep. Says whether there is a proof.
    fn induct(
        &self,
        blocks: &mut Blocks<'_, '_>,
        depth: &mut u32,
        most: u32,
        budget: &Budget,
        proved: &mut Proved,
    ) -> bool {
        while *depth <= most {
            if *depth > 1 && !self.wait_for_base(*depth, budget) {
                return false;
            }
            let share = part_of(budget, 4, Duration::from_secs(120));
            match attempt(blocks, *depth, &share) {
                Attempt::Proved(proof) => {
                    proved.finding = Some(proof);
                    return true;
                }
                Attempt::NotInductive => *depth += 1,
                Attempt::Refused(why) => {
                    proved.refused.push(format!("induction of depth {depth}: {why}"));
                    *depth = MOST_DEPTH + 1;
                }
            }
        }
        false
    }

    /// A violation, if the interpreter confirms it.
    fn replayed(&self, mut inputs: PlannedInputs, budget: &Budget) -> Option<Box<Violation>> {
        let settings = prove::replay::settings(self.settings.missing, budget);
        let interpreter = Interpreter::new(self.program);
        match replay(&interpreter, self.program, self.property, &settings, &mut inputs) {
            Replayed::Refused(_) => None,
            Replayed::Confirmed(confirmed) => {
                let confirmed = prove::testing::shortened(
                    &interpreter,
                    self.program,
                    self.property,
                    self.settings,
                    budget,
                    *confirmed,
                );
                Some(Box::new(prove::testing::violation(confirmed, "pdr")))
            }
        }
    }

    /// Has the search come as deep? It is waited for a little.
    fn wait_for_base(&self, depth: u32, budget: &Budget) -> bool {
        let until = Instant::now() + PATIENCE;
        while self.base.rounds() < depth {
            if budget.check().is_err() || Instant::now() > until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

/// The proof by intervals again, as invariants of loops that keep themselves: such a proof can be checked without the analysis.
fn confirmed_values(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Option<Proof> {
    let guesses = blocks.heads.iter().map(|head| head.guesses.clone()).collect();
    let posts = prove::houdini::posts_of(blocks);
    prove::houdini::keep_invariants(blocks, guesses, posts, budget).ok()?;
    match attempt(blocks, 1, budget) {
        Attempt::Proved(proof) => {
            let how = "no value that a variable can have leads to a failure".into();
            Some(Proof { engine: "intervals", how, ..proof })
        }
        _ => None,
    }
}

/// How long a depth of the search is waited for.
const PATIENCE: Duration = Duration::from_millis(400);

/// A part of the time that is left, and no more than `most`.
fn part_of(budget: &Budget, part: u32, most: Duration) -> Budget {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    budget.clone().with_time(left.map_or(most, |left| (left / part).min(most)))
}
