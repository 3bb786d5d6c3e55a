//! The program that writes down what holds in each position, for real runs: a variable gets the truth of all conditions,
//! as bits, at the start and after each step that may write what they read; events and labels are steps of their own that
//! do nothing.

use crate::Asked;
use crate::atoms::Meaning;
use crate::machine::{Machine, forbidden};
use crate::sites::Site;
use crate::weave::{Gap, Weave, global, weave};
use automata::Location;
use base::{Budget, Id, Span};
use check::temporal::meaning::{MaximalPath, Position};
use program::{
    Action, BinaryOp, EdgeId, Expr, ExprKind, Graph, IntegerKind, NodeId, Place, ProcedureId, Program,
    TypeId, VariableId,
};
use rustc_hash::FxHashMap;
use spec::{Atom, Formula};
use std::collections::BTreeSet;
use std::sync::Arc;
use verdict::Reason;

/// The variable that holds what conditions hold.
const LETTER: &str = "automaton$letter";

/// The program, and which of its steps say what.
pub struct Observed {
    /// The program.
    pub program: Program,
    /// The formula, for whoever judges runs.
    pub formula: Formula,
    /// Conditions, by the bit that says whether they hold.
    conditions: Vec<Arc<str>>,
    says: FxHashMap<(ProcedureId, EdgeId), Says>,
    /// Does the program say itself where positions begin?
    has_steps: bool,
    machine: Machine,
}

#[derive(Clone, Debug)]
enum Says {
    /// A position begins, with these conditions: the value that is written.
    Begins,
    /// The position is left by this event, and the next one begins.
    Event(Arc<str>),
    /// A position begins at this label.
    Label(Arc<str>),
    /// If the run ends with the next step, that makes a position with these conditions.
    MayEnd,
    /// Nothing: it was put there.
    Nothing,
}

/// A position of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionSeen {
    /// The conditions, as bits.
    pub conditions: u64,
    /// The label that made it.
    pub label: Option<Arc<str>>,
    /// The event by which it was left.
    pub event: Option<Arc<str>>,
    /// Is it one only if the run ends there?
    is_end: bool,
}

impl Observed {
    /// Takes a step of a run: what was written, if that is a scalar.
    pub fn step(
        &self,
        positions: &mut Vec<PositionSeen>,
        (procedure, edge): (ProcedureId, EdgeId),
        written: Option<u128>,
    ) {
        let Some(says) = self.says.get(&(procedure, edge)) else { return };
        // The run has gone on.
        if !matches!(says, Says::Nothing) && positions.last().is_some_and(|last| last.is_end) {
            positions.pop();
        }
        let last = positions.last().map_or(0, |last| last.conditions);
        let next = match says {
            Says::Nothing => return,
            Says::MayEnd => PositionSeen {
                conditions: written.unwrap_or(0) as u64,
                is_end: true,
                ..PositionSeen::default()
            },
            Says::Begins => {
                PositionSeen { conditions: written.unwrap_or(0) as u64, ..PositionSeen::default() }
            }
            Says::Event(name) => {
                if let Some(last) = positions.last_mut() {
                    last.event = Some(name.clone());
                }
                PositionSeen { conditions: last, ..PositionSeen::default() }
            }
            Says::Label(name) => {
                PositionSeen { conditions: last, label: Some(name.clone()), ..PositionSeen::default() }
            }
        };
        positions.push(next);
    }

