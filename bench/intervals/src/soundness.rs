//! Every value that a run computes lies in the range that the analysis computed for that place.

use base::Budget;
use concrete::{Captured, Interpreter, Observer, SeededInputs, ThreadId};
use intervals::{Analysis, Settings, analyse};
use intervals::{Scalar, Value};
use program::{Action, NodeId, Place, PlaceBase, ProcedureId, Program, Projection, VariableId};
use std::collections::HashMap;

/// Steps of a run that are looked at.
const MOST_STEPS: u64 = 30_000;

struct Watch<'a, 'p> {
    program: &'p Program,
    analysis: &'a Analysis<'p>,
    frames: Vec<HashMap<VariableId, u128>>,
    steps: u64,
    checks: u64,
    trouble: Option<String>,
}

/// Does the abstract value contain the bits?
fn contains(value: &Value, scalar: Scalar, bits: u128) -> bool {
    match (value, scalar) {
        (Value::Integer(number), Scalar::Integer(shape)) => number.contains(shape.value(bits)),
        (Value::Float(range), Scalar::Float(program::FloatKind::Double)) => {
            range.contains(f64::from_bits(bits as u64))
        }
        (Value::Float(range), Scalar::Float(program::FloatKind::Float)) => {
            range.contains(f64::from(f32::from_bits(bits as u32)))
        }
        (Value::Pointer(pointers), Scalar::Pointer) => {
            if bits == 0 {
                pointers.can_be_null
            } else {
                pointers.can_be_not_null()
            }
        }
        // Wider floats are never told; a mixture of kinds is.
        (Value::Float(_), Scalar::Float(_)) => true,
        _ => false,
    }
}

impl Watch<'_, '_> {
    fn complain(&mut self, procedure: ProcedureId, span: base::Span, what: String) {
        let place = self.program.sources.location(span).map_or(String::new(), |place| place.to_string());
        let name = &self.program.procedures[procedure].name;
        self.trouble.get_or_insert(format!("{place} in `{name}`: {what}"));
    }

    fn check_variable(
        &mut self,
        procedure: ProcedureId,
        node: NodeId,
        id: VariableId,
        bits: u128,
        span: base::Span,
    ) {
        let Some(point) = self.analysis.at(procedure, node) else { return };
        let (Some(datum), Some(scalar)) = (point.variable(id), self.analysis.context().scalars[id]) else {
            return;
        };
        self.checks += 1;
        if !contains(&datum.value, scalar, bits) {
            let name = self.program.show().variable(id);
            self.complain(
                procedure,
                span,
                format!("`{name}` has the bits {bits:#x}, not in {:?}", datum.value),
            );
        }
    }
}

/// A place whose address does not depend on what is stored.
fn is_fixed(place: &Place) -> bool {
    let is_constant = |step: &Projection| match step {
        Projection::Field(..) => true,
        Projection::Index(index) => index.as_integer().is_some(),
    };
    matches!(place.base, PlaceBase::Variable(_)) && place.path.iter().all(is_constant)
}

impl Observer for Watch<'_, '_> {
    fn called(&mut self, _thread: ThreadId, _procedure: ProcedureId) {
        self.frames.push(HashMap::new());
    }

    fn step(&mut self, step: concrete::Step) {
        self.steps += 1;
        let depth = step.depth as usize;
        self.frames.truncate(depth);
        self.frames.resize_with(depth, HashMap::new);
        if self.trouble.is_some() || self.steps > MOST_STEPS {
            return;
        }
        let body = self.program.procedures[step.procedure].body.as_ref().expect("steps are made in bodies");
        let edge = &body.edges[step.edge];
        for node in [edge.from, edge.to] {
            // What library functions do inside is computed at once where that is more precise.
            if self.analysis.at(step.procedure, node).is_none() && !self.program.is_in_library(edge.span) {
                self.complain(step.procedure, edge.span, "a run gets to what is called unreachable".into());
                return;
            }
        }
        if body.nodes[edge.from].is_loop_head || self.steps.is_multiple_of(8) {
            let known: Vec<(VariableId, u128)> =
                self.frames.last().into_iter().flatten().map(|(&id, &bits)| (id, bits)).collect();
            for (id, bits) in known {
                self.check_variable(step.procedure, edge.from, id, bits, edge.span);
            }
        }
        let target = match &edge.action {
            Action::Assign { target, .. } | Action::Havoc { target, .. } => Some(target),
            Action::Call { result, .. } => result.as_ref(),
            _ => None,
        };
        let (Some(target), Some(written)) = (target, step.written) else { return };
        match target.as_variable().filter(|_| written.address.is_none()) {
            Some(id) => {
                let is_own = !self.analysis.context().is_global(id);
                if is_own && let Some(frame) = self.frames.last_mut() {
                    frame.insert(id, written.bits);
                }
                self.check_variable(step.procedure, edge.to, id, written.bits, edge.span);
            }
            None if is_fixed(target) && target.bit_field(&self.program.types).is_none() => {
                let Some(scalar) = Scalar::of(target.ty.id, &self.program.types) else { return };
                let point = self.analysis.at(step.procedure, edge.to).expect("just asked");
                let value = point.value(&program::Expr::load(target.clone()));
                self.checks += 1;
                if !value.as_ref().is_some_and(|value| contains(value, scalar, written.bits)) {
                    let shown = self.program.show().place(target);
                    self.complain(
                        step.procedure,
                        edge.span,
                        format!("`{shown}` has the bits {:#x}, not in {value:?}", written.bits),
                    );
                }
            }
            None => {}
        }
    }
}

/// Analyses a program and runs it on a seed: how many values were compared, or what lies outside.
pub fn check(program: &Program, settings: &Settings, seed: u64) -> Result<u64, String> {
    let budget = Budget::unlimited();
    let analysis = analyse(program, settings, &budget).map_err(|limit| limit.to_string())?;
    let mut watch =
        Watch { program, analysis: &analysis, frames: Vec::new(), steps: 0, checks: 0, trouble: None };
    let mut run_settings = concrete::Settings::default();
    run_settings.limits.steps = Some(MOST_STEPS);
    let mut inputs = SeededInputs::new(seed);
    Interpreter::new(program).watch(&run_settings, &mut Captured::default(), &mut inputs, &mut watch);
    match watch.trouble {
        Some(trouble) => Err(trouble),
        None => Ok(watch.checks),
    }
}
