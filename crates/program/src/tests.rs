//! Small programs built by hand, for the tests of this crate.

use crate::types::{FunctionType, IntegerKind};
use crate::*;

/// Builds a program procedure by procedure.
pub(crate) struct Builder {
    pub program: Program,
    pub sources: SourceMap,
    current: Option<ProcedureId>,
    at: Option<NodeId>,
}

impl Builder {
    pub fn new() -> Builder {
        Builder {
            program: Program {
                types: TypeTable::new(DataModel::Lp64),
                sources: Arc::new(SourceMap::new()),
                variables: IndexVec::new(),
                procedures: IndexVec::new(),
                main: None,
                constructors: Vec::new(),
                visible: Vec::new(),
                missing_writes: false,
                draws_arguments: false,
                labels: Default::default(),
                entry: None,
                destructors: Vec::new(),
                assumptions: Vec::new(),
                interleaving: None,
            },
            sources: SourceMap::new(),
            current: None,
            at: None,
        }
    }

    pub fn finish(mut self) -> Program {
        self.program.sources = Arc::new(self.sources);
        self.program
    }

    pub fn int(&mut self) -> TypeId {
        self.program.types.int()
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.program.types.pointer(to)
    }

    pub fn function_type(&mut self, result: TypeId, parameters: &[TypeId], is_variadic: bool) -> TypeId {
        let parameters = parameters.to_vec();
        let result = result.into();
        let function = FunctionType { result, parameters, is_variadic, has_prototype: true };
        self.program.types.intern(Type::Function(function))
    }

    pub fn record(&mut self, kind: RecordKind, tag: &str, fields: &[(&str, TypeId)]) -> (RecordId, TypeId) {
        let id = self.program.types.records.push(types::Record {
            kind,
            tag: Some(tag.into()),
            span: Span::NOWHERE,
            fields: None,
            is_packed: false,
            alignment: None,
            pack_limit: None,
            layout: None,
            is_va_list: false,
        });
        let fields = fields.iter().map(|&(name, ty)| types::Field {
            name: (!name.is_empty()).then(|| name.into()),
            ty: ty.into(),
            bit_width: None,
            alignment: None,
            type_alignment: None,
            is_packed: false,
            span: Span::NOWHERE,
        });
        self.program.types.complete_record(id, fields.collect());
        (id, self.program.types.intern(Type::Record(id)))
    }

    pub fn variable(&mut self, name: &str, ty: TypeId, kind: VariableKind, in_memory: bool) -> VariableId {
        let is_static = matches!(kind, VariableKind::Global | VariableKind::StringLiteral);
        let procedure = self.current.filter(|_| !is_static);
        let id = self.program.variables.push(Variable {
            name: name.into(),
            ty: ty.into(),
            kind,
            procedure,
            in_memory,
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: Span::NOWHERE,
        });
        if let Some(procedure) = procedure {
            let procedure = &mut self.program.procedures[procedure];
            match kind {
                VariableKind::Parameter => procedure.parameters.push(id),
                _ => procedure.locals.push(id),
            }
        }
        id
    }

    pub fn global(&mut self, name: &str, ty: TypeId) -> VariableId {
        self.variable(name, ty, VariableKind::Global, true)
    }

    pub fn local(&mut self, name: &str, ty: TypeId) -> VariableId {
        self.variable(name, ty, VariableKind::Local, true)
    }

    pub fn parameter(&mut self, name: &str, ty: TypeId) -> VariableId {
        self.variable(name, ty, VariableKind::Parameter, false)
    }

    pub fn declare(&mut self, name: &str, ty: TypeId) -> ProcedureId {
        self.program.procedures.push(Procedure {
            name: name.into(),
            ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: Origin::Nowhere,
            known: Known::by_name(name),
            is_static: false,
            is_noreturn: false,
            is_atomic: false,
            span: Span::NOWHERE,
        })
    }

    /// Starts the body of a declared procedure.
    pub fn begin(&mut self, id: ProcedureId) {
        let graph = Graph::new();
        self.at = Some(graph.entry);
        self.current = Some(id);
        let procedure = &mut self.program.procedures[id];
        procedure.body = Some(graph);
        procedure.origin = Origin::User;
        if &*procedure.name == "main" {
            self.program.main = Some(id);
        }
    }

