//! Lists in braces: which entry goes to which child of an aggregate.
//!
//! An entry with designators belongs to the list that contains it; one without goes to the next child, descending into
//! aggregates that have no braces of their own until they are full (C11 6.7.9p17-20).

use super::super::analyser::Analyser;
use super::super::expressions::Purpose;
use super::parts::{Overrides, Parts};
use super::strip_parens;
use crate::syntax::{self, Designator, ExprKind as Written, InitializerEntry, InitializerList};
use crate::tree::{Expr, PartValue, PathStep};
use crate::types::{ArrayLength, RecordId, Type, TypeId, TypeRef};
use base::Span;

/// More parts than this is a mistake or an attack; C programs stay far below.
const MOST_PARTS: usize = 1 << 22;

/// The list being read: its entries, and the one that is next.
struct Cursor<'a> {
    entries: &'a [InitializerEntry],
    at: usize,
    /// The value of the next entry, when it had to be typed to see where it goes.
    typed: Option<Expr>,
    /// The designators of the next entry have led here already.
    is_resolved: bool,
    /// The entry whose value a range repeats.
    repeated: Option<usize>,
    /// How many parts there were when the entry after the repeated one was reached.
    repeated_end: Option<usize>,
}

impl<'a> Cursor<'a> {
    fn new(entries: &'a [InitializerEntry], at: usize) -> Cursor<'a> {
        Cursor { entries, at, typed: None, is_resolved: false, repeated: None, repeated_end: None }
    }

    /// The next entry is done with.
    fn advance(&mut self) {
        self.at += 1;
        self.typed = None;
        self.is_resolved = false;
    }
}

/// Where the children of an aggregate being filled stand.
struct Filling {
    ty: TypeId,
    /// The next child.
    position: u64,
    /// One past the last child that was touched; those from here on are new.
    reached: u64,
    /// The greatest `position` so far: the length of an array without one.
    longest: u64,
}

impl Analyser<'_> {
    /// Fills an aggregate from its own braces; gives one past the last child touched.
    pub(super) fn braced(&mut self, ty: TypeId, list: &InitializerList, parts: &mut Parts) -> u64 {
        let mut cursor = Cursor::new(&list.entries, 0);
        let mut filling = Filling { ty, position: 0, reached: 0, longest: 0 };
        while cursor.at < cursor.entries.len() && parts.len() <= MOST_PARTS {
            let before = cursor.at;
            self.fill(&mut filling, &mut cursor, true, parts);
            if cursor.at == before {
                cursor.advance(); // an entry in error; told already
            }
        }
        if parts.len() > MOST_PARTS {
            self.error("initializer-too-large", list.span, "this initialiser has too many parts");
        }
        filling.longest
    }

    /// Takes entries for the children of one aggregate: all of them under its own braces, else until it is full or a
    /// designator belongs to an outer one.
    fn fill(&mut self, filling: &mut Filling, cursor: &mut Cursor<'_>, is_braced: bool, parts: &mut Parts) {
        while let Some(entry) = cursor.entries.get(cursor.at) {
            let before = cursor.at;
            if cursor.repeated.is_some_and(|repeated| before > repeated) {
                cursor.repeated_end.get_or_insert(parts.len());
            }
            if !entry.designators.is_empty() && !cursor.is_resolved {
                if !is_braced {
                    return;
                }
                cursor.is_resolved = true;
                self.designated(filling, cursor, &entry.designators, parts);
                if cursor.at == before {
                    return; // the designator was wrong; told already
                }
            } else if let Some(child) = self.next_child(filling) {
                self.child(filling, child, cursor, &[], parts);
                filling.position = self.after(filling.ty, child);
                filling.touch(child);
            } else if is_braced {
                self.excess(entry);
                cursor.advance();
            } else {
                return;
            }
            if parts.len() > MOST_PARTS {
                return;
            }
        }
    }

    fn excess(&mut self, entry: &InitializerEntry) {
        self.warn("excess-initializer", entry.span, "there is nothing left to initialise with this");
        self.without_evaluation(|this| this.check_only(&entry.value), |_, ()| false);
    }

    /// The next child that takes a value without a designator.
    fn next_child(&self, filling: &Filling) -> Option<u64> {
        match self.types().get(filling.ty) {
            Type::Array(_, ArrayLength::Known(count)) => {
                (filling.position < *count).then_some(filling.position)
            }
            Type::Array(..) => (filling.position < u64::MAX).then_some(filling.position),
            Type::Record(record) => {
                let fields = self.types().records[*record].fields.as_ref()?;
                let takes_value = |at: &u64| {
                    let field = &fields[*at as usize];
                    field.name.is_some() || field.bit_width.is_none()
                };
                (filling.position..fields.len() as u64).find(takes_value)
            }
            _ => None,
        }
    }

