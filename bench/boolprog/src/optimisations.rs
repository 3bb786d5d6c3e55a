//! What each optimisation of the summary engine brings: all on, each off, all off.

use crate::generate::ladder;
use crate::read::read;
use base::Budget;
use boolprog::Setup;
use boolprog::engine::{BDD, EngineSettings};
use boolprog::summaries::{
    Choices, DeadVariables, PassingGlobals, SummarySettings, VariableOrder, WorkListOrder,
};
use question::Monitor;
use question::decided::word;
use std::time::Duration;
use testkit::clock::Clock;

pub fn run(procedures: usize, variables: usize, seconds: u64) -> Result<(), String> {
    let text = ladder(procedures, variables, 1);
    let program = read(&text, &[])?;
    let question = Setup::copies_of_main(&program, 1, Some(1)).ok_or("no main")?;
    println!(
        "{procedures} procedures, {variables} variables in scope, {} nodes, {} edges",
        program.nodes().len(),
        program.edges().len()
    );
    let on = EngineSettings::default();
    let with = |bdd: SummarySettings| EngineSettings { bdd, ..on };
    let rows: [(&str, EngineSettings); 9] = [
        ("all on", on),
        (
            "globals go through (no mod/ref)",
            with(SummarySettings { passing_globals: PassingGlobals::Through, ..on.bdd }),
        ),
        ("dead variables kept", with(SummarySettings { dead_variables: DeadVariables::Kept, ..on.bdd })),
        (
            "order of declaration",
            with(SummarySettings { variable_order: VariableOrder::Declaration, ..on.bdd }),
        ),
        (
            "work-list breadth first",
            with(SummarySettings { work_list: WorkListOrder::BreadthFirst, ..on.bdd }),
        ),
        ("work-list depth first", with(SummarySettings { work_list: WorkListOrder::DepthFirst, ..on.bdd })),
        ("choices as variables", with(SummarySettings { choices: Choices::Variables, ..on.bdd })),
        ("empty steps kept", EngineSettings { keep_empty_steps: true, ..on }),
        ("all off (naive)", EngineSettings { bdd: SummarySettings::naive(), keep_empty_steps: true, ..on }),
    ];
    println!("{:34} {:>9} {:>10} {:>8} {:>12}", "setting", "answer", "seconds", "factor", "path edges");
    let mut best = None;
    for (name, settings) in rows {
        let clock = Clock::of_process();
        let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
        let found = BDD.search(&program, &question, &settings, Monitor::silent(&budget));
        let time = clock.processor();
        let base = *best.get_or_insert(time);
        let sets = found.statistics.value("path_edge_sets").unwrap_or(0);
        let (more, word) = match &found.outcome {
            Err(open) => (">", open.to_string()),
            decided => ("", word(decided).to_string()),
        };
        println!("{name:34} {word:>9} {more}{time:>9.2} {more}{:>7.1} {sets:>12}", time / base);
    }
    Ok(())
}
