//! Bounded search over orders of events: one formula over the blocks of all threads, each thread unrolled for itself, in which the order of blocks is free and each block
//! finds what the last write before it left.
//!
//! Source: Alglave, Kroening, Tautschnig, "Partial orders for efficient bounded model checking of concurrent software" (2013), events with read-from and from-read relations; He,
//! Sun, Fan, "Satisfiability modulo ordering consistency theory for multi-threaded program verification" (2021), that cycles are excluded on demand.
//! DIVERGENCE: an event is not one access but a block of steps that nobody needs to interrupt (Lipton's reduction made them; `threads::mode`), and synchronisation is
//! accesses of the states of locks. So whatever the sequential program of all interleavings says is said here, too. Threads are unrolled block by block, twice as deep each
//! time.
//!
//! **Obligation.** What is found is told only if the program of all interleavings, in which any thread may be the next, fails in the interpreter by the order that
//! the formula's solution has. "Holds" is said only where every thread was walked to its end, nothing was left out of the formula (the walk tells), and it has no solution: every run of the
//! sequential program is an order of blocks in which each finds what the last write before it left, so it would be one. Twins: `all-runs`, `turns`; random programs compare them.
//!
//! Worked example: `f` is `x++` (two blocks: load, store), created twice; main asserts `x == 2` after both joins. The second load finds the initial 0 of `x` if it comes
//! before the first store; the solution has loads before stores, and is a run with two switches. How many switches a run needs does not matter: twenty rounds of `i += j` and `j += i` are
//! eighty blocks, whatever their order.

mod order;
mod shares;
mod walk;

use crate::blocks::no_pointer_outlives;
use crate::checker::Checker;
use crate::code::{Code, CodeEngine, CodeRequest, gave_up, not_for_this};
use crate::explorer::GoalKind;
use crate::replay::PlannedInputs;
use crate::turns::{block_of, repeated};
use base::{Budget, Event, Exhausted};
use logic::evaluate::Evaluator;
use logic::model::Value;
use logic::{Answer as Satisfiable, Model, TermId};
use order::Order;
use program::{Interleaving, PointsTo};
use question::{Answer, Check};
use std::sync::Arc;
use symbolic::{FailureKind, Meaning};
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};
use walk::{BlockId, Walk};

const NAME: &str = "events";

/// One formula over the order of all threads' steps.
pub const EVENTS: CodeEngine =
    CodeEngine::new(NAME, "Bounded search over the order of threads' steps, as one formula", search);

/// Blocks per thread in the first formula.
const FIRST_DEPTH: u32 = 8;

/// Solutions that the interpreter refuses, before the search is given up.
const MOST_REFUSALS: u32 = 8;

fn search(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, budget, .. } = *asked;
    match searched(asked) {
        Ok(answer) => answer,
        Err(exhausted) => {
            let mut answer = Answer::by(NAME, gave_up("orders of threads' steps", exhausted.into(), budget));
            answer.statistics.count(
                "threads",
                code.program.interleaving.as_ref().map_or(0, |all| all.threads.len() as u64),
            );
            answer
        }
    }
}

fn searched(asked: &CodeRequest<'_, '_>) -> Result<Answer, Exhausted> {
    let CodeRequest { code, budget, events, .. } = *asked;
    let cannot = |why: &str| Ok(Answer::by(NAME, not_for_this(NAME, why)));
    let Some(all) = code.program.interleaving.as_deref().filter(|all| !all.is_abstract) else {
        return cannot("there are no threads");
    };
    let points_to = PointsTo::of(code.program);
    let meaning = Meaning::new(code.program, &points_to);
    let Some(mut walk) = Walk::begin(&meaning, code.property, code.settings.missing, all, budget)? else {
        return cannot("the program has no events");
    };
    let mut refused = Vec::new();
    let (mut depth, mut made) = (FIRST_DEPTH, 0);
    loop {
        let mut is_full = false;
        while made < depth && !walk.is_done() && !is_full {
            is_full = !walk.go_on(budget)?;
            made += 1;
        }
        events.emit(Event::Count { what: "blocks of threads", value: walk.blocks.len() as u64 });
        match ask(&mut walk, (code, all), &mut refused, budget)? {
            Asked::Fails(answer) => return Ok(*answer),
            Asked::Never if walk.is_done() && refused.is_empty() => {
                if let Some(answer) = proved(&mut walk, code, budget)? {
                    return Ok(answer);
                }
            }
            Asked::Never | Asked::Open => {}
        }
        if walk.is_done() || is_full || refused.len() as u32 >= MOST_REFUSALS {
            let why = match refused.first() {
                Some(why) => format!("an order of steps fails in the formula, and not when it is run: {why}"),
                None if is_full => "no order of so many steps of threads fails".to_owned(),
                None => "no order of the steps of threads fails, as far as orders were compared".to_owned(),
            };
            return Ok(Answer::by(NAME, Undecided::because(Reason::NotConfirmed { why })));
        }
        depth = depth.saturating_mul(2);
    }
}

