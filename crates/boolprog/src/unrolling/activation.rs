//! The formula of one activation: copies of its nodes, one layer per turn through its loops.
//!
//! INVARIANT: every literal that says "the run goes here" has reasons only (it implies how the run came here)
//! and is never forced. A model therefore contains a way back from everything it claims to reach, and a run
//! gives a model.

use super::engine::Unrolling;
use crate::graph::{Action, EdgeId, Expr, NodeId, ProcedureId, VariableId};
use base::define_id;
use logic::sat::Literal;
use rustc_hash::FxHashMap;

define_id!(
    /// An activation in the formula.
    ActivationId,
    "a"
);
define_id!(
    /// A copy of a node in an activation.
    CopyId,
    "c"
);

/// A node at one turn.
pub(super) struct Copy {
    pub activation: ActivationId,
    /// The run comes here.
    pub reach: Literal,
    pub globals: Vec<Literal>,
    pub locals: Vec<Literal>,
    /// The ways to come here; none at the entry.
    pub ways: Vec<WayIn>,
}

/// One way into a copy.
#[derive(Clone, Copy)]
pub(super) struct WayIn {
    pub taken: Literal,
    pub from: CopyId,
    pub edge: EdgeId,
    /// The activation a call went through.
    pub through: Option<ActivationId>,
}

/// A way out of an activation.
#[derive(Clone, Copy)]
pub(super) struct WayOut {
    pub taken: Literal,
    pub from: CopyId,
    pub edge: EdgeId,
}

/// An activation of a procedure.
pub(super) struct Activation {
    pub procedure: ProcedureId,
    /// The copy that calls it and the edge.
    pub called_from: Option<(CopyId, EdgeId)>,
    /// The run enters it.
    pub entered: Literal,
    pub entry_globals: Vec<Literal>,
    pub entry_locals: Vec<Literal>,
    /// The run returns from it.
    pub returned: Literal,
    pub exit_globals: Vec<Literal>,
    pub results: Vec<Literal>,
    pub ways_out: Vec<WayOut>,
    /// The copies of the newest layer, and the edges that lead to the next.
    pub cut: Vec<(CopyId, EdgeId)>,
    /// Layers unrolled.
    pub layers: usize,
    /// The run goes on in what is not unrolled: the body, or the next turn.
    pub goes_on: Literal,
    /// The run returns by what is not unrolled.
    pub returns_later: Literal,
    /// Loop heads by node, in the order of layers.
    heads: FxHashMap<NodeId, Vec<CopyId>>,
}

/// The values an edge leads to.
struct Arrival {
    way: WayIn,
    globals: Vec<Literal>,
    locals: Vec<Literal>,
}

