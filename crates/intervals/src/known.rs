//! Calls of functions with a built-in meaning: allocation, memory, streams, threads, locks, `scanf`.

use crate::call::Call;
use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::context::Context;
use crate::domain::floats::FloatRange;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::Evaluator;
use crate::library::{Effect, uncast};
use crate::lives;
use crate::memory;
use crate::promised::{self, Target};
use crate::settings::Reads;
use crate::state::State;
use crate::strings::Limit;
use program::expr::Access;
use program::known::MathFunction;
use program::{Expr, ExprKind, Known, PlaceBase};

impl Call<'_, '_, '_> {
    /// A call of a function with a built-in meaning. `None` if no run gets past it.
    pub fn known(&mut self, known: Known) -> Option<Effect> {
        use Known::*;
        let context = self.context();
        if known == Unreachable {
            let about = self.site.name.to_owned();
            self.evaluator().note(CheckKind::Unreachable, Certainty::Definite, |_| about);
            return None;
        }
        if known.never_returns() {
            return Some(Effect::Ends);
        }
        let mut after = self.state.clone();
        let word = i128::from(context.program.types.pointer_width() / 8);
        let mut result = None;
        match known {
            Malloc | Calloc | Alloca | AlignedAlloc | NewStream => {
                let bytes = match known {
                    Malloc | Alloca | NewStream => self.number(0),
                    Calloc => self.product(0, 1),
                    _ => self.number(1),
                };
                let mut pointers = self.allocate(&mut after, &bytes);
                if matches!(known, Alloca | NewStream) {
                    pointers.can_be_null = false;
                }
                if known == Calloc {
                    memory::fill(context, &mut after, &pointers.without_null(), &Number::only(0), &bytes);
                }
                result = Some(Value::Pointer(pointers));
            }
            Realloc => {
                self.release(&mut after)?;
                let pointers = self.allocate(&mut after, &self.number(1));
                if pointers.can_be_null {
                    // It may have failed, and the old block lives.
                    after = after.join(self.state, context.joining());
                    memory::forget_object(context, &mut after, self.allocated());
                }
                result = Some(Value::Pointer(pointers));
            }
            Free => self.release(&mut after)?,
            VaStart | VaEnd | VaCopy => memory::kill_objects(context, &mut after, &self.pointer(0)),
            VaArg => {
                let about = self.site.name.to_owned();
                self.evaluator().note(CheckKind::VariableArguments, Certainty::Possible, |_| about);
                memory::kill_objects(context, &mut after, &self.pointer(0));
            }
            MemoryCopy | MemoryMove => {
                let source = self.range(1, &self.number(2), Access::Read)?;
                let target = self.range(0, &self.number(2), Access::Write)?;
                if known == MemoryCopy {
                    self.apart_or_same(&target, &source, &self.number(2))?;
                }
                memory::copy(context, &mut after, &source, &target, &self.number(2));
                result = self.values.first().cloned();
            }
            MemorySet => {
                let target = self.range(0, &self.number(2), Access::Write)?;
                memory::kill(context, &mut after, &target, self.number(2));
                memory::fill(context, &mut after, &target, &self.number(1), &self.number(2));
                self.clear_object(&mut after, &target, &self.number(1), &self.number(2));
                result = self.values.first().cloned();
            }
            Sprintf | Snprintf | Vsprintf | Vsnprintf => {
                self.print_to_memory(&mut after, known)?;
            }
            Fgets => {
                self.stream(2)?;
                // A short line needs less room.
                let most = self.number(1).hull()?.high;
                let target = self.range(0, &Number::range(0, most.max(0)), Access::Write)?;
                memory::kill_objects(context, &mut after, &target);
                result = Some(Value::Pointer(self.pointer(0).with_null(true)));
            }
            Getchar => result = Some(Value::Integer(Number::range(-1, 255))),
            Fgetc => {
                self.stream(0)?;
                result = Some(Value::Integer(Number::range(-1, 255)));
            }
            Putchar => {}
            Fputc => self.stream(1)?,
            Puts => drop(self.text(0, Limit::NONE)?),
            // A null pointer is a message that is left out.
            Perror => {
                if !self.pointer(0).can_be_null {
                    self.text(0, Limit::NONE)?;
                } else if self.pointer(0).can_be_not_null() {
                    let given = self.pointer(0).without_null();
                    let subject = self.subject(0)?;
                    self.evaluator().text(&given, Limit::NONE, true, subject);
                }
            }
            Fputs => {
                self.text(0, Limit::NONE)?;
                self.stream(1)?;
            }
            Fwrite => {
                let read = self.range(0, &self.product(1, 2), Access::Read)?;
                self.initialised(0, &read, &self.product(1, 2));
                self.stream(3)?;
            }
            Fflush => {
                if self.pointer(0).can_be_not_null() && !self.pointer(0).can_be_null {
                    self.stream(0)?;
                }
            }
            Printf => drop(self.print(&mut after, 0)?),
            Fprintf => {
                self.stream(0)?;
                self.print(&mut after, 1)?;
            }
            Vprintf | Vfprintf => {
                let at = usize::from(known == Vfprintf);
                if at == 1 {
                    self.stream(0)?;
                }
                self.text(at, Limit::NONE)?;
                self.note_format(Certainty::Possible, "the arguments in the list are not followed");
                after.memory = Default::default();
            }
            Scanf => return self.scan(after, 1),
            Fscanf => {
                self.stream(0)?;
                return self.scan(after, 2);
            }
            Sscanf => {
                self.text(0, Limit::NONE)?;
                return self.scan(after, 2);
            }
            Math(function, kind) => result = Some(math(function, kind, &self.values)),
            Word(word) => return self.word(word).map(Effect::Returns),
            Setjmp => {
                // A jump may come back here with whatever happened in between.
                after = State::default();
            }
            AtExit | ThreadCreate | OnceCall => {
                let started = if known == ThreadCreate { 2 } else { usize::from(known == OnceCall) };
                let (state, argument) = (self.state, self.site.arguments.get(started));
                self.transfer.note_call(state, &self.pointer(started), argument, None);
                let procedures = self.transfer.procedures_in(&self.pointer(started));
                if known != AtExit {
                    // Nothing is stored through null, which tasks pass where nobody needs the handle.
                    let stores = self.site.arguments.first().and_then(program::Expr::as_integer) != Some(0);
                    if stores {
                        let target = self.range(0, &Number::only(1), Access::Write)?;
                        memory::kill_objects(context, &mut after, &target);
                    }
                    after.globals = Default::default();
                    after.memory = Default::default();
                }
                let after = self.give(&after, None)?;
                return Some(Effect::Starts(after, procedures));
            }
            ThreadJoin => {
                if self.pointer(1).can_be_not_null() {
                    let words =
                        if self.pointer(1).can_be_null { Number::range(0, word) } else { Number::only(word) };
                    self.range(1, &words, Access::Write)?;
                }
                memory::kill_objects(context, &mut after, &self.pointer(1));
            }
            AtomicBegin | AtomicEnd | ThreadExit | ThreadSelf | ThreadDetach | ThreadYield | KeyGet
            | KeySet | ReachError => {}
            _ => {
                // Mutexes and their like: the object they are about is there, and what they are passed may
                // change.
                if !self.site.arguments.is_empty() {
                    self.range(0, &Number::only(1), Access::Write)?;
                }
                for value in &self.values {
                    if let Value::Pointer(pointers) = value {
                        memory::kill_objects(context, &mut after, pointers);
                    }
                }
                self.locks(&mut after, known, &self.pointer(0));
            }
        }
        Some(Effect::Returns(self.give(&after, result)?))
    }

    /// Locks that are taken are held until they are given back.
    fn locks(&mut self, after: &mut State, known: Known, lock: &Pointers) {
        use Known::*;
        let context = self.context();
        // Which lock it is is known only of variables that are one lock as a whole.
        let one = match lock.targets() {
            [(object, offset)] if !lock.can_be_anything && !lock.can_be_null => {
                let is_whole = match (context.kind_of(*object), self.site.arguments.first()) {
                    (ObjectKind::Variable(id), Some(argument)) => {
                        let types = &context.program.types;
                        types
                            .pointee(uncast(argument).ty)
                            .is_some_and(|to| to.id == context.program.variables[id].ty.id)
                    }
                    _ => false,
                };
                let is_one =
                    context.is_global_object(*object) || context.cells.borrow().get(*object).is_tracked;
                (is_whole && is_one && offset.single() == Some(0)).then_some(*object)
            }
            _ => None,
        };
        match known {
            MutexLock | RwlockReadLock | RwlockWriteLock => {
                if let Some(object) = one {
                    lives::hold(after, object, true);
                }
            }
            MutexUnlock | RwlockUnlock | CondWait => {
                // The second argument of `pthread_cond_wait` is the mutex; which one is not followed.
                let is_held =
                    known != CondWait && one.is_some_and(|object| lives::is_held(self.state, object));
                let certainty = Certainty::of(!is_held, true);
                let about = format!("{}({})", self.site.name, self.site.shown(context, 0));
                self.evaluator().note(CheckKind::MutexMisuse, certainty, |_| about);
                if known != CondWait {
                    match one {
                        Some(object) => lives::hold(after, object, false),
                        None => lives::hold_nothing(after),
                    }
                }
            }
            MutexInit | MutexDestroy | RwlockInit | RwlockDestroy => match one {
                Some(object) => lives::hold(after, object, false),
                None => lives::hold_nothing(after),
            },
            _ => {}
        }
    }

    fn scan(&mut self, mut after: State, first: usize) -> Option<Effect> {
        let (context, site) = (self.context(), self.site);
        let conversions = self.scanned(first - 1)?;
        let mut promised = Vec::new();
        for argument in site.arguments.iter().skip(first) {
            let pointee = scan_target(argument, context);
            let before = after.clone();
            let pointers = Evaluator::new(context, &before).pointers(argument)?;
            let Some((name, scalar, size)) = pointee else {
                memory::kill_objects(context, &mut after, &pointers);
                continue;
            };
            let value = self.transfer.input(&mut after, site.edge, name.as_deref(), scalar)?;
            let datum = Datum::of(value);
            match context.settings.reads {
                Reads::Deliver => memory::write(context, &mut after, &pointers, size, scalar, &datum),
                Reads::MayFail => {
                    promised.push(Target { pointers: pointers.clone(), size, datum: datum.clone() });
                    let old = Evaluator::new(context, &before).read(&pointers, size, scalar);
                    let joined = old.and_then(|old| old.join(&datum, context.arithmetic.cap));
                    let datum =
                        joined.unwrap_or(Datum { value: Value::any(scalar), written: Written::Perhaps });
                    memory::write(context, &mut after, &pointers, size, scalar, &datum);
                }
            }
        }
        let all = site.arguments.len().saturating_sub(first);
        let result = match (context.settings.reads, conversions) {
            (Reads::Deliver, Some(count)) => Number::only(count as i128),
            (Reads::Deliver, None) => Number::range(0, all as i128),
            (Reads::MayFail, count) => Number::range(-1, count.unwrap_or(all) as i128),
        };
        let mut after = self.give(&after, Some(Value::Integer(result)))?;
        // Characters, whose number is not known, are not promised: then there are fewer targets than
        // conversions.
        if let Some(count) = conversions.filter(|&count| count == all) {
            promised::make(context, &mut after, site.result, count, &promised);
        }
        Some(Effect::Returns(after))
    }
}

