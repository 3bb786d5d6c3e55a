//! Points-to sets: nodes of the constraint graph, merged when they turn out equal.

use super::bits::TargetSet;
use super::objects::ObjectId;
use super::offsets::{OffsetInObject, Step};
use base::{Id, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};

base::define_id!(
    /// What one register, cell or intermediate value may point to.
    SetId,
    "s"
);
base::define_id!(
    /// An object and a offset in it.
    TargetId,
    "t"
);
base::define_id!(PathId, "path");
base::define_id!(CopyId, "copy");
base::define_id!(CallId, "call");
base::define_id!(LeavesId, "leaves");

/// What happens to each target of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Rule {
    /// The part of the target that a path leads to is in the other set.
    Path(PathId, SetId),
    /// The target moved by elements of that many bytes is in the other set.
    Offset { stride: u64, index: Option<i64>, into: SetId },
    /// Any offset of the target's object is in the other set.
    Blur(SetId),
    /// What lies there is in the other set.
    Load { size: u64, into: SetId },
    /// The other set is stored there.
    Store { size: u64, from: SetId },
    /// Bytes are copied from there.
    CopyFrom(CopyId),
    /// Bytes are copied to there.
    CopyTo(CopyId),
    /// It is called.
    Call(CallId),
    /// Code that is not shown gets hold of it.
    Escape,
    /// It is accessed: the cells that one access touches must exist.
    Touch(LeavesId),
}

#[derive(Debug, Default)]
pub(super) struct Set {
    pub points: TargetSet,
    /// Not yet handed on.
    pub fresh: TargetSet,
    pub copies: Vec<SetId>,
    pub rules: Vec<Rule>,
    pub is_queued: bool,
}

/// All sets, with those that were merged.
#[derive(Debug, Default)]
pub(super) struct Sets {
    pub sets: IndexVec<SetId, Set>,
    parents: Vec<u32>,
    pub targets: IndexVec<TargetId, (ObjectId, OffsetInObject)>,
    known: FxHashMap<(ObjectId, OffsetInObject), TargetId>,
    pub paths: IndexVec<PathId, Vec<Step>>,
    known_paths: FxHashMap<Vec<Step>, PathId>,
    edges: FxHashSet<(SetId, SetId)>,
    /// Since cycles were last looked for.
    pub new_copies: usize,
    pub queue: std::collections::VecDeque<SetId>,
}

impl Sets {
    pub fn add(&mut self) -> SetId {
        self.parents.push(self.parents.len() as u32);
        self.sets.push(Set::default())
    }

    /// The set that stands for this one.
    pub fn find(&mut self, id: SetId) -> SetId {
        let mut at = id.index() as u32;
        while self.parents[at as usize] != at {
            let parent = self.parents[at as usize];
            self.parents[at as usize] = self.parents[parent as usize];
            at = self.parents[at as usize];
        }
        SetId::from_index(at as usize)
    }

