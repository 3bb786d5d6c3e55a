//! Locks that a program makes of its own variables: `m` is 0 while nobody has it; whoever finds it 0 in an
//! atomic section sets it in the same section (`assume(m == 0); m = 1;`), and only who has it sets it back to
//! 0. What all accesses of other variables do while they have `m` is protected as by a mutex.
//!
//! Source: reductions for locks as in Lipton (1975), found as lock sets are (Savage et al., Eraser, 1997),
//! here as a proof. Departure: that a variable is such a lock is shown first, from every access of it.
//!
//! **Obligation.** Two threads never have such a lock at once. A thread *has* it at a node if on all ways
//! there it has taken it, and not given it back since. Taking needs 0, so nobody has it then; while it is had
//! it is not 0, since only those who have it write 0. By induction over a run the first wrong release would
//! be by a thread that took it while another had it. Every write that is neither counts against the variable,
//! but for those made while there is one thread only. Tested by the comparison of random programs with the
//! interpreter's own threads.
//!
//! Worked example: `section { assume(m == 0); m = 1; } x = x + 1; section { m = 0; }` in two threads. At `x`
//! both have `m`, so `x` is quiet; the first section moves to the right and the second to the left: all of it
//! is one block. With `m = 0` written by a third thread that never took it, `m` is no lock, and nothing is
//! quiet.

