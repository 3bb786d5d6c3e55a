//! Can the system get stuck, or do what a property forbids? One question, several engines, each sound alone.
//! `question` says what is asked and shows what was found; `explicit` looks at states one by one (with
//! `stubborn` to leave out orders that do not matter, or led by `distance`); `iterative` is IterDeadlock and
//! its counterpart for ERROR, by quotients of the components (`quotients`, `parts`).

mod distance;
pub mod explicit;
pub mod iterative;
pub(crate) mod parts;
mod question;
pub(crate) mod quotients;
pub mod replay;
mod stubborn;

pub use question::SafetyQuestion;
