//! CTL formulas: read, decided level by level, shown with the run that proves it.

use super::passed_on::{self, PassedOn};
use super::{AnalyzeArgs, granularity};
use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::complain;
use crate::output;
use crate::progress::StatusLine;
use crate::settle::{Settled, settle};
use crate::shares::in_shares;
use base::render::{Colour, render};
use base::{Budget, Diagnostic, Event, EventSink, SourceMap};
use evidence::inputs::value as input_value;
use intervals::ctl::{CtlSettings, Decision, Names, Replayed, ThreeValued, Witness};
use intervals::ctl::{check as decide, objection, replay};
use intervals::{Analysis, Context, Domain, Settings};
use program::Program;
use question::{Answer, Counterexample, Verdict};
use serde_json::{Value, json};
use spec::ctl::{CtlFormula, Property};
use std::fmt::Write;
use std::time::Duration;
use verdict::{Certificate, Lasso, Path, Reason, StateView, Step, Undecided};

/// Reads and decides formulas.
pub fn check(
    text: &str,
    analysis: &Analysis<'_>,
    settings: &Settings,
    arguments: &AnalyzeArgs,
    common: &Common,
    budget: &Budget,
) -> Result<Exit, Exit> {
    let program = analysis.program();
    let (properties, sources) = read(text).map_err(|message| complain(&message))?;
    if let Some(only) = arguments.only.filter(|only| !(1..=properties.len()).contains(only)) {
        return Err(complain(&format!("there is no formula {only}: there are {}", properties.len())));
    }
    let names = Names::of(program);
    for property in &properties {
        if let Some((why, span)) = objection(&property.formula, &names, program) {
            let diagnostic = Diagnostic::error("formula", span, why.to_string());
            return Err(complain(&render(&diagnostic, &sources, Colour::Never)));
        }
    }
    // Relations would only make configurations differ; formulas are decided on values.
    let plain = Settings { domain: Domain::Intervals, ..settings.clone() };
    let context = Context::new(program, &plain, Default::default());
    let ctl = CtlSettings {
        granularity: granularity(arguments),
        missing: super::missing(arguments),
        most_states: arguments.most_states,
        ..CtlSettings::default()
    };
    let asked: Vec<(usize, &Property)> = (1..)
        .zip(&properties)
        .filter(|(number, _)| arguments.only.is_none_or(|only| only == *number))
        .collect();
    let last_word = &common.last_word;
    last_word.questions(asked.iter().map(|(_, property)| property.formula.to_string()));
    let is_open = |shown: &FormulaResult| shown.answer.verdict.is_undecided();
    let progress = StatusLine::new(common);
    let asks = Asks { analysis, context: &context, ctl, names: &names, arguments, events: &progress };
    let answered = in_shares(&asked, budget, is_open, |index, (number, property), share| {
        let shown = asks.answer(*number, property, share);
        last_word.answered(index, shown.text.clone(), shown.result.clone(), shown.answer.exit());
        Ok::<FormulaResult, std::convert::Infallible>(shown)
    });
    let Ok(answers) = answered;
    drop(progress);
    last_word.withdraw();
    let exit = Exit::of_answers(answers.iter().map(|shown| &*shown.answer));
    let text = match common.format {
        Format::Human => answers.into_iter().map(|shown| shown.text).collect(),
        _ => {
            let results = answers.into_iter().map(|shown| shown.result);
            evidence::json::document("analyze", results.collect())
        }
    };
    Ok(output::finish(&text, exit))
}

/// The answer to one formula: settled, for people, for machines.
struct FormulaResult {
    answer: Settled,
    text: String,
    result: Value,
}

/// Asks formulas about one program.
struct Asks<'a, 'p> {
    analysis: &'a Analysis<'p>,
    context: &'a Context<'p>,
    ctl: CtlSettings,
    names: &'a Names,
    arguments: &'a AnalyzeArgs,
    events: &'a StatusLine,
}

