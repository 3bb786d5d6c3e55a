//! A program as procedures with cut points ([`System`]): every cut point is set out from once, with any state
//! there, and the walk says where it comes next.
//!
//! Objects of variables in memory are fixed here, with the same conditions as in `blocks`.

use base::{Budget, IndexVec, Span};
use logic::term::Op;
use logic::{Sort, TermId};
use predicate::procedure::system::Values;
use predicate::procedure::{Call, Cut, CutId, LargeBlock, LargeBlockId, Routine, RoutineId, System, Target};
use program::{EdgeId, ProcedureId, Program};
use prove::{Ahead, Boundary, Exit, Explorer, Goal, Passed, Pending, PlaceKey, Settings, StopRule, place_of};
use question::Property;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symbolic::{Encoder, FixedObjects, Frame, Meaning, SetOut, State, StateVariable, Value};
use verdict::{Reason, Shape};

/// Where control is at a cut point, with any state there.
#[derive(Clone, Debug)]
pub enum Control {
    /// At the start of the program, in its only state.
    Start,
    /// At a place.
    At(Pending),
    /// Before a call.
    Before(Ahead),
}

/// What is known of a cut point beside the system.
#[derive(Clone, Debug)]
pub struct Point {
    /// Control there.
    pub control: Control,
    /// The parts of the state with their symbols.
    pub parts: Vec<(StateVariable, TermId)>,
}

/// The symbols for what a procedure leaves behind.
#[derive(Clone, Debug)]
pub struct End {
    /// What it returned, if that is a scalar.
    pub result: Option<TermId>,
    /// Static variables and memory.
    pub parts: Vec<(StateVariable, TermId)>,
}

/// What tells cut points apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Start,
    Entry(ProcedureId),
    Head(PlaceKey),
    Call(PlaceKey, ProcedureId),
}

/// The way of a walk, told so that another walk along it can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landing {
    /// At a cut point.
    Cut(CutId),
    /// At the end, by this step.
    End(EdgeId),
    /// At something that must not happen.
    Failure,
}

/// The program, divided.
pub struct Divided<'p, 'a> {
    /// The walk.
    pub explorer: Explorer<'p, 'a>,
    /// The program.
    pub program: &'p Program,
    /// Procedures, cut points, blocks.
    pub system: System,
    /// More about the cut points.
    pub points: IndexVec<CutId, Point>,
    /// The procedures' ends.
    pub ends: IndexVec<RoutineId, End>,
    /// The procedure of the program behind each.
    pub procedures: IndexVec<RoutineId, ProcedureId>,
    /// Where each block lands.
    pub landings: IndexVec<LargeBlockId, Landing>,
    by_key: FxHashMap<Key, CutId>,
    routines: FxHashMap<ProcedureId, RoutineId>,
}

/// More cut points than this are too many.
const MOST_CUTS: usize = 400;

/// The first walk may not pass a head, later ones begin at one.
const FROM_START: StopRule = StopRule::Heads(0);
const FROM_CUT: StopRule = StopRule::Heads(1);

impl<'p, 'a> Divided<'p, 'a> {
    /// Divides a program. Fails with the reason where that cannot be done.
    pub fn of(
        program: &'p Program,
        meaning: &'p Meaning<'p>,
        property: &'a Property,
        settings: &'a Settings,
        budget: &Budget,
    ) -> Result<Divided<'p, 'a>, Reason> {
        let main = program.main.ok_or(Shape::NoMain)?;
        let mut encoder = Encoder::new(meaning);
        encoder.watch.arithmetic = property.watches_arithmetic();
        encoder.fixed_objects = Some(FixedObjects::default());
        let mut explorer = Explorer::new(encoder, property, settings.missing, FROM_START);
        let kept = super::keep::kept(program, meaning.points_to)?;
        explorer.boundary = Some(Boundary::around(kept));
        let mut divided = Divided {
            explorer,
            program,
            system: System::default(),
            points: IndexVec::new(),
            ends: IndexVec::new(),
            procedures: IndexVec::new(),
            landings: IndexVec::new(),
            by_key: FxHashMap::default(),
            routines: FxHashMap::default(),
        };
        let start = divided.add_cut(Key::Start, main, Control::Start, &[], None)?;
        let routine = divided.system.cuts[start].routine;
        divided.system.main = Some(routine);
        let mut next = 0;
        while next < divided.system.cuts.len() {
            let id = <CutId as base::Id>::from_index(next);
            divided.leave_cut(id, budget)?;
            next += 1;
        }
        prove::no_pointer_outlives(&divided.explorer.encoder)?;
        Ok(divided)
    }

