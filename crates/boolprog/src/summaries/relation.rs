//! Edges as relations between the values now and after.

use super::places::Places;
use super::settings::{Choices, SummarySettings};
use crate::graph::{Expr, Program, VariableId};
use crate::possibly::{Possibly, WithinNodeLimit};
use logic::bdd::{Bdd, BddVariable, Renaming};

/// Builds the functions of one edge's expressions. Choices that are variables are numbered through the edge.
pub(super) struct Encoder<'p> {
    program: &'p Program,
    places: &'p Places,
    choices: Choices,
    next_choice: usize,
    /// What the step assigns: only these have a value after that is not the value now.
    assigned: Vec<VariableId>,
}

impl<'p> Encoder<'p> {
    pub(super) fn new(
        program: &'p Program,
        places: &'p Places,
        settings: &SummarySettings,
        assigned: Vec<VariableId>,
    ) -> Encoder<'p> {
        Encoder { program, places, choices: settings.choices, next_choice: 0, assigned }
    }

    /// What an expression can be.
    pub(super) fn can(&mut self, expr: &Expr) -> WithinNodeLimit<Possibly> {
        let Encoder { program, places, choices, next_choice, assigned } = self;
        let manager = &places.manager;
        Possibly::of(expr, manager, &mut |leaf| {
            let variable = match leaf {
                Expr::Current(variable) => places.of(program, *variable).current,
                Expr::Next(variable) => {
                    let moments = places.of(program, *variable);
                    if assigned.contains(variable) { moments.next } else { moments.current }
                }
                _ if *choices == Choices::Normalised => return Ok(Possibly::anything(manager)),
                _ => {
                    *next_choice += 1;
                    places.choices[*next_choice - 1]
                }
            };
            Possibly::exactly(manager.variable(variable)?)
        })
    }

    /// The variable has one of the possible values of the expression.
    pub(super) fn takes(&mut self, variable: BddVariable, expr: &Expr) -> WithinNodeLimit<Bdd> {
        let can = self.can(expr)?;
        let variable = self.places.manager.variable(variable)?;
        variable.ite(&can.yes, &can.no)
    }

    /// The choice variables used so far.
    pub(super) fn used_choices(&self) -> &'p [BddVariable] {
        &self.places.choices[..self.next_choice]
    }
}

/// A relation, what to quantify after joining it, and what to rename then.
pub(super) struct Step {
    pub relation: Bdd,
    pub forget: Bdd,
    pub rename: Option<Renaming>,
}

impl Step {
    /// The states after the step.
    pub(super) fn image(&self, states: &Bdd) -> WithinNodeLimit<Bdd> {
        let image = states.and_exists(&self.relation, &self.forget)?;
        match &self.rename {
            Some(renaming) => image.substitute(renaming),
            None => Ok(image),
        }
    }
}

/// Choices in the edge with most of them: so many variables are needed if choices are variables.
pub(super) fn most_choices(program: &Program, settings: &SummarySettings) -> usize {
    if settings.choices == Choices::Normalised {
        return 0;
    }
    program.edges().iter().map(choices_of).max().unwrap_or(0)
}

fn choices_of(edge: &crate::graph::Edge) -> usize {
    use crate::graph::Action;
    let inside = count_choices(&edge.guard);
    inside
        + match &edge.action {
            Action::Assign { assignments, constraint, .. } => {
                assignments.iter().map(|(_, value)| count_choices(value)).sum::<usize>()
                    + count_choices(constraint)
            }
            Action::Assert { condition } => count_choices(condition),
            Action::Call { arguments: values, .. } | Action::Return { values } => {
                values.iter().map(count_choices).sum()
            }
            _ => 0,
        }
}

fn count_choices(expr: &Expr) -> usize {
    match expr {
        Expr::Any => 1,
        Expr::Constant(_) | Expr::Current(_) | Expr::Next(_) => 0,
        Expr::Not(inner) => count_choices(inner),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().map(count_choices).sum(),
        Expr::Xor(left, right) => count_choices(left) + count_choices(right),
        Expr::Ite(condition, then, otherwise) => {
            count_choices(condition) + count_choices(then) + count_choices(otherwise)
        }
    }
}
