//! The system as it is refined (THESIS 6.3, Procedure 6.5): each component is abstracted, their composition
//! is checked, the counterexample is validated component by component, and what is spurious refines the
//! components that cannot follow it. The loop itself is `question::refine_until_decided`.

use super::Settings;
use super::ask::{AbstractAnswer, Abstracted, Effort, ask_of};
use super::common::Common;
use super::fewer::drop_what_is_not_needed;
use super::parts::{Code, SystemPart};
use super::report::{SystemReport, predicates};
use super::returns::{disagreements, is_return};
use super::shared::shared_variable;
use super::validate::{Findings, PathToUnmodelled};
use super::witness::Witness;
use base::{Budget, Event, EventSink};
use logic::traits::CheckAssuming;
use logic::{EmbeddedSettings, EmbeddedSolver};
use predicate::EdgeId;
use program::Program;
use question::{
    Asks, Checked, Counterexample, Decided, Monitor, MostRounds, Progress, Question, Refinement, Round,
    Validated, Verdict, refine_until_decided,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use verdict::{Certificate, Reason, Undecided};

/// Answers the question about the system of these parts, which were made of the program.
pub fn check(
    question: &Question<'_, Program>,
    parts: &mut [SystemPart],
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> SystemReport {
    let begun = Instant::now();
    let common = Common::of(parts, question.about);
    let mut run = Run::new(parts, &question.asks, settings, question.about, budget, events, common);
    let vacuous = run.parts_without_a_start();
    let verdict = if vacuous.is_empty() {
        run.decide().unwrap_or_else(Verdict::from)
    } else {
        Verdict::Holds(Certificate::Exhaustive { states: 0 })
    };
    let mut report = run.report(&question.name, verdict, begun);
    report.vacuous = vacuous;
    report
}

pub(super) struct Run<'a> {
    pub parts: &'a mut [SystemPart],
    pub asks: &'a Asks,
    pub settings: &'a Settings,
    pub program: &'a Program,
    pub budget: &'a Budget,
    pub events: &'a dyn EventSink,
    /// The events of each part, where it is code.
    pub actions: Vec<Vec<Arc<str>>>,
    pub rounds: usize,
    /// Counterexamples of the abstract systems so far.
    pub counterexamples: usize,
    pub refinements: Vec<String>,
    pub history: Vec<Round>,
    /// The predicates of the last round, in words.
    known: Vec<String>,
    pub product_states: usize,
    pub most_product_states: usize,
    /// States of all abstractions and products so far.
    pub states_made: usize,
    pub engine: &'static str,
    pub engine_reason: String,
    pub remarks: BTreeSet<String>,
    pub tracks_branches: bool,
    /// Components whose share of the counterexample was run on their code.
    pub replayed: Vec<String>,
    /// Rounds after the proof, to see which conditions it needs.
    pub later_rounds: usize,
    /// What the components start with in common.
    pub common: Common,
    /// Do functions call themselves more often than they were followed?
    pub is_too_deep: bool,
}

/// With this many parts, choices that the code does not have multiply.
const MANY_PARTS: usize = 4;

/// What the check of an abstraction finds.
pub(super) enum Suspect {
    /// Counterexamples, at least one.
    Runs(Vec<Witness>),
    /// The abstraction has none, but it may take a step whose meaning is not known.
    Trouble(PathToUnmodelled),
}

impl Refinement for Run<'_> {
    type Model = Abstracted;
    type Proof = Certificate;
    type Witness = Suspect;
    type Violation = Counterexample;
    type Cause = Findings;

    /// Abstracts the components whose predicates changed.
    fn abstraction(&mut self, _: &Budget) -> Result<Abstracted, Undecided> {
        self.rounds += 1;
        if self.rounds > self.settings.most_rounds {
            let limit = self.settings.most_rounds as u64;
            return Err(self.stopped(Reason::SizeLimit { what: "rounds of refinement", limit }));
        }
        self.abstract_components()?;
        Abstracted::of(self.parts, self.asks, &self.settings.fairness)
            .map_err(|undecided| self.with_progress(undecided))
    }

    fn check(
        &mut self,
        model: &mut Abstracted,
        budget: &Budget,
    ) -> Result<Checked<Certificate, Suspect>, Undecided> {
        let asked =
            ask_of(model, self.parts, self.settings, Effort::Full, Monitor { budget, events: self.events });
        self.note(&asked);
        self.counterexamples += asked.witnesses.len();
        let steps = |witness: &Witness| {
            witness.steps.iter().take(MOST_STEPS_KEPT).map(|step| step.name.clone()).collect()
        };
        let known = self.predicates_in_words();
        if let Some(last) = self.history.last_mut() {
            last.found = known.iter().filter(|one| !self.known.contains(one)).cloned().collect();
        }
        self.known = known;
        self.history.push(Round {
            states: self.product_states,
            predicates: self.predicate_count(),
            counterexample: asked.witnesses.first().map_or_else(Vec::new, steps),
            ..Round::default()
        });
        match asked.answer.verdict {
            Verdict::Undecided(undecided) => Err(self.with_progress(*undecided)),
            Verdict::Violated(_) => Ok(Checked::Witness(Suspect::Runs(asked.witnesses))),
            Verdict::Holds(certificate) => Ok(match self.step_without_a_meaning() {
                Some(way) => Checked::Witness(Suspect::Trouble(way)),
                None => Checked::Proved(certificate),
            }),
        }
    }

    /// Follows the counterexamples on the code of each component.
    fn validate(
        &mut self,
        _: &mut Abstracted,
        suspect: &mut Suspect,
        _: &Budget,
    ) -> Result<Validated<Counterexample, Findings>, Undecided> {
        let mut findings = Findings::default();
        match suspect {
            Suspect::Trouble(way) => findings.of_trouble(self.can_be_reached(way)),
            Suspect::Runs(witnesses) => {
                for witness in witnesses {
                    if let Some(real) = self.follow(witness, &mut findings) {
                        self.refinements.extend(findings.blames());
                        return Ok(Validated::Real(real));
                    }
                }
            }
        }
        Ok(Validated::Spurious(findings))
    }

    /// Refines the components that cannot follow. What cannot be said about one counterexample does not
    /// matter where another one was ruled out.
    fn refine(&mut self, _: Abstracted, _: Suspect, findings: Findings, _: &Budget) -> Result<(), Undecided> {
        let (mut is_refined, mut open) = (false, None);
        let told = self.refinements.len();
        for finding in findings.0 {
            match self.learn(finding) {
                Ok(()) => is_refined = true,
                Err(undecided) => open = open.or(Some(undecided)),
            }
        }
        if let Some(round) = self.history.last_mut() {
            round.why = self.refinements[told..].to_vec();
        }
        open.filter(|_| !is_refined).map_or(Ok(()), Err)
    }

    fn progress(&self) -> Progress {
        let states = self.parts.iter().map(SystemPart::seen_states).sum();
        Progress { distinctions: self.predicate_count(), states }
    }
}

