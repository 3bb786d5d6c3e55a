//! What is asked of what, and the answer to it: two types that every verb, engine, auditor and output format
//! shares; the trait of engines, the knowledge they share, the loop that those with an abstraction run.
//!
//! Reading order: [`asked`] (the question), [`property`], [`temporal`], [`checks`], [`parts`](mod@parts) (of a property, one by one)
//! → [`answer`], [`counterexample`], [`violation`], [`unwritten`], [`second_look`] → [`engine`], [`knowledge`],
//! [`monitor`] → [`decided`] (what a search comes to) → [`refinement`] (the loop).

pub mod answer;
pub mod asked;
pub mod checks;
pub mod counterexample;
pub mod decided;
pub mod engine;
pub mod knowledge;
pub mod monitor;
pub mod parts;
pub mod property;
pub mod refinement;
pub mod second_look;
pub mod temporal;
pub mod unwritten;
pub mod violation;

pub use answer::{Answer, Verdict, worst};
pub use asked::{Asks, Conformance, Question};
pub use checks::{Check, Checks, WrongList};
pub use counterexample::Counterexample;
pub use decided::{Decided, Searched};
pub use engine::{Engine, Row, Share, When, ask_only, first_to_decide, part_of};
pub use knowledge::Knowledge;
pub use monitor::Monitor;
pub use parts::{Part, Target, parts, without};
pub use property::{Cycles, Missing, Property};
pub use refinement::{Checked, MostRounds, Progress, Refinement, Round, Validated, refine_until_decided};
pub use second_look::{Audit, Judgement, ProvedPlace, Reached, SecondOpinion, Vacuity};
pub use temporal::{FiniteRuns, Temporal};
pub use violation::{Broken, Cycle, Violation};
