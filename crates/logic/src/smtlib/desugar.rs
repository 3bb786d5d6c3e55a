//! The overflow tests are too new for many solvers: here they are said in operators that every solver has.

use crate::bits::Bits;
use crate::term::{Op, TermId, TermPool};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Rewrites terms and remembers the results.
#[derive(Default)]
pub(crate) struct Desugar {
    done: FxHashMap<TermId, TermId>,
}

impl Desugar {
    /// An equal term without overflow tests.
    pub(crate) fn term(&mut self, pool: &mut TermPool, root: TermId) -> TermId {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.done.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(pool.arguments(term).iter().filter(|argument| !self.done.contains_key(argument)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let arguments: SmallVec<[TermId; 4]> =
                pool.arguments(term).iter().map(|argument| self.done[argument]).collect();
            let plain = match expand(pool, pool.op(term), &arguments) {
                Some(plain) => plain,
                None => pool.with_arguments(term, &arguments),
            };
            self.done.insert(term, plain);
        }
        self.done[&root]
    }
}

fn expand(pool: &mut TermPool, op: Op, arguments: &[TermId]) -> Option<TermId> {
    let a = *arguments.first()?;
    let b = arguments.get(1).copied().unwrap_or(a);
    match op {
        Op::UaddOverflow => {
            let sum = pool.bvadd(a, b);
            Some(pool.ult(sum, a))
        }
        Op::UsubOverflow => Some(pool.ult(a, b)),
        Op::SaddOverflow | Op::SsubOverflow => {
            // One more bit holds the exact result; it fits when its two top bits agree.
            let width = pool.width(a);
            let (a, b) = (pool.sign_extend(a, 1), pool.sign_extend(b, 1));
            let exact = if op == Op::SaddOverflow { pool.bvadd(a, b) } else { pool.bvsub(a, b) };
            let (top, below) = (pool.extract(exact, width, width), pool.extract(exact, width - 1, width - 1));
            Some(pool.distinct(top, below))
        }
        Op::UmulOverflow => {
            let width = pool.width(a);
            let (a, b) = (pool.zero_extend(a, width), pool.zero_extend(b, width));
            let exact = pool.bvmul(a, b);
            let high = pool.extract(exact, 2 * width - 1, width);
            Some(pool.is_nonzero(high))
        }
        Op::SmulOverflow => {
            let width = pool.width(a);
            let (a, b) = (pool.sign_extend(a, width), pool.sign_extend(b, width));
            let exact = pool.bvmul(a, b);
            let low = pool.extract(exact, width - 1, 0);
            let back = pool.sign_extend(low, width);
            Some(pool.distinct(exact, back))
        }
        Op::SnegOverflow => {
            let minimum = pool.constant(Bits::signed_minimum(pool.width(a)));
            Some(pool.equal(a, minimum))
        }
        Op::SdivOverflow => {
            let width = pool.width(a);
            let (minimum, minus_one) = (pool.constant(Bits::signed_minimum(width)), pool.number(width, -1));
            let (first, second) = (pool.equal(a, minimum), pool.equal(b, minus_one));
            Some(pool.and(first, second))
        }
        _ => None,
    }
}
