//! Which allocated blocks nothing points to any more when a run has ended: they are lost, whoever might still want to
//! free them. Looked for as a conservative garbage collector does (after Boehm, Weiser 1988): any word, at any byte of a
//! living object or in a register, that is the address of a byte of a block keeps that block. So a block that is called
//! lost is lost; one that is not may be.

use super::Machine;
use crate::memory::{ObjectKind, Slot, Tag};
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
        let threads = self.threads.iter().chain([&self.thread]);
        let of_threads = threads.flat_map(|thread| thread.registers.iter().chain(&thread.own_registers));
        for register in self.globals.iter().chain(of_threads) {
            self.note(register.bits, register.tag, &mut waiting);
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
