//! Variables that components share. Each component is abstracted alone, so what one writes and another reads is not
//! followed from one to the other: no answer may rest on it.

use super::parts::Part;
use base::Span;
use logic::TermId;
use logic::term::symbols_in;
use predicate::component::{CellId, Component};
use program::{Program, VariableId, VariableKind};
use std::collections::BTreeMap;

/// A variable that one component writes and another one reads.
pub(super) struct Shared {
    /// In words.
    pub what: String,
    /// Where it is written.
    pub at: Span,
}

/// Who reads and writes a variable first.
#[derive(Default)]
struct Uses {
    reads: Option<Span>,
    writes: Option<Span>,
}

/// The first variable that is shared.
pub(super) fn shared_variable(parts: &[Part], program: &Program) -> Option<Shared> {
    let mut all: Vec<(String, BTreeMap<VariableId, Uses>)> = Vec::new();
    for part in parts {
        if let Part::Code(code) = part {
            all.push((code.component.name.to_string(), uses(&code.component, program)));
        }
    }
    for (writer, (name, own)) in all.iter().enumerate() {
        for (variable, at) in own.iter().filter_map(|(variable, uses)| Some((variable, uses.writes?))) {
            for (_, (other, others)) in all.iter().enumerate().filter(|(reader, _)| *reader != writer) {
                if others.get(variable).is_some_and(|uses| uses.reads.is_some()) {
                    let variable = &program.variables[*variable].name;
                    let what =
                        format!("the variable `{variable}`, which `{name}` writes and `{other}` reads,");
                    return Some(Shared { what, at });
                }
            }
        }
    }
    None
}

fn uses(component: &Component, program: &Program) -> BTreeMap<VariableId, Uses> {
    let mut found: BTreeMap<VariableId, Uses> = BTreeMap::new();
    let variable = |cell: CellId| {
        let variable = component.static_variable(cell)?;
        (program.variables[variable].kind == VariableKind::Global).then_some(variable)
    };
    let owners: BTreeMap<TermId, VariableId> = component
        .cells
        .iter_enumerated()
        .filter_map(|(id, cell)| Some((cell.symbol, variable(id)?)))
        .collect();
    if owners.is_empty() {
        return found;
    }
    let read = |found: &mut BTreeMap<VariableId, Uses>, terms: &[TermId], at: Span| {
        for symbol in symbols_in(&component.pool, terms) {
            if let Some(variable) = owners.get(&symbol) {
                found.entry(*variable).or_default().reads.get_or_insert(at);
            }
        }
    };
    for edge in component.reachable() {
        let edge = &component.edges[edge];
        read(&mut found, &[edge.guard, edge.full_guard], edge.span);
        for &(cell, value) in &edge.updates {
            read(&mut found, &[value], edge.span);
            if let Some(variable) = variable(cell) {
                found.entry(variable).or_default().writes.get_or_insert(edge.span);
            }
        }
    }
    read(&mut found, &component.propositions, Span::NOWHERE);
    found
}
