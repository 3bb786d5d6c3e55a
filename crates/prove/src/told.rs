//! Conditions that somebody else tells, about states where the threads of a program are chosen: those that are invariants together are kept, as guesses are
//! (`houdini`). For any number of threads the conditions are also what is supposed of threads that are not followed: each has a switch in the program, a variable that no
//! step changes, and is told together with "the switch is on". Where a condition is dropped, its switch may be off, so that nothing rests on it any more: the greatest set of conditions that
//! are kept if all of them are supposed.
//!
//! After Flanagan, Leino 2001, "Houdini, an annotation assistant for ESC/Java".

use crate::blocks::{Blocks, Division, HeadId};
use crate::facts::Facts;
use crate::houdini::{keep_invariants, posts_of};
use crate::settings::Settings;
use base::{Budget, IndexVec, Span};
use logic::TermId;
use program::{Expr, PointsTo, Program};
use question::Property;
use symbolic::Meaning;
use verdict::Reason;

/// What is told about the states of a head, as terms over them. Heads inside of calls are told nothing.
pub fn told_at(blocks: &mut Blocks<'_, '_>, head: HeadId, told: &[Expr]) -> Vec<TermId> {
    if blocks.heads[head].stack.len() != 1 {
        return Vec::new();
    }
    let any = blocks.heads[head].any.clone();
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

/// Which conditions hold whenever threads are chosen, all together? `whole` are told there, `parts` at other loops.
pub fn kept_conditions(
    program: &Program,
    settings: &Settings,
    whole: &[Expr],
    parts: &[Expr],
    budget: &Budget,
) -> Result<Vec<bool>, Reason> {
    let chooser = program.interleaving.as_ref().and_then(|all| all.chooser).ok_or("there are no threads")?;
    let points_to = PointsTo::of(program);
    let meaning = Meaning::new(program, &points_to);
    let property = Property::default();
    let facts = Facts::none("it was not made");
    let division = Division { facts: &facts, watch_unwritten: false, settles: false };
    let mut blocks = Blocks::of(program, &meaning, &property, settings, division, budget)?;
    let mut told: IndexVec<HeadId, Vec<TermId>> = IndexVec::new();
    let mut chosen_at = None;
    for head in blocks.heads.ids() {
        let is_chooser = matches!(&blocks.heads[head].stack[..], [level] if level.node == chooser);
        if is_chooser {
            chosen_at = Some(head);
        }
        let own = told_at(&mut blocks, head, if is_chooser { whole } else { parts });
        told.push(own);
    }
    let chosen_at = chosen_at.ok_or("threads are never chosen")?;
    let asked = told[chosen_at].clone();
    let posts = posts_of(&mut blocks);
    keep_invariants(&mut blocks, told, posts, budget)?;
    let known = &blocks.heads[chosen_at].known;
    Ok(asked.iter().map(|condition| known.contains(condition)).collect())
}
