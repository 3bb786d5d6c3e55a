//! Minimal sizes recorded for another tool, where the recorded files are present.

use base::Budget;
use check::bisimulation::{Equivalence, smallest};
use std::path::Path;

#[test]
#[allow(clippy::print_stdout)] // says whether anything was compared
fn weak_quotients_have_the_recorded_sizes() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let Ok(manifest) = std::fs::read_to_string(bench.join("manifest.csv")) else {
        println!("../shared/bench/manifest.csv is absent: nothing was compared");
        return;
    };
    let mut compared = 0;
    for line in manifest.lines().filter(|line| line.starts_with("aut/")) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[2] != "weak-bisim-minimise" {
            continue;
        }
        let Ok(expected) = fields[3].parse::<usize>() else { continue };
        let text = std::fs::read_to_string(bench.join(fields[0])).unwrap();
        let lks = lks::aut::read(fields[0], &text, 0).unwrap();
        let small = smallest(&lks, Equivalence::Weak, &Budget::unlimited()).unwrap();
        // The recorded numbers count neither ERROR nor, beyond weak bisimulation, states that only go on silently:
        // the other tool bends the steps into such a state to where it leads.
        let passing = small.states().filter(|state| {
            let actions = small.actions(*state);
            !small.initial().contains(state) && !actions.is_empty() && actions.iter().all(|a| a.is_silent())
        });
        let states = small.state_count() - small.error_states().len() - passing.count();
        assert_eq!(states, expected, "{}", fields[0]);
        compared += 1;
    }
    println!("{compared} structures compared");
    assert!(compared > 50);
}
