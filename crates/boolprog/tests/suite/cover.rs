//! The coverability engines: agreement on random systems, and the recorded verdicts of public nets.

use base::{Budget, Diagnostics, Id, IndexVec, Silent, SourceMap};
use boolprog::cover::system::{
    Arc, Broadcast, ControlId, Effect, Initial, InitialCount, Move, PlaceId, Target, Transition,
};
use boolprog::cover::{Engine, FileSettings, Recheck, Settings, System, check_file, decide};
use question::{Decided, Monitor, Verdict};
use std::path::Path;
use std::time::Duration;
use verdict::Certificate;
use verdict::Reason;

/// A small system; every third has broadcasts, every fifth a limit from above.
fn random_system(seed: u64) -> System {
    let mut numbers = testkit::threaded::numbers(seed);
    let (controls, places) = (1 + numbers.below(3), 2 + numbers.below(3));
    let mut transitions = IndexVec::new();
    for name in 0..2 + numbers.below(5) {
        let mut pick = |limit: usize| numbers.below(limit);
        let (from, to) = (ControlId::from_index(pick(controls)), ControlId::from_index(pick(controls)));
        let (take, give) = (PlaceId::from_index(pick(places)), PlaceId::from_index(pick(places)));
        let effect = if seed.is_multiple_of(3) && pick(2) == 0 {
            let source = PlaceId::from_index(pick(places));
            let mut choices: Vec<Vec<(PlaceId, u32)>> =
                (0..1 + pick(2)).map(|_| vec![(PlaceId::from_index(pick(places)), 1)]).collect();
            choices.sort();
            choices.dedup();
            if pick(4) == 0 {
                choices.push(Vec::new());
            }
            Effect::Broadcast(Broadcast {
                needs: vec![(take, 1)],
                take: vec![(take, 1)],
                moves: vec![Move { from: source, choices }],
                add: vec![(give, 1)],
            })
        } else {
            let mut arcs = std::collections::BTreeMap::new();
            let needs = 1 + pick(2) as u32;
            arcs.insert(take, Arc { place: take, needs, change: -(1 + pick(needs as usize) as i64) });
            let arc = arcs.entry(give).or_insert(Arc { place: give, needs: 0, change: 0 });
            arc.change += 1 + pick(2) as i64;
            Effect::Plain(arcs.into_values().collect())
        };
        let limited = seed.is_multiple_of(5) && pick(3) == 0;
        let at_most =
            if limited { vec![(PlaceId::from_index(pick(places)), pick(2) as u32)] } else { Vec::new() };
        transitions.push(Transition { from, to, at_most, effect, name: name.to_string() });
    }
    let mut pick = |limit: usize| numbers.below(limit);
    let counts = (0..places)
        .filter_map(|place| {
            let place = PlaceId::from_index(place);
            match pick(5) {
                0 => Some((place, InitialCount::AtLeast(0))),
                1 | 2 => Some((place, InitialCount::Exactly(1 + pick(2) as u32))),
                _ => None,
            }
        })
        .collect();
    let mut targets = IndexVec::new();
    let mut at_least: Vec<(PlaceId, u32)> =
        (0..places).map(|place| (PlaceId::from_index(place), pick(3) as u32)).collect();
    at_least.retain(|(_, count)| *count > 0);
    targets.push(Target { control: ControlId::from_index(pick(controls)), at_least, at_most: Vec::new() });
    System {
        controls: (0..controls).map(|number| number.to_string()).collect(),
        places: (0..places).map(|number| format!("{}", char::from(b'a' + number as u8))).collect(),
        transitions,
        initial: Initial { control: ControlId::from_index(0), counts },
        targets,
        token: "token",
    }
}

