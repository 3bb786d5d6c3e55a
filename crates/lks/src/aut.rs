//! The Aldebaran format (`.aut`) of CADP, mCRL2 and LTSA: `des (initial, transitions, states)` and one
//! `(from, label, to)` per line.
//! Labels may be quoted; `tau`, `i` and `"i"` are silent. A target of -1 is LTSA's ERROR state.
//! DIVERGENCE: on writing, ERROR states are written as LTSA does (target -1), and END states are lost, for the format
//! has no word for them.

use crate::{Lks, LksBuilder, StateId, StateMark};
use base::{Diagnostic, Id, Span};
use std::fmt::Write;

/// Reads a structure. `base` is the position of the text's first byte, for the places in messages.
pub fn read(name: &str, text: &str, base: u32) -> Result<Lks, Diagnostic> {
    let mut builder = LksBuilder::new(name);
    let mut offset = 0u32;
    let mut header: Option<(usize, usize)> = None;
    let mut seen = 0;
    let mut error_state = None;
    for line in text.split_inclusive('\n') {
        let span = Span::new(base + offset, base + offset + line.trim_end().len() as u32);
        offset += line.len() as u32;
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let Some((transitions, states)) = header else {
            let (initial, transitions, states) = read_header(trimmed, span)?;
            // Every state but the first is reached by a transition: far more states than lines are damage, and
            // room for them would be taken on the header's word alone.
            if states > SPARSE * (text.lines().count() + SPARSE) {
                let message =
                    format!("the header announces {states} states, far more than the file has lines");
                return Err(Diagnostic::error("aut-header", span, message)
                    .hint("number the states without gaps, and leave out those that no transition reaches"));
            }
            builder.ensure_states(states);
            builder.initial(StateId::from_index(initial));
            header = Some((transitions, states));
            continue;
        };
        let (from, label, to) = read_transition(trimmed, span)?;
        let in_range = |state: i64| usize::try_from(state).ok().filter(|&state| state < states);
        let from = in_range(from).ok_or_else(|| out_of_range(from, states, span))?;
        let to = match (to, in_range(to)) {
            (-1, _) => *error_state.get_or_insert_with(|| {
                let error = builder.state();
                builder.mark(error, StateMark::Error);
                error
            }),
            (_, Some(to)) => StateId::from_index(to),
            _ => return Err(out_of_range(to, states, span)),
        };
        let action = builder.action(if is_silent(label) { "tau" } else { label });
        builder.transition(StateId::from_index(from), action, to);
        seen += 1;
        if seen > transitions {
            let message = format!("the header announces {transitions} transitions, this is one more");
            return Err(Diagnostic::error("aut-transitions", span, message));
        }
    }
    let end = Span::new(base + offset, base + offset);
    match header {
        None => Err(Diagnostic::error("aut-header", end, "the file has no `des (…)` header")),
        Some((transitions, _)) if transitions != seen => {
            let message = format!("the header announces {transitions} transitions, the file has {seen}");
            Err(Diagnostic::error("aut-transitions", end, message))
        }
        Some(_) => Ok(builder.build()),
    }
}

fn out_of_range(state: i64, states: usize, span: Span) -> Diagnostic {
    Diagnostic::error("aut-state", span, format!("there is no state {state}: the header announces {states}"))
}

fn is_silent(label: &str) -> bool {
    matches!(label, "i" | "tau")
}

/// So many announced states per line are still believed.
const SPARSE: usize = 64;

/// More states than this is taken for damage, not for a system.
const MOST_STATES: usize = 1 << 31;

fn read_header(line: &str, span: Span) -> Result<(usize, usize, usize), Diagnostic> {
    let malformed = || {
        Diagnostic::error("aut-header", span, "this is not a header")
            .hint("the first line is `des (initial state, number of transitions, number of states)`")
    };
    let inner = line.strip_prefix("des").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
    let inner = inner.and_then(|rest| rest.strip_suffix(')')).ok_or_else(malformed)?;
    let numbers: Option<Vec<usize>> = inner.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[initial, transitions, states]) if initial < states && states <= MOST_STATES => {
            Ok((initial, transitions, states))
        }
        _ => Err(malformed()),
    }
}

fn read_transition(line: &str, span: Span) -> Result<(i64, &str, i64), Diagnostic> {
    let malformed = || {
        Diagnostic::error("aut-line", span, "this is not a transition")
            .hint("a transition is written `(from, label, to)`")
    };
    let inner = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(malformed)?;
    let (from, rest) = inner.split_once(',').ok_or_else(malformed)?;
    let (label, to) = rest.rsplit_once(',').ok_or_else(malformed)?;
    let label = label.trim();
    let unquoted = label.strip_prefix('"').and_then(|label| label.strip_suffix('"')).unwrap_or(label);
    match (from.trim().parse(), to.trim().parse()) {
        (Ok(from), Ok(to)) if !unquoted.is_empty() => Ok((from, unquoted, to)),
        _ => Err(malformed()),
    }
}

/// Writes a structure. Several initial states, or one that is ERROR, are reached from an added one by silent steps.
pub fn write(lks: &Lks) -> String {
    // ERROR is -1, the other states move up.
    let mut numbers = Vec::with_capacity(lks.state_count());
    // -1 cannot be initial.
    let has_plain_initial = lks.initial().len() == 1 && lks.mark(lks.initial()[0]) != StateMark::Error;
    let added_initial = !has_plain_initial;
    let mut next = i64::from(added_initial);
    for state in lks.states() {
        if lks.mark(state) == StateMark::Error {
            numbers.push(-1);
        } else {
            numbers.push(next);
            next += 1;
        }
    }
    let start = if added_initial { 0 } else { numbers[lks.initial()[0].index()] };
    let transitions = lks.transition_count() + if added_initial { lks.initial().len() } else { 0 };
    let mut text = format!("des ({start}, {transitions}, {})\n", next.max(1));
    if added_initial {
        for state in lks.initial() {
            writeln!(text, "(0, \"tau\", {})", numbers[state.index()]).expect("writing to a string");
        }
    }
    for state in lks.states() {
        for (action, target) in lks.transitions(state) {
            let (from, to) = (numbers[state.index()], numbers[target.index()]);
            let label = lks.alphabet().name(action);
            writeln!(text, "({from}, \"{label}\", {to})").expect("writing to a string");
        }
    }
    text
}
