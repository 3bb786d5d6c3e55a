//! What a HOLDS about a counter system rests on, and a check of it that does not use the engines.
//!
//! Two shapes. *Excluded* markings (backward engines): nothing above any of them is reachable, because the
//! start is not above them, every target is, and a step never leads from outside to above one. *Cover*
//! (Karp-Miller): every reachable state is below one of the markings, because the start is, steps stay below,
//! and no target is. Both may use which places can be marked at all in which control, and weights that no
//! step increases, which is checked too.
//!
//! Plain steps are computed here anew. Broadcasts are taken from [`step`], which the engines use as well.

use super::foreknowledge::Possible;
use super::marking::{Marking, UNBOUNDED};
use super::saturate::Saturation;
use super::step;
use super::system::{Arc, ControlId, Effect, InitialCount, PlaceId, System, Transition};
use base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use verdict::{Fact, InductiveFacts};

/// The shape of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing above these markings is reachable.
    Excluded,
    /// Everything reachable is below one of these markings.
    Cover,
}

/// An inductive invariant.
#[derive(Clone, Debug)]
pub struct Proof {
    /// How the markings are meant.
    pub shape: Shape,
    /// The markings.
    pub markings: Vec<Marking>,
    /// What all reachable states have in common, if the markings lean on it.
    pub possible: Option<Possible>,
}

/// Why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refuted {
    /// It is no proof; this is what is wrong.
    Wrong(String),
    /// The check did not get to its end.
    Stopped(Exhausted),
}

impl Proof {
    /// In words.
    pub fn certificate(&self, system: &System, conditions: u64) -> InductiveFacts {
        let mut facts: Vec<Fact> = self
            .markings
            .iter()
            .map(|marking| Fact {
                place: system.controls[marking.control].clone(),
                states: marking.describe_tokens(system),
            })
            .collect();
        let start = Marking::initial(system);
        for weighing in self.possible.iter().flat_map(|possible| &possible.weighings) {
            let states = weighing.of(&start).map(|most| weighing.describe(system, most));
            facts.extend(states.map(|states| Fact { place: "everywhere".to_owned(), states }));
        }
        facts.sort_by(|a, b| (&a.place, &a.states).cmp(&(&b.place, &b.states)));
        let (shape, meaning) = match self.shape {
            Shape::Excluded => (
                "excluded markings",
                "no state with at least these tokens is reachable: none is a start, every target is one (or has a \
                 place that can never be marked, or breaks an inequality that holds everywhere), and no step leads \
                 from any other state to one",
            ),
            Shape::Cover => (
                "cover",
                "every reachable state has at most these tokens for one of the markings: the start does, steps stay \
                 below, and no target is below",
            ),
        };
        InductiveFacts { shape, meaning, facts, legend: Vec::new(), conditions }
    }
}

fn wrong<T>(why: String) -> Result<T, Refuted> {
    Err(Refuted::Wrong(why))
}

/// Accepts a proof only if it shows that no target can be covered; the number of conditions.
pub fn check(system: &System, proof: &Proof, budget: &Budget) -> Result<u64, Refuted> {
    let mut conditions = 1 + system.targets.len() as u64;
    if let Some(possible) = &proof.possible {
        check_possible(system, &possible.saturation)?;
        for weighing in &possible.weighings {
            weighing.is_kept_by(system, &possible.saturation)?;
        }
        conditions += (system.transitions.len() * (1 + possible.weighings.len())) as u64;
    }
    conditions += match proof.shape {
        Shape::Excluded => check_excluded(system, proof, budget)?,
        Shape::Cover => check_cover(system, proof, budget)?,
    };
    Ok(conditions)
}

/// The start and every step stay inside.
fn check_possible(system: &System, possible: &Saturation) -> Result<(), Refuted> {
    let start = system.initial.control;
    let marked = |place: &PlaceId, count: &InitialCount| {
        *count == InitialCount::Exactly(0) || possible.may_be_marked(start, *place)
    };
    if !possible.is_reached(start) || !system.initial.counts.iter().all(|(place, count)| marked(place, count))
    {
        return wrong("the start is not among the possible markings".to_owned());
    }
    for transition in system.transitions.iter() {
        let (from, to) = (transition.from, transition.to);
        let before = |place: PlaceId| possible.may_be_marked(from, place);
        let (needed, gone, brought) = touched(transition);
        if !possible.is_reached(from) || !needed.iter().all(|place| before(*place)) {
            continue;
        }
        let stay = system.places.ids().filter(|place| before(*place) && !gone.contains(place));
        let brought = brought.into_iter().filter(|(source, _)| source.is_none_or(before));
        if !possible.is_reached(to)
            || !stay.chain(brought.map(|(_, place)| place)).all(|place| possible.may_be_marked(to, place))
        {
            return wrong(format!("`{}` leaves the possible markings", transition.name));
        }
    }
    Ok(())
}

