//! Many programs: batches, results, tables, wrong answers kept and made smaller.

use crate::compare::{Evidence, Outcome, Question, Wrong};
use crate::concord::Concord;
use crate::native::{self, Executable, write_files};
use crate::program::{Program, Reader};
use crate::truth::{self, Truth};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is run.
#[derive(Debug)]
pub struct Settings {
    /// How many programs.
    pub programs: u64,
    /// The first seed.
    pub seed: u64,
    /// Who is asked.
    pub concord: Concord,
    /// So many batches at once.
    pub jobs: usize,
    /// A line per program; those in it are not run again.
    pub results: Option<PathBuf>,
    /// Where wrong answers are kept.
    pub keep: PathBuf,
    /// Only features whose name contains this.
    pub only: String,
    /// How often each kind of wrong answer was seen.
    pub seen: Mutex<BTreeMap<String, usize>>,
}

/// Programs that are compiled together.
const BATCH: u64 = 25;

/// So many of each kind of wrong answer are made smaller.
const MOST_SMALLER: usize = 3;

/// How many trials making one program smaller may take.
const MOST_TRIALS: usize = 60;

/// Counts of a campaign.
#[derive(Default)]
pub struct Tally {
    /// By verdict and truth.
    pub verdicts: BTreeMap<(String, String), u64>,
    /// Why answers are undecided.
    pub reasons: BTreeMap<String, u64>,
    /// Violated checks beside real failures.
    pub violations: BTreeMap<String, u64>,
    /// Wrong answers by kind, with the first seeds.
    pub wrong: BTreeMap<String, Vec<u64>>,
    /// Undecided programs by feature, and all.
    pub features: BTreeMap<&'static str, (u64, u64)>,
}

impl Tally {
    fn add(&mut self, program: &Program, outcome: &Outcome) {
        *self.verdicts.entry((outcome.verdict.clone(), outcome.truth.clone())).or_default() += 1;
        match outcome.verdict.as_str() {
            "undecided" => *self.reasons.entry(outcome.note.clone()).or_default() += 1,
            "violated" => *self.violations.entry(outcome.note.clone()).or_default() += 1,
            _ => {}
        }
        for piece in &program.pieces {
            let (undecided, all) = self.features.entry(piece.name).or_default();
            *undecided += u64::from(outcome.verdict == "undecided");
            *all += 1;
        }
        for wrong in &outcome.wrong {
            self.wrong.entry(wrong.kind.clone()).or_default().push(program.seed);
        }
    }

    /// The tables.
    pub fn show(&self) -> String {
        let mut text = String::from("verdict, truth: programs\n");
        for ((verdict, truth), count) in &self.verdicts {
            let _ = writeln!(text, "  {verdict}, {truth}: {count}");
        }
        let table = |text: &mut String, title: &str, counts: &BTreeMap<String, u64>| {
            let _ = writeln!(text, "{title}");
            let mut rows: Vec<_> = counts.iter().collect();
            rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (name, count) in rows.iter().take(40) {
                let _ = writeln!(text, "  {count:6} {name}");
            }
        };
        table(&mut text, "violated check / real failure:", &self.violations);
        table(&mut text, "undecided because:", &self.reasons);
        let _ = writeln!(text, "undecided of all, by feature:");
        for (name, (undecided, all)) in &self.features {
            let _ = writeln!(text, "  {undecided:6} of {all:6} {name}");
        }
        let _ = writeln!(text, "wrong answers: {}", self.wrong.values().map(Vec::len).sum::<usize>());
        for (kind, seeds) in &self.wrong {
            let first: Vec<String> = seeds.iter().take(8).map(u64::to_string).collect();
            let _ = writeln!(text, "  {:6} {kind} (seeds {})", seeds.len(), first.join(" "));
        }
        text
    }
}

