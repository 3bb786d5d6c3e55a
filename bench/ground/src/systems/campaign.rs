//! Many systems: questions with known answers, asked in several orders of the files.

use super::draw::System;
use super::meaning::{self, Formula};
use super::runs;
use crate::compare::general;
use crate::concord::Concord;
use crate::json::Json;
use crate::native::write_files;
use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What is run.
pub struct Settings {
    /// How many systems.
    pub systems: u64,
    /// The first seed.
    pub seed: u64,
    /// Who is asked.
    pub concord: Concord,
    /// Where wrong answers are kept.
    pub keep: PathBuf,
}

/// Systems that are compiled together.
const BATCH: u64 = 25;

/// Counts of a campaign.
#[derive(Default)]
pub struct Tally {
    /// By question, answer and truth.
    pub answers: BTreeMap<(String, String, bool), u64>,
    /// Why answers are undecided.
    pub reasons: BTreeMap<String, u64>,
    /// Why systems were not asked about.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Wrong answers, with their seeds.
    pub wrong: Vec<(u64, String)>,
}

impl Tally {
    /// The tables.
    pub fn show(&self) -> String {
        let mut text = String::from("question, answer, does it hold: times\n");
        for ((question, answer, truth), count) in &self.answers {
            let _ = writeln!(text, "  {question}, {answer}, {truth}: {count}");
        }
        let _ = writeln!(text, "undecided because:");
        let mut rows: Vec<_> = self.reasons.iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in rows.iter().take(30) {
            let _ = writeln!(text, "  {count:6} {reason}");
        }
        for (reason, count) in &self.skipped {
            let _ = writeln!(text, "not asked: {count} {reason}");
        }
        let _ = writeln!(text, "wrong answers: {}", self.wrong.len());
        for (seed, what) in self.wrong.iter().take(50) {
            let _ = writeln!(text, "  seed {seed}: {what}");
        }
        text
    }
}

struct ExpectedAnswer {
    name: &'static str,
    holds: bool,
}

/// Runs a campaign.
pub fn run(settings: &Settings, tell: &dyn Fn(String)) -> std::io::Result<Tally> {
    let mut tally = Tally::default();
    let directory = std::env::temp_dir().join(format!("bench-ground-check-{}", std::process::id()));
    let mut first = 0;
    while first < settings.systems {
        let seeds = (first..(first + BATCH).min(settings.systems)).map(|offset| settings.seed + offset);
        let systems: Vec<System> = seeds.map(System::draw).collect();
        first += BATCH;
        let _ = std::fs::remove_dir_all(&directory);
        let trees = runs::trees(&systems, &directory.join("compiled")).map_err(std::io::Error::other)?;
        for (system, trees) in systems.iter().zip(trees) {
            let before = tally.wrong.len();
            one(settings, system, trees, &directory.join("asked"), &mut tally)?;
            for (seed, what) in &tally.wrong[before..] {
                tell(format!("WRONG seed {seed}: {what}"));
            }
        }
        tell(format!("up to seed {}", settings.seed + first.min(settings.systems) - 1));
    }
    let _ = std::fs::remove_dir_all(&directory);
    Ok(tally)
}

fn is_other(one: &str, other: &str) -> bool {
    one != other && one != "undecided" && other != "undecided"
}