/// Places needed; places that all tokens leave; places that tokens come to, with the place they come from if
/// it matters.
#[allow(clippy::type_complexity)] // three lists that are used once
fn touched(transition: &Transition) -> (Vec<PlaceId>, Vec<PlaceId>, Vec<(Option<PlaceId>, PlaceId)>) {
    match &transition.effect {
        Effect::Plain(arcs) => (
            arcs.iter().filter(|arc| arc.needs > 0).map(|arc| arc.place).collect(),
            Vec::new(),
            arcs.iter().filter(|arc| arc.change > 0).map(|arc| (None, arc.place)).collect(),
        ),
        Effect::Broadcast(broadcast) => {
            let mut brought: Vec<(Option<PlaceId>, PlaceId)> = broadcast
                .add
                .iter()
                .filter(|(_, count)| *count > 0)
                .map(|(place, _)| (None, *place))
                .collect();
            for moved in &broadcast.moves {
                let to = moved.choices.iter().flatten().map(|(place, _)| (Some(moved.from), *place));
                brought.extend(to);
            }
            (
                broadcast.needs.iter().filter(|(_, count)| *count > 0).map(|(place, _)| *place).collect(),
                broadcast.moves.iter().map(|moved| moved.from).collect(),
                brought,
            )
        }
    }
}

/// Markings filed under one of their places, to find those below a given one.
struct Filed<'m> {
    by_first_place: FxHashMap<(ControlId, Option<PlaceId>), Vec<&'m Marking>>,
}

