//! `concord prove`: all questions of a project, like a test runner: what is known to be as it was is not asked again.
//!
//! Reading order: this file (arguments, the way through) → `grammar` (which keys a project file has) → `content` (what an answer rests on) →
//! `asked` (one question) → `show` (what came of them) → `past` (times and memory) → `init` (a first project file).

mod asked;
mod content;
mod grammar;
mod init;
mod past;
mod show;

pub use init::{InitArgs, init};

use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::{complain, tell, wrong_use};
use crate::output;
use asked::{Asker, Outcome};
use base::Budget;
use base::render::render;
use clap::Args;
use show::Results;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use store::history::{self, Line};
use store::{Answers, Memory, Opened, Project, Question};

/// The name of a project file.
const FILE: &str = "concord.toml";
/// Where a project's memory is, beside its file.
const FOLDER: &str = ".concord";

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord init                          write a first concord.toml from what is found here
  concord prove                         answer all questions that are not known to hold
  concord prove server --explain        those with `server` in their names, and why each was asked or not
  concord prove --jobs 4 --junit r.xml  four at once, and results for services that show tests
  concord prove --format sarif          findings for tools that show them
  concord prove --again                 ask all of them anew
  concord prove --compare               what became slower

Exit status: 0 all is as expected, 1 something is not, 3 something is undecided, 4 bad input.";

/// Arguments of `prove`.
#[derive(Clone, Debug, Args)]
pub struct ProveArgs {
    /// Only questions whose names contain one of these
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The project file, or its directory [default: concord.toml here or above]
    #[arg(long, value_name = "PATH")]
    pub project: Option<PathBuf>,
    /// Work on so many questions at once [default: as many as there are processors]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,
    /// Say of each question why it was asked again, or was not
    #[arg(long)]
    pub explain: bool,
    /// Ask all of them, whatever is remembered
    #[arg(long)]
    pub again: bool,
    /// Neither remember anything nor recall it
    #[arg(long)]
    pub no_memory: bool,
    /// Write the results for services that show tests (JUnit's XML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Only list the questions
    #[arg(long, conflicts_with_all = ["stats", "compare"])]
    pub list: bool,
    /// Only show how long each question took, and how much memory
    #[arg(long, conflicts_with = "compare")]
    pub stats: bool,
    /// Only show which questions became slower or faster
    #[arg(long)]
    pub compare: bool,
}

/// Answers the questions of a project.
pub fn prove(arguments: &ProveArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let started = Instant::now();
    if common.data_model.is_some() || common.compile_commands.is_some() || !common.flags.is_empty() {
        return Err(wrong_use(
            "options for reading C belong into the project file, in [defaults] for all questions",
        ));
    }
    let file = project_file(arguments.project.as_deref()).map_err(|message| complain(&message))?;
    let mut questions = questions_of(&file, common)?;
    select(&mut questions, &arguments.names)?;
    limit(&mut questions, common);
    // Files of the project are named from where it is.
    let junit = match &arguments.junit {
        Some(file) => Some(std::path::absolute(file).map_err(|error| complain(&error.to_string()))?),
        None => None,
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::env::set_current_dir(folder)
        .map_err(|error| complain(&format!("{}: cannot be entered: {error}", folder.display())))?;
    let past = Path::new(FOLDER).join("history");
    if arguments.list {
        let names: String = questions.iter().map(|question| format!("{}\n", question.name)).collect();
        return Ok(output::finish(&names, Exit::Holds));
    }
    if arguments.stats || arguments.compare {
        let known = history::read(&past);
        let text =
            if arguments.stats { past::stats(&questions, &known) } else { past::compare(&questions, &known) };
        return Ok(output::finish(&text, Exit::Holds));
    }
    let (answers, handed) = opened(arguments, common);
    let own = content::own_hash()
        .map_err(|why| complain(&format!("the program file of Concord cannot be read: {why}")))?;
    let again = arguments.again;
    let asker = Asker { answers: &answers, own: &own, again, folder: &handed, stop: budget.cancellation() };
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let outcomes = all(&asker, &questions, jobs, &mut |done, question, outcome| {
        if !common.quiet && !outcome.is_remembered {
            tell(&format!("[{done}/{}] {}: {}\n", questions.len(), question.name, outcome.ended.word()));
        }
        if let Some(why) = outcome.unremembered.as_ref().filter(|_| !common.quiet) {
            tell(&format!("warning: the answer to `{}` is not remembered: {why}\n", question.name));
        }
        if !outcome.is_remembered && !arguments.no_memory {
            let (ended, seconds, bytes) = (outcome.ended.word().to_owned(), outcome.seconds, outcome.bytes);
            let line = Line { when: asked::now(), question: question.name.clone(), ended, seconds, bytes };
            // A lost line is one measurement less.
            let _ = history::add(&past, &line);
        }
    });
    let _ = std::fs::remove_dir_all(&handed);
    let answered = questions.iter().zip(outcomes);
    let all: Vec<_> = answered.filter_map(|(question, outcome)| Some((question, outcome?))).collect();
    let left = questions.len() - all.len();
    let results = Results { all, left, seconds: started.elapsed().as_secs_f64() };
    let written = junit.map_or(Ok(()), |file| output::write_file(&file, &results.junit()));
    let text = match common.format {
        Format::Human => results.table(arguments.explain),
        Format::Json => results.json(),
        Format::Sarif => results.sarif(),
    };
    let text = output::Look::wanted(common).with_details().of(&text);
    Ok(output::finish(&text, written.err().unwrap_or(results.exit())))
}

/// The project file that is meant.
fn project_file(given: Option<&Path>) -> Result<PathBuf, String> {
    match given {
        Some(path) if path.is_dir() => Ok(path.join(FILE)),
        Some(path) => Ok(path.to_owned()),
        None => {
            let here = std::env::current_dir().map_err(|error| error.to_string())?;
            let found = here.ancestors().map(|folder| folder.join(FILE)).find(|file| file.is_file());
            found
                .ok_or_else(|| format!("there is no {FILE} here or above; `concord init` writes a first one"))
        }
    }
}

/// The questions of a project file; what is wrong with it has been said when there are none.
fn questions_of(file: &Path, common: &Common) -> Result<Vec<Question>, Exit> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|error| complain(&format!("{name}: cannot be read: {error}")))?;
    match Project::read(&name, &text, &grammar::grammar()) {
        Ok((project, sources)) => {
            // An option that no command line would take is wrong here, with a place, and not in each process.
            let mut errors = 0;
            for question in &project.questions {
                if let Err(error) = crate::cli::of_words(&question.arguments()) {
                    let rendered = error.to_string();
                    let message =
                        rendered.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
                    let wrong = base::Diagnostic::error("wrong-value", question.at, message);
                    tell(&format!("{}\n", render(&wrong, &sources, common.colour())));
                    errors += 1;
                }
            }
            match (errors, project.questions.is_empty()) {
                (0, false) => Ok(project.questions),
                (0, true) => Err(complain(&format!("{name}: it has no [[question]]"))),
                _ => Err(Exit::BadInput),
            }
        }
        Err(wrong) => {
            for diagnostic in wrong.diagnostics.iter() {
                tell(&format!("{}\n", render(diagnostic, &wrong.sources, common.colour())));
            }
            Err(Exit::BadInput)
        }
    }
}

