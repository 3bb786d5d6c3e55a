//! Tests that look inside the tree.

mod initializers;
