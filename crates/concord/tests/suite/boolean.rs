//! The verb `bool`, through its command line.

use base::Budget;
use clap::Parser;
use concord::bool::{self as boolean, BoolArgs};
use concord::channel::{Format, Output};
use concord::exit::Exit;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Debug, Parser)]
#[command(after_help = boolean::EXAMPLES)]
struct CommandLine {
    #[command(flatten)]
    arguments: BoolArgs,
}

struct Ran {
    status: Exit,
    results: String,
    messages: String,
}

fn run_as(file: &Path, options: &[&str], is_json: bool) -> Ran {
    let file = file.to_string_lossy().into_owned();
    let words = ["bool", &file].into_iter().chain(options.iter().copied());
    let parsed = CommandLine::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let (mut results, mut messages) = (Vec::new(), Vec::new());
    let mut output = Output {
        format: if is_json { Format::Json } else { Format::Human },
        colour: base::render::Colour::Never,
        is_quiet: false,
        is_verbose: false,
        listener: &(),
        events: &base::Silent,
        status: None,
        results: &mut results,
        messages: &mut messages,
    };
    let status = boolean::boolean(&parsed.arguments, &mut output, &Budget::unlimited());
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran { status, results: text(results), messages: text(messages) }
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../boolprog/tests/programs").join(name)
}

fn run(name: &str, options: &[&str]) -> Ran {
    run_as(&own(name), options, false)
}

#[test]
fn answers_and_statuses() {
    for (name, options, expected) in [
        ("recursion_even.bp", &[][..], Exit::Holds),
        ("recursion.bp", &[], Exit::Violated),
        ("recursion.bp", &["--engine", "sat"], Exit::Violated),
        ("mutual_recursion.bp", &["--engine", "sat"], Exit::Holds),
        ("lost_update.bp", &["--initial-threads", "2"], Exit::Violated),
        ("lost_update.bp", &["--initial-threads", "unbounded"], Exit::Violated),
        ("lost_update.bp", &["--threads", "2"], Exit::Violated),
        ("lost_update.bp", &["--threads", "unbounded"], Exit::Violated),
        ("lost_update.bp", &["--threads", "2", "--initial-threads", "1"], Exit::Holds),
        ("atomic_update.bp", &["--threads", "unbounded"], Exit::Holds),
        ("atomic_update.bp", &["--initial-threads", "3", "--all-engines"], Exit::Holds),
        ("broadcast_in_recursion.bp", &["--threads", "2"], Exit::Violated),
        ("broadcast_in_recursion.bp", &["--threads", "2", "--engine", "stacks"], Exit::Undecided),
        ("thread_local_told.bp", &["--threads", "unbounded"], Exit::Violated),
        ("thread_local_counter.bp", &["--threads", "unbounded"], Exit::Holds),
        ("starting_threads.bp", &[], Exit::Violated),
        ("starting_threads.bp", &["--threads", "2"], Exit::Holds),
        ("recursion_even.bp", &["--engine", "counters"], Exit::Undecided),
        ("recursion_even.bp", &["--engine", "stacks"], Exit::Holds),
        ("recursion_even.bp", &["--threads", "unbounded"], Exit::Holds),
        ("recursion_even.bp", &["--threads", "2"], Exit::Holds),
        ("recursion.bp", &["--threads", "unbounded"], Exit::Violated),
        ("../recursion/trivially_safe.bp", &["--threads", "unbounded"], Exit::Holds),
        ("../recursion/toggled_in_the_open.bp", &["--threads", "2"], Exit::Violated),
        ("lost_update.bp", &["--engine", "stacks", "--threads", "2"], Exit::Undecided),
        ("recursion_even.bp", &["--engine", "nonesuch"], Exit::Usage),
        ("recursion_even.bp", &["--threads", "none"], Exit::Usage),
        ("recursion_even.bp", &["--root", "nobody"], Exit::BadInput),
        ("missing_fi.bp", &[], Exit::BadInput),
        ("no_such_file.bp", &[], Exit::BadInput),
        ("error_label.bp", &[], Exit::Violated),
        ("error_label.bp", &["--error-label", "OTHER"], Exit::BadInput),
    ] {
        let ran = run(name, options);
        assert_eq!(ran.status, expected, "{name} {options:?}: {}{}", ran.results, ran.messages);
    }
}

#[test]
fn a_violation_is_told_step_by_step() {
    let ran = run("recursion.bp", &[]);
    for words in [
        "VIOLATED: the assertion fails after ",
        "engine: bdd (one thread",
        "flip(",
        "assert(!r);",
        "the assertion fails",
        ": yes",
    ] {
        assert!(ran.results.contains(words), "`{words}` is not in\n{}", ran.results);
    }
    let ran = run("lost_update.bp", &["--initial-threads", "2"]);
    assert!(ran.results.contains("columns: thread 0 in main, 1 in main"), "{}", ran.results);
}

