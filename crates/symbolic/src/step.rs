//! Symbolic execution of one step: what an action does to a state, when it is taken, and how it can go wrong.

use crate::Value;
use crate::meaning::Meaning;
use crate::state::State;
use crate::terms::Terms;
use base::Span;
use logic::TermId;
use program::{Action, HavocSource, LifetimeStep, TypeId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How a step can go wrong, or beyond what is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum FailureKind {
    /// An access outside its object, or through a null, dangling or invented pointer.
    InvalidAccess,
    /// An index outside its array.
    IndexOutOfBounds,
    /// Something read-only is written.
    ReadOnlyWrite,
    DivisionByZero,
    DivisionOverflow,
    /// A byte that is neither 0 nor 1 is read as a `_Bool`.
    InvalidBool,
    /// `free` of what is not the start of a living allocated block.
    InvalidFree,
    /// A call through something that is not one of the known functions.
    BadCall,
    /// Getting here is undefined (`__builtin_unreachable`).
    Unreachable,
    /// Overlapping blocks are copied.
    Overlap,
    /// A library function is called with an argument that it does not accept.
    BadArgument,
    /// A pointer is moved far out of its object.
    PointerLeft,
    /// The result depends on where objects lie: addresses as numbers, order of unrelated pointers.
    LayoutDependent,
    /// A scalar is accessed at an address that is not a multiple of its size, where memory is kept scalar by scalar.
    Misaligned,
    /// Something without a meaning here.
    Unknown,
    // The rest is given a meaning by gcc on x86 and does not end a run.
    SignedOverflow,
    BadShift,
    /// A cell of memory that was never written is read.
    Uninitialised,
}

impl FailureKind {
    /// Is the run past it what unoptimised x86 code does? Otherwise nothing may rest on what comes after.
    pub fn goes_on(self) -> bool {
        matches!(self, FailureKind::SignedOverflow | FailureKind::BadShift | FailureKind::Uninitialised)
    }

    /// Is it what the encoding does not follow, seen wherever it is possible? From the middle of a run nobody knows where addresses
    /// are, and every byte counts as part of one: then a state in which this did not happen is none at all, so that no
    /// argument may suppose that it did not.
    pub fn is_of_the_encoding(self) -> bool {
        matches!(self, FailureKind::Unknown | FailureKind::LayoutDependent)
    }

    /// In words, to stand after "may be".
    pub fn words(self) -> &'static str {
        use FailureKind::*;
        match self {
            InvalidAccess => "an access outside its object or through an invalid pointer",
            IndexOutOfBounds => "an index outside its array",
            ReadOnlyWrite => "a write to read-only memory",
            DivisionByZero => "a division by zero",
            DivisionOverflow => "a division whose result does not fit",
            InvalidBool => "a `_Bool` that is neither 0 nor 1",
            InvalidFree => "a `free` of what was not allocated or is freed already",
            BadCall => "a call through an invalid function pointer",
            Unreachable => "an unreachable place that is reached",
            Overlap => "a copy between overlapping blocks",
            BadArgument => "an argument that a library function does not accept",
            PointerLeft => "a pointer moved out of its object",
            LayoutDependent => "a value that depends on where objects lie in memory",
            Misaligned => "a misaligned access",
            Unknown => "something without a meaning here",
            SignedOverflow => "a signed overflow",
            BadShift => "a shift by more than the width",
            Uninitialised => "a read of an uninitialised value",
        }
    }
}

/// A way a step can go wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// When, over the state before the step.
    pub condition: TermId,
    /// What went wrong.
    pub kind: FailureKind,
    /// For [`FailureKind::Unknown`]: what is not known; for [`FailureKind::BadArgument`]: what is needed.
    pub detail: Option<Arc<str>>,
    /// Where it happens in the source.
    pub span: Span,
}

/// An unknown value that a step took.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The function that gave it, or the variable without a value.
    pub name: Arc<str>,
    /// The type of its value.
    pub ty: TypeId,
    /// The symbol that stands for it.
    pub symbol: TermId,
    /// Is it the value of a variable that was never written, rather than a call's result?
    pub is_indeterminate: bool,
    /// Where it is taken in the source.
    pub span: Span,
}

/// What a step tells beside the new state.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// When the step is taken; `None`: always.
    pub condition: Option<TermId>,
    /// How it can go wrong.
    pub failures: Vec<Failure>,
    /// What it took.
    pub inputs: Vec<Input>,
}

