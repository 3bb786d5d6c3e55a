//! Is a counterexample of the abstract system real? Each component follows its share on its own code; if all
//! can, they must start alike, and the run is made again on real values. What they cannot follow is blamed,
//! and refines them.

use super::Settings;
use super::common::Agreement;
use super::judge::{Followed, Judgement, Share, judge, share, trouble_in_the_cycle};
use super::parts::{Code, SystemPart};
use super::replay::replay;
use super::report::{PartAtTheEnd, counterexample};
use super::returns::disagreements;
use super::run::Run;
use super::witness::{Ending, Witness};
use base::Budget;
use predicate::EdgeId;
use predicate::component::NoMeaning;
use predicate::refine::{Closure, Conditions, Feasibility, Follower, Minimisation, Seed, TreeStep};
use question::{Asks, Counterexample};
use verdict::{Reason, Undecided};

/// What was found out about the counterexamples of a round, one by one.
#[derive(Default)]
pub(super) struct Findings(pub Vec<Finding>);

/// What was found out about a counterexample that is not known to be real.
#[derive(Default)]
pub(super) struct Finding {
    /// Why parts cannot follow it.
    blames: Vec<Blame>,
    /// Why nothing can be said about it, in spite of that.
    open: Option<Open>,
}

/// Why nothing can be said.
pub(super) struct Open {
    reason: Reason,
    /// The step without a meaning that can be reached, if that is it.
    step: Option<String>,
}

impl From<Reason> for Open {
    fn from(reason: Reason) -> Open {
        Open { reason, step: None }
    }
}

/// Why a counterexample is spurious.
pub(super) enum Blame {
    /// A part cannot follow these steps: sets of conditions that cannot hold together.
    Conditions { index: usize, cores: Vec<Vec<Seed>>, steps: Vec<TreeStep>, text: String },
    /// Branches of a part had been left out of which some matter after all; with what to tell, if anything.
    Branches { index: usize, text: Option<String> },
    /// The parts do not start alike.
    Starts(Vec<Option<Followed>>),
}

impl Findings {
    /// What was found out about a step without a meaning.
    pub fn of_trouble(&mut self, found: Result<Blame, Open>) {
        self.0.push(match found {
            Ok(blame) => Finding { blames: vec![blame], open: None },
            Err(open) => Finding { blames: Vec::new(), open: Some(open) },
        });
    }

    /// What parts cannot do, in words.
    pub fn blames(self) -> impl Iterator<Item = String> {
        self.0.into_iter().flat_map(|finding| finding.blames).filter_map(|blame| match blame {
            Blame::Conditions { text, .. } => Some(text),
            Blame::Branches { text, .. } => text,
            Blame::Starts(_) => None,
        })
    }
}

/// A way of a part to a step without a meaning.
pub(super) struct PathToUnmodelled {
    part: usize,
    steps: Vec<TreeStep>,
    /// The step.
    edge: EdgeId,
}

