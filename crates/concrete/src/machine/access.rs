//! Memory as the program reaches it: places resolved and checked, scalars loaded and stored.

use super::frames::{NO_OBJECT, Register};
use super::{Halt, Machine, Step};
use crate::code::{Bank, Base, BitField, PlaceCode, Target, WordForm};
use crate::memory::{Location, ObjectKind, Pointer, Slot, Tag, WriteGuard};
use crate::observe::Written;
use crate::outcome::{Touched, UndefinedKind};
use crate::schedule::SharedResource;

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
}

impl Access {
    /// As a verb.
    pub fn verb(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "written",
        }
    }
}

/// An index that is outside its array.
#[derive(Clone, Copy, Debug)]
struct OutsideIndex {
    index: u64,
    is_signed: bool,
    bound: u64,
}

/// Addresses below are never given out.
pub const NULL_PAGE: u64 = 4096;

impl Machine<'_, '_> {
    /// Where `size` bytes that are read lie.
    #[inline]
    pub fn resolve_read(&mut self, place: &PlaceCode, size: usize) -> Step<Location> {
        self.resolve(place, size, Access::Read)
    }

    #[inline]
    fn resolve(&mut self, place: &PlaceCode, size: usize, access: Access) -> Step<Location> {
        let slot = match &place.base {
            Base::Frame(number) => self.frame_object(*number)?,
            Base::Static(number) => self.statics[*number as usize],
            Base::Thread(number) => self.thread.own_objects[*number as usize],
            Base::Pointer(pointer) => {
                let pointer = self.pointer(pointer)?;
                let (offset, outside) = self.offset(place)?;
                let address = self.cut_address(pointer.address.wrapping_add(offset));
                if let Some(outside) = outside {
                    let stays = self.memory.locate(Pointer { address, tag: pointer.tag }, size).is_some();
                    self.index_out_of_bounds(outside, stays)?;
                }
                if self.settings.strictness.alignment && !address.is_multiple_of(u64::from(place.alignment)) {
                    self.misaligned(address, place.alignment, access)?;
                }
                let at = self.find(Pointer { address, tag: pointer.tag }, size, access)?;
                self.touch(at, size, access, place.is_atomic)?;
                return Ok(at);
            }
            Base::Unsupported(why) => {
                let why = why.to_string();
                return Err(self.unsupported(why));
            }
        };
        let (offset, outside) = self.offset(place)?;
        let available = self.memory.object(slot).size() as u64;
        let stays = offset <= available && size as u64 <= available - offset;
        if let Some(outside) = outside {
            self.index_out_of_bounds(outside, stays)?;
        }
        if stays {
            let at = Location { slot, offset: offset as usize };
            self.touch(at, size, access, place.is_atomic)?;
            return Ok(at);
        }
        let base = self.memory.pointer_to(slot);
        let address = self.cut_address(base.address.wrapping_add(offset));
        Err(self.bad_access(Pointer { address, tag: base.tag }, size, access))
    }

    /// Bytes from a place's base, and the first index on the way that is outside its array.
    #[inline]
    fn offset(&mut self, place: &PlaceCode) -> Step<(u64, Option<OutsideIndex>)> {
        let (mut offset, mut outside) = (place.offset, None);
        for step in &place.steps {
            let index = self.word(&step.index)?;
            if let Some(bound) = step.bound
                && index >= bound
            {
                outside = outside.or(Some(OutsideIndex { index, is_signed: step.is_signed, bound }));
            }
            offset = offset.wrapping_add(index.wrapping_mul(step.stride));
        }
        Ok((offset, outside))
    }

    /// `stays`: is the access inside the object that the array is a part of all the same?
    #[cold]
    fn index_out_of_bounds(&mut self, outside: OutsideIndex, stays: bool) -> Step<()> {
        let OutsideIndex { index, is_signed, bound } = outside;
        let shown = if is_signed { (index as i64).to_string() } else { index.to_string() };
        let is_before = is_signed && (index as i64) < 0;
        let message = match self.indexed_array(bound) {
            Some(array) if is_before => {
                format!("the index {shown} is before the start of `{array}[{bound}]`")
            }
            Some(array) => format!("the index {shown} is past the end of `{array}[{bound}]`"),
            None => {
                let elements = if bound == 1 { "element" } else { "elements" };
                format!("the index {shown} is outside an array of {bound} {elements}")
            }
        };
        let kind = if stays { UndefinedKind::InnerIndex } else { UndefinedKind::IndexOutOfBounds };
        self.undefined(kind, message, None)
    }

