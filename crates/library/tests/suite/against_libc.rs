//! Descriptions against the real library: drawn calls, compiled by gcc plain and with the sanitizers, and run by the interpreter, which walks the
//! descriptions. What a description accepts must run without a report and end as the description allows; what it refuses must be seen by the
//! sanitizer, where that looks at the function at all.

use crate::calls;

use calls::{Call, Seen};
use concrete::{Captured, InputShape, InputTrouble, Inputs, Interpreter, Outside, RunOutcome, Settings};
use program::{DataModel, Origin, Program};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::Random;

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
static char *block(const char *bytes, size_t n)
{
    char *made = malloc(n);
    for (size_t i = 0; i < n; i++)
        made[i] = bytes[i];
    return made;
}
static void show(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", (unsigned char)bytes[i]);
    printf(" ");
}
static int by_first(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
"#;

const DRIVER: &str = r#"
#ifdef DRIVER
#include <sys/wait.h>
#include <unistd.h>
int __VERIFIER_nondet_int(void) { return 0; }
int main(void)
{
    for (int which = 0; which < CASES; which++) {
        printf("\n#%d ", which);
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(5);
            choose(which);
            fflush(stdout);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        printf("=%d", status);
    }
    printf("\n");
    return 0;
}
#else
int main(void)
{
    choose(__VERIFIER_nondet_int());
    return 0;
}
#endif
"#;

fn source(calls: &[Call]) -> String {
    let mut text = PRELUDE.to_owned();
    for (number, call) in calls.iter().enumerate() {
        let _ = writeln!(text, "static void case_{number}(void)\n{{\n{}}}", call.code);
    }
    text.push_str("static void choose(int which)\n{\n    switch (which) {\n");
    for number in 0..calls.len() {
        let _ = writeln!(text, "    case {number}: case_{number}(); break;");
    }
    text.push_str("    }\n}\n");
    let _ = writeln!(text, "#define CASES {}", calls.len());
    text + DRIVER
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(format!("{}-{name}", std::process::id()))
}

fn has_compiler() -> bool {
    let found = Command::new("gcc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    if !is_there {
        use std::io::Write;
        let told = "no `gcc`: the comparison with the real library is left out\n";
        std::io::stderr().write_all(told.as_bytes()).expect("standard error is open");
    }
    is_there
}

/// How a compiled case ended: what it wrote, and whether it ended well.
#[derive(Clone, Debug, Default)]
struct Ended {
    out: String,
    is_well: bool,
}

fn compiled(path: &Path, options: &[&str]) -> Option<Vec<Ended>> {
    let binary = path.with_extension("bin");
    let made = Command::new("gcc")
        .args([
            "-O0",
            "-w",
            "-Werror=implicit-function-declaration",
            "-std=gnu11",
            "-fno-builtin",
            "-DDRIVER",
        ])
        .args(options)
        .arg("-o")
        .arg(&binary)
        .arg(path)
        .output()
        .expect("gcc runs");
    if !made.status.success() {
        assert!(!options.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
        return None; // the sanitizers are not installed
    }
    let run = Command::new(&binary)
        .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:exitcode=99")
        .stderr(Stdio::null())
        .output()
        .expect("the compiled program runs");
    let out = String::from_utf8_lossy(&run.stdout).into_owned();
    let _ = std::fs::remove_file(&binary);
    let cases = out.split("\n#").skip(1).map(|case| {
        let text = case.split_once(' ').map_or("", |(_, text)| text).trim_end_matches('\n');
        let (text, status) = text.rsplit_once('=').expect("the driver tells how every case ended");
        Ended { out: text.to_owned(), is_well: status == "0" }
    });
    Some(cases.collect())
}

fn load(path: &Path) -> Program {
    testkit::c::load(path, DataModel::Lp64)
}

/// The case, then whatever the description leaves open.
struct Choices<'c> {
    case: Option<usize>,
    rest: &'c [i32],
    at: usize,
}

impl Inputs for Choices<'_> {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let value = match self.case.take() {
            Some(case) => case as i32,
            None => {
                self.at += 1;
                self.rest.get(self.at - 1).or(self.rest.last()).copied().unwrap_or(0)
            }
        };
        Ok(i128::from(value) as u128 & ((1 << shape.width()) - 1))
    }
}

#[derive(Debug)]
enum Model {
    Fine(String),
    Refused(String),
    Impossible,
    Other(RunOutcome),
}

fn interpreted(interpreter: &Interpreter<'_>, case: usize, choices: &[i32]) -> Model {
    let settings = Settings { outside: Outside::Inputs, ..Settings::default() };
    let mut host = Captured::default();
    let mut inputs = Choices { case: Some(case), rest: choices, at: 0 };
    let run = interpreter.run(&settings, &mut host, &mut inputs);
    match run.outcome {
        RunOutcome::Exited(0) => Model::Fine(String::from_utf8_lossy(&host.out).into_owned()),
        RunOutcome::Undefined(report) => Model::Refused(report.message),
        RunOutcome::AssumptionUnmet(_) => Model::Impossible,
        other => Model::Other(other),
    }
}

