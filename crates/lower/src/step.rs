//! What is one step of its thread though it accesses memory several times: assertions in comments, which are specification and look at
//! everything at once; and statements, conditions and assertions where the user chose whole statements ([`Steps::Statement`](crate::Steps)).
//!
//! A step is marked at both ends ([`Known::STEP`]). Programs without threads have no use for the marks, and lose them.

use crate::function::FunctionLowering;
use crate::link::Linker;
use base::Span;
use csource::tree;
use program::{Action, Callee, Graph, Known, ProcedureId};

impl FunctionLowering<'_> {
    /// `//@ assert e;`
    pub fn asserted(&mut self, condition: &tree::Expr, span: Span) {
        if !self.linker.asserts_comments {
            return;
        }
        self.mark_step("__concord_atomic_begin", span);
        let (met, unmet) = (self.graph.add_node(span), self.graph.add_node(span));
        self.branch(condition, met, unmet);
        self.current = unmet;
        self.fail_assertion(span);
        self.current = met;
        self.mark_step("__concord_atomic_end", span);
    }

    /// An assertion in a comment that is not understood: whether a run that gets here fails is not known.
    pub fn not_understood(&mut self, why: &str, span: Span) {
        if self.linker.asserts_comments {
            self.unsupported(&format!("an assertion in a comment that is not understood ({why})"), span);
        }
    }

    fn mark_step(&mut self, name: &str, span: Span) {
        let step = self.int_constant(Known::STEP as i32);
        self.call_known(name, vec![step], None, span);
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
