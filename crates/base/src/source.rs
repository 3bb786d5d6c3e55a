//! Source texts and positions in them.
//!
//! All texts of a session share one range of positions, so a [`Span`] is two numbers and needs no file id.
//! A preprocessed text carries line markers (`# 12 "file.h" 3`); locations shown to people are the ones the
//! markers give ("presumed"), positions are always those in the text that was read.

use crate::ids::Id;
use std::ops::Range;
use std::sync::Arc;

crate::define_id!(
    /// One text that was read.
    SourceId,
    "source"
);

/// A half-open range of positions in the session's sources. The empty default is "nowhere".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First position.
    pub start: u32,
    /// One past the last position.
    pub end: u32,
}

impl Span {
    /// No place in any source: code that the tool itself made.
    pub const NOWHERE: Span = Span { start: 0, end: 0 };

    /// The span between two positions.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that contains both; nowhere is neutral.
    pub fn to(self, other: Span) -> Span {
        if self.is_nowhere() {
            other
        } else if other.is_nowhere() {
            self
        } else {
            Span { start: self.start.min(other.start), end: self.end.max(other.end) }
        }
    }

    /// Is this no place in any source?
    pub fn is_nowhere(self) -> bool {
        self == Span::NOWHERE
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A place as people write it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file, as the line markers name it.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in bytes of the text that was read.
    pub column: u32,
    /// The markers say that the text is from a system header.
    pub in_system_header: bool,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[derive(Clone, Debug)]
struct LineMarker {
    /// Offset of the first byte after the marker's line.
    starts_at: u32,
    /// Physical line (from 0) that starts there.
    physical_line: u32,
    file: Arc<str>,
    line: u32,
    is_system_header: bool,
}

/// One text with its line table.
#[derive(Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    base: u32,
    line_starts: Vec<u32>,
    markers: Vec<LineMarker>,
}

impl Source {
    /// The name it was added under.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The position of the text's first byte.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Physical line (from 0) of an offset.
    fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset) - 1
    }
}

/// All texts of a session. Cheap to share: texts are reference counted.
#[derive(Debug, Default)]
pub struct SourceMap {
    sources: crate::IndexVec<SourceId, Source>,
    next_base: u32,
}

impl SourceMap {
    /// No texts yet.
    pub fn new() -> SourceMap {
        SourceMap { sources: crate::IndexVec::new(), next_base: 1 }
    }

    /// Adds a text. Line markers in it are honoured. `None` when the session's texts exceed 4 GiB together.
    pub fn add(&mut self, name: &str, text: impl Into<Arc<str>>) -> Option<SourceId> {
        let text: Arc<str> = text.into();
        let base = self.next_base.max(1);
        let length = u32::try_from(text.len()).ok()?;
        self.next_base = base.checked_add(length)?.checked_add(1)?;
        let name: Arc<str> = Arc::from(name);
        let mut line_starts = vec![0];
        line_starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        let markers = find_markers(&text, &line_starts);
        Some(self.sources.push(Source { name, text, base, line_starts, markers }))
    }

    /// A text by its id.
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[id]
    }

    /// The text a position lies in.
    pub fn source_at(&self, position: u32) -> Option<&Source> {
        let after = self.sources.as_slice().partition_point(|source| source.base <= position);
        let source = self.sources.get(SourceId::from_index(after.checked_sub(1)?))?;
        (position <= source.base + source.text.len() as u32).then_some(source)
    }

    /// The text of a span; empty for nowhere.
    pub fn text(&self, span: Span) -> &str {
        let Some(source) = self.source_at(span.start).filter(|_| !span.is_nowhere()) else { return "" };
        let start = (span.start - source.base) as usize;
        let end = (span.end.saturating_sub(source.base) as usize).min(source.text.len());
        source.text.get(start..end.max(start)).unwrap_or("")
    }

    /// Where a span starts, as the line markers have it. `None` for nowhere.
    pub fn location(&self, span: Span) -> Option<Location> {
        if span.is_nowhere() {
            return None;
        }
        let source = self.source_at(span.start)?;
        let offset = span.start - source.base;
        let physical = source.line_of(offset);
        let column = offset - source.line_starts[physical] + 1;
        let after = source.markers.partition_point(|marker| marker.starts_at <= offset);
        Some(match after.checked_sub(1).map(|index| &source.markers[index]) {
            None => Location {
                file: source.name.clone(),
                line: physical as u32 + 1,
                column,
                in_system_header: false,
            },
            Some(marker) => Location {
                file: marker.file.clone(),
                line: marker.line + (physical as u32 - marker.physical_line),
                column,
                in_system_header: marker.is_system_header,
            },
        })
    }

    /// The physical line a position lies on: its text without the line end, and the position of its first byte.
    pub fn line_around(&self, position: u32) -> Option<(&str, u32)> {
        let source = self.source_at(position)?;
        let line = source.line_of(position - source.base);
        let range = line_range(source, line);
        Some((&source.text[range.clone()], source.base + range.start as u32))
    }
}

