//! Exploring models: a walk is the list of choices made from the initial state on, so that whoever asks needs no memory
//! here, and going back is a shorter list. The steps are those of `lks::Composition`, as the engines see them.

use super::{ExploreArgs, MOST_RANDOM, MOST_STEPS, chosen, numbers, replayed};
use crate::channel::{Output, Refused, at_terminal};
use crate::cli::Common;
use crate::exit::Exit;
use crate::model::{self, answers::SystemAnswer, input};
use crate::progress::StatusLine;
use crate::report::finite;
use crate::settle::settle;
use base::random::Random;
use base::{Budget, Silent};
use check::engine::FiniteSystem;
use check::temporal::TemporalSettings;
use check::view::Viewed;
use check::{UnknownActions, ask};
use lks::{ActionId, Composition, StateMark, Successors, SystemState};
use question::{Asks, Counterexample};
use report::page::{self, Live, Propositions, Reading, Sources, of_counterexample};
use serde_json::{Value, json};
use spec::{Formula, System};
use std::collections::BTreeMap;
use std::time::Duration;
use verdict::Path;

/// A formula has this long.
const TIME_FOR_FORMULA: Duration = Duration::from_secs(20);

/// Reads the models and serves them.
pub fn explore(arguments: &ExploreArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let status = StatusLine::new(common);
    at_terminal(common, &(), Some(&status), |output| {
        let served = serve(arguments, output, budget);
        served.unwrap_or_else(|refused| Err(refused.told(output)))
    })
}

fn serve(
    arguments: &ExploreArgs,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<Result<Exit, Exit>, Refused> {
    let loaded = input::load(&arguments.files, output)?;
    model::with_model(&loaded, output, budget, |model, output| {
        let asked = model::ModelArgs::only_build(arguments.files.clone(), None);
        let targets = model::targets(&asked, &loaded, model, output)?;
        let mut systems = Vec::new();
        let mut structures = Vec::new();
        for name in &targets {
            let system = model.system(name).map_err(|problem| loaded.refuse(problem, output))?;
            structures.extend(model::structures_of(&system, name, budget));
            systems.push((name.clone(), system));
        }
        let files: Vec<&std::path::Path> = arguments.files.iter().map(|file| file.as_path()).collect();
        let (mut page, sources) = finite::begin("explore", &files, "");
        for one in structures.iter().filter(|one| one.lks.state_count() <= finite::MOST_STATES_DRAWN) {
            finite::graph_of(&mut page, one);
        }
        page.live = Some(Live { kind: "model", systems: targets });
        let explorer = Explorer {
            systems: systems.iter().map(|(name, one)| (name.as_str(), one)).collect(),
            sources: &sources,
        };
        page.sources = sources.clone().into_list();
        let html = page::to_html(&page);
        Ok(super::serve(arguments.port, html, budget, |name, body| explorer.answer(name, body, budget)))
    })
}

struct Explorer<'m> {
    systems: BTreeMap<&'m str, &'m System>,
    sources: &'m Sources,
}

/// A walk through a system: where it began, and the steps.
struct Walk {
    start: SystemState,
    steps: Vec<(ActionId, SystemState)>,
    choices: Vec<u64>,
}

impl Walk {
    fn last(&self) -> &SystemState {
        self.steps.last().map_or(&self.start, |(_, state)| state)
    }
}

