//! Programs with threads, each with what is asked and what is right in its first line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn verify(file: &Path, further: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .arg(file)
        .args(["--time-limit", "60s"])
        .args(further)
        .output()
        .expect("it runs")
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "programs with threads include headers")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads")
}

/// All programs of the folder about these questions, each with its expectation in the first line: the question, the verdict, further options.
fn expect_of(questions: impl Fn(&str) -> bool) {
    if !has_compiler() {
        return;
    }
    let entries = std::fs::read_dir(folder()).expect("the programs are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files {
        let source = std::fs::read_to_string(&file).expect("readable");
        let expectation =
            source.lines().next().and_then(|line| line.strip_prefix("// ")).expect("an expectation");
        let mut words = expectation.split_whitespace();
        let (asked, verdict) = (words.next().expect("a question"), words.next().expect("a verdict"));
        if !questions(asked) {
            continue;
        }
        count += 1;
        let as_asked: Vec<&str> = words.collect();
        let folder = scratch(&format!("{}", count));
        let schedule = folder.join("run.schedule");
        let mut further = as_asked.clone();
        if asked != "assert" {
            further.extend(["--checks", asked]);
        }
        // A run does not fail by leaving something behind, and one thread has no schedule.
        let has_threads = ["_create", "ASYNC", "--threads"].iter().any(|word| source.contains(word));
        let is_repeated = verdict == "VIOLATED" && asked != "leak" && has_threads;
        if is_repeated {
            further.extend(["--write-schedule", schedule.to_str().expect("plain")]);
        }
        let output = verify(&file, &further);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        // What takes long may stay open on a busy machine.
        let is_as_expected = match verdict {
            "NOT-VIOLATED" => told.starts_with("HOLDS") || told.starts_with("UNDECIDED"),
            verdict => told.starts_with(verdict),
        };
        if !is_as_expected {
            wrong.push(format!("{}: not {verdict}\n{told}", file.display()));
        } else if is_repeated {
            // Who found the run is nothing to who makes it again.
            let engine = as_asked.iter().position(|word| *word == "--engine");
            let mut how_it_starts = as_asked.clone();
            engine.into_iter().for_each(|at| drop(how_it_starts.drain(at..at + 2)));
            wrong.extend(is_not_repeated(&file, &schedule, &how_it_starts));
        }
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
    assert!(count > 3, "there are programs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn assertions_of_threads_are_right() {
    expect_of(|asked| asked == "assert");
}

#[test]
fn races_of_threads_are_right() {
    expect_of(|asked| asked == "race");
}

#[test]
fn deadlocks_of_threads_are_right() {
    expect_of(|asked| asked == "deadlock");
}

#[test]
fn other_checks_of_threads_are_right() {
    expect_of(|asked| !["assert", "race", "deadlock"].contains(&asked));
}

fn run(file: &Path, schedule: &Path, further: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("run")
        .arg(file)
        .arg("--schedule")
        .arg(schedule)
        .args(further)
        .output()
        .expect("it runs")
}

/// A folder of our own for files that a test writes.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("concord-threads-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

/// The schedule of a violation must fail again; in words if not. How the program starts and what its steps are is the same in the run; what is asked is told by the schedule.
fn is_not_repeated(file: &Path, schedule: &Path, further: &[&str]) -> Option<String> {
    let output = run(file, schedule, further);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let fails =
        matches!(output.status.code(), Some(1 | 134)) && !told.contains("not the one of the schedule");
    (!fails).then(|| format!("{}: its schedule does not fail: {told}", file.display()))
}

/// Runs of a harness; each must fail.
const RUNS: u32 = 20;

/// Compiles a harness as it says itself, and runs it; in words where a run does not fail as planned.
fn does_not_fail(harness: &Path, runs: u32) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    const ABORTED: i32 = 6;
    const DEADLOCKED: i32 = 86;
    let compiled = harness.with_extension("run");
    let text = std::fs::read_to_string(harness).expect("the harness is written");
    let line = text.lines().find(|line| line.contains("gcc ")).expect("it says how it is compiled");
    let line = line.split("this_file.c").next().expect("it has a beginning");
    let mut words = line.split_whitespace();
    let gcc = Command::new(words.next().expect("a compiler"))
        .args(words)
        .arg(harness)
        .args(["-lm", "-o"])
        .arg(&compiled)
        .output()
        .expect("it runs");
    if !gcc.status.success() {
        return Some(String::from_utf8_lossy(&gcc.stderr).into_owned());
    }
    for _ in 0..runs {
        let output = Command::new(&compiled).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_failure = ["Assertion", "data race", "is called"].iter().any(|words| told.contains(words));
        let is_deadlock = output.status.code() == Some(DEADLOCKED) && told.contains("wait for ever");
        let is_planned = is_deadlock || (output.status.signal() == Some(ABORTED) && is_failure);
        if !is_planned {
            return Some(format!("{}: {told}", output.status));
        }
    }
    None
}

#[test]
fn harnesses_take_the_schedule_and_fail_every_time() {
    if !testkit::compiler::is_there("gcc", "harnesses of threads are compiled") {
        return;
    }
    let folder = scratch("harness");
    let deadlock = &["--checks", "deadlock"][..];
    let programs: [(&str, &[&str]); 12] = [
        ("count_without_lock.c", &[]),
        ("condition_if.c", &[]),
        ("loops_after_write.c", &[]),
        ("race_two_locks.c", &["--checks", "race"]),
        ("deadlock_barrier_for_three.c", deadlock),
        ("deadlock_crossed_locks.c", deadlock),
        ("deadlock_join_cycle.c", deadlock),
        ("deadlock_lost_signal.c", deadlock),
        ("deadlock_owner_ended.c", deadlock),
        ("deadlock_reader_ended.c", deadlock),
        ("deadlock_semaphore.c", deadlock),
        ("deadlock_woken_without_mutex.c", deadlock),
    ];
    for (name, further) in programs {
        let harness = folder.join(name);
        let mut options = further.to_vec();
        options.extend(["--harness", harness.to_str().expect("plain")]);
        verify(&self::folder().join(name), &options);
        assert_eq!(does_not_fail(&harness, RUNS), None, "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// Whoever holds the lock must be one of those that wait, or have ended: a harness that leaves it out of them says that the run is another.
#[test]
fn a_harness_tells_no_deadlock_where_somebody_may_release() {
    if !testkit::compiler::is_there("gcc", "harnesses of threads are compiled") {
        return;
    }
    let folder = scratch("forged");
    let harness = folder.join("harness.c");
    let options = ["--checks", "deadlock", "--harness", harness.to_str().expect("plain")];
    verify(&self::folder().join("deadlock_crossed_locks.c"), &options);
    assert_eq!(does_not_fail(&harness, 1), None);
    let text = std::fs::read_to_string(&harness).expect("the harness is written");
    let is_of_the_second = |line: &&str| line.contains("\"thread 2 waits");
    let lines: Vec<&str> = text.lines().filter(|line| !is_of_the_second(line)).collect();
    let forged = lines.join("\n").replace("#define __C_STUCK 3", "#define __C_STUCK 2");
    std::fs::write(&harness, format!("{forged}\n")).expect("it can be written");
    let found = does_not_fail(&harness, 1).expect("it does not fail as planned");
    assert!(found.contains("the run is not the planned one"), "{found}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// Random programs whose harnesses are compiled; more with `CONCORD_DEEP`.
const PROGRAMS: u64 = 24;
const PROGRAMS_IN_DEPTH: u64 = 1_000;

#[test]
fn harnesses_of_random_programs_fail_too() {
    if !testkit::compiler::is_there("gcc", "harnesses of threads are compiled") {
        return;
    }
    let folder = scratch("random");
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    let mut made = 0;
    for seed in 0..programs {
        let file = folder.join("program.c");
        std::fs::write(&file, testkit::races::program(seed)).expect("it can be written");
        for asked in [&[][..], &["--checks", "race"], &["--checks", "deadlock"]] {
            let further = [&["--engine", "all-runs"], asked].concat();
            let harness = folder.join("harness.c");
            let _ = std::fs::remove_file(&harness);
            let mut options = further.clone();
            options.extend(["--harness", harness.to_str().expect("plain")]);
            verify(&file, &options);
            if harness.exists() {
                made += 1;
                assert_eq!(does_not_fail(&harness, 3), None, "seed {seed}, {further:?}");
            }
        }
    }
    assert!(made * 5 > programs, "few harnesses are made: {made}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn proofs_about_threads_are_audited_from_their_file() {
    if !has_compiler() {
        return;
    }
    let folder = scratch("certificate");
    let (file, certificate) = (self::folder().join("count_with_lock.c"), folder.join("proof.json"));
    let written = certificate.to_str().expect("plain");
    for (further, engine) in [(&[][..], "k-induction"), (&["--checks", "race"], "bmc")] {
        let mut options = further.to_vec();
        options.extend(["--engine", engine, "--certificate", written]);
        let told = String::from_utf8_lossy(&verify(&file, &options).stdout).into_owned();
        assert!(told.starts_with("HOLDS"), "{told}");
        let audit = |file: &Path| {
            let output = Command::new(env!("CARGO_BIN_EXE_concord"))
                .arg("audit")
                .arg(&certificate)
                .arg(file)
                .args(["--solver-command", "none"])
                .output()
                .expect("it runs");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let told = audit(&file);
        assert!(told.starts_with("ACCEPTED"), "{told}");
        // The same proof about a program that can fail.
        let text = std::fs::read_to_string(&certificate).expect("it is written");
        let wrong = self::folder().join("count_without_lock.c");
        let hash = |file: &Path| evidence::sha256(&std::fs::read(file).expect("readable"));
        std::fs::write(&certificate, text.replace(&hash(&file), &hash(&wrong))).expect("it is ours");
        let told = audit(&wrong);
        assert!(!told.starts_with("ACCEPTED"), "{told}");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// A proof for any number of threads, and its certificate.
struct ForAny {
    file: PathBuf,
    certificate: PathBuf,
    right: serde_json::Value,
}

impl ForAny {
    fn prove(file: PathBuf, folder: &Path) -> ForAny {
        let certificate = folder.join("proof.json");
        let told = verify(&file, &["--certificate", certificate.to_str().expect("plain")]);
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.starts_with("HOLDS") && told.contains("for any number of threads"), "{told}");
        let text = std::fs::read_to_string(&certificate).expect("it is written");
        let right = serde_json::from_str(&text).expect("it is JSON");
        let proof = ForAny { file, certificate, right };
        let told = proof.audit(&proof.right, &proof.file);
        assert!(told.starts_with("ACCEPTED"), "{told}");
        proof
    }

    fn audit(&self, document: &serde_json::Value, file: &Path) -> String {
        std::fs::write(&self.certificate, document.to_string()).expect("it is ours");
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .arg("audit")
            .arg(&self.certificate)
            .arg(file)
            .args(["--solver-command", "none"])
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What was changed must not be accepted.
    fn refuses(&self, what: &str, change: impl Fn(&mut serde_json::Value)) {
        let mut forged = self.right.clone();
        change(&mut forged);
        assert_ne!(forged, self.right, "{what}");
        let told = self.audit(&forged, &self.file);
        assert!(!told.starts_with("ACCEPTED"), "{what}: {told}");
    }
}

fn conditions(document: &mut serde_json::Value) -> &mut Vec<serde_json::Value> {
    document["threads"]["any"]["conditions"].as_array_mut().expect("there are conditions")
}

fn counted(document: &mut serde_json::Value) -> &mut Vec<serde_json::Value> {
    document["threads"]["any"]["counts"][0].as_array_mut().expect("something is counted")
}

/// Certificates of proofs for any number of threads are audited from their file; what leaves a part out, says less or speaks of other threads does not pass for one.
#[test]
fn proofs_for_any_number_of_threads_are_audited_from_their_file() {
    if !has_compiler() {
        return;
    }
    let folder = scratch("any_number");
    let proof = ForAny::prove(self::folder().join("positive_numbers.c"), &folder);
    let is_own = |condition: &serde_json::Value| !condition["fact"]["left"]["own"].is_null();
    proof.refuses("no conditions", |forged| conditions(forged).clear());
    proof.refuses("without what a thread knows", |forged| conditions(forged).retain(|one| !is_own(one)));
    proof.refuses("less of what a thread knows", |forged| {
        for one in conditions(forged).iter_mut().filter(|one| is_own(one)) {
            one["fact"]["right"] = serde_json::json!({ "number": "-3" });
        }
    });
    proof.refuses("other threads know it", |forged| {
        for one in conditions(forged).iter_mut().filter(|one| is_own(one)) {
            one["at"][0][0] = serde_json::json!(1 - one["at"][0][0].as_i64().expect("a kind"));
        }
    });
    proof.refuses("the conditions are not claimed", |forged| {
        let functions = forged["property"]["functions"].as_array_mut().expect("functions");
        functions.retain(|name| name != program::BROKEN_CONDITION);
    });
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/reference_count");
    let proof = ForAny::prove(examples.join("reference_count.c"), &folder);
    proof.refuses("one more than are counted", |forged| {
        for one in conditions(forged).iter_mut().filter(|one| !one["fact"]["counts"].is_null()) {
            one["fact"]["more"] = serde_json::json!(1);
        }
    });
    proof.refuses("users of the object are not counted", |forged| {
        counted(forged).retain(|weight| weight[0] != 0);
    });
    proof.refuses("other threads are counted", |forged| {
        for weight in counted(forged) {
            weight[0] = serde_json::json!(1 - weight[0].as_i64().expect("a kind"));
        }
    });
    proof.refuses("nothing is known where threads are chosen", |forged| {
        let loops = forged["loops"].as_array_mut().expect("loops");
        loops.iter_mut().for_each(|one| one["conditions"] = serde_json::json!([]));
    });
    proof.refuses("two threads", |forged| forged["threads"] = serde_json::json!({ "most_at_once": 2 }));
    // Users would never get on: what is false leaves out all that the others do.
    proof.refuses("nobody is there", |forged| {
        conditions(forged).push(serde_json::json!({ "at": [[0, 1]], "fact": "never", "words": "" }));
    });
    // The same proof about the program with a mistake.
    let wrong = examples.join("reference_count_bug.c");
    let hash = |file: &Path| evidence::sha256(&std::fs::read(file).expect("readable"));
    let text = proof.right.to_string().replace(&hash(&proof.file), &hash(&wrong));
    let told = proof.audit(&serde_json::from_str(&text).expect("it is JSON"), &wrong);
    assert!(!told.starts_with("ACCEPTED"), "{told}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn each_thread_has_a_flow_of_its_own() {
    if !has_compiler() {
        return;
    }
    let output = verify(&folder().join("count_without_lock.c"), &["--format", "sarif"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let flows = &document["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
    assert_eq!(flows.as_array().map(Vec::len), Some(3), "{flows:#}");
    let told = flows[1]["message"]["text"].as_str().expect("it has a message");
    assert_eq!(told, "thread 1, which runs f");
}

#[test]
fn schedules_that_do_not_fit_are_told_so() {
    if !has_compiler() {
        return;
    }
    let folder = scratch("misfit");
    let file = self::folder().join("count_without_lock.c");
    let tell = |text: &str| {
        let schedule = folder.join("wrong.schedule");
        std::fs::write(&schedule, text).expect("it can be written");
        String::from_utf8_lossy(&run(&file, &schedule, &[]).stderr).into_owned()
    };
    let told = tell("concord-schedule 1\nthreads 0 0.1\nsteps 0*1 2*1\n");
    assert!(told.contains("line 3: there is no thread 2"), "{told}");
    let told = tell("concord-schedule 1\nthreads 0 0.1 0.2\nsteps 0*1 2*1\n");
    assert!(
        told.contains("before visible step 2, thread 2 (0.2) is to run but has not been created"),
        "{told}"
    );
    let told = tell("concord-schedule 1\nthreads 0 0.1 0.2\nsteps 0*5\n");
    assert!(told.contains("thread 0 (0) is to run but waits for another thread"), "{told}");
    let told = tell("concord-schedule 1\nthreads 0 0.1 0.2\nsteps 0*4 1*3 2*3 0*400\n");
    assert!(told.contains("visible steps of the schedule"), "{told}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_run_has_a_column_for_each_thread() {
    if !has_compiler() {
        return;
    }
    let output = verify(&folder().join("count_without_lock.c"), &[]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("column 3: thread 2, which runs `f`, created at"), "{told}");
    assert!(!told.contains("next thread"), "{told}");
    assert!(told.contains("memory is sequentially consistent"), "{told}");
}

/// Assertions in comments: where they may stand, what they may say, and what is not read.
#[test]
fn assertions_in_comments_are_assertions() {
    if !has_compiler() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comments");
    let mut wrong = Vec::new();
    let files = testkit::c::files_below(&folder);
    assert!(files.len() > 30);
    for file in files {
        let source = std::fs::read_to_string(&file).expect("readable");
        let mut words = source
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// "))
            .expect("an expectation")
            .split_whitespace();
        let verdict = words.next().expect("a verdict");
        let output = verify(&file, &[]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let warned = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_unread = told.contains("annotations in comments are not read") && warned.contains("not read");
        if !told.starts_with(verdict) || is_unread != (words.next() == Some("unread")) {
            wrong.push(format!("{}: not {verdict}\n{told}{warned}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_failing_assertion_in_a_comment_is_shown_at_its_place() {
    if !has_compiler() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comments/continued_line.c");
    let told = String::from_utf8_lossy(&verify(&file, &[]).stdout).into_owned();
    assert!(
        told.contains("VIOLATED: assertion `x == 2` fails at") && told.contains("continued_line.c:3"),
        "{told}"
    );
    let harness = std::env::temp_dir().join(format!("concord-comment-{}.c", std::process::id()));
    let output = verify(&file, &["--harness", &harness.to_string_lossy()]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("stands in a comment"), "{output:?}");
    assert!(!harness.exists());
    // Where assertions are not asked about, a comment changes nothing.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comments/behind_label.c");
    assert_eq!(verify(&file, &["--label", "L"]).status.code(), Some(1));
    let run = Command::new(env!("CARGO_BIN_EXE_concord")).arg("run").arg(&file).output().expect("it runs");
    assert_eq!(run.status.code(), Some(134), "{run:?}");
}

#[test]
fn nonsense_about_threads_is_refused() {
    let file = folder().join("entry_two.c");
    for further in [
        &["--threads", "2"][..],
        &["--function", "f", "--threads", "0"][..],
        &["--function", "f", "--threads", "many"][..],
        &["--function", "f", "--threads", "2", "--steps", "statement", "--checks", "race"][..],
    ] {
        assert_eq!(verify(&file, further).status.code(), Some(2), "{further:?}");
    }
}
