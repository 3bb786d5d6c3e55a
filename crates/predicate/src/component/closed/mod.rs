//! A component as a program of its own, for runs on real values: the program's procedures as they are, a
//! `main` that sets up what comes from outside and calls the component, and calls that the specification
//! answers turned into a choice among its ways. Whatever is open asks for an input by name; `script` says
//! what a counterexample answers. WHY the program's own graphs, and not the inlined one of the component: a
//! run then shows that inlining, the resolution of pointers and the terms agree with C.

mod expressions;
pub(super) mod steps;

use super::constants::never_changes;
use super::memory::RootKind;
use super::origin::{Origin, Origins};
use super::{CellId, Component};
use base::{Id, Span};
use program::{
    Action, BinaryOp, Callee, EdgeId, Expr, ExprKind, Graph, Place, PlaceBase, Procedure, ProcedureId,
    Program, Projection, Type, TypeId, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use steps::Chain;

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
                visible: Vec::new(),
                missing_writes: false,
                draws_arguments: false,
                labels: Default::default(),
                entry: None,
                destructors: Vec::new(),
                assumptions: program.assumptions.clone(),
                interleaving: None,
            },
            completes: FxHashMap::default(),
            tells: FxHashMap::default(),
        },
        objects: origins.variables.clone(),
        choice: VariableId::from_index(0),
        truths: Vec::new(),
        outside: None,
        origins,
    };
    closer.choice = closer.global("choice", int);
    for _ in 0..closer.origins.propositions.len() {
        let truth = closer.global("truth", int);
        closer.truths.push(truth);
    }
    for procedure in closer.origins.entered.clone() {
        closer.procedure(procedure);
        // Where its body is part of the component, the run goes through the body too.
        closer.closed.program.procedures[procedure].known = None;
    }
    closer.main();
    closer.closed
}

pub(super) struct Closer<'c> {
    pub(super) origins: &'c Origins,
    pub(super) int: TypeId,
    cells: Vec<(CellId, Vec<Projection>)>,
    start: Vec<u128>,
    outermost: ProcedureId,
    closed: Closed,
    /// Variables of the new program that objects of the component are.
    objects: FxHashMap<VariableId, VariableId>,
    /// Holds the answer to "which way?".
    choice: VariableId,
    truths: Vec<VariableId>,
    /// Stands for functions that the program does not show.
    outside: Option<ProcedureId>,
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
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: Span::NOWHERE,
        })
    }

    /// The variable of the new program that is an object of the component.
    pub(super) fn object(&mut self, root: VariableId) -> VariableId {
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

    pub(super) fn compared(&self, operator: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), ty: self.int }
    }

    /// The place of a cell inside a variable.
    fn cell_place(&self, cell: CellId, variable: VariableId) -> Place {
        let path = self.cells[cell.index()].1.clone();
        let spot = &self.origins.spots[cell];
        let ty = spot_type(self.origins, spot);
        Place { base: PlaceBase::Variable(variable), path, ty: ty.into() }
    }

    pub(super) fn address(&mut self, root: VariableId, offset: u64, ty: TypeId) -> Expr {
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
                let procedure = super::values::function_at(bits, self.closed.program.procedures.len())
                    .unwrap_or_else(|| self.outside_function());
                let own = self.closed.program.procedures[procedure].ty;
                let pointer = self.closed.program.types.pointer(own);
                Expr { kind: ExprKind::FunctionAddress(procedure), ty: pointer }.cast(ty)
            }
            _ => Expr::integer(bits, ty, types),
        }
    }

    /// A function that the program does not show: calls of it are answered from outside.
    fn outside_function(&mut self) -> ProcedureId {
        if let Some(known) = self.outside {
            return known;
        }
        let mut own = self.closed.program.procedures[self.outermost].clone();
        own.name = Arc::from("a function from outside");
        own.body = None;
        own.origin = program::Origin::Nowhere;
        own.parameters.clear();
        own.locals.clear();
        let made = self.closed.program.procedures.push(own);
        self.outside = Some(made);
        made
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
            if never_changes(&self.closed.program.types, definition) {
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

/// The type of what is at a spot.
fn spot_type(origins: &Origins, spot: &super::memory::ObjectPart) -> TypeId {
    super::memory::type_at(&origins.types, &origins.roots, spot).expect("a cell has a type")
}