    /// Where to go on after a child: a union takes one only.
    fn after(&self, ty: TypeId, child: u64) -> u64 {
        match self.types().record_id(ty) {
            Some(record) if self.types().records[record].kind == syntax::RecordKind::Union => u64::MAX,
            _ => child + 1,
        }
    }

    /// `.x = …`, `[3] = …`, `[1 ... 4].y = …`
    fn designated(
        &mut self,
        filling: &mut Filling,
        cursor: &mut Cursor<'_>,
        designators: &[Designator],
        parts: &mut Parts,
    ) {
        let Some((first, rest)) = designators.split_first() else { return };
        match first {
            Designator::Field(name, span) => {
                let Some(record) = self.types().record_id(filling.ty) else {
                    if !self.is_error(filling.ty) {
                        let message = format!("`{}` has no members", self.show(filling.ty));
                        self.error("bad-designator", *span, message);
                    }
                    return self.skip(cursor);
                };
                let Some(path) = self.find_member(record, *name) else {
                    let record = self.types().record_name(record);
                    let message = format!("`{record}` has no member named `{}`", self.text(*name));
                    self.error("no-member", *span, message);
                    return self.skip(cursor);
                };
                let child = u64::from(path[0]);
                let steps = DesignatedPath { anonymous: &path[1..], rest };
                self.child_at(filling, child, cursor, steps, parts);
                filling.position = self.after(filling.ty, child);
                filling.touch(child);
            }
            Designator::Index(index) => {
                let Some(child) = self.designated_index(filling.ty, index) else { return self.skip(cursor) };
                self.child_at(filling, child, cursor, DesignatedPath { anonymous: &[], rest }, parts);
                filling.position = child + 1;
                filling.touch(child);
            }
            Designator::Range(low, high) => {
                let (Some(low), Some(high)) =
                    (self.designated_index(filling.ty, low), self.designated_index(filling.ty, high))
                else {
                    return self.skip(cursor);
                };
                self.range(filling, low, high, cursor, rest, parts);
            }
        }
    }

    /// An entry whose designator is wrong: its value is still checked.
    fn skip(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(entry) = cursor.entries.get(cursor.at) {
            self.check_only(&entry.value);
        }
        cursor.advance();
    }

    fn designated_index(&mut self, ty: TypeId, index: &syntax::Expr) -> Option<u64> {
        let typed = self.value(index);
        if self.is_error(typed.ty.id) || self.is_error(ty) {
            return None;
        }
        let Type::Array(_, length) = *self.types().get(ty) else {
            let message = format!("`{}` is not an array", self.show(ty));
            self.error("bad-designator", index.span, message);
            return None;
        };
        let Some(value) = self.constant_value(&typed) else {
            self.error("not-constant", index.span, "the index of a designator must be a constant");
            return None;
        };
        let limit = match length {
            ArrayLength::Known(count) => i128::from(count),
            _ => i128::from(i64::MAX),
        };
        if value < 0 || value >= limit {
            self.error("bad-designator", index.span, format!("the index {value} is outside the array"));
            return None;
        }
        Some(value as u64)
    }

    /// `[low ... high] = e`: the parts of the last element are repeated for the others.
    fn range(
        &mut self,
        filling: &mut Filling,
        low: u64,
        high: u64,
        cursor: &mut Cursor<'_>,
        rest: &[Designator],
        parts: &mut Parts,
    ) {
        let Some(entry) = cursor.entries.get(cursor.at) else { return };
        if high < low {
            self.error("bad-designator", entry.span, "this range is empty");
            return self.skip(cursor);
        }
        let (start, depth, at) = (parts.len(), parts.path.len(), cursor.at);
        // The last element is filled, since entries without designators go on inside it; the others repeat this entry
        // only.
        let steps = DesignatedPath { anonymous: &[], rest };
        let end = if cursor.repeated.is_none() {
            (cursor.repeated, cursor.repeated_end) = (Some(at), None);
            self.child_at(filling, high, cursor, steps, parts);
            cursor.repeated = None;
            cursor.repeated_end.take().unwrap_or(parts.len())
        } else {
            // A range inside a range: the outer one must not repeat what goes on after this entry.
            let mut alone =
                Cursor { repeated: Some(at), is_resolved: true, ..Cursor::new(&cursor.entries[..=at], at) };
            self.child_at(filling, high, &mut alone, steps, parts);
            let goes_on = cursor.entries.get(at + 1).is_some_and(|next| next.designators.is_empty());
            if goes_on && parts.goes_deeper(start, parts.len(), parts.target.len()) {
                let message = "values that go on inside the last element of two ranges are not supported";
                self.error_with_hint("unsupported", entry.span, message, "put the value in braces");
            }
            parts.len()
        };
        if cursor.at == at {
            cursor.advance();
        }
        if ((end - start) as u64).saturating_mul(high - low) > MOST_PARTS as u64 {
            self.error("initializer-too-large", entry.span, "this range has too many elements");
        } else {
            // A value for something inside the object, its braces left out, leaves the rest of the object as it is.
            let is_whole = matches!(entry.value, syntax::Initializer::List(_))
                || !parts.goes_deeper(start, end, parts.target.len());
            let is_possible = filling.reached > low;
            let records = &self.types().records;
            let is_union = |record: RecordId| records[record].kind == syntax::RecordKind::Union;
            let overrides =
                Overrides { is_possible, whole_target: is_possible && is_whole, is_union: &is_union };
            let is_list = matches!(entry.value, syntax::Initializer::List(_));
            let is_one_value = is_list && !parts.is_static && !parts.are_invariant(start, end);
            parts.repeat(start..end, depth, low..high, &overrides);
            if is_one_value {
                parts.keep_lists(depth, low..=high);
            }
        }
        filling.position = high + 1;
        filling.touch(high);
    }

