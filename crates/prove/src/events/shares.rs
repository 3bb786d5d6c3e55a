//! Which parts of the state several threads touch, read off the steps that each thread makes between the places where threads are chosen.
//!
//! **Obligation.** What one thread writes and another one reads is in here, as written by the one and seen by the other. More than that costs time, not right answers.

use base::graph::reachable;
use program::expr::{Access, ExprPart};
use program::points_to::RegionId;
use program::{
    Action, Callee, EdgeId, Graph, Interleaving, Known, NodeId, Place, PlaceBase, ProcedureId, Program,
    VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::Meaning;
use symbolic::meaning::{at_leaf, is_in_memory};

/// A part of the state that threads may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A variable outside memory.
    Register(VariableId),
    /// Whether such a variable holds (part of) an address, where that is not known of all its values.
    IsAddress(VariableId),
    /// The memory of a region.
    Memory(RegionId),
}

/// Threads by number, as bits.
type Threads = u64;

/// As many threads, or more, are not for bits: somebody who is no thread looks for deadlocks.
const MOST_THREADS: usize = 64;

/// Who touches what.
#[derive(Debug, Default)]
pub struct Shares {
    writers: FxHashMap<Part, Threads>,
    users: FxHashMap<Part, Threads>,
    /// By thread: what only its creator writes, and only where it creates it.
    given: Vec<FxHashSet<VariableId>>,
    /// Does somebody look at everything, who is no thread?
    is_looked_at: bool,
    /// Do threads allocate or free memory, while others run?
    pub allocates: bool,
}

impl Shares {
    /// Reads off all threads' steps. Nothing where there are too many threads.
    pub fn of(meaning: &Meaning<'_>, all: &Interleaving) -> Option<Shares> {
        let program = meaning.program;
        let body = program.procedures[program.main?].body.as_ref()?;
        let chooser = all.chooser?;
        if all.threads.len() >= MOST_THREADS {
            return None;
        }
        let is_looked_at = all.draws_after_looking.is_some();
        let (mut shares, mut own_nodes) = (Shares { is_looked_at, ..Shares::default() }, Vec::new());
        for (thread, own) in all.threads.iter().enumerate() {
            let starts: Vec<NodeId> = own.resumes.iter().map(|&(_, node)| node).collect();
            let nodes = reachable(starts, |node| {
                body.out(node).map(|(_, edge)| edge.to).filter(|&to| to != chooser).collect::<Vec<_>>()
            });
            let mut reader = Reader { meaning, shares: &mut shares, thread, called: FxHashSet::default() };
            for &node in &nodes {
                for (_, edge) in body.out(node) {
                    reader.action(&edge.action);
                }
            }
            own_nodes.push(nodes);
        }
        for (thread, nodes) in own_nodes.iter().enumerate() {
            let given = given(program, body, all.threads[thread].counter, nodes);
            shares.given.push(given);
        }
        Some(shares)
    }

    /// What whoever creates the thread gives it, and nobody changes later but the thread itself.
    pub fn given(&self, thread: usize) -> impl Iterator<Item = VariableId> + '_ {
        self.given[thread].iter().copied()
    }

    /// What other threads write, while it runs, and this one touches; all that is written, for who is no thread.
    pub fn told_to(&self, thread: usize) -> impl Iterator<Item = Part> + '_ {
        let own: Threads = 1 << thread;
        let given = self.given.get(thread);
        let is_given = |part: &Part| matches!(part, Part::Register(id) | Part::IsAddress(id) if given.is_some_and(|given| given.contains(id)));
        let mut told: Vec<Part> = self
            .writers
            .iter()
            .filter(|&(part, &who)| {
                let is_used = given.is_none() || self.users[part] & own != 0;
                who & !own != 0 && is_used && !is_given(part)
            })
            .map(|(&part, _)| part)
            .collect();
        told.sort_unstable();
        told.into_iter()
    }

    /// What this thread writes and others touch.
    pub fn told_by(&self, thread: usize) -> impl Iterator<Item = Part> + '_ {
        let others = !(1 << thread);
        let mut told: Vec<Part> = self
            .writers
            .iter()
            .filter(|&(part, &who)| {
                who & (1 << thread) != 0 && (self.is_looked_at || self.users[part] & others != 0)
            })
            .map(|(&part, _)| part)
            .collect();
        told.sort_unstable();
        told.into_iter()
    }
}

