//! Strings in memory: where they end, as far as the bytes are known.

use crate::blocks;
use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::pointers::{ObjectId, Pointers};
use crate::domain::value::{Scalar, Value, Written};
use crate::evaluate::{Evaluator, Subject};
use program::expr::Access;
use program::types::IntegerShape;
use program::{InitialData, VariableKind};

/// Bytes of a string that are looked at one by one.
const MOST_BYTES: u64 = 4096;
/// Starts of strings that are looked at one by one.
const MOST_STARTS: u128 = 64;
/// No object is longer than this.
pub const LONGEST: i128 = 1 << 47;

/// How many bytes of a string are read if it does not end before: any number from the least to the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// In some run no more than this.
    pub least: u64,
    /// In no run more than this.
    pub greatest: u64,
}

impl Limit {
    /// The whole string is read.
    pub const NONE: Limit = Limit { least: u64::MAX, greatest: u64::MAX };

    /// At most so many bytes are read. Every value of the number counts, not just the greatest. `None` if it
    /// has none.
    pub fn of(number: &Number) -> Option<Limit> {
        let hull = number.hull()?;
        let bound = |value: i128| u64::try_from(value.max(0)).unwrap_or(u64::MAX);
        Some(Limit { least: bound(hull.low), greatest: bound(hull.high) })
    }

    /// The same, where a negative number stands for the whole string (a precision of `%.*s`).
    pub fn unless_negative(number: &Number) -> Option<Limit> {
        let hull = number.hull()?;
        Some(match (hull.low < 0, hull.high < 0) {
            (_, true) => Limit::NONE,
            (true, false) => Limit { least: 0, greatest: u64::MAX },
            (false, false) => Limit::of(number)?,
        })
    }

    /// No more than either allows.
    pub fn within(self, other: Limit) -> Limit {
        Limit { least: self.least.min(other.least), greatest: self.greatest.min(other.greatest) }
    }
}

/// What one byte can be, as a `signed char`.
struct Byte {
    value: Number,
    is_written: bool,
}

impl Byte {
    fn can_be_zero(&self) -> bool {
        self.value.contains(0)
    }

    fn can_be_other(&self) -> bool {
        self.value.single() != Some(0)
    }
}

/// Are letters of either case equal in a comparison?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Upper and lower case are different.
    Matters,
    /// Upper and lower case are the same.
    Ignored,
}

/// Where the string at one place can end.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// The least and the greatest length.
    lengths: Option<(u64, u64)>,
    can_run_past: bool,
    can_be_unwritten: bool,
}

impl Ends {
    /// It may end there; ends come in order.
    fn end_at(&mut self, at: u64) {
        self.lengths = Some((self.lengths.map_or(at, |(least, _)| least), at));
    }
}

