//! Terms: a hash-consed DAG in one arena. Equal terms have equal ids, a clone is a copy of a number, and nothing
//! here recurses, so that terms a million deep are built, walked, printed and dropped like any other.

mod build;
mod build_float;
mod copy;
mod op;
mod pool;
mod print;
mod sort;
mod walk;

pub use copy::TermCopier;
pub use op::{Op, RoundingMode};
pub use pool::{ConstantId, FunctionId, PoolSize, SymbolId, TermId, TermPool};
pub use print::{Definitions, quote_name};
pub use sort::{ArraySortId, FloatFormat, Sort, SortNameId};
pub use walk::{Postorder, symbols_in};

#[cfg(test)]
mod tests;
