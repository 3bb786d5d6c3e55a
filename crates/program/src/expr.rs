//! Values and places. Expressions have no side effects; reading memory is explicit ([`ExprKind::Load`]).
//!
//! Every expression has a C type and computes in it. Signed arithmetic that leaves the type's range is undefined
//! behaviour, unsigned arithmetic wraps: the type says which. Evaluating an expression evaluates all of its parts, so
//! an undefined part makes the whole undefined; `&&`, `||` and `?:` have become control flow.

use crate::{ProcedureId, RecordId, Type, TypeId, TypeRef, TypeTable, VariableId};
use csource::types::FieldLayout;

// Comparisons give an `int` 0 or 1 from operands of one type, `!` from any scalar; the operands of the rest have the
// result's type, except that the right operand of a shift has its own.
pub use csource::tree::{BinaryOp, UnaryOp};

/// A value with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// How it is computed.
    pub kind: ExprKind,
    /// The type it computes in.
    pub ty: TypeId,
}

/// How a value is computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// The bits of a `_Bool`, integer, enum or pointer, cut to the type's width.
    Integer(u128),
    /// The bits of a floating value in its own format (x87 extended in the low 80 bits).
    Float(u128),
    /// All bytes zero: the value a record or array is filled with before its initialiser.
    Zero,
    /// What the place holds now; of scalar, record or (to copy an initialiser) array type.
    Load(Box<Place>),
    /// The address of a place in memory.
    AddressOf(Box<Place>),
    /// The address of a procedure.
    FunctionAddress(ProcedureId),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands, both evaluated.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// C conversion from the operand's scalar type to this one. To `_Bool`: unequal to zero. Float to integer out of
    /// range is undefined behaviour; integer to narrower integer keeps the low bits.
    Cast(Box<Expr>),
    /// A pointer moved by `index` elements of its pointee (`void` and functions count one byte).
    PointerOffset {
        /// Has the type of the whole.
        pointer: Box<Expr>,
        /// An integer of any type; its mathematical value counts.
        index: Box<Expr>,
    },
    /// Elements between two pointers into one object, of type `ptrdiff_t`.
    PointerDifference(Box<Expr>, Box<Expr>),
}

/// Something that can be read, written, or pointed to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it starts.
    pub base: PlaceBase,
    /// Steps into records and arrays.
    pub path: Vec<Projection>,
    /// The type of what is there. `volatile` shows here.
    pub ty: TypeRef,
}

/// Where a place starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PlaceBase {
    /// A variable.
    Variable(VariableId),
    /// What a pointer points to.
    Pointer(Box<Expr>),
}

/// One step into a record or an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    /// A member, by position.
    Field(RecordId, u32),
    /// An element; the index is an integer of any type.
    Index(Box<Expr>),
}

impl Expr {
    /// An integer, pointer or `_Bool` constant; `bits` are cut to the type's width.
    pub fn integer(bits: u128, ty: TypeId, types: &TypeTable) -> Expr {
        let shape = types.integer_shape(ty).expect("an integer constant has an integer-like type");
        Expr { kind: ExprKind::Integer(shape.truncate(bits)), ty }
    }

    /// What a place holds.
    pub fn load(place: Place) -> Expr {
        let ty = place.ty.id;
        Expr { kind: ExprKind::Load(Box::new(place)), ty }
    }

    /// The conversion to `ty`; none where it already has it.
    pub fn cast(self, ty: TypeId) -> Expr {
        if self.ty == ty { self } else { Expr { kind: ExprKind::Cast(Box::new(self)), ty } }
    }

    /// The bits, if it is an integer constant.
    pub fn as_integer(&self) -> Option<u128> {
        match self.kind {
            ExprKind::Integer(bits) => Some(bits),
            _ => None,
        }
    }

    /// Calls `visit` on this expression and all expressions and places inside it, outermost first.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(ExprPart<'a>)) {
        visit(ExprPart::Expr(self));
        match &self.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Zero | ExprKind::FunctionAddress(_) => {}
            ExprKind::Load(place) => place.visit(Access::Read, visit),
            ExprKind::AddressOf(place) => place.visit(Access::Address, visit),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => operand.visit(visit),
            ExprKind::Binary(_, left, right) | ExprKind::PointerDifference(left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            ExprKind::PointerOffset { pointer, index } => {
                pointer.visit(visit);
                index.visit(visit);
            }
        }
    }
}

/// What happens to a place inside an expression or action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Its value is used.
    Read,
    /// Its value is changed.
    Write,
    /// Only its address is used.
    Address,
}

/// A part of an expression, for [`Expr::visit`].
#[derive(Clone, Copy, Debug)]
pub enum ExprPart<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A place and what happens to it.
    Place(&'a Place, Access),
}

impl Place {
    /// The whole of a variable.
    pub fn variable(id: VariableId, ty: impl Into<TypeRef>) -> Place {
        Place { base: PlaceBase::Variable(id), path: Vec::new(), ty: ty.into() }
    }

    /// What `pointer` points to.
    pub fn pointed_to_by(pointer: Expr, ty: impl Into<TypeRef>) -> Place {
        Place { base: PlaceBase::Pointer(Box::new(pointer)), path: Vec::new(), ty: ty.into() }
    }

    /// The variable, if the place is the whole of one.
    pub fn as_variable(&self) -> Option<VariableId> {
        match self.base {
            PlaceBase::Variable(id) if self.path.is_empty() => Some(id),
            _ => None,
        }
    }

    /// The layout of the bit-field, if the place is one.
    pub fn bit_field(&self, types: &TypeTable) -> Option<FieldLayout> {
        let Some(Projection::Field(record, index)) = self.path.last() else { return None };
        let layout = types.records[*record].layout.as_ref()?.fields[*index as usize];
        layout.bit_width.map(|_| layout)
    }

    /// Calls `visit` on this place (with what happens to it) and on everything inside it.
    pub fn visit<'a>(&'a self, access: Access, visit: &mut dyn FnMut(ExprPart<'a>)) {
        visit(ExprPart::Place(self, access));
        if let PlaceBase::Pointer(pointer) = &self.base {
            pointer.visit(visit);
        }
        for step in &self.path {
            if let Projection::Index(index) = step {
                index.visit(visit);
            }
        }
    }

    /// The type before the path: that of the variable or of the pointee.
    pub fn base_type(&self, variable_type: impl Fn(VariableId) -> TypeId, types: &TypeTable) -> TypeId {
        match &self.base {
            PlaceBase::Variable(id) => variable_type(*id),
            PlaceBase::Pointer(pointer) => match types.get(pointer.ty) {
                Type::Pointer(to) => to.id,
                other => unreachable!("a place is reached through a pointer, not {other:?}"),
            },
        }
    }
}
