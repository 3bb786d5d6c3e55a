//! One procedure's graph under construction.
//!
//! There is always a current node; behind a `goto` it is a fresh one that nothing leads to, and `finish` prunes what
//! stays unreachable. Jumps are resolved at the end, when all labels and the blocks around them are known.

use crate::link::Linker;
use base::{Id, IndexVec, Span};
use csource::tree;
use csource::types::LengthId;
use program::expr::{Access, Part};
use program::{
    Action, AssumptionKind, BinaryOp, Callee, Expr, ExprKind, Graph, HavocSource, LifetimeStep, NodeId,
    Place, ProcedureId, TypeId, TypeRef, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The argument of `__builtin_unreachable` where a parameter is null that an attribute says never is. (1 is for functions that come back
/// though they are said never to.)
pub const NULL_IS_GIVEN: u128 = 2;
/// The argument where a result is.
pub const NULL_IS_RETURNED: u128 = 3;

base::define_id!(
    /// A block of the procedure being lowered.
    ScopeId,
    "scope"
);

/// A block and the variables in memory that live in it.
#[derive(Debug)]
struct Scope {
    parent: Option<ScopeId>,
    variables: Vec<VariableId>,
    /// All that it declares.
    declared: Vec<VariableId>,
}

base::define_id!(
    /// A variable whose scope is not left without a call (`__attribute__((cleanup))`).
    CleanupId,
    "cleanup"
);

/// The function is called with the address of the variable where its scope is left.
#[derive(Clone, Copy, Debug)]
struct Cleanup {
    /// What was declared before it and is still to be called then.
    outer: Option<CleanupId>,
    variable: VariableId,
    function: ProcedureId,
    scope: ScopeId,
}

/// A place control can jump to.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The node that a jump leads to.
    pub node: NodeId,
    /// In which block.
    pub scope: ScopeId,
    /// How many declarations of arrays of run-time length stand before it.
    arrays: usize,
    /// The last declaration before it, of those around it, with a function to call.
    cleanup: Option<CleanupId>,
}

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

    /// Where a jump to the current node and block would go.
    pub fn here(&self) -> Target {
        self.jump_target(self.current)
    }

    /// Where a jump to a node of the current block would go.
    pub fn jump_target(&self, node: NodeId) -> Target {
        Target { node, scope: self.scope, arrays: self.declared_arrays.len(), cleanup: self.cleanup }
    }

    /// Enters a block: its variables in memory begin their lives.
    pub fn enter_scope(&mut self, variables: &[tree::VariableId], span: Span) {
        let declared: Vec<VariableId> =
            variables.iter().map(|&variable| self.declare_variable(variable, VariableKind::Local)).collect();
        let in_memory: Vec<VariableId> =
            declared.iter().copied().filter(|&id| self.linker.variables[id].in_memory).collect();
        for &variable in &in_memory {
            self.emit(Action::Lifetime { variable, step: LifetimeStep::Begin }, span);
        }
        self.scope = self.scopes.push(Scope { parent: Some(self.scope), variables: in_memory, declared });
    }

    /// Leaves the innermost block.
    pub fn leave_scope(&mut self, span: Span) {
        self.cleanup = self.clean_up(self.cleanup, None, Some(self.scope), span);
        let scope = &self.scopes[self.scope];
        let parent = scope.parent.expect("the outermost block is never left");
        let ending = scope.variables.clone();
        self.end_lives(&ending, span);
        self.end_length_arrays(self.scope, span);
        self.scope = parent;
    }

    /// A block is left; whether pointers to its arrays of run-time length are kept is decided when the program is complete. Those of the
    /// function's own block end with its call.
    fn end_length_arrays(&mut self, left: ScopeId, span: Span) {
        if self.length_arrays.is_empty() {
            return;
        }
        let arrays: Vec<VariableId> = self.length_arrays.values().copied().collect();
        for array in self.scopes[left].declared.clone() {
            if arrays.contains(&array) {
                let inside = self.declared_within(left, true);
                self.end_length_array(array, inside, span);
            }
        }
    }

    /// Control goes back before the declarations of arrays of run-time length without leaving their blocks: their lives end all
    /// the same, and nothing else's in these blocks.
    fn end_arrays_behind(&mut self, from: Target, to: Target, span: Span) {
        let passed = self.declared_arrays.get(to.arrays..from.arrays).unwrap_or_default().to_vec();
        for (scope, array) in passed {
            if self.is_within(from.scope, scope) && self.is_within(to.scope, scope) {
                let inside = self.declared_within(scope, false);
                self.end_length_array(array, inside, span);
            }
        }
    }

    fn end_length_array(&mut self, array: VariableId, inside: Vec<VariableId>, span: Span) {
        let mark = crate::lengths::mark(self.linker.left_arrays.len());
        self.linker.left_arrays.push(crate::lengths::LeftArray { array, inside });
        self.emit(Action::Unsupported(mark), span);
    }

    fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        std::iter::successors(Some(inner), |&at| self.scopes[at].parent).any(|at| at == outer)
    }

    /// What the blocks in a block declare; with what it declares itself, or without.
    fn declared_within(&self, block: ScopeId, with_itself: bool) -> Vec<VariableId> {
        let is_inner = |scope: ScopeId| (with_itself || scope != block) && self.is_within(scope, block);
        let inner = self.scopes.iter_enumerated().filter(|(scope, _)| is_inner(*scope));
        inner.flat_map(|(_, scope)| scope.declared.clone()).collect()
    }

    /// The declaration of an array of run-time length is met.
    pub fn meet_length_array(&mut self, array: VariableId) {
        self.declared_arrays.push((self.scope, array));
    }

    fn end_lives(&mut self, variables: &[VariableId], span: Span) {
        for &variable in variables.iter().rev() {
            self.emit(Action::Lifetime { variable, step: LifetimeStep::End }, span);
        }
    }

    /// A declaration names a function to be called where its scope is left.
    pub fn guard(&mut self, variable: VariableId, function: ProcedureId) {
        let (outer, scope) = (self.cleanup, self.scope);
        self.cleanup = Some(self.cleanups.push(Cleanup { outer, variable, function, scope }));
    }

    /// Is there a function to call where the current place is left?
    pub fn is_guarded(&self) -> bool {
        self.cleanup.is_some()
    }

    /// The function returns: all its blocks are left.
    pub fn leave_all(&mut self, span: Span) {
        let mut cleanup = self.cleanup;
        let mut next = Some(self.scope);
        while let Some(scope) = next {
            cleanup = self.clean_up(cleanup, None, Some(scope), span);
            let ending = self.scopes[scope].variables.clone();
            self.end_lives(&ending, span);
            next = self.scopes[scope].parent;
        }
    }

    /// Calls the functions of what is left (of one block, or of all), the last declared first; not of what stands before
    /// the place that control goes to. Says which are still to come.
    fn clean_up(
        &mut self,
        from: Option<CleanupId>,
        to: Option<CleanupId>,
        of: Option<ScopeId>,
        span: Span,
    ) -> Option<CleanupId> {
        let outer = |this: &Self, id: CleanupId| this.cleanups[id].outer;
        let stays: Vec<CleanupId> = std::iter::successors(to, |&id| outer(self, id)).collect();
        let mut next = from;
        while let Some(id) = next.filter(|id| !stays.contains(id)) {
            let Cleanup { outer, variable, function, scope } = self.cleanups[id];
            if of.is_some_and(|of| of != scope) {
                break;
            }
            let place = self.place_of(variable);
            let pointer = self.linker.session.types.pointer(place.ty);
            let address = Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: pointer };
            let ty = self.linker.result_type(function);
            let result = (self.linker.session.types.get(ty) != &program::Type::Void).then(|| {
                let temporary = self.temporary(ty, span);
                self.place_of(temporary)
            });
            let callee = Callee::Direct(function);
            self.emit(Action::Call { result, callee, arguments: vec![address] }, span);
            next = outer;
        }
        next
    }

    /// Jumps from the current node: ends the lives in blocks that are left, begins those in blocks that are entered.
    pub fn jump(&mut self, to: Target, span: Span) {
        self.jump_from(self.here(), to, span);
    }

    fn jump_from(&mut self, from: Target, to: Target, span: Span) {
        (self.current, self.scope) = (from.node, from.scope);
        let (left, entered) = self.between(from.scope, to.scope);
        let mut cleanup = from.cleanup;
        for scope in left {
            cleanup = self.clean_up(cleanup, to.cleanup, Some(scope), span);
            let ending = self.scopes[scope].variables.clone();
            self.end_lives(&ending, span);
            self.end_length_arrays(scope, span);
        }
        // Back before a declaration of the same block.
        self.clean_up(cleanup, to.cleanup, None, span);
        self.end_arrays_behind(from, to, span);
        for scope in entered {
            for variable in self.scopes[scope].variables.clone() {
                self.emit(Action::Lifetime { variable, step: LifetimeStep::Begin }, span);
            }
        }
        self.emit_to(to.node, Action::Skip, span);
    }

    /// Jumps to a label, now or when it is known.
    pub fn jump_to_label(&mut self, label: tree::LabelId, span: Span) {
        self.pending.push((self.here(), label, span));
    }

    pub fn resolve_jumps(&mut self, labels: &IndexVec<tree::LabelId, tree::Label>) {
        for (from, label, span) in std::mem::take(&mut self.pending) {
            match self.labels.get(&label) {
                Some(&target) => self.jump_from(from, target, span),
                // Only after an error that `sema` has told.
                None => {
                    self.current = from.node;
                    let name = labels.get(label).map(|label| label.name.clone());
                    let name = name.or_else(|| self.label_names.get(&label).cloned());
                    let name = name.unwrap_or_else(|| Arc::from("?"));
                    self.unsupported(&format!("the label `{name}` is not defined"), span);
                }
            }
        }
    }

    /// Blocks to leave (innermost first) and to enter (outermost first) on the way from one block to another.
    fn between(&self, from: ScopeId, to: ScopeId) -> (Vec<ScopeId>, Vec<ScopeId>) {
        let outwards =
            |start: ScopeId| std::iter::successors(Some(start), |&scope| self.scopes[scope].parent);
        let around_target: Vec<ScopeId> = outwards(to).collect();
        let left: Vec<ScopeId> = outwards(from).take_while(|scope| !around_target.contains(scope)).collect();
        let common = outwards(from).find(|scope| around_target.contains(scope));
        let mut entered: Vec<ScopeId> =
            around_target.into_iter().take_while(|&scope| Some(scope) != common).collect();
        entered.reverse();
        (left, entered)
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
            if let Part::Place(place, Access::Read) = part {
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
