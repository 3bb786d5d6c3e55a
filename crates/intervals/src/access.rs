//! Accesses in an abstract state: which bytes are touched, and what can go wrong with that.

use crate::blocks;
use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::domain::integers::IntegerSet;
use crate::domain::number::Number;
use crate::domain::operators::{Certainty, truth_of};
use crate::domain::pointers::{ObjectId, Pointers};
use crate::evaluate::{Evaluator, Subject};
use crate::lives;
use program::expr::Access;
use program::{BinaryOp, Place, PlaceBase, Type, VariableKind};

impl Evaluator<'_, '_> {
    /// The targets of an access of so many bytes to a place; see [`Evaluator::touched`].
    pub fn accessed(
        &mut self,
        pointers: &Pointers,
        size: u64,
        place: &Place,
        access: Access,
    ) -> Option<Pointers> {
        let is_through_pointer = matches!(place.base, PlaceBase::Pointer(_));
        let size = Number::only(i128::from(size));
        self.touched(pointers, &size, is_through_pointer, access, Subject::Place(place))
    }

    /// The targets of an access of so many bytes: null, what lies outside its object and what has ended is
    /// noted and left out. No bytes may be accessed anywhere. `None` if no run gets past it.
    pub fn touched(
        &mut self,
        pointers: &Pointers,
        size: &Number,
        is_through_pointer: bool,
        access: Access,
        subject: Subject<'_>,
    ) -> Option<Pointers> {
        let sizes = size.hull()?;
        if sizes.high <= 0 && !matches!(subject, Subject::Place(_)) {
            return Some(pointers.clone());
        }
        let can_be_nothing = sizes.low <= 0 && !matches!(subject, Subject::Place(_));
        // A place that is written by name may be a constant that is initialised; a library function initialises
        // nothing.
        let must_be_writable =
            access == Access::Write && (is_through_pointer || matches!(subject, Subject::Argument { .. }));
        let does = if access == Access::Write { "writes" } else { "reads" };
        let bytes = |size: &Number| match size.single() {
            Some(1) => "1 byte".to_owned(),
            Some(size) => format!("{size} bytes"),
            None => "bytes".to_owned(),
        };
        if is_through_pointer {
            let certainty = Certainty::of(pointers.can_be_null, pointers.can_be_not_null() || can_be_nothing);
            let is = if certainty == Certainty::Definite { "is" } else { "may be" };
            self.note_in_detail(CheckKind::NullDereference, certainty, subject, |function, shown| {
                format!("`{function}` {does} {} at `{shown}`, which {is} null", bytes(size))
            });
            if pointers.can_be_anything {
                self.note_in_detail(
                    CheckKind::UnknownPointer,
                    Certainty::Possible,
                    subject,
                    |function, shown| {
                        format!("`{function}` {does} at `{shown}`, about which nothing is known")
                    },
                );
            }
        }
        let mut kept = if pointers.can_be_anything { Pointers::not_null() } else { Pointers::none() };
        let mut is_out = false;
        let (mut blocks, mut variables, mut read_only) =
            ((0, false, false), (0, false, false), (false, false));
        let mut room = None;
        for (object, offset) in pointers.targets() {
            let kind = self.context.kind_of(*object);
            let sizes_known = blocks::size_of(self.context, self.state, *object);
            if matches!(kind, ObjectKind::Procedure(_)) {
                is_out = true;
                continue;
            }
            let (can_have_ended, can_live) = match kind {
                ObjectKind::Variable(id) if self.context.is_global(id) || !is_through_pointer => {
                    (false, true)
                }
                _ => lives::can_be(self.state, *object),
            };
            let counted = match kind {
                ObjectKind::Allocation(..) => Some(&mut blocks),
                ObjectKind::Variable(id) if !self.context.is_global(id) => Some(&mut variables),
                _ => None,
            };
            if let Some((count, ended, lives)) = counted {
                *count += 1;
                *ended |= can_have_ended;
                *lives |= can_live;
            }
            if !can_live {
                continue;
            }
            if self.is_read_only(kind) {
                read_only.0 = true;
                if must_be_writable && !can_be_nothing {
                    continue;
                }
            } else {
                read_only.1 = true;
            }
            match sizes_known {
                Some((least, greatest)) => {
                    let (least, greatest) = (i128::from(least), i128::from(greatest));
                    let surely = offset.meet_set(&IntegerSet::range(0, least - sizes.high.max(0)));
                    let perhaps = offset.meet_set(&IntegerSet::range(0, greatest - sizes.low.max(0)));
                    is_out |= !offset.is_within(&surely);
                    room = offset.single().map(|offset| least - offset).filter(|_| least == greatest);
                    let inside = if can_be_nothing { offset.clone() } else { perhaps };
                    if !inside.is_empty() {
                        kept = kept.join(&Pointers::to(*object, inside), self.context.arithmetic.cap);
                    }
                }
                None => {
                    is_out = true;
                    kept = kept.join(&Pointers::to(*object, offset.clone()), self.context.arithmetic.cap);
                }
            }
        }
        let is_only = !pointers.can_be_anything && !can_be_nothing;
        for (kind, (count, ended, lives), named) in [
            (CheckKind::UseAfterFree, blocks, "was freed"),
            (CheckKind::UseAfterScope, variables, "has ended"),
        ] {
            if count > 0 && is_through_pointer {
                let is_all = count == pointers.targets().len() && is_only && !pointers.can_be_null;
                let certainty = Certainty::of(ended, lives || !is_all);
                self.note_in_detail(kind, certainty, subject, |function, shown| {
                    let how = if certainty == Certainty::Definite { "" } else { "perhaps " };
                    format!("`{function}` {does} {} at `{shown}`, which {how}{named}", bytes(size))
                });
            }
        }
        if must_be_writable && read_only.0 {
            let certainty = Certainty::of(true, read_only.1 || !is_only || pointers.can_be_null);
            self.note_in_detail(CheckKind::ReadOnlyWrite, certainty, subject, |function, shown| {
                format!("`{function}` writes at `{shown}`, which must not be changed")
            });
        }
        let is_direct = !is_through_pointer && !is_out;
        if !pointers.targets().is_empty() && !is_direct {
            let certainty = Certainty::of(is_out, !kept.is_empty() || pointers.can_be_null);
            self.note_in_detail(CheckKind::OutOfBounds, certainty, subject, |function, shown| {
                match room.filter(|_| pointers.targets().len() == 1) {
                    Some(room) if certainty != Certainty::Excluded => {
                        let may = if size.single().is_some() {
                            does
                        } else {
                            &format!("may {}", &does[..does.len() - 1])
                        };
                        let count = size
                            .single()
                            .map_or_else(|| format!("up to {} bytes", sizes.high), |_| bytes(size));
                        format!("`{function}` {may} {count} at `{shown}`, which has {room}")
                    }
                    _ => format!("`{function}` {does} {} at `{shown}`", bytes(size)),
                }
            });
        }
        if can_be_nothing {
            return Some(pointers.clone());
        }
        (!kept.is_empty()).then_some(kept)
    }

