//! Any text all the way to a normalised program, in both data models: no panic, no hang; what was read without an error
//! keeps the promises of `program::graph` and prints as C.
#![no_main]

use csource::Session;
use csource::types::DataModel;
use libfuzzer_sys::fuzz_target;
use program::Action;

fuzz_target!(|text: &str| {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let mut session = Session::new(model);
        let Some(source) = session.sources.add("input.i", text) else { return };
        let syntax = csource::parser::parse(source, &mut session);
        let unit = csource::sema::analyse(&syntax, &mut session);
        let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
        for procedure in &lowered.program.procedures {
            let Some(graph) = &procedure.body else { continue };
            for node in &graph.nodes {
                let branches = node
                    .out
                    .iter()
                    .filter(|&&edge| matches!(graph.edges[edge].action, Action::Assume { .. }));
                assert!(
                    node.out.len() <= 1 || branches.count() == node.out.len(),
                    "a branch is made of assumptions"
                );
            }
            for edge in &graph.edges {
                lowered.program.show().edge(edge);
            }
        }
        if !lowered.diagnostics.has_errors() {
            program::print_c::print_c(&lowered.program);
        }
    }
});