use crate::all_ways::{Onward, on_all_ways};
use crate::mode::Mover;
use crate::quiet::{Accessed, Log};
use crate::weave::Weaver;
use base::Id;
use program::expr::{Access, ExprPart};
use program::points_to::{ObjectId, ObjectKind};
use program::{
    Action, AssumeReason, BinaryOp, Callee, EdgeId, Expr, ExprKind, NodeId, Place, ProcedureId, Program,
    Type, UnaryOp, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What is known on all ways to a node.
#[derive(Clone, Debug, Default, PartialEq)]
struct HeldLocks {
    /// Variables that are 0 now.
    zero: BTreeSet<VariableId>,
    /// Temporaries that hold what a variable holds now.
    holds: BTreeMap<VariableId, VariableId>,
    /// Locks that the thread has.
    held: BTreeSet<VariableId>,
}

impl HeldLocks {
    fn meet(&self, other: &HeldLocks) -> HeldLocks {
        let holds = self.holds.iter().filter(|(own, lock)| other.holds.get(own) == Some(lock));
        HeldLocks {
            zero: self.zero.intersection(&other.zero).copied().collect(),
            holds: holds.map(|(&own, &lock)| (own, lock)).collect(),
            held: self.held.intersection(&other.held).copied().collect(),
        }
    }

    /// Others may have run.
    fn after_others(&self) -> HeldLocks {
        HeldLocks { held: self.held.clone(), ..HeldLocks::default() }
    }
}

/// The locks that a program makes of variables.
#[derive(Debug, Default)]
pub struct OwnLocks {
    /// Those that a thread has at a node.
    pub held: FxHashMap<NodeId, BTreeSet<VariableId>>,
    known: FxHashMap<NodeId, HeldLocks>,
    locks: FxHashSet<VariableId>,
    /// What they hold while somebody has them, if that is one number.
    taken: FxHashMap<VariableId, i128>,
    /// Those of which nobody who does not have them sees whether they are taken: who finds them taken waits.
    pure: FxHashSet<VariableId>,
}

impl OwnLocks {
    /// From a sequential program in which nothing was taken for quiet.
    pub fn of(woven: &Weaver<'_>) -> OwnLocks {
        let finder = Finder { woven, log: &woven.log };
        let known = on_all_ways(woven, HeldLocks::meet, |node, known, onward| match onward {
            Onward::Step(edge) => finder.after(node, known, edge),
            Onward::Others => known.after_others(),
        });
        let mut own = OwnLocks { known, ..OwnLocks::default() };
        finder.judge(&mut own);
        for (&node, known) in &own.known {
            let held: BTreeSet<VariableId> =
                known.held.iter().copied().filter(|lock| own.locks.contains(lock)).collect();
            if !held.is_empty() {
                own.held.insert(node, held);
            }
        }
        own
    }

    /// Does the thread have the lock at the node?
    pub fn has(&self, node: NodeId, lock: VariableId) -> bool {
        self.held.get(&node).is_some_and(|held| held.contains(&lock))
    }
}

struct Finder<'f, 'w> {
    woven: &'f Weaver<'w>,
    log: &'f Log,
}

impl Finder<'_, '_> {
    fn program(&self) -> &Program {
        self.woven.old
    }

    /// Could the variable be a lock, by its type and by who can reach it?
    fn is_candidate(&self, id: VariableId) -> bool {
        if id.index() >= self.program().variables.len() {
            return false;
        }
        let variable = &self.program().variables[id];
        variable.kind == VariableKind::Global
            && !variable.is_thread_local
            && !self.woven.facts.handles.contains(&id)
            && self.program().types.integer_shape(variable.ty.id).is_some()
    }

    /// What holds after a step.
    fn after(&self, node: NodeId, before: &HeldLocks, edge: EdgeId) -> HeldLocks {
        let mut known = before.clone();
        let action = &self.woven.graph.edges[edge].action;
        match action {
            Action::Assume { condition, expected, .. } => {
                if let Some((variable, is_zero)) = self.zero_test(condition)
                    && is_zero == *expected
                {
                    let lock = known.holds.get(&variable).copied().unwrap_or(variable);
                    if self.is_candidate(lock) {
                        known.zero.insert(lock);
                    }
                }
            }
            Action::Assign { target, value } => {
                let Some(variable) = target.as_variable() else { return known };
                self.forget(&mut known, variable);
                if self.is_candidate(variable) {
                    let number = self.number(value);
                    let was_zero = before.zero.contains(&variable);
                    let is_alone = self.log.alone.contains(&node);
                    if is_alone || number.is_none_or(|number| number == 0) {
                        known.held.remove(&variable);
                    } else if was_zero {
                        known.held.insert(variable);
                    }
                    if number == Some(0) {
                        known.zero.insert(variable);
                    }
                } else if let ExprKind::Load(place) = &self.kept(value).kind
                    && let Some(lock) = place.as_variable()
                    && self.is_candidate(lock)
                    && !self.woven.new.variables[variable].in_memory
                {
                    known.holds.insert(variable, lock);
                }
            }
            Action::Havoc { target, .. } | Action::Call { result: Some(target), .. } => {
                if let Some(variable) = target.as_variable() {
                    self.forget(&mut known, variable);
                    known.held.remove(&variable);
                }
            }
            _ => {}
        }
        known
    }

    /// The variable has another value.
    fn forget(&self, known: &mut HeldLocks, variable: VariableId) {
        known.zero.remove(&variable);
        known.holds.remove(&variable);
        known.holds.retain(|_, lock| *lock != variable);
    }

    /// Counts what speaks against variables being locks.
    fn judge(&self, own: &mut OwnLocks) {
        let mut found: FxHashSet<VariableId> = FxHashSet::default();
        let mut refuted = self.reached_otherwise();
        let mut seen: FxHashSet<VariableId> = FxHashSet::default();
        let mut taken: FxHashMap<VariableId, BTreeSet<i128>> = FxHashMap::default();
        for (&node, known) in &own.known {
            let is_alone = self.log.alone.contains(&node);
            let in_section = self.log.in_section.contains(&node);
            for &edge in &self.woven.graph.nodes[node].out {
                let action = &self.woven.graph.edges[edge].action;
                self.for_each_candidate(action, &mut |lock, access| {
                    if is_alone {
                        return;
                    }
                    if access == Access::Read {
                        let is_taken = in_section && self.waits_to_take(edge, lock);
                        if !known.held.contains(&lock) && !is_taken {
                            seen.insert(lock);
                        }
                        return;
                    }
                    let number = match action {
                        Action::Assign { value, .. } => self.number(value),
                        _ => None,
                    };
                    let is_right = in_section
                        && match number {
                            None => false,
                            Some(0) => known.held.contains(&lock),
                            Some(_) => known.held.contains(&lock) || known.zero.contains(&lock),
                        };
                    if !is_right {
                        refuted.insert(lock);
                        return;
                    }
                    if let Some(number) = number.filter(|&number| number != 0) {
                        found.insert(lock);
                        taken.entry(lock).or_default().insert(number);
                    }
                });
            }
        }
        own.locks = found.difference(&refuted).copied().collect();
        own.pure = own.locks.difference(&seen).copied().collect();
        let only = |(lock, numbers): (VariableId, BTreeSet<i128>)| match numbers.len() {
            1 => Some((lock, numbers.first().copied()?)),
            _ => None,
        };
        own.taken = taken.into_iter().filter_map(only).collect();
    }

    /// Accesses of variables that could be locks, by their names.
    fn for_each_candidate(&self, action: &Action, found: &mut dyn FnMut(VariableId, Access)) {
        action.visit(&mut |part| {
            if let ExprPart::Place(place, access @ (Access::Read | Access::Write)) = part
                && let program::PlaceBase::Variable(id) = place.base
                && self.is_candidate(id)
            {
                found(id, access);
            }
        });
    }

    /// Variables that are, or may be, accessed otherwise than by their names.
    fn reached_otherwise(&self) -> FxHashSet<VariableId> {
        let (program, points_to) = (self.program(), self.woven.points_to);
        let mut objects: FxHashSet<ObjectId> = self.log.unresolved.clone();
        for edge in program.edges() {
            let Action::Call { callee, arguments, .. } = &edge.action else { continue };
            let is_known = matches!(callee, Callee::Direct(id) if !crate::shared::is_opaque(program, *id));
            if !is_known {
                let targets = arguments.iter().flat_map(|value| points_to.points_to(program, value));
                objects.extend(targets.map(|target| target.object));
            }
        }
        let is_open = objects.iter().any(|&object| points_to.object(object) == ObjectKind::Unknown);
        let is_reached = |id: VariableId| {
            let object = points_to.object_of(ObjectKind::Variable(id));
            program.variables[id].in_memory
                && (is_open || object.is_none_or(|object| objects.contains(&object)))
        };
        program.variables.ids().filter(|&id| self.is_candidate(id) && is_reached(id)).collect()
    }

    /// Is what the edge loads only waited for to be 0, and the lock taken then, in the same section? To wait
    /// without taking moves nowhere.
    fn waits_to_take(&self, edge: EdgeId, lock: VariableId) -> bool {
        let edge = &self.woven.graph.edges[edge];
        let Action::Assign { target, value } = &edge.action else { return false };
        let (Some(own), ExprKind::Load(place)) = (target.as_variable(), &self.kept(value).kind) else {
            return false;
        };
        if place.as_variable() != Some(lock)
            || self.is_candidate(own)
            || self.woven.new.variables[own].in_memory
        {
            return false;
        }
        let (mut at, mut is_zero) = (edge.to, false);
        loop {
            if self.log.section_ends.contains(&at) {
                return false;
            }
            let [next] = self.woven.graph.nodes[at].out[..] else { return false };
            let next = &self.woven.graph.edges[next];
            match &next.action {
                Action::Assume { condition, expected, reason: AssumeReason::User }
                    if !is_zero && self.zero_test(condition) == Some((own, *expected)) =>
                {
                    is_zero = true;
                }
                Action::Assign { target, value } if is_zero && target.as_variable() == Some(lock) => {
                    return self.number(value).is_some_and(|number| number != 0);
                }
                Action::Skip => {}
                _ => return false,
            }
            at = next.to;
        }
    }

    /// A condition that asks whether a variable is 0: which, and whether it is so where the condition holds.
    fn zero_test(&self, condition: &Expr) -> Option<(VariableId, bool)> {
        match &condition.kind {
            ExprKind::Load(place) => Some((place.as_variable()?, false)),
            ExprKind::Cast(inner) if self.keeps_zero(condition, inner) => self.zero_test(inner),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                self.zero_test(inner).map(|(variable, is_zero)| (variable, !is_zero))
            }
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let tested = match (self.number(left), self.number(right)) {
                    (_, Some(0)) => left,
                    (Some(0), _) => right,
                    _ => return None,
                };
                let (variable, is_zero) = self.zero_test(tested)?;
                Some((variable, if *op == BinaryOp::Equal { !is_zero } else { is_zero }))
            }
            _ => None,
        }
    }

    /// Is the converted value 0 only if the value is?
    fn keeps_zero(&self, whole: &Expr, inner: &Expr) -> bool {
        let types = &self.woven.new.types;
        let (Some(to), Some(from)) = (types.integer_shape(whole.ty), types.integer_shape(inner.ty)) else {
            return false;
        };
        to.width >= from.width || self.is_bool(whole) || self.is_truth(inner)
    }

    fn is_bool(&self, value: &Expr) -> bool {
        *self.woven.new.types.get(value.ty) == Type::Bool
    }

    /// Is the value 0 or 1?
    fn is_truth(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Binary(op, ..) => op.is_comparison(),
            ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::Cast(inner) => self.is_truth(inner),
            _ => false,
        }
    }

    /// The value without conversions that change nothing.
    fn kept<'e>(&self, value: &'e Expr) -> &'e Expr {
        match &value.kind {
            ExprKind::Cast(inner) if self.keeps_zero(value, inner) => self.kept(inner),
            _ => value,
        }
    }

    fn number(&self, value: &Expr) -> Option<i128> {
        self.value(value, None)
    }

    /// The value, where a variable has a small number.
    fn value(&self, value: &Expr, given: Option<(VariableId, i128)>) -> Option<i128> {
        let small = |number: i128| (0..128).contains(&number).then_some(number);
        match &value.kind {
            ExprKind::Integer(bits) => small(i128::try_from(*bits).ok()?),
            ExprKind::Load(place) => {
                let (variable, number) = given?;
                (place.as_variable() == Some(variable)).then_some(number).and_then(small)
            }
            ExprKind::Cast(inner) => {
                let number = self.value(inner, given)?;
                self.woven.new.types.integer_shape(value.ty)?;
                Some(if self.is_bool(value) { i128::from(number != 0) } else { number })
            }
            ExprKind::Unary(UnaryOp::Not, inner) => Some(i128::from(self.value(inner, given)? == 0)),
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let is_equal = self.value(left, given)? == self.value(right, given)?;
                Some(i128::from(is_equal == (*op == BinaryOp::Equal)))
            }
            _ => None,
        }
    }
}

