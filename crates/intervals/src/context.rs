//! What the analysis knows about the program before it starts, and the tables it fills while it runs.

use crate::bools;
use crate::cells::{Cells, ObjectKind};
use crate::domain::operators::Arithmetic;
use crate::domain::pointers::ObjectId;
use crate::domain::value::Scalar;
use crate::once;
use crate::packs::Packs;
use crate::settings::{Domain, Settings};
use crate::state::Joining;
use base::IndexVec;
use program::expr::ExprPart;
use program::{Action, Callee, EdgeId, ExprKind, Known, ProcedureId, Program, VariableId, VariableKind};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// The program with all that is fixed during an analysis.
pub struct Context<'p> {
    /// The program that is analysed.
    pub program: &'p Program,
    /// The user's choices.
    pub settings: &'p Settings,
    /// How sets are computed with.
    pub arithmetic: Arithmetic,
    /// Where widening stops first, in order.
    pub thresholds: Vec<i128>,
    /// What kind of scalar each variable is.
    pub scalars: IndexVec<VariableId, Option<Scalar>>,
    /// Which variables may be related.
    pub packs: Packs,
    /// Objects and cells.
    pub cells: RefCell<Cells>,
    /// Do several threads, or signal handlers, share globals and memory, so that nothing is known about them?
    pub has_threads: bool,
    /// Is there code or data outside the program, from which pointers to variables with external linkage may
    /// come?
    pub has_outside: bool,
    /// May a `_Bool` in memory be neither 0 nor 1?
    pub has_odd_bools: bool,
    /// Can memory that was allocated be given back?
    pub can_free: bool,
    /// Blocks of one call that are told apart.
    pub blocks: u32,
    /// Can a run end by `exit`?
    pub can_exit: bool,
    /// May standard streams be closed?
    pub closes_streams: bool,
    /// `errno`, if the program looks at it.
    pub error_number: Option<VariableId>,
    /// Calls that are made at most once in a run: what they allocate is one object.
    once: FxHashSet<(ProcedureId, EdgeId)>,
    /// Variables of inner blocks, whose lives begin and end with them.
    in_blocks: FxHashSet<VariableId>,
    /// Procedures that may call themselves, directly or not: their variables in memory have several
    /// instances.
    pub recursive: FxHashSet<ProcedureId>,
}

impl<'p> Context<'p> {
    /// Looks at the program once.
    pub fn new(
        program: &'p Program,
        settings: &'p Settings,
        recursive: FxHashSet<ProcedureId>,
    ) -> Context<'p> {
        let scalars: IndexVec<VariableId, Option<Scalar>> =
            program.variables.iter().map(|variable| Scalar::of(variable.ty.id, &program.types)).collect();
        let packs = match settings.domain {
            Domain::Intervals => Packs::default(),
            Domain::Octagons | Domain::Both => Packs::of(program, &scalars),
        };
        Context {
            program,
            settings,
            arithmetic: settings.arithmetic(),
            thresholds: thresholds(program),
            scalars,
            packs,
            cells: RefCell::new(Cells::new(settings.precision.fold_from)),
            has_threads: mentions(program, &[Known::ThreadCreate]) || handles_signals(program),
            has_outside: has_outside(program),
            has_odd_bools: bools::may_be_odd(program),
            can_free: mentions(program, &[Known::Free, Known::Realloc]),
            blocks: settings.precision.blocks.min(MOST_BLOCKS / sites_of_allocation(program).max(1)),
            can_exit: mentions(program, &[Known::Exit]),
            closes_streams: mentions_named(program, &["fclose", "freopen", "pclose"]),
            error_number: program.error_number().filter(|_| program.looks_at_error_number()),
            once: once::calls(program),
            in_blocks: variables_of_blocks(program),
            recursive,
        }
    }

    /// How states are put together.
    pub fn joining(&self) -> Joining<'_> {
        Joining { cap: self.arithmetic.cap, thresholds: &self.thresholds }
    }

    /// Is the variable one that no pointer reaches?
    pub fn is_plain(&self, id: VariableId) -> bool {
        !self.program.variables[id].in_memory && self.scalars[id].is_some()
    }

    /// Does the variable live as long as the program?
    pub fn is_global(&self, id: VariableId) -> bool {
        matches!(self.program.variables[id].kind, VariableKind::Global | VariableKind::StringLiteral)
    }

    /// Does the variable live from the start of `main` to the end of the run?
    pub fn lives_always(&self, id: VariableId) -> bool {
        let owner = self.program.variables[id].procedure;
        let is_of_main = owner.is_some() && owner == self.program.main && !self.in_blocks.contains(&id);
        self.is_global(id) || is_of_main && owner.is_some_and(|owner| !self.recursive.contains(&owner))
    }

    /// The object of a variable in memory.
    pub fn object_of(&self, id: VariableId) -> ObjectId {
        let variable = &self.program.variables[id];
        let is_single = !self.has_threads
            && (self.is_global(id)
                || variable.procedure.is_some_and(|procedure| !self.recursive.contains(&procedure)));
        self.cells.borrow_mut().object(ObjectKind::Variable(id), self.program, is_single)
    }

    /// Are the blocks that a call allocates told apart by number?
    pub fn tells_blocks_apart(&self, procedure: ProcedureId, edge: EdgeId) -> bool {
        self.blocks > 0 && !crate::lives::is_on_stack(self, procedure, edge)
    }

    /// The object of what a call allocates: the block with that number, or all that have none.
    pub fn object_of_allocation(
        &self,
        procedure: ProcedureId,
        edge: EdgeId,
        number: Option<u32>,
    ) -> ObjectId {
        let is_single = !self.has_threads && (number.is_some() || self.once.contains(&(procedure, edge)));
        let kind = ObjectKind::Allocation(procedure, edge, number);
        self.cells.borrow_mut().object(kind, self.program, is_single)
    }

    /// Do all that an object stands for have the size that is known of it?
    pub fn is_exact(&self, id: ObjectId) -> bool {
        !matches!(self.kind_of(id), ObjectKind::Allocation(..))
    }

    /// The object of a procedure.
    pub fn object_of_procedure(&self, id: ProcedureId) -> ObjectId {
        self.cells.borrow_mut().object(ObjectKind::Procedure(id), self.program, false)
    }

    /// Is it a variable that lives as long as the program?
    pub fn is_global_object(&self, id: ObjectId) -> bool {
        matches!(self.kind_of(id), ObjectKind::Variable(id) if self.is_global(id))
    }

    /// What an object stands for.
    pub fn kind_of(&self, id: ObjectId) -> ObjectKind {
        self.cells.borrow().get(id).kind
    }

    /// The line of a span in its file.
    pub fn line_of(&self, span: base::Span) -> Option<u32> {
        self.program.sources.location(span).map(|location| location.line)
    }
}

