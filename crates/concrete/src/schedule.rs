//! Who runs next, decided from outside before each step that other threads can see; and the plan of a run, as a
//! counterexample keeps it.
//!
//! A thread's steps between two visible ones commute with whatever the others do, so a run is told by who makes the next
//! visible step, and by what else was open: which waiter a signal wakes, whether a weak compare-and-swap fails, whether
//! a timed wait gives up. A waiting thread that is chosen although nobody woke it wakes up for no reason.
//!
//! The text of a plan:
//!
//! ```text
//! concord-schedule 1
//! threads 0 0.1 0.2
//! steps 0*2 1*1 2*2 1*1 0*3
//! choice wake 1
//! input 1 __VERIFIER_nondet_int 5
//! ```
//!
//! Threads are named by who created them and which of its creations it was; `steps` speaks of them by their position in
//! that list. `choice` and `input` stand in the order of the run.

use crate::inputs::InputShape;
use crate::settings::ThreadId;
use base::Id;
use program::{EdgeId, ProcedureId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// The edges that other threads can see, besides calls that synchronise, which always are visible.
pub type VisibleEdges = FxHashSet<(ProcedureId, EdgeId)>;

/// What is open besides who runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChoiceKind {
    /// Which of several waiting threads a signal wakes.
    Wake,
    /// Does a timed operation give up (1), though it could go on (0)?
    TimeOut,
    /// Does a weak compare-and-swap fail (1) for no reason?
    SwapFails,
    /// Which of the threads that met at a barrier is told so; the last to come is the last number.
    Serial,
}

impl ChoiceKind {
    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            ChoiceKind::Wake => "wake",
            ChoiceKind::TimeOut => "time-out",
            ChoiceKind::SwapFails => "cas-fail",
            ChoiceKind::Serial => "serial",
        }
    }

    fn named(name: &str) -> Option<ChoiceKind> {
        use ChoiceKind::*;
        [Wake, TimeOut, SwapFails, Serial].into_iter().find(|kind| kind.name() == name)
    }

    /// What happens where nobody decides, of so many ways.
    pub fn usual(self, ways: u32) -> u32 {
        if self == ChoiceKind::Serial { ways - 1 } else { 0 }
    }
}

/// Who can make the next visible step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Threads that can go on.
    pub able: Vec<ThreadId>,
    /// Threads that wait for a signal, and can only wake up for no reason or because their time is over.
    pub idle: Vec<ThreadId>,
    /// Threads that stand before a step that is blocked, with what blocks it.
    pub blocked: Vec<(ThreadId, Touched)>,
}

/// One thing that a visible step touches, for those who ask which steps commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// What it is.
    pub what: Part,
    /// Could another's step tell whether it happened before?
    pub is_write: bool,
    /// Does it belong to the visible step itself? Otherwise to the steps after it that are taken to be the thread's own.
    pub is_own: bool,
}

/// What steps have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Bytes from an address up to another.
    Bytes(u64, u64),
    /// The synchronisation object at an address.
    Object(u64),
    /// The beginning and end of a thread.
    Thread(ThreadId),
    /// The numbers that threads and keys get when they are created.
    Names,
    /// The lock of all sections that the program marks as atomic; it orders them where races are looked for.
    Sections,
}

impl Part {
    /// Have the two something in common?
    pub fn meets(self, other: Part) -> bool {
        match (self, other) {
            (Part::Bytes(from, to), Part::Bytes(other_from, other_to)) => from < other_to && other_from < to,
            (Part::Object(at), Part::Bytes(from, to)) | (Part::Bytes(from, to), Part::Object(at)) => {
                from <= at && at < to
            }
            (one, other) => one == other,
        }
    }
}

impl Touched {
    /// Does their order matter?
    pub fn depends_on(self, other: Touched) -> bool {
        (self.is_write || other.is_write) && self.what.meets(other.what)
    }
}

/// A visible step that was made, with the thread's own steps behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeStep {
    /// Who made it.
    pub thread: ThreadId,
    /// What it touched.
    pub touched: Vec<Touched>,
    /// Can others see the middle of it?
    pub grain: Grain,
}

/// What a visible step is made of, as others can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// One thing: an atomic section, a synchronising call.
    Whole,
    /// An edge of the program: one access at most, if the program was divided so.
    Edge,
    /// A library function that goes through memory byte by byte.
    Bytes,
}

/// Decides, from outside, how a run goes on.
pub trait Driver {
    /// Who makes the next visible step; `None` ends the run. Also asked at the end, when nobody can.
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId>;

    /// Which of `ways` things happens.
    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32;

    /// An unknown value that a thread asks for; `None` leaves it to the inputs of the run.
    fn input(&mut self, _thread: ThreadId, _name: &str, _shape: InputShape) -> Option<u128> {
        None
    }

    /// A visible step was made.
    fn made(&mut self, _step: MadeStep) {}
}

/// A run of threads: enough, with the program, to repeat it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Names of threads: the creator's name and a number.
    pub threads: Vec<String>,
    /// Who makes how many visible steps, in order.
    pub steps: Vec<(ThreadId, u32)>,
    /// What else was decided, in order.
    pub choices: Vec<(ChoiceKind, u32)>,
    /// Values that threads asked for, in order: who, for what, the bits.
    pub inputs: Vec<(ThreadId, String, u128)>,
}

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPlan {
    /// Counted from 1.
    pub line: usize,
    /// In words.
    pub message: String,
}

impl std::fmt::Display for BadPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

const HEADER: &str = "concord-schedule 1";

impl Plan {
    /// Adds one visible step.
    pub fn add_step(&mut self, thread: ThreadId) {
        match self.steps.last_mut() {
            Some((last, count)) if *last == thread => *count += 1,
            _ => self.steps.push((thread, 1)),
        }
    }

