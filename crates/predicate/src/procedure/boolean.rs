//! The Boolean program of a system under predicates.
//!
//! A procedure's parameters are the predicates of its entry, and stay as they are: they speak of values at
//! entry. Its other variables are the predicates of its other cut points, and for each call the truth of the
//! callee's predicates: those of its entry are computed on the way to the call and passed as arguments, those
//! of its end are the results. A block is one parallel assignment of any values under the constraint that
//! some concrete step shows them together.

use super::scope::Scopes;
use super::system::{Cut, CutId, LargeBlockId, RoutineId, System, Target, Values};
use base::{Budget, Exhausted, IndexVec};
use boolprog::graph::{Action, Edge, EdgeId, Expr, NodeId, ProcedureId, Program, VariableId};
use logic::abstraction::{AbstractRelation, AbstractionService, AbstractionSettings, Conjunct};
use logic::{TermId, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a step of the Boolean program stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepMeaning {
    /// A block.
    LargeBlock(LargeBlockId),
    /// The beginning of the call after a cut point.
    Call(CutId),
    /// The return that follows a way to the end.
    Return,
}

/// A Boolean program with what it stands for.
#[derive(Clone, Debug)]
pub struct BooleanProgram {
    /// The program.
    pub program: Program,
    /// What its steps stand for.
    pub meaning: IndexVec<EdgeId, StepMeaning>,
    /// The node of each cut point.
    pub nodes: IndexVec<CutId, NodeId>,
    /// The procedure of each.
    pub procedures: IndexVec<RoutineId, ProcedureId>,
    /// The predicate of each variable, over the symbols of its place: of its cut point, or, of what a call
    /// left behind, of the call.
    pub predicate_of: FxHashMap<VariableId, TermId>,
    /// How many relations are wider than what was asked for.
    pub inexact: usize,
}

/// Makes Boolean programs of one system, again and again as predicates are added.
pub struct Abstracter {
    service: AbstractionService,
    relations: FxHashMap<(LargeBlockId, Vec<TermId>, Vec<TermId>), Rc<AbstractRelation>>,
}

impl std::fmt::Debug for Abstracter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Abstracter").field("relations", &self.relations.len()).finish_non_exhaustive()
    }
}

impl Default for Abstracter {
    fn default() -> Abstracter {
        Abstracter::new()
    }
}

/// Variables with the terms whose truth they are.
type PredicateVariables = Vec<(VariableId, TermId)>;

impl Abstracter {
    /// Nothing remembered.
    pub fn new() -> Abstracter {
        let settings = AbstractionSettings {
            exact_predicates: 20,
            exact_solutions: 3000,
            ..AbstractionSettings::default()
        };
        Abstracter { service: AbstractionService::new(settings), relations: FxHashMap::default() }
    }

    /// Solver checks made so far.
    pub fn checks(&self) -> u64 {
        self.service.statistics().checks
    }

    /// The Boolean program under these predicates; `name` gives a predicate at a cut point (or, without one,
    /// at the end) words.
    pub fn abstracted(
        &mut self,
        system: &System,
        scopes: &Scopes,
        pool: &mut TermPool,
        name: &mut dyn FnMut(Option<CutId>, RoutineId, TermId) -> String,
        budget: &Budget,
    ) -> Result<BooleanProgram, Exhausted> {
        let mut made = Making {
            system,
            scopes,
            result: BooleanProgram {
                program: Program::new(),
                meaning: IndexVec::new(),
                nodes: IndexVec::new(),
                procedures: IndexVec::new(),
                predicate_of: FxHashMap::default(),
                inexact: 0,
            },
            shown: IndexVec::new(),
            left: IndexVec::new(),
            ends: IndexVec::new(),
        };
        made.declare(pool, name);
        for (id, block) in system.blocks.iter_enumerated() {
            let (before, after) = made.around(id, pool);
            let terms = |shown: &PredicateVariables| shown.iter().map(|(_, term)| *term).collect::<Vec<_>>();
            let key = (id, terms(&before), terms(&after));
            let relation = match self.relations.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let relation =
                        Rc::new(self.service.relation(pool, block.guard, &key.1, &key.2, budget)?);
                    self.relations.insert(key, relation.clone());
                    relation
                }
            };
            made.add_way(id, &relation, &before, &after);
        }
        Ok(made.result)
    }
}

struct Making<'s> {
    system: &'s System,
    scopes: &'s Scopes,
    result: BooleanProgram,
    /// The variables of each cut point.
    shown: IndexVec<CutId, PredicateVariables>,
    /// The results of the call after each cut point.
    left: IndexVec<CutId, PredicateVariables>,
    /// The variables of each procedure's end, and the node from which it returns.
    ends: IndexVec<RoutineId, (PredicateVariables, NodeId)>,
}

