//! Positions of boxes and arrows: layers and orders from the `dagre` crate (Sugiyama), positions across from
//! `compact`.
//!
//! Arrows run straight through layers and bend only between them, so they never cross a box.

use super::compact::{Bond, Item, compact};
use super::{ArrowStyle, Direction, Drawing, LONGEST_LABEL, TextBox, rows, shortened};
use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir};

/// Width of a character and height of a line, in pixels, at the font size that `svg` writes.
pub(super) const CHARACTER: f64 = 7.23;
pub(super) const LINE: f64 = 16.0;
/// Between a box's border and its text.
pub(super) const PADDING: f64 = 8.0;
/// Room for the source lines at the left of a box.
pub(super) const GUTTER: f64 = 34.0;
/// Room beside a box for an arrow from it to itself.
const LOOP: f64 = 30.0;
/// More than so many boxes that one box leads to are not put into one layer.
const SIDE_BY_SIDE: usize = 6;
const BETWEEN_BOXES: f64 = 26.0;
const BETWEEN_ARROWS: f64 = 12.0;

/// Where everything lies; positions as in the drawing.
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<Rectangle>,
    pub arrows: Vec<Route>,
}

/// A box; `x` and `y` are its upper left corner.
#[derive(Clone, Copy)]
pub(super) struct Rectangle {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// An arrow's bends from its start to its tip, and the middle of its label.
pub(super) struct Route {
    pub points: Vec<(f64, f64)>,
    pub label: (f64, f64),
}

pub(super) fn has_numbers(text_box: &TextBox) -> bool {
    text_box.lines.iter().any(|line| line.number.is_some())
}

fn size_of(text_box: &TextBox) -> (f64, f64) {
    let all: Vec<String> = text_box.lines.iter().flat_map(|line| rows(&line.text)).collect();
    let longest = all.iter().map(|row| row.chars().count()).max();
    let gutter = if has_numbers(text_box) { GUTTER } else { 0.0 };
    let width = longest.unwrap_or(0) as f64 * CHARACTER + 2.0 * PADDING + gutter;
    let height = all.len().max(1) as f64 * LINE + 2.0 * PADDING - 2.0;
    (width.max(36.0), height)
}

/// The size of a label's text.
pub(super) fn label_size(label: &str) -> (f64, f64) {
    let shown = shortened(label, LONGEST_LABEL).chars().count() as f64;
    if label.is_empty() { (0.0, 0.0) } else { (shown * CHARACTER * 11.0 / 12.0 + 6.0, LINE) }
}

/// A box in a frame where arrows go downwards: `across` and `along` are its middle.
#[derive(Clone, Copy)]
struct Placed {
    across: f64,
    along: f64,
    half_across: f64,
    half_along: f64,
}

/// One bend of an arrow in a layer.
#[derive(Clone, Copy)]
struct Bend {
    across: f64,
    along: f64,
}

pub(super) fn lay_out(drawing: &Drawing) -> Layout {
    let is_down = drawing.direction == Direction::Down;
    // From here on everything goes downwards; what goes to the right is turned.
    let turned = |(width, height): (f64, f64)| if is_down { (width, height) } else { (height, width) };
    let sizes: Vec<(f64, f64)> = drawing.boxes.iter().map(|text_box| turned(size_of(text_box))).collect();
    let labels: Vec<(f64, f64)> =
        drawing.arrows.iter().map(|arrow| turned(label_size(&arrow.label))).collect();
    let (mut boxes, mut bends) = layers_and_orders(drawing, &sizes, &labels);
    narrow(drawing, &mut boxes, &mut bends, &labels);
    let routes = route(drawing, &boxes, &bends, &labels);
    let back = |(across, along): (f64, f64)| if is_down { (across, along) } else { (along, across) };
    let rectangle = |placed: &Placed| {
        let (x, y) = back((placed.across - placed.half_across, placed.along - placed.half_along));
        let (width, height) = back((2.0 * placed.half_across, 2.0 * placed.half_along));
        Rectangle { x, y, width, height }
    };
    let boxes = boxes.iter().map(rectangle).collect();
    let arrows = routes.into_iter().map(|route| Route {
        points: route.points.into_iter().map(back).collect(),
        label: back(route.label),
    });
    Layout::around(boxes, arrows.collect(), drawing)
}

fn layers_and_orders(
    drawing: &Drawing,
    sizes: &[(f64, f64)],
    labels: &[(f64, f64)],
) -> (Vec<Placed>, Vec<Vec<Bend>>) {
    let options = GraphOptions { directed: true, multigraph: true, compound: true };
    let mut graph: Graph<NodeLabel, EdgeLabel> = Graph::with_options(options);
    // Zero-padded names: whatever order the layout falls back to is that of the boxes.
    let name = |index: usize| format!("{index:08}");
    for (index, &(width, height)) in sizes.iter().enumerate() {
        graph.set_node(name(index), Some(NodeLabel { width, height, ..NodeLabel::default() }));
    }
    let lengths = staggered(drawing);
    let mut incoming = vec![0; drawing.boxes.len()];
    drawing.arrows.iter().for_each(|arrow| incoming[arrow.to] += 1);
    for (index, arrow) in drawing.arrows.iter().enumerate().filter(|(_, arrow)| arrow.from != arrow.to) {
        let (width, height) = labels[index];
        let weight = match (lengths[index], arrow.style) {
            (Some(_), _) => 12, // keeps the length that it was given
            (None, ArrowStyle::Back) => 1,
            // What meets where very many meet stays where it comes from, not side by side above the meeting
            // point.
            (None, _) if incoming[arrow.to] > SIDE_BY_SIDE => 1,
            (None, ArrowStyle::Then | ArrowStyle::Plain) => 4,
            (None, ArrowStyle::Otherwise | ArrowStyle::Possible) => 3,
        };
        let minlen = lengths[index].unwrap_or(1);
        let label =
            EdgeLabel { width, height, weight, minlen, labelpos: LabelPos::Center, ..EdgeLabel::default() };
        graph.set_edge(name(arrow.from), name(arrow.to), Some(label), Some(&name(index)));
    }
    let ranksep = if drawing.direction == Direction::Down { 40.0 } else { 70.0 };
    let options = LayoutOptions {
        rankdir: RankDir::TB,
        ranksep,
        nodesep: BETWEEN_BOXES,
        edgesep: BETWEEN_ARROWS,
        ..LayoutOptions::default()
    };
    dagre::layout(&mut graph, Some(options));
    let place = |(index, &(width, height)): (usize, &(f64, f64))| {
        let node = graph.node(&name(index)).expect("every box is a node");
        Placed {
            across: node.x.unwrap_or(0.0),
            along: node.y.unwrap_or(0.0),
            half_across: width / 2.0,
            half_along: height / 2.0,
        }
    };
    let boxes = sizes.iter().enumerate().map(place).collect();
    let bends_of = |(index, arrow): (usize, &super::Arrow)| {
        let Some(edge) = graph.edge(&name(arrow.from), &name(arrow.to), Some(&name(index))) else {
            return Vec::new();
        };
        let inner = edge.points.len().saturating_sub(1);
        let points = edge.points.get(1..inner).unwrap_or(&[]);
        points.iter().map(|point| Bend { across: point.x, along: point.y }).collect()
    };
    let bends = drawing.arrows.iter().enumerate().map(bends_of).collect();
    (boxes, bends)
}

/// Layers that arrows from a box with very many cross: side by side, what they lead to would be too wide for
/// any page.
fn staggered(drawing: &Drawing) -> Vec<Option<i32>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); drawing.boxes.len()];
    for (index, arrow) in drawing.arrows.iter().enumerate() {
        if arrow.from != arrow.to && arrow.style != ArrowStyle::Back {
            out[arrow.from].push(index);
        }
    }
    let mut lengths = vec![None; drawing.arrows.len()];
    for arrows in out.iter().filter(|arrows| arrows.len() > SIDE_BY_SIDE) {
        let groups = arrows.len().div_ceil(SIDE_BY_SIDE);
        for (position, &index) in arrows.iter().enumerate() {
            lengths[index] = Some(1 + (position % groups) as i32);
        }
    }
    lengths
}

