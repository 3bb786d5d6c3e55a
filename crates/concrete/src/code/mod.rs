//! A program made ready to run: variables resolved to registers or objects, types resolved to widths and sizes, so that
//! a step looks nothing up.
//!
//! Values are kept by what they need: [`Word`] (integers up to 64 bits, `float`, `double`), [`Wide`] (128-bit integers
//! and the long floating formats), [`PointerCode`] (an address with provenance), [`AggregateCode`] (bytes). Integers
//! are kept extended to 64 or 128 bits by their type's sign, so that comparing and widening need no work.

mod build;
mod expressions;
mod places;
mod procedures;
mod shapes;

pub use build::{Statics, build};
pub use shapes::{Class, Shape, WideKind, class_of, scalar_shape};

use base::{IndexVec, Span};
use program::{
    BinaryOp, EdgeId, FloatKind, HavocSource, LifetimeStep, PointsTo, ProcedureId, Remaining, TypeId,
    VariableId,
};
use std::sync::{Arc, OnceLock};

/// A whole program, ready to run.
#[derive(Debug)]
pub struct Code {
    /// Bodies; `None` where there is none.
    pub procedures: IndexVec<ProcedureId, Option<ProcedureCode>>,
    /// Where each variable lives.
    pub homes: IndexVec<VariableId, Home>,
    /// Variables with an object that lives as long as the program, in the order of their numbers.
    pub statics: Vec<VariableId>,
    /// Variables with an object per thread.
    pub thread_objects: Vec<VariableId>,
    /// Variables outside memory that live as long as the program, with the number of their first register.
    pub global_registers: Vec<(VariableId, u32)>,
    /// How many global registers there are.
    pub global_register_count: u32,
    /// Variables outside memory that each thread has one of.
    pub thread_registers: Vec<(VariableId, u32)>,
    /// How many registers per thread.
    pub thread_register_count: u32,
    /// Initial values of static storage, in order.
    pub initial: Vec<Initial>,
    /// What threads may still do for others, once somebody asks.
    pub remaining: OnceLock<(PointsTo, Remaining)>,
}

/// One initial value.
#[derive(Debug)]
pub struct Initial {
    /// Of which variable it is a part.
    pub variable: VariableId,
    /// The assignment.
    pub step: InitialStep,
}

/// How a part of static storage starts.
#[derive(Debug)]
pub enum InitialStep {
    /// A constant.
    Assign(Box<StepCode>),
    /// Bytes at a place.
    Bytes(PlaceCode, Vec<u8>),
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In registers of the frame, from this one on (wide values take two).
    Register(u32),
    /// In registers shared by all frames.
    Shared(Bank, u32),
    /// In the frame's object with this number.
    FrameObject(u32),
    /// In the static object with this number.
    StaticObject(u32),
    /// In the thread's object with this number.
    ThreadObject(u32),
}

/// Registers that do not belong to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bank {
    /// One set for the program.
    Global,
    /// One set for each thread.
    Thread,
}

/// A procedure's body.
#[derive(Debug)]
pub struct ProcedureCode {
    /// Registers of its frame.
    pub register_count: u32,
    /// Objects of its frame.
    pub objects: Vec<FrameObject>,
    /// Bytes of stack its objects take, a multiple of 16.
    pub stack_size: u64,
    /// What the frame's lowest address is a multiple of, at least 16.
    pub stack_alignment: u64,
    /// Where arguments go.
    pub parameters: Vec<ParameterCode>,
    /// Control locations, numbered as in the graph.
    pub nodes: Vec<NodeCode>,
    /// Where it starts.
    pub entry: u32,
}

/// A variable in memory of a frame.
#[derive(Clone, Debug)]
pub struct FrameObject {
    /// The variable that is an object in memory.
    pub variable: VariableId,
    /// Bytes; `None` if its type is incomplete.
    pub size: Option<u64>,
    /// Bytes from the frame's lowest address; ascending over the objects.
    pub stack_offset: u64,
    /// Is it `const`?
    pub is_const: bool,
}

/// Where an argument goes.
#[derive(Clone, Copy, Debug)]
pub struct ParameterCode {
    /// The parameter's type.
    pub ty: TypeId,
    /// Where it lives.
    pub home: Home,
    /// What kind of value it is.
    pub class: Class,
}