    fn boundary(&mut self) -> &mut Boundary {
        self.explorer.boundary.as_mut().expect("the walk has a boundary")
    }

    /// The procedure, as part of the system.
    fn routine(&mut self, procedure: ProcedureId, entry: CutId) -> RoutineId {
        if let Some(&known) = self.routines.get(&procedure) {
            return known;
        }
        let declared = &self.program.procedures[procedure];
        let prefix = format!("end{}:", self.ends.len());
        let encoder = &mut self.explorer.encoder;
        let mut any = encoder.any_state(&prefix, &[]);
        let mut parts = encoder.parts(&mut any);
        // Which objects are alive is the same after a call as before it.
        parts.retain(|(part, _)| *part != StateVariable::Extents);
        let result_type = self.program.result_type(procedure).id;
        let result = self.program.types.is_scalar(result_type).then(|| {
            let width = encoder.width(result_type);
            encoder.terms.pool.symbol(&format!("{prefix}result"), Sort::BitVec(width))
        });
        let mut symbols: Vec<TermId> = parts.iter().map(|(_, symbol)| *symbol).collect();
        symbols.extend(result);
        self.ends.push(End { result, parts });
        self.procedures.push(procedure);
        let name = declared.name.to_string();
        let id = self.system.routines.push(Routine { name, entry, ends: symbols, span: declared.span });
        self.routines.insert(procedure, id);
        id
    }

    fn add_cut(
        &mut self,
        key: Key,
        root: ProcedureId,
        control: Control,
        frames: &[Rc<Frame>],
        place: Option<Span>,
    ) -> Result<CutId, Reason> {
        let id = self.system.cuts.next_id();
        if self.system.cuts.len() >= MOST_CUTS {
            let limit = MOST_CUTS as u64;
            return Err(Shape::TooManyCuts { limit, what: "loops and calls" }.into());
        }
        if frames.iter().any(|frame| !frame.own_blocks.is_empty()) {
            return Err(Shape::StackBlocksInLoops.into());
        }
        let span = place.unwrap_or(self.program.procedures[root].span);
        let line = self.program.sources.location(span).map_or_else(String::new, |at| format!("_{}", at.line));
        let (control, parts, name) = match control {
            Control::Start => (control, Vec::new(), "start".to_owned()),
            Control::At(mut pending) => {
                let (any, parts) = self.any(id, frames);
                pending.state = any;
                pending.guard = self.explorer.encoder.terms.yes();
                pending.depth = 1;
                let word = if matches!(key, Key::Entry(_)) { "entry" } else { "loop" };
                (Control::At(pending), parts, format!("{word}{line}.{id}"))
            }
            Control::Before(mut ahead) => {
                let (any, parts) = self.any(id, frames);
                ahead.pending.state = any;
                ahead.pending.guard = self.explorer.encoder.terms.yes();
                ahead.pending.depth = 1;
                (Control::Before(ahead), parts, format!("call{line}.{id}"))
            }
        };
        let symbols = parts.iter().map(|(_, symbol)| *symbol).collect();
        let routine = self.routine(root, id);
        self.system.cuts.push(Cut { routine, symbols, call: None, name, span });
        self.points.push(Point { control, parts });
        self.by_key.insert(key, id);
        Ok(id)
    }

    /// Any state at a cut point, and the symbols of its parts.
    fn any(&mut self, id: CutId, frames: &[Rc<Frame>]) -> (State, Vec<(StateVariable, TermId)>) {
        let prefix = format!("{id}:");
        let encoder = &mut self.explorer.encoder;
        let mut any = encoder.any_state(&prefix, frames);
        encoder.enliven_frames(&mut any);
        let mut parts = encoder.parts(&mut any.clone());
        // What is alive stands beneath what is known to be: an arriving array has the same there already.
        if let Some(raw) = encoder.terms.pool.find_symbol(&format!("{prefix}extents")) {
            for (part, symbol) in &mut parts {
                if *part == StateVariable::Extents {
                    *symbol = raw;
                }
            }
        }
        (any, parts)
    }

