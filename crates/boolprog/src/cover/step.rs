//! Steps on markings: forward on markings with ω, backward on least markings.
//!
//! Both read an upper limit of a guard as "surplus tokens are lost first". That adds steps and loses none,
//! and makes every effect monotone; for systems without upper limits both are exact.

use super::marking::{Marking, UNBOUNDED};
use super::system::{Arc, Broadcast, ControlId, Effect, PlaceId, System, Transition, TransitionId};
use base::{Id, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};

/// How tokens of moved places are told apart by what becomes of them: place, choice, number.
pub type Allocation = Vec<(PlaceId, usize, u32)>;

/// A least marking from which a step leads above another one.
#[derive(Clone, Debug)]
pub struct Predecessor {
    /// The marking.
    pub marking: Marking,
    /// For broadcasts: which choices its tokens take.
    pub allocation: Allocation,
}

fn minus(count: u32, taken: u32) -> u32 {
    if count == UNBOUNDED { UNBOUNDED } else { count - taken }
}

fn plus(count: u32, added: u32) -> u32 {
    if count == UNBOUNDED || added == UNBOUNDED {
        UNBOUNDED
    } else {
        count
            .checked_add(added)
            .filter(|sum| *sum != UNBOUNDED)
            .expect("fewer than 2^32 - 1 tokens on a place")
    }
}

fn changed(count: u32, change: i64) -> Option<u32> {
    if count == UNBOUNDED {
        return Some(UNBOUNDED);
    }
    u32::try_from(i64::from(count) + change).ok()
}

/// The markings a step leads to; several only if the finitely many tokens of a place have a choice.
pub fn successors(transition: &Transition, from: &Marking) -> Vec<Marking> {
    debug_assert_eq!(transition.from, from.control);
    let limited;
    let from = if transition.at_most.is_empty() {
        from
    } else {
        let keep = |(place, count): &(PlaceId, u32)| {
            let limit = limit_of(transition, *place).unwrap_or(UNBOUNDED);
            Some((*place, *count.min(&limit))).filter(|(_, count)| *count > 0)
        };
        limited = Marking::new(from.control, from.tokens().iter().filter_map(keep).collect());
        &limited
    };
    match &transition.effect {
        Effect::Plain(arcs) => plain_successor(transition.to, arcs, from).into_iter().collect(),
        Effect::Broadcast(broadcast) => broadcast_successors(transition.to, broadcast, from),
    }
}

fn limit_of(transition: &Transition, place: PlaceId) -> Option<u32> {
    let at = transition.at_most.binary_search_by_key(&place, |(place, _)| *place).ok()?;
    Some(transition.at_most[at].1)
}

fn plain_successor(to: ControlId, arcs: &[Arc], from: &Marking) -> Option<Marking> {
    let mut tokens = Vec::with_capacity(from.tokens().len() + arcs.len());
    let mut held = from.tokens().iter().copied().peekable();
    for arc in arcs {
        while let Some(token) = held.next_if(|(place, _)| *place < arc.place) {
            tokens.push(token);
        }
        let count = held.next_if(|(place, _)| *place == arc.place).map_or(0, |(_, count)| count);
        if count < arc.needs {
            return None;
        }
        match changed(count, arc.change)? {
            0 => {}
            count => tokens.push((arc.place, count)),
        }
    }
    tokens.extend(held);
    Some(Marking::new(to, tokens))
}

