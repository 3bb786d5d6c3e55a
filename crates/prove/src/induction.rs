//! Induction on loops (k-induction), strengthened by the loop invariants that other engines found. After
//! Sheeran, Singh, Stålmarck 2000. BOOM eq. 2.6 has the property and its negation exchanged; here the step
//! assumes that the first k places are safe and asks for a failure after them.
//!
//! Places are the heads of [`Blocks`]. From any state at a head, with what is known there, the program is
//! walked past `k - 1` further heads; if nothing can fail after the last of them, and the bounded search
//! found nothing within `k` rounds of every loop, nothing fails at all.
//!
//! Worked example: `unsigned x = 0; while (1) { assert(x != 5); if (x == 2) x = 0; else x++; }`. From any `x`
//! the assertion can fail (k = 1: `x = 5`; k = 2: `x = 4`, then 5; k = 3: `x = 3`, 4, 5). Nothing leads to 3,
//! since 2 is followed by 0: four heads in a row of which only the last fails do not exist, so with k = 4 the
//! step holds; no failure within four rounds is the base case.

use crate::blocks::{Blocks, HeadId};
use crate::checker::Checker;
use crate::code::{CodeEngine, CodeRequest, gave_up, not_for_this};
use crate::explorer::{Goal, GoalKind, Invariant, StopRule};
use crate::needed::needed_invariants;
use base::{Budget, Event};
use logic::{Answer, TermId};
use question::{Knowledge, part_of};
use std::time::{Duration, Instant};
use verdict::Reason;

const NAME: &str = "k-induction";

/// Steps so deep are tried before the engines that take longer.
const FIRST_DEPTH: u32 = 3;
/// Steps of induction deeper than this cost more than they find.
const MOST_DEPTH: u32 = 6;

/// How long a depth of the search is waited for.
const PATIENCE: Duration = Duration::from_millis(400);

/// Induction on loops with steps of two and three rounds, each once the search from the start has come as
/// deep.
pub const SHALLOW_INDUCTION: CodeEngine =
    CodeEngine::new(NAME, "Induction on loops", |asked| by_induction(asked, FIRST_DEPTH));
/// The same with steps of more rounds.
pub const DEEP_INDUCTION: CodeEngine =
    CodeEngine::new(NAME, "Induction on loops", |asked| by_induction(asked, MOST_DEPTH));

/// Up to a depth.
fn by_induction(asked: &CodeRequest<'_, '_>, to: u32) -> question::Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    let mut depth = code.next_depth();
    let answer = code.on_blocks(NAME, knowledge, budget, |blocks| {
        while depth <= to && is_searched(knowledge, depth, budget) {
            events.emit(Event::Count { what: "steps of induction", value: u64::from(depth) });
            let share = part_of(budget, 4, Duration::from_secs(120));
            match attempt(blocks, depth, &share) {
                Attempt::Proved(proof) => return Ok(*proof),
                Attempt::NotInductive => depth += 1,
                Attempt::Refused(why) => {
                    let what = format!("induction of depth {depth}");
                    depth = MOST_DEPTH + 1;
                    return Err(gave_up(&what, why, budget));
                }
            }
        }
        Err(not_for_this(NAME, "no step of the depths that were tried is inductive"))
    });
    code.try_depth_next(depth);
    answer
}

