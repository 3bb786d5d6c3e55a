//! Abstract states that leave open what nothing has depended on yet. A step's relation is a decision diagram;
//! what follows a cube is its image, and each path of the image's diagram is one cube. Predicates that a step
//! does not restrict are on no path and stay open, so that n independent ones give one state and not 2^n.
//! Together the cubes cover exactly what may follow, so every run of the abstraction by valuations is one by
//! cubes; and because everything in a cube follows from something in the cube before, a finite run by cubes
//! is one by valuations too. Trees and cycles can be coarser.

use logic::TermId;
use logic::abstraction::AbstractRelation;
use logic::bdd::{Bdd, BddManager, BddSettings, BddVariable};
use rustc_hash::FxHashMap;

/// The truth of a location's predicates, in their order; none where either is possible.
pub type Cube = Box<[Option<bool>]>;

/// Decision diagrams over the predicates of one component, before and after a step. Their tables are made
/// when they are first needed: most components never need any.
#[derive(Default)]
pub(crate) struct Diagrams {
    manager: Option<BddManager>,
    variables: FxHashMap<TermId, (BddVariable, BddVariable)>,
}

impl Diagrams {
    fn manager(&mut self) -> BddManager {
        let settings = BddSettings { cache_entries: 1 << 18, ..BddSettings::default() };
        self.manager.get_or_insert_with(|| BddManager::new(settings)).clone()
    }

    /// A predicate's variables: before the step and after it, side by side.
    fn variables(&mut self, predicate: TermId) -> (BddVariable, BddVariable) {
        let manager = self.manager();
        *self.variables.entry(predicate).or_insert_with(|| {
            let pair = manager.add_variables(2);
            (pair[0], pair[1])
        })
    }

    /// The relation of a step; `None` if it is too large.
    pub fn relation(
        &mut self,
        relation: &AbstractRelation,
        before: &[TermId],
        after: &[TermId],
    ) -> Option<Bdd> {
        let mut variables: Vec<BddVariable> = before.iter().map(|&term| self.variables(term).0).collect();
        variables.extend(after.iter().map(|&term| self.variables(term).1));
        relation.to_bdd(&self.manager(), &variables).ok()
    }

    /// The cubes after a step from a cube, with these predicates decided; `None` past the limit.
    pub fn after(
        &mut self,
        relation: &Bdd,
        from: &Cube,
        before: &[TermId],
        after: &[TermId],
        decided: &[TermId],
        limit: usize,
    ) -> Option<Vec<Cube>> {
        let known: Vec<(BddVariable, bool)> = before
            .iter()
            .zip(from.iter())
            .filter_map(|(&term, value)| value.map(|value| (self.variables(term).0, value)))
            .collect();
        let all: Vec<BddVariable> = before.iter().map(|&term| self.variables(term).0).collect();
        let known = self.manager().cube(&known).ok()?;
        let all = self.manager().variable_set(&all).ok()?;
        let image = relation.and_exists(&known, &all).ok()?;
        let places: Vec<BddVariable> = after.iter().map(|&term| self.variables(term).1).collect();
        let mut found: Vec<Cube> = Vec::new();
        for path in image.cubes() {
            let value = |variable: &BddVariable| {
                path.iter().find(|(own, _)| own == variable).map(|(_, value)| *value)
            };
            let mut cubes: Vec<Cube> = vec![places.iter().map(value).collect()];
            for (at, _) in after.iter().enumerate().filter(|(_, term)| decided.contains(term)) {
                if cubes[0][at].is_none() {
                    let both = |cube: &Cube| {
                        [true, false].map(|value| {
                            let mut own = cube.clone();
                            own[at] = Some(value);
                            own
                        })
                    };
                    cubes = cubes.iter().flat_map(both).collect();
                }
            }
            found.extend(cubes);
            if found.len() > limit {
                return None;
            }
        }
        Some(found)
    }
}