fn broadcast_successors(to: ControlId, broadcast: &Broadcast, from: &Marking) -> Vec<Marking> {
    if broadcast.needs.iter().any(|(place, count)| from.count(*place) < *count) {
        return Vec::new();
    }
    let mut left: FxHashMap<PlaceId, u32> = from.tokens().iter().copied().collect();
    for (place, count) in &broadcast.take {
        let held = left.get_mut(place).expect("needs cover what is taken");
        *held = minus(*held, *count);
    }
    // Every way to split the moving tokens; all at once for ω, which can be split into ω everywhere.
    let mut results: FxHashSet<Vec<(PlaceId, u32)>> = FxHashSet::default();
    let stay: Vec<(PlaceId, u32)> = left
        .iter()
        .filter(|(place, count)| **count > 0 && move_of(broadcast, **place).is_none())
        .map(|(place, count)| (*place, *count))
        .collect();
    let mut partial: FxHashSet<Vec<(PlaceId, u32)>> = FxHashSet::default();
    partial.insert(sorted_sum(stay));
    for moved in &broadcast.moves {
        let count = left.get(&moved.from).copied().unwrap_or(0);
        if count == 0 {
            continue;
        }
        let mut next = FxHashSet::default();
        let splits = splits(count, moved.choices.len());
        for base in &partial {
            for split in &splits {
                let mut tokens = base.clone();
                for (choice, number) in moved.choices.iter().zip(split) {
                    if *number > 0 {
                        tokens.extend(choice.iter().map(|(place, each)| (*place, times(*number, *each))));
                    }
                }
                next.insert(sorted_sum(tokens));
            }
        }
        partial = next;
    }
    for base in partial {
        let mut tokens: FxHashMap<PlaceId, u32> = base.into_iter().collect();
        let possible = broadcast.add.iter().all(|(place, change)| {
            let held = tokens.entry(*place).or_insert(0);
            changed(*held, *change).map(|count| *held = count).is_some()
        });
        if possible {
            results.insert(sorted_sum(tokens.into_iter().filter(|(_, count)| *count > 0).collect()));
        }
    }
    let mut results: Vec<Marking> = results.into_iter().map(|tokens| Marking::new(to, tokens)).collect();
    results.sort_by(|a, b| a.tokens().cmp(b.tokens()));
    results
}

fn move_of(broadcast: &Broadcast, place: PlaceId) -> Option<usize> {
    broadcast.moves.binary_search_by_key(&place, |moved| moved.from).ok()
}

fn times(number: u32, each: u32) -> u32 {
    if number == UNBOUNDED { UNBOUNDED } else { number.checked_mul(each).expect("fewer than 2^32 tokens") }
}

/// All ways to write `count` as a sum of `parts` numbers.
fn splits(count: u32, parts: usize) -> Vec<Vec<u32>> {
    if parts == 1 || count == UNBOUNDED {
        return vec![vec![count; parts]];
    }
    let first_takes = 0..=count;
    first_takes
        .flat_map(|first| {
            splits(count - first, parts - 1).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

fn sorted_sum(mut tokens: Vec<(PlaceId, u32)>) -> Vec<(PlaceId, u32)> {
    tokens.sort_unstable_by_key(|(place, _)| *place);
    tokens.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = plus(kept.1, next.1);
        }
        same
    });
    tokens
}

/// The least markings from which the step leads above `after`; none is above another for plain steps.
pub fn predecessors(transition: &Transition, after: &Marking) -> Vec<Predecessor> {
    debug_assert_eq!(transition.to, after.control);
    let found = match &transition.effect {
        Effect::Plain(arcs) => {
            let marking = plain_predecessor(transition.from, arcs, after);
            vec![Predecessor { marking, allocation: Vec::new() }]
        }
        Effect::Broadcast(broadcast) => broadcast_predecessors(transition.from, broadcast, after),
    };
    let within_limits = |found: &Predecessor| {
        transition.at_most.iter().all(|(place, limit)| found.marking.count(*place) <= *limit)
    };
    found.into_iter().filter(within_limits).collect()
}

fn plain_predecessor(from: ControlId, arcs: &[Arc], after: &Marking) -> Marking {
    let mut tokens = Vec::with_capacity(after.tokens().len() + arcs.len());
    let mut asked = after.tokens().iter().copied().peekable();
    for arc in arcs {
        while let Some(token) = asked.next_if(|(place, _)| *place < arc.place) {
            tokens.push(token);
        }
        let count = asked.next_if(|(place, _)| *place == arc.place).map_or(0, |(_, count)| count);
        let before = (i64::from(count) - arc.change).max(i64::from(arc.needs));
        match u32::try_from(before).expect("fewer than 2^32 tokens") {
            0 => {}
            before => tokens.push((arc.place, before)),
        }
    }
    tokens.extend(asked);
    Marking::new(from, tokens)
}

