//! Limits hold for every verb from the start of the process, reading included; several questions share the
//! time; and what cannot be written is an error. Bounds are generous: the machine may be busy.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A time limit, and what a run under it may take on a busy machine before the test fails.
const LIMIT: &str = "2s";
const MOST: Duration = Duration::from_secs(40);

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits");
    std::fs::create_dir_all(&directory).expect("it can be made");
    directory.join(name)
}

fn written(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).expect("written");
    path.to_string_lossy().into_owned()
}

fn concord(arguments: &[&str]) -> (Output, Duration) {
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("concord can be run");
    (output, started.elapsed())
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "limits are tried on preprocessed files only")
}

/// Macros that double their text some thirty times over: preprocessing never ends in time.
fn macro_bomb() -> String {
    let mut text = String::from("#define A0 + 1\n");
    for level in 1..34 {
        text.push_str(&format!("#define A{level} A{} A{}\n", level - 1, level - 1));
    }
    text.push_str("int main(void) { return 0 A33; }\n");
    text
}

/// A file that takes long to read, without a preprocessor: statements without end, one function each.
fn long_file() -> String {
    let mut text = String::new();
    for number in 0..150_000 {
        text.push_str(&format!("int f{number}(int x) {{ int a[3] = {{ x, x + {number}, 7 }}; if (a[1] > x) a[2] = a[0] * {number}; return a[2] + a[x & 1]; }}\n"));
    }
    text.push_str("int main(void) { return f0(1); }\n");
    text
}

#[test]
fn preprocessing_ends_with_the_time_for_every_verb() {
    if !has_compiler() {
        return;
    }
    let file = written("macro_bomb.c", &macro_bomb());
    let verbs: [&[&str]; 5] =
        [&["verify"], &["analyze"], &["run"], &["check", "--deadlock"], &["draw", "cfg"]];
    for verb in verbs {
        let (output, took) = concord(&[verb, &[&file, "--time-limit", LIMIT]].concat());
        assert_eq!(output.status.code(), Some(3), "{verb:?}: {output:?}");
        assert!(took < MOST, "{verb:?}: {took:?}");
        let told = [output.stdout, output.stderr].concat();
        assert!(String::from_utf8_lossy(&told).contains("the time limit was reached"), "{verb:?}");
    }
}