/// Of a long counterexample so many steps are kept.
const MOST_STEPS_KEPT: usize = 60;

impl<'a> Run<'a> {
    /// The predicates of all components, each with the name of its own.
    fn predicates_in_words(&self) -> Vec<String> {
        let codes = self.parts.iter().filter_map(|part| match part {
            SystemPart::Code(code) => Some(code),
            SystemPart::Process(_) => None,
        });
        codes
            .flat_map(|code| {
                let name = &code.component.name;
                predicates(code).into_iter().map(move |(text, _)| format!("{name}: {text}"))
            })
            .collect()
    }

    pub(super) fn new(
        parts: &'a mut [SystemPart],
        asks: &'a Asks,
        settings: &'a Settings,
        program: &'a Program,
        budget: &'a Budget,
        events: &'a dyn EventSink,
        common: Common,
    ) -> Run<'a> {
        Run {
            actions: actions(parts),
            parts,
            asks,
            settings,
            program,
            budget,
            events,
            rounds: 0,
            counterexamples: 0,
            refinements: Vec::new(),
            history: Vec::new(),
            known: Vec::new(),
            product_states: 0,
            most_product_states: 0,
            states_made: 0,
            engine: settings.engine.map_or("auto", |engine| engine.name()),
            engine_reason: String::new(),
            remarks: BTreeSet::new(),
            tracks_branches: false,
            replayed: Vec::new(),
            later_rounds: 0,
            is_too_deep: false,
            common,
        }
    }
}