/// What happens at a control location.
#[derive(Debug)]
pub enum NodeCode {
    /// One way on, with something to do.
    Step {
        /// What is done.
        step: StepCode,
        /// The edge of the program that does it.
        edge: EdgeId,
        /// The node after it.
        to: u32,
    },
    /// One condition, two ways.
    Branch {
        /// The condition.
        condition: Condition,
        /// If it is not zero.
        when_true: (EdgeId, u32),
        /// If it is zero.
        when_false: (EdgeId, u32),
    },
    /// The first way whose condition is met.
    Choice(Box<[ChoiceArm]>),
    /// Control never gets past here.
    End(Span),
}

/// One way of a [`NodeCode::Choice`].
#[derive(Debug)]
pub struct ChoiceArm {
    /// The condition; `None` is always met.
    pub condition: Option<(Condition, bool)>,
    /// The edge of the program that is taken.
    pub edge: EdgeId,
    /// The node after it.
    pub to: u32,
}

/// A step.
#[derive(Debug)]
pub enum StepCode {
    /// Nothing is done.
    Skip,
    /// Go on only if the condition is as expected; the program's own assumption.
    Assume(Box<Condition>, bool),
    /// Writes a word.
    AssignWord(Box<(Target, WordForm, Word)>),
    /// Writes a pointer.
    AssignPointer(Box<(Target, PointerCode)>),
    /// Writes a wide value of so many bytes.
    AssignWide(Box<(Target, u8, Wide)>),
    /// Copies a character without using its value, so that it need not have one.
    CopyCharacter(Box<(Target, PlaceCode, WordForm)>),
    /// Writes a record or array.
    AssignAggregate(Box<(PlaceCode, AggregateCode)>),
    /// Writes an unknown value.
    Havoc(Box<HavocCode>),
    /// Calls a procedure.
    Call(Box<CallCode>),
    /// Returns from the procedure, with its result.
    Return(Option<Box<ValueCode>>),
    /// Values that go with an event, evaluated for their own sake.
    Event(Box<[ValueCode]>),
    /// A block's variable begins or ends its life.
    Lifetime(u32, LifetimeStep),
    /// Something without a meaning here; the run ends as unknown.
    Unsupported(Arc<str>),
}

/// An unknown value and where it goes.
#[derive(Debug)]
pub struct HavocCode {
    /// Where it goes.
    pub into: ResultCode,
    /// Where it comes from.
    pub source: HavocSource,
}

/// A call.
#[derive(Debug)]
pub struct CallCode {
    /// The procedure that is called.
    pub callee: CalleeCode,
    /// The arguments, in order.
    pub arguments: Box<[ValueCode]>,
    /// Where the result goes.
    pub result: Option<ResultCode>,
}

/// Whom a call calls.
#[derive(Debug)]
pub enum CalleeCode {
    /// A procedure that is named in the program.
    Direct(ProcedureId),
    /// Through a pointer to a function of this type.
    Indirect(PointerCode, TypeId),
}

/// Where a result goes.
#[derive(Debug)]
pub struct ResultCode {
    /// The place that gets the result.
    pub target: Target,
    /// What kind of value.
    pub class: Class,
    /// How a word is laid down.
    pub form: WordForm,
    /// Its type.
    pub ty: TypeId,
    /// Is it kept for later only: is writing it not yet using the value?
    pub is_temporary: bool,
}

/// Where a value is written to.
#[derive(Debug)]
pub enum Target {
    /// A register of the frame.
    Register(u32),
    /// A register shared by frames.
    Shared(Bank, u32),
    /// A place in memory.
    Memory(PlaceCode),
}

/// How a word lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordForm {
    /// In so many bytes, sign-extended or not when read.
    Whole {
        /// 1, 2, 4 or 8.
        size: u8,
        /// How its value is extended. Floats: unsigned of their width.
        shape: Shape,
        /// Is it a `_Bool`?
        is_bool: bool,
    },
    /// In some bits.
    Bits(BitField),
}