    /// The positions of a run that has not ended.
    pub fn going_on<'p>(&self, positions: &'p [PositionSeen]) -> &'p [PositionSeen] {
        match positions.split_last() {
            Some((last, before)) if last.is_end => before,
            _ => positions,
        }
    }

    /// Is the step one that was put into the program?
    pub fn is_put(&self, procedure: ProcedureId, edge: EdgeId) -> bool {
        self.says.contains_key(&(procedure, edge))
    }

    /// What holds in a position, and how it is left.
    fn position(&self, seen: &PositionSeen) -> Position {
        let holds = |at: &usize| seen.conditions >> at & 1 == 1;
        let names = (0..self.conditions.len()).filter(holds).map(|at| self.conditions[at].to_string());
        Position {
            propositions: names.chain(seen.label.iter().map(ToString::to_string)).collect(),
            event: seen.event.as_ref().map(ToString::to_string),
        }
    }

    /// The conditions that hold in a position, and what made and left it, in words.
    pub fn shown(&self, seen: &PositionSeen) -> String {
        let position = self.position(seen);
        let all: Vec<String> = position.propositions.into_iter().chain(position.event).collect();
        if all.is_empty() { "none of the formula's conditions".to_owned() } else { all.join(", ") }
    }

    /// Is the formula about conditions alone, and does the run itself say where positions are?
    pub fn is_about_conditions(&self) -> bool {
        let is_condition = |atom: &Atom| match atom {
            Atom::Proposition(name) => self.conditions.contains(name),
            Atom::Event(_) => false,
        };
        !self.has_steps && self.machine.atoms.iter().all(is_condition)
    }

    /// The state of the automaton in which runs begin.
    pub fn first_state(&self) -> usize {
        self.machine.automaton.initial.index()
    }

    /// The states that the automaton may be in when it has read a position, each with whether that is marked.
    pub fn read(&self, state: usize, seen: &PositionSeen) -> Vec<(usize, bool)> {
        let automaton = &self.machine.automaton;
        let edges = automaton.edges[Location::from_index(state)].iter();
        let taken = edges.filter(|edge| automaton.guards.evaluate(edge.guard, |one| self.holds(seen, one)));
        taken.map(|edge| (edge.to.index(), self.machine.is_marked(edge))).collect()
    }

    /// Does the automaton accept when a position lasts for ever?
    pub fn accepts_staying(&self, state: usize, seen: &PositionSeen) -> bool {
        let guard = self.machine.stays[Location::from_index(state)];
        self.machine.automaton.guards.evaluate(guard, |one| self.holds(seen, one))
    }

    fn holds(&self, seen: &PositionSeen, variable: automata::Variable) -> bool {
        let Some(Atom::Proposition(name)) = self.machine.atoms.get(variable.index()) else { return false };
        let bit = self.conditions.iter().position(|own| own == name);
        bit.is_some_and(|bit| seen.conditions >> bit & 1 == 1)
    }

    /// After how many positions the automaton accepts whatever follows: then the formula holds of no such run.
    pub fn bad_prefix(&self, positions: &[PositionSeen]) -> Option<usize> {
        let automaton = &self.machine.automaton;
        let mut states: BTreeSet<Location> = BTreeSet::from([automaton.initial]);
        for (at, seen) in positions.iter().enumerate() {
            let is_left = at + 1 < positions.len();
            // By which event the last one will be left is not known.
            if !is_left && self.machine.atoms.iter().any(|atom| matches!(atom, Atom::Event(_))) {
                return None;
            }
            let position = self.position(seen);
            let holds = |variable: automata::Variable| match self.machine.atoms.get(variable.index()) {
                Some(Atom::Proposition(name)) => position.propositions.iter().any(|own| **own == **name),
                Some(Atom::Event(name)) => position.event.as_deref() == Some(&**name),
                None => false,
            };
            states = states
                .iter()
                .flat_map(|&state| &automaton.edges[state])
                .filter(|edge| automaton.guards.evaluate(edge.guard, holds))
                .map(|edge| edge.to)
                .collect();
            if states.iter().any(|&state| self.machine.accepts_all[state]) {
                return Some(at + 1);
            }
        }
        None
    }

    /// Does the formula hold of none of some drawn runs that begin so? This asks what the formula means, not the automaton.
    pub fn no_drawn_word_holds(&self, prefix: &[PositionSeen]) -> bool {
        const DRAWN: u64 = 60;
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> 8
        };
        (0..DRAWN).all(|round| {
            let mut drawn = |count: u64| -> Vec<PositionSeen> {
                (0..count).map(|_| PositionSeen { conditions: draw(), ..PositionSeen::default() }).collect()
            };
            let stem = [prefix, &drawn(round % 5)].concat();
            let cycle = drawn(1 + round % 4);
            !self.holds_of(&stem, &cycle)
        })
    }

    /// Does the formula hold of the run with these positions, of which the last so many repeat for ever? None repeat if it
    /// ended.
    pub fn holds_of(&self, stem: &[PositionSeen], cycle: &[PositionSeen]) -> bool {
        let positions = |all: &[PositionSeen]| all.iter().map(|one| self.position(one)).collect();
        MaximalPath { stem: positions(stem), cycle: positions(cycle) }.satisfies(&self.formula)
    }
}

