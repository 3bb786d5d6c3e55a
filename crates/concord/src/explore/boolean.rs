//! Exploring Boolean programs: a walk is the list of choices made from the start on, as for models; the steps are those
//! of the explicit engine.

use super::{ExploreArgs, MOST_RANDOM, MOST_STEPS, chosen, numbers, replayed};
use crate::bool as boolean;
use crate::channel::{Output, Refused, at_terminal};
use crate::cli::Common;
use crate::exit::Exit;
use crate::progress::StatusLine;
use crate::report::finite;
use base::random::Random;
use base::{Budget, Diagnostics, Id, SourceMap};
use boolprog::Setup;
use boolprog::explicit::{State, Walk, Walker};
use boolprog::graph::Program;
use question::Counterexample;
use report::page::{self, Live, Propositions, Reading, Sources, of_counterexample};
use serde_json::{Value, json};

/// More states to start in are not offered.
const MOST_STARTS: usize = 64;

/// Reads the program and serves it.
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
    let file = &arguments.files[0];
    let (mut places, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    let threads = arguments.boolean_threads.map(|number| number as usize);
    let (program, setup) = boolean::to_walk(file, threads, &mut places, &mut diagnostics, output)?;
    let (mut page, sources) = finite::begin("explore", &[file], "");
    let name = file.display().to_string();
    page.live = Some(Live { kind: "bool", systems: vec![name] });
    page.sources = sources.clone().into_list();
    let html = page::to_html(&page);
    let walker = Walker::new(&program, &setup);
    let starts = walker.starts().map_err(|open| Refused::bad_input(open.to_string()))?;
    let explorer =
        Explorer { program: &program, setup: &setup, places: &places, sources: &sources, walker, starts };
    Ok(super::serve(arguments.port, html, budget, |name, body| match name {
        "walk" => explorer.walk(body),
        _ => Err(format!("a Boolean program cannot be asked for `{name}`")),
    }))
}

struct Explorer<'p> {
    program: &'p Program,
    setup: &'p Setup,
    places: &'p SourceMap,
    sources: &'p Sources,
    walker: Walker<'p>,
    starts: Vec<State>,
}

/// A step that can come next, for a button.
struct Offer {
    text: String,
    lane: u32,
    after: Walk,
}

impl Explorer<'_> {
    fn walk(&self, body: &Value) -> Result<Value, String> {
        let mut choices = numbers(body, "choices")?;
        let starts = &self.starts[..self.starts.len().min(MOST_STARTS)];
        let (first, rest) = match (starts.len(), choices.split_first()) {
            (0, _) => return Err("the program cannot start: it has no threads".to_owned()),
            (1, _) => (0, &choices[..]),
            (_, Some((&first, rest))) => (first, rest),
            (_, None) => return Ok(self.where_to_start(starts)),
        };
        let start = usize::try_from(first).ok().and_then(|at| starts.get(at));
        let mut walk = self.walker.begin(start.ok_or("no start has this number")?.clone());
        for &choice in rest {
            let mut next = self.walker.possible(&walk).map_err(|open| open.to_string())?;
            let at = usize::try_from(choice).ok().filter(|&at| at < next.len());
            walk.take(next.swap_remove(at.ok_or("no step has this number here")?));
        }
        for step in replayed(body)? {
            let mut offers = self.offers(&walk)?;
            let words: Vec<String> = offers.iter().map(|offer| offer.text.clone()).collect();
            let at = chosen(&step, &words)?;
            choices.push(at as u64);
            walk = offers.swap_remove(at).after;
        }
        let mut random = Random::new(body["seed"].as_u64().unwrap_or(1));
        for _ in 0..body["random"].as_u64().unwrap_or(0).min(MOST_RANDOM) {
            let mut next = self.walker.possible(&walk).map_err(|open| open.to_string())?;
            if next.is_empty() || choices.len() >= MOST_STEPS {
                break;
            }
            let at = random.below(next.len());
            choices.push(at as u64);
            walk.take(next.swap_remove(at));
        }
        self.shown(&walk, &choices)
    }

    fn where_to_start(&self, starts: &[State]) -> Value {
        let ways: Vec<Value> = starts
            .iter()
            .map(|state| {
                let path = self.walker.begin(state.clone()).path(self.program, self.places);
                json!({ "text": format!("start with {}", path.start.propositions.join(", ")) })
            })
            .collect();
        let says = match self.starts.len() > starts.len() {
            true => format!("{} of {} initial states are offered", starts.len(), self.starts.len()),
            false => String::new(),
        };
        json!({ "choices": [], "run": page::Run::default(), "ways": ways, "says": says })
    }

    /// What can come next, in words: who, what, and what changes by it where one statement can do several things.
    fn offers(&self, walk: &Walk) -> Result<Vec<Offer>, String> {
        let next = self.walker.possible(walk).map_err(|open| open.to_string())?;
        let offers = next.into_iter().map(|step| {
            let (fails, lane) = (step.fails(), step.thread.index() as u32);
            let mut after = walk.clone();
            after.take(step);
            let path = after.path(self.program, self.places);
            let last = path.steps.last().expect("a step was taken");
            let mut text = format!("{}: {}", path.lane_names[lane as usize], last.action);
            if fails {
                text.push_str(" (fails)");
            } else if !last.to.propositions.is_empty() {
                text.push_str(&format!(" [{}]", last.to.propositions.join("; ")));
            }
            // A comma separates the steps of a walk that is typed in.
            Offer { text: text.replace(',', ";"), lane, after }
        });
        Ok(offers.collect())
    }

    fn shown(&self, walk: &Walk, choices: &[u64]) -> Result<Value, String> {
        let offers = self.offers(walk)?;
        let says = match (walk.has_failed(), offers.is_empty(), walk.running()) {
            (true, ..) => "a violation: this step fails".to_owned(),
            (_, true, 0) => "all threads have ended".to_owned(),
            (_, true, _) => "no thread can go on from here".to_owned(),
            _ => self.room(walk),
        };
        let ways: Vec<Value> = offers
            .iter()
            .map(|offer| json!({ "text": offer.text, "silent": false, "lanes": [offer.lane] }))
            .collect();
        let mut answer = page::Answer::default();
        let reading = Reading { sources: self.sources, propositions: Propositions::OnlyChanges };
        let path = walk.path(self.program, self.places);
        of_counterexample(&mut answer, &Counterexample::Path(path), reading);
        Ok(json!({ "choices": choices, "run": answer.runs.first(), "ways": ways, "says": says }))
    }

    /// Says so where starting a thread does nothing any more.
    fn room(&self, walk: &Walk) -> String {
        match self.setup.may_start_thread(walk.running()) || !self.program.has_threads() {
            true => String::new(),
            false => format!(
                "{} threads run, which are the most: starting another one does nothing",
                walk.running()
            ),
        }
    }
}
