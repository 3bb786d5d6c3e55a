//! Asks the engines and turns what they find into an answer: runs are replayed, ignorance gets its reason.

use super::explicit::{self, Explored};
use super::foreknowledge::Foreknowledge;
use super::outcome::{Finding, Limits, Report, Stopped};
use super::proof::{self, Proof, Refuted};
use super::simulate::State;
use super::system::{System, TargetId};
use super::witness::{self, Witness};
use super::{backward, extract_control, inductive, karp_miller};
use base::{Budget, EventSink};
use question::{Answer, Asks, Counterexample, Knowledge, Question, Verdict};
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

    /// The name users give it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::KarpMiller => "karp-miller",
            Engine::Backward => "backward",
            Engine::Widening => "widening",
            Engine::Explicit => "explicit",
        }
    }

    /// The engine of that name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::FORCED.into_iter().chain([Engine::Auto]).find(|engine| engine.name() == name)
    }
}

/// How to decide.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The engine.
    pub engine: Engine,
    /// Time, memory, cancellation.
    pub budget: Budget,
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

impl Settings {
    /// An engine and a budget; small proofs are checked again.
    pub fn new(engine: Engine, budget: Budget) -> Settings {
        Settings { engine, budget, recheck: Recheck::Small }
    }
}

/// What was found out, before it is put into words.
#[derive(Debug)]
pub enum Decision {
    /// No target can be covered.
    Safe,
    /// A replayed run covers a target.
    Coverable(Box<Witness>),
    /// Open.
    Open(Reason),
}

/// What was shown before a limit was met: no target can be covered …
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// … within so many steps, with any number of tokens.
    pub within_steps: Option<u64>,
    /// … from a start with up to so many tokens.
    pub up_to_tokens: Option<u64>,
}

impl Shown {
    /// With what was shown later.
    fn and(self, later: Shown) -> Shown {
        Shown {
            within_steps: later.within_steps.or(self.within_steps),
            up_to_tokens: later.up_to_tokens.or(self.up_to_tokens),
        }
    }

    /// In sentences; a token is called so.
    pub fn sentences(self, token: &str) -> impl Iterator<Item = String> {
        let steps = self.within_steps.map(|steps| {
            format!("no target can be covered within {steps} steps, with any number of {token}s")
        });
        let tokens = self
            .up_to_tokens
            .map(|tokens| format!("no target can be covered from a start with up to {tokens} {token}s"));
        steps.into_iter().chain(tokens)
    }
}

/// A decision with its engine and figures.
#[derive(Debug)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The engine that decided, or was the last to try.
    pub engine: Engine,
    /// Its figures.
    pub statistics: Statistics,
    /// What was shown before a limit was met.
    pub shown: Shown,
    /// The proof, if the engine made one.
    pub proof: Option<Proof>,
    /// The proof in words, if it was checked and is wanted.
    pub certificate: Option<InductiveFacts>,
}

/// The first turn's effort for each engine; later turns multiply it.
const FIRST_TURN: u64 = 2_000;
const GROWTH: u64 = 4;

/// Decides whether a target can be covered.
pub fn decide(system: &System, settings: &Settings) -> Decided {
    let Some(extracted) = extract_control::extract(system) else {
        return rechecked(system, settings, decide_as_it_is(system, settings));
    };
    let decided = decide_as_it_is(&extracted.system, settings);
    let mut decided = rechecked(&extracted.system, settings, decided);
    if let Decision::Coverable(witness) = decided.decision {
        decided.decision = match extracted.in_original(system, &witness) {
            Ok(witness) => Decision::Coverable(Box::new(witness)),
            Err(refused) => Decision::Open(refused.into()),
        };
    }
    decided
}

/// An answer whose proof is refused is none.
fn rechecked(system: &System, settings: &Settings, mut decided: Decided) -> Decided {
    let Some(proof) = decided.proof.take() else { return decided };
    if settings.recheck == Recheck::Small && proof.markings.len() > FEW_MARKINGS {
        return decided;
    }
    match proof::check(system, &proof, &settings.budget) {
        Ok(conditions) => {
            decided.statistics.count("conditions of the proof checked", conditions);
            if settings.recheck == Recheck::All {
                decided.certificate = Some(proof.certificate(system, conditions));
            }
        }
        Err(Refuted::Wrong(why)) => {
            let why = format!("the proof is refused: {why}");
            decided.decision = Decision::Open(Reason::NotConfirmed { why });
        }
        Err(Refuted::Stopped(exhausted)) if settings.recheck == Recheck::All => {
            decided.decision = Decision::Open(exhausted.into());
        }
        Err(Refuted::Stopped(_)) => {}
    }
    decided
}

fn decide_as_it_is(system: &System, settings: &Settings) -> Decided {
    match settings.engine {
        Engine::Auto => by_turns(system, &settings.budget),
        engine => {
            let limits = Limits { budget: settings.budget.clone(), steps: None };
            run(system, engine, &limits, &mut Foreknowledge::new(system))
        }
    }
}

fn run(system: &System, engine: Engine, limits: &Limits, known: &mut Foreknowledge) -> Decided {
    match engine {
        Engine::KarpMiller => judged(system, engine, karp_miller::check(system, limits)),
        Engine::Backward => judged(system, engine, backward::check_knowing(system, limits, known)),
        Engine::Widening => judged(system, engine, inductive::check_knowing(system, limits, known)),
        Engine::Explicit => explored(system, limits),
        Engine::Auto => by_turns(system, &limits.budget),
    }
}

