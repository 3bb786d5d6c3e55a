//! Control-flow graphs: nodes, and edges that carry the actions.
//!
//! A node with several successors is a branch: its edges are [`Action::Assume`]s of one condition with both
//! expectations. The exit node is reached by [`Action::Return`] only. Another node without successors is one control
//! cannot get past (behind `abort()`, say).

use crate::expr::{Access, Expr, ExprPart, Place};
use crate::{ProcedureId, VariableId};
use base::{IndexVec, Span};
use std::sync::Arc;

base::define_id!(
    /// A control location of a procedure.
    NodeId,
    "n"
);
base::define_id!(
    /// A step of a procedure.
    EdgeId,
    "e"
);

/// The control flow of a procedure.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Control locations.
    pub nodes: IndexVec<NodeId, Node>,
    /// The steps between them.
    pub edges: IndexVec<EdgeId, Edge>,
    /// Where calls begin.
    pub entry: NodeId,
    /// Where calls end.
    pub exit: NodeId,
}

/// A control location.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Steps that leave it, in order.
    pub out: Vec<EdgeId>,
    /// Steps that lead to it.
    pub into: Vec<EdgeId>,
    /// The program's labels at this place.
    pub labels: Vec<Arc<str>>,
    /// The statement that starts here.
    pub span: Span,
    /// Does a loop of the source start its rounds here?
    pub is_loop_head: bool,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where control is before the step.
    pub from: NodeId,
    /// Where control is after it.
    pub to: NodeId,
    /// What the step does.
    pub action: Action,
    /// The source it stands for.
    pub span: Span,
}

/// Why a condition is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssumeReason {
    /// One side of a branch; the other side is a sibling edge.
    Branch,
    /// The program said so (`__VERIFIER_assume`): runs that do not meet it do not count.
    User,
}

/// Where an unknown value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HavocSource {
    /// An input: a call of that `__VERIFIER_nondet_…` function.
    Input(Arc<str>),
    /// The variable is declared without a value: using it is undefined behaviour.
    Indeterminate,
    /// Inline assembly wrote it.
    Asm,
}

/// Whom a call calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A procedure by name.
    Direct(ProcedureId),
    /// Through a pointer; the points-to analysis tells the possible targets.
    Indirect(Expr),
}

/// Whether a block's variable begins or ends its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LifetimeStep {
    /// A fresh object with an indeterminate value.
    Begin,
    /// Pointers to it dangle from here on.
    End,
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Control goes on, nothing else happens.
    Skip,
    /// Goes on only if `condition != 0` is `expected`.
    Assume {
        /// A scalar.
        condition: Expr,
        /// Must it be unequal to zero (or equal)?
        expected: bool,
        /// Why only some runs go this way: a branch, or an assumption of the program.
        reason: AssumeReason,
    },
    /// Writes a scalar or copies a record or array. The value is evaluated first.
    Assign {
        /// The place that is written.
        target: Place,
        /// What; has the target's type.
        value: Expr,
    },
    /// Writes any value of the target's type.
    Havoc {
        /// The place that gets any value.
        target: Place,
        /// Where it comes from.
        source: HavocSource,
    },
    /// Calls a procedure. Arguments are evaluated in order before the call; the result is converted already.
    Call {
        /// Gets the result; has the result's type.
        result: Option<Place>,
        /// The procedure that is called, by name or through a pointer.
        callee: Callee,
        /// The arguments, in order.
        arguments: Vec<Expr>,
    },
    /// Ends the procedure; leads to the exit node.
    Return {
        /// The result, of the procedure's result type. `None` where control falls off the end of a procedure with a
        /// result: using the result is then undefined behaviour.
        value: Option<Expr>,
    },
    /// Something visible to specifications happens.
    Event {
        /// The action's name.
        name: Arc<str>,
        /// Values that go with it.
        arguments: Vec<Expr>,
    },
    /// A variable of an inner block begins or ends its life (only for variables in memory).
    Lifetime {
        /// The variable that begins or ceases to live.
        variable: VariableId,
        /// Begin or end.
        step: LifetimeStep,
    },
    /// The program does something without a known meaning here; an assumption says what. No answer may rest on a run
    /// that passes.
    Unsupported(Arc<str>),
}

impl Action {
    /// Calls `visit` on all places and expressions of the action, outermost first.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(ExprPart<'a>)) {
        match self {
            Action::Skip | Action::Lifetime { .. } | Action::Unsupported(_) => {}
            Action::Assume { condition, .. } => condition.visit(visit),
            Action::Assign { target, value } => {
                value.visit(visit);
                target.visit(Access::Write, visit);
            }
            Action::Havoc { target, .. } => target.visit(Access::Write, visit),
            Action::Call { result, callee, arguments } => {
                if let Callee::Indirect(pointer) = callee {
                    pointer.visit(visit);
                }
                arguments.iter().for_each(|argument| argument.visit(visit));
                if let Some(result) = result {
                    result.visit(Access::Write, visit);
                }
            }
            Action::Return { value } => {
                if let Some(value) = value {
                    value.visit(visit);
                }
            }
            Action::Event { arguments, .. } => arguments.iter().for_each(|argument| argument.visit(visit)),
        }
    }
}

impl Graph {
    /// A graph with an entry and an exit and nothing between.
    pub fn new() -> Graph {
        let mut nodes = IndexVec::new();
        let entry = nodes.push(Node::default());
        let exit = nodes.push(Node::default());
        Graph { nodes, edges: IndexVec::new(), entry, exit }
    }

    /// A new control location.
    pub fn add_node(&mut self, span: Span) -> NodeId {
        self.nodes.push(Node { span, ..Node::default() })
    }

    /// A new step.
    pub fn add_edge(&mut self, from: NodeId, to: NodeId, action: Action, span: Span) -> EdgeId {
        let id = self.edges.push(Edge { from, to, action, span });
        self.nodes[from].out.push(id);
        self.nodes[to].into.push(id);
        id
    }

    /// The steps that leave a node.
    pub fn out(&self, node: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.nodes[node].out.iter().map(|&id| (id, &self.edges[id]))
    }
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}