    /// Puts control at a cut point on its way. From before a call, past it.
    fn set_out(&mut self, control: &Control) -> Result<(), Reason> {
        self.explorer.stop = FROM_CUT;
        let is_start = matches!(control, Control::Start);
        // Predicates may speak of any memory.
        self.explorer.encoder.set_out_from(if is_start { SetOut::Start } else { SetOut::Conditions });
        match control {
            Control::Start => {
                let (state, effect) = self.explorer.encoder.initial_state();
                if let Some(failure) = effect.failures.first() {
                    let detail = failure.detail.as_deref().unwrap_or(failure.kind.words()).to_owned();
                    return Err(Shape::InitialValues { detail }.into());
                }
                self.explorer.stop = FROM_START;
                let main = self.program.main.ok_or(Shape::NoMain)?;
                self.explorer.begin_at(main, state);
            }
            Control::At(pending) => self.explorer.resume(pending.clone()),
            Control::Before(ahead) => self.explorer.pass(ahead),
        }
        Ok(())
    }

    /// Walks on until everything has landed.
    fn walk(&mut self, budget: &Budget) -> Result<(), Reason> {
        while self.explorer.advance() {
            if let Err(limit) = self.explorer.encoder.terms.pool.check(budget) {
                self.explorer.abandon();
                return Err(limit.into());
            }
        }
        Ok(())
    }

    fn leave_cut(&mut self, id: CutId, budget: &Budget) -> Result<(), Reason> {
        let first_fact = self.explorer.encoder.facts.len();
        let control = self.points[id].control.clone();
        self.set_out(&control)?;
        self.walk(budget)?;
        let mut landed: Vec<(Landing, TermId, Option<Landed>)> = Vec::new();
        let (heads, calls) = self.explorer.merged_arrivals();
        for pending in heads {
            let key = Key::Head(place_of(&pending.stack));
            let to = self.cut_for(key, Control::At(pending.clone()))?;
            landed.push((Landing::Cut(to), pending.guard, Some(Landed::At(to, pending.state))));
        }
        for ahead in calls {
            let key = Key::Call(place_of(&ahead.pending.stack), ahead.callee);
            let (guard, state) = (ahead.pending.guard, ahead.pending.state.clone());
            let to = self.cut_for(key, Control::Before(ahead))?;
            landed.push((Landing::Cut(to), guard, Some(Landed::At(to, state))));
        }
        for exit in std::mem::take(&mut self.boundary().exits) {
            landed.push((Landing::End(exit.edge), exit.guard, Some(Landed::End(exit))));
        }
        let goals = std::mem::take(&mut self.explorer.goals);
        let conditions: Vec<TermId> = goals.iter().map(|goal| goal.condition).collect();
        if !conditions.is_empty() {
            let any = self.explorer.encoder.terms.any(&conditions);
            landed.push((Landing::Failure, any, None));
        }
        if let (Control::Before(ahead), Some(passed)) = (&control, self.boundary().passed.take()) {
            self.note_call(id, ahead, passed)?;
        }
        let mut definitions = Definitions::since(&mut self.explorer.encoder, first_fact);
        for (landing, guard, landed) in landed {
            let guard = definitions.supposed(&mut self.explorer.encoder, guard);
            if self.explorer.encoder.terms.truth(guard) == Some(false) {
                continue;
            }
            let to = match landed {
                None => Target::Failure,
                Some(Landed::At(to, mut state)) => {
                    let parts = self.points[to].parts.clone();
                    let values = values_of(&mut self.explorer.encoder, &parts, &mut state);
                    Target::Cut(to, definitions.expanded(&mut self.explorer.encoder, values))
                }
                Some(Landed::End(exit)) => {
                    let routine = self.system.cuts[id].routine;
                    let values = self.end_values(routine, &exit);
                    Target::End(definitions.expanded(&mut self.explorer.encoder, values))
                }
            };
            self.system.blocks.push(LargeBlock { from: id, to, guard });
            self.landings.push(landing);
        }
        Ok(())
    }