impl Asks<'_, '_> {
    fn answer(&self, number: usize, property: &Property, budget: &Budget) -> FormulaResult {
        let (program, formula) = (self.analysis.program(), &property.formula);
        self.events.emit(Event::PhaseStarted { phase: ENGINE, subject: formula.to_string() });
        let decided = decide(formula, Some(self.analysis), self.context, self.ctl, budget, self.events);
        self.events.emit(Event::PhaseEnded { phase: ENGINE });
        let decision = match decided {
            Ok(decision) => decision,
            Err(exhausted) => {
                let open = Undecided::because(exhausted.into());
                let answer = settle(Answer::new(formula.to_string(), ENGINE, open.into()), [], &[]);
                let text = format!("{} ({number}): {formula}\n  because: {exhausted}\n", answer.word());
                let mut result = answer.json();
                result.insert("levels".into(), json!([]));
                return FormulaResult { answer, text, result: result.into() };
            }
        };
        let replayed = decision.witness.as_ref().map(|witness| {
            let mut settings = concrete::Settings::default();
            settings.limits.budget = budget.clone();
            replay(program, witness, &settings)
        });
        // A run that the interpreter does not take is a mistake of ours: then nothing is claimed.
        let is_open =
            decision.answer == ThreeValued::Maybe || matches!(replayed, Some(Replayed::Contradicted(_)));
        let passed_on = (is_open && !self.arguments.alone)
            .then(|| passed_on::ask(formula, program, self.names, self.arguments, budget, self.events));
        let found = Found {
            asks: self,
            decision: &decision,
            replayed: replayed.as_ref(),
            passed_on: passed_on.as_ref(),
        };
        let answer = found.settled(formula, if is_open { ThreeValued::Maybe } else { decision.answer });
        let told = AnsweredFormula { found, answer: &answer };
        let (text, result) = (told.words(number), told.json());
        FormulaResult { answer, text, result }
    }
}

/// The engine that decides formulas, unless they are passed on.
const ENGINE: &str = "intervals";

/// The first of a list, for people.
fn some_of(inputs: &[String]) -> String {
    const MOST: usize = 30;
    match inputs.len() {
        0 => "none".into(),
        count if count > MOST => format!("{}, … ({} more)", inputs[..MOST].join(", "), count - MOST),
        _ => inputs.join(", "),
    }
}

fn read(text: &str) -> Result<(Vec<Property>, SourceMap), String> {
    let file = std::path::Path::new(text);
    let (name, text) = if file.is_file() {
        (text.to_string(), std::fs::read_to_string(file).map_err(|error| format!("{text}: {error}"))?)
    } else if text.ends_with(".ctl") {
        return Err(format!("{text}: there is no such file"));
    } else {
        ("<formula>".to_string(), text.to_string())
    };
    let mut sources = SourceMap::new();
    let base = sources.add(&name, text.as_str()).map_or(0, |id| sources.source(id).base());
    let (properties, diagnostics) = spec::ctl::parse(&text, base);
    if diagnostics.has_errors() {
        let all: Vec<String> = diagnostics.iter().map(|one| render(one, &sources, Colour::Never)).collect();
        return Err(all.join("\n"));
    }
    if properties.is_empty() {
        return Err(format!("{name}: there is no formula in it"));
    }
    Ok((properties, sources))
}

/// What was found out about a formula.
#[derive(Clone, Copy)]
struct Found<'a, 'p> {
    asks: &'a Asks<'a, 'p>,
    decision: &'a Decision,
    replayed: Option<&'a Replayed>,
    passed_on: Option<&'a Result<PassedOn, Reason>>,
}

