//! Procedures to one graph: calls with a body are inlined, calls with a specification become its moves, other
//! calls follow the missing-body rule (`calls`). The graph still speaks about C places; `encode` gives it its
//! meaning.

mod calls;

use super::conditions::{Condition, Scope};
use super::memory::{Memory, RootKind};
use super::origin::{Origin, Site, SiteKind};
use super::routine::{Returns, Routine};
use super::{CannotBuild, Component, NoMeaning, Node, NodeId};
use base::{IndexVec, Span};
use program::rewrite::{self, Rewrite};
use program::{
    Action, AssumeReason, Callee, Expr, ExprKind, Place, PlaceBase, ProcedureId, Program, Type, TypeId,
    VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use spec::cexpr::CExpression;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What becomes of a call of a function with neither body nor specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingRule {
    /// Nothing can be said past it.
    #[default]
    Forbid,
    /// It returns any value and may write whatever its pointer arguments and the globals it sees lead to.
    Nondeterministic,
    /// It returns any value and changes nothing; an assumption says so.
    Pure,
}

/// What variables with static storage hold when a component starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlobalsRule {
    /// Any value: other code may have run before. Those that are `const` have their initialisers' values.
    #[default]
    Any,
    /// What their initialisers say, zero without one: the component starts when the program does.
    Initialised,
}

/// What a component is made from.
pub struct Build<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure that is the component.
    pub procedure: ProcedureId,
    /// How the component is called.
    pub name: Arc<str>,
    /// What holds when it starts, over `$1`, `$2`, … and variables.
    pub guard: Option<&'a CExpression>,
    /// What the specification says about a function called at a place.
    pub routines: &'a dyn Fn(&str, Span) -> Vec<Routine>,
    /// Does the specification ask for the body of a function (the second) where another (the first) calls it?
    pub is_inlined: &'a dyn Fn(&str, &str) -> bool,
    /// What becomes of other functions without a body.
    pub missing: MissingRule,
    /// What its global variables hold when it starts.
    pub globals: GlobalsRule,
    /// How deep functions may call themselves; past that nothing is known.
    pub recursion: usize,
    /// The returns the question tells apart.
    pub returns: &'a Returns,
    /// Predicates that the user supplies.
    pub predicates: &'a [CExpression],
    /// Propositions whose truth must be known in every state.
    pub propositions: &'a [CExpression],
}

/// Calls nest at most this deep.
const MOST_NESTING: usize = 128;
/// Steps of a component, with the bodies of all that it calls.
const MOST_STEPS: usize = 8_000;