    fn graph(&mut self) -> &mut Graph {
        let current = self.current.expect("inside a procedure");
        self.program.procedures[current].body.as_mut().expect("begun")
    }

    /// Adds a step and goes on behind it.
    pub fn step(&mut self, action: Action) -> EdgeId {
        let from = self.at.expect("inside a procedure");
        let graph = self.graph();
        let to = match action {
            Action::Return { .. } => graph.exit,
            _ => graph.add_node(Span::NOWHERE),
        };
        let edge = graph.add_edge(from, to, action, Span::NOWHERE);
        self.at = Some(to);
        edge
    }

    pub fn here(&self) -> NodeId {
        self.at.expect("inside a procedure")
    }

    pub fn go_on_at(&mut self, node: NodeId) {
        self.at = Some(node);
    }

    /// Both sides of a branch; goes on nowhere.
    pub fn branch(&mut self, condition: Expr) -> (NodeId, NodeId) {
        let from = self.here();
        let graph = self.graph();
        let sides = [true, false].map(|expected| {
            let to = graph.add_node(Span::NOWHERE);
            let condition = condition.clone();
            graph.add_edge(
                from,
                to,
                Action::Assume { condition, expected, reason: AssumeReason::Branch },
                Span::NOWHERE,
            );
            to
        });
        (sides[0], sides[1])
    }

    pub fn jump(&mut self, to: NodeId) {
        let from = self.here();
        self.graph().add_edge(from, to, Action::Skip, Span::NOWHERE);
    }

    pub fn assign(&mut self, target: Place, value: Expr) {
        self.step(Action::Assign { target, value });
    }

    pub fn call(&mut self, result: Option<Place>, callee: ProcedureId, arguments: Vec<Expr>) -> EdgeId {
        self.step(Action::Call { result, callee: Callee::Direct(callee), arguments })
    }

    pub fn place(&self, id: VariableId) -> Place {
        Place::variable(id, self.program.variables[id].ty)
    }

    pub fn value(&self, id: VariableId) -> Expr {
        Expr::load(self.place(id))
    }

    pub fn address(&mut self, place: Place) -> Expr {
        let ty = self.program.types.pointer(place.ty.id);
        Expr { kind: ExprKind::AddressOf(Box::new(place)), ty }
    }

    pub fn address_of(&mut self, id: VariableId) -> Expr {
        let place = self.place(id);
        self.address(place)
    }

    pub fn function_address(&mut self, id: ProcedureId) -> Expr {
        let ty = self.program.types.pointer(self.program.procedures[id].ty);
        Expr { kind: ExprKind::FunctionAddress(id), ty }
    }

    pub fn deref(&self, pointer: Expr) -> Place {
        let to = self.program.types.pointee(pointer.ty).expect("a pointer");
        Place::pointed_to_by(pointer, to)
    }

    pub fn field(&self, mut place: Place, record: RecordId, index: u32) -> Place {
        let fields = self.program.types.records[record].fields.as_ref().expect("complete");
        place.ty = fields[index as usize].ty;
        place.path.push(Projection::Field(record, index));
        place
    }

    pub fn element(&self, mut place: Place, index: Expr) -> Place {
        let Type::Array(element, _) = self.program.types.get(place.ty.id) else { panic!("an array") };
        place.ty = *element;
        place.path.push(Projection::Index(Box::new(index)));
        place
    }

    pub fn number(&mut self, value: i128) -> Expr {
        let int = self.int();
        Expr::integer(value as u128, int, &self.program.types)
    }

    pub fn number_of(&mut self, value: i128, kind: IntegerKind) -> Expr {
        let ty = self.program.types.integer(kind);
        Expr::integer(value as u128, ty, &self.program.types)
    }

    pub fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let ty = if op.is_comparison() { self.int() } else { left.ty };
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
    }

    pub fn finish_with(&mut self, value: Option<Expr>) {
        self.step(Action::Return { value });
    }
}