/// What an argument of `scanf` points to: the variable's name, the scalar, its bytes.
fn scan_target(argument: &Expr, context: &Context<'_>) -> Option<(Option<String>, Scalar, u64)> {
    let types = &context.program.types;
    let inner = uncast(argument);
    let to = types.pointee(inner.ty)?;
    let scalar = Scalar::of(to.id, types)?;
    let size = types.size_of(to.id)?;
    // A pointer to characters may be a whole string.
    if size == 1 {
        return None;
    }
    let name = match &inner.kind {
        ExprKind::AddressOf(place) => match place.base {
            PlaceBase::Variable(id) => Some(context.program.variables[id].name.to_string()),
            PlaceBase::Pointer(_) => None,
        },
        _ => None,
    };
    Some((name, scalar, size))
}

fn math(function: MathFunction, kind: program::FloatKind, values: &[Value]) -> Value {
    use MathFunction::*;
    let operand = match values.first() {
        Some(Value::Float(range)) => *range,
        _ => FloatRange::ANY,
    };
    match function {
        IsNan | IsFinite => Value::Integer(Number::truth()),
        IsInf => Value::Integer(Number::range(-1, 1)),
        SignBit | Classify => {
            Value::Integer(Number::any(program::types::IntegerShape { width: 32, signed: true }))
        }
        Fabs => {
            let reach = operand.low.abs().max(operand.high.abs());
            let low = if operand.low <= 0.0 && operand.high >= 0.0 {
                0.0
            } else {
                operand.low.abs().min(operand.high.abs())
            };
            Value::Float(FloatRange { low, high: reach, can_be_nan: operand.can_be_nan })
        }
        Sin | Cos | Tanh => Value::Float(FloatRange { low: -1.0, high: 1.0, can_be_nan: true }),
        // Monotone, and exact in every format that holds the bounds.
        Floor | Ceil | Trunc | Round | Rint => {
            let whole = |value: f64| match function {
                Floor => value.floor(),
                Ceil => value.ceil(),
                Trunc => value.trunc(),
                Round => value.round(),
                _ => value.round_ties_even(),
            };
            Value::Float(FloatRange { low: whole(operand.low), high: whole(operand.high), ..operand })
        }
        Sqrt if matches!(kind, program::FloatKind::Float | program::FloatKind::Double)
            && operand.low >= 0.0 =>
        {
            let root = |value: f64| match kind {
                program::FloatKind::Float => f64::from((value as f32).sqrt()),
                _ => value.sqrt(),
            };
            Value::Float(FloatRange { low: root(operand.low), high: root(operand.high), ..operand })
        }
        _ => Value::Float(FloatRange::ANY),
    }
}
