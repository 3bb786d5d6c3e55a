//! Many rounds of a loop at once (loop acceleration): where a round only adds numbers to variables outside memory, and asks
//! conditions that stay as they are for some rounds, these rounds are made in one step. The state after them is the same
//! as after one round at a time, and nothing happens in them that anybody is told of.
//!
//! After Boigelot 1998 and Finkel, Leroux 2002 (acceleration of counters), on one path and on the values of a run: so no
//! quantifiers are needed.
//!
//! At the head, a register has the value `now + step * n` at the start of the `n`th round from now. The round is evaluated
//! with such forms; every operation says for how many rounds its result is a form too: sums as long as they fit their
//! type, comparisons as long as their outcome is the same. If each register ends the round as the next one starts it, all
//! of that holds for the rounds that every operation allows, by induction.
//!
//! Worked example: `while (x < 1000) { x += 2; y = x; }` with `x` 10: `x` is `10 + 2n`, the condition is met for `n` up to 494, and
//! `y` is `12 + 2n` behind the sum. Of 495 rounds 494 are made at once; the last is told, and the next one leaves the loop.
//!
//! Naive twin: the loop of `steps`; the test `rounds_at_once_are_rounds_one_by_one` compares them.

use super::Machine;
use super::frames::Register;
use crate::code::{Bank, Condition, NodeCode, Shape, StepCode, Target, Word, WordForm};
use crate::memory::Tag;
use program::{BinaryOp, ProcedureId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Rounds that are made one by one before several are tried.
const FIRST_TRY: u64 = 64;
/// Where it has worked before, fewer.
const NEXT_TRY: u64 = 3;
/// Steps of a round at most.
const MOST_STEPS: usize = 64;
/// After so many attempts in vain a head is left alone.
const MOST_IN_VAIN: u32 = 6;
/// Fewer rounds than this are not worth it.
const FEWEST: i128 = 4;

/// What is known of the loops of a run.
#[derive(Debug, Default)]
pub struct Rounds {
    /// Where control went back to last, and how often in a row.
    last: (u32, u32),
    count: u64,
    /// It is time to look at `tried` when it was as often as this.
    due: u64,
    tried: FxHashMap<(u32, u32), Tried>,
}

/// How attempts at a head went.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    in_vain: u32,
    next: u64,
}

impl Rounds {
    /// Control goes back to a node. Is it time to try?
    #[inline]
    pub fn is_due(&mut self, procedure: ProcedureId, node: u32) -> bool {
        let at = (base::Id::index(procedure) as u32, node);
        if self.last != at {
            (self.last, self.count, self.due) = (at, 0, NEXT_TRY);
            return false;
        }
        self.count += 1;
        self.count >= self.due && self.is_worth()
    }

    #[cold]
    fn is_worth(&mut self) -> bool {
        let tried = self.tried.get(&self.last).copied().unwrap_or(Tried { in_vain: 0, next: FIRST_TRY });
        self.due = if tried.in_vain < MOST_IN_VAIN { tried.next } else { u64::MAX };
        self.count >= self.due
    }

    /// How an attempt went.
    fn note(&mut self, has_worked: bool) {
        let tried = self.tried.entry(self.last).or_default();
        *tried = match has_worked {
            true => Tried { in_vain: 0, next: NEXT_TRY },
            false => Tried { in_vain: tried.in_vain + 1, next: self.count.saturating_mul(8) },
        };
        (self.count, self.due) = (0, NEXT_TRY);
    }
}

/// A register that no call has to itself, or one of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Own(u32),
    Global(u32),
    OfThread(u32),
}

/// A value in the `n`th round from now: `now + step * n`, as registers hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    now: i128,
    step: i128,
}

impl Form {
    fn constant(now: i128) -> Form {
        Form { now, step: 0 }
    }
}

/// Values of registers, and for how many rounds all of it holds.
struct Walk<'m, 'p, 'w> {
    machine: &'m Machine<'p, 'w>,
    /// How each register that the round writes goes on from round to round.
    steps: &'m BTreeMap<Cell, i128>,
    values: BTreeMap<Cell, Form>,
    most: i128,
}

/// The evaluation cannot be done with forms.
struct NoForm;

type Formed<T> = Result<T, NoForm>;

/// What a walk through a round gave.
struct Round {
    values: BTreeMap<Cell, Form>,
    most: i128,
}

impl Machine<'_, '_> {
    /// Makes as many rounds as it can at once. Control is at the node where a round starts.
    #[cold]
    pub fn try_rounds(&mut self) {
        let is_alone = self.threads.len() <= 1
            && self.watch.is_none()
            && self.world.driver.is_none()
            && self.world.moments.is_none()
            && self.world.observer.as_ref().is_none_or(|observer| observer.may_skip_rounds());
        let made = is_alone.then(|| self.rounds_at_once()).flatten();
        self.rounds.note(made.is_some());
        let Some(values) = made else { return };
        for (cell, value) in values {
            let register = Register::word(value as u64);
            match cell {
                Cell::Own(number) => {
                    let index = self.frame.registers + number as usize;
                    self.thread.registers[index] = register;
                }
                Cell::Global(number) => self.globals[number as usize] = register,
                Cell::OfThread(number) => self.thread.own_registers[number as usize] = register,
            }
        }
    }

