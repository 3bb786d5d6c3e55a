//! A component: one procedure with all that it calls, closed by what the specification says about its
//! surroundings.
//! After THESIS ch. 3. Every edge has its meaning as terms over *cells*, the scalar parts of the objects it
//! can reach.
//! DIVERGENCE: pointers are resolved by a flow-insensitive analysis of the component itself (SEEDS correction
//! 3); integers are bit-precise (correction 17); a step whose meaning is not known carries its [`NoMeaning`].
//!
//! Reading order: this file, `inline` (procedures to one graph), `routine` (what the specification puts in
//! for calls), `library` (what library functions do), `pool` (objects that are allocated again and again), `conditions` (C expressions of specifications),
//! `memory` (objects, cells), `unions` (overlapping ones) and `flow` (what pointers point to), `encode`
//! (steps as terms), `values` (expressions), `writes` (places), `bytes` (what library functions ask of them),
//! `constants` (what never changes), `apart` (locations told apart by constants), `copies` (what only repeats
//! another cell), `show` (back to C), `slice` (which branches matter); `share` (variables of several components);
//! for runs on real values `origin` (where steps and cells come from), `closed` (the component as a program) and `script`
//! (what a run of it is told).

mod apart;
mod bytes;
pub mod closed;
mod conditions;
mod constants;
mod copies;
mod encode;
mod flow;
mod inline;
mod library;
mod memory;
pub mod origin;
mod pool;
mod records;
mod refusal;
mod routine;
pub mod script;
pub mod share;
mod show;
mod slice;
mod stubs;
mod targets;
mod unions;
mod values;
mod writes;

pub use conditions::Condition;
pub use inline::{Build, GlobalsRule, MissingRule, build};
pub use refusal::{CannotBuild, NotUnderstood};
pub use routine::{Returns, Routine};
pub use stubs::add_stubs;

use base::{IndexVec, Span};
use logic::{TermId, TermPool};
use program::ProcedureId;
use std::sync::Arc;

base::define_id!(
    /// A control location of a component.
    NodeId,
    "n"
);
base::define_id!(
    /// A step of a component.
    EdgeId,
    "e"
);
base::define_id!(
    /// A scalar part of an object: what a symbol of the terms stands for.
    CellId,
    "c"
);

/// A scalar part of an object.
#[derive(Clone, Debug)]
pub struct Cell {
    /// As C writes it: `x`, `s->state`.
    pub name: Arc<str>,
    /// Its value now.
    pub symbol: TermId,
    /// Its type.
    pub ty: program::TypeId,
}

/// A control location.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Steps that leave it.
    pub out: Vec<EdgeId>,
    /// The statement that starts here.
    pub span: Span,
    /// Has the component ended normally here?
    pub is_end: bool,
}

/// Why nothing can be said about runs that take a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMeaning {
    /// A function with neither body nor specification is called.
    MissingBody {
        /// Its name.
        function: String,
    },
    /// A function calls itself so often that the calls are not followed any further.
    TooDeep {
        /// Its name.
        function: String,
        /// How often.
        depth: usize,
    },
    /// The step does something that has no meaning here, in words.
    NotSupported(String),
}

/// A value that comes from outside in a step.
#[derive(Clone, Debug)]
pub struct Input {
    /// Stands for the value in the step's terms; a fresh one per step.
    pub symbol: TermId,
    /// Who gives it: the function called, or the variable.
    pub source: Arc<str>,
    /// What it is for.
    pub role: InputRole,
}

/// What a value from outside is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputRole {
    /// The step writes it to the place it names; for a pointer, the object it may point to.
    Written(Option<program::VariableId>),
    /// A variable begins its life with it.
    Begins(CellId),
    /// It stands for what is not tracked.
    Untracked,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// When it can be taken, over cells and inputs.
    pub guard: TermId,
    /// When it has a defined meaning; part of the guard.
    pub defined: TermId,
    /// The guard as the program has it; differs from `guard` where a branch does not matter.
    pub full_guard: TermId,
    /// New values of cells, over cells and inputs before the step.
    pub updates: Vec<(CellId, TermId)>,
    /// Values from outside.
    pub inputs: Vec<Input>,
    /// What others see of it.
    pub event: Option<Arc<str>>,
    /// What it does, as C text.
    pub text: String,
    /// The place in the source.
    pub span: Span,
    /// Is the guard one side of a branch of the program, so that a sibling can go on where this cannot?
    pub is_branch: bool,
    /// Its meaning is larger than the truth: something was read that is not tracked.
    pub is_approximate: bool,
    /// Why nothing can be said about runs that take it.
    pub trouble: Option<NoMeaning>,
    /// The step of the program that it is, or is part of.
    pub origin: Option<origin::Origin>,
    /// Does it go to a function to which nothing in the program sets the pointer that is called?
    pub is_guess: bool,
}

/// Addresses that a pointer from outside may have at the start. If it is never followed, it may have others,
/// too.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointerStart {
    /// That of the object that it alone leads to.
    pub own: Option<TermId>,
    /// That which the program's initialiser gives to it.
    pub initialised: Option<TermId>,
}

