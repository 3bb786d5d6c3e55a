//! The verb `model`, through its command line: the examples, the models recorded with LTSA's answers, the
//! figures of the theses, and what bad input gets.

mod recorded;

use base::Budget;
use clap::Parser;
use concord::channel::{Format, Output};
use concord::exit::Exit;
use concord::model::{self, ModelArgs};
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Debug, Parser)]
#[command(after_help = model::EXAMPLES)]
struct CommandLine {
    #[command(flatten)]
    arguments: ModelArgs,
}

struct Ran {
    status: Exit,
    results: String,
    messages: String,
}

fn run_as(arguments: &[&str], format: Format) -> Ran {
    let words = std::iter::once("model").chain(arguments.iter().copied());
    let parsed = CommandLine::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let (mut results, mut messages) = (Vec::new(), Vec::new());
    let mut output = Output {
        format,
        colour: base::render::Colour::Never,
        is_quiet: false,
        is_verbose: false,
        listener: &(),
        events: &base::Silent,
        status: None,
        results: &mut results,
        messages: &mut messages,
    };
    let status = model::model(&parsed.arguments, &mut output, &Budget::unlimited());
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran { status, results: text(results), messages: text(messages) }
}

fn run(arguments: &[&str]) -> Ran {
    run_as(arguments, Format::Human)
}

/// Property and verdict of every result, and the whole document.
fn results(arguments: &[&str]) -> (Vec<(String, String)>, Value) {
    let ran = run_as(arguments, Format::Json);
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
    assert_eq!(ran.status, Exit::Violated);
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
    assert_eq!(missing.status, Exit::BadInput);
    assert!(missing.messages.contains("no_such_file.lts cannot be read"), "{}", missing.messages);
    let file = temporary("broken.lts", "P = (a -> P.\nQ = (b -> ).\n");
    let broken = run(&[&file]);
    assert_eq!(broken.status, Exit::BadInput);
    for part in ["broken.lts:1:12", "broken.lts:2:11", "^", "help:"] {
        assert!(broken.messages.contains(part), "{part} is missing in\n{}", broken.messages);
    }
    let file = temporary("fine.lts", "P = (a -> P).\n");
    assert_eq!(run(&[&file, "--process", "R"]).status, Exit::BadInput);
    let unknown = run(&[&file, "--check", "NOTHING"]);
    assert!(
        unknown.status == Exit::Usage && unknown.messages.contains("there are: safety"),
        "{}",
        unknown.messages
    );
    let formula = run(&[&file, "--formula", "G("]);
    assert_eq!(formula.status, Exit::Usage);
    assert!(
        formula.messages.contains("--formula:1:2") && formula.messages.contains('^'),
        "{}",
        formula.messages
    );
    let automaton = temporary("broken.hoa", "HOA: v1\nStart: 0\nAP: x\n");
    let broken = run(&[&file, "--automaton", &automaton]);
    assert_eq!(broken.status, Exit::BadInput);
    assert!(broken.messages.contains("broken.hoa:3:"), "{}", broken.messages);
    let empty = run(&[&temporary("empty.lts", " \n")]);
    assert!(
        empty.status == Exit::BadInput && empty.messages.contains("define no process"),
        "{}",
        empty.messages
    );
    let c = run(&[&temporary("program.c", "int main(void) { return 0; }\n")]);
    assert!(c.status == Exit::BadInput && c.messages.contains("it is C"), "{}", c.messages);
    assert_eq!(run(&[&temporary("none.spec", "cproc f { inline g; }\n")]).status, Exit::BadInput);
}