    /// The registers after as many rounds as are alike, but for the last: that one is made as ever, so that who watches is
    /// told of every step once.
    fn rounds_at_once(&self) -> Option<Vec<(Cell, i128)>> {
        // How the registers change in one round, from the round that comes.
        let nothing = BTreeMap::new();
        let first = self.walk(&nothing)?;
        let mut steps = BTreeMap::new();
        for (&cell, form) in &first.values {
            let before = self.cell(cell).ok()?;
            steps.insert(cell, form.now - before);
        }
        if steps.values().all(|&step| step == 0) {
            // It goes on for ever; whoever waits for the end has limits.
            return None;
        }
        let round = self.walk(&steps)?;
        if round.most < FEWEST || round.values.len() != steps.len() {
            return None;
        }
        let mut after = Vec::new();
        for (cell, step) in &steps {
            let before = self.cell(*cell).ok()?;
            let end = round.values.get(cell)?;
            // The round ends as the next one starts.
            if end.now != before + step || end.step != *step {
                return None;
            }
            after.push((*cell, before + step * (round.most - 1)));
        }
        Some(after)
    }

    fn cell(&self, cell: Cell) -> Formed<i128> {
        let register = match cell {
            Cell::Own(number) => self.thread.registers.get(self.frame.registers + number as usize),
            Cell::Global(number) => self.globals.get(number as usize),
            Cell::OfThread(number) => self.thread.own_registers.get(number as usize),
        };
        match register {
            Some(register) if register.tag == Tag::NONE => Ok(i128::from(register.bits as i64)),
            _ => Err(NoForm),
        }
    }

    /// Evaluates one round.
    fn walk(&self, steps: &BTreeMap<Cell, i128>) -> Option<Round> {
        let code = self.code.procedures[self.frame.procedure].as_ref()?;
        let mut walk = Walk { machine: self, steps, values: BTreeMap::new(), most: i128::from(i64::MAX) };
        let (start, mut node, mut count) = (self.frame.node, self.frame.node, 0);
        loop {
            count += 1;
            if count > MOST_STEPS {
                return None;
            }
            node = walk.node(&code.nodes[node as usize]).ok()?;
            if node == start {
                return Some(Round { values: walk.values, most: walk.most });
            }
        }
    }
}

