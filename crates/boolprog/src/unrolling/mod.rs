//! Sequential programs by SAT: universal summaries by unrolling, with calls abstracted until they matter.
//! After BOOM 4.2.2 to 4.4 (Figure 4.8, Corollary 4.4, Theorem 4.5) and Basler, Kroening, Weissenbacher 2007.
//!
//! One formula grows: an activation whose body is not there yet may return anything it can modify (Σ⋆), a
//! loop may go on where it was cut. If the error cannot be reached even so, the program is correct. If it
//! can, either nothing on the way was abstract, and the way is a run; or the abstract part that was used is
//! unrolled further.
//!
//! DIVERGENCE: no QBF decides when enough was unrolled. The formula speaks of shortest runs only: no state
//! twice at the head of a loop in one activation, no activation inside another of the same procedure with the
//! same entry and the same exit, or with the same entry if the error lies in it. A shortest run to an error
//! has none of these, so nothing is lost, and what is left to unroll runs out.
//!
//! Reading order: `activation` (the formula of one activation), `engine` (the loop), `path` (what a model
//! used).
//!
//! Worked example: `main() { g := F; flip(); assert(g); }`. At first `flip()` may leave anything in `g`, so
//! the assertion can fail; the way uses the abstract call, so its body is unrolled. Now `g` is `!F` behind
//! the call, no model is left, and the program is correct although other calls, had there been any, would
//! still be abstract.
//!
//! Naive twin: `summaries`.

mod activation;
mod engine;
mod path;

pub use engine::{UnrollingSettings, check_by_unrolling};
