//! One procedure's graph under construction.
//!
//! There is always a current node; behind a `goto` it is a fresh one that nothing leads to, and `finish` prunes what
//! stays unreachable. Jumps are resolved at the end, when all labels and the blocks around them are known.

mod scopes;

pub use scopes::{ScopeId, Target};

use crate::link::Linker;
use base::{Id, IndexVec, Span};
use csource::tree;
use csource::types::LengthId;
use program::expr::{Access, ExprPart};
use program::{
    Action, AssumptionKind, BinaryOp, Expr, ExprKind, Graph, HavocSource, NodeId, Place, ProcedureId, TypeId,
    TypeRef, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use scopes::{Cleanup, CleanupId, Scope};
use std::sync::Arc;

/// The argument of `__builtin_unreachable` where a parameter is null that an attribute says never is. (1 is for
/// functions that come back though they are said never to.)
pub const NULL_IS_GIVEN: u128 = 2;
/// The argument where a result is.
pub const NULL_IS_RETURNED: u128 = 3;

/// A `switch` whose body is being lowered.
#[derive(Debug, Default)]
pub struct SwitchCases {
    /// Least and greatest value, and where the case goes.
    pub cases: Vec<(i128, i128, Target, Span)>,
    /// Where `default` goes.
    pub default: Option<Target>,
}

/// The state of lowering one procedure.
pub struct FunctionLowering<'a> {
    /// The program under construction.
    pub linker: &'a mut Linker,
    /// The unit the procedure is defined in.
    pub unit: usize,
    /// The procedure.
    pub procedure: ProcedureId,
    /// Its graph so far.
    pub graph: Graph,
    /// Where the next action starts.
    pub current: NodeId,
    scopes: IndexVec<ScopeId, Scope>,
    cleanups: IndexVec<CleanupId, Cleanup>,
    /// The last of those that the current place is behind.
    cleanup: Option<CleanupId>,
    /// The innermost block.
    pub scope: ScopeId,
    /// Targets of `break`, innermost last.
    pub breaks: Vec<Target>,
    /// Targets of `continue`, innermost last.
    pub continues: Vec<Target>,
    /// Enclosing `switch`es, innermost last.
    pub switches: Vec<SwitchCases>,
    /// Labels seen so far.
    pub labels: FxHashMap<tree::LabelId, Target>,
    /// Their names as written.
    pub label_names: FxHashMap<tree::LabelId, Arc<str>>,
    /// Labels whose address is taken somewhere in the function, in order.
    pub address_labels: Vec<tree::LabelId>,
    pending: Vec<(Target, tree::LabelId, Span)>,
    /// Variables that hold run-time lengths.
    pub lengths: FxHashMap<LengthId, VariableId>,
    /// Arrays of run-time length: the variable holds a pointer to the elements.
    pub length_arrays: FxHashMap<tree::VariableId, VariableId>,
    /// Those whose declaration was met, in order, each with its block.
    declared_arrays: Vec<(ScopeId, VariableId)>,
    locals: Vec<VariableId>,
    /// Is it the statement of a thread that is lowered, which nothing leaves?
    pub is_apart: bool,
    /// Did it have a `case` of a `switch` around it?
    pub loses_case: bool,
    /// Is a statement that is one step being lowered?
    pub in_step: bool,
    /// Is the function said never to return null?
    pub never_null: bool,
}

impl<'a> FunctionLowering<'a> {
    /// Lowers a body and puts it into the procedure.
    pub fn lower(
        linker: &'a mut Linker,
        unit: usize,
        procedure: ProcedureId,
        function: tree::FunctionId,
        body: tree::FunctionBody,
    ) {
        let unmodelled = linker.units[unit].unit.functions[function].symbol.unmodelled.clone();
        let mut this = FunctionLowering::new(linker, unit, procedure);
        let mut parameters = Vec::new();
        for &parameter in &body.parameters {
            let declared = this.declare_variable(parameter, VariableKind::Parameter);
            if let Some(elements) = this.linker.units[unit].unit.variables[parameter].parameter_elements {
                this.linker.parameter_elements.insert(declared, elements);
            }
            parameters.push(declared);
        }
        let with_address = body.labels.iter_enumerated().filter(|(_, label)| label.address_taken);
        this.address_labels = with_address.map(|(id, _)| id).collect();
        this.label_names =
            body.labels.iter_enumerated().map(|(id, label)| (id, label.name.clone())).collect();
        if this.linker.procedures[procedure].origin == program::Origin::User {
            this.linker.labels.extend(body.labels.iter().map(|label| label.name.clone()));
        }
        this.graph.nodes[this.current].span = body.span;
        if let Some(why) = unmodelled {
            this.unsupported(&why, body.span);
        }
        if this.linker.procedures[procedure].origin == program::Origin::User {
            let promises = this.linker.units[unit].unit.functions[function].symbol.promises.clone();
            this.never_null = promises.never_null;
            for (position, &parameter) in parameters.iter().enumerate() {
                let declared = body.parameters[position];
                if this.linker.units[unit].unit.variables[declared].has_least_length {
                    this.linker.never_null.insert(parameter);
                }
                if promises.none_is_null || promises.not_null.contains(&(position + 1)) {
                    this.linker.never_null.insert(parameter);
                    let value = this.value_of(parameter);
                    this.promised_not_null(value, NULL_IS_GIVEN, body.span);
                }
            }
        }
        for variable in &body.block.variables {
            this.declare_variable(*variable, VariableKind::Local);
        }
        this.statements(&body.block.statements);
        let closing = Span::new(body.span.end.saturating_sub(1), body.span.end);
        this.fall_off_the_end(closing);
        this.resolve_jumps(&body.labels);
        let (graph, locals) = (this.graph, this.locals);
        let entry = &mut linker.procedures[procedure];
        entry.body = Some(graph);
        entry.parameters = parameters;
        entry.locals = locals;
    }

