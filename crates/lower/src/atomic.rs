//! Atomic operations: `__sync_…`, `__atomic_…`, and what `_Atomic` objects need.
//!
//! Each is one section that nobody interrupts: `__concord_atomic_begin(order)`, the accesses of the atomic object
//! (whose places are `_Atomic`), `__VERIFIER_atomic_end()`. The order is the number that gcc gives it, 0 (relaxed) to 5
//! (sequentially consistent), plus eight times that of a compare-and-swap that fails (for others: the same). A fence is
//! an empty section with the number 64. Unlike a section that the program itself marks, it excludes only what touches
//! the same object, and orders nothing by itself.

use crate::fold;
use crate::function::FunctionLowering;
use base::Span;
use csource::tree;
use program::{Action, BinaryOp, Expr, ExprKind, Place, TypeId, TypeRef, UnaryOp};

/// `__ATOMIC_SEQ_CST`
const SEQUENTIALLY_CONSISTENT: u8 = 5;

/// In place of an order: a fence, which accesses nothing.
const FENCE: u8 = 64;

/// One call, its arguments evaluated.
struct AtomicCall<'a> {
    /// Without prefix and `_n`.
    operation: &'a str,
    /// Are operands passed by reference?
    is_generic: bool,
    /// The type of the object and its operands.
    plain: TypeRef,
    values: Vec<Expr>,
    span: Span,
}

/// What an operation leaves.
enum AtomicResult {
    Nothing,
    /// The value of the call, or what is handed back by reference.
    Old(Expr),
    /// Of a compare-and-swap that tells what it found.
    Swapped {
        swapped: Expr,
        old: Expr,
    },
}

impl AtomicCall<'_> {
    /// What an argument points to.
    fn through(&self, argument: usize) -> Option<Place> {
        Some(crate::place::dereference(self.values.get(argument)?.clone(), self.plain))
    }

    /// The memory order; one that is not a constant counts as the strongest, as gcc has it.
    fn order(&self, is_sync: bool) -> u8 {
        let position = match self.operation {
            _ if is_sync => return both(SEQUENTIALLY_CONSISTENT),
            "compare_exchange" => return self.order_at(4) | self.order_at(5) << 3,
            "test_and_set" | "clear" => 1,
            "load" if !self.is_generic => 1,
            "exchange" if self.is_generic => 3,
            _ => 2,
        };
        both(self.order_at(position))
    }

    fn order_at(&self, position: usize) -> u8 {
        match self.values.get(position).map(|value| &value.kind) {
            Some(ExprKind::Integer(order @ 0..=5)) => *order as u8,
            _ => SEQUENTIALLY_CONSISTENT,
        }
    }
}

/// An order that does not depend on success.
fn both(order: u8) -> u8 {
    order | order << 3
}

