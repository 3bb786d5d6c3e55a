//! What points to what: variables and allocations that hold pointers, and what these may point to.

use super::{ArrowStyle, BoxStyle, Direction, Drawing, Line, TextBox, place_of};
use program::points_to::{ByteRange, CellId, ObjectId, ObjectKind, OffsetInObject, Target};
use program::types::{Type, TypeId};
use program::{Expr, Origin, Place, PointsTo, ProcedureId, Program, VariableId, VariableKind};
use std::collections::{BTreeMap, BTreeSet};

/// Draws what may point to what. With a procedure: only what its variables reach.
pub fn points_to(program: &Program, points_to: &PointsTo, of: Option<ProcedureId>) -> Drawing {
    let title = match of {
        Some(id) => format!("what pointers of {} may point to", program.procedures[id].name),
        None => "what pointers may point to".to_owned(),
    };
    let mut drawing = Drawing { title, direction: Direction::Right, ..Drawing::default() };
    let mut picture =
        Picture { program, points_to, boxes: BTreeMap::new(), arrows: BTreeSet::new(), texts: Vec::new() };
    for (id, variable) in program.variables.iter_enumerated() {
        if picture.is_shown(id) && (of.is_none() || variable.procedure == of) {
            picture.start_at(id);
        }
    }
    picture.finish(&mut drawing);
    drawing
}

/// What a box stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// A variable that is not in memory.
    Register(VariableId),
    Object(ObjectId),
}

struct Picture<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    boxes: BTreeMap<Item, usize>,
    arrows: BTreeSet<(usize, usize, String)>,
    texts: Vec<TextBox>,
}

