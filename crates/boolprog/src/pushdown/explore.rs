//! Stack-bounded exploration: every configuration with stacks up to a height, state by state. Finds
//! violations; proves only if no stack was cut.

use super::read::{PushdownSystem, Rule, VisibleState};
use base::Exhausted;
use indexmap::IndexMap;
use question::{Decided, Monitor};
use rustc_hash::FxBuildHasher;

/// A shared state and all stacks, the tops last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The shared state.
    pub shared: u32,
    /// One stack per thread.
    pub stacks: Vec<Vec<u32>>,
}

impl Configuration {
    /// The configuration with at most one symbol on each stack.
    pub fn of(state: &VisibleState) -> Configuration {
        let stacks = state.tops.iter().map(|top| top.iter().copied().collect()).collect();
        Configuration { shared: state.shared, stacks }
    }

    /// What is visible of it.
    pub fn visible(&self) -> VisibleState {
        let tops = self.stacks.iter().map(|stack| stack.last().copied()).collect();
        VisibleState { shared: self.shared, tops }
    }

    /// The configuration after a rule of a thread, if it can be taken.
    pub fn after(&self, thread: usize, rule: &Rule) -> Option<Configuration> {
        let mut next = self.clone();
        let stack = &mut next.stacks[thread];
        if rule.from != self.shared || stack.last().copied() != rule.top {
            return None;
        }
        stack.pop();
        stack.extend(rule.push.iter().rev());
        next.shared = rule.to;
        Some(next)
    }
}

/// A step: which thread, and which of its rules.
pub type StepOfThread = (usize, usize);

/// Were higher stacks cut off? Then that the target was not met says something of lower ones only.
pub type WereCut = bool;

/// Breadth first from the start; stacks above the height are cut off, and without steps to the target it is
/// told whether some were. Also tells how many configurations were seen.
pub fn explore(
    system: &PushdownSystem,
    start: &VisibleState,
    target: &VisibleState,
    height: usize,
    monitor: Monitor<'_>,
) -> Result<(Decided<WereCut, Vec<StepOfThread>>, usize), Exhausted> {
    let mut seen: IndexMap<Configuration, Option<(usize, StepOfThread)>, FxBuildHasher> = IndexMap::default();
    seen.insert(Configuration::of(start), None);
    let (mut at, mut cut) = (0, false);
    while at < seen.len() {
        monitor.check_each(64, at, "states", seen.len())?;
        let here = seen.get_index(at).expect("within the length").0.clone();
        if here.visible() == *target {
            let mut way = Vec::new();
            let mut position = at;
            while let Some((before, taken)) = seen[position] {
                way.push(taken);
                position = before;
            }
            way.reverse();
            return Ok((Decided::Violated(way), seen.len()));
        }
        for (thread, known) in system.threads.iter().enumerate() {
            for (index, rule) in known.rules.iter().enumerate() {
                let Some(next) = here.after(thread, rule) else { continue };
                if next.stacks[thread].len() > height {
                    cut = true;
                } else {
                    seen.entry(next).or_insert(Some((at, (thread, index))));
                }
            }
        }
        at += 1;
    }
    Ok((Decided::Proved(cut), seen.len()))
}