impl<'m> Filed<'m> {
    fn new(markings: &'m [Marking]) -> Filed<'m> {
        let mut by_first_place: FxHashMap<_, Vec<&Marking>> = FxHashMap::default();
        for marking in markings {
            let first = marking.tokens().first().map(|(place, _)| *place);
            by_first_place.entry((marking.control, first)).or_default().push(marking);
        }
        Filed { by_first_place }
    }

    fn has_one_below(&self, control: ControlId, tokens: &[(PlaceId, u32)]) -> bool {
        let places = tokens.iter().map(|(place, _)| Some(*place)).chain([None]);
        places
            .filter_map(|place| self.by_first_place.get(&(control, place)))
            .flatten()
            .any(|known| is_below(known.tokens(), tokens))
    }
}

/// Both sorted by place.
fn is_below(small: &[(PlaceId, u32)], large: &[(PlaceId, u32)]) -> bool {
    let held =
        |place: PlaceId| large.binary_search_by_key(&place, |(place, _)| *place).map_or(0, |at| large[at].1);
    small.iter().all(|(place, count)| held(*place) >= *count)
}

fn check_excluded(system: &System, proof: &Proof, budget: &Budget) -> Result<u64, Refuted> {
    let mut conditions = 0;
    let start = Marking::initial(system);
    let impossible = |control: ControlId, tokens: &[(PlaceId, u32)]| {
        proof.possible.as_ref().is_some_and(|possible| {
            let saturation = &possible.saturation;
            let marking = Marking::new(control, tokens.to_vec());
            !saturation.is_reached(control)
                || tokens.iter().any(|(place, _)| !saturation.may_be_marked(control, *place))
                || possible.weighings.iter().any(|weighing| {
                    let weights = weighing.of(&marking).zip(weighing.of(&start));
                    weights.is_some_and(|(weight, most)| weight > most)
                })
        })
    };
    let filed = Filed::new(&proof.markings);
    if filed.has_one_below(start.control, start.tokens()) {
        return wrong("the start is above an excluded marking".to_owned());
    }
    for target in system.targets.iter() {
        if !impossible(target.control, &target.at_least)
            && !filed.has_one_below(target.control, &target.at_least)
        {
            return wrong("a target is not excluded".to_owned());
        }
    }
    let mut into: FxHashMap<ControlId, Vec<&Transition>> = FxHashMap::default();
    for transition in system.transitions.iter() {
        into.entry(transition.to).or_default().push(transition);
    }
    for after in &proof.markings {
        budget.check().map_err(Refuted::Stopped)?;
        for transition in into.get(&after.control).into_iter().flatten() {
            let before: Vec<Vec<(PlaceId, u32)>> = match &transition.effect {
                Effect::Plain(arcs) => least_before(transition, arcs, after).into_iter().collect(),
                Effect::Broadcast(_) => {
                    let found = step::predecessors(transition, after);
                    found.into_iter().map(|found| found.marking.tokens().to_vec()).collect()
                }
            };
            conditions += before.len() as u64;
            for tokens in before {
                if !impossible(transition.from, &tokens) && !filed.has_one_below(transition.from, &tokens) {
                    let (name, after) = (&transition.name, after.describe(system));
                    return wrong(format!("`{name}` leads from outside to above {after}"));
                }
            }
        }
    }
    Ok(conditions)
}

/// The least tokens from which a plain step leads above `after`. An upper limit of the step is read as
/// "surplus tokens are lost first", so what is wanted beyond the limit plus the step's own gain cannot come
/// about by it.
fn least_before(transition: &Transition, arcs: &[Arc], after: &Marking) -> Option<Vec<(PlaceId, u32)>> {
    let mut wanted: std::collections::BTreeMap<PlaceId, i64> =
        after.tokens().iter().map(|(place, count)| (*place, i64::from(*count))).collect();
    for arc in arcs {
        let held = wanted.entry(arc.place).or_insert(0);
        *held = (*held - arc.change).max(i64::from(arc.needs));
    }
    for (place, limit) in &transition.at_most {
        if wanted.get(place).is_some_and(|count| *count > i64::from(*limit)) {
            return None;
        }
    }
    let kept = wanted.into_iter().filter(|(_, count)| *count > 0);
    Some(kept.map(|(place, count)| (place, u32::try_from(count).expect("fewer than 2^32 tokens"))).collect())
}

fn check_cover(system: &System, proof: &Proof, budget: &Budget) -> Result<u64, Refuted> {
    let mut conditions = 0;
    let mut at: FxHashMap<ControlId, Vec<&Marking>> = FxHashMap::default();
    for marking in &proof.markings {
        at.entry(marking.control).or_default().push(marking);
    }
    let is_covered = |control: ControlId, tokens: &[(PlaceId, u32)]| {
        at.get(&control).into_iter().flatten().any(|known| is_below(tokens, known.tokens()))
    };
    let start = Marking::initial(system);
    if !is_covered(start.control, start.tokens()) {
        return wrong("the start is not covered".to_owned());
    }
    for target in system.targets.iter() {
        if is_covered(target.control, &target.at_least) {
            return wrong("a target is covered".to_owned());
        }
    }
    let mut leaving: FxHashMap<ControlId, Vec<&Transition>> = FxHashMap::default();
    for transition in system.transitions.iter() {
        leaving.entry(transition.from).or_default().push(transition);
    }
    for before in &proof.markings {
        budget.check().map_err(Refuted::Stopped)?;
        for transition in leaving.get(&before.control).into_iter().flatten() {
            let after: Vec<Vec<(PlaceId, u32)>> = match &transition.effect {
                Effect::Plain(arcs) if transition.at_most.is_empty() => {
                    most_after(arcs, before).into_iter().collect()
                }
                _ => {
                    let found = step::successors(transition, before);
                    found.into_iter().map(|found| found.tokens().to_vec()).collect()
                }
            };
            conditions += after.len() as u64;
            if !after.iter().all(|tokens| is_covered(transition.to, tokens)) {
                let (name, before) = (&transition.name, before.describe(system));
                return wrong(format!("`{name}` leads out from below {before}"));
            }
        }
    }
    Ok(conditions)
}

/// The most tokens after a plain step from below `before`; `None` if it is never possible there.
fn most_after(arcs: &[Arc], before: &Marking) -> Option<Vec<(PlaceId, u32)>> {
    let mut held: std::collections::BTreeMap<PlaceId, u32> = before.tokens().iter().copied().collect();
    for arc in arcs {
        let count = held.entry(arc.place).or_insert(0);
        if *count < arc.needs {
            return None;
        }
        if *count != UNBOUNDED {
            *count = u32::try_from(i64::from(*count) + arc.change).ok()?;
        }
    }
    Some(held.into_iter().filter(|(_, count)| *count > 0).collect())
}

#[cfg(test)]
mod tests {
    use super::super::foreknowledge::Foreknowledge;
    use super::super::outcome::{CoverabilityResult, Limits, Meter};
    use super::super::system::{Initial, Target};
    use super::super::weighing::Weighing;
    use super::super::{backward, inductive, karp_miller};
    use super::*;
    use base::{Id, IndexVec};
    use question::{Decided, Monitor};