    /// The array of so many elements that the step at hand indexes, as the program writes it; if it is one only.
    fn indexed_array(&self, elements: u64) -> Option<String> {
        let edge = self.edge_in(&self.frame)?;
        let action = &self.program.procedures[self.frame.procedure].body.as_ref()?.edges[edge].action;
        if self.program.is_in_library(self.span_in(&self.frame)) {
            return None;
        }
        let mut names: Vec<String> = Vec::new();
        action.visit(&mut |part| {
            if let program::expr::ExprPart::Place(place, _) = part {
                names.extend(self.arrays_on_the_way(place, elements));
            }
        });
        names.sort();
        names.dedup();
        match &names[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The arrays of so many elements that a place indexes.
    fn arrays_on_the_way(&self, place: &program::Place, elements: u64) -> Vec<String> {
        use program::types::ArrayLength;
        use program::{PlaceBase, Projection, Type};
        let types = &self.program.types;
        let mut ty = match &place.base {
            PlaceBase::Variable(id) => Some(self.program.variables[*id].ty.id),
            PlaceBase::Pointer(pointer) => types.pointee(pointer.ty).map(|to| to.id),
        };
        let mut names = Vec::new();
        for (at, step) in place.path.iter().enumerate() {
            ty = match (step, ty.map(|ty| types.get(ty))) {
                (Projection::Field(record, field), _) => {
                    types.records[*record].fields.as_ref().map(|fields| fields[*field as usize].ty.id)
                }
                (Projection::Index(_), Some(Type::Array(element, length))) => {
                    if *length == ArrayLength::Known(elements) {
                        let path = place.path[..at].to_vec();
                        let array = program::Place { base: place.base.clone(), path, ty: place.ty };
                        names.push(self.program.show().place(&array));
                    }
                    Some(element.id)
                }
                _ => None,
            };
        }
        names
    }

    #[cold]
    fn misaligned(&mut self, address: u64, alignment: u32, access: Access) -> Step<()> {
        let message = format!(
            "the address {address:#x} is {}, which is not a multiple of {alignment} as its type needs",
            access.verb()
        );
        self.undefined(UndefinedKind::Misaligned, message, None)
    }

    /// Where `size` bytes a pointer points to lie, which are read or written.
    #[inline]
    pub fn locate(&mut self, pointer: Pointer, size: usize, access: Access) -> Step<Location> {
        let at = self.find(pointer, size, access)?;
        self.touch(at, size, access, false)?;
        Ok(at)
    }

    /// Where `size` bytes a pointer points to lie, which could be read or written.
    #[inline]
    pub fn find(&mut self, pointer: Pointer, size: usize, access: Access) -> Step<Location> {
        let at = match self.memory.locate(pointer, size) {
            Some(at) => at,
            None => self.locate_by_address(pointer, size, access)?,
        };
        if access == Access::Write && self.memory.object(at.slot).guard != WriteGuard::Open {
            self.guarded_write(at)?;
        }
        Ok(at)
    }

    #[inline(never)]
    fn locate_by_address(&mut self, pointer: Pointer, size: usize, access: Access) -> Step<Location> {
        if pointer.tag == Tag::NONE
            && pointer.address >= NULL_PAGE
            && let Some(slot) = self.object_at(pointer.address)
        {
            let owned = Pointer { tag: self.memory.object(slot).tag(slot), ..pointer };
            return match self.memory.locate(owned, size) {
                Some(at) => Ok(at),
                None => Err(self.bad_access(owned, size, access)),
            };
        }
        Err(self.bad_access(pointer, size, access))
    }

    #[cold]
    fn guarded_write(&mut self, at: Location) -> Step<()> {
        let object = self.memory.object(at.slot);
        let guard = object.guard;
        let description = self.describe_slot(at.slot);
        let message = format!("{} is written, but it is read-only", description.name);
        if guard == WriteGuard::ConstLocal {
            self.undefined(UndefinedKind::ReadOnlyWrite, message, Some(description))
        } else {
            let (owner, has_others) = self.owner(&self.memory.object(at.slot).kind);
            let touched = Touched {
                owner: Some(owner),
                offset: at.offset as i64,
                bytes: 1,
                size: description.size,
                is_write: true,
                has_others,
            };
            Err(self.touched(UndefinedKind::ReadOnlyWrite, message, Some(description), touched))
        }
    }

    /// A pointer that cannot be used for `size` bytes: says why.
    #[cold]
    pub fn bad_access(&mut self, pointer: Pointer, size: usize, access: Access) -> Halt {
        let verb = access.verb();
        self.note_object(
            SharedResource::Bytes(pointer.address, pointer.address.saturating_add(size as u64)),
            access == Access::Write,
        );
        let mut touched = Touched {
            owner: None,
            offset: pointer.address as i64,
            bytes: size as u64,
            size: 0,
            is_write: access == Access::Write,
            has_others: false,
        };
        let bytes = if size == 1 { "1 byte is".to_owned() } else { format!("{size} bytes are") };
        if let Some(slot) = self.memory.living(pointer.tag) {
            let description = self.describe_slot(slot);
            let object = self.memory.object(slot);
            let (owner, has_others) = self.owner(&object.kind);
            touched = Touched { owner: Some(owner), size: description.size, has_others, ..touched };
            if matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Stream(_)) {
                let message = format!("{bytes} {verb} in {}, which is no data", description.name);
                return self.touched(UndefinedKind::OutOfBounds, message, Some(description), touched);
            }
            let mut offset = pointer.address.wrapping_sub(object.base) as i64;
            if self.memory.word() == 4 {
                offset = i64::from(offset as i32);
            }
            touched.offset = offset;
            let whole = description.size;
            let place = if offset < 0 {
                format!("{} before the start of", count_bytes(offset.unsigned_abs()))
            } else if offset as u64 >= whole {
                match offset as u64 - whole {
                    0 => "just past the end of".to_owned(),
                    past => format!("{} past the end of", count_bytes(past)),
                }
            } else {
                format!("at offset {offset} of")
            };
            let message = format!("{bytes} {verb} {place} {} ({})", description.name, count_bytes(whole));
            return self.touched(UndefinedKind::OutOfBounds, message, Some(description), touched);
        }
        if pointer.tag == Tag::NONE && pointer.address < NULL_PAGE {
            let message = match pointer.address {
                0 => format!("a null pointer is dereferenced: {bytes} {verb}"),
                offset => format!(
                    "a null pointer is dereferenced: {bytes} {verb} {} behind it",
                    count_bytes(offset)
                ),
            };
            return self.touched(UndefinedKind::NullDereference, message, None, touched);
        }
        let dead = match pointer.tag {
            Tag::NONE => self.memory.remembered_at(pointer.address),
            tag => self.memory.remembered(tag),
        };
        let Some(dead) = dead.cloned() else {
            if pointer.tag != Tag::NONE {
                let message = format!("{bytes} {verb} in an object whose life has ended");
                return self.undefined_always(UndefinedKind::UseAfterFree, message, None);
            }
            let message = format!("{bytes} {verb} at the address {:#x}, where no object is", pointer.address);
            return self.touched(UndefinedKind::WildPointer, message, None, touched);
        };
        let description = self.describe_dead(&dead);
        let (owner, has_others) = self.owner(&dead.kind);
        let offset = pointer.address.wrapping_sub(dead.base) as i64;
        touched = Touched { owner: Some(owner), offset, size: dead.size, has_others, ..touched };
        let (kind, ended) = match dead.kind {
            ObjectKind::Heap(_) => (UndefinedKind::UseAfterFree, "after it was freed"),
            _ => (UndefinedKind::UseAfterScope, "after its life ended"),
        };
        let message = format!("{bytes} {verb} in {} {ended}", description.name);
        self.touched(kind, message, Some(description), touched)
    }

    /// A pointer was moved: has it left its object?
    pub fn check_moved(&mut self, from: Pointer, to: Pointer) -> Step<()> {
        let slot = match from.tag {
            Tag::NONE => self.object_at(from.address),
            tag => self.memory.living(tag),
        };
        let Some(slot) = slot else { return Ok(()) };
        let object = self.memory.object(slot);
        if to.address.wrapping_sub(object.base) > object.size() as u64 {
            let description = self.describe_slot(slot);
            let message = format!("a pointer is moved out of {}", description.name);
            self.undefined(UndefinedKind::PointerArithmetic, message, Some(description))?;
        }
        Ok(())
    }

    /// The address of a place; nothing is accessed.
    #[inline]
    pub fn address_of(&mut self, place: &PlaceCode) -> Step<Pointer> {
        let base = match &place.base {
            Base::Frame(number) => {
                let slot = self.frame_object(*number)?;
                self.memory.pointer_to(slot)
            }
            Base::Static(number) => self.memory.pointer_to(self.statics[*number as usize]),
            Base::Thread(number) => self.memory.pointer_to(self.thread.own_objects[*number as usize]),
            Base::Pointer(pointer) => self.pointer(pointer)?,
            Base::Unsupported(why) => {
                let why = why.to_string();
                return Err(self.unsupported(why));
            }
        };
        let (offset, outside) = self.offset(place)?;
        if let Some(outside) = outside {
            self.index_out_of_bounds(outside, true)?;
        }
        Ok(Pointer { address: self.cut_address(base.address.wrapping_add(offset)), tag: base.tag })
    }

    /// Loads a word.
    #[inline]
    pub fn load_word(&mut self, at: Location, form: WordForm) -> Step<u64> {
        match form {
            WordForm::Whole { size, shape, is_bool } => {
                let size = size as usize;
                let object = self.memory.object(at.slot);
                if !object.is_written(at.offset, size) {
                    self.unwritten_memory(at, size)?;
                }
                let bits = self.memory.object(at.slot).load(at.offset, size);
                self.note_pointer_bytes(at, size)?;
                if is_bool {
                    return self.checked_bool(bits);
                }
                Ok(shape.extend(bits))
            }
            WordForm::Bits(field) => self.load_bits(at, field),
        }
    }

    fn checked_bool(&mut self, bits: u64) -> Step<u64> {
        if bits > 1 {
            let message = format!("a `_Bool` is read whose byte is {bits}, neither 0 nor 1");
            self.undefined(UndefinedKind::InvalidBool, message, None)?;
        }
        Ok(bits)
    }

    fn load_bits(&mut self, at: Location, field: BitField) -> Step<u64> {
        let size = field.bytes as usize;
        let mask = field_mask(field);
        let object = self.memory.object(at.slot);
        if !object.written.is_empty() {
            let mut written = [0; 16];
            written[..size].copy_from_slice(&object.written[at.offset..at.offset + size]);
            if u128::from_le_bytes(written) & mask != mask {
                self.unwritten_memory(at, size)?;
            }
        }
        self.touch_unit(at, field, Access::Read)?;
        let bits = self.memory.object(at.slot).load_wide(at.offset, size);
        self.note_pointer_bytes(at, size)?;
        Ok(field.shape.extend((bits >> field.shift) as u64))
    }

    /// Loads a wide value.
    pub fn load_wide(&mut self, at: Location, size: usize) -> Step<u128> {
        if !self.memory.object(at.slot).is_written(at.offset, size) {
            self.unwritten_memory(at, size)?;
        }
        self.note_pointer_bytes(at, size)?;
        Ok(self.memory.object(at.slot).load_wide(at.offset, size))
    }

    /// Bytes are read as a number: if they are those of a pointer, it depends on where its object lies.
    #[inline]
    pub fn note_pointer_bytes(&mut self, at: Location, size: usize) -> Step<()> {
        let object = self.memory.object(at.slot);
        if self.settings.strictness.layout && object.has_address_bytes(at.offset, size, self.memory.word()) {
            return self.depends_on_layout("a number read from the bytes of a pointer");
        }
        Ok(())
    }

    /// Loads a pointer.
    #[inline]
    pub fn load_pointer(&mut self, at: Location) -> Step<Pointer> {
        let word = self.memory.word();
        if !self.memory.object(at.slot).is_written(at.offset, word) {
            self.unwritten_memory(at, word)?;
        }
        Ok(self.memory.load_pointer(at))
    }

    /// Stores a word.
    #[inline]
    pub fn store_word(&mut self, at: Location, form: WordForm, value: u64) {
        let word = self.memory.word();
        match form {
            WordForm::Whole { size, .. } => {
                self.memory.object_mut(at.slot).store(at.offset, size as usize, value, word);
            }
            WordForm::Bits(field) => {
                let mask = field_mask(field);
                let object = self.memory.object_mut(at.slot);
                let size = field.bytes as usize;
                let placed = (u128::from(value) << field.shift) & mask;
                let bits = object.load_wide(at.offset, size) & !mask | placed;
                let range = at.offset..at.offset + size;
                let all = u128::MAX >> (128 - 8 * size);
                let keeps_address = mask != all && object.has_address_bytes(at.offset, size, word);
                object.bytes[range.clone()].copy_from_slice(&bits.to_le_bytes()[..size]);
                if !object.written.is_empty() {
                    for (written, mask) in object.written[range.clone()].iter_mut().zip(mask.to_le_bytes()) {
                        *written |= mask;
                    }
                }
                object.forget_tags(at.offset, size, word);
                if keeps_address {
                    // The other bits are still those of the address.
                    object.mark_pieces(range);
                }
            }
        }
    }

    /// Where a target in memory lies. A variable's own place may be written even if it is `const`: that is how it is
    /// initialised.
    #[inline]
    pub fn resolve_write(&mut self, place: &PlaceCode, size: usize) -> Step<Location> {
        self.resolve(place, size, Access::Write)
    }

    /// Writes a word to a target.
    #[inline]
    pub fn write_word(&mut self, target: &Target, form: WordForm, value: u64) -> Step<()> {
        match target {
            Target::Register(register) => {
                let index = self.frame.registers + *register as usize;
                self.thread.registers[index] = Register::word(value);
            }
            Target::Shared(bank, register) => {
                self.shared(*bank)[*register as usize] = Register::word(value);
            }
            Target::Memory(place) => {
                let at = self.resolve_write(place, form.size())?;
                if let WordForm::Bits(field) = form {
                    self.touch_unit(at, field, Access::Write)?;
                }
                self.store_word(at, form, value);
                if self.world.observer.is_some() {
                    self.note_written(u128::from(cut(form, value)), Some(at));
                }
                return Ok(());
            }
        }
        if self.world.observer.is_some() {
            self.note_written(u128::from(cut(form, value)), None);
        }
        Ok(())
    }

    /// Writes a pointer to a target.
    #[inline]
    pub fn write_pointer(&mut self, target: &Target, value: Pointer) -> Step<()> {
        let mut at = None;
        let register = Register { bits: value.address, tag: value.tag };
        match target {
            Target::Register(number) => {
                self.thread.registers[self.frame.registers + *number as usize] = register;
            }
            Target::Shared(bank, number) => self.shared(*bank)[*number as usize] = register,
            Target::Memory(place) => {
                let found = self.resolve_write(place, self.memory.word())?;
                self.memory.store_pointer(found, value);
                at = Some(found);
            }
        }
        if self.world.observer.is_some() {
            self.note_written(u128::from(value.address), at);
        }
        Ok(())
    }

    /// Writes a wide value to a target.
    pub fn write_wide(&mut self, target: &Target, size: usize, value: u128) -> Step<()> {
        let mut at = None;
        match target {
            Target::Register(number) => {
                let index = self.frame.registers + *number as usize;
                put_wide(&mut self.thread.registers, index, value);
            }
            Target::Shared(bank, number) => put_wide(self.shared(*bank), *number as usize, value),
            Target::Memory(place) => {
                let found = self.resolve_write(place, size)?;
                let word = self.memory.word();
                self.memory.object_mut(found.slot).store_wide(found.offset, size, value, word);
                at = Some(found);
            }
        }
        if self.world.observer.is_some() {
            self.note_written(value, at);
        }
        Ok(())
    }

    fn note_written(&mut self, bits: u128, at: Option<Location>) {
        let address = at.map(|at| self.memory.object(at.slot).base + at.offset as u64);
        self.written = Some(Written { bits, address });
    }

    /// Takes away a target's value.
    pub fn mark(&mut self, target: &Target, size: usize, mark: Tag) -> Step<()> {
        match target {
            Target::Register(number) => {
                let index = self.frame.registers + *number as usize;
                self.thread.registers[index] = Register { bits: 0, tag: mark };
            }
            Target::Shared(bank, number) => {
                self.shared(*bank)[*number as usize] = Register { bits: 0, tag: mark };
            }
            Target::Memory(place) => {
                let at = self.resolve_write(place, size)?;
                let word = self.memory.word();
                self.memory.object_mut(at.slot).make_unwritten(at.offset, size, word);
            }
        }
        Ok(())
    }

    /// The slot of the object a pointer belongs to, if it lives.
    pub fn object_of(&self, pointer: Pointer) -> Option<Slot> {
        match pointer.tag {
            Tag::NONE => self.object_at(pointer.address),
            tag => self.memory.living(tag),
        }
        .filter(|&slot| slot != NO_OBJECT)
    }

    /// A shared register without a value, filled or reported; see [`Self::unwritten_register`].
    #[cold]
    pub fn unwritten_shared(&mut self, bank: Bank, register: u32, mark: Tag) -> Step<Register> {
        let table = match bank {
            Bank::Global => &self.code.global_registers,
            Bank::Thread => &self.code.thread_registers,
        };
        let variable = table.iter().find(|(_, first)| *first == register).map(|(variable, _)| *variable);
        let variable = variable.expect("every shared register belongs to a variable");
        if mark == Tag::EXTERNAL {
            return self.external_register(variable);
        }
        self.no_value(variable, mark)
    }
}

fn put_wide(registers: &mut [Register], index: usize, value: u128) {
    registers[index] = Register::word(value as u64);
    registers[index + 1] = Register::word((value >> 64) as u64);
}

fn field_mask(field: BitField) -> u128 {
    ((1u128 << field.shape.width) - 1) << field.shift
}

fn cut(form: WordForm, value: u64) -> u64 {
    match form {
        WordForm::Whole { shape, .. } => shape.cut(value),
        WordForm::Bits(field) => field.shape.cut(value),
    }
}

/// Such as "3 bytes".
pub fn count_bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
