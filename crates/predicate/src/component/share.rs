//! Variables that components share: every read and every write becomes a call of a function of its own, which a
//! specification answers by an event together with the process that is the variable. So components meet at the
//! accesses, in any order (sequential consistency: Lamport 1979), and each is abstracted alone as before. WHY on the
//! program, before components are made: what runs on real values then has the same calls.
//!
//! Worked example: `flag = flag + 1` becomes `t = flag.read(); flag.write(t + 1);`, between which another component may
//! write. `if (flag)` reads once, before the branch.

use base::{Id, IndexVec, Span};
use program::expr::ExprPart;
use program::rewrite::{self, Rewrite};
use program::types::FunctionType;
use program::{
    Action, Callee, Edge, EdgeId, Expr, ExprKind, Graph, InitialData, NodeId, Origin, Place, PlaceBase,
    Procedure, ProcedureId, Program, Type, TypeId, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why a variable cannot be shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotShare {
    /// No variable with static storage is called so.
    NoVariable,
    /// Several files have one of their own.
    SeveralVariables,
    /// It is no integer.
    NotAnInteger,
    /// Its address is taken, so it may be read and written under another name.
    AddressTaken(Span),
    /// Branches that are decided together read it differently.
    ReadByBranches(Span),
}

impl CannotShare {
    /// The place of the program that is to blame.
    pub fn at(&self) -> Option<Span> {
        match self {
            CannotShare::AddressTaken(at) | CannotShare::ReadByBranches(at) => Some(*at),
            _ => None,
        }
    }
}

impl std::fmt::Display for CannotShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            CannotShare::NoVariable => "no file has a variable of this name outside its functions",
            CannotShare::SeveralVariables => "several files have a `static` variable of this name",
            CannotShare::NotAnInteger => "only integers can be shared",
            CannotShare::AddressTaken(_) => {
                "its address is taken here, so it may be read and written under another name"
            }
            CannotShare::ReadByBranches(_) => "the branches here read it in different ways",
        })
    }
}

/// The name of the function that reads a shared variable.
pub fn reader_name(variable: &str) -> String {
    format!("{variable}.read")
}

/// The name of the function that writes a shared variable.
pub fn writer_name(variable: &str) -> String {
    format!("{variable}.write")
}

/// Who reads and writes a shared variable.
#[derive(Clone, Copy)]
struct Access {
    ty: TypeId,
    reader: ProcedureId,
    writer: ProcedureId,
}

/// Turns the accesses of these variables into calls. Afterwards no variable of the program has their names.
pub fn share(program: &mut Program, names: &[Arc<str>]) -> Result<(), (Arc<str>, CannotShare)> {
    let mut shared: FxHashMap<VariableId, Access> = FxHashMap::default();
    for name in names {
        let variable = shareable(program, name).map_err(|why| (name.clone(), why))?;
        let ty = program.variables[variable].ty.id;
        let void = program.types.intern(Type::Void);
        let reader = function(program, &reader_name(name), None, ty);
        let writer = function(program, &writer_name(name), Some(ty), void);
        shared.insert(variable, Access { ty, reader, writer });
    }
    let refused = |program: &Program, variable: VariableId, why: CannotShare| {
        (program.variables[variable].name.clone(), why)
    };
    if let Some((variable, at)) = address_taken(program, &shared) {
        return Err(refused(program, variable, CannotShare::AddressTaken(at)));
    }
    for id in program.procedures.ids().collect::<Vec<_>>() {
        let Some(mut graph) = program.procedures[id].body.take() else { continue };
        let mut rewriter =
            Rewriter { shared: &shared, procedure: id, variables: &mut program.variables, made: Vec::new() };
        let outcome = rewriter.graph(&mut graph);
        let made = std::mem::take(&mut rewriter.made);
        program.procedures[id].locals.extend(made);
        program.procedures[id].body = Some(graph);
        outcome.map_err(|(variable, why)| refused(program, variable, why))?;
    }
    for variable in shared.into_keys() {
        // Whoever still speaks of it by name would mean a variable that nobody writes.
        let name = &mut program.variables[variable].name;
        *name = Arc::from(format!("{name}.shared"));
    }
    Ok(())
}