/// Variables that are written nowhere but in the thread itself and right before it is created, in one go with that.
fn given(
    program: &Program,
    body: &Graph,
    counter: VariableId,
    own: &FxHashSet<NodeId>,
) -> FxHashSet<VariableId> {
    let mut chain: FxHashSet<EdgeId> = FxHashSet::default();
    let mut found: FxHashSet<VariableId> = FxHashSet::default();
    for (id, edge) in body.edges.iter_enumerated() {
        let Action::Assign { target, value } = &edge.action else { continue };
        if target.as_variable() != Some(counter) || value.as_integer() != Some(1) {
            continue;
        }
        chain.insert(id);
        let mut node = edge.from;
        while let [only] = body.nodes[node].into[..] {
            let before = &body.edges[only];
            let Action::Assign { target, .. } = &before.action else { break };
            let (Some(variable), [_]) = (target.as_variable(), &body.nodes[node].out[..]) else { break };
            if !chain.insert(only) {
                break;
            }
            found.insert(variable);
            node = before.from;
        }
    }
    for (id, edge) in body.edges.iter_enumerated() {
        if chain.contains(&id) || own.contains(&edge.from) {
            continue;
        }
        edge.action.visit(&mut |part| {
            if let ExprPart::Place(place, Access::Write) = part
                && let PlaceBase::Variable(variable) = place.base
            {
                found.remove(&variable);
            }
        });
    }
    found.remove(&counter);
    found.retain(|&id| program.variables[id].kind != VariableKind::Global);
    found
}

/// Reads the steps of one thread.
struct Reader<'s, 'p> {
    meaning: &'s Meaning<'p>,
    shares: &'s mut Shares,
    thread: usize,
    called: FxHashSet<ProcedureId>,
}

impl Reader<'_, '_> {
    fn action(&mut self, action: &Action) {
        let mut places: Vec<(&Place, bool)> = Vec::new();
        action.visit(&mut |part| {
            if let ExprPart::Place(place, access @ (Access::Read | Access::Write)) = part {
                places.push((place, access == Access::Write));
            }
        });
        for (place, is_write) in places {
            self.place(place, is_write);
        }
        if let Action::Call { callee, .. } = action {
            self.call(callee);
        }
    }

    fn call(&mut self, callee: &Callee) {
        let program: &Program = self.meaning.program;
        let targets: Vec<ProcedureId> = match callee {
            Callee::Direct(id) => vec![*id],
            Callee::Indirect(_) => program.procedures.ids().collect(),
        };
        for target in targets {
            if !self.called.insert(target) {
                continue;
            }
            self.shares.allocates |= matches!(
                program.procedures[target].known,
                Some(
                    Known::Malloc
                        | Known::Calloc
                        | Known::Realloc
                        | Known::AlignedAlloc
                        | Known::Alloca
                        | Known::Free
                )
            );
            match &program.procedures[target].body {
                Some(body) => body.edges.iter().for_each(|edge| self.action(&edge.action)),
                None => self.all_memory(),
            }
        }
    }

    /// What is only known to work on memory may touch all of it.
    fn all_memory(&mut self) {
        let regions: Vec<RegionId> = self.meaning.regions().collect();
        for region in regions {
            self.note(Part::Memory(region), true);
        }
    }

    fn place(&mut self, place: &Place, is_write: bool) {
        if let PlaceBase::Variable(id) = place.base
            && !is_in_memory(self.meaning.program, id)
        {
            if self.meaning.may_hold_part_of_address(id) {
                self.note(Part::IsAddress(id), is_write);
            }
            return self.note(Part::Register(id), is_write);
        }
        if let Some(region) = self.meaning.region_of(place) {
            return self.note(Part::Memory(region), is_write);
        }
        match self.meaning.leaves_of_place(place) {
            Some(leaves) => {
                for leaf in leaves.iter() {
                    if let Some(region) = self.meaning.region_of(&at_leaf(place, leaf)) {
                        self.note(Part::Memory(region), is_write);
                    }
                }
            }
            None => self.all_memory(),
        }
    }

    fn note(&mut self, part: Part, is_write: bool) {
        let own: Threads = 1 << self.thread;
        *self.shares.users.entry(part).or_default() |= own;
        if is_write {
            *self.shares.writers.entry(part).or_default() |= own;
        }
    }
}