/// The engines by turns, each with more effort than before: no engine is best on all systems, and effort is counted in
/// steps, so that the same engine answers on every machine.
fn by_turns(system: &System, budget: &Budget) -> Decided {
    let mut effort = FIRST_TURN;
    let mut shown = Shown::default();
    let mut exact_only = false;
    let mut known = Foreknowledge::new(system);
    loop {
        let mut last = None;
        for engine in [Engine::Widening, Engine::Backward, Engine::KarpMiller, Engine::Explicit] {
            let wanted = match engine {
                Engine::Explicit => !system.starts_unbounded() || exact_only,
                _ => !exact_only,
            };
            if !wanted {
                continue;
            }
            let limits = Limits { budget: budget.clone(), steps: Some(effort) };
            let mut decided = run(system, engine, &limits, &mut known);
            shown = shown.and(decided.shown);
            match &decided.decision {
                // Upper limits were in the way of the run: only exact search can say more.
                Decision::Open(Reason::NotConfirmed { .. }) => exact_only = true,
                Decision::Open(Reason::SizeLimit { .. }) => {}
                Decision::Open(_) => {
                    decided.shown = shown;
                    return decided;
                }
                Decision::Safe | Decision::Coverable(_) => return decided,
            }
            last = Some(decided);
        }
        if let Err(exhausted) = budget.check() {
            let statistics = last.map(|decided| decided.statistics).unwrap_or_default();
            return Decided {
                decision: Decision::Open(exhausted.into()),
                engine: Engine::Auto,
                statistics,
                shown,
                proof: None,
                certificate: None,
            };
        }
        effort = effort.saturating_mul(GROWTH);
    }
}

fn judged(system: &System, engine: Engine, report: Report) -> Decided {
    let mut statistics = Statistics::default();
    statistics.count("steps", report.steps);
    statistics.count("markings", report.markings);
    let mut shown = Shown::default();
    let decision = match report.finding {
        Finding::Safe => Decision::Safe,
        Finding::Coverable(chain) => match witness::realise(system, &chain) {
            Ok(witness) => {
                statistics.count("run length", witness.run.firings.len() as u64);
                statistics.count("tokens at the start", witness.run.start.size());
                Decision::Coverable(Box::new(witness))
            }
            Err(refused) => Decision::Open(refused.into()),
        },
        Finding::Stopped(stopped) => {
            shown.within_steps = report.safe_depth.filter(|depth| *depth > 0);
            Decision::Open(reason(stopped))
        }
    };
    Decided { decision, engine, statistics, shown, proof: report.proof, certificate: None }
}

fn explored(system: &System, limits: &Limits) -> Decided {
    let found = explicit::check(system, limits);
    let mut statistics = Statistics::default();
    statistics.count("states", found.states);
    let is_stopped = matches!(found.explored, Explored::Stopped(_));
    let shown = Shown { up_to_tokens: found.safe_up_to.filter(|_| is_stopped), ..Shown::default() };
    let decision = match found.explored {
        Explored::Safe => Decision::Safe,
        Explored::Violated(witness) => Decision::Coverable(witness),
        Explored::Stopped(stopped) => Decision::Open(reason(stopped)),
    };
    let engine = Engine::Explicit;
    Decided { decision, engine, statistics, shown, proof: None, certificate: None }
}

fn reason(stopped: Stopped) -> Reason {
    match stopped {
        Stopped::Budget(exhausted) => exhausted.into(),
        Stopped::Steps => Reason::SizeLimit { what: "steps of the engine", limit: FIRST_TURN },
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
        match self {
            Engine::Auto => "Whatever answers first, by turns and with growing effort",
            Engine::KarpMiller => "Karp-Miller with acceleration",
            Engine::Backward => "Backward search with the least markings",
            Engine::Widening => "Backward search with widened targets, in frames",
            Engine::Explicit => "Every state, with more and more tokens",
        }
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
        _: &dyn EventSink,
    ) -> Answer {
        let CounterSystem { system, recheck } = question.about;
        let settings = Settings { engine: *self, budget: budget.clone(), recheck: *recheck };
        answer(system, &settings, &question.name)
    }
}

/// The decision as an answer to the property `property`.
pub fn answer(system: &System, settings: &Settings, property: &str) -> Answer {
    let decided = decide(system, settings);
    let verdict: Verdict = match decided.decision {
        Decision::Safe => Verdict::Holds(match (decided.engine, decided.statistics.value("states")) {
            (Engine::Explicit, Some(states)) => Certificate::Exhaustive { states },
            _ => {
                decided.certificate.map_or(Certificate::Unrecorded, |facts| Certificate::Facts(facts.into()))
            }
        }),
        Decision::Coverable(witness) => Counterexample::Path(path(system, &witness)).into(),
        Decision::Open(reason) => {
            let mut undecided = match reason {
                Reason::TimeLimit => base::Exhausted::Time.into(),
                Reason::MemoryLimit => base::Exhausted::Memory.into(),
                other => Undecided::because(other),
            };
            undecided.proved.extend(decided.shown.sentences(system.token));
            undecided.into()
        }
    };
    let mut answer = Answer::new(property, decided.engine.name(), verdict);
    if settings.engine == Engine::Auto && decided.engine != Engine::Auto {
        answer.engine_reason =
            "the engines take turns with growing effort; this one answered first".to_owned();
    }
    answer.statistics = decided.statistics;
    answer
}

/// The run as a path of one lane.
pub fn path(system: &System, witness: &Witness) -> Path {
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
pub fn describe_target(system: &System, target: TargetId) -> String {
    super::marking::Marking::of_target(&system.targets[target]).describe(system)
}
