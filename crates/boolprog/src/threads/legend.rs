//! What the names in a proof about a counter system mean in the program's words: `s3` is a valuation of the
//! globals, `l5` a place and the values of a thread's variables.

use super::thread_state::{LocalId, SharedId, ThreadStates};
use super::unbounded::Translation;
use crate::findings::Meaning;
use crate::graph::VariableId;

/// The names of all shared and local states of a counter system.
pub(super) fn legend(states: &ThreadStates<'_>, translation: &Translation) -> Vec<Meaning> {
    let mut shared: Vec<SharedId> = translation.controls.keys().copied().collect();
    shared.sort();
    let mut locals: Vec<LocalId> = translation.places.keys().copied().collect();
    locals.sort();
    let named = |name: &str, values: &str| {
        let (name, values) = (name.to_owned(), values.to_owned());
        Meaning { name, at: None, values }
    };
    let first = [
        named("failure", "an assertion fails or an error label is reached"),
        named("start", "before the first step: the threads of the start choose their first values"),
    ];
    let shared = shared.into_iter().map(|id| named(&id.to_string(), &globals(states, id)));
    let locals = locals.into_iter().map(|id| Meaning {
        name: id.to_string(),
        at: Some(states.flat.locations[states.local(id).location].node),
        values: variables(states, id),
    });
    first.into_iter().chain(shared).chain(locals).collect()
}

fn name<'s>(states: &'s ThreadStates<'_>, id: VariableId) -> &'s str {
    &states.flat.program.variables()[id].name
}

/// `g=0 h=*`: what is open can be either.
fn globals(states: &ThreadStates<'_>, id: SharedId) -> String {
    let state = states.shared(id);
    let value = |(slot, id): (usize, &VariableId)| match state.open.get(slot) {
        true => format!("{}=*", name(states, *id)),
        false => format!("{}={}", name(states, *id), u8::from(state.globals.get(slot))),
    };
    let mut words: Vec<String> = states.flat.program.globals().iter().enumerate().map(value).collect();
    if state.atomic {
        words.push("(a thread is in an atomic section)".to_owned());
    }
    if words.is_empty() { "there are no globals".to_owned() } else { words.join(" ") }
}

/// The variables that matter where the thread is, those of callers with their procedure's name.
fn variables(states: &ThreadStates<'_>, id: LocalId) -> String {
    let state = states.local(id);
    let flat = &states.flat;
    let location = &flat.locations[state.location];
    let mut words = Vec::new();
    let mut at = Some(location.context);
    while let Some(context) = at {
        let known = &flat.contexts[context];
        let procedure = &flat.program.procedures()[known.procedure];
        let owner = if context == location.context { String::new() } else { format!("{}.", procedure.name) };
        for (slot, id) in procedure.variables.iter().enumerate() {
            if location.live.get(known.offset + slot) {
                let value = u8::from(state.row.get(known.offset + slot));
                words.push(format!("{owner}{}={value}", name(states, *id)));
            }
        }
        at = known.caller.map(|(caller, _)| caller);
    }
    let values = if words.is_empty() { String::new() } else { format!("with {}", words.join(" ")) };
    let atomic = if state.atomic { " (in an atomic section)" } else { "" };
    format!("{values}{atomic}").trim().to_owned()
}
