//! Sequential composition `P;Q;R`: each process runs to its END, the next takes over there.

use super::process::ProcessCompiler;
use super::value::Environment;
use crate::syntax::ProcessCall;
use base::Diagnostic;
use lks::{Lks, StateId, StateMark};

/// Lets `start` behave as the calls one after the other, and then as `target`.
pub(super) fn splice(
    compiler: &mut ProcessCompiler<'_, '_>,
    calls: &[ProcessCall],
    environment: &mut Environment<'_>,
    start: StateId,
    target: StateId,
) -> Result<(), Diagnostic> {
    let structures = calls
        .iter()
        .map(|call| compiler.called(call, environment))
        .collect::<Result<Vec<_>, Diagnostic>>()?;
    // A process that is END from the beginning adds nothing.
    let running: Vec<&Lks> = structures
        .iter()
        .map(|lks| &**lks)
        .filter(|lks| !lks.initial().iter().all(|&state| lks.mark(state) == StateMark::End))
        .collect();
    for lks in &structures {
        for action in lks.alphabet().visible() {
            compiler.builder.action(lks.alphabet().name(action));
        }
    }
    if running.is_empty() {
        // Only ENDs: nothing separates `start` from `target`; a silent step is the same to every observer.
        let silent = lks::ActionId::TAU;
        compiler.builder.transition(start, silent, target);
        return Ok(());
    }
    let span = calls[0].name.span;
    let mut from = start;
    for (position, lks) in running.iter().enumerate() {
        let end = if position + 1 < running.len() { compiler.anonymous_state(span)? } else { target };
        copy(compiler, lks, from, end, span)?;
        from = end;
    }
    Ok(())
}

/// Copies a structure so that it starts in `start` and its END states are `end`.
fn copy(
    compiler: &mut ProcessCompiler<'_, '_>,
    lks: &Lks,
    start: StateId,
    end: StateId,
    span: base::Span,
) -> Result<(), Diagnostic> {
    if lks.initial().iter().any(|&state| lks.mark(state) == StateMark::Error) {
        compiler.builder.mark(start, StateMark::Error);
    }
    let mut copies = Vec::with_capacity(lks.state_count());
    for state in lks.states() {
        copies.push(match lks.mark(state) {
            StateMark::End => end,
            _ if lks.initial().contains(&state) => start,
            mark => {
                let copy = compiler.anonymous_state(span)?;
                if let Some(name) = lks.state_name(state) {
                    compiler.builder.name_state(copy, format!("{}:{name}", lks.name()));
                }
                compiler.builder.mark(copy, mark);
                copy
            }
        });
    }
    for state in lks.states() {
        let from = copies[base::Id::index(state)];
        for (action, target) in lks.transitions(state) {
            let action = compiler.builder.action(lks.alphabet().name(action));
            compiler.builder.transition(from, action, copies[base::Id::index(target)]);
        }
    }
    Ok(())
}
