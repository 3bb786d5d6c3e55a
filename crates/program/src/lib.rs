//! The normalised program: one control-flow graph per procedure, side-effect free expressions, explicit memory
//! accesses, every edge with the source span it came from.
//!
//! Reading order: [`expr`] (values and places) → [`graph`] (nodes, edges, actions) → [`known`] (functions with a
//! built-in meaning) → [`assumption`] (what the answer rests on) → [`Program`].

pub mod assumption;
pub mod expr;
pub mod graph;
pub mod influence;
pub mod interleaving;
pub mod known;
pub mod points_to;
pub mod print_c;
pub mod remaining;
pub mod rewrite;
pub mod show;
#[cfg(test)]
mod tests;

pub use assumption::{Assumption, AssumptionKind};
pub use csource::syntax::{Qualifiers, RecordKind};
pub use csource::types;
pub use csource::types::{DataModel, FloatKind, IntegerKind, RecordId, Type, TypeId, TypeRef, TypeTable};
pub use expr::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, UnaryOp};
pub use graph::{Action, AssumeReason, Callee, Edge, EdgeId, Graph, HavocSource, LifetimeStep, Node, NodeId};
pub use interleaving::{CopiedNode, InterleavedThread, Interleaving};
pub use known::{
    BROKEN_CONDITION, DATA_RACE, DEADLOCK, Known, NEXT_THREAD, THREAD_MISUSE, Word, gives_unwritten_memory,
};
pub use points_to::PointsTo;
pub use print_c::print_c;
pub use remaining::{Release, Remaining, Thing};

use base::{IndexVec, SourceMap, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

base::define_id!(
    /// A variable of the program: global, local, parameter, temporary or string literal.
    VariableId,
    "v"
);
base::define_id!(
    /// A procedure of the program.
    ProcedureId,
    "p"
);

/// A whole program, linked from its translation units.
#[derive(Clone, Debug)]
pub struct Program {
    /// The types its expressions have.
    pub types: TypeTable,
    /// The texts its spans point into.
    pub sources: Arc<SourceMap>,
    /// All variables.
    pub variables: IndexVec<VariableId, Variable>,
    /// All procedures, those without a body too.
    pub procedures: IndexVec<ProcedureId, Procedure>,
    /// Where a run starts, if the program has a `main`.
    pub main: Option<ProcedureId>,
    /// The function that the user made the entry, if it is not `main`: `main` above is then a procedure that calls it.
    pub entry: Option<Entry>,
    /// Variables that other files can see (external linkage) or that come from outside, constants excepted.
    pub visible: Vec<VariableId>,
    /// Functions without a body may write to visible variables and to all that was passed to them or can be reached
    /// from there.
    pub missing_writes: bool,
    /// `main` begins by drawing its arguments as inputs: what it is called with does not matter.
    pub draws_arguments: bool,
    /// Names of all labels that functions of the user's declare, those that no run reaches too.
    pub labels: BTreeSet<Arc<str>>,
    /// Run before `main` (`__attribute__((constructor))`), in order.
    pub constructors: Vec<ProcedureId>,
    /// Run after `main` returned (`__attribute__((destructor))`), in order.
    pub destructors: Vec<ProcedureId>,
    /// What answers about this program rest on.
    pub assumptions: Vec<Assumption>,
    /// Where the program stands for all interleavings of another: which step is whose.
    pub interleaving: Option<Arc<Interleaving>>,
}

/// A function that is called with any arguments, in place of `main`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The function.
    pub function: ProcedureId,
    /// Objects made for pointers from outside; who allocated them is not said.
    pub objects: Vec<VariableId>,
    /// Those objects and the static variables that start with any value.
    pub given: Vec<VariableId>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// Static storage: file scope, or `static` in a function.
    Global,
    /// Automatic storage, declared by the program.
    Local,
    /// A parameter.
    Parameter,
    /// Made by lowering; stands for the expression at its span. Never in memory unless it holds a record.
    Temporary,
    /// The array of a string literal: static storage, never written by a valid program.
    StringLiteral,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As the program names it; not unique. Temporaries are `tmp`.
    pub name: Arc<str>,
    /// Its type.
    pub ty: TypeRef,
    /// What it is.
    pub kind: VariableKind,
    /// The procedure it belongs to: locals, parameters, temporaries, and `static` variables of functions.
    pub procedure: Option<ProcedureId>,
    /// Lives in memory (its address may be known to pointers, or it is not a scalar). Otherwise it is a plain
    /// mathematical variable that no pointer reaches.
    pub in_memory: bool,
    /// Declared `static` at file scope: other files see it through pointers only.
    pub is_file_local: bool,
    /// One instance per thread.
    pub is_thread_local: bool,
    /// Alignment asked for, in bytes, beyond that of the type.
    pub alignment: Option<u64>,
    /// Bytes by which the object is longer than its type: GNU C lets a static initialiser fill a flexible array member.
    pub extra_bytes: u64,
    /// Its initial value is unknown, since no unit defines it (an assumption records it).
    pub is_external: bool,
    /// Initial value of static storage: zero, then these in order. Empty for automatic storage.
    pub initial: Vec<InitialValue>,
    /// Where it is declared, or the expression a temporary stands for.
    pub span: Span,
}