impl Evaluator<'_, '_> {
    /// The length that a string can have, which a library function reads up to its end or up to so many
    /// bytes; what can go wrong is noted. `None` if no run gets past reading it. Must cover every value of
    /// the limit: with the least one it may be read in less than with the greatest one.
    /// Tested by `every_value_of_a_bound_counts`.
    pub fn text(
        &mut self,
        pointers: &Pointers,
        limit: Limit,
        is_through_pointer: bool,
        subject: Subject<'_>,
    ) -> Option<Number> {
        // Nothing is read of a string of which no byte is asked for.
        if limit.greatest == 0 {
            return Some(Number::only(0));
        }
        let first = if limit.least == 0 { Number::range(0, 1) } else { Number::only(1) };
        let kept = self.touched(pointers, &first, is_through_pointer, Access::Read, subject)?;
        let mut all: Option<Ends> = None;
        for (object, offset) in kept.targets() {
            for one in self.ends_in(*object, offset, limit) {
                all = Some(match all {
                    None => one,
                    Some(known) => Ends {
                        lengths: match (known.lengths, one.lengths) {
                            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                            (a, b) => a.or(b),
                        },
                        can_run_past: known.can_run_past || one.can_run_past,
                        can_be_unwritten: known.can_be_unwritten || one.can_be_unwritten,
                    },
                });
            }
        }
        let is_followed = !kept.can_be_anything;
        let ends = all.unwrap_or_default();
        if !kept.targets().is_empty() {
            let can_end = ends.lengths.is_some() || !is_followed || kept.can_be_null;
            let certainty = Certainty::of(ends.can_run_past, can_end);
            self.note_in_detail(CheckKind::OutOfBounds, certainty, subject, |function, shown| {
                let has = if certainty == Certainty::Definite { "has" } else { "may have" };
                format!("`{function}` reads the string at `{shown}`, which {has} no terminating zero")
            });
            let certainty = Certainty::of(ends.can_be_unwritten, true);
            self.note_in_detail(CheckKind::Uninitialised, certainty, subject, |function, shown| {
                format!(
                    "`{function}` reads the string at `{shown}`, of which a byte may never have been written"
                )
            });
            if certainty_is_definite(ends.can_run_past, can_end) {
                return None;
            }
        }
        let lengths = match ends.lengths {
            Some((least, greatest)) if is_followed => Number::range(i128::from(least), i128::from(greatest)),
            _ => Number::range(0, i128::from(limit.greatest).min(LONGEST)),
        };
        Some(lengths)
    }

    fn ends_in(&self, object: ObjectId, offset: &Number, limit: Limit) -> Vec<Ends> {
        let sizes = blocks::size_of(self.context, self.state, object);
        // Where only the least size is known, the string may go on in a longer one.
        let is_exact = sizes.is_none_or(|(least, greatest)| least == greatest);
        let size = sizes.map(|(least, _)| least);
        let longest = |room: u64| if is_exact { room } else { LONGEST as u64 };
        let unknown = |room: Option<u64>| Ends {
            lengths: Some((0, limit.greatest.min(room.map_or(LONGEST as u64, longest)))),
            can_run_past: room.is_none_or(|room| limit.greatest > room),
            can_be_unwritten: !self.context.cells.borrow().is_static(object, self.context.program),
        };
        let starts = offset.few_values(MOST_STARTS).unwrap_or_default();
        let (Some(size), false) = (size, starts.is_empty()) else { return vec![unknown(size)] };
        let ends = starts.into_iter().filter_map(|start| {
            let Some(start) = u64::try_from(start).ok().filter(|&start| start < size) else {
                // Where nothing is asked for, nothing is read outside either; that more may be was noted
                // already.
                return (limit.least == 0).then_some(Ends { lengths: Some((0, 0)), ..Ends::default() });
            };
            let room = size - start;
            if room > MOST_BYTES {
                return Some(unknown(Some(room)));
            }
            let mut ends = Ends { can_run_past: limit.greatest > room, ..Ends::default() };
            let last = room.min(limit.greatest);
            for at in 0..last {
                if at >= limit.least {
                    ends.end_at(at);
                }
                let byte = self.byte(object, start + at);
                ends.can_be_unwritten |= !byte.is_written;
                if byte.can_be_zero() {
                    ends.end_at(at);
                }
                if !byte.can_be_other() {
                    ends.can_run_past = false;
                    return Some(ends);
                }
            }
            if last >= limit.least {
                ends.end_at(last);
            }
            if ends.can_run_past && !is_exact {
                let longest = limit.greatest.min(LONGEST as u64);
                ends.lengths = Some((ends.lengths.map_or(room, |(least, _)| least), longest));
            }
            Some(ends)
        });
        ends.collect()
    }

    /// The one place that pointers mean, with how many bytes there are from there on.
    fn one_place(&self, pointers: &Pointers) -> Option<(ObjectId, u64, u64)> {
        let [(object, offset)] = pointers.targets() else { return None };
        if pointers.can_be_anything || pointers.can_be_null {
            return None;
        }
        let start = u64::try_from(offset.single()?).ok()?;
        let room = blocks::size_of(self.context, self.state, *object)?.0.checked_sub(start)?;
        Some((*object, start, room.min(MOST_BYTES)))
    }

