//! A symbolic state (values are terms): the values of variables outside memory, frame by frame, and the memory, region by region.
//! Parts are shared between states and copied when changed.

use crate::addresses::AddressBytes;
use crate::births::Births;
use crate::memory::Cells;
use crate::terms::Terms;
use base::IndexVec;
use logic::TermId;
use program::points_to::RegionId;
use program::{ProcedureId, VariableId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An active call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Of which procedure.
    pub procedure: ProcedureId,
    /// Values of its variables outside memory. One that is missing was never written.
    pub registers: BTreeMap<VariableId, TermId>,
    /// When its integers outside memory hold (part of) an address, where they may; see the module `addresses`.
    pub addresses_in: BTreeMap<VariableId, TermId>,
    /// Addresses of its variables in memory.
    pub addresses: BTreeMap<VariableId, TermId>,
    /// What it allocated for its own life (`alloca`).
    pub own_blocks: Vec<TermId>,
    /// Variables in memory whose object is new and whose declaration was not reached yet: their contents are unknown as
    /// they are.
    pub unwritten: BTreeSet<VariableId>,
}

/// A symbolic state.
#[derive(Clone, Debug)]
pub struct State {
    /// Variables with static storage that no pointer reaches.
    pub globals: Rc<BTreeMap<VariableId, TermId>>,
    /// Active calls, outermost first.
    pub frames: Vec<Rc<Frame>>,
    /// Memory by region.
    pub regions: IndexVec<RegionId, Rc<Cells>>,
    /// Which cells were written (1) by region, as shadows of the memory: empty unless `Watch::uninitialised` asks. Static objects are always written; see the module `unwritten`.
    pub unwritten: IndexVec<RegionId, Rc<Cells>>,
    /// Which bytes are those of an address.
    pub addresses: Rc<AddressBytes>,
    /// By object number: 0 for a dead object, else its size plus one, with [`HEAP_MARK`] and [`CONSTANT_MARK`] counted
    /// from the top bit.
    pub extents: Rc<Cells>,
    /// When allocated blocks were made, if `Watch::births` asks.
    pub births: Option<Births>,
}

/// The bit of an extent, counted from the top, that marks an allocated object.
pub const HEAP_MARK: u32 = 1;
/// The bit of an extent, counted from the top, that marks what must not be written.
pub const CONSTANT_MARK: u32 = 2;

impl State {
    /// The innermost call.
    ///
    /// # Panics
    /// When no call is active: steps are taken inside calls.
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("steps are taken inside calls")
    }

    /// The innermost call, to change it.
    ///
    /// # Panics
    /// When no call is active: steps are taken inside calls.
    pub fn frame_mut(&mut self) -> &mut Frame {
        Rc::make_mut(self.frames.last_mut().expect("steps are taken inside calls"))
    }

    /// The value of a variable outside memory, if it has one.
    pub fn register(&self, variable: VariableId) -> Option<TermId> {
        self.frame().registers.get(&variable).or_else(|| self.globals.get(&variable)).copied()
    }

    /// The state that is `self` if the condition holds, and else `other`. Both are at the same place, with the same
    /// calls active.
    pub fn merged(&self, terms: &mut Terms, condition: TermId, other: &State) -> State {
        debug_assert_eq!(self.frames.len(), other.frames.len(), "merged states have the same calls");
        let globals = merge_maps(terms, condition, &self.globals, &other.globals);
        let frames = self
            .frames
            .iter()
            .zip(&other.frames)
            .map(|(one, two)| {
                if Rc::ptr_eq(one, two) || one == two {
                    return one.clone();
                }
                let mut own_blocks = one.own_blocks.clone();
                own_blocks.extend(two.own_blocks.iter().filter(|block| !one.own_blocks.contains(block)));
                Rc::new(Frame {
                    procedure: one.procedure,
                    registers: merge_terms(terms, condition, &one.registers, &two.registers),
                    addresses_in: merge_conditions(terms, condition, &one.addresses_in, &two.addresses_in),
                    addresses: merge_terms(terms, condition, &one.addresses, &two.addresses),
                    own_blocks,
                    unwritten: one.unwritten.intersection(&two.unwritten).copied().collect(),
                })
            })
            .collect();
        let merge_cells = |terms: &mut Terms, one: &Rc<Cells>, two: &Rc<Cells>| {
            if Rc::ptr_eq(one, two) || one == two {
                return one.clone();
            }
            Rc::new(one.merged(terms, condition, two))
        };
        let regions =
            self.regions.iter().zip(&other.regions).map(|(one, two)| merge_cells(terms, one, two)).collect();
        let unwritten = self.unwritten.iter().zip(&other.unwritten);
        let unwritten = unwritten.map(|(one, two)| merge_cells(terms, one, two)).collect();
        let extents = merge_cells(terms, &self.extents, &other.extents);
        let addresses =
            match Rc::ptr_eq(&self.addresses, &other.addresses) || self.addresses == other.addresses {
                true => self.addresses.clone(),
                false => Rc::new(self.addresses.merged(terms, condition, &other.addresses)),
            };
        let births = match (&self.births, &other.births) {
            (Some(one), Some(two)) => Some(one.merged(terms, condition, two)),
            _ => None,
        };
        State { globals, frames, regions, unwritten, addresses, extents, births }
    }
}

fn merge_maps(
    terms: &mut Terms,
    condition: TermId,
    one: &Rc<BTreeMap<VariableId, TermId>>,
    two: &Rc<BTreeMap<VariableId, TermId>>,
) -> Rc<BTreeMap<VariableId, TermId>> {
    if Rc::ptr_eq(one, two) || one == two {
        return one.clone();
    }
    Rc::new(merge_terms(terms, condition, one, two))
}

/// What only one side has was never written on the other, where any value will do.
fn merge_terms(
    terms: &mut Terms,
    condition: TermId,
    one: &BTreeMap<VariableId, TermId>,
    two: &BTreeMap<VariableId, TermId>,
) -> BTreeMap<VariableId, TermId> {
    let mut merged = one.clone();
    for (&variable, &value) in two {
        merged
            .entry(variable)
            .and_modify(|known| *known = terms.ite(condition, *known, value))
            .or_insert(value);
    }
    merged
}

/// What only one side has does not hold on the other.
fn merge_conditions(
    terms: &mut Terms,
    condition: TermId,
    one: &BTreeMap<VariableId, TermId>,
    two: &BTreeMap<VariableId, TermId>,
) -> BTreeMap<VariableId, TermId> {
    let variables: BTreeSet<VariableId> = one.keys().chain(two.keys()).copied().collect();
    let no = terms.no();
    let either = |variable| {
        let (first, second) = (one.get(&variable).copied(), two.get(&variable).copied());
        (variable, terms.ite(condition, first.unwrap_or(no), second.unwrap_or(no)))
    };
    variables.into_iter().map(either).collect()
}
