//! The program times the automaton of what the formula forbids: the automaton's state is a variable of the program, it
//! moves where a position is left, and counts the marks it passes. So every engine for programs works on it.
//!
//! A forbidden run is one that comes to the label [`VIOLATED`] (the automaton accepts whatever follows, or the run may end
//! there and be forbidden), or one on which marks are counted for ever. Where the automaton has a choice, the program has
//! an input.
//!
//! A run that goes on for ever without another observed step stays in its last position. If the formula is blind to
//! positions that repeat, the automaton also moves at places that every endless run passes; else it may guess there, where
//! it would accept the present letter for ever, that nothing is observed any more: from then on those places are marked,
//! and a run with an observed step is no forbidden one.

use crate::Asked;
use crate::atoms::Meaning;
use crate::machine::{Machine, forbidden};
use crate::sites::Site;
use crate::weave::{Gap, Truths, Weave, branch, global, weave};
use automata::{Guard, Location};
use base::{Budget, Id, Span};
use program::{
    Action, AssumeReason, BinaryOp, Expr, ExprKind, Graph, HavocSource, NodeId, Place, Program, TypeId,
    VariableId,
};
use question::{Cycles, Property};
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict::Reason;

/// The label that only forbidden runs come to; no C program can have it.
pub const VIOLATED: &str = "the formula does not hold";
/// The variable that is the automaton's state.
pub const STATE: &str = "automaton$state";
/// The variable that counts marks.
const MARKS: &str = "automaton$marks";
/// The variable that says which label was come to last, and its position lasts.
const LABEL: &str = "automaton$label";
/// The input by which the automaton chooses.
const CHOICE: &str = "automaton$choice";
/// The variable that says whether there is a position yet, where the program says where they begin.
const STARTED: &str = "automaton$started";
/// What the names of variables begin with that keep what held when the position began, there.
const KEPT: &str = "automaton$kept";

/// The product.
pub struct Product {
    /// The program.
    pub program: Program,
    /// What must not happen in it.
    pub property: Property,
    /// States and edges of the automaton.
    pub size: (usize, usize),
}

impl Product {
    /// Is the input a choice of the automaton's?
    pub fn is_choice(name: &str) -> bool {
        name == CHOICE
    }
}

pub(crate) fn make(asked: &Asked, budget: &Budget) -> Result<Product, Reason> {
    let mut machine = forbidden(&asked.formula, asked.finite_runs, budget)?;
    let mut program = asked.program.clone();
    let main = program.main.ok_or(verdict::Shape::NoMain)?;
    let int = program.types.int();
    let counter = program.types.integer(program::IntegerKind::UnsignedInt);
    let labels: Vec<Arc<str>> = asked
        .atoms
        .by_name
        .iter()
        .filter(|(_, meaning)| matches!(meaning, Meaning::Label(_)))
        .map(|(name, _)| name.clone())
        .collect();
    let states = machine.automaton.state_count();
    let first = machine.automaton.initial.index() as u128;
    let state = global(&mut program, STATE, int, first);
    let mut weaver = Weaver {
        truths: Truths { int },
        int,
        counter,
        state,
        marks: global(&mut program, MARKS, counter, 0),
        // Without labels it is never looked at.
        label: if labels.is_empty() { state } else { global(&mut program, LABEL, int, 0) },
        choice: global(&mut program, CHOICE, int, 0),
        atoms: BTreeMap::new(),
        is_blind: asked.sites.is_blind,
        has_labels: !labels.is_empty(),
        has_marks: false,
        machine: &mut machine,
        types: program.types.clone(),
        bad: None,
        kept: None,
    };
    for (name, meaning) in &asked.atoms.by_name {
        let truth = match meaning {
            Meaning::Condition(condition) => condition.clone(),
            Meaning::Label(_) => {
                let number = labels.iter().position(|label| label == name).unwrap_or_default() + 1;
                weaver.is(weaver.label, number)
            }
            Meaning::Call(_) | Meaning::Return(_) => continue,
        };
        weaver.atoms.insert(name.clone(), truth);
    }
    if asked.sites.has_steps {
        let mut kept = Kept { started: global(&mut program, STARTED, int, 0), atoms: Vec::new() };
        for (number, (name, truth)) in weaver.atoms.clone().into_iter().enumerate() {
            let variable = global(&mut program, &format!("{KEPT}{number}"), int, 0);
            weaver.atoms.insert(name.clone(), weaver.is(variable, 1));
            kept.atoms.push((name, variable, truth));
        }
        weaver.kept = Some(kept);
    }
    for (&id, own) in &asked.sites.of {
        let Some(body) = &mut program.procedures[id].body else { continue };
        weaver.bad = None;
        weave(body, own, &mut weaver);
        if id == main && weaver.machine.accepts_all[weaver.machine.automaton.initial] {
            body.entry = weaver.bad_node(body, Span::NOWHERE);
        }
    }
    let cycles = match weaver.has_marks {
        true => {
            Cycles::Marked { marks: MARKS.to_owned(), state: STATE.to_owned(), states: states as u32 + 1 }
        }
        false => Cycles::Allowed,
    };
    let temporal = question::Temporal { formula: asked.text.clone(), finite_runs: asked.finite_runs };
    let property = Property { labels: vec![VIOLATED.to_owned()], cycles, ..Property::satisfies(temporal) };
    let size = (states, machine.automaton.edge_count());
    Ok(Product { program, property, size })
}

