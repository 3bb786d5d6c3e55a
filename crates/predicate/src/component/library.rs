//! What calls of library functions do, where it can be said over C places: whole objects copied or filled,
//! one object allocated, a character read. Functions whose model is C (`strlen`, `abs`, …) have a body and
//! are inlined like any other. What is not here stays a trouble of the step, whatever the rule for missing
//! bodies says: its effects are not nothing.

use super::conditions::Condition;
use super::inline::{Inliner, RawAction, RawEdge, is_on_a_cycle};
use super::memory::{RootKind, Selector};
use super::pool::Allocation;
use super::{NodeId, NotUnderstood};
use base::Span;
use program::{
    Action, BinaryOp, Edge, Expr, ExprKind, Known, Place, PlaceBase, Procedure, Projection, Type, TypeId,
    VariableId, Word,
};
use std::sync::Arc;

/// What a library function does.
pub(super) enum Library {
    /// These steps.
    Does(Vec<RawAction>),
    /// Nothing where the condition holds; past a call where it does not, nothing can be said.
    Needs(Condition),
    /// One of these, instead of the call.
    OneOf(Vec<RawEdge>),
    /// Something that cannot be said here, in words.
    Cannot(String),
    /// Nothing is known of it: the rule for missing bodies decides.
    Missing,
}

/// A call of a library function.
pub(super) struct LibraryCall<'c> {
    pub function: &'c str,
    pub known: Known,
    pub arguments: &'c [Expr],
    pub result: Option<&'c Place>,
    /// Where the call begins and ends, its text and its place.
    pub at: (NodeId, NodeId, &'c str, Span),
}