/// A bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Bits from the place's first byte, 0 to 7.
    pub shift: u8,
    /// Bytes touched.
    pub bytes: u8,
    /// How its value is extended.
    pub shape: Shape,
    /// Is it a `_Bool`?
    pub is_bool: bool,
    /// The bit-fields beside it are one memory location with it (C11 3.14): bytes from its first byte back to theirs.
    pub unit_before: u16,
    /// Bytes of that location.
    pub unit_bytes: u16,
}

impl WordForm {
    /// Bytes touched.
    pub fn size(self) -> usize {
        match self {
            WordForm::Whole { size, .. } => size as usize,
            WordForm::Bits(field) => field.bytes as usize,
        }
    }
}

/// A value of any class with its type.
#[derive(Debug)]
pub struct ValueCode {
    /// Its type.
    pub ty: TypeId,
    /// How it is computed.
    pub kind: ValueKind,
}

/// A value of any class.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum ValueKind {
    Word(Word),
    Pointer(PointerCode),
    Wide(Wide),
    Aggregate(AggregateCode),
}

/// A record or array value.
#[derive(Debug)]
pub enum AggregateCode {
    /// All bytes zero.
    Zero(u64),
    /// What a place holds.
    Load(PlaceCode, u64),
}

/// A scalar tested for zero.
#[derive(Debug)]
pub enum Condition {
    /// An integer.
    Word(Word),
    /// A `float` or `double`.
    Float(Word, FloatKind),
    /// A pointer.
    Pointer(PointerCode),
    /// A wide integer or float.
    Wide(Wide, WideKind),
}

/// An integer of up to 64 bits (extended by its sign), a `float` or a `double` (its bits).
#[derive(Debug)]
pub enum Word {
    /// A constant.
    Constant(u64),
    /// A register of the frame.
    Register(u32),
    /// A register shared by frames.
    Shared(Bank, u32),
    /// A word that is read from memory.
    Load(Box<PlaceCode>, WordForm),
    /// Integer arithmetic, both operands and the result of one shape (shifts: the count has its own).
    Binary(Box<WordBinary>),
    /// Integer comparison, signed or not.
    Compare(BinaryOp, bool, Box<(Word, Word)>),
    /// Pointer comparison.
    ComparePointers(BinaryOp, Box<(PointerCode, PointerCode)>),
    /// `float` or `double` comparison.
    CompareFloats(BinaryOp, FloatKind, Box<(Word, Word)>),
    /// Comparison of wide values.
    CompareWide(BinaryOp, WideKind, Box<(Wide, Wide)>),
    /// `-e`
    Negate(Box<Word>, Shape),
    /// `~e`
    BitNot(Box<Word>, Shape),
    /// 1 if the scalar is (or is not) zero.
    Truth(Box<Condition>, bool),
    /// Conversion between integer types: keeps the low bits.
    Convert(Box<Word>, Shape),
    /// A pointer's address as an integer.
    FromPointer(Box<PointerCode>, Shape),
    /// The low bits of a wide integer.
    FromWide(Box<Wide>, Shape),
    /// A `float` or `double` cut to an integer.
    FloatToInteger(Box<Word>, FloatKind, Shape),
    /// A wide float cut to an integer.
    WideFloatToInteger(Box<Wide>, FloatKind, Shape),
    /// An integer (signed or not) as `float` or `double`.
    ToFloat(Box<Word>, bool, FloatKind),
    /// A wide integer (signed or not) as `float` or `double`.
    WideToFloat(Box<Wide>, bool, FloatKind),
    /// `float` or `double` arithmetic.
    FloatBinary(BinaryOp, FloatKind, Box<(Word, Word)>),
    /// `-e` on a `float` or `double`.
    FloatNegate(Box<Word>, FloatKind),
    /// Between `float` and `double`: from, to.
    FloatConvert(Box<Word>, FloatKind, FloatKind),
    /// From a wide float: from, to.
    WideFloatConvert(Box<Wide>, FloatKind, FloatKind),
    /// Elements of that many bytes between two pointers.
    Difference(Box<(PointerCode, PointerCode)>, u64),
    /// Something without a meaning here; the run ends as unknown.
    Unsupported(Arc<str>),
}

