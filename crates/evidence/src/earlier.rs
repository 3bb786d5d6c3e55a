//! What an answer rested on, kept for the next time: the certificate of a proof, or the inputs of a violating run. Whoever reads it believes
//! nothing: the certificate is audited against the program as it is then, and the run is made again.

use crate::CertificateFile;
use crate::task::Task;
use program::Program;
use question::Answer;
use serde_json::{Value, json};
use std::sync::Arc;
use verdict::ProgramProof;

/// What an earlier answer rested on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// A proof, with what it was for.
    Proof(Box<CertificateFile>),
    /// The inputs of a run that failed, in order, each with the name of what asked for it.
    Inputs(Vec<(Arc<str>, u128)>),
}

/// What is worth keeping of an answer; nothing of one that is open, or about threads.
pub fn text(program: &Program, task: &Task, answer: &Answer) -> Option<String> {
    if task.threads.is_some() || program.interleaving.is_some() {
        return None;
    }
    let kept = match (answer.verdict.run(), answer.verdict.program_proof()) {
        (Some(violation), _) if violation.schedule.is_none() => {
            let input = |input: &concrete::ConsumedInput| json!([&*input.name, input.bits.to_string()]);
            json!({ "inputs": violation.inputs.iter().map(input).collect::<Vec<_>>() })
        }
        (_, Some(proof)) if proof.gap.is_none() => {
            let file = CertificateFile { task: task.clone(), proof: proof.clone() };
            json!({ "certificate": file.to_json(program) })
        }
        _ => return None,
    };
    Some(kept.to_string())
}

impl Earlier {
    /// From a text; nothing if it is none of ours.
    pub fn read(text: &str) -> Option<Earlier> {
        let value: Value = serde_json::from_str(text).ok()?;
        if let Some(certificate) = value.get("certificate") {
            return CertificateFile::read(&certificate.to_string())
                .ok()
                .map(|file| Earlier::Proof(Box::new(file)));
        }
        let input = |pair: &Value| Some((Arc::from(pair[0].as_str()?), pair[1].as_str()?.parse().ok()?));
        value["inputs"].as_array()?.iter().map(input).collect::<Option<_>>().map(Earlier::Inputs)
    }
}

/// The proof with its procedures by the numbers that they have in this program: those are in the order of the text, which changes where
/// something is added. What nobody has that name is left as it is, and means nothing to an audit.
pub fn renumbered(proof: &ProgramProof, program: &Program) -> ProgramProof {
    let number_of = |name: &str, number: u32| {
        let named = |at: &usize| program.procedures.as_slice().get(*at).is_some_and(|one| *one.name == *name);
        if named(&(number as usize)) {
            return number;
        }
        let mut all = (0..program.procedures.len()).filter(named);
        match (all.next(), all.next()) {
            (Some(only), None) => u32::try_from(only).unwrap_or(number),
            _ => number,
        }
    };
    let mut proof = proof.clone();
    for invariant in &mut proof.loops {
        invariant.procedure_number = number_of(&invariant.procedure, invariant.procedure_number);
        for call in &mut invariant.calls {
            call.procedure_number = number_of(&call.procedure, call.procedure_number);
        }
    }
    for contract in &mut proof.contracts {
        contract.procedure_number = number_of(&contract.procedure, contract.procedure_number);
    }
    proof
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_and_what_is_none_is_not() {
        let inputs =
            Earlier::read(r#"{"inputs":[["f","340282366920938463463374607431768211455"],["g","0"]]}"#);
        assert_eq!(inputs, Some(Earlier::Inputs(vec![("f".into(), u128::MAX), ("g".into(), 0)])));
        for text in ["", "{}", r#"{"inputs":[["f",1]]}"#, r#"{"certificate":{"concord":2}}"#, "[]"] {
            assert_eq!(Earlier::read(text), None, "{text}");
        }
    }
}
