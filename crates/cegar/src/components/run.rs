//! The loop (THESIS Fig. 6.1): abstract each component, check their composition, judge the counterexample component by
//! component, refine where it is spurious.

use super::ask::{Asked, Effort, ask};
use super::common::{Agreement, Common};
use super::fewer::drop_what_is_not_needed;
use super::judge::{Followed, Judgement, Share, judge, share};
use super::parts::{Code, Part};
use super::replay::replay;
use super::report::{PartFigures, Report, Shown, counterexample};
use super::returns::{disagreements, is_return};
use super::shared::shared_variable;
use super::witness::Witness;
use super::{Engine, Question, Settings};
use base::Budget;
use logic::traits::CheckAssuming;
use logic::{EmbeddedSettings, EmbeddedSolver};
use predicate::EdgeId;
use predicate::component::Trouble;
use predicate::refine::{Closure, Seed, TreeStep};
use program::Program;
use question::{Answer, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use verdict::{Certificate, Reason, Undecided};

/// Answers the question about the system of these parts.
pub fn check(
    name: &str,
    parts: &mut [Part],
    question: &Question,
    settings: &Settings,
    program: &Program,
    budget: &Budget,
) -> Report {
    let begun = Instant::now();
    let mut run = Run {
        parts,
        question,
        settings,
        program,
        budget,
        rounds: 0,
        counterexamples: 0,
        refinements: Vec::new(),
        product_states: 0,
        most_product_states: 0,
        states_made: 0,
        engine: settings.engine.name(),
        engine_reason: String::new(),
        remarks: BTreeSet::new(),
        tracks_branches: false,
        replayed: Vec::new(),
        later_rounds: 0,
        common: Common::default(),
    };
    run.common = Common::of(run.parts, program);
    let vacuous = run.parts_without_a_start();
    let verdict = if vacuous.is_empty() {
        run.loop_until_decided().unwrap_or_else(Verdict::from)
    } else {
        Verdict::Holds(Certificate::Exhaustive { states: 0 })
    };
    let mut report = run.report(name, verdict, begun);
    report.answer.remarks.splice(0..0, vacuous.iter().map(|why| format!("vacuous: {why}")));
    report.vacuous = vacuous;
    report
}

pub(super) struct Run<'a> {
    pub parts: &'a mut [Part],
    pub question: &'a Question,
    pub settings: &'a Settings,
    pub program: &'a Program,
    pub budget: &'a Budget,
    pub rounds: usize,
    /// Counterexamples of the abstract systems so far.
    pub counterexamples: usize,
    pub refinements: Vec<String>,
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
}

/// With this many parts, choices that the code does not have multiply.
const MANY_PARTS: usize = 4;

/// What became of a counterexample.
enum Outcome {
    Real(Verdict),
    Refined,
}