/// Leaves the questions that are meant.
fn select(questions: &mut Vec<Question>, names: &[String]) -> Result<(), Exit> {
    if names.is_empty() {
        return Ok(());
    }
    let known: Vec<String> = questions.iter().map(|question| question.name.clone()).collect();
    for name in names {
        if !known.iter().any(|known| known.contains(name.as_str())) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let close = lower::entry::closest(name, &known);
            let hint = close.map_or_else(String::new, |close| format!("; did you mean `{close}`?"));
            return Err(wrong_use(&format!("no question has `{name}` in its name{hint}")));
        }
    }
    questions.retain(|question| names.iter().any(|name| question.name.contains(name.as_str())));
    Ok(())
}

/// Limits of the command line count for each question, in place of those of the file.
fn limit(questions: &mut [Question], common: &Common) {
    let time = common.time_limit.map(|time| ("time-limit", format!("{}ms", time.as_millis())));
    let memory = common.memory_limit.map(|bytes| ("memory-limit", bytes.to_string()));
    for (name, value) in time.into_iter().chain(memory) {
        for question in questions.iter_mut() {
            question.options.retain(|(known, _)| known != name);
            question.options.push((name.to_owned(), vec![format!("--{name}={value}")]));
        }
    }
}

/// The memory of the project, and a folder for what processes are handed.
fn opened(arguments: &ProveArgs, common: &Common) -> (Answers, PathBuf) {
    let temporary = || std::env::temp_dir().join(format!("concord-prove-{}", std::process::id()));
    let folder = Path::new(FOLDER);
    let (memory, opened) = match arguments.no_memory {
        true => (Memory::none(), Opened::New),
        false => Memory::open(folder),
    };
    let warn = |text: String| {
        if !common.quiet {
            tell(&format!("warning: {text}\n"));
        }
    };
    let mut handed = temporary();
    match opened {
        Opened::Without(why) => warn(format!("nothing is remembered in this run: {why}")),
        Opened::BegunAnew(why) => {
            warn(format!("{why}: nothing of it is believed, and all questions are asked again"))
        }
        Opened::New | Opened::Known if arguments.no_memory => {}
        Opened::New | Opened::Known => {
            // What a run left that was killed. No other has the memory now.
            let left = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in left.filter(|entry| entry.file_name().to_string_lossy().starts_with("run-")) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
            let ignore = folder.join(".gitignore");
            if !ignore.exists() {
                // It is this machine's, like a build.
                let _ = std::fs::write(ignore, "*\n");
            }
            handed = folder.join(format!("run-{}", std::process::id()));
        }
    }
    // Without it nothing is handed on, and answers take longer.
    let _ = std::fs::create_dir_all(&handed);
    (Answers::in_memory(memory), handed)
}

/// Asks all questions, some at once; what was not come to when the user stopped the work is left open.
fn all(
    asker: &Asker<'_>,
    questions: &[Question],
    jobs: usize,
    told: &mut dyn FnMut(usize, &Question, &Outcome),
) -> Vec<Option<Outcome>> {
    let queue = Mutex::new((0..questions.len()).collect::<VecDeque<_>>());
    let (sender, receiver) = channel();
    let mut outcomes: Vec<Option<Outcome>> = questions.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, questions.len().max(1)) {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                while !asker.stop.load(Ordering::Relaxed) {
                    let next = queue.lock().ok().and_then(|mut queue| queue.pop_front());
                    let Some(number) = next else { return };
                    if sender.send((number, asker.ask(number, &questions[number]))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut done = 0;
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok((number, outcome)) => {
                    // What was interrupted is to be asked again.
                    if !outcome.is_interrupted {
                        done += 1;
                        told(done, &questions[number], &outcome);
                        outcomes[number] = Some(outcome);
                    }
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    outcomes
}