fn instantiated(pool: &mut TermPool, predicates: &[TermId], values: &Values) -> Vec<TermId> {
    pool.substitute_all(predicates, values)
}

impl Making<'_> {
    fn declare(
        &mut self,
        pool: &mut TermPool,
        name: &mut dyn FnMut(Option<CutId>, RoutineId, TermId) -> String,
    ) {
        for (id, routine) in self.system.routines.iter_enumerated() {
            let returns = self.scopes.at_end(id).len();
            let made = self.result.program.add_procedure(&routine.name, returns, routine.span);
            self.result.procedures.push(made);
        }
        if let Some(main) = self.system.main {
            self.result.program.set_main(self.result.procedures[main]);
        }
        // Parameters stand before other variables.
        for (id, routine) in self.system.routines.iter_enumerated() {
            for &predicate in self.scopes.at(routine.entry) {
                let words = name(Some(routine.entry), id, predicate);
                let made = self.result.program.add_parameter(self.result.procedures[id], &words);
                self.result.predicate_of.insert(made, predicate);
            }
        }
        for (id, cut) in self.system.cuts.iter_enumerated() {
            let (shown, left) = self.declare_cut(id, cut, pool, name);
            self.shown.push(shown);
            self.left.push(left);
        }
        for (id, routine) in self.system.routines.iter_enumerated() {
            let procedure = self.result.procedures[id];
            let mut shown = PredicateVariables::new();
            for &predicate in self.scopes.at_end(id) {
                let words = name(None, id, predicate);
                let variable = self.result.program.add_local(procedure, &words);
                self.result.predicate_of.insert(variable, predicate);
                shown.push((variable, predicate));
            }
            let node = self.result.program.add_node(procedure, routine.span);
            let to = self.result.program.procedures()[procedure].exit;
            let values = shown.iter().map(|(variable, _)| Expr::Current(*variable)).collect();
            let action = Action::Return { values };
            self.add_edge(
                Edge { from: node, to, guard: Expr::TRUE, action, span: routine.span },
                StepMeaning::Return,
            );
            self.ends.push((shown, node));
        }
    }

    fn declare_cut(
        &mut self,
        id: CutId,
        cut: &Cut,
        pool: &mut TermPool,
        name: &mut dyn FnMut(Option<CutId>, RoutineId, TermId) -> String,
    ) -> (PredicateVariables, PredicateVariables) {
        let procedure = self.result.procedures[cut.routine];
        if self.system.entry_of(id) == id {
            self.result.nodes.push(self.result.program.procedures()[procedure].entry);
            let variables = self.result.program.procedures()[procedure].variables.clone();
            let shown = variables.into_iter().zip(self.scopes.at(id).iter().copied()).collect();
            return (shown, PredicateVariables::new());
        }
        let node = self.result.program.add_node(procedure, cut.span);
        self.result.program.add_label(node, &cut.name);
        self.result.nodes.push(node);
        let mut predicates = self.scopes.at(id).to_vec();
        let mut arguments = Vec::new();
        if let Some(call) = &cut.call {
            let entry = self.system.routines[call.callee].entry;
            arguments = instantiated(pool, self.scopes.at(entry), &call.entering);
            for &argument in &arguments {
                if pool.bool_value(argument).is_none() && !predicates.contains(&argument) {
                    predicates.push(argument);
                }
            }
        }
        let mut shown = PredicateVariables::new();
        for predicate in predicates {
            let words = name(Some(id), cut.routine, predicate);
            let variable = self.result.program.add_local(procedure, &words);
            self.result.predicate_of.insert(variable, predicate);
            shown.push((variable, predicate));
        }
        let mut left = PredicateVariables::new();
        if let Some(call) = &cut.call {
            let ends = self.scopes.at_end(call.callee).to_vec();
            let mut values = call.entering.clone();
            values.extend(call.leaving.iter().map(|(&symbol, &term)| (symbol, term)));
            for (&predicate, term) in ends.iter().zip(instantiated(pool, &ends, &values)) {
                let words = name(None, call.callee, predicate);
                let words = format!("{{{} after {}}}", words.trim_matches(['{', '}']), cut.name);
                let variable = self.result.program.add_local(procedure, &words);
                self.result.predicate_of.insert(variable, term);
                left.push((variable, term));
            }
            let value_of = |argument: &TermId| match pool.bool_value(*argument) {
                Some(value) => Expr::Constant(value),
                None => {
                    let found = shown.iter().find(|(_, term)| term == argument);
                    found.map_or(Expr::Any, |(variable, _)| Expr::Current(*variable))
                }
            };
            let action = Action::Call {
                callee: self.result.procedures[call.callee],
                arguments: arguments.iter().map(value_of).collect(),
                results: left.iter().map(|(variable, _)| Some(*variable)).collect(),
            };
            let to = self.result.program.add_node(procedure, cut.span);
            self.add_edge(
                Edge { from: node, to, guard: Expr::TRUE, action, span: cut.span },
                StepMeaning::Call(id),
            );
        }
        (shown, left)
    }

    fn add_edge(&mut self, edge: Edge, meaning: StepMeaning) {
        self.result.program.add_edge(edge);
        self.result.meaning.push(meaning);
    }

    /// The variables that are known before a block, and those it assigns, with the terms whose truth they are
    /// (over the symbols before).
    fn around(&self, block: LargeBlockId, pool: &mut TermPool) -> (PredicateVariables, PredicateVariables) {
        let block = &self.system.blocks[block];
        let entry = self.system.entry_of(block.from);
        let mut before = self.shown[entry].clone();
        if block.from != entry {
            before.extend(self.shown[block.from].iter().copied());
        }
        before.extend(self.left[block.from].iter().copied());
        let renamed =
            |pool: &mut TermPool, shown: &PredicateVariables, values: &Values| -> PredicateVariables {
                let terms: Vec<TermId> = shown.iter().map(|(_, term)| *term).collect();
                let terms = instantiated(pool, &terms, values);
                shown.iter().zip(terms).map(|((variable, _), term)| (*variable, term)).collect()
            };
        let after = match &block.to {
            Target::Cut(to, values) => renamed(pool, &self.shown[*to], values),
            Target::End(values) => {
                let routine = self.system.cuts[block.from].routine;
                renamed(pool, &self.ends[routine].0, values)
            }
            Target::Failure => PredicateVariables::new(),
        };
        (before, after)
    }

    fn add_way(
        &mut self,
        id: LargeBlockId,
        relation: &AbstractRelation,
        before: &PredicateVariables,
        after: &PredicateVariables,
    ) {
        if relation.is_empty() {
            return;
        }
        if relation.exactness() != logic::abstraction::Exactness::Exact {
            self.result.inexact += 1;
        }
        let block = &self.system.blocks[id];
        let cut = &self.system.cuts[block.from];
        let indicator = |index: usize| match before.get(index) {
            Some((variable, _)) => Expr::Current(*variable),
            None => Expr::Next(after[index - before.len()].0),
        };
        let literal = |index: usize, value: bool| {
            if value { indicator(index) } else { indicator(index).negated() }
        };
        let mut constraint = Expr::TRUE;
        for conjunct in relation.conjuncts() {
            constraint = constraint.and(match conjunct {
                Conjunct::Constant(index, value) => literal(index, value),
                Conjunct::Agree(one, two, is_opposite) => {
                    let different = indicator(one).xor(indicator(two));
                    if is_opposite { different } else { different.negated() }
                }
                Conjunct::Clause(clause) => {
                    clause.into_iter().fold(Expr::FALSE, |any, (index, value)| any.or(literal(index, value)))
                }
                Conjunct::OneOf(cubes) => cubes.into_iter().fold(Expr::FALSE, |any, cube| {
                    any.or(cube
                        .into_iter()
                        .fold(Expr::TRUE, |all, (index, value)| all.and(literal(index, value))))
                }),
            });
        }
        let procedure = self.result.procedures[cut.routine];
        let from = match &cut.call {
            None => self.result.nodes[block.from],
            Some(_) => {
                let call = self.result.program.outgoing(self.result.nodes[block.from])[0];
                self.result.program.edges()[call].to
            }
        };
        let assignments: Vec<(VariableId, Expr)> =
            after.iter().map(|(variable, _)| (*variable, Expr::Any)).collect();
        let (to, guard, action) = match &block.to {
            Target::Failure => {
                let to = self.result.program.procedures()[procedure].exit;
                (to, constraint, Action::Error { label: "failure".into() })
            }
            Target::Cut(to, _) => {
                (self.result.nodes[*to], Expr::TRUE, Action::assign(assignments, constraint))
            }
            Target::End(_) => (self.ends[cut.routine].1, Expr::TRUE, Action::assign(assignments, constraint)),
        };
        self.add_edge(Edge { from, to, guard, action, span: cut.span }, StepMeaning::LargeBlock(id));
    }
}
