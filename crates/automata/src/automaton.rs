//! Büchi automata with generalised acceptance on their edges, and the conversions everything else needs:
//! strongly connected components, pruning, products.

use crate::guard::{Guard, Guards, Variable};
use crate::lasso_word::LassoWord;
use crate::syntax::Atom;
use base::{Id, IndexVec, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A state of an [`Automaton`].
    Location,
    "q"
);

/// A set of acceptance marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(pub u64);

impl Marks {
    /// The most marks an automaton can have.
    pub const MOST: u32 = 64;

    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// The marks `0 .. count`.
    pub fn all(count: u32) -> Marks {
        assert!(count <= Marks::MOST, "at most {} acceptance marks", Marks::MOST);
        if count == Marks::MOST { Marks(u64::MAX) } else { Marks((1 << count) - 1) }
    }

    /// Only this mark.
    pub fn only(mark: u32) -> Marks {
        Marks(1 << mark)
    }

    /// Is the mark in the set?
    pub fn contains(self, mark: u32) -> bool {
        self.0 >> mark & 1 == 1
    }

    /// Those in at least one.
    #[must_use]
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Those in both.
    #[must_use]
    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// Those of `self` that are not in `other`.
    #[must_use]
    pub fn without(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// The marks in order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Marks::MOST).filter(move |mark| self.contains(*mark))
    }
}

/// An edge: taken on any letter its guard allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Where it leads.
    pub to: Location,
    /// The marks it carries.
    pub marks: Marks,
    /// The letters it allows.
    pub guard: Guard,
}

/// A transition-based generalised Büchi automaton over letters, which are valuations of its atoms.
/// It accepts a word if some run over it sees every mark infinitely often.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The names of the atoms; atom `i` is variable `i` of the guards.
    pub atoms: Vec<String>,
    /// The guards of the edges.
    pub guards: Guards,
    /// Where runs begin.
    pub initial: Location,
    /// The edges by the state they leave.
    pub edges: IndexVec<Location, Vec<Edge>>,
    /// How many marks there are; with none every infinite run accepts.
    pub marks: u32,
}

/// Strongly connected components. A component is reached only from components with larger numbers.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each state; `None` for states that cannot be reached.
    pub of: IndexVec<Location, Option<usize>>,
    /// For each component: does it have an edge inside?
    pub has_edge: Vec<bool>,
    /// For each component: the marks on its inner edges.
    pub marks: Vec<Marks>,
}

impl Components {
    /// Can a run stay in this component and accept?
    pub fn accepts(&self, component: usize, marks: u32) -> bool {
        self.has_edge[component] && self.marks[component] == Marks::all(marks)
    }

    /// Do the two states lie in one component?
    pub fn together(&self, left: Location, right: Location) -> bool {
        self.of[left].is_some() && self.of[left] == self.of[right]
    }
}

impl Automaton {
    /// An automaton with one state and no edge: it accepts nothing.
    pub fn empty(atoms: Vec<String>) -> Automaton {
        let mut edges = IndexVec::new();
        let initial = edges.push(Vec::new());
        Automaton { atoms, guards: Guards::new(), initial, edges, marks: 0 }
    }

    /// How many states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// How many edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// All edges with the state they leave.
    pub fn all_edges(&self) -> impl Iterator<Item = (Location, &Edge)> {
        self.edges.iter_enumerated().flat_map(|(from, edges)| edges.iter().map(move |edge| (from, edge)))
    }

    /// Is acceptance a matter of states: do all edges that leave a state carry the same marks?
    pub fn is_state_based(&self) -> bool {
        self.edges.iter().all(|edges| edges.windows(2).all(|pair| pair[0].marks == pair[1].marks))
    }

    /// At most one edge for each letter from every state?
    pub fn is_deterministic(&mut self) -> bool {
        for location in self.edges.ids() {
            let mut seen = Guard::FALSE;
            for edge in &self.edges[location] {
                if self.guards.intersect(seen, edge.guard) {
                    return false;
                }
                seen = self.guards.or(seen, edge.guard);
            }
        }
        true
    }

