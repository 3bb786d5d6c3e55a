//! What the analysis of one unit carries along: scopes, the unit so far, the function being read; and how it reports.

use super::scope::Scopes;
use crate::session::Session;
use crate::tree::{
    self, Expr, ExprKind, Flag, FlagKind, FunctionId, Label, LabelId, Storage, Variable, VariableId,
};
use crate::types::{
    FloatKind, FunctionType, IntegerKind, IntegerShape, LengthId, RecordId, Type, TypeId, TypeRef, TypeTable,
};
use base::{Diagnostic, IndexVec, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Types that every unit needs, looked up once.
pub(super) struct CommonTypes {
    pub void: TypeId,
    pub bool: TypeId,
    pub char: TypeId,
    pub int: TypeId,
    pub unsigned: TypeId,
    pub long: TypeId,
    pub size: TypeId,
    pub difference: TypeId,
    pub double: TypeId,
    pub void_pointer: TypeId,
    pub error: TypeId,
}

impl CommonTypes {
    fn new(types: &mut TypeTable) -> CommonTypes {
        let void = types.void();
        CommonTypes {
            void,
            bool: types.bool(),
            char: types.char(),
            int: types.int(),
            unsigned: types.integer(IntegerKind::UnsignedInt),
            long: types.integer(IntegerKind::Long),
            size: types.size_type(),
            difference: types.difference_type(),
            double: types.float(FloatKind::Double),
            void_pointer: types.pointer(void),
            error: types.intern(Type::Error),
        }
    }
}

/// An object or function that has linkage, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Linked {
    Variable(VariableId),
    Function(FunctionId),
}

/// A `switch` that is open.
pub(super) struct OpenSwitch {
    /// The promoted type of the controlling expression; `None` after an error in it.
    pub ty: Option<TypeId>,
    /// Ranges seen so far.
    pub cases: Vec<(i128, i128, Span)>,
    /// Where its `default` stands.
    pub default: Option<Span>,
}

/// The function whose body is being read.
pub(super) struct OpenFunction {
    pub id: FunctionId,
    /// The name that was written, for `__func__`.
    pub name: Arc<str>,
    pub result: TypeRef,
    pub labels: IndexVec<LabelId, Label>,
    /// Where a label is first used or declared, and whether it is defined.
    pub label_state: IndexVec<LabelId, (Span, bool)>,
    /// Names of labels: the function's own first, then those of `__label__` scopes.
    pub label_scopes: Vec<FxHashMap<Symbol, LabelId>>,
    /// How many loops are open.
    pub loops: u32,
    pub switches: Vec<OpenSwitch>,
    /// Loops and switches that are open: what `break` leaves.
    pub breakable: u32,
    /// The array behind `__func__`, once it is used.
    pub name_array: Option<VariableId>,
    /// Undeclared names that were told once already.
    pub reported: FxHashSet<Symbol>,
}

/// The state of the analysis.
pub(super) struct Analyser<'s> {
    pub session: &'s mut Session,
    pub unit: tree::Unit,
    pub scopes: Scopes,
    pub common: CommonTypes,
    pub linked: FxHashMap<Symbol, Linked>,
    /// Functions that exist only because a builtin or an implicit declaration needed them: a real declaration wins.
    pub assumed_functions: FxHashSet<FunctionId>,
    /// Library functions by their plain name, as builtins reach them.
    pub library: FxHashMap<Symbol, FunctionId>,
    /// Bodies given by `extern inline` in the GNU sense: a later definition replaces them.
    pub replaceable_bodies: FxHashSet<FunctionId>,
    /// Functions with the attribute `always_inline`.
    pub always_inline: FxHashSet<FunctionId>,
    pub transparent_unions: FxHashSet<RecordId>,
    /// Records with a member of run-time size.
    pub run_time_records: FxHashSet<RecordId>,
    /// Complete records that were asked whether a member of theirs is `const`.
    pub records_with_const: FxHashMap<RecordId, bool>,
    /// Where members were found, by record and name.
    pub members: FxHashMap<(RecordId, Symbol), Arc<[u32]>>,
    pub function: Option<OpenFunction>,
    /// Automatic variables of the open blocks.
    pub blocks: Vec<Vec<VariableId>>,
    /// Run-time lengths that were written and not yet placed in a statement.
    pub pending_lengths: Vec<LengthId>,
    /// How many operands around us are not evaluated (`sizeof`, `typeof` …).
    pub unevaluated: u32,
    /// Variables whose address was taken in an operand that is not evaluated.
    pub unevaluated_marks: Vec<VariableId>,
    /// How many prototypes without a body are open.
    pub prototypes: u32,
    /// Are the parameters of a definition being read?
    pub reads_parameters: bool,
    /// Statements that the parameters of the current definition need before its body.
    pub entry_statements: Vec<tree::Statement>,
    /// Elements of the array that the parameter in hand is declared as.
    pub parameter_elements: Option<u64>,
    /// Tentative definitions whose type was incomplete when they were read.
    pub tentative: Vec<VariableId>,
    /// Number of the next invented variable.
    pub next_invented: u32,
}

