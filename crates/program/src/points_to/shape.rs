//! How the bytes of an object are told apart.
//!
//! Bytes of different elements of an array are not: each array is *folded* onto its first element. [`Shape::fold`] maps
//! a range of real bytes to a range of *canonical* bytes. It is total and keeps overlaps: two ranges that share a real
//! byte share a canonical byte. So a shape may be guessed (for the heap it is) without harm to soundness.

use crate::RecordKind;
use crate::types::{ArrayLength, Type, TypeId, TypeTable};

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// The first byte of the range.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl ByteRange {
    /// All bytes of any object.
    pub const ALL: ByteRange = ByteRange { start: 0, end: u64::MAX };

    /// Do they share a byte?
    pub fn overlaps(self, other: ByteRange) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Does it contain all of the other?
    pub fn contains(self, other: ByteRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Where arrays lie in an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// The whole object is an array of elements this long.
    pub period: Option<u64>,
    /// Bytes, if known. A periodic object's size plays no part.
    pub size: Option<u64>,
    windows: Vec<Window>,
}

/// An array inside an object (or inside the first element of an outer one), folded onto its first `stride` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub start: u64,
    /// `u64::MAX` for a flexible array.
    pub end: u64,
    /// Bytes of the canonical part.
    pub stride: u64,
    /// Greatest access and step that surely stays with one element: the stride, or the least one inside a union.
    pub unit: u64,
    inner: Vec<Window>,
}

impl Window {
    pub fn contains(&self, at: u64) -> bool {
        self.start <= at && at < self.end
    }

    pub fn canonical(&self) -> ByteRange {
        ByteRange { start: self.start, end: self.start + self.stride }
    }
}

impl Shape {
    /// Of one object of this type.
    pub fn of(ty: TypeId, types: &TypeTable) -> Shape {
        match types.get(ty) {
            Type::Array(..) => Shape::array_of(innermost(ty, types).0, types),
            _ => Shape { period: None, size: types.size_of(ty), windows: windows_of(ty, 0, types) },
        }
    }

    /// Of any number of objects of this type in a row. A record with a flexible array at its end is one.
    pub fn array_of(element: TypeId, types: &TypeTable) -> Shape {
        let element = innermost(element, types).0;
        let windows = windows_of(element, 0, types);
        let is_open = windows.iter().any(|window| window.end == u64::MAX);
        let period = types.size_of(element).filter(|&size| size > 0 && !is_open);
        Shape { period, size: None, windows }
    }

    /// The canonical bytes of a range of real bytes.
    pub fn fold(&self, range: ByteRange) -> ByteRange {
        let range = match self.period {
            None => range,
            Some(period) => {
                let start = range.start % period;
                match range.end.checked_sub(range.start).and_then(|length| start.checked_add(length)) {
                    Some(end) if end <= period => ByteRange { start, end },
                    _ => return ByteRange { start: 0, end: period },
                }
            }
        };
        fold(&self.windows, range)
    }

    /// The arrays around a canonical byte, outermost first.
    pub fn windows_at(&self, canonical: u64) -> impl Iterator<Item = &Window> {
        let find = move |windows: &'_ [Window]| windows.iter().position(|window| window.contains(canonical));
        let mut windows = &self.windows[..];
        std::iter::from_fn(move || {
            let window = &windows[find(windows)?];
            windows = &window.inner;
            Some(window)
        })
    }

    /// The outermost array around a canonical byte that does not hold all of `whole` in one element.
    pub fn window_inside(&self, canonical: u64, whole: ByteRange) -> Option<&Window> {
        self.windows_at(canonical).find(|window| !window.canonical().contains(whole))
    }

    /// Does the object end in an array without a length?
    pub fn is_open(&self) -> bool {
        self.windows.iter().any(|window| window.end == u64::MAX)
    }
}

fn fold(windows: &[Window], range: ByteRange) -> ByteRange {
    let mut folded = range;
    for window in windows {
        let real = ByteRange { start: window.start, end: window.end };
        if !real.overlaps(range) {
            continue;
        }
        if real.contains(range) {
            let first = (range.start - window.start) / window.stride;
            let last = (range.end - 1 - window.start) / window.stride;
            if first != last || window.unit != window.stride {
                return window.canonical();
            }
            let start = window.start + (range.start - window.start) % window.stride;
            return fold(&window.inner, ByteRange { start, end: start + (range.end - range.start) });
        }
        // The range reaches beyond the array: all that its part in the array may be.
        folded.start = folded.start.min(window.start);
        if range.end <= window.end && range.end > window.start {
            folded.end = window.canonical().end;
        }
    }
    folded
}