/// The bend that carries an arrow's label: the middle one.
fn labelled_bend(bends: &[Bend]) -> usize {
    bends.len() / 2
}

fn narrow(drawing: &Drawing, boxes: &mut [Placed], bends: &mut [Vec<Bend>], labels: &[(f64, f64)]) {
    // Room for the arrows from a box to itself, with their labels.
    let mut loops = vec![0.0; boxes.len()];
    for (arrow, label) in drawing.arrows.iter().zip(labels).filter(|(arrow, _)| arrow.from == arrow.to) {
        loops[arrow.from] += LOOP + label.0;
    }
    let mut items: Vec<Item> = boxes
        .iter()
        .enumerate()
        .map(|(index, placed)| Item {
            layer: placed.along,
            position: placed.across,
            half: placed.half_across + loops[index],
            gap: BETWEEN_BOXES,
        })
        .collect();
    let mut bonds = Vec::new();
    let mut first_items = Vec::with_capacity(bends.len());
    for (index, (arrow, bends)) in drawing.arrows.iter().zip(bends.iter()).enumerate() {
        let first = items.len();
        first_items.push(first);
        for (position, bend) in bends.iter().enumerate() {
            let half = if position == labelled_bend(bends) { labels[index].0 / 2.0 } else { 0.0 };
            items.push(Item { layer: bend.along, position: bend.across, half, gap: BETWEEN_ARROWS });
        }
        if arrow.from == arrow.to {
            continue;
        }
        let mut chain = vec![arrow.from];
        chain.extend(first..items.len());
        chain.push(arrow.to);
        for pair in chain.windows(2) {
            let are_bends = pair[0] >= boxes.len() && pair[1] >= boxes.len();
            let strength = match (are_bends, arrow.style) {
                (true, _) => 6.0, // long arrows straight
                (false, ArrowStyle::Back) => 0.5,
                _ => 1.0,
            };
            bonds.push(Bond { one: pair[0], other: pair[1], strength });
        }
    }
    compact(&mut items, &bonds);
    for (placed, item) in boxes.iter_mut().zip(&items) {
        placed.across = item.position;
    }
    for (bends, first) in bends.iter_mut().zip(first_items) {
        for (bend, item) in bends.iter_mut().zip(&items[first..]) {
            bend.across = item.position;
        }
    }
}