impl Unrolling<'_> {
    /// A new activation, its body not there yet.
    pub(super) fn new_activation(
        &mut self,
        procedure: ProcedureId,
        called_from: Option<(CopyId, EdgeId)>,
        entry_globals: Vec<Literal>,
        entry_locals: Vec<Literal>,
    ) -> ActivationId {
        let modified = &self.effects.modified[procedure];
        let mut exit_globals = Vec::with_capacity(entry_globals.len());
        for (slot, &entry) in entry_globals.iter().enumerate() {
            exit_globals.push(if modified.get(slot) { self.gates.fresh() } else { entry });
        }
        let (entered, returned) = (self.gates.fresh(), self.gates.fresh());
        let results = self.gates.fresh_many(self.program.procedures()[procedure].returns);
        let returns_later = self.gates.fresh();
        self.gates.require(&[!returned, returns_later]);
        self.gates.require(&[!returns_later, entered]);
        let id = self.activations.push(Activation {
            procedure,
            called_from,
            entered,
            entry_globals,
            entry_locals,
            returned,
            exit_globals,
            results,
            ways_out: Vec::new(),
            cut: Vec::new(),
            layers: 0,
            goes_on: entered,
            returns_later,
            heads: FxHashMap::default(),
        });
        self.forbid_repetition(id);
        id
    }

    /// Theorem 4.5, for shortest runs: an activation inside another of its procedure with equal entries
    /// returns, and if both return, their exits differ.
    fn forbid_repetition(&mut self, inner: ActivationId) {
        let mut outer = self.caller(inner);
        while let Some(id) = outer {
            if self.activations[id].procedure == self.activations[inner].procedure {
                let same_entry = self.same(id, inner, true);
                let same_exit = self.same(id, inner, false);
                let (inside, around) = (&self.activations[inner], &self.activations[id]);
                let (entered, returned, both) = (inside.entered, inside.returned, around.returned);
                self.gates.require(&[!entered, !same_entry, returned]);
                self.gates.require(&[!returned, !both, !same_entry, !same_exit]);
            }
            outer = self.caller(id);
        }
    }

    pub(super) fn caller(&self, activation: ActivationId) -> Option<ActivationId> {
        self.activations[activation].called_from.map(|(copy, _)| self.copies[copy].activation)
    }

    /// Do two activations of a procedure agree in all that matters at the entry, or at the exit?
    fn same(&mut self, left: ActivationId, right: ActivationId, at_entry: bool) -> Literal {
        let (left, right) = (&self.activations[left], &self.activations[right]);
        let known = &self.program.procedures()[left.procedure];
        let node = if at_entry { known.entry } else { known.exit };
        let relevant = &self.effects.relevant[left.procedure];
        let globals = (0..self.program.globals().len())
            .filter(|&slot| relevant.get(slot) && self.live.globals[node].get(slot));
        let mut pairs: Vec<(Literal, Literal)> = Vec::new();
        if at_entry {
            pairs.extend(globals.map(|slot| (left.entry_globals[slot], right.entry_globals[slot])));
            let parameters = (0..known.parameters).filter(|&slot| self.live.locals[node].get(slot));
            pairs.extend(parameters.map(|slot| (left.entry_locals[slot], right.entry_locals[slot])));
        } else {
            pairs.extend(globals.map(|slot| (left.exit_globals[slot], right.exit_globals[slot])));
            pairs.extend(left.results.iter().copied().zip(right.results.iter().copied()));
        }
        let equal: Vec<Literal> = pairs.into_iter().map(|(a, b)| self.gates.equal(a, b)).collect();
        self.gates.and(&equal)
    }

    /// Adds the body, or one more turn through the loops.
    pub(super) fn unroll(&mut self, id: ActivationId) {
        let cut = std::mem::take(&mut self.activations[id].cut);
        let layer = self.activations[id].layers;
        self.activations[id].layers += 1;
        let mut arrivals: FxHashMap<NodeId, Vec<Arrival>> = FxHashMap::default();
        for (from, edge) in cut {
            if let Some(arrival) = self.arrive(from, edge) {
                arrivals.entry(self.program.edges()[edge].to).or_default().push(arrival);
            }
        }
        let first_out = self.activations[id].ways_out.len();
        let order = self.forward_order(self.activations[id].procedure);
        for node in order {
            let is_entry =
                layer == 0 && node == self.program.procedures()[self.activations[id].procedure].entry;
            let copy = if is_entry {
                self.entry_copy(id)
            } else {
                match arrivals.remove(&node) {
                    Some(arrivals) => self.merge(id, arrivals),
                    None => continue,
                }
            };
            self.forbid_same_state(id, node, copy);
            for &edge in self.program.outgoing(node) {
                self.leave(id, copy, edge, &mut arrivals);
            }
        }
        self.close_layer(id, first_out);
    }

    /// After a layer: what lies beyond it, and by which of its edges the run may return.
    fn close_layer(&mut self, id: ActivationId, first_out: usize) {
        let cut: Vec<Literal> =
            self.activations[id].cut.iter().map(|&(copy, _)| self.copies[copy].reach).collect();
        let goes_on = self.gates.fresh();
        let returned_before = self.activations[id].returns_later;
        let returns_later = self.gates.fresh();
        let mut reasons = cut;
        reasons.push(!goes_on);
        self.gates.require(&reasons);
        self.gates.require(&[!returns_later, goes_on]);
        let mut ways = vec![!returned_before, returns_later];
        ways.extend(self.activations[id].ways_out[first_out..].iter().map(|way| way.taken));
        self.gates.require(&ways);
        let activation = &mut self.activations[id];
        (activation.goes_on, activation.returns_later) = (goes_on, returns_later);
    }

    fn entry_copy(&mut self, id: ActivationId) -> CopyId {
        let activation = &self.activations[id];
        self.copies.push(Copy {
            activation: id,
            reach: activation.entered,
            globals: activation.entry_globals.clone(),
            locals: activation.entry_locals.clone(),
            ways: Vec::new(),
        })
    }

    /// Several ways into one copy: the run took one of them, and the values are those it brought.
    fn merge(&mut self, id: ActivationId, arrivals: Vec<Arrival>) -> CopyId {
        let ways: Vec<WayIn> = arrivals.iter().map(|arrival| arrival.way).collect();
        if let [arrival] = &arrivals[..] {
            let (globals, locals) = (arrival.globals.clone(), arrival.locals.clone());
            let reach = arrival.way.taken;
            return self.copies.push(Copy { activation: id, reach, globals, locals, ways });
        }
        let reach = self.gates.fresh();
        let mut reasons: Vec<Literal> = ways.iter().map(|way| way.taken).collect();
        reasons.push(!reach);
        self.gates.require(&reasons);
        let globals = self.join(&arrivals, |arrival| &arrival.globals);
        let locals = self.join(&arrivals, |arrival| &arrival.locals);
        self.copies.push(Copy { activation: id, reach, globals, locals, ways })
    }

    fn join(&mut self, arrivals: &[Arrival], values: impl Fn(&Arrival) -> &Vec<Literal>) -> Vec<Literal> {
        let count = values(&arrivals[0]).len();
        let mut joined = Vec::with_capacity(count);
        for slot in 0..count {
            let first = values(&arrivals[0])[slot];
            if arrivals.iter().all(|arrival| values(arrival)[slot] == first) {
                joined.push(first);
                continue;
            }
            let value = self.gates.fresh();
            for arrival in arrivals {
                let (taken, brought) = (arrival.way.taken, values(arrival)[slot]);
                self.gates.require(&[!taken, !value, brought]);
                self.gates.require(&[!taken, value, !brought]);
            }
            joined.push(value);
        }
        joined
    }

    /// Corollary 4.4, for shortest runs: no state twice at the head of a loop.
    fn forbid_same_state(&mut self, id: ActivationId, node: NodeId, copy: CopyId) {
        if !self.is_loop_head[node] {
            return;
        }
        let relevant = &self.effects.relevant[self.activations[id].procedure];
        let globals: Vec<usize> = (0..self.program.globals().len())
            .filter(|&slot| relevant.get(slot) && self.live.globals[node].get(slot))
            .collect();
        let locals: Vec<usize> =
            (0..self.copies[copy].locals.len()).filter(|&slot| self.live.locals[node].get(slot)).collect();
        let earlier = self.activations[id].heads.entry(node).or_default().clone();
        for before in earlier {
            let (old, new) = (&self.copies[before], &self.copies[copy]);
            let mut pairs: Vec<_> =
                globals.iter().map(|&slot| (old.globals[slot], new.globals[slot])).collect();
            pairs.extend(locals.iter().map(|&slot| (old.locals[slot], new.locals[slot])));
            let (old, new) = (old.reach, new.reach);
            let mut clause = vec![!old, !new];
            for (left, right) in pairs {
                clause.push(!self.gates.equal(left, right));
            }
            self.gates.require(&clause);
        }
        self.activations[id].heads.entry(node).or_default().push(copy);
    }

    /// An edge out of a copy: an error, a way out, a way to the next layer, or a way to another node.
    fn leave(
        &mut self,
        id: ActivationId,
        copy: CopyId,
        edge: EdgeId,
        arrivals: &mut FxHashMap<NodeId, Vec<Arrival>>,
    ) {
        let known = &self.program.edges()[edge];
        match &known.action {
            Action::Error { .. } => return self.add_error(copy, edge, None),
            Action::Assert { condition } => self.add_error(copy, edge, Some(condition)),
            Action::Return { values } => return self.add_way_out(id, copy, edge, values),
            Action::EndThread => return,
            _ => {}
        }
        if self.is_back_edge[edge] {
            self.activations[id].cut.push((copy, edge));
        } else if let Some(arrival) = self.arrive(copy, edge) {
            arrivals.entry(known.to).or_default().push(arrival);
        }
    }

    fn can(&mut self, copy: CopyId, expr: &Expr) -> crate::gates::CanBe {
        let program = self.program;
        let copy = &self.copies[copy];
        self.gates.can_be(expr, &|variable, _| literal(program, &copy.globals, &copy.locals, variable))
    }

    /// A literal that is one of the possible values.
    fn takes(&mut self, copy: CopyId, expr: &Expr) -> Literal {
        let can = self.can(copy, expr);
        if can.yes == !can.no {
            return can.yes;
        }
        let taken = self.gates.fresh();
        self.gates.require(&[!taken, can.yes]);
        self.gates.require(&[taken, can.no]);
        taken
    }

    /// A literal for "the edge is taken", with its reasons; `None` if it cannot be.
    fn take(&mut self, copy: CopyId, edge: EdgeId) -> Option<Literal> {
        let guard = self.program.edges()[edge].guard.clone();
        let can = self.can(copy, &guard).yes;
        if can == self.gates.constant(false) {
            return None;
        }
        let taken = self.gates.fresh();
        let reach = self.copies[copy].reach;
        self.gates.require(&[!taken, reach]);
        self.gates.require(&[!taken, can]);
        Some(taken)
    }

    fn add_error(&mut self, copy: CopyId, edge: EdgeId, condition: Option<&Expr>) {
        let Some(taken) = self.take(copy, edge) else { return };
        if let Some(condition) = condition {
            let can = self.can(copy, condition);
            self.gates.require(&[!taken, can.no]);
        }
        self.errors.push((taken, copy, edge));
    }

    fn add_way_out(&mut self, id: ActivationId, copy: CopyId, edge: EdgeId, values: &[Expr]) {
        let Some(taken) = self.take(copy, edge) else { return };
        for (position, value) in values.iter().enumerate() {
            let can = self.can(copy, value);
            let result = self.activations[id].results[position];
            self.gates.require(&[!taken, !result, can.yes]);
            self.gates.require(&[!taken, result, can.no]);
        }
        for slot in 0..self.program.globals().len() {
            let (now, exit) = (self.copies[copy].globals[slot], self.activations[id].exit_globals[slot]);
            if now != exit {
                self.gates.require(&[!taken, !exit, now]);
                self.gates.require(&[!taken, exit, !now]);
            }
        }
        self.activations[id].ways_out.push(WayOut { taken, from: copy, edge });
    }

    /// The values an edge leads to, and the literal that it is taken.
    fn arrive(&mut self, from: CopyId, edge: EdgeId) -> Option<Arrival> {
        let program = self.program;
        let known = &program.edges()[edge];
        let taken = self.take(from, edge)?;
        let (mut globals, mut locals) = (self.copies[from].globals.clone(), self.copies[from].locals.clone());
        let mut through = None;
        match &known.action {
            Action::Assign { assignments, constraint, .. } => {
                for (target, value) in assignments {
                    let value = self.takes(from, value);
                    set(program, &mut globals, &mut locals, *target, value);
                }
                let before = &self.copies[from];
                let can = self.gates.can_be(constraint, &|variable, is_next| match is_next {
                    true => literal(program, &globals, &locals, variable),
                    false => literal(program, &before.globals, &before.locals, variable),
                });
                self.gates.require(&[!taken, can.yes]);
            }
            Action::Assert { condition } => {
                let can = self.can(from, condition);
                self.gates.require(&[!taken, can.yes]);
            }
            Action::Call { callee, arguments, results } => {
                let mut inner: Vec<Literal> =
                    arguments.iter().map(|argument| self.takes(from, argument)).collect();
                let count = program.procedures()[*callee].variables.len();
                inner.extend(self.gates.fresh_many(count - arguments.len()));
                let id = self.new_activation(*callee, Some((from, edge)), globals.clone(), inner);
                let activation = &self.activations[id];
                globals.clone_from(&activation.exit_globals);
                let (entered, returned) = (activation.entered, activation.returned);
                for (result, &value) in results.iter().zip(&activation.results) {
                    if let Some(result) = result {
                        set(program, &mut globals, &mut locals, *result, value);
                    }
                }
                let guard = self.can(from, &known.guard).yes;
                let reach = self.copies[from].reach;
                self.gates.require(&[!entered, reach]);
                self.gates.require(&[!entered, guard]);
                self.gates.require(&[!taken, returned]);
                through = Some(id);
            }
            // Threads are not started here: the question allows one only.
            _ => {}
        }
        Some(Arrival { way: WayIn { taken, from, edge, through }, globals, locals })
    }
}

fn literal(
    program: &crate::graph::Program,
    globals: &[Literal],
    locals: &[Literal],
    variable: VariableId,
) -> Literal {
    let variable = &program.variables()[variable];
    match variable.scope {
        crate::graph::Scope::Global => globals[variable.slot],
        crate::graph::Scope::Local(_) => locals[variable.slot],
        crate::graph::Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
    }
}

fn set(
    program: &crate::graph::Program,
    globals: &mut [Literal],
    locals: &mut [Literal],
    variable: VariableId,
    value: Literal,
) {
    let variable = &program.variables()[variable];
    match variable.scope {
        crate::graph::Scope::Global => globals[variable.slot] = value,
        crate::graph::Scope::Local(_) => locals[variable.slot] = value,
        crate::graph::Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
    }
}
