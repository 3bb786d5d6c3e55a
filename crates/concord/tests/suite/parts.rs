//! A verdict for each assertion, each call of an error function and each check, compared with gcc: random programs whose
//! inputs have few values are run on all of them, and what is the first to fail in some run is exactly what is told to be
//! violated. `CONCORD_DEEP` makes it many programs.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::random::Random;

const PROGRAMS: u64 = 40;
const PROGRAMS_IN_DEPTH: u64 = 600;
/// Values of each of the three inputs.
const VALUES: i64 = 4;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("parts");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    folder
}

/// `concord verify`, as JSON.
fn verify(file: &Path, options: &[&str]) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .arg(file)
        .args(options)
        .args(["--format", "json"])
        .output()
        .expect("concord runs");
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), document["results"][0].clone())
}

fn words(file: &Path, options: &[&str]) -> String {
    let command = Command::new(env!("CARGO_BIN_EXE_concord")).arg("verify").arg(file).args(options).output();
    String::from_utf8_lossy(&command.expect("concord runs").stdout).into_owned()
}

/// Writes random programs: no value grows, so that nothing but divisions and indices is undefined.
struct Writer {
    random: Random,
    text: String,
    line: u32,
    failing: usize,
}

const VARIABLES: [&str; 5] = ["x", "y", "z", "a", "b"];

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.line += 1;
    }

    fn value(&mut self, depth: u32) -> String {
        match self.random.below(if depth == 0 { 2 } else { 5 }) {
            0 => self.random.within(0..=4).to_string(),
            1 | 2 => (*self.random.pick(&VARIABLES)).to_owned(),
            3 => format!("({} + {})", self.value(depth - 1), self.value(depth - 1)),
            _ => format!("({} - {})", self.value(depth - 1), self.value(depth - 1)),
        }
    }

    fn condition(&mut self) -> String {
        let relation = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let one = format!("{} {relation} {}", self.value(1), self.value(1));
        match self.random.below(4) {
            0 => format!("{one} && {}", self.condition()),
            1 => format!("{one} || {}", self.condition()),
            _ => one,
        }
    }

    fn statement(&mut self, depth: u32) {
        let name = *self.random.pick(&["a", "b"]);
        match self.random.below(if depth == 0 { 6 } else { 9 }) {
            5 => {
                // An index that may be none, and one that is divided before.
                let (index, under) = (self.value(1), self.value(1));
                let index = if self.random.coin() { index } else { format!("DIVIDE({index}, {under})") };
                self.failing += 1;
                self.line(&format!("{name} = ELEMENT({index});"));
            }
            0 => {
                let value = self.value(2);
                self.line(&format!("{name} = {value} % 8;"));
            }
            1 | 2 => {
                let condition = self.condition();
                self.failing += 1;
                self.line(&format!("assert({condition});"));
            }
            3 => {
                let condition = self.condition();
                self.failing += 1;
                self.line(&format!("if ({condition}) reach_error();"));
            }
            4 => {
                let (over, under) = (self.value(1), self.value(1));
                self.failing += 1;
                self.line(&format!("{name} = DIVIDE({over}, {under}) % 8;"));
            }
            6 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.statement(depth - 1);
                self.line("} else {");
                self.statement(depth - 1);
                self.line("}");
            }
            7 => {
                let rounds = self.random.within(1..=3);
                let counter = format!("i{depth}");
                self.line(&format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{"));
                self.line(&format!("a = (a + {counter}) % 8;"));
                self.statement(depth - 1);
                self.line("}");
            }
            _ => {
                let (left, right) = (self.value(1), self.value(1));
                self.failing += 1;
                self.line(&format!("{name} = helper({left}, {right}) % 8;"));
            }
        }
    }
}

fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed), text: String::new(), line: 1, failing: 0 };
    writer.line("#include <assert.h>");
    writer.line("extern int __VERIFIER_nondet_int(void);");
    writer.line("#ifdef DRIVEN");
    writer.line("extern void driven_error(int); extern int driven_by(int, int), driven_at(int, int);");
    writer.line("#define reach_error() driven_error(__LINE__)");
    writer.line("#define DIVIDE(a, b) ((a) / driven_by((b), __LINE__))");
    writer.line("#define ELEMENT(i) elements[driven_at((i), __LINE__)]");
    writer.line("#else");
    writer.line("extern void reach_error(void);");
    writer.line("#define DIVIDE(a, b) ((a) / (b))");
    writer.line("#define ELEMENT(i) elements[i]");
    writer.line("#endif");
    writer.line("static int elements[4] = {2, 0, 3, 1};");
    writer.line("static int helper(int x, int y) {");
    writer.line("int z = 1, a = 2, b = 3;");
    let condition = writer.condition();
    writer.line(&format!("assert({condition});"));
    writer.line("return x - y + z - a + b;");
    writer.line("}");
    writer.line("int main(void) {");
    writer.line("int a = 0, b = 1;");
    for name in ["x", "y", "z"] {
        writer.line(&format!("int {name} = __VERIFIER_nondet_int();"));
        writer.line(&format!("if ({name} < 0 || {name} >= {VALUES}) return 0;"));
    }
    writer.line("(void)helper;");
    while writer.failing < 5 {
        writer.statement(2);
    }
    writer.line("return 0;");
    writer.line("}");
    writer.text
}

/// Runs the program on all inputs, or on those given, and writes the line of what fails first in each run.
const DRIVER: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static int values[3], next;
int __VERIFIER_nondet_int(void) { return next < 3 ? values[next++] : 0; }
static void failed(const char *kind, unsigned line) { printf("%s %u\n", kind, line); longjmp(back, 1); }
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) { failed("assertion", line); abort(); }
void driven_error(int line) { failed("call", line); }
int driven_by(int divisor, int line) { if (divisor == 0) failed("division", line); return divisor; }
int driven_at(int index, int line) { if (index < 0 || index > 3) failed("bounds", line); return index; }
int program_main(void);
static void run(void) { next = 0; if (!setjmp(back)) program_main(); }
int main(int argc, char **argv) {
    if (argc == 4) {
        for (int i = 0; i < 3; i++) values[i] = atoi(argv[i + 1]);
        run();
        return 0;
    }
    for (values[0] = 0; values[0] < 4; values[0]++)
        for (values[1] = 0; values[1] < 4; values[1]++)
            for (values[2] = 0; values[2] < 4; values[2]++) run();
    return 0;
}
"#;

/// What fails first in some run, as the compiled program has it: the kind, and the line but for checks.
fn first_failures(binary: &Path, inputs: &[String]) -> BTreeSet<(String, u64)> {
    let output = Command::new(binary).args(inputs).output().expect("the program runs");
    assert!(output.status.success(), "{}", binary.display());
    let told = String::from_utf8(output.stdout).expect("text");
    let failure = |line: &str| {
        let (kind, line) = line.split_once(' ').expect("a kind and a line");
        let line = if kind == "division" || kind == "bounds" { 0 } else { line.parse().expect("a line") };
        (kind.to_owned(), line)
    };
    told.lines().map(failure).collect()
}

