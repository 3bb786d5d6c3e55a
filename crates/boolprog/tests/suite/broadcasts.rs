//! Steps that change variables of other threads: every engine against the explicit interpreter.

use crate::common;
use base::Budget;
use boolprog::cover::{Engine, Recheck};
use boolprog::engine::{EXPLICIT, EngineSettings, UnboundedEngine, ask_unbounded};
use boolprog::explicit::{ExplicitSettings, explore};
use boolprog::graph::{Action, Edge, Expr, Passive, Program};
use boolprog::threads::counters::Until;
use boolprog::threads::{THREAD_ENGINES, UnboundedSetup, check};
use boolprog::{Setup, graph, simplify, syntax};
use question::decided::word;
use question::{Decided, Monitor};
use std::time::Duration;

fn budget(milliseconds: u64) -> Budget {
    Budget::unlimited().with_time(Duration::from_millis(milliseconds))
}

fn naive(program: &Program, copies: usize, most: usize) -> Option<&'static str> {
    let settings = ExplicitSettings { most_states: 20_000, deepest_stack: 6 };
    let question = Setup::copies_of_main(program, copies, Some(most))?;
    let outcome = explore(program, &question, settings, Monitor::silent(&budget(60_000))).outcome;
    if let Err(open) = &outcome {
        assert!(!open.to_string().contains("could not be confirmed"), "{open}");
    }
    outcome.is_ok().then(|| word(&outcome))
}

/// Engines that take such programs give the interpreter's answer; the others say that they do not.
fn compare(program: &Program, copies: usize, text: &str) -> Option<&'static str> {
    let expected = naive(program, copies, 3)?;
    let question = Setup::copies_of_main(program, copies, Some(3)).expect("a main");
    for engine in &THREAD_ENGINES {
        let budget = budget(60_000);
        let found = check(program, &question, engine, Until::FirstFailure, Monitor::silent(&budget));
        if engine.objection(program).is_some() {
            assert_eq!(word(&found.outcome), "undecided", "{}", engine.name);
            continue;
        }
        let shown = &found.outcome;
        assert_eq!(word(shown), expected, "{} with {copies} threads\n{text}\n{shown:?}", engine.name);
    }
    Some(expected)
}

#[test]
fn engines_agree_on_broadcasts() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..400 {
        let text = testkit::threaded::broadcasting_program(seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        match compare(&program, 1 + seed as usize % 3, &format!("seed {seed}\n{text}")) {
            Some("holds") => safe += 1,
            Some(_) => unsafe_ += 1,
            None => {}
        }
    }
    assert!(safe > 60 && unsafe_ > 60, "{safe} safe and {unsafe_} unsafe programs are no fair sample");
}

