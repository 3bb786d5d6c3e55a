//! Conditions about the shared state and one or two threads at given cuts, and what they say of given threads.

use crate::mode::ThreadIndex;
use crate::tallies::Tally;
use crate::vocabulary::{Kind, SharedPlace, Vocabulary};
use crate::weave::Weaver;
use program::{BinaryOp, Expr, Place, Program};

/// What may be added to a count.
const MOST_MORE: i64 = 1 << 32;

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
    /// The thread reads under a read-write lock so often.
    Reads {
        /// The lock, by number.
        lock: usize,
        /// How often.
        times: u8,
    },
    /// A comparison, while something shared is a number: 0 for a lock that nobody has, or a flag that nobody set.
    While {
        /// What is that number, by its own.
        free: usize,
        /// The number.
        is: i128,
        /// What holds then.
        op: BinaryOp,
        /// What is compared.
        left: Operand,
        /// What it is compared with.
        right: Operand,
    },
    /// A number is odd, or even.
    Parity {
        /// The number.
        of: Operand,
        /// Which of both.
        is_odd: bool,
    },
    /// Something shared holds what a count of threads says, and so much more.
    Counts {
        /// What is shared, by number.
        shared: usize,
        /// The count, by number.
        tally: usize,
        /// What is added to it.
        more: i64,
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

    /// Does it speak of what there is, so that it means the same whichever threads are followed?
    pub fn is_about(&self, all: &Vocabulary, tallies: &[Tally], program: &Program) -> bool {
        let is_place = |&(kind, place): &(usize, usize)| {
            all.kinds.get(kind).is_some_and(|kind| place < kind.places.len() && !kind.threads().is_empty())
        };
        if self.at.len() > 2 || !self.at.iter().all(is_place) {
            return false;
        }
        let type_of = |operand: &Operand| match operand {
            Operand::Shared(number) => all.shared.get(*number).map(|one| one.place.ty.id),
            Operand::Own(thread, local) => {
                let (kind, _) = *self.at.get(*thread)?;
                all.kinds[kind].locals.get(*local).map(|one| one.ty)
            }
            Operand::Number(_) | Operand::Itself(_) => None,
        };
        let is_owner = |operand: &Operand| matches!(operand, Operand::Shared(number) if all.shared.get(*number).is_some_and(SharedPlace::is_owner));
        let are_alike = |operands: &[&Operand]| {
            let types: Option<Vec<_>> = operands.iter().map(|one| type_of(one)).collect();
            types.is_some_and(|types| {
                types.iter().all(|ty| {
                    *ty == types[0]
                        || program.types.integer_shape(*ty) == program.types.integer_shape(types[0])
                })
            }) && !operands.iter().any(|one| is_owner(one))
        };
        let mut fact = self.fact.clone();
        if let Fact::While { free, is, op, left, right } = &self.fact {
            let Some(shared) = all.shared.get(*free) else { return false };
            if matches!(right, Operand::Itself(_)) || (shared.is_owner() && *is != 0) {
                return false;
            }
            fact = Fact::Compare(*op, left.clone(), right.clone());
        }
        match &fact {
            Fact::While { .. } => false,
            Fact::Reads { lock, .. } => {
                self.at.len() == 1 && all.shared.get(*lock).is_some_and(|lock| lock.readers.is_some())
            }
            Fact::Never => !self.at.is_empty(),
            Fact::Compare(BinaryOp::Equal | BinaryOp::NotEqual, left, Operand::Itself(thread)) => {
                is_owner(left) && *thread < self.at.len()
            }
            Fact::Compare(BinaryOp::Equal | BinaryOp::NotEqual, left, Operand::Number(0)) => {
                type_of(left).is_some()
            }
            Fact::Compare(op, left, Operand::Number(_)) => {
                is_comparison(*op) && type_of(left).is_some() && !is_owner(left)
            }
            Fact::Compare(op, left, right) => is_comparison(*op) && are_alike(&[left, right]),
            Fact::Before { one, from, other } => are_alike(&[one, from, other]),
            Fact::Parity { of, .. } => are_alike(&[of]),
            Fact::Counts { shared, tally, more } => {
                *tally < tallies.len()
                    && more.abs() <= MOST_MORE
                    && all.shared.get(*shared).is_some_and(|one| {
                        let shape = program.types.integer_shape(one.place.ty.id);
                        !one.is_owner() && shape.is_some_and(|shape| shape.width < 64 || shape.signed)
                    })
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
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
            // Of threads that are not followed it is known that one has a lock, not which: another may.
            Fact::Compare(BinaryOp::NotEqual, _, Operand::Itself(one))
                if threads.get(*one).is_some_and(|&thread| self.is_environment(thread)) =>
            {
                return None;
            }
            Fact::Compare(op, left, right) => {
                Some(self.comparison(all, condition, threads, *op, left, right)?)
            }
            Fact::Reads { lock, times } => {
                let thread = *threads.first()?;
                if self.is_environment(thread) {
                    // Which of them read is not known.
                    return None;
                }
                let own = self.own_reads(all.shared.get(*lock)?.readers.as_ref()?, thread);
                let times = self.terms.number(i64::from(*times), &self.new);
                Some(self.terms.binary(BinaryOp::Equal, own, times))
            }
            Fact::While { free, is, op, left, right } => {
                let place = &all.shared.get(*free)?.place;
                let number = Expr::integer(*is as u128, place.ty.id, &self.new.types);
                parts.push(self.terms.binary(BinaryOp::NotEqual, Expr::load(place.clone()), number));
                Some(self.comparison(all, condition, threads, *op, left, right)?)
            }
            Fact::Counts { shared, tally, more } => {
                let (holds, count) = self.as_count(all.shared.get(*shared)?, *tally)?;
                let more = Expr::integer(*more as u128, count.ty, &self.new.types);
                let sum = self.terms.binary(BinaryOp::Add, count, more);
                Some(self.terms.binary(BinaryOp::Equal, holds, sum))
            }
            Fact::Parity { of, is_odd } => {
                let of = self.operand(all, condition, threads, of)?;
                let number = |value: u128| Expr::integer(value, of.ty, &self.new.types);
                let (one, wanted) = (number(1), number(u128::from(*is_odd)));
                let last = self.terms.binary(BinaryOp::BitAnd, of, one);
                Some(self.terms.binary(BinaryOp::Equal, last, wanted))
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
