//! Which bytes of memory are bytes of an address: one bit beside each cell (a shadow memory), which stores set or clear and
//! copies carry along. What a program computes from such bytes depends on where objects lie, so doing it is the failure
//! `LayoutDependent`; moving them about is not.
//!
//! The points-to analysis says which values may hold an address at all; it takes the bytes of a buffer, or the members of
//! a record that is cleared byte by byte, for one, so it alone would forbid to look at them. The shadow says it state by state.
//! A value as wide as an address needs no shadow: it is one if it has the number of an object. Example: after
//! `memset(n, 0, sizeof *n); n->next = m;` the eight bytes of `next` have the bit if `m` is not null, and those of an `int` beside it
//! do not. From the middle of a run (`any_state`) nobody knows where addresses are, so every byte may be one of them until something
//! else is written there.

use crate::meaning::CellShape;
use crate::memory::Cells;
use crate::state::State;
use crate::step::Encoder;
use crate::terms::Terms;
use logic::{Sort, TermId};
use program::points_to::RegionId;
use program::{Expr, ExprKind, Place, VariableId, VariableKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// When a value is an address or a part of one. `None`: as it looks ([`Encoder::looks_like_address`]).
pub(crate) type AddressCondition = Option<TermId>;

/// Where addresses, or parts of them, may lie in a state.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AddressBytes {
    /// One bit beside each cell of the regions that have any.
    regions: BTreeMap<RegionId, Rc<Cells>>,
    /// Integers with static storage outside memory.
    globals: BTreeMap<VariableId, TermId>,
    /// What is so of the rest: may it be anywhere, or is it nowhere?
    elsewhere: bool,
    /// Of the arguments that were evaluated last.
    passed: Vec<Vec<AddressCondition>>,
    /// Of the value that is being returned.
    returned: Vec<AddressCondition>,
}

impl AddressBytes {
    /// Nobody knows: anything may be part of an address.
    pub(crate) fn anywhere() -> AddressBytes {
        AddressBytes { elsewhere: true, ..AddressBytes::default() }
    }

    pub(crate) fn merged(&self, terms: &mut Terms, condition: TermId, other: &AddressBytes) -> AddressBytes {
        let mut merged =
            AddressBytes { elsewhere: self.elsewhere || other.elsewhere, ..AddressBytes::default() };
        // Where the sides differ in what the rest is, only what both know is kept.
        let is_alike = self.elsewhere == other.elsewhere;
        for region in self.regions.keys().chain(other.regions.keys()) {
            let (one, two) = (self.regions.get(region), other.regions.get(region));
            let cells = match (one, two) {
                (Some(one), Some(two)) if one == two => one.clone(),
                (Some(one), Some(two)) => Rc::new(one.merged(terms, condition, two)),
                (Some(one), None) | (None, Some(one)) if is_alike => {
                    let rest = all_cells(terms, one.index_bits(), self.elsewhere);
                    let (one, two) = match two {
                        None => (&**one, &rest),
                        Some(_) => (&rest, &**one),
                    };
                    Rc::new(one.merged(terms, condition, two))
                }
                _ => continue,
            };
            merged.regions.insert(*region, cells);
        }
        for variable in self.globals.keys().chain(other.globals.keys()) {
            let rest = |terms: &mut Terms| if merged.elsewhere { terms.yes() } else { terms.no() };
            let one = self.globals.get(variable).copied().unwrap_or_else(|| rest(terms));
            let two = other.globals.get(variable).copied().unwrap_or_else(|| rest(terms));
            merged.globals.insert(*variable, terms.ite(condition, one, two));
        }
        merged
    }
}

/// Cells that are all (or none) part of an address.
fn all_cells(terms: &mut Terms, index_bits: u32, are_parts: bool) -> Cells {
    let bit = terms.number(1, u128::from(are_parts));
    Cells::new(terms.pool.const_array(Sort::BitVec(index_bits), bit), index_bits)
}

