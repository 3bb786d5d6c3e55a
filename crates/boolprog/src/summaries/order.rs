//! An order of variables in which those that occur together stand together: greedily, the next is the one
//! most connected to those placed already, with later placements counting less.

use super::settings::VariableOrder;
use crate::graph::{Action, Edge, Expr, Program, Scope, VariableId};
use rustc_hash::FxHashMap;

/// What gets BDD variables: a global, or a slot of locals, which all procedures share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    Global(usize),
    Local(usize),
}

pub(super) fn place_of(program: &Program, variable: VariableId) -> Place {
    let variable = &program.variables()[variable];
    match variable.scope {
        Scope::Global => Place::Global(variable.slot),
        Scope::Local(_) => Place::Local(variable.slot),
        Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
    }
}

/// All places, in the order wanted.
pub(super) fn ordered_places(program: &Program, order: VariableOrder) -> Vec<Place> {
    let most_locals = program.procedures().iter().map(|known| known.variables.len()).max().unwrap_or(0);
    let globals = (0..program.globals().len()).map(Place::Global);
    let declared: Vec<Place> = globals.chain((0..most_locals).map(Place::Local)).collect();
    match order {
        VariableOrder::Declaration => declared,
        VariableOrder::Dependencies => by_affinity(&declared, &affinities(program)),
    }
}

type Affinities = FxHashMap<(Place, Place), f64>;

/// How strongly two places are connected: each expression shares one unit among its pairs.
fn affinities(program: &Program) -> Affinities {
    let mut found = Affinities::default();
    for edge in program.edges() {
        for group in groups(program, edge) {
            if group.len() < 2 || group.len() > 12 {
                continue;
            }
            let weight = 1.0 / (group.len() * (group.len() - 1)) as f64;
            for &left in &group {
                for &right in group.iter().filter(|&&right| right != left) {
                    *found.entry((left, right)).or_default() += weight;
                }
            }
        }
    }
    found
}

/// The sets of places that an edge relates.
fn groups(program: &Program, edge: &Edge) -> Vec<Vec<Place>> {
    let support = |expr: &Expr, target: Option<Place>| {
        let mut places: Vec<Place> = target.into_iter().collect();
        expr.for_each_variable(&mut |variable, _| places.push(place_of(program, variable)));
        places.sort_unstable();
        places.dedup();
        places
    };
    let mut found = vec![support(&edge.guard, None)];
    match &edge.action {
        Action::Assign { assignments, constraint, .. } => {
            found.push(support(constraint, None));
            found.extend(
                assignments.iter().map(|(target, value)| support(value, Some(place_of(program, *target)))),
            );
        }
        Action::Assert { condition } => found.push(support(condition, None)),
        Action::Call { arguments, .. } => {
            let argument = |(slot, value)| support(value, Some(Place::Local(slot)));
            found.extend(arguments.iter().enumerate().map(argument));
        }
        Action::Return { values } => found.extend(values.iter().map(|value| support(value, None))),
        _ => {}
    }
    found
}

fn by_affinity(declared: &[Place], affinities: &Affinities) -> Vec<Place> {
    let mut pull: FxHashMap<Place, f64> = declared.iter().map(|&place| (place, 0.0)).collect();
    let mut neighbours: FxHashMap<Place, Vec<(Place, f64)>> = FxHashMap::default();
    for (&(left, right), &weight) in affinities {
        neighbours.entry(left).or_default().push((right, weight));
    }
    let mut order = Vec::with_capacity(declared.len());
    let mut open: Vec<Place> = declared.to_vec();
    while !open.is_empty() {
        // Ties go to the one declared first: the order does not depend on hashing.
        let mut best = 0;
        for candidate in 1..open.len() {
            if pull[&open[candidate]] > pull[&open[best]] + 1e-9 {
                best = candidate;
            }
        }
        let place = open.remove(best);
        order.push(place);
        for value in pull.values_mut() {
            *value *= 0.8; // what was placed long ago pulls less
        }
        let mut near = neighbours.remove(&place).unwrap_or_default();
        near.sort_unstable_by_key(|&(neighbour, _)| neighbour);
        for (neighbour, weight) in near {
            *pull.entry(neighbour).or_default() += weight;
        }
    }
    order
}
