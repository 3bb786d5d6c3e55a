//! The answer to a question and its evidence, as plain data. No algorithms live here.

pub mod answer;
pub mod certificate;
pub mod counterexample;
pub mod statistics;
pub mod undecided;

pub use answer::{Answer, Verdict, worst};
pub use certificate::{
    ActiveCall, Certificate, Condition, Contract, FixedObject, LearnedAssumption, LoopInvariant,
    NamedTransition, ProgramProof, ProofArgument,
};
pub use counterexample::{
    Challenge, Counterexample, Deadlock, Lane, Lasso, Path, Refusal, StateView, Step, Tree, TreeNode,
    TreeNodeId,
};
pub use statistics::{Statistic, Statistics, Unit};
pub use undecided::{Reason, Undecided};
