//! Components and procedures as terms: against `symbolic`, and as Boolean programs.

mod agreement;
mod procedures;