#[test]
fn engines_agree_on_random_systems() {
    let (mut safe, mut covered) = (0, 0);
    for seed in 0..1500 {
        let system = random_system(seed);
        let mut words = Vec::new();
        for engine in Engine::FORCED.into_iter().chain([Engine::Auto]) {
            // Only the explicit engine and Karp-Miller on broadcasts need not end.
            let budget = Budget::unlimited().with_time(Duration::from_millis(15));
            let settings = Settings { engine, recheck: Recheck::All };
            let decided = decide(&system, settings, Monitor::silent(&budget));
            match decided.found {
                Ok(Decided::Proved(_)) => words.push((engine, "safe")),
                Ok(Decided::Violated(_)) => words.push((engine, "covered")),
                Err(open) => {
                    let refused =
                        matches!(&open.reason, Reason::NotConfirmed { why } if why.contains("proof"));
                    assert!(!refused, "seed {seed}, {engine:?}: {open}\n{system:#?}");
                }
            }
        }
        assert!(words.windows(2).all(|pair| pair[0].1 == pair[1].1), "seed {seed}: {words:?}\n{system:#?}");
        match words.first() {
            Some((_, "safe")) => safe += 1,
            Some(_) => covered += 1,
            None => {}
        }
    }
    assert!(safe > 300 && covered > 300, "{safe} safe and {covered} covered systems are no fair sample");
}

fn verdict_of(path: &Path, start: Option<&str>, budget: &Budget) -> String {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::default();
    let settings = FileSettings {
        target: None,
        start: start.map(str::to_owned),
        engine: Engine::Auto,
        budget: budget.clone(),
        recheck: Recheck::All,
    };
    match check_file(path, &settings, &mut sources, &mut diagnostics, &Silent) {
        Some(found) => {
            let (word, engine) = (found.verdict.word(), found.engine);
            let has_proof =
                matches!(&found.verdict, Verdict::Holds(Certificate::Facts(known)) if known.conditions > 0);
            assert!(word != "holds" || engine == "explicit" || has_proof, "{path:?}: no proof by {engine}");
            word.to_owned()
        }
        None => {
            let messages: Vec<&str> = diagnostics.iter().map(|problem| problem.message.as_str()).collect();
            format!("error: {}", messages.join("; "))
        }
    }
}

#[test]
fn own_files_are_read_and_decided() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nets");
    let budget = Budget::unlimited().with_time(Duration::from_secs(20));
    for (file, start, expected) in [
        ("mutex.tts", None, "holds"),
        ("mutex.tts", Some("0|0"), "holds"),
        ("race.tts", None, "violated"),
        ("race.tts", Some("0|0"), "holds"),
        ("broadcast.tts", None, "holds"),
        ("buffer.spec", None, "holds"),
        ("lost_token.spec", None, "violated"),
    ] {
        assert_eq!(verdict_of(&folder.join(file), start, &budget), expected, "{file} {start:?}");
    }
}

/// The run is one step: six tokens on x0, then the first rule puts four on x3. The comment in the file says `safe`.
const RECORD_IS_REFUTED_BY_A_RUN: &str = "petri/mist/regression-tests/correct_petri_net.spec";

#[test]
fn recorded_verdicts_of_public_nets() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let Ok(manifest) = std::fs::read_to_string(bench.join("manifest.csv")) else {
        eprintln!("absent: ../shared/bench; only the project's own nets are tested");
        return;
    };
    let mut decided = 0;
    for line in manifest.lines().filter(|line| line.starts_with("petri/")) {
        let mut fields = line.splitn(4, ',');
        let (file, _, _) = (fields.next().expect("a path"), fields.next(), fields.next());
        let rest = fields.next().expect("a verdict");
        let expected = match rest.split(',').next() {
            Some("true") => "holds",
            Some("false") => "violated",
            _ => continue,
        };
        let start = rest.split("--init \"\"").nth(1).and_then(|rest| rest.split('"').next());
        let found =
            verdict_of(&bench.join(file), start, &Budget::unlimited().with_time(Duration::from_millis(60)));
        if found == "undecided" {
            continue;
        }
        let expected = if file == RECORD_IS_REFUTED_BY_A_RUN { "violated" } else { expected };
        assert_eq!(found, expected, "{file}");
        decided += 1;
    }
    assert!(decided >= 40, "only {decided} decided in a few milliseconds each");
}
