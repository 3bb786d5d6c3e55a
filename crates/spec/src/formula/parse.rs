//! Reads formulas.