struct Weaver<'m> {
    truths: Truths,
    int: TypeId,
    counter: TypeId,
    state: VariableId,
    marks: VariableId,
    label: VariableId,
    choice: VariableId,
    /// What propositions mean.
    atoms: BTreeMap<Arc<str>, Expr>,
    is_blind: bool,
    has_labels: bool,
    has_marks: bool,
    machine: &'m mut Machine,
    types: program::TypeTable,
    /// The node of this body that forbidden runs come to.
    bad: Option<NodeId>,
    /// Where the program says where positions begin.
    kept: Option<Kept>,
}

/// What held when the present position began.
#[derive(Clone)]
struct Kept {
    started: VariableId,
    /// By name: the variable that keeps it, and what it keeps.
    atoms: Vec<(Arc<str>, VariableId, Expr)>,
}

impl Weaver<'_> {
    fn number(&self, number: usize) -> Expr {
        Expr::integer(number as u128, self.int, &self.types)
    }

    fn is(&self, variable: VariableId, number: usize) -> Expr {
        let held = Expr::load(Place::variable(variable, self.int));
        self.truths.binary(BinaryOp::Equal, held, self.number(number))
    }

    fn set(&self, body: &mut Graph, variable: VariableId, number: usize, way: Gap) {
        let action =
            Action::Assign { target: Place::variable(variable, self.int), value: self.number(number) };
        body.add_edge(way.from, way.to, action, way.span);
    }

    fn count_mark(&mut self, body: &mut Graph, way: Gap) {
        self.has_marks = true;
        let place = Place::variable(self.marks, self.counter);
        let (held, one) = (Expr::load(place.clone()), Expr::integer(1, self.counter, &self.types));
        let value =
            Expr { kind: ExprKind::Binary(BinaryOp::Add, Box::new(held), Box::new(one)), ty: self.counter };
        body.add_edge(way.from, way.to, Action::Assign { target: place, value }, way.span);
    }

    /// The number of the state in which nothing is observed any more.
    fn silence(&self) -> usize {
        self.machine.automaton.state_count()
    }

    fn bad_node(&mut self, body: &mut Graph, span: Span) -> NodeId {
        *self.bad.get_or_insert_with(|| {
            let node = body.add_node(span);
            body.nodes[node].labels.push(Arc::from(VIOLATED));
            node
        })
    }

    /// The letters of a guard as a condition; none if it is no letter's.
    fn condition(&mut self, guard: Guard, event: Option<&Arc<str>>) -> Option<Expr> {
        let cubes = self.machine.cubes(guard, event);
        if cubes.is_empty() {
            return None;
        }
        let truths = self.truths;
        let cubes: Vec<Expr> = cubes
            .into_iter()
            .map(|cube| {
                let literals: Vec<Expr> = cube
                    .into_iter()
                    .map(|(name, value)| {
                        let truth = self.atoms[&name].clone();
                        if value { truth } else { truths.not(truth) }
                    })
                    .collect();
                truths.all(literals, &self.types)
            })
            .collect();
        Some(truths.any(cubes, &self.types))
    }

    /// The states of the automaton in which the letters of a guard of each are, as one condition.
    fn in_states(&mut self, of: impl Fn(&Machine, Location) -> Guard) -> Option<Expr> {
        let mut parts = Vec::new();
        for state in self.machine.automaton.edges.ids().collect::<Vec<_>>() {
            let guard = of(self.machine, state);
            if let Some(letters) = self.condition(guard, None) {
                let here = self.is(self.state, state.index());
                parts.push(self.truths.binary(BinaryOp::BitAnd, here, letters));
            }
        }
        (!parts.is_empty()).then(|| self.truths.any(parts, &self.types))
    }

    /// The automaton reads the letter of the position that is left.
    fn advance(&mut self, body: &mut Graph, event: Option<&Arc<str>>, way: Gap) {
        let Gap { mut from, to, span } = way;
        if !self.is_blind {
            let (silent, next) = (body.add_node(span), body.add_node(span));
            let condition = self.is(self.state, self.silence());
            branch(body, from, &condition, (silent, next), span);
            from = next;
        }
        let states: Vec<Location> =
            self.machine.automaton.edges.ids().filter(|&state| !self.machine.accepts_all[state]).collect();
        for (at, &state) in states.iter().enumerate() {
            let here = if at + 1 == states.len() {
                from
            } else {
                let (here, next) = (body.add_node(span), body.add_node(span));
                let condition = self.is(self.state, state.index());
                branch(body, from, &condition, (here, next), span);
                from = next;
                here
            };
            self.leave_state(body, state, event, Gap { from: here, to, span });
        }
    }

    fn leave_state(&mut self, body: &mut Graph, state: Location, event: Option<&Arc<str>>, way: Gap) {
        let Gap { mut from, to, span } = way;
        let mut edges = Vec::new();
        for edge in self.machine.automaton.edges[state].clone() {
            if let Some(condition) = self.condition(edge.guard, event) {
                edges.push((condition, edge));
            }
        }
        let has_choice = !self.machine.is_deterministic && edges.len() > 1;
        if has_choice {
            let chosen = body.add_node(span);
            let target = Place::variable(self.choice, self.int);
            let source = HavocSource::Input(Arc::from(CHOICE));
            body.add_edge(from, chosen, Action::Havoc { target, source }, span);
            from = chosen;
        }
        let count = edges.len();
        for (at, (condition, edge)) in edges.into_iter().enumerate() {
            let taken = body.add_node(span);
            let is_last = at + 1 == count;
            if is_last || has_choice {
                let mut here = from;
                if !is_last {
                    let (own, next) = (body.add_node(span), body.add_node(span));
                    let chosen = self.is(self.choice, at);
                    branch(body, from, &chosen, (own, next), span);
                    (here, from) = (own, next);
                }
                let reason = AssumeReason::User;
                body.add_edge(here, taken, Action::Assume { condition, expected: true, reason }, span);
            } else {
                let next = body.add_node(span);
                branch(body, from, &condition, (taken, next), span);
                from = next;
            }
            self.take(body, state, &edge, Gap { from: taken, to, span });
        }
    }

    fn take(&mut self, body: &mut Graph, state: Location, edge: &automata::Edge, way: Gap) {
        let Gap { mut from, to, span } = way;
        if self.machine.accepts_all[edge.to] {
            let bad = self.bad_node(body, span);
            body.add_edge(from, bad, Action::Skip, span);
            return;
        }
        if self.machine.is_marked(edge) {
            let next = body.add_node(span);
            self.count_mark(body, Gap { from, to: next, span });
            from = next;
        }
        if edge.to == state {
            body.add_edge(from, to, Action::Skip, span);
        } else {
            self.set(body, self.state, edge.to.index(), Gap { from, to, span });
        }
    }

    /// The position is left, by an event or by another step; no label made the next one.
    fn leave(&mut self, body: &mut Graph, event: Option<&Arc<str>>, way: Gap, label: usize) {
        if !self.has_labels {
            self.advance(body, event, way);
            return;
        }
        let between = body.add_node(way.span);
        self.advance(body, event, Gap { to: between, ..way });
        self.set(body, self.label, label, Gap { from: between, ..way });
    }
}

