//! Does every run end? Ranking functions between the heads of loops: from one head to the next, a number never rises, and
//! there are finitely many of them; so on a run that never ends it stays as it is at last. What can still happen while it
//! stays is asked again, until nothing can.
//!
//! After Gonnord, Monniaux, Radanne 2015 ("Synthesis of ranking functions using extremal counterexamples": guess from
//! samples, ask a solver, add its counterexample), on the transition system of large blocks; the rule is that of ranking
//! abstraction (Balaban, Pnueli, Zuck 2005), lexicographic and multiphase arguments are cases of it.
//! DIVERGENCE: numbers have a fixed width, so that nothing needs a bound; candidates are enumerated from small to large
//! instead of solving a linear program, and are compared exactly on samples.
//!
//! Recursion is in the same graph: a procedure that is taken by contract is entered at a place of its own, and a run that
//! never ends comes to heads and entries for ever.
//!
//! Twin: the test `every_run_of_small_programs` explores all states of programs with small variables.
//!
//! Worked example: `while (x >= 0) { x += y; y--; }`. `max(y, 0)` never rises on the way round. While it stays, `y` is not
//! above 0, and `max(x, 0)` never rises; while both stay, `y` is 0 or less and falls.
//!
//! Reading order: `ways` (the graph, and what may still happen in it) → `features` (of what measures are made) → `search`
//! (finding a measure) → `written` (the certificate).

mod features;
mod search;
mod ways;
mod written;

use crate::blocks::Blocks;
use crate::code::{CodeEngine, CodeRequest, gave_up, told};
use base::{Budget, Event};
use logic::Answer;
use program::{Action, Callee, Known, Program};
use question::Answer as Verdict;
use question::Cycles;
use search::{Found, find};
use verdict::{Reason, Undecided};
use ways::{Place, Ways, heads_of};
use written::Measured;

const NAME: &str = "ranking";

/// Every run ends: ranking functions for loops and recursion.
pub const RANKING: CodeEngine =
    CodeEngine::new(NAME, "Ranking functions of loops and recursion: every run ends", by_ranking);

/// Measures one after the other at most: each leaves less that can still happen.
const MOST_MEASURES: usize = 24;

fn by_ranking(asked: &CodeRequest<'_, '_>) -> Verdict {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    if let Some(undecided) = beyond(code.program) {
        return Verdict::by(NAME, undecided);
    }
    code.on_blocks(NAME, knowledge, budget, |blocks| {
        if let Some(why) = meets_the_unknown(blocks, budget) {
            // What must not be reached is excluded first: the rest has the invariants that this takes.
            let is_excluded = !matches!(code.property.cycles, Cycles::Forbidden)
                && crate::pdr::exclude_failures(blocks, budget, events).is_ok();
            if !is_excluded {
                return Err(gave_up("ranking", why, budget));
            }
        }
        events.emit(Event::Count { what: "ways between loops", value: blocks.arrivals.len() as u64 });
        let mut measured: Vec<Measured> = Vec::new();
        let mut ways = Ways::of(blocks, &code.property.cycles, budget)?;
        while let Some(part) = ways.next_marked_part() {
            if measured.len() >= MOST_MEASURES {
                return Err(still_open(blocks, &ways, &part, &measured, "too many measures"));
            }
            match find(blocks, &ways, &part, budget) {
                Ok(Found { measure, queries }) => {
                    events.emit(Event::Count { what: "questions about measures", value: queries });
                    ways.hold(blocks, &part, &measure, budget)?;
                    measured.push(Measured::of(blocks, &part, measure));
                }
                Err(_) if ways.exclude_one(blocks, &part, budget, events) => {}
                Err(why) => return Err(still_open(blocks, &ways, &part, &measured, &why.to_string())),
            }
        }
        let how = match measured.len() {
            0 if ways.has_states => "no way round is one that the formula forbids for ever".to_owned(),
            _ if ways.has_states => {
                "on every way round that the formula forbids for ever, a measure falls that no way raises"
                    .to_owned()
            }
            0 => "no loop or recursion goes round".to_owned(),
            _ => "on every way round, a measure falls that no way raises".to_owned(),
        };
        Ok(Verdict::proved(NAME, how, written::certificate(blocks, &measured)))
    })
}

/// What the walk does not see of the end of a run.
fn beyond(program: &Program) -> Option<Undecided> {
    let handlers = program.edges().find(|edge| match &edge.action {
        Action::Call { callee: Callee::Direct(callee), .. } => {
            program.procedures[*callee].known == Some(Known::AtExit)
        }
        _ => false,
    })?;
    let construct = "a function that runs when the program ends".to_owned();
    Some(Undecided::because(Reason::NotSupported { construct, at: handlers.span }))
}

/// Can a run come to something that has no meaning here?
fn meets_the_unknown(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> Option<Reason> {
    let places: Vec<_> = std::iter::once(None).chain(blocks.heads.ids().map(Some)).collect();
    for place in places {
        let failure = blocks.failure_after(place);
        let assumptions = [blocks.active(place), failure];
        if blocks.ask(place, &assumptions, budget) != Answer::Unsat {
            let goals = blocks.goals.iter().filter(|(from, _)| *from == place).map(|(_, goal)| goal.clone());
            for goal in goals.collect::<Vec<_>>() {
                if blocks.ask(place, &[blocks.active(place), goal.condition], budget) != Answer::Unsat {
                    let at = blocks.program.sources.location(goal.span);
                    let at = at.map_or_else(String::new, |at| format!(" at {at}"));
                    let what = format!("{} is not excluded{at}", words(blocks.program, &goal.kind));
                    return Some(Reason::NoInvariant { why: what });
                }
            }
        }
    }
    None
}

fn words(program: &Program, kind: &crate::explorer::GoalKind) -> String {
    use crate::explorer::GoalKind;
    match kind {
        GoalKind::Error(what) => what.to_string(),
        GoalKind::Failure(kind, detail) => detail.as_deref().unwrap_or(kind.words()).to_owned(),
        GoalKind::MissingBody(id) => format!("`{}`, which has no body,", program.procedures[*id].name),
    }
}

/// No measure was found for what goes round between some places.
fn still_open(
    blocks: &mut Blocks<'_, '_>,
    ways: &Ways,
    part: &[Place],
    measured: &[Measured],
    why: &str,
) -> Undecided {
    let program = blocks.program;
    let at = |span| program.sources.location(span).map_or_else(|| "a loop".to_owned(), |at| at.to_string());
    let mut places: Vec<String> =
        heads_of(part).into_iter().map(|head| at(blocks.heads[head].span)).collect();
    places.dedup();
    let places = places.join(", with ");
    let sentence = match ways.has_states {
        false => format!("cannot show that this is left: the loop at {places}"),
        true => format!(
            "cannot show that this does not go on for ever as the formula forbids: the loop at {places}"
        ),
    };
    let mut undecided = told(sentence.clone(), Reason::NoMeasure { why: sentence }, &Budget::unlimited());
    undecided.tried.push(format!("ranking functions: {why}"));
    for one in measured {
        undecided.tried.push(format!("while nothing else changes, {} stays as it is", one.shown()));
    }
    if let Some(example) = ways.example(blocks, part) {
        undecided.tried.push(example);
    }
    undecided
        .try_next("give the loop a bound, or an assumption or assertion about what its condition compares")
}