/// Has the search from the start come as deep? It is waited for a little.
fn is_searched(knowledge: &Knowledge, depth: u32, budget: &Budget) -> bool {
    let until = Instant::now() + PATIENCE;
    while knowledge.depth_searched() < depth {
        if budget.check().is_err() || Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// What an attempt showed.
#[derive(Debug)]
pub enum Attempt {
    /// The step holds: with a base of as many rounds, the property does.
    Proved(Box<question::Answer>),
    /// It does not hold for this depth.
    NotInductive,
    /// It could not be told, for this reason.
    Refused(Reason),
}

/// Tries a depth. For more than one, the base must have been searched as deep.
pub fn attempt(blocks: &mut Blocks<'_, '_>, depth: u32, budget: &Budget) -> Attempt {
    let holds =
        if depth <= 1 { is_safe_after_one(blocks, budget) } else { is_safe_after(blocks, depth, budget) };
    match holds {
        Some(true) => Attempt::Proved(Box::new(proof(blocks, depth, budget))),
        Some(false) => Attempt::NotInductive,
        None => Attempt::Refused(Reason::ShareUsedUp { which: "its limit was reached".to_owned() }),
    }
}

/// After one step from any state with the invariant, can nothing fail?
fn is_safe_after_one(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Option<bool> {
    let heads: Vec<Option<HeadId>> = std::iter::once(None).chain(blocks.heads.ids().map(Some)).collect();
    for head in heads {
        let failure = blocks.failure_after(head);
        let assumptions = [blocks.active(head), failure];
        match blocks.ask(head, &assumptions, budget) {
            Answer::Unsat => {}
            Answer::Sat => return Some(false),
            Answer::Unknown(_) => return None,
        }
    }
    Some(true)
}

/// After so many heads, of which only the last may be followed by a failure, can nothing fail?
fn is_safe_after(blocks: &mut Blocks<'_, '_>, depth: u32, budget: &Budget) -> Option<bool> {
    // Rounds of loops say nothing about the depth of calls.
    if blocks.explorer.contracts.is_some() {
        return Some(false);
    }
    for head in &blocks.heads {
        let condition = blocks.explorer.encoder.terms.pool.all_of(&head.known);
        let condition = blocks.explorer.encoder.terms.simple(condition);
        let invariant = Invariant { symbols: head.symbols.clone(), condition };
        blocks.explorer.invariants.insert(head.place.clone(), invariant);
    }
    // The walk goes through several blocks.
    let mut checker = Checker::default();
    for (head, condition) in blocks.all_known() {
        let implied = blocks.under(head, condition);
        checker.learn(&mut blocks.explorer.encoder, implied);
    }
    blocks.explorer.stop = StopRule::Heads(depth);
    for at in blocks.heads.ids() {
        blocks.set_out_from(at);
        while blocks.explorer.advance() {
            if blocks.explorer.encoder.terms.pool.check(budget).is_err() {
                blocks.explorer.abandon();
                return None;
            }
        }
        blocks.explorer.postponed.clear();
        let goals = std::mem::take(&mut blocks.explorer.goals);
        let (last, before): (Vec<Goal>, Vec<Goal>) =
            goals.into_iter().partition(|goal| goal.depth >= depth || is_unknown(goal));
        if last.is_empty() {
            continue;
        }
        let mut assumptions = vec![blocks.heads[at].active];
        for goal in before {
            assumptions.push(blocks.explorer.encoder.terms.not(goal.condition));
        }
        let conditions: Vec<TermId> = last.iter().map(|goal| goal.condition).collect();
        assumptions.push(blocks.explorer.encoder.terms.any(&conditions));
        match checker.ask(&mut blocks.explorer.encoder, &assumptions, budget) {
            Answer::Unsat => {}
            Answer::Sat => return Some(false),
            Answer::Unknown(_) => return None,
        }
    }
    Some(true)
}

fn proof(blocks: &mut Blocks<'_, '_>, depth: u32, budget: &Budget) -> question::Answer {
    let how = match (depth, &blocks.explorer.contracts) {
        (0 | 1, None) => "every loop keeps an invariant under which nothing fails".to_owned(),
        (0 | 1, Some(_)) => {
            "every loop keeps an invariant, and every procedure that calls itself a contract, under which nothing fails"
                .to_owned()
        }
        _ => format!("no loop fails after {depth} rounds that did not, from any state its invariant allows"),
    };
    let known = match depth {
        0 | 1 => needed_invariants(blocks, budget),
        _ => blocks.all_known(),
    };
    question::Answer::proved(NAME, how, blocks.certificate(depth, &known))
}

/// Is it something without a meaning here, or a failure that is seen wherever it is possible? The base may know more, so that
/// it must not be supposed away.
fn is_unknown(goal: &Goal) -> bool {
    match goal.kind {
        GoalKind::Failure(kind, _) => kind.is_of_the_encoding(),
        GoalKind::MissingBody(_) => true,
        _ => false,
    }
}