    /// How many bytes a comparison of two strings reads of each: up to the first difference, or to the end
    /// that both have. Bytes behind need not be there (C11 7.24.4.4 speaks of arrays).
    pub fn compared(&self, one: &Pointers, two: &Pointers, case: Case) -> Limit {
        let (Some(one), Some(two)) = (self.one_place(one), self.one_place(two)) else {
            return Limit { least: 1, greatest: u64::MAX };
        };
        let mut least = None;
        for at in 0..one.2.min(two.2) {
            let (left, right) = (self.byte(one.0, one.1 + at).value, self.byte(two.0, two.1 + at).value);
            let is_same = left.single().is_some() && left.single() == right.single();
            let differs = case == Case::Matters && left.meet(&right).is_empty();
            if differs || (is_same && left.contains(0)) {
                return Limit { least: least.unwrap_or(at + 1), greatest: at + 1 };
            }
            if !is_same {
                least = least.or(Some(at + 1));
            }
        }
        Limit { least: least.unwrap_or(one.2.min(two.2) + 1), greatest: u64::MAX }
    }

    /// How many bytes are read of a string in which a character is sought: up to the first one.
    pub fn searched(&self, text: &Pointers, wanted: &Number) -> Limit {
        let character = IntegerShape { width: 8, signed: true };
        let wanted = self.context.arithmetic.convert(wanted, character);
        let Some((object, start, room)) = self.one_place(text) else {
            return Limit { least: 1, greatest: u64::MAX };
        };
        let mut least = None;
        for at in 0..room {
            let byte = self.byte(object, start + at).value;
            if byte.meet(&wanted).is_empty() {
                continue;
            }
            least = least.or(Some(at + 1));
            if byte.single().is_some() && byte.single() == wanted.single() {
                return Limit { least: least.unwrap_or(at + 1), greatest: at + 1 };
            }
        }
        Limit { least: least.unwrap_or(room + 1), greatest: u64::MAX }
    }

    /// May a byte among these never have been written?
    pub fn may_be_unwritten(&self, pointers: &Pointers, bytes: &Number) -> bool {
        let Some(count) = bytes.hull().map(|hull| hull.high.max(0)) else { return false };
        pointers.can_be_anything
            || pointers.targets().iter().any(|(object, offset)| {
                if self.context.cells.borrow().is_static(*object, self.context.program) {
                    return false;
                }
                let (Some(start), Ok(count)) = (offset.single(), u64::try_from(count)) else { return true };
                let Ok(start) = u64::try_from(start) else { return true };
                count > MOST_BYTES || (0..count).any(|at| !self.byte(*object, start + at).is_written)
            })
    }

    fn byte(&self, object: ObjectId, at: u64) -> Byte {
        let program = self.context.program;
        if let ObjectKind::Variable(id) = self.context.kind_of(object)
            && program.variables[id].kind == VariableKind::StringLiteral
            && let Some(program::InitialValue { value: InitialData::Bytes(bytes), .. }) =
                program.variables[id].initial.first()
        {
            let byte = usize::try_from(at).ok().and_then(|at| bytes.get(at)).copied().unwrap_or(0);
            return Byte { value: Number::only(i128::from(byte as i8)), is_written: true };
        }
        let shape = IntegerShape { width: 8, signed: true };
        let place = Pointers::to(object, Number::only(i128::from(at)));
        let datum = Evaluator::new(self.context, self.state).read(&place, 1, Scalar::Integer(shape));
        let is_written = datum.as_ref().is_some_and(|datum| datum.written == Written::Always);
        let value = match datum.map(|datum| datum.value) {
            Some(Value::Integer(number)) => number,
            _ => Number::any(shape),
        };
        Byte { value, is_written }
    }
}

fn certainty_is_definite(can: bool, can_not: bool) -> bool {
    Certainty::of(can, can_not) == Certainty::Definite
}