pub(crate) fn make(asked: &Asked, budget: &Budget) -> Result<Observed, Reason> {
    let machine = forbidden(&asked.formula, asked.finite_runs, budget)?;
    let mut program = asked.program.clone();
    crate::slice::leave_out(&mut program, &asked.atoms.observed);
    let main = program.main.ok_or(verdict::Shape::NoMain)?;
    let wide = program.types.integer(IntegerKind::UnsignedLongLong);
    let mut conditions = Vec::new();
    let mut letter = Expr::integer(0, wide, &program.types);
    for (name, meaning) in &asked.atoms.by_name {
        let Meaning::Condition(condition) = meaning else { continue };
        let bit = Expr::integer(1 << conditions.len(), wide, &program.types);
        let binary =
            |op, one, two| Expr { kind: ExprKind::Binary(op, Box::new(one), Box::new(two)), ty: wide };
        let own = binary(BinaryOp::Multiply, condition.clone().cast(wide), bit);
        letter = binary(BinaryOp::BitOr, letter, own);
        conditions.push(name.clone());
    }
    let variable = global(&mut program, LETTER, wide, 0);
    let mut observed = Observed {
        formula: asked.formula.clone(),
        conditions,
        says: FxHashMap::default(),
        has_steps: asked.sites.has_steps,
        machine,
        program,
    };
    for (&id, own) in &asked.sites.of {
        let has_steps = observed.has_steps;
        let mut weaver = Weaver { variable, wide, letter: &letter, has_steps, put: Vec::new() };
        let Some(body) = &mut observed.program.procedures[id].body else { continue };
        weave(body, own, &mut weaver);
        if id == main && !has_steps {
            let (from, entry, span) = (body.add_node(Span::NOWHERE), body.entry, body.nodes[body.entry].span);
            body.entry = from;
            weaver.begin(body, Gap { from, to: entry, span });
        }
        let Weaver { put, .. } = weaver;
        observed.says.extend(put.into_iter().map(|(edge, says)| ((id, edge), says)));
    }
    Ok(observed)
}

struct Weaver<'l> {
    variable: VariableId,
    wide: TypeId,
    letter: &'l Expr,
    has_steps: bool,
    put: Vec<(EdgeId, Says)>,
}

impl Weaver<'_> {
    fn begin(&mut self, body: &mut Graph, way: Gap) {
        let target = Place::variable(self.variable, self.wide);
        let action = Action::Assign { target, value: self.letter.clone() };
        let edge = body.add_edge(way.from, way.to, action, way.span);
        self.put.push((edge, Says::Begins));
    }

    fn may_end(&mut self, body: &mut Graph, way: Gap) {
        self.begin(body, way);
        if let Some((_, says)) = self.put.last_mut() {
            *says = Says::MayEnd;
        }
    }

    fn mark(&mut self, body: &mut Graph, says: Says, (from, to): (NodeId, NodeId), span: Span) {
        let edge = body.add_edge(from, to, Action::Skip, span);
        self.put.push((edge, says));
    }
}

impl Weave for Weaver<'_> {
    fn wants(&self, site: &Site) -> bool {
        matches!(site, Site::AfterWrite | Site::Event(_) | Site::Step)
            || *site == Site::MayEnd && self.has_steps
    }

    fn site(&mut self, body: &mut Graph, site: &Site, way: Gap) {
        match site {
            Site::AfterWrite | Site::Step => self.begin(body, way),
            Site::MayEnd => self.may_end(body, way),
            Site::Event(name) => {
                self.mark(body, Says::Event(name.clone()), (way.from, way.to), way.span);
            }
            Site::BeforeWrite => {
                self.mark(body, Says::Nothing, (way.from, way.to), way.span);
            }
        }
    }

    fn label(&mut self, body: &mut Graph, name: &Arc<str>, way: Gap) {
        self.mark(body, Says::Label(name.clone()), (way.from, way.to), way.span);
    }

    fn wants_cuts(&self) -> bool {
        false
    }

    fn cut(&mut self, body: &mut Graph, way: Gap) {
        self.mark(body, Says::Nothing, (way.from, way.to), way.span);
    }
}
