//! What proofs carry: invariants written down so that somebody else can read and check them.

use crate::blocks::{Blocks, HeadId};
use crate::contracts::Contracts;
use crate::explorer::Level;
use base::{Id, Span};
use logic::TermId;
use program::Program;
use symbolic::names::NamedPart;
use symbolic::{Encoder, State, StateVariable, Written};
use verdict::{
    ActiveCall, Condition, Contract, FixedBlock, FixedObject, Gap, LoopInvariant, ProgramProof, ProofArgument,
};

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

impl Blocks<'_, '_> {
    /// What a proof by induction with these invariants rests on, written down.
    pub fn certificate(&mut self, depth: u32, invariants: &[(HeadId, TermId)]) -> ProgramProof {
        self.certificate_naming(depth, invariants, &[])
    }

    /// [`certificate`](Self::certificate), where invariants may speak of these parts as well.
    pub fn certificate_naming(
        &mut self,
        depth: u32,
        invariants: &[(HeadId, TermId)],
        more: &[NamedPart],
    ) -> ProgramProof {
        let mut certificate = ProgramProof::by(ProofArgument::Induction { depth: depth.max(1) });
        // What is alive is spoken of by the array beneath what is known to be alive.
        let mut named = more.to_vec();
        for head in &self.heads {
            let extents = head.symbols.iter().find(|(part, _)| *part == StateVariable::Extents);
            named.extend(extents.map(|&(_, term)| NamedPart { name: "extents".to_owned(), ty: None, term }));
        }
        let more = &named[..];
        let names_blocks = invariants.iter().any(|(_, condition)| self.names_an_allocation(*condition));
        let contracted = self.explorer.contracts.as_ref().map(Contracts::procedures).unwrap_or_default();
        for &procedure in &contracted {
            certificate.contracts.push(Contract {
                procedure: self.program.procedures[procedure].name.to_string(),
                procedure_number: base::Id::index(procedure) as u32,
                requires: Vec::new(),
                ensures: Vec::new(),
            });
        }
        let mut is_called = vec![false; contracted.len()];
        for (id, head) in self.heads.iter_enumerated() {
            let own = invariants.iter().filter(|(head, _)| *head == id);
            let terms = &mut self.explorer.encoder.terms;
            let mut conditions: Vec<TermId> =
                head.settled.iter().map(|one| terms.equal(one.symbol, one.value)).collect();
            conditions.extend(own.map(|(_, condition)| *condition));
            if let [level] = &head.stack[..]
                && let Some(at) = contracted.iter().position(|&procedure| procedure == level.procedure)
                && self.program.procedures[level.procedure]
                    .body
                    .as_ref()
                    .is_some_and(|body| body.entry == level.node)
            {
                is_called[at] = true;
                let parts = self.explorer.encoder.parts_to_name(&head.any);
                let written = self.explorer.encoder.written_as(&parts, &conditions);
                let requires = add_conditions(written, &mut certificate.gap);
                certificate.contracts[at].requires.extend(requires);
                if !self.explorer.order(level.procedure).is_head(level.node) {
                    continue;
                }
            }
            let at = AtHead {
                stack: &head.stack,
                any: &head.named,
                more,
                conditions: &conditions,
                span: head.span,
            };
            add_loop(&mut certificate, &mut self.explorer.encoder, self.program, at);
        }
        // Of a procedure that no call comes to, everything may be required.
        for (contract, is_called) in certificate.contracts.iter_mut().zip(is_called) {
            if !is_called {
                contract.requires.push(Condition::C("0".to_owned()));
            }
        }
        for (procedure, parts, conditions) in &self.posts {
            let Some(at) = contracted.iter().position(|known| known == procedure) else { continue };
            let written = self.explorer.encoder.written_as(parts, conditions);
            let ensures = add_conditions(written, &mut certificate.gap);
            certificate.contracts[at].ensures.extend(ensures);
        }
        add_objects(&mut certificate, &self.explorer.encoder);
        if names_blocks {
            certificate.gap = Some(Gap::NamesBlocks);
        }
        certificate
    }
}

/// Conditions of a contract, written down. What cannot be makes a gap.
fn add_conditions(written: Vec<Written>, gap: &mut Option<Gap>) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for written in written {
        match written {
            Written::C(text) => conditions.push(Condition::C(text)),
            Written::Smt(text) => conditions.push(Condition::Smt(text)),
            Written::NotAtAll => *gap = Some(Gap::Unwritten { of: "a contract".to_owned() }),
        }
    }
    conditions
}