    /// What the symbols of a procedure's end are at one of its ends.
    pub fn end_values(&mut self, routine: RoutineId, exit: &Exit) -> Values {
        let end = self.ends[routine].clone();
        let encoder = &mut self.explorer.encoder;
        let mut values = values_of(encoder, &end.parts, &mut exit.state.clone());
        if let Some(symbol) = end.result {
            let sort = encoder.terms.pool.sort(symbol);
            let value = match &exit.value {
                Value::Scalar(term) if encoder.terms.pool.sort(*term) == sort => *term,
                _ => encoder.terms.fresh("result", sort),
            };
            values.insert(symbol, value);
        }
        values
    }

    /// What the symbols of a cut point are in a state there.
    pub fn values_at(&mut self, cut: CutId, state: &State) -> Values {
        let parts = self.points[cut].parts.clone();
        values_of(&mut self.explorer.encoder, &parts, &mut state.clone())
    }

    /// Tells the system what a call is about.
    fn note_call(&mut self, id: CutId, ahead: &Ahead, passed: Passed) -> Result<(), Reason> {
        let entry = self.entry_of(ahead)?;
        let callee = self.system.cuts[entry].routine;
        let entering = self.values_at(entry, &passed.entering);
        let end = self.ends[callee].clone();
        let mut leaving = values_of(&mut self.explorer.encoder, &end.parts, &mut passed.leaving.clone());
        if let (Some(symbol), Some(result)) = (end.result, passed.result) {
            leaving.insert(symbol, result);
        }
        self.system.cuts[id].call = Some(Call { callee, entering, leaving });
        Ok(())
    }

    /// The entry of the procedure that is called.
    fn entry_of(&mut self, ahead: &Ahead) -> Result<CutId, Reason> {
        let key = Key::Entry(ahead.callee);
        if let Some(&known) = self.by_key.get(&key) {
            return Ok(known);
        }
        let name = &self.program.procedures[ahead.callee].name;
        let entered = self
            .explorer
            .entered(ahead)
            .ok_or_else(|| Shape::WrongArguments { function: name.to_string() })?;
        let frames = entered.state.frames.clone();
        self.add_cut(key, ahead.callee, Control::At(entered), &frames, None)
    }

    fn cut_for(&mut self, key: Key, control: Control) -> Result<CutId, Reason> {
        if let Some(&known) = self.by_key.get(&key) {
            return Ok(known);
        }
        let (stack, frames) = match &control {
            Control::Start => unreachable!("the start is the first cut point"),
            Control::At(pending) => (pending.stack.clone(), pending.state.frames.clone()),
            Control::Before(ahead) => (ahead.pending.stack.clone(), ahead.pending.state.frames.clone()),
        };
        let root = stack.first().expect("control is in a procedure").procedure;
        let level = stack.last().expect("control is in a procedure");
        let body = self.program.procedures[level.procedure].body.as_ref();
        let span = body.map(|body| match level.call {
            Some(edge) => body.edges[edge].span,
            None => body.nodes[level.node].span,
        });
        let span = span.map(|span| prove::users_place(self.program, &stack, span));
        self.add_cut(key, root, control, &frames, span)
    }

    /// Walks on from a state that has really come to a cut point, and says where it lands.
    pub fn land(
        &mut self,
        from: &Coming,
        wanted: &Landing,
        budget: &Budget,
    ) -> Result<Option<(TermId, Come)>, Reason> {
        self.explorer.stop = FROM_CUT;
        match from {
            Coming::Start => self.set_out(&Control::Start)?,
            Coming::At(pending) => self.explorer.resume(Pending { depth: 1, ..pending.clone() }),
            Coming::Back(ahead, exit) => {
                let mut ahead = ahead.clone();
                ahead.pending.depth = 1;
                self.explorer.come_back(&ahead, exit.clone());
            }
        }
        self.walk(budget)?;
        let (heads, calls) = self.explorer.merged_arrivals();
        let exits = std::mem::take(&mut self.boundary().exits);
        let goals = std::mem::take(&mut self.explorer.goals);
        Ok(match wanted {
            Landing::Failure => {
                let conditions: Vec<TermId> = goals.iter().map(|goal| goal.condition).collect();
                let any = self.explorer.encoder.terms.any(&conditions);
                Some((any, Come::Failed(goals)))
            }
            Landing::End(edge) => {
                exits.into_iter().find(|exit| exit.edge == *edge).map(|exit| (exit.guard, Come::Ended(exit)))
            }
            Landing::Cut(cut) => {
                let head = heads
                    .into_iter()
                    .find(|pending| self.by_key.get(&Key::Head(place_of(&pending.stack))) == Some(cut));
                let call = calls.into_iter().find(|ahead| {
                    let key = Key::Call(place_of(&ahead.pending.stack), ahead.callee);
                    self.by_key.get(&key) == Some(cut)
                });
                head.map(|pending| (pending.guard, Come::At(pending)))
                    .or_else(|| call.map(|ahead| (ahead.pending.guard, Come::Before(ahead))))
            }
        })
    }
}

