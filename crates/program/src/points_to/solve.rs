//! The solver: hands targets along copies and rules until nothing is new.
//!
//! Inclusion constraints after Andersen 1994; only new targets travel ("difference propagation", Pearce, Kelly, Hankin
//! 2003) and sets on cycles of copies are merged from time to time.
//! DIVERGENCE: cells of one object that overlap are merged rather than linked both ways: later crates need regions in
//! which they are together anyhow.
//!
//! Worked example: `p = &x; q = p; *q = &y; r = *p;`. Constraints: `p ⊇ {x}`, `q ⊇ p`, `*q ⊇ {y}`, `r ⊇ *p`.
//! `x` travels to `q`; the store then says that the content of `x` includes `y`; the load hands it to `r`.
//! The order of the statements does not matter.

use super::calls::Call;
use super::leaves::Leaves;
use super::objects::{Link, Object, ObjectId, ObjectKind, Slot};
use super::offsets::{MOST_OFFSETS, OffsetInObject};
use super::sets::{CallId, CopyId, LeavesId, Rule, SetId, Sets, TargetId};
use super::shape::{ByteRange, Shape};
use crate::{EdgeId, ProcedureId, Program, VariableId};
use base::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// More cells than this in one object are told apart no longer.
const MOST_SLOTS: usize = 512;
/// More pairs than this for one copy of bytes, and its sources are told apart no longer.
const MOST_PAIRS: usize = 1024;

pub(super) struct Solver<'a> {
    pub program: &'a Program,
    pub sets: Sets,
    pub objects: IndexVec<ObjectId, Object>,
    pub known_objects: FxHashMap<ObjectKind, ObjectId>,
    /// Content of variables that are not in memory.
    pub registers: FxHashMap<VariableId, SetId>,
    /// What a procedure returns, if that is a scalar.
    pub results: FxHashMap<ProcedureId, SetId>,
    /// What lies in memory that the program does not show, and in all that has escaped.
    pub outside: SetId,
    pub copies: IndexVec<CopyId, ByteCopy>,
    pub calls: IndexVec<CallId, Call>,
    pub call_targets: FxHashMap<(ProcedureId, EdgeId), Vec<ProcedureId>>,
    pub linked: FxHashSet<(CallId, ProcedureId)>,
    /// Procedures whose address has escaped, and calls that may go there.
    pub escaped_procedures: Vec<ProcedureId>,
    pub open_calls: Vec<CallId>,
    /// Values that threads end with, and values kept under thread-specific keys.
    pub thread_results: SetId,
    pub thread_values: SetId,
    /// Shapes learned for allocations.
    pub allocation_types: FxHashMap<(ProcedureId, EdgeId), crate::TypeId>,
    pub value_cache: FxHashMap<crate::Expr, Option<SetId>>,
    pub address_cache: FxHashMap<crate::Place, SetId>,
    pub leaves: Leaves,
    changed: Vec<ObjectId>,
}

/// Bytes copied from all of one list of targets to all of another.
#[derive(Debug, Default)]
pub(super) struct ByteCopy {
    pub from: Vec<TargetId>,
    pub to: Vec<TargetId>,
    pub size: Option<u64>,
    /// Set once there are too many pairs: everything in between.
    pub mixed: Option<SetId>,
}