impl Walk<'_, '_, '_> {
    /// What happens at a node; gives the next.
    fn node(&mut self, node: &NodeCode) -> Formed<u32> {
        match node {
            NodeCode::Step { step, to, .. } => {
                self.step(step)?;
                Ok(*to)
            }
            NodeCode::Branch { condition, when_true, when_false } => {
                Ok(if self.truth(condition)? { when_true.1 } else { when_false.1 })
            }
            NodeCode::Choice(ways) => {
                for way in ways {
                    match &way.condition {
                        Some((condition, expected)) if self.truth(condition)? != *expected => {}
                        _ => return Ok(way.to),
                    }
                }
                Err(NoForm)
            }
            NodeCode::End(_) => Err(NoForm),
        }
    }

    fn step(&mut self, step: &StepCode) -> Formed<()> {
        match step {
            StepCode::Skip => Ok(()),
            StepCode::Assume(condition, expected) if self.truth(condition)? == *expected => Ok(()),
            StepCode::AssignWord(parts) => {
                let cell = match &parts.0 {
                    Target::Register(number) => Cell::Own(*number),
                    Target::Shared(Bank::Global, number) => Cell::Global(*number),
                    Target::Shared(Bank::Thread, number) => Cell::OfThread(*number),
                    Target::Memory(_) => return Err(NoForm),
                };
                if matches!(parts.1, WordForm::Bits(_)) {
                    return Err(NoForm);
                }
                let value = self.word(&parts.2)?;
                // It has to have a value now, or there is none to go on from.
                self.machine.cell(cell)?;
                self.values.insert(cell, value);
                Ok(())
            }
            _ => Err(NoForm),
        }
    }

    fn load(&mut self, cell: Cell) -> Formed<Form> {
        if let Some(&form) = self.values.get(&cell) {
            return Ok(form);
        }
        let now = self.machine.cell(cell)?;
        let step = self.steps.get(&cell).copied().unwrap_or(0);
        Ok(Form { now, step })
    }

    /// The rounds in which a form is inside these bounds, all from now on.
    fn within(&mut self, form: Form, low: i128, high: i128) -> Formed<Form> {
        if form.now < low || form.now > high {
            return Err(NoForm);
        }
        let rounds = match form.step {
            0 => return Ok(form),
            step if step > 0 => (high - form.now) / step + 1,
            step => (form.now - low) / -step + 1,
        };
        self.most = self.most.min(rounds);
        Ok(form)
    }

    /// The form is what a register of this shape can hold.
    fn fitting(&mut self, form: Form, shape: Shape) -> Formed<Form> {
        let width = u32::from(shape.width);
        match shape.signed {
            true => self.within(form, -(1 << (width - 1)), (1 << (width - 1)) - 1),
            // Registers hold the upper half of unsigned 64-bit numbers as negative ones: these are left out.
            false if width == 64 => self.within(form, 0, i128::from(i64::MAX)),
            false => self.within(form, 0, (1 << width) - 1),
        }
    }

    fn word(&mut self, word: &Word) -> Formed<Form> {
        match word {
            Word::Constant(bits) => Ok(Form::constant(i128::from(*bits as i64))),
            Word::Register(number) => self.load(Cell::Own(*number)),
            Word::Shared(Bank::Global, number) => self.load(Cell::Global(*number)),
            Word::Shared(Bank::Thread, number) => self.load(Cell::OfThread(*number)),
            Word::Binary(operation) => {
                let left = self.word(&operation.left)?;
                let right = self.word(&operation.right)?;
                let result = match operation.op {
                    BinaryOp::Add => sum(left, right, 1, operation.shape),
                    BinaryOp::Subtract => sum(left, right, -1, operation.shape),
                    BinaryOp::Multiply if right.step == 0 => scaled(left, right.now),
                    BinaryOp::Multiply if left.step == 0 => scaled(right, left.now),
                    _ => None,
                };
                self.fitting(result.ok_or(NoForm)?, operation.shape)
            }
            Word::Compare(op, signed, operands) => {
                let (left, right) = (self.word(&operands.0)?, self.word(&operands.1)?);
                if !signed && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
                    self.within(left, 0, i128::from(i64::MAX))?;
                    self.within(right, 0, i128::from(i64::MAX))?;
                }
                let truth = self.compared(*op, left, right);
                Ok(Form::constant(i128::from(truth)))
            }
            Word::Truth(condition, expected) => {
                let truth = self.truth(condition)? == *expected;
                Ok(Form::constant(i128::from(truth)))
            }
            Word::Convert(operand, shape) => {
                let form = self.word(operand)?;
                // The window of numbers that it is in stays the same.
                let now = i128::from(shape.extend(form.now as i64 as u64) as i64);
                self.fitting(Form { now, step: form.step }, *shape)
            }
            _ => Err(NoForm),
        }
    }

    fn truth(&mut self, condition: &Condition) -> Formed<bool> {
        let Condition::Word(word) = condition else { return Err(NoForm) };
        let form = self.word(word)?;
        Ok(self.compared(BinaryOp::NotEqual, form, Form::constant(0)))
    }

    /// The outcome of a comparison now; it is the same for the rounds that are left.
    fn compared(&mut self, op: BinaryOp, left: Form, right: Form) -> bool {
        let difference = Form { now: left.now - right.now, step: left.step - right.step };
        let truth = super::arithmetic::compare(op, difference.now.cmp(&0));
        let Form { now, step } = difference;
        if step == 0 {
            return truth;
        }
        // The first round in which the difference has another sign, or is zero, or is no longer.
        let rounds = match now {
            0 => Some(1),
            _ if (now > 0) == (step > 0) => None,
            _ => Some((now.abs() + step.abs() - 1) / step.abs()),
        };
        let is_order = !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let rounds = match rounds {
            // Zero is passed over without being met.
            Some(_) if !is_order && now.abs() % step.abs() != 0 => None,
            rounds => rounds,
        };
        if let Some(rounds) = rounds {
            self.most = self.most.min(rounds);
        }
        truth
    }
}

/// A sum or difference, with what one round of numbers of a narrower type adds as it shows there.
fn sum(left: Form, right: Form, sign: i128, shape: Shape) -> Option<Form> {
    let now = left.now + sign * right.now;
    let step = left.step + sign * right.step;
    // Unsigned arithmetic wraps: what is added may be a number below zero, as `x + 4294967295` is `x - 1`.
    let now = if shape.signed { now } else { i128::from(shape.extend(now as u64) as i64) };
    (now.abs() <= i128::from(i64::MAX) && step.abs() <= i128::from(i64::MAX)).then_some(Form { now, step })
}

fn scaled(form: Form, by: i128) -> Option<Form> {
    let (now, step) = (form.now.checked_mul(by)?, form.step.checked_mul(by)?);
    (now.abs() <= i128::from(i64::MAX) && step.abs() <= i128::from(i64::MAX)).then_some(Form { now, step })
}