impl Picture<'_> {
    /// Variables of the user's own procedures, and global ones.
    fn is_shown(&self, id: VariableId) -> bool {
        let variable = &self.program.variables[id];
        let is_users = |id: ProcedureId| self.program.procedures[id].origin == Origin::User;
        variable.kind != VariableKind::Temporary && variable.procedure.is_none_or(is_users)
    }

    fn start_at(&mut self, id: VariableId) {
        let variable = &self.program.variables[id];
        let is_in_memory = variable.in_memory || !self.program.types.is_scalar(variable.ty.id);
        if is_in_memory {
            if let Some(object) = self.points_to.object_of(ObjectKind::Variable(id))
                && self.holds_pointers(object)
            {
                self.object(object);
            }
        } else {
            let value = Expr::load(Place::variable(id, variable.ty));
            let targets = self.points_to.points_to(self.program, &value);
            if !targets.is_empty() {
                let text = self.program.types.declare(variable.ty, &variable.name);
                let mut lines = vec![Line::plain(text)];
                if let Some(procedure) = variable.procedure {
                    lines.push(Line::faint(format!("in {}", self.program.procedures[procedure].name)));
                }
                let from = self.add(Item::Register(id), lines, BoxStyle::Plain);
                self.arrows_to(from, "", &targets);
            }
        }
    }

    fn holds_pointers(&self, object: ObjectId) -> bool {
        self.points_to.cells_of(object).any(|cell| !self.points_to.content(cell).is_empty())
    }

    fn add(&mut self, item: Item, lines: Vec<Line>, style: BoxStyle) -> usize {
        self.texts.push(TextBox { lines, style });
        let index = self.texts.len() - 1;
        self.boxes.insert(item, index);
        index
    }

    /// The box of an object; a new one brings along all that can be reached from it.
    fn object(&mut self, object: ObjectId) -> usize {
        if let Some(&known) = self.boxes.get(&Item::Object(object)) {
            return known;
        }
        let (mut lines, style) = self.describe(object);
        if self.points_to.is_escaped(object) && self.points_to.object(object) != ObjectKind::Unknown {
            lines.push(Line::faint("known outside the program"));
        }
        let from = self.add(Item::Object(object), lines, style);
        if self.points_to.object(object) == ObjectKind::Unknown {
            return from; // it points to all that is marked as known outside
        }
        let cells: Vec<CellId> = self.points_to.cells_of(object).collect();
        for cell in cells {
            let targets = self.points_to.content(cell);
            let label = self.part_name(object, self.points_to.cell(cell).range);
            self.arrows_to(from, &label, &targets);
        }
        from
    }

    fn arrows_to(&mut self, from: usize, label: &str, targets: &[Target]) {
        for target in targets {
            let to = self.object(target.object);
            let offset = match target.offset {
                OffsetInObject::At(0) => String::new(),
                OffsetInObject::At(offset) if offset > 0 => {
                    let at = offset as u64;
                    self.part_name(target.object, ByteRange { start: at, end: at + 1 })
                }
                OffsetInObject::At(offset) => format!("{offset}"),
                OffsetInObject::Element { at, .. } => {
                    self.part_name(target.object, ByteRange { start: at, end: at + 1 })
                }
                OffsetInObject::Anywhere => "?".into(),
            };
            let is_whole = self.points_to.object(target.object) == ObjectKind::Unknown || offset.is_empty();
            let label = match (label.is_empty(), is_whole) {
                (_, true) => label.to_owned(),
                (true, false) => format!("→ {offset}"),
                (false, false) => format!("{label} → {offset}"),
            };
            self.arrows.insert((from, to, label));
        }
    }

    fn describe(&self, object: ObjectId) -> (Vec<Line>, BoxStyle) {
        let program = self.program;
        match self.points_to.object(object) {
            ObjectKind::Unknown => (vec![Line::plain("memory outside the program")], BoxStyle::Missing),
            ObjectKind::Variable(id) => {
                let variable = &program.variables[id];
                if variable.kind == VariableKind::StringLiteral {
                    return (vec![Line::plain(program.show().variable(id))], BoxStyle::Faint);
                }
                let mut lines =
                    vec![Line::heading(program.types.declare(variable.ty, &program.show().variable(id)))];
                if let Some(procedure) = variable.procedure {
                    lines.push(Line::faint(format!("in {}", program.procedures[procedure].name)));
                }
                let style =
                    if variable.kind == VariableKind::Global { BoxStyle::Entry } else { BoxStyle::Plain };
                (lines, style)
            }
            ObjectKind::Allocation(procedure, edge) => {
                let body = program.procedures[procedure].body.as_ref().expect("calls are in bodies");
                let edge = &body.edges[edge];
                let mut lines = vec![Line::heading(program.show().edge(edge))];
                if let Some(place) = place_of(program, edge.span) {
                    lines.push(Line::faint(format!("allocated at {place}")));
                }
                (lines, BoxStyle::LoopHead)
            }
            ObjectKind::Procedure(id) => {
                (vec![Line::plain(format!("{}()", program.procedures[id].name))], BoxStyle::Exit)
            }
            ObjectKind::Result(id) => {
                (vec![Line::plain(format!("result of {}()", program.procedures[id].name))], BoxStyle::Faint)
            }
            ObjectKind::ExtraArguments => (vec![Line::plain("arguments for \"...\"")], BoxStyle::Faint),
        }
    }

    /// A part of an object as C names it: `.next`, `[]`, `.list[].name`.
    fn part_name(&self, object: ObjectId, range: ByteRange) -> String {
        if range == ByteRange::ALL {
            return String::new();
        }
        let ty = match self.points_to.object(object) {
            ObjectKind::Variable(id) => Some(self.program.variables[id].ty.id),
            ObjectKind::Result(id) => Some(self.program.result_type(id).id),
            _ => self.points_to.element_type(object),
        };
        ty.map_or_else(|| format!("+{}", range.start), |ty| path_to(self.program, ty, range.start))
    }

    fn finish(self, drawing: &mut Drawing) {
        drawing.boxes = self.texts;
        for (from, to, label) in self.arrows {
            drawing.connect(from, to, label, ArrowStyle::Plain);
        }
    }
}

/// The scalar of a type that a byte belongs to.
fn path_to(program: &Program, ty: TypeId, offset: u64) -> String {
    let types = &program.types;
    match types.get(ty) {
        Type::Array(element, _) => match types.size_of(element.id).filter(|&size| size > 0) {
            Some(size) => format!("[]{}", path_to(program, element.id, offset % size)),
            None => "[]".into(),
        },
        Type::Record(id) => {
            let record = &types.records[*id];
            let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return String::new() };
            let holds = |index: &usize| {
                let start = layout.fields[*index].byte_offset();
                let size = types.size_of(fields[*index].ty.id).unwrap_or(u64::MAX);
                start <= offset && offset - start < size
            };
            let Some(index) = (0..fields.len()).find(holds) else { return format!("+{offset}") };
            let rest = path_to(program, fields[index].ty.id, offset - layout.fields[index].byte_offset());
            match &fields[index].name {
                Some(name) => format!(".{name}{rest}"),
                None => rest,
            }
        }
        _ if offset > 0 => format!("+{offset}"),
        _ => String::new(),
    }
}