    /// The components of the part that can be reached, successors first.
    pub fn components(&self) -> Components {
        let count = self.state_count();
        let after = |state: Location| self.edges[state].iter().map(|edge| edge.to);
        let found = base::graph::components(count, [self.initial], after);
        let mut result = Components {
            of: found.numbers(count),
            has_edge: vec![false; found.len()],
            marks: vec![Marks::NONE; found.len()],
        };
        for (from, edge) in self.all_edges() {
            if result.together(from, edge.to) {
                let component = result.of[from].expect("checked by `together`");
                result.has_edge[component] = true;
                result.marks[component] = result.marks[component].union(edge.marks);
            }
        }
        result
    }

    /// Is there no word it accepts?
    pub fn is_empty(&self) -> bool {
        let components = self.components();
        (0..components.has_edge.len()).all(|component| !components.accepts(component, self.marks))
    }

    /// The same language without states from which nothing is accepted, without marks on edges that no accepting
    /// run takes for ever, and without marks that are never missing.
    #[must_use]
    pub fn pruned(&self) -> Automaton {
        let components = self.components();
        // Components are numbered successors first, so one pass in order suffices.
        let mut useful: Vec<bool> =
            (0..components.has_edge.len()).map(|c| components.accepts(c, self.marks)).collect();
        let mut members: Vec<Vec<Location>> = vec![Vec::new(); useful.len()];
        for (state, component) in components.of.iter_enumerated() {
            if let Some(component) = component {
                members[*component].push(state);
            }
        }
        for component in 0..useful.len() {
            let leads_on = members[component].iter().any(|state| {
                self.edges[*state].iter().any(|edge| components.of[edge.to].is_some_and(|to| useful[to]))
            });
            useful[component] |= leads_on;
        }
        // Where acceptance is a matter of states it stays one: edges that leave a component keep their marks.
        let state_based = self.is_state_based();
        let inner = |from: Location, edge: &Edge| {
            (state_based || components.together(from, edge.to))
                && components.of[from].is_some_and(|component| components.accepts(component, self.marks))
        };
        let mut needed = Marks::NONE;
        for (from, edge) in self.all_edges() {
            if components.together(from, edge.to) && inner(from, edge) {
                needed = needed.union(Marks::all(self.marks).without(edge.marks));
            }
        }
        // One mark must stay to tell components that accept from those that do not.
        let has_rejecting = (0..useful.len()).any(|component| {
            useful[component] && components.has_edge[component] && !components.accepts(component, self.marks)
        });
        if needed == Marks::NONE && has_rejecting {
            needed = Marks::only(0);
        }
        let renumbered: Vec<u32> = needed.iter().collect();
        let mut result = Automaton::empty(self.atoms.clone());
        result.marks = u32::try_from(renumbered.len()).expect("at most 64 marks");
        let keep = |state: Location| components.of[state].is_some_and(|component| useful[component]);
        let mut names: IndexVec<Location, Option<Location>> = IndexVec::filled(None, self.state_count());
        if !keep(self.initial) {
            // With no mark at all every infinite run would accept; a state without edges has none.
            return result;
        }
        names[self.initial] = Some(result.initial);
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            let from = names[state].expect("named when it was found");
            for edge in &self.edges[state] {
                if !keep(edge.to) {
                    continue;
                }
                let to = *names[edge.to].get_or_insert_with(|| {
                    open.push(edge.to);
                    result.edges.push(Vec::new())
                });
                let mut marks = Marks::NONE;
                if inner(state, edge) {
                    for (new, old) in renumbered.iter().enumerate() {
                        if edge.marks.contains(*old) {
                            marks = marks.union(Marks::only(new as u32));
                        }
                    }
                }
                let guard = result.guards.import(&self.guards, edge.guard, &|v| v);
                result.edges[from].push(Edge { to, marks, guard });
            }
        }
        result.merge_parallel_edges();
        result
    }

    /// Without the states that cannot be reached.
    #[must_use]
    pub fn reachable(&self) -> Automaton {
        let mut names: IndexVec<Location, Option<Location>> = IndexVec::filled(None, self.state_count());
        let mut result = Automaton::empty(self.atoms.clone());
        result.guards = self.guards.clone();
        result.marks = self.marks;
        names[self.initial] = Some(result.initial);
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            let from = names[state].expect("named when it was found");
            for edge in &self.edges[state] {
                let to = *names[edge.to].get_or_insert_with(|| {
                    open.push(edge.to);
                    result.edges.push(Vec::new())
                });
                result.edges[from].push(Edge { to, ..*edge });
            }
        }
        result
    }

    /// Joins edges that differ in their guards only, and drops edges on no letter.
    pub fn merge_parallel_edges(&mut self) {
        for location in self.edges.ids() {
            let mut joined: FxHashMap<(Location, Marks), Guard> = FxHashMap::default();
            for edge in std::mem::take(&mut self.edges[location]) {
                let guard = joined.entry((edge.to, edge.marks)).or_insert(Guard::FALSE);
                *guard = self.guards.or(*guard, edge.guard);
            }
            let mut edges: Vec<Edge> = joined
                .into_iter()
                .filter(|(_, guard)| *guard != Guard::FALSE)
                .map(|((to, marks), guard)| Edge { to, marks, guard })
                .collect();
            edges.sort_unstable();
            self.edges[location] = edges;
        }
    }

    /// Accepts the words that both accept. The atoms of the two must be the same.
    #[must_use]
    pub fn intersection(&self, other: &Automaton) -> Automaton {
        assert_eq!(self.atoms, other.atoms, "both automata speak of the same atoms");
        let mut result = Automaton::empty(self.atoms.clone());
        result.marks = self.marks + other.marks;
        let same = |v: Variable| v;
        let mut names: FxHashMap<(Location, Location), Location> = FxHashMap::default();
        names.insert((self.initial, other.initial), result.initial);
        let mut open = vec![(self.initial, other.initial)];
        let mut imported: (FxHashMap<Guard, Guard>, FxHashMap<Guard, Guard>) = Default::default();
        while let Some((left, right)) = open.pop() {
            let from = names[&(left, right)];
            for a in &self.edges[left] {
                let guard_a = *imported
                    .0
                    .entry(a.guard)
                    .or_insert_with(|| result.guards.import(&self.guards, a.guard, &same));
                for b in &other.edges[right] {
                    let guard_b = *imported
                        .1
                        .entry(b.guard)
                        .or_insert_with(|| result.guards.import(&other.guards, b.guard, &same));
                    let guard = result.guards.and(guard_a, guard_b);
                    if guard == Guard::FALSE {
                        continue;
                    }
                    let to = *names.entry((a.to, b.to)).or_insert_with(|| {
                        open.push((a.to, b.to));
                        result.edges.push(Vec::new())
                    });
                    let marks = Marks(a.marks.0 | b.marks.0 << self.marks);
                    result.edges[from].push(Edge { to, marks, guard });
                }
            }
        }
        result
    }

    /// Does it accept the word? Decided on the product with the word's positions.
    pub fn accepts(&self, word: &LassoWord) -> bool {
        self.accepts_from(&[self.initial], word)
    }

    /// Does it accept the word when it begins in one of these states?
    pub fn accepts_from(&self, starts: &[Location], word: &LassoWord) -> bool {
        let mut product = Automaton::empty(Vec::new());
        product.marks = self.marks;
        let mut names = FxHashMap::default();
        let mut open = Vec::new();
        for start in starts {
            let to = product.edges.push(Vec::new());
            names.insert((*start, 0), to);
            open.push((*start, 0));
            product.edges[product.initial].push(Edge { to, marks: Marks::NONE, guard: Guard::TRUE });
        }
        while let Some((state, position)) = open.pop() {
            let from = names[&(state, position)];
            let letter = word.letter(position);
            for edge in &self.edges[state] {
                if !self.guards.evaluate(edge.guard, |v| letter.contains(&Atom::from_index(v.index()))) {
                    continue;
                }
                let target = (edge.to, word.successor(position));
                let to = *names.entry(target).or_insert_with(|| {
                    open.push(target);
                    product.edges.push(Vec::new())
                });
                product.edges[from].push(Edge { to, marks: edge.marks, guard: Guard::TRUE });
            }
        }
        !product.is_empty()
    }
}