#[derive(Clone, Debug)]
pub(super) enum RawAction {
    Assume(Condition),
    Assign(Place, Expr),
    /// Any value; a pointer is null or points to the fresh object.
    Unknown {
        target: Place,
        source: Arc<str>,
        fresh: Option<VariableId>,
    },
    /// The variable begins its life.
    Begin(VariableId),
    /// A call through a pointer to a function that is none of those known to be called there.
    Indirect {
        pointer: Expr,
        result: Option<Box<RawAction>>,
        /// Functions that the pointer does not point to: their calls are steps of their own.
        known: Vec<ProcedureId>,
        /// How many arguments it is given.
        arguments: usize,
    },
    /// What the pointer leads to is free again, if it was allocated again and again.
    Free(Expr),
    /// A function that nobody sees may have written whatever its arguments and the globals it sees lead to.
    /// Becomes unknown values when it is clear what that is.
    Clobber {
        function: Arc<str>,
        arguments: Vec<Expr>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct RawEdge {
    pub from: NodeId,
    pub to: NodeId,
    pub actions: Vec<RawAction>,
    pub event: Option<Arc<str>>,
    pub text: String,
    pub span: Span,
    pub is_branch: bool,
    pub trouble: Option<NoMeaning>,
    pub origin: Option<Origin>,
    /// The call through a pointer and the function that it leads to here, where this is the way into that function.
    pub leads_to: Option<(CallSite, ProcedureId)>,
}

/// The step of a procedure that calls.
pub(super) type CallSite = (ProcedureId, program::EdgeId);

impl RawEdge {
    pub fn new(from: NodeId, to: NodeId, text: &str, span: Span) -> RawEdge {
        let text = text.to_owned();
        RawEdge {
            from,
            to,
            actions: Vec::new(),
            event: None,
            text,
            span,
            is_branch: false,
            trouble: None,
            origin: None,
            leads_to: None,
        }
    }
}

pub(super) struct Inliner<'a> {
    pub build: &'a Build<'a>,
    pub memory: Memory,
    pub nodes: IndexVec<NodeId, Node>,
    pub edges: Vec<RawEdge>,
    pub(super) globals: FxHashMap<VariableId, VariableId>,
    pub globals_by_name: FxHashMap<Arc<str>, VariableId>,
    stack: Vec<ProcedureId>,
    pub assumptions: BTreeSet<String>,
    /// Variables with static storage that are used.
    pub(super) used_globals: RefCell<BTreeSet<VariableId>>,
    /// What is called at each call through a pointer, as far as it is known.
    pub(super) callees: FxHashMap<CallSite, BTreeSet<ProcedureId>>,
    /// Those of them to which nothing in the program sets the pointer: whoever set it may have.
    pub(super) guesses: BTreeSet<(CallSite, ProcedureId)>,
    /// The program's variable that an object stands for.
    pub variables: FxHashMap<VariableId, VariableId>,
    /// Procedures whose steps are part of the component.
    pub entered: BTreeSet<ProcedureId>,
    /// Those of them that call themselves.
    pub recursive: BTreeSet<ProcedureId>,
    /// Objects that are allocated again and again.
    pub pools: super::pool::Pools,
    /// Steps of the program that mean something else here than there.
    pub sites: FxHashMap<(ProcedureId, program::EdgeId), Site>,
    /// The step of the program that is looked at.
    pub(super) site: (ProcedureId, program::EdgeId),
    /// May what is looked at happen again and again, because the procedure is called again?
    pub(super) is_repeated: bool,
}

/// Variables of one call.
#[derive(Default)]
pub(super) struct Frame {
    roots: FxHashMap<VariableId, VariableId>,
    /// Parameters that always have the value they were called with, a constant.
    constants: FxHashMap<VariableId, Expr>,
}

impl Frame {
    fn insert(&mut self, variable: VariableId, root: VariableId) {
        self.roots.insert(variable, root);
    }
}

/// Does the procedure leave its parameter as it was?
fn keeps(program: &Program, procedure: ProcedureId, parameter: VariableId) -> bool {
    let is_it = |place: &Place| match place.base {
        PlaceBase::Variable(variable) => variable == parameter,
        PlaceBase::Pointer(_) => false,
    };
    let changes = |edge: &program::Edge| match &edge.action {
        Action::Assign { target, .. } | Action::Havoc { target, .. } => is_it(target),
        Action::Call { result, .. } => result.as_ref().is_some_and(is_it),
        _ => false,
    };
    let body = program.procedures[procedure].body.as_ref();
    !program.variables[parameter].in_memory && body.is_some_and(|graph| !graph.edges.iter().any(changes))
}

/// Makes the component, or says why it cannot.
pub fn build(build: &Build<'_>) -> Result<Component, CannotBuild> {
    // What pointers to functions point to is known only when everything is inlined, which may bring in more.
    let mut callees = FxHashMap::default();
    loop {
        let (mut inliner, scope, entry) = inlined(build, std::mem::take(&mut callees))?;
        if inliner.found_callees() {
            callees = inliner.callees;
            continue;
        }
        inliner.settle_clobbers();
        if !inliner.used_globals.borrow().is_empty() {
            inliner.assume(match build.globals {
                GlobalsRule::Any => "global variables have any value at the start, except those that are `const`",
                GlobalsRule::Initialised => {
                    "global variables have the values of their initialisers at the start, those of other files any value"
                }
            });
        }
        return super::encode::encode(inliner, &scope, entry);
    }
}

/// Everything in one graph, with what its pointers may point to.
fn inlined<'a>(
    build: &'a Build<'a>,
    callees: FxHashMap<CallSite, BTreeSet<ProcedureId>>,
) -> Result<(Inliner<'a>, Scope, NodeId), CannotBuild> {
    let program = build.program;
    let mut inliner = Inliner {
        build,
        memory: Memory::new(program.types.clone()),
        nodes: IndexVec::new(),
        edges: Vec::new(),
        globals: FxHashMap::default(),
        globals_by_name: FxHashMap::default(),
        stack: Vec::new(),
        assumptions: BTreeSet::new(),
        used_globals: RefCell::default(),
        callees,
        guesses: BTreeSet::new(),
        variables: FxHashMap::default(),
        entered: BTreeSet::new(),
        recursive: BTreeSet::new(),
        pools: super::pool::Pools::default(),
        sites: FxHashMap::default(),
        site: (build.procedure, base::Id::from_index(0)),
        is_repeated: false,
    };
    for (id, variable) in program.variables.iter_enumerated() {
        if matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral) {
            let root = inliner.memory.add(variable.name.clone(), variable.ty.id, RootKind::Outside);
            inliner.globals.insert(id, root);
            inliner.variables.insert(root, id);
            if variable.procedure.is_none() && variable.kind == VariableKind::Global {
                inliner.globals_by_name.insert(variable.name.clone(), root);
            }
        }
    }
    inliner.fix_constants();
    let procedure = &program.procedures[build.procedure];
    let mut frame = Frame::default();
    let mut scope = Scope { names: inliner.globals_by_name.clone(), ..Scope::default() };
    for &parameter in &procedure.parameters {
        let variable = &program.variables[parameter];
        let root = inliner.memory.add(variable.name.clone(), variable.ty.id, RootKind::Outside);
        frame.insert(parameter, root);
        inliner.variables.insert(root, parameter);
        scope.names.insert(variable.name.clone(), root);
        scope.arguments.push(Expr::load(Place::variable(root, variable.ty)));
    }
    let entry = inliner.node(procedure.span);
    let end = inliner.node(procedure.span);
    inliner.nodes[end].is_end = true;
    inliner.inline(build.procedure, frame, &mut scope, None, entry, end)?;
    inliner.settle_pointers();
    Ok((inliner, scope, entry))
}

