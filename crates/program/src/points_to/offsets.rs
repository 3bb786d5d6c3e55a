//! Where in an object a pointer points to, and how that moves.

use super::shape::{ByteRange, Shape, Window};

/// Where in an object a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OffsetInObject {
    /// That many bytes from its start; in an object that is an array, from the start of some element.
    At(i64),
    /// To an element of an inner array, or into it: the same place in some element. Steps of whole elements stay in the
    /// array, as C demands of pointers into it.
    Element {
        /// The place in the first element, from the start of the object.
        at: u64,
        /// Which of the arrays around it: 0 is the outermost.
        depth: u8,
    },
    /// Anywhere in it.
    Anywhere,
}

/// Where in an object a pointer that points into it must be for the analysis to be right about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confines {
    /// The object is elements of so many bytes; places count from the start of one.
    pub period: Option<u64>,
    /// It is in one of these.
    pub areas: Vec<Area>,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Arrays around it, outermost first; it counts from the first element of each.
    pub around: Vec<Row>,
    /// First byte.
    pub start: u64,
    /// One past the last byte a pointer may point to.
    pub end: u64,
}

/// An array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Bytes of an element.
    pub stride: u64,
}

/// One step of a place's path, as far as bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// A member that many bytes in.
    Member(u64),
    /// An element that many bytes long; which one, if that is constant.
    Element { stride: u64, index: Option<i64> },
}

/// More different places than this in one object are told apart no longer.
pub(super) const MOST_OFFSETS: usize = 64;

impl Shape {
    fn at(&self, offset: i64) -> OffsetInObject {
        match self.period {
            Some(period) => OffsetInObject::At(offset.rem_euclid(period as i64)),
            None => OffsetInObject::At(offset),
        }
    }

    /// The array that a offset is in.
    fn window(&self, at: u64, depth: u8) -> &Window {
        self.windows_at(at).nth(depth as usize).expect("an element offset lies in its array")
    }

    /// The outermost array at least so deep that steps of `stride` bytes move through.
    fn depth_for_step(&self, canonical: u64, stride: u64, least: u8) -> Option<u8> {
        let fits = |(_, window): &(usize, &Window)| stride.is_multiple_of(window.unit);
        self.windows_at(canonical).enumerate().skip(least as usize).find(fits).map(|(depth, _)| depth as u8)
    }

    /// The offset of a part of what lies at `offset`.
    pub fn step(&self, offset: OffsetInObject, step: Step) -> OffsetInObject {
        match (offset, step) {
            (OffsetInObject::Anywhere, _) => OffsetInObject::Anywhere,
            (offset, Step::Member(bytes)) => self.move_by(offset, bytes as i64),
            (OffsetInObject::At(offset), Step::Element { stride, index }) => {
                if self.period.is_some_and(|period| stride.is_multiple_of(period)) {
                    return OffsetInObject::At(offset);
                }
                let canonical = u64::try_from(offset)
                    .ok()
                    .map(|at| self.fold(ByteRange { start: at, end: at + 1 }).start);
                let found = canonical.and_then(|at| Some((at, self.depth_for_step(at, stride, 0)?)));
                match (found, index) {
                    (Some((at, depth)), _) => OffsetInObject::Element { at, depth },
                    (None, Some(index)) => {
                        self.at(offset.saturating_add(index.saturating_mul(stride as i64)))
                    }
                    (None, None) => OffsetInObject::Anywhere,
                }
            }
            (OffsetInObject::Element { at, depth }, Step::Element { stride, index }) => {
                match self.depth_for_step(at, stride, depth + 1) {
                    Some(depth) => OffsetInObject::Element { at, depth },
                    None => self.offset(offset, stride, index),
                }
            }
        }
    }

    /// A pointer moved by `index` (unknown without one) elements of `stride` bytes.
    pub fn offset(&self, offset: OffsetInObject, stride: u64, index: Option<i64>) -> OffsetInObject {
        if index == Some(0) {
            return offset;
        }
        match offset {
            OffsetInObject::Anywhere => OffsetInObject::Anywhere,
            OffsetInObject::At(_) if self.period.is_some_and(|period| stride.is_multiple_of(period)) => {
                offset
            }
            OffsetInObject::Element { at, depth } if stride.is_multiple_of(self.window(at, depth).unit) => {
                offset
            }
            _ => match index {
                Some(index) => self.move_by(offset, index.saturating_mul(stride as i64)),
                None => OffsetInObject::Anywhere,
            },
        }
    }

    fn move_by(&self, offset: OffsetInObject, bytes: i64) -> OffsetInObject {
        match offset {
            _ if bytes == 0 => offset,
            OffsetInObject::Anywhere => OffsetInObject::Anywhere,
            OffsetInObject::At(offset) => self.at(offset.saturating_add(bytes)),
            OffsetInObject::Element { at, depth } => {
                let window = self.window(at, depth);
                let is_whole_union = window.unit != window.stride; // which byte of it is not known
                let moved = (at as i64).checked_add(bytes).and_then(|moved| u64::try_from(moved).ok());
                match moved {
                    // Within the element it stays the same place of some element.
                    Some(at)
                        if !is_whole_union
                            && window.canonical().contains(ByteRange { start: at, end: at + 1 }) =>
                    {
                        OffsetInObject::Element { at, depth }
                    }
                    _ => OffsetInObject::Anywhere,
                }
            }
        }
    }