/// Which end of an arrow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Start,
    Tip,
}

fn route(drawing: &Drawing, boxes: &[Placed], bends: &[Vec<Bend>], labels: &[(f64, f64)]) -> Vec<Route> {
    let ends = spread_ends(drawing, boxes, bends);
    let layer_half = |along: f64| {
        let in_layer = boxes.iter().filter(|placed| (placed.along - along).abs() < 0.5);
        in_layer.map(|placed| placed.half_along).fold(0.0, f64::max)
    };
    let mut routes = Vec::with_capacity(drawing.arrows.len());
    let mut taken_beside = vec![0.0; boxes.len()];
    for (index, arrow) in drawing.arrows.iter().enumerate() {
        let (from, to) = (&boxes[arrow.from], &boxes[arrow.to]);
        if arrow.from == arrow.to {
            let taken = &mut taken_beside[arrow.from];
            routes.push(loop_beside(from, *taken, labels[index].0));
            *taken += LOOP + labels[index].0;
            continue;
        }
        let goes_down = to.along > from.along;
        let toward = if goes_down { 1.0 } else { -1.0 };
        let (start, tip) = ends[index];
        // Out of its own layer before the first bend, and straight into the last: beside it may be taller
        // boxes.
        let mut points = vec![
            (start, from.along + toward * from.half_along),
            (start, from.along + toward * layer_half(from.along)),
        ];
        for bend in &bends[index] {
            let half = layer_half(bend.along);
            points.push((bend.across, bend.along - toward * half));
            points.push((bend.across, bend.along + toward * half));
        }
        points.push((tip, to.along - toward * layer_half(to.along)));
        points.push((tip, to.along - toward * to.half_along));
        points.dedup_by(|a, b| (a.0 - b.0).abs() < 0.05 && (a.1 - b.1).abs() < 0.05);
        let label = match bends[index].get(labelled_bend(&bends[index])) {
            Some(bend) => (bend.across, bend.along),
            None => ((start + tip) / 2.0, (from.along + to.along) / 2.0),
        };
        routes.push(Route { points, label });
    }
    routes
}

