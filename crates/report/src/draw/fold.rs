//! Drawings too large to read, in parts: loops become boxes that open a drawing of their own, and where that is not
//! enough, stretches of boxes do. Each box of the whole is in exactly one part.
//!
//! A strongly connected component is a loop; within it, arrows back to its first box are left out, so that inner loops
//! are components again (as in Bourdoncle's weak topological order, 1993).

use super::{Arrow, ArrowStyle, BoxStyle, Drawing, Line, TextBox};
use base::graph::components;
use base::{Id, define_id};
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// A box of the whole drawing.
    BoxId,
    "box"
);

/// A part of a drawing.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it shows, such as `loop at line 12`; empty for the outermost.
    pub name: String,
    /// The part itself.
    pub drawing: Drawing,
    /// Boxes that stand for another part, by its position.
    pub opens: BTreeMap<usize, usize>,
    /// The part that it is a box of.
    pub up: Option<usize>,
}

/// The parts of a drawing, none of which has many more boxes than `most`. The first is the outermost.
pub fn fold(drawing: Drawing, most: usize) -> Vec<Part> {
    if drawing.boxes.len() <= most {
        return vec![Part { name: String::new(), drawing, opens: BTreeMap::new(), up: None }];
    }
    let all: Vec<usize> = (0..drawing.boxes.len()).collect();
    let mut folder = Folder { whole: drawing, most: most.max(8), parts: Vec::new() };
    folder.add(String::new(), &all, None, None);
    folder.parts
}

struct Folder {
    whole: Drawing,
    most: usize,
    parts: Vec<Part>,
}

/// Boxes that become one.
struct Group {
    members: Vec<usize>,
    is_loop: bool,
}

impl Folder {
    /// Adds the part of these boxes; arrows to `head` are left out when loops are looked for.
    fn add(&mut self, name: String, members: &[usize], head: Option<usize>, up: Option<usize>) -> usize {
        let at = self.parts.len();
        let title = match name.is_empty() {
            true => self.whole.title.clone(),
            false => format!("{name} of {}", self.whole.title),
        };
        let drawing = Drawing { title, direction: self.whole.direction, ..Drawing::default() };
        self.parts.push(Part { name, drawing, opens: BTreeMap::new(), up });
        let groups = self.groups(members, head);
        // Of each box of the whole, the box of this part that shows it.
        let mut shown_as: BTreeMap<usize, usize> = BTreeMap::new();
        let mut folded: Vec<(usize, Group)> = Vec::new();
        for group in groups {
            let shown = match group.members[..] {
                [only] => self.whole.boxes[only].clone(),
                _ => self.closed(&group),
            };
            let place = self.parts[at].drawing.add(shown);
            shown_as.extend(group.members.iter().map(|&member| (member, place)));
            if group.members.len() > 1 {
                folded.push((place, group));
            }
        }
        self.connect(at, &shown_as);
        let alone: BTreeSet<usize> = folded.iter().map(|(place, _)| *place).collect();
        for (key, member) in self.whole.keys.clone() {
            if let Some(&place) = shown_as.get(&member).filter(|place| !alone.contains(place)) {
                self.parts[at].drawing.keys.insert(key, place);
            }
        }
        for (place, group) in folded {
            let head = group.is_loop.then_some(group.members[0]);
            let inner = self.add(self.name(&group), &group.members, head, Some(at));
            self.parts[at].opens.insert(place, inner);
        }
        at
    }

    /// The boxes of a part: alone where there are few, else loops together, else stretches.
    fn groups(&self, members: &[usize], head: Option<usize>) -> Vec<Group> {
        let alone = |&member: &usize| Group { members: vec![member], is_loop: false };
        if members.len() <= self.most {
            return members.iter().map(alone).collect();
        }
        let inside: BTreeSet<usize> = members.iter().copied().collect();
        let mut next: BTreeMap<usize, Vec<BoxId>> = BTreeMap::new();
        for arrow in &self.whole.arrows {
            if inside.contains(&arrow.from) && inside.contains(&arrow.to) && Some(arrow.to) != head {
                next.entry(arrow.from).or_default().push(BoxId::from_index(arrow.to));
            }
        }
        let roots = members.iter().map(|&member| BoxId::from_index(member));
        let found = components(self.whole.boxes.len(), roots, |node: BoxId| {
            next.get(&node.index()).cloned().unwrap_or_default()
        });
        let mut groups: Vec<Group> = { found.iter() }
            .map(|component| {
                let mut members: Vec<usize> = component.iter().map(|node| node.index()).collect();
                members.sort_unstable();
                Group { is_loop: members.len() > 1, members }
            })
            .collect();
        // As the whole has them.
        groups.sort_by_key(|group| group.members[0]);
        if groups.len() > 1 && groups.len() <= self.most {
            return groups;
        }
        if let [all] = &groups[..] {
            // One loop is all there is: go on inside of it.
            let head = all.members[0];
            return self.groups(members, Some(head));
        }
        let room = (groups.len().div_ceil(self.most)).max(2);
        let mut stretches: Vec<Group> = Vec::new();
        for group in groups {
            match stretches.last_mut() {
                Some(last) if last.members.len() + group.members.len() <= room.max(self.most / 2) => {
                    last.members.extend(group.members);
                    last.is_loop = false;
                }
                _ => stretches.push(group),
            }
        }
        stretches
    }

