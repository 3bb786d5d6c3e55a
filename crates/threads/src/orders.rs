//! What proofs do not cover. Memory orders first. All interleavings are those of sequentially consistent memory: a run
//! of them is possible under every order, but a proof about them says nothing of the runs that weaker orders add.

use crate::shared::known_calls;
use base::Span;
use program::{Known, ProcedureId, Program};

/// `seq_cst` for success and failure, as `lower` numbers orders; a fence; a mere step.
const STRONG: [u128; 3] = [5 + 8 * 5, 64, Known::STEP];

/// Where an atomic operation has an order weaker than `seq_cst`, if one has.
pub fn weaker_order(program: &Program) -> Option<Span> {
    program.procedures.iter_enumerated().find_map(|(id, procedure)| {
        let body = procedure.body.as_ref()?;
        known_calls(program, id)
            .filter(|(_, known, _)| *known == Known::AtomicBegin)
            .find(|(.., arguments)| {
                let order = arguments.first().and_then(|order| order.as_integer());
                order.is_some_and(|order| !STRONG.contains(&order))
            })
            .map(|(edge, ..)| body.edges[edge].span)
    })
}

/// What functions of threads must not be given, and the sequential program does not look at.
pub fn misuse_not_looked_for(program: &Program) -> Option<&'static str> {
    let calls = |wanted: &dyn Fn(Known, &[program::Expr]) -> bool| {
        program
            .procedures
            .ids()
            .any(|id| known_calls(program, id).any(|(_, known, arguments)| wanted(known, arguments)))
    };
    if calls(&|known, _| known == Known::CondDestroy) {
        return Some("a proof that no condition variable is used after it was destroyed");
    }
    if calls(&|known, _| known == Known::BarrierDestroy) {
        return Some("a proof that no barrier is destroyed while threads wait at it");
    }
    let has_attributes = |known: Known, arguments: &[program::Expr]| {
        known == Known::ThreadCreate
            && arguments.get(1).is_some_and(|value| crate::cells::uncast(value).as_integer() != Some(0))
    };
    if calls(&has_attributes) {
        return Some("a proof that no thread is joined which its attributes detached");
    }
    // The first thread may end, and its handle be joined, as any other; two mutexes with one condition variable are
    // seen by nobody.
    if calls(&|known, _| matches!(known, Known::CondWait | Known::CondTimedWait)) && has_two_mutexes(program)
    {
        return Some("a proof that no condition variable is used with two mutexes at once");
    }
    None
}

/// Are there waits for signals with mutexes that differ as the program writes them?
fn has_two_mutexes(program: &Program) -> bool {
    let mut first = None;
    program.procedures.ids().any(|id| {
        known_calls(program, id)
            .filter(|(_, known, _)| matches!(known, Known::CondWait | Known::CondTimedWait))
            .any(|(.., arguments)| {
                let is_static = crate::cells::static_place(program, &arguments[1]).is_some();
                !is_static || *first.get_or_insert(&arguments[1]) != &arguments[1]
            })
    })
}

/// Does a thread leave behind what `alloca` gave it, or an array of run-time length, when a call of it ends? The sequential program has no such end of a call, as it
/// has no calls with steps that others see. What `main` has lives as long as the process, unless `main` leaves before.
pub fn leaves_stack_blocks(program: &Program) -> bool {
    let has_blocks = |id| known_calls(program, id).any(|(_, known, _)| known == Known::Alloca);
    let is_outermost = |id| Some(id) == program.main && !main_may_leave(program) && !is_called(program, id);
    program.procedures.ids().any(|id| has_blocks(id) && !is_outermost(id))
}

/// Is there a call of the procedure?
fn is_called(program: &Program, callee: ProcedureId) -> bool {
    let points_to = program::PointsTo::of(program);
    program.procedures.ids().any(|id| crate::shared::callees(program, &points_to, id).contains(&callee))
}

/// May the first thread end while the process goes on? The process ends with its last thread then, at no place that the
/// sequential program has.
pub fn main_may_leave(program: &Program) -> bool {
    let points_to = program::PointsTo::of(program);
    program.main.is_some_and(|main| {
        crate::shared::running(program, &points_to, main)
            .into_iter()
            .any(|id| known_calls(program, id).any(|(_, known, _)| known == Known::ThreadExit))
    })
}