    /// Like [`find`](Self::find), without shortening the way.
    pub fn find_frozen(&self, id: SetId) -> SetId {
        let mut at = id.index();
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
        }
        SetId::from_index(at)
    }

    pub fn intern(&mut self, object: ObjectId, offset: OffsetInObject) -> (TargetId, bool) {
        if let Some(&id) = self.known.get(&(object, offset)) {
            return (id, false);
        }
        let id = self.targets.push((object, offset));
        self.known.insert((object, offset), id);
        (id, true)
    }

    pub fn knows(&self, object: ObjectId, offset: OffsetInObject) -> bool {
        self.known.contains_key(&(object, offset))
    }

    pub fn path(&mut self, steps: Vec<Step>) -> PathId {
        if let Some(&id) = self.known_paths.get(&steps) {
            return id;
        }
        let id = self.paths.push(steps.clone());
        self.known_paths.insert(steps, id);
        id
    }

    fn enqueue(&mut self, id: SetId) {
        if !std::mem::replace(&mut self.sets[id].is_queued, true) {
            self.queue.push_back(id);
        }
    }

    pub fn insert(&mut self, id: SetId, target: TargetId) {
        let id = self.find(id);
        let set = &mut self.sets[id];
        if set.points.insert(target) {
            set.fresh.insert(target);
            self.enqueue(id);
        }
    }

    /// Adds many.
    pub fn unite(&mut self, id: SetId, targets: &TargetSet) {
        let id = self.find(id);
        let set = &mut self.sets[id];
        if set.points.unite(targets, &mut set.fresh) {
            self.enqueue(id);
        }
    }

    /// `to` holds all of `from`, now and later.
    pub fn copy(&mut self, from: SetId, to: SetId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.sets[from].copies.push(to);
        self.new_copies += 1;
        let present = std::mem::take(&mut self.sets[from].points);
        self.unite(to, &present);
        self.sets[from].points = present;
    }

    /// Hands the rule all targets, now and later.
    pub fn add_rule(&mut self, to: SetId, rule: Rule) {
        let to = self.find(to);
        let set = &mut self.sets[to];
        if set.rules.len() < 64 && set.rules.contains(&rule) {
            return; // in longer lists, `tidy` finds it
        }
        set.rules.push(rule);
        if !set.points.is_empty() {
            // Rules are cheap to repeat and change nothing the second time.
            set.fresh = set.points.clone();
            self.enqueue(to);
        }
    }

    /// From here on one set.
    pub fn merge(&mut self, one: SetId, other: SetId) -> SetId {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return one;
        }
        let weight = |set: &Set| set.rules.len() + set.copies.len();
        let (keep, drop) =
            if weight(&self.sets[one]) >= weight(&self.sets[other]) { (one, other) } else { (other, one) };
        self.parents[drop.index()] = keep.index() as u32;
        let dropped = std::mem::take(&mut self.sets[drop]);
        let kept = &mut self.sets[keep];
        kept.points.unite(&dropped.points, &mut TargetSet::default());
        kept.rules.extend(dropped.rules);
        kept.copies.extend(dropped.copies);
        if !kept.points.is_empty() {
            // Rules of each half have not seen the targets of the other.
            kept.fresh = kept.points.clone();
            self.enqueue(keep);
        }
        keep
    }

    /// Merges the sets on each cycle of copies: they are equal in the end.
    pub fn merge_cycles(&mut self) {
        for component in self.components() {
            let first = component[0];
            for &other in &component[1..] {
                self.merge(first, other);
            }
        }
        self.new_copies = 0;
        self.tidy();
    }

    /// Copies and rules that merging has made the same are kept once.
    fn tidy(&mut self) {
        self.edges.clear();
        for id in self.sets.ids() {
            if self.find_frozen(id) != id {
                continue;
            }
            let mut copies = std::mem::take(&mut self.sets[id].copies);
            copies.iter_mut().for_each(|to| *to = self.find(*to));
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&to| to != id);
            self.edges.extend(copies.iter().map(|&to| (id, to)));
            self.sets[id].copies = copies;
            let mut rules = std::mem::take(&mut self.sets[id].rules);
            rules.iter_mut().for_each(|rule| self.renew(rule));
            rules.sort_unstable();
            rules.dedup();
            self.sets[id].rules = rules;
        }
    }

    /// Names the sets in a rule as they are called now.
    fn renew(&mut self, rule: &mut Rule) {
        match rule {
            Rule::Path(_, set)
            | Rule::Offset { into: set, .. }
            | Rule::Blur(set)
            | Rule::Load { into: set, .. }
            | Rule::Store { from: set, .. } => *set = self.find(*set),
            Rule::CopyFrom(_) | Rule::CopyTo(_) | Rule::Call(_) | Rule::Escape | Rule::Touch(_) => {}
        }
    }

    /// How many copies there are.
    pub fn copy_count(&self) -> usize {
        self.edges.len()
    }

    /// Strongly connected components of more than one set.
    fn components(&self) -> Vec<Vec<SetId>> {
        let own = self.sets.ids().filter(|&id| self.find_frozen(id) == id);
        let copies = |id: SetId| self.sets[id].copies.iter().map(|&to| self.find_frozen(to));
        let found = base::graph::components(self.sets.len(), own, copies);
        found.iter().filter(|members| members.len() > 1).map(<[SetId]>::to_vec).collect()
    }
}
