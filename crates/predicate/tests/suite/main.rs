//! Components and procedures as terms: against `symbolic`, as Boolean programs, and what is known of them.

mod agreement;
mod facts;
mod procedures;
