//! Calls on the way to one graph: of procedures with a specification, with a body, with a meaning that is built in,
//! with neither; and calls through pointers to functions.

use super::{
    Frame, Inliner, MOST_NESTING, MOST_STEPS, MissingRule, RawAction, RawEdge, is_on_a_cycle, keeps,
};
use crate::component::conditions::{Condition, Scope};
use crate::component::library::{Library, LibraryCall};
use crate::component::origin::{Origin, SiteKind};
use crate::component::routine::Replaced;
use crate::component::{CannotBuild, NoMeaning, NodeId};
use base::Span;
use program::{BinaryOp, Expr, ExprKind, Place, ProcedureId};
use std::sync::Arc;

impl Inliner<'_> {
    /// A call of a procedure: by its specification, by its body, or by the missing-body rule.
    pub(super) fn call(
        &mut self,
        procedure: ProcedureId,
        arguments: &[Expr],
        result: Option<&Place>,
        (from, to): (NodeId, NodeId),
        text: &str,
        span: Span,
    ) -> Result<(), CannotBuild> {
        let program = self.build.program;
        let definition = &program.procedures[procedure];
        let function = &*definition.name;
        // What a pointer to a function leads to is called by whoever calls through the pointer.
        let callers = self.stack.iter().rev().map(|&caller| &*program.procedures[caller].name);
        let caller = callers.clone().find(|name| !crate::component::stubs::is_stub(name)).unwrap_or_default();
        let is_inlined = definition.body.is_some() && (self.build.is_inlined)(caller, function);
        let routines = if is_inlined { Vec::new() } else { (self.build.routines)(function, span) };
        if !routines.is_empty() {
            let result_type = program.result_type(procedure).id;
            let call = Replaced { from, to, arguments, result, result_type, function, text, span };
            let first = self.edges.len();
            self.replace_call(&call, &routines);
            let (caller, edge) = self.site;
            for (number, way) in self.edges[first..].iter_mut().enumerate() {
                way.origin = Some(Origin::CaseOfCall(caller, edge, number as u32));
            }
            let ways = self.edges[first..].to_vec();
            self.note(SiteKind::Routine { from, to }, &ways);
            return Ok(());
        }
        let is_said_here = crate::component::library::is_said_here(definition)
            && definition.known.is_none_or(|known| self.is_of_whole_objects(known, arguments));
        if definition.body.is_some() && !is_said_here {
            let depth = self.stack.iter().filter(|&&caller| caller == procedure).count();
            if depth > 0 {
                self.recursive.insert(procedure);
            }
            let is_too_deep = depth > self.build.recursion || depth > 0 && self.edges.len() > MOST_STEPS;
            if is_too_deep || depth > 0 && self.stack.len() >= MOST_NESTING {
                let trouble = NoMeaning::TooDeep { function: function.to_owned(), depth };
                self.trouble(from, to, trouble, text, span);
                return Ok(());
            }
            if self.stack.len() >= MOST_NESTING || arguments.len() < definition.parameters.len() {
                let why = format!("the call of `{function}` cannot be inlined");
                self.trouble(from, to, NoMeaning::NotSupported(why), text, span);
                return Ok(());
            }
            let mut frame = Frame::default();
            let start = self.node(span);
            let mut edge = RawEdge::new(from, start, text, span);
            for (&parameter, argument) in definition.parameters.iter().zip(arguments) {
                let variable = &program.variables[parameter];
                let root = self.local(&format!("{function}::{}", variable.name), variable.ty.id);
                frame.insert(parameter, root);
                self.variables.insert(root, parameter);
                if let Some(bits) = argument.as_integer()
                    && argument.ty == variable.ty.id
                    && keeps(program, procedure, parameter)
                {
                    let constant = Expr { kind: ExprKind::Integer(bits), ty: argument.ty };
                    frame.constants.insert(parameter, constant);
                }
                edge.actions.push(RawAction::Assign(Place::variable(root, variable.ty), argument.clone()));
            }
            self.edges.push(edge);
            let mut inner = Scope::default();
            let caller = program.procedures[self.site.0].body.as_ref();
            let again = caller.is_some_and(|graph| is_on_a_cycle(graph, &graph.edges[self.site.1]));
            let was_repeated = self.is_repeated;
            self.is_repeated |= again;
            let inlined = self.inline(procedure, frame, &mut inner, result, start, to);
            self.is_repeated = was_repeated;
            return inlined;
        }
        let mut edge = RawEdge::new(from, to, text, span);
        edge.origin = Some(Origin::Step(self.site.0, self.site.1));
        let mut kind = SiteKind::Single;
        if definition.is_noreturn || definition.known.is_some_and(program::Known::never_returns) {
            // The run ends here, without a return.
            let end = self.node(span);
            self.nodes[end].is_end = true;
            edge.to = end;
            kind = SiteKind::Ends;
        } else {
            let does = match definition.known {
                Some(known) => {
                    let at = (from, to, text, span);
                    self.library(&LibraryCall { function, known, arguments, result, at })
                }
                None => Library::Missing,
            };
            match does {
                Library::Does(actions) => edge.actions = actions,
                Library::Needs(condition) => {
                    let mut broken = RawEdge::new(from, to, text, span);
                    broken.is_branch = true;
                    broken.actions.push(RawAction::Assume(Condition::Not(Box::new(condition.clone()))));
                    let why = "what a library function needs of its arguments, which is not met here";
                    broken.trouble = Some(NoMeaning::NotSupported(why.to_owned()));
                    self.edges.push(broken);
                    edge.is_branch = true;
                    edge.actions.push(RawAction::Assume(condition));
                }
                Library::OneOf(ways) => {
                    let (caller, step) = self.site;
                    let numbered = ways.into_iter().enumerate().map(|(number, way)| RawEdge {
                        origin: Some(Origin::CaseOfCall(caller, step, number as u32)),
                        ..way
                    });
                    let ways: Vec<RawEdge> = numbered.collect();
                    self.note(SiteKind::Routine { from, to }, &ways);
                    self.edges.extend(ways);
                    return Ok(());
                }
                Library::Cannot(why) => edge.trouble = Some(NoMeaning::NotSupported(why)),
                Library::Missing => {
                    let known = format!("`{function}` has no body: it");
                    match self.build.missing {
                        MissingRule::Forbid => {
                            edge.trouble = Some(NoMeaning::MissingBody { function: function.to_owned() });
                        }
                        MissingRule::Pure => {
                            self.assume(format!(
                                "{known} returns any value, changes nothing and makes no event"
                            ));
                        }
                        MissingRule::Nondeterministic => {
                            self.assume(format!(
                                "{known} returns any value, writes at most what its pointer arguments and global variables lead to, and makes no event"
                            ));
                            let (function, arguments) = (Arc::from(function), arguments.to_vec());
                            edge.actions.push(RawAction::Clobber { function, arguments });
                        }
                    }
                    if let Some(result) = result {
                        edge.actions.push(self.unknown_value(result.clone(), function));
                    }
                }
            }
        }
        self.note(kind, std::slice::from_ref(&edge));
        self.edges.push(edge);
        Ok(())
    }

    /// A call through a pointer: every function that it may lead to is called where the pointer says so; what
    /// else it may be follows the missing-body rule.
    pub(super) fn call_through(
        &mut self,
        pointer: Expr,
        name: &str,
        arguments: &[Expr],
        result: Option<&Place>,
        raw: RawEdge,
    ) -> Result<(), CannotBuild> {
        let program = self.build.program;
        let known: Vec<ProcedureId> = self.callees.get(&self.site).into_iter().flatten().copied().collect();
        let (from, to, span, text) = (raw.from, raw.to, raw.span, raw.text.clone());
        let site = self.site;
        for &callee in &known {
            let own = &program.procedures[callee];
            if own.body.is_none() || own.is_native() || own.parameters.len() != arguments.len() {
                // Functions without a body have one that calls them; what is left cannot be called so.
                let why = format!("a call of `{}` through a pointer", own.name);
                let mut edge = RawEdge::new(from, to, &text, span);
                edge.is_branch = true;
                edge.leads_to = Some((site, callee));
                edge.actions.push(RawAction::Assume(self.leads_to(&pointer, callee)));
                edge.trouble = Some(NoMeaning::NotSupported(why));
                self.edges.push(edge);
                continue;
            }
            let start = self.node(span);
            let mut edge = RawEdge::new(from, start, &text, span);
            edge.is_branch = true;
            edge.leads_to = Some((site, callee));
            edge.actions.push(RawAction::Assume(self.leads_to(&pointer, callee)));
            self.edges.push(edge);
            self.call(callee, arguments, result, (start, to), &text, span)?;
            self.site = site;
        }
        let mut rest = raw;
        rest.is_branch = !known.is_empty();
        let unknown = result.map(|result| Box::new(self.unknown_value(result.clone(), name)));
        let function = format!("*{name}");
        let component = &program.procedures[self.build.procedure].name;
        self.assume(format!(
            "pointers to functions that come from outside do not lead to `{component}` itself"
        ));
        rest.actions.push(RawAction::Indirect {
            pointer,
            result: unknown,
            known: known.clone(),
            arguments: arguments.len(),
        });
        match self.build.missing {
            MissingRule::Forbid => rest.trouble = Some(NoMeaning::MissingBody { function }),
            MissingRule::Pure => {}
            MissingRule::Nondeterministic => {
                let arguments = arguments.to_vec();
                rest.actions.insert(0, RawAction::Clobber { function: Arc::from(function), arguments });
            }
        }
        self.note(SiteKind::Indirect, std::slice::from_ref(&rest));
        self.edges.push(rest);
        Ok(())
    }

    /// The pointer points to this function.
    fn leads_to(&mut self, pointer: &Expr, callee: ProcedureId) -> Condition {
        let address = Expr { kind: ExprKind::FunctionAddress(callee), ty: pointer.ty };
        let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(pointer.clone()), Box::new(address));
        Condition::Test(Expr { kind, ty: self.memory.types.int() })
    }
}
