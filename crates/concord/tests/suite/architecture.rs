//! The shape of the workspace: which crate may depend on which, and that each says what it is for.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Crates in reading order: each may depend only on those above it.
const ORDER: [&str; 23] = [
    "base",
    "logic",
    "verdict",
    "lks",
    "spec",
    "automata",
    "csource",
    "program",
    "library",
    "lower",
    "concrete",
    "question",
    "check",
    "boolprog",
    "symbolic",
    "intervals",
    "predicate",
    "prove",
    "cegar",
    "audit",
    "evidence",
    "report",
    "concord",
];

/// Dependencies that the order allows and the design forbids: the auditor must not share code with what it audits.
const FORBIDDEN: [(&str, &[&str]); 1] = [(
    "audit",
    &["lks", "automata", "check", "boolprog", "csource", "lower", "intervals", "predicate", "prove", "cegar"],
)];

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
    ORDER.iter().position(|known| *known == name)
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
    let forbidden = FORBIDDEN.iter().any(|(who, whom)| *who == from && whom.contains(&to));
    forbidden.then(|| format!("{from} must not see {to}"))
}

#[test]
fn dependencies_point_upward_only() {
    let members = members();
    let objections: Vec<String> = members
        .iter()
        .flat_map(|(name, member)| member.dependencies.iter().map(move |dependency| (name, dependency)))
        .filter_map(|(name, dependency)| objection(name, &dependency.name, dependency.is_for_tests))
        .collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
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
fn wrong_edges_are_objected_to() {
    assert!(objection("base", "logic", false).is_some());
    assert!(objection("csource", "lower", false).is_some());
    assert!(objection("audit", "predicate", false).is_some());
    assert!(objection("report", "concord", true).is_some());
    assert!(objection("logic", "testkit", false).is_some());
    assert!(objection("logic", "testkit", true).is_none());
    assert!(objection("lower", "csource", false).is_none());
    assert!(objection("lower", "concrete", true).is_none());
    assert!(objection("audit", "concrete", false).is_none());
    assert!(objection("base", "memchr", false).is_none());
}
