//! `concord audit --execute N`: the claim of a certificate put to the test of a compiler and of real runs.
//!
//! The user's files are compiled with sanitizers and a file that gives them inputs, and so is the normalised
//! program with the certificate's conditions as assertions ([`evidence::execution`]). Each of N inputs is run
//! by both. Drawn values, boundaries and constants of the program come from seeds; values that lead into
//! loops and to places behind branches from the solver.

use crate::cli::Common;
use base::Budget;
use base::random::Random;
use cegar::{Check, Property};
use evidence::CertificateFile;
use evidence::execution::{BROKEN, CUT_OFF, OUTSIDE, REACHED, driver, watched_program};
use program::{DataModel, Program};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A run that waits longer is cut off; one that computes cuts itself off.
const LONGEST_RUN: Duration = Duration::from_secs(2);
/// After so many runs that were cut off the others may only take a tenth of that: such a program hardly ever ends.
const PATIENT_RUNS: u32 = 6;
/// The part of the inputs that the solver chooses.
const SOLVERS_SHARE: u32 = 4;
/// The status with which sanitizers end a run.
const SANITIZED: i32 = 98;
/// How the address sanitizer says that it gives no memory where an allocator may: sizes and alignments that
/// the standard lets a program ask for.
const REFUSALS: [&str; 9] = [
    "stack-overflow",
    "out-of-memory",
    "allocation-size-too-big",
    "failed to allocate",
    "calloc-overflow",
    "reallocarray-overflow",
    "invalid-allocation-alignment",
    "invalid-aligned-alloc-alignment",
    "invalid-posix-memalign-alignment",
];
/// Of what a run says, so much is kept.
const LONGEST_REPORT: usize = 64 << 10;

/// What the runs showed.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// Inputs that were run.
    pub inputs: u32,
    /// Of these, chosen by the solver.
    pub by_solver: u32,
    /// Runs that ended by themselves.
    pub ended: u32,
    /// Runs that left what the proof is about: an assumption was not met.
    pub outside: u32,
    /// Runs that were cut off.
    pub cut_off: u32,
    /// Conditions of the certificate that were asserted, and those that C has no words for.
    pub conditions: (usize, usize),
    /// Places of the program that some run reached, and all of them.
    pub covered: (usize, usize),
    /// What contradicts the certificate: what happened, and with which inputs.
    pub contradiction: Option<String>,
    /// What could not be done, in sentences.
    pub left_out: Vec<String>,
}

impl Executed {
    /// In a line or two.
    pub fn words(&self) -> String {
        let mut text = format!(
            "executed: {} inputs ({} chosen by the solver): {} runs ended, {} left by an assumption, {} were cut off",
            self.inputs, self.by_solver, self.ended, self.outside, self.cut_off
        );
        let (asserted, not) = self.conditions;
        let _ = write!(text, "\n  asserted: {asserted} conditions of the certificate");
        if not > 0 {
            let _ = write!(text, "; {not} are not C and were not asserted");
        }
        let (some, all) = self.covered;
        let _ = write!(text, "\n  covered: {some} of {all} places of the program");
        for sentence in &self.left_out {
            let _ = write!(text, "\n  left out: {sentence}");
        }
        text
    }

    /// What `--format json` has of it.
    pub fn json(&self) -> Value {
        json!({
            "inputs": self.inputs, "by_solver": self.by_solver, "ended": self.ended, "outside": self.outside,
            "cut_off": self.cut_off, "asserted": self.conditions.0, "not_asserted": self.conditions.1,
            "covered": self.covered.0, "places": self.covered.1, "contradiction": self.contradiction,
            "left_out": self.left_out,
        })
    }
}

/// A compiled program.
struct Binary {
    path: PathBuf,
    /// Is it the normalised program, which tells what it covered?
    tells_coverage: bool,
}

/// What one run did.
enum Ran {
    Ended,
    Outside,
    CutOff,
    Contradicts(String),
}