enum Landed {
    At(CutId, State),
    End(Exit),
}

/// Control with the state a run has there.
#[derive(Clone, Debug)]
pub enum Coming {
    /// At the start.
    Start,
    /// At a place.
    At(Pending),
    /// Back from a call, from this end of the procedure.
    Back(Ahead, Exit),
}

/// Where a run has come to.
#[derive(Clone, Debug)]
pub enum Come {
    /// A place.
    At(Pending),
    /// The place before a call.
    Before(Ahead),
    /// The end of a procedure.
    Ended(Exit),
    /// One of these happens.
    Failed(Vec<Goal>),
}

/// What symbols of parts are in a state. A part without a value was never written: any will do.
fn values_of(encoder: &mut Encoder<'_>, parts: &[(StateVariable, TermId)], state: &mut State) -> Values {
    let own: FxHashMap<StateVariable, TermId> = encoder.parts(state).into_iter().collect();
    let mut values = Values::default();
    for (part, symbol) in parts {
        let value = match own.get(part) {
            Some(&value) => value,
            None => {
                let sort = encoder.terms.pool.sort(*symbol);
                encoder.terms.fresh("unwritten", sort)
            }
        };
        values.insert(*symbol, value);
    }
    values
}

/// The guards that a walk has given names, and what else it supposes.
struct Definitions {
    defined: Values,
    supposed: Vec<TermId>,
}

impl Definitions {
    /// Of the facts from a number on.
    fn since(encoder: &mut Encoder<'_>, first: usize) -> Definitions {
        let mut made = Definitions { defined: Values::default(), supposed: Vec::new() };
        for at in first..encoder.facts.len() {
            let fact = encoder.facts[at];
            let pool = &encoder.terms.pool;
            let symbol = match pool.op(fact) {
                Op::Equal => {
                    let sides = [pool.arguments(fact)[0], pool.arguments(fact)[1]];
                    let is_guard = |term: TermId| {
                        pool.sort(term) == Sort::Bool && matches!(pool.op(term), Op::Symbol(_))
                    };
                    match sides.map(is_guard) {
                        [true, _] => Some((sides[0], sides[1])),
                        [_, true] => Some((sides[1], sides[0])),
                        _ => None,
                    }
                }
                _ => None,
            };
            match symbol {
                Some((symbol, term)) => {
                    let term = encoder.terms.pool.substitute(term, &made.defined);
                    let term = encoder.terms.simple(term);
                    made.defined.insert(symbol, term);
                }
                None => {
                    let fact = encoder.terms.pool.substitute(fact, &made.defined);
                    made.supposed.push(fact);
                }
            }
        }
        made
    }

    /// A guard in full, with what the walk supposes.
    fn supposed(&mut self, encoder: &mut Encoder<'_>, guard: TermId) -> TermId {
        let guard = encoder.terms.pool.substitute(guard, &self.defined);
        let mut all = self.supposed.clone();
        all.push(guard);
        let all = encoder.terms.pool.all_of(&all);
        encoder.terms.simple(all)
    }

    fn expanded(&mut self, encoder: &mut Encoder<'_>, values: Values) -> Values {
        let (symbols, terms): (Vec<TermId>, Vec<TermId>) = values.into_iter().unzip();
        let terms = encoder.terms.pool.substitute_all(&terms, &self.defined);
        symbols.into_iter().zip(terms.into_iter().map(|term| encoder.terms.simple(term))).collect()
    }
}
