//! Sets of states as BDDs. Each action is a relation over the variables of the components that take part in it, so
//! no relation of the whole system is built; the fixpoint takes the actions in turn, each from all that is known
//! (chaining, Roig, Cortadella, Pastor 1995). What each turn added is kept, so that a bad state is traced back.
//! `encoding` has the variables and relations, `reach` the fixpoint and the way back.
//! Naive twin: `safety::explicit`.

mod encoding;
mod reach;

pub use reach::safe;