    /// Do two pointers lead to the same byte?
    pub fn same_address(&self, one: &Pointers, two: &Pointers) -> Certainty {
        let mut can =
            (one.can_be_anything && two.can_be_not_null()) || (two.can_be_anything && one.can_be_not_null());
        let mut can_not = can || one.can_be_null || two.can_be_null;
        for (object, offset) in one.targets() {
            for (other, second) in two.targets() {
                let (Some(from), Some(to)) = (offset.hull(), second.hull()) else { continue };
                let meets = object == other && from.low <= to.high && to.low <= from.high;
                let is_only = from.low == from.high && to.low == to.high && self.is_one_object(*object);
                can |= meets;
                can_not |= !meets || !is_only;
            }
        }
        Certainty::of(can, can_not)
    }

    /// Does the name stand for one object at a time?
    fn is_one_object(&self, object: ObjectId) -> bool {
        self.context.cells.borrow().get(object).is_tracked || self.context.is_global_object(object)
    }

    /// Do two ranges of bytes overlap?
    pub fn overlap(
        &self,
        (one, bytes): (&Pointers, &Number),
        (two, others): (&Pointers, &Number),
    ) -> Certainty {
        let (Some(bytes), Some(others)) = (bytes.hull(), others.hull()) else { return Certainty::Excluded };
        if bytes.high <= 0 || others.high <= 0 {
            return Certainty::Excluded;
        }
        let mut can =
            (one.can_be_anything && two.can_be_not_null()) || (two.can_be_anything && one.can_be_not_null());
        let mut can_not = can || one.can_be_null || two.can_be_null;
        for (object, offset) in one.targets() {
            for (other, second) in two.targets() {
                let (Some(from), Some(to)) = (offset.hull(), second.hull()) else { continue };
                if object != other {
                    can_not = true;
                    continue;
                }
                let meets = from.low < to.high.saturating_add(others.high)
                    && to.low < from.high.saturating_add(bytes.high);
                // All choices overlap if the ones farthest apart do, with the fewest bytes.
                let always = self.is_one_object(*object)
                    && bytes.low > 0
                    && others.low > 0
                    && from.high < to.low.saturating_add(others.low)
                    && to.high < from.low.saturating_add(bytes.low);
                can |= meets;
                can_not |= !always;
            }
        }
        Certainty::of(can, can_not)
    }