/// What a shared variable begins with, where its initialiser tells it plainly; zero without one.
pub fn first_value(program: &Program, name: &str) -> Option<i64> {
    let shared_name = format!("{name}.shared");
    let variable = program.variables.iter().find(|variable| *variable.name == *shared_name)?;
    match variable.initial.as_slice() {
        [] => (!variable.is_external).then_some(0),
        [only] => match &only.value {
            InitialData::Value(Expr { kind: ExprKind::Integer(bits), .. }) => {
                let shape = program.types.integer_shape(variable.ty.id)?;
                i64::try_from(shape.value(*bits)).ok()
            }
            _ => None,
        },
        _ => None,
    }
}

fn shareable(program: &Program, name: &str) -> Result<VariableId, CannotShare> {
    let is_it = |(_, variable): &(VariableId, &Variable)| {
        variable.kind == VariableKind::Global && variable.procedure.is_none() && *variable.name == *name
    };
    let mut found = program.variables.iter_enumerated().filter(is_it).map(|(id, _)| id);
    let Some(only) = found.next() else { return Err(CannotShare::NoVariable) };
    if found.next().is_some() {
        return Err(CannotShare::SeveralVariables);
    }
    let ty = program.variables[only].ty.id;
    if !program.types.is_integer(ty) {
        return Err(CannotShare::NotAnInteger);
    }
    Ok(only)
}

/// A function without a body: what it does is said elsewhere.
fn function(program: &mut Program, name: &str, parameter: Option<TypeId>, result: TypeId) -> ProcedureId {
    let ty = program.types.intern(Type::Function(FunctionType {
        result: result.into(),
        parameters: parameter.into_iter().collect(),
        is_variadic: false,
        has_prototype: true,
    }));
    program.procedures.push(Procedure {
        name: Arc::from(name),
        ty,
        parameters: Vec::new(),
        locals: Vec::new(),
        body: None,
        origin: Origin::Nowhere,
        known: None,
        is_static: false,
        is_noreturn: false,
        is_atomic: false,
        span: Span::NOWHERE,
    })
}

/// A variable whose address is taken, and where.
fn address_taken(program: &Program, shared: &FxHashMap<VariableId, Access>) -> Option<(VariableId, Span)> {
    let mut found = None;
    let mut look = |part: ExprPart<'_>, at: Span| {
        if let ExprPart::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) = part
            && let PlaceBase::Variable(variable) = place.base
            && shared.contains_key(&variable)
        {
            found.get_or_insert((variable, at));
        }
    };
    for edge in program.edges() {
        edge.action.visit(&mut |part| look(part, edge.span));
    }
    for variable in &program.variables {
        for initial in &variable.initial {
            if let InitialData::Value(value) = &initial.value {
                value.visit(&mut |part| look(part, variable.span));
            }
        }
    }
    found
}

struct Rewriter<'p> {
    shared: &'p FxHashMap<VariableId, Access>,
    procedure: ProcedureId,
    variables: &'p mut IndexVec<VariableId, Variable>,
    /// Temporaries that were made.
    made: Vec<VariableId>,
}

/// Reads of shared variables become reads of temporaries: those there are, and then new ones.
struct Reads<'r, 'p> {
    rewriter: &'r mut Rewriter<'p>,
    /// Which variable each temporary is read from, in order.
    temporaries: Vec<(VariableId, VariableId)>,
    /// Temporaries of another branch, to be used again.
    known: Vec<(VariableId, VariableId)>,
}

impl Rewrite for Reads<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        let read = match &expr.kind {
            ExprKind::Load(place) => place.as_variable().filter(|one| self.rewriter.shared.contains_key(one)),
            _ => None,
        };
        let Some(variable) = read else { return rewrite::inside_expr(self, expr) };
        let again = self.known.get(self.temporaries.len()).filter(|(from, _)| *from == variable);
        let temporary = match again {
            Some(&(_, temporary)) => temporary,
            None => self.rewriter.temporary(variable),
        };
        self.temporaries.push((variable, temporary));
        let ty = self.rewriter.shared[&variable].ty;
        expr.kind = ExprKind::Load(Box::new(Place::variable(temporary, ty)));
    }
}