/// How the accesses of a section move, together.
struct Together {
    right: bool,
    left: bool,
}

impl Together {
    fn and(&mut self, mover: Mover) {
        self.right &= matches!(mover, Mover::Right | Mover::Both);
        self.left &= matches!(mover, Mover::Left | Mover::Both);
    }

    fn mover(&self) -> Mover {
        match (self.right, self.left) {
            (true, true) => Mover::Both,
            (true, false) => Mover::Right,
            (false, true) => Mover::Left,
            (false, false) => Mover::No,
        }
    }
}

/// How atomic sections move, by the place where they begin. `is_quiet` says which accesses move both ways.
pub fn sections(
    woven: &Weaver<'_>,
    own: &OwnLocks,
    is_quiet: &dyn Fn(&Accessed) -> bool,
) -> FxHashMap<(ProcedureId, NodeId), Mover> {
    let finder = Finder { woven, log: &woven.log };
    let mut accesses: FxHashMap<NodeId, Vec<&Accessed>> = FxHashMap::default();
    for access in &woven.log.accesses {
        accesses.entry(access.node).or_default().push(access);
    }
    let mut locals: FxHashSet<VariableId> = woven.old.variables.ids().collect();
    locals.extend(woven.frames.iter().flat_map(|frame| frame.variables.values().copied()));
    locals.extend(woven.threads.iter().flat_map(|thread| thread.own.values().copied()));
    let mut found: FxHashMap<(ProcedureId, NodeId), Together> = FxHashMap::default();
    for &(start, key) in &woven.log.section_starts {
        let together = found.entry(key).or_insert(Together { right: true, left: true });
        let mut open = vec![start];
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        while let Some(node) = open.pop() {
            if !seen.insert(node) || woven.log.section_ends.contains(&node) {
                continue;
            }
            if node == woven.chooser || woven.graph.nodes[node].out.is_empty() {
                together.and(Mover::No);
                continue;
            }
            for &edge in &woven.graph.nodes[node].out {
                finder.step(own, node, edge, &accesses, &locals, is_quiet, together);
                open.push(woven.graph.edges[edge].to);
            }
        }
    }
    found.into_iter().map(|(key, together)| (key, together.mover())).collect()
}

