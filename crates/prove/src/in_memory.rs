//! The numbers in variables that lie in memory, as subjects of guesses: the ends of a ring buffer whose address is passed on are related as those in
//! variables of their own would be.

use crate::blocks::{Blocks, HeadId};
use crate::candidates::Subject;
use program::points_to::RegionId;
use program::{Place, Projection, VariableId, VariableKind};
use rustc_hash::FxHashMap;
use symbolic::StateVariable;
use symbolic::meaning::{CellShape, Leaf, at_leaf};

/// Numbers of one head that are guessed about.
const MOST: usize = 8;
/// Of one record; elements of arrays are not looked at.
const MOST_LEAVES: usize = 16;

/// Numbers at fixed addresses at a head, in regions whose scalars are accessed whole.
pub fn subjects_in_memory(blocks: &mut Blocks<'_, '_>, head: HeadId) -> Vec<Subject> {
    let memory: FxHashMap<RegionId, logic::TermId> = blocks.heads[head]
        .symbols
        .iter()
        .filter_map(|&(part, symbol)| match part {
            StateVariable::Memory(region) => Some((region, symbol)),
            _ => None,
        })
        .collect();
    let program = blocks.program;
    let of_frames = blocks.heads[head].any.frames.iter().flat_map(|frame| frame.addresses.iter());
    let encoder = &mut blocks.explorer.encoder;
    let meaning = encoder.meaning;
    let mut variables: Vec<(VariableId, u128)> =
        of_frames.filter_map(|(&id, &at)| Some((id, encoder.terms.constant(at)?))).collect();
    let statics = meaning.static_objects().into_iter();
    variables.extend(statics.map(|(id, object)| (id, meaning.layout.address(object))));
    variables.sort_unstable();
    let mut found = Vec::new();
    for (id, address) in variables {
        let variable = &program.variables[id];
        if variable.kind == VariableKind::Temporary || program.types.is_constant(variable.ty) {
            continue;
        }
        let Some(leaves) = meaning.leaves(variable.ty.id) else { continue };
        let whole = Place::variable(id, variable.ty);
        let is_element = |leaf: &Leaf| leaf.path.iter().any(|step| matches!(step, Projection::Index(_)));
        for leaf in leaves.iter().filter(|leaf| !leaf.is_raw && !is_element(leaf)).take(MOST_LEAVES) {
            let place = at_leaf(&whole, leaf);
            let (Some(shape), Some(region)) =
                (program.types.integer_shape(place.ty.id), meaning.region_of(&place))
            else {
                continue;
            };
            let Some(&array) = memory.get(&region) else { continue };
            if meaning.shape(region) != CellShape::Whole(leaf.bytes) || found.len() >= MOST {
                continue;
            }
            let at = encoder.terms.number(meaning.layout.width, address + u128::from(leaf.offset));
            let term = encoder.terms.select(array, at);
            let width = leaf.bytes as u32 * 8;
            if encoder.terms.constant(term).is_none() {
                found.push(Subject { variable: id, term, signed: shape.signed, width });
            }
        }
    }
    found
}
