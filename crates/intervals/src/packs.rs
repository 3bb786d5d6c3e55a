//! Which variables are related by octagons (variable packing): those that meet in a condition, in an
//! assignment of one to the other, or that one loop counts.

use crate::domain::value::Scalar;
use crate::order::component_of;
use base::IndexVec;
use program::expr::ExprPart;
use program::{Action, BinaryOp, Expr, ExprKind, Graph, Program, VariableId, VariableKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More variables than this do not share a pack: closing costs the cube.
const MOST_VARIABLES: usize = 6;

/// Groups of plain integer variables, each of one procedure and the globals it meets.
#[derive(Debug, Default)]
pub struct Packs {
    members: Vec<Vec<VariableId>>,
    of: FxHashMap<VariableId, Vec<(u32, usize)>>,
}

impl Packs {
    /// Groups the variables of a program.
    pub fn of(program: &Program, scalars: &IndexVec<VariableId, Option<Scalar>>) -> Packs {
        let mut packs = Packs::default();
        for procedure in &program.procedures {
            let Some(body) = &procedure.body else { continue };
            let mut groups: Vec<Vec<VariableId>> = Vec::new();
            for edge in &body.edges {
                let mut met = Vec::new();
                match &edge.action {
                    Action::Assume { condition, .. } => {
                        plain_variables(condition, program, scalars, &mut met)
                    }
                    Action::Assign { target, value } => {
                        // Only sums of a variable and a constant, or of two, relate.
                        if let Some(id) = target.as_variable().filter(|&id| is_related(id, program, scalars))
                        {
                            plain_variables(value, program, scalars, &mut met);
                            if !met.is_empty() && met.len() <= 2 {
                                met.push(id);
                            } else {
                                met.clear();
                            }
                        }
                    }
                    _ => {}
                }
                met.sort_unstable();
                met.dedup();
                if met.len() >= 2 {
                    join_groups(&mut groups, &met);
                }
            }
            for together in counted_together(body, program, scalars) {
                join_groups(&mut groups, &together);
            }
            for group in groups {
                let pack = packs.members.len() as u32;
                for (place, &id) in group.iter().enumerate() {
                    packs.of.entry(id).or_default().push((pack, place));
                }
                packs.members.push(group);
            }
        }
        packs
    }

    /// The packs a variable is in, with its place there.
    pub fn of_variable(&self, id: VariableId) -> &[(u32, usize)] {
        self.of.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The variables of a pack.
    pub fn members(&self, pack: u32) -> &[VariableId] {
        &self.members[pack as usize]
    }

    /// The packs that have all of these variables, with the places.
    pub fn with_both(&self, one: VariableId, two: VariableId) -> Vec<(u32, usize, usize)> {
        let mut found = Vec::new();
        for &(pack, place) in self.of_variable(one) {
            for &(other, second) in self.of_variable(two) {
                if pack == other {
                    found.push((pack, place, second));
                }
            }
        }
        found
    }

    /// Is there no pack?
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// For each loop the variables that are moved by constants in it: they often keep their distance.
fn counted_together(
    body: &Graph,
    program: &Program,
    scalars: &IndexVec<VariableId, Option<Scalar>>,
) -> Vec<Vec<VariableId>> {
    let components = component_of(body);
    let mut counted: BTreeMap<usize, Vec<VariableId>> = BTreeMap::new();
    for edge in &body.edges {
        let Some(component) = components[edge.from] else { continue };
        if components[edge.to] != Some(component) {
            continue;
        }
        let Action::Assign { target, value } = &edge.action else { continue };
        let Some(id) = target.as_variable().filter(|&id| is_related(id, program, scalars)) else { continue };
        let mut read = Vec::new();
        plain_variables(value, program, scalars, &mut read);
        let is_sum = matches!(value.kind, ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..));
        if is_sum && read == [id] {
            counted.entry(component).or_default().push(id);
        }
    }
    let mut found: Vec<Vec<VariableId>> = counted.into_values().collect();
    for together in &mut found {
        together.sort_unstable();
        together.dedup();
    }
    found.retain(|together| together.len() >= 2);
    found
}

fn is_related(id: VariableId, program: &Program, scalars: &IndexVec<VariableId, Option<Scalar>>) -> bool {
    let variable = &program.variables[id];
    !variable.in_memory
        && variable.kind != VariableKind::StringLiteral
        && matches!(scalars[id], Some(Scalar::Integer(shape)) if shape.width > 1 && shape.width <= 64)
}

fn plain_variables(
    expr: &Expr,
    program: &Program,
    scalars: &IndexVec<VariableId, Option<Scalar>>,
    found: &mut Vec<VariableId>,
) {
    expr.visit(&mut |part| {
        if let ExprPart::Expr(Expr { kind: ExprKind::Load(place), .. }) = part
            && let Some(id) = place.as_variable().filter(|&id| is_related(id, program, scalars))
        {
            found.push(id);
        }
    });
}

fn join_groups(groups: &mut Vec<Vec<VariableId>>, met: &[VariableId]) {
    if met.len() > MOST_VARIABLES {
        return;
    }
    let touched: Vec<usize> =
        (0..groups.len()).filter(|&at| groups[at].iter().any(|id| met.contains(id))).collect();
    let mut union: Vec<VariableId> = met.to_vec();
    touched.iter().for_each(|&at| union.extend(&groups[at]));
    union.sort_unstable();
    union.dedup();
    if union.len() <= MOST_VARIABLES {
        for at in touched.into_iter().rev() {
            groups.remove(at);
        }
        groups.push(union);
    } else if !groups.iter().any(|group| met.iter().all(|id| group.contains(id))) {
        // Too many together: the pair keeps a small pack of its own.
        groups.push(met.to_vec());
    }
}
