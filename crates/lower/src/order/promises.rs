//! Functions that are declared `pure` or `const` and change something all the same. gcc makes one call of two, or none,
//! also without optimisation (`f(1) + f(1)`), so a run that gets into such a function has no known meaning.

use super::effects::doings_of;
use crate::library::procedures_with_address;
use crate::link::Linker;
use program::{Action, Origin};
use std::sync::Arc;

/// Looks at all that are declared so, once every body is there.
pub fn settle(linker: &mut Linker) {
    let mut promised = Vec::new();
    for unit in &linker.units {
        for (function, declared) in unit.unit.functions.iter_enumerated() {
            if declared.symbol.promises.changes_nothing {
                promised.push(unit.procedures[function]);
            }
        }
    }
    promised
        .retain(|&id| linker.procedures[id].origin == Origin::User && linker.procedures[id].body.is_some());
    if promised.is_empty() {
        return;
    }
    promised.sort();
    promised.dedup();
    let with_address = procedures_with_address(linker);
    for id in promised {
        let doings = doings_of(linker, &with_address, id);
        if doings.writes.is_empty() && doings.counts.is_empty() {
            continue;
        }
        let procedure = &mut linker.procedures[id];
        let why = format!("`{}`, which is declared `pure` or `const` and changes something,", procedure.name);
        if let Some(graph) = &mut procedure.body {
            let first = graph.entry;
            let span = graph.nodes[first].span;
            let start = graph.add_node(span);
            graph.add_edge(start, first, Action::Unsupported(Arc::from(why)), span);
            graph.entry = start;
        }
    }
}
