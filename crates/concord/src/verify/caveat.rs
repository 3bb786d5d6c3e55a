//! Where our checks are not quite what a competition's property asks: then an answer that could mean
//! something else is UNDECIDED.
//!
//! - no-overflow: signed left shifts are not among our overflows; a proof about a program with such a shift
//!   proves less.
//! - valid-free, valid-deref: an index outside an inner array with which the access stays in its object, and a write to a
//!   constant, are failures here and not there.
//!
//! And where a violation rests on a pointer from outside of which nothing is known (`--function`).

use concrete::{UndefinedKind, UndefinedReport};
use program::expr::ExprPart;
use program::{AssumptionKind, BinaryOp, ExprKind, Program};
use question::{Answer, Verdict};
use verdict::{Reason, Undecided};

/// A difference between a property and the checks it is answered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// Asked: no signed arithmetic overflows.
    NoOverflow,
    /// Asked: all accesses and calls of `free` are valid.
    MemorySafety,
}

/// Takes back an answer that does not mean what was asked.
pub fn heed(program: &Program, caveats: &[Caveat], answer: &mut Answer) {
    let difference = match (&answer.verdict, answer.verdict.run()) {
        (Verdict::Holds(_), _) if caveats.contains(&Caveat::NoOverflow) => {
            let Some(at) = signed_left_shift(program) else { return };
            let construct = "overflow of a signed number that is shifted to the left".to_owned();
            answer.downgrade(Undecided::because(Reason::NotSupported { construct, at }));
            return;
        }
        (_, Some(violation)) => {
            let Some(told) = violation.report() else { return };
            // Past its array, and past its object: the access itself is told next.
            let leaves_its_object = |report: &UndefinedReport| {
                report.kind == UndefinedKind::OutOfBounds && report.place.span == told.place.span
            };
            match told.kind {
                UndefinedKind::InnerIndex if violation.reports().any(leaves_its_object) => return,
                UndefinedKind::InnerIndex | UndefinedKind::ReadOnlyWrite | UndefinedKind::Overlap
                    if caveats.contains(&Caveat::MemorySafety) =>
                {
                    format!(
                        "there is undefined behaviour that the property does not mean: {}",
                        violation.what
                    )
                }
                _ => return,
            }
        }
        _ => return,
    };
    let undecided = Undecided::because(Reason::NotConfirmed { why: difference });
    answer.downgrade(undecided.try_next("ask for the checks themselves with --checks"));
}

/// Takes back a violation whose run uses a pointer from outside that is not null and leads nowhere known: undefined behaviour
/// that it meets may be that of the value which stands for the pointer.
pub fn heed_unknown_pointers(program: &Program, answer: &mut Answer) {
    let Some(violation) = answer.verdict.run() else { return };
    if violation.check().is_none() {
        return;
    }
    let unknown = program.assumptions.iter().filter(|one| one.kind == AssumptionKind::UnknownPointer);
    let unknown: Vec<&str> = unknown.map(|one| &*one.subject).collect();
    let used = violation.inputs.iter().find(|input| input.bits != 0 && unknown.contains(&&*input.name));
    let Some(used) = used else { return };
    let why = format!("the run gives the pointer `{}` a value, and where it leads is not known", used.name);
    let undecided = Undecided::because(Reason::NotConfirmed { why });
    answer.downgrade(
        undecided.try_next("call the function from a `main` of your own that makes what it points to"),
    );
}

/// Where a signed number is shifted to the left, if that happens somewhere.
fn signed_left_shift(program: &Program) -> Option<base::Span> {
    program.edges().find_map(|edge| {
        let mut found = false;
        edge.action.visit(&mut |part| {
            if let ExprPart::Expr(expr) = part
                && let ExprKind::Binary(BinaryOp::ShiftLeft, ..) = expr.kind
                && program.types.integer_shape(expr.ty).is_some_and(|shape| shape.signed)
            {
                found = true;
            }
        });
        found.then_some(edge.span)
    })
}
