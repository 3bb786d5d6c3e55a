//! `concord verify` from the outside: verdicts, exit statuses, JSON, tasks, and harnesses that fail when
//! compiled.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cegar/tests/programs")
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(name)
}

fn concord(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord")).arg("verify").args(arguments).output().expect("it runs")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "harnesses are not compiled")
}

#[test]
fn verdicts_have_their_exit_status() {
    for (file, status) in [("lockstep.c", 0), ("overflow_bug.c", 1), ("missing_body.c", 3)] {
        let output = concord(&[&text(&programs().join(file)), "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(status), "{file}: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(concord(&["no_such_file.c"]).status.code(), Some(4));
}

#[test]
fn json_has_what_every_verdict_has() {
    let file = text(&programs().join("overflow_bug.c"));
    let output = concord(&[&file, "--format", "json", "--time-limit", "60s"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    assert_eq!(document["concord"], 1);
    let result = &document["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["counterexample"]["inputs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn tasks_name_their_property() {
    let program = scratch("task.c");
    let source = "extern void __VERIFIER_error(void);\nint main(void) { long x = 1L << 31; if (x < 0) __VERIFIER_error(); return 0; }\n";
    std::fs::write(&program, source).expect("it can be written");
    std::fs::write(scratch("p.prp"), "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n")
        .expect("written");
    let task = |model: &str| {
        let text = format!(
            "format_version: '2.0'\ninput_files: 'task.c'\nproperties:\n  - property_file: p.prp\noptions:\n  data_model: {model}\n"
        );
        let file = scratch(&format!("{model}.yml"));
        std::fs::write(&file, text).expect("it can be written");
        file
    };
    // The shift leaves a 32-bit long negative.
    assert_eq!(concord(&[&text(&task("LP64"))]).status.code(), Some(0));
    assert_eq!(concord(&[&text(&task("ILP32"))]).status.code(), Some(1));
}

/// Programs with the verdict their first line begins with.
fn programs_with(verdict: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(programs()).expect("the programs are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| {
        let text = std::fs::read_to_string(file).expect("readable");
        text.starts_with(&format!("// {verdict}"))
    });
    files.sort();
    assert!(files.len() > 2, "{verdict}: {files:?}");
    files
}

/// The standard property, as a program with this verdict in its first line has it.
fn stem(file: &Path) -> String {
    file.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// Does `cc -m32` make programs here? Debian's gcc does so only with gcc-multilib; says so plainly if not.
fn makes_32_bit_programs() -> bool {
    static KNOWN: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *KNOWN.get_or_init(|| {
        let (probe, binary) = (scratch("probe_32.c"), scratch("probe_32.out"));
        std::fs::write(&probe, "#include <stdlib.h>\nint main(void) { return 0; }\n").expect("written");
        let made = Command::new("cc").arg("-m32").arg("-o").arg(&binary).arg(&probe).output();
        let is_made = made.is_ok_and(|output| output.status.success());
        if !is_made {
            let why = "`cc -m32` makes no programs here (no 32-bit headers and libraries)";
            testkit::absent::left_out(why, "32-bit harnesses are left out");
        }
        is_made
    })
}

/// Compiles a program with its harness as the harness says, and runs it. Says whether the run fails; `None`
/// for 32 bits where only 64 can be compiled for.
fn compiled_run_fails(name: &str, program: &Path, harness: &Path) -> Option<bool> {
    let binary = scratch(&format!("{name}.out"));
    let written = std::fs::read_to_string(harness).expect("the harness was written");
    let line = written.lines().nth(1).expect("the harness says how it is compiled");
    if line.contains("-m32") && !makes_32_bit_programs() {
        return None;
    }
    let options = line.split_whitespace().filter(|word| word.starts_with('-'));
    let compiled = Command::new("cc")
        .args(options)
        .arg("-o")
        .arg(&binary)
        .arg(program)
        .arg(harness)
        .output()
        .expect("cc runs");
    let told = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{name}: {told}");
    Some(!Command::new(&binary).status().expect("it runs").success())
}

#[test]
fn compiled_harnesses_fail() {
    if !has_compiler() {
        return;
    }
    for program in programs_with("VIOLATED") {
        let name = stem(&program);
        let harness = scratch(&format!("{name}_run.c"));
        let output = concord(&[&text(&program), "--harness", &text(&harness), "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert_eq!(compiled_run_fails(&name, &program, &harness), Some(true), "{name}");
    }
}

#[test]
fn boolean_programs_are_written_and_have_the_same_answer() {
    let program = text(&programs().join("recursive_depth.c"));
    let boolean = scratch("recursive_depth.bp");
    let output =
        concord(&[&program, "--engine", "predicates", "--boolean", &text(&boolean), "--time-limit", "60s"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("contract of `walk` ensures") && told.contains("audited: "), "{told}");
    let checked =
        Command::new(env!("CARGO_BIN_EXE_concord")).arg("bool").arg(&boolean).output().expect("it runs");
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn properties_of_memory_and_overflow_are_asked_as_checks() {
    let ask = |name: &str, source: &str, property: &str| {
        let (program, file) = (scratch(&format!("{name}.c")), scratch(&format!("{name}.prp")));
        std::fs::write(&program, source).expect("written");
        std::fs::write(&file, format!("CHECK( init(main()), LTL(G {property}) )\n")).expect("written");
        concord(&[&text(&program), "--property", &text(&file), "--time-limit", "60s"]).status.code()
    };
    let input = "extern int __VERIFIER_nondet_int(void);\nextern void *malloc(unsigned long);\nextern void free(void *);\n";
    let sum = format!("{input}int main(void) {{ int x = __VERIFIER_nondet_int(); return x + 1 > 5; }}\n");
    assert_eq!(ask("sum", &sum, "! overflow"), Some(1));
    let bounded = sum.replace("return x", "if (x > 9) return 0; return x");
    assert_eq!(ask("bounded_sum", &bounded, "! overflow"), Some(0));
    // Overflow of shifts is not looked for, so that nothing is proved of them.
    assert_eq!(ask("shift", &bounded.replace("x + 1 > 5", "(x & 1) << 1"), "! overflow"), Some(3));
    let freed = format!("{input}int main(void) {{ int *p = malloc(4); *p = 1; free(p); return 0; }}\n");
    assert_eq!(ask("freed", &freed, "valid-memtrack"), Some(0));
    assert_eq!(ask("used", &freed.replace("return 0", "return *p"), "valid-deref"), Some(1));
    // An index past a whole object is an access outside it; one that stays in the object means something else there.
    let index = "extern int __VERIFIER_nondet_int(void);\nint a[4];\nint main(void) { int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 5) a[i] = 1; return 0; }\n";
    assert_eq!(ask("past", index, "valid-deref"), Some(1));
    let inner = index.replace("int a[4];", "struct { int a[4], b; } s;").replace("a[i]", "s.a[i]");
    assert_eq!(ask("inner", &inner, "valid-deref"), Some(3));
    assert_eq!(ask("outer", &inner.replace("i < 5", "i == 5"), "valid-deref"), Some(1));
    assert_eq!(ask("twice", &freed.replace("return 0", "free(p); return 0"), "valid-free"), Some(1));
    // A block that lives at the end is one that was not cleaned up; it is lost if nothing points to it then.
    let kept = freed.replace("free(p); ", "");
    assert_eq!(ask("kept", &kept, "valid-memcleanup"), Some(1));
    assert_eq!(ask("lost", &kept, "valid-memtrack"), Some(1));
    let tracked = kept.replace("int main", "int *p; int main").replace("int *p = malloc", "p = malloc");
    assert_eq!(ask("tracked", &tracked, "valid-memtrack"), Some(0));
    // A lost block does not hide another violation, and a block that is pointed to is none.
    let used = tracked.replace("return 0", "int *q = p; free(p); return *q");
    assert_eq!(ask("used_later", &used, "valid-deref"), Some(1));
}

/// The public list, as far as it is fast: whatever is violated there has a harness that fails.
#[test]
fn harnesses_of_the_smoke_list_fail() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let Ok(list) = std::fs::read_to_string(folder.join("smoke.csv")) else {
        testkit::absent::left_out("absent: ../shared/bench/smoke.csv", "its harnesses are left out");
        return;
    };
    if !has_compiler() {
        return;
    }
    let mut failing = 0;
    for line in list.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [path, "svcomp", "unreach-call", "false", _, lines, _, model, ..] = cells[..] else { continue };
        if lines.parse().unwrap_or(usize::MAX) > 120 {
            continue;
        }
        let program = folder.join(path);
        let name = format!("smoke_{}", stem(&program));
        let harness = scratch(&format!("{name}_run.c"));
        let model = model.to_lowercase();
        let output = concord(&[
            &text(&program),
            "--data-model",
            &model,
            "--harness",
            &text(&harness),
            "--time-limit",
            "3s",
        ]);
        if output.status.code() != Some(1) {
            continue;
        }
        let fails = compiled_run_fails(&name, &program, &harness);
        assert_ne!(fails, Some(false), "{path}: the compiled run does not fail");
        failing += usize::from(fails == Some(true));
    }
    // Most of the list is for 32 bits, so that without 32-bit libraries nothing may be left to compile.
    assert!(failing > 0 || !makes_32_bit_programs(), "no harness of the list was tried");
}

fn audit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord")).arg("audit").args(arguments).output().expect("it runs")
}

#[test]
fn every_certificate_audits_and_no_spoiled_one_does() {
    let (mut inductive, mut contracted) = (0, 0);
    for program in programs_with("HOLDS") {
        let name = stem(&program);
        let certificate = scratch(&format!("{name}.json"));
        let output = concord(&[&text(&program), "--certificate", &text(&certificate), "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stdout));
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(told.contains("audited: "), "{name}: {told}");
        assert!(!told.contains("not audited"), "{name}: {told}");
        let given = [text(&certificate), text(&program)];
        let output = audit(&[&given[0], &given[1], "--time-limit", "60s"]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        let mut document: Value =
            serde_json::from_str(&std::fs::read_to_string(&certificate).expect("written")).expect("JSON");
        let conditions = |document: &mut Value| -> usize {
            let loops = document["loops"].as_array_mut().expect("a list");
            loops
                .iter_mut()
                .map(|one| {
                    one["conditions"].as_array_mut().map_or(0, |list| {
                        let count = list.len();
                        list.clear();
                        count
                    })
                })
                .sum()
        };
        // A contract that promises the impossible is refused.
        if document["contracts"].as_array().is_some_and(|contracts| !contracts.is_empty()) {
            contracted += 1;
            let mut spoiled = document.clone();
            spoiled["contracts"][0]["ensures"] = serde_json::json!([{ "c": "0 == 1" }]);
            let file = scratch(&format!("{name}_promising.json"));
            std::fs::write(&file, spoiled.to_string()).expect("written");
            let output = audit(&[&text(&file), &given[1], "--solver-command", "none", "--time-limit", "60s"]);
            assert_eq!(output.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&output.stdout));
            continue;
        }
        // Without its invariants, an inductive proof that needs them is none.
        if document["argument"]["kind"] == "induction" && conditions(&mut document) > 0 {
            inductive += 1;
            let spoiled = scratch(&format!("{name}_spoiled.json"));
            std::fs::write(&spoiled, document.to_string()).expect("written");
            let output =
                audit(&[&text(&spoiled), &given[1], "--solver-command", "none", "--time-limit", "60s"]);
            assert_eq!(output.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
    assert!(inductive > 1, "only {inductive} proofs had invariants");
    assert!(contracted > 1, "only {contracted} proofs had contracts");
    let (parity, nested) = (programs().join("parity.c"), programs().join("nested.c"));
    let output = audit(&[&text(&scratch("parity.json")), &text(&nested)]);
    assert_eq!(
        output.status.code(),
        Some(4),
        "the certificate of {} is not for {}",
        parity.display(),
        nested.display()
    );
    assert_eq!(audit(&["no_such_file.json", &text(&nested)]).status.code(), Some(4));
}

/// Block YAML whose scalars are JSON: what we write, and no more.
fn yaml(text: &str) -> Value {
    fn node(lines: &[(usize, String)], at: &mut usize, indent: usize) -> Value {
        if lines[*at].1.starts_with("- ") {
            let mut items = Vec::new();
            while *at < lines.len() && lines[*at].0 == indent && lines[*at].1.starts_with("- ") {
                let mut own: Vec<(usize, String)> = vec![(indent + 2, lines[*at].1[2..].to_owned())];
                *at += 1;
                while *at < lines.len() && lines[*at].0 > indent {
                    own.push(lines[*at].clone());
                    *at += 1;
                }
                items
                    .push(serde_json::from_str(&own[0].1).unwrap_or_else(|_| node(&own, &mut 0, indent + 2)));
            }
            return Value::Array(items);
        }
        let mut fields = serde_json::Map::new();
        while *at < lines.len() && lines[*at].0 == indent {
            let line = lines[*at].1.clone();
            // A quoted key ends with its quote.
            let end = match line.strip_prefix('"') {
                Some(quoted) => quoted.find('"').expect("closed") + 2,
                None => line.find(':').expect("a key"),
            };
            let (key, rest) = line.split_at(end);
            let rest = rest.strip_prefix(':').expect("a colon").trim();
            *at += 1;
            let value = if rest.is_empty() {
                let inner = lines[*at].0;
                assert!(inner > indent, "{line}");
                node(lines, at, inner)
            } else {
                serde_json::from_str(rest).unwrap_or_else(|error| panic!("{rest}: {error}"))
            };
            fields.insert(key.trim_matches('"').to_owned(), value);
        }
        Value::Object(fields)
    }
    let lines: Vec<(usize, String)> = text
        .lines()
        .map(|line| (line.len() - line.trim_start().len(), line.trim_start().to_owned()))
        .collect();
    node(&lines, &mut 0, 0)
}

/// What every entry of format 2.0 has.
fn assert_is_entry(entry: &Value, kind: &str) {
    assert_eq!(entry["entry_type"], kind);
    let metadata = &entry["metadata"];
    assert_eq!(metadata["format_version"], "2.0");
    let uuid: Vec<usize> = metadata["uuid"].as_str().expect("a text").split('-').map(str::len).collect();
    assert_eq!(uuid, [8, 4, 4, 4, 12]);
    let time = metadata["creation_time"].as_str().expect("a text");
    assert!(time.len() == 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    assert!(metadata["producer"]["name"].is_string() && metadata["producer"]["version"].is_string());
    let task = &metadata["task"];
    let files = task["input_files"].as_array().expect("a list");
    for file in files {
        let hash = task["input_file_hashes"][file.as_str().expect("a text")].as_str().expect("a hash");
        assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
    }
    assert!(task["specification"].as_str().expect("a text").contains("CHECK( init(main()), LTL("));
    assert_eq!(task["data_model"], "LP64");
    assert_eq!(task["language"], "C");
    assert!(entry["content"].is_array());
}

fn assert_is_location(location: &Value) {
    assert!(location["file_name"].is_string(), "{location}");
    assert!(location["line"].as_u64().is_some_and(|line| line > 0), "{location}");
    assert!(location["column"].as_u64().is_some_and(|column| column > 0), "{location}");
}

fn witness_of(file: &str, status: i32) -> Value {
    let path = scratch(&format!("{file}.witness.yml"));
    let program = text(&programs().join(file));
    let output = concord(&[&program, "--witness", &text(&path), "--time-limit", "60s"]);
    assert_eq!(output.status.code(), Some(status), "{file}");
    let entries = yaml(&std::fs::read_to_string(path).expect("a witness was written"));
    assert_eq!(entries.as_array().map(Vec::len), Some(1));
    entries[0].clone()
}

#[test]
fn witnesses_have_the_shape_of_format_2() {
    let entry = witness_of("overflow_bug.c", 1);
    assert_is_entry(&entry, "violation_sequence");
    let segments = entry["content"].as_array().expect("a list");
    let waypoint = |segment: &Value| segment["segment"][0]["waypoint"].clone();
    let (last, before) = segments.split_last().expect("a target");
    assert_eq!(waypoint(last)["type"], "target");
    assert_eq!(waypoint(last)["action"], "follow");
    assert_is_location(&waypoint(last)["location"]);
    assert_eq!(before.len(), 2, "two inputs: {before:?}");
    let source = std::fs::read_to_string(programs().join("overflow_bug.c")).expect("readable");
    for segment in before {
        let waypoint = waypoint(segment);
        assert_eq!(waypoint["type"], "function_return");
        assert_eq!(waypoint["constraint"]["format"], "acsl_expression");
        let value = waypoint["constraint"]["value"].as_str().expect("a text");
        let number = value.strip_prefix("\\result == ").unwrap_or_else(|| panic!("{value}"));
        assert!(number.parse::<i128>().is_ok(), "{number}");
        assert_is_location(&waypoint["location"]);
        // The place is the closing parenthesis of the call.
        let (line, column) = (&waypoint["location"]["line"], &waypoint["location"]["column"]);
        let line = source.lines().nth(line.as_u64().expect("a number") as usize - 1).expect("a line");
        assert_eq!(line.as_bytes()[column.as_u64().expect("a number") as usize - 1], b')', "{line}");
    }
    let entry = witness_of("lockstep.c", 0);
    assert_is_entry(&entry, "invariant_set");
    let invariants = entry["content"].as_array().expect("a list");
    assert!(!invariants.is_empty(), "lockstep needs an invariant");
    for invariant in invariants {
        let invariant = &invariant["invariant"];
        assert_eq!(invariant["type"], "loop_invariant");
        assert_eq!(invariant["format"], "c_expression");
        assert!(invariant["value"].as_str().is_some_and(|value| !value.contains(['$', '@'])), "{invariant}");
        assert_is_location(&invariant["location"]);
        let source = std::fs::read_to_string(programs().join("lockstep.c")).expect("readable");
        let at = |name: &str| invariant["location"][name].as_u64().expect("a number") as usize - 1;
        let line = &source.lines().nth(at("line")).expect("a line")[at("column")..];
        assert!(["while", "for", "do"].iter().any(|word| line.starts_with(word)), "{line}");
    }
}

#[test]
fn sarif_has_the_run_as_a_code_flow() {
    let file = text(&programs().join("overflow_bug.c"));
    let output = concord(&[&file, "--format", "sarif", "--time-limit", "60s"]);
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["kind"], "fail");
    assert_eq!(result["level"], "error");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{}", result["ruleId"]);
    assert!(result["message"]["text"].is_string());
    let region = |location: &Value| location["physicalLocation"]["region"]["startLine"].as_u64();
    assert!(region(&result["locations"][0]).is_some());
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
    assert!(flow.len() > 1, "{flow:?}");
    for (at, step) in flow.iter().enumerate() {
        assert_eq!(step["executionOrder"].as_u64(), Some(at as u64 + 1));
        assert!(region(&step["location"]).is_some() && step["location"]["message"]["text"].is_string());
    }
}

#[test]
fn checks_find_what_they_are_for_and_no_more() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checks");
    let entries = std::fs::read_dir(folder).expect("the programs are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() > 20);
    let mut wrong = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("readable");
        let expectation =
            source.lines().next().and_then(|line| line.strip_prefix("// ")).expect("an expectation");
        let (check, verdict) = expectation.split_once(' ').expect("a check and a verdict");
        if source.contains("#include") && !has_compiler() {
            continue;
        }
        let output = concord(&[&text(&file), "--checks", check, "--format", "json", "--time-limit", "30s"]);
        let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
        let result = &document["results"][0];
        let found = result["verdict"].as_str().unwrap_or_default().to_uppercase();
        let is_named = found != "VIOLATED" || result["counterexample"]["check"] == check;
        if found != verdict.trim_end_matches('!') || !is_named {
            wrong.push(format!("{}: {found} {}, not {expectation}", stem(&file), result["reason"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A loop that no unrolling ends and no invariant of ours explains: hash-like arithmetic.
const HARD: &str = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
    int main(void) { unsigned n = __VERIFIER_nondet_uint(), a = 1, b = 7; for (unsigned i = 0; i < n; i++) \
    { a = a * 1664525u + b * b + 1013904223u; b = b * a ^ (b >> 13); if (a * b == 3735928559u && a % 65537u == 3u && b % 65539u == 77u) reach_error(); } return 0; }\n";

#[test]
fn time_limits_are_kept() {
    let file = scratch("hard.c");
    std::fs::write(&file, HARD).expect("written");
    let started = std::time::Instant::now();
    let output = concord(&[&text(&file), "--time-limit", "5s"]);
    let taken = started.elapsed().as_secs_f64();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stdout));
    // A tenth, and what it takes to start the process and the preprocessor.
    assert!(taken < 5.0 * 1.1 + 1.5, "it took {taken} s");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("the time limit was reached") && told.contains("try: "), "{told}");
}

#[test]
fn memory_limits_are_kept() {
    let file = scratch("large.c");
    // Unrolling it makes ever larger terms over an array of unknown contents.
    let source = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void); unsigned a[4096];\n\
        int main(void) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i < n; i++) \
        { unsigned j = __VERIFIER_nondet_uint() % 4096, k = __VERIFIER_nondet_uint() % 4096; a[j] = a[k] * a[(j ^ k) % 4096] + i; \
        if (a[k] == 3735928559u && a[j] * a[k] == 77u && i > 100000) reach_error(); } return 0; }\n";
    std::fs::write(&file, source).expect("written");
    let most: u64 = 80 << 20;
    let mut child = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["verify", &text(&file), "--engine", "bmc", "--memory-limit", "80M", "--time-limit", "60s"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut peak = 0;
    while child.try_wait().expect("it can be asked").is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("limit was reached"), "{told}");
    assert!(peak <= most + most / 10, "{peak} bytes were used: {told}");
}

#[test]
fn many_tasks_end_in_one_table() {
    let folder = scratch("many");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("it can be made");
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    let error = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    put(
        "good.c",
        &format!(
            "{error}int main(void) {{ int x = __VERIFIER_nondet_int() & 7; if (x > 7) reach_error(); return 0; }}\n"
        ),
    );
    put(
        "bad.c",
        &format!("{error}int main(void) {{ if (__VERIFIER_nondet_int() == 9) reach_error(); return 0; }}\n"),
    );
    put("broken.c", "int main(void) { return }\n");
    put("hard.c", HARD);
    put("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    for (name, verdict) in [("good", "true"), ("bad", "true"), ("broken", "true"), ("hard", "true")] {
        put(
            &format!("{name}.yml"),
            &format!(
                "format_version: '2.0'\ninput_files: '{name}.c'\nproperties:\n  - property_file: p.prp\n    expected_verdict: {verdict}\n"
            ),
        );
    }
    let results = scratch("many.csv");
    let _ = std::fs::remove_file(&results);
    let arguments =
        [&text(&folder)[..], "--jobs", "2", "--time-limit", "3s", "--resume", &text(&results)[..]];
    let output = concord(&arguments);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(
        last, "4 tasks: 1 hold, 1 violated, 1 undecided, 1 with bad input, 1 against what the task expects",
        "{told}"
    );
    assert_eq!(output.status.code(), Some(1));
    let rows = std::fs::read_to_string(&results).expect("results are written");
    assert_eq!(rows.lines().count(), 5, "{rows}");
    // Nothing is left to do, and the table is the same.
    let started = std::time::Instant::now();
    let again = concord(&arguments);
    assert!(started.elapsed().as_secs_f64() < 2.5, "tasks were done again");
    assert!(String::from_utf8_lossy(&again.stdout).ends_with("4 known before\n"));
}

#[test]
fn an_interrupt_leaves_the_table_written() {
    let folder = scratch("interrupted");
    std::fs::create_dir_all(&folder).expect("it can be made");
    let quick = "extern void reach_error(void);\nint main(void) { return 0; }\n";
    std::fs::write(folder.join("a.c"), quick).expect("written");
    std::fs::write(folder.join("b.c"), HARD).expect("written");
    let results = scratch("interrupted.json");
    let _ = std::fs::remove_file(&results);
    let mut child = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["verify", &text(&folder), "--time-limit", "100s", "--results", &text(&results)])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it runs");
    // The first task is done when its result is written.
    let started = std::time::Instant::now();
    while !results.exists() && started.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // The shell's own `kill`: not every system has one besides.
    let interrupted = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status();
    assert!(interrupted.is_ok_and(|status| status.success()));
    let since = std::time::Instant::now();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("a pipe"), &mut told).expect("text");
    let status = child.wait().expect("it ends");
    assert!(since.elapsed().as_secs() < 10, "it went on for {:?}", since.elapsed());
    assert_eq!(status.code(), Some(3));
    assert!(told.contains("2 tasks: 1 hold, 0 violated, 0 undecided, 1 not done"), "{told}");
    let rows: Value =
        serde_json::from_str(&std::fs::read_to_string(&results).expect("written")).expect("JSON");
    assert_eq!(rows["tasks"].as_array().map(Vec::len), Some(1));
}

/// A certificate of a program, from a file that is written for it.
fn certified(name: &str, source: &str, arguments: &[&str]) -> (PathBuf, PathBuf) {
    let (program, certificate) = (scratch(&format!("{name}.c")), scratch(&format!("{name}.json")));
    std::fs::write(&program, source).expect("it is written");
    let mut all = vec![text(&program), "--certificate".to_owned(), text(&certificate)];
    all.extend(arguments.iter().map(|&argument| argument.to_owned()));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let output = concord(&all);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    (program, certificate)
}

#[test]
fn compiled_runs_agree_with_a_proof_and_contradict_a_forged_one() {
    if !has_compiler() {
        return;
    }
    let source = "extern void abort(void); extern int __VERIFIER_nondet_int(void);\n\
        void __assert_fail(const char *, const char *, unsigned, const char *);\n\
        int main(void) { unsigned n = __VERIFIER_nondet_int(), i = 0; while (i < n % 50) i++;\n\
        if (i > 60) __assert_fail(\"i\", \"a.c\", 1, \"main\"); return 0; }\n";
    let (program, certificate) = certified("executed", source, &[]);
    let output = audit(&[&text(&certificate), &text(&program), "--execute", "12", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    let executed = &document["audit"]["executed"];
    assert_eq!(executed["inputs"], 12);
    assert_eq!(executed["contradiction"], Value::Null);
    assert_eq!(executed["left_out"].as_array().map(Vec::len), Some(0), "{executed}");
    assert!(executed["covered"].as_u64() > Some(3), "{executed}");
    // Proved is that no error function is called; claimed will be that no assertion fails.
    let source = source.replace("i > 60", "i == 3");
    let property = scratch("executed.prp");
    std::fs::write(&property, "CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        .expect("it is written");
    let (program, certificate) = certified("forged", &source, &["--property", &text(&property)]);
    let forged = std::fs::read_to_string(&certificate).expect("it is there");
    let forged = forged.replace("\"assertions\": false", "\"assertions\": true");
    std::fs::write(&certificate, forged).expect("it is written");
    let output = audit(&[&text(&certificate), &text(&program), "--execute", "60"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("a compiled run contradicts it"), "{told}");
}

/// Steps of an induction begin where nobody knows what was written: what was proved without that question is no proof of it.
#[test]
fn an_induction_is_no_proof_that_all_was_written() {
    let head = "extern int __VERIFIER_nondet_int(void); extern void *malloc(unsigned long); extern void free(void *);\n\
        int some(int n) { if (n > 0) return n; }\nint all(int n) { if (n > 0) return n; return 0; }\n\
        int main(void) { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++;\n";
    let bodies = [
        ("variable", "int x; if (x > 3) i = 0;", false),
        ("element", "int a[2]; a[0] = 1; i = a[n & 1];", false),
        ("result", "i = some(n);", false),
        ("block", "int *p = malloc(4); i = *p; free(p);", false),
        ("written", "int x = 2; if (x > 3) i = 0; i = all(n);", true),
    ];
    for (name, body, is_right) in bodies {
        let head = if is_right {
            head.replace("return n; }\nint all", "return n; return 1; }\nint all")
        } else {
            head.to_owned()
        };
        let source = format!("{head}{body} return 0; }}\n");
        let (program, certificate) =
            certified(&format!("unwritten_{name}"), &source, &["--engine", "k-induction"]);
        let forged = std::fs::read_to_string(&certificate).expect("it is there");
        assert!(forged.contains("induction"), "{forged}");
        let forged = forged.replace("\"checks\": []", "\"checks\": [\"uninitialised\"]");
        std::fs::write(&certificate, forged).expect("it is written");
        let output = audit(&[&text(&certificate), &text(&program)]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(if is_right { 0 } else { 3 }), "{name}: {told}");
    }
}

/// Conditions about all blocks are shown again, and wrong ones are not accepted.
#[test]
fn invariants_about_blocks_are_audited() {
    let source = "extern int __VERIFIER_nondet_int(void); extern void *malloc(unsigned long); void reach_error(void);\n\
        struct n { struct n *next; int value; };\n\
        int main(void) { struct n *list = 0, *new; while (__VERIFIER_nondet_int()) { new = malloc(sizeof *new); new->value = 7; new->next = list; list = new; }\n\
        while (list) { if (list->value != 7) reach_error(); list = list->next; } return 0; }\n";
    let (program, certificate) = certified("blocks", source, &["--engine", "objects"]);
    let right = std::fs::read_to_string(&certificate).expect("it is there");
    let judged = |forged: &str| {
        std::fs::write(&certificate, forged).expect("it is written");
        audit(&[&text(&certificate), &text(&program)]).status.code()
    };
    assert_eq!(judged(&right), Some(0), "{right}");
    assert!(right.contains("#x00000007"), "{right}");
    // Another value; and nothing said of where the blocks' pointers lead.
    assert_ne!(judged(&right.replace("#x00000007", "#x00000008")), Some(0));
    assert_ne!(judged(&right.replace("extents", "births$")), Some(0));
}

/// Conditions about rows of elements, behind flags, and about sums beside them are shown again, and wrong ones are not accepted.
#[test]
fn invariants_about_rows_flags_and_sums_are_audited() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cegar/tests/arrays");
    for (name, right, wrong) in [
        ("two_indices_filled", "#x000000c8", "#x000000c9"),
        ("found_and_removed", "bvslt |state:any$32| |state:i|", "bvsle |state:any$32| |state:i|"),
        ("sum_of_ones", "#x00000001) (not", "#x00000002) (not"),
    ] {
        let source = std::fs::read_to_string(directory.join(name).with_extension("c")).expect("it is there");
        let (program, certificate) =
            certified(name, &source, &["--engine", "elements", "--data-model", "ilp32"]);
        let proof = std::fs::read_to_string(&certificate).expect("it is there");
        let judged = |forged: &str| {
            std::fs::write(&certificate, forged).expect("it is written");
            audit(&[&text(&certificate), &text(&program)]).status.code()
        };
        assert_eq!(judged(&proof), Some(0), "{name}: {proof}");
        assert!(proof.contains(right), "{name}: {proof}");
        assert_ne!(judged(&proof.replace(right, wrong)), Some(0), "{name}");
    }
}

/// Right proofs of programs that read, draw numbers, ask for impossible memory and move pointers to and fro:
/// compiled runs take no time, and agree.
#[test]
fn compiled_runs_contradict_no_right_proof() {
    if !has_compiler() {
        return;
    }
    let programs = [
        (
            "reads",
            "#include <stdio.h>\nint main(void) { char b[4]; if (fgets(b, 4, stdin)) puts(b); return 0; }\n",
        ),
        (
            "reads_on",
            "#include <stdio.h>\nint main(void) { int c = getchar(); if (c == EOF && !feof(stdin) && !ferror(stdin)) return 1; fputc('a', stderr); return 0; }\n",
        ),
        ("draws", "#include <stdlib.h>\nint main(void) { int r = rand() % 3; return r > 2; }\n"),
        (
            "shifts",
            "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int() & 7; return ((x - 8) << 1) > 0; }\n",
        ),
        ("moves", "int a[5]; int main(void) { int *p = a + 7; p -= 3; return *p; }\n"),
        (
            "asks_for_much",
            "#include <stdlib.h>\nint main(void) { int *p = calloc((size_t)1 << 62, 4); if (p) p[0] = 1; free(p); return 0; }\n",
        ),
    ];
    for (name, source) in programs {
        let (program, certificate) = certified(&format!("compiled_{name}"), source, &["--checks", "all"]);
        let started = std::time::Instant::now();
        let output = audit(&[&text(&certificate), &text(&program), "--execute", "8", "--format", "json"]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        assert!(started.elapsed().as_secs() < 60, "{name} takes {:?}", started.elapsed());
        let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
        let executed = &document["audit"]["executed"];
        assert_eq!(executed["inputs"], 8, "{name}: {executed}");
        assert_eq!(executed["left_out"].as_array().map(Vec::len), Some(0), "{name}: {executed}");
    }
}

#[test]
fn checked_variants_are_violated_where_the_object_is_too_small() {
    let ask = |name: &str, call: &str| {
        let program = scratch(&format!("{name}.c"));
        let source =
            format!("#include <string.h>\nint main(void) {{ char b[4] = \"\"; {call}; return 0; }}\n");
        std::fs::write(&program, source).expect("it is written");
        concord(&[&text(&program), "--checks", "bounds"]).status.code()
    };
    let object = "__builtin_object_size(b, 0)";
    assert_eq!(
        ask("checked_copy", &format!("__builtin___memcpy_chk(b, \"abcdefgh\", 8, {object})")),
        Some(1)
    );
    assert_eq!(ask("checked_set", &format!("__builtin___memset_chk(b, 0, 5, {object})")), Some(1));
    assert_eq!(ask("checked_string", &format!("__builtin___strcpy_chk(b, \"abcd\", {object})")), Some(1));
    assert_eq!(ask("checked_append", &format!("__builtin___strcat_chk(b, \"abcd\", {object})")), Some(1));
    assert_eq!(ask("checked_fits", &format!("__builtin___memset_chk(b, 0, 4, {object})")), Some(0));
    // A size that is less than the object's: the run ends, and nothing is written past anything.
    assert_eq!(ask("checked_less", "__builtin___memset_chk(b, 0, 3, 2)"), Some(0));
}

#[test]
fn an_audit_keeps_to_the_data_model_of_its_certificate() {
    let source = "int main(void) { long a = 1; return a != 1; }\n";
    let (program, certificate) = certified("model", source, &[]);
    let output = audit(&[&text(&certificate), &text(&program), "--data-model", "ilp32"]);
    assert_eq!(output.status.code(), Some(4));
    let output = audit(&[&text(&certificate), &text(&program), "--data-model", "lp64"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn no_harness_is_written_that_would_not_fail() {
    let source = "extern int __VERIFIER_nondet_int(void); int main(void) { int a[4]; a[0] = __VERIFIER_nondet_int(); return a[1] + a[0] == 0; }\n";
    let (program, harness) = (scratch("unwritten.c"), scratch("unwritten_run.c"));
    let _ = std::fs::remove_file(&harness);
    std::fs::write(&program, source).expect("it is written");
    let output = concord(&[&text(&program), "--checks", "uninitialised", "--harness", &text(&harness)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!harness.exists());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("no harness is written: gcc's sanitizers do not look for reads"), "{told}");
}

/// Programs on one line each; the exit status with `--label ERROR`: 0 holds, 1 violated.
const LABELS: &[(i32, &str)] = &[
    (1, "void error(void) { ERROR: return; } int main(void) { error(); return 0; }"),
    (1, "int main(void) { ERROR: return 0; }"),
    (
        1,
        "extern int __VERIFIER_nondet_int(void); int main(void) { ERROR: ; int x = __VERIFIER_nondet_int(); return x; }",
    ),
    (
        1,
        "extern int __VERIFIER_nondet_int(void); void f(int x) { if (x == 5) goto ERROR; return; ERROR: ; } int main(void) { f(__VERIFIER_nondet_int()); return 0; }",
    ),
    (
        1,
        "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); if (x == 7) { ERROR: ; } return 0; }",
    ),
    (
        0,
        "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 && x > 5) { ERROR: ; } x = 1; return 0; }",
    ),
    (0, "int main(void) { int x = 0; if (x) { ERROR: ; } x = 1; return 0; }"),
    (1, "int main(void) { int x = 3; A: ERROR: B: x = 4; return x; }"),
    (0, "int main(void) { int x = 3; goto B; ERROR: B: x = 4; return x; }"),
    (1, "int main(void) { int i = 0; while (1) { ERROR: if (i++ > 3) break; } return 0; }"),
    (1, "int main(void) { while (1) ERROR: ; return 0; }"),
    (0, "int main(void) { return 0; ERROR: return 1; }"),
    (
        1,
        "extern int __VERIFIER_nondet_int(void); int main(void) { switch (__VERIFIER_nondet_int()) { case 1: ERROR: break; default: ; } return 0; }",
    ),
    (0, "int main(void) { int x = 3; switch (x) { case 2: ; ERROR: case 3: break; } return 0; }"),
    (1, "int main(void) { int x = ({ ERROR: 3; }); return x; }"),
    (0, "void f(void) { ERROR: return; } int main(void) { return 0; }"),
    (0, "void f(int x) { if (x) { ERROR: ; } } void g(void) { ERROR: ; } int main(void) { f(0); return 0; }"),
    (1, "void f(void) { ERROR: return; } void (*p)(void) = f; int main(void) { p(); return 0; }"),
    (
        1,
        "#include <pthread.h>\nvoid *f(void *a) { ERROR: return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }",
    ),
    (
        1,
        "#include <stdlib.h>\nint c(const void *a, const void *b) { ERROR: return 0; } int main(void) { int a[3] = {3, 2, 1}; qsort(a, 3, sizeof(int), c); return 0; }",
    ),
];

#[test]
fn labels_are_found_wherever_they_stand() {
    for (number, (status, source)) in LABELS.iter().enumerate() {
        let file = scratch(&format!("label_{number}.c"));
        std::fs::write(&file, source).expect("it can be written");
        let output = concord(&[&text(&file), "--label", "ERROR", "--time-limit", "60s"]);
        assert_eq!(
            output.status.code(),
            Some(*status),
            "{source}\n{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

/// Words of other tools and reads that are dropped: exit status, options, program.
const WORDS: &[(i32, &str, &str)] = &[
    (1, "", "int nondet_int(void); int main(void) { int x = nondet_int(); assert(x != 77777); return 0; }"),
    (
        0,
        "",
        "int nondet_int(void); int main(void) { int x = nondet_int(); if (x != 3) assert(x < 3 || x > 3); return 0; }",
    ),
    (
        1,
        "",
        "int nondet(); int main(void) { int x = nondet(); __CPROVER_assume(x > 5); __CPROVER_assert(x != 9, \"not nine\"); return 0; }",
    ),
    (
        0,
        "",
        "int nondet(); int main(void) { int x = nondet(); __ESBMC_assume(x > 5); __ESBMC_assert(x > 4, \"more\"); return 0; }",
    ),
    (1, "", "void __VERIFIER_assert(int); int main(void) { __VERIFIER_assert(0); return 0; }"),
    (0, "", "void __VERIFIER_assert(int x) { } int main(void) { __VERIFIER_assert(0); return 0; }"),
    (1, "", "int main(void) { __ESBMC_unreachable(); return 0; }"),
    (
        0,
        "",
        "int main(void) { int x = 1; __CPROVER_atomic_begin(); x++; __CPROVER_atomic_end(); __CPROVER_output(\"x\", x); assert(x == 2); return 0; }",
    ),
    (
        3,
        "--missing nondet",
        "int main(void) { int x = 1; __CPROVER_havoc_object(&x); assert(x == 1); return 0; }",
    ),
    (
        3,
        "--missing nondet",
        "#include <fenv.h>\n#include <assert.h>\nint main(void) { fesetround(FE_UPWARD); volatile float x = 33554433; assert(x == 0x1p+25f); return 0; }",
    ),
    (1, "", "int main(void) { int x = 0; __CPROVER_ASYNC_1: x = 1; assert(x == 1); return 0; }"),
    (
        1,
        "--checks pointer",
        "struct c { void *d; }; struct { struct c f; } *g; int main(void) { g->f; return 0; }",
    ),
    (1, "--checks pointer", "struct c { int a, b[30]; } *g; int main(void) { (void)*g; return 0; }"),
    (1, "--checks pointer", "int *p; int main(void) { *p, 1; return 0; }"),
    (1, "--checks pointer", "volatile int *p; int main(void) { *p; return 0; }"),
    (
        1,
        "--checks bounds",
        "int nondet_int(void); int a[3]; int main(void) { int i = nondet_int(); if (i >= 0) a[i]; return 0; }",
    ),
    (
        0,
        "--checks pointer,bounds",
        "int *p; int a[3]; struct s { int x; } *s; int main(void) { &*p; &a[3]; (void)sizeof *p; (void)sizeof s->x; return 0; }",
    ),
    (
        1,
        "",
        "#include <assert.h>\nint main(void) { char small[5]; assert(__builtin_object_size(small, 0) >= 100); return 0; }",
    ),
    (
        3,
        "",
        "int main(void) { int i = 3; struct a { double d; struct b { char c; int v[i]; } b; } s; assert(sizeof(s) == 24); return 0; }",
    ),
];

#[test]
fn words_of_other_tools_mean_what_they_mean_there() {
    for (number, (status, options, source)) in WORDS.iter().enumerate() {
        let file = scratch(&format!("word_{number}.c"));
        std::fs::write(&file, source).expect("it can be written");
        let file = text(&file);
        let mut arguments = vec![file.as_str(), "--time-limit", "60s"];
        arguments.extend(options.split_whitespace());
        let output = concord(&arguments);
        assert_eq!(
            output.status.code(),
            Some(*status),
            "{source}\n{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn annotations_in_comments_are_told() {
    let file = scratch("annotated.c");
    std::fs::write(scratch("annotated.h"), "/*@ requires x > 0; */ void f(int x);\n")
        .expect("it can be written");
    let source =
        "#include \"annotated.h\"\nint main(void) { int x = 1;\n  //@ ensures x == 2;\n  return 0; }\n";
    std::fs::write(&file, source).expect("it can be written");
    let output = concord(&[&text(&file)]);
    let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("annotations in comments are not read") && said.contains("line 3 (ensures)"),
        "{said}"
    );
    assert!(
        warned.contains("annotated.h, line 1 (requires)") && warned.contains("line 3 (ensures)"),
        "{warned}"
    );
}
