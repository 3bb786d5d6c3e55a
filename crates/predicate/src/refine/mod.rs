//! Counterexamples to feasible values, or to new predicates (THESIS ch. 6.2 and 7).
//!
//! Reading order: [`follow`] (can a component take these steps?), [`closure`] (which predicates a guard
//! needs, and where), [`choose`](mod@choose) (the smallest set of guards that rules out all spurious
//! counterexamples), [`facts`](mod@facts) (what always holds at a location, whatever the counterexamples).

pub mod choose;
pub mod closure;
pub mod facts;
pub mod follow;

pub use choose::{Families, Minimisation, choose, narrowest};
pub use closure::Closure;
pub use facts::facts;
pub use follow::{Conditions, Feasibility, Follower, Seed, TreeStep, Unfolded, Values};
