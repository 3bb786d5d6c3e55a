//! The explicit interpreter: states one by one. It is the oracle for every symbolic engine, and it replays
//! their traces; therefore it shares nothing with them but the graph and the meaning of an expression.

mod explore;
mod live;
mod replay;
mod state;
mod step;
mod walk;

pub use explore::{ExplicitSettings, Exploration, explore};
pub use replay::{ReplayError, replay};
pub use state::{Frame, State, Thread};
pub use walk::{Possible, Walk, Walker};