/// Runs a campaign. `tell` gets a line for each wrong answer and each batch.
pub fn run(settings: &Settings, tell: &(dyn Fn(String) + Sync)) -> std::io::Result<Tally> {
    let done = match &settings.results {
        Some(path) if path.exists() => std::fs::read_to_string(path)?
            .lines()
            .filter_map(|line| line.split('\t').next()?.parse::<u64>().ok())
            .collect(),
        _ => BTreeSet::new(),
    };
    let results = match &settings.results {
        Some(path) => Some(Mutex::new(std::fs::OpenOptions::new().create(true).append(true).open(path)?)),
        None => None,
    };
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(0);
    let trouble = Mutex::new(None);
    let work = |job: usize| {
        let directory = std::env::temp_dir().join(format!("bench-ground-{}-{job}", std::process::id()));
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= settings.programs {
                break;
            }
            let seeds = (first..(first + BATCH).min(settings.programs)).map(|offset| settings.seed + offset);
            let programs: Vec<Program> = seeds
                .filter(|seed| !done.contains(seed))
                .map(|seed| Program::draw(seed, &settings.only))
                .collect();
            for answered in batch(settings, &programs, &directory) {
                match answered {
                    Ok((program, outcome)) => {
                        for wrong in &outcome.wrong {
                            tell(format!("WRONG seed {}: {}: {}", program.seed, wrong.kind, wrong.detail));
                        }
                        if let Some(file) = &results {
                            let kinds: Vec<&str> =
                                outcome.wrong.iter().map(|wrong| wrong.kind.as_str()).collect();
                            let line = format!(
                                "{}\t{}\t{}\t{}\t{}\n",
                                program.seed,
                                outcome.verdict,
                                outcome.truth,
                                outcome.note.replace(['\n', '\t'], " "),
                                kinds.join("; ")
                            );
                            let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                            let _ = file.write_all(line.as_bytes());
                        }
                        tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).add(program, &outcome);
                    }
                    Err(error) => {
                        trouble.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
                    }
                }
            }
            tell(format!("up to seed {}", settings.seed + (first + BATCH).min(settings.programs) - 1));
        }
        let _ = std::fs::remove_dir_all(&directory);
    };
    std::thread::scope(|scope| {
        for job in 0..settings.jobs.max(1) {
            scope.spawn(move || work(job));
        }
    });
    match trouble.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None => Ok(tally.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())),
    }
}

/// Compiles together what can be, and asks about each.
fn batch<'a>(
    settings: &Settings,
    programs: &'a [Program],
    directory: &Path,
) -> Vec<std::io::Result<(&'a Program, Outcome)>> {
    let together: Vec<&Program> = programs.iter().filter(|program| !program.is_alone()).collect();
    let mut groups: Vec<Vec<&Program>> =
        programs.iter().filter(|program| program.is_alone()).map(|program| vec![program]).collect();
    let mut answers = Vec::new();
    if !together.is_empty() {
        match known(&together, directory) {
            Ok((executable, truths)) => {
                for (program, truth) in together.iter().zip(truths) {
                    answers.push(
                        judge(settings, program, &truth, &executable, directory).map(|o| (*program, o)),
                    );
                }
            }
            // One program that gcc does not take must not hide the others.
            Err(_) => groups.extend(together.into_iter().map(|program| vec![program])),
        }
    }
    for group in groups {
        let program = group[0];
        answers.push(match known(&group, directory) {
            Ok((executable, truths)) => {
                judge(settings, program, &truths[0], &executable, directory).map(|outcome| (program, outcome))
            }
            Err(refused) => Ok((program, refused_by_gcc(&refused))),
        });
    }
    answers
}

fn refused_by_gcc(refused: &native::Refused) -> Outcome {
    let text: Vec<&str> = refused
        .0
        .lines()
        .filter(|line| line.contains("error") || line.contains("undefined"))
        .take(2)
        .collect();
    Outcome {
        verdict: "not compiled".into(),
        note: text.join(" "),
        wrong: vec![Wrong { kind: "gcc refuses".into(), detail: text.join("\n") }],
        ..Outcome::default()
    }
}

fn known(programs: &[&Program], directory: &Path) -> Result<(Executable, Vec<Truth>), native::Refused> {
    let _ = std::fs::remove_dir_all(directory);
    let executable = native::build(programs, &directory.join("compiled"))?;
    let truths = truth::find(programs, &executable)?;
    Ok((executable, truths))
}

/// Asks about one program; wrong answers are made smaller and kept.
fn judge(
    settings: &Settings,
    program: &Program,
    truth: &Truth,
    executable: &Executable,
    directory: &Path,
) -> std::io::Result<Outcome> {
    let outcome = ask(settings, program, truth, executable, directory)?;
    for wrong in &outcome.wrong {
        let is_first = {
            let mut seen = settings.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let count = seen.entry(wrong.kind.clone()).or_default();
            *count += 1;
            *count <= MOST_SMALLER
        };
        let smaller =
            if is_first { smaller(settings, program, &wrong.kind, &directory.join("smaller")) } else { None };
        keep(settings, program, smaller.as_ref().unwrap_or(program), truth, wrong)?;
    }
    Ok(outcome)
}

