//! What an answer rested on, kept for the next time: the certificate of a proof, or the inputs of a violating run. Whoever reads it believes
//! nothing: the certificate is audited against the program as it is then, and the run is made again.

use crate::CertificateFile;
use crate::moved;
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
    Proof(Box<EarlierProof>),
    /// The inputs of a run that failed, in order, each with the name of what asked for it.
    Inputs(Vec<(Arc<str>, u128)>),
}

/// A proof of an earlier program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierProof {
    /// The certificate.
    pub file: CertificateFile,
    /// What its numbers stood for.
    landmarks: Value,
}

impl EarlierProof {
    /// The proof with the numbers of this program. Nothing is claimed of it.
    pub fn moved_to(&self, program: &Program) -> ProgramProof {
        moved::moved(&self.file.proof, &self.landmarks, program)
    }
}

/// What is worth keeping of an answer; nothing of one that is open, about threads, or about
/// whether runs end.
pub fn text(program: &Program, task: &Task, answer: &Answer) -> Option<String> {
    if task.threads.is_some() || program.interleaving.is_some() || task.property.endless_runs {
        return None;
    }
    let kept = match (answer.verdict.run(), answer.verdict.program_proof()) {
        (Some(violation), _) if violation.schedule.is_none() => {
            let input = |input: &concrete::ConsumedInput| json!([&*input.name, input.bits.to_string()]);
            json!({ "inputs": violation.inputs.iter().map(input).collect::<Vec<_>>() })
        }
        (_, Some(proof)) if proof.gap.is_none() => {
            let file = CertificateFile { task: task.clone(), proof: proof.clone() };
            json!({ "certificate": file.to_json(program), "landmarks": moved::landmarks(proof, program) })
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
            let file = CertificateFile::read(&certificate.to_string()).ok()?;
            let landmarks = value["landmarks"].clone();
            return Some(Earlier::Proof(Box::new(EarlierProof { file, landmarks })));
        }
        let input = |pair: &Value| Some((Arc::from(pair[0].as_str()?), pair[1].as_str()?.parse().ok()?));
        value["inputs"].as_array()?.iter().map(input).collect::<Option<_>>().map(Earlier::Inputs)
    }
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
