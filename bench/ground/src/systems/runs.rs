//! What components really do: compiled by gcc and run with every answer of the routines that leave a choice.

use super::draw::{EVENTS, System};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Most runs of a component.
const MOST_RUNS: usize = 400;

/// A component as a tree: what it can do from each state.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// From each state: an event, or a silent choice by its number; and the next state.
    pub steps: Vec<BTreeMap<Step, usize>>,
    /// The events that happen.
    pub alphabet: BTreeSet<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A choice of the component's own, which nobody sees.
    Silent(u32),
    /// An event.
    Event(String),
}

const DRIVER: &str = r#"
#include <setjmp.h>
#include <stdio.h>
static int choices[64], bounds[64], used, given;
static int next_choice(int bound) {
    if (used == 64) { printf("\n"); printf("DEEP\n"); fflush(stdout); __builtin_trap(); }
    if (used == given) { choices[given] = 0; given++; }
    bounds[used] = bound;
    return choices[used++];
}
static void happen(const char *name) { printf(" %s", name); }
static int silent(int bound) { int choice = next_choice(bound); printf(" %d", choice); return choice; }
static void explore(const char *name, int (*run)(void)) {
    int runs = 0;
    given = 0;
    do {
        used = 0;
        printf("RUN %s", name);
        run();
        printf("\n");
        given = used;
        while (given > 0 && choices[given - 1] + 1 == bounds[given - 1]) given--;
        if (given > 0) choices[given - 1]++;
    } while (given > 0 && ++runs < MOST_RUNS);
    if (given > 0) printf("MANY %s\n", name);
}
"#;

/// The trees of the components of each system, in their order; none where there are too many runs.
pub fn trees(systems: &[System], directory: &Path) -> Result<Vec<Option<Vec<Tree>>>, String> {
    let trouble = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(directory).map_err(trouble)?;
    let mut units: Vec<String> = Vec::new();
    let mut driver = format!("#define MOST_RUNS {MOST_RUNS}\n{DRIVER}");
    let mut main = String::from("int main(void) {\n");
    for system in systems {
        let seed = system.seed;
        let _ = writeln!(driver, "#include \"s{seed}.h\"");
        for event in EVENTS {
            let _ = writeln!(driver, "void s{seed}_{event}(void) {{ happen(\"{event}\"); }}");
        }
        let _ = writeln!(
            driver,
            "int s{seed}_choose(void) {{ return silent(3); }}\n\
             int s{seed}_offer(void) {{ int first = next_choice(2) == 0; happen(first ? \"a\" : \"b\"); return first; }}\n\
             void s{seed}_note(int x) {{ happen(x == 1 ? \"one\" : \"other\"); }}\n\
             int s{seed}_take(struct s{seed}_slot *slot) {{ int first = next_choice(2) == 0; happen(first ? \"c\" : \"d\"); slot->seq = first ? 1 : 2; return first ? 0 : -1; }}"
        );
        for component in &system.components {
            let _ = writeln!(driver, "int {0}(void);", component.procedure);
            let _ = writeln!(main, "    explore(\"{0}\", {0});", component.procedure);
        }
        let files = system.files();
        for (name, text) in &files {
            std::fs::write(directory.join(name), text).map_err(trouble)?;
        }
        for (number, (name, _)) in files.iter().filter(|(name, _)| name.ends_with(".c")).enumerate() {
            if units.len() == number {
                units.push(String::new());
            }
            let _ = writeln!(units[number], "#include \"{name}\"");
        }
    }
    driver.push_str(&main);
    driver.push_str("    return 0;\n}\n");
    units.push(driver);
    let mut names = Vec::new();
    for (number, text) in units.iter().enumerate() {
        let name = format!("unit{number}.c");
        std::fs::write(directory.join(&name), text).map_err(trouble)?;
        names.push(name);
    }
    let output = Command::new("gcc")
        .current_dir(directory)
        .args(["-O0", "-w", "-std=gnu11", "-fsanitize=undefined", "-fno-sanitize-recover=all"])
        .args(&names)
        .args(["-o", "systems"])
        .output()
        .map_err(trouble)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let output = Command::new(directory.join("systems")).output().map_err(trouble)?;
    if !output.status.success() {
        return Err(format!("a run fails: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut found: BTreeMap<String, Tree> = BTreeMap::new();
    let mut too_many = BTreeSet::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("RUN"), Some(name)) => found.entry(name.to_string()).or_default().add(words),
            (Some("MANY"), Some(name)) => {
                too_many.insert(name.to_string());
            }
            _ => return Err(format!("not understood: {line}")),
        }
    }
    let tree = |procedure: &String| found.get(procedure).filter(|_| !too_many.contains(procedure)).cloned();
    Ok(systems
        .iter()
        .map(|system| system.components.iter().map(|component| tree(&component.procedure)).collect())
        .collect())
}

impl Tree {
    /// Adds a run, as the log has it: events by name, choices by number.
    pub fn add_run(&mut self, run: &str) {
        self.add(run.split_whitespace());
    }

    fn add<'a>(&mut self, steps: impl Iterator<Item = &'a str>) {
        if self.steps.is_empty() {
            self.steps.push(BTreeMap::new());
        }
        let mut state = 0;
        for word in steps {
            let step = match word.parse() {
                Ok(choice) => Step::Silent(choice),
                Err(_) => {
                    self.alphabet.insert(word.to_string());
                    Step::Event(word.to_string())
                }
            };
            let fresh = self.steps.len();
            let next = *self.steps[state].entry(step).or_insert(fresh);
            if next == fresh {
                self.steps.push(BTreeMap::new());
            }
            state = next;
        }
    }
}