/// Is what the compiled case wrote one of the ways the description allows?
fn allows(interpreter: &Interpreter<'_>, case: usize, call: &Call, out: &str) -> Result<(), Model> {
    // The first number that a case writes is what the function gave: where that is open, the description must allow it.
    let given: i32 = out.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let mut ways: Vec<Vec<i32>> = vec![vec![given]];
    if call.open_choices > 0 {
        let way = |bits: u32| (0..call.open_choices).map(|at| (bits >> at & 1) as i32).chain([0]).collect();
        ways.extend((0..1 << call.open_choices).map(way));
    }
    let mut last = Model::Impossible;
    for way in ways {
        match interpreted(interpreter, case, &way) {
            Model::Fine(text) if text == out => return Ok(()),
            other => last = other,
        }
    }
    Err(last)
}

#[test]
fn drawn_calls_end_as_the_descriptions_say() {
    if !has_compiler() {
        return;
    }
    let mut rng = Random::new(14);
    let mut accepted = std::collections::BTreeMap::new();
    let mut refused = std::collections::BTreeMap::new();
    let mut wrong: Vec<String> = Vec::new();
    for batch in 0..12 {
        let calls: Vec<Call> = (0..170).map(|_| calls::draw(&mut rng)).collect();
        let path = scratch(&format!("batch{batch}.c"));
        std::fs::write(&path, source(&calls)).expect("the scratch directory can be written");
        let plain = compiled(&path, &[]).expect("gcc compiles without options");
        let checked = compiled(&path, &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        assert_eq!(plain.len(), calls.len());
        let program = load(&path);
        let interpreter = Interpreter::new(&program);
        for (number, call) in calls.iter().enumerate() {
            let sanitized = checked.as_ref().map(|cases| &cases[number]);
            let accepts = match interpreted(&interpreter, number, &[0]) {
                Model::Refused(message) => {
                    *refused.entry(call.function).or_insert(0) += 1;
                    let is_named = call.is_named_in(&message);
                    let is_missed =
                        call.seen == Seen::BySanitizer && sanitized.is_some_and(|ended| ended.is_well);
                    match (is_named, is_missed) {
                        (false, _) => Err(format!("the message does not name the call: {message}")),
                        (_, true) => Err(format!("refused ({message}), but not reported")),
                        _ => Ok(()),
                    }
                }
                Model::Other(outcome) => Err(format!("{outcome:?}")),
                Model::Fine(_) | Model::Impossible => {
                    *accepted.entry(call.function).or_insert(0) += 1;
                    if !plain[number].is_well || sanitized.is_some_and(|ended| !ended.is_well) {
                        Err("accepted, but it is reported or does not end well".to_owned())
                    } else {
                        allows(&interpreter, number, call, &plain[number].out).map_err(|other| {
                            format!("the library does what the description does not allow ({other:?})")
                        })
                    }
                }
            };
            if let Err(why) = accepts {
                wrong.push(format!("{why}\n{}: {}plain: {:?}", call.function, call.code, plain[number]));
            }
        }
        let _ = std::fs::remove_file(&path);
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n\n"));
    for function in calls::functions() {
        assert!(
            accepted.get(function).is_some_and(|&many: &i32| many >= 1),
            "`{function}`: too few calls are fine"
        );
    }
    for function in calls::functions_with_needs() {
        assert!(
            refused.get(function).is_some_and(|&many: &i32| many >= 1),
            "`{function}`: too few calls break a need"
        );
    }
}

#[test]
fn native_code_does_what_the_descriptions_do() {
    let mut rng = Random::new(15);
    let calls: Vec<Call> =
        (0..150).map(|_| calls::draw_of(&mut rng, &["memcpy", "memmove", "memset"])).collect();
    let path = scratch("native.c");
    std::fs::write(&path, source(&calls)).expect("the scratch directory can be written");
    let native = load(&path);
    let mut walked = native.clone();
    let mut bodies = 0;
    for procedure in walked.procedures.iter_mut() {
        if procedure.origin == Origin::Model && matches!(&*procedure.name, "memcpy" | "memmove" | "memset") {
            assert!(procedure.known.take().is_some() && procedure.body.is_some());
            bodies += 1;
        }
    }
    assert_eq!(bodies, 3);
    let (native, walked) = (Interpreter::new(&native), Interpreter::new(&walked));
    for (number, call) in calls.iter().enumerate() {
        match (interpreted(&native, number, &[0]), interpreted(&walked, number, &[0])) {
            (Model::Fine(one), Model::Fine(two)) => assert_eq!(one, two, "{}", call.code),
            (Model::Refused(_), Model::Refused(_)) => {}
            (one, two) => panic!("native {one:?}, described {two:?}\n{}", call.code),
        }
    }
    let _ = std::fs::remove_file(&path);
}
