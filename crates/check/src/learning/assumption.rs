//! A learned assumption as something to look at, to draw, and to give back to the tool.

use automata::learn::Dfa;
use base::Id;
use lks::{Lks, LksBuilder};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use verdict::{LearnedAssumption, NamedTransition};

/// The assumption an automaton stands for: the words all of whose beginnings it accepts.
pub(super) fn of_automaton(component: &str, symbols: &[String], dfa: &Dfa) -> LearnedAssumption {
    let name = |state: automata::learn::DfaState| format!("A{}", state.index());
    let mut transitions: Vec<NamedTransition> = dfa
        .next
        .iter_enumerated()
        .filter(|(from, _)| dfa.accepting[*from])
        .flat_map(|(from, targets)| {
            let allowed = targets.iter().enumerate().filter(|(_, to)| dfa.accepting[**to]);
            allowed.map(move |(symbol, to)| NamedTransition {
                from: name(from),
                action: symbols[symbol].clone(),
                to: name(*to),
            })
        })
        .collect();
    transitions.sort_unstable();
    let mut alphabet = symbols.to_vec();
    alphabet.sort_unstable();
    LearnedAssumption { component: component.to_owned(), alphabet, initial: name(dfa.initial()), transitions }
}

/// The assumption as a structure.
pub fn as_lks(assumption: &LearnedAssumption) -> Lks {
    let mut builder = LksBuilder::new(&format!("ASSUMPTION_{}", assumption.component));
    assumption.alphabet.iter().for_each(|action| {
        builder.action(action);
    });
    let mut states = FxHashMap::default();
    let mut state = |builder: &mut LksBuilder, name: &str| {
        *states.entry(name.to_owned()).or_insert_with(|| {
            let state = builder.state();
            builder.name_state(state, name);
            state
        })
    };
    let initial = state(&mut builder, &assumption.initial);
    builder.initial(initial);
    for NamedTransition { from, action, to } in &assumption.transitions {
        let (from, to) = (state(&mut builder, from), state(&mut builder, to));
        let action = builder.action(action);
        builder.transition(from, action, to);
    }
    builder.build()
}

/// The assumption as an FSP process that can be read back.
pub fn as_fsp(assumption: &LearnedAssumption) -> String {
    let name: String = assumption
        .component
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    let mut order = vec![assumption.initial.as_str()];
    for transition in &assumption.transitions {
        for state in [&transition.from, &transition.to] {
            if !order.contains(&state.as_str()) {
                order.push(state);
            }
        }
    }
    let mut text = format!("ASSUMPTION_{name} = {}", order[0]);
    for state in &order {
        let own: Vec<&NamedTransition> = assumption.transitions.iter().filter(|t| t.from == *state).collect();
        write!(text, ",\n{state} = ").expect("writing to a string");
        if own.is_empty() {
            text.push_str("STOP");
            continue;
        }
        for (index, transition) in own.iter().enumerate() {
            let before = if index == 0 { "( " } else { "  | " };
            writeln!(text, "{before}{} -> {}", as_label(&transition.action), transition.to)
                .expect("writing to a string");
        }
        text.push_str("  )");
    }
    let alphabet: Vec<String> = assumption.alphabet.iter().map(|action| as_label(action)).collect();
    write!(text, "\n + {{{}}}.\n", alphabet.join(", ")).expect("writing to a string");
    text
}

/// The action `phil.0.get` is written `phil[0].get`; LTSA reads it no other way.
fn as_label(action: &str) -> String {
    let mut label = String::new();
    for part in action.split('.') {
        let is_number = part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
        match (is_number && !part.is_empty(), label.is_empty()) {
            (true, _) => label.push_str(&format!("[{part}]")),
            (false, true) => label.push_str(part),
            (false, false) => label.push_str(&format!(".{part}")),
        }
    }
    label
}