impl<'a> Found<'a, '_> {
    fn program(&self) -> &Program {
        self.asks.analysis.program()
    }

    fn place(&self, span: base::Span) -> String {
        self.program().sources.location(span).map_or("somewhere".into(), |place| place.to_string())
    }

    /// Did the interpreter go another way than the run that was found?
    fn is_contradicted(&self) -> bool {
        matches!(self.replayed, Some(Replayed::Contradicted(_)))
    }

    /// The answer: that of the analysis, or else that of verification.
    fn settled(&self, formula: &CtlFormula, own: ThreeValued) -> Settled {
        let verified = self.verified();
        let verdict = match verified.map_or(own, |passed_on| passed_on.answer) {
            ThreeValued::Yes => Verdict::Holds(Certificate::Unrecorded),
            ThreeValued::No => match verified.and_then(|passed_on| passed_on.violation.clone()) {
                Some(violation) => violation.into(),
                None => self.counterexample(verified.is_some()).into(),
            },
            ThreeValued::Maybe => {
                Undecided::because(Reason::TooCoarse { what: self.reasons().join("; ") }).into()
            }
        };
        let engine = verified.map_or(ENGINE, |passed_on| passed_on.engine);
        let entry = super::show::suppositions(self.program()).into_iter();
        let assumed = std::iter::once(READS).chain(entry).map(str::to_owned);
        settle(Answer::new(formula.to_string(), engine, verdict), assumed, &[])
    }

    /// The run of the analysis that shows a No. Without one, the start itself is the counterexample: the
    /// formula is about all that can come after it, which no single run shows.
    fn counterexample(&self, is_verified: bool) -> Counterexample {
        let view = |values: &[(String, String)]| StateView {
            propositions: values.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
            ..StateView::default()
        };
        let Some(witness) = self.decision.witness.as_ref().filter(|_| !is_verified) else {
            let ends_because = "it does not hold at the start".to_owned();
            return Counterexample::Path(Path { ends_because, ..Path::default() });
        };
        let mut states = witness.states.iter().map(|(_, values)| view(values));
        let mut path = Path {
            start: states.next().unwrap_or_default(),
            ends_because: witness.shows.clone(),
            ..Path::default()
        };
        let step = |to| Step { action: "step".to_owned(), silent: false, lanes: Vec::new(), to };
        path.steps = states.map(step).collect();
        match witness.repeats_from.filter(|from| *from < path.steps.len()) {
            Some(from) => Counterexample::Lasso(Lasso { cycle: path.steps.split_off(from), stem: path }),
            None => Counterexample::Path(path),
        }
    }

    /// Why neither the analysis nor verification decided it.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some(Replayed::Contradicted(why)) = self.replayed {
            reasons.push(format!("the run that was found could not be confirmed: {why}"));
        }
        reasons.extend(
            self.decision.doubts.iter().map(|doubt| format!("{} at {}", doubt.why, self.place(doubt.span))),
        );
        if self.decision.is_cut {
            let most = self.asks.arguments.most_states;
            reasons.push(format!("more than {most} states; try --most-states"));
        }
        let open = self.decision.open.iter();
        reasons.extend(open.map(|&span| format!("the condition at {} stays open", self.place(span))));
        match self.passed_on {
            Some(Ok(passed_on)) => reasons.push(format!("verification: {}", passed_on.how)),
            Some(Err(why)) => reasons.push(format!("it could not be passed on to verification: {why}")),
            None => {}
        }
        reasons
    }

    /// What verification decided, if it did.
    fn verified(&self) -> Option<&'a PassedOn> {
        self.passed_on?.as_ref().ok().filter(|passed_on| passed_on.answer != ThreeValued::Maybe)
    }
}

/// What is known of a formula, with the answer that left the gate.
struct AnsweredFormula<'a, 'p> {
    found: Found<'a, 'p>,
    answer: &'a Settled,
}

impl AnsweredFormula<'_, '_> {
    fn verified_inputs(passed_on: &PassedOn) -> Vec<String> {
        let violation = passed_on.violation.as_ref();
        violation.map_or_else(Vec::new, |violation| violation.inputs.iter().map(input_value).collect())
    }

    fn words(&self, number: usize) -> String {
        let mut text = format!("{} ({number}): {}\n", self.answer.word(), self.answer.property);
        let found = &self.found;
        match self.witness() {
            Some(witness) => self.run_words(witness, &mut text),
            None if self.answer.verdict.is_undecided() => {
                for reason in found.reasons() {
                    let _ = writeln!(text, "  because: {reason}");
                }
            }
            None => {}
        }
        if let Some(passed_on) = found.verified() {
            match &passed_on.violation {
                Some(violation) => {
                    let inputs = Self::verified_inputs(passed_on);
                    let _ = writeln!(text, "  inputs: {}", some_of(&inputs));
                    let place = passed_on.program.sources.location(violation.span);
                    let place = place.map_or("the start".into(), |place| place.to_string());
                    let not = if self.answer.verdict.holds() { "it holds" } else { "it does not hold" };
                    let _ = writeln!(text, "    {place}: here {not}");
                    text.push_str("  replayed: the interpreter gets there with these inputs\n");
                }
                None => {
                    let _ = writeln!(text, "  by {}: {}", passed_on.engine, passed_on.how);
                }
            }
        }
        for supposition in super::show::suppositions(found.program()) {
            let _ = writeln!(text, "  assumed: {supposition}");
        }
        if found.asks.arguments.levels {
            for level in &found.decision.levels {
                let (name, answer, cost) = (&level.name, level.answer, level.time.as_millis());
                let _ = writeln!(text, "  level {name}: {answer:?}, {} states, {cost} ms", level.states);
            }
            if let Some(Ok(passed_on)) = found.passed_on {
                let (engine, answer, cost) = (passed_on.engine, passed_on.answer, passed_on.time.as_millis());
                let _ = writeln!(text, "  level verify ({engine}): {answer:?}, {cost} ms");
            }
        }
        text
    }