#[test]
fn preprocessing_keeps_to_the_memory_limit() {
    if !has_compiler() {
        return;
    }
    let file = written("memory_bomb.c", &macro_bomb());
    let (output, _) = concord(&["verify", &file, "--memory-limit", "200M", "--time-limit", "120s"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("the memory limit was reached"), "{told}");
}

#[test]
fn reading_ends_with_the_time_in_every_format() {
    let file = written("long.i", &long_file());
    for format in ["human", "json", "sarif"] {
        let (output, took) = concord(&["verify", &file, "--time-limit", "1s", "--format", format]);
        assert_eq!(output.status.code(), Some(3), "{format}");
        assert!(took < MOST, "{format}: {took:?}");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(told.contains("the time limit was reached"), "{told}");
        if format != "human" {
            let document: Value = serde_json::from_str(&told).expect("JSON");
            assert!(
                document["results"][0]["verdict"] == "undecided" || document["runs"].is_array(),
                "{told}"
            );
        }
    }
}

/// Deep nesting and initialisers without end are read, refused or given up, but in time.
#[test]
fn odd_shapes_are_read_in_time() {
    let deep = format!("int main(void) {{ return {}1{}; }}\n", "(".repeat(100_000), ")".repeat(100_000));
    let sum = format!("int main(void) {{ return 0{}; }}\n", " + 1".repeat(300_000));
    let table = format!("int a[] = {{ {} }}; int main(void) {{ return a[0]; }}\n", "1, ".repeat(1_000_000));
    for (name, text) in [("deep.i", deep), ("sum.i", sum), ("table.i", table)] {
        let file = written(name, &text);
        let (output, took) = concord(&["verify", &file, "--time-limit", LIMIT]);
        assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{name}: {:?}", output.status);
        assert!(took < MOST, "{name}: {took:?}");
    }
}

/// One hard question among easy ones: the easy ones are answered all the same.
#[test]
fn one_question_does_not_use_up_the_time_of_the_others() {
    // Counters that are tied to their neighbours: far too many states to be explored state by state.
    let model = "const N = 30\nrange T = 0..N\n\
        HARD(I=0) = C[0], C[k:T] = (when (k < N) put[I] -> C[k+1] | when (k > 0) put[I+1] -> C[k-1] \
        | swap[I] -> C[N-k] | swap[I+1] -> C[k]).\n\
        ||HARDS = (forall [i:1..7] HARD(i)).\nEASY = (a -> b -> EASY).\n";
    let file = written("shares.lts", model);
    let (output, took) = concord(&[
        "model",
        &file,
        "--process",
        "HARDS",
        "--process",
        "EASY",
        "--check",
        "deadlock",
        "--engine",
        "explicit",
        "--time-limit",
        LIMIT,
        "--format",
        "json",
    ]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let verdicts: Vec<(&str, &str)> = document["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| (result["property"].as_str().expect("text"), result["verdict"].as_str().expect("text")))
        .collect();
    assert_eq!(verdicts, [("HARDS: deadlock", "undecided"), ("EASY: deadlock", "holds")]);
    assert_eq!(output.status.code(), Some(3));
    assert!(took < MOST, "{took:?}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_work() {
    let good = written("good.i", "int main(void) { return 0; }\n");
    let model = written("p.lts", "P = (a -> b -> P).\n");
    let boolean = written("b.bp", "decl g; void main() begin g := F; assert(!g); end\n");
    let nowhere = scratch("no such directory/file").to_string_lossy().into_owned();
    let mut cases: Vec<Vec<&str>> = Vec::new();
    for option in ["--harness", "--write-inputs", "--certificate", "--witness", "--boolean"] {
        cases.push(vec!["verify", &good, option, &nowhere]);
    }
    let folder = scratch("").to_string_lossy().into_owned();
    for option in ["--results", "--resume"] {
        cases.push(vec!["verify", &folder, option, &nowhere]);
    }
    for option in ["--save", "--save-counterexample", "--save-assumption"] {
        cases.push(vec!["model", &model, option, &nowhere]);
    }
    cases.push(vec!["run", &good, "--report", &nowhere]);
    cases.push(vec!["draw", "cfg", &good, "--as", "dot", "-o", &nowhere]);
    cases.push(vec!["bool", &boolean, "--certificate", &nowhere]);
    let below_a_file = format!("{good}/folder");
    cases.push(vec!["check", &good, "--deadlock", "--save", &below_a_file]);
    for case in cases {
        let (output, _) = concord(&case);
        assert_eq!(output.status.code(), Some(2), "{case:?}: {output:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("cannot be"), "{case:?}: {told}");
        assert!(output.stdout.is_empty(), "{case:?}: the work was done");
    }
}

/// `/dev/full` can be opened, and refuses every byte.
#[test]
fn a_full_disk_is_an_error() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let good = written("full.i", "int main(void) { return 0; }\n");
    let bad = written(
        "full_bad.i",
        "void reach_error(void); int __VERIFIER_nondet_int(void); int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }\n",
    );
    let hello = written("hello.i", "int puts(const char *); int main(void) { puts(\"hello\"); return 0; }\n");
    let model = written("full.lts", "P = (a -> b -> P).\n");
    let boolean = written("full.bp", "decl g; void main() begin g := F; assert(!g); end\n");
    // The answer is given, and that its file could not be written.
    let with_files: [(&[&str], &str); 4] = [
        (&["verify", &good, "--certificate", "/dev/full"], "HOLDS"),
        (&["verify", &bad, "--harness", "/dev/full"], "VIOLATED"),
        (&["verify", &bad, "--witness", "/dev/full"], "VIOLATED"),
        (&["run", &good, "--report", "/dev/full"], ""),
    ];
    for (case, answer) in with_files {
        let (output, _) = concord(case);
        assert_eq!(output.status.code(), Some(5), "{case:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(answer), "{case:?}: {output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot be written"),
            "{case:?}: {output:?}"
        );
    }
    let verbs: [&[&str]; 10] = [
        &["verify", &good],
        &["verify", &bad],
        &["analyze", &good],
        &["analyze", &good, "--format", "json"],
        &["check", &good, "--deadlock"],
        &["model", &model],
        &["bool", &boolean],
        &["draw", "cfg", &good],
        &["run", &hello],
        &["man"],
    ];
    for case in verbs {
        let out = std::fs::OpenOptions::new().write(true).open(full).expect("it can be opened");
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(case)
            .stdin(Stdio::null())
            .stdout(out)
            .output()
            .expect("concord can be run");
        assert_eq!(output.status.code(), Some(5), "{case:?}: {output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot be written"),
            "{case:?}: {output:?}"
        );
    }
}
