//! What really happens: programs compiled by gcc with its sanitizers and run on every combination of inputs.
//!
//! Many programs are linked together, file `a` of all of them compiled as one unit, so that compiling and linking cost
//! little for each; their names do not meet, since they carry the seed. Each run is a process, forked by `ground.c`. ASan's reports
//! carry addresses only (its own search for lines takes a fifth of a second); `addr2line` is asked once for all.

use crate::program::{Program, Reader};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the sanitizers are asked for. Not asked: what gcc gives a meaning and Concord too (`docs/SOUNDNESS.md`).
pub const SANITIZERS: &[&str] = &[
    "-fsanitize=address,undefined",
    "-fno-sanitize=shift-base,alignment,pointer-overflow,nonnull-attribute,returns-nonnull-attribute",
    "-fno-sanitize-recover=all",
];

const ASAN_OPTIONS: &str = "detect_leaks=0:symbolize=0:detect_stack_use_after_return=1:allocator_may_return_null=1:\
                            print_legend=0:abort_on_error=0:exitcode=77:handle_abort=0:fast_unwind_on_fatal=0";

/// One run to make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    /// What the library answers where that is open; 0 is where everything has its usual answer.
    pub surroundings: u32,
    /// The inputs in their order.
    pub values: Vec<i64>,
}

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// ASan's word, the beginning of UBSan's message, `assertion`, `leak`, or what the program admits.
    pub kind: String,
    /// The file's name, if it is known.
    pub file: String,
    /// The line, or 0.
    pub line: i64,
    /// Files and lines of the calls that lead there.
    pub callers: Vec<(String, i64)>,
}

impl Failure {
    /// A failure at a place.
    pub fn at(kind: impl Into<String>, file: impl Into<String>, line: i64) -> Failure {
        Failure { kind: kind.into(), file: file.into(), line, callers: Vec::new() }
    }

    /// Is it, or a call that leads to it, at one of these places? Not known counts as yes.
    pub fn is_at(&self, is_place: impl Fn(&str, i64) -> bool) -> bool {
        let mut callers = self.callers.iter();
        self.line == 0 || is_place(&self.file, self.line) || callers.any(|(file, line)| is_place(file, *line))
    }
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The values looked at, in their order.
    pub looks: Vec<(usize, i64)>,
    /// How it failed, if it did.
    pub failure: Option<Failure>,
    /// It did not end.
    pub was_cut_off: bool,
}

/// Programs that were compiled and linked together.
pub struct Executable {
    path: PathBuf,
}

/// gcc would not.
#[derive(Debug)]
pub struct Refused(pub String);

/// Writes the files of a program to a directory.
pub fn write_files(directory: &Path, files: &[(String, String)]) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    for (name, text) in files {
        std::fs::write(directory.join(name), text)?;
    }
    Ok(())
}