impl Encoder<'_> {
    /// Does a region keep cells that are narrower than an address, so that they have a shadow?
    fn has_address_bits(&self, region: RegionId) -> bool {
        match self.meaning.shape(region) {
            CellShape::Whole(bytes) => bytes * 8 < u64::from(self.meaning.layout.width),
            CellShape::Bytes => true,
        }
    }

    /// As far as a value shows: one as wide as an address is one if it has the number of an object; a narrower one may be
    /// a part of any.
    pub(crate) fn looks_like_address(&mut self, value: TermId) -> TermId {
        let layout = self.meaning.layout;
        if self.terms.pool.width(value) < layout.width {
            return self.terms.yes();
        }
        let object = self.terms.cut(value, layout.width - 1, layout.offset_bits);
        self.terms.is_nonzero(object)
    }

    fn resolved(&mut self, part: AddressCondition, value: TermId) -> TermId {
        part.unwrap_or_else(|| self.looks_like_address(value))
    }

    /// For each cell of an access: is it part of an address?
    fn address_bits(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        bytes: u64,
    ) -> Vec<TermId> {
        let offsets = self.cell_offsets(region, bytes);
        let known = Rc::make_mut(&mut state.addresses);
        let Some(cells) = known.regions.get_mut(&region) else {
            let all = if known.elsewhere { self.terms.yes() } else { self.terms.no() };
            return offsets.map(|_| all).collect();
        };
        let cells = Rc::make_mut(cells);
        let bits = offsets.map(|at| {
            let at = self.terms.add_number(address, u128::from(at));
            let bit = cells.load(&mut self.terms, at);
            self.terms.is_nonzero(bit)
        });
        bits.collect()
    }

    /// When what is read from memory is (part of) an address.
    pub(crate) fn address_part_at(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        value: TermId,
    ) -> TermId {
        if !self.has_address_bits(region) {
            return self.looks_like_address(value);
        }
        let width = self.terms.pool.width(value);
        let bits = self.address_bits(state, region, address, u64::from(width / 8));
        let any = self.terms.any(&bits);
        if width < self.meaning.layout.width || self.terms.truth(any) == Some(false) {
            return any;
        }
        // A whole address shows by its object; one of which only a part is here does not.
        let whole = bits.iter().fold(self.terms.yes(), |all, &bit| self.terms.and(all, bit));
        let in_part = self.terms.not(whole);
        let looks = self.looks_like_address(value);
        let shows = self.terms.or(looks, in_part);
        self.terms.and(any, shows)
    }

    /// What was written to memory is (part of) an address if the condition holds.
    pub(crate) fn set_address_part(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        value: TermId,
        part: AddressCondition,
    ) {
        if !self.has_address_bits(region) {
            return;
        }
        let part = self.resolved(part, value);
        let bytes = u64::from(self.terms.pool.width(value) / 8);
        let known = Rc::make_mut(&mut state.addresses);
        let is_same = self.terms.truth(part) == Some(known.elsewhere);
        if is_same && !known.regions.contains_key(&region) {
            return;
        }
        let (one, zero) = (self.terms.number(1, 1), self.terms.number(1, 0));
        let bit = self.terms.ite(part, one, zero);
        let width = self.meaning.layout.width;
        let elsewhere = known.elsewhere;
        let terms = &mut self.terms;
        let cells =
            known.regions.entry(region).or_insert_with(|| Rc::new(all_cells(terms, width, elsewhere)));
        let cells = Rc::make_mut(cells);
        for at in self.cell_offsets(region, bytes) {
            let at = self.terms.add_number(address, u128::from(at));
            cells.store(&mut self.terms, at, bit);
        }
    }

    /// When a variable outside memory holds (part of) an address.
    pub(crate) fn address_part_in(&mut self, state: &State, variable: VariableId, value: TermId) -> TermId {
        if self.meaning.program.types.is_pointer(self.meaning.program.variables[variable].ty.id) {
            return self.looks_like_address(value);
        }
        let is_global = self.meaning.program.variables[variable].kind == VariableKind::Global;
        let known = match is_global {
            true => state.addresses.globals.get(&variable),
            false => state.frame().addresses_in.get(&variable),
        };
        match known {
            Some(&part) => part,
            None if is_global && state.addresses.elsewhere => self.looks_like_address(value),
            None => self.terms.no(),
        }
    }

    /// A variable outside memory holds (part of) an address from now on if the condition holds.
    pub(crate) fn set_address_part_in(
        &mut self,
        state: &mut State,
        variable: VariableId,
        value: TermId,
        part: AddressCondition,
    ) {
        let declared = &self.meaning.program.variables[variable];
        if self.meaning.program.types.is_pointer(declared.ty.id) {
            return;
        }
        let part = self.resolved(part, value);
        let is_none = self.terms.truth(part) == Some(false);
        if declared.kind == VariableKind::Global {
            if !is_none || state.addresses.elsewhere || state.addresses.globals.contains_key(&variable) {
                Rc::make_mut(&mut state.addresses).globals.insert(variable, part);
            }
        } else if !is_none {
            state.frame_mut().addresses_in.insert(variable, part);
        } else if state.frame().addresses_in.contains_key(&variable) {
            state.frame_mut().addresses_in.remove(&variable);
        }
    }

    /// May what is read be (part of) an address? The analysis says so of integers; a float is asked about as an integer at its
    /// place.
    pub(crate) fn may_be_of_address(&self, load: &Expr) -> bool {
        let types = &self.meaning.program.types;
        let ExprKind::Load(place) = &load.kind else { return false };
        if types.float_kind(load.ty).is_none() || self.meaning.is_register(place) {
            return self.meaning.may_hold_address(load);
        }
        let is_as_wide =
            |id: &program::TypeId| types.is_integer(*id) && self.width(*id) == self.meaning.layout.width;
        let Some(ty) = types.ids().find(is_as_wide) else { return true };
        let place = Place { ty: ty.into(), ..(**place).clone() };
        self.meaning.may_hold_address(&Expr { kind: ExprKind::Load(Box::new(place)), ty })
    }

    /// When a scalar that was just evaluated is (part of) an address.
    pub(crate) fn address_part_of(&mut self, expr: &Expr) -> AddressCondition {
        let types = &self.meaning.program.types;
        if types.is_pointer(expr.ty) || !types.is_scalar(expr.ty) {
            return None;
        }
        let mut source = expr;
        while let ExprKind::Cast(inner) = &source.kind
            && types.is_integer(inner.ty)
        {
            source = inner;
        }
        match &source.kind {
            // Floats that hold addresses are not followed any further: reading one is using it.
            ExprKind::Load(_) if types.float_kind(source.ty).is_some() => {
                if self.may_be_of_address(source) {
                    let is_part = self.read_address;
                    self.fail(is_part, crate::FailureKind::LayoutDependent);
                }
                Some(self.terms.no())
            }
            ExprKind::Load(_) if self.may_be_of_address(source) => Some(self.read_address),
            // What is computed from a part of an address has failed where it was.
            _ => Some(self.terms.no()),
        }
    }

    /// The same for each part of a value of any type, in the order of [`Value::Parts`](crate::Value::Parts).
    pub(crate) fn address_parts_of(&mut self, expr: &Expr) -> Vec<AddressCondition> {
        if self.meaning.program.types.is_scalar(expr.ty) {
            return vec![self.address_part_of(expr)];
        }
        match &expr.kind {
            ExprKind::Load(_) => std::mem::take(&mut self.read_addresses),
            ExprKind::Zero => {
                let count = self.meaning.leaves(expr.ty).map_or(0, |leaves| leaves.len());
                vec![Some(self.terms.no()); count]
            }
            _ => Vec::new(),
        }
    }

    /// Remembers of which arguments parts of addresses are passed, for [`passed_part`](Self::passed_parts).
    pub(crate) fn pass_addresses(&mut self, state: &mut State, passed: Vec<Vec<AddressCondition>>) {
        if state.addresses.passed != passed {
            Rc::make_mut(&mut state.addresses).passed = passed;
        }
    }

    /// What was passed as an argument.
    pub(crate) fn passed_parts(&self, state: &State, position: usize) -> Vec<AddressCondition> {
        state.addresses.passed.get(position).cloned().unwrap_or_default()
    }

    /// Remembers when what is returned is part of an address, for [`returned_parts`](Self::returned_parts).
    pub(crate) fn return_addresses(&mut self, state: &mut State, returned: Vec<AddressCondition>) {
        if state.addresses.returned != returned {
            Rc::make_mut(&mut state.addresses).returned = returned;
        }
    }

    /// What was returned; nothing is known of what no `return` gave.
    pub(crate) fn returned_parts(&self, state: &mut State) -> Vec<AddressCondition> {
        match state.addresses.returned.is_empty() {
            true => Vec::new(),
            false => std::mem::take(&mut Rc::make_mut(&mut state.addresses).returned),
        }
    }

    /// Nobody knows any more what is stored in these regions.
    pub(crate) fn forget_address_parts(&mut self, state: &mut State, regions: &[RegionId]) {
        let width = self.meaning.layout.width;
        for &region in regions {
            if self.has_address_bits(region) {
                let cells = all_cells(&mut self.terms, width, true);
                Rc::make_mut(&mut state.addresses).regions.insert(region, Rc::new(cells));
            }
        }
    }

    /// When a variable outside memory holds (part of) an address; nothing where it never does, or its value shows it.
    pub fn part_of_address(&mut self, state: &State, variable: VariableId) -> Option<TermId> {
        let value = state.register(variable).filter(|_| self.meaning.may_hold_part_of_address(variable))?;
        Some(self.address_part_in(state, variable, value))
    }

    /// A variable outside memory holds (part of) an address if the condition holds.
    pub fn set_part_of_address(&mut self, state: &mut State, variable: VariableId, part: TermId) {
        if let Some(value) = state.register(variable) {
            self.set_address_part_in(state, variable, value, Some(part));
        }
    }

    /// Is it certain that addresses lie in the same places of memory in both states?
    pub fn addresses_lie_alike(&mut self, one: &State, other: &State) -> bool {
        let (one, other) = (&one.addresses, &other.addresses);
        one.elsewhere == other.elsewhere
            && one.regions.keys().chain(other.regions.keys()).all(|region| {
                let (first, second) = (one.regions.get(region), other.regions.get(region));
                let Some(bits) = first.or(second).map(|cells| cells.index_bits()) else { return true };
                let rest = all_cells(&mut self.terms, bits, one.elsewhere);
                let (first, second) =
                    (first.map_or(&rest, |cells| cells), second.map_or(&rest, |cells| cells));
                first.holds_the_same(&mut self.terms, second)
            })
    }

    /// Variables outside memory about which nothing is known: integers that may hold (part of) an address.
    pub(crate) fn any_address_parts(
        &mut self,
        registers: &BTreeMap<VariableId, TermId>,
    ) -> BTreeMap<VariableId, TermId> {
        let mut parts = BTreeMap::new();
        for (&variable, &value) in registers {
            if self.meaning.may_hold_part_of_address(variable) {
                parts.insert(variable, self.looks_like_address(value));
            }
        }
        parts
    }
}
