//! A drawing with positions, as plain data: for pages that draw it themselves, to zoom, to search, and to highlight the
//! steps of a run.

use super::layout;
use super::svg::{class_of, class_of_box, class_of_line, line_and_tip};
use super::{Drawing, LONGEST_LABEL, rows, shortened};
use serde::Serialize;
use std::collections::BTreeMap;

/// A drawing with positions, in pixels.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LaidOut {
    /// Stands above it.
    pub title: String,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// The boxes; arrows and keys name them by position.
    pub boxes: Vec<LaidBox>,
    /// The arrows.
    pub arrows: Vec<LaidArrow>,
    /// The boxes by what a run calls them.
    pub keys: BTreeMap<String, usize>,
    /// Boxes that open another drawing: its position among the page's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub opens: BTreeMap<usize, usize>,
    /// The drawing that this one is a part of, by position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<usize>,
    /// Which part it is, such as `loop at line 12`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// The file that the numbers of its lines are of, as a position among the page's sources.
    pub file: Option<usize>,
    /// What it is a drawing of, such as the name of a function or of a component.
    pub of: String,
}

/// A box; `x` and `y` are its upper left corner.
#[derive(Clone, Debug, Serialize)]
pub struct LaidBox {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Its width.
    pub w: f64,
    /// Its height.
    pub h: f64,
    /// Its kind, as styles name it.
    pub kind: &'static str,
    /// Its text.
    pub rows: Vec<Row>,
}

/// A row of text in a box.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The text.
    pub text: String,
    /// Its kind, as styles name it.
    pub kind: &'static str,
    /// The line of the source, if it is the first row of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// An arrow.
#[derive(Clone, Debug, Serialize)]
pub struct LaidArrow {
    /// From this box.
    pub from: usize,
    /// To this box.
    pub to: usize,
    /// Its kind, as styles name it.
    pub kind: &'static str,
    /// Its line as an SVG path.
    pub d: String,
    /// Its tip as an SVG path.
    pub tip: String,
    /// Its label, if it has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The middle of the label.
    pub x: f64,
    /// The middle of the label.
    pub y: f64,
}

/// Lays a drawing out.
pub(super) fn of(drawing: &Drawing) -> LaidOut {
    let layout = layout::lay_out(drawing);
    // One digit behind the point: nobody sees more, and pages are smaller.
    let short = |value: f64| (value * 10.0).round() / 10.0;
    let boxes = drawing.boxes.iter().zip(&layout.boxes).map(|(text_box, at)| LaidBox {
        x: short(at.x),
        y: short(at.y),
        w: short(at.width),
        h: short(at.height),
        kind: class_of_box(text_box.style),
        rows: { text_box.lines.iter() }
            .flat_map(|line| {
                let shown = rows(&line.text).into_iter().enumerate();
                shown.map(|(at, text)| Row {
                    text,
                    kind: class_of_line(line.style),
                    line: line.number.filter(|_| at == 0),
                })
            })
            .collect(),
    });
    let arrows = drawing.arrows.iter().zip(&layout.arrows).filter_map(|(arrow, route)| {
        let (d, tip) = line_and_tip(route)?;
        let label = shortened(&arrow.label, LONGEST_LABEL);
        let (x, y) = (short(route.label.0), short(route.label.1));
        Some(LaidArrow { from: arrow.from, to: arrow.to, kind: class_of(arrow.style), d, tip, label, x, y })
    });
    LaidOut {
        title: drawing.title.clone(),
        width: short(layout.width),
        height: short(layout.height),
        boxes: boxes.collect(),
        arrows: arrows.collect(),
        keys: drawing.keys.clone(),
        ..LaidOut::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::layout::{LINE, PADDING};
    use crate::draw::{Line, TextBox};

    /// Pages put the text of a box where the layout kept room for it.
    #[test]
    fn pages_know_where_text_begins() {
        let [top, gutter] = [PADDING + 0.75 * LINE - 1.0, layout::GUTTER];
        let script = include_str!("../page/assets/graph.js");
        assert!(script.contains(&format!("[pad,top,row,gutter]=[{PADDING},{top},{LINE},{gutter}]")));
    }

    #[test]
    fn boxes_have_their_rows_and_arrows_their_paths() {
        let mut drawing = Drawing::default();
        let text_box = |text: &str| TextBox { lines: vec![Line::plain(text)], ..TextBox::default() };
        let (one, other) = (drawing.add(text_box("one")), drawing.add(text_box("other")));
        drawing.connect(one, other, "go", super::super::ArrowStyle::Back);
        drawing.keys.insert("a".into(), other);
        let laid = drawing.laid_out();
        assert_eq!((laid.boxes.len(), laid.arrows.len(), laid.keys["a"]), (2, 1, 1));
        assert_eq!(laid.boxes[0].rows[0].text, "one");
        assert_eq!((laid.arrows[0].kind, &*laid.arrows[0].label), ("back", "go"));
        assert!(laid.arrows[0].d.starts_with('M') && laid.boxes[1].y > laid.boxes[0].y + laid.boxes[0].h);
        assert!(laid.width >= laid.boxes[0].w && laid.height >= laid.boxes[1].y + laid.boxes[1].h);
    }
}