/// Where arrows leave and enter boxes: side by side, in the order of where they come from or go to.
fn spread_ends(drawing: &Drawing, boxes: &[Placed], bends: &[Vec<Bend>]) -> Vec<(f64, f64)> {
    let mut ends = vec![(0.0, 0.0); drawing.arrows.len()];
    let mut at_sides: Vec<[Vec<(f64, usize, End)>; 2]> = vec![[Vec::new(), Vec::new()]; boxes.len()];
    for (index, arrow) in drawing.arrows.iter().enumerate().filter(|(_, arrow)| arrow.from != arrow.to) {
        let (from, to) = (&boxes[arrow.from], &boxes[arrow.to]);
        let goes_down = to.along > from.along;
        let after = bends[index].first().map_or(to.across, |bend| bend.across);
        let before = bends[index].last().map_or(from.across, |bend| bend.across);
        at_sides[arrow.from][usize::from(goes_down)].push((after, index, End::Start));
        at_sides[arrow.to][usize::from(!goes_down)].push((before, index, End::Tip));
    }
    for (placed, sides) in boxes.iter().zip(&mut at_sides) {
        for side in sides {
            side.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let count = side.len() as f64;
            let room = (placed.half_across - 8.0).max(0.0) * 2.0;
            let step = (room / count.max(1.0)).min(28.0);
            for (rank, &(wish, index, end)) in side.iter().enumerate() {
                let slot = placed.across + (rank as f64 - (count - 1.0) / 2.0) * step;
                let limit = (placed.half_across - 8.0).max(0.0);
                // Alone at its side it goes straight where it can.
                let across = if side.len() == 1 {
                    wish.clamp(placed.across - limit, placed.across + limit)
                } else {
                    slot
                };
                match end {
                    End::Start => ends[index].0 = across,
                    End::Tip => ends[index].1 = across,
                }
            }
        }
    }
    ends
}

/// An arrow from a box to itself, with its label beside it; `taken` is the room that earlier ones take.
fn loop_beside(placed: &Placed, taken: f64, label_width: f64) -> Route {
    let edge = placed.across + placed.half_across;
    let quarter = placed.half_along / 2.0;
    let far = edge + taken + LOOP * 0.7;
    let points = vec![
        (edge, placed.along + quarter),
        (far, placed.along + quarter),
        (far, placed.along - quarter),
        (edge, placed.along - quarter),
    ];
    Route { points, label: (far + label_width / 2.0 + 2.0, placed.along) }
}

impl Layout {
    /// Moves everything so that it starts at the margin.
    fn around(mut boxes: Vec<Rectangle>, mut arrows: Vec<Route>, drawing: &Drawing) -> Layout {
        const MARGIN: f64 = 14.0;
        let (mut left, mut top, mut right, mut bottom) = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        let mut see = |x: f64, y: f64| {
            left = left.min(x);
            top = top.min(y);
            right = right.max(x);
            bottom = bottom.max(y);
        };
        for rectangle in &boxes {
            see(rectangle.x, rectangle.y);
            see(rectangle.x + rectangle.width, rectangle.y + rectangle.height);
        }
        for (route, arrow) in arrows.iter().zip(&drawing.arrows) {
            route.points.iter().for_each(|&(x, y)| see(x, y));
            let (width, height) = label_size(&arrow.label);
            if width > 0.0 {
                see(route.label.0 - width / 2.0, route.label.1 - height / 2.0);
                see(route.label.0 + width / 2.0, route.label.1 + height / 2.0);
            }
        }
        if boxes.is_empty() {
            (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0);
        }
        let title = 2.0 * LINE;
        let (dx, dy) = (MARGIN - left, MARGIN + title - top);
        for rectangle in &mut boxes {
            rectangle.x += dx;
            rectangle.y += dy;
        }
        for route in &mut arrows {
            route.points.iter_mut().for_each(|point| *point = (point.0 + dx, point.1 + dy));
            route.label = (route.label.0 + dx, route.label.1 + dy);
        }
        let title_width = drawing.title.chars().count() as f64 * CHARACTER * 14.0 / 12.0 + 2.0 * MARGIN;
        Layout { width: (right + dx + MARGIN).max(title_width), height: bottom + dy + MARGIN, boxes, arrows }
    }
}
