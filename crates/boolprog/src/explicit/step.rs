//! The steps of one thread, with every choice tried.

use super::live::live_locals;
use super::state::{Frame, State, Thread, ViewOfState, set_value, value_of};
use crate::graph::{
    Action, Edge, EdgeId, Expr, Mixed, NodeId, Passive, ProcedureId, Program, VariableId, rule_at,
};
use crate::setup::Setup;
use crate::values::Values;
use base::IndexVec;

/// Where a step leads.
pub(super) enum After {
    /// To this state; a thread that ended is left out, a new one stands last.
    State(State),
    /// An assertion fails or an error label is reached.
    Failure,
}

/// A step has more choices than are tried one by one.
#[derive(Debug)]
pub(super) struct TooManyChoices;

/// More choices in one step than this are not tried one by one.
const MOST_CHOICES: usize = 20;

/// Tries steps.
pub(super) struct Stepper<'p> {
    pub program: &'p Program,
    pub setup: &'p Setup,
    pub live: IndexVec<NodeId, Values>,
    pub mixed: Mixed,
}

/// Calls `each` with every combination of one value per position, among those allowed.
fn for_each_combination(
    allowed: &[crate::graph::Possible],
    each: &mut impl FnMut(&[bool]),
) -> Result<(), TooManyChoices> {
    if allowed.iter().filter(|possible| possible.yes && possible.no).count() > MOST_CHOICES {
        return Err(TooManyChoices);
    }
    let mut chosen: Vec<bool> = allowed.iter().map(|possible| !possible.no).collect();
    loop {
        each(&chosen);
        // Counts up over the positions that have a choice.
        let mut position = 0;
        loop {
            if position == chosen.len() {
                return Ok(());
            }
            let free = allowed[position].yes && allowed[position].no;
            if free {
                chosen[position] = !chosen[position];
                if chosen[position] {
                    break;
                }
            }
            position += 1;
        }
    }
}