    /// The run of the analysis that shows the answer, if there is one.
    fn witness(&self) -> Option<&Witness> {
        let is_shown = !self.answer.verdict.is_undecided() && !self.found.is_contradicted();
        self.found.decision.witness.as_ref().filter(|_| is_shown)
    }

    fn run_words(&self, witness: &Witness, text: &mut String) {
        let inputs: Vec<String> = witness.inputs.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  inputs: {}", some_of(&inputs));
        let program = self.found.program();
        let mut before: &[(String, String)] = &[];
        for (at, values) in &witness.states {
            // What a library function does is told where the program calls it.
            let is_users = |&(procedure, _): &(program::ProcedureId, program::EdgeId)| {
                program.procedures[procedure].origin == program::Origin::User
            };
            let last = witness.edges[..*at].iter().rev().copied().find(is_users);
            let place = last.map(|(procedure, edge)| {
                let body = program.procedures[procedure].body.as_ref().expect("it was run");
                (self.found.place(body.edges[edge].span), program.show().edge(&body.edges[edge]))
            });
            let changed: Vec<String> = values
                .iter()
                .filter(|pair| !before.contains(pair))
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let changed =
                if changed.is_empty() { String::new() } else { format!("  [{}]", changed.join(", ")) };
            match place {
                Some((place, step)) => {
                    let _ = writeln!(text, "    {place}: {step}{changed}");
                }
                None => {
                    let _ = writeln!(text, "    start{changed}");
                }
            }
            before = values;
        }
        if let Some(from) = witness.repeats_from {
            let _ = writeln!(text, "    and again from state {from}, for ever");
        }
        let _ = writeln!(text, "    {}", witness.shows);
        match self.found.replayed {
            Some(Replayed::Confirmed) => {
                text.push_str("  replayed: the interpreter makes exactly this run\n")
            }
            Some(Replayed::NotPossible(why)) => {
                let _ = writeln!(text, "  proved by must-steps; not replayed: {why}");
            }
            _ => {}
        }
    }

    fn json(&self) -> Value {
        let found = &self.found;
        let level = |name: &str, answer: ThreeValued, time: Duration| {
            json!({ "name": name, "answer": format!("{answer:?}").to_lowercase(),
                "milliseconds": time.as_millis() as u64 })
        };
        let mut levels: Vec<Value> = Vec::new();
        for own in &found.decision.levels {
            let mut told = level(&own.name, own.answer, own.time);
            told["states"] = own.states.into();
            levels.push(told);
        }
        if let Some(Ok(passed_on)) = found.passed_on {
            levels.push(level(&format!("verify ({})", passed_on.engine), passed_on.answer, passed_on.time));
        }
        let verified = found.verified().filter(|passed_on| passed_on.violation.is_some());
        let counterexample = match (verified, self.witness()) {
            (Some(passed_on), _) => json!({ "inputs": Self::verified_inputs(passed_on), "replayed": true }),
            (None, Some(witness)) => {
                let state = |(_, values): &(usize, Vec<(String, String)>)| {
                    let values = values.iter().map(|(name, value)| (name.clone(), json!(value)));
                    Value::Object(values.collect())
                };
                json!({
                    "inputs": witness.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
                    "states": witness.states.iter().map(state).collect::<Vec<_>>(),
                    "repeats_from": witness.repeats_from,
                    "shows": witness.shows,
                    "replayed": found.replayed == Some(&Replayed::Confirmed),
                })
            }
            (None, None) => Value::Null,
        };
        let mut fields = self.answer.json();
        fields.insert("levels".into(), levels.into());
        fields.insert("counterexample".into(), counterexample);
        fields.into()
    }
}

/// What every formula supposes.
const READS: &str = "every read delivers a value";
