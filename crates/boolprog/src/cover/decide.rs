//! Asks the engines and turns what they find into an answer: runs are replayed, ignorance gets its reason.

use super::foreknowledge::Foreknowledge;
use super::outcome::{CoverabilityResult, Limits, Stopped};
use super::proof::{self, Proof, Refuted};
use super::simulate::State;
use super::system::{System, TargetId};
use super::witness::{self, Witness};
use super::{backward, explicit, extract_control, inductive, karp_miller};
use base::{Budget, EventSink};
use question::{Answer, Asks, Counterexample, Decided, Knowledge, Monitor, Question, Verdict};
use verdict::{Certificate, InductiveFacts, Lane, Path, Reason, StateView, Statistics, Step, Undecided};

/// A way to decide coverability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Whatever answers first, by turns and with growing effort.
    Auto,
    /// Karp-Miller with acceleration.
    KarpMiller,
    /// Backward search with the least markings.
    Backward,
    /// Backward search with widened targets, in frames.
    Widening,
    /// Every state, with more and more tokens.
    Explicit,
}

impl Engine {
    /// All engines that can be forced.
    pub const FORCED: [Engine; 4] =
        [Engine::KarpMiller, Engine::Backward, Engine::Widening, Engine::Explicit];

    /// The name users give it, and one line about it.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Engine::Auto => ("auto", "Whatever answers first, by turns and with growing effort"),
            Engine::KarpMiller => ("karp-miller", "Karp-Miller with acceleration"),
            Engine::Backward => ("backward", "Backward search with the least markings"),
            Engine::Widening => ("widening", "Backward search with widened targets, in frames"),
            Engine::Explicit => ("explicit", "Every state, with more and more tokens"),
        }
    }

    /// The name users give it.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// One line about it.
    pub const fn description(self) -> &'static str {
        self.words().1
    }

    /// The engine of that name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::FORCED.into_iter().chain([Engine::Auto]).find(|engine| engine.name() == name)
    }
}

/// How to decide.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The engine.
    pub engine: Engine,
    /// Which proofs are checked again.
    pub recheck: Recheck,
}

/// Which proofs are checked again by `proof` before an answer is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// Those with few markings, which takes next to no time.
    Small,
    /// All; the certificate is wanted.
    All,
}

/// So many markings are few.
const FEW_MARKINGS: usize = 1_000;

/// Whether a target can be covered, with the engine and its figures.
#[derive(Debug)]
pub struct Coverage {
    /// No target can be covered, with the proof if the engine made one; or a replayed run covers one; or it
    /// is open, with what was shown until then.
    pub found: Result<Decided<Option<Proof>, Box<Witness>>, Undecided>,
    /// The engine that decided, or was the last to try.
    pub engine: Engine,
    /// Its figures.
    pub statistics: Statistics,
    /// The proof in words, if it was checked and is wanted.
    pub certificate: Option<InductiveFacts>,
}

/// The first turn's effort for each engine; later turns multiply it.
const FIRST_TURN: u64 = 2_000;
const GROWTH: u64 = 4;
/// Without a limit of time, exact search alone is not given more effort than this.
const MOST_WITHOUT_LIMIT: u64 = 2_000_000;

/// Decides whether a target can be covered.
pub fn decide(system: &System, settings: Settings, monitor: Monitor<'_>) -> Coverage {
    let Some(extracted) = extract_control::extract(system) else {
        return rechecked(system, settings, run(system, settings.engine, monitor), monitor);
    };
    let coverage = run(&extracted.system, settings.engine, monitor);
    let mut coverage = rechecked(&extracted.system, settings, coverage, monitor);
    if let Ok(Decided::Violated(witness)) = &coverage.found {
        let original =
            extracted.in_original(system, witness).map_err(|refused| Undecided::because(refused.into()));
        coverage.found = original.map(|witness| Decided::Violated(Box::new(witness)));
    }
    coverage
}

/// An answer whose proof is refused is none.
fn rechecked(system: &System, settings: Settings, mut coverage: Coverage, monitor: Monitor<'_>) -> Coverage {
    let Ok(Decided::Proved(Some(proof))) = &coverage.found else { return coverage };
    if settings.recheck == Recheck::Small && proof.markings.len() > FEW_MARKINGS {
        return coverage;
    }
    match proof::check(system, proof, monitor.budget) {
        Ok(conditions) => {
            coverage.statistics.count("conditions of the proof checked", conditions);
            if settings.recheck == Recheck::All {
                coverage.certificate = Some(proof.certificate(system, conditions));
            }
        }
        Err(Refuted::Wrong(why)) => {
            let why = format!("the proof is refused: {why}");
            coverage.found = Err(Undecided::because(Reason::NotConfirmed { why }));
        }
        Err(Refuted::Stopped(exhausted)) if settings.recheck == Recheck::All => {
            coverage.found = Err(exhausted.into());
        }
        Err(Refuted::Stopped(_)) => {}
    }
    coverage
}

