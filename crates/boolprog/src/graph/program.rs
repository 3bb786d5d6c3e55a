//! The graph and how it is made.

use super::expression::Expr;
use super::passive::Passive;
use base::{Id, IndexVec, Span, define_id};
use std::sync::Arc;

define_id!(
    /// A variable of a program, global or of one procedure.
    VariableId,
    "v"
);
define_id!(
    /// A procedure.
    ProcedureId,
    "p"
);
define_id!(
    /// A program counter: a place of one procedure.
    NodeId,
    "n"
);
define_id!(
    /// An edge: one statement, or one way out of a branch.
    EdgeId,
    "e"
);

/// Who sees a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Every procedure and every thread; there is one copy.
    Global,
    /// One procedure; each activation has a copy.
    Local(ProcedureId),
    /// A local of that procedure in another thread than the one that moves ([`Passive`]); of no scope of its
    /// own, it has the slot of the local that it stands for.
    Passive(ProcedureId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Arc<str>,
    /// Who sees it.
    pub scope: Scope,
    /// Its place among the globals, or among the variables of its procedure.
    pub slot: usize,
}

/// A procedure: parameters and locals, an entry, and an exit that `return` leads to.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Arc<str>,
    /// Its variables in the order of their slots: the parameters first.
    pub variables: Vec<VariableId>,
    /// How many of them are parameters.
    pub parameters: usize,
    /// How many values it returns.
    pub returns: usize,
    /// Where it begins.
    pub entry: NodeId,
    /// Where `return` leads. No edge leaves it.
    pub exit: NodeId,
    /// Where it stands in the source.
    pub span: Span,
}

/// A program counter.
#[derive(Clone, Debug)]
pub struct Node {
    /// The procedure it belongs to.
    pub procedure: ProcedureId,
    /// The user's labels.
    pub labels: Vec<Arc<str>>,
    /// The statement that stands there.
    pub span: Span,
}

/// What an edge does, once its guard holds. Variables not mentioned keep their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Assigns in parallel: each variable gets one of the possible values of its expression, and the
    /// constraint, over values before and after, must be able to hold. No assignments: a plain step.
    Assign {
        /// Variables, each at most once, with the values over the state before.
        assignments: Vec<(VariableId, Expr)>,
        /// Over values before and after.
        constraint: Expr,
        /// What becomes of the other threads in the same step; for one thread this says nothing.
        passive: Vec<Passive>,
    },
    /// Fails if the condition can be false; goes on if it can be true.
    Assert {
        /// Over the state before.
        condition: Expr,
    },
    /// Fails always: an error label is reached.
    Error {
        /// The label.
        label: Arc<str>,
    },
    /// Runs a procedure; locals of the callee that are not parameters begin with any value.
    Call {
        /// The procedure that is called.
        callee: ProcedureId,
        /// One value per parameter.
        arguments: Vec<Expr>,
        /// Where the returned values go; `None` drops one. Empty, or one per returned value.
        results: Vec<Option<VariableId>>,
    },
    /// Ends the activation. The edge leads to the procedure's exit.
    Return {
        /// One per returned value.
        values: Vec<Expr>,
    },
    /// Starts a thread in a procedure; does nothing more if there are as many threads as there may be.
    Async {
        /// Where the new thread begins.
        callee: ProcedureId,
        /// One value per parameter.
        arguments: Vec<Expr>,
    },
    /// Starts a thread at a node of this procedure with a copy of this activation's variables; does nothing
    /// more if there are as many threads as there may be.
    StartThread {
        /// Where the new thread begins.
        at: NodeId,
    },
    /// The thread is gone. The edge leads to the procedure's exit, where nobody arrives.
    EndThread,
    /// From here on only this thread runs.
    AtomicBegin,
    /// Others may run again.
    AtomicEnd,
}

impl Action {
    /// A step that changes nothing.
    pub fn skip() -> Action {
        Action::assign(Vec::new(), Expr::TRUE)
    }

    /// A parallel assignment that leaves the other threads alone.
    pub fn assign(assignments: Vec<(VariableId, Expr)>, constraint: Expr) -> Action {
        Action::Assign { assignments, constraint, passive: Vec::new() }
    }

    /// What becomes of the other threads.
    pub fn passive(&self) -> &[Passive] {
        match self {
            Action::Assign { passive, .. } => passive,
            _ => &[],
        }
    }

    /// Does it change nothing and ask nothing?
    pub fn is_skip(&self) -> bool {
        matches!(self, Action::Assign { assignments, constraint, passive }
            if assignments.is_empty() && constraint.is_true() && passive.is_empty())
    }
}

/// An edge of the graph: one atomic step of one thread.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The node before the step.
    pub from: NodeId,
    /// To there; after a call, where the caller goes on.
    pub to: NodeId,
    /// Must be able to hold, over the state before.
    pub guard: Expr,
    /// What the step does.
    pub action: Action,
    /// The statement that it comes from.
    pub span: Span,
}

/// A Boolean program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    globals: Vec<VariableId>,
    variables: IndexVec<VariableId, Variable>,
    procedures: IndexVec<ProcedureId, Procedure>,
    nodes: IndexVec<NodeId, Node>,
    edges: IndexVec<EdgeId, Edge>,
    outgoing: IndexVec<NodeId, Vec<EdgeId>>,
    /// Values of globals at the start, by slot; `None` is any.
    initial: Vec<Option<bool>>,
    main: Option<ProcedureId>,
}