/// Which failures are looked for, beyond those without which a proof means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Signed overflow and shift counts.
    pub arithmetic: bool,
    /// No failure, but what a signed operation gives whose result does not fit: a value of which nothing is known, instead of
    /// the low bits.
    pub unknown_overflow: bool,
    /// Reads of memory that was never written. Set before the first state is made.
    pub uninitialised: bool,
    /// No failure, but which of the blocks of one origin was allocated when (see the module `births`). Set before the first
    /// state is made.
    pub births: bool,
}

/// Encodes steps. One encoder has one pool; states of one encoder can be merged and compared.
#[derive(Debug)]
pub struct Encoder<'p> {
    /// What is fixed for the program.
    pub meaning: &'p Meaning<'p>,
    /// The terms.
    pub terms: Terms,
    /// Which failures are looked for.
    pub watch: Watch,
    /// What holds of the symbols in every run: to be asserted once, in order of appearance.
    pub facts: Vec<TermId>,
    /// Where the encoding allows more than the program does, in words.
    pub notes: BTreeSet<String>,
    pub(crate) effect: Effect,
    pub(crate) span: Span,
    pub(crate) next_object: usize,
    /// When the scalar that was read last is (part of) an address; see the module `addresses`.
    pub(crate) read_address: TermId,
    /// The same for the parts of the record that was read last.
    pub(crate) read_addresses: Vec<crate::addresses::AddressCondition>,
    /// Allocated blocks by their numbers.
    pub allocations: rustc_hash::FxHashMap<u128, Allocation>,
    /// Was a block cleared of which only the beginning is known to be written?
    pub(crate) cleared_in_part: bool,
    /// The same variable of the same active calls always gets the same object, so that states at one place agree on
    /// addresses. Only sound where no pointer outlives its object: whoever sets this sees to it. The calls are named by
    /// `context`.
    pub fixed_objects: Option<FixedObjects>,
}

/// A block that a step allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// What it is to the points-to analysis.
    pub kind: program::points_to::ObjectKind,
    /// The number in its extent of where it comes from.
    pub origin: u128,
    /// Its bytes, if that is a constant.
    pub size: Option<u128>,
}

/// From where steps are taken, which says what a variable with a fixed object holds when it begins to live for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetOut {
    /// The start of a run, where its memory is unknown as it is.
    #[default]
    Start,
    /// Any state. Its memory has what an earlier life of the variable left, which is not what it holds; but nothing is known of that as long as no
    /// condition on the state speaks of the object, which whoever supposes conditions sees to ([`FixedObjects::kept`]).
    Anywhere,
    /// Any state, of whose memory conditions may say anything: contents are forgotten.
    Conditions,
}

/// Objects that are the same each time their variable begins to live.
#[derive(Debug, Default)]
pub struct FixedObjects {
    /// The active calls, by their edges.
    pub context: Vec<program::EdgeId>,
    /// Are the active calls all there are, from `main` inwards, whatever is walked? Only then is it known what a run does at most once; see
    /// the module `once`.
    pub(crate) from_main: bool,
    /// Are the active calls made at most once in a run?
    pub(crate) is_once: bool,
    /// Whence steps are taken now.
    pub set_out: SetOut,
    /// The numbers of variables that began to live on the way from any state and have what was there: no condition on such a state may
    /// speak of them where they do not live.
    pub kept: BTreeSet<usize>,
    /// Variables that were begun, and may begin again.
    pub begun: BTreeSet<program::VariableId>,
    /// The numbers of blocks that are allocated at most once, by the active calls, the procedure and its step.
    pub(crate) blocks:
        rustc_hash::FxHashMap<(Vec<program::EdgeId>, program::ProcedureId, program::EdgeId), usize>,
    pub(crate) numbers: rustc_hash::FxHashMap<(Vec<program::EdgeId>, program::VariableId), usize>,
    pub(crate) instances: rustc_hash::FxHashSet<(Vec<program::EdgeId>, program::VariableId)>,
}

impl FixedObjects {
    /// The objects as numbered before, by somebody else: the calls, the variable, the number.
    pub fn numbered_as(
        numbers: impl IntoIterator<Item = (Vec<program::EdgeId>, program::VariableId, usize)>,
    ) -> FixedObjects {
        let numbers = numbers.into_iter().map(|(calls, variable, number)| ((calls, variable), number));
        FixedObjects { numbers: numbers.collect(), ..FixedObjects::default() }
    }

    /// The same; is whatever is walked walked with all active calls, from `main` inwards?
    #[must_use]
    pub fn walked_from_main(self, from_main: bool) -> FixedObjects {
        FixedObjects { from_main, ..self }
    }

