//! The verb `model`, through its command line: the examples, the models recorded with LTSA's answers, the figures of the
//! theses, and what bad input gets.

#[path = "../src/model/mod.rs"]
mod model;

use base::Budget;
use clap::Parser;
use model::{ModelArgs, Output, status};
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Debug, Parser)]
#[command(after_help = model::EXAMPLES)]
struct CommandLine {
    #[command(flatten)]
    arguments: ModelArgs,
}

struct Ran {
    status: u8,
    results: String,
    messages: String,
}

fn run_as(arguments: &[&str], is_json: bool) -> Ran {
    let words = std::iter::once("model").chain(arguments.iter().copied());
    let parsed = CommandLine::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let (mut results, mut messages) = (Vec::new(), Vec::new());
    let mut output = Output {
        is_json,
        colour: base::render::Colour::Never,
        is_quiet: false,
        results: &mut results,
        messages: &mut messages,
    };
    let status = model::model(&parsed.arguments, &mut output, &Budget::unlimited());
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran { status, results: text(results), messages: text(messages) }
}

fn run(arguments: &[&str]) -> Ran {
    run_as(arguments, false)
}

/// Property and verdict of every result, and the whole document.
fn results(arguments: &[&str]) -> (Vec<(String, String)>, Value) {
    let ran = run_as(arguments, true);
    let document: Value = serde_json::from_str(&ran.results)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}\n{}", ran.results, ran.messages));
    let word = |result: &Value, field: &str| result[field].as_str().expect("a word").to_owned();
    let list = document["results"].as_array().expect("results");
    (list.iter().map(|result| (word(result, "property"), word(result, "verdict"))).collect(), document)
}