/// A run as people read it: initial values, calls indented, a column per thread, nothing that does nothing.
#[test]
fn a_run_reads_like_a_program() {
    let ran = run("recursion.bp", &[]);
    let run_shown: Vec<&str> = ran.results.lines().skip(2).collect();
    assert_eq!(
        run_shown,
        [
            "        at first g=0",
            "     1  line 11: g := F;",
            "     2  line 12: r := flip(g);    x=0 y=0",
            "     3    line 6: if *: yes",
            "     4    line 6: y := flip(!x);  x=1 y=0",
            "     5      line 6: if *: no",
            "     6      line 7: return !x;",
            "     7    line 6: return y;",
            "     8  line 13: r := flip(r);    x=0 y=0",
            "     9    line 6: if *: no",
            "    10    line 7: return !x;      r=1",
            "    11  line 14: assert(!r);",
            "  the assertion fails",
        ]
    );
    let short = run("columns.bp", &["--threads", "unbounded"]).results;
    assert_eq!(
        short,
        "\
VIOLATED: the assertion fails after 8 steps
  engine: few-threads (any number of threads: few of them first); 15 states
  note: it fails with 2 threads, and not with one
  columns: thread 0 in main, 1 in main
        at first g=0
     3  line 9: set(!g);                        v=1
     4    line 5: g := v;                       g=1
     5    line 4: end of set
     6                       line 9: set(!g);   v=0
     7                         line 5: g := v;  g=0
     8  line 10: assert(g);
  the assertion fails
  (2 steps that do nothing are left out; --full shows them)
"
    );
    let full = run("columns.bp", &["--threads", "unbounded", "--full"]).results;
    assert!(full.contains("skip;") && !full.contains("left out"), "{full}");
}

#[test]
fn broadcasts_are_told_with_the_thread_that_they_change() {
    let ran = run("broadcast_mixed.bp", &["--threads", "unbounded"]);
    assert_eq!(ran.status, Exit::Violated, "{}{}", ran.results, ran.messages);
    assert!(ran.results.contains("x=0 in thread "), "{}", ran.results);
    let ran = run("broadcast_kept.bp", &["--threads", "unbounded"]);
    assert_eq!(ran.status, Exit::Holds, "{}{}", ran.results, ran.messages);
    // More threads can do less: not for coverability, which says so, and ends without a limit of time.
    let ran = run("broadcast_excluded.bp", &["--threads", "unbounded"]);
    assert_eq!(ran.status, Exit::Undecided, "{}{}", ran.results, ran.messages);
    assert!(ran.results.contains("a constraint on others (`x$`) excludes"), "{}", ran.results);
    let ran = run("broadcast_excluded.bp", &["--threads", "4"]);
    assert_eq!(ran.status, Exit::Holds, "{}{}", ran.results, ran.messages);
    let ran = run("broadcast_kept.bp", &["--threads", "2", "--engine", "symbolic-plain"]);
    assert_eq!(ran.status, Exit::Undecided, "{}", ran.results);
    assert!(ran.results.contains("it takes no variables of other threads"), "{}", ran.results);
}

#[test]
fn a_proof_about_recursion_and_threads_says_what_it_rests_on() {
    let ran = run("../recursion/lock_around_recursion.bp", &["--threads", "unbounded"]);
    for words in ["HOLDS", "any number of threads and recursion", "note: stacks are summarised: a recursive"]
    {
        assert!(ran.results.contains(words), "`{words}` is not in\n{}", ran.results);
    }
}

