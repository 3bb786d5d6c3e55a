//! The summary engine, with every setting, against every expectation for one thread.

use crate::common::{all_cases, question, read};
use base::Budget;
use boolprog::Outcome;
use boolprog::explicit::replay;
use boolprog::summaries::{
    Choices, DeadVariables, PassingGlobals, SummarySettings, VariableOrder, WorkListOrder, check_by_summaries,
};
use logic::bdd::BddSettings;

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
            let result = check_by_summaries(&program, &question, settings, &Budget::unlimited());
            let found = match result.outcome {
                Outcome::Holds => "SAFE".to_string(),
                Outcome::Violated(trace) => {
                    assert_eq!(replay(&program, &question, &trace), Ok(()), "{}", case.name);
                    "UNSAFE".into()
                }
                Outcome::Undecided(open) => open.to_string(),
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
    let result =
        check_by_summaries(&program, &question, SummarySettings { bdd, ..small() }, &Budget::unlimited());
    let Outcome::Undecided(open) = result.outcome else { panic!("{:?}", result.outcome) };
    assert!(open.to_string().contains("BDD nodes"), "{open}");
    let budget = Budget::unlimited();
    budget.cancel();
    let result = check_by_summaries(&program, &question, small(), &budget);
    assert!(matches!(result.outcome, Outcome::Undecided(_)));
}
