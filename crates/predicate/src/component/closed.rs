//! A component as a program of its own, for runs on real values: the program's procedures as they are, a `main` that sets
//! up what comes from outside and calls the component, and calls that the specification answers turned into a choice
//! among its ways. Whatever is open asks for an input by name; `script` says what a counterexample answers.
//! WHY the program's own graphs, and not the inlined one of the component: a run then shows that inlining, the resolution
//! of pointers and the terms agree with C.

use super::conditions::Condition;
use super::inline::{RawAction, RawEdge};
use super::memory::RootKind;
use super::origin::{Origin, Origins, Site, SiteKind};
use super::{CellId, Component, NodeId};
use base::{Id, Span};
use program::{
    Action, AssumeReason, BinaryOp, Callee, EdgeId, Expr, ExprKind, Graph, HavocSource, LifetimeStep, Place,
    PlaceBase, Procedure, ProcedureId, Program, Projection, Type, TypeId, UnaryOp, Variable, VariableId,
    VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A component as a program.
#[derive(Debug)]
pub struct Closed {
    /// Starts at its `main`.
    pub program: Program,
    /// The step of the component that is done when an edge is taken.
    pub completes: FxHashMap<(ProcedureId, EdgeId), Origin>,
    /// Edges that tell the truth of a proposition.
    pub tells: FxHashMap<(ProcedureId, EdgeId), usize>,
}

/// Closes a component. `start` is the value of each cell when it starts.
pub fn close(component: &mut Component, program: &Program, start: &dyn Fn(CellId) -> u128) -> Closed {
    let values: Vec<u128> = component.cells.ids().map(start).collect();
    let procedure = component.procedure;
    let origins = &mut component.origins;
    let int = origins.types.int();
    let cells = component.cells.ids().map(|cell| (cell, origins.projections(cell))).collect();
    let mut closer = Closer {
        int,
        cells,
        start: values,
        outermost: procedure,
        closed: Closed {
            program: Program {
                types: origins.types.clone(),
                sources: program.sources.clone(),
                variables: program.variables.clone(),
                procedures: program.procedures.clone(),
                main: None,
                constructors: Vec::new(),
                destructors: Vec::new(),
                assumptions: program.assumptions.clone(),
            },
            completes: FxHashMap::default(),
            tells: FxHashMap::default(),
        },
        objects: origins.variables.clone(),
        choice: VariableId::from_index(0),
        truths: Vec::new(),
        origins,
    };
    closer.choice = closer.global("choice", int);
    for _ in 0..closer.origins.propositions.len() {
        let truth = closer.global("truth", int);
        closer.truths.push(truth);
    }
    for procedure in closer.origins.entered.clone() {
        closer.procedure(procedure);
    }
    closer.main();
    closer.closed
}

struct Closer<'c> {
    origins: &'c Origins,
    int: TypeId,
    cells: Vec<(CellId, Vec<Projection>)>,
    start: Vec<u128>,
    outermost: ProcedureId,
    closed: Closed,
    /// Variables of the new program that objects of the component are.
    objects: FxHashMap<VariableId, VariableId>,
    /// Holds the answer to "which way?".
    choice: VariableId,
    truths: Vec<VariableId>,
}

/// Adds steps to a graph, one after the other.
struct Chain<'g> {
    graph: &'g mut Graph,
    at: program::NodeId,
    span: Span,
    last: Option<EdgeId>,
}

impl Chain<'_> {
    fn add(&mut self, action: Action) {
        let to = self.graph.add_node(self.span);
        self.last = Some(self.graph.add_edge(self.at, to, action, self.span));
        self.at = to;
    }

    /// Leads to a location that is there already.
    fn end(&mut self, to: program::NodeId, action: Action) -> EdgeId {
        self.graph.add_edge(self.at, to, action, self.span)
    }
}

fn retarget(graph: &mut Graph, edge: EdgeId, to: program::NodeId) {
    let old = graph.edges[edge].to;
    graph.nodes[old].into.retain(|&known| known != edge);
    graph.nodes[to].into.push(edge);
    graph.edges[edge].to = to;
}