#[test]
fn json_has_what_the_others_have() {
    let ran = run_as(&own("recursion.bp"), &[], true);
    let document: Value = serde_json::from_str(&ran.results).expect("JSON");
    assert_eq!(document["concord"], 1);
    let result = &document["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["counterexample"]["kind"], "path");
    let steps = result["counterexample"]["path"]["steps"].as_array().expect("steps");
    assert!(steps.len() > 3);
    let ran = run_as(&own("recursion_even.bp"), &["--engine", "counters"], true);
    let document: Value = serde_json::from_str(&ran.results).expect("JSON");
    assert_eq!(document["results"][0]["verdict"], "undecided");
    assert!(document["results"][0]["reason"].as_str().is_some_and(|reason| reason.contains("recursion")));
}

#[test]
fn what_simplify_prints_has_the_same_answer() {
    let folder = std::env::temp_dir().join(format!("concord-bool-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in
        ["recursion.bp", "recursion_even.bp", "choice_both.bp", "choice_normal_form.bp", "error_label.bp"]
    {
        let before = run(name, &[]);
        let printed = run(name, &["--simplify"]);
        assert_eq!(printed.status, Exit::Holds);
        let file = folder.join(name);
        std::fs::write(&file, &printed.results).expect("writable");
        let after = run_as(&file, &[], false);
        assert_eq!(before.status, after.status, "{name}:\n{}\n{}", printed.results, after.messages);
    }
    std::fs::remove_dir_all(&folder).expect("removable");
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let ran = run("missing_fi.bp", &[]);
    assert!(ran.messages.contains("missing_fi.bp:4"), "{}", ran.messages);
    assert!(ran.messages.contains("close it with `fi`"), "{}", ran.messages);
}

#[test]
fn all_engines_are_a_table() {
    let ran = run("lost_update.bp", &["--initial-threads", "2", "--all-engines"]);
    assert_eq!(ran.status, Exit::Violated, "{}{}", ran.results, ran.messages);
    for words in
        ["counters-cartesian ", "symbolic-all-reductions ", "and they agree", "the shortest of their runs"]
    {
        assert!(ran.results.contains(words), "`{words}` is not in\n{}", ran.results);
    }
    assert_eq!(
        ran.results.matches("\n  the assertion fails").count(),
        1,
        "one run is enough: {}",
        ran.results
    );
    let ran = run("atomic_update.bp", &["--threads", "unbounded"]);
    let cutoff = "note: cutoff: 2 threads reach every state of a thread that any number of threads reaches";
    assert!(ran.results.contains(cutoff) && ran.results.contains("8 markings"), "{}", ran.results);
    let ran = run("../nets/mutex.tts", &["--all-engines"]);
    assert_eq!(ran.status, Exit::Holds, "{}{}", ran.results, ran.messages);
    assert!(ran.results.contains("3 of 3 engines decide it"), "{}", ran.results);
}

#[test]
fn certificates_are_written_and_were_checked() {
    let folder = std::env::temp_dir().join(format!("concord-certificate-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let out = folder.join("proof.json");
    let path = out.to_string_lossy().into_owned();
    for (name, options, shape) in [
        ("recursion_even.bp", &[][..], "summaries"),
        ("mutual_recursion.bp", &[], "summaries"),
        ("atomic_update.bp", &["--threads", "unbounded", "--engine", "backward"], "excluded markings"),
        ("atomic_update.bp", &["--threads", "unbounded", "--engine", "karp-miller"], "cover"),
        ("../nets/mutex.tts", &["--engine", "widening"], "excluded markings"),
    ] {
        let options: Vec<&str> = options.iter().copied().chain(["--certificate", &path]).collect();
        let ran = run(name, &options);
        assert_eq!(ran.status, Exit::Holds, "{name}: {}{}", ran.results, ran.messages);
        assert!(ran.results.contains("the proof was checked"), "{name}: {}", ran.results);
        let text = std::fs::read_to_string(&out).expect("written");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(document["shape"], shape, "{name}");
        assert!(document["conditions_checked"].as_u64().is_some_and(|count| count > 0), "{name}");
        assert!(document["facts"].as_array().is_some_and(|facts| !facts.is_empty()), "{name}");
        let legend = document["legend"].as_array().expect("a legend");
        if name == "atomic_update.bp" {
            let means = |words: &str| legend.iter().any(|row| row["means"].as_str() == Some(words));
            assert!(means("c=1 d=1 (a thread is in an atomic section)"), "{legend:?}");
            assert!(means("main, line 9: assert(!d); (in an atomic section)"), "{legend:?}");
        }
        if shape == "summaries" {
            let first = legend[0]["means"].as_str().expect("words");
            assert!(first.contains(", line "), "{legend:?}");
        }
        std::fs::remove_file(&out).expect("removable");
    }
    let ran = run("atomic_update.bp", &["--initial-threads", "2", "--certificate", &path]);
    assert_eq!(ran.status, Exit::Holds);
    assert!(ran.results.contains("no certificate") && !out.exists(), "{}", ran.results);
    std::fs::remove_dir_all(&folder).expect("removable");
}

#[test]
fn help_lists_the_engines_that_there_are() {
    for engine in boolprog::engine::WITH_A_BOUND.iter().chain(&boolprog::engine::WITHOUT_A_BOUND) {
        let name = question::Engine::name(engine);
        let words = boolean::EXAMPLES.split([' ', ',', ';', '.', ':', '\n']);
        assert!(words.into_iter().any(|word| word == name), "--help does not list {name}");
    }
}
