//! What answers are made of, as plain data: reasons, figures, paths, trees, lassos, refusals, certificates.
//! No algorithms live here; the answer itself is in `question`, which also knows the runs of C programs.

pub mod certificate;
pub mod counterexample;
pub mod gap;
pub mod reason;
pub mod shape;
pub mod statistics;
pub mod undecided;

pub use certificate::{
    ActiveCall, Certificate, Condition, Contract, Fact, FixedBlock, FixedObject, InductiveFacts,
    LearnedAssumption, LoopInvariant, Measure, MeasureAt, NamedTransition, ProgramProof, ProofArgument,
};
pub use counterexample::{
    Challenge, Deadlock, Lane, Lasso, Path, Refusal, StateView, Step, Tree, TreeNode, TreeNodeId,
};
pub use gap::Gap;
pub use reason::{NoModel, Reason};
pub use shape::Shape;
pub use statistics::{Statistic, Statistics, Unit};
pub use undecided::Undecided;