    /// Is behind `size` bytes there the same place of another element, or the end of the array or object? Anywhere is
    /// everywhere.
    pub fn is_element(&self, offset: OffsetInObject, size: u64) -> bool {
        match offset {
            OffsetInObject::Anywhere => true,
            OffsetInObject::Element { at, depth } => size.is_multiple_of(self.window(at, depth).unit),
            OffsetInObject::At(offset) => match self.period {
                Some(period) => size.is_multiple_of(period),
                None => {
                    let end = u64::try_from(offset).ok().and_then(|start| start.checked_add(size));
                    !self.is_open() && self.size.is_some_and(|whole| end.is_some_and(|end| end >= whole))
                }
            },
        }
    }

    /// May `size` bytes at one place share some bytes with as many at another one that is not the same?
    pub fn may_overlap_in_part(&self, one: OffsetInObject, other: OffsetInObject, size: u64) -> bool {
        match (one, other) {
            (OffsetInObject::At(one), OffsetInObject::At(other)) => {
                let apart = one.abs_diff(other);
                match self.period {
                    // The same place of elements, which are no smaller.
                    Some(period) => apart != 0 || size > period,
                    None => apart != 0 && apart < size,
                }
            }
            (OffsetInObject::Element { at, depth }, _) if one == other => {
                let window = self.window(at, depth);
                size > window.unit || self.period.is_some_and(|period| size > period)
            }
            _ => true,
        }
    }

    /// What the analysis rests on where a pointer has one of these offsets; `None` if it is right wherever in the
    /// object they are.
    pub fn confines(&self, offsets: &[OffsetInObject]) -> Option<Confines> {
        if !offsets.iter().any(|offset| matches!(offset, OffsetInObject::Element { .. }))
            || offsets.contains(&OffsetInObject::Anywhere)
        {
            return None;
        }
        let areas = offsets.iter().filter_map(|&offset| match offset {
            OffsetInObject::Anywhere => None,
            OffsetInObject::At(offset) => {
                let start = u64::try_from(offset).ok()?;
                Some(Area { around: Vec::new(), start, end: start + 1 })
            }
            OffsetInObject::Element { at, depth } => {
                let rows = self.windows_at(at).take(depth as usize + 1);
                let row =
                    |window: &Window| Row { start: window.start, end: window.end, stride: window.stride };
                let mut around: Vec<Row> = rows.map(row).collect();
                let own = around.pop()?;
                Some(Area { around, start: own.start, end: own.end })
            }
        });
        Some(Confines { period: self.period, areas: areas.collect() })
    }

    /// The canonical bytes that an access of `size` bytes there touches. `None`: none of the object's.
    pub fn accessed(&self, offset: OffsetInObject, size: u64) -> Option<ByteRange> {
        if size == 0 {
            return None;
        }
        match offset {
            OffsetInObject::Anywhere => Some(ByteRange::ALL),
            OffsetInObject::At(offset) => {
                let start = u64::try_from(offset).ok()?;
                if self.period.is_none() && self.size.is_some_and(|end| start >= end) && !self.is_open() {
                    return None; // beyond the object: undefined behaviour
                }
                Some(self.fold(ByteRange { start, end: start.saturating_add(size) }))
            }
            OffsetInObject::Element { at, depth } if size <= self.window(at, depth).unit => {
                Some(self.fold(ByteRange { start: at, end: at.saturating_add(size) }))
            }
            // Larger than an element: the pointer was made for something around the array.
            OffsetInObject::Element { .. } => Some(ByteRange::ALL),
        }
    }

    /// Where a copy of so many bytes starts, if it runs through the object byte by byte without coming back.
    pub fn linear_start(&self, offset: OffsetInObject, size: Option<u64>) -> Option<u64> {
        match offset {
            OffsetInObject::Anywhere => None,
            OffsetInObject::At(offset) => {
                let start = u64::try_from(offset).ok()?;
                if let Some(period) = self.period
                    && size.and_then(|size| start.checked_add(size)).is_none_or(|end| end > period)
                {
                    return None;
                }
                let canonical = self.fold(ByteRange { start, end: start + 1 }).start;
                match self.windows_at(canonical).next() {
                    None => Some(start),
                    Some(window) if start == window.start => Some(start),
                    // Inside an array: only within one element, else other elements would be missed.
                    Some(window) => {
                        let whole = ByteRange { start: canonical, end: canonical.checked_add(size?)? };
                        window.canonical().contains(whole).then_some(canonical)
                    }
                }
            }
            OffsetInObject::Element { at, depth } => {
                let window = self.window(at, depth);
                let end = size.and_then(|size| at.checked_add(size))?;
                let is_whole_union = window.unit != window.stride;
                (!is_whole_union && end <= window.canonical().end).then_some(at)
            }
        }
    }
}
