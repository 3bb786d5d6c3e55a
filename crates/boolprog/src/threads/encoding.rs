//! Steps of one thread as relations over decision diagrams: globals and one row of variables, before and
//! after. Program counters stay explicit (BOOM 10.1), so every edge has a small relation over what it
//! assigns.

use super::flat::{ContextId, FlatEdge, FlatLocationId, FlatProgram};
use crate::graph::{Action, Expr, Scope, VariableId};
use crate::possibly::{Possibly, WithinNodeLimit};
use crate::values::Values;
use base::{Exhausted, Id};
use logic::bdd::{Bdd, BddManager, BddSettings, BddVariable, NodeLimitReached, Renaming};
use verdict::{Reason, Undecided};

/// Why a search by sets of states stopped.
pub(super) enum Stop {
    Open(Undecided),
    Nodes(NodeLimitReached),
}

impl Stop {
    /// With what to try where diagrams became too large.
    pub fn undecided(self, instead: &str) -> Undecided {
        match self {
            Stop::Open(open) => open,
            Stop::Nodes(NodeLimitReached { limit }) => {
                let reason = Reason::SizeLimit { what: "BDD nodes", limit: limit as u64 };
                Undecided::because(reason).try_next(instead)
            }
        }
    }
}

impl From<NodeLimitReached> for Stop {
    fn from(limit: NodeLimitReached) -> Stop {
        Stop::Nodes(limit)
    }
}

impl From<Undecided> for Stop {
    fn from(open: Undecided) -> Stop {
        Stop::Open(open)
    }
}

impl From<Exhausted> for Stop {
    fn from(limit: Exhausted) -> Stop {
        Stop::Open(limit.into())
    }
}

/// The variables of the diagrams.
pub struct Encoding {
    /// Owns the nodes.
    pub manager: BddManager,
    /// Globals by slot.
    pub globals: Vec<BddVariable>,
    /// The row of the thread that moves, by slot.
    pub row: Vec<BddVariable>,
    next_globals: Vec<BddVariable>,
    next_row: Vec<BddVariable>,
    /// All globals, to quantify them.
    pub global_set: Bdd,
    /// The whole row, to quantify it.
    pub row_set: Bdd,
}

/// An edge as a relation.
pub struct Relation {
    /// Over everything before, and what is assigned after; the guard included.
    pub relation: Bdd,
    /// States from which the edge fails.
    pub fails: Bdd,
    assigned: Bdd,
    renaming: Option<Renaming>,
    /// What is assigned: variable before, variable after.
    pub pairs: Vec<(BddVariable, BddVariable)>,
}

impl Encoding {
    /// Variables for a flat program.
    pub fn new(flat: &FlatProgram<'_>) -> WithinNodeLimit<Encoding> {
        // A small program has small diagrams: clearing a large cache would take longer than all the rest.
        let bits = flat.program.globals().len() + 2 * flat.row;
        let cache_entries = 1 << (bits + 8).clamp(12, 20);
        let manager = BddManager::new(BddSettings { cache_entries, ..BddSettings::default() });
        let globals = manager.add_interleaved(flat.program.globals().len(), 2);
        let rows = manager.add_interleaved(flat.row, 2);
        let global_set = manager.variable_set(&globals[0])?;
        let row_set = manager.variable_set(&rows[0])?;
        let [globals, next_globals] = <[Vec<BddVariable>; 2]>::try_from(globals).expect("two copies");
        let [row, next_row] = <[Vec<BddVariable>; 2]>::try_from(rows).expect("two copies");
        Ok(Encoding { manager, globals, row, next_globals, next_row, global_set, row_set })
    }

    /// The variable (before, after) that holds a variable of the program, seen from a context.
    fn place(
        &self,
        flat: &FlatProgram<'_>,
        context: ContextId,
        variable: VariableId,
    ) -> (BddVariable, BddVariable) {
        let known = &flat.program.variables()[variable];
        match known.scope {
            Scope::Global => (self.globals[known.slot], self.next_globals[known.slot]),
            Scope::Local(_) => {
                let slot = flat.slot(context, variable).expect("a local has a slot");
                (self.row[slot], self.next_row[slot])
            }
            Scope::Passive(_) => panic!("programs with broadcasts are not encoded"),
        }
    }

