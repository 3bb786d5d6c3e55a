//! The violating run for people: one line per step that matters. Values are told when they change; the steps
//! of a call stand below it.

use base::{Id, Span};
use concrete::RunOutcome;
use program::{
    Action, Callee, EdgeId, ExprKind, Origin, PlaceBase, ProcedureId, Program, VariableId, VariableKind,
};
use question::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Steps that change a value, and calls.
    Changes,
    /// Every step of the user's own statements: decisions too, and values that stay, but nothing that only a
    /// compiler would name.
    Steps,
    /// Every step: decisions, and values that stay.
    Everything,
}

/// A line of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// Where the step stands.
    pub span: Span,
    /// Active calls around it.
    pub depth: u32,
    /// The step, with the value it writes.
    pub text: String,
    /// The thread that makes it, where the run is one of several threads; the first runs `main`.
    pub thread: Option<usize>,
    /// The step of the program that it tells, if it is one.
    pub step: Option<(ProcedureId, EdgeId)>,
    /// What the step writes: the place, and its value.
    pub change: Option<(String, String)>,
}

impl TraceLine {
    fn new(span: Span, depth: u32, text: String, thread: Option<usize>) -> TraceLine {
        TraceLine { span, depth, text, thread, step: None, change: None }
    }
}

/// The lines of a run that violates something.
pub fn lines(program: &Program, violation: &Violation, detail: Detail) -> Vec<TraceLine> {
    let shared = crate::columns::shared_writes(program, violation);
    told(program, &violation.run, &violation.steps, shared, detail)
}

/// How many of the lines of a violating run stand for its first steps.
pub fn count_before(program: &Program, violation: &Violation, detail: Detail, steps: usize) -> usize {
    let shared = crate::columns::shared_writes(program, violation);
    let first = &violation.steps[..steps.min(violation.steps.len())];
    told(program, &violation.run, first, shared, detail).len()
}

/// The lines of any run, of which these steps were seen.
pub fn lines_of_run(
    program: &Program,
    run: &concrete::Run,
    steps: &[concrete::Step],
    detail: Detail,
) -> Vec<TraceLine> {
    // With several threads each has its column.
    let shared = (run.threads.len() > 1).then(BTreeSet::new);
    told(program, run, steps, shared, detail)
}

fn told(
    program: &Program,
    run: &concrete::Run,
    steps: &[concrete::Step],
    shared: Option<BTreeSet<VariableId>>,
    detail: Detail,
) -> Vec<TraceLine> {
    let (lines, last, open) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut teller = Teller {
        program,
        detail,
        lines,
        last,
        open,
        others: BTreeMap::new(),
        thread: None,
        shared,
        change: None,
    };
    for step in steps {
        teller.step(step);
    }
    teller.close(&run.outcome);
    teller.lines
}

/// At most so many lines: the first and the last; one in the middle says how many are left out.
pub fn shortened(lines: Vec<TraceLine>, most: usize) -> Vec<TraceLine> {
    if lines.len() <= most {
        return lines;
    }
    let (head, tail) = (most / 2, most - most / 2);
    let left_out = lines.len() - head - tail;
    let mut short = lines[..head].to_vec();
    let text = format!("… {left_out} lines left out");
    short.push(TraceLine::new(Span::default(), 0, text, None));
    short.extend_from_slice(&lines[lines.len() - tail..]);
    short
}

struct Teller<'p> {
    program: &'p Program,
    detail: Detail,
    lines: Vec<TraceLine>,
    /// The last value written, by thread, call depth and place.
    last: BTreeMap<(Option<usize>, u32, String), u128>,
    /// Calls that have begun and whose own step was not told yet: the callee, its depth, the line that stands
    /// for it.
    open: Vec<(ProcedureId, u32, usize)>,
    /// The same for threads that do not run now.
    others: BTreeMap<usize, Vec<(ProcedureId, u32, usize)>>,
    /// The thread that runs.
    thread: Option<usize>,
    /// Static variables that several threads write or one writes and another reads; nothing where there is one thread.
    shared: Option<BTreeSet<VariableId>>,
    /// What the step that is being told writes.
    change: Option<(String, String)>,
}