    /// Do two ranges of `size` bytes share some bytes without being the same?
    pub fn overlap_in_part(&self, one: &Pointers, two: &Pointers, size: u64) -> Certainty {
        let most = i128::from(size) - 1;
        let mut can =
            (one.can_be_anything && two.can_be_not_null()) || (two.can_be_anything && one.can_be_not_null());
        for (object, offset) in one.targets() {
            for (other, second) in two.targets() {
                let (Some(from), Some(to)) = (offset.hull(), second.hull()) else { continue };
                let apart = offset.class().plus(second.class().negate());
                let (least, greatest) =
                    (from.low.saturating_sub(to.high).max(-most), from.high.saturating_sub(to.low).min(most));
                can |= object == other
                    && (apart.at_least(least.max(1)).is_some_and(|distance| distance <= greatest)
                        || apart.at_most(greatest.min(-1)).is_some_and(|distance| distance >= least));
            }
        }
        Certainty::of(can, true)
    }

    /// May the object not be changed? String literals, and objects declared `const`.
    fn is_read_only(&self, kind: ObjectKind) -> bool {
        let ObjectKind::Variable(id) = kind else { return false };
        let program = self.context.program;
        let variable = &program.variables[id];
        if variable.kind == VariableKind::StringLiteral {
            return true;
        }
        let mut ty = variable.ty;
        while let Type::Array(element, _) = program.types.get(ty.id) {
            if ty.qualifiers.is_const {
                break;
            }
            ty = *element;
        }
        ty.qualifiers.is_const && !matches!(variable.kind, VariableKind::Temporary)
    }

    /// How two pointers compare.
    pub(crate) fn compare_pointers(&self, op: BinaryOp, one: &Pointers, two: &Pointers) -> Number {
        let cells = self.context.cells.borrow();
        // Only these stand for one object each; what one call allocates may be many.
        let is_unique = |object: ObjectId| match cells.get(object).kind {
            ObjectKind::Variable(_) => cells.get(object).is_tracked,
            ObjectKind::Procedure(_) => true,
            ObjectKind::Allocation(..) => cells.get(object).is_tracked,
        };
        // One past an object may be the start of another.
        let is_inside = |object: ObjectId, offset: &Number| match cells.get(object).kind {
            // Where a variable lay whose life has ended, another may lie.
            ObjectKind::Variable(id) if !self.context.lives_always(id) => false,
            ObjectKind::Variable(_) => cells.get(object).size.is_some_and(|size| {
                offset.hull().is_some_and(|hull| hull.low >= 0 && hull.high < i128::from(size))
            }),
            ObjectKind::Procedure(_) => true,
            // Where a block was that was freed, another may be.
            ObjectKind::Allocation(..) => {
                !lives::can_be(self.state, object).0
                    && offset.hull().is_some_and(|hull| {
                        let size = blocks::size_of(self.context, self.state, object);
                        hull.low >= 0 && size.is_some_and(|(least, _)| hull.high < i128::from(least))
                    })
            }
        };
        let is_null = |p: &Pointers| p.can_be_null && !p.can_be_not_null();
        let is_single = |p: &Pointers| {
            !p.can_be_null
                && !p.can_be_anything
                && matches!(p.targets(), [(object, offset)] if is_unique(*object) && offset.single().is_some())
        };
        let can_be_anything =
            (one.can_be_anything && two.can_be_not_null()) || (two.can_be_anything && one.can_be_not_null());
        let can_equal = can_be_anything || (one.can_be_null && two.can_be_null) || {
            one.targets().iter().any(|(object, offset)| {
                two.targets().iter().any(|(other, second)| {
                    let variable = |object: ObjectId| match cells.get(object).kind {
                        ObjectKind::Variable(id) => Some(id),
                        _ => None,
                    };
                    if let (Some(one), Some(two)) = (variable(*object), variable(*other))
                        && one != two
                        && self.context.program.literals_may_share(one, two)
                    {
                        true
                    } else if object == other {
                        !is_unique(*object) || !offset.meet(second).is_empty()
                    } else {
                        !(is_inside(*object, offset) && is_inside(*other, second))
                    }
                })
            })
        };
        let must_equal = is_null(one) && is_null(two) || is_single(one) && is_single(two) && one == two;
        match op {
            BinaryOp::Equal => truth_of(!must_equal, can_equal),
            BinaryOp::NotEqual => truth_of(can_equal, !must_equal),
            _ => Number::truth(),
        }
    }
}
