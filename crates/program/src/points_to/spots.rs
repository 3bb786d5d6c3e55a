//! Where in an object a pointer points to, and how that moves.

use super::shape::{ByteRange, Shape, Window};

/// Where in an object a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
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
pub(super) const MOST_SPOTS: usize = 64;

impl Shape {
    fn at(&self, offset: i64) -> Spot {
        match self.period {
            Some(period) => Spot::At(offset.rem_euclid(period as i64)),
            None => Spot::At(offset),
        }
    }

    /// The array that a spot is in.
    fn window(&self, at: u64, depth: u8) -> &Window {
        self.windows_at(at).nth(depth as usize).expect("an element spot lies in its array")
    }

    /// The outermost array at least so deep that steps of `stride` bytes move through.
    fn depth_for_step(&self, canonical: u64, stride: u64, least: u8) -> Option<u8> {
        let fits = |(_, window): &(usize, &Window)| stride.is_multiple_of(window.unit);
        self.windows_at(canonical).enumerate().skip(least as usize).find(fits).map(|(depth, _)| depth as u8)
    }

    /// The spot of a part of what lies at `spot`.
    pub fn step(&self, spot: Spot, step: Step) -> Spot {
        match (spot, step) {
            (Spot::Anywhere, _) => Spot::Anywhere,
            (spot, Step::Member(bytes)) => self.move_by(spot, bytes as i64),
            (Spot::At(offset), Step::Element { stride, index }) => {
                if self.period.is_some_and(|period| stride.is_multiple_of(period)) {
                    return spot;
                }
                let canonical = u64::try_from(offset)
                    .ok()
                    .map(|at| self.fold(ByteRange { start: at, end: at + 1 }).start);
                let found = canonical.and_then(|at| Some((at, self.depth_for_step(at, stride, 0)?)));
                match (found, index) {
                    (Some((at, depth)), _) => Spot::Element { at, depth },
                    (None, Some(index)) => {
                        self.at(offset.saturating_add(index.saturating_mul(stride as i64)))
                    }
                    (None, None) => Spot::Anywhere,
                }
            }
            (Spot::Element { at, depth }, Step::Element { stride, index }) => {
                match self.depth_for_step(at, stride, depth + 1) {
                    Some(depth) => Spot::Element { at, depth },
                    None => self.offset(spot, stride, index),
                }
            }
        }
    }

    /// A pointer moved by `index` (unknown without one) elements of `stride` bytes.
    pub fn offset(&self, spot: Spot, stride: u64, index: Option<i64>) -> Spot {
        if index == Some(0) {
            return spot;
        }
        match spot {
            Spot::Anywhere => Spot::Anywhere,
            Spot::At(_) if self.period.is_some_and(|period| stride.is_multiple_of(period)) => spot,
            Spot::Element { at, depth } if stride.is_multiple_of(self.window(at, depth).unit) => spot,
            _ => match index {
                Some(index) => self.move_by(spot, index.saturating_mul(stride as i64)),
                None => Spot::Anywhere,
            },
        }
    }

    fn move_by(&self, spot: Spot, bytes: i64) -> Spot {
        match spot {
            _ if bytes == 0 => spot,
            Spot::Anywhere => Spot::Anywhere,
            Spot::At(offset) => self.at(offset.saturating_add(bytes)),
            Spot::Element { at, depth } => {
                let window = self.window(at, depth);
                let is_whole_union = window.unit != window.stride; // which byte of it is not known
                let moved = (at as i64).checked_add(bytes).and_then(|moved| u64::try_from(moved).ok());
                match moved {
                    // Within the element it stays the same place of some element.
                    Some(at)
                        if !is_whole_union
                            && window.canonical().contains(ByteRange { start: at, end: at + 1 }) =>
                    {
                        Spot::Element { at, depth }
                    }
                    _ => Spot::Anywhere,
                }
            }
        }
    }

    /// Is behind `size` bytes there the same place of another element, or the end of the array or object? Anywhere is everywhere.
    pub fn is_element(&self, spot: Spot, size: u64) -> bool {
        match spot {
            Spot::Anywhere => true,
            Spot::Element { at, depth } => size.is_multiple_of(self.window(at, depth).unit),
            Spot::At(offset) => match self.period {
                Some(period) => size.is_multiple_of(period),
                None => {
                    let end = u64::try_from(offset).ok().and_then(|start| start.checked_add(size));
                    !self.is_open() && self.size.is_some_and(|whole| end.is_some_and(|end| end >= whole))
                }
            },
        }
    }

    /// What the analysis rests on where a pointer has one of these spots; `None` if it is right wherever in the object they are.
    pub fn confines(&self, spots: &[Spot]) -> Option<Confines> {
        if !spots.iter().any(|spot| matches!(spot, Spot::Element { .. })) || spots.contains(&Spot::Anywhere) {
            return None;
        }
        let areas = spots.iter().filter_map(|&spot| match spot {
            Spot::Anywhere => None,
            Spot::At(offset) => {
                let start = u64::try_from(offset).ok()?;
                Some(Area { around: Vec::new(), start, end: start + 1 })
            }
            Spot::Element { at, depth } => {
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
    pub fn accessed(&self, spot: Spot, size: u64) -> Option<ByteRange> {
        if size == 0 {
            return None;
        }
        match spot {
            Spot::Anywhere => Some(ByteRange::ALL),
            Spot::At(offset) => {
                let start = u64::try_from(offset).ok()?;
                if self.period.is_none() && self.size.is_some_and(|end| start >= end) && !self.is_open() {
                    return None; // beyond the object: undefined behaviour
                }
                Some(self.fold(ByteRange { start, end: start.saturating_add(size) }))
            }
            Spot::Element { at, depth } if size <= self.window(at, depth).unit => {
                Some(self.fold(ByteRange { start: at, end: at.saturating_add(size) }))
            }
            // Larger than an element: the pointer was made for something around the array.
            Spot::Element { .. } => Some(ByteRange::ALL),
        }
    }

    /// Where a copy of so many bytes starts, if it runs through the object byte by byte without coming back.
    pub fn linear_start(&self, spot: Spot, size: Option<u64>) -> Option<u64> {
        match spot {
            Spot::Anywhere => None,
            Spot::At(offset) => {
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
            Spot::Element { at, depth } => {
                let window = self.window(at, depth);
                let end = size.and_then(|size| at.checked_add(size))?;
                let is_whole_union = window.unit != window.stride;
                (!is_whole_union && end <= window.canonical().end).then_some(at)
            }
        }
    }
}