fn run(system: &System, engine: Engine, monitor: Monitor<'_>) -> Coverage {
    match engine {
        Engine::Auto => by_turns(system, monitor),
        engine => alone(system, engine, Limits { monitor, steps: None }, &mut Foreknowledge::new(system)),
    }
}

/// One engine, within limits.
fn alone(system: &System, engine: Engine, limits: Limits<'_>, known: &mut Foreknowledge) -> Coverage {
    match engine {
        Engine::KarpMiller => judged(system, engine, karp_miller::check(system, limits)),
        Engine::Backward => judged(system, engine, backward::check_knowing(system, limits, known)),
        Engine::Widening => judged(system, engine, inductive::check_knowing(system, limits, known)),
        Engine::Explicit => explored(system, limits),
        Engine::Auto => by_turns(system, limits.monitor),
    }
}

/// The engines by turns, each with more effort than before: no engine is best on all systems, and effort is
/// counted in steps, so that the same engine answers on every machine.
fn by_turns(system: &System, monitor: Monitor<'_>) -> Coverage {
    let mut effort = FIRST_TURN;
    let mut shown: Vec<String> = Vec::new();
    let mut exact_only = false;
    let mut known = Foreknowledge::new(system);
    let has_limit = monitor.budget.deadline().is_some();
    let is_endless = |effort: u64| !has_limit && (system.starts_unbounded() || effort > MOST_WITHOUT_LIMIT);
    loop {
        let mut statistics = Statistics::default();
        for engine in [Engine::Widening, Engine::Backward, Engine::KarpMiller, Engine::Explicit] {
            let wanted = match engine {
                Engine::Explicit => !system.starts_unbounded() || exact_only,
                _ => !exact_only,
            };
            if !wanted {
                continue;
            }
            monitor.count("effort", effort as usize);
            let mut coverage = alone(system, engine, Limits { monitor, steps: Some(effort) }, &mut known);
            let Err(open) = &mut coverage.found else { return coverage };
            match open.reason {
                // Upper limits were in the way of the run: only exact search can say more. For any number of
                // tokens it has no end, so it is asked only if there is a limit of time.
                Reason::NotConfirmed { .. } if is_endless(effort) => return coverage,
                Reason::NotConfirmed { .. } => exact_only = true,
                Reason::SizeLimit { .. } if exact_only && is_endless(effort) => return coverage,
                Reason::SizeLimit { .. } => {}
                _ => {
                    shown.append(&mut open.proved);
                    shown.dedup();
                    open.proved = shown;
                    return coverage;
                }
            }
            for sentence in &open.proved {
                let subject =
                    |sentence: &str| sentence.split(|c: char| c.is_ascii_digit()).next().map(str::to_owned);
                shown.retain(|known| subject(known) != subject(sentence));
                shown.push(sentence.clone());
            }
            statistics = coverage.statistics;
        }
        if let Err(exhausted) = monitor.check() {
            let open = Undecided { proved: shown, ..exhausted.into() };
            return Coverage { found: Err(open), engine: Engine::Auto, statistics, certificate: None };
        }
        effort = effort.saturating_mul(GROWTH);
    }
}

fn judged(system: &System, engine: Engine, report: CoverabilityResult) -> Coverage {
    let mut statistics = Statistics::default();
    statistics.count("steps", report.steps);
    statistics.count("markings", report.markings);
    let found = match report.found {
        Ok(Decided::Proved(proof)) => Ok(Decided::Proved(Some(proof))),
        Ok(Decided::Violated(chain)) => match witness::realise(system, &chain) {
            Ok(witness) => {
                statistics.count("run length", witness.run.firings.len() as u64);
                statistics.count("tokens at the start", witness.run.start.size());
                Ok(Decided::Violated(Box::new(witness)))
            }
            Err(refused) => Err(Undecided::because(refused.into())),
        },
        Err(stopped) => Err(match report.safe_depth.filter(|depth| *depth > 0) {
            Some(depth) => Undecided::from(stopped).proved(format!(
                "no target can be covered within {depth} steps, with any number of {}s",
                system.token
            )),
            None => stopped.into(),
        }),
    };
    Coverage { found, engine, statistics, certificate: None }
}