fn broadcast_predecessors(from: ControlId, broadcast: &Broadcast, after: &Marking) -> Vec<Predecessor> {
    let added = |place: PlaceId| {
        let at = broadcast.add.binary_search_by_key(&place, |(place, _)| *place);
        at.map_or(0, |at| broadcast.add[at].1)
    };
    // What must have arrived before the last additions.
    let mut demand: Vec<(PlaceId, i64)> = after
        .tokens()
        .iter()
        .map(|(place, count)| (*place, i64::from(*count) - added(*place)))
        .chain(
            broadcast.add.iter().filter(|(place, _)| after.count(*place) == 0).map(|(place, n)| (*place, -n)),
        )
        .filter(|(_, demand)| *demand > 0)
        .collect();
    demand.sort_unstable_by_key(|(place, _)| *place);
    let mut search = Suppliers { broadcast, seen: FxHashSet::default(), found: Vec::new() };
    search.supply(demand, Vec::new());
    let mut results: Vec<Predecessor> = Vec::new();
    for supply in search.found {
        let mut tokens: FxHashMap<PlaceId, u32> = FxHashMap::default();
        for (place, _, count) in &supply {
            *tokens.entry(*place).or_insert(0) += count;
        }
        for (place, count) in &broadcast.take {
            *tokens.entry(*place).or_insert(0) += count;
        }
        for (place, count) in &broadcast.needs {
            let held = tokens.entry(*place).or_insert(0);
            *held = (*held).max(*count);
        }
        let marking =
            Marking::new(from, sorted_sum(tokens.into_iter().filter(|(_, count)| *count > 0).collect()));
        if results.iter().any(|known| known.marking.is_covered_by(&marking)) {
            continue;
        }
        results.retain(|known| !marking.is_covered_by(&known.marking));
        let allocation =
            supply.into_iter().filter(|(place, ..)| move_of(broadcast, *place).is_some()).collect();
        results.push(Predecessor { marking, allocation });
    }
    results
}

/// Searches the ways in which demanded tokens can have come about.
struct Suppliers<'a> {
    broadcast: &'a Broadcast,
    seen: FxHashSet<Allocation>,
    found: Vec<Allocation>,
}

impl Suppliers<'_> {
    fn supply(&mut self, mut demand: Vec<(PlaceId, i64)>, supply: Allocation) {
        if !self.seen.insert(supply.clone()) {
            return;
        }
        let Some((place, wanted)) = demand.pop() else {
            self.found.push(supply);
            return;
        };
        if move_of(self.broadcast, place).is_none() {
            // All of them may have stayed; in what follows only what others bring is left to try.
            let mut stayed = supply.clone();
            give(&mut stayed, place, 0, u32::try_from(wanted).expect("fewer than 2^32 tokens"));
            self.supply(demand.clone(), stayed);
        }
        for moved in &self.broadcast.moves {
            for (choice, tokens) in moved.choices.iter().enumerate() {
                if !tokens.iter().any(|(to, _)| *to == place) {
                    continue;
                }
                let mut rest = demand.clone();
                rest.push((place, wanted));
                for (to, count) in tokens {
                    if let Some(asked) = rest.iter_mut().find(|(place, _)| place == to) {
                        asked.1 -= i64::from(*count);
                    }
                }
                rest.retain(|(_, wanted)| *wanted > 0);
                let mut more = supply.clone();
                give(&mut more, moved.from, choice, 1);
                self.supply(rest, more);
            }
        }
    }
}

fn give(supply: &mut Allocation, place: PlaceId, choice: usize, count: u32) {
    match supply.binary_search_by_key(&(place, choice), |(place, choice, _)| (*place, *choice)) {
        Ok(at) => supply[at].2 += count,
        Err(at) => supply.insert(at, (place, choice, count)),
    }
}

/// Transitions by what they can bring about, so that a backward step looks only at those that matter.
pub struct Producers {
    always: IndexVec<ControlId, Vec<TransitionId>>,
    adding_to: FxHashMap<(ControlId, PlaceId), Vec<TransitionId>>,
}

impl Producers {
    /// Files the system's transitions.
    pub fn new(system: &System) -> Producers {
        let mut always = IndexVec::filled(Vec::new(), system.controls.len());
        let mut adding_to: FxHashMap<_, Vec<TransitionId>> = FxHashMap::default();
        for (id, transition) in system.transitions.iter_enumerated() {
            match &transition.effect {
                Effect::Plain(arcs) if transition.from == transition.to => {
                    for arc in arcs.iter().filter(|arc| arc.change > 0) {
                        adding_to.entry((transition.to, arc.place)).or_default().push(id);
                    }
                }
                _ => always[transition.to].push(id),
            }
        }
        Producers { always, adding_to }
    }

    /// Transitions that can lead above `after` from a marking that is not above `after` itself; each once, in
    /// order.
    pub fn leading_to(&self, after: &Marking) -> Vec<TransitionId> {
        let adding =
            after.tokens().iter().filter_map(|(place, _)| self.adding_to.get(&(after.control, *place)));
        let mut all: Vec<TransitionId> = adding.flatten().copied().collect();
        all.extend(&self.always[after.control]);
        all.sort_unstable_by_key(|id| id.index());
        all.dedup();
        all
    }
}