impl Finder<'_, '_> {
    /// How a step inside a section moves.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        own: &OwnLocks,
        node: NodeId,
        edge: EdgeId,
        accesses: &FxHashMap<NodeId, Vec<&Accessed>>,
        locals: &FxHashSet<VariableId>,
        is_quiet: &dyn Fn(&Accessed) -> bool,
        together: &mut Together,
    ) {
        let action = &self.woven.graph.edges[edge].action;
        match action {
            Action::Skip | Action::Assign { .. } | Action::Havoc { .. } => {}
            Action::Assume { reason: AssumeReason::User, condition, expected } => {
                // Who waits inside a section begins it only when it can go on.
                if !self.always_holds(own, node, condition, *expected) {
                    together.left = false;
                }
            }
            Action::Assume { .. } => {}
            _ => return together.and(Mover::No),
        }
        let mut is_ours = true;
        action.visit(&mut |part| {
            if let ExprPart::Place(Place { base: program::PlaceBase::Variable(id), .. }, _) = part {
                is_ours &= locals.contains(id);
            }
        });
        if !is_ours {
            return together.and(Mover::No);
        }
        for access in accesses.get(&node).into_iter().flatten() {
            let lock = access.variable.filter(|lock| own.pure.contains(lock));
            together.and(match lock {
                _ if is_quiet(access) => Mover::Both,
                Some(lock) if own.has(node, lock) => match action {
                    Action::Assign { value, .. } if access.is_write && self.number(value) == Some(0) => {
                        Mover::Left
                    }
                    _ => Mover::Both,
                },
                // Taking it, or waiting until nobody has it.
                Some(_) => Mover::Right,
                None => Mover::No,
            });
        }
    }

    /// Does what is assumed hold whenever a thread that has the lock comes here?
    fn always_holds(&self, own: &OwnLocks, node: NodeId, condition: &Expr, expected: bool) -> bool {
        let Some(known) = own.known.get(&node) else { return false };
        known.holds.iter().any(|(&variable, lock)| {
            own.has(node, *lock)
                && own.taken.get(lock).is_some_and(|&number| {
                    self.value(condition, Some((variable, number)))
                        .is_some_and(|value| (value != 0) == expected)
                })
        })
    }
}
