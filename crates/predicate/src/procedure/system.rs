//! Procedures as cut points and large blocks between them. A cut point is the entry of a procedure, the head
//! of a loop, or the place before a call; a large block is everything that can happen between two of them, as
//! one formula.
//!
//! Symbols. Each cut point has symbols of its own for the parts of a state there. The symbols of a
//! procedure's entry keep their values as long as the activation lasts: a condition at any of its cut points
//! may speak of them (the values at entry). The end of an activation has symbols too (`ends`), for what it
//! leaves behind.

use base::{IndexVec, Span, define_id};
use logic::TermId;
use rustc_hash::FxHashMap;

define_id!(
    /// A procedure that stays a procedure.
    RoutineId,
    "r"
);
define_id!(
    /// A cut point.
    CutId,
    "c"
);
define_id!(
    /// A large block from one cut point to the next.
    LargeBlockId,
    "w"
);

/// What symbols stand for, as terms over other symbols.
pub type Values = FxHashMap<TermId, TermId>;

/// A procedure that stays a procedure.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Where it begins. The symbols of that cut point are the values at entry.
    pub entry: CutId,
    /// The symbols for what it leaves behind.
    pub ends: Vec<TermId>,
    /// Where it stands.
    pub span: Span,
}

/// The call after a cut point.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is called.
    pub callee: RoutineId,
    /// What the symbols of the callee's entry are, over the symbols of the cut point.
    pub entering: Values,
    /// What the symbols of the callee's end are, over symbols that blocks from the cut point use for what the
    /// call left behind.
    pub leaving: Values,
}

/// A cut point.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The procedure it belongs to.
    pub routine: RoutineId,
    /// The symbols for the parts of a state there.
    pub symbols: Vec<TermId>,
    /// The call that is next, if it is before one.
    pub call: Option<Call>,
    /// A name for people, such as `entry` or `loop at 12`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// Where a block leads.
#[derive(Clone, Debug)]
pub enum Target {
    /// To a cut point of the same procedure, with these values of its symbols.
    Cut(CutId, Values),
    /// To the end of the procedure, with these values of its end's symbols.
    End(Values),
    /// To something that must not happen.
    Failure,
}

/// A large block.
#[derive(Clone, Debug)]
pub struct LargeBlock {
    /// From where. From before a call, it leads past the call.
    pub from: CutId,
    /// To where; values are over the symbols of `from` and of the entry, what the call left behind, and
    /// symbols of this block alone.
    pub to: Target,
    /// The condition under which it is taken.
    pub guard: TermId,
}

/// A program as procedures with cut points.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The procedures that stay procedures.
    pub routines: IndexVec<RoutineId, Routine>,
    /// Cut points.
    pub cuts: IndexVec<CutId, Cut>,
    /// The large blocks between cut points.
    pub blocks: IndexVec<LargeBlockId, LargeBlock>,
    /// Where runs begin.
    pub main: Option<RoutineId>,
}

impl System {
    /// The entry of the procedure a cut point belongs to.
    pub fn entry_of(&self, cut: CutId) -> CutId {
        self.routines[self.cuts[cut].routine].entry
    }
}
