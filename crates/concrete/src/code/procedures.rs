//! Procedures: frames laid out as a compiler would, nodes turned into steps and branches.

use super::build::Builder;
use super::{
    CallCode, CalleeCode, ChoiceArm, Class, Condition, FrameObject, HavocCode, Home, NodeCode, ParameterCode,
    ProcedureCode, ResultCode, StepCode,
};
use base::Id;
use program::{
    Action, AssumeReason, Callee, Expr, ExprKind, Graph, IntegerKind, Node, Place, PlaceBase, Procedure,
    Type, TypeRef, VariableId, VariableKind,
};
use std::sync::Arc;

/// What [`Builder::lay_out_frame`] found.
pub(super) struct FrameLayout {
    registers: u32,
    objects: Vec<FrameObject>,
    stack_size: u64,
    stack_alignment: u64,
}

impl Builder<'_> {
    /// Gives a procedure's automatic variables their homes.
    pub fn lay_out_frame(&mut self, procedure: &Procedure) -> FrameLayout {
        let mut layout =
            FrameLayout { registers: 0, objects: Vec::new(), stack_size: 0, stack_alignment: 16 };
        for &variable in procedure.parameters.iter().chain(&procedure.locals) {
            let ty = self.program.variables[variable].ty;
            if !self.program.variables[variable].in_memory {
                self.homes[variable] = Home::Register(layout.registers);
                layout.registers += self.class(ty.id).registers();
                continue;
            }
            self.homes[variable] = Home::FrameObject(layout.objects.len() as u32);
            let object = self.frame_object(variable, ty, &mut layout);
            layout.objects.push(object);
        }
        layout.stack_size =
            layout.stack_size.saturating_add(16).checked_next_multiple_of(16).unwrap_or(u64::MAX);
        layout
    }

    fn frame_object(&self, variable: VariableId, ty: TypeRef, layout: &mut FrameLayout) -> FrameObject {
        let types = &self.program.types;
        let asked = self.program.variables[variable].alignment.unwrap_or(1);
        let alignment = types.align_of(ty.id).unwrap_or(1).max(asked).max(1);
        let size = types.size_of(ty.id);
        layout.stack_alignment = layout.stack_alignment.max(alignment);
        let stack_offset = layout.stack_size.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        // One byte stays free behind each object; see `AddressSpace`.
        layout.stack_size = stack_offset.saturating_add(size.unwrap_or(0)).saturating_add(1);
        FrameObject { variable, size, stack_offset, is_const: self.program.types.is_constant(ty) }
    }

    /// A procedure with its body.
    pub fn procedure(&self, procedure: &Procedure, graph: &Graph, layout: FrameLayout) -> ProcedureCode {
        let parameters = procedure
            .parameters
            .iter()
            .map(|&parameter| {
                let ty = self.program.variables[parameter].ty.id;
                ParameterCode { ty, home: self.homes[parameter], class: self.class(ty) }
            })
            .collect();
        ProcedureCode {
            register_count: layout.registers,
            objects: layout.objects,
            stack_size: layout.stack_size,
            stack_alignment: layout.stack_alignment,
            parameters,
            nodes: graph.nodes.iter().map(|node| self.node(graph, node)).collect(),
            entry: graph.entry.index() as u32,
        }
    }

    fn node(&self, graph: &Graph, node: &Node) -> NodeCode {
        let to = |edge| graph.edges[edge].to.index() as u32;
        match node.out[..] {
            [] => NodeCode::End(node.span),
            [only] => match &graph.edges[only].action {
                Action::Assume { condition, expected, reason: AssumeReason::Branch } => {
                    let condition = Some((self.condition(condition), *expected));
                    NodeCode::Choice(Box::new([ChoiceArm { condition, edge: only, to: to(only) }]))
                }
                action => NodeCode::Step { step: self.step(action), edge: only, to: to(only) },
            },
            [first, second] if is_branch(graph, first, second) => {
                let Action::Assume { condition, expected, .. } = &graph.edges[first].action else {
                    unreachable!("a branch assumes")
                };
                let (yes, no) = if *expected { (first, second) } else { (second, first) };
                NodeCode::Branch {
                    condition: self.condition(condition),
                    when_true: (yes, to(yes)),
                    when_false: (no, to(no)),
                }
            }
            ref several => NodeCode::Choice(
                several
                    .iter()
                    .map(|&edge| {
                        let condition = match &graph.edges[edge].action {
                            Action::Assume { condition, expected, .. } => {
                                Some((self.condition(condition), *expected))
                            }
                            Action::Skip => None,
                            // Steps other than conditions do not compete: the program would be ambiguous.
                            _ => {
                                Some((Condition::Word(super::Word::Unsupported(Arc::from(AMBIGUOUS))), true))
                            }
                        };
                        ChoiceArm { condition, edge, to: to(edge) }
                    })
                    .collect(),
            ),
        }
    }

    /// One action.
    pub fn step(&self, action: &Action) -> StepCode {
        match action {
            Action::Skip => StepCode::Skip,
            Action::Assume { condition, expected, .. } => {
                StepCode::Assume(Box::new(self.condition(condition)), *expected)
            }
            Action::Assign { target, value } => self.assign(target, value),
            Action::Havoc { target, source } => {
                StepCode::Havoc(Box::new(HavocCode { into: self.result(target), source: source.clone() }))
            }
            Action::Call { result, callee, arguments } => StepCode::Call(Box::new(CallCode {
                callee: match callee {
                    Callee::Direct(procedure) => CalleeCode::Direct(*procedure),
                    Callee::Indirect(pointer) => {
                        let pointee = self.program.types.pointee(pointer.ty).map(|to| to.id);
                        CalleeCode::Indirect(self.pointer(pointer), pointee.unwrap_or(pointer.ty))
                    }
                },
                arguments: arguments.iter().map(|argument| self.value(argument)).collect(),
                result: result.as_ref().map(|place| self.result(place)),
            })),
            Action::Return { value } => {
                let value = value.as_ref().filter(|value| !self.is_void(value));
                StepCode::Return(value.map(|value| Box::new(self.value(value))))
            }
            Action::Event { arguments, .. } => {
                StepCode::Event(arguments.iter().map(|argument| self.value(argument)).collect())
            }
            Action::Lifetime { variable, step } => match self.homes[*variable] {
                Home::FrameObject(number) => StepCode::Lifetime(number, *step),
                _ => StepCode::Skip,
            },
            Action::Unsupported(what) => StepCode::Unsupported(what.clone()),
        }
    }

    fn result(&self, place: &Place) -> ResultCode {
        ResultCode {
            target: self.target(place),
            class: self.class(place.ty.id),
            form: self.word_form(place),
            ty: place.ty.id,
            is_temporary: place
                .as_variable()
                .is_some_and(|variable| self.program.variables[variable].kind == VariableKind::Temporary),
        }
    }

    fn is_void(&self, value: &Expr) -> bool {
        matches!(self.program.types.get(value.ty), Type::Void)
    }

    /// An assignment.
    pub fn assign(&self, target: &Place, value: &Expr) -> StepCode {
        match self.class(target.ty.id) {
            Class::Integer { .. } | Class::Float(_) => {
                let is_bit_field = target.bit_field(&self.program.types).is_some();
                if let Some(source) = self.copied_character(value).filter(|_| !is_bit_field) {
                    let form = self.word_form(source);
                    let copy = (self.target(target), self.access_place(source), form);
                    return StepCode::CopyCharacter(Box::new(copy));
                }
                StepCode::AssignWord(Box::new((
                    self.target(target),
                    self.word_form(target),
                    self.word(value),
                )))
            }
            Class::Wide(_, size) => {
                StepCode::AssignWide(Box::new((self.target(target), size, self.wide(value))))
            }
            Class::Pointer => StepCode::AssignPointer(Box::new((self.target(target), self.pointer(value)))),
            Class::Aggregate(size) => match self.aggregate(value, size) {
                Some(aggregate) => {
                    StepCode::AssignAggregate(Box::new((self.access_place(target), aggregate)))
                }
                None => StepCode::Unsupported(Arc::from("a record or array value that is not a copy")),
            },
            Class::Nothing => StepCode::Unsupported(Arc::from(format!(
                "an object of type `{}`, whose size is not known, is written",
                self.program.types.show(target.ty.id)
            ))),
        }
    }

    /// The source of a plain copy of a character in memory: that may copy what was never written.
    fn copied_character<'e>(&self, value: &'e Expr) -> Option<&'e Place> {
        use IntegerKind::{Char, SignedChar, UnsignedChar};
        let ExprKind::Load(place) = &value.kind else { return None };
        let is_character =
            matches!(self.program.types.get(value.ty), Type::Integer(Char | SignedChar | UnsignedChar));
        let in_memory = match &place.base {
            PlaceBase::Variable(variable) => self.program.variables[*variable].in_memory,
            PlaceBase::Pointer(_) => true,
        };
        (is_character && in_memory && place.bit_field(&self.program.types).is_none()).then_some(place)
    }
}

const AMBIGUOUS: &str = "several steps leave a place and none of them is a condition";

fn is_branch(graph: &Graph, first: program::EdgeId, second: program::EdgeId) -> bool {
    match (&graph.edges[first].action, &graph.edges[second].action) {
        (
            Action::Assume { condition: a, expected: x, reason: AssumeReason::Branch },
            Action::Assume { condition: b, expected: y, reason: AssumeReason::Branch },
        ) => x != y && a == b,
        _ => false,
    }
}
