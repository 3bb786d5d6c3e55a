//! Variables that are declared `shared`: each is a process of the system, and what a component reads and writes are
//! events of its own with that process (`predicate::component::share` makes the calls). Whether a value outside the declared
//! range can be written is asked first, of the whole system; if it can, nothing else is answered.
//!
//! Worked example: `shared turn : 0..1 = 0`, used by `p` and `q`. The process has a state for each value; in the one for
//! 0 it offers `p.read.turn.0`, `q.read.turn.0` and all writes, `p.write.turn.1` leading to the other state.

use super::parts::SystemPart;
use lks::{LksBuilder, StateId, StateMark};
use predicate::Routine;
use predicate::component::share::{reader_name, writer_name};
use spec::cexpr::CExpression;
use spec::formula::Atom;
use spec::{Formula, SharedVariable};
use std::sync::Arc;

/// What reads or writes a shared variable does, as a specification would say it.
pub(super) fn routines(shared: &[SharedVariable], component: &str, function: &str) -> Option<Vec<Routine>> {
    let reads = |one: &&SharedVariable| *reader_name(&one.name.text) == *function;
    let writes = |one: &&SharedVariable| *writer_name(&one.name.text) == *function;
    let mut builder = LksBuilder::new(function);
    let (start, end) = (builder.state(), builder.state());
    builder.initial(start);
    if let Some(variable) = shared.iter().find(reads) {
        for value in variable.low..=variable.high {
            let read = builder.state();
            let event = builder.action(&read_event(component, &variable.name.text, value));
            builder.transition(start, event, read);
            let returns = builder.action(&format!("return {{$0 == {value}}}"));
            builder.transition(read, returns, end);
        }
    } else if let Some(variable) = shared.iter().find(writes) {
        let written = builder.state();
        let name = &variable.name.text;
        for value in variable.low..=variable.high {
            let event = format!("when {{$1 == {value}}} {}", write_event(component, name, value));
            let event = builder.action(&event);
            builder.transition(start, event, written);
        }
        let (low, high) = (variable.low, variable.high);
        let event = format!("when {{$1 < {low} || $1 > {high}}} {}", outside_event(component, name));
        let event = builder.action(&event);
        builder.transition(start, event, written);
        let returns = builder.action("return {}");
        builder.transition(written, returns, end);
    } else {
        return None;
    }
    let (name, guard) = (Arc::from(function), CExpression::Integer(1));
    Some(vec![Routine { name, guard, process: Arc::new(builder.build()) }])
}

fn read_event(component: &str, variable: &str, value: i64) -> String {
    format!("{component}.read.{variable}.{value}")
}

fn write_event(component: &str, variable: &str, value: i64) -> String {
    format!("{component}.write.{variable}.{value}")
}

/// The event of a write of a value that the variable cannot have. Whether there is one is asked first.
fn outside_event(component: &str, variable: &str) -> String {
    format!("{component}.write.{variable}.outside")
}

/// The writes of values outside the declared ranges that components may make, as far as each tells on its own.
pub(super) fn outside_events(shared: &[SharedVariable], parts: &[SystemPart]) -> Vec<Arc<str>> {
    let codes = parts.iter().filter(|part| matches!(part, SystemPart::Code(_)));
    let own = |part: &SystemPart| -> Vec<Arc<str>> {
        let component = part.name();
        let is_outside =
            |event: &Arc<str>| shared.iter().any(|one| **event == *outside_event(&component, &one.name.text));
        part.events().into_iter().filter(is_outside).collect()
    };
    codes.flat_map(own).collect()
}

/// The variable as a part of the system; none if no part uses it. `initially` is its first value, if it is known.
pub(super) fn process(
    variable: &SharedVariable,
    initially: Option<i64>,
    parts: &[SystemPart],
    propositions: &[Arc<str>],
) -> Option<SystemPart> {
    let name = &*variable.name.text;
    let mut builder = LksBuilder::new(name);
    let known: Vec<_> = propositions.iter().map(|text| (text, builder.proposition(text))).collect();
    let states: Vec<(i64, StateId)> =
        (variable.low..=variable.high).map(|value| (value, builder.state())).collect();
    let mut is_used = !propositions.is_empty();
    for &(value, state) in &states {
        // It never keeps the system from having ended.
        builder.mark(state, StateMark::End);
        for (text, id) in &known {
            let holds = CExpression::parse(text).ok().and_then(|condition| {
                condition.value(&|place| {
                    (*place == CExpression::Name(variable.name.text.clone())).then(|| value.into())
                })
            });
            if holds.is_some_and(|holds| holds != 0) {
                builder.label(state, *id);
            }
        }
    }
    for part in parts {
        let SystemPart::Code(_) = part else { continue };
        let (component, events) = (part.name(), part.events());
        for &(value, state) in &states {
            let read = read_event(&component, name, value);
            if events.iter().any(|event| **event == *read) {
                let event = builder.action(&read);
                builder.transition(state, event, state);
                is_used = true;
            }
            let outside = outside_event(&component, name);
            if events.iter().any(|event| **event == *outside) {
                let event = builder.action(&outside);
                builder.transition(state, event, state);
                is_used = true;
            }
            let write = write_event(&component, name, value);
            if events.iter().any(|event| **event == *write) {
                let event = builder.action(&write);
                states.iter().for_each(|&(_, before)| builder.transition(before, event, state));
                is_used = true;
            }
        }
    }
    let first = states.iter().filter(|(value, _)| initially.is_none_or(|first| first == *value));
    first.for_each(|&(_, state)| builder.initial(state));
    is_used.then(|| SystemPart::Process(Arc::new(builder.build())))
}

/// The propositions of a formula that speak of this variable and of nothing else.
pub(super) fn propositions_of(variable: &SharedVariable, formula: &Formula) -> Vec<Arc<str>> {
    let own = |name: &Arc<str>| {
        let Ok(text) = CExpression::parse(name) else { return false };
        let (mut is_own, mut is_other) = (false, false);
        text.for_each_place(&mut |place| match place {
            CExpression::Name(name) if *name == variable.name.text => is_own = true,
            _ => is_other = true,
        });
        is_own && !is_other
    };
    let names = formula.atoms().into_iter().filter_map(|atom| match atom {
        Atom::Proposition(name) => Some(name),
        Atom::Event(_) => None,
    });
    names.filter(own).collect()
}
