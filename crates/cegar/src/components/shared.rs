//! Variables that components share. Each component is abstracted alone, so what one writes and another reads
//! is not followed from one to the other: no answer may rest on it. What a pointer in a variable leads to
//! counts as the variable does. What all of them only read has one value: `common`.

use super::parts::SystemPart;
use base::Span;
use logic::TermId;
use logic::term::symbols_in;
use predicate::component::origin::StaticPlace;
use predicate::component::{CellId, Component};
use program::{Program, VariableKind};
use std::collections::BTreeMap;

/// A variable that one component writes and another one reads.
pub(super) struct Shared {
    /// In words.
    pub what: String,
    /// Where it is written.
    pub at: Span,
}

/// Who reads and writes an object first.
#[derive(Default)]
struct Uses {
    name: String,
    reads: Option<Span>,
    writes: Option<Span>,
}

/// The first variable that is shared.
pub(super) fn shared_variable(parts: &[SystemPart], program: &Program) -> Option<Shared> {
    let mut all: Vec<(String, BTreeMap<StaticPlace, Uses>)> = Vec::new();
    for part in parts {
        if let SystemPart::Code(code) = part {
            all.push((code.component.name.to_string(), uses(&code.component, program)));
        }
    }
    for (writer, (name, own)) in all.iter().enumerate() {
        for (object, uses) in own {
            let Some(at) = uses.writes else { continue };
            for (_, (other, others)) in all.iter().enumerate().filter(|(reader, _)| *reader != writer) {
                if others.get(object).is_some_and(|uses| uses.reads.is_some()) {
                    let object = match uses.name.strip_prefix('*') {
                        Some(pointer) => format!("what `{pointer}` points to"),
                        None => format!("the variable `{}`", uses.name),
                    };
                    let what = format!("{object}, which `{name}` writes and `{other}` reads,");
                    return Some(Shared { what, at });
                }
            }
        }
    }
    None
}

fn uses(component: &Component, program: &Program) -> BTreeMap<StaticPlace, Uses> {
    let mut found: BTreeMap<StaticPlace, Uses> = BTreeMap::new();
    let object = |cell: CellId| {
        let (object, name) = component.static_object(cell)?;
        (program.variables[object.variable].kind == VariableKind::Global).then_some((object, name))
    };
    let owners: BTreeMap<TermId, (StaticPlace, &str)> =
        component.cells.iter_enumerated().filter_map(|(id, cell)| Some((cell.symbol, object(id)?))).collect();
    if owners.is_empty() {
        return found;
    }
    let read = |found: &mut BTreeMap<StaticPlace, Uses>, terms: &[TermId], at: Span| {
        for symbol in symbols_in(&component.pool, terms) {
            if let Some((object, name)) = owners.get(&symbol) {
                used(found, object, name).reads.get_or_insert(at);
            }
        }
    };
    for edge in component.reachable() {
        let edge = &component.edges[edge];
        read(&mut found, &[edge.guard, edge.full_guard], edge.span);
        for &(cell, value) in &edge.updates {
            read(&mut found, &[value], edge.span);
            if let Some((object, name)) = object(cell) {
                used(&mut found, &object, name).writes.get_or_insert(edge.span);
            }
        }
    }
    for &(cell, at) in &component.reads {
        if let Some((object, name)) = object(cell) {
            used(&mut found, &object, name).reads.get_or_insert(at);
        }
    }
    read(&mut found, &component.propositions, Span::NOWHERE);
    found
}

fn used<'f>(found: &'f mut BTreeMap<StaticPlace, Uses>, object: &StaticPlace, name: &str) -> &'f mut Uses {
    let uses = found.entry(object.clone()).or_default();
    uses.name = name.to_owned();
    uses
}