/// Part of the initial value of a variable with static storage.
#[derive(Clone, Debug)]
pub struct InitialValue {
    /// Rooted at the variable, with constant indices.
    pub place: Place,
    /// What it starts as.
    pub value: InitialData,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum InitialData {
    /// A constant: numbers, addresses, sums of them.
    Value(Expr),
    /// The first bytes of the array.
    Bytes(Vec<u8>),
}

/// The function without a body whose calls are the positions of a run, for temporal formulas.
pub const LTL_STEP: &str = "__VERIFIER_ltl_step";

/// How the sources of library descriptions are called; no file of a user's can be.
pub const LIBRARY_FOLDER: &str = "<library>/";

/// The standard streams, and the objects of the library's descriptions that they point to.
pub const STANDARD_STREAMS: [(&str, &str); 3] =
    [("stdin", "__concord_stdin"), ("stdout", "__concord_stdout"), ("stderr", "__concord_stderr")];

/// Where a procedure's meaning comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user's code.
    User,
    /// A body from the built-in library models. An engine may prefer the direct meaning of [`Procedure::known`].
    Model,
    /// No body. Its meaning is [`Procedure::known`], or missing.
    Nowhere,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// As the linker knows it; two `static` ones of different units may share a name.
    pub name: Arc<str>,
    /// Its function type.
    pub ty: TypeId,
    /// In order; empty without a body.
    pub parameters: Vec<VariableId>,
    /// Locals and temporaries.
    pub locals: Vec<VariableId>,
    /// The control flow, if there is a body.
    pub body: Option<Graph>,
    /// Where the body is from.
    pub origin: Origin,
    /// A built-in meaning of its name. A body of the user's has precedence ([`Known::is_marker`] names excepted: there
    /// the body runs and the name tells what the call means).
    pub known: Option<Known>,
    /// Visible in its unit only.
    pub is_static: bool,
    /// Never returns.
    pub is_noreturn: bool,
    /// Runs without interruption by other threads (`__VERIFIER_atomic_…`).
    pub is_atomic: bool,
    /// Where it is declared or defined.
    pub span: Span,
}

impl Procedure {
    /// Should an engine use the built-in meaning rather than a body?
    pub fn is_native(&self) -> bool {
        let is_walked = self.body.is_some() && self.known.is_some_and(Known::is_described);
        self.has_direct_meaning() && !is_walked
    }

    /// Can the interpreter do what it does without walking a body? Nothing that a model body leaves open is an input of
    /// such a run.
    pub fn has_direct_meaning(&self) -> bool {
        self.known.is_some() && self.origin != Origin::User
    }
}

