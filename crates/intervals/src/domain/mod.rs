//! What one value can be. Reading order: [`integers`] → [`congruence`] → [`number`] (both together) →
//! [`operators`] (C's arithmetic on them); [`floats`]; [`pointers`]; [`value`] (any scalar).

pub mod congruence;
pub mod floats;
pub mod integers;
pub mod number;
pub mod operators;
pub mod pointers;
pub mod value;
