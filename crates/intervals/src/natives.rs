//! Functions of `string.h` whose meaning is taken at once, not from the loops of their bodies: what they need, what they write, what
//! they return. The bodies (crate `library`) say the same; a loop over bytes would only be followed less exactly.

use crate::checks::CheckKind;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::pointers::Pointers;
use crate::domain::value::Value;
use crate::evaluate::{Evaluator, Subject, WIDE};
use crate::library::{CallSite, as_written};
use crate::memory;
use crate::state::State;
use crate::strings::{Case, LONGEST, Limit};
use crate::transfer::Transfer;
use program::expr::Access;
use program::{BinaryOp, Known, Word};

/// Is it one of the functions that [`Transfer::native`] knows?
pub fn is_native(name: &str) -> bool {
    matches!(
        name,
        "strlen"
            | "strnlen"
            | "strcpy"
            | "stpcpy"
            | "strncpy"
            | "strcat"
            | "strncat"
            | "strcmp"
            | "strcoll"
            | "strcasecmp"
            | "strncmp"
            | "strncasecmp"
            | "strchr"
            | "strrchr"
            | "index"
            | "rindex"
            | "memcmp"
            | "bcmp"
            | "memchr"
            | "__concord_text"
    )
}

impl Transfer<'_, '_> {
    /// A call of such a function. `None` if no run gets past it.
    pub fn native(&mut self, state: &State, site: CallSite<'_>) -> Option<State> {
        let context = self.context;
        let name = site.name;
        // A description that calls it speaks in its own name: the program calls `puts`.
        let caller = &context.program.procedures[self.procedure];
        let site = match caller.origin {
            program::Origin::Model => CallSite { name: as_written(&caller.name), ..site },
            _ => site,
        };
        let values = self.arguments(state, site.arguments)?;
        let mut after = state.clone();
        let number = |at: usize| match values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::range(0, LONGEST),
        };
        let pointer = |at: usize| match values.get(at) {
            Some(Value::Pointer(pointers)) => pointers.clone(),
            _ => Pointers::anything(),
        };
        let plus =
            |one: &Number, two: &Number| context.arithmetic.binary(BinaryOp::Add, one, two, WIDE).value;
        let result = match name {
            "strlen" => Some(Value::Integer(self.text(state, site, 0, Limit::NONE)?)),
            "strnlen" => Some(Value::Integer(self.text(state, site, 0, Limit::of(&number(1))?)?)),
            // The length of a string of which at most so many bytes are read, or all if that is negative.
            "__concord_text" => {
                let length = self.text(state, site, 0, Limit::unless_negative(&number(1))?)?;
                Some(Value::Integer(length))
            }
            "strcpy" | "stpcpy" => {
                let length = self.text(state, site, 1, Limit::NONE)?;
                let bytes = plus(&length, &Number::only(1));
                let target = self.range(state, site, 0, &bytes, Access::Write)?;
                self.apart(state, site, (&target, &bytes), (&pointer(1), &bytes))?;
                memory::copy(context, &mut after, &pointer(1), &target, &bytes);
                if name == "strcpy" {
                    values.first().cloned()
                } else {
                    Some(Value::Pointer(target.moved(|offset| plus(offset, &length), false)))
                }
            }
            "strncpy" => {
                let length = self.text(state, site, 1, Limit::of(&number(2))?)?;
                let target = self.range(state, site, 0, &number(2), Access::Write)?;
                // The end of the string is looked at too where it comes before the limit.
                let read = plus(&length, &Number::range(0, 1));
                self.apart(state, site, (&target, &number(2)), (&pointer(1), &read))?;
                memory::kill(context, &mut after, &target, number(2));
                values.first().cloned()
            }
            "strcat" | "strncat" => {
                let limit = if name == "strncat" { Limit::of(&number(2))? } else { Limit::NONE };
                let (first, second) =
                    (self.text(state, site, 0, Limit::NONE)?, self.text(state, site, 1, limit)?);
                let bytes = plus(&plus(&first, &second), &Number::only(1));
                let target = self.range(state, site, 0, &bytes, Access::Write)?;
                let end = if name == "strncat" { Number::range(0, 1) } else { Number::only(1) };
                self.apart(state, site, (&target, &bytes), (&pointer(1), &plus(&second, &end)))?;
                memory::kill(context, &mut after, &target, bytes);
                values.first().cloned()
            }
            "strcmp" | "strcoll" | "strcasecmp" | "strncmp" | "strncasecmp" => {
                let case = if name.contains("case") { Case::Ignored } else { Case::Matters };
                let limit = if name.starts_with("strn") { Limit::of(&number(2))? } else { Limit::NONE };
                let compared = Evaluator::new(context, state).compared(&pointer(0), &pointer(1), case);
                let limit = limit.within(compared);
                self.text(state, site, 0, limit)?;
                self.text(state, site, 1, limit)?;
                None
            }
            "strchr" | "index" | "strrchr" | "rindex" => {
                // The last one is known at the end of the string only.
                let limit = match name {
                    "strchr" | "index" => Evaluator::new(context, state).searched(&pointer(0), &number(1)),
                    _ => Limit::NONE,
                };
                let length = self.text(state, site, 0, limit)?;
                let furthest = length.hull()?.high.min(i128::from(limit.greatest.saturating_sub(1)));
                let upto = Number::range(0, furthest);
                let found = pointer(0).without_null().moved(|offset| plus(offset, &upto), false);
                Some(Value::Pointer(found.with_null(true)))
            }
            "memcmp" | "bcmp" => {
                for at in [0, 1] {
                    let read = self.range(state, site, at, &number(2), Access::Read)?;
                    self.initialised(state, site, at, &read, &number(2));
                }
                None
            }
            "memchr" => {
                // What lies behind the first match is not read.
                let most = number(2).hull()?.high.max(0);
                let read = self.range(state, site, 0, &Number::range(0, most), Access::Read)?;
                self.initialised(state, site, 0, &read, &Number::only(most));
                let upto = Number::range(0, most);
                let found = pointer(0).without_null().moved(|offset| plus(offset, &upto), false);
                Some(Value::Pointer(found.with_null(true)))
            }
            other => unreachable!("`{other}` is not one of them"),
        };
        self.give(&after, site, result)
    }

    /// Bytes that are read must have been written.
    pub fn initialised(
        &mut self,
        state: &State,
        site: CallSite<'_>,
        at: usize,
        pointers: &Pointers,
        bytes: &Number,
    ) {
        let can_be_unwritten = Evaluator::new(self.context, state).may_be_unwritten(pointers, bytes);
        let certainty = Certainty::of(can_be_unwritten, true);
        let Some(argument) = site.arguments.get(at) else { return };
        let subject = Subject::Argument { function: site.name, argument };
        self.evaluator(state).note_in_detail(
            CheckKind::Uninitialised,
            certainty,
            subject,
            |function, shown| {
                format!("`{function}` reads bytes at `{shown}` that may never have been written")
            },
        );
    }

    /// A word of a library function's description: what must hold at its call. `None` if no run gets past it.
    pub fn word(&mut self, state: &State, site: CallSite<'_>, word: Word) -> Option<State> {
        let context = self.context;
        let function = as_written(&context.program.procedures[self.procedure].name);
        let site = CallSite { name: function, ..site };
        let values = self.arguments(state, site.arguments)?;
        let number = |at: usize| match values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::any(WIDE),
        };
        let pointer = |at: usize| match values.get(at) {
            Some(Value::Pointer(pointers)) => pointers.clone(),
            _ => Pointers::anything(),
        };
        match word {
            Word::Readable => drop(self.range(state, site, 0, &number(1), Access::Read)?),
            Word::Writable => drop(self.range(state, site, 0, &number(1), Access::Write)?),
            Word::Apart => {
                self.apart(state, site, (&pointer(0), &number(1)), (&pointer(2), &number(3)))?;
            }
            Word::Need | Word::NeedNoOverflow => {
                let condition = site.arguments.first()?;
                let (can_fail, can_hold) = (number(0).contains(0), number(0).single() != Some(0));
                let certainty = Certainty::of(can_fail, can_hold);
                let kind = if word == Word::Need { CheckKind::BadArgument } else { CheckKind::Overflow };
                let what = site.arguments.get(1).and_then(|text| context.program.literal_text(text));
                let subject = Subject::Argument { function: site.name, argument: condition };
                self.evaluator(state).note_in_detail(kind, certainty, subject, |function, shown| {
                    format!("`{function}`: {}", what.unwrap_or_else(|| shown.to_owned()))
                });
                return crate::refine::assume(context, state, condition, true);
            }
            // Values that are left open: see `known`.
            Word::Any | Word::Some => return self.give(state, site, None),
            Word::Unknown => {
                let what = site.arguments.first().and_then(|text| context.program.literal_text(text));
                let about = what.unwrap_or_else(|| site.name.to_owned());
                self.evaluator(state).note(CheckKind::NotFollowed, Certainty::Possible, |_| about);
                return Some(State::default());
            }
        }
        Some(state.clone())
    }

    /// Which arguments a function with a built-in meaning writes through, and how many bytes: an amount that may be nothing is one that
    /// may not be written. For the steps of formulas.
    pub fn written_by(&self, known: Known, values: &[Value], arguments: usize) -> Vec<(usize, Number)> {
        use Known::*;
        let number = |at: usize| match values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::range(0, LONGEST),
        };
        let perhaps = Number::range(0, 1);
        match known {
            MemoryCopy | MemoryMove | MemorySet => vec![(0, number(2))],
            Sprintf => vec![(0, Number::only(1))]
                .into_iter()
                .chain((2..arguments).map(|at| (at, perhaps.clone())))
                .collect(),
            Vsprintf => vec![(0, Number::only(1))],
            Snprintf | Vsnprintf => vec![(0, number(1))],
            Scanf => (1..arguments).map(|at| (at, Number::only(1))).collect(),
            Fscanf | Sscanf => (2..arguments).map(|at| (at, Number::only(1))).collect(),
            PosixMemalign | VaStart | VaEnd | VaCopy | VaArg => vec![(0, Number::only(1))],
            Malloc | Calloc | Realloc | Free | Alloca | AlignedAlloc | Math(..) | Getchar | Fgetc
            | Putchar | Puts | Fputc | Fputs | Fwrite | Fflush | Perror | Word(_) | AtomicBegin
            | AtomicEnd | ReachError => Vec::new(),
            // What else is given may be written or not.
            _ => (0..arguments).map(|at| (at, perhaps.clone())).collect(),
        }
    }
}