    /// What an expression can be.
    pub(crate) fn possibly(
        &self,
        expr: &Expr,
        value: &impl Fn(VariableId, bool) -> BddVariable,
    ) -> WithinNodeLimit<Possibly> {
        Possibly::of(expr, &self.manager, &mut |leaf| match leaf {
            Expr::Current(variable) => self.exactly(value(*variable, false)),
            Expr::Next(variable) => self.exactly(value(*variable, true)),
            _ => Ok(Possibly::anything(&self.manager)),
        })
    }

    fn exactly(&self, variable: BddVariable) -> WithinNodeLimit<Possibly> {
        Possibly::exactly(self.manager.variable(variable)?)
    }

    /// An expression over values before the step only.
    pub(crate) fn before(
        &self,
        flat: &FlatProgram<'_>,
        context: ContextId,
        expr: &Expr,
    ) -> WithinNodeLimit<Possibly> {
        self.possibly(expr, &|variable, _| self.place(flat, context, variable).0)
    }

    /// The relation of a step that leaves `location`.
    pub fn relation(
        &self,
        flat: &FlatProgram<'_>,
        location: FlatLocationId,
        step: &FlatEdge,
    ) -> WithinNodeLimit<Relation> {
        let context = flat.locations[location].context;
        let edge = flat.edge(step);
        let guard = self.before(flat, context, &edge.guard)?.yes;
        let mut relation = guard.clone();
        let mut fails = self.manager.constant(false);
        let mut pairs: Vec<(BddVariable, BddVariable)> = Vec::new();
        let gets = |relation: &Bdd, after: BddVariable, value: &Possibly| -> WithinNodeLimit<Bdd> {
            let after = self.manager.variable(after)?;
            relation.and(&after.ite(&value.yes, &value.no)?)
        };
        match &edge.action {
            Action::Assign { assignments, constraint, .. } => {
                for (target, value) in assignments {
                    let (before, after) = self.place(flat, context, *target);
                    relation = gets(&relation, after, &self.before(flat, context, value)?)?;
                    pairs.push((before, after));
                }
                let assigned =
                    |variable: VariableId| assignments.iter().any(|(target, _)| *target == variable);
                let constraint = self.possibly(constraint, &|variable, is_next| {
                    let (before, after) = self.place(flat, context, variable);
                    if is_next && assigned(variable) { after } else { before }
                })?;
                relation = relation.and(&constraint.yes)?;
            }
            Action::Assert { condition } => {
                let condition = self.before(flat, context, condition)?;
                fails = guard.and(&condition.no)?;
                relation = relation.and(&condition.yes)?;
            }
            Action::Error { .. } => {
                fails = guard;
                relation = self.manager.constant(false);
            }
            Action::Call { callee, arguments, .. } => {
                let entry = step.to.expect("a call leads into its callee");
                let offset = flat.contexts[flat.locations[entry].context].offset;
                for slot in 0..flat.program.procedures()[*callee].variables.len() {
                    let (before, after) = (self.row[offset + slot], self.next_row[offset + slot]);
                    if let Some(argument) = arguments.get(slot) {
                        relation = gets(&relation, after, &self.before(flat, context, argument)?)?;
                    }
                    pairs.push((before, after));
                }
            }
            Action::Return { values } => {
                if let Some((caller, call)) = flat.call_of(context)
                    && let Action::Call { results, .. } = &call.action
                {
                    for (target, value) in results.iter().zip(values) {
                        let Some(target) = target else { continue };
                        let (before, after) = self.place(flat, caller, *target);
                        relation = gets(&relation, after, &self.before(flat, context, value)?)?;
                        pairs.push((before, after));
                    }
                }
            }
            Action::Async { .. }
            | Action::StartThread { .. }
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd => {}
        }
        let before: Vec<BddVariable> = pairs.iter().map(|(before, _)| *before).collect();
        let renamed: Vec<(BddVariable, BddVariable)> =
            pairs.iter().map(|(before, after)| (*after, *before)).collect();
        let renaming = if pairs.is_empty() { None } else { Some(self.manager.variable_renaming(&renamed)?) };
        Ok(Relation { relation, fails, assigned: self.manager.variable_set(&before)?, renaming, pairs })
    }

