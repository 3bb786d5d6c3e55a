//! Conditions that somebody else tells, about states where the threads of a program are chosen: those that are invariants together are kept, as guesses are
//! (`houdini`). For any number of threads the conditions are also what is supposed of threads that are not followed: each has a switch in the program, a variable that no
//! step changes, and is told together with "the switch is on". Where a condition is dropped, its switch may be off, so that nothing rests on it any more: the greatest set of conditions that
//! are kept if all of them are supposed.
//!
//! Most guesses are refuted by runs of the threads that are followed, before a solver is asked.
//!
//! After Flanagan, Leino 2001, "Houdini, an annotation assistant for ESC/Java", and for the runs Ernst et al. 2001 (Daikon).

use crate::blocks::{Blocks, Division, HeadId};
use crate::facts::{Facts, NoFacts};
use crate::houdini::{keep_invariants, posts_of};
use crate::samples::samples;
use crate::settings::Settings;
use base::{Budget, IndexVec, Span};
use logic::TermId;
use program::{Expr, PointsTo, Program};
use question::Property;
use rustc_hash::FxHashSet;
use symbolic::Meaning;
use verdict::{Reason, Shape};

/// What is told about the states of a head, as terms over them. It is about the variables of `main`, also at heads inside of calls.
pub fn offered_at(blocks: &mut Blocks<'_, '_>, head: HeadId, told: &[Expr]) -> Vec<TermId> {
    let mut any = blocks.heads[head].any.clone();
    any.frames.truncate(1);
    let encoder = &mut blocks.explorer.encoder;
    let mut found = Vec::new();
    for condition in told {
        let mut state = any.clone();
        encoder.begin(Span::NOWHERE);
        let holds = encoder.condition(&mut state, condition);
        let effect = encoder.take_effect();
        // What could fail is no condition.
        let is_plain = effect.failures.is_empty() && effect.inputs.is_empty();
        found.push(if is_plain { holds } else { encoder.terms.no() });
    }
    found
}

/// Draws of a scheduler's choices and other inputs, where some lead nowhere.
const DRAWS: u32 = 24;

/// Which conditions does no sample of a run refute where threads are chosen? Nothing rests on it. Nothing is said where there are no samples.
pub fn not_refuted(
    program: &Program,
    settings: &Settings,
    conditions: &[Expr],
    numbers: &[i128],
    budget: &Budget,
) -> Option<Vec<bool>> {
    let chooser = program.interleaving.as_ref().and_then(|all| all.chooser)?;
    let points_to = PointsTo::of(program);
    let meaning = Meaning::new(program, &points_to);
    let property = Property::default();
    let facts = Facts::none(NoFacts::NotMade);
    let division = Division { facts: &facts, watch_unwritten: false, settles: false };
    let mut blocks = Blocks::of(program, &meaning, &property, settings, division, budget).ok()?;
    let is_chooser =
        |head: &HeadId| matches!(&blocks.heads[*head].stack[..], [level] if level.node == chooser);
    let chosen_at = blocks.heads.ids().find(is_chooser)?;
    let told = offered_at(&mut blocks, chosen_at, conditions);
    let samples = samples(&mut blocks, numbers, DRAWS, budget);
    let standing = samples.not_refuted(&blocks, chosen_at, told.clone());
    let standing: FxHashSet<TermId> = standing.into_iter().collect();
    Some(told.iter().map(|condition| standing.contains(condition)).collect())
}

/// Which conditions hold whenever threads are chosen, all together? `whole` are told there, `parts` at other loops.
pub fn kept_conditions(
    program: &Program,
    settings: &Settings,
    whole: &[Expr],
    parts: &[Expr],
    budget: &Budget,
) -> Result<Vec<bool>, Reason> {
    let chooser = program.interleaving.as_ref().and_then(|all| all.chooser).ok_or(Shape::NoThreads)?;
    let points_to = PointsTo::of(program);
    let meaning = Meaning::new(program, &points_to);
    let property = Property::default();
    let facts = Facts::none(NoFacts::NotMade);
    let division = Division { facts: &facts, watch_unwritten: false, settles: false };
    let mut blocks = Blocks::of(program, &meaning, &property, settings, division, budget)?;
    let mut told: IndexVec<HeadId, Vec<TermId>> = IndexVec::new();
    let mut chosen_at = None;
    for head in blocks.heads.ids() {
        let is_chooser = matches!(&blocks.heads[head].stack[..], [level] if level.node == chooser);
        if is_chooser {
            chosen_at = Some(head);
        }
        let own = offered_at(&mut blocks, head, if is_chooser { whole } else { parts });
        told.push(own);
    }
    let chosen_at = chosen_at.ok_or(Shape::NoThreads)?;
    let asked = told[chosen_at].clone();
    let posts = posts_of(&mut blocks);
    keep_invariants(&mut blocks, told, posts, budget)?;
    let known = &blocks.heads[chosen_at].known;
    Ok(asked.iter().map(|condition| known.contains(condition)).collect())
}
