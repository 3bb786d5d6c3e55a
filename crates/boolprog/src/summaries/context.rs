//! Which variables a procedure's path edges speak about, and its edges as relations over them.

use super::places::{Moments, Places};
use super::relation::{Encoder, Step};
use super::settings::{DeadVariables, PassingGlobals, SummarySettings};
use crate::analysis::{Live, ModRef, all_globals, everything_live, interprocedural_live, mod_ref};
use crate::graph::{Action, Edge, Expr, NodeId, ProcedureId, Program, VariableId};
use crate::possibly::WithinNodeLimit;
use logic::bdd::{Bdd, BddVariable, Renaming};

pub(super) struct Context<'p> {
    pub program: &'p Program,
    pub settings: SummarySettings,
    pub places: Places,
    effects: ModRef,
    live: Live,
}

/// A call seen from the caller.
pub(super) struct CallSite {
    /// Values now, and arguments, that enter the callee.
    pub calling: Bdd,
    /// From states of the caller to entries of the callee.
    pub entering: Step,
    /// What a summary says that this call does not want, and where results go.
    drop_from_summary: Bdd,
    place_results: Renaming,
    /// Applied to states joined with `calling` and the summary.
    forget: Bdd,
    rename: Renaming,
}

impl<'p> Context<'p> {
    pub(super) fn new(program: &'p Program, settings: SummarySettings) -> Context<'p> {
        let effects = match settings.passing_globals {
            PassingGlobals::Through => all_globals(program),
            PassingGlobals::By => mod_ref(program),
        };
        let live = match settings.dead_variables {
            DeadVariables::Kept => everything_live(program),
            DeadVariables::Forgotten => interprocedural_live(program, &effects),
        };
        let most_choices = super::relation::most_choices(program, &settings);
        let places = Places::new(program, &settings, most_choices);
        Context { program, settings, places, effects, live }
    }

    fn slots(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.program.globals().len()).filter(|&slot| keep(slot)).collect()
    }

    /// Globals whose value at the entry a procedure's path edges remember.
    pub(super) fn entry_globals(&self, procedure: ProcedureId) -> Vec<usize> {
        let live = &self.live.globals[self.program.procedures()[procedure].entry];
        self.slots(|slot| self.effects.relevant[procedure].get(slot) && live.get(slot))
    }

    /// Parameters whose value at the entry a procedure's path edges remember.
    pub(super) fn entry_parameters(&self, procedure: ProcedureId) -> Vec<usize> {
        let known = &self.program.procedures()[procedure];
        (0..known.parameters).filter(|&slot| self.live.locals[known.entry].get(slot)).collect()
    }

    /// Globals whose value a summary gives.
    pub(super) fn exit_globals(&self, procedure: ProcedureId) -> Vec<usize> {
        let live = &self.live.globals[self.program.procedures()[procedure].exit];
        self.slots(|slot| self.effects.modified[procedure].get(slot) && live.get(slot))
    }

    /// Globals whose value after a call is not that before.
    pub(super) fn modified(&self, procedure: ProcedureId) -> Vec<usize> {
        self.slots(|slot| self.effects.modified[procedure].get(slot))
    }

    /// The variables of a node's domain, each with its moments and whether its value matters there.
    pub(super) fn domain(&self, node: NodeId) -> Vec<(VariableId, Moments, bool)> {
        let procedure = self.program.procedure_of(node);
        let relevant = &self.effects.relevant[procedure];
        let globals = self.program.globals().iter().enumerate().filter(|(slot, _)| relevant.get(*slot));
        let globals =
            globals.map(|(slot, &id)| (id, self.places.globals[slot], self.live.globals[node].get(slot)));
        let locals = self.program.procedures()[procedure].variables.iter().enumerate();
        let locals =
            locals.map(|(slot, &id)| (id, self.places.locals[slot], self.live.locals[node].get(slot)));
        globals.chain(locals).collect()
    }

    fn dead_at(&self, node: NodeId) -> Vec<BddVariable> {
        let dead = self.domain(node).into_iter().filter(|(_, _, matters)| !matters);
        dead.map(|(_, moments, _)| moments.current).collect()
    }

