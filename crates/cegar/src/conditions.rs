//! Guesses at conditions about any number of threads: comparisons of what is shared and of threads' variables with numbers of the program and with each other, at each
//! place where a thread may be interrupted; who has a lock there; and which places two threads never stand at together. They need not be right: those that are kept if all are
//! supposed are found by `prove::kept_conditions`.

use program::types::IntegerShape;
use program::{Action, BinaryOp, Expr, ExprKind, Program};
use std::collections::BTreeSet;
use threads::{Condition, Fact, Kind, Operand, Vocabulary};

/// Numbers that variables are compared with, at most; conditions, at most.
const MOST_NUMBERS: usize = 7;
const MOST_CONDITIONS: usize = 3000;
/// Variables of a thread that are compared with each other and with what is shared, at a place.
const MOST_LOCALS: usize = 8;

/// Which guesses are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wealth {
    /// What is cheap and often enough.
    Few,
    /// All.
    Many,
}

struct Guesser<'g> {
    program: &'g Program,
    all: &'g Vocabulary,
    numbers: Vec<i128>,
    wealth: Wealth,
    /// Shared variables that hold only what the program says in numbers.
    flags: Vec<usize>,
    found: Vec<Condition>,
}

/// Guesses at conditions, with so many threads of each kind followed.
pub fn guessed(program: &Program, all: &Vocabulary, followed: u32, wealth: Wealth) -> Vec<Condition> {
    let mut numbers = vec![0, 1];
    for number in prove::constants(program, &all.procedures) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers.truncate(MOST_NUMBERS);
    let flags = flags(program, all);
    let mut guesser = Guesser { program, all, numbers, wealth, flags, found: Vec::new() };
    guesser.about_shared(&[]);
    for (tally, guess) in all.tallies.iter().enumerate() {
        let fact = Fact::Counts { shared: guess.shared, tally, more: guess.more };
        guesser.found.push(Condition { at: Vec::new(), fact });
    }
    guesser.while_free();
    for (kind_id, kind) in all.kinds.iter().enumerate() {
        for place in 0..kind.places.len() {
            guesser.at_place(kind_id, kind, place);
        }
    }
    guesser.pairs();
    let mut seen = BTreeSet::new();
    let mut found = guesser.found;
    found.retain(|condition| {
        condition.is_checked_with(followed, all) && seen.insert(format!("{condition:?}"))
    });
    found.truncate(MOST_CONDITIONS);
    found
}

/// So few shared variables are compared with each other at every place.
const FEW_SHARED: usize = 6;
/// Flags that conditions of a thread may depend on.
const MOST_FLAGS: usize = 3;
/// Numbers that shared variables are compared with while a lock is free.
const MOST_WHILE_FREE: usize = 3;

/// Shared variables that are only ever assigned numbers, at most so many.
fn flags(program: &Program, all: &Vocabulary) -> Vec<usize> {
    let is_flag = |number: &usize| {
        let Some(variable) = all.shared[*number].place.as_variable() else { return false };
        let mut bodies = program.procedures.iter().filter_map(|one| one.body.as_ref());
        let is_number = |value: &Expr| {
            let mut value = value;
            while let ExprKind::Cast(inner) = &value.kind {
                value = inner;
            }
            value.as_integer().is_some()
        };
        !all.shared[*number].is_owner()
            && bodies.all(|body| {
                body.edges.iter().all(|edge| match &edge.action {
                    Action::Assign { target, value } => {
                        target.as_variable() != Some(variable) || is_number(value)
                    }
                    Action::Havoc { target, .. } | Action::Call { result: Some(target), .. } => {
                        target.as_variable() != Some(variable)
                    }
                    _ => true,
                })
            })
    };
    (0..all.shared.len()).filter(is_flag).take(MOST_FLAGS).collect()
}

/// Is it a number of the type?
fn fits(number: i128, shape: IntegerShape) -> bool {
    if shape.signed {
        shape.width >= 64
            || (number >= -(1i128 << (shape.width - 1)) && number < (1i128 << (shape.width - 1)))
    } else {
        number >= 0 && (shape.width >= 64 || number < (1i128 << shape.width))
    }
}