/// Compiles and links.
pub fn build(programs: &[&Program], directory: &Path) -> Result<Executable, Refused> {
    let trouble = |error: std::io::Error| Refused(error.to_string());
    let mut units: Vec<String> = Vec::new();
    let mut table = String::new();
    let mut entries = String::new();
    for program in programs {
        let files = program.files(Reader::Compiler);
        write_files(directory, &files).map_err(trouble)?;
        let seed = program.seed;
        let _ = writeln!(table, "int main_{seed}(void);");
        let _ = write!(entries, "{{ {seed}, main_{seed} }}, ");
        for (number, (name, _)) in files.iter().filter(|(name, _)| name.ends_with(".c")).enumerate() {
            if units.len() == number {
                units.push("#include \"ground.h\"\n".into());
            }
            let _ = writeln!(units[number], "#define main main_{seed}\n#include \"{name}\"\n#undef main");
        }
    }
    let _ = writeln!(
        table,
        "struct entry {{ int number; int (*run)(void); }};\n\
         const struct entry ground_programs[] = {{ {entries} }};\nconst int ground_count = {};",
        programs.len()
    );
    units.push(table);
    let own = [("ground.h", include_str!("ground.h")), ("ground.c", include_str!("ground.c"))];
    let mut names = vec!["ground.c".to_string()];
    for (name, text) in own {
        std::fs::write(directory.join(name), text).map_err(trouble)?;
    }
    for (number, text) in units.iter().enumerate() {
        let name = format!("unit{number}.c");
        std::fs::write(directory.join(&name), text).map_err(trouble)?;
        names.push(name);
    }
    let output = Command::new("gcc")
        .current_dir(directory)
        .args(["-O0", "-gdwarf-4", "-w", "-std=gnu11", "-no-pie", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0"])
        .args(["-fno-strict-aliasing", "-ftrivial-auto-var-init=pattern"])
        .args(SANITIZERS)
        .args(&names)
        .args(["-o", "programs", "-lm"])
        .output()
        .map_err(trouble)?;
    if !output.status.success() {
        return Err(Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(Executable { path: directory.join("programs") })
}

impl Executable {
    /// Makes the runs.
    pub fn run(&self, runs: &[(u64, Vector)]) -> Result<Vec<Run>, Refused> {
        let trouble = |error: std::io::Error| Refused(error.to_string());
        let mut lines = String::new();
        for (seed, vector) in runs {
            let _ = write!(lines, "{seed} {}", vector.surroundings);
            for value in &vector.values {
                let _ = write!(lines, " {value}");
            }
            lines.push('\n');
        }
        let log_path = self.path.with_extension("log");
        let log = std::fs::File::create(&log_path).map_err(trouble)?;
        let mut child = Command::new(&self.path)
            .env("ASAN_OPTIONS", ASAN_OPTIONS)
            .env("UBSAN_OPTIONS", "print_stacktrace=0")
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
            .map_err(trouble)?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(lines.as_bytes()).map_err(trouble)?;
        }
        child.wait().map_err(trouble)?;
        let log = String::from_utf8_lossy(&std::fs::read(&log_path).map_err(trouble)?).into_owned();
        let mut logs: Vec<Vec<&str>> = Vec::new();
        for line in log.lines() {
            if line.starts_with("BEGIN ") {
                logs.push(Vec::new());
            } else if let Some(last) = logs.last_mut() {
                last.push(line);
            }
        }
        if logs.len() != runs.len() {
            return Err(Refused(format!("{} runs of {} in the log", logs.len(), runs.len())));
        }
        let places = self.places(&logs);
        Ok(logs.iter().map(|lines| read_run(lines, &places)).collect())
    }

    /// Files and lines of the addresses in reports.
    fn places(&self, logs: &[Vec<&str>]) -> HashMap<String, (String, i64)> {
        let mut addresses: Vec<String> =
            logs.iter().flatten().filter_map(|line| frame(line)).map(str::to_string).collect();
        addresses.sort();
        addresses.dedup();
        if addresses.is_empty() {
            return HashMap::new();
        }
        // A return address belongs to the line of the call, one byte before.
        let asked: Vec<String> = addresses
            .iter()
            .map(|text| {
                let address = u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(1);
                format!("{:#x}", address.saturating_sub(1))
            })
            .collect();
        let Ok(output) = Command::new("addr2line").arg("-e").arg(&self.path).args(&asked).output() else {
            return HashMap::new();
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let place = |line: &str| {
            let (file, number) = line.rsplit_once(':')?;
            let file = file.rsplit('/').next()?.to_string();
            Some((file, number.split(' ').next()?.parse().ok()?))
        };
        addresses
            .into_iter()
            .zip(text.lines())
            .filter_map(|(address, line)| Some((address, place(line)?)))
            .collect()
    }
}

/// The address of a line `    #3 0x401234  (...)` of a report.
fn frame(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?;
    let mut words = rest.split_whitespace();
    words.next()?.parse::<u32>().ok()?;
    words.next().filter(|word| word.starts_with("0x"))
}

fn is_program_file(name: &str) -> bool {
    name.starts_with('p') && name[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn read_run(lines: &[&str], places: &HashMap<String, (String, i64)>) -> Run {
    let mut run = Run::default();
    let mut is_in_report = false;
    let mut has_ended = false;
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["LOOK", number, value] = words[..]
            && let (Ok(number), Ok(value)) = (number.parse(), value.parse())
        {
            run.looks.push((number, value));
        } else if let ["ADMIT", kind, file, at] = words[..] {
            let line = at.parse().unwrap_or(0);
            run.failure = Some(Failure::at(kind, file, line));
        } else if let ["LIVE", count] = words[..] {
            has_ended = true;
            if count != "0" && run.failure.is_none() {
                run.failure = Some(Failure::at("leak", "", 0));
            }
        } else if line.starts_with("LEFT") || line.starts_with("ABORT") {
            has_ended = true;
        } else if let Some((place, message)) = line.split_once(": runtime error: ") {
            let mut parts = place.split(':');
            let file = parts.next().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_string();
            let line = parts.next().and_then(|text| text.parse().ok()).unwrap_or(0);
            run.failure.get_or_insert(Failure::at(message, file, line));
        } else if let Some((_, rest)) = line.split_once("ERROR: AddressSanitizer: ")
            && run.failure.is_none()
        {
            let kind = rest.split([' ', ':']).next().unwrap_or_default();
            let kind = if rest.starts_with("attempting") { "bad-free" } else { kind };
            run.failure = Some(Failure::at(kind, "", 0));
            is_in_report = true;
        } else if let Some((place, _)) = line.split_once(": Assertion ") {
            // program: file:line: function
            let mut parts = place.split(": ").nth(1).unwrap_or_default().split(':');
            let file = parts.next().unwrap_or_default().to_string();
            let line = parts.next().and_then(|text| text.parse().ok()).unwrap_or(0);
            run.failure.get_or_insert(Failure::at("assertion", file, line));
        } else if line.trim().is_empty() {
            // Only the first stack of a report tells where.
            is_in_report = false;
        } else if let Some(["signal", number]) = line.strip_prefix("END ").map(|rest| {
            let mut words = rest.split(' ');
            [words.next().unwrap_or_default(), words.next().unwrap_or_default()]
        }) {
            if matches!(number, "14" | "24" | "9") {
                run.was_cut_off = true;
            } else if run.failure.is_none() && !has_ended {
                run.failure = Some(Failure::at(format!("signal {number}"), "", 0));
            }
        }
        if is_in_report && let Some(address) = frame(line) {
            // Where null is called, the frame that calls it is not in the report.
            if address.trim_start_matches(['0', 'x']).is_empty() {
                is_in_report = false;
            } else if let Some((file, number)) = places.get(address)
                && is_program_file(file)
                && let Some(failure) = run.failure.as_mut()
            {
                if failure.line == 0 {
                    (failure.file, failure.line) = (file.clone(), *number);
                } else {
                    failure.callers.push((file.clone(), *number));
                }
            }
        }
    }
    run
}