impl Run<'_> {
    /// Components that cannot start at all, in words: whatever is asked holds of them.
    fn parts_without_a_start(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for part in self.parts.iter_mut() {
            let Part::Code(code) = part else { continue };
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

    fn loop_until_decided(&mut self) -> Result<Verdict, Undecided> {
        if let Some(shared) = shared_variable(self.parts, self.program) {
            let construct = format!("{} shared by components", shared.what);
            return Err(Undecided::because(Reason::NotSupported { construct, at: shared.at })
                .try_next("pass what they share by events, or check each component alone"));
        }
        let actions = self.actions();
        if let Question::Conforms(..) = self.question {
            for part in self.parts.iter_mut() {
                if let Part::Code(code) = part {
                    code.component.forget_irrelevant_branches();
                }
            }
        }
        if self.parts.len() >= MANY_PARTS && self.settings.engine == Engine::Auto {
            for part in self.parts.iter_mut() {
                if let Part::Code(code) = part {
                    self.tracks_branches |= code.track_branches();
                }
            }
        }
        loop {
            let certificate = match self.refine_until_decided(&actions)? {
                Verdict::Holds(certificate) => certificate,
                other => return Ok(other),
            };
            if self.still_holds_with_the_conditions_needed(&actions)? {
                self.leave_out_what_was_not_needed(&actions);
                let verdict = self.prove(certificate)?;
                if !self.common.next_case(self.parts) {
                    return Ok(verdict);
                }
            }
        }
    }

    /// Abstracts, checks, judges and refines until there is nothing more to refine.
    pub(super) fn refine_until_decided(&mut self, actions: &[Vec<Arc<str>>]) -> Result<Verdict, Undecided> {
        loop {
            self.rounds += 1;
            if self.rounds > self.settings.most_rounds {
                let limit = self.settings.most_rounds as u64;
                return Err(self.stopped(Reason::SizeLimit { what: "rounds of refinement", limit }));
            }
            self.abstract_components(actions)?;
            let asked = ask(self.parts, self.question, self.settings, Effort::Full, self.budget);
            self.note(&asked);
            self.counterexamples += asked.witnesses.len();
            match asked.answer.verdict {
                Verdict::Undecided(undecided) => return Err(self.with_progress(*undecided)),
                Verdict::Holds(certificate) => {
                    if self.all_steps_have_a_meaning()? {
                        return Ok(Verdict::Holds(certificate));
                    }
                }
                Verdict::Violated(_) => {
                    // What cannot be said about one counterexample does not matter where another one was ruled out.
                    let (mut is_refined, mut trouble) = (false, None);
                    for witness in &asked.witnesses {
                        match self.validate(witness) {
                            Ok(Outcome::Real(verdict)) => return Ok(verdict),
                            Ok(Outcome::Refined) => is_refined = true,
                            Err(undecided) => trouble = trouble.or(Some(undecided)),
                        }
                    }
                    if let Some(undecided) = trouble.filter(|_| !is_refined) {
                        return Err(undecided);
                    }
                }
            }
        }
    }

    /// All events of all parts; returns are shared by all components of code.
    fn actions(&self) -> Vec<Vec<Arc<str>>> {
        let mut returns: BTreeSet<Arc<str>> = BTreeSet::new();
        for part in self.parts.iter() {
            if let Part::Code(code) = part {
                returns.extend(code.component.alphabet.iter().filter(|name| is_return(name)).cloned());
            }
        }
        let own = |part: &Part| match part {
            Part::Process(_) => Vec::new(),
            Part::Code(code) => {
                let mut all: BTreeSet<Arc<str>> = code.component.alphabet.iter().cloned().collect();
                all.extend(returns.iter().cloned());
                all.into_iter().collect()
            }
        };
        self.parts.iter().map(own).collect()
    }

    pub(super) fn abstract_components(&mut self, actions: &[Vec<Arc<str>>]) -> Result<(), Undecided> {
        // Silent steps can be joined where only visible actions count.
        let reduce = matches!(self.question, Question::Conforms(..));
        for (part, actions) in self.parts.iter_mut().zip(actions) {
            let Part::Code(code) = part else { continue };
            if !code.is_stale {
                continue;
            }
            code.place_predicates(self.question);
            if !code.abstract_now(actions, reduce, self.budget)? {
                let what = "successors of one abstract state";
                return Err(Undecided::because(Reason::SizeLimit { what, limit: 4096 }));
            }
            self.states_made += code.view.as_ref().map_or(0, |view| view.abstraction.states.len());
        }
        Ok(())
    }

    fn leave_out_what_was_not_needed(&mut self, actions: &[Vec<Arc<str>>]) {
        if self.settings.predicates != predicate::refine::Minimisation::Minimal {
            return;
        }
        let (question, settings, budget) = (self.question, self.settings, self.budget);
        let fewer =
            drop_what_is_not_needed(self.parts, actions, question, settings, self.states_made, budget);
        if let Some(asked) = fewer.asked {
            self.product_states = asked.product_states;
            self.remarks.insert(format!(
                "{} conditions that ruled out counterexamples on the way are not needed and were left out",
                fewer.dropped
            ));
        }
    }

    fn note(&mut self, asked: &Asked) {
        self.engine = asked.answer.engine;
        self.engine_reason.clone_from(&asked.answer.engine_reason);
        self.remarks = asked.answer.remarks.iter().cloned().collect();
        self.product_states = asked.product_states;
        self.states_made += asked.product_states;
        self.most_product_states = self.most_product_states.max(asked.product_states);
    }

    /// May a step be taken whose meaning is not known? If only the abstraction says so, it is refined.
    fn all_steps_have_a_meaning(&mut self) -> Result<bool, Undecided> {
        for index in 0..self.parts.len() {
            let Part::Code(code) = &mut self.parts[index] else { continue };
            let Some(view) = &code.view else { continue };
            let Some(&(state, edge)) = view.abstraction.troubled.first() else { continue };
            let mut way = view.abstraction.way_to(state);
            way.push(edge);
            let steps: Vec<TreeStep> = way
                .iter()
                .enumerate()
                .map(|(at, &edge)| TreeStep { parent: at.checked_sub(1), edge })
                .collect();
            self.look_at_trouble(index, steps, edge)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Can this way to a step without a meaning be taken? If not, it is ruled out; if so, nothing can be said.
    fn look_at_trouble(&mut self, index: usize, steps: Vec<TreeStep>, edge: EdgeId) -> Result<(), Undecided> {
        let Part::Code(code) = &mut self.parts[index] else { return Ok(()) };
        let unfolded = predicate::refine::Follower::unfold(
            &mut code.component,
            &steps,
            predicate::refine::Conditions::Relevant,
            &|_| Vec::new(),
        );
        let found = code.follower.check(&mut code.component, &unfolded, &[], 4, self.budget);
        match found {
            predicate::refine::Feasibility::Infeasible(cores) => {
                let name = code.component.name.to_string();
                let text = code.component.edges[edge].text.clone();
                if !refine_part(code, cores, steps, self.settings, self.budget) {
                    return Err(self.stuck());
                }
                self.refinements.push(format!("{name}: `{text}` cannot be reached that way"));
                Ok(())
            }
            predicate::refine::Feasibility::Feasible(_) => {
                let edge = &code.component.edges[edge];
                let at =
                    self.program.sources.location(edge.span).map_or_else(String::new, |at| format!("{at}: "));
                let step = format!("{at}{}: {}", code.component.name, edge.text);
                let reason = match edge.trouble.clone().expect("only troubled steps are looked at") {
                    Trouble::MissingBody { function } => {
                        Reason::MissingBody { function, called_at: edge.span }
                    }
                    Trouble::NotSupported(what) => {
                        Reason::NotSupported { construct: format!("{step}: {what}"), at: edge.span }
                    }
                };
                let is_missing = matches!(reason, Reason::MissingBody { .. });
                let undecided = self.stopped(reason).proved(format!("this step can be reached: {step}"));
                Err(if is_missing {
                    undecided
                        .try_next("say what it does with an `abstract` statement in a `cproc` block")
                        .try_next("take it to return any value and write what it can reach with --missing nondet, or to change nothing with --missing pure")
                } else {
                    undecided
                })
            }
            predicate::refine::Feasibility::Unknown(reason) => {
                let question = format!("a step without a meaning can be reached ({reason})");
                Err(self.stopped(Reason::SolverUnknown { question }))
            }
        }
    }

    fn prove(&mut self, certificate: Certificate) -> Result<Verdict, Undecided> {
        if !matches!(self.question, Question::Conforms(..)) {
            for part in self.parts.iter() {
                if let Part::Code(code) = part
                    && let Some(edge) = code.open_refusal()
                {
                    let text = &code.component.edges[edge].text;
                    let question = format!("`{text}` can always be taken");
                    return Err(self.stopped(Reason::SolverUnknown { question }));
                }
            }
        }
        if returns_can_be_refused(self.parts, self.question)
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

    fn validate(&mut self, witness: &Witness) -> Result<Outcome, Undecided> {
        let mut shares: Vec<Option<Share>> = Vec::new();
        let mut values: Vec<Option<Followed>> = Vec::new();
        let mut is_spurious = false;
        let disagreements = disagreements(self.parts);
        for index in 0..self.parts.len() {
            let Part::Code(code) = &mut self.parts[index] else {
                shares.push(None);
                values.push(None);
                continue;
            };
            let own = share(code, index, witness, &disagreements).ok_or_else(|| {
                Undecided::because(Reason::NotConfirmed {
                    why: "its steps are not those of the component".into(),
                })
            })?;
            if let Some(edge) = trouble_at_the_end(code, witness, &own) {
                // It does not wait there: a step without a meaning may come next.
                let mut steps = own.steps.clone();
                steps.push(TreeStep { parent: own.after.last().and_then(|(last, _)| *last), edge });
                self.look_at_trouble(index, steps, edge)?;
                return Ok(Outcome::Refined);
            }
            match judge(code, self.program, witness, &own, self.budget) {
                Judgement::Real(found) => values.push(Some(*found)),
                Judgement::Spurious(cores, steps) => {
                    is_spurious = true;
                    let name = code.component.name.to_string();
                    let blame = describe(code, cores.first());
                    if !refine_part(code, cores, steps, self.settings, self.budget) {
                        return Err(self.stuck());
                    }
                    self.refinements.push(format!("{name}: {blame}"));
                    values.push(None);
                }
                Judgement::TooLittle => {
                    is_spurious = true;
                    code.forget_abstraction();
                    let name = &code.component.name;
                    self.refinements.push(format!("{name}: all branches are looked at from now on"));
                    values.push(None);
                }
                Judgement::Open(why) => return Err(self.stopped(Reason::NotConfirmed { why })),
            }
            shares.push(Some(own));
        }
        if is_spurious {
            return Ok(Outcome::Refined);
        }
        if witness.is_partial {
            let why = "it is too large to be followed as a whole".to_owned();
            return Err(self.stopped(Reason::NotConfirmed { why }));
        }
        if self.common.is_disputed(self.parts, &values) && !self.start_alike(witness, &shares, &mut values)? {
            return Ok(Outcome::Refined);
        }
        if let Some(name) = self.common.is_unclear(self.parts, &values) {
            let why = format!("the components share the pointer `{name}`, and where it leads is not known");
            return Err(self.stopped(Reason::NotConfirmed { why }));
        }
        for index in 0..self.parts.len() {
            let Part::Code(code) = &mut self.parts[index] else { continue };
            let (Some(own), Some(followed)) = (&shares[index], &values[index]) else { continue };
            if let Err(why) = replay(code, self.program, own, followed, witness.ending, self.budget) {
                let why = format!("run on the code of `{}`, {why}", code.component.name);
                return Err(self.stopped(Reason::NotConfirmed { why }));
            }
            self.replayed.push(code.component.name.to_string());
        }
        let shown: Vec<Shown<'_>> = shares
            .iter()
            .zip(&values)
            .enumerate()
            .map(|(part, (share, followed))| {
                Shown::of(self.parts, witness, part, share.as_ref(), followed.as_ref())
            })
            .collect();
        let is_deadlock = matches!(self.question, Question::DeadlockFree);
        let mut witness = witness.clone();
        if witness.steps.iter().any(|step| disagreements.iter().any(|one| *one.name == *step.name)) {
            witness.why = "they return values of different kinds, and components that are checked together return alike".to_owned();
        }
        let told = counterexample(self.parts, &witness, &shown, &self.program.sources, is_deadlock);
        Ok(Outcome::Real(told.into()))
    }

    /// Follows the shares from first values on which all components agree. False if there are none, or a component has to be
    /// looked at more closely; then the question is open again.
    fn start_alike(
        &mut self,
        witness: &Witness,
        shares: &[Option<Share>],
        values: &mut [Option<Followed>],
    ) -> Result<bool, Undecided> {
        let agreed = match self.common.agreement(self.parts, values, self.budget) {
            Agreement::Same(agreed) => agreed,
            Agreement::Contradiction => {
                if self.common.take_apart(self.parts, values, self.budget) {
                    let names = self.common.names();
                    let why = format!("the components do not start alike ({names}): taken apart by cases");
                    self.refinements.push(why);
                    return Ok(false);
                }
                let why =
                    format!("the components share {}, and start with different values", self.common.names());
                return Err(self.stopped(Reason::NotConfirmed { why }));
            }
            Agreement::Unknown(why) => {
                let question = format!("the components can start alike ({why})");
                return Err(self.stopped(Reason::SolverUnknown { question }));
            }
        };
        for (index, share) in shares.iter().enumerate() {
            let (Part::Code(code), Some(share)) = (&mut self.parts[index], share) else { continue };
            let guard = code.component.initial;
            let mut all = self.common.pinned(index, &mut code.component, &agreed);
            all.push(guard);
            code.component.initial = code.component.pool.all_of(&all);
            let judgement = judge(code, self.program, witness, share, self.budget);
            code.component.initial = guard;
            match judgement {
                Judgement::Real(found) => values[index] = Some(*found),
                Judgement::TooLittle => {
                    code.forget_abstraction();
                    return Ok(false);
                }
                Judgement::Spurious(..) | Judgement::Open(_) => {
                    let name = &code.component.name;
                    let why = format!("`{name}` takes other steps from the values that all start with");
                    return Err(self.stopped(Reason::NotConfirmed { why }));
                }
            }
        }
        Ok(true)
    }

    fn stuck(&self) -> Undecided {
        let why = "it is spurious, and no new predicate rules it out".to_owned();
        self.stopped(Reason::NotConfirmed { why })
            .try_next("supply a predicate in a `cproc` block: predicate (x < 10);")
    }

    fn stopped(&self, reason: Reason) -> Undecided {
        self.with_progress(Undecided::because(reason))
    }

    fn with_progress(&self, undecided: Undecided) -> Undecided {
        undecided.proved(format!("{} spurious counterexamples were ruled out", self.refinements.len()))
    }

    fn report(self, name: &str, verdict: Verdict, begun: Instant) -> Report {
        let mut answer = Answer::new(name, self.engine, verdict);
        answer.engine_reason = self.engine_reason;
        answer.remarks = self.remarks.into_iter().collect();
        if self.tracks_branches {
            let why = "with many components, the branches of small ones are tracked from the start (not with --engine plain)";
            answer.remarks.push(why.to_owned());
        }
        answer.remarks.extend(self.common.remark(self.parts));
        if !self.replayed.is_empty() {
            let who = self.replayed.join(", ");
            answer.remarks.push(format!("the counterexample was run on the code of {who}"));
        }
        let mut assumptions: BTreeSet<String> = BTreeSet::new();
        let (mut predicates, mut seeds, mut checks) = (0, 0, 0);
        let (mut kinds, mut branches) = (0, 0);
        for part in self.parts.iter() {
            let Part::Code(code) = part else { continue };
            let component = &code.component;
            assumptions
                .extend(component.assumptions.iter().map(|text| format!("{}: {text}", component.name)));
            let can_be_undefined =
                component.edges.iter().any(|edge| component.pool.bool_value(edge.defined) != Some(true));
            if can_be_undefined {
                assumptions
                    .insert(format!("{}: runs are followed up to undefined behaviour only", component.name));
            }
            predicates += code.predicates.distinct();
            kinds += predicate::refine::Families::count(
                component,
                code.predicates.all().into_iter().map(|(term, _)| term),
            );
            branches +=
                predicate::refine::Families::count(component, code.seeds.iter().map(|seed| seed.condition));
            seeds += code.seeds.len();
            checks += code.checks();
        }
        answer.assumptions = assumptions.into_iter().collect();
        let parts: Vec<PartFigures> = self.parts.iter().map(PartFigures::of).collect();
        let statistics = &mut answer.statistics;
        statistics.count("iterations", self.rounds as u64);
        if self.later_rounds > 0 {
            statistics.count("iterations after the proof", self.later_rounds as u64);
        }
        statistics.count("counterexamples", self.counterexamples as u64);
        statistics.count("spurious counterexamples", self.refinements.len() as u64);
        statistics.count("predicates", predicates as u64);
        statistics.count("predicates of different values", kinds as u64);
        statistics.count("seeds", seeds as u64);
        statistics.count("seeds of different values", branches as u64);
        statistics.count("states", self.product_states as u64);
        statistics.count("most states", self.most_product_states as u64);
        statistics.count("solver checks", checks);
        statistics.time("time", begun.elapsed());
        Report {
            answer,
            vacuous: Vec::new(),
            rounds: self.rounds,
            refinements: self.refinements,
            parts,
            product_states: self.product_states,
            most_product_states: self.most_product_states,
        }
    }
}

/// Can somebody wait for ever for a return of another kind? In conformance and formulas returns of different kinds are
/// events of their own; only processes among the parts refuse them.
fn returns_can_be_refused(parts: &[Part], question: &Question) -> bool {
    let by_process = parts
        .iter()
        .any(|part| matches!(part, Part::Process(_)) && part.events().iter().any(|event| is_return(event)));
    match question {
        Question::Conforms(..) => false,
        Question::Satisfies(_) => by_process,
        Question::DeadlockFree => by_process || disagreements(parts).iter().any(|one| !one.is_allowed),
    }
}

fn open_return(part: &Part) -> Option<(&Code, EdgeId)> {
    let Part::Code(code) = part else { return None };
    Some((code, code.open_return()?))
}

/// A step without a meaning that may come next where a component is said to wait.
fn trouble_at_the_end(code: &Code, witness: &Witness, share: &Share) -> Option<EdgeId> {
    if witness.ending != super::witness::Ending::Stuck {
        return None;
    }
    let state = share.after.last().map_or(share.start, |(_, state)| *state);
    let troubled = &code.view.as_ref()?.abstraction.troubled;
    troubled.iter().find(|(at, _)| *at == state).map(|(_, edge)| *edge)
}

fn describe(code: &Code, core: Option<&Vec<Seed>>) -> String {
    let Some(core) = core.filter(|core| !core.is_empty()) else {
        return "impossible at the start".to_owned();
    };
    let texts: Vec<String> =
        core.iter().map(|seed| format!("`{}`", code.component.show(seed.condition))).collect();
    format!("{} cannot hold together there", texts.join(" and "))
}

/// Notes why a counterexample is spurious and chooses seeds anew; false if nothing changes.
fn refine_part(
    code: &mut Code,
    cores: Vec<Vec<Seed>>,
    steps: Vec<TreeStep>,
    settings: &Settings,
    budget: &Budget,
) -> bool {
    let cores: Vec<Vec<Seed>> = match settings.predicates {
        predicate::refine::Minimisation::All => {
            // THESIS 6.2: every branch on the way, and what makes it impossible if that is no branch.
            let mut all: Vec<Seed> = cores.first().cloned().unwrap_or_default();
            for step in &steps {
                let edge = &code.component.edges[step.edge];
                if edge.is_branch {
                    let own = code.refusable(step.edge);
                    all.extend(own.into_iter().map(|condition| Seed { edge: step.edge, condition }));
                }
            }
            all.sort_unstable();
            all.dedup();
            vec![all]
        }
        _ => cores,
    };
    // Another counterexample of the same round was noted before: that alone makes the next round different.
    let was_noted = std::mem::replace(&mut code.is_stale, true);
    let came_back = !code.seen.insert(steps.clone());
    let blamed: Vec<Seed> = cores.first().cloned().unwrap_or_default();
    let before = code.seeds.clone();
    code.spurious.push(cores);
    code.choose_seeds(settings.predicates, budget);
    if was_noted || (!came_back && code.seeds != before) {
        return true;
    }
    // The seeds are there already: their predicates were cut off too early, or do not reach far enough.
    let is_wider = code.closure.widen();
    let known = code.pinned.len();
    for placed in Closure::along(&mut code.component, &steps, &blamed) {
        if !code.pinned.contains(&placed) {
            code.pinned.push(placed);
        }
    }
    is_wider || code.seeds != before || code.pinned.len() > known
}