impl Inliner<'_> {
    pub fn node(&mut self, span: Span) -> NodeId {
        self.nodes.push(Node { span, ..Node::default() })
    }

    pub fn local(&mut self, name: &str, ty: TypeId) -> VariableId {
        self.memory.add(Arc::from(name), ty, RootKind::Local)
    }

    pub fn trouble(&mut self, from: NodeId, to: NodeId, trouble: NoMeaning, text: &str, span: Span) {
        let mut edge = RawEdge::new(from, to, text, span);
        edge.trouble = Some(trouble);
        self.edges.push(edge);
    }

    pub fn assume(&mut self, sentence: impl Into<String>) {
        self.assumptions.insert(sentence.into());
    }

    /// Any value for a place; a pointer gets an object of its own.
    pub fn unknown_value(&mut self, target: Place, source: &str) -> RawAction {
        let to = self.memory.types.pointee(target.ty.id);
        let fresh = to.filter(|to| !matches!(self.memory.types.get(to.id), Type::Function(_))).map(|to| {
            self.assume(format!(
                "`{source}` returns null or a pointer to an object of its own, the same each time"
            ));
            self.memory.add(Arc::from(format!("*{source}()")), to.id, RootKind::Outside)
        });
        RawAction::Unknown { target, source: Arc::from(source), fresh }
    }

    /// One call: its parameters are in `frame` already. `result` gets the value; the outermost call returns
    /// by events.
    fn inline(
        &mut self,
        procedure: ProcedureId,
        mut frame: Frame,
        scope: &mut Scope,
        result: Option<&Place>,
        start: NodeId,
        finish: NodeId,
    ) -> Result<(), CannotBuild> {
        let program = self.build.program;
        let definition = &program.procedures[procedure];
        let Some(graph) = &definition.body else {
            return Err(CannotBuild::NoBody { procedure: definition.name.to_string() });
        };
        let is_outermost = self.stack.is_empty();
        self.stack.push(procedure);
        self.entered.insert(procedure);
        let mut begins = Vec::new();
        for &local in &definition.locals {
            let variable = &program.variables[local];
            let name = if is_outermost {
                variable.name.to_string()
            } else {
                format!("{}::{}", definition.name, variable.name)
            };
            let root = self.local(&name, variable.ty.id);
            frame.insert(local, root);
            self.variables.insert(root, local);
            if variable.kind != VariableKind::Temporary {
                begins.push(root);
                if is_outermost {
                    scope.names.insert(variable.name.clone(), root);
                }
            }
        }
        let mut nodes: FxHashMap<program::NodeId, NodeId> = FxHashMap::default();
        for (id, node) in graph.nodes.iter_enumerated() {
            let own = if id == graph.exit { finish } else { self.node(node.span) };
            nodes.insert(id, own);
        }
        if is_outermost {
            // The locals have arbitrary values at the start already.
            let first = nodes[&graph.entry];
            self.edges.push(RawEdge::new(start, first, "", definition.span));
        } else {
            let mut edge = RawEdge::new(start, nodes[&graph.entry], "", definition.span);
            edge.actions = begins.into_iter().map(RawAction::Begin).collect();
            edge.origin = Some(Origin::Entry(procedure));
            self.edges.push(edge);
        }
        for (id, edge) in graph.edges.iter_enumerated() {
            self.site = (procedure, id);
            let ends = (nodes[&edge.from], nodes[&edge.to]);
            let is_repeated = matches!(edge.action, Action::Havoc { .. } | Action::Lifetime { .. })
                && is_on_a_cycle(graph, edge);
            self.step(edge, &frame, ends, result, is_outermost, is_repeated)?;
        }
        self.stack.pop();
        Ok(())
    }

    fn step(
        &mut self,
        edge: &program::Edge,
        frame: &Frame,
        (from, to): (NodeId, NodeId),
        result: Option<&Place>,
        is_outermost: bool,
        is_repeated: bool,
    ) -> Result<(), CannotBuild> {
        let program = self.build.program;
        let text = program.show().edge(edge);
        let mut raw = RawEdge::new(from, to, &text, edge.span);
        raw.origin = Some(Origin::Step(self.site.0, self.site.1));
        match &edge.action {
            Action::Skip => {}
            Action::Assume { condition, expected, reason } => {
                raw.is_branch = *reason == AssumeReason::Branch;
                let condition = Condition::Test(self.renamed(condition, frame)).expected(*expected);
                raw.actions.push(RawAction::Assume(condition));
            }
            Action::Assign { target, value } => {
                raw.actions
                    .push(RawAction::Assign(self.renamed_place(target, frame), self.renamed(value, frame)));
            }
            // A variable without a value has an arbitrary one from the start; only a round of a loop can
            // change that.
            Action::Havoc { target, source: program::HavocSource::Indeterminate } => {
                if let Some(variable) = target.as_variable() {
                    if is_repeated || !is_outermost {
                        raw.actions.push(RawAction::Begin(self.root(variable, frame)));
                    }
                } else {
                    let source = Arc::from(program.show().place(target));
                    let target = self.renamed_place(target, frame);
                    raw.actions.push(RawAction::Unknown { target, source, fresh: None });
                    self.note(SiteKind::Single, std::slice::from_ref(&raw));
                }
            }
            Action::Havoc { target, source } => {
                let target = self.renamed_place(target, frame);
                let source = match source {
                    program::HavocSource::Input(name) => name.clone(),
                    _ => Arc::from("asm"),
                };
                raw.actions.push(RawAction::Unknown { target, source, fresh: None });
                self.note(SiteKind::Single, std::slice::from_ref(&raw));
            }
            Action::Call { result, callee, arguments } => {
                let arguments: Vec<Expr> = arguments.iter().map(|one| self.renamed(one, frame)).collect();
                let result = result.as_ref().map(|place| self.renamed_place(place, frame));
                match callee {
                    Callee::Direct(procedure) => {
                        return self.call(
                            *procedure,
                            &arguments,
                            result.as_ref(),
                            (from, to),
                            &text,
                            edge.span,
                        );
                    }
                    Callee::Indirect(pointer) => {
                        let name = program.show().expr(pointer);
                        let pointer = self.renamed(pointer, frame);
                        return self.call_through(pointer, &name, &arguments, result.as_ref(), raw);
                    }
                }
            }
            Action::Return { value } if is_outermost => {
                return self.outermost_return(value.as_ref(), frame, raw);
            }
            Action::Return { value } => match (value, result) {
                (Some(value), Some(result)) => {
                    raw.actions.push(RawAction::Assign(result.clone(), self.renamed(value, frame)));
                }
                (None, Some(result)) if !matches!(self.memory.types.get(result.ty.id), Type::Void) => {
                    raw.actions.push(self.unknown_value(result.clone(), "the missing return value"));
                }
                _ => {}
            },
            Action::Event { name, .. } => raw.event = Some(name.clone()),
            Action::Lifetime { variable, step } => {
                if *step == program::LifetimeStep::Begin
                    && (is_repeated || !is_outermost)
                    && let Some(&root) = frame.roots.get(variable)
                {
                    raw.actions.push(RawAction::Begin(root));
                }
            }
            Action::Unsupported(what) => raw.trouble = Some(NoMeaning::NotSupported(what.to_string())),
        }
        self.edges.push(raw);
        Ok(())
    }

    fn outermost_return(
        &mut self,
        value: Option<&Expr>,
        frame: &Frame,
        raw: RawEdge,
    ) -> Result<(), CannotBuild> {
        let value = value.map(|value| self.renamed(value, frame));
        let returns = self.build.returns.clone();
        let mut edges = Vec::new();
        for (event, condition) in returns.ways(self, value.as_ref())? {
            let mut edge = RawEdge { event: Some(event), is_branch: true, ..raw.clone() };
            edge.actions.push(RawAction::Assume(condition));
            edges.push(edge);
        }
        self.note(SiteKind::Return, &edges);
        self.edges.extend(edges);
        Ok(())
    }

    /// Remembers what a step of the program became; the first time is as good as any.
    fn note(&mut self, kind: SiteKind, ways: &[RawEdge]) {
        self.sites.entry(self.site).or_insert_with(|| Site { kind, ways: ways.to_vec() });
    }

    fn root(&self, variable: VariableId, frame: &Frame) -> VariableId {
        if let Some(&own) = frame.roots.get(&variable) {
            return own;
        }
        self.used_globals.borrow_mut().insert(variable);
        self.globals[&variable]
    }

    pub(super) fn renamed(&self, expr: &Expr, frame: &Frame) -> Expr {
        let mut own = expr.clone();
        InFrame(self, frame).expr(&mut own);
        own
    }

    fn renamed_place(&self, place: &Place, frame: &Frame) -> Place {
        let mut own = place.clone();
        InFrame(self, frame).place(&mut own);
        own
    }
}

/// Variables become the objects that they are in a call; those with a constant value become that.
struct InFrame<'f, 'i>(&'f Inliner<'i>, &'f Frame);

impl Rewrite for InFrame<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        let constant = match &expr.kind {
            ExprKind::Load(place) => place.as_variable().and_then(|variable| self.1.constants.get(&variable)),
            _ => None,
        };
        match constant {
            Some(constant) => *expr = constant.clone(),
            None => rewrite::inside_expr(self, expr),
        }
    }

    fn variable(&mut self, variable: &mut VariableId) {
        *variable = self.0.root(*variable, self.1);
    }
}

/// Can the step be taken again after it was taken?
pub(super) fn is_on_a_cycle(graph: &program::Graph, edge: &program::Edge) -> bool {
    let mut seen = vec![edge.to];
    let mut next = 0;
    while next < seen.len() {
        for (_, step) in graph.out(seen[next]) {
            if !seen.contains(&step.to) {
                seen.push(step.to);
            }
        }
        next += 1;
    }
    seen.contains(&edge.from)
}
