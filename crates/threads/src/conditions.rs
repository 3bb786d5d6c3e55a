//! Conditions about the shared state and one or two threads at given cuts, and what they say of given threads.

use crate::mode::ThreadIndex;
use crate::vocabulary::{Kind, Vocabulary};
use crate::weave::Weaver;
use program::{BinaryOp, Expr, Place};

/// A condition: whenever different threads stand at these places, the fact holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Kinds of threads, by number, each with a place, by number; up to two.
    pub at: Vec<(usize, usize)>,
    /// What holds then.
    pub fact: Fact,
}

/// What holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// Threads never stand so.
    Never,
    /// A comparison.
    Compare(BinaryOp, Operand, Operand),
    /// `one - from < other - from`, in unsigned numbers: going up from the second, the first comes before the third.
    Before {
        /// The first.
        one: Operand,
        /// From where it is counted.
        from: Operand,
        /// The third.
        other: Operand,
    },
}

/// What facts are about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Something shared, by number.
    Shared(usize),
    /// A variable, by number, of the first or second thread of the condition.
    Own(usize, usize),
    /// A number of the type of the other operand.
    Number(i128),
    /// The number that a thread of the condition has as the owner of locks.
    Itself(usize),
}

impl Condition {
    /// Can it be checked, with so many threads of each class followed?
    pub fn is_checked_with(&self, followed: u32, vocabulary: &Vocabulary) -> bool {
        match &self.at[..] {
            [(one, _), (two, _)] if one == two => followed >= 2 && vocabulary.kinds[*one].is_any,
            _ => true,
        }
    }
}

impl Weaver<'_> {
    /// What a condition says of threads; nothing where it does not apply to them.
    pub fn instance(&self, all: &Vocabulary, condition: &Condition, threads: &[ThreadIndex]) -> Option<Expr> {
        let mut parts: Vec<Expr> = Vec::new();
        for (&(kind, place), &thread) in condition.at.iter().zip(threads) {
            if !self.is_environment(thread) {
                let number = all.kinds[kind].number_of(thread, place)?;
                let number = self.terms.number(number, &self.new);
                let counter = self.terms.value(self.threads[thread].counter);
                parts.push(self.terms.binary(BinaryOp::NotEqual, counter, number));
            }
        }
        let fact = match &condition.fact {
            Fact::Never => None,
            Fact::Compare(op, left, right) => {
                Some(self.comparison(all, condition, threads, *op, left, right)?)
            }
            Fact::Before { one, from, other } => {
                let one = self.operand(all, condition, threads, one)?;
                let from = self.operand(all, condition, threads, from)?;
                let other = self.operand(all, condition, threads, other)?;
                let left = self.terms.binary(BinaryOp::Subtract, one, from.clone());
                let right = self.terms.binary(BinaryOp::Subtract, other, from);
                Some(self.terms.binary(BinaryOp::Less, left, right))
            }
        };
        parts.extend(fact);
        let any = parts.into_iter().reduce(|one, other| self.terms.binary(BinaryOp::BitOr, one, other));
        Some(any.unwrap_or_else(|| self.terms.number(0, &self.new)))
    }

    fn comparison(
        &self,
        all: &Vocabulary,
        condition: &Condition,
        threads: &[ThreadIndex],
        op: BinaryOp,
        left: &Operand,
        right: &Operand,
    ) -> Option<Expr> {
        let left = self.operand(all, condition, threads, left)?;
        let right = match right {
            Operand::Number(number) => Expr::integer(*number as u128, left.ty, &self.new.types),
            other => self.operand(all, condition, threads, other)?,
        };
        Some(self.terms.binary(op, left, right))
    }

    fn operand(
        &self,
        all: &Vocabulary,
        condition: &Condition,
        threads: &[ThreadIndex],
        operand: &Operand,
    ) -> Option<Expr> {
        Some(match operand {
            Operand::Shared(number) => Expr::load(all.shared.get(*number)?.place.clone()),
            Operand::Own(thread, local) => {
                let (kind, _) = *condition.at.get(*thread)?;
                let variable = all.kinds[kind].variable_of(*threads.get(*thread)?, *local)?;
                Expr::load(Place::variable(variable, self.new.variables[variable].ty.id))
            }
            Operand::Number(number) => self.terms.number(i64::try_from(*number).ok()?, &self.new),
            Operand::Itself(thread) => {
                self.terms.number(Self::owner_number(*threads.get(*thread)?), &self.new)
            }
        })
    }

    /// What a condition says of all threads that are followed: one expression for each choice of them.
    pub fn checked_instances(&self, all: &Vocabulary, condition: &Condition) -> Vec<Expr> {
        let threads_of = |kind: usize| -> &[ThreadIndex] { all.kinds.get(kind).map_or(&[], Kind::threads) };
        let choices: Vec<Vec<ThreadIndex>> = match &condition.at[..] {
            [] => vec![Vec::new()],
            [(kind, _)] => threads_of(*kind).iter().map(|&thread| vec![thread]).collect(),
            [(one, _), (two, _), ..] => threads_of(*one)
                .iter()
                .flat_map(|&first| threads_of(*two).iter().map(move |&second| vec![first, second]))
                .filter(|pair| pair[0] != pair[1])
                .collect(),
        };
        choices.iter().filter_map(|threads| self.instance(all, condition, threads)).collect()
    }

    /// What a condition says of an environment thread at a place, alone and with every thread that is followed.
    pub fn supposed_instances(
        &self,
        all: &Vocabulary,
        condition: &Condition,
        environment: ThreadIndex,
        kind: usize,
        place: usize,
    ) -> Vec<Expr> {
        let mut found = Vec::new();
        match &condition.at[..] {
            [at] if *at == (kind, place) => found.extend(self.instance(all, condition, &[environment])),
            [one, two] => {
                if *one == (kind, place) {
                    for &other in all.kinds[two.0].threads() {
                        found.extend(self.instance(all, condition, &[environment, other]));
                    }
                }
                if *two == (kind, place) {
                    for &other in all.kinds[one.0].threads() {
                        found.extend(self.instance(all, condition, &[other, environment]));
                    }
                }
            }
            _ => {}
        }
        found
    }
}