#[test]
fn what_can_fail_first_is_what_is_violated() {
    if !testkit::compiler::is_there("gcc", "verdicts of single assertions are not compared with it") {
        return;
    }
    let is_deep = std::env::var_os("CONCORD_DEEP").is_some();
    let driver = folder().join("driver.c");
    std::fs::write(&driver, DRIVER).expect("written");
    let (mut wrong, mut failing, mut proved, mut all_open) = (String::new(), 0, 0, 0);
    for seed in 0..if is_deep { PROGRAMS_IN_DEPTH } else { PROGRAMS } {
        let (file, binary) = (folder().join(format!("p{seed}.c")), folder().join(format!("p{seed}.out")));
        std::fs::write(&file, program(seed)).expect("written");
        let made = Command::new("gcc")
            .args(["-w", "-O0", "-DDRIVEN", "-Dmain=program_main", "-c", "-o"])
            .arg(binary.with_extension("o"))
            .arg(&file)
            .status()
            .expect("gcc runs");
        assert!(made.success(), "{}", file.display());
        let linked = Command::new("gcc")
            .args(["-w", "-o"])
            .args([&binary, &driver, &binary.with_extension("o")])
            .status()
            .expect("gcc runs");
        assert!(linked.success(), "{}", file.display());
        let expected = first_failures(&binary, &[]);
        let (status, result) =
            verify(&file, &["--checks", "division,bounds", "--failures", "all", "--time-limit", "60s"]);
        let (mut found, mut open) = (BTreeSet::new(), BTreeSet::new());
        for part in result["parts"].as_array().expect("a list") {
            let name = |part: &Value| {
                let kind = part["kind"].as_str().expect("a kind").to_owned();
                (kind, part["at"]["line"].as_u64().unwrap_or(0))
            };
            let name = name(part);
            match part["verdict"].as_str() {
                Some("holds") => proved += 1,
                Some("violated") => {
                    let values = part["counterexample"]["inputs"].as_array().expect("inputs").iter();
                    let mut inputs: Vec<String> =
                        values.map(|one| one["value"].as_str().expect("a value").to_owned()).collect();
                    inputs.resize(3, "0".to_owned());
                    if first_failures(&binary, &inputs) != BTreeSet::from([name.clone()]) {
                        writeln!(wrong, "{}: {name:?} does not fail with {inputs:?}", file.display())
                            .expect("a string");
                    }
                    failing += 1;
                    found.insert(name);
                }
                // Of two things that one step does wrong, one of them set aside, nobody says which is the first.
                _ if name.0 == "bounds" && part["reason"].to_string().contains("divided by zero") => {
                    open.insert(name);
                }
                _ => writeln!(wrong, "{}: {name:?} is open: {}", file.display(), part["reason"])
                    .expect("a string"),
            }
        }
        all_open += open.len();
        if !found.is_subset(&expected)
            || !expected.iter().all(|one| found.contains(one) || open.contains(one))
        {
            writeln!(wrong, "{}: {found:?} are violated, but gcc has {expected:?}", file.display())
                .expect("a string");
        }
        if status != Some(if expected.is_empty() { 0 } else { 1 }) {
            writeln!(wrong, "{}: exit status {status:?}", file.display()).expect("a string");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let is_telling = failing > 40 && proved > 40 && all_open * 10 < failing;
    assert!(is_telling, "{failing} parts fail, {proved} hold, {all_open} are open");
}

/// One that cannot fail but where another failed before, one that does, one that is never come to.
const SEVERAL: &str = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int b[4];
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 5) return 0;
    assert(x != 3);
    assert(x != 3 || x == 9);
    assert(x != 4);
    b[x] = 1;
    return 8 / (x - 2);
}
";

fn several() -> PathBuf {
    let file = folder().join("several.c");
    std::fs::write(&file, SEVERAL).expect("written");
    file
}

