//! Transitions from C: straight pieces of control flow of real programs, with the programs' own conditions as predicates.
//!
//! A piece starts at a node and follows up to [`LONGEST`] steps that read and write integer variables only; what a step of
//! another kind writes becomes unknown. Predicates are conditions of the same procedure, those that mention a variable
//! of the piece first.

use crate::transitions::{Transition, TransitionSet};
use base::Id;
use csource::types::DataModel;
use logic::{TermId, TermPool};
use program::{
    Action, BinaryOp, Edge, Expr, ExprKind, Graph, NodeId, Place, Procedure, Program, Type, UnaryOp,
    VariableId,
};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Steps in one piece, at most.
const LONGEST: usize = 6;
/// Predicates per transition.
const PREDICATES: usize = 12;

/// The files to take transitions from when none are given: state machines of the benchmark set beside the checkout,
/// or, without it, the examples.
pub fn usual_files() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let machines = c_files(&root.join("../shared/bench/svcomp/c/ssh"));
    if !machines.is_empty() {
        let stride = machines.len().div_ceil(10);
        return machines.into_iter().step_by(stride).collect();
    }
    println!("the benchmark set is absent: transitions come from the examples");
    let folders = std::fs::read_dir(root.join("examples")).into_iter().flatten().flatten();
    let mut folders: Vec<_> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders.iter().flat_map(|folder| c_files(folder)).collect()
}

fn c_files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| path.display().to_string())
        .collect();
    files.sort();
    files
}

/// A hundred transitions, spread over the files.
pub fn from_c_files(files: &[String]) -> Result<TransitionSet, String> {
    let mut pool = TermPool::new();
    let mut transitions = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let program = lower_file(file)?;
        let left = files.len() - index;
        let wanted = (100 - transitions.len()).div_ceil(left);
        let mut found = Vec::new();
        for procedure in &program.procedures {
            if let Some(graph) = &procedure.body {
                Extraction { program: &program, graph, procedure, pool: &mut pool, file: index }
                    .run(&mut found);
            }
        }
        // Evenly over the file, so that one long procedure does not stand for all of it.
        let stride = (found.len() / wanted.max(1)).max(1);
        transitions.extend(found.into_iter().step_by(stride).take(wanted));
    }
    if transitions.is_empty() {
        Err("no transition over integer variables found".into())
    } else {
        Ok(TransitionSet { pool, transitions })
    }
}

fn lower_file(file: &str) -> Result<Program, String> {
    testkit::c::read(Path::new(file), DataModel::Lp64).map_err(|_| format!("{file}: does not compile"))
}

struct Extraction<'a> {
    program: &'a Program,
    graph: &'a Graph,
    procedure: &'a Procedure,
    pool: &'a mut TermPool,
    file: usize,
}

/// What the variables hold at some point of a piece, where it is not what they held at its start.
type Values = HashMap<VariableId, TermId>;

