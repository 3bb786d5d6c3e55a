//! The shape of the workspace: which crate may depend on which, and that each says what it is for.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Crates in reading order, each with the crates of ours that it may use: those, and no others.
const ALLOWED: [(&str, &[&str]); 26] = [
    ("base", &[]),
    ("logic", &["base"]),
    ("verdict", &["base"]),
    ("lks", &["base"]),
    ("spec", &["base", "lks"]),
    ("automata", &["base"]),
    ("csource", &["base"]),
    ("program", &["base", "csource"]),
    ("threads", &["base", "program"]),
    ("library", &["program"]),
    ("lower", &["base", "csource", "library", "program"]),
    ("concrete", &["base", "csource", "library", "program"]),
    ("question", &["base", "concrete", "lks", "program", "spec", "verdict"]),
    ("check", &["automata", "base", "lks", "logic", "question", "spec", "verdict"]),
    ("temporal", &["automata", "base", "check", "program", "question", "spec", "verdict"]),
    ("boolprog", &["base", "logic", "question", "verdict"]),
    ("symbolic", &["base", "logic", "program"]),
    ("intervals", &["base", "concrete", "logic", "program", "question", "spec", "verdict"]),
    ("predicate", &["base", "boolprog", "lks", "logic", "program", "spec", "symbolic"]),
    (
        "prove",
        &[
            "base",
            "concrete",
            "intervals",
            "logic",
            "program",
            "question",
            "symbolic",
            "temporal",
            "threads",
            "verdict",
        ],
    ),
    (
        "cegar",
        &[
            "automata",
            "base",
            "boolprog",
            "check",
            "concrete",
            "intervals",
            "lks",
            "logic",
            "predicate",
            "program",
            "prove",
            "question",
            "spec",
            "symbolic",
            "temporal",
            "threads",
            "verdict",
        ],
    ),
    // The auditor shares no code with what it audits but the meaning of a step and the solver.
    ("audit", &["base", "concrete", "logic", "program", "question", "symbolic", "verdict"]),
    ("evidence", &["base", "concrete", "lower", "program", "question", "threads", "verdict"]),
    (
        "report",
        &["automata", "base", "concrete", "csource", "evidence", "lks", "program", "question", "verdict"],
    ),
    // Files and hashes only: what is kept of answers are texts to it.
    ("store", &["base"]),
    (
        "concord",
        &[
            "audit",
            "automata",
            "base",
            "boolprog",
            "cegar",
            "check",
            "concrete",
            "csource",
            "evidence",
            "intervals",
            "lks",
            "logic",
            "lower",
            "predicate",
            "program",
            "question",
            "report",
            "spec",
            "store",
            "temporal",
            "threads",
            "verdict",
        ],
    ),
];

/// Crates that show only what their `lib.rs` names, with the modules that are doors of their own: no other
/// module is public.
const FACADES: [(&str, &[&str]); 10] = [
    ("audit", &[]),
    ("prove", &[]),
    ("threads", &[]),
    ("intervals", &["ctl"]),
    ("library", &["format"]),
    ("lower", &["arguments", "entry", "words"]),
    ("cegar", &["components", "watch"]),
    ("report", &["draw", "page"]),
    ("concord", &["bool", "channel", "exit", "model"]),
    (
        "boolprog",
        &[
            "cover",
            "engine",
            "explicit",
            "graph",
            "pushdown",
            "simplify",
            "summaries",
            "syntax",
            "threads",
            "unrolling",
        ],
    ),
];

struct Member {
    folder: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    is_for_tests: bool,
}

fn members() -> BTreeMap<String, Member> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages are listed");
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    packages
        .iter()
        .map(|package| {
            let manifest = text(&package["manifest_path"]);
            let folder = Path::new(&manifest).parent().expect("a folder").to_string_lossy().into_owned();
            let dependencies = package["dependencies"].as_array().expect("dependencies are listed");
            let dependencies = dependencies
                .iter()
                .map(|dependency| Dependency {
                    name: text(&dependency["name"]),
                    is_for_tests: dependency["kind"] == "dev",
                })
                .collect();
            (text(&package["name"]), Member { folder, dependencies })
        })
        .collect()
}

fn rank(name: &str) -> Option<usize> {
    ALLOWED.iter().position(|(known, _)| *known == name)
}

/// What is wrong with an edge of the dependency graph, if anything.
fn objection(from: &str, to: &str, is_for_tests: bool) -> Option<String> {
    if to == "testkit" {
        let is_shipped = rank(from).is_some();
        return (is_shipped && !is_for_tests).then(|| format!("{from} ships what is for tests and benches"));
    }
    let (lower, upper) = (rank(from)?, rank(to)?);
    if to == "concord" {
        return Some(format!("{from} depends on the command line"));
    }
    if is_for_tests {
        return None;
    }
    if upper >= lower {
        return Some(format!("{from} depends on {to}, which stands below it in the reading order"));
    }
    let is_allowed = ALLOWED[lower].1.contains(&to);
    (!is_allowed).then(|| format!("{from} may not use {to}: it is not on the list of what it may"))
}

