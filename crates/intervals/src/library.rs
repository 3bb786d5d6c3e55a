//! Calls of functions whose meaning is known, and of functions that are missing.
//!
//! A missing function returns anything and may change every global variable that others can see, what was passed to it and all that can be
//! reached from there; functions whose address it can reach may be called at any time from then on. It frees nothing, and calls nothing by name.

use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::context::Context;
use crate::described;
use crate::domain::floats::FloatRange;
use crate::domain::integers::Range;
use crate::domain::number::{Number, limits};
use crate::domain::operators::Certainty;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::{Evaluator, Location, Subject, WIDE};
use crate::lives;
use crate::memory;
use crate::promised::{self, Target};
use crate::settings::{Missing, Reads};
use crate::state::State;
use crate::strings::{LONGEST, Limit};
use crate::transfer::Transfer;
use base::Id;
use program::expr::Access;
use program::known::MathFunction;
use program::{Edge, EdgeId, Expr, ExprKind, Known, Place, PlaceBase, ProcedureId, VariableId};
use rustc_hash::FxHashSet;

/// A call as it stands in the program.
#[derive(Clone, Copy)]
pub struct CallSite<'a> {
    /// The calling procedure.
    pub procedure: ProcedureId,
    /// The edge's name.
    pub edge_id: EdgeId,
    /// The edge.
    pub edge: &'a Edge,
    /// Gets the result.
    pub result: Option<&'a Place>,
    /// The arguments.
    pub arguments: &'a [Expr],
    /// The function that is called, if it has a name.
    pub name: &'a str,
}

impl CallSite<'_> {
    /// An argument as the program writes it.
    fn shown(&self, context: &Context<'_>, at: usize) -> String {
        self.arguments
            .get(at)
            .map_or_else(String::new, |argument| context.program.show().expr(uncast(argument)))
    }
}

