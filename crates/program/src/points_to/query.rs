//! Questions about the finished analysis.

use super::constraints::{constant, is_object, steps_of, stride_of};
use super::objects::{ObjectId, ObjectKind};
use super::offsets::OffsetInObject;
use super::regions::CellId;
use super::shape::ByteRange;
use super::{PointsTo, Target};
use crate::types::Type;
use crate::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Program, UnaryOp};
use rustc_hash::FxHashSet;

type Targets = FxHashSet<Target>;

impl PointsTo {
    pub(super) fn content_of(&self, set: super::sets::SetId) -> impl Iterator<Item = Target> {
        let set = self.sets.find_frozen(set);
        self.sets.sets[set].points.iter().map(|target| {
            let (object, offset) = self.sets.targets[target];
            Target { object, offset }
        })
    }

    fn unknown(&self) -> Target {
        Target { object: self.unknown, offset: OffsetInObject::Anywhere }
    }

    pub(super) fn evaluate(&self, program: &Program, expr: &Expr) -> Targets {
        if let Some(known) = self.values.get(expr) {
            return known.iter().flat_map(|&set| self.content_of(set)).collect();
        }
        let types = &program.types;
        if types.float_kind(expr.ty).is_some() || matches!(types.get(expr.ty), Type::Bool) {
            return Targets::default();
        }
        let blur = |targets: Targets| -> Targets {
            targets
                .into_iter()
                .map(|target| Target { offset: self.any_offset(target.object), ..target })
                .collect()
        };
        match &expr.kind {
            ExprKind::Integer(bits) if *bits != 0 && types.is_pointer(expr.ty) => {
                [self.unknown()].into_iter().collect()
            }
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Zero => Targets::default(),
            ExprKind::Load(place) => self.load(program, place),
            ExprKind::AddressOf(place) => self.address(program, place),
            ExprKind::FunctionAddress(id) => {
                let object = self.known_objects.get(&ObjectKind::Procedure(*id));
                object.map(|&object| Target { object, offset: OffsetInObject::At(0) }).into_iter().collect()
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::PointerDifference(..) => Targets::default(),
            ExprKind::Unary(_, operand) => blur(self.evaluate(program, operand)),
            ExprKind::Binary(op, ..) if op.is_comparison() => Targets::default(),
            ExprKind::Binary(op, left, right) => {
                let mut targets = self.evaluate(program, left);
                if !matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
                    targets.extend(self.evaluate(program, right));
                }
                blur(targets)
            }
            ExprKind::Cast(operand) => {
                let mut targets = self.evaluate(program, operand);
                let is_made_pointer = types.is_pointer(expr.ty) && !types.is_pointer(operand.ty);
                if is_made_pointer && operand.as_integer() != Some(0) {
                    targets.insert(self.unknown());
                }
                targets
            }
            ExprKind::PointerOffset { pointer, index } => {
                if pointer.as_integer().is_some() {
                    let mut targets = blur(self.evaluate(program, index));
                    targets.insert(self.unknown());
                    return targets;
                }
                let (stride, index) = match stride_of(pointer.ty, program) {
                    Some(stride) => (stride, constant(index, program)),
                    None => (1, None),
                };
                let moved = |target: Target| {
                    let offset = self.objects[target.object].shape.offset(target.offset, stride, index);
                    Target { offset: self.fitting_offset(target.object, offset), ..target }
                };
                self.evaluate(program, pointer).into_iter().map(moved).collect()
            }
        }
    }

    fn any_offset(&self, object: ObjectId) -> OffsetInObject {
        self.fitting_offset(object, OffsetInObject::Anywhere)
    }

    /// The offset as targets have it: procedures have one only.
    fn fitting_offset(&self, object: ObjectId, offset: OffsetInObject) -> OffsetInObject {
        match self.objects[object].kind {
            ObjectKind::Procedure(_) => OffsetInObject::At(0),
            ObjectKind::Unknown | ObjectKind::ExtraArguments => OffsetInObject::Anywhere,
            _ => offset,
        }
    }

    /// Where a place may lie.
    pub(super) fn address(&self, program: &Program, place: &Place) -> Targets {
        if let Some(&known) = self.addresses.get(place) {
            return self.content_of(known).collect();
        }
        let (steps, _) = steps_of(place, program);
        let start: Targets = match &place.base {
            PlaceBase::Variable(id) => {
                let object = self.known_objects.get(&ObjectKind::Variable(*id));
                object.map(|&object| Target { object, offset: OffsetInObject::At(0) }).into_iter().collect()
            }
            PlaceBase::Pointer(pointer) => self.evaluate(program, pointer),
        };
        let walk = |target: Target| {
            let shape = &self.objects[target.object].shape;
            let offset = steps.iter().fold(target.offset, |offset, &step| shape.step(offset, step));
            Target { offset: self.fitting_offset(target.object, offset), ..target }
        };
        start.into_iter().map(walk).collect()
    }

    fn load(&self, program: &Program, place: &Place) -> Targets {
        if let Some(id) = place.as_variable().filter(|&id| !is_object(program, id)) {
            return self.registers.get(&id).into_iter().flat_map(|&set| self.content_of(set)).collect();
        }
        let mut targets = Targets::default();
        for cell in self.touched(program, place) {
            let (object, index) = self.slot_of(cell);
            targets.extend(self.content_of(self.objects[object].slots[index].content));
        }
        targets
    }

    /// The canonical bytes of objects that an access of the place may touch.
    pub(super) fn ranges(&self, program: &Program, place: &Place) -> Vec<(ObjectId, ByteRange)> {
        let (_, size) = steps_of(place, program);
        let range_at = |target: Target| {
            let range = self.objects[target.object].shape.accessed(target.offset, size)?;
            Some((target.object, range))
        };
        self.address(program, place).into_iter().filter_map(range_at).collect()
    }

    /// The cells that an access of the place may touch, in order.
    pub(super) fn touched(&self, program: &Program, place: &Place) -> Vec<CellId> {
        let ranges = self.ranges(program, place).into_iter();
        let mut cells: Vec<CellId> =
            ranges.flat_map(|(object, range)| self.cells_in(object, range)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    pub(super) fn cells_in(&self, object: ObjectId, range: ByteRange) -> impl Iterator<Item = CellId> + '_ {
        let first = self.first_cells[object];
        self.objects[object].overlapping(range).map(move |index| super::regions::cell_after(first, index))
    }
}
