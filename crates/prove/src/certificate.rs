//! What proofs carry: invariants written down so that somebody else can read and check them.

use crate::explorer::Level;
use base::{Id, Span};
use logic::TermId;
use program::Program;
use symbolic::names::NamedPart;
use symbolic::{Encoder, State, Written};
use verdict::{ActiveCall, Condition, FixedBlock, FixedObject, Gap, LoopInvariant, ProgramProof};

/// Conditions at the head of a loop, over the symbols of a state with the same calls active.
#[derive(Clone, Copy, Debug)]
pub struct AtHead<'a> {
    /// Active calls, outermost first; control is at the head in the last.
    pub stack: &'a [Level],
    /// The state whose parts are the symbols.
    pub any: &'a State,
    /// Further parts that conditions may speak of.
    pub more: &'a [NamedPart],
    /// The conditions.
    pub conditions: &'a [TermId],
    /// Where the loop stands.
    pub span: Span,
}

/// Adds the invariant of a loop to a proof. What cannot be written down makes a gap in it.
pub fn add_loop(proof: &mut ProgramProof, encoder: &mut Encoder<'_>, program: &Program, head: AtHead<'_>) {
    let Some((last, outer)) = head.stack.split_last() else { return };
    let mut conditions = Vec::new();
    let mut parts = encoder.parts_to_name(head.any);
    parts.extend_from_slice(head.more);
    for written in encoder.written_as(&parts, head.conditions) {
        match written {
            Written::C(text) => conditions.push(Condition::C(text)),
            Written::Smt(text) => conditions.push(Condition::Smt(text)),
            Written::NotAtAll => {
                let at =
                    program.sources.location(head.span).map_or_else(String::new, |at| format!(" at {at}"));
                proof.gap = Some(Gap::Unwritten { of: format!("the invariant of the loop{at}") });
            }
        }
    }
    let calls = active_calls(program, outer);
    proof.loops.push(LoopInvariant {
        procedure: program.procedures[last.procedure].name.to_string(),
        procedure_number: number(last.procedure),
        node: number(last.node),
        at: head.span,
        calls,
        conditions,
    });
}

/// Outer calls, as certificates name them.
pub(crate) fn active_calls(program: &Program, outer: &[Level]) -> Vec<ActiveCall> {
    outer
        .iter()
        .enumerate()
        .map(|(depth, level)| {
            let procedure = &program.procedures[level.procedure];
            let at = level.call.and_then(|call| Some(procedure.body.as_ref()?.edges[call].span));
            let at = at.map(|at| crate::explorer::users_place(program, &outer[..=depth], at));
            ActiveCall {
                procedure: procedure.name.to_string(),
                procedure_number: number(level.procedure),
                edge: level.call.map_or(u32::MAX, number),
                at: at.unwrap_or_default(),
            }
        })
        .collect()
}

/// Adds the numbers that the encoder gave to the objects of variables.
pub fn add_objects(proof: &mut ProgramProof, encoder: &Encoder<'_>) {
    let numbers = encoder.fixed_objects.as_ref().map(|fixed| fixed.numbers()).unwrap_or_default();
    proof.objects = numbers
        .into_iter()
        .map(|(calls, variable, object)| FixedObject {
            calls: calls.into_iter().map(number).collect(),
            variable: number(variable),
            object: object as u32,
        })
        .collect();
    let blocks = encoder.fixed_objects.as_ref().map(|fixed| fixed.blocks()).unwrap_or_default();
    proof.blocks = blocks
        .into_iter()
        .map(|(calls, procedure, edge, object)| FixedBlock {
            calls: calls.into_iter().map(number).collect(),
            procedure: number(procedure),
            edge: number(edge),
            object: object as u32,
        })
        .collect();
}

fn number(id: impl Id) -> u32 {
    id.index() as u32
}