impl Program {
    /// A program without anything.
    pub fn new() -> Program {
        Program::default()
    }

    /// Adds a global variable; without an initial value it begins with either.
    pub fn add_global(&mut self, name: &str, initial: Option<bool>) -> VariableId {
        let slot = self.globals.len();
        let id = self.variables.push(Variable { name: Arc::from(name), scope: Scope::Global, slot });
        self.globals.push(id);
        self.initial.push(initial);
        id
    }

    /// Adds a procedure with an entry and an exit and no edges.
    pub fn add_procedure(&mut self, name: &str, returns: usize, span: Span) -> ProcedureId {
        let id = self.procedures.next_id();
        let (entry, exit) = (self.add_node(id, span), self.add_node(id, span));
        let name: Arc<str> = Arc::from(name);
        self.procedures.push(Procedure {
            name,
            variables: Vec::new(),
            parameters: 0,
            returns,
            entry,
            exit,
            span,
        })
    }

    /// Adds a parameter.
    ///
    /// # Panics
    /// When the procedure has other local variables already.
    pub fn add_parameter(&mut self, procedure: ProcedureId, name: &str) -> VariableId {
        let known = &self.procedures[procedure];
        assert_eq!(known.parameters, known.variables.len(), "parameters are added before other locals");
        self.procedures[procedure].parameters += 1;
        self.add_local(procedure, name)
    }

    /// Adds a local variable.
    pub fn add_local(&mut self, procedure: ProcedureId, name: &str) -> VariableId {
        let slot = self.procedures[procedure].variables.len();
        let scope = Scope::Local(procedure);
        let id = self.variables.push(Variable { name: Arc::from(name), scope, slot });
        self.procedures[procedure].variables.push(id);
        id
    }

    pub(super) fn add_passive(&mut self, name: &str, scope: Scope, slot: usize) -> VariableId {
        self.variables.push(Variable { name: Arc::from(name), scope, slot })
    }

    /// Adds a program counter to a procedure.
    pub fn add_node(&mut self, procedure: ProcedureId, span: Span) -> NodeId {
        self.outgoing.push(Vec::new());
        self.nodes.push(Node { procedure, labels: Vec::new(), span })
    }

    /// Names a program counter.
    pub fn add_label(&mut self, node: NodeId, label: &str) {
        self.nodes[node].labels.push(Arc::from(label));
    }

    /// Adds an edge.
    ///
    /// # Panics
    /// When its ends belong to different procedures, or when it leaves an exit.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let procedure = self.nodes[edge.from].procedure;
        assert_eq!(procedure, self.nodes[edge.to].procedure, "an edge stays in its procedure");
        assert_ne!(edge.from, self.procedures[procedure].exit, "nothing leaves an exit");
        let from = edge.from;
        let id = self.edges.push(edge);
        self.outgoing[from].push(id);
        id
    }

    /// Says where the first thread begins.
    pub fn set_main(&mut self, procedure: ProcedureId) {
        self.main = Some(procedure);
    }

    /// Where the first thread begins, if there is a `main`.
    pub fn main(&self) -> Option<ProcedureId> {
        self.main
    }

    /// The global variables by slot.
    pub fn globals(&self) -> &[VariableId] {
        &self.globals
    }

    /// The values of globals at the start, by slot; `None` is any.
    pub fn initial(&self) -> &[Option<bool>] {
        &self.initial
    }

    /// All variables.
    pub fn variables(&self) -> &IndexVec<VariableId, Variable> {
        &self.variables
    }

    /// All procedures.
    pub fn procedures(&self) -> &IndexVec<ProcedureId, Procedure> {
        &self.procedures
    }

    /// The procedure of that name.
    pub fn procedure_named(&self, name: &str) -> Option<ProcedureId> {
        self.procedures.ids().find(|&id| &*self.procedures[id].name == name)
    }

    /// All program counters.
    pub fn nodes(&self) -> &IndexVec<NodeId, Node> {
        &self.nodes
    }

    /// All edges.
    pub fn edges(&self) -> &IndexVec<EdgeId, Edge> {
        &self.edges
    }

    /// An edge, to replace its guard or action in place (its ends stay).
    pub fn edge_mut(&mut self, edge: EdgeId) -> (&mut Expr, &mut Action) {
        let edge = &mut self.edges[edge];
        (&mut edge.guard, &mut edge.action)
    }

    /// The edges that leave a node, in order.
    pub fn outgoing(&self, node: NodeId) -> &[EdgeId] {
        &self.outgoing[node]
    }

    /// The procedure a node belongs to.
    pub fn procedure_of(&self, node: NodeId) -> ProcedureId {
        self.nodes[node].procedure
    }

    /// The name and the node's number, or its label, for people.
    pub fn describe(&self, node: NodeId) -> String {
        let procedure = &self.procedures[self.nodes[node].procedure].name;
        match self.nodes[node].labels.first() {
            Some(label) => format!("{procedure}:{label}"),
            None => format!("{procedure}:{}", node.index()),
        }
    }

    /// Does some edge start, end or lock threads?
    pub fn has_threads(&self) -> bool {
        self.edges.iter().any(|edge| matches!(edge.action, Action::Async { .. } | Action::StartThread { .. }))
    }
}