/// What is wrong with the `lib.rs` of a crate that promised a façade, if anything: a public module that is no door, or
/// one that is shown whole.
fn breach_of_facade(name: &str, text: &str) -> Option<String> {
    let (_, doors) = FACADES.iter().find(|(known, _)| *known == name)?;
    let is_breach = |line: &&str| {
        let module = line.strip_prefix("pub mod ").map(|rest| rest.trim_end_matches([';', ' ', '{']));
        let is_whole = line.starts_with("pub use ") && line.contains('*');
        is_whole || module.is_some_and(|module| !doors.contains(&module))
    };
    let line = text.lines().map(str::trim).find(is_breach)?;
    Some(format!("{name} promised a façade and has `{line}`"))
}

#[test]
fn dependencies_are_those_of_the_list() {
    let members = members();
    let objections: Vec<String> = members
        .iter()
        .flat_map(|(name, member)| member.dependencies.iter().map(move |dependency| (name, dependency)))
        .filter_map(|(name, dependency)| objection(name, &dependency.name, dependency.is_for_tests))
        .collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

/// A list with more than there is would hide what comes back.
#[test]
fn the_list_has_no_edge_that_is_not_there() {
    let members = members();
    for (name, allowed) in ALLOWED {
        let member = members.get(name).unwrap_or_else(|| panic!("{name} is no crate of the workspace"));
        for other in allowed {
            let is_used = |dependency: &Dependency| dependency.name == *other && !dependency.is_for_tests;
            assert!(
                member.dependencies.iter().any(is_used),
                "{name} does not use {other}: take it off the list"
            );
        }
    }
}

#[test]
fn facades_are_kept() {
    let members = members();
    for (name, doors) in FACADES {
        let library = Path::new(&members[name].folder).join("src/lib.rs");
        let text = std::fs::read_to_string(library).expect("readable");
        assert_eq!(breach_of_facade(name, &text), None);
        for door in doors {
            assert!(
                text.contains(&format!("pub mod {door};")),
                "{name} has no `{door}`: take it off the list"
            );
        }
    }
}

#[test]
fn every_crate_has_its_place_in_the_order() {
    let unplaced: Vec<String> = members()
        .into_iter()
        .filter(|(name, member)| {
            let is_crate =
                Path::new(&member.folder).parent().is_some_and(|parent| parent.ends_with("crates"));
            is_crate && rank(name).is_none() && name != "testkit"
        })
        .map(|(name, _)| name)
        .collect();
    assert!(unplaced.is_empty(), "not in the reading order: {unplaced:?}");
}

#[test]
fn every_crate_says_what_it_is_for() {
    for (name, member) in members() {
        let readme = Path::new(&member.folder).join("README.md");
        // Benches share one page a level up.
        let shared = Path::new(&member.folder).join("../README.md");
        let is_bench = Path::new(&member.folder).parent().is_some_and(|parent| parent.ends_with("bench"));
        let text = std::fs::read_to_string(&readme).or_else(|error| match is_bench {
            true => std::fs::read_to_string(&shared),
            false => Err(error),
        });
        let text = text.unwrap_or_else(|error| panic!("{name} has no README.md: {error}"));
        assert!(text.split_whitespace().count() > 20, "the README.md of {name} says next to nothing");
    }
}

#[test]
fn an_upward_edge_is_objected_to() {
    for (from, to) in [("base", "logic"), ("csource", "lower"), ("report", "report")] {
        let why = objection(from, to, false).expect("an objection");
        assert!(why.contains("stands below it"), "{why}");
    }
    assert!(objection("logic", "testkit", false).is_some());
    assert!(objection("report", "concord", true).is_some_and(|why| why.contains("the command line")));
}

#[test]
fn an_edge_that_is_not_on_the_list_is_objected_to() {
    for (from, to) in [("audit", "predicate"), ("audit", "prove"), ("evidence", "cegar"), ("lks", "logic")] {
        let why = objection(from, to, false).expect("an objection");
        assert!(why.contains("not on the list"), "{why}");
    }
}

#[test]
fn edges_of_the_list_of_tests_and_of_others_are_let_through() {
    assert_eq!(objection("lower", "csource", false), None);
    assert_eq!(objection("audit", "concrete", false), None);
    assert_eq!(objection("lower", "concrete", true), None);
    assert_eq!(objection("base", "memchr", false), None);
    assert_eq!(objection("logic", "testkit", true), None);
}

#[test]
fn a_public_module_of_a_facade_is_objected_to() {
    assert!(breach_of_facade("prove", "mod blocks;\npub mod pdr;\n").is_some());
    assert_eq!(breach_of_facade("prove", "mod pdr;\npub use pdr::Pdr;\n"), None);
    assert!(breach_of_facade("intervals", "pub mod ctl;\npub mod domain;\n").is_some());
    assert!(breach_of_facade("prove", "mod pdr;\npub use pdr::*;\n").is_some());
    assert!(breach_of_facade("threads", "pub mod shared {\n}\n").is_some());
    assert_eq!(breach_of_facade("intervals", "pub mod ctl;\n"), None);
    assert_eq!(breach_of_facade("base", "pub mod budget;\n"), None);
}