/// The program's constants and their neighbours: where loops usually end.
fn thresholds(program: &Program) -> Vec<i128> {
    let mut found: Vec<i128> = vec![-1, 0, 1];
    for procedure in &program.procedures {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            edge.action.visit(&mut |part| {
                if let ExprPart::Expr(expr) = part
                    && let ExprKind::Integer(bits) = expr.kind
                    && let Some(shape) = program.types.integer_shape(expr.ty)
                {
                    let value = shape.value(bits);
                    found.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
                }
            });
        }
    }
    for width in [8u32, 16, 32, 64] {
        found.extend([(1i128 << width) - 1, -(1i128 << (width - 1)), (1i128 << (width - 1)) - 1]);
    }
    found.sort_unstable();
    found.dedup();
    // Many constants (tables) make many steps; a thinned list still ends at the same limits.
    while found.len() > 400 {
        let mut keep = false;
        found.retain(|value| {
            keep = !keep;
            keep || value.unsigned_abs() < 3
        });
    }
    found
}

/// Blocks that are told apart in a whole program.
const MOST_BLOCKS: u32 = 1024;

/// How many calls may allocate.
fn sites_of_allocation(program: &Program) -> u32 {
    let allocates = |edge: &program::Edge| match &edge.action {
        Action::Call { callee: Callee::Direct(callee), .. } => {
            crate::lives::allocates(program.procedures[*callee].known)
        }
        Action::Call { callee: Callee::Indirect(_), .. } => true,
        _ => false,
    };
    u32::try_from(program.edges().filter(|edge| allocates(edge)).count()).unwrap_or(u32::MAX)
}

/// Is what the procedure does said in [`library`](crate::library), rather than by its body? What is read by a
/// format is told value by value, so that settings and branching-time questions can speak of each.
pub fn is_direct(procedure: &program::Procedure) -> bool {
    let reads_by_format = matches!(procedure.known, Some(Known::Scanf | Known::Fscanf | Known::Sscanf));
    procedure.body.is_none() || procedure.is_native() || (reads_by_format && procedure.has_direct_meaning())
}

/// Can a signal interrupt the program by a function of its own?
fn handles_signals(program: &Program) -> bool {
    let handlers = ["signal", "sigaction", "__sysv_signal", "bsd_signal", "sigset", "timer_create"];
    let is_own = |id: &ProcedureId| {
        let procedure = &program.procedures[*id];
        procedure.origin == program::Origin::User && procedure.body.is_some()
    };
    mentions_named(program, &handlers) && program.addressed().iter().any(is_own)
}

/// Is a function without a body called, or a variable used that nobody defines?
fn has_outside(program: &Program) -> bool {
    mentions_one(program, |procedure| procedure.body.is_none() && procedure.known.is_none())
        || program.variables.iter().any(|variable| variable.is_external)
}

/// Is one of these called, or its address taken?
fn mentions(program: &Program, which: &[Known]) -> bool {
    mentions_one(program, |procedure| {
        procedure.known.is_some_and(|known| which.contains(&known)) && is_direct(procedure)
    })
}

/// The same, by name.
fn mentions_named(program: &Program, which: &[&str]) -> bool {
    mentions_one(program, |procedure| which.contains(&&*procedure.name))
}

fn mentions_one(program: &Program, is_meant: impl Fn(&program::Procedure) -> bool) -> bool {
    let is_one = |id: &ProcedureId| is_meant(&program.procedures[*id]);
    let calls = |edge: &program::Edge| matches!(&edge.action, Action::Call { callee: Callee::Direct(id), .. } if is_one(id));
    program.edges().any(calls) || program.addressed().iter().any(is_one)
}

fn variables_of_blocks(program: &Program) -> FxHashSet<VariableId> {
    let blocks = program.edges().filter_map(|edge| match edge.action {
        Action::Lifetime { variable, .. } => Some(variable),
        _ => None,
    });
    blocks.collect()
}