impl Extraction<'_> {
    fn run(&mut self, found: &mut Vec<Transition>) {
        let conditions = self.conditions();
        for node in self.graph.nodes.ids() {
            let Some((step, values)) = self.piece(node) else { continue };
            let written: BTreeSet<VariableId> = values.keys().copied().collect();
            let mut chosen: Vec<&Expr> =
                conditions.iter().filter(|c| !written.is_disjoint(&variables_of(c))).collect();
            chosen.extend(conditions.iter().filter(|c| written.is_disjoint(&variables_of(c))));
            let mut before = Vec::new();
            let mut after = Vec::new();
            for condition in chosen {
                let (Some(now), Some(then)) =
                    (self.truth(condition, &Values::new()), self.truth(condition, &values))
                else {
                    continue;
                };
                if self.pool.bool_value(now).is_none() && !before.contains(&now) && before.len() < PREDICATES
                {
                    before.push(now);
                    after.push(then);
                }
            }
            if before.len() == PREDICATES && !written.is_empty() {
                found.push(Transition { step, before, after });
            }
        }
    }

    /// Conditions of the procedure over integer variables.
    fn conditions(&mut self) -> Vec<Expr> {
        let mut conditions: Vec<Expr> = Vec::new();
        for edge in &self.graph.edges {
            if let Action::Assume { condition, .. } = &edge.action
                && !conditions.contains(condition)
                && self.truth(condition, &Values::new()).is_some()
            {
                conditions.push(condition.clone());
            }
        }
        conditions
    }

    /// The guard and the final values of the piece that starts here.
    fn piece(&mut self, start: NodeId) -> Option<(TermId, Values)> {
        let mut values = Values::new();
        let mut guards = Vec::new();
        let mut node = start;
        for length in 0..LONGEST {
            // Different pieces take different ways through branches.
            let out = &self.graph.nodes[node].out;
            let Some(&edge) = out.get((start.index() + length) % out.len().max(1)) else { break };
            let edge = &self.graph.edges[edge];
            if !self.follow(edge, &mut values, &mut guards) {
                break;
            }
            node = edge.to;
        }
        (node != start).then(|| (self.pool.all_of(&guards), values))
    }

    fn follow(&mut self, edge: &Edge, values: &mut Values, guards: &mut Vec<TermId>) -> bool {
        match &edge.action {
            Action::Skip | Action::Lifetime { .. } => true,
            Action::Assume { condition, expected, .. } => {
                if let Some(truth) = self.truth(condition, values) {
                    guards.push(if *expected { truth } else { self.pool.not(truth) });
                }
                true
            }
            Action::Assign { target, value } => {
                let Some(variable) = self.integer_variable(target) else { return true };
                let new = match self.value(value, values) {
                    Some(new) => new,
                    None => self.unknown(variable),
                };
                values.insert(variable, new);
                true
            }
            Action::Havoc { target, .. } => {
                if let Some(variable) = self.integer_variable(target) {
                    let new = self.unknown(variable);
                    values.insert(variable, new);
                }
                true
            }
            Action::Call { result, .. } => {
                // A call may change every global.
                let globals: Vec<VariableId> =
                    self.program.variables.ids().filter(|&id| self.is_global(id)).collect();
                for id in globals {
                    if values.contains_key(&id) {
                        let new = self.unknown(id);
                        values.insert(id, new);
                    }
                }
                if let Some(variable) = result.as_ref().and_then(|place| self.integer_variable(place)) {
                    let new = self.unknown(variable);
                    values.insert(variable, new);
                }
                true
            }
            Action::Return { .. } | Action::Event { .. } | Action::Unsupported(_) => false,
        }
    }

    fn is_global(&self, id: VariableId) -> bool {
        self.program.variables[id].procedure.is_none() && self.width(id).is_some()
    }

    fn unknown(&mut self, id: VariableId) -> TermId {
        let width = self.width(id).expect("asked for integer variables only");
        self.pool.fresh_symbol("unknown", logic::Sort::BitVec(width))
    }

    fn integer_variable(&self, place: &Place) -> Option<VariableId> {
        place.as_variable().filter(|&id| self.width(id).is_some())
    }

    fn width(&self, id: VariableId) -> Option<u32> {
        let variable = &self.program.variables[id];
        let is_integer = self.program.types.is_integer(variable.ty.id) && !variable.in_memory;
        is_integer.then(|| self.program.types.integer_shape(variable.ty.id).expect("an integer").width)
    }

    fn truth(&mut self, condition: &Expr, values: &Values) -> Option<TermId> {
        let value = self.value(condition, values)?;
        Some(self.pool.is_nonzero(value))
    }

    fn value(&mut self, expr: &Expr, values: &Values) -> Option<TermId> {
        let shape =
            self.program.types.integer_shape(expr.ty).filter(|_| self.program.types.is_integer(expr.ty))?;
        match &expr.kind {
            ExprKind::Integer(bits) => Some(self.pool.number(shape.width, *bits as i128)),
            ExprKind::Load(place) => {
                let id = self.integer_variable(place)?;
                if let Some(&now) = values.get(&id) {
                    return Some(now);
                }
                let name =
                    format!("{}:{}:{}:{id}", self.file, self.procedure.name, self.program.variables[id].name);
                Some(self.pool.bitvec_symbol(&name, shape.width))
            }
            ExprKind::Unary(op, operand) => {
                let inner = self.value(operand, values)?;
                Some(match op {
                    UnaryOp::Negate => self.pool.bvneg(inner),
                    UnaryOp::BitNot => self.pool.bvnot(inner),
                    UnaryOp::Not => {
                        let truth = self.pool.is_nonzero(inner);
                        let falsity = self.pool.not(truth);
                        self.pool.bool_to_bits(falsity, shape.width)
                    }
                })
            }
            ExprKind::Cast(operand) => {
                let from = self.program.types.integer_shape(operand.ty)?;
                let inner = self.value(operand, values)?;
                if self.program.types.get(expr.ty) == &Type::Bool {
                    let truth = self.pool.is_nonzero(inner);
                    return Some(self.pool.bool_to_bits(truth, 1));
                }
                Some(match shape.width.cmp(&from.width) {
                    std::cmp::Ordering::Less => self.pool.extract(inner, shape.width - 1, 0),
                    std::cmp::Ordering::Equal => inner,
                    std::cmp::Ordering::Greater if from.signed => {
                        self.pool.sign_extend(inner, shape.width - from.width)
                    }
                    std::cmp::Ordering::Greater => self.pool.zero_extend(inner, shape.width - from.width),
                })
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, values, shape.width),
            _ => None,
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        values: &Values,
        width: u32,
    ) -> Option<TermId> {
        let signed = self.program.types.integer_shape(left.ty)?.signed;
        let (l, r) = (self.value(left, values)?, self.value(right, values)?);
        let (left_width, right_width) = (self.pool.width(l), self.pool.width(r));
        let pool = &mut *self.pool;
        // The count of a shift may have another width than what is shifted.
        let r = match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if right_width < left_width => {
                pool.zero_extend(r, left_width - right_width)
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if right_width > left_width => {
                pool.extract(r, left_width - 1, 0)
            }
            _ => r,
        };
        use BinaryOp::*;
        let truth = match (op, signed) {
            (Add, _) => return Some(pool.bvadd(l, r)),
            (Subtract, _) => return Some(pool.bvsub(l, r)),
            (Multiply, _) => return Some(pool.bvmul(l, r)),
            (Divide, true) => return Some(pool.bvsdiv(l, r)),
            (Divide, false) => return Some(pool.bvudiv(l, r)),
            (Remainder, true) => return Some(pool.bvsrem(l, r)),
            (Remainder, false) => return Some(pool.bvurem(l, r)),
            (ShiftLeft, _) => return Some(pool.bvshl(l, r)),
            (ShiftRight, true) => return Some(pool.bvashr(l, r)),
            (ShiftRight, false) => return Some(pool.bvlshr(l, r)),
            (BitAnd, _) => return Some(pool.bvand(l, r)),
            (BitOr, _) => return Some(pool.bvor(l, r)),
            (BitXor, _) => return Some(pool.bvxor(l, r)),
            (Equal, _) => pool.equal(l, r),
            (NotEqual, _) => pool.distinct(l, r),
            (Less, true) => pool.slt(l, r),
            (Less, false) => pool.ult(l, r),
            (LessEqual, true) => pool.sle(l, r),
            (LessEqual, false) => pool.ule(l, r),
            (Greater, true) => pool.slt(r, l),
            (Greater, false) => pool.ult(r, l),
            (GreaterEqual, true) => pool.sle(r, l),
            (GreaterEqual, false) => pool.ule(r, l),
        };
        Some(pool.bool_to_bits(truth, width))
    }
}

fn variables_of(expr: &Expr) -> BTreeSet<VariableId> {
    let mut variables = BTreeSet::new();
    expr.visit(&mut |part| {
        if let program::expr::ExprPart::Place(place, _) = part {
            variables.extend(place.as_variable());
        }
    });
    variables
}
