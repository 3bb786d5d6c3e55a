//! What the program is started with: `argc` and `argv` are inputs like any other.
//!
//! `main` gets a beginning that draws them. `argc` counts the program's name and is no larger than a system allows.
//! What `argv` points to is drawn only where the question is about some of the runs ([`Arguments::Some`]): a violation
//! among those is one, a proof about those is none.

use crate::function::FunctionLowering;
use crate::link::Linker;
use base::Span;
use csource::types::{ArrayLength, Type, TypeId};
use program::expr::ExprPart;
use program::{
    Action, AssumeReason, AssumptionKind, BinaryOp, Callee, Expr, ExprKind, HavocSource, Origin, Place,
    PlaceBase, Procedure, ProcedureId, Projection, Variable, VariableId, VariableKind,
};
use std::sync::Arc;

/// What `main` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Any number of arguments; what `argv` points to is not known.
    Any,
    /// The program's name and fewer arguments than `count`, each shorter than `size` bytes: a part of all runs.
    Some {
        /// The largest `argc`.
        count: u32,
        /// Bytes for each, its end included.
        size: u64,
    },
}

/// Linux passes at most six megabytes, of which each argument takes nine bytes or more.
const MOST_ARGUMENTS: i32 = 1_000_000;

/// Does `main` look at what it is given through `argv`?
pub fn are_read(program: &program::Program) -> bool {
    let main = program.main.map(|main| &program.procedures[main]);
    main.is_some_and(|main| main.parameters.get(1).is_some_and(|&argv| mentions(main, argv)))
}

/// Does a run look at what `main` is given through `argv`? Told by the steps that `main` made itself, and those that it
/// stands before at the end. That the pointer is not null is known.
pub fn are_read_on(program: &program::Program, steps: &[program::EdgeId]) -> bool {
    let main = program.main.map(|main| &program.procedures[main]);
    let Some((main, body)) = main.and_then(|main| Some((main, main.body.as_ref()?))) else { return false };
    let Some(&argv) = main.parameters.get(1) else { return false };
    let next = steps.last().map_or(body.entry, |&last| body.edges[last].to);
    let reads = |edge: program::EdgeId| match &body.edges[edge].action {
        Action::Havoc { target, .. } if target.as_variable() == Some(argv) => false,
        Action::Assume { condition, .. } if is_null_test(condition, argv) => false,
        action => mentioned(action, argv),
    };
    steps.iter().chain(&body.nodes[next].out).any(|&edge| reads(edge))
}

/// Is it a comparison of the pointer itself with null?
fn is_null_test(condition: &Expr, pointer: VariableId) -> bool {
    let ExprKind::Binary(BinaryOp::NotEqual, one, two) = &condition.kind else { return false };
    let is_it = matches!(&one.kind, ExprKind::Load(place) if place.as_variable() == Some(pointer));
    is_it && two.as_integer() == Some(0)
}

/// Lets `main` begin by drawing its arguments, if it has any that matter.
pub fn draw(linker: &mut Linker, arguments: Arguments) -> bool {
    let is_main = |procedure: &Procedure| {
        &*procedure.name == "main" && procedure.body.is_some() && procedure.origin == Origin::User
    };
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    let Some(main) = ids.into_iter().find(|&id| is_main(&linker.procedures[id])) else { return false };
    let procedure = &linker.procedures[main];
    let [argc, argv, ..] = procedure.parameters[..] else { return false };
    let is_int = linker.variables[argc].ty.id == linker.session.types.int();
    let (counts, reads) = (mentions(procedure, argc), mentions(procedure, argv));
    let more = procedure.parameters[2..].iter().any(|&parameter| mentions(procedure, parameter));
    let table = match arguments {
        Arguments::Some { .. } => linker.string_of_table(argv),
        Arguments::Any => None,
    };
    if !counts && !reads && !more {
        return false;
    }
    let is_usual = is_int && !is_called(linker, main);
    let is_open = more || (reads && (!is_usual || (arguments != Arguments::Any && table.is_none())));
    if !is_usual && !is_open {
        return false;
    }
    let span = linker.variables[argc].span;
    let most = match (arguments, &table) {
        (Arguments::Some { count, .. }, Some(_)) => count.min(MOST_ARGUMENTS as u32) as i32,
        _ => MOST_ARGUMENTS,
    };
    let message = format!("the program is started with its name and fewer than {most} arguments");
    if is_open {
        // Whatever it is, it is no arbitrary pointer.
        let mut beginning = Beginning::of(linker, main, span);
        beginning.lowering.unsupported("what `main` is given beside `argc` and an `argv` of strings", span);
        beginning.end();
        return true;
    }
    linker.assume(AssumptionKind::Entry, "argc", span, message);
    let mut beginning = Beginning::of(linker, main, span);
    beginning.count(argc, most);
    match (arguments, table) {
        (Arguments::Some { size, .. }, Some(character)) => {
            beginning.strings(argc, argv, character, most, size)
        }
        _ if reads => beginning.unknown(argv),
        _ => {}
    }
    beginning.end();
    true
}

fn mentions(procedure: &Procedure, variable: VariableId) -> bool {
    let mut edges = procedure.body.iter().flat_map(|body| &body.edges);
    edges.any(|edge| mentioned(&edge.action, variable))
}

fn mentioned(action: &Action, variable: VariableId) -> bool {
    let mut found = false;
    action.visit(&mut |part| {
        found |= matches!(part, ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, _) if *id == variable);
    });
    found
}

/// A `main` that the program calls itself takes what it is given there.
pub(crate) fn is_called(linker: &Linker, main: ProcedureId) -> bool {
    let mut found = false;
    for edge in
        linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref()).flat_map(|body| &body.edges)
    {
        found |=
            matches!(&edge.action, Action::Call { callee: Callee::Direct(callee), .. } if *callee == main);
        edge.action.visit(&mut |part| {
            found |= matches!(part, ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) if *id == main);
        });
    }
    found
}

