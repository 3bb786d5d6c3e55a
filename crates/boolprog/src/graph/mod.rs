//! A Boolean program as a graph with explicit program counters: what every engine works on. Built from a tree
//! (`build`), or in memory by a program that makes Boolean programs (`Program`'s own methods).

mod body;
mod build;
mod expression;
mod passive;
mod program;
mod thread_locals;
mod unbuild;

pub use build::build;
pub use expression::{Expr, Possible};
pub use passive::{Mixed, Passive, rule_at};
pub use program::{
    Action, Edge, EdgeId, Node, NodeId, Procedure, ProcedureId, Program, Scope, Variable, VariableId,
};
pub use unbuild::{to_expression, to_tree};
