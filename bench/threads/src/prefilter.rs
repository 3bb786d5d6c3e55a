//! What the bitset prefilter for subsumption brings: all pairs of the markings that proofs rest on, with it and without.

use crate::nets::{fields, settings_of};
use crate::programs;
use base::{Diagnostics, SourceMap};
use boolprog::cover::backward;
use boolprog::cover::marking::Marking;
use boolprog::cover::outcome::Limits;
use boolprog::cover::read_file;
use question::{Decided, Monitor};
use testkit::clock::Clock;

/// So many comparisons each way for every net.
const COMPARISONS: u64 = 20_000_000;
/// Nets whose proofs have fewer markings say nothing.
const FEW: usize = 100;

/// One row per net whose proof by backward search has enough markings.
pub fn run() -> Result<(), String> {
    let manifest = std::fs::read_to_string(programs::shared().join("bench/manifest.csv"))
        .map_err(|why| format!("absent: {why}"))?;
    println!("markings  below %  with, ns  without, ns  factor  file");
    for row in manifest.lines().filter(|line| line.starts_with("petri/")).map(fields) {
        let settings = settings_of(&row, boolprog::cover::Engine::Backward);
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
        let path = programs::shared().join("bench").join(&row[0]);
        let Some(system) = read_file(&path, &settings, &mut sources, &mut diagnostics) else { continue };
        let limits = Limits { monitor: Monitor::silent(&settings.budget), steps: Some(20_000) };
        let Ok(Decided::Proved(proof)) = backward::check(&system, limits).found else { continue };
        if proof.markings.len() < FEW {
            continue;
        }
        let (with, below) = timed(&proof.markings, Marking::is_covered_by);
        let (without, same) = timed(&proof.markings, Marking::is_covered_token_by_token);
        if below != same {
            return Err(format!("{}: the prefilter changes the answer", row[0]));
        }
        println!(
            "{:8}  {:7.2}  {with:8.2}  {without:11.2}  {:6.1}  {}",
            proof.markings.len(),
            100.0 * below,
            without / with,
            row[0]
        );
    }
    Ok(())
}

/// Nanoseconds per comparison, and the share that says yes.
fn timed(markings: &[Marking], is_below: impl Fn(&Marking, &Marking) -> bool) -> (f64, f64) {
    let rounds = COMPARISONS.div_ceil((markings.len() * markings.len()) as u64);
    let clock = Clock::start();
    let mut yes = 0u64;
    for _ in 0..rounds {
        for small in std::hint::black_box(markings) {
            yes += markings.iter().filter(|large| is_below(small, large)).count() as u64;
        }
    }
    let made = (rounds * (markings.len() * markings.len()) as u64) as f64;
    (clock.processor() * 1e9 / made, yes as f64 / made)
}
