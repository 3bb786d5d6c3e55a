//! Trace containment and failures refinement: is everything the implementation does, and everything it
//! refuses, allowed by the specification? Subset construction of the specification on the fly, with
//! antichains (De Wulf, Doyen, Henzinger, Raskin 2006): of two sets met with the same implementation state,
//! the larger allows more, so only the smallest are kept. Stable failures after Roscoe 1997: only states
//! without silent steps refuse. Termination (END) is told apart from refusal: it is an action of its own that
//! only END states offer. Divergence is not compared.
//! Naive twin: `trace_contained_by_determinising` in the tests.
//!
//! Worked example: `I = (coin -> (tea -> I | coffee -> I))` against `S = (coin -> tea -> S | coin -> coffee
//! -> S)`. After `coin` the implementation's state stands beside the set of both states of `S`, which
//! together allow `tea` and `coffee`: traces are contained. The other way round traces are contained too, but
//! failures are not: after `coin` one state of `S` refuses `coffee`, and `I` never does.

use crate::stopped::Stopped;
use crate::view::{Viewed, state_name};
use crate::weak_moves::{UnknownActions, answers};
use base::IndexVec;
use lks::{ActionId, Lks, StateId, StateMark};
use question::{Answer, Counterexample, Monitor, Verdict};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use verdict::{Certificate, Deadlock, Refusal};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refines {
    /// The visible actions of runs.
    Traces,
    /// The same, and what can be refused after each trace.
    Failures,
}

/// How the question is put.
#[derive(Clone, Copy, Debug)]
pub struct RefinementSettings {
    /// What is compared.
    pub refines: Refines,
    /// What becomes of actions the specification does not know.
    pub unknown_actions: UnknownActions,
}

/// Does the implementation refine the specification?
pub fn refines(
    implementation: &Lks,
    specification: &Lks,
    settings: &RefinementSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("explicit", || Search::run(implementation, specification, settings, monitor))
}

/// A pair met: an implementation state with all states the specification may be in.
struct Pair {
    implementation: StateId,
    /// Where the specification may be; sorted.
    specification: Vec<StateId>,
    /// How it was reached.
    from: Option<(usize, ActionId)>,
    /// A smaller set was met with the same implementation state.
    superseded: bool,
}

struct Search<'a> {
    implementation: &'a Lks,
    specification: &'a Lks,
    answers: IndexVec<ActionId, Option<ActionId>>,
    pairs: Vec<Pair>,
    /// For each implementation state the pairs that are not superseded.
    smallest: FxHashMap<StateId, Vec<usize>>,
    queue: VecDeque<usize>,
}

impl<'a> Search<'a> {
    fn run(
        implementation: &'a Lks,
        specification: &'a Lks,
        settings: &RefinementSettings,
        monitor: Monitor<'_>,
    ) -> Result<Answer, Stopped> {
        let mut search = Search {
            implementation,
            specification,
            answers: answers(implementation.alphabet(), specification.alphabet(), settings.unknown_actions),
            pairs: Vec::new(),
            smallest: FxHashMap::default(),
            queue: VecDeque::new(),
        };
        let start = specification.silent_closure(specification.initial().to_vec());
        for &initial in implementation.initial() {
            search.meet(initial, start.clone(), None);
        }
        let violation = search.first_violation(settings, monitor)?;
        let pairs = search.pairs.len();
        let verdict = violation.unwrap_or(Verdict::Holds(Certificate::Exhaustive { states: pairs as u64 }));
        Ok(Answer::by("explicit", verdict)
            .count("states", implementation.state_count())
            .count("transitions", implementation.transition_count())
            .count("pairs", search.pairs.len()))
    }

    fn first_violation(
        &mut self,
        settings: &RefinementSettings,
        monitor: Monitor<'_>,
    ) -> Result<Option<Verdict>, Stopped> {
        let mut done = 0usize;
        while let Some(index) = self.queue.pop_front() {
            monitor.check_each(256, done, "pairs", self.pairs.len())?;
            done += 1;
            if self.pairs[index].superseded {
                continue;
            }
            if settings.refines == Refines::Failures && !self.refusal_is_allowed(index) {
                return Ok(Some(self.refusal_counterexample(index)));
            }
            let state = self.pairs[index].implementation;
            for (action, target) in self.implementation.transitions(state) {
                let answer = self.answers[action];
                let next = match answer {
                    Some(ActionId::TAU) => self.pairs[index].specification.clone(),
                    Some(answer) => self.specification_after(index, answer),
                    None => Vec::new(),
                };
                if next.is_empty() {
                    let mut steps = self.run_to(index);
                    steps.1.push((action, target));
                    let name = self.implementation.alphabet().name(action);
                    let why = format!("the specification does not allow `{name}` here");
                    let path = self.implementation.view_path(&steps.0, &steps.1, why);
                    return Ok(Some(Counterexample::Path(path).into()));
                }
                self.meet(target, next, Some((index, action)));
            }
        }
        Ok(None)
    }

