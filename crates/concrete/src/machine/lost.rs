//! Which allocated blocks nothing points to any more when a run has ended: they are lost, whoever might still want to
//! free them. Looked for as a conservative garbage collector does (after Boehm, Weiser 1988): any word, at any byte of
//! a living object or in a register, that is the address of a byte of a block keeps that block. So a block that is
//! called lost is lost; one that is not may be.

use super::Machine;
use super::frames::Frame;
use crate::code::Home;
use crate::memory::{ObjectKind, Slot, Tag};
use base::Id;
use program::expr::{Access, ExprPart};
use program::{Action, Graph, NodeId, PlaceBase, VariableId, VariableKind};
use rustc_hash::FxHashSet;

impl Machine<'_, '_> {
    /// The allocated blocks that live: first those that nothing points to. And how many of these there are.
    pub(super) fn blocks_left(&self) -> (Vec<Slot>, usize) {
        if self.memory.living_blocks().next().is_none() {
            return (Vec::new(), 0);
        }
        let pointed_to = self.pointed_to();
        let (kept, mut blocks): (Vec<Slot>, Vec<Slot>) =
            self.memory.living_blocks().partition(|slot| pointed_to.contains(slot));
        let lost = blocks.len();
        blocks.extend(kept);
        (blocks, lost)
    }

    /// The blocks that can be got to from variables and active calls, through other blocks too.
    fn pointed_to(&self) -> FxHashSet<Slot> {
        let mut waiting = Vec::new();
        for register in &self.globals {
            self.note(register.bits, register.tag, &mut waiting);
        }
        for (thread, innermost) in
            self.threads.iter().map(|thread| (thread, None)).chain([(&self.thread, Some(&self.frame))])
        {
            let past = self.of_past_steps(thread.frames.iter().chain(innermost));
            let own = thread.registers.iter().enumerate().filter(|(at, _)| !past.contains(at));
            for register in own.map(|(_, register)| register).chain(&thread.own_registers) {
                self.note(register.bits, register.tag, &mut waiting);
            }
        }
        for slot in self.memory.slots() {
            if !matches!(self.memory.object(slot).kind, ObjectKind::Heap(_)) {
                self.look_through(slot, &mut waiting);
            }
        }
        let mut found = FxHashSet::default();
        while let Some(slot) = waiting.pop() {
            if found.insert(slot) {
                self.look_through(slot, &mut waiting);
            }
        }
        found
    }

    /// The registers of temporaries that no step will read any more: what they hold is no variable's value.
    fn of_past_steps<'f>(&self, frames: impl Iterator<Item = &'f Frame>) -> FxHashSet<usize> {
        let mut past = FxHashSet::default();
        for frame in frames {
            let procedure = &self.program.procedures[frame.procedure];
            let Some(body) = &procedure.body else { continue };
            for &local in &procedure.locals {
                if self.program.variables[local].kind == VariableKind::Temporary
                    && let Home::Register(number) = self.code.homes[local]
                    && !is_read_after(body, NodeId::from_index(frame.node as usize), local)
                {
                    past.insert(frame.registers + number as usize);
                }
            }
        }
        past
    }

    /// Every word in an object that may be a pointer to a block.
    fn look_through(&self, slot: Slot, found: &mut Vec<Slot>) {
        let object = self.memory.object(slot);
        for tag in &object.tags {
            self.note(0, *tag, found);
        }
        let word = self.memory.word();
        for bytes in object.bytes.windows(word) {
            if bytes.iter().any(|&byte| byte != 0) {
                let address = bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
                self.note(address, Tag::NONE, found);
            }
        }
    }

    fn note(&self, address: u64, tag: Tag, found: &mut Vec<Slot>) {
        let is_block = |slot: &Slot| matches!(self.memory.object(*slot).kind, ObjectKind::Heap(_));
        let by_tag = (!tag.is_mark()).then(|| self.memory.living(tag)).flatten();
        found.extend(by_tag.filter(is_block));
        found.extend(self.object_at(address).filter(is_block));
    }
}

/// May a step from this place on read the variable before it is given another value?
fn is_read_after(body: &Graph, from: NodeId, variable: VariableId) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        for (_, edge) in body.out(node) {
            let mut reads = false;
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, access) = part
                    && let PlaceBase::Variable(id) = place.base
                {
                    reads |= id == variable && access != Access::Write;
                }
            });
            if reads {
                return true;
            }
            let written = match &edge.action {
                Action::Assign { target, .. }
                | Action::Call { result: Some(target), .. }
                | Action::Havoc { target, .. } => target.as_variable(),
                _ => None,
            };
            if written != Some(variable) {
                open.push(edge.to);
            }
        }
    }
    false
}