impl<'s> Analyser<'s> {
    pub fn new(session: &'s mut Session) -> Analyser<'s> {
        let common = CommonTypes::new(&mut session.types);
        Analyser {
            session,
            unit: tree::Unit::default(),
            scopes: Scopes::default(),
            common,
            linked: FxHashMap::default(),
            assumed_functions: FxHashSet::default(),
            library: FxHashMap::default(),
            replaceable_bodies: FxHashSet::default(),
            always_inline: FxHashSet::default(),
            transparent_unions: FxHashSet::default(),
            run_time_records: FxHashSet::default(),
            records_with_const: FxHashMap::default(),
            members: FxHashMap::default(),
            function: None,
            blocks: Vec::new(),
            pending_lengths: Vec::new(),
            unevaluated: 0,
            unevaluated_marks: Vec::new(),
            prototypes: 0,
            reads_parameters: false,
            entry_statements: Vec::new(),
            parameter_elements: None,
            tentative: Vec::new(),
            next_invented: 0,
        }
    }

    /// The session's types.
    pub fn types(&self) -> &TypeTable {
        &self.session.types
    }

    /// The session's types, to add to them.
    pub fn types_mut(&mut self) -> &mut TypeTable {
        &mut self.session.types
    }

    /// The text of a name.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.session.names.text(symbol)
    }

    /// The text of a name, to keep.
    pub fn shared_text(&self, symbol: Symbol) -> Arc<str> {
        self.session.names.shared_text(symbol)
    }

    /// The type as C writes it.
    pub fn show(&self, ty: impl Into<TypeRef>) -> String {
        self.types().show(ty)
    }

    pub fn is_error(&self, ty: TypeId) -> bool {
        ty == self.common.error
    }

    pub fn shape(&self, ty: TypeId) -> Option<IntegerShape> {
        self.types().integer_shape(ty)
    }

    pub fn function_type(&self, ty: TypeId) -> Option<&FunctionType> {
        match self.types().get(ty) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    pub fn is_function(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Function(_))
    }