/// An integer operation.
#[derive(Debug)]
pub struct WordBinary {
    /// The operator.
    pub op: BinaryOp,
    /// The type it computes in.
    pub shape: Shape,
    /// Shifts only: is the count's type signed?
    pub is_count_signed: bool,
    /// Left operand.
    pub left: Word,
    /// Right operand.
    pub right: Word,
}

/// A 128-bit integer, an x87 extended value or an IEEE quadruple value, as its bits.
#[derive(Debug)]
pub enum Wide {
    /// A constant.
    Constant(u128),
    /// Two registers of the frame.
    Register(u32),
    /// Two registers shared by frames.
    Shared(Bank, u32),
    /// Memory: so many bytes.
    Load(Box<PlaceCode>, u8),
    /// Integer arithmetic, signed or not.
    Binary(BinaryOp, bool, Box<(Wide, Wide)>),
    /// A shift, of a signed value or not; the count, signed or not.
    Shift(BinaryOp, bool, Box<(Wide, Word)>, bool),
    /// `-e`, signed or not.
    Negate(Box<Wide>, bool),
    /// `~e`
    BitNot(Box<Wide>),
    /// A word extended; signed or not.
    Extend(Box<Word>, bool),
    /// An address.
    FromPointer(Box<PointerCode>),
    /// A `float` or `double` cut to a 128-bit integer, signed or not.
    FloatToInteger(Box<Word>, FloatKind, bool),
    /// A wide float cut to a 128-bit integer.
    LongFloatToInteger(Box<Wide>, FloatKind, bool),
    /// An integer as wide float.
    ToFloat(Box<Word>, bool, FloatKind),
    /// A 128-bit integer as wide float.
    LongIntegerToFloat(Box<Wide>, bool, FloatKind),
    /// Arithmetic on wide floats.
    FloatBinary(BinaryOp, FloatKind, Box<(Wide, Wide)>),
    /// `-e` on a wide float.
    FloatNegate(Box<Wide>, FloatKind),
    /// From `float` or `double`: from, to.
    FloatConvert(Box<Word>, FloatKind, FloatKind),
    /// Between wide floats: from, to.
    LongFloatConvert(Box<Wide>, FloatKind, FloatKind),
    /// Something without a meaning here; the run ends as unknown.
    Unsupported(Arc<str>),
}

/// An address with provenance.
#[derive(Debug)]
pub enum PointerCode {
    /// A constant address.
    Constant(u64),
    /// A register of the frame.
    Register(u32),
    /// A register shared by frames.
    Shared(Bank, u32),
    /// A pointer that is read from memory.
    Load(Box<PlaceCode>),
    /// The address of a place.
    AddressOf(Box<PlaceCode>),
    /// The address of a procedure.
    Function(ProcedureId),
    /// Moved by elements of that many bytes.
    Offset(Box<(PointerCode, Word)>, u64),
    /// An integer as an address.
    FromWord(Box<Word>),
    /// A wide integer as an address.
    FromWide(Box<Wide>),
    /// Something without a meaning here; the run ends as unknown.
    Unsupported(Arc<str>),
}

/// A place in memory.
#[derive(Debug)]
pub struct PlaceCode {
    /// Where it starts.
    pub base: Base,
    /// Bytes from there that are known beforehand.
    pub offset: u64,
    /// Indices computed when run.
    pub steps: Box<[IndexStep]>,
    /// Alignment of the type there, where it is asked for.
    pub alignment: u32,
    /// Is what lies there `_Atomic`?
    pub is_atomic: bool,
}

/// Where a place starts.
#[derive(Debug)]
pub enum Base {
    /// An object of the frame.
    Frame(u32),
    /// A static object.
    Static(u32),
    /// An object of the thread.
    Thread(u32),
    /// Where a pointer points.
    Pointer(PointerCode),
    /// Something without a meaning here; the run ends as unknown.
    Unsupported(Arc<str>),
}

/// One computed index.
#[derive(Debug)]
pub struct IndexStep {
    /// The index, extended to 64 bits.
    pub index: Word,
    /// Is its type signed?
    pub is_signed: bool,
    /// Bytes of an element.
    pub stride: u64,
    /// It must be below this, unless the array is the end of what it lies in.
    pub bound: Option<u64>,
}