#[test]
fn engines_that_cannot_say_so() {
    let file = temporary("engines.lts", "P = (a -> P).\n");
    let ran = run(&[&file, "--formula", "G a", "--engine", "learn2"]);
    assert_eq!(ran.status, Exit::Undecided);
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

/// Sizes of the thesis' Table 10.1. Three times its largest are measured in `bench/model`.
#[test]
fn the_families_grow() {
    let deadlock =
        |file: &str, system: &str| verdicts(&[&example(file), "--process", system, "--check", "deadlock"]);
    assert_eq!(deadlock("dining_philosophers.lts", "DINERS(6)"), ["holds"]);
    assert_eq!(deadlock("dining_philosophers.lts", "DINERS_ONE_LEFT_HANDED(10)"), ["holds"]);
    assert_eq!(deadlock("dining_philosophers.lts", "DINERS_WITHOUT_LOCK(30)"), ["violated"]);
    assert_eq!(deadlock("readers_writers.lts", "READERS_WRITERS(9)"), ["holds"]);
}

#[test]
fn assertions_about_actions_the_system_does_not_have() {
    let file = temporary("absent.lts", "P = (a -> P). assert NO = []!b assert YES = <>b\n");
    let ran = run(&[&file]);
    assert_eq!(ran.status, Exit::Violated);
    let told = &ran.results;
    assert!(told.contains("P: assert NO: HOLDS") && told.contains("has no action `b`"), "{told}");
}

#[test]
fn a_named_file_that_is_not_there_is_told_where_it_is_named() {
    let text = "include \"nowhere.lts\"\nimport RING = \"nowhere.aut\"\n||S = (RING).\n";
    let ran = run(&[&temporary("names_files.lts", text)]);
    assert_eq!(ran.status, Exit::BadInput, "{}", ran.messages);
    for place in ["names_files.lts:1:", "names_files.lts:2:"] {
        assert!(ran.messages.contains(place), "{place}: {}", ran.messages);
    }
    assert_eq!(ran.messages.matches("cannot be read").count(), 2, "{}", ran.messages);
}

#[test]
fn includes_imports_and_saving() {
    let imported = temporary("ring.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, b, 0)\n");
    temporary("sets.lts", "set Both = {a, b}\n");
    let text = "include \"sets.lts\"\nimport RING = \"ring.aut\"\nP = (Both -> P).\n||S = (P || RING).\n";
    let file = temporary("main.lts", text);
    assert_eq!(verdicts(&[&file]), ["holds"]);
    let saved = temporary("saved.aut", "");
    assert_eq!(run(&[&file, "--process", "S", "--save", &saved]).status, Exit::Holds);
    assert_eq!(
        verdicts(&[&saved, &imported, "--bisimilar", "saved", "ring", "--equivalence", "strong"]),
        ["holds"]
    );
    let drawn = temporary("saved.dot", "");
    run(&[&file, "--process", "S", "--save", &drawn]);
    assert!(std::fs::read_to_string(&drawn).expect("written").starts_with("digraph"));
}

#[test]
fn structures_and_counterexamples_are_drawn() {
    let file = temporary(
        "drawn.lts",
        "SPEC = (a -> (b -> SPEC | c -> SPEC)). IMPL = (a -> b -> IMPL | a -> c -> IMPL).\n",
    );
    let (mut results, mut messages) = (Vec::new(), Vec::new());
    let mut output = Output {
        format: Format::Human,
        colour: base::render::Colour::Never,
        is_quiet: false,
        is_verbose: false,
        listener: &(),
        events: &base::Silent,
        status: None,
        results: &mut results,
        messages: &mut messages,
    };
    let asked = ModelArgs::only_build(vec![file.clone().into()], Some("SPEC".to_owned()));
    let built = model::structure(&asked, &mut output, &Budget::unlimited());
    let lks = built.unwrap_or_else(|refused| panic!("status {:?}", refused.told(&mut output)));
    assert_eq!((lks.state_count(), lks.transition_count()), (2, 3));
    let picture = model::picture(&lks).unwrap_or_else(|refused| panic!("status {:?}", refused.status));
    assert!(picture.starts_with("<svg") && picture.contains("b, c"), "{picture}");
    for (name, start) in [("tree.svg", "<svg"), ("tree.dot", "digraph")] {
        let drawn = temporary(name, "");
        let ran = run(&[&file, "--simulates", "SPEC", "IMPL", "--save-counterexample", &drawn]);
        assert_eq!(ran.status, Exit::Violated);
        let text = std::fs::read_to_string(&drawn).expect("written");
        assert!(text.starts_with(start) && text.contains("no answer"), "{text}");
    }
    let none = run(&[&file, "--simulates", "IMPL", "SPEC", "--save-counterexample", "none.svg"]);
    assert!(none.status == Exit::Holds && none.messages.contains("was not written"), "{}", none.messages);
    let odd = run(&[&file, "--simulates", "SPEC", "IMPL", "--save-counterexample", "tree.png"]);
    assert!(odd.status == Exit::Usage && odd.messages.contains(".svg or .dot"), "{}", odd.messages);
}

#[test]
fn learned_assumptions_are_saved_as_fsp_and_read_back() {
    let file = example("dining_philosophers.lts");
    let saved = temporary("assumption.lts", "");
    let arguments = [&file, "--process", "DINERS(2)", "--check", "property", "--engine", "learn1"];
    let ran = run(&[&arguments[..], &["--save-assumption", &saved]].concat());
    assert_eq!(ran.status, Exit::Holds, "{}", ran.messages);
    assert!(ran.results.contains("learned"), "{}", ran.results);
    let text = std::fs::read_to_string(&saved).expect("written");
    assert!(text.contains("may assume of the rest") && text.contains("phil["), "{text}");
    let again = run(&[&saved, "--check", "property"]);
    assert_eq!(again.status, Exit::Holds, "{text}\n{}", again.messages);
    let none = run(&[&file, "--process", "DINERS(2)", "--engine", "explicit", "--save-assumption", &saved]);
    assert!(none.messages.contains("no assumption was learned"), "{}", none.messages);
}

#[test]
fn sarif_has_one_result_per_question_with_its_place() {
    let ran = run_as(&[&example("bounded_buffer.lts")], Format::Sarif);
    assert_eq!(ran.status, Exit::Violated);
    let document: Value = serde_json::from_str(&ran.results).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    let results = document["runs"][0]["results"].as_array().expect("results");
    let kinds: Vec<(&str, &str)> = results
        .iter()
        .map(|result| (result["ruleId"].as_str().expect("a rule"), result["kind"].as_str().expect("a kind")))
        .collect();
    assert_eq!(
        kinds,
        [
            ("safety", "pass"),
            ("progress", "pass"),
            ("assertion", "pass"),
            ("assertion", "pass"),
            ("assertion", "fail")
        ]
    );
    let place = &results[4]["locations"][0]["physicalLocation"];
    let line = place["region"]["startLine"].as_u64().expect("a line") as usize;
    let text = std::fs::read_to_string(example("bounded_buffer.lts")).expect("the example");
    assert!(text.lines().nth(line - 1).expect("that line").contains("ONE_AT_A_TIME"));
    let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(kinds.iter().all(|(rule, _)| rules.iter().any(|known| known["id"] == *rule)));
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
    assert_eq!(verdicts(&[&file, "--formula", "G F heads", "--fair-choice"]), ["holds"]);
    // Where a choice is not met again and again, fairness to it changes nothing.
    let once = temporary("once.lts", "ONCE = (left -> L | right -> R), L = (a -> L), R = (b -> R).\n");
    assert_eq!(verdicts(&[&once, "--formula", "F a", "--fair-choice"]), ["violated"]);
}

#[test]
fn actions_that_nobody_does_are_told() {
    let text = "P = (a -> P)+{b}. property T = (a -> T | c -> T). ||S = (P || T).\n";
    let told = run_as(&[&temporary("idle.lts", text)], Format::Human).results;
    assert!(told.contains("in the alphabet, but done by nobody: `b`"), "{told}");
    assert!(told.contains("actions that no process has, so they happen freely: `c`"), "{told}");
}

#[test]
fn a_lock_that_anyone_may_release_is_no_obstacle() {
    let file = workspace().join("examples/models/dining_philosophers.lts");
    let file = file.to_string_lossy();
    let asked = ["--process", "DINERS(10)", "--check", "safety"];
    assert_eq!(verdicts(&[&[&*file], &asked[..]].concat()), ["holds"]);
}
