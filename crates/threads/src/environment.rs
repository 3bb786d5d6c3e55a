//! What the environment does when it is chosen, and the check of the conditions where threads are chosen (see `general`).

use crate::conditions::Condition;
use crate::general::{General, Purpose};
use crate::mode::ThreadIndex;
use crate::vocabulary::Vocabulary;
use crate::weave::Weaver;
use base::Span;
use program::expr::ExprPart;
use program::points_to::ObjectKind;
use program::{
    Action, AssumeReason, BinaryOp, Callee, EdgeId, Expr, ExprKind, HavocSource, LifetimeStep, NEXT_THREAD,
    NodeId, Place, PointsTo, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What inputs are called that say what another thread's variables hold.
const OTHER: &str = "variable of another thread";
/// Conditions that are asked about in one step.
const AT_ONCE: usize = 12;
/// Objects that a pointer of another thread's may point to, at most.
const MOST_TARGETS: usize = 16;

/// What is known of the environment when it is chosen.
#[derive(Default)]
pub struct Surroundings {
    /// What conditions speak of.
    pub vocabulary: Vocabulary,
    /// Variables outside memory that are needed from a node on.
    live: FxHashMap<NodeId, FxHashSet<VariableId>>,
    /// Variables in memory that may live at a node of the environment.
    alive: FxHashMap<NodeId, FxHashSet<VariableId>>,
    /// What pointers of the program so far may point to.
    points_to: Option<PointsTo>,
}

impl Weaver<'_> {
    /// Finds out what is needed to speak of any number of threads. All that is copied must be connected by now.
    pub fn look_around(&mut self) {
        if self.general.is_none() {
            return;
        }
        let mut own: FxHashSet<VariableId> = FxHashSet::default();
        for frame in self.frames.iter() {
            let procedure = &self.old.procedures[frame.procedure];
            let all = procedure.parameters.iter().chain(&procedure.locals);
            own.extend(all.map(|id| frame.variables.get(id).copied().unwrap_or(*id)));
        }
        own.retain(|&id| !self.new.variables[id].in_memory);
        let live = self.live(&own, &self.resumed());
        let vocabulary = self.vocabulary(&live);
        let alive = self.alive();
        let mut so_far = self.new.clone();
        so_far.procedures[self.main].body = Some(self.graph.clone());
        let points_to = Some(PointsTo::of(&so_far));
        self.make_tallies();
        self.count_those_that_stop(&vocabulary);
        self.surroundings = Surroundings { vocabulary, live, alive, points_to };
        self.make_switches();
    }

    fn make_switches(&mut self) {
        let Some(general) = self.general.filter(|general| general.purpose == Purpose::Search) else { return };
        for number in 0..general.conditions.len() {
            let switch = self.variable(&format!("__condition_{number}"), self.terms.int);
            self.switches.push(switch);
        }
    }

    /// Variables of the environment in memory, where they may live.
    fn alive(&mut self) -> FxHashMap<NodeId, FxHashSet<VariableId>> {
        let mut alive: FxHashMap<NodeId, FxHashSet<VariableId>> = FxHashMap::default();
        let mut open: Vec<(NodeId, FxHashSet<VariableId>)> = Vec::new();
        let mut goes_on: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for class in self.classes.clone() {
            let (thread, frame) = class.environment;
            let mut first: FxHashSet<VariableId> =
                self.living(class.start).into_iter().map(|id| self.renamed_variable(frame, id)).collect();
            first.retain(|&id| self.new.variables[id].in_memory);
            for (position, cut) in self.threads[thread].cuts.iter().enumerate() {
                match (position, cut.resumes) {
                    (0, Some(resumes)) => open.push((resumes, first.clone())),
                    (_, Some(resumes)) => goes_on.entry(cut.from).or_default().push(resumes),
                    (_, None) => {}
                }
            }
        }
        while let Some((node, found)) = open.pop() {
            let is_new = !alive.contains_key(&node);
            let known = alive.entry(node).or_default();
            let before = known.len();
            known.extend(found);
            if known.len() == before && !is_new {
                continue;
            }
            let known = known.clone();
            open.extend(goes_on.get(&node).into_iter().flatten().map(|&to| (to, known.clone())));
            for &edge in &self.graph.nodes[node].out {
                let edge = &self.graph.edges[edge];
                if edge.to == self.chooser {
                    continue;
                }
                let mut after = known.clone();
                match edge.action {
                    Action::Lifetime { variable, step: LifetimeStep::Begin } => drop(after.insert(variable)),
                    Action::Lifetime { variable, step: LifetimeStep::End } => drop(after.remove(&variable)),
                    _ => {}
                }
                open.push((edge.to, after));
            }
        }
        alive
    }

    /// The conditions are checked of all threads that are followed.
    pub fn check_conditions(&mut self, at: NodeId) -> NodeId {
        let Some(general) = self.general.filter(|general| general.purpose == Purpose::Proof) else {
            return at;
        };
        let told = self.all_checked(general);
        let mut at = at;
        if told.is_empty() {
            return at;
        }
        let broken = self.plain();
        for group in told.chunks(AT_ONCE) {
            let Some(all) = self.all_of(group) else { continue };
            let next = self.plain();
            self.assume(at, next, all.clone(), true, AssumeReason::Branch);
            self.assume(at, broken, all, false, AssumeReason::Branch);
            at = next;
        }
        let procedure = self.stands_for(program::BROKEN_CONDITION);
        let end = self.plain();
        let call = Action::Call { result: None, callee: Callee::Direct(procedure), arguments: Vec::new() };
        self.graph.add_edge(broken, end, call, Span::NOWHERE);
        self.told = told;
        at
    }

    fn all_checked(&self, general: &General) -> Vec<Expr> {
        let all = &self.surroundings.vocabulary;
        let usable = general.conditions.iter().filter(|one| one.is_checked_with(general.followed, all));
        usable.flat_map(|condition| self.checked_instances(all, condition)).collect()
    }

    fn all_of(&self, parts: &[Expr]) -> Option<Expr> {
        parts.iter().cloned().reduce(|one, other| self.terms.binary(BinaryOp::BitAnd, one, other))
    }

    /// For a search for conditions: for each, that it is supposed and holds of all threads that are followed. For runs: that it
    /// holds of them.
    pub fn searched(&self) -> Vec<Expr> {
        let Some(general) = self.general.filter(|general| general.purpose != Purpose::Proof) else {
            return Vec::new();
        };
        let all = &self.surroundings.vocabulary;
        if general.purpose == Purpose::Runs {
            let instances = general.conditions.iter().map(|one| self.checked_instances(all, one));
            return instances
                .map(|parts| self.all_of(&parts).unwrap_or_else(|| self.terms.number(1, &self.new)))
                .collect();
        }
        let switched = |(condition, &switch): (&Condition, &VariableId)| {
            let mut parts = vec![self.terms.holds(&self.terms.place(switch), 1, &self.new)];
            if condition.is_checked_with(general.followed, all) {
                parts.extend(self.checked_instances(all, condition));
            } else {
                parts = vec![self.terms.number(0, &self.new)];
            }
            self.all_of(&parts).unwrap_or_else(|| self.terms.number(0, &self.new))
        };
        general.conditions.iter().zip(&self.switches).map(switched).collect()
    }

    /// The parts of those, each for itself.
    pub fn searched_parts(&self) -> Vec<Expr> {
        let Some(general) = self.general.filter(|general| general.purpose == Purpose::Search) else {
            return Vec::new();
        };
        let all = &self.surroundings.vocabulary;
        let switches =
            self.switches.iter().map(|&switch| self.terms.holds(&self.terms.place(switch), 1, &self.new));
        let instances = general.conditions.iter().flat_map(|one| self.checked_instances(all, one));
        switches.chain(instances).collect()
    }

    /// The environment is chosen: any place, any values that the conditions allow.
    pub fn resume_environment(&mut self, at: NodeId, thread: ThreadIndex) {
        let Some(general) = self.general else { return self.nobody(at) };
        let all = std::mem::take(&mut self.surroundings);
        let kind = all.vocabulary.kinds.iter().position(|kind| kind.environment() == Some(thread));
        let class = self.classes.iter().position(|class| class.environment.0 == thread);
        let (Some(kind), Some(class)) = (kind, class) else { return self.nobody(at) };
        if general.purpose == Purpose::Runs {
            self.nobody(at);
        } else {
            let exists = self.terms.holds(&self.terms.place(self.classes[class].exists), 1, &self.new);
            let here = self.plain();
            self.assume(at, here, exists, true, AssumeReason::User);
            let spoken = &all.vocabulary.kinds[kind];
            let places: Vec<(usize, NodeId)> = (0..spoken.places.len())
                .filter(|&place| spoken.places[place].has_started)
                .filter_map(|place| {
                    let number = usize::try_from(spoken.number_of(thread, place)?).ok()?;
                    Some((place, self.threads[thread].cuts.get(number.checked_sub(1)?)?.resumes?))
                })
                .collect();
            self.draw_place(here, &places, &|weaver, at, (place, resumes)| {
                let at = weaver.fill(at, thread, resumes, &all);
                let at = weaver.suppose(at, thread, kind, place, general, &all.vocabulary);
                let own = |tally: usize| general.tallies[tally].weight(kind, place);
                let at = weaver.suppose_counts(at, &all.vocabulary, &own);
                let at = weaver.count_out_at(at, general, kind, place);
                weaver.graph.add_edge(at, resumes, Action::Skip, Span::NOWHERE);
            });
            self.end_lives(thread, &all);
        }
        self.surroundings = all;
    }

    fn draw_place<T: Copy>(&mut self, at: NodeId, among: &[T], go: &dyn Fn(&mut Self, NodeId, T)) {
        match among {
            [] => self.nobody(at),
            [one] => go(self, at, *one),
            _ => {
                let (few, rest) = among.split_at(among.len() / 2);
                let (later, earlier) = self.halves(at);
                self.draw_place(later, rest, go);
                self.draw_place(earlier, few, go);
            }
        }
    }

    /// One of two ways, drawn.
    pub(crate) fn halves(&mut self, at: NodeId) -> (NodeId, NodeId) {
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let drawn = self.plain();
        let source = HavocSource::Input(Arc::from(NEXT_THREAD));
        self.graph.add_edge(at, drawn, Action::Havoc { target: bit.clone(), source }, Span::NOWHERE);
        let is_later = Expr::load(bit).cast(self.terms.int);
        let (later, earlier) = (self.plain(), self.plain());
        self.assume(drawn, later, is_later.clone(), true, AssumeReason::Branch);
        self.assume(drawn, earlier, is_later, false, AssumeReason::Branch);
        (later, earlier)
    }

    /// Gives the variables of the environment any values.
    fn fill(&mut self, at: NodeId, thread: ThreadIndex, resumes: NodeId, all: &Surroundings) -> NodeId {
        let mut needed: Vec<VariableId> = all.live.get(&resumes).into_iter().flatten().copied().collect();
        let belongs = self.variables_of(thread);
        needed.retain(|id| belongs.contains(id));
        let own: Vec<VariableId> = self.threads[thread].own.values().copied().collect();
        let mut in_memory: Vec<VariableId> = all.alive.get(&resumes).into_iter().flatten().copied().collect();
        in_memory.retain(|id| belongs.contains(id));
        let is_own_in_memory = |id: &&VariableId| self.new.variables[**id].in_memory;
        if let Some(span) = own.iter().find(is_own_in_memory).map(|&id| self.new.variables[id].span) {
            self.refuse("thread storage in memory, of any number of threads,", span);
        }
        needed.extend(own);
        needed.sort_unstable();
        in_memory.sort_unstable();
        let mut at = at;
        for &id in &in_memory {
            let variable = &self.new.variables[id];
            let (span, ty) = (variable.span, variable.ty.id);
            if !self.new.types.is_integer(ty) {
                self.refuse("a variable in memory that is no integer, of any number of threads,", span);
            }
            if self.is_seen_by_others(thread, id) {
                self.refuse("a variable that others may access, of any number of threads,", span);
            }
            let next = self.plain();
            let begin = Action::Lifetime { variable: id, step: LifetimeStep::Begin };
            self.graph.add_edge(at, next, begin, Span::NOWHERE);
            at = next;
        }
        for id in in_memory.into_iter().chain(needed) {
            at = self.fill_one(at, id, all);
        }
        at
    }

    fn is_seen_by_others(&self, thread: ThreadIndex, id: VariableId) -> bool {
        let mut frames = self.frames.iter().filter(|frame| frame.thread == thread);
        let old = frames.find_map(|frame| frame.variables.iter().find(|(_, new)| **new == id));
        old.is_none_or(|(&old, _)| {
            let ty = self.old.variables[old].ty;
            self.shared.has(self.old, self.points_to, &Place::variable(old, ty))
        })
    }

    /// New variables of the calls of a thread.
    fn variables_of(&mut self, thread: ThreadIndex) -> FxHashSet<VariableId> {
        let frames = self.frames.iter().filter(|frame| frame.thread == thread);
        frames.flat_map(|frame| frame.variables.values().copied()).collect()
    }

    fn fill_one(&mut self, at: NodeId, id: VariableId, all: &Surroundings) -> NodeId {
        let (ty, span) = (self.new.variables[id].ty.id, self.new.variables[id].span);
        let target = Place::variable(id, ty);
        if !self.new.types.is_scalar(ty) {
            self.refuse("a variable that is no number, of any number of threads,", span);
            return at;
        }
        if !self.new.types.is_pointer(ty) {
            let next = self.plain();
            let source = HavocSource::Input(Arc::from(OTHER));
            self.graph.add_edge(at, next, Action::Havoc { target, source }, Span::NOWHERE);
            return next;
        }
        let Some(targets) = self.targets(&target, all) else {
            self.refuse("a pointer to what has no name, of any number of threads,", span);
            return at;
        };
        let end = self.plain();
        self.draw_value(at, end, &target, &targets);
        end
    }

    fn draw_value(&mut self, at: NodeId, end: NodeId, target: &Place, among: &[Expr]) {
        match among {
            [] => self.nobody(at),
            [one] => {
                let action = Action::Assign { target: target.clone(), value: one.clone() };
                self.graph.add_edge(at, end, action, Span::NOWHERE);
            }
            _ => {
                let (few, rest) = among.split_at(among.len() / 2);
                let (later, earlier) = self.halves(at);
                self.draw_value(later, end, target, rest);
                self.draw_value(earlier, end, target, few);
            }
        }
    }

    /// All that a pointer may point to, as expressions; nothing where one of them has no name.
    fn targets(&mut self, pointer: &Place, all: &Surroundings) -> Option<Vec<Expr>> {
        let points_to = all.points_to.as_ref()?;
        if self.computes_pointers() {
            return None;
        }
        let ty = pointer.ty.id;
        let null = Expr::integer(0, ty, &self.new.types);
        let mut found = vec![null];
        for target in points_to.points_to(&self.new, &Expr::load(pointer.clone())) {
            match points_to.object(target.object) {
                ObjectKind::Variable(id) => {
                    let variable = &self.new.variables[id];
                    let lives = matches!(variable.kind, VariableKind::Global)
                        || (variable.procedure == Some(self.main)
                            && self.old.procedures[self.main].locals.contains(&id));
                    if !lives || variable.is_thread_local || !self.new.types.is_scalar(variable.ty.id) {
                        return None;
                    }
                    let place = Place::variable(id, variable.ty.id);
                    let own = self.new.types.pointer(variable.ty.id);
                    let address = Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: own };
                    found.push(address.cast(ty));
                }
                ObjectKind::Procedure(id) => {
                    found.push(Expr { kind: ExprKind::FunctionAddress(id), ty });
                }
                _ => return None,
            }
        }
        found.dedup();
        (found.len() <= MOST_TARGETS).then_some(found)
    }

    /// Are there pointers that are computed, so that they may point beside what they were made from?
    fn computes_pointers(&self) -> bool {
        let types = &self.old.types;
        let mut found = false;
        for frame in self.frames.iter() {
            for edge in self.old.procedures[frame.procedure].body.iter().flat_map(|body| &body.edges) {
                edge.action.visit(&mut |part| {
                    let ExprPart::Expr(expr) = part else { return };
                    found |= match &expr.kind {
                        ExprKind::PointerOffset { .. } => true,
                        ExprKind::Cast(inner) => {
                            types.is_pointer(expr.ty)
                                && !types.is_pointer(inner.ty)
                                && inner.as_integer() != Some(0)
                        }
                        _ => false,
                    };
                });
            }
        }
        found
    }

    /// What the conditions say of the environment at a place.
    fn suppose(
        &mut self,
        at: NodeId,
        thread: ThreadIndex,
        kind: usize,
        place: usize,
        general: &General,
        all: &Vocabulary,
    ) -> NodeId {
        let mut parts: Vec<Expr> = Vec::new();
        for (number, condition) in general.conditions.iter().enumerate() {
            if !condition.is_checked_with(general.followed, all) {
                continue;
            }
            let off = self.switches.get(number).map(|&switch| {
                let off = self.terms.number(1, &self.new);
                self.terms.binary(BinaryOp::NotEqual, self.terms.value(switch), off)
            });
            for instance in self.supposed_instances(all, condition, thread, kind, place) {
                parts.push(match &off {
                    None => instance,
                    Some(off) => self.terms.binary(BinaryOp::BitOr, off.clone(), instance),
                });
            }
        }
        let mut at = at;
        for group in parts.chunks(AT_ONCE) {
            let Some(all) = self.all_of(group) else { continue };
            let next = self.plain();
            self.assume(at, next, all, true, AssumeReason::User);
            at = next;
        }
        at
    }

    /// Variables in memory do not outlive the block.
    fn end_lives(&mut self, thread: ThreadIndex, all: &Surroundings) {
        let counter = self.threads[thread].counter;
        let belongs = self.variables_of(thread);
        let leaving: Vec<EdgeId> = self.graph.nodes[self.chooser].into.clone();
        for edge in leaving {
            let Action::Assign { target, .. } = &self.graph.edges[edge].action else { continue };
            if target.as_variable() != Some(counter) {
                continue;
            }
            let from = self.graph.edges[edge].from;
            let mut living: Vec<VariableId> = all.alive.get(&from).into_iter().flatten().copied().collect();
            living.retain(|id| belongs.contains(id));
            living.sort_unstable();
            let steps: Vec<Action> = living
                .into_iter()
                .map(|variable| Action::Lifetime { variable, step: LifetimeStep::End })
                .collect();
            self.insert_before(edge, steps);
        }
    }
}
