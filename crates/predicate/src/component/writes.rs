//! Reading and writing places: which cells are meant, under which conditions, and what an access needs to be
//! defined.

use super::encode::Encoder;
use super::memory::{Choice, ObjectPart, Resolved};
use super::{InputRole, NoMeaning};
use logic::TermId;
use program::{Expr, ExprKind, Place, TypeId, VariableId};

impl Encoder<'_> {
    /// The conditions under which a resolved place is this spot.
    fn chosen(&mut self, choices: &[Choice]) -> TermId {
        let mut all = Vec::new();
        for choice in choices {
            let same = match choice {
                Choice::PointsTo(pointer, spot) => {
                    let pointer = self.value(pointer);
                    let base = self.root_address(spot.root);
                    let offset = self.memory.byte_offset(spot);
                    let offset = self.pool.number(self.pool.width(base), i128::from(offset));
                    let address = self.pool.bvadd(base, offset);
                    self.pool.equal(pointer, address)
                }
                Choice::Index(index, at) => {
                    let index = self.value(index);
                    let at = self.pool.number(self.pool.width(index), i128::from(*at));
                    self.pool.equal(index, at)
                }
            };
            all.push(same);
        }
        let all = self.pool.all_of(&all);
        self.simplify(all)
    }

    /// Notes what an access needs to be defined, and gives each spot its condition.
    pub(super) fn accessed(&mut self, resolved: &Resolved) -> Vec<(ObjectPart, TermId)> {
        if let Some(pointer) = &resolved.null_pointer {
            let pointer = self.value(pointer);
            let set = self.pool.is_nonzero(pointer);
            self.defined.push(set);
        }
        let mut spots = Vec::new();
        for (spot, choices) in &resolved.spots {
            let chosen = self.chosen(choices);
            spots.push((spot.clone(), chosen));
        }
        if !resolved.is_unknown {
            let any: Vec<TermId> = spots.iter().map(|(_, chosen)| *chosen).collect();
            let any = self.pool.any_of(&any);
            self.defined.push(any);
        }
        spots
    }

    pub(super) fn assign(&mut self, target: &Place, value: &Expr) {
        if !self.memory.types.is_scalar(target.ty.id) {
            self.copy(target, value);
            return;
        }
        let resolved = self.memory.resolve(target);
        if self.memory.types.float_kind(target.ty.id).is_some() {
            for (spot, chosen) in self.accessed(&resolved) {
                self.write_spot(&spot, chosen, None);
            }
            return;
        }
        let value = self.value(value);
        self.write(&resolved, value);
    }

    fn write(&mut self, resolved: &Resolved, value: TermId) {
        if resolved.is_unknown {
            let why = "a write to a place that is not known".to_owned();
            self.trouble.get_or_insert(NoMeaning::NotSupported(why));
        }
        for (spot, chosen) in self.accessed(resolved) {
            self.write_spot(&spot, chosen, Some(value));
        }
    }

    /// The value of a scalar; `None` if it is not tracked.
    pub(super) fn read_spot(&mut self, spot: &ObjectPart) -> Option<TermId> {
        if self.memory.types.float_kind(self.memory.type_at(spot)?).is_some() {
            return None;
        }
        let mut value: Option<TermId> = None;
        for piece in self.memory.pieces(spot)? {
            let cell = self.cell(&piece)?;
            let own = self.current(cell);
            value = Some(match value {
                Some(low) => self.pool.concat(own, low),
                None => own,
            });
        }
        value
    }

    /// Writes a scalar where the condition holds; none for a value that is not tracked.
    fn write_spot(&mut self, spot: &ObjectPart, chosen: TermId, value: Option<TermId>) {
        let mut low = 0;
        let pieces = self.memory.pieces(spot).unwrap_or_default();
        let is_whole = pieces.len() == 1;
        for piece in pieces {
            let Some(cell) = self.cell(&piece) else { continue };
            let width = self.pool.width(self.cells[cell].symbol);
            let value = match value {
                Some(value) if is_whole => self.fitted(value, &piece, self.cells[cell].ty),
                Some(value) => self.pool.extract(value, low + width - 1, low),
                None => self.untracked(width),
            };
            low += width;
            let old = self.current(cell);
            let new = self.pool.ite(chosen, value, old);
            let new = self.simplify(new);
            self.set(cell, new);
        }
    }

    /// A value as a bit-field holds it.
    fn fitted(&mut self, value: TermId, spot: &ObjectPart, ty: TypeId) -> TermId {
        let width = self.pool.width(value);
        match (self.memory.bit_width(spot), self.memory.types.integer_shape(ty)) {
            (Some(bits), Some(shape)) if bits > 0 && bits < width => {
                let low = self.pool.extract(value, bits - 1, 0);
                if shape.signed {
                    self.pool.sign_extend(low, width - bits)
                } else {
                    self.pool.zero_extend(low, width - bits)
                }
            }
            _ => value,
        }
    }

    fn copy(&mut self, target: &Place, value: &Expr) {
        let to = self.memory.resolve(target);
        let leaves = self.memory.leaves(target.ty.id);
        let from = match &value.kind {
            ExprKind::Load(source) => Some(self.memory.resolve(source)),
            _ => None,
        };
        let is_single = |resolved: &Resolved| resolved.spots.len() == 1 && !resolved.is_unknown;
        let is_fair = is_single(&to) && from.as_ref().is_none_or(is_single);
        let (Some(leaves), true) = (leaves, is_fair) else {
            let why = "a copy of a record that is not understood".to_owned();
            self.trouble.get_or_insert(NoMeaning::NotSupported(why));
            return;
        };
        self.accessed(&to);
        if let Some(from) = &from {
            self.accessed(from);
        }
        let mut values = Vec::new();
        for leaf in leaves {
            let within = |resolved: &Resolved| {
                let mut spot = resolved.spots[0].0.clone();
                spot.path.extend(leaf.iter().copied());
                spot
            };
            let spot = within(&to);
            let value = match &from {
                Some(from) => self.read_spot(&within(from)),
                None => self.zero_at(&spot),
            };
            values.push((spot, value));
        }
        let always = self.pool.bool(true);
        for (spot, value) in values {
            self.write_spot(&spot, always, value);
        }
    }

    /// Zero, as wide as the scalar there; `None` if it is not tracked.
    fn zero_at(&mut self, spot: &ObjectPart) -> Option<TermId> {
        let shape = self.memory.types.integer_shape(self.memory.type_at(spot)?)?;
        Some(self.pool.number(shape.width, 0))
    }

    pub(super) fn unknown(
        &mut self,
        target: &Place,
        source: &str,
        fresh: Option<VariableId>,
        guards: &mut Vec<TermId>,
    ) {
        let resolved = self.memory.resolve(target);
        let Some(shape) = self.memory.types.integer_shape(target.ty.id) else {
            if self.memory.types.float_kind(target.ty.id).is_none() {
                self.unknown_record(target, &resolved, source);
            }
            return;
        };
        let value = self.input(shape.width, source, InputRole::Written(fresh));
        if let Some(root) = fresh {
            let address = self.root_address(root);
            let zero = self.pool.number(shape.width, 0);
            let (null, there) = (self.pool.equal(value, zero), self.pool.equal(value, address));
            guards.push(self.pool.or(null, there));
        }
        self.write(&resolved, value);
    }

    fn unknown_record(&mut self, target: &Place, resolved: &Resolved, source: &str) {
        let (Some(leaves), [(spot, _)], false) =
            (self.memory.leaves(target.ty.id), resolved.spots.as_slice(), resolved.is_unknown)
        else {
            let why = "an unknown record that is not understood".to_owned();
            self.trouble.get_or_insert(NoMeaning::NotSupported(why));
            return;
        };
        self.accessed(resolved);
        for leaf in leaves {
            let mut spot = spot.clone();
            spot.path.extend(leaf);
            let value = self.zero_at(&spot).map(|zero| {
                let width = self.pool.width(zero);
                self.input(width, source, InputRole::Untracked)
            });
            let always = self.pool.bool(true);
            self.write_spot(&spot, always, value);
        }
    }
}
