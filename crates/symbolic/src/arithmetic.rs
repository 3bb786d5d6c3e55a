//! What C's integer operators, comparisons and conversions mean, as terms: the one place that says it, for whole programs (`value`) and
//! for components (`predicate::component`). Terms are as they are built: whoever wants them simple simplifies them.
//! Operands of one operation have one width (C's usual arithmetic conversions were made by `lower`).

use logic::{TermId, TermPool};
use program::BinaryOp;

/// `a op b` where the operator is no comparison. The count of a shift has the width of `a` and is below it.
pub fn operation(pool: &mut TermPool, op: BinaryOp, a: TermId, b: TermId, signed: bool) -> TermId {
    match (op, signed) {
        (BinaryOp::Add, _) => pool.bvadd(a, b),
        (BinaryOp::Subtract, _) => pool.bvsub(a, b),
        (BinaryOp::Multiply, _) => pool.bvmul(a, b),
        (BinaryOp::Divide, true) => pool.bvsdiv(a, b),
        (BinaryOp::Divide, false) => pool.bvudiv(a, b),
        (BinaryOp::Remainder, true) => pool.bvsrem(a, b),
        (BinaryOp::Remainder, false) => pool.bvurem(a, b),
        (BinaryOp::BitAnd, _) => pool.bvand(a, b),
        (BinaryOp::BitOr, _) => pool.bvor(a, b),
        (BinaryOp::BitXor, _) => pool.bvxor(a, b),
        (BinaryOp::ShiftLeft, _) => pool.bvshl(a, b),
        (BinaryOp::ShiftRight, true) => pool.bvashr(a, b),
        (BinaryOp::ShiftRight, false) => pool.bvlshr(a, b),
        (other, _) => unreachable!("`{}` is no arithmetic", other.symbol()),
    }
}

/// When the result of a signed operation does not fit (C11 6.5p5); none if it always does.
pub fn signed_overflow(pool: &mut TermPool, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
    match op {
        BinaryOp::Add => Some(pool.sadd_overflow(a, b)),
        BinaryOp::Subtract => Some(pool.ssub_overflow(a, b)),
        BinaryOp::Multiply => Some(pool.smul_overflow(a, b)),
        BinaryOp::Divide | BinaryOp::Remainder => Some(pool.sdiv_overflow(a, b)),
        _ => None,
    }
}

/// `a op b` where the operator is a comparison.
pub fn comparison(pool: &mut TermPool, op: BinaryOp, a: TermId, b: TermId, signed: bool) -> TermId {
    match (op, signed) {
        (BinaryOp::Equal, _) => pool.equal(a, b),
        (BinaryOp::NotEqual, _) => pool.distinct(a, b),
        (BinaryOp::Less, true) => pool.slt(a, b),
        (BinaryOp::LessEqual, true) => pool.sle(a, b),
        (BinaryOp::Greater, true) => pool.sgt(a, b),
        (BinaryOp::GreaterEqual, true) => pool.sge(a, b),
        (BinaryOp::Less, false) => pool.ult(a, b),
        (BinaryOp::LessEqual, false) => pool.ule(a, b),
        (BinaryOp::Greater, false) => pool.ugt(a, b),
        (BinaryOp::GreaterEqual, false) => pool.uge(a, b),
        (other, _) => unreachable!("`{}` does not compare", other.symbol()),
    }
}

/// A number in another width (C11 6.3.1.3): its low bits, or extended by zeros or, if it is signed, by its sign.
pub fn converted(pool: &mut TermPool, a: TermId, width: u32, signed: bool) -> TermId {
    let own = pool.width(a);
    match own.cmp(&width) {
        std::cmp::Ordering::Equal => a,
        std::cmp::Ordering::Greater => pool.extract(a, width - 1, 0),
        std::cmp::Ordering::Less if signed => pool.sign_extend(a, width - own),
        std::cmp::Ordering::Less => pool.zero_extend(a, width - own),
    }
}