impl Run<'_> {
    /// A step that some abstraction may take and whose meaning is not known.
    pub(super) fn step_without_a_meaning(&self) -> Option<PathToUnmodelled> {
        self.parts.iter().enumerate().find_map(|(part, own)| {
            let SystemPart::Code(code) = own else { return None };
            let abstraction = &code.view.as_ref()?.abstraction;
            let &(state, edge) = abstraction.troubled.first()?;
            let mut way = abstraction.way_to(state);
            way.push(edge);
            let step = |(at, &edge): (usize, &EdgeId)| TreeStep { parent: at.checked_sub(1), edge };
            Some(PathToUnmodelled { part, steps: way.iter().enumerate().map(step).collect(), edge })
        })
    }

    /// Can this way to a step without a meaning be taken? If so, nothing can be said.
    pub(super) fn can_be_reached(&mut self, way: &PathToUnmodelled) -> Result<Blame, Open> {
        let PathToUnmodelled { part: index, steps, edge } = way;
        let SystemPart::Code(code) = &mut self.parts[*index] else { unreachable!("only code has steps") };
        let unfolded = Follower::unfold(&mut code.component, steps, Conditions::Relevant, &|_| Vec::new());
        let found = code.follower.check(&mut code.component, &unfolded, &[], 4, self.budget);
        let step = &code.component.edges[*edge];
        match found {
            Feasibility::Infeasible(cores) => {
                let text = format!("{}: `{}` cannot be reached that way", code.component.name, step.text);
                Ok(Blame::Conditions { index: *index, cores, steps: steps.clone(), text })
            }
            Feasibility::Feasible(_) => {
                let at =
                    self.program.sources.location(step.span).map_or_else(String::new, |at| format!("{at}: "));
                let told = format!("{at}{}: {}", code.component.name, step.text);
                if let Some(NoMeaning::TooDeep { .. }) = &step.trouble {
                    self.is_too_deep = true;
                }
                let reason = match step.trouble.clone().expect("only troubled steps are looked at") {
                    NoMeaning::MissingBody { function } => {
                        Reason::MissingBody { function, called_at: step.span }
                    }
                    NoMeaning::TooDeep { function, depth } => {
                        let construct = format!("{told}: `{function}` calling itself more than {depth} deep");
                        Reason::NotSupported { construct, at: step.span }
                    }
                    NoMeaning::NotSupported(what) => {
                        Reason::NotSupported { construct: format!("{told}: {what}"), at: step.span }
                    }
                };
                Err(Open { reason, step: Some(told) })
            }
            Feasibility::Unknown(reason) => {
                let question = format!("a step without a meaning can be reached ({reason})");
                Err(Reason::SolverUnknown { question }.into())
            }
        }
    }

    /// The counterexample as it happens on the code; if it does not, that is a finding.
    pub(super) fn follow(&mut self, witness: &Witness, findings: &mut Findings) -> Option<Counterexample> {
        let mut finding = Finding::default();
        match self.validated(witness, &mut finding.blames) {
            Ok(Some(real)) => return Some(real),
            Ok(None) => {}
            Err(open) => finding.open = Some(open),
        }
        findings.0.push(finding);
        None
    }

    /// The counterexample if it is real; otherwise somebody is to blame.
    fn validated(
        &mut self,
        witness: &Witness,
        blames: &mut Vec<Blame>,
    ) -> Result<Option<Counterexample>, Open> {
        let mut shares: Vec<Option<Share>> = Vec::new();
        let mut values: Vec<Option<Followed>> = Vec::new();
        let disagreements = disagreements(self.parts);
        for index in 0..self.parts.len() {
            let SystemPart::Code(code) = &mut self.parts[index] else {
                shares.push(None);
                values.push(None);
                continue;
            };
            let own = share(code, index, witness, &disagreements).ok_or_else(|| {
                let why = "its steps are not those of the component".to_owned();
                Reason::NotConfirmed { why }
            })?;
            if let Some(edge) = trouble_at_the_end(code, witness, &own) {
                // It does not wait there: a step without a meaning may come next.
                let mut steps = own.steps.clone();
                steps.push(TreeStep { parent: own.after.last().and_then(|(last, _)| *last), edge });
                blames.push(self.can_be_reached(&PathToUnmodelled { part: index, steps, edge })?);
                return Ok(None);
            }
            if let Some(steps) = trouble_in_the_cycle(code, witness, &own) {
                let edge = steps[steps.len() - 1].edge;
                blames.push(self.can_be_reached(&PathToUnmodelled { part: index, steps, edge })?);
                return Ok(None);
            }
            let name = code.component.name.clone();
            values.push(match judge(code, self.program, witness, &own, self.budget) {
                Judgement::Real(found) => Some(*found),
                Judgement::Spurious(cores, steps) => {
                    let text = format!("{name}: {}", describe(code, cores.first()));
                    blames.push(Blame::Conditions { index, cores, steps, text });
                    None
                }
                Judgement::TooLittle => {
                    let text = Some(format!("{name}: all branches are looked at from now on"));
                    blames.push(Blame::Branches { index, text });
                    None
                }
                Judgement::Open(why) => return Err(Reason::NotConfirmed { why }.into()),
            });
            shares.push(Some(own));
        }
        if !blames.is_empty() {
            return Ok(None);
        }
        if witness.is_partial {
            let why = "it is too large to be followed as a whole".to_owned();
            return Err(Reason::NotConfirmed { why }.into());
        }
        if self.common.is_disputed(self.parts, &values)
            && let Some(blame) = self.start_alike(witness, &shares, &mut values)?
        {
            blames.push(blame);
            return Ok(None);
        }
        if let Some(name) = self.common.is_unclear(self.parts, &values) {
            let why = format!("the components share the pointer `{name}`, and where it leads is not known");
            return Err(Reason::NotConfirmed { why }.into());
        }
        for index in 0..self.parts.len() {
            let SystemPart::Code(code) = &mut self.parts[index] else { continue };
            let (Some(own), Some(followed)) = (&shares[index], &values[index]) else { continue };
            if let Err(why) = replay(code, self.program, own, followed, witness.ending, self.budget) {
                if why.is_limit_of_the_run() {
                    return Err(why.into());
                }
                let why = format!("run on the code of `{}`, {why}", code.component.name);
                return Err(Reason::NotConfirmed { why }.into());
            }
            self.replayed.push(code.component.name.to_string());
        }
        let shown: Vec<PartAtTheEnd<'_>> = shares
            .iter()
            .zip(&values)
            .enumerate()
            .map(|(part, (share, followed))| {
                PartAtTheEnd::of(self.parts, witness, part, share.as_ref(), followed.as_ref())
            })
            .collect();
        let is_deadlock = matches!(self.asks, Asks::NoDeadlock);
        let mut witness = witness.clone();
        if witness.steps.iter().any(|step| disagreements.iter().any(|one| *one.name == *step.name)) {
            witness.why = "they return values of different kinds, and components that are checked together return alike".to_owned();
        }
        Ok(Some(counterexample(self.parts, &witness, &shown, &self.program.sources, is_deadlock)))
    }

    /// Follows the shares from first values on which all components agree. If there are none, or a component
    /// has to be looked at more closely, that is to blame.
    fn start_alike(
        &mut self,
        witness: &Witness,
        shares: &[Option<Share>],
        values: &mut Vec<Option<Followed>>,
    ) -> Result<Option<Blame>, Open> {
        let agreed = match self.common.agreement(self.parts, values, self.budget) {
            Agreement::Same(agreed) => agreed,
            Agreement::Contradiction => return Ok(Some(Blame::Starts(std::mem::take(values)))),
            Agreement::Unknown(why) => {
                let question = format!("the components can start alike ({why})");
                return Err(Reason::SolverUnknown { question }.into());
            }
        };
        for (index, share) in shares.iter().enumerate() {
            let (SystemPart::Code(code), Some(share)) = (&mut self.parts[index], share) else { continue };
            let guard = code.component.initial;
            let mut all = self.common.pinned(index, &mut code.component, &agreed);
            all.push(guard);
            code.component.initial = code.component.pool.all_of(&all);
            let judgement = judge(code, self.program, witness, share, self.budget);
            code.component.initial = guard;
            match judgement {
                Judgement::Real(found) => values[index] = Some(*found),
                Judgement::TooLittle => return Ok(Some(Blame::Branches { index, text: None })),
                Judgement::Spurious(..) | Judgement::Open(_) => {
                    let name = &code.component.name;
                    let why = format!("`{name}` takes other steps from the values that all start with");
                    return Err(Reason::NotConfirmed { why }.into());
                }
            }
        }
        Ok(None)
    }

    /// Refines by what was found out about a counterexample.
    pub(super) fn learn(&mut self, finding: Finding) -> Result<(), Undecided> {
        for blame in finding.blames {
            match blame {
                Blame::Conditions { index, cores, steps, text } => {
                    let SystemPart::Code(code) = &mut self.parts[index] else { continue };
                    if !refine_part(code, cores, steps, self.settings, self.budget) {
                        let why = "it is spurious, and no new predicate rules it out".to_owned();
                        return Err(self
                            .stopped(Reason::NotConfirmed { why })
                            .try_next("supply a predicate in a `cproc` block: predicate (x < 10);"));
                    }
                    self.refinements.push(text);
                }
                Blame::Branches { index, text } => {
                    let SystemPart::Code(code) = &mut self.parts[index] else { continue };
                    code.forget_abstraction();
                    self.refinements.extend(text);
                }
                Blame::Starts(values) => {
                    let names = self.common.names();
                    if !self.common.take_apart(self.parts, &values, self.budget) {
                        let why = format!("the components share {names}, and start with different values");
                        return Err(self.stopped(Reason::NotConfirmed { why }));
                    }
                    let why = format!("the components do not start alike ({names}): taken apart by cases");
                    self.refinements.push(why);
                }
            }
        }
        finding.open.map_or(Ok(()), |open| Err(self.said_of(open)))
    }

    fn said_of(&self, open: Open) -> Undecided {
        let is_missing = matches!(open.reason, Reason::MissingBody { .. });
        let mut undecided = self.stopped(open.reason);
        if let Some(step) = open.step {
            undecided = undecided.proved(format!("this step can be reached: {step}"));
        }
        if is_missing {
            undecided
                .try_next("say what it does with an `abstract` statement in a `cproc` block")
                .try_next("take it to return any value and write what it can reach with --missing nondet, or to change nothing with --missing pure")
        } else {
            undecided
        }
    }
}

/// A step without a meaning that may come next where a component is said to wait.
fn trouble_at_the_end(code: &Code, witness: &Witness, share: &Share) -> Option<EdgeId> {
    if witness.ending != Ending::Stuck {
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
    match &texts[..] {
        [only] => format!("{only} cannot hold there"),
        _ => format!("{} cannot hold together there", texts.join(" and ")),
    }
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
        Minimisation::All => {
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
    let has_facts = code.learn_facts(budget);
    code.choose_seeds(settings.predicates, budget);
    if has_facts || was_noted || (!came_back && code.seeds != before) {
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
