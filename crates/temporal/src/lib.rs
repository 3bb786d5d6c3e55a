//! Temporal formulas over the runs of one C program.
//!
//! A run is a sequence of positions. Position 0 is the entry of `main`; every *observed step* makes the next one: a write
//! to a variable that the formula reads, a call or return that it names, coming to a label that it names. A run that makes
//! no more observed steps, because it ended or not, stays in its last position. So a formula means the same after edits
//! that have nothing to do with it.
//!
//! Two programs are made of one: the *product* with the Büchi automaton of what the formula forbids, which engines that
//! prove are asked about; and the *observed* program, which writes down what holds in each position, for real runs. What a
//! run found there does is judged by the formula itself, not by the automaton.
//!
//! Reading order: `text` (formulas as written) → `atoms` (what they mean in a program) → `sites` (where positions begin
//! and end) → `weave` (putting steps there) → `machine` (the automaton) → `product` → `slice` → `observed`.

mod atoms;
mod machine;
mod observed;
mod product;
mod sites;
mod slice;
pub mod text;
mod weave;

pub use observed::{Observed, PositionSeen};
pub use product::{Product, STATE, VIOLATED};

use base::{Budget, Diagnostic};
use program::Program;
use question::{FiniteRuns, Temporal};
use spec::Formula;
use text::Written;
use verdict::Reason;

/// A formula with what its atoms mean in a program, of which it is asked.
pub struct Asked {
    /// The formula, with atoms by name.
    pub formula: Formula,
    /// The same as it was written.
    pub text: String,
    /// What runs that end mean.
    pub finite_runs: FiniteRuns,
    program: Program,
    atoms: atoms::Atoms,
    sites: sites::Sites,
}

/// Why a formula cannot be asked of a program.
#[derive(Debug)]
pub enum Trouble {
    /// It is written wrongly, or speaks of what the program does not have.
    Wrong(Box<Diagnostic>),
    /// It has no meaning here that could be followed.
    Beyond(Reason),
}

impl From<Diagnostic> for Trouble {
    fn from(diagnostic: Diagnostic) -> Trouble {
        Trouble::Wrong(Box::new(diagnostic))
    }
}

impl From<Reason> for Trouble {
    fn from(reason: Reason) -> Trouble {
        Trouble::Beyond(reason)
    }
}

impl Asked {
    /// Reads the formula of a question, and finds what it means in the program.
    pub fn of(program: &Program, asked: &Temporal) -> Result<Asked, Trouble> {
        let written = text::read(&asked.formula)?;
        let mut program = program.clone();
        let atoms = atoms::resolve(&mut program, &written)?;
        let sites = sites::find(&mut program, &written.formula, &atoms)?;
        let Written { text, formula, .. } = written;
        Ok(Asked { formula, text, finite_runs: asked.finite_runs, program, atoms, sites })
    }

    /// The program times the automaton of what the formula forbids.
    pub fn product(&self, budget: &Budget) -> Result<Product, Reason> {
        product::make(self, budget)
    }

    /// The program that writes down what holds in each position.
    pub fn observed(&self, budget: &Budget) -> Result<Observed, Reason> {
        observed::make(self, budget)
    }
}
