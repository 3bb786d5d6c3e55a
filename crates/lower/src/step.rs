//! What is one step of its thread though it accesses memory several times: assertions in comments, which are
//! specification and look at everything at once; and statements, conditions and assertions where the user chose whole
//! statements ([`Steps::Statement`](crate::Steps)).
//!
//! A step is marked at both ends ([`Known::STEP`]). Programs without threads have no use for the marks, and lose them.

use crate::Steps;
use crate::function::FunctionLowering;
use crate::link::Linker;
use base::Span;
use csource::tree;
use program::{Action, Callee, Graph, Known, NodeId, Origin, ProcedureId};

const BEGIN: &str = "__concord_atomic_begin";
const END: &str = "__concord_atomic_end";

impl FunctionLowering<'_> {
    /// `//@ assert e;`
    pub fn asserted(&mut self, condition: &tree::Expr, span: Span) {
        if !self.linker.asserts_comments {
            return;
        }
        self.mark_step(BEGIN, span);
        let (met, unmet) = (self.graph.add_node(span), self.graph.add_node(span));
        self.branch(condition, met, unmet);
        self.current = unmet;
        self.fail_assertion(span);
        self.current = met;
        self.mark_step(END, span);
    }

    /// An assertion in a comment that is not understood: whether a run that gets here fails is not known.
    pub fn not_understood(&mut self, why: &str, span: Span) {
        if self.linker.asserts_comments {
            self.unsupported(&format!("an assertion in a comment that is not understood ({why})"), span);
        }
    }

    /// A statement begins that is one step, if the user chose so and it is not inside one. Says whether it did.
    #[must_use]
    pub fn open_step(&mut self, span: Span) -> bool {
        let is_users = self.linker.procedures[self.procedure].origin == Origin::User;
        if self.linker.steps != Steps::Statement || self.in_step || !is_users {
            return false;
        }
        self.mark_step(BEGIN, span);
        self.in_step = true;
        true
    }

    /// It ends, if it began.
    pub fn close_step(&mut self, has_begun: bool, span: Span) {
        if has_begun {
            self.in_step = false;
            self.mark_step(END, span);
        }
    }

    /// A jump leads out of it.
    pub fn leave_step(&mut self, span: Span) {
        if self.in_step {
            self.mark_step(END, span);
        }
    }

    /// Others may run in the middle of it. Says whether there was one.
    #[must_use]
    pub fn interrupt_step(&mut self, span: Span) -> bool {
        let is_interrupted = self.in_step;
        self.close_step(is_interrupted, span);
        is_interrupted
    }

    /// It goes on.
    pub fn resume_step(&mut self, was_interrupted: bool, span: Span) {
        if was_interrupted {
            let _ = self.open_step(span);
        }
    }

    /// A branch whose condition is one step.
    pub fn branch_in_step(&mut self, condition: &tree::Expr, then: NodeId, otherwise: NodeId) {
        let span = condition.span;
        if !self.open_step(span) {
            return self.branch(condition, then, otherwise);
        }
        let (met, unmet) = (self.graph.add_node(span), self.graph.add_node(span));
        self.branch(condition, met, unmet);
        for (from, to) in [(met, then), (unmet, otherwise)] {
            self.current = from;
            self.in_step = true;
            self.close_step(true, span);
            self.emit_to(to, Action::Skip, span);
        }
    }

    /// A call in the middle of a step. What is called makes steps of its own: those before and behind it are others.
    /// The arguments are evaluated in the one before.
    pub fn call_in_step(&mut self, action: Action, span: Span) {
        let Action::Call { result, callee, arguments } = action else { return self.emit_plain(action, span) };
        let known = match &callee {
            Callee::Direct(id) => self.linker.procedures[*id].known,
            Callee::Indirect(_) => None,
        };
        if known.is_some_and(Known::never_returns) {
            return self.emit_plain(Action::Call { result, callee, arguments }, span);
        }
        let arguments = arguments.into_iter().map(|value| self.frozen(value, span)).collect();
        let callee = match callee {
            Callee::Indirect(pointer) => Callee::Indirect(self.frozen(pointer, span)),
            direct => direct,
        };
        self.close_step(true, span);
        self.emit_plain(Action::Call { result, callee, arguments }, span);
        let _ = self.open_step(span);
    }

    fn mark_step(&mut self, name: &str, span: Span) {
        let step = self.int_constant(Known::STEP as i32);
        self.call_marker(name, vec![step], span);
    }

    /// Calls a marker without an end of the step that it stands in.
    pub fn call_marker(&mut self, name: &str, arguments: Vec<program::Expr>, span: Span) {
        let in_step = std::mem::take(&mut self.in_step);
        self.call_known(name, arguments, None, span);
        self.in_step = in_step;
    }
}

/// Takes the marks out of a program without threads.
pub fn unmark(linker: &mut Linker) {
    let creates =
        |graph: &Graph| calls(graph).any(|(_, callee)| known(linker, callee) == Some(Known::ThreadCreate));
    if linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref()).any(creates) {
        return;
    }
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    for id in ids {
        let Some(mut graph) = linker.procedures[id].body.take() else { continue };
        let marks: Vec<_> = calls(&graph)
            .filter(|(edge, callee)| {
                let is_mark = matches!(known(linker, *callee), Some(Known::AtomicBegin | Known::AtomicEnd));
                let Action::Call { arguments, .. } = &graph.edges[*edge].action else { return false };
                is_mark && Known::is_step(arguments)
            })
            .map(|(edge, _)| edge)
            .collect();
        for edge in marks {
            graph.edges[edge].action = Action::Skip;
        }
        linker.procedures[id].body = Some(graph);
    }
}

fn calls(graph: &Graph) -> impl Iterator<Item = (program::EdgeId, ProcedureId)> + '_ {
    graph.edges.iter_enumerated().filter_map(|(id, edge)| match &edge.action {
        Action::Call { callee: Callee::Direct(callee), .. } => Some((id, *callee)),
        _ => None,
    })
}

fn known(linker: &Linker, id: ProcedureId) -> Option<Known> {
    linker.procedures[id].known
}
