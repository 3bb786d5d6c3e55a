//! The loop: one edge after the other.

use super::{Machine, Step};
use crate::code::{AggregateCode, NodeCode, PlaceCode, StepCode, Target, WordForm};
use crate::machine::frames::{Register, ThreadState};
use crate::memory::{Location, Region, Tag};
use crate::observe;
use crate::outcome::{RunOutcome, UndefinedKind};
use base::Id;
use program::{EdgeId, LifetimeStep, NodeId};

impl Machine<'_, '_> {
    /// Takes up to `fuel` edges of the running thread; fewer if it has to give way.
    pub fn run_slice(&mut self, fuel: u64) -> Step<()> {
        let mut code = self.procedure_code();
        let mut left = fuel;
        while left > 0 {
            left -= 1;
            self.steps += 1;
            match &code.nodes[self.frame.node as usize] {
                NodeCode::Branch { condition, when_true, when_false } => {
                    let (edge, to) = if self.truth(condition)? { *when_true } else { *when_false };
                    self.advance(edge, to);
                }
                NodeCode::Step { step, edge, to } => {
                    match step {
                        StepCode::AssignWord(parts) => {
                            let value = self.word(&parts.2)?;
                            self.write_word(&parts.0, parts.1, value)?;
                        }
                        StepCode::AssignPointer(parts) => {
                            let value = self.pointer(&parts.1)?;
                            self.write_pointer(&parts.0, value)?;
                        }
                        StepCode::Call(call) => {
                            self.call(call)?;
                            if self.must_switch {
                                return Ok(());
                            }
                            code = self.procedure_code();
                            continue;
                        }
                        StepCode::Return(value) => {
                            self.return_from_call(value.as_deref())?;
                            if self.must_switch {
                                return Ok(());
                            }
                            code = self.procedure_code();
                            continue;
                        }
                        other => self.rare_step(other)?,
                    }
                    self.advance(*edge, *to);
                }
                NodeCode::Choice(ways) => {
                    let mut taken = None;
                    for way in ways {
                        let is_met = match &way.condition {
                            Some((condition, expected)) => self.truth(condition)? == *expected,
                            None => true,
                        };
                        if is_met {
                            taken = Some((way.edge, way.to));
                            break;
                        }
                    }
                    let Some((edge, to)) = taken else {
                        return Err(self.unsupported("control cannot go on: no way out of here is open"));
                    };
                    self.advance(edge, to);
                }
                NodeCode::End(_) => {
                    return Err(self.unsupported("control reaches a place it was never to get to"));
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn advance(&mut self, edge: EdgeId, to: u32) {
        // Every loop has a step to a node that is not behind it.
        let goes_back = to <= self.frame.node;
        if self.world.observer.is_some() {
            self.tell(edge);
            self.frame.node = to;
            self.tell_state();
        } else {
            self.frame.node = to;
        }
        if goes_back && self.rounds.is_due(self.frame.procedure, to) {
            self.try_rounds();
        }
    }

    /// Tells who watches which state control has come to, if that is wanted here.
    #[cold]
    pub fn tell_state(&mut self) {
        let (procedure, node) = (self.frame.procedure, NodeId::from_index(self.frame.node as usize));
        if !self.world.observer.as_ref().is_some_and(|observer| observer.wants_state(procedure, node)) {
            return;
        }
        let Some(digest) = self.digest() else { return };
        let inputs = self.inputs_before + self.consumed.len();
        let seen = observe::StateSeen { procedure, node, digest, steps: self.steps, inputs };
        if let Some(observer) = &mut self.world.observer {
            observer.state(seen);
        }
    }

    /// Tells who watches.
    #[cold]
    pub fn tell(&mut self, edge: EdgeId) {
        let step = observe::Step {
            thread: self.current,
            procedure: self.frame.procedure,
            edge,
            depth: self.thread.frames.len() as u32,
            written: self.written.take(),
        };
        if let Some(observer) = &mut self.world.observer {
            observer.step(step);
        }
    }

    /// Steps that are not the most frequent ones.
    pub fn rare_step(&mut self, step: &StepCode) -> Step<()> {
        match step {
            StepCode::Skip => Ok(()),
            StepCode::AssignWord(parts) => {
                let value = self.word(&parts.2)?;
                self.write_word(&parts.0, parts.1, value)
            }
            StepCode::AssignPointer(parts) => {
                let value = self.pointer(&parts.1)?;
                self.write_pointer(&parts.0, value)
            }
            StepCode::AssignWide(parts) => {
                let value = self.wide(&parts.2)?;
                self.write_wide(&parts.0, parts.1 as usize, value)
            }
            StepCode::CopyCharacter(parts) => {
                let at = self.resolve_read(&parts.1, 1)?;
                self.copy_character(&parts.0, at, parts.2)
            }
            StepCode::AssignAggregate(parts) => self.copy_aggregate(&parts.0, &parts.1),
            StepCode::Assume(condition, expected) => {
                if self.truth(condition)? == *expected {
                    return Ok(());
                }
                let place = self.place();
                if self.world.driver.is_some() {
                    // Others may go on: it stops this thread only.
                    self.thread.state = ThreadState::Stopped(Box::new(place));
                    return Ok(());
                }
                Err(self.end_with(RunOutcome::AssumptionUnmet(place)))
            }
            StepCode::Havoc(havoc) => self.havoc(havoc),
            StepCode::Event(arguments) => {
                for argument in arguments {
                    self.value(argument)?;
                }
                Ok(())
            }
            StepCode::Lifetime(number, LifetimeStep::Begin) => {
                self.end_local(*number);
                self.begin_local(*number).map(|_| ())
            }
            StepCode::Lifetime(number, LifetimeStep::End) => {
                self.end_local(*number);
                Ok(())
            }
            StepCode::Unsupported(what) => Err(self.unsupported(what.to_string())),
            StepCode::Call(_) | StepCode::Return(_) => {
                unreachable!("calls and returns are taken in the loop")
            }
        }
    }

    /// Copies a character with its written-mask: copying is not using.
    fn copy_character(&mut self, target: &Target, from: Location, form: WordForm) -> Step<()> {
        if self.memory.object(from.slot).is_written(from.offset, 1)
            || self.memory.object(from.slot).is_external
        {
            let value = self.load_word(from, form)?;
            return self.write_word(target, form, value);
        }
        let mask = self.memory.object(from.slot).written[from.offset];
        let byte = self.memory.object(from.slot).bytes[from.offset];
        match target {
            Target::Register(number) => {
                let index = self.frame.registers + *number as usize;
                self.thread.registers[index] = Register { bits: 0, tag: Tag::UNWRITTEN };
            }
            Target::Shared(bank, number) => {
                self.shared(*bank)[*number as usize] = Register { bits: 0, tag: Tag::UNWRITTEN };
            }
            Target::Memory(place) => {
                let at = self.resolve_write(place, 1)?;
                let region = Region { bytes: vec![byte], written: vec![mask], ..Region::default() };
                self.memory.put(at, &region);
            }
        }
        Ok(())
    }

    fn copy_aggregate(&mut self, target: &PlaceCode, value: &AggregateCode) -> Step<()> {
        let word = self.memory.word();
        match value {
            AggregateCode::Zero(size) => {
                let at = self.resolve_write(target, *size as usize)?;
                self.memory.object_mut(at.slot).fill(at.offset, *size as usize, 0, word);
            }
            AggregateCode::Load(source, size) => {
                let size = *size as usize;
                let from = self.resolve_read(source, size)?;
                self.check_external(from, size)?;
                let to = self.resolve_write(target, size)?;
                let overlaps = from.slot == to.slot && from.offset.abs_diff(to.offset) < size;
                if overlaps && from.offset != to.offset {
                    let description = self.describe_slot(from.slot);
                    let message = format!("{} is copied onto a part of itself", description.name);
                    self.undefined(UndefinedKind::Overlap, message, Some(description))?;
                }
                let region = self.memory.lift(from, size);
                self.memory.put(to, &region);
            }
        }
        Ok(())
    }
}