impl FunctionLowering<'_> {
    /// Begins the update of an `_Atomic` object by an assignment or `++`.
    pub fn begin_update(&mut self, span: Span) {
        self.begin_atomic(both(SEQUENTIALLY_CONSISTENT), span);
    }

    /// Begins an atomic operation.
    fn begin_atomic(&mut self, order: u8, span: Span) {
        let order = self.int_constant(i32::from(order));
        self.call_marker("__concord_atomic_begin", vec![order], span);
    }

    /// Ends it.
    pub fn end_atomic(&mut self, span: Span) {
        self.call_marker("__VERIFIER_atomic_end", Vec::new(), span);
    }

    /// `__sync_…` and `__atomic_…`: one atomic section each, with its memory order. What is passed by reference besides
    /// the atomic object is read before the section and written behind it: those are plain accesses, which others may
    /// see apart.
    pub fn atomic_builtin(
        &mut self,
        name: &str,
        arguments: &[tree::Expr],
        ty: TypeId,
        span: Span,
    ) -> Option<Expr> {
        let (operation, is_sync) = match name.strip_prefix("__atomic_") {
            Some(operation) => (operation, false),
            None => (name.strip_prefix("__sync_")?, true),
        };
        if matches!(operation, "synchronize" | "thread_fence" | "signal_fence") {
            arguments.iter().for_each(|argument| self.effect(argument));
            if operation != "signal_fence" {
                self.begin_atomic(FENCE, span);
                self.end_atomic(span);
            }
            return Some(self.placeholder(ty, span));
        }
        if matches!(operation, "always_lock_free" | "is_lock_free") {
            // Up to 8 bytes the machine does it; past that the library decides, if at all.
            let size = self.rvalue(arguments.first()?);
            let ExprKind::Integer(size @ (1 | 2 | 4 | 8)) = size.kind else { return None };
            let pointer = arguments.get(1)?;
            if size > 4 && self.linker.session.types.pointer_width() < 64 {
                return None;
            }
            self.effect(pointer);
            let one = self.int_constant(1);
            return Some(self.convert(one, ty));
        }
        let is_generic = !is_sync && !name.ends_with("_n");
        let operation = operation.strip_suffix("_n").unwrap_or(operation);
        let pointer = arguments.first()?;
        let object = match operation {
            "test_and_set" | "clear" => self.linker.session.types.integer(program::IntegerKind::UnsignedChar),
            _ => self.linker.session.types.pointee(pointer.ty.id)?.id,
        };
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.rvalue(argument);
            values.push(self.frozen(value, argument.span));
        }
        let mut place = crate::place::dereference(values[0].clone(), TypeRef::from(object));
        place.ty.qualifiers.is_atomic = true;
        let call = AtomicCall { operation, is_generic, plain: TypeRef::from(object), values, span };
        // The operands that are passed by reference are read first.
        let operand = self.atomic_operand(&call);
        let desired = match operation {
            "compare_exchange" if is_generic => {
                let through = call.through(2)?;
                Some(self.frozen(Expr::load(through), span))
            }
            _ => call.values.get(2).cloned(),
        };
        self.begin_atomic(call.order(is_sync), span);
        let result = self.atomic_operation(&call, place, operand, desired);
        self.end_atomic(span);
        // What comes back by reference is written last.
        let value = match (operation, result?) {
            ("load", AtomicResult::Old(old)) if is_generic => {
                self.assign(call.through(1)?, old, span);
                None
            }
            ("exchange", AtomicResult::Old(old)) if is_generic => {
                self.assign(call.through(2)?, old, span);
                None
            }
            (_, AtomicResult::Swapped { swapped, old }) => {
                let (fails, after) = (self.graph.add_node(span), self.graph.add_node(Span::NOWHERE));
                self.branch_on(swapped.clone(), after, fails, span);
                self.current = fails;
                self.assign(call.through(1)?, old, span);
                self.emit_to(after, Action::Skip, span);
                self.current = after;
                Some(swapped)
            }
            (_, AtomicResult::Old(value)) => Some(value),
            (_, AtomicResult::Nothing) => None,
        };
        Some(match value {
            Some(value) => self.convert(value, ty),
            None => self.placeholder(ty, span),
        })
    }

    /// The first operand of an atomic operation: read through its pointer where it is passed so.
    fn atomic_operand(&mut self, call: &AtomicCall<'_>) -> Option<Expr> {
        let is_read = matches!(call.operation, "store" | "exchange") && call.is_generic;
        if is_read || call.operation == "compare_exchange" {
            let through = call.through(1)?;
            return Some(self.frozen(Expr::load(through), call.span));
        }
        call.values.get(1).cloned()
    }

    /// What happens inside the section. `None`: no such operation.
    fn atomic_operation(
        &mut self,
        call: &AtomicCall<'_>,
        place: Place,
        operand: Option<Expr>,
        desired: Option<Expr>,
    ) -> Option<AtomicResult> {
        let span = call.span;
        let old = Expr::load(place.clone());
        Some(match call.operation {
            "load" => AtomicResult::Old(self.frozen(old, span)),
            "store" => {
                self.assign(place, operand?, span);
                AtomicResult::Nothing
            }
            "exchange" | "lock_test_and_set" => {
                let saved = self.frozen(old, span);
                self.assign(place, operand?, span);
                AtomicResult::Old(saved)
            }
            "lock_release" | "clear" => {
                let zero = self.int_constant(0);
                self.assign(place, zero, span);
                AtomicResult::Nothing
            }
            "test_and_set" => {
                let saved = self.frozen(old, span);
                let one = self.int_constant(1);
                self.assign(place, one, span);
                let int = self.int();
                let zero = self.int_constant(0);
                let zero = self.convert(zero, saved.ty);
                let types = &self.linker.session.types;
                AtomicResult::Old(fold::binary(BinaryOp::NotEqual, saved, zero, int, types))
            }
            "compare_exchange" => {
                let saved = self.frozen(old, span);
                let may_fail = !matches!(call.values.get(3), Some(Expr { kind: ExprKind::Integer(0), .. }));
                let swapped = self.compare_and_swap(place, saved.clone(), operand?, desired?, may_fail, span);
                AtomicResult::Swapped { swapped, old: saved }
            }
            "bool_compare_and_swap" => {
                let saved = self.frozen(old, span);
                AtomicResult::Old(self.compare_and_swap(place, saved, operand?, desired?, false, span))
            }
            "val_compare_and_swap" => {
                let saved = self.frozen(old, span);
                self.compare_and_swap(place, saved.clone(), operand?, desired?, false, span);
                AtomicResult::Old(saved)
            }
            _ => AtomicResult::Old(self.fetch_and_operate(call.operation, place, old, operand?, span)?),
        })
    }

    /// Swaps if the old value is the expected one; a weak swap may fail even then. Gives whether it did.
    fn compare_and_swap(
        &mut self,
        place: Place,
        old: Expr,
        expected: Expr,
        desired: Expr,
        may_fail: bool,
        span: Span,
    ) -> Expr {
        let int = self.int();
        let expected = self.convert(expected, old.ty);
        let equal = fold::binary(BinaryOp::Equal, old, expected, int, &self.linker.session.types);
        let swapped = self.save(equal, span);
        let (swap, after) = (self.graph.add_node(span), self.graph.add_node(Span::NOWHERE));
        let is_equal = self.value_of(swapped);
        self.branch_on(is_equal, swap, after, span);
        self.current = swap;
        if may_fail {
            let (goes, fails) = (self.graph.add_node(span), self.graph.add_node(span));
            let ty = self.linker.session.types.bool();
            let no = self.int_constant(0);
            let no = self.convert(no, ty);
            let failure = self.known_value("__concord_any_bool", vec![no], ty, span);
            self.branch_on(failure, fails, goes, span);
            self.current = fails;
            let zero = self.int_constant(0);
            let target = self.place_of(swapped);
            self.emit_to(after, Action::Assign { target, value: zero }, span);
            self.current = goes;
        }
        self.assign(place, desired, span);
        self.emit_to(after, Action::Skip, span);
        self.current = after;
        self.value_of(swapped)
    }

    /// `fetch_and_add`, `add_and_fetch`, `fetch_add`, `add_fetch` and so on. Atomic arithmetic wraps.
    fn fetch_and_operate(
        &mut self,
        operation: &str,
        place: Place,
        old: Expr,
        operand: Expr,
        span: Span,
    ) -> Option<Expr> {
        let returns_old = operation.starts_with("fetch_");
        let word = operation.strip_prefix("fetch_").map(|rest| rest.strip_prefix("and_").unwrap_or(rest));
        let word = word
            .or_else(|| operation.strip_suffix("_and_fetch"))
            .or_else(|| operation.strip_suffix("_fetch"))?;
        let op = match word {
            "add" => tree::BinaryOp::Add,
            "sub" => tree::BinaryOp::Subtract,
            "and" | "nand" => tree::BinaryOp::BitAnd,
            "or" => tree::BinaryOp::BitOr,
            "xor" => tree::BinaryOp::BitXor,
            _ => return None,
        };
        let saved = self.frozen(old, span);
        let types = &mut self.linker.session.types;
        let shape = types.integer_shape(saved.ty)?;
        let compute = match (shape.width, types.pointer_width()) {
            (width, _) if width <= 32 => program::IntegerKind::UnsignedInt,
            (64, _) => program::IntegerKind::UnsignedLongLong,
            _ => program::IntegerKind::UnsignedInt128,
        };
        let compute = types.integer(compute);
        // On pointers the builtins count in bytes.
        let (left, right) = (self.convert(saved.clone(), compute), self.convert(operand, compute));
        let mut new = fold::binary(op, left, right, compute, &self.linker.session.types);
        if word == "nand" {
            new = fold::unary(UnaryOp::BitNot, new, compute, &self.linker.session.types);
        }
        let new = self.convert(new, saved.ty);
        let new = self.frozen(new, span);
        self.assign(place, new.clone(), span);
        Some(if returns_old { saved } else { new })
    }
}
