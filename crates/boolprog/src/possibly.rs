//! What an expression can be, as sets of states: where some choice makes it true, and where some choice makes it false
//! (BOOM 10.8). Exact, since every choice in an expression is one of its own. Kept apart on purpose: the same by
//! values (`Expr::possible`), which replays runs, and by clauses (`gates`), which checks proofs.

use crate::graph::Expr;
use logic::bdd::{Bdd, BddManager, NodeLimitReached};

pub(crate) type WithinNodeLimit<T> = Result<T, NodeLimitReached>;

/// Can be true, can be false.
pub(crate) struct Possibly {
    pub yes: Bdd,
    pub no: Bdd,
}

impl Possibly {
    /// True in these states only.
    pub fn exactly(yes: Bdd) -> WithinNodeLimit<Possibly> {
        Ok(Possibly { no: yes.not()?, yes })
    }

    /// Anything in every state.
    pub fn anything(manager: &BddManager) -> Possibly {
        Possibly { yes: manager.constant(true), no: manager.constant(true) }
    }

    /// What an expression can be; `leaf` says it of variables and choices.
    pub fn of(
        expr: &Expr,
        manager: &BddManager,
        leaf: &mut dyn FnMut(&Expr) -> WithinNodeLimit<Possibly>,
    ) -> WithinNodeLimit<Possibly> {
        let constant = |value: bool| Possibly { yes: manager.constant(value), no: manager.constant(!value) };
        Ok(match expr {
            Expr::Constant(value) => constant(*value),
            Expr::Any | Expr::Current(_) | Expr::Next(_) => leaf(expr)?,
            Expr::Not(inner) => {
                let inner = Possibly::of(inner, manager, leaf)?;
                Possibly { yes: inner.no, no: inner.yes }
            }
            Expr::And(parts) => {
                let mut all = constant(true);
                for part in parts {
                    let part = Possibly::of(part, manager, leaf)?;
                    all = Possibly { yes: all.yes.and(&part.yes)?, no: all.no.or(&part.no)? };
                }
                all
            }
            Expr::Or(parts) => {
                let mut any = constant(false);
                for part in parts {
                    let part = Possibly::of(part, manager, leaf)?;
                    any = Possibly { yes: any.yes.or(&part.yes)?, no: any.no.and(&part.no)? };
                }
                any
            }
            Expr::Xor(left, right) => {
                let (left, right) = (Possibly::of(left, manager, leaf)?, Possibly::of(right, manager, leaf)?);
                Possibly {
                    yes: left.yes.and(&right.no)?.or(&left.no.and(&right.yes)?)?,
                    no: left.yes.and(&right.yes)?.or(&left.no.and(&right.no)?)?,
                }
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = Possibly::of(condition, manager, leaf)?;
                let then = Possibly::of(then, manager, leaf)?;
                let otherwise = Possibly::of(otherwise, manager, leaf)?;
                Possibly {
                    yes: condition.yes.and(&then.yes)?.or(&condition.no.and(&otherwise.yes)?)?,
                    no: condition.yes.and(&then.no)?.or(&condition.no.and(&otherwise.no)?)?,
                }
            }
        })
    }
}