    /// A lock: `free` to `held` with a thread each; two threads in the critical place are the target.
    fn lock() -> System {
        let (free, held) = (ControlId::from_index(0), ControlId::from_index(1));
        let (idle, inside) = (PlaceId::from_index(0), PlaceId::from_index(1));
        let step = |from, to, take: PlaceId, give: PlaceId, name: &str| {
            let mut arcs =
                vec![Arc { place: take, needs: 1, change: -1 }, Arc { place: give, needs: 0, change: 1 }];
            arcs.sort_by_key(|arc| arc.place);
            Transition { from, to, at_most: Vec::new(), effect: Effect::Plain(arcs), name: name.to_owned() }
        };
        let transitions: IndexVec<_, _> =
            [step(free, held, idle, inside, "enter"), step(held, free, inside, idle, "leave")]
                .into_iter()
                .collect();
        let target = Target { control: held, at_least: vec![(inside, 2)], at_most: Vec::new() };
        System {
            controls: ["free".to_owned(), "held".to_owned()].into_iter().collect(),
            places: ["idle".to_owned(), "inside".to_owned()].into_iter().collect(),
            transitions,
            initial: Initial { control: free, counts: vec![(idle, InitialCount::AtLeast(0))] },
            targets: [target].into_iter().collect(),
            token: "thread",
        }
    }

    fn proof_of(report: CoverabilityResult) -> Proof {
        match report.found {
            Ok(Decided::Proved(proof)) => proof,
            other => panic!("the lock is safe: {other:?}"),
        }
    }

    #[test]
    fn proofs_of_all_engines_are_accepted() {
        let system = lock();
        let budget = Budget::unlimited();
        let limits = Limits { monitor: Monitor::silent(&budget), steps: None };
        for report in [
            backward::check(&system, limits),
            inductive::check_knowing(&system, limits, &mut Foreknowledge::new(&system)),
            karp_miller::check(&system, limits),
        ] {
            let proof = proof_of(report);
            let conditions = check(&system, &proof, &Budget::unlimited());
            assert!(conditions.is_ok_and(|count| count > 3), "{proof:?}");
        }
    }

    #[test]
    fn broken_proofs_are_refused() {
        let system = lock();
        let budget = Budget::unlimited();
        let limits = Limits { monitor: Monitor::silent(&budget), steps: None };
        for report in [backward::check(&system, limits), karp_miller::check(&system, limits)] {
            let proof = proof_of(report);
            for left_out in 0..proof.markings.len() {
                let mut less = proof.clone();
                less.markings.remove(left_out);
                assert!(check(&system, &less, &Budget::unlimited()).is_err(), "{less:?}");
            }
        }
        let start = Marking::new(ControlId::from_index(0), Vec::new());
        for shape in [Shape::Excluded, Shape::Cover] {
            let proof = Proof { shape, markings: vec![start.clone()], possible: None };
            assert!(check(&system, &proof, &Budget::unlimited()).is_err());
        }
    }

    #[test]
    fn weights_prove_the_lock_and_wrong_weights_are_refused() {
        let system = lock();
        let (free, held) = (ControlId::from_index(0), ControlId::from_index(1));
        let weighing = |idle, inside, held_weighs| Weighing {
            places: [idle, inside].into_iter().collect(),
            controls: [0, held_weighs].into_iter().collect(),
        };
        let proof = |weighing: Weighing| {
            let saturation = Saturation::new(&system);
            let possible = Some(Possible { saturation, weighings: vec![weighing] });
            Proof { shape: Shape::Excluded, markings: Vec::new(), possible }
        };
        let judged = |weighing| check(&system, &proof(weighing), &Budget::unlimited());
        assert!(judged(weighing(0, 1, -1)).is_ok(), "inside - held stays 0, and the target weighs 1");
        for (idle, inside, held_weighs) in [(0, 0, 0), (0, 1, 0), (1, 1, -1), (0, 1, -2), (-1, 1, -2)] {
            let wrong = judged(weighing(idle, inside, held_weighs));
            assert!(matches!(wrong, Err(Refuted::Wrong(_))), "{idle} {inside} {held_weighs}: {wrong:?}");
        }
        let mut known = Foreknowledge::new(&system);
        let budget = Budget::unlimited();
        let limits = Limits { monitor: Monitor::silent(&budget), steps: None };
        let inside = PlaceId::from_index(1);
        let two = Marking::new(held, vec![(inside, 2)]);
        let mut meter = Meter::new(limits);
        assert!(!known.excludes(&two));
        assert_eq!(known.excludes_after_thought(&system, &two, &mut meter), Ok(true));
        assert!(known.excludes(&two));
        assert!(known.excludes(&Marking::new(free, vec![(inside, 1)])), "the same weights say it");
        for reachable in [Marking::new(held, vec![(inside, 1)]), Marking::new(free, Vec::new())] {
            assert_eq!(known.excludes_after_thought(&system, &reachable, &mut meter), Ok(false));
        }
    }
}