    fn specification_after(&self, index: usize, action: ActionId) -> Vec<StateId> {
        let members = &self.pairs[index].specification;
        let targets = members
            .iter()
            .flat_map(|state| self.specification.successors_by(*state, action))
            .copied()
            .collect();
        let mut reached = self.specification.silent_closure(targets);
        // What leads into ERROR is what the specification forbids.
        reached.retain(|state| self.specification.mark(*state) != StateMark::Error);
        reached
    }

    /// Takes a pair unless a smaller one is known, and supersedes larger ones.
    fn meet(
        &mut self,
        implementation: StateId,
        specification: Vec<StateId>,
        from: Option<(usize, ActionId)>,
    ) {
        let known = self.smallest.entry(implementation).or_default();
        if known.iter().any(|pair| is_subset(&self.pairs[*pair].specification, &specification)) {
            return;
        }
        known.retain(|pair| {
            let keeps = !is_subset(&specification, &self.pairs[*pair].specification);
            self.pairs[*pair].superseded |= !keeps;
            keeps
        });
        let index = self.pairs.len();
        known.push(index);
        self.pairs.push(Pair { implementation, specification, from, superseded: false });
        self.queue.push_back(index);
    }

    /// The run of the implementation that led to a pair.
    fn run_to(&self, index: usize) -> (StateId, Vec<(ActionId, StateId)>) {
        let mut steps = Vec::new();
        let mut at = index;
        while let Some((before, action)) = self.pairs[at].from {
            steps.push((action, self.pairs[at].implementation));
            at = before;
        }
        steps.reverse();
        (self.pairs[at].implementation, steps)
    }

    /// The answers a stable state offers, sorted; `None` if it is not stable.
    fn offers(
        &self,
        lks: &Lks,
        state: StateId,
        translate: impl Fn(ActionId) -> Option<ActionId>,
    ) -> Option<Vec<ActionId>> {
        let mut offers: Vec<ActionId> = Vec::new();
        for action in lks.actions(state) {
            match translate(*action) {
                Some(ActionId::TAU) => return None,
                Some(known) => offers.push(known),
                None => {}
            }
        }
        offers.dedup();
        offers.sort_unstable();
        offers.dedup();
        Some(offers)
    }

    /// Some state of the set is stable and offers no more than the implementation does.
    fn refusal_is_allowed(&self, index: usize) -> bool {
        let pair = &self.pairs[index];
        let own = |action: ActionId| self.answers[action];
        let Some(offered) = self.offers(self.implementation, pair.implementation, own) else { return true };
        let ended = self.implementation.mark(pair.implementation) == StateMark::End;
        pair.specification.iter().any(|state| {
            let may_end = self.specification.mark(*state) == StateMark::End;
            self.offers(self.specification, *state, Some)
                .is_some_and(|least| is_subset(&least, &offered) && (ended || !may_end))
        })
    }

    fn refusal_counterexample(&self, index: usize) -> Verdict {
        let (start, steps) = self.run_to(index);
        let lks = self.implementation;
        let state = self.pairs[index].implementation;
        let why = "the specification does not allow all of this to be refused here";
        let names = |keep: &dyn Fn(ActionId) -> bool| {
            let mut names: Vec<String> = lks
                .alphabet()
                .visible()
                .filter(|a| keep(*a))
                .map(|a| lks.alphabet().name(a).to_owned())
                .collect();
            names.sort_unstable();
            names
        };
        let refusal = Refusal {
            component: lks.name().to_owned(),
            state: state_name(lks, state),
            refuses: names(&|action| !lks.offers(state, action)),
            waits_for: names(&|action| lks.offers(state, action)),
            terminated: lks.mark(state) == StateMark::End,
        };
        let path = lks.view_path(&start, &steps, why);
        Counterexample::Deadlock(Deadlock { path, refusals: vec![refusal] }).into()
    }
}

/// Both sorted.
fn is_subset<T: Ord>(small: &[T], large: &[T]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|item| rest.by_ref().find(|other| *other >= item) == Some(item))
}
