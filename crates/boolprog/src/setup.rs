//! Which threads of a program run.

use crate::graph::{Action, Edge, Expr, ProcedureId, Program};
use base::{Id, Span};

/// Which threads run, where there is a bound on them, or none that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The procedures that run from the start, one thread each.
    pub roots: Vec<ProcedureId>,
    /// The most threads that run at the same time; starting more is a step without effect. `None`: no bound.
    pub most_threads: Option<usize>,
}

impl Setup {
    /// `copies` threads in `main`.
    pub fn copies_of_main(program: &Program, copies: usize, most_threads: Option<usize>) -> Option<Setup> {
        Some(Setup { roots: vec![program.main()?; copies], most_threads })
    }

    /// Is there room for one more thread?
    pub fn may_start_thread(&self, running: usize) -> bool {
        self.most_threads.is_none_or(|most| running < most)
    }

    /// Can there ever be two threads at the same time?
    pub fn is_sequential(&self, program: &Program) -> bool {
        self.roots.len() == 1 && (self.most_threads == Some(1) || !program.has_threads())
    }
}

/// Adds a procedure that runs `initially` alone and then becomes the threads `roots`; the result is the new
/// procedure, the only root. The bound on threads is not touched: the starting thread becomes the last root.
///
/// # Panics
/// When there is no root, or when a procedure wants arguments.
pub fn add_start(program: &mut Program, initially: ProcedureId, roots: &[ProcedureId]) -> ProcedureId {
    let (last, others) = roots.split_last().expect("there is a root");
    for &procedure in roots.iter().chain([&initially]) {
        assert_eq!(program.procedures()[procedure].parameters, 0, "threads begin without arguments");
    }
    let start = program.add_procedure(&format!("start.{}", program.procedures().len()), 0, Span::NOWHERE);
    let call = |callee| Action::Call { callee, arguments: Vec::new(), results: Vec::new() };
    let mut actions = vec![call(initially), Action::AtomicBegin];
    actions.extend(others.iter().map(|&callee| Action::Async { callee, arguments: Vec::new() }));
    actions.extend([Action::AtomicEnd, call(*last), Action::Return { values: Vec::new() }]);
    let mut at = program.procedures()[start].entry;
    for action in actions {
        let to = match action {
            Action::Return { .. } => program.procedures()[start].exit,
            _ => program.add_node(start, Span::NOWHERE),
        };
        program.add_edge(Edge { from: at, to, guard: Expr::TRUE, action, span: Span::NOWHERE });
        at = to;
    }
    debug_assert!(start.index() + 1 == program.procedures().len(), "the start is the newest procedure");
    start
}