/// The engine that is asked. With `auto` the first answer counts, which hides what the other engines would have said, so every
/// second program is given to one of them alone.
fn engine(seed: u64) -> &'static str {
    match seed % 8 {
        1 | 5 => "bmc",
        3 => "k-induction",
        7 => ["pdr", "predicates", "intervals", "testing"][(seed / 8 % 4) as usize],
        _ => "auto",
    }
}

fn ask(
    settings: &Settings,
    program: &Program,
    truth: &Truth,
    executable: &Executable,
    directory: &Path,
) -> std::io::Result<Outcome> {
    if truth.has_endless_run() {
        return Ok(Outcome { verdict: "endless".into(), ..Outcome::default() });
    }
    let place = directory.join(format!("asked{}", program.seed));
    write_files(&place, &program.files(Reader::Concord(&truth.claims)))?;
    let question = Question { concord: &settings.concord, program, truth, executable, directory: &place };
    // Where the inputs do not decide everything, the harness is all there is to compare a violation with.
    let evidence = Evidence {
        harness: program.seed.is_multiple_of(10) || !program.is_closed(),
        audit: program.seed.is_multiple_of(20),
    };
    let engine = engine(program.seed);
    let mut outcome = question.verify(engine, evidence)?;
    if engine != "auto" {
        // Which engine was wrong is part of what is wrong.
        outcome.wrong.iter_mut().for_each(|wrong| wrong.kind = format!("{} ({engine})", wrong.kind));
        outcome.note = format!("{} ({engine})", outcome.note);
    }
    outcome.wrong.extend(question.analyze()?);
    std::fs::remove_dir_all(&place)?;
    Ok(outcome)
}

/// The program without pieces and statements that the wrong answer does not need.
fn smaller(settings: &Settings, program: &Program, kind: &str, directory: &Path) -> Option<Program> {
    let is_still_wrong = |candidate: &Program| {
        let Ok((executable, truths)) = known(&[candidate], directory) else { return kind == "gcc refuses" };
        ask(settings, candidate, &truths[0], &executable, directory)
            .is_ok_and(|outcome| outcome.wrong.iter().any(|wrong| wrong.kind == kind))
    };
    let mut trials = 0;
    let mut best: Option<Program> = None;
    let mut at = 0;
    while best.as_ref().unwrap_or(program).pieces.len() > 1
        && at < best.as_ref().unwrap_or(program).pieces.len()
        && trials < MOST_TRIALS
    {
        trials += 1;
        let candidate = best.as_ref().unwrap_or(program).without(at);
        if is_still_wrong(&candidate) {
            best = Some(candidate);
        } else {
            at += 1;
        }
    }
    for piece in 0..best.as_ref().unwrap_or(program).pieces.len() {
        let mut line = best.as_ref().unwrap_or(program).pieces[piece].body.len();
        while line > 0 && trials < MOST_TRIALS {
            line -= 1;
            trials += 1;
            let mut candidate = best.as_ref().unwrap_or(program).clone();
            candidate.pieces[piece].body.remove(line);
            // What a line admits goes with it.
            if line > 0 && candidate.pieces[piece].body[line - 1].starts_with('‹') {
                line -= 1;
                candidate.pieces[piece].body.remove(line);
            }
            if is_still_wrong(&candidate) {
                best = Some(candidate);
            }
        }
    }
    best
}

fn keep(
    settings: &Settings,
    program: &Program,
    smaller: &Program,
    truth: &Truth,
    wrong: &Wrong,
) -> std::io::Result<()> {
    let word: String = wrong.kind.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let place = settings.keep.join(format!("{}-{word}", program.seed));
    let _ = std::fs::remove_dir_all(&place);
    let files = program.files(Reader::Concord(&truth.claims));
    write_files(&place, &files)?;
    let scratch =
        std::env::temp_dir().join(format!("bench-ground-keep-{}-{}", std::process::id(), program.seed));
    if let Ok((_, truths)) = known(&[smaller], &scratch) {
        write_files(&place.join("smaller"), &smaller.files(Reader::Concord(&truths[0].claims)))?;
    }
    let _ = std::fs::remove_dir_all(&scratch);
    let sources: Vec<&str> =
        files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(".c")).collect();
    let sources = sources.join(" ");
    let seconds = settings.concord.seconds;
    let report = format!(
        "{}\n{}\n\nconcord verify {sources} --checks all --engine {} --time-limit {seconds}s\n\
         concord analyze {sources} --time-limit {seconds}s\n\
         bench-ground verify --programs 1 --seed {}\n",
        wrong.kind,
        wrong.detail,
        engine(program.seed),
        program.seed
    );
    std::fs::write(place.join("REPORT.txt"), report)
}