impl Run<'_> {
    /// Components that cannot start at all, in words: whatever is asked holds of them.
    fn parts_without_a_start(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for part in self.parts.iter_mut() {
            let SystemPart::Code(code) = part else { continue };
            let component = &mut code.component;
            let mut solver = EmbeddedSolver::new(EmbeddedSettings::default());
            let initial = component.initial;
            if let logic::Answer::Unsat = solver.check_assuming(&mut component.pool, &[initial], self.budget)
            {
                found.push(format!("no start of `{}` satisfies its guard", component.name));
            }
        }
        if found.is_empty() && !self.common.can_start(self.parts, self.budget) {
            let names = self.common.names();
            found.push(format!("no start satisfies all guards together: the components share {names}"));
        }
        found
    }

    /// Refines until it is proved, case by case of what the components start with, or violated.
    fn decide(&mut self) -> Result<Verdict, Undecided> {
        if let Some(shared) = shared_variable(self.parts, self.program) {
            let construct = format!("{} shared by components", shared.what);
            return Err(Undecided::because(Reason::NotSupported { construct, at: shared.at })
                .try_next("pass what they share by events, or check each component alone"));
        }
        if let Some(undecided) = guessed_event(self.parts) {
            return Err(undecided);
        }
        if let Asks::Conforms(..) = self.asks {
            for part in self.parts.iter_mut() {
                if let SystemPart::Code(code) = part {
                    code.component.forget_irrelevant_branches();
                }
            }
        }
        if self.parts.len() >= MANY_PARTS && self.settings.engine.is_none() {
            for part in self.parts.iter_mut() {
                if let SystemPart::Code(code) = part {
                    self.tracks_branches |= code.track_branches();
                }
            }
        }
        loop {
            let certificate = match self.refined()? {
                Decided::Violated(counterexample) => return Ok(counterexample.into()),
                Decided::Proved(certificate) => certificate,
            };
            if self.still_holds_with_the_conditions_needed()? {
                self.leave_out_what_was_not_needed();
                let verdict = self.prove(certificate)?;
                if !self.common.next_case(self.parts) {
                    return Ok(verdict);
                }
            }
        }
    }

    /// The loop, for the case that is looked at. Its rounds are counted over all cases, in `abstraction`.
    pub(super) fn refined(&mut self) -> Result<Decided<Certificate, Counterexample>, Undecided> {
        let (budget, events) = (self.budget, self.events);
        refine_until_decided(self, MostRounds::UNLIMITED, budget, events)
    }

    pub(super) fn abstract_components(&mut self) -> Result<(), Undecided> {
        // Silent steps can be joined where only visible actions count.
        let reduce = matches!(self.asks, Asks::Conforms(..));
        for (part, actions) in self.parts.iter_mut().zip(&self.actions) {
            let SystemPart::Code(code) = part else { continue };
            if !code.is_stale {
                continue;
            }
            let subject = code.component.name.to_string();
            self.events.emit(Event::PhaseStarted { phase: "abstract", subject });
            code.place_predicates(self.asks);
            if !code.abstract_now(actions, reduce, self.budget)? {
                let what = "successors of one abstract state";
                return Err(Undecided::because(Reason::SizeLimit { what, limit: 4096 }));
            }
            let states = code.view.as_ref().map_or(0, |view| view.abstraction.states.len());
            self.states_made += states;
            self.events.emit(Event::Count { what: "states", value: states as u64 });
            self.events.emit(Event::PhaseEnded { phase: "abstract" });
        }
        Ok(())
    }

    pub(super) fn predicate_count(&self) -> usize {
        let own = |part: &SystemPart| match part {
            SystemPart::Code(code) => code.predicates.distinct(),
            SystemPart::Process(_) => 0,
        };
        self.parts.iter().map(own).sum()
    }

    fn leave_out_what_was_not_needed(&mut self) {
        if self.settings.predicates != predicate::refine::Minimisation::Minimal {
            return;
        }
        let (asks, settings, budget) = (self.asks, self.settings, self.budget);
        let fewer =
            drop_what_is_not_needed(self.parts, &self.actions, asks, settings, self.states_made, budget);
        if let Some(asked) = fewer.asked {
            self.product_states = asked.product_states;
            self.remarks.insert(match fewer.dropped {
                1 => "1 condition that ruled out a counterexample on the way is not needed and was left out".to_owned(),
                count => format!(
                    "{count} conditions that ruled out counterexamples on the way are not needed and were left out"
                ),
            });
        }
    }

    fn note(&mut self, asked: &AbstractAnswer) {
        self.engine = asked.answer.engine;
        self.engine_reason.clone_from(&asked.answer.engine_reason);
        self.remarks = asked.answer.remarks.iter().cloned().collect();
        self.product_states = asked.product_states;
        self.states_made += asked.product_states;
        self.most_product_states = self.most_product_states.max(asked.product_states);
    }

    fn prove(&mut self, certificate: Certificate) -> Result<Verdict, Undecided> {
        if !matches!(self.asks, Asks::Conforms(..)) {
            for part in self.parts.iter() {
                if let SystemPart::Code(code) = part
                    && let Some(edge) = code.open_refusal()
                {
                    let text = &code.component.edges[edge].text;
                    let question = format!("`{text}` can always be taken");
                    return Err(self.stopped(Reason::SolverUnknown { question }));
                }
            }
        }
        if returns_can_be_refused(self.parts, self.asks)
            && let Some((code, edge)) = self.parts.iter().find_map(open_return)
        {
            let edge = &code.component.edges[edge];
            let name = &code.component.name;
            let construct = format!("telling which kind of value `{name}` returns by `{}`", edge.text);
            return Err(self.stopped(Reason::NotSupported { construct, at: edge.span }));
        }
        // Pairs of abstract states mean nothing to people; what they rest on is in the report.
        let states = match certificate {
            Certificate::Simulation { .. } => self.product_states as u64,
            other => return Ok(Verdict::Holds(other)),
        };
        Ok(Verdict::Holds(Certificate::Exhaustive { states }))
    }

    pub(super) fn stopped(&self, reason: Reason) -> Undecided {
        self.with_progress(Undecided::because(reason))
    }

    fn with_progress(&self, undecided: Undecided) -> Undecided {
        undecided.proved(format!("{} spurious counterexamples were ruled out", self.refinements.len()))
    }
}