/// Compiles and runs.
pub fn execute(
    program: &Program,
    certificate: &CertificateFile,
    files: &[PathBuf],
    common: &Common,
    count: u32,
    budget: &Budget,
) -> Result<Executed, String> {
    let folder = Folder::new()?;
    let property = &certificate.task.property;
    let mut executed = Executed::default();
    let driver_file = folder.write("driver.c", &driver(program, property, certificate.task.missing))?;
    let watched = watched_program(program, property, &certificate.proof);
    let watched_file = folder.write("watched.c", &watched.text)?;
    executed.conditions = (watched.conditions, watched.left_out);
    executed.covered = (0, watched.places);
    let options = sanitizers(property, program.types.model());
    let mut binaries = Vec::new();
    let mut own = compiler_flags(common);
    own.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
    match compile(&folder, "original", &options, &own, &driver_file, budget) {
        Ok(path) => binaries.push(Binary { path, tells_coverage: false }),
        Err(why) => executed.left_out.push(format!("the program as it is written: {why}")),
    }
    // Only the program as it is written is looked at for undefined behaviour: the printed one writes the same
    // accesses with other expressions, in which the sanitizer may find what the program does not do (`&a[7]`
    // for `a + 7`). Arithmetic of conditions wraps round.
    let mut printed: Vec<String> =
        ["-fno-strict-aliasing", "-fwrapv", "-fno-sanitize=undefined"].map(str::to_owned).into();
    printed.push(watched_file.to_string_lossy().into_owned());
    match compile(&folder, "watched", &options, &printed, &driver_file, budget) {
        Ok(path) => binaries.push(Binary { path, tells_coverage: true }),
        Err(why) => executed.left_out.push(format!("the conditions of the certificate: {why}")),
    }
    if binaries.is_empty() {
        return Ok(executed);
    }
    let settings = cegar::Settings { missing: certificate.task.missing, ..cegar::Settings::default() };
    let share = count / SOLVERS_SHARE;
    let chosen = cegar::inputs_into_depth(
        program,
        &settings,
        share as usize,
        &budget.clone().with_time(Duration::from_secs(10)),
    );
    let mut covered = vec![false; watched.places];
    for number in 0..count {
        if budget.check().is_err() {
            executed.left_out.push(format!("{} inputs, for want of time", count - number));
            break;
        }
        let given = chosen.get(number as usize);
        executed.inputs += 1;
        executed.by_solver += u32::from(given.is_some());
        let given_file = match given {
            Some(values) => {
                let lines: Vec<String> =
                    values.iter().map(|(name, bits)| format!("{name} {}", *bits as u64)).collect();
                Some(folder.write("given.txt", &(lines.join("\n") + "\n"))?)
            }
            None => None,
        };
        for binary in &binaries {
            let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
            let longest = if executed.cut_off < PATIENT_RUNS { LONGEST_RUN } else { LONGEST_RUN / 10 };
            let limit = left.map_or(longest, |left| left.min(longest));
            let ran = run(&folder, binary, property, number, given_file.as_deref(), limit, &mut covered)?;
            match ran {
                Ran::Ended => executed.ended += 1,
                Ran::Outside => executed.outside += 1,
                Ran::CutOff => executed.cut_off += 1,
                Ran::Contradicts(what) => {
                    let inputs = match given {
                        Some(values) => {
                            let shown: Vec<String> =
                                values.iter().map(|(name, bits)| format!("{name} = {bits:#x}")).collect();
                            format!("with {}", shown.join(", "))
                        }
                        None => format!("with the inputs of seed {number}"),
                    };
                    executed.contradiction = Some(format!("{what}, {inputs}"));
                    executed.covered.0 = covered.iter().filter(|&&is| is).count();
                    return Ok(executed);
                }
            }
        }
    }
    executed.covered.0 = covered.iter().filter(|&&is| is).count();
    Ok(executed)
}