impl Weaver<'_> {
    /// The present position, if there is one, is left; the program says that the next one begins.
    fn step(&mut self, body: &mut Graph, kept: &Kept, way: Gap) {
        let Gap { from, to, span } = way;
        let (is_left, begins) = (body.add_node(span), body.add_node(span));
        let condition = self.is(kept.started, 1);
        branch(body, from, &condition, (is_left, begins), span);
        self.advance(body, None, Gap { from: is_left, to: begins, span });
        let mut at = begins;
        for (_, variable, truth) in &kept.atoms {
            let next = body.add_node(span);
            let action =
                Action::Assign { target: Place::variable(*variable, self.int), value: truth.clone() };
            body.add_edge(at, next, action, span);
            at = next;
        }
        self.set(body, kept.started, 1, Gap { from: at, to, span });
    }

    /// The end of a run makes a position of its own, which lasts for ever.
    fn may_end_after_steps(&mut self, body: &mut Graph, kept: &Kept, way: Gap) {
        let Gap { from, to, span } = way;
        let (chosen, ends) = (body.add_node(span), body.add_node(span));
        let source = HavocSource::Input(Arc::from(CHOICE));
        let target = Place::variable(self.choice, self.int);
        body.add_edge(from, chosen, Action::Havoc { target, source }, span);
        let condition = self.is(self.choice, 0);
        branch(body, chosen, &condition, (to, ends), span);
        let (is_left, last) = (body.add_node(span), body.add_node(span));
        let condition = self.is(kept.started, 1);
        branch(body, ends, &condition, (is_left, last), span);
        self.advance(body, None, Gap { from: is_left, to: last, span });
        let reading = self.atoms.clone();
        self.atoms.extend(kept.atoms.iter().map(|(name, _, truth)| (name.clone(), truth.clone())));
        if let Some(condition) = self.in_states(|machine, state| machine.ends[state]) {
            let bad = self.bad_node(body, span);
            let reason = AssumeReason::User;
            body.add_edge(last, bad, Action::Assume { condition, expected: true, reason }, span);
        }
        self.atoms = reading;
    }

    /// Goes past what is done with a position where there is none yet.
    fn if_started(&mut self, body: &mut Graph, way: Gap) -> Gap {
        let Some(kept) = self.kept.clone() else { return way };
        let started = body.add_node(way.span);
        let condition = self.is(kept.started, 1);
        branch(body, way.from, &condition, (started, way.to), way.span);
        Gap { from: started, ..way }
    }
}