#[test]
fn every_failure_is_told_with_its_run() {
    let told = words(&several(), &["--checks", "division,bounds,shift", "--time-limit", "60s"]);
    let told = told.replace(&*folder().to_string_lossy(), "");
    for expected in [
        "  3 assertions, 3 checks: 4 can fail, 2 proved, each as long as nothing else fails before\n",
        "    VIOLATED  /several.c:7: assertion `x != 3`\n",
        "    HOLDS     /several.c:8: assertion `x != 3 || x == 9`\n",
        "    VIOLATED  /several.c:9: assertion `x != 4`\n",
        "    VIOLATED  division: 8 is divided by zero at /several.c:11\n",
        "    HOLDS     shift: no shift by a wrong count\n",
        "    VIOLATED  bounds: index 5 is past the end of `b[4]` at /several.c:10\n",
        "VIOLATED: assertion `x != 3` fails at /several.c:7\n",
        "VIOLATED: assertion `x != 4` fails at /several.c:9\n",
        "VIOLATED: 8 is divided by zero at /several.c:11\n",
        "VIOLATED: index 5 is past the end of `b[4]` at /several.c:10\n",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    let first = words(&several(), &["--failures", "first"]);
    assert_eq!(first.matches("VIOLATED").count(), 1, "{first}");
    let (file, property) = (folder().join("two.c"), folder().join("two.prp"));
    let two = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { if (__VERIFIER_nondet_int() == 1) reach_error(); if (__VERIFIER_nondet_int() == 2) reach_error(); return 0; }
";
    std::fs::write(&file, two).expect("written");
    std::fs::write(&property, "CHECK( init(main()), LTL(G ! call(reach_error())) )\n").expect("written");
    let helper = folder().join("helper.c");
    let text = two.replace("int main", "static void check(int c) { if (!c) reach_error(); }\nint main");
    let text = text
        .replace("if (__VERIFIER_nondet_int() == 1) reach_error();", "check(__VERIFIER_nondet_int() != 1);");
    std::fs::write(&helper, text).expect("written");
    let told = words(&helper, &[]).replace(&*folder().to_string_lossy(), "");
    let expected = "VIOLATED: `reach_error` is called at /helper.c:2 (called from `main` at /helper.c:3)\n";
    assert!(told.contains(expected), "{told}");
    let of_file = words(&file, &["--property", &property.to_string_lossy()]);
    assert_eq!((of_file.matches("VIOLATED").count(), words(&file, &[]).matches("VIOLATED").count()), (1, 4));
}

#[test]
fn formats_agree() {
    // Past undefined behaviour that nobody asks about, nothing is known.
    let unasked = words(&several(), &["--time-limit", "60s"]);
    assert!(unasked.contains("try: ask about it with --checks default"), "{unasked}");
    let checks = ["--checks", "bounds,division", "--time-limit", "60s"];
    let (status, result) = verify(&several(), &checks);
    assert_eq!((status, &result["verdict"]), (Some(1), &Value::from("violated")));
    let verdicts: Vec<&str> = result["parts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["violated", "holds", "violated", "violated", "violated"]);
    let message = result["message"].as_str().expect("a message");
    let told = words(&several(), &checks);
    assert_eq!(told.lines().next(), Some(&*format!("VIOLATED: {message}")));
    let sarif = words(&several(), &[&checks[..], &["--format", "sarif"]].concat());
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let kinds: Vec<&str> = results.iter().filter_map(|one| one["kind"].as_str()).collect();
    assert_eq!(kinds, ["fail", "fail", "fail", "fail", "pass"], "{results:?}");
    let lines: BTreeSet<u64> = { results.iter() }
        .filter_map(|one| one["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64())
        .collect();
    assert_eq!(lines, BTreeSet::from([7, 8, 9, 10, 11]));
    assert!(
        results[0]["message"]["text"].as_str().is_some_and(|text| text.starts_with(message)),
        "{results:?}"
    );
}

/// What nobody can prove stays open, and what was proved beside it is told.
#[test]
fn what_is_proved_beside_an_open_assertion_is_told() {
    let file = folder().join("open.c");
    let text = "#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned rounds = __VERIFIER_nondet_uint(), done = 0;
    unsigned long number = 1;
    while (done < rounds) {
        number = number * 6364136223846793005ul + 1442695040888963407ul;
        done++;
        assert(done <= rounds);
    }
    assert(done == rounds);
    assert(number != 42);
    return 0;
}
";
    std::fs::write(&file, text).expect("written");
    let (status, result) = verify(&file, &["--time-limit", "15s"]);
    assert_eq!(status, Some(3), "{result}");
    assert_eq!(result["verdict"], "undecided");
    let verdicts: Vec<&str> = result["parts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["holds", "holds", "undecided"], "{result}");
    let told = words(&file, &["--time-limit", "15s"]);
    assert!(told.contains("3 assertions: 1 open, 2 proved"), "{told}");
}

#[test]
fn lists_of_checks_are_read_and_misspelt_names_get_a_suggestion() {
    let told = words(&several(), &["--checks", "default,-bounds,-division"]);
    assert!(told.contains("3 assertions, 5 checks: ") && !told.contains("bounds: "), "{told}");
    let refused = |list: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .arg("verify")
            .arg(several())
            .arg(format!("--checks={list}"))
            .output()
            .expect("concord runs");
        assert_eq!(output.status.code(), Some(2), "{list}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("all,bouds").contains("there is no check `bouds`; did you mean `bounds`?"));
    assert!(refused("-leak").contains("such as `all,-leak`"));
}

#[test]
fn lines_that_no_run_reaches_are_told() {
    let file = folder().join("lines.c");
    let text = "extern unsigned __VERIFIER_nondet_uint(void);
static void never(void) {
    __VERIFIER_nondet_uint();
}
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x > 10) return 1;
    if (x * 2 > 20)
        x = 7;
    while (x > 0)
        x--;
    return 0;
}
";
    std::fs::write(&file, text).expect("written");
    let (_, result) = verify(&file, &["--coverage", "--time-limit", "60s"]);
    let lines = result["coverage"].as_array().expect("a list").iter();
    let lines: Vec<(u64, &str)> = lines
        .map(|one| (one["line"].as_u64().expect("a line"), one["reached"].as_str().expect("a word")))
        .collect();
    let (yes, no) = ("reached", "unreachable");
    let expected = [(3, no), (6, yes), (7, yes), (8, yes), (9, no), (10, yes), (11, yes), (12, yes)];
    for line in expected {
        assert!(lines.contains(&line), "{line:?} of {lines:?}");
    }
    assert!(result["statistics"]["peak_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20), "{result}");
    let told = words(&file, &["--coverage", "-v", "--time-limit", "60s"]);
    let told = told.replace(&*folder().to_string_lossy(), "");
    assert!(
        told.contains("  no run reaches /lines.c:3") && told.contains("  no run reaches /lines.c:9\n"),
        "{told}"
    );
    assert!(told.contains(" MB of memory at most"), "{told}");
}

/// What `cleanup` asks for has `leak` in it: neither is told to hold because only the other was asked.
#[test]
fn memory_that_is_left_is_told_however_the_program_ends() {
    let text = "#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(4), x = __VERIFIER_nondet_int();
    assert(x != 2);
    if (x == 1) abort();
    if (x != 0) free(p);
    return 0;
}
";
    let file = folder().join("left.c");
    for (text, checks, expected) in [
        (text.to_owned(), "leak,bounds", "[HOLDS bounds, VIOLATED leak]"),
        (text.to_owned(), "cleanup,bounds", "[HOLDS bounds, VIOLATED cleanup]"),
        // Nothing is left but where it is aborted.
        (text.replace("if (x != 0)", ""), "cleanup,bounds", "[HOLDS bounds, VIOLATED cleanup]"),
        (text.replace("if (x != 0)", ""), "leak,bounds", "[HOLDS bounds, HOLDS leak]"),
    ] {
        std::fs::write(&file, text).expect("written");
        let (status, result) = verify(&file, &["--checks", checks, "--time-limit", "60s"]);
        let parts = result["parts"].as_array().expect("a list").iter();
        let told: Vec<String> = parts
            .filter(|part| part["kind"] != "assertion")
            .map(|part| {
                let word = |name: &str| part[name].as_str().expect("a word").to_owned();
                format!("{} {}", word("verdict").to_uppercase(), word("kind"))
            })
            .collect();
        assert_eq!(
            (format!("[{}]", told.join(", ")).as_str(), status),
            (expected, Some(1)),
            "{checks}: {result}"
        );
    }
}