fn line_range(source: &Source, line: usize) -> Range<usize> {
    let start = source.line_starts[line] as usize;
    let end = source.line_starts.get(line + 1).map_or(source.text.len(), |&next| next as usize - 1);
    let end = if source.text[start..end].ends_with('\r') { end - 1 } else { end };
    start..end
}

fn find_markers(text: &str, line_starts: &[u32]) -> Vec<LineMarker> {
    let bytes = text.as_bytes();
    let mut markers = Vec::new();
    for (line, &start) in line_starts.iter().enumerate() {
        if bytes.get(start as usize) != Some(&b'#') {
            continue;
        }
        let Some(&next) = line_starts.get(line + 1) else { continue };
        let Some((number, file, is_system_header)) = parse_marker(&text[start as usize..next as usize])
        else {
            continue;
        };
        let file = match (file, markers.last()) {
            (Some(file), _) => Arc::from(file.as_str()),
            (None, Some(LineMarker { file, .. })) => file.clone(),
            (None, None) => continue,
        };
        markers.push(LineMarker {
            starts_at: next,
            physical_line: line as u32 + 1,
            file,
            line: number,
            is_system_header,
        });
    }
    markers
}

/// `# 12 "file.h" 3 4` and `#line 12 "file.h"`; the file may be left out in the second form.
fn parse_marker(line: &str) -> Option<(u32, Option<String>, bool)> {
    let rest = line.strip_prefix('#')?.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start_matches([' ', '\t']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim();
    let Some(quoted) = rest.strip_prefix('"') else {
        return rest.is_empty().then_some((number, None, false));
    };
    let (file, flags) = unquote(quoted);
    Some((number, Some(file), flags.split_whitespace().any(|flag| flag == "3")))
}

/// The file name up to the closing quote, and what follows. The compiler writes other bytes than printable ASCII as
/// three octal digits.
fn unquote(quoted: &str) -> (String, &str) {
    let bytes = quoted.as_bytes();
    let mut name = Vec::new();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'"' {
        let octal =
            bytes.get(at + 1..at + 4).filter(|digits| digits.iter().all(|d| (b'0'..=b'7').contains(d)));
        match (bytes[at], octal) {
            (b'\\', Some(digits)) => {
                let value = digits.iter().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                name.push(value as u8);
                at += 4;
            }
            (b'\\', None) => {
                name.extend(bytes.get(at + 1));
                at += 2;
            }
            (byte, _) => {
                name.push(byte);
                at += 1;
            }
        }
    }
    let rest = quoted.get(at + 1..).unwrap_or("");
    (String::from_utf8_lossy(&name).into_owned(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_follow_line_markers() {
        let mut sources = SourceMap::new();
        let text = "int a;\n# 7 \"x.h\" 1 3\nint b;\n\nint c;\n# 2 \"a.c\" 2\nint d;";
        let id = sources.add("a.i", text).expect("small text");
        let base = sources.source(id).base();
        let place = |needle: &str| {
            let at = base + text.find(needle).expect("present") as u32;
            let location = sources.location(Span::new(at, at + 1)).expect("in range");
            (location.to_string(), location.column, location.in_system_header)
        };
        assert_eq!(place("a;"), ("a.i:1".into(), 5, false));
        assert_eq!(place("b;"), ("x.h:7".into(), 5, true));
        assert_eq!(place("c;"), ("x.h:9".into(), 5, true));
        assert_eq!(place("d;"), ("a.c:2".into(), 5, false));
    }

    #[test]
    fn file_names_in_markers_may_hold_any_bytes() {
        let marker = |line: &str| parse_marker(line).and_then(|(_, file, _)| file);
        assert_eq!(marker("# 1 \"caf\\303\\251.c\" 2\n").as_deref(), Some("café.c"));
        assert_eq!(marker("# 1 \"a\\\"b\\\\c.c\"\n").as_deref(), Some("a\"b\\c.c"));
        assert_eq!(marker("# 1 \"open").as_deref(), Some("open"));
    }

    #[test]
    fn spans_of_different_texts_do_not_meet() {
        let mut sources = SourceMap::new();
        let first = sources.add("a", "xy").expect("small");
        let second = sources.add("b", "zw").expect("small");
        let (a, b) = (sources.source(first).base(), sources.source(second).base());
        assert_eq!(sources.text(Span::new(a, a + 2)), "xy");
        assert_eq!(sources.text(Span::new(b, b + 2)), "zw");
        assert_eq!(sources.location(Span::NOWHERE), None);
    }
}