impl Program {
    /// All steps of all bodies.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.procedures.iter().flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges)
    }

    /// Does code of the user's look at `errno`? Descriptions of library functions may set it in any program.
    pub fn looks_at_error_number(&self) -> bool {
        let users = self.procedures.iter().filter(|procedure| procedure.origin == Origin::User);
        users.flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges).any(|edge| {
            let Action::Call { callee: Callee::Direct(called), .. } = &edge.action else { return false };
            &*self.procedures[*called].name == "__errno_location"
        })
    }

    /// The variable that is `errno`, if a description needs it.
    pub fn error_number(&self) -> Option<VariableId> {
        let is_it = |variable: &Variable| &*variable.name == "errno" && variable.is_thread_local;
        let of_library = |variable: &Variable| {
            variable.procedure.is_some_and(|owner| &*self.procedures[owner].name == "__errno_location")
        };
        self.variables.iter_enumerated().find(|(_, one)| is_it(one) && of_library(one)).map(|(id, _)| id)
    }

    /// May a call of this function by the program set `errno` where what we know of the function leaves it as it is?
    pub fn may_set_error_number(&self, callee: ProcedureId) -> bool {
        let callee = &self.procedures[callee];
        let is_library = callee.known.is_some_and(|known| !known.never_returns() && !known.is_marker());
        callee.origin != Origin::User
            && &*callee.name != "__errno_location"
            && (is_library || known::may_set_error_number(&callee.name))
    }

    /// Calls `visit` on all that variables are initialised with.
    pub fn visit_initial<'a>(&'a self, visit: &mut dyn FnMut(expr::ExprPart<'a>)) {
        for initial in self.variables.iter().flat_map(|variable| &variable.initial) {
            if let InitialData::Value(value) = &initial.value {
                value.visit(visit);
            }
        }
    }

    /// The procedures whose address is taken somewhere: they may be called through pointers.
    pub fn addressed(&self) -> BTreeSet<ProcedureId> {
        let mut found = BTreeSet::new();
        let mut look = |part: expr::ExprPart<'_>| {
            if let expr::ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
                found.insert(*id);
            }
        };
        self.edges().for_each(|edge| edge.action.visit(&mut look));
        self.visit_initial(&mut look);
        found
    }

    /// A procedure by name; of several `static` ones, the first.
    pub fn procedure_named(&self, name: &str) -> Option<ProcedureId> {
        let visible = |wants_static: bool| {
            self.procedures
                .iter_enumerated()
                .find(|(_, procedure)| &*procedure.name == name && procedure.is_static == wants_static)
                .map(|(id, _)| id)
        };
        visible(false).or_else(|| visible(true))
    }

    /// May two string literals be one object, or one the end of the other? Whether they are is unspecified (C11
    /// 6.4.5p7): compilers and linkers put equal ones together, and those that others end with.
    pub fn literals_may_share(&self, one: VariableId, two: VariableId) -> bool {
        let bytes = |id: VariableId| {
            let variable = &self.variables[id];
            let is_literal = variable.kind == VariableKind::StringLiteral;
            match variable.initial.as_slice() {
                [InitialValue { value: InitialData::Bytes(bytes), .. }] if is_literal => {
                    Some(bytes.as_slice())
                }
                // A literal of zeros only may have none.
                [] if is_literal => Some(&[][..]),
                _ => None,
            }
        };
        match (bytes(one), bytes(two)) {
            (Some(one), Some(two)) => one.ends_with(two) || two.ends_with(one),
            _ => false,
        }
    }

    /// Does a place lie in a description of a library function rather than in the user's code?
    pub fn is_in_library(&self, span: Span) -> bool {
        let source = self.sources.source_at(span.start).filter(|_| !span.is_nowhere());
        source.is_some_and(|source| source.name().starts_with(LIBRARY_FOLDER))
    }

    /// Where the user's program is: at the step itself, or inside a library function at the innermost call in the
    /// user's code. `callers` are the places of the active calls, innermost first.
    pub fn users_place(&self, step: Span, callers: impl IntoIterator<Item = Span>) -> Span {
        if !self.is_in_library(step) {
            return step;
        }
        callers.into_iter().find(|&call| !self.is_in_library(call)).unwrap_or(Span::NOWHERE)
    }

    /// The text of a string literal that a value points to.
    pub fn literal_text(&self, value: &Expr) -> Option<String> {
        let mut value = value;
        while let ExprKind::Cast(inner) = &value.kind {
            value = inner;
        }
        let ExprKind::AddressOf(place) = &value.kind else { return None };
        let PlaceBase::Variable(id) = place.base else { return None };
        let variable = &self.variables[id];
        if variable.kind != VariableKind::StringLiteral {
            return None;
        }
        let InitialData::Bytes(bytes) = &variable.initial.first()?.value else { return None };
        let text: Vec<u8> = bytes.iter().copied().take_while(|&byte| byte != 0).collect();
        String::from_utf8(text).ok()
    }

    /// Does it start with any value because the user made a function the entry?
    pub fn is_given(&self, variable: VariableId) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.given.contains(&variable))
    }

    /// The result type of a procedure.
    pub fn result_type(&self, id: ProcedureId) -> TypeRef {
        match self.types.get(self.procedures[id].ty) {
            Type::Function(function) => function.result,
            other => unreachable!("procedures have function types, not {other:?}"),
        }
    }
}
