//! Functions of `string.h` whose meaning is taken at once, not from the loops of their bodies: what they
//! need, what they write, what they return. The bodies (crate `library`) say the same; a loop over bytes
//! would only be followed less exactly.

use crate::call::Call;
use crate::checks::CheckKind;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::pointers::Pointers;
use crate::domain::value::Value;
use crate::evaluate::{Subject, WIDE};
use crate::library::as_written;
use crate::memory;
use crate::state::State;
use crate::strings::{Case, LONGEST, Limit};
use program::expr::Access;
use program::{BinaryOp, Expr, Known, Word};

/// The functions that [`Call::native`] knows.
const NATIVE: &str = "\
    strlen strnlen strcpy stpcpy strncpy strcat strncat strcmp strcoll strcasecmp strncmp strncasecmp \
    strchr strrchr index rindex memcmp bcmp memchr __concord_text";

/// Is it one of the functions that [`Call::native`] knows?
pub fn is_native(name: &str) -> bool {
    NATIVE.split(' ').any(|own| own == name)
}

impl Call<'_, '_, '_> {
    /// A call of such a function. `None` if no run gets past it.
    pub fn native(&mut self) -> Option<State> {
        let context = self.context();
        let name = self.site.name;
        // A description that calls it speaks in its own name: the program calls `puts`.
        let caller = self.caller();
        if caller.origin == program::Origin::Model {
            self.site.name = as_written(&caller.name);
        }
        let mut after = self.state.clone();
        let plus =
            |one: &Number, two: &Number| context.arithmetic.binary(BinaryOp::Add, one, two, WIDE).value;
        let result = match name {
            "strlen" => Some(Value::Integer(self.text(0, Limit::NONE)?)),
            "strnlen" => Some(Value::Integer(self.text(0, Limit::of(&self.length(1))?)?)),
            // The length of a string of which at most so many bytes are read, or all if that is negative.
            "__concord_text" => {
                let length = self.text(0, Limit::unless_negative(&self.length(1))?)?;
                Some(Value::Integer(length))
            }
            "strcpy" | "stpcpy" => {
                let length = self.text(1, Limit::NONE)?;
                let bytes = plus(&length, &Number::only(1));
                let target = self.range(0, &bytes, Access::Write)?;
                self.apart((&target, &bytes), (&self.pointer(1), &bytes))?;
                memory::copy(context, &mut after, &self.pointer(1), &target, &bytes);
                if name == "strcpy" {
                    self.values.first().cloned()
                } else {
                    Some(Value::Pointer(target.moved(|offset| plus(offset, &length), false)))
                }
            }
            "strncpy" => {
                let length = self.text(1, Limit::of(&self.length(2))?)?;
                let target = self.range(0, &self.length(2), Access::Write)?;
                // The end of the string is looked at too where it comes before the limit.
                let read = plus(&length, &Number::range(0, 1));
                self.apart((&target, &self.length(2)), (&self.pointer(1), &read))?;
                memory::kill(context, &mut after, &target, self.length(2));
                self.values.first().cloned()
            }
            "strcat" | "strncat" => {
                let limit = if name == "strncat" { Limit::of(&self.length(2))? } else { Limit::NONE };
                let (first, second) = (self.text(0, Limit::NONE)?, self.text(1, limit)?);
                let bytes = plus(&plus(&first, &second), &Number::only(1));
                let target = self.range(0, &bytes, Access::Write)?;
                let end = if name == "strncat" { Number::range(0, 1) } else { Number::only(1) };
                self.apart((&target, &bytes), (&self.pointer(1), &plus(&second, &end)))?;
                memory::kill(context, &mut after, &target, bytes);
                self.values.first().cloned()
            }
            "strcmp" | "strcoll" | "strcasecmp" | "strncmp" | "strncasecmp" => {
                let case = if name.contains("case") { Case::Ignored } else { Case::Matters };
                let limit = if name.starts_with("strn") { Limit::of(&self.length(2))? } else { Limit::NONE };
                let compared = self.quiet().compared(&self.pointer(0), &self.pointer(1), case);
                let limit = limit.within(compared);
                self.text(0, limit)?;
                self.text(1, limit)?;
                None
            }
            "strchr" | "index" | "strrchr" | "rindex" => {
                // The last one is known at the end of the string only.
                let limit = match name {
                    "strchr" | "index" => self.quiet().searched(&self.pointer(0), &self.length(1)),
                    _ => Limit::NONE,
                };
                let length = self.text(0, limit)?;
                let furthest = length.hull()?.high.min(i128::from(limit.greatest.saturating_sub(1)));
                let upto = Number::range(0, furthest);
                let found = self.pointer(0).without_null().moved(|offset| plus(offset, &upto), false);
                Some(Value::Pointer(found.with_null(true)))
            }
            "memcmp" | "bcmp" => {
                for at in [0, 1] {
                    let read = self.range(at, &self.length(2), Access::Read)?;
                    self.initialised(at, &read, &self.length(2));
                }
                None
            }
            "memchr" => {
                // What lies behind the first match is not read.
                let most = self.length(2).hull()?.high.max(0);
                let read = self.range(0, &Number::range(0, most), Access::Read)?;
                self.initialised(0, &read, &Number::only(most));
                let upto = Number::range(0, most);
                let found = self.pointer(0).without_null().moved(|offset| plus(offset, &upto), false);
                Some(Value::Pointer(found.with_null(true)))
            }
            other => unreachable!("`{other}` is not one of them"),
        };
        self.give(&after, result)
    }

    /// Bytes that are read must have been written.
    pub fn initialised(&mut self, at: usize, pointers: &Pointers, bytes: &Number) {
        let certainty = Certainty::of(self.quiet().may_be_unwritten(pointers, bytes), true);
        let Some(subject) = self.subject(at) else { return };
        self.evaluator().note_in_detail(CheckKind::Uninitialised, certainty, subject, |function, shown| {
            format!("`{function}` reads bytes at `{shown}` that may never have been written")
        });
    }

    /// A word of a library function's description: what must hold at its call. `None` if no run gets past it.
    pub fn word(&mut self, word: Word) -> Option<State> {
        let context = self.context();
        self.site.name = as_written(&self.caller().name);
        let literal = |at: usize, arguments: &[Expr]| {
            arguments.get(at).and_then(|text| context.program.literal_text(text))
        };
        match word {
            Word::Readable => drop(self.range(0, &self.number(1), Access::Read)?),
            Word::Writable => drop(self.range(0, &self.number(1), Access::Write)?),
            Word::Apart => {
                self.apart((&self.pointer(0), &self.number(1)), (&self.pointer(2), &self.number(3)))?;
            }
            Word::Need | Word::NeedNoOverflow | Word::NeedArgument => {
                let condition = self.site.arguments.first()?;
                let (can_fail, can_hold) = (self.number(0).contains(0), self.number(0).single() != Some(0));
                let certainty = Certainty::of(can_fail, can_hold);
                let kind = match word {
                    Word::Need => CheckKind::BadArgument,
                    Word::NeedArgument => CheckKind::VariableArguments,
                    _ => CheckKind::Overflow,
                };
                let what = literal(1, self.site.arguments);
                let subject = Subject::Argument { function: self.site.name, argument: condition };
                self.evaluator().note_in_detail(kind, certainty, subject, |function, shown| {
                    format!("`{function}`: {}", what.unwrap_or_else(|| shown.to_owned()))
                });
                return crate::refine::assume(context, self.state, condition, true);
            }
            // Values that are left open: see `known`.
            Word::Any | Word::Some => return self.give(self.state, None),
            Word::Unknown => {
                let about = literal(0, self.site.arguments).unwrap_or_else(|| self.site.name.to_owned());
                self.evaluator().note(CheckKind::NotFollowed, Certainty::Possible, |_| about);
                return Some(State::default());
            }
        }
        Some(self.state.clone())
    }
}

/// Which arguments a function with a built-in meaning writes through, and how many bytes: an amount that may
/// be nothing is one that may not be written. For the steps of formulas.
pub fn written_by(known: Known, values: &[Value], arguments: usize) -> Vec<(usize, Number)> {
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
        VaStart | VaEnd | VaCopy | VaArg => vec![(0, Number::only(1))],
        Malloc | Calloc | Realloc | Free | Alloca | AlignedAlloc | Math(..) | Getchar | Fgetc | Putchar
        | Puts | Fputc | Fputs | Fwrite | Fflush | Perror | Word(_) | AtomicBegin | AtomicEnd
        | ReachError => Vec::new(),
        // What else is given may be written or not.
        _ => (0..arguments).map(|at| (at, perhaps.clone())).collect(),
    }
}
