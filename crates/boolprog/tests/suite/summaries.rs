//! The summary engine, with every setting, against every expectation for one thread.

use crate::common::{all_cases, question, read};
use base::{Budget, Diagnostics};
use boolprog::explicit::replay;
use boolprog::graph::{self, Action, Expr};
use boolprog::summaries::{
    Choices, DeadVariables, PassingGlobals, SummarySettings, VariableOrder, WorkListOrder,
    check_by_summaries, prove_by_summaries, recheck,
};
use boolprog::{Setup, Trace};
use logic::bdd::BddSettings;
use question::{Decided, Monitor, Searched};
use testkit::boolean::{RandomSettings, random_program};
use verdict::Statistics;

pub fn small() -> SummarySettings {
    let bdd = BddSettings { node_limit: 1 << 20, cache_entries: 1 << 14 };
    SummarySettings { bdd, ..SummarySettings::default() }
}

/// The default, the naive one, and each switch by itself.
pub fn variants() -> Vec<SummarySettings> {
    let bdd = small().bdd;
    vec![
        small(),
        SummarySettings { bdd, ..SummarySettings::naive() },
        SummarySettings { variable_order: VariableOrder::Declaration, ..small() },
        SummarySettings { work_list: WorkListOrder::DepthFirst, ..small() },
        SummarySettings { dead_variables: DeadVariables::Kept, ..small() },
        SummarySettings { passing_globals: PassingGlobals::Through, ..small() },
        SummarySettings { choices: Choices::Variables, ..small() },
    ]
}

fn ask(
    program: &graph::Program,
    setup: &Setup,
    settings: SummarySettings,
    budget: &Budget,
) -> Searched<Trace> {
    check_by_summaries(program, setup, settings, Monitor::silent(budget), &mut Statistics::default())
}

#[test]
fn every_sequential_expectation_is_met() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for case in all_cases() {
        let text = std::fs::read_to_string(&case.path).expect("readable");
        let Ok(mut program) = read(&text, &["SLIC_ERROR"]) else { continue };
        let Ok(question) = question(&mut program, &case.threads) else { continue };
        if !question.is_sequential(&program) {
            continue;
        }
        seen += 1;
        for settings in variants() {
            let found = match ask(&program, &question, settings, &Budget::unlimited()) {
                Ok(Decided::Proved(())) => "SAFE".to_string(),
                Ok(Decided::Violated(trace)) => {
                    assert_eq!(replay(&program, &question, &trace), Ok(()), "{}", case.name);
                    "UNSAFE".into()
                }
                Err(open) => open.to_string(),
            };
            if found != case.expected {
                wrong.push(format!("{}: {found}, expected {} with {settings:?}", case.name, case.expected));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 10, "only {seen} programs were tried");
}

#[test]
fn limits_are_answers_with_a_reason() {
    let text = "decl a,b,c,d,e,f,g,h; void main() begin while * do \
                a,b,c,d,e,f,g,h := b^c,c^d,d&e,e|f,f^g,g^h,h&a,a^b; od assert(T); end";
    let mut program = read(text, &[]).expect("a program");
    let question = question(&mut program, "n=1").expect("a question");
    let bdd = BddSettings { node_limit: 64, cache_entries: 64 };
    let result = ask(&program, &question, SummarySettings { bdd, ..small() }, &Budget::unlimited());
    let open = result.expect_err("64 nodes are too few");
    assert!(open.to_string().contains("BDD nodes"), "{open}");
    let budget = Budget::unlimited();
    budget.cancel();
    assert!(ask(&program, &question, small(), &budget).is_err());
}

/// A proof for every random program that holds; what was taken out of a proof is missed.
#[test]
fn proofs_are_confirmed_by_sat_and_broken_ones_refused() {
    let shape = RandomSettings {
        procedures: 4,
        globals: 3,
        locals: 2,
        statements: 3,
        threads: false,
        recursion: true,
    };
    let budget = Budget::unlimited();
    let (mut confirmed, mut refused) = (0, 0);
    for seed in 0..120 {
        let mut diagnostics = Diagnostics::default();
        let tree = random_program(seed, shape);
        let program = graph::build(&tree, &[], &mut diagnostics).expect("a program");
        let question = Setup::copies_of_main(&program, 1, Some(1)).expect("a main");
        let variant = variants().swap_remove(seed as usize % variants().len());
        let (monitor, mut statistics) = (Monitor::silent(&budget), Statistics::default());
        let result = prove_by_summaries(&program, &question, variant, monitor, &mut statistics);
        let Ok(Decided::Proved(invariant)) = result else { continue };
        let root = question.roots[0];
        let told = recheck(&program, root, &invariant, &budget);
        assert!(told.is_ok(), "seed {seed} {variant:?}: {told:?}\n{}", boolprog::syntax::print(&tree));
        confirmed += 1;
        // Whatever the entry of `main` is reached with is needed.
        let mut less = invariant.clone();
        less.at[program.procedures()[root].entry].root = 0;
        assert!(recheck(&program, root, &less, &budget).is_err(), "seed {seed}");
        // A place that an edge without conditions leads to cannot be said to be unreachable.
        for edge in program.edges() {
            let is_free = edge.guard == Expr::TRUE
                && matches!(&edge.action, Action::Assign { constraint, .. } if *constraint == Expr::TRUE);
            if is_free && edge.from != edge.to && invariant.at[edge.from].root != 0 {
                let mut less = invariant.clone();
                less.at[edge.to].root = 0;
                assert!(recheck(&program, root, &less, &budget).is_err(), "seed {seed}");
                refused += 1;
                break;
            }
        }
    }
    assert!(confirmed > 20, "only {confirmed} proofs were looked at");
    assert!(refused > 10, "only {refused} broken proofs were refused");
}
