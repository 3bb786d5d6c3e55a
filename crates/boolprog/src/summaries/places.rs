//! The BDD variables: for every place its value at the entry of the activation, now, and after the step;
//! slots for arguments and results in flight; and, if choices are variables, those.

use super::order::{Place, ordered_places, place_of};
use super::settings::SummarySettings;
use crate::graph::{Program, VariableId};
use logic::bdd::{Bdd, BddManager, BddVariable, NodeLimitReached, Renaming};

/// The three moments of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub entry: BddVariable,
    pub current: BddVariable,
    pub next: BddVariable,
}

pub(super) struct Places {
    pub manager: BddManager,
    pub globals: Vec<Moments>,
    pub locals: Vec<Moments>,
    pub arguments: Vec<BddVariable>,
    pub results: Vec<BddVariable>,
    /// One per choice of the edge with most of them.
    pub choices: Vec<BddVariable>,
}

impl Places {
    pub(super) fn new(program: &Program, settings: &SummarySettings, most_choices: usize) -> Places {
        let manager = BddManager::new(settings.bdd);
        let order = ordered_places(program, settings.variable_order);
        let count_of = |place: &dyn Fn(&Place) -> bool| order.iter().filter(|known| place(known)).count();
        let globals = count_of(&|place| matches!(place, Place::Global(_)));
        let locals = order.len() - globals;
        let most = |count: fn(&crate::graph::Procedure) -> usize| {
            program.procedures().iter().map(count).max().unwrap_or(0)
        };
        let (parameters, returns) = (most(|known| known.parameters), most(|known| known.returns));
        let nowhere: BddVariable = base::Id::from_index(0);
        let nothing = Moments { entry: nowhere, current: nowhere, next: nowhere };
        let mut places = Places {
            manager,
            globals: vec![nothing; globals],
            locals: vec![nothing; locals],
            arguments: Vec::new(),
            results: Vec::new(),
            choices: Vec::new(),
        };
        let (mut arguments, mut results) = (vec![nowhere; parameters], vec![nowhere; returns]);
        for place in order {
            let made = places.manager.add_variables(3);
            let moments = Moments { entry: made[0], current: made[1], next: made[2] };
            match place {
                Place::Global(slot) => places.globals[slot] = moments,
                Place::Local(slot) => {
                    places.locals[slot] = moments;
                    if slot < parameters {
                        arguments[slot] = places.manager.add_variables(1)[0];
                    }
                    if slot < returns {
                        results[slot] = places.manager.add_variables(1)[0];
                    }
                }
            }
        }
        for result in results.iter_mut().skip(locals) {
            *result = places.manager.add_variables(1)[0];
        }
        (places.arguments, places.results) = (arguments, results);
        places.choices = places.manager.add_variables(most_choices);
        places
    }

    pub(super) fn of(&self, program: &Program, variable: VariableId) -> Moments {
        match place_of(program, variable) {
            Place::Global(slot) => self.globals[slot],
            Place::Local(slot) => self.locals[slot],
        }
    }

    /// The set of variables for quantification.
    pub(super) fn set(&self, variables: &[BddVariable]) -> Result<Bdd, NodeLimitReached> {
        let mut variables = variables.to_vec();
        variables.sort_unstable();
        variables.dedup();
        self.manager.variable_set(&variables)
    }

    pub(super) fn rename(&self, pairs: &[(BddVariable, BddVariable)]) -> Result<Renaming, NodeLimitReached> {
        self.manager.variable_renaming(pairs)
    }

    /// left ↔ right
    pub(super) fn equal(&self, left: BddVariable, right: BddVariable) -> Result<Bdd, NodeLimitReached> {
        self.manager.variable(left)?.equivalent(&self.manager.variable(right)?)
    }
}
