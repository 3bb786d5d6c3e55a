//! Strings in memory: where they end, as far as the bytes are known.

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

/// What one byte can be.
struct Byte {
    can_be_zero: bool,
    can_be_other: bool,
    is_written: bool,
}

/// Where the string at one place can end.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// The least and the greatest length.
    lengths: Option<(u64, u64)>,
    can_run_past: bool,
    can_be_unwritten: bool,
}

impl Evaluator<'_, '_> {
    /// The length that a string can have, which a library function reads up to its end or up to `most` bytes; what can go wrong
    /// is noted. `None` if no run gets past reading it.
    pub fn text(
        &mut self,
        pointers: &Pointers,
        most: Option<&Number>,
        is_through_pointer: bool,
        subject: Subject<'_>,
    ) -> Option<Number> {
        let most_hull = match most {
            Some(number) => Some(number.hull()?),
            None => None,
        };
        // Nothing is read of a string of which no byte is asked for.
        if most_hull.is_some_and(|hull| hull.high <= 0) {
            return Some(Number::only(0));
        }
        let first = match most_hull {
            Some(hull) if hull.low <= 0 => Number::range(0, 1),
            _ => Number::only(1),
        };
        let kept = self.touched(pointers, &first, is_through_pointer, Access::Read, subject)?;
        let limit = most_hull.map(|hull| u64::try_from(hull.high).unwrap_or(u64::MAX));
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
            _ => Number::range(0, limit.map_or(LONGEST, |limit| i128::from(limit).min(LONGEST))),
        };
        Some(lengths)
    }

    fn ends_in(&self, object: ObjectId, offset: &Number, limit: Option<u64>) -> Vec<Ends> {
        let size = self.context.cells.borrow().get(object).size;
        let unknown = |room: u64| Ends {
            lengths: Some((0, limit.unwrap_or(u64::MAX).min(room))),
            can_run_past: limit.is_none_or(|limit| limit > room),
            can_be_unwritten: !self.context.cells.borrow().is_static(object, self.context.program),
        };
        let starts = offset.few_values(MOST_STARTS).unwrap_or_default();
        let (Some(size), false) = (size, starts.is_empty()) else {
            return vec![unknown(size.unwrap_or(0))];
        };
        let ends = starts.into_iter().filter_map(|start| {
            let start = u64::try_from(start).ok().filter(|&start| start < size)?;
            let room = size - start;
            if room > MOST_BYTES {
                return Some(unknown(room));
            }
            let mut ends = Ends { can_run_past: limit.is_none_or(|limit| limit > room), ..Ends::default() };
            for at in 0..room.min(limit.unwrap_or(u64::MAX)) {
                let byte = self.byte(object, start + at);
                ends.can_be_unwritten |= !byte.is_written;
                if byte.can_be_zero {
                    ends.lengths = Some((ends.lengths.map_or(at, |(least, _)| least), at));
                }
                if !byte.can_be_other {
                    ends.can_run_past = false;
                    return Some(ends);
                }
            }
            if let Some(limit) = limit.filter(|&limit| limit <= room) {
                ends.lengths = Some((ends.lengths.map_or(limit, |(least, _)| least), limit));
            }
            // Of an allocated block only the least size is known: the string may go on in a longer one.
            if ends.can_run_past && matches!(self.context.kind_of(object), ObjectKind::Allocation(..)) {
                ends.lengths = Some((ends.lengths.map_or(room, |(least, _)| least), LONGEST as u64));
            }
            Some(ends)
        });
        ends.collect()
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
            return Byte { can_be_zero: byte == 0, can_be_other: byte != 0, is_written: true };
        }
        let shape = Scalar::Integer(IntegerShape { width: 8, signed: true });
        let place = Pointers::to(object, Number::only(i128::from(at)));
        let datum = Evaluator::new(self.context, self.state).read(&place, 1, shape);
        match datum {
            Some(datum) => {
                let (can_be_zero, can_be_other) = match &datum.value {
                    Value::Integer(number) => (number.contains(0), number.single() != Some(0)),
                    _ => (true, true),
                };
                Byte { can_be_zero, can_be_other, is_written: datum.written == Written::Always }
            }
            None => Byte { can_be_zero: true, can_be_other: true, is_written: false },
        }
    }
}

fn certainty_is_definite(can: bool, can_not: bool) -> bool {
    Certainty::of(can, can_not) == Certainty::Definite
}
