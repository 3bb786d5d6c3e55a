//! Data races: two threads stand before accesses of the same bytes, one of which writes, not both atomic. Whoever makes such an access looks where the
//! others stand.
//!
//! Source: C11 5.1.2.4; that races show as two adjacent accesses is Boehm and Adve, "Foundations of the C++ concurrency memory model" (2008).

use crate::mode::{Here, ThreadIndex};
use crate::weave::Weaver;
use base::Span;
use program::{Action, AssumeReason, BinaryOp, Callee, Expr, ExprKind, NodeId, Place, ProcedureId};

/// An access that a thread is about to make.
#[derive(Clone, Debug)]
pub struct Stand {
    /// The place, as the program has it.
    pub place: Place,
    /// As the sequential program has it.
    pub renamed: Place,
    pub is_write: bool,
    pub is_atomic: bool,
    pub span: Span,
}

/// A place in the sequential program where a thread looks at the others.
pub struct RaceSite {
    pub from: NodeId,
    pub to: NodeId,
    pub thread: ThreadIndex,
    pub stand: Stand,
}

impl Weaver<'_> {
    /// The thread looks where the others stand, when that is known.
    pub fn watch(&mut self, here: Here, thread: ThreadIndex, stand: Stand) -> Here {
        // Of every two threads that race, both are followed in some run.
        if self.is_environment(thread) {
            return here;
        }
        let to = self.node(thread, stand.span);
        self.races.push(RaceSite { from: here.node, to, thread, stand });
        Here { node: to, ..here }
    }

    /// Completes the places where threads look at each other.
    pub fn finish_races(&mut self, race: ProcedureId) {
        for site in std::mem::take(&mut self.races) {
            let mut at = site.from;
            let others: Vec<(i64, ThreadIndex, Stand)> = self
                .threads
                .iter_enumerated()
                .filter(|(other, thread)| *other != site.thread && !thread.role.is_environment())
                .flat_map(|(other, thread)| {
                    let cuts = thread.cuts.iter().enumerate();
                    cuts.filter_map(move |(position, cut)| {
                        Some((position as i64 + 1, other, cut.stand.clone()?))
                    })
                })
                .filter(|(_, _, stand)| self.may_race(&site.stand, stand))
                .collect();
            for (number, other, stand) in others {
                let counter = self.terms.place(self.threads[other].counter);
                let stands_there = self.terms.holds(&counter, number, &self.new);
                let (yes, no) = self.sides(at, site.thread, stands_there, site.stand.span);
                at = no;
                let (meets, apart) = match self.same_bytes(&site.stand.renamed, &stand.renamed) {
                    Meeting::Always => (yes, None),
                    Meeting::If(condition) => {
                        let (meets, apart) = self.sides(yes, site.thread, condition, site.stand.span);
                        (meets, Some(apart))
                    }
                    Meeting::Unknown => {
                        let here = Here { node: yes, mode: crate::mode::Mode::STARTED };
                        self.give_up(
                            here,
                            site.thread,
                            "accesses of different sizes may race",
                            site.stand.span,
                        );
                        continue;
                    }
                };
                let end = self.node(site.thread, site.stand.span);
                let call = Action::Call { result: None, callee: Callee::Direct(race), arguments: Vec::new() };
                self.graph.add_edge(meets, end, call, site.stand.span);
                if let Some(apart) = apart {
                    // Nobody else stands in the way of two threads that are apart but those that come later in the list.
                    self.graph.add_edge(apart, at, Action::Skip, site.stand.span);
                }
            }
            self.graph.add_edge(at, site.to, Action::Skip, site.stand.span);
        }
    }

    fn sides(&mut self, from: NodeId, thread: ThreadIndex, condition: Expr, span: Span) -> (NodeId, NodeId) {
        let mut side = |expected: bool| {
            let node = self.node(thread, span);
            let action =
                Action::Assume { condition: condition.clone(), expected, reason: AssumeReason::Branch };
            self.graph.add_edge(from, node, action, span);
            node
        };
        (side(true), side(false))
    }

    fn may_race(&self, one: &Stand, two: &Stand) -> bool {
        (one.is_write || two.is_write)
            && !(one.is_atomic && two.is_atomic)
            && self.points_to.may_alias(self.old, &one.place, &two.place)
    }

    fn same_bytes(&mut self, one: &Place, two: &Place) -> Meeting {
        if one == two && matches!(one.base, program::PlaceBase::Variable(_)) && one.path.is_empty() {
            return Meeting::Always;
        }
        let (size, other) = (self.new.types.size_of(one.ty.id), self.new.types.size_of(two.ty.id));
        let (Some(size), Some(other)) = (size, other) else { return Meeting::Unknown };
        if size.max(other) > 16 {
            return Meeting::Unknown;
        }
        if size != other {
            return Meeting::If(self.overlap((one, size), (two, other)));
        }
        let void = self.new.types.void();
        let pointer = self.new.types.pointer(void);
        let mut address = |place: &Place| {
            let ty = self.new.types.pointer(place.ty.id);
            Expr { kind: ExprKind::AddressOf(Box::new(place.clone())), ty }.cast(pointer)
        };
        let (one, two) = (address(one), address(two));
        Meeting::If(self.terms.binary(BinaryOp::Equal, one, two))
    }
}

impl Weaver<'_> {
    /// Do two ranges of bytes have one in common? Then one of them begins inside the other.
    fn overlap(&mut self, one: (&Place, u64), two: (&Place, u64)) -> Expr {
        let byte = self.new.types.intern(program::Type::Integer(program::IntegerKind::UnsignedChar));
        let pointer = self.new.types.pointer(byte);
        let mut address = |place: &Place| {
            let ty = self.new.types.pointer(place.ty.id);
            Expr { kind: ExprKind::AddressOf(Box::new(place.clone())), ty }.cast(pointer)
        };
        let (first, second) = (address(one.0), address(two.0));
        let mut meets = self.terms.number(0, &self.new);
        for (start, other, size) in [(&first, &second, one.1), (&second, &first, two.1)] {
            for byte in 0..size {
                let index = self.terms.number(byte as i64, &self.new);
                let kind =
                    ExprKind::PointerOffset { pointer: Box::new(start.clone()), index: Box::new(index) };
                let inside = Expr { kind, ty: pointer };
                let is_there = self.terms.binary(BinaryOp::Equal, inside, other.clone());
                meets = self.terms.binary(BinaryOp::BitOr, meets, is_there);
            }
        }
        meets
    }
}

enum Meeting {
    Always,
    If(Expr),
    Unknown,
}