/// The preprocessor's options as the compiler takes them.
fn compiler_flags(common: &Common) -> Vec<String> {
    let mut flags = Vec::new();
    for directory in &common.include_directories {
        flags.push(format!("-I{}", directory.display()));
    }
    for directory in &common.system_directories {
        flags.extend(["-isystem".to_owned(), directory.display().to_string()]);
    }
    flags.extend(common.defines.iter().map(|define| format!("-D{define}")));
    flags.extend(common.undefines.iter().map(|undefine| format!("-U{undefine}")));
    for file in &common.include_files {
        flags.extend(["-include".to_owned(), file.display().to_string()]);
    }
    flags.extend(common.standard.iter().map(|standard| format!("-std={standard}")));
    flags
}

/// A folder of our own that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        let stamp = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |time| time.as_nanos());
        let path = std::env::temp_dir().join(format!("concord-execute-{}-{stamp}", std::process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|error| format!("{}: cannot be made: {error}", path.display()))?;
        Ok(Folder(path))
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, text)
            .map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The sanitizers that contradict a certificate for this property when they report: all of undefined
/// behaviour that ends what a proof says, and of the rest what was asked.
fn sanitizers(property: &Property, model: DataModel) -> Vec<String> {
    let mut options: Vec<String> = [
        "-w",
        "-g",
        "-O0",
        "-finstrument-functions",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ]
    .map(str::to_owned)
    .into();
    let mut harmless = vec![
        "alignment",
        "pointer-overflow",
        "nonnull-attribute",
        "returns-nonnull-attribute",
        "enum",
        "float-cast-overflow",
    ];
    if !property.checks.has(Check::SignedOverflow) {
        harmless.push("signed-integer-overflow");
        options.push("-fwrapv".to_owned());
    }
    // The check is about counts; what is shifted may be negative, which gcc gives a meaning.
    harmless.push(if property.checks.has(Check::Shift) { "shift-base" } else { "shift" });
    options.push(format!("-fno-sanitize={}", harmless.join(",")));
    if model == DataModel::Ilp32 {
        options.extend(["-m32", "-msse2", "-mfpmath=sse"].map(str::to_owned));
    }
    options
}

fn compile(
    folder: &Folder,
    name: &str,
    options: &[String],
    sources: &[String],
    driver: &Path,
    budget: &Budget,
) -> Result<PathBuf, String> {
    let binary = folder.0.join(name);
    let mut command = Command::new("cc");
    command.args(options).args(sources).arg(driver).arg("-o").arg(&binary).args(["-lm", "-pthread"]);
    let limit = budget
        .deadline()
        .map_or(Duration::from_secs(60), |end| end.saturating_duration_since(Instant::now()));
    match finished(command.stdin(Stdio::null()), folder, limit)? {
        Finished { status: Some(0), .. } => Ok(binary),
        Finished { status: None, is_timeout: true, .. } => Err("the compiler takes too long".to_owned()),
        Finished { report, .. } => {
            let line = report
                .lines()
                .find(|line| line.contains("error") || line.contains("cannot find"))
                .unwrap_or("");
            Err(format!("it does not compile here: {}", line.trim()))
        }
    }
}

struct Finished {
    status: Option<i32>,
    signal: Option<i32>,
    is_timeout: bool,
    report: String,
}