fn explored(system: &System, limits: Limits<'_>) -> Coverage {
    let explored = explicit::check(system, limits);
    let mut statistics = Statistics::default();
    statistics.count("states", explored.states);
    let found = match explored.found {
        Ok(Decided::Proved(())) => Ok(Decided::Proved(None)),
        Ok(Decided::Violated(witness)) => Ok(Decided::Violated(witness)),
        Err(stopped) => Err(match explored.safe_up_to {
            Some(tokens) => Undecided::from(stopped).proved(format!(
                "no target can be covered from a start with up to {tokens} {}s",
                system.token
            )),
            None => stopped.into(),
        }),
    };
    Coverage { found, engine: Engine::Explicit, statistics, certificate: None }
}

impl From<Stopped> for Undecided {
    fn from(stopped: Stopped) -> Undecided {
        match stopped {
            Stopped::Budget(exhausted) => exhausted.into(),
            Stopped::Steps => {
                Undecided::because(Reason::SizeLimit { what: "steps of the engine", limit: FIRST_TURN })
            }
        }
    }
}

/// A counter system, and which proofs about it are checked again.
#[derive(Debug)]
pub struct CounterSystem {
    /// The system with its targets.
    pub system: System,
    /// Which proofs are checked again.
    pub recheck: Recheck,
}

impl CounterSystem {
    /// The question whether a target can be covered, under the name of the targets.
    pub fn question(&self) -> Question<'_, CounterSystem> {
        let targets = &self.system.targets;
        let named = targets.ids().take(3).map(|id| describe_target(&self.system, id));
        let mut name = format!("not coverable: {}", named.collect::<Vec<_>>().join("; or "));
        if targets.len() > 3 {
            name.push_str(&format!("; or {} more", targets.len() - 3));
        }
        Question { name, about: self, asks: Asks::NoError }
    }
}

impl question::Engine<CounterSystem> for Engine {
    fn name(&self) -> &'static str {
        Engine::name(*self)
    }

    fn description(&self) -> &'static str {
        Engine::description(*self)
    }

    fn can_answer(&self, question: &Question<'_, CounterSystem>) -> Result<(), Reason> {
        match question.asks {
            Asks::NoError => Ok(()),
            _ => {
                let why = "it is asked whether a target can be covered, and nothing else".to_owned();
                Err(Reason::EngineCannot { engine: Engine::name(*self), why })
            }
        }
    }

    fn run(
        &self,
        question: &Question<'_, CounterSystem>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let CounterSystem { system, recheck } = question.about;
        let settings = Settings { engine: *self, recheck: *recheck };
        let Coverage { found, engine, statistics, certificate } =
            decide(system, settings, Monitor { budget, events });
        let verdict: Verdict = match found {
            Ok(Decided::Proved(_)) => Verdict::Holds(match (engine, statistics.value("states")) {
                (Engine::Explicit, Some(states)) => Certificate::Exhaustive { states },
                _ => certificate.map_or(Certificate::Unrecorded, |facts| Certificate::Facts(facts.into())),
            }),
            Ok(Decided::Violated(witness)) => Counterexample::Path(path(system, &witness)).into(),
            Err(open) => open.into(),
        };
        let mut answer = Answer { statistics, ..Answer::new(&question.name, engine.name(), verdict) };
        if *self == Engine::Auto && engine != Engine::Auto {
            answer.engine_reason =
                "the engines take turns with growing effort; this one answered first".to_owned();
        }
        answer
    }
}

/// The run as a path of one lane.
fn path(system: &System, witness: &Witness) -> Path {
    let view = |state: &State| {
        let mut components = Vec::new();
        if system.controls.len() > 1 {
            components.push(system.controls[state.control].clone());
        }
        let tokens: Vec<String> = state
            .tokens
            .iter()
            .map(|(place, count)| match count {
                1 => system.places[*place].clone(),
                count => format!("{}×{count}", system.places[*place]),
            })
            .collect();
        components.push(tokens.join(", "));
        StateView { components, propositions: Vec::new() }
    };
    let mut lane_names = vec![format!("{}s", system.token)];
    if system.controls.len() > 1 {
        lane_names.insert(0, "shared state".to_owned());
    }
    let lanes: Vec<Lane> = (0..lane_names.len() as u32).map(Lane).collect();
    let steps = witness.run.firings.iter().zip(&witness.states[1..]).map(|(firing, after)| Step {
        action: system.transitions[firing.transition].name.clone(),
        silent: false,
        lanes: lanes.clone(),
        to: view(after),
    });
    Path {
        steps: steps.collect(),
        start: view(&witness.states[0]),
        ends_because: format!("the target {} is covered", describe_target(system, witness.target)),
        lane_names,
    }
}

/// A target in words.
fn describe_target(system: &System, target: TargetId) -> String {
    super::marking::Marking::of_target(&system.targets[target]).describe(system)
}