    /// The box of a group that is closed.
    fn closed(&self, group: &Group) -> TextBox {
        let numbers = group.members.iter().flat_map(|&at| &self.whole.boxes[at].lines);
        let number = numbers.filter_map(|line| line.number).min();
        let heading = Line { number, ..Line::heading(format!("▸ {}", self.name(group))) };
        let lines = vec![heading, Line::faint(format!("{} boxes", group.members.len()))];
        TextBox { lines, style: if group.is_loop { BoxStyle::LoopHead } else { BoxStyle::Faint } }
    }

    fn name(&self, group: &Group) -> String {
        let all = || group.members.iter().flat_map(|&at| &self.whole.boxes[at].lines);
        let numbers = || all().filter_map(|line| line.number);
        match (group.is_loop, numbers().min(), numbers().max()) {
            (true, Some(first), _) => format!("loop at line {first}"),
            (false, Some(first), Some(last)) if first < last => format!("lines {first} to {last}"),
            (false, Some(first), _) => format!("line {first}"),
            _ => {
                let text = all().next().map_or("", |line| line.text.as_str());
                format!("{} {}", if group.is_loop { "loop at" } else { "from" }, super::shortened(text, 24))
            }
        }
    }

    /// The arrows between the boxes of a part, and one way out of it.
    fn connect(&mut self, at: usize, shown_as: &BTreeMap<usize, usize>) {
        let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut leaving: BTreeSet<usize> = BTreeSet::new();
        for arrow in self.whole.arrows.clone() {
            let Some(&from) = shown_as.get(&arrow.from) else { continue };
            let Some(&to) = shown_as.get(&arrow.to) else {
                leaving.insert(from);
                continue;
            };
            let is_inside = from == to && arrow.from != arrow.to;
            if is_inside {
                continue;
            }
            let drawing = &mut self.parts[at].drawing;
            match known.get(&(from, to)) {
                // Several arrows between two boxes of which one is closed are one.
                Some(&one) if drawing.arrows[one].label != arrow.label => drawing.arrows[one].label.clear(),
                Some(_) => {}
                None => {
                    known.insert((from, to), drawing.arrows.len());
                    drawing.arrows.push(Arrow { from, to, ..arrow });
                }
            }
        }
        if !leaving.is_empty() {
            let drawing = &mut self.parts[at].drawing;
            let outside = drawing.add(TextBox {
                lines: vec![Line::faint("goes on outside of this part")],
                style: BoxStyle::Faint,
            });
            for from in leaving {
                drawing.connect(from, outside, "", ArrowStyle::Plain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::random::Random;

    fn drawing(boxes: usize, arrows: &[(usize, usize)]) -> Drawing {
        let mut drawing = Drawing { title: "f".into(), ..Drawing::default() };
        for at in 0..boxes {
            let line = Line { number: Some(at as u32 + 1), ..Line::plain(format!("step {at}")) };
            drawing.add(TextBox { lines: vec![line], ..TextBox::default() });
            drawing.keys.insert(at.to_string(), at);
        }
        for &(from, to) in arrows {
            drawing.connect(from, to, "", ArrowStyle::Plain);
        }
        drawing
    }

    #[test]
    fn a_loop_becomes_a_box_that_opens() {
        // 0..5, a loop of 40 boxes, 45..50.
        let mut arrows: Vec<(usize, usize)> = (0..49).map(|at| (at, at + 1)).collect();
        arrows.push((44, 5));
        let parts = fold(drawing(50, &arrows), 20);
        assert_eq!(parts[0].drawing.boxes.len(), 11);
        let (&place, &inner) = parts[0].opens.first_key_value().expect("the loop is closed");
        assert_eq!(parts[0].drawing.boxes[place].lines[0].text, "▸ loop at line 6");
        assert_eq!((parts[inner].name.as_str(), parts[inner].up), ("loop at line 6", Some(0)));
        assert!(!parts[0].drawing.keys.contains_key("10") && parts[0].drawing.keys.contains_key("2"));
    }

    /// Whatever the drawing: each box is in one part, no part is much too large, and all parts can be opened.
    #[test]
    fn nothing_is_lost() {
        let mut random = Random::new(11);
        for _ in 0..60 {
            let count = 30 + random.below(400);
            let mut arrows: Vec<(usize, usize)> = Vec::new();
            for at in 0..count - 1 {
                arrows.push((at, at + 1));
                if random.below(3) == 0 {
                    arrows.push((at, random.below(count)));
                }
            }
            let parts = fold(drawing(count, &arrows), 25);
            let mut keys: Vec<&String> = parts.iter().flat_map(|part| part.drawing.keys.keys()).collect();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), count);
            let shown: usize = parts.iter().map(|part| part.drawing.keys.len()).sum();
            assert_eq!(shown, count, "each box is in one part");
            for (at, part) in parts.iter().enumerate() {
                assert!(part.drawing.boxes.len() <= 60, "{} boxes", part.drawing.boxes.len());
                assert_eq!(part.up.is_none(), at == 0);
                assert!(part.up.is_none_or(|up| parts[up].opens.values().any(|&inner| inner == at)));
            }
        }
    }
}
