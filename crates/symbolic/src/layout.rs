//! What a pointer is: an object's number above an offset, in as many bits as the data model's pointers have.
//!
//! Every object has a slot of `2^offset_bits` addresses to itself and begins a quarter into it, so that pointers moved
//! a little before or past their object stay in its slot. Moving a pointer out of its slot is a failure
//! ([`FailureKind::PointerLeft`](crate::FailureKind::PointerLeft)), so the number of the object is the provenance of
//! the pointer: an access is in bounds if and only if it is in bounds of the object the pointer was made for. Number 0
//! is nobody's: null.

use crate::state::CONSTANT_MARK;
use crate::terms::Terms;
use logic::TermId;
use program::{Action, Callee, DataModel, ExprKind, Known, Program, VariableKind};

base::define_id!(
    /// An object of a run: a variable's instance, an allocation, a procedure.
    ObjectNumber,
    "obj"
);

/// How addresses are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerLayout {
    /// Bits of a pointer.
    pub width: u32,
    /// Low bits: the place in the slot.
    pub offset_bits: u32,
}

impl PointerLayout {
    /// A layout whose slots hold the program's largest variable, and, if sizes are computed at run time, as much as leaves
    /// numbers for the objects there are. It decides how much is told apart, not what is true: what is larger, or one object
    /// more, is a failure of an unknown kind.
    pub fn of(program: &Program) -> PointerLayout {
        let sizes = program.variables.iter().filter_map(|variable| program.types.size_of(variable.ty.id));
        let allocations = Allocations::of(program);
        let largest = sizes.max().unwrap_or(0).max(allocations.largest).max(1);
        let needed = 64 - largest.leading_zeros() + 2;
        match program.types.model() {
            DataModel::Lp64 => PointerLayout { width: 64, offset_bits: needed.clamp(40, 52) },
            DataModel::Ilp32 => {
                let room = allocations.objects_wanted(program).map_or(20, |objects| 32 - objects.ilog2() - 1);
                PointerLayout { width: 32, offset_bits: needed.max(room.min(26)).clamp(20, 28) }
            }
        }
    }

    /// Where in its slot an object begins.
    pub fn start(self) -> u128 {
        1 << (self.offset_bits - 2)
    }

    /// The greatest size of an object.
    pub fn largest_object(self) -> u128 {
        1 << (self.offset_bits - 2)
    }

    /// Bits of an extent that hold the size of an object plus one.
    pub fn size_bits(self) -> u32 {
        self.offset_bits - 1
    }

    /// Bits of an extent between the size and the marks: where an allocated block comes from.
    pub fn site_bits(self) -> u32 {
        self.width - CONSTANT_MARK - self.size_bits()
    }

    /// How many objects can be told apart. The last number is never given away.
    pub fn most_objects(self) -> u64 {
        1 << (self.width - self.offset_bits)
    }

    /// The address of an object's first byte.
    pub fn address(self, object: ObjectNumber) -> u128 {
        use base::Id;
        ((object.index() as u128) << self.offset_bits) | self.start()
    }

    /// The object number of a constant address.
    pub fn object_of(self, address: u128) -> u128 {
        address >> self.offset_bits
    }

    /// The offset of a constant address in its object; out of the object where it is not in it.
    pub fn offset_of(self, address: u128) -> i128 {
        (address & ((1 << self.offset_bits) - 1)) as i128 - self.start() as i128
    }

    /// The object number of an address, as a term of [`object_bits`](Self::object_bits).
    pub fn object_term(self, terms: &mut Terms, address: TermId) -> TermId {
        terms.cut(address, self.width - 1, self.offset_bits)
    }

    /// Bits of an object number.
    pub fn object_bits(self) -> u32 {
        self.width - self.offset_bits
    }

    /// Bytes from the start of the object, as a number of pointer width; before the start it is very large.
    pub fn offset_term(self, terms: &mut Terms, address: TermId) -> TermId {
        let low = terms.cut(address, self.offset_bits - 1, 0);
        let low = terms.resize(low, self.width, false);
        let start = terms.number(self.width, self.start());
        terms.sub(low, start)
    }

    /// Has a moved pointer left its slot, or come so near its end that a member of what it points to might not be in
    /// it?
    pub fn has_left(self, terms: &mut Terms, from: TermId, to: TermId) -> TermId {
        let (before, after) = (self.object_term(terms, from), self.object_term(terms, to));
        let same = terms.equal(before, after);
        let is_elsewhere = terms.not(same);
        let top = terms.cut(to, self.offset_bits - 1, self.offset_bits - 2);
        let three = terms.number(2, 3);
        let is_late = terms.equal(top, three);
        terms.or(is_elsewhere, is_late)
    }
}

/// What the steps of a program that allocate ask for.
#[derive(Default)]
struct Allocations {
    /// The largest size that is a constant.
    largest: u64,
    /// Are there others, on the stack or at all?
    computed: bool,
    /// Are there any on the heap?
    on_heap: bool,
}

impl Allocations {
    fn of(program: &Program) -> Allocations {
        let mut found = Allocations::default();
        for edge in program.edges() {
            let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &edge.action else {
                continue;
            };
            let known = program.procedures[*callee].known;
            let Some(Known::Malloc | Known::Calloc | Known::Realloc | Known::AlignedAlloc | Known::Alloca) =
                known
            else {
                continue;
            };
            found.on_heap |= known != Some(Known::Alloca);
            let factors = match known {
                Some(Known::Calloc) => &arguments[..],
                _ => &arguments[arguments.len().saturating_sub(1)..],
            };
            let bytes = factors.iter().try_fold(1_u64, |bytes, factor| match factor.kind {
                ExprKind::Integer(bits) => bytes.checked_mul(u64::try_from(bits).ok()?),
                _ => None,
            });
            match bytes {
                Some(bytes) => found.largest = found.largest.max(bytes.min(1 << 60)),
                None => found.computed = true,
            }
        }
        found
    }

    /// How many objects should be told apart, where sizes are computed: rather few, so that they may be large.
    fn objects_wanted(&self, program: &Program) -> Option<u32> {
        let is_object = |variable: &program::Variable| {
            matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral)
        };
        let fixed = program.variables.iter().filter(|variable| is_object(variable)).count();
        let fixed =
            u32::try_from(fixed + crate::meaning::named_procedures(program).len()).unwrap_or(u32::MAX);
        let others = if self.on_heap { 250 } else { 40 };
        self.computed.then(|| fixed.saturating_mul(2).saturating_add(others).min(1 << 11))
    }
}