/// The element below all array levels, and how many there are (`None`: open).
fn innermost(ty: TypeId, types: &TypeTable) -> (TypeId, Option<u64>) {
    let mut ty = ty;
    let mut count = Some(1u64);
    while let Type::Array(element, length) = types.get(ty) {
        count = match length {
            ArrayLength::Known(length) => count.and_then(|count| count.checked_mul(*length)),
            ArrayLength::Unknown | ArrayLength::Variable(_) => None,
        };
        ty = element.id;
    }
    (ty, count)
}

fn windows_of(ty: TypeId, start: u64, types: &TypeTable) -> Vec<Window> {
    match types.get(ty) {
        Type::Array(..) => {
            let (element, count) = innermost(ty, types);
            let Some(stride) = types.size_of(element).filter(|&stride| stride > 0) else { return Vec::new() };
            let end = match count {
                Some(count) => start.saturating_add(count.saturating_mul(stride)),
                None => u64::MAX,
            };
            vec![Window { start, end, stride, unit: stride, inner: windows_of(element, start, types) }]
        }
        Type::Record(id) => {
            let record = &types.records[*id];
            let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return Vec::new() };
            let mut windows = Vec::new();
            for (index, field) in fields.iter().enumerate() {
                let offset = layout.fields[index].byte_offset();
                let mut of_field = windows_of(field.ty.id, start + offset, types);
                let is_last = index + 1 == fields.len() && record.kind == RecordKind::Struct;
                // `char data[1]` at the end is an old way to write `char data[]`.
                if is_last && is_open_array(field.ty.id, types) {
                    of_field.iter_mut().for_each(|window| window.end = u64::MAX);
                }
                windows.extend(of_field);
            }
            if record.kind == RecordKind::Union && !windows.is_empty() && layout.size > 0 {
                // Members disagree about what is an array: the union is told apart from the rest only.
                let unit = windows.iter().map(|window| window.unit).min().unwrap_or(1);
                let is_open = windows.iter().any(|window| window.end == u64::MAX);
                let end = if is_open { u64::MAX } else { start + layout.size };
                return vec![Window {
                    start,
                    end,
                    stride: layout.size,
                    unit: unit.min(layout.size),
                    inner: Vec::new(),
                }];
            }
            windows.retain(|window| window.end > window.start);
            windows
        }
        _ => Vec::new(),
    }
}

fn is_open_array(ty: TypeId, types: &TypeTable) -> bool {
    matches!(types.get(ty), Type::Array(_, ArrayLength::Known(0 | 1) | ArrayLength::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Builder;

    #[test]
    fn folding_keeps_overlaps() {
        let mut b = Builder::new();
        let int = b.int();
        let char = b.program.types.char();
        let name = b.program.types.array(char, ArrayLength::Known(5));
        let (_, inner) = b.record(RecordKind::Struct, "inner", &[("n", int), ("name", name), ("m", int)]);
        let three = b.program.types.array(inner, ArrayLength::Known(3));
        let (_, view) = b.record(RecordKind::Union, "view", &[("bytes", name), ("number", int)]);
        let (_, outer) =
            b.record(RecordKind::Struct, "outer", &[("a", int), ("parts", three), ("v", view), ("z", int)]);
        let types = &b.program.types;
        let size = types.size_of(outer).expect("complete");
        for shape in [Shape::of(outer, types), Shape::array_of(outer, types), Shape::array_of(inner, types)] {
            let byte = |at: u64| shape.fold(ByteRange { start: at, end: at + 1 });
            for start in 0..size {
                for end in start + 1..=size {
                    let folded = shape.fold(ByteRange { start, end });
                    for at in start..end {
                        assert!(
                            folded.contains(byte(at)),
                            "{shape:?}: {at} of {start}..{end} is outside {folded:?}"
                        );
                    }
                }
            }
        }
    }
}
