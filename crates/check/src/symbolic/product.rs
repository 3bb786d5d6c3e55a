//! The product of a system with an automaton, as BDDs: the automaton's place is a few more bits, and each
//! event of the system moves both. A finite path is not continued in ⊥ as SELTL 3.1 does: whether the
//! automaton accepts silence for ever from a place is a question about the automaton alone, so a finite path
//! violates where it stops in the right place (`accepts_stopping`).

use super::SymbolicSettings;
use super::encoding::{Bits, Encoding, Event};
use crate::stopped::Stopped;
use crate::temporal::AtomMeaning;
use automata::{Automaton, Edge, Guard, Location, Marks};
use base::Id;
use lks::{ActionId, Composition, Successors, SystemState};
use logic::bdd::{Bdd, NodeLimitReached};
use question::Monitor;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

type WithinNodeLimit<T> = Result<T, NodeLimitReached>;

/// A state of the product.
pub(super) type Place = (SystemState, Location);

pub(super) struct Product<'a> {
    pub encoding: Encoding<'a>,
    automaton: &'a Automaton,
    meaning: &'a [AtomMeaning],
    places: Bits,
    /// What holds where, for each atom that asks a proposition.
    holding: Vec<Option<Bdd>>,
    /// The steps of both.
    pub steps: Vec<Event>,
    /// For each mark the steps whose edge carries it.
    pub marked: Vec<Vec<Event>>,
    pub initial: Bdd,
}

/// By which event a state is left, as far as the automaton can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Leaving {
    /// By the event of this atom.
    By(ActionId),
    /// By one that no atom names, or not at all.
    Otherwise,
}