impl Weave for Weaver<'_> {
    fn wants(&self, site: &Site) -> bool {
        *site != Site::AfterWrite
    }

    fn site(&mut self, body: &mut Graph, site: &Site, way: Gap) {
        match site {
            Site::BeforeWrite => self.leave(body, None, way, 0),
            Site::Event(name) => self.leave(body, Some(name), way, 0),
            Site::AfterWrite => {}
            Site::Step => {
                if let Some(kept) = self.kept.clone() {
                    self.step(body, &kept, way);
                }
            }
            Site::MayEnd if let Some(kept) = self.kept.clone() => {
                self.may_end_after_steps(body, &kept, way);
            }
            Site::MayEnd => match self.in_states(|machine, state| machine.ends[state]) {
                None => drop(body.add_edge(way.from, way.to, Action::Skip, way.span)),
                Some(condition) => {
                    let bad = self.bad_node(body, way.span);
                    branch(body, way.from, &condition, (bad, way.to), way.span);
                }
            },
        }
    }

    fn label(&mut self, body: &mut Graph, name: &Arc<str>, way: Gap) {
        let labels = self.atoms.keys().filter(|own| own.starts_with("at("));
        let number = labels.clone().position(|own| own == name).unwrap_or_default() + 1;
        self.leave(body, None, way, number);
    }

    fn wants_cuts(&self) -> bool {
        true
    }

    fn cut(&mut self, body: &mut Graph, way: Gap) {
        let way = self.if_started(body, way);
        if self.is_blind {
            self.advance(body, None, way);
            return;
        }
        let Gap { from, to, span } = way;
        let (silent, loud) = (body.add_node(span), body.add_node(span));
        let condition = self.is(self.state, self.silence());
        branch(body, from, &condition, (silent, loud), span);
        self.count_mark(body, Gap { from: silent, to, span });
        let Some(may_stay) = self.in_states(|machine, state| machine.stays[state]) else {
            body.add_edge(loud, to, Action::Skip, span);
            return;
        };
        let (asked, chosen, falls_silent) = (body.add_node(span), body.add_node(span), body.add_node(span));
        branch(body, loud, &may_stay, (asked, to), span);
        let source = HavocSource::Input(Arc::from(CHOICE));
        body.add_edge(
            asked,
            chosen,
            Action::Havoc { target: Place::variable(self.choice, self.int), source },
            span,
        );
        let condition = self.is(self.choice, 0);
        branch(body, chosen, &condition, (to, falls_silent), span);
        self.set(body, self.state, self.silence(), Gap { from: falls_silent, to, span });
    }
}