/// Who takes part in an event must know of it. Where a component performs it only in functions to which nothing in the
/// program sets the pointer that is called, others would wait for what may never come.
fn guessed_event(parts: &[SystemPart]) -> Option<Undecided> {
    for (own, part) in parts.iter().enumerate() {
        let SystemPart::Code(code) = part else { continue };
        for (event, at) in code.component.guessed.iter().filter(|(event, _)| !is_return(event)) {
            let is_shared =
                |(other, part): (usize, &SystemPart)| other != own && part.events().contains(event);
            if parts.iter().enumerate().any(is_shared) {
                let name = &code.component.name;
                let construct = format!(
                    "whether `{name}` takes part in `{event}`, as others do, is not known: it calls a pointer, and nothing sets that to a function that performs `{event}`"
                );
                return Some(
                    Undecided::because(Reason::NotSupported { construct, at: *at })
                        .try_next("make the table of functions `const`, or a variable of the procedure"),
                );
            }
        }
    }
    None
}

/// All events of all parts; returns are shared by all components of code.
fn actions(parts: &[SystemPart]) -> Vec<Vec<Arc<str>>> {
    let mut returns: BTreeSet<Arc<str>> = BTreeSet::new();
    for part in parts.iter() {
        if let SystemPart::Code(code) = part {
            returns.extend(code.component.alphabet.iter().filter(|name| is_return(name)).cloned());
        }
    }
    let own = |part: &SystemPart| match part {
        SystemPart::Process(_) => Vec::new(),
        SystemPart::Code(code) => {
            let mut all: BTreeSet<Arc<str>> = code.component.alphabet.iter().cloned().collect();
            all.extend(returns.iter().cloned());
            all.into_iter().collect()
        }
    };
    parts.iter().map(own).collect()
}

/// Can somebody wait for ever for a return of another kind? In conformance and formulas returns of different
/// kinds are events of their own; only processes among the parts refuse them.
fn returns_can_be_refused(parts: &[SystemPart], asks: &Asks) -> bool {
    let by_process = parts.iter().any(|part| {
        matches!(part, SystemPart::Process(_)) && part.events().iter().any(|event| is_return(event))
    });
    match asks {
        Asks::Satisfies(_) => by_process,
        Asks::NoDeadlock => by_process || disagreements(parts).iter().any(|one| !one.is_allowed),
        _ => false,
    }
}

fn open_return(part: &SystemPart) -> Option<(&Code, EdgeId)> {
    let SystemPart::Code(code) = part else { return None };
    Some((code, code.open_return()?))
}