/// Waits for a command, for so long.
fn finished(command: &mut Command, folder: &Folder, limit: Duration) -> Result<Finished, String> {
    use std::os::unix::process::ExitStatusExt;
    let report_file = folder.0.join("report.txt");
    let cannot = |error: std::io::Error| format!("a command cannot be run: {error}");
    let report = std::fs::File::create(&report_file).map_err(cannot)?;
    let mut child = command.stdout(Stdio::null()).stderr(report).spawn().map_err(cannot)?;
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(200);
    let (status, is_timeout) = loop {
        if let Some(status) = child.try_wait().map_err(cannot)? {
            break (Some(status), false);
        }
        if Instant::now() >= end {
            let _ = child.kill();
            let _ = child.wait();
            break (None, true);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let mut report = std::fs::read(&report_file).map_err(cannot)?;
    report.truncate(LONGEST_REPORT);
    Ok(Finished {
        status: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        is_timeout,
        report: String::from_utf8_lossy(&report).into_owned(),
    })
}

fn run(
    folder: &Folder,
    binary: &Binary,
    property: &Property,
    number: u32,
    given: Option<&Path>,
    limit: Duration,
    covered: &mut [bool],
) -> Result<Ran, String> {
    let input = folder.write("input.txt", &typed_text(number))?;
    let cannot = |error: std::io::Error| format!("a command cannot be run: {error}");
    let coverage = folder.0.join("covered.bin");
    let leaks = u8::from(property.checks.follow_blocks());
    let mut command = Command::new(&binary.path);
    command
        .stdin(std::fs::File::open(&input).map_err(cannot)?)
        .current_dir(&folder.0)
        .env("CONCORD_SEED", number.to_string())
        .env("CONCORD_COVERED", &coverage)
        .env("ASAN_OPTIONS", format!("exitcode={SANITIZED}:detect_leaks={leaks}:symbolize=0:allocator_may_return_null=0:detect_stack_use_after_return=1"))
        .env("UBSAN_OPTIONS", format!("exitcode={SANITIZED}:print_stacktrace=0"))
        .env("LSAN_OPTIONS", format!("exitcode={SANITIZED}"));
    if let Some(given) = given {
        command.env("CONCORD_GIVEN", given);
    }
    let finished = finished(&mut command, folder, limit)?;
    if binary.tells_coverage
        && let Ok(bytes) = std::fs::read(&coverage)
    {
        for (known, byte) in covered.iter_mut().zip(bytes) {
            *known |= byte != 0;
        }
        let _ = std::fs::remove_file(&coverage);
    }
    let line = |word: &str| {
        let found = finished.report.lines().find(|line| line.contains(word));
        found.unwrap_or(&finished.report).trim().to_owned()
    };
    // A proof supposes that the stack and the memory suffice.
    let is_exhausted = REFUSALS.iter().any(|word| finished.report.contains(word));
    // A program may end with any status of its own: what ends a run for us says so on standard error too.
    let says = |word: &str| finished.report.contains(word);
    Ok(match (finished.status, finished.signal) {
        _ if finished.is_timeout || is_exhausted => Ran::CutOff,
        (Some(BROKEN | REACHED), _) if says("concord: ") => {
            Ran::Contradicts(line("concord: ").trim_start_matches("concord: ").to_owned())
        }
        (Some(CUT_OFF), _) => Ran::CutOff,
        (Some(OUTSIDE), _) => Ran::Outside,
        (Some(SANITIZED), _) if says("Sanitizer") || says("runtime error:") => {
            Ran::Contradicts(line("rror:"))
        }
        (None, Some(6)) if says("Assertion") && property.assertions => Ran::Contradicts(line("Assertion")),
        // Signals that no sanitizer explains; `__builtin_trap` (4) is an end of a run like `abort`.
        (None, Some(signal @ (7 | 8 | 11))) => {
            Ran::Contradicts(format!("the compiled program ends with signal {signal}"))
        }
        _ => Ran::Ended,
    })
}

/// Lines for programs that read: numbers and words.
fn typed_text(number: u32) -> String {
    let mut random = Random::new(number.into());
    let mut text = String::new();
    for _ in 0..40 {
        match random.below(4) {
            0 => text.push_str(&format!("{} ", random.bits() as i16)),
            1 => text.push_str(&format!("{}\n", random.below(11))),
            2 => text.push((b' ' + random.below(95) as u8) as char),
            _ => text.push_str("word\n"),
        }
    }
    text
}