impl Teller<'_> {
    fn step(&mut self, step: &concrete::Step) {
        let procedure = &self.program.procedures[step.procedure];
        if procedure.origin != Origin::User {
            return;
        }
        let Some(body) = &procedure.body else { return };
        let edge = &body.edges[step.edge];
        if Some(step.procedure) == self.program.main
            && let Some(all) = &self.program.interleaving
            && let Some(&owner) = all.owner.get(&edge.from)
        {
            self.thread = Some(owner);
            if let Some(told) = all.remarks.get(&edge.from) {
                let (span, text) = (body.nodes[edge.from].span, told.to_string());
                self.lines.push(TraceLine::new(span, step.depth - 1, text, self.thread));
            }
        }
        if self.shared.is_some() {
            self.switch_to(step.thread.index());
        }
        // Calls that ended without a step of their own: their callers were left as well.
        while self.open.last().is_some_and(|&(_, depth, _)| depth > step.depth + 1) {
            self.open.pop();
        }
        let is_new = step.depth > 1
            && !self
                .open
                .last()
                .is_some_and(|&(callee, depth, _)| depth == step.depth && callee == step.procedure);
        if is_new {
            self.open.push((step.procedure, step.depth, self.lines.len()));
            let text = format!("{}(…)", procedure.name);
            let (span, depth, thread) = (procedure.span, step.depth - 2, self.thread);
            self.lines.push(TraceLine::new(span, depth, text, thread));
            let thread = self.thread;
            self.last.retain(|(own, depth, _), _| *own != thread || *depth < step.depth);
        }
        let depth = step.depth - 1;
        self.change = None;
        let show = self.program.show();
        let text = match &edge.action {
            Action::Call { result, callee, .. } => {
                let ended = self.open.pop_if(|(_, depth, _)| *depth == step.depth + 1);
                let call = call_text(&show.action(&edge.action), result.is_some());
                match (ended, result, step.written) {
                    (Some((_, _, line)), result, written) => {
                        self.lines[line].span = edge.span;
                        self.lines[line].text = call;
                        self.lines[line].step = Some((step.procedure, step.edge));
                        let (Some(target), Some(written)) = (result, written) else { return };
                        self.value(step.depth, target, None, written.bits)
                    }
                    (None, Some(target), Some(written)) => self.value(step.depth, target, None, written.bits),
                    (None, ..) => {
                        // What only marks or ends the run is not worth a line, unless it is all there is to
                        // say.
                        let is_marker = matches!(callee, Callee::Direct(id)
                            if self.program.procedures[*id].known.is_some_and(|known| known.is_marker()));
                        (!is_marker || self.detail != Detail::Changes).then_some(call)
                    }
                }
            }
            // What `main` begins with was told as the arguments of the run.
            Action::Assign { .. } | Action::Havoc { .. } if edge.span.is_nowhere() => None,
            Action::Assign { target, value } => {
                let Some(written) = step.written else { return };
                self.read(target, value, written.bits).or_else(|| {
                    self.value(step.depth, target, self.pointed(target, value, written.bits), written.bits)
                })
            }
            Action::Havoc { target, .. } => {
                let Some(written) = step.written else { return };
                self.value(step.depth, target, None, written.bits)
            }
            // Where threads are told apart, a read of what they share is a step of its own, and what was read has a name
            // that only says where it came from.
            Action::Assume { .. } if self.detail == Detail::Steps && self.shared.is_some() => None,
            Action::Assume { condition, expected, .. } if self.detail != Detail::Changes => {
                Some(format!("[{}]", show.condition(condition, *expected)))
            }
            _ => None,
        };
        if let Some(text) = text {
            let mut line = TraceLine::new(edge.span, depth, text, self.thread);
            line.step = Some((step.procedure, step.edge));
            line.change = self.change.take();
            self.lines.push(line);
        }
    }

    /// Another thread makes the next step.
    fn switch_to(&mut self, thread: usize) {
        if let Some(before) = self.thread.replace(thread).filter(|&before| before != thread) {
            let open = self.others.remove(&thread).unwrap_or_default();
            self.others.insert(before, std::mem::replace(&mut self.open, open));
        }
    }

    /// A thread reads what another writes: that is where they meet.
    fn read(&self, target: &program::Place, value: &program::Expr, bits: u128) -> Option<String> {
        let shared = self.shared.as_ref()?;
        let ExprKind::Load(place) = &value.kind else { return None };
        let PlaceBase::Variable(read) = place.base else { return None };
        let is_own = matches!(target.base, PlaceBase::Variable(id)
            if self.program.variables[id].kind == VariableKind::Temporary);
        if !is_own || !shared.contains(&read) || self.program.types.is_pointer(place.ty.id) {
            return None;
        }
        let show = self.program.show();
        Some(format!("reads {}: {}", show.place(place), show.constant(bits, place.ty.id)))
    }

    /// What a pointer is made to point to, in the program's words: they say more than an address.
    fn pointed(&self, target: &program::Place, value: &program::Expr, bits: u128) -> Option<String> {
        let names_an_object = |value: &program::Expr| match &value.kind {
            ExprKind::AddressOf(place) => matches!(place.base, PlaceBase::Variable(_)),
            ExprKind::FunctionAddress(_) => true,
            _ => false,
        };
        let inner = std::iter::successors(Some(value), |value| match &value.kind {
            ExprKind::Cast(inner) if self.program.types.is_pointer(inner.ty) => Some(inner),
            _ => None,
        });
        let is_pointer = bits != 0 && self.program.types.is_pointer(target.ty.id);
        let named = inner.last().filter(|value| is_pointer && names_an_object(value))?;
        Some(self.program.show().expr(named))
    }

    /// `place = value`, if that is news. The value is that of the bits where no words for it are given.
    fn value(
        &mut self,
        depth: u32,
        target: &program::Place,
        words: Option<String>,
        bits: u128,
    ) -> Option<String> {
        // Of a record or an array that is as yet unwritten, there is no value to tell.
        if !self.program.types.is_scalar(target.ty.id) {
            return None;
        }
        if let (Some(id), Some(all)) = (target.as_variable(), &self.program.interleaving) {
            if let Some(lock) = all.locks.get(&id) {
                return Some(if bits == 0 { format!("unlocks {lock}") } else { format!("locks {lock}") });
            }
            if all.hidden.contains(&id) {
                return None;
            }
        }
        let is_temporary = matches!(target.base, PlaceBase::Variable(id)
            if self.program.variables[id].kind == VariableKind::Temporary);
        if is_temporary && self.detail != Detail::Everything {
            return None;
        }
        let show = self.program.show();
        let name = show.place(target);
        // Another thread may have changed it in between.
        let is_shared = self.shared.is_some()
            && !matches!(target.base, PlaceBase::Variable(id)
                if self.program.variables[id].kind != VariableKind::Global);
        let is_known = self.last.insert((self.thread, depth, name.clone()), bits) == Some(bits);
        if is_known && !is_shared && self.detail == Detail::Changes {
            return None;
        }
        let value = words.unwrap_or_else(|| show.constant(bits, target.ty.id));
        let text = format!("{name} = {value}");
        self.change = Some((name, value));
        Some(text)
    }

    /// Calls that never came back: where they were made is known from the end of the run.
    fn close(&mut self, outcome: &RunOutcome) {
        let place = match outcome {
            RunOutcome::AssertionFailed { place, .. }
            | RunOutcome::ErrorReached { place, .. }
            | RunOutcome::Aborted(place) => place,
            RunOutcome::Undefined(report) => &report.place,
            RunOutcome::Unknown(unknown) => &unknown.place,
            _ => return,
        };
        // Innermost first: the caller of a call that is at depth d is the entry at depth d - 1.
        let calls = &place.calls;
        if let (Some(_), Some(thread)) = (&self.shared, place.thread) {
            self.switch_to(thread.index());
        }
        for &(_, depth, line) in &self.open {
            let caller = calls.len().checked_sub(depth as usize - 1).and_then(|at| calls.get(at));
            let Some(caller) = caller else { continue };
            self.lines[line].span = caller.span;
            // The call as the user wrote it, if it is short.
            let text = self.program.show().source_text(caller.span);
            if text.contains('(') && text.chars().count() <= MOST_CALL_TEXT {
                self.lines[line].text = text;
            }
        }
    }
}

/// Longer calls are shown by the name of what is called.
const MOST_CALL_TEXT: usize = 70;

/// The call without what its result goes to.
fn call_text(action: &str, has_result: bool) -> String {
    match action.split_once(" = ") {
        Some((_, call)) if has_result => call.to_owned(),
        _ => action.to_owned(),
    }
}
