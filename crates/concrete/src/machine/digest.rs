//! The state of a run in sixteen bytes: two runs of one thread each with equal digests go on alike on equal inputs,
//! but for a chance of one in 2^64 and less. The hash is SipHash-1-3 (Aumasson, Bernstein 2012).

use super::Machine;
use super::frames::Frame;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hash;

impl Machine<'_, '_> {
    /// The digest; none where several threads run.
    pub fn digest(&self) -> Option<u128> {
        if self.threads.len() > 1 {
            return None;
        }
        let mut hasher = SipHasher13::new();
        self.hash_into(&mut hasher);
        Some(hasher.finish128().as_u128())
    }

    fn hash_into(&self, hasher: &mut SipHasher13) {
        for register in self.globals.iter().chain(&self.thread.registers).chain(&self.thread.own_registers) {
            (register.bits, register.tag).hash(hasher);
        }
        for slot in self.thread.objects.iter().chain(&self.thread.own_objects) {
            slot.hash(hasher);
        }
        for Frame { procedure, node, registers, objects, stack_base, allocas, .. } in
            self.thread.frames.iter().chain([&self.frame])
        {
            (procedure, node, registers, objects, stack_base, allocas).hash(hasher);
        }
        (self.thread.atomic_depth, &self.exit_handlers).hash(hasher);
        self.memory.hash_into(hasher);
    }
}