    fn matters(&self, node: NodeId, variable: VariableId) -> bool {
        use crate::graph::Scope;
        let known = &self.program.variables()[variable];
        match known.scope {
            Scope::Global => self.live.globals[node].get(known.slot),
            Scope::Local(_) => self.live.locals[node].get(known.slot),
            Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
        }
    }

    fn encoder(&self, assigned: Vec<VariableId>) -> Encoder<'_> {
        Encoder::new(self.program, &self.places, &self.settings, assigned)
    }

    /// An edge that stays in its procedure and is no call.
    pub(super) fn plain_step(&self, edge: &Edge) -> WithinNodeLimit<Step> {
        let none: &[(VariableId, Expr)] = &[];
        let (assignments, constraint) = match &edge.action {
            Action::Assign { assignments, constraint, .. } => (&assignments[..], constraint),
            Action::Assert { condition } => (none, condition),
            _ => (none, &Expr::TRUE),
        };
        let mut encoder = self.encoder(assignments.iter().map(|(target, _)| *target).collect());
        let mut relation = encoder.can(&edge.guard)?.yes;
        let mut forget = self.dead_at(edge.to);
        let mut rename = Vec::new();
        for (target, value) in assignments {
            let moments = self.places.of(self.program, *target);
            relation = relation.and(&encoder.takes(moments.next, value)?)?;
            forget.push(moments.current);
            if self.matters(edge.to, *target) {
                rename.push((moments.next, moments.current));
            } else {
                forget.push(moments.next);
            }
        }
        relation = relation.and(&encoder.can(constraint)?.yes)?;
        forget.extend(encoder.used_choices());
        let rename = if rename.is_empty() { None } else { Some(self.places.rename(&rename)?) };
        Ok(Step { relation, forget: self.places.set(&forget)?, rename })
    }

    /// The states in which the edge fails.
    pub(super) fn failure(&self, edge: &Edge) -> WithinNodeLimit<Bdd> {
        let mut encoder = self.encoder(Vec::new());
        let guard = encoder.can(&edge.guard)?.yes;
        let failing = match &edge.action {
            Action::Assert { condition } => guard.and(&encoder.can(condition)?.no)?,
            Action::Error { .. } => guard,
            _ => self.places.manager.constant(false),
        };
        failing.exists(&self.places.set(encoder.used_choices())?)
    }

    /// From states of a procedure to its summary.
    pub(super) fn returning(&self, edge: &Edge, values: &[Expr]) -> WithinNodeLimit<Step> {
        let procedure = self.program.procedure_of(edge.from);
        let mut encoder = self.encoder(Vec::new());
        let mut relation = encoder.can(&edge.guard)?.yes;
        for (position, value) in values.iter().enumerate() {
            relation = relation.and(&encoder.takes(self.places.results[position], value)?)?;
        }
        let kept = self.exit_globals(procedure);
        let mut forget: Vec<BddVariable> = encoder.used_choices().to_vec();
        forget.extend(self.places.locals.iter().map(|moments| moments.current));
        let globals = self.places.globals.iter().enumerate().filter(|(slot, _)| !kept.contains(slot));
        forget.extend(globals.map(|(_, moments)| moments.current));
        Ok(Step { relation, forget: self.places.set(&forget)?, rename: None })
    }

    /// Values now equal those at the entry.
    pub(super) fn identity(&self, procedure: ProcedureId) -> WithinNodeLimit<Bdd> {
        let mut all = self.places.manager.constant(true);
        for moments in self.remembered(procedure) {
            all = all.and(&self.places.equal(moments.entry, moments.current)?)?;
        }
        Ok(all)
    }

    /// The places whose entry values a procedure's path edges remember.
    pub(super) fn remembered(&self, procedure: ProcedureId) -> Vec<Moments> {
        let globals = self.entry_globals(procedure).into_iter().map(|slot| self.places.globals[slot]);
        let locals = self.entry_parameters(procedure).into_iter().map(|slot| self.places.locals[slot]);
        globals.chain(locals).collect()
    }

    /// A summary of the callee in the caller's variables: entry values become values now and arguments, exit
    /// values become values after.
    pub(super) fn to_caller(&self, callee: ProcedureId) -> WithinNodeLimit<Renaming> {
        let globals = self.entry_globals(callee).into_iter();
        let mut pairs: Vec<_> = globals
            .map(|slot| (self.places.globals[slot].entry, self.places.globals[slot].current))
            .collect();
        let parameters = self.entry_parameters(callee).into_iter();
        pairs.extend(parameters.map(|slot| (self.places.locals[slot].entry, self.places.arguments[slot])));
        let exits = self.exit_globals(callee).into_iter();
        pairs.extend(exits.map(|slot| (self.places.globals[slot].current, self.places.globals[slot].next)));
        self.places.rename(&pairs)
    }

    pub(super) fn call_site(&self, edge: &Edge) -> WithinNodeLimit<CallSite> {
        let Action::Call { callee, arguments, results } = &edge.action else { panic!("an edge that calls") };
        let mut encoder = self.encoder(Vec::new());
        let mut calling = encoder.can(&edge.guard)?.yes;
        for (slot, argument) in arguments.iter().enumerate() {
            calling = calling.and(&encoder.takes(self.places.arguments[slot], argument)?)?;
        }
        let calling = calling.exists(&self.places.set(encoder.used_choices())?)?;
        let entering = self.entering(*callee, calling.clone())?;

        let exits = self.exit_globals(*callee);
        let taken: Vec<(BddVariable, VariableId)> = results
            .iter()
            .enumerate()
            .filter_map(|(position, result)| result.map(|id| (self.places.results[position], id)))
            .collect();
        let moments = |id: VariableId| self.places.of(self.program, id);
        let mut dropped: Vec<BddVariable> = self.places.results.clone();
        dropped.retain(|variable| !taken.iter().any(|(known, _)| known == variable));
        dropped.extend(taken.iter().map(|(_, id)| moments(*id).next));
        let placed: Vec<_> = taken.iter().map(|&(result, id)| (result, moments(id).next)).collect();

        let mut changed: Vec<VariableId> =
            self.modified(*callee).into_iter().map(|slot| self.program.globals()[slot]).collect();
        changed.extend(taken.iter().map(|(_, id)| *id));
        let mut forget = self.dead_at(edge.to);
        forget.extend(&self.places.arguments);
        let mut rename = Vec::new();
        for id in changed {
            let moments = moments(id);
            forget.push(moments.current);
            let given = taken.iter().any(|(_, known)| *known == id)
                || exits.iter().any(|&slot| self.program.globals()[slot] == id);
            if !given || !self.matters(edge.to, id) {
                forget.push(moments.next);
            } else if !rename.contains(&(moments.next, moments.current)) {
                rename.push((moments.next, moments.current));
            }
        }
        Ok(CallSite {
            calling,
            entering,
            drop_from_summary: self.places.set(&dropped)?,
            place_results: self.places.rename(&placed)?,
            forget: self.places.set(&forget)?,
            rename: self.places.rename(&rename)?,
        })
    }

    fn entering(&self, callee: ProcedureId, calling: Bdd) -> WithinNodeLimit<Step> {
        let globals = self.entry_globals(callee);
        let parameters = self.entry_parameters(callee);
        let all = self.places.globals.iter().chain(&self.places.locals);
        let mut forget: Vec<BddVariable> = all.map(|moments| moments.entry).collect();
        forget.extend(self.places.locals.iter().map(|moments| moments.current));
        let (mut rename, is_kept) = (Vec::new(), |slot: &usize| globals.contains(slot));
        for (slot, moments) in self.places.globals.iter().enumerate() {
            if is_kept(&slot) {
                rename.push((moments.current, moments.entry));
            } else {
                forget.push(moments.current);
            }
        }
        for (slot, &argument) in self.places.arguments.iter().enumerate() {
            if parameters.contains(&slot) {
                rename.push((argument, self.places.locals[slot].entry));
            } else {
                forget.push(argument);
            }
        }
        let rename = Some(self.places.rename(&rename)?);
        Ok(Step { relation: calling, forget: self.places.set(&forget)?, rename })
    }
}

impl CallSite {
    /// The caller's states after the call; `summary` in the caller's variables.
    pub(super) fn apply(&self, states: &Bdd, summary: &Bdd) -> WithinNodeLimit<Bdd> {
        let summary = summary.exists(&self.drop_from_summary)?.substitute(&self.place_results)?;
        let ready = states.and(&self.calling)?;
        ready.and_exists(&summary, &self.forget)?.substitute(&self.rename)
    }
}
