//! Guesses at invariants of loops, kept where they are invariants (Houdini), and plain induction with those:
//! from states where all of them hold, does nothing fail up to the next loop? What is cheap to ask and most
//! often needed is guessed first.

use crate::blocks::{Blocks, HeadId};
use crate::candidates::{Subject, all_subjects, candidates, constants, plain_conditions};
use crate::code::{CodeEngine, CodeRequest, not_for_this, told};
use crate::finite::finite_values;
use crate::houdini::{keep_invariants, posts_of};
use crate::in_memory::subjects_in_memory;
use crate::induction::{Attempt, attempt};
use crate::offered::offered_at;
use crate::relations::{Conditions, range, relations};
use crate::samples::samples;
use base::{Budget, Event, IndexVec};
use logic::TermId;
use question::{Answer, part_of};
use std::rc::Rc;
use std::time::Duration;

/// A variable that gets more constants than this is not guessed about by state.
const MOST_STATES: usize = 8;

/// So many variables come before the numbers that lie in memory.
const FIRST_SUBJECTS: usize = 5;

const NAME: &str = "guesses";
const DESCRIPTION: &str = "Guessed invariants, with plain induction";

/// Guessed invariants, kept where the engines that follow find them.
pub const KEPT_GUESSES: CodeEngine =
    CodeEngine::new(NAME, DESCRIPTION, |asked| by_guesses(asked, Then::Nothing));
/// Guessed invariants; after each group, induction is tried with what was kept so far.
pub const GUESSES: CodeEngine =
    CodeEngine::new(NAME, DESCRIPTION, |asked| by_guesses(asked, Then::Induction));

/// What is done with the guesses that stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    Induction,
}

fn by_guesses(asked: &CodeRequest<'_, '_>, then: Then) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, budget, |blocks| {
        let mut refused = not_for_this(NAME, "what was guessed is not enough");
        let mut posts = posts_of(blocks);
        let spoken = what_is_told(blocks);
        let has_told = spoken.iter().any(|conditions| !conditions.is_empty());
        if has_told {
            let share = part_of(budget, 2, Duration::from_secs(120));
            let count: usize = spoken.iter().map(Vec::len).sum();
            events.emit(Event::Count { what: "conditions", value: count as u64 });
            if keep_invariants(blocks, spoken, std::mem::take(&mut posts), &share).is_ok()
                && then == Then::Induction
                && let Attempt::Proved(proof) = attempt(blocks, 1, &share)
            {
                return Ok(*proof);
            }
        }
        let guesses = guesses(blocks, budget);
        for (at, group) in guesses.into_iter().enumerate() {
            if group.iter().all(Vec::is_empty) && at > 0 {
                continue;
            }
            let count: usize = group.iter().map(Vec::len).sum();
            events.emit(Event::Count { what: "guesses", value: count as u64 });
            let share = part_of(budget, 5, Duration::from_secs(60));
            if let Err(why) = keep_invariants(blocks, group, std::mem::take(&mut posts), &share) {
                let sentence = format!("no invariants were guessed: {why}");
                let told = told(sentence, why, budget);
                refused.reason = told.reason;
                refused.tried.extend(told.tried);
            }
            if then == Then::Induction
                && let Attempt::Proved(proof) = attempt(blocks, 1, &share)
            {
                return Ok(*proof);
            }
        }
        Err(refused)
    })
}

/// What the program itself tells of the states where threads are chosen.
fn what_is_told(blocks: &mut Blocks<'_, '_>) -> IndexVec<HeadId, Vec<TermId>> {
    let told = blocks.program.interleaving.as_ref().map(|all| all.told.clone()).unwrap_or_default();
    let heads: Vec<HeadId> = blocks.heads.ids().collect();
    heads.into_iter().map(|head| offered_at(blocks, head, &told)).collect()
}

/// Guesses at invariants, by group: what is cheap to ask and most often needed first.
fn guesses(blocks: &mut Blocks<'_, '_>, budget: &Budget) -> [IndexVec<HeadId, Vec<TermId>>; 6] {
    let finite = finite_values(blocks.program, MOST_STATES);
    let mut active: Vec<program::ProcedureId> = Vec::new();
    for head in &blocks.heads {
        active.extend(
            head.procedures
                .iter()
                .filter(|procedure| !active.contains(procedure))
                .copied()
                .collect::<Vec<_>>(),
        );
    }
    let numbers = constants(blocks.program, &active);
    let samples = Rc::new(samples(blocks, &numbers, 1, &part_of(budget, 12, Duration::from_secs(5))));
    blocks.samples = Some(samples.clone());
    let mut groups: [IndexVec<HeadId, Vec<TermId>>; 6] = Default::default();
    let has_contracts = blocks.explorer.contracts.is_some();
    let mut pinned = crate::pinned::pinned(blocks);
    for id in blocks.heads.ids() {
        let in_memory = subjects_in_memory(blocks, id);
        let head = &blocks.heads[id];
        let encoder = &mut blocks.explorer.encoder;
        let seen = |subject: &Subject| range(&samples.at[id], subject);
        let guesses = candidates(encoder, &head.procedures, &head.any, &head.first, &finite, &seen);
        let mut own = all_subjects(encoder, &head.procedures, &head.any);
        own.splice(own.len().min(FIRST_SUBJECTS)..own.len().min(FIRST_SUBJECTS), in_memory);
        let single = head
            .procedures
            .last()
            .map_or_else(Vec::new, |&innermost| plain_conditions(encoder, innermost, &head.any));
        let mut states = Vec::new();
        for subject in &own {
            for &value in finite.get(&subject.variable).into_iter().flatten() {
                let value = encoder.terms.number(subject.width, value);
                states.push(encoder.terms.equal(subject.term, value));
            }
        }
        let is_state = |subject: &Subject| finite.contains_key(&subject.variable);
        let conditions = Conditions { single: &single, states: &states };
        let found = relations(encoder, &own, &is_state, conditions, &samples.at[id]);
        let first = [std::mem::take(&mut pinned[id]), found.linear, head.guesses.clone()].concat();
        // Contracts are kept with the first group, and rest on what holds where a procedure is entered.
        let (first, simple) = if has_contracts {
            ([first, guesses.simple].concat(), Vec::new())
        } else {
            (first, guesses.simple)
        };
        let orders = [guesses.paired, found.orders].concat();
        for (at, group) in
            [first, simple, orders, found.in_states, found.conditional, found.higher].into_iter().enumerate()
        {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut kept = samples.not_refuted(blocks, id, group);
            kept.retain(|&guess| blocks.explorer.encoder.terms.truth(guess).is_none() && seen.insert(guess));
            groups[at].push(kept);
        }
    }
    groups
}
