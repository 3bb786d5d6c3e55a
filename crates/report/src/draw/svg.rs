//! A drawing as SVG: one file that needs nothing else.

use super::layout::{self, CHARACTER, GUTTER, LINE, PADDING, Rectangle, Route};
use super::{Arrow, ArrowStyle, BoxStyle, Drawing, LONGEST_LABEL, LineStyle, TextBox, rows, shortened};
use std::fmt::Write;

/// The look, in one place. Light, and still readable in print.
pub(super) const STYLE: &str = "\
text{font-family:'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace;font-size:12px;fill:#1b1f24;white-space:pre}
.title{font-size:14px;font-weight:bold}
.number{font-size:10px;fill:#8c959f}
.heading{font-weight:bold}
.faint{fill:#6e7781}
.alarm{fill:#b3261e;font-weight:bold}
.label{font-size:11px}
rect{fill:#ffffff;stroke:#57606a;stroke-width:1}
rect.paper{stroke:none}
rect.under{stroke:none;fill:#ffffff;fill-opacity:.9}
rect.entry{fill:#e6f4ea;stroke:#1a7f37;stroke-width:1.5}
rect.exit{fill:#f0f1f3;stroke:#57606a;stroke-width:1.5}
rect.loop{fill:#e3eefb;stroke:#0969da;stroke-width:1.5}
rect.error{fill:#fde7e5;stroke:#b3261e;stroke-width:2}
rect.reached{fill:#dff3e4;stroke:#1a7f37}
rect.unreached{fill:#fbe3e1;stroke:#b3261e;stroke-dasharray:5 3}
rect.missing{fill:#fff4e5;stroke:#b35900;stroke-dasharray:5 3}
rect.faint{fill:#fafbfc;stroke:#afb8c1}
path{fill:none;stroke:#57606a;stroke-width:1.2}
path.then{stroke:#1a7f37}
path.otherwise{stroke:#b3261e}
path.back{stroke:#0969da;stroke-width:1.8}
path.possible{stroke-dasharray:5 3}
path.tip{stroke:none;fill:#57606a}
path.tip.then{fill:#1a7f37}
path.tip.otherwise{fill:#b3261e}
path.tip.back{fill:#0969da}
";

pub(super) fn to_svg(drawing: &Drawing) -> String {
    let layout = layout::lay_out(drawing);
    let (width, height) = (number(layout.width), number(layout.height));
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    );
    let _ = writeln!(out, "<title>{}</title>\n<style>\n{STYLE}</style>", escape(&drawing.title));
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
    let _ = writeln!(out, "<text class=\"title\" x=\"14\" y=\"26\">{}</text>", escape(&drawing.title));
    // Arrows first: where they touch a box or a label, the text stays on top.
    for (arrow, route) in drawing.arrows.iter().zip(&layout.arrows) {
        write_arrow(arrow, route, &mut out);
    }
    for (text_box, rectangle) in drawing.boxes.iter().zip(&layout.boxes) {
        write_box(text_box, *rectangle, &mut out);
    }
    for (arrow, route) in drawing.arrows.iter().zip(&layout.arrows) {
        write_label(arrow, route, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// The name of a kind of box in styles.
pub(super) fn class_of_box(style: BoxStyle) -> &'static str {
    match style {
        BoxStyle::Plain => "plain",
        BoxStyle::Entry => "entry",
        BoxStyle::Exit => "exit",
        BoxStyle::LoopHead => "loop",
        BoxStyle::Error => "error",
        BoxStyle::Missing => "missing",
        BoxStyle::Faint => "faint",
        BoxStyle::Reached => "reached",
        BoxStyle::Unreached => "unreached",
    }
}

/// The name of a kind of line in styles.
pub(super) fn class_of_line(style: LineStyle) -> &'static str {
    match style {
        LineStyle::Plain => "plain",
        LineStyle::Heading => "heading",
        LineStyle::Faint => "faint",
        LineStyle::Alarm => "alarm",
    }
}

fn write_box(text_box: &TextBox, at: Rectangle, out: &mut String) {
    let class = class_of_box(text_box.style);
    let _ = writeln!(
        out,
        "<g><rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
        number(at.x),
        number(at.y),
        number(at.width),
        number(at.height)
    );
    let gutter = if layout::has_numbers(text_box) { GUTTER } else { 0.0 };
    let mut index = 0;
    for line in &text_box.lines {
        let class = class_of_line(line.style);
        let baseline = |index: usize| number(at.y + PADDING + (index as f64 + 0.75) * LINE - 1.0);
        if let Some(source_line) = line.number {
            let (x, y) = (number(at.x + PADDING + GUTTER - 10.0), baseline(index));
            let _ = writeln!(
                out,
                "<text class=\"number\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{source_line}</text>"
            );
        }
        let shown = rows(&line.text);
        let is_cut = shown.last().is_some_and(|row| row.ends_with('…'));
        let tooltip = if is_cut { format!("<title>{}</title>", escape(&line.text)) } else { String::new() };
        for row in shown {
            // Not every viewer keeps spaces at the start.
            let text = row.trim_start_matches(' ');
            let indent = (row.len() - text.len()) as f64 * CHARACTER;
            let (x, y) = (number(at.x + PADDING + gutter + indent), baseline(index));
            let _ =
                writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}{tooltip}</text>", escape(text));
            index += 1;
        }
    }
    out.push_str("</g>\n");
}

/// The name of a kind of arrow in styles.
pub(super) fn class_of(style: ArrowStyle) -> &'static str {
    match style {
        ArrowStyle::Plain => "plain",
        ArrowStyle::Then => "then",
        ArrowStyle::Otherwise => "otherwise",
        ArrowStyle::Back => "back",
        ArrowStyle::Possible => "possible",
    }
}

fn write_arrow(arrow: &Arrow, route: &Route, out: &mut String) {
    let class = class_of(arrow.style);
    let Some((line, tip)) = line_and_tip(route) else { return };
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{line}\"/>");
    let _ = writeln!(out, "<path class=\"tip {class}\" d=\"{tip}\"/>");
}

/// An arrow as two paths: its line, and its tip.
pub(super) fn line_and_tip(route: &Route) -> Option<(String, String)> {
    let (&tip, before) = route.points.split_last()?;
    let &previous = before.iter().rev().find(|&&point| distance(point, tip) > 0.5)?;
    // The line ends where the tip begins.
    let length = distance(previous, tip);
    let (ux, uy) = ((tip.0 - previous.0) / length, (tip.1 - previous.1) / length);
    let neck = (tip.0 - ux * 7.0, tip.1 - uy * 7.0);
    let mut points = before.to_vec();
    points.push(neck);
    let corner = |side: f64| (tip.0 - ux * 8.0 - uy * 3.6 * side, tip.1 - uy * 8.0 + ux * 3.6 * side);
    let (left, right) = (corner(1.0), corner(-1.0));
    let tip = format!("M{} L{} L{}Z", pair(tip), pair(left), pair(right));
    Some((rounded(&points), tip))
}

/// Straight lines with rounded corners: stays where the layout kept room.
fn rounded(points: &[(f64, f64)]) -> String {
    const RADIUS: f64 = 10.0;
    let mut path = format!("M{}", pair(points[0]));
    for window in points.windows(3) {
        let [from, corner, to] = [window[0], window[1], window[2]];
        let (before, after) = (distance(from, corner), distance(corner, to));
        if before < 0.01 || after < 0.01 {
            continue;
        }
        let radius = RADIUS.min(before / 2.0).min(after / 2.0);
        let toward = |at: (f64, f64), length: f64| {
            let part = radius / length;
            (corner.0 + (at.0 - corner.0) * part, corner.1 + (at.1 - corner.1) * part)
        };
        let _ =
            write!(path, " L{} Q{} {}", pair(toward(from, before)), pair(corner), pair(toward(to, after)));
    }
    let _ = write!(path, " L{}", pair(points[points.len() - 1]));
    path
}

fn write_label(arrow: &Arrow, route: &Route, out: &mut String) {
    if arrow.label.is_empty() {
        return;
    }
    let (width, height) = layout::label_size(&arrow.label);
    let (x, y) = (route.label.0 - width / 2.0, route.label.1 - height / 2.0);
    let shown = shortened(&arrow.label, LONGEST_LABEL);
    debug_assert!(width >= shown.chars().count() as f64 * CHARACTER * 0.9);
    let _ = writeln!(
        out,
        "<rect class=\"under\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        number(x),
        number(y),
        number(width),
        number(height),
        number(route.label.0),
        number(route.label.1 + 4.0),
        escape(&shown)
    );
}

fn distance(one: (f64, f64), other: (f64, f64)) -> f64 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

fn pair(point: (f64, f64)) -> String {
    format!("{},{}", number(point.0), number(point.1))
}

/// One digit behind the point, so that the bytes do not depend on the last bits of a sum.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.into() }
}

/// For XML. Characters it does not allow are shown as a replacement.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out() {
        assert_eq!(escape("a<b && \"c\"\u{1}"), "a&lt;b &amp;&amp; &quot;c&quot;\u{fffd}");
        assert_eq!(number(-0.04), "0");
        assert_eq!(number(2.25), "2.2");
    }
}