impl Rewriter<'_> {
    fn temporary(&mut self, shared: VariableId) -> VariableId {
        let own = Variable {
            name: Arc::from(format!("{} read", self.variables[shared].name)),
            ty: self.shared[&shared].ty.into(),
            kind: VariableKind::Temporary,
            procedure: Some(self.procedure),
            in_memory: false,
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: self.variables[shared].span,
        };
        let made = self.variables.push(own);
        self.made.push(made);
        made
    }

    fn graph(&mut self, graph: &mut Graph) -> Result<(), (VariableId, CannotShare)> {
        let nodes: Vec<NodeId> = graph.nodes.ids().collect();
        for node in nodes {
            self.reads_before(graph, node)?;
        }
        let edges: Vec<EdgeId> = graph.edges.ids().collect();
        for edge in edges {
            self.write_of(graph, edge);
        }
        Ok(())
    }

    /// What the steps that leave a node read is read before.
    fn reads_before(&mut self, graph: &mut Graph, node: NodeId) -> Result<(), (VariableId, CannotShare)> {
        let out = graph.nodes[node].out.clone();
        let mut reads: Option<Vec<(VariableId, VariableId)>> = None;
        for &edge in &out {
            let mut own =
                Reads { rewriter: self, temporaries: Vec::new(), known: reads.clone().unwrap_or_default() };
            // What is written is no read of it.
            match &mut graph.edges[edge].action {
                Action::Assign { target, value } => {
                    rewrite::inside_place(&mut own, target);
                    own.expr(value);
                }
                action => rewrite::inside_action(&mut own, action),
            }
            let found = own.temporaries;
            match &reads {
                Some(known) if *known != found => {
                    let variable =
                        known.iter().chain(&found).next().map_or(Id::from_index(0), |(from, _)| *from);
                    return Err((variable, CannotShare::ReadByBranches(graph.edges[edge].span)));
                }
                _ => reads = Some(found),
            }
        }
        let reads = reads.unwrap_or_default();
        let Some(&first) = out.first().filter(|_| !reads.is_empty()) else { return Ok(()) };
        let span = graph.edges[first].span;
        let after = graph.add_node(graph.nodes[node].span);
        graph.nodes[node].out.clear();
        for &edge in &out {
            graph.edges[edge].from = after;
        }
        graph.nodes[after].out = out;
        let mut at = node;
        let count = reads.len();
        for (index, (variable, temporary)) in reads.into_iter().enumerate() {
            let access = self.shared[&variable];
            let to = if index + 1 == count { after } else { graph.add_node(span) };
            let result = Some(Place::variable(temporary, access.ty));
            let callee = Callee::Direct(access.reader);
            graph.add_edge(at, to, Action::Call { result, callee, arguments: Vec::new() }, span);
            at = to;
        }
        Ok(())
    }

    /// A step that writes a shared variable calls its writer.
    fn write_of(&mut self, graph: &mut Graph, edge: EdgeId) {
        let shared = |place: &Place| place.as_variable().filter(|one| self.shared.contains_key(one));
        let Edge { action, to, span, .. } = graph.edges[edge].clone();
        let written = match &action {
            Action::Assign { target, .. } | Action::Havoc { target, .. } => shared(target),
            Action::Call { result: Some(result), .. } => shared(result),
            _ => None,
        };
        let Some(variable) = written else { return };
        let access = self.shared[&variable];
        let call = |value: Expr| Action::Call {
            result: None,
            callee: Callee::Direct(access.writer),
            arguments: vec![value],
        };
        if let Action::Assign { value, .. } = action {
            graph.edges[edge].action = call(value);
            return;
        }
        let temporary = self.temporary(variable);
        let place = Place::variable(temporary, access.ty);
        match &mut graph.edges[edge].action {
            Action::Havoc { target, .. } => *target = place.clone(),
            Action::Call { result, .. } => *result = Some(place.clone()),
            _ => {}
        }
        let between = graph.add_node(span);
        graph.nodes[to].into.retain(|&known| known != edge);
        graph.nodes[between].into.push(edge);
        graph.edges[edge].to = between;
        graph.add_edge(between, to, call(Expr::load(place)), span);
    }
}