    /// Goes to a child, perhaps through anonymous members and further designators.
    fn child_at(
        &mut self,
        filling: &Filling,
        child: u64,
        cursor: &mut Cursor<'_>,
        steps: DesignatedPath<'_>,
        parts: &mut Parts,
    ) {
        let Some((step, ty)) = self.step_into(filling.ty, child) else { return self.skip(cursor) };
        if let Some((&next, anonymous)) = steps.anonymous.split_first() {
            let is_new = child >= filling.reached;
            self.strike_other_members(filling, child, parts);
            parts.path.push(step);
            let reached = if is_new { 0 } else { u64::MAX };
            let mut inner = Filling { ty, position: 0, reached, longest: 0 };
            let deeper = DesignatedPath { anonymous, rest: steps.rest };
            self.child_at(&inner, u64::from(next), cursor, deeper, parts);
            inner.position = self.after(ty, u64::from(next));
            inner.touch(u64::from(next));
            // Entries without designators go on inside the anonymous member.
            self.fill(&mut inner, cursor, false, parts);
            parts.path.pop();
            return;
        }
        self.child(filling, child, cursor, steps.rest, parts);
    }

    /// Initialises one child from the next entry; `rest` are designators that lead further into it.
    fn child(
        &mut self,
        filling: &Filling,
        child: u64,
        cursor: &mut Cursor<'_>,
        rest: &[Designator],
        parts: &mut Parts,
    ) {
        let Some((step, ty)) = self.step_into(filling.ty, child) else { return self.skip(cursor) };
        let is_new = child >= filling.reached;
        self.strike_other_members(filling, child, parts);
        parts.path.push(step);
        if rest.is_empty() {
            self.child_value(ty, is_new, cursor, parts);
        } else {
            let reached = if is_new { 0 } else { u64::MAX };
            let mut inner = Filling { ty, position: 0, reached, longest: 0 };
            self.designated(&mut inner, cursor, rest, parts);
            self.fill(&mut inner, cursor, false, parts);
            self.note_flexible_array(ty, inner.longest, parts);
        }
        parts.path.pop();
    }

    /// When another member of a union is initialised, what was there before is gone.
    fn strike_other_members(&mut self, filling: &Filling, child: u64, parts: &mut Parts) {
        let is_union = self
            .types()
            .record_id(filling.ty)
            .is_some_and(|record| self.types().records[record].kind == syntax::RecordKind::Union);
        if is_union && filling.reached > 0 {
            parts.strike_siblings(child as u32);
        }
    }

    fn step_into(&self, ty: TypeId, child: u64) -> Option<(PathStep, TypeId)> {
        match self.types().get(ty) {
            Type::Array(element, _) => Some((PathStep::Index(child), element.id)),
            Type::Record(record) => {
                let field = self.types().records[*record].fields.as_ref()?.get(child as usize)?;
                Some((PathStep::Field(*record, child as u32), field.ty.id))
            }
            _ => None,
        }
    }

    /// The child at `parts.path` takes the next entry's value, or descends without braces.
    fn child_value(&mut self, ty: TypeId, is_new: bool, cursor: &mut Cursor<'_>, parts: &mut Parts) {
        let Some(entry) = cursor.entries.get(cursor.at) else { return };
        if self.is_error(ty) {
            return self.skip(cursor);
        }
        if cursor.repeated == Some(cursor.at) {
            parts.target.clone_from(&parts.path);
        }
        match &entry.value {
            syntax::Initializer::List(list) => {
                if !is_new {
                    parts.strike_here();
                }
                cursor.advance();
                self.braced_child(ty, list, parts);
            }
            syntax::Initializer::Expr(e) => self.expression_child(ty, is_new, e, cursor, parts),
        }
    }