/// A function's name as programs write it: headers give some of them another one.
pub fn as_written(name: &str) -> &str {
    ["__isoc99_", "__isoc23_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// The value before conversions.
pub fn uncast(argument: &Expr) -> &Expr {
    let mut inner = argument;
    while let ExprKind::Cast(operand) = &inner.kind {
        inner = operand;
    }
    inner
}

/// Is it the address of a variable in scope, which is neither null nor ended?
fn is_address_in_scope(argument: &Expr) -> bool {
    matches!(&uncast(argument).kind, ExprKind::AddressOf(place) if matches!(place.base, PlaceBase::Variable(_)))
}

/// Is it `stdin`, `stdout` or `stderr`, which are open unless the program closes them?
fn is_standard_stream(argument: &Expr, context: &Context<'_>) -> bool {
    let ExprKind::Load(place) = &uncast(argument).kind else { return false };
    place.as_variable().is_some_and(|id| {
        let variable = &context.program.variables[id];
        variable.is_external && matches!(&*variable.name, "stdin" | "stdout" | "stderr")
    }) && !context.closes_streams
}

/// Can a function be called with these arguments?
pub fn accepts(context: &Context<'_>, callee: ProcedureId, arguments: &[Expr]) -> bool {
    let program = context.program;
    let types = &program.types;
    let program::Type::Function(ty) = types.get(program.procedures[callee].ty) else { return true };
    let parameters: Vec<program::TypeId> = match program.procedures[callee].parameters.as_slice() {
        [] if ty.has_prototype => ty.parameters.clone(),
        [] => return true,
        declared => declared.iter().map(|&id| program.variables[id].ty.id).collect(),
    };
    let fits_in_number =
        arguments.len() == parameters.len() || (ty.is_variadic && arguments.len() >= parameters.len());
    fits_in_number
        && arguments.iter().zip(&parameters).all(|(argument, &parameter)| {
            use Scalar::{Float, Integer, Pointer};
            match (Scalar::of(argument.ty, types), Scalar::of(parameter, types)) {
                (Some(Integer(one)), Some(Integer(two))) => {
                    one.width == two.width || one.width < 32 || two.width < 32
                }
                (Some(Float(one)), Some(Float(two))) => one == two,
                (Some(Pointer), Some(Pointer)) => true,
                (None, None) => types.size_of(argument.ty) == types.size_of(parameter),
                _ => false,
            }
        })
}

/// What missing functions have got hold of, during the whole analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Escapes {
    /// Objects that they may change at any later call.
    pub objects: FxHashSet<ObjectKind>,
    /// Procedures that they may call.
    pub procedures: FxHashSet<ProcedureId>,
}

/// What becomes of a call.
pub enum Effect {
    /// It comes back in that state, the result written.
    Returns(State),
    /// It never comes back.
    Ends,
    /// It starts these procedures with unknown arguments, at an unknown time; and comes back.
    Starts(State, Vec<ProcedureId>),
}

impl Transfer<'_, '_> {
    /// The values of the arguments; `None` if no run gets past them.
    pub fn arguments(&mut self, state: &State, arguments: &[Expr]) -> Option<Vec<Value>> {
        let mut evaluator = self.evaluator(state);
        arguments.iter().map(|argument| evaluator.value(argument)).collect()
    }

    /// The value that a call returned; that there is none is noted if it is used.
    pub fn returned(&mut self, state: &State, site: CallSite<'_>, returned: Option<&Datum>) -> Option<Value> {
        let result = site.result?;
        let written = returned.map_or(Written::Perhaps, |datum| datum.written);
        let certainty = match written {
            Written::Always => Certainty::Excluded,
            Written::Perhaps => Certainty::Possible,
            Written::Never => Certainty::Definite,
        };
        if certainty != Certainty::Excluded {
            let about = site.name.to_owned();
            self.evaluator(state).note(CheckKind::MissingReturnValue, certainty, |_| about);
        }
        Scalar::of(result.ty.id, &self.context.program.types)?;
        returned.map(|datum| datum.value.clone())
    }

    /// Writes a call's result.
    pub fn give(&mut self, state: &State, site: CallSite<'_>, value: Option<Value>) -> Option<State> {
        let Some(result) = site.result else { return Some(state.clone()) };
        let location = self.target(state, result)?;
        let mut after = state.clone();
        match Scalar::of(result.ty.id, &self.context.program.types) {
            Some(scalar) => {
                let value = value.unwrap_or_else(|| Value::any(scalar));
                let fits = matches!(
                    (&value, scalar),
                    (Value::Integer(_), Scalar::Integer(_))
                        | (Value::Float(_), Scalar::Float(_))
                        | (Value::Pointer(_), Scalar::Pointer)
                );
                let value = if fits { value } else { Value::any(scalar) };
                // A result is converted to the target's type by the program; here it only must not leave it.
                let value = match (value, scalar) {
                    (Value::Integer(number), Scalar::Integer(shape)) => {
                        let around = limits(shape);
                        let is_in = number.is_within(&Number::range(around.low, around.high));
                        Value::Integer(if is_in { number } else { Number::any(shape) })
                    }
                    (value, _) => value,
                };
                memory::assign(self.context, &mut after, result, &location, Datum::of(value));
            }
            None => {
                if let Location::Memory(pointers) = &location {
                    let size = self.context.program.types.size_of(result.ty.id).unwrap_or(0);
                    memory::kill(self.context, &mut after, pointers, Number::only(i128::from(size)));
                }
            }
        }
        Some(after)
    }

    /// The bytes that an argument points to are read or written: what can go wrong is noted. `None` if no run gets past it.
    pub fn range(
        &mut self,
        state: &State,
        site: CallSite<'_>,
        at: usize,
        size: &Number,
        access: Access,
    ) -> Option<Pointers> {
        let Some(argument) = site.arguments.get(at) else {
            self.note_bad_argument(state, site, Certainty::Possible, "too few arguments");
            return Some(Pointers::anything());
        };
        let pointers = Evaluator::new(self.context, state).pointers(argument)?;
        let is_through_pointer = !is_address_in_scope(argument);
        let subject = Subject::Argument { function: site.name, argument };
        self.evaluator(state).touched(&pointers, size, is_through_pointer, access, subject)
    }

    /// The string that an argument points to is read, up to so many bytes: its length.
    pub fn text(&mut self, state: &State, site: CallSite<'_>, at: usize, limit: Limit) -> Option<Number> {
        let Some(argument) = site.arguments.get(at) else {
            self.note_bad_argument(state, site, Certainty::Possible, "too few arguments");
            return Some(Number::range(0, LONGEST));
        };
        let pointers = Evaluator::new(self.context, state).pointers(argument)?;
        let is_through_pointer = !is_address_in_scope(argument);
        let subject = Subject::Argument { function: site.name, argument };
        self.evaluator(state).text(&pointers, limit, is_through_pointer, subject)
    }

    /// Notes that the function does not accept an argument.
    pub fn note_bad_argument(&mut self, state: &State, site: CallSite<'_>, certainty: Certainty, what: &str) {
        let about = format!("{}: {what}", site.name);
        self.evaluator(state).note(CheckKind::BadArgument, certainty, |_| about);
    }

    /// The stream that an argument is must be open.
    pub fn stream(&mut self, state: &State, site: CallSite<'_>, at: usize) -> Option<()> {
        let Some(argument) = site.arguments.get(at) else {
            self.note_bad_argument(state, site, Certainty::Possible, "no stream");
            return Some(());
        };
        // Where every read delivers a value, streams are open.
        if is_standard_stream(argument, self.context) || self.context.settings.reads == Reads::Deliver {
            return Some(());
        }
        let pointers = Evaluator::new(self.context, state).pointers(argument)?;
        let null = Certainty::of(pointers.can_be_null, pointers.can_be_not_null());
        let subject = Subject::Argument { function: site.name, argument };
        let mut evaluator = self.evaluator(state);
        evaluator.note_in_detail(CheckKind::NullDereference, null, subject, |function, shown| {
            let is = if null == Certainty::Definite { "is" } else { "may be" };
            format!("`{function}` is given the stream `{shown}`, which {is} null")
        });
        if pointers.can_be_not_null() {
            // Which streams are open is not followed.
            let other = Certainty::of(true, true);
            evaluator.note_in_detail(CheckKind::BadArgument, other, subject, |function, shown| {
                format!("`{function}` is given the stream `{shown}`, which may not be open")
            });
        }
        (null != Certainty::Definite).then_some(())
    }

    /// A block is given back (`free`, `realloc`). `None` if no run gets past it.
    fn release(&mut self, state: &State, after: &mut State, site: CallSite<'_>) -> Option<()> {
        let context = self.context;
        let Some(argument) = site.arguments.first() else { return Some(()) };
        let pointers = Evaluator::new(context, state).pointers(argument)?;
        let subject = Subject::Argument { function: site.name, argument };
        let (mut is_invalid, mut can_be_again) = (false, false);
        let (mut valid, mut living) = (Vec::new(), Vec::new());
        for (object, offset) in pointers.targets() {
            let is_block = match context.kind_of(*object) {
                ObjectKind::Allocation(procedure, edge) => !lives::is_on_stack(context, procedure, edge),
                _ => false,
            };
            if !is_block || !offset.contains(0) {
                is_invalid = true;
                continue;
            }
            is_invalid |= offset.single() != Some(0);
            valid.push(*object);
            let (can_have_ended, can_live) = lives::can_be(state, *object);
            can_be_again |= can_have_ended;
            if can_live {
                living.push(*object);
            }
        }
        let is_open = pointers.can_be_anything || pointers.can_be_null;
        let mut evaluator = self.evaluator(state);
        let certainty = Certainty::of(is_invalid || pointers.can_be_anything, is_open || !valid.is_empty());
        evaluator.note_in_detail(CheckKind::InvalidFree, certainty, subject, |function, shown| {
            let is = if certainty == Certainty::Definite { "is not" } else { "may not be" };
            format!("`{function}` is given `{shown}`, which {is} the start of an allocated block")
        });
        if !valid.is_empty() || pointers.can_be_anything {
            let again =
                Certainty::of(can_be_again || pointers.can_be_anything, is_open || !living.is_empty());
            evaluator.note_in_detail(CheckKind::DoubleFree, again, subject, |function, shown| {
                let was = if again == Certainty::Definite { "was" } else { "may have been" };
                format!("`{function}` is given `{shown}`, which {was} freed already")
            });
        }
        if !is_open && living.is_empty() {
            return None;
        }
        let is_certain = living.len() == 1 && !is_open;
        for object in living {
            lives::freed(context, after, object, is_certain);
            memory::forget_object(context, after, object);
        }
        if pointers.can_be_anything {
            lives::freed_anything(context, after);
            after.memory = Default::default();
        }
        Some(())
    }

    /// What a call allocates.
    fn allocate(&mut self, after: &mut State, site: CallSite<'_>, bytes: &Number) -> Pointers {
        let context = self.context;
        let object = context.object_of_allocation(site.procedure, site.edge_id);
        let hull = bytes.hull().unwrap_or(Range { low: 0, high: 0 });
        let least = hull.low.max(0);
        let mut cells = context.cells.borrow_mut();
        let is_first = cells.get(object).size.is_none();
        cells.allocated(object, u64::try_from(least).unwrap_or(0), is_first);
        drop(cells);
        memory::forget_object(context, after, object);
        lives::allocated(context, after, object);
        let mut pointers = Pointers::to(object, Number::only(0));
        // A null pointer is what asking for nothing may give, and what failure gives. More than memory can hold is never given.
        pointers.can_be_null =
            context.settings.allocation_may_fail || least == 0 || hull.high > LONGEST || hull.low < 0;
        pointers
    }

    /// A call of a function with a built-in meaning. `None` if no run gets past it.
    pub fn known(&mut self, state: &State, site: CallSite<'_>, known: Known) -> Option<Effect> {
        use Known::*;
        let context = self.context;
        let values = self.arguments(state, site.arguments)?;
        if known == Unreachable {
            let about = site.name.to_owned();
            self.evaluator(state).note(CheckKind::Unreachable, Certainty::Definite, |_| about);
            return None;
        }
        if known.never_returns() {
            return Some(Effect::Ends);
        }
        let mut after = state.clone();
        let pointer = |at: usize| match values.get(at) {
            Some(Value::Pointer(pointers)) => pointers.clone(),
            _ => Pointers::anything(),
        };
        let number = |at: usize| match values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::any(WIDE),
        };
        let product = |one: usize, two: usize| {
            context.arithmetic.binary(program::BinaryOp::Multiply, &number(one), &number(two), WIDE).value
        };
        let word = i128::from(context.program.types.pointer_width() / 8);
        let mut result = None;
        match known {
            Malloc | Calloc | Alloca | AlignedAlloc | NewStream => {
                let bytes = match known {
                    Malloc | Alloca | NewStream => number(0),
                    Calloc => product(0, 1),
                    _ => number(1),
                };
                let mut pointers = self.allocate(&mut after, site, &bytes);
                if matches!(known, Alloca | NewStream) {
                    pointers.can_be_null = false;
                }
                result = Some(Value::Pointer(pointers));
            }
            Realloc => {
                self.release(state, &mut after, site)?;
                let pointers = self.allocate(&mut after, site, &number(1));
                if pointers.can_be_null {
                    // It may have failed, and the old block lives.
                    after = after.join(state, context.joining());
                    let object = context.object_of_allocation(site.procedure, site.edge_id);
                    memory::forget_object(context, &mut after, object);
                }
                result = Some(Value::Pointer(pointers));
            }
            PosixMemalign => {
                let target = self.range(state, site, 0, &Number::only(word), Access::Write)?;
                memory::kill_objects(context, &mut after, &target);
            }
            Free => self.release(state, &mut after, site)?,
            VaStart | VaEnd | VaCopy => memory::kill_objects(context, &mut after, &pointer(0)),
            VaArg => {
                let about = site.name.to_owned();
                self.evaluator(state).note(CheckKind::VariableArguments, Certainty::Possible, |_| about);
                memory::kill_objects(context, &mut after, &pointer(0));
            }
            MemoryCopy | MemoryMove => {
                let source = self.range(state, site, 1, &number(2), Access::Read)?;
                let target = self.range(state, site, 0, &number(2), Access::Write)?;
                if known == MemoryCopy {
                    self.apart_or_same(state, site, &target, &source, &number(2))?;
                }
                memory::copy(context, &mut after, &source, &target, &number(2));
                result = values.first().cloned();
            }
            MemorySet => {
                let target = self.range(state, site, 0, &number(2), Access::Write)?;
                memory::kill(context, &mut after, &target, number(2));
                self.clear_object(&mut after, &target, &number(1), &number(2));
                result = values.first().cloned();
            }
            Sprintf | Snprintf | Vsprintf | Vsnprintf => {
                self.print_to_memory(state, &mut after, site, known)?;
            }
            Fgets => {
                self.stream(state, site, 2)?;
                // A short line needs less room.
                let most = number(1).hull()?.high;
                let target = self.range(state, site, 0, &Number::range(0, most.max(0)), Access::Write)?;
                memory::kill_objects(context, &mut after, &target);
                result = Some(Value::Pointer(pointer(0).with_null(true)));
            }
            Getchar => result = Some(Value::Integer(Number::range(-1, 255))),
            Fgetc => {
                self.stream(state, site, 0)?;
                result = Some(Value::Integer(Number::range(-1, 255)));
            }
            Putchar => {}
            Fputc => self.stream(state, site, 1)?,
            Puts => drop(self.text(state, site, 0, Limit::NONE)?),
            // A null pointer is a message that is left out.
            Perror => {
                if !pointer(0).can_be_null {
                    self.text(state, site, 0, Limit::NONE)?;
                } else if pointer(0).can_be_not_null() {
                    let argument = &site.arguments[0];
                    let subject = Subject::Argument { function: site.name, argument };
                    self.evaluator(state).text(&pointer(0).without_null(), Limit::NONE, true, subject);
                }
            }
            Fputs => {
                self.text(state, site, 0, Limit::NONE)?;
                self.stream(state, site, 1)?;
            }
            Fwrite => {
                let read = self.range(state, site, 0, &product(1, 2), Access::Read)?;
                self.initialised(state, site, 0, &read, &product(1, 2));
                self.stream(state, site, 3)?;
            }
            Fflush => {
                if pointer(0).can_be_not_null() && !pointer(0).can_be_null {
                    self.stream(state, site, 0)?;
                }
            }
            Printf => drop(self.print(state, &mut after, site, 0)?),
            Fprintf => {
                self.stream(state, site, 0)?;
                self.print(state, &mut after, site, 1)?;
            }
            Vprintf | Vfprintf => {
                let at = usize::from(known == Vfprintf);
                if at == 1 {
                    self.stream(state, site, 0)?;
                }
                self.text(state, site, at, Limit::NONE)?;
                self.note_format(
                    state,
                    site,
                    Certainty::Possible,
                    "the arguments in the list are not followed",
                );
                after.memory = Default::default();
            }
            Scanf => return self.scan(state, after, site, 1),
            Fscanf => {
                self.stream(state, site, 0)?;
                return self.scan(state, after, site, 2);
            }
            Sscanf => {
                self.text(state, site, 0, Limit::NONE)?;
                return self.scan(state, after, site, 2);
            }
            Math(function, kind) => result = Some(math(function, kind, &values)),
            Word(word) => return self.word(state, site, word).map(Effect::Returns),
            Setjmp => {
                // A jump may come back here with whatever happened in between.
                after = State::default();
            }
            AtExit | ThreadCreate | OnceCall => {
                let started = if known == ThreadCreate { 2 } else { usize::from(known == OnceCall) };
                self.note_call(state, &pointer(started), site.arguments.get(started), None);
                let procedures = self.procedures_in(&pointer(started));
                if known != AtExit {
                    let target = self.range(state, site, 0, &Number::only(1), Access::Write)?;
                    memory::kill_objects(context, &mut after, &target);
                    after.globals = Default::default();
                    after.memory = Default::default();
                }
                let after = self.give(&after, site, None)?;
                return Some(Effect::Starts(after, procedures));
            }
            ThreadJoin => {
                if pointer(1).can_be_not_null() {
                    let words =
                        if pointer(1).can_be_null { Number::range(0, word) } else { Number::only(word) };
                    self.range(state, site, 1, &words, Access::Write)?;
                }
                memory::kill_objects(context, &mut after, &pointer(1));
            }
            AtomicBegin | AtomicEnd | ThreadExit | ThreadSelf | ThreadDetach | ThreadYield | KeyGet
            | KeySet | ReachError => {}
            _ => {
                // Mutexes and their like: the object they are about is there, and what they are passed may change.
                if !site.arguments.is_empty() {
                    self.range(state, site, 0, &Number::only(1), Access::Write)?;
                }
                for value in &values {
                    if let Value::Pointer(pointers) = value {
                        memory::kill_objects(context, &mut after, pointers);
                    }
                }
                self.locks(state, &mut after, site, known, &pointer(0))?;
            }
        }
        Some(Effect::Returns(self.give(&after, site, result)?))
    }

    /// Locks that are taken are held until they are given back.
    fn locks(
        &mut self,
        state: &State,
        after: &mut State,
        site: CallSite<'_>,
        known: Known,
        lock: &Pointers,
    ) -> Option<()> {
        use Known::*;
        let context = self.context;
        // Which lock it is is known only of variables that are one lock as a whole.
        let one = match lock.targets() {
            [(object, offset)] if !lock.can_be_anything && !lock.can_be_null => {
                let is_whole = match (context.kind_of(*object), site.arguments.first()) {
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
                let is_held = known != CondWait && one.is_some_and(|object| lives::is_held(state, object));
                let certainty = Certainty::of(!is_held, true);
                let about = format!("{}({})", site.name, site.shown(context, 0));
                self.evaluator(state).note(CheckKind::MutexMisuse, certainty, |_| about);
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
        Some(())
    }

    /// Two ranges of one length must have no byte in common, unless they are the same.
    fn apart_or_same(
        &mut self,
        state: &State,
        site: CallSite<'_>,
        one: &Pointers,
        two: &Pointers,
        bytes: &Number,
    ) -> Option<()> {
        match self.evaluator(state).same_address(one, two) {
            Certainty::Definite => Some(()),
            Certainty::Excluded => self.apart(state, site, (one, bytes), (two, bytes)),
            Certainty::Possible => {
                let overlap = self.evaluator(state).overlap((one, bytes), (two, bytes));
                let certainty = Certainty::of(overlap != Certainty::Excluded, true);
                let about = format!(
                    "{}({}, {})",
                    site.name,
                    site.shown(self.context, 0),
                    site.shown(self.context, 1)
                );
                self.evaluator(state).note(CheckKind::Overlap, certainty, |_| about);
                Some(())
            }
        }
    }

    /// Two ranges must have no byte in common.
    pub fn apart(
        &mut self,
        state: &State,
        site: CallSite<'_>,
        (one, bytes): (&Pointers, &Number),
        (two, others): (&Pointers, &Number),
    ) -> Option<()> {
        let certainty = self.evaluator(state).overlap((one, bytes), (two, others));
        let about =
            format!("{}({}, {})", site.name, site.shown(self.context, 0), site.shown(self.context, 1));
        self.evaluator(state).note(CheckKind::Overlap, certainty, |_| about);
        (certainty != Certainty::Definite).then_some(())
    }

    /// What is called must be a function of the type it is called by. `None` if no run gets past it.
    pub fn note_call(
        &mut self,
        state: &State,
        pointers: &Pointers,
        pointer: Option<&Expr>,
        arguments: Option<&[Expr]>,
    ) -> Option<()> {
        let context = self.context;
        let about = pointer.map_or_else(String::new, |pointer| context.program.show().expr(pointer));
        let null = Certainty::of(pointers.can_be_null, pointers.can_be_not_null());
        let (mut can_be_bad, mut can_be_good) = (pointers.can_be_anything, pointers.can_be_anything);
        for (object, _) in pointers.targets() {
            let is_good = match context.kind_of(*object) {
                ObjectKind::Procedure(id) => {
                    arguments.is_none_or(|arguments| accepts(context, id, arguments))
                }
                _ => false,
            };
            can_be_bad |= !is_good;
            can_be_good |= is_good;
        }
        let mut evaluator = self.evaluator(state);
        evaluator.note(CheckKind::NullDereference, null, |_| about.clone());
        let bad = Certainty::of(can_be_bad, can_be_good || pointers.can_be_null);
        evaluator.note(CheckKind::BadCall, bad, |_| about);
        (can_be_good || !pointers.targets().is_empty()).then_some(())
    }

    /// `memset(p, 0, n)` of a whole object.
    fn clear_object(&mut self, after: &mut State, target: &Pointers, byte: &Number, count: &Number) {
        if byte.single() != Some(0) || target.can_be_anything || target.can_be_null {
            return;
        }
        let [(object, offset)] = target.targets() else { return };
        let kind = self.context.kind_of(*object);
        let size = self.context.cells.borrow().get(*object).size;
        if let (ObjectKind::Variable(id), Some(0), Some(size)) = (kind, offset.single(), size)
            && count.single() == Some(i128::from(size))
        {
            memory::zero(self.context, after, *object, self.context.program.variables[id].ty.id);
        }
    }

    /// The procedures among the targets; all that have their address taken if anything is possible.
    pub fn procedures_in(&self, pointers: &Pointers) -> Vec<ProcedureId> {
        if pointers.can_be_anything {
            return address_taken(self.context);
        }
        let kinds = pointers.targets().iter().map(|(object, _)| self.context.kind_of(*object));
        kinds.filter_map(|kind| if let ObjectKind::Procedure(id) = kind { Some(id) } else { None }).collect()
    }

    fn scan(&mut self, state: &State, mut after: State, site: CallSite<'_>, first: usize) -> Option<Effect> {
        let context = self.context;
        let conversions = self.scanned(state, site, first - 1)?;
        let mut promised = Vec::new();
        for argument in site.arguments.iter().skip(first) {
            let pointee = scan_target(argument, context);
            let before = after.clone();
            let pointers = Evaluator::new(context, &before).pointers(argument)?;
            let Some((name, scalar, size)) = pointee else {
                memory::kill_objects(context, &mut after, &pointers);
                continue;
            };
            let value = self.input(&mut after, site.edge, name.as_deref(), scalar)?;
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
        let mut after = self.give(&after, site, Some(Value::Integer(result)))?;
        // Characters, whose number is not known, are not promised: then there are fewer targets than conversions.
        if let Some(count) = conversions.filter(|&count| count == all) {
            promised::make(context, &mut after, site.result, count, &promised);
        }
        Some(Effect::Returns(after))
    }

    /// A call of something that is not shown: it returns anything, and changes what it can get hold of (see `Settings::missing`).
    pub fn missing(&mut self, state: &State, site: CallSite<'_>, escapes: &mut Escapes) -> Option<State> {
        let context = self.context;
        let values = self.arguments(state, site.arguments)?;
        let mut after = state.clone();
        if context.settings.missing == Missing::Pure {
            return self.give(&after, site, None);
        }
        let pointers_in = |value: &Value| match value {
            Value::Pointer(pointers) => Some(pointers.clone()),
            _ => None,
        };
        let mut reached: Vec<Pointers> = values.iter().filter_map(pointers_in).collect();
        for &kind in &escapes.objects {
            let known = context.cells.borrow().known_object(kind);
            reached.extend(known.map(|object| Pointers::to(object, Number::only(0))));
        }
        // Other files can name what has external linkage; the rest they reach through pointers only.
        for &id in &context.program.visible {
            if context.is_plain(id) {
                let known = Evaluator::new(context, state).variable(id);
                reached.extend(known.and_then(|datum| pointers_in(&datum.value)));
                after.globals.remove(id.index() as u32);
                crate::relate::forget(context, &mut after, id);
            } else {
                reached.push(Pointers::to(context.object_of(id), Number::only(0)));
            }
        }
        let mut is_done: FxHashSet<ObjectKind> = FxHashSet::default();
        while let Some(pointers) = reached.pop() {
            if pointers.can_be_anything {
                after.memory = Default::default();
            }
            for (object, _) in pointers.targets() {
                let kind = context.kind_of(*object);
                if !is_done.insert(kind) {
                    continue;
                }
                if let ObjectKind::Procedure(id) = kind {
                    escapes.procedures.insert(id);
                    continue;
                }
                escapes.objects.insert(kind);
                let cells = context.cells.borrow().all_of(*object);
                for cell in cells {
                    if let Some(Datum { value: Value::Pointer(next), .. }) =
                        state.memory.get(cell.index() as u32)
                    {
                        reached.push(next.clone());
                    }
                }
                // What is not followed may hold pointers to anything that ever had its address taken.
                if !context.cells.borrow().get(*object).is_tracked {
                    after.memory = Default::default();
                }
                memory::forget_object(context, &mut after, *object);
            }
        }
        if !escapes.procedures.is_empty() {
            after.memory = Default::default();
            after.globals = Default::default();
            crate::relate::forget_globals(context, &mut after);
        }
        self.give(&after, site, None)
    }
}

/// What an argument of `scanf` points to: the variable's name, the scalar, its bytes.
fn scan_target(argument: &Expr, context: &Context<'_>) -> Option<(Option<String>, Scalar, u64)> {
    let types = &context.program.types;
    let mut inner = argument;
    while let ExprKind::Cast(operand) = &inner.kind {
        inner = operand;
    }
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

/// The procedures with a body whose address is taken anywhere.
pub fn address_taken(context: &Context<'_>) -> Vec<ProcedureId> {
    let program = context.program;
    let mut found: FxHashSet<ProcedureId> = FxHashSet::default();
    let mut see = |expr: &Expr| {
        expr.visit(&mut |part| {
            if let program::expr::Part::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
                found.insert(*id);
            }
        });
    };
    for procedure in &program.procedures {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            edge.action.visit(&mut |part| {
                if let program::expr::Part::Expr(expr) = part {
                    see(expr);
                }
            });
        }
    }
    for variable in &program.variables {
        for initial in &variable.initial {
            if let program::InitialData::Value(expr) = &initial.value {
                see(expr);
            }
        }
    }
    let mut found: Vec<ProcedureId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

fn math(function: MathFunction, _kind: program::FloatKind, values: &[Value]) -> Value {
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
        Sin | Cos => Value::Float(FloatRange { low: -1.0, high: 1.0, can_be_nan: true }),
        _ => Value::Float(FloatRange::ANY),
    }
}

/// The parameters and what they get, for a call into a body.
pub fn bind(
    transfer: &mut Transfer<'_, '_>,
    state: &State,
    callee: ProcedureId,
    arguments: &[Expr],
) -> Option<State> {
    let context = transfer.context;
    let program = context.program;
    let values = transfer.arguments(state, arguments)?;
    if transfer.log.is_some() && !accepts(context, callee, arguments) {
        let about = program.procedures[callee].name.to_string();
        transfer.evaluator(state).note(CheckKind::BadCall, Certainty::Definite, |_| about);
    }
    let mut entry = State {
        locals: Default::default(),
        globals: state.globals.clone(),
        memory: state.memory.clone(),
        relations: Default::default(),
    };
    lives::enter(context, &mut entry, callee);
    described::enter(&mut entry, &program.procedures[callee]);
    for (at, &parameter) in program.procedures[callee].parameters.iter().enumerate() {
        bind_one(transfer, state, &mut entry, parameter, arguments.get(at), values.get(at));
    }
    Some(entry)
}

fn bind_one(
    transfer: &mut Transfer<'_, '_>,
    state: &State,
    entry: &mut State,
    parameter: VariableId,
    argument: Option<&Expr>,
    value: Option<&Value>,
) {
    let context = transfer.context;
    let variable = &context.program.variables[parameter];
    if let Some(scalar) = context.scalars[parameter] {
        let is_fitting = |value: &Value| {
            matches!(
                (value, scalar),
                (Value::Integer(_), Scalar::Integer(_))
                    | (Value::Float(_), Scalar::Float(_))
                    | (Value::Pointer(_), Scalar::Pointer)
            )
        };
        let value = value.filter(|value| is_fitting(value)).cloned().unwrap_or_else(|| Value::any(scalar));
        // Old-style definitions may promise another width than the call passes.
        let value = match (value, scalar) {
            (Value::Integer(number), Scalar::Integer(shape)) => {
                Value::Integer(context.arithmetic.convert(&number, shape))
            }
            (value, _) => value,
        };
        if context.is_plain(parameter) {
            memory::set_variable(context, entry, parameter, Datum::of(value));
        } else {
            let object = context.object_of(parameter);
            let size = context.program.types.size_of(variable.ty.id).unwrap_or(0);
            memory::forget_object(context, entry, object);
            memory::write(
                context,
                entry,
                &Pointers::to(object, Number::only(0)),
                size,
                scalar,
                &Datum::of(value),
            );
        }
        return;
    }
    let object = context.object_of(parameter);
    memory::forget_object(context, entry, object);
    if let Some(Expr { kind: ExprKind::Load(place), .. }) = argument
        && let Some(Location::Memory(source)) = Evaluator::new(context, state).locate(place)
    {
        let size = context.program.types.size_of(variable.ty.id).unwrap_or(0);
        let target = Pointers::to(object, Number::only(0));
        memory::copy(context, entry, &source, &target, &Number::only(i128::from(size)));
    }
}
