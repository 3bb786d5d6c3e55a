//! Sets of states as BDDs. Each action is a relation over the variables of the components that take part in
//! it, so no relation of the whole system is built; the fixpoint takes the actions in turn, each from all
//! that is known (chaining, Roig, Cortadella, Pastor 1995). What each turn added is kept, so that a bad state
//! is traced back. `encoding` has the variables and relations, `reach` the fixpoint and the way back.
//! `formula` finds fair cycles of the product with an automaton, `conforms` the largest simulation,
//! `progress` terminal sets.
//! Naive twins: `safety::explicit`, `temporal`, `simulation`.

mod conforms;
mod encoding;
mod formula;
mod product;
mod progress;
mod reach;

/// How far to go.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolicSettings {
    /// Give up past this many nodes of diagrams; the manager's own limit if there is none.
    pub most_nodes: Option<usize>,
}

pub use conforms::conforms;
pub use formula::holds;
pub use progress::progress;
pub use reach::safe;
