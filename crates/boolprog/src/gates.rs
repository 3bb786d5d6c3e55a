//! Boolean functions as clauses (Tseitin 1968), with constants folded.

use crate::graph::Expr;
use crate::graph::VariableId;
use logic::sat::{CadicalSolver, Literal, TakeClauses};

/// Makes gates in a solver.
pub(crate) struct Gates {
    pub solver: CadicalSolver,
    truth: Literal,
}

/// "Can be true" and "can be false" as literals.
#[derive(Clone, Copy)]
pub(crate) struct CanBe {
    pub yes: Literal,
    pub no: Literal,
}

impl Gates {
    pub fn new() -> Gates {
        let mut solver = CadicalSolver::new();
        let truth = solver.new_literal();
        solver.add_clause(&[truth]);
        Gates { solver, truth }
    }

    pub fn constant(&self, value: bool) -> Literal {
        self.truth.negated_if(!value)
    }

    pub fn fresh(&mut self) -> Literal {
        self.solver.new_literal()
    }

    pub fn fresh_many(&mut self, count: usize) -> Vec<Literal> {
        (0..count).map(|_| self.fresh()).collect()
    }

    pub fn require(&mut self, clause: &[Literal]) {
        self.solver.add_clause(clause);
    }

    pub fn and(&mut self, parts: &[Literal]) -> Literal {
        let truth = self.truth;
        let mut kept: Vec<Literal> = parts.iter().copied().filter(|&part| part != truth).collect();
        kept.sort_unstable();
        kept.dedup();
        let clashes = kept.windows(2).any(|pair| pair[0] == !pair[1]);
        if clashes || kept.contains(&!truth) {
            return !truth;
        }
        match kept[..] {
            [] => truth,
            [one] => one,
            _ => {
                let gate = self.fresh();
                let mut back: Vec<Literal> = kept.iter().map(|&part| !part).collect();
                back.push(gate);
                self.require(&back);
                for part in kept {
                    self.require(&[!gate, part]);
                }
                gate
            }
        }
    }

    pub fn or(&mut self, parts: &[Literal]) -> Literal {
        let negated: Vec<Literal> = parts.iter().map(|&part| !part).collect();
        !self.and(&negated)
    }

    /// left ↔ right
    pub fn equal(&mut self, left: Literal, right: Literal) -> Literal {
        if left == right {
            return self.truth;
        }
        if left == !right {
            return !self.truth;
        }
        let both = self.and(&[left, right]);
        let neither = self.and(&[!left, !right]);
        self.or(&[both, neither])
    }

    /// The possible values of an expression; `value` gives the literal of a variable, now or after.
    pub fn can_be(&mut self, expr: &Expr, value: &dyn Fn(VariableId, bool) -> Literal) -> CanBe {
        let exactly = |yes: Literal| CanBe { yes, no: !yes };
        match expr {
            Expr::Constant(value) => exactly(self.constant(*value)),
            Expr::Any => CanBe { yes: self.truth, no: self.truth },
            Expr::Current(variable) => exactly(value(*variable, false)),
            Expr::Next(variable) => exactly(value(*variable, true)),
            Expr::Not(inner) => {
                let inner = self.can_be(inner, value);
                CanBe { yes: inner.no, no: inner.yes }
            }
            Expr::And(parts) | Expr::Or(parts) => {
                let parts: Vec<CanBe> = parts.iter().map(|part| self.can_be(part, value)).collect();
                let yes: Vec<Literal> = parts.iter().map(|part| part.yes).collect();
                let no: Vec<Literal> = parts.iter().map(|part| part.no).collect();
                if matches!(expr, Expr::And(_)) {
                    CanBe { yes: self.and(&yes), no: self.or(&no) }
                } else {
                    CanBe { yes: self.or(&yes), no: self.and(&no) }
                }
            }
            Expr::Xor(left, right) => {
                let (left, right) = (self.can_be(left, value), self.can_be(right, value));
                CanBe {
                    yes: self.either(left.yes, right.no, left.no, right.yes),
                    no: self.either(left.yes, right.yes, left.no, right.no),
                }
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.can_be(condition, value);
                let (then, otherwise) = (self.can_be(then, value), self.can_be(otherwise, value));
                CanBe {
                    yes: self.either(condition.yes, then.yes, condition.no, otherwise.yes),
                    no: self.either(condition.yes, then.no, condition.no, otherwise.no),
                }
            }
        }
    }

    /// (a ∧ b) ∨ (c ∧ d)
    fn either(&mut self, a: Literal, b: Literal, c: Literal, d: Literal) -> Literal {
        let left = self.and(&[a, b]);
        let right = self.and(&[c, d]);
        self.or(&[left, right])
    }
}