impl<'a> Product<'a> {
    pub fn new(
        system: &'a Composition,
        automaton: &'a Automaton,
        meaning: &'a [AtomMeaning],
        limits: &SymbolicSettings,
    ) -> WithinNodeLimit<Product<'a>> {
        let encoding = Encoding::new(system, limits)?;
        let places = encoding.more_bits(automaton.state_count());
        let mut holding = Vec::new();
        for atom in meaning {
            holding.push(match atom {
                AtomMeaning::Proposition(id) => Some(encoding.holding(system.propositions().name(*id))?),
                _ => None,
            });
        }
        let begin = encoding.value(&places.now, automaton.initial.index())?;
        let initial = encoding.initial.and(&begin)?;
        let mut product = Product {
            encoding,
            automaton,
            meaning,
            places,
            holding,
            steps: Vec::new(),
            marked: (0..automaton.marks).map(|_| Vec::new()).collect(),
            initial,
        };
        product.make_steps()?;
        Ok(product)
    }

    fn make_steps(&mut self) -> WithinNodeLimit<()> {
        let mut relations: FxHashMap<Leaving, Vec<Bdd>> = FxHashMap::default();
        for index in 0..self.encoding.events.len() {
            let shown = self.encoding.events[index].shown;
            let leaving = self.leaving(shown);
            let by_mark = match relations.entry(leaving) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.edges_by_mark(leaving)?),
            };
            let event = &self.encoding.events[index];
            if !by_mark[0].is_false() {
                self.steps.push(self.encoding.together(event, &by_mark[0], &self.places)?);
            }
            for (mark, relation) in by_mark[1..].iter().enumerate().filter(|(_, r)| !r.is_false()) {
                let step = self.encoding.together(event, relation, &self.places)?;
                self.marked[mark].push(step);
            }
        }
        Ok(())
    }

    /// All edges first, then those with each mark.
    fn edges_by_mark(&self, leaving: Leaving) -> WithinNodeLimit<Vec<Bdd>> {
        let mut by_mark = vec![self.edges(leaving, |_| true)?];
        for mark in 0..self.automaton.marks {
            by_mark.push(self.edges(leaving, |edge| edge.marks.contains(mark))?);
        }
        Ok(by_mark)
    }

    fn leaving(&self, shown: ActionId) -> Leaving {
        let is_named = self.meaning.contains(&AtomMeaning::Event(shown));
        if is_named { Leaving::By(shown) } else { Leaving::Otherwise }
    }

    /// The edges that are wanted, as a relation over places, where the state and the way it is left allow
    /// them.
    fn edges(&self, leaving: Leaving, wanted: impl Fn(&Edge) -> bool) -> WithinNodeLimit<Bdd> {
        let mut known = FxHashMap::default();
        let mut relation = self.encoding.manager.constant(false);
        for (from, edge) in self.automaton.all_edges().filter(|(_, edge)| wanted(edge)) {
            let allowed = self.allowed(edge.guard, leaving, &mut known)?;
            if allowed.is_false() {
                continue;
            }
            let here = self.at(from)?;
            let there = self.encoding.value(&self.places.after, edge.to.index())?;
            relation = relation.or(&allowed.and(&here)?.and(&there)?)?;
        }
        Ok(relation)
    }

    /// The states in which a guard is true.
    fn allowed(
        &self,
        guard: Guard,
        leaving: Leaving,
        known: &mut FxHashMap<Guard, Bdd>,
    ) -> WithinNodeLimit<Bdd> {
        if let Some(done) = known.get(&guard) {
            return Ok(done.clone());
        }
        let guards = &self.automaton.guards;
        let Some(variable) = guards.top(guard) else {
            return Ok(self.encoding.manager.constant(guard == Guard::TRUE));
        };
        let (low, high) = guards.branches(guard);
        let result = match (self.meaning[variable.index()], &self.holding[variable.index()]) {
            (_, Some(holding)) => {
                let (low, high) = (self.allowed(low, leaving, known)?, self.allowed(high, leaving, known)?);
                holding.ite(&high, &low)?
            }
            (AtomMeaning::Event(action), _) if leaving == Leaving::By(action) => {
                self.allowed(high, leaving, known)?
            }
            _ => self.allowed(low, leaving, known)?,
        };
        known.insert(guard, result.clone());
        Ok(result)
    }

    pub fn at(&self, location: Location) -> WithinNodeLimit<Bdd> {
        self.encoding.value(&self.places.now, location.index())
    }

    /// Where a path that stops is accepted by the automaton.
    pub fn accepts_stopping(&self) -> WithinNodeLimit<Bdd> {
        let for_ever = self.accepting_silence();
        let by_edge = self.edges(Leaving::Otherwise, |edge| for_ever[edge.to.index()])?;
        let after = self.encoding.manager.variable_set(&self.places.after)?;
        by_edge.exists(&after)?.and(&self.encoding.stopped()?)
    }

    /// From which locations does the automaton accept ⊥ for ever?
    fn accepting_silence(&self) -> Vec<bool> {
        let mut silent = self.automaton.clone();
        let guards = &self.automaton.guards;
        for location in self.automaton.edges.ids() {
            silent.edges[location].retain(|edge| {
                guards.evaluate(edge.guard, |atom| self.meaning[atom.index()] == AtomMeaning::Stopped)
            });
        }
        self.automaton
            .edges
            .ids()
            .map(|location| {
                silent.initial = location;
                !silent.is_empty()
            })
            .collect()
    }

    pub fn pick(&self, states: &Bdd) -> Place {
        let (state, location) = self.encoding.pick_with(states, &self.places.now);
        (state, Location::from_index(location))
    }

    pub fn only(&self, place: &Place) -> WithinNodeLimit<Bdd> {
        self.encoding.only(&place.0)?.and(&self.at(place.1)?)
    }

    /// The states with one of these steps into the set.
    pub fn before(&self, steps: &[Event], states: &Bdd, monitor: Monitor<'_>) -> Result<Bdd, Stopped> {
        let mut all = self.encoding.manager.constant(false);
        for step in steps {
            monitor.check()?;
            all = all.or(&step.preimage(states)?)?;
        }
        Ok(all.minus(&self.encoding.error)?)
    }

    /// One step from a place into the set, by one of these.
    pub fn step_into(
        &self,
        steps: &[Event],
        from: &Place,
        into: &Bdd,
    ) -> Result<Option<(ActionId, Place)>, Stopped> {
        let only = self.only(from)?.minus(&self.encoding.error)?;
        for step in steps {
            let reached = step.image(&only)?.and(into)?;
            if !reached.is_false() {
                return Ok(Some((step.shown, self.pick(&reached))));
            }
        }
        Ok(None)
    }

    /// The marks a fair cycle carries.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.automaton.marks)
    }
}