fn verdicts(arguments: &[&str]) -> Vec<String> {
    results(arguments).0.into_iter().map(|(_, verdict)| verdict).collect()
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

fn example(name: &str) -> String {
    workspace().join("examples/models").join(name).display().to_string()
}

/// Where the shared material is, if it is there.
fn shared(part: &str) -> Option<PathBuf> {
    let path = workspace().join("../shared").join(part);
    if path.exists() {
        return Some(path);
    }
    #[allow(clippy::print_stderr, reason = "says why nothing is tested")]
    {
        eprintln!("{} is absent: only the project's own files are tested", path.display());
    }
    None
}

fn temporary(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model");
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("writable");
    path.display().to_string()
}

fn pair(property: &str, verdict: &str) -> (String, String) {
    (property.to_owned(), verdict.to_owned())
}

#[test]
fn the_examples_have_the_verdicts_they_promise() {
    assert_eq!(
        results(&[&example("dining_philosophers.lts")]).0,
        [
            pair("DINERS: safety", "holds"),
            pair("DINERS_ONE_LEFT_HANDED: safety", "holds"),
            pair("DINERS_WITHOUT_LOCK: safety", "violated"),
        ]
    );
    assert_eq!(
        results(&[&example("readers_writers.lts")]).0,
        [
            pair("READERS_WRITERS: safety", "holds"),
            pair("READERS_WRITERS: progress READ", "holds"),
            pair("READERS_WRITERS: progress WRITE", "holds"),
        ]
    );
    assert_eq!(
        results(&[&example("bounded_buffer.lts")]).0,
        [
            pair("SYSTEM: safety", "holds"),
            pair("SYSTEM: progress DELIVERED", "holds"),
            pair("SYSTEM: assert USED_BEFORE_MORE", "holds"),
            pair("SYSTEM: assert MADE_AGAIN", "holds"),
            pair("SYSTEM: assert ONE_AT_A_TIME", "violated"),
        ]
    );
    assert_eq!(
        results(&[&example("surge_protector.lts")]).0,
        [
            pair("PROTECTOR: safety", "holds"),
            pair("PROTECTOR: formula allowed", "holds"),
            pair("PROTECTOR: formula exactly", "violated"),
            pair("PROTECTOR: formula until_raised", "holds"),
        ]
    );
}

#[test]
fn a_deadlock_is_shown_in_lanes() {
    let ran = run(&[
        &example("dining_philosophers.lts"),
        "--process",
        "DINERS_WITHOUT_LOCK(2)",
        "--check",
        "deadlock",
    ]);
    assert_eq!(ran.status, status::VIOLATED);
    for part in [
        "DINERS_WITHOUT_LOCK(2): deadlock: VIOLATED",
        "step  action",
        "phil.0:HASTY",
        "phil.0.left.get",
        "phil.1.left.get",
        "waits for phil.0.right.get",
    ] {
        assert!(ran.results.contains(part), "{part} is missing in\n{}", ran.results);
    }
}

#[test]
fn json_has_what_the_design_asks_for() {
    let (_, document) = results(&[&example("surge_protector.lts"), "--check", "exactly"]);
    assert_eq!(document["concord"], 1);
    let result = &document["results"][0];
    for field in ["property", "verdict", "reason", "engine", "assumptions", "counterexample", "statistics"] {
        assert!(result.get(field).is_some(), "{field} is missing");
    }
    let steps = result["counterexample"]["path"]["steps"].as_array().expect("steps");
    let cycle = result["counterexample"]["cycle"].as_array().cloned().unwrap_or_default();
    let actions: Vec<&str> =
        steps.iter().chain(&cycle).map(|step| step["action"].as_str().expect("a name")).collect();
    assert!(actions.contains(&"m.2") && actions.contains(&"c.1"), "{actions:?}");
    assert!(result["statistics"]["states"].as_u64().expect("a count") > 0);
}

#[test]
fn relations_between_processes() {
    let file = temporary(
        "relations.lts",
        "SPEC = (a -> (b -> SPEC | c -> SPEC)). IMPL = (a -> b -> IMPL | a -> c -> IMPL). LOUD = (a -> d -> b -> LOUD).\n",
    );
    let ask = |options: &[&str]| verdicts(&[&[file.as_str()], options].concat());
    assert_eq!(ask(&["--simulates", "IMPL", "SPEC"]), ["holds"]);
    assert_eq!(ask(&["--simulates", "SPEC", "IMPL"]), ["violated"]);
    assert_eq!(ask(&["--traces", "SPEC", "IMPL"]), ["holds"]);
    assert_eq!(ask(&["--failures", "IMPL", "SPEC"]), ["violated"]);
    assert_eq!(ask(&["--bisimilar", "IMPL", "SPEC"]), ["violated"]);
    assert_eq!(ask(&["--bisimilar", "SPEC", "SPEC||SPEC", "--equivalence", "strong"]), ["holds"]);
    assert_eq!(ask(&["--traces", "LOUD", "SPEC"]), ["holds"]);
    assert_eq!(ask(&["--traces", "LOUD", "SPEC", "--unknown-actions", "forbidden"]), ["violated"]);
    let told = run(&[&file, "--traces", "LOUD", "SPEC"]).results;
    assert!(told.contains("does not know") && told.contains(": d"), "{told}");
    let tree = run(&[&file, "--simulates", "SPEC", "IMPL"]).results;
    assert!(tree.contains("no answer"), "{tree}");
}

#[test]
fn bad_input_gets_a_place_and_a_status() {
    let missing = run(&["no_such_file.lts"]);
    assert_eq!(missing.status, status::BAD_INPUT);
    assert!(missing.messages.contains("no_such_file.lts cannot be read"), "{}", missing.messages);
    let file = temporary("broken.lts", "P = (a -> P.\nQ = (b -> ).\n");
    let broken = run(&[&file]);
    assert_eq!(broken.status, status::BAD_INPUT);
    for part in ["broken.lts:1:12", "broken.lts:2:11", "^", "help:"] {
        assert!(broken.messages.contains(part), "{part} is missing in\n{}", broken.messages);
    }
    let file = temporary("fine.lts", "P = (a -> P).\n");
    assert_eq!(run(&[&file, "--process", "R"]).status, status::BAD_INPUT);
    assert_eq!(run(&[&file, "--check", "NOTHING"]).status, status::USAGE);
    assert_eq!(run(&[&file, "--formula", "G("]).status, status::USAGE);
    assert_eq!(run(&[&temporary("none.spec", "cproc f { inline g; }\n")]).status, status::USAGE);
}

#[test]
fn engines_that_cannot_say_so() {
    let file = temporary("engines.lts", "P = (a -> P).\n");
    let ran = run(&[&file, "--formula", "G a", "--engine", "learn2"]);
    assert_eq!(ran.status, status::UNDECIDED);
    assert!(ran.results.contains("cannot answer this"), "{}", ran.results);
}

#[test]
fn every_engine_agrees_on_the_diners() {
    for n in ["2", "3"] {
        for (system, deadlock) in [("DINERS", "holds"), ("DINERS_WITHOUT_LOCK", "violated")] {
            let system = format!("{system}({n})");
            for engine in ["auto", "explicit", "compositional", "two-level"] {
                let file = example("dining_philosophers.lts");
                let found =
                    verdicts(&[&file, "--process", &system, "--check", "deadlock", "--engine", engine]);
                assert_eq!(found, [deadlock], "{system} {engine}");
            }
        }
        for engine in ["auto", "explicit", "compositional", "learn1", "learn2"] {
            let (file, system) = (example("dining_philosophers.lts"), format!("DINERS({n})"));
            let found = verdicts(&[&file, "--process", &system, "--check", "property", "--engine", engine]);
            assert_eq!(found, ["holds"], "{system} {engine}");
        }
    }
}

/// Three times the largest sizes of the thesis' Table 10.1, and more.
#[test]
fn the_families_grow() {
    let deadlock =
        |file: &str, system: &str| verdicts(&[&example(file), "--process", system, "--check", "deadlock"]);
    assert_eq!(deadlock("dining_philosophers.lts", "DINERS_ONE_LEFT_HANDED(30)"), ["holds"]);
    assert_eq!(deadlock("dining_philosophers.lts", "DINERS_WITHOUT_LOCK(100)"), ["violated"]);
    assert_eq!(deadlock("readers_writers.lts", "READERS_WRITERS(27)"), ["holds"]);
}

#[test]
fn assertions_about_actions_the_system_does_not_have() {
    let file = temporary("absent.lts", "P = (a -> P). assert NO = []!b assert YES = <>b\n");
    let ran = run(&[&file]);
    assert_eq!(ran.status, status::VIOLATED);
    let told = &ran.results;
    assert!(told.contains("P: assert NO: HOLDS") && told.contains("has no action `b`"), "{told}");
}

#[test]
fn includes_imports_and_saving() {
    let imported = temporary("ring.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, b, 0)\n");
    temporary("sets.lts", "set Both = {a, b}\n");
    let text = "include \"sets.lts\"\nimport RING = \"ring.aut\"\nP = (Both -> P).\n||S = (P || RING).\n";
    let file = temporary("main.lts", text);
    assert_eq!(verdicts(&[&file]), ["holds"]);
    let saved = temporary("saved.aut", "");
    assert_eq!(run(&[&file, "--process", "S", "--save", &saved]).status, status::HOLDS);
    assert_eq!(
        verdicts(&[&saved, &imported, "--bisimilar", "saved", "ring", "--equivalence", "strong"]),
        ["holds"]
    );
    let drawn = temporary("saved.dot", "");
    run(&[&file, "--process", "S", "--save", &drawn]);
    assert!(std::fs::read_to_string(&drawn).expect("written").starts_with("digraph"));
}

#[test]
fn termination_is_not_deadlock() {
    let text = "P = (a -> END). Q = (b -> STOP). ||BOTH = (P || x:P). ||MIXED = (P || Q).\n";
    assert_eq!(verdicts(&[&temporary("ends.lts", text)]), ["holds", "violated"]);
}

#[test]
fn formulas_with_fairness() {
    let file = temporary("fair.lts", "COIN = (heads -> COIN | tails -> COIN).\n");
    assert_eq!(verdicts(&[&file, "--formula", "G F heads"]), ["violated"]);
    assert_eq!(verdicts(&[&file, "--formula", "G F heads", "--strong-fair", "heads"]), ["holds"]);
}

struct Recorded {
    path: String,
    property: String,
    expected: bool,
    composite: String,
}

/// The FSP rows of the manifest.
fn recorded() -> Vec<Recorded> {
    let Some(bench) = shared("bench") else { return Vec::new() };
    let manifest = std::fs::read_to_string(bench.join("manifest.csv")).expect("the manifest");
    let rows = manifest.lines().filter(|line| line.starts_with("fsp/"));
    rows.map(|line| line.split(',').collect::<Vec<_>>())
        .map(|columns| Recorded {
            path: bench.join(columns[0]).display().to_string(),
            property: columns[2].to_owned(),
            expected: columns[3] == "true",
            composite: columns[8].replace("composite=", ""),
        })
        .collect()
}

#[test]
fn ltsas_answers_are_ours() {
    let mut wrong = Vec::new();
    for row in recorded().iter().filter(|row| !row.composite.starts_with('(')) {
        let check = match row.property.as_str() {
            "safety+deadlock" => "safety",
            "progress" => "progress",
            _ => continue,
        };
        let found = if row.composite == "DEFAULT" {
            verdicts(&[&row.path, "--check", check])
        } else {
            verdicts(&[&row.path, "--process", &row.composite, "--check", check])
        };
        if found.iter().all(|verdict| verdict == "holds") != row.expected {
            wrong.push(format!("{} {} {check}: {found:?}", row.path, row.composite));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rows of fspc: every composition (every process, if there is none) of the file; progress only where declared.
#[test]
fn fspcs_answers_are_ours() {
    let mut wrong = Vec::new();
    for row in recorded() {
        if row.property == "parse-error" {
            assert_eq!(run(&[&row.path]).status, status::BAD_INPUT, "{}", row.path);
            continue;
        }
        let declares = std::fs::read_to_string(&row.path).expect("readable").contains("progress");
        if !row.composite.starts_with('(') || (row.property == "progress" && !declares) {
            continue;
        }
        let check = if row.property == "progress" { "progress" } else { "safety" };
        let found = verdicts(&[&row.path, "--check", check]);
        if found.iter().all(|verdict| verdict == "holds") != row.expected {
            wrong.push(format!("{} {}: {found:?}", row.path, row.property));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_figures_of_the_thesis() {
    let Some(figures) = shared("data/figures") else { return };
    let file = |name: &str| figures.join(format!("{name}.lts")).display().to_string();
    let simulated = |left: &str, right: &str, strength: &[&str]| {
        let options = ["--simulates", left, right, "--unknown-actions", "forbidden"];
        verdicts(&[&[file(left).as_str(), file(right).as_str()], &options[..], strength].concat())
            == ["holds"]
    };
    let strongly = |left: &str, right: &str| simulated(left, right, &["--silence", "strong"]);
    let directly = |left: &str, right: &str| simulated(left, right, &["--silence", "direct"]);
    let weakly = |left: &str, right: &str| simulated(left, right, &[]);
    for left in ["im_none", "im_3", "im_4"] {
        assert!(!strongly(left, "sp"), "{left}");
    }
    assert!(strongly("im_34", "sp"));
    assert!(strongly("cw", "im_none") && !strongly("cw", "sp"));
    for weakly in [&weakly as &dyn Fn(&str, &str) -> bool, &directly] {
        assert!(weakly("cw", "im_3") && weakly("cw", "im_4") && !weakly("cw", "im_34"));
        assert!(weakly("example4_m1", "example4_m2") && weakly("figure2_4_m1", "figure2_4_m2"));
    }
    assert!(strongly("example3_m1", "example3_m2") && !strongly("example3_m2", "example3_m1"));
    assert!(!strongly("example4_m1", "example4_m2"));
    // The thesis wants actions answered at once; Concord's weak simulation lets silent steps come first.
    assert!(!directly("example4_m2", "example4_m1") && weakly("example4_m2", "example4_m1"));
    let eventually = |name: &str| verdicts(&[&file(name), "--formula", "F alpha"]) == ["holds"];
    assert!(!eventually("figure2_4_m1") && eventually("figure2_4_m2"));
    let free = |names: &[&str]| {
        let files: Vec<String> = names.iter().map(|name| file(name)).collect();
        let system = names.join("||");
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend(["--process", &system, "--check", "deadlock"]);
        verdicts(&arguments) == ["holds"]
    };
    assert!(!free(&["example19_m1"]) && !free(&["example19_m2"]) && !free(&["example19_m1", "example19_m2"]));
    let [m1, m2, m3, m4] = ["example20_m1", "example20_m2", "example20_m3", "example20_m4"];
    assert!(!free(&[m1]) && !free(&[m2]) && free(&[m1, m2]));
    assert!(free(&[m3]) && free(&[m4]) && !free(&[m3, m4]));
    assert!(!free(&[m1, m3]) && free(&[m1, m4]));
    let satisfies = |formula: &str| verdicts(&[&file("seltl_8_3"), "--formula", formula]) == ["holds"];
    assert!(satisfies("G(c => F [r])") && satisfies("G(d => F [r])"));
    assert!(!satisfies("G(b => F [r])") && !satisfies("G(d => X F [r])"));
}

#[test]
fn surge_protectors() {
    let Some(surge) = shared("data/surge") else { return };
    let formulas =
        [("phi_se", "holds"), ("phi_e", "holds"), ("phi_e_until", "violated"), ("phi_se_bad", "violated")];
    for n in 2..=8usize {
        let file = |name: &str| surge.join(format!("n{n:02}")).join(name).display().to_string();
        for (formula, expected) in formulas {
            let found =
                verdicts(&[&file("surge.lts"), &file(&format!("{formula}.seltl")), "--check", formula]);
            assert_eq!(found, [expected], "n = {n}, {formula}");
        }
    }
}

#[test]
fn diners_as_tables() {
    let Some(dining) = shared("data/dining") else { return };
    for n in 2..=4usize {
        let folder = dining.join(format!("n{n:02}"));
        let people = (1..=n).flat_map(|i| [format!("phil_{i}"), format!("fork_{i}")]);
        let parts: Vec<String> = people.chain(["lock".to_owned()]).collect();
        let path = |name: &String| folder.join(format!("{name}.lts")).display().to_string();
        let files: Vec<String> = parts.iter().chain([&"safe".to_owned()]).map(path).collect();
        let system = parts.join("||");
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend(["--process", &system, "--check", "deadlock", "--traces", &system, "safe"]);
        assert_eq!(verdicts(&arguments), ["holds", "holds"], "n = {n}");
    }
}