    pub fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Array(..))
    }

    /// Reports an error.
    pub fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.session.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// Reports an error with what to try.
    pub fn error_with_hint(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.session.diagnostics.push(Diagnostic::error(code, span, message).hint(hint));
    }

    /// Reports an error that has a second place, such as an earlier declaration.
    pub fn error_with_place(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        place: Span,
        label: &str,
    ) {
        let mut diagnostic = Diagnostic::error(code, span, message);
        if !place.is_nowhere() {
            diagnostic = diagnostic.label(place, label);
        }
        self.session.diagnostics.push(diagnostic);
    }

    /// Reports a warning, unless the text is a system header's.
    pub fn warn(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.warn_with_hint(code, span, message, None);
    }

    pub fn warn_with_hint(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        if self.session.sources.location(span).is_some_and(|location| location.in_system_header) {
            return;
        }
        let mut diagnostic = Diagnostic::warning(code, span, message);
        if let Some(hint) = hint {
            diagnostic = diagnostic.hint(hint);
        }
        self.session.diagnostics.push(diagnostic);
    }

    /// Records a construct that is accepted without a full meaning.
    pub fn flag(&mut self, kind: FlagKind, span: Span, message: impl Into<String>) {
        self.unit.flags.push(Flag { kind, message: message.into(), span });
    }

    /// An expression that has no meaning for us: flagged, never dropped.
    pub fn unsupported(
        &mut self,
        kind: FlagKind,
        ty: impl Into<TypeRef>,
        span: Span,
        message: impl Into<String>,
    ) -> Expr {
        let message = message.into();
        self.flag(kind, span, message.clone());
        expr(ExprKind::Unsupported(message), ty, span)
    }

    /// Stands for an expression whose error is already told.
    pub fn error_expr(&self, span: Span) -> Expr {
        expr(ExprKind::Unsupported("this expression could not be typed".into()), self.common.error, span)
    }

    /// An `int` constant.
    pub fn int_constant(&self, value: u128, span: Span) -> Expr {
        expr(ExprKind::Integer(value), self.common.int, span)
    }

    /// A `size_t` constant.
    pub fn size_constant(&self, value: u64, span: Span) -> Expr {
        let bits = self.shape(self.common.size).map_or(0, |shape| shape.truncate(u128::from(value)));
        expr(ExprKind::Integer(bits), self.common.size, span)
    }

    /// Runs `body` on an operand that is not evaluated: it takes no addresses and raises no flags. `is_evaluated` says
    /// afterwards whether it was after all (operands of a run-time sized type are).
    pub fn without_evaluation<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> T,
        is_evaluated: impl FnOnce(&Self, &T) -> bool,
    ) -> T {
        let (marks, flags) = (self.unevaluated_marks.len(), self.unit.flags.len());
        self.unevaluated += 1;
        let result = body(self);
        self.unevaluated -= 1;
        if is_evaluated(self, &result) {
            if self.unevaluated == 0 {
                for variable in self.unevaluated_marks.split_off(marks) {
                    self.unit.variables[variable].address_taken = true;
                }
            }
        } else {
            self.unevaluated_marks.truncate(marks);
            self.unit.flags.truncate(flags);
        }
        result
    }

    /// The variable that an lvalue is a part of gets its address taken.
    pub fn mark_address_taken(&mut self, lvalue: &Expr) {
        let mut at = lvalue;
        let variable = loop {
            match &at.kind {
                ExprKind::Member { base, .. } => at = base,
                ExprKind::Variable(id) | ExprKind::CompoundLiteral(id, _) => break *id,
                _ => return,
            }
        };
        if self.unevaluated > 0 {
            self.unevaluated_marks.push(variable);
        } else {
            self.unit.variables[variable].address_taken = true;
        }
    }

    /// A variable that no declaration names: a compound literal or a temporary. Automatic in a function, static
    /// outside.
    pub fn invent_variable(&mut self, what: &str, ty: TypeRef, span: Span) -> VariableId {
        let function = self.function.as_ref().map(|function| function.id);
        let is_automatic = function.is_some() && !self.blocks.is_empty();
        let name = Arc::from(format!(".{what}{}", self.next_invented));
        self.next_invented += 1;
        let id = self.unit.variables.push(Variable {
            name,
            ty,
            storage: if is_automatic { Storage::Local } else { Storage::FileStatic },
            is_thread_local: false,
            alignment: None,
            initializer: None,
            flexible_elements: 0,
            parameter_elements: None,
            has_least_length: false,
            function,
            address_taken: false,
            symbol: Default::default(),
            span,
        });
        if is_automatic && let Some(block) = self.blocks.last_mut() {
            block.push(id);
        }
        id
    }
}

/// A typed expression from its parts.
pub(super) fn expr(kind: ExprKind, ty: impl Into<TypeRef>, span: Span) -> Expr {
    Expr { kind, ty: ty.into(), span }
}
