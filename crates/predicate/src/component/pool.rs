//! Objects that one call of `malloc` allocates again and again: a few of them, each with a flag that says whether it is
//! taken. A call takes the first that is free; `free` gives it back; where all are taken, nothing is known. An object
//! that was freed may be the next one allocated, as in C: nobody may use the old pointer any more.
//! DIVERGENCE: the object is taken in order, where `malloc` may give any address; which one it is nobody can tell.
//!
//! Worked example: `while (next()) { p = malloc(4); if (!p) break; *p = 1; free(p); }` needs one object: it is free again
//! whenever the loop begins anew.

use super::encode::Encoder;
use super::inline::{Inliner, RawAction, RawEdge};
use super::memory::{RootKind, Target};
use super::{NoMeaning, NodeId};
use crate::component::conditions::Condition;
use base::Span;
use logic::TermId;
use program::{BinaryOp, Expr, ExprKind, Place, TypeId, VariableId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Objects that one call may have at a time.
const MOST_OBJECTS: usize = 4;

/// The objects that are allocated again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    /// The flag of each object.
    pub flags: FxHashMap<VariableId, VariableId>,
}

impl Pools {
    /// Is it the flag of an object?
    pub fn is_flag(&self, root: VariableId) -> bool {
        self.flags.values().any(|&flag| flag == root)
    }
}

/// A call that allocates.
pub(super) struct Allocation<'c> {
    pub function: &'c str,
    pub result: &'c Place,
    pub ty: TypeId,
    pub is_zeroed: bool,
    pub from: NodeId,
    pub to: NodeId,
    pub text: &'c str,
    pub span: Span,
}

impl Inliner<'_> {
    /// The ways of a call that may allocate again and again; none if the object is not understood.
    pub(super) fn allocated_from_pool(&mut self, call: &Allocation<'_>) -> Option<Vec<RawEdge>> {
        let Allocation { function, result, ty, is_zeroed, from, to, text, span } = *call;
        let int = self.memory.types.int();
        let mut ways = Vec::new();
        let mut all_before = Vec::new();
        for number in 1..=MOST_OBJECTS {
            let name = format!("*{function}#{number}()");
            let object = self.memory.add(Arc::from(name.as_str()), ty, RootKind::Local);
            let flag = self.memory.add(Arc::from(format!("{name} is taken")), int, RootKind::Local);
            self.pools.flags.insert(object, flag);
            let taken = Place::variable(flag, int);
            let is_taken = Condition::Test(Expr::load(taken.clone()));
            let mut way = RawEdge::new(from, to, text, span);
            let mut conditions: Vec<Condition> = all_before.clone();
            conditions.push(is_taken.clone().expected(false));
            way.actions.push(RawAction::Assume(Condition::All(conditions)));
            let own = self.memory.types.pointer(ty);
            let place = Box::new(Place::variable(object, ty));
            let address = Expr { kind: ExprKind::AddressOf(place), ty: own }.cast(result.ty.id);
            way.actions.push(RawAction::Assign(result.clone(), address));
            let one = Expr::integer(1, int, &self.memory.types);
            way.actions.push(RawAction::Assign(taken, one));
            if is_zeroed {
                for place in self.scalars_of(&Place::variable(object, ty))? {
                    let value = self.zero(place.ty.id);
                    way.actions.push(RawAction::Assign(place, value));
                }
            } else {
                way.actions.push(RawAction::Begin(object));
            }
            ways.push(way);
            all_before.push(is_taken);
        }
        let mut none = RawEdge::new(from, to, text, span);
        let null = Expr::integer(0, result.ty.id, &self.memory.types);
        none.actions.push(RawAction::Assign(result.clone(), null));
        ways.push(none);
        let mut too_many = RawEdge::new(from, to, text, span);
        too_many.actions.push(RawAction::Assume(Condition::All(all_before)));
        let why = format!("more than {MOST_OBJECTS} objects of this `{function}` at a time");
        too_many.trouble = Some(NoMeaning::NotSupported(why));
        ways.push(too_many);
        self.assume(format!("`{function}` returns null or a new object"));
        self.assume("pointers to what was given to `free` are not compared");
        Some(ways)
    }
}

impl Encoder<'_> {
    /// What the pointer leads to is free again.
    pub(super) fn free(&mut self, pointer: &Expr) {
        let targets = self.memory.targets(pointer);
        let address = self.value(pointer);
        for target in targets {
            let Target::At(part) = target else { continue };
            let Some(&flag) = self.pools.flags.get(&part.root).filter(|_| part.path.is_empty()) else {
                continue;
            };
            let own = self.root_address(part.root);
            let is_it = self.pool.equal(address, own);
            let flag = super::memory::ObjectPart { root: flag, path: Vec::new() };
            let Some(cell) = self.cell(&flag) else { continue };
            let (zero, old) =
                (self.pool.number(self.pool.width(self.cells[cell].symbol), 0), self.current(cell));
            let value = self.pool.ite(is_it, zero, old);
            let value = self.simplify(value);
            self.set(cell, value);
        }
    }

    /// No object is taken at the start.
    pub(super) fn nothing_taken(&mut self, initial: TermId, pools: &Pools) -> TermId {
        let mut flags: Vec<VariableId> = pools.flags.values().copied().collect();
        flags.sort_unstable();
        let mut all = vec![initial];
        for root in flags {
            let part = super::memory::ObjectPart { root, path: Vec::new() };
            let Some(cell) = self.cell_of.get(&part).copied() else { continue };
            let symbol = self.cells[cell].symbol;
            let zero = self.pool.number(self.pool.width(symbol), 0);
            all.push(self.pool.equal(symbol, zero));
        }
        self.pool.all_of(&all)
    }
}

impl super::closed::Closer<'_> {
    /// The flags of the objects that the pointer may lead to, in a run.
    pub(super) fn free(&mut self, chain: &mut super::closed::steps::Chain<'_>, pointer: &Expr) {
        let pointer = self.expr(pointer);
        let mut pools: Vec<(VariableId, VariableId)> =
            self.origins.pools.flags.iter().map(|(&object, &flag)| (object, flag)).collect();
        pools.sort_unstable();
        let int = self.int;
        for (object, flag) in pools {
            // taken = taken & (pointer != &object)
            let address = self.address(object, 0, pointer.ty);
            let is_other = self.compared(BinaryOp::NotEqual, pointer.clone(), address);
            let place = Place::variable(self.object(flag), int);
            let value = self.compared(BinaryOp::BitAnd, Expr::load(place.clone()), is_other);
            chain.add(program::Action::Assign { target: place, value });
        }
    }
}