    /// The states after the step.
    pub fn image(&self, from: &Bdd, relation: &Relation) -> WithinNodeLimit<Bdd> {
        let after = from.and_exists(&relation.relation, &relation.assigned)?;
        match &relation.renaming {
            None => Ok(after),
            Some(renaming) => after.substitute(renaming),
        }
    }

    /// Forgets the variables of the row that do not matter at a location.
    pub fn forget_dead(
        &self,
        flat: &FlatProgram<'_>,
        location: FlatLocationId,
        set: &Bdd,
    ) -> WithinNodeLimit<Bdd> {
        let live = &flat.locations[location].live;
        let dead: Vec<BddVariable> =
            (0..flat.row).filter(|slot| !live.get(*slot)).map(|slot| self.row[slot]).collect();
        if dead.is_empty() { Ok(set.clone()) } else { set.exists(&self.manager.variable_set(&dead)?) }
    }

    /// The globals the program can start with.
    pub fn initial_globals(&self, flat: &FlatProgram<'_>) -> WithinNodeLimit<Bdd> {
        let literals: Vec<(BddVariable, bool)> = flat
            .program
            .initial()
            .iter()
            .enumerate()
            .filter_map(|(slot, value)| Some((self.globals[slot], (*value)?)))
            .collect();
        self.manager.cube(&literals)
    }

    /// The states that agree with these values in these variables.
    pub fn agree(
        &self,
        variables: &[BddVariable],
        values: &Values,
        slots: impl Fn(usize) -> bool,
    ) -> WithinNodeLimit<Bdd> {
        let literals: Vec<(BddVariable, bool)> = variables
            .iter()
            .enumerate()
            .filter(|(slot, _)| slots(*slot))
            .map(|(slot, variable)| (*variable, values.get(slot)))
            .collect();
        self.manager.cube(&literals)
    }

    /// One state of a set: globals and row; what is free is false. `None` for the empty set.
    pub fn pick(&self, set: &Bdd) -> Option<(Values, Values)> {
        let cube = set.pick_cube()?;
        let read = |variables: &[BddVariable]| {
            let mut values = Values::falses(variables.len());
            for (slot, variable) in variables.iter().enumerate() {
                values.set(slot, cube[variable.index()] == Some(true));
            }
            values
        };
        Some((read(&self.globals), read(&self.row)))
    }

    /// The state before a step that led to given values: a constraint over values before.
    pub fn preimage(
        &self,
        relation: &Relation,
        live_after: Option<&Values>,
        globals: &Values,
        row: &Values,
    ) -> WithinNodeLimit<Bdd> {
        let mut after = Vec::new();
        let mut same = Vec::new();
        let mut split = |variables: &[BddVariable], values: &Values, matters: &dyn Fn(usize) -> bool| {
            for (slot, variable) in variables.iter().enumerate().filter(|(slot, _)| matters(*slot)) {
                match relation.pairs.iter().find(|(before, _)| before == variable) {
                    Some((_, next)) => after.push((*next, values.get(slot))),
                    None => same.push((*variable, values.get(slot))),
                }
            }
        };
        split(&self.globals, globals, &|_| true);
        if let Some(live) = live_after {
            split(&self.row, row, &|slot| live.get(slot));
        }
        let next: Vec<BddVariable> = relation.pairs.iter().map(|(_, next)| *next).collect();
        let reached = relation.relation.and(&self.manager.cube(&after)?)?;
        let reached =
            if next.is_empty() { reached } else { reached.exists(&self.manager.variable_set(&next)?)? };
        reached.and(&self.manager.cube(&same)?)
    }
}
