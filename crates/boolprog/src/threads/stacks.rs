//! Who waits below a recursive procedure: the stacks of threads, numbered, exact or summarised.
//!
//! A call of a recursive procedure begins a new row ([`super::flat`]); the caller's row waits on a stack.
//! Stacks of up to so many callers are kept as they are. Higher ones are cut off (the call blocks: fewer
//! runs, all of them real) or summarised: of an activation only how it was *entered* is kept (the procedure,
//! its arguments, if wanted the globals), and it returns to anyone who was ever seen to enter the procedure
//! so (more runs, none lost). Summaries as in the sequential engine (BOOM 4), with the other threads running
//! in between; that an entry is enough to match calls and returns without stacks is "Pushdown Control-Flow
//! Analysis for Free" (Gilray et al. 2016). BOOM names bounded stacks with over-approximated calls as future
//! work.
//!
//! Must over-approximate, unless cut off: who waits below an activation is among the callers of its stack.
//! Callers are found while steps are computed, so steps that were computed before a caller was found are
//! *outdated* and must be computed again ([`Stacks::take_outdated`]). Or the callers are frozen, and a call
//! by anyone else counts as a failure: if there is none, all callers were met ([`super::callers`]). Tested by
//! `answers_never_contradict_the_interpreter` in `tests/suite/recursion.rs`.
//!
//! Worked example: `f(x)` calls itself and returns to two places, `A` after `f(F)` and `B` after `f(T)`. With
//! no callers kept, an activation entered with F may return to whoever was seen to enter with F: `A`,
//! whatever the height of the stack. Were both entered with F, it might return to either, one of which may be
//! no run.

use super::flat::FlatLocationId;
use super::thread_state::{LocalId, SharedId};
use crate::graph::EdgeId;
use crate::values::Values;
use base::{Id, IndexVec, define_id};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

define_id!(
    /// A numbered stack: what lies below a thread's row.
    StackId,
    "stack"
);

impl StackId {
    /// Nobody waits: the end of the row is the end of the thread.
    pub const EMPTY: StackId = StackId(0);
}

/// A caller that waits for a recursive procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
    /// Where it goes on.
    pub back: FlatLocationId,
    /// The call that it waits at.
    pub call: EdgeId,
    /// The values of its variables.
    pub row: Values,
    /// What lies below it.
    pub below: StackId,
}

/// What becomes of calls on a stack that is as high as stacks are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Calls above the height block: fewer runs, all of them real.
    Cut,
    /// They are summarised by procedure and arguments.
    ByArguments,
    /// They are summarised by procedure, arguments and globals.
    ByEntry,
}

/// How stacks are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSettings {
    /// Stacks with at most so many waiting callers are kept as they are.
    pub exact: usize,
    /// What becomes of stacks that are higher.
    pub beyond: Beyond,
}

/// How an activation was entered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entered {
    /// The entry of the procedure.
    pub entry: FlatLocationId,
    /// Its arguments.
    pub arguments: Values,
    /// The shared state.
    pub shared: SharedId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stack {
    Empty,
    Exact(Waiting),
    Summarised { entry: FlatLocationId, arguments: Values, shared: Option<SharedId> },
}

/// What a call does to a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The callee's stack is this.
    On(StackId),
    /// The call is cut off.
    Cut,
    /// No callers are added any more, and this one was not met before.
    Unmet,
}

/// Steps of this thread state.
type CallersWanted = (SharedId, LocalId);

/// All stacks met so far.
pub struct Stacks {
    settings: StackSettings,
    numbered: IndexSet<Stack, FxBuildHasher>,
    /// How many callers wait; `None` for summarised stacks.
    heights: IndexVec<StackId, Option<usize>>,
    callers: IndexVec<StackId, Vec<Waiting>>,
    known: FxHashSet<(StackId, Waiting)>,
    readers: FxHashMap<StackId, FxHashSet<CallersWanted>>,
    outdated: Vec<CallersWanted>,
    cut_at: Option<EdgeId>,
    is_summarised: bool,
    /// Are no callers added any more?
    is_frozen: bool,
}

impl Stacks {
    /// Only the empty stack.
    pub fn new(settings: StackSettings) -> Stacks {
        let mut stacks = Stacks {
            settings,
            numbered: IndexSet::default(),
            heights: IndexVec::new(),
            callers: IndexVec::new(),
            known: FxHashSet::default(),
            readers: FxHashMap::default(),
            outdated: Vec::new(),
            cut_at: None,
            is_summarised: false,
            is_frozen: false,
        };
        let empty = stacks.number(Stack::Empty, Some(0));
        assert_eq!(empty, StackId::EMPTY, "the empty stack is the first");
        stacks
    }

    fn number(&mut self, stack: Stack, height: Option<usize>) -> StackId {
        let (index, is_new) = self.numbered.insert_full(stack);
        if is_new {
            self.heights.push(height);
            self.callers.push(Vec::new());
        }
        StackId::from_index(index)
    }

    /// The stack below an activation that was entered so by this caller.
    pub fn push(&mut self, waiting: Waiting, entered: Entered) -> Pushed {
        let height = self.heights[waiting.below].map(|below| below + 1);
        let is_exact = height.is_some_and(|height| height <= self.settings.exact);
        let stack = if is_exact {
            self.number(Stack::Exact(waiting.clone()), height)
        } else {
            let Entered { entry, arguments, shared } = entered;
            let shared = match self.settings.beyond {
                Beyond::Cut => {
                    self.cut_at.get_or_insert(waiting.call);
                    return Pushed::Cut;
                }
                Beyond::ByArguments => None,
                Beyond::ByEntry => Some(shared),
            };
            self.is_summarised = true;
            self.number(Stack::Summarised { entry, arguments, shared }, None)
        };
        let caller = (stack, waiting);
        if self.known.contains(&caller) {
            return Pushed::On(stack);
        }
        if self.is_frozen && !is_exact {
            return Pushed::Unmet;
        }
        self.callers[stack].push(caller.1.clone());
        self.known.insert(caller);
        // Whoever returned from this stack before may return to the new caller as well.
        self.outdated.extend(self.readers.get(&stack).into_iter().flatten());
        Pushed::On(stack)
    }

    /// From now on no callers are added to summarised stacks, or are again.
    pub fn freeze(&mut self, is_frozen: bool) {
        self.is_frozen = is_frozen;
    }

    /// How many callers are known.
    pub fn caller_count(&self) -> usize {
        self.known.len()
    }

    /// Who may wait below, for the steps of a thread state; `None` if nobody does.
    pub fn callers_for(&mut self, stack: StackId, asked: CallersWanted) -> Option<Vec<Waiting>> {
        if stack == StackId::EMPTY {
            return None;
        }
        self.readers.entry(stack).or_default().insert(asked);
        Some(self.callers[stack].clone())
    }

    /// The thread states whose steps must be computed again, since the last time.
    pub fn outdated(&self) -> &[CallersWanted] {
        &self.outdated
    }

    /// The same, and they are not told again.
    pub fn take_outdated(&mut self) -> Vec<CallersWanted> {
        std::mem::take(&mut self.outdated)
    }

    /// A call that was cut off, if any was.
    pub fn cut_at(&self) -> Option<EdgeId> {
        self.cut_at
    }

    /// Was any stack summarised?
    pub fn is_summarised(&self) -> bool {
        self.is_summarised
    }
}
