//! Measures written down for whoever checks them: each number at each place as a term, the factors apart, so that the
//! change of a sum can be computed as the sum of changes.

use super::search::Measure;
use super::ways::{Place, heads_of};
use crate::blocks::{Blocks, HeadId};
use crate::certificate::active_calls;
use logic::TermId;
use symbolic::Written;
use symbolic::names::NamedPart;
use verdict::{Condition, MeasureAt, ProgramProof, ProofArgument};

/// The name of a part's value in the condition that says what it is; its width stands behind it.
const VALUE: &str = "value$";

/// A measure, and the heads between which it does not rise.
pub(super) struct Measured {
    part: Vec<HeadId>,
    measure: Measure,
    texts: Vec<String>,
}

impl Measured {
    pub(super) fn of(blocks: &Blocks<'_, '_>, part: &[Place], measure: Measure) -> Measured {
        let part = heads_of(part);
        let texts = part.iter().map(|&head| measure.text_at(head)).collect();
        debug_assert!(part.iter().all(|&head| head_exists(blocks, head)));
        Measured { part, measure, texts }
    }

    /// As people write it, at its first place.
    pub(super) fn shown(&self) -> &str {
        self.texts.first().map_or("", |text| text)
    }
}

fn head_exists(blocks: &Blocks<'_, '_>, head: HeadId) -> bool {
    base::Id::index(head) < blocks.heads.len()
}

/// Invariants, contracts and measures.
pub(super) fn certificate(blocks: &mut Blocks<'_, '_>, measured: &[Measured]) -> ProgramProof {
    let known = blocks.all_known();
    let mut proof = blocks.certificate(1, &known);
    proof.argument = ProofArgument::Ranking;
    for one in measured {
        let mut places = Vec::new();
        for (&head, text) in one.part.iter().zip(&one.texts) {
            let mut values = Vec::new();
            for (_, feature) in &one.measure.parts {
                values.push(match feature.value_at(head) {
                    None => None,
                    Some(value) => match written(blocks, head, value, one.measure.width) {
                        Some(condition) => Some(condition),
                        None => {
                            proof.gap = Some(verdict::Gap::Unwritten { of: "a measure".to_owned() });
                            None
                        }
                    },
                });
            }
            let head = &blocks.heads[head];
            let Some((last, outer)) = head.stack.split_last() else { continue };
            places.push(MeasureAt {
                procedure: blocks.program.procedures[last.procedure].name.to_string(),
                procedure_number: base::Id::index(last.procedure) as u32,
                node: base::Id::index(last.node) as u32,
                at: head.span,
                calls: active_calls(blocks.program, outer),
                values,
                shown: text.clone(),
            });
        }
        let factors = one.measure.parts.iter().map(|(factor, _)| *factor).collect();
        proof.measures.push(verdict::Measure { width: one.measure.width, factors, places });
    }
    proof
}

/// The condition that `value$` is the value.
fn written(
    blocks: &mut Blocks<'_, '_>,
    head: HeadId,
    (term, signed): (TermId, bool),
    width: u32,
) -> Option<Condition> {
    let encoder = &mut blocks.explorer.encoder;
    let value = encoder.terms.pool.bitvec_symbol(&format!("{VALUE}{width}"), width);
    let wide = encoder.terms.resize(term, width, signed);
    let is_it = encoder.terms.pool.equal(value, wide);
    let mut parts = encoder.parts_to_name(&blocks.heads[head].named);
    parts.push(NamedPart { name: format!("{VALUE}{width}"), ty: None, term: value });
    match encoder.written_as(&parts, &[is_it]).pop()? {
        Written::Smt(text) => Some(Condition::Smt(text)),
        Written::C(_) | Written::NotAtAll => None,
    }
}
