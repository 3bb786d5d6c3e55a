//! Which operators and widths random terms have shown: a run that never met an operator has not tested it.

use logic::term::{Op, Postorder, Sort, TermId, TermPool};
use std::collections::BTreeSet;

/// Operators and widths met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    operators: BTreeSet<String>,
    widths: BTreeSet<u32>,
}

/// Every operator the embedded solver has.
const OPERATORS: [&str; 45] = [
    "True",
    "False",
    "Constant",
    "Symbol",
    "Apply",
    "Not",
    "And",
    "Or",
    "Xor",
    "Ite",
    "Equal",
    "BvNot",
    "BvNeg",
    "BvAnd",
    "BvOr",
    "BvXor",
    "BvAdd",
    "BvSub",
    "BvMul",
    "BvUdiv",
    "BvSdiv",
    "BvUrem",
    "BvSrem",
    "BvShl",
    "BvLshr",
    "BvAshr",
    "Concat",
    "Extract",
    "ZeroExtend",
    "SignExtend",
    "Ult",
    "Ule",
    "Slt",
    "Sle",
    "UaddOverflow",
    "SaddOverflow",
    "UsubOverflow",
    "SsubOverflow",
    "UmulOverflow",
    "SmulOverflow",
    "SnegOverflow",
    "SdivOverflow",
    "Select",
    "Store",
    "ConstArray",
];

fn name(op: Op) -> String {
    let text = format!("{op:?}");
    text.split(['(', ' ']).next().unwrap_or(&text).to_owned()
}

impl Coverage {
    /// Takes note of everything below a term.
    pub(super) fn add(&mut self, pool: &TermPool, term: TermId) {
        for node in Postorder::new(pool, &[term]) {
            self.operators.insert(name(pool.op(node)));
            if let Sort::BitVec(width) = pool.sort(node) {
                self.widths.insert(width);
            }
        }
    }

    /// Takes over what another run has met.
    pub fn join(&mut self, other: &Coverage) {
        self.operators.extend(other.operators.iter().cloned());
        self.widths.extend(&other.widths);
    }

    /// How many operators were met.
    pub fn operator_count(&self) -> usize {
        self.operators.len()
    }

    /// How many widths from 1 to 64 were met.
    pub fn width_count(&self) -> usize {
        self.widths.range(1..=64).count()
    }

    /// What was not met: operators, and widths from 1 to 64.
    pub fn missing(&self) -> Vec<String> {
        let operators =
            OPERATORS.iter().filter(|&&name| !self.operators.contains(name)).map(|&name| name.to_owned());
        let widths =
            (1..=64).filter(|width| !self.widths.contains(width)).map(|width| format!("width {width}"));
        operators.chain(widths).collect()
    }
}