impl Explorer<'_> {
    fn answer(&self, name: &str, body: &Value, budget: &Budget) -> Result<Value, String> {
        let system = body["system"].as_str().unwrap_or_default();
        let system = self.systems.get(system).ok_or_else(|| format!("there is no system `{system}`"))?;
        match name {
            "walk" => self.walk(&system.composition(), body),
            "formula" => self.formula(system, body["text"].as_str().unwrap_or_default(), budget),
            _ => Err(format!("a model cannot be asked for `{name}`")),
        }
    }

    /// Follows the choices, then the steps that were typed in, then goes on at random if that is asked for.
    fn walk(&self, composition: &Composition, body: &Value) -> Result<Value, String> {
        let choices = numbers(body, "choices")?;
        let initial = composition.initial_states();
        let (first, rest) = match initial.len() {
            0 => return Err("the system has no initial state".to_owned()),
            1 => (0, &choices[..]),
            // Which of several initial states is the first choice.
            _ => match choices.split_first() {
                Some((&first, rest)) => (first, rest),
                None => return Ok(self.where_to_start(composition, &initial)),
            },
        };
        let start = usize::try_from(first).ok().and_then(|at| initial.get(at));
        let start = start.ok_or("there are not so many initial states")?.clone();
        let mut walk = Walk { start, steps: Vec::new(), choices: choices.clone() };
        for &choice in rest {
            let mut next = ways(composition, walk.last());
            let choice = usize::try_from(choice).ok().filter(|&at| at < next.len());
            walk.steps.push(next.swap_remove(choice.ok_or("no action has this number here")?));
        }
        for step in replayed(body)? {
            let mut next = ways(composition, walk.last());
            let words: Vec<String> = next
                .iter()
                .map(|(action, to)| composition.view_step(walk.last(), *action, to).action)
                .collect();
            let at = chosen(&step, &words)?;
            walk.choices.push(at as u64);
            walk.steps.push(next.swap_remove(at));
        }
        let mut random = Random::new(body["seed"].as_u64().unwrap_or(1));
        for _ in 0..body["random"].as_u64().unwrap_or(0).min(MOST_RANDOM) {
            let mut next = ways(composition, walk.last());
            if next.is_empty() || walk.choices.len() >= MOST_STEPS {
                break;
            }
            let at = random.below(next.len());
            walk.choices.push(at as u64);
            walk.steps.push(next.swap_remove(at));
        }
        Ok(self.shown(composition, &walk))
    }

    fn where_to_start(&self, composition: &Composition, initial: &[SystemState]) -> Value {
        let ways: Vec<Value> = initial
            .iter()
            .map(|state| json!({ "text": format!("start in {}", composition.describe(state)) }))
            .collect();
        json!({ "choices": [], "run": report::page::Run::default(), "ways": ways, "says": "" })
    }

    fn shown(&self, composition: &Composition, walk: &Walk) -> Value {
        let path: Path = composition.view_path(&walk.start, &walk.steps, "");
        let next = ways(composition, walk.last());
        let says = match composition.mark(walk.last()) {
            StateMark::Error => "the system is in ERROR",
            StateMark::End => "the system has terminated",
            StateMark::Plain if next.is_empty() => "nothing can move here: a deadlock",
            StateMark::Plain => "",
        };
        let ways: Vec<Value> = { next.iter() }
            .map(|(action, to)| {
                let step = composition.view_step(walk.last(), *action, to);
                let lanes: Vec<u32> = step.lanes.iter().map(|lane| lane.0).collect();
                json!({ "text": step.action, "silent": step.silent, "lanes": lanes })
            })
            .collect();
        let mut answer = page::Answer::default();
        let reading = Reading { sources: self.sources, propositions: Propositions::AllThatHold };
        of_counterexample(&mut answer, &Counterexample::Path(path), reading);
        json!({ "choices": walk.choices, "run": answer.runs.first(), "ways": ways, "says": says })
    }

    /// Does the formula hold of the system? The answer as a page shows it.
    fn formula(&self, system: &System, text: &str, budget: &Budget) -> Result<Value, String> {
        let formula = Formula::parse(text, crate::channel::ONLY_TEXT)
            .map_err(|problem| format!("the formula cannot be read: {}", problem.message))?;
        let composition = system.composition();
        let asked = FiniteSystem {
            composition: &composition,
            unknown_actions: UnknownActions::Silent,
            temporal: TemporalSettings::default(),
        };
        let question = asked.question(format!("{}: {text}", system.name), Asks::Satisfies(formula));
        let promise = question.asks.promise();
        let budget = budget.clone().with_time(TIME_FOR_FORMULA);
        let mut answer = ask(&question, None, &budget, &Silent);
        answer.property = format!("{}: {text}", system.name);
        let told = SystemAnswer {
            system: system.name.to_string(),
            answer: settle(answer, [], &[]),
            promise,
            more: Vec::new(),
            is_vacuous: false,
            is_internal: false,
        };
        let mut page = page::Page::default();
        finite::add(&mut page, self.sources, &told, &[], Vec::new());
        Ok(json!({ "answer": page.answers.first() }))
    }
}

/// What is possible in a state, in a fixed order.
fn ways(composition: &Composition, state: &SystemState) -> Vec<(ActionId, SystemState)> {
    let mut next = Vec::new();
    composition.successors(state, &mut next);
    next
}