    /// The same with these blocks: the calls, the procedure, its step that allocates, the number.
    #[must_use]
    pub fn with_blocks(
        self,
        blocks: impl IntoIterator<Item = (Vec<program::EdgeId>, program::ProcedureId, program::EdgeId, usize)>,
    ) -> FixedObjects {
        let blocks =
            blocks.into_iter().map(|(calls, procedure, edge, number)| ((calls, procedure, edge), number));
        FixedObjects { blocks: blocks.collect(), ..self }
    }

    /// The numbers of blocks that are allocated at most once, in order: the calls, the procedure, its step, the number.
    pub fn blocks(&self) -> Vec<(Vec<program::EdgeId>, program::ProcedureId, program::EdgeId, usize)> {
        let mut all: Vec<_> = self
            .blocks
            .iter()
            .map(|((calls, procedure, edge), &number)| (calls.clone(), *procedure, *edge, number))
            .collect();
        all.sort_by_key(|(.., number)| *number);
        all
    }

    /// Is it the number of a variable, or of a block that is allocated at most once? Nothing else ever has it.
    pub fn is_fixed(&self, number: u128) -> bool {
        self.numbers.values().chain(self.blocks.values()).any(|&fixed| fixed as u128 == number)
    }

    /// The numbers so far, in order: the calls, the variable, the number.
    pub fn numbers(&self) -> Vec<(Vec<program::EdgeId>, program::VariableId, usize)> {
        let mut all: Vec<_> = self
            .numbers
            .iter()
            .map(|((calls, variable), &number)| (calls.clone(), *variable, number))
            .collect();
        all.sort_by_key(|(_, _, number)| *number);
        all
    }
}

impl<'p> Encoder<'p> {
    /// Has these objects fixed; new ones are numbered past them.
    pub fn fix_objects(&mut self, objects: FixedObjects) {
        let past = objects
            .numbers
            .values()
            .chain(objects.blocks.values())
            .map(|&number| number + 1)
            .max()
            .unwrap_or(0);
        self.next_object = self.next_object.max(past);
        self.fixed_objects = Some(objects);
    }

    /// Says whence steps are taken from now on.
    pub fn set_out_from(&mut self, set_out: SetOut) {
        if let Some(fixed) = &mut self.fixed_objects {
            fixed.set_out = set_out;
        }
    }

    /// Leaves out so many numbers, which no object gets.
    pub fn skip_numbers(&mut self, count: usize) {
        self.next_object += count;
    }

    /// How many numbers are left for new objects.
    pub fn numbers_left(&self) -> usize {
        (self.meaning.layout.most_objects() as usize - 1).saturating_sub(self.next_object)
    }