impl<'p> Stepper<'p> {
    pub fn new(program: &'p Program, setup: &'p Setup) -> Stepper<'p> {
        Stepper { program, setup, live: live_locals(program), mixed: Mixed::of(program) }
    }

    /// All activations a procedure can begin with; locals that do not matter begin as false.
    pub fn entries(&self, procedure: ProcedureId, arguments: &[bool]) -> Result<Vec<Values>, TooManyChoices> {
        let known = &self.program.procedures()[procedure];
        let live = &self.live[known.entry];
        let allowed: Vec<_> = (0..known.variables.len())
            .map(|slot| match arguments.get(slot) {
                Some(&value) => crate::graph::Possible { yes: value, no: !value },
                None => crate::graph::Possible { yes: live.get(slot), no: true },
            })
            .collect();
        let mut found = Vec::new();
        for_each_combination(&allowed, &mut |chosen| {
            let mut locals = Values::falses(chosen.len());
            chosen.iter().enumerate().for_each(|(slot, &value)| locals.set(slot, value));
            found.push(locals);
        })?;
        Ok(found)
    }

    /// The steps of the thread at this position, each with its edge.
    pub fn steps(&self, state: &State, position: usize) -> Result<Vec<(EdgeId, After)>, TooManyChoices> {
        let mut found = Vec::new();
        let frame = state.threads[position].top();
        for &id in self.program.outgoing(frame.node) {
            let edge = &self.program.edges()[id];
            let mut after = Vec::new();
            if self.can(&edge.guard, state, frame).yes {
                self.follow(state, position, id, edge, &mut after)?;
            }
            found.extend(after.into_iter().map(|after| (id, after)));
        }
        Ok(found)
    }

    fn can(&self, expr: &Expr, state: &State, frame: &Frame) -> crate::graph::Possible {
        expr.possible(&|variable, _| value_of(self.program, &state.globals, &frame.locals, variable))
    }

    fn follow(
        &self,
        state: &State,
        position: usize,
        id: EdgeId,
        edge: &Edge,
        after: &mut Vec<After>,
    ) -> Result<(), TooManyChoices> {
        let frame = state.threads[position].top();
        let moved = |to: NodeId| {
            let mut next = state.clone();
            next.threads[position].top_mut().node = to;
            next
        };
        match &edge.action {
            Action::Assign { assignments, constraint, passive } => {
                let allowed: Vec<_> =
                    assignments.iter().map(|(_, value)| self.can(value, state, frame)).collect();
                let mut found = Vec::new();
                for_each_combination(&allowed, &mut |chosen| {
                    let mut next = moved(edge.to);
                    self.assign(&mut next, position, assignments, chosen);
                    if self.constraint_holds(constraint, state, &next, position) {
                        found.push(next);
                    }
                })?;
                if !passive.is_empty() {
                    let told = found.into_iter().map(|next| self.tell_others(state, next, position, passive));
                    found = told.collect::<Result<Vec<_>, _>>()?.concat();
                }
                after.extend(found.into_iter().map(After::State));
            }
            Action::Assert { condition } => {
                let possible = self.can(condition, state, frame);
                if possible.no {
                    after.push(After::Failure);
                }
                if possible.yes {
                    after.push(After::State(moved(edge.to)));
                }
            }
            Action::Error { .. } => after.push(After::Failure),
            Action::Call { callee, arguments, .. } => {
                for locals in self.activations(*callee, arguments, state, frame)? {
                    let mut next = state.clone();
                    next.threads[position].top_mut().waits_for = Some(id);
                    let node = self.program.procedures()[*callee].entry;
                    next.threads[position].stack.push(Frame { node, waits_for: None, locals });
                    after.push(After::State(next));
                }
            }
            Action::Return { values } => self.give_back(state, position, values, after)?,
            Action::Async { callee, arguments } => {
                if !self.setup.may_start_thread(state.threads.len()) {
                    after.push(After::State(moved(edge.to)));
                    return Ok(());
                }
                for locals in self.activations(*callee, arguments, state, frame)? {
                    let mut next = moved(edge.to);
                    next.threads.push(Thread::at(self.program.procedures()[*callee].entry, locals));
                    after.push(After::State(next));
                }
            }
            Action::StartThread { at } => {
                let mut next = moved(edge.to);
                if self.setup.may_start_thread(state.threads.len()) {
                    next.threads.push(Thread::at(*at, frame.locals.clone()));
                }
                after.push(After::State(next));
            }
            Action::EndThread => after.push(After::State(without(state, position))),
            Action::AtomicBegin | Action::AtomicEnd => {
                let mut next = moved(edge.to);
                next.threads[position].is_atomic = matches!(edge.action, Action::AtomicBegin);
                after.push(After::State(next));
            }
        }
        Ok(())
    }

    fn assign(&self, next: &mut State, position: usize, targets: &[(VariableId, Expr)], chosen: &[bool]) {
        let State { globals, threads } = next;
        let locals = &mut threads[position].top_mut().locals;
        for ((target, _), &value) in targets.iter().zip(chosen) {
            set_value(self.program, globals, locals, *target, value);
        }
    }

    fn constraint_holds(&self, constraint: &Expr, before: &State, after: &State, position: usize) -> bool {
        let (old, new) = (before.threads[position].top(), after.threads[position].top());
        let value = |variable, is_next| match is_next {
            true => value_of(self.program, &after.globals, &new.locals, variable),
            false => value_of(self.program, &before.globals, &old.locals, variable),
        };
        constraint.possible(&value).yes
    }

    /// All states in which every activation of the other threads has done what the rules say; none if one of
    /// them cannot.
    fn tell_others(
        &self,
        before: &State,
        next: State,
        position: usize,
        rules: &[Passive],
    ) -> Result<Vec<State>, TooManyChoices> {
        let mut states = vec![next];
        for (other, thread) in before.threads.iter().enumerate().filter(|(other, _)| *other != position) {
            for (depth, frame) in thread.stack.iter().enumerate() {
                let Some(rule) = rule_at(rules, self.program, frame.node) else { continue };
                let mut longer = Vec::new();
                for state in states {
                    for locals in self.others_after(before, &state, position, frame, rule)? {
                        let mut state = state.clone();
                        state.threads[other].stack[depth].locals = locals;
                        longer.push(state);
                    }
                }
                states = longer;
                if states.len() > 1 << MOST_CHOICES {
                    return Err(TooManyChoices);
                }
            }
        }
        Ok(states)
    }

    /// What can become of the variables of one activation of another thread.
    fn others_after(
        &self,
        before: &State,
        after: &State,
        position: usize,
        theirs: &Frame,
        rule: &Passive,
    ) -> Result<Vec<Values>, TooManyChoices> {
        let old = ViewOfState {
            globals: &before.globals,
            active: &before.threads[position].top().locals,
            passive: &theirs.locals,
        };
        let possible = |expr: &Expr| expr.possible(&|variable, _| old.value(self.program, variable));
        let allowed: Vec<_> = rule.assignments.iter().map(|(_, value)| possible(value)).collect();
        let mut found = Vec::new();
        for_each_combination(&allowed, &mut |chosen| {
            let mut locals = theirs.locals.clone();
            for ((target, _), &value) in rule.assignments.iter().zip(chosen) {
                locals.set(self.program.variables()[*target].slot, value);
            }
            let new = ViewOfState {
                globals: &after.globals,
                active: &after.threads[position].top().locals,
                passive: &locals,
            };
            let value = |variable, is_next| {
                let seen = if is_next { new } else { old };
                seen.value(self.program, variable)
            };
            if rule.constraint.possible(&value).yes {
                found.push(locals);
            }
        })?;
        Ok(found)
    }

    /// All activations of a callee for all possible arguments.
    fn activations(
        &self,
        callee: ProcedureId,
        arguments: &[Expr],
        state: &State,
        frame: &Frame,
    ) -> Result<Vec<Values>, TooManyChoices> {
        let allowed: Vec<_> = arguments.iter().map(|argument| self.can(argument, state, frame)).collect();
        let mut combinations = Vec::new();
        for_each_combination(&allowed, &mut |chosen| combinations.push(chosen.to_vec()))?;
        let mut found = Vec::new();
        for arguments in combinations {
            found.extend(self.entries(callee, &arguments)?);
        }
        Ok(found)
    }

    fn give_back(
        &self,
        state: &State,
        position: usize,
        values: &[Expr],
        after: &mut Vec<After>,
    ) -> Result<(), TooManyChoices> {
        let stack = &state.threads[position].stack;
        if stack.len() == 1 {
            after.push(After::State(without(state, position)));
            return Ok(());
        }
        let caller = &stack[stack.len() - 2];
        let call = &self.program.edges()[caller.waits_for.expect("a caller waits for its call")];
        let Action::Call { results, .. } = &call.action else { panic!("a caller waits for a call") };
        let frame = state.threads[position].top();
        // Values nobody takes are not chosen.
        let allowed: Vec<_> = results
            .iter()
            .zip(values)
            .map(|(result, value)| match result {
                Some(_) => self.can(value, state, frame),
                None => crate::graph::Possible { yes: false, no: true },
            })
            .collect();
        for_each_combination(&allowed, &mut |chosen| {
            let mut next = state.clone();
            next.threads[position].stack.pop();
            let State { globals, threads } = &mut next;
            let caller = threads[position].top_mut();
            caller.node = call.to;
            caller.waits_for = None;
            for (result, &value) in results.iter().zip(chosen) {
                if let Some(result) = result {
                    set_value(self.program, globals, &mut caller.locals, *result, value);
                }
            }
            after.push(After::State(next));
        })
    }
}

fn without(state: &State, position: usize) -> State {
    let mut next = state.clone();
    next.threads.remove(position);
    next
}