/// What was found out about all goals.
enum Asked {
    /// A run fails.
    Fails(Box<Answer>),
    /// None of what was walked fails.
    Never,
    /// That is not known.
    Open,
}

/// Asks whether something fails: first what the property forbids by name, then what else can go wrong.
fn ask(
    walk: &mut Walk<'_, '_>,
    about: (&Code<'_>, &Interleaving),
    refused: &mut Vec<String>,
    budget: &Budget,
) -> Result<Asked, Exhausted> {
    for is_asked in [is_error, is_failure] {
        match ask_about(walk, about, is_asked, refused, budget)? {
            Asked::Never => {}
            other => return Ok(other),
        }
    }
    Ok(Asked::Never)
}

fn ask_about(
    walk: &mut Walk<'_, '_>,
    (code, all): (&Code<'_>, &Interleaving),
    is_asked: fn(&GoalKind) -> bool,
    refused: &mut Vec<String>,
    budget: &Budget,
) -> Result<Asked, Exhausted> {
    let mut open: Vec<usize> = (0..walk.goals.len()).filter(|&at| is_asked(&walk.goals[at].1.kind)).collect();
    if open.is_empty() {
        return Ok(Asked::Never);
    }
    let mut order = Order::of(walk, budget)?;
    let mut checker = Checker::default();
    let mut told = 0;
    while !open.is_empty() {
        for &fact in &order.facts[told..] {
            checker.learn(&mut walk.explorer.encoder, fact);
        }
        told = order.facts.len();
        let conditions: Vec<TermId> = open.iter().map(|&at| walk.goals[at].1.condition).collect();
        let any = walk.explorer.encoder.terms.any(&conditions);
        match checker.ask(&mut walk.explorer.encoder, &[any], budget) {
            Satisfiable::Unsat => return Ok(Asked::Never),
            Satisfiable::Unknown(_) => {
                budget.check()?;
                return Ok(Asked::Open);
            }
            Satisfiable::Sat => {}
        }
        let Some(model) = checker.model(&mut walk.explorer.encoder) else { return Ok(Asked::Open) };
        let Some(run) = run_of(walk, &order, &model, &open) else { return Ok(Asked::Open) };
        if !order.is_closed && excludes_cycles(walk, &mut order, &model, &run) {
            continue;
        }
        let inputs = inputs_of(walk, &model, &run, all);
        match repeated(NAME, code, inputs, budget) {
            Ok(answer) => return Ok(Asked::Fails(Box::new(answer))),
            Err(why) => {
                budget.check()?;
                refused.push(why);
                if refused.len() as u32 >= MOST_REFUSALS {
                    return Ok(Asked::Open);
                }
                open.retain(|&at| at != run.goal);
            }
        }
    }
    Ok(Asked::Open)
}

/// Nothing fails of what the search looks for; and nothing at all, if all of every thread was walked and nothing unknown can be reached either.
fn proved(walk: &mut Walk<'_, '_>, code: &Code<'_>, budget: &Budget) -> Result<Option<Answer>, Exhausted> {
    if walk.is_cut_off
        || walk.is_approximate
        || watches_memory(code)
        || no_pointer_outlives(&walk.explorer.encoder).is_err()
    {
        return Ok(None);
    }
    let unknown = walk.goals.iter().filter(|(_, goal)| !is_error(&goal.kind) && !is_failure(&goal.kind));
    let conditions: Vec<TermId> = unknown.map(|(_, goal)| goal.condition).collect();
    if !conditions.is_empty() {
        let order = Order::of(walk, budget)?;
        let mut checker = Checker::default();
        for &fact in &order.facts {
            checker.learn(&mut walk.explorer.encoder, fact);
        }
        let any = walk.explorer.encoder.terms.any(&conditions);
        if checker.ask(&mut walk.explorer.encoder, &[any], budget) != Satisfiable::Unsat {
            budget.check()?;
            return Ok(None);
        }
    }
    let blocks = walk.blocks.len() as u64;
    let how = format!("of all orders of the {blocks} blocks of steps that threads make none fails");
    Ok(Some(Answer::proved(NAME, &how, ProgramProof::by(ProofArgument::Orders { blocks }))))
}

/// Is it asked what the walk does not look at: which blocks there are, and what was written?
fn watches_memory(code: &Code<'_>) -> bool {
    let checks = code.property.checks;
    checks.follow_blocks() || checks.has(Check::Uninitialised) || code.property.endless_runs
}

fn is_error(kind: &GoalKind) -> bool {
    matches!(kind, GoalKind::Error(_))
}

/// What is unknown is for others.
fn is_failure(kind: &GoalKind) -> bool {
    matches!(kind, GoalKind::Failure(kind, _) if *kind != FailureKind::Unknown)
}

/// A solution as a run.
struct FoundRun {
    /// What fails.
    goal: usize,
    /// The blocks, in order.
    blocks: Vec<BlockId>,
}

/// Reads off a solution what fails, and which blocks come before.
fn run_of(walk: &mut Walk<'_, '_>, order: &Order, model: &Model, open: &[usize]) -> Option<FoundRun> {
    let all: Vec<BlockId> = walk.blocks.ids().collect();
    let mut evaluator = Evaluator::new(model);
    let mut is_true = |walk: &Walk<'_, '_>, term: TermId| {
        evaluator.evaluate(&walk.explorer.encoder.terms.pool, term) == Ok(Value::Bool(true))
    };
    let goal = open.iter().copied().find(|&at| is_true(walk, walk.goals[at].1.condition))?;
    let mut blocks = Vec::new();
    if let Some(last) = walk.goals[goal].0 {
        for &id in &all {
            let comes_before = order.comes_before(walk, id, last);
            if id != last && is_true(walk, walk.blocks[id].ends) && is_true(walk, comes_before) {
                blocks.push(id);
            }
        }
        // As many come before each as its position says, once the order has no cycles.
        let count =
            |walk: &mut Walk<'_, '_>, is_true: &mut dyn FnMut(&Walk<'_, '_>, TermId) -> bool, id: BlockId| {
                blocks
                    .iter()
                    .filter(|&&other| {
                        let before = order.comes_before(walk, other, id);
                        other != id && is_true(walk, before)
                    })
                    .count()
            };
        let mut placed: Vec<(usize, BlockId)> = Vec::new();
        for &id in &blocks {
            placed.push((count(walk, &mut is_true, id), id));
        }
        placed.sort_unstable();
        blocks = placed.into_iter().map(|(_, id)| id).collect();
        blocks.push(last);
    }
    Some(FoundRun { goal, blocks })
}

/// Adds that the order has none of the cycles that a solution has. Says whether there are some.
fn excludes_cycles(walk: &mut Walk<'_, '_>, order: &mut Order, model: &Model, run: &FoundRun) -> bool {
    let mut place = rustc_hash::FxHashMap::default();
    let mut evaluator = Evaluator::new(model);
    for &one in &run.blocks {
        for &two in &run.blocks {
            let before = order.comes_before(walk, one, two);
            let pool = &walk.explorer.encoder.terms.pool;
            place.insert((one, two), evaluator.evaluate(pool, before) == Ok(Value::Bool(true)));
        }
    }
    let holds = |one: BlockId, two: BlockId| place.get(&(one, two)) == Some(&true);
    order.exclude_found_cycles(walk, &run.blocks, &holds) > 0
}

/// The inputs of the sequential program: whoever makes a block is drawn for it, then come the block's own.
fn inputs_of(
    walk: &Walk<'_, '_>,
    model: &Model,
    run: &FoundRun,
    all: &Interleaving,
) -> Vec<(Arc<str>, u128)> {
    let looks = all.draws_after_looking.is_some();
    let pool = &walk.explorer.encoder.terms.pool;
    let taken = |range: &std::ops::Range<usize>| {
        PlannedInputs::under(model, pool, &walk.explorer.inputs[range.clone()]).into_list()
    };
    let mut inputs = taken(&walk.first_inputs);
    for &id in &run.blocks {
        let block = &walk.blocks[id];
        if block.thread < all.threads.len() {
            inputs.extend(block_of(block.thread, all.threads.len(), looks));
        }
        inputs.extend(taken(&block.inputs));
    }
    inputs
}
