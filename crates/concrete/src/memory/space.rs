//! The virtual address space: where functions, static objects, the heap and the stacks lie. Deterministic.
//!
//! Between any two objects at least one byte is unused, so that the address one past the end of an object is nobody
//! else's, and an address alone tells which object it belongs to.

use super::pointer::Slot;
use program::DataModel;
use std::collections::BTreeMap;

/// Who has which address, stacks aside (frames know that).
#[derive(Clone, Debug)]
pub struct AddressSpace {
    model: DataModel,
    /// Functions and static objects by first address, ascending.
    statics: Vec<(u64, u64, Slot)>,
    next_static: u64,
    /// Heap and `alloca` objects: first address to end and slot.
    heap: BTreeMap<u64, (u64, Slot)>,
    next_heap: u64,
}

/// Behind each heap object, as malloc's own header would need.
const HEAP_GAP: u64 = 16;

impl AddressSpace {
    /// An empty space.
    pub fn new(model: DataModel) -> AddressSpace {
        let first_static = match model {
            DataModel::Ilp32 => 0x0804_8000,
            DataModel::Lp64 => 0x0040_1000,
        };
        let mut space = AddressSpace {
            model,
            statics: Vec::new(),
            next_static: first_static,
            heap: BTreeMap::new(),
            next_heap: 0,
        };
        space.next_heap = space.heap_start();
        space
    }

    fn heap_start(&self) -> u64 {
        match self.model {
            DataModel::Ilp32 => self.next_static.next_multiple_of(1 << 20) + (1 << 20),
            DataModel::Lp64 => 0x5555_5600_0000,
        }
    }

    fn heap_end(&self) -> u64 {
        match self.model {
            DataModel::Ilp32 => 0xa000_0000,
            DataModel::Lp64 => 0x7000_0000_0000,
        }
    }

    /// The stack of a thread: lowest address and one past the highest. `None` when there is no room for so many.
    pub fn stack(&self, thread: usize) -> Option<(u64, u64)> {
        let (top, first, others) = match self.model {
            DataModel::Ilp32 => (0xffff_d000u64, 256u64 << 20, 8u64 << 20),
            DataModel::Lp64 => (0x7fff_ffff_f000, 4 << 30, 256 << 20),
        };
        if thread == 0 {
            return Some((top - first, top));
        }
        let above = first + (thread as u64 - 1) * others;
        let high = top.checked_sub(above)?;
        let low = high.checked_sub(others)?;
        (low >= self.heap_end()).then_some((low, high))
    }

    /// Gives out an address for an object that lives as long as the program. `None` when the space is used up.
    pub fn place_static(&mut self, slot: Slot, size: u64, alignment: u64) -> Option<u64> {
        let base = self.next_static.checked_next_multiple_of(alignment.max(1))?;
        let end = base.checked_add(size)?;
        if end >= self.heap_end() || (self.model == DataModel::Lp64 && end >= 0x5555_0000_0000) {
            return None;
        }
        self.next_static = end + 1;
        self.next_heap = self.next_heap.max(self.heap_start());
        self.statics.push((base, end, slot));
        Some(base)
    }

    /// Gives out an address on the heap. Addresses of freed objects come again only when the space is used up.
    pub fn place_on_heap(&mut self, slot: Slot, size: u64, alignment: u64) -> Option<u64> {
        let alignment = alignment.max(16);
        let fresh = self.next_heap.checked_next_multiple_of(alignment);
        let fits = |base: &u64| base.checked_add(size).is_some_and(|end| end < self.heap_end());
        let base = match fresh.filter(fits) {
            Some(base) => {
                self.next_heap = base + size + HEAP_GAP;
                base
            }
            None => self.gap_for(size, alignment)?,
        };
        self.heap.insert(base, (base + size, slot));
        Some(base)
    }

    /// First fit between living objects.
    fn gap_for(&self, size: u64, alignment: u64) -> Option<u64> {
        let mut candidate = self.heap_start().next_multiple_of(alignment);
        for (&base, &(end, _)) in &self.heap {
            if candidate.checked_add(size)? < base {
                return Some(candidate);
            }
            candidate = (end + HEAP_GAP).checked_next_multiple_of(alignment)?;
        }
        (candidate.checked_add(size)? < self.heap_end()).then_some(candidate)
    }

    /// The object at that heap address is gone.
    pub fn release_heap(&mut self, base: u64) {
        self.heap.remove(&base);
    }

    /// The object an address lies in or just behind, stacks aside.
    pub fn object_at(&self, address: u64) -> Option<Slot> {
        if let Some((_, &(end, slot))) = self.heap.range(..=address).next_back()
            && address <= end
        {
            return Some(slot);
        }
        let after = self.statics.partition_point(|&(base, ..)| base <= address);
        let (_, end, slot) = *self.statics.get(after.checked_sub(1)?)?;
        (address <= end).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_belong_to_the_object_before() {
        let mut space = AddressSpace::new(DataModel::Lp64);
        let first = space.place_static(Slot(0), 4, 4).expect("room");
        let second = space.place_static(Slot(1), 4, 4).expect("room");
        assert!(second > first + 4);
        assert_eq!(space.object_at(first + 4), Some(Slot(0)));
        assert_eq!(space.object_at(second), Some(Slot(1)));
        assert_eq!(space.object_at(first - 1), None);
    }

    #[test]
    fn a_full_heap_gives_freed_addresses_again() {
        let mut space = AddressSpace::new(DataModel::Ilp32);
        let gigabyte = 1u64 << 30;
        let first = space.place_on_heap(Slot(0), gigabyte, 16).expect("room");
        let second = space.place_on_heap(Slot(1), gigabyte, 16).expect("room");
        assert_eq!(space.place_on_heap(Slot(2), gigabyte, 16), None);
        space.release_heap(first);
        assert_eq!(space.place_on_heap(Slot(2), gigabyte, 16), Some(first));
        assert!(space.object_at(second + 5) == Some(Slot(1)));
    }

    #[test]
    fn stacks_do_not_meet() {
        let space = AddressSpace::new(DataModel::Ilp32);
        let (low, _) = space.stack(0).expect("room");
        let (_, high) = space.stack(1).expect("room");
        assert!(high <= low);
        assert_eq!(space.stack(100_000), None);
    }
}