impl Inliner<'_> {
    /// What a call of a library function does.
    pub(super) fn library(&mut self, call: &LibraryCall<'_>) -> Library {
        let LibraryCall { function, known, arguments, result, .. } = *call;
        let done = match (known, arguments) {
            (Known::MemoryCopy | Known::MemoryMove, [to, from, count]) => self.copied(to, from, count),
            (Known::MemorySet, [to, value, count]) => self.filled(to, value, count),
            (Known::Malloc, [count]) => return self.allocated(call, self.memory.constant(count), false),
            (Known::Calloc, [many, each]) => {
                let count = self.memory.constant(many).zip(self.memory.constant(each));
                return self.allocated(call, count.map(|(many, each)| many * each), true);
            }
            (Known::Free, [pointer]) => {
                self.assume("no object is used after it was given to `free`");
                Ok(vec![RawAction::Free(pointer.clone())])
            }
            (Known::Word(word), arguments) => return self.word(word, function, arguments, result),
            (Known::Getchar | Known::Fgetc, _) => return Library::Does(self.character(function, result)),
            (Known::Math(..), _) => {
                let is_float = |place: &Place| self.memory.types.float_kind(place.ty.id).is_some();
                return if result.is_none_or(is_float) {
                    Library::Does(Vec::new())
                } else {
                    Library::Missing
                };
            }
            _ if is_output(known) => {
                let result = result.cloned();
                return Library::Does(
                    result.into_iter().map(|one| self.unknown_value(one, function)).collect(),
                );
            }
            _ => return Library::Cannot(format!("the library function `{function}` ({known:?})")),
        };
        match done {
            Err(why) => Library::Cannot(format!("`{function}` {why}")),
            Ok(mut actions) => {
                // These three return their first argument.
                if let (Some(result), false) = (result, known == Known::Free) {
                    actions.push(RawAction::Assign(result.clone(), arguments[0].clone()));
                }
                Library::Does(actions)
            }
        }
    }

    /// Is the call of whole objects, so that it can be said at once what it does? Others are bytes, one by one.
    pub(super) fn is_of_whole_objects(&mut self, known: Known, arguments: &[Expr]) -> bool {
        match (known, arguments) {
            (Known::MemoryCopy | Known::MemoryMove, [to, from, count]) => {
                self.copied(to, from, count).is_ok()
            }
            (Known::MemorySet, [to, value, count]) => self.filled(to, value, count).is_ok(),
            _ => true,
        }
    }

    /// What a library function needs must be clear from the call; a value it leaves open is any.
    fn word(&mut self, word: Word, function: &str, arguments: &[Expr], result: Option<&Place>) -> Library {
        let is_clear = match (word, arguments) {
            (Word::Any, _) => {
                let result = result.cloned();
                return Library::Does(
                    result.into_iter().map(|one| self.unknown_value(one, function)).collect(),
                );
            }
            (Word::Readable | Word::Writable, [at, count]) => {
                let count = self.memory.constant(count);
                count == Some(0)
                    || count.is_some_and(|count| {
                        self.whole_object(at, count).is_some_and(|object| is_named(&object))
                    })
            }
            (Word::Apart, [one, bytes, other, more]) => {
                let pair = |at: &Expr, bytes: &Expr| (at.clone(), bytes.clone());
                return Library::Needs(Condition::Apart { one: pair(one, bytes), other: pair(other, more) });
            }
            // As for the user's own arithmetic, what overflows keeps its low bits.
            (Word::NeedNoOverflow, _) => true,
            (Word::Need | Word::NeedArgument, [condition, _]) => match self.memory.constant(condition) {
                Some(value) => value != 0,
                None => return Library::Needs(Condition::Test(condition.clone())),
            },
            _ => false,
        };
        if is_clear {
            return Library::Does(Vec::new());
        }
        if let (Word::Readable | Word::Writable, [at, bytes]) = (word, arguments) {
            let is_written = word == Word::Writable;
            return Library::Needs(Condition::Room { at: at.clone(), bytes: bytes.clone(), is_written });
        }
        Library::Cannot(
            "what a library function needs of its arguments, which is not clear from the call".to_owned(),
        )
    }

    /// The object of so many bytes that a pointer points to, as far as its type tells.
    fn whole_object(&self, pointer: &Expr, count: i128) -> Option<Place> {
        let has_size = |ty: TypeId| self.memory.types.size_of(ty).map(i128::from) == Some(count);
        let mut pointer = pointer;
        loop {
            if let ExprKind::AddressOf(place) = &pointer.kind {
                // An array is passed as the address of its first element.
                let mut place = (**place).clone();
                while let Some(Projection::Index(index)) = place.path.last()
                    && self.memory.constant(index) == Some(0)
                    && !has_size(place.ty.id)
                {
                    place.path.pop();
                    place.ty = self.place_type(&place)?.into();
                }
                if has_size(place.ty.id) {
                    return Some(place);
                }
            }
            let to = self.memory.types.pointee(pointer.ty)?;
            if has_size(to.id) && !matches!(pointer.kind, ExprKind::AddressOf(_)) {
                return Some(Place::pointed_to_by(pointer.clone(), to));
            }
            match &pointer.kind {
                ExprKind::Cast(inner) => pointer = inner,
                _ => return None,
            }
        }
    }

    fn place_type(&self, place: &Place) -> Option<TypeId> {
        let types = &self.memory.types;
        let mut ty = match &place.base {
            PlaceBase::Variable(root) => self.memory.roots[*root].ty,
            PlaceBase::Pointer(pointer) => types.pointee(pointer.ty)?.id,
        };
        for step in &place.path {
            ty = match (step, types.get(ty)) {
                (Projection::Field(record, index), _) => {
                    types.records[*record].fields.as_ref()?.get(*index as usize)?.ty.id
                }
                (Projection::Index(_), Type::Array(element, _)) => element.id,
                _ => return None,
            };
        }
        Some(ty)
    }

    /// The scalars of an object.
    pub(super) fn scalars_of(&mut self, object: &Place) -> Option<Vec<Place>> {
        let leaves = self.memory.leaves(object.ty.id)?;
        let int = self.memory.types.int();
        let mut found = Vec::new();
        for leaf in leaves {
            let mut place = object.clone();
            for step in leaf {
                place.path.push(match step {
                    Selector::Field(record, index) => Projection::Field(record, index),
                    Selector::Index(at) => {
                        let index = Expr::integer(u128::from(at), int, &self.memory.types);
                        Projection::Index(Box::new(index))
                    }
                });
            }
            place.ty = self.place_type(&place)?.into();
            found.push(place);
        }
        Some(found)
    }

    fn copied(&mut self, to: &Expr, from: &Expr, count: &Expr) -> Result<Vec<RawAction>, NotUnderstood> {
        let count = self.memory.constant(count).ok_or("of a number of bytes that is not constant")?;
        let objects = self.whole_object(to, count).zip(self.whole_object(from, count));
        let Some((to, from)) = objects.filter(|(to, from)| self.memory.is_alike(to.ty.id, from.ty.id)) else {
            return Err(format!("of {count} bytes that are not two whole objects of one type").into());
        };
        let whole = "of an object that is not understood";
        let pairs = self.scalars_of(&to).ok_or(whole)?.into_iter().zip(self.scalars_of(&from).ok_or(whole)?);
        Ok(pairs.map(|(to, from)| RawAction::Assign(to, Expr::load(from))).collect())
    }

    fn filled(&mut self, to: &Expr, value: &Expr, count: &Expr) -> Result<Vec<RawAction>, NotUnderstood> {
        let count = self.memory.constant(count).ok_or("of a number of bytes that is not constant")?;
        let byte = self.memory.constant(value).ok_or("with a value that is not constant")? as u8;
        let object = self.whole_object(to, count);
        let object = object.ok_or_else(|| format!("of {count} bytes that are not a whole object"))?;
        let scalars = self.scalars_of(&object).ok_or("of an object that is not understood")?;
        let mut actions = Vec::new();
        for place in scalars {
            let types = &self.memory.types;
            let is_plain = types.is_integer(place.ty.id) && !matches!(types.get(place.ty.id), Type::Bool);
            if byte != 0 && !is_plain {
                return Err("with a byte other than 0, of more than integers".into());
            }
            let is_bit_field = place.bit_field(types).is_some_and(|field| field.bit_width.is_some());
            if byte != 0 && is_bit_field {
                return Err("with a byte other than 0, of bit-fields".into());
            }
            let value = if byte == 0 {
                self.zero(place.ty.id)
            } else {
                Expr::integer(u128::from_ne_bytes([byte; 16]), place.ty.id, types)
            };
            actions.push(RawAction::Assign(place, value));
        }
        Ok(actions)
    }

    /// One new object, if it is clear which type it has and that it is allocated once.
    fn allocated(&mut self, call: &LibraryCall<'_>, count: Option<i128>, is_zeroed: bool) -> Library {
        let LibraryCall { function, result, .. } = *call;
        let Some(result) = result else { return Library::Does(Vec::new()) };
        let cannot = |why: &str| Library::Cannot(format!("`{function}` {why}"));
        let program = self.build.program;
        let Some(graph) = &program.procedures[self.site.0].body else { return cannot("without a caller") };
        let edge = &graph.edges[self.site.1];
        let is_repeated = self.is_repeated || is_on_a_cycle(graph, edge);
        let own = match &edge.action {
            Action::Call { result: Some(place), .. } => place.as_variable(),
            _ => None,
        };
        let fits = |ty: &TypeId| self.memory.types.size_of(*ty).map(i128::from) == count;
        let mut uses = graph.edges.iter().filter_map(|edge| match &edge.action {
            Action::Assign { value, .. } => own.and_then(|own| self.seen_as(value, own)),
            _ => None,
        });
        let Some(ty) = uses.find(fits) else {
            return cannot(
                "of a number of bytes that is not the size of one object of the type it is used as",
            );
        };
        if is_repeated {
            let (from, to, text, span) = call.at;
            let allocation = Allocation { function, result, ty, is_zeroed, from, to, text, span };
            return match self.allocated_from_pool(&allocation) {
                Some(ways) => Library::OneOf(ways),
                None => Library::Cannot(format!("`{function}` of an object that is not understood")),
            };
        }
        self.assume(format!("`{function}` returns null or a new object"));
        let root = self.memory.add(Arc::from(format!("*{function}()")), ty, RootKind::Outside);
        let mut actions = vec![RawAction::Unknown {
            target: result.clone(),
            source: Arc::from(function),
            fresh: Some(root),
        }];
        if is_zeroed {
            let Some(scalars) = self.scalars_of(&Place::variable(root, ty)) else {
                return cannot("of an object that is not understood");
            };
            for place in scalars {
                let value = self.zero(place.ty.id);
                actions.push(RawAction::Assign(place, value));
            }
        }
        Library::Does(actions)
    }

    pub(super) fn zero(&mut self, ty: TypeId) -> Expr {
        if self.memory.types.float_kind(ty).is_some() {
            let int = self.memory.types.int();
            return Expr::integer(0, int, &self.memory.types).cast(ty);
        }
        Expr::integer(0, ty, &self.memory.types)
    }

    /// The type of object that a value takes the variable to point to.
    fn seen_as(&self, value: &Expr, variable: VariableId) -> Option<TypeId> {
        let to = self.memory.types.pointee(value.ty)?.id;
        let mut inner = value;
        while let ExprKind::Cast(operand) = &inner.kind {
            inner = operand;
        }
        match &inner.kind {
            ExprKind::Load(place) if place.as_variable() == Some(variable) => Some(to),
            _ => None,
        }
    }

    /// A byte, or -1 at the end.
    fn character(&mut self, function: &str, result: Option<&Place>) -> Vec<RawAction> {
        let Some(result) = result else { return Vec::new() };
        let int = self.memory.types.int();
        let compared = |operator: BinaryOp, bound: i128| {
            let bound = Expr::integer(bound as u128, int, &self.memory.types);
            let kind = ExprKind::Binary(operator, Box::new(Expr::load(result.clone())), Box::new(bound));
            Condition::Test(Expr { kind, ty: int })
        };
        let range =
            Condition::All(vec![compared(BinaryOp::GreaterEqual, -1), compared(BinaryOp::LessEqual, 255)]);
        let unknown = self.unknown_value(result.clone(), function);
        vec![unknown, RawAction::Assume(range)]
    }
}

/// Is what a library function does said here, although it has a body? A format that stores something (`%n`),
/// or one that is not known, is left to the body.
pub(super) fn is_said_here(procedure: &Procedure) -> bool {
    let Some(known) = procedure.known.filter(|_| procedure.has_direct_meaning()) else { return false };
    match known {
        Known::Printf | Known::Fprintf => {
            let stores = |edge: &Edge| matches!(&edge.action, Action::Assign { target, .. } if matches!(target.base, PlaceBase::Pointer(_)));
            let body = procedure.body.as_ref();
            procedure.is_static && !body.is_some_and(|body| body.edges.iter().any(stores))
        }
        Known::Getchar | Known::Fgetc => true,
        _ => is_output(known) || procedure.is_native(),
    }
}

/// Is it a variable or a part of one, rather than what a pointer points to?
fn is_named(place: &Place) -> bool {
    matches!(place.base, PlaceBase::Variable(_))
}

/// Writes for people only: nothing of the program changes.
fn is_output(known: Known) -> bool {
    use Known::{Fflush, Fprintf, Fputc, Fputs, Perror, Printf, Putchar, Puts};
    matches!(known, Printf | Fprintf | Puts | Putchar | Fputc | Fputs | Fflush | Perror)
}