    /// An encoder for a program.
    pub fn new(meaning: &'p Meaning<'p>) -> Encoder<'p> {
        let mut terms = Terms::new();
        Encoder {
            meaning,
            read_address: terms.no(),
            read_addresses: Vec::new(),
            terms,
            watch: Watch::default(),
            facts: Vec::new(),
            notes: BTreeSet::new(),
            effect: Effect::default(),
            span: Span::default(),
            next_object: meaning.first_free(),
            allocations: rustc_hash::FxHashMap::default(),
            cleared_in_part: false,
            fixed_objects: None,
        }
    }

    pub(crate) fn fail(&mut self, condition: TermId, kind: FailureKind) {
        if self.terms.truth(condition) != Some(false) {
            self.effect.failures.push(Failure { condition, kind, detail: None, span: self.span });
        }
    }

    pub(crate) fn fail_always(&mut self, kind: FailureKind) {
        let yes = self.terms.yes();
        self.fail(yes, kind);
    }

    pub(crate) fn unknown(&mut self, what: &str) {
        let condition = self.terms.yes();
        let detail = Some(Arc::from(what));
        self.effect.failures.push(Failure { condition, kind: FailureKind::Unknown, detail, span: self.span });
    }

    /// Begins a step at a place of the source; its effect is collected until [`take_effect`](Self::take_effect).
    pub fn begin(&mut self, span: Span) {
        self.effect = Effect::default();
        self.span = span;
    }

    /// What was collected since [`begin`](Self::begin).
    pub fn take_effect(&mut self) -> Effect {
        std::mem::take(&mut self.effect)
    }

    /// Takes a step that is not a call and not a return. Changes the state to the one after it.
    pub fn step(&mut self, state: &mut State, action: &Action, span: Span) -> Effect {
        self.begin(span);
        match action {
            Action::Skip => {}
            Action::Assume { condition, expected, .. } => {
                let mut taken = self.condition(state, condition);
                if !expected {
                    taken = self.terms.not(taken);
                }
                self.effect.condition = Some(taken);
            }
            Action::Assign { target, value: from } => {
                self.check_copied_apart(state, target, from);
                let (value, unwritten) = self.value_and_unwritten(state, from);
                let parts = self.address_parts_of(from);
                self.store_from(state, target, value, &parts);
                if let Some(unwritten) = unwritten {
                    self.set_unwritten_parts(state, target, &unwritten);
                }
            }
            Action::Havoc { target, source } => self.havoc(state, target, source),
            Action::Event { arguments, .. } => {
                for argument in arguments {
                    self.value(state, argument);
                }
            }
            Action::Lifetime { variable, step } => {
                if let Some(&address) = state.frame().addresses.get(variable) {
                    self.end_object(state, address);
                }
                if *step == LifetimeStep::Begin {
                    self.begin_variable(state, *variable);
                }
            }
            Action::Unsupported(what) => self.unknown(what),
            Action::Call { .. } | Action::Return { .. } => {
                unreachable!("calls and returns are taken by `enter` and `leave`")
            }
        }
        self.take_effect()
    }

    fn havoc(&mut self, state: &mut State, target: &program::Place, source: &HavocSource) {
        let types = &self.meaning.program.types;
        let (name, is_indeterminate) = match source {
            HavocSource::Input(name) => (name.clone(), false),
            HavocSource::Asm => {
                self.notes.insert("inline assembly may give its outputs any value".into());
                (Arc::from("asm"), false)
            }
            HavocSource::Indeterminate => {
                let name = match target.base {
                    program::PlaceBase::Variable(id) => self.meaning.program.variables[id].name.clone(),
                    program::PlaceBase::Pointer(_) => Arc::from("uninitialised"),
                };
                (name, true)
            }
        };
        if types.is_scalar(target.ty.id) {
            let is_pointer = types.is_pointer(target.ty.id);
            let symbol = self.unknown_scalar(&name, target.ty.id, is_indeterminate);
            let part = if is_pointer { None } else { Some(self.terms.no()) };
            self.store_from(state, target, Value::Scalar(symbol), &[part]);
            if is_indeterminate {
                self.unwrite(state, target);
            }
            return;
        }
        if is_indeterminate && (self.is_untouched(state, target) || self.begin_afresh(state, target)) {
            return;
        }
        let Some(leaves) = self.meaning.leaves(target.ty.id) else {
            self.unknown("an object too large to be given unknown contents");
            return;
        };
        let values = leaves.iter().map(|leaf| self.terms.fresh_bits(&name, leaf.bytes as u32 * 8)).collect();
        self.notes.insert(format!("`{name}` may have any contents"));
        self.store(state, target, Value::Parts(values));
        if is_indeterminate {
            self.unwrite(state, target);
        }
    }

    /// Is this the first declaration of a variable whose object is new? Then it has no contents to lose.
    fn is_untouched(&mut self, state: &mut State, target: &program::Place) -> bool {
        target.as_variable().is_some_and(|variable| {
            state.frame().unwritten.contains(&variable) && state.frame_mut().unwritten.remove(&variable)
        })
    }

    /// A whole variable in memory loses its contents: it gets a new object, whose contents nobody knows.
    fn begin_afresh(&mut self, state: &mut State, target: &program::Place) -> bool {
        let Some(variable) = target.as_variable() else { return false };
        let Some(&address) = state.frame().addresses.get(&variable) else { return false };
        if self.meaning.is_address_taken(variable) {
            return false;
        }
        self.end_object(state, address);
        self.begin_variable(state, variable);
        true
    }

    /// An input that nothing is done with: what a function returns to a caller that does not look.
    pub fn unused_input(&mut self, name: &Arc<str>, ty: TypeId, span: Span) -> Effect {
        self.begin(span);
        self.unknown_scalar(name, ty, false);
        self.take_effect()
    }

    /// A fresh symbol for a scalar, recorded as an input.
    pub(crate) fn unknown_scalar(&mut self, name: &Arc<str>, ty: TypeId, is_indeterminate: bool) -> TermId {
        let width = self.width(ty);
        let symbol = self.terms.fresh_bits(name, width);
        if self.meaning.program.types.float_kind(ty) == Some(program::FloatKind::LongDouble) {
            // What a function returns is a number that the machine made.
            let fits = self.leading_bit_fits(symbol);
            self.facts.push(fits);
        }
        let input = Input { name: name.clone(), ty, symbol, is_indeterminate, span: self.span };
        self.effect.inputs.push(input);
        symbol
    }
}