    fn braced_child(&mut self, ty: TypeId, list: &InitializerList, parts: &mut Parts) {
        match *self.types().get(ty) {
            Type::Array(element, _) => {
                if let [InitializerEntry { designators, value: syntax::Initializer::Expr(e), .. }] =
                    &list.entries[..]
                    && designators.is_empty()
                    && let Some((units, encoding)) = self.string_for(element.id, e)
                {
                    let id = self.string_literal(units, encoding, e.span);
                    self.string_child(ty, element, units.len() as u64, id, e.span, parts);
                    return;
                }
                let longest = self.braced(ty, list, parts);
                self.note_flexible_array(ty, longest, parts);
            }
            Type::Record(_) => {
                self.braced(ty, list, parts);
            }
            _ => {
                let value = self.braced_scalar(ty, list, parts.is_static);
                parts.push(ty, PartValue::Expr(value));
            }
        }
    }

    fn string_child(
        &mut self,
        ty: TypeId,
        element: TypeRef,
        length: u64,
        id: crate::tree::StringId,
        span: Span,
        parts: &mut Parts,
    ) {
        let completed = self.fit_string(ty, element, length, span);
        if completed != ty {
            self.note_flexible_array(ty, length + 1, parts);
        }
        parts.push(completed, PartValue::String(id));
    }

    /// An array without a length inside an object is its flexible member: the object grows (GNU C).
    fn note_flexible_array(&mut self, ty: TypeId, longest: u64, parts: &mut Parts) {
        if let Type::Array(_, ArrayLength::Unknown) = self.types().get(ty) {
            parts.flexible_elements = parts.flexible_elements.max(longest);
        }
    }

    fn expression_child(
        &mut self,
        ty: TypeId,
        is_new: bool,
        e: &syntax::Expr,
        cursor: &mut Cursor<'_>,
        parts: &mut Parts,
    ) {
        match *self.types().get(ty) {
            Type::Array(element, _) => {
                if let Some((units, encoding)) = self.string_for(element.id, e) {
                    if !is_new {
                        parts.strike_here();
                    }
                    cursor.advance();
                    let id = self.string_literal(units, encoding, e.span);
                    self.string_child(ty, element, units.len() as u64, id, e.span, parts);
                    return;
                }
            }
            Type::Record(record) => {
                if self.record_child(ty, record, is_new, e, cursor, parts) {
                    return;
                }
            }
            _ => {
                if !is_new {
                    parts.strike_here();
                }
                let value = match cursor.typed.take() {
                    Some(typed) => self.assign_convert(typed, ty, Purpose::Initialize),
                    None => self.scalar_value(ty, e, parts.is_static),
                };
                cursor.advance();
                parts.push(ty, PartValue::Expr(value));
                return;
            }
        }
        // Brace elision: the entry belongs to the first scalar inside. Without one, GCC drops it.
        let reached = if is_new { 0 } else { u64::MAX };
        let mut inner = Filling { ty, position: 0, reached, longest: 0 };
        if self.next_child(&inner).is_none()
            && let Some(entry) = cursor.entries.get(cursor.at)
        {
            self.excess(entry);
            cursor.advance();
            return;
        }
        self.fill(&mut inner, cursor, false, parts);
        self.note_flexible_array(ty, inner.longest, parts);
    }

    /// A record from a value of its type; false when the entry is for something inside it.
    fn record_child(
        &mut self,
        ty: TypeId,
        record: RecordId,
        is_new: bool,
        e: &syntax::Expr,
        cursor: &mut Cursor<'_>,
        parts: &mut Parts,
    ) -> bool {
        if cursor.typed.is_none()
            && parts.is_static
            && let Some(list) = self.literal_of(ty, e)
        {
            cursor.advance();
            if !is_new {
                parts.strike_here();
            }
            self.braced(ty, list, parts);
            return true;
        }
        let is_string = matches!(strip_parens(e).kind, Written::String { .. });
        if is_string {
            return false;
        }
        let typed = match cursor.typed.take() {
            Some(typed) => typed,
            None => self.value(e),
        };
        let is_empty = self.types().records[record].fields.as_ref().is_none_or(|fields| fields.is_empty());
        if typed.ty.id == ty {
            if !is_new {
                parts.strike_here();
            }
            cursor.advance();
            parts.push_whole(ty, PartValue::Expr(typed));
            return true;
        }
        if self.is_error(typed.ty.id) && !is_empty {
            cursor.advance();
            return true;
        }
        cursor.typed = Some(typed);
        false
    }
}

impl Filling {
    fn touch(&mut self, child: u64) {
        self.longest = self.longest.max(child.saturating_add(1));
        self.reached = self.reached.max(child.saturating_add(1));
    }
}

/// What is left of a designator list once its first step is resolved.
struct DesignatedPath<'a> {
    /// Steps through anonymous members.
    anonymous: &'a [u32],
    rest: &'a [Designator],
}
