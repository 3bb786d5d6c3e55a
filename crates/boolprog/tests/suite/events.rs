//! Somebody who waits for an engine hears how far it has come.

use crate::common::read;
use base::{Budget, Diagnostics, SourceMap};
use boolprog::cover::{self, Recheck};
use boolprog::engine::{WITH_A_BOUND, WITHOUT_A_BOUND};
use boolprog::graph::Program;
use boolprog::pushdown::{PushdownFile, check_file};
use boolprog::threads::UnboundedSetup;
use boolprog::{BooleanEngine, BooleanSystem, Setup, Threads, ask};
use question::{Engine, Knowledge};
use std::path::Path;
use testkit::events::Heard;

const FLAT: &str = "decl g := F; void main() begin decl l; l := *; if l then g := T; fi; assert(l | !l); end";
const RECURSIVE: &str =
    "decl g := F; void main() begin f(); assert(!g); end void f() begin if * then f(); fi; skip; end";

fn assert_tells(engine: &BooleanEngine, program: &Program, threads: Threads) {
    let sources = SourceMap::new();
    let system = BooleanSystem { program, sources: &sources, threads, recheck: Recheck::Small };
    let question = system.question();
    if engine.can_answer(&question).is_ok() {
        let heard = Heard::default();
        let answer = ask(&question, Some(engine), &Budget::unlimited(), &heard);
        assert!(!heard.figures().is_empty(), "{} is silent: {answer:?}", engine.name());
    }
}

#[test]
fn every_engine_for_boolean_programs_tells_how_far_it_has_come() {
    let (flat, recursive) = (read(FLAT, &[]).expect("a program"), read(RECURSIVE, &[]).expect("a program"));
    for engine in &WITH_A_BOUND {
        let mut asked = 0;
        for (program, threads) in [(&flat, 1), (&flat, 2), (&recursive, 2)] {
            let setup = Setup::copies_of_main(program, threads, Some(threads)).expect("a main");
            asked += usize::from(engine.objection(program, &setup).is_none());
            assert_tells(engine, program, Threads::Bounded(setup));
        }
        assert!(asked > 0, "{} was asked nothing", engine.name());
    }
    for engine in &WITHOUT_A_BOUND {
        for program in [&flat, &recursive] {
            let any_number_of = program.main();
            // Every state with more and more threads has no end where nothing fails.
            let roots: Vec<_> = any_number_of.filter(|_| engine.name() == "explicit").into_iter().collect();
            let any_number_of = any_number_of.filter(|_| roots.is_empty());
            assert_tells(engine, program, Threads::Unbounded(UnboundedSetup { roots, any_number_of }));
        }
    }
}

#[test]
fn every_engine_for_counters_and_stacks_tells_how_far_it_has_come() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nets");
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(1));
    let settings = cover::FileSettings {
        target: None,
        start: None,
        engine: cover::Engine::Auto,
        budget: budget.clone(),
        recheck: Recheck::Small,
    };
    let net = folder.join("mutex.tts");
    let system = cover::read_file(&net, &settings, &mut sources, &mut diagnostics).expect("a net");
    let subject = cover::CounterSystem { system, recheck: Recheck::Small };
    for engine in cover::Engine::FORCED.into_iter().chain([cover::Engine::Auto]) {
        let heard = Heard::default();
        let answer = engine.run(&subject.question(), &Knowledge::new(), &budget, &heard);
        assert!(!heard.figures().is_empty(), "{} is silent: {answer:?}", engine.name());
    }
    let heard = Heard::default();
    let asked = PushdownFile { target: None, start: None, budget };
    check_file(&folder.join("calls.pds"), &asked, &mut sources, &mut diagnostics, &heard).expect("an answer");
    assert!(!heard.figures().is_empty());
}
