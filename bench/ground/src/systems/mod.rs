//! Systems of C components for `concord check`: shared headers, tables of functions, switches and small loops, with specifications drawn
//! from what the components really do.

pub mod campaign;
pub mod draw;
pub mod meaning;
pub mod runs;