impl Linker {
    /// The type of characters, if the variable is a pointer to pointers to characters.
    fn string_of_table(&self, variable: VariableId) -> Option<TypeId> {
        let types = &self.session.types;
        let Type::Pointer(string) = types.get(self.variables[variable].ty.id) else { return None };
        let Type::Pointer(character) = types.get(string.id) else { return None };
        (types.is_integer(character.id) && types.size_of(character.id) == Some(1)).then_some(character.id)
    }
}

/// The beginning of `main` under construction.
struct Beginning<'l> {
    lowering: FunctionLowering<'l>,
    first: program::NodeId,
    start: program::NodeId,
    span: Span,
}

impl<'l> Beginning<'l> {
    fn of(linker: &'l mut Linker, main: ProcedureId, span: Span) -> Beginning<'l> {
        let mut lowering = FunctionLowering::again(linker, main);
        let (first, start) = (lowering.current, lowering.graph.add_node(span));
        lowering.current = start;
        Beginning { lowering, first, start, span }
    }

    fn end(mut self) {
        self.lowering.emit_to(self.first, Action::Skip, self.span);
        self.lowering.graph.entry = self.start;
        self.lowering.finish_body();
    }

    /// `argc` from one to the most.
    fn count(&mut self, argc: VariableId, most: i32) {
        let place = self.lowering.place_of(argc);
        self.havoc(place, "argc".to_owned(), self.span);
        for (op, bound) in [(BinaryOp::GreaterEqual, 1), (BinaryOp::LessEqual, most)] {
            let condition = self.compared(op, argc, bound);
            let reason = AssumeReason::User;
            self.lowering.emit(Action::Assume { condition, expected: true, reason }, self.span);
        }
    }

    /// It is not null; what it points to is not known.
    fn unknown(&mut self, argv: VariableId) {
        let place = self.lowering.place_of(argv);
        self.havoc(place, "argv".to_owned(), self.span);
        let (value, int) = (self.lowering.value_of(argv), self.lowering.int());
        let types = &self.lowering.linker.session.types;
        let null = Expr::integer(0, value.ty, types);
        let condition = crate::fold::binary(BinaryOp::NotEqual, value, null, int, types);
        let reason = AssumeReason::User;
        self.lowering.emit(Action::Assume { condition, expected: true, reason }, self.span);
    }

    /// Each argument is a string of its own, and the table ends with a null pointer.
    fn strings(&mut self, argc: VariableId, argv: VariableId, character: TypeId, most: i32, size: u64) {
        let Type::Pointer(string) =
            self.lowering.linker.session.types.get(self.lowering.linker.variables[argv].ty.id)
        else {
            return;
        };
        let string = string.id;
        let types = &mut self.lowering.linker.session.types;
        let table_type = types.array(string, ArrayLength::Known(most as u64 + 1));
        let array_type = types.array(character, ArrayLength::Known(size));
        let table = self.object(".argv", table_type);
        for index in 0..most {
            let array = self.object(&format!(".argv_{index}"), array_type);
            let joined = self.lowering.graph.add_node(Span::NOWHERE);
            let given = self.compared(BinaryOp::Greater, argc, index);
            let reason = AssumeReason::Branch;
            let absent = Action::Assume { condition: given.clone(), expected: false, reason };
            // Static variables are zero: what is not given is null.
            self.lowering.emit_to(joined, absent, Span::NOWHERE);
            self.lowering.emit(Action::Assume { condition: given, expected: true, reason }, Span::NOWHERE);
            for at in 0..size - 1 {
                let place = self.element(array, array_type, character, at);
                self.havoc(place, format!("argv[{index}][{at}]"), Span::NOWHERE);
            }
            let first = self.element(array, array_type, character, 0);
            let value = Expr { kind: ExprKind::AddressOf(Box::new(first)), ty: string };
            let target = self.element(table, table_type, string, index as u64);
            self.lowering.emit_to(joined, Action::Assign { target, value }, Span::NOWHERE);
            self.lowering.current = joined;
        }
        let first = self.element(table, table_type, string, 0);
        let ty = self.lowering.linker.variables[argv].ty.id;
        let value = Expr { kind: ExprKind::AddressOf(Box::new(first)), ty };
        let target = self.lowering.place_of(argv);
        self.lowering.emit(Action::Assign { target, value }, Span::NOWHERE);
    }

    fn havoc(&mut self, target: Place, name: String, span: Span) {
        let source = HavocSource::Input(Arc::from(name));
        self.lowering.emit(Action::Havoc { target, source }, span);
    }

    fn compared(&mut self, op: BinaryOp, variable: VariableId, bound: i32) -> Expr {
        let (value, bound, int) =
            (self.lowering.value_of(variable), self.lowering.int_constant(bound), self.lowering.int());
        crate::fold::binary(op, value, bound, int, &self.lowering.linker.session.types)
    }

    fn element(&mut self, array: VariableId, ty: TypeId, element: TypeId, index: u64) -> Place {
        let mut place = Place::variable(array, ty);
        place.path.push(Projection::Index(Box::new(self.lowering.size_constant(index))));
        place.ty = element.into();
        place
    }

    /// An object that is there as long as the program runs.
    fn object(&mut self, name: &str, ty: TypeId) -> VariableId {
        self.lowering.linker.variables.push(Variable {
            name: Arc::from(name),
            ty: ty.into(),
            kind: VariableKind::Global,
            procedure: None,
            in_memory: true,
            is_file_local: true,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: self.span,
        })
    }
}