/// Without a bound: a proof is right for every number of threads that is tried, a run is replayed, and the
/// engines agree.
#[test]
fn engines_without_a_bound_agree_on_broadcasts() {
    let (mut proved, mut refuted) = (0, 0);
    for seed in 0..100 {
        let text = testkit::threaded::broadcasting_program(10_000 + seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let main = program.main().expect("a main");
        let question = UnboundedSetup { roots: Vec::new(), any_number_of: Some(main) };
        let worst = (1..=3).find(|copies| naive(&program, *copies, 4) == Some("violated"));
        // State by state ends with its time only: it is asked now and then.
        let asked = |engine: &Engine| *engine != Engine::Explicit || seed % 10 == 0;
        let coverability = Engine::FORCED.into_iter().filter(asked).map(UnboundedEngine::Coverability);
        let mut known = worst.map(|_| ("the interpreter", "violated"));
        for engine in coverability.chain([UnboundedEngine::Cutoff]) {
            let budget = budget(200);
            let found = ask_unbounded(&program, &question, engine, Recheck::Small, Monitor::silent(&budget));
            let answer = word(&found.findings.outcome);
            match (known, answer) {
                (_, "undecided") => {}
                (Some((other, said)), _) => {
                    assert_eq!(answer, said, "seed {seed}: {} against {other}\n{text}", engine.name());
                }
                (None, _) => known = Some((engine.name(), answer)),
            }
            match answer {
                "holds" => proved += 1,
                "violated" => refuted += 1,
                _ => {}
            }
        }
    }
    assert!(proved > 40 && refuted > 40, "{proved} proofs and {refuted} runs are no fair sample");
}

/// Recursion together with broadcasts is for the interpreter only; nobody says anything wrong about it.
#[test]
fn recursion_with_broadcasts_is_left_to_the_interpreter() {
    let mut decided = 0;
    for seed in 0..60 {
        let text = testkit::threaded::broadcasting_recursive_program(seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        if !program.has_broadcasts() || !boolprog::engine::has_recursion(&program) {
            continue;
        }
        decided += usize::from(naive(&program, 2, 2).is_some());
        let question = UnboundedSetup { roots: Vec::new(), any_number_of: program.main() };
        let engine = UnboundedEngine::Coverability(Engine::Auto);
        let budget = budget(500);
        let found = ask_unbounded(&program, &question, engine, Recheck::Small, Monitor::silent(&budget));
        assert_eq!(word(&found.findings.outcome), "undecided", "seed {seed}\n{text}");
    }
    assert!(decided > 10, "the interpreter decided {decided}");
}

/// Printing, normalising and compressing change no answer.
#[test]
fn simplified_broadcasts_have_the_same_errors() {
    let mut compared = 0;
    for seed in 20_000..20_150 {
        let text = testkit::threaded::broadcasting_program(seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let Some(before) = naive(&program, 2, 3) else { continue };
        let mut normalised = program.clone();
        simplify::normalise_choices(&mut normalised);
        let small = simplify::compress(&normalised).program;
        let printed = syntax::print(&graph::to_tree(&small));
        let again = common::read(&printed, &[]).unwrap_or_else(|why| panic!("{why}\n{printed}"));
        for other in [&normalised, &small, &again] {
            if let Some(after) = naive(other, 2, 3) {
                assert_eq!(before, after, "seed {seed}\n{text}\n{printed}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "only {compared} comparisons");
}

/// A program made in memory whose rules name places, as predicate abstraction makes them: the place decides.
/// Worker: `A: l := T; B: skip; C: assert(l)`; the other: `l$ := F` for threads at B only.
fn with_a_rule_at(node_of_rule: usize, constraint: Expr) -> Program {
    let mut program = Program::new();
    let main = program.add_procedure("main", 0, base::Span::NOWHERE);
    let local = program.add_local(main, "l");
    let copy = program.passive_copy(local);
    program.set_main(main);
    let (entry, exit) = (program.procedures()[main].entry, program.procedures()[main].exit);
    let nodes: Vec<_> = (0..4).map(|_| program.add_node(main, base::Span::NOWHERE)).collect();
    let [a, b, c, tell] = nodes[..] else { panic!("four nodes") };
    let rule = Passive {
        procedure: main,
        at: Some([a, b, c, entry][node_of_rule]),
        assignments: vec![(copy, Expr::FALSE)],
        constraint,
    };
    let broadcast = Action::Assign { assignments: vec![], constraint: Expr::TRUE, passive: vec![rule] };
    for (from, to, action) in [
        (entry, a, Action::skip()),
        (entry, tell, Action::skip()),
        (a, b, Action::assign(vec![(local, Expr::TRUE)], Expr::TRUE)),
        (b, c, Action::skip()),
        (c, exit, Action::Assert { condition: Expr::Current(local) }),
        (tell, exit, broadcast),
    ] {
        program.add_edge(Edge { from, to, guard: Expr::TRUE, action, span: base::Span::NOWHERE });
    }
    program
}

/// The same random programs with every rule about some nodes only.
#[test]
fn engines_agree_on_rules_about_places() {
    let (mut safe, mut unsafe_, mut placed) = (0, 0, 0);
    for seed in 30_000..30_200 {
        let text = testkit::threaded::broadcasting_program(seed);
        let mut program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let mut numbers = testkit::threaded::numbers(seed);
        let nodes: Vec<_> = program.nodes().ids().collect();
        for edge in program.edges().ids().collect::<Vec<_>>() {
            let rules = program.edges()[edge].action.passive().to_vec();
            let mut spread = Vec::new();
            for rule in rules {
                let inside = nodes.iter().filter(|node| program.procedure_of(**node) == rule.procedure);
                let some = inside.filter(|_| numbers.chance(40));
                spread.extend(some.map(|node| Passive { at: Some(*node), ..rule.clone() }));
            }
            placed += spread.len();
            if let (_, Action::Assign { passive, .. }) = program.edge_mut(edge) {
                *passive = spread;
            }
        }
        match compare(&program, 1 + seed as usize % 3, &format!("placed, seed {seed}\n{text}")) {
            Some("holds") => safe += 1,
            Some(_) => unsafe_ += 1,
            None => {}
        }
        // Steps that do nothing are left out only where nobody asks who stands there.
        let small = simplify::compress(&program).program;
        if let (Some(before), Some(after)) = (naive(&program, 2, 3), naive(&small, 2, 3)) {
            assert_eq!(before, after, "compressed, seed {seed}\n{text}");
        }
    }
    assert!(safe > 30 && unsafe_ > 30 && placed > 1000, "{safe} safe, {unsafe_} unsafe, {placed} rules");
}

#[test]
fn rules_about_one_place_reach_who_stands_there() {
    for (place, expected) in [(0, "holds"), (1, "violated"), (2, "violated"), (3, "holds")] {
        let program = with_a_rule_at(place, Expr::TRUE);
        assert_eq!(compare(&program, 2, "by place"), Some(expected), "place {place}");
        let small = simplify::compress(&program).program;
        assert_eq!(naive(&small, 2, 3), Some(expected), "compressed, place {place}");
    }
    // The constraint cannot hold: the step is possible only while nobody stands there.
    let program = with_a_rule_at(1, Expr::FALSE);
    assert_eq!(compare(&program, 2, "excluded"), Some("holds"));
}

#[test]
fn names_of_other_threads_are_read_where_they_have_a_meaning() {
    let error = |body: &str| {
        let text = format!("decl g; void main() begin decl x, c$$main; {body} end");
        common::read(&text, &[]).err().unwrap_or_default()
    };
    for fine in [
        "x$ := T;",
        "g, x$ := T, x$ & x & g;",
        "x$ := * constrain 'x$ = g & (x$ | 'g);",
        "_ := F constrain x$;",
        "c$$main := T;",
        "assert(c$$main);",
    ] {
        assert_eq!(error(fine), "", "{fine}");
    }
    for (wrong, words) in [
        ("g := x$;", "a variable of other threads, which has no meaning here"),
        ("assert(x$);", "a variable of other threads"),
        ("if x$ then skip; fi", "a variable of other threads"),
        ("g$ := T;", "`g$` is not declared"),
        ("x$, x$ := T, F;", "assigned twice"),
        ("x$$ := T;", "is not declared"),
        ("x$ := 'x$;", "only after `constrain`"),
    ] {
        assert!(error(wrong).contains(words), "{wrong}: {}", error(wrong));
    }
}

/// Traces tell what a broadcast did to whom, and a changed one is refused.
#[test]
fn replay_objects_to_wrong_broadcasts() {
    let text =
        "decl g := F; void main() begin decl x; x := F; if !g then g := T; else x$ := T; fi assert(!x); end";
    let program = common::read(text, &[]).expect("a program");
    let question = Setup::copies_of_main(&program, 2, Some(2)).expect("a main");
    let budget = budget(60_000);
    let found =
        EXPLICIT.search(&program, &question, &EngineSettings::default(), Monitor::silent(&budget)).outcome;
    let Ok(Decided::Violated(trace)) = found else { panic!("{found:?}") };
    let at = trace.steps.iter().position(|step| !step.others.is_empty()).expect("a broadcast");
    let mut missing = trace.clone();
    missing.steps[at].others.clear();
    assert!(boolprog::explicit::replay(&program, &question, &missing).is_err());
    let mut twice = trace.clone();
    let again = twice.steps[at].others[0].clone();
    twice.steps[at].others.push(again);
    assert!(boolprog::explicit::replay(&program, &question, &twice).is_err());
    let mut elsewhere = trace;
    let change = elsewhere.steps[at].others[0].clone();
    elsewhere.steps[0].others.push(change);
    assert!(boolprog::explicit::replay(&program, &question, &elsewhere).is_err());
}
