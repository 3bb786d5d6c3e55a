//! CTL formulas: read, decided level by level, shown with the run that proves it.

use super::passed_on::{self, PassedOn};
use super::{AnalyzeArgs, granularity};
use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::complain;
use crate::output;
use crate::progress::StatusLine;
use crate::shares::in_shares;
use base::render::{Colour, render};
use base::{Budget, Diagnostic, SourceMap};
use evidence::inputs::value as input_value;
use intervals::Analysis;
use intervals::Context;
use intervals::ctl::Names;
use intervals::ctl::{CtlSettings, Decision, ThreeValued, check as decide, objection};
use intervals::ctl::{Replayed, Witness, replay};
use intervals::{Domain, Settings};
use serde_json::{Value, json};
use spec::ctl::Property;
use std::fmt::Write;
use std::path::Path;
use verdict::Reason;

/// Reads and decides formulas.
pub fn check(
    text: &str,
    analysis: &Analysis<'_>,
    settings: &Settings,
    arguments: &AnalyzeArgs,
    common: &Common,
    budget: &Budget,
) -> Exit {
    let program = analysis.program();
    let (properties, sources) = match read(text) {
        Ok(read) => read,
        Err(message) => return complain(&message),
    };
    if let Some(only) = arguments.only.filter(|only| !(1..=properties.len()).contains(only)) {
        return complain(&format!("there is no formula {only}: there are {}", properties.len()));
    }
    let names = Names::of(program);
    for property in &properties {
        if let Some((why, span)) = objection(&property.formula, &names, program) {
            let diagnostic = Diagnostic::error("formula", span, why);
            return complain(&render(&diagnostic, &sources, Colour::Never));
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
    let is_open = |shown: &Shown| shown.exit == Exit::Undecided;
    let progress = StatusLine::new(common.quiet);
    let answered = in_shares(&asked, budget, is_open, |index, (number, property), share| {
        let shown = answer(*number, property, analysis, &context, ctl, &names, arguments, share, &progress);
        last_word.answered(index, shown.text.clone(), shown.result.clone(), shown.exit);
        Ok::<Shown, std::convert::Infallible>(shown)
    });
    let Ok(answers) = answered;
    drop(progress);
    last_word.withdraw();
    let worst = answers.iter().fold(Exit::Holds, |worst, shown| worse(worst, shown.exit));
    let text = match common.format {
        Format::Human => answers.iter().map(|shown| shown.text.as_str()).collect(),
        _ => {
            let results: Vec<&Value> = answers.iter().map(|shown| &shown.result).collect();
            format!("{:#}\n", json!({ "concord": 1, "verb": "analyze", "results": results }))
        }
    };
    output::finish(&text, worst)
}

/// The answer to one formula: for people, for machines, and how.
struct Shown {
    text: String,
    result: Value,
    exit: Exit,
}

#[allow(clippy::too_many_arguments, reason = "one call, one place; a struct would only repeat the names")]
fn answer(
    number: usize,
    property: &Property,
    analysis: &Analysis<'_>,
    context: &Context<'_>,
    ctl: CtlSettings,
    names: &Names,
    arguments: &AnalyzeArgs,
    budget: &Budget,
    progress: &StatusLine,
) -> Shown {
    let program = analysis.program();
    let decision = match decide(&property.formula, Some(analysis), context, ctl, budget) {
        Ok(decision) => decision,
        Err(exhausted) => {
            let formula = property.formula.to_string();
            let text = format!("UNDECIDED ({number}): {formula}\n  because: {exhausted}\n");
            let result = json!({ "property": formula, "verdict": "undecided", "reason": exhausted.to_string(),
                "engine": "intervals", "levels": [], "counterexample": null });
            return Shown { text, result, exit: Exit::Undecided };
        }
    };
    let replayed = decision.witness.as_ref().map(|witness| {
        let mut settings = concrete::Settings::default();
        settings.limits.budget = budget.clone();
        replay(program, witness, &settings)
    });
    // A run that the interpreter does not take is a mistake of ours: then nothing is claimed.
    let answer = match &replayed {
        Some(Replayed::Contradicted(_)) => ThreeValued::Maybe,
        _ => decision.answer,
    };
    let passed_on = (answer == ThreeValued::Maybe && !arguments.alone)
        .then(|| passed_on::ask(&property.formula, program, names, arguments, budget, progress));
    let answer = match &passed_on {
        Some(Ok(passed_on)) => passed_on.answer,
        _ => answer,
    };
    let (word, exit) = match answer {
        ThreeValued::Yes => ("holds", Exit::Holds),
        ThreeValued::No => ("violated", Exit::Violated),
        ThreeValued::Maybe => ("undecided", Exit::Undecided),
    };
    let told = Told {
        analysis,
        property,
        decision: &decision,
        replayed: replayed.as_ref(),
        passed_on: passed_on.as_ref(),
        word,
        arguments,
    };
    Shown { text: told.words(number), result: told.json(), exit }
}

/// The first of a list, for people.
fn some_of(inputs: &[String]) -> String {
    const MOST: usize = 30;
    match inputs.len() {
        0 => "none".into(),
        count if count > MOST => format!("{}, … ({} more)", inputs[..MOST].join(", "), count - MOST),
        _ => inputs.join(", "),
    }
}

fn worse(one: Exit, other: Exit) -> Exit {
    let weight = |exit: Exit| match exit {
        Exit::Violated => 2,
        Exit::Undecided => 1,
        _ => 0,
    };
    if weight(other) > weight(one) { other } else { one }
}

fn read(text: &str) -> Result<(Vec<Property>, SourceMap), String> {
    let file = Path::new(text);
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

struct Told<'a, 'p> {
    analysis: &'a Analysis<'p>,
    property: &'a Property,
    decision: &'a Decision,
    replayed: Option<&'a Replayed>,
    passed_on: Option<&'a Result<PassedOn, Reason>>,
    word: &'static str,
    arguments: &'a AnalyzeArgs,
}

impl Told<'_, '_> {
    fn place(&self, span: base::Span) -> String {
        self.analysis.program().sources.location(span).map_or("somewhere".into(), |place| place.to_string())
    }

    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.word != "undecided" {
            return reasons;
        }
        if let Some(Replayed::Contradicted(why)) = self.replayed {
            reasons.push(format!("the run that was found could not be confirmed: {why}"));
        }
        reasons.extend(
            self.decision.doubts.iter().map(|doubt| format!("{} at {}", doubt.why, self.place(doubt.span))),
        );
        if self.decision.is_cut {
            reasons.push(format!("more than {} states; try --most-states", self.arguments.most_states));
        }
        reasons.extend(
            self.decision
                .open
                .iter()
                .map(|&span| format!("the condition at {} stays open", self.place(span))),
        );
        match self.passed_on {
            Some(Ok(passed_on)) => reasons.push(format!("verification: {}", passed_on.how)),
            Some(Err(why)) => reasons.push(format!("it could not be passed on to verification: {why}")),
            None => {}
        }
        reasons
    }

    /// What verification decided, if it did.
    fn verified(&self) -> Option<&PassedOn> {
        self.passed_on?.as_ref().ok().filter(|passed_on| passed_on.answer != ThreeValued::Maybe)
    }

    fn verified_inputs(passed_on: &PassedOn) -> Vec<String> {
        let violation = passed_on.violation.as_ref();
        violation.map_or_else(Vec::new, |violation| violation.inputs.iter().map(input_value).collect())
    }

    fn words(&self, number: usize) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{} ({number}): {}", self.word.to_uppercase(), self.property.formula);
        for reason in self.reasons() {
            let _ = writeln!(text, "  because: {reason}");
        }
        if self.word != "undecided"
            && let Some(witness) = &self.decision.witness
        {
            self.run_words(witness, &mut text);
        }
        if let Some(passed_on) = self.verified() {
            match &passed_on.violation {
                Some(violation) => {
                    let inputs = Self::verified_inputs(passed_on);
                    let _ = writeln!(text, "  inputs: {}", some_of(&inputs));
                    let place = passed_on.program.sources.location(violation.span);
                    let place = place.map_or("the start".into(), |place| place.to_string());
                    let holds = if self.word == "holds" { "here it holds" } else { "here it does not hold" };
                    let _ = writeln!(text, "    {place}: {holds}");
                    text.push_str("  replayed: the interpreter gets there with these inputs\n");
                }
                None => {
                    let _ = writeln!(text, "  by {}: {}", passed_on.engine, passed_on.how);
                }
            }
        }
        for supposition in super::show::suppositions(self.analysis.program()) {
            let _ = writeln!(text, "  assumed: {supposition}");
        }
        if self.arguments.levels {
            for level in &self.decision.levels {
                let _ = writeln!(
                    text,
                    "  level {}: {:?}, {} states, {} ms",
                    level.name,
                    level.answer,
                    level.states,
                    level.time.as_millis()
                );
            }
            if let Some(Ok(passed_on)) = self.passed_on {
                let cost = passed_on.time.as_millis();
                let _ = writeln!(
                    text,
                    "  level verify ({}): {:?}, {cost} ms",
                    passed_on.engine, passed_on.answer
                );
            }
        }
        text
    }

    fn run_words(&self, witness: &Witness, text: &mut String) {
        let inputs: Vec<String> = witness.inputs.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  inputs: {}", some_of(&inputs));
        let program = self.analysis.program();
        let mut before: &[(String, String)] = &[];
        for (at, values) in &witness.states {
            // What a library function does is told where the program calls it.
            let is_users = |&(procedure, _): &(program::ProcedureId, program::EdgeId)| {
                program.procedures[procedure].origin == program::Origin::User
            };
            let last = witness.edges[..*at].iter().rev().copied().find(is_users);
            let place = last.map(|(procedure, edge)| {
                let body = program.procedures[procedure].body.as_ref().expect("it was run");
                (self.place(body.edges[edge].span), program.show().edge(&body.edges[edge]))
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
        match self.replayed {
            Some(Replayed::Confirmed) => {
                text.push_str("  replayed: the interpreter takes exactly this way\n")
            }
            Some(Replayed::NotPossible(why)) => {
                let _ = writeln!(text, "  proved by must-steps; not replayed: {why}");
            }
            _ => {}
        }
    }

    fn json(&self) -> Value {
        let witness = self.decision.witness.as_ref().filter(|_| self.word != "undecided");
        let mut levels: Vec<Value> = self
            .decision
            .levels
            .iter()
            .map(|level| {
                json!({
                    "name": level.name,
                    "answer": format!("{:?}", level.answer).to_lowercase(),
                    "states": level.states,
                    "milliseconds": level.time.as_millis() as u64,
                })
            })
            .collect();
        if let Some(Ok(passed_on)) = self.passed_on {
            levels.push(json!({
                "name": format!("verify ({})", passed_on.engine),
                "answer": format!("{:?}", passed_on.answer).to_lowercase(),
                "milliseconds": passed_on.time.as_millis() as u64,
            }));
        }
        let verified = self.verified().filter(|passed_on| passed_on.violation.is_some());
        json!({
            "property": self.property.formula.to_string(),
            "verdict": self.word,
            "reason": (self.word == "undecided").then(|| self.reasons().join("; ")),
            "engine": self.verified().map_or("intervals", |passed_on| passed_on.engine),
            "levels": levels,
            "counterexample": verified.map(|passed_on| json!({
                "inputs": Self::verified_inputs(passed_on),
                "replayed": true,
            })).or_else(|| witness.map(|witness| json!({
                "inputs": witness.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "states": witness.states.iter().map(|(_, values)| values.iter()
                    .map(|(name, value)| (name.clone(), Value::String(value.clone())))
                    .collect::<serde_json::Map<_, _>>()).collect::<Vec<_>>(),
                "repeats_from": witness.repeats_from,
                "shows": witness.shows,
                "replayed": matches!(self.replayed, Some(Replayed::Confirmed)),
            }))),
            "assumptions": std::iter::once("every read delivers a value")
                .chain(super::show::suppositions(self.analysis.program()))
                .collect::<Vec<_>>(),
        })
    }
}
