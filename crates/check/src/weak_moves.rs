//! The moves of a specification with silent steps left out: `ε* a ε*` for an action, `ε*` for a silent step.
//! Saturation over the components of the silent steps, so that silent cycles cost nothing.

use base::{Budget, Exhausted, Id, IndexVec};
use lks::{ActionId, Lks, StateId};

/// For each state and action the states after `ε* a ε*`, and after `ε*` for the silent action.
pub struct WeakMoves {
    /// Per state: pairs of action and target, sorted; the silent action first.
    moves: IndexVec<StateId, Vec<(ActionId, StateId)>>,
}

impl WeakMoves {
    /// Saturates a structure. Memory may be quadratic in its states.
    pub fn of(lks: &Lks, budget: &Budget) -> Result<WeakMoves, Exhausted> {
        let mut closures: IndexVec<StateId, Vec<StateId>> = IndexVec::new();
        for state in lks.states() {
            budget.check()?;
            closures.push(lks.silent_closure(vec![state]));
        }
        let mut moves = IndexVec::new();
        for state in lks.states() {
            budget.check()?;
            let mut own: Vec<(ActionId, StateId)> =
                closures[state].iter().map(|reached| (ActionId::TAU, *reached)).collect();
            for before in &closures[state] {
                for (action, after) in lks.transitions(*before).filter(|(action, _)| !action.is_silent()) {
                    own.extend(closures[after].iter().map(|reached| (action, *reached)));
                }
            }
            own.sort_unstable();
            own.dedup();
            own.shrink_to_fit();
            moves.push(own);
        }
        Ok(WeakMoves { moves })
    }

    /// The states after `ε* a ε*`; after `ε*`, the state itself included, for the silent action. Sorted.
    pub fn after(&self, state: StateId, action: ActionId) -> &[(ActionId, StateId)] {
        let all = &self.moves[state];
        let from = all.partition_point(|(other, _)| *other < action);
        &all[from..from + all[from..].partition_point(|(other, _)| *other <= action)]
    }

    /// How many moves there are.
    pub fn count(&self) -> usize {
        self.moves.iter().map(Vec::len).sum()
    }
}

/// What becomes of actions that the implementation has and the specification does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownActions {
    /// They are forbidden: the specification has no answer to them.
    #[default]
    Forbidden,
    /// They are silent: the specification does not speak about them.
    Silent,
}

/// For each action of the implementation the specification's action that must answer it; `None` if nothing
/// can.
pub(crate) fn answers(
    implementation: &lks::Alphabet,
    specification: &lks::Alphabet,
    unknown: UnknownActions,
) -> IndexVec<ActionId, Option<ActionId>> {
    implementation
        .translation_to(specification)
        .iter_enumerated()
        .map(|(action, known)| match (known, unknown) {
            (Some(known), _) => Some(*known),
            (None, UnknownActions::Silent) => Some(ActionId::TAU),
            (None, UnknownActions::Forbidden) if action.index() == 0 => Some(ActionId::TAU),
            (None, UnknownActions::Forbidden) => None,
        })
        .collect()
}