    /// As text.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\nthreads {}\nsteps", self.threads.join(" "));
        for (thread, count) in &self.steps {
            let _ = write!(text, " {}*{count}", thread.index());
        }
        text.push('\n');
        for (kind, chosen) in &self.choices {
            let _ = writeln!(text, "choice {} {chosen}", kind.name());
        }
        for (thread, name, bits) in &self.inputs {
            let _ = writeln!(text, "input {} {name} {bits}", thread.index());
        }
        text
    }

    /// From text. Empty lines and what follows `#` are left out.
    pub fn parse(text: &str) -> Result<Plan, BadPlan> {
        let mut plan = Plan::default();
        let mut has_header = false;
        for (number, line) in text.lines().enumerate() {
            let bad = |message: String| BadPlan { line: number + 1, message };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if !has_header {
                if line != HEADER {
                    return Err(bad(format!("a schedule begins with `{HEADER}`")));
                }
                has_header = true;
                continue;
            }
            plan.line(line).map_err(bad)?;
        }
        if !has_header {
            return Err(BadPlan { line: 1, message: format!("a schedule begins with `{HEADER}`") });
        }
        Ok(plan)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default();
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` should be a number here"));
        match word {
            "threads" => self.threads.extend(words.map(str::to_owned)),
            "steps" => {
                for word in words {
                    let (thread, count) = word.split_once('*').unwrap_or((word, "1"));
                    self.steps.push((ThreadId::from_index(number(thread)? as usize), number(count)?));
                }
            }
            "choice" => {
                let (Some(kind), Some(chosen), None) = (words.next(), words.next(), words.next()) else {
                    return Err("`choice` takes a kind and a number".to_owned());
                };
                let kind = ChoiceKind::named(kind).ok_or_else(|| format!("no choice is called `{kind}`"))?;
                self.choices.push((kind, number(chosen)?));
            }
            "input" => {
                let (Some(thread), Some(name), Some(bits), None) =
                    (words.next(), words.next(), words.next(), words.next())
                else {
                    return Err("`input` takes a thread, a name and a value".to_owned());
                };
                let bits = bits.parse().map_err(|_| format!("`{bits}` should be a whole number"))?;
                self.inputs.push((ThreadId::from_index(number(thread)? as usize), name.to_owned(), bits));
            }
            other => return Err(format!("`{other}` means nothing in a schedule")),
        }
        Ok(())
    }
}

/// Follows a plan; behind its end, whoever ran last goes on as long as it can.
#[derive(Clone, Debug)]
pub struct Planned<'p> {
    plan: &'p Plan,
    /// Entry of `steps`, and how much of it is done.
    next: (usize, u32),
    next_choice: usize,
    next_input: usize,
    last: Option<ThreadId>,
    /// Where the run first did not do what the plan says, in words.
    pub departed: Option<String>,
}

impl<'p> Planned<'p> {
    /// From the beginning.
    pub fn new(plan: &'p Plan) -> Planned<'p> {
        Planned { plan, next: (0, 0), next_choice: 0, next_input: 0, last: None, departed: None }
    }

    fn depart(&mut self, why: impl FnOnce() -> String) {
        if self.departed.is_none() {
            self.departed = Some(why());
        }
    }
}

impl Driver for Planned<'_> {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        while self.plan.steps.get(self.next.0).is_some_and(|(_, count)| *count <= self.next.1) {
            self.next = (self.next.0 + 1, 0);
        }
        let planned = self.plan.steps.get(self.next.0).map(|(thread, _)| *thread);
        self.next.1 += 1;
        let chosen = match planned {
            Some(thread) if moment.able.contains(&thread) || moment.idle.contains(&thread) => Some(thread),
            Some(thread) => {
                self.depart(|| format!("thread {} cannot make its next step", thread.index()));
                None
            }
            None => self.last.filter(|last| moment.able.contains(last)),
        };
        let chosen = chosen.or_else(|| moment.able.first().copied());
        self.last = chosen;
        chosen
    }

    fn decide(&mut self, _thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        let planned = self.plan.choices.get(self.next_choice).copied();
        self.next_choice += 1;
        match planned {
            Some((planned, chosen)) if planned == kind && chosen < ways => chosen,
            Some(_) => {
                self.depart(|| format!("another choice than `{}` was planned", kind.name()));
                kind.usual(ways)
            }
            None => kind.usual(ways),
        }
    }

    fn input(&mut self, thread: ThreadId, name: &str, _shape: InputShape) -> Option<u128> {
        let (who, what, bits) = self.plan.inputs.get(self.next_input)?.clone();
        self.next_input += 1;
        if who != thread || what != name {
            self.depart(|| format!("thread {} asks for `{name}`, which was not planned", thread.index()));
        }
        Some(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        let thread = ThreadId::from_index;
        let mut plan = Plan { threads: vec!["0".into(), "0.1".into()], ..Plan::default() };
        for who in [0, 0, 1, 0] {
            plan.add_step(thread(who));
        }
        plan.choices = vec![(ChoiceKind::Wake, 1), (ChoiceKind::SwapFails, 0)];
        plan.inputs = vec![(thread(1), "__VERIFIER_nondet_int".into(), 5)];
        assert_eq!(plan.steps, [(thread(0), 2), (thread(1), 1), (thread(0), 1)]);
        assert_eq!(Plan::parse(&plan.to_text()), Ok(plan));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let line = |text: &str| Plan::parse(text).expect_err("it is wrong").line;
        assert_eq!(line("concord-schedule 2\n"), 1);
        assert_eq!(line("concord-schedule 1\nsteps 0*x\n"), 2);
        assert_eq!(line("concord-schedule 1\n\nchoice sleep 1\n"), 3);
    }
}
