//! Edges as relations between the values now and after.

use super::places::Places;
use super::settings::{Choices, SummarySettings};
use crate::graph::{Expr, Program, VariableId};
use logic::bdd::{Bdd, BddVariable, NodeLimitReached, Renaming};

/// "Can be true" and "can be false", as functions of the values now (and after).
pub(super) struct Can {
    pub yes: Bdd,
    pub no: Bdd,
}

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

    pub(super) fn can(&mut self, expr: &Expr) -> Result<Can, NodeLimitReached> {
        let manager = &self.places.manager;
        let exactly = |yes: Bdd| Ok(Can { no: yes.not()?, yes });
        match expr {
            Expr::Constant(value) => exactly(manager.constant(*value)),
            Expr::Any => match self.choices {
                Choices::Normalised => Ok(Can { yes: manager.constant(true), no: manager.constant(true) }),
                Choices::Variables => {
                    self.next_choice += 1;
                    exactly(manager.variable(self.places.choices[self.next_choice - 1])?)
                }
            },
            Expr::Current(variable) => {
                exactly(manager.variable(self.places.of(self.program, *variable).current)?)
            }
            Expr::Next(variable) => {
                let moments = self.places.of(self.program, *variable);
                let is_new = self.assigned.contains(variable);
                exactly(manager.variable(if is_new { moments.next } else { moments.current })?)
            }
            Expr::Not(inner) => {
                let inner = self.can(inner)?;
                Ok(Can { yes: inner.no, no: inner.yes })
            }
            Expr::And(parts) => {
                let mut all = Can { yes: manager.constant(true), no: manager.constant(false) };
                for part in parts {
                    let part = self.can(part)?;
                    all = Can { yes: all.yes.and(&part.yes)?, no: all.no.or(&part.no)? };
                }
                Ok(all)
            }
            Expr::Or(parts) => {
                let mut any = Can { yes: manager.constant(false), no: manager.constant(true) };
                for part in parts {
                    let part = self.can(part)?;
                    any = Can { yes: any.yes.or(&part.yes)?, no: any.no.and(&part.no)? };
                }
                Ok(any)
            }
            Expr::Xor(left, right) => {
                let (left, right) = (self.can(left)?, self.can(right)?);
                Ok(Can {
                    yes: left.yes.and(&right.no)?.or(&left.no.and(&right.yes)?)?,
                    no: left.yes.and(&right.yes)?.or(&left.no.and(&right.no)?)?,
                })
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.can(condition)?;
                let (then, otherwise) = (self.can(then)?, self.can(otherwise)?);
                Ok(Can {
                    yes: condition.yes.and(&then.yes)?.or(&condition.no.and(&otherwise.yes)?)?,
                    no: condition.yes.and(&then.no)?.or(&condition.no.and(&otherwise.no)?)?,
                })
            }
        }
    }

    /// The variable has one of the possible values of the expression.
    pub(super) fn takes(&mut self, variable: BddVariable, expr: &Expr) -> Result<Bdd, NodeLimitReached> {
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
    pub(super) fn image(&self, states: &Bdd) -> Result<Bdd, NodeLimitReached> {
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