    /// Where a pointer is null, the run has no meaning: an attribute says that it never is. `how` tells it from other
    /// places that are not reached.
    pub fn promised_not_null(&mut self, value: Expr, how: u128, span: Span) {
        if !self.linker.session.types.is_pointer(value.ty) {
            return;
        }
        let int = self.linker.session.types.int();
        let null = Expr { kind: ExprKind::Integer(0), ty: value.ty };
        let condition =
            Expr { kind: ExprKind::Binary(BinaryOp::Equal, Box::new(value), Box::new(null)), ty: int };
        let (is_null, fine) = (self.graph.add_node(span), self.graph.add_node(span));
        self.branch_on(condition, is_null, fine, span);
        self.current = is_null;
        let mark = Expr::integer(how, int, &self.linker.session.types);
        self.call_known("__builtin_unreachable", vec![mark], None, span);
        self.current = fine;
    }

    /// Puts the graph and the locals into the procedure.
    pub fn finish_body(self) {
        let entry = &mut self.linker.procedures[self.procedure];
        entry.body = Some(self.graph);
        entry.locals = self.locals;
    }

    /// A variable of the procedure that the program does not declare.
    pub fn local(&mut self, name: &str, ty: TypeId, span: Span) -> VariableId {
        let id = self.temporary(ty, span);
        let variable = &mut self.linker.variables[id];
        variable.name = Arc::from(name);
        variable.kind = VariableKind::Local;
        id
    }