impl Guesser<'_> {
    fn shape(&self, operand: &Operand, kind: Option<&Kind>) -> Option<IntegerShape> {
        let ty = match operand {
            Operand::Shared(number) => self.all.shared[*number].place.ty.id,
            Operand::Own(_, local) => kind?.locals[*local].ty,
            Operand::Number(_) | Operand::Itself(_) => return None,
        };
        self.program.types.integer_shape(ty)
    }

    fn add(&mut self, at: &[(usize, usize)], op: BinaryOp, left: Operand, right: Operand) {
        self.found.push(Condition { at: at.to_vec(), fact: Fact::Compare(op, left, right) });
    }

    /// Comparisons with numbers.
    fn with_numbers(&mut self, at: &[(usize, usize)], operand: &Operand, shape: IntegerShape) {
        use BinaryOp::{Equal, GreaterEqual, LessEqual, NotEqual};
        for number in self.numbers.clone() {
            if !fits(number, shape) {
                continue;
            }
            for op in [Equal, NotEqual, LessEqual, GreaterEqual] {
                // Said by the type.
                if number == 0 && !shape.signed && matches!(op, LessEqual | GreaterEqual) {
                    continue;
                }
                self.add(at, op, operand.clone(), Operand::Number(number));
            }
        }
    }

    fn about_shared(&mut self, at: &[(usize, usize)]) {
        use BinaryOp::{Equal, LessEqual, NotEqual};
        for one in 0..self.all.shared.len() {
            let operand = Operand::Shared(one);
            let Some(shape) = self.shape(&operand, None) else { continue };
            if !self.all.shared[one].is_owner() {
                self.with_numbers(at, &operand, shape);
            }
            if at.is_empty() {
                self.parity(at, &operand, shape);
            }
            if !at.is_empty() && self.wealth == Wealth::Few && self.all.shared.len() > FEW_SHARED {
                continue;
            }
            for two in 0..self.all.shared.len() {
                let is_owner = self.all.shared[one].is_owner() || self.all.shared[two].is_owner();
                let other = Operand::Shared(two);
                if one == two || is_owner || self.shape(&other, None) != Some(shape) {
                    continue;
                }
                self.add(at, LessEqual, operand.clone(), other.clone());
                if one < two {
                    self.add(at, Equal, operand.clone(), other.clone());
                    self.add(at, NotEqual, operand.clone(), other);
                }
            }
        }
        if at.is_empty() {
            self.not_both();
        }
    }

    /// A flag says that something is there: while that is 0, the flag is 0.
    fn not_both(&mut self) {
        let numbers: Vec<usize> = (0..self.all.shared.len())
            .filter(|&one| !self.all.shared[one].is_owner())
            .filter(|&one| self.shape(&Operand::Shared(one), None).is_some())
            .take(FEW_SHARED)
            .collect();
        for &free in &numbers {
            for &flag in numbers.iter().filter(|&&flag| flag != free) {
                let (left, right) = (Operand::Shared(flag), Operand::Number(0));
                let fact = Fact::While { free, is: 0, op: BinaryOp::Equal, left, right };
                self.found.push(Condition { at: Vec::new(), fact });
            }
        }
    }

    /// What has not begun while something shared says that one thread, or none, has come.
    fn while_others_wait(&mut self, at: &[(usize, usize)]) {
        if self.wealth == Wealth::Few {
            return;
        }
        let numbers: Vec<usize> = (0..self.all.shared.len())
            .filter(|&one| !self.all.shared[one].is_owner())
            .filter(|&one| self.shape(&Operand::Shared(one), None).is_some())
            .take(MOST_FLAGS)
            .collect();
        for &free in &numbers {
            for &other in numbers.iter().filter(|&&other| other != free) {
                let (left, right) = (Operand::Shared(other), Operand::Number(0));
                let fact = Fact::While { free, is: 1, op: BinaryOp::Equal, left, right };
                self.found.push(Condition { at: at.to_vec(), fact });
            }
        }
    }

    /// Numbers that are given out in twos stay odd or even.
    fn parity(&mut self, at: &[(usize, usize)], of: &Operand, shape: IntegerShape) {
        if shape.width >= 16 && self.numbers.contains(&2) {
            for is_odd in [true, false] {
                let fact = Fact::Parity { of: of.clone(), is_odd };
                self.found.push(Condition { at: at.to_vec(), fact });
            }
        }
    }

    /// What holds of the data that a lock protects, while nobody has it. What counts threads may be a lock too.
    fn while_free(&mut self) {
        use BinaryOp::{Equal, LessEqual};
        let is_counted = |number: usize| self.all.tallies.iter().any(|guess| guess.shared == number);
        let locks: Vec<usize> = (0..self.all.shared.len())
            .filter(|&number| self.all.shared[number].is_owner() || is_counted(number))
            .collect();
        for free in locks {
            for one in 0..self.all.shared.len() {
                let left = Operand::Shared(one);
                let Some(shape) = self.shape(&left, None).filter(|_| !self.all.shared[one].is_owner()) else {
                    continue;
                };
                if one == free {
                    continue;
                }
                let mut add = |op, right| {
                    let fact = Fact::While { free, is: 0, op, left: left.clone(), right };
                    self.found.push(Condition { at: Vec::new(), fact });
                };
                for &number in
                    self.numbers.iter().filter(|&&number| fits(number, shape)).take(MOST_WHILE_FREE)
                {
                    add(Equal, Operand::Number(number));
                }
                for two in 0..self.all.shared.len() {
                    let right = Operand::Shared(two);
                    let is_like = !self.all.shared[two].is_owner() && two != one && two != free;
                    if is_like && self.shape(&right, None) == Some(shape) {
                        let mut add = |op, right| {
                            let fact = Fact::While { free, is: 0, op, left: left.clone(), right };
                            self.found.push(Condition { at: Vec::new(), fact });
                        };
                        if one < two {
                            add(Equal, right.clone());
                        }
                        add(LessEqual, right);
                    }
                }
            }
        }
    }

    fn at_place(&mut self, kind_id: usize, kind: &Kind, place: usize) {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let at = [(kind_id, place)];
        if !kind.places[place].has_started {
            for &local in &kind.places[place].live {
                let own = Operand::Own(0, local);
                if let Some(shape) = self.shape(&own, Some(kind)) {
                    self.with_numbers(&at, &own, shape);
                }
            }
            return;
        }
        self.found.push(Condition { at: at.to_vec(), fact: Fact::Never });
        for (number, shared) in self.all.shared.iter().enumerate() {
            if shared.is_owner() {
                self.add(&at, Equal, Operand::Shared(number), Operand::Itself(0));
                self.add(&at, NotEqual, Operand::Shared(number), Operand::Itself(0));
                self.add(&at, Equal, Operand::Shared(number), Operand::Number(0));
            }
            if shared.readers.is_some() {
                for times in [0, 1] {
                    self.found.push(Condition { at: at.to_vec(), fact: Fact::Reads { lock: number, times } });
                }
            }
        }
        self.about_shared(&at);
        self.while_others_wait(&at);
        let live: Vec<usize> = kind.places[place].live.iter().copied().take(MOST_LOCALS).collect();
        for &local in &live {
            let own = Operand::Own(0, local);
            let Some(shape) = self.shape(&own, Some(kind)) else { continue };
            self.with_numbers(&at, &own, shape);
            self.parity(&at, &own, shape);
            for shared in 0..self.all.shared.len() {
                let other = Operand::Shared(shared);
                if self.all.shared[shared].is_owner() || self.shape(&other, None) != Some(shape) {
                    continue;
                }
                // What a thread was told is so: its own flag says that something shared is there.
                let (left, right) = (own.clone(), Operand::Number(0));
                let fact = Fact::While { free: shared, is: 0, op: Equal, left, right };
                self.found.push(Condition { at: at.to_vec(), fact });
                for op in [Equal, NotEqual, LessEqual, GreaterEqual, Less, Greater] {
                    self.add(&at, op, own.clone(), other.clone());
                }
                self.before(&at, &own, shared, shape);
                if self.wealth == Wealth::Many {
                    for &free in self.flags.iter().filter(|&&flag| flag != shared) {
                        for op in [Less, LessEqual, Greater, GreaterEqual] {
                            let fact =
                                Fact::While { free, is: 0, op, left: own.clone(), right: other.clone() };
                            self.found.push(Condition { at: at.to_vec(), fact });
                        }
                    }
                }
            }
            for &two in &live {
                let other = Operand::Own(0, two);
                if local == two || self.shape(&other, Some(kind)) != Some(shape) {
                    continue;
                }
                self.add(&at, Less, own.clone(), other.clone());
                self.add(&at, LessEqual, own.clone(), other.clone());
                if local < two {
                    self.add(&at, Equal, own.clone(), other.clone());
                    self.add(&at, NotEqual, own.clone(), other);
                }
            }
        }
    }

    /// Numbers that are handed out in turn: a thread's lies between two that are shared.
    fn before(&mut self, at: &[(usize, usize)], own: &Operand, from: usize, shape: IntegerShape) {
        if self.wealth == Wealth::Few || shape.signed || shape.width < 32 {
            return;
        }
        for other in 0..self.all.shared.len() {
            let operand = Operand::Shared(other);
            if other != from
                && !self.all.shared[other].is_owner()
                && self.shape(&operand, None) == Some(shape)
            {
                let fact = Fact::Before { one: own.clone(), from: Operand::Shared(from), other: operand };
                self.found.push(Condition { at: at.to_vec(), fact });
            }
        }
    }

    /// What something shared is not, while two threads stand somewhere.
    fn while_both(&mut self, at: &[(usize, usize)]) {
        if self.wealth == Wealth::Few {
            return;
        }
        let shared: Vec<usize> = (0..self.all.shared.len())
            .filter(|&one| !self.all.shared[one].is_owner())
            .take(MOST_FLAGS)
            .collect();
        for one in shared {
            let operand = Operand::Shared(one);
            let Some(shape) = self.shape(&operand, None) else { continue };
            let fitting: Vec<i128> = self
                .numbers
                .iter()
                .copied()
                .filter(|&number| fits(number, shape))
                .take(MOST_WHILE_FREE)
                .collect();
            for number in fitting {
                self.add(at, BinaryOp::NotEqual, operand.clone(), Operand::Number(number));
            }
        }
    }

    /// Where two threads never stand together, and variables that differ.
    fn pairs(&mut self) {
        for one in 0..self.all.kinds.len() {
            for two in one..self.all.kinds.len() {
                let (first, second) = (&self.all.kinds[one], &self.all.kinds[two]);
                if !first.is_any && !second.is_any
                    || (first.is_any != second.is_any && self.wealth == Wealth::Few)
                {
                    continue;
                }
                for p in 0..first.places.len() {
                    let from = if one == two { p } else { 0 };
                    for q in from..second.places.len() {
                        if !first.places[p].has_started || !second.places[q].has_started {
                            continue;
                        }
                        let at = vec![(one, p), (two, q)];
                        self.found.push(Condition { at: at.clone(), fact: Fact::Never });
                        if one != two {
                            continue;
                        }
                        self.while_both(&at);
                        let both =
                            first.places[p].live.iter().filter(|local| second.places[q].live.contains(local));
                        for &local in both.take(MOST_LOCALS) {
                            let (left, right) = (Operand::Own(0, local), Operand::Own(1, local));
                            let fact = Fact::Compare(BinaryOp::NotEqual, left, right);
                            self.found.push(Condition { at: at.clone(), fact });
                        }
                    }
                }
            }
        }
    }
}