/// A component, ready for abstraction.
#[derive(Debug)]
pub struct Component {
    /// Its name: the procedure's, with a number where several copies run.
    pub name: Arc<str>,
    /// The procedure.
    pub procedure: ProcedureId,
    /// All terms of the component.
    pub pool: TermPool,
    /// Simplifies them.
    pub simplifier: logic::simplify::Simplifier,
    /// Scalar parts of objects.
    pub cells: IndexVec<CellId, Cell>,
    /// Control locations.
    pub nodes: IndexVec<NodeId, Node>,
    /// Steps between them.
    pub edges: IndexVec<EdgeId, Edge>,
    /// Where it starts.
    pub entry: NodeId,
    /// What holds when it starts.
    pub initial: TermId,
    /// Predicates that the user supplied, where they could be understood.
    pub supplied: Vec<TermId>,
    /// The propositions asked for, in order.
    pub propositions: Vec<TermId>,
    /// The events it takes part in.
    pub alphabet: Vec<Arc<str>>,
    /// Those of them that only functions perform to which nothing in the program sets the pointer that is called, each
    /// with a place. Whether the component takes part in them is not known.
    pub guessed: Vec<(Arc<str>, Span)>,
    /// The cells that steps read as the program has them, each with a place: what is constant on the way is no longer
    /// read by the steps, but others may write it all the same.
    pub reads: Vec<(CellId, Span)>,
    /// Where pointers from outside may lead at the start.
    pub pointer_starts: rustc_hash::FxHashMap<CellId, PointerStart>,
    /// What an answer rests on, each a sentence without a full stop.
    pub assumptions: Vec<String>,
    /// Where all this comes from.
    pub origins: origin::Origins,
}

impl Component {
    /// The steps that leave a location.
    pub fn out(&self, node: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.nodes[node].out.iter().map(|&id| (id, &self.edges[id]))
    }

    /// Steps that control can get to.
    pub fn reachable(&self) -> Vec<EdgeId> {
        let mut seen: IndexVec<NodeId, bool> = IndexVec::filled(false, self.nodes.len());
        let mut open = vec![self.entry];
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            for &edge in &self.nodes[node].out {
                found.push(edge);
                open.push(self.edges[edge].to);
            }
        }
        found
    }

    /// The cells that steps read, each with a place.
    fn cells_read(&self) -> Vec<(CellId, Span)> {
        let cell_of: rustc_hash::FxHashMap<TermId, CellId> =
            self.cells.iter_enumerated().map(|(id, cell)| (cell.symbol, id)).collect();
        let mut found: std::collections::BTreeMap<CellId, Span> = std::collections::BTreeMap::new();
        for edge in self.reachable() {
            let edge = &self.edges[edge];
            let mut terms = vec![edge.guard, edge.full_guard];
            terms.extend(edge.updates.iter().map(|(_, value)| *value));
            for symbol in logic::term::symbols_in(&self.pool, &terms) {
                if let Some(&cell) = cell_of.get(&symbol) {
                    found.entry(cell).or_insert(edge.span);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Can control get to an end?
    pub fn can_end(&self) -> bool {
        self.nodes[self.entry].is_end
            || self.reachable().iter().any(|&edge| self.nodes[self.edges[edge].to].is_end)
    }

    /// The value of a cell in words, signed or not as its type is; none for addresses that mean nothing to
    /// people.
    pub fn value_text(&self, cell: CellId, bits: u128) -> Option<String> {
        if !self.is_pointer(cell) {
            let shape = self.origins.types.integer_shape(self.cells[cell].ty)?;
            return Some(shape.value(bits).to_string());
        }
        self.address_text(bits)
    }

    /// What lies at an address, in words.
    fn address_text(&self, bits: u128) -> Option<String> {
        if bits == 0 {
            return Some("null".to_owned());
        }
        if let Some(function) = values::function_at(bits, self.origins.functions.len()) {
            return Some(self.origins.functions[function].trim_start_matches('*').to_owned());
        }
        self.origins.object_at(i128::try_from(bits).ok()?).map(|name| format!("&{name}"))
    }

    /// Does the cell hold a pointer?
    pub fn is_pointer(&self, cell: CellId) -> bool {
        self.origins.types.is_pointer(self.cells[cell].ty)
    }

    /// The object that a cell is part of, if it begins with a variable of the program, and its name.
    pub fn static_object(&self, cell: CellId) -> Option<(origin::StaticPlace, &str)> {
        self.origins.static_object(cell)
    }

    /// The place that a cell is, if it begins with a variable of the program.
    pub fn static_place(&self, cell: CellId) -> Option<origin::StaticPlace> {
        self.origins.static_place(cell)
    }

    /// The place of the program that a cell is; none if it is no part of a variable, or lies in a union,
    /// whose cells are pieces.
    pub fn program_place(&mut self, cell: CellId) -> Option<program::Place> {
        self.origins.program_place(cell, self.cells[cell].ty)
    }

    /// Does the cell hold a pointer to a function?
    pub fn is_function_pointer(&self, cell: CellId) -> bool {
        let types = &self.origins.types;
        let to = types.pointee(self.cells[cell].ty);
        to.is_some_and(|to| matches!(types.get(to.id), program::Type::Function(_)))
    }

    /// The weakest precondition of a term under a step: what must hold before for it to hold after.
    /// It speaks about the step's inputs where these decide.
    pub fn before(&mut self, edge: EdgeId, term: TermId) -> TermId {
        let map =
            self.edges[edge].updates.iter().map(|&(cell, value)| (self.cells[cell].symbol, value)).collect();
        let before = self.pool.substitute(term, &map);
        self.simplifier.simplify(&mut self.pool, before)
    }

    /// A term as C text, cells under their names.
    pub fn show(&self, term: TermId) -> String {
        show::show(self, term)
    }
}
