//! What a step does to the other threads: broadcast assignments, after Donaldson, Kaiser, Kroening, Wahl 2011
//! ("Symmetry-aware predicate abstraction for shared-variable concurrent programs", SATABS's `x$`).
//!
//! A variable of scope [`Scope::Passive`] stands for a local of whichever *other* thread is looked at; the
//! thread that moves is *active*, the others are *passive*. A rule tells what becomes of the activations of
//! one procedure in the passive threads, each on its own: its variables get possible values of their
//! expressions, and the constraint must be able to hold. If it cannot, the step is not possible while that
//! activation is there.
//!
//! A local that some rule reads or writes is *mixed*: others take part in it. Reductions that look for what
//! only one thread can notice must ask [`Mixed`]. Tested by `engines_agree_on_broadcasts` in
//! `tests/suite/broadcasts.rs`.

use super::expression::Expr;
use super::program::{Action, Edge, NodeId, ProcedureId, Program, Scope, VariableId};
use base::IndexVec;

/// A rule: what becomes of the activations of a procedure in all other threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passive {
    /// Activations of this procedure, callers that wait included, change so.
    pub procedure: ProcedureId,
    /// Only those at this node (a caller that waits stands at its call); `None`: wherever they are.
    pub at: Option<NodeId>,
    /// Passive copies, each at most once, with the values over the state before.
    pub assignments: Vec<(VariableId, Expr)>,
    /// Over values before and after, of the active and of the passive thread.
    pub constraint: Expr,
}

impl Passive {
    /// Is the rule about an activation that stands at this node?
    pub fn is_about(&self, program: &Program, node: NodeId) -> bool {
        match self.at {
            Some(at) => at == node,
            None => program.procedure_of(node) == self.procedure,
        }
    }

    /// Calls `visit` with every expression of the rule.
    pub fn for_each_expression<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        self.assignments.iter().for_each(|(_, value)| visit(value));
        visit(&self.constraint);
    }
}

/// The rule for an activation at this node: the first that is about it.
pub fn rule_at<'r>(rules: &'r [Passive], program: &Program, node: NodeId) -> Option<&'r Passive> {
    rules.iter().find(|rule| rule.is_about(program, node))
}

/// Where other threads take part.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// Is the variable a local that some rule reads or writes?
    pub is_mixed: IndexVec<VariableId, bool>,
    /// Is it a local that some rule reads? Then it matters wherever its activation stands.
    pub is_read: IndexVec<VariableId, bool>,
    /// Is there a rule about activations of the procedure?
    pub has_rules: IndexVec<ProcedureId, bool>,
    /// Is there one that depends on where they stand?
    pub has_placed_rules: IndexVec<ProcedureId, bool>,
}

impl Mixed {
    /// Looks at all rules of a program.
    pub fn of(program: &Program) -> Mixed {
        let mut mixed = Mixed {
            is_mixed: IndexVec::filled(false, program.variables().len()),
            is_read: IndexVec::filled(false, program.variables().len()),
            has_rules: IndexVec::filled(false, program.procedures().len()),
            has_placed_rules: IndexVec::filled(false, program.procedures().len()),
        };
        let local_of = |id: VariableId| {
            let variable = &program.variables()[id];
            match variable.scope {
                Scope::Passive(procedure) => Some(program.procedures()[procedure].variables[variable.slot]),
                Scope::Global | Scope::Local(_) => None,
            }
        };
        for rule in program.edges().iter().flat_map(|edge| edge.action.passive()) {
            mixed.has_rules[rule.procedure] = true;
            mixed.has_placed_rules[rule.procedure] |= rule.at.is_some();
            for local in rule.assignments.iter().filter_map(|(target, _)| local_of(*target)) {
                mixed.is_mixed[local] = true;
            }
            rule.for_each_expression(&mut |expr| {
                expr.for_each_variable(&mut |variable, _| {
                    if let Some(local) = local_of(variable) {
                        (mixed.is_mixed[local], mixed.is_read[local]) = (true, true);
                    }
                });
            });
        }
        mixed
    }

    /// Does any step change other threads?
    pub fn is_any(&self) -> bool {
        self.has_rules.iter().any(|has| *has)
    }

    /// Can a broadcast of another thread make a difference to this step, or this step to it? A step does that
    /// mentions a mixed variable, that begins or ends an activation with rules about it, or that moves one
    /// where rules depend on the place.
    pub fn is_touched_by(&self, program: &Program, edge: &Edge) -> bool {
        if !self.is_any() {
            return false;
        }
        let own = program.procedure_of(edge.from);
        if self.has_placed_rules[own] {
            return true;
        }
        let mut touched = false;
        let mut look = |expr: &Expr| expr.for_each_variable(&mut |id, _| touched |= self.is_mixed[id]);
        look(&edge.guard);
        match &edge.action {
            Action::Assign { assignments, constraint, passive } => {
                assignments.iter().for_each(|(_, value)| look(value));
                look(constraint);
                passive.iter().for_each(|rule| rule.for_each_expression(&mut look));
                touched || assignments.iter().any(|(target, _)| self.is_mixed[*target])
            }
            Action::Assert { condition } => {
                look(condition);
                touched
            }
            Action::Call { callee, arguments, .. } => {
                arguments.iter().for_each(look);
                touched || self.has_rules[*callee]
            }
            // The results may go to mixed variables of any caller, and where it stands changes.
            Action::Return { .. } | Action::EndThread => true,
            Action::Async { .. } | Action::StartThread { .. } => true,
            Action::Error { .. } | Action::AtomicBegin | Action::AtomicEnd => touched,
        }
    }
}

impl Program {
    /// The variable that stands for a local in another thread, made if it is not there yet.
    ///
    /// # Panics
    /// When the variable is no local.
    pub fn passive_copy(&mut self, local: VariableId) -> VariableId {
        let variable = &self.variables()[local];
        let Scope::Local(procedure) = variable.scope else { panic!("only locals have passive copies") };
        let (name, scope, slot) = (format!("{}$", variable.name), Scope::Passive(procedure), variable.slot);
        let known = |id: &VariableId| {
            let other = &self.variables()[*id];
            other.scope == scope && other.slot == slot
        };
        match self.variables().ids().find(known) {
            Some(copy) => copy,
            None => self.add_passive(&name, scope, slot),
        }
    }

    /// Does some step change other threads' variables?
    pub fn has_broadcasts(&self) -> bool {
        self.edges().iter().any(|edge| !edge.action.passive().is_empty())
    }
}