    /// A context with an empty graph.
    pub fn new(linker: &'a mut Linker, unit: usize, procedure: ProcedureId) -> FunctionLowering<'a> {
        let graph = Graph::new();
        let current = graph.entry;
        let mut scopes = IndexVec::new();
        let scope = scopes.push(Scope { parent: None, variables: Vec::new(), declared: Vec::new() });
        FunctionLowering {
            linker,
            unit,
            procedure,
            graph,
            current,
            scopes,
            cleanups: IndexVec::new(),
            cleanup: None,
            scope,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: FxHashMap::default(),
            label_names: FxHashMap::default(),
            address_labels: Vec::new(),
            pending: Vec::new(),
            lengths: FxHashMap::default(),
            length_arrays: FxHashMap::default(),
            declared_arrays: Vec::new(),
            locals: Vec::new(),
            is_apart: false,
            loses_case: false,
            in_step: false,
            never_null: false,
        }
    }

    /// A context with the body that the procedure has; its first node is the current one.
    pub fn again(linker: &'a mut Linker, procedure: ProcedureId) -> FunctionLowering<'a> {
        let lowered = &mut linker.procedures[procedure];
        let (body, locals) = (lowered.body.take(), lowered.locals.clone());
        let mut lowering = FunctionLowering::new(linker, 0, procedure);
        lowering.graph = body.unwrap_or_else(Graph::new);
        lowering.current = lowering.graph.entry;
        lowering.locals = locals;
        lowering
    }

    /// Appends an action behind the current node.
    pub fn emit(&mut self, action: Action, span: Span) {
        if self.in_step
            && let Action::Call { .. } = &action
        {
            return self.call_in_step(action, span);
        }
        self.emit_plain(action, span);
    }

    /// The same, whatever step it is in.
    pub fn emit_plain(&mut self, action: Action, span: Span) {
        let next = self.graph.add_node(span);
        self.emit_to(next, action, span);
        self.current = next;
    }

    /// Adds an action from the current node to a given one. The current node stays.
    pub fn emit_to(&mut self, to: NodeId, action: Action, span: Span) {
        let from = self.current;
        if self.graph.nodes[from].span.is_nowhere() {
            self.graph.nodes[from].span = span;
        }
        self.graph.add_edge(from, to, action, span);
    }

    /// Goes on at a fresh node that nothing leads to yet.
    pub fn start_unreachable(&mut self, span: Span) {
        self.current = self.graph.add_node(span);
    }

    fn fall_off_the_end(&mut self, span: Span) {
        let result = self.result_type();
        self.clean_up(self.cleanup, None, None, span);
        let is_main = &*self.linker.procedures[self.procedure].name == "main";
        let value = (is_main && self.linker.session.types.is_integer(result))
            .then(|| Expr::integer(0, result, &self.linker.session.types));
        self.emit_to(self.graph.exit, Action::Return { value }, span);
    }

    /// What the procedure being lowered returns.
    pub fn result_type(&self) -> TypeId {
        match self.linker.session.types.get(self.linker.procedures[self.procedure].ty) {
            program::Type::Function(function) => function.result.id,
            _ => unreachable!("procedures have function types"),
        }
    }

    /// The program's variable for one of the unit's; automatic ones are made when first met.
    pub fn variable(&mut self, id: tree::VariableId) -> VariableId {
        match self.linker.units[self.unit].variables[id] {
            Some(known) => known,
            None => self.declare_variable(id, VariableKind::Local),
        }
    }

    fn declare_variable(&mut self, id: tree::VariableId, kind: VariableKind) -> VariableId {
        if let Some(known) = self.linker.units[self.unit].variables[id] {
            return known;
        }
        let variable = &self.linker.units[self.unit].unit.variables[id];
        let types = &self.linker.session.types;
        let in_memory = variable.address_taken || !types.is_scalar(variable.ty.id);
        let declared = Variable {
            name: variable.name.clone(),
            ty: variable.ty,
            kind,
            procedure: Some(self.procedure),
            in_memory,
            is_file_local: false,
            is_thread_local: false,
            alignment: variable.alignment,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: variable.span,
        };
        let new = if self.is_runtime_sized(variable.ty.id) {
            self.declare_length_array(id, declared)
        } else {
            self.linker.variables.push(declared)
        };
        self.linker.units[self.unit].variables[id] = Some(new);
        if kind == VariableKind::Local {
            self.locals.push(new);
        }
        new
    }

    /// An array of run-time length becomes a pointer to its elements, which are allocated where it is declared.
    fn declare_length_array(&mut self, id: tree::VariableId, mut variable: Variable) -> VariableId {
        let types = &mut self.linker.session.types;
        let program::Type::Array(element, _) = *types.get(variable.ty.id) else {
            unreachable!("only arrays have run-time lengths")
        };
        variable.ty = types.pointer(element).into();
        variable.in_memory = false;
        let new = self.linker.variables.push(variable);
        self.length_arrays.insert(id, new);
        new
    }

    /// A fresh temporary that stands for the expression at `span`.
    pub fn temporary(&mut self, ty: TypeId, span: Span) -> VariableId {
        let in_memory = !self.linker.session.types.is_scalar(ty);
        let id = self.linker.variables.push(Variable {
            name: Arc::from("tmp"),
            ty: ty.into(),
            kind: VariableKind::Temporary,
            procedure: Some(self.procedure),
            in_memory,
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span,
        });
        self.locals.push(id);
        id
    }

    /// The whole of a variable as a place.
    pub fn place_of(&self, variable: VariableId) -> Place {
        Place::variable(variable, self.linker.variables[variable].ty)
    }

    /// What a variable holds.
    pub fn value_of(&self, variable: VariableId) -> Expr {
        Expr::load(self.place_of(variable))
    }

    /// Stores a value in a fresh temporary.
    pub fn save(&mut self, value: Expr, span: Span) -> VariableId {
        let temporary = self.temporary(value.ty, span);
        let target = self.place_of(temporary);
        self.emit(Action::Assign { target, value }, span);
        temporary
    }

    /// A value that later side effects cannot change: itself if it reads nothing but temporaries, else saved.
    pub fn frozen(&mut self, value: Expr, span: Span) -> Expr {
        if !self.reads_state(&value) {
            return value;
        }
        let saved = self.save(value, span);
        self.value_of(saved)
    }

    fn reads_state(&self, value: &Expr) -> bool {
        let mut reads = false;
        value.visit(&mut |part| {
            if let ExprPart::Place(place, Access::Read) = part {
                let is_temporary = place
                    .as_variable()
                    .is_some_and(|id| self.linker.variables[id].kind == VariableKind::Temporary);
                reads |= !is_temporary;
            }
        });
        reads
    }

    /// Records that the meaning is unknown from here on, and goes on behind it.
    pub fn unsupported(&mut self, what: &str, span: Span) {
        let place = self.linker.session.sources.location(span).map_or_else(String::new, |at| at.to_string());
        self.linker.assume(
            AssumptionKind::Unsupported,
            &place,
            span,
            format!("{what}: a run that gets here has no known meaning"),
        );
        self.emit(Action::Unsupported(Arc::from(what)), span);
    }

    /// A temporary with an unknown value.
    pub fn unknown_value(&mut self, ty: impl Into<TypeRef>, source: HavocSource, span: Span) -> Expr {
        let temporary = self.temporary(ty.into().id, span);
        let target = self.place_of(temporary);
        self.emit(Action::Havoc { target, source }, span);
        self.value_of(temporary)
    }

    /// `int`
    pub fn int(&mut self) -> TypeId {
        self.linker.session.types.int()
    }

    /// An `int` constant.
    pub fn int_constant(&mut self, value: i32) -> Expr {
        let int = self.int();
        Expr::integer(value as u128, int, &self.linker.session.types)
    }

    /// The number that stands for a label's address; unique in its function, never zero.
    pub fn label_number(&self, label: tree::LabelId) -> u128 {
        label.index() as u128 + 1
    }
}