impl<'a> Solver<'a> {
    pub fn new(
        program: &'a Program,
        allocation_types: FxHashMap<(ProcedureId, EdgeId), crate::TypeId>,
    ) -> Solver<'a> {
        let mut sets = Sets::default();
        let (outside, thread_results, thread_values) = (sets.add(), sets.add(), sets.add());
        let mut solver = Solver {
            program,
            sets,
            objects: IndexVec::new(),
            known_objects: FxHashMap::default(),
            registers: FxHashMap::default(),
            results: FxHashMap::default(),
            outside,
            copies: IndexVec::new(),
            calls: IndexVec::new(),
            call_targets: FxHashMap::default(),
            linked: FxHashSet::default(),
            escaped_procedures: Vec::new(),
            open_calls: Vec::new(),
            thread_results,
            thread_values,
            allocation_types,
            value_cache: FxHashMap::default(),
            address_cache: FxHashMap::default(),
            leaves: Leaves::default(),
            changed: Vec::new(),
        };
        let unknown = solver.object(ObjectKind::Unknown);
        solver.objects[unknown].is_escaped = true;
        solver.collapse(unknown);
        solver.sets.add_rule(outside, Rule::Escape);
        let (target, _) = solver.sets.intern(unknown, OffsetInObject::Anywhere);
        solver.sets.insert(outside, target);
        solver
    }

    pub fn object(&mut self, kind: ObjectKind) -> ObjectId {
        if let Some(&id) = self.known_objects.get(&kind) {
            return id;
        }
        let types = &self.program.types;
        let shape = match kind {
            ObjectKind::Variable(id) => Shape::of(self.program.variables[id].ty.id, types),
            ObjectKind::Allocation(procedure, edge) => match self.allocation_types.get(&(procedure, edge)) {
                Some(&ty) => Shape::array_of(ty, types),
                None => Shape::default(),
            },
            ObjectKind::Result(id) => Shape::of(self.program.result_type(id).id, types),
            ObjectKind::Unknown | ObjectKind::Procedure(_) | ObjectKind::ExtraArguments => Shape::default(),
        };
        let id = self.objects.push(Object::new(kind, shape));
        self.known_objects.insert(kind, id);
        if kind == ObjectKind::ExtraArguments {
            self.collapse(id);
        }
        id
    }

    /// The target, with the offset made coarser where an object has too many.
    pub fn target(&mut self, object: ObjectId, offset: OffsetInObject) -> TargetId {
        let is_one_piece =
            matches!(self.objects[object].kind, ObjectKind::Unknown | ObjectKind::ExtraArguments);
        let offset = if is_one_piece { OffsetInObject::Anywhere } else { offset };
        let is_new_and_too_much = self.objects[object].offsets >= MOST_OFFSETS;
        if is_new_and_too_much && !self.sets.knows(object, offset) {
            return self.sets.intern(object, OffsetInObject::Anywhere).0;
        }
        let (id, is_new) = self.sets.intern(object, offset);
        if is_new {
            self.objects[object].offsets += 1;
        }
        id
    }

    /// Hands everything on until nothing is new.
    pub fn run(&mut self) {
        loop {
            while let Some(id) = self.sets.queue.pop_front() {
                self.hand_on(id);
                // Looking for cycles takes time linear in the copies: only when many are new.
                if self.sets.new_copies > 1000 + self.sets.copy_count() / 3 {
                    self.sets.merge_cycles();
                }
            }
            let Some(object) = self.changed.pop() else { return };
            self.objects[object].is_changed = false;
            self.follow_links(object);
        }
    }

    fn hand_on(&mut self, id: SetId) {
        let id = self.sets.find(id);
        let set = &mut self.sets.sets[id];
        set.is_queued = false;
        let fresh = std::mem::take(&mut set.fresh);
        if fresh.is_empty() {
            return;
        }
        let copies = set.copies.clone();
        let rules = set.rules.clone();
        for to in copies {
            self.sets.unite(to, &fresh);
        }
        for rule in rules {
            for target in fresh.iter() {
                self.apply(rule, target);
            }
        }
    }

    fn apply(&mut self, rule: Rule, target: TargetId) {
        let (object, offset) = self.sets.targets[target];
        match rule {
            Rule::Path(path, into) => {
                let shape = &self.objects[object].shape;
                let moved =
                    self.sets.paths[path].iter().fold(offset, |offset, &step| shape.step(offset, step));
                self.put(object, moved, into);
            }
            Rule::Offset { stride, index, into } => {
                let moved = self.objects[object].shape.offset(offset, stride, index);
                self.put(object, moved, into);
            }
            Rule::Blur(into) => self.put(object, OffsetInObject::Anywhere, into),
            Rule::Load { size, into } => {
                if let Some(content) = self.content(object, offset, size) {
                    self.sets.copy(content, into);
                }
            }
            Rule::Store { size, from } => {
                if let Some(content) = self.content(object, offset, size) {
                    self.sets.copy(from, content);
                }
            }
            Rule::CopyFrom(copy) => self.copy_from(copy, target),
            Rule::CopyTo(copy) => self.copy_to(copy, target),
            Rule::Call(call) => self.call_target(call, object),
            Rule::Escape => self.escape(object),
            Rule::Touch(leaves) => self.touch_leaves(object, offset, leaves),
        }
    }

    pub fn put(&mut self, object: ObjectId, offset: OffsetInObject, into: SetId) {
        let offset = match self.objects[object].kind {
            ObjectKind::Procedure(_) => OffsetInObject::At(0),
            _ => offset,
        };
        let target = self.target(object, offset);
        self.sets.insert(into, target);
    }

    /// The content of the cell that an access touches.
    pub fn content(&mut self, object: ObjectId, offset: OffsetInObject, size: u64) -> Option<SetId> {
        if matches!(self.objects[object].kind, ObjectKind::Procedure(_)) {
            return None;
        }
        let range = self.objects[object].shape.accessed(offset, size)?;
        Some(self.touch(object, range))
    }

    /// Makes the cells that an access touches.
    pub fn touch_leaves(&mut self, object: ObjectId, offset: OffsetInObject, leaves: LeavesId) {
        for index in 0..self.leaves.count(leaves) {
            let (part, size) = self.leaves.part(leaves, index, &self.objects[object].shape, offset);
            self.content(object, part, size);
        }
    }

    /// The content of the cell that holds all these canonical bytes.
    pub fn touch(&mut self, object: ObjectId, range: ByteRange) -> SetId {
        if range == ByteRange::ALL {
            self.collapse(object);
        }
        let touched = self.objects[object].overlapping(range);
        if touched.len() == 1 {
            let slot = self.objects[object].slots[touched.start];
            if slot.range.contains(range) {
                return self.sets.find(slot.content);
            }
        }
        let slots = &mut self.objects[object].slots;
        let old: Vec<Slot> = slots[touched.clone()].to_vec();
        let start = old.iter().map(|slot| slot.range.start).fold(range.start, u64::min);
        let end = old.iter().map(|slot| slot.range.end).fold(range.end, u64::max);
        let content = match old.split_first() {
            Some((first, rest)) => {
                rest.iter().fold(first.content, |content, slot| self.sets.merge(content, slot.content))
            }
            None => self.new_content(object),
        };
        let slot = Slot { range: ByteRange { start, end }, content };
        let slots = &mut self.objects[object].slots;
        slots.splice(touched, [slot]);
        let is_too_much = slots.len() > MOST_SLOTS;
        self.mark_changed(object);
        if is_too_much {
            self.collapse(object);
        }
        self.sets.find(content)
    }

    fn new_content(&mut self, object: ObjectId) -> SetId {
        let content = if self.objects[object].is_escaped { self.outside } else { self.sets.add() };
        for fill in self.objects[object].fills.clone() {
            self.sets.copy(fill, content);
        }
        content
    }

    fn mark_changed(&mut self, object: ObjectId) {
        if !std::mem::replace(&mut self.objects[object].is_changed, true) {
            self.changed.push(object);
        }
    }

    /// No byte of it is told apart from another any more.
    pub fn collapse(&mut self, object: ObjectId) -> SetId {
        if self.objects[object].is_collapsed {
            return self.objects[object].slots[0].content;
        }
        self.objects[object].is_collapsed = true;
        let old = std::mem::take(&mut self.objects[object].slots);
        let content = match old.split_first() {
            Some((first, rest)) => {
                rest.iter().fold(first.content, |content, slot| self.sets.merge(content, slot.content))
            }
            None => self.new_content(object),
        };
        self.objects[object].slots = vec![Slot { range: ByteRange::ALL, content }];
        self.mark_changed(object);
        content
    }

    /// Code that is not shown may read, write and pass on the object from now on.
    pub(super) fn escape(&mut self, object: ObjectId) {
        if std::mem::replace(&mut self.objects[object].is_escaped, true) {
            return;
        }
        if let ObjectKind::Procedure(procedure) = self.objects[object].kind {
            self.escape_procedure(procedure);
            return;
        }
        let contents: Vec<SetId> = self.objects[object].slots.iter().map(|slot| slot.content).collect();
        for content in contents {
            self.outside = self.sets.merge(self.outside, content);
        }
    }

    fn copy_from(&mut self, copy: CopyId, target: TargetId) {
        if self.copies[copy].from.contains(&target) {
            return;
        }
        self.copies[copy].from.push(target);
        for to in self.copies[copy].to.clone() {
            self.pair(copy, target, to);
        }
    }

    fn copy_to(&mut self, copy: CopyId, target: TargetId) {
        if self.copies[copy].to.contains(&target) {
            return;
        }
        self.copies[copy].to.push(target);
        for from in self.copies[copy].from.clone() {
            self.pair(copy, from, target);
        }
    }

    fn pair(&mut self, copy: CopyId, from: TargetId, to: TargetId) {
        let size = self.copies[copy].size;
        let ((source, source_offset), (sink, sink_offset)) = (self.sets.targets[from], self.sets.targets[to]);
        let is_code =
            |this: &Self, object: ObjectId| matches!(this.objects[object].kind, ObjectKind::Procedure(_));
        if is_code(self, source) || is_code(self, sink) {
            return;
        }
        if self.copies[copy].from.len() * self.copies[copy].to.len() > MOST_PAIRS {
            let mixed = match self.copies[copy].mixed {
                Some(mixed) => mixed,
                None => self.sets.add(),
            };
            self.copies[copy].mixed = Some(mixed);
            let content = self.collapse(source);
            self.sets.copy(content, mixed);
            self.fill(sink, mixed);
            return;
        }
        let from = self.objects[source].shape.linear_start(source_offset, size);
        let to = self.objects[sink].shape.linear_start(sink_offset, size);
        let are_one_piece = self.objects[source].is_collapsed || self.objects[sink].is_collapsed;
        match (from, to) {
            (Some(from), Some(to)) if !are_one_piece => {
                let link = Link { from, to, object: sink, size };
                if !self.objects[source].links.contains(&link) {
                    self.objects[source].links.push(link);
                    self.mark_changed(source);
                }
            }
            _ if self.repeat_alike(source, source_offset, sink, sink_offset) => {
                let link = Link { from: 0, to: 0, object: sink, size: None };
                if !self.objects[source].links.contains(&link) {
                    self.objects[source].links.push(link);
                    self.mark_changed(source);
                }
            }
            _ => {
                let content = self.collapse(source);
                self.fill(sink, content);
            }
        }
    }

    /// Are both objects arrays of one element length, and do both offsets lie at the same place of an element?
    fn repeat_alike(
        &self,
        source: ObjectId,
        from: OffsetInObject,
        sink: ObjectId,
        to: OffsetInObject,
    ) -> bool {
        let (source, sink) = (&self.objects[source], &self.objects[sink]);
        let is_alike = source.shape.period.is_some() && source.shape.period == sink.shape.period;
        is_alike
            && !source.is_collapsed
            && !sink.is_collapsed
            && from == to
            && matches!(from, OffsetInObject::At(_))
    }

    /// The content may lie anywhere in the object.
    fn fill(&mut self, object: ObjectId, content: SetId) {
        if self.objects[object].fills.contains(&content) {
            return;
        }
        self.objects[object].fills.push(content);
        for slot in self.objects[object].slots.clone() {
            self.sets.copy(content, slot.content);
        }
        if self.objects[object].slots.is_empty() && self.objects[object].is_escaped {
            self.sets.copy(content, self.outside);
        }
    }

    fn follow_links(&mut self, source: ObjectId) {
        for link in self.objects[source].links.clone() {
            let slots = self.objects[source].slots.clone();
            for slot in slots {
                let end = link.size.map_or(u64::MAX, |size| link.from.saturating_add(size));
                if !slot.range.overlaps(ByteRange { start: link.from, end }) {
                    continue;
                }
                let content = match self.image(source, slot.range, link) {
                    Some(range) => self.touch(link.object, range),
                    None => self.collapse(link.object),
                };
                self.sets.copy(slot.content, content);
            }
        }
    }

    /// Where the bytes of a cell lie after a copy. `None`: anywhere.
    fn image(&self, source: ObjectId, range: ByteRange, link: Link) -> Option<ByteRange> {
        if range == ByteRange::ALL {
            return None;
        }
        let sink = &self.objects[link.object].shape;
        let moved = |range: ByteRange| {
            let shift = |at: u64| (at.max(link.from) - link.from).checked_add(link.to);
            Some(ByteRange { start: shift(range.start)?, end: shift(range.end)? })
        };
        // A cell of an inner array stands for all elements: the other object must fold the array alike.
        let end = link.size.map_or(u64::MAX, |size| link.from.saturating_add(size));
        let whole = ByteRange { start: link.from, end };
        if let Some(window) = self.objects[source].shape.window_inside(range.start, whole) {
            let all = moved(ByteRange { start: window.start, end: window.end })?;
            let folded = sink.fold(all);
            let is_alike = folded.end - folded.start == window.stride && window.unit == window.stride;
            if !is_alike || moved(window.canonical()).map(|range| sink.fold(range)) != Some(folded) {
                return Some(folded);
            }
        }
        Some(sink.fold(moved(range)?))
    }
}
