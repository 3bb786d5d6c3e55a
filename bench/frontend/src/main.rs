//! The command line of the front end's test tools. See `bench/README.md`.
#![allow(clippy::print_stdout, clippy::print_stderr)] // this is a command line

use bench_frontend::differences::{self, Own, Source};
use bench_frontend::generate::{self, Model};
use bench_frontend::ours::{self, Read, Reading};
use bench_frontend::worker::{self, Stage};
use bench_frontend::{corpus, csmith, fuzz, manifest, native, speed};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(name = "bench-frontend", about = "Test tools of Concord's front end")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModelArgument {
    Lp64,
    Ilp32,
}

impl From<ModelArgument> for Model {
    fn from(argument: ModelArgument) -> Model {
        match argument {
            ModelArgument::Lp64 => Model::Lp64,
            ModelArgument::Ilp32 => Model::Ilp32,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum FuzzTarget {
    Parse,
    Lower,
    Print,
}

#[derive(Subcommand)]
enum Command {
    /// Compares runs of many random programs with gcc.
    Deep {
        /// How many programs of csmith.
        #[arg(long, default_value_t = 0)]
        csmith: u64,
        /// How many programs of our own generator.
        #[arg(long, default_value_t = 0)]
        own: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// The data model.
        #[arg(long, value_enum, default_value = "lp64")]
        model: ModelArgument,
        /// Seconds spent on making a difference smaller.
        #[arg(long, default_value_t = 60)]
        minimise: u64,
    },
    /// Prints the program of a seed.
    Generate {
        /// The seed.
        seed: u64,
        /// The data model.
        #[arg(long, value_enum, default_value = "lp64")]
        model: ModelArgument,
    },
    /// Compares runs of the given C files with gcc.
    Compare {
        /// `.c` or `.i` files.
        files: Vec<PathBuf>,
        /// The data model.
        #[arg(long, value_enum, default_value = "lp64")]
        model: ModelArgument,
        /// Arguments for the preprocessor, such as `-I…`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Reads every C file of the benchmark set that gcc accepts.
    Corpus {
        /// Take every n-th file only.
        #[arg(long, default_value_t = 1)]
        every: usize,
        /// List the flagged constructs too.
        #[arg(long)]
        flags: bool,
    },
    /// Measures reading beside `gcc -fsyntax-only` on the largest files of the benchmark set.
    Speed {
        /// How many files.
        #[arg(long, default_value_t = 10)]
        files: usize,
        /// How often each is measured.
        #[arg(long, default_value_t = 9)]
        rounds: usize,
    },
    /// Looks for panics, crashes and hangs on mutated input.
    Fuzz {
        /// How far inputs are taken.
        #[arg(value_enum)]
        target: FuzzTarget,
        /// For how long.
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// Which inputs.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Prints the normalised program of a file as C.
    Print {
        /// A `.c` or `.i` file.
        file: PathBuf,
        /// The data model.
        #[arg(long, value_enum, default_value = "lp64")]
        model: ModelArgument,
    },
    /// Parses, analyses and lowers one file.
    Read {
        /// A `.c` or `.i` file.
        file: PathBuf,
        /// The data model.
        #[arg(long, value_enum, default_value = "lp64")]
        model: ModelArgument,
    },
    #[command(hide = true)]
    Worker,
    #[command(hide = true)]
    Cost {
        #[arg(last = true)]
        command: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Deep { csmith, own, first, model, minimise } => {
            deep(csmith, own, first, model.into(), Duration::from_secs(minimise))
        }
        Command::Generate { seed, model } => {
            let settings = generate::Settings { model: model.into(), ..Default::default() };
            print!("{}", generate::program(seed, settings));
            Ok(true)
        }
        Command::Compare { files, model, arguments } => compare(&files, model.into(), &arguments),
        Command::Corpus { every, flags } => run_corpus(every, flags),
        Command::Speed { files, rounds } => run_speed(files, rounds),
        Command::Fuzz { target, minutes, seed } => run_fuzz(target, minutes, seed),
        Command::Print { file, model } => print_program(&file, model.into()),
        Command::Read { file, model } => read(&file, model.into()),
        Command::Worker => worker::serve(std::io::stdin().lock(), std::io::stdout().lock())
            .map(|()| true)
            .map_err(|error| error.to_string()),
        Command::Cost { command } => speed::cost_line(&command).map(|line| {
            println!("{line}");
            true
        }),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn output_folder(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    target.canonicalize().unwrap_or(target).join(name)
}

fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("this program does not know where it is: {error}"))
}

fn deep(csmith: u64, own: u64, first: u64, model: Model, minimise: Duration) -> Result<bool, String> {
    if !native::can_compile(model) {
        return Err(format!("gcc cannot make programs for {model:?} here"));
    }
    let mut agrees = true;
    if own > 0 {
        agrees &= compare_family(&Own::new(model), first, own, minimise);
    }
    if csmith > 0 {
        agrees &= compare_family(&csmith::Csmith::find(model)?, first, csmith, minimise);
    }
    Ok(agrees)
}

fn compare_family(source: &dyn Source, first: u64, count: u64, minimise: Duration) -> bool {
    let started = Instant::now();
    let folder = output_folder("differences");
    let summary = differences::compare_all(source, first, count, minimise, &folder, |done, summary| {
        if done % 100 == 0 {
            eprintln!("{}: {done} of {count}, {} same", source.name(), summary.same);
        }
    });
    println!("{}: {count} programs in {:.0} s: {summary}", source.name(), started.elapsed().as_secs_f64());
    summary.found.is_empty()
}

fn compare(files: &[PathBuf], model: Model, arguments: &[String]) -> Result<bool, String> {
    use bench_frontend::compare::{Settings, Verdict, compare};
    let mut settings = Settings::small(model);
    settings.reading.arguments = arguments.to_vec();
    settings.gcc_arguments = arguments.to_vec();
    let mut agrees = true;
    for file in files {
        let verdict = compare(file, &settings).map_err(|error| format!("{}: {error}", file.display()))?;
        agrees &= !matches!(verdict, Verdict::Differs(_));
        match verdict {
            Verdict::Same => println!("{}: same", file.display()),
            Verdict::Skipped(reason) => println!("{}: skipped: {reason}", file.display()),
            Verdict::TooSlow => println!("{}: too slow", file.display()),
            Verdict::Differs(difference) => {
                println!("{}: [{}] {}", file.display(), difference.kind, difference.detail);
            }
        }
    }
    Ok(agrees)
}

fn shared() -> Result<PathBuf, String> {
    manifest::shared_folder().ok_or("the benchmark set ../shared is absent".to_string())
}

fn run_corpus(every: usize, flags: bool) -> Result<bool, String> {
    let shared = shared()?;
    let mut tasks = manifest::tasks(&shared)?;
    tasks.extend(manifest::data_files(&shared));
    let tasks: Vec<_> = tasks.into_iter().step_by(every.max(1)).collect();
    let mut verdicts = corpus::GccVerdicts::load(output_folder("gcc-verdicts.tsv"));
    let started = Instant::now();
    let summary = corpus::check(&tasks, &this_program()?, &mut verdicts);
    verdicts.save().map_err(|error| format!("gcc's verdicts cannot be remembered: {error}"))?;
    if flags {
        for (path, constructs) in &summary.flagged {
            println!("{}", path.display());
            constructs.iter().for_each(|construct| println!("  {construct}"));
        }
    }
    print!("{summary}");
    println!("{} files in {:.0} s", tasks.len(), started.elapsed().as_secs_f64());
    Ok(summary.failed.is_empty())
}

fn run_speed(files: usize, rounds: usize) -> Result<bool, String> {
    let tasks = speed::largest(manifest::tasks(&shared()?)?, files);
    let rows = speed::measure(&tasks, rounds.max(1), &this_program()?)?;
    println!("    kB | gcc: ms      MB | ours: ms     MB | of it: ms | ratio | by wall | file");
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    for row in &rows {
        println!(
            "{:>6.0} | {:>7.1} {:>7.1} | {:>8.1} {:>6.1} | {:>9.1} | {:>5.2} | {:>7.2} | {}",
            row.bytes as f64 / 1000.0,
            milliseconds(row.gcc.processor),
            megabytes(row.gcc.memory_bytes),
            milliseconds(row.ours.processor),
            megabytes(row.ours.memory_bytes),
            milliseconds(row.phases.total()),
            row.process_ratio(),
            row.wall_ratio(),
            row.path.file_name().unwrap_or_default().to_string_lossy()
        );
    }
    let sum = |time: fn(&speed::Row) -> Duration| rows.iter().map(time).sum::<Duration>().as_secs_f64();
    let (gcc, ours) = (sum(|row| row.gcc.processor), sum(|row| row.ours.processor));
    let wall = sum(|row| row.ours.wall) / sum(|row| row.gcc.wall);
    println!(
        "all files, whole processes: {:.2} times gcc -fsyntax-only by processor time, {wall:.2} by wall",
        ours / gcc
    );
    println!(
        "inside: parse {:.1} ms, analyse {:.1} ms, lower {:.1} ms: together {:.2} times gcc",
        sum(|row| row.phases.parse) * 1000.0,
        sum(|row| row.phases.analyse) * 1000.0,
        sum(|row| row.phases.lower) * 1000.0,
        sum(|row| row.phases.total()) / gcc
    );
    Ok(rows.iter().all(|row| row.process_ratio() <= 3.0))
}

fn run_fuzz(target: FuzzTarget, minutes: f64, seed: u64) -> Result<bool, String> {
    let stage = match target {
        FuzzTarget::Parse => Stage::Parse,
        FuzzTarget::Lower => Stage::Lower,
        FuzzTarget::Print => Stage::Print,
    };
    let settings = fuzz::Settings {
        stage,
        time: Duration::from_secs_f64(minutes * 60.0),
        seed,
        worker: this_program()?,
        folder: output_folder("fuzz-findings"),
    };
    let summary = fuzz::fuzz(&settings, |summary| {
        if summary.inputs % 10_000 == 0 {
            eprintln!("{} inputs, {} findings", summary.inputs, summary.findings.len());
        }
    })
    .map_err(|error| error.to_string())?;
    println!(
        "{} inputs in {minutes} minutes, {} taken without error, {} findings",
        summary.inputs,
        summary.taken,
        summary.findings.len()
    );
    for finding in &summary.findings {
        println!("{}\n  {}", finding.input.display(), finding.what.replace('\n', "\n  "));
    }
    Ok(summary.findings.is_empty())
}

fn print_program(file: &Path, model: Model) -> Result<bool, String> {
    match ours::guarded(|| ours::read(file, &Reading::new(model)))? {
        Read::Rejected(message) => Err(message),
        Read::Lowered(program) => {
            print!("{}", program::print_c::print_c(&program));
            Ok(true)
        }
    }
}

fn read(file: &Path, model: Model) -> Result<bool, String> {
    match ours::guarded(|| ours::read(file, &Reading::new(model)))? {
        Read::Rejected(message) => Err(message),
        Read::Lowered(program) => {
            let procedures = program.procedures.iter().filter(|procedure| procedure.body.is_some()).count();
            println!("{procedures} procedures with bodies, {} variables", program.variables.len());
            Ok(true)
        }
    }
}