fn ask(target: Place, name: String) -> Action {
    Action::Havoc { target, source: HavocSource::Input(Arc::from(name)) }
}

impl Closer<'_> {
    fn global(&mut self, name: &str, ty: TypeId) -> VariableId {
        let types = &self.closed.program.types;
        // Nothing is known inside an object without a size; it only has an address.
        let is_whole = types.size_of(ty).is_some_and(|size| size > 0);
        let ty = if is_whole { ty } else { self.closed.program.types.char() };
        let in_memory = !matches!(name, "choice" | "truth");
        self.closed.program.variables.push(Variable {
            name: Arc::from(name),
            ty: ty.into(),
            kind: VariableKind::Global,
            procedure: None,
            in_memory,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: Span::NOWHERE,
        })
    }

    /// The variable of the new program that is an object of the component.
    fn object(&mut self, root: VariableId) -> VariableId {
        if let Some(&known) = self.objects.get(&root) {
            return known;
        }
        let (name, ty) = (self.origins.roots[root].name.clone(), self.origins.roots[root].ty);
        let made = self.global(&name, ty);
        self.objects.insert(root, made);
        made
    }

    fn choice_place(&self) -> Place {
        Place::variable(self.choice, self.int)
    }

    fn number(&self, value: u128) -> Expr {
        Expr::integer(value, self.int, &self.closed.program.types)
    }

    fn is_chosen(&self, way: u128) -> Expr {
        self.compared(BinaryOp::Equal, Expr::load(self.choice_place()), self.number(way))
    }

    fn compared(&self, operator: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), ty: self.int }
    }

    /// The place of a cell inside a variable.
    fn cell_place(&self, cell: CellId, variable: VariableId) -> Place {
        let path = self.cells[cell.index()].1.clone();
        let spot = &self.origins.spots[cell];
        let ty = spot_type(self.origins, spot);
        Place { base: PlaceBase::Variable(variable), path, ty: ty.into() }
    }

    // ---- expressions over objects become expressions over variables

    fn expr(&mut self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Load(place) => ExprKind::Load(Box::new(self.place(place))),
            ExprKind::AddressOf(place) => ExprKind::AddressOf(Box::new(self.place(place))),
            ExprKind::Unary(operator, operand) => ExprKind::Unary(*operator, Box::new(self.expr(operand))),
            ExprKind::Binary(operator, left, right) => {
                ExprKind::Binary(*operator, Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            ExprKind::Cast(operand) => ExprKind::Cast(Box::new(self.expr(operand))),
            ExprKind::PointerOffset { pointer, index } => ExprKind::PointerOffset {
                pointer: Box::new(self.expr(pointer)),
                index: Box::new(self.expr(index)),
            },
            ExprKind::PointerDifference(left, right) => {
                ExprKind::PointerDifference(Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            other => other.clone(),
        };
        Expr { kind, ty: expr.ty }
    }

    fn place(&mut self, place: &Place) -> Place {
        let base = match &place.base {
            PlaceBase::Variable(root) => PlaceBase::Variable(self.object(*root)),
            PlaceBase::Pointer(pointer) => PlaceBase::Pointer(Box::new(self.expr(pointer))),
        };
        let mut path = Vec::new();
        for step in &place.path {
            path.push(match step {
                Projection::Index(index) => Projection::Index(Box::new(self.expr(index))),
                field => field.clone(),
            });
        }
        Place { base, path, ty: place.ty }
    }

    /// A condition as an `int`, all of whose parts are evaluated.
    fn condition(&mut self, condition: &Condition) -> Expr {
        match condition {
            Condition::Constant(value) => self.number(u128::from(*value)),
            Condition::Test(expr) => {
                let expr = self.expr(expr);
                let not = |operand: Expr| Expr {
                    kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)),
                    ty: self.int,
                };
                not(not(expr))
            }
            Condition::Not(inner) => {
                let inner = self.condition(inner);
                Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), ty: self.int }
            }
            Condition::All(parts) => self.joined(BinaryOp::BitAnd, 1, parts),
            Condition::Any(parts) => self.joined(BinaryOp::BitOr, 0, parts),
        }
    }

    fn joined(&mut self, operator: BinaryOp, empty: u128, parts: &[Condition]) -> Expr {
        let mut all = self.number(empty);
        for part in parts {
            let part = self.condition(part);
            all = self.compared(operator, all, part);
        }
        all
    }

    // ---- procedures

    fn procedure(&mut self, id: ProcedureId) {
        let Some(mut graph) = self.closed.program.procedures[id].body.clone() else { return };
        let count = graph.edges.len();
        let mut begun = FxHashSet::default();
        for index in 0..count {
            let edge = EdgeId::from_index(index);
            let Some(site) = self.origins.sites.get(&(id, edge)).cloned() else {
                self.plain_step(&mut graph, id, edge, &mut begun);
                continue;
            };
            self.replaced_step(&mut graph, id, edge, &site);
        }
        if id == self.outermost {
            self.tell_propositions(&mut graph);
        }
        self.enter(&mut graph, id, &begun);
        self.closed.program.procedures[id].body = Some(graph);
    }

    /// A step that means the same here as in the program; variables that begin their life there get their values.
    fn plain_step(
        &mut self,
        graph: &mut Graph,
        id: ProcedureId,
        edge: EdgeId,
        begun: &mut FxHashSet<VariableId>,
    ) {
        let action = graph.edges[edge].action.clone();
        let variable = match &action {
            Action::Havoc { target, source: HavocSource::Indeterminate } => target.as_variable(),
            Action::Lifetime { variable, step: LifetimeStep::Begin } => Some(*variable),
            _ => None,
        };
        if let Action::Event { .. } = action {
            let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
            let start = graph.add_node(span);
            graph.edges[edge].action = Action::Skip;
            retarget(graph, edge, start);
            let mut chain = Chain { graph, at: start, span, last: None };
            chain.add(ask(self.choice_place(), Origins::way_name((id, edge))));
            let last = chain.end(to, action);
            self.closed.completes.insert((id, last), Origin::Step(id, edge));
            return;
        }
        let Some(variable) = variable else {
            // A call is told when it is over; its first step is that of the procedure called.
            if !matches!(action, Action::Call { .. }) {
                self.closed.completes.insert((id, edge), Origin::Step(id, edge));
            }
            return;
        };
        let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
        if matches!(action, Action::Lifetime { .. }) {
            begun.insert(variable);
        } else {
            graph.edges[edge].action = Action::Skip;
        }
        let original = self.closed.program.procedures[id].body.as_ref();
        let is_repeated =
            original.is_some_and(|graph| super::inline::is_on_a_cycle(graph, &graph.edges[edge]));
        let keeps = id == self.outermost && !is_repeated;
        if keeps && !matches!(action, Action::Lifetime { .. }) {
            self.closed.completes.insert((id, edge), Origin::Step(id, edge));
            return;
        }
        let start = graph.add_node(span);
        retarget(graph, edge, start);
        let mut chain = Chain { graph, at: start, span, last: None };
        self.begin(&mut chain, variable, if keeps { None } else { Some(Origin::Step(id, edge)) });
        let last = chain.end(to, Action::Skip);
        self.closed.completes.insert((id, last), Origin::Step(id, edge));
    }

    /// The cells of a variable get values: those of the start, or what is asked for.
    fn begin(&mut self, chain: &mut Chain<'_>, variable: VariableId, asks_at: Option<Origin>) {
        let mut done = FxHashSet::default();
        for index in 0..self.cells.len() {
            let cell = self.cells[index].0;
            let root = self.origins.spots[cell].root;
            let is_own = self.origins.variables.get(&root) == Some(&variable);
            if !is_own || !done.insert(self.origins.spots[cell].path.clone()) {
                continue;
            }
            let place = self.cell_place(cell, variable);
            match asks_at.and_then(|at| self.origins.begin_name(at, cell)) {
                Some(name) => chain.add(ask(place, name)),
                None => {
                    let value = self.start_value(cell, place.ty.id);
                    chain.add(Action::Assign { target: place, value });
                }
            }
        }
    }

    fn replaced_step(&mut self, graph: &mut Graph, id: ProcedureId, edge: EdgeId, site: &Site) {
        let original = std::mem::replace(&mut graph.edges[edge].action, Action::Skip);
        let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
        let start = graph.add_node(span);
        retarget(graph, edge, start);
        let step = Origin::Step(id, edge);
        match site.kind {
            SiteKind::Ends => {
                let never = self.number(0);
                let condition =
                    Action::Assume { condition: never, expected: true, reason: AssumeReason::User };
                Chain { graph, at: start, span, last: None }.add(condition);
                self.closed.completes.insert((id, edge), step);
            }
            SiteKind::Single => {
                let mut chain = Chain { graph, at: start, span, last: None };
                for way in &site.ways {
                    self.actions(&mut chain, (id, edge), way);
                }
                let last = chain.end(to, Action::Skip);
                self.closed.completes.insert((id, last), step);
            }
            SiteKind::Return => {
                let mut chain = Chain { graph, at: start, span, last: None };
                chain.add(ask(self.choice_place(), Origins::way_name((id, edge))));
                let fork = chain.at;
                for way in &site.ways {
                    let mut chain = Chain { graph: &mut *graph, at: fork, span, last: None };
                    for action in &way.actions {
                        if let RawAction::Assume(condition) = action {
                            let condition = self.condition(condition);
                            let reason = AssumeReason::Branch;
                            chain.add(Action::Assume { condition, expected: true, reason });
                        }
                    }
                    if let Some(name) = &way.event {
                        chain.add(Action::Event { name: name.clone(), arguments: Vec::new() });
                    }
                    if let Some(last) = chain.last {
                        self.closed.completes.insert((id, last), step);
                    }
                    chain.end(to, original.clone());
                }
            }
            SiteKind::Routine { from, to: after } => {
                let mut nodes: FxHashMap<NodeId, program::NodeId> = FxHashMap::default();
                nodes.insert(from, start);
                nodes.insert(after, to);
                let mut forks: FxHashMap<NodeId, program::NodeId> = FxHashMap::default();
                for way in &site.ways {
                    let Some(Origin::Way(_, _, number)) = way.origin else { continue };
                    let own = Origin::Way(id, edge, number);
                    let at = *nodes.entry(way.from).or_insert_with(|| graph.add_node(span));
                    let target = *nodes.entry(way.to).or_insert_with(|| graph.add_node(span));
                    let mut chain = Chain { graph: &mut *graph, at, span, last: None };
                    if self.origins.is_asked(own) {
                        let name = Origins::way_name((id, edge));
                        chain.at = *forks.entry(way.from).or_insert_with(|| {
                            chain.add(ask(self.choice_place(), name));
                            chain.at
                        });
                        let condition = self.is_chosen(u128::from(number));
                        let reason = AssumeReason::Branch;
                        chain.add(Action::Assume { condition, expected: true, reason });
                    }
                    self.actions(&mut chain, (id, edge), way);
                    let last = match &way.event {
                        Some(name) => {
                            chain.end(target, Action::Event { name: name.clone(), arguments: Vec::new() })
                        }
                        None => chain.end(target, Action::Skip),
                    };
                    self.closed.completes.insert((id, last), own);
                }
            }
        }
    }

    fn actions(&mut self, chain: &mut Chain<'_>, site: (ProcedureId, EdgeId), way: &RawEdge) {
        for action in &way.actions {
            self.action(chain, site, action);
        }
        if way.trouble.is_some() {
            chain.add(Action::Unsupported(Arc::from("a step without a meaning")));
        }
    }

    fn action(&mut self, chain: &mut Chain<'_>, site: (ProcedureId, EdgeId), action: &RawAction) {
        match action {
            RawAction::Assume(condition) => {
                let condition = self.condition(condition);
                chain.add(Action::Assume { condition, expected: true, reason: AssumeReason::User });
            }
            RawAction::Assign(target, value) => {
                let (target, value) = (self.place(target), self.expr(value));
                chain.add(Action::Assign { target, value });
            }
            RawAction::Unknown { target, fresh, .. } => {
                let target = self.place(target);
                match fresh {
                    Some(root) => self.unknown_pointer(chain, site, target, *root),
                    None => chain.add(ask(target, Origins::value_name(site))),
                }
            }
            RawAction::Begin(_) => {}
            RawAction::Indirect { pointer, result } => {
                let pointer = self.expr(pointer);
                let null = Expr::integer(0, pointer.ty, &self.closed.program.types);
                let condition = self.compared(BinaryOp::NotEqual, pointer, null);
                chain.add(Action::Assume { condition, expected: true, reason: AssumeReason::User });
                if let Some(result) = result {
                    self.action(chain, site, result);
                }
            }
        }
    }

    /// Null, or the object's address: 0 or anything else is answered.
    fn unknown_pointer(
        &mut self,
        chain: &mut Chain<'_>,
        site: (ProcedureId, EdgeId),
        target: Place,
        root: VariableId,
    ) {
        chain.add(ask(self.choice_place(), Origins::value_name(site)));
        let (fork, joined) = (chain.at, chain.graph.add_node(chain.span));
        let (null, there) =
            (Expr::integer(0, target.ty.id, &self.closed.program.types), self.address(root, 0, target.ty.id));
        let is_null = self.is_chosen(0);
        for (expected, value) in [(true, null), (false, there)] {
            chain.at = fork;
            let condition = is_null.clone();
            chain.add(Action::Assume { condition, expected, reason: AssumeReason::Branch });
            chain.end(joined, Action::Assign { target: target.clone(), value });
        }
        chain.at = joined;
    }

    fn address(&mut self, root: VariableId, offset: u64, ty: TypeId) -> Expr {
        let variable = self.object(root);
        let own = self.closed.program.variables[variable].ty;
        let types = &mut self.closed.program.types;
        let (char, whole) = (types.char(), types.pointer(own));
        let (bytes, size) = (types.pointer(char), types.size_type());
        let place = Place::variable(variable, own);
        let address = Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: whole };
        if offset == 0 {
            return address.cast(ty);
        }
        let index = Expr::integer(u128::from(offset), size, types);
        let kind = ExprKind::PointerOffset { pointer: Box::new(address.cast(bytes)), index: Box::new(index) };
        Expr { kind, ty: bytes }.cast(ty)
    }

    /// The value of a cell when the component starts.
    fn start_value(&mut self, cell: CellId, ty: TypeId) -> Expr {
        let bits = self.start[cell.index()];
        let types = &self.closed.program.types;
        if !types.is_pointer(ty) || bits == 0 {
            return Expr::integer(bits, ty, types);
        }
        let found = self.origins.addresses.iter().find_map(|(&root, &address)| {
            let size = types.size_of(self.origins.roots[root].ty).unwrap_or(1).max(1);
            let offset = u64::try_from(bits).ok()?.checked_sub(address)?;
            (offset < size).then_some((root, offset))
        });
        let is_function = types.pointee(ty).is_some_and(|to| matches!(types.get(to.id), Type::Function(_)));
        match found {
            Some((root, offset)) if self.origins.roots[root].kind == RootKind::Outside => {
                self.address(root, offset, ty)
            }
            // Calls through it are answered from outside; it only has to be there.
            _ if is_function => {
                let own = self.closed.program.procedures[self.outermost].ty;
                let pointer = self.closed.program.types.pointer(own);
                Expr { kind: ExprKind::FunctionAddress(self.outermost), ty: pointer }.cast(ty)
            }
            _ => Expr::integer(bits, ty, types),
        }
    }

    /// After every step of the component's own procedure the propositions are evaluated.
    fn tell_propositions(&mut self, graph: &mut Graph) {
        if self.truths.is_empty() {
            return;
        }
        for index in 0..graph.edges.len() {
            let edge = EdgeId::from_index(index);
            let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
            if to == graph.exit {
                continue;
            }
            let start = graph.add_node(span);
            retarget(graph, edge, start);
            let mut chain = Chain { graph: &mut *graph, at: start, span, last: None };
            self.evaluate(&mut chain);
            chain.end(to, Action::Skip);
        }
    }

    fn evaluate(&mut self, chain: &mut Chain<'_>) {
        for index in 0..self.truths.len() {
            let condition = self.origins.propositions[index].clone();
            let value = self.condition(&condition);
            let target = Place::variable(self.truths[index], self.int);
            chain.add(Action::Assign { target, value });
            if let Some(edge) = chain.last {
                self.closed.tells.insert((self.outermost, edge), index);
            }
        }
    }

    /// Locals have their values before the first step.
    fn enter(&mut self, graph: &mut Graph, id: ProcedureId, begun: &FxHashSet<VariableId>) {
        let (first, span) = (graph.entry, graph.nodes[graph.entry].span);
        let entry = graph.add_node(span);
        graph.entry = entry;
        let mut chain = Chain { graph, at: entry, span, last: None };
        let asks_at = if id == self.outermost { None } else { Some(Origin::Entry(id)) };
        for local in self.closed.program.procedures[id].locals.clone() {
            let is_temporary = self.closed.program.variables[local].kind == VariableKind::Temporary;
            if !is_temporary && !begun.contains(&local) {
                self.begin(&mut chain, local, asks_at);
            }
        }
        if id == self.outermost {
            self.evaluate(&mut chain);
        }
        chain.end(first, Action::Skip);
    }

    /// Sets up what comes from outside and calls the component.
    fn main(&mut self) {
        let mut graph = Graph::new();
        let parameters = self.closed.program.procedures[self.outermost].parameters.clone();
        let mut arguments: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        for &parameter in &parameters {
            let ty = self.closed.program.variables[parameter].ty.id;
            let made = self.global("argument", ty);
            arguments.insert(parameter, made);
        }
        let mut chain = Chain { at: graph.entry, span: Span::NOWHERE, last: None, graph: &mut graph };
        for index in 0..self.cells.len() {
            let cell = self.cells[index].0;
            let root = self.origins.spots[cell].root;
            if self.origins.roots[root].kind != RootKind::Outside {
                continue;
            }
            let own = self.object(root);
            let variable = arguments.get(&own).copied().unwrap_or(own);
            let definition = &self.closed.program.variables[variable];
            // What never changes has the value that the program says.
            if definition.kind == VariableKind::StringLiteral || is_constant(&self.closed.program, definition)
            {
                continue;
            }
            let place = self.cell_place(cell, variable);
            let value = self.start_value(cell, place.ty.id);
            chain.add(Action::Assign { target: place, value });
        }
        let loads = parameters.iter().map(|parameter| {
            let variable = arguments[parameter];
            Expr::load(Place::variable(variable, self.closed.program.variables[variable].ty))
        });
        let callee = Callee::Direct(self.outermost);
        chain.add(Action::Call { result: None, callee, arguments: loads.collect() });
        let (int, exit) = (self.int, chain.graph.exit);
        let value = Some(self.number(0));
        chain.end(exit, Action::Return { value });
        let function = program::types::FunctionType {
            result: int.into(),
            parameters: Vec::new(),
            is_variadic: false,
            has_prototype: true,
        };
        let ty = self.closed.program.types.intern(Type::Function(function));
        let main = self.closed.program.procedures.push(Procedure {
            name: Arc::from("main"),
            ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: Some(graph),
            origin: program::Origin::User,
            known: None,
            is_static: false,
            is_noreturn: false,
            is_atomic: false,
            span: Span::NOWHERE,
        });
        self.closed.program.main = Some(main);
    }
}

fn is_constant(program: &Program, variable: &Variable) -> bool {
    let mut ty = variable.ty;
    loop {
        if ty.qualifiers.is_const {
            return true;
        }
        match program.types.get(ty.id) {
            Type::Array(element, _) => ty = *element,
            _ => return false,
        }
    }
}

/// The type of what is at a spot.
fn spot_type(origins: &Origins, spot: &super::memory::Spot) -> TypeId {
    super::memory::type_at(&origins.types, &origins.roots, spot).expect("a cell has a type")
}