fn one(
    settings: &Settings,
    system: &System,
    trees: Option<Vec<runs::Tree>>,
    directory: &Path,
    tally: &mut Tally,
) -> std::io::Result<()> {
    let mut skip = |why| *tally.skipped.entry(why).or_default() += 1;
    let Some(trees) = trees else {
        skip("too many runs");
        return Ok(());
    };
    // A component has the events its code can reach as far as constants tell: only where what it names and never does
    // is no event of another's is it clear who takes part in what.
    let is_clear = system.components.iter().zip(&trees).enumerate().all(|(number, (component, tree))| {
        component.named.difference(&tree.alphabet).all(|event| {
            trees.iter().enumerate().all(|(other, tree)| other == number || !tree.alphabet.contains(event))
        })
    });
    if !is_clear {
        skip("events that are named and never happen");
        return Ok(());
    }
    let Some(meaning) = meaning::System::compose(&trees) else {
        skip("too many states");
        return Ok(());
    };
    let mut random = Random::new(system.seed ^ 0x0061_736b);
    let all: BTreeSet<String> = trees.iter().flat_map(|tree| tree.alphabet.iter().cloned()).collect();
    if all.is_empty() {
        skip("no events");
        return Ok(());
    }
    let names: Vec<String> = all.iter().cloned().collect();
    let mut alphabet = all.clone();
    if random.chance(30) {
        alphabet.remove(random.pick(&names));
    }
    let exact = meaning.process(&alphabet);
    let process = if random.chance(40) { exact.clone() } else { exact.changed(&mut random) };
    let formulas = [Formula::draw(&mut random, &names), Formula::draw(&mut random, &names)];
    let asked = [
        ExpectedAnswer { name: "conforms", holds: meaning.conforms(&process) },
        ExpectedAnswer { name: "formula0", holds: meaning.meets(&formulas[0]) },
        ExpectedAnswer { name: "formula1", holds: meaning.meets(&formulas[1]) },
        ExpectedAnswer { name: "no_deadlock", holds: !meaning.can_deadlock() },
    ];
    let procedures: Vec<&str> =
        system.components.iter().map(|component| component.procedure.as_str()).collect();
    let guards = vec!["1"; procedures.len()].join(", ");
    let spec = format!(
        "cprog system = {} {{\n    abstract conforms, {{{guards}}}, Spec;\n    formula formula0, {{{guards}}}, {};\n    \
         formula formula1, {{{guards}}}, {};\n    deadlock no_deadlock, {{{guards}}};\n}}\n{}",
        procedures.join(", "),
        formulas[0].text(),
        formulas[1].text(),
        process.text("Spec")
    );
    let mut files = system.files();
    files.push(("routines.spec".into(), system.routines.clone()));
    files.push(("system.spec".into(), spec));
    let _ = std::fs::remove_dir_all(directory);
    write_files(directory, &files)?;
    let mut sources: Vec<&str> =
        files.iter().map(|(name, _)| name.as_str()).filter(|name| !name.ends_with(".h")).collect();
    let mut orders = vec![sources.clone()];
    if sources.len() > 3 && random.chance(60) {
        sources.reverse();
        orders.push(sources.clone());
    }
    let conformance = if random.chance(50) { "trace" } else { "simulation" };
    let before = tally.wrong.len();
    let mut first_answers: Option<Vec<String>> = None;
    for order in &orders {
        let mut arguments = order.clone();
        arguments.extend(["--conformance", conformance]);
        let answer = settings.concord.ask("check", directory, &arguments)?;
        let mut answers = Vec::new();
        let results = answer.json.as_ref().and_then(|json| json.get("results")).map(Json::list);
        let Some(results) = results.filter(|_| matches!(answer.status, Some(0 | 1 | 3))) else {
            let is_told = |line: &&str| line.starts_with("error") || line.contains("panicked");
            let lines: Vec<&str> = answer.errors.lines().filter(is_told).take(6).collect();
            tally.wrong.push((system.seed, format!("exit status {:?}: {}", answer.status, lines.join("\n"))));
            break;
        };
        for question in &asked {
            let result = results.iter().find(|result| result.text_of("property").contains(question.name));
            let verdict = result.map_or("missing".to_string(), |result| result.text_of("verdict"));
            let kind = question.name.trim_end_matches(|c: char| c.is_ascii_digit());
            *tally.answers.entry((kind.into(), verdict.clone(), question.holds)).or_default() += 1;
            let is_wrong = match verdict.as_str() {
                "holds" => !question.holds,
                "violated" => question.holds,
                "undecided" => {
                    let reason = result.map(|result| result.text_of("reason")).unwrap_or_default();
                    *tally.reasons.entry(general(&reason)).or_default() += 1;
                    false
                }
                _ => true,
            };
            if is_wrong {
                let truth = if question.holds { "holds" } else { "does not" };
                let has = |component: &super::draw::Component| component.text.contains("_own;");
                let tables = if system.components.iter().any(has) {
                    ", with tables that are not constant"
                } else {
                    ""
                };
                tally
                    .wrong
                    .push((system.seed, format!("{} is {verdict}, but it {truth}{tables}", question.name)));
            }
            answers.push(verdict);
        }
        match &first_answers {
            // A limit may stop one and not the other.
            Some(first) if first.iter().zip(&answers).any(|(one, other)| is_other(one, other)) => {
                tally.wrong.push((system.seed, format!("{first:?}, in another order {answers:?}")));
            }
            _ => first_answers = Some(answers),
        }
    }
    if tally.wrong.len() > before {
        let place = settings.keep.join(format!("system-{}", system.seed));
        write_files(&place, &files)?;
        let mut report = String::new();
        for (_, what) in &tally.wrong[before..] {
            let _ = writeln!(report, "{what}");
        }
        let sources = orders[0].join(" ");
        let _ = writeln!(report, "\nconcord check {sources} --conformance {conformance}");
        std::fs::write(place.join("REPORT.txt"), report)?;
    }
    Ok(())
}
